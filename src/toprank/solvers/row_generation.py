"""Exact top ranking: row generation on the negatives, semismooth Newton on the positives, a dual bound.

With t = max_j w'x_j⁻ as a variable, K15 eq. (11) is a piecewise quadratic in (w, t) under the constraints
x_j⁻'w ≤ t. At most d + 1 of these bind at the optimum, so a small set J of negatives is enough once it is
found. At depth K > 1, t is the mean of the K highest; `toprank.solvers.top_depth_model` is its model. Each
step

1. models the squared hinge of the positives by its quadratic piece at the present point,
2. minimises that model subject to the rows of J exactly (its dual is a non-negative least-squares problem),
3. scores all rows once, which gives the true objective, a dual bound and the negatives that the model missed,
4. moves to the best point of the segment, drops from J what had no weight in the last models, and adds the
   highest negatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dtrtrs

from toprank.clock import TRIANGULAR_SOLVE_COST, OutOfTime
from toprank.least_squares import NonNegativeLeastSquares, normalise_columns
from toprank.problems.two_classes import normalise_dual_weights
from toprank.problems.zero_solution import compute_mean_row
from toprank.solvers.hinge_quadratic import HingeQuadratic
from toprank.solvers.monitor import Monitor
from toprank.solvers.top_depth_model import DepthModel, solve_sample
from toprank.solvers.top_line_search import search_step

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: What the estimators load beside this solver, for the digest of a fit's code.
ESTIMATOR_TOOLS = (
    "toprank.solvers.smallest_depth",
    "toprank.solvers.alpha_max",
    "toprank.solvers.push_exact",
    "toprank.solvers.dual_newton",
)
IDLE_MODELS_MAX = 2  # models in which a negative of J may be without weight
DROPPING_ITERATIONS_MAX = 30  # steps after which J only grows, so that it cannot run in circles
TOP_ROUNDING = 1e-12  # two means of the same scores differ by less, relative to the largest
IDLE_STEPS_MAX = 20  # steps in a row that change neither point nor bound: rounding allows no more
STEP_MIN = 1e-3  # a smaller step is not worth looking for while J still grows


class _RowModel(HingeQuadratic):
    """The quadratic pieces of the hinges, and the constraints z_j'u <= t of some negatives, J.

    The dual is a non-negative least-squares problem with the columns L⁻¹(z_j, −1), which stay for as long as
    the factor L does.
    """

    def __init__(self, problem: TopRanking, rows_per_step: int, clock: Clock) -> None:
        super().__init__(problem, clock)
        self._rows_per_step, d = rows_per_step, problem.n_features
        self._in_model = np.zeros(problem.negatives.shape[0], dtype=bool)
        self.index = np.empty(0, dtype=np.intp)  # of J
        self._rows, self._weights = np.empty((0, d + 1)), np.empty(0)  # (z_j, −1)
        self._idle = np.empty(0, dtype=np.intp)  # the last models in a row without weight for a negative
        # the columns of the first negatives of J at length one
        self._dual, self._columns, self._lengths = None, np.empty((0, d + 1)), np.empty(0)

    def _factorise(self) -> None:
        """Factor the quadratic of the model in (u, t), and state its dual anew."""
        super()._factorise()
        self._reset_dual()

    def _reset_dual(self) -> None:
        self._dual = NonNegativeLeastSquares(self._target)
        self._columns, self._lengths = self._columns[:0], self._lengths[:0]

    def minimise(self) -> np.ndarray:
        """Return the w of the minimum."""
        if self._factor is None:
            self._factorise()
        new_rows = self._rows[len(self._columns) :]
        if len(new_rows):
            self._clock.require_budget(TRIANGULAR_SOLVE_COST * new_rows.size * new_rows.shape[1])
            columns = dtrtrs(self._factor, new_rows.T, lower=1)[0].T
            self._lengths = np.append(self._lengths, normalise_columns(columns))
            self._columns = np.vstack([self._columns, columns])
        x = self._dual.solve(self._columns, self._weights * self._lengths, self._clock)
        self._weights = x / self._lengths
        point, _ = dtrtrs(self._factor, self._target - x @ self._columns, lower=1, trans=1)
        return point[:-1] / self.scaled.scale

    def solve_separation(self) -> np.ndarray:
        """Return the ridge regression that separates all positives from the mean of the negatives."""
        self.set_active_hinges(np.ones(self._active.size, dtype=bool))
        mean = compute_mean_row(self._problem.negatives)
        self._rows, self._weights = np.append(self.scaled(mean[None]), [[-1.0]], axis=1), np.zeros(1)
        w = self.minimise()
        self._rows, self._weights = self._rows[:0], self._weights[:0]
        self._reset_dual()
        return w

    def prepare(self, scores: np.ndarray) -> None:
        """Add the highest negative at the point where the next model is made.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        """
        self.add_negatives(np.array([scores.argmax()]))

    def compute_top(self, scores: np.ndarray) -> float:
        """Return t of the model: its highest negative, which bounds nothing outside J.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores at the minimum of the model.

        Returns
        -------
        float
        """
        return scores[self.index].max()

    def update_rows(self, scores: np.ndarray, can_drop: bool) -> None:
        """Drop the negatives without weight, and add the highest ones.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores at the minimum of the model.
        can_drop : bool
        """
        if can_drop:
            self.drop_idle()
        self.add_highest(scores)

    def add_negatives(self, candidates: np.ndarray) -> None:
        """Add the negatives that are not there yet.

        Parameters
        ----------
        candidates : ndarray of int
        """
        new_negatives = candidates[~self._in_model[candidates]]
        if new_negatives.size:
            self._in_model[new_negatives] = True
            self.index = np.append(self.index, new_negatives)
            rows = np.full((new_negatives.size, self._rows.shape[1]), -1.0)
            rows[:, :-1] = self.scaled.take(self._problem.negatives, new_negatives)
            self._rows = np.vstack([self._rows, rows])
            self._weights = np.append(self._weights, np.zeros(new_negatives.size))
            self._idle = np.append(self._idle, np.zeros(new_negatives.size, dtype=np.intp))

    def add_highest(self, scores: np.ndarray) -> None:
        """Add the highest of all negatives.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        """
        is_subset = self._rows_per_step < scores.size
        self.add_negatives(
            np.argpartition(scores, -self._rows_per_step)[-self._rows_per_step :]
            if is_subset
            else np.arange(scores.size)
        )

    def drop_idle(self) -> None:
        """Forget negatives without weight in the last models once they are most of J; they can come back."""
        self._idle = np.where(self._weights > 0.0, 0, self._idle + 1)
        is_kept = self._idle < IDLE_MODELS_MAX
        if 2 * np.count_nonzero(is_kept) < is_kept.size:
            self._in_model[self.index[~is_kept]] = False
            self._dual.retain_columns(is_kept)
            self.index, self._idle, self._weights = (
                self.index[is_kept],
                self._idle[is_kept],
                self._weights[is_kept],
            )
            self._rows, self._columns = self._rows[is_kept], self._columns[is_kept]
            self._lengths = self._lengths[is_kept]

    def lower_bound(self, hinge: np.ndarray) -> float:
        """Return the bound from weights of the positives and of J, with no pass over the other negatives.

        Parameters
        ----------
        hinge : ndarray of shape (m,)
        """
        weights = normalise_dual_weights(hinge, self._weights)
        if weights is None:
            return 0.0
        a, b = weights
        direction = self._fast_rows[0].T @ a - self.scaled.shift - self.scaled.scale * (b @ self._rows)[:-1]
        return self._problem.lower_bound(a, b, direction)


def solve(
    problem: TopRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    rows_per_step: int | None = None,
) -> Solution:
    """Minimise `TopRanking` to a certified relative gap.

    Parameters
    ----------
    problem : TopRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Newton steps.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    rows_per_step : int, optional
        How many of the highest negatives are in J after a step; by default 4 d, at least 80, and at most 400
        or d.

    Returns
    -------
    Solution
    """
    monitor = Monitor("exact", tol, max_iter, time_limit, callback)
    d = problem.n_features
    rows_per_step = rows_per_step or max(min(max(4 * d, 80), 400), d)
    model = (_RowModel if problem.depth == 1 else DepthModel)(problem, rows_per_step, monitor)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]

    # w = 0 has objective 1 and every hinge active
    w, scores = np.zeros(d), (np.zeros(m), np.zeros(n))
    monitor.update_best(w, 1.0)
    monitor.update_lower_bound(0.0)
    try:
        if start is None and problem.depth > 1:
            start = solve_sample(problem, solve, monitor)
        start = model.solve_separation() if start is None else start
    except OutOfTime:
        monitor.status = "time_limit"
        return monitor.solution()
    start_scores = model.scores(start)
    model.update_rows(start_scores[1], can_drop=False)
    monitor.update_best(start, problem.objective(start, start_scores))
    if monitor.w is start:
        w, scores = start, start_scores

    n_idle, last_bound = 0, 0.0
    for step_number in monitor.iterations():
        model.prepare(scores[1])
        active = 1.0 + problem.compute_top(scores[1]) - scores[0] > 0.0
        # without an active hinge the model has no curvature in t, and no factorisation
        is_active_any = active.any()
        if not is_active_any:
            active[:] = True
        try:
            model.set_active_hinges(active)
            new_w = model.minimise()
        except OutOfTime:
            monitor.status = "time_limit"
            break
        new_scores = model.scores(new_w)
        model_top = model.compute_top(new_scores[1])
        monitor.update_best(new_w, problem.objective(new_w, new_scores))

        hinge = np.maximum(1.0 + model_top - new_scores[0], 0.0)
        if monitor.update(monitor.w, monitor.objective, model.lower_bound(hinge)):
            break

        model.update_rows(new_scores[1], can_drop=step_number < DROPPING_ITERATIONS_MAX)
        # if a negative outside J is higher, the next model differs: a coarse line search is enough
        # (at depth 1 both are the same entry; deeper, means of the same entries in another order)
        rounding = TOP_ROUNDING * np.abs(new_scores[1]).max() if problem.depth > 1 else 0.0
        model_grows = problem.compute_top(new_scores[1]) - model_top > rounding
        step = search_step(problem, w, scores, new_w, new_scores, STEP_MIN if model_grows else 0.0)
        if step == 0.0 and not is_active_any:
            # of the objective at w only the ridge is left, which falls towards 0 until a hinge is active
            new_w, new_scores = np.zeros(d), (np.zeros(m), np.zeros(n))
            step = search_step(problem, w, scores, new_w, new_scores)
        # the same model again and again, unless it still grows
        is_idle = step == 0.0 and not model_grows and monitor.bound <= last_bound
        n_idle, last_bound = n_idle + 1 if is_idle else 0, monitor.bound
        if n_idle == IDLE_STEPS_MAX:
            monitor.status = "stalled"
            break
        if step == 1.0:
            w, scores = new_w, new_scores
        else:
            w = w + step * (new_w - w)
            scores = tuple(old + step * (new - old) for old, new in zip(scores, new_scores, strict=True))
            monitor.update_best(w, problem.objective(w, scores))
    return monitor.solution(objective=problem.objective(monitor.w))
