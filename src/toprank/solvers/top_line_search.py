"""The line search of exact top ranking: the scores are linear in the step, so a trial reads no data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.top_mean import compute_top_weights

if TYPE_CHECKING:
    from toprank.problems.top import TopRanking


@njit_cached(fastmath=REORDERING_FLAGS)
def _sum_hinge_slopes(step: float, p: np.ndarray, q: np.ndarray, dp: np.ndarray, dq: np.ndarray) -> float:
    """Highest negative on a segment, and the sum of (hinge) (its rise − rise of the positive) there."""
    highest, top_index = q[0] + step * dq[0], 0
    for j in range(1, q.size):
        score = q[j] + step * dq[j]
        if score > highest:
            highest, top_index = score, j
    weighted_rise, rise = 0.0, dq[top_index]
    for i in range(p.size):
        hinge = 1.0 + highest - p[i] - step * dp[i]
        if hinge > 0.0:
            weighted_rise += hinge * (rise - dp[i])
    return weighted_rise


def _sum_hinge_slopes_at_depth(
    step: float, p: np.ndarray, q: np.ndarray, dp: np.ndarray, dq: np.ndarray, depth: float
) -> float:
    """Return `_sum_hinge_slopes` where the mean of the K highest negatives takes the place of the highest."""
    moved = q + step * dq
    rows, weights = compute_top_weights(moved, depth)
    hinge = np.maximum(1.0 + weights @ moved[rows] - p - step * dp, 0.0)
    return float(hinge @ (weights @ dq[rows] - dp))


def search_step(
    problem: TopRanking,
    w: np.ndarray,
    scores: tuple[np.ndarray, np.ndarray],
    new_w: np.ndarray,
    new_scores: tuple[np.ndarray, np.ndarray],
    min_step: float = 0.0,
) -> float:
    """Minimise the objective on the segment from w to new_w.

    The scores are linear in the step, so a trial costs a few vector operations and no pass over the data. The
    derivative is monotone (F is convex): its root to 1 % is enough for a Newton method, and a full step
    that still descends is taken at once.

    Parameters
    ----------
    problem : TopRanking
    w, new_w : ndarray of shape (d,)
    scores, new_scores : tuple of ndarray of shapes (m,) and (n,)
        Of the positives and negatives at both ends.
    min_step : float, default=0
        A smaller step is not worth looking for: 0 is returned.

    Returns
    -------
    float
        The step, in [0, 1].
    """
    (p, q), dw = scores, new_w - w
    ridge_slope, ridge_curvature = problem.alpha * (w @ dw), problem.alpha * (dw @ dw)
    dp, dq = new_scores[0] - p, new_scores[1] - q

    def compute_slope(length: float) -> float:
        """Return the derivative of the objective at a step of this length.

        Parameters
        ----------
        length : float

        Returns
        -------
        float
        """
        if problem.depth == 1:
            weighted_rise = _sum_hinge_slopes(length, p, q, dp, dq)
        else:
            weighted_rise = _sum_hinge_slopes_at_depth(length, p, q, dp, dq, problem.depth)
        return ridge_slope + length * ridge_curvature + 2.0 / p.size * weighted_rise

    if compute_slope(1.0) <= 0.0:
        return 1.0
    if compute_slope(min_step) >= 0.0:
        return 0.0
    return brentq(compute_slope, 0.0, 1.0, xtol=1e-9, rtol=1e-2)
