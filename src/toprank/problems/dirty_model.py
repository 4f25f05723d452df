"""The dirty model with elastic nets (K15 eq. 15): its objective and its dual in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toprank.penalties import L1


@dataclass(frozen=True, eq=False)
class DirtyModel:
    r"""A vector as the sum of two parts with elastic-net penalties, b = A x + y (K15 eq. 15).

    .. math::
        \min_{x, y}\ F(x, y) = \|x\|_1 + \tfrac{r}{2}\|x\|^2
            + \mu\bigl(\|y\|_1 + \tfrac{r}{2}\|y\|^2\bigr)
        \quad\text{subject to}\quad A x + y = b

    Parameters
    ----------
    A : ndarray of shape (m, n)
    b : ndarray of shape (m,)
    mu : float
        Weight of the second elastic net; positive.
    ridge : float, default=1.0
        r, weight of the squared norms; positive. K15 prints 1.

    Raises
    ------
    ValueError
        If A and b disagree or hold NaN or infinite values, or mu or ridge is not positive.

    Notes
    -----
    With :math:`f_1^*(u) = \sum_j (|u_j| - 1)_+^2/(2r)` and :math:`f_2^*(v) = \sum_i (|v_i| - \mu)_+^2/(2\mu
    r)` the dual function is :math:`D(\lambda) = -f_1^*(A'\lambda) - f_2^*(\lambda) + \lambda'b`. So y = 0 at
    the optimum where :math:`\|\lambda^*\|_\infty \le \mu`.
    """

    A: np.ndarray
    b: np.ndarray
    mu: float
    ridge: float = 1.0

    def __post_init__(self) -> None:
        A, b = np.asarray(self.A, dtype=float), np.asarray(self.b, dtype=float)
        if A.ndim != 2 or b.shape != A.shape[:1]:
            raise ValueError(
                f"A and b disagree: A has shape {A.shape} and b {b.shape}; b needs one entry a row of A"
            )
        for name, array in (("A", A), ("b", b)):
            if not np.isfinite(array).all():
                raise ValueError(f"{name} holds NaN or infinite values; remove or replace these entries")
        for name, consequence in (
            ("mu", "f2 is then not strongly convex (sigma_2 = mu * ridge)"),
            ("ridge", "neither f1 (sigma_1 = ridge) nor f2 (sigma_2 = mu * ridge) is then strongly convex"),
        ):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(
                    f"{name} must be a positive number; got {value}: {consequence}, and Theorem 1 of K15 "
                    "allows A2DM2 no step"
                )
        object.__setattr__(self, "A", A)  # the fields are frozen; these are their canonical forms
        object.__setattr__(self, "b", b)

    @property
    def strong_convexity(self) -> tuple[float, float]:
        """Constants of strong convexity of the two elastic nets."""
        return float(self.ridge), float(self.mu * self.ridge)

    def value_x(self, x: np.ndarray) -> float:
        """f₁(x) = ‖x‖₁ + (ridge/2)‖x‖².

        Parameters
        ----------
        x : ndarray of shape (n,)

        Returns
        -------
        float
        """
        return float(np.abs(x).sum() + 0.5 * self.ridge * (x @ x))

    def value_y(self, y: np.ndarray) -> float:
        """f₂(y) = mu (‖y‖₁ + (ridge/2)‖y‖²).

        Parameters
        ----------
        y : ndarray of shape (m,)

        Returns
        -------
        float
        """
        return float(self.mu * (np.abs(y).sum() + 0.5 * self.ridge * (y @ y)))

    def objective(self, x: np.ndarray, y: np.ndarray) -> float:
        """Return F(x, y); it may be less than the optimum if the constraint does not hold.

        Parameters
        ----------
        x : ndarray of shape (n,)
        y : ndarray of shape (m,)

        Returns
        -------
        float
        """
        return self.value_x(x) + self.value_y(y)

    def feasible_objective(self, x: np.ndarray) -> float:
        """Return F(x, b − A x): the objective of the feasible pair with this x, never less than the optimum.

        Parameters
        ----------
        x : ndarray of shape (n,)

        Returns
        -------
        float
        """
        return self.objective(x, self.b - self.A @ x)

    def dual(self, multipliers: np.ndarray) -> float:
        """D(λ): a lower bound on the optimum for any λ of shape (m,).

        Parameters
        ----------
        multipliers : ndarray of shape (m,)

        Returns
        -------
        float
        """
        # conjugates of the elastic nets: Σ (|v_j| − 1)₊² / (2 ridge), for f₂ Σ (|v_j| − mu)₊² / (2 mu ridge)
        excess_x = np.maximum(np.abs(self.A.T @ multipliers) - 1.0, 0.0)
        excess_y = np.maximum(np.abs(multipliers) - self.mu, 0.0)
        conjugates = (excess_x @ excess_x + excess_y @ excess_y / self.mu) / (2.0 * self.ridge)
        return float(multipliers @ self.b - conjugates)

    def minimise_y(self, q: np.ndarray, tau: float) -> np.ndarray:
        """Minimise f₂(y) − q'y + (tau/2)‖y‖²; tau >= 0.

        Parameters
        ----------
        q : ndarray of shape (m,)
        tau : float
            Not negative.

        Returns
        -------
        ndarray of shape (m,)
        """
        # soft threshold at mu, divided by the curvature of both quadratic terms
        return L1().prox(q, self.mu) / (self.mu * self.ridge + tau)
