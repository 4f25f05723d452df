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

import requirement  # noqa: E402
from config_consistency import is_for_lists, nearest  # noqa: E402
from config_validation import known_methods  # noqa: E402

from reproduction.core import provenance  # noqa: E402

#: What is ranked -> a study of config/quick.yaml, and one of its small data sets with its features.
KINDS = {
    "a single list": ("quick", "overlap.raw"),
    "a single list of sparse rows": ("quick", "sparse-text.raw"),
    "a single list with a part to validate on": ("quick_push", "wdbc.standardised"),
    "queries": ("quick_letor", "letor-like.raw"),
}
#: Columns that differ between runs.
TIMED = ("seconds",)


def problem(name: str, folder: Path) -> str:
    """Say what is wrong with a method, or nothing; results are written below ``folder``."""
    known = known_methods()
    if name not in known:
        return f"there is no file workflow/rules/methods/{name}.smk; {nearest(name, known)}."
    rule = (requirement.METHODS / f"{name}.smk").read_text(encoding="utf-8")
    for wanted in (f"use rule fit as {name} with:", f'method="{name}"'):
        if wanted not in rule:
            return (
                f"workflow/rules/methods/{name}.smk lacks '{wanted}': rule, file and output share the name."
            )
    if lacking := requirement.missing(name):
        return f"it needs {lacking[0]}, which is not installed."
    runs, all_kinds = [], kinds_of(name)
    for kinds in (all_kinds, all_kinds[:1]):
        for kind in kinds:
            _target(name, kind, folder).unlink(missing_ok=True)
        said = _fitted(name, kinds, folder)
        for kind in kinds:
            where = f"{kind} ({', '.join(KINDS[kind])})"
            if not _target(name, kind, folder).is_file():
                return f"on {where} its rule fails: {said}"
            runs.append(_rows(_target(name, kind, folder)))
            failed = [row["message"] for row in runs[-1] if row["status"] == "failed"]
            if failed:
                return f"on {where} {len(failed)} of {len(runs[-1])} fits fail: {failed[0]}"
    for first, again in zip(runs[0], runs[-1], strict=True):
        for column in first:
            if first[column] != again[column] and column not in TIMED:
                return f"on {where} {column} differs when it is run again: fix the seed, and use one thread."
    return ""


def kinds_of(name: str) -> list[str]:
    """List the kinds of data that a method is tried on: a method for lists ranks no queries."""
    return [kind for kind in KINDS if kind != "queries" or not is_for_lists(name)]


def _target(name: str, kind: str, folder: Path) -> Path:
    """The file of the method's fits on a data set of a kind."""
    study, case = KINDS[kind]
    return folder / f"{study}/fits/{case}.{name}.0-1.csv"


def _rows(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["role"] != provenance.PROVENANCE_ROLE]


def _fitted(name: str, kinds: list[str], folder: Path) -> str:
    """Make the files of fits; return the error message, or an empty string."""
    studies = ", ".join(dict.fromkeys(KINDS[kind][0] for kind in kinds))
    sets = ", ".join(KINDS[kind][1].partition(".")[0] for kind in kinds)
    part = f"only={{studies: [{studies}], datasets: [{sets}], methods: [{name}], splits: 2}}"
    words = ["--cores", "1", "--keep-going", "--configfile", "config/quick.yaml"]
    words += ["--config", f"results={folder}", f"beyond=[{name}]", part, "--forcerun", name]
    words += ["--", *(str(_target(name, kind, folder)) for kind in kinds)]
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", *words], cwd=ROOT, capture_output=True, text=True
    )
    lines = [line.strip() for line in (run.stdout + run.stderr).splitlines()]
    said = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception"))]
    said += [line for line in lines if "Error" in line or line.startswith("Configuration:")]
    return "" if run.returncode == 0 else (said or lines or ["it says nothing"])[0]


def main(name: str) -> int:
    """Print the result; return the exit status."""
    with TemporaryDirectory(prefix="toprank-check-") as folder:
        if said := problem(name, Path(folder)):
            print(f"{name}: {said}")
            return 1
    also = " and on queries" if len(kinds_of(name)) == len(KINDS) else ""
    print(f"{name}: it works on single lists, on sparse rows{also}, and its results are reproducible.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
