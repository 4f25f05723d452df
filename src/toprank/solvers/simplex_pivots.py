"""Kernels of the dual simplex method of `toprank.solvers.dual_simplex`: its pivots on a dense inverse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.solvers.key_heap import make_heap, pop_smallest
from toprank.solvers.simplex_program import Program, add_column, multiply_columns, sum_columns

#: A reduced cost of the wrong sign and this size does not move its variable to the other bound.
COST_TOL = 1e-10
#: Least size of an entry to pivot on, and the share by which two computations of it may differ.
PIVOT_MIN, PIVOT_RTOL = 1e-9, 1e-7
#: Breakpoints so near to each other count as equal: the largest of their entries becomes the pivot.
BREAKPOINT_TOL = 1e-10
#: The next breakpoint is first looked for up to this multiple of the last one.
REACH_FACTOR = 4.0
#: A violation beyond this multiple of its tolerance is no rounding error.
ROUNDING_FACTOR = 1e3

#: How `run_pivots` ended.
OPTIMAL, INACCURATE, INTERRUPTED = 0, 1, 2

#: Options of numba: divisions by zero give an infinite breakpoint, which is then not used.
KERNEL_OPTIONS = {"fastmath": REORDERING_FLAGS, "error_model": "numpy"}


class Basis(NamedTuple):
    """The basic variables, and at which bounds the others are.

    Attributes
    ----------
    head : ndarray of int of shape (p,)
        The basic variables.
    side : ndarray of shape (p + n_columns,)
        1 at the lower bound, -1 at the upper one; 0 of basic variables, and of those with equal bounds.
    inverse : ndarray of shape (p, p)
        Of the columns of the basic variables; the column of slack i is −e_i.
    """

    head: np.ndarray
    side: np.ndarray
    inverse: np.ndarray


@njit_cached(**KERNEL_OPTIONS)
def _multiply(square: np.ndarray, vector: np.ndarray, products: np.ndarray) -> None:
    """Set the products of the rows of a matrix with a vector."""
    for i in range(vector.size):
        total = 0.0
        for k in range(vector.size):
            total += square[i, k] * vector[k]
        products[i] = total


@njit_cached(**KERNEL_OPTIONS)
def _compute_square(row: np.ndarray) -> float:
    """Return the sum of the squares."""
    total = 0.0
    for k in range(row.size):
        total += row[k] * row[k]
    return total


@njit_cached(**KERNEL_OPTIONS)
def _update_inverse(inverse: np.ndarray, norms: np.ndarray, column: np.ndarray, r: int) -> None:
    """Exchange the basic variable of row r; norms are the squares of the rows' lengths."""
    p = column.size
    pivot_row = np.empty(p)  # a copy: loops over rows of two arrays run on vectors
    for k in range(p):
        pivot_row[k] = inverse[r, k] / column[r]
    for i in range(p):
        row, factor = inverse[i], column[i]
        if i == r:
            for k in range(p):
                row[k] = pivot_row[k]
        elif factor != 0.0:
            for k in range(p):
                row[k] -= factor * pivot_row[k]
        else:
            continue
        norms[i] = _compute_square(row)


@njit_cached(**KERNEL_OPTIONS)
def restart(
    program: Program, basis: Basis, costs: np.ndarray, duals: np.ndarray, reduced: np.ndarray, x: np.ndarray
) -> float:
    """Compute duals, reduced costs and the values of the basic variables.

    A variable moves to the bound that the sign of its reduced cost asks for. The values are refined once.

    Parameters
    ----------
    program : Program
    basis : Basis
        Its sides are changed.
    costs : ndarray of shape (p + n_columns,)
    duals, reduced, x : ndarray of shapes (p,), (p + n_columns,) and (p,)
        The results.

    Returns
    -------
    float
        Relative error of the equations, which is large where the inverse has lost digits.
    """
    p = x.size
    duals[:] = 0.0
    for i in range(p):
        cost = costs[basis.head[i]]
        for k in range(p):
            duals[k] += cost * basis.inverse[i, k]
    multiply_columns(program.matrix, duals, reduced)
    for j in range(costs.size):
        reduced[j] = costs[j] - reduced[j]
    error, values, total = 0.0, np.zeros(costs.size), np.empty(p)
    for i in range(p):
        error = max(error, abs(reduced[basis.head[i]]))
        reduced[basis.head[i]] = 0.0
    for j in range(costs.size):
        if reduced[j] * basis.side[j] < -COST_TOL:
            basis.side[j] = -basis.side[j]
        if basis.side[j] != 0.0:
            values[j] = program.lower[j] if basis.side[j] > 0.0 else program.upper[j]
    largest, correction = 1.0, np.empty(p)
    for step in range(2):
        sum_columns(program, values, total)
        _multiply(basis.inverse, total, correction)
        for i in range(p):
            values[basis.head[i]] -= correction[i]
            x[i] = values[basis.head[i]]
            if step == 0:
                largest = max(largest, abs(total[i]))
            else:
                error = max(error, abs(total[i]) / largest)
    return error


@njit_cached(**KERNEL_OPTIONS)
def _choose_leaving(
    program: Program, head: np.ndarray, x: np.ndarray, norms: np.ndarray, tol: float
) -> tuple[int, float]:
    """Return the row whose variable is farthest outside of its bounds, and by how much; -1 if none is.

    The distance is relative to the length of the row, which is infinite where no pivot was possible.
    """
    r, violation, steepest = -1, 0.0, 0.0
    for i in range(x.size):
        distance = 0.0
        if x[i] < program.lower[head[i]] - tol:
            distance = x[i] - program.lower[head[i]]
        elif x[i] > program.upper[head[i]] + tol:
            distance = x[i] - program.upper[head[i]]
        if distance * distance > steepest * norms[i]:
            r, violation, steepest = i, distance, distance * distance / norms[i]
    return r, violation


@njit_cached(**KERNEL_OPTIONS)
def _choose_entering(
    program: Program,
    side: np.ndarray,
    row: np.ndarray,
    reduced: np.ndarray,
    violation: float,
    reach: float,
    heap: np.ndarray,
) -> tuple[int, float, np.ndarray]:
    """Return the variable that enters the basis, its breakpoint, and those that move to their other bound.

    The variable is -1 if none can enter. A reach that is too short costs time only.
    """
    direction, breakpoints = 1.0 if violation > 0.0 else -1.0, np.empty(row.size)
    for j in range(row.size):
        entry = direction * row[j] * side[j]
        breakpoint = reduced[j] * side[j] / entry
        breakpoints[j] = breakpoint if entry > PIVOT_MIN else np.inf
    while True:
        n_candidates = size = make_heap(breakpoints, reach, heap)
        entering, slope = -1, abs(violation)
        while size > 0 and slope > 0.0:
            entering = pop_smallest(heap, breakpoints, size)
            size -= 1
            slope -= abs(row[entering]) * (program.upper[entering] - program.lower[entering])
        if slope <= 0.0 or reach == np.inf:
            break
        reach = np.inf
    # the last one enters; all before it move
    moved = heap[size + 1 : n_candidates]
    last_breakpoint = breakpoints[entering] + BREAKPOINT_TOL
    while size > 0 and breakpoints[heap[0]] <= last_breakpoint:
        candidate = pop_smallest(heap, breakpoints, size)
        size -= 1
        if abs(row[candidate]) > abs(row[entering]):
            entering = candidate
    return entering, max(breakpoints[entering], 0.0), moved


@njit_cached(**KERNEL_OPTIONS)
def _exchange(
    program: Program, basis: Basis, x: np.ndarray, column: np.ndarray, r: int, entering: int, side: float
) -> None:
    """Let a variable enter the basis in place of the one of row r, which goes to the given side."""
    leaving = basis.head[r]
    bound = program.lower[leaving] if side > 0.0 else program.upper[leaving]
    step = (x[r] - bound) / column[r]
    for i in range(x.size):
        x[i] -= step * column[i]
    start = program.lower[entering] if basis.side[entering] > 0.0 else program.upper[entering]
    x[r] = start + step
    basis.side[leaving] = side if program.upper[leaving] > program.lower[leaving] else 0.0
    basis.side[entering] = 0.0
    basis.head[r] = entering


@njit_cached(**KERNEL_OPTIONS)
def run_pivots(
    program: Program, basis: Basis, reduced: np.ndarray, x: np.ndarray, tol: float, n_most: int
) -> tuple[int, int]:
    """Pivot until the values of the basic variables satisfy their bounds.

    Parameters
    ----------
    program : Program
    basis : Basis
        Of the start; it is changed.
    reduced, x : ndarray of shapes (p + n_columns,) and (p,)
        Reduced costs, and values of the basic variables; they are changed.
    tol : float
        How far a value may be outside.
    n_most : int
        Pivots that it may take.

    Returns
    -------
    status : {OPTIMAL, INACCURATE, INTERRUPTED}
        INACCURATE where two computations of a pivot differ.
    n_pivots : int
    """
    p, n_variables = x.size, reduced.size
    norms, total, column = np.empty(p), np.empty(p), np.empty(p)
    row, heap, reach = np.empty(n_variables), np.empty(n_variables, np.intp), np.inf
    for i in range(p):
        norms[i] = _compute_square(basis.inverse[i])
    for n_pivots in range(n_most):
        r, violation = _choose_leaving(program, basis.head, x, norms, tol)
        if r < 0:
            return OPTIMAL, n_pivots
        multiply_columns(program.matrix, basis.inverse[r], row)
        entering, breakpoint, moved = _choose_entering(
            program, basis.side, row, reduced, violation, reach, heap
        )
        if entering < 0:
            # the origin satisfies all constraints, so that this violation is a rounding error
            if abs(violation) > ROUNDING_FACTOR * tol:
                return INACCURATE, n_pivots
            norms[r] = np.inf
            continue
        reach = REACH_FACTOR * breakpoint
        total[:] = 0.0
        for j in moved:
            change = basis.side[j] * (program.upper[j] - program.lower[j])
            add_column(program, j, -change, total)
            basis.side[j] = -basis.side[j]
        if moved.size:
            _multiply(basis.inverse, total, column)
            for i in range(p):
                x[i] += column[i]
        total[:] = 0.0
        add_column(program, entering, 1.0, total)
        _multiply(basis.inverse, total, column)
        if abs(column[r] - row[entering]) > PIVOT_RTOL * (1.0 + abs(column[r])):
            return INACCURATE, n_pivots
        side = -1.0 if violation > 0.0 else 1.0
        for j in range(n_variables):
            reduced[j] += side * breakpoint * row[j]
        reduced[basis.head[r]] = side * breakpoint
        reduced[entering] = 0.0
        _exchange(program, basis, x, column, r, entering, side)
        _update_inverse(basis.inverse, norms, column, r)
    return INTERRUPTED, n_most
