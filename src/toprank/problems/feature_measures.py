"""Ingredients of FSMRank's penalty: the similarity of two features' rankings, and a feature's importance."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime
from toprank.metrics import mean_average_precision, ndcg
from toprank.problems.rank_agreement import sum_sign_agreement

if TYPE_CHECKING:
    from toprank.clock import Clock

#: Lower limit of the importance, so that each feature has a finite weight in the penalty.
MIN_IMPORTANCE = 1e-3
IMPORTANCE_METRICS = ("map", "ndcg")


def compute_similarity(
    X: np.ndarray | sp.csr_array, starts: np.ndarray, clock: Clock = UNLIMITED, n_first: int | None = None
) -> np.ndarray:
    r"""Similarity of the rankings by two features: the mean of :math:`(1 + \tau_{jk})/2` over the queries.

    Kendall's τ (τ-a) is the share of the pairs of documents of a query that both features order alike, minus
    the share that they order differently; ties count as neither. Without ties :math:`(1 + \tau)/2` is the
    share of concordant pairs, whose mean over the queries is the similarity of GAS. The matrix of τ is a Gram
    matrix of sign vectors, and so is the matrix of ones. So A is positive semidefinite, with entries in
    [0, 1].

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
        The documents of a query are contiguous.
    starts : ndarray of shape (n_queries + 1,)
    clock : Clock, optional
    n_first : int, optional
        Compare only so many features, the first ones, with all.

    Returns
    -------
    ndarray of shape (d, d) or (n_first, d)

    Raises
    ------
    OutOfTime
        If the time is too short.
    """
    d = X.shape[1]
    n_first = d if n_first is None else n_first
    total, n_queries = np.zeros((n_first, d)), 0
    for first, last in itertools.pairwise(starts):
        n = last - first
        # a query of one document has no pair, hence no τ
        if n > 1:
            total += sum_sign_agreement(X[first:last], clock, n_first) / (n * (n - 1) // 2)
            n_queries += 1
    return 0.5 * (1.0 + total / n_queries)


def compute_importance(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    qid: np.ndarray | None,
    metric: str,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """MAP or NDCG@10 of the ranking by each feature alone, in its better direction, in [0.001, 1].

    The documents are ranked by ascending and by descending values, and the better ranking counts, because a
    weight may have either sign. Of equal values the metric is the expected one over all their orders.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
    y : ndarray of shape (n_documents,)
        Grades from 0, or any two values.
    qid : ndarray of shape (n_documents,) or None
    metric : {"map", "ndcg"}
    clock : Clock, optional

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    OutOfTime
        If the time is up.
    ValueError
        If the metric is MAP, and every row is relevant.
    """
    # two grades whatever their numbers: the larger one is relevant
    values = np.unique(y)
    grades = (y == values[-1]).astype(float) if values.size == 2 else y
    if metric == "map" and (grades > 0).all():
        raise ValueError(
            "all rows of y are relevant (above 0), so every feature has a MAP of 1; mark the rows that are "
            "not relevant by 0, or take importance='ndcg'"
        )
    columns = X.tocsc() if sp.issparse(X) else X
    importances = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        if clock.is_over():
            raise OutOfTime
        feature = columns[:, [j]].toarray().ravel() if sp.issparse(X) else np.ascontiguousarray(X[:, j])
        # a feature that is better when it is small counts as much as one that is better when it is large
        importances[j] = max(_evaluate_ranking(grades, sign * feature, qid, metric) for sign in (1.0, -1.0))
    return np.maximum(importances, MIN_IMPORTANCE)


def _evaluate_ranking(grades: np.ndarray, scores: np.ndarray, qid: np.ndarray | None, metric: str) -> float:
    if metric == "map":
        return mean_average_precision(grades, scores, qid)
    return ndcg(grades, scores, qid, k=10)
