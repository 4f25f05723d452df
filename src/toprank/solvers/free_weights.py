"""Newton equations between the free dual weights of a ranking: a small Gram matrix, or conjugate gradients.

In a proximal step of length σ the weights move by −σ P (change of the scores), where P projects on the moves
that keep zeros at zero, the negatives at the cap at a common cap, and the sums of both classes equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from toprank.clock import CHOLESKY_COST, OutOfTime
from toprank.solvers.sparse_rows import make_fast_rows

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.rows import RowMatrix
    from toprank.problems.two_classes import TwoClasses
    from toprank.solvers.dual_projection import DualWeights

#: Up to so many free weights the Gram matrix of their rows is factored.
DIRECT_MAX = 600
#: Residual of the conjugate gradients, relative to the first one, and cap of their steps.
CG_RTOL, CG_STEPS_MAX = 1e-6, 300


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
        squares = np.append(0.0, np.cumsum(np.square(rows.data)))
        return squares[rows.indptr[1:]] - squares[rows.indptr[:-1]]
    return np.concatenate(
        [
            np.einsum("ij,ij->i", part, part)
            for part in (np.asarray(rows[i : i + 1024], dtype=float) for i in range(0, rows.shape[0], 1024))
        ]
    )


class FreeWeights:
    """The free weights of a point, the rows that belong to them, and the equations that bind them.

    Parameters
    ----------
    problem : TwoClasses
    weights : DualWeights
    upper : float
        Largest weight of a positive.
    lengths : tuple of ndarray
        Squared lengths of the positives (m,) and of the negatives (n,).
    """

    def __init__(
        self, problem: TwoClasses, weights: DualWeights, upper: float, lengths: tuple[np.ndarray, np.ndarray]
    ) -> None:
        self._alpha, depth = problem.alpha, problem.depth
        free_a = np.flatnonzero((weights.a > 0.0) & (weights.a < upper))
        free_b = np.flatnonzero((weights.b > 0.0) & (weights.b < weights.cap))
        at_cap = weights.b >= weights.cap
        self.n_positives, n_at_cap = free_a.size, np.count_nonzero(at_cap)
        blocks = [_take(problem.positives, free_a), -_take(problem.negatives, free_b)]
        squares = [lengths[0][free_a], lengths[1][free_b]]
        constraints = np.repeat([1.0, -1.0], [free_a.size, free_b.size])[None]
        if n_at_cap and depth > 1:
            # the common weight of those at the cap, in a unit in which its square is the sum of theirs
            unit = np.sqrt(n_at_cap)
            row = -(problem.negatives.T @ (at_cap / unit))[None]
            blocks.append(sp.csr_array(row) if sp.issparse(blocks[0]) else row)
            squares.append(np.square(row).sum(axis=1))
            constraints = np.zeros((2, free_a.size + free_b.size + 1))
            constraints[0, : free_a.size], constraints[0, -1] = 1.0, -depth / unit
            constraints[1, free_a.size : -1], constraints[1, -1] = 1.0, -(depth - n_at_cap) / unit
        stack = sp.vstack if sp.issparse(blocks[0]) else np.vstack
        self._rows, self._squares, self._constraints = stack(blocks), np.concatenate(squares), constraints
        if sp.issparse(self._rows):
            self._rows = sp.csr_array(self._rows)

    def compute_direction(self, residual: np.ndarray, share: float, step: float, clock: Clock) -> np.ndarray:
        """Return the Newton direction of w.

        Parameters
        ----------
        residual : ndarray of shape (d,)
            α w minus the rows' sum with the weights.
        share : float
            See `DualProjection.compute_share`.
        step : float
            σ.
        clock : Clock

        Returns
        -------
        ndarray of shape (d,)

        Raises
        ------
        OutOfTime
            If the time is too short.
        """
        n = self._squares.size
        if not n:
            return -residual / self._alpha
        diagonal = np.full(n, 1.0 / step)
        diagonal[: self.n_positives] /= share
        right = self._rows @ residual / self._alpha
        solve = self._solve_directly if n <= DIRECT_MAX else self._solve_by_conjugate_gradients
        move = solve(right, diagonal, clock)
        return (self._rows.T @ move - residual) / self._alpha

    def _solve_directly(self, right: np.ndarray, diagonal: np.ndarray, clock: Clock) -> np.ndarray:
        """Solve (V V'/α + diagonal) y = right + (multipliers) where the constraints vanish at y."""
        n = right.size
        clock.require_budget(CHOLESKY_COST * n**3 / 3.0 + 2.0 * n * n * min(self._rows.shape[1], n))
        gram = self._rows @ self._rows.T
        system = (gram.toarray() if sp.issparse(gram) else gram) / self._alpha
        system[np.arange(n), np.arange(n)] += diagonal
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:  # singular to rounding, where σ is large
            return self._solve_by_conjugate_gradients(right, diagonal, clock)
        solved = cho_solve(factor, np.column_stack([right, self._constraints.T]), check_finite=False)
        multipliers = np.linalg.lstsq(
            self._constraints @ solved[:, 1:], self._constraints @ solved[:, 0], rcond=1e-14
        )[0]
        return solved[:, 0] - solved[:, 1:] @ multipliers

    def _solve_by_conjugate_gradients(
        self, right: np.ndarray, diagonal: np.ndarray, clock: Clock
    ) -> np.ndarray:
        """Solve the same system within the null space of the constraints, preconditioned by its diagonal."""
        rows = make_fast_rows(self._rows)
        inverse = 1.0 / (self._squares / self._alpha + diagonal)
        constraints = self._constraints
        constraint_gram = np.linalg.pinv((constraints * inverse) @ constraints.T)

        def precondition(vector: np.ndarray) -> np.ndarray:
            """Divide by the diagonal, and project on the null space in its metric.

            Parameters
            ----------
            vector : ndarray of shape (n,)

            Returns
            -------
            ndarray of shape (n,)
            """
            scaled = inverse * vector
            return scaled - inverse * (constraints.T @ (constraint_gram @ (constraints @ scaled)))

        point, residual = np.zeros(right.size), right.copy()
        scaled = direction = precondition(residual)
        size = first_size = float(residual @ scaled)
        for _ in range(CG_STEPS_MAX):
            if not size > CG_RTOL**2 * first_size:
                break
            if clock.is_over():
                raise OutOfTime
            product = rows @ (rows.T @ direction) / self._alpha + diagonal * direction
            length = size / float(direction @ product)
            point, residual = point + length * direction, residual - length * product
            scaled = precondition(residual)
            size, last_size = float(residual @ scaled), size
            direction = scaled + size / last_size * direction
        return point


def _take(rows: RowMatrix, index: np.ndarray) -> RowMatrix:
    """Rows of an index, of float64."""
    taken = rows[index]
    return taken if sp.issparse(taken) else np.asarray(taken, dtype=float)
