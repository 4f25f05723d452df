"""Euclidean projections that the solvers need and no library offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.jit import REORDERING_FLAGS, array_max, njit_cached

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@njit_cached(fastmath=REORDERING_FLAGS)
def solve_balance_equation(upper: np.ndarray, lower: np.ndarray, guess: float) -> float:
    """Find the root g of Σ (upper_i − g)₊ = Σ (g − lower_j)₊, by Newton's method in a bracket.

    This is the projection on {a, b ≥ 0, Σa = Σb}: a = (upper − g)₊ and b = (g − lower)₊, where upper and
    −lower are the points to be projected (Li, Jin and Zhou 2014). The difference of the two sums is piecewise
    linear and decreasing. A Newton step is exact on the piece that it starts from, so the search ends when
    two points lie on one piece; from a good guess that takes two or three sweeps. Bisection takes over where
    Newton leaves the bracket.

    Parameters
    ----------
    upper : ndarray of shape (m,)
    lower : ndarray of shape (n,)
        max(upper) > min(lower).
    guess : float
        Where the search starts, for instance the root of the last projection.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.projections import solve_balance_equation
    >>> solve_balance_equation(np.array([3.0]), np.array([1.0]), 0.0)
    2.0
    """
    # at the lowest lower_j the right sum is 0, at the highest upper_i the left one: the root lies between
    low, high = lower[0], array_max(upper)
    for j in range(1, lower.size):
        low = min(low, lower[j])
    g = min(max(guess, low), high)
    last_upper, last_lower = -1.0, -1.0
    while True:
        # counts in floating point: the loops then run on vectors
        sum_upper, count_upper, sum_lower, count_lower = 0.0, 0.0, 0.0, 0.0
        for i in range(upper.size):
            distance = upper[i] - g
            sum_upper += max(distance, 0.0)
            count_upper += 1.0 if distance > 0.0 else 0.0
        for j in range(lower.size):
            distance = g - lower[j]
            sum_lower += max(distance, 0.0)
            count_lower += 1.0 if distance > 0.0 else 0.0
        if count_upper == last_upper and count_lower == last_lower:
            return g  # the Newton step stayed on the piece for which it is exact
        excess = sum_upper - sum_lower
        if excess > 0.0:
            low = g
        elif excess < 0.0:
            high = g
        else:
            return g
        # Newton: on each linear piece the difference falls by the number of active terms
        newton_point = g + excess / (count_upper + count_lower)
        if low < newton_point < high:
            last_upper, last_lower = count_upper, count_lower
            g = newton_point
        else:
            # the step left the bracket: halve it, and forget the counts, since the piece is another one
            last_upper, last_lower = -1.0, -1.0
            midpoint = 0.5 * (low + high)
            if midpoint <= low or midpoint >= high:
                return g  # the bracket is down to neighbouring floats
            g = midpoint


def project_simplex(v: ArrayLike, radius: float = 1.0) -> np.ndarray:
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

    Examples
    --------
    >>> from toprank.projections import project_simplex
    >>> project_simplex([0.75, 0.25, -1.0], radius=0.5)
    array([0.5, 0. , 0. ])
    """
    v = np.asarray(v, dtype=float)
    if v.ndim != 1 or not v.size or not np.isfinite(v).all():
        raise ValueError("project_simplex needs a non-empty vector of finite numbers")
    if not radius > 0:
        raise ValueError(f"the radius of the simplex must be positive; got {radius}")
    # the support is the longest prefix of the sorted entries that stay positive (Duchi et al. 2008)
    descending = np.sort(v)[::-1]
    excess = np.cumsum(descending) - radius
    is_prefix = descending * np.arange(1, v.size + 1) > excess
    if (
        not is_prefix.any()
    ):  # the radius is below the last digit of the largest entry; a shift changes nothing
        return project_simplex(v - descending[0], radius)
    support = np.flatnonzero(is_prefix)[-1]
    return np.maximum(v - excess[support] / (support + 1), 0.0)


@njit_cached
def _compute_sorted_clip_levels(rows: np.ndarray, radius: float) -> np.ndarray:
    """Return the levels of `compute_clip_levels` for rows in descending order."""
    n_groups, size = rows.shape
    # of each column: its level, the sum of its clipped entries, and their number k
    levels, masses = np.empty(n_groups), np.empty(n_groups)
    counts, active = np.empty(n_groups, np.int64), np.empty(n_groups, np.int64)
    # levels start at the largest entries, theta = 0; active are the columns whose level is above 0
    n_active, theta = n_groups, 0.0
    total, slope = 0.0, float(n_groups)
    for j in range(n_groups):
        levels[j] = masses[j] = rows[j, 0]
        counts[j], active[j] = 1, j
        total += rows[j, 0]
    while total > radius:
        # Newton step: the levels' sum falls by 1/k for each active column with k clipped entries
        theta += (total - radius) / slope
        total, slope, n_before, same_piece = 0.0, 0.0, n_active, True
        n_active = 0
        for position in range(n_before):
            j = active[position]
            mass, count = masses[j], counts[j]
            # entries that the lower level reaches are clipped too
            while count < size and mass - count * rows[j, count] < theta:
                mass += rows[j, count]
                count += 1
                same_piece = False
            # level = (mass of the clipped entries − theta) / k; at 0 the whole column vanishes
            levels[j], masses[j], counts[j] = max(mass - theta, 0.0) / count, mass, count
            if levels[j] > 0.0:
                total += levels[j]
                slope += 1.0 / count
                active[n_active] = j
                n_active += 1
        if same_piece and n_active == n_before:
            break  # the step was exact on its linear piece
    return levels


def compute_clip_levels(magnitudes: np.ndarray, radius: float) -> np.ndarray:
    """Return the levels at which the projection on an l1,inf ball clips the columns of a non-negative matrix.

    All columns whose level is positive lose the same mass θ, and the levels sum to the radius. That sum is
    convex, piecewise linear and decreasing in θ: Newton's method from 0 is monotone and ends on the exact
    root (Chu, Zhang, Sun and Tao 2020).

    Parameters
    ----------
    magnitudes : ndarray of shape (size, n_groups)
        Not negative.
    radius : float
        Not negative.

    Returns
    -------
    ndarray of shape (n_groups,)
        The largest entry of each column where the matrix lies in the ball.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.projections import compute_clip_levels
    >>> compute_clip_levels(np.array([[3.0, 1.0], [1.0, 0.0]]), 2.0)
    array([2., 0.])
    """
    # inside the ball nothing is clipped
    largest = magnitudes.max(axis=0)
    if largest.sum() <= radius:
        return largest
    if radius == 0:
        return np.zeros_like(largest)
    # one row: the l1,inf ball is the l1 ball, and the levels are a projection on the simplex
    if len(magnitudes) == 1:
        return project_simplex(largest, radius)
    descending = -magnitudes.T
    descending.sort(axis=1)
    return _compute_sorted_clip_levels(-descending, float(radius))


def project_l1_inf_ball(V: ArrayLike, radius: float = 1.0) -> np.ndarray:
    r"""Project a matrix on the ball :math:`\sum_j \max_i |V_{ij}| \le` radius; a column is a group.

    Quattoni et al. 2009; found exactly, by the Newton method of Chu et al. 2020.

    Parameters
    ----------
    V : array-like of shape (size, n_groups)
        A vector is a single column.
    radius : float, default=1.0
        Not negative.

    Returns
    -------
    ndarray of the shape of V

    Raises
    ------
    ValueError
        If the radius is negative or not finite, or V is empty, not finite or of more than two dimensions.

    Examples
    --------
    >>> from toprank.projections import project_l1_inf_ball
    >>> project_l1_inf_ball([[3.0, 1.0], [1.0, 0.0]], radius=2.0)
    array([[2., 0.],
           [1., 0.]])
    """
    V = np.asarray(V, dtype=float)
    if V.ndim not in (1, 2) or not V.size or not np.isfinite(V).all():
        raise ValueError(
            f"project_l1_inf_ball needs a non-empty matrix of finite numbers; got shape {V.shape}"
            + ("" if np.isfinite(V).all() else " with a NaN or an infinite entry")
        )
    if not (np.isfinite(radius) and radius >= 0):
        raise ValueError(f"the radius of the l1,inf ball must be a number of at least 0; got {radius}")
    columns = V.reshape(len(V), -1)
    levels = compute_clip_levels(np.abs(columns), radius)
    return np.clip(columns, -levels, levels).reshape(V.shape)
