"""What the l1 infinite push costs on wide data: ``python tests/push_times.py``.

Prints the rows of docs/push_times.csv: processor seconds of one thread on drawn sets, medians of the runs, of
fits beside scikit-learn's logistic regression under the l1 norm, and of alpha_max. The peer is timed at its
default tolerance, and to the relative gap of our own fits, which is measured against its most accurate one.
"""

import csv
import sys
import warnings
from functools import partial
from statistics import median
from time import process_time

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from toprank import InfinitePush

COLUMNS = (
    *("data", "rows", "features", "positives", "share", "kind", "seconds"),
    *("peer", "peer_seconds", "ratio", "peer_gap", "accurate_peer_seconds", "accurate_ratio"),
    *("features_used", "relative_gap"),
)
N_RUNS = 3
#: Penalties of the peer; the slowest is taken.
PEER_CS = (0.1, 1.0, 10.0)
#: Tolerances of the peer, its default first; the first within the gap of the last one's value is taken. A
#: still smaller one liblinear does not reach on the texts.
PEER_TOLS, PEER_GAP = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8), 1e-8


def draw_fingerprints(n_positives):
    """Bits of 300 motifs, of which a row has four, and eight bits of its own; some 50 are set."""
    random = np.random.default_rng(0)
    n, d = 3010, 2048
    motifs = [random.choice(d, 12, replace=False) for _ in range(300)]
    probability = np.arange(1, 301) ** -0.8
    X = np.zeros((n, d))
    for row in X:
        for motif in random.choice(300, 4, replace=False, p=probability / probability.sum()):
            row[motifs[motif]] = 1.0
        row[random.choice(d, 8, replace=False)] = 1.0
        row *= random.random(d) < 0.95
    weights = np.zeros(d)
    weights[random.choice(d, 60, replace=False)] = random.normal(size=60)
    return sp.csr_array(X), mark_highest(X @ weights + 0.5 * random.normal(size=n), n_positives)


def draw_texts():
    """Random sparse rows with log-normal entries; a twentieth of the features tells a fifth of the rows."""
    random = np.random.default_rng(0)
    X = sp.csr_array(sp.random(5000, 20_000, 0.01, format="csr", random_state=random))
    X.data = random.lognormal(size=X.nnz)
    return X, mark_highest(X @ (random.normal(size=20_000) * (random.random(20_000) < 0.05)), 1000)


def draw_gaussians():
    """Dense rows; 30 of 500 features tell three tenths of the rows, with noise."""
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(2000, 500)), np.zeros(500)
    weights[:30] = random.normal(size=30)
    return X, mark_highest(X @ weights + 2.0 * random.normal(size=2000), 600)


def mark_highest(scores, k):
    """Labels: 1 for the k highest."""
    y = np.zeros(scores.size, dtype=int)
    y[np.argsort(-scores)[:k]] = 1
    return y


DATA_MAKERS = {
    "fingerprints, 50 positives": lambda: draw_fingerprints(50),
    "fingerprints, 300 positives": lambda: draw_fingerprints(300),
    "texts": draw_texts,
    "dense": draw_gaussians,
}


def measure(functions, n_runs=N_RUNS):
    """Median processor seconds of functions that are called in turn, and their last results."""
    times, results = [[] for _ in functions], [None] * len(functions)
    for _ in range(n_runs):
        for i, function in enumerate(functions):
            started = process_time()
            results[i] = function()
            times[i].append(process_time() - started)
    return [median(seconds) for seconds in times], results


def compute_peer_value(peer, X, y):
    """Objective of a fitted logistic regression; liblinear penalises the intercept, too."""
    w, intercept = peer.coef_[0], peer.intercept_[0]
    losses = np.logaddexp(0.0, np.where(y == 1, -1.0, 1.0) * (X @ w + intercept))
    penalty = np.abs(w).sum() + abs(intercept) if peer.solver == "liblinear" else 0.5 * w @ w
    return peer.C * losses.sum() + penalty


def measure_peer(peer, X, y, n_runs=N_RUNS):
    """Seconds at the default tolerance, its largest relative gap, and seconds to the gap of `PEER_GAP`."""
    default_seconds, gaps, accurate_seconds = [], [], []
    for C in PEER_CS:
        fits = [partial(clone(peer).set_params(C=C, tol=tol).fit, X, y) for tol in PEER_TOLS]
        values = np.array([compute_peer_value(fit(), X, y) for fit in fits])
        relative = values / values[-1] - 1.0
        enough = int(np.argmax(relative <= PEER_GAP))
        seconds, _ = measure([fits[0], fits[enough]], n_runs)
        default_seconds.append(seconds[0])
        accurate_seconds.append(seconds[1])
        gaps.append(relative[0])
    return max(default_seconds), max(gaps), max(accurate_seconds)


def compare_with_logistic_regression(name, X, y):
    """Yield the rows of a drawn set: alpha_max, and fits at two shares of it beside liblinear's slowest C."""
    size = [name, *X.shape, int(y.sum())]
    first_rows = np.concatenate([np.flatnonzero(y == 1)[:20], np.flatnonzero(y == 0)[:20]])
    InfinitePush(alpha=0.01).fit(X[first_rows], y[first_rows])  # compiles
    (seconds,), (alpha_max,) = measure([lambda: InfinitePush().alpha_max(X, y)])
    peer = LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=10_000, random_state=0)
    default_seconds, peer_gap, accurate_seconds = measure_peer(peer, X, y)
    yield [*size, 1.0, "alpha_max", seconds, *[""] * 8]
    for share in (0.3, 0.1):
        model = InfinitePush(alpha=share * alpha_max)
        (seconds,), _ = measure([lambda model=model: model.fit(X, y)])
        peers = [default_seconds, seconds / default_seconds, peer_gap]
        peers += [accurate_seconds, seconds / accurate_seconds]
        yield [*size, share, "fit", seconds, "LogisticRegression", *peers, *facts(model)]


def facts(model):
    """Number of features and relative gap of a fit."""
    return np.count_nonzero(model.coef_), max(model.certificate_.relative_gap, 0.0)


def main():
    """Print the rows of the drawn sets."""
    warnings.simplefilter("ignore")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, draw in DATA_MAKERS.items():
        for row in compare_with_logistic_regression(name, *draw()):
            writer.writerow([f"{cell:.3g}" if isinstance(cell, float) else cell for cell in row])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
