"""The Newton system of the interior point method of the infinite push, by rows or by features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse.linalg import LinearOperator, cg

from toprank.clock import CHOLESKY_COST
from toprank.jit import njit_cached

if TYPE_CHECKING:
    from toprank.clock import Clock

#: What is added to a diagonal of ones, the next where the matrix is not positive definite by rounding.
DIAGONAL_SHIFTS = (0.0, 1e-14, 1e-12)
#: Systems of sparse rows with at least this side are first tried by conjugate gradients, with this relative
#: residual and number of iterations: far from the optimum the rows of texts are nearly orthogonal.
ITERATIVE_SIDE_MIN, ITERATIVE_RTOL, ITERATIONS_MAX = 800, 1e-2, 80


@njit_cached
def fill_outer_products(
    by_entry: tuple[np.ndarray, np.ndarray, np.ndarray],
    vectors: tuple[np.ndarray, np.ndarray, np.ndarray],
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill the lower triangle of a matrix with Σ_k weight_k v_k v_k' of sparse vectors with sorted indices.

    It is made row by row, so that what is written stays in the cache; the upper triangle is not touched.

    Parameters
    ----------
    by_entry : tuple of ndarray
        ``indptr``, ``indices`` and ``data`` of the transpose of the vectors.
    vectors : tuple of ndarray
        ``indptr``, ``indices`` and ``data`` of the CSR array whose rows are the vectors.
    weights : ndarray of shape (n_vectors,)
    out : ndarray of shape (n_entries, n_entries)
        In C order.
    """
    indptr, indices, data = vectors
    ends = indptr[:-1].copy()  # of each vector's entries up to the diagonal
    for i in range(out.shape[0]):
        row = out[i]
        for j in range(i + 1):
            row[j] = 0.0
        for p in range(by_entry[0][i], by_entry[0][i + 1]):
            k = by_entry[1][p]
            value = weights[k] * by_entry[2][p]
            ends[k] += 1
            for q in range(indptr[k], ends[k]):
                row[np.uint64(indices[q])] += value * data[q]  # no test for a negative index


@njit_cached
def _scale_triangle(matrix: np.ndarray, scale: np.ndarray) -> None:
    """Multiply row i and column i of a lower triangle by scale_i."""
    for i in range(scale.size):
        row, factor = matrix[i], scale[i]
        for j in range(i + 1):
            row[j] *= factor * scale[j]


class SquareBuffer:
    """Memory of the last system, for the next: the first use of a large array costs as much as its sums."""

    def __init__(self) -> None:
        self._memory = np.empty(0)

    def make_square(self, side: int) -> np.ndarray:
        """Return a square matrix that is to be filled, in the place of the one before.

        Parameters
        ----------
        side : int

        Returns
        -------
        ndarray of shape (side, side)
        """
        if self._memory.size < side * side:
            self._memory = np.empty(0)  # freed first, unless the last factor still lies there
            self._memory = np.empty(side * side)
        return self._memory[: side * side].reshape(side, side)


class ProgramRows:
    """Rows of a program, positives first: a copy in the form that the sums of the system need.

    Parameters
    ----------
    positives, negatives : ndarray or csr_array of shapes (m', d) and (n', d)
    buffer : SquareBuffer, optional
        Where the systems of sparse rows are made.
    """

    def __init__(
        self,
        positives: np.ndarray | sp.csr_array,
        negatives: np.ndarray | sp.csr_array,
        buffer: SquareBuffer | None = None,
    ) -> None:
        self._buffer = buffer or SquareBuffer()
        self.sign = np.append(np.ones(positives.shape[0]), -np.ones(negatives.shape[0]))
        n_rows, d = self.sign.size, positives.shape[1]
        # The smaller of two equivalent systems (Sherman–Morrison–Woodbury): a row a side, or a feature and t.
        self.by_rows = n_rows <= d
        self._columns = None
        if sp.issparse(positives):
            self.matrix = sp.vstack([positives, negatives], format="csr")
            self.matrix.sort_indices()
            self._columns = sp.csc_array(self.matrix)
        else:
            self.matrix = np.vstack([positives, negatives])

    @property
    def side(self) -> int:
        """Unknowns of the system."""
        return self.sign.size if self.by_rows else self.matrix.shape[1] + 1

    def signed_sum(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the positives minus that of the negatives, with weights.

        Parameters
        ----------
        weights : ndarray of shape (m' + n',)

        Returns
        -------
        ndarray of shape (d,)
        """
        return self.matrix.T @ (self.sign * weights)

    def scatter(self, weights: np.ndarray) -> np.ndarray:
        """Return Z'diag(weights)Z where the system has a feature a side, Z diag(weights)Z' where it has rows.

        Parameters
        ----------
        weights : ndarray of shape (d,) or (m' + n',)
            Non-negative.

        Returns
        -------
        ndarray of shape (side, side)
            Its lower triangle is the matrix; by features, the last row is still 0. The next call of sparse
            rows overwrites it.
        """
        if sp.issparse(self.matrix):
            by_row, by_feature = (
                (array.indptr, array.indices, array.data) for array in (self.matrix, self._columns)
            )
            out = self._buffer.make_square(self.side)
            if self.by_rows:
                fill_outer_products(by_row, by_feature, weights, out)
            else:
                fill_outer_products(by_feature, by_row, weights, out[:-1])
                out[-1] = 0.0
            return out
        roots = np.sqrt(weights)
        if self.by_rows:
            # BLAS reads the transpose of a C-ordered array without a copy, and writes its upper triangle so
            return dsyrk(1.0, (self.matrix * roots).T, trans=1, lower=0).T
        out = np.zeros((self.side, self.side))
        out[:-1, :-1] = dsyrk(1.0, (self.matrix * roots[:, None]).T, lower=0).T
        return out


class NewtonSystem:
    r"""The linear system of one step, factored; see `toprank.solvers.push_interior` for the program.

    For changes of the weights y of the rows Z, of the slopes r, and of the multipliers w and t it is

    .. math::
        SZ\,dw - s\,dt + \Theta_y dy = f_y, \quad -dw + \Theta_r dr = f_r, \quad Z'S\,dy - dr = -p,
        \quad s'dy = -q,

    where s are the signs of the classes and S their diagonal matrix.

    Parameters
    ----------
    rows : ProgramRows
    curvature : ndarray of shape (m' + n' + d,)
        :math:`\Theta`; positive.
    infeasibility : ndarray of shape (d,)
        p.
    imbalance : float
        q.
    clock : Clock
    may_iterate : bool, default=False
        Whether conjugate gradients are worth a try on a large sparse system.

    Attributes
    ----------
    is_factored : bool
        Whether the system was factored; False as long as conjugate gradients converge.

    Raises
    ------
    OutOfTime
        If the time is too short to factor it.
    numpy.linalg.LinAlgError
        If it is singular to working precision.
    """

    def __init__(
        self,
        rows: ProgramRows,
        curvature: np.ndarray,
        infeasibility: np.ndarray,
        imbalance: float,
        clock: Clock,
        *,
        may_iterate: bool = False,
    ) -> None:
        n_rows = rows.sign.size
        self._rows, self._infeasibility, self._imbalance = rows, infeasibility, imbalance
        self._clock = clock
        self._row_weights, self._slope_weights = 1.0 / curvature[:n_rows], 1.0 / curvature[n_rows:]
        is_large = rows.by_rows and sp.issparse(rows.matrix) and rows.side >= ITERATIVE_SIDE_MIN
        self.is_factored, self._operator, self._last = False, None, None
        if is_large and may_iterate:
            self._make_operator()
        else:
            self._factorise()
        if rows.by_rows:
            # Response of the weights to t, whose multiplier keeps the sums of both classes equal; `solve`
            # uses it.
            self._response = self._solve(rows.sign)

    def _make_operator(self) -> None:
        """Keep the products with the matrix, scaled to a diagonal of ones."""
        rows, matrix = self._rows, self._rows.matrix
        squares = sp.csr_array((np.square(matrix.data), matrix.indices, matrix.indptr), matrix.shape)
        self._scale = 1.0 / np.sqrt(squares @ (1.0 / self._slope_weights) + 1.0 / self._row_weights)
        diagonal = np.square(self._scale) / self._row_weights

        def multiply(vector: np.ndarray) -> np.ndarray:
            """Return the product with the scaled matrix."""
            direction = rows.signed_sum(self._scale * vector) / self._slope_weights
            return self._scale * rows.sign * (matrix @ direction) + diagonal * vector

        self._operator = LinearOperator((rows.side, rows.side), matvec=multiply)

    def _factorise(self) -> None:
        """Factor the matrix; raise an error if it is singular or the time is too short."""
        rows = self._rows
        self._clock.require_budget(CHOLESKY_COST * rows.side**3 / 3.0)
        for shift in DIAGONAL_SHIFTS:
            system = self._make_system()
            system[np.diag_indices(rows.side)] += shift
            # the transpose of a C-ordered lower triangle is what LAPACK factors in place, as an upper one
            self._factor, info = dpotrf(system.T, lower=0, clean=0, overwrite_a=1)
            if not info:
                self.is_factored = True
                return
        raise np.linalg.LinAlgError

    def _make_system(self) -> np.ndarray:
        """Return the lower triangle of the matrix, scaled to a diagonal of ones, and keep the scale."""
        rows = self._rows
        if rows.by_rows:
            system = rows.scatter(1.0 / self._slope_weights)
            system[np.diag_indices(rows.side)] += 1.0 / self._row_weights
            signs = rows.sign
        else:
            system = rows.scatter(self._row_weights)
            system[np.diag_indices(rows.side - 1)] += self._slope_weights
            system[-1, :-1] = -(rows.matrix.T @ self._row_weights)
            system[-1, -1] = self._row_weights.sum()
            signs = np.ones(rows.side)
        # Near the optimum the weights span many orders: scaled to a unit diagonal, the matrix keeps its
        # digits.
        self._scale = 1.0 / np.sqrt(system.diagonal())
        _scale_triangle(system, signs * self._scale)
        return system

    def _solve(self, rhs: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """Solve for one side; conjugate gradients begin at the start."""
        if not self.is_factored:
            start = None if start is None else start / self._scale
            limits = {"rtol": ITERATIVE_RTOL, "maxiter": ITERATIONS_MAX}
            x, info = cg(self._operator, self._scale * rhs, start, **limits)
            if not info:
                return self._scale * x
            self._factorise()
        return self._scale * dpotrs(self._factor, self._scale * rhs, lower=0)[0]

    def solve(self, force: np.ndarray, *, is_feasible: bool = False) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the changes of the weights and slopes, of w, and of t.

        Parameters
        ----------
        force : ndarray of shape (m' + n' + d,)
            The right-hand sides of the weights and slopes.
        is_feasible : bool, default=False
            Whether p = 0 and q = 0 take the place of the ones of the step.

        Returns
        -------
        tuple
        """
        p, q = (0.0, 0.0) if is_feasible else (self._infeasibility, self._imbalance)
        rows, sign = self._rows, self._rows.sign
        row_force, slope_force = force[: sign.size], force[sign.size :]
        if rows.by_rows:
            rhs = row_force - sign * (rows.matrix @ (p / self._slope_weights - slope_force))
            self._last = dy = self._solve(rhs, self._last)
            dt = (-q - sign @ dy) / (sign @ self._response)
            dy = dy + dt * self._response
            dr = rows.signed_sum(dy) + p
            return np.append(dy, dr), dr / self._slope_weights - slope_force, dt
        weighted = self._row_weights * row_force
        rhs = rows.signed_sum(weighted) - self._slope_weights * slope_force + p
        *dw, dt = self._solve(np.append(rhs, -q - sign @ weighted))
        dw = np.asarray(dw)
        dy = weighted - self._row_weights * sign * (rows.matrix @ dw - dt)
        return np.append(dy, self._slope_weights * (slope_force + dw)), dw, dt
