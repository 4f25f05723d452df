"""Checks of every solver against the conic solver, on cases small enough for it.

`CHECKS` says how each solver is verified, `make_cases` draws the small problems, and `verify_solver` fits one
solver on one case and judges it by the optimum of `reproduction.verification.cvxpy_models`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.core.seeds import derive_seed
from reproduction.verification import cvxpy_models
from reproduction.verification.reference_comparisons import (
    COMPARISONS,
    ReferenceComparison,
    SolverCheck,
    solve_reference,
)
from toprank.metrics import relevant_rows
from toprank.solvers.alternating_directions import AdaptiveTau


def _push_check(penalty: str, solver: str, tolerance: float = 1e-6, **options) -> SolverCheck:
    """Return the check of an infinite push, by R12 eq. (2)."""
    return SolverCheck(
        {"penalty": penalty, "solver": solver, **options}, tolerance, "push", "toprank.InfinitePush"
    )


def _preferences_check(penalty: str, tolerance: float = 1e-9, **options) -> SolverCheck:
    """Return the check of a RankSVM, by L14 eq. (3)."""
    return SolverCheck({"penalty": penalty, **options}, tolerance, "preferences", "toprank.RankSVM")


def _two_blocks_check(variant: str, **options) -> SolverCheck:
    """Return the check of `toprank.solve_two_block`, by K15 eq. (15)."""
    return SolverCheck(
        {"variant": variant, "tol": 1e-8, "max_iter": 100_000, **options}, 1e-6, "two blocks", ""
    )


#: The published rules stop early; tightened to 1e-8 they have to come within 1e-3 of the optimum, and the
#: certified solvers within 1e-6; of RankSVM, whose objective at 0 is a sum over thousands of pairs, within a
#: thousandth of that. TopPush's rule watches the change of the dual value; so that one is judged:
#: the primal value lags behind (at 1e-8 by up to 3e-2) and is judged where the algorithm stops by its gap.
_TIGHT_STOPPING = {"tol": 1e-8, "max_iter": 200_000}
CHECKS = {
    "exact": SolverCheck({"solver": "exact", "tol": 1e-9}),
    "toppush_gap": SolverCheck({"solver": "dual", "tol": 1e-7, "max_iter": 200_000}),
    "toppush": SolverCheck(
        {"solver": "dual", "solver__stop": "published", **_TIGHT_STOPPING}, tolerance=1e-3, quantity="dual"
    ),
    "admm": SolverCheck({"solver": "admm", "solver__rho": 0.1, **_TIGHT_STOPPING}, tolerance=1e-3),
    "a2dm2": SolverCheck(
        {"solver": "a2dm2", "solver__rho": 0.01, **_TIGHT_STOPPING}, tolerance=1e-3, quantity="perturbed"
    ),
    "a2dm2_restart": SolverCheck(
        {"solver": "a2dm2-restart", "solver__rho": 0.1, **_TIGHT_STOPPING},
        tolerance=1e-3,
        quantity="perturbed",
    ),
    "l1_infinite_push": _push_check("l1", "exact"),
    "l2_infinite_push": _push_check("l2", "exact"),
    "l2_infinite_push_dual": _push_check("l2", "dual", tol=5e-7, max_iter=200_000),
    # on rows that can be ranked without a loss its objective is there long before its bound
    "l1_infinite_push_admm": _push_check("l1", "admm", 1e-3, tol=5e-4, max_iter=12_000),
    "l1_ranksvm": _preferences_check("l1"),
    "l2_ranksvm": _preferences_check("l2"),
    "adaptive_l1_ranksvm": _preferences_check("adaptive-l1"),
    # a gradient method: where the classes are separable, 1e-4 is beyond 300 000 iterations
    "l1_ranksvm_fista": _preferences_check("l1", 1e-6, solver="fista", tol=1e-3, max_iter=200_000),
    # its rule watches the absolute gap: relative to the loss on a small ball, .1 to 1, that is 1e-3 at most
    "fenchelrank": SolverCheck({"tol": 5e-5, "max_iter": 200_000}, 1e-3, "ball", "toprank.FenchelRank"),
    "fsmrank": SolverCheck({"tol": 1e-8}, 1e-6, "features", "toprank.FSMRank"),
    "two_block_admm": _two_blocks_check("admm", tau=AdaptiveTau()),
    "two_block_a2dm2": _two_blocks_check("a2dm2"),
    "two_block_a2dm2_restart": _two_blocks_check("a2dm2-restart", tau=AdaptiveTau()),
}


EARLY_STOP_ITERATIONS = (1, 2, 3)
"""Iterations after which a solver is also stopped: its lower bound must hold there, too."""

CHECK_HALVES = {"first": tuple(CHECKS)[:13], "second": tuple(CHECKS)[13:]}
"""The solvers in two parts that take about the same time; each part solves a shared reference once."""


@dataclass(frozen=True)
class Case:
    """A small problem: standardised rows with labels, and a weight of the ridge.

    Parameters
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    alpha : float
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    alpha: float


def make_cases(
    name: str, X: np.ndarray | sp.csr_array, y: np.ndarray, n_rows: int, alphas: Iterable[float], seed: int
) -> Iterator[Case]:
    """Yield the cases that one data set gives.

    Parameters
    ----------
    name : str
        The data set.
    X : ndarray or csr_array of shape (n_samples, d)
        Sparse rows stay sparse and are scaled without being centred.
    y : ndarray of shape (n_samples,)
        Labels.
    n_rows : int
        At most this many rows are drawn.
    alphas : iterable of float
        Weights of the ridge, a case each.
    seed : int
        Master seed.

    Yields
    ------
    Case
    """
    # the rows follow the data set's name, so that each set has a draw of its own
    rows = _draw_rows(
        relevant_rows(y), n_rows, np.random.default_rng(derive_seed(seed, name, "verification"))
    )
    X = X[rows]
    scaled = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    for alpha in alphas:
        yield Case(f"{name} ({rows.size} x {X.shape[1]}), alpha {alpha:g}", scaled, y[rows], float(alpha))


def _draw_rows(relevant: np.ndarray, n_rows: int, random: np.random.Generator) -> np.ndarray:
    """Draw rows: of each class its share, but at least a sixth of the rows, or all where it has fewer."""
    if relevant.size <= n_rows:
        return np.arange(relevant.size)
    n_positives = int(np.count_nonzero(relevant))
    # the share of the positives, but of neither class less than a sixth
    n_drawn_positives = np.clip(
        round(n_rows * n_positives / relevant.size), n_rows // 6, n_rows - n_rows // 6
    )
    # not more of a class than it has
    n_drawn_positives = int(np.clip(n_drawn_positives, n_rows - (relevant.size - n_positives), n_positives))
    classes = ((relevant, n_drawn_positives), (~relevant, n_rows - n_drawn_positives))
    return np.sort(np.concatenate([random.permutation(np.flatnonzero(c))[:size] for c, size in classes]))


def _regularisation_params(quantity: str, alpha: float) -> dict[str, float]:
    """Return the parameters of an estimator that follow the alpha of a case."""
    if quantity == "preferences":
        return {"C": 1.0 / alpha}
    if quantity == "ball":
        return {"radius": 0.5 * math.sqrt(alpha)}
    return {"alpha": alpha, "beta": alpha} if quantity == "features" else {"alpha": alpha}


def _compare_two_blocks(check: SolverCheck, case: Case) -> tuple[ReferenceComparison, str, bool]:
    """Compare the two-block solver on the dirty model of a case, by the pair that meets the constraint."""
    # imported where they are used, so that an edit of theirs verifies no other solver again
    from toprank.problems.dirty_model import DirtyModel
    from toprank.solvers import dirty_model, two_block

    A = case.X.toarray() if sp.issparse(case.X) else case.X
    model = DirtyModel(A, np.where(relevant_rows(case.y), 1.0, -1.0), mu=10.0 * case.alpha)
    blocks = dirty_model.two_block(model)
    result = two_block.solve(blocks, **check.params)
    optimum = solve_reference(cvxpy_models.dirty_model, model.A, model.b, model.mu, model.ridge)
    at_zero = model.feasible_objective(np.zeros(A.shape[1]))
    comparison = ReferenceComparison(model.feasible_objective(result.x), optimum, optimum, at_zero)
    runs = (
        two_block.solve(blocks, **{**check.params, "max_iter": max_iter})
        for max_iter in EARLY_STOP_ITERATIONS
    )
    bounds = [model.dual(run.multipliers) for run in (result, *runs)]
    return comparison, result.status, all(map(comparison.is_valid_bound, bounds))


def _compare(check: SolverCheck, case: Case) -> tuple[ReferenceComparison, str, bool]:
    """Return the comparison with the reference, the solver's status and whether its lower bounds hold."""
    if check.quantity == "two blocks":
        return _compare_two_blocks(check, case)
    module, _, name = check.estimator.rpartition(".")
    estimator = getattr(import_module(module), name)
    params = _regularisation_params(check.quantity, case.alpha) | check.params

    def fit_model(**limits) -> object:
        """Fit the estimator to the case, within other limits."""
        return estimator().set_params(**params | limits).fit(case.X, case.y)

    with warnings.catch_warnings():
        # a case where zero is optimal counts as well, and the status of every fit is judged
        warnings.filterwarnings("ignore", message="w = 0 is optimal")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model, *early_models = (
            fit_model(),
            *(fit_model(max_iter=max_iter) for max_iter in EARLY_STOP_ITERATIONS),
        )
    dense = case.X.toarray() if sp.issparse(case.X) else case.X
    relevant = relevant_rows(case.y)
    comparison = COMPARISONS[check.quantity](model, check, dense[relevant], dense[~relevant], case.alpha)
    # lower bounds must hold after a few iterations, too
    bounds = [fitted_model.certificate_.lower_bound for fitted_model in (model, *early_models)]
    return comparison, model.certificate_.status, all(map(comparison.is_valid_bound, bounds))


def verify_solver(method: str, check: SolverCheck, case: Case) -> dict:
    """Fit one solver on one case and judge it by the conic solver.

    The reference solves the problem on dense rows with CVXPY. A solver fails when its objective is off by
    more than the tolerance in either direction, when it reports that it diverged, or when a lower bound
    exceeds the reference, at the end or after a few iterations. An error of either solver fails the case too;
    the status then tells which.

    Parameters
    ----------
    method : str
        A key of `CHECKS`.
    check : SolverCheck
    case : Case

    Returns
    -------
    dict
        With the keys `VERIFICATION_COLUMNS`.
    """
    try:
        comparison, status, bounds_hold = _compare(check, case)
        objective, reference = comparison.objective, comparison.reference
        # Relative to the objective at w = 0 at the least: an optimum near 0 would make rounding look large.
        relative_gap = abs(objective - reference) / comparison.scale
        passed = bool(relative_gap <= check.tolerance and bounds_hold and status != "diverged")
    except Exception as error:  # a failed row stops the run at its end, with the others beside it
        objective, reference, relative_gap, passed = math.nan, math.nan, math.inf, False
        status = f"failed: {type(error).__name__}: {error}".splitlines()[0]
    row = (method, case.name, objective, reference, relative_gap, check.tolerance, passed, status)
    return dict(zip(VERIFICATION_COLUMNS, row, strict=True))
