"""Products with sparse rows for solvers that take thousands of them: scipy's sums, in scipy's order."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from toprank.compiled import compiled

# no leave to reorder: the sums equal scipy's bit for bit, and short sparse sums gain nothing by vectors
_compiled = compiled(nogil=True)


@_compiled
def _scores(data, indices, indptr, w, out):
    for i in range(out.size):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * w[indices[k]]
        out[i] = total


@_compiled
def _gather(data, indices, indptr, v, out):
    for i in range(v.size):
        weight = v[i]
        if weight == 0.0:
            continue
        for k in range(indptr[i], indptr[i + 1]):
            out[indices[k]] += weight * data[k]


class SparseRows:
    """The rows of a CSR matrix, of which ``rows @ w`` and ``rows.T @ v`` are known.

    Rows whose entry of v is 0 are not read.

    Parameters
    ----------
    rows : csr_array of shape (n, d)
        float64.
    """

    def __init__(self, rows):
        self.shape = rows.shape
        # unsigned indices spare the compiled loops a test for negative ones
        self._stored = rows.data, rows.indices.astype(np.uint32), rows.indptr.astype(np.uint64)

    def __matmul__(self, w):
        """Scores, of shape (n,)."""
        out = np.empty(self.shape[0])
        _scores(*self._stored, w, out)
        return out

    @property
    def T(self):
        """What ``rows.T @ v`` needs."""
        return _Transposed(self)


class _Transposed:
    """The transpose of `SparseRows`."""

    def __init__(self, rows):
        self._rows = rows

    def __matmul__(self, v):
        """X'v, of shape (d,)."""
        out = np.zeros(self._rows.shape[1])
        _gather(*self._rows._stored, v, out)
        return out


def quick_rows(rows):
    """Return rows in the form in which many products are quickest: `SparseRows` of a CSR matrix."""
    return SparseRows(rows) if sp.issparse(rows) else rows
