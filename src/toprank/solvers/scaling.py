"""Units of the features in which the Gram matrices and models of the exact solvers are well conditioned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass
class Scaling:
    """Rows shifted by the mean of the positives and divided by the features' spread.

    The shift cancels in every difference of scores; both matter where features are raw (an id near 1e7).
    """

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, rows):
        """Mean and spread of the rows, an ndarray or csr_array of shape (m, d)."""
        mean = np.asarray(rows.mean(axis=0)).ravel()
        if sp.issparse(rows):
            variance = np.asarray(rows.multiply(rows).mean(axis=0)).ravel() - mean**2
        else:
            variance = rows.var(axis=0)
        scale = np.sqrt(np.maximum(variance, 0.0))
        # a feature that is constant among the positives may still vary among the negatives: leave it in its
        # own unit
        scale[scale <= 1e-12 * np.maximum(1.0, np.abs(mean))] = 1.0
        return cls(mean, scale)

    def __call__(self, rows, features=slice(None)):
        """Scale rows, or some of their columns; sparse ones are filled."""
        rows = rows[:, features]
        dense = rows.toarray() if sp.issparse(rows) else rows
        return (dense - self.shift[features]) / self.scale[features]
