"""Rule bench_infinite_push: running times of the exact solver and of the projection against alternatives."""

import warnings
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from reproduction.core.atomic_io import write_rows
from reproduction.datasets.prepare import load_prepared
from toprank.penalties import L1
from toprank.problems.push import PushRanking
from toprank.projections import project_l1_inf_ball
from toprank.solvers import push_admm, push_exact
from toprank.solvers.regularisation_max import lambda_max

COLUMNS = ("subject", "problem", "seconds", "against", "against_seconds", "ratio", "remark")
repeats, patience = snakemake.params.repeats, snakemake.params.patience
random = np.random.default_rng(20120626)


def seconds(function, times=repeats):
    """Median time of calls, after a first one that compiles and fills caches."""
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
    """The paper's own algorithm, to the same gap or until the time limit."""
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


def highs(problem):
    """The linear program of m + n terms by HiGHS itself; its optimum, or None after the time limit."""
    positives, negatives = sp.csr_array(problem.positives), sp.csr_array(problem.negatives)
    (m, d), n = positives.shape, negatives.shape[0]
    one, hinges = lambda k: sp.csr_array(np.ones((k, 1))), sp.eye_array(m)
    # u, v, t and the hinges: w = u − v, and t is the highest score of a negative
    rows = [[-positives, positives, one(m), -hinges], [negatives, -negatives, -one(n), None]]
    program = linprog(
        np.concatenate([np.full(2 * d, problem.alpha), [0.0], np.full(m, 1.0 / m)]),
        A_ub=sp.block_array(rows, format="csc"),
        b_ub=np.concatenate([np.full(m, -1.0), np.zeros(n)]),
        bounds=[(0.0, None)] * (2 * d) + [(None, None)] + [(0.0, None)] * m,
        method="highs",
        options={"time_limit": patience},
    )
    return program.fun if program.status == 0 else None


def on_data_sets():
    """Real data, solvers in turn, in CPU seconds; one set has swapped labels, else its optimum is w = 0."""
    for name in snakemake.params.datasets:
        data = load_prepared(Path(snakemake.input[name]).parent)
        if data.manifest["status"] == "not obtained":
            continue
        X = sp.csr_array(data.X)
        spread = np.sqrt(X.multiply(X).mean(axis=0) - np.square(X.mean(axis=0)))
        X = X @ sp.diags_array(1.0 / np.where(spread > 0.0, spread, 1.0))
        X = X.tocsr() if X.nnz < 0.5 * np.prod(X.shape) else X.toarray()
        relevant = (data.y > 0) != (name == snakemake.params.turned)
        positives, negatives = X[relevant], X[~relevant]
        problem = PushRanking(positives, negatives, 0.05 * lambda_max(positives, negatives), L1())
        own, theirs = [], []
        for _ in range(3):
            for solve, times in ((push_exact.solve, own), (highs, theirs)):
                started = process_time()
                found = solve(problem)
                times.append(process_time() - started)
                if solve is push_exact.solve:
                    certificate = found.certificate
            if found is None:
                break
        remark = f"gap {certificate.relative_gap:.1e}"
        if found is None:
            remark += f", HiGHS not finished within {patience} s: the ratio is a lower bound"
        else:
            remark += f", relative difference of the optima {abs(certificate.objective - found) / found:.1e}"
        where = f"{name}, {positives.shape[0]} x {negatives.shape[0]} x {problem.n_features}"
        yield "exact l1", where, median(own), "HiGHS", median(theirs), remark


def many_pairs():
    """9e8 pairs, which no alternative here can solve."""
    problem = gaussians(30_000, 30_000, 60, 1.2)
    ours = seconds(lambda: push_exact.solve(problem), 3)
    w, certificate, n_iter = push_exact.solve(problem)
    remark = f"gap {certificate.relative_gap:.1e}, {n_iter} models, {np.count_nonzero(w)} features"
    yield "exact l1", "30000 x 30000 x 60", ours, "", None, remark


def projection():
    """The projection of a million entries, against one sort of them."""
    for shape in ((1000, 1000), (100, 10_000), (10_000, 100)):
        V = random.normal(size=shape)
        radius = 0.1 * np.abs(V).max(axis=0).sum()
        ours = seconds(lambda V=V, radius=radius: project_l1_inf_ball(V, radius))
        other = seconds(lambda V=V: np.sort(V, axis=None))
        size, remark = " x ".join(map(str, shape)), "radius a tenth of the norm"
        yield "project_l1_inf_ball", size, ours, "np.sort", other, remark


def compared():
    """Rows as they are written: seconds with four digits, and the ratio."""
    for part in (projection, against_a_linear_program, on_data_sets, many_pairs, against_algorithm_1):
        for subject, problem, ours, against, other, remark in part():
            ratio = "" if other is None else other / ours
            yield subject, problem, f"{ours:.4g}", against, other and f"{other:.4g}", ratio, remark


warnings.simplefilter("ignore")
write_rows(snakemake.output[0], snakemake.log[0], COLUMNS, compared())
