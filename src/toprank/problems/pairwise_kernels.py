"""Sums over violated preferences, by sweeps over the documents of each query in the order of their scores.

The documents of a query are contiguous and begin at ``starts``. ``order`` lists them by ascending score.
Levels are numbered from 0 to ``n_levels`` of their query, exclusive.
"""

from __future__ import annotations

import numpy as np

from toprank.jit import array_max, njit_cached, zero_rows

#: Up to so many levels the sums of a query are kept level by level, otherwise in a Fenwick tree.
LINEAR_SUMS_MAX_LEVELS = 8


@njit_cached
def is_violated(better: float, worse: float) -> bool:
    """Whether the hinge of a preference between two scores is positive, 1 − s_i + s_j > 0.

    Every sweep asks this one question. ``worse > better - 1`` and ``better < worse + 1`` round differently:
    documents whose margin is 1 up to rounding, as many are at an optimum, would then count for one of the two
    and not for the other, and the Hessian would have a negative eigenvalue. A rounded difference is monotone
    in both scores, as the sweeps need it.

    Parameters
    ----------
    better, worse : float
        Scores of the more and of the less relevant document.

    Returns
    -------
    bool
    """
    return better - worse < 1.0


@njit_cached
def count_preferences(levels: np.ndarray, starts: np.ndarray, n_levels: np.ndarray) -> np.ndarray:
    """Count the pairs of different relevance within each query.

    Parameters
    ----------
    levels, starts, n_levels : ndarray
        As in `evaluate_squared_hinge`.

    Returns
    -------
    ndarray of int of shape (n_queries,)
    """
    n_preferences = np.zeros(n_levels.size, np.int64)
    level_sizes = np.empty(array_max(n_levels), np.int64)
    for query in range(n_levels.size):
        for level in range(n_levels[query]):
            level_sizes[level] = 0
        for i in range(starts[query], starts[query + 1]):
            level_sizes[levels[i]] += 1
        n_lower = 0
        for level in range(n_levels[query]):
            # Each document of a level is preferred to all of the lower levels.
            n_preferences[query] += n_lower * level_sizes[level]
            n_lower += level_sizes[level]
    return n_preferences


@njit_cached
def _add_score(sums: np.ndarray, n_levels: np.ndarray, level: int, s: float) -> None:
    """Add a document of score s to the sums of 1, s and s² over the documents below each level.

    Up to `LINEAR_SUMS_MAX_LEVELS` levels row l of ``sums`` is the sum below l; with more levels the rows are
    nodes of a tree.
    """
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        for higher_level in range(level + 1, n_levels):
            sums[higher_level, 0] += 1.0
            sums[higher_level, 1] += s
            sums[higher_level, 2] += s * s
    else:
        # Fenwick tree (Fenwick 1994): a document counts at each node whose range holds its level
        level += 1
        while level <= n_levels:
            sums[level, 0] += 1.0
            sums[level, 1] += s
            sums[level, 2] += s * s
            level += level & -level


@njit_cached
def _read_sums_below(sums: np.ndarray, n_levels: int, level: int) -> tuple[float, float, float]:
    """Read the sums of 1, s and s² over the documents below a level."""
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        return sums[level, 0], sums[level, 1], sums[level, 2]
    # prefix sum of the Fenwick tree: each node covers as many levels as its lowest set bit
    count, total, squares = 0.0, 0.0, 0.0
    while level > 0:
        count += sums[level, 0]
        total += sums[level, 1]
        squares += sums[level, 2]
        level -= level & -level
    return count, total, squares


@njit_cached
def evaluate_squared_hinge(
    scores, order, levels, starts, n_levels, weights, slope, counts
) -> tuple[float, float]:
    """Return Σ c_q (1 − s_i + s_j)₊² and Σ c_q (1 − s_i + s_j)₊ over all preferences, of the queries q.

    Fills ``slope``, the derivative of the first in the scores, and ``counts``, each document's number of
    violated preferences times the weight of its query.

    Parameters
    ----------
    scores : ndarray of shape (n_documents,)
    order : ndarray of int of shape (n_documents,)
        Documents of each query by ascending score.
    levels : ndarray of int of shape (n_documents,)
        Relevance within the query, numbered from 0.
    starts : ndarray of int of shape (n_queries + 1,)
        First document of each query, and the number of documents.
    n_levels : ndarray of int of shape (n_queries,)
    weights : ndarray of shape (n_queries,)
        Weight c_q of each preference of a query.
    slope, counts : ndarray of shape (n_documents,)
        Overwritten.

    Returns
    -------
    tuple of float
    """
    value, hinge_sum = 0.0, 0.0
    sums = np.empty((array_max(n_levels) + 1, 3))
    for query in range(starts.size - 1):
        first, last, n_query_levels = starts[query], starts[query + 1], n_levels[query]
        weight = weights[query]
        if n_query_levels < 2:
            for i in range(first, last):
                slope[i], counts[i] = 0.0, 0.0
            continue
        # only differences within a query matter: centred scores keep their squares from cancelling
        centre = 0.0
        for i in range(first, last):
            centre += scores[i]
        centre /= last - first
        zero_rows(sums, n_query_levels + 1)
        pointer = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            s = scores[i] - centre
            # the less relevant j with s_j > s_i − 1
            while pointer >= first and is_violated(scores[i], scores[order[pointer]]):
                j = order[pointer]
                _add_score(sums, n_query_levels, levels[j], scores[j] - centre)
                pointer -= 1
            count, linear, squares = _read_sums_below(sums, n_query_levels, levels[i])
            document_hinge_sum = count * (1.0 - s) + linear
            # Σ (1 − s + s_j)² = count (1 − s)² + 2 (1 − s) Σ s_j + Σ s_j² (Lee and Lin 2014)
            value += weight * (count * (1.0 - s) ** 2 + 2.0 * (1.0 - s) * linear + squares)
            hinge_sum += weight * document_hinge_sum
            slope[i] = -2.0 * document_hinge_sum
            counts[i] = count
        zero_rows(sums, n_query_levels + 1)
        pointer = first
        for position in range(first, last):
            i = order[position]
            s = scores[i] - centre
            # the more relevant j with s_j < s_i + 1
            while pointer < last and is_violated(scores[order[pointer]], scores[i]):
                j = order[pointer]
                # levels reversed: the sums below then are those of the more relevant documents
                _add_score(sums, n_query_levels, n_query_levels - 1 - levels[j], scores[j] - centre)
                pointer += 1
            count, linear, squares = _read_sums_below(sums, n_query_levels, n_query_levels - 1 - levels[i])
            # both directions of ∂f/∂s_i: as the better document above, as the worse one here
            slope[i] = weight * (slope[i] + 2.0 * (count * (1.0 + s) - linear))
            counts[i] = weight * (counts[i] + count)
    return value, hinge_sum


@njit_cached
def _add_row(sums: np.ndarray, n_levels: int, level: int, row: np.ndarray) -> None:
    """Like `_add_score`, for a row of values."""
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        for higher_level in range(level + 1, n_levels):
            for k in range(row.size):
                sums[higher_level, k] += row[k]
    else:
        level += 1
        while level <= n_levels:
            for k in range(row.size):
                sums[level, k] += row[k]
            level += level & -level


@njit_cached
def _read_row_sums_below(sums: np.ndarray, n_levels: int, level: int, out: np.ndarray) -> None:
    """Like `_read_sums_below`, for a row of values."""
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        for k in range(out.size):
            out[k] = sums[level, k]
        return
    for k in range(out.size):
        out[k] = 0.0
    while level > 0:
        for k in range(out.size):
            out[k] += sums[level, k]
        level -= level & -level


@njit_cached
def compute_hessian_factors(scores, order, levels, starts, n_levels, weights, counts, rows, products) -> None:
    """Fill ``products`` with counts_i x_i − 2 c_q Σ x_j over the less relevant j with s_j > s_i − 1.

    ``starts`` names a range of queries, whose documents are the ``rows``; ``counts`` is from
    `evaluate_squared_hinge`.

    Parameters
    ----------
    scores, order, levels, starts, n_levels, weights, counts : ndarray
        As in `evaluate_squared_hinge`.
    rows, products : ndarray of shape (n_rows, n_features)
        The documents' features, and the array to fill.
    """
    offset = starts[0]
    sums, row_sum = np.empty((array_max(n_levels) + 1, rows.shape[1])), np.empty(rows.shape[1])
    for query in range(starts.size - 1):
        first, last, n_query_levels = starts[query], starts[query + 1], n_levels[query]
        double_weight = 2.0 * weights[query]
        zero_rows(sums, n_query_levels + 1)
        pointer = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            while pointer >= first and is_violated(scores[i], scores[order[pointer]]):
                _add_row(sums, n_query_levels, levels[order[pointer]], rows[order[pointer] - offset])
                pointer -= 1
            # M_i = Σ x_j over the violated preferences of i over j: with C = X'M, the Hessian is 2(X' diag(l)
            # X − C − C').
            _read_row_sums_below(sums, n_query_levels, levels[i], row_sum)
            for k in range(row_sum.size):
                products[i - offset, k] = counts[i] * rows[i - offset, k] - double_weight * row_sum[k]


@njit_cached
def compute_hessian_products(
    scores, order, levels, starts, n_levels, weights, counts, values, products
) -> None:
    """Fill ``products`` with counts_i v_i − c_q Σ v_j over all documents j in a violated preference with i.

    Parameters
    ----------
    scores, order, levels, starts, n_levels, weights, counts : ndarray
        As in `evaluate_squared_hinge`.
    values : ndarray of shape (n_documents, k)
        Columns v, for instance the scores of a direction.
    products : ndarray of shape (n_documents, k)
        Overwritten.
    """
    n_columns = values.shape[1]
    sums, row_sum = np.empty((array_max(n_levels) + 1, n_columns)), np.empty(n_columns)
    for query in range(starts.size - 1):
        first, last, n_query_levels = starts[query], starts[query + 1], n_levels[query]
        weight = weights[query]
        zero_rows(sums, n_query_levels + 1)
        pointer = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            # downwards: the window of the less relevant documents in a violated preference with i
            while pointer >= first and is_violated(scores[i], scores[order[pointer]]):
                _add_row(sums, n_query_levels, levels[order[pointer]], values[order[pointer]])
                pointer -= 1
            _read_row_sums_below(sums, n_query_levels, levels[i], row_sum)
            for k in range(n_columns):
                products[i, k] = counts[i] * values[i, k] - weight * row_sum[k]
        zero_rows(sums, n_query_levels + 1)
        pointer = first
        for position in range(first, last):
            i = order[position]
            # upwards: that of the more relevant ones
            while pointer < last and is_violated(scores[order[pointer]], scores[i]):
                _add_row(
                    sums, n_query_levels, n_query_levels - 1 - levels[order[pointer]], values[order[pointer]]
                )
                pointer += 1
            _read_row_sums_below(sums, n_query_levels, n_query_levels - 1 - levels[i], row_sum)
            for k in range(n_columns):
                products[i, k] -= weight * row_sum[k]


@njit_cached
def group_by_query(order: np.ndarray, query_of: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Sort documents that are in the order of their scores by query; within a query they keep the order.

    Parameters
    ----------
    order : ndarray of int of shape (n_documents,)
        All documents by ascending score.
    query_of : ndarray of int of shape (n_documents,)
        Query of each document.
    starts : ndarray of int of shape (n_queries,)
        First position of each query.

    Returns
    -------
    ndarray of int of shape (n_documents,)
    """
    # counting sort, which is stable and linear
    next_position, grouped_order = np.empty(starts.size, np.int64), np.empty(order.size, np.int64)
    for query in range(starts.size):
        next_position[query] = starts[query]
    for position in range(order.size):
        i = order[position]
        query = query_of[i]
        grouped_order[next_position[query]] = i
        next_position[query] += 1
    return grouped_order
