"""How many iterations and seconds a method needs to levels of suboptimality on objective (11) of K15."""

from __future__ import annotations

import math

import numpy as np

from reproduction.fitting.feature_scaling import scale_features
from reproduction.papers.kadkhodaie2015.convergence.experiment import (
    METHODS,
    NEVER,
    VARIANTS,
    certified_optimum,
    run,
)
from toprank.estimators.rotation import rotate_if_wide
from toprank.problems.top import TopRanking

COLUMNS = (
    *("dataset", "features", "alpha", "method", "rho", "level", "iterations", "seconds", "best_rho"),
    *("status", "message", "last_iteration", "smallest", "optimum", "lower_bound", "zero"),
)
"""One row a data set, block of features, alpha, method, rho and level. `iterations` and `seconds` go
to the first iterate within the level, infinite where there was none; `best_rho` marks the rho with the fewest
iterations, in hindsight; `smallest` is the least relative suboptimality that was seen, `zero` the one at
w = 0, at which every method starts."""

CHECKED_ALL = 100
CHECKED_EVERY = 1.01
"""Each of the first iterations is compared with the levels; after them, every hundredth part more."""

STATIONARY = 1e-8
"""Sum of the residuals at which a method of the ADMM family has come to its own limit, and will not move."""


def first_below(problem, optimum, method, levels, max_iter, time_limit, rho=None, admm=None):
    """Run one method until its objective is within the smallest level of the optimum.

    `optimum`: certified. `method`, `rho`, `admm`: as in `run`. `levels`: level e is reached at the
    first iterate that is looked at with F(w) <= (1 + e) optimum. `time_limit`: seconds of the algorithm
    alone. Returns `reached`: level -> iterations and seconds, both infinite where it was not reached;
    `about`: ``status``, ``last_iteration`` and ``smallest``, the least suboptimality seen.
    """
    reached = dict.fromkeys(levels, (math.inf, math.inf))
    next_look, last, smallest = 1, 0, math.inf

    def visit(step):
        nonlocal next_look, last, smallest
        last = iteration = step.iteration
        if iteration < next_look:
            return False
        next_look = iteration + 1
        if iteration >= CHECKED_ALL:
            next_look = max(next_look, math.ceil(CHECKED_EVERY * iteration))
        with np.errstate(over="ignore", invalid="ignore"):
            objective = problem.objective(step.w)
        smallest = min(smallest, objective / optimum - 1.0)
        for level in reached:
            if objective <= (1.0 + level) * optimum and reached[level][0] == math.inf:
                reached[level] = iteration, step.seconds
        return reached[min(reached)][0] < math.inf

    tol = {"toppush": NEVER, "exact": 0.0}.get(method, STATIONARY)
    ended = run(problem, method, visit, rho, admm, tol, max_iter, time_limit)
    is_reached = reached[min(reached)][0] < math.inf
    status = "reached" if is_reached else ended.certificate.status
    return reached, {"status": status, "last_iteration": last, "smallest": smallest}


def suboptimality(X, y, method, alphas, levels, rhos, max_iter, time_limit, admm=None):
    """Run one method at every regularisation and every rho.

    `X`, `y`: the training part, in the block of features that is asked for; 1 is positive. `rhos`: of the
    ADMM family; the others ignore them. `time_limit`: seconds of each run. Yields: with the keys `COLUMNS`
    from ``alpha`` on. Where w = 0 is within the smallest level of the optimum no method is run: the status is
    "zero" and no iteration is needed.
    """
    rotated, _ = rotate_if_wide(X)
    rhos = list(rhos) if method in VARIANTS else [None]
    problem = TopRanking.from_labels(rotated, y, 1.0)
    is_warm = False
    for alpha in alphas:
        problem = problem.with_alpha(float(alpha))
        certificate = certified_optimum(problem)
        zero = 1.0 / certificate.objective - 1.0
        about = {"alpha": alpha, "method": method, "message": ""}
        about |= {"optimum": certificate.objective, "lower_bound": certificate.lower_bound, "zero": zero}
        runs = []
        for rho in rhos:
            if zero <= min(levels):
                nothing = {"status": "zero", "last_iteration": 0, "smallest": zero}
                runs.append((rho, dict.fromkeys(levels, (0, 0.0)), nothing))
                continue
            try:
                if not is_warm:
                    run(problem, method, None, rho, admm, max_iter=3)  # no measured time loads a kernel
                    is_warm = True
                found = first_below(
                    problem, certificate.objective, method, levels, max_iter, time_limit, rho, admm
                )
            except Exception as error:  # whatever a method throws is a result, as in methods.fit_once
                said = {"status": "failed", "message": f"{type(error).__name__}: {error}".splitlines()[0]}
                found = dict.fromkeys(levels, (math.inf, math.inf)), {"smallest": math.inf, **said}
            runs.append((rho, *found))
        for level in levels:
            best = min(runs, key=lambda ran: (ran[1][level][0], ran[2]["smallest"]))
            for ran in runs:
                rho, reached, ended = ran
                row = {"rho": rho, "level": level, "best_rho": ran is best}
                yield about | row | dict(zip(("iterations", "seconds"), reached[level], strict=True)) | ended


def run_experiment(settings, *, part, splits, **_):
    """Measure the block ``suboptimality`` on the first split of a data set; yields the table and its rows."""
    (split_data,) = splits
    X, y = (None, None) if split_data.missing_data else split_data.train()
    for features in settings["features"]:
        scaled = None if split_data.missing_data else scale_features(features, X)[0]
        for method in (name for name in METHODS if name in settings["methods"]):
            identity = {"dataset": part, "features": features, "method": method}
            if split_data.missing_data:
                yield "suboptimality", identity | split_data.missing_data
                continue
            limits = settings["max_iter"], settings["time_limit"]
            levels, rhos = (settings["alphas"], settings["levels"]), settings["rhos"].get(method, [])
            for row in suboptimality(scaled, y, method, *levels, rhos, *limits, settings["admm"]):
                yield "suboptimality", identity | row
