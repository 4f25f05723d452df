"""Every method through the iterations of Figures 2 and 3 (K15) on several splits and data sets, in numbers.

The paper prints no ρ for its figures. Here each method of the ADMM family has the ρ of its grid with which
its objective is nearest to its own limit after a declared number of iterations: the choice that favours what
the paper says of its convergence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reproduction.papers.kadkhodaie2015.convergence import trace_analysis
from reproduction.papers.kadkhodaie2015.convergence.experiment import (
    FIGURE2_COLUMNS,
    FIGURE3_COLUMNS,
    SOLVER_VARIANTS,
    load_case,
    run_method,
    trace_method,
)

if TYPE_CHECKING:
    from reproduction.papers.kadkhodaie2015.convergence.split_problem import SplitProblem
    from reproduction.splits.split_data import SplitData
    from toprank.solvers.monitor import Step

TOPPUSH = "toppush"

TRENDS_COLUMNS = (
    *("dataset", "feature_scaling", "split", "alpha", "method", "rho", "status", "message", "last"),
    *("optimum", "limit", "within_permille", "within_percent", "last_change", "near_end"),
    *("final_positives_at_top", "highest_positives_at_top", "published_stop", "residual", "rate_at_top"),
    *("area_under_roc",),
)
"""One row a case and method. `last`: last iteration; `within_permille`, `within_percent`: iteration from
which the objective stays so near to its `limit` (see `convergence.experiment`); `last_change`, `near_end`:
iteration at which Pos@Top on the test part changes for the last time, and from which it is within a tenth of
its final value; `residual`: primal + dual residual after `RESIDUAL_ITERATION`; `rate_at_top` and
`area_under_roc`: on the test part after the published stop."""

TOLERANCES = {"within_permille": 1e-3, "within_percent": 1e-2}
"""Column -> relative distance to the limit."""

RESIDUAL_ITERATION = 1000
"""Iteration at which the residuals are compared: the most that "a few hundred" can mean."""

N_CHECKED_ITERATIONS = 100
"""The distance that chooses ρ is the largest over so many last iterations: an iterate may cross its limit."""

NEGLIGIBLE_DISTANCE = 1e-9
"""Relative distances to the limit below this are equal: the residuals then choose among the values of ρ."""


def choose_rho(case: SplitProblem, method: str, rhos: Sequence[float], iterations: int) -> float:
    """Choose the ρ with which the objective of a method is nearest to its own limit.

    Parameters
    ----------
    case : SplitProblem
    method : str
        A method of the ADMM family.
    rhos : sequence of float
        The grid.
    iterations : int
        Iterations of each run; the distance is the largest over the last `N_CHECKED_ITERATIONS` of them.

    Returns
    -------
    float
        A value of the grid. Among distances below `NEGLIGIBLE_DISTANCE`, that of the smallest residuals.
    """
    limit = case.limit(method)

    def measure(rho: float) -> tuple[float, float]:
        """Measure how far from its limit a run ends, and its residuals there.

        Parameters
        ----------
        rho : float
            Penalty of the augmented Lagrangian.

        Returns
        -------
        distance, residual : float
            Infinite where the run diverges.
        """
        distance, residual = NEGLIGIBLE_DISTANCE, math.inf

        def check(step: Step) -> None:
            """Note the distance of one of the last iterates.

            Parameters
            ----------
            step : Step
                State after an iteration.
            """
            nonlocal distance, residual
            # Relative distance to the method's own limit, objective (11) at the optimum of what it minimises.
            if step.iteration > iterations - N_CHECKED_ITERATIONS:
                with np.errstate(over="ignore", invalid="ignore"):
                    distance = max(distance, abs(case.problem.objective(step.w) / limit - 1.0))
                residual = step.primal + step.dual

        solution = run_method(case.problem, method, check, rho, case.admm, max_iter=iterations)
        # max() and min() pass over NaN, which must not count as near: runs that diverge come last.
        has_diverged = solution.certificate.status == "diverged" or not math.isfinite(distance)
        return (math.inf, math.inf) if has_diverged else (distance, residual)

    # Lexicographic: distances that are negligible are equal, and the residuals decide.
    return min(rhos, key=measure)


def summarise_traces(figure2: pd.DataFrame, figure3: pd.DataFrame) -> dict:
    """Summarise one method's rows of Figures 2 and 3 in the numbers that the paper's sentences are about.

    Parameters
    ----------
    figure2, figure3 : DataFrame
        Rows of the two figures, of one method.

    Returns
    -------
    dict
        With the keys `TRENDS_COLUMNS` from ``alpha`` on.
    """
    first = figure2.iloc[0]
    row = {name: first[name] for name in ("alpha", "method", "rho", "status", "optimum", "limit")}
    row |= {"published_stop": first["published_stop"], "last": figure2["iteration"].max()}
    for column, tol in TOLERANCES.items():
        (fact,) = trace_analysis.find_convergence(figure2, tol).values()
        row[column] = fact.get("iteration")
    (changes,) = trace_analysis.find_last_changes(figure2).values()
    row |= {name: changes[name] for name in ("last_change", "near_end")}
    row |= {f"{name}_positives_at_top": changes[name] for name in ("final", "highest")}
    # TopPush has no residuals, and a run that ended before has none at this iteration: NaN then.
    residuals = figure3[(figure3["kind"] == "residual") & (figure3["iteration"] == RESIDUAL_ITERATION)]
    row["residual"] = (residuals["primal_residual"] + residuals["dual_residual"]).max()
    (curve,) = trace_analysis.summarise_roc_curves(figure3, "published stop").values()
    return row | {"rate_at_top": curve["top"], "area_under_roc": curve["area"]}


def run_experiment(settings: Mapping, *, splits: Iterable[SplitData], **_) -> Iterator[tuple[str, dict]]:
    """Run every method on some splits of one data set in one feature scaling.

    Parameters
    ----------
    settings : mapping
        The key ``trends`` of the study with ``dataset``, ``feature_scaling``, ``rhos`` and ``admm``.
    splits : iterable of SplitData

    Yields
    ------
    table : {"trends"}
    row : dict
        With keys among `TRENDS_COLUMNS`.
    """
    methods = [TOPPUSH, *(name for name in SOLVER_VARIANTS if name in settings["rhos"])]
    for split_data in splits:
        identity = {"dataset": settings["dataset"], "feature_scaling": settings["feature_scaling"]}
        identity["split"] = split_data.split
        if split_data.missing_data:
            yield from (("trends", identity | {"method": name} | split_data.missing_data) for name in methods)
            continue
        case = load_case(split_data, settings["feature_scaling"], settings["alpha"], settings["admm"])
        for method in methods:
            rho = None
            if method in SOLVER_VARIANTS:
                rho = choose_rho(case, method, settings["rhos"][method], settings["rho_iterations"])
            traces = trace_method(case, method, settings["iterations"], settings["stride"], rho)
            figure2, figure3 = (
                pd.DataFrame(rows, columns=columns)
                for rows, columns in zip(traces, (FIGURE2_COLUMNS, FIGURE3_COLUMNS), strict=True)
            )
            yield "trends", identity | _to_plain_values(summarise_traces(figure2, figure3))


def _to_plain_values(row: Mapping) -> dict:
    """Return a row with None where there is no number, as JSON has it."""
    return {name: None if pd.isna(value) else value for name, value in row.items()}
