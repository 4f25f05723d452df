"""The interface of all penalties.

Solvers use only this interface and never look at the type of a penalty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toprank.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toprank.problems.pairwise import PairwiseRanking
    from toprank.problems.push import PushRanking
    from toprank.typing import Weights


class Penalty(Parameters):
    """Interface of a penalty Ω; the defaults are those of a norm.

    Attributes
    ----------
    name : str
        Name in estimators and messages.
    is_convex : bool
    is_separable : bool
        Whether Ω is a weighted l1 norm. Its ``weights`` are then a scalar or an array.
    ridge : float
        Weight of ½‖w‖² if Ω is this and nothing else, otherwise 0. A ridge has no dual norm, and an optimal w
        lies in the span of the rows.
    """

    name = "penalty"
    is_convex = True
    is_separable = False
    ridge = 0.0

    def value(self, w: Weights) -> float:
        """Ω(w)."""
        raise NotImplementedError

    def prox(self, w: Weights, step: float) -> Weights:
        """Argmin ½‖z − w‖² + step Ω(z)."""
        raise NotImplementedError

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Distance of 0 from gradient + alpha ∂Ω(w), for each coordinate or group."""
        raise NotImplementedError

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Typical slope of alpha Ω, in the units of the gradient; violations are measured relative to it."""
        return alpha

    def relative_violation(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Largest violation relative to `slope_size`, which makes it independent of the features' unit."""
        return float(self.violation(w, gradient, alpha).max() / self.slope_size(w, gradient, alpha))

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Slope of Ω at w along a direction."""
        raise NotImplementedError

    def dual_norm(self, v: Weights) -> float:
        """Smallest t with v'w <= t Ω(w) for all w."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise a ValueError if a parameter is out of its range."""

    def adapt_to(self, problem: PairwiseRanking | PushRanking) -> Penalty:
        """Return the penalty for solvers, with the parameters that depend on the data of a problem."""
        return self

    def groups_of(self, n_features: int) -> np.ndarray:
        """Return the index of the group of each feature; by default each feature is a group."""
        return np.arange(n_features)

    @property
    def cones(self) -> Sequence[np.ndarray]:
        """The features of each second-order cone ‖w_g‖ <= r_g that a conic model of Ω needs."""
        return ()

    @property
    def initial_norm(self) -> Penalty:
        """The norm that decides where w = 0 stops being optimal, and with which a reweighting starts."""
        return self

    def scaled_dual(
        self, v: Weights, alpha: float, total: float, squares: float = 0.0, cap: float = math.inf
    ) -> float:
        """Maximum of s total − s² squares − alpha Ω*(s v / alpha) over the scales 0 <= s <= cap.

        This is the best lower bound along one direction of the dual.
        """
        largest, squares = self._conjugate_along(v, alpha, squares)
        if squares > 0.0:
            largest = min(largest, 0.5 * total / squares)
        scale = min(cap, largest)
        return float(scale * total - scale**2 * squares) if math.isfinite(scale) else 0.0

    def _conjugate_along(self, v: Weights, alpha: float, squares: float) -> tuple[float, float]:
        """Largest scale s at which Ω*(s v / alpha) is finite, and ``squares`` plus its quadratic term."""
        norm = self.dual_norm(v)
        return (alpha / norm if norm > 0.0 else math.inf), squares
