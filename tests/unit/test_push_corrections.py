"""What the l1 push and a depth need on large data: corrected directions, a vertex's equations, ties."""

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import gaussians

from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.solvers import (
    push_exact,
    push_interior,
    row_generation,
    top_band,
    top_depth_model,
    top_quadratic,
)
from toprank.solvers.push_newton import ProgramRows
from toprank.solvers.push_vertex import solve_binding_rows


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_corrected_directions_end_earlier_at_the_same_optimum(alpha, monkeypatch):
    problem = PushRanking(*gaussians(m=60, n=300, d=240, shift=1.0), alpha, L1())
    plain = push_exact.solve(problem)
    monkeypatch.setattr(push_interior, "CORRECTED_SIDE_MIN", 0)
    corrected = push_exact.solve(problem)
    assert corrected.certificate.status == "certified"
    assert corrected.certificate.objective == pytest.approx(plain.certificate.objective, rel=2e-8)
    assert corrected.n_iter < plain.n_iter
    np.testing.assert_array_equal(corrected.w != 0.0, plain.w != 0.0)


def test_the_equations_of_a_vertex_give_its_last_digits():
    problem = PushRanking(*gaussians(m=40, n=80, d=150, shift=1.0), 0.02, L1())
    solution = push_exact.solve(problem, tol=1e-10)
    scores = problem.scores(solution.w)
    slack = np.append(scores[0] - scores[1].max() - 1.0, scores[1] - scores[1].max())
    is_binding = np.abs(slack) < 1e-7
    assert np.count_nonzero(is_binding) == np.count_nonzero(solution.w) + 1  # a vertex
    moved = solution.w * (1.0 + 1e-4 * np.random.default_rng(0).normal(size=150))
    assert problem.objective(moved) > (1.0 + 1e-6) * problem.objective(solution.w)
    better = solve_binding_rows(problem, moved, is_binding)
    np.testing.assert_allclose(better, solution.w, atol=1e-10)
    # nothing binds, or the weights are not determined
    assert solve_binding_rows(problem, moved, np.zeros(120, dtype=bool)) is None
    is_binding[:] = False
    is_binding[[0, 40]] = True
    assert solve_binding_rows(problem, moved, is_binding) is None


@pytest.mark.parametrize("shape", [(30, 90), (90, 30)], ids=["rows", "features"])
def test_sparse_sums_are_the_dense_ones(shape):
    random = np.random.default_rng(0)
    dense = random.normal(size=shape) * (random.random(shape) < 0.2)
    parts = dense[:10], dense[10:]
    rows = ProgramRows(*(sp.csr_array(part) for part in parts))
    weights = random.random(shape[1] if rows.by_rows else shape[0])
    lower = [np.tril(program.scatter(weights)) for program in (rows, ProgramRows(*parts))]
    np.testing.assert_allclose(*lower, atol=1e-12)


def test_blocks_of_a_band_change_nothing(monkeypatch):
    random = np.random.default_rng(2)
    data = random.normal(size=6), random.normal(size=(40, 6)), np.ones(40), random.normal(size=6), 7.5
    expected = top_quadratic.minimise_top_quadratic(*data)
    monkeypatch.setattr(top_quadratic, "ROWS_PER_BLOCK", 7)
    np.testing.assert_allclose(top_quadratic.minimise_top_quadratic(*data).y, expected.y, atol=1e-9)


def make_ties():
    """A rare indicator separates some positives; all other scores tie near w = 0."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(1200, 6))
    positives, negatives = rows[:300].copy(), rows[300:].copy()
    positives[:, 5], negatives[:, 5] = random.random(300) < 0.02, 0.0
    return positives, negatives


def test_few_of_the_negatives_that_tie_are_enough(monkeypatch):
    problem = TopRanking(*make_ties(), 0.01, 30.0)
    expected = row_generation.solve(problem).certificate
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 5)
    certificate = row_generation.solve(problem).certificate
    assert certificate.status == "certified"
    assert certificate.objective == pytest.approx(expected.objective, rel=2e-8)


def test_ties_in_the_band_are_spread_over_the_rows(monkeypatch):
    band = top_band.Band(1000, 10.0, 4)
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 100)
    band.update(np.zeros(1000))
    assert 100 <= band.index.size <= 108 and band.index.max() > 900
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 1000)
    band.update(np.zeros(1000))
    assert band.index.size == 1000


def test_a_band_only_grows_once_the_gap_stays():
    problem = TopRanking(*make_ties(), 0.01, 30.0)
    monitor = type("Monitor", (), {"objective": 1.0, "bound": 0.5})()
    model = top_depth_model.DepthModel(problem, 10, monitor)
    for bound in (0.5, 0.5, 0.5):
        monitor.bound = bound
        model.update_rows(np.zeros(900), can_drop=True)
        assert model._can_drop
    model.update_rows(np.zeros(900), can_drop=True)
    assert not model._can_drop
    monitor.bound = 0.99  # and it stays so
    model.update_rows(np.zeros(900), can_drop=True)
    assert not model._can_drop
