"""Proximal Newton for a smooth ranking loss plus an l1 norm, an elastic net, a group norm or a ridge.

Each step minimises the second-order model of the loss plus the penalty exactly (`quadratic`), followed by a
backtracking line search (Armijo). It does not depend on the units of the features. The squared hinge is
piecewise quadratic: on the right piece a step is exact.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve

from toprank.clock import OutOfTime
from toprank.problems import pairwise_loss
from toprank.problems.pairwise_newton import NewtonSystems, solve_newton_system
from toprank.solvers.group_quadratic import minimise_groups
from toprank.solvers.monitor import Monitor
from toprank.solvers.pair_separation import find_separating_point
from toprank.solvers.quadratic import JITTER_MIN, factorise_with_jitter, minimise_l1

if TYPE_CHECKING:
    from toprank.penalties import GroupL2
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.problems.pairwise_loss import PairwiseLoss
    from toprank.solvers.monitor import Solution, StepCallback

#: What the estimators load beside this solver, for the digest of a fit's code.
ESTIMATOR_TOOLS = ("toprank.solvers.free_pairs",)
ARMIJO_FRACTION = 1e-4  # share of the predicted decrease that a step must reach; the usual constant
WORKING_SET_SHARE = 0.5  # a zero weight enters the model if its slope exceeds this share of its threshold
#: Relative: the solver has stalled if neither the objective falls by more nor the violation.
STALL_RTOL = 1e-14
#: Features that a model may always have; a larger one has at most twice the nonzero weights.
WORKING_SET_MIN = 100
NET_STEPS_MAX = 60  # factorisations for the model under an elastic net, which may need many to gain little
REFINEMENTS = 2  # of the solution of a linear system
WOLFE_RTOL = 1e-12  # relative: if the objective rises by less, its slope decides about a step


def _select_working_set(w: np.ndarray, gradient: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Features of the model: nonzero weights, and the zero weights whose slopes exceed their thresholds most.

    The gradient, the bound and the optimality conditions cover all features, so a feature that is missing in
    the model can only cost a further step.
    """
    is_nonzero = w != 0.0
    candidates = np.flatnonzero(~is_nonzero & (np.abs(gradient) > WORKING_SET_SHARE * thresholds))
    in_use = np.flatnonzero(is_nonzero)
    max_candidates = max(WORKING_SET_MIN - in_use.size, in_use.size)
    if candidates.size > max_candidates:
        excess = np.abs(gradient[candidates]) - thresholds[candidates]
        candidates = candidates[np.argpartition(-excess, max_candidates)[:max_candidates]]
    return np.union1d(in_use, candidates)


def _select_working_groups(penalty: GroupL2, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
    """Features of the model under a group norm, in whole groups: as `_select_working_set`."""
    groups, slopes = penalty.groups_of(w.size), penalty.norms(gradient)
    is_chosen, sizes = penalty.norms(w) > 0.0, np.bincount(groups)
    max_features = max(WORKING_SET_MIN - sizes[is_chosen].sum(), sizes[is_chosen].sum())
    candidates = np.flatnonzero(~is_chosen & (slopes > WORKING_SET_SHARE * alpha))
    candidates = candidates[np.argsort(-slopes[candidates], kind="stable")]
    # at least one group, however large
    is_within_limit = np.cumsum(sizes[candidates]) - sizes[candidates] < max_features
    is_chosen[candidates[is_within_limit]] = True
    return np.flatnonzero(is_chosen[groups])


def _compute_newton_direction(
    problem: PairwiseRanking,
    w: np.ndarray,
    scores: np.ndarray,
    loss: PairwiseLoss,
    gradient: np.ndarray,
    tol: float,
    systems: NewtonSystems,
    monitor: Monitor,
) -> np.ndarray:
    """Direction from w to the minimum of the model, up to a violation ``tol`` of its optimality conditions.

    If the time is up, it is less accurate but still downhill. Raises `OutOfTime` if the time is too short for
    a model.
    """
    penalty, alpha = problem.penalty, problem.alpha
    # smooth: the model's minimum solves one linear system, without a working set
    if penalty.ridge or (penalty.thresholds is not None and not np.any(penalty.thresholds)):
        curvatures = alpha * penalty.curvatures
        slope, ridge = gradient + curvatures * w, curvatures * (1.0 + JITTER_MIN)
        if w.size > pairwise_loss.DENSE_HESSIAN_MAX_D:
            tol = max(tol / np.linalg.norm(slope), systems.choose_forcing_term(slope))
            return systems.solve(scores, loss, slope, np.broadcast_to(ridge, w.shape), tol)
        if penalty.ridge:
            return solve_newton_system(problem, scores, loss, slope, ridge)
        return _solve_singular(problem, scores, loss, slope, ridge, monitor)
    if penalty.thresholds is not None:
        thresholds = alpha * np.broadcast_to(penalty.thresholds, w.shape)
        features = _select_working_set(w, gradient, thresholds)
        minimise = partial(minimise_l1, thresholds=thresholds[features])
    else:
        features = _select_working_groups(penalty, w, gradient, alpha)
        minimise = partial(minimise_groups, penalty=penalty.restrict_to(features), alpha=alpha)
    direction, start = np.zeros_like(w), w[features]
    monitor.require_budget(problem.hessian_operations(features.size))
    # the model in z = w + step: ½ z'Hz + (g − Hw)'z + alpha Ω(z), started from w
    hessian = problem.hessian(scores, loss, features)
    if np.any(penalty.curvatures):  # the squares of an elastic net belong to the quadratic
        curvatures = alpha * np.broadcast_to(penalty.curvatures, w.shape)[features]
        hessian[np.diag_indices_from(hessian)] += curvatures
        linear = gradient[features] + curvatures * start - hessian @ start
        minimise = partial(minimise, max_steps=NET_STEPS_MAX)
    else:
        linear = gradient[features] - hessian @ start
    direction[features] = minimise(hessian, linear, z=start, tol=tol, clock=monitor) - start
    return direction


def _solve_singular(
    problem: PairwiseRanking,
    scores: np.ndarray,
    loss: PairwiseLoss,
    slope: np.ndarray,
    ridge: np.ndarray,
    monitor: Monitor,
) -> np.ndarray:
    """Newton step where features without a ridge may make the Hessian singular."""
    monitor.require_budget(problem.hessian_operations(slope.size))
    hessian = problem.hessian(scores, loss)
    hessian[np.diag_indices_from(hessian)] += ridge
    factor = factorise_with_jitter(hessian.copy())
    step = -cho_solve(factor, slope)
    for _ in range(REFINEMENTS):  # takes away what the jitter changes
        step -= cho_solve(factor, hessian @ step + slope)
    return step


def solve(
    problem: PairwiseRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    certify: bool = True,
) -> Solution:
    """Minimise a loss with a Hessian plus a penalty, until gap and optimality conditions are within ``tol``.

    Parameters
    ----------
    problem : PairwiseRanking
        Under a convex penalty.
    tol : float
        The solver stops when both the relative duality gap and the violation of the optimality conditions,
        relative to the penalty's slope, are at most this.
    max_iter : int
        Largest number of Newton steps.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    certify : bool, default=True
        If False, no bound is computed, and the optimality conditions alone decide.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the penalty is not convex.
    """
    monitor = Monitor("prox-newton", tol, max_iter, time_limit, callback)
    penalty, alpha = problem.penalty, problem.alpha
    if not penalty.is_convex:
        raise ValueError(f"prox-newton needs a convex penalty, unlike {penalty!r}; take monotone_fista")
    w = np.zeros(problem.n_features) if start is None else np.array(start, dtype=float)
    scores = problem.X @ w
    loss = problem.loss(scores)
    objective = loss.value + alpha * penalty.value(w)
    last_objective, kkt, systems = np.inf, np.inf, NewtonSystems(problem, monitor)
    for n_iter in monitor.iterations(0):
        gradient, last_kkt = problem.gradient(loss), kkt
        bound = problem.lower_bound(loss, gradient) if certify else None
        kkt = penalty.relative_violation(w, gradient, alpha)
        if monitor.update(w, objective, bound, kkt) or n_iter == max_iter:
            break
        # neither has moved beyond rounding
        if kkt >= last_kkt and objective >= (1.0 - STALL_RTOL) * last_objective:
            monitor.status = "stalled"
            break
        last_objective = objective
        # far from the minimum (violation above the slope itself) the model is solved coarsely, near it more
        # accurately, at most to a thousandth of tol
        inner_tol = 0.1 * kkt if kkt > 1.0 else max(0.1 * kkt * tol, 1e-3 * tol)
        inner_tol *= penalty.slope_size(w, gradient, alpha)
        try:
            direction = _compute_newton_direction(
                problem, w, scores, loss, gradient, inner_tol, systems, monitor
            )
        except OutOfTime:
            monitor.status = "time_limit"
            break
        point = _search_step(problem, w, scores, objective, gradient, direction)
        if point is None:
            monitor.status = "stalled"
            break
        w, scores, loss, objective = find_separating_point(problem, *point)
    return monitor.solution()


def _search_step(
    problem: PairwiseRanking,
    w: np.ndarray,
    scores: np.ndarray,
    objective: float,
    gradient: np.ndarray,
    direction: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, PairwiseLoss, float] | None:
    """Backtrack along a direction; returns w, scores, loss and objective, or None if no step lowers it."""
    penalty, alpha = problem.penalty, problem.alpha
    direction_scores = problem.X @ direction
    # decrease that the linearised loss predicts (Tseng and Yun 2009); negative for a direction downhill
    predicted_change = float(gradient @ direction) + alpha * (penalty.value(w + direction) - penalty.value(w))
    step = 1.0
    while True:
        new_w, new_scores = w + step * direction, scores + step * direction_scores
        new_loss = problem.loss(new_scores)
        new_objective = new_loss.value + alpha * penalty.value(new_w)
        if new_objective <= objective + ARMIJO_FRACTION * step * predicted_change or step < 1e-10:
            break
        # the approximate Wolfe condition of Hager and Zhang (2005)
        # near the minimum the decrease is below rounding, but the slope still has digits:
        if new_objective <= (1.0 + WOLFE_RTOL) * objective:
            penalty_slope = penalty.directional_derivative(new_w, direction)
            slope = float(problem.gradient(new_loss) @ direction) + alpha * penalty_slope
            if slope <= 0.9 * abs(predicted_change):
                break
        step *= 0.5
    if new_objective >= objective and step < 1e-10:
        return None
    return new_w, new_scores, new_loss, new_objective
