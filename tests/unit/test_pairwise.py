"""Pairwise ranking without pairs, also along a segment of scores: against the pairs written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from toprank.penalties import L1, SquaredL2
from toprank.problems.pairwise import PairwiseRanking
from toprank.problems.pairwise_segment import PairwiseSegment, _compute_derivatives
from toprank.solvers import prox_newton


def documents(n=60, d=5, n_queries=4, n_grades=3, seed=0):
    """Rows, grades and queries in no order; with n_grades 0 every grade is another."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)).round(2)
    y = random.integers(0, n_grades, n).astype(float) if n_grades else random.permutation(n).astype(float)
    X[:, 0] += 0.5 * y / max(1.0, y.std())
    return X, y, random.integers(0, n_queries, n)


DATA = {
    "binary": documents(n_grades=2),
    "graded": documents(n_grades=4),
    "any grade": documents(n_grades=0),
    "one query": (*documents()[:2], None),
    "a query of one": (*documents(n=30)[:2], np.append(np.zeros(29), 7.0)),
}


def differences(X, y, qid):
    """The better row minus the worse one, of each preference."""
    qid = np.zeros(y.size) if qid is None else qid
    i, j = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))
    return X[i] - X[j]


def build(name, alpha=1.0, penalty=None, kind=np.asarray):
    X, y, qid = DATA[name]
    return PairwiseRanking.from_data(kind(X), y, qid, alpha, penalty or L1()), differences(X, y, qid)


def start_at(problem, w):
    """A segment that begins at the scores of w."""
    segment = PairwiseSegment(problem)
    segment.scores = sum(segment.column(j, weight) for j, weight in enumerate(w))
    segment._evaluate()
    return segment


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", DATA)
def test_loss_gradient_and_hessian_are_those_of_the_pairs(name, kind):
    problem, rows = build(name, kind=kind)
    assert problem.n_preferences == len(rows)
    random = np.random.default_rng(0)
    for size in (0.0, 1e-2, 0.3, 1.0, 30.0):
        w, v = size * random.normal(size=5), random.normal(size=5)
        hinge = np.maximum(1 - rows @ w, 0)
        scores = problem.X @ w
        loss = problem.loss(scores)
        assert loss.value == pytest.approx(hinge @ hinge, rel=1e-10)
        assert loss.hinge_sum == pytest.approx(hinge.sum(), rel=1e-10)
        np.testing.assert_allclose(problem.gradient(loss), -2 * rows.T @ hinge, atol=1e-8 * (1 + size))
        violated = rows[hinge > 0]
        hessian = 2 * violated.T @ violated
        np.testing.assert_allclose(problem.hessian(scores, loss), hessian, rtol=1e-9, atol=1e-8)
        np.testing.assert_allclose(problem.hessian_operator(scores, loss) @ v, hessian @ v, atol=1e-7)
        assert problem.objective(w) == pytest.approx(hinge @ hinge + np.abs(w).sum(), rel=1e-10)
        segment = start_at(problem, w)
        assert segment.value == pytest.approx(hinge @ hinge, rel=1e-9)
        np.testing.assert_allclose(segment.gradient(), -2 * rows.T @ hinge, atol=1e-8 * (1 + size))
        score_direction = sum(segment.column(j, weight) for j, weight in enumerate(v))
        structure = segment._score_order, segment._levels, segment._n_levels, segment._starts
        # the search would end on the right step with a wrong curvature too, but late
        slope, curvature = _compute_derivatives(segment.scores, score_direction, *structure)
        assert slope == pytest.approx(-hinge @ (rows @ v), rel=1e-9, abs=1e-9)
        assert curvature == pytest.approx(v @ hessian @ v / 2, rel=1e-9)


def test_a_preference_is_violated_or_not_for_both_of_its_documents():
    """Margins of 1 up to rounding, as at an optimum: all derivatives belong to one set of preferences."""
    rng = np.random.default_rng(0)
    X, levels = rng.normal(size=(60, 8)), np.arange(60) % 3
    scores = rng.normal(size=20)[:, None] + [0.0, 1.0, 2.0]
    scores = (scores + rng.normal(size=(20, 1)) * np.pi).ravel()
    problem = PairwiseRanking.from_data(X, levels.astype(float), np.arange(60) // 3, 1.0, L1())
    loss = problem.loss(scores)
    assert np.all(np.bincount(problem.query_of, loss.counts) % 2 == 0)  # each counts for two documents
    hessian = problem.hessian(scores, loss)
    assert np.linalg.eigvalsh(hessian)[0] >= -1e-12 * np.trace(hessian)
    direction = rng.normal(size=8)
    np.testing.assert_allclose(
        problem.hessian_operator(scores, loss) @ direction, hessian @ direction, atol=1e-10
    )


@pytest.mark.parametrize("n_levels", [2, 4, 20])
def test_products_with_the_hessian_of_sparse_rows_are_those_of_dense_ones(n_levels):
    """Of sparse rows, only documents in a violated preference are read."""
    rng = np.random.default_rng(1)
    X = np.where(rng.random((60, 8)) < 0.4, rng.normal(size=(60, 8)), 0.0)
    levels, queries, v = rng.integers(0, n_levels, 60), np.arange(60) // 12, rng.normal(size=8)
    dense, sparse = (
        PairwiseRanking.from_data(rows, levels.astype(float), queries, 1.0, L1())
        for rows in (X, sp.csr_array(X))
    )
    n_active = []
    for spread in (0.0, 1.0, 5.0, 200.0):
        scores = spread * (levels + 0.5 * rng.normal(size=60))
        loss = dense.loss(scores)
        n_active.append(np.count_nonzero(loss.counts))
        expected = dense.hessian(scores, loss) @ v
        np.testing.assert_allclose(sparse.hessian_operator(scores, loss) @ v, expected, rtol=1e-9, atol=1e-9)
    assert n_active[0] == 60 > n_active[-1] > 0


def test_a_shift_of_the_scores_of_a_query_changes_nothing():
    problem, _ = build("graded")
    scores = problem.X @ np.ones(5)
    moved = scores + 1e6 * (1 + problem.query_of)
    assert problem.loss(moved).value == pytest.approx(problem.loss(scores).value, rel=1e-6)


@pytest.mark.parametrize("penalty", [L1(), SquaredL2()], ids=repr)
@pytest.mark.parametrize("alpha", [1e-2, 1.0, 100.0])
def test_weak_duality(penalty, alpha):
    problem, _ = build("graded", alpha, penalty)
    random = np.random.default_rng(1)
    points = [size * random.normal(size=5) for size in (0.0, 0.1, 0.5, 1.0, 3.0) for _ in range(5)]
    points.append(prox_newton.solve(problem, tol=1e-10).w)
    losses = [problem.loss(problem.X @ w) for w in points]
    bounds = [problem.lower_bound(loss, problem.gradient(loss)) for loss in losses]
    *_, optimum = objectives = [problem.objective(w) for w in points]
    assert optimum == min(objectives) and max(bounds) <= optimum * (1 + 1e-12)
    assert min(bounds) >= 0.0 and bounds[-1] >= (1 - 1e-7) * optimum  # it is reached


def test_lambda_max_is_where_zero_stops_being_optimal():
    problem, rows = build("graded")
    threshold = problem.lambda_max()
    assert threshold == pytest.approx(2 * np.abs(rows.sum(axis=0)).max(), rel=1e-12)
    slope = problem.gradient(problem.loss(np.zeros(60)))
    assert np.abs(slope).max() == pytest.approx(threshold)
    loss = problem.loss(np.zeros(60))
    threshold_problem = problem.with_alpha(threshold)
    assert threshold_problem.lower_bound(loss, slope) == pytest.approx(
        threshold_problem.objective(np.zeros(5)), rel=1e-12
    )


@pytest.mark.parametrize("qid", [None, np.arange(6)])
def test_nothing_to_prefer(qid):
    y = np.ones(6) if qid is None else np.arange(6.0)
    with pytest.raises(ValueError, match="one class only within every query"):
        PairwiseRanking.from_data(np.eye(6), y, qid, 1.0, L1())


@settings(max_examples=150)
@given(
    arrays(float, 12, elements=st.integers(-3, 3).map(float) | st.floats(-5, 5)),
    arrays(float, 12, elements=st.integers(-30, 30).map(float) | st.floats(-50, 50)),
    arrays(np.int64, 12, elements=st.integers(0, 3)),
    arrays(np.int64, 12, elements=st.integers(0, 2)),
)
@example(np.array([-1.0, -2.4, 1.8]), np.array([-16.0, 6.0, -14.0]), np.array([2, 1, 1]), np.zeros(3, int))
def test_loss_and_step_at_any_scores(scores, target, grades, qid):
    """Ties in the scores and pairs exactly on the margin included."""
    X = np.eye(scores.size)
    rows = differences(X, grades, qid)
    if not len(rows):
        return
    problem = PairwiseRanking.from_data(X, grades.astype(float), qid, 1.0, L1())
    segment = start_at(problem, scores)
    target_scores = sum(segment.column(j, weight) for j, weight in enumerate(target))

    def loss(eta):
        hinge = np.maximum(1 - rows @ ((1 - eta) * scores + eta * target), 0)
        return hinge @ hinge

    at_start = problem.loss(problem.X @ scores)
    assert at_start.value == pytest.approx(loss(0.0), rel=1e-9, abs=1e-9)
    slopes = -2 * rows.T @ np.maximum(1 - rows @ scores, 0)
    np.testing.assert_allclose(problem.X.T @ at_start.slope, slopes, atol=1e-9)
    assert segment.value == pytest.approx(loss(0.0), rel=1e-9, abs=1e-9)
    eta = segment.move_to_minimum(target_scores)
    assert 0.0 <= eta <= 1.0
    assert segment.value == pytest.approx(loss(eta), rel=1e-9, abs=1e-9)
    losses = [loss(other) for other in np.linspace(0, 1, 101)]
    losses.append(minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).fun)
    assert segment.value <= min(losses) * (1 + 1e-9) + 1e-9
    # the slope at the step: zero inside, downhill at the far end
    hinge = np.maximum(1 - rows @ ((1 - eta) * scores + eta * target), 0)
    score_direction = -rows @ (target - scores)
    slope, scale = hinge @ score_direction, 1e-7 * (np.abs(hinge) @ np.abs(score_direction) + 1)
    assert (slope <= scale) if eta == 1.0 else (slope >= -scale if eta == 0.0 else abs(slope) <= scale)


def test_many_documents_far_out_of_order():
    """One long query, reversed by the step: the order is sorted anew, and right."""
    X, y, qid = documents(n=3000, d=2, n_queries=1)
    problem = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
    segment = PairwiseSegment(problem)
    for weight in (1.0, -50.0, 20.0):  # the order is kept from one to the next
        segment.scores = segment.column(1, weight)
        segment._evaluate()
        loss = problem.loss(problem.X[:, 1] * weight)
        assert segment.value == pytest.approx(loss.value, rel=1e-10)
        np.testing.assert_allclose(segment.slopes, loss.slope, rtol=1e-9, atol=1e-6)


def test_queries_without_a_preference_are_left_out():
    X, y, _ = documents(n=30)
    y[20:] = 1.0
    problem = PairwiseRanking.from_data(X, y, np.repeat([0, 1], [20, 10]), 1.0, L1())
    segment = PairwiseSegment(problem)
    assert segment.scores.size == 20 and segment.value == pytest.approx(problem.n_preferences)
