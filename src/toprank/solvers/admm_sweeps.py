"""Compiled sweeps of the ADMM family over dense, stored and sparse rows; see `toprank.solvers.admm_rows`."""

from __future__ import annotations

import numpy as np

from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.problems.row_kernels import compute_scores

#: Rows of a dense or sparse block.
ROWS_PER_BLOCK = 128
#: Rows read where they are stored: 16 of 2000 features in float32 are 128 kB.
STORED_ROWS_PER_BLOCK = 16

_njit_reordering = njit_cached(fastmath=REORDERING_FLAGS, nogil=True)


@_njit_reordering
def _compute_scores_dense(block: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = 0.0
    for j in range(block.shape[0]):
        weight = w[j]
        column = block[j]
        for i in range(out.size):
            out[i] += weight * column[i]


@_njit_reordering
def _accumulate_dense(block: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    for j in range(block.shape[0]):
        total = 0.0
        column = block[j]
        for i in range(v.size):
            total += column[i] * v[i]
        out[j] += total


# --- one block of rows: proximal steps, multipliers, extrapolation -----------------------------------------
@_njit_reordering
def _update_rows(
    score, state, first, count, is_positive, restarts, restarted, constants, sums, v, v_plain
) -> None:
    """Update ``count`` rows from A x = ``score``; ``state`` holds γ, γ̂, ŷ and y.

    b minimises (1/m)(1 + b)₊² + (strong/2)b² + (ρ/2)(b − c)², its pieces meet at c = −(1 + strong/ρ); s is a
    clipped mean. Then γ = γ̂ + ρ(Ax + y), and with the momentum ``weight`` the next γ̂ and the ŷ that
    minimises f₂(y) + γ̂'y (plain ADMM: y itself). After a restart the point before extrapolation, (y, γ),
    stands for (ŷ, γ̂).

    Fills v = ρŷ + γ̂ and, for a method that restarts, y and v_plain = ρy + γ; adds ‖Ax + y‖² and ‖y − ŷ‖² to
    ``sums``.
    """
    rho, strong, two_over_m, weight = constants
    last = first + count
    gamma, gamma_hat, y_hat, y = (
        state[0][first:last],
        state[1][first:last],
        state[2][first:last],
        state[3][first:last],
    )
    accelerated = strong > 0.0
    inverse_rho, shrink, shrink_loss = 1.0 / rho, rho / (rho + strong), 1.0 / (rho + two_over_m + strong)
    threshold = -(1.0 + strong / rho)
    inverse_strong = 1.0 / strong if accelerated else 0.0
    inverse_strong_loss = 1.0 / (strong + two_over_m)
    residual_sum, change_sum = 0.0, 0.0
    for i in range(count):
        last_hat = gamma[i] if restarted else gamma_hat[i]
        last_y = y[i] if restarted else y_hat[i]
        c = -score[i] - inverse_rho * last_hat
        if is_positive:
            # b: beyond the kink only the quadratic terms act, before it the loss as well
            new_y = shrink * c if c <= threshold else shrink_loss * (rho * c - two_over_m)
        else:
            # s ≤ 0: a separable quadratic, clipped
            new_y = min(shrink * c, 0.0)
        residual = new_y + score[i]
        change = new_y - last_y
        residual_sum += residual * residual
        change_sum += change * change
        # multipliers, then their extrapolation with the momentum (K15 Algorithm 2)
        new_gamma = last_hat + rho * residual
        new_hat = new_gamma + weight * (new_gamma - gamma[i])
        new_y_hat = new_y
        if accelerated:
            # ŷ minimises f₂(y) + γ̂'y (Algorithm 3, line 10, with the missing minus)
            new_y_hat = -inverse_strong * new_hat
            if is_positive:
                new_y_hat = new_y_hat if new_y_hat <= -1.0 else -inverse_strong_loss * (new_hat + two_over_m)
            else:
                new_y_hat = min(new_y_hat, 0.0)
        gamma[i], gamma_hat[i], y_hat[i] = new_gamma, new_hat, new_y_hat
        v[i] = rho * new_y_hat + new_hat
        if restarts:
            y[i] = new_y
            v_plain[i] = rho * new_y + new_gamma
    # padding rows of the last block must not add to A'v
    for i in range(count, v.size):
        v[i] = 0.0
        v_plain[i] = 0.0
    sums[0] += residual_sum
    sums[1] += change_sum


@_njit_reordering
def sweep_dense(
    blocks, x, sign, state, is_positive, restarts, restarted, constants, sums, g, g_plain
) -> None:
    """Run one iteration on dense rows.

    Parameters
    ----------
    blocks : ndarray of shape (n_blocks, d, ROWS_PER_BLOCK)
        The signed rows.
    x : ndarray of shape (d + 1,)
        The weights, and the bound on the negatives' scores.
    sign : float
        1 for positives, −1 for negatives.
    state : tuple of four ndarray of shape (n,)
        γ, γ̂, ŷ and y; changed in place.
    is_positive, restarts, restarted : bool
        The class; whether the method may restart, and whether it does so in this iteration.
    constants : tuple of float
        (ρ, strong convexity of y, 2/m, momentum).
    sums, g, g_plain : ndarray
        Added to in place: see `SignedRows.sweep`.
    """
    d, n = x.size - 1, state[0].size
    score, v, v_plain = np.empty(ROWS_PER_BLOCK), np.empty(ROWS_PER_BLOCK), np.empty(ROWS_PER_BLOCK)
    for k in range(blocks.shape[0]):
        first = k * ROWS_PER_BLOCK
        count = min(ROWS_PER_BLOCK, n - first)
        _compute_scores_dense(blocks[k], x[:d], score)
        for i in range(ROWS_PER_BLOCK):
            score[i] -= sign * x[d]
        _update_rows(
            score, state, first, count, is_positive, restarts, restarted, constants, sums, v, v_plain
        )
        _accumulate_dense(blocks[k], v, g[:d])
        g[d] -= sign * v.sum()
        if restarts:
            _accumulate_dense(blocks[k], v_plain, g_plain[:d])
            g_plain[d] -= sign * v_plain.sum()


# four rows at a time share the reads and writes of the sums
@_njit_reordering
def _accumulate_stored(stored, index, first, last, v, out) -> None:
    i = first
    while i < last - 3:
        row0, row1, row2, row3 = (
            stored[index[i]],
            stored[index[i + 1]],
            stored[index[i + 2]],
            stored[index[i + 3]],
        )
        k = i - first
        v0, v1, v2, v3 = v[k], v[k + 1], v[k + 2], v[k + 3]
        for j in range(out.size):
            out[j] += v0 * row0[j] + v1 * row1[j] + v2 * row2[j] + v3 * row3[j]
        i += 4
    while i < last:
        row, weight = stored[index[i]], v[i - first]
        for j in range(out.size):
            out[j] += weight * row[j]
        i += 1


@_njit_reordering
def _accumulate_stored_twice(stored, index, first, last, v, v_plain, out, out_plain) -> None:
    """Add the sums of the same rows with two weights, each as `_accumulate_stored` does, in one read."""
    i = first
    while i < last - 3:
        row0, row1, row2, row3 = (
            stored[index[i]],
            stored[index[i + 1]],
            stored[index[i + 2]],
            stored[index[i + 3]],
        )
        k = i - first
        v0, v1, v2, v3 = v[k], v[k + 1], v[k + 2], v[k + 3]
        p0, p1, p2, p3 = v_plain[k], v_plain[k + 1], v_plain[k + 2], v_plain[k + 3]
        for j in range(out.size):
            x0, x1, x2, x3 = row0[j], row1[j], row2[j], row3[j]
            out[j] += v0 * x0 + v1 * x1 + v2 * x2 + v3 * x3
            out_plain[j] += p0 * x0 + p1 * x1 + p2 * x2 + p3 * x3
        i += 4
    while i < last:
        row, weight, plain = stored[index[i]], v[i - first], v_plain[i - first]
        for j in range(out.size):
            out[j] += weight * row[j]
            out_plain[j] += plain * row[j]
        i += 1


@_njit_reordering
def sweep_stored(rows, x, sign, state, is_positive, restarts, restarted, constants, sums, g, g_plain) -> None:
    """Run one iteration on rows that are read where they are stored.

    Parameters
    ----------
    rows : tuple of ndarray
        The array of all rows, and the indices of the rows of this class.
    x, sign, state, is_positive, restarts, restarted, constants, sums, g, g_plain
        As in `sweep_dense`.
    """
    stored, index = rows
    d, n = x.size - 1, state[0].size
    score, v, v_plain = (
        np.empty(STORED_ROWS_PER_BLOCK),
        np.empty(STORED_ROWS_PER_BLOCK),
        np.empty(STORED_ROWS_PER_BLOCK),
    )
    signed_v, signed_plain = np.zeros(d), np.zeros(d)
    for first in range(0, n, STORED_ROWS_PER_BLOCK):
        last = min(first + STORED_ROWS_PER_BLOCK, n)
        compute_scores(stored, index[first:last], x[:d], score)
        for i in range(last - first):
            score[i] = sign * (score[i] - x[d])
        _update_rows(
            score, state, first, last - first, is_positive, restarts, restarted, constants, sums, v, v_plain
        )
        g[d] -= sign * v.sum()
        if restarts:
            _accumulate_stored_twice(stored, index, first, last, v, v_plain, signed_v, signed_plain)
            g_plain[d] -= sign * v_plain.sum()
        else:
            _accumulate_stored(stored, index, first, last, v, signed_v)
    for j in range(d):
        g[j] += sign * signed_v[j]
        g_plain[j] += sign * signed_plain[j]


# no fastmath here: with leave to reorder, the compiler turns the short sparse sums into slow vector gathers
@njit_cached(nogil=True)
def _compute_scores_csr(data, indices, indptr, first, last, x, sign, out) -> None:
    intercept = x[x.size - 1]
    for i in range(first, last):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * x[indices[k]]
        out[i - first] = sign * (total - intercept)


@_njit_reordering
def _accumulate_csr(data, indices, indptr, first, last, v, sign, out) -> None:
    for i in range(first, last):
        weighted = sign * v[i - first]
        for k in range(indptr[i], indptr[i + 1]):
            out[indices[k]] += weighted * data[k]
    out[out.size - 1] -= sign * v.sum()


@_njit_reordering
def _accumulate_csr_twice(rows, first, last, v, v_plain, sign, out, out_plain) -> None:
    """Add the sums of the same rows with two weights, each as `_accumulate_csr` does, in one read."""
    data, indices, indptr = rows
    for i in range(first, last):
        weighted, plain = sign * v[i - first], sign * v_plain[i - first]
        for k in range(indptr[i], indptr[i + 1]):
            j, value = indices[k], data[k]
            out[j] += weighted * value
            out_plain[j] += plain * value
    out[out.size - 1] -= sign * v.sum()
    out_plain[out.size - 1] -= sign * v_plain.sum()


@_njit_reordering
def sweep_csr(rows, x, sign, state, is_positive, restarts, restarted, constants, sums, g, g_plain) -> None:
    """Run one iteration on sparse rows.

    Parameters
    ----------
    rows : tuple of ndarray
        ``data``, ``indices`` and ``indptr``.
    x, sign, state, is_positive, restarts, restarted, constants, sums, g, g_plain
        As in `sweep_dense`.
    """
    data, indices, indptr = rows
    n = state[0].size
    score, v, v_plain = np.empty(ROWS_PER_BLOCK), np.empty(ROWS_PER_BLOCK), np.empty(ROWS_PER_BLOCK)
    for first in range(0, n, ROWS_PER_BLOCK):
        count = min(ROWS_PER_BLOCK, n - first)
        last = first + count
        _compute_scores_csr(data, indices, indptr, first, last, x, sign, score)
        _update_rows(
            score, state, first, count, is_positive, restarts, restarted, constants, sums, v, v_plain
        )
        if restarts:
            _accumulate_csr_twice(rows, first, last, v, v_plain, sign, g, g_plain)
        else:
            _accumulate_csr(data, indices, indptr, first, last, v, sign, g)
