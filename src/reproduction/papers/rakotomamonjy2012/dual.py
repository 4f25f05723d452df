"""The dual (3) of R12's ridge infinite push as a conic program, and the extent of its solution set."""

from __future__ import annotations

from collections.abc import Iterable

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

EXAMPLE_SHAPE = (6, 6, 5)
"""Positives, negatives and dimensions of the example."""

#: λ of the example (declared): the ball of (3) then has the radius 1/(λm) = 16.7.
ALPHA = 0.01
CONSTRAINT_TOL = 1e-7
"""By how much the solution of the conic solver may miss a constraint."""


def solve_conic(objective: cp.Expression, constraints: Iterable[cp.Constraint] = ()) -> float:
    """Minimise with an interior-point solver, as exactly as it goes.

    Parameters
    ----------
    objective : cvxpy expression
        Convex.
    constraints : iterable of cvxpy constraints
        None by default.

    Returns
    -------
    float
        Optimal value; the variables hold the solution.
    """
    problem = cp.Problem(cp.Minimize(objective), list(constraints))
    return problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)


def solve_dual(positives: np.ndarray, negatives: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Minimise R12 eq. (3).

    Parameters
    ----------
    positives : ndarray of shape (m, d)
        Rows of the positive class.
    negatives : ndarray of shape (n, d)
        Rows of the negative class.
    alpha : float
        Regularisation.

    Returns
    -------
    multipliers : ndarray of shape (m, n)
        Solution.
    w : ndarray of shape (d,)
        Σ α_ij (x_i⁺ − x_j⁻), the weights that the multipliers stand for.
    """
    m, n = len(positives), len(negatives)
    # α of shape (m, n): one multiplier a pair.
    multipliers = cp.Variable((m, n), nonneg=True)
    w = positives.T @ cp.sum(multipliers, axis=1) - negatives.T @ cp.sum(multipliers, axis=0)
    # The constraint of (3): Σ_j max_i α_ij ≤ 1/(λm), an ℓ1,∞ ball.
    solve_conic(
        cp.sum_squares(w) / 2 - cp.sum(multipliers), [cp.sum(cp.max(multipliers, axis=0)) <= 1 / (alpha * m)]
    )
    return multipliers.value, w.value


def find_multiplier_range(shape: tuple[int, int, int] = EXAMPLE_SHAPE) -> dict:
    """Find the range of one multiplier over the solutions of (3) on Gaussian rows.

    All solutions have the same w and the same sum, since the objective is strictly convex in w. So they are
    the multipliers of that w and sum within the constraints, a polyhedron, which two linear programs measure.

    Parameters
    ----------
    shape : tuple of int
        Positives m, negatives n, dimensions d.

    Returns
    -------
    dict
        m, n, d, pairs, rank (of the Hessian), least and most (the ends of the widest range of a multiplier).
    """
    m, n, d = shape
    random = np.random.default_rng(1)
    # Overlapping classes, .8 standard deviations apart in each dimension.
    positives, negatives = random.normal(size=(m, d)) + 0.8, random.normal(size=(n, d))
    pairs = (positives[:, None] - negatives).reshape(-1, d)
    multipliers, w = solve_dual(positives, negatives, ALPHA)
    # the unknowns are the multipliers, row by row, and the largest of each negative
    # All solutions of (3) share w, by strict convexity in w, and hence Σα: they are the polyhedron X'α = w,
    # 1'α = Σα*, α ≥ 0, within the ball. Its rows: d + 1 equalities on mn multipliers and n maxima t_j.
    equalities = np.hstack([np.vstack([pairs.T, np.ones(m * n)]), np.zeros((d + 1, n))])
    # α_ij − t_j ≤ 0 and Σ_j t_j ≤ 1/(λm): the maximum of each negative, as linear constraints.
    max_constraints = np.hstack([np.eye(m * n), -np.tile(np.eye(n), (m, 1))])
    sum_constraint = np.concatenate([np.zeros(m * n), np.ones(n)])
    constraints = {
        "A_eq": equalities,
        "b_eq": np.append(w, multipliers.sum()),
        "A_ub": np.vstack([max_constraints, sum_constraint]),
        "b_ub": np.append(np.zeros(m * n), 1 / (ALPHA * m) + CONSTRAINT_TOL),
    }
    ranges = []
    # the least and the largest value of each multiplier over the polyhedron
    for k in range(m * n):
        cost = np.zeros(m * n + n)
        cost[k] = 1.0
        ranges.append((linprog(cost, **constraints).fun, -linprog(-cost, **constraints).fun))
    # The multiplier that the optimum determines least.
    low, high = max(ranges, key=lambda interval: interval[1] - interval[0])
    rank = int(np.linalg.matrix_rank(pairs @ pairs.T))
    return {"m": m, "n": n, "d": d, "pairs": m * n, "rank": rank, "least": low, "most": high}
