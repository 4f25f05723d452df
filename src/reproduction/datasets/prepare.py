"""From verified files to arrays with a manifest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.core.errors import DataError
from reproduction.datasets import memmap, registry
from reproduction.datasets.download import fetch
from reproduction.datasets.prepared_data import PreparedDataSet
from reproduction.datasets.row_counts import (
    GRADED_COUNTS,
    REPETITION_WARNING,
    count_queries,
    count_repeated_rows,
    find_constant_features,
)
from reproduction.datasets.specs import REPETITION_READERS, USER_FAMILY
from reproduction.datasets.table import choose_storage

if TYPE_CHECKING:
    from reproduction.datasets.download.fetch import FetchedDataSet
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table


def prepare(
    dataset: str,
    data_folder: str | Path = "data",
    mirror: str | None = None,
    fetched: FetchedDataSet | None = None,
    folder: str | Path | None = None,
) -> PreparedDataSet:
    """Obtain, verify, read and label a data set.

    Parameters
    ----------
    dataset : str
        Name in the registry.
    data_folder : str or Path
        Holds the cache, and the files put in place by hand.
    mirror : str, optional
        Path or URL prefix.
    fetched : FetchedDataSet, optional
        What :func:`fetch.fetch` returned; by default it is called.
    folder : str or Path, optional
        Where the file of a mapped set is written. By default it is an unnamed file below the data folder that
        vanishes with X.

    Returns
    -------
    PreparedDataSet
        With zero rows and the reason in the manifest if the set could not be obtained.

    Raises
    ------
    DataError
        The name is unknown, or a file is not what its reader expects.
    """
    spec = registry.get(dataset)
    fetched = fetched or fetch.fetch(dataset, data_folder, mirror)
    if fetched.status == "not obtained":
        return make_placeholder(dataset, fetched.reason)
    # a mapped set needs a file to be mapped from: without a folder, one that is gone with the process
    if spec.storage == "mapped" and folder is None:
        Path(data_folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=data_folder) as scratch:  # a mapping outlives the file's name
            return prepare(dataset, data_folder, mirror, fetched, scratch)
    table, constant = _read_stored(spec, fetched.paths, folder)
    X = table.X
    if not X.shape[0]:
        raise DataError(f"{dataset} has no rows: {spec.remedy}")
    if spec.task == "graded":
        y = table.labels
        counts = count_queries(y, table.qid)
    else:
        y = binarize_labels(table.labels, spec)
        counts = {"positives": int(y.sum()), "negatives": int(len(y) - y.sum())}
    # raw labels and how often each occurs, for the reader of the data table
    label_values, label_counts = np.unique(table.labels, return_counts=True)
    labels = {str(label): int(count) for label, count in zip(label_values, label_counts, strict=True)}
    notes = [
        *fetched.notes,
        *table.notes,
        *(_note_repetition(X, table.qid) if counts_repetition(spec) else ()),
    ]
    manifest = _make_manifest(spec, fetched.status, fetched.reason, X, counts) | {
        "labels": labels,
        "dropped_rows": list(table.dropped),
        "constant_features": list(constant),
        "notes": notes,
    }
    # names of features where the file has some
    if table.names:
        manifest["feature_names"] = list(table.names)
    _refuse_unproven(spec, fetched, manifest)
    return PreparedDataSet(X, y.astype(np.int8), table.qid, table.part, manifest, table.groups)


def describe_differences(manifest: Mapping, counts: Mapping[str, int], counts_name: str) -> str:
    """Say which counts are not the ones in ``counts``; empty if all are.

    Parameters
    ----------
    manifest : Mapping
        Description of the prepared data, with the counts of its rows.
    counts : Mapping[str, int]
        Count -> number that is compared.
    counts_name : str
        What these numbers are, in the sentence.

    Returns
    -------
    str
        The differing counts, separated by commas.
    """
    return ", ".join(
        f"{c} {manifest.get(c)} ({counts_name} {n})" for c, n in counts.items() if manifest.get(c) != n
    )


def _refuse_unproven(spec: DataSet, fetched: FetchedDataSet, manifest: Mapping) -> None:
    """Refuse wrong counts if no checksum proves the content: it may be a part of the file."""
    expected = {name: digest for file in spec.files for name, digest in file.expected_checksums.items()}
    # files whose content no checksum of the registry proves
    unproven = [f["name"] for f in fetched.files if f["obtained"] and expected[f["name"]] != f["sha256"]]
    # A known checksum proves the content, whatever its counts; a file without one is believed only if its
    # rows, features and classes are as expected.
    if unproven and (wrong := describe_differences(manifest, manifest["expected"], "expected")):
        names = f"{unproven[0]} and {len(unproven) - 1} others" if len(unproven) > 1 else unproven[0]
        raise DataError(
            f"The data set {spec.name} has {wrong}, and no checksum proves the content of {names}: "
            f"{spec.remedy}"
        )


def _read_stored(spec: DataSet, paths: dict[str, Path], folder: Path | None) -> tuple[Table, list[int]]:
    """Read the files of a set: a Table as it is stored, and its constant features."""
    if spec.storage == "mapped":
        # imported late: a missing file needs neither pandas nor numba
        module = import_module(spec.reader_module)
        tables = getattr(module, f"stream_{spec.reader}")(spec, paths)
        tables = (replace(table, X=_drop_features(table.X, spec.drop_features)) for table in tables)
        return memmap.write(tables, folder, spec.expected["features"], spec.name)
    table = read_table(spec, paths)
    return table, find_constant_features(table.X)


def read_table(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the files of a set into a Table, without the features that are left out.

    Parameters
    ----------
    spec : DataSet
        Entry of the registry.
    paths : dict[str, pathlib.Path]
        File of the entry -> its path.

    Returns
    -------
    Table
        Rows as they are stored, labels, queries and parts.
    """
    table = getattr(import_module(spec.reader_module), f"read_{spec.reader}")(spec, paths)
    return replace(table, X=choose_storage(_drop_features(table.X, spec.drop_features)))


def _drop_features(
    X: np.ndarray | scipy.sparse.csr_array, features: Sequence[int]
) -> np.ndarray | scipy.sparse.csr_array:
    return X[:, np.setdiff1d(np.arange(X.shape[1]), features)] if features else X


def make_placeholder(dataset: str, reason: str, refused: bool = False) -> PreparedDataSet:
    """Make a stand-in without rows for a set that was not obtained, so that no later job lacks a file.

    Parameters
    ----------
    dataset, reason : str
        Name in the registry, and why there are no rows.
    refused : bool
        Whether the files exist, but cannot be used.

    Returns
    -------
    PreparedDataSet
    """
    spec = registry.get(dataset)
    graded = spec.task == "graded"
    # an array of no row, but of the expected width, so that shapes of later jobs fit
    X, no_labels = np.zeros((0, spec.expected["features"])), np.zeros(0, dtype=np.int8)
    counts = dict.fromkeys(GRADED_COUNTS if graded else ("positives", "negatives"), 0)
    manifest = _make_manifest(spec, "not obtained", reason, X, counts) | (
        {"refused": True} if refused else {}
    )
    return PreparedDataSet(
        X, no_labels, no_labels.astype(np.int32) if graded else None, no_labels if graded else None, manifest
    )


def binarize_labels(labels: np.ndarray, spec: DataSet) -> np.ndarray:
    """Map raw labels to 1 and 0 by the rule of the registry.

    Parameters
    ----------
    labels : ndarray of str of shape (n_rows,)
        Labels as the file has them.
    spec : DataSet
        Entry of the registry; its ``label`` holds the rule.

    Returns
    -------
    ndarray of int8 of shape (n_rows,)
        1 for positive rows, 0 for negative ones.

    Raises
    ------
    DataError
        A label is empty or in neither class, or a class is empty.
    """
    rule = spec.label
    # labels are compared as text, in which readers and registry write them
    is_positive = np.isin(labels, rule["positive"])
    is_empty = np.char.strip(labels) == ""
    if is_empty.any():
        raise DataError(f"{spec.name} holds no label in row {int(np.argmax(is_empty)) + 1}: {spec.remedy}")
    # One against the rest, or two named classes, of which a third label is an error.
    is_known = is_positive | (rule["negative"] == "rest" or np.isin(labels, rule["negative"]))
    if not is_known.all():
        row = int(np.argmin(is_known))
        raise DataError(
            f"{spec.name} holds the label {str(labels[row])!r} (row {row + 1}), but only "
            f"{', '.join(rule['positive'])} (positive) "
            f"and {', '.join(rule['negative'])} (negative) are known."
        )
    # one class cannot be ranked
    if is_positive.all() or not is_positive.any():
        raise DataError(
            f"{spec.name} holds {int(is_positive.sum())} positives among {len(labels)} rows: both classes "
            "are needed."
        )
    return is_positive.astype(np.int8)


def counts_repetition(spec: DataSet) -> bool:
    """Whether the notes of a prepared set say how many of its rows repeat another one.

    Parameters
    ----------
    spec : DataSet
        Entry of the registry.

    Returns
    -------
    bool
        For a user's own data, and for the readers of `REPETITION_READERS`.
    """
    return spec.family == USER_FAMILY or spec.reader in REPETITION_READERS


def _note_repetition(X: np.ndarray | scipy.sparse.csr_array, qid: np.ndarray | None) -> Iterator[str]:
    """Note the rows that may stand in both parts of a split; a mapped set is not searched."""
    if not isinstance(X, np.memmap) and (count := count_repeated_rows(X, qid)):
        yield f"{count} of {X.shape[0]} rows {REPETITION_WARNING}."


def _make_manifest(
    spec: DataSet,
    status: str,
    reason: str,
    X: np.ndarray | scipy.sparse.csr_array,
    counts: Mapping[str, int],
) -> dict:
    """Describe a data set but for its labels, dropped rows, constant features and notes."""
    return {
        "dataset": spec.name,
        "family": spec.family,
        "task": spec.task,
        "status": status,
        "reason": reason,
        "rows": X.shape[0],
        "features": X.shape[1] if X.shape[0] else 0,
        **counts,
        "labels": {},
        "dropped_rows": [],
        "constant_features": [],
        "id_features": list(spec.id_features),
        "sparse": scipy.sparse.issparse(X),
        # without its optional files, a set has counts of its own
        "expected": spec.partial if status == "partial" else spec.expected,
        "published": spec.published,
        "notes": [],
    }
