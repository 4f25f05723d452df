"""Compiled scores and sums of rows, chosen by index or one after the other, read where they lie."""

import numpy as np

from toprank.jit import REORDERING_FLAGS, njit_cached

#: Bytes from which four rows are read at a time. Of shorter ones, at scattered places, one after the other is
#: read at the bandwidth of the memory, and four at a time a third slower (54 features in float32).
MIN_GROUPED_BYTES = 512

#: Bytes that a processor fetches at a time.
LINE_BYTES = 64

_njit_nogil = njit_cached(fastmath=REORDERING_FLAGS, nogil=True)


# four rows at a time share the reads of w, or the reads and writes of the sums
@_njit_nogil
def compute_scores(stored: np.ndarray, index: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    """Set ``out`` to the scores of some rows.

    Parameters
    ----------
    stored : ndarray of shape (m, d)
    index : ndarray of int of shape (n,)
        The rows, among the stored ones.
    w : ndarray of shape (d,)
    out : ndarray of shape (n,)
        Changed in place.
    """
    n = index.size
    n_grouped = n - n % 4 if w.size * stored.itemsize >= MIN_GROUPED_BYTES else 0
    for i in range(0, n_grouped, 4):
        row0, row1, row2, row3 = (
            stored[index[i]],
            stored[index[i + 1]],
            stored[index[i + 2]],
            stored[index[i + 3]],
        )
        total0, total1, total2, total3 = 0.0, 0.0, 0.0, 0.0
        for j in range(w.size):
            total0 += w[j] * row0[j]
            total1 += w[j] * row1[j]
            total2 += w[j] * row2[j]
            total3 += w[j] * row3[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = total0, total1, total2, total3
    for i in range(n_grouped, n):
        row = stored[index[i]]
        total = 0.0
        for j in range(w.size):
            total += w[j] * row[j]
        out[i] = total


@_njit_nogil
def accumulate_rows(stored: np.ndarray, index: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Add to ``out`` the sum of some rows, each times its entry of v.

    Parameters
    ----------
    stored : ndarray of shape (m, d)
    index : ndarray of int of shape (n,)
        The rows, among the stored ones.
    v : ndarray of shape (n,)
    out : ndarray of shape (d,)
        Changed in place.
    """
    n = index.size
    n_grouped = n - n % 4 if out.size * stored.itemsize >= MIN_GROUPED_BYTES else 0
    for i in range(0, n_grouped, 4):
        row0, row1, row2, row3 = (
            stored[index[i]],
            stored[index[i + 1]],
            stored[index[i + 2]],
            stored[index[i + 3]],
        )
        v0, v1, v2, v3 = v[i], v[i + 1], v[i + 2], v[i + 3]
        for j in range(out.size):
            out[j] += v0 * row0[j] + v1 * row1[j] + v2 * row2[j] + v3 * row3[j]
    for i in range(n_grouped, n):
        if v[i] == 0.0:  # a row that does not count need not be read
            continue
        row = stored[index[i]]
        for j in range(out.size):
            out[j] += v[i] * row[j]


@_njit_nogil
def compute_all_scores(stored: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    """Set ``out`` to the scores of all rows, bit for bit as `compute_scores` does for short ones.

    Parameters
    ----------
    stored : ndarray of shape (n, d)
    w : ndarray of shape (d,)
    out : ndarray of shape (n,)
        Changed in place.
    """
    for i in range(stored.shape[0]):
        row = stored[i]
        total = 0.0
        for j in range(w.size):
            total += w[j] * row[j]
        out[i] = total


@_njit_nogil
def accumulate_all_rows(stored: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Add to ``out`` the sum of all rows, each times its entry of v, in the order of `accumulate_rows`.

    There is no branch at an entry of 0: rows that are read without a gap come at the bandwidth of the memory.
    Two rows share the read and the write of a sum.

    Parameters
    ----------
    stored : ndarray of shape (n, d)
    v : ndarray of shape (n,)
    out : ndarray of shape (d,)
        Changed in place.
    """
    n = stored.shape[0]
    n_paired = n - n % 2
    for i in range(0, n_paired, 2):
        row0, row1, v0, v1 = stored[i], stored[i + 1], v[i], v[i + 1]
        for j in range(out.size):
            out[j] = (out[j] + v0 * row0[j]) + v1 * row1[j]
    for i in range(n_paired, n):
        for j in range(out.size):
            out[j] += v[i] * stored[i, j]


@_njit_nogil
def accumulate_squared_deviations(
    stored: np.ndarray, index: np.ndarray, centre: np.ndarray, out: np.ndarray
) -> None:
    """Add to ``out`` the squared distances of some rows from a centre, feature by feature.

    Parameters
    ----------
    stored : ndarray of shape (m, d)
    index : ndarray of int of shape (n,)
        The rows, among the stored ones.
    centre : ndarray of shape (d,)
    out : ndarray of shape (d,)
        Changed in place.
    """
    for i in range(index.size):
        row = stored[index[i]]
        for j in range(out.size):
            distance = row[j] - centre[j]
            out[j] += distance * distance


@_njit_nogil
def read_lines(stored: np.ndarray) -> float:
    """Bring rows into the cache: read one value of each cache line, in order, and return the sum of these.

    Parameters
    ----------
    stored : ndarray of shape (n, d)

    Returns
    -------
    float
        Of no use but that the compiler has to read what is summed.
    """
    values = LINE_BYTES // stored.itemsize
    total = 0.0
    for i in range(stored.shape[0]):
        for j in range(0, stored.shape[1], values):
            total += stored[i, j]
    return total
