"""Exact distributions of the hits in the first k rows: of a random order, and of draws at one rate."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toprank.metrics.resampling import CutOff

#: Terms of a sum of probabilities that are smaller than the largest one by this factor's logarithm are left
#: out: with the 1e10 terms of a large list they change the 16th digit.
NEGLIGIBLE_LOG = 60.0


def compute_chance_interval(n_rows: int, n_positives: int, k: int, confidence: float) -> tuple[int, int]:
    """Compute the hits among the first k rows in a random order, which are hypergeometric.

    Parameters
    ----------
    n_rows, n_positives, k : int
    confidence : float

    Returns
    -------
    lower, upper : int
        Beyond each is at most half of ``1 - confidence``.
    """
    from scipy.stats import hypergeom

    tail = (1.0 - confidence) / 2.0
    lower, upper = hypergeom.ppf([tail, 1.0 - tail], n_rows, n_positives, k)
    return int(lower), int(upper)


def compute_p_value(n_rows: int, n_positives: int, k: int, cut: CutOff) -> float:
    """Compute the probability that labels independent of the scores give at least as many expected hits.

    The labels are permuted over the rows, whose ties stay: c of them fall in the groups above the one that
    the cut-off reaches, and of the others r in this group, both hypergeometric.

    Parameters
    ----------
    n_rows, n_positives, k : int
    cut : CutOff
        Of the list.

    Returns
    -------
    float
        1 for a constant scorer, whose expected hits no permutation changes.
    """
    from scipy.stats import hypergeom

    size, n_above, hits = int(cut.size), int(cut.n_above), float(cut.expected_hits())
    if n_above == size:  # no group is divided
        return float(hypergeom.sf(round(hits) - 1, n_rows, n_positives, k))
    # Rows in whole groups above the cut-off; their hits c are hypergeometric, and so are those of the tied
    # group given c.
    n_whole = k - n_above
    c = np.arange(max(0, n_whole - (n_rows - n_positives)), min(n_positives, n_whole) + 1)
    # least r with c + n_above r / size >= hits, in whole numbers
    scaled_hits = int(cut.hits) * size + n_above * int(cut.positives)
    least = -((c * size - scaled_hits) // n_above)
    # The largest term of each c is at the mode of r, or at the least r; logarithms cost little, while SciPy's
    # exact terms of all c take seconds on 1e5 rows.
    n_others = n_rows - n_whole
    mode = (size + 1) * (n_positives - c + 1) // (n_others + 2)
    log_terms = hypergeom.logpmf(c, n_rows, n_positives, n_whole) + hypergeom.logpmf(
        np.maximum(least, mode), n_others, n_positives - c, size
    )
    is_relevant = log_terms > log_terms.max() - NEGLIGIBLE_LOG
    c, least = c[is_relevant], least[is_relevant]
    tails = hypergeom.sf(least - 1, n_others, n_positives - c, size)
    return float(min(1.0, np.sum(hypergeom.pmf(c, n_rows, n_positives, n_whole) * tails)))


def compute_binomial_interval(hits: float, k: int, confidence: float) -> tuple[float, float]:
    """Compute the interval of Clopper and Pearson for the expected hits of k draws at one rate.

    Parameters
    ----------
    hits : float
        In k draws; a fraction counts as its two neighbours.
    k : int
    confidence : float

    Returns
    -------
    lower, upper : float
    """
    from scipy.stats import beta

    tail, low, high = (1.0 - confidence) / 2.0, math.floor(hits), math.ceil(hits)
    # Fractional expected hits: rounded outwards, which keeps the coverage.
    lower = float(k * beta.ppf(tail, low, k - low + 1)) if low > 0 else 0.0
    upper = float(k * beta.ppf(1.0 - tail, high + 1, k - high)) if high < k else float(k)
    return lower, upper


def compute_next_hits_interval(hits: float, k: int, confidence: float) -> tuple[int, int]:
    """Compute the exact prediction interval of the hits in k draws, from those in k draws at the same rate.

    Given their sum h, the hits in one half of 2k draws are hypergeometric whatever the rate (Thatcher 1964).
    A number belongs to the interval unless the hits lie in a tail of that distribution.

    Parameters
    ----------
    hits : float
        In k draws; a fraction counts as its two neighbours.
    k : int
    confidence : float

    Returns
    -------
    lower, upper : int
    """
    from scipy.stats import hypergeom

    tail, low, high = (1.0 - confidence) / 2.0, math.floor(hits), math.ceil(hits)

    def is_above_low_tail(next_hits: int) -> bool:
        """Whether so many next hits are not too few beside the hits.

        Parameters
        ----------
        next_hits : int

        Returns
        -------
        bool
        """
        return bool(hypergeom.sf(low - 1, 2 * k, low + next_hits, k) > tail)

    def is_in_high_tail(next_hits: int) -> bool:
        """Whether so many next hits are too many beside the hits.

        Parameters
        ----------
        next_hits : int

        Returns
        -------
        bool
        """
        return bool(hypergeom.cdf(high, 2 * k, high + next_hits, k) <= tail)

    # The tail probabilities are monotone in the next hits, so the ends are found by bisection.
    lower = bisect_left(range(k + 1), True, key=is_above_low_tail)
    upper = bisect_left(range(k + 1), True, key=is_in_high_tail) - 1
    return lower, upper
