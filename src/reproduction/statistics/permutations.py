"""Permutations that tell a correspondence from chance: counts of matches, and the order of methods.

What is permuted is one side of pairs, within groups: the published values of a data set among its methods, or
whole rows of a table among its data sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

UPPER_LEVEL = 0.95
"""A count below this quantile of the permuted ones is no more than chance."""

MAX_ENUMERATED = 6
"""Items whose permutations are all enumerated (720); of more, a sample is drawn."""


@dataclass(frozen=True)
class ChanceLevel:
    """A count of matches beside those of permuted pairs.

    Attributes
    ----------
    observed : int
        Number of pairs that match.
    mean : float
        Expected number under a uniform permutation, exactly.
    upper : float
        The `UPPER_LEVEL` quantile of the permuted counts.
    p_value : float
        Share of the permutations, the observed pairs among them, with at least as many matches.
    """

    observed: int
    mean: float
    upper: float
    p_value: float


def measure_chance_level(
    matches: Sequence[np.ndarray], n_permutations: int, random: np.random.Generator
) -> ChanceLevel:
    """Compare the matches of pairs with those after one side is permuted within each group.

    Parameters
    ----------
    matches : sequence of ndarray of shape (n_i, n_i)
        For each group, how many matches item j of one side gives beside item i of the other; the observed
        pairs are on the diagonal.
    n_permutations : int
        Permutations that are drawn, of all groups at once.
    random : numpy.random.Generator
        Draws them.

    Returns
    -------
    ChanceLevel
        Zeros, and a p-value of 1, without groups.

    Examples
    --------
    >>> level = measure_chance_level([np.eye(4)], 2000, np.random.default_rng(0))
    >>> level.observed, level.mean
    (4, 1.0)
    """
    observed = int(sum(np.trace(group) for group in matches))
    mean = float(sum(group.mean() * len(group) for group in matches))
    counts = np.zeros(n_permutations)
    for group in matches:
        columns = np.arange(len(group))
        rows = np.argsort(random.random((n_permutations, len(group))), axis=1)
        counts += group[rows, columns].sum(axis=1)
    exceeding = np.count_nonzero(counts >= observed - 1e-9)
    upper = float(np.quantile(counts, UPPER_LEVEL, method="inverted_cdf"))
    return ChanceLevel(observed, mean, upper, (1 + exceeding) / (1 + n_permutations))


def measure_rank_agreement(
    first: np.ndarray, second: np.ndarray, n_permutations: int, random: np.random.Generator
) -> tuple[float, np.ndarray]:
    """Compute Kendall's tau-b of two orders, and its distribution if one of them is permuted.

    Parameters
    ----------
    first : ndarray of shape (n,)
        Numbers that order the items.
    second : ndarray of shape (n,)
        Other numbers of the same items.
    n_permutations : int
        Permutations that are drawn for more than `MAX_ENUMERATED` items.
    random : numpy.random.Generator
        Draws them.

    Returns
    -------
    tau : float
        NaN where all numbers of one side are equal.
    permuted : ndarray
        Tau of each permutation; all of them up to `MAX_ENUMERATED` items.

    Examples
    --------
    >>> tau, permuted = measure_rank_agreement(
    ...     np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0]), 2000, np.random.default_rng(0)
    ... )
    >>> tau, permuted.size, float(permuted.mean())
    (1.0, 6, 0.0)
    """
    n = len(first)
    signs, other_signs = (np.sign(values[:, None] - values[None, :]) for values in (first, second))
    # pairs that are tied on one side count on neither: tau-b
    scale = math.sqrt(np.abs(signs).sum() * np.abs(other_signs).sum())
    if scale == 0.0:
        return math.nan, np.empty(0)
    if n <= MAX_ENUMERATED:
        orders = np.array(list(permutations(range(n))))
    else:
        orders = np.argsort(random.random((n_permutations, n)), axis=1)
    permuted = np.array([(signs[order][:, order] * other_signs).sum() for order in orders]) / scale
    return float((signs * other_signs).sum() / scale), permuted


def compute_share_at_least(value: float, permuted: np.ndarray) -> float:
    """Return the share of permuted values that are at least as large, rounding apart.

    Parameters
    ----------
    value : float
        The observed value.
    permuted : ndarray
        Values of all permutations, or of a sample.

    Returns
    -------
    float
        The one-sided p-value; NaN without permutations.
    """
    return float(np.mean(permuted >= value - 1e-9)) if permuted.size else math.nan
