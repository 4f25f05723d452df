"""The judge has a judge: values of the conic solver against the objectives as numpy states them."""

import cvxpy as cp
import numpy as np
import pytest
from ranking_data import counts, gaussians, raises_one_sentence, surrounded_positives, wdbc
from scipy.optimize import minimize

from reproduction.verification import cvxpy_models
from toprank.problems.top import TopRanking

PROBLEMS = {"overlap": gaussians(), "surrounded": surrounded_positives(), "counts": counts(), "wdbc": wdbc()}


def perturbed_by_hand(w, a, positives, negatives, alpha, lambda1, lambda2):
    """K15 eq. (13) at (w, a); infinite where s <= 0 fails."""
    b, s = a - positives @ w, negatives @ w - a
    if s.max() > 1e-12:
        return np.inf
    ridge = alpha / 2 * w @ w + lambda1 / 2 * a**2 + lambda2 / 2 * (s @ s + b @ b)
    return ridge + np.mean(np.maximum(1 + b, 0) ** 2)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_top_ranking_is_a_minimum(name, alpha):
    problem = TopRanking(*PROBLEMS[name], alpha)
    value, w = cvxpy_models.top_ranking(*PROBLEMS[name], alpha)
    assert problem.objective(w) == pytest.approx(value, rel=1e-7)
    random = np.random.default_rng(0)
    for size in (1e-3, 1e-1):
        for _ in range(20):
            assert problem.objective(w + size * random.normal(size=w.size)) >= value * (1 - 1e-9)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("alpha", "lambda1", "lambda2"), [(1e-2, 0.01, 0.01), (1.0, 0.3, 0.02)])
def test_perturbed_top_ranking_is_a_minimum(name, alpha, lambda1, lambda2):
    parameters = (*PROBLEMS[name], alpha, lambda1, lambda2)
    value, w = cvxpy_models.perturbed_top_ranking(*parameters)
    assert cvxpy_models.perturbed_objective(w, *parameters) == pytest.approx(value, rel=1e-7)
    random = np.random.default_rng(0)
    for _ in range(20):
        neighbour = w + 0.01 * random.normal(size=w.size)
        assert cvxpy_models.perturbed_objective(neighbour, *parameters) >= value * (1 - 1e-9)


POINTS = {
    "zero": (gaussians(), np.zeros(4)),
    "anywhere": (gaussians(), np.array([0.3, -1.0, 0.5, 0.1])),
    "far up": (gaussians(), np.full(4, 30.0)),
    "upside down": (gaussians(), np.full(4, -3.0)),
    "well apart": (gaussians(shift=9.0), np.full(4, 0.5)),
    "far apart": (gaussians(shift=9.0), np.full(4, 50.0)),
}


def evaluate_by_brute_force(positives, negatives, w, lambdas):
    """K15 eq. (13) at w: at the bound a = max q, and at the best a above it."""
    top = (negatives @ w).max()

    def evaluate_above(u):
        return perturbed_by_hand(w, top + u[0] ** 2, positives, negatives, 0.1, *lambdas)

    options = {"xatol": 1e-9, "fatol": 1e-15, "maxiter": 2000}
    return evaluate_above([0.0]), minimize(evaluate_above, [1.0], method="Nelder-Mead", options=options).fun


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("lambdas", [(0.01, 0.01), (5.0, 1e-3)])
def test_the_intercept_is_minimised_out(point, lambdas):
    parts, w = POINTS[point]
    value = cvxpy_models.perturbed_objective(w, *parts, 0.1, *lambdas)
    assert value == pytest.approx(min(evaluate_by_brute_force(*parts, w, lambdas)), rel=1e-8)


def test_the_intercept_lies_now_at_its_bound_and_now_above():
    values = {point: evaluate_by_brute_force(*parts, w, (0.01, 0.01)) for point, (parts, w) in POINTS.items()}
    points_above = {point for point, (at_bound, best) in values.items() if at_bound > best * (1 + 1e-6)}
    assert points_above == {"well apart", "far apart"}


def test_the_perturbation_vanishes_with_its_weights():
    problem = (*PROBLEMS["overlap"], 0.1)
    value, _ = cvxpy_models.top_ranking(*problem)
    perturbed = [
        cvxpy_models.perturbed_top_ranking(*problem, weight, weight)[0] for weight in (1e-2, 1e-4, 1e-6)
    ]
    assert perturbed[0] > perturbed[1] > perturbed[2] > value
    assert perturbed[2] == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("status", ["infeasible", "unbounded"])
def test_no_reference_is_no_silent_one(status):
    x = cp.Variable()
    constraints = [x >= 1, x <= 0] if status == "infeasible" else []
    with raises_one_sentence(f"the conic solver ended with status '{status}'", RuntimeError):
        cvxpy_models._solve(cp.Problem(cp.Minimize(x), constraints))


def test_a_tolerance_that_cannot_be_met_is_relaxed_and_no_further_than_is_said():
    class Problem:
        """What CVXPY offers of a problem, ending well at a loose tolerance only."""

        value, status, tried = 1.0, "optimal_inaccurate", ()

        def solve(self, tol_gap_rel, **_):
            self.tried = (*self.tried, tol_gap_rel)
            if tol_gap_rel == 1e-12:
                raise cp.error.SolverError("numerical trouble")
            self.status = cp.OPTIMAL if tol_gap_rel >= self.enough else "optimal_inaccurate"

    problem = Problem()
    problem.enough = 1e-9
    assert cvxpy_models._solve(problem) == 1.0 and problem.tried == (1e-12, 1e-10, 1e-9)
    problem = Problem()
    problem.enough = 1e-3
    with pytest.raises(RuntimeError, match="'optimal_inaccurate' at a tolerance of 1e-9: no reference value"):
        cvxpy_models._solve(problem)
