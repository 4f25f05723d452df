"""What ends the interior point method of the l1 infinite push where rounding keeps it from a sparse point."""

import numpy as np
import pytest
from ranking_data import to_format

from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.solvers import push_exact
from toprank.solvers.monitor import Monitor
from toprank.solvers.push_interior import InteriorPoint
from toprank.solvers.push_model import PushModel
from toprank.solvers.push_vertex import solve_for_vertex


@pytest.fixture(params=["dense", "csr"])
def problem(request):
    """Wide rows; the optimum is one vertex."""
    random = np.random.default_rng(4)
    X = random.normal(size=(90, 700)) * (random.random((90, 700)) < 0.2)
    X[:30, :5] += 1.0
    return PushRanking(*to_format(request.param, X[:30], X[30:]), 0.01, L1())


def find_support(problem, w):
    """The features with a weight, and the rows that bind."""
    scores = problem.scores(w)
    top = scores[1].max()
    return np.flatnonzero(w), np.abs(np.append(scores[0] - top - 1.0, scores[1] - top)) < 1e-9


def forbid_models(monkeypatch):
    def solve(*_, **__):
        raise AssertionError("a model was solved")

    monkeypatch.setattr(PushModel, "solve", solve)


def test_features_and_rows_determine_the_vertex(problem):
    w, certificate, _ = push_exact.solve(problem, tol=1e-10)
    assert certificate.status == "certified"
    features, is_binding = find_support(problem, w)
    vertex = solve_for_vertex(problem, features, is_binding)
    np.testing.assert_allclose(vertex, w, rtol=1e-6, atol=1e-9)
    assert solve_for_vertex(problem, features[1:], is_binding) is None
    assert solve_for_vertex(problem, np.repeat(features[:1], features.size), is_binding) is None


def test_noise_that_no_step_removes_is_ended_by_the_vertex(problem, monkeypatch):
    """The bound converges, the point does not: as with the rounding of an ill-conditioned system."""
    step, random = InteriorPoint.step, np.random.default_rng(0)

    def step_with_noise(iterate, clock):
        step(iterate, clock)
        iterate.w = iterate.w * (1.0 + 1e-7 * random.normal(size=iterate.w.size))

    monkeypatch.setattr(InteriorPoint, "step", step_with_noise)
    forbid_models(monkeypatch)
    w, certificate, n_iter = push_exact.solve(problem, tol=1e-10)
    assert certificate.status == "certified"
    assert n_iter < push_exact.INTERIOR_STEPS_MAX
    features, is_binding = find_support(problem, w)
    assert features.size == np.count_nonzero(is_binding) - 1


def test_small_weights_are_dropped_while_the_point_stays_certified(problem):
    w, certificate, _ = push_exact.solve(problem, tol=1e-12)
    noise = np.where(w == 0.0, 1e-13 * np.random.default_rng(0).random(w.size), 0.0)
    monitor = Monitor("exact", 1e-8, 100, None, None)
    monitor.update(w + noise, problem.objective(w + noise), certificate.lower_bound)
    push_exact._drop_small_weights(problem, monitor)
    np.testing.assert_array_equal(monitor.w != 0.0, w != 0.0)
    assert monitor.objective == problem.objective(monitor.w)


def test_many_features_never_reach_the_models(problem, monkeypatch):
    """No sparse point, and no vertex: the certified point is kept, without its smallest weights."""
    monkeypatch.setattr(push_exact, "SPARSE_STEPS_MAX", 0)
    monkeypatch.setattr(push_exact, "VERTEX_MAX_FEATURES", 0)
    monkeypatch.setattr(push_exact, "solve_for_vertex", lambda *_: None)
    forbid_models(monkeypatch)
    w, certificate, _ = push_exact.solve(problem)
    assert certificate.status == "certified"
    assert 0 < np.count_nonzero(w) < w.size


def test_a_certified_point_without_steps_left_stays(problem, monkeypatch):
    """The models, which would look for a vertex, have no iteration left: the point is not lost for w = 0."""
    monkeypatch.setattr(push_exact, "_make_sparse", lambda *_: False)
    n_iter = 1
    while (solution := push_exact.solve(problem, max_iter=n_iter)).certificate.status != "certified":
        n_iter += 1
    certificate = solution.certificate
    assert certificate.objective == pytest.approx(problem.objective(solution.w), rel=1e-12)
    assert certificate.objective - certificate.lower_bound <= 1e-8 * certificate.objective


def test_a_vertex_that_the_bound_does_not_certify_is_not_taken(problem, monkeypatch):
    """As where rounding tells the wrong rows or features."""
    monkeypatch.setattr(push_exact, "SPARSE_STEPS_MAX", 0)
    monkeypatch.setattr(push_exact, "VERTEX_MAX_FEATURES", 0)
    monkeypatch.setattr(push_exact, "solve_for_vertex", lambda problem, *_: np.ones(problem.n_features))
    _, certificate, _ = push_exact.solve(problem)
    assert certificate.status == "certified"
    assert certificate.objective - certificate.lower_bound <= 1e-8 * certificate.objective
