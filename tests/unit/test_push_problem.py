"""Infinite push: m + n terms against the m n pairs, the dual bound, and the prox against a conic solver."""

import cvxpy as cp
import numpy as np
import pytest
import solved_once as references
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import counts, gaussians, in_format, surrounded, wdbc

from toprank.penalties import L1, GroupL2, SquaredL2
from toprank.problems.push import PushRanking, prox_max_hinge

PROBLEMS = {"overlap": gaussians(), "surrounded": surrounded(), "counts": counts(), "wdbc": wdbc()}
many = settings(max_examples=100)


def penalty_of(name, d):
    return {"l1": L1(), "l2": SquaredL2(), "group": GroupL2.of(np.arange(d) // 3, d)}[name]


def on_pairs(w, positives, negatives, alpha, penalty):
    """R12 eq. (2) with every pair written out."""
    hinges = np.maximum(1 - (positives[:, None] - negatives[None]) @ w, 0)
    return alpha * penalty.value(w) + hinges.mean(axis=0).max()


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("penalty", ["l1", "l2", "group"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_objective_is_that_of_the_pairs(name, penalty, kind):
    positives, negatives = PROBLEMS[name]
    d = positives.shape[1]
    problem = PushRanking(*in_format(kind, positives, negatives), 0.3, penalty_of(penalty, d))
    random = np.random.default_rng(0)
    for size in (0.0, 0.1, 3.0):
        w = size * random.normal(size=d)
        expected = on_pairs(w, positives, negatives, 0.3, problem.penalty)
        assert problem.objective(w) == pytest.approx(expected, rel=1e-12)
        assert problem.objective(w, problem.scores(w)) == problem.objective(w)


@pytest.mark.parametrize("penalty", ["l1", "l2", "group"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 3.0])
def test_weak_duality(penalty, alpha):
    """Whatever the weights: their bound is below the objective at whatever point."""
    random = np.random.default_rng(1)
    for positives, negatives in PROBLEMS.values():
        m, n, d = len(positives), len(negatives), positives.shape[1]
        problem = PushRanking(positives, negatives, alpha, penalty_of(penalty, d))
        weights = [(random.exponential(size=m), random.exponential(size=n) ** 4) for _ in range(20)]
        bounds = [problem.lower_bound(*of_classes) for of_classes in weights]
        objectives = [problem.objective(s * random.normal(size=d)) for s in (0.0, 1e-2, 0.1, 1.0)]
        assert 0.0 <= max(bounds) <= min(objectives)


def test_the_bound_is_reached():
    """d = 1, one row each, a gap of 2: w = 1/2 has no hinge left, and alpha/2 is the optimum."""
    problem = PushRanking(np.array([[1.0]]), np.array([[-1.0]]), 0.2, L1())
    assert problem.objective(np.array([0.5])) == pytest.approx(0.1)
    assert problem.lower_bound(np.ones(1), np.ones(1)) == pytest.approx(0.1)
    ridge = PushRanking(np.array([[1.0]]), np.array([[-1.0]]), 0.2, SquaredL2())
    assert ridge.objective(np.array([0.5])) == pytest.approx(0.025)
    assert ridge.lower_bound(np.ones(1), np.ones(1)) == pytest.approx(0.025)


def test_weights_that_give_no_bound():
    problem = PushRanking(*gaussians(), 0.1, L1())
    assert problem.lower_bound(np.zeros(20), np.ones(30)) == 0.0
    assert problem.lower_bound(np.ones(20), np.zeros(30)) == 0.0
    with pytest.raises(ValueError, match="non-negative; project"):
        problem.lower_bound(-np.ones(20), np.ones(30))


@pytest.mark.parametrize("penalty", ["l1", "l2", "group"])
def test_the_reference_solves_the_problem(penalty):
    """The judge has a judge: its value is the objective at its point, and no point near it is better."""
    positives, negatives = counts(m=9, n=12, d=6)
    groups = [[0, 1, 2], [3, 4, 5]]
    value, w = references.infinite_push(positives, negatives, 0.1, penalty, groups)
    problem = PushRanking(positives, negatives, 0.1, penalty_of(penalty, 6))
    assert problem.objective(w) == pytest.approx(value, rel=1e-7)
    random = np.random.default_rng(0)
    for size in (1e-3, 1e-1):
        for _ in range(20):
            assert problem.objective(w + size * random.normal(size=6)) >= value * (1 - 1e-9)


NUMBERS = st.floats(-20, 20) | st.integers(-2, 3).map(float)
PAIRS = arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=NUMBERS)


@many
@given(PAIRS, st.sampled_from([1e-3, 0.5, 4.0, 1e3]))
def test_moreau(pairs, step):
    """(s − a)/step is a subgradient at a: non-negative weights that are the share of each negative times a
    selection of its positives, so that their product with a gives g(a) and Σ_j max_i of them is at most 1."""
    a = prox_max_hinge(pairs, step)
    weights = (pairs - a) / step
    tol = 1e-9 * (1 + np.abs(pairs).max()) / min(step, 1.0)
    assert weights.min() >= 0.0
    assert weights.max(axis=0).sum() <= 1 + tol
    assert np.sum(weights * a) == pytest.approx(np.maximum(a, 0).sum(axis=0).max(), abs=tol * pairs.size)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (4, 6)])
@pytest.mark.parametrize("step", [0.1, 1.0, 5.0])
def test_the_prox_against_the_conic_solver(shape, step):
    s = np.random.default_rng(sum(shape)).normal(size=shape) + 0.5
    a = cp.Variable(shape)
    loss = step * cp.max(cp.sum(cp.pos(a), axis=0)) + cp.sum_squares(a - s) / 2
    cp.Problem(cp.Minimize(loss)).solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12)
    np.testing.assert_allclose(prox_max_hinge(s, step), a.value, atol=1e-5)
