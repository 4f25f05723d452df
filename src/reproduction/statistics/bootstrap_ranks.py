"""Mean ranks with their uncertainty over data sets: bootstrap intervals, and which methods stand apart.

The data sets are drawn again, with replacement, and the ranks on each of them stay (Efron and Tibshirani
1993, chapter 13: percentile intervals). Methods are compared in pairs, by the difference of their mean ranks
in the same draws, since two intervals may overlap where every draw has the same order.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

#: Draws of the data sets: the standard error of a tail of 2.5 % is then .16 points.
N_DRAWS = 10_000
#: Ends of a percentile interval of 95 %.
LEVELS = (0.025, 0.975)
MIN_DATASETS = 5
"""Data sets from which on there are intervals: of fewer ones a bootstrap knows too little."""


def rank_with_intervals(means: pd.DataFrame, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rank methods on each data set, 1 being the best and ties averaged, with intervals over the data sets.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        Larger is better; no gaps.
    seed : int, optional
        Seed of the draws.

    Returns
    -------
    ranks : DataFrame
        A row a method, the best first, with ``mean_rank``, ``low`` and ``high``: the 95 % interval, NaN with
        fewer than `MIN_DATASETS` data sets.
    is_separate : DataFrame
        Methods by methods, in that order: whether the 95 % interval of the difference of their mean ranks
        excludes 0.

    Raises
    ------
    ValueError
        If there is no data set or method, or a method has no number on one.

    Examples
    --------
    >>> means = pd.DataFrame({"a": [0.9, 0.8, 0.9, 0.7, 0.9], "b": [0.5, 0.8, 0.4, 0.3, 0.5]})
    >>> ranks, is_separate = rank_with_intervals(means)
    >>> ranks["mean_rank"].round(2).to_dict(), bool(is_separate.loc["a", "b"])
    ({'a': 1.1, 'b': 1.9}, True)
    """
    if means.empty or means.isna().to_numpy().any():
        raise ValueError("ranks need a data set, a method, and a number of each method on each data set")
    # (data sets, methods), in the order of the mean ranks: neighbouring places are compared later
    set_ranks = rankdata(-means.to_numpy(dtype=float), axis=1)
    order = np.argsort(set_ranks.mean(axis=0), kind="stable")
    set_ranks, methods = set_ranks[:, order], means.columns[order]
    ranks = pd.DataFrame({"mean_rank": set_ranks.mean(axis=0), "low": np.nan, "high": np.nan}, methods)
    is_separate = pd.DataFrame(False, methods, methods)
    if len(means) < MIN_DATASETS:
        return ranks, is_separate
    # the data sets are the sample: splits of one data set say nothing about the next data set
    drawn_ranks = _draw_mean_ranks(set_ranks, seed)
    ranks["low"], ranks["high"] = np.quantile(drawn_ranks, LEVELS, axis=0)
    for i, method in enumerate(methods):
        # Differences in the same draw: what makes a data set hard for both methods cancels. Rounded, since a
        # mean of ranks over n data sets is no binary fraction, and a tie must be exactly 0.
        low, high = np.quantile(np.round(drawn_ranks - drawn_ranks[:, [i]], 12), LEVELS, axis=0)
        is_separate[method] = (low > 0.0) | (high < 0.0)
    return ranks, is_separate


def _draw_mean_ranks(set_ranks: np.ndarray, seed: int) -> np.ndarray:
    """Average ranks over data sets that are drawn with replacement; a row a draw, a column a method."""
    n = len(set_ranks)
    # How often each data set is drawn is multinomial: one matrix product gives the mean ranks of all draws.
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), N_DRAWS) @ set_ranks / n


def measure_best_share(means: pd.DataFrame, method: str, seed: int = 0) -> float:
    """Measure how often a method has the best mean rank where the data sets are drawn again.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        Larger is better; no gaps.
    method : str
        Its column.
    seed : int, optional
        Seed of the draws.

    Returns
    -------
    float
        Share of the draws; a draw with several best methods counts for each of them in part.

    Examples
    --------
    >>> round(measure_best_share(pd.DataFrame({"a": [0.9, 0.8], "b": [0.5, 0.8]}), "a"), 1)
    0.9
    """
    drawn_ranks = _draw_mean_ranks(rankdata(-means.to_numpy(dtype=float), axis=1), seed).round(12)
    is_best = drawn_ranks == drawn_ranks.min(axis=1, keepdims=True)
    # Methods that share the best mean rank in a draw share it equally.
    return float(np.mean(is_best[:, means.columns.get_loc(method)] / is_best.sum(axis=1)))


def count_separate_neighbours(is_separate: pd.DataFrame) -> int:
    """Count the pairs of neighbouring places whose methods can be told apart.

    Parameters
    ----------
    is_separate : DataFrame
        As of `rank_with_intervals`.

    Returns
    -------
    int
        From 0 to the number of methods less one.
    """
    return int(np.diagonal(is_separate.to_numpy(), offset=1).sum())
