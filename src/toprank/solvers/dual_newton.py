"""Exact ranking at the top under a ridge, for sparse and for wide data: proximal steps of the dual.

With weights a of the positives and b of the negatives, w = (X⁺'a − X⁻'b) / α. A proximal step keeps (a, b)
near to the last ones, at a distance weighted by 1/σ; in w it minimises a smooth function, an augmented
Lagrangian of the problem (Rockafellar 1976). A semismooth Newton method does that, and only the weights that
are neither 0 nor at a cap are in its equations (Li, Sun and Toh 2018). So a step takes a few products with
the rows, which stay sparse, and one system as large as there are free weights; no d x d and no n x n matrix
is made. Each iterate has feasible dual weights, whose bound is the certificate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from toprank.clock import OutOfTime
from toprank.problems.top import TopRanking
from toprank.solvers.dual_projection import DualProjection
from toprank.solvers.free_weights import FreeSet, NewtonEquations, StackedRows
from toprank.solvers.monitor import Monitor

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking
    from toprank.solvers.dual_projection import DualWeights
    from toprank.solvers.monitor import Solution, StepCallback

#: σ grows by this factor after a proximal step of few Newton steps, stays after more, and falls after many.
GROWTH, FEW_STEPS, MANY_STEPS = 2.0, 3, 6
#: A proximal step ends at this error, relative to how far it moved the weights, or, at the least, to the
#: objective.
INNER_RTOL, INNER_OBJECTIVE_RTOL = 0.1, 1e-17
#: A full step is taken unless the objective rises at its end by this share of the first descent.
SLOPE_SHARE = 0.1
#: Accuracy of the other steps.
STEP_MIN, STEP_RTOL = 1e-9, 1e-2


class _ProximalDual:
    """The augmented Lagrangian at the present σ and centre, as a function of w and of its signed scores."""

    def __init__(self, problem: TopRanking | PushRanking) -> None:
        self.problem, self.rows = problem, StackedRows(problem.positives, problem.negatives)
        m, n = self.rows.m, self.rows.n
        is_squared = isinstance(problem, TopRanking)
        self.curvature, self.upper = (0.5 * m, np.inf) if is_squared else (0.0, 1.0 / m)
        self.project = DualProjection(self.curvature, self.upper, problem.depth)
        self._margins = np.repeat([1.0, 0.0], [m, n])
        mean_square = self.rows.squares.mean()
        # In units of the inverse curvature of the dual along one weight, ‖x_i‖²/α.
        self.sigma = problem.alpha / mean_square if mean_square > 0.0 else 1.0
        # the best multiple of equal weights
        equal = np.repeat([1.0 / m, 1.0 / n], [m, n])
        difference = self.rows.sum(equal)
        slope = difference @ difference / problem.alpha + self.curvature / m
        self.centre = min(1.0 / slope if slope > 0.0 else 1.0, m * self.upper) * equal

    def project_at(self, scores: np.ndarray) -> DualWeights:
        """Return the weights of the proximal step at some scores."""
        points = self.centre + self.sigma * (self._margins - scores)
        return self.project(points[: self.rows.m], points[self.rows.m :], self.sigma)

    def compute_move(self, weights: DualWeights) -> float:
        """Return how far weights are from the centre: the proximal term."""
        change = weights.all_weights - self.centre
        return 0.5 / self.sigma * float(change @ change)

    def compute_direction(self, weights: DualWeights, residual: np.ndarray, clock: Clock) -> np.ndarray:
        """Return the Newton direction of w."""
        free = FreeSet.from_weights(weights, self.upper, self.problem.depth)
        share = self.project.compute_share(self.sigma)
        return NewtonEquations(self.problem, self.rows, free, share, self.sigma).compute_direction(
            residual, clock
        )

    def compute_objective(self, w: np.ndarray, scores: np.ndarray) -> float:
        """Return the objective of the problem at w."""
        return self.problem.objective(w, (scores[: self.rows.m], -scores[self.rows.m :]))

    def scale_to_margin(self, w: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, float]:
        """Return w so long that no hinge is active, and its objective; w itself if it does not separate.

        At a small alpha the classes are separated with a margin of nearly 1, and what is missing, a rounding
        error, may be more than a relative gap allows.
        """
        positives, negatives = scores[: self.rows.m], -scores[self.rows.m :]
        margin = positives.min() - self.problem.compute_top(negatives)
        scale = 1.0 / margin if 0.0 < margin < 1.0 else 1.0
        return scale * w, self.problem.objective(scale * w, (scale * positives, scale * negatives))


def solve(
    problem: TopRanking | PushRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    rows_per_step: int | None = None,
) -> Solution:
    """Minimise `TopRanking`, or `PushRanking` under the ridge, to a certified relative gap.

    Parameters
    ----------
    problem : TopRanking or PushRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Newton steps.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    rows_per_step : int, optional
        Ignored: all rows are in each step.

    Returns
    -------
    Solution
    """
    monitor = Monitor("exact", tol, max_iter, time_limit, callback)
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    monitor.update_lower_bound(0.0)
    dual = _ProximalDual(problem)
    w = dual.rows.sum(dual.centre) / problem.alpha if start is None else start
    scores, n_steps = dual.rows.score(w), 0
    monitor.update_best(w, dual.compute_objective(w, scores))
    weights = dual.project_at(scores)
    row_sum = dual.rows.sum(weights.all_weights)
    for _ in monitor.iterations():
        residual = problem.alpha * w - row_sum
        try:
            direction = dual.compute_direction(weights, residual, monitor)
        except OutOfTime:
            monitor.status = "time_limit"
            break
        n_steps += 1
        w, scores, weights = _search_step(dual, w, scores, direction)
        row_sum = dual.rows.sum(weights.all_weights)
        # ‖∇‖²/(2α) bounds how far the α-strongly convex augmented Lagrangian lies above its minimum.
        error = float(np.square(problem.alpha * w - row_sum).sum()) / (2.0 * problem.alpha)
        limit = max(INNER_RTOL * dual.compute_move(weights), INNER_OBJECTIVE_RTOL * monitor.objective)
        objective, is_done = dual.compute_objective(w, scores), error <= limit
        if is_done:
            # the weights are the next centre, and their w the next point
            dual.centre, w = weights.all_weights, row_sum / problem.alpha
            scores = dual.rows.score(w)
            objective = dual.compute_objective(w, scores)
        monitor.update_best(*dual.scale_to_margin(w, scores))
        if monitor.update(w, objective, problem.lower_bound(weights.a, weights.b)):
            break
        if is_done:
            dual.sigma, n_steps = dual.sigma * _choose_growth(n_steps), 0
            weights = dual.project_at(scores)
            row_sum = dual.rows.sum(weights.all_weights)
    return monitor.solution(objective=problem.objective(monitor.w))


def _choose_growth(n_steps: int) -> float:
    """Return the factor of σ after a proximal step of so many Newton steps."""
    if n_steps <= 1:
        return GROWTH**2
    if n_steps <= FEW_STEPS:
        return GROWTH
    return 1.0 if n_steps <= MANY_STEPS else 1.0 / GROWTH


def _search_step(
    dual: _ProximalDual, w: np.ndarray, scores: np.ndarray, direction: np.ndarray
) -> tuple[np.ndarray, np.ndarray, DualWeights]:
    """Minimise along a direction, up to the full step; returns w, its scores and its weights.

    The scores are linear in the step, so a trial needs no product with the rows. The derivative grows along
    the way, and keeps its digits where differences of values have none.
    """
    changes, alpha = dual.rows.score(direction), dual.problem.alpha
    slope, curvature = alpha * (w @ direction), alpha * (direction @ direction)

    def compute_slope(length: float) -> float:
        """Return the derivative at a step of this length.

        Parameters
        ----------
        length : float

        Returns
        -------
        float
        """
        weights = dual.project_at(scores + length * changes)
        return float(slope + length * curvature - weights.all_weights @ changes)

    length, first = 1.0, compute_slope(0.0)
    # The slope rises along a convex function: its root is the minimum of the segment.
    if first < 0.0 and compute_slope(1.0) > SLOPE_SHARE * -first:
        length = brentq(compute_slope, 0.0, 1.0, xtol=STEP_MIN, rtol=STEP_RTOL)
    new_scores = scores + length * changes
    return w + length * direction, new_scores, dual.project_at(new_scores)
