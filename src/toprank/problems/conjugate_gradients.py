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
    system: LinearOperator,
    right_side: np.ndarray,
    tol: float,
    clock: Clock = UNLIMITED,
    *,
    start: np.ndarray | None = None,
    max_iter: int | None = None,
    preconditioner: LinearOperator | None = None,
) -> tuple[np.ndarray, int, bool]:
    """Solve a positive definite system, as accurately as the time and the iterations allow.

    Parameters
    ----------
    system : LinearOperator of shape (d, d)
    right_side : ndarray of shape (d,)
    tol : float
        Relative residual.
    clock : Clock, optional
    start : ndarray of shape (d,), optional
        First iterate, by default 0.
    max_iter : int, optional
        Largest number of iterations, by default 10 d.
    preconditioner : LinearOperator of shape (d, d), optional
        Approximate inverse of the system.

    Returns
    -------
    solution : ndarray of shape (d,)
    n_iter : int
    is_accurate : bool
        Whether the residual is within ``tol``.
    """
    last_iterate = np.zeros(right_side.size) if start is None else np.array(start, dtype=float)
    n_iter = 0

    def check_clock(x: np.ndarray) -> None:
        """Count an iteration; raise `OutOfTime`, with the iterate kept, when the time is up.

        Parameters
        ----------
        x : ndarray of shape (d,)
            Iterate of conjugate gradients.

        Raises
        ------
        OutOfTime
            If the time is up.
        """
        nonlocal n_iter
        n_iter += 1
        if clock.is_over():
            last_iterate[:] = x
            raise OutOfTime

    # In exact arithmetic d iterations suffice; ten times as many allow for rounding.
    limits = {"rtol": tol, "maxiter": 10 * right_side.size if max_iter is None else max_iter}
    try:
        x, n_left = cg(system, right_side, x0=start, M=preconditioner, callback=check_clock, **limits)
    except OutOfTime:
        return last_iterate, n_iter, False
    return x, n_iter, n_left == 0
