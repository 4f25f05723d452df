"""The program of `toprank.solvers.dual_simplex`, and the products with its matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from toprank.jit import REORDERING_FLAGS, njit_cached


class Program(NamedTuple):
    """Matrix and bounds; the slacks are the first variables, and column j of the matrix is variable p + j.

    Attributes
    ----------
    matrix : ndarray of shape (p, capacity)
    columns : ndarray of shape (capacity, p)
        The transpose, in an order of its own: the entries of a column are side by side.
    lower, upper : ndarray of shape (p + n_columns,)
    """

    matrix: np.ndarray
    columns: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@njit_cached(fastmath=REORDERING_FLAGS)
def multiply_columns(matrix: np.ndarray, row: np.ndarray, products: np.ndarray) -> None:
    """Multiply a row by the columns of all variables.

    Parameters
    ----------
    matrix : ndarray of shape (p, capacity)
    row : ndarray of shape (p,)
    products : ndarray of shape (p + n_columns,)
        The result.
    """
    p, n = row.size, products.size - row.size
    of_columns = products[p:]
    for k in range(p):
        products[k] = -row[k]
    for j in range(n):
        of_columns[j] = 0.0
    # four rows at a time: each read of a product serves four of them
    k = 0
    while k + 3 < p:
        r0, r1, r2, r3 = row[k], row[k + 1], row[k + 2], row[k + 3]
        m0, m1, m2, m3 = matrix[k], matrix[k + 1], matrix[k + 2], matrix[k + 3]
        for j in range(n):
            of_columns[j] += r0 * m0[j] + r1 * m1[j] + r2 * m2[j] + r3 * m3[j]
        k += 4
    while k < p:
        r0, m0 = row[k], matrix[k]
        for j in range(n):
            of_columns[j] += r0 * m0[j]
        k += 1


@njit_cached(fastmath=False)  # by default it is that of the caller, which would drop what is lost
def sum_columns(program: Program, values: np.ndarray, total: np.ndarray) -> None:
    """Sum up the columns of all variables times their values, with what the additions round off.

    The sum of Knuth (1997, section 4.2.2): its error is the rounding of the products.

    Parameters
    ----------
    program : Program
    values : ndarray of shape (p + n_columns,)
    total : ndarray of shape (p,)
        The result.
    """
    p = total.size
    lost = np.zeros(p)
    for k in range(p):
        total[k] = -values[k]
    for j in range(p, values.size):
        if values[j] != 0.0:
            column = program.columns[j - p]
            for k in range(p):
                term = values[j] * column[k]
                next_total = total[k] + term
                added = next_total - total[k]
                lost[k] += (total[k] - (next_total - added)) + (term - added)
                total[k] = next_total
    for k in range(p):
        total[k] += lost[k]


@njit_cached(fastmath=REORDERING_FLAGS)
def add_column(program: Program, j: int, factor: float, total: np.ndarray) -> None:
    """Add a multiple of the column of a variable.

    Parameters
    ----------
    program : Program
    j : int
        The variable.
    factor : float
    total : ndarray of shape (p,)
        It is changed.
    """
    p = total.size
    if j < p:
        total[j] -= factor
    else:
        column = program.columns[j - p]
        for k in range(p):
            total[k] += factor * column[k]
