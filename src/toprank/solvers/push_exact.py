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
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import OutOfTime
from toprank.solvers.monitor import Monitor
from toprank.solvers.push_depth import DepthPushModel
from toprank.solvers.push_model import PushModel
from toprank.solvers.top_depth_model import solve_sample

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: What the estimators load beside this solver, for the digest of a fit's code.
ESTIMATOR_TOOLS = (
    "toprank.solvers.smallest_depth",
    "toprank.solvers.alpha_max",
    "toprank.solvers.dual_newton",
)
#: Where not all features are in the model, so many are in the first one.
INITIAL_FEATURES = 50


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
        Models.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    rows_per_step : int, optional
        How many positives leave their groups, and how many negatives enter the model, in one step; by default
        max(60, d), at most 200.

    Returns
    -------
    Solution
    """
    monitor, problem = Monitor("exact", tol, max_iter, time_limit, callback), problem.dense_if_small()
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    monitor.update_lower_bound(0.0)
    rows_per_step = rows_per_step or min(max(60, problem.n_features), 200)
    if start is None and problem.depth > 1:
        start = solve_sample(problem, solve, monitor)
    model = _make_initial_model(problem, start, rows_per_step)
    is_exact = False
    for _ in monitor.iterations():
        unit = monitor.objective or 1.0
        try:
            w, group_weights, negative_weights = model.solve(unit, monitor, is_exact)
        except OutOfTime:
            monitor.status = "time_limit"
            break
        scores = problem.scores(w)
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
    return monitor.solution()


def _make_initial_model(problem: PushRanking, start: np.ndarray | None, rows_per_step: int) -> PushModel:
    """Return the first model: looks at the warm start, or along the difference of the means."""
    model = PushModel(problem) if problem.depth == 1 else DepthPushModel(problem, rows_per_step)
    if start is None or not start.any():
        difference = model.scaling(np.asarray(problem.positives.mean(axis=0)).reshape(1, -1)).ravel()
        difference -= model.scaling(np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1)).ravel()
        start = difference / model.scaling.scale
        scores = problem.scores(start)
    else:
        scores = problem.scores(start)
        model.split_groups(1.0 + problem.compute_top(scores[1]) - scores[0], rows_per_step)
    model.add_negatives(scores[1], rows_per_step)
    if not model.features.size:
        model.features = np.argsort(-np.abs(start), kind="stable")[:INITIAL_FEATURES]
    return model
