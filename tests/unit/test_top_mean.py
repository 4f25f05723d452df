"""The mean of the K highest scores, its subgradient and its dual weights, against linear programs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from toprank.top_mean import compute_top_weights, mean_of_highest, project_on_cap

SCORES = arrays(float, st.integers(1, 12), elements=st.integers(-3, 3).map(float) | st.floats(-10, 10))


@st.composite
def scores_and_depths(draw):
    """Scores, ties among them, and a depth from 1 to their number, both ends included."""
    scores = draw(SCORES)
    depth = draw(st.sampled_from([1.0, float(scores.size)]) | st.floats(1.0, float(scores.size)))
    return scores, depth


@given(scores_and_depths())
def test_the_mean_is_the_value_of_its_linear_program(case):
    scores, depth = case
    program = linprog(-scores, A_eq=np.ones((1, scores.size)), b_eq=[1.0], bounds=[(0.0, 1.0 / depth)])
    assert mean_of_highest(scores, depth) == pytest.approx(-program.fun, rel=1e-7, abs=2e-7)  # of HiGHS
    rows, weights = compute_top_weights(scores, depth)
    assert np.unique(rows).size == rows.size and weights.min() >= -1e-15
    assert weights.max() <= (1.0 + 1e-12) / depth and weights.sum() == pytest.approx(1.0)
    assert weights @ scores[rows] == pytest.approx(-program.fun, rel=1e-7, abs=2e-7)  # of HiGHS


@given(SCORES)
def test_the_ends_are_the_maximum_and_the_mean(scores):
    assert mean_of_highest(scores, 1.0) == scores.max()
    assert mean_of_highest(scores, float(scores.size)) == pytest.approx(scores.mean(), abs=1e-12)
    depths = np.linspace(1.0, scores.size, 7)
    means = [mean_of_highest(scores, depth) for depth in depths]
    assert np.all(np.diff(means) <= 1e-12)


@given(scores_and_depths())
def test_weights_are_moved_below_the_cap(case):
    scores, depth = case
    weights = np.abs(scores)
    if weights.sum() == 0.0:
        weights[0] = 1.0
    capped = project_on_cap(weights, depth)
    assert capped.min() >= 0.0 and capped.sum() == pytest.approx(1.0, abs=1e-12)
    assert capped.max() <= (1.0 + 1e-9) / depth
    order = np.argsort(weights)
    assert np.all(np.diff(capped[order]) >= -1e-12)  # a larger weight stays the larger one
    scaled = weights / weights.sum()
    if scaled.max() <= 1.0 / depth:
        np.testing.assert_array_equal(capped, scaled)
