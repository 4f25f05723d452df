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
ITERATIVE_SIDE_MIN, ITERATIVE_RTOL, ITERATIONS_MAX = 800, 1e-2, 150


@njit_cached
def _add_row_products(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    columns: tuple[np.ndarray, np.ndarray, np.ndarray],
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the lower triangle of A diag(weights) A' of a sparse matrix A, given by rows and by columns.

    One row of the result after the other, so that it stays in the cache (Gustavson 1978).
    """
    indptr, indices, data = rows
    starts, column_rows, column_data = columns
    ends = starts[:-1].copy()  # of the entries of each column in the rows up to the present one
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            k = indices[p]
            value = weights[k] * data[p]
            ends[k] += 1
            for q in range(starts[k], ends[k]):
                out[i, column_rows[q]] += value * column_data[q]


class ProgramRows:
    """Rows of a program, positives first: a copy in the form that the sums of the system need.

    Parameters
    ----------
    positives, negatives : ndarray or csr_array of shapes (m', d) and (n', d)
    """

    def __init__(self, positives: np.ndarray | sp.csr_array, negatives: np.ndarray | sp.csr_array) -> None:
        self.sign = np.append(np.ones(positives.shape[0]), -np.ones(negatives.shape[0]))
        n_rows, d = self.sign.size, positives.shape[1]
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
            Its lower triangle is the matrix; by features, the last row is still 0.
        """
        if sp.issparse(self.matrix):
            out = np.zeros((self.side, self.side))
            parts = [(A.indptr, A.indices, A.data) for A in (self.matrix, self._columns)]
            # the columns of a matrix are the rows of its transpose
            _add_row_products(*(parts if self.by_rows else parts[::-1]), weights, out)
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
        self.is_factored, self._operator = False, None
        if is_large and may_iterate:
            self._make_operator()
        else:
            self._factorise()
        if rows.by_rows:
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
        self._scale = 1.0 / np.sqrt(system.diagonal())
        system *= (signs * self._scale)[:, None]
        system *= signs * self._scale
        return system

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        if not self.is_factored:
            x, info = cg(self._operator, self._scale * rhs, rtol=ITERATIVE_RTOL, maxiter=ITERATIONS_MAX)
            if not info:
                return self._scale * x
            self._factorise()
        return self._scale * dpotrs(self._factor, self._scale * rhs, lower=0)[0]

    def solve(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the changes of the weights and slopes, of w, and of t.

        Parameters
        ----------
        force : ndarray of shape (m' + n' + d,)
            The right-hand sides of the weights and slopes.

        Returns
        -------
        tuple
        """
        rows, sign = self._rows, self._rows.sign
        row_force, slope_force = force[: sign.size], force[sign.size :]
        if rows.by_rows:
            rhs = row_force - sign * (rows.matrix @ (self._infeasibility / self._slope_weights - slope_force))
            dy = self._solve(rhs)
            dt = (-self._imbalance - sign @ dy) / (sign @ self._response)
            dy += dt * self._response
            dr = rows.signed_sum(dy) + self._infeasibility
            return np.append(dy, dr), dr / self._slope_weights - slope_force, dt
        weighted = self._row_weights * row_force
        rhs = rows.signed_sum(weighted) - self._slope_weights * slope_force + self._infeasibility
        *dw, dt = self._solve(np.append(rhs, -self._imbalance - sign @ weighted))
        dw = np.asarray(dw)
        dy = weighted - self._row_weights * sign * (rows.matrix @ dw - dt)
        return np.append(dy, self._slope_weights * (slope_force + dw)), dw, dt
