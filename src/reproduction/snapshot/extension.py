"""Rows of a later run in a snapshot: data sets that could not be obtained before, or some methods."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from reproduction.core.atomic_io import atomic_write, atomic_write_text
from reproduction.core.results import ResultsError, read_text
from reproduction.core.row_order import sort_fits
from reproduction.snapshot.archive import anonymise, list_archives
from reproduction.snapshot.configuration import CONFIG_FILE, merge_config
from reproduction.specs.metrics import FURTHER_METRICS

DATASET_TABLES = ("fits.csv", "diagnosis.csv", "queries.csv", "provenance.csv", "data.csv")
"""Tables of the archives that have rows of single data sets."""


def add_rows(
    results: str | Path, snapshot: str | Path, datasets: Sequence[str], methods: Sequence[str] = ()
) -> list[str]:
    """Update the archives of a snapshot with the rows that a later run has of some data sets or methods.

    All experiments that the run has made take the place of those of the snapshot, part by part. The
    configuration of the snapshot stays, but for what it says of these data sets.

    Parameters
    ----------
    results : path-like
        Folder of the later run, which may be a partial one.
    snapshot : path-like
        Folder of the snapshot; its archives are changed in place.
    datasets : sequence of str
        Names of the data sets; without any the experiments alone are taken, or all that have one of the
        methods.
    methods : sequence of str, optional
        Methods whose rows are taken; without any all rows of the data sets are.

    Returns
    -------
    list of str
        The files that were changed or added, as they are named in the archives, and the keys of the
        configuration that were.

    Raises
    ------
    ResultsError
        If the run has no rows of one of the data sets or methods, or has other columns than the snapshot.
    RunError
        If the run was computed with other settings than the snapshot.
    """
    results, snapshot, changed = Path(results), Path(snapshot), []
    listed = set(read_text(results / "data.csv", ())["dataset"]) if datasets else set()
    if unknown := set(datasets) - listed:
        raise ResultsError(f"{results} has no data set {min(unknown)}: name data sets of that run.")
    config, changed_keys = merge_config(results, snapshot, datasets)
    fits = [results / path.name.partition(".")[0] / "fits.csv" for path in list_archives(snapshot)]
    run_methods = {
        name for file in fits if methods and file.is_file() for name in _read_table(file)["method"]
    }
    if unknown := set(methods) - run_methods:
        raise ResultsError(f"{results} has no fits of {min(unknown)}: name methods of that run.")
    for path in list_archives(snapshot):
        changed += _update_archive(path, results, datasets, methods)
    if changed_keys:
        text = yaml.safe_dump(config, sort_keys=False)
        atomic_write_text(snapshot / CONFIG_FILE, text)
    return [*changed, *(f"{CONFIG_FILE}: {key}" for key in changed_keys)]


def _update_archive(path: Path, results: Path, datasets: Sequence[str], methods: Sequence[str]) -> list[str]:
    """Update one archive; return the names of its members that differ now."""
    with tarfile.open(path) as archive:
        members = {member.name: archive.extractfile(member).read() for member in archive}
    # rows of single data sets are replaced in place; all other rows, and their order, stay
    updated = dict(members)
    for name in members:
        if (datasets or methods) and Path(name).name in DATASET_TABLES and (results / name).is_file():
            updated[name] = _merge_rows(members[name], results / name, datasets, methods)
    for file in _list_replacements(path.name.partition(".")[0], results, datasets):
        updated[str(file.relative_to(results))] = file.read_bytes()
    # An archive without a change is not packed again: its bytes, and the history of the repository, stay.
    changed = sorted(name for name, content in updated.items() if content != members.get(name))
    if changed:
        with atomic_write(path) as unfinished, tarfile.open(unfinished, "w:xz") as archive:
            for name, content in sorted(updated.items()):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(anonymise(member), io.BytesIO(content))
    return changed


def _list_replacements(archive: str, results: Path, datasets: Sequence[str]) -> list[Path]:
    """List the files of a run that replace whole members of the archive of a study, or of the run."""
    if archive == "run":
        return [results / "data" / dataset / "manifest.json" for dataset in datasets]
    # a hidden file is one that a job has not finished
    return sorted((results / archive / "experiments").glob("[!.]*.jsonl"))


def _align_further_metrics(old: pd.DataFrame, new: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leave out the further metrics that no new fit has; the old fits have no number for the others."""
    # a later version may measure more: old rows have no number there
    further = [name for name in FURTHER_METRICS if name in new and name not in old]
    empty = [name for name in further if (new[name] == "").all()]
    measured = [name for name in further if name not in empty]
    return old.assign(**dict.fromkeys(measured, "")), new.drop(columns=empty)


def _merge_rows(
    old_content: bytes, file: Path, datasets: Sequence[str], methods: Sequence[str] = ()
) -> bytes:
    """Replace the rows of some data sets, or of some methods, of a table; the others stay in their order."""
    old, new = _read_table(io.BytesIO(old_content)), _read_table(file)
    if methods and "method" not in new:
        return old_content
    new = new[_select_rows(new, datasets, methods)]
    if new.empty:
        return old_content
    if file.name == "fits.csv":
        old, new = _align_further_metrics(old, new)
    if set(new.columns) - set(old.columns) and file.name != "data.csv":
        column = min(set(new.columns) - set(old.columns))
        raise ResultsError(f"{file} has the column {column}, which the snapshot lacks: rebuild the snapshot.")
    is_replaced = _select_rows(old, datasets or set(new["dataset"]), methods)
    rows = pd.concat([old[~is_replaced], new[old.columns]], ignore_index=True)
    if file.name == "fits.csv":
        rows = sort_fits(rows)
    else:  # a data set that the table has keeps its place, and so do a method's rows of it
        keys = [name for name in ("dataset", "feature_scaling", "method") if methods or name == "dataset"]
        places = {key: i for i, key in enumerate(dict.fromkeys(zip(*(old[k] for k in keys), strict=True)))}
        place = [places.get(key, len(places)) for key in zip(*(rows[k] for k in keys), strict=True)]
        rows = rows.iloc[np.argsort(place, kind="stable")]
    return rows.to_csv(index=False, lineterminator="\n").encode()


def _select_rows(table: pd.DataFrame, datasets: Collection[str], methods: Collection[str]) -> pd.Series:
    """Whether each row is of one of the data sets and methods; without names of a kind all are."""
    is_selected = table["dataset"].isin(datasets) if datasets else pd.Series(True, index=table.index)
    return is_selected & table["method"].isin(methods) if methods else is_selected


def _read_table(source: Path | io.BytesIO) -> pd.DataFrame:
    return pd.read_csv(source, dtype=str, keep_default_na=False)
