"""Proximal Newton for a smooth ranking loss plus an l1 norm or a ridge.

Each step minimises the second-order model of the loss plus the penalty exactly (coordinate descent finds the
support, an active-set method with Cholesky factors ends on the optimum), and searches back along it (Armijo).
The squared hinge is piecewise quadratic: once the pieces are right, a step is exact.
"""

from __future__ import annotations

from time import perf_counter

import numba
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from toprank.certificate import Certificate
from toprank.penalties import L1, SquaredL2

ARMIJO = 1e-4
JITTER = 1e-12
ROUNDING = 1e-12  # relative to the objective: below it, not the objective but its slope tells a good step


@numba.njit(cache=True)
def _coordinate_descent(hessian, z, slope, threshold, sweeps, tol):
    """Lower ½ z'Hz + c'z + threshold ‖z‖₁ in place; ``slope`` is Hz + c and is kept."""
    for _ in range(sweeps):
        largest = 0.0
        for j in range(z.size):
            curvature = hessian[j, j]
            if curvature <= 0.0:
                continue
            target = z[j] - slope[j] / curvature
            moved = np.sign(target) * max(abs(target) - threshold / curvature, 0.0) - z[j]
            if moved != 0.0:
                z[j] += moved
                for k in range(z.size):
                    slope[k] += moved * hessian[j, k]
                largest = max(largest, abs(moved) * curvature)
        if largest <= tol:
            return


def _violation(z, slope, threshold):
    """Distance of each coordinate from the optimality condition 0 ∈ slope + threshold ∂‖z‖₁."""
    return np.where(
        z != 0.0, np.abs(slope + threshold * np.sign(z)), np.maximum(np.abs(slope) - threshold, 0.0)
    )


def minimise_quadratic(hessian, linear, threshold, z, tol, max_steps=1000):
    """Minimise ½ z'Hz + c'z + threshold ‖z‖₁ from z: feature-sign search (Lee et al. 2007).

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        Positive semidefinite.
    linear : ndarray of shape (d,)
    threshold : float
    z : ndarray of shape (d,)
        Where to start.
    tol : float
        Largest violation of the optimality conditions.
    max_steps : int
        Factorisations.

    Returns
    -------
    ndarray of shape (d,)
    """
    z = z.copy()
    for _ in range(max_steps):
        slope = hessian @ z + linear
        _coordinate_descent(hessian, z, slope, threshold, 20, tol)
        slope = hessian @ z + linear
        violation = _violation(z, slope, threshold)
        if violation.max() <= tol:
            break
        active = np.flatnonzero(z)
        if not active.size:
            continue
        signs = np.sign(z[active])
        block = hessian[np.ix_(active, active)].copy()
        block[np.diag_indices_from(block)] += JITTER * np.trace(block) / active.size
        step = -cho_solve(cho_factor(block), slope[active] + threshold * signs)
        # along the step the penalty is linear up to the first coordinate that reaches zero: stop there
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.where(signs * (z[active] + step) < 0.0, -z[active] / step, np.inf)
        first = crossings.min()
        z[active] += min(first, 1.0) * step
        if first < 1.0:
            z[active[crossings == first]] = 0.0
    return z


def _slope(penalty, w, direction):
    """Slope of the penalty at w along a direction."""
    if isinstance(penalty, SquaredL2):
        return float(w @ direction)
    return float(np.where(w != 0.0, np.sign(w) * direction, np.abs(direction)).sum())


def _kkt(problem, w, gradient):
    """Largest violation of the optimality conditions, relative to alpha."""
    if isinstance(problem.penalty, SquaredL2):
        return float(np.abs(gradient + problem.alpha * w).max() / problem.alpha)
    return float(_violation(w, gradient, problem.alpha).max() / problem.alpha)


def solve(problem, tol=1e-8, max_iter=100, w0=None, time_limit=None, callback=None):
    """Minimise a loss with a Hessian plus a penalty, to a certified gap and to its optimality conditions.

    Parameters
    ----------
    problem : PairwiseRanking
        Under `L1` or `SquaredL2`.
    tol : float
        The solver stops when both the relative duality gap and the violation of the optimality conditions,
        relative to alpha, are at most this.
    max_iter : int
        Newton steps.
    w0 : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, lower_bound)`` after each step.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int

    Raises
    ------
    ValueError
        If the penalty is none that the solver handles.
    """
    started = perf_counter()
    penalty, alpha = problem.penalty, problem.alpha
    if not isinstance(penalty, L1 | SquaredL2):
        raise ValueError(f"prox-newton handles the l1 norm and the ridge; got {penalty!r}")
    w = np.zeros(problem.n_features) if w0 is None else np.array(w0, dtype=float)
    scores = problem.X @ w
    loss = problem.loss(scores)
    objective = loss.value + alpha * penalty.value(w)
    best_bound, status, n_iter = 0.0, "max_iterations", 0
    for n_iter in range(max_iter + 1):
        gradient = problem.gradient(loss)
        best_bound = max(best_bound, problem.lower_bound(loss, gradient))
        kkt = _kkt(problem, w, gradient)
        if callback is not None:
            callback(n_iter, w, objective, best_bound)
        if kkt <= tol and objective - best_bound <= tol * objective:
            status = "optimal"
            break
        if n_iter == max_iter:
            break
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
        hessian = problem.hessian(scores, loss)
        if isinstance(penalty, SquaredL2):
            hessian[np.diag_indices_from(hessian)] += alpha * (1.0 + JITTER)
            direction = -cho_solve(cho_factor(hessian), gradient + alpha * w)
        else:
            inner = max(0.1 * min(kkt, 1.0) * tol, 1e-3 * tol) * alpha
            direction = minimise_quadratic(hessian, gradient - hessian @ w, alpha, w, inner) - w
        along = problem.X @ direction
        promised = float(gradient @ direction) + alpha * (penalty.value(w + direction) - penalty.value(w))
        step = 1.0
        while True:
            new_w, new_scores = w + step * direction, scores + step * along
            new_loss = problem.loss(new_scores)
            new_objective = new_loss.value + alpha * penalty.value(new_w)
            if new_objective <= objective + ARMIJO * step * promised or step < 1e-10:
                break
            # the approximate Wolfe condition of Hager and Zhang (2005)
            if new_objective <= (1.0 + ROUNDING) * objective:
                slope = float(problem.gradient(new_loss) @ direction) + alpha * _slope(
                    penalty, new_w, direction
                )
                if slope <= 0.9 * abs(promised):
                    break
            step *= 0.5
        if new_objective >= objective and step < 1e-10:
            break  # what remains is rounding
        w, scores, loss, objective = new_w, new_scores, new_loss, new_objective
    return w, Certificate(objective, status, min(best_bound, objective), kkt), n_iter
