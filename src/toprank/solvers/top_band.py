"""The negatives in three groups: surely among the K highest, a band around the K-th, and the rest.

At depth K the dual weight b of a negative lies between 0 and a cap s, with Σb = K s. A model of the loss fixes
b = s for a set A and b = 0 outside of A and a band B. It restricts the dual, so its optimum is a lower bound
whatever A and B are, and the true one once they are right.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dtrtrs

from toprank.clock import TRIANGULAR_SOLVE_COST
from toprank.problems.rows import take_rows
from toprank.problems.zero_solution import compute_mean_row
from toprank.solvers.hinge_quadratic import HingeQuadratic
from toprank.solvers.top_quadratic import RELATIVE_TOL, minimise_top_quadratic

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock
    from toprank.problems.rows import RowMatrix
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution
    from toprank.solvers.scaling import Scaling
    from toprank.solvers.sparse_rows import SparseRows

#: A weight of the band within this share of the cap counts as 0 or as the cap.
WEIGHT_RTOL = 1e-6
#: Scores this near, relative to their size, tie.
TIE_RTOL = 1e-12
#: A negative leaves the band after so many models in which its weight was 0 or the cap.
IDLE_MODELS_MAX = 3
#: Accuracy of a model: this times the square of the relative gap.
INEXACTNESS = 1e-6
#: The band's half width, in multiples of its first one, grows to this, and so many negatives that moved join it.
HALF_WIDTH_GROWTH_MAX, MOVED_HALF_WIDTHS_MAX = 4, 20
#: Above so many rows, the first point is the solution for a sample of one row in `SAMPLE_STEP`, to this tolerance.
SAMPLED_ROWS_MIN, SAMPLE_STEP, SAMPLE_TOL = 20_000, 8, 1e-3
#: At least so many rows of a class are in the sample, if it has so many.
SAMPLE_CLASS_MIN = 1000


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
        whole = int(n_free)
        part = (n_free - whole) * ordered[whole] if n_free > whole else 0.0
        return float(scores[self.is_above].sum() + ordered[:whole].sum() + part)

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

    def update(self, *points: np.ndarray, can_drop: bool = True) -> bool:
        """Choose A and B anew by the scores at one or more points; returns whether they changed.

        The band has the negatives around the K-th highest, those whose group differs between the points or was
        wrong in the last model, and those of the old band that were not idle for long.

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
        n = points[0].size
        kept = self.index[self._idle[self.index] < IDLE_MODELS_MAX] if can_drop else self.index
        is_high, is_band = zip(*(self._rank(scores) for scores in points), strict=True)
        differs = np.logical_or.reduce([high != is_high[0] for high in is_high])
        if self.index.size:  # those whose group in the last model was wrong at its minimum
            is_wrong = self.is_above != is_high[-1]
            is_wrong[self.index] = False
            differs |= is_wrong
        differs &= ~np.logical_or.reduce(is_band)
        n_moved = np.count_nonzero(differs)
        moved_max = MOVED_HALF_WIDTHS_MAX * self._half_width_min
        if n_moved > moved_max:
            # the nearest to the K-th highest at the first point
            distance = np.abs(points[0] - points[0][is_high[0]].min())
            moved = np.flatnonzero(differs)
            differs[:] = False
            differs[moved[np.argpartition(distance[moved], moved_max)[:moved_max]]] = True
        self.half_width = int(np.clip(n_moved, self._half_width_min, HALF_WIDTH_GROWTH_MAX * self._half_width_min))
        in_band = np.logical_or.reduce([*is_band, differs])
        in_band[kept] = True
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
        # all that tie with the K-th, such as equal rows
        lowest = scores[order[k - 1]]
        is_near |= np.abs(scores - lowest) <= TIE_RTOL * max(abs(lowest), abs(scores[order[0]]))
        return is_high, is_near


    def read_rows(self, negatives: RowMatrix, scaling: Scaling, features: np.ndarray | None = None) -> np.ndarray:
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


class DepthModel(HingeQuadratic):
    """The quadratic pieces of the hinges, and the bound t >= T of the negatives' three groups."""

    def __init__(self, problem: TopRanking, rows_per_step: int, clock: Clock) -> None:
        super().__init__(problem, clock)
        n = problem.negatives.shape[0]
        # wide enough that a solve of the band costs about as much as a pass over the rows
        affordable = (n + problem.positives.shape[0]) // (10 * problem.n_features)
        self.band = Band(n, problem.depth, max(rows_per_step // 2, min(affordable, 5000)))
        self._weights, self._cap = np.empty(0), 0.0
        self._rows, self._above = None, None  # (z_j, −1) of the band, and their sum over A

    def solve_separation(self) -> np.ndarray:
        """Return the ridge regression that separates all positives from the mean of the negatives."""
        self.set_active_hinges(np.ones(self._active.size, dtype=bool))
        self._factorise()
        mean = compute_mean_row(self._problem.negatives)
        row = np.append(self.scaled(mean[None])[0], -1.0)
        column = dtrtrs(self._factor, row, lower=1)[0]
        weight = max(column @ self._target, 0.0) / (column @ column)
        return self._carry_back(self._target - weight * column)

    def _carry_back(self, y: np.ndarray) -> np.ndarray:
        """Return w of y = L'(u, t)."""
        point, _ = dtrtrs(self._factor, y, lower=1, trans=1)
        return point[:-1] / self.scaled.scale

    def prepare(self, scores: np.ndarray) -> None:
        """Choose the groups by the scores here and at the minimum of the last model.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        """
        # at w = 0 all scores are equal, which tells nothing
        points = (scores, self._last_scores) if scores.any() else (self._last_scores,)
        if self.band.update(*points, can_drop=self._can_drop):
            self._rows = None

    def update_rows(self, scores: np.ndarray, can_drop: bool) -> None:
        """Choose the groups by the scores at the minimum of the model.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        can_drop : bool
            Whether a negative of the band may leave it; only one whose weight is 0 or the cap does.
        """
        self._last_scores, self._can_drop = scores, can_drop

    def _read_rows(self) -> None:
        """Read the rows of the band and the sum of those of A."""
        rows = self.band.read_rows(self._problem.negatives, self.scaled)
        self._rows, self._above = np.full((len(rows), rows.shape[1] + 1), -1.0), np.empty(rows.shape[1] + 1)
        self._rows[:, :-1] = rows
        self._above[:-1], self._above[-1] = (
            self.band.sum_above(self._fast_rows[1], self.scaled),
            -np.count_nonzero(self.band.is_above),
        )

    def minimise(self) -> np.ndarray:
        """Return the w of the minimum."""
        if self._factor is None:
            self._factorise()
        if self._rows is None:
            self._read_rows()
        self._clock.require_budget(TRIANGULAR_SOLVE_COST * self._rows.size * self._rows.shape[1])
        columns = dtrtrs(self._factor, self._rows.T, lower=1)[0].T
        above = dtrtrs(self._factor, self._above, lower=1)[0]
        solution = minimise_top_quadratic(
            self._target, columns, self.band.counts, above, self.band.n_free, self._choose_tol(), self._clock
        )
        self._weights, self._cap = self.band.spread(solution.weights), solution.cap
        self.band.count_idle(self._weights, self._cap)
        return self._carry_back(solution.y)

    def _choose_tol(self) -> float:
        """Return the accuracy of a model: that of the bounds at hand allows no use of a better one."""
        monitor = self._clock
        gap = (monitor.objective - (monitor.bound or 0.0)) / monitor.objective
        return float(np.clip(INEXACTNESS * gap**2, RELATIVE_TOL, 1e-2))

    def compute_top(self, scores: np.ndarray) -> float:
        """Return t of the model at its minimum.

        Parameters
        ----------
        scores : ndarray of shape (n,)

        Returns
        -------
        float
        """
        return self.band.sum_highest(scores) / self.band.depth

    def lower_bound(self, hinge: np.ndarray) -> float:
        """Return the bound from weights of the positives and of the three groups.

        Parameters
        ----------
        hinge : ndarray of shape (m,)
        """
        weights = self.band.is_above * self._cap
        weights[self.band.index] = self._weights
        return self._problem.lower_bound(hinge, weights) if weights.any() else 0.0


def solve_sample(problem: TopRanking, solve: Callable[..., Solution], clock: Clock) -> np.ndarray | None:
    """Solve the problem for a sample of the rows: a point near to the solution for all of them.

    Far from it, a model has most negatives in the wrong group.

    Parameters
    ----------
    problem : TopRanking
    solve : callable
        The solver, which samples in its turn.
    clock : Clock

    Returns
    -------
    ndarray of shape (d,), or None
        None for few rows, or where it is 0.
    """
    sizes = problem.positives.shape[0], problem.negatives.shape[0]
    if sum(sizes) <= SAMPLED_ROWS_MIN:
        return None
    rng = np.random.default_rng(0)
    parts = []
    for rows, size in zip((problem.positives, problem.negatives), sizes, strict=True):
        n_sampled = min(max(size // SAMPLE_STEP, SAMPLE_CLASS_MIN), size)
        is_sampled = np.zeros(size, dtype=bool)
        is_sampled[rng.choice(size, n_sampled, replace=False)] = True
        parts.append(take_rows(rows, is_sampled))
    depth = max(problem.depth * parts[1].shape[0] / sizes[1], 1.0)
    sample = replace(problem, positives=parts[0], negatives=parts[1], depth=depth)
    w = solve(sample, tol=SAMPLE_TOL, time_limit=clock.seconds_left).w
    return w if w.any() else None
