"""The pairwise loss along a segment of scores: value, slopes and the exact minimum, against the pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar
from test_pairwise import DATA, build, differences, documents

from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking
from toprank.problems.pairwise_segment import PairwiseSegment, _derivatives


def start(name, w, kind=np.asarray):
    """A segment whose scores are those of w, its problem, and the differences."""
    problem, rows = build(name, kind=kind)
    segment = PairwiseSegment(problem)
    segment.scores = sum(segment.column(j, weight) for j, weight in enumerate(w))
    segment._evaluate()
    return segment, problem, rows


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", DATA)
def test_value_and_gradient_are_those_of_the_pairs(name, kind):
    random = np.random.default_rng(0)
    for size in (0.0, 0.3, 3.0, 30.0):
        w = size * random.normal(size=5)
        segment, _, rows = start(name, w, kind)
        hinge = np.maximum(1 - rows @ w, 0)
        assert segment.value == pytest.approx(hinge @ hinge, rel=1e-9)
        np.testing.assert_allclose(segment.gradient(), -2 * rows.T @ hinge, atol=1e-8 * (1 + size))


@pytest.mark.parametrize("name", DATA)
def test_slope_and_curvature_along_a_direction_are_those_of_the_pairs(name):
    """The search would end on the right step with a wrong curvature too, but late."""
    random = np.random.default_rng(0)
    for size in (0.0, 0.3, 3.0):
        w, direction = size * random.normal(size=5), random.normal(size=5)
        segment, _, rows = start(name, w)
        along = sum(segment.column(j, weight) for j, weight in enumerate(direction))
        structure = segment._order, segment._levels, segment._n_levels, segment._starts
        slope, curvature = _derivatives(segment.scores, along, *structure)
        hinge = np.maximum(1 - rows @ w, 0)
        assert slope == pytest.approx(-hinge @ (rows @ direction), rel=1e-9, abs=1e-9)
        assert curvature == pytest.approx(np.sum((rows @ direction)[hinge > 0] ** 2), rel=1e-9)


@settings(max_examples=150)
@given(
    arrays(float, 12, elements=st.integers(-3, 3).map(float) | st.floats(-5, 5)),
    arrays(float, 12, elements=st.integers(-30, 30).map(float) | st.floats(-50, 50)),
    arrays(np.int64, 12, elements=st.integers(0, 3)),
    arrays(np.int64, 12, elements=st.integers(0, 2)),
)
def test_the_step_is_the_minimum_of_the_pairs(scores, target, grades, qid):
    """Ties in the scores and pairs exactly on the margin included."""
    rows = differences(np.eye(12), grades, qid)
    if not len(rows):
        return
    problem = PairwiseRanking.of(np.eye(12), grades.astype(float), qid, 1.0, L1())
    segment = PairwiseSegment(problem)
    columns = [segment.column(j, 1.0) for j in range(12)]
    segment.scores = sum(weight * column for weight, column in zip(scores, columns, strict=True))
    segment._evaluate()
    target_scores = sum(weight * column for weight, column in zip(target, columns, strict=True))

    def loss(eta):
        hinge = np.maximum(1 - rows @ ((1 - eta) * scores + eta * target), 0)
        return hinge @ hinge

    assert segment.value == pytest.approx(loss(0.0), rel=1e-9, abs=1e-9)
    eta = segment.move_to_minimum(target_scores)
    assert 0.0 <= eta <= 1.0
    assert segment.value == pytest.approx(loss(eta), rel=1e-9, abs=1e-9)
    others = [loss(other) for other in np.linspace(0, 1, 101)]
    others.append(minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).fun)
    assert segment.value <= min(others) * (1 + 1e-9) + 1e-9
    # the slope at the step: zero inside, downhill at the far end
    hinge = np.maximum(1 - rows @ ((1 - eta) * scores + eta * target), 0)
    along = -rows @ (target - scores)
    slope, scale = hinge @ along, 1e-7 * (np.abs(hinge) @ np.abs(along) + 1)
    assert (slope <= scale) if eta == 1.0 else (slope >= -scale if eta == 0.0 else abs(slope) <= scale)


def test_many_documents_far_out_of_order():
    """One long query, reversed by the step: the order is sorted anew, and right."""
    X, y, qid = documents(n=3000, d=2, n_queries=1)
    problem = PairwiseRanking.of(X, y, qid, 1.0, L1())
    segment = PairwiseSegment(problem)
    for weight in (1.0, -50.0, 20.0):
        segment.scores = segment.column(1, weight)
        segment._evaluate()
        loss = problem.loss(problem.X[:, 1] * weight)
        assert segment.value == pytest.approx(loss.value, rel=1e-10)
        np.testing.assert_allclose(segment.slopes, loss.slope, rtol=1e-9, atol=1e-6)


def test_queries_without_a_preference_are_left_out():
    X, y, _ = documents(n=30)
    y[20:] = 1.0
    problem = PairwiseRanking.of(X, y, np.repeat([0, 1], [20, 10]), 1.0, L1())
    segment = PairwiseSegment(problem)
    assert segment.scores.size == 20 and segment.value == pytest.approx(problem.n_preferences)
