"""Products with the rows of two classes, in one pass over the file where both are short rows of one.

The classes of a mapped file are scattered: reading one of them fetches most cache lines of the other. So the
rows of both are read in the order of the file, and their scores are sorted into the classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from toprank.problems.row_kernels import MIN_GROUPED_BYTES
from toprank.problems.rows import SelectedRows
from toprank.solvers.sparse_rows import make_fast_rows

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix


class PairedRows(Protocol):
    """What a solver asks of the rows of two classes."""

    def compute_scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X⁺w and X⁻w.

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (m,), ndarray of shape (n,)
        """
        ...

    def combine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b.

        Parameters
        ----------
        a : ndarray of shape (m,)
        b : ndarray of shape (n,)

        Returns
        -------
        ndarray of shape (d,)
        """
        ...


class SeparateRows(PairedRows):
    """Rows of two classes that are read one class after the other.

    Parameters
    ----------
    positives : RowMatrix of shape (m, d)
        Rows of the first class.
    negatives : RowMatrix of shape (n, d)
        Rows of the second class.
    """

    def __init__(self, positives: RowMatrix, negatives: RowMatrix) -> None:
        self._positives, self._negatives = make_fast_rows(positives), make_fast_rows(negatives)

    def compute_scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X⁺w and X⁻w."""
        return self._positives @ w, self._negatives @ w

    def combine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b."""
        return self._positives.T @ a - self._negatives.T @ b


class MergedRows(PairedRows):
    """Rows of two classes of one array, read in its order.

    Parameters
    ----------
    positives : SelectedRows of shape (m, d)
        Rows of the first class.
    negatives : SelectedRows of shape (n, d)
        Rows of the second class, of the same array.
    """

    def __init__(self, positives: SelectedRows, negatives: SelectedRows) -> None:
        # one index over both classes, sorted: the file is then read from front to back
        m, index = len(positives), np.concatenate([positives.index, negatives.index])
        order = np.argsort(index, kind="stable")
        self._rows = SelectedRows(positives.stored, index[order])
        # the place in the order of the file of each row of a class
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        self._positive_places, self._negative_places = places[:m], places[m:]

    def compute_scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X⁺w and X⁻w."""
        scores = self._rows @ w
        return scores[self._positive_places], scores[self._negative_places]

    def combine(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b; rows whose entry is 0 are not read."""
        weights = np.empty(len(self._rows))
        weights[self._positive_places] = a
        weights[self._negative_places] = -b
        return self._rows.T @ weights


def pair_rows(positives: RowMatrix, negatives: RowMatrix) -> PairedRows:
    """Return the products with the rows of two classes, by the way that reads the memory least.

    Parameters
    ----------
    positives : RowMatrix of shape (m, d)
        Rows of the first class.
    negatives : RowMatrix of shape (n, d)
        Rows of the second class.

    Returns
    -------
    PairedRows
        Of short rows of one mapped array, `MergedRows`.
    """
    if isinstance(positives, SelectedRows) and isinstance(negatives, SelectedRows):
        is_short = positives.shape[1] * positives.dtype.itemsize < MIN_GROUPED_BYTES
        if is_short and _is_same_array(positives.stored, negatives.stored):
            return MergedRows(positives, negatives)
    return SeparateRows(positives, negatives)


def _is_same_array(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two arrays are views of the same values in memory."""
    return first.__array_interface__ == second.__array_interface__
