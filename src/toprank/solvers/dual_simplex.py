r"""The dual simplex method for a linear program with few rows, of which every variable has two bounds.

.. math:: \min_x c'x \quad\text{where}\quad -l \le Ax \le l, \quad 0 \le x \le u.

With the slacks r = Ax as further variables, :math:`Ax - r = 0` has a basic variable a row. The others rest at
a bound, each at the one that the sign of its reduced cost asks for. So every basis is dual feasible, and the
method can go on from the last one after columns, rows or bounds have changed.

- The inverse of the basis is a dense matrix, updated by each pivot. Its rows give the weights of the steepest
  edge (Forrest and Goldfarb, 1992) exactly.
- The ratio test goes past the breakpoints at which a variable moves to its other bound, until the dual
  objective falls (Fourer, 1994; Maros, 2003): it is an exact line search.
- The costs are perturbed until an optimum is reached, so that ties of reduced costs do not stop the method
  (Koberstein, 2005, section 6.2). It goes on from there with the true costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.clock import UNLIMITED, OutOfTime
from toprank.solvers.simplex_pivots import INACCURATE, OPTIMAL, Basis, restart, run_pivots
from toprank.solvers.simplex_program import Program

if TYPE_CHECKING:
    from toprank.clock import Clock

#: A basic variable may be so far outside of its bounds, or this share of the largest bound.
FEASIBILITY_TOL, FEASIBILITY_RTOL = 1e-10, 1e-17
#: Least number of pivots after which the inverse is computed anew (else, after one for each of its rows), and
#: the error of the equations that asks for it earlier.
UPDATES_MIN, EQUATION_RTOL = 200, 1e-9
#: Duals below this share of the largest are rounding errors of 0.
DUAL_RTOL = 1e-13
#: Size of the perturbation of a cost.
PERTURBATION = 1e-5
#: Pivots, relative to the number of variables, after which the method gives up.
PIVOTS_PER_VARIABLE_MAX = 50
#: Fractional part of the golden section: its multiples modulo 1 are spread evenly.
GOLDEN_SECTION = 0.6180339887498949


class SimplexError(Exception):
    """The method ended without an optimum."""


class DualSimplex:
    """A program that grows in place, and the basis of its last optimum.

    Columns and rows stay once they are added; an upper bound of 0 takes a column out.
    """

    def __init__(self) -> None:
        self.matrix = np.empty((0, 0))
        self._columns = np.empty((0, 0))
        self.costs = np.empty(0)
        self._head, self._side = np.empty(0, dtype=np.intp), np.empty(0)
        self._inverse, self._n_updates = np.empty((0, 0)), 0

    @property
    def n_rows(self) -> int:
        """Rows of the program."""
        return self.matrix.shape[0]

    @property
    def n_columns(self) -> int:
        """Columns of the program."""
        return self.costs.size

    @property
    def _updates_max(self) -> int:
        return max(UPDATES_MIN, self.n_rows)

    @property
    def columns(self) -> np.ndarray:
        """The matrix of the program: the columns that are in use."""
        return self.matrix[:, : self.n_columns]

    def add_rows(self, rows: np.ndarray) -> None:
        """Add rows, whose slacks enter the basis.

        Parameters
        ----------
        rows : ndarray of shape (k, n_columns)
        """
        (k, n_columns), n_rows = rows.shape, self.n_rows
        matrix = np.zeros((n_rows + k, self.matrix.shape[1]))
        matrix[:n_rows], matrix[n_rows:, :n_columns] = self.matrix, rows
        self.matrix, self._columns = matrix, matrix.T.copy()
        # the slacks are the first variables
        self._head = np.append(
            np.where(self._head < n_rows, self._head, self._head + k), n_rows + np.arange(k)
        )
        self._side = np.insert(self._side, n_rows, np.zeros(k))
        if self._inverse is not None:
            inverse = np.zeros((n_rows + k, n_rows + k))
            inverse[:n_rows, :n_rows] = self._inverse
            is_column = self._head[:n_rows] >= n_rows + k
            entries = rows[:, self._head[:n_rows][is_column] - n_rows - k]
            inverse[n_rows:, :n_rows] = entries @ self._inverse[is_column]
            np.fill_diagonal(inverse[n_rows:, n_rows:], -1.0)
            self._inverse = inverse

    def add_columns(self, columns: np.ndarray, costs: np.ndarray) -> None:
        """Add columns.

        Parameters
        ----------
        columns : ndarray of shape (k, n_rows)
            One in each row.
        costs : ndarray of shape (k,)
        """
        first, last = self.n_columns, self.n_columns + costs.size
        if last > self.matrix.shape[1]:
            matrix = np.zeros((self.n_rows, max(2 * first, last)))
            matrix[:, :first] = self.columns
            self.matrix, self._columns = matrix, matrix.T.copy()
        self.matrix[:, first:last], self._columns[first:last] = columns.T, columns
        self.costs = np.append(self.costs, costs)
        self._side = np.append(self._side, np.ones(costs.size))

    def forget_inverse(self) -> None:
        """Compute the inverse of the basis anew before the next pivot, if it was updated since."""
        if self._n_updates:
            self._inverse = None

    def solve(
        self, limits: np.ndarray, upper: np.ndarray, clock: Clock = UNLIMITED
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve the program from the basis of its last optimum.

        Parameters
        ----------
        limits : ndarray of shape (n_rows,)
            l, not negative.
        upper : ndarray of shape (n_columns,)
            u, not negative.
        clock : Clock, optional

        Returns
        -------
        x : ndarray of shape (n_columns,)
            The optimum.
        duals : ndarray of shape (n_rows,)
            y, the multipliers of the rows: the reduced costs are c − A'y.

        Raises
        ------
        OutOfTime
            If the time came first.
        SimplexError
            If it finds no optimum.
        """
        zeros = np.zeros(self.n_columns)
        program = Program(self.matrix, self._columns, np.append(-limits, zeros), np.append(limits, upper))
        try:
            return self._find_optimum(program, clock)
        except SimplexError:
            # once more, from the basis of the slacks
            self._head, self._inverse, self._n_updates = np.arange(self.n_rows), -np.eye(self.n_rows), 0
            return self._find_optimum(program, clock)

    def _find_optimum(self, program: Program, clock: Clock) -> tuple[np.ndarray, np.ndarray]:
        """Solve the program from the present basis; returns the optimum and the duals."""
        self._rest_at_bounds(program)
        p, costs = self.n_rows, np.append(np.zeros(self.n_rows), self.costs)
        perturbed = _perturb(costs, p)
        tol = max(FEASIBILITY_TOL, FEASIBILITY_RTOL * np.max(program.upper, initial=0.0))
        duals, reduced, x = np.empty(p), np.empty(costs.size), np.empty(p)
        n_left = PIVOTS_PER_VARIABLE_MAX * costs.size
        while n_left > 0:
            if clock.is_over():
                raise OutOfTime
            basis = self._get_basis()
            error = restart(program, basis, costs if perturbed is None else perturbed, duals, reduced, x)
            is_inaccurate, n_pivots = not error <= EQUATION_RTOL, 0
            if not is_inaccurate:
                status, n_pivots = run_pivots(
                    program, basis, reduced, x, tol, self._updates_max - self._n_updates
                )
                is_inaccurate = status == INACCURATE
            self._n_updates += n_pivots
            n_left -= n_pivots
            if is_inaccurate:
                if not self._n_updates:
                    raise SimplexError
                self._inverse = None
            elif status == OPTIMAL and perturbed is not None:
                perturbed = None
            elif status == OPTIMAL and not n_pivots:
                duals[np.abs(duals) <= DUAL_RTOL * np.abs(duals).max(initial=0.0)] = 0.0
                return _get_values(program, basis, x)[p:], duals
        raise SimplexError

    def _rest_at_bounds(self, program: Program) -> None:
        """Adapt the sides to another basis, and to bounds that became equal, or unequal."""
        is_basic = np.zeros(self._side.size, dtype=bool)
        is_basic[self._head] = True
        is_fixed = program.upper <= program.lower
        self._side[is_basic | is_fixed] = 0.0
        self._side[~is_fixed & ~is_basic & (self._side == 0.0)] = 1.0

    def _get_basis(self) -> Basis:
        """Return the basis; its inverse is computed where it is not known, or often updated."""
        if self._inverse is None or self._n_updates >= self._updates_max:
            p, is_slack = self.n_rows, self._head < self.n_rows
            square = np.zeros((p, p))
            square[:, ~is_slack] = self.matrix[:, self._head[~is_slack] - p]
            square[self._head[is_slack], is_slack] = -1.0
            try:
                self._inverse = np.linalg.inv(square)
            except np.linalg.LinAlgError as error:
                raise SimplexError from error
            self._n_updates = 0
        return Basis(self._head, self._side, self._inverse)


def _perturb(costs: np.ndarray, n_slacks: int) -> np.ndarray:
    """Return costs of which no two sums are equal: of columns farther from 0, of slacks by either sign."""
    noise = np.modf(GOLDEN_SECTION * np.arange(costs.size))[0]
    noise[n_slacks:] = np.copysign(0.5 + 0.5 * noise[n_slacks:], costs[n_slacks:])
    noise[:n_slacks] = 2.0 * noise[:n_slacks] - 1.0
    return costs + PERTURBATION * noise


def _get_values(program: Program, basis: Basis, x: np.ndarray) -> np.ndarray:
    """Return the values of all variables."""
    values = np.where(basis.side < 0.0, program.upper, np.where(basis.side > 0.0, program.lower, 0.0))
    values[basis.head] = x
    return values
