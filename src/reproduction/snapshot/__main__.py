"""The committed snapshot of a full run, and the comparison of a new run with it.

``python -m reproduction.snapshot write results reports/snapshot`` makes it anew, and
``python -m reproduction.snapshot compare reports/snapshot results`` names the cells of its tables that
differ, and ends with 1 if there are any. ``python -m reproduction.snapshot add results reports/snapshot w8a``
puts the rows of a data set of a later run into it, and ``add results reports/snapshot --methods toppush``
those of a method; ``make report`` then makes tables and page from all rows, and ``write results/snapshot
reports/snapshot`` keeps them.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.core.formatting import format_count
from reproduction.core.results import ResultsError
from reproduction.reporting.page.site import ARCHIVE, pack_page
from reproduction.snapshot.archive import BENCH_FOLDER, pack
from reproduction.snapshot.configuration import (
    CONFIG_FILE,
    HOST_KEYS,
    diff_configs,
    format_rebuild_config,
    read_provenance,
)
from reproduction.snapshot.diff import RunError, compare_runs
from reproduction.snapshot.extension import add_rows

TEMPLATES = Path(__file__).with_name("templates")

MAX_SNAPSHOT_BYTES = 37_000_000
"""Bytes that a snapshot may have; its packed fits are a third of it, the pairs of methods a fifth."""

MAX_TABLE_BYTES = 100_000
"""Size from which a table counts as a trace, which is not kept, but for `LARGE_TABLES`."""

LARGE_TABLES = ("comparison.csv", "ranks.csv", "results.csv")
"""Tables of results that are kept whatever their size."""

PACKED_TABLES = ("fits.csv", "queries.csv", "provenance.csv")
"""Tables that are kept in the archives of fits alone."""

SITE_FOLDER = "report"
"""Folder of the results, and of a snapshot, with the pages; the single page is kept in their archive."""

NOTES_FILE = "NOTES.md"
"""File of a snapshot that is written by hand: it is kept and copied into the README."""


def write_snapshot(
    results: str | Path, target: str | Path, config: Mapping, max_bytes: int = MAX_SNAPSHOT_BYTES
) -> list[Path]:
    """Copy from a full run what a reader needs.

    An older snapshot is replaced, but for its `NOTES_FILE`, and for its benchmark results if the run has
    none: what is rebuilt from fits holds no seconds of other solvers.

    Parameters
    ----------
    results : path-like
        Folder of the results.
    target : path-like
        Folder of the snapshot.
    config : mapping
        The configuration of a full run.
    max_bytes : int
        Size that the snapshot may have, in bytes.

    Returns
    -------
    list of Path
        What was left out as too large.

    Raises
    ------
    RunError
        If the run is not a full one or not finished, if the snapshot would be too large, or if the target
        is no snapshot.
    """
    results, target = Path(results), Path(target)
    provenance = read_provenance(results)
    _check_full(provenance["config"], config, results)
    _check_target(target)
    files, left_out = _choose_files(results, provenance["config"]["run"])
    notes_file = target / NOTES_FILE
    notes_text = notes_file.read_text(encoding="utf-8") if notes_file.is_file() else ""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        snapshot = Path(folder, "snapshot")
        for path in files:
            copy = snapshot / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.name == ARCHIVE:
                page = _read_without_paths(results / "report.html", provenance["config"])
                copy.write_bytes(pack_page(page))
            else:
                copy.write_text(_read_without_paths(path, provenance["config"]), encoding="utf-8")
        if (target / BENCH_FOLDER).is_dir() and not (snapshot / BENCH_FOLDER).is_dir():
            shutil.copytree(target / BENCH_FOLDER, snapshot / BENCH_FOLDER)
        pack(results, snapshot, provenance["config"]["run"])
        (snapshot / CONFIG_FILE).write_text(
            format_rebuild_config(provenance["config"], target), encoding="utf-8"
        )
        readme = _render_readme(provenance, [path.relative_to(results) for path in left_out], notes_text)
        (snapshot / "README.md").write_text(readme, encoding="utf-8")
        if notes_text:
            (snapshot / NOTES_FILE).write_text(notes_text, encoding="utf-8")
        _check_size(snapshot, max_bytes)
        if target.exists():
            shutil.rmtree(target)
        snapshot.rename(target)
    return left_out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments of the command; by default those of the process.

    Returns
    -------
    int
        Exit status: 0, or 1 where runs differ, a run is not fit for a snapshot, or a file cannot be read.
    """
    parser = argparse.ArgumentParser(prog="python -m reproduction.snapshot", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    comparing = commands.add_parser("compare", help="name the cells in which the tables of two runs differ")
    comparing.add_argument("old", help="folder of the older run, or of a snapshot")
    comparing.add_argument("new", help="folder of the newer run, or of a snapshot")
    comparing.add_argument("--rtol", type=float, default=0.0, help="relative difference of equal numbers")
    comparing.add_argument("--skip-times", action="store_true", help="leave out columns and rows of times")
    writing = commands.add_parser("write", help="make the snapshot of a full run")
    writing.add_argument("results", help="folder of the results")
    writing.add_argument("target", help="folder of the snapshot, which is replaced")
    writing.add_argument("--config", default="config.yaml", help="configuration of a full run")
    adding = commands.add_parser("add", help="put data sets or methods of a later run into a snapshot")
    adding.add_argument("results", help="folder of the results, which may be of a part of the configuration")
    adding.add_argument("snapshot", help="folder of the snapshot, whose rows are changed in place")
    adding.add_argument("datasets", nargs="*", help="names of the data sets; none: the experiments alone")
    adding.add_argument("--methods", nargs="+", default=[], help="take the rows of these methods alone")
    options = parser.parse_args(arguments)
    try:
        if options.command == "write":
            print(*_report_snapshot(options.results, options.target, options.config), sep="\n")
        elif options.command == "add":
            changed = add_rows(options.results, options.snapshot, options.datasets, options.methods)
            print(*changed, sep="\n")
        elif lines := compare_runs(options.old, options.new, options.rtol, options.skip_times):
            raise RunError("\n".join(lines))
    except (RunError, ResultsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _report_snapshot(results: str, target: str, config: str) -> list[str]:
    """Write a snapshot; return lines on its size and on what was left out."""
    left_out = write_snapshot(results, target, yaml.safe_load(Path(config).read_text(encoding="utf-8")))
    files = [path for path in Path(target).rglob("*") if path.is_file()]
    lines = [f"{target}: {len(files)} files, {_format_megabytes(sum(path.stat().st_size for path in files))}"]
    return lines + [f"left behind as too large: {path}" for path in left_out]


def _check_full(recorded: Mapping, expected: Mapping, results: Path) -> None:
    """Refuse a run that is not the whole of the configuration, or that lacks its page."""
    missing_studies = [name for name in expected["run"] if name not in recorded["run"]]
    if missing_studies:
        raise RunError(
            f"{results} is not a full run: the study {missing_studies[0]} is not part of it; run the whole "
            "configuration before making a snapshot."
        )
    # the recorded configuration as JSON has it: tuples are lists, keys are texts
    differing = diff_configs(recorded, json.loads(json.dumps(expected)))
    if differing:
        raise RunError(
            f"{results} is not a full run: its configuration differs in {differing[0]}"
            + (f" and {format_count(len(differing) - 1, 'more key')}" if len(differing) > 1 else "")
            + "; run the whole configuration as it is before making a snapshot."
        )
    for name in (
        "report.html",
        f"{SITE_FOLDER}/index.html",
        "comparison.csv",
        *(f"{study}/fits.csv" for study in recorded["run"]),
    ):
        if not (results / name).is_file():
            raise RunError(f"{results / name} does not exist: finish the run, then make its snapshot.")


def _check_target(target: Path) -> None:
    """Refuse to replace a folder that is no snapshot."""
    if target.is_dir() and any(target.iterdir()) and not (target / "comparison.csv").is_file():
        raise RunError(
            f"{target} holds other files than a snapshot (no comparison.csv): name another folder."
        )


def _choose_files(results: Path, studies: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Choose what is kept (pages, provenance, tables, figures and race), and list the traces that are not."""
    files = [*sorted((results / SITE_FOLDER).glob("[!.]*")), results / "provenance.json"]
    left_out = []
    for folder in (results, results / BENCH_FOLDER, *(results / study for study in studies)):
        files += sorted(folder.glob("*.svg"))
        for path in sorted(folder.glob("*.csv")):
            if path.name in PACKED_TABLES:
                continue
            is_trace = path.stat().st_size > MAX_TABLE_BYTES and path.name not in LARGE_TABLES
            (left_out if is_trace else files).append(path)
    return files, left_out


def _read_without_paths(path: Path, config: Mapping) -> str:
    """Read a file, with paths of the machine cut to their last part."""
    text = path.read_text(encoding="utf-8")
    places = [str(config[key]) for key in HOST_KEYS if isinstance(config.get(key), str)]
    # The longest path first: one may lie within another.
    for absolute in sorted((name for name in places if Path(name).is_absolute()), key=len, reverse=True):
        text = text.replace(absolute, Path(absolute).name)
    return text


def _check_size(folder: Path, max_bytes: int) -> None:
    """Refuse what is larger than allowed, and name the largest files."""
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    if total > max_bytes:
        largest = sorted(sizes, key=sizes.get, reverse=True)[:3]
        listing = ", ".join(
            f"{path.relative_to(folder)} ({_format_megabytes(sizes[path])})" for path in largest
        )
        raise RunError(
            f"The snapshot would have {_format_megabytes(total)} where {_format_megabytes(max_bytes)} are "
            f"allowed: make its largest files smaller ({listing})."
        )


def _render_readme(provenance: Mapping, left_out: Sequence[Path], notes: str) -> str:
    """Write the README: the origin of the run, what was left out, and the notes."""
    environment = Environment(loader=FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=StrictUndefined)
    return environment.get_template("snapshot.md.j2").render(
        run=provenance,
        left=left_out,
        notes=notes.strip(),
        named=lambda mapping: ", ".join(f"{name} {value}" for name, value in mapping.items()),
    )


def _format_megabytes(size: int) -> str:
    """Write a size in bytes as megabytes (10⁶ bytes)."""
    return f"{size / 1e6:.2f} MB"


if __name__ == "__main__":
    sys.exit(main())
