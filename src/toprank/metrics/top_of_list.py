"""Positives above the highest negative: their number and their share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.labels import relevant_rows
from toprank.metrics.tie_groups import check_list

if TYPE_CHECKING:
    from toprank.typing import Values


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
    relevant, scores = check_list(y_true, y_score)
    positives, negatives = scores[relevant], scores[~relevant]
    # Strictly above the highest negative: a constant scorer has 0 (R12, K15).
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
