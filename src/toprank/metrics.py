"""Metrics of a ranking: at the top of one list, or averaged over queries.

No metric depends on the order of the rows, except under ``convention="letor"``. MAP and NDCG of tied scores
are the expected values over all orders of the ties, in closed form. Pos@Top and the rate at the top have
no order of ties to average over: only a score strictly above the highest negative counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.document_ranks import check_finite, rank_documents
from toprank.labels import as_numbers, relevant_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toprank.typing import Convention, Values, Weights


def _split_scores(y_true: Values, y_score: Values) -> tuple[Weights, Weights]:
    """Check both arrays; return the scores of the positives and of the negatives."""
    y_true, scores = as_numbers(y_true), np.asarray(y_score, dtype=float)
    if y_true.shape != scores.shape or y_true.ndim != 1:
        raise ValueError(
            "y_true and y_score must be one-dimensional and of one length; "
            f"got {y_true.shape} and {scores.shape}"
        )
    check_finite(scores)
    relevant = relevant_rows(y_true)
    return scores[relevant], scores[~relevant]


def positives_at_top(y_true: Values, y_score: Values) -> int:
    """Count the positives that score strictly above the highest negative (Pos@Top of K15, section 5.1).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top. A constant scorer gets 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a score is not finite, or y holds a single class.

    Examples
    --------
    >>> from toprank.metrics import positives_at_top
    >>> positives_at_top([1, 1, 0, 0], [4.0, 2.0, 3.0, 1.0])
    1
    """
    positives, negatives = _split_scores(y_true, y_score)
    return int(np.count_nonzero(positives > negatives.max()))


def rate_at_top(y_true: Values, y_score: Values) -> float:
    """Fraction of the positives that score strictly above the highest negative (R12, section 4).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.

    Returns
    -------
    float
        Between 0 and 1; 0 for a constant scorer.

    Raises
    ------
    ValueError
        If a score is not finite, or y holds a single class.

    Examples
    --------
    >>> from toprank.metrics import rate_at_top
    >>> rate_at_top([1, 1, 0, 0], [4.0, 2.0, 3.0, 1.0])
    0.5
    """
    return positives_at_top(y_true, y_score) / int(np.count_nonzero(relevant_rows(y_true)))


def selected_variables(coef: Values, threshold: float = 1e-6) -> NDArray[np.bool_]:
    """Mask of the features that a linear model uses: their weights are not negligible beside the largest.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
    threshold : float, default=1e-6
        Relative to the largest absolute weight. R12 does not say how it counts; this is our choice.

    Returns
    -------
    ndarray of bool of shape (n_features,)
        All False where all weights are 0.

    Examples
    --------
    >>> from toprank.metrics import selected_variables
    >>> selected_variables([2.0, 0.0, -0.5])
    array([ True, False,  True])
    """
    magnitudes = np.abs(np.asarray(coef, dtype=float)).ravel()
    return magnitudes > threshold * magnitudes.max(initial=0.0)


def average_precision_per_query(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
) -> Weights:
    """Average precision of the ranking of each query.

    It is the mean precision at the ranks of the relevant documents of the query; of tied scores, its expected
    value over all orders of the ties.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Grades, or two values (see `toprank.labels.as_grades`); a document is relevant above 0.
    y_score : array-like of shape (n_samples,)
        Larger is nearer to the top.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one query.
    k : int, optional
        Documents ranked below k count as not found; None: the whole list.
    convention : {"standard", "letor"}, default="standard"
        A query without relevant document gets NaN ("standard") or 0 ("letor"). "letor" also ranks equal
        scores in the order of the rows, as LETOR's script does.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is not a grade, k < 1, or the convention is
        unknown.

    Notes
    -----
    A group of n tied documents, r of them relevant, follows a documents, c of them relevant. In a random
    order its i-th document is relevant with probability r / n, and then (i − 1)(r − 1) / (n − 1) of those
    before it in the group are expected to be [1]_. So the rank a + i adds
    r / n · (c + 1 + (i − 1)(r − 1) / (n − 1)) / (a + i).

    References
    ----------
    .. [1] F. McSherry, M. Najork. Computing information retrieval performance metrics efficiently in the
       presence of tied scores. ECIR 2008.

    Examples
    --------
    >>> from toprank.metrics import average_precision_per_query
    >>> average_precision_per_query([0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0], qid=[7, 7, 9, 9])
    array([0.5, 1. ])
    """
    grades, query, rank, sizes, starts = rank_documents(y_true, y_score, qid, k, convention)
    relevant = (grades > 0).astype(float)
    n_relevant = np.bincount(query, weights=relevant, minlength=sizes.size)
    n = np.diff(starts, append=grades.size)
    r = np.add.reduceat(relevant, starts)
    c = np.cumsum(r) - r - (np.cumsum(n_relevant) - n_relevant)[query[starts]]
    before = rank - np.repeat(rank[starts], n)  # i - 1
    hits = np.repeat(c + 1.0, n) + before * np.repeat((r - 1.0) / np.maximum(n - 1, 1), n)
    precision = np.repeat(r / n, n) * hits / rank
    if k is not None:
        precision[rank > k] = 0.0
    total = np.bincount(query, weights=precision, minlength=sizes.size)
    empty = 0.0 if convention == "letor" else np.nan
    return np.where(n_relevant > 0, total / np.maximum(n_relevant, 1), empty)


def mean_average_precision(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
) -> float:
    """Mean of the average precision over the queries (MAP; L14, section V).

    Parameters
    ----------
    y_true, y_score, qid, k
        As in `average_precision_per_query`.
    convention : {"standard", "letor"}, default="standard"
        "standard": a query without relevant document does not count, as in the judgements of TREC. "letor":
        it counts 0, as in LETOR's script (and in trec_eval, if the judgements list it).

    Returns
    -------
    float
        NaN where "standard" leaves no query.

    Raises
    ------
    ValueError
        As `average_precision_per_query`.

    Examples
    --------
    >>> from toprank.metrics import mean_average_precision
    >>> mean_average_precision([0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0], qid=[7, 7, 9, 9])
    0.75
    """
    precision = average_precision_per_query(y_true, y_score, qid, k=k, convention=convention)
    defined = precision[~np.isnan(precision)]
    return float(defined.mean()) if defined.size else float("nan")


def ndcg_per_query(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
) -> Weights:
    """Normalised discounted cumulative gain of each query at rank k.

    The gain of a document is 2^y − 1. The discounted gains of the first k documents are summed, and divided
    by the sum in the best ranking. Tied documents share their mean gain, which gives the expected value over
    all orders of the ties, as in scikit-learn's ``ndcg_score``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Grades, or two values; see `toprank.labels.as_grades`.
    y_score : array-like of shape (n_samples,)
        Larger is nearer to the top.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one query.
    k : int, optional
        None: the whole list.
    convention : {"standard", "letor"}, default="standard"
        "standard": a gain at rank r is divided by log₂(1 + r). "letor": by 1 at ranks 1 and 2 and by log₂(r)
        from there on, equal scores rank in the order of the rows, and **a query with fewer than k documents
        gets 0**; so does LETOR's own script, with which L14 measured.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``; 0 for a query without relevant document.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is not a grade, k < 1, or the convention is
        unknown.

    Examples
    --------
    >>> from toprank.metrics import ndcg_per_query
    >>> ndcg_per_query([0, 1, 2, 0], [2.0, 1.0, 2.0, 1.0], qid=[7, 7, 9, 9]).round(3)
    array([0.631, 1.   ])
    >>> ndcg_per_query([1, 0], [3.0, 3.0]).round(3)  # as often at rank 1 as at rank 2
    array([0.815])
    """
    grades, query, rank, sizes, starts = rank_documents(y_true, y_score, qid, k, convention)
    discount = np.log2(np.maximum(rank, 2) if convention == "letor" else rank + 1)
    if k is not None:
        discount[rank > k] = np.inf

    def sum_discounted_gains(gains: Weights) -> Weights:
        """Return the discounted cumulative gain of each query.

        Parameters
        ----------
        gains : ndarray of shape (n_documents,)
            Gain of the document at each rank, query by query.

        Returns
        -------
        ndarray of shape (n_queries,)
            In the order of the queries.
        """
        return np.bincount(query, weights=gains / discount, minlength=sizes.size)

    gains = np.exp2(grades) - 1.0
    n = np.diff(starts, append=grades.size)
    expected_gains = np.repeat(np.add.reduceat(gains, starts) / n, n)
    ideal = sum_discounted_gains(gains[np.lexsort((-grades, query))])
    value = sum_discounted_gains(expected_gains) / np.where(ideal > 0, ideal, 1.0)
    if convention == "letor" and k is not None:
        value[sizes < k] = 0.0
    return value


def ndcg(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
) -> float:
    """Mean of the normalised discounted cumulative gain over all queries (NDCG@k; L14, section V).

    Parameters
    ----------
    y_true, y_score, qid, k, convention
        As in `ndcg_per_query`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `ndcg_per_query`.

    Examples
    --------
    >>> from toprank.metrics import ndcg
    >>> round(ndcg([0, 1, 2, 0], [2.0, 1.0, 2.0, 1.0], qid=[7, 7, 9, 9]), 3)
    0.815
    """
    return float(ndcg_per_query(y_true, y_score, qid, k=k, convention=convention).mean())
