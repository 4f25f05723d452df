"""Rule bench_top_push: exact TopPush against interior-point methods on its quadratic program.

Every solver runs with a sequence of tolerances. Its time at a level is that of its fastest run that ends
within this level of the certified optimum, relative. The time for building the program, or for our
preparation, is included.

Called with ``params.datasets``, ``params.alphas``, ``params.repeats`` (runs with each tolerance) and
``params.time_limit`` in seconds; the inputs are the arrays of each data set, under its name. The output has a
row a data set, alpha, level and solver.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from reproduction.core.atomic_io import write_rows
from reproduction.datasets.prepared_data import load_prepared
from toprank.problems.top import TopRanking
from toprank.solvers import row_generation

try:
    from reproduction.benchmarks.peer_solvers import solve_with_clarabel, solve_with_piqp
except ImportError:  # the lock file has neither: pip install skglm piqp
    print("No other solver is included: pip install skglm piqp", file=sys.stderr)
    PEERS = {}
else:
    PEERS = {"PIQP": solve_with_piqp, "Clarabel": solve_with_clarabel}

COLUMNS = ("problem", "alpha", "level", "seconds", "against", "against_seconds", "ratio")
#: Relative suboptimalities to which times are compared; the last is the tolerance of our exact solver.
LEVELS = (1e-2, 1e-4, 1e-6, 1e-8)
#: Tolerances of a solver, tried in turn: its own measure says little of its distance in the objective.
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
repeats, time_limit, alphas = snakemake.params.repeats, snakemake.params.time_limit, snakemake.params.alphas


def solve_exactly(problem: TopRanking, tol: float) -> np.ndarray:
    """Minimise with our exact solver; returns w.

    Parameters
    ----------
    problem : TopRanking
        The problem.
    tol : float
        Relative gap.

    Returns
    -------
    ndarray
        Weights.
    """
    return row_generation.solve(problem, tol=tol).w


def measure_levels(solve: Callable, problem: TopRanking, optimum: float) -> dict[float, float]:
    """Return the seconds at each level; infinity if no tolerance reaches it within the time limit.

    Parameters
    ----------
    solve : Callable
        Function of problem and tolerance that returns weights.
    problem : TopRanking
        The problem.
    optimum : float
        Certified optimum.

    Returns
    -------
    dict[float, float]
        Level of relative suboptimality -> seconds.
    """
    fastest = dict.fromkeys(LEVELS, np.inf)
    for tol in TOLERANCES:
        times, start = [], process_time()
        # repeated as long as the time limit allows
        while len(times) < repeats and process_time() - start < time_limit:
            started = process_time()
            w = solve(problem, tol)
            times.append(process_time() - started)
        excess = problem.objective(w) / optimum - 1.0
        # the fastest tolerance that reaches a level counts for it: a solver's own measure is not ours
        fastest = {level: min(s, median(times)) if excess <= level else s for level, s in fastest.items()}
        if np.isfinite(fastest[LEVELS[-1]]) or times[0] > time_limit:
            break
    return fastest


def benchmark() -> Iterator[tuple]:
    """Compare on each data set, at each alpha."""
    for name in snakemake.params.datasets:
        data = load_prepared(Path(snakemake.input[name]).parent)
        if data.manifest["status"] == "not obtained":
            continue
        for alpha in alphas:
            problem = TopRanking.from_labels(data.X, data.y, alpha)
            # an optimum two digits more accurate than the strictest level
            optimum = row_generation.solve(problem, tol=1e-10).certificate.objective
            own = measure_levels(solve_exactly, problem, optimum)
            for peer, solve in PEERS.items():
                theirs = measure_levels(solve, problem, optimum)
                for level in LEVELS:
                    yield name, alpha, level, own[level], peer, theirs[level], theirs[level] / own[level]


warnings.simplefilter("ignore")
with threadpool_limits(1):
    write_rows(snakemake.output[0], snakemake.log[0], COLUMNS, benchmark())
