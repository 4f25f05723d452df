"""Top ranking: the objective of TopPush and of K15, its dual, and the bound that certifies a solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class TopRanking:
    r"""Ridge-regularised squared hinge between every positive and the highest negative (K15 eq. 11).

    .. math::
        F(w) = \frac{\alpha}{2}\|w\|^2 + \frac{1}{m}\sum_{i=1}^m \bigl(1 + \max_j w'x_j^- - w'x_i^+\bigr)_+^2

    Parameters
    ----------
    positives : ndarray or csr_array of shape (m, d)
    negatives : ndarray or csr_array of shape (n, d)
    alpha : float
        Weight of the ridge, the papers' lambda; positive.

    Notes
    -----
    With a point a of the m-simplex and a point b of the n-simplex, the dual of F (Li, Jin and Zhou 2014, eq.
    7), maximised over the scale of (a, b) in closed form, is

    .. math:: D(a, b) = \Bigl(m\|a\|^2 + \tfrac{2}{\alpha}\|X^{+\prime}a - X^{-\prime}b\|^2\Bigr)^{-1} \le
    \min F .

    So F(0) = 1 is optimal if and only if the mean of the positives lies in the convex hull of the negatives.
    """

    positives: np.ndarray | sp.csr_array
    negatives: np.ndarray | sp.csr_array
    alpha: float

    @classmethod
    def from_labels(cls, X, y, alpha):
        """Split the rows of X by their label: y > 0 is positive."""
        relevant = np.asarray(y) > 0
        return cls(X[relevant], X[~relevant], alpha)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.positives.shape[1]

    def with_alpha(self, alpha):
        """Return the same data under another weight of the ridge."""
        return TopRanking(self.positives, self.negatives, alpha)

    def scores(self, w):
        """Scores of the positives (m,) and of the negatives (n,)."""
        return self.positives @ w, self.negatives @ w

    def objective(self, w, scores=None) -> float:
        """F(w); pass the pair of scores where they are known already."""
        positive_scores, negative_scores = self.scores(w) if scores is None else scores
        hinge = np.maximum(1.0 + negative_scores.max() - positive_scores, 0.0)
        return float(0.5 * self.alpha * (w @ w) + hinge @ hinge / hinge.size)

    def dual_direction(self, positive_weights, negative_weights):
        """X⁺'a − X⁻'b, of shape (d,)."""
        return self.positives.T @ positive_weights - self.negatives.T @ negative_weights

    def lower_bound(self, positive_weights, negative_weights, direction=None) -> float:
        """Dual bound from any non-negative weights, each scaled to sum to one; 0 where one of them vanishes.

        Parameters
        ----------
        positive_weights : ndarray of shape (m,)
        negative_weights : ndarray of shape (n,)
        direction : ndarray of shape (d,), optional
            ``dual_direction`` of the two weights *after* scaling, where it is known already.

        Returns
        -------
        float
            A lower bound on the minimum of F.

        Raises
        ------
        ValueError
            If a weight is negative: it would not be a bound.
        """
        if positive_weights.min() < 0 or negative_weights.min() < 0:
            raise ValueError("dual weights must be non-negative; project them on the feasible set first")
        positive_sum, negative_sum = positive_weights.sum(), negative_weights.sum()
        if not (positive_sum > 0 and negative_sum > 0):
            return 0.0  # F is non-negative
        a = positive_weights / positive_sum
        if direction is None:
            direction = self.dual_direction(a, negative_weights / negative_sum)
        return float(1.0 / (a.size * (a @ a) + 2.0 / self.alpha * (direction @ direction)))
