"""Features scaled to a range over the whole file, as LIBSVM's ``svm-scale`` writes its ``_scale`` files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.datasets.readers.svmlight import read_svmlight, stream_svmlight

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table


def read_scaled(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the scaled file if there is one; otherwise scale the original file.

    Parameters
    ----------
    spec : DataSet
        ``spec.files`` names the file as it is, then the scaled one; ``spec.options["scaled"]`` is the range.
        With the option ``label_column`` the original file is a delimited table, otherwise in SVMlight format.
    paths : dict of str to Path
        Local copies; one of the two may be absent.

    Returns
    -------
    Table
    """
    scaled = spec.files[1]
    if scaled.name in paths:
        return read_svmlight(replace(spec, files=(scaled,)), paths)
    original = _select_original(spec)
    table = getattr(import_module(original.reader_module), f"read_{original.reader}")(original, paths)
    X = table.X.toarray() if scipy.sparse.issparse(table.X) else table.X
    return replace(table, X=scipy.sparse.csr_array(scale_to_range(X, *spec.options["scaled"])))


def stream_scaled(spec: DataSet, paths: dict[str, Path]) -> Iterator[Table]:
    """Yield the rows of :func:`read_scaled` in blocks; the original file is read twice.

    Parameters
    ----------
    spec : DataSet
        As in :func:`read_scaled`.
    paths : dict of str to Path
        Local copies; one of the two may be absent.

    Yields
    ------
    Table
        X dense, of float32.
    """
    scaled = spec.files[1]
    if scaled.name in paths:
        yield from stream_svmlight(replace(spec, files=(scaled,)), paths)
        return
    original = _select_original(spec)
    stream = getattr(import_module(original.reader_module), f"stream_{original.reader}")
    # Two passes: the range of every feature must be known before the first row is scaled.
    lowest = np.full(original.features_in_files, np.inf)
    highest = -lowest
    for table in stream(original, paths):
        lowest = np.minimum(lowest, table.X.min(axis=0, initial=np.inf))
        highest = np.maximum(highest, table.X.max(axis=0, initial=-np.inf))
    for table in stream(original, paths):
        X = _scale_between(table.X, lowest, highest, *spec.options["scaled"])
        yield replace(table, X=X.astype(np.float32))


def _select_original(spec: DataSet) -> DataSet:
    """Return the entry of the file as it is: a table with columns if its label column is stated."""
    options = {key: value for key, value in spec.options.items() if key != "scaled"}
    reader = "delimited" if options else "svmlight"
    return replace(spec, files=spec.files[:1], options=options, reader=reader)


def scale_to_range(X: np.ndarray, low: float, high: float) -> np.ndarray:
    """Map each feature linearly onto a range, with six significant digits.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Features as they are.
    low, high : float
        Bounds of the range.

    Returns
    -------
    ndarray, shape (n, d)
        A constant feature is 0, as ``svm-scale`` leaves it out.

    Examples
    --------
    >>> scale_to_range(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]), -1, 1)
    array([[-1.      ,  0.      ],
           [-0.333333,  0.      ],
           [ 1.      ,  0.      ]])
    """
    return _scale_between(X, X.min(axis=0), X.max(axis=0), low, high) if len(X) else X


def _scale_between(
    X: np.ndarray, lowest: np.ndarray, highest: np.ndarray, low: float, high: float
) -> np.ndarray:
    """Map each feature linearly from its own range onto [low, high]."""
    # svm-scale leaves constant features out of its file: they stay 0 here.
    span = np.where(highest > lowest, highest - lowest, 1.0)
    scaled = low + (high - low) * (X - lowest) / span
    digits = np.zeros_like(scaled)
    for j in np.flatnonzero(highest > lowest):
        # svm-scale prints with "%g", so that its files hold six digits; equal values are printed once
        values, position = np.unique(scaled[:, j], return_inverse=True)
        digits[:, j] = np.array([f"{value:.6g}" for value in values], dtype=float)[position]
    return digits
