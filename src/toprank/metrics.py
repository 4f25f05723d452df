"""Quality of a ranking, measured at its top: of one list, or on average over queries."""

from __future__ import annotations

from numbers import Integral

import numpy as np

CONVENTIONS = ("letor", "standard")
LARGEST_GRADE = 1000  # beyond it the gain 2^y overflows


def relevant_rows(y):
    """Mask of the rows that count as positive.

    Two distinct values: the larger one is positive, whatever they are. More than two are grades, and positive
    above 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,)

    Returns
    -------
    ndarray of bool of shape (n_samples,)

    Raises
    ------
    ValueError
        If only one class remains.
    """
    y = np.asarray(y)
    values = np.unique(y)
    relevant = y == values[-1] if values.size == 2 else y > 0
    if relevant.all() or not relevant.any():
        raise ValueError(
            "ranking at the top needs a positive and a negative row, but y has one class only "
            f"({values[:3].tolist()})"
        )
    return relevant


def _split_scores(y, scores):
    """Scores of the positives and of the negatives, after checking both arrays."""
    y, scores = np.asarray(y), np.asarray(scores, dtype=float)
    if y.shape != scores.shape or y.ndim != 1:
        raise ValueError(
            f"y and scores must be one-dimensional and of one length; got {y.shape} and {scores.shape}"
        )
    if not np.isfinite(scores).all():
        raise ValueError(
            f"{np.count_nonzero(~np.isfinite(scores))} scores are NaN or infinite; check the model"
        )
    relevant = relevant_rows(y)
    return scores[relevant], scores[~relevant]


def positives_at_top(y, scores) -> int:
    """Count the positives that score strictly above the highest negative (Pos@Top of K15, section 5.1).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; see `relevant_rows` for which are positive.
    scores : array-like of shape (n_samples,)
        Scores; larger is nearer to the top. A constant scorer gets 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a score is not finite, or y holds a single class.
    """
    positives, negatives = _split_scores(y, scores)
    return int(np.count_nonzero(positives > negatives.max()))


def rate_at_top(y, scores) -> float:
    """Fraction of the positives that score strictly above the highest negative (R12, section 4).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; see `relevant_rows` for which are positive.
    scores : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.

    Returns
    -------
    float
        Between 0 and 1; 0 for a constant scorer.

    Raises
    ------
    ValueError
        If a score is not finite, or y holds a single class.
    """
    return positives_at_top(y, scores) / int(np.count_nonzero(relevant_rows(y)))


def selected_variables(coef, threshold=1e-6):
    """Mask of the variables that a linear model uses: its weight is not negligible beside the largest.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
    threshold : float, default=1e-6
        Relative to the largest absolute weight (R12 does not say how it counts; declared).

    Returns
    -------
    ndarray of bool of shape (n_features,)
        All False where all weights are 0.
    """
    size = np.abs(np.asarray(coef, dtype=float)).ravel()
    return size > threshold * size.max(initial=0.0)


def _ranked(y, scores, qid, k, convention):
    """Check the input and rank the documents of each query by descending score, ties by row.

    Returns
    -------
    grades : ndarray of shape (n_samples,)
        Relevance by query, and by rank within the query.
    query : ndarray of int of shape (n_samples,)
        Number of the query of each entry of ``grades``.
    rank : ndarray of int of shape (n_samples,)
        Rank of each entry, from 1.
    sizes : ndarray of int of shape (n_queries,)
        Documents of each query.
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"unknown convention {convention!r}; choose one of {', '.join(CONVENTIONS)}")
    if k is not None and not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k must be a whole number from 1, or None for the whole list; got {k!r}")
    y, scores = np.asarray(y, dtype=float), np.asarray(scores, dtype=float)
    qid = np.zeros(y.shape, dtype=np.int8) if qid is None else np.asarray(qid)
    if y.ndim != 1 or not y.shape == scores.shape == qid.shape:
        raise ValueError(
            "y, scores and qid must be one-dimensional and of one length; "
            f"got {y.shape}, {scores.shape} and {qid.shape}"
        )
    if not y.size:
        raise ValueError("y is empty: there is no document to rank")
    if not np.isfinite(scores).all():
        raise ValueError(
            f"{np.count_nonzero(~np.isfinite(scores))} scores are NaN or infinite; check the model"
        )
    wrong = (y != np.floor(y)) | (y < 0) | (y > LARGEST_GRADE)
    if wrong.any():
        raise ValueError(
            f"relevance must be whole numbers from 0 (not relevant) to {LARGEST_GRADE}, but y holds "
            f"{y[wrong][0]:g}; map the labels to grades"
        )
    query = np.unique(qid, return_inverse=True)[1].ravel()
    order = np.lexsort((-scores, query))  # stable: ties keep the order of the rows
    sizes = np.bincount(query)
    query = query[order]
    rank = np.arange(1, y.size + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return y[order], query, rank, sizes


def average_precision_per_query(y, scores, qid=None, convention="letor", k=None):
    """Average precision of the ranking of each query.

    The mean, over the relevant documents of the query, of the precision at their ranks.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Relevance, whole and not negative; a document is relevant above 0.
    scores : array-like of shape (n_samples,)
        Larger is nearer to the top; equal scores rank in the order of the rows.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one query.
    convention : {"letor", "standard"}, default="letor"
        What a query without relevant document gets: 0, or NaN.
    k : int, optional
        Documents ranked below k count as not found; None: the whole list.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is no grade, k < 1, or the convention is
        unknown.
    """
    grades, query, rank, sizes = _ranked(y, scores, qid, k, convention)
    relevant = grades > 0
    n_relevant = np.bincount(query, weights=relevant, minlength=sizes.size)
    found = np.cumsum(relevant) - np.repeat(np.cumsum(n_relevant) - n_relevant, sizes)
    precision = np.where(relevant, found / rank, 0.0)
    if k is not None:
        precision[rank > k] = 0.0
    total = np.bincount(query, weights=precision, minlength=sizes.size)
    empty = 0.0 if convention == "letor" else np.nan
    return np.where(n_relevant > 0, total / np.maximum(n_relevant, 1), empty)


def mean_average_precision(y, scores, qid=None, k=None, convention="letor") -> float:
    """Mean of the average precision over the queries (MAP; L14, section V).

    Parameters
    ----------
    y, scores, qid, k
        As in `average_precision_per_query`.
    convention : {"letor", "standard"}, default="letor"
        "letor": a query without relevant document counts 0, as in LETOR's script, and as in trec_eval where
        the judgements list such a query. "standard": it does not count, as in the judgements of TREC, which
        leave it out.

    Returns
    -------
    float
        NaN where "standard" leaves no query.

    Raises
    ------
    ValueError
        As `average_precision_per_query`.
    """
    precision = average_precision_per_query(y, scores, qid, convention, k)
    counted = precision[~np.isnan(precision)]
    return float(counted.mean()) if counted.size else float("nan")


def ndcg_per_query(y, scores, qid=None, k=10, convention="letor"):
    """Normalised discounted cumulative gain of each query at rank k.

    The gain of a document is 2^y − 1. The discounted gains of the first k documents are summed, and divided
    by the sum in the best ranking.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Relevance, whole and not negative.
    scores : array-like of shape (n_samples,)
        Larger is nearer to the top; equal scores rank in the order of the rows.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one query.
    k : int or None, default=10
        None: the whole list.
    convention : {"letor", "standard"}, default="letor"
        "standard": a gain at rank r is divided by log₂(1 + r). "letor": by 1 at ranks 1 and 2 and by log₂(r)
        from there on, and **a query with fewer than k documents gets 0**; so does LETOR's own script, with
        which L14 measured.

    Returns
    -------
    ndarray of shape (n_queries,)
        In the order of ``np.unique(qid)``; 0 for a query without relevant document.

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, a relevance is no grade, k < 1, or the convention is
        unknown.
    """
    grades, query, rank, sizes = _ranked(y, scores, qid, k, convention)
    discount = np.log2(np.maximum(rank, 2) if convention == "letor" else rank + 1)
    if k is not None:
        discount[rank > k] = np.inf

    def cumulated(grades):
        return np.bincount(query, weights=(np.exp2(grades) - 1.0) / discount, minlength=sizes.size)

    best = cumulated(grades[np.lexsort((-grades, query))])
    value = cumulated(grades) / np.where(best > 0, best, 1.0)
    if convention == "letor" and k is not None:
        value[sizes < k] = 0.0
    return value


def ndcg(y, scores, qid=None, k=None, convention="letor") -> float:
    """Mean of the normalised discounted cumulative gain over all queries (NDCG@k; L14, section V).

    Parameters
    ----------
    y, scores, qid, convention
        As in `ndcg_per_query`.
    k : int, optional
        None: the whole list.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `ndcg_per_query`.
    """
    return float(ndcg_per_query(y, scores, qid, k, convention).mean())
