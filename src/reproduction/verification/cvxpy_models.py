"""The papers' problems in CVXPY: slow, readable, and the reference for every solver."""

import warnings

import cvxpy as cp
import numpy as np
from scipy.optimize import brentq


def _solve(problem) -> float:
    """Solve by an interior point at the smallest tolerance that it reaches: w = 0 as optimum misses 1e-12."""
    for tolerance in (1e-12, 1e-10, 1e-9):
        try:
            with warnings.catch_warnings():
                # the status says so too, and the next tolerance is tried
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


def top_ranking(positives, negatives, alpha):
    """K15 eq. (11): ridge plus the mean squared hinge of each positive against the highest negative.

    `positives`: ndarray of shape (m, d). `negatives`: ndarray of shape (n, d).
    """
    w = cp.Variable(positives.shape[1])
    top = cp.max(negatives @ w)
    hinge = cp.pos(1 + top - positives @ w)
    problem = cp.Problem(
        cp.Minimize(alpha / 2 * cp.sum_squares(w) + cp.sum_squares(hinge) / positives.shape[0])
    )
    return _solve(problem), w.value


def infinite_push(positives, negatives, alpha, penalty="l1", groups=None):
    """R12 eq. (2) as it is published, on all pairs.

    `positives`: ndarray of shape (m, d). `negatives`: ndarray of shape (n, d). `penalty`: {"l1", "l2",
    "group"}. `groups`: the features of each group.
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
    problem = cp.Problem(cp.Minimize(alpha * omega + cp.max(cp.sum(hinges, axis=1)) / m))
    return _solve(problem), w.value


def ranksvm(better, worse, C, penalty="l1", weights=1.0):
    """L14 eq. (3) with every preference written out.

    `better`, `worse`: ndarray of shape (n_preferences, d). `penalty`: {"l1", "l2"}. `weights` (float or
    ndarray of shape (d,), default=1.0): of the l1 norm, all positive (L14 eq. 13). A feature of infinite
    weight is left out.
    """
    weights = np.broadcast_to(weights, better.shape[1])
    finite = np.flatnonzero(np.isfinite(weights))
    rows = (better - worse)[:, finite]
    w = cp.Variable(finite.size)
    omega = cp.norm1(cp.multiply(weights[finite], w)) if penalty == "l1" else cp.sum_squares(w) / 2
    value = _solve(cp.Problem(cp.Minimize(C * cp.sum_squares(cp.pos(1 - rows @ w)) + omega)))
    return value, np.bincount(finite, weights=w.value, minlength=better.shape[1])


def fenchel_rank(better, worse, radius):
    """Mean squared hinge of the preferences over the l1 ball (Lai et al. 2013), every preference written out.

    `better`, `worse`: ndarray of shape (n_preferences, d).
    """
    w = cp.Variable(better.shape[1])
    loss = cp.sum_squares(cp.pos(1 - (better - worse) @ w)) / better.shape[0]
    problem = cp.Problem(cp.Minimize(loss), [cp.norm1(w) <= radius])
    return _solve(problem), w.value


def fsm_rank(better, worse, alpha, beta, similarity, importance):
    """FSMRank's objective as reconstructed, with w = u - v split in its positive and its negative part.

    `better`, `worse`: ndarray of shape (n_preferences, d). `similarity` (ndarray of shape (d, d)): positive
    semidefinite, without a negative entry. `importance`: ndarray of shape (d,).
    """
    u, v = cp.Variable(better.shape[1], nonneg=True), cp.Variable(better.shape[1], nonneg=True)
    loss = cp.sum_squares(cp.pos(1 - (better - worse) @ (u - v))) / better.shape[0]
    similarity_term = cp.quad_form(u + v, cp.psd_wrap(similarity)) / 2
    problem = cp.Problem(cp.Minimize(loss + alpha * similarity_term + beta * cp.sum((u + v) / importance)))
    return _solve(problem), u.value - v.value


def dirty_model(A, b, mu, ridge=1.0):
    """K15 eq. (15): two elastic nets that explain b together.

    `A`: ndarray of shape (m, n). `b`: ndarray of shape (m,). Returns `x`, ndarray of shape (n,); `y`, ndarray
    of shape (m,); `multipliers` (ndarray of shape (m,)): in the sign of K15's Lagrangian, F(x, y) -
    multipliers'(A x + y - b); CVXPY's is the opposite.
    """
    x, y = cp.Variable(A.shape[1]), cp.Variable(A.shape[0])
    nets = [cp.norm1(part) + ridge / 2 * cp.sum_squares(part) for part in (x, y)]
    constraint = A @ x + y == b
    value = _solve(cp.Problem(cp.Minimize(nets[0] + mu * nets[1]), [constraint]))
    return value, x.value, y.value, -constraint.dual_value


def perturbed_top_ranking(positives, negatives, alpha, lambda1=0.01, lambda2=0.01):
    """K15 eq. (13): the split problem with added strong convexity, which the accelerated methods minimise.

    `positives`: ndarray of shape (m, d). `negatives`: ndarray of shape (n, d).
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


def perturbed_objective(w, positives, negatives, alpha, lambda1=0.01, lambda2=0.01) -> float:
    """K15 eq. (13) at w, minimised over the intercept a; the other variables follow from both.

    `w`: ndarray of shape (d,). `positives`: ndarray of shape (m, d). `negatives`: ndarray of shape (n, d).
    """
    p, q = positives @ w, negatives @ w

    def slope(a):
        return lambda1 * a + lambda2 * (np.sum(a - q) + np.sum(a - p)) + 2 * np.mean(np.maximum(1 + a - p, 0))

    a = top = q.max()  # s = q − a ≤ 0 asks for a ≥ max q
    if slope(top) < 0:
        a = brentq(slope, top, top + 1 + abs(top) + np.abs(p).max() + np.abs(q).max(), xtol=1e-14, rtol=1e-14)
    b, s = a - p, q - a
    ridge = alpha / 2 * (w @ w) + lambda1 / 2 * a**2 + lambda2 / 2 * (s @ s + b @ b)
    return float(ridge + np.mean(np.maximum(1 + b, 0) ** 2))
