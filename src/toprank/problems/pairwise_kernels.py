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
def is_violated(better, worse):
    """Whether the hinge of a preference between two scores is positive, 1 − s_i + s_j > 0.

    Every sweep asks this one question. ``worse > better - 1`` and ``better < worse + 1`` round differently:
    documents whose margin is 1 up to rounding, as many are at an optimum, would then count for one of the two
    and not for the other, and the Hessian would have a negative eigenvalue. A rounded difference is monotone
    in both scores, as the sweeps need it.
    """
    return better - worse < 1.0


@njit_cached
def _add_score(sums, n_levels, level, s):
    """Add a document of score s to the sums of 1, s and s² over the documents below each level.

    Up to `LINEAR_SUMS_MAX_LEVELS` levels row l of ``sums`` is the sum below l; with more levels the rows are
    nodes of a tree.
    """
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        for above in range(level + 1, n_levels):
            sums[above, 0] += 1.0
            sums[above, 1] += s
            sums[above, 2] += s * s
    else:
        level += 1
        while level <= n_levels:
            sums[level, 0] += 1.0
            sums[level, 1] += s
            sums[level, 2] += s * s
            level += level & -level


@njit_cached
def _sums_below(sums, n_levels, level):
    """Read the sums of 1, s and s² over the documents below a level."""
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        return sums[level, 0], sums[level, 1], sums[level, 2]
    count, total, squares = 0.0, 0.0, 0.0
    while level > 0:
        count += sums[level, 0]
        total += sums[level, 1]
        squares += sums[level, 2]
        level -= level & -level
    return count, total, squares


@njit_cached
def squared_hinge_loss(scores, order, levels, starts, n_levels, slope, counts):
    """Return Σ (1 − s_i + s_j)₊² and Σ (1 − s_i + s_j)₊ over all preferences.

    Fills ``slope``, the derivative of the first in the scores, and ``counts``, each document's number of
    violated preferences.
    """
    value, total = 0.0, 0.0
    sums = np.empty((array_max(n_levels) + 1, 3))
    for query in range(starts.size - 1):
        first, last, top = starts[query], starts[query + 1], n_levels[query]
        if top < 2:
            for i in range(first, last):
                slope[i], counts[i] = 0.0, 0.0
            continue
        # only differences within a query matter: centred scores keep their squares from cancelling
        centre = 0.0
        for i in range(first, last):
            centre += scores[i]
        centre /= last - first
        zero_rows(sums, top + 1)
        at = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            s = scores[i] - centre
            # the less relevant j with s_j > s_i − 1
            while at >= first and is_violated(scores[i], scores[order[at]]):
                j = order[at]
                _add_score(sums, top, levels[j], scores[j] - centre)
                at -= 1
            count, linear, squares = _sums_below(sums, top, levels[i])
            hinges = count * (1.0 - s) + linear
            value += count * (1.0 - s) ** 2 + 2.0 * (1.0 - s) * linear + squares
            total += hinges
            slope[i] = -2.0 * hinges
            counts[i] = count
        zero_rows(sums, top + 1)
        at = first
        for position in range(first, last):
            i = order[position]
            s = scores[i] - centre
            # the more relevant j with s_j < s_i + 1
            while at < last and is_violated(scores[order[at]], scores[i]):
                j = order[at]
                _add_score(sums, top, top - 1 - levels[j], scores[j] - centre)
                at += 1
            count, linear, squares = _sums_below(sums, top, top - 1 - levels[i])
            slope[i] += 2.0 * (count * (1.0 + s) - linear)
            counts[i] += count
    return value, total


@njit_cached
def _add_row(sums, n_levels, level, row):
    """Like `_add_score`, for a row of values."""
    if n_levels <= LINEAR_SUMS_MAX_LEVELS:
        for above in range(level + 1, n_levels):
            for k in range(row.size):
                sums[above, k] += row[k]
    else:
        level += 1
        while level <= n_levels:
            for k in range(row.size):
                sums[level, k] += row[k]
            level += level & -level


@njit_cached
def _row_sums_below(sums, n_levels, level, out):
    """Like `_sums_below`, for a row of values."""
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
def hessian_product(scores, order, levels, starts, n_levels, counts, rows, pulled):
    """Fill ``pulled`` with counts_i x_i − 2 Σ x_j over the less relevant documents j with s_j > s_i − 1.

    ``starts`` names a range of queries, whose documents are the ``rows``; ``counts`` is from `hinges`.
    """
    offset = starts[0]
    sums, below = np.empty((array_max(n_levels) + 1, rows.shape[1])), np.empty(rows.shape[1])
    for query in range(starts.size - 1):
        first, last, top = starts[query], starts[query + 1], n_levels[query]
        zero_rows(sums, top + 1)
        at = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            while at >= first and is_violated(scores[i], scores[order[at]]):
                _add_row(sums, top, levels[order[at]], rows[order[at] - offset])
                at -= 1
            _row_sums_below(sums, top, levels[i], below)
            for k in range(below.size):
                pulled[i - offset, k] = counts[i] * rows[i - offset, k] - 2.0 * below[k]


@njit_cached
def hessian_vector_product(scores, order, levels, starts, n_levels, counts, values, pulled):
    """Fill ``pulled`` with counts_i v_i − Σ v_j over all documents j in a violated preference with i."""
    sums, found = np.empty((array_max(n_levels) + 1, 1)), np.empty(1)
    for query in range(starts.size - 1):
        first, last, top = starts[query], starts[query + 1], n_levels[query]
        zero_rows(sums, top + 1)
        at = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            while at >= first and is_violated(scores[i], scores[order[at]]):
                _add_row(sums, top, levels[order[at]], values[order[at]])
                at -= 1
            _row_sums_below(sums, top, levels[i], found)
            pulled[i] = counts[i] * values[i, 0] - found[0]
        zero_rows(sums, top + 1)
        at = first
        for position in range(first, last):
            i = order[position]
            while at < last and is_violated(scores[order[at]], scores[i]):
                _add_row(sums, top, top - 1 - levels[order[at]], values[order[at]])
                at += 1
            _row_sums_below(sums, top, top - 1 - levels[i], found)
            pulled[i] -= found[0]


@njit_cached
def group_by_query(order, query_of, starts):
    """Sort documents that are in the order of their scores by query; within a query they keep the order."""
    place, dealt = np.empty(starts.size, np.int64), np.empty(order.size, np.int64)
    for query in range(starts.size):
        place[query] = starts[query]
    for at in range(order.size):
        i = order[at]
        query = query_of[i]
        dealt[place[query]] = i
        place[query] += 1
    return dealt
