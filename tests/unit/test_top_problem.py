"""The objective of top ranking and its dual bound, and the certificate that carries both."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import counts, gaussians, refused, stacked
from scipy.optimize import check_grad, minimize_scalar

from toprank.certificate import STATUSES, Certificate
from toprank.problems.top import TopRanking

many = settings(max_examples=80)
NUMBERS = st.floats(-5, 5)


@st.composite
def problems(draw):
    m, n, d = draw(st.integers(1, 5)), draw(st.integers(1, 6)), draw(st.integers(1, 3))
    positives, negatives = (draw(arrays(float, (rows, d), elements=NUMBERS)) for rows in (m, n))
    return TopRanking(positives, negatives, draw(st.floats(1e-4, 1e2)))


def pair_form(problem, w):
    """Over all m x n pairs: the maximum inside the mean (K15 eq. 11) and outside of it (R12 eq. 2)."""
    pairs = np.array([[1 + q - p for q in problem.negatives @ w] for p in problem.positives @ w])
    losses = np.maximum(pairs, 0) ** 2
    ridge = 0.5 * problem.alpha * np.sum(w**2)
    return ridge + losses.max(axis=1).mean(), ridge + losses.mean(axis=0).max()


@many
@given(problems(), st.data())
def test_the_objective_is_that_of_the_pairs(problem, data):
    w = data.draw(arrays(float, problem.n_features, elements=NUMBERS))
    inside, outside = pair_form(problem, w)
    assert problem.objective(w) == pytest.approx(inside, rel=1e-12)
    assert problem.objective(w) == pytest.approx(outside, rel=1e-12)
    assert problem.objective(w, problem.scores(w)) == problem.objective(w)


@many
@given(problems(), st.data())
def test_the_bound_holds_at_every_point(problem, data):
    m, n = len(problem.positives), len(problem.negatives)
    a, b = (data.draw(arrays(float, size, elements=st.floats(0, 10))) for size in (m, n))
    w = data.draw(arrays(float, problem.n_features, elements=NUMBERS))
    bound = problem.lower_bound(a, b)
    assert 0 <= bound <= problem.objective(w) * (1 + 1e-12)
    assert bound <= 1 + 1e-12  # the objective at w = 0


@many
@given(problems(), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_the_scale_of_the_weights_does_not_matter(problem, first, second):
    a, b = np.ones(len(problem.positives)), np.arange(1.0, len(problem.negatives) + 1)
    direction = problem.dual_direction(a / a.sum(), b / b.sum())
    bound = problem.lower_bound(a, b)
    assert problem.lower_bound(first * a, second * b) == pytest.approx(bound, rel=1e-9)
    assert problem.lower_bound(a, b, direction=direction) == pytest.approx(bound, rel=1e-12)


def test_the_bound_is_the_best_over_the_scale_of_the_dual_point():
    """Li, Jin and Zhou 2014, eq. 7, at (t m a, t m b), maximised over t numerically."""
    problem = TopRanking(*gaussians(m=6, n=9, d=3), 0.1)
    random = np.random.default_rng(0)
    a, b = random.dirichlet(np.ones(6)), random.dirichlet(np.ones(9))
    v = problem.dual_direction(a, b)

    def dual(t):
        return t - t**2 * (6 * (a @ a) / 4 + (v @ v) / (2 * problem.alpha))

    best = minimize_scalar(lambda t: -dual(t), bounds=(0, 1), options={"xatol": 1e-12})
    assert problem.lower_bound(a, b) == pytest.approx(-best.fun, rel=1e-9)


def test_strong_duality_where_the_mean_of_the_positives_is_a_mixture_of_negatives():
    problem = TopRanking(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, -1.0]]), 0.5)
    assert problem.lower_bound(np.ones(2), np.ones(2)) == 1.0


@pytest.mark.parametrize("which", [0, 1])
def test_a_negative_weight_gives_no_bound(which):
    problem = TopRanking(*gaussians(m=3, n=3), 1.0)
    weights = [np.ones(3), np.ones(3)]
    weights[which][1] = -1e-12
    with refused("dual weights must be non-negative"):
        problem.lower_bound(*weights)


@pytest.mark.parametrize("weights", [(0, 0), (0, 1), (1, 0)])
def test_weights_that_vanish_bound_by_zero(weights):
    problem = TopRanking(*gaussians(m=3, n=4), 1.0)
    assert problem.lower_bound(np.full(3, float(weights[0])), np.full(4, float(weights[1]))) == 0.0


def test_dense_and_csr_are_one_problem():
    positives, negatives = counts()
    dense = TopRanking(positives, negatives, 0.3)
    sparse = TopRanking(sp.csr_array(positives), sp.csr_array(negatives), 0.3)
    random = np.random.default_rng(0)
    w, a, b = random.normal(size=12), random.random(25), random.random(40)
    assert sparse.n_features == dense.n_features == 12
    assert sparse.objective(w) == pytest.approx(dense.objective(w), rel=1e-14)
    assert sparse.lower_bound(a, b) == pytest.approx(dense.lower_bound(a, b), rel=1e-14)
    np.testing.assert_allclose(sparse.dual_direction(a, b), dense.dual_direction(a, b), atol=1e-13)


def test_from_labels_and_another_alpha():
    positives, negatives = gaussians()
    X, y = stacked(positives, negatives)
    problem = TopRanking.from_labels(X, np.where(y > 0, 1, -1), 2.0)
    assert sorted(problem.positives[:, 0]) == sorted(positives[:, 0])
    assert sorted(problem.negatives[:, 0]) == sorted(negatives[:, 0])
    other = problem.with_alpha(0.5)
    assert other.alpha == 0.5 and other.positives is problem.positives and problem.alpha == 2.0


def test_the_dual_direction_is_the_gradient_of_the_loss():
    """Where one negative is highest: the loss's gradient is minus the direction of its hinges."""
    problem = TopRanking(*gaussians(m=8, n=5), 1e-12)
    w = np.random.default_rng(3).normal(size=4)

    def gradient(w):
        p, q = problem.scores(w)
        hinge = np.maximum(1 + q.max() - p, 0) * 2 / p.size
        return -problem.dual_direction(hinge, hinge.sum() * (q == q.max()))

    assert check_grad(problem.objective, gradient, w) < 1e-6


def test_certificate():
    certificate = Certificate(2.0, "certified", 1.5)
    assert certificate.gap == 0.5 and certificate.relative_gap == 0.25
    unbounded = Certificate(2.0, "max_iterations")
    assert unbounded.gap is None and unbounded.relative_gap is None
    assert Certificate(-2.0, "certified", -3.0).relative_gap == 0.5, "a gap is no less than 0"
    assert Certificate(0.0, "certified", 0.0).relative_gap == 0.0
    assert Certificate(0.0, "certified", -1.0).relative_gap == math.inf
    assert all(Certificate(1.0, status).status == status for status in STATUSES)
    with refused("unknown status 'converged'; it must be one of certified, "):
        Certificate(1.0, "converged")
