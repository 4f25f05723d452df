"""The objectives of the top and of the infinite push, their dual bounds, the prox; the certificate."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import (
    counts,
    gaussians,
    raises_one_sentence,
    stack_classes,
    surrounded_positives,
    to_format,
    wdbc,
)
from scipy.optimize import check_grad, minimize_scalar

from toprank.certificate import STATUSES, Certificate
from toprank.penalties import L1, GroupL2, SquaredL2
from toprank.problems.push import PushRanking, prox_max_hinge
from toprank.problems.top import TopRanking

more_examples = settings(max_examples=80)
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


@more_examples
@given(problems(), st.data())
def test_the_objective_is_that_of_the_pairs(problem, data):
    w = data.draw(arrays(float, problem.n_features, elements=NUMBERS))
    inner_value, outer_value = pair_form(problem, w)
    assert problem.objective(w) == pytest.approx(inner_value, rel=1e-12)
    assert problem.objective(w) == pytest.approx(outer_value, rel=1e-12)
    assert problem.objective(w, problem.scores(w)) == problem.objective(w)


@more_examples
@given(problems(), st.data())
def test_the_bound_holds_at_every_point(problem, data):
    m, n = len(problem.positives), len(problem.negatives)
    a, b = (data.draw(arrays(float, size, elements=st.floats(0, 10))) for size in (m, n))
    w = data.draw(arrays(float, problem.n_features, elements=NUMBERS))
    bound = problem.lower_bound(a, b)
    assert 0 <= bound <= problem.objective(w) * (1 + 1e-12)
    assert bound <= 1 + 1e-12  # the objective at w = 0


def test_the_bound_is_the_best_over_the_scale_of_the_dual_point():
    """Li, Jin and Zhou 2014, eq. 7, at (t m a, t m b), maximised over t numerically."""
    problem = TopRanking(*gaussians(m=6, n=9, d=3), 0.1)
    random = np.random.default_rng(0)
    a, b = random.dirichlet(np.ones(6)), random.dirichlet(np.ones(9))
    v = problem.dual_direction(a, b)

    def dual(t):
        return t - t**2 * (6 * (a @ a) / 4 + (v @ v) / (2 * problem.alpha))

    best = minimize_scalar(lambda t: -dual(t), bounds=(0, 1), options={"xatol": 1e-12})
    assert problem.lower_bound(3.0 * a, 0.2 * b) == pytest.approx(-best.fun, rel=1e-9)
    assert problem.lower_bound(a, b, direction=v) == pytest.approx(-best.fun, rel=1e-9)


def test_strong_duality_where_the_mean_of_the_positives_is_a_mixture_of_negatives():
    problem = TopRanking(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, -1.0]]), 0.5)
    assert problem.lower_bound(np.ones(2), np.ones(2)) == 1.0


@pytest.mark.parametrize(
    "problem",
    [TopRanking(*gaussians(m=3, n=4), 1.0), PushRanking(*gaussians(m=3, n=4), 0.1, L1())],
    ids=["top", "push"],
)
def test_weights_that_give_no_bound(problem):
    for a, b in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)):
        assert problem.lower_bound(np.full(3, a), np.full(4, b)) == 0.0
    for a, b in ((np.array([-1e-12, 1.0, 1.0]), np.ones(4)), (np.ones(3), np.array([1.0, 1.0, 1.0, -1e-12]))):
        with raises_one_sentence("dual weights must be non-negative; project"):
            problem.lower_bound(a, b)


def test_from_labels_and_another_alpha():
    positives, negatives = gaussians()
    X, y = stack_classes(positives, negatives)
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


PROBLEMS = {"overlap": gaussians(), "surrounded": surrounded_positives(), "counts": counts(), "wdbc": wdbc()}


def penalty_of(name, d):
    return {"l1": L1(), "l2": SquaredL2(), "group": GroupL2.from_groups(np.arange(d) // 3, d)}[name]


def on_pairs(w, positives, negatives, alpha, penalty):
    """R12 eq. (2) with every pair written out."""
    hinges = np.maximum(1 - (positives[:, None] - negatives[None]) @ w, 0)
    return alpha * penalty.value(w) + hinges.mean(axis=0).max()


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("penalty", ["l1", "l2", "group"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_objective_of_the_push_is_that_of_the_pairs(name, penalty, kind):
    positives, negatives = PROBLEMS[name]
    d = positives.shape[1]
    problem = PushRanking(*to_format(kind, positives, negatives), 0.3, penalty_of(penalty, d))
    random = np.random.default_rng(0)
    for size in (0.0, 0.1, 3.0):
        w = size * random.normal(size=d)
        expected = on_pairs(w, positives, negatives, 0.3, problem.penalty)
        assert problem.objective(w) == pytest.approx(expected, rel=1e-12)
        assert problem.objective(w, problem.scores(w)) == problem.objective(w)


@pytest.mark.parametrize("penalty", ["l1", "l2", "group"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 3.0])
def test_weak_duality_of_the_push(penalty, alpha):
    """Whatever the weights: their bound is below the objective at whatever point."""
    random = np.random.default_rng(1)
    for positives, negatives in PROBLEMS.values():
        m, n, d = len(positives), len(negatives), positives.shape[1]
        problem = PushRanking(positives, negatives, alpha, penalty_of(penalty, d))
        weights = [(random.exponential(size=m), random.exponential(size=n) ** 4) for _ in range(20)]
        bounds = [problem.lower_bound(*of_classes) for of_classes in weights]
        objectives = [problem.objective(s * random.normal(size=d)) for s in (0.0, 1e-2, 0.1, 1.0)]
        assert 0.0 <= max(bounds) <= min(objectives)


def test_the_bound_of_the_push_is_reached():
    """d = 1, one row each, a gap of 2: w = 1/2 has no hinge left, and alpha/2 is the optimum."""
    problem = PushRanking(np.array([[1.0]]), np.array([[-1.0]]), 0.2, L1())
    assert problem.objective(np.array([0.5])) == pytest.approx(0.1)
    assert problem.lower_bound(np.ones(1), np.ones(1)) == pytest.approx(0.1)
    ridge = PushRanking(np.array([[1.0]]), np.array([[-1.0]]), 0.2, SquaredL2())
    assert ridge.objective(np.array([0.5])) == pytest.approx(0.025)
    assert ridge.lower_bound(np.ones(1), np.ones(1)) == pytest.approx(0.025)


HINGES = st.floats(-20, 20) | st.integers(-2, 3).map(float)
PAIRS = arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=HINGES)


@more_examples
@given(PAIRS, st.sampled_from([1e-3, 0.5, 4.0, 1e3]))
def test_the_prox_of_the_push_by_moreau(pairs, step):
    """(s − a)/step is a subgradient at a: non-negative weights that are the share of each negative times a
    selection of its positives, so that their product with a gives g(a) and Σ_j max_i of them is at most 1."""
    a = prox_max_hinge(pairs, step)
    weights = (pairs - a) / step
    tol = 1e-9 * (1 + np.abs(pairs).max()) / min(step, 1.0)
    assert weights.min() >= 0.0
    assert weights.max(axis=0).sum() <= 1 + tol
    assert np.sum(weights * a) == pytest.approx(np.maximum(a, 0).sum(axis=0).max(), abs=tol * pairs.size)


def test_certificate():
    certificate = Certificate(2.0, "certified", 1.5)
    assert certificate.gap == 0.5 and certificate.relative_gap == 0.25
    unbounded = Certificate(2.0, "max_iterations")
    assert unbounded.gap is None and unbounded.relative_gap is None
    assert Certificate(-2.0, "certified", -3.0).relative_gap == 0.5, "a gap is no less than 0"
    assert Certificate(0.0, "certified", 0.0).relative_gap == 0.0
    assert Certificate(0.0, "certified", -1.0).relative_gap == math.inf
    assert all(Certificate(1.0, status).status == status for status in STATUSES)
    with raises_one_sentence("unknown status 'converged'; it must be one of certified, "):
        Certificate(1.0, "converged")
