"""The negatives in three groups: surely among the K highest, a band around the K-th, and the others.

At depth K the dual weight b of a negative lies between 0 and a cap s, with Σb = K s. A model of the loss
fixes b = s for a set A and b = 0 outside of A and a band B. It restricts the dual, so its optimum is a lower
bound whatever A and B are, and the true one once they are right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix
    from toprank.problems.sparse_rows import SparseRows
    from toprank.solvers.scaling import Scaling

#: A weight of the band within this share of the cap counts as 0 or as the cap.
WEIGHT_RTOL = 1e-6
#: Scores this near, relative to their size, tie.
TIE_RTOL = 1e-12
#: A negative leaves the band after so many models in which its weight was 0 or the cap.
IDLE_MODELS_MAX = 3
#: The band's half width, in multiples of its first one, grows to this, and so many negatives that moved join
#: it.
BAND_GROWTH_MAX, BAND_JOINERS_MAX = 4, 20
#: Of the negatives that tie with the K-th highest, at most so many are in the band: where w is nearly 0, all
#: tie.
BAND_TIES_MAX = 4000


class Band:
    """Sets A and B of the negatives, chosen by their scores.

    Parameters
    ----------
    n : int
        Number of negatives.
    depth : float
        K, above 1 and at most n.
    half_width : int
        So many negatives on either side of the K-th highest are in the band.

    Attributes
    ----------
    index : ndarray of int
        B.
    is_above : ndarray of bool of shape (n,)
        A.
    counts : ndarray of shape (n_distinct,)
        How often each distinct row of B occurs, after `read_rows`.
    """

    def __init__(self, n: int, depth: float, half_width: int) -> None:
        self.depth, self.half_width, self._half_width_min = depth, half_width, half_width
        self.index, self.is_above = np.empty(0, dtype=np.intp), np.zeros(n, dtype=bool)
        self._idle = np.zeros(n, dtype=np.intp)  # the last models in a row in which a weight was 0 or the cap
        self.counts, self._row_of = np.empty(0), np.empty(0, dtype=np.intp)  # of the distinct rows of B

    @property
    def n_free(self) -> float:
        """K minus the size of A: how many negatives of the band count."""
        return self.depth - np.count_nonzero(self.is_above)

    def sum_highest(self, scores: np.ndarray) -> float:
        """Return the sum of the scores of A and of the highest of B, K in all.

        Parameters
        ----------
        scores : ndarray of shape (n,)

        Returns
        -------
        float
        """
        n_free, ordered = self.n_free, np.sort(scores[self.index])[::-1]
        n_whole = int(n_free)
        part = (n_free - n_whole) * ordered[n_whole] if n_free > n_whole else 0.0
        return float(scores[self.is_above].sum() + ordered[:n_whole].sum() + part)

    def count_idle(self, weights: np.ndarray, cap: float) -> None:
        """Count the models in which the weight of a negative of the band was 0 or the cap.

        Parameters
        ----------
        weights : ndarray of shape (n_band,)
        cap : float
        """
        margin = WEIGHT_RTOL * cap
        is_free = (weights > margin) & (weights < cap - margin)
        self._idle[self.index] = np.where(is_free, 0, self._idle[self.index] + 1)

    def choose(self, is_band: np.ndarray, is_above: np.ndarray) -> bool:
        """Take these sets; returns whether the K-th highest score can be in the band.

        Parameters
        ----------
        is_band, is_above : ndarray of bool of shape (n,)

        Returns
        -------
        bool
        """
        self.index, self.is_above = np.flatnonzero(is_band), is_above & ~is_band
        return 0.0 < self.n_free <= self.index.size

    def widen(self) -> None:
        """Double the least half width of the band."""
        self._half_width_min *= 2

    def update(self, *points: np.ndarray, can_drop: bool = True) -> bool:
        """Choose A and B anew by the scores at one or more points; returns whether they changed.

        The band has the negatives around the K-th highest, those whose group differs between the points or
        was wrong in the last model, and those of the old band that were not idle for long.

        Parameters
        ----------
        *points : ndarray of shape (n,)
            Scores; where the band would grow too large, the groups are those at the first point.
        can_drop : bool, default=True
            Whether idle negatives may leave the band.

        Returns
        -------
        bool
        """
        retained = self.index[self._idle[self.index] < IDLE_MODELS_MAX] if can_drop else self.index
        is_high, is_band = zip(*(self._rank(scores) for scores in points), strict=True)
        differs = np.logical_or.reduce([high != is_high[0] for high in is_high])
        if self.index.size:  # those whose group in the last model was wrong at its minimum
            is_wrong = self.is_above != is_high[-1]
            is_wrong[self.index] = False
            differs |= is_wrong
        differs &= ~np.logical_or.reduce(is_band)
        n_moved = np.count_nonzero(differs)
        moved_max = BAND_JOINERS_MAX * self._half_width_min
        if n_moved > moved_max:
            # the nearest to the K-th highest at the first point
            distance = np.abs(points[0] - points[0][is_high[0]].min())
            moved = np.flatnonzero(differs)
            differs[:] = False
            differs[moved[np.argpartition(distance[moved], moved_max)[:moved_max]]] = True
        self.half_width = int(np.clip(n_moved, self._half_width_min, BAND_GROWTH_MAX * self._half_width_min))
        in_band = np.logical_or.reduce([*is_band, differs])
        in_band[retained] = True
        is_above = is_high[0] & ~in_band
        index = np.flatnonzero(in_band)
        self._idle[~in_band] = 0
        changed = not (np.array_equal(index, self.index) and np.array_equal(is_above, self.is_above))
        self.index, self.is_above = index, is_above
        return changed

    def _rank(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which are among the K highest, and which are near to the K-th."""
        n, k = scores.size, min(int(np.ceil(self.depth)), scores.size)
        first, last = max(k - self.half_width, 0), min(k + self.half_width, n)
        order = np.argpartition(-scores, sorted({max(first - 1, 0), k - 1, last - 1}))
        is_high, is_near = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        is_high[order[:k]], is_near[order[first:last]] = True, True
        # those that tie with the K-th, such as equal rows
        lowest = scores[order[k - 1]]
        ties = np.flatnonzero(np.abs(scores - lowest) <= TIE_RTOL * max(abs(lowest), abs(scores[order[0]])))
        is_near[ties[:: -(-ties.size // BAND_TIES_MAX)]] = True
        return is_high, is_near

    def read_rows(
        self, negatives: RowMatrix, scaling: Scaling, features: np.ndarray | None = None
    ) -> np.ndarray:
        """Read the distinct rows of the band, and count each in ``counts``.

        Sparse data may have thousands of equal rows at the K-th highest score.

        Parameters
        ----------
        negatives : ndarray, csr_array or SelectedRows of shape (n, d)
        scaling : Scaling
        features : ndarray of int, optional
            By default all.

        Returns
        -------
        ndarray of shape (n_distinct, n_features)
        """
        rows = np.ascontiguousarray(
            scaling.take(negatives, self.index, slice(None) if features is None else features)
        )
        keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
        _, first, self._row_of, counts = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        self.counts = counts.astype(float)
        return rows[first]

    def sum_above(
        self, negatives: RowMatrix | SparseRows, scaling: Scaling, features: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        """Return the sum of the scaled rows of A, of shape (n_features,).

        Parameters
        ----------
        negatives : ndarray, csr_array, SelectedRows or SparseRows of shape (n, d)
        scaling : Scaling
        features : ndarray of int, optional
            By default all.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        count = np.count_nonzero(self.is_above)
        if not count:
            return np.zeros(scaling.shift[features].size)
        total = np.asarray(negatives.T @ self.is_above.astype(float)).ravel()
        return ((total - count * scaling.shift) / scaling.scale)[features]

    def spread(self, weights: np.ndarray) -> np.ndarray:
        """Share the weights of the distinct rows among the negatives of the band, clipped at 0.

        Parameters
        ----------
        weights : ndarray of shape (n_distinct,)

        Returns
        -------
        ndarray of shape (n_band,)
        """
        return np.maximum(weights / self.counts, 0.0)[self._row_of]
