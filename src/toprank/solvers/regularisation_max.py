"""lambda_max: the smallest weight of a norm at which w = 0 is optimal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import clarabel
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from toprank.clock import UNLIMITED, WRITE_COST, OutOfTime, count_interior_point_operations
from toprank.problems.zero_solution import (
    check_both_classes,
    compute_feature_extremes,
    compute_feature_gaps,
    compute_mean_row,
    is_rounding_error,
)

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.penalties import GroupL2
    from toprank.problems.rows import RowMatrix

#: Negatives, and features, that a step adds to the program at most: more make larger programs, fewer more of
#: them.
ROWS_PER_STEP = 100
#: A feature is added if its slope exceeds this share of the steepest one in the program.
ENTERING_SLOPE_SHARE = 0.9
#: Number of features in the first linear program.
INITIAL_FEATURES = 200


def _find_steepest_direction(
    differences: np.ndarray, seconds_left: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Maximise the minimum of ``differences @ w`` over ‖w‖₁ <= 1; returns w and the weights of the rows.

    Raises `OutOfTime` if that takes more than the seconds that are left.
    """
    k, d = differences.shape
    # maximise t subject to differences @ (u - v) >= t, sum(u + v) <= 1, u, v >= 0
    program = linprog(
        np.append(np.zeros(2 * d), -1.0),
        A_ub=np.vstack(
            [np.hstack([-differences, differences, np.ones((k, 1))]), np.append(np.ones(2 * d), 0.0)]
        ),
        b_ub=np.append(np.zeros(k), 1.0),
        bounds=[(0, None)] * (2 * d) + [(None, None)],
        method="highs",
        options=None if seconds_left is None else {"time_limit": seconds_left},
    )
    if program.status == 1 and seconds_left is not None:
        raise OutOfTime
    if program.status != 0:
        raise RuntimeError(f"the linear program of lambda_max ended with: {program.message}")
    weights = np.maximum(-program.ineqlin.marginals[:k], 0.0)
    return program.x[:d] - program.x[d : 2 * d], weights / weights.sum()


def lambda_max(
    positives: RowMatrix,
    negatives: RowMatrix,
    tol: float = 1e-7,
    max_iter: int = 500,
    clock: Clock = UNLIMITED,
) -> float:
    r"""Smallest weight of ‖w‖₁ above which w = 0 minimises it plus the squared hinge of K15 eq. (11).

    It is :math:`2 \min_b \|\bar x^+ - X^{-\prime} b\|_\infty` over the simplex: the slope of the squared
    hinge at 0 is 2. Its dual, the maximum of :math:`\bar x^{+\prime}w - \max_j x_j^{-\prime}w` over ‖w‖₁ ≤ 1,
    is solved by linear programs (HiGHS) to which negatives and features are added.

    Parameters
    ----------
    positives : ndarray or csr_array of shape (m, d)
    negatives : ndarray or csr_array of shape (n, d)
    tol : float
        Accuracy, relative to the largest spread of a feature. A feature that alone separates the mean of the
        positives from all negatives counts exactly, however small it is beside the others.
    max_iter : int
        Largest number of linear programs.
    clock : Clock, optional

    Returns
    -------
    float
        0 where the mean of the positives lies in the convex hull of the negatives.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If a class has no row.
    RuntimeError
        If ``max_iter`` linear programs are not enough.
    """
    check_both_classes(positives, negatives)
    mean = compute_mean_row(positives)
    d = mean.size
    if sp.issparse(negatives):
        spread = abs(negatives).max(axis=0).toarray().ravel()
    else:  # without a copy of the rows
        spread = np.maximum(negatives.max(axis=0) - mean, mean - negatives.min(axis=0))
    unit = spread.max() or np.abs(mean).max()  # sparse negatives may all lie at the origin
    highest, lowest = compute_feature_extremes(negatives)
    mean_negative = compute_mean_row(negatives)
    if is_rounding_error(mean - mean_negative, mean, np.maximum(highest - mean, mean - lowest)):
        return 0.0  # both classes have the same mean
    gaps = compute_feature_gaps(mean, highest, lowest)
    mean_difference = np.abs(mean - mean_negative)
    features = np.sort(np.argsort(-mean_difference, kind="stable")[:INITIAL_FEATURES])
    w = np.sign(mean - mean_negative) / d
    chosen = np.empty(0, dtype=np.intp)
    lower = 0.0  # the value of w = 0
    upper = np.inf
    for _ in range(max_iter):
        scores = (negatives @ w - mean @ w) / unit
        # any w with ‖w‖₁ ≤ 1 bounds the optimum of the dual from below
        lower = max(lower, -float(scores.max()))
        highest_negatives = np.argpartition(scores, -min(ROWS_PER_STEP, scores.size))[-ROWS_PER_STEP:]
        enlarged = np.union1d(chosen, highest_negatives)
        if upper - lower <= tol:
            # the optimum is 0 up to the accuracy, or that of a feature too small for it
            return 2.0 * unit * lower if lower > tol else 2.0 * float(gaps.max())
        chosen, was_chosen = enlarged, chosen.size
        rows = negatives[chosen]
        program_rows = rows[:, features]
        differences = (
            mean[features] - (program_rows.toarray() if sp.issparse(program_rows) else program_rows)
        ) / unit
        try:
            clock.require_budget(WRITE_COST * differences.size)
            point, weights = _find_steepest_direction(differences, clock.seconds_left)
        except OutOfTime:
            raise OutOfTime(
                2.0 * min(unit * upper, float(mean_difference.max()))
            ) from None  # value of equal weights
        w = np.zeros(d)
        w[features] = point
        # the steepest feature under these weights of the rows, in the program or not, is an upper bound
        residual = np.abs(mean - rows.T @ weights) / unit
        upper = min(upper, float(residual.max()))
        steepest = residual[features].max()
        # column generation: features outside of the program that are about as steep as its steepest
        entering = np.setdiff1d(np.flatnonzero(residual > ENTERING_SLOPE_SHARE * steepest), features)
        entering = entering[np.argsort(-residual[entering], kind="stable")[:ROWS_PER_STEP]]
        if residual.max() <= (1.0 + tol) * steepest:  # no feature outside of the program is steeper
            entering = entering[:0]
        # no row or feature to add: the optimal w of the restricted program is optimal for the full one
        if chosen.size == was_chosen and not entering.size:
            return 2.0 * unit * max(lower, float((mean @ w - negatives @ w).min()) / unit)
        features = np.union1d(features, entering)
    raise RuntimeError(f"lambda_max needs more than {max_iter} linear programs; raise max_iter")


def group_lambda_max(
    positives: RowMatrix, negatives: RowMatrix, penalty: GroupL2, clock: Clock = UNLIMITED
) -> float:
    r"""Smallest weight of a group norm above which w = 0 minimises it plus the infinite push of R12 eq. (2).

    It is :math:`\min_b \max_g \|(\bar x^+ - X^{-\prime} b)_g\|_2` over the simplex, a small conic problem
    (Clarabel).

    Parameters
    ----------
    positives : ndarray or csr_array of shape (m, d)
    negatives : ndarray or csr_array of shape (n, d)
    penalty : toprank.penalties.GroupL2
    clock : Clock, optional

    Returns
    -------
    float
        0 where the mean of the positives lies in the convex hull of the negatives.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If a class has no row.
    RuntimeError
        If the conic solver ended without a solution.
    """
    check_both_classes(positives, negatives)
    mean, n = compute_mean_row(positives), negatives.shape[0]
    columns = sp.csr_array(negatives).T
    difference = mean - compute_mean_row(negatives)
    highest, lowest = compute_feature_extremes(negatives)
    if is_rounding_error(difference, mean, np.maximum(highest - mean, mean - lowest)):
        return 0.0  # both classes have the same mean
    unit = penalty.dual_norm(difference)  # the value of equal weights
    if not clock.within_budget(count_interior_point_operations(columns.nnz, min(columns.shape))):
        raise OutOfTime(unit)
    # variables: the weights b and the bound; a cone holds (bound, (mean - X'b)_g)
    blocks = [sp.csr_array(np.append(np.ones(n), 0.0)[None, :]), -sp.eye_array(n, n + 1)]
    bounds, cones = [[1.0], np.zeros(n)], [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    for members in penalty.cones:
        bound_row = sp.csr_array(([-1.0], ([0], [n])), (1, n + 1))
        group_columns = sp.hstack([columns[members] / unit, sp.csr_array((members.size, 1))])
        blocks.append(sp.vstack([bound_row, group_columns]))
        bounds.append(np.append(0.0, mean[members] / unit))
        cones.append(clarabel.SecondOrderConeT(1 + members.size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    if clock.seconds_left is not None:
        settings.time_limit = clock.seconds_left
    solution = clarabel.DefaultSolver(
        sp.csc_array((n + 1, n + 1)),
        np.append(np.zeros(n), 1.0),
        sp.csc_array(sp.vstack(blocks)),
        np.concatenate(bounds),
        cones,
        settings,
    ).solve()
    if solution.status == clarabel.SolverStatus.MaxTime:
        raise OutOfTime(unit)
    if solution.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
        raise RuntimeError(
            f"the cone program of alpha_max under a group norm ended as {solution.status}; standardise the "
            "features"
        )
    # a value that is tiny relative to the unit counts as 0
    smallest_weight = unit * solution.x[-1]
    return smallest_weight if smallest_weight > 1e-7 * unit else 0.0
