"""FenchelRank (Lai et al. 2013): Frank-Wolfe on the l1 ball, with exact steps and its duality gap."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from toprank.certificate import Certificate
from toprank.problems.pairwise_segment import PairwiseSegment


def solve(problem, radius, tol=1e-3, max_iter=1000, time_limit=None, callback=None):
    r"""Minimise the mean squared hinge of the preferences over the l1 ball.

    With v = w/r and the dual point :math:`d_k = (2r^2/P)(1/r - \tilde x_k'v)_+` the published rule stops at
    :math:`\|\tilde X'd\|_\infty - d'\tilde Xv \le tol`. This is the Frank-Wolfe gap
    :math:`r\|\nabla f(w)\|_\infty + \nabla f(w)'w` of the objective f in units of w: no constant comes in.

    Parameters
    ----------
    problem : PairwiseRanking
        Its penalty plays no part.
    radius : float
        ‖w‖₁ ≤ radius.
    tol : float
        Absolute gap at which the method stops.
    max_iter : int
        Steps.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, objective, gap)`` at each point.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
        The lower bound is the best that a step has proved.
    n_iter : int
    """
    started = perf_counter()
    segment = PairwiseSegment(problem)
    n_preferences = problem.n_preferences
    w = np.zeros(problem.n_features)
    best_bound, status = 0.0, "max_iterations"
    for n_iter in range(max_iter + 1):
        objective = segment.value / n_preferences
        gradient = segment.gradient() / n_preferences
        j = int(np.argmax(np.abs(gradient)))
        gap = max(radius * abs(gradient[j]) + float(gradient @ w), 0.0)
        best_bound = max(best_bound, objective - gap)
        if callback is not None:
            callback(n_iter, w, objective, gap)
        if gap <= tol:
            status = "optimal"
            break
        if n_iter == max_iter:
            break
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
        vertex = -radius * np.sign(gradient[j])
        eta = segment.move_to_minimum(segment.column(j, vertex))
        w = (1.0 - eta) * w
        w[j] += eta * vertex
    return w, Certificate(objective, status, min(best_bound, objective)), n_iter
