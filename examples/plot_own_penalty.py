"""
Your own penalty
================

``RankSVM`` takes any penalty. A concave one is a class with five short methods; this one is 1 − exp(−u/θ),
which approximately counts the weights far from 0 (Bradley and Mangasarian 1998).
"""

# %%
# The penalty
# -----------
# ``value_at`` is g(u) for u = \|w_j\|, with its two derivatives. ``stationary_points`` gives the points where
# the derivative of ½(z − u)² + step g(z) is 0; the lowest of these and 0 is the proximal step.
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib import pyplot
from scipy.special import lambertw

from toprank import L1, RankSVM, path
from toprank.parameters import check_positive
from toprank.penalties import Concave


@dataclass(eq=False)
class Exponential(Concave):
    """g(u) = 1 − exp(−u/θ)."""

    theta: float = 0.5

    name = "exponential"

    def check(self) -> None:
        """Refuse a θ that is not positive."""
        check_positive(self, "theta")

    def value_at(self, size: np.ndarray) -> np.ndarray:
        """Return g at the sizes |w_j|."""
        return -np.expm1(-size / self.theta)

    def derivative(self, size: np.ndarray) -> np.ndarray:
        """Return g' at the sizes."""
        return np.exp(-size / self.theta) / self.theta

    def second_derivative(self, size: np.ndarray) -> np.ndarray:
        """Return g'' at the sizes; it is negative, since g is concave."""
        return -np.exp(-size / self.theta) / self.theta**2

    def stationary_points(self, size: np.ndarray, step: float) -> Iterator[np.ndarray]:
        """Yield one point for each size, by Lambert's function W; 0 where there is none."""
        # With v = (z − size)/θ the condition is v exp(v) = −(step/θ²) exp(−size/θ): real above −1/e only.
        argument = -step / self.theta**2 * np.exp(-size / self.theta)
        has_one = argument >= -np.exp(-1.0)
        z = size + self.theta * lambertw(np.where(has_one, argument, 0.0)).real
        yield np.where(has_one, np.maximum(z, 0.0), 0.0)


# %%
# A fine grid finds the same proximal step.
points = np.linspace(0.0, 3.0, 30_001)
for u, step in [(0.1, 0.1), (0.5, 0.1), (0.9, 0.3), (2.0, 0.3)]:
    lowest = points[np.argmin(0.5 * (points - u) ** 2 + step * Exponential().value_at(points))]
    assert abs(Exponential().prox(np.array([u]), step)[0] - lowest) < 1e-3

# %%
# A model with this penalty
# -------------------------
# Four features of twelve matter. Both solvers for concave penalties take the class unchanged, and a search
# varies its parameter as ``penalty__theta``. There is no lower bound; ``kkt`` is the violation of
# stationarity.
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 12))
y = np.digitize(X[:, :4] @ [2.0, -1.5, 1.0, 1.0] + 0.5 * rng.normal(size=120), [-1.0, 1.0])
qid = np.repeat(np.arange(6), 20)
for solver in ("prox-newton", "monotone-fista"):
    model = RankSVM(Exponential(), C=0.01, solver=solver).fit(X, y, qid)
    print(solver, np.flatnonzero(model.coef_), model.certificate_)

# %%
# Comparison with the ℓ₁ norm
# ---------------------------
# The ℓ₁ norm lets in features that do not matter as C grows. The concave penalty keeps the four, and shrinks
# them less.
figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, penalty in zip(axes, (L1(), Exponential()), strict=True):
    weight_path = path(RankSVM(penalty), X, y, qid, values=np.geomspace(2e-3, 0.04, 10))
    weight_path.plot(ax).legend(loc="upper left", ncols=2)
    ax.set_title(f"{penalty.name}: up to {max(weight_path.n_selected)} of {X.shape[1]} features")
axes[1].set_ylabel("")
