"""Non-negative least squares that go on from the last solution when columns come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import UNLIMITED, OutOfTime
from toprank.jit import REORDERING_FLAGS, njit_cached

if TYPE_CHECKING:
    from toprank.clock import Clock

#: A column of length one that is so near to the span of the used ones cannot join them.
DEPENDENCE_TOL = 1e-10
#: What is left of a column of length one after a projection has this length, or is projected again.
REORTHOGONALISATION_RATIO = 0.1
#: Slopes within so many rounding errors of zero count as zero.
SLOPE_RTOL = 30.0 * np.finfo(float).eps
#: Multiply-adds between two looks at the clock.
OPERATIONS_PER_CALL = 1e8

_njit_reordering = njit_cached(fastmath=REORDERING_FLAGS)


@_njit_reordering
def _dot(u: np.ndarray, v: np.ndarray) -> float:
    """Return the inner product u'v."""
    total = 0.0
    for i in range(u.size):
        total += u[i] * v[i]
    return total


@_njit_reordering
def _add_multiple(factor: float, vector: np.ndarray, out: np.ndarray) -> None:
    """Add a multiple of a vector to ``out`` in place."""
    for i in range(out.size):
        out[i] += factor * vector[i]


@_njit_reordering
def normalise_columns(columns: np.ndarray) -> np.ndarray:
    """Scale the columns of a problem, stored as the rows of an array, to length one in place.

    Parameters
    ----------
    columns : ndarray of shape (k, n)
        One column a row; none is 0.

    Returns
    -------
    ndarray of shape (k,)
        Their lengths before.
    """
    lengths = np.empty(columns.shape[0])
    for j in range(columns.shape[0]):
        lengths[j] = np.sqrt(_dot(columns[j], columns[j]))
        for i in range(columns.shape[1]):
            columns[j, i] /= lengths[j]
    return lengths


@_njit_reordering
def _remove_column(position, size, order, Q, R, c) -> None:
    """Take a column out of the factors: what follows moves up, and rotations make R triangular again."""
    for k in range(position, size - 1):
        order[k] = order[k + 1]
        for i in range(k + 2):
            R[i, k] = R[i, k + 1]
    # Givens rotations remove the subdiagonal that the shift has left
    for k in range(position, size - 1):
        length = np.sqrt(R[k, k] * R[k, k] + R[k + 1, k] * R[k + 1, k])
        cosine, sine = R[k, k] / length, R[k + 1, k] / length
        for j in range(k, size - 1):
            upper, lower = R[k, j], R[k + 1, j]
            R[k, j], R[k + 1, j] = cosine * upper + sine * lower, cosine * lower - sine * upper
        for i in range(Q.shape[1]):
            upper, lower = Q[k, i], Q[k + 1, i]
            Q[k, i], Q[k + 1, i] = cosine * upper + sine * lower, cosine * lower - sine * upper
        # the target's coordinates c = Q'target turn with the rows of R
        c[k], c[k + 1] = cosine * c[k] + sine * c[k + 1], cosine * c[k + 1] - sine * c[k]


@_njit_reordering
def _append_column(column, target, size, Q, R, c) -> int:
    """Add a column to the factors, unless it depends on the used ones; returns the new number of columns."""
    # as many columns as dimensions span the space: one more depends on them
    if size == target.size:
        return size
    for i in range(target.size):
        Q[size, i] = column[i]
    for k in range(size):
        R[k, size] = 0.0
    # Gram-Schmidt: subtract the components along the used columns, and keep them as R's new column
    length = 0.0
    while length < REORTHOGONALISATION_RATIO:  # digits were lost: once more
        for k in range(size):
            component = _dot(Q[k], Q[size])
            R[k, size] += component
            _add_multiple(-component, Q[k], Q[size])
        last_length, length = length, np.sqrt(_dot(Q[size], Q[size]))
        if length <= DEPENDENCE_TOL:
            return size
        if length > REORTHOGONALISATION_RATIO * last_length > 0.0:
            break
    for i in range(target.size):
        Q[size, i] /= length
    R[size, size], c[size] = length, _dot(Q[size], target)
    return size + 1


@_njit_reordering
def _descend_to_feasible(size, order, Q, R, c, x, z, is_excluded) -> int:
    """Move x towards the least squares of its columns until no entry is below zero; returns their number."""
    while True:
        # back substitution gives the least squares z; the first entry that would fall below 0 limits the step
        # (Lawson and Hanson 1974)
        step, blocking = 1.0, -1
        for k in range(size - 1, -1, -1):
            z[k] = c[k]
            for j in range(k + 1, size):
                z[k] -= R[k, j] * z[j]
            z[k] /= R[k, k]
            if z[k] <= 0.0 and x[order[k]] <= step * (x[order[k]] - z[k]):
                step, blocking = x[order[k]] / max(x[order[k]] - z[k], 1e-300), k
        # a feasible step, which stops at the first entry that reaches 0
        for k in range(size):
            x[order[k]] = z[k] if blocking < 0 else max(x[order[k]] + step * (z[k] - x[order[k]]), 0.0)
        # x moved: columns that were refused at the last point may join again
        if step > 0.0:
            for j in range(is_excluded.size):
                is_excluded[j] = False
        if blocking < 0:
            return size
        # the blocking entry leaves the support; after a step of length 0 it must not come back at once
        x[order[blocking]] = 0.0
        is_excluded[order[blocking]] = step == 0.0
        _remove_column(blocking, size, order, Q, R, c)
        size -= 1


@_njit_reordering
def _exchange_columns(columns, target, limit, size, factors, x, work, steps) -> tuple[int, bool]:
    """Add one column after the other; returns the number of used ones, and whether x is optimal."""
    (order, Q, R, c), (z, residual, is_excluded) = factors, work
    # first call: factor the columns of a warm start, without those that depend on others
    for j in range(x.size * (size == 0)):
        if x[j] > 0.0:
            last_size, size = size, _append_column(columns[j], target, size, Q, R, c)
            if size == last_size:
                x[j] = 0.0
            else:
                order[last_size] = j
    for _ in range(steps):
        size = _descend_to_feasible(size, order, Q, R, c, x, z, is_excluded)
        # the residual target − Q c, whose inner products with the columns are the slopes
        for i in range(target.size):
            residual[i] = target[i]
        for k in range(size):
            _add_multiple(-c[k], Q[k], residual)
        # the steepest of the unused columns enters, as in the simplex method (Dantzig's rule)
        steepest, entering = limit, -1
        for j in range(x.size):
            if x[j] == 0.0 and not is_excluded[j]:
                slope = _dot(columns[j], residual)
                if slope > steepest:
                    steepest, entering = slope, j
        if entering < 0:
            return size, True
        is_excluded[entering] = True  # until x has moved
        last_size, size = size, _append_column(columns[entering], target, size, Q, R, c)
        if size > last_size:
            order[last_size] = entering
    return size, False


class NonNegativeLeastSquares:
    """Minimise ‖Σ_j x_j columns_j − target‖ over x >= 0: the active-set method of Lawson and Hanson (1974).

    A QR factorisation of the columns with weight stays from one call to the next.

    Parameters
    ----------
    target : ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.least_squares import NonNegativeLeastSquares
    >>> NonNegativeLeastSquares(np.array([2.0, -1.0])).solve(np.eye(2), np.zeros(2))
    array([2., 0.])
    """

    def __init__(self, target: np.ndarray) -> None:
        n = target.size
        self._target, self._limit = target, SLOPE_RTOL * np.sqrt(target @ target)
        self._factors = np.zeros(n, dtype=np.intp), np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
        self._size = 0

    def retain_columns(self, is_kept: np.ndarray) -> None:
        """Renumber the columns after some without weight were removed.

        Parameters
        ----------
        is_kept : ndarray of bool of shape (k,)
            Columns of the last call of `solve` that stay.
        """
        order = self._factors[0]
        order[: self._size] = (np.cumsum(is_kept) - 1)[order[: self._size]]

    def solve(self, columns: np.ndarray, x: np.ndarray, clock: Clock = UNLIMITED) -> np.ndarray:
        """Minimise the residual, from the last solution.

        Parameters
        ----------
        columns : ndarray of shape (k, n)
            The columns of the matrix, one a row, of length one; the columns of the last call come first.
        x : ndarray of shape (k,)
            Where to start: the last result, and 0 for new columns. In the first call non-negative.
        clock : Clock, optional
            It is asked after every `OPERATIONS_PER_CALL` operations.

        Returns
        -------
        ndarray of shape (k,)
            The optimum.

        Raises
        ------
        OutOfTime
            If the time is too short.
        """
        (k, n), x = columns.shape, x.copy()
        work = np.zeros(n), np.zeros(n), np.zeros(k, dtype=np.bool_)
        # one step costs a pass over the columns and some 4 n² operations with the factors
        steps = int(max(OPERATIONS_PER_CALL / (columns.size + 4.0 * n**2), 1))
        # far more steps than Lawson and Hanson need: a limit, so that rounding errors cannot make it run in
        # circles
        for _ in range(0, 50 * k, steps):
            self._size, is_optimal = _exchange_columns(
                columns, self._target, self._limit, self._size, self._factors, x, work, steps
            )
            if is_optimal:
                break
            if clock.is_over():
                raise OutOfTime
        return x
