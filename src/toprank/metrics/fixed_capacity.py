"""Metrics of the first k rows of a list, for a capacity of k rows: precision, recall, enrichment."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from toprank.document_ranks import rank_documents
from toprank.metrics.tie_groups import check_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toprank.typing import Ties, Values, Weights

ROUNDING_TOL = 1e-12
"""Relative; .07 of 100 rows are 7, although the product of the floats is 7.000000000000001."""


def check_capacity(k: float) -> None:
    """Raise a ValueError if k is neither a number of rows nor a share of the list.

    Parameters
    ----------
    k : int or float
    """
    is_rows = isinstance(k, Integral) and not isinstance(k, bool) and k >= 1
    is_share = isinstance(k, Real) and not isinstance(k, Integral) and 0.0 < k < 1.0
    if not is_rows and not is_share:
        raise ValueError(f"k must be a whole number of rows from 1, or a share of them in (0, 1); got {k!r}")


def read_share(share: float) -> float:
    """Return the share that was written: .2 in single precision is .200000003 in double.

    Parameters
    ----------
    share : float

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.metrics.fixed_capacity import read_share
    >>> read_share(np.float32(0.2))
    0.2
    """
    return float(str(share)) if isinstance(share, np.floating) else float(share)


def round_near_integer(value: float) -> float:
    """Return the nearest whole number of a value that differs from it by rounding alone, else the value.

    Parameters
    ----------
    value : float

    Returns
    -------
    float
    """
    nearest = float(round(value))
    return nearest if math.isclose(value, nearest, rel_tol=ROUNDING_TOL) else value


def count_top_rows(k: float, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the first rows of each list that a capacity takes.

    Parameters
    ----------
    k : int or float
        Number of rows, or share of each list, which is rounded up.
    sizes : ndarray of int of shape (n_lists,)
        Rows of each list.

    Returns
    -------
    ndarray of int of shape (n_lists,)
        Above the size of a list that has fewer than k rows, if another one has k.

    Raises
    ------
    ValueError
        If k is no capacity, above the longest list, or a share of less than one row of the shortest.
    """
    check_capacity(k)
    if isinstance(k, Integral):
        if k > sizes.max():
            noun = "list" if sizes.size == 1 else "longest list"
            raise ValueError(f"k = {k} is above the {sizes.max()} rows of the {noun}; choose a smaller k")
        return np.full(sizes.size, int(k))
    share = read_share(k)
    # A share is rounded up: at least so many rows, as "the first per cent" of 250 rows is 3.
    rows = [round_near_integer(share * size) for size in sizes.tolist()]
    if min(rows) < 1.0:
        raise ValueError(
            f"k = {k} is less than one row of a list of {sizes.min()}; choose a larger share, or a number of "
            "rows"
        )
    return np.ceil(rows).astype(np.intp)


def count_top_hits(
    y_true: Values, y_score: Values, k: float, qid: Values | None, ties: Ties
) -> tuple[Weights, NDArray[np.intp], Weights]:
    """Count the expected positives among the first k rows of each query.

    Parameters
    ----------
    y_true, y_score, k, qid, ties
        As in `precision_at_k`.

    Returns
    -------
    hits : ndarray of shape (n_queries,)
    rows : ndarray of int of shape (n_queries,)
        The capacity in rows.
    n_positives : ndarray of shape (n_queries,)
    """
    relevant, scores = check_list(y_true, y_score)
    grades, query, rank, sizes, starts = rank_documents(relevant, scores, qid, None, "standard", ties)
    rows = count_top_rows(k, sizes)
    group_query, n = query[starts], np.diff(starts, append=grades.size)
    r = np.add.reduceat(grades, starts)
    # of the group that the cut-off divides, the rows above it are a random sample
    n_above = np.clip(rows[group_query] - (rank[starts] - 1), 0, n)
    hits = np.bincount(group_query, weights=n_above * r / n, minlength=sizes.size)
    return hits, rows, np.bincount(group_query, weights=r, minlength=sizes.size)


def precision_at_k(
    y_true: Values, y_score: Values, k: float, *, qid: Values | None = None, ties: Ties = "average"
) -> float:
    """Share of positives among the first k rows of a list, or its mean over queries.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    k : int or float
        A whole number of rows from 1, or a share in (0, 1) of the list (of each query), rounded up to rows.
    qid : array-like of shape (n_samples,), optional
        The query of each row, in any order; None: one list. A query without positives does not count. A query
        with fewer than k rows has no hits below its last row, as in trec_eval.
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the negatives first.

    Returns
    -------
    float
        Of a constant scorer and one list, the share of positives.

    Raises
    ------
    ValueError
        If k is above the (longest) list or a share of less than one row, a score is not finite, lengths
        differ, y holds a single class, or ``ties`` is unknown.

    Notes
    -----
    If the cut-off divides a group of n tied rows, r of them positive, after a others, the group adds
    (k − a) r / n hits: its rows above the cut-off are a random sample [1]_.

    References
    ----------
    .. [1] F. McSherry, M. Najork. Computing information retrieval performance metrics efficiently in the
       presence of tied scores. ECIR 2008.

    Examples
    --------
    >>> from toprank.metrics import precision_at_k
    >>> precision_at_k([1, 1, 0, 0], [4.0, 2.0, 3.0, 1.0], 2)
    0.5
    >>> precision_at_k([1, 0, 0, 1], [4.0, 3.0, 3.0, 3.0], k=0.5)  # one of three tied rows is taken
    0.6666666666666666
    """
    hits, rows, n_positives = count_top_hits(y_true, y_score, k, qid, ties)
    # Queries without a positive tell nothing about a ranking.
    return float((hits / rows)[n_positives > 0].mean())


def recall_at_k(
    y_true: Values, y_score: Values, k: float, *, qid: Values | None = None, ties: Ties = "average"
) -> float:
    """Share of the positives that are among the first k rows of a list, or its mean over queries.

    Parameters
    ----------
    y_true, y_score, k, qid, ties
        As in `precision_at_k`.

    Returns
    -------
    float
        Of a constant scorer and one list, the share of the rows above the cut-off.

    Raises
    ------
    ValueError
        As `precision_at_k`.

    Examples
    --------
    >>> from toprank.metrics import recall_at_k
    >>> recall_at_k([1, 1, 0, 0, 0], [4.0, 2.0, 3.0, 1.0, 0.0], 2)
    0.5
    """
    hits, _, n_positives = count_top_hits(y_true, y_score, k, qid, ties)
    has_positives = n_positives > 0
    return float((hits[has_positives] / n_positives[has_positives]).mean())


def enrichment_factor(y_true: Values, y_score: Values, k: float = 0.01, *, ties: Ties = "average") -> float:
    """Precision among the first k rows of a list over the share of positives in the whole list.

    Parameters
    ----------
    y_true, y_score, ties
        As in `precision_at_k`.
    k : int or float, default=0.01
        A whole number of rows from 1, or a share in (0, 1) of the list, rounded up to rows.

    Returns
    -------
    float
        1 for a constant scorer; at most the smaller of N / k and N / (number of positives), N the rows.

    Raises
    ------
    ValueError
        As `precision_at_k`.

    Examples
    --------
    >>> from toprank.metrics import enrichment_factor
    >>> enrichment_factor([1, 0, 0, 0, 1, 0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], k=0.5)
    1.0
    >>> enrichment_factor([1, 1, 0, 0, 0, 0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], k=2)
    3.0
    """
    hits, rows, n_positives = count_top_hits(y_true, y_score, k, None, ties)
    # Precision in the top over the prevalence: hits / rows over positives / N.
    return float(hits[0] * np.size(y_true) / (rows[0] * n_positives[0]))
