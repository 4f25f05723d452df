"""Test whether w = 0 is optimal at every alpha: the mean of the positives in the hull of the negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import Clock, OutOfTime
from toprank.least_squares import NonNegativeLeastSquares, normalise_columns
from toprank.problems.rows import SelectedRows

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

#: Number of negatives that are added at a time.
NEGATIVES_PER_STEP = 100
#: A mean within this distance of the hull, in spreads of the features, counts as inside.
HULL_DISTANCE_TOL = 1e-9
#: A feature that varies by less than this, relative to its values, is constant.
CONSTANT_FEATURE_RTOL = 1e-13


def compute_mean_row(rows: RowMatrix) -> np.ndarray:
    """Return the mean row in float64, whatever the type of the rows.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)

    Returns
    -------
    ndarray of shape (d,)
    """
    if isinstance(rows, SelectedRows):
        return rows.mean()
    if sp.issparse(rows):
        # scipy's mean takes ten times as long; the sum comes first, so that a column of ones has the mean 1
        return rows.T @ np.ones(rows.shape[0]) / rows.shape[0]
    return rows.mean(axis=0, dtype=np.float64)


def make_row(values: np.ndarray, like: RowMatrix) -> np.ndarray | sp.csr_array:
    """Return a matrix of one row, sparse beside sparse rows.

    Parameters
    ----------
    values : ndarray of shape (d,)
    like : ndarray, csr_array or SelectedRows of shape (n, d)
        Rows that the row is used with.

    Returns
    -------
    ndarray or csr_array of shape (1, d)
    """
    return sp.csr_array(values[None, :]) if sp.issparse(like) else values[None, :]


def compute_feature_extremes(rows: RowMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest and smallest value of each feature.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)

    Returns
    -------
    tuple of ndarray of shape (d,)
    """
    if not sp.issparse(rows):
        return rows.max(axis=0), rows.min(axis=0)
    columns = sp.csc_array(rows)  # each of the two would convert the rows anew
    return columns.max(axis=0).toarray().ravel(), columns.min(axis=0).toarray().ravel()


def compute_feature_gaps(mean: np.ndarray, highest: np.ndarray, lowest: np.ndarray) -> np.ndarray:
    """Compute how far the mean of the positives lies outside the range of the negatives, feature by feature.

    Where it lies outside of one, that feature alone separates it from the convex hull of the negatives.

    Parameters
    ----------
    mean : ndarray of shape (d,)
        Mean row of the positives.
    highest, lowest : ndarray of shape (d,)
        Largest and smallest value of each feature among the negatives.

    Returns
    -------
    ndarray of shape (d,)
        0 inside the range, and where the gap is no more than rounding.
    """
    unit = np.maximum(highest - mean, mean - lowest)
    # a constant feature has no unit: its differences are rounding errors
    is_constant = unit <= CONSTANT_FEATURE_RTOL * np.abs(mean)
    # outside of the range of the negatives in one feature: that feature alone separates
    gaps = np.maximum(mean - highest, lowest - mean)
    return np.where((gaps > HULL_DISTANCE_TOL * unit) & ~is_constant, gaps, 0.0)


def is_rounding_error(difference: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> bool:
    """Whether a difference of means is no more than rounding in every feature.

    Parameters
    ----------
    difference : ndarray of shape (d,)
        Between the means of both classes.
    mean : ndarray of shape (d,)
        Mean row of the positives.
    spread : ndarray of shape (d,)
        Largest distance of a negative from it.

    Returns
    -------
    bool
    """
    tolerance = np.maximum(HULL_DISTANCE_TOL * spread, CONSTANT_FEATURE_RTOL * np.abs(mean))
    return bool(np.all(np.abs(difference) <= tolerance))


def check_both_classes(positives: RowMatrix, negatives: RowMatrix) -> None:
    """Raise a ValueError if a class has no row.

    Parameters
    ----------
    positives : ndarray, csr_array or SelectedRows of shape (m, d)
    negatives : ndarray, csr_array or SelectedRows of shape (n, d)

    Raises
    ------
    ValueError
        If a class has no row.
    """
    if not (positives.shape[0] and negatives.shape[0]):
        raise ValueError(
            "the test whether w = 0 is optimal needs a positive and a negative row; "
            f"there are {positives.shape[0]} and {negatives.shape[0]}"
        )


def is_zero_optimal(
    positives: RowMatrix, negatives: RowMatrix, w: np.ndarray | None = None, time_limit: float | None = None
) -> bool | None:
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
    clock, mean, negative_mean = Clock(time_limit), compute_mean_row(positives), compute_mean_row(negatives)
    # the answer does not depend on the unit of a feature: here the farthest negative has distance 1
    highest, lowest = compute_feature_extremes(negatives)
    unit = np.maximum(highest - mean, mean - lowest)
    # a constant feature has no unit: its differences are rounding errors
    unit[unit <= CONSTANT_FEATURE_RTOL * np.abs(mean)] = np.inf
    if compute_feature_gaps(mean, highest, lowest).any():
        return False

    def compute_distances(normal: np.ndarray) -> np.ndarray:
        """Return how far each negative lies below the mean along a direction of unit length.

        Parameters
        ----------
        normal : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (n,)
        """
        length = np.abs(normal * np.where(np.isfinite(unit), unit, 0.0)).max() or 1.0
        return (float(mean @ normal) - negatives @ normal) / length

    if w is not None and compute_distances(w).min() > HULL_DISTANCE_TOL:
        return False
    # a separating direction or a convex combination: the first guess is the difference of the means
    direction, is_chosen = (mean - negative_mean) / unit, np.zeros(negatives.shape[0], dtype=bool)
    # Σ x_j (mean − x_j, 1) nearest to (0, 1): residual 0 where the mean is a convex combination (Lawson and
    # Hanson's least distance)
    problem = NonNegativeLeastSquares(np.append(np.zeros(mean.size), 1.0))
    rows, columns = np.empty((0, mean.size)), np.empty((0, mean.size + 1))
    x, lengths = np.empty(0), np.empty(0)
    while True:
        distances = compute_distances(direction / unit)
        if distances.min() > HULL_DISTANCE_TOL:
            return False
        # Frank-Wolfe's choice in batches: the negatives that the present direction separates least
        nearest = np.argpartition(distances, min(NEGATIVES_PER_STEP, distances.size) - 1)[:NEGATIVES_PER_STEP]
        new_negatives = nearest[~is_chosen[nearest]]
        if not new_negatives.size:
            return True  # no negative to add and no separation: the rest is rounding
        is_chosen[new_negatives] = True
        new_rows = negatives[new_negatives]
        new_rows = (mean - (new_rows.toarray() if sp.issparse(new_rows) else new_rows)) / unit
        rows = np.vstack([rows, new_rows])
        new_rows = np.column_stack([new_rows, np.ones(new_negatives.size)])
        lengths = np.append(lengths, normalise_columns(new_rows))
        columns = np.vstack([columns, new_rows])
        try:
            x = problem.solve(columns, np.append(x, np.zeros(new_negatives.size)), clock)
        except OutOfTime:
            return None
        # weights of the rows before their normalisation; the residual's direction is the next normal
        weights = x / lengths
        direction = weights @ rows / weights.sum()
        if np.abs(direction).max() <= HULL_DISTANCE_TOL:
            return True
        if clock.is_over():
            return None
