"""Elastic net: the l1 norm and the ridge in one, with a weight for each feature that may be 0."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toprank.parameters import is_number
from toprank.penalties.base import Penalty
from toprank.penalties.convex import L1, compute_subgradient_distance

if TYPE_CHECKING:
    from toprank.typing import Weights


@dataclass(eq=False)
class ElasticNet(Penalty):
    r"""Elastic net: ρ‖w‖₁ + (1 − ρ)/2 ‖w‖² (Zou and Hastie 2005), scaled as in scikit-learn.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        ρ, from 0 (the ridge) to 1 (the l1 norm).

    Attributes
    ----------
    weights : float or ndarray of shape (n_features,)
        β of Σ_j β_j (ρ \|w_j\| + (1 − ρ)/2 w_j²); an estimator sets it by its ``penalty_weights``. A feature
        of weight 0 is not penalised.
    bounds : float or ndarray of shape (n_features,)
        Where β_j = 0 a lower bound on the objective holds for the \|w_j\| up to this.

    Notes
    -----
    The conjugate of Ω is the squared soft threshold, Σ_j (\|v_j\| − ρβ_j)₊² / (2 (1 − ρ) β_j). Where β_j = 0
    it is finite for v_j = 0 only. A dual point misses that by a rounding error r_j, and the bound holds, less
    Σ_j \|r_j\| times the bound of w_j, for all w within the bounds. The objective is convex: if w within them
    has a gap ε, then for a point t times as far from w as their edge the gap is at most t ε.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import ElasticNet
    >>> ElasticNet(l1_ratio=0.5).value(np.array([-3.0, 1.0]))
    4.5
    """

    l1_ratio: float = 0.5

    name = "elasticnet"
    weights = 1.0
    bounds = 0.0

    def check(self) -> None:
        """Raise a ValueError if the ratio is not a number from 0 to 1."""
        if not (is_number(self.l1_ratio) and 0.0 <= self.l1_ratio <= 1.0):
            raise ValueError(f"l1_ratio must be a number from 0 to 1; got {self.l1_ratio!r}")

    def with_weights(self, weights: Weights, bounds: Weights | float = 0.0) -> ElasticNet:
        """Return the penalty with these weights of the features.

        Parameters
        ----------
        weights : ndarray of shape (n_features,)
            Not negative.
        bounds : float or ndarray of shape (n_features,)

        Returns
        -------
        ElasticNet
        """
        net = copy(self)
        net.weights, net.bounds = weights, np.broadcast_to(bounds, np.shape(weights))
        return net

    def restrict_to(self, features: np.ndarray) -> ElasticNet:
        """Return the penalty of some of the features.

        Parameters
        ----------
        features : ndarray of int

        Returns
        -------
        ElasticNet
        """
        if np.ndim(self.weights) == 0:
            return self
        return self.with_weights(self.weights[features], self.bounds[features])

    @property
    def is_separable(self) -> bool:
        """Whether it is a weighted l1 norm."""
        return self.l1_ratio == 1.0

    @property
    def thresholds(self) -> Weights | float:
        """ρβ, the weights of the absolute values."""
        return self.l1_ratio * self.weights

    @property
    def curvatures(self) -> Weights | float:
        """(1 − ρ)β, the weights of half the squares."""
        return (1.0 - self.l1_ratio) * self.weights

    @property
    def free_features(self) -> np.ndarray:
        """Features of weight 0."""
        return np.flatnonzero(np.atleast_1d(self.weights) == 0.0)

    @property
    def initial_norm(self) -> Penalty:
        """The part that makes weights 0; the l1 norm for the ridge, as of `SquaredL2`."""
        return L1(self.thresholds if self.l1_ratio > 0.0 else self.weights)

    def value(self, w: Weights) -> float:
        r"""Return Σ_j β_j (ρ \|w_j\| + (1 − ρ)/2 w_j²)."""
        terms = self.l1_ratio * np.abs(w) + 0.5 * (1.0 - self.l1_ratio) * np.square(w)
        return float((self.weights * terms).sum())

    def prox(self, w: Weights, step: float) -> Weights:
        r"""Return the soft threshold, shrunk: sign(w_j) (\|w_j\| − step ρβ_j)₊ / (1 + step (1 − ρ) β_j)."""
        # the minimum of a quadratic plus |w_j|: soft threshold, then the shrinkage of the ridge
        excess = np.maximum(np.abs(w) - step * self.thresholds, 0.0)
        return np.sign(w) * excess / (1.0 + step * self.curvatures)

    def dual_norm(self, v: Weights) -> float:
        """Return that of `initial_norm`: with alpha times as large, w = 0 is optimal at the slope v."""
        return self.initial_norm.dual_norm(v)

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return the distance of 0 from gradient + alpha ∂Ω(w), for each feature."""
        slope = gradient + alpha * self.curvatures * w
        return compute_subgradient_distance(w, slope, np.broadcast_to(alpha * self.thresholds, w.shape))

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return alpha times the slope at the largest penalised weight, of the mean β as of `L1`."""
        weights = np.broadcast_to(self.weights, w.shape)
        is_penalised = weights > 0.0
        if not is_penalised.any():
            return alpha
        largest = np.abs(w[is_penalised]).max()
        # the harmonic mean of the positive weights, as in `L1`
        mean = 1.0 / float((1.0 / weights[is_penalised]).mean())
        size = alpha * mean * (self.l1_ratio + (1.0 - self.l1_ratio) * largest)
        return float(size or np.abs(gradient).max(initial=0.0) or alpha)

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Return Σ_j β_j (ρ d|w_j| + (1 − ρ) w_j d_j), with |d_j| in place of d|w_j| where w_j is 0."""
        rises = np.where(w != 0.0, np.sign(w) * direction, np.abs(direction))
        return float(np.sum(self.thresholds * rises + self.curvatures * w * direction))

    def scaled_dual(
        self, v: Weights, alpha: float, total: float, squares: float = 0.0, cap: float = math.inf
    ) -> float:
        """Maximise s total − s² squares − alpha Ω*(s v / alpha) over the scales 0 <= s <= cap.

        Parameters
        ----------
        v : ndarray of shape (n_features,)
        alpha : float
        total, squares : float
        cap : float

        Returns
        -------
        float
            A lower bound, for weights within ``bounds`` where a feature is not penalised; 0 where the dual is
            unbounded.
        """
        sizes = np.abs(v)
        thresholds = alpha * np.broadcast_to(self.thresholds, sizes.shape)
        curvatures = alpha * np.broadcast_to(self.curvatures, sizes.shape)
        # A free feature has no conjugate: within its bounds, it lowers the dual value by |v_j| times its
        # bound.
        is_free = (thresholds == 0.0) & (curvatures == 0.0)
        total = total - float((sizes * self.bounds)[is_free].sum())
        if total <= 0.0:
            return 0.0
        # A pure l1 feature allows no scale beyond s |v_j| = α ρ β_j.
        is_norm = (curvatures == 0.0) & (sizes > 0.0) & ~is_free
        cap = min(cap, float((thresholds[is_norm] / sizes[is_norm]).min(initial=math.inf)))
        is_smooth = (curvatures > 0.0) & (sizes > 0.0)
        kinks = thresholds[is_smooth] / sizes[is_smooth]  # the scales from which on a feature counts
        # Concave and piecewise quadratic in s: sorted by their kinks, the pieces have slopes from cumulated
        # sums.
        order = np.argsort(kinks, kind="stable")
        kinks, sizes = kinks[order], sizes[is_smooth][order]
        thresholds, curvatures = thresholds[is_smooth][order], curvatures[is_smooth][order]
        # where the first k features count, the slope in s is total + offset_k − s (2 squares + bend_k)
        offsets = np.append(0.0, np.cumsum(thresholds * sizes / curvatures))
        bends = np.append(0.0, np.cumsum(np.square(sizes) / curvatures)) + 2.0 * squares
        # the slope falls: of the kinks where it is not negative, the last
        n_passed = int(np.count_nonzero(total + offsets[:-1] - kinks * bends[:-1] >= 0.0))
        if bends[n_passed] > 0.0:
            cap = min(cap, (total + offsets[n_passed]) / bends[n_passed])
        if not math.isfinite(cap):
            return 0.0
        # the dual value at the best scale; Ω* is quadratic beyond the thresholds
        excess = np.maximum(cap * sizes - thresholds, 0.0)
        return max(float(cap * total - cap**2 * squares - 0.5 * (np.square(excess) / curvatures).sum()), 0.0)
