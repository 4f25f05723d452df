"""Scale the features so that the Gram matrices and models of the exact solvers are well conditioned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.problems.sparse_rows import read_dense_rows
from toprank.problems.zero_solution import compute_feature_extremes, compute_mean_row

if TYPE_CHECKING:
    from toprank.problems.rows import RowMatrix

#: A standard deviation below this share of the mean, or of the largest one, is that of rounding errors, and
#: so is such a distance from the mean. Both stem from sums, unlike the range in `CONSTANT_FEATURE_RTOL`.
NEGLIGIBLE_SPREAD_RTOL = 1e-12


@dataclass
class Scaling:
    """Subtract the mean of the positives from rows, and divide by the spread of the features.

    The shift cancels in every difference of scores. Raw features need both (such as an id near 1e7).

    Parameters
    ----------
    shift : ndarray of shape (d,)
        Subtracted from each row.
    scale : ndarray of shape (d,)
        By which the features are then divided.
    """

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def from_rows(cls, rows: RowMatrix, other_rows: RowMatrix) -> Scaling:
        """Scale by the mean and spread of the rows, an ndarray or csr_array of shape (m, d).

        For a feature that is constant there, the spread is the largest distance of the other rows.

        Parameters
        ----------
        rows, other_rows : ndarray or csr_array of shape (m, d) and (n, d)

        Returns
        -------
        Scaling
        """
        mean = compute_mean_row(rows)
        if sp.issparse(rows):
            # in two passes: E x² − (E x)² of a column of ones is 1e-16 and not 0, a spread of 1e-8
            stored = np.bincount(rows.indices, minlength=mean.size)
            squares = np.bincount(rows.indices, np.square(rows.data - mean[rows.indices]), mean.size)
            variance = (squares + (rows.shape[0] - stored) * mean**2) / rows.shape[0]
        else:
            variance = rows.var(axis=0)
        scale = np.sqrt(np.maximum(variance, 0.0))
        # beside the largest spread too: a coordinate of rotated rows may be rounding errors in one class
        constant = scale <= NEGLIGIBLE_SPREAD_RTOL * np.maximum(np.abs(mean), scale.max(initial=0.0))
        if constant.any():
            is_sparse = sp.issparse(other_rows)  # there a column costs much
            highest, lowest = compute_feature_extremes(other_rows[:, constant] if is_sparse else other_rows)
            highest, lowest = (
                extremes if is_sparse else extremes[constant] for extremes in (highest, lowest)
            )
            farthest = np.maximum(highest - mean[constant], mean[constant] - lowest)
            is_apart = farthest > NEGLIGIBLE_SPREAD_RTOL * np.abs(mean[constant])
            scale[constant] = np.where(is_apart, np.maximum(farthest, scale[constant]), 1.0)
        return cls(mean, scale)

    def __call__(self, rows: RowMatrix, features: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Scale rows, or some of their columns; the result is dense."""
        rows = rows[:, features]
        dense = rows.toarray() if sp.issparse(rows) else rows
        return (dense - self.shift[features]) / self.scale[features]

    def take(
        self, rows: RowMatrix, index: np.ndarray, features: slice | np.ndarray = slice(None)
    ) -> np.ndarray:
        """Scale the rows of an index, or some of their columns; the result is dense.

        Parameters
        ----------
        rows : ndarray or csr_array of shape (n, d)
        index : ndarray of int
        features : slice or ndarray of int, optional

        Returns
        -------
        ndarray of shape (len(index), n_features)
        """
        selects_features = not isinstance(features, slice) and features.size < self.shift.size
        if selects_features or not sp.issparse(rows):
            return self(rows[index], features)
        dense = read_dense_rows(rows, index)
        dense -= self.shift
        dense /= self.scale
        return dense[:, features]
