"""Proximal gradient with Nesterov's momentum, FISTA (L14's Algorithm 1), for convex penalties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.solvers.monitor import Monitor, advance_momentum
from toprank.solvers.solver_specs import FISTA

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.solvers.monitor import Solution, StepCallback

CHECK_ITERATIONS = 10  # a certificate costs as much as an iteration


def solve(
    problem: PairwiseRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    method: FISTA | None = None,
    certify: bool = True,
) -> Solution:
    """Minimise a smooth loss plus a convex penalty (L14's Algorithm 1).

    Parameters
    ----------
    problem : PairwiseRanking
    tol : float
        Relative duality gap, and violation of the optimality conditions relative to the penalty's slope.
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`; the callback is called at each check, every tenth iteration.
    start : ndarray of shape (d,), optional
    method : toprank.FISTA, optional
        Step length and restart; by default ``FISTA()``. The paper's is ``FISTA(False, "trace")``.
    certify : bool
        If False, no bound is computed, and the optimality conditions alone decide.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the penalty is not convex.
    """
    method = method or FISTA()
    monitor = Monitor("fista", tol, max_iter, time_limit, callback)
    penalty, alpha = problem.penalty, problem.alpha
    if not penalty.is_convex:
        raise ValueError(f"fista needs a convex penalty, unlike {penalty!r}; take monotone_fista")
    # with this step the quadratic model majorises the loss, so no line search is needed
    step = 1.0 / problem.lipschitz(method.lipschitz)
    w = np.zeros(problem.n_features) if start is None else np.array(start, dtype=float)
    extrapolated, momentum = w, 1.0
    for n_iter in monitor.iterations(0):
        if n_iter % CHECK_ITERATIONS == 0 or n_iter == max_iter or monitor.is_over():
            # the certificate belongs to w, the gradient step below to the extrapolated point
            loss = problem.loss(problem.X @ w)
            gradient = problem.gradient(loss)
            bound = problem.lower_bound(loss, gradient) if certify else None
            kkt = penalty.relative_violation(w, gradient, alpha)
            if monitor.update(w, loss.value + alpha * penalty.value(w), bound, kkt) or n_iter == max_iter:
                break
        # proximal gradient step at the extrapolated point
        gradient = problem.gradient(problem.loss(problem.X @ extrapolated))
        new = penalty.prox(extrapolated - step * gradient, step * alpha)
        # gradient scheme of O'Donoghue and Candès (2015): the step points against the last move
        if method.restart and (extrapolated - new) @ (new - w) > 0.0:
            momentum = 1.0
        # Nesterov's extrapolation (Beck and Teboulle 2009)
        new_momentum = advance_momentum(momentum)
        extrapolated = new + (momentum - 1.0) / new_momentum * (new - w)
        w, momentum = new, new_momentum
    return monitor.solution()
