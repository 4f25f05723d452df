"""FenchelRank (Lai et al. 2013): Frank-Wolfe on the l1 ball, with exact steps and its duality gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.problems.pairwise_segment import PairwiseSegment
from toprank.solvers.monitor import Monitor

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.solvers.monitor import Solution, StepCallback


def solve(
    problem: PairwiseRanking,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    radius: float,
) -> Solution:
    r"""Minimise the mean squared hinge of the preferences over the l1 ball.

    With v = w/r and the dual point :math:`d_k = (2r^2/P)(1/r - \tilde x_k'v)_+` the published rule stops at
    :math:`\|\tilde X'd\|_\infty - d'\tilde Xv \le tol`. Its left side equals the Frank-Wolfe gap
    :math:`r\|\nabla f(w)\|_\infty + \nabla f(w)'w` of the objective f.

    Parameters
    ----------
    problem : PairwiseRanking
        Its penalty is not used.
    tol : float
        Absolute gap at which the method stops. If the relative gap is as small, the point is certified.
    max_iter : int
        Largest number of steps.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray, optional
        Ignored: the method starts at the centre of the ball.
    radius : float
        ‖w‖₁ ≤ radius.

    Returns
    -------
    Solution
        Its lower bound is the best of all steps.
    """
    monitor = Monitor("frank-wolfe", tol, max_iter, time_limit, callback)
    segment = PairwiseSegment(problem)
    n_preferences = problem.n_preferences
    w = np.zeros(problem.n_features)
    for n_iter in monitor.iterations(0):
        objective = segment.value / n_preferences
        gradient = segment.gradient() / n_preferences
        # linear minimisation over the ball: its vertices are ± radius times a unit vector
        j = int(np.argmax(np.abs(gradient)))
        # f is convex, so the objective minus the gap is a lower bound on the minimum
        gap = radius * abs(gradient[j]) + float(gradient @ w)
        if monitor.update(w, objective, objective - gap, rule_met=gap <= tol) or n_iter == max_iter:
            break
        vertex = -radius * np.sign(gradient[j])
        # exact line search on the segment to the vertex, where f is piecewise quadratic
        eta = segment.move_to_minimum(segment.column(j, vertex))
        w = (1.0 - eta) * w
        w[j] += eta * vertex
    return monitor.solution(w, objective)
