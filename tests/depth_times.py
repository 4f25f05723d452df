"""What a depth costs: ``python tests/depth_times.py [--peer] results/data/NAME/arrays.npz ...``.

For each prepared list (the smaller class is positive, features standardised; sparse rows as they are) and
each depth: processor seconds of the exact TopPush, one thread, after a first fit that loads all code, the
ratio to those at depth 1, the relative gap, and with ``--peer`` the seconds of Clarabel on the same problem,
called without CVXPY's compilation and stopped after 100 seconds.
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

from toprank.problems.top import TopRanking
from toprank.solvers.row_generation import solve

#: Numbers of negatives, and shares of them.
DEPTHS = (1, 10, 0.01, 0.1, 0.5)
PEER_SECONDS = 100.0


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


def solve_by_clarabel(problem):
    """Seconds, and the value, of the problem in its smallest conic form: w, t, θ, hinges of both classes."""
    (m, d), n = problem.positives.shape, problem.negatives.shape[0]
    positives, negatives = sp.csc_array(problem.positives), sp.csc_array(problem.negatives)
    # 1 + t − w'x ≤ hinge of a positive, hinge ≥ 0; w'x − θ ≤ hinge of a negative, hinge ≥ 0; θ + mean ≤ t
    blocks = [
        [-positives, np.ones((m, 1)), None, -sp.eye_array(m), None],
        [None, None, None, -sp.eye_array(m), None],
        [negatives, None, -np.ones((n, 1)), None, -sp.eye_array(n)],
        [None, None, None, None, -sp.eye_array(n)],
        [None, -np.ones((1, 1)), np.ones((1, 1)), None, np.full((1, n), 1.0 / problem.depth)],
    ]
    bound = np.concatenate([-np.ones(m), np.zeros(m + 2 * n + 1)])
    quadratic = np.concatenate([np.full(d, problem.alpha), [0.0, 0.0], np.full(m, 2.0 / m), np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit, settings.max_threads = False, PEER_SECONDS, 1
    matrix = sp.block_array(
        [[b if b is None else sp.csc_array(b) for b in row] for row in blocks], format="csc"
    )
    start = time.process_time()
    solution = clarabel.DefaultSolver(
        sp.csc_array(sp.diags_array(quadratic)),
        np.zeros(d + 2 + m + n),
        matrix,
        bound,
        [clarabel.NonnegativeConeT(bound.size)],
        settings,
    ).solve()
    is_solved = str(solution.status) == "Solved"
    return time.process_time() - start, solution.obj_val if is_solved else np.nan


def main():
    """Print a row for each list, alpha and depth, as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--alphas", type=float, nargs="+", default=[0.1, 0.001])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = ["list", "rows", "alpha", "depth", "seconds", "ratio", "iterations", "relative_gap"]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, "objective", *(["peer_seconds", "peer_objective"] if options.peer else [])])
    for file in options.files:
        positives, negatives = read_problem(file)
        n = negatives.shape[0]
        for depth in (1.0, 3.0):
            solve(TopRanking(positives[:50], negatives[:50], 0.01, depth))
        for alpha in options.alphas:
            first = None
            for depth in DEPTHS:
                problem = TopRanking(positives, negatives, alpha, float(depth if depth >= 1 else depth * n))
                start = time.process_time()
                solution = solve(problem)
                seconds = time.process_time() - start
                first, certificate = first or seconds, solution.certificate
                row = [Path(file).parent.name, positives.shape[0] + n, alpha, depth, f"{seconds:.3f}"]
                row += [f"{seconds / first:.1f}", solution.n_iter, f"{certificate.relative_gap:.0e}"]
                row += [f"{certificate.objective:.8f}"]
                if options.peer:
                    peer_seconds, value = solve_by_clarabel(problem)
                    row += [f"{peer_seconds:.2f}", f"{value:.8f}"]
                writer.writerow(row)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
