"""Fast products with sparse rows, for solvers that need thousands of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.jit import njit_cached

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

# sums are not reordered: they equal scipy's bit for bit, and vectors do not speed up short sparse sums
_njit_nogil = njit_cached(nogil=True)


@_njit_nogil
def _compute_scores(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, w: np.ndarray, out: np.ndarray
) -> None:
    for i in range(out.size):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * w[indices[k]]
        out[i] = total


@_njit_nogil
def _compute_selected_scores(
    data: np.ndarray,
    indices: np.ndarray,
    indptr: np.ndarray,
    index: np.ndarray,
    w: np.ndarray,
    out: np.ndarray,
) -> None:
    for i in range(index.size):
        total = 0.0
        for k in range(indptr[index[i]], indptr[index[i] + 1]):
            total += data[k] * w[indices[k]]
        out[i] = total


@_njit_nogil
def _accumulate_rows(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, v: np.ndarray, out: np.ndarray
) -> None:
    for i in range(v.size):
        weight = v[i]
        if weight == 0.0:
            continue
        for k in range(indptr[i], indptr[i + 1]):
            out[indices[k]] += weight * data[k]


@_njit_nogil
def _scatter_rows(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, index: np.ndarray, out: np.ndarray
) -> None:
    for i in range(index.size):
        for k in range(indptr[index[i]], indptr[index[i] + 1]):
            out[i, indices[k]] += data[k]


def read_dense_rows(rows: sp.csr_array, index: np.ndarray) -> np.ndarray:
    """Return the rows of an index of a CSR matrix as an ndarray, without scipy's cost of some 0.1 ms.

    Parameters
    ----------
    rows : csr_array of shape (n, d)
    index : ndarray of int

    Returns
    -------
    ndarray of shape (len(index), d)
    """
    out = np.zeros((index.size, rows.shape[1]))
    _scatter_rows(rows.data, rows.indices, rows.indptr, index, out)
    return out


class SparseRows:
    """The rows of a CSR matrix, with the products ``rows @ w`` and ``rows.T @ v``.

    Rows whose entry of v is 0 are not read.

    Parameters
    ----------
    rows : csr_array of shape (n, d)
        float64.
    """

    def __init__(self, rows: sp.csr_array) -> None:
        self.shape = rows.shape
        # with unsigned indices the compiled loops need no test for negative ones
        self._stored = rows.data, rows.indices.astype(np.uint32), rows.indptr.astype(np.uint64)

    def __matmul__(self, w: np.ndarray) -> np.ndarray:
        """Scores, of shape (n,)."""
        out = np.empty(self.shape[0])
        _compute_scores(*self._stored, w, out)
        return out

    def score_selected(self, index: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the scores of some rows: those entries of ``rows @ w``, bit for bit.

        Parameters
        ----------
        index : ndarray of int of shape (k,)
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (k,)
        """
        out = np.empty(index.size)
        _compute_selected_scores(*self._stored, index, w, out)
        return out

    @property
    def T(self) -> _Transposed:
        """The transpose, for ``rows.T @ v``."""
        return _Transposed(self)


class _Transposed:
    """The transpose of `SparseRows`."""

    def __init__(self, rows: SparseRows) -> None:
        self._rows = rows

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        """X'v, of shape (d,)."""
        out = np.zeros(self._rows.shape[1])
        _accumulate_rows(*self._rows._stored, v, out)
        return out


def make_fast_rows(rows: RowMatrix) -> RowMatrix | SparseRows:
    """Return rows in the form with the fastest products: `SparseRows` for a CSR matrix.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)

    Returns
    -------
    ndarray or SparseRows
    """
    return SparseRows(rows) if sp.issparse(rows) else rows
