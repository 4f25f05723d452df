"""RankSVM: each penalty and solver against the conic solver on the pairs and brute force."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from memoize import memoize
from ranking_data import assert_certified
from scipy.linalg import cho_solve
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from test_pairwise import DATA, build, differences, documents

from toprank import FISTA, RankSVM
from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp
from toprank.problems import pairwise_loss
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import (
    fista,
    group_quadratic,
    monitor,
    monotone_fista,
    prox_newton,
    quadratic,
    reweighted_l1,
)

CONCAVE = {"mcp": MCP(0.5), "log": Log(0.1), "lp": Lp(0.5), "scad": SCAD(1.5)}
GROUPS = [0, 0, 1, 2, 2]
WEIGHTS = np.array([0.5, 2.0, 1.0, np.inf, 0.1])


def weighted_norm(w):
    # a banned feature is as good as one of an enormous weight
    return cp.norm1(cp.multiply(np.where(np.isfinite(WEIGHTS), WEIGHTS, 1e4), w))


CONVEX = {
    "weighted-l1": (L1(WEIGHTS), weighted_norm),
    "group": (GroupL2(GROUPS), lambda w: cp.norm(w[:2]) + cp.norm(w[2:3]) + cp.norm(w[3:])),
    "l1": ("l1", cp.norm1),
    "l2": ("l2", lambda w: cp.sum_squares(w) / 2),
}


@memoize
def conic(rows, alpha, penalty):
    w = cp.Variable(rows.shape[1])
    omega = CONVEX[penalty][1](w)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(cp.pos(1 - rows @ w)) + alpha * omega))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


SHARES = (0.5, 0.05, 1e-3)
SOLVED_CASES = [
    *product(["prox-newton"], CONVEX, DATA, SHARES),
    *product(["prox-newton"], ["l1", "l2"], DATA, [1e-5]),
    *product(["prox-newton"], ["l1", "l2"], ["wide"], [1e-3]),
    *product(["fista"], CONVEX, ["graded", "any grade", "a query of one"], SHARES),
]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("solver", "penalty", "name", "share"), SOLVED_CASES)
def test_the_optimum_is_that_of_the_pairs(solver, penalty, name, share, kind):
    X, y, qid = documents(n=25, d=60) if name == "wide" else DATA[name]
    rows, (norm, value) = differences(X, y, qid), CONVEX[penalty]
    alpha = share / RankSVM(norm).C_zero_max(X, y, qid)
    model = RankSVM(norm, 1 / alpha, solver=solver).fit(kind(X), y, qid)
    hinges = np.maximum(1 - rows @ model.coef_, 0)
    objective = hinges @ hinges / alpha + value(model.coef_).value
    assert model.certificate_.objective == pytest.approx(objective, rel=1e-10)
    assert model.certificate_.kkt <= 1e-8
    assert_certified(model.certificate_, conic(rows, alpha, penalty) / alpha)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_both_constants_bound_the_curvature(kind, monkeypatch):
    problem, rows = build("graded", kind=kind)
    exact = np.linalg.eigvalsh(2 * rows.T @ rows)[-1]
    assert problem.largest_curvature() == pytest.approx(exact)
    assert problem.curvature_trace() == pytest.approx(2 * np.sum(rows**2))
    monkeypatch.setattr("toprank.problems.pairwise_loss.DENSE_HESSIAN_MAX_D", 2)
    assert exact <= problem.largest_curvature() <= 1.002 * exact


def compute_at_share(name, penalty, share):
    """A problem at this share of the strongest regularisation of the l1 norm."""
    problem, _ = build(name, 1.0, penalty)
    return problem.with_alpha(share * problem.with_penalty(L1()).lambda_max())


@pytest.mark.parametrize("scheme", ["reweighted", "direct"])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 1e-4])
@pytest.mark.parametrize("penalty", CONCAVE)
@pytest.mark.parametrize("name", ["binary", "graded"])
def test_the_objective_never_rises_and_the_end_is_stationary(name, penalty, share, scheme):
    problem = compute_at_share(name, CONCAVE[penalty], share)
    steps = []

    def record(step):
        assert step.lower_bound is None
        assert step.objective == pytest.approx(problem.objective(step.w), rel=1e-12)
        steps.append(step.objective)

    if scheme == "direct":
        w, certificate, _ = monotone_fista.solve(problem, callback=record)
    else:
        solution = reweighted_l1.solve(problem, inner=prox_newton.solve, callback=record)
        w, certificate, n_iter = solution
        assert n_iter == len(steps)
        assert problem.objective(solution.first_w) >= steps[0] * (1 - 1e-12)
    assert certificate.status == "certified" and certificate.kkt <= 1e-7
    assert certificate.lower_bound is None and certificate.gap is None and certificate.relative_gap is None
    steps.append(certificate.objective)
    assert np.all(np.diff(steps) <= 1e-12 * steps[0])
    gradient = problem.gradient(problem.loss(problem.X @ w))
    used, size = w != 0, np.abs(w)
    slope = problem.alpha * problem.penalty.derivative(size)
    np.testing.assert_allclose(gradient[used], -slope[used] * np.sign(w[used]), atol=1e-7 * problem.alpha)
    assert np.all(np.abs(gradient[~used]) <= slope[~used] * (1 + 1e-7))


@pytest.mark.parametrize("penalty", CONCAVE)
def test_a_reweighted_point_is_one_of_the_proximal_operator(penalty):
    """What reweighting ends on, the penalty's own proximal gradient step leaves where it is."""
    problem = compute_at_share("graded", CONCAVE[penalty], 0.05)

    def residual(w):
        gradient = problem.gradient(problem.loss(problem.X @ w))
        return monotone_fista.compute_prox_residual(problem, w, gradient, problem.largest_curvature())

    w, *_ = reweighted_l1.solve(problem, inner=prox_newton.solve)
    assert w.any() and residual(w) <= 1e-7 and residual(w + 1e-3) > 1e-4
    repeated, _, n_iter = monotone_fista.solve(problem, tol=1e-6, start=w)
    assert n_iter == 0 and np.array_equal(repeated, w)


CERTIFIED = ["l1", "l2", "elasticnet", "adaptive-l1", GroupL2([0, 0, 1, 1, 1])]


@pytest.mark.parametrize("penalty", CERTIFIED, ids=str)
def test_monotone_fista_of_a_convex_penalty_has_a_gap_and_a_warm_start(penalty):
    model = RankSVM(penalty, solver="monotone-fista", warm_start=True).fit(*DATA["graded"])
    optimum = RankSVM(penalty, C=model.C_).fit(*DATA["graded"]).certificate_
    certificate = model.certificate_
    assert certificate.status == "certified" and 0.0 <= certificate.relative_gap <= 1e-8
    assert certificate.lower_bound <= optimum.objective * (1 + 1e-12)
    assert model.n_iter_ > 0 == model.fit(*DATA["graded"]).n_iter_


def test_monotone_fista_of_features_without_a_penalty_has_a_gap():
    weights = [0.0, 1.0, 2.0, 1.0, 0.0]
    model = RankSVM(penalty_weights=weights, solver="monotone-fista").fit(*DATA["graded"])
    exact = RankSVM(C=model.C_, penalty_weights=weights).fit(*DATA["graded"])
    assert model.certificate_.status == "certified" and model.certificate_.relative_gap <= 1e-8
    assert model.certificate_.objective == pytest.approx(exact.certificate_.objective, rel=1e-7)


@pytest.mark.parametrize("penalty", CONCAVE)
def test_two_features_by_brute_force(penalty):
    """The better one of both schemes is the global minimum on a grid, for two features."""
    X, y, qid = documents(n=40, d=2, seed=3)
    C = RankSVM().C_zero_max(X, y, qid) / (0.02 if penalty == "log" else 0.2)
    solvers = ("prox-newton", "monotone-fista")
    models = [RankSVM(CONCAVE[penalty], C, solver=solver).fit(X, y, qid) for solver in solvers]
    problem = PairwiseRanking.from_data(X, y, qid, 1 / C, CONCAVE[penalty])
    axis = np.linspace(-2, 2, 161)  # holds 0
    least = min(problem.objective(np.array([a, b])) for a in axis for b in axis)
    best = min(model.certificate_.objective for model in models)
    assert best <= C * least * (1 + 1e-12) and best == pytest.approx(C * least, rel=1e-2)
    for model in models:
        assert model.certificate_.objective == pytest.approx(C * problem.objective(model.coef_), rel=1e-10)


KINDS = [FISTA(restart, lipschitz) for restart in (True, False) for lipschitz in ("exact", "trace")]


@pytest.mark.parametrize(
    ("penalty", "solver"), [*product(["l1"], KINDS), *product(CONCAVE.values(), ["fista"])], ids=repr
)
def test_fista_ends_where_newton_does(penalty, solver):
    """Alone, of every kind, and inside the reweighting."""
    C = 10.0 * RankSVM().C_zero_max(*DATA["graded"])
    newton = RankSVM(penalty, C).fit(*DATA["graded"])
    model = RankSVM(penalty, C, solver=solver).fit(*DATA["graded"])
    assert model.certificate_.status == "certified"
    np.testing.assert_allclose(model.coef_, newton.coef_, atol=1e-6)


def test_a_weight_of_0_never_comes_back_under_lp():
    problem = compute_at_share("graded", Lp(0.5), 0.3)
    solution = reweighted_l1.solve(problem, inner=prox_newton.solve)
    assert not solution.w[solution.first_w == 0].any()


def test_with_the_lambda_of_the_objective_mcp_hardly_differs_from_the_l1_norm():
    """L14's Figure 1 has a λ of its own in MCP, and its Table II divides by it; we take 1.

    Were it the λ = 1/C of the objective, which grows with the number of preferences, MCP would bend only at
    weights of γλ, far above any: its sparsity could not differ from the l1 norm's in the tables, as it does.
    """
    problem, _ = build("graded")
    problem = problem.with_alpha(0.05 * problem.lambda_max())
    plain, *_ = prox_newton.solve(problem)
    w, *_ = reweighted_l1.solve(problem.with_penalty(MCP(2.0 * problem.alpha)), inner=prox_newton.solve)
    assert np.abs(plain).max() < 0.02 * 2.0 * problem.alpha
    assert np.array_equal(w != 0, plain != 0)
    np.testing.assert_allclose(w, plain, atol=0.02 * np.abs(plain).max())
    w, *_ = reweighted_l1.solve(problem.with_penalty(MCP(0.5)), inner=prox_newton.solve)
    assert np.abs(w - plain).max() > 0.05 * np.abs(plain).max()


def test_adaptive_weights_follow_the_units_of_the_features():
    """Scaling a feature scales its pilot and its weight: the model stays the same."""
    X, y, qid = DATA["graded"]
    scale = np.array([1.0, 10.0, 0.1, 3.0, 0.5])
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    pilot = RankSVM("adaptive-l1", C=0.05).fit(constant, y, qid)
    assert pilot.coef_[-1] == 0 and pilot.coef_.any() and pilot.certificate_.status == "certified"
    # with hardly any ridge in the pilot its units do not matter
    rows = differences(X, y, qid)
    pilot_weights = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    weighted_fit = RankSVM(L1(1 / np.abs(pilot_weights)), C=0.05).fit(X, y, qid)
    other = RankSVM(L1(scale / np.abs(pilot_weights)), C=0.05).fit(X * scale, y, qid)
    np.testing.assert_allclose(other.coef_ * scale, weighted_fit.coef_, atol=1e-8)
    weights = np.abs(pilot_weights).mean() / np.abs(pilot_weights)
    by_hand = RankSVM(L1(weights), C=0.05).fit(X, y, qid)
    adaptive = RankSVM("adaptive-l1", C=0.05).fit(X, y, qid)
    np.testing.assert_allclose(adaptive.coef_, by_hand.coef_, rtol=0.01)


def test_quadratics_with_a_singular_matrix():
    random = np.random.default_rng(0)
    factor = random.normal(size=(4, 9))
    hessian, linear = factor.T @ factor, 3 * factor.T @ random.normal(size=4)
    groups, w = GroupL2.from_groups([0, 0, 0, 1, 1, 1, 2, 2, 2], 9), cp.Variable(9)
    norm = sum(cp.norm(w[i : i + 3]) for i in (0, 3, 6))
    for z, penalty, value in (
        (quadratic.minimise_l1(hessian, linear, np.full(9, 0.7), np.zeros(9), 1e-10), L1(), cp.norm1(w)),
        (group_quadratic.minimise_groups(hessian, linear, groups, 0.7, np.zeros(9), 1e-10), groups, norm),
    ):
        assert penalty.violation(z, hessian @ z + linear, 0.7).max() <= 1e-9 and z.any()
        problem = cp.Problem(cp.Minimize(cp.sum_squares(factor @ w) / 2 + linear @ w + 0.7 * value))
        penalised_value = z @ hessian @ z / 2 + linear @ z + 0.7 * penalty.value(z)
        assert penalised_value == pytest.approx(problem.solve(solver=cp.CLARABEL), abs=1e-6)


def test_a_solver_says_what_it_lacks():
    problem, _ = build("graded", 1.0, MCP())
    for solver in (prox_newton, fista):
        with pytest.raises(ValueError, match="needs a convex penalty"):
            solver.solve(problem)


def test_the_parameters_of_a_penalty_are_set_and_searched():
    X, y, _ = DATA["graded"]
    model = RankSVM("mcp")
    with pytest.raises(ValueError, match=r"^MCP has no parameter 'p'; it has gamma$"):
        clone(model).set_params(penalty__p=0.5)
    assert model.set_params(penalty__gamma=3.0).penalty.gamma == 3.0
    assert clone(model).get_params()["penalty__gamma"] == 3.0
    assert model.set_params(penalty="log", penalty__epsilon=0.5).penalty.epsilon == 0.5
    options = {"cv": 2, "scoring": "roc_auc"}
    grid = {"penalty__gamma": [0.5, 3.0], "C": [0.1, 1.0]}
    search = GridSearchCV(RankSVM("mcp"), grid, **options).fit(X, y > 0)
    assert search.best_estimator_.penalty.gamma in (0.5, 3.0)
    grid = {"penalty": ["l1", MCP(0.5)], "solver": [FISTA(False)]}
    search = GridSearchCV(RankSVM(C=0.1), grid, **options).fit(X, y > 0)
    assert search.best_params_["solver"].restart is False


def test_features_of_one_value_and_twins():
    X, y, qid = DATA["graded"]
    plain = RankSVM(C=0.01).fit(X, y, qid)
    twins = RankSVM(C=0.01).fit(np.column_stack([X, X, np.ones(y.size)]), y, qid)
    assert twins.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-9)
    assert twins.coef_[-1] == 0.0


def test_a_path_with_warm_starts():
    problem, _ = build("graded")
    threshold, w, n_steps = problem.lambda_max(), None, 0
    for share in np.logspace(-0.1, -5, 15):
        w, certificate, n_iter = prox_newton.solve(problem.with_alpha(share * threshold), start=w)
        n_steps += n_iter
        assert certificate.status == "certified" and certificate.kkt <= 1e-8
    assert n_steps <= 60


def test_the_objective_never_rises():
    problem, steps = build("any grade", 1e-2)[0], []
    prox_newton.solve(problem, start=10 * np.ones(5), callback=steps.append)
    objectives, bounds = np.array([(step.objective, step.lower_bound) for step in steps]).T
    assert np.all(np.diff(objectives) <= 0) and np.all(np.diff(bounds) >= 0)
    assert np.all(bounds <= (1.0 + monitor.BOUND_RTOL) * objectives)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", ["l1", "adaptive-l1", "l2", "log", "mcp"])
def test_more_features_than_a_model_holds(monkeypatch, penalty, kind):
    """A model of few features, and systems that are never formed, end on the same optimum as all of them."""
    random = np.random.default_rng(3)
    X, qid = random.normal(size=(60, 45)), np.repeat(np.arange(4), 15)
    y = np.digitize(X[:, :4].sum(axis=1) + random.normal(size=60), [0.0, 2.0])
    model = RankSVM(penalty, C=RankSVM().C_zero_max(X, y, qid) * 30.0)
    certificate_of_all = model.fit(kind(X), y, qid).certificate_
    monkeypatch.setattr(prox_newton, "WORKING_SET_MIN", 2)
    monkeypatch.setattr(pairwise_loss, "DENSE_HESSIAN_MAX_D", 4)
    certificate_of_few = model.fit(kind(X), y, qid).certificate_
    assert certificate_of_few.status == certificate_of_all.status == "certified"
    assert certificate_of_few.objective == pytest.approx(certificate_of_all.objective, rel=1e-9)


def test_a_matrix_with_rounding_errors_beyond_the_jitter():
    random = np.random.default_rng(0)
    rows = random.normal(size=(4, 9))
    hessian, slope = rows.T @ rows, rows.T @ random.normal(size=4)
    lower_hessian = hessian - 1e-9 * np.diag(np.diagonal(hessian))
    step = -cho_solve(quadratic.factorise_with_jitter(lower_hessian), slope)
    np.testing.assert_allclose(hessian @ step, -slope, atol=1e-6)
    with pytest.raises(np.linalg.LinAlgError):
        quadratic.factorise_with_jitter(-np.eye(2))
