"""What is counted of the rows of a data set: queries, repeated rows, constant features."""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse

REPETITION_WARNING = (
    "have the features of an earlier row, so that a split may train and test on the same features"
)


GRADED_COUNTS = ("queries", "pairs", "preferences", "queries_without_preferences")


def count_queries(y: np.ndarray, qid: np.ndarray) -> dict[str, int]:
    """Count queries, query-document pairs, preferences, and queries without any.

    A preference is a pair of documents of one query with different relevance.

    Parameters
    ----------
    y : ndarray of int of shape (n_rows,)
        Grades from 0.
    qid : ndarray of shape (n_rows,)
        Query of each row.

    Returns
    -------
    dict[str, int]
        The counts `GRADED_COUNTS`.
    """
    _, query = np.unique(qid, return_inverse=True)
    # documents by query and grade
    table = np.zeros((query.max() + 1, int(y.max()) + 1), dtype=np.int64)
    np.add.at(table, (query, y), 1)
    # n documents, n_g of grade g: (n² − Σ n_g²) / 2 pairs differ in relevance
    preferences = (table.sum(axis=1) ** 2 - (table**2).sum(axis=1)) // 2
    counts = (len(table), len(y), int(preferences.sum()), int((preferences == 0).sum()))
    return dict(zip(GRADED_COUNTS, counts, strict=True))


def count_repeated_rows(X: np.ndarray | scipy.sparse.csr_array, qid: np.ndarray | None = None) -> int:
    """Count the rows with the features of an earlier row; of queries, of a row of another query.

    Parameters
    ----------
    X : ndarray or csr_array with sorted indices, shape (n, d)
    qid : ndarray, shape (n,), optional

    Returns
    -------
    int
    """
    if scipy.sparse.issparse(X):
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        # Canonical CSR: equal rows have equal bytes.
        rows = (X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in ends)
    else:
        rows = (row.tobytes() for row in X + 0.0)  # -0.0 is 0.0
    first = {}
    queries = range(X.shape[0]) if qid is None else qid.tolist()
    digests = (hashlib.blake2b(row, digest_size=16).digest() for row in rows)
    return sum(first.setdefault(row, query) != query for row, query in zip(digests, queries, strict=True))


def find_constant_features(X: np.ndarray | scipy.sparse.csr_array) -> list[int]:
    """List the features, from 0, that have one value in all rows; they are reported, not dropped.

    Parameters
    ----------
    X : ndarray or scipy.sparse.csr_array
        Feature rows.

    Returns
    -------
    list[int]
        Numbers of the features.
    """
    if not X.shape[0]:
        return []
    low, high = X.min(axis=0), X.max(axis=0)
    if scipy.sparse.issparse(X):
        low, high = low.toarray(), high.toarray()
    return np.flatnonzero(low == high).tolist()
