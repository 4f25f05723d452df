"""The paired test by enumeration of all signs, and the slope of a power."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from toprank.statistics import log_log_slope, wilcoxon_p


def by_enumeration(difference):
    """Two-sided p-value over all assignments of signs to the ranks of the non-zero differences."""
    difference = difference[difference != 0]
    ranks = rankdata(np.abs(difference))
    observed = ranks[difference > 0].sum()
    sums = np.array([ranks @ signs for signs in itertools.product([0, 1], repeat=ranks.size)])
    return min(1.0, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))


@given(st.permutations(range(1, 9)), st.lists(st.booleans(), min_size=8, max_size=8))
def test_without_ties_it_is_the_enumeration(sizes, signs):
    difference = np.where(signs, 1, -1) * np.array(sizes, dtype=float)
    assert wilcoxon_p(difference, np.zeros(8)) == pytest.approx(by_enumeration(difference))


def test_equal_pairs_and_missing_ones():
    assert wilcoxon_p([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert np.isnan(wilcoxon_p([np.nan], [1.0])) and np.isnan(wilcoxon_p([], []))
    ours, theirs = np.arange(8.0), np.arange(8.0)[::-1] ** 2
    assert wilcoxon_p([*ours, np.nan], [*theirs, 1.0]) == wilcoxon_p(ours, theirs)


@given(st.integers(0, 10**6))
def test_it_is_symmetric(seed):
    ours, theirs = np.random.default_rng(seed).random((2, 10))
    assert wilcoxon_p(ours, theirs) == pytest.approx(wilcoxon_p(theirs, ours))


@given(st.floats(-3, 3), st.floats(1e-6, 1e6))
def test_the_slope_of_a_power_is_its_exponent(power, factor):
    x = np.array([10.0, 20.0, 50.0, 1000.0])
    assert log_log_slope(x, factor * x**power) == pytest.approx(power, abs=1e-9)


def test_no_slope():
    assert np.isnan(log_log_slope([3.0], [1.0])) and np.isnan(log_log_slope([3.0, 3.0], [1.0, 2.0]))
