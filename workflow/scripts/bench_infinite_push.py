"""Rule bench_infinite_push: the exact solver and the projection against what else would do the work."""

import csv
import warnings
from pathlib import Path
from statistics import median
from time import perf_counter

import cvxpy as cp
import numpy as np

from reproduction.whole import whole
from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.projections import project_l1_inf_ball
from toprank.solvers import push_admm, push_exact
from toprank.solvers.zero_optimum import lambda_max

COLUMNS = ("subject", "problem", "seconds", "against", "against_seconds", "ratio", "remark")
repeats, patience = snakemake.params.repeats, snakemake.params.patience
random = np.random.default_rng(20120626)


def seconds(function, times=repeats):
    """Median time of calls, after one that warms what there is to warm."""
    function()
    measured = []
    for _ in range(times):
        started = perf_counter()
        function()
        measured.append(perf_counter() - started)
    return median(measured)


def gaussians(m, n, d, shift):
    """Two Gaussian classes; the first ten features tell them apart."""
    positives, negatives = random.normal(size=(m, d)), random.normal(size=(n, d))
    positives[:, : min(d, 10)] += shift
    threshold = lambda_max(positives, negatives) / 2
    return PushRanking(positives, negatives, 0.1 * threshold, L1())


def against_algorithm_1():
    """The paper's own algorithm, to the same gap or to the end of our patience."""
    problem = gaussians(157, 88, 33, 0.5)  # the training part of ionosphere: 245 rows, 33 features
    ours = seconds(lambda: push_exact.solve(problem))
    _, exact, _ = push_exact.solve(problem)
    for prox in ("douglas-rachford", "exact"):
        started = perf_counter()
        _, certificate, n_iter = push_admm.solve(
            problem, prox=prox, tol=1e-8, max_iter=10**9, time_limit=patience
        )
        other = perf_counter() - started
        remark = (
            f"gap {exact.relative_gap:.1e} against {certificate.relative_gap:.1e} after {n_iter} iterations"
        )
        yield "exact l1", "157 x 88 x 33", ours, f"Algorithm 1, prox {prox}", other, remark


def against_a_linear_program():
    """CVXPY with HiGHS on the linear program of m + n terms."""
    problem = gaussians(2000, 3000, 60, 1.0)
    ours = seconds(lambda: push_exact.solve(problem))
    _, certificate, _ = push_exact.solve(problem)

    def linear_program():
        w = cp.Variable(problem.n_features)
        hinge = cp.pos(1 + cp.max(problem.negatives @ w) - problem.positives @ w)
        program = cp.Problem(cp.Minimize(problem.alpha * cp.norm1(w) + cp.sum(hinge) / 2000))
        return program.solve(solver=cp.HIGHS)

    value = linear_program()
    other = seconds(linear_program, 3)
    remark = f"relative difference of the optima {abs(certificate.objective - value) / value:.1e}"
    yield "exact l1", "2000 x 3000 x 60", ours, "CVXPY + HiGHS", other, remark


def many_pairs():
    """Nothing else solves 9e8 pairs here."""
    problem = gaussians(30_000, 30_000, 60, 1.2)
    ours = seconds(lambda: push_exact.solve(problem), 3)
    w, certificate, n_iter = push_exact.solve(problem)
    remark = f"gap {certificate.relative_gap:.1e}, {n_iter} models, {np.count_nonzero(w)} features"
    yield "exact l1", "30000 x 30000 x 60", ours, "", None, remark


def projection():
    """A million entries, against one sort of them."""
    for shape in ((1000, 1000), (100, 10_000), (10_000, 100)):
        V = random.normal(size=shape)
        radius = 0.1 * np.abs(V).max(axis=0).sum()
        ours = seconds(lambda V=V, radius=radius: project_l1_inf_ball(V, radius))
        other = seconds(lambda V=V: np.sort(V, axis=None))
        yield (
            "project_l1_inf_ball",
            " x ".join(map(str, shape)),
            ours,
            "np.sort",
            other,
            "radius a tenth of the norm",
        )


warnings.simplefilter("ignore")
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    whole(snakemake.output[0]) as unfinished,
    unfinished.open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for part in (projection, against_a_linear_program, many_pairs, against_algorithm_1):
        for subject, problem, ours, against, other, remark in part():
            ratio = "" if other is None else f"{other / ours:.3g}"
            row = (subject, problem, f"{ours:.4g}", against, other and f"{other:.4g}", ratio, remark)
            writer.writerow(row)
            print(*row, sep="; ", file=log, flush=True)
