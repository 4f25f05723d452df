"""Quality of a ranking, measured at its top."""

from __future__ import annotations

import numpy as np


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
