"""What ends the interior point method of the l1 infinite push where rounding keeps it from a sparse point."""

import numpy as np
import pytest
from ranking_data import to_format

from toprank.clock import UNLIMITED
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


@pytest.mark.parametrize("seed", range(5))
def test_each_row_of_a_vertex_is_exact_beside_its_own_terms(seed):
    """Rows of a size of 1e-6 beside rows of 1e6: one refinement makes each equation as exact as it can be."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(41, 40)) * 10.0 ** random.uniform(-6.0, 6.0, size=(41, 1))
    problem = PushRanking(X[:20], X[20:], 0.01, L1())
    w = solve_for_vertex(problem, np.arange(40), np.ones(41, dtype=bool))
    positive_scores, negative_scores = problem.scores(w)
    top = negative_scores[np.argmin(np.abs(X[20:]).max(axis=1))]  # the row whose score rounds least
    residuals = np.append(positive_scores - top - 1.0, negative_scores - top)
    assert np.max(np.abs(residuals) / (np.abs(X) @ np.abs(w) + 1.0)) < 5e-16


def test_the_rows_that_bind_most_are_farthest_from_their_bounds(problem):
    iterate = InteriorPoint(problem)
    for _ in range(12):
        iterate.update_rows(problem.scores(iterate.w))
        iterate.step(UNLIMITED)
    a, b = iterate.all_weights()
    # dual variables: those of the positives lie in [0, 1/m], those of the negatives are nonnegative
    distances = np.append(np.minimum(a, 1.0 / a.size - a) * a.size, b / b[b > 0.0].mean())
    binding = np.flatnonzero(iterate.find_binding_rows())
    n_most = binding.size // 2
    expected = binding[np.argsort(-distances[binding])[:n_most]]
    np.testing.assert_array_equal(np.flatnonzero(iterate.find_binding_rows(n_most)), np.sort(expected))


def test_no_sparse_point_but_a_vertex_needs_no_weights_dropped(problem, monkeypatch):
    monkeypatch.setattr(push_exact, "SPARSE_STEPS_MAX", 0)
    monkeypatch.setattr(push_exact, "VERTEX_MAX_FEATURES", 0)
    monkeypatch.setattr(push_exact, "_drop_small_weights", None)
    forbid_models(monkeypatch)
    w, certificate, _ = push_exact.solve(problem)
    assert certificate.status == "certified"
    features, is_binding = find_support(problem, w)
    assert features.size == np.count_nonzero(is_binding) - 1


def test_idle_steps_far_from_the_optimum_do_not_end_the_method(problem, monkeypatch):
    """The iterate moves to and fro at first, and converges later."""
    step, n_steps = InteriorPoint.step, 0

    def rest_then_step(iterate, clock):
        nonlocal n_steps
        n_steps += 1
        if n_steps > 2 * push_exact.IDLE_STEPS_MAX:
            step(iterate, clock)

    monkeypatch.setattr(InteriorPoint, "step", rest_then_step)
    forbid_models(monkeypatch)
    assert push_exact.solve(problem).certificate.status == "certified"
