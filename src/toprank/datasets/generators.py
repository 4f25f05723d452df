"""Data that need no file: two sets of scikit-learn, and three generated ones with a known property."""

import numpy as np
import scipy.sparse
from sklearn.datasets import load_breast_cancer, load_digits

from .table import Table


def read_wdbc(spec, paths):
    """Wisconsin diagnostic breast cancer, 569 x 30, labels "malignant" and "benign"."""
    data = load_breast_cancer()
    return Table(data.data, data.target_names[data.target].astype(str))


def read_digits(spec, paths):
    """Handwritten digits, 1797 x 64, labels "0" to "9"."""
    data = load_digits()
    return Table(data.data, data.target.astype(str))


def read_overlap(spec, paths):
    """Two Gaussians that overlap, 400 x 10; the positives' mean lies outside the negatives' convex hull.

    The positives are shifted by 3.5 standard deviations of the negatives and spread 1.5 times as wide along
    the shift, so that about a third of them lies below the highest negative.
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 160, 400, 10
    direction = np.ones(d) / np.sqrt(d)
    X = rng.standard_normal((n, d))
    X[:n_positives] += (3.5 + 0.5 * X[:n_positives] @ direction)[:, None] * direction
    return _shuffled(rng, X, n_positives)


def read_hull(spec, paths):
    """300 x 4, the mean of the positives inside the convex hull of the negatives, which surround them.

    The top-push loss is mean_i (1 + max_j w'x_j - w'x_i)^2; its slope at w = 0 towards w is twice
    max_j w'x_j - w'mean(x_i), which is never negative then: w = 0 is optimal whatever the regularisation.
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 120, 300, 4
    X = rng.standard_normal((n, d))
    X[:n_positives] = 0.7 * X[:n_positives] + 0.3
    X[n_positives:] *= 2.0
    return _shuffled(rng, X, n_positives)


def read_sparse_text(spec, paths):
    """Word counts of 600 short documents over 80 words, CSR, on two topics that share most of their words."""
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 240, 600, 80
    common = 1.0 / np.arange(1, d + 1)  # Zipf's law
    tilt = np.where(rng.random(d) < 0.5, 2.0, 1.0)
    topics = np.array([common * tilt, common / tilt])
    topics /= topics.sum(axis=1, keepdims=True)
    lengths = rng.integers(4, 12, size=n)
    X = np.array(
        [rng.multinomial(length, topics[int(i >= n_positives)]) for i, length in enumerate(lengths)],
        dtype=float,
    )
    table = _shuffled(rng, X, n_positives)
    return Table(scipy.sparse.csr_array(table.X), table.labels)


def _shuffled(rng, X, n_positives):
    """Rows in random order; the first ``n_positives`` are "1", the rest "0"."""
    order = rng.permutation(len(X))
    return Table(X[order], np.where(order < n_positives, "1", "0"))
