"""Infinite push by the alternating direction method of multipliers on all pairs (R12, Algorithm 1)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from toprank.clock import CHOLESKY_COST, UNLIMITED, OutOfTime
from toprank.jit import njit_cached
from toprank.problems.push import prox_max_hinge
from toprank.projections import compute_clip_levels
from toprank.solvers import pairs
from toprank.solvers.monitor import Monitor
from toprank.solvers.quadratic import minimise_l1, run_sweeps
from toprank.solvers.solver_specs import PairADMM

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: Cap on the sweeps over the groups of features in one step in w.
MAX_SWEEPS = 10_000


@njit_cached
def _descend_blocks(gram, slope, w, blocks, step, tol, max_sweeps) -> bool:
    """Lower ½ w'Gw − c'w + step Σ_g ‖w_g‖ in place, by proximal steps block by block.

    ``slope`` is Gw − c and is kept up to date. Returns whether w has stopped moving.
    ``blocks`` are the features sorted by block, the first place of each block, and their curvatures.
    """
    order, starts, curvatures = blocks
    change = np.empty(w.size)
    for _ in range(max_sweeps):
        largest = 0.0
        for g in range(starts.size - 1):
            length, size = 0.0, 0.0
            for k in range(starts[g], starts[g + 1]):
                j = order[k]
                change[k] = w[j] - slope[j] / curvatures[g]
                length += change[k] * change[k]
            length = math.sqrt(length)
            # block soft thresholding, the prox of the norm; the curvature is the block's largest eigenvalue
            shrink = max(1.0 - step / (curvatures[g] * length), 0.0) if length > 0.0 else 0.0
            for k in range(starts[g], starts[g + 1]):
                change[k] = shrink * change[k] - w[order[k]]
                size = max(size, abs(change[k]))
            if size > 0.0:
                for k in range(starts[g], starts[g + 1]):
                    j = order[k]
                    w[j] += change[k]
                    # rank-one update of the slope: a block that does not move costs nothing
                    for other_feature in range(w.size):
                        slope[other_feature] += change[k] * gram[j, other_feature]
                largest = max(largest, curvatures[g] * size)
        if largest <= tol:
            return True
    return False


class _WeightStep:
    """argmin_w ½‖X̃w − s‖² + step Ω(w), from c = X̃'s; warm-started, for the ridge with one factorisation."""

    def __init__(self, problem: PushRanking, mu: float, tol: float, clock: Clock) -> None:
        self.gram, self.step, self.tol = pairs.compute_gram(problem, clock), problem.alpha / mu, tol
        self.clock, d = clock, problem.n_features
        self.w = np.zeros(d)
        self.factor = None
        if problem.penalty.ridge:
            clock.require_budget(CHOLESKY_COST * d**3 / 3.0)
            self.factor = cho_factor(self.gram + self.step * problem.penalty.ridge * np.eye(d))
            return
        self.thresholds = problem.penalty.thresholds
        if self.thresholds is not None:
            # the squares of an elastic net belong to the quadratic
            self.gram[np.diag_indices(d)] += self.step * problem.penalty.curvatures
            return
        groups = problem.penalty.groups_of(d)
        self.order = np.argsort(groups, kind="stable")
        self.starts = np.append(0, np.cumsum(np.bincount(groups)))
        blocks = np.split(self.order, self.starts[1:-1])
        largest = np.array([np.linalg.eigvalsh(self.gram[np.ix_(g, g)])[-1] for g in blocks])
        # a constant feature has neither curvature nor slope
        self.curvatures = np.where(largest > 0.0, largest, 1.0)

    def __call__(self, linear: np.ndarray) -> np.ndarray:
        """Return the minimiser for c = linear, started from the last one."""
        if self.factor is not None:
            return cho_solve(self.factor, linear)
        tol = self.tol * max(np.abs(linear).max(), self.step)
        if self.thresholds is not None:
            thresholds = np.full(linear.size, self.step) * self.thresholds
            self.w = minimise_l1(self.gram, -linear, thresholds, self.w, tol, clock=self.clock)
            return self.w
        blocks, slope = (self.order, self.starts, self.curvatures), self.gram @ self.w - linear
        descend = partial(_descend_blocks, self.gram, slope, self.w, blocks, self.step, tol)
        run_sweeps(descend, MAX_SWEEPS, linear.size, self.clock)
        return self.w.copy()


def _compute_prox_douglas_rachford(
    slacks: np.ndarray, step: float, tol: float, clock: Clock = UNLIMITED, max_iter: int = 10_000
) -> np.ndarray:
    """R12's lines 8 to 18: block descent on a = a⁺ − a⁻, and Douglas–Rachford with gamma = eta = 1 for a⁺.

    Line 14 omits the radius, gamma/(m mu), here ``step``. Both loops end when no entry changes by more than
    ``tol``, or when the time is up.
    """
    upper = np.zeros_like(slacks)
    for _ in range(max_iter):
        # block of a⁻: closed form
        lower = np.maximum(upper - slacks, 0.0)
        b = lower + slacks
        v = np.zeros_like(slacks)
        u = np.maximum(v + b, 0.0) / 2.0
        for _ in range(max_iter):
            reflected = 2.0 * u - v
            # reflection, then the prox of the l1,inf gauge by its projection (Moreau)
            levels = compute_clip_levels(np.abs(reflected), step)
            v += u - v - np.clip(reflected, -levels, levels)
            last_u, u = u, np.maximum(v + b, 0.0) / 2.0
            if np.abs(u - last_u).max() <= tol or clock.is_over():
                break
        change = np.abs(u - upper).max()
        upper = u
        if change <= tol or clock.is_over():
            break
    return upper - lower


def solve(
    problem: PushRanking,
    *,
    tol: float = 1e-4,
    max_iter: int = 5000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    method: PairADMM | None = None,
    prox_tol: float = 1e-6,
) -> Solution:
    """Minimise `PushRanking` on its m n pairs, whose slacks are stored, but not their differences.

    Parameters
    ----------
    problem : PushRanking
    tol : float
        Relative duality gap at which the solver stops (the paper names no rule).
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`; the paper's inner loops keep the limit, too.
    start : ndarray, optional
        Ignored: the method starts from slacks and multipliers of zero.
    method : toprank.PairADMM, optional
        How the prox of the loss is computed, by one projection on the l1,inf ball or by the paper's two inner
        loops around it, and the penalty mu of the augmented Lagrangian; by default ``PairADMM()``.
    prox_tol : float
        Largest change at which the paper's inner loops end (the paper names no rule).

    Returns
    -------
    Solution
    """
    method = method or PairADMM()
    monitor = Monitor("admm", tol, max_iter, time_limit, callback)
    pairs.warn_of_pair_count(problem, "admm")
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    mu = 1.0 / (m * n) if method.mu is None else method.mu
    try:
        weight_step = _WeightStep(problem, mu, min(1e-2 * tol, 1e-6), monitor)
    except OutOfTime:
        monitor.status = "time_limit"
        monitor.update_lower_bound(0.0)
        return monitor.solution()
    a, multipliers = np.zeros((m, n)), np.zeros((m, n))
    for _ in monitor.iterations():
        # R12 Algorithm 1, first block: penalised least squares in w
        w = weight_step(pairs.sum_weighted_pairs(problem, 1.0 - a - multipliers))
        scores = problem.scores(w)
        # second block: prox of the maximum of mean hinges at the shifted slacks
        slack = 1.0 - multipliers - pairs.compute_score_differences(*scores)
        if method.prox == "exact":
            a = prox_max_hinge(slack, 1.0 / (m * mu))
        else:
            a = _compute_prox_douglas_rachford(slack, 1.0 / (m * mu), prox_tol, monitor)
        # scaled multipliers, in one expression with the slack
        multipliers = a - slack

        # after the prox, −mu times the multipliers is dual feasible up to a scale, which the bound corrects
        weights = np.maximum(-mu * multipliers, 0.0)
        bound = problem.lower_bound(weights.sum(axis=1), weights.sum(axis=0))
        if monitor.update(w, problem.objective(w, scores), bound):
            break
    return monitor.solution()
