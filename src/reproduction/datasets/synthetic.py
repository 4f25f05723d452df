"""Data that need no file: two sets of scikit-learn, and generated ones with a known property."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet


def read_wdbc(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Return Wisconsin diagnostic breast cancer, 569 x 30, labels "malignant" and "benign".

    Parameters
    ----------
    spec : DataSet
    paths : dict
        Unused: scikit-learn brings the data.

    Returns
    -------
    Table
    """
    from sklearn.datasets import load_breast_cancer  # late: the other sets need no scikit-learn

    data = load_breast_cancer()
    return Table(data.data, data.target_names[data.target].astype(str))


def read_digits(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Return handwritten digits, 1797 x 64, labels "0" to "9".

    Parameters
    ----------
    spec : DataSet
    paths : dict
        Unused: scikit-learn brings the data.

    Returns
    -------
    Table
    """
    from sklearn.datasets import load_digits

    data = load_digits()
    return Table(data.data, data.target.astype(str))


def read_overlap(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Draw two Gaussians that overlap, 400 x 10.

    The positives' mean lies outside the negatives' convex hull. The positives are shifted by 3.5 standard
    deviations of the negatives and spread 1.5 times as wide along the shift, so that about a third of them
    lies below the highest negative.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["seed"]`` seeds the generator.
    paths : dict
        Unused.

    Returns
    -------
    Table
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 160, 400, 10
    direction = np.ones(d) / np.sqrt(d)
    X = rng.standard_normal((n, d))
    # shift by 3.5 and stretch to 1 + 0.5 along the direction
    X[:n_positives] += (3.5 + 0.5 * X[:n_positives] @ direction)[:, None] * direction
    return _shuffle_rows(rng, X, n_positives)


def read_hull(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Draw 300 x 4, the mean of the positives inside the convex hull of the negatives, which surround them.

    The top-push loss is mean_i (1 + max_j w'x_j - w'x_i)^2; its slope at w = 0 towards w is twice
    max_j w'x_j - w'mean(x_i), which is never negative then: w = 0 is optimal whatever the regularisation.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["seed"]`` seeds the generator.
    paths : dict
        Unused.

    Returns
    -------
    Table
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 120, 300, 4
    X = rng.standard_normal((n, d))
    # A tighter cloud inside one of twice the width: mean(X⁺) is in the hull of the negatives, so that w = 0
    # is optimal at every λ.
    X[:n_positives] = 0.7 * X[:n_positives] + 0.3
    X[n_positives:] *= 2.0
    return _shuffle_rows(rng, X, n_positives)


def read_sparse_text(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Draw word counts of 600 short documents over 80 words, on two topics that share most of their words.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["seed"]`` seeds the generator.
    paths : dict
        Unused.

    Returns
    -------
    Table
        X in CSR.
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_positives, n, d = 240, 600, 80
    frequencies = 1.0 / np.arange(1, d + 1)  # Zipf's law
    # about half of the words are four times as frequent in one topic as in the other
    tilt = np.where(rng.random(d) < 0.5, 2.0, 1.0)
    topics = np.array([frequencies * tilt, frequencies / tilt])
    topics /= topics.sum(axis=1, keepdims=True)
    lengths = rng.integers(4, 12, size=n)
    X = np.array(
        [rng.multinomial(length, topics[int(i >= n_positives)]) for i, length in enumerate(lengths)],
        dtype=float,
    )
    table = _shuffle_rows(rng, X, n_positives)
    return Table(scipy.sparse.csr_array(table.X), table.labels)


def read_letor_like(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Draw 60 queries in five parts as LETOR has them.

    A query has 4 to 20 documents of three grades, with 16 features in [0, 1]. Features 0 to 5 tell the
    relevance, in pairs that measure nearly the same; 6 to 13 are noise, and 14 and 15 never vary. Each
    feature is scaled to [0, 1] within its query, as LETOR's QueryLevelNorm does. The first query has no
    relevant document, the second one relevant ones only.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["seed"]`` seeds the generator.
    paths : dict
        Unused.

    Returns
    -------
    Table
        Labels are the grades; ``qid`` counts from 1, ``part`` is 1 to 5.
    """
    rng = np.random.default_rng(spec.options["seed"])
    n_queries, n_noise, n_constant = 60, 8, 2
    sizes = rng.integers(4, 21, size=n_queries)
    feature_blocks, grades = [], []
    for query, size in enumerate(sizes):
        # three latent traits of each document, of falling weight, and noise give its relevance
        topic = rng.standard_normal((size, 3))
        relevance = topic @ [1.0, 0.7, 0.4] + 0.8 * rng.standard_normal(size)
        # Three grades 0, 1, 2, as in LETOR 4.0; the higher the rarer.
        grade = np.digitize(relevance, [0.6, 1.6])
        if query < 2:
            grade[:] = query  # a single label: no pair to learn from
        informative = np.repeat(topic, 2, axis=1) + 0.4 * rng.standard_normal((size, 6))
        X = np.hstack([informative, rng.standard_normal((size, n_noise))])
        # QueryLevelNorm (Qin et al. 2010)
        X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
        feature_blocks.append(np.hstack([X, np.zeros((size, n_constant))]).round(6))
        grades.append(grade)
    # a part gets every fifth query, its rows lie together
    part = np.arange(n_queries) % 5 + 1
    order = np.argsort(part, kind="stable")
    return Table(
        np.vstack([feature_blocks[query] for query in order]),
        np.concatenate([grades[query] for query in order]).astype(np.int8),
        np.repeat(order + 1, sizes[order]).astype(np.int32),
        np.repeat(part[order], sizes[order]).astype(np.int8),
    )


def read_epsilon_like(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Return the rows of :func:`stream_epsilon_like` in one Table.

    Parameters
    ----------
    spec : DataSet
    paths : dict
        Unused.

    Returns
    -------
    Table
    """
    tables = list(stream_epsilon_like(spec, paths))
    return Table(np.vstack([t.X for t in tables]), np.concatenate([t.labels for t in tables]))


def stream_epsilon_like(spec: DataSet, paths: dict[str, Path]) -> Iterator[Table]:
    """Draw two classes of rows of norm 1, in blocks.

    The positives lean towards one direction, each by another angle, so far that their mean lies outside the
    negatives' convex hull, and so unevenly that many of them lie below the highest negative there.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["seed"]`` seeds the generator; ``spec.expected`` states the rows and features.
    paths : dict
        Unused.

    Yields
    ------
    Table
        At most 512 rows; X dense, of float32.
    """
    rng = np.random.default_rng(spec.options["seed"])
    n, d, block_rows = spec.expected["rows"], spec.expected["features"], 512
    direction = np.ones(d) / np.sqrt(d)
    for first in range(0, n, block_rows):
        size = min(block_rows, n - first)
        is_positive = rng.random(size) < 0.5
        X = rng.standard_normal((size, d)) / np.sqrt(d)
        # A shift of random length along one direction, so that the classes overlap.
        X += (is_positive * (0.8 + 0.5 * rng.standard_normal(size)))[:, None] * direction
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        yield Table(X.astype(np.float32), np.where(is_positive, "1", "-1"))


def _shuffle_rows(rng: np.random.Generator, X: np.ndarray, n_positives: int) -> Table:
    """Return the rows in random order; the first ``n_positives`` are "1", the rest "0"."""
    order = rng.permutation(len(X))
    return Table(X[order], np.where(order < n_positives, "1", "0"))
