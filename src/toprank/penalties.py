"""Penalties on the weights: value, proximal operator, optimality conditions, and the dual norm of a norm.

The convex ones are `L1`, plain or weighted, `SquaredL2` and `GroupL2`. The others, `MCP`, `Log`, `Lp` and
`SCAD`, are sums of a concave function g of the absolute weights (L14, section II and Table II).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class L1:
    """Σ β_j |w_j|, the ℓ1 norm where the weights β are 1 (L14 eq. 7 and 13).

    Parameters
    ----------
    weights : float or ndarray of shape (n_features,), default=1.0
        None is negative. An infinite one bans its feature; with one of 0, which leaves a feature free, the
        penalty is no norm, and the dual bound of a problem is trivial.
    """

    weights: float | np.ndarray = 1.0

    is_convex = True

    def value(self, w) -> float:
        """Ω(w)."""
        weights = np.broadcast_to(self.weights, w.shape)
        return float(weights[w != 0.0] @ np.abs(w[w != 0.0]))

    def prox(self, w, step):
        """Soft threshold: argmin ½‖z − w‖² + step Ω(z) (L14 eq. 11 and 12)."""
        return np.sign(w) * np.maximum(np.abs(w) - step * self.weights, 0.0)

    def dual_norm(self, v) -> float:
        """Max |v_j| / β_j."""
        size = np.abs(v)
        ratio = np.divide(size, self.weights, out=np.where(size > 0.0, np.inf, 0.0), where=self.weights > 0.0)
        return float(ratio.max(initial=0.0))

    def violation(self, w, gradient, alpha):
        """Distance of each coordinate from 0 ∈ gradient + alpha ∂Ω(w)."""
        return _violation(w, gradient, np.broadcast_to(alpha * self.weights, w.shape))

    def directional_derivative(self, w, direction) -> float:
        """Slope of Ω at w along a direction."""
        along = np.where(w != 0.0, np.sign(w) * direction, np.abs(direction))
        weights = np.broadcast_to(self.weights, w.shape)
        return float(weights[along != 0.0] @ along[along != 0.0])


@dataclass(frozen=True)
class SquaredL2:
    """½‖w‖²: no norm, so it has no dual norm; its conjugate is ½‖v‖²."""

    is_convex = True

    def value(self, w) -> float:
        """Ω(w)."""
        return 0.5 * float(w @ w)

    def prox(self, w, step):
        """Argmin ½‖z − w‖² + step ½‖z‖²."""
        return w / (1.0 + step)

    def violation(self, w, gradient, alpha):
        """Size of each coordinate of gradient + alpha w."""
        return np.abs(gradient + alpha * w)

    def directional_derivative(self, w, direction) -> float:
        """Slope of Ω at w along a direction."""
        return float(w @ direction)


@dataclass(frozen=True)
class GroupL2:
    """Σ_g ‖w_g‖₂ over a partition of the features: whole groups vanish together.

    Parameters
    ----------
    groups : ndarray of shape (n_features,)
        For each feature the number of its group, 0, 1, 2, …
    """

    groups: np.ndarray

    is_convex = True

    @classmethod
    def of(cls, groups, n_features):
        """Check a group structure and number it.

        Parameters
        ----------
        groups : array-like of shape (n_features,) or list of lists of int
            A label for each feature, or for each group its features.
        n_features : int

        Raises
        ------
        ValueError
            If the groups do not partition the features.
        """
        if groups is None:
            raise ValueError("penalty 'group' needs groups: a label for each feature, or lists of features")
        if len(groups) and np.ndim(groups[0]) == 1:
            members = np.concatenate([np.asarray(group) for group in groups])
            counts = np.bincount(members, minlength=n_features) if _are_indices(members, n_features) else ()
            if len(counts) != n_features or np.any(counts != 1):
                raise ValueError(
                    f"groups must hold each of the {n_features} features exactly once, from 0 to "
                    f"{n_features - 1}"
                )
            labels = np.empty(n_features, dtype=np.intp)
            for number, group in enumerate(groups):
                labels[np.asarray(group)] = number
        else:
            labels = np.asarray(groups)
            if labels.shape != (n_features,):
                raise ValueError(
                    f"groups must give a label for each of the {n_features} features; got shape "
                    f"{labels.shape}"
                )
        return cls(np.unique(labels, return_inverse=True)[1])

    def norms(self, w):
        """‖w_g‖₂ of each group."""
        return np.sqrt(np.bincount(self.groups, weights=np.square(w)))

    def value(self, w) -> float:
        """Ω(w)."""
        return float(self.norms(w).sum())

    def prox(self, w, step):
        """Shrink each group: argmin ½‖z − w‖² + step Ω(z)."""
        norms = self.norms(w)
        shrunk = np.maximum(norms - step, 0.0) / np.where(norms > 0.0, norms, 1.0)
        return w * shrunk[self.groups]

    def dual_norm(self, v) -> float:
        """max_g ‖v_g‖₂."""
        return float(self.norms(v).max(initial=0.0))

    def violation(self, w, gradient, alpha):
        """Distance of each group from 0 ∈ gradient + alpha ∂Ω(w)."""
        norms = self.norms(w)
        direction = w / np.where(norms > 0.0, norms, 1.0)[self.groups]
        return np.where(
            norms > 0.0,
            self.norms(gradient + alpha * direction),
            np.maximum(self.norms(gradient) - alpha, 0.0),
        )

    def directional_derivative(self, w, direction) -> float:
        """Slope of Ω at w along a direction."""
        norms = self.norms(w)
        inner = np.bincount(self.groups, weights=w * direction)
        along = np.where(norms > 0.0, inner / np.where(norms > 0.0, norms, 1.0), self.norms(direction))
        return float(along.sum())


class Concave(ABC):
    """Σ_j g(|w_j|) for a concave, nondecreasing g with g(0) = 0."""

    is_convex = False

    @abstractmethod
    def of_size(self, size):
        """Value of g at each absolute weight."""

    @abstractmethod
    def derivative(self, size):
        """Slope of g at each absolute weight, from the right at 0: the weights of L14's Algorithm 2."""

    @abstractmethod
    def second_derivative(self, size):
        """Curvature of g at each absolute weight, which is positive."""

    @abstractmethod
    def _stationary(self, size, step):
        """Points of each smooth piece of ½(z − size)² + step g(z), z ≥ 0, that may be its minimum."""

    def value(self, w) -> float:
        """Ω(w)."""
        return float(self.of_size(np.abs(w)).sum())

    def prox(self, w, step):
        """Argmin ½‖z − w‖² + step Ω(z), whatever the step; of two minima the sparser one."""
        size = np.abs(w)
        best, least = np.zeros_like(size), 0.5 * size**2
        for z in self._stationary(size, step):
            value = 0.5 * (z - size) ** 2 + step * self.of_size(z)
            better = value < least
            best, least = np.where(better, z, best), np.where(better, value, least)
        return np.sign(w) * best

    def violation(self, w, gradient, alpha):
        """Distance of each coordinate from being stationary."""
        return _violation(w, gradient, alpha * self.derivative(np.abs(w)))


@dataclass(frozen=True)
class MCP(Concave):
    """Minimax concave penalty: g(u) = u − u²/(2γ) up to u = γ, γ/2 beyond.

    L14's Figure 1 gives it a λ of its own, which is 1 here. As the 1/C of the objective, a weight in front of
    it, that λ would put the bend far above all weights, and MCP next to the l1 norm.

    Parameters
    ----------
    gamma : float, default=2.0
        Positive.
    """

    gamma: float = 2.0

    def of_size(self, size):  # noqa: D102
        inside = np.minimum(size, self.gamma)
        return inside - inside**2 / (2.0 * self.gamma)

    def derivative(self, size):  # noqa: D102
        return np.maximum(1.0 - size / self.gamma, 0.0)

    def second_derivative(self, size):  # noqa: D102
        return np.where(size < self.gamma, -1.0 / self.gamma, 0.0)

    def _stationary(self, size, step):
        if step < self.gamma:  # otherwise the inner piece is concave
            yield np.clip((size - step) / (1.0 - step / self.gamma), 0.0, self.gamma)
        yield np.maximum(size, self.gamma)


@dataclass(frozen=True)
class SCAD(Concave):
    """Smoothly clipped absolute deviation: g' is 1 up to 1, falls linearly to 0 at γ and stays there.

    Parameters
    ----------
    gamma : float, default=3.7
        Above 1 (Fan and Li 2001 call it a, and recommend 3.7).
    """

    gamma: float = 3.7

    def of_size(self, size):  # noqa: D102
        beyond = np.clip(size - 1.0, 0.0, self.gamma - 1.0)
        return np.minimum(size, 1.0) + beyond - beyond**2 / (2.0 * (self.gamma - 1.0))

    def derivative(self, size):  # noqa: D102
        return np.clip((self.gamma - size) / (self.gamma - 1.0), 0.0, 1.0)

    def second_derivative(self, size):  # noqa: D102
        return np.where((size > 1.0) & (size < self.gamma), -1.0 / (self.gamma - 1.0), 0.0)

    def _stationary(self, size, step):
        yield np.clip(size - step, 0.0, 1.0)
        width = self.gamma - 1.0
        if step < width:  # otherwise the middle piece is concave
            yield np.clip((width * size - step * self.gamma) / (width - step), 1.0, self.gamma)
        yield np.maximum(size, self.gamma)


@dataclass(frozen=True)
class Log(Concave):
    """g(u) = log(1 + u/ε), which is L14's log(ε + u) up to a constant.

    Parameters
    ----------
    epsilon : float, default=0.1
        Positive.
    """

    epsilon: float = 0.1

    def of_size(self, size):  # noqa: D102
        return np.log1p(size / self.epsilon)

    def derivative(self, size):  # noqa: D102
        return 1.0 / (self.epsilon + size)

    def second_derivative(self, size):  # noqa: D102
        return -1.0 / (self.epsilon + size) ** 2

    def _stationary(self, size, step):
        inside = np.maximum((size + self.epsilon) ** 2 - 4.0 * step, 0.0)
        yield np.maximum((size - self.epsilon + np.sqrt(inside)) / 2.0, 0.0)


@dataclass(frozen=True)
class Lp(Concave):
    """g(u) = u^p. Its slope at 0 is infinite: under L14's Algorithm 2 a weight of 0 never comes back.

    Parameters
    ----------
    p : float, default=0.5
        Strictly between 0 and 1.
    """

    p: float = 0.5

    def of_size(self, size):  # noqa: D102
        return size**self.p

    def derivative(self, size):  # noqa: D102
        return self.p * np.power(size, self.p - 1.0, out=np.full_like(size, np.inf), where=size > 0.0)

    def second_derivative(self, size):  # noqa: D102
        return self.p * (self.p - 1.0) * size ** (self.p - 2.0)

    def _stationary(self, size, step):
        # z − size + step p z^(p−1) is convex: from the right Newton falls on its larger root, if there is one
        lowest = (step * self.p * (1.0 - self.p)) ** (1.0 / (2.0 - self.p))
        z = np.maximum(size, lowest)
        for _ in range(60):
            slope = z - size + step * self.p * z ** (self.p - 1.0)
            curvature = 1.0 - step * self.p * (1.0 - self.p) * z ** (self.p - 2.0)
            moved = np.where(z > lowest, slope / np.maximum(curvature, 1e-16), 0.0)
            z = np.maximum(z - moved, lowest)
            if np.all(np.abs(moved) <= 1e-15 * z):
                break
        yield z


def _violation(w, gradient, thresholds):
    """Distance of each coordinate from 0 ∈ gradient + thresholds ∂|w|."""
    used = w != 0.0
    violation = np.maximum(np.abs(gradient) - thresholds, 0.0)
    violation[used] = np.abs(gradient[used] + thresholds[used] * np.sign(w[used]))
    return violation


def _are_indices(members, n_features) -> bool:
    return (
        members.dtype.kind in "iu" and members.size > 0 and members.min() >= 0 and members.max() < n_features
    )
