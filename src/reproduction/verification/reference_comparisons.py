"""Comparisons of fitted models with reference optima from the conic solver, one for each objective.

`COMPARISONS` maps the quantity of a `SolverCheck` to a function of the model, the check, the
positive and the negative rows and alpha. It returns a `ReferenceComparison`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reproduction.verification import cvxpy_models
from toprank.problems.top import TopRanking

BOUND_ROUNDING_TOL = 1e-7
"""By how much a bound may exceed the reference, relative to its scale: the accuracy of an interior point."""


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
        Dotted name of the estimator; `solver_checks` says which of its parameters follow the case's
        alpha. For two blocks there is none: the parameters go to `toprank.solve_two_block`.
    """

    params: dict = field(default_factory=dict)
    tolerance: float = 1e-6
    quantity: str = "primal"
    estimator: str = "toprank.TopPush"


@dataclass(frozen=True)
class ReferenceComparison:
    """Comparison of a fitted model with its reference.

    Parameters
    ----------
    objective, reference : float
        The two values that are compared.
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
        """Return the scale of a distance to the reference."""
        # An optimum near 0 would make any gap large: the objective at w = 0 is the other scale.
        return max(abs(self.reference), self.at_zero)

    def is_valid_bound(self, bound: float) -> bool:
        """Whether a lower bound holds.

        Parameters
        ----------
        bound : float
            That the solver reported.

        Returns
        -------
        bool
        """
        return bool(bound <= self.optimum + BOUND_ROUNDING_TOL * self.scale)


_REFERENCE_OPTIMA: dict[tuple, float] = {}


def solve_reference(formulation: Callable[..., tuple], *arguments) -> float:
    """Solve a reference formulation, once for all solvers that are judged by it.

    Parameters
    ----------
    formulation : callable
        A function of `reproduction.verification.cvxpy_models`.
    *arguments
        Its arguments.

    Returns
    -------
    float
        The optimal value.
    """
    arrays = [np.asarray(value) for value in arguments]
    # By content: solvers that share a case share its reference, and the conic solver is the slowest of all.
    key = (formulation, *((array.shape, array.tobytes()) for array in arrays))
    if key not in _REFERENCE_OPTIMA:
        _REFERENCE_OPTIMA[key] = formulation(*arguments)[0]
    return _REFERENCE_OPTIMA[key]


def _compare_top_ranking(
    model: object, check: SolverCheck, positives: np.ndarray, negatives: np.ndarray, alpha: float
) -> ReferenceComparison:
    """Compare by K15 eq. (11) or (13); a lower bound always belongs to eq. (11)."""
    w = np.asarray(model.coef_)
    # the lower bound of every method belongs to eq. (11), whichever problem it minimises
    optimum = solve_reference(cvxpy_models.top_ranking, positives, negatives, alpha)
    if check.quantity == "perturbed":
        reference = solve_reference(cvxpy_models.perturbed_top_ranking, positives, negatives, alpha)
        objectives = (cvxpy_models.perturbed_objective(v, positives, negatives, alpha) for v in (w, 0.0 * w))
        return ReferenceComparison(next(objectives), reference, optimum, next(objectives))
    # Evaluated here from the weights, not taken from the certificate that is being verified.
    primal = TopRanking(positives, negatives, alpha).objective(w)
    return ReferenceComparison(
        primal if check.quantity == "primal" else model.certificate_.lower_bound, optimum, optimum
    )


def _compare_push(
    model: object, check: SolverCheck, positives: np.ndarray, negatives: np.ndarray, alpha: float
) -> ReferenceComparison:
    """Compare by R12 eq. (2), on the pairs."""
    w, penalty = np.asarray(model.coef_), check.params["penalty"]
    optimum = solve_reference(cvxpy_models.infinite_push, positives, negatives, alpha, penalty)
    omega = np.abs(w).sum() if penalty == "l1" else 0.5 * (w @ w)
    # the infinite push is the largest, over the negatives, mean hinge over the positives
    hinges = np.maximum(1.0 - np.subtract.outer(positives @ w, negatives @ w), 0.0)
    return ReferenceComparison(alpha * omega + hinges.mean(axis=0).max(), optimum, optimum)


def _compare_preferences(
    model: object, check: SolverCheck, positives: np.ndarray, negatives: np.ndarray, alpha: float
) -> ReferenceComparison:
    """Compare by L14 eq. (3) for C = 1/alpha, on the pairs."""
    w, weights = np.asarray(model.coef_), getattr(model, "weights_", 1.0)
    better, worse = np.repeat(positives, len(negatives), axis=0), np.tile(negatives, (len(positives), 1))
    has_l2_penalty = check.params["penalty"] == "l2"
    optimum = solve_reference(
        cvxpy_models.ranksvm, better, worse, 1.0 / alpha, "l2" if has_l2_penalty else "l1", weights
    )
    # a coefficient of infinite weight is zero, and adds nothing
    omega = 0.5 * (w @ w) if has_l2_penalty else np.abs(w) @ np.where(w != 0.0, weights, 0.0)
    hinges = np.maximum(1.0 - (better - worse) @ w, 0.0)
    return ReferenceComparison(hinges @ hinges / alpha + omega, optimum, optimum, hinges.size / alpha)


def _mean_squared_hinge(
    w: np.ndarray, positives: np.ndarray, negatives: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the mean squared hinge of the pairs, and the pairs."""
    better, worse = np.repeat(positives, len(negatives), axis=0), np.tile(negatives, (len(positives), 1))
    return np.square(np.maximum(1.0 - (better - worse) @ w, 0.0)).mean(), better, worse


def _compare_ball(
    model: object, check: SolverCheck, positives: np.ndarray, negatives: np.ndarray, alpha: float
) -> ReferenceComparison:
    """Compare by FenchelRank's objective, on the pairs; it is infinite outside the ball."""
    objective, better, worse = _mean_squared_hinge(model.coef_, positives, negatives)
    # the ball is met to rounding
    is_feasible = np.abs(model.coef_).sum() <= model.radius * (1.0 + 1e-9)
    optimum = solve_reference(cvxpy_models.fenchel_rank, better, worse, model.radius)
    return ReferenceComparison(objective if is_feasible else math.inf, optimum, optimum)


def _compare_features(
    model: object, check: SolverCheck, positives: np.ndarray, negatives: np.ndarray, alpha: float
) -> ReferenceComparison:
    """Compare by FSMRank's objective as reconstructed, on the pairs; the model's feature scores are taken."""
    loss, better, worse = _mean_squared_hinge(model.coef_, positives, negatives)
    similarity, importance, size = model.similarity_, model.importance_, np.abs(model.coef_)
    optimum = solve_reference(cvxpy_models.fsm_rank, better, worse, alpha, alpha, similarity, importance)
    return ReferenceComparison(
        loss + alpha * (size @ similarity @ size / 2.0 + (size / importance).sum()), optimum, optimum
    )


COMPARISONS = {
    "primal": _compare_top_ranking,
    "dual": _compare_top_ranking,
    "perturbed": _compare_top_ranking,
    "push": _compare_push,
    "preferences": _compare_preferences,
    "ball": _compare_ball,
    "features": _compare_features,
}
"""Quantity of a `SolverCheck` -> its comparison, but for the two blocks, which have no estimator."""
