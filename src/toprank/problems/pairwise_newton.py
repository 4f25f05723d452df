"""Newton systems of a ranking loss under a ridge, with many features: conjugate gradients, preconditioned.

The Hessian of the loss is 2 X_A' L X_A, where A are the documents in a violated preference and L is the
Laplacian of the graph of these preferences. Where the ridge is small, conjugate gradients need thousands of
products. Once the products since the last factorisation have cost as much as one, the system at the present
point is factored, by features or by the documents of A, whichever are fewer. Its inverse is the
preconditioner of this and of the following systems, until their products have cost as much again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from toprank.clock import CHOLESKY_COST, UNLIMITED, Clock
from toprank.problems import pairwise_kernels, pairwise_loss
from toprank.problems.conjugate_gradients import solve_positive_definite

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.problems.pairwise_loss import PairwiseLoss, PairwisePreferences

#: Relative residual of conjugate gradients in a Newton step.
NEWTON_STEP_TOL = 1e-12
#: Largest side of a factored matrix: a factorisation of a larger one takes as long as many hundred products.
FACTORED_SIDE_MAX = 2500
#: Relative residual of the first system, the largest, and of the others over the last fall of the slope.
FORCING_TERM_MAX, FORCING_SHARE = 0.1, 0.3
#: After so many steps the largest falls by this factor a step: under a very weak ridge a small slope does not
#: tell how far the optimum is along the flattest directions.
COARSE_STEPS, COARSE_DECAY = 12, 0.7
#: Columns to which the Laplacian is applied at a time, so that their rows stay in the cache.
COLUMNS_PER_BLOCK = 256
#: A system is factored once the iterations since the last time have cost this share of a factorisation. One
#: of sparse rows costs so many times what is counted: their Gram matrix is made entry by entry.
FACTORISATION_SHARE, SPARSE_FACTORISATIONS = 1.0, 4.0
#: Dense operations in the time of one on sparse rows, which is the unit of the following costs.
DENSE_SPEED = 8.0
#: Operations of a product with the Laplacian, per document, and per entry of several columns.
OPERATIONS_PER_DOCUMENT, OPERATIONS_PER_LAPLACIAN_ENTRY = 40.0, 10.0
#: Operations of a solution with the factors, per entry: they are read from memory.
OPERATIONS_PER_FACTOR_ENTRY = 5.0


class NewtonSystems:
    """Solve (H + diag(ridge)) z = −slope at one point after the other.

    Parameters
    ----------
    problem : PairwisePreferences
    clock : Clock, optional
        If the time is up during a solution, a less accurate one is returned.
    """

    def __init__(self, problem: PairwisePreferences, clock: Clock = UNLIMITED) -> None:
        self._problem, self._clock = problem, clock
        self._preconditioner: LinearOperator | None = None
        self._last_slope_norm, self._n_steps = 0.0, 0
        self._n_operations, self._side = 0.0, 0  # since the last factorisation, and its side

    def choose_forcing_term(self, slope: np.ndarray) -> float:
        """Return a relative residual that follows how fast the slopes fall (Eisenstat and Walker 1996).

        Parameters
        ----------
        slope : ndarray of shape (d,)

        Returns
        -------
        float
            A share of the last slope's norm over the one before: coarse as long as the active preferences
            change, and falling with that ratio once Newton's method converges superlinearly.
        """
        norm = float(np.linalg.norm(slope))
        last_norm, self._last_slope_norm = self._last_slope_norm or norm or 1.0, norm
        largest = FORCING_TERM_MAX * COARSE_DECAY ** max(0, self._n_steps - COARSE_STEPS)
        self._n_steps += 1
        return min(largest, FORCING_SHARE * norm / last_norm)

    def solve(
        self, scores: np.ndarray, loss: PairwiseLoss, slope: np.ndarray, ridge: np.ndarray, tol: float
    ) -> np.ndarray:
        """Return the step z at a point.

        Parameters
        ----------
        scores : ndarray of shape (n_documents,)
        loss : PairwiseLoss
            The loss at the scores.
        slope : ndarray of shape (d,)
        ridge : ndarray of shape (d,)
        tol : float
            Residual relative to the slope.

        Returns
        -------
        ndarray of shape (d,)
        """
        diagonal = aslinearoperator(sp.diags_array(ridge, format="csr"))
        system = self._problem.hessian_operator(scores, loss) + diagonal
        active = np.flatnonzero(loss.counts)
        max_iter = self._count_iterations(active.size, ridge)
        step, is_solved = self._iterate(system, slope, tol, max_iter=max_iter)
        if is_solved or max_iter is None or self._clock.is_over():
            return step
        # not solved within its share of the costs: factored, the system is solved in a few iterations
        by_documents = active.size < ridge.size
        factorise = self._factorise_by_documents if by_documents else self._factorise_by_features
        self._preconditioner, self._n_operations, self._side = None, 0.0, 0
        try:
            inverse = factorise(scores, loss, active, ridge)
        except np.linalg.LinAlgError:  # the ridge is below rounding: iterations alone, as far as they come
            return self._iterate(system, slope, tol, start=step)[0]
        self._preconditioner = LinearOperator((slope.size, slope.size), matvec=inverse, dtype=float)
        self._side = min(active.size, slope.size)
        return self._iterate(system, slope, tol, start=step)[0]

    def _iterate(
        self,
        system: LinearOperator,
        slope: np.ndarray,
        tol: float,
        *,
        start: np.ndarray | None = None,
        max_iter: int | None = None,
    ) -> tuple[np.ndarray, bool]:
        """Return the step of conjugate gradients, and whether it is accurate; count their operations."""
        limits = {"start": start, "max_iter": max_iter, "preconditioner": self._preconditioner}
        step, n_iterations, is_solved = solve_positive_definite(system, -slope, tol, self._clock, **limits)
        self._n_operations += n_iterations * self._count_operations()
        return step, is_solved

    def _count_operations(self) -> float:
        """Return the operations of an iteration of conjugate gradients."""
        X = self._problem.X
        n_entries = X.nnz if sp.issparse(X) else X.size / DENSE_SPEED
        n_operations = 4.0 * n_entries + OPERATIONS_PER_DOCUMENT * X.shape[0]
        return n_operations + OPERATIONS_PER_FACTOR_ENTRY * self._side**2

    def _count_iterations(self, n_active: int, ridge: np.ndarray) -> int | None:
        """Return the iterations that may be taken before a factorisation, or None where none is made."""
        side = min(n_active, ridge.size)
        n_multiplications = 2.0 * side**3 / 3.0
        # features without a ridge have no inverse in D; a factorisation cannot be interrupted
        if (
            side > FACTORED_SIDE_MAX
            or not ridge.min() > 0.0
            or not self._clock.within_budget(CHOLESKY_COST * n_multiplications)
        ):
            return None
        factorisation = n_multiplications / DENSE_SPEED + OPERATIONS_PER_LAPLACIAN_ENTRY * side * n_active
        factorisation *= SPARSE_FACTORISATIONS if sp.issparse(self._problem.X) else 1.0
        n_left = (FACTORISATION_SHARE * factorisation - self._n_operations) / self._count_operations()
        return int(np.clip(n_left, 1, 10 * ridge.size))

    def _apply_laplacian(
        self, scores: np.ndarray, loss: PairwiseLoss, active: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Return 2 L V for columns V, which belong to the documents of A."""
        problem, products = self._problem, np.empty(values.shape)
        active_scores, starts = scores[active], np.searchsorted(active, problem.starts)
        order = pairwise_kernels.group_by_query(np.argsort(active_scores), problem.query_of[active], starts)
        pairwise_kernels.compute_hessian_products(
            *(active_scores, order, problem.levels[active], starts, problem.n_levels),
            *(2.0 * problem.query_weights, 2.0 * loss.counts[active], values, products),
        )
        return products

    def _factorise_by_features(
        self, scores: np.ndarray, loss: PairwiseLoss, active: np.ndarray, ridge: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Return the solution by a Cholesky factor of 2 X_A' L X_A + diag(ridge)."""
        rows = self._problem.X[active]
        system = np.empty((ridge.size, ridge.size), order="F")
        columns = rows.tocsc() if sp.issparse(rows) else rows
        for start in range(0, ridge.size, COLUMNS_PER_BLOCK):
            block = slice(start, start + COLUMNS_PER_BLOCK)
            part = columns[:, block]
            part = part.toarray(order="C") if sp.issparse(part) else np.ascontiguousarray(part)
            system[:, block] = rows.T @ self._apply_laplacian(scores, loss, active, part)
        system[np.diag_indices_from(system)] += ridge
        factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        return lambda right_side: cho_solve(factor, right_side, check_finite=False)

    def _factorise_by_documents(
        self, scores: np.ndarray, loss: PairwiseLoss, active: np.ndarray, ridge: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Return the solution by LU factors of I + 2 L X_A D⁻¹ X_A', D = diag(ridge) (Woodbury's formula)."""
        rows = self._problem.X[active]
        scaled = rows @ sp.diags_array(1.0 / ridge, format="csr") if sp.issparse(rows) else rows / ridge
        gram = scaled @ rows.T
        gram = gram.toarray() if sp.issparse(gram) else gram
        system = self._apply_laplacian(scores, loss, active, gram)
        system[np.diag_indices_from(system)] += 1.0
        factor = lu_factor(system, overwrite_a=True, check_finite=False)

        def apply(right_side: np.ndarray) -> np.ndarray:
            """Return D⁻¹(r − X_A' v) for (I + 2 L X_A D⁻¹ X_A') v = 2 L X_A D⁻¹ r."""
            forces = self._apply_laplacian(scores, loss, active, (scaled @ right_side)[:, None])[:, 0]
            return (right_side - rows.T @ lu_solve(factor, forces, check_finite=False)) / ridge

        return apply


def solve_newton_system(
    problem: PairwisePreferences,
    scores: np.ndarray,
    loss: PairwiseLoss,
    slope: np.ndarray,
    ridge: float | np.ndarray,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """Minimise ½ z'Hz + slope'z + ½ Σ ridge_j z_j² for the Hessian H of the loss, as accurately as possible.

    Parameters
    ----------
    problem : PairwisePreferences
    scores : ndarray of shape (n_documents,)
    loss : PairwiseLoss
        The loss at the scores.
    slope : ndarray of shape (d,)
    ridge : float or ndarray of shape (d,)
    clock : Clock, optional
        If the time is up with many features, a less accurate step is returned.

    Returns
    -------
    ndarray of shape (d,)
    """
    if problem.n_features > pairwise_loss.DENSE_HESSIAN_MAX_D:
        ridge = np.broadcast_to(ridge, slope.shape)
        return NewtonSystems(problem, clock).solve(scores, loss, slope, ridge, NEWTON_STEP_TOL)
    hessian = problem.hessian(scores, loss)
    hessian[np.diag_indices_from(hessian)] += ridge
    return -np.linalg.solve(hessian, slope)
