"""Ranks of the documents of each query by their scores, with groups of ties, for MAP and NDCG."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from toprank.labels import as_grades, as_numbers
from toprank.queries import check_queries

if TYPE_CHECKING:
    from toprank.typing import Convention, Ties, Values, Weights

CONVENTIONS = ("standard", "letor")
ORDERS_OF_TIES = ("average", "pessimistic")


def check_finite(scores: np.ndarray) -> None:
    """Raise a ValueError if a score is NaN or infinite.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
    """
    if not np.isfinite(scores).all():
        n_invalid = np.count_nonzero(~np.isfinite(scores))
        raise ValueError(f"{n_invalid} scores are NaN or infinite; check the model")


def check_convention(convention: Convention) -> None:
    """Raise a ValueError if a convention is unknown.

    Parameters
    ----------
    convention : {"standard", "letor"}
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"unknown convention {convention!r}; choose one of {', '.join(CONVENTIONS)}")


def check_ties(ties: Ties, convention: Convention = "standard") -> None:
    """Raise a ValueError if an order of ties is unknown, or the convention has its own.

    Parameters
    ----------
    ties : {"average", "pessimistic"}
    convention : {"standard", "letor"}, default="standard"
    """
    if ties not in ORDERS_OF_TIES:
        raise ValueError(f"ties must be one of {', '.join(ORDERS_OF_TIES)}; got {ties!r}")
    if convention == "letor" and ties != "average":
        raise ValueError(
            f"convention='letor' ranks equal scores in the order of the rows, so it takes no ties={ties!r}; "
            "leave one of them out"
        )


def check_rank_limit(k: int | None) -> None:
    """Raise a ValueError if a cut-off of the ranks is no whole number from 1.

    Parameters
    ----------
    k : int or None
        None: the whole list.
    """
    if k is not None and (isinstance(k, bool) or not (isinstance(k, Integral) and k >= 1)):
        raise ValueError(f"k must be a whole number from 1, or None for the whole list; got {k!r}")


def rank_documents(
    y_true: Values,
    y_score: Values,
    qid: Values | None,
    k: int | None,
    convention: Convention,
    ties: Ties = "average",
) -> tuple[Weights, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Check the input and rank the documents of each query by descending score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.as_grades`.
    y_score : array-like of shape (n_samples,)
        Larger is nearer to the top.
    qid : array-like of shape (n_samples,) or None
        The query of each row, in any order; None: one query.
    k : int or None
        Cut-off of the metric, which is only checked here.
    convention : {"standard", "letor"}
    ties : {"average", "pessimistic"}, default="average"
        "pessimistic" ranks the less relevant of tied documents first.

    Returns
    -------
    grades : ndarray of shape (n_samples,)
        Relevance, sorted by query and by rank within the query.
    query : ndarray of int of shape (n_samples,)
        Index of the query of each entry of ``grades``.
    rank : ndarray of int of shape (n_samples,)
        Rank of each entry, from 1.
    sizes : ndarray of int of shape (n_queries,)
        Documents of each query.
    starts : ndarray of int of shape (n_ties,)
        Entry at which each group of tied documents starts; under "letor", which ranks ties in the order of
        the rows, every document is a group of its own. Under "pessimistic" a group is of one grade.
    """
    check_convention(convention)
    check_ties(ties, convention)
    check_rank_limit(k)
    y, scores = np.asarray(as_numbers(y_true), dtype=float), np.asarray(y_score, dtype=float)
    if y.ndim != 1 or y.shape != scores.shape:
        raise ValueError(
            f"y_true and y_score must be one-dimensional and of one length; got {y.shape} and {scores.shape}"
        )
    if not y.size:
        raise ValueError("y_true is empty: there is no document to rank")
    check_finite(scores)
    y, query = as_grades(y), np.zeros(y.size, dtype=np.intp)
    if qid is not None:
        query = np.unique(check_queries(qid, y.size), return_inverse=True)[1].ravel()
    order = np.lexsort((-scores, query))  # stable: ties keep the order of the rows
    # pessimistic: among equal scores the least relevant first
    if ties == "pessimistic":
        order = np.lexsort((y, -scores, query))
    sizes = np.bincount(query)
    y, query, scores = y[order], query[order], scores[order]
    # ranks from 1 within each query
    rank = np.arange(1, y.size + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # a group of ties starts where the score changes; under LETOR's convention each row is its own group (its
    # script ranks equal scores in file order)
    is_start = (rank == 1) | (convention == "letor")
    is_start[1:] |= scores[1:] != scores[:-1]
    # equal scores in a known order, the pessimistic one, are ties only among equal grades
    if ties == "pessimistic":
        is_start[1:] |= y[1:] != y[:-1]
    return y, query, rank, sizes, np.flatnonzero(is_start)
