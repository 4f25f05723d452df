"""Input that the two-block solvers refuse, and problems at the edge of their conditions."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import gaussians, raises_one_sentence
from scipy.sparse.linalg import aslinearoperator
from two_block_problems import VARIANTS, soft_threshold

from toprank import AdaptiveTau, Restart, TwoBlock, solve_two_block
from toprank.problems.top import TopRanking
from toprank.problems.two_block import from_prox
from toprank.solvers import admm


# --- bad input ----------------------------------------------------------------------------------------------
def minimise_zero(q, tau):
    return np.zeros(3)


def make_problem(convexity=(1.0, 1.0), A=None, minimise_x=minimise_zero, minimise_y=minimise_zero, **options):
    A = np.eye(3) if A is None else A
    return TwoBlock(minimise_x, minimise_y, A, strong_convexity=convexity, **options)


DEPENDENT = np.outer(np.arange(1.0, 5.0), [1.0, 2.0, 3.0])


NO_STEPS = (0.0, -1.0, math.inf, math.nan)


def solve(problem=None, variant="a2dm2", **options):
    return solve_two_block(problem or make_problem(), variant, **options)


def solve_fused(variant="admm", **options):
    return admm.solve(TopRanking(*gaussians(), 0.1), method=admm.METHODS[variant](**options))


REFUSED_PROBLEMS = [
    (solve, {"problem": TopRanking(*gaussians(), 0.1)}, "the problem must be a TwoBlock; got TopRanking"),
    *((solve, {"tau": tau}, "tau must be a positive, finite number; got") for tau in NO_STEPS),
    *((solve, {"tau": AdaptiveTau(tau)}, "tau must be a positive, finite number; got") for tau in NO_STEPS),
    *((solve_fused, {"rho": rho}, "rho must be a positive, finite number; got") for rho in NO_STEPS),
    (solve, {"variant": "a2dm3"}, "unknown variant 'a2dm3'; it must be one of admm, a2dm2, a2dm2-restart"),
    (solve, {"variant": Restart(1.0)}, "eta must lie strictly between 0 and 1; got 1.0"),
    (solve, {"variant": Restart(math.nan)}, "eta must lie strictly between 0 and 1; got nan"),
    (solve, {"tol": 0.0}, "tol must be a positive"),
    (solve, {"tol": "small"}, "tol must be a positive, finite number; got 'small'"),
    (solve, {"max_iter": 0}, "max_iter must be a positive"),
    (solve, {"max_iter": 100.0}, "max_iter must be a whole number; got 100.0"),
    (solve, {"time_limit": -1}, "time_limit must be a positive, finite number; got -1"),
    (solve, {"time_limit": "a"}, "time_limit must be a positive, finite number; got 'a'"),
    (solve, {"variant": Restart("a")}, "eta must lie strictly between 0 and 1; got 'a'"),
    (solve, {"start": (np.zeros(2), np.zeros(3))}, r"y of start must be finite and of shape \(3,\)"),
    (
        solve,
        {"start": (np.zeros(3), np.full(3, np.nan))},
        r"multipliers of start must be finite and of shape \(3,\)",
    ),
    (solve, {"start": np.zeros(3)}, "start must be the pair of y and the multipliers; got 3 parts"),
    (make_problem, {"A": np.ones(3)}, r"A must be a matrix; got an array of shape \(3,\)"),
    (make_problem, {"A": np.full((3, 3), np.nan)}, "A holds NaN or infinite values"),
    (make_problem, {"B": np.eye(4)}, "A has 3 rows and B has 4"),
    (make_problem, {"c": np.zeros(2)}, r"c has shape \(2,\), but A has 3 rows"),
    (make_problem, {"c": np.full(3, np.inf)}, "c holds NaN or infinite values"),
    (make_problem, {"convexity": (1.0, -1.0)}, "strong_convexity must be the two constants"),
    (make_problem, {"convexity": 1.0}, "strong_convexity must be the two constants"),
    (make_problem, {"minimise_x": np.eye(3)}, r"minimise_x must be a function of \(q, tau\)"),
    (from_prox, {"prox": soft_threshold, "ridge": -1.0}, "ridge must be finite and at least 0"),
    (from_prox(soft_threshold), {"q": np.ones(3), "tau": 0.0}, "without a quadratic term"),
    (make_problem((1.0, 0.0)).dual, {"multipliers": np.zeros(3)}, "strong convexity of f2 is declared as 0"),
    (make_problem().dual, {"multipliers": np.zeros(3)}, "needs both value_x and value_y"),
]


@pytest.mark.parametrize(("call", "options", "match"), REFUSED_PROBLEMS)
def test_bad_input(call, options, match):
    with raises_one_sentence(match):
        call(**options)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_dependent_columns(kind):
    """The matrix has rank 1 and 3 columns. A strongly convex part, or an operator, may have any rank."""
    options = {"variant": "admm", "max_iter": 1}
    A = kind(DEPENDENT)
    match = r"A has rank 1 but 3 columns and f1 is not declared strongly convex, .* add a ridge to f1"
    with raises_one_sentence(match):
        solve_two_block(make_problem((0.0, 1.0), A), **options)
    wide = TwoBlock(
        minimise_zero, minimise_zero, np.eye(4, 3), kind(np.ones((4, 3))), strong_convexity=(1.0, 0.0)
    )
    with raises_one_sentence("B has rank 1 but 3 columns and f2 is not"):
        solve_two_block(wide, **options)
    for convexity, matrix in (((1.0, 1.0), A), ((0.0, 1.0), aslinearoperator(DEPENDENT))):
        problem = make_problem(convexity, matrix, minimise_y=lambda q, tau: np.zeros(4))
        assert solve_two_block(problem, **options).n_iter == 1


def test_a_large_matrix_of_dependent_columns():
    """The rank itself would cost too much: only the shape and columns of zeros are checked."""
    hollow = sp.csr_array((np.ones(1999), (np.arange(1999), np.arange(1999))), shape=(2000, 2000))
    for A, rank in ((np.ones((1000, 2000)), 1000), (hollow, 1999)):
        with raises_one_sentence(f"A has rank {rank} but 2000 columns"):
            solve_two_block(make_problem((0.0, 1.0), A), variant="admm", max_iter=1)


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_acceleration_of_what_is_not_strongly_convex(variant):
    for convexity, message in (
        ((1.0, 0.0), "and sigma_y of strong_convexity is 0: its step"),
        ((0.0, 0.0), "f2, and both constants of strong_convexity are 0: its step"),
        ((0.0, 1.0), "sigma_x of strong_convexity is 0: .* or give tau"),
    ):
        with raises_one_sentence(message):
            solve_two_block(make_problem(convexity), variant)
    message = "sigma_x of strong_convexity is 0: f1 is not strongly convex, so no rate"
    with pytest.warns(UserWarning, match=message):
        result = solve_two_block(make_problem((0.0, 1.0)), variant, tau=0.1)
    assert "sigma_x (of f1) is 0" in str(result.step) and not result.step.holds


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_a_ranking_problem_without_added_convexity(variant):
    for name, variables in (("lambda1", "in a,"), ("lambda2", r"in \(b, s\),")):
        match = rf"{name} must be a positive, finite number for {variant}; .* not strongly convex {variables}"
        with raises_one_sentence(match):
            solve_fused(variant, **{name: 0.0})


@pytest.mark.parametrize("name", ["minimise_x", "minimise_y"])
@pytest.mark.parametrize(
    ("bad", "match"),
    [
        (lambda q: q * np.nan, "returned NaN or infinite values"),
        (lambda q: np.array([1.0, np.inf, 0.0]), "returned NaN or infinite values"),
        (lambda q: q[:2], r"returned an array of shape \(2,\); it must be \(3,\)"),
        (lambda q: q[:, None], r"returned an array of shape \(3, 1\); it must be \(3,\)"),
        (lambda q: None, "returned NoneType, not an array of numbers"),
        (lambda q: "abc", "returned str, not an array of numbers"),
    ],
)
def test_what_a_callback_must_not_return(name, bad, match):
    calls = []

    def minimise_late(q, tau):
        calls.append(tau)
        return bad(q) if len(calls) == 4 else q / (1.0 + tau)

    good = {"minimise_x": lambda q, tau: q / (1.0 + tau), "minimise_y": lambda q, tau: q / (1.0 + tau)}
    problem = make_problem(**{**good, name: minimise_late}, c=np.ones(3))
    # minimise_y is called twice an iteration, but once in the first
    iteration = 4 if name == "minimise_x" else 3
    with raises_one_sentence(rf"{name} at iteration {iteration} \(tau=.*\) {match}"):
        solve_two_block(problem, tol=1e-300)
