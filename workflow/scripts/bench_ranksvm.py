"""Rule bench_ranksvm: running times of sparse RankSVM, without pairs, against solvers on pairs and FISTA.

LinearSVC, cyanure and skglm get the explicit pairs, every second one with its sign flipped, so that there are
two classes; making them is not counted. Their tolerance is tightened until a run ends within 1e-6 of our
certified optimum, relative, and only this run is counted. (A limit on iterations does not work: with a
tolerance out of reach, LIBLINEAR never checks shrunken features again, and misses the optimum.) FISTA is
stopped at its first check within 1e-6. All but LinearSVC start from their solution at the previous lambda. If
a solver does not get there in time, the limit is a lower bound. Called with ``params.repeats`` (the median
counts), ``params.time_limit`` in seconds, and arrays and manifest of each data set as input, under its name.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from reproduction.core.atomic_io import write_rows
from reproduction.datasets.prepared_data import load_prepared
from reproduction.papers.laporte2014.constant.experiment import solve_to_level
from toprank import FISTA, RankSVM
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import fista, prox_newton

try:
    from cyanure.estimators import Classifier as Cyanure
except ImportError:  # not available for every Python
    Cyanure = None

try:
    from reproduction.benchmarks.peer_solvers import make_skglm_solver
except ImportError:  # the lock file has neither: pip install skglm piqp
    make_skglm_solver = None

COLUMNS = ("subject", "problem", "seconds", "against", "against_seconds", "ratio", "remark")
#: Relative excess over the optimum at which a run counts.
TARGET_EXCESS = 1e-6
#: A run is repeated if it takes at most so many seconds.
REPEAT_BELOW_S = 2.0
repeats, time_limit = snakemake.params.repeats, snakemake.params.time_limit
random = np.random.default_rng(20140624)


def measure_seconds(function: Callable[[], object], times: int = repeats) -> float:
    """Return the median time of calls in seconds, after a first one that compiles and fills caches."""
    function()
    return median(time_call(function)[0] for _ in range(times))


def time_call(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of one call, and what it returns."""
    started = perf_counter()
    returned = function()
    return perf_counter() - started, returned


def draw_queries(
    n_queries: int, mean_size: int = 40, n_features: int = 46
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw queries of half to one and a half times the mean size, three grades, ten relevant features.

    Parameters
    ----------
    n_queries, mean_size, n_features : int
        Number of queries, their mean number of documents, and the number of features, at least ten.
    """
    sizes = random.integers(mean_size // 2, mean_size + mean_size // 2 + 1, size=n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    X = random.random((qid.size, n_features))
    latent = X[:, :10].sum(axis=1) + random.normal(size=qid.size)
    return X, np.digitize(latent, np.quantile(latent, [0.75, 0.93])), qid


def load_first_fold(
    name: str, n_queries: int, mean_size: int
) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
    """Load the training part of LETOR's Fold 1; generated data of its shape if the set was not obtained.

    Parameters
    ----------
    name, n_queries, mean_size
        Name of the data set, and the queries and documents per query of the generated one.
    """
    data = load_prepared(Path(snakemake.input[name]).parent)
    if data.manifest["status"] == "not obtained":
        return f"generated in the shape of {name}", *draw_queries(n_queries, mean_size)
    rows = np.isin(data.part, (1, 2, 3))
    X = data.X[rows]
    return f"{name} Fold 1", X.toarray() if hasattr(X, "toarray") else X, data.y[rows], data.qid[rows]


def describe_shape(problem: PairwiseRanking) -> str:
    """Describe documents, features and pairs in words."""
    return f"{problem.X.shape[0]} x {problem.n_features}, {problem.n_preferences} pairs"


def fit_warm_path(fit: Callable, lambdas: Iterable[float]) -> list[tuple]:
    """Return seconds, certificate and weights at each lambda.

    Parameters
    ----------
    fit : Callable
        Function of lambda and the last weights (None at first); returns weights and certificate.
    lambdas : Iterable[float]
    """
    path, coef = [], None
    for weight in lambdas:
        time, (coef, certificate) = time_call(partial(fit, weight, coef))
        path.append((time, certificate, coef))
    return path


def build_pairs(problem: PairwiseRanking) -> tuple[np.ndarray, np.ndarray]:
    """Return rows x_better - x_worse with every second sign flipped, and the signs."""
    better, worse = [], []
    for first, last in zip(problem.starts[:-1], problem.starts[1:], strict=True):
        levels = problem.levels[first:last]
        i, j = np.nonzero(levels[:, None] > levels[None, :])
        better.append(first + i)
        worse.append(first + j)
    differences = problem.X[np.concatenate(better)] - problem.X[np.concatenate(worse)]
    signs = np.where(np.arange(len(differences)) % 2, 1, -1)
    return np.ascontiguousarray(differences * signs[:, None]), signs


def make_linear_svc(
    pairs: np.ndarray, signs: np.ndarray, weight: float, start: np.ndarray | None
) -> Callable[[float], tuple[int, np.ndarray]]:
    """Make a run of LIBLINEAR from 0; it has no time limit, so a pilot run sets its limit on iterations.

    Parameters
    ----------
    pairs : ndarray of shape (n_pairs, n_features)
    signs : ndarray of shape (n_pairs,)
    weight : float
        Lambda.
    start : ndarray of shape (n_features,) or None
        Not used.
    """
    model = LinearSVC(
        penalty="l1", loss="squared_hinge", dual=False, fit_intercept=False, C=1.0 / weight, random_state=0
    )
    model.set_params(tol=1e-12, max_iter=20)
    pilot, _ = time_call(lambda: model.fit(pairs, signs))
    model.set_params(max_iter=max(int(60 * time_limit / pilot), 20))

    def run(tol: float) -> tuple[int, np.ndarray]:
        """Fit at a tolerance; return the number of iterations and the weights."""
        model.set_params(tol=tol).fit(pairs, signs)
        return int(model.n_iter_), model.coef_.ravel()

    return run


def make_cyanure(
    pairs: np.ndarray, signs: np.ndarray, weight: float, start: np.ndarray | None
) -> Callable[[float], tuple[int, np.ndarray]]:
    """Make a run of cyanure, whose loss is half the mean of the squared hinges.

    Parameters
    ----------
    pairs, signs, weight, start
        As in `make_linear_svc`; with a ``start`` the run begins there.
    """

    def run(tol: float) -> tuple[int, np.ndarray]:
        """Fit at a tolerance; return the number of iterations and the weights."""
        model = Cyanure(
            loss="sqhinge",
            penalty="l1",
            fit_intercept=False,
            lambda_1=0.5 * weight / signs.size,
            tol=tol,
            max_iter=100_000,
            verbose=False,
            n_threads=1,
            warm_start=start is not None,
        )
        if start is not None:
            model.coef_ = start
        model.fit(pairs, signs)
        return int(model.n_iter_[0]), model.coef_.ravel()

    return run


def tighten_tolerance(
    run: Callable[[float], tuple[int, np.ndarray]], excess: Callable[[np.ndarray], float]
) -> tuple[float, int, np.ndarray | None]:
    """Return seconds, iterations and weights of the first run that ends near the optimum, or of the nearest.

    Between a tolerance that is too loose and one that takes too long, two more are tried.

    Parameters
    ----------
    run : Callable
        Function of a tolerance that returns the number of iterations and the weights.
    excess : Callable
        Function of the weights that returns the relative excess over the optimum.
    """
    tol, loose, tight, attempts, nearest = 0.1, 0.1, None, 2, (np.inf, 0, None)
    while True:
        time, (n_iter, coef) = time_call(partial(run, tol))
        distance = excess(coef)
        if distance <= TARGET_EXCESS:
            break
        nearest = min(nearest, (distance, n_iter, coef), key=lambda tried: tried[0])
        loose, tight = (tol, tight) if time <= time_limit else (loose, tol)
        attempts -= tight is not None
        if attempts < 0 or tol < 1e-12:
            return time_limit, *nearest[1:]
        tol = tol / 2.0 if tight is None else np.sqrt(loose * tight)
    if time <= REPEAT_BELOW_S:
        time = median([time, *(time_call(partial(run, tol))[0] for _ in range(repeats - 1))])
    return time, n_iter, coef


def run_fista(
    problem: PairwiseRanking, method: FISTA, weight: float, optimum: float, start: np.ndarray | None
) -> tuple:
    """Return seconds, iterations and weights of Algorithm 1 of L14, also without pairs."""
    options = {"max_iter": 10**9, "time_limit": time_limit, "certify": False, "method": method}
    weighted = problem.with_alpha(weight)
    return solve_to_level(fista.solve, weighted, optimum, TARGET_EXCESS, start=start, **options)[:3]


def benchmark_solvers() -> Iterator[tuple]:
    """Compare on three data sets, with about these numbers and sizes of queries in the training part."""
    for name, n_queries, mean_size in (("mq2008", 470, 20), ("ohsumed", 63, 152), ("mq2007", 1017, 41)):
        yield from benchmark_on_data(*load_first_fold(name, n_queries, mean_size))


def benchmark_on_data(name: str, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> Iterator[tuple]:
    """Compare on a path of ten values of lambda, to the same objective."""
    problem = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
    lambdas = problem.lambda_max() * np.logspace(-0.2, -3, 10)
    where = f"{name}, {describe_shape(problem)}"

    def newton(weight: float, start: np.ndarray | None) -> tuple:
        """Return weights and certificate of the proximal Newton method at a lambda."""
        solution = prox_newton.solve(problem.with_alpha(weight), start=start)
        return solution.w, solution.certificate

    fit_warm_path(newton, lambdas[:2])
    paths = [fit_warm_path(newton, lambdas) for _ in range(repeats)]
    ours = np.median([[time for time, _, _ in path] for path in paths], axis=0)
    total = median(sum(time for time, _, _ in path) for path in paths)
    optima = [certificate.objective for _, certificate, _ in paths[0]]
    pairs, signs = build_pairs(problem)

    def excess(weight: float, optimum: float, coef: np.ndarray) -> float:
        """Return the relative excess of the objective over the optimum."""
        return problem.with_alpha(weight).objective(coef) / optimum - 1.0

    def on_pairs(
        peer: Callable, weight: float, optimum: float, start: np.ndarray | None
    ) -> tuple[float, int, np.ndarray | None]:
        """Run a solver on the explicit pairs; return as `tighten_tolerance`."""
        return tighten_tolerance(peer(pairs, signs, weight, start), partial(excess, weight, optimum))

    peers = {"scikit-learn LinearSVC, pairs": partial(on_pairs, make_linear_svc)}
    if Cyanure is not None:
        peers["cyanure, pairs"] = partial(on_pairs, make_cyanure)
    if make_skglm_solver is not None:
        peers["skglm, pairs"] = partial(on_pairs, make_skglm_solver)
    peers |= {
        "FISTA of L14, trace constant": partial(run_fista, problem, FISTA(False, "trace")),
        "FISTA, exact constant, restart": partial(run_fista, problem, FISTA(True, "exact")),
    }
    for lipschitz in ("trace", "exact"):  # warms the kernels
        fista.solve(problem, max_iter=1, method=FISTA(lipschitz=lipschitz))
    for peer_name, peer in peers.items():
        start, theirs, n_reached = None, 0.0, 0
        for weight, optimum, own in zip(lambdas, optima, ours, strict=True):
            time, n_iter, start = peer(weight, optimum, start)
            distance = max(excess(weight, optimum, start), 0.0)
            remark = f"{distance:.1e} above the optimum after {n_iter} iterations"
            if distance <= 1.001 * TARGET_EXCESS:
                n_reached += 1
            else:
                remark += f", not nearer within {time_limit} s: the ratio is a lower bound"
            theirs += time
            share = weight / problem.lambda_max()
            yield f"l1 RankSVM, {share:.2g} lambda_max", where, own, peer_name, time, remark
        remark = f"within {TARGET_EXCESS:g} of the optimum at {n_reached} of {lambdas.size} lambda"
        if n_reached < lambdas.size:
            remark += ": the ratio is a lower bound"
        yield f"l1 RankSVM, path of {lambdas.size} lambda", where, total, peer_name, theirs, remark


def benchmark_gradient() -> Iterator[tuple]:
    """Time loss and gradient against the two products with X and one sort, which every method needs."""
    X, y, qid = draw_queries(1800)
    X, y, qid = X[:70_000], y[:70_000], qid[:70_000]
    problem = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
    w = random.normal(size=X.shape[1])
    scores = problem.X @ w
    slope = problem.loss(scores).slope
    times = 4 * repeats + 1
    ours = measure_seconds(lambda: problem.gradient(problem.loss(problem.X @ w)), times)
    parts = {
        "X @ w": measure_seconds(lambda: problem.X @ w, times),
        "X.T @ g": measure_seconds(lambda: problem.X.T @ slope, times),
        "np.argsort": measure_seconds(lambda: np.argsort(scores), times),
    }
    remark = ", ".join(f"{name} {1e3 * time:.3g} ms" for name, time in parts.items())
    yield "loss and gradient", describe_shape(problem), ours, ", ".join(parts), sum(parts.values()), remark


def time_long_path() -> Iterator[tuple]:
    """Time the twenty values of the study on its largest set, as a user fits them."""
    name, X, y, qid = load_first_fold("mq2007", 1017, 41)
    problem = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
    lambdas = problem.lambda_max() * np.logspace(-0.2, -5, 20)

    model = RankSVM()

    def ranksvm(weight: float, start: np.ndarray | None) -> tuple:
        """Return weights and certificate of the estimator at C = 1/lambda."""
        model.set_params(C=1.0 / weight, warm_start=start is not None).fit(X, y, qid)
        return model.coef_, model.certificate_

    fit_warm_path(ranksvm, lambdas[:2])
    paths = [fit_warm_path(ranksvm, lambdas) for _ in range(repeats)]
    total = median(sum(time for time, _, _ in path) for path in paths)
    kkt = max(certificate.kkt for _, certificate, _ in paths[0])
    gap = max(certificate.relative_gap for _, certificate, _ in paths[0])
    remark = f"largest kkt {kkt:.1e}, largest relative gap {gap:.1e}"
    where = f"{name}, {describe_shape(problem)}"
    yield f"l1 RankSVM, path of {lambdas.size} lambda", where, total, "", None, remark


def format_rows() -> Iterator[tuple]:
    """Yield the rows as they are written: seconds with four digits, and the ratio."""
    for benchmark in (benchmark_gradient, time_long_path, benchmark_solvers):
        for subject, problem, ours, peer, theirs, remark in benchmark():
            ratio = "" if theirs is None else theirs / ours
            yield subject, problem, f"{ours:.4g}", peer, theirs and f"{theirs:.4g}", ratio, remark


warnings.simplefilter("ignore")
with threadpool_limits(1):
    write_rows(snakemake.output[0], snakemake.log[0], COLUMNS, format_rows())
