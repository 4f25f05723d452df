"""The C at which a fit to pairs stops being 0, and the one with the scale of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED
from toprank.estimators.fit_warnings import load_tool
from toprank.estimators.penalty_weights import check_penalty_weights, select_penalised, weigh_features
from toprank.penalties import L1, SquaredL2

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.estimators.penalty_weights import FeatureMap
    from toprank.estimators.rotation import Reflections
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.typing import Values


def weigh_problem(
    problem: PairwiseRanking, penalty_weights: Values | None, clock: Clock = UNLIMITED
) -> tuple[PairwiseRanking, FeatureMap | Reflections | None]:
    """Return the problem with the weights of the features in it, rotated if it is wide.

    Parameters
    ----------
    problem : PairwiseRanking
    penalty_weights : array-like of shape (n_features,) or None
    clock : Clock, optional

    Returns
    -------
    problem : PairwiseRanking
    basis : FeatureMap, Reflections or None
        ``basis @ w`` carries a solution back; None where nothing was changed.
    """
    weights = check_penalty_weights(penalty_weights, problem.n_features)
    is_dense = not sp.issparse(problem.X)  # the rotation would fill sparse rows
    rows, penalty, basis = weigh_features(
        problem.X, problem.penalty, weights, clock, is_dense, problem.starts
    )
    return problem.with_rows(rows).with_penalty(penalty), basis


def compute_mean_margin_C(problem: PairwiseRanking, penalty_weights: Values | None = None) -> float:
    """Return the C at which w = -C g, with the gradient g of the loss at 0, has a mean margin of 1.

    Parameters
    ----------
    problem : PairwiseRanking
    penalty_weights : array-like of shape (n_features,), optional
        Features of weight 0 are left out.

    Returns
    -------
    float
        Infinity if g is 0.
    """
    weights = check_penalty_weights(penalty_weights, problem.n_features)
    problem = problem.with_rows(select_penalised(problem.X, weights))
    loss = problem.loss(np.zeros(problem.X.shape[0]))
    slope = float(np.square(problem.gradient(loss)).sum())
    # at 0 the loss is the (weighted) number of pairs, and g is minus twice the sum of their differences
    return 2.0 * loss.value / slope if slope > 0.0 else float("inf")


def compute_zero_C_max(problem: PairwiseRanking, penalty_weights: Values | None = None) -> float:
    """Return the largest C at which the first, or only, convex problem leaves all penalised weights 0.

    Parameters
    ----------
    problem : PairwiseRanking
        Under a ridge, the value of the l1 norm is returned.
    penalty_weights : array-like of shape (n_features,), optional

    Returns
    -------
    float
        Infinity if they are 0 at every C.
    """
    if penalty_weights is not None:
        # under a ridge w = 0 is optimal at no C: the l1 norm gives the scale
        problem = problem.with_penalty(L1()) if isinstance(problem.penalty, SquaredL2) else problem
        problem, _ = weigh_problem(problem, penalty_weights)
    # free features are not 0 at the start of the path: the others are 0 given their best weights
    if problem.penalty.free_features.size:
        largest = load_tool("free_pairs", "compute_free_lambda_max")(problem)
    else:
        largest = problem.with_penalty(problem.penalty.initial_norm).lambda_max()
    return 1.0 / largest if largest > 0 else float("inf")
