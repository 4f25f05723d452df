"""Interior point method for a quadratic with a bound on the mean of the highest of some linear functions.

The model of a step of the exact solvers at depth K: A holds rows that are surely among the K highest, B
those that may be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from toprank.clock import CHOLESKY_COST, UNLIMITED, Clock, OutOfTime

#: Complementarity, relative to ‖y‖², at which the method ends, and cap of its steps.
RELATIVE_TOL, MAX_ITER = 1e-13, 250
#: The K highest are all rows if K is this near to their number: the multipliers then have no interior.
ALL_FREE_RTOL = 1e-12
#: Residuals of the equations that count as 0, and ‖y‖² that counts as 0, for a target of length 1.
FEASIBILITY_TOL, SQUARES_MIN = 1e-12, 1e-30
#: Rows of the band of which a weighted copy is made at a time.
ROWS_PER_BLOCK = 2048
#: A step goes so far to the boundary; the method ends at a smaller one than the least.
BOUNDARY_SHARE, STEP_MIN = 0.995, 1e-10


@dataclass(frozen=True)
class TopQuadraticSolution:
    """Minimum of `minimise_top_quadratic`, and its dual weights.

    Attributes
    ----------
    y : ndarray of shape (d,)
    weights : ndarray of shape (n_band,)
        Of the rows of the band, between 0 and their count times the cap.
    cap : float
        The weight of each row of A, and the largest one of a single row of the band.
    """

    y: np.ndarray
    weights: np.ndarray
    cap: float


def minimise_top_quadratic(
    target: np.ndarray,
    band: np.ndarray,
    counts: np.ndarray,
    sum_above: np.ndarray,
    n_free: float,
    tol: float = RELATIVE_TOL,
    clock: Clock = UNLIMITED,
) -> TopQuadraticSolution:
    r"""Minimise ½‖y‖² − target'y where the highest rows have a sum of at most 0.

    .. math::
        \min_{y, \theta} \tfrac12\|y\|^2 - g'y \quad\text{where}\quad
        c_A'y + k\theta + \sum_{j \in B} \mu_j (c_j'y - \theta)_+ \le 0,

    where k rows of the band B count beside the sum of rows A, and row j of B stands for μ_j equal ones. The
    dual is the projection of g on a cone, min ½‖g − Σ_j b_j c_j − s c_A‖² over 0 ≤ b_j ≤ μ_j s with Σb = k s.
    Mehrotra's predictor and corrector (Nocedal and Wright 2006, algorithm 16.4).

    Parameters
    ----------
    target : ndarray of shape (d,)
        g.
    band : ndarray of shape (n_band, d)
        c_j, one a row.
    counts : ndarray of shape (n_band,)
        μ_j.
    sum_above : ndarray of shape (d,)
        c_A, the sum of the rows of A.
    n_free : float
        k, above 0 and at most the sum of the counts.
    tol : float, optional
        Complementarity, relative to ‖y‖², at which the method ends.
    clock : Clock, optional

    Returns
    -------
    TopQuadraticSolution

    Raises
    ------
    OutOfTime
        If the time is too short.
    """
    if n_free >= (1.0 - ALL_FREE_RTOL) * counts.sum():
        # all rows count, and the bound is on their sum: a projection on a half-space
        total = sum_above + counts @ band
        cap = max(float(target @ total), 0.0) / (float(total @ total) or 1.0)
        return TopQuadraticSolution(target - cap * total, cap * counts, cap)
    unit_y = np.sqrt(target @ target) or 1.0
    row_unit = np.sqrt(np.median(np.einsum("ij,ij->i", band, band))) or 1.0
    method = _InteriorPoint(target / unit_y, band / row_unit, counts, sum_above / row_unit, n_free)
    method.tol = tol
    operations = method.operations
    # the ratios of the last steps may leave the range of numbers; such a step is not taken
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for _ in range(MAX_ITER):
            clock.require_budget(operations)
            if clock.is_over():
                raise OutOfTime
            if method.advance():
                break
    weight_unit = unit_y / row_unit
    return TopQuadraticSolution(method.y * unit_y, method.b * weight_unit, method.cap * weight_unit)


class _InteriorPoint:
    """Iterates of the method: y, θ, the hinges s of the band, the slacks, and the multipliers.

    The multipliers are b of s >= c'y − θ, e of s >= 0, and ``cap`` of the bound on the sum; b + e = μ cap.
    All that must stay positive is in one array, ``values``: s, p, b, e, v, cap.
    """

    def __init__(
        self, target: np.ndarray, band: np.ndarray, counts: np.ndarray, sum_above: np.ndarray, n_free: float
    ) -> None:
        self.target, self.band, self.counts, self.sum_above, self.n_free = (
            target,
            band,
            counts,
            sum_above,
            n_free,
        )
        n, total, self.tol = len(band), counts.sum(), RELATIVE_TOL
        self.operations = 2.0 * min(n, target.size) * n * target.size + CHOLESKY_COST * target.size**3 / 3.0
        # a feasible dual point, its y, and the slacks of the latter
        mean = sum_above + n_free / total * (counts @ band)
        self.values = np.empty(4 * n + 2)
        self.s, self.p, self.b, self.e = self.values[:-2].reshape(4, n)  # views
        cap = max(float(target @ mean) / (mean @ mean or 1.0), 1e-3 / max(np.sqrt(mean @ mean), 1e-3))
        self.b[:] = min(n_free / total, 0.999) * cap * counts
        self.e[:] = cap * counts - self.b
        self.y = target - self.band.T @ self.b - cap * sum_above
        scores = band @ self.y
        self.theta = float(np.quantile(scores, 1.0 - min(n_free / total, 1.0), method="nearest"))
        margin = max(float(np.std(scores)), 1e-3)
        self.s[:] = np.maximum(scores - self.theta, 0.0) + margin
        self.p[:] = self.s - scores + self.theta
        self.values[-2:] = max(-self._compute_sum(), margin), cap

    @property
    def v(self) -> float:
        """Slack of the bound on the sum."""
        return float(self.values[-2])

    @property
    def cap(self) -> float:
        """Multiplier of the bound on the sum: the weight of each row of A."""
        return float(self.values[-1])

    def _compute_sum(self) -> float:
        return float(self.sum_above @ self.y + self.n_free * self.theta + self.counts @ self.s)

    def advance(self) -> bool:
        """Take a step; returns whether the point was optimal before, or rounding allows no more progress."""
        scores = self.band @ self.y
        # Primal–dual equations: y = target − Σ_B b_j x_j − cap Σ_A x_j; Σb = n_free cap; b + e = cap counts;
        # p = s − x_j'y + θ; and v = −(Σ_A x_j'y + n_free θ + counts's), the slack of the bound.
        residuals = (
            self.y - self.target + self.band.T @ self.b + self.cap * self.sum_above,
            self.n_free * self.cap - self.b.sum(),
            self.cap * self.counts - self.b - self.e,
            self.s - scores + self.theta - self.p,
            -self._compute_sum() - self.v,
        )
        complementarity = self.b @ self.p + self.e @ self.s + self.cap * self.v
        n_products = 2 * self.b.size + 1
        mu = complementarity / n_products
        if not mu > 0.0:
            return True
        largest = max(np.abs(residuals[0]).max(), abs(residuals[1]), np.abs(residuals[3]).max())
        is_feasible = largest <= max(FEASIBILITY_TOL, 1e-3 * self.tol) * self._size()
        if is_feasible and complementarity <= self.tol * max(self.y @ self.y, SQUARES_MIN):
            return True
        system = _NewtonSystem(self)
        if not system.is_factored:
            return True
        # Predictor of Mehrotra: the step to complementarity 0.
        _, _, change = system.solve(residuals, -self.b * self.p, -self.e * self.s, -self.cap * self.v)
        moved = self.values + self._limit_step(change) * change
        s, p, b, e = moved[:-2].reshape(4, -1)
        affine_mu = (b @ p + e @ s + moved[-1] * moved[-2]) / n_products
        # Mehrotra's heuristic σ = (μ_affine/μ)³: little centring where the predictor came far. The corrector
        # adds the second-order terms Δb Δp, Δe Δs and Δcap Δv of the predictor.
        centring = (affine_mu / mu) ** 3 * mu
        ds, dp, db, de = change[:-2].reshape(4, -1)
        dy, dtheta, change = system.solve(
            residuals,
            centring - self.b * self.p - db * dp,
            centring - self.e * self.s - de * ds,
            centring - self.cap * self.v - change[-1] * change[-2],
        )
        if not (np.isfinite(dy).all() and np.isfinite(dtheta) and np.isfinite(change).all()):
            return True
        length = self._limit_step(change)
        self.y, self.theta = self.y + length * dy, self.theta + length * dtheta
        self.values += length * change
        return length < STEP_MIN

    def _size(self) -> float:
        return max(1.0, float(np.abs(self.y).max()), float(np.abs(self.b).max()))

    def _limit_step(self, change: np.ndarray) -> float:
        """Return the step to the boundary, at most 1, that keeps hinges, slacks and multipliers positive."""
        # the step to zero is -value / change where change < 0
        steepest = (change / self.values).min()
        return float(min(1.0, -BOUNDARY_SHARE / steepest)) if steepest < 0.0 else 1.0


class _NewtonSystem:
    """The Newton equations of a point, reduced to (Δy, Δθ, Δcap) and factored.

    With D = 1 / (p/b + s/e) and κ = μ s/e, Δb = D (h + κ Δcap + c'Δy − Δθ).
    """

    def __init__(self, point: _InteriorPoint) -> None:
        self.point = point
        # Δs, Δp, Δe, Δb and Δv are eliminated in turn. What is left is positive definite in (Δy, Δθ), with
        # one border for Δcap: a factorisation of side d + 1 for any number of rows in the band.
        ratio = point.s / point.e
        self.kappa = point.counts * ratio
        self.weights = 1.0 / (point.p / point.b + ratio)
        band, d = point.band, point.target.size
        weighted = self.weights * self.kappa
        normal, gram = np.empty((d + 1, d + 1), order="F"), np.zeros((d, d), order="F")
        roots = np.sqrt(self.weights)
        for start in range(0, len(band), ROWS_PER_BLOCK):  # so that the weighted copy stays in the cache
            rows = slice(start, start + ROWS_PER_BLOCK)
            # the transpose of rows in C order is in Fortran order: no copy
            gram = dsyrk(1.0, (band[rows] * roots[rows, None]).T, 1.0, gram, lower=1, overwrite_c=1)
        normal[:d, :d] = gram
        normal[np.arange(d), np.arange(d)] += 1.0
        sums, weighted_sums = np.stack([self.weights, weighted]) @ band
        normal[d, :d] = -sums
        normal[d, d] = self.weights.sum()
        self.factor, info = dpotrf(normal, lower=1, clean=0, overwrite_a=1)
        self.is_factored = info == 0
        self.border = np.append(point.sum_above + weighted_sums, point.n_free - weighted.sum())
        self.solved_border, _ = dpotrs(self.factor, self.border, lower=1)
        corner = float(self.kappa @ (point.counts - weighted)) + point.v / point.cap
        self.pivot = corner + float(self.border @ self.solved_border)

    def solve(self, residuals: tuple, r_b: np.ndarray, r_e: np.ndarray, r_cap: float) -> tuple:
        """Return the step for the given right sides of the products b p, e s and cap v."""
        point, kappa, D = self.point, self.kappa, self.weights
        residual_y, residual_theta, residual_s, residual_p, residual_v = residuals
        shift = (r_e - point.s * residual_s) / point.e
        h = r_b / point.b - residual_p - shift
        right = np.append(-residual_y - point.band.T @ (D * h), -residual_theta + D @ h)
        last = -(r_cap / point.cap + point.counts @ shift + (kappa * D) @ h - residual_v)
        solved, _ = dpotrs(self.factor, right, lower=1)
        dcap = (float(self.border @ solved) - last) / self.pivot
        solved -= dcap * self.solved_border
        dy, dtheta = solved[:-1], float(solved[-1])
        change = np.empty_like(point.values)
        ds, dp, db, de = change[:-2].reshape(4, -1)
        db[:] = D * (h + kappa * dcap + point.band @ dy - dtheta)
        de[:] = point.counts * dcap - db + residual_s
        ds[:] = (r_e - point.s * de) / point.e
        dp[:] = (r_b - point.p * db) / point.b
        change[-2:] = (r_cap - point.v * dcap) / point.cap, dcap
        return dy, dtheta, change
