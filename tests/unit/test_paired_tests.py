"""Paired tests by enumeration of all signs, by scipy and definitions; the slope of a power."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from scipy.stats import bootstrap, norm, permutation_test, rankdata, ttest_1samp, ttest_rel, wilcoxon

from reproduction.statistics.paired_tests import (
    adjust_holm,
    bootstrap_mean,
    corrected_t,
    log_log_slope,
    paired_t_p,
    rank_biserial,
    sign_flip_p,
    wilcoxon_p,
    win_tie_loss,
)

SEEDS = st.integers(0, 10**6)


def compute_by_enumeration(difference):
    """Two-sided p-value over all assignments of signs to the ranks of the non-zero differences."""
    difference = difference[difference != 0]
    ranks = rankdata(np.abs(difference))
    observed = ranks[difference > 0].sum()
    sums = np.array([ranks @ signs for signs in itertools.product([0, 1], repeat=ranks.size)])
    return min(1.0, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))


@given(st.permutations(range(1, 9)), st.lists(st.booleans(), min_size=8, max_size=8))
def test_without_ties_it_is_the_enumeration(sizes, signs):
    difference = np.where(signs, 1, -1) * np.array(sizes, dtype=float)
    assert wilcoxon_p(difference, np.zeros(8)) == pytest.approx(compute_by_enumeration(difference))


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
def test_with_ties_it_is_the_enumeration_and_scipys(n):
    difference = np.random.default_rng(n).integers(-3, 4, n) / 7 + 0.0
    difference[0] = 1 / 7
    p_value = wilcoxon_p(difference, np.zeros(n))
    assert p_value == pytest.approx(compute_by_enumeration(np.round(7 * difference)))
    assert p_value == pytest.approx(wilcoxon(np.round(7 * difference)).pvalue)


@pytest.mark.parametrize("n_zeros", [0, 1, 6])
def test_many_pairs_with_ties_by_the_normal_approximation_of_those_that_differ(n_zeros):
    """The variance is that of the ranks; pairs that are equal have none (Wilcoxon, not Pratt)."""
    difference = np.random.default_rng(5).integers(1, 7, 30) * np.where(np.arange(30) % 3, 1.0, -1.0)
    ranks = rankdata(np.abs(difference))
    deviation = abs((ranks * np.sign(difference)).sum()) / np.sqrt((ranks**2).sum())
    p_value = wilcoxon_p(np.append(difference, np.zeros(n_zeros)), np.zeros(30 + n_zeros))
    assert p_value == pytest.approx(2.0 * norm.sf(deviation), rel=1e-9)


def test_equal_pairs_and_missing_ones():
    assert wilcoxon_p([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert np.isnan(wilcoxon_p([np.nan], [1.0])) and np.isnan(wilcoxon_p([], []))
    ours, theirs = np.arange(8.0), np.arange(8.0)[::-1] ** 2
    assert wilcoxon_p([*ours, np.nan], [*theirs, 1.0]) == wilcoxon_p(ours, theirs)


def test_the_paired_t_leaves_out_missing_pairs():
    ours, theirs = np.random.default_rng(0).random((2, 7))
    expected = ttest_rel(ours, theirs, alternative="less").pvalue
    assert paired_t_p([*ours, np.nan, 1.0], [*theirs, 1.0, np.nan]) == pytest.approx(expected)


def test_the_paired_t_by_hand_and_at_its_edges():
    assert paired_t_p([0.0, 1.0], [1.0, 4.0]) == pytest.approx(0.5 - np.arctan(2.0) / np.pi)  # t = -2, Cauchy
    assert paired_t_p([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert np.isnan(paired_t_p([0.5], [0.7])) and np.isnan(paired_t_p([0.5, np.nan], [0.7, 0.1]))
    assert paired_t_p([0.0, 0.0], [1.0, 1.0]) == 0.0 and paired_t_p([1.0, 1.0], [0.0, 0.0]) == 1.0


@pytest.mark.parametrize("n", [1, 2, 5, 45])
def test_holm_is_the_largest_bonferroni_step_so_far(n):
    """By its definition, one p-value at a time: the i-th smallest of n times n - i + 1, never falling."""
    p_values = np.round(np.random.default_rng(n).random(n) ** 3, 2)  # small ones, and ties
    for p_value, adjusted in zip(p_values, adjust_holm(p_values), strict=True):
        smaller = [p for p in sorted(p_values) if p <= p_value]
        assert adjusted == pytest.approx(min(1.0, max((n - i) * p for i, p in enumerate(smaller))))


def test_holm_by_hand():
    assert adjust_holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert adjust_holm([0.9, 0.8, 0.001]) == pytest.approx([1.0, 1.0, 0.003])
    np.testing.assert_allclose(adjust_holm([np.nan, 0.02, 0.5, np.nan]), [np.nan, 0.04, 0.5, np.nan])
    assert adjust_holm([]).size == 0 and np.isnan(adjust_holm([np.nan])).all()


def test_few_signs_are_enumerated():
    """Sums of small numbers tie often, also where the rounding of the differences does not divide them."""
    random = np.random.default_rng(0)
    cases = [np.array([-2, -2, -2, -2, 4, 4, 6]), *(random.integers(-6, 7, 1 + i % 10) for i in range(400))]
    for i, case in enumerate(cases):
        signs = np.array(list(itertools.product([1, -1], repeat=case.size)))
        expected = np.mean(np.abs(signs @ case) >= abs(case.sum()))
        ours, theirs = (case + 3) / (1, 3, 7, 10)[i % 4], np.full(case.size, 3) / (1, 3, 7, 10)[i % 4]
        assert sign_flip_p(ours, theirs) == sign_flip_p(theirs, ours) == expected, case


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_many_signs_are_drawn(shift):
    ours, theirs = np.random.default_rng(7).normal(size=(2, 16))
    ours = ours + shift
    exact = sign_flip_p(ours, theirs, n_resamples=2**16)
    options = {"permutation_type": "samples", "vectorized": True, "n_resamples": np.inf}
    expected = permutation_test((ours, theirs), lambda a, b, axis: np.mean(a - b, axis=axis), **options)
    assert exact == pytest.approx(expected.pvalue)
    p_value = sign_flip_p(ours, theirs)
    assert p_value == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 9999) + 1e-4)
    assert p_value == sign_flip_p(ours, theirs) != sign_flip_p(ours, theirs, seed=1)
    assert sign_flip_p([*ours, np.nan], [*theirs, 0.0]) == p_value


def test_the_edges_of_the_permutation():
    assert sign_flip_p([0.5] * 40, [0.5] * 40) == 1.0 == sign_flip_p([0.5], [0.5])
    assert np.isnan(sign_flip_p([np.nan], [1.0]))
    assert sign_flip_p(np.ones(40), np.zeros(40)) == 1 / 10_000  # never 0: the observed signs count
    columns = np.random.default_rng(0).random((2, 3000))  # more than one block of signs
    assert 0.0 < sign_flip_p(*columns) <= 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t_p([1.0, 2.0], [1.0]), r"of one length; got \(2,\) and \(1,\)"),
        (lambda: sign_flip_p([1.0, 2.0], [1.0]), r"of one length; got \(2,\) and \(1,\)"),
        (lambda: wilcoxon_p([[1.0]], [[2.0]]), "must be one-dimensional"),
        (lambda: adjust_holm([0.5, 1.5]), "between 0 and 1; got 0.5 to 1.5"),
        (lambda: win_tie_loss([1.0, 2.0], [1.0]), r"of one length; got \(2,\) and \(1,\)"),
        (lambda: rank_biserial([[1.0]], [[2.0]]), "must be one-dimensional"),
        (lambda: corrected_t([1.0, 2.0], [0.0, 0.0], -0.5), "0 or more; got -0.5"),
        (lambda: corrected_t([1.0, 2.0], [0.0, 0.0], float("nan")), "0 or more; got nan"),
    ],
)
def test_bad_input(call, message):
    with raises_one_sentence(message):
        call()


@given(st.floats(-3, 3), st.floats(1e-6, 1e6))
def test_the_slope_of_a_power_is_its_exponent(power, factor):
    x = np.array([10.0, 20.0, 50.0, 1000.0])
    assert log_log_slope(x, factor * x**power) == pytest.approx(power, abs=1e-9)


def test_no_slope():
    assert np.isnan(log_log_slope([3.0], [1.0])) and np.isnan(log_log_slope([3.0, 3.0], [1.0, 2.0]))


GRADES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)


@settings(max_examples=30)
@given(GRADES)
def test_pairs_are_counted_and_swap(pairs):
    ours, theirs = np.array(pairs, dtype=float).T / 7
    wins, ties, losses = win_tie_loss(ours, theirs)
    assert (wins, ties) == (sum(a > b for a, b in pairs), sum(a == b for a, b in pairs))
    assert wins + ties + losses == len(pairs)
    assert win_tie_loss(theirs, ours) == (losses, ties, wins) == win_tie_loss(ours, theirs, False)
    assert win_tie_loss([*ours, np.nan], [*theirs, 1.0]) == (wins, ties, losses)


@settings(max_examples=30)
@given(GRADES)
def test_the_rank_biserial_is_that_of_all_averages_of_pairs(pairs):
    """Of the averages of any two differences, a pair with itself included, the share above minus below."""
    ours, theirs = np.array(pairs, dtype=float).T / 7
    correlation = rank_biserial(ours, theirs)
    assert correlation == pytest.approx(-rank_biserial(theirs, ours)) and -1 <= correlation <= 1
    assert rank_biserial([np.nan, *ours], [0.0, *theirs]) == correlation
    difference = np.array([a - b for a, b in pairs if a != b])
    if not difference.size:
        assert correlation == 0.0
        return
    rows, columns = np.tril_indices(difference.size)  # Walsh averages
    shares = np.sign(difference[rows] + difference[columns])
    assert correlation == pytest.approx(shares.mean())


def test_the_rank_biserial_by_hand_and_from_scipys_statistic():
    assert rank_biserial([2.0, 3.0, 0.0], [1.0, 1.0, 3.0]) == pytest.approx((1 + 2 - 3) / 6)
    assert rank_biserial([1.0, 2.0], [0.0, 0.0]) == 1.0 and np.isnan(rank_biserial([np.nan], [1.0]))
    difference = np.random.default_rng(3).normal(0.3, 1.0, 20)
    statistic = wilcoxon(difference, alternative="greater").statistic
    assert rank_biserial(difference, np.zeros(20)) == pytest.approx(2 * statistic / 210 - 1)


def test_differences_that_rounding_keeps_apart_are_tied():
    ours, theirs = np.array([3, 2, 1, 5, 4]) / 10, np.array([2, 1, 2, 4, 5]) / 10
    assert len(set(np.abs(ours - theirs))) > 1
    assert wilcoxon_p(ours, theirs) == wilcoxon_p(10 * ours, 10 * theirs)
    assert rank_biserial(ours, theirs) == pytest.approx(1 / 5)


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 12))
def test_without_shared_rows_the_corrected_t_is_students(seed, n):
    ours, theirs = np.random.default_rng(seed).random((2, n))
    result, expected = corrected_t(ours, theirs), ttest_1samp(ours - theirs, 0.0)
    interval = expected.confidence_interval(0.95)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    corrected, swapped = corrected_t(ours, theirs, 0.5), corrected_t(theirs, ours, 0.5)
    assert corrected.mean == result.mean == pytest.approx(-swapped.mean)
    assert (corrected.low, corrected.p_value) == pytest.approx((-swapped.high, swapped.p_value))
    wider = (corrected.high - corrected.low) / (result.high - result.low)
    assert wider == pytest.approx(np.sqrt(1 + 0.5 * n)) and corrected.p_value >= result.p_value
    assert (corrected.low <= 0 <= corrected.high) == (corrected.p_value >= 0.05)
    order = np.random.default_rng(seed).permutation(n)
    assert corrected_t(ours[order], theirs[order], 0.5).p_value == pytest.approx(corrected.p_value)


def test_the_corrected_t_keeps_its_level_where_splits_share_rows():
    """Repeated random splits of noise: the plain test finds a difference far too often."""
    random, rejections = np.random.default_rng(11), {0.0: 0, 0.5: 0}
    for _ in range(200):
        rows = random.normal(size=90)
        means = [random.permutation(rows)[:30].mean() for _ in range(10)]  # mean of each test part
        for ratio in rejections:
            rejections[ratio] += corrected_t(means, np.zeros(10), ratio).p_value < 0.05
    assert rejections[0.5] < 0.1 * 200 < rejections[0.0]


def test_the_edges_of_the_corrected_t():
    equal_result = corrected_t([0.5, 0.5], [0.5, 0.5], 0.5)
    assert (equal_result.mean, equal_result.low, equal_result.high, equal_result.p_value) == (
        0.0,
        0.0,
        0.0,
        1.0,
    )
    alone = corrected_t([0.5, np.nan], [0.25, 1.0], 0.5)
    assert alone.mean == 0.25 and np.isnan([alone.low, alone.high, alone.p_value]).all()
    assert corrected_t([1.0, 2.0], [0.0, 1.0]).p_value == 0.0 and np.isnan(corrected_t([], []).mean)


def test_the_bootstrap_is_scipys_and_near_students():
    ours, theirs = np.random.default_rng(5).normal([[0.2], [0.0]], size=(2, 200))
    interval, expected = bootstrap_mean(ours, theirs), corrected_t(ours, theirs)
    assert (interval.mean, interval.low) == pytest.approx((expected.mean, expected.low), abs=0.03)
    assert interval.high == pytest.approx(expected.high, abs=0.03) and np.isnan(interval.p_value)
    assert interval == bootstrap_mean([*ours, np.nan], [*theirs, 0.0])
    assert interval.low != bootstrap_mean(ours, theirs, seed=1).low
    plain = bootstrap((ours - theirs,), np.mean, n_resamples=1999, rng=np.random.default_rng(0))
    assert interval.low == pytest.approx(plain.confidence_interval.low, abs=1e-6)
    assert interval.low < interval.mean < interval.high


def test_the_edges_of_the_bootstrap():
    equal_result = bootstrap_mean([1.0, 2.0], [0.5, 1.5])
    assert (equal_result.low, equal_result.mean, equal_result.high) == (0.5, 0.5, 0.5)
    assert np.isnan(bootstrap_mean([1.0], [0.5]).low) and bootstrap_mean([1.0], [0.5]).mean == 0.5
    rare = bootstrap_mean([1.0, *np.zeros(60)], np.zeros(61))
    assert 0.0 <= rare.low <= rare.mean < rare.high
