"""What L14's published Lipschitz constant costs: FISTA with it and with the exact one, proximal Newton.

The proof of the paper's Proposition 1 takes L = Σ ‖x̃_k‖². With the factor 2 of the gradient, which it loses,
that is the trace of the matrix whose largest eigenvalue would do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from reproduction.papers.laporte2014.problems import measure_problems
from toprank.solvers import fista, prox_newton
from toprank.solvers.solver_specs import FISTA

if TYPE_CHECKING:
    import numpy as np

    from reproduction.splits.split_data import SplitData
    from toprank.problems.pairwise import PairwiseRanking

COLUMNS = (
    *("dataset", "split", "share", "alpha", "solver", "constant", "ratio", "level", "iterations", "seconds"),
    *("reached", "excess", "relative_gap", "optimum", "lower_bound", "status", "message"),
)
"""One row a data set, share of λ_max and solver. `constant` is the Lipschitz constant that the solver uses
and `ratio` that over the exact one, empty for proximal Newton, which has none. `iterations` and `seconds` go
to the first look at an objective within `level` of the optimum, relative, or to where the solver was stopped;
`excess` is the distance there, `relative_gap` that to the certified `lower_bound`."""

TRACED_SOLVERS = {
    "fista_trace": partial(fista.solve, method=FISTA(False, "trace"), certify=False),
    "fista_exact": partial(fista.solve, method=FISTA(False, "exact"), certify=False),
    "prox_newton": partial(prox_newton.solve, certify=False),
}
"""Algorithm 1 of L14 with its constant and with the exact one, both without restarts; proximal Newton."""

OPTIMUM_GAP_TOL = 1e-10
"""Relative duality gap of the optimum that the solvers are held against."""

STATIONARITY_TOL = 1e-14
"""Violation of the optimality conditions at which a solver stops by itself: out of reach."""


def solve_to_level(
    solve: Callable, problem: PairwiseRanking, optimum: float, level: float, **options: Any
) -> tuple[float, int, np.ndarray, float]:
    """Run a solver until its objective is close to the optimum.

    Parameters
    ----------
    solve : callable
        `fista.solve`, `prox_newton.solve`, or one of them with some options set. FISTA calls back in every
        tenth iteration.
    problem : PairwiseRanking
        Under the ℓ₁ norm.
    optimum : float
        Certified optimum of the objective.
    level : float
        The run ends at the first callback with an objective of at most (1 + level) optimum.
    **options
        Options of the solver: its limits, and a start.

    Returns
    -------
    seconds : float
        Time of the run.
    iteration : int
        Iteration of the last callback.
    w : ndarray of shape (d,)
        Weights there.
    objective : float
        Objective there.
    """
    last_step = None

    def is_near(step: Any) -> bool:
        """Store the state of the solver, and return whether to stop it.

        Parameters
        ----------
        step : step of the solver
            Its objective, its iteration and its weights.

        Returns
        -------
        bool
            Whether the objective is within the level of the optimum.
        """
        nonlocal last_step
        last_step = step
        return step.objective <= (1.0 + level) * optimum

    # The callback's own cost (a comparison) is the same for all solvers.
    started = perf_counter()
    solve(problem, tol=STATIONARITY_TOL, callback=is_near, **options)
    return perf_counter() - started, last_step.iteration, last_step.w, last_step.objective


def measure_solvers(
    problem: PairwiseRanking, shares: Iterable[float], level: float, max_iter: int, time_limit: float
) -> Iterator[dict]:
    """Measure the three solvers from w = 0 at several regularisations.

    Parameters
    ----------
    problem : PairwiseRanking
        Under the ℓ₁ norm.
    shares : iterable of float
        Regularisation, over the smallest that leaves w = 0.
    level : float
        Relative distance to the certified optimum that ends a run.
    max_iter : int
        Iterations after which a run has failed.
    time_limit : float
        Seconds after which a run has failed.

    Yields
    ------
    dict
        With the keys `COLUMNS` from ``share`` on.
    """
    # the trace bound of Proposition 1 and the largest eigenvalue, both of the same loss
    constants = {f"fista_{name}": problem.lipschitz(name) for name in ("trace", "exact")}
    lambda_max = problem.lambda_max()
    for solve in TRACED_SOLVERS.values():  # warms the kernels
        solve(problem.with_alpha(0.5 * lambda_max), max_iter=1)
    for share in sorted(shares, reverse=True):
        # All solvers start from w = 0: a warm start along the path would hide what the step size 1/L costs.
        problem_at_share = problem.with_alpha(share * lambda_max)
        # the reference: a certified optimum of the same problem
        certificate = prox_newton.solve(problem_at_share, tol=OPTIMUM_GAP_TOL).certificate
        optimum, lower_bound = certificate.objective, certificate.lower_bound
        for solver, solve in TRACED_SOLVERS.items():
            seconds, n_iter, _, objective = solve_to_level(
                solve, problem_at_share, optimum, level, max_iter=max_iter, time_limit=time_limit
            )
            # a run that a limit stopped keeps its seconds and its excess; this tells it from the others
            reached = objective <= (1.0 + level) * optimum
            constant = constants.get(solver)
            yield {
                "share": share,
                "alpha": problem_at_share.alpha,
                "solver": solver,
                "constant": constant,
                "ratio": None if constant is None else constant / constants["fista_exact"],
                "level": level,
                "iterations": n_iter,
                "seconds": seconds,
                "reached": reached,
                "excess": max(objective / optimum - 1.0, 0.0),
                "relative_gap": (objective - lower_bound) / objective,
                "optimum": optimum,
                "lower_bound": lower_bound,
                "status": "reached" if reached else "time_limit" if n_iter < max_iter else "max_iterations",
                "message": "",
            }


def run_experiment(settings: Mapping, *, splits: Iterable[SplitData], **_: Any) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``constant`` on one fold of each data set.

    Parameters
    ----------
    settings : mapping
        Arguments of `measure_solvers`: shares, level, max_iter, time_limit.
    splits : iterable of SplitData
        Folds to measure.

    Returns
    -------
    iterator of (str, dict)
        Table and row.
    """
    options = {name: settings[name] for name in ("shares", "level", "max_iter", "time_limit")}
    return measure_problems("constant", splits, partial(measure_solvers, **options))
