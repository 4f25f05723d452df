"""Nonconvex penalties by a sequence of weighted l1 problems (L14's Algorithm 2).

A concave g lies below its tangents. With β_j = g'(|w_j|) the weighted l1 problem majorises the objective and
touches it at w, so no step increases the objective (L14 eq. 13). The steps shrink only by a constant factor.
So near a stationary point Newton's method finds the last digits, on the nonzero weights, where the objective
is smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from toprank.penalties import L1
from toprank.solvers.monitor import Monitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.solvers.monitor import Solution, StepCallback

NEWTON_START_KKT = 1e-2  # Newton's method is tried below this relative violation of stationarity
OBJECTIVE_ROUNDING_RTOL = 1e-13  # by which a step may raise the objective


@dataclass(frozen=True)
class _Point:
    """A vector of weights with its loss, gradient, objective and violation."""

    w: np.ndarray
    loss: object
    gradient: np.ndarray
    objective: float
    kkt: float

    @classmethod
    def evaluate(cls, problem: PairwiseRanking, w: np.ndarray) -> _Point:
        """Return the point at w under the penalty of a problem.

        Parameters
        ----------
        problem : PairwiseRanking
        w : ndarray of shape (d,)
        """
        loss = problem.loss(problem.X @ w)
        gradient = problem.gradient(loss)
        objective = loss.value + problem.alpha * problem.penalty.value(w)
        kkt = problem.penalty.relative_violation(w, gradient, problem.alpha)
        return cls(w, loss, gradient, objective, kkt)

    def improves_on(self, other: _Point) -> bool:
        """Whether the objective is lower, or equal up to rounding with a smaller violation.

        Parameters
        ----------
        other : _Point

        Returns
        -------
        bool
        """
        is_tie = self.objective <= (1.0 + OBJECTIVE_ROUNDING_RTOL) * other.objective and self.kkt < other.kkt
        return self.objective < other.objective or is_tie


def _polish_by_newton(
    problem: PairwiseRanking, point: _Point, tol: float, clock: Clock, max_steps: int = 10
) -> _Point | None:
    """Newton's method on the support of a point; None if it finds no minimum there in the time left."""
    start, alpha = point, problem.alpha
    support = np.flatnonzero(point.w)
    for _ in range(max_steps):
        if point.kkt <= tol:
            return point
        if clock.is_over() or not clock.within_budget(problem.hessian_operations(support.size)):
            return None
        # on the support, with the signs fixed, the penalty is smooth: plain Newton, without a line search
        magnitudes, signs = np.abs(point.w[support]), np.sign(point.w[support])
        hessian = problem.hessian(problem.X @ point.w, point.loss, support)
        hessian[np.diag_indices_from(hessian)] += alpha * problem.penalty.second_derivative(magnitudes)
        slope = point.gradient[support] + alpha * problem.penalty.derivative(magnitudes) * signs
        try:
            step = -cho_solve(cho_factor(hessian), slope)
        except LinAlgError:  # not near a minimum
            return None
        w = point.w.copy()
        w[support] += step
        point = _Point.evaluate(problem, w)
        # a change of sign crosses the kink at 0, a rise leaves the basin: either ends the attempt
        if (
            np.any(np.sign(w[support]) != signs)
            or point.objective > (1.0 + OBJECTIVE_ROUNDING_RTOL) * start.objective
        ):
            return None
    return None


def solve(
    problem: PairwiseRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    inner: Callable[..., Solution],
) -> Solution:
    """Reweight from the l1 solution until the weights are stationary.

    Parameters
    ----------
    problem : PairwiseRanking
        Under a `Concave` penalty.
    tol : float
        Violation of the conditions of stationarity, relative to the penalty's slope.
    max_iter : int
        Largest number of convex problems.
    time_limit, callback
        See `toprank.solvers.monitor`; the callback is called after each convex problem.
    start : ndarray of shape (d,), optional
        Start of the first problem, whose solution does not depend on it.
    inner : callable
        Solver of the convex problems, called with a problem and ``start``, ``tol``, ``time_limit`` and
        ``certify=False``.

    Returns
    -------
    Solution
        Without a lower bound; ``first_w`` is the solution under the plain l1 norm.
    """
    monitor = Monitor("reweighted", tol, max_iter, time_limit, callback)
    weights, point, first_w, w = np.ones(problem.n_features), None, None, start
    for _ in monitor.iterations():
        # the first problem is solved accurately, a later one as accurately as the next weights need
        inner_tol = 0.1 * tol if point is None else max(0.1 * tol, 1e-2 * min(point.kkt, 1.0))
        weighted = problem.with_penalty(L1(weights))
        if point is not None:  # both violations are relative to the slope of their own penalty
            concave_slope, weighted_slope = (
                p.penalty.slope_size(w, point.gradient, p.alpha) for p in (problem, weighted)
            )
            inner_tol *= concave_slope / weighted_slope
        # L14 Algorithm 2: solve the convex majoriser, from the last point
        new_w = inner(weighted, start=w, tol=inner_tol, certify=False, time_limit=monitor.seconds_left).w
        last_point, point = point, _Point.evaluate(problem, new_w)
        first_w = new_w if first_w is None else first_w
        # an inexact inner solution may be worse: keep the last point, and report the stall below
        if last_point is not None and not point.improves_on(last_point):
            point = last_point
        if point.kkt > tol and point.kkt <= NEWTON_START_KKT:
            point = _polish_by_newton(problem, point, tol, monitor) or point
        if monitor.update(point.w, point.objective, kkt=point.kkt):
            break
        if point is last_point:
            monitor.status = "stalled"
            break
        # β_j = g'(|w_j|), the slope of the tangent at the new point
        w, weights = point.w, problem.penalty.derivative(np.abs(point.w))
    return monitor.solution(first_w=first_w)
