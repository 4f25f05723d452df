"""One iteration of the ADMM family for top ranking as one sweep over the rows (K15, Algorithms 1 to 3).

A block of rows is small enough to stay in a core's cache. Its scores, the update of its b or s and of its
multipliers, and its share of A'(ρŷ + γ̂) for the next iteration then cost a single read of the data.
The names and the mended misprints are as in `toprank.solvers.admm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.problems.rows import SelectedRows
from toprank.solvers.admm_sweeps import ROWS_PER_BLOCK, sweep_csr, sweep_dense, sweep_stored

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix


def _make_dense_blocks(rows: np.ndarray, sign: float) -> np.ndarray:
    """Return signed rows in blocks of shape (d, ROWS_PER_BLOCK), padded with zeros.

    Inner loops then run along the rows.
    """
    n, d = rows.shape
    n_blocks = -(-n // ROWS_PER_BLOCK)
    padded = np.zeros((n_blocks * ROWS_PER_BLOCK, d))
    np.multiply(rows, sign, out=padded[:n])
    return np.ascontiguousarray(padded.reshape(n_blocks, ROWS_PER_BLOCK, d).transpose(0, 2, 1))


class SignedRows:
    """The positives or the negatives as signed rows of A, with their multipliers and their part of y.

    Parameters
    ----------
    rows : ndarray, csr_array or SelectedRows of shape (n, d)
    sign : {1, -1}
        1 for the positives, −1 for the negatives.
    """

    def __init__(self, rows: RowMatrix, sign: int) -> None:
        self.rows, self.sign, self.is_positive = rows, float(sign), sign > 0
        self._order: np.ndarray | None = None
        if isinstance(rows, SelectedRows):
            self.stored = (rows.stored, rows.index)
            self._sweep = sweep_stored
        elif sp.issparse(rows):
            self.stored = self._store_by_length(rows)
            self._sweep = sweep_csr
        else:
            self.stored = _make_dense_blocks(rows, self.sign)
            self._sweep = sweep_dense
        self.state = tuple(np.zeros(rows.shape[0]) for _ in range(4))

    def _store_by_length(self, rows: sp.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the arrays of the rows, shortest first: a processor foresees loops of one length."""
        self._order = np.argsort(np.diff(rows.indptr), kind="stable")
        ordered = rows[self._order]
        # unsigned indices spare the compiled loops a test for negative ones
        return ordered.data.astype(float), ordered.indices.astype(np.uint32), ordered.indptr.astype(np.uint64)

    @property
    def multipliers(self) -> np.ndarray:
        """γ of these rows, in their given order."""
        if self._order is None:
            return self.state[0]
        multipliers = np.empty_like(self.state[0])
        multipliers[self._order] = self.state[0]
        return multipliers

    def select(self, first: int, last: int) -> SignedRows:
        """Return some of the rows, which share their part of the state; only of rows that are read in place.

        Parameters
        ----------
        first, last : int
            Positions among these rows.

        Returns
        -------
        SignedRows
        """
        selection = SignedRows(SelectedRows(self.rows, np.arange(first, last)), int(self.sign))
        selection.state = tuple(values[first:last] for values in self.state)
        return selection

    def gram(self) -> np.ndarray:
        """Return the contribution to A'A, of shape (d + 1, d + 1).

        Returns
        -------
        ndarray of shape (d + 1, d + 1)
        """
        if isinstance(self.rows, SelectedRows):
            gram, total = self.rows.gram(), self.rows.T @ np.ones(len(self.rows))
        else:
            gram, total = self.rows.T @ self.rows, np.asarray(self.rows.sum(axis=0))
        total, count = total.reshape(-1, 1), np.full((1, 1), float(self.rows.shape[0]))
        return np.block([[gram.toarray() if sp.issparse(gram) else gram, -total], [-total.T, count]])

    def sweep(
        self,
        x: np.ndarray,
        restarts: bool,
        restarted: bool,
        constants: tuple[float, float, float, float],
        sums: np.ndarray,
        g: np.ndarray,
        g_plain: np.ndarray,
    ) -> None:
        """Run one iteration; adds the share of these rows to ``sums``, A'(ρŷ + γ̂) and A'(ρy + γ).

        Parameters
        ----------
        x : ndarray of shape (d + 1,)
            The weights, and the bound on the negatives' scores.
        restarts, restarted : bool
            Whether the method may restart, and whether it does so in this iteration.
        constants : tuple of float
            (ρ, strong convexity of y, 2/m, momentum).
        sums, g, g_plain : ndarray
            Added to in place; the last two have shape (d + 1,).
        """
        rows = (self.stored, x, self.sign, self.state, self.is_positive)
        self._sweep(*rows, restarts, restarted, constants, sums, g, g_plain)

    def transpose_times_multipliers(self) -> np.ndarray:
        """Return A'γ for these rows, of shape (d + 1,).

        Returns
        -------
        ndarray of shape (d + 1,)
        """
        return self.sign * np.append(self.rows.T @ self.multipliers, -self.multipliers.sum())
