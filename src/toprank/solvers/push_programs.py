"""The models of the exact infinite push under an l1 penalty: linear programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np
import scipy.sparse as sp

from toprank.clock import Clock
from toprank.solvers.dual_simplex import DualSimplex, SimplexError
from toprank.solvers.highs_runs import solve_with_highs

if TYPE_CHECKING:
    from collections.abc import Callable


class LinearProgram:
    r"""The dual of the models under an l1 penalty, grown in place.

    With group g of m_g positives, their mean row x_g and the scale s of the features it is

    .. math::
        \max_{v, b} \sum_g v_g \quad\text{where}\quad \Bigl|\sum_g v_g x_g - \sum_j b_j x_j^-\Bigr|
        \le \frac{m\alpha}{s}, \quad \sum_g v_g = \sum_j b_j, \quad 0 \le v_g \le m_g, \quad 0 \le b_j \le m,

    the dual in `PushRanking` with weights m times as large and shared in a group. It has a row a feature,
    however many positives and negatives there are. Every column is boxed, so that the dual simplex goes on
    from the last model's basis. A group that is split keeps its column, fixed at zero, and its parts get new
    ones. What our own simplex does not solve goes to HiGHS.

    Parameters
    ----------
    m : int
        Positives of the problem.
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.groups = self.negatives = np.empty(0, dtype=np.intp)  # their columns
        self.unit = np.inf
        self.simplex = DualSimplex()

    def solve(
        self,
        means: Callable[[slice, slice], np.ndarray],
        sizes: np.ndarray,
        negatives: Callable[[slice, slice], np.ndarray],
        n: int,
        slopes: np.ndarray,
        unit: float,
        seconds_left: float | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Solve the model, whose groups, negatives and features begin with the ones of the last call.

        Parameters
        ----------
        means, negatives : callable
            Mean rows of the groups, and the negatives: called with a slice of the rows and one of the
            features, as only what is new is read.
        sizes : ndarray of shape (n_groups,)
            Members of the groups; 0 where a group was split.
        n : int
            Number of negatives.
        slopes : ndarray of shape (d,)
            The penalty's slope, alpha / s.
        unit : float
            About the size of the objective: the tolerances are absolute.
        seconds_left : float, optional
            Seconds that it may take.

        Returns
        -------
        u : ndarray of shape (d,)
            The optimum, in the units of the rows.
        group_weights : ndarray of shape (n_groups,)
            Dual weight of each member of a group.
        negative_weights : ndarray of shape (n,)

        Raises
        ------
        OutOfTime
            If the time came first.
        RuntimeError
            If HiGHS, too, finds no optimum.
        """
        # the unit is kept while the objective falls by less than a factor of 4: fewer bounds change
        if not 0.25 < unit / self.unit <= 1.0:
            self.unit = unit
            self.simplex.forget_inverse()  # the same model again asks for more digits
        # max_j w'x_j⁻ is the weight of a constant feature that costs nothing: row 0
        limits = np.append(0.0, self.m * slopes / self.unit)
        self._add_rows(means, negatives, limits.size)
        new_groups, new_negatives = slice(self.groups.size, sizes.size), slice(self.negatives.size, n)
        self.groups = np.append(self.groups, self._add_columns(means, new_groups, 1.0))
        self.negatives = np.append(self.negatives, self._add_columns(negatives, new_negatives, -1.0))
        # the boxes 0 ≤ v_g ≤ m_g and 0 ≤ b_j ≤ m, in the unit of the program
        upper = np.empty(self.simplex.n_columns)
        upper[self.groups], upper[self.negatives] = sizes / self.unit, self.m / self.unit
        clock = Clock(seconds_left)
        try:
            x, duals = self.simplex.solve(limits, upper, clock)
        except SimplexError:
            x, duals = solve_with_highs(self.make_highs_program(limits, upper), clock.seconds_left)
        weights = self.unit / self.m * x
        return (
            -duals[1:],
            weights[self.groups] / np.maximum(sizes, 1.0),
            weights[self.negatives],
        )

    def make_highs_program(self, limits: np.ndarray, upper: np.ndarray) -> highspy.HighsLp:
        """Return the program as HiGHS wants it.

        Parameters
        ----------
        limits : ndarray of shape (d + 1,)
            Of the rows.
        upper : ndarray of shape (n_columns,)
            Bounds of the columns.

        Returns
        -------
        highspy.HighsLp
        """
        matrix, lp = sp.csc_array(self.simplex.columns), highspy.HighsLp()
        lp.num_row_, lp.num_col_ = matrix.shape
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = self.simplex.costs, np.zeros(upper.size), upper
        lp.row_lower_, lp.row_upper_ = -limits, limits
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
        lp.a_matrix_.value_ = matrix.data
        return lp

    def _add_rows(
        self,
        means: Callable[[slice, slice], np.ndarray],
        negatives: Callable[[slice, slice], np.ndarray],
        n_rows: int,
    ) -> None:
        """Add the rows of new features, of the columns that are there: feature j has row j + 1."""
        n_old_rows = self.simplex.n_rows
        if n_rows > n_old_rows:
            new_features = slice(max(n_old_rows - 1, 0), None)
            entries = np.empty((n_rows - n_old_rows, self.simplex.n_columns))
            if entries.size:
                entries[:, self.groups] = means(slice(self.groups.size), new_features).T
                entries[:, self.negatives] = -negatives(slice(self.negatives.size), new_features).T
            self.simplex.add_rows(entries)

    def _add_columns(
        self, read_rows: Callable[[slice, slice], np.ndarray], rows: slice, sign: float
    ) -> np.ndarray:
        """Add a column for each of the rows, with a sign; positives cost -1. Returns where they are."""
        k, first = rows.stop - rows.start, self.simplex.n_columns
        if k:
            columns = np.column_stack([np.ones(k), read_rows(rows, slice(None))])
            self.simplex.add_columns(sign * columns, np.full(k, -1.0 if sign > 0.0 else 0.0))
        return first + np.arange(k)
