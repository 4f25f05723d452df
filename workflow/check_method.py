"""Try a method on small data, and say in one sentence what is wrong with it: `make check-method NAME=...`.

It is fitted on two splits of a small set of each kind of study, as in a run; on the first of them twice.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

WORKFLOW = Path(__file__).resolve().parent
sys.path[:0] = [str(WORKFLOW), str(WORKFLOW.parent / "src")]

import requirement  # noqa: E402
from config_check import _nearest, known_methods  # noqa: E402

from reproduction import made  # noqa: E402

#: Study of workflow/quick.yaml -> what it ranks, and a small set of it with its features.
KINDS = {
    "quick": ("a single list", "overlap.raw"),
    "quick_push": ("a single list", "wdbc.standardised"),
    "quick_letor": ("queries", "letor-like.raw"),
}
#: Columns that no run repeats.
TIMED = ("seconds",)


def problems(name: str, folder: Path) -> Iterator[str]:
    """Say what is wrong with a method; results go below ``folder``."""
    known = known_methods()
    if name not in known:
        yield f"there is no file workflow/rules/methods/{name}.smk; {_nearest(name, known)}."
        return
    rule = (requirement.METHODS / f"{name}.smk").read_text(encoding="utf-8")
    for wanted in (f"use rule fit as {name} with:", f'layout.fits_of("{name}")'):
        if wanted not in rule:
            yield f"workflow/rules/methods/{name}.smk lacks '{wanted}': rule, file and output have one name."
            return
    if lacking := requirement.missing(name):
        yield f"it needs {lacking[0]}, which is not installed."
        return
    for study, (kind, data) in KINDS.items():
        repeats = 2 if study == next(iter(KINDS)) else 1
        yield from _of_study(name, study, f"{kind} ({study}, {data})", data, folder, repeats)


def _of_study(name: str, study: str, where: str, data: str, folder: Path, repeats: int) -> Iterator[str]:
    target, runs = f"{folder}/{study}/fits/{data}.{name}.0-1.csv", []
    for _ in range(repeats):
        printed = _fitted(name, study, data.partition(".")[0], folder, target)
        if printed:
            yield f"on {where} its rule fails: {printed}"
            return
        with open(target, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["role"] != made.ROLE]
        failed = [row["message"] for row in rows if row["status"] == "failed"]
        if failed:
            yield f"on {where} {len(failed)} of {len(rows)} fits fail: {failed[0]}"
            return
        runs.append([{key: value for key, value in row.items() if key not in TIMED} for row in rows])
    differing = next(((a, b) for a, b in zip(runs[0], runs[-1], strict=True) if a != b), None)
    if differing:
        column = next(key for key in differing[0] if differing[0][key] != differing[1][key])
        yield f"on {where} {column} differs when it is run again: fix the seed, and one thread."


def _fitted(name: str, study: str, dataset: str, folder: Path, target: str) -> str:
    """Make one file of fits anew; what went wrong, or nothing."""
    part = f"only={{studies: {study}, datasets: {dataset}, methods: {name}, splits: 2}}"
    words = ["--cores", "1", "--configfile", "workflow/quick.yaml"]
    words += ["--config", f"results={folder}", f"beyond=[{name}]", part, "--forcerun", name, "--", target]
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", *words], cwd=WORKFLOW.parent, capture_output=True, text=True
    )
    lines = [line.strip() for line in (run.stdout + run.stderr).splitlines()]
    said = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception"))]
    said += [line for line in lines if "Error" in line or line.startswith("Configuration:")]
    return "" if run.returncode == 0 else (said or lines or ["it says nothing"])[0]


def main(name: str) -> int:
    """Print the sentence; return the status with which the process ends."""
    with TemporaryDirectory(prefix="toprank-check-") as folder:
        for sentence in problems(name, Path(folder)):
            print(f"{name}: {sentence}")
            return 1
    print(f"{name}: it keeps the contract on single lists and on queries, and repeats its numbers.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
