"""Inner products of the rows that a solver has asked for so far, kept for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.jit import njit_cached

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

#: The matrix is made for so many rows at first, and twice as many whenever they are too few.
ROWS_MIN = 256


@njit_cached
def _fill_products(
    positives: tuple[np.ndarray, np.ndarray, np.ndarray],
    negatives: tuple[np.ndarray, np.ndarray, np.ndarray],
    new: np.ndarray,
    stored_rows: np.ndarray,
    row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Products of new sparse rows with the stored ones; ``row`` is a dense row of zeros, and is left so."""
    m = positives[2].size - 1
    # the new sparse row is spread into a dense one, so that each product is one pass over the other row
    for i in range(new.size):
        part, k = (positives, new[i]) if new[i] < m else (negatives, new[i] - m)
        for position in range(part[2][k], part[2][k + 1]):
            row[part[1][position]] = part[0][position]
        for j in range(stored_rows.size):
            other, k = (positives, stored_rows[j]) if stored_rows[j] < m else (negatives, stored_rows[j] - m)
            total = 0.0
            for position in range(other[2][k], other[2][k + 1]):
                total += other[0][position] * row[other[1][position]]
            # negatives count with the opposite sign: a product of rows of different classes changes its own
            out[i, j] = total if (new[i] < m) == (stored_rows[j] < m) else -total
        # clear only the entries that were set, not all d
        part, k = (positives, new[i]) if new[i] < m else (negatives, new[i] - m)
        for position in range(part[2][k], part[2][k + 1]):
            row[part[1][position]] = 0.0


@njit_cached
def _copy_block(gram: np.ndarray, places: np.ndarray, out: np.ndarray) -> None:
    """Copy the lower triangle of the rows and columns at some places."""
    for i in range(places.size):
        for j in range(i + 1):
            out[i, j] = gram[max(places[i], places[j]), min(places[i], places[j])]


class RowGram:
    """The Gram matrix of some rows of two matrices, the second with the opposite sign.

    Parameters
    ----------
    positives, negatives : ndarray, csr_array or SelectedRows of shapes (m, d) and (n, d)
    """

    def __init__(self, positives: RowMatrix, negatives: RowMatrix) -> None:
        self._parts, self._m = (positives, negatives), positives.shape[0]
        # place of each row in the stored matrix, −1 for a row not asked for yet; then their numbers in order
        self._place = np.full(self._m + negatives.shape[0], -1, dtype=np.intp)
        self._stored = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))
        self._dense = np.empty((0, positives.shape[1]))  # the stored rows, where they are not sparse
        # SciPy may give the two parts indices of different types
        self._sparse = [
            (part.data, part.indices.astype(np.uint32), part.indptr.astype(np.uint64))
            for part in self._parts
            if sp.issparse(part)
        ]

    def __call__(self, index: np.ndarray, size: int) -> np.ndarray:
        """Return the products of the rows of an index, which counts the negatives from m on.

        They are in the lower triangle of a matrix of zeros, which may have more rows and columns.
        """
        missing = index[self._place[index] < 0]
        if missing.size:
            self._add(missing)
        products = np.zeros((size, size))
        _copy_block(self._gram, self._place[index], products)
        return products

    def _add(self, index: np.ndarray) -> None:
        n_stored, n_new = self._stored.size, self._stored.size + index.size
        # doubling: copies cost a constant number of passes over the matrix in total
        if n_new > len(self._gram):
            grown = np.empty((size := max(ROWS_MIN, 2 * n_new), size))
            grown[:n_stored, :n_stored] = self._gram[:n_stored, :n_stored]
            self._gram = grown
        self._place[index] = np.arange(n_stored, n_new)
        self._stored = np.append(self._stored, index)
        positives, negatives = self._parts
        if self._sparse:
            products = np.empty((index.size, n_new))
            _fill_products(*self._sparse, index, self._stored, np.zeros(positives.shape[1]), products)
        else:
            is_positive = index < self._m
            rows = np.empty((index.size, self._dense.shape[1]))
            rows[is_positive] = positives[index[is_positive]]
            rows[~is_positive] = -negatives[index[~is_positive] - self._m]
            self._dense = np.vstack([self._dense, rows])
            products = rows @ self._dense.T
        # lower triangle only: new rows times all stored ones, themselves included
        self._gram[n_stored:n_new, :n_new] = products
