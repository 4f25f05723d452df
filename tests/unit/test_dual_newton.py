"""The proximal dual for sparse and wide rows: projections, equal optima, certificates, no dense copies."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from toprank import InfinitePush, TopPush
from toprank.estimators import ridge_fit
from toprank.penalties import SquaredL2
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.solvers import dual_newton, push_exact, row_generation
from toprank.solvers.dual_projection import DualProjection
from toprank.solvers.free_weights import StackedRows

DEPTHS = (1.0, 2.5, 7.0, "all")


def make_rows(kind, rng):
    """Two classes of rows with the named difficulty."""
    X = rng.normal(size=(30, 50)) * (rng.random((30, 50)) < 0.3)
    if kind == "duplicates":
        X[20:] = X[[12] * 5 + [13] * 5]
        X[1] = X[0]
    elif kind == "rank":
        X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 50))
    elif kind == "zeros":
        X[[2, 14, 15]] = 0.0
        X[:, ::3] = 0.0
    elif kind == "square":
        X = X[:, :30]
    elif kind == "tall":
        X = (X[:, :4] > 0).astype(float)
    return X[:10], X[10:]


def make_problem(loss, positives, negatives, alpha, depth):
    """The problem of the loss."""
    depth = float(len(negatives) if depth == "all" else depth)
    if loss == "squared":
        return TopRanking(positives, negatives, alpha, depth)
    return PushRanking(positives, negatives, alpha, SquaredL2(), depth)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("curvature", "upper"), [(5.0, np.inf), (0.0, 0.1)])
def test_the_projection_is_that_of_a_conic_solver(curvature, upper, depth):
    rng = np.random.default_rng(3)
    for step in (0.01, 1.0, 30.0):
        p, q = rng.normal(size=8), rng.normal(size=12)
        K = 12.0 if depth == "all" else depth
        weights = DualProjection(curvature, upper, K)(p, q, step)
        a, b = cp.Variable(8, nonneg=True), cp.Variable(12, nonneg=True)
        distance = cp.sum_squares(a - p) + cp.sum_squares(b - q) + step * curvature * cp.sum_squares(a)
        limits = [cp.sum(a) == cp.sum(b), K * b <= cp.sum(a)] + ([a <= upper] if upper < np.inf else [])
        program = cp.Problem(cp.Minimize(distance), limits)
        program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13)
        np.testing.assert_allclose(weights.a, a.value, atol=1e-5)
        np.testing.assert_allclose(weights.b, b.value, atol=1e-5)
        assert weights.a.sum() == pytest.approx(weights.b.sum(), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kind", ["sparse", "duplicates", "rank", "zeros", "square", "tall"])
@pytest.mark.parametrize("loss", ["squared", "hinge"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_the_optimum_is_that_of_the_dense_route(kind, loss, depth):
    positives, negatives = make_rows(kind, np.random.default_rng(0))
    exact = row_generation.solve if loss == "squared" else push_exact.solve
    for alpha in (10.0, 0.1, 1e-4):
        expected = exact(make_problem(loss, positives, negatives, alpha, depth)).certificate
        for kind_of_rows in (np.asarray, sp.csr_array):
            parts = kind_of_rows(positives), kind_of_rows(negatives)
            problem = make_problem(loss, *parts, alpha, depth if depth != "all" else 20.0)
            solution = dual_newton.solve(problem, max_iter=1000)
            assert solution.certificate.status == "certified"
            assert solution.certificate.objective == pytest.approx(expected.objective, rel=3e-8)
            assert solution.certificate.objective == pytest.approx(problem.objective(solution.w), rel=1e-12)


def test_bounds_of_unfinished_iterates_are_bounds():
    positives, negatives = make_rows("sparse", np.random.default_rng(1))
    for loss in ("squared", "hinge"):
        problem = make_problem(loss, positives, negatives, 0.01, 3.5)
        optimum = dual_newton.solve(problem, tol=1e-10).certificate.objective
        for steps in range(1, 12):
            certificate = dual_newton.solve(problem, max_iter=steps).certificate
            assert certificate.lower_bound <= optimum * (1 + 1e-9) <= certificate.objective * (1 + 2e-9)


def test_conjugate_gradients_and_the_gram_matrix_give_the_same(monkeypatch):
    positives, negatives = make_rows("sparse", np.random.default_rng(2))
    problem = make_problem("squared", positives, negatives, 0.1, 4.0)
    direct = dual_newton.solve(problem)
    monkeypatch.setattr("toprank.solvers.free_weights.DIRECT_MAX", 0)
    iterative = dual_newton.solve(problem)
    monkeypatch.setattr("toprank.solvers.free_weights.CG_STEPS_MAX", 1)  # too few: the matrix after all
    rescued = dual_newton.solve(problem)
    for solution in (iterative, rescued):
        assert solution.certificate.status == "certified"
        assert solution.certificate.objective == pytest.approx(direct.certificate.objective, rel=2e-8)


@pytest.mark.parametrize("kind_of_rows", [np.asarray, sp.csr_array])
def test_scores_of_some_rows_are_those_among_the_scores_of_all(kind_of_rows):
    positives, negatives = make_rows("sparse", np.random.default_rng(4))
    rows, w = StackedRows(kind_of_rows(positives), kind_of_rows(negatives)), np.linspace(-1.0, 1.0, 50)
    for index in ([0, 3, 9, 10, 11, 29], [2, 5], [10, 29], []):
        selected = rows.score_selected(np.array(index, dtype=int), sum(i < 10 for i in index), w)
        np.testing.assert_array_equal(selected, rows.score(w)[index])


@pytest.fixture
def wide_list():
    rng = np.random.default_rng(0)
    X = sp.random(300, 2500, 0.02, "csr", random_state=rng)
    return sp.csr_array(X), (X @ rng.normal(size=2500) > 0.3).astype(int)


MODELS = [
    TopPush(alpha=0.01),
    TopPush(),
    TopPush(alpha=0.01, depth=0.1),
    InfinitePush("l2", alpha=0.01),
    InfinitePush("l2"),
    InfinitePush("l2", alpha=0.01, depth=5),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_fit_of_sparse_rows_makes_no_dense_copy(model, wide_list, monkeypatch):
    X, y = wide_list

    def refuse(self, *args, **options):
        assert min(self.shape) <= 1, "sparse rows became dense"
        return original(self, *args, **options)

    original = sp.csr_array.toarray
    monkeypatch.setattr(sp.csr_array, "toarray", refuse)
    fitted = model.fit(X, y)
    assert fitted.certificate_.status == "certified"
    monkeypatch.undo()
    monkeypatch.setattr(ridge_fit, "suits_dual_newton", lambda X: False)
    objective = fitted.certificate_.objective
    assert model.fit(X, y).certificate_.objective == pytest.approx(objective, rel=3e-8)


def test_the_rows_decide_the_route():
    suits = ridge_fit.suits_dual_newton
    assert suits(sp.csr_array((3000, 2048))) and suits(sp.csr_array((5000, 20000)))
    assert not suits(sp.csr_array((50000, 300))) and not suits(sp.csr_array((60, 2000)))
    assert not suits(np.zeros((62, 2000))) and not suits(np.zeros((5000, 2000)))
    assert suits(np.zeros((1500, 3000)))


def test_limits_callback_and_warm_start(wide_list):
    X, y = wide_list
    steps = []
    model = TopPush(alpha=0.01, warm_start=True, callback=steps.append).fit(X, y)
    assert len(steps) == model.n_iter_ and steps[-1].w.size == 2500
    assert steps[-1].objective - steps[-1].lower_bound <= 1e-8 * steps[-1].objective
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ < first
    with pytest.warns(match="max_iterations"):
        assert TopPush(alpha=0.01, max_iter=2).fit(X, y).certificate_.status == "max_iterations"
    with pytest.warns(match="time_limit"):
        assert TopPush(alpha=0.01, time_limit=1e-6).fit(X, y).certificate_.status == "time_limit"
    with pytest.warns(match="stopped"):
        stopped = InfinitePush("l2", alpha=0.01, callback=lambda step: step.iteration == 2).fit(X, y)
    assert stopped.certificate_.status == "stopped" and stopped.n_iter_ == 2


def test_where_it_does_not_end_the_rotated_rows_are_solved(wide_list, monkeypatch):
    X, y = wide_list
    expected = TopPush(alpha=0.01).fit(X, y).certificate_.objective
    original = dual_newton.solve
    monkeypatch.setattr(
        dual_newton, "solve", lambda *args, **options: original(*args, **options | {"max_iter": 2})
    )
    model = TopPush(alpha=0.01).fit(X, y)
    assert model.certificate_.status == "certified"
    assert model.certificate_.objective == pytest.approx(expected, rel=2e-8)


def test_index_arrays_of_any_type_are_read(wide_list):
    # SciPy chooses the types of a selection of rows by what its arrays hold
    X, y = wide_list
    positives, negatives = X[y == 1], X[y == 0]
    expected = dual_newton.solve(make_problem("hinge", positives, negatives, 0.01, 1)).w
    positives.indices, positives.indptr = (
        positives.indices.astype(np.int64),
        positives.indptr.astype(np.int64),
    )
    np.testing.assert_array_equal(
        dual_newton.solve(make_problem("hinge", positives, negatives, 0.01, 1)).w, expected
    )


def test_a_margin_short_by_a_rounding_error_is_closed():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.normal(size=(1500, 1500)) * (rng.random((1500, 1500)) < 0.02))
    # separated, so that at a small alpha the objective is the ridge, and below the gap of a rounding error
    solutions = [
        dual_newton.solve(make_problem("hinge", X[::2], X[1::2], alpha, 1)) for alpha in (1e-6, 1e-8)
    ]
    assert [solution.certificate.status for solution in solutions] == ["certified"] * 2
    np.testing.assert_allclose(solutions[0].w, solutions[1].w, rtol=1e-4, atol=1e-6)


def test_the_better_certificate_stays_where_the_second_solver_has_no_time(wide_list, monkeypatch):
    X, y = wide_list
    first, second = dual_newton.solve, push_exact.solve
    monkeypatch.setattr(
        dual_newton, "solve", lambda *args, **options: first(*args, **options | {"max_iter": 9})
    )
    monkeypatch.setattr(
        push_exact, "solve", lambda *args, **options: second(*args, **options | {"time_limit": 0.0})
    )
    with pytest.warns(match="time_limit"):
        certificate = InfinitePush("l2", alpha=0.01).fit(X, y).certificate_
    problem = make_problem("hinge", X[y == 1], X[y == 0], 0.01, 1)
    assert certificate.objective == pytest.approx(first(problem, max_iter=9).certificate.objective)
    assert certificate.objective < 0.5 and certificate.status == "time_limit"
