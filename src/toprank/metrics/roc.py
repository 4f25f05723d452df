"""Metrics of the left part of the ROC curve: recall at few false positives, and the area there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toprank.metrics.fixed_capacity import read_share, round_near_integer
from toprank.metrics.tie_groups import group_ties
from toprank.parameters import is_number

if TYPE_CHECKING:
    from toprank.typing import Ties, Values


def check_false_positive_rate(max_fpr: float, *, is_area: bool = False) -> None:
    """Raise a ValueError if a bound of the false positive rate is no number from 0 to 1.

    Parameters
    ----------
    max_fpr : float
    is_area : bool, default=False
        An area needs a bound above 0.
    """
    if not is_number(max_fpr) or not 0.0 <= max_fpr <= 1.0:
        raise ValueError(f"max_fpr must be a share of the negatives, from 0 to 1; got {max_fpr!r}")
    if is_area and max_fpr == 0.0:
        raise ValueError("max_fpr must be above 0 for an area; for the recall at 0 take recall_at_fpr")


def recall_at_fpr(y_true: Values, y_score: Values, max_fpr: float, *, ties: Ties = "average") -> float:
    """Share of the positives above the cut-off that lets at most a share of the negatives pass.

    With n negatives and F = max_fpr · n, rounded down, it is the share of the positives above the negative
    number F + 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    max_fpr : float
        Largest false positive rate, from 0 (no negative passes) to 1 (all pass, and the recall is 1).
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the negatives first; the latter
        at ``max_fpr=0`` is `rate_at_top`.

    Returns
    -------
    float
        (F + 1) / (n + 1) for a constant scorer, the mean over all orders of the rows.

    Raises
    ------
    ValueError
        If ``max_fpr`` is no share, a score is not finite, lengths differ, y holds a single class, or
        ``ties`` is unknown.

    Notes
    -----
    In a random order of u negatives and r positives, the j-th negative is expected to have r j / (u + 1)
    of the positives before it, since each falls in one of u + 1 gaps.

    Examples
    --------
    >>> from toprank.metrics import recall_at_fpr
    >>> recall_at_fpr([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], max_fpr=0.1)  # no negative may pass
    0.5
    >>> recall_at_fpr([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], max_fpr=0.5)
    1.0
    """
    check_false_positive_rate(max_fpr)
    sizes, r = group_ties(y_true, y_score, ties)
    u = sizes - r
    # 0.29 x 100 is 28.999999999999996, and must let 29 negatives pass.
    n_passing = math.floor(round_near_integer(read_share(max_fpr) * int(u.sum())))
    if n_passing >= u.sum():
        return 1.0
    group = np.searchsorted(np.cumsum(u), n_passing, side="right")  # holds the negative number F + 1
    j = n_passing + 1 - u[:group].sum()
    # In a random order of u negatives, a positive stands above the j-th of them with probability j/(u + 1).
    hits = r[:group].sum() + r[group] * j / (u[group] + 1)
    return float(hits / r.sum())


def partial_auc(y_true: Values, y_score: Values, max_fpr: float = 0.1, *, ties: Ties = "average") -> float:
    """Area under the ROC curve up to a false positive rate, standardised to .5 for chance and 1 at best.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    max_fpr : float, default=0.1
        Above 0; 1 gives the area under the whole curve, whatever the order of the ties.
    ties : {"average", "pessimistic"}, default="average"
        The expected value over all orders of equal scores, or the value with the negatives first.

    Returns
    -------
    float
        Of a constant scorer, the mean over all orders of the rows: .5 at ``max_fpr=1``; at a smaller one the
        staircase of a random order of n negatives adds at most 1 / (2 n + 2).

    Raises
    ------
    ValueError
        As `recall_at_fpr`, or if ``max_fpr`` is 0.

    Notes
    -----
    The area A up to x becomes (1 + (A − x²/2) / (x − x²/2)) / 2 [1]_, as in scikit-learn's
    ``roc_auc_score(max_fpr=x)``. Both agree unless x divides a group of tied negatives and positives:
    scikit-learn draws a straight line through the group, and here each order of it is a staircase, of which
    the mean is taken (`recall_at_fpr` has the formula).

    References
    ----------
    .. [1] D. K. McClish. Analyzing a portion of the ROC curve. Medical Decision Making 9(3), 1989.

    Examples
    --------
    >>> from toprank.metrics import partial_auc
    >>> partial_auc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], max_fpr=1.0)
    0.75
    >>> round(partial_auc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], max_fpr=0.5), 4)
    0.6667
    """
    check_false_positive_rate(max_fpr, is_area=True)
    sizes, r = group_ties(y_true, y_score, ties)
    u = sizes - r
    width = np.clip(max_fpr * u.sum() - (np.cumsum(u) - u), 0.0, u)  # of each group, in negatives
    j = np.floor(width)
    # positives above the negatives number 1 to j of the group, and above a part of the next one
    steps = (np.cumsum(r) - r) * width + r * (j + 1.0) * (width - j / 2.0) / (u + 1.0)
    # McClish (1989): the area under the diagonal up to max_fpr is that of chance, max_fpr the largest one.
    area, least = steps.sum() / (r.sum() * u.sum()), max_fpr**2 / 2.0
    return float((1.0 + (area - least) / (max_fpr - least)) / 2.0)
