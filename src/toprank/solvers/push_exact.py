"""Exact infinite push: a small model of the problem, refined until the duality gap is closed.

With t = max_j w'x_j⁻ as a variable the problem has one hinge (1 + t − w'x_i⁺)₊ a positive and one constraint
x_j⁻'w ≤ t a negative. The model

- puts positives into groups with one hinge on the sum of a group: (Σz)₊ ≤ Σ(z)₊, with equality where all of a
  group lie on one side of the kink,
- keeps the negatives that were once too high,
- and, under an l1 penalty on many features, the features that were once worth a weight.

Its optimum bounds the true one from below where no feature is missing. Each step solves it, scores all rows,
splits the groups whose members disagree, adds the negatives and features that it missed, and ends when the
dual of the full problem certifies the best point seen.

Under an l1 penalty on many features, models that grow by a few features a step would be many. There an
interior point method (`toprank.solvers.push_interior`) comes first. Where its limit is no vertex, since the
optimum is not unique, or where rounding ends it, the models go on from its point: their simplex method finds
a vertex.

At the depth of all negatives, their mean takes their place. At another one above 1 the models would hold all
negatives near the K-th score, and under a ridge or an elastic net they are slow at every depth. There an
interior point method on all rows (`toprank.solvers.depth_solver`) comes first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import OutOfTime
from toprank.problems.zero_solution import compute_mean_row, make_row
from toprank.solvers.depth_solver import solve_on_all_rows, suits_all_rows
from toprank.solvers.monitor import Monitor
from toprank.solvers.push_depth import DepthPushModel
from toprank.solvers.push_interior import SPARSE_RATIOS, SPARSE_STEPS_MAX, InteriorPoint
from toprank.solvers.push_model import COMPLETE_MODEL_MAX_D, PushModel
from toprank.solvers.push_vertex import move_to_vertex, solve_for_vertex
from toprank.solvers.top_depth_model import solve_sample

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: What the estimators load beside this solver, for the digest of a fit's code.
ESTIMATOR_TOOLS = (
    "toprank.solvers.smallest_depth",
    "toprank.solvers.alpha_max",
    "toprank.solvers.free_features",
    "toprank.solvers.dual_newton",
)
#: Where not all features are in the model, so many are in the first one, or as many as a start uses, up to a
#: most.
INITIAL_FEATURES, INITIAL_FEATURES_MAX = 50, 300
#: Rows that enter a model in a step.
ROWS_PER_STEP_MIN, ROWS_PER_STEP_MAX = 60, 200
#: The interior point method begins with all positives. With more of them a feature, the models are faster.
INTERIOR_POSITIVES_MAX = 20
#: Steps of the interior point method.
INTERIOR_STEPS_MAX = 80
#: So many steps in succession that leave a relative gap as it is, below the given one: rounding ends them.
IDLE_STEPS_MAX, IDLE_GAP_MAX = 5, 1e-4
#: From a certified point with more features than this, no vertex is looked for.
VERTEX_MAX_FEATURES = 1000


def solve(
    problem: PushRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    rows_per_step: int | None = None,
) -> Solution:
    """Minimise `PushRanking` to a certified relative gap.

    Parameters
    ----------
    problem : PushRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Models and steps of an interior point method.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha. The interior point method on all rows
        does not use it.
    rows_per_step : int, optional
        How many positives leave their groups, and how many negatives enter the model, in one step; by default
        200 in linear programs at depth 1, in other models max(60, d), at most 200.

    Returns
    -------
    Solution
    """
    if problem.depth == problem.negatives.shape[0] > 1:  # all count alike: their mean is the only negative
        mean_row = make_row(compute_mean_row(problem.negatives), problem.negatives)
        problem = replace(problem, negatives=mean_row, depth=1.0)
    monitor, problem = Monitor("exact", tol, max_iter, time_limit, callback), problem.dense_if_small()
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    monitor.update_lower_bound(0.0)
    rows_per_step = rows_per_step or _choose_rows_per_step(problem)
    model = fallback = None  # fallback: a point, its objective, and whether it is certified
    if suits_all_rows(problem):
        is_over, model = solve_on_all_rows(problem, rows_per_step, monitor)
        if is_over:
            return monitor.solution()
        start, fallback = monitor.w, (monitor.w, monitor.objective, False)
    elif problem.depth > 1:
        start = solve_sample(problem, solve, monitor) if start is None else start
    elif _suits_interior_point(problem):
        if _solve_by_interior_point(problem, start, monitor):
            return monitor.solution()
        start, is_certified = monitor.w, monitor.status == "certified"
        fallback = (monitor.w, monitor.objective, True) if is_certified else None
    if fallback:
        # the models look for another minimiser, which under an l1 norm is a vertex, and certify it anew
        monitor.w, monitor.objective = np.zeros(problem.n_features), 1.0
        monitor.status = "max_iterations"
    model = model or _make_initial_model(problem, start, rows_per_step)
    is_exact = False
    for _ in monitor.iterations(start=monitor.n_iter + 1):
        unit = monitor.objective or 1.0
        try:
            w, group_weights, negative_weights = model.solve(unit, monitor, is_exact)
        except OutOfTime:
            monitor.status = "time_limit"
            break
        w, scores = problem.polish(w, problem.scores(w))
        monitor.update_best(w, problem.objective(w, scores))
        a, b = model.spread_weights(group_weights, negative_weights)
        if monitor.update(monitor.w, monitor.objective, problem.lower_bound(a, b)):
            break
        size = model.size
        model.split_groups(1.0 + problem.compute_top(scores[1]) - scores[0], rows_per_step)
        model.add_negatives(scores[1], rows_per_step)
        if model.features.size < problem.n_features:
            model.add_features(problem.dual_direction(a, b))
        was_exact, is_exact = is_exact, model.size == size
        if is_exact and was_exact and monitor.objective > 0.5 * unit:
            # nothing was added twice in a row: the gap that remains is the model solver's arithmetic
            monitor.status = "stalled"
            break
    if fallback and monitor.status != "certified":
        w, objective, is_certified = fallback
        if is_certified or objective < monitor.objective:
            monitor.w, monitor.objective = w, objective
        monitor.status = "certified" if is_certified else monitor.status
    return monitor.solution()


def _choose_rows_per_step(problem: PushRanking) -> int:
    """Return how many rows enter a model in a step: pivots are cheap, and steps of a cone program are not."""
    if problem.depth == 1 and problem.penalty.is_separable:
        return ROWS_PER_STEP_MAX
    return min(max(ROWS_PER_STEP_MIN, problem.n_features), ROWS_PER_STEP_MAX)


def _suits_interior_point(problem: PushRanking) -> bool:
    """Whether there are many features, and not so many positives that the models' groups of them pay more."""
    m, d = problem.positives.shape
    is_norm = problem.penalty.name == "l1" and not problem.penalty.free_features.size
    return is_norm and d > COMPLETE_MODEL_MAX_D and m <= INTERIOR_POSITIVES_MAX * d


def _solve_by_interior_point(problem: PushRanking, start: np.ndarray | None, monitor: Monitor) -> bool:
    """Run the interior point method; returns whether the run of the solver has ended with it."""
    iterate, least_gap, n_idle = InteriorPoint(problem, start), np.inf, 0
    for n_iter in monitor.iterations():
        scores = problem.scores(iterate.w)
        bound = problem.lower_bound(*iterate.all_weights())
        if monitor.update(iterate.w, problem.objective(iterate.w, scores), bound):
            break
        gap = monitor.objective - monitor.bound
        n_idle = n_idle + 1 if gap >= least_gap and gap <= IDLE_GAP_MAX * monitor.objective else 0
        least_gap = min(gap, least_gap)
        if n_idle == IDLE_STEPS_MAX:  # rounding allows no more
            return _solve_for_vertex(problem, iterate, monitor)
        if n_iter == monitor.max_iter:
            return True
        if n_iter > 1:
            iterate.update_rows(scores)
        try:
            iterate.step(monitor)
        except OutOfTime:
            monitor.status = "time_limit"
            return True
        except np.linalg.LinAlgError:
            return False
        if n_iter == INTERIOR_STEPS_MAX:
            return False
    return monitor.status != "certified" or _make_sparse(problem, iterate, monitor)


def _make_sparse(problem: PushRanking, iterate: InteriorPoint, monitor: Monitor) -> bool:
    """Replace a certified point by one with exact zeros; returns whether that is certified, and a vertex."""
    for _ in range(SPARSE_STEPS_MAX):
        monitor.update_lower_bound(problem.lower_bound(*iterate.all_weights()))
        for ratio in SPARSE_RATIOS:
            w = iterate.sparse_point(ratio)
            objective = problem.objective(w)
            if not objective - monitor.bound <= monitor.tol * objective:
                w = iterate.settle_on_binding_rows(w)
                objective = problem.objective(w)
            if objective - monitor.bound <= monitor.tol * objective:
                monitor.w, monitor.objective = w, objective
                return np.count_nonzero(w) > VERTEX_MAX_FEATURES or _take_vertex(problem, iterate, monitor)
        try:
            iterate.step(monitor)
        except (OutOfTime, np.linalg.LinAlgError):
            break
    if _solve_for_vertex(problem, iterate, monitor):
        return True
    if np.count_nonzero(iterate.sparse_point(1.0)) <= VERTEX_MAX_FEATURES:
        return False
    # models of so many features would take minutes, or hours
    _drop_small_weights(problem, monitor)
    return True


def _solve_for_vertex(problem: PushRanking, iterate: InteriorPoint, monitor: Monitor) -> bool:
    """Move to the vertex that features and rows of the iterate determine; returns whether it is certified."""
    features = np.flatnonzero(iterate.sparse_point(1.0))
    w = solve_for_vertex(problem, features, iterate.find_binding_rows(features.size + 1))
    if w is None:
        return False
    objective = problem.objective(w)
    if not objective - monitor.bound <= monitor.tol * objective:
        return False
    monitor.w, monitor.objective, monitor.status = w, objective, "certified"
    return True


def _drop_small_weights(problem: PushRanking, monitor: Monitor) -> None:
    """Set as many of the smallest weights of a certified point to 0 as leave it certified."""
    order = np.argsort(-np.abs(monitor.w), kind="stable")
    n_enough, n_too_few = order.size, 0
    while n_enough - n_too_few > 1:
        n_kept = (n_enough + n_too_few) // 2
        w = np.zeros_like(monitor.w)
        w[order[:n_kept]] = monitor.w[order[:n_kept]]
        objective = problem.objective(w)
        if objective - monitor.bound <= monitor.tol * objective:
            n_enough, monitor.w, monitor.objective = n_kept, w, objective
        else:
            n_too_few = n_kept


def _take_vertex(problem: PushRanking, iterate: InteriorPoint, monitor: Monitor) -> bool:
    """Move a certified point with exact zeros to a vertex; returns whether that is certified too."""
    w = move_to_vertex(problem, monitor.w, iterate.find_binding_rows())
    if w is None:
        return False
    objective = problem.objective(w)
    if not objective - monitor.bound <= monitor.tol * objective:
        return False
    monitor.w, monitor.objective = w, objective
    return True


def _make_initial_model(problem: PushRanking, start: np.ndarray | None, rows_per_step: int) -> PushModel:
    """Return the first model: looks at the warm start, or along the difference of the means."""
    model = PushModel(problem) if problem.depth == 1 else DepthPushModel(problem, rows_per_step)
    n_features = INITIAL_FEATURES
    if start is None or not start.any():
        difference = model.scaling(np.asarray(problem.positives.mean(axis=0)).reshape(1, -1)).ravel()
        difference -= model.scaling(np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1)).ravel()
        start = difference / model.scaling.scale
        scores = problem.scores(start)
    else:
        scores = problem.scores(start)
        n_features = min(max(np.count_nonzero(start), INITIAL_FEATURES), INITIAL_FEATURES_MAX)
        model.split_groups(1.0 + problem.compute_top(scores[1]) - scores[0], rows_per_step)
    model.add_negatives(scores[1], rows_per_step)
    if model.grows_in_features:
        first = np.argsort(-np.abs(start), kind="stable")[:n_features]
        # the dual of a model without a feature that is not penalised would bound nothing
        free = problem.penalty.free_features
        model.features = np.append(free, first[~np.isin(first, free)])
    return model
