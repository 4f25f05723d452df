"""Nesterov's accelerated gradient method for FSMRank (reconstructed), in the metric of the largest Hessian.

The squared hinge is piecewise quadratic, and its Hessian is largest where every preference is violated. In
the metric of this Hessian the step length is 1 and the method converges like O(1/T²), whatever the
correlation of the features; in practice it takes tens of steps. Each step minimises a quadratic model plus
the penalty.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve

from toprank.clock import UNLIMITED
from toprank.jit import njit_cached
from toprank.penalties import L1
from toprank.solvers.monitor import Monitor, advance_momentum
from toprank.solvers.quadratic import (
    bound_slope_error,
    count_newton_operations,
    factorise_with_jitter,
    move_to_first_zero,
    run_sweeps,
)

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.feature_selection import FeatureSelectionRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: Number of sweeps between two checks of the model's optimality.
SWEEPS_PER_CHECK = 5
#: Largest number of steps between two checks of the point's optimality.
STEPS_PER_CHECK_MAX = 10


@njit_cached
def _descend_coordinates(hessian, coupling, z, slope, penalty_slope, tol, sweeps) -> bool:
    """Lower ½ z'Hz + c'z + ½ |z|'S|z| + h'|z| in place; ``slope`` is Hz + c, ``penalty_slope`` S|z| + h.

    Returns whether z has stopped moving.
    """
    for _ in range(sweeps):
        largest = 0.0
        for j in range(z.size):
            curvature = hessian[j, j] + coupling[j, j]
            if curvature <= 0.0:
                continue
            target = hessian[j, j] * z[j] - slope[j]
            # the coordinate's own part of the coupling is quadratic, the rest a threshold
            threshold = penalty_slope[j] - coupling[j, j] * abs(z[j])
            new = np.sign(target) * max(abs(target) - threshold, 0.0) / curvature
            change, magnitude_change = new - z[j], abs(new) - abs(z[j])
            if change != 0.0:
                z[j] = new
                for k in range(z.size):
                    slope[k] += change * hessian[j, k]
                    penalty_slope[k] += magnitude_change * coupling[j, k]
                largest = max(largest, abs(change) * curvature)
        if largest <= tol:
            return True
    return False


def minimise_model(
    hessian: np.ndarray,
    linear: np.ndarray,
    coupling: np.ndarray,
    thresholds: np.ndarray,
    z: np.ndarray,
    tol: float,
    max_steps: int = 200,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """Minimise ½ z'Hz + c'z + ½ |z|'S|z| + h'|z| from z: feature-sign search (Lee et al. 2007).

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        H, positive semidefinite.
    linear : ndarray of shape (d,)
        c.
    coupling : ndarray of shape (d, d)
        S, positive semidefinite without a negative entry.
    thresholds : ndarray of shape (d,)
        h, positive.
    z : ndarray of shape (d,)
        Where to start.
    tol : float
        Largest violation of the optimality conditions, beyond rounding errors.
    max_steps : int
        Largest number of factorisations.
    clock : Clock, optional
        If the time is up, the point so far is returned.

    Returns
    -------
    ndarray of shape (d,)
    """
    z = z.copy()
    for _ in range(max_steps):
        slope, penalty_slope = hessian @ z + linear, coupling @ np.abs(z) + thresholds
        descend = partial(_descend_coordinates, hessian, coupling, z, slope, penalty_slope, tol)
        run_sweeps(descend, SWEEPS_PER_CHECK, z.size, clock)
        slope, penalty_slope = hessian @ z + linear, coupling @ np.abs(z) + thresholds
        error = bound_slope_error(hessian, linear, z)
        if np.all(L1(penalty_slope).violation(z, slope, 1.0) <= np.maximum(tol, error)) or clock.is_over():
            break
        active = np.flatnonzero(z)
        if not active.size:
            continue
        if not clock.within_budget(count_newton_operations(active.size)):
            break
        signs = np.sign(z[active])
        support = np.ix_(active, active)
        # with the signs fixed, |z|'S|z| is a quadratic too
        block = hessian[support] + signs[:, None] * coupling[support] * signs
        step = -cho_solve(factorise_with_jitter(block), slope[active] + penalty_slope[active] * signs)
        move_to_first_zero(z, active, step)
    return z


def solve(
    problem: FeatureSelectionRanking,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
) -> Solution:
    """Minimise FSMRank's objective to a certified gap and to its optimality conditions.

    Parameters
    ----------
    problem : FeatureSelectionRanking
    tol : float
        The solver stops when both the relative duality gap and the violation of the optimality conditions,
        relative to beta, are at most this.
    max_iter : int
        Largest number of steps.
    time_limit, callback
        See `toprank.solvers.monitor`; the callback is called at each check of optimality.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring beta.

    Returns
    -------
    Solution
    """
    monitor = Monitor("nesterov", tol, max_iter, time_limit, callback)
    X, majorant = problem.ranking.X, problem.majorant
    coupling, thresholds = problem.alpha * problem.similarity, problem.thresholds
    w = np.zeros(X.shape[1]) if start is None else np.array(start, dtype=float)
    scores = X @ w
    point, point_scores, momentum, next_check, is_still = w, scores, 1.0, 0, False
    for n_iter in monitor.iterations(0):
        if n_iter == next_check or monitor.is_over():
            loss = problem.loss(scores)
            gradient = problem.gradient(loss)
            bound, kkt = problem.lower_bound(w, loss, gradient), problem.kkt(w, gradient)
            if monitor.update(w, problem.objective(w, loss), bound, kkt) or n_iter == max_iter or is_still:
                break
            next_check = min(n_iter + STEPS_PER_CHECK_MAX, max_iter)
        # step of length 1 in the metric of the majorant, at the extrapolated point
        slope = problem.gradient(problem.loss(point_scores))
        linear, model_tol = slope - majorant @ point, 0.05 * tol * problem.beta
        new = minimise_model(majorant, linear, coupling, thresholds, w, model_tol, clock=monitor)
        new_scores = X @ new
        change = majorant @ (new - point)
        is_still = bool(np.all(np.abs(change) <= bound_slope_error(majorant, slope, point)))
        if is_still or np.abs(change).max() <= tol * problem.beta:
            next_check = n_iter + 1
        # momentum that points uphill is dropped (O'Donoghue and Candès 2015, in this metric)
        if float(change @ (new - w)) < 0.0:
            momentum = 1.0
        last_momentum, momentum = momentum, advance_momentum(momentum)
        extrapolation = (last_momentum - 1.0) / momentum
        point, point_scores = (
            new + extrapolation * (new - w),
            new_scores + extrapolation * (new_scores - scores),
        )
        w, scores = new, new_scores
    return monitor.solution()
