"""The models of the exact infinite push under an l1 penalty: linear programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from toprank.clock import Clock, OutOfTime

if TYPE_CHECKING:
    from collections.abc import Callable

#: Values of HiGHS' option ``simplex_strategy``.
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4

#: Options of HiGHS' runs of one model, the next where the last ended without an optimum. The bound that
#: certifies the optimum is our own in each case.
HIGHS_RUNS = (
    {"solver": "simplex", "presolve": "off", "simplex_strategy": DUAL_SIMPLEX},
    {"solver": "simplex", "presolve": "off", "simplex_strategy": PRIMAL_SIMPLEX},
    {"solver": "simplex", "presolve": "on", "simplex_strategy": DUAL_SIMPLEX},
    {"solver": "ipm", "presolve": "on", "run_crossover": "on"},
)


class QuietHighs(highspy.Highs):
    """HiGHS without output.

    The constructor of `highspy.Highs` enables the callbacks, the first call that prints the banner (from
    version 1.16 on). So the flag has to be off by then.
    """

    def enableCallbacks(self) -> None:
        """Turn the output off before the first call that could print."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


class LinearProgram:
    r"""The dual of the models under an l1 penalty, held by HiGHS and grown in place.

    With group g of m_g positives, their mean row x_g and the scale s of the features it is

    .. math::
        \max_{v, b} \sum_g v_g \quad\text{where}\quad \Bigl|\sum_g v_g x_g - \sum_j b_j x_j^-\Bigr|
        \le \frac{m\alpha}{s}, \quad \sum_g v_g = \sum_j b_j, \quad 0 \le v_g \le m_g, \quad 0 \le b_j \le m,

    the dual in `PushRanking` with weights m times as large and shared in a group. It has a row a feature,
    however many positives and negatives there are. Every column is boxed, so any basis becomes dual feasible
    by moving columns to their other bound. So the dual simplex goes on from the last model's basis. A group
    that is split keeps its column, fixed at zero, and its parts get new ones.

    Parameters
    ----------
    m : int
        Positives of the problem.
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.groups = self.negatives = np.empty(0, dtype=np.int32)  # their columns
        self.unit, self.upper = np.inf, np.empty(0)  # of the last call
        self.highs = QuietHighs()
        # the number of threads is the process's, not ours: HiGHS refuses another one than it was started with
        for option, value in {
            "output_flag": False,  # of versions whose constructor enables no callbacks
            "simplex_scale_strategy": 4,  # by the largest entry: our rows are scaled already
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
        }.items():
            self.highs.setOptionValue(option, value)

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
            About the size of the objective: HiGHS' tolerances are absolute.
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
            If HiGHS finds no optimum.
        """
        # the unit is kept while the objective falls by less than a factor of 4: fewer bounds change
        if not 0.25 < unit / self.unit <= 1.0:
            self.unit = unit
        # max_j w'x_j⁻ is the weight of a constant feature that costs nothing: row 0
        limits = np.append(0.0, self.m * slopes / self.unit)
        highs, n_rows, n_columns = self.highs, self.highs.getNumRow(), self.highs.getNumCol()
        if n_rows < limits.size:
            # row 0 is the constant feature, so feature j has row j + 1
            row_entries, new_features = (
                np.empty((n_columns, limits.size - n_rows)),
                slice(max(n_rows - 1, 0), None),
            )
            if n_columns:
                row_entries[self.groups] = means(slice(self.groups.size), new_features)
                row_entries[self.negatives] = -negatives(slice(self.negatives.size), new_features)
            zeros = np.zeros(limits.size - n_rows)
            highs.addRows(zeros.size, zeros, zeros, row_entries.size, *_get_csr_parts(row_entries.T))
        n_old_groups, n_old_negatives = self.groups.size, self.negatives.size
        self.groups = np.append(self.groups, self._add_columns(means, slice(n_old_groups, sizes.size), 1.0))
        self.negatives = np.append(
            self.negatives, self._add_columns(negatives, slice(n_old_negatives, n), -1.0)
        )
        # the boxes 0 ≤ v_g ≤ m_g and 0 ≤ b_j ≤ m, in the unit of the program
        upper = np.empty(highs.getNumCol())
        upper[self.groups], upper[self.negatives] = sizes / self.unit, self.m / self.unit
        changed_columns = np.flatnonzero(
            upper != np.append(self.upper, np.zeros(upper.size - self.upper.size))
        )
        changed_columns, self.upper = changed_columns.astype(np.int32), upper
        highs.changeColsBounds(
            changed_columns.size, changed_columns, np.zeros(changed_columns.size), upper[changed_columns]
        )
        highs.changeRowsBounds(limits.size, _make_int32_range(limits.size), -limits, limits)
        if (limits.size, upper.size) == (n_rows, n_columns):
            # the same model again, for the digits that the updates of a factor lost: begin with a new factor
            highs.setBasis(highs.getBasis())

        self.find_optimum(seconds_left)
        solution = highs.getSolution()
        weights = self.unit / self.m * np.array(solution.col_value)
        return (
            -np.array(solution.row_dual)[1:],
            weights[self.groups] / np.maximum(sizes, 1.0),
            weights[self.negatives],
        )

    def find_optimum(self, seconds_left: float | None) -> None:
        """Run HiGHS, by the next of `HIGHS_RUNS` from scratch where one ends without an optimum.

        Parameters
        ----------
        seconds_left : float or None
            Seconds that it may take.

        Raises
        ------
        OutOfTime
            If the time came first.
        RuntimeError
            If HiGHS finds no optimum.
        """
        clock = Clock(seconds_left)
        for attempt, options in enumerate(HIGHS_RUNS):
            for option, value in options.items():
                self.highs.setOptionValue(option, value)
            if attempt:
                self.highs.clearSolver()
            status = self._run(clock.seconds_left)
            if status == highspy.HighsModelStatus.kOptimal:
                return
        raise RuntimeError(
            "HiGHS could not solve the model of the infinite push, neither by the simplex nor by the "
            f"interior point method: {self.highs.modelStatusToString(status)}; solver 'admm' needs no HiGHS"
        )

    def _run(self, seconds_left: float | None) -> highspy.HighsModelStatus:
        """Run HiGHS, whose clock goes on from run to run; returns its status."""
        if seconds_left is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + seconds_left)
        self.highs.run()
        status = self.highs.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise OutOfTime
        return status

    def _add_columns(
        self, read_rows: Callable[[slice, slice], np.ndarray], rows: slice, sign: float
    ) -> np.ndarray:
        """Add a column for each of the rows, with a sign; positives cost -1. Returns where they are."""
        k, first = rows.stop - rows.start, self.highs.getNumCol()
        if k:
            entries = read_rows(rows, slice(None))
            entries = sign * np.column_stack([np.ones(k), entries])
            zeros, cost = np.zeros(k), np.full(k, -1.0 if sign > 0.0 else 0.0)
            self.highs.addCols(k, cost, zeros, zeros, entries.size, *_get_csr_parts(entries))
        return first + _make_int32_range(k)


def _make_int32_range(k: int) -> np.ndarray:
    return np.arange(k, dtype=np.int32)


def _get_csr_parts(entries: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return starts, indices and values of the rows of a matrix, as HiGHS wants them."""
    k, size = entries.shape
    return size * _make_int32_range(k), np.tile(_make_int32_range(size), k), entries.ravel()
