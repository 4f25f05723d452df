"""What a job asks of a cluster: memory and time, from what the jobs of a finished run took.

``needs.csv`` has one row a rule and instance. The instance is whatever tells the jobs of a rule apart beside
study, features and splits: the data set of a fit, the solver of a verification. ``seconds`` is the largest
seen, of one split where a job is a block of splits; ``peak_mb`` the largest resident memory, empty where it
was not measured.
``python workflow/needs.py`` reads the rows of what has been run anew from ``benchmarks/``.
"""

import argparse
import csv
import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import yaml
from common import Layout
from snakemake.utils import update_config

from toprank.datasets import registry
from toprank.datasets.toy_names import toy_size

WORKFLOW = Path(__file__).resolve().parent
TABLE = WORKFLOW / "needs.csv"
COLUMNS = ("rule", "instance", "seconds", "peak_mb")

#: Rule -> the wildcards of its jobs, in the order in which they name its benchmark; others are methods.
WILDCARDS = {
    "prepare": ("dataset",),
    "diagnose": ("study", "dataset", "features"),
    "verify": ("solver",),
    "convergence": ("study", "method"),
    "suboptimality": ("study", "dataset", "features", "method"),
    "dirty_traces": ("study", "draws"),
    "scale_size": ("study", "rows"),
    "times": ("study", "solver", "noise"),
    "path": ("study", "dataset"),
    "constant": ("study",),
    "early_stop": ("study",),
    "bench_infinite_push": (),
    "bench_ranksvm": (),
    "bench_cluster": (),
}
OF_A_METHOD = ("study", "dataset", "features", "block")
#: Wildcards that leave what a job needs, per split, much the same.
ALIKE = ("study", "features", "block")
BLOCK = re.compile(r"(\d+)-(\d+)")

#: What is asked for, over what was measured: another machine, a fuller node, a longer grid. Time varies more
#: than memory. A job that exceeds what it asked for is lost; one that asks for too much only waits longer.
MEMORY_FACTOR, TIME_FACTOR = 1.5, 3.0
#: Snakemake looks at the memory of a job every half second at first, and sees too little of a shorter job.
SAMPLED_SECONDS = 3
#: Megabytes of Snakemake itself: on a cluster two of its processes stand around the program of a job.
SNAKEMAKE_MB = 400
LEAST_MB = 1000
#: Compiling the kernels takes up to 100 s on the first job of a node, beside two starts of Snakemake.
LEAST_MINUTES = 10
#: Of a job that is neither measured nor works on a data set.
OTHER_MB, OTHER_SECONDS = 1500, 3600
#: Of a data set whose entry does not tell its size.
UNKNOWN_SIZE = (100_000, 100)


class Needs:
    """Memory and time of the jobs of one configuration.

    Parameters
    ----------
    layout : Layout
        The configuration.
    table : path
        The measurements.
    """

    def __init__(self, layout: Layout, table: Path = TABLE):
        self.layout = layout
        self.measured = read(table)

    def of(self, rule: str, copies: int = 4) -> dict[str, Callable]:
        """The resources of a rule, ``mem_mb`` and ``runtime`` (minutes), doubled at each further attempt.

        Two retries reach four times the first request, which adding would not before the third. ``copies`` is
        the number of dense copies of the data that a job holds: it counts where nothing was measured.
        ``at_once`` is what the jobs of a batch share out: profiles/slurm, and nothing else, limits it to 1.
        """

        def mem_mb(wildcards, attempt):
            return self.memory_mb(rule, wildcards, copies) * 2 ** (attempt - 1)

        def runtime(wildcards, attempt):
            return self.minutes(rule, wildcards) * 2 ** (attempt - 1)

        return {"mem_mb": mem_mb, "runtime": runtime, "at_once": 1}

    def seconds(self, rule: str, wildcards) -> float | None:
        """Seconds that a job took where it was measured, None where it was not."""
        found = self.measured.get((rule, instance(rule, wildcards)))
        return found and found[0] * self.splits(rule, wildcards)

    def peak_mb(self, rule: str, wildcards) -> float | None:
        """Largest resident memory of a job where it was measured, None where it was not."""
        found = self.measured.get((rule, instance(rule, wildcards)))
        return found and found[1]

    def splits(self, rule: str, wildcards) -> int:
        """How many splits, or draws, a job goes through."""
        return splits(rule, wildcards, self.layout.studies)

    def memory_mb(self, rule: str, wildcards, copies: int = 4) -> int:
        """Megabytes that the first attempt of a job asks for."""
        peak = self.peak_mb(rule, wildcards)
        program = self.default_mb(rule, wildcards, copies) if peak is None else MEMORY_FACTOR * peak
        if rule == "prepare":  # the registry means all files; a measured job may have had some of them
            program = max(program, registry.get(wildcards.dataset).memory_mb)
        return max(LEAST_MB, _round_up(SNAKEMAKE_MB + program, 100))

    def minutes(self, rule: str, wildcards) -> int:
        """Minutes that the first attempt of a job asks for."""
        seconds = self.seconds(rule, wildcards)
        if seconds is None:
            seconds = self.default_seconds(rule, wildcards)
        return max(LEAST_MINUTES, math.ceil(TIME_FACTOR * seconds / 60))

    def default_mb(self, rule: str, wildcards, copies: int) -> float:
        """Memory of a job that was not measured: 400 MB of libraries and ``copies`` of the data."""
        if rule == "prepare":
            return registry.get(wildcards.dataset).memory_mb
        if rule == "scale_size":
            return mapped_mb(int(wildcards.rows), self.layout.study(wildcards)["scale"]["features"])
        if not hasattr(wildcards, "dataset"):
            return OTHER_MB
        rows, features = self.size(wildcards)
        if not toy_size(wildcards.dataset) and registry.get(wildcards.dataset).storage == "mapped":
            return mapped_mb(rows, features)
        return 400 + copies * rows * features * 8 / 1e6

    def default_seconds(self, rule: str, wildcards) -> float:
        """Time of a job that was not measured: of its rule's longest, or by the size of its data set.

        That is a minute and 0.7 ms a row and root of the number of features, for each split. Times
        TIME_FACTOR it exceeds all that was measured, from 62 rows and 2000 features to 331 152 rows and 8.
        """
        if hasattr(wildcards, "dataset"):
            rows, features = self.size(wildcards)
            searches = 1 if rule == "diagnose" else self.splits(rule, wildcards)  # it fits nothing
            return (60 + 0.7e-3 * rows * math.sqrt(features)) * searches
        known = [seconds for (name, _), (seconds, _) in self.measured.items() if name == rule]
        return max(known, default=OTHER_SECONDS) * self.splits(rule, wildcards)

    def size(self, wildcards) -> tuple[int, int]:
        """Rows and features of a job's data set."""
        size = toy_size(wildcards.dataset)
        if size:
            toy = self.layout.study(wildcards)["toy"]
            return toy["trials"] * (size[0] + toy["test_rows"]), size[1] + toy["relevant"]
        expected = registry.get(wildcards.dataset).expected
        return expected.get("rows") or UNKNOWN_SIZE[0], expected.get("features") or UNKNOWN_SIZE[1]


def mapped_mb(rows: int, features: int) -> float:
    """Memory of a job on a mapped set: the pages of the float32 file, and four matrices of features²."""
    return 1000 + (4 * rows * features + 4 * 8 * features**2) / 1e6


def instance(rule: str, wildcards) -> str:
    """What tells the jobs of a rule apart, beside study, features and splits."""
    names = WILDCARDS.get(rule, OF_A_METHOD)
    values = [getattr(wildcards, name, "") for name in names if name not in ALIKE]
    return ".".join(value for value in values if value and not BLOCK.fullmatch(value))


def splits(rule: str, wildcards, studies: dict) -> int:
    """How many splits, or draws, a job goes through; 1 where it is no block of them."""
    if rule == "diagnose":
        return studies[wildcards.study]["splits"]
    block = BLOCK.fullmatch(getattr(wildcards, "block", getattr(wildcards, "draws", "")))
    return int(block[2]) - int(block[1]) + 1 if block else 1


def read(table: Path) -> dict[tuple[str, str], tuple[float, float | None]]:
    """Rule and instance -> seconds and peak."""
    with table.open(newline="", encoding="utf-8") as file:
        return {
            (row["rule"], row["instance"]): (
                float(row["seconds"]),
                float(row["peak_mb"]) if row["peak_mb"] else None,
            )
            for row in csv.DictReader(file)
        }


def write(measured: dict, table: Path) -> None:
    """Write what :func:`read` reads, in the order of the names."""
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (rule, name), (seconds, peak) in sorted(measured.items()):
            writer.writerow([rule, name, f"{seconds:.1f}", "" if peak is None else f"{peak:.0f}"])


def benchmarks(folder: Path, results: Path, studies: dict) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield rule, instance, seconds of a split and peak of each job that left a benchmark.

    Left out are data sets that were not obtained, whose jobs say so and end, and studies that are not in
    ``studies``.
    """
    for file in sorted(folder.glob("*/*.tsv")):
        rule = file.parent.name
        names, values = WILDCARDS.get(rule, OF_A_METHOD), file.stem.split(".")
        if len(names) != len(values):
            raise SystemExit(
                f"{file} should be named by {'.'.join(names)}: remove it, or see workflow/needs.py."
            )
        wildcards = SimpleNamespace(**dict(zip(names, values, strict=True)))
        manifest = results / "data" / getattr(wildcards, "dataset", "") / "manifest.json"
        if (
            manifest.is_file()
            and json.loads(manifest.read_text(encoding="utf-8"))["status"] == "not obtained"
        ):
            continue
        if hasattr(wildcards, "study") and wildcards.study not in studies:
            print(f"{file} is left out: the configuration has no study {wildcards.study}.")
            continue
        with file.open(newline="", encoding="utf-8") as lines:
            *_, record = csv.DictReader(lines, delimiter="\t")
        seconds = float(record["s"])
        is_sampled = seconds >= SAMPLED_SECONDS and record["max_rss"] != "NA"
        peak = float(record["max_rss"]) if is_sampled else None
        yield rule, instance(rule, wildcards), seconds / splits(rule, wildcards, studies), peak


def renewed(measured: dict, jobs: Iterator[tuple[str, str, float, float | None]]) -> dict:
    """The largest of ``jobs`` for each rule and instance, and what was ``measured`` of all others."""
    found: dict[tuple[str, str], tuple[float, float | None]] = {}
    for rule, name, seconds, peak in jobs:
        before, highest = found.get((rule, name), (0.0, None))
        peaks = [value for value in (highest, peak) if value is not None]
        found[rule, name] = (max(before, seconds), max(peaks, default=None))
    for key, (seconds, peak) in found.items():
        if peak is None and key in measured:
            found[key] = (seconds, measured[key][1])
    return measured | found


def main() -> None:
    """Bring ``needs.csv`` up to the benchmarks of what was run in this folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("benchmarks", nargs="?", type=Path, default=Path("benchmarks"))
    parser.add_argument("--configfile", action="append", type=Path, default=[], help="as given to snakemake")
    arguments = parser.parse_args()
    config: dict = {}
    for file in (Path("config.yaml"), *arguments.configfile):
        update_config(config, yaml.safe_load(file.read_text(encoding="utf-8")))
    jobs = list(benchmarks(arguments.benchmarks, Path(config["results"]), config["studies"]))
    if not jobs:
        raise SystemExit(f"There is no benchmark below {arguments.benchmarks}: run the workflow first.")
    write(renewed(read(TABLE), iter(jobs)), TABLE)
    print(f"{TABLE} is up to {len(jobs)} benchmarks.")


def _round_up(value: float, step: int) -> int:
    return math.ceil(value / step) * step


if __name__ == "__main__":
    main()
