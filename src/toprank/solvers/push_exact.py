"""Exact infinite push: a small model of the problem, refined until the duality gap is closed.

With t = max_j w'x_j⁻ as a variable the problem has one hinge (1 + t − w'x_i⁺)₊ a positive and one constraint
x_j⁻'w ≤ t a negative. The model

- puts positives into groups with one hinge on the sum of a group: (Σz)₊ ≤ Σ(z)₊, with equality where all of a
  group lie on one side of the kink,
- keeps the negatives that were once too high,
- and, where there are many more features than rows, the features that were once worth a weight.

Its optimum bounds the true one from below. Each step solves it, scores all rows, splits the groups whose
members disagree, adds the negatives and features that it missed, and ends when the dual of the full problem
certifies the best point seen.
"""

from __future__ import annotations

from time import perf_counter

import clarabel
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from toprank.certificate import Certificate
from toprank.penalties import L1, GroupL2
from toprank.solvers.scaling import Scaling

ALL_FEATURES = 500  # up to so many, every feature is in the model from the start


class _Model:
    """The groups of positives and the negatives and features that are in the model."""

    def __init__(self, problem):
        self.problem = problem
        self.scaling = Scaling.of(problem.positives)
        self.labels = np.zeros(problem.positives.shape[0], dtype=np.intp)  # the group of each positive
        self.n_groups = 1
        self.negatives = np.empty(0, dtype=np.intp)
        self.features = np.arange(problem.n_features)
        if isinstance(problem.penalty, L1) and problem.n_features > ALL_FEATURES:
            self.features = np.empty(0, dtype=np.intp)

    def group_sums(self):
        """Sum of the scaled rows of each group, and its size."""
        m = self.labels.size
        indicator = sp.csr_array((np.ones(m), (self.labels, np.arange(m))), shape=(self.n_groups, m))
        sizes = np.bincount(self.labels, minlength=self.n_groups).astype(float)
        sums = indicator @ self.problem.positives
        sums = sums.toarray() if sp.issparse(sums) else sums
        return (sums - np.outer(sizes, self.scaling.shift)) / self.scaling.scale, sizes

    def split(self, hinge, most):
        """Split the groups whose members lie on both sides of the kink.

        The ``most`` members nearest to it become groups of their own: at the optimum some lie on it exactly.
        """
        side = (hinge > 0.0).astype(np.intp)
        above = np.bincount(self.labels, weights=side, minlength=self.n_groups)
        sizes = np.bincount(self.labels, minlength=self.n_groups)
        mixed = (above > 0) & (above < sizes)
        members = np.flatnonzero(mixed[self.labels])
        if not members.size:
            return
        self.labels = np.unique(2 * self.labels + side * mixed[self.labels], return_inverse=True)[1]
        nearest = members[np.argsort(np.abs(hinge[members]), kind="stable")[:most]]
        self.labels[nearest] = self.labels.max() + 1 + np.arange(nearest.size)
        self.labels = np.unique(self.labels, return_inverse=True)[1]
        self.n_groups = int(self.labels.max()) + 1

    def add_negatives(self, scores, above, most):
        """Add the highest of the negatives that score over ``above``."""
        missed = np.setdiff1d(np.flatnonzero(scores > above), self.negatives, assume_unique=True)
        best = missed[np.argsort(-scores[missed], kind="stable")[:most]]
        self.negatives = np.append(self.negatives, best)

    def add_features(self, direction, most):
        """Add the features whose slope, a component of the direction, exceeds the penalty's."""
        excess = np.abs(direction) - self.problem.alpha
        missed = np.setdiff1d(np.flatnonzero(excess > 0.0), self.features, assume_unique=True)
        best = missed[np.argsort(-excess[missed], kind="stable")[:most]]
        self.features = np.append(self.features, best)

    def solve(self, unit):
        """Minimise the model; returns w and the weights of its groups and of its negatives.

        ``unit`` is about the size of the objective: the solvers' tolerances are absolute below one.
        """
        sums, sizes = self.group_sums()
        rows = self.scaling(self.problem.negatives[self.negatives])
        minimise = _linear_program if isinstance(self.problem.penalty, L1) else _cone_program
        u, group_weights, negative_weights = minimise(
            sums[:, self.features],
            sizes,
            rows[:, self.features],
            self.scaling.scale[self.features],
            self.problem,
            unit,
        )
        w = np.zeros(self.problem.n_features)
        w[self.features] = u / self.scaling.scale[self.features]
        return w, np.maximum(group_weights, 0.0), np.maximum(negative_weights, 0.0)

    def spread(self, group_weights, negative_weights):
        """Weights of all positives and negatives from those of the model."""
        a, b = group_weights[self.labels], np.zeros(self.problem.negatives.shape[0])
        b[self.negatives] = negative_weights
        return a, b


def _linear_program(sums, sizes, negatives, scale, problem, unit):
    """Minimise the model under an l1 penalty by HiGHS' dual simplex."""
    m, (n_groups, d), n = problem.positives.shape[0], sums.shape, len(negatives)
    cost = np.concatenate([np.tile(problem.alpha / scale, 2), [0.0], sizes / m])
    means = sums / sizes[:, None]
    constraints = np.zeros((n_groups + n, 2 * d + 1 + n_groups))
    constraints[:n_groups, :d], constraints[:n_groups, d : 2 * d] = -means, means
    constraints[n_groups:, :d], constraints[n_groups:, d : 2 * d] = negatives, -negatives
    constraints[:n_groups, 2 * d], constraints[n_groups:, 2 * d] = 1.0, -1.0
    constraints[np.arange(n_groups), 2 * d + 1 + np.arange(n_groups)] = -1.0
    bounds = np.zeros((cost.size, 2))
    bounds[:, 1] = np.inf
    bounds[2 * d, 0] = -np.inf
    result = linprog(
        cost / unit,
        A_ub=constraints,
        b_ub=np.repeat([-1.0, 0.0], [n_groups, n]),
        bounds=bounds,
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.x is None:
        raise RuntimeError(f"HiGHS could not solve the model of the infinite push: {result.message}")
    weights = -unit * result.ineqlin.marginals
    return result.x[:d] - result.x[d : 2 * d], weights[:n_groups] / sizes, weights[n_groups:]


def _cone_program(sums, sizes, negatives, scale, problem, unit):
    """Minimise the model under a ridge or a group penalty by Clarabel's interior point."""
    m, (n_groups, d), n = problem.positives.shape[0], sums.shape, len(negatives)
    norms = np.unique(problem.penalty.groups).size if isinstance(problem.penalty, GroupL2) else 0
    ridge = np.zeros(d) if norms else problem.alpha / scale**2
    # u, t, the hinges of the groups, and the norms of the groups of features
    quadratic = sp.diags_array(np.concatenate([ridge, np.zeros(1 + n_groups + norms)]), format="csc")
    cost = np.concatenate([np.zeros(d + 1), sizes / m, np.full(norms, problem.alpha)])
    one, eye = np.ones, sp.eye_array
    blocks = [
        [-sums / sizes[:, None], one((n_groups, 1)), -eye(n_groups), None],
        [None, None, -eye(n_groups), None],
        [negatives, -one((n, 1)), None, None],
    ]
    cones = [clarabel.NonnegativeConeT(2 * n_groups + n)]
    bound = np.concatenate([np.full(n_groups, -1.0), np.zeros(n_groups + n)])
    if norms:
        for g in range(norms):
            members = np.flatnonzero(problem.penalty.groups == g)
            pick = sp.csr_array(
                (-1.0 / scale[members], (1 + np.arange(members.size), members)), (1 + members.size, d)
            )
            radius = sp.csr_array(([-1.0], ([0], [g])), (1 + members.size, norms))
            blocks.append([pick, None, None, radius])
            cones.append(clarabel.SecondOrderConeT(1 + members.size))
            bound = np.append(bound, np.zeros(1 + members.size))
    else:
        blocks = [row[:3] for row in blocks]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(
        quadratic / unit,
        cost / unit,
        sp.block_array([[_sparse(b) for b in row] for row in blocks], format="csc"),
        bound,
        cones,
        settings,
    ).solve()
    point, weights = np.array(solution.x), unit * np.array(solution.z)
    if not (np.isfinite(point).all() and np.isfinite(weights).all()):
        raise RuntimeError(
            f"the conic solver could not solve the model of the infinite push: {solution.status}"
        )
    return point[:d], weights[:n_groups] / sizes, weights[2 * n_groups : 2 * n_groups + n]


def _sparse(block):
    return block if block is None or sp.issparse(block) else sp.csr_array(block)


def solve(problem, tol=1e-8, max_iter=200, rows_per_step=None, w0=None, time_limit=None, callback=None):
    """Minimise `PushRanking` to a certified relative gap.

    Parameters
    ----------
    problem : PushRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Models.
    rows_per_step : int, optional
        How many positives leave their groups, and how many negatives and features enter the model, in one
        step; by default max(20, d), at most 200.
    w0 : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, lower_bound)`` after each step.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int
    """
    started = perf_counter()
    rows_per_step = rows_per_step or min(max(20, problem.n_features), 200)
    model = _Model(problem)
    best_w, best_objective, best_bound = np.zeros(problem.n_features), 1.0, 0.0  # w = 0

    # where to look first: at the warm start, or along the difference of the means
    if w0 is None or not w0.any():
        difference = model.scaling(np.asarray(problem.positives.mean(axis=0)).reshape(1, -1)).ravel()
        difference -= model.scaling(np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1)).ravel()
        w0 = difference / model.scaling.scale
        scores = problem.scores(w0)
    else:
        scores = problem.scores(w0)
        model.split(1.0 + scores[1].max() - scores[0], rows_per_step)
    model.add_negatives(scores[1], -np.inf, rows_per_step)
    if not model.features.size:
        model.features = np.argsort(-np.abs(w0), kind="stable")[:ALL_FEATURES]

    status, n_iter = "max_iterations", 0
    for n_iter in range(1, max_iter + 1):
        unit = best_objective or 1.0
        w, group_weights, negative_weights = model.solve(unit)
        scores = problem.scores(w)
        objective = problem.objective(w, scores)
        if objective < best_objective:
            best_w, best_objective = w, objective
        a, b = model.spread(group_weights, negative_weights)
        best_bound = max(best_bound, problem.lower_bound(a, b))
        if callback is not None:
            callback(n_iter, best_w, best_objective, best_bound)
        if best_objective - best_bound <= tol * best_objective:
            status = "optimal"
            break
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
        size = model.n_groups, model.negatives.size, model.features.size
        model.split(1.0 + scores[1].max() - scores[0], rows_per_step)
        model.add_negatives(scores[1], scores[1][model.negatives].max(), rows_per_step)
        if model.features.size < problem.n_features:
            model.add_features(problem.dual_direction(a, b), rows_per_step)
        is_exact = size == (model.n_groups, model.negatives.size, model.features.size)
        if is_exact and best_objective > 0.5 * unit:
            break  # what remains of the gap is the arithmetic of the model's solver
    return best_w, Certificate(best_objective, status, min(best_bound, best_objective)), n_iter
