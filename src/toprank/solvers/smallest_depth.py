r"""The smallest depth at which a model can work: w = 0 is optimal at every alpha up to it.

At depth K, w = 0 is optimal at every alpha if and only if the mean of the positives is a mean of negatives
with weights of at most 1/K. The largest such K is 1/t of the linear program min {t : X⁻'b = x̄⁺, Σb = 1, 0 ≤
b ≤ t}, whose dual is

.. math:: K^* = \min_w \sum_j \bigl(1 + w'(x_j^- - \bar x^+)\bigr)_+ .

It is an infinite push with the negatives as positives, and the mean as the only negative, almost without a
penalty, so its solver is that of `push_exact`: groups of rows for the many, and a program of few rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime
from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.problems.zero_solution import (
    HULL_DISTANCE_TOL,
    check_both_classes,
    compute_feature_extremes,
    compute_feature_gaps,
    compute_mean_row,
    make_row,
)
from toprank.solvers.push_exact import solve

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.rows import RowMatrix

#: Relative accuracy of K*.
DEPTH_RTOL = 1e-7


def compute_smallest_depth(positives: RowMatrix, negatives: RowMatrix, clock: Clock = UNLIMITED) -> float:
    """Return K*: at a depth above it, w = 0 is not optimal at every alpha.

    Parameters
    ----------
    positives, negatives : ndarray or csr_array of shapes (m, d) and (n, d)
    clock : Clock, optional

    Returns
    -------
    float
        Between 1 and n; 0 where every depth works, since the mean of the positives lies outside of the convex
        hull of the negatives.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If a class has no row.
    """
    check_both_classes(positives, negatives)
    mean, n = compute_mean_row(positives), negatives.shape[0]
    highest, lowest = compute_feature_extremes(negatives)
    if compute_feature_gaps(mean, highest, lowest).any():
        return 0.0
    spread = np.maximum(highest - mean, mean - lowest)
    varies = spread > HULL_DISTANCE_TOL * np.abs(mean)
    if not varies.any():
        return float(n)
    # a point within the tolerance of the hull counts as inside: the penalty allows for it
    penalty = L1(np.where(varies, spread, spread.max()))
    rows = negatives if sp.issparse(negatives) else np.asarray(negatives, dtype=float)
    problem = PushRanking.from_classes(-rows, -make_row(mean, rows), HULL_DISTANCE_TOL, penalty)
    solution = solve(problem, tol=DEPTH_RTOL, time_limit=clock.seconds_left)
    depth = float(np.maximum(1.0 + negatives @ solution.w - mean @ solution.w, 0.0).sum())
    if solution.certificate.status == "time_limit":
        raise OutOfTime(min(depth, float(n)))
    return 0.0 if depth < 1.0 - DEPTH_RTOL * n else min(max(depth, 1.0), float(n))
