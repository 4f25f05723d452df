"""What the ridge models cost on wide sparse data: ``python tests/wide_times.py > docs/wide_times.csv``.

`TopPush`, `InfinitePush` and `RankSVM` under the ridge on the drawn fingerprints and texts of `push_times`:
processor seconds of one thread of a fit with ``alpha="auto"``, and at the alpha which that finds, beside
scikit-learn's logistic regression under the same penalty (at its default tolerance, and to the gap of our
own fits, as in `push_times`), and the peak of the memory that a fit allocates over the bytes of the data. Of
`RankSVM` a fit with ``C="auto"``, and at once, ten and a hundred times the C which that finds.
"""

import csv
import sys
import tracemalloc
import warnings

from push_times import DATA_MAKERS, N_RUNS, measure, measure_peer
from sklearn.linear_model import LogisticRegression

from toprank import InfinitePush, RankSVM, TopPush

COLUMNS = (
    *("data", "rows", "features", "positives", "model", "setting", "strength", "auto_seconds", "seconds"),
    *("peer_seconds", "ratio", "peer_gap", "accurate_peer_seconds", "accurate_ratio"),
    *("memory_ratio", "relative_gap", "status"),
)
NAMES = ("fingerprints, 50 positives", "fingerprints, 300 positives", "texts")
MODELS = {"TopPush": TopPush, "ridge push": lambda **options: InfinitePush("l2", **options)}
DEPTHS = (1, 0.1)
RANK_MODEL, C_FACTORS = "ℓ₂ RankSVM", (1.0, 10.0, 100.0)


def measure_memory(function, X):
    """Peak of the memory that a call allocates, in sizes of the data."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def compare(seconds, peer_numbers):
    """The cells of a row on the peer."""
    default, gap, accurate = peer_numbers
    return [default, seconds / default, gap, accurate, seconds / accurate]


def measure_models(name, X, y):
    """Yield the rows of a drawn set."""
    is_slow = X.shape[1] > 10_000
    peer_numbers = measure_peer(LogisticRegression(max_iter=10_000), X, y)
    for model_name, make_model in MODELS.items():
        for depth in DEPTHS:
            automatic = make_model(depth=depth).fit(X, y)  # compiles
            fixed = make_model(depth=depth, alpha=automatic.alpha_)
            fits = [lambda: automatic.fit(X, y), lambda: fixed.fit(X, y)]  # noqa: B023
            (auto_seconds, seconds), _ = measure(fits, 1 if is_slow else N_RUNS)
            memory = measure_memory(fits[1], X)
            gap = max(fixed.certificate_.relative_gap, 0.0)
            row = [name, *X.shape, int(y.sum()), model_name, depth, fixed.alpha_, auto_seconds, seconds]
            yield [*row, *compare(seconds, peer_numbers), memory, gap, fixed.certificate_.status]
    automatic = RankSVM("l2").fit(X, y)  # compiles
    (auto_seconds,), _ = measure([lambda: automatic.fit(X, y)], 1 if is_slow else N_RUNS)
    for factor in C_FACTORS:
        fixed = RankSVM("l2", C=factor * automatic.C_)
        fixed.fit(X, y)
        (seconds,), _ = measure([lambda: fixed.fit(X, y)], 1 if is_slow else N_RUNS)  # noqa: B023
        memory = measure_memory(lambda: fixed.fit(X, y), X)  # noqa: B023
        gap = max(fixed.certificate_.relative_gap, 0.0)
        row = [name, *X.shape, int(y.sum()), RANK_MODEL, f"{factor:g} C", fixed.C, auto_seconds, seconds]
        yield [*row, *compare(seconds, peer_numbers), memory, gap, fixed.certificate_.status]


def main():
    """Print the rows of all sets."""
    warnings.simplefilter("ignore")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in NAMES:
        for row in measure_models(name, *DATA_MAKERS[name]()):
            writer.writerow([f"{cell:.3g}" if isinstance(cell, float) else cell for cell in row])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
