"""Top ranking: the objective of TopPush and of K15, its dual, and the bound that certifies a solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toprank.problems.rows import take_rows
from toprank.problems.two_classes import TwoClasses, normalise_dual_weights
from toprank.top_mean import mean_of_highest, project_on_cap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from toprank.problems.rows import RowMatrix


@dataclass(frozen=True)
class TopRanking(TwoClasses):
    r"""Ridge-regularised squared hinge between every positive and the highest negative (K15 eq. 11).

    .. math::
        F(w) = \frac{\alpha}{2}\|w\|^2 + \frac{1}{m}\sum_{i=1}^m \bigl(1 + \max_j w'x_j^- - w'x_i^+\bigr)_+^2

    At depth K > 1 the mean of the K highest scores of negatives takes the place of their maximum.

    Parameters
    ----------
    positives : ndarray, csr_array or SelectedRows of shape (m, d)
    negatives : ndarray, csr_array or SelectedRows of shape (n, d)
    alpha : float
        Weight of the ridge, the papers' lambda; positive.
    depth : float, default=1
        K, from 1 to n.

    Notes
    -----
    With a point a of the m-simplex and a point b of the n-simplex, the dual of F (Li, Jin and Zhou 2014, eq.
    7), maximised over the scale of (a, b) in closed form, is

    .. math:: D(a, b) = \Bigl(m\|a\|^2 + \tfrac{2}{\alpha}\|X^{+\prime}a - X^{-\prime}b\|^2\Bigr)^{-1} \le
    \min F .

    So F(0) = 1 is optimal if and only if the mean of the positives lies in the convex hull of the negatives.
    At depth K the weights b are capped at 1/K, and the hull is the reduced one of such b.
    """

    depth: float = 1.0

    @classmethod
    def from_labels(cls, X: RowMatrix, y: ArrayLike, alpha: float, depth: float = 1.0) -> TopRanking:
        """Split the rows of X by their label: y > 0 is positive.

        Parameters
        ----------
        X : ndarray, csr_array or SelectedRows of shape (m + n, d)
        y : array-like of shape (m + n,)
        alpha : float
            Weight of the ridge; positive.
        depth : float, default=1
            K, from 1 to the number of negatives.

        Returns
        -------
        TopRanking
        """
        relevant = np.asarray(y) > 0
        return cls(take_rows(X, relevant), take_rows(X, ~relevant), alpha, depth)

    def with_alpha(self, alpha: float) -> TopRanking:
        """Return the same data under another weight of the ridge.

        Parameters
        ----------
        alpha : float

        Returns
        -------
        TopRanking
        """
        return TopRanking(self.positives, self.negatives, alpha, self.depth)

    def compute_top(self, negative_scores: np.ndarray) -> float:
        """Return the mean of the K highest scores of negatives.

        Parameters
        ----------
        negative_scores : ndarray of shape (n,)

        Returns
        -------
        float
        """
        return mean_of_highest(negative_scores, self.depth)

    def objective(self, w: np.ndarray, scores: tuple[np.ndarray, np.ndarray] | None = None) -> float:
        """Return F(w); pass the pair of scores where they are known already.

        Parameters
        ----------
        w : ndarray of shape (d,)
        scores : tuple of ndarray, optional
            Scores of the positives (m,) and of the negatives (n,) at w.

        Returns
        -------
        float
        """
        positive_scores, negative_scores = self.scores(w) if scores is None else scores
        # the squared hinge of each positive against the mean of the K highest (K15 eq. 11 at K = 1)
        hinge = np.maximum(1.0 + self.compute_top(negative_scores) - positive_scores, 0.0)
        return float(0.5 * self.alpha * (w @ w) + hinge @ hinge / hinge.size)

    def lower_bound(
        self, positive_weights: np.ndarray, negative_weights: np.ndarray, direction: np.ndarray | None = None
    ) -> float:
        """Dual bound from any non-negative weights, each scaled to sum to one; 0 where one of them vanishes.

        Above depth 1, weights of negatives beyond the cap of 1/K are moved to others.

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
        weights = normalise_dual_weights(positive_weights, negative_weights)
        if weights is None:
            return 0.0
        a, b = weights
        # at depth K no negative may weigh more than 1/K
        if self.depth > 1 and direction is None:
            b = project_on_cap(b, self.depth)
        if direction is None:
            direction = self.dual_direction(a, b)
        # best scale of the dual: max s − s² c = 1/(4c), c = m ‖a‖²/4 + ‖X⁺'a − X⁻'b‖²/(2 alpha)
        return float(1.0 / (a.size * (a @ a) + 2.0 / self.alpha * (direction @ direction)))
