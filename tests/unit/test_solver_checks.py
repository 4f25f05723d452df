"""The verification passes the solvers as they are, and catches wrong ones."""

import dataclasses
import functools
import math
from importlib import import_module

import cached_optima
import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, stack_classes, surrounded_positives, wdbc

import toprank
from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.verification import cvxpy_models
from reproduction.verification.solver_checks import (
    CHECKS,
    EARLY_STOP_ITERATIONS,
    Case,
    make_cases,
    verify_solver,
)
from toprank.certificate import SUCCESS_STATUSES, Certificate
from toprank.problems.dirty_model import DirtyModel
from toprank.problems.top import TopRanking
from toprank.solvers import admm, row_generation, two_block
from toprank.solvers.monitor import Monitor, Solution

SMALL_CASES = {
    "overlap": stack_classes(*gaussians(m=12, n=18)),
    "surrounded": stack_classes(*surrounded_positives(m=10, n=24)),
    "wdbc": stack_classes(*wdbc(m=12, n=16)),
    "counts": stack_classes(*counts(m=14, n=20)),
}


def solver_of(check):
    """The module whose ``solve`` a check runs: of the solver that it names, else of the estimator's first."""
    if not check.estimator:
        return two_block
    named = getattr(toprank, check.estimator.partition(".")[2]).SOLVERS
    return import_module(named[check.params.get("solver", next(iter(named)))].partition(":")[0])


SOLVERS = {name: solver_of(check) for name, check in CHECKS.items()}
FITTED_CHECKS = [name for name, check in CHECKS.items() if check.estimator]
TWO_BLOCKS = [name for name, check in CHECKS.items() if not check.estimator]
#: methods whose bound comes near the optimum of their own problem
TIGHT_CHECKS = [name for name in FITTED_CHECKS if CHECKS[name].quantity != "perturbed"]
LOOSE_CHECKS = {"l1_ranksvm_fista", "fenchelrank", "toppush", "l1_infinite_push_admm"}
LOOSE_CHECKS |= {"admm", "a2dm2", "a2dm2_restart"}


def passes(method, **case):
    return verify_solver(method, CHECKS[method], small_case(**case))["passed"]


def small_case(name="overlap", alpha=0.01, sparse=False):
    X, y = SMALL_CASES[name]
    return Case(name, sp.csr_array(X) if sparse else X, y, alpha)


@pytest.fixture(autouse=True)
def record_solutions(monkeypatch):
    """The conic solver is asked each problem once."""
    for name in (*cached_optima.PROBLEMS, "dirty_model"):
        monkeypatch.setattr(cvxpy_models, name, getattr(cached_optima, name))


@pytest.mark.parametrize("method", CHECKS)
@pytest.mark.parametrize(("name", "sparse"), [("overlap", False), ("surrounded", True), ("counts", True)])
def test_every_solver_passes(method, name, sparse):
    case = small_case(name, sparse=sparse)
    row = verify_solver(method, CHECKS[method], case)
    assert tuple(row) == VERIFICATION_COLUMNS and (row["method"], row["case"]) == (method, name)
    assert row["passed"] is True and row["status"] in SUCCESS_STATUSES
    assert row["relative_gap"] <= row["tolerance"] == CHECKS[method].tolerance
    if CHECKS[method].quantity not in ("perturbed", "two blocks"):
        pairs = np.outer(case.y == 1, case.y == 0).sum()
        at_zero = pairs / case.alpha if CHECKS[method].quantity == "preferences" else 1.0
        relative_gap = abs(row["objective"] - row["reference"]) / max(row["reference"], at_zero)
        assert row["relative_gap"] == pytest.approx(relative_gap)


def test_the_tolerances_are_those_that_were_asked_for():
    for name, check in CHECKS.items():
        relative = 1e-3 if check.quantity == "preferences" else 1.0  # to the objective at 0, a sum over pairs
        assert check.tolerance == pytest.approx(relative * (1e-3 if name in LOOSE_CHECKS else 1e-6))
    for name in LOOSE_CHECKS:
        if CHECKS[name].estimator == "toprank.TopPush":
            assert CHECKS[name].params["tol"] == 1e-8


@functools.cache
def answer(method, **case):
    """What the solver of a method returns on the small case, where it passes."""
    answers, solve = [], SOLVERS[method].solve

    def note_solution(*arguments, **options):
        answers.append(solve(*arguments, **options))
        return answers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SOLVERS[method], "solve", note_solution)
        assert passes(method, **case) is True
    return answers[0]


def tampered(monkeypatch, method, change):
    """Let the solver of a method return what ``change(w, certificate)`` makes of its answer."""
    w, certificate, n_iter = answer(method)
    monkeypatch.setattr(SOLVERS[method], "solve", lambda *_, **__: Solution(*change(w, certificate), n_iter))


@pytest.mark.parametrize("factor", [1.2, 0.8, 0.0])
@pytest.mark.parametrize("method", sorted(set(FITTED_CHECKS) - {"toppush"}))
def test_another_w_is_caught(monkeypatch, method, factor):
    tampered(monkeypatch, method, lambda w, certificate: (factor * w, certificate))
    row = verify_solver(method, CHECKS[method], small_case())
    assert row["passed"] is False and row["relative_gap"] > row["tolerance"]


@pytest.mark.parametrize("method", FITTED_CHECKS)
def test_a_lower_bound_above_the_optimum_is_caught(monkeypatch, method):
    """The objective is right, but the bound lies a little above the optimum."""

    def too_sure(w, certificate):
        optimum = certificate.lower_bound if CHECKS[method].quantity == "dual" else certificate.objective
        little = 1e-2 if method in LOOSE_CHECKS else 1e-5
        return w, dataclasses.replace(certificate, lower_bound=optimum * (1 + little))

    tampered(monkeypatch, method, too_sure)
    assert passes(method) is False


def one_per_cent_above(monkeypatch, method, max_share):
    """Let the solver claim 1 % more than the optimum where it is stopped after so many iterations."""
    solve, optimum = SOLVERS[method].solve, answer(method, alpha=1.0).certificate.lower_bound

    def claim_success(*arguments, **options):
        w, certificate, n_iter = solve(*arguments, **options)
        if options.get("max_iter", 10_000) <= max_share:
            certificate = dataclasses.replace(certificate, lower_bound=1.01 * optimum)
        return Solution(w, certificate, n_iter)

    monkeypatch.setattr(SOLVERS[method], "solve", claim_success)


@pytest.mark.parametrize("method", TIGHT_CHECKS)
def test_a_bound_that_is_too_high_before_the_end_is_caught(monkeypatch, method):
    one_per_cent_above(monkeypatch, method, EARLY_STOP_ITERATIONS[-1])
    row = verify_solver(method, CHECKS[method], small_case(alpha=1.0))
    assert row["passed"] is False and row["relative_gap"] <= row["tolerance"]


@pytest.mark.parametrize("method", TIGHT_CHECKS)
def test_bounds_that_are_all_too_high_are_caught(monkeypatch, method):
    prove = Monitor.update_lower_bound
    monkeypatch.setattr(Monitor, "update_lower_bound", lambda watch, bound: prove(watch, 1.01 * bound))
    assert passes(method, alpha=1.0) is False


def test_duals_that_are_all_too_high_are_caught(monkeypatch):
    dual = DirtyModel.dual
    monkeypatch.setattr(DirtyModel, "dual", lambda *arguments: 1.01 * dual(*arguments))
    assert not any(passes(method, alpha=0.1) for method in TWO_BLOCKS)


def test_an_objective_below_the_reference_is_caught(monkeypatch):
    right = cvxpy_models.top_ranking
    monkeypatch.setattr(cvxpy_models, "top_ranking", lambda *arguments: (1.01 * right(*arguments)[0], None))
    row = verify_solver("exact", CHECKS["exact"], small_case("counts", alpha=0.5))
    assert row["objective"] < row["reference"] and row["passed"] is False


@pytest.mark.parametrize("factor", [1.01, 0.99])
def test_another_dual_value_is_caught(monkeypatch, factor):
    def shift_solution(w, certificate):
        return w, dataclasses.replace(certificate, lower_bound=factor * certificate.lower_bound)

    tampered(monkeypatch, "toppush", shift_solution)
    assert passes("toppush") is False


@pytest.mark.parametrize("method", FITTED_CHECKS)
def test_a_diverged_solver_is_caught(monkeypatch, method):
    def diverged(w, certificate):
        return w, dataclasses.replace(certificate, status="diverged")

    tampered(monkeypatch, method, diverged)
    row = verify_solver(method, CHECKS[method], small_case())
    assert row["passed"] is False and row["status"] == "diverged"


@pytest.mark.parametrize(
    "change",
    [
        lambda result: {"x": 1.1 * result.x},
        lambda result: {"x": 0.0 * result.x},
        lambda result: {"status": "diverged"},
        lambda result: {"multipliers": result.multipliers * math.nan},
    ],
)
@pytest.mark.parametrize("method", TWO_BLOCKS)
def test_wrong_two_blocks_are_caught(monkeypatch, method, change):
    result = answer(method, alpha=0.1)
    wrong = dataclasses.replace(result, **change(result))
    monkeypatch.setattr(two_block, "solve", lambda *_, **__: wrong)
    assert passes(method, alpha=0.1) is False


def test_a_dual_above_the_optimum_is_caught(monkeypatch):
    monkeypatch.setattr(DirtyModel, "dual", lambda model, multipliers: 1e3)
    assert passes(TWO_BLOCKS[0], alpha=0.1) is False


def test_another_objective_is_caught(monkeypatch):
    """An exact solver of another problem: the mean over the negatives instead of their maximum."""

    def return_average(problem, **_):
        mean = np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1)
        return solve(TopRanking(problem.positives, mean, problem.alpha), tol=1e-9)

    solve = row_generation.solve
    monkeypatch.setattr(row_generation, "solve", return_average)
    for name in ("overlap", "wdbc", "counts"):
        row = verify_solver("exact", CHECKS["exact"], small_case(name))
        assert row["passed"] is False and row["objective"] > row["reference"]


def test_an_objective_that_is_wrong_for_solver_and_judge_alike_is_caught(monkeypatch):
    """The reference does not use the project's own objective: a slip there cannot hide."""

    def objective(self, w, scores=None):
        positive_scores, negative_scores = self.scores(w) if scores is None else scores
        hinge = np.maximum(1 + negative_scores.mean() - positive_scores, 0)
        return float(0.5 * self.alpha * (w @ w) + hinge @ hinge / hinge.size)

    monkeypatch.setattr(TopRanking, "objective", objective)
    assert not any(passes(method) for method in ("exact", "toppush_gap", "admm"))


@pytest.mark.parametrize("constant", ["lambda1", "lambda2"])
def test_other_constants_of_the_accelerated_methods_are_caught(monkeypatch, constant):
    """The scores are far from zero, so the intercept, which lambda1 penalises, is large."""
    solve = admm.solve

    def solve_wrongly(problem, method, **options):
        wrong_method = dataclasses.replace(method, **{constant: 2 * getattr(method, constant)})
        return solve(problem, method=wrong_method, **options)

    case = dataclasses.replace(small_case(), X=small_case().X + 3)
    assert verify_solver("a2dm2", CHECKS["a2dm2"], case)["passed"] is True
    monkeypatch.setattr(admm, "solve", solve_wrongly)
    assert verify_solver("a2dm2", CHECKS["a2dm2"], case)["passed"] is False


def test_nan_does_not_pass(monkeypatch):
    nowhere = Certificate(math.nan, "certified", math.nan)
    for method in FITTED_CHECKS:
        with monkeypatch.context() as patch:  # several methods share a solver
            tampered(patch, method, lambda w, certificate: (np.full_like(w, np.nan), nowhere))
            assert passes(method) is False


@pytest.mark.parametrize("method", CHECKS)
def test_a_solver_that_raises_is_a_row(monkeypatch, method):
    def raise_error(*_, **__):
        raise FloatingPointError("the step vanished\nsomewhere")

    monkeypatch.setattr(SOLVERS[method], "solve", raise_error)
    row = verify_solver(method, CHECKS[method], small_case())
    assert tuple(row) == VERIFICATION_COLUMNS and row["passed"] is False
    assert row["status"] == "failed: FloatingPointError: the step vanished"
    assert math.isinf(row["relative_gap"]) and row["tolerance"] == CHECKS[method].tolerance


@pytest.mark.parametrize("method", ["exact", "a2dm2"])
def test_a_conic_solver_that_ends_without_a_value_is_a_row(monkeypatch, method):
    def raise_error(*_, **__):
        raise RuntimeError("the conic solver ended with status 'user_limit'")

    monkeypatch.setattr(cvxpy_models, "top_ranking", raise_error)
    monkeypatch.setattr(cvxpy_models, "perturbed_top_ranking", raise_error)
    row = verify_solver(method, CHECKS[method], small_case())
    assert row["passed"] is False
    assert row["status"] == "failed: RuntimeError: the conic solver ended with status 'user_limit'"


# --- the cases -------------------------------------------------------------------------------------------


def test_cases():
    X, y = stack_classes(*wdbc(m=25, n=35))
    cases = list(make_cases("wdbc", 5 + 3 * X, y, 40, [0.01, 1], 7))
    assert [case.name for case in cases] == ["wdbc (40 x 30), alpha 0.01", "wdbc (40 x 30), alpha 1"]
    assert [case.alpha for case in cases] == [0.01, 1.0]
    for case in cases:
        np.testing.assert_allclose(case.X.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(case.X.std(axis=0), 1)
        assert case.X.shape == (40, 30) and set(case.y) == {0, 1}
    repeated = next(make_cases("wdbc", 5 + 3 * X, y, 40, [0.01], 7))
    assert np.array_equal(repeated.X, cases[0].X) and np.array_equal(repeated.y, cases[0].y)
    assert not np.array_equal(next(make_cases("wdbc", X, y, 40, [0.01], 8)).y, cases[0].y)
    assert next(make_cases("wdbc", X, y, 400, [0.01], 7)).y.size == y.size


@pytest.mark.parametrize(("positives", "negatives"), [(3, 400), (20, 980), (500, 500), (390, 9), (50, 9)])
def test_each_class_has_its_share_of_the_rows_but_a_sixth_of_them_at_least(positives, negatives):
    y = np.repeat([1, 0], [positives, negatives])
    for seed in range(20):
        (case,) = make_cases("many", np.arange(2.0 * y.size).reshape(-1, 2), y, 60, [1.0], seed)
        n_positives = np.count_nonzero(case.y)
        share = round(60 * positives / y.size)
        fewest, largest = min(10, positives), 60 - min(10, negatives)
        assert case.y.size == min(60, y.size) and n_positives == min(max(share, fewest), largest, positives)


def test_sparse_cases_stay_sparse():
    X, y = stack_classes(*counts())
    (case,) = make_cases("counts", sp.csr_array(X), y, 50, [1.0], 7)
    assert sp.issparse(case.X) and case.X.shape == (50, 12)
    assert verify_solver("exact", CHECKS["exact"], case)["passed"] is True
