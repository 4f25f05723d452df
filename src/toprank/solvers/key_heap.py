"""A heap of places in an array, whose first entry has the least key: for kernels that need a few of many."""

from __future__ import annotations

import numpy as np

from toprank.jit import njit_cached


@njit_cached
def make_heap(keys: np.ndarray, key_max: float, heap: np.ndarray) -> int:
    """Fill a heap with the places of the keys below a bound.

    Parameters
    ----------
    keys : ndarray of shape (n,)
    key_max : float
        The bound.
    heap : ndarray of int of shape (n,)
        The result: its first entries.

    Returns
    -------
    int
        Size of the heap.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.solvers.key_heap import make_heap, pop_smallest
    >>> keys, heap = np.array([3.0, 1.0, 5.0, 2.0]), np.empty(4, dtype=np.intp)
    >>> size = make_heap(keys, 4.0, heap)
    >>> size, [int(pop_smallest(heap, keys, k)) for k in (3, 2, 1)]
    (3, [1, 3, 0])
    """
    size = 0
    for j in range(keys.size):
        heap[size] = j  # the next one takes its place if it does not count
        size += keys[j] < key_max
    for i in range(size // 2 - 1, -1, -1):
        _sift_down(heap, keys, i, size)
    return size


@njit_cached
def pop_smallest(heap: np.ndarray, keys: np.ndarray, size: int) -> int:
    """Take the first entry of a heap, which goes to the place that it leaves free.

    Parameters
    ----------
    heap : ndarray of int
    keys : ndarray
    size : int
        Of the heap before.

    Returns
    -------
    int
        The entry.
    """
    first = heap[0]
    heap[0] = heap[size - 1]
    _sift_down(heap, keys, 0, size - 1)
    heap[size - 1] = first
    return first


@njit_cached
def _sift_down(heap: np.ndarray, keys: np.ndarray, i: int, size: int) -> None:
    """Move entry i of a heap, whose first entry has the least key, to its place."""
    node = heap[i]
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and keys[heap[child + 1]] < keys[heap[child]]:
            child += 1
        if keys[node] <= keys[heap[child]]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = node
