"""The absolute values of an elastic net in a conic program, and the zeros of its solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import clarabel
import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from toprank.penalties import Penalty


def select_slopes(penalty: Penalty, alpha: float, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the features whose absolute value costs something, and its cost in units of the rows.

    Parameters
    ----------
    penalty : Penalty
        Of the features of the model.
    alpha : float
    scale : ndarray of shape (d,)
        Unit of each feature of the rows.

    Returns
    -------
    features : ndarray of int of shape (k,)
    slopes : ndarray of shape (k,)
    """
    thresholds = penalty.thresholds
    if thresholds is None:
        return np.empty(0, dtype=np.intp), np.empty(0)
    # units: u_j = w_j scale_j, so that alpha beta_j |w_j| = (alpha beta_j / scale_j) |u_j|
    slopes = alpha * np.broadcast_to(thresholds, scale.shape) / scale
    features = np.flatnonzero(slopes)
    return features, slopes[features]


def add_absolute_values(
    blocks: list[list], bound: np.ndarray, cones: list, features: np.ndarray, n_columns: int
) -> tuple[list[list], np.ndarray]:
    """Add the variables r_j and the rows ±u_j ≤ r_j to the blocks of a conic program.

    Parameters
    ----------
    blocks : list of list
        Rows of blocks; the first column belongs to u.
    bound : ndarray
    cones : list
        Extended in place.
    features : ndarray of int of shape (k,)
        Those j.
    n_columns : int
        Of u.

    Returns
    -------
    blocks : list of list
    bound : ndarray
    """
    k = features.size
    if not k:
        return blocks, bound
    n_between = len(blocks[0]) - 1
    # rows u_j − r_j ≤ 0 and −u_j − r_j ≤ 0; r_j is charged with the slope of |u_j|
    selection = sp.csr_array((np.ones(k), (np.arange(k), features)), (k, n_columns))
    blocks = [[*row, None] for row in blocks]
    blocks += [[sign * selection, *[None] * n_between, -sp.eye_array(k)] for sign in (1.0, -1.0)]
    cones.append(clarabel.NonnegativeConeT(2 * k))
    return blocks, np.append(bound, np.zeros(2 * k))


def round_to_zero(u: np.ndarray, weights: np.ndarray, features: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Return u with zeros where the multipliers of both ±u_j ≤ r_j are positive.

    An interior point has small values in their place. Of a product that vanishes the factor that is smaller,
    in its own unit, is 0.

    Parameters
    ----------
    u : ndarray of shape (d,)
    weights : ndarray
        Multipliers of the conic program, the last 2 k of these rows.
    features : ndarray of int of shape (k,)
    slopes : ndarray of shape (k,)
        The sum of both multipliers at the optimum.

    Returns
    -------
    ndarray of shape (d,)
    """
    k = features.size
    if not k:
        return u
    # the two multipliers sum to the slope: the smaller one is positive only where u_j = 0
    smaller = np.minimum(weights[-2 * k : -k], weights[-k:]) / slopes
    u, largest = u.copy(), np.abs(u).max(initial=0.0) or 1.0
    u[features[np.abs(u[features]) / largest < smaller]] = 0.0
    return u
