"""Tests on paired results: one number a split, or a query, and method."""

import gc
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special, stats

CHUNK_SIZE = 2**20  # signs drawn at a time
MAX_EXACT_PAIRS = 13  # pairs up to which ties are counted exactly
CONFIDENCE_LEVEL = 0.95  # of the intervals
# Far above the rounding of a double (2e-16) after thousands of sums, far below any real difference.
ROUNDING_SHARE = 1e-12
"""Share of the largest value: differences closer than that are equal."""


def _paired_differences(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> tuple[np.ndarray, float]:
    """Ours minus theirs, without pairs in which a value is NaN or infinite, and the step of rounding.

    Differences such as 0.3 - 0.2 and 0.2 - 0.1, which only rounding keeps apart, are made equal: each is a
    multiple of the step, at most half a step from the true difference.
    """
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(
            f"paired values must be one-dimensional and of one length; got {ours.shape} and {theirs.shape}"
        )
    is_finite = np.isfinite(ours) & np.isfinite(theirs)
    ours, theirs = ours[is_finite], theirs[is_finite]
    step = ROUNDING_SHARE * max(np.abs(ours).max(initial=0.0), np.abs(theirs).max(initial=0.0))
    return (np.round((ours - theirs) / step) * step if step > 0.0 else ours - theirs), step


@dataclass(frozen=True)
class MeanDifference:
    """The mean of paired differences.

    Attributes
    ----------
    mean : float
        Ours minus theirs; NaN where there is no pair.
    low, high : float
        Ends of its interval; NaN with fewer than two pairs.
    p_value : float
        Two-sided, that the mean is zero; NaN where the method of the interval gives none.
    """

    mean: float
    low: float
    high: float
    p_value: float = float("nan")


def wilcoxon_p(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> float:
    """Return the two-sided p-value of the Wilcoxon signed-rank test (R12, Table 1 and Figure 1).

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Values of the two methods; pairs in which one value is NaN are left out.

    Returns
    -------
    float
        The p-value; 1 where all pairs are equal, NaN where there is no pair.
    """
    difference, _ = _paired_differences(ours, theirs)
    if not difference.size:
        return float("nan")
    if not difference.any():
        return 1.0
    difference = difference[difference != 0.0]
    if difference.size > MAX_EXACT_PAIRS:
        return float(stats.wilcoxon(difference).pvalue)
    # all signs of the ranks, as scipy does it where there are ties, thousands of times slower
    return sign_flip_p(np.sign(difference) * stats.rankdata(np.abs(difference)), np.zeros(difference.size))


def paired_t_p(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> float:
    """Return the p-value of the paired Student t test that ours has the smaller mean (L14, Tables V and VI).

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Values of the two methods; pairs in which one value is NaN are left out.

    Returns
    -------
    float
        The p-value; where all differences are one number, 0 if it is negative, else 1; NaN with fewer than
        two pairs.

    Raises
    ------
    ValueError
        If lengths differ.
    """
    difference, _ = _paired_differences(ours, theirs)
    if difference.size < 2:
        return float("nan")
    if not np.ptp(difference):
        return float(difference[0] >= 0.0)
    return float(stats.ttest_1samp(difference, 0.0, alternative="less").pvalue)


def adjust_holm(p_values: npt.ArrayLike) -> np.ndarray:
    """Adjust p-values for multiple testing by the step-down procedure of Holm (1979).

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        NaN marks a test that was not made; it does not count.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values in the order given; NaN stays NaN.

    Raises
    ------
    ValueError
        If a p-value lies outside 0 to 1.
    """
    # imported here: only the jobs that correct p-values pay for it
    from statsmodels.stats.multitest import multipletests

    p = np.asarray(p_values, dtype=float)
    is_tested = ~np.isnan(p)
    if ((p[is_tested] < 0.0) | (p[is_tested] > 1.0)).any():
        raise ValueError(
            f"p-values lie between 0 and 1; got {p[is_tested].min():g} to {p[is_tested].max():g}"
        )
    adjusted = np.full(p.shape, np.nan)
    if is_tested.any():
        # statsmodels 0.14 ends each correction with a garbage collection of all objects, which takes longer
        # than the correction itself; it does not visit frozen ones
        gc.freeze()
        try:
            adjusted[is_tested] = multipletests(p[is_tested], method="holm")[1]
        finally:
            gc.unfreeze()
    return adjusted


def sign_flip_p(ours: npt.ArrayLike, theirs: npt.ArrayLike, n_resamples: int = 9999, seed: int = 0) -> float:
    """Return the two-sided p-value of the mean difference of pairs, by permutation within the pairs.

    If the two methods were alike, both signs of a difference would be equally probable. The test counts the
    assignments of signs that give a mean at least as far from zero. It tries all 2^n if they are at most
    ``n_resamples``, else that many at random and the observed one.

    Parameters
    ----------
    ours : array-like of shape (n,)
        For instance the average precision of each query. Pairs in which one value is NaN are left out.
    theirs : array-like of shape (n,)
        Values of the other method.
    n_resamples : int, optional
        Number of random assignments of signs.
    seed : int, optional
        Seed of these assignments.

    Returns
    -------
    float
        The p-value; 1 where all pairs are equal, NaN where there is no pair.

    Raises
    ------
    ValueError
        If lengths differ.
    """
    difference, step = _paired_differences(ours, theirs)
    n = difference.size
    if not n:
        return float("nan")
    # a sum that differs from the observed one by rounding only, half a step for each of the n differences of
    # both, counts as equally far from zero
    threshold = np.abs(difference.sum()) - n * step
    if 2**n <= n_resamples:
        sums = np.zeros(1)
        for value in difference:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= threshold))
    difference = difference[difference != 0.0]
    random, count = np.random.default_rng(seed), 1
    rows = max(CHUNK_SIZE // max(difference.size, 1), 1)
    for first in range(0, n_resamples, rows):
        flips = random.integers(0, 2, size=(min(rows, n_resamples - first), difference.size), dtype=np.int8)
        sums = difference.sum() - 2.0 * (flips @ difference)
        count += np.count_nonzero(np.abs(sums) >= threshold)
    return count / (n_resamples + 1)


def win_tie_loss(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, larger_is_better: bool = True
) -> tuple[int, int, int]:
    """Count the pairs in which ours is better, as good, and worse.

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Values of the two methods; pairs in which one value is NaN are left out.
    larger_is_better : bool, optional
        Whether the larger value is the better one.

    Returns
    -------
    tuple of int
        Wins, ties and losses of ours.
    """
    difference, _ = _paired_differences(ours, theirs)
    larger, smaller = int((difference > 0.0).sum()), int((difference < 0.0).sum())
    ties = difference.size - larger - smaller
    return (larger, ties, smaller) if larger_is_better else (smaller, ties, larger)


def rank_biserial(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> float:
    """Return the matched-pairs rank-biserial correlation, the effect size of Wilcoxon (Kerby 2014).

    The sum of the ranks of the pairs in which ours is larger, minus the sum of the ranks where it is smaller,
    over the sum of both. As in the test, equal pairs have no rank.

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Values of the two methods; pairs in which one value is NaN are left out.

    Returns
    -------
    float
        1 where ours is larger in every pair that differs, -1 where it is smaller, 0 where all pairs are
        equal, NaN where there is no pair.
    """
    difference, _ = _paired_differences(ours, theirs)
    if not difference.size:
        return float("nan")
    difference = difference[difference != 0.0]
    if not difference.size:
        return 0.0
    ranks = stats.rankdata(np.abs(difference))
    return float(ranks @ np.sign(difference) / ranks.sum())


def corrected_t(ours: npt.ArrayLike, theirs: npt.ArrayLike, test_to_train: float = 0.0) -> MeanDifference:
    """Estimate the mean paired difference over repeated random splits by the corrected resampled t test.

    The training parts of random splits of one data set share rows, so that the differences are not
    independent, and Student's test rejects too often. Nadeau and Bengio (2003) put 1/n + n_test/n_train in
    the place of 1/n in the variance of the mean.

    Parameters
    ----------
    ours : array-like of shape (n,)
        One value a split. Pairs in which one value is NaN are left out.
    theirs : array-like of shape (n,)
        Values of the other method.
    test_to_train : float, optional
        Rows of the test part over rows of the training part. 0: Student's test and interval, for pairs that
        are independent.

    Returns
    -------
    MeanDifference
        Mean, interval and p-value; the latter is 1 where all pairs are equal, and NaN, like the interval,
        with fewer than two pairs.

    Raises
    ------
    ValueError
        If lengths differ, or if the ratio is negative or no number.
    """
    if not 0.0 <= test_to_train < np.inf:
        raise ValueError(
            f"test_to_train is rows of the test part over training rows, 0 or more; got {test_to_train}"
        )
    difference, _ = _paired_differences(ours, theirs)
    n = difference.size
    mean = float(difference.mean()) if n else float("nan")
    if n < 2:
        return MeanDifference(mean, float("nan"), float("nan"))
    if not np.ptp(difference):
        return MeanDifference(mean, mean, mean, 0.0 if mean else 1.0)
    error = difference.std(ddof=1) * np.sqrt(1.0 / n + test_to_train)
    # Student's distribution itself: scipy.stats.t checks its arguments for as long as the whole rest takes
    half_width = float(special.stdtrit(n - 1, 0.5 + CONFIDENCE_LEVEL / 2.0) * error)
    p_value = float(2.0 * special.stdtr(n - 1, -abs(mean) / error))
    return MeanDifference(mean, mean - half_width, mean + half_width, p_value)


def bootstrap_mean(ours: npt.ArrayLike, theirs: npt.ArrayLike, seed: int = 0) -> MeanDifference:
    """Estimate the mean paired difference with a bias-corrected and accelerated interval (Efron 1987).

    For many pairs that are independent, such as queries, whose differences are far from normal.

    Parameters
    ----------
    ours, theirs : array-like of shape (n,)
        Values of the two methods; pairs in which one value is NaN are left out.
    seed : int, optional
        Seed of the bootstrap.

    Returns
    -------
    MeanDifference
        Mean and interval without p-value. Where all differences are one number, so are the ends of the
        interval.

    Raises
    ------
    ValueError
        If lengths differ.
    """
    difference, _ = _paired_differences(ours, theirs)
    mean = float(difference.mean()) if difference.size else float("nan")
    if difference.size < 2:
        return MeanDifference(mean, float("nan"), float("nan"))
    if not np.ptp(difference):
        return MeanDifference(mean, mean, mean)
    interval = stats.bootstrap(
        (difference,),
        np.mean,
        confidence_level=CONFIDENCE_LEVEL,
        n_resamples=1999,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return MeanDifference(mean, float(interval.low), float(interval.high))


def log_log_slope(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Estimate the exponent p of y ~ x^p by least squares on the logarithms.

    Parameters
    ----------
    x : array-like of shape (n,)
        Positive numbers.
    y : array-like of shape (n,)
        Positive numbers.

    Returns
    -------
    float
        The exponent; NaN with fewer than two different values of x.
    """
    x, y = np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float))
    if x.size < 2 or np.ptp(x) == 0:
        return float("nan")
    return float(np.polyfit(x, y, 1)[0])
