"""
ADMM and A2DM2 for your own problem
===================================

Total variation removes noise from a piecewise constant signal: ½‖x − signal‖² + λ ‖y‖₁ under y = Dx, where D
takes differences. Two functions state the problem, and ``solve_two_block`` solves it.
"""

# %%
# The problem
# -----------
# ``minimise_x(q, tau)`` minimises f₁(x) − q'x + (tau/2)‖Dx‖², a banded system here. ``from_prox`` makes the
# other function from a proximal operator; a small ridge makes that part strongly convex, as A2DM2 requires.
import numpy as np
from matplotlib import pyplot
from scipy.linalg import solveh_banded

from toprank import TwoBlock, solve_two_block
from toprank.problems.two_block import from_prox

n, weight, ridge = 200, 2.0, 0.1
truth = np.repeat([0.0, 3.0, 1.0, 2.0], n // 4)
signal = truth + 0.5 * np.random.default_rng(0).normal(size=n)
differences = np.diff(np.eye(n), axis=0)


def minimise_x(q: np.ndarray, tau: float) -> np.ndarray:
    """Solve (I + tau D'D) x = signal + q; D'D has 2 on its diagonal, 1 at both ends, and −1 beside it."""
    bands = np.full((2, n), 1.0 + 2.0 * tau)
    bands[1, [0, -1]], bands[0] = 1.0 + tau, -tau
    return solveh_banded(bands, signal + q)


problem = TwoBlock(
    minimise_x=minimise_x,
    minimise_y=from_prox(
        lambda v, step: np.sign(v) * np.maximum(np.abs(v) - step * weight, 0.0), ridge=ridge
    ),
    A=differences,
    B=-np.eye(n - 1),
    strong_convexity=(1.0, ridge),
    value_x=lambda x: 0.5 * np.sum((x - signal) ** 2),
    value_y=lambda y: weight * np.abs(y).sum() + 0.5 * ridge * y @ y,
)

# %%
# Two methods
# -----------
# The multipliers give a lower bound on the objective, so the result does not depend on a stopping rule.
figure, ax = pyplot.subplots(layout="constrained")
for method in ("admm", "a2dm2"):
    bounds = []
    for max_iter in (10, 30, 100, 300):
        result = solve_two_block(problem, method, tol=1e-12, max_iter=max_iter)
        bounds.append(problem.dual(result.multipliers))
    ax.plot((10, 30, 100, 300), bounds, marker="o", label=method)
    objective = problem.objective(result.x, differences @ result.x)
    print(f"{method}: objective {objective:.4f}, bound {bounds[-1]:.4f}")
ax.axhline(objective, color="0.5", lw=1, label="objective reached")
ax.set(xscale="log", xlabel="iterations", ylabel="lower bound", title="Both bounds rise to the objective")
ax.legend(loc="lower right")

# %%
# The signal without its noise
# ----------------------------

# sphinx_gallery_thumbnail_number = 2
figure, ax = pyplot.subplots(layout="constrained")
ax.plot(signal, ".", ms=3, label="signal")
ax.plot(truth, color="0.5", lw=1, label="truth")
ax.plot(result.x, label="without noise")
ax.set(xlabel="position", ylabel="value", title="Total variation finds the three steps")
ax.legend()
