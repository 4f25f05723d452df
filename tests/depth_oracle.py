"""Random problems at a depth, and their optima by a conic solver."""

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from toprank.problems.top import TopRanking


def make_classes(kind, random):
    """Random positives and negatives with a trait that solvers stumble over."""
    m, n, d = random.integers(2, 13), random.integers(3, 22), random.integers(1, 6)
    if kind == "tiny":
        m, n, d = random.integers(1, 3), random.integers(1, 4), random.integers(1, 3)
    if kind == "wide":
        d = 30
    positives, negatives = random.normal(size=(m, d)), random.normal(size=(n, d))
    positives += random.uniform(0.0, 2.0) * random.choice([0.0, 1.0])
    if kind == "tied":
        positives, negatives = np.rint(positives), np.rint(negatives)
    if kind == "repeated":
        negatives = negatives[random.integers(0, max(n // 3, 1), size=n)]
    if kind == "degenerate":
        positives[:, 0], negatives[:, 0] = 1.0, 1.0  # a constant feature, and one twice
        positives, negatives = (np.column_stack([rows, rows[:, -1]]) for rows in (positives, negatives))
    if kind == "units":
        units = np.exp(2.0 * random.normal(size=d))
        positives, negatives = positives * units, negatives * units
    if kind == "bits":
        positives, negatives = (positives > 0.5).astype(float), (negatives > 0.8).astype(float)
    return positives, negatives


def solve_by_cvxpy(problem, groups=None):
    """Minimise the objective at depth K, in the form of Rockafellar and Uryasev."""
    P, N = (part.toarray() if sp.issparse(part) else part for part in (problem.positives, problem.negatives))
    w, theta = cp.Variable(problem.n_features), cp.Variable()
    top = theta + cp.sum(cp.pos(N @ w - theta)) / problem.depth
    hinge = cp.pos(1 + top - P @ w)
    if isinstance(problem, TopRanking):
        loss, penalty = cp.sum(cp.square(hinge)), cp.sum_squares(w) / 2
    else:
        norms = {"l1": lambda: cp.norm1(w), "l2": lambda: cp.sum_squares(w) / 2}
        norms["group"] = lambda: sum(cp.norm2(w[np.flatnonzero(groups == g)]) for g in np.unique(groups))
        share = getattr(problem.penalty, "l1_ratio", 1.0)
        norms["elasticnet"] = lambda: share * cp.norm1(w) + (1.0 - share) * cp.sum_squares(w) / 2
        loss, penalty = cp.sum(hinge), norms[problem.penalty.name]()
    program = cp.Problem(cp.Minimize(problem.alpha * penalty + loss / len(P)))
    return program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)


def choose_depth(n, random):
    """Both ends, whole numbers and any between."""
    return float(random.choice([1.0, n, random.integers(1, n + 1), random.uniform(1.0, n)]))
