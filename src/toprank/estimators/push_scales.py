"""The alpha from which on w = 0 is the infinite push of some rows, for each penalty, depth and solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import OutOfTime
from toprank.estimators.fit_warnings import load_tool
from toprank.estimators.penalty_weights import (
    check_weighable,
    compute_column_scale,
    divide_columns,
    weigh_features,
)
from toprank.penalties import L1, ElasticNet

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.penalties import Penalty
    from toprank.problems.rows import RowMatrix
    from toprank.solvers.solver_specs import SolverSpec


def compute_push_alpha_max(
    data: tuple[RowMatrix, np.ndarray],
    penalty: Penalty,
    weights: np.ndarray | None,
    depth: float,
    solver: SolverSpec,
    clock: Clock,
) -> float:
    """Return the smallest alpha at which w = 0 is optimal, or the penalised weights are.

    Parameters
    ----------
    data : tuple
        The checked rows, of shape (n_samples, n_features), and a mask of the positives.
    penalty : Penalty
        Of the ridge, which has no such alpha, the value of the l1 norm is returned.
    weights : ndarray of shape (n_features,) or None
        Of the features in the penalty.
    depth : float
        K, from 1 to the number of negatives.
    solver : SolverSpec
        The values for the published solvers do not depend on the code of the exact one.
    clock : Clock

    Returns
    -------
    float
        A little above, so that w = 0 is optimal there despite rounding; 0 where it is at every alpha.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    ValueError
        If the penalty takes no weights of features.
    """
    from toprank.problems.push import PushRanking
    from toprank.solvers.regularisation_max import group_lambda_max, lambda_max

    X, relevant = data
    # the weights go into the columns, u_j = c_j w_j, so that the norm is a plain one
    if weights is not None:
        check_weighable(penalty)
        X = divide_columns(X, compute_column_scale(weights, is_ridge=False))
    has_free = weights is not None and not weights.all()
    # of an elastic net only the share of the l1 norm keeps weights at 0
    share = penalty.l1_ratio if isinstance(penalty, ElasticNet) else 1.0
    problem = PushRanking.from_classes(X[relevant], X[~relevant], 1.0, penalty)
    parts, norm = (problem.positives, problem.negatives), problem.penalty
    is_slope = solver.name != "exact" and not norm.cones and not has_free
    is_bound = False
    try:
        # free features: w = 0 for all others, while these have their best weights
        if has_free:
            compute_free_alpha_max = load_tool("free_features", "compute_free_alpha_max")
            X, free_norm, _ = weigh_features(X, L1(), np.sign(weights))
            smallest = compute_free_alpha_max(X[relevant], X[~relevant], free_norm, depth, clock)
        elif is_slope:
            smallest = lambda_max(*parts, clock=clock)
        elif depth == 1 and norm.cones:
            # group norms at depth 1: min over the simplex of the dual norm, by a conic program
            smallest = group_lambda_max(*parts, norm, clock)
        else:
            compute_alpha_max = load_tool("alpha_max", "compute_alpha_max")
            smallest = compute_alpha_max(*parts, norm if norm.cones else L1(), depth, clock)
    except OutOfTime as timeout:
        smallest, is_bound = timeout.partial_result, True
    # lambda_max is that of the squared hinge, whose slope is 2
    smallest = (1.0 + 1e-6) * (0.5 * smallest if is_slope else smallest) / share
    if is_bound:
        raise OutOfTime(smallest)
    return smallest
