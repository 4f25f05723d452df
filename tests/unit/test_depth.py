"""Depth: the exact solvers against a conic solver at each K, their bounds, and what a user sees of it."""

import itertools
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from depth_oracle import choose_depth, make_classes, solve_by_cvxpy
from ranking_data import gaussians, raises_one_sentence, stack_classes
from scipy.optimize import linprog

from toprank import GroupL2, InfinitePush, TopPush
from toprank.certificate import Certificate
from toprank.clock import OutOfTime
from toprank.penalties import L1, SquaredL2
from toprank.problems.push import PushRanking
from toprank.problems.rows import SelectedRows
from toprank.problems.top import TopRanking
from toprank.solvers import push_exact, row_generation, top_depth_model
from toprank.solvers.alpha_max import compute_alpha_max, compute_ridge_scale
from toprank.solvers.smallest_depth import compute_smallest_depth

X, Y = stack_classes(*gaussians())


@pytest.mark.parametrize("kind", ["plain", "tied", "repeated", "degenerate", "tiny", "wide"])
@pytest.mark.parametrize("model", ["top", "l1", "l2", "group"])
def test_the_optimum_at_any_depth(kind, model):
    random = np.random.default_rng([len(kind), len(model), ord(model[-1])])
    for _ in range(22):
        positives, negatives = make_classes(kind, random)
        d, depth = positives.shape[1], choose_depth(len(negatives), random)
        alpha, groups = 10.0 ** random.uniform(-3, 0), np.arange(d) // 2
        if model == "top":
            problem, solve = TopRanking(positives, negatives, alpha, depth), row_generation.solve
        else:
            penalty = {"l1": L1(), "l2": SquaredL2(), "group": GroupL2(groups)}[model]
            problem = PushRanking.from_classes(positives, negatives, alpha, penalty, depth)
            solve = push_exact.solve
        bounds = []
        solution = solve(
            problem, callback=lambda step, bounds=bounds: bounds.append(step.lower_bound) and None
        )
        optimum = solve_by_cvxpy(problem, groups)
        case = f"{kind} {model} {positives.shape} {negatives.shape} K={depth} alpha={alpha}"
        certificate = solution.certificate
        assert certificate.status == "certified", case
        assert certificate.objective == pytest.approx(optimum, rel=2e-7, abs=1e-9), case
        assert problem.objective(solution.w) == pytest.approx(certificate.objective, rel=1e-12), case
        # the bounds of unfinished iterates are bounds
        assert max(bounds) <= optimum * (1 + 2e-7) + 1e-9, case


@pytest.mark.parametrize("kind", ["dense", "csr", "single precision"])
@pytest.mark.parametrize("share", [0.004, 0.1, 0.6, 1.0])
def test_more_rows_than_a_band_holds(kind, share):
    """Rows above and below the band, equal rows at the K-th score, and a start from a sample."""
    random = np.random.default_rng(4)
    m, n = 100, 500
    positives, negatives = random.normal(size=(m, 4)) + 1.5, random.normal(size=(n, 4))
    negatives[200:320] = negatives[200]
    depth = share * n
    expected = solve_by_cvxpy(TopRanking(positives, negatives, 0.01, depth))
    if kind == "csr":
        positives, negatives = sp.csr_array(positives), sp.csr_array(negatives)
    if kind == "single precision":
        rows = np.vstack([positives, negatives]).astype(np.float32)
        positives, negatives = (SelectedRows(rows, index) for index in (np.arange(m), np.arange(m, m + n)))
    problem = TopRanking(positives, negatives, 0.01, depth)
    solution = row_generation.solve(problem, rows_per_step=10)
    assert solution.certificate.status == "certified"
    assert solution.n_iter <= 12, "with a wrong number of rows above the band, more models are needed"
    precision = 1e-5 if kind == "single precision" else 1e-7
    assert solution.certificate.objective == pytest.approx(expected, rel=precision)


@pytest.mark.parametrize("penalty", [L1(), SquaredL2()])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_more_rows_than_a_band_of_the_push_holds(monkeypatch, penalty, share):
    monkeypatch.setattr(push_exact, "suits_all_rows", lambda problem: False)  # models of a band alone
    random = np.random.default_rng(5)
    positives, negatives = random.normal(size=(80, 4)) + 1.2, random.normal(size=(600, 4))
    negatives[200:320] = negatives[200]
    problem = PushRanking.from_classes(positives, negatives, 0.01, penalty, share * 600)
    solution = push_exact.solve(problem, rows_per_step=10)
    assert solution.certificate.status == "certified"
    assert solution.certificate.objective == pytest.approx(solve_by_cvxpy(problem), rel=1e-7)


def test_the_start_from_a_sample_changes_the_time_only(monkeypatch):
    problem = TopRanking(*gaussians(m=60, n=900, shift=4.0), 0.01, 90.0)
    expected = row_generation.solve(problem)
    monkeypatch.setattr(top_depth_model, "SAMPLED_ROWS_MIN", 100)
    monkeypatch.setattr(top_depth_model, "SAMPLE_CLASS_MIN", 30)
    sampled = row_generation.solve(problem)
    assert sampled.certificate.objective == pytest.approx(expected.certificate.objective, rel=1e-8)
    assert sampled.certificate.status == "certified" and sampled.n_iter < expected.n_iter


@pytest.mark.parametrize("model", [TopPush(0.01), InfinitePush("l1", 0.01), InfinitePush("l2", 0.01)])
def test_the_objective_falls_with_the_depth(model):
    depths = [1, 1.5, 4, 0.2, 0.5, 29.5, 30]
    objectives = [model.set_params(depth=depth).fit(X, Y).certificate_.objective for depth in depths]
    assert all(later < earlier for earlier, later in itertools.pairwise(objectives))
    assert model.depth_ == 30.0
    assert model.set_params(depth=0.2).fit(X, Y).depth_ == 6.0
    continued = model.set_params(warm_start=True).fit(X, Y)
    assert continued.certificate_.objective == pytest.approx(objectives[3], rel=1e-8)


@pytest.mark.parametrize("model", [TopPush(0.02, depth=5), InfinitePush("l1", 0.02, depth=0.3)])
def test_invariances_at_a_depth(model):
    """Offsets change nothing, the unit of the features only alpha; sparse rows are like dense ones."""
    scores = model.fit(X, Y).decision_function(X)
    power = 2 if isinstance(model, TopPush) else 1
    scaled = model.set_params(alpha=0.02 * 1e3**power).fit(1e3 * X + 5e6, Y)
    differences = scaled.decision_function(1e3 * X + 5e6) - scores
    assert np.ptp(differences) < 1e-5 * np.ptp(scores)
    sparse = model.set_params(alpha=0.02).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(sparse.decision_function(X), scores, atol=1e-6)


def test_a_time_limit_returns_a_bound():
    rows = stack_classes(*gaussians(m=300, n=3000, d=40, shift=1.0))
    for model in (
        TopPush(1e-4, depth=0.3, time_limit=1e-6),
        InfinitePush("l2", 1e-4, depth=0.3, time_limit=1e-6),
    ):
        with pytest.warns(match="time_limit"):
            certificate = model.fit(*rows).certificate_
        assert certificate.status == "time_limit" and 0.0 <= certificate.lower_bound <= certificate.objective


@pytest.mark.parametrize(
    ("depth", "sentence"),
    [
        (0, "^depth must be a number of negatives of at least 1, or a share of them between 0 and 1; got 0$"),
        (-2.0, "^depth must be a number .* got -2.0$"),
        (np.nan, "^depth must be a number .* got nan$"),
        ("all", "^depth must be a number .* got 'all'$"),
        (
            31,
            "^depth=31 exceeds the number of negatives, 30; take a smaller number, or a share between ",
        ),
        (
            0.01,
            "^depth=0.01 is a share of less than one of the 30 negatives; take at least 0.0334, or ",
        ),
    ],
)
@pytest.mark.parametrize("model", [TopPush(), InfinitePush()])
def test_a_bad_depth(model, depth, sentence):
    for call in (model.fit, model.alpha_max):
        with raises_one_sentence(sentence):
            model.set_params(depth=depth)
            call(X, Y)


@pytest.mark.parametrize(
    "model",
    [*(TopPush(solver=name, depth=2) for name in ("dual", "admm", "a2dm2", "a2dm2-restart"))]
    + [InfinitePush("l2", solver=name, depth=2) for name in ("admm", "dual")],
)
def test_published_algorithms_stay_at_depth_one(model):
    with raises_one_sentence(
        f"^solver '{model.solver}' is a published algorithm for depth=1; for depth=2 take "
    ):
        model.fit(X, Y)


def find_smallest_depth(positives, negatives):
    """K* by its linear program: min t where the mean is a mean of negatives with weights up to t."""
    n, mean = len(negatives), positives.mean(axis=0)
    program = linprog(
        np.append(np.zeros(n), 1.0),
        A_eq=np.column_stack([np.vstack([negatives.T, np.ones(n)]), np.zeros(mean.size + 1)]),
        b_eq=np.append(mean, 1.0),
        A_ub=np.column_stack([np.eye(n), -np.ones(n)]),
        b_ub=np.zeros(n),
    )
    return 1.0 / program.x[-1] if program.status == 0 else 0.0


@pytest.mark.parametrize("sparse", [False, True])
def test_the_smallest_depth_is_that_of_its_linear_program(sparse):
    random, values = np.random.default_rng(3), []
    for _ in range(40):
        d = random.integers(1, 5)
        positives = random.normal(size=(15, d)) + random.uniform(0, 1.2)
        negatives = random.normal(size=(random.integers(4, 60), d))
        expected = find_smallest_depth(positives, negatives)
        parts = [sp.csr_array(rows) if sparse else rows for rows in (positives, negatives)]
        assert compute_smallest_depth(*parts) == pytest.approx(expected, rel=1e-6)
        values.append(expected)
        if expected and expected * 1.001 < len(negatives):
            # alpha_max leaves 0 there, for the norm and for the ridge
            scales = [
                (compute_alpha_max(*parts, L1(), depth), compute_ridge_scale(*parts, depth))
                for depth in (max(0.999 * expected, 1.0), 1.001 * expected)
            ]
            assert max(scales[0]) <= 1e-5 * min(scales[1]) or expected < 1.002
            assert min(scales[1]) > 0.0
    assert sum(value == 0.0 for value in values) > 3 and sum(value > 1.0 for value in values) > 10


def test_a_mean_in_the_hull_has_a_scale_of_0_after_one_fit():
    # at smaller alphas the same weights of the negatives bound the objective less and less
    random, alphas = np.random.default_rng(0), []

    def solve(problem, **options):
        alphas.append(problem.alpha)
        return row_generation.solve(problem, **options)

    parts = random.normal(size=(30, 4)), random.normal(size=(300, 4))
    assert compute_ridge_scale(*parts, 20.0, solve=solve) == 0.0 and len(alphas) == 1


def test_a_fit_that_ends_at_w_0_without_a_bound_shows_no_scale_of_0():
    def end_early(problem, **options):
        certificate = Certificate(objective=1.0, lower_bound=0.0, status="time_limit")
        return replace(row_generation.solve(problem, **options), certificate=certificate)

    random = np.random.default_rng(0)
    parts = random.normal(size=(30, 4)), random.normal(size=(300, 4))
    with pytest.raises(OutOfTime):
        compute_ridge_scale(*parts, 20.0, solve=end_early)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_smallest_depth_among_many_features_is_that_of_its_linear_program(sparse):
    # features enter the model, each with its own weight in the norm
    random = np.random.default_rng(5)
    rows = random.normal(size=(700, 130)) * random.uniform(0.2, 5.0, size=130)
    positives, negatives = rows[:12] * 0.1 + np.linspace(0.0, 0.1, 130), rows[12:]
    expected = find_smallest_depth(positives, negatives)
    parts = [sp.csr_array(rows) if sparse else rows for rows in (positives, negatives)]
    assert compute_smallest_depth(*parts) == pytest.approx(expected, rel=1e-6) and expected > 1.0


def test_the_smallest_depth_of_equal_means_is_all_negatives():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    assert compute_smallest_depth(np.zeros((2, 2)), rows) == pytest.approx(4.0)
    assert compute_smallest_depth(np.zeros((2, 2)), np.zeros((3, 2))) == 3.0


@pytest.mark.parametrize("norm", ["l1", "group"])
def test_alpha_max_at_a_depth_is_a_distance_from_the_reduced_hull(norm):
    random = np.random.default_rng(1)
    for _ in range(12):
        d = random.integers(2, 7)
        positives = random.normal(size=(20, d)) + random.uniform(0, 1.5)
        negatives = random.normal(size=(40, d))
        groups, depth = np.arange(d) // 2, choose_depth(40, random)
        weights = cp.Variable(40, nonneg=True)
        residual = positives.mean(axis=0) - negatives.T @ weights
        group_norms = [cp.norm2(residual[np.flatnonzero(groups == g)]) for g in np.unique(groups)]
        dual_norm = cp.norm_inf(residual) if norm == "l1" else cp.max(cp.hstack(group_norms))
        feasible = [weights <= 1 / depth, cp.sum(weights) == 1]
        expected = cp.Problem(cp.Minimize(dual_norm), feasible).solve(solver=cp.CLARABEL)
        model = InfinitePush("l1" if norm == "l1" else GroupL2(groups), depth=depth)
        data = stack_classes(positives, negatives)
        largest = model.alpha_max(*data)
        assert largest == pytest.approx(expected, rel=1e-4, abs=1e-6)
        square = cp.Problem(cp.Minimize(cp.sum_squares(residual)), feasible).solve(solver=cp.CLARABEL)
        scale = TopPush(depth=depth).alpha_max(*data)
        assert scale == pytest.approx(2 * square, rel=1e-4, abs=1e-6)
        if largest > 1e-3:
            with pytest.warns(UserWarning, match="alpha is too large"):
                assert not model.set_params(alpha=1.001 * largest).fit(*data).coef_.any()
            assert model.set_params(alpha=0.99 * largest).fit(*data).coef_.any()
            # there the loss of no model is below a half
            assert TopPush(scale, depth=depth).fit(*data).certificate_.lower_bound >= 0.5 - 1e-6
