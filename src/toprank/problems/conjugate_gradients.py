"""Conjugate gradients with a time limit."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import cg

from toprank.clock import UNLIMITED, OutOfTime


def solve_positive_definite(system, right_side, tol, clock=UNLIMITED):
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

    def check_clock(x):
        if clock.is_over():
            last_iterate[:] = x
            raise OutOfTime

    try:
        return cg(system, right_side, rtol=tol, maxiter=10 * right_side.size, callback=check_clock)[0]
    except OutOfTime:
        return last_iterate
