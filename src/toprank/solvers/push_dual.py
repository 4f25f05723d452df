"""Ridge infinite push: projected gradient on its dual over the l1,inf ball (R12 eq. 3; Agarwal 2011)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import EIGENVALUE_COST, OutOfTime
from toprank.projections import compute_clip_levels
from toprank.solvers import pairs
from toprank.solvers.monitor import Monitor, advance_momentum

if TYPE_CHECKING:
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback


def solve(
    problem: PushRanking,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
) -> Solution:
    r"""Maximise :math:`\sum_{ij}\pi_{ij} - \|\tilde X'\pi\|^2/(2\alpha)` over π ≥ 0, Σ_j max_i π_ij ≤ 1/m.

    Accelerated, and restarted where the momentum points downhill; the step is the inverse of the largest
    eigenvalue of the pairs' Gram matrix over alpha.

    Parameters
    ----------
    problem : PushRanking
        Under the ridge.
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray, optional
        Ignored: the method works on the dual, and starts at zero.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the penalty is not the ridge: the dual of a norm is not quadratic.
    """
    if not problem.penalty.ridge:
        raise ValueError("solver 'dual' needs the ridge (penalty 'l2'); use 'exact' or 'admm' for a norm")
    monitor = Monitor("dual", tol, max_iter, time_limit, callback)
    pairs.warn_of_pair_count(problem, "dual")
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    try:
        monitor.require_budget(EIGENVALUE_COST * problem.n_features**3)
        largest = np.linalg.eigvalsh(pairs.compute_gram(problem, monitor))[-1]
    except OutOfTime:
        monitor.status = "time_limit"
        monitor.update_lower_bound(0.0)
        return monitor.solution()
    # inverse Lipschitz constant of the gradient of the dual
    step = problem.alpha / largest if largest > 0.0 else 1.0
    current = extrapolated = np.zeros((m, n))
    t = 1.0
    for _ in monitor.iterations():
        # w belongs to π by w = X̃'π / alpha; the gradient in π_ij is 1 minus the score difference
        scores = problem.scores(pairs.sum_weighted_pairs(problem, extrapolated) / problem.alpha)
        ascended = np.maximum(extrapolated + step * (1.0 - pairs.compute_score_differences(*scores)), 0.0)
        # projection on the l1,inf ball of radius 1/m: each column is clipped at its level
        new = np.minimum(ascended, compute_clip_levels(ascended, 1.0 / m))
        if np.sum((extrapolated - new) * (new - current)) > 0.0:
            t = 1.0
        new_t = advance_momentum(t)
        extrapolated = new + (t - 1.0) / new_t * (new - current)
        current, t = new, new_t

        # the gap is taken at the projected point, which is dual feasible
        w = pairs.sum_weighted_pairs(problem, current) / problem.alpha
        bound = problem.lower_bound(current.sum(axis=1), current.sum(axis=0))
        if monitor.update(w, problem.objective(w), bound):
            break
    return monitor.solution()
