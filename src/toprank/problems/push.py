"""Infinite push: its objective on m + n terms, its dual bound, and the prox of its loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from toprank.penalties import Penalty
from toprank.problems.two_classes import TwoClasses, normalise_dual_weights
from toprank.projections import compute_clip_levels
from toprank.top_mean import mean_of_highest, project_on_cap

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True)
class PushRanking(TwoClasses):
    r"""A penalty plus the mean hinge of each positive against the highest negative (R12 eq. 2).

    .. math::
        F(w) = \alpha\,\Omega(w) + \max_j \frac{1}{m}\sum_{i=1}^m \bigl(1 - w'(x_i^+ - x_j^-)\bigr)_+
             = \alpha\,\Omega(w) + \frac{1}{m}\sum_{i=1}^m \bigl(1 + \max_j w'x_j^- - w'x_i^+\bigr)_+

    The two forms agree because the hinge grows with the score of the negative: m + n terms replace m n pairs.
    At depth K > 1, the mean of the K highest scores of negatives takes the place of their maximum.

    Parameters
    ----------
    positives : ndarray or csr_array of shape (m, d)
    negatives : ndarray or csr_array of shape (n, d)
    alpha : float
        Weight of the penalty, the papers' lambda; positive.
    penalty : Penalty
        Convex.
    depth : float, default=1
        K, from 1 to n.

    Notes
    -----
    The dual of F is the maximum of :math:`\sum_i a_i - \alpha\Omega^*\bigl((X^{+\prime}a -
    X^{-\prime}b)/\alpha\bigr)` over :math:`0 \le a_i \le 1/m`, :math:`b \ge 0`, :math:`\sum a = \sum b`, and
    at depth K :math:`b_j \le \sum a / K`.
    """

    penalty: Penalty
    depth: float = 1.0
    is_squared = False  # the loss; `FreePushRanking` has the other one

    @classmethod
    def from_classes(
        cls,
        positives: np.ndarray | sp.csr_array,
        negatives: np.ndarray | sp.csr_array,
        alpha: float,
        penalty: Penalty,
        depth: float = 1.0,
    ) -> PushRanking:
        """Return the problem; ``penalty.adapt_to`` adapts the penalty to the data.

        Parameters
        ----------
        positives : ndarray or csr_array of shape (m, d)
        negatives : ndarray or csr_array of shape (n, d)
        alpha : float
            Weight of the penalty; positive.
        penalty : Penalty
            Convex.
        depth : float, default=1
            K, from 1 to n.

        Returns
        -------
        PushRanking
        """
        problem = cls(positives, negatives, alpha, penalty, depth)
        return replace(problem, penalty=penalty.adapt_to(problem))

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
        # the hinge rises with the score of the negative, so that the maximum over j is at the highest score:
        # m + n terms in place of the paper's m n
        positive_scores, negative_scores = self.scores(w) if scores is None else scores
        hinge = np.maximum(1.0 + self.compute_top(negative_scores) - positive_scores, 0.0)
        return self.alpha * self.penalty.value(w) + float(hinge.mean())

    def polish(
        self, w: np.ndarray, scores: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Return the point of a model, or a better one near it, and its scores; here the point itself.

        Parameters
        ----------
        w : ndarray of shape (d,)
        scores : tuple of ndarray of shapes (m,) and (n,)

        Returns
        -------
        w : ndarray of shape (d,)
        scores : tuple of ndarray
        """
        return w, scores

    def lower_bound(self, positive_weights: np.ndarray, negative_weights: np.ndarray) -> float:
        """Dual bound from any non-negative weights, scaled to be feasible; 0 if all weights of a class are 0.

        Above depth 1, weights of negatives beyond the cap are moved to others.

        Parameters
        ----------
        positive_weights : ndarray of shape (m,)
        negative_weights : ndarray of shape (n,)

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
        if self.depth > 1:
            b = project_on_cap(b, self.depth)
        direction = self.dual_direction(a, b)
        largest = 1.0 / (a.size * a.max())  # scale at which the first positive reaches its cap of 1/m
        return self.penalty.scaled_dual(direction, self.alpha, 1.0, cap=largest)


def prox_max_hinge(pairs: np.ndarray, step: float) -> np.ndarray:
    r"""Proximal operator of the loss on pairs, :math:`g(s) = \max_j \sum_i (s_{ij})_+` (R12 eq. 9), exactly.

    Entries up to 0 stay; from the others their projection on the l1,inf ball is subtracted. This replaces
    R12's nested loops: block descent, Douglas–Rachford, projection.

    Parameters
    ----------
    pairs : ndarray of shape (m, n)
        A column belongs to a negative.
    step : float

    Returns
    -------
    ndarray of shape (m, n)
    """
    # Moreau: the point minus its projection on the ball of the conjugate, clipping of each column (R12 eq. 9;
    # Quattoni et al. 2009)
    hinge = np.maximum(pairs, 0.0)
    return pairs - np.minimum(hinge, compute_clip_levels(hinge, step))
