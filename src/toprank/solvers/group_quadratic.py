"""Minimise a convex quadratic plus a group norm: the model of a Newton step under `GroupL2`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve

from toprank.clock import UNLIMITED
from toprank.jit import njit_cached
from toprank.solvers.quadratic import (
    JITTER_MIN,
    bound_slope_error,
    count_newton_operations,
    factorise_with_jitter,
    run_sweeps,
)

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.penalties import GroupL2

#: Sweeps over the groups between two Newton steps on the support.
SWEEPS_PER_CHECK = 20
#: Halvings of a Newton step before it is given up: what is left of it is below rounding.
HALVINGS_MAX = 50
#: A Newton step shortened to less than this share shows that the jitter is too small: where more groups are
#: active than the Hessian has ranks, the system is singular along directions in which the norms do not curve.
SHORT_STEP_LENGTH = 0.25
#: Jitter after the first such step, relative to each curvature; its largest value, and how fast it changes.
SHORT_STEP_JITTER, GROUP_JITTER_MAX, JITTER_FACTOR = 1e-6, 1.0, 10.0


@njit_cached
def _bound_curvatures(
    hessian: np.ndarray, members: np.ndarray, starts: np.ndarray, bounds: np.ndarray
) -> None:
    """Bound the largest eigenvalue of the block of each group by its Frobenius norm and its largest row sum.

    The first is exact for twins, the second for uncorrelated features.
    """
    for g in range(bounds.size):
        squares, largest = 0.0, 0.0
        for i in range(starts[g], starts[g + 1]):
            row = 0.0
            for k in range(starts[g], starts[g + 1]):
                entry = abs(hessian[members[i], members[k]])
                row += entry
                squares += entry * entry
            largest = max(largest, row)
        bounds[g] = min(np.sqrt(squares), largest)


@njit_cached
def _descend_groups(hessian, z, slope, groups, alpha, tol, sweeps) -> bool:
    """Lower ½ z'Hz + c'z + alpha Σ_g ‖z_g‖ in place; ``slope`` is Hz + c and is kept up to date.

    Each group takes a proximal step whose length is the inverse of the bound on its curvature (groupwise
    majorisation descent, Yang and Zou 2015). Returns whether z has stopped moving. ``groups`` are the
    features sorted by group, the first place of each group, and the bounds.
    """
    members, starts, bounds = groups
    moves = np.empty(z.size)
    for _ in range(sweeps):
        largest = 0.0
        for g in range(bounds.size):
            bound = bounds[g]
            if bound == 0.0:
                continue
            squares = 0.0
            for i in range(starts[g], starts[g + 1]):
                moves[i] = z[members[i]] - slope[members[i]] / bound
                squares += moves[i] * moves[i]
            norm = np.sqrt(squares)
            # block soft thresholding (Yuan and Lin 2006) of the majorant's minimum
            shrinkage = 1.0 - alpha / (bound * norm) if bound * norm > alpha else 0.0
            squares = 0.0
            for i in range(starts[g], starts[g + 1]):
                moves[i] = shrinkage * moves[i] - z[members[i]]
                squares += moves[i] * moves[i]
            if squares == 0.0:
                continue
            for i in range(starts[g], starts[g + 1]):
                j = members[i]
                z[j] = z[j] + moves[i] if shrinkage > 0.0 else 0.0
                for k in range(z.size):
                    slope[k] += moves[i] * hessian[j, k]
            largest = max(largest, bound * np.sqrt(squares))
        if largest <= tol:
            return True
    return False


def _solve_on_support(
    hessian: np.ndarray, slope: np.ndarray, z: np.ndarray, penalty: GroupL2, alpha: float, jitter: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the support of z, and the Newton step on it, where the norms are smooth."""
    groups, norms = penalty.groups_of(z.size), penalty.norms(z)
    active = np.flatnonzero(norms[groups])
    group_of, sizes = groups[active], norms[groups[active]]
    unit = z[active] / sizes
    block = hessian[np.ix_(active, active)]
    # the norm of a group curves by (I - uu') / ‖z_g‖ for the unit vector u along z_g
    curved_block = block - np.where(
        group_of[:, None] == group_of, np.outer(unit, unit) * (alpha / sizes), 0.0
    )
    curved_block[np.diag_indices_from(curved_block)] += alpha / sizes
    return active, -cho_solve(
        factorise_with_jitter(curved_block, jitter=jitter), slope[active] + alpha * unit
    )


@njit_cached
def _choose_step_length(z, step, slope, hessian_step, members, starts, alpha) -> float:
    """Halve the step until it surely lowers ½ z'Hz + c'z + alpha Σ_g ‖z_g‖; 0 if no length does.

    ``slope`` is Hz + c and ``hessian_step`` H times the step. The objective along the step is convex:
    its slopes at the middle and at the end bound its change from above, without the rounding errors of a
    difference of objectives.
    """
    length = 1.0
    for _ in range(HALVINGS_MAX):
        slope_sum = 0.0
        for fraction in (0.5 * length, length):
            for g in range(starts.size - 1):
                norm, inner, squares, smooth_slope = 0.0, 0.0, 0.0, 0.0
                for i in range(starts[g], starts[g + 1]):
                    j = members[i]
                    moved_weight = z[j] + fraction * step[j]
                    norm += moved_weight * moved_weight
                    inner += moved_weight * step[j]
                    squares += step[j] * step[j]
                    smooth_slope += (slope[j] + fraction * hessian_step[j]) * step[j]
                slope_sum += smooth_slope + alpha * (
                    inner / np.sqrt(norm) if norm > 0.0 else np.sqrt(squares)
                )
        # convex: f(end) − f(start) ≤ length/2 (slope at the middle + slope at the end)
        if slope_sum <= 0.0:
            return length
        length *= 0.5
    return 0.0


def minimise_groups(
    hessian: np.ndarray,
    linear: np.ndarray,
    penalty: GroupL2,
    alpha: float,
    z: np.ndarray,
    tol: float,
    max_steps: int = 1000,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """Minimise ½ z'Hz + c'z + alpha Σ_g ‖z_g‖₂ from z: descent group by group, then Newton on the support.

    Parameters
    ----------
    hessian : ndarray of shape (d, d)
        Positive semidefinite.
    linear : ndarray of shape (d,)
    penalty : GroupL2
    alpha : float
    z : ndarray of shape (d,)
    tol : float
        Largest violation of the optimality conditions, beyond rounding errors.
    max_steps : int
        Largest number of rounds of descent and Newton.
    clock : Clock, optional
        As in `toprank.solvers.quadratic.minimise_l1`.

    Returns
    -------
    ndarray of shape (d,)
    """
    z, groups = z.copy(), penalty.groups_of(z.size)
    members = np.argsort(groups, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(groups)))
    bounds = np.empty(starts.size - 1)
    _bound_curvatures(hessian, members, starts, bounds)
    z[bounds[groups] == 0.0] = 0.0  # without curvature there is no slope either, only the norm
    jitter = JITTER_MIN
    for _ in range(max_steps):
        slope = hessian @ z + linear
        descend = partial(_descend_groups, hessian, z, slope, (members, starts, bounds), alpha, tol)
        run_sweeps(descend, SWEEPS_PER_CHECK, z.size, clock)
        slope, error = hessian @ z + linear, bound_slope_error(hessian, linear, z)
        is_optimal = penalty.violation(z, slope, alpha) <= np.maximum(tol, penalty.norms(error))
        if np.all(is_optimal) or clock.is_over():
            break
        if not z.any():
            continue
        if not clock.within_budget(count_newton_operations(np.count_nonzero(z))):
            break
        active, step = _solve_on_support(hessian, slope, z, penalty, alpha, jitter)
        direction = np.zeros_like(z)
        direction[active] = step
        length = _choose_step_length(z, direction, slope, step @ hessian[active], members, starts, alpha)
        z += length * direction
        # Levenberg and Marquardt: more jitter where the model of the norms holds for a short step only
        if length == 1.0:
            jitter = max(jitter / JITTER_FACTOR, JITTER_MIN)
        elif length < SHORT_STEP_LENGTH:
            jitter = min(max(jitter * JITTER_FACTOR, SHORT_STEP_JITTER), GROUP_JITTER_MAX)
    return z
