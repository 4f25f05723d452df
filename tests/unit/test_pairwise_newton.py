"""Newton systems with many features: their factors are inverses, and the optimum is that of dense systems."""

import numpy as np
import pytest
import scipy.sparse as sp

from toprank import RankSVM
from toprank.clock import Clock
from toprank.penalties import SquaredL2
from toprank.problems import pairwise_loss, pairwise_newton
from toprank.problems.conjugate_gradients import solve_positive_definite
from toprank.problems.pairwise import PairwiseRanking
from toprank.problems.pairwise_newton import NewtonSystems
from toprank.solvers import prox_newton


def draw_documents(kind, d=30):
    """Three queries of three grades, the last with the weight of its pairs, and rows with zeros."""
    random = np.random.default_rng(5)
    X = random.normal(size=(48, d)) * (random.random((48, d)) < 0.4)
    y, qid = random.integers(0, 3, 48), np.repeat([0, 1, 2], [20, 16, 12])
    return kind(X), y, qid


def make_point(kind, d=30, alpha=0.3):
    problem = PairwiseRanking.from_data(*draw_documents(kind, d), alpha, SquaredL2(), query_weight="equal")
    w = np.random.default_rng(6).normal(size=d)
    scores = problem.X @ w
    return problem, scores, problem.loss(scores)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_several_columns_are_multiplied_at_once(kind):
    problem, scores, loss = make_point(kind)
    systems, active = NewtonSystems(problem), np.flatnonzero(loss.counts)
    assert active.size < 48  # some documents are in no violated preference
    rows = np.asarray(problem.X[active].todense()) if sp.issparse(problem.X) else problem.X[active]
    products = rows.T @ systems._apply_laplacian(scores, loss, active, np.ascontiguousarray(rows))
    np.testing.assert_allclose(products, problem.hessian(scores, loss), atol=1e-12)


@pytest.mark.parametrize("factorise", ["_factorise_by_documents", "_factorise_by_features"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_factors_are_the_inverse(kind, factorise, monkeypatch):
    monkeypatch.setattr(pairwise_newton, "COLUMNS_PER_BLOCK", 7)
    problem, scores, loss = make_point(kind)
    ridge = np.random.default_rng(7).random(30) + 0.1
    inverse = getattr(NewtonSystems(problem), factorise)(scores, loss, np.flatnonzero(loss.counts), ridge)
    right_side = np.random.default_rng(8).normal(size=30)
    expected = np.linalg.solve(problem.hessian(scores, loss) + np.diag(ridge), right_side)
    np.testing.assert_allclose(inverse(right_side), expected, rtol=1e-9)


@pytest.mark.parametrize("d", [30, 90], ids=["features", "documents"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_factor_serves_until_its_iterations_have_cost_more(kind, d, monkeypatch):
    problem, scores, loss = make_point(kind, d)
    n_active, sides = np.count_nonzero(loss.counts), []
    for name in ("_factorise_by_documents", "_factorise_by_features"):
        factorise = getattr(NewtonSystems, name)

        def count_factors(self, *args, factorise=factorise, name=name):
            sides.append(name)
            return factorise(self, *args)

        monkeypatch.setattr(NewtonSystems, name, count_factors)
    solved_with = []

    def solve(*args, **options):
        solution = solve_positive_definite(*args, **options)
        solved_with.append((options["preconditioner"] is not None, solution[1]))
        return solution

    monkeypatch.setattr(pairwise_newton, "solve_positive_definite", solve)
    systems, slope, ridge = NewtonSystems(problem), problem.gradient(loss), np.full(d, 1e-3)
    system = problem.hessian(scores, loss) + np.diag(ridge)
    for share in (0.0, 1e9):
        monkeypatch.setattr(pairwise_newton, "FACTORISATION_SHARE", share)
        step = systems.solve(scores, loss, slope, ridge, 1e-10)
        assert np.linalg.norm(system @ step + slope) <= 2e-10 * np.linalg.norm(slope)
    assert sides == ["_factorise_by_documents" if n_active < d else "_factorise_by_features"]
    assert [is_factored for is_factored, _ in solved_with] == [False, True, True]
    assert solved_with[1][1] <= 3 and solved_with[2][1] <= 3
    # once they have cost as much, the next system that is not solved at once is factored again
    monkeypatch.setattr(pairwise_newton, "FACTORISATION_SHARE", 0.0)
    other = problem.loss(2.0 * scores)
    systems.solve(2.0 * scores, other, problem.gradient(other), ridge, 1e-10)
    assert len(sides) == 2


def test_systems_that_are_not_factored(monkeypatch):
    monkeypatch.setattr(NewtonSystems, "_factorise_by_features", None)
    monkeypatch.setattr(NewtonSystems, "_factorise_by_documents", None)
    monkeypatch.setattr(pairwise_newton, "FACTORISATION_SHARE", 0.0)
    problem, scores, loss = make_point(np.asarray)
    slope, ridge = problem.gradient(loss), np.full(30, 1e-3)
    expected = -np.linalg.solve(problem.hessian(scores, loss) + np.diag(ridge), slope)
    # no time for a factorisation
    monkeypatch.setattr(Clock, "within_budget", lambda *_: False)
    step = NewtonSystems(problem, Clock(100.0)).solve(scores, loss, slope, ridge, 1e-12)
    np.testing.assert_allclose(step, expected, rtol=1e-6, atol=1e-8)
    monkeypatch.undo()
    monkeypatch.setattr(NewtonSystems, "_factorise_by_features", None)
    monkeypatch.setattr(pairwise_newton, "FACTORED_SIDE_MAX", 10)
    step = NewtonSystems(problem).solve(scores, loss, slope, ridge, 1e-12)
    np.testing.assert_allclose(step, expected, rtol=1e-6, atol=1e-8)
    # a feature without a ridge
    monkeypatch.setattr(pairwise_newton, "FACTORED_SIDE_MAX", 2500)
    ridge[3] = 0.0
    expected = -np.linalg.solve(problem.hessian(scores, loss) + np.diag(ridge), slope)
    step = NewtonSystems(problem).solve(scores, loss, slope, ridge, 1e-12)
    np.testing.assert_allclose(step, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("share", [0.0, 1e9], ids=["factored", "iterations"])
@pytest.mark.parametrize("d", [30, 90], ids=["features", "documents"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_optimum_is_that_of_the_dense_systems(kind, d, share, monkeypatch):
    X, y, qid = draw_documents(kind, d)
    for factor in (1.0, 1e3):
        model = RankSVM("l2", C=RankSVM("l2").fit(X, y, qid).C_ * factor)
        with monkeypatch.context() as patch:
            expected = model.fit(X, y, qid).certificate_
            patch.setattr(pairwise_loss, "DENSE_HESSIAN_MAX_D", 4)
            patch.setattr(pairwise_newton, "FACTORISATION_SHARE", share)
            certificate = model.fit(X, y, qid).certificate_
        assert certificate.status == expected.status == "certified"
        assert certificate.objective == pytest.approx(expected.objective, rel=1e-8)


def test_sparse_rows_are_factored_later(monkeypatch):
    systems = NewtonSystems(make_point(sp.csr_array)[0])
    late = systems._count_iterations(25, np.ones(30))
    monkeypatch.setattr(pairwise_newton, "SPARSE_FACTORISATIONS", 1.0)
    early = systems._count_iterations(25, np.ones(30))
    assert 4 * early <= late < 4 * (early + 1) and early > 0


def test_steps_are_as_accurate_as_the_slopes_fall(monkeypatch):
    norms, tols = [], []
    solve = NewtonSystems.solve

    def record(self, scores, loss, slope, ridge, tol):
        norms.append(np.linalg.norm(slope))
        tols.append(tol)
        return solve(self, scores, loss, slope, ridge, tol)

    monkeypatch.setattr(NewtonSystems, "solve", record)
    monkeypatch.setattr(pairwise_loss, "DENSE_HESSIAN_MAX_D", 4)
    problem = PairwiseRanking.from_data(*draw_documents(np.asarray), 1.0, SquaredL2())
    assert prox_newton.solve(problem).certificate.status == "certified"
    falls = np.divide(norms[1:], norms[:-1])
    assert tols[0] == 0.1 and falls[:-1].min() < 0.3 < falls[:-1].max()
    # the last system need not be more accurate than the run
    np.testing.assert_allclose(tols[1:-1], np.minimum(0.1, 0.3 * falls[:-1]))


def test_after_many_steps_they_are_accurate():
    systems = NewtonSystems(make_point(np.asarray)[0])
    tols = [systems.choose_forcing_term(np.ones(30)) for _ in range(40)]
    assert set(tols[:13]) == {0.1}
    np.testing.assert_allclose(np.divide(tols[13:], tols[12:-1]), 0.7)


def test_a_ridge_below_rounding_needs_no_factor(monkeypatch):
    monkeypatch.setattr(pairwise_newton, "FACTORISATION_SHARE", 0.0)

    def fail(*_):
        raise np.linalg.LinAlgError

    for name in ("_factorise_by_documents", "_factorise_by_features"):
        monkeypatch.setattr(NewtonSystems, name, fail)
    problem, scores, loss = make_point(np.asarray)
    slope, ridge = problem.gradient(loss), np.full(30, 1e-3)
    step = NewtonSystems(problem).solve(scores, loss, slope, ridge, 1e-10)
    system = problem.hessian(scores, loss) + np.diag(ridge)
    assert np.linalg.norm(system @ step + slope) <= 2e-10 * np.linalg.norm(slope)
