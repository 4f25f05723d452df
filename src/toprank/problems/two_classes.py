"""Base of the problems of a single list: the rows of two classes, their scores and dual weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.sparse as sp

from toprank.problems.weighted_sums import sum_weighted_rows

DENSE_MAX_ENTRIES = 500_000  # entries, 4 MB


@dataclass(frozen=True)
class TwoClasses:
    """Rows of positives and negatives, and the weight of a penalty.

    Parameters
    ----------
    positives : ndarray or csr_array of shape (m, d)
    negatives : ndarray or csr_array of shape (n, d)
    alpha : float
        Positive.
    """

    positives: np.ndarray | sp.csr_array
    negatives: np.ndarray | sp.csr_array
    alpha: float

    def dense_if_small(self) -> Self:
        """Return the problem with dense rows if it is small: each product of sparse ones has a fixed cost.

        Returns
        -------
        TwoClasses
            Of the same class; itself if the rows are dense already, or too many.
        """
        parts = self.positives, self.negatives
        if (
            not sp.issparse(self.positives)
            or sum(part.shape[0] for part in parts) * self.n_features > DENSE_MAX_ENTRIES
        ):
            return self
        return replace(self, positives=self.positives.toarray(), negatives=self.negatives.toarray())

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.positives.shape[1]

    def scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of the positives (m,) and of the negatives (n,).

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        tuple of ndarray
        """
        return self.positives @ w, self.negatives @ w

    def dual_direction(self, positive_weights: np.ndarray, negative_weights: np.ndarray) -> np.ndarray:
        """Return X⁺'a − X⁻'b, of shape (d,).

        Parameters
        ----------
        positive_weights : ndarray of shape (m,)
        negative_weights : ndarray of shape (n,)

        Returns
        -------
        ndarray of shape (d,)
        """
        positive_sum = sum_weighted_rows(self.positives, positive_weights)
        return positive_sum - sum_weighted_rows(self.negatives, negative_weights)


def normalise_dual_weights(
    positive_weights: np.ndarray, negative_weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Scale the dual weights of each class to sum to one.

    Parameters
    ----------
    positive_weights : ndarray of shape (m,)
    negative_weights : ndarray of shape (n,)

    Returns
    -------
    tuple of ndarray, or None
        None if all weights of a class are 0; the bound is then 0, since no objective is negative.

    Raises
    ------
    ValueError
        If a weight is negative: the bound would not be valid.
    """
    if positive_weights.min() < 0 or negative_weights.min() < 0:
        raise ValueError("dual weights must be non-negative; project them on the feasible set first")
    positive_sum, negative_sum = positive_weights.sum(), negative_weights.sum()
    if not (positive_sum > 0 and negative_sum > 0):
        return None
    # both sums are 1, hence Σa = Σb, and one common scale is left to choose
    return positive_weights / positive_sum, negative_weights / negative_sum
