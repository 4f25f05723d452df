"""Features that are not penalised: the bounds of their weights within which a certificate holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from toprank.solvers.monitor import BoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.penalties import Penalty
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Weights

#: A lower bound holds for weights of free features that change the scores by up to so many margins, at one
#: standard deviation of the feature.
FREE_MARGINS_MAX = 20.0
#: If a weight is beyond this share of its bound, the bounds are raised, and the fit goes on.
BOUND_SHARE = 0.1
#: By this factor where the weight is not known, and so often.
BOUND_RAISE, BOUND_RAISES_MAX = 100.0, 5


def check_free_features(penalty: Penalty, solver: SolverSpec) -> None:
    """Raise a ValueError if some features are not penalised, and the solver is not the exact one.

    Parameters
    ----------
    penalty : Penalty
    solver : SolverSpec

    Raises
    ------
    ValueError
        If so.
    """
    if penalty.free_features.size and solver.name != "exact":
        raise ValueError(
            f"solver {solver.name!r} is a published algorithm that penalises every feature; for "
            "penalty_weights of 0 take solver='exact'"
        )


def bound_free_features(
    X: np.ndarray | sp.csr_array, free: np.ndarray, starts: np.ndarray | None = None
) -> tuple[np.ndarray | sp.csr_array, np.ndarray]:
    """Return rows whose constant free features are 0, and the weights up to which a lower bound holds.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    free : ndarray of int
    starts : ndarray of int of shape (n_queries + 1,), optional
        First row of each query, and the number of rows; by default all rows are one.

    Returns
    -------
    X : ndarray or csr_array
        A copy if a free feature is constant within each query up to rounding.
    bounds : ndarray of shape (n_features,)
        0 for such a feature, and for all that are penalised.
    """
    from toprank.problems.zero_solution import CONSTANT_FEATURE_RTOL

    bounds = np.zeros(X.shape[1])
    if not free.size:
        return X, bounds
    columns = X[:, free].toarray() if sp.issparse(X) else X[:, free]
    starts = np.array([0, X.shape[0]]) if starts is None else starts
    first_rows, sizes = starts[:-1], np.diff(starts)
    # from the first row of the query: the deviations of equal values from their mean are rounding errors
    deviations = columns - np.repeat(columns[first_rows], sizes, axis=0)
    deviations -= np.repeat(np.add.reduceat(deviations, first_rows) / sizes[:, None], sizes, axis=0)
    spread = np.sqrt(np.square(deviations).mean(axis=0))
    is_constant = spread <= CONSTANT_FEATURE_RTOL * np.abs(columns).max(axis=0)
    bounds[free[~is_constant]] = FREE_MARGINS_MAX / spread[~is_constant]
    if is_constant.any():
        factors = np.ones(X.shape[1])
        factors[free[is_constant]] = 0.0
        X = X * factors if not sp.issparse(X) else X @ sp.diags_array(factors, format="csr")
    return X, bounds


def solve_within_bounds(
    solve: Callable[[Any, Weights | None], Solution], problem: Any, start: Weights | None
) -> Solution:
    """Solve a problem, and again with larger bounds of its free features where a weight is near its bound.

    Parameters
    ----------
    solve : callable
        Takes a problem and a start.
    problem : PushRanking or PairwiseRanking
    start : ndarray or None

    Returns
    -------
    Solution
    """
    if not problem.penalty.free_features.size:
        return solve(problem, start)
    for n_raises in range(BOUND_RAISES_MAX + 1):
        penalty = problem.penalty
        is_bounded, factor = penalty.bounds > 0.0, BOUND_RAISE
        try:
            solution = solve(problem, start)
        except BoundError:  # a point far outside is better than all within the bounds
            if n_raises == BOUND_RAISES_MAX:
                raise
        else:
            share = (np.abs(solution.w[is_bounded]) / penalty.bounds[is_bounded]).max(initial=0.0)
            if share <= BOUND_SHARE or n_raises == BOUND_RAISES_MAX:
                break
            # The weight is then at half of the share of its new bound.
            start, factor = solution.w, 2.0 * share / BOUND_SHARE
        problem = replace(problem, penalty=penalty.with_weights(penalty.weights, factor * penalty.bounds))
    # a constant free feature changes no difference of scores: its weight is a rounding error, or anything
    is_constant = (penalty.weights == 0.0) & ~is_bounded
    return replace(solution, w=np.where(is_constant, 0.0, solution.w))
