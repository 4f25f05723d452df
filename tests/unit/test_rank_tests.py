"""Mean ranks, Friedman's test, Nemenyi's difference: by Demšar's tables, scipy and counting."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from scipy.stats import chi2, f, friedmanchisquare, studentized_range

from reproduction.statistics.rank_tests import (
    critical_difference,
    find_cliques,
    friedman_test,
    mean_ranks,
    nemenyi_matrix,
)

SEEDS = st.integers(0, 10**6)
DEMSAR = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Number of methods -> q at .05, Table 5 (a) of Demšar (2006)."""


def table(seed, n, k, grades=4):
    """Few different values, so that there are ties."""
    return np.random.default_rng(seed).integers(0, grades, (n, k)).astype(float)


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 6), st.integers(1, 5))
def test_ranks_count_what_is_better(seed, n, k):
    values = table(seed, n, k)
    ranks = [[1 + sum(row > value) + (sum(row == value) - 1) / 2 for value in row] for row in values]
    expected = np.mean(ranks, axis=0)
    assert mean_ranks(values) == pytest.approx(expected)
    assert mean_ranks(-values, larger_is_better=False) == pytest.approx(expected)
    assert mean_ranks(values, False) == pytest.approx(k + 1 - mean_ranks(values))
    assert mean_ranks(values).sum() == pytest.approx(k * (k + 1) / 2)


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 8), st.integers(3, 6))
def test_friedman_is_scipys(seed, n, k):
    values = table(seed, n, k)
    if (values == values[:, :1]).all():
        assert friedman_test(values) == (1.0, 1.0)
        return
    assert friedman_test(values)[0] == pytest.approx(friedmanchisquare(*values.T).pvalue)


@settings(max_examples=30)
@given(SEEDS, st.integers(2, 8), st.integers(2, 5))
def test_order_makes_no_difference(seed, n, k):
    values, random = table(seed, n, k), np.random.default_rng(seed)
    statistic, columns = friedman_test(values), random.permutation(k)
    for other in (values[random.permutation(n)], values[:, columns], -values, values**3 + 2):
        assert friedman_test(other) == pytest.approx(statistic)
    assert mean_ranks(values[:, columns]) == pytest.approx(mean_ranks(values)[columns])


def test_iman_and_davenport_on_the_example_of_demsar():
    """Section 3.2.2: four methods on fourteen data sets, mean ranks 3.143, 2.000, 2.893 and 1.964."""
    auc = """.763 .768 .771 .798  .599 .591 .590 .569  .954 .971 .968 .967  .628 .661 .654 .657
             .882 .888 .886 .898  .936 .931 .916 .931  .661 .668 .609 .685  .583 .583 .563 .625
             .775 .838 .866 .875
             1.000 1.000 1.000 1.000  .940 .962 .965 .962  .619 .666 .614 .669  .972 .981 .9751 .975
             .957 .978 .946 .970"""
    values = np.array(auc.split(), dtype=float).reshape(14, 4)
    assert mean_ranks(values) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    plain = 12 * 14 / 20 * (mean_ranks(values) @ mean_ranks(values) - 25)
    assert (plain, 13 * plain / (42 - plain)) == pytest.approx((9.28, 3.69), abs=0.01)
    # what the paper leaves out: the correction for ties
    groups = [np.unique(row, return_counts=True)[1] for row in values]
    tied = sum((sizes**3 - sizes).sum() for sizes in groups)
    corrected = plain / (1 - tied / (14 * 60))
    p_values = chi2.sf(corrected, 3), f.sf(13 * corrected / (42 - corrected), 3, 39)
    assert friedman_test(values) == pytest.approx(p_values) and p_values[1] < 0.02


def test_blocks_that_agree_have_the_share_of_such_arrangements():
    orders = list(itertools.permutations(range(3)))
    alike = np.mean([len(set(blocks)) == 1 for blocks in itertools.product(orders, repeat=3)])
    assert friedman_test(np.tile([3.0, 1.0, 2.0], (3, 1)))[1] == pytest.approx(alike)
    tied = friedman_test(np.tile([3.0, 1.0, 1.0], (3, 1)))
    assert tied[1] == pytest.approx(1 / 9)  # three places for the best, in two further blocks


@pytest.mark.parametrize("k", DEMSAR)
def test_the_critical_difference_is_that_of_demsars_table(k):
    assert critical_difference(k, 14) == pytest.approx(DEMSAR[k] * math.sqrt(k * (k + 1) / 84), rel=4e-4)
    assert critical_difference(k, 14) < critical_difference(k, 7)


@pytest.mark.parametrize("seed", range(4))
def test_it_separates_the_pairs_whose_p_value_is_below_the_level(seed):
    """By the distribution of the Studentised range of k mean ranks (Nemenyi 1963)."""
    values = np.random.default_rng(seed).normal([0.0, 0.4, 1.0, 1.6], size=(12, 4))
    ranks = pd.Series(mean_ranks(values), index=list("abcd"))
    gaps = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()))
    p_values = studentized_range.sf(gaps * np.sqrt(2 * 6 * 12 / (4 * 5)), 4, np.inf)
    matrix = nemenyi_matrix(ranks, critical_difference(4, 12))
    assert ((matrix == 0) == (p_values < 0.05)).all(axis=None) and (matrix == 0).any(axis=None)


@settings(max_examples=30)
@given(st.lists(st.integers(4, 40), max_size=7), st.integers(1, 12))
def test_cliques_are_the_largest_groups(quarters, difference):
    ranks = pd.Series(np.array(quarters) / 4, index=list("abcdefg")[: len(quarters)])
    cliques = find_cliques(ranks, difference / 4)
    groups = [
        set(group)
        for size in range(2, ranks.size + 1)
        for group in itertools.combinations(ranks.index, size)
        if np.ptp(ranks[list(group)]) <= difference / 4
    ]
    expected = [group for group in groups if not any(group < other for other in groups)]
    assert sorted(map(sorted, cliques)) == sorted(map(sorted, expected))
    assert all(ranks[clique].is_monotonic_increasing for clique in cliques)
    assert [ranks[clique[0]] for clique in cliques] == sorted(ranks[clique[0]] for clique in cliques)


def test_a_gap_that_rounding_makes_larger_is_no_more_than_the_difference():
    assert find_cliques(pd.Series([0.1 + 0.2, 0.1], index=["a", "b"]), 0.2) == [["b", "a"]]
    assert find_cliques(pd.Series([0.3001, 0.1], index=["a", "b"]), 0.2) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_ranks([1.0, 2.0]), r"a table of blocks by methods.*got \(2,\)"),
        (lambda: mean_ranks(np.empty((0, 3))), r"neither of them empty; got \(0, 3\)"),
        (lambda: mean_ranks([[1.0, 2.0], [1.0, np.nan]]), "block 1 has no number for method 1"),
        (lambda: friedman_test([[1.0, 2.0]]), "two blocks and two methods at least; got 1 and 2"),
        (lambda: friedman_test([[1.0], [2.0]]), "two blocks and two methods at least; got 2 and 1"),
        (lambda: critical_difference(1, 5), "two blocks and two methods at least; got 5 and 1"),
    ],
)
def test_bad_input(call, message):
    with raises_one_sentence(message):
        call()
