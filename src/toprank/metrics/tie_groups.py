"""Checks of the labels and scores of one list, and its groups of equal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.document_ranks import check_finite, rank_documents
from toprank.labels import as_numbers, relevant_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toprank.typing import Ties, Values, Weights


def check_list(y_true: Values, y_score: Values) -> tuple[NDArray[np.bool_], Weights]:
    """Check the labels and the scores of a list.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.

    Returns
    -------
    relevant : ndarray of bool of shape (n_samples,)
        Whether a row is positive.
    scores : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If a score is not finite, lengths differ, or y holds a single class.
    """
    y_true, scores = as_numbers(y_true), np.asarray(y_score, dtype=float)
    if y_true.shape != scores.shape or y_true.ndim != 1:
        raise ValueError(
            "y_true and y_score must be one-dimensional and of one length; "
            f"got {y_true.shape} and {scores.shape}"
        )
    check_finite(scores)
    return relevant_rows(y_true), scores


def group_ties(
    y_true: Values, y_score: Values, ties: Ties = "average"
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group the rows of a list by equal scores, the highest first.

    Under "pessimistic" the negatives of a group of equal scores are a group of their own, before that of its
    positives. So a metric's expected value over the orders within groups is its least value over the orders
    of ties.

    Parameters
    ----------
    y_true, y_score
        As in `check_list`.
    ties : {"average", "pessimistic"}, default="average"

    Returns
    -------
    sizes : ndarray of int of shape (n_groups,)
        Rows of each group.
    positives : ndarray of int of shape (n_groups,)
        Positive rows of each group.

    Raises
    ------
    ValueError
        As `check_list`, or if ``ties`` is unknown.
    """
    relevant, scores = check_list(y_true, y_score)
    grades, _, _, _, starts = rank_documents(relevant, scores, None, None, "standard", ties)
    return np.diff(starts, append=grades.size), np.add.reduceat(grades.astype(np.intp), starts)
