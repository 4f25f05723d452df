"""Euclidean projections that the solvers need and no library offers."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def balance(above, below, guess):
    """Root g of Σ (above_i − g)₊ = Σ (g − below_j)₊, by Newton's method in a bracket.

    The difference of the two sums is piecewise linear and decreasing. A Newton step is exact on the piece
    that it starts from, so the search ends when two points lie on one piece; from a good guess that takes two
    or three sweeps. Bisection takes over where Newton leaves the bracket.

    Parameters
    ----------
    above, below : ndarray
        Not both without an entry beyond the other's extreme: max(above) > min(below).
    guess : float
    """
    low, high = below.min(), above.max()
    g = min(max(guess, low), high)
    last_above, last_below = -1.0, -1.0
    while True:
        # counts in floating point: the loops then run on vectors
        sum_above, count_above, sum_below, count_below = 0.0, 0.0, 0.0, 0.0
        for i in range(above.size):
            distance = above[i] - g
            sum_above += max(distance, 0.0)
            count_above += 1.0 if distance > 0.0 else 0.0
        for j in range(below.size):
            distance = g - below[j]
            sum_below += max(distance, 0.0)
            count_below += 1.0 if distance > 0.0 else 0.0
        if count_above == last_above and count_below == last_below:
            return g  # the Newton step stayed on the piece for which it is exact
        excess = sum_above - sum_below
        if excess > 0.0:
            low = g
        elif excess < 0.0:
            high = g
        else:
            return g
        newton = g + excess / (count_above + count_below)
        if low < newton < high:
            last_above, last_below = count_above, count_below
            g = newton
        else:
            last_above, last_below = -1.0, -1.0
            middle = 0.5 * (low + high)
            if middle <= low or middle >= high:
                return g  # the bracket is down to neighbouring floats
            g = middle


def project_top_push(positive, negative):
    """Project on {a >= 0, b >= 0, Σa = Σb}, the feasible set of TopPush's dual.

    Li, Jin and Zhou 2014, section 3.2. It is ``a = (positive − g)₊``, ``b = (negative + g)₊`` with
    the one g that balances the sums; a sweep of the search for it is linear, and a handful suffice.

    Parameters
    ----------
    positive : array-like of shape (m,)
    negative : array-like of shape (n,)

    Returns
    -------
    a : ndarray of shape (m,)
    b : ndarray of shape (n,)

    Raises
    ------
    ValueError
        If an entry is not finite, or an argument is empty or not one-dimensional.
    """
    positive, negative = np.asarray(positive, dtype=float), np.asarray(negative, dtype=float)
    if positive.ndim != 1 or negative.ndim != 1 or not positive.size or not negative.size:
        raise ValueError(
            f"positive and negative must be non-empty vectors; got shapes {positive.shape}, {negative.shape}"
        )
    if not (np.isfinite(positive).all() and np.isfinite(negative).all()):
        raise ValueError("cannot project values that are NaN or infinite; check the step size")
    if positive.max() <= -negative.max():
        return np.zeros_like(positive), np.zeros_like(negative)
    shift = balance(positive, -negative, 0.0)
    return np.maximum(positive - shift, 0.0), np.maximum(negative + shift, 0.0)


def project_simplex(v, radius=1.0):
    """Project a vector on the simplex {a >= 0, Σa = radius} (Duchi et al. 2008).

    Parameters
    ----------
    v : array-like of shape (n,)
    radius : float
        Positive.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        If the radius is not positive, or the vector is empty or not finite.
    """
    v = np.asarray(v, dtype=float)
    if v.ndim != 1 or not v.size or not np.isfinite(v).all():
        raise ValueError("project_simplex needs a non-empty vector of finite numbers")
    if not radius > 0:
        raise ValueError(f"the radius of the simplex must be positive; got {radius}")
    ordered = np.sort(v)[::-1]
    excess = np.cumsum(ordered) - radius
    support = np.flatnonzero(ordered * np.arange(1, v.size + 1) > excess)[-1]
    return np.maximum(v - excess[support] / (support + 1), 0.0)
