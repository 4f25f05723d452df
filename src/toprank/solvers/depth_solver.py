"""The exact infinite push at a depth by the interior point method on all rows, to a sparse point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import OutOfTime
from toprank.solvers.depth_interior import SPARSE_SHARE, DepthInterior
from toprank.solvers.push_depth import DepthPushModel
from toprank.solvers.push_interior import SPARSE_RATIOS, SPARSE_STEPS_MAX

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Monitor

#: Under an l1 norm, whose models are linear programs, the method is for more rows than this. The features
#: that it may need (an l1 norm needs few) must not have too many entries, nor be too many for a factor; it
#: ends where they are.
ROWS_MIN, ENTRIES_MAX, FEATURES_MAX, FEATURES_OF_A_NORM = 2000, 50_000_000, 3000, 300
#: At depth 1 models need few negatives, but under a ridge or an elastic net they are cone programs. The
#: method is faster than these with at most so many rows per feature, or with more than so many features.
ROWS_PER_FEATURE_MAX, CONE_FEATURES_MAX = 500, 100
#: Its steps, fewer than a run may have, and the share of the tolerance that is left to the products of gaps
#: and multipliers at its end.
STEPS_MAX, ROUNDING_SHARE = 150, 1e-2
#: With more negatives at the K-th score no vertex is looked for: most tie, where w is nearly 0.
VERTEX_NEGATIVES_MAX = 5000
#: Further steps under an elastic net, whose optimum is unique: small weights tend to 0 by a factor a step.
NET_STEPS_MAX = 12


def suits_all_rows(problem: PushRanking) -> bool:
    """Whether models of a part of the rows would be slower, and the penalty is no group norm.

    Parameters
    ----------
    problem : PushRanking

    Returns
    -------
    bool
    """
    (m, d), n, penalty = problem.positives.shape, problem.negatives.shape[0], problem.penalty
    if penalty.cones or penalty.free_features.size or problem.is_squared:
        return False
    has_slow_cones = d > CONE_FEATURES_MAX or m + n <= ROWS_PER_FEATURE_MAX * d
    if problem.depth == 1 and not (np.all(penalty.curvatures) and has_slow_cones):
        return False
    has_zeros = penalty.thresholds is not None and np.all(penalty.thresholds)
    n_features = min(d, FEATURES_OF_A_NORM) if has_zeros else d
    n_entries = (m + n) * n_features
    classes = problem.positives, problem.negatives
    if all(map(sp.issparse, classes)):
        n_entries = min(n_entries, sum(rows.nnz for rows in classes) / SPARSE_SHARE)
    is_small = n_features <= FEATURES_MAX and n_entries <= ENTRIES_MAX
    has_slow_models = m + n > ROWS_MIN or not penalty.is_separable
    return problem.depth < n and has_slow_models and is_small


def solve_on_all_rows(
    problem: PushRanking, rows_per_step: int, monitor: Monitor
) -> tuple[bool, DepthPushModel | None]:
    """Minimise the infinite push at a depth; under an l1 norm to a vertex of the set of optima.

    Parameters
    ----------
    problem : PushRanking
        One that `suits_all_rows`.
    rows_per_step : int
        Least half width of the band of a model.
    monitor : Monitor

    Returns
    -------
    is_over : bool
        Whether the run ends here.
    model : DepthPushModel or None
        One of the rows that bind, from which to go on.
    """
    iterate = DepthInterior(problem)
    try:
        _run_interior_point(problem, iterate, monitor)
        if monitor.status in ("stopped", "time_limit", "max_iterations"):
            return True, None
        if monitor.status == "certified" and problem.penalty.thresholds is None:
            return True, None
        return _take_sparse_point(problem, iterate, rows_per_step, monitor)
    except OutOfTime:
        monitor.status = "certified" if monitor.status == "certified" else "time_limit"
        return True, None
    except np.linalg.LinAlgError:
        return monitor.status == "certified", None


def _run_interior_point(problem: PushRanking, iterate: DepthInterior, monitor: Monitor) -> None:
    """Step until the point is certified, or rounding ends the method."""
    for n_iter in monitor.iterations():
        w = iterate.w
        if monitor.update(w, problem.objective(w), problem.lower_bound(*iterate.weights)):
            return
        iterate.add_features()
        # what is left of the gap is rounding in the equations of the weights
        is_done = iterate.complementarity < ROUNDING_SHARE * monitor.tol * monitor.objective
        is_large = iterate.n_entries > ENTRIES_MAX or iterate.features.size > FEATURES_MAX
        if is_done or is_large or n_iter in (STEPS_MAX, monitor.max_iter):
            return
        iterate.step(monitor)


def _take_sparse_point(
    problem: PushRanking, iterate: DepthInterior, rows_per_step: int, monitor: Monitor
) -> tuple[bool, DepthPushModel | None]:
    """Replace the point by a vertex, or one with exact zeros; more steps tell better which rows bind."""
    model, has_zeros = None, False
    for _ in range(SPARSE_STEPS_MAX if problem.penalty.is_separable else NET_STEPS_MAX):
        if monitor.status == "certified" and not has_zeros:
            monitor.update_lower_bound(problem.lower_bound(*iterate.weights))
            has_zeros = any(
                _take_if_certified(problem, iterate.find_sparse_point(ratio), monitor)
                for ratio in SPARSE_RATIOS
            )
        model = _make_binding_model(problem, iterate, rows_per_step) if monitor.w.any() else None
        if model is None and has_zeros:
            break
        if model is not None and _take_optimum(problem, model, monitor):
            break
        iterate.step(monitor)
    return monitor.status == "certified", model


def _take_if_certified(problem: PushRanking, w: np.ndarray, monitor: Monitor) -> bool:
    """Take a point in place of the best one if the bound certifies it too."""
    objective = problem.objective(w)
    if not objective - monitor.bound <= monitor.tol * objective:
        return False
    monitor.w, monitor.objective, monitor.status = w, objective, "certified"
    return True


def _make_binding_model(
    problem: PushRanking, iterate: DepthInterior, rows_per_step: int
) -> DepthPushModel | None:
    """Return the model of the rows that bind, if it is a linear program and they are not too many."""
    is_kink, is_threshold, is_above = iterate.find_binding_rows()
    if not problem.penalty.is_separable or np.count_nonzero(is_threshold) > VERTEX_NEGATIVES_MAX:
        return None
    model = DepthPushModel(problem, rows_per_step)
    model.features = np.sort(iterate.features)
    is_paid = iterate.weights[0] > 0.5 / is_kink.size
    return model if model.set_rows(is_kink, is_paid, is_threshold, is_above) else None


def _take_optimum(problem: PushRanking, model: DepthPushModel, monitor: Monitor) -> bool:
    """Solve a model, whose optimum is a vertex; returns whether it is certified, and taken."""
    try:
        w, *weights = model.solve(monitor.objective, monitor)
    except (OutOfTime, RuntimeError):
        return False
    monitor.update_lower_bound(problem.lower_bound(*model.spread_weights(*weights)))
    return _take_if_certified(problem, w, monitor)
