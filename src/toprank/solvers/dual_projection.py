"""Projection on the dual weights of a ranking at depth K, and the linear equations between the free ones.

The weights a of the positives and b of the negatives satisfy a >= 0 (a <= 1/m under the plain hinge),
Σa = Σb, and at depth K 0 <= b <= Σa / K. With the cap c = Σa / K as a variable, the projection is a root of
one piecewise linear function, and inside of it of a second one; depth 1 needs no cap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from toprank.jit import njit_cached

#: Sweeps after which a root is taken as it is: Newton and bisection need far fewer.
SWEEPS_MAX = 200
#: Relative change at which a root has no more digits.
ROOT_RTOL = 1e-16


@njit_cached
def _sum_clipped(points: np.ndarray, shift: float, upper: float) -> tuple[float, float, float, float]:
    """Sum of points − shift between 0 and the upper end, their number, the number above, and the excess."""
    total, n_free, n_above, excess = 0.0, 0.0, 0.0, 0.0
    for i in range(points.size):
        value = points[i] - shift
        if value >= upper:
            n_above += 1.0
            excess += value - upper
        elif value > 0.0:
            total += value
            n_free += 1.0
    return total, n_free, n_above, excess


@njit_cached
def _find_range(points: np.ndarray) -> tuple[float, float]:
    low, high = points[0], points[0]
    for i in range(1, points.size):
        low, high = min(low, points[i]), max(high, points[i])
    return low, high


@njit_cached
def _find_level(
    positives: np.ndarray, negatives: np.ndarray, share: float, upper: float, guess: float
) -> float:
    """Root g of share Σ clip(positives − g, 0, upper) = Σ (negatives + g)₊: Newton in a bracket."""
    # The left side falls and the right one rises in g, both piecewise linear: Newton is exact once it is on
    # the piece of the root, and the bracket keeps it from running off before.
    # At the low end the right sum is 0, at the high end the left one.
    low, high = -_find_range(negatives)[1], _find_range(positives)[1]
    if high <= low:
        return low  # both sums are 0
    g = min(max(guess, low), high)
    for _ in range(SWEEPS_MAX):
        total, n_free, n_above, _ = _sum_clipped(positives, g, upper)
        left = total + n_above * upper if n_above > 0.0 else total
        right, n_right, _, _ = _sum_clipped(negatives, -g, np.inf)
        excess, slope = share * left - right, share * n_free + n_right
        if excess > 0.0:
            low = g
        elif excess < 0.0:
            high = g
        else:
            return g
        # without a free weight on the piece there is no Newton step, and the bracket is halved
        moved = g + excess / slope if slope > 0.0 else low
        if not low < moved < high:
            moved = 0.5 * (low + high)
        if moved <= low or moved >= high or abs(moved - g) <= ROOT_RTOL * abs(g):
            return moved
        g = moved
    return g


@njit_cached
def _find_threshold(negatives: np.ndarray, cap: float, depth: float, guess: float) -> float:
    """Root θ of Σ clip(negatives − θ, 0, cap) = depth cap: Newton in a bracket."""
    # At θ = max both sides are 0 and depth cap, at θ = min − cap every weight is at the cap.
    low, high = _find_range(negatives)
    low -= cap
    if depth >= negatives.size:
        return low
    theta = min(max(guess, low), high)
    for _ in range(SWEEPS_MAX):
        total, n_free, n_above, _ = _sum_clipped(negatives, theta, cap)
        excess = total + n_above * cap - depth * cap
        if excess > 0.0:
            low = theta
        elif excess < 0.0:
            high = theta
        else:
            return theta
        moved = theta + excess / n_free if n_free > 0.0 else low
        if not low < moved < high:
            moved = 0.5 * (low + high)
        if moved <= low or moved >= high or abs(moved - theta) <= ROOT_RTOL * abs(theta):
            return moved
        theta = moved
    return theta


@njit_cached
def _find_cap(
    positives: np.ndarray,
    negatives: np.ndarray,
    share: float,
    upper: float,
    depth: float,
    cap: float,
    theta: float,
) -> tuple[float, float, float]:
    """Cap c at which both classes have the sum K c, the threshold θ and the level g: Newton in a bracket.

    The level is the derivative of the distance of the negatives in K c, so the difference of the sums falls.
    """
    low, high, level = 0.0, np.inf, 0.0
    for _ in range(SWEEPS_MAX):
        theta = _find_threshold(negatives, cap, depth, theta)
        _, n_free, n_above, excess = _sum_clipped(negatives, theta, cap)
        # Stationarity in the cap c of ½‖a − a₀‖² + ½‖b − b₀‖²: −K g − K θ − Σν = 0, where ν, the multipliers
        # of b ≤ c, sum to the excess.
        level = -theta - excess / depth
        total, n_positives, n_full, _ = _sum_clipped(positives, level, upper)
        left = total + n_full * upper if n_full > 0.0 else total
        difference = share * left - depth * cap
        if difference > 0.0:
            low = cap
        elif difference < 0.0:
            high = cap
        else:
            break
        # on the present piece the threshold moves by (n_above − K) / n_free
        rise = 1.0
        if n_free > 0.0:
            rise = (depth - n_above) / n_free
            rise -= n_above / depth * (rise - 1.0)
        moved = cap + difference / (share * n_positives * rise + depth)
        if not low < moved < high:
            # before an upper end is known, the cap doubles
            moved = 0.5 * (low + high) if high < np.inf else 2.0 * cap
        if moved <= low or moved >= high or abs(moved - cap) <= ROOT_RTOL * cap:
            break
        cap = moved
    return cap, theta, level


@dataclass
class DualWeights:
    """A point of the feasible set.

    Attributes
    ----------
    a : ndarray of shape (m,)
        Weights of the positives.
    b : ndarray of shape (n,)
        Weights of the negatives.
    cap : float
        Largest possible weight of a negative; infinite at depth 1.
    """

    a: np.ndarray
    b: np.ndarray
    cap: float

    @cached_property
    def all_weights(self) -> np.ndarray:
        """The weights of the positives, then those of the negatives."""
        return np.concatenate([self.a, self.b])


class DualProjection:
    """Proximal steps of the conjugate of a loss, which are projections on the feasible set in a metric.

    Parameters
    ----------
    curvature : float
        Of the conjugate in each weight of a positive: m / 2 under the squared hinge, 0 under the hinge.
    upper : float
        Largest weight of a positive.
    depth : float
        K, from 1 to n.
    """

    def __init__(self, curvature: float, upper: float, depth: float) -> None:
        self.curvature, self.upper, self.depth = curvature, upper, depth
        self._level = self._theta = 0.0  # roots of the last projection, where the next search starts
        self._cap = 1.0 / depth

    def compute_share(self, step: float) -> float:
        """Return the part of a move that the curvature leaves to a weight of a positive.

        Parameters
        ----------
        step : float
            Of the proximal step.

        Returns
        -------
        float
        """
        return 1.0 / (1.0 + step * self.curvature)

    def __call__(self, positives: np.ndarray, negatives: np.ndarray, step: float) -> DualWeights:
        """Project a pair of points; the positives' is shrunk by their curvature."""
        # the conjugate's curvature shrinks the weight of a positive by this share (1 for the hinge)
        share = self.compute_share(step)
        upper = self.upper / share
        # K = 1 needs no cap: one root g, a = clip(a₀ − g, 0, 1/m) and b = (b₀ + g)₊
        if self.depth == 1:
            self._level = _find_level(positives, negatives, share, upper, self._level)
            a = np.minimum(share * np.maximum(positives - self._level, 0.0), self.upper)
            return DualWeights(a, np.maximum(negatives + self._level, 0.0), np.inf)
        self._cap, self._theta, level = _find_cap(
            positives, negatives, share, upper, self.depth, self._cap or 1.0, self._theta
        )
        a = np.minimum(share * np.maximum(positives - level, 0.0), self.upper)
        return DualWeights(a, np.clip(negatives - self._theta, 0.0, self._cap), self._cap)
