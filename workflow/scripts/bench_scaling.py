"""Rule bench_scaling: how time grows with rows, features and queries, and what large sparse data take.

Each time is of one fit on generated data, in CPU seconds with one thread: the median of the repetitions, the
least and the most. The exponent is the slope of the logarithms of the medians. A large sparse fit is repeated
for the peak of the memory that it allocates.

Called without input, with ``params.repeats``, ``params.doublings`` (how often each size is doubled) and
``params.shapes`` (rows and features of the large sparse data). The output has a row a size.
"""

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from statistics import median
from time import process_time

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from reproduction.core.atomic_io import write_rows
from reproduction.statistics.paired_tests import log_log_slope
from toprank import InfinitePush, RankSVM, TopPush

COLUMNS = ("estimator", "grows", "size", "seconds", "least", "most", "exponent", "peak_mb", "status")
#: Smallest size of each sweep, which is doubled `params.doublings` times.
BASE_SIZES = {"rows": 1000, "features": 50, "queries": 50}
repeats, doublings = snakemake.params.repeats, snakemake.params.doublings


def draw_data(rows: int, features: int, queries: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw Gaussian rows of two classes, the first ten features of which tell them apart, in queries.

    Parameters
    ----------
    rows : int
        Number of rows.
    features : int
        Number of features, at least 10.
    queries : int, optional
        Number of queries.

    Returns
    -------
    tuple[ndarray, ndarray, ndarray]
        Features, classes and queries of the rows.
    """
    random = np.random.default_rng(20120626)
    X, y = random.normal(size=(rows, features)), np.arange(rows) // queries % 2
    X[y == 1, :10] += 1.2
    return X, y, np.arange(rows) % queries


def get_fits() -> dict[tuple[str, Callable], tuple[str, ...]]:
    """Return the sizes that grow for each estimator and the function that fits it.

    RankSVM and Infinite Push are fitted at a tenth of the lambda or alpha at which w leaves 0.

    Returns
    -------
    dict[tuple[str, Callable], tuple[str, ...]]
        (name of the estimator, function of X, y and qid) -> names of the sizes, keys of `BASE_SIZES`.
    """

    def rank_svm(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> RankSVM:
        """Fit l1 RankSVM at ten times the largest C for which w = 0 is optimal.

        Parameters
        ----------
        X : ndarray of shape (rows, features)
            Features.
        y : ndarray of shape (rows,)
            Classes, 0 or 1.
        qid : ndarray of shape (rows,)
            Query of each row.

        Returns
        -------
        RankSVM
            The fitted estimator.
        """
        return RankSVM(C=10.0 * RankSVM().C_zero_max(X, y, qid)).fit(X, y, qid)

    def infinite_push(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> InfinitePush:
        """Fit l1 Infinite Push at a tenth of the smallest alpha for which w = 0 is optimal.

        Parameters
        ----------
        X : ndarray of shape (rows, features)
            Features.
        y : ndarray of shape (rows,)
            Classes, 0 or 1.
        qid : ndarray of shape (rows,)
            Not used: the rows are one list.

        Returns
        -------
        InfinitePush
            The fitted estimator.
        """
        return InfinitePush(alpha=0.1 * InfinitePush().alpha_max(X, y)).fit(X, y)

    def top_push(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> TopPush:
        """Fit TopPush at alpha = 0.1; its ridge has no alpha for which w = 0 is optimal.

        Parameters
        ----------
        X : ndarray of shape (rows, features)
            Features.
        y : ndarray of shape (rows,)
            Classes, 0 or 1.
        qid : ndarray of shape (rows,)
            Not used: the rows are one list.

        Returns
        -------
        TopPush
            The fitted estimator.
        """
        return TopPush(alpha=0.1).fit(X, y)

    return {
        ("RankSVM", rank_svm): ("rows", "features", "queries"),
        ("InfinitePush", infinite_push): ("rows", "features"),
        ("TopPush", top_push): ("rows", "features"),
    }


def measure_growth() -> Iterator[tuple]:
    """Yield the times while one size at a time is doubled."""
    for (estimator, fit), size_names in get_fits().items():
        for name in size_names:
            sizes, seconds, rows = [], [], []
            # sizes double, so that the exponent is a slope over several octaves
            for k in range(doublings + 1):
                size = BASE_SIZES | {"queries": 1, name: BASE_SIZES[name] * 2**k}
                if name == "queries":
                    size["rows"] = 20 * size["queries"]  # each query has 20 rows
                data, times = draw_data(**size), []
                for _ in range(repeats):
                    start = process_time()
                    model = fit(*data)
                    times.append(process_time() - start)
                sizes.append(size[name])
                seconds.append(median(times))
                rows.append((estimator, name, size[name], seconds[-1], min(times), max(times)))
            exponent = log_log_slope(np.array(sizes), np.array(seconds))
            for row in rows:
                yield *row, exponent, "", model.certificate_.status


def fit_sparse(shape: tuple[int, int]) -> tuple[float, float, str]:
    """Fit a large CSR matrix, and return seconds, peak memory and status.

    Parameters
    ----------
    shape : tuple[int, int]
        Rows and features.

    Returns
    -------
    tuple[float, float, str]
        Seconds, megabytes that the fit allocates at its peak, and the status of the certificate.
    """
    random = np.random.default_rng(0)
    X = sp.random_array(shape, density=0.005, rng=random, format="csr")
    y = (X[:, :20].sum(axis=1) + 0.02 * random.normal(size=shape[0]) > 0.05).astype(int)
    qid = np.arange(shape[0]) % 50
    start = process_time()
    model = RankSVM(C=10.0 * RankSVM().C_zero_max(X, y, qid)).fit(X, y, qid)
    seconds = process_time() - start
    # a second fit, since the count of the memory takes time
    tracemalloc.start()
    model.fit(X, y, qid)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, peak, model.certificate_.status


def measure_sparse() -> Iterator[tuple]:
    """Fit sparse rows of thousands of features."""
    for shape in snakemake.params.shapes:
        seconds, peak, status = fit_sparse(tuple(shape))
        yield "RankSVM", "sparse", " x ".join(map(str, shape)), seconds, seconds, seconds, "", peak, status


warnings.simplefilter("ignore")
with threadpool_limits(1):
    for _, fit in get_fits():
        fit(*draw_data(100, 12, 5))  # compiles
    write_rows(snakemake.output[0], snakemake.log[0], COLUMNS, chain(measure_growth(), measure_sparse()))
