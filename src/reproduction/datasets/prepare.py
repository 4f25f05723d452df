"""From verified files to arrays with a manifest, and back from disk."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.core.atomic_io import atomic_write, read_manifest, wrap_read_errors, write_manifest
from reproduction.core.errors import DataError
from reproduction.datasets import memmap, registry
from reproduction.datasets.download import fetch
from reproduction.datasets.specs import USER_FAMILY
from reproduction.datasets.table import choose_storage, name_arrays

if TYPE_CHECKING:
    from reproduction.datasets.download.fetch import FetchedDataSet
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table

REPETITION_WARNING = (
    "have the features of an earlier row, so that a split may train and test on the same features"
)
GRADED_COUNTS = ("queries", "pairs", "preferences", "queries_without_preferences")


@dataclass(frozen=True)
class PreparedDataSet:
    """A data set ready for use.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of float64, shape (n, d)
        CSR where fewer than half of more than 20 features are non-zero. Zero rows if the set was not
        obtained. A read-only memmap of float32 where the registry says ``storage: mapped``.
    y : ndarray of int8, shape (n,)
        1 and 0 for positives and negatives, or graded relevance.
    qid : ndarray of int32, shape (n,), or None
    part : ndarray of int8, shape (n,), or None
        LETOR's part S1..S5 of each row.
    manifest : dict
        Status, counts found, expected and published, raw labels, dropped rows and why, constant features
        (from 0), and notes on what no checksum could prove. The notes of the registry are in the data table.
    """

    X: object
    y: np.ndarray
    qid: np.ndarray | None
    part: np.ndarray | None
    manifest: dict


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
    label_values, label_counts = np.unique(table.labels, return_counts=True)
    labels = {str(label): int(count) for label, count in zip(label_values, label_counts, strict=True)}
    notes = [
        *fetched.notes,
        *table.notes,
        *(_note_repetition(X, table.qid) if spec.family == USER_FAMILY else ()),
    ]
    manifest = _make_manifest(spec, fetched.status, fetched.reason, X, counts) | {
        "labels": labels,
        "dropped_rows": list(table.dropped),
        "constant_features": list(constant),
        "notes": notes,
    }
    if table.names:
        manifest["feature_names"] = list(table.names)
    _refuse_unproven(spec, fetched, manifest)
    return PreparedDataSet(X, y.astype(np.int8), table.qid, table.part, manifest)


def describe_differences(manifest: Mapping, counts: Mapping[str, int], counts_name: str) -> str:
    """Say which counts are not the ones in ``counts``; empty if all are."""
    return ", ".join(
        f"{c} {manifest.get(c)} ({counts_name} {n})" for c, n in counts.items() if manifest.get(c) != n
    )


def _refuse_unproven(spec: DataSet, fetched: FetchedDataSet, manifest: Mapping) -> None:
    """Refuse wrong counts if no checksum proves the content: it may be a part of the file."""
    expected = {name: digest for file in spec.files for name, digest in file.expected_checksums.items()}
    unproven = [f["name"] for f in fetched.files if f["found"] and expected[f["name"]] != f["sha256"]]
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
    """Read the files of a set into a Table, without the features that are left out."""
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
    """
    spec = registry.get(dataset)
    graded = spec.task == "graded"
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

    Raises
    ------
    DataError
        A label is empty or in neither class, or a class is empty.
    """
    rule = spec.label
    is_positive = np.isin(labels, rule["positive"])
    is_empty = np.char.strip(labels) == ""
    if is_empty.any():
        raise DataError(f"{spec.name} holds no label in row {int(np.argmax(is_empty)) + 1}: {spec.remedy}")
    is_known = is_positive | (rule["negative"] == "rest" or np.isin(labels, rule["negative"]))
    if not is_known.all():
        row = int(np.argmin(is_known))
        raise DataError(
            f"{spec.name} holds the label {str(labels[row])!r} (row {row + 1}), but only "
            f"{', '.join(rule['positive'])} (positive) "
            f"and {', '.join(rule['negative'])} (negative) are known."
        )
    if is_positive.all() or not is_positive.any():
        raise DataError(
            f"{spec.name} holds {int(is_positive.sum())} positives among {len(labels)} rows: both classes "
            "are needed."
        )
    return is_positive.astype(np.int8)


def count_queries(y: np.ndarray, qid: np.ndarray) -> dict[str, int]:
    """Count queries, query-document pairs, preferences, and queries without any.

    A preference is a pair of documents of one query with different relevance.
    """
    _, query = np.unique(qid, return_inverse=True)
    # documents by query and grade
    table = np.zeros((query.max() + 1, int(y.max()) + 1), dtype=np.int64)
    np.add.at(table, (query, y), 1)
    # n documents, n_g of grade g: (n² − Σ n_g²) / 2 pairs differ in relevance
    preferences = (table.sum(axis=1) ** 2 - (table**2).sum(axis=1)) // 2
    counts = (len(table), len(y), int(preferences.sum()), int((preferences == 0).sum()))
    return dict(zip(GRADED_COUNTS, counts, strict=True))


def _note_repetition(X: np.ndarray | scipy.sparse.csr_array, qid: np.ndarray | None) -> Iterator[str]:
    """Note the rows that may stand in both parts of a split; a mapped set is not searched."""
    if not isinstance(X, np.memmap) and (count := count_repeated_rows(X, qid)):
        yield f"{count} of {X.shape[0]} rows {REPETITION_WARNING}."


def count_repeated_rows(X: np.ndarray | scipy.sparse.csr_array, qid: np.ndarray | None = None) -> int:
    """Count the rows with the features of an earlier row; of queries, of a row of another query.

    Parameters
    ----------
    X : ndarray or csr_array with sorted indices, shape (n, d)
    qid : ndarray, shape (n,), optional
    """
    if scipy.sparse.issparse(X):
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        rows = (X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in ends)
    else:
        rows = (row.tobytes() for row in X + 0.0)  # -0.0 is 0.0
    first = {}
    queries = range(X.shape[0]) if qid is None else qid.tolist()
    digests = (hashlib.blake2b(row, digest_size=16).digest() for row in rows)
    return sum(first.setdefault(row, query) != query for row, query in zip(digests, queries, strict=True))


def find_constant_features(X: np.ndarray | scipy.sparse.csr_array) -> list[int]:
    """List the features, from 0, that have one value in all rows; they are reported, not dropped."""
    if not X.shape[0]:
        return []
    low, high = X.min(axis=0), X.max(axis=0)
    if scipy.sparse.issparse(X):
        low, high = low.toarray(), high.toarray()
    return np.flatnonzero(low == high).tolist()


def save_prepared(prepared: PreparedDataSet, folder: Path) -> None:
    """Write ``arrays.npz`` and ``manifest.json``; equal data give equal bytes.

    A mapped X goes into ``X.npy`` beside them. ``arrays.npz`` comes last: it says that all is there.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    X = prepared.X
    if isinstance(X, np.memmap):
        memmap.save(X, folder / memmap.FILE)
        arrays = {}
    else:
        (folder / memmap.FILE).unlink(missing_ok=True)  # of an earlier preparation that was mapped
        arrays = name_arrays(X)
    arrays |= {"y": prepared.y} | {k: v for k in ("qid", "part") if (v := getattr(prepared, k)) is not None}
    with atomic_write(folder / "arrays.npz") as unfinished:
        np.savez(unfinished, **arrays)
        write_manifest(folder / "manifest.json", prepared.manifest, unfinished)


def load_prepared(folder: Path) -> PreparedDataSet:
    """Read back what :func:`save_prepared` wrote.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    DataError
        The file of a mapped set is missing, or is not what its header and the manifest say.
    CorruptFileError
        Arrays or manifest are cut off, or are no such file.
    """
    folder = Path(folder)
    manifest = read_manifest(folder / "manifest.json")
    manifest.pop("arrays_sha256", None)  # of the file, not of the data set
    with wrap_read_errors(folder / "arrays.npz"), np.load(folder / "arrays.npz") as arrays:
        if "X" in arrays:
            X = arrays["X"]
        elif "X_data" not in arrays:
            X = memmap.load(folder / memmap.FILE, (manifest["rows"], manifest["features"]))
        else:
            triple = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
            X = scipy.sparse.csr_array(triple, shape=tuple(arrays["X_shape"]))
        return PreparedDataSet(X, arrays["y"], arrays.get("qid"), arrays.get("part"), manifest)


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
        "expected": spec.partial if status == "partial" else spec.expected,
        "published": spec.published,
        "notes": [],
    }
