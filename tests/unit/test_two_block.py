"""ADMM and A2DM2 for any two blocks: against CVXPY, closed forms, Theorem 1 and the fused ranking sweep."""

import math

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from memoize import memoize
from ranking_data import counts, gaussians, surrounded_positives, to_format
from scipy.sparse.linalg import aslinearoperator
from two_block_problems import VARIANTS, soft_threshold

from toprank import AdaptiveTau, Restart, TwoBlock, solve_two_block
from toprank.problems.top import TopRanking
from toprank.problems.two_block import from_prox
from toprank.solvers import admm


def quadratic(random, matrix, smallest=0.5):
    """P, r and the smallest eigenvalue of a random ½v'Pv + r'v, its minimiser beside a matrix, its value."""
    n = matrix.shape[1]
    root, r = random.normal(size=(n, n)), random.normal(size=n)
    P, gram = root @ root.T / n + smallest * np.eye(n), matrix.T @ matrix
    minimise, value = lambda q, tau: np.linalg.solve(P + tau * gram, q - r), lambda v: 0.5 * v @ P @ v + r @ v
    return P, r, np.linalg.eigvalsh(P)[0], minimise, value


def quadratics(random, m, n1, n2, kind=np.asarray, smallest=0.5):
    """Two definite quadratics with a feasible constraint, and P, r, Q, s of the two."""
    A, B = random.normal(size=(m, n1)), random.normal(size=(m, n2))
    c = A @ random.normal(size=n1) + B @ random.normal(size=n2)
    P, r, convex_x, minimise_x, value_x = quadratic(random, A, smallest)
    Q, s, convex_y, minimise_y, value_y = quadratic(random, B, smallest)
    problem = TwoBlock(minimise_x, minimise_y, kind(A), kind(B), c, (convex_x, convex_y), value_x, value_y)
    return problem, A, B, (P, r, Q, s)


def constrained_quadratics(kind=np.asarray):
    """A constraint in which neither matrix is square nor the identity."""
    problem, A, B, (P, r, Q, s) = quadratics(np.random.default_rng(1), 4, 6, 5, kind)
    x, y = cp.Variable(6), cp.Variable(5)
    cost = cp.quad_form(x, P) / 2 + r @ x + cp.quad_form(y, Q) / 2 + s @ y
    return problem, cp.Problem(cp.Minimize(cost), [A @ x + B @ y == problem.c]), x


def least_squares_and_l1(ridge, m=30, n=12):
    """½‖Dx − d‖² + (ridge/2)‖y‖² + 3‖y‖₁ with x = y: the lasso, and the elastic net."""
    random = np.random.default_rng(0)
    D, d = random.normal(size=(m, n)), 3 * random.normal(size=m)
    problem = TwoBlock(
        lambda q, tau: np.linalg.solve(D.T @ D + tau * np.eye(n), q + D.T @ d),
        from_prox(lambda v, step: soft_threshold(v, 3.0 * step), ridge),
        A=-np.eye(n),
        strong_convexity=(np.linalg.eigvalsh(D.T @ D)[0], ridge),
        value_x=lambda x: 0.5 * np.sum((D @ x - d) ** 2),
        value_y=lambda y: 3.0 * np.abs(y).sum() + 0.5 * ridge * y @ y,
    )
    x = cp.Variable(n)
    cost = cp.sum_squares(D @ x - d) / 2 + 3 * cp.norm1(x) + ridge / 2 * cp.sum_squares(x)
    return problem, cp.Problem(cp.Minimize(cost)), x


@memoize
def solve_problem(make, *arguments):
    """The problem of `make` with its value and its point by the conic solver."""
    problem, reference, x = make(*arguments)
    reference.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return problem, reference.value, x.value


# --- peers --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "make_case",
    [
        (least_squares_and_l1, 2.0),
        (constrained_quadratics,),
        (constrained_quadratics, sp.csr_array),
        (constrained_quadratics, aslinearoperator),
    ],
    ids=["elastic net", "general B", "sparse", "operator"],
)
def test_it_reaches_the_conic_solver(make_case, variant):
    problem, value, best = solve_problem(*make_case)
    result = solve_two_block(problem, variant, tol=1e-10, max_iter=20_000)
    assert result.status == "stopped"
    np.testing.assert_allclose(result.x[: best.size], best, atol=1e-6)
    assert problem.objective(result.x, result.y) == pytest.approx(value, rel=1e-7, abs=1e-7)
    assert problem.dual(result.multipliers) == pytest.approx(value, rel=1e-7, abs=1e-7)
    residual = np.linalg.norm(problem.residual(result.x, result.y))
    assert result.primal_residual == pytest.approx(residual, abs=1e-12)
    assert result.step.holds and result.step.tau == pytest.approx(result.step.largest_tau)


@pytest.mark.parametrize("tau", [5.0, AdaptiveTau(5.0)])
def test_admm_solves_the_lasso_which_is_not_strongly_convex(tau):
    problem, _, best = solve_problem(least_squares_and_l1, 0.0)
    result = solve_two_block(problem, "admm", tau=tau, tol=1e-9, max_iter=5000)
    assert result.status == "stopped"
    np.testing.assert_allclose(result.y, best, atol=1e-6)
    assert (result.y[np.abs(best) < 1e-6] == 0).all() and (np.abs(best) < 1e-6).any()
    assert not result.step.holds and "sigma_y (of f2) is 0" in str(result.step)


# --- Theorem 1 ----------------------------------------------------------------------------------------------
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), *[st.integers(1, 5)] * 3, st.floats(0.01, 1.0))
def test_theorem_1(seed, m, n1, n2, share):
    """(4) holds for random strongly convex quadratics, all k and every step within the condition."""
    random = np.random.default_rng(seed)
    problem, A, B, (P, r, Q, s) = quadratics(random, m, n1, n2, smallest=0.01)
    c, convexity = problem.c, problem.strong_convexity

    def closed_form(multipliers):
        u, v = A.T @ multipliers - r, B.T @ multipliers - s
        return multipliers @ c - u @ np.linalg.solve(P, u) / 2 - v @ np.linalg.solve(Q, v) / 2

    # the dual is quadratic: −½λ'Hλ + g'λ + constant
    H = A @ np.linalg.solve(P, A.T) + B @ np.linalg.solve(Q, B.T)
    best = np.linalg.lstsq(H, c + A @ np.linalg.solve(P, r) + B @ np.linalg.solve(Q, s), rcond=None)[0]
    largest = closed_form(best)
    tau = share * problem.step_condition(1.0).largest_tau
    start, steps = np.zeros(m), []
    options = {"tau": tau, "tol": 1e-300, "max_iter": 60}
    options["start"] = (problem.minimise_y(B.T @ start, 0.0), start)
    assert solve_two_block(problem, **options, callback=steps.append).step.holds
    norms = np.linalg.norm(A.T @ A, 2) * np.linalg.norm(B.T @ B, 2) ** 2
    cube = convexity[0] * convexity[1] ** 2 / norms
    assert problem.step_condition(1.0).largest_tau ** 3 == pytest.approx(cube)
    rounding = 1e-9 * (1 + abs(largest))
    for k, step_multipliers in enumerate(
        step.multipliers for step in steps
    ):  # k counts from 0, as in Algorithm 2
        gap = largest - closed_form(step_multipliers)
        assert gap <= 2 * np.sum((start - best) ** 2) / (tau * (k + 2) ** 2) + rounding
        assert problem.dual(step_multipliers) == pytest.approx(
            closed_form(step_multipliers), rel=1e-8, abs=1e-8
        )
        assert gap >= -rounding  # D <= D* = F*


def test_a_step_beyond_the_condition_is_taken_and_told():
    problem, *_ = constrained_quadratics()
    largest = problem.step_condition(1.0).largest_tau
    assert problem.step_condition(largest).holds and not problem.step_condition(1.01 * largest).holds
    result = solve_two_block(problem, tau=1.2 * largest, max_iter=3)
    assert result.n_iter == 3 and not result.step.holds
    assert str(result.step).startswith(f"tau={1.2 * largest:.4g} exceeds the largest step of Theorem 1")
    assert "\n" not in str(result.step)


def test_what_overflows_has_diverged():
    """An overflow in a callback gives the status 'diverged' and raises no error."""
    problem = admm.two_block(TopRanking(*gaussians(m=128, n=259, d=3), 0.05))
    result = solve_two_block(problem, tau=0.1, max_iter=5000)
    assert result.status == "diverged" and result.n_iter < 5000 and not result.step.holds
    assert len(result.trace["iteration"]) == result.n_iter - 1 and result.primal_residual == math.inf


# --- the ranking problem ------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("rho", [1e-2, 0.5])
@pytest.mark.parametrize(
    ("positives", "negatives"),
    [gaussians(), counts(), surrounded_positives()],
    ids=["overlap", "counts", "surrounded"],
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_fused_sweep_is_an_instance(variant, positives, negatives, rho, kind):
    problem = TopRanking(*to_format(kind, positives, negatives), 0.05)
    lambdas = (0.0, 0.0) if variant == "admm" else (0.02, 0.03)
    fused, general = [], []
    options = {"tol": 1e-300, "max_iter": 40}
    added = {} if variant == "admm" else {"lambda1": lambdas[0], "lambda2": lambdas[1]}
    method = admm.METHODS[variant](rho=rho, **added)
    admm.solve(problem, method=method, **options, callback=fused.append)
    solve_two_block(admm.two_block(problem, *lambdas), variant, rho, **options, callback=general.append)
    fused = np.array([[*step.w, step.primal, step.dual] for step in fused])
    general = [[*step.w[:-1], step.primal, step.dual] for step in general]
    np.testing.assert_allclose(general, fused, rtol=1e-7, atol=1e-10 * max(1.0, np.abs(fused).max()))


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_the_step_of_the_ranking_problem(kind):
    problem = TopRanking(*to_format(kind, *counts()), 0.005)
    condition = admm.step_condition(problem, 0.1, 0.01, 0.02)
    general = admm.two_block(problem, 0.01, 0.02).step_condition(1)
    assert condition.largest_tau == pytest.approx(general.largest_tau)
    assert (condition.tau, condition.sigma_x, condition.sigma_y) == (0.1, 0.005, 0.02)


# --- options ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_trace_is_what_the_callback_saw(variant):
    problem, *_ = constrained_quadratics()
    steps = []
    result = solve_two_block(problem, variant, tol=1e-8, max_iter=3000, callback=steps.append)
    steps = [(step.iteration, step.primal, step.dual, step.seconds) for step in steps]
    columns = ("iteration", "primal_residual", "dual_residual", "seconds")
    np.testing.assert_array_equal(np.array(steps).T, [result.trace[name] for name in columns])
    assert result.n_iter == len(steps) and (np.diff(result.trace["seconds"]) > 0).all()
    restarts = result.trace["restarted"]
    assert restarts.any() == (variant == "a2dm2-restart") and (result.trace["tau"] == result.step.tau).all()


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
def test_both_residuals_are_small_at_the_end(tol):
    problem, *_ = constrained_quadratics()
    result = solve_two_block(problem, tol=tol, max_iter=20_000)
    A, B = problem.A, problem.B
    scale = max(np.linalg.norm(v) for v in (A @ result.x, B @ result.y, problem.c))
    assert result.primal_residual <= tol * (2 + scale)
    assert result.dual_residual <= tol * (math.sqrt(6) + np.linalg.norm(A.T @ result.multipliers))
    # it is the distance of A'λ from the gradient of f₁, P(x − argmin f₁)
    lowest = problem.minimise_x(np.zeros(6), 0.0)
    inverse = np.array([problem.minimise_x(e, 0.0) - lowest for e in np.eye(6)])
    gradient = np.linalg.solve(inverse, result.x - lowest)
    distance = np.linalg.norm(gradient - A.T @ result.multipliers)
    assert result.dual_residual == pytest.approx(distance, rel=1e-6, abs=1e-12)
    assert result.status == "stopped"


def test_a_penalty_far_off_is_balanced():
    problem, _, best = solve_problem(least_squares_and_l1, 2.0)
    for tau in (1e-3, 1e5):
        fixed = solve_two_block(problem, "admm", tau=tau, max_iter=4000)
        adapted = solve_two_block(problem, "admm", tau=AdaptiveTau(tau), max_iter=4000)
        assert adapted.status == "stopped" and 5 * adapted.n_iter < fixed.n_iter
        np.testing.assert_allclose(adapted.x, best, atol=1e-4)
        assert adapted.trace["tau"][0] == tau
        steps = adapted.trace["tau"][1:] / adapted.trace["tau"][:-1]
        changed = np.flatnonzero(steps != 1.0)
        assert np.isin(steps[changed], (0.5, 2.0)).all()
        assert (adapted.trace["iteration"][changed] % 10 == 0).all()
        assert adapted.trace["restarted"][changed].all()


@pytest.mark.parametrize("tau", [1e-3, 1e3])
def test_a_restart_compares_residuals_of_one_tau(tau):
    """K15 eq. (9) with the tau of each iteration; after another tau the first residual has none before it."""
    problem, *_ = least_squares_and_l1(2.0)
    result = solve_two_block(problem, "a2dm2-restart", tau=AdaptiveTau(tau), max_iter=400, tol=1e-12)
    taus, restarted = result.trace["tau"], result.trace["restarted"]
    changed = np.flatnonzero(taus[1:] != taus[:-1])
    assert changed.size >= 2 and restarted[changed].all() and not restarted[changed + 1].any()


@pytest.mark.parametrize("eta", [0.3, 0.8, 0.99])
def test_the_momentum_restarts_where_the_residual_has_not_fallen(eta):
    """K15 eq. (9), computed from the trace: here A'B is the identity but for its sign."""
    problem, *_ = least_squares_and_l1(2.0)
    trace = solve_two_block(problem, Restart(eta), tau=0.5, max_iter=60, tol=1e-12).trace
    combined = trace["tau"] * trace["primal_residual"] ** 2 + trace["dual_residual"] ** 2 / trace["tau"]
    np.testing.assert_array_equal(trace["restarted"][1:], combined[1:] > eta * combined[:-1])
    assert 0 < trace["restarted"].sum() < 60


def test_acceleration_never_balances_beyond_the_condition():
    problem, *_ = least_squares_and_l1(2.0)
    largest = problem.step_condition(1.0).largest_tau
    result = solve_two_block(problem, tau=AdaptiveTau(1e-4), max_iter=4000)
    assert result.trace["tau"].max() <= largest and result.step.holds and result.step.tau > 1e-4


def test_too_little_time_a_warm_start_and_a_callback_that_has_enough():
    problem, *_ = constrained_quadratics()
    assert solve_two_block(problem, time_limit=1e-9).status == "time_limit"
    enough = solve_two_block(problem, callback=lambda step: step.iteration == 7)
    assert (enough.status, enough.n_iter) == ("stopped", 7)
    solution = solve_two_block(problem, tol=1e-9, max_iter=20_000)
    warm_solution = solve_two_block(problem, tol=1e-8, start=(solution.y, solution.multipliers))
    assert warm_solution.status == "stopped" and warm_solution.n_iter <= 2 < solution.n_iter


def test_a_callback_may_use_its_array_again():
    problem, *_ = constrained_quadratics()
    buffer = np.empty(5)

    def reused(q, tau):
        buffer[:] = problem.minimise_y(q, tau)
        return buffer

    other = TwoBlock(problem.minimise_x, reused, problem.A, problem.B, problem.c, problem.strong_convexity)
    np.testing.assert_array_equal(solve_two_block(other).x, solve_two_block(problem).x)
