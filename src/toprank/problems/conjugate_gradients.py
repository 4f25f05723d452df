"""Conjugate gradients with a time limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.linalg import cg

from toprank.clock import UNLIMITED, OutOfTime

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

    from toprank.clock import Clock


def solve_positive_definite(
    system: LinearOperator, right_side: np.ndarray, tol: float, clock: Clock = UNLIMITED
) -> np.ndarray:
    """Solve a positive definite system, as accurately as the time allows.

    Parameters
    ----------
    system : LinearOperator of shape (d, d)
    right_side : ndarray of shape (d,)
    tol : float
        Relative residual.
    clock : Clock, optional

    Returns
    -------
    ndarray of shape (d,)
    """
    last_iterate = np.zeros(right_side.size)

    def check_clock(x: np.ndarray) -> None:
        """Raise `OutOfTime`, with the iterate kept, when the time is up.

        Parameters
        ----------
        x : ndarray of shape (d,)
            Iterate of conjugate gradients.

        Raises
        ------
        OutOfTime
            If the time is up.
        """
        if clock.is_over():
            last_iterate[:] = x
            raise OutOfTime

    try:
        return cg(system, right_side, rtol=tol, maxiter=10 * right_side.size, callback=check_clock)[0]
    except OutOfTime:
        return last_iterate
