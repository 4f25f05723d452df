"""Ridge infinite push: projected gradient on its dual over the l1,inf ball (R12 eq. 3; Agarwal 2011)."""

from __future__ import annotations

import math
from time import perf_counter

import numpy as np

from toprank.certificate import Certificate
from toprank.projections import clip_levels
from toprank.solvers import pairs


def solve(problem, tol=1e-6, max_iter=10_000, time_limit=None, callback=None):
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
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, lower_bound)`` after each iteration.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
    n_iter : int

    Raises
    ------
    ValueError
        If the penalty is not the ridge: the dual of a norm is no quadratic.
    """
    if not problem.penalty.ridge:
        raise ValueError("solver 'dual' needs the ridge (penalty 'l2'); use 'exact' or 'admm' for a norm")
    started = perf_counter()
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    largest = np.linalg.eigvalsh(pairs.gram(problem))[-1]
    rate = problem.alpha / largest if largest > 0.0 else 1.0
    present = ahead = np.zeros((m, n))
    best_w, best_objective, best_bound = np.zeros(problem.n_features), 1.0, 0.0  # w = 0
    t, status, n_iter = 1.0, "max_iterations", 0
    for n_iter in range(1, max_iter + 1):
        scores = problem.scores(pairs.weigh(problem, ahead) / problem.alpha)
        raised = np.maximum(ahead + rate * (1.0 - pairs.differences(*scores)), 0.0)
        new = np.minimum(raised, clip_levels(raised, 1.0 / m))
        if np.sum((ahead - new) * (new - present)) > 0.0:
            t = 1.0
        t_next = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * t * t))
        ahead = new + (t - 1.0) / t_next * (new - present)
        present, t = new, t_next

        w = pairs.weigh(problem, present) / problem.alpha
        objective = problem.objective(w)
        if objective < best_objective:
            best_w, best_objective = w, objective
        best_bound = max(best_bound, problem.lower_bound(present.sum(axis=1), present.sum(axis=0)))
        if callback is not None:
            callback(n_iter, w, objective, best_bound)
        if best_objective - best_bound <= tol * best_objective:
            status = "optimal"
            break
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
    return best_w, Certificate(best_objective, status, min(best_bound, best_objective)), n_iter
