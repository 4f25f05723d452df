"""The l1 infinite push on many features: the interior point method against the linear program."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import gaussians, to_format
from scipy.optimize import linprog

from toprank import InfinitePush
from toprank.clock import UNLIMITED, Clock, OutOfTime
from toprank.penalties import L1
from toprank.problems import two_classes
from toprank.problems.push import PushRanking
from toprank.solvers import push_direction, push_exact, push_interior, push_newton
from toprank.solvers.alpha_max import compute_alpha_max
from toprank.solvers.push_interior import InteriorPoint
from toprank.solvers.push_vertex import move_to_vertex
from toprank.solvers.regularisation_max import lambda_max

KINDS = ("gaussian", "bits", "duplicated columns", "units and zeros", "duplicated rows", "counts")


@pytest.fixture(autouse=True)
def sparse_stays_sparse(monkeypatch):
    """However small the data of these tests."""
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", 0)


def draw_classes(kind, seed, d_min=101):
    """Positives and negatives, dense or CSR by the seed."""
    random = np.random.default_rng(seed)
    m, n, d = random.integers(1, 25), random.integers(1, 60), random.integers(d_min, d_min + 120)
    X = random.normal(size=(m + n, d))
    if kind == "bits":
        X = (random.random(X.shape) < 0.1).astype(float)
    elif kind == "duplicated columns":
        X = np.round(X)
        X[:, d // 2 : d // 2 * 2] = X[:, : d // 2]
    elif kind == "units and zeros":
        X *= np.exp(3.0 * random.normal(size=d))
        X[:, ::7] = X[::5] = 0.0
    elif kind == "duplicated rows":
        X = X[random.integers(0, m + n, m + n)]
    elif kind == "counts":
        X = random.poisson(0.05, size=X.shape).astype(float)
    X[:m, :3] += 2.0 * random.random() * (random.random() < 0.7)
    positives, negatives = X[:m], X[m:]
    return to_format("csr" if seed % 2 else "dense", positives, negatives)


def solve_linear_program(positives, negatives, alpha):
    """The optimum by HiGHS, with a hinge for each positive and a constraint for each negative."""
    P, N = (part.toarray() if sp.issparse(part) else part for part in (positives, negatives))
    (m, d), n = P.shape, N.shape[0]
    rows = [
        [-P, P, np.ones((m, 1)), -np.eye(m)],
        [N, -N, -np.ones((n, 1)), np.zeros((n, m))],
    ]
    program = linprog(
        np.concatenate([np.full(2 * d, alpha), [0.0], np.full(m, 1.0 / m)]),
        A_ub=np.block(rows),
        b_ub=np.append(np.full(m, -1.0), np.zeros(n)),
        bounds=[(0.0, None)] * (2 * d) + [(None, None)] + [(0.0, None)] * m,
    )
    return program.fun


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_wide_data_reach_the_linear_program(kind, seed):
    positives, negatives = draw_classes(kind, 10 * KINDS.index(kind) + seed)
    difference = np.asarray(positives.mean(axis=0)) - np.asarray(negatives.mean(axis=0))
    alpha = 10.0 ** (-3.0 + 0.35 * seed) * np.abs(difference).max() or 0.1
    problem = PushRanking(positives, negatives, alpha, L1())
    w, certificate, _ = push_exact.solve(problem)
    expected = solve_linear_program(positives, negatives, alpha)
    assert certificate.status == "certified"
    assert certificate.objective == pytest.approx(problem.objective(w), rel=1e-12)
    assert certificate.lower_bound - 1e-9 <= expected <= certificate.objective + 1e-9
    assert np.count_nonzero(w) <= positives.shape[0] + negatives.shape[0]  # a vertex


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d_min", [2, 101])
def test_alpha_max_is_that_of_the_linear_programs(kind, d_min, seed):
    positives, negatives = draw_classes(kind, 10 * KINDS.index(kind) + seed, d_min)
    expected = 0.5 * lambda_max(positives, negatives, tol=1e-10)
    assert compute_alpha_max(positives, negatives, L1()) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_small_feature_that_separates_the_mean_counts_in_alpha_max():
    positives, negatives = gaussians(m=10, n=200, d=4, shift=0.0)
    positives = np.column_stack([positives, np.full(10, 1e-11)])
    negatives = np.column_stack([negatives, np.zeros(200)])
    assert compute_alpha_max(positives, negatives, L1()) == pytest.approx(1e-11, rel=1e-9)


def draw_sparse(m, n, d, density, seed):
    """Sparse rows whose label a few features tell."""
    random = np.random.default_rng(seed)
    pattern = sp.random(m + n, d, density, format="csr", random_state=random)
    pattern.data = random.lognormal(size=pattern.nnz)
    X, weights = sp.csr_array(pattern), random.normal(size=d) * (random.random(d) < 0.1)
    order = np.argsort(-(X @ weights + 0.1 * random.normal(size=m + n)))
    return X[order[:m]], X[order[m:]]


@pytest.mark.parametrize(("m", "n", "d"), [(60, 400, 3000), (100, 900, 150)], ids=["rows", "features"])
def test_sparse_and_dense_rows_give_the_same(m, n, d):
    """The system has a row a side on the wide data, and a feature on the others."""
    positives, negatives = draw_sparse(m, n, d, 0.02, seed=1)
    alpha = 0.2 * compute_alpha_max(positives, negatives, L1()) or 0.01
    sparse = push_exact.solve(PushRanking(positives, negatives, alpha, L1()))
    dense = push_exact.solve(PushRanking(positives.toarray(), negatives.toarray(), alpha, L1()))
    assert sparse.certificate.status == dense.certificate.status == "certified"
    assert sparse.certificate.objective == pytest.approx(dense.certificate.objective, rel=2e-8)


def test_sparse_data_are_never_dense():
    """A dense copy of these rows would have 64 MB."""
    positives, negatives = draw_sparse(40, 360, 20_000, 0.005, seed=2)
    problem = PushRanking(positives, negatives, 0.01, L1())
    push_exact.solve(problem)  # compiles
    tracemalloc.start()
    _, certificate, _ = push_exact.solve(problem)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert certificate.status == "certified" and peak < 20e6


def test_many_positives_go_to_the_models(monkeypatch):
    problem = PushRanking(*gaussians(m=230, n=40, d=115, shift=1.0), 0.02, L1())
    expected = push_exact.solve(problem).certificate.objective
    monkeypatch.setattr(push_exact, "INTERIOR_POSITIVES_MAX", 1)
    monkeypatch.setattr(push_exact, "InteriorPoint", None)
    certificate = push_exact.solve(problem).certificate
    assert certificate.status == "certified" and certificate.objective == pytest.approx(expected, rel=2e-8)


def make_problem():
    return PushRanking(*gaussians(m=30, n=60, d=120, shift=1.0), 0.02, L1())


def test_weights_and_multipliers_converge_to_each_other():
    """Every iterate bounds the optimum from both sides, and a step costs no accuracy of the equations."""
    problem = make_problem()
    _, certificate, _ = push_exact.solve(problem)
    iterate = InteriorPoint(problem)
    for _ in range(12):
        scores = problem.scores(iterate.w)
        assert problem.objective(iterate.w, scores) >= certificate.lower_bound
        assert problem.lower_bound(*iterate.all_weights()) <= certificate.objective * (1.0 + 1e-12)
        iterate.update_rows(scores)
        iterate.step(UNLIMITED)
    positive_weights, negative_weights = iterate.all_weights()
    assert positive_weights.sum() == pytest.approx(negative_weights.sum(), rel=1e-6)
    direction = problem.dual_direction(positive_weights, negative_weights)
    np.testing.assert_allclose(30 * direction, iterate.slopes, atol=1e-6)


def test_limits_callback_and_time():
    problem, steps = make_problem(), []
    solution = push_exact.solve(problem, callback=lambda step: steps.append(step.objective), max_iter=4)
    assert solution.certificate.status == "max_iterations" and solution.n_iter == len(steps) == 4
    assert push_exact.solve(problem, callback=lambda step: True).certificate.status == "stopped"
    solution = push_exact.solve(problem, time_limit=1e-9)
    assert solution.certificate.status == "time_limit"
    assert solution.certificate.lower_bound <= solution.certificate.objective <= 1.0
    iterate = InteriorPoint(problem)
    clock = Clock(1e-9)
    clock.within_budget = lambda operations: False
    with pytest.raises(OutOfTime):
        iterate.step(clock)


def test_the_models_finish_what_rounding_ends(monkeypatch):
    problem = make_problem()
    expected = push_exact.solve(problem).certificate.objective
    monkeypatch.setattr(push_newton, "DIAGONAL_SHIFTS", ())
    w, certificate, _ = push_exact.solve(problem)
    assert certificate.status == "certified" and certificate.objective == pytest.approx(expected, rel=2e-8)
    assert np.count_nonzero(w) <= 90


def test_duplicated_features_get_one_weight():
    """The limit of the interior point method shares the weight among both; a vertex has one of them."""
    positives, negatives = gaussians(m=25, n=30, d=101, shift=1.0)
    doubled = [np.hstack([part, part]) for part in (positives, negatives)]
    once = push_exact.solve(PushRanking(positives, negatives, 0.05, L1()))
    w, certificate, _ = push_exact.solve(PushRanking(*doubled, 0.05, L1()))
    assert certificate.objective == pytest.approx(once.certificate.objective, rel=2e-8)
    assert not np.any(w[:101] * w[101:]) and np.count_nonzero(w) <= 55


def test_rows_leave_and_enter():
    """Rows at rest are outside of the last program, and every violated one is inside."""
    problem = PushRanking(*gaussians(m=300, n=900, d=110, shift=0.5), 0.02, L1())
    iterate = InteriorPoint(problem)
    sizes = [iterate.n_rows]
    for _ in range(30):
        iterate.step(UNLIMITED)
        scores = problem.scores(iterate.w)
        iterate.update_rows(scores)
        sizes.append(iterate.n_rows)
        gap = problem.objective(iterate.w, scores) - problem.lower_bound(*iterate.all_weights())
        if gap < 1e-7:
            break
    assert gap < 1e-7
    assert push_interior.INITIAL_NEGATIVES + 300 < max(sizes) < 1200 and sizes[-1] < 0.55 * 1200


def test_corrections_lengthen_the_steps_of_a_factored_system(monkeypatch):
    """With them the program ends in fewer steps, and each direction is as long as without or longer."""
    problem = PushRanking(*gaussians(m=60, n=400, d=800, shift=0.5), 0.01, L1())
    n_steps, objectives = {}, {}
    for n_correctors in (0, push_direction.CORRECTORS_MAX):
        monkeypatch.setattr(push_direction, "CORRECTORS_MAX", n_correctors)
        _, certificate, n_steps[n_correctors] = push_exact.solve(problem)
        assert certificate.status == "certified"
        objectives[n_correctors] = certificate.objective
    assert objectives[0] == pytest.approx(objectives[6], rel=2e-8)
    assert n_steps[6] < n_steps[0]


def test_a_point_settles_on_its_binding_rows():
    """From an iterate whose binding rows are off by far more than rounding, in the weights that it has."""
    positives, negatives = gaussians(m=25, n=60, d=120, shift=1.0)
    problem = PushRanking(positives, negatives, 0.05, L1())
    iterate = InteriorPoint(problem)
    gap = np.inf
    while gap > 1e-7:
        iterate.step(UNLIMITED)
        gap = problem.objective(iterate.w) - problem.lower_bound(*iterate.all_weights())
    w = iterate.sparse_point(1e-2)
    settled = iterate.settle_on_binding_rows(w)
    distances = []
    for point in (w, settled):
        scores = problem.scores(point)
        top = scores[1].max()
        pull = np.append(1.0 + top - scores[0], scores[1] - top)
        distances.append(np.abs(pull[iterate.find_binding_rows()]).max())
    assert distances[1] < 1e-3 * distances[0]
    np.testing.assert_array_equal(settled != 0.0, w != 0.0)


@pytest.mark.parametrize("by_rows", [True, False], ids=["rows", "features"])
def test_the_system_of_sparse_rows_is_that_of_dense_ones(by_rows):
    positives, negatives = draw_sparse(15, 25, 90 if by_rows else 30, 0.2, seed=6)
    sparse = push_newton.ProgramRows(positives, negatives)
    dense = push_newton.ProgramRows(positives.toarray(), negatives.toarray())
    assert sparse.by_rows == dense.by_rows == by_rows
    weights = np.random.default_rng(7).random(90 if by_rows else 40)
    expected = np.tril(dense.scatter(weights))
    sparse._buffer.make_square(sparse.side).fill(np.nan)  # of the system before
    np.testing.assert_allclose(np.tril(sparse.scatter(weights)), expected, rtol=1e-12, atol=1e-14)


def test_an_estimator_on_wide_sparse_data():
    positives, negatives = draw_sparse(40, 300, 1500, 0.02, seed=3)
    X, y = sp.vstack([positives, negatives]), np.repeat([1, 0], [40, 300])
    model = InfinitePush().fit(X, y)
    assert model.certificate_.status == "certified"
    assert model.alpha_ == pytest.approx(0.3 * InfinitePush().alpha_max(X, y))
    larger = InfinitePush(alpha=1.001 * InfinitePush().alpha_max(X, y))
    with pytest.warns(UserWarning, match="w = 0 is optimal"):
        larger.fit(X, y)
    assert larger.certificate_.objective == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize(("m", "n", "d"), [(20, 60, 200), (80, 300, 120)], ids=["rows", "features"])
def test_the_order_of_stored_entries_does_not_matter(m, n, d):
    positives, negatives = draw_sparse(m, n, d, 0.05, seed=4)
    reverse = np.arange(d)[::-1]
    unsorted = [part[:, reverse] for part in (positives, negatives)]
    for part in unsorted:  # from the last feature to the first one
        part.sort_indices()
        for i in range(part.shape[0]):
            row = slice(part.indptr[i], part.indptr[i + 1])
            part.indices[row], part.data[row] = part.indices[row][::-1].copy(), part.data[row][::-1].copy()
        part.has_sorted_indices = False
    problem = PushRanking(*unsorted, 0.01, L1())
    iterate, expected = InteriorPoint(problem), InteriorPoint(PushRanking(positives, negatives, 0.01, L1()))
    for _ in range(5):
        iterate.step(UNLIMITED)
        expected.step(UNLIMITED)
    np.testing.assert_allclose(iterate.w, expected.w[reverse], rtol=1e-6, atol=1e-9)


def test_conjugate_gradients_agree_with_the_factor(monkeypatch):
    """On a large sparse system, far from the optimum; later they do not converge, and it is factored."""
    positives, negatives = draw_sparse(40, 300, 3000, 0.01, seed=5)
    problem = PushRanking(positives, negatives, 0.005, L1())
    expected, iterate = InteriorPoint(problem), InteriorPoint(problem)
    monkeypatch.setattr(push_direction, "CORRECTORS_MAX", 0)  # which only a factored system gets
    expected.step(UNLIMITED)
    monkeypatch.setattr(push_newton, "ITERATIVE_SIDE_MIN", 1)
    monkeypatch.setattr(push_newton, "ITERATIVE_RTOL", 1e-12)
    monkeypatch.setattr(push_newton, "dpotrf", None)
    iterate.step(UNLIMITED)
    np.testing.assert_allclose(iterate.w, expected.w, rtol=1e-6, atol=1e-9)
    monkeypatch.undo()
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", 0)
    monkeypatch.setattr(push_newton, "ITERATIVE_SIDE_MIN", 1)
    assert push_exact.solve(problem).certificate.status == "certified"


def test_a_vertex_is_left_alone_and_others_move_to_one():
    positives, negatives = gaussians(m=25, n=30, d=101, shift=1.0)
    problem = PushRanking(positives, negatives, 0.05, L1())
    w, certificate, _ = push_exact.solve(problem)
    scores = problem.scores(w)
    slack = np.append(scores[0] - scores[1].max() - 1.0, scores[1] - scores[1].max())
    is_binding = np.abs(slack) < 1e-6
    np.testing.assert_array_equal(move_to_vertex(problem, w, is_binding.copy()), w)
    doubled = PushRanking(*(np.hstack([part, part]) for part in (positives, negatives)), 0.05, L1())
    vertex = move_to_vertex(doubled, np.append(0.3 * w, 0.7 * w), is_binding.copy())
    assert np.count_nonzero(vertex) == np.count_nonzero(w)
    assert doubled.objective(vertex) == pytest.approx(certificate.objective, rel=1e-9)


def test_no_row_is_crossed_on_the_way_to_a_vertex():
    """Along (1, -1) the second negative reaches the first one before a weight reaches 0."""
    positives, negatives = np.array([[2.0, 2.0], [0.5, 9.0]]), np.array([[0.0, 0.0], [1.0, -2.0]])
    problem = PushRanking(positives, negatives, 0.01, L1())
    # the first positive is on the kink, and the first negative is the highest
    vertex = move_to_vertex(problem, np.array([0.3, 0.2]), np.array([True, False, True, False]))
    np.testing.assert_allclose(vertex, [1.0 / 3.0, 1.0 / 6.0])
