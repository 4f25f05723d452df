"""What explains a number over data sets, found on one half of them and tested on the other, with a placebo.

With few data sets and several facts, some fact correlates with any number. So the fact, and the sign of its
correlation, are chosen on a random half of the data sets, and only the correlation on the other half counts.
The placebo repeats all this, the choice too, with the number permuted among the data sets.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reproduction.statistics.permutations import UPPER_LEVEL, draw_permutations

#: Random halvings; each is used twice, so that the mean is over 400 held-out correlations.
N_HALVINGS = 200
#: Permutations of the placebo: with the observed order, p-values are multiples of 1/1000.
N_PERMUTATIONS = 999
MIN_DATASETS = 10
"""Data sets from which on there are halves: five in each."""
CHOSEN_FACT = "the fact chosen on the other half"


def explain_on_halves(facts: pd.DataFrame, numbers: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    """Correlate facts with a number by ranks, on the halves that did not choose sign and fact.

    Parameters
    ----------
    facts : DataFrame of shape (n_datasets, n_facts)
        No gaps.
    numbers : ndarray of shape (n_datasets,)
        What they may explain.
    random : numpy.random.Generator
        Draws halves and permutations.

    Returns
    -------
    DataFrame
        A row a fact, and one of `CHOSEN_FACT`, with ``spearman`` over all data sets, ``held_out`` (the mean
        over the halves of the correlation, positive where the other half has its sign), ``placebo_mean`` and
        ``placebo_upper`` (mean and 95 % point of the permuted ones) and ``p_value`` (share of the orders, the
        observed one among them, with a ``held_out`` at least as large). Empty below `MIN_DATASETS`.

    Examples
    --------
    >>> size = np.arange(12.0)
    >>> table = explain_on_halves(pd.DataFrame({"size": size}), size**2, np.random.default_rng(0))
    >>> float(table["held_out"].iloc[0]), float(table["p_value"].iloc[0])
    (1.0, 0.001)
    """
    n = len(facts)
    names = [*facts.columns, CHOSEN_FACT]
    columns = ["fact", "spearman", "held_out", "placebo_mean", "placebo_upper", "p_value"]
    if n < MIN_DATASETS:
        return pd.DataFrame(columns=columns)
    # (1 + permutations, n); row 0 is the observed order, as in all counts of chance.
    permuted = np.asarray(numbers, dtype=float)[draw_permutations(n, N_PERMUTATIONS, random)]
    values, total = facts.to_numpy(dtype=float), 0.0
    for _ in range(N_HALVINGS):
        order = random.permutation(n)
        halves = order[: n // 2], order[n // 2 :]
        correlations = [_correlate_ranks(values[rows].T, permuted[:, rows]) for rows in halves]
        # each half chooses once and is tested once
        for chosen, tested in (correlations, correlations[::-1]):
            # `chosen` and `tested` are (facts, 1 + permutations). The half that chooses gives the sign of
            # every fact and, in the last row of `total`, the fact with the strongest correlation; the other
            # half only measures.
            best = np.abs(chosen).argmax(axis=0)[None, :]
            signed = np.sign(chosen) * tested
            total += np.vstack([signed, np.take_along_axis(signed, best, axis=0)])
    # Rounded, so that permutations that give the same ranks count as ties in the p-value.
    held_out = np.round(total / (2 * N_HALVINGS), 12)
    correlations_on_all = [*_correlate_ranks(values.T, permuted[:1])[:, 0], np.nan]
    columns_of_table = zip(
        names,
        correlations_on_all,
        held_out[:, 0],
        held_out[:, 1:].mean(axis=1),
        np.quantile(held_out[:, 1:], UPPER_LEVEL, axis=1, method="inverted_cdf"),
        (held_out >= held_out[:, :1]).mean(axis=1),
        strict=True,
    )
    return pd.DataFrame(columns_of_table, columns=columns)


def _correlate_ranks(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of each row of the first with each of the second; 0 of a constant row."""
    scaled = []
    for values in (first, second):
        ranks = rankdata(values, axis=1)
        # Spearman's correlation is Pearson's of the ranks: the product of centred ranks of length one.
        ranks -= ranks.mean(axis=1, keepdims=True)
        norms = np.linalg.norm(ranks, axis=1, keepdims=True)
        scaled.append(np.divide(ranks, norms, out=np.zeros_like(ranks), where=norms > 0))
    return scaled[0] @ scaled[1].T
