"""Monotone FISTA for convex and nonconvex penalties, by their proximal operators (Li and Lin 2015)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.solvers.monitor import Monitor, advance_momentum

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.problems.pairwise_loss import PairwiseLoss
    from toprank.solvers.monitor import Solution, StepCallback


def compute_prox_residual(
    problem: PairwiseRanking, w: np.ndarray, gradient: np.ndarray, curvature: float
) -> float:
    """Return the size of the prox step at w, ‖w − prox(w − ∇f/L)‖∞ L, relative to the penalty's slope.

    It is 0 at a minimum. For a nonconvex penalty it is 0 only if the quadratic model of curvature L at w has
    no better point, which is more than stationarity.

    Parameters
    ----------
    problem : PairwiseRanking
    w, gradient : ndarray of shape (d,)
    curvature : float
        L.

    Returns
    -------
    float
    """
    change = w - problem.penalty.prox(w - gradient / curvature, problem.alpha / curvature)
    return float(np.abs(change).max() * curvature / problem.penalty.slope_size(w, gradient, problem.alpha))


def solve(
    problem: PairwiseRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
) -> Solution:
    """Lower a smooth loss plus a convex or nonconvex penalty, by the proximal operator of the penalty.

    Each iteration takes the better one of a step with momentum and a plain one, so the objective never
    increases.

    Parameters
    ----------
    problem : PairwiseRanking
    tol : float
        `compute_prox_residual` at which the solver stops, and under a convex penalty relative duality gap.
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        The point found depends on it; zeros by default.

    Returns
    -------
    Solution
        With a lower bound if the penalty is convex.
    """
    monitor = Monitor("monotone-fista", tol, max_iter, time_limit, callback)
    penalty, alpha = problem.penalty, problem.alpha
    curvature = problem.lipschitz()

    def take_prox_step(point: np.ndarray, loss: PairwiseLoss) -> tuple[np.ndarray, PairwiseLoss, float]:
        """Proximal gradient step; returns the new point, the loss there and the objective.

        Parameters
        ----------
        point : ndarray of shape (d,)
        loss : PairwiseLoss
            The loss at the point.

        Returns
        -------
        tuple of ndarray, PairwiseLoss and float
        """
        new = penalty.prox(point - problem.gradient(loss) / curvature, alpha / curvature)
        new_loss = problem.loss(problem.X @ new)
        return new, new_loss, new_loss.value + alpha * penalty.value(new)

    w = np.zeros(problem.n_features) if start is None else np.array(start, dtype=float)
    loss = problem.loss(problem.X @ w)
    objective = loss.value + alpha * penalty.value(w)
    last_w, momentum, accelerated = w, 1.0, w
    for n_iter in monitor.iterations(0):
        gradient = problem.gradient(loss)
        residual = compute_prox_residual(problem, w, gradient, curvature)
        bound = problem.lower_bound(loss, gradient) if penalty.is_convex else None
        if monitor.update(w, objective, bound, residual) or n_iter == max_iter:
            break
        new_momentum = advance_momentum(momentum)
        # extrapolation (Li and Lin 2015): to the last accelerated point, and along the last move
        extrapolated = (
            w + momentum / new_momentum * (accelerated - w) + (momentum - 1.0) / new_momentum * (w - last_w)
        )
        accelerated, accelerated_loss, accelerated_objective = take_prox_step(
            extrapolated, problem.loss(problem.X @ extrapolated)
        )
        # the safeguard: a plain step cannot raise the objective, whatever the momentum does
        plain, plain_loss, plain_objective = take_prox_step(w, loss)
        last_w = w
        if accelerated_objective <= plain_objective:
            w, loss, objective = accelerated, accelerated_loss, accelerated_objective
        else:
            w, loss, objective = plain, plain_loss, plain_objective
        momentum = new_momentum
    kkt = penalty.relative_violation(w, gradient, alpha)
    return monitor.solution(w, objective, kkt)
