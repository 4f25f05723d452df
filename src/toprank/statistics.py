"""Tests on paired results: one number a split, or a query, and method."""

from __future__ import annotations

import numpy as np
from scipy import stats

ALTERNATIVES = ("less", "greater", "two-sided")
BLOCK = 2**20  # signs drawn at a time


def _differences(ours, theirs):
    """Ours minus theirs, without the pairs in which one value is NaN or infinite."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(
            f"paired values must be one-dimensional and of one length; got {ours.shape} and {theirs.shape}"
        )
    return (ours - theirs)[np.isfinite(ours) & np.isfinite(theirs)]


def wilcoxon_p(ours, theirs) -> float:
    """Two-sided p-value of the Wilcoxon signed-rank test on paired values (R12, Table 1 and Figure 1).

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Pairs in which one value is NaN are left out.

    Returns
    -------
    float
        1 where all pairs are equal, NaN where there is no pair.
    """
    difference = _differences(ours, theirs)
    if not difference.size:
        return float("nan")
    if not difference.any():
        return 1.0
    return float(stats.wilcoxon(difference).pvalue)


def paired_t_p(ours, theirs, alternative="less") -> float:
    """p-value of the paired Student t test (L14, Tables V and VI: one-sided, against the best method).

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Pairs in which one value is NaN are left out.
    alternative : {"less", "greater", "two-sided"}, default="less"
        "less": ours has the smaller mean.

    Returns
    -------
    float
        1 where all pairs are equal, NaN with fewer than two pairs.

    Raises
    ------
    ValueError
        If lengths differ or the alternative is unknown.
    """
    if alternative not in ALTERNATIVES:
        raise ValueError(f"unknown alternative {alternative!r}; choose one of {', '.join(ALTERNATIVES)}")
    difference = _differences(ours, theirs)
    n = difference.size
    if n < 2:
        return float("nan")
    if not difference.any():
        return 1.0
    error = difference.std(ddof=1) / np.sqrt(n)
    with np.errstate(divide="ignore"):
        t = difference.mean() / error  # infinite where all differences are one number
    if alternative == "two-sided":
        return float(2.0 * stats.t.sf(abs(t), n - 1))
    return float(stats.t.cdf(t if alternative == "less" else -t, n - 1))


def holm(p_values):
    """Adjust p-values for being several: the step-down of Holm (1979).

    Parameters
    ----------
    p_values : array-like of shape (n,)
        NaN: a test that was not made; it does not count.

    Returns
    -------
    ndarray of shape (n,)
        In the order given; NaN stays NaN.

    Raises
    ------
    ValueError
        If a p-value lies outside 0 to 1.
    """
    p = np.asarray(p_values, dtype=float)
    made = np.flatnonzero(~np.isnan(p))
    if ((p[made] < 0.0) | (p[made] > 1.0)).any():
        raise ValueError(f"p-values lie between 0 and 1; got {p[made].min():g} to {p[made].max():g}")
    ascending = made[np.argsort(p[made], kind="stable")]
    adjusted = np.full(p.shape, np.nan)
    steps = p[ascending] * np.arange(made.size, 0, -1)
    adjusted[ascending] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def sign_flip_p(ours, theirs, n_resamples=9999, seed=0) -> float:
    """Two-sided p-value of the mean difference of pairs, by permutation within the pairs.

    Were the two methods alike, the sign of each difference would be that of a coin. The test counts how many
    assignments of signs give a mean at least as far from zero: all 2^n of them where they are no more than
    ``n_resamples``, else that many at random, and the observed one.

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        For instance the average precision of each query. Pairs in which one value is NaN are left out.
    n_resamples : int, default=9999
    seed : int, default=0

    Returns
    -------
    float
        1 where all pairs are equal, NaN where there is no pair.

    Raises
    ------
    ValueError
        If lengths differ.
    """
    difference = _differences(ours, theirs)
    n = difference.size
    if not n:
        return float("nan")
    # a sum that differs from the observed one by rounding only is as far from zero
    far = np.abs(difference.sum()) - 1e-12 * np.abs(difference).sum()
    if 2**n <= n_resamples:
        sums = np.zeros(1)
        for value in difference:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= far))
    difference = difference[difference != 0.0]
    random, count = np.random.default_rng(seed), 1
    rows = max(BLOCK // max(difference.size, 1), 1)
    for first in range(0, n_resamples, rows):
        flips = random.integers(0, 2, size=(min(rows, n_resamples - first), difference.size), dtype=np.int8)
        sums = difference.sum() - 2.0 * (flips @ difference)
        count += np.count_nonzero(np.abs(sums) >= far)
    return count / (n_resamples + 1)


def log_log_slope(x, y) -> float:
    """Exponent p of y ~ x^p, by least squares on the logarithms; NaN with fewer than two points.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Positive.
    """
    x, y = np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float))
    if x.size < 2 or np.ptp(x) == 0:
        return float("nan")
    return float(np.polyfit(x, y, 1)[0])
