"""How often a statement "the best of these methods is better than the best of those" holds by chance.

The numbers of a data set are permuted among its methods. The best of three methods is above the best of two
more often than below it, even if all are equally good, so a count of data sets means little without this
level. No permutation is drawn: with few methods all of them can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np

from reproduction.statistics.permutations import UPPER_LEVEL


def compute_better_probability(values: np.ndarray, n_first: int, n_second: int, margin: float) -> float:
    """Compute how probable it is that the best of some methods is better than the best of others by chance.

    Parameters
    ----------
    values : ndarray of shape (n_methods,)
        The numbers that are permuted; larger is better.
    n_first, n_second : int
        How many methods are on the first and on the second side, at least one each.
    margin : float
        The first side has to be better by more than this.

    Returns
    -------
    float
        Share of the assignments of numbers to methods.

    Raises
    ------
    ValueError
        There are fewer numbers than methods on the two sides, or a side has none.

    Examples
    --------
    Each of two equal sides has the larger of two numbers in half of the cases; two of three have it in two
    thirds.

    >>> compute_better_probability(np.array([0.2, 0.8]), 1, 1, 0.01)
    0.5
    >>> round(compute_better_probability(np.array([0.2, 0.5, 0.8]), 2, 1, 0.01), 4)
    0.6667
    """
    values, n_methods = np.sort(values), len(values)
    if min(n_first, n_second) < 1 or n_first + n_second > n_methods:
        raise ValueError(
            f"{n_methods} numbers cannot be given to {n_first} and {n_second} methods: "
            "each side needs at least one, and each method a number of its own"
        )
    n_free, probability = n_methods - n_second, 0.0
    for rank in range(n_second - 1, n_methods):
        # the second side has this number as its best, and n_second − 1 of the `rank` numbers below it
        best = values[rank]
        share = comb(rank, n_second - 1) / comb(n_methods, n_second)
        n_above = int(np.count_nonzero(values > best + margin))
        # of the numbers that are left, the first side has at least one of those above
        probability += share * (1.0 - comb(n_free - n_above, n_first) / comb(n_free, n_first))
    return probability


def compute_count_level(probabilities: Iterable[float]) -> tuple[float, int]:
    """Compute the mean and the upper point of a count of independent events.

    Parameters
    ----------
    probabilities : iterable of float
        Probability of each event.

    Returns
    -------
    mean : float
        Expected number of events.
    upper : int
        The smallest count that is not exceeded with a probability of at least `UPPER_LEVEL`.

    Examples
    --------
    >>> compute_count_level([0.5] * 10)
    (5.0, 8)
    """
    # the distribution of a sum of independent events is the convolution of theirs
    distribution, mean = np.ones(1), 0.0
    for probability in probabilities:
        distribution = np.convolve(distribution, [1.0 - probability, probability])
        mean += probability
    return mean, int(np.searchsorted(np.cumsum(distribution), UPPER_LEVEL - 1e-12))
