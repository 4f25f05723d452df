"""A linear program by HiGHS: by the simplex method, or by the next one where that ends without an optimum."""

from __future__ import annotations

import highspy
import numpy as np

from toprank.clock import Clock, OutOfTime

#: Values of HiGHS' option ``simplex_strategy``.
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4

#: Options of HiGHS' runs of one program, the next where the last ended without an optimum. The bound that
#: certifies the optimum is our own in each case.
HIGHS_RUNS = (
    {"solver": "simplex", "presolve": "off", "simplex_strategy": DUAL_SIMPLEX},
    {"solver": "simplex", "presolve": "off", "simplex_strategy": PRIMAL_SIMPLEX},
    {"solver": "simplex", "presolve": "on", "simplex_strategy": DUAL_SIMPLEX},
    {"solver": "ipm", "presolve": "on", "run_crossover": "on"},
)

#: Options of all runs. The number of threads is the process's, not ours: HiGHS refuses another one than it
#: was started with.
HIGHS_OPTIONS = {
    "output_flag": False,  # of versions whose constructor enables no callbacks
    "simplex_scale_strategy": 4,  # by the largest entry: our rows are scaled already
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


class QuietHighs(highspy.Highs):
    """HiGHS without output.

    The constructor of `highspy.Highs` enables the callbacks, the first call that prints the banner (from
    version 1.16 on). So the flag has to be off by then.
    """

    def enableCallbacks(self) -> None:
        """Turn the output off before the first call that could print."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


def solve_with_highs(
    program: highspy.HighsLp, seconds_left: float | None = None, **options: object
) -> tuple[np.ndarray, np.ndarray]:
    """Return the optimum of a linear program, and the multipliers of its rows.

    Parameters
    ----------
    program : highspy.HighsLp
    seconds_left : float, optional
        Seconds that it may take.
    **options
        Further options of HiGHS.

    Returns
    -------
    x : ndarray of shape (n_columns,)
    duals : ndarray of shape (n_rows,)

    Raises
    ------
    OutOfTime
        If the time came first.
    RuntimeError
        If HiGHS finds no optimum.
    """
    highs, clock = QuietHighs(), Clock(seconds_left)
    for option, value in (HIGHS_OPTIONS | options).items():
        highs.setOptionValue(option, value)
    highs.passModel(program)
    for attempt, run_options in enumerate(HIGHS_RUNS):
        for option, value in run_options.items():
            highs.setOptionValue(option, value)
        if attempt:
            highs.clearSolver()
        # HiGHS' clock goes on from run to run
        if clock.seconds_left is not None:
            highs.setOptionValue("time_limit", highs.getRunTime() + clock.seconds_left)
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise OutOfTime
        if status == highspy.HighsModelStatus.kOptimal:
            solution = highs.getSolution()
            return np.array(solution.col_value), np.array(solution.row_dual)
    raise RuntimeError(
        "HiGHS could not solve the model of the infinite push, neither by the simplex nor by the "
        f"interior point method: {highs.modelStatusToString(status)}; solver 'admm' needs no HiGHS"
    )
