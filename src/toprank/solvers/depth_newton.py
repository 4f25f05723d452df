"""The Newton system of the interior point method of `toprank.solvers.depth_interior`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from toprank.clock import CHOLESKY_COST
from toprank.solvers.depth_iterate import Bounds, Iterate
from toprank.solvers.push_newton import fill_outer_products

if TYPE_CHECKING:
    from toprank.clock import Clock

#: Rows that are weighted and multiplied at once: they stay in the cache.
CHUNK_ROWS = 2048
#: Below this mean product of gaps and multipliers, a solution is refined once.
REFINED_PRODUCT = 1e-7
#: What is added to a diagonal of ones, the next where the matrix is not positive definite by rounding.
DIAGONAL_SHIFTS = (0.0, 1e-14, 1e-12, 1e-10)


class FeatureColumns:
    """Some columns of all rows, positives first, and the products that the system needs.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m + n, n_features)
    n_positives : int
    """

    def __init__(self, matrix: np.ndarray | sp.csr_array, n_positives: int) -> None:
        self.matrix, self._transpose = matrix, None
        self.positives, self.negatives = matrix[:n_positives], matrix[n_positives:]
        if sp.issparse(matrix):
            self._transpose = sp.csc_array(matrix)

    def sum_signed(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b.

        Parameters
        ----------
        a, b : ndarray of shapes (m,) and (n,)

        Returns
        -------
        ndarray of shape (n_features,)
        """
        return self.positives.T @ a - self.negatives.T @ b

    def sum_outer_products(self, weights: np.ndarray) -> np.ndarray:
        """Return the upper triangle of X'diag(weights)X.

        Parameters
        ----------
        weights : ndarray of shape (m + n,)
            Non-negative.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        d = self.matrix.shape[1]
        if self._transpose is not None:
            by_feature, by_row = (
                (array.indptr, array.indices, array.data) for array in (self._transpose, self.matrix)
            )
            out = np.zeros((d, d))
            fill_outer_products(by_feature, by_row, weights, out)
            return out.T
        out, roots = np.zeros((d, d), order="F"), np.sqrt(weights)[:, None]
        for first in range(0, len(roots) if d else 0, CHUNK_ROWS):
            part = slice(first, first + CHUNK_ROWS)
            # the transpose of a C-ordered block is what BLAS multiplies in place
            out = dsyrk(1.0, (roots[part] * self.matrix[part]).T, beta=1.0, c=out, overwrite_c=1)
        return out


class DepthNewtonSystem:
    r"""The linear equations of a step, reduced to the changes of w, t, θ and s.

    The weights follow from them: with the responses D and E of positives and negatives, and the
    derivative f of the excess to the cap,

    .. math::
        \Delta a = D(\kappa - X^+\Delta w + \Delta t), \quad
        \Delta b = E(\kappa + X^-\Delta w - \Delta\theta + f\,\Delta s).

    The block of w, t and θ is positive definite; the row of s borders it.

    Parameters
    ----------
    rows : FeatureColumns
        In units of the scale.
    point : Iterate
    depth : float
    penalty : tuple of ndarray of shape (n_features,)
        Which features have a limit, the limits λ, and the ridge q.
    clock : Clock

    Raises
    ------
    OutOfTime
        If the time is too short.
    numpy.linalg.LinAlgError
        If it is singular to working precision.
    """

    @np.errstate(all="ignore")  # what overflows has no finite solution, and is told apart by it
    def __init__(
        self,
        rows: FeatureColumns,
        point: Iterate,
        depth: float,
        penalty: tuple[np.ndarray, np.ndarray, np.ndarray],
        clock: Clock,
    ) -> None:
        self._rows, self._point, self._depth = rows, point, depth
        self._is_limited, limits, self._ridge = penalty
        gaps, multipliers = point.gaps, point.multipliers
        self._m = m = gaps.sizes[0]
        self._a_response = 1.0 / (
            multipliers.positive_low / gaps.positive_low + multipliers.positive_high / gaps.positive_high
        )
        low_share = multipliers.negative_low / gaps.negative_low
        self._excess_slope = slope = multipliers.negative_high / gaps.negative_high
        self._b_response = 1.0 / (low_share + slope)
        curvature = multipliers.slope_low / gaps.slope_low + multipliers.slope_high / gaps.slope_high
        self._rho_response = np.zeros(point.w.size)
        self._rho_response[self._is_limited] = 1.0 / curvature
        self._factorise(self._rho_response + self._ridge, clock)

        # how far the weights are from their constraints at the point
        scores = rows.matrix @ point.w
        self._pull = np.append(scores[:m] - 1.0 - point.top, point.threshold - scores[m:])
        rho = np.zeros(point.w.size)
        rho[self._is_limited] = gaps.slope_low - limits[self._is_limited]
        sums = rows.sum_signed(gaps.positive_low, gaps.negative_low)
        self._slope_residual = sums - rho - self._ridge * point.w
        bent = self._b_response * slope
        self._border = np.concatenate([rows.negatives.T @ bent, [-depth, depth - bent.sum()]])
        self._bordered = self._solve_block(self._border)
        # Σ f (1 − E f), without the difference
        corner = (bent * low_share).sum()
        self._pivot = -corner - self._border @ self._bordered

    def _factorise(self, diagonal: np.ndarray, clock: Clock) -> None:
        """Factor the block of w, t and θ, scaled to a diagonal of ones."""
        rows, d = self._rows, diagonal.size
        clock.require_budget(2.0 * rows.matrix.size * (d + 1) + CHOLESKY_COST * d**3 / 3.0)
        system = np.zeros((d + 2, d + 2), order="F")
        system[:d, :d] = rows.sum_outer_products(np.append(self._a_response, self._b_response))
        system[np.arange(d), np.arange(d)] += diagonal
        system[:d, d] = -(rows.positives.T @ self._a_response)
        system[:d, d + 1] = -(rows.negatives.T @ self._b_response)
        system[d, d], system[d + 1, d + 1] = self._a_response.sum(), self._b_response.sum()
        # near the optimum the weights span many orders: with a unit diagonal the matrix keeps its digits
        self._unit = 1.0 / np.sqrt(system.diagonal())
        system *= self._unit[:, None] * self._unit
        for shift in DIAGONAL_SHIFTS:
            trial = system.copy(order="F")
            trial[np.diag_indices(d + 2)] += shift
            self._factor, info = dpotrf(trial, lower=0, clean=0, overwrite_a=1)
            if not info:
                return
        raise np.linalg.LinAlgError

    def _solve_block(self, rhs: np.ndarray) -> np.ndarray:
        return self._unit * dpotrs(self._factor, self._unit * rhs, lower=0)[0]

    @np.errstate(all="ignore")
    def solve(self, aims: np.ndarray) -> Iterate:
        """Return the change that leads, to first order, to such products of gaps and multipliers.

        Parameters
        ----------
        aims : ndarray of shape (2m + 2n + 2k,)

        Returns
        -------
        Iterate
        """
        point, depth, m = self._point, self._depth, self._m
        gaps, multipliers = point.gaps, point.multipliers
        targets = Bounds(aims / gaps.values, gaps.sizes)
        a_force = self._a_response * (targets.positive_low - targets.positive_high - self._pull[:m])
        b_force = self._b_response * (targets.negative_low - targets.negative_high - self._pull[m:])
        w_force = np.zeros(point.w.size)
        w_force[self._is_limited] = point.w[self._is_limited] - targets.slope_high + targets.slope_low
        a_sum, b_sum, capped = gaps.positive_low.sum(), gaps.negative_low.sum(), depth * point.cap
        rhs = np.append(
            self._rows.sum_signed(a_force, b_force) - self._rho_response * w_force + self._slope_residual,
            [capped - a_sum - a_force.sum(), b_sum - capped + b_force.sum()],
        )
        last = (
            depth * (point.top - point.threshold) - targets.negative_high.sum() - self._excess_slope @ b_force
        )
        unknowns = self._solve_bordered(rhs, last)
        weights = [
            force + change
            for force, change in zip(
                (a_force, b_force, self._rho_response * w_force), self._respond(unknowns), strict=True
            )
        ]
        if point.mean_product < REFINED_PRODUCT:
            correction = self._solve_bordered(*self._find_residual(weights, unknowns, targets))
            unknowns = unknowns + correction
            weights = map(np.add, weights, self._respond(correction))
        a, b, rho = weights
        cap, rho = unknowns[-1], rho[self._is_limited]
        gap_change = np.concatenate([a, -a, b, cap - b, rho, -rho])
        multiplier_change = targets.values - multipliers.values * (1.0 + gap_change / gaps.values)
        return Iterate(
            Bounds(gap_change, gaps.sizes),
            Bounds(multiplier_change, gaps.sizes),
            unknowns[:-3],
            *unknowns[-3:],
        )

    def _solve_bordered(self, rhs: np.ndarray, last: float) -> np.ndarray:
        """Return the changes of w, t, θ and s, in one array."""
        x = self._solve_block(rhs)
        cap = (last - self._border @ x) / self._pivot
        return np.append(x - cap * self._bordered, cap)

    def _respond(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what changes of w, t, θ and s make of a, b and ρ."""
        *_, top, threshold, cap = unknowns
        w, m = unknowns[:-3], self._m
        moves = self._rows.matrix @ w
        return (
            self._a_response * (top - moves[:m]),
            self._b_response * (moves[m:] - threshold + self._excess_slope * cap),
            self._rho_response * w,
        )

    def _find_residual(
        self, weights: list[np.ndarray], unknowns: np.ndarray, targets: Bounds
    ) -> tuple[np.ndarray, float]:
        """Return what the equations of the slopes, the sums and the excesses lack after a change.

        The sums of outer products have lost these digits; the rows themselves have not.
        """
        (a, b, rho), (*_, top, threshold, cap) = weights, unknowns
        gaps, point, depth = self._point.gaps, self._point, self._depth
        slopes = self._slope_residual + self._rows.sum_signed(a, b) - rho - self._ridge * unknowns[:-3]
        capped = depth * (point.cap + cap)
        sums = [
            capped - gaps.positive_low.sum() - a.sum(),
            gaps.negative_low.sum() + b.sum() - capped,
        ]
        excesses = targets.negative_high.sum() - self._excess_slope @ (cap - b)
        return np.append(slopes, sums), depth * (point.top + top - point.threshold - threshold) - excesses
