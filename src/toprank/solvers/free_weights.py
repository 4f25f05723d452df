"""Newton equations between the free dual weights of a ranking: a small Gram matrix, or conjugate gradients.

In a proximal step of length σ the weights move by −σ P (change of the scores), where P projects on the moves
that keep zeros at zero, the negatives at the cap at a common cap, and the sums of both classes equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky
from scipy.linalg.lapack import dpotrs

from toprank.clock import CHOLESKY_COST, OutOfTime
from toprank.problems.sparse_rows import SparseRows, make_fast_rows
from toprank.solvers.quadratic import factorise_with_jitter
from toprank.solvers.row_gram import RowGram

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking
    from toprank.problems.rows import RowMatrix
    from toprank.problems.top import TopRanking
    from toprank.solvers.dual_projection import DualWeights

#: Up to so many free weights the Gram matrix of their rows is factored at once, up to the second number where
#: conjugate gradients are slow.
DIRECT_MAX, GRAM_MAX = 600, 6000
#: Residual of the conjugate gradients, relative to the first one, and cap of their steps.
CG_RTOL, CG_STEPS_MAX = 1e-6, 80
#: Rows of which a copy is made at a time.
ROWS_PER_CHUNK = 1024


def compute_squared_lengths(rows: RowMatrix) -> np.ndarray:
    """Return ‖x_i‖² of each row.

    Parameters
    ----------
    rows : ndarray, csr_array or SelectedRows of shape (n, d)

    Returns
    -------
    ndarray of shape (n,)
    """
    if sp.issparse(rows):
        row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        return np.bincount(row_of, np.square(rows.data), rows.shape[0])
    starts = range(0, rows.shape[0], ROWS_PER_CHUNK)
    parts = (np.asarray(rows[i : i + ROWS_PER_CHUNK], dtype=float) for i in starts)
    return np.concatenate([np.einsum("ij,ij->i", part, part) for part in parts])


class StackedRows:
    """The rows of the positives, and of the negatives with the opposite sign, as one matrix.

    Parameters
    ----------
    positives, negatives : ndarray, csr_array or SelectedRows of shapes (m, d) and (n, d)
    """

    def __init__(self, positives: RowMatrix, negatives: RowMatrix) -> None:
        self._positives, self._negatives = make_fast_rows(positives), make_fast_rows(negatives)
        self.m, self.n = positives.shape[0], negatives.shape[0]
        self.squares = np.concatenate(
            [compute_squared_lengths(positives), compute_squared_lengths(negatives)]
        )
        self.gram = RowGram(positives, negatives)

    def score(self, w: np.ndarray) -> np.ndarray:
        """Return the scores of the positives, and minus those of the negatives.

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (m + n,)
        """
        return np.concatenate([self._positives @ w, -(self._negatives @ w)])

    def score_selected(self, index: np.ndarray, n_positives: int, w: np.ndarray) -> np.ndarray:
        """Return the entries of `score` at some rows; of sparse ones, no others are read.

        Parameters
        ----------
        index : ndarray of int of shape (k,)
            The positives come first.
        n_positives : int
            How many of them there are.
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (k,)
        """
        if not isinstance(self._positives, SparseRows):
            return self.score(w)[index]
        positives = self._positives.score_selected(index[:n_positives], w)
        return np.append(positives, -self._negatives.score_selected(index[n_positives:] - self.m, w))

    def sum(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the rows with some weights, X⁺'a − X⁻'b.

        Parameters
        ----------
        weights : ndarray of shape (m + n,)

        Returns
        -------
        ndarray of shape (d,)
        """
        return self._positives.T @ weights[: self.m] - self._negatives.T @ weights[self.m :]


@dataclass
class FreeSet:
    """The variables of the equations: free weights, and the common weight of the negatives at the cap.

    Attributes
    ----------
    index : ndarray of int
        The free weights, with the positives first.
    n_positives : int
        How many of them belong to positives.
    capped : ndarray of int
        The weights at the cap; they are one variable more, in a unit in which its square is their sum.
    constraints : ndarray of shape (n_constraints, n_variables)
        Sums that stay 0.
    """

    index: np.ndarray
    n_positives: int
    capped: np.ndarray
    constraints: np.ndarray

    @classmethod
    def from_weights(cls, weights: DualWeights, upper: float, depth: float) -> FreeSet:
        """Sort the weights of a point into those at a bound and the free ones.

        Parameters
        ----------
        weights : DualWeights
        upper : float
            Largest weight of a positive.
        depth : float

        Returns
        -------
        FreeSet
        """
        a, b, m = weights.a, weights.b, weights.a.size
        free_a, free_b = (
            np.flatnonzero((a > 0.0) & (a < upper)),
            np.flatnonzero((b > 0.0) & (b < weights.cap)),
        )
        capped = m + np.flatnonzero(b >= weights.cap) if depth > 1 else np.empty(0, dtype=np.intp)
        index = np.append(free_a, m + free_b)
        if not capped.size:
            return cls(index, free_a.size, capped, np.where(index < m, 1.0, -1.0)[None])
        # Moves keep Σa = K c and Σb = K c, with c the common weight of the capped negatives. The variable is
        # c √|capped|, in whose unit `spread` is orthonormal.
        unit = np.sqrt(capped.size)
        constraints = np.zeros((2, index.size + 1))
        constraints[0, : free_a.size], constraints[0, -1] = 1.0, -depth / unit
        constraints[1, free_a.size : -1], constraints[1, -1] = 1.0, -(depth - capped.size) / unit
        return cls(index, free_a.size, capped, constraints)

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.constraints.shape[1]

    def spread(self, values: np.ndarray, total: int) -> np.ndarray:
        """Return the weights of all rows from the values of the variables.

        Parameters
        ----------
        values : ndarray of shape (n_variables,)
        total : int
            Number of rows.

        Returns
        -------
        ndarray of shape (total,)
        """
        weights = np.zeros(total)
        weights[self.index] = values[: self.index.size]
        if self.capped.size:
            weights[self.capped] = values[-1] / np.sqrt(self.capped.size)
        return weights

    def gather(self, rows: StackedRows, w: np.ndarray) -> np.ndarray:
        """Return the score of each variable's row: the transpose of `spread`, times the rows, times w.

        Parameters
        ----------
        rows : StackedRows
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (n_variables,)
        """
        n_free, n_capped = self.index.size, self.capped.size
        scores = rows.score_selected(np.append(self.index, self.capped), self.n_positives, w)
        if not n_capped:
            return scores
        return np.append(scores[:n_free], scores[n_free:].sum() / np.sqrt(n_capped))


class NewtonEquations:
    """The system (V V'/α + diagonal) y = right side, where the constraints vanish at y.

    Parameters
    ----------
    problem : TopRanking or PushRanking
    rows : StackedRows
    free : FreeSet
    share, step : float
        See `DualProjection.compute_share`.
    """

    def __init__(
        self, problem: TopRanking | PushRanking, rows: StackedRows, free: FreeSet, share: float, step: float
    ) -> None:
        self._alpha, self._rows, self._free = problem.alpha, rows, free
        self._diagonal = np.full(free.size, 1.0 / step)
        self._diagonal[: free.n_positives] /= share

    def compute_direction(self, residual: np.ndarray, clock: Clock) -> np.ndarray:
        """Return the Newton direction of w.

        Parameters
        ----------
        residual : ndarray of shape (d,)
            α w minus the sum of the rows with the weights.
        clock : Clock

        Returns
        -------
        ndarray of shape (d,)

        Raises
        ------
        OutOfTime
            If the time is too short.
        """
        right = self._free.gather(self._rows, residual) / self._alpha
        move, is_accurate = (
            self._solve_by_conjugate_gradients(right, clock) if right.size > DIRECT_MAX else (right, False)
        )
        if not is_accurate and right.size <= GRAM_MAX:
            move = self._solve_directly(right, clock)
        return (self._rows.sum(self._spread(move)) - residual) / self._alpha

    def _spread(self, values: np.ndarray) -> np.ndarray:
        return self._free.spread(values, self._rows.m + self._rows.n)

    def _compute_system(self) -> np.ndarray:
        """Return the lower triangle of the matrix of the system."""
        n_free, free = self._free.index.size, self._free
        system = self._rows.gram(free.index, free.size)
        if free.capped.size:
            unit = np.append(np.zeros(n_free), 1.0)
            system[-1] = free.gather(self._rows, self._rows.sum(self._spread(unit)))
        system /= self._alpha
        system[np.arange(free.size), np.arange(free.size)] += self._diagonal
        return system

    def _solve_directly(self, right: np.ndarray, clock: Clock) -> np.ndarray:
        """Solve by Cholesky's factorisation."""
        constraints = self._free.constraints
        clock.require_budget(CHOLESKY_COST * right.size**3 / 3.0)
        # the transpose of rows in C order is in Fortran order; a jitter far below rounding keeps the
        # factorisation alive where σ is large
        factor = factorise_with_jitter(
            self._compute_system().T, partial(cholesky, lower=False, check_finite=False), 1e-15
        )
        solved, _ = dpotrs(factor, np.column_stack([right, constraints.T]), lower=0)
        # Schur complement of the constraints; a pseudo-inverse, since the two are dependent where one class
        # has no free weight.
        multipliers = np.linalg.pinv(constraints @ solved[:, 1:], rcond=1e-14) @ (constraints @ solved[:, 0])
        return solved[:, 0] - solved[:, 1:] @ multipliers

    def _compute_squares(self) -> np.ndarray:
        """Return the squared lengths of the variables' rows; of the common row, that of orthogonal ones."""
        squares = self._rows.squares[self._free.index]
        if self._free.capped.size:
            return np.append(squares, self._rows.squares[self._free.capped].mean())
        return squares

    def _solve_by_conjugate_gradients(self, right: np.ndarray, clock: Clock) -> tuple[np.ndarray, bool]:
        """Solve within the null space of the constraints, preconditioned by the diagonal; whether it did."""
        constraints, rows, free = self._free.constraints, self._rows, self._free
        inverse = 1.0 / (self._compute_squares() / self._alpha + self._diagonal)
        # Projected conjugate gradients: every direction satisfies the constraints, so that the point does. A
        # step costs two passes over the rows, whatever the number of free weights.
        constraint_gram = np.linalg.pinv((constraints * inverse) @ constraints.T)

        def precondition(vector: np.ndarray) -> np.ndarray:
            """Divide by the diagonal, and project on the null space in its metric.

            Parameters
            ----------
            vector : ndarray of shape (n_variables,)

            Returns
            -------
            ndarray of shape (n_variables,)
            """
            scaled = inverse * vector
            return scaled - inverse * (constraints.T @ (constraint_gram @ (constraints @ scaled)))

        point, residual = np.zeros(right.size), right.copy()
        scaled = direction = precondition(residual)
        size = first_size = float(residual @ scaled)
        for _ in range(CG_STEPS_MAX):
            if not size > CG_RTOL**2 * first_size:
                return point, True
            if clock.is_over():
                raise OutOfTime
            product = free.gather(rows, rows.sum(self._spread(direction))) / self._alpha
            product += self._diagonal * direction
            length = size / float(direction @ product)
            point, residual = point + length * direction, residual - length * product
            scaled = precondition(residual)
            size, last_size = float(residual @ scaled), size
            direction = scaled + size / last_size * direction
        return point, False
