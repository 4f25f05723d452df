"""Exact top ranking: row generation on the negatives, semismooth Newton on the positives, a dual bound.

With t = max_j w'x_j⁻ as a variable, K15 eq. (11) is a piecewise quadratic in (w, t) under the constraints
x_j⁻'w ≤ t. At most d + 1 of these bind at the optimum, so a small set J of negatives is enough once it is
found. Each step

1. models the squared hinge of the positives by its quadratic piece at the present point,
2. minimises that model subject to the rows of J exactly (its dual is a non-negative least-squares problem),
3. scores all rows once, which gives the true objective, a dual bound and the negatives that the model missed,
4. moves to the best point of the segment, drops from J what had no weight in the last models, and adds the
   highest negatives.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtrs
from scipy.optimize import brentq

from toprank.clock import CHOLESKY_COST, TRIANGULAR_SOLVE_COST, OutOfTime
from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.least_squares import NonNegativeLeastSquares, normalise_columns
from toprank.problems.two_classes import normalise_dual_weights
from toprank.problems.zero_solution import compute_mean_row
from toprank.solvers.monitor import Monitor
from toprank.solvers.quadratic import factorise_with_jitter
from toprank.solvers.scaling import Scaling
from toprank.solvers.sparse_rows import make_fast_rows

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, StepCallback

IDLE_MODELS_MAX = 2  # models in which a negative of J may be without weight
DROPPING_ITERATIONS_MAX = 30  # steps after which J only grows, so that it cannot run in circles
STEP_MIN = 1e-3  # a smaller step is not worth looking for while J still grows


@njit_cached(fastmath=REORDERING_FLAGS)
def _sum_hinge_slopes(step: float, p: np.ndarray, q: np.ndarray, dp: np.ndarray, dq: np.ndarray) -> float:
    """Highest negative on a segment, and the sum of (hinge) (its rise − rise of the positive) there."""
    highest, top_index = q[0] + step * dq[0], 0
    for j in range(1, q.size):
        score = q[j] + step * dq[j]
        if score > highest:
            highest, top_index = score, j
    weighted_rise, rise = 0.0, dq[top_index]
    for i in range(p.size):
        hinge = 1.0 + highest - p[i] - step * dp[i]
        if hinge > 0.0:
            weighted_rise += hinge * (rise - dp[i])
    return weighted_rise


def _search_step(
    problem: TopRanking,
    w: np.ndarray,
    scores: tuple[np.ndarray, np.ndarray],
    new_w: np.ndarray,
    new_scores: tuple[np.ndarray, np.ndarray],
    min_step: float = 0.0,
) -> float:
    """Minimise the objective on the segment from w to new_w; returns the step in [0, 1].

    The scores are linear in the step, so a trial costs a few vector operations and no pass over the data. The
    derivative is monotone (F is convex): its root to 1 % is enough for a Newton method, and a full step
    that still descends is taken at once.
    """
    (p, q), dw = scores, new_w - w
    ridge_slope, ridge_curvature = problem.alpha * (w @ dw), problem.alpha * (dw @ dw)
    dp, dq = new_scores[0] - p, new_scores[1] - q

    def compute_slope(length: float) -> float:
        """Return the derivative of the objective at a step of this length.

        Parameters
        ----------
        length : float

        Returns
        -------
        float
        """
        return ridge_slope + length * ridge_curvature + 2.0 / p.size * _sum_hinge_slopes(length, p, q, dp, dq)

    if compute_slope(1.0) <= 0.0:
        return 1.0
    if compute_slope(min_step) >= 0.0:
        return 0.0
    return brentq(compute_slope, 0.0, 1.0, xtol=1e-9, rtol=1e-2)


class _Model:
    """Quadratic pieces of the hinges of all positives, and the constraints of some negatives, J.

    In the scaled features u and the highest score t it is ½ u'diag(ridge)u + (1/m) Σ_active (1 + t − z_i'u)²,
    subject to z_j'u <= t. With the Cholesky factor L of the quadratic, its dual is a non-negative
    least-squares problem. The columns of the latter, L⁻¹(z_j, −1), stay for as long as L does.
    """

    def __init__(self, problem: TopRanking, rows_per_step: int, clock: Clock) -> None:
        self._problem, self._rows_per_step, self._clock = problem, rows_per_step, clock
        self.scaled = Scaling.from_rows(problem.positives, problem.negatives)
        d = problem.n_features
        self._ridge = problem.alpha / self.scaled.scale**2
        self._fast_rows = make_fast_rows(problem.positives), make_fast_rows(problem.negatives)
        self._active = np.zeros(problem.positives.shape[0], dtype=bool)
        self._gram, self._total, self._count = np.zeros((d, d)), np.zeros(d), 0
        self._in_model = np.zeros(problem.negatives.shape[0], dtype=bool)
        self.index = np.empty(0, dtype=np.intp)  # of J
        self._rows, self._weights = np.empty((0, d + 1)), np.empty(0)  # (z_j, −1)
        self._idle = np.empty(0, dtype=np.intp)  # the last models in a row without weight for a negative
        # L, L⁻¹ times the linear terms, and the columns of the first negatives of J at length one
        self._factor, self._dual, self._target = None, None, None
        self._columns, self._lengths = np.empty((0, d + 1)), np.empty(0)

    def _add_to_gram(self, selected: np.ndarray, sign: float) -> None:
        for start in range(0, selected.size, 1024):  # bounds the dense copy of sparse rows
            self._clock.require_budget(2.0 * (selected.size - start) * self._gram.size)
            rows = self.scaled.take(self._problem.positives, selected[start : start + 1024])
            self._gram += sign * (rows.T @ rows)
            self._total += sign * rows.sum(axis=0)
        self._count += int(sign) * selected.size

    def set_active_hinges(self, active: np.ndarray) -> None:
        """Model the hinges of the boolean mask by their quadratic, the others by 0.

        Parameters
        ----------
        active : ndarray of bool of shape (m,)
        """
        changed = np.flatnonzero(active != self._active)
        if not changed.size:
            return
        # an update costs a pass over the changed rows, a new sum one over the active rows
        if changed.size > np.count_nonzero(active):
            self._gram[:], self._total[:], self._count = 0.0, 0.0, 0
            self._add_to_gram(np.flatnonzero(active), 1.0)
        else:
            self._add_to_gram(changed[active[changed]], 1.0)
            self._add_to_gram(changed[~active[changed]], -1.0)
        self._active, self._factor = active, None

    def _factorise(self) -> None:
        """Factor the quadratic of the model in (u, t), and state its dual anew."""
        d, m = self._total.size, self._active.size
        self._clock.require_budget(CHOLESKY_COST * d**3 / 3.0)
        H = np.empty((d + 1, d + 1))
        H[:d, :d] = (2.0 / m) * self._gram
        H[np.arange(d), np.arange(d)] += self._ridge
        H[:d, d] = H[d, :d] = -(2.0 / m) * self._total
        H[d, d] = (2.0 / m) * self._count
        # a jitter far below the arithmetic's own error keeps the factorisation alive where the ridge is
        # negligible
        self._factor = factorise_with_jitter(H, partial(cholesky, lower=True, check_finite=False), 1e-14)
        linear = np.append((2.0 / m) * self._total, -(2.0 / m) * self._count)
        self._target, _ = dtrtrs(self._factor, linear, lower=1)
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

    def scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of the positives (m,) and of the negatives (n,).

        Parameters
        ----------
        w : ndarray of shape (d,)
        """
        return tuple(rows @ w for rows in self._fast_rows)

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
    model = _Model(problem, rows_per_step or max(min(max(4 * d, 80), 400), d), monitor)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]

    # w = 0 has objective 1 and every hinge active
    w, scores = np.zeros(d), (np.zeros(m), np.zeros(n))
    monitor.update_best(w, 1.0)
    monitor.update_lower_bound(0.0)
    try:
        start = model.solve_separation() if start is None else start
    except OutOfTime:
        monitor.status = "time_limit"
        return monitor.solution()
    start_scores = model.scores(start)
    model.add_highest(start_scores[1])
    monitor.update_best(start, problem.objective(start, start_scores))
    if monitor.w is start:
        w, scores = start, start_scores

    for step_number in monitor.iterations():
        model.add_negatives(np.array([scores[1].argmax()]))
        active = 1.0 + scores[1].max() - scores[0] > 0.0
        # without an active hinge the model has no curvature in t, and no factorisation
        if not active.any():
            active[:] = True
        try:
            model.set_active_hinges(active)
            new_w = model.minimise()
        except OutOfTime:
            monitor.status = "time_limit"
            break
        new_scores = model.scores(new_w)
        # t of the model: its highest negative, which bounds nothing outside J
        model_top = new_scores[1][model.index].max()
        monitor.update_best(new_w, problem.objective(new_w, new_scores))

        hinge = np.maximum(1.0 + model_top - new_scores[0], 0.0)
        if monitor.update(monitor.w, monitor.objective, model.lower_bound(hinge)):
            break

        if step_number < DROPPING_ITERATIONS_MAX:
            model.drop_idle()
        model.add_highest(new_scores[1])
        # if a negative outside J is higher, the next model differs: a coarse line search is enough
        model_grows = new_scores[1].max() > model_top
        step = _search_step(problem, w, scores, new_w, new_scores, STEP_MIN if model_grows else 0.0)
        if step == 1.0:
            w, scores = new_w, new_scores
        else:
            w = w + step * (new_w - w)
            scores = tuple(old + step * (new - old) for old, new in zip(scores, new_scores, strict=True))
            monitor.update_best(w, problem.objective(w, scores))
    return monitor.solution(objective=problem.objective(monitor.w))
