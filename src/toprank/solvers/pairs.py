"""Products with the matrix of all m n pairwise differences x_i⁺ − x_j⁻, which is never stored."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, WRITE_COST

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking

#: Largest number of pairs for which the solvers on pairs are meant, and the arrays of this size that they
#: keep.
PAIRS_MAX, PAIR_MATRICES = 4_000_000, 8


def warn_of_pair_count(problem: PushRanking, solver: str) -> None:
    """Warn if there are too many pairs for a solver that stores numbers for each.

    Parameters
    ----------
    problem : PushRanking
    solver : str
        Its name in the estimator.
    """
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    if m * n > PAIRS_MAX:
        warnings.warn(
            f"solver {solver!r} keeps several numbers for each of the {m} x {n} pairs, some "
            f"{PAIR_MATRICES * 8 * m * n / 1e9:.2g} GB, and is meant for at most {PAIRS_MAX:,} pairs; "
            "take solver 'exact', which needs no pair",
            UserWarning,
            stacklevel=3,
        )


def compute_score_differences(positive_scores: np.ndarray, negative_scores: np.ndarray) -> np.ndarray:
    """Return the score difference of each pair, p_i − q_j, of shape (m, n).

    Parameters
    ----------
    positive_scores : ndarray of shape (m,)
    negative_scores : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (m, n)
    """
    return positive_scores[:, None] - negative_scores[None, :]


def sum_weighted_pairs(problem: PushRanking, pair_weights: np.ndarray) -> np.ndarray:
    """Sum of the pairs' rows by weights of shape (m, n): X⁺'(V1) − X⁻'(V'1), of shape (d,).

    Parameters
    ----------
    problem : PushRanking
    pair_weights : ndarray of shape (m, n)

    Returns
    -------
    ndarray of shape (d,)
    """
    return problem.dual_direction(pair_weights.sum(axis=1), pair_weights.sum(axis=0))


def compute_gram(problem: PushRanking, clock: Clock = UNLIMITED) -> np.ndarray:
    """Return the Gram matrix of the pairs, without forming a pair.

    It is n X⁺'X⁺ + m X⁻'X⁻ − s⁺s⁻' − s⁻s⁺' with the column sums s.

    Parameters
    ----------
    problem : PushRanking
    clock : Clock, optional
        Its budget must cover the products.

    Returns
    -------
    ndarray of shape (d, d)
    """
    positives, negatives = problem.positives, problem.negatives
    m, n, d = positives.shape[0], negatives.shape[0], problem.n_features
    if sp.issparse(positives):
        operations = WRITE_COST * (positives.nnz**2 / m + negatives.nnz**2 / n)
    else:
        operations = 2.0 * (m + n) * d**2
    clock.require_budget(
        operations + 4.0 * WRITE_COST * d**2
    )  # the products, and four matrices of d x d entries
    total = n * (positives.T @ positives) + m * (negatives.T @ negatives)
    total = total.toarray() if sp.issparse(total) else total
    cross = np.outer(np.asarray(positives.sum(axis=0)).ravel(), np.asarray(negatives.sum(axis=0)).ravel())
    return total - cross - cross.T
