"""The dirty model with elastic nets as a two-block problem; its step in x has no closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.penalties import L1
from toprank.problems.two_block import TwoBlock
from toprank.solvers.quadratic import minimise_l1

if TYPE_CHECKING:
    from toprank.problems.dirty_model import DirtyModel

KKT_TOL = 1e-12  # largest relative violation of the optimality conditions of the step in x


def two_block(model: DirtyModel) -> TwoBlock:
    """State a `DirtyModel` for `toprank.solve_two_block`.

    Parameters
    ----------
    model : DirtyModel

    Returns
    -------
    TwoBlock
        For one run only: its step in x starts from the last solution.
    """
    return TwoBlock(
        ElasticNetStep(model.A, model.ridge),
        model.minimise_y,
        model.A,
        c=model.b,
        strong_convexity=model.strong_convexity,
        value_x=model.value_x,
        value_y=model.value_y,
    )


class ElasticNetStep:
    """Minimise ‖x‖₁ + (ridge/2)‖x‖² − q'x + (tau/2)‖A x‖², each time from the last solution.

    Parameters
    ----------
    A : ndarray of shape (m, n)
    ridge : float
    """

    def __init__(self, A: np.ndarray, ridge: float) -> None:
        self.gram, self.ridge = A.T @ A, ridge
        self.x, self.tau, self.hessian = np.zeros(A.shape[1]), None, None

    def __call__(self, q: np.ndarray, tau: float) -> np.ndarray:
        """Return the minimiser, of shape (n,); NaN for a q that is not finite.

        Raises
        ------
        RuntimeError
            If the optimality conditions are not met to a relative accuracy of `KKT_TOL`.
        """
        if not np.isfinite(q).all():
            return np.full(self.x.shape, np.nan)  # the iterates have diverged
        if tau == 0.0:
            # without the quadratic term the problem is separable: soft thresholding, scaled
            return L1().prox(q, 1.0) / self.ridge
        if tau != self.tau:
            self.tau, self.hessian = tau, tau * self.gram
            self.hessian[np.diag_indices_from(self.hessian)] += self.ridge
        # tolerance 0: as far as rounding allows; the violation is then checked against KKT_TOL
        self.x = minimise_l1(self.hessian, -q, np.ones(q.size), self.x, 0.0)
        error = self.violation(self.x, q)
        if not error <= KKT_TOL:
            raise RuntimeError(
                f"the step in x violates its optimality conditions by {error:.1e} (relative), but only "
                f"{KKT_TOL:g} is allowed: its Hessian is ill-conditioned at tau={tau:g}; take a smaller tau"
            )
        return self.x

    def violation(self, x: np.ndarray, q: np.ndarray) -> float:
        """Return the largest relative violation of the optimality conditions at the last tau.

        Parameters
        ----------
        x, q : ndarray of shape (n,)

        Returns
        -------
        float
            Relative to the terms of the slope.
        """
        curved = self.hessian @ x
        scale = 1.0 + np.abs(curved).max() + np.abs(q).max()
        return float(L1().violation(x, curved - q, 1.0).max() / scale)
