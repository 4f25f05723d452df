"""Rule bench_infinite_push: running times of the exact solver and of the projection against alternatives.

The exact solver runs against Algorithm 1 of R12, against CVXPY with HiGHS on generated data, and against
HiGHS itself on the data sets of ``params.datasets`` (in ``params.turned`` the classes are exchanged); the
projection on the ball of the l1-inf norm against a sort. Times are medians of ``params.repeats`` calls after
a first one, and of three in turn on data sets; ``params.time_limit`` is in seconds. The inputs are the arrays
of each data set, under its name; one that was not obtained is left out. The output has a row a comparison.
"""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from reproduction.benchmarks.push_linear_programs import FORMS, solve_with_highs
from reproduction.core.atomic_io import write_rows
from reproduction.datasets.prepared_data import load_prepared
from toprank import InfinitePush
from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.projections import project_l1_inf_ball
from toprank.solvers import push_admm, push_exact
from toprank.solvers.regularisation_max import lambda_max
from toprank.solvers.solver_specs import PairADMM

COLUMNS = ("subject", "problem", "seconds", "against", "against_seconds", "ratio", "remark")
repeats, time_limit = snakemake.params.repeats, snakemake.params.time_limit
# a fixed seed: each run of the race has the same problems
random = np.random.default_rng(20120626)


def measure_seconds(function: Callable[[], object], repetitions: int = repeats) -> float:
    """Return the median time of calls in seconds, after a first one that compiles and fills caches.

    Parameters
    ----------
    function : Callable[[], object]
        What is timed.
    repetitions : int, optional
        Number of timed calls.

    Returns
    -------
    float
        Seconds.
    """
    function()
    times = []
    for _ in range(repetitions):
        started = perf_counter()
        function()
        times.append(perf_counter() - started)
    return median(times)


def draw_gaussians(m: int, n: int, d: int, shift: float) -> PushRanking:
    """Draw two Gaussian classes; the first ten features tell them apart.

    Parameters
    ----------
    m : int
        Number of positives.
    n : int
        Number of negatives.
    d : int
        Number of features.
    shift : float
        Distance of the classes along each of the ten features.

    Returns
    -------
    PushRanking
        Problem with the l1 penalty at a twentieth of the smallest weight for which w = 0 is optimal.
    """
    positives, negatives = random.normal(size=(m, d)), random.normal(size=(n, d))
    positives[:, : min(d, 10)] += shift
    # the weight of the penalty for the hinge is half of that for the squared hinge
    threshold = lambda_max(positives, negatives) / 2
    return PushRanking(positives, negatives, 0.1 * threshold, L1())


def benchmark_algorithm_1() -> Iterator[tuple]:
    """Time the paper's own algorithm, to the same gap or until the time limit."""
    problem = draw_gaussians(157, 88, 33, 0.5)  # the training part of ionosphere: 245 rows, 33 features
    ours = measure_seconds(lambda: push_exact.solve(problem))
    _, exact, _ = push_exact.solve(problem)
    for prox in ("douglas-rachford", "exact"):
        # wall time of one run: a run to the limit of seconds is not repeated
        started = perf_counter()
        _, certificate, n_iter = push_admm.solve(
            problem, method=PairADMM(prox), tol=1e-8, max_iter=10**9, time_limit=time_limit
        )
        theirs = perf_counter() - started
        remark = (
            f"gap {exact.relative_gap:.1e} against {certificate.relative_gap:.1e} after {n_iter} iterations"
        )
        yield "exact l1", "157 x 88 x 33", ours, f"Algorithm 1, prox {prox}", theirs, remark


def benchmark_linear_program() -> Iterator[tuple]:
    """Time CVXPY with HiGHS on the linear program of m + n terms."""
    problem = draw_gaussians(2000, 3000, 60, 1.0)
    ours = measure_seconds(lambda: push_exact.solve(problem))
    _, certificate, _ = push_exact.solve(problem)

    def linear_program() -> float:
        """Solve the linear program with CVXPY and HiGHS, and return its optimum."""
        w = cp.Variable(problem.n_features)
        hinge = cp.pos(1 + cp.max(problem.negatives @ w) - problem.positives @ w)
        program = cp.Problem(cp.Minimize(problem.alpha * cp.norm1(w) + cp.sum(hinge) / 2000))
        return program.solve(solver=cp.HIGHS)

    value = linear_program()
    theirs = measure_seconds(linear_program, 3)
    remark = f"relative difference of the optima {abs(certificate.objective - value) / value:.1e}"
    yield "exact l1", "2000 x 3000 x 60", ours, "CVXPY + HiGHS", theirs, remark


def benchmark_on_data_sets() -> Iterator[tuple]:
    """Time fits in turn on real data, in CPU seconds; one set has swapped labels, or w = 0 is best.

    HiGHS gets the primal and the dual program, each by two methods, from the rows on. Each form has a row.
    """
    for name in snakemake.params.datasets:
        data = load_prepared(Path(snakemake.input[name]).parent)
        if data.manifest["status"] == "not obtained":
            continue
        X = sp.csr_array(data.X)
        # unit variance without centring, so that sparse rows stay sparse
        scale = np.sqrt(X.multiply(X).mean(axis=0) - np.square(X.mean(axis=0)))
        X = X @ sp.diags_array(1.0 / np.where(scale > 0.0, scale, 1.0))
        # sparse only where at least half of the entries are 0, as a user would store it
        X = X.tocsr() if X.nnz < 0.5 * np.prod(X.shape) else X.toarray()
        relevant = (data.y > 0) != (name == snakemake.params.turned)
        model = InfinitePush(alpha=0.05 * lambda_max(X[relevant], X[~relevant]))
        model.fit(X, relevant)  # compiles
        m, n = np.count_nonzero(relevant), np.count_nonzero(~relevant)
        for form, method in FORMS:
            own, theirs = [], []
            # in turn, so that both meet the same load of the machine
            for _ in range(3):
                started = process_time()
                model.fit(X, relevant)
                middle = process_time()
                optimum = solve_with_highs(X, relevant, model.alpha, form, method, time_limit)
                own.append(middle - started)
                theirs.append(process_time() - middle)
                if optimum is None:
                    break
            remark = f"fit against fit, gap {model.certificate_.relative_gap:.1e}"
            if optimum is None:
                remark += f", HiGHS not finished within {time_limit} s: the ratio is a lower bound"
            else:
                difference = abs(model.certificate_.objective - optimum) / optimum
                remark += f", relative difference of the optima {difference:.1e}"
            where = f"{name}, {m} x {n} x {X.shape[1]}"
            yield "exact l1", where, median(own), f"HiGHS, {form} program, {method}", median(theirs), remark


def time_many_pairs() -> Iterator[tuple]:
    """Time a problem of 9e8 pairs, which no alternative here can solve."""
    problem = draw_gaussians(30_000, 30_000, 60, 1.2)
    ours = measure_seconds(lambda: push_exact.solve(problem), 3)
    w, certificate, n_iter = push_exact.solve(problem)
    remark = f"gap {certificate.relative_gap:.1e}, {n_iter} models, {np.count_nonzero(w)} features"
    yield "exact l1", "30000 x 30000 x 60", ours, "", None, remark


def benchmark_projection() -> Iterator[tuple]:
    """Time the projection of a million entries against one sort of them."""
    for shape in ((1000, 1000), (100, 10_000), (10_000, 100)):
        V = random.normal(size=shape)
        # a tenth of the norm of V: nearly every column is clipped
        radius = 0.1 * np.abs(V).max(axis=0).sum()
        ours = measure_seconds(lambda V=V, radius=radius: project_l1_inf_ball(V, radius))
        theirs = measure_seconds(lambda V=V: np.sort(V, axis=None))
        size, remark = " x ".join(map(str, shape)), "radius a tenth of the norm"
        yield "project_l1_inf_ball", size, ours, "np.sort", theirs, remark


def format_rows() -> Iterator[tuple]:
    """Yield the rows as they are written: seconds with four digits, and the ratio."""
    for benchmark in (
        benchmark_projection,
        benchmark_linear_program,
        benchmark_on_data_sets,
        time_many_pairs,
        benchmark_algorithm_1,
    ):
        for subject, problem, ours, peer, theirs, remark in benchmark():
            ratio = "" if theirs is None else theirs / ours
            yield subject, problem, f"{ours:.4g}", peer, theirs and f"{theirs:.4g}", ratio, remark


warnings.simplefilter("ignore")
write_rows(snakemake.output[0], snakemake.log[0], COLUMNS, format_rows())
