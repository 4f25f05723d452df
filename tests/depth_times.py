"""What a depth costs: ``python tests/depth_times.py [--push l1 l2] [--peer] results/data/NAME/arrays.npz``.

For each prepared list (the smaller class is positive, features standardised; sparse rows as they are) and
each depth: processor seconds of the exact solver of TopPush, or of the infinite push under these penalties,
one thread, medians of three runs (one if it takes three seconds) after a first fit that loads all code, the
ratio to those at depth 1, the seconds of a whole fit, the peak of the memory that the solver allocates over
the bytes of the data, the relative gap, and with ``--peer`` the seconds of Clarabel and of PIQP
(``pip install piqp``) on the same problem.
"""

import argparse
import csv
import sys
import time
import tracemalloc
import warnings
from functools import partial
from pathlib import Path
from statistics import median

import clarabel
import numpy as np
import scipy.sparse as sp

from toprank import InfinitePush, TopPush
from toprank.penalties import L1, SquaredL2
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.solvers import push_exact, row_generation

#: Numbers of negatives, and shares of them.
DEPTHS = (1, 10, 0.01, 0.1, 0.5)
#: Clarabel is stopped after so long; both peers end at this tolerance, which is Clarabel's default.
PEER_SECONDS, PEER_TOL = 100.0, 1e-8
#: Calls that take less in all are repeated.
N_RUNS, REPEATED_SECONDS = 3, 3.0
COLUMNS = (
    *("list", "rows", "alpha", "depth", "seconds", "ratio", "fit_seconds", "memory_ratio", "iterations"),
    *("relative_gap", "objective"),
)
PEER_COLUMNS = ("clarabel_seconds", "clarabel_objective", "piqp_seconds", "piqp_objective")
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


def make_program(problem):
    """Quadratic and linear terms, rows with their upper bounds, and which variables are non-negative.

    The smallest form: w and t; above depth 1 θ and the hinges of the negatives; the hinges of the positives;
    under an l1 norm the absolute values of w. A squared hinge need not be stated to be non-negative.
    """
    positives, negatives = sp.csc_array(problem.positives), sp.csc_array(problem.negatives)
    (m, d), n, eye = positives.shape, negatives.shape[0], sp.eye_array
    is_push, is_deep = isinstance(problem, PushRanking), problem.depth > 1
    k = d if is_push and problem.penalty.name == "l1" else 0
    # 1 + t − w'x ≤ hinge of a positive; at depth 1 w'x ≤ t; above w'x − θ ≤ hinge of a negative and
    # θ + mean of the hinges ≤ t; ±w ≤ its absolute value
    blocks = [[-positives, np.ones((m, 1)), -eye(m), None, None, None]]
    if is_deep:
        blocks.append([negatives, None, None, -np.ones((n, 1)), -eye(n), None])
        mean = np.full((1, n), 1.0 / problem.depth)
        blocks.append([None, -np.ones((1, 1)), None, np.ones((1, 1)), mean, None])
    else:
        blocks.append([negatives, -np.ones((n, 1)), None, None, None, None])
    blocks += [[sign * eye(d), None, None, None, None, -eye(d)] for sign in (1.0, -1.0) if k]
    columns = [0, 1, 2, *((3, 4) if is_deep else ()), *((5,) if k else ())]
    blocks = [[None if row[j] is None else sp.csc_array(row[j]) for j in columns] for row in blocks]
    n_deep = 1 + n if is_deep else 0
    ridge, square, slope = (0.0 if k else problem.alpha, 0.0 if is_push else 2.0 / m, 1.0 / m * is_push)
    quadratic = np.concatenate([np.full(d, ridge), [0.0], np.full(m, square), np.zeros(n_deep + k)])
    linear = np.concatenate([np.zeros(d + 1), np.full(m, slope), np.zeros(n_deep), np.full(k, problem.alpha)])
    is_hinge = np.concatenate([np.zeros(d + 1), np.full(m, is_push), np.ones(n_deep), np.zeros(k)]) > 0.0
    is_hinge[d + 1 + m : d + 2 + m] &= not is_deep  # θ
    rows = sp.block_array(blocks, format="csc")
    upper = np.concatenate([-np.ones(m), np.zeros(rows.shape[0] - m)])
    return sp.diags_array(quadratic).tocsc(), linear, rows, upper, is_hinge


def solve_by_clarabel(program):
    """Seconds and the value by Clarabel, called without CVXPY's compilation; NaN if it did not end."""
    quadratic, linear, rows, upper, is_hinge = program
    bounds = -sp.eye_array(linear.size, format="csr")[is_hinge]
    rows = sp.vstack([rows, bounds], format="csc")
    upper = np.concatenate([upper, np.zeros(bounds.shape[0])])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit, settings.max_threads = False, PEER_SECONDS, 1
    start = time.process_time()
    cones = [clarabel.NonnegativeConeT(upper.size)]
    solution = clarabel.DefaultSolver(quadratic, linear, rows, upper, cones, settings).solve()
    is_solved = str(solution.status) == "Solved"
    return time.process_time() - start, solution.obj_val if is_solved else np.nan


def solve_by_piqp(program):
    """Seconds and the value by PIQP to the same accuracy; NaN if it did not end."""
    import piqp

    quadratic, linear, rows, upper, is_hinge = program
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = PEER_TOL
    free = np.full(linear.size, np.inf)
    start = time.process_time()
    solver.setup(
        *(sp.csc_matrix(quadratic), linear, None, None, sp.csc_matrix(rows)),
        *(np.full(upper.size, -np.inf), upper, np.where(is_hinge, 0.0, -np.inf), free),
    )
    is_solved = solver.solve() == piqp.PIQP_SOLVED
    return time.process_time() - start, solver.result.info.primal_obj if is_solved else np.nan


def make_fit(classes, alpha, depth, penalty):
    """Return a function that fits the estimator, with its checks, offsets and warnings."""
    stack = sp.vstack if sp.issparse(classes[0]) else np.vstack
    y = np.repeat([1, 0], [rows.shape[0] for rows in classes])
    model = (TopPush() if penalty is None else InfinitePush(penalty)).set_params(alpha=alpha, depth=depth)
    return partial(model.fit, stack(classes), y)


def measure_seconds(function):
    """Median of the processor seconds of a few calls, or those of one long call, and the last result."""
    seconds = []
    while len(seconds) < N_RUNS and sum(seconds) < REPEATED_SECONDS:
        start = time.process_time()
        result = function()
        seconds.append(time.process_time() - start)
    return median(seconds), result


def measure_memory(function, classes):
    """Peak of the memory that a call allocates, in sizes of the data."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    parts = [[rows.data, rows.indices, rows.indptr] if sp.issparse(rows) else [rows] for rows in classes]
    return peak / sum(array.nbytes for arrays in parts for array in arrays)


def measure_list(file, options, penalty):
    """Yield a row for each alpha and depth."""
    classes = read_problem(file)
    m, n = (rows.shape[0] for rows in classes)
    for depth in (1.0, 3.0):
        make_fit([rows[:1500] for rows in classes], 0.01, depth, penalty)()
    for alpha in options.alphas:
        first = None
        for depth in DEPTHS:
            problem = make_problem(classes, alpha, float(depth if depth >= 1 else depth * n), penalty)
            seconds, solution = measure_seconds(lambda: solve(problem))  # noqa: B023
            fit_seconds, _ = measure_seconds(make_fit(classes, alpha, problem.depth, penalty))
            memory = measure_memory(lambda: solve(problem), classes)  # noqa: B023
            first, certificate = first or seconds, solution.certificate
            row = [Path(file).parent.name, m + n, alpha, depth, f"{seconds:.4f}", f"{seconds / first:.1f}"]
            row += [f"{fit_seconds:.4f}", f"{memory:.1f}", solution.n_iter]
            row += [f"{certificate.relative_gap:.0e}", f"{certificate.objective:.8f}"]
            if options.peer:
                program = make_program(problem)
                for solve_by_peer in (solve_by_clarabel, solve_by_piqp):
                    peer_seconds, value = solve_by_peer(program)
                    row += [f"{peer_seconds:.3f}", f"{value:.8f}"]
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
    columns = [*(["penalty"] if options.push else []), *COLUMNS]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, *(PEER_COLUMNS if options.peer else [])])
    for file in options.files:
        for penalty in options.push or [None]:
            for row in measure_list(file, options, penalty):
                writer.writerow([penalty, *row] if penalty else row)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
