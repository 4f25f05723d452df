"""The committed snapshot of a full run, and the comparison of a new run with it.

``python -m reproduction.snapshot write results reports/snapshot`` makes it anew, and
``python -m reproduction.snapshot compare reports/snapshot results`` names the cells of its tables that
differ, and ends with 1 if there are any.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.snapshot.archive import RACE, keep
from reproduction.snapshot.diff import RunError, compare_runs

TEMPLATES = Path(__file__).with_name("templates")

LIMIT = 20_000_000
"""Bytes that a snapshot may have; three quarters of it are for its fits."""

MAX_TABLE_BYTES = 100_000
"""Size from which a table counts as a trace, which is not kept, but for `LARGE_TABLES`."""

LARGE_TABLES = ("comparison.csv", "results.csv")
"""Tables of results that are kept whatever their size."""

PACKED_TABLES = ("fits.csv", "queries.csv", "provenance.csv")
"""Tables that are kept in the archives of fits alone."""

NOTES = "NOTES.md"
"""File of a snapshot that is written by hand: it is kept and copied into the README."""

OF_THE_MACHINE = ("data_folder", "mirror", "results", "published_fits", "retry_missing", "missing_data")
"""Keys of a configuration that name places and do not change the results."""

AGAIN = "results/snapshot"
"""Folder in which a snapshot's tables, figures and page are rebuilt from its fits."""

PER_JOB = ("_per_job", "_per_job_of")
"""Ends of the keys that cut a study into jobs, which changes no number."""


def write(results: str | Path, target: str | Path, config: Mapping, limit: int = LIMIT) -> list[Path]:
    """Copy from a full run what a reader needs.

    `results`: folder of the results. `target`: folder of the snapshot. An older one is replaced, but for its
    `NOTES`. `config`: the configuration of a full run. `limit`: bytes that the snapshot may have. Returns:
    what was left behind as too large. Raises `RunError`: if the run is not a full one or not finished, if the
    snapshot would be too large, or if the target is no snapshot.
    """
    results, target = Path(results), Path(target)
    provenance = _provenance(results)
    _check_full(provenance["config"], config, results)
    _check_target(target)
    kept, left = _chosen(results, provenance["config"]["run"])
    notes = target / NOTES
    said = notes.read_text(encoding="utf-8") if notes.is_file() else ""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as above:
        made = Path(above, "snapshot")
        for path in kept:
            copy = made / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(_kept(path, provenance["config"]), encoding="utf-8")
        keep(results, made, provenance["config"]["run"])
        again = {key: value for key, value in provenance["config"].items() if key not in OF_THE_MACHINE}
        again |= {"published_fits": Path(os.path.relpath(target)).as_posix(), "results": AGAIN}
        (made / "config.yaml").write_text(yaml.safe_dump(again, sort_keys=False), encoding="utf-8")
        readme = _readme(provenance, [path.relative_to(results) for path in left], said)
        (made / "README.md").write_text(readme, encoding="utf-8")
        if said:
            (made / NOTES).write_text(said, encoding="utf-8")
        _check_size(made, limit)
        if target.exists():
            shutil.rmtree(target)
        made.rename(target)
    return left


def differences(recorded: Mapping, wanted: Mapping) -> list[str]:
    """Name the keys, with dots between, in which two configurations ask for other numbers."""
    found = []
    for key in sorted({*recorded, *wanted}):
        if key in OF_THE_MACHINE or key.endswith(PER_JOB):
            continue
        one, other = recorded.get(key), wanted.get(key)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found += [f"{key}.{inner}" for inner in differences(one, other)]
        elif one != other:
            found.append(key)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the status with which the process ends."""
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
    given = parser.parse_args(arguments)
    try:
        if given.command == "write":
            print(*_written(given.results, given.target, given.config), sep="\n")
        elif lines := compare_runs(given.old, given.new, given.rtol, given.skip_times):
            raise RunError("\n".join(lines))
    except (RunError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _written(results: str, target: str, config: str) -> list[str]:
    left = write(results, target, yaml.safe_load(Path(config).read_text(encoding="utf-8")))
    files = [path for path in Path(target).rglob("*") if path.is_file()]
    lines = [f"{target}: {len(files)} files, {_megabytes(sum(path.stat().st_size for path in files))}"]
    return lines + [f"left behind as too large: {path}" for path in left]


def _provenance(results: Path) -> dict:
    path = results / "provenance.json"
    if not path.is_file():
        raise RunError(
            f"{path} does not exist: finish the run (snakemake --cores 2), then make its snapshot."
        )
    return json.loads(path.read_text(encoding="utf-8"))


def _check_full(recorded: Mapping, wanted: Mapping, results: Path) -> None:
    """Refuse a run that is not the whole of the configuration, or that lacks its page."""
    lacking = [name for name in wanted["run"] if name not in recorded["run"]]
    if lacking:
        raise RunError(
            f"{results} is no full run: the study {lacking[0]} is not part of it; run the whole "
            "configuration before making a snapshot."
        )
    other = differences(recorded, json.loads(json.dumps(wanted)))
    if other:
        raise RunError(
            f"{results} is no full run: its configuration differs in {other[0]}"
            + (f" and {len(other) - 1} more keys" if len(other) > 1 else "")
            + "; run the whole configuration as it is before making a snapshot."
        )
    for name in ("report.html", "comparison.csv", *(f"{study}/fits.csv" for study in recorded["run"])):
        if not (results / name).is_file():
            raise RunError(f"{results / name} does not exist: finish the run, then make its snapshot.")


def _check_target(target: Path) -> None:
    """Refuse to replace a folder that is no snapshot."""
    if target.is_dir() and any(target.iterdir()) and not (target / "comparison.csv").is_file():
        raise RunError(
            f"{target} holds other files than a snapshot (no comparison.csv): name another folder."
        )


def _chosen(results: Path, studies: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Choose what is kept (page, provenance, tables, figures and race), and list the traces that are not."""
    kept = [results / "report.html", results / "provenance.json"]
    left = []
    for folder in (results, results / RACE, *(results / study for study in studies)):
        kept += sorted(folder.glob("*.svg"))
        for path in sorted(folder.glob("*.csv")):
            if path.name in PACKED_TABLES:
                continue
            is_trace = path.stat().st_size > MAX_TABLE_BYTES and path.name not in LARGE_TABLES
            (left if is_trace else kept).append(path)
    return kept, left


def _kept(path: Path, config: Mapping) -> str:
    """Read a file, with paths of the machine cut to their last part."""
    text = path.read_text(encoding="utf-8")
    named = [str(config[key]) for key in OF_THE_MACHINE if isinstance(config.get(key), str)]
    for absolute in sorted((name for name in named if Path(name).is_absolute()), key=len, reverse=True):
        text = text.replace(absolute, Path(absolute).name)
    return text


def _check_size(folder: Path, limit: int) -> None:
    """Refuse what is larger than allowed, and name the largest files."""
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    if total > limit:
        largest = sorted(sizes, key=sizes.get, reverse=True)[:3]
        named = ", ".join(f"{path.relative_to(folder)} ({_megabytes(sizes[path])})" for path in largest)
        raise RunError(
            f"The snapshot would have {_megabytes(total)} where {_megabytes(limit)} are allowed: make its "
            f"largest files smaller ({named})."
        )


def _readme(provenance: Mapping, left: Sequence[Path], notes: str) -> str:
    """Write the README: the origin of the run, what was left out, and the notes."""
    environment = Environment(loader=FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=StrictUndefined)
    return environment.get_template("snapshot.md.j2").render(
        run=provenance,
        left=left,
        notes=notes.strip(),
        named=lambda given: ", ".join(f"{name} {value}" for name, value in given.items()),
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f} MB"


if __name__ == "__main__":
    sys.exit(main())
