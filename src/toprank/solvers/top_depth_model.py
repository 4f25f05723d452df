"""The model of exact top ranking at depth K > 1, and a sample of the rows from which to start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dtrtrs

from toprank.clock import TRIANGULAR_SOLVE_COST
from toprank.problems.rows import take_rows
from toprank.problems.zero_solution import compute_mean_row
from toprank.solvers.hinge_quadratic import HingeQuadratic
from toprank.solvers.top_band import Band
from toprank.solvers.top_quadratic import RELATIVE_TOL, minimise_top_quadratic

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Monitor, Solution

#: Accuracy of a model: this times the square of the relative gap, and at most the largest.
INEXACTNESS, INEXACTNESS_MAX = 1e-6, 1e-2
#: After so many models in a row that leave more than this share of the gap, the band only grows: where most
#: negatives tie, those that leave it would come back, in circles.
IDLE_STEPS_MAX, GAP_RATIO_MAX = 3, 0.9
#: It also widens with each further model that leaves as much, up to so many entries on either side of the
#: K-th highest: where a few outliers have scores a thousand times those of the others, most are near to it.
BAND_ENTRIES_MAX = 10_000_000
#: The band is so wide, beside the rows of a pass over the data, that a solve costs about as much as a pass.
ROWS_PER_BAND_ROW, BAND_RADIUS_MAX = 10, 5000
#: Above so many rows, the first point is the solution for a sample of one row in `SAMPLE_STEP`, to this
#: tolerance.
SAMPLED_ROWS_MIN, SAMPLE_STEP, SAMPLE_TOL = 20_000, 8, 1e-3
#: At least so many rows of a class are in the sample, if it has so many.
SAMPLE_CLASS_MIN = 1000


class DepthModel(HingeQuadratic):
    """The quadratic pieces of the hinges, and the bound t >= T of the negatives' three groups.

    Parameters
    ----------
    problem : TopRanking
        At a depth above 1.
    rows_per_step : int
        Least width of the band.
    clock : Monitor
        The clock, with the best objective and the best bound.
    """

    def __init__(self, problem: TopRanking, rows_per_step: int, clock: Monitor) -> None:
        super().__init__(problem, clock)
        n = problem.negatives.shape[0]
        # wide enough that a solve of the band costs about as much as a pass over the rows
        affordable = (n + problem.positives.shape[0]) // (ROWS_PER_BAND_ROW * problem.n_features)
        self.band = Band(n, problem.depth, max(rows_per_step // 2, min(affordable, BAND_RADIUS_MAX)))
        self._weights, self._cap = np.empty(0), 0.0
        self._last_bound, self._inexactness = -1.0, INEXACTNESS
        self._best_gap, self._n_idle = np.inf, 0  # n_idle stays at its largest value
        self._rows, self._sum_above = None, None  # (z_j, −1) of the band, and their sum over A

    def solve_separation(self) -> np.ndarray:
        """Return the ridge regression that separates all positives from the mean of the negatives.

        Returns
        -------
        ndarray of shape (d,)
        """
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
        gap = self._clock.objective - (self._clock.bound or 0.0)
        is_idle = gap > GAP_RATIO_MAX * self._best_gap
        if self._n_idle < IDLE_STEPS_MAX:
            self._n_idle = self._n_idle + 1 if is_idle else 0
        elif is_idle and self.band.half_width * self._problem.n_features < BAND_ENTRIES_MAX:
            self.band.widen()
        self._best_gap = min(gap, self._best_gap)
        self._last_scores, self._can_drop = scores, can_drop and self._n_idle < IDLE_STEPS_MAX

    def _read_rows(self) -> None:
        """Read the rows of the band and the sum of those of A."""
        rows = self.band.read_rows(self._problem.negatives, self.scaled)
        self._rows, self._sum_above = (
            np.full((len(rows), rows.shape[1] + 1), -1.0),
            np.empty(rows.shape[1] + 1),
        )
        self._rows[:, :-1] = rows
        self._sum_above[:-1], self._sum_above[-1] = (
            self.band.sum_above(self._fast_rows[1], self.scaled),
            -np.count_nonzero(self.band.is_above),
        )

    def minimise(self) -> np.ndarray:
        """Return the w of the minimum.

        Returns
        -------
        ndarray of shape (d,)
        """
        if self._factor is None:
            self._factorise()
        if self._rows is None:
            self._read_rows()
        self._clock.require_budget(TRIANGULAR_SOLVE_COST * self._rows.size * self._rows.shape[1])
        # With the quadratic LL' and y = L'(u, t), the model is min ½‖y‖² − target'y, and a row z becomes
        # L⁻¹z.
        columns = dtrtrs(self._factor, self._rows.T, lower=1)[0].T
        sum_above = dtrtrs(self._factor, self._sum_above, lower=1)[0]
        solution = minimise_top_quadratic(
            self._target,
            columns,
            self.band.counts,
            sum_above,
            self.band.n_free,
            self._choose_tol(),
            self._clock,
        )
        self._weights, self._cap = self.band.spread(solution.weights), solution.cap
        self.band.count_idle(self._weights, self._cap)
        return self._carry_back(solution.y)

    def _choose_tol(self) -> float:
        """Return the accuracy of a model: that of the bounds at hand allows no use of a better one."""
        monitor = self._clock
        bound = monitor.bound or 0.0
        if bound <= self._last_bound:  # of no use so far
            self._inexactness *= INEXACTNESS
        self._last_bound = bound
        gap = (monitor.objective - bound) / monitor.objective
        return float(np.clip(self._inexactness * gap**2, RELATIVE_TOL, INEXACTNESS_MAX))

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

        Returns
        -------
        float
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
    # The same share of the negatives as in the whole problem.
    depth = max(problem.depth * parts[1].shape[0] / sizes[1], 1.0)
    sample = replace(problem, positives=parts[0], negatives=parts[1], depth=depth)
    w = solve(sample, tol=SAMPLE_TOL, time_limit=clock.seconds_left).w
    return w if w.any() else None
