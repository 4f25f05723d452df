"""Nonconvex penalties: sums of a concave function g of the absolute weights (L14, Table II)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toprank.parameters import check_positive
from toprank.penalties.base import Penalty
from toprank.penalties.convex import L1, compute_subgradient_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toprank.typing import Weights


class Concave(Penalty, ABC):
    """Σ_j g(|w_j|) for a concave, nondecreasing g with g(0) = 0."""

    is_convex = False

    @property
    def initial_norm(self) -> L1:
        """The l1 norm, the tangent from which a reweighting starts."""
        return L1()

    @abstractmethod
    def value_at(self, magnitudes: Weights) -> Weights:
        """Return g at each absolute weight.

        Parameters
        ----------
        magnitudes : ndarray of shape (n_features,)
            |w|, not negative.

        Returns
        -------
        ndarray of shape (n_features,)
        """

    @abstractmethod
    def derivative(self, magnitudes: Weights) -> Weights:
        """Return g' at each absolute weight, from the right at 0: the weights of L14's Algorithm 2.

        Parameters
        ----------
        magnitudes : ndarray of shape (n_features,)

        Returns
        -------
        ndarray of shape (n_features,)
        """

    @abstractmethod
    def second_derivative(self, magnitudes: Weights) -> Weights:
        """Return g'' at each absolute weight.

        Parameters
        ----------
        magnitudes : ndarray of shape (n_features,)
            All positive.

        Returns
        -------
        ndarray of shape (n_features,)
        """

    @abstractmethod
    def stationary_points(self, magnitudes: Weights, step: float) -> Iterator[Weights]:
        """Yield candidates for the minimum of ½(z − |w|)² + step g(z), z ≥ 0: one for each smooth piece of g.

        Parameters
        ----------
        magnitudes : ndarray of shape (n_features,)
        step : float

        Yields
        ------
        ndarray of shape (n_features,)
        """

    def value(self, w: Weights) -> float:
        r"""Return Σ_j g(\|w_j\|).

        Parameters
        ----------
        w : ndarray of shape (n_features,)

        Returns
        -------
        float
        """
        return float(self.value_at(np.abs(w)).sum())

    def prox(self, w: Weights, step: float) -> Weights:
        """Return argmin_z ½‖z − w‖² + step Ω(z) for any step; of two equal minima the sparser one.

        Parameters
        ----------
        w : ndarray of shape (n_features,)
        step : float

        Returns
        -------
        ndarray of shape (n_features,)
        """
        magnitudes = np.abs(w)
        # 0 is always a candidate; strict comparison keeps it, the sparser one, in a tie
        best, least_value = np.zeros_like(magnitudes), 0.5 * magnitudes**2
        for z in self.stationary_points(magnitudes, step):
            value = 0.5 * (z - magnitudes) ** 2 + step * self.value_at(z)
            is_better = value < least_value
            best, least_value = np.where(is_better, z, best), np.where(is_better, value, least_value)
        return np.sign(w) * best

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return the distance of 0 from gradient + alpha ∂Ω(w), for each feature.

        Parameters
        ----------
        w, gradient : ndarray of shape (n_features,)
        alpha : float

        Returns
        -------
        ndarray of shape (n_features,)
        """
        return compute_subgradient_distance(w, gradient, alpha * self.derivative(np.abs(w)))


@dataclass(eq=False)
class MCP(Concave):
    """Minimax concave penalty (MCP): g(u) = u − u²/(2γ) up to u = γ, γ/2 beyond.

    L14's Figure 1 gives g a parameter λ, which is 1 here. With the λ = 1/C of the objective, g would bend far
    above all weights, and MCP would hardly differ from the l1 norm.

    Parameters
    ----------
    gamma : float, default=2.0
        Positive.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import MCP
    >>> MCP(gamma=2.0).value(np.array([-3.0, 1.0]))
    1.75
    """

    gamma: float = 2.0

    name = "mcp"

    def check(self) -> None:
        """Raise a ValueError if gamma is not positive."""
        check_positive(self, "gamma")

    def value_at(self, magnitudes: Weights) -> Weights:
        """Return u − u²/(2γ) up to u = γ, and γ/2 beyond."""
        clipped = np.minimum(magnitudes, self.gamma)
        return clipped - clipped**2 / (2.0 * self.gamma)

    def derivative(self, magnitudes: Weights) -> Weights:
        """Return (1 − u/γ)₊."""
        return np.maximum(1.0 - magnitudes / self.gamma, 0.0)

    def second_derivative(self, magnitudes: Weights) -> Weights:
        """Return −1/γ up to u = γ, and 0 beyond."""
        return np.where(magnitudes < self.gamma, -1.0 / self.gamma, 0.0)

    def stationary_points(self, magnitudes: Weights, step: float) -> Iterator[Weights]:
        """Yield the firm threshold on [0, γ], and the identity beyond (Zhang 2010)."""
        # on [0, γ] z − u + step (1 − z/γ) = 0; beyond γ the penalty is flat
        if step < self.gamma:  # otherwise the inner piece is concave
            yield np.clip((magnitudes - step) / (1.0 - step / self.gamma), 0.0, self.gamma)
        yield np.maximum(magnitudes, self.gamma)


@dataclass(eq=False)
class SCAD(Concave):
    """Smoothly clipped absolute deviation (SCAD): g' is 1 up to 1, falls linearly to 0 at γ, stays there.

    Parameters
    ----------
    gamma : float, default=3.7
        Above 1. Fan and Li (2001) call it a and recommend 3.7.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import SCAD
    >>> SCAD(gamma=3.0).value(np.array([-3.0, 1.0]))
    3.0
    """

    gamma: float = 3.7

    name = "scad"

    def check(self) -> None:
        """Raise a ValueError if gamma is not above 1."""
        check_positive(self, "gamma")
        if self.gamma <= 1.0:
            raise ValueError(f"gamma must be above 1 for penalty 'scad'; got {self.gamma!r}")

    def value_at(self, magnitudes: Weights) -> Weights:
        """Return u up to 1, then a parabola whose slope falls to 0 at γ, then (γ + 1)/2."""
        excess = np.clip(magnitudes - 1.0, 0.0, self.gamma - 1.0)
        return np.minimum(magnitudes, 1.0) + excess - excess**2 / (2.0 * (self.gamma - 1.0))

    def derivative(self, magnitudes: Weights) -> Weights:
        """Return 1 up to 1, then (γ − u)/(γ − 1), and 0 from γ on."""
        return np.clip((self.gamma - magnitudes) / (self.gamma - 1.0), 0.0, 1.0)

    def second_derivative(self, magnitudes: Weights) -> Weights:
        """Return −1/(γ − 1) between 1 and γ, and 0 elsewhere."""
        return np.where((magnitudes > 1.0) & (magnitudes < self.gamma), -1.0 / (self.gamma - 1.0), 0.0)

    def stationary_points(self, magnitudes: Weights, step: float) -> Iterator[Weights]:
        """Yield the soft threshold on [0, 1], the root of the parabola on [1, γ], and the identity beyond."""
        yield np.clip(magnitudes - step, 0.0, 1.0)
        width = self.gamma - 1.0
        if step < width:  # otherwise the middle piece is concave
            yield np.clip((width * magnitudes - step * self.gamma) / (width - step), 1.0, self.gamma)
        yield np.maximum(magnitudes, self.gamma)


@dataclass(eq=False)
class Log(Concave):
    """Log penalty: g(u) = log(1 + u/ε), which is L14's log(ε + u) up to a constant.

    Parameters
    ----------
    epsilon : float, default=0.1
        Positive.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import Log
    >>> Log(epsilon=1.0).value(np.array([np.e - 1.0, 0.0]))
    1.0
    """

    epsilon: float = 0.1

    name = "log"

    def check(self) -> None:
        """Raise a ValueError if epsilon is not positive."""
        check_positive(self, "epsilon")

    def value_at(self, magnitudes: Weights) -> Weights:
        """Return log(1 + u/ε)."""
        return np.log1p(magnitudes / self.epsilon)

    def derivative(self, magnitudes: Weights) -> Weights:
        """Return 1/(ε + u)."""
        return 1.0 / (self.epsilon + magnitudes)

    def second_derivative(self, magnitudes: Weights) -> Weights:
        """Return −1/(ε + u)²."""
        return -1.0 / (self.epsilon + magnitudes) ** 2

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return the slope at 0, alpha/ε."""
        return alpha / self.epsilon

    def stationary_points(self, magnitudes: Weights, step: float) -> Iterator[Weights]:
        """Yield the larger root of z − u + step/(ε + z) = 0, or 0 if it is negative."""
        # z − u + step/(ε + z) = 0 times ε + z is a quadratic equation in z
        # a negative discriminant has no root: the objective rises, and the candidate loses to 0
        discriminant = np.maximum((magnitudes + self.epsilon) ** 2 - 4.0 * step, 0.0)
        yield np.maximum((magnitudes - self.epsilon + np.sqrt(discriminant)) / 2.0, 0.0)


@dataclass(eq=False)
class Lp(Concave):
    """ℓp (bridge) penalty, p < 1: g(u) = u^p.

    Its slope at 0 is infinite: under L14's Algorithm 2 a weight that is 0 stays 0.

    Parameters
    ----------
    p : float, default=0.5
        Strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import Lp
    >>> Lp(p=0.5).value(np.array([-4.0, 1.0]))
    3.0
    """

    p: float = 0.5

    name = "lp"

    def check(self) -> None:
        """Raise a ValueError unless p lies strictly between 0 and 1."""
        check_positive(self, "p")
        if self.p >= 1.0:
            raise ValueError(f"p must lie strictly between 0 and 1; got {self.p!r}; for 1 take penalty 'l1'")

    def value_at(self, magnitudes: Weights) -> Weights:
        """Return u^p."""
        return magnitudes**self.p

    def derivative(self, magnitudes: Weights) -> Weights:
        """Return p u^(p−1), which is infinite at 0."""
        return self.p * np.power(
            magnitudes, self.p - 1.0, out=np.full_like(magnitudes, np.inf), where=magnitudes > 0.0
        )

    def second_derivative(self, magnitudes: Weights) -> Weights:
        """Return p (p − 1) u^(p−2)."""
        return self.p * (self.p - 1.0) * magnitudes ** (self.p - 2.0)

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return the slope at the largest weight, where it is smallest; alpha if all weights are 0.

        Parameters
        ----------
        w, gradient : ndarray of shape (n_features,)
        alpha : float
        """
        largest = np.abs(w).max(initial=0.0)
        return alpha * self.p * largest ** (self.p - 1.0) if largest > 0.0 else alpha

    def stationary_points(self, magnitudes: Weights, step: float) -> Iterator[Weights]:
        """Yield the larger root of z − u + step p z^(p−1) = 0, by Newton's method."""
        # z − size + step p z^(p−1) is convex: from the right Newton falls to its larger root, if it has one
        inflection = (step * self.p * (1.0 - self.p)) ** (1.0 / (2.0 - self.p))
        z = np.maximum(magnitudes, inflection)
        for _ in range(60):
            slope = z - magnitudes + step * self.p * z ** (self.p - 1.0)
            curvature = 1.0 - step * self.p * (1.0 - self.p) * z ** (self.p - 2.0)
            change = np.where(z > inflection, slope / np.maximum(curvature, 1e-16), 0.0)
            z = np.maximum(z - change, inflection)
            if np.all(np.abs(change) <= 1e-15 * z):
                break
        yield z
