"""A data set ready for use, written to the folder of a run and read from there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse

from reproduction.core.atomic_io import atomic_write, read_manifest, wrap_read_errors, write_manifest
from reproduction.datasets import memmap
from reproduction.datasets.table import name_arrays


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
    groups : ndarray of int32, shape (n,), or None
        Group of each row, which a split may keep whole: the scaffold of a compound.
    """

    X: object
    y: np.ndarray
    qid: np.ndarray | None
    part: np.ndarray | None
    manifest: dict
    groups: np.ndarray | None = None


def save_prepared(prepared: PreparedDataSet, folder: Path) -> None:
    """Write ``arrays.npz`` and ``manifest.json``; equal data give equal bytes.

    A mapped X goes into ``X.npy`` beside them. ``arrays.npz`` comes last: it says that all is there.

    Parameters
    ----------
    prepared : PreparedDataSet
        The data set.
    folder : pathlib.Path
        Folder, made if it is missing.
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
    # queries, parts of LETOR and groups, where the data set has them
    optional = {name: getattr(prepared, name) for name in ("qid", "part", "groups")}
    arrays |= {"y": prepared.y} | {name: array for name, array in optional.items() if array is not None}
    with atomic_write(folder / "arrays.npz") as unfinished:
        np.savez(unfinished, **arrays)
        write_manifest(folder / "manifest.json", prepared.manifest, unfinished)


def load_prepared(folder: Path) -> PreparedDataSet:
    """Read back what :func:`save_prepared` wrote.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    PreparedDataSet

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
        # three ways to store rows: dense, mapped from a file of its own, or sparse as three arrays
        if "X" in arrays:
            X = arrays["X"]
        elif "X_data" not in arrays:
            X = memmap.load(folder / memmap.FILE, (manifest["rows"], manifest["features"]))
        else:
            triple = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
            X = scipy.sparse.csr_array(triple, shape=tuple(arrays["X_shape"]))
        optional = {name: arrays.get(name) for name in ("qid", "part", "groups")}
        return PreparedDataSet(X, arrays["y"], manifest=manifest, **optional)
