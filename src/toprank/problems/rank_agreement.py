"""How often two features order a pair of documents alike: the numerators of Kendall's τ-a, for all features.

Three exact ways: a Gram matrix of the signs of all pairs, which is quadratic in the documents; a Fenwick tree
for two features at a time (Knight 1966), O(n log n); and a Gram matrix of the indicators where each feature
has two values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime
from toprank.jit import njit_cached

if TYPE_CHECKING:
    from toprank.clock import Clock

#: Time to compute a sign, in operations of a matrix product.
SIGN_COST = 60.0
#: Number of pairs of documents whose signs are held at a time.
SIGN_PAIRS_PER_CHUNK = 1 << 15
#: Time of a step in a Fenwick tree, in operations of a matrix product.
TREE_COST = 100.0


@njit_cached
def _fill_signs(X: np.ndarray, first: int, last: int, out: np.ndarray) -> int:
    """Fill ``out`` with the signs of x_i − x_j, i from first to below last and j < i; return the rows."""
    row = 0
    for i in range(first, last):
        for j in range(i):
            for k in range(X.shape[1]):
                out[row, k] = np.float32(X[i, k] > X[j, k]) - np.float32(X[i, k] < X[j, k])
            row += 1
    return row


def _sum_by_signs(X: np.ndarray, clock: Clock, n_first: int) -> np.ndarray:
    """Sum sign(x_ij − x_lj) sign(x_ik − x_lk) over the pairs of rows i, l, for the first features j."""
    n, d = X.shape
    total = np.zeros((n_first, d))
    signs = np.empty((max(min(n * (n - 1) // 2, SIGN_PAIRS_PER_CHUNK), n), d), dtype=np.float32)
    first = 1
    while first < n:
        if clock.is_over():
            raise OutOfTime
        last = first + 1
        while last < n and (last + 1) * last // 2 - first * (first - 1) // 2 <= len(signs):
            last += 1
        block = signs[: _fill_signs(X, first, last, signs)]
        total += block[:, :n_first].T @ block  # sums of fewer than 2²⁴ signs are exact
        first = last
    return total


@njit_cached
def _count_below(tree: np.ndarray, rank: int) -> int:
    """Count the members of a Fenwick tree with a lower rank."""
    count = 0
    while rank > 0:
        count += tree[rank]
        rank -= rank & -rank
    return count


@njit_cached
def _sum_of_two(order: np.ndarray, ranks: np.ndarray, other_ranks: np.ndarray, tree: np.ndarray) -> int:
    """Sum the products of signs of two features; ``order`` sorts the documents by the ranks of the first."""
    tree[:] = 0
    total, n_inserted, first = 0, 0, 0
    while first < order.size:
        last = first
        while last < order.size and ranks[order[last]] == ranks[order[first]]:
            rank = other_ranks[order[last]]
            n_above = n_inserted - _count_below(tree, rank + 1)
            total += _count_below(tree, rank) - n_above
            last += 1
        # only now, so that ties of the first feature count as neither
        for position in range(first, last):
            node = other_ranks[order[position]] + 1
            while node < tree.size:
                tree[node] += 1
                node += node & -node
        n_inserted += last - first
        first = last
    return total


def _sum_by_trees(X: np.ndarray, clock: Clock, n_first: int) -> np.ndarray:
    """Return the sums of `_sum_by_signs`, two features at a time."""
    n, d = X.shape
    ranks = np.empty((d, n), dtype=np.int64)
    for k in range(d):
        ranks[k] = np.unique(X[:, k], return_inverse=True)[1]
    total, tree = np.zeros((n_first, d)), np.empty(n + 1, dtype=np.int64)
    for j in range(n_first):
        if clock.is_over():
            raise OutOfTime
        order = np.argsort(ranks[j])
        total[j, :j] = total[:j, j]  # symmetric
        for k in range(j, d):
            total[j, k] = _sum_of_two(order, ranks[j], ranks[k], tree[: ranks[k].max() + 2])
    return total


def _sum_of_binary(is_high: sp.csr_array, n_first: int) -> np.ndarray:
    """Return the sums where each feature has two values: n₁₁ n₀₀ − n₁₀ n₀₁ of the table of two features."""
    n, counts = is_high.shape[0], np.asarray(is_high.sum(axis=0)).ravel()
    n_both = (is_high[:, :n_first].T @ is_high).toarray()
    first_alone, other_alone = counts[:n_first, None] - n_both, counts[None] - n_both
    return n_both * (n - n_both - first_alone - other_alone) - first_alone * other_alone


def sum_sign_agreement(
    X: np.ndarray | sp.csr_array, clock: Clock = UNLIMITED, n_first: int | None = None
) -> np.ndarray:
    """Sum sign(x_ij − x_lj) sign(x_ik − x_lk) over the pairs of rows i, l, the cheapest way.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    clock : Clock, optional
    n_first : int, optional
        Compare only so many features j, the first ones, with all features k.

    Returns
    -------
    ndarray of shape (n_first, d)
        Exact.

    Raises
    ------
    OutOfTime
        If the time is too short.
    """
    n, d = X.shape
    n_first = d if n_first is None else n_first
    is_high = _find_indicators(X)
    if is_high is not None:
        return _sum_of_binary(is_high, n_first)
    # single precision takes half the time
    by_signs = (n_first + SIGN_COST) * d * (n * (n - 1) / 2)
    by_trees = TREE_COST * (n_first * (d - (n_first - 1) / 2) + d) * n * np.log2(max(n, 2))
    clock.require_budget(min(by_signs, by_trees))
    X = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X)
    return (_sum_by_signs if by_signs < by_trees else _sum_by_trees)(X, clock, n_first)


def _find_indicators(X: np.ndarray | sp.csr_array) -> sp.csr_array | None:
    """Return which entries are the higher value of their feature, or None where one has more than two values.

    Of sparse rows the lower value has to be 0, as in fingerprints.
    """
    if sp.issparse(X):
        low, high = (np.asarray(extreme.toarray()).ravel() for extreme in (X.min(axis=0), X.max(axis=0)))
        varies, column_high = low < high, high[X.indices]
        is_high = varies[X.indices] & (X.data == column_high)
        has_two = np.all(low[varies] == 0.0) and np.all(is_high | ~varies[X.indices] | (X.data == 0.0))
        return sp.csr_array((is_high.astype(float), X.indices, X.indptr), X.shape) if has_two else None
    low, high = X.min(axis=0), X.max(axis=0)
    # most data have a feature of more values among the first rows already
    for rows in (X[:100], X):
        if not np.all((rows == low) | (rows == high)):
            return None
    return sp.csr_array(((high == X) & (low < high)).astype(float))
