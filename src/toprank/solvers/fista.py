"""Proximal gradient with Nesterov's momentum: FISTA (L14's Algorithm 1), and a monotone form of it.

`solve` is for convex penalties. `solve_direct` takes a penalty that is not convex by its own proximal
operator (Li and Lin 2015, Algorithm 1); beside L14's reweighting it is the second way to a stationary point.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from toprank.certificate import Certificate

CHECK_EVERY = 10  # a certificate costs as much as an iteration


def step_constant(problem, lipschitz) -> float:
    """Lipschitz constant of the gradient of the loss.

    Parameters
    ----------
    problem : PairwiseRanking
    lipschitz : {"exact", "trace"}
        The largest eigenvalue of 2 X̃'X̃, or its trace 2 Σ ‖x̃_k‖², L14's constant (Proposition 1).

    Returns
    -------
    float
        1 where the loss has no curvature at all.
    """
    constant = problem.largest_curvature() if lipschitz == "exact" else problem.trace_of_curvature()
    return constant if constant > 0.0 else 1.0


def solve(
    problem,
    tol=1e-8,
    max_iter=100_000,
    w0=None,
    time_limit=None,
    lipschitz="exact",
    restart=True,
    callback=None,
    certify=True,
):
    """Minimise a smooth loss plus a convex penalty (L14's Algorithm 1).

    Parameters
    ----------
    problem : PairwiseRanking
    tol : float
        Relative duality gap, and violation of the optimality conditions relative to alpha.
    max_iter : int
    w0 : ndarray of shape (d,), optional
    time_limit : float, optional
        Seconds.
    lipschitz : {"exact", "trace"}
        See `step_constant`; "trace" is the paper's.
    restart : bool
        Whether the momentum is dropped when it points uphill (O'Donoghue and Candès 2015); the paper never
        does.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, lower_bound)`` at each check.
    certify : bool
        False: the optimality conditions alone decide, and no bound is computed.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int

    Raises
    ------
    ValueError
        If the penalty is not convex.
    """
    started = perf_counter()
    penalty, alpha = problem.penalty, problem.alpha
    if not penalty.is_convex:
        raise ValueError(f"fista.solve needs a convex penalty, which {penalty!r} is not")
    step = 1.0 / step_constant(problem, lipschitz)
    w = np.zeros(problem.n_features) if w0 is None else np.array(w0, dtype=float)
    ahead, momentum = w, 1.0
    best_bound, status, n_iter = 0.0, "max_iterations", 0
    for n_iter in range(max_iter + 1):
        if n_iter % CHECK_EVERY == 0 or n_iter == max_iter:
            loss = problem.loss(problem.X @ w)
            gradient = problem.gradient(loss)
            objective = loss.value + alpha * penalty.value(w)
            if certify:
                best_bound = max(best_bound, problem.lower_bound(loss, gradient))
            kkt = float(penalty.violation(w, gradient, alpha).max() / alpha)
            if callback is not None:
                callback(n_iter, w, objective, best_bound)
            if kkt <= tol and (not certify or objective - best_bound <= tol * objective):
                status = "optimal"
                break
            if n_iter == max_iter:
                break
            if time_limit is not None and perf_counter() - started > time_limit:
                status = "time_limit"
                break
        gradient = problem.gradient(problem.loss(problem.X @ ahead))
        new = penalty.prox(ahead - step * gradient, step * alpha)
        if restart and (ahead - new) @ (new - w) > 0.0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = new + (momentum - 1.0) / following * (new - w)
        w, momentum = new, following
    lower_bound = min(best_bound, objective) if certify else None
    return w, Certificate(objective, status, lower_bound, kkt), n_iter


def prox_residual(problem, w, gradient, curvature) -> float:
    """Distance of w from the proximal gradient step at it, ‖w − prox(w − ∇f/L)‖∞ L, relative to alpha.

    It vanishes at a minimum, and where the penalty is not convex only where the quadratic of curvature L that
    touches the loss offers no better point: a stronger demand than stationarity.

    Parameters
    ----------
    problem : PairwiseRanking
    w, gradient : ndarray of shape (d,)
    curvature : float
        L.
    """
    moved = w - problem.penalty.prox(w - gradient / curvature, problem.alpha / curvature)
    return float(np.abs(moved).max() * curvature / problem.alpha)


def solve_direct(problem, tol=1e-8, max_iter=100_000, w0=None, time_limit=None, callback=None):
    """Lower a smooth loss plus a penalty that need not be convex, by the penalty's own proximal operator.

    Each iteration takes the better one of a step with momentum and a plain one, so that the objective never
    increases.

    Parameters
    ----------
    problem : PairwiseRanking
    tol : float
        The `prox_residual` at which it stops.
    max_iter : int
    w0 : ndarray of shape (d,), optional
        The point found depends on it; zeros by default.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, None)`` after each iteration.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
        Without a lower bound.
    n_iter : int
    """
    started = perf_counter()
    penalty, alpha = problem.penalty, problem.alpha
    curvature = step_constant(problem, "exact")

    def stepped(start, loss):
        """Proximal gradient step; returns the new point, the loss there and the objective."""
        new = penalty.prox(start - problem.gradient(loss) / curvature, alpha / curvature)
        new_loss = problem.loss(problem.X @ new)
        return new, new_loss, new_loss.value + alpha * penalty.value(new)

    w = np.zeros(problem.n_features) if w0 is None else np.array(w0, dtype=float)
    loss = problem.loss(problem.X @ w)
    objective = loss.value + alpha * penalty.value(w)
    before, momentum, leading = w, 1.0, w
    status, n_iter = "max_iterations", 0
    for n_iter in range(max_iter + 1):
        gradient = problem.gradient(loss)
        if callback is not None:
            callback(n_iter, w, objective, None)
        if prox_residual(problem, w, gradient, curvature) <= tol:
            status = "optimal"
            break
        if n_iter == max_iter:
            break
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = w + momentum / following * (leading - w) + (momentum - 1.0) / following * (w - before)
        leading, leading_loss, leading_objective = stepped(ahead, problem.loss(problem.X @ ahead))
        plain, plain_loss, plain_objective = stepped(w, loss)
        before = w
        if leading_objective <= plain_objective:
            w, loss, objective = leading, leading_loss, leading_objective
        else:
            w, loss, objective = plain, plain_loss, plain_objective
        momentum = following
    kkt = float(penalty.violation(w, gradient, alpha).max() / alpha)
    return w, Certificate(objective, status, None, kkt), n_iter
