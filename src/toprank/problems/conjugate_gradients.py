"""Conjugate gradients with a time limit."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import cg

from toprank.clock import UNLIMITED, OutOfTime


def solve_positive_definite(system, right, tol, clock=UNLIMITED):
    """Solve a positive definite system, as accurately as the time allows.

    Parameters
    ----------
    system : LinearOperator of shape (d, d)
    right : ndarray of shape (d,)
    tol : float
        Relative residual.
    clock : Clock, optional

    Returns
    -------
    ndarray of shape (d,)
    """
    nearest = np.zeros(right.size)

    def look(x):
        if clock.is_over():
            nearest[:] = x
            raise OutOfTime

    try:
        return cg(system, right, rtol=tol, maxiter=10 * right.size, callback=look)[0]
    except OutOfTime:
        return nearest
