"""Sums of weighted rows whose rounding does not grow with the number of rows.

A bound compares such a sum, X⁺'a − X⁻'b, with the weight of the penalty. Thousands of equal addends, as of a
feature that is 1 in most rows, are all rounded in the same direction: added one after the other to one sum of
40 000, they are off by 1e-12, and by 1e-7 beside a weight of 1e-5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.jit import njit_cached

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

#: Rows in a block; the sums of the blocks are added afterwards.
ROWS_PER_SUM = 512
#: Least mean number of entries per feature of a sparse block, whose sums take an operation per feature.
ENTRIES_PER_FEATURE = 4


@njit_cached(nogil=True)
def _accumulate_csr_blocks(data, indices, indptr, v, rows_per_block, out) -> None:
    block = np.zeros(out.size)
    for first in range(0, v.size, rows_per_block):
        for i in range(first, min(first + rows_per_block, v.size)):
            weight = v[i]
            if weight != 0.0:  # most dual weights are 0
                for k in range(indptr[i], indptr[i + 1]):
                    block[np.uint64(indices[k])] += weight * data[k]  # no test for a negative index
        for j in range(out.size):
            out[j] += block[j]
            block[j] = 0.0


def sum_weighted_rows(X: RowMatrix, v: np.ndarray) -> np.ndarray:
    """Return X'v; dense and sparse rows are added in blocks, and the sums of the blocks after them.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n, d)
    v : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.problems.weighted_sums import sum_weighted_rows
    >>> n = 50_000
    >>> bool(abs(sum_weighted_rows(np.ones((n, 1)), np.full(n, 1.0 / n))[0] - 1.0) < 1e-14)
    True
    """
    n, d = X.shape
    if n <= ROWS_PER_SUM or not (sp.issparse(X) or isinstance(X, np.ndarray)):
        return X.T @ v
    if sp.issparse(X):
        rows_per_block = max(ROWS_PER_SUM, int(ENTRIES_PER_FEATURE * d * n / max(X.nnz, 1)))
        total = np.zeros(d)
        _accumulate_csr_blocks(X.data, X.indices, X.indptr, v, rows_per_block, total)
        return total
    starts = range(0, n, ROWS_PER_SUM)
    return np.sum([X[i : i + ROWS_PER_SUM].T @ v[i : i + ROWS_PER_SUM] for i in starts], axis=0)
