"""RankSVM beyond l1 and ridge: each penalty and solver against the conic solver and brute force."""

import re

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from once import once
from ranking_data import ONE_SENTENCE
from test_pairwise import DATA, build, differences, documents

from toprank import RankSVM
from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp
from toprank.solvers import fista, prox_newton, quadratic, reweighted

CONCAVE = {"mcp": MCP(0.5), "log": Log(0.1), "lp": Lp(0.5), "scad": SCAD(1.5)}
OPTIONS = {"mcp": {"gamma": 0.5}, "log": {}, "lp": {}, "scad": {"gamma": 1.5}}
GROUPS = [0, 0, 1, 2, 2]
WEIGHTS = np.array([0.5, 2.0, 1.0, np.inf, 0.1])


def weighted_norm(w):
    free = np.flatnonzero(np.isfinite(WEIGHTS))
    # a banned feature is as good as one of an enormous weight
    return cp.norm1(cp.multiply(WEIGHTS[free], w[free])) + 1e4 * cp.norm1(
        w[np.flatnonzero(np.isinf(WEIGHTS))]
    )


CONVEX = {
    "weighted-l1": ({"weights": WEIGHTS}, weighted_norm),
    "group": ({"groups": GROUPS}, lambda w: cp.norm(w[:2]) + cp.norm(w[2:3]) + cp.norm(w[3:])),
    "l1": ({}, cp.norm1),
    "l2": ({}, lambda w: cp.sum_squares(w) / 2),
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
    options, _ = CONVEX[penalty]
    C = RankSVM(penalty, **options).C_min(X, y, qid) / share
    model = RankSVM(penalty, C, solver=solver, **options).fit(kind(X), y, qid)
    certificate = model.certificate_
    assert certificate.status == "optimal"
    assert certificate.kkt <= 1e-8 and -1e-13 <= certificate.relative_gap <= 1e-8
    assert certificate.objective == pytest.approx(C * conic(rows, 1 / C, penalty), rel=1e-6)


@pytest.mark.parametrize("penalty", ["weighted-l1", "group"])
def test_c_min_is_where_weights_appear(penalty):
    X, y, qid = DATA["graded"]
    options = CONVEX[penalty][0]
    smallest = RankSVM(penalty, **options).C_min(X, y, qid)
    with pytest.warns(UserWarning, match="choose C larger than"):
        assert not RankSVM(penalty, 0.999 * smallest, **options).fit(X, y, qid).coef_.any()
    assert RankSVM(penalty, 1.01 * smallest, **options).fit(X, y, qid).coef_.any()


def test_unit_weights_and_single_groups_are_the_l1_norm():
    X, y, qid = DATA["graded"]
    plain = RankSVM(C=0.1).fit(X, y, qid).coef_
    np.testing.assert_allclose(RankSVM("weighted-l1", 0.1, weights=np.ones(5)).fit(X, y, qid).coef_, plain)
    np.testing.assert_allclose(RankSVM("group", 0.1, groups=range(5)).fit(X, y, qid).coef_, plain, atol=1e-9)


@pytest.mark.parametrize("lipschitz", ["exact", "trace"])
@pytest.mark.parametrize("restart", [True, False])
def test_every_kind_of_fista_ends_on_the_same_optimum(lipschitz, restart):
    X, y, qid = DATA["graded"]
    newton = RankSVM(C=1.0).fit(X, y, qid)
    model = RankSVM(C=1.0, solver="fista", lipschitz=lipschitz, restart=restart).fit(X, y, qid)
    assert model.certificate_.status == "optimal"
    np.testing.assert_allclose(model.coef_, newton.coef_, atol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_both_constants_bound_the_curvature(kind, monkeypatch):
    problem, rows = build("graded", kind=kind)
    exact = np.linalg.eigvalsh(2 * rows.T @ rows)[-1]
    assert problem.largest_curvature() == pytest.approx(exact)
    assert problem.trace_of_curvature() == pytest.approx(2 * np.sum(rows**2))
    monkeypatch.setattr("toprank.problems.pairwise.DENSE", 2)
    assert exact <= problem.largest_curvature() <= 1.002 * exact


def test_too_little_fista():
    X, y, qid = DATA["graded"]
    model = RankSVM(C=100.0, solver="fista", max_iter=3).fit(X, y, qid)
    assert model.certificate_.status == "max_iterations" and model.certificate_.gap > 0
    model = RankSVM(C=100.0, solver="fista", tol=1e-15, time_limit=1e-9).fit(X, y, qid)
    assert model.certificate_.status == "time_limit"


@pytest.mark.parametrize("scheme", ["reweighted", "direct"])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 1e-4])
@pytest.mark.parametrize("penalty", CONCAVE)
@pytest.mark.parametrize("name", ["binary", "graded"])
def test_the_objective_never_rises_and_the_end_is_stationary(name, penalty, share, scheme):
    problem, _ = build(name, 1.0, CONCAVE[penalty])
    problem = problem.with_alpha(share * problem.with_penalty(L1()).lambda_max())
    steps = []

    def record(iteration, w, objective, bound):
        assert bound is None and objective == pytest.approx(problem.objective(w), rel=1e-12)
        steps.append(objective)

    if scheme == "direct":
        w, certificate, _ = fista.solve_direct(problem, callback=record)
    else:
        w, certificate, n_iter, convex = reweighted.solve(problem, prox_newton.solve, callback=record)
        assert n_iter == len(steps)
        assert problem.objective(convex) == pytest.approx(steps[0])
    assert certificate.status == "optimal" and certificate.kkt <= 1e-7
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
    problem, _ = build("graded", 1.0, CONCAVE[penalty])
    problem = problem.with_alpha(0.05 * problem.with_penalty(L1()).lambda_max())
    w, *_ = reweighted.solve(problem, prox_newton.solve)
    gradient = problem.gradient(problem.loss(problem.X @ w))
    assert w.any() and fista.prox_residual(problem, w, gradient, problem.largest_curvature()) <= 1e-7
    again, _, n_iter = fista.solve_direct(problem, tol=1e-6, w0=w)
    assert n_iter == 0 and np.array_equal(again, w)
    moved = w + 1e-3
    gradient = problem.gradient(problem.loss(problem.X @ moved))
    assert fista.prox_residual(problem, moved, gradient, problem.largest_curvature()) > 1e-4


@pytest.mark.parametrize("penalty", CONCAVE)
def test_two_features_by_brute_force(penalty):
    """The better one of both schemes is the global minimum on a grid, for two features."""
    X, y, qid = documents(n=40, d=2, seed=3)
    problem = build("graded", 1.0, CONCAVE[penalty])[0]
    C = RankSVM().C_min(X, y, qid) / (0.02 if penalty == "log" else 0.2)
    options = OPTIONS[penalty]
    models = [
        RankSVM(penalty, C, **options).fit(X, y, qid),
        RankSVM(penalty, C, solver="fista", scheme="direct", **options).fit(X, y, qid),
    ]
    problem = type(problem).of(X, y, qid, 1 / C, CONCAVE[penalty])
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
    newton = RankSVM(penalty, C, **OPTIONS[penalty]).fit(X, y, qid)
    gradient = RankSVM(penalty, C, solver="fista", **OPTIONS[penalty]).fit(X, y, qid)
    assert gradient.certificate_.status == "optimal"
    np.testing.assert_allclose(gradient.coef_, newton.coef_, atol=1e-6)


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@pytest.mark.parametrize("penalty", [*CONCAVE, "weighted-l1"])
def test_a_warm_start_changes_nothing(penalty):
    X, y, qid = DATA["graded"]
    options = OPTIONS.get(penalty, {"weights": "adaptive"})
    smallest = RankSVM(penalty, **options).C_min(X, y, qid)
    warm = RankSVM(penalty, warm_start=True, **options)
    for share in (0.9, 0.3, 0.1, 0.02):
        C = smallest / share
        warm.set_params(C=C).fit(X, y, qid)
        cold = RankSVM(penalty, C, **options).fit(X, y, qid)
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-7)


def test_a_weight_of_0_never_comes_back_under_lp():
    problem, _ = build("graded", 1.0, Lp(0.5))
    problem = problem.with_alpha(0.3 * problem.with_penalty(L1()).lambda_max())
    w, _, _, convex = reweighted.solve(problem, prox_newton.solve)
    assert not w[convex == 0].any()


def test_with_the_lambda_of_the_objective_mcp_hardly_differs_from_the_l1_norm():
    """L14's Figure 1 has a λ of its own in MCP, and its Table II divides by it; we take 1.

    Were it the λ = 1/C of the objective, which grows with the number of preferences, MCP would bend only at
    weights of γλ, far above any: its table's sparsity could not differ from that of the l1 norm, as it does.
    """
    problem, _ = build("graded")
    problem = problem.with_alpha(0.05 * problem.lambda_max())
    plain, *_ = prox_newton.solve(problem)
    w, *_ = reweighted.solve(problem.with_penalty(MCP(2.0 * problem.alpha)), prox_newton.solve)
    assert np.abs(plain).max() < 0.02 * 2.0 * problem.alpha
    assert np.array_equal(w != 0, plain != 0)
    np.testing.assert_allclose(w, plain, atol=0.02 * np.abs(plain).max())
    w, *_ = reweighted.solve(problem.with_penalty(MCP(0.5)), prox_newton.solve)
    assert np.abs(w - plain).max() > 0.05 * np.abs(plain).max()


def test_little_time_for_the_reweighting():
    X, y, qid = DATA["graded"]
    model = RankSVM("log", C=1.0, time_limit=1e-9).fit(X, y, qid)
    assert model.certificate_.status == "time_limit"
    model = RankSVM("log", C=1.0, max_iter=1).fit(X, y, qid)
    assert model.certificate_.status == "max_iterations" and model.n_iter_ == 1


def test_adaptive_weights_follow_the_units_of_the_features():
    """Scaling a feature scales its pilot and its weight: the model stays the same."""
    X, y, qid = DATA["graded"]
    scale = np.array([1.0, 10.0, 0.1, 3.0, 0.5])
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    pilot = RankSVM("weighted-l1", C=0.05, weights="adaptive").fit(constant, y, qid)
    assert pilot.coef_[-1] == 0 and pilot.coef_.any() and pilot.certificate_.status == "optimal"
    # with hardly any ridge in the pilot its units do not matter
    rows = differences(X, y, qid)
    pilot_weights = np.linalg.lstsq(rows, np.ones(len(rows)))[0]
    one = RankSVM("weighted-l1", C=0.05, weights=1 / np.abs(pilot_weights)).fit(X, y, qid)
    other = RankSVM("weighted-l1", C=0.05, weights=scale / np.abs(pilot_weights)).fit(X * scale, y, qid)
    np.testing.assert_allclose(other.coef_ * scale, one.coef_, atol=1e-8)
    weights = np.abs(pilot_weights).mean() / np.abs(pilot_weights)
    given = RankSVM("weighted-l1", C=0.05, weights=weights).fit(X, y, qid)
    adaptive = RankSVM("weighted-l1", C=0.05, weights="adaptive").fit(X, y, qid)
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
        ({"penalty": "mcp", "gamma": 0}, "gamma must be a positive number; got 0"),
        ({"penalty": "log", "epsilon": 0}, "epsilon must be a positive number; got 0"),
        ({"penalty": "lp", "p": 1.0}, "p must lie strictly between 0 and 1; got 1.0"),
        ({"penalty": "scad", "gamma": 1.0}, "gamma must be above 1 for penalty 'scad'; got 1.0"),
        ({"penalty": "mcp", "scheme": "direct"}, "needs solver 'fista'; got 'prox-newton'"),
        ({"penalty": "mcp", "scheme": "magic"}, "unknown scheme 'magic'; RankSVM offers reweighted, direct"),
        ({"solver": "magic"}, "unknown solver 'magic'; RankSVM offers prox-newton, fista"),
        ({"lipschitz": "half"}, "unknown lipschitz 'half'"),
        ({"penalty": "weighted-l1"}, "one number, one for each feature, or 'adaptive'; got None"),
        ({"penalty": "weighted-l1", "weights": "some"}, "unknown weights 'some'"),
        ({"penalty": "weighted-l1", "weights": [1.0]}, "one for each of the 5 features; got shape"),
        ({"penalty": "weighted-l1", "weights": [1, 0, 1, 1, 1]}, "weights must be positive"),
        ({"penalty": "group"}, "penalty 'group' needs groups"),
        ({"penalty": "group", "groups": [0, 1]}, "a label for each of the 5 features"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        RankSVM(**parameters).fit(*DATA["graded"])
    assert re.match(ONE_SENTENCE, str(caught.value))


def test_a_solver_says_what_it_lacks():
    problem, _ = build("graded", 1.0, MCP())
    for solver in (prox_newton, fista):
        with pytest.raises(ValueError, match="needs a convex penalty"):
            solver.solve(problem)
