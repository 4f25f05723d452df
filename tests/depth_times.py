"""What a depth costs: ``python tests/depth_times.py [--push l1 l2] [--peer] results/data/NAME/arrays.npz``.

For each prepared list (the smaller class is positive, features standardised; sparse rows as they are) and
each depth: processor seconds of the exact TopPush, or of the infinite push under these penalties, one thread,
after a first fit that loads all code, the ratio to those at depth 1, the relative gap, and with ``--peer``
the seconds of Clarabel on the same problem, called without CVXPY's compilation and stopped after 100 seconds.
"""

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path

import clarabel
import numpy as np
import scipy.sparse as sp

from toprank.penalties import L1, SquaredL2
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.solvers import push_exact, row_generation

#: Numbers of negatives, and shares of them.
DEPTHS = (1, 10, 0.01, 0.1, 0.5)
PEER_SECONDS = 100.0
PENALTIES = {"l1": L1(), "l2": SquaredL2()}


def read_problem(path):
    """Positives and negatives, dense or CSR."""
    with np.load(path) as file:
        stored = {name: file[name] for name in file.files}
    if "X_data" in stored:
        parts = stored["X_data"], stored["X_indices"], stored["X_indptr"]
        X = sp.csr_array(parts, shape=tuple(stored["X_shape"]))
    else:
        X = stored["X"] if "X" in stored else np.load(Path(path).with_name("X.npy"))
        X = X.astype(float)
        X -= X.mean(axis=0)
        X /= np.where(X.std(axis=0) > 0.0, X.std(axis=0), 1.0)
    positive = stored["y"] > stored["y"].min()
    positive = positive if positive.mean() <= 0.5 else ~positive
    return X[positive], X[~positive]


def make_problem(classes, alpha, depth, penalty):
    """Compute the objective of TopPush (K15 eq. 11) or, under a penalty, of the infinite push (R12 eq. 2)."""
    if penalty is None:
        return TopRanking(*classes, alpha, depth)
    return PushRanking.from_classes(*classes, alpha, PENALTIES[penalty], depth)


def solve(problem):
    """The exact solver's solution."""
    is_push = isinstance(problem, PushRanking)
    return (push_exact if is_push else row_generation).solve(problem, time_limit=PEER_SECONDS)


def solve_by_clarabel(problem):
    """Seconds, and the value, of the problem in its smallest conic form: w, t, θ, hinges of both classes."""
    (m, d), n = problem.positives.shape, problem.negatives.shape[0]
    positives, negatives = sp.csc_array(problem.positives), sp.csc_array(problem.negatives)
    is_push = isinstance(problem, PushRanking)
    is_norm = is_push and problem.penalty.name == "l1"
    k, eye = d if is_norm else 0, sp.eye_array
    # 1 + t − w'x ≤ hinge of a positive, hinge ≥ 0; w'x − θ ≤ hinge of a negative, hinge ≥ 0; θ + mean ≤ t;
    # under an l1 norm ±w ≤ its absolute value
    blocks = [
        [-positives, np.ones((m, 1)), None, -eye(m), None, None],
        [None, None, None, -eye(m), None, None],
        [negatives, None, -np.ones((n, 1)), None, -eye(n), None],
        [None, None, None, None, -eye(n), None],
        [None, -np.ones((1, 1)), np.ones((1, 1)), None, np.full((1, n), 1.0 / problem.depth), None],
        *([sign * eye(d), None, None, None, None, -eye(d)] for sign in (1.0, -1.0) if is_norm),
    ]
    blocks = blocks if is_norm else [row[:-1] for row in blocks]
    bound = np.concatenate([-np.ones(m), np.zeros(m + 2 * n + 1 + 2 * k)])
    ridge, square, slope = (0.0 if is_norm else problem.alpha, 0.0 if is_push else 2.0 / m, 1.0 / m * is_push)
    quadratic = np.concatenate([np.full(d, ridge), [0.0, 0.0], np.full(m, square), np.zeros(n + k)])
    cost = np.concatenate([np.zeros(d + 2), np.full(m, slope), np.zeros(n), np.full(k, problem.alpha)])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit, settings.max_threads = False, PEER_SECONDS, 1
    matrix = sp.block_array(
        [[b if b is None else sp.csc_array(b) for b in row] for row in blocks], format="csc"
    )
    start = time.process_time()
    solution = clarabel.DefaultSolver(
        sp.csc_array(sp.diags_array(quadratic)),
        cost,
        matrix,
        bound,
        [clarabel.NonnegativeConeT(bound.size)],
        settings,
    ).solve()
    is_solved = str(solution.status) == "Solved"
    return time.process_time() - start, solution.obj_val if is_solved else np.nan


def measure_list(file, options, penalty):
    """Yield a row for each alpha and depth."""
    classes = read_problem(file)
    m, n = (rows.shape[0] for rows in classes)
    for depth in (1.0, 3.0):
        solve(make_problem([rows[:1500] for rows in classes], 0.01, depth, penalty))
    for alpha in options.alphas:
        first = None
        for depth in DEPTHS:
            problem = make_problem(classes, alpha, float(depth if depth >= 1 else depth * n), penalty)
            start = time.process_time()
            solution = solve(problem)
            seconds = time.process_time() - start
            first, certificate = first or seconds, solution.certificate
            row = [Path(file).parent.name, m + n, alpha, depth, f"{seconds:.3f}"]
            row += [f"{seconds / first:.1f}", solution.n_iter, f"{certificate.relative_gap:.0e}"]
            row += [f"{certificate.objective:.8f}"]
            if options.peer:
                peer_seconds, value = solve_by_clarabel(problem)
                row += [f"{peer_seconds:.2f}", f"{value:.8f}"]
            yield row


def main():
    """Print a row for each list, penalty, alpha and depth, as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--push", nargs="+", choices=PENALTIES, metavar="PENALTY")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--alphas", type=float, nargs="+", default=[0.1, 0.001])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = ["list", "rows", "alpha", "depth", "seconds", "ratio", "iterations", "relative_gap"]
    columns = [*(["penalty"] if options.push else []), *columns, "objective"]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, *(["peer_seconds", "peer_objective"] if options.peer else [])])
    for file in options.files:
        for penalty in options.push or [None]:
            for row in measure_list(file, options, penalty):
                writer.writerow([penalty, *row] if penalty else row)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
