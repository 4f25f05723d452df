"""Penalties that are not convex, by a sequence of weighted l1 problems (L14's Algorithm 2).

A concave g lies below its tangents: with β_j = g'(|w_j|) the weighted l1 problem majorises the objective and
touches it at w, so that no step increases it (L14 eq. 13). The steps shrink by a constant factor each, and
below the rounding of the objective nothing tells them from noise: near a stationary point Newton's method on
the weights in use, whose objective is smooth, takes the last digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from toprank.certificate import Certificate
from toprank.penalties import L1

NEAR = 1e-2  # violation of stationarity, relative to alpha, from which on Newton's method is tried
ROUNDING = 1e-13  # relative to the objective


@dataclass(frozen=True)
class _Point:
    """A vector of weights with what is known of it."""

    w: np.ndarray
    loss: object
    gradient: np.ndarray
    objective: float
    kkt: float

    @classmethod
    def at(cls, problem, w):
        loss = problem.loss(problem.X @ w)
        gradient = problem.gradient(loss)
        objective = loss.value + problem.alpha * problem.penalty.value(w)
        kkt = float(problem.penalty.violation(w, gradient, problem.alpha).max() / problem.alpha)
        return cls(w, loss, gradient, objective, kkt)

    def improves_on(self, other) -> bool:
        """Whether the objective is lower, or within rounding as low at a smaller violation."""
        alike = self.objective <= (1.0 + ROUNDING) * other.objective and self.kkt < other.kkt
        return self.objective < other.objective or alike


def _polished(problem, point, tol, max_steps=10):
    """Newton's method on the support of a point; None where it leads elsewhere than to a minimum there."""
    start, alpha = point, problem.alpha
    used = np.flatnonzero(point.w)
    for _ in range(max_steps):
        if point.kkt <= tol:
            return point
        size, sign = np.abs(point.w[used]), np.sign(point.w[used])
        hessian = problem.hessian(problem.X @ point.w, point.loss, used)
        hessian[np.diag_indices_from(hessian)] += alpha * problem.penalty.second_derivative(size)
        slope = point.gradient[used] + alpha * problem.penalty.derivative(size) * sign
        try:
            step = -cho_solve(cho_factor(hessian), slope)
        except LinAlgError:  # no minimum is near
            return None
        w = point.w.copy()
        w[used] += step
        point = _Point.at(problem, w)
        if np.any(np.sign(w[used]) != sign) or point.objective > (1.0 + ROUNDING) * start.objective:
            return None
    return None


def solve(problem, inner, tol=1e-8, max_iter=1000, w0=None, time_limit=None, callback=None):
    """Reweight from the l1 solution until the weights are stationary.

    Parameters
    ----------
    problem : PairwiseRanking
        Under a `Concave` penalty.
    inner : callable
        Solver of the convex problems, called as ``inner(problem, w0=w, tol=tol, certify=False)``, with
        ``time_limit`` where there is one.
    tol : float
        Violation of the conditions of stationarity, relative to alpha.
    max_iter : int
        Convex problems.
    w0 : ndarray of shape (d,), optional
        Where to start the first one, whose solution does not depend on it.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, None)`` after each convex problem.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
        Without a lower bound.
    n_iter : int
        Convex problems that were solved.
    convex : ndarray of shape (d,)
        The first one's solution, under the plain l1 norm.
    """
    started = perf_counter()
    penalty = problem.penalty
    weights, status, n_iter = np.ones(problem.n_features), "max_iterations", 0
    point, convex, w = None, None, w0
    while n_iter < max_iter:
        left = {}
        if time_limit is not None:
            left["time_limit"] = max(time_limit - (perf_counter() - started), 1e-9)
        # the first problem is solved for its own sake, a later one well enough for the next weights
        accuracy = 0.1 * tol if point is None else max(0.1 * tol, 1e-2 * min(point.kkt, 1.0))
        new, _, _ = inner(problem.with_penalty(L1(weights)), w0=w, tol=accuracy, certify=False, **left)
        before, point = point, _Point.at(problem, new)
        n_iter += 1
        convex = new if convex is None else convex
        if before is not None and not point.improves_on(before):
            point = before
        if callback is not None:
            callback(n_iter, point.w, point.objective, None)
        if point.kkt > tol and point.kkt <= NEAR:
            point = _polished(problem, point, tol) or point
        if point.kkt <= tol:
            status = "optimal"
            break
        if point is before:
            break  # nothing is left to gain
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
        w, weights = point.w, penalty.derivative(np.abs(point.w))
    return point.w, Certificate(point.objective, status, None, point.kkt), n_iter, convex
