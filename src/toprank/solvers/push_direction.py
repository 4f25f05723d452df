"""The direction of a step of the interior point method of the infinite push.

Mehrotra's predictor-corrector method (S. J. Wright, Primal-dual interior-point methods, 1997, chapter 10)
predicts how far the mean product of gaps and multipliers can fall, and corrects the direction for it. Where
the system is factored, one more solution costs a small part of the factorisation. So products that a longer
step would leave far from their target are then corrected towards it, again while the steps become longer
(J. Gondzio, Multiple centrality corrections in a primal-dual method for linear programming, Computational
Optimization and Applications, 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toprank.solvers.push_newton import NewtonSystem

    Pair = tuple[np.ndarray, np.ndarray]  # of the lower and the upper bounds

#: Further corrections of a direction, how much longer a step they aim at, the products (relative to their
#: target) that they leave alone, and the least gain, in the sum of both steps, that is worth another one.
CORRECTORS_MAX, LONGER_STEP, PRODUCT_SHARES, LEAST_GAIN = 6, 0.3, (0.1, 10.0), 0.02


@dataclass(frozen=True)
class Direction:
    """A change of an iterate, and how far it leads.

    Parameters
    ----------
    dx : ndarray of shape (n_unknowns,)
    changes : tuple of two ndarray of shape (n_unknowns,)
        Of the multipliers of the lower and the upper bounds.
    dw : ndarray of shape (d,)
    dt : float
    gaps, multipliers : tuple of two ndarray of shape (n_unknowns,)
        Of the iterate.
    steps : tuple of two float
        The longest steps of x, and of all multipliers, that keep gaps and multipliers non-negative.
    """

    dx: np.ndarray
    changes: Pair
    dw: np.ndarray
    dt: float
    gaps: Pair
    multipliers: Pair
    steps: tuple[float, float]

    @classmethod
    def find_newton_direction(
        cls, aims: Pair, system: NewtonSystem, gaps: Pair, multipliers: Pair, residual: np.ndarray
    ) -> Direction:
        """Return the Newton direction towards these products of the gaps and their multipliers.

        Parameters
        ----------
        aims, gaps, multipliers : tuple of two ndarray of shape (n_unknowns,)
        system : NewtonSystem
        residual : ndarray of shape (n_unknowns,)

        Returns
        -------
        Direction

        Raises
        ------
        numpy.linalg.LinAlgError
            If it is not finite.
        """
        force = aims[0] / gaps[0] - multipliers[0] - aims[1] / gaps[1] + multipliers[1] - residual
        dx, dw, dt = system.solve(force)
        if not (np.isfinite(dx).all() and np.isfinite(dw).all()):
            raise np.linalg.LinAlgError
        changes = (
            (aims[0] - multipliers[0] * dx) / gaps[0] - multipliers[0],
            (aims[1] + multipliers[1] * dx) / gaps[1] - multipliers[1],
        )
        primal = min(find_longest_step(gaps[0], dx), find_longest_step(gaps[1], -dx))
        steps = primal, min(map(find_longest_step, multipliers, changes))
        return cls(dx, changes, dw, dt, gaps, multipliers, steps)

    @property
    def progress(self) -> float:
        """Sum of both steps, of which none need be longer than 1."""
        return sum(min(1.0, step) for step in self.steps)

    def products_after(self, primal: float, dual: float) -> Pair:
        """Return the products of gaps and multipliers after such steps; those of infinite gaps are 0.

        Parameters
        ----------
        primal, dual : float

        Returns
        -------
        tuple of two ndarray of shape (n_unknowns,)
        """
        lower, upper = self.gaps[0] + primal * self.dx, self.gaps[1] - primal * self.dx
        lower_products, upper_products = (
            gap * (z + dual * change)
            for gap, z, change in zip((lower, upper), self.multipliers, self.changes, strict=True)
        )
        return lower_products, np.where(np.isfinite(upper), upper_products, 0.0)


def find_direction(system: NewtonSystem, gaps: Pair, multipliers: Pair, residual: np.ndarray) -> Direction:
    """Return Mehrotra's direction, corrected while that makes the steps longer.

    Parameters
    ----------
    system : NewtonSystem
    gaps, multipliers : tuple of two ndarray of shape (n_unknowns,)
        Distances of x from its lower and upper bounds, some of which are infinite, and their multipliers.
    residual : ndarray of shape (n_unknowns,)
        Of the dual equations.

    Returns
    -------
    Direction

    Raises
    ------
    numpy.linalg.LinAlgError
        If the direction is not finite.
    """

    def direct(aims: Pair) -> Direction:
        return Direction.find_newton_direction(aims, system, gaps, multipliers, residual)

    zeros = np.zeros(residual.size)
    direction = direct((zeros, zeros))
    is_finite = np.isfinite(gaps[1])
    predicted = sum(products.sum() for products in direction.products_after(*direction.steps))
    predicted /= residual.size + np.count_nonzero(is_finite)
    product = compute_mean_product(gaps, multipliers)
    target = (predicted / product) ** 3 * product
    aims = (
        target - direction.dx * direction.changes[0],
        np.where(is_finite, target + direction.dx * direction.changes[1], 0.0),
    )
    direction = direct(aims)
    for _ in range(CORRECTORS_MAX if system.is_factored else 0):
        trial = direction.products_after(*(min(1.0, step + LONGER_STEP) for step in direction.steps))
        lower, upper = (
            correct_aims(aim, products, target) for aim, products in zip(aims, trial, strict=True)
        )
        aims = lower, np.where(is_finite, upper, 0.0)
        corrected = direct(aims)
        if corrected.progress < direction.progress + LEAST_GAIN:
            break
        direction = corrected
    return direction


def compute_mean_product(gaps: Pair, multipliers: Pair) -> float:
    """Return the mean product of a gap and its multiplier, without the infinite gaps.

    Parameters
    ----------
    gaps, multipliers : tuple of two ndarray of shape (n_unknowns,)

    Returns
    -------
    float
    """
    is_finite = np.isfinite(gaps[1])
    total = gaps[0] @ multipliers[0] + gaps[1][is_finite] @ multipliers[1][is_finite]
    return float(total) / (gaps[0].size + np.count_nonzero(is_finite))


def find_longest_step(values: np.ndarray, change: np.ndarray) -> float:
    """Return the longest step, up to double length, that keeps the values non-negative.

    Parameters
    ----------
    values, change : ndarray of shape (k,)

    Returns
    -------
    float
    """
    falls = change < 0.0
    return float((values[falls] / -change[falls]).min(initial=2.0))


def correct_aims(aims: np.ndarray, trial: np.ndarray, target: float) -> np.ndarray:
    """Correct products that a longer step would leave far from their target towards it (Gondzio 1996).

    Parameters
    ----------
    aims, trial : ndarray of shape (k,)
        What the direction aims at, and the products after a longer step.
    target : float

    Returns
    -------
    ndarray of shape (k,)
    """
    least, largest = target * PRODUCT_SHARES[0], target * PRODUCT_SHARES[1]
    return aims + np.maximum(np.clip(trial, least, largest) - trial, -largest)
