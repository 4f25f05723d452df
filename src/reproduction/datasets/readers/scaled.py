"""Features scaled to a range over the whole file, as LIBSVM's ``svm-scale`` writes its ``_scale`` files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.datasets.readers.svmlight import read_csr
from reproduction.datasets.table import Table, convert_labels_to_text

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet


def read_scaled(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the scaled file if there is one; otherwise scale the original file.

    Parameters
    ----------
    spec : DataSet
        ``spec.files`` names the file as it is, then the scaled one; ``spec.options["scaled"]`` is the range.
    paths : dict of str to Path
        Local copies; one of the two may be absent.

    Returns
    -------
    Table
    """
    raw, scaled = spec.files
    if scaled.name in paths:
        X, labels, _ = read_csr(paths[scaled.name], scaled.name, spec.features_in_files)
    else:
        X, labels, _ = read_csr(paths[raw.name], raw.name, spec.features_in_files)
        X = scipy.sparse.csr_array(scale_to_range(X.toarray(), *spec.options["scaled"]))
    return Table(X, convert_labels_to_text(labels))


def scale_to_range(X: np.ndarray, low: float, high: float) -> np.ndarray:
    """Map each feature linearly onto a range, with six significant digits.

    Parameters
    ----------
    X : ndarray, shape (n, d)
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
    if not len(X):
        return X
    lowest, highest = X.min(axis=0), X.max(axis=0)
    span = np.where(highest > lowest, highest - lowest, 1.0)
    scaled = low + (high - low) * (X - lowest) / span
    # svm-scale prints with "%g", so that its files hold six digits
    digits = np.array([f"{value:.6g}" for value in scaled.ravel()], dtype=float).reshape(X.shape)
    return np.where(highest > lowest, digits, 0.0)
