"""How many iterations and seconds a method needs to levels of suboptimality on objective (11) of K15."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reproduction.fitting.feature_scaling import scale_features
from reproduction.papers.kadkhodaie2015.convergence.experiment import (
    METHODS,
    SOLVER_VARIANTS,
    UNREACHABLE_TOL,
    run_method,
)
from reproduction.papers.kadkhodaie2015.convergence.split_problem import certify_optimum
from toprank.estimators.rotation import rotate_if_wide
from toprank.problems.top import TopRanking

if TYPE_CHECKING:
    import scipy.sparse as sp

    from reproduction.splits.split_data import SplitData
    from toprank.solvers.monitor import Step

    Rows = np.ndarray | sp.csr_array

SUBOPTIMALITY_COLUMNS = (
    *("dataset", "feature_scaling", "alpha", "method", "rho", "level", "iterations", "seconds", "best_rho"),
    *("status", "message", "last_iteration", "smallest", "optimum", "lower_bound", "zero_suboptimality"),
)
"""One row a data set, feature scaling, alpha, method, rho and level. `iterations` and `seconds` go
to the first iterate within the level, infinite where there was none; `best_rho` marks the rho with the fewest
iterations, in hindsight; `smallest` is the least relative suboptimality that was seen,
`zero_suboptimality` the one at w = 0, at which every method starts."""

N_LEADING_CHECKS = 100
CHECK_GROWTH = 1.01
"""Each of the first iterations is compared with the levels; after them, only when the count has grown by 1 %:
an objective costs a pass over the rows."""

STATIONARITY_TOL = 1e-8
"""Sum of the residuals at which a method of the ADMM family has converged to its own limit."""


def run_to_levels(
    problem: TopRanking,
    optimum: float,
    method: str,
    levels: Sequence[float],
    max_iter: int,
    time_limit: float,
    rho: float | None = None,
    admm: Mapping | None = None,
) -> tuple[dict[float, tuple[float, float]], dict]:
    """Run one method until its objective is within the smallest level of the optimum.

    Parameters
    ----------
    problem : TopRanking
    optimum : float
        Certified optimum of the problem.
    method : str
        One of ``convergence.experiment.METHODS``.
    levels : sequence of float
        Level e is reached at the first checked iterate with F(w) <= (1 + e) optimum.
    max_iter : int
    time_limit : float
        Seconds of the algorithm alone.
    rho, admm
        See ``convergence.experiment.run_method``.

    Returns
    -------
    reached : dict of float to tuple of (float, float)
        Level -> iterations and seconds, both infinite where it was not reached.
    outcome : dict
        ``status``, ``last_iteration`` and ``smallest``, the least relative suboptimality seen.
    """
    reached = dict.fromkeys(levels, (math.inf, math.inf))
    next_check, last_iteration, smallest = 1, 0, math.inf

    def check_levels(step: Step) -> bool:
        """Note the levels that the iterate reaches; end the run at the smallest one.

        Parameters
        ----------
        step : Step
            State after an iteration; not each one is checked.

        Returns
        -------
        bool
            Whether the smallest level is reached.
        """
        nonlocal next_check, last_iteration, smallest
        last_iteration = iteration = step.iteration
        if iteration < next_check:
            return False
        # A check costs a pass over the rows: behind the first 100 iterations checks become rare, and the
        # count of iterations is exact to 1 %.
        next_check = iteration + 1
        if iteration >= N_LEADING_CHECKS:
            next_check = max(next_check, math.ceil(CHECK_GROWTH * iteration))
        with np.errstate(over="ignore", invalid="ignore"):
            objective = problem.objective(step.w)
        # The reference has a certified gap of 1e-10, far below the smallest level.
        smallest = min(smallest, objective / optimum - 1.0)
        for level in reached:
            if objective <= (1.0 + level) * optimum and reached[level][0] == math.inf:
                reached[level] = iteration, step.seconds
        return reached[min(reached)][0] < math.inf

    # TopPush goes on past its published stop, the exact solver to the last digit. The accelerated methods
    # converge to the optimum of (13), not (11): at stationarity they end, since they will come no nearer.
    tol = {"toppush": UNREACHABLE_TOL, "exact": 0.0}.get(method, STATIONARITY_TOL)
    solution = run_method(problem, method, check_levels, rho, admm, tol, max_iter, time_limit)
    is_reached = reached[min(reached)][0] < math.inf
    status = "reached" if is_reached else solution.certificate.status
    return reached, {"status": status, "last_iteration": last_iteration, "smallest": smallest}


def measure_suboptimality(
    problem: TopRanking,
    method: str,
    alphas: Sequence[float],
    levels: Sequence[float],
    rhos: Sequence[float],
    max_iter: int,
    time_limit: float,
    admm: Mapping | None = None,
) -> Iterator[dict]:
    """Measure one method's iterations and seconds to each level, at every regularisation and every rho.

    Where w = 0 is within the smallest level of the optimum no method is run: the status is "zero" and no
    iteration is needed.

    Parameters
    ----------
    problem : TopRanking
        Objective (11) on the training part; its weight of the ridge is not used.
    method : str
        One of ``convergence.experiment.METHODS``.
    alphas : sequence of float
        Weights of the ridge.
    levels : sequence of float
        Relative suboptimalities.
    rhos : sequence of float
        Penalties of the augmented Lagrangian (ADMM family); the other methods ignore them.
    max_iter : int
    time_limit : float
        Seconds of each run.
    admm : mapping, optional
        See ``convergence.experiment.run_method``.

    Yields
    ------
    dict
        With the keys `SUBOPTIMALITY_COLUMNS` from ``alpha`` on.
    """
    # TopPush and the exact solver have no ρ.
    rhos = list(rhos) if method in SOLVER_VARIANTS else [None]
    is_warm = False
    for alpha in alphas:
        problem = problem.with_alpha(float(alpha))
        certificate = certify_optimum(problem)
        # F(0) = 1, so this is the relative suboptimality of w = 0, where every method starts
        zero_suboptimality = 1.0 / certificate.objective - 1.0
        identity = {"alpha": alpha, "method": method, "message": ""}
        identity |= {
            "optimum": certificate.objective,
            "lower_bound": certificate.lower_bound,
            "zero_suboptimality": zero_suboptimality,
        }
        runs = []
        for rho in rhos:
            # Where the mean positive lies in the convex hull of the negatives, w = 0 is optimal at every λ
            # (whole diabetes, ijcnn1, cod-rna): nothing is left to measure.
            if zero_suboptimality <= min(levels):
                zero_outcome = {"status": "zero", "last_iteration": 0, "smallest": zero_suboptimality}
                runs.append((rho, dict.fromkeys(levels, (0, 0.0)), zero_outcome))
                continue
            try:
                if not is_warm:
                    # compile the kernels first: no measured time includes their loading
                    run_method(problem, method, None, rho, admm, max_iter=3)
                    is_warm = True
                run_outcome = run_to_levels(
                    problem, certificate.objective, method, levels, max_iter, time_limit, rho, admm
                )
            except (
                Exception
            ) as error:  # whatever a method throws is a result, as in `fitting.fit_rows.fit_once`
                failure = {"status": "failed", "message": f"{type(error).__name__}: {error}".splitlines()[0]}
                run_outcome = dict.fromkeys(levels, (math.inf, math.inf)), {"smallest": math.inf, **failure}
            runs.append((rho, *run_outcome))
        for level in levels:
            # fewest iterations; where no rho reached the level, the least suboptimality
            best_run = min(runs, key=lambda rho_run: (rho_run[1][level][0], rho_run[2]["smallest"]))
            for rho_run in runs:
                rho, reached, outcome = rho_run
                row = {"rho": rho, "level": level, "best_rho": rho_run is best_run}
                costs = dict(zip(("iterations", "seconds"), reached[level], strict=True))
                yield identity | row | costs | outcome


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], **_
) -> Iterator[tuple[str, dict]]:
    """Measure every method's distance to the optimum on the first split of a data set.

    Parameters
    ----------
    settings : mapping
        The key ``suboptimality`` of the study, with its ``scaling``, ``methods``, ``rhos`` and ``admm``.
    part : str
        The data set.
    splits : iterable of SplitData
        The one split.

    Yields
    ------
    table : {"suboptimality"}
    row : dict
        With keys among `SUBOPTIMALITY_COLUMNS`.
    """
    # One split: distances to a certified optimum need no averaging over test parts.
    (split_data,) = splits
    X, y = (None, None) if split_data.missing_data else split_data.train()
    for scaling in settings["feature_scaling"]:
        if not split_data.missing_data:
            # the objective is the same in the span of the rows, which has fewer columns than a wide matrix
            rotated, _ = rotate_if_wide(scale_features(scaling, X)[0])
            problem = TopRanking.from_labels(rotated, y, 1.0)
        for method in (name for name in METHODS if name in settings["methods"]):
            identity = {"dataset": part, "feature_scaling": scaling, "method": method}
            if split_data.missing_data:
                yield "suboptimality", identity | split_data.missing_data
                continue
            limits = settings["max_iter"], settings["time_limit"]
            levels, rhos = (settings["alphas"], settings["levels"]), settings["rhos"].get(method, [])
            for row in measure_suboptimality(problem, method, *levels, rhos, *limits, settings["admm"]):
                yield "suboptimality", identity | row
