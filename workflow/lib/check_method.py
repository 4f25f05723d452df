"""Try a method on small data, and report the first problem in one sentence: `make check-method NAME=...`.

It is fitted, as in a run, on two splits of a small data set of each kind of study; on the first one twice.
"""

import csv
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

LIBRARY = Path(__file__).resolve().parent
ROOT = LIBRARY.parents[1]
sys.path[:0] = [str(LIBRARY), str(ROOT / "src")]

import optional_dependencies  # noqa: E402
from config_consistency import is_for_lists, suggest_nearest  # noqa: E402
from config_validation import list_known_methods  # noqa: E402

from reproduction.core import provenance  # noqa: E402

#: What is ranked -> a study of config/quick.yaml, and one of its small data sets with its features.
KINDS = {
    "a single list": ("quick", "overlap.raw"),
    "a single list of sparse rows": ("quick", "sparse-text.raw"),
    "a single list with a part to validate on": ("quick_push", "wdbc.standardised"),
    "queries": ("quick_letor", "letor-like.raw"),
}
#: Columns that differ between runs.
TIME_COLUMNS = ("seconds",)


def find_problem(name: str, folder: Path) -> str:
    """Try a method on small data, and describe the first thing that is wrong with it.

    Parameters
    ----------
    name : str
        Method, named after its rule file.
    folder : pathlib.Path
        Folder for the results of the trial runs.

    Returns
    -------
    str
        One sentence; empty if the method works.
    """
    known_methods = list_known_methods()
    if name not in known_methods:
        return f"there is no file workflow/rules/methods/{name}.smk; {suggest_nearest(name, known_methods)}."
    rule = (optional_dependencies.METHODS / f"{name}.smk").read_text(encoding="utf-8")
    for line in (f"use rule fit as {name} with:", f'method="{name}"'):
        if line not in rule:
            return f"workflow/rules/methods/{name}.smk lacks '{line}': rule, file and output share the name."
    if missing_dependencies := optional_dependencies.find_missing(name):
        package = missing_dependencies[0]
        return f"it needs {package}, {optional_dependencies.explain_missing(package)}."
    runs, all_kinds = [], list_kinds(name)
    # twice on the first kind of data: the second run shows whether results repeat
    for kinds in (all_kinds, all_kinds[:1]):
        for kind in kinds:
            _get_fit_file(name, kind, folder).unlink(missing_ok=True)
        message = _run_fits(name, kinds, folder)
        for kind in kinds:
            place = f"{kind} ({', '.join(KINDS[kind])})"
            if not _get_fit_file(name, kind, folder).is_file():
                return f"on {place} its rule fails: {message}"
            runs.append(_read_rows(_get_fit_file(name, kind, folder)))
            failed = [row["message"] for row in runs[-1] if row["status"] == "failed"]
            if failed:
                return f"on {place} {len(failed)} of {len(runs[-1])} fits fail: {failed[0]}"
    # rows of the first and the repeated run, apart from times
    for first, repeated in zip(runs[0], runs[-1], strict=True):
        for column in first:
            if first[column] != repeated[column] and column not in TIME_COLUMNS:
                return f"on {place} {column} differs when it is run again: fix the seed, and use one thread."
    return ""


def list_kinds(name: str) -> list[str]:
    """List the kinds of data that a method is tried on; a method for single lists is not tried on queries.

    Parameters
    ----------
    name : str
        Method, named after its rule file.

    Returns
    -------
    list[str]
        Names among `KINDS`.
    """
    return [kind for kind in KINDS if kind != "queries" or not is_for_lists(name)]


def _get_fit_file(name: str, kind: str, folder: Path) -> Path:
    """Return the file of the method's fits on a data set of a kind."""
    study, case = KINDS[kind]
    return folder / f"{study}/fits/{case}.{name}.0-1.csv"


def _read_rows(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["role"] != provenance.PROVENANCE_ROLE]


def _run_fits(name: str, kinds: list[str], folder: Path) -> str:
    """Make the files of fits; return the error message, or an empty string."""
    studies = ", ".join(dict.fromkeys(KINDS[kind][0] for kind in kinds))
    datasets = ", ".join(KINDS[kind][1].partition(".")[0] for kind in kinds)
    selection = f"only={{studies: [{studies}], datasets: [{datasets}], methods: [{name}], splits: 2}}"
    words = ["--cores", "1", "--keep-going", "--configfile", "config/quick.yaml"]
    words += ["--config", f"results={folder}", f"extra_methods=[{name}]", selection, "--forcerun", name]
    words += ["--", *(str(_get_fit_file(name, kind, folder)) for kind in kinds)]
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", *words], cwd=ROOT, capture_output=True, text=True
    )
    lines = [line.strip() for line in (run.stdout + run.stderr).splitlines()]
    # the line of an exception; otherwise any line with an error, or a sentence on the configuration
    errors = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception"))]
    errors += [line for line in lines if "Error" in line or line.startswith("Configuration:")]
    return "" if run.returncode == 0 else (errors or lines or ["no output"])[0]


def main(name: str) -> int:
    """Print the result; return the exit status.

    Parameters
    ----------
    name : str
        Method, named after its rule file.

    Returns
    -------
    int
        0 if the method works, 1 if not.
    """
    with TemporaryDirectory(prefix="toprank-check-") as folder:
        if message := find_problem(name, Path(folder)):
            print(f"{name}: {message}")
            return 1
    kinds = " and on queries" if len(list_kinds(name)) == len(KINDS) else ""
    print(f"{name}: it works on single lists, on sparse rows{kinds}, and its results are reproducible.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name one method: make check-method NAME=ridge.")
    sys.exit(main(sys.argv[1]))
