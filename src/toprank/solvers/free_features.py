"""The alpha at which the penalised weights of the infinite push stop being 0, beside free features.

At that end of a path the free features alone are fitted. It is found along the path: the optimum as a
function of alpha is concave, nondecreasing, and equal to that of the free features alone from alpha_max on.
So each tangent, whose slope is Ω(w), meets this value at or below alpha_max. Under the l1 norm the function
is piecewise linear, and the search by tangents ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import UNLIMITED, OutOfTime
from toprank.problems.free_push import FreePushRanking
from toprank.problems.zero_solution import HULL_DISTANCE_TOL, compute_feature_extremes
from toprank.solvers.push_exact import solve as solve_push

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.penalties import ElasticNet
    from toprank.problems.rows import RowMatrix

#: A first alpha, relative to the largest range of a feature, and the factor to the next one where all
#: penalised weights are 0.
FIRST_SHARE, NEXT_SHARE = 0.03, 0.03
#: Relative gap of the fits, and by how much more than a tangent's end the next alpha is.
FIT_RTOL, STEP_RTOL = 1e-9, 1e-7
#: Tangents (Newton steps on the convex value) after which alpha is taken as it is.
TANGENTS_MAX = 60


def compute_free_alpha_max(
    positives: RowMatrix,
    negatives: RowMatrix,
    penalty: ElasticNet,
    depth: float = 1.0,
    clock: Clock = UNLIMITED,
) -> float:
    """Return the smallest alpha at which all penalised weights of the infinite push are 0.

    Parameters
    ----------
    positives, negatives : ndarray or csr_array of shapes (m, d) and (n, d)
    penalty : ElasticNet
        Of l1_ratio 1, with weights of which some are 0, and others not.
    depth : float, default=1
        K, from 1 to n.
    clock : Clock, optional

    Returns
    -------
    float
        0 where they are 0 at every alpha.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    """
    is_penalised = penalty.weights > 0.0
    ranges = _compute_ranges(positives, negatives)[is_penalised] / penalty.weights[is_penalised]
    # the slope of a feature is a difference of two means of its values, times at most 1
    upper, smallest = float(ranges.max()), HULL_DISTANCE_TOL * float(ranges.max())
    free = FreePushRanking(
        *(rows[:, ~is_penalised] for rows in (positives, negatives)),
        1.0,
        penalty.restrict_to(np.flatnonzero(~is_penalised)),
        depth,
    )
    problem = FreePushRanking(positives, negatives, upper, penalty, depth)
    limits = {"tol": FIT_RTOL}
    limit = _solve_in_time(free, clock, upper, **limits)[1]
    if limit <= FIT_RTOL:  # the free features separate the classes
        return 0.0
    alpha, is_below = FIRST_SHARE * upper, False
    for _ in range(TANGENTS_MAX):
        w, value = _solve_in_time(replace(problem, alpha=alpha), clock, upper, **limits)
        if value >= (1.0 - 10.0 * FIT_RTOL) * limit or not w[is_penalised].any():
            if is_below:
                return alpha
            upper, alpha = alpha, NEXT_SHARE * alpha
            if alpha <= smallest:
                return 0.0
            continue
        is_below = True
        alpha = (alpha + (limit - value) / penalty.value(w)) * (1.0 + STEP_RTOL)
    return alpha


def _compute_ranges(positives: RowMatrix, negatives: RowMatrix) -> np.ndarray:
    """Return the range of each feature over both classes."""
    (high, low), (other_high, other_low) = map(compute_feature_extremes, (positives, negatives))
    return np.maximum(high, other_high) - np.minimum(low, other_low)


def _solve_in_time(
    problem: FreePushRanking, clock: Clock, upper: float, **limits: float
) -> tuple[np.ndarray, float]:
    """Return the solution of a problem and its objective."""
    solution = solve_push(problem, time_limit=clock.seconds_left, **limits)
    if solution.certificate.status == "time_limit":
        raise OutOfTime(upper)
    return solution.w, solution.certificate.objective
