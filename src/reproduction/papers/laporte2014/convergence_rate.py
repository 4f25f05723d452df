"""Judge of L14's claim on convergence rates: FenchelRank on a problem on which it must be slow."""

from __future__ import annotations

import numpy as np

from reproduction.statistics.paired_tests import log_log_slope


def judge_convergence_rate(d: int = 1000, first_step: int = 3, last_step: int = 60) -> dict:
    """Measure how fast FenchelRank converges on a problem on which it must be slow.

    The p-th of d pairs is the p-th unit vector, and the radius of the ball is 1. A step of FenchelRank adds
    at most one feature: after k steps the sum of the squared hinges is at least d − 2 + 1/k, and at the
    optimum it is d − 2 + 1/d.

    Parameters
    ----------
    d : int
        Number of pairs, and of features.
    first_step, last_step : int
        Steps between which the power of the decrease is fitted; last_step is far below d, so that the end of
        the descent does not enter.

    Returns
    -------
    dict
        ``power`` of the decrease of the excess over the optimum, ``d``, ``least`` and ``most`` (the steps),
        and ``holds``: whether the power is nearer to 2, the rate of Algorithm 1, than to 1.
    """
    w, excess = np.zeros(d), []
    for _ in range(last_step):
        # Frank-Wolfe step with exact line search, from w = 0
        gradient = -2 * (1 - w)  # no hinge comes to rest within the ball
        step = -w
        step[np.argmax(np.abs(gradient))] += 1.0
        w = w + min(-(gradient @ step) / (2 * step @ step), 1.0) * step
        excess.append(np.sum((1 - w) ** 2) - (d - 2 + 1 / d))
    # slope of the excess over the steps in logarithms, without the first steps
    power = -log_log_slope(range(first_step, last_step + 1), excess[first_step - 1 :])
    return {"holds": power >= 1.5, "d": d, "power": power, "least": first_step, "most": last_step}
