"""Which way a ridge-regularised ranking at the top is fitted: the rows as they are, or rotated if wide."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import QR_COST
from toprank.estimators.fit_warnings import load_tool
from toprank.estimators.rotation import rotate_if_wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.clock import Clock
    from toprank.estimators.depth import DepthRanker
    from toprank.estimators.rotation import Reflections
    from toprank.problems.push import PushRanking
    from toprank.problems.rows import RowMatrix
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec

#: Sparse rows with more features, or dense ones whose rotation takes more operations, are not rotated, and
#: no matrix of features by features is made. With fewer entries than the last number the rotation is cheap.
SPARSE_FEATURES_MAX, ROTATION_OPERATIONS_MAX, ENTRIES_MIN = 500, 5e9, 500_000

#: Rounding error of an objective of 1, a mean of hinges near 1.
OBJECTIVE_ROUNDING = 4.0 * np.finfo(float).eps


def suits_dual_newton(X: RowMatrix) -> bool:
    """Whether `toprank.solvers.dual_newton` fits the rows faster than the exact solvers of dense, tall data.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n, d)

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from toprank.estimators.ridge_fit import suits_dual_newton
    >>> suits_dual_newton(csr_array((5000, 20000))), suits_dual_newton(np.zeros((5000, 50)))
    (True, False)
    """
    n, d = X.shape
    if n * d <= ENTRIES_MIN:
        return False
    if sp.issparse(X):
        return d > SPARSE_FEATURES_MAX
    return d > n and QR_COST * 2.0 * d * n**2 > ROTATION_OPERATIONS_MAX


def fit_ridge(
    model: DepthRanker,
    make_problem: Callable[[RowMatrix], TopRanking | PushRanking],
    X: RowMatrix,
    solver: SolverSpec,
    clock: Clock,
) -> tuple[TopRanking | PushRanking, Reflections | None, Solution]:
    """Solve the problem of a model for the rows as they are, or else rotated.

    Parameters
    ----------
    model : DepthRanker
        Its limits and its ``warm_start`` hold.
    make_problem : callable
        Makes the problem of rows.
    X : ndarray, csr_array or SelectedRows of shape (n, d)
    solver : SolverSpec
    clock : Clock

    Returns
    -------
    problem : TopRanking or PushRanking
        As it was solved.
    basis : Reflections or None
        Coordinates of the solution.
    solution : Solution
    """
    is_exact, start, first = solver.name == "exact", None, None
    if is_exact and suits_dual_newton(X):
        first_problem = make_problem(X)
        solve, start = load_tool("dual_newton", "solve"), model._warm_start()
        first = model._solve(first_problem, solver, clock=clock, function=solve, start=start)
        status = first.certificate.status
        if status != "stalled" and not (status == "max_iterations" and model.max_iter is None):
            return first_problem, None, _drop_rounding_errors(first)
        start = first.w  # degenerate data: the solver of dense, tall data ends
    rotated, basis = rotate_if_wide(X, clock)
    problem = make_problem(rotated)
    options = {}
    if is_exact or model.CHOICES.get("penalty"):
        start = model._warm_start(basis) if start is None else start if basis is None else basis.T @ start
        options = {"start": start}
    solution = model._solve(problem, solver, clock=clock, basis=basis, **options)
    if first is not None and first.certificate.gap < solution.certificate.gap:
        # the second solver ended early, as a rule by the time limit, with a wider gap
        certificate = replace(first.certificate, status=solution.certificate.status)
        return first_problem, None, replace(first, certificate=certificate)
    return problem, basis, _drop_rounding_errors(solution) if is_exact else solution


def _drop_rounding_errors(solution: Solution) -> Solution:
    """Return the solution, or w = 0, where the objective is 1, if it is no worse up to rounding.

    Weights of 1e-17 would rank the rows by rounding errors, and hide that w = 0 is optimal.
    """
    certificate = solution.certificate
    if not solution.w.any() or certificate.objective < 1.0 - OBJECTIVE_ROUNDING:
        return solution
    return replace(solution, w=np.zeros_like(solution.w), certificate=replace(certificate, objective=1.0))


def compute_scale_of_rows(X: RowMatrix, relevant: np.ndarray, depth: float, clock: Clock) -> float:
    """Return the scale of alpha under a ridge, for the rows as they are, or else rotated.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n, d)
    relevant : ndarray of bool of shape (n,)
        The positives.
    depth : float
        K, from 1 to the number of negatives.
    clock : Clock

    Returns
    -------
    float
        See `toprank.solvers.alpha_max.compute_ridge_scale`.

    Raises
    ------
    OutOfTime
        If the time is too short: ``partial_result`` is an upper bound.
    """
    from toprank.problems.rows import take_rows

    compute_ridge_scale = load_tool("alpha_max", "compute_ridge_scale")
    if suits_dual_newton(X):
        solve = load_tool("dual_newton", "solve")
        parts = take_rows(X, relevant), take_rows(X, ~relevant)
        scale = compute_ridge_scale(*parts, depth, clock, solve)
        if scale is not None:
            return scale
    X, _ = rotate_if_wide(X, clock)
    return compute_ridge_scale(take_rows(X, relevant), take_rows(X, ~relevant), depth, clock)
