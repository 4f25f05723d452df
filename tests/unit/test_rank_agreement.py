"""The three ways to compare the rankings by two features give the same sums, those of all pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from toprank.clock import Clock, OutOfTime
from toprank.problems import rank_agreement
from toprank.problems.rank_agreement import sum_sign_agreement

UNLIMITED = Clock()


def sum_over_pairs(X):
    signs = np.sign(X[:, None] - X[None])[np.tril_indices(len(X), -1)]
    return signs.T @ signs


@settings(max_examples=60, deadline=None)
@given(arrays(float, (9, 5), elements=st.integers(-2, 2).map(float)), st.integers(1, 5))
def test_trees_and_signs_sum_over_all_pairs(X, n_first):
    expected = sum_over_pairs(X)[:n_first]
    for sum_in_one_way in (rank_agreement._sum_by_signs, rank_agreement._sum_by_trees):
        np.testing.assert_array_equal(sum_in_one_way(X, UNLIMITED, n_first), expected)
    np.testing.assert_array_equal(sum_sign_agreement(X, n_first=n_first), expected)
    np.testing.assert_array_equal(sum_sign_agreement(sp.csr_array(X), n_first=n_first), expected)


@settings(max_examples=60, deadline=None)
@given(arrays(bool, (9, 5)), st.integers(1, 5), st.sampled_from([0.0, -3.0, 2.0]))
def test_features_of_two_values_need_no_pairs(is_high, n_first, low):
    X = np.where(is_high, np.arange(3.0, 8.0), low)
    X[:, 4] = 1.5  # one value alone
    expected = sum_over_pairs(X)[:n_first]
    for rows in (X, sp.csr_array(X)):
        if low == 0.0 or not sp.issparse(rows):
            assert rank_agreement._find_indicators(rows) is not None
        np.testing.assert_array_equal(sum_sign_agreement(rows, n_first=n_first), expected)


def test_stored_zeros_and_a_third_value():
    X = sp.csr_array(np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 2.0]]))
    X.data[0] = 0.0
    assert rank_agreement._find_indicators(X).toarray().tolist() == [[0, 0], [1, 1], [0, 1]]
    np.testing.assert_array_equal(sum_sign_agreement(X), sum_over_pairs(X.toarray()))
    X.data[:2] = 1.0, 3.0
    assert rank_agreement._find_indicators(X) is None
    assert rank_agreement._find_indicators(X.toarray()) is None


def test_the_cheapest_way_is_taken(monkeypatch):
    ways = []
    for name in ("_sum_by_signs", "_sum_by_trees"):
        monkeypatch.setattr(rank_agreement, name, lambda X, clock, n, name=name: ways.append(name))
    random = np.random.default_rng(0)
    for n, d in ((40, 45), (4000, 45), (4000, 2)):
        sum_sign_agreement(random.normal(size=(n, d)))
    assert ways == ["_sum_by_signs", "_sum_by_trees", "_sum_by_trees"]


def test_it_ends_when_the_time_is_up(monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 3))
    monkeypatch.setattr(Clock, "is_over", lambda self: True)
    for sum_in_one_way in (rank_agreement._sum_by_signs, rank_agreement._sum_by_trees):
        with pytest.raises(OutOfTime):
            sum_in_one_way(X, Clock(1.0), 3)
