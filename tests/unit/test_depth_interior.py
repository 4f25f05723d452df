"""The infinite push at a depth by the interior point method on all rows, against a conic solver."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from depth_oracle import make_classes, solve_by_cvxpy
from ranking_data import gaussians, to_format

from toprank import ElasticNet, GroupL2, InfinitePush
from toprank.clock import Clock
from toprank.penalties import L1, SquaredL2
from toprank.problems import two_classes
from toprank.problems.push import PushRanking
from toprank.solvers import depth_newton, depth_solver, push_exact
from toprank.solvers.alpha_max import compute_alpha_max
from toprank.solvers.depth_interior import DepthInterior

KINDS = ("plain", "tied", "repeated", "degenerate", "tiny", "wide", "units", "bits")
PENALTIES = {"l1": L1(), "l2": SquaredL2(), "net": ElasticNet(0.3)}


@pytest.fixture(autouse=True)
def any_number_of_rows(monkeypatch):
    """The method is for thousands of rows, and here for all; sparse rows stay sparse."""
    monkeypatch.setattr(depth_solver, "ROWS_MIN", 0)
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", 0)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_optimum_and_the_bounds_on_the_way(kind, penalty):
    random = np.random.default_rng([len(kind), len(penalty), ord(penalty[-1])])
    for turn in range(14):
        classes = to_format("csr" if turn % 2 else "dense", *make_classes(kind, random))
        n = classes[1].shape[0]
        depths = [random.integers(1, n + 1), random.uniform(1.0, n), n - 0.01, 1.01]
        depth = float(np.clip(random.choice(depths), 1.0, n))
        alpha = 10.0 ** random.uniform(-3, 0)
        problem = PushRanking.from_classes(*classes, alpha, PENALTIES[penalty], depth)
        bounds = []
        solution = push_exact.solve(
            problem, callback=lambda step, bounds=bounds: bounds.append(step.lower_bound) and None
        )
        optimum = solve_by_cvxpy(problem)
        case = f"{kind} {penalty} {turn} {classes[0].shape} {n} K={depth} alpha={alpha}"
        certificate = solution.certificate
        assert certificate.status == "certified", case
        assert certificate.objective == pytest.approx(optimum, rel=2e-7, abs=1e-9), case
        assert problem.objective(solution.w) == pytest.approx(certificate.objective, rel=1e-12), case
        assert max(bounds) <= optimum * (1 + 2e-7) + 1e-9, case


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("share", [0.02, 0.4])
def test_the_method_alone_ends_with_a_certificate(monkeypatch, penalty, share):
    """Without a model: where the optimum is unique the method needs none but for a vertex."""
    monkeypatch.setattr(push_exact, "_make_initial_model", None)
    monkeypatch.setattr(depth_solver, "_make_binding_model", lambda *_: None)
    positives, negatives = gaussians(m=60, n=700, d=130, shift=2.0)
    problem = PushRanking.from_classes(positives, negatives, 0.02, PENALTIES[penalty], share * 700)
    solution = push_exact.solve(problem)
    assert solution.certificate.status == "certified" and solution.n_iter < 60
    assert (np.count_nonzero(solution.w) < 130) == (penalty != "l2")


@pytest.mark.parametrize("penalty", PENALTIES)
def test_sparse_rows_stay_sparse_and_give_the_same(monkeypatch, penalty):
    monkeypatch.setattr(push_exact, "_make_initial_model", None)
    random = np.random.default_rng(6)
    X = (random.random((800, 90)) < 0.08) * random.uniform(1.0, 5.0, size=90)
    X[:70, :10] += random.random((70, 10)) < 0.4
    problems = [
        PushRanking.from_classes(*to_format(kind, X[:70], X[70:]), 0.01, PENALTIES[penalty], 100.0)
        for kind in ("csr", "dense")
    ]
    assert sp.issparse(DepthInterior(problems[0])._rows.matrix)
    sparse, dense = map(push_exact.solve, problems)
    assert sparse.certificate.status == dense.certificate.status == "certified"
    assert sparse.certificate.objective == pytest.approx(dense.certificate.objective, rel=1e-8)
    np.testing.assert_allclose(sparse.w, dense.w, atol=2e-3 * np.abs(dense.w).max())


@pytest.mark.parametrize("share", [0.15, 0.3, 0.9])
def test_an_l1_norm_gives_the_vertex_of_the_models(monkeypatch, share):
    positives, negatives = gaussians(m=50, n=900, d=20, shift=2.0)
    problem = PushRanking.from_classes(positives, negatives, 0.05, L1(), share * 900)
    solution = push_exact.solve(problem)
    monkeypatch.setattr(depth_solver, "ROWS_MIN", 10_000)
    expected = push_exact.solve(problem)
    np.testing.assert_allclose(solution.w, expected.w, atol=1e-8 * np.abs(expected.w).max())
    assert np.array_equal(solution.w != 0.0, expected.w != 0.0)
    assert solution.certificate.relative_gap < 1e-10


def test_features_enter_as_their_slopes_grow():
    """Few of many columns are ever read, and the optimum is that of all of them."""
    random = np.random.default_rng(3)
    X = (random.random((900, 1500)) < 0.05).astype(float)
    X[:60, :20] = random.random((60, 20)) < 0.4
    problem = PushRanking.from_classes(sp.csr_array(X[:60]), sp.csr_array(X[60:]), 0.03, L1(), 200.0)
    iterate, counts = DepthInterior(problem), []
    for _ in range(12):
        iterate.add_features()
        iterate.step(Clock(None))
        counts.append(iterate.features.size)
    assert counts[0] < 100 and all(first <= second for first, second in itertools.pairwise(counts))
    solution = push_exact.solve(problem)
    assert solution.certificate.status == "certified"
    direction = problem.dual_direction(*iterate.weights)
    entered = np.zeros(1500, dtype=bool)
    entered[iterate.features] = True
    assert entered[solution.w != 0.0].all() and entered.sum() < 600
    assert np.abs(direction[~entered]).max() < problem.alpha


def test_rows_that_bind_at_the_optimum():
    positives, negatives = gaussians(m=40, n=500, d=6, shift=2.0)
    problem = PushRanking.from_classes(positives, negatives, 0.02, L1(), 100.0)
    iterate = DepthInterior(problem)
    while iterate.complementarity > 1e-9:
        iterate.add_features()
        iterate.step(Clock(None))
    is_kink, is_threshold, is_above = iterate.find_binding_rows()
    scores = problem.scores(iterate.w)
    hinge = 1.0 + problem.compute_top(scores[1]) - scores[0]
    assert np.array_equal(is_kink, np.abs(hinge) < 1e-6)
    kth = np.sort(scores[1])[-100]
    assert np.array_equal(is_threshold, np.abs(scores[1] - kth) < 1e-6)
    assert np.array_equal(is_above, scores[1] > kth + 1e-6)
    # as many as there are variables: features with a weight, t and θ
    n_variables = np.count_nonzero(iterate.find_sparse_point(1.0)) + 1
    assert is_kink.sum() + is_threshold.sum() == n_variables


@pytest.mark.parametrize("penalty", PENALTIES)
def test_limits(penalty):
    problem = PushRanking.from_classes(*gaussians(m=30, n=400, d=8), 0.01, PENALTIES[penalty], 60.0)
    capped = push_exact.solve(problem, max_iter=4)
    assert (capped.certificate.status, capped.n_iter) == ("max_iterations", 4)
    assert 0.0 < capped.certificate.lower_bound < capped.certificate.objective < 1.0
    stopped = push_exact.solve(problem, callback=lambda step: step.iteration == 3)
    assert (stopped.certificate.status, stopped.n_iter) == ("stopped", 3)
    timed = push_exact.solve(problem, time_limit=1e-9)
    assert timed.certificate.status == "time_limit"


def test_a_singular_system_leaves_the_models(monkeypatch):
    positives, negatives = gaussians(m=30, n=400, d=5)
    problem = PushRanking.from_classes(positives, negatives, 0.01, L1(), 60.0)
    expected = push_exact.solve(problem)
    factor = depth_newton.dpotrf
    monkeypatch.setattr(depth_newton, "dpotrf", lambda *args, **options: (factor(*args, **options)[0], 1))
    solution = push_exact.solve(problem)
    assert solution.certificate.status == "certified"
    np.testing.assert_allclose(solution.w, expected.w, atol=1e-7)


@pytest.mark.parametrize("penalty", [SquaredL2(), ElasticNet(0.5)], ids=["ridge", "net"])
@pytest.mark.parametrize("shift", [0.2, 2.0])
def test_cone_programs_at_depth_1_are_left_to_it(monkeypatch, penalty, shift):
    problem = PushRanking.from_classes(*gaussians(m=40, n=600, d=9, shift=shift), 0.02, penalty)
    assert depth_solver.suits_all_rows(problem)
    with monkeypatch.context() as patch:
        patch.setattr(push_exact, "_make_initial_model", None)
        solution = push_exact.solve(problem)
    assert solution.certificate.status == "certified"
    monkeypatch.setattr(depth_solver, "ROWS_PER_FEATURE_MAX", 50)
    assert not depth_solver.suits_all_rows(problem)
    expected = push_exact.solve(problem)
    assert solution.certificate.objective == pytest.approx(expected.certificate.objective, rel=2e-8)
    np.testing.assert_allclose(solution.w, expected.w, atol=2e-4 * max(np.abs(expected.w).max(), 1e-3))
    np.testing.assert_array_equal(solution.w == 0.0, expected.w == 0.0)
    monkeypatch.setattr(depth_solver, "CONE_FEATURES_MAX", 8)
    assert depth_solver.suits_all_rows(problem)
    lasso = PushRanking.from_classes(problem.positives, problem.negatives, 0.02, L1())
    assert not depth_solver.suits_all_rows(lasso)


def test_what_it_is_not_for():
    classes = gaussians(m=30, n=400, d=6)
    groups = GroupL2(np.arange(6) // 2)
    for penalty, depth, is_suited in ((L1(), 60.0, True), (L1(), 400.0, False), (groups, 60.0, False)):
        problem = PushRanking.from_classes(*classes, 0.01, penalty, depth)
        assert depth_solver.suits_all_rows(problem) == is_suited
        assert push_exact.solve(problem).certificate.status == "certified"


def test_alpha_max_where_many_rows_tie():
    """Bits: thousands of equal scores at the K-th, where models of a part of the rows grew."""
    random = np.random.default_rng(1)
    X = (random.random((4000, 60)) < 0.05).astype(float)
    X[:20, :5] = 1.0
    positives, negatives = sp.csr_array(X[:20]), sp.csr_array(X[20:])
    alpha_max = compute_alpha_max(positives, negatives, L1(), 2000.0)
    for factor, is_zero in ((1.001, True), (0.999, False)):
        problem = PushRanking.from_classes(positives, negatives, factor * alpha_max, L1(), 2000.0)
        assert (not push_exact.solve(problem).w.any()) == is_zero


def test_an_estimator_at_a_depth_among_thousands_of_rows():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(3000, 12)), np.repeat([1, 0], [150, 2850])
    X[:150, :3] += 1.5
    for model in (InfinitePush("l1", 0.02), InfinitePush("l2", 0.02), InfinitePush("elasticnet", 0.02)):
        fitted = model.set_params(depth=0.2).fit(X, y)
        assert fitted.certificate_.status == "certified" and fitted.n_iter_ < 60
        assert fitted.coef_[:3].min() > 0.1


@pytest.mark.parametrize("depth", [1.0, 2.5])
@pytest.mark.parametrize("seed", [6, 32])
def test_a_net_with_a_weak_norm_has_exact_zeros(seed, depth):
    """Small weights need more steps to be told from 0 where the penalty is 1e-4 of the largest one."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(160, 250)).astype(float)
    X[:10] += 0.3 * X.std(axis=0)
    net = ElasticNet(0.5)
    alpha = 1e-4 * compute_alpha_max(X[:10], X[10:], net)
    w, certificate, _ = push_exact.solve(PushRanking(X[:10], X[10:], alpha, net, depth))
    assert certificate.status == "certified"
    assert np.count_nonzero(w) <= 64
    assert np.abs(w[w != 0.0]).min() > 1e-6 * np.abs(w).max()
