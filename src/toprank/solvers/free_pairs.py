"""The alpha at which the penalised weights of a fit to pairs stop being 0, beside free features."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toprank.solvers.prox_newton import solve

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking


def compute_free_lambda_max(problem: PairwiseRanking) -> float:
    """Return the smallest alpha at which all penalised weights of a pairwise problem are 0.

    The gradient of the loss is the same at all of its minima in the free features.

    Parameters
    ----------
    problem : PairwiseRanking
        Under an `ElasticNet` with weights, some of them 0.

    Returns
    -------
    float
        0 where they are 0 at every alpha.
    """
    penalty, rows = problem.penalty, problem.X
    free = penalty.free_features
    slopes = problem.gradient(problem.loss(np.zeros(rows.shape[0])))
    unit = float(np.abs(slopes[free]).max(initial=0.0))
    scores = np.zeros(rows.shape[0])
    if unit > 0.0:
        # without a penalised feature the slope of alpha Ω, the unit of a violation, is alpha
        reduced = replace(problem, X=rows[:, free], alpha=unit, penalty=penalty.restrict_to(free))
        w = solve(reduced, tol=1e-12, certify=False, time_limit=problem.clock.seconds_left).w
        scores = rows[:, free] @ w
    gradient = problem.gradient(problem.loss(scores))
    is_penalised = penalty.weights > 0.0
    norm = penalty.initial_norm.weights[is_penalised]
    largest = float((np.abs(gradient[is_penalised]) / norm).max())
    # beside the slopes at 0 the rest is rounding, where the free features separate all pairs
    smallest = 1e-12 * float((np.abs(slopes[is_penalised]) / norm).max())
    return largest if largest > smallest else 0.0
