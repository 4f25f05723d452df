"""Average precision and NDCG, of one list and averaged over queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.document_ranks import rank_documents
from toprank.metrics.tie_groups import check_list

if TYPE_CHECKING:
    from toprank.typing import Convention, Ties, Values, Weights


def average_precision_per_query(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
    ties: Ties = "average",
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
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the less relevant first; "letor"
        has its own order.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is not a grade, k < 1, or the convention or the
        order of ties is unknown.

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
    grades, query, rank, sizes, starts = rank_documents(y_true, y_score, qid, k, convention, ties)
    relevant = (grades > 0).astype(float)
    n_relevant = np.bincount(query, weights=relevant, minlength=sizes.size)
    n = np.diff(starts, append=grades.size)
    # Per tied group: n rows, r of them relevant, c relevant rows above it in its query.
    r = np.add.reduceat(relevant, starts)
    c = np.cumsum(r) - r - (np.cumsum(n_relevant) - n_relevant)[query[starts]]
    before = rank - np.repeat(rank[starts], n)  # i - 1
    # Expected hits up to place i of a tied group of n rows, r of them relevant, if the row there is relevant:
    # those above the group, itself, and (i − 1)(r − 1)/(n − 1) of the others.
    hits = np.repeat(c + 1.0, n) + before * np.repeat((r - 1.0) / np.maximum(n - 1, 1), n)
    precision = np.repeat(r / n, n) * hits / rank
    if k is not None:
        precision[rank > k] = 0.0
    total = np.bincount(query, weights=precision, minlength=sizes.size)
    # LETOR's script counts a query without a relevant document as 0, where the standard leaves it out.
    empty = 0.0 if convention == "letor" else np.nan
    return np.where(n_relevant > 0, total / np.maximum(n_relevant, 1), empty)


def mean_average_precision(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
    ties: Ties = "average",
) -> float:
    """Mean of the average precision over the queries (MAP; L14, section V).

    Parameters
    ----------
    y_true, y_score, qid, k, ties
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
    precision = average_precision_per_query(y_true, y_score, qid, k=k, convention=convention, ties=ties)
    defined = precision[~np.isnan(precision)]
    return float(defined.mean()) if defined.size else float("nan")


def average_precision(
    y_true: Values, y_score: Values, qid: Values | None = None, *, ties: Ties = "average"
) -> float:
    """Average precision of a list of positive and negative rows, or its mean over queries.

    It is the mean precision at the ranks of the positives; of tied scores, its expected value over all orders
    of the ties. It differs from `mean_average_precision` in which rows are positive, as `rate_at_top` does.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one list. A query without positives does not count.
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the negatives first.

    Returns
    -------
    float
        Of a constant scorer, the mean over all orders of the rows, which is above the share of positives.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, y holds a single class, or ``ties`` is unknown.

    Notes
    -----
    Without ties it is scikit-learn's ``average_precision_score``. Of tied positives that one takes the
    precision at the end of their group, as if a threshold had to take all of them: for a constant scorer it
    is the share of positives. A ranking has to put one of them first, and this function takes the mean over
    the ways to do so; `average_precision_per_query` has the formula.

    Examples
    --------
    >>> from toprank.metrics import average_precision
    >>> average_precision([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]) == (1 + 2 / 3) / 2
    True
    >>> average_precision([1, 0], [3.0, 3.0]), average_precision([1, 0], [3.0, 3.0], ties="pessimistic")
    (0.75, 0.5)
    """
    relevant, scores = check_list(y_true, y_score)
    return mean_average_precision(relevant, scores, qid, ties=ties)


def ndcg_per_query(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
    ties: Ties = "average",
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
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the less relevant first; "letor"
        has its own order.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``; 0 for a query without relevant document.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is not a grade, k < 1, or the convention or the
        order of ties is unknown.

    Examples
    --------
    >>> from toprank.metrics import ndcg_per_query
    >>> ndcg_per_query([0, 1, 2, 0], [2.0, 1.0, 2.0, 1.0], qid=[7, 7, 9, 9]).round(3)
    array([0.631, 1.   ])
    >>> ndcg_per_query([1, 0], [3.0, 3.0]).round(3)  # as often at rank 1 as at rank 2
    array([0.815])
    """
    grades, query, rank, sizes, starts = rank_documents(y_true, y_score, qid, k, convention, ties)
    # LETOR's script discounts by 1 at ranks 1 and 2 and by log₂(rank) from 3 on; the standard is log₂(rank +
    # 1).
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
    # Over all orders of equal scores, each row of a tied group has the group's mean gain in expectation.
    expected_gains = np.repeat(np.add.reduceat(gains, starts) / n, n)
    # The ideal order: by grade, within each query.
    ideal = sum_discounted_gains(gains[np.lexsort((-grades, query))])
    value = sum_discounted_gains(expected_gains) / np.where(ideal > 0, ideal, 1.0)
    if convention == "letor" and k is not None:
        # LETOR's script gives 0 at k to a query of fewer than k documents (hence NDCG@10 near .23 on MQ2008).
        value[sizes < k] = 0.0
    return value


def ndcg(
    y_true: Values,
    y_score: Values,
    qid: Values | None = None,
    *,
    k: int | None = None,
    convention: Convention = "standard",
    ties: Ties = "average",
) -> float:
    """Mean of the normalised discounted cumulative gain over all queries (NDCG@k; L14, section V).

    Parameters
    ----------
    y_true, y_score, qid, k, convention, ties
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
    return float(ndcg_per_query(y_true, y_score, qid, k=k, convention=convention, ties=ties).mean())
