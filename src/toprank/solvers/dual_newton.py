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

from toprank.clock import OutOfTime
from toprank.problems.top import TopRanking
from toprank.solvers.dual_projection import DualProjection, DualWeights
from toprank.solvers.free_weights import FreeWeights, compute_squared_lengths
from toprank.solvers.monitor import Monitor
from toprank.solvers.sparse_rows import make_fast_rows

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: σ grows by this factor after a proximal step of few Newton steps, stays after more, and falls after many.
GROWTH, FEW_STEPS, MANY_STEPS = 2.0, 3, 6
#: A proximal step ends at this error, relative to how far it moved the weights, or, at the least, to the
#: objective.
INNER_RTOL, INNER_OBJECTIVE_RTOL = 0.1, 1e-17
#: Share of the predicted decrease that a step must reach, and the shortest step.
ARMIJO_FRACTION, STEP_MIN = 1e-4, 1e-6
#: Rounding of the augmented Lagrangian, relative.
ROUNDING_RTOL = 1e-15


class _ProximalDual:
    """The augmented Lagrangian at the present σ and weights, as a function of w."""

    def __init__(self, problem: TopRanking | PushRanking) -> None:
        self.problem = problem
        self.rows = make_fast_rows(problem.positives), make_fast_rows(problem.negatives)
        m, n = problem.positives.shape[0], problem.negatives.shape[0]
        is_squared = isinstance(problem, TopRanking)
        self.curvature, self.upper = (0.5 * m, np.inf) if is_squared else (0.0, 1.0 / m)
        self.project = DualProjection(self.curvature, self.upper, problem.depth)
        self.lengths = compute_squared_lengths(problem.positives), compute_squared_lengths(problem.negatives)
        mean_square = sum(part.sum() for part in self.lengths) / (m + n)
        self.sigma = problem.alpha / mean_square if mean_square > 0.0 else 1.0
        self.centre = DualWeights(np.full(m, 1.0 / m), np.full(n, 1.0 / n), np.inf)
        # the best multiple of equal weights
        squares = self.compute_direction(self.centre)
        slope = squares @ squares / problem.alpha + self.curvature / m
        total = min(1.0 / slope if slope > 0.0 else 1.0, m * self.upper)
        self.centre.a *= total
        self.centre.b *= total

    def compute_direction(self, weights: DualWeights) -> np.ndarray:
        """Return X⁺'a − X⁻'b, of shape (d,)."""
        return self.rows[0].T @ weights.a - self.rows[1].T @ weights.b

    def score(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of positives and negatives."""
        return self.rows[0] @ w, self.rows[1] @ w

    def project_at(self, scores: tuple[np.ndarray, np.ndarray]) -> DualWeights:
        """Return the weights of the proximal step at some scores."""
        p, q = scores
        return self.project(
            self.centre.a + self.sigma * (1.0 - p), self.centre.b + self.sigma * q, self.sigma
        )

    def compute_move(self, weights: DualWeights) -> float:
        """Return how far weights are from the centre: the proximal term."""
        changes = weights.a - self.centre.a, weights.b - self.centre.b
        return 0.5 / self.sigma * sum(float(change @ change) for change in changes)

    def evaluate(self, w: np.ndarray, scores: tuple[np.ndarray, np.ndarray], weights: DualWeights) -> float:
        """Return the augmented Lagrangian at w, whose weights are those of `project_at`."""
        a, b = weights.a, weights.b
        value = 0.5 * self.problem.alpha * (w @ w) - a @ scores[0] + b @ scores[1]
        return float(value + a.sum() - 0.5 * self.curvature * (a @ a)) - self.compute_move(weights)


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
    w = dual.compute_direction(dual.centre) / problem.alpha if start is None else start
    scores = dual.score(w)
    monitor.update_best(w, problem.objective(w, scores))
    weights = dual.project_at(scores)
    value, n_steps = dual.evaluate(w, scores, weights), 0
    for _ in monitor.iterations():
        residual = problem.alpha * w - dual.compute_direction(weights)
        try:
            direction = FreeWeights(problem, weights, dual.upper, dual.lengths).compute_direction(
                residual, 1.0 / (1.0 + dual.sigma * dual.curvature), dual.sigma, monitor
            )
        except OutOfTime:
            monitor.status = "time_limit"
            break
        n_steps += 1
        w, scores, weights, value = _search_step(
            dual, w, scores, value, direction, float(residual @ direction)
        )
        bound = problem.lower_bound(weights.a, weights.b)
        if monitor.update(w, problem.objective(w, scores), bound):
            break
        change = dual.compute_direction(weights)
        error = float(np.square(problem.alpha * w - change).sum()) / (2.0 * problem.alpha)
        if error > max(INNER_RTOL * dual.compute_move(weights), INNER_OBJECTIVE_RTOL * monitor.objective):
            continue
        # the proximal step is done: its weights are the next centre
        w = change / problem.alpha
        scores = dual.score(w)
        if monitor.update(w, problem.objective(w, scores)):
            break
        dual.centre = weights
        dual.sigma *= _choose_growth(n_steps)
        weights = dual.project_at(scores)
        value, n_steps = dual.evaluate(w, scores, weights), 0
    return monitor.solution(objective=problem.objective(monitor.w))


def _choose_growth(n_steps: int) -> float:
    """Return the factor of σ after a proximal step of so many Newton steps."""
    if n_steps <= 1:
        return GROWTH**2
    if n_steps <= FEW_STEPS:
        return GROWTH
    return 1.0 if n_steps <= MANY_STEPS else 1.0 / GROWTH


def _search_step(
    dual: _ProximalDual,
    w: np.ndarray,
    scores: tuple[np.ndarray, np.ndarray],
    value: float,
    direction: np.ndarray,
    slope: float,
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], DualWeights, float]:
    """Backtrack along a direction; the scores are linear in the step, so a trial needs no product."""
    changes, step = dual.score(direction), 1.0
    while True:
        new_w = w + step * direction
        new_scores = scores[0] + step * changes[0], scores[1] + step * changes[1]
        weights = dual.project_at(new_scores)
        new_value = dual.evaluate(new_w, new_scores, weights)
        limit = value + ARMIJO_FRACTION * step * slope + ROUNDING_RTOL * abs(value)
        if new_value <= limit or step < STEP_MIN:
            return new_w, new_scores, weights, new_value
        step *= 0.5
