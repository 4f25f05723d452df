r"""The scale of a grid of alpha at depth K: from the fit that separates the mean of the positives alone.

With the mean as the only positive, x̄, and δ = min_b Ω°(x̄ − X⁻'b) over 0 ≤ b ≤ 1/K with Σb = 1,

- under a norm Ω the optimum of the infinite push is α/δ at every α ≤ δ, and 1 above: δ is its alpha_max,
- under the ridge the optimum of TopPush is 1/(1 + 2δ²/α) at every α.

So a certified fit at any such alpha gives δ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import UNLIMITED, OutOfTime
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.problems.zero_solution import (
    CONSTANT_FEATURE_RTOL,
    HULL_DISTANCE_TOL,
    check_both_classes,
    compute_feature_extremes,
    compute_feature_gaps,
    compute_mean_row,
    is_rounding_error,
    make_row,
)
from toprank.solvers.push_exact import solve as solve_push
from toprank.solvers.row_generation import solve as solve_top
from toprank.solvers.smallest_depth import DEPTH_RTOL, compute_smallest_depth

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock
    from toprank.penalties import Penalty
    from toprank.problems.rows import RowMatrix
    from toprank.solvers.monitor import Solution

#: A first alpha, relative to the value of equal weights, and the factor to the next one where w = 0 is
#: optimal.
FIRST_SHARE, NEXT_SHARE = 0.1, 1e-3
#: Relative gap of the fits.
SCALE_RTOL = 1e-9
#: A mean within this distance of the negatives' means, in the smallest spread of a feature, has the scale 0.
ZERO_DISTANCE_TOL = 1e-6


def compute_alpha_max(
    positives: RowMatrix,
    negatives: RowMatrix,
    penalty: Penalty,
    depth: float = 1.0,
    clock: Clock = UNLIMITED,
) -> float:
    """Return the smallest alpha at which w = 0 minimises the infinite push under a norm.

    Parameters
    ----------
    positives, negatives : ndarray or csr_array of shapes (m, d) and (n, d)
    penalty : Penalty
        `L1` or `GroupL2`, adapted to the data.
    depth : float, default=1
        K, from 1 to n.
    clock : Clock, optional

    Returns
    -------
    float
        0 where w = 0 is optimal at every alpha. Under `L1`, a feature that alone separates the mean of the
        positives from all negatives counts exactly, however small it is beside the others.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If a class has no row.
    """
    check_both_classes(positives, negatives)
    mean = compute_mean_row(positives)
    difference = mean - compute_mean_row(negatives)
    highest, lowest = compute_feature_extremes(negatives)
    if is_rounding_error(difference, mean, np.maximum(highest - mean, mean - lowest)):
        return 0.0  # both classes have the same mean
    feature_gap = 0.0
    if penalty.is_separable:
        feature_gap = float(compute_feature_gaps(mean, highest, lowest).max(initial=0.0))
    upper = float(penalty.dual_norm(difference))  # the value of equal weights
    smallest, alpha = HULL_DISTANCE_TOL * upper, FIRST_SHARE * upper
    while alpha > smallest:
        problem = PushRanking(make_row(mean, negatives), negatives, alpha, penalty, depth)
        certificate = solve_push(problem, tol=SCALE_RTOL, time_limit=clock.seconds_left).certificate
        if certificate.status == "time_limit":
            raise OutOfTime(min(upper, alpha / max(certificate.lower_bound, alpha / upper)))
        if certificate.objective < 1.0 - 1e-6:
            return max(alpha / certificate.objective, feature_gap)
        upper, alpha = alpha, NEXT_SHARE * alpha  # w = 0 is optimal at this alpha
    return feature_gap


def compute_ridge_scale(
    positives: RowMatrix,
    negatives: RowMatrix,
    depth: float = 1.0,
    clock: Clock = UNLIMITED,
    solve: Callable[..., Solution] = solve_top,
) -> float | None:
    """Return 2 δ², the alpha at which the objective of TopPush can fall by no more than a half.

    Parameters
    ----------
    positives, negatives : ndarray, csr_array or SelectedRows of shapes (m, d) and (n, d)
    depth : float, default=1
        K, from 1 to n.
    clock : Clock, optional
    solve : callable
        Solver of `TopRanking`.

    Returns
    -------
    float, or None
        0 where w = 0 is optimal at every alpha; None if the solver ended without a certificate.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If a class has no row.
    """
    check_both_classes(positives, negatives)
    mean = compute_mean_row(positives)
    difference = mean - compute_mean_row(negatives)
    highest, lowest = compute_feature_extremes(negatives)
    spread = np.maximum(highest - mean, mean - lowest)
    if is_rounding_error(difference, mean, spread):
        return 0.0  # both classes have the same mean
    # a distance that counts as 0 in the unit of every feature
    smallest_spread = spread[spread > CONSTANT_FEATURE_RTOL * np.abs(mean)].min(initial=np.inf)
    zero_scale = 2.0 * (ZERO_DISTANCE_TOL * smallest_spread) ** 2
    upper = alpha = 2.0 * float(difference @ difference)  # the value of equal weights
    is_positive = False
    while alpha > HULL_DISTANCE_TOL**2 * upper:
        problem = TopRanking(make_row(mean, negatives), negatives, alpha, depth)
        certificate = solve(problem, tol=SCALE_RTOL, time_limit=clock.seconds_left).certificate
        scale, scale_bound = (
            alpha * (1.0 / max(value, 1e-300) - 1.0)
            for value in (certificate.objective, certificate.lower_bound)
        )
        if scale_bound <= zero_scale:
            return 0.0
        if certificate.status == "time_limit":
            raise OutOfTime(min(upper, scale_bound))
        if solve is not solve_top and certificate.status != "certified":
            return None
        # at a much smaller value than alpha, digits of it are lost
        if scale > 1e-3 * alpha:
            return scale
        # 0 within the accuracy of the fit, in the unit of the largest features: a linear program decides
        if not is_positive and scale_bound < 10.0 * SCALE_RTOL * alpha:
            is_positive = _is_above_smallest_depth(positives, negatives, depth, clock, upper)
            if not is_positive:
                return 0.0
        alpha *= NEXT_SHARE
    return 0.0


def _is_above_smallest_depth(
    positives: RowMatrix, negatives: RowMatrix, depth: float, clock: Clock, upper: float
) -> bool:
    """Return whether w = 0 is not optimal at every alpha; if the time is too short, `upper` is the bound."""
    try:
        return depth > compute_smallest_depth(positives, negatives, clock) * (1.0 + DEPTH_RTOL)
    except OutOfTime as timeout:
        raise OutOfTime(upper) from timeout
