"""Test whether w = 0 is optimal at every alpha: the mean of the positives in the hull of the negatives."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from toprank.clock import Clock, OutOfTime
from toprank.least_squares import NonNegativeLeastSquares, normalise_columns
from toprank.problems.rows import SelectedRows

#: Number of negatives that are added at a time.
NEGATIVES_PER_STEP = 100
#: A mean within this distance of the hull, in spreads of the features, counts as inside.
HULL_DISTANCE_TOL = 1e-9
#: A feature that varies by less than this, relative to its values, is constant.
CONSTANT_FEATURE_RTOL = 1e-13


def mean_row(rows):
    """Mean row in float64, whatever the type of the rows."""
    if isinstance(rows, SelectedRows):
        return rows.mean()
    if sp.issparse(rows):
        # scipy's mean takes ten times as long; the sum comes first, so that a column of ones has the mean 1
        return rows.T @ np.ones(rows.shape[0]) / rows.shape[0]
    return rows.mean(axis=0, dtype=np.float64)


def feature_extremes(rows):
    """Largest and smallest value of each feature."""
    highest, lowest = rows.max(axis=0), rows.min(axis=0)
    if sp.issparse(rows):
        return highest.toarray().ravel(), lowest.toarray().ravel()
    return highest, lowest


def check_both_classes(positives, negatives):
    """Raise a ValueError if a class has no row."""
    if not (positives.shape[0] and negatives.shape[0]):
        raise ValueError(
            "the test whether w = 0 is optimal needs a positive and a negative row; "
            f"there are {positives.shape[0]} and {negatives.shape[0]}"
        )


def zero_is_optimal(positives, negatives, w=None, time_limit=None):
    r"""Whether w = 0 minimises R12 eq. (2) and K15 eq. (11) at every alpha.

    It does if and only if the mean of the positives lies in the convex hull of the negatives. The point of
    the hull of a few negatives that is nearest to the mean is found by non-negative least squares (Lawson and
    Hanson's least distance). Then the negatives that lie farthest in the direction of the mean are added. The
    search ends when the two points coincide, or when a plane separates the mean from all negatives.

    Parameters
    ----------
    positives, negatives : ndarray, csr_array or SelectedRows of shapes (m, d) and (n, d)
    w : ndarray of shape (d,), optional
        A direction that may separate the mean from the negatives.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    bool or None
        None if the time was too short.

    Raises
    ------
    ValueError
        If a class has no row.
    """
    check_both_classes(positives, negatives)
    clock, mean, others = Clock(time_limit), mean_row(positives), mean_row(negatives)
    # the answer does not depend on the unit of a feature: here the farthest negative has distance 1
    highest, lowest = feature_extremes(negatives)
    unit = np.maximum(highest - mean, mean - lowest)
    # a constant feature has no unit: its differences are rounding errors
    unit[unit <= CONSTANT_FEATURE_RTOL * np.abs(mean)] = np.inf
    if np.any(np.maximum(mean - highest, lowest - mean) > HULL_DISTANCE_TOL * unit):
        return False

    def distances(along):
        """How far each negative lies below the mean along a direction of unit length."""
        length = np.abs(along * np.where(np.isfinite(unit), unit, 0.0)).max() or 1.0
        return (float(mean @ along) - negatives @ along) / length

    if w is not None and distances(w).min() > HULL_DISTANCE_TOL:
        return False
    direction, is_chosen = (mean - others) / unit, np.zeros(negatives.shape[0], dtype=bool)
    problem = NonNegativeLeastSquares(np.append(np.zeros(mean.size), 1.0))
    rows, columns = np.empty((0, mean.size)), np.empty((0, mean.size + 1))
    x, lengths = np.empty(0), np.empty(0)
    while True:
        below = distances(direction / unit)
        if below.min() > HULL_DISTANCE_TOL:
            return False
        nearest = np.argpartition(below, min(NEGATIVES_PER_STEP, below.size) - 1)[:NEGATIVES_PER_STEP]
        fresh = nearest[~is_chosen[nearest]]
        if not fresh.size:
            return True  # no negative to add and no separation: the rest is rounding
        is_chosen[fresh] = True
        added = negatives[fresh]
        added = (mean - (added.toarray() if sp.issparse(added) else added)) / unit
        rows = np.vstack([rows, added])
        added = np.column_stack([added, np.ones(fresh.size)])
        lengths = np.append(lengths, normalise_columns(added))
        columns = np.vstack([columns, added])
        try:
            x = problem.solve(columns, np.append(x, np.zeros(fresh.size)), clock)
        except OutOfTime:
            return None
        weights = x / lengths
        direction = weights @ rows / weights.sum()
        if np.abs(direction).max() <= HULL_DISTANCE_TOL:
            return True
        if clock.is_over():
            return None
