"""The step of A2DM2 for which K15 guarantees a rate (Theorem 1)."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class StepCondition:
    r"""The step tau, and the largest one that Theorem 1 of K15 allows.

    The theorem requires :math:`\tau^3 \le \sigma_1\sigma_2^2 / (\|A\|^2\|B\|^4)` in spectral norms, which its
    :math:`\rho(A'A)\,\rho(B'B)^2` are, and guarantees :math:`D(\lambda^*) - D(\lambda_k) \le
    2\|\hat\lambda_1 - \lambda^*\|^2/(\tau(k + 2)^2)` for A2DM2. It covers neither ADMM nor the restart.

    Parameters
    ----------
    tau : float
    sigma_x, sigma_y : float
        Constants of strong convexity of f₁ and f₂.
    norm_A, norm_B : float
        Spectral norms.
    """

    tau: float
    sigma_x: float
    sigma_y: float
    norm_A: float
    norm_B: float

    @property
    def largest_tau(self) -> float:
        """The largest step of Theorem 1; 0 if a part is not strongly convex."""
        # tau³ ≤ σ_x σ_y² / (‖A‖² ‖B‖^4), in cube roots so that products neither overflow nor underflow
        convexity = math.cbrt(self.sigma_x) * math.cbrt(self.sigma_y) ** 2
        coupling = math.cbrt(self.norm_A) ** 2 * math.cbrt(self.norm_B) ** 4
        return convexity / coupling if coupling else math.inf if convexity else 0.0

    @property
    def holds(self) -> bool:
        """Whether tau meets the condition, up to rounding."""
        return 0.0 < self.tau <= self.largest_tau * (1.0 + 1e-12)

    def __str__(self) -> str:
        constants = {"sigma_x (of f1)": self.sigma_x, "sigma_y (of f2)": self.sigma_y}
        zero = [name for name, value in constants.items() if not value]
        if zero:
            return (
                f"{' and '.join(zero)} {'is' if len(zero) == 1 else 'are'} 0: that part is not strongly "
                f"convex, so Theorem 1 of K15 allows no step and guarantees no rate for tau={self.tau:.4g}"
            )
        largest = f"the largest step of Theorem 1 of K15, {self.largest_tau:.4g}"
        if self.holds:
            return f"tau={self.tau:.4g} is within {largest}: the dual gap of A2DM2 falls as O(1/k²)"
        return f"tau={self.tau:.4g} exceeds {largest}: A2DM2 may converge, but without a guarantee"
