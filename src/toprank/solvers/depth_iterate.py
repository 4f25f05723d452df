"""The iterate of the interior point method of `toprank.solvers.depth_interior`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class Bounds:
    """A number for each bound of the dual: its gap, or its multiplier.

    In this order: a ≥ 0, a ≤ 1, b ≥ 0, b ≤ s, ρ ≥ −λ and ρ ≤ λ. The multipliers are the slack of a positive's
    constraint and its hinge ξ, the slack of a negative's constraint and its excess η, and the two parts of w,
    the negative one first.

    Parameters
    ----------
    values : ndarray of shape (2m + 2n + 2k,)
    sizes : tuple of two int
        Numbers of positives and negatives.
    """

    def __init__(self, values: np.ndarray, sizes: tuple[int, int]) -> None:
        self.values, self.sizes = values, sizes

    @property
    def positive_low(self) -> np.ndarray:
        """Entries of the bounds a ≥ 0, of shape (m,)."""
        return self.values[: self.sizes[0]]

    @property
    def positive_high(self) -> np.ndarray:
        """Entries of the bounds a ≤ 1, of shape (m,)."""
        return self.values[self.sizes[0] : 2 * self.sizes[0]]

    @property
    def negative_low(self) -> np.ndarray:
        """Entries of the bounds b ≥ 0, of shape (n,)."""
        m, n = self.sizes
        return self.values[2 * m : 2 * m + n]

    @property
    def negative_high(self) -> np.ndarray:
        """Entries of the bounds b ≤ s, of shape (n,)."""
        m, n = self.sizes
        return self.values[2 * m + n : 2 * (m + n)]

    @property
    def slope_low(self) -> np.ndarray:
        """Entries of the bounds ρ ≥ −λ, of shape (k,)."""
        first = 2 * sum(self.sizes)
        return self.values[first : (first + self.values.size) // 2]

    @property
    def slope_high(self) -> np.ndarray:
        """Entries of the bounds ρ ≤ λ, of shape (k,)."""
        return self.values[(2 * sum(self.sizes) + self.values.size) // 2 :]

    def append_slopes(self, low: np.ndarray, high: np.ndarray) -> None:
        """Add features that have limits.

        Parameters
        ----------
        low, high : ndarray of shape (k,)
        """
        rows = self.values[: 2 * sum(self.sizes)]
        self.values = np.concatenate([rows, self.slope_low, low, self.slope_high, high])

    def move(self, direction: Bounds, step: float) -> Bounds:
        """Return the numbers after a step.

        Parameters
        ----------
        direction : Bounds
        step : float

        Returns
        -------
        Bounds
        """
        return Bounds(self.values + step * direction.values, self.sizes)


@dataclass
class Iterate:
    """A point with its weights, or a change of one.

    Attributes
    ----------
    gaps, multipliers : Bounds
    w : ndarray of shape (n_features,)
        In units of the rows.
    top, threshold : float
        t and θ.
    cap : float
        s.
    """

    gaps: Bounds
    multipliers: Bounds
    w: np.ndarray
    top: float
    threshold: float
    cap: float

    @property
    def mean_product(self) -> float:
        """Mean product of a gap and its multiplier."""
        return float(self.gaps.values @ self.multipliers.values) / self.gaps.values.size

    def move(self, direction: Iterate, step: float, multiplier_step: float) -> Iterate:
        """Return the iterate after steps of the weights, and of their multipliers with w, t and θ.

        Parameters
        ----------
        direction : Iterate
        step, multiplier_step : float

        Returns
        -------
        Iterate
        """
        return Iterate(
            self.gaps.move(direction.gaps, step),
            self.multipliers.move(direction.multipliers, multiplier_step),
            self.w + multiplier_step * direction.w,
            self.top + multiplier_step * direction.top,
            self.threshold + multiplier_step * direction.threshold,
            self.cap + step * direction.cap,
        )
