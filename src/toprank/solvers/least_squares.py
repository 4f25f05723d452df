"""Non-negative least squares for the models of exact top ranking: scipy's, and by blocks."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq
from scipy.optimize import nnls

from toprank.clock import CHOLESKY, LEAST_SQUARES, UNLIMITED, OutOfTime

#: Rows, or columns, up to which scipy's active-set method is as quick; it takes one column after the other.
FEW = 400
JITTER = 1e-13  # relative to the mean curvature: a factor exists where columns depend on each other
EXCHANGES = 30


def non_negative(M, target, clock=UNLIMITED):
    """Minimise ‖Mx − target‖ over x >= 0.

    Parameters
    ----------
    M : ndarray of shape (n, k)
    target : ndarray of shape (n,)
    clock : Clock, optional
        It is asked again and again, where rows and columns are many.

    Returns
    -------
    ndarray of shape (k,)

    Raises
    ------
    OutOfTime
        If the time is too short.
    """
    found = _by_blocks(M, target, clock) if min(M.shape) > FEW else None
    return _one_at_a_time(M, target, clock) if found is None else found


def _one_at_a_time(M, target, clock):
    return clock.attempts(lambda steps: nnls(M, target, maxiter=steps)[0], 50 * M.shape[1])


def _by_blocks(M, target, clock):
    """Block principal pivoting (Portugal, Júdice and Vicente 1994); None where it does not come to an end.

    All columns on the wrong side are exchanged at once, and one at a time where that does not help.
    """
    clock.need(2.0 * M.size * M.shape[1])
    gram, linear = M.T @ M, M.T @ target
    gram[np.diag_indices_from(gram)] += JITTER * np.trace(gram) / len(gram)
    rounding = 1e-12 * np.abs(linear).max()
    used, fewest, patience = np.zeros(linear.size, dtype=bool), linear.size + 1, 3
    for _ in range(EXCHANGES):
        if clock.is_over():
            raise OutOfTime
        index, x = np.flatnonzero(used), np.zeros(linear.size)
        clock.need(CHOLESKY * index.size**3 / 3.0)
        try:
            x[index] = cho_solve(cho_factor(gram[np.ix_(index, index)]), linear[index]) if index.size else 0.0
        except LinAlgError:
            return None
        slope = x[index] @ gram[index] - linear
        wrong = np.where(used, x < 0.0, slope < -rounding)
        count = np.count_nonzero(wrong)
        if not count:
            # the normal equations told the columns; the digits come from the columns themselves
            return _finished(M, target, index, clock)
        if count < fewest:
            fewest, patience = count, 3
        elif patience:
            patience -= 1
        else:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        used ^= wrong
    return None


def _finished(M, target, index, clock):
    """Least squares on the columns of the index, none of them below zero."""
    x = np.zeros(M.shape[1])
    if index.size:
        clock.need(LEAST_SQUARES * M.shape[0] * index.size * min(M.shape[0], index.size))
        x[index] = lstsq(M[:, index], target)[0]
        # more columns than their rank: the shortest of many solutions may have weights below zero
        if x.min() < 0.0:
            x[index] = _one_at_a_time(M[:, index], target, clock)
    return x
