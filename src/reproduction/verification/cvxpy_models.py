"""The papers' problems as CVXPY models: slow, readable, and the reference for every solver.

Each function states one problem, solves it by Clarabel and returns its optimal value and solution.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import cvxpy as cp
import numpy as np
from scipy.optimize import brentq


def _solve(problem: cp.Problem) -> float:
    """Solve by an interior point at the smallest tolerance that it reaches; return the optimal value."""
    # where w = 0 is optimal, the solver misses 1e-12
    for tolerance in (1e-12, 1e-10, 1e-9):
        try:
            with warnings.catch_warnings():
                # the status reports it too, and the next tolerance is tried
                warnings.filterwarnings("ignore", message="Solution may be inaccurate")
                problem.solve(
                    solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance
                )
        except cp.error.SolverError:
            continue
        if problem.status == cp.OPTIMAL:
            return float(problem.value)
    raise RuntimeError(
        f"the conic solver ended with status {problem.status!r} at a tolerance of 1e-9: no reference value"
    )


def top_ranking(positives: np.ndarray, negatives: np.ndarray, alpha: float) -> tuple[float, np.ndarray]:
    """Solve K15 eq. (11): ridge plus the mean squared hinge of each positive against the highest negative.

    Parameters
    ----------
    positives : ndarray of shape (m, d)
    negatives : ndarray of shape (n, d)
    alpha : float
        Weight of the ridge.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    w = cp.Variable(positives.shape[1])
    top = cp.max(negatives @ w)  # score of the highest negative
    hinge = cp.pos(1 + top - positives @ w)
    problem = cp.Problem(
        cp.Minimize(alpha / 2 * cp.sum_squares(w) + cp.sum_squares(hinge) / positives.shape[0])
    )
    return _solve(problem), w.value


def infinite_push(
    positives: np.ndarray,
    negatives: np.ndarray,
    alpha: float,
    penalty: str = "l1",
    groups: Iterable[Iterable[int]] | None = None,
) -> tuple[float, np.ndarray]:
    """Solve R12 eq. (2) as the paper states it, on all pairs.

    Parameters
    ----------
    positives : ndarray of shape (m, d)
    negatives : ndarray of shape (n, d)
    alpha : float
        Weight of the penalty.
    penalty : {"l1", "l2", "group"}
    groups : iterable of iterable of int, optional
        Features of each group.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    m, n = positives.shape[0], negatives.shape[0]
    w = cp.Variable(positives.shape[1])
    # one expression of n rows and m columns: n of m terms each take CVXPY longer to state than to solve
    positive_scores = cp.reshape(positives @ w, (1, m), order="C")
    negative_scores = cp.reshape(negatives @ w, (n, 1), order="C")
    hinges = cp.pos(1 - np.ones((n, 1)) @ positive_scores + negative_scores @ np.ones((1, m)))
    if penalty == "group":
        omega = cp.sum([cp.norm(w[list(group)]) for group in groups])
    else:
        omega = cp.norm1(w) if penalty == "l1" else cp.sum_squares(w) / 2
    # the infinite push: the largest, over the negatives, mean hinge over the positives
    problem = cp.Problem(cp.Minimize(alpha * omega + cp.max(cp.sum(hinges, axis=1)) / m))
    return _solve(problem), w.value


def ranksvm(
    better: np.ndarray, worse: np.ndarray, C: float, penalty: str = "l1", weights: float | np.ndarray = 1.0
) -> tuple[float, np.ndarray]:
    """Solve L14 eq. (3) with every preference written out.

    Parameters
    ----------
    better, worse : ndarray of shape (n_preferences, d)
    C : float
        Weight of the loss.
    penalty : {"l1", "l2"}
    weights : float or ndarray of shape (d,), default=1.0
        Of the l1 norm, all positive (L14 eq. 13). A feature of infinite weight is left out.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    # an infinite weight fixes its coefficient at zero: the feature is left out
    weights = np.broadcast_to(weights, better.shape[1])
    finite = np.flatnonzero(np.isfinite(weights))
    rows = (better - worse)[:, finite]
    w = cp.Variable(finite.size)
    omega = cp.norm1(cp.multiply(weights[finite], w)) if penalty == "l1" else cp.sum_squares(w) / 2
    value = _solve(cp.Problem(cp.Minimize(C * cp.sum_squares(cp.pos(1 - rows @ w)) + omega)))
    return value, np.bincount(finite, weights=w.value, minlength=better.shape[1])


def fenchel_rank(better: np.ndarray, worse: np.ndarray, radius: float) -> tuple[float, np.ndarray]:
    """Minimise the mean squared hinge over an l1 ball (Lai et al. 2013), with every preference written out.

    Parameters
    ----------
    better, worse : ndarray of shape (n_preferences, d)
    radius : float
        Of the l1 ball.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    w = cp.Variable(better.shape[1])
    loss = cp.sum_squares(cp.pos(1 - (better - worse) @ w)) / better.shape[0]
    problem = cp.Problem(cp.Minimize(loss), [cp.norm1(w) <= radius])
    return _solve(problem), w.value


def fsm_rank(
    better: np.ndarray,
    worse: np.ndarray,
    alpha: float,
    beta: float,
    similarity: np.ndarray,
    importance: np.ndarray,
) -> tuple[float, np.ndarray]:
    """Minimise FSMRank's objective as reconstructed, with w = u - v split in its positive and negative part.

    Parameters
    ----------
    better, worse : ndarray of shape (n_preferences, d)
    alpha, beta : float
        Weights of the similarity and of the importance term.
    similarity : ndarray of shape (d, d)
        Positive semidefinite, without a negative entry.
    importance : ndarray of shape (d,)
        Positive.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    u, v = cp.Variable(better.shape[1], nonneg=True), cp.Variable(better.shape[1], nonneg=True)
    loss = cp.sum_squares(cp.pos(1 - (better - worse) @ (u - v))) / better.shape[0]
    similarity_term = cp.quad_form(u + v, cp.psd_wrap(similarity)) / 2
    problem = cp.Problem(cp.Minimize(loss + alpha * similarity_term + beta * cp.sum((u + v) / importance)))
    return _solve(problem), u.value - v.value


def dirty_model(
    A: np.ndarray, b: np.ndarray, mu: float, ridge: float = 1.0
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Solve K15 eq. (15): two elastic nets that explain b together.

    Parameters
    ----------
    A : ndarray of shape (m, n)
    b : ndarray of shape (m,)
    mu : float
        Weight of the second elastic net.
    ridge : float, default=1.0
        Weight of the squares in both.

    Returns
    -------
    value : float
        Optimal value.
    x : ndarray of shape (n,)
    y : ndarray of shape (m,)
    multipliers : ndarray of shape (m,)
        In the sign of K15's Lagrangian, F(x, y) - multipliers'(A x + y - b); CVXPY's is the opposite.
    """
    x, y = cp.Variable(A.shape[1]), cp.Variable(A.shape[0])
    nets = [cp.norm1(part) + ridge / 2 * cp.sum_squares(part) for part in (x, y)]
    # CVXPY's multiplier has the opposite sign of K15's λ, which stands as −⟨λ, Ax + y − b⟩ in the Lagrangian.
    constraint = A @ x + y == b  # its multiplier is λ
    value = _solve(cp.Problem(cp.Minimize(nets[0] + mu * nets[1]), [constraint]))
    return value, x.value, y.value, -constraint.dual_value


def perturbed_top_ranking(
    positives: np.ndarray, negatives: np.ndarray, alpha: float, lambda1: float = 0.01, lambda2: float = 0.01
) -> tuple[float, np.ndarray]:
    """Solve K15 eq. (13): objective (11), split and strongly convex; the accelerated methods minimise it.

    Parameters
    ----------
    positives : ndarray of shape (m, d)
    negatives : ndarray of shape (n, d)
    alpha : float
        Weight of the ridge.
    lambda1, lambda2 : float, default=0.01
        Weights of the added squares: of the intercept, and of the slacks.

    Returns
    -------
    value : float
        Optimal value.
    w : ndarray of shape (d,)
    """
    m, d = positives.shape
    w, a, b, s = cp.Variable(d), cp.Variable(), cp.Variable(m), cp.Variable(negatives.shape[0])
    ridge = (
        alpha / 2 * cp.sum_squares(w)
        + lambda1 / 2 * cp.square(a)
        + lambda2 / 2 * (cp.sum_squares(s) + cp.sum_squares(b))
    )
    loss = cp.sum_squares(cp.pos(1 + b)) / m
    problem = cp.Problem(cp.Minimize(ridge + loss), [a + s == negatives @ w, b == a - positives @ w, s <= 0])
    return _solve(problem), w.value


def perturbed_objective(
    w: np.ndarray,
    positives: np.ndarray,
    negatives: np.ndarray,
    alpha: float,
    lambda1: float = 0.01,
    lambda2: float = 0.01,
) -> float:
    """Return K15 eq. (13) at w, minimised over the intercept a; the other variables follow from both.

    Parameters
    ----------
    w : ndarray of shape (d,)
    positives : ndarray of shape (m, d)
    negatives : ndarray of shape (n, d)
    alpha, lambda1, lambda2 : float
        See `perturbed_top_ranking`.

    Returns
    -------
    float
    """
    p, q = positives @ w, negatives @ w

    def slope(a: float) -> float:
        """Return the derivative of the objective in the intercept a.

        Parameters
        ----------
        a : float
            The intercept.

        Returns
        -------
        float
            Derivative of the partial minimum over the other variables.
        """
        return lambda1 * a + lambda2 * (np.sum(a - q) + np.sum(a - p)) + 2 * np.mean(np.maximum(1 + a - p, 0))

    # s = q − a ≤ 0 needs a ≥ max q; the objective is convex in a, so its slope there decides
    a = top = q.max()
    if slope(top) < 0:
        a = brentq(slope, top, top + 1 + abs(top) + np.abs(p).max() + np.abs(q).max(), xtol=1e-14, rtol=1e-14)
    b, s = a - p, q - a
    ridge = alpha / 2 * (w @ w) + lambda1 / 2 * a**2 + lambda2 / 2 * (s @ s + b @ b)
    return float(ridge + np.mean(np.maximum(1 + b, 0) ** 2))
