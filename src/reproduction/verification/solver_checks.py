"""Every solver against the conic solver, on cases small enough for it."""

import math
import warnings
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.core.seeds import derive_seed
from reproduction.verification import cvxpy_models
from toprank.metrics import relevant_rows
from toprank.problems.top import TopRanking


@dataclass(frozen=True)
class SolverCheck:
    """How one solver is verified.

    Parameters
    ----------
    params : dict
        Parameters of the estimator, tightened where the published stopping rule is loose.
    tolerance : float
        Largest distance to the reference objective, relative to it or to the objective at w = 0 if that is
        larger: an optimum near 0 is not known to many relative digits.
    quantity : {"primal", "dual", "perturbed", "push", "preferences", "ball", "features", "two blocks"}
        Which value is compared with its reference: K15 eq. (11) at ``coef_``, the dual value that the solver
        reached, K15 eq. (13), R12 eq. (2), L14 eq. (3), FenchelRank's or FSMRank's objective at
        ``coef_``, or K15 eq. (15) with the rows of the case as A and the labels as b.
    estimator : str
        Dotted name of the estimator; `_regularisation_params` says which of its parameters follow the case's
        alpha. For two blocks there is none: the parameters go to `toprank.solve_two_block`.
    """

    params: dict = field(default_factory=dict)
    tolerance: float = 1e-6
    quantity: str = "primal"
    estimator: str = "toprank.TopPush"


def _push_check(penalty, solver, tolerance=1e-6, **options):
    return SolverCheck(
        {"penalty": penalty, "solver": solver, **options}, tolerance, "push", "toprank.InfinitePush"
    )


def _preferences_check(penalty, tolerance=1e-9, **options):
    return SolverCheck({"penalty": penalty, **options}, tolerance, "preferences", "toprank.RankSVM")


def _two_blocks_check(variant, **options):
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
    "two_block_admm": _two_blocks_check("admm", adapt_tau=True),
    "two_block_a2dm2": _two_blocks_check("a2dm2"),
    "two_block_a2dm2_restart": _two_blocks_check("a2dm2-restart", adapt_tau=True),
}


EARLY_STOP_ITERATIONS = (1, 2, 3)
"""Iterations after which a solver is also stopped: its lower bound must hold there, too."""

BOUND_ROUNDING_TOL = 1e-7
"""By how much a bound may exceed the reference, which comes from an interior point method."""

CHECK_HALVES = {"first": tuple(CHECKS)[:13], "second": tuple(CHECKS)[13:]}
"""The solvers in two parts that take about the same time; each part solves a shared reference once."""


@dataclass(frozen=True)
class Case:
    """A small problem: standardised rows with labels, and a weight of the ridge."""

    name: str
    X: np.ndarray
    y: np.ndarray
    alpha: float


def make_cases(name, X, y, n_rows, alphas, seed):
    """Yield the cases that one data set gives.

    `X` (ndarray or csr_array of shape (n_samples, d)): sparse rows stay sparse and are scaled without being
    centred. `y`: ndarray of shape (n_samples,). `n_rows`: at most this many rows are drawn.
    """
    rows = _draw_rows(
        relevant_rows(y), n_rows, np.random.default_rng(derive_seed(seed, name, "verification"))
    )
    X = X[rows]
    scaled = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    for alpha in alphas:
        yield Case(f"{name} ({rows.size} x {X.shape[1]}), alpha {alpha:g}", scaled, y[rows], float(alpha))


def _draw_rows(relevant, n_rows, random):
    """Draw rows, of each class its share but at least a sixth of them, or all where there are fewer."""
    if relevant.size <= n_rows:
        return np.arange(relevant.size)
    n_positives = int(np.count_nonzero(relevant))
    n_drawn_positives = np.clip(
        round(n_rows * n_positives / relevant.size), n_rows // 6, n_rows - n_rows // 6
    )
    n_drawn_positives = int(np.clip(n_drawn_positives, n_rows - (relevant.size - n_positives), n_positives))
    classes = ((relevant, n_drawn_positives), (~relevant, n_rows - n_drawn_positives))
    return np.sort(np.concatenate([random.permutation(np.flatnonzero(c))[:size] for c, size in classes]))


@dataclass(frozen=True)
class ReferenceComparison:
    """The comparison of a fitted model with its reference.

    Parameters
    ----------
    objective, reference : float
        What is compared.
    optimum : float
        Of the problem to which the lower bounds belong.
    at_zero : float
        The objective at w = 0.
    """

    objective: float
    reference: float
    optimum: float
    at_zero: float = 1.0

    @property
    def scale(self) -> float:
        """The scale of a distance to the reference."""
        return max(abs(self.reference), self.at_zero)

    def is_valid_bound(self, bound) -> bool:
        """Whether a lower bound holds."""
        return bool(bound <= self.optimum + BOUND_ROUNDING_TOL * self.scale)


_REFERENCE_OPTIMA: dict[tuple, float] = {}


def _solve_reference(formulation, *arguments) -> float:
    """Solve a reference formulation, once for all solvers that are judged by it."""
    arrays = [np.asarray(value) for value in arguments]
    key = (formulation, *((array.shape, array.tobytes()) for array in arrays))
    if key not in _REFERENCE_OPTIMA:
        _REFERENCE_OPTIMA[key] = formulation(*arguments)[0]
    return _REFERENCE_OPTIMA[key]


def _compare_top_ranking(model, check, positives, negatives, alpha):
    """Judge by K15; a lower bound always belongs to eq. (11)."""
    w = np.asarray(model.coef_)
    optimum = _solve_reference(cvxpy_models.top_ranking, positives, negatives, alpha)
    if check.quantity == "perturbed":
        reference = _solve_reference(cvxpy_models.perturbed_top_ranking, positives, negatives, alpha)
        objectives = (cvxpy_models.perturbed_objective(v, positives, negatives, alpha) for v in (w, 0.0 * w))
        return ReferenceComparison(next(objectives), reference, optimum, next(objectives))
    primal = TopRanking(positives, negatives, alpha).objective(w)
    return ReferenceComparison(
        primal if check.quantity == "primal" else model.certificate_.lower_bound, optimum, optimum
    )


def _compare_push(model, check, positives, negatives, alpha):
    """Judge by R12 eq. (2), on the pairs."""
    w, penalty = np.asarray(model.coef_), check.params["penalty"]
    optimum = _solve_reference(cvxpy_models.infinite_push, positives, negatives, alpha, penalty)
    omega = np.abs(w).sum() if penalty == "l1" else 0.5 * (w @ w)
    hinges = np.maximum(1.0 - np.subtract.outer(positives @ w, negatives @ w), 0.0)
    return ReferenceComparison(alpha * omega + hinges.mean(axis=0).max(), optimum, optimum)


def _compare_preferences(model, check, positives, negatives, alpha):
    """Judge by L14 eq. (3) for C = 1/alpha, on the pairs."""
    w, weights = np.asarray(model.coef_), getattr(model, "weights_", 1.0)
    better, worse = np.repeat(positives, len(negatives), axis=0), np.tile(negatives, (len(positives), 1))
    has_l2_penalty = check.params["penalty"] == "l2"
    optimum = _solve_reference(
        cvxpy_models.ranksvm, better, worse, 1.0 / alpha, "l2" if has_l2_penalty else "l1", weights
    )
    omega = 0.5 * (w @ w) if has_l2_penalty else np.abs(w) @ np.where(w != 0.0, weights, 0.0)
    hinges = np.maximum(1.0 - (better - worse) @ w, 0.0)
    return ReferenceComparison(hinges @ hinges / alpha + omega, optimum, optimum, hinges.size / alpha)


def _mean_squared_hinge(w, positives, negatives):
    """Mean squared hinge of the pairs, and the pairs."""
    better, worse = np.repeat(positives, len(negatives), axis=0), np.tile(negatives, (len(positives), 1))
    return np.square(np.maximum(1.0 - (better - worse) @ w, 0.0)).mean(), better, worse


def _compare_ball(model, check, positives, negatives, alpha):
    """Judge by FenchelRank's objective, on the pairs; a w outside the ball has none."""
    objective, better, worse = _mean_squared_hinge(model.coef_, positives, negatives)
    is_feasible = np.abs(model.coef_).sum() <= model.radius * (1.0 + 1e-9)
    optimum = _solve_reference(cvxpy_models.fenchel_rank, better, worse, model.radius)
    return ReferenceComparison(objective if is_feasible else math.inf, optimum, optimum)


def _compare_features(model, check, positives, negatives, alpha):
    """Judge by FSMRank's objective as reconstructed, on the pairs; its measures of features are taken."""
    loss, better, worse = _mean_squared_hinge(model.coef_, positives, negatives)
    similarity, importance, size = model.similarity_, model.importance_, np.abs(model.coef_)
    optimum = _solve_reference(cvxpy_models.fsm_rank, better, worse, alpha, alpha, similarity, importance)
    return ReferenceComparison(
        loss + alpha * (size @ similarity @ size / 2.0 + (size / importance).sum()), optimum, optimum
    )


_COMPARISONS = {
    "primal": _compare_top_ranking,
    "dual": _compare_top_ranking,
    "perturbed": _compare_top_ranking,
    "push": _compare_push,
    "preferences": _compare_preferences,
    "ball": _compare_ball,
    "features": _compare_features,
}


def _regularisation_params(quantity, alpha):
    if quantity == "preferences":
        return {"C": 1.0 / alpha}
    if quantity == "ball":
        return {"radius": 0.5 * math.sqrt(alpha)}
    return {"alpha": alpha, "beta": alpha} if quantity == "features" else {"alpha": alpha}


def _compare_two_blocks(check, case):
    """Judge the general solver on the dirty model of a case, by the pair that meets the constraint."""
    # imported where they are used, so that an edit of theirs verifies no other solver again
    from toprank.problems.dirty_model import DirtyModel
    from toprank.solvers import dirty_model, two_block

    A = case.X.toarray() if sp.issparse(case.X) else case.X
    model = DirtyModel(A, np.where(relevant_rows(case.y), 1.0, -1.0), mu=10.0 * case.alpha)
    blocks = dirty_model.two_block(model)
    result = two_block.solve(blocks, **check.params)
    optimum = _solve_reference(cvxpy_models.dirty_model, model.A, model.b, model.mu, model.ridge)
    at_zero = model.feasible_objective(np.zeros(A.shape[1]))
    comparison = ReferenceComparison(model.feasible_objective(result.x), optimum, optimum, at_zero)
    runs = (
        two_block.solve(blocks, **{**check.params, "max_iter": max_iter})
        for max_iter in EARLY_STOP_ITERATIONS
    )
    bounds = [model.dual(run.multipliers) for run in (result, *runs)]
    return comparison, result.status, all(map(comparison.is_valid_bound, bounds))


def _compare(check, case):
    """Return what the judge says, the solver's status and whether its lower bounds hold."""
    if check.quantity == "two blocks":
        return _compare_two_blocks(check, case)
    module, _, name = check.estimator.rpartition(".")
    estimator = getattr(import_module(module), name)
    params = _regularisation_params(check.quantity, case.alpha) | check.params

    def fit_model(**limits):
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
    comparison = _COMPARISONS[check.quantity](model, check, dense[relevant], dense[~relevant], case.alpha)
    bounds = [fitted_model.certificate_.lower_bound for fitted_model in (model, *early_models)]
    return comparison, model.certificate_.status, all(map(comparison.is_valid_bound, bounds))


def verify_solver(method, check, case) -> dict:
    """Fit one solver on one case and judge it by the conic solver.

    The reference solves the problem on dense rows with CVXPY. A solver fails when its objective is off by
    more than the tolerance in either direction, or when it reports that it diverged. It also fails when a
    lower bound exceeds the reference, at the end or after a few iterations. An error of either solver fails
    the case too; the status then tells which.

    Returns: with the keys `schema.VERIFICATION_COLUMNS`.
    """
    try:
        comparison, status, bounds_hold = _compare(check, case)
        objective, reference = comparison.objective, comparison.reference
        relative_gap = abs(objective - reference) / comparison.scale
        passed = bool(relative_gap <= check.tolerance and bounds_hold and status != "diverged")
    except Exception as error:  # a failed row stops the run at its end, with the others beside it
        objective, reference, relative_gap, passed = math.nan, math.nan, math.inf, False
        status = f"failed: {type(error).__name__}: {error}".splitlines()[0]
    row = (method, case.name, objective, reference, relative_gap, check.tolerance, passed, status)
    return dict(zip(VERIFICATION_COLUMNS, row, strict=True))
