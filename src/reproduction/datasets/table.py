"""The return value of every reader, and its forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse


@dataclass(frozen=True)
class Table:
    """A data set as its files hold it.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array, shape (n, d)
    labels : ndarray of str, shape (n,), or of int for graded relevance
        Raw labels; the label rule of the registry is applied later.
    qid : ndarray of int, shape (n,), or None
        Query of each row.
    part : ndarray of int, shape (n,), or None
        LETOR's part 1..5 of each row.
    dropped : tuple of dict
        ``{"count", "why"}`` of rows that the files hold and the table does not.
    names : tuple of str
        Of the features, where the file or the reader names them.
    notes : tuple of str
        One sentence each on what the reader did to the values.
    groups : ndarray of int, shape (n,), or None
        Group of each row, from 0, where a split may have to keep rows together: the scaffold of a compound.
    """

    X: object
    labels: np.ndarray
    qid: np.ndarray | None = None
    part: np.ndarray | None = None
    dropped: tuple = ()
    names: tuple = ()
    notes: tuple = ()
    groups: np.ndarray | None = None


def choose_storage(X: np.ndarray | scipy.sparse.csr_array) -> np.ndarray | scipy.sparse.csr_array:
    """Return CSR where fewer than half of more than 20 features are non-zero, otherwise a dense array.

    Parameters
    ----------
    X : ndarray or sparse array, shape (n, d)

    Returns
    -------
    csr_array or ndarray of float64, shape (n, d)
    """
    sparse = scipy.sparse.issparse(X)
    nonzero = X.count_nonzero() if sparse else np.count_nonzero(X)
    # CSR pays below half of the entries; with few features there is little to save.
    if X.shape[1] > 20 and nonzero < 0.5 * X.shape[0] * X.shape[1]:
        X = scipy.sparse.csr_array(X, dtype=np.float64)
        # canonical form and fixed index types, so that equal data give equal bytes
        X.sum_duplicates()
        X.eliminate_zeros()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int64)
        return X
    return np.ascontiguousarray(X.toarray() if sparse else X, dtype=np.float64)


def name_arrays(X: np.ndarray | scipy.sparse.csr_array) -> dict[str, np.ndarray]:
    """Name the arrays that hold a dense or sparse matrix in an .npz file.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)

    Returns
    -------
    dict of str to ndarray
        ``X``, or ``X_data``, ``X_indices``, ``X_indptr`` and ``X_shape``.
    """
    if not scipy.sparse.issparse(X):
        return {"X": X}
    arrays = {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
    return arrays | {"X_shape": np.array(X.shape)}


def convert_labels_to_text(y: np.ndarray) -> np.ndarray:
    """Convert numeric labels to the text that label rules are written in: 1.0 -> "1".

    Parameters
    ----------
    y : ndarray of float, shape (n,)

    Returns
    -------
    ndarray of str, shape (n,)
    """
    values, inverse = np.unique(y, return_inverse=True)
    return np.array([str(int(v)) if v == int(v) else repr(float(v)) for v in values], dtype=str)[inverse]
