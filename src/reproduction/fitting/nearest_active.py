"""Nearest active: the similarity search of virtual screening, which ranks by the nearest positive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from typing import Self

    from reproduction.fitting.feature_scaling import Rows

ROWS_AT_ONCE = 1000
"""Rows whose similarities to all positives are held at once."""


class NearestActive(BaseEstimator):
    """Rank rows of bits by their largest Tanimoto similarity to a positive of the training part.

    The similarity of two rows is the number of bits that both have over the number that one of them has
    (Jaccard's index); of two rows without a bit it is 0. There is nothing to learn or to choose.

    References
    ----------
    P. Willett, J. M. Barnard, G. M. Downs: Chemical similarity searching. J. Chem. Inf. Comput. Sci. 38,
    983-996, 1998. The largest similarity to several actives: J. Hert et al., ibid. 44, 1177-1185, 2004.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]])
    >>> NearestActive().fit(X, np.array([1, 0, 0, 0])).decision_function(X).round(2).tolist()
    [1.0, 0.0, 0.67, 0.0]
    """

    @staticmethod
    def find_obstacle(X: Rows, feature_scaling: str = "raw") -> str:
        """Say why rows have no Tanimoto similarity.

        Parameters
        ----------
        X : ndarray, csr_array or memmap of shape (n_rows, n_features)
            Rows as distributed.
        feature_scaling : {"raw", "standardised"}
            Scaling of the features.

        Returns
        -------
        str
            A sentence; empty where all features are 0 or 1 and stay so.
        """
        values = X.data if sp.issparse(X) else np.asarray(X)
        if not np.isin(values, (0, 1)).all():
            return "the nearest active needs fingerprints, features of 0 and 1, and this data set has others"
        if feature_scaling != "raw":
            return (
                "the nearest active needs features of 0 and 1: name the feature scaling raw for this data set"
            )
        return ""

    def fit(self, X: Rows, y: np.ndarray) -> Self:
        """Keep the positives.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Rows of 0 and 1.
        y : ndarray of shape (n_rows,)
            Grades; above 0 is positive.

        Returns
        -------
        Self
            The fitted scorer.

        Raises
        ------
        ValueError
            If a feature is neither 0 nor 1.
        """
        self._actives = self._count_bits(X[np.flatnonzero(y > 0)])
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Score rows by the similarity of the nearest active.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Rows of 0 and 1.

        Returns
        -------
        ndarray of shape (n_rows,)
            Largest similarities, from 0 to 1; 0 without an active.

        Raises
        ------
        ValueError
            If a feature is neither 0 nor 1.
        """
        bits, sizes = self._count_bits(X)
        actives, active_sizes = self._actives
        scores = np.zeros(bits.shape[0])
        for first in range(0, bits.shape[0] if actives.shape[0] else 0, ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            # Tanimoto: bits in common over bits in either, c / (a + b − c) of a and b bits, c in common.
            common = (bits[part] @ actives.T).toarray()
            either = sizes[part, None] + active_sizes - common
            scores[part] = (common / np.maximum(either, 1.0)).max(axis=1)
        return scores

    def _count_bits(self, X: Rows) -> tuple[sp.csr_array, np.ndarray]:
        """Return the rows as sparse ones, and the number of bits of each."""
        if obstacle := self.find_obstacle(X):
            raise ValueError(obstacle)
        # a row of bits: its sum is their number
        bits = sp.csr_array(X).astype(float)
        return bits, bits.sum(axis=1)
