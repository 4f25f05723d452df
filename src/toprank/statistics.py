"""Tests on paired results: one number a split and method."""

from __future__ import annotations

import numpy as np
from scipy import stats


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
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    difference = (ours - theirs)[np.isfinite(ours) & np.isfinite(theirs)]
    if not difference.size:
        return float("nan")
    if not difference.any():
        return 1.0
    return float(stats.wilcoxon(difference).pvalue)


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
