"""BEDROC: the early recognition of virtual screening, with weights that fall exponentially with the rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.metrics.tie_groups import group_ties
from toprank.parameters import is_number

if TYPE_CHECKING:
    from toprank.typing import Ties, Values


def check_decay(alpha: float) -> None:
    """Raise a ValueError if a decay is not a finite positive number.

    Parameters
    ----------
    alpha : float
    """
    if not is_number(alpha) or not 0.0 < alpha < np.inf:
        raise ValueError(f"alpha must be a finite positive number; got {alpha!r}")


def bedroc(y_true: Values, y_score: Values, alpha: float = 20.0, *, ties: Ties = "average") -> float:
    """Boltzmann-enhanced discrimination of ROC: the positives' weights by rank, from 0 at worst to 1 at best.

    A positive at rank r of N weighs exp(−alpha r / N). The sum over the positives is scaled between that of
    the worst and that of the best ranking. With alpha = 20 the first 8 % of the ranks have 80 % of the
    weight.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels; see `toprank.labels.relevant_rows` for which are positive.
    y_score : array-like of shape (n_samples,)
        Scores; larger is nearer to the top.
    alpha : float, default=20.0
        Decay of the weights; towards 0 the metric becomes the area under the ROC curve.
    ties : {"average", "pessimistic"}, default="average"
        A tied row gets the mean weight of the ranks of its group, which is the expected value over all orders
        of equal scores, or the negatives of a group rank first.

    Returns
    -------
    float
        Of a constant scorer, the mean over all orders of the rows.

    Raises
    ------
    ValueError
        If alpha is not positive, a score is not finite, lengths differ, y holds a single class, or ``ties``
        is unknown.

    Notes
    -----
    The sums in the best and the worst ranking are the bounds of the robust initial enhancement in [1]_, so
    this is its BEDROC. Compare lists with a like share of positives alone: the value depends on it unless
    alpha times the share is far below 1. Without ties it agrees with ``CalcBEDROC`` of RDKit; with ties that
    one depends on the order of the rows.

    References
    ----------
    .. [1] J.-F. Truchon, C. I. Bayly. Evaluating virtual screening methods: good and bad metrics for the
       "early recognition" problem. Journal of Chemical Information and Modeling 47(2), 2007.

    Examples
    --------
    >>> from toprank.metrics import bedroc
    >>> round(bedroc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]), 3)
    0.993
    >>> bedroc([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0]), bedroc([0, 0, 1, 1], [4.0, 3.0, 2.0, 1.0])
    (1.0, 0.0)
    """
    check_decay(alpha)
    alpha = float(alpha)  # an unsigned number has no negative
    sizes, r = group_ties(y_true, y_score, ties)
    n_rows, n_positives = sizes.sum(), r.sum()
    # exp(-alpha (rank - 1) / N) - 1: a factor and a constant change no ratio, and keep it exact for any alpha
    weights = np.expm1(-alpha * np.arange(n_rows) / n_rows)
    sums = np.concatenate(([0.0], np.cumsum(weights)))  # of the first 0, 1, …, N ranks
    ends = np.cumsum(sizes)
    # A positive of a tied group has the mean weight of the group's ranks (Truchon and Bayly 2007, made exact
    # under ties).
    total = np.sum(r * (sums[ends] - sums[ends - sizes]) / sizes)
    best, worst = sums[n_positives], sums[n_rows] - sums[n_rows - n_positives]
    return float((total - worst) / (best - worst))
