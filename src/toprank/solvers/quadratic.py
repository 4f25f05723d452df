"""Minimise a convex quadratic plus an l1 norm: the model of a Newton step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from toprank.clock import CHOLESKY_COST, UNLIMITED
from toprank.jit import njit_cached
from toprank.penalties import L1

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock

#: Sweeps between two checks of optimality, and matrix entries that a kernel reads between two looks at the
#: clock.
SWEEPS_PER_CHECK, ENTRIES_PER_CALL = 20, 5e7
#: Relative to each curvature: the jitter that lets a singular matrix be factored, and one that grows no more.
JITTER_MIN, JITTER_MAX = 1e-12, 1e-7


@njit_cached
def _descend_coordinates(hessian, z, slope, thresholds, tol, sweeps) -> bool:
    """Lower ½ z'Hz + c'z + Σ thresholds |z| in place; ``slope`` is Hz + c and is kept up to date.

    Returns whether z has stopped moving.
    """
    for _ in range(sweeps):
        largest = 0.0
        for j in range(z.size):
            curvature = hessian[j, j]
            if curvature <= 0.0:
                continue
            target = z[j] - slope[j] / curvature
            # exact minimum along the coordinate: soft thresholding
            change = np.sign(target) * max(abs(target) - thresholds[j] / curvature, 0.0) - z[j]
            if change != 0.0:
                z[j] += change
                for k in range(z.size):
                    slope[k] += change * hessian[j, k]
                largest = max(largest, abs(change) * curvature)
        if largest <= tol:
            return True
    return False


def run_sweeps(descend: Callable[[int], bool], n_sweeps: int, size: int, clock: Clock) -> None:
    """Call a compiled coordinate descent until the point stops moving, or the time is up.

    Parameters
    ----------
    descend : callable
        Takes a number of sweeps, and returns whether the point has stopped moving.
    n_sweeps : int
        Largest number of sweeps.
    size : int
        Number of features.
    clock : Clock
        Checked after every `ENTRIES_PER_CALL` matrix entries, since a kernel cannot.
    """
    sweeps_per_call = int(min(max(ENTRIES_PER_CALL / max(size, 1) ** 2, 1), n_sweeps))
    for first in range(0, n_sweeps, sweeps_per_call):
        if descend(min(sweeps_per_call, n_sweeps - first)) or clock.is_over():
            return


def factorise_with_jitter(
    matrix: np.ndarray, factor: Callable[[np.ndarray], Any] = cho_factor, jitter: float = JITTER_MIN
) -> Any:
    """Factor a positive semidefinite matrix; its diagonal is overwritten.

    Where the rounding errors of its entries outweigh the jitter, the jitter grows.

    Parameters
    ----------
    matrix : ndarray of shape (d, d)
    factor : callable
        Called with the matrix; raises `LinAlgError` where it is not positive definite.
    jitter : float
        Added to the diagonal at first, relative to each curvature.

    Returns
    -------
    object
        What ``factor`` returns.
    """
    curvatures = np.diagonal(matrix).copy()
    # a matrix of zeros, where no row violates its margin, has the unit 1
    sizes = np.where(curvatures > 0.0, curvatures, curvatures.max() or 1.0)
    while True:
        np.fill_diagonal(matrix, curvatures + jitter * sizes)
        try:
            return factor(matrix)
        except LinAlgError:
            if jitter > JITTER_MAX:
                raise
        # at most four attempts: 1e-12, 1e-10, 1e-8 and 1e-6, by default
        jitter *= 100.0


def _compute_newton_step(hessian: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Minimise the quadratic with a positive semidefinite Hessian, which is overwritten, and a slope."""
    return -cho_solve(factorise_with_jitter(hessian), slope)


def count_newton_operations(n_features: int) -> float:
    """Return the operations of a Newton step, for the clock.

    Parameters
    ----------
    n_features : int

    Returns
    -------
    float
    """
    return CHOLESKY_COST * n_features**3 / 3.0


def move_to_first_zero(z: np.ndarray, active: np.ndarray, step: np.ndarray) -> None:
    """Add a step to the active coordinates in place, up to the first one that reaches 0.

    Up to there the absolute values in a penalty are linear.

    Parameters
    ----------
    z : ndarray of shape (d,)
        Changed in place.
    active : ndarray of int
        Coordinates that move.
    step : ndarray
        Step of each active coordinate.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.where(np.sign(z[active]) * (z[active] + step) < 0.0, -z[active] / step, np.inf)
    first_crossing = crossings.min()
    z[active] += min(first_crossing, 1.0) * step
    if first_crossing < 1.0:
        z[active[crossings == first_crossing]] = 0.0


def bound_slope_error(hessian: np.ndarray, linear: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the rounding error of each entry of Hz + c; only the rows of nonzero weights are read.

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        H.
    linear : ndarray of shape (d,)
        c.
    z : ndarray of shape (d,)

    Returns
    -------
    ndarray of shape (d,)
    """
    support = np.flatnonzero(z)
    return 4.0 * np.finfo(float).eps * (np.abs(z[support]) @ np.abs(hessian[support]) + np.abs(linear))


def _compute_slope_and_error(
    hessian: np.ndarray, linear: np.ndarray, z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return Hz + c, and its error by rounding from `bound_slope_error`."""
    support = np.flatnonzero(z)
    return z[support] @ hessian[support] + linear, bound_slope_error(hessian, linear, z)


def minimise_l1(
    hessian: np.ndarray,
    linear: np.ndarray,
    thresholds: np.ndarray,
    z: np.ndarray,
    tol: float,
    max_steps: int = 1000,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """Minimise ½ z'Hz + c'z + Σ thresholds_j |z_j| from z: feature-sign search (Lee et al. 2007).

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        Positive semidefinite.
    linear, thresholds : ndarray of shape (d,)
    z : ndarray of shape (d,)
        Where to start.
    tol : float
        Largest violation of the optimality conditions, beyond rounding errors.
    max_steps : int
        Largest number of factorisations.
    clock : Clock, optional
        If the time is up, the point so far is returned, which is no worse than the start.

    Returns
    -------
    ndarray of shape (d,)
    """
    z, penalty = z.copy(), L1(thresholds)
    slope, _ = _compute_slope_and_error(hessian, linear, z)
    for _ in range(max_steps):
        # cheap sweeps find the support; the Newton step below finds the last digits on it
        run_sweeps(
            partial(_descend_coordinates, hessian, z, slope, thresholds, tol), SWEEPS_PER_CHECK, z.size, clock
        )
        # from scratch: the slope that the sweeps update has gathered rounding errors
        slope, error = _compute_slope_and_error(hessian, linear, z)
        if np.all(penalty.violation(z, slope, 1.0) <= np.maximum(tol, error)) or clock.is_over():
            break
        active = np.flatnonzero(z)
        if not active.size:
            continue
        if not clock.within_budget(count_newton_operations(active.size)):
            break
        signs = np.sign(z[active])
        # exact minimum on the support while no sign changes (Lee et al. 2007)
        step = _compute_newton_step(
            hessian[np.ix_(active, active)], slope[active] + thresholds[active] * signs
        )
        move_to_first_zero(z, active, step)
        slope, _ = _compute_slope_and_error(hessian, linear, z)
    return z
