"""Permutations that tell a correspondence from chance: counts of matches, and the order of methods.

What is permuted is one side of pairs, within groups: the published values of a data set among its methods, or
whole rows of a table among its data sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np

UPPER_LEVEL = 0.95
"""A count below this quantile of the permuted ones is no more than chance."""

MAX_ENUMERATED = 6
"""Items whose permutations are all enumerated (720); of more, a sample is drawn."""


@dataclass(frozen=True)
class ChanceLevel:
    """A count beside those of permuted values.

    Attributes
    ----------
    observed : int
        Count of the observed order.
    mean : float
        Mean of the permuted counts.
    upper : float
        The `UPPER_LEVEL` quantile of the permuted counts.
    p_value : float
        Share of the orders, the observed one among them, with a count at least as large.
    """

    observed: int
    mean: float
    upper: float
    p_value: float


def draw_permutations(n: int, n_permutations: int, random: np.random.Generator) -> np.ndarray:
    """Draw permutations of n items after the identity.

    Parameters
    ----------
    n : int
        Number of items.
    n_permutations : int
        Number of permutations that are drawn.
    random : numpy.random.Generator
        Draws them.

    Returns
    -------
    ndarray of int of shape (1 + n_permutations, n)
        A permutation in each row; the first is the identity.

    Examples
    --------
    >>> draw_permutations(3, 100, np.random.default_rng(0)).shape
    (101, 3)
    """
    # The ranks of n uniform numbers are a uniform permutation; one sort a row, without a loop in Python.
    return np.vstack([np.arange(n), np.argsort(random.random((n_permutations, n)), axis=1)])


def measure_chance_level(counts: np.ndarray) -> ChanceLevel:
    """Compare an observed count with those of permuted values.

    Parameters
    ----------
    counts : ndarray of shape (1 + p,)
        The observed count, then that of each permutation.

    Returns
    -------
    ChanceLevel
        Mean and quantile of the permuted counts; the p-value is (1 + b) / (1 + p), where b permuted counts
        are at least as large as the observed one (Phipson and Smyth 2010).

    Examples
    --------
    >>> measure_chance_level(np.array([4, 1, 0, 1, 2]))
    ChanceLevel(observed=4, mean=1.0, upper=2.0, p_value=0.2)
    """
    observed, permuted = int(counts[0]), counts[1:]
    return ChanceLevel(
        observed,
        mean=float(permuted.mean()),
        # Counts are whole numbers: a quantile that is one of them, not interpolated between two.
        upper=float(np.quantile(permuted, UPPER_LEVEL, method="inverted_cdf")),
        # Over `counts` and not `permuted`: the observed one counts, so that p is never 0.
        p_value=float(np.mean(counts >= observed)),
    )


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
    # Tau-b = Σ sign(a_i − a_j) sign(b_i − b_j) / √(n₁ n₂), n₁ and n₂ the pairs not tied in a and in b.
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
    # numerator of tau-b with the first order permuted: both its rows and its columns
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
    # the tolerance counts orders that round otherwise as equal
    return float(np.mean(permuted >= value - 1e-9)) if permuted.size else math.nan
