"""RankSVM beyond l1 and ridge: each penalty and solver against the conic solver and brute force."""

import re

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from once import once
from ranking_data import refused
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from test_pairwise import DATA, build, differences, documents

from toprank import FISTA, Exact, RankSVM
from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import fista, monotone_fista, prox_newton, quadratic, reweighted

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


@once
def conic(rows, alpha, penalty):
    w = cp.Variable(rows.shape[1])
    omega = CONVEX[penalty][1](w)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(cp.pos(1 - rows @ w)) + alpha * omega))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("solver", "penalty"),
    # the Newton steps of the plain norms are in test_ranksvm
    [("prox-newton", "weighted-l1"), ("prox-newton", "group"), *(("fista", name) for name in CONVEX)],
)
@pytest.mark.parametrize("share", [0.5, 0.05, 1e-3])
@pytest.mark.parametrize("name", ["graded", "any grade", "a query of one"])
def test_the_convex_optimum_is_that_of_the_pairs(name, penalty, share, solver, kind):
    X, y, qid = DATA[name]
    rows = differences(X, y, qid)
    C = RankSVM(CONVEX[penalty][0]).C_min(X, y, qid) / share
    model = RankSVM(CONVEX[penalty][0], C, solver=solver).fit(kind(X), y, qid)
    certificate = model.certificate_
    assert certificate.status == "certified"
    assert certificate.kkt <= 1e-8 and -1e-13 <= certificate.relative_gap <= 1e-8
    assert certificate.objective == pytest.approx(C * conic(rows, 1 / C, penalty), rel=1e-6)


@pytest.mark.parametrize("penalty", ["weighted-l1", "group"])
def test_c_min_is_where_weights_appear(penalty):
    X, y, qid = DATA["graded"]
    penalty, _ = CONVEX[penalty]
    smallest = RankSVM(penalty).C_min(X, y, qid)
    with pytest.warns(UserWarning, match="choose C larger than"):
        assert not RankSVM(penalty, 0.999 * smallest).fit(X, y, qid).coef_.any()
    assert RankSVM(penalty, 1.01 * smallest).fit(X, y, qid).coef_.any()


@pytest.mark.parametrize("lipschitz", ["exact", "trace"])
@pytest.mark.parametrize("restart", [True, False])
def test_every_kind_of_fista_ends_on_the_same_optimum(lipschitz, restart):
    X, y, qid = DATA["graded"]
    newton = RankSVM(C=1.0).fit(X, y, qid)
    model = RankSVM(C=1.0, solver=FISTA(restart, lipschitz)).fit(X, y, qid)
    assert model.certificate_.status == "certified"
    np.testing.assert_allclose(model.coef_, newton.coef_, atol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_both_constants_bound_the_curvature(kind, monkeypatch):
    problem, rows = build("graded", kind=kind)
    exact = np.linalg.eigvalsh(2 * rows.T @ rows)[-1]
    assert problem.largest_curvature() == pytest.approx(exact)
    assert problem.trace_of_curvature() == pytest.approx(2 * np.sum(rows**2))
    monkeypatch.setattr("toprank.problems.pairwise.DENSE", 2)
    assert exact <= problem.largest_curvature() <= 1.002 * exact


def at_share(name, penalty, share):
    """A problem at this share of the strongest regularisation of the l1 norm."""
    problem, _ = build(name, 1.0, penalty)
    return problem.with_alpha(share * problem.with_penalty(L1()).lambda_max())


@pytest.mark.parametrize("scheme", ["reweighted", "direct"])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 1e-4])
@pytest.mark.parametrize("penalty", CONCAVE)
@pytest.mark.parametrize("name", ["binary", "graded"])
def test_the_objective_never_rises_and_the_end_is_stationary(name, penalty, share, scheme):
    problem = at_share(name, CONCAVE[penalty], share)
    steps = []

    def record(step):
        assert step.lower_bound is None
        assert step.objective == pytest.approx(problem.objective(step.w), rel=1e-12)
        steps.append(step.objective)

    if scheme == "direct":
        w, certificate, _ = monotone_fista.solve(problem, callback=record)
    else:
        solution = reweighted.solve(problem, inner=prox_newton.solve, callback=record)
        w, certificate, n_iter = solution
        assert n_iter == len(steps)
        assert problem.objective(solution.first) >= steps[0] * (1 - 1e-12)
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
    problem = at_share("graded", CONCAVE[penalty], 0.05)

    def residual(w):
        gradient = problem.gradient(problem.loss(problem.X @ w))
        return monotone_fista.prox_residual(problem, w, gradient, problem.largest_curvature())

    w, *_ = reweighted.solve(problem, inner=prox_newton.solve)
    assert w.any() and residual(w) <= 1e-7 and residual(w + 1e-3) > 1e-4
    again, _, n_iter = monotone_fista.solve(problem, tol=1e-6, start=w)
    assert n_iter == 0 and np.array_equal(again, w)


@pytest.mark.parametrize("penalty", CONCAVE)
def test_two_features_by_brute_force(penalty):
    """The better one of both schemes is the global minimum on a grid, for two features."""
    X, y, qid = documents(n=40, d=2, seed=3)
    C = RankSVM().C_min(X, y, qid) / (0.02 if penalty == "log" else 0.2)
    solvers = ("prox-newton", "monotone-fista")
    models = [RankSVM(CONCAVE[penalty], C, solver=solver).fit(X, y, qid) for solver in solvers]
    problem = PairwiseRanking.of(X, y, qid, 1 / C, CONCAVE[penalty])
    axis = np.linspace(-2, 2, 161)  # holds 0
    least = min(problem.objective(np.array([a, b])) for a in axis for b in axis)
    best = min(model.certificate_.objective for model in models)
    assert best <= C * least * (1 + 1e-12) and best == pytest.approx(C * least, rel=1e-2)
    for model in models:
        assert model.certificate_.objective == pytest.approx(C * problem.objective(model.coef_), rel=1e-10)


@pytest.mark.parametrize("penalty", CONCAVE)
def test_fista_inside_the_reweighting(penalty):
    X, y, qid = DATA["graded"]
    C = RankSVM().C_min(X, y, qid) / 0.1
    newton = RankSVM(CONCAVE[penalty], C).fit(X, y, qid)
    gradient = RankSVM(CONCAVE[penalty], C, solver="fista").fit(X, y, qid)
    assert gradient.certificate_.status == "certified"
    np.testing.assert_allclose(gradient.coef_, newton.coef_, atol=1e-6)


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@pytest.mark.parametrize("penalty", [*CONCAVE.values(), "adaptive-l1"], ids=str)
def test_a_warm_start_changes_nothing(penalty):
    X, y, qid = DATA["graded"]
    smallest = RankSVM(penalty).C_min(X, y, qid)
    warm = RankSVM(penalty, warm_start=True)
    for share in (0.9, 0.3, 0.1, 0.02):
        C = smallest / share
        warm.set_params(C=C).fit(X, y, qid)
        cold = RankSVM(penalty, C).fit(X, y, qid)
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-7)


def test_a_weight_of_0_never_comes_back_under_lp():
    problem = at_share("graded", Lp(0.5), 0.3)
    solution = reweighted.solve(problem, inner=prox_newton.solve)
    assert not solution.w[solution.first == 0].any()


def test_with_the_lambda_of_the_objective_mcp_hardly_differs_from_the_l1_norm():
    """L14's Figure 1 has a λ of its own in MCP, and its Table II divides by it; we take 1.

    Were it the λ = 1/C of the objective, which grows with the number of preferences, MCP would bend only at
    weights of γλ, far above any: its table's sparsity could not differ from that of the l1 norm, as it does.
    """
    problem, _ = build("graded")
    problem = problem.with_alpha(0.05 * problem.lambda_max())
    plain, *_ = prox_newton.solve(problem)
    w, *_ = reweighted.solve(problem.with_penalty(MCP(2.0 * problem.alpha)), inner=prox_newton.solve)
    assert np.abs(plain).max() < 0.02 * 2.0 * problem.alpha
    assert np.array_equal(w != 0, plain != 0)
    np.testing.assert_allclose(w, plain, atol=0.02 * np.abs(plain).max())
    w, *_ = reweighted.solve(problem.with_penalty(MCP(0.5)), inner=prox_newton.solve)
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
    one = RankSVM(L1(1 / np.abs(pilot_weights)), C=0.05).fit(X, y, qid)
    other = RankSVM(L1(scale / np.abs(pilot_weights)), C=0.05).fit(X * scale, y, qid)
    np.testing.assert_allclose(other.coef_ * scale, one.coef_, atol=1e-8)
    weights = np.abs(pilot_weights).mean() / np.abs(pilot_weights)
    given = RankSVM(L1(weights), C=0.05).fit(X, y, qid)
    adaptive = RankSVM("adaptive-l1", C=0.05).fit(X, y, qid)
    np.testing.assert_allclose(adaptive.coef_, given.coef_, rtol=0.01)


def test_a_quadratic_with_groups():
    random = np.random.default_rng(0)
    factor = random.normal(size=(4, 9))
    hessian, linear = factor.T @ factor, 3 * factor.T @ random.normal(size=4)
    groups = GroupL2.of([0, 0, 0, 1, 1, 1, 2, 2, 2], 9)
    z = quadratic.minimise_groups(hessian, linear, groups, 0.7, np.zeros(9), 1e-10)
    assert groups.violation(z, hessian @ z + linear, 0.7).max() <= 1e-10 and z.any()
    w = cp.Variable(9)
    value = cp.sum_squares(factor @ w) / 2 + linear @ w + 0.7 * sum(cp.norm(w[i : i + 3]) for i in (0, 3, 6))
    problem = cp.Problem(cp.Minimize(value))
    problem.solve(solver=cp.CLARABEL)
    assert z @ hessian @ z / 2 + linear @ z + 0.7 * groups.value(z) == pytest.approx(problem.value, abs=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a positive number; got 0"),
        ({"tol": -1.0}, "tol must be a positive number"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"penalty": MCP(0)}, "gamma must be a positive number; got 0"),
        ({"penalty": "l0"}, "RankSVM offers l1, l2, adaptive-l1, group, mcp, log, lp, scad"),
        ({"penalty": 3.0}, "RankSVM cannot use 3.0 as its penalty; take one of 'l1', 'l2'"),
        ({"solver": "magic"}, "unknown solver 'magic'; RankSVM offers prox-newton, fista, monotone-fista"),
        ({"solver": Exact()}, "RankSVM cannot use Exact(rows_per_step=None) as its solver"),
        ({"solver": FISTA(lipschitz="half")}, "unknown lipschitz 'half'; FISTA offers exact, trace"),
        ({"penalty": L1([1.0])}, "an entry for each of the 5 features; got shape"),
        ({"penalty": L1([1, 0, 1, 1, 1])}, "weights must be positive"),
        ({"penalty": GroupL2([0, 1])}, "a label for each of the 5 features"),
    ],
)
def test_bad_parameters(parameters, message):
    with refused(re.escape(message)):
        RankSVM(**parameters).fit(*DATA["graded"])


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
