"""Products with the rows of two classes, in one pass over the file where both are short rows of one.

The classes of a mapped file are scattered: reading one of them fetches most cache lines of the other. So the
rows of both are read in the order of the file, and their scores are sorted into the classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from toprank.problems.row_kernels import MIN_GROUPED_BYTES
from toprank.problems.rows import SelectedRows
from toprank.problems.sparse_rows import make_fast_rows

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

#: Bytes of the rows of a segment: less than the cache of a core, more than the start of a sweep costs.
SEGMENT_BYTES = 2**20


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


class Segment(NamedTuple):
    """Rows of an array that follow each other and fit in a cache, and which of each class are among them."""

    lines: np.ndarray
    """The rows, a view."""
    positives: tuple[int, int]
    """First position among the positives, and the one after the last."""
    negatives: tuple[int, int]


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
        """Return X⁺'a − X⁻'b; outside of a span, rows whose entry is 0 are not read."""
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
    if _are_short_rows_of_one_array(positives, negatives):
        return MergedRows(positives, negatives)
    return SeparateRows(positives, negatives)


def split_segments(positives: RowMatrix, negatives: RowMatrix) -> list[Segment]:
    """Split an array whose rows of two classes would each be read with gaps, from one end to the other.

    A segment is read once from memory; the rows of both classes are then in the cache.

    Parameters
    ----------
    positives : RowMatrix of shape (m, d)
        Rows of the first class.
    negatives : RowMatrix of shape (n, d)
        Rows of the second class.

    Returns
    -------
    list of Segment
        Empty unless both are short, ascending rows of one array that no cache holds.
    """
    if not _are_short_rows_of_one_array(positives, negatives):
        return []
    classes = positives.index, negatives.index
    merged = SelectedRows(positives.stored, np.sort(np.concatenate(classes)))
    if merged.span is None or any((np.diff(index) < 0).any() for index in classes):
        return []
    n_rows = max(SEGMENT_BYTES // (positives.shape[1] * positives.dtype.itemsize), 1)
    cuts = [*range(merged.span.start, merged.span.stop, n_rows), merged.span.stop]
    (first, second) = (np.searchsorted(index, cuts).tolist() for index in classes)
    return [
        Segment(positives.stored[cuts[k] : cuts[k + 1]], (first[k], first[k + 1]), (second[k], second[k + 1]))
        for k in range(len(cuts) - 1)
    ]


def _are_short_rows_of_one_array(positives: RowMatrix, negatives: RowMatrix) -> bool:
    """Return whether both classes are read in place, in rows too short to be grouped, from the same array."""
    if not (isinstance(positives, SelectedRows) and isinstance(negatives, SelectedRows)):
        return False
    is_short = positives.shape[1] * positives.dtype.itemsize < MIN_GROUPED_BYTES
    return is_short and positives.stored.__array_interface__ == negatives.stored.__array_interface__
