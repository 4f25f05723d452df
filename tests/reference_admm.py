"""K15's iterations written out in plain numpy, in the names of the paper, as published and as corrected.

They are slow, and independent of the solvers, which are tested against them; `tests/errata` runs them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Published:
    """Which updates for top ranking to take as K15 prints them, not as they have to be."""

    step2: bool = False  # b minimises the augmented Lagrangian as step 2 displays it, with ‖b − a1 − X⁺w‖
    ones_of_c: bool = False  # Algorithm 3, line 4: 1_n, the length of s
    pieces_of_b: bool = False  # Algorithm 3, line 5: the pieces meet at −1
    gamma2: bool = False  # step 3; Algorithm 3, line 6: a stray "+ s"
    b_hat: bool = False  # Algorithm 3, line 10: no minus in the second case


def ranking_iterates(
    positives, negatives, alpha, variant, rho, n_iter, published=None, lambdas=(0.01, 0.01), eta=0.8
):
    """Run Algorithm 1 as K15 section 3.3 spells it out, Algorithm 3, or its restart, with dense matrices.

    `positives`: ndarray of shape (m, d). `negatives`: ndarray of shape (n, d). `alpha`: the paper's λ.
    `variant`: {"admm", "a2dm2", "a2dm2-restart"}. `published`: by default every update is the corrected one.
    `lambdas`: λ₁ and λ₂ of eq. (13). Yields `w`, ndarray of shape (d,); `primal, dual`: residuals.
    """
    published = published or Published()
    m, n, d = len(positives), len(negatives), positives.shape[1]
    lambda1, lambda2 = (0.0, 0.0) if variant == "admm" else lambdas
    A = np.block([[positives, -np.ones((m, 1))], [-negatives, np.ones((n, 1))]])
    matrix = rho * A.T @ A + np.diag([alpha] * d + [lambda1])
    switch = -1.0 if published.pieces_of_b else -(1.0 + lambda2 / rho)

    def minimise_b_hat(gamma2):
        inner = (gamma2 + 2 / m) / (lambda2 + 2 / m)
        return np.where(-gamma2 / lambda2 <= -1, -gamma2 / lambda2, inner if published.b_hat else -inner)

    b_hat, s_hat, gamma2_hat, gamma1_hat = np.zeros(m), np.zeros(n), np.zeros(m), np.zeros(n)
    gamma2_last, gamma1_last, t, combined_last = gamma2_hat, gamma1_hat, 1.0, math.inf
    for _ in range(n_iter):
        x = -np.linalg.solve(
            matrix, A.T @ np.concatenate([rho * b_hat + gamma2_hat, rho * s_hat + gamma1_hat])
        )
        w, a = x[:d], x[d]
        s = np.minimum((rho * (negatives @ w - a) - gamma1_hat) / (rho + lambda2), 0.0)
        score = -(positives @ w) if published.step2 else positives @ w
        c = a * np.ones(n if published.ones_of_c else m) - score - gamma2_hat / rho
        b = np.where(c <= switch, rho / (rho + lambda2) * c, (rho * c - 2 / m) / (rho + 2 / m + lambda2))
        gamma1 = gamma1_hat + rho * (a + s - negatives @ w)
        gamma2 = gamma2_hat + rho * (b - a + (s if published.gamma2 else 0.0) + positives @ w)

        residual = np.concatenate([b - a + positives @ w, s + a - negatives @ w])
        change = np.concatenate([b - b_hat, s - s_hat])
        yield w, float(np.linalg.norm(residual)), float(np.linalg.norm(rho * A.T @ change))

        if variant == "admm":
            gamma1_hat, gamma2_hat, s_hat, b_hat = gamma1, gamma2, s, b
            continue
        t_last, t = t, (1 + math.sqrt(1 + 4 * t**2)) / 2
        gamma1_hat = gamma1 + (t_last - 1) / t * (gamma1 - gamma1_last)
        gamma2_hat = gamma2 + (t_last - 1) / t * (gamma2 - gamma2_last)
        s_hat, b_hat = np.minimum(-gamma1_hat, 0.0) / lambda2, minimise_b_hat(gamma2_hat)
        combined = rho * (residual @ residual + change @ change)
        if variant == "a2dm2-restart" and combined > eta * combined_last:
            t, s_hat, b_hat, gamma1_hat, gamma2_hat = 1.0, s, b, gamma1, gamma2
        gamma1_last, gamma2_last, combined_last = gamma1, gamma2, combined


class Iterate(NamedTuple):
    """What iteration k of Algorithm 2 computes, with the extrapolated point it starts from."""

    x: np.ndarray
    y: np.ndarray
    y_hat: np.ndarray
    multipliers: np.ndarray
    multipliers_hat: np.ndarray


@dataclass(frozen=True, eq=False)
class Quadratics:
    """Two blocks f₁ = (σ₁/2)‖x‖² and f₂ = (σ₂/2)‖y‖², of which everything is known in closed form."""

    A: np.ndarray
    B: np.ndarray
    c: np.ndarray
    sigma_x: float
    sigma_y: float

    @property
    def best_multipliers(self):
        """λ*, the maximiser of the dual."""
        curvature = self.A @ self.A.T / self.sigma_x + self.B @ self.B.T / self.sigma_y
        return np.linalg.lstsq(curvature, self.c, rcond=None)[0]

    def dual(self, multipliers) -> float:
        """D(λ), K15 eq. (2)."""
        x, y = self.A.T @ multipliers, self.B.T @ multipliers
        return float(multipliers @ self.c - x @ x / (2 * self.sigma_x) - y @ y / (2 * self.sigma_y))

    def iterates(self, tau, n_iter):
        """Run Algorithm 2 from λ̂ = 0 and ŷ = argmin f₂ = 0, with the matrices of its subproblems inverted."""
        A, B, c = self.A, self.B, self.c
        solve_x = np.linalg.inv(self.sigma_x * np.eye(A.shape[1]) + tau * A.T @ A)
        solve_y = np.linalg.inv(self.sigma_y * np.eye(B.shape[1]) + tau * B.T @ B)
        hat = last = np.zeros(c.size)
        momentum = 1.0
        for _ in range(n_iter):
            y_hat = B.T @ hat / self.sigma_y
            x = solve_x @ (A.T @ (hat - tau * (B @ y_hat - c)))
            y = solve_y @ (B.T @ (hat - tau * (A @ x - c)))
            multipliers = hat - tau * (A @ x + B @ y - c)
            yield Iterate(x, y, y_hat, multipliers, hat)
            following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            hat = multipliers + (momentum - 1) / following * (multipliers - last)
            momentum, last = following, multipliers
