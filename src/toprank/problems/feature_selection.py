r"""Ranking and feature selection in one convex problem: FSMRank, reconstructed.

L14 compares with FSMRank (Lai et al. 2013) but prints none of its formulas. It describes a convex problem
that minimises the pairwise squared hinge and at the same time selects features by importance and similarity,
as GAS does (Geng et al. 2007). The objective here is our reconstruction:

.. math:: F(w) = \frac1P\sum_k (1 - \tilde x_k'w)_+^2 + \frac\alpha2 |w|'A|w| + \beta\sum_j |w_j| / s_j

over the P preferences k, with the similarities A and the importances s of the features. F is convex because A
is positive semidefinite without negative entries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED
from toprank.penalties import L1
from toprank.problems.feature_measures import compute_importance, compute_similarity
from toprank.problems.pairwise import PairwiseRanking
from toprank.problems.pairwise_loss import PairwiseLoss

if TYPE_CHECKING:
    from toprank.clock import Clock


@dataclass(frozen=True)
class FeatureSelectionRanking:
    r"""FSMRank's problem, as reconstructed at the head of this module.

    Parameters
    ----------
    ranking : PairwiseRanking
        Its penalty is not used.
    alpha, beta : float
        Weights of the similarity and of the importance.
    similarity : ndarray of shape (d, d)
        Positive semidefinite, without a negative entry.
    importance : ndarray of shape (d,)
        Positive.
    majorant : ndarray of shape (d, d)
        Hessian of the mean squared hinge where every preference is violated, its largest one.

    Notes
    -----
    The dual is the maximum of :math:`\sum_k \pi_k - P\pi_k^2/4 - \alpha b'Ab/2` over weights π ≥ 0 of the
    preferences and b ≥ 0 with :math:`|\tilde X'\pi|_j \le \beta/s_j + \alpha(Ab)_j` for all j. For A is
    positive semidefinite, so :math:`a'Aa/2 \ge b'Aa - b'Ab/2` for :math:`a = |w|`, which is linear in a.
    """

    ranking: PairwiseRanking
    alpha: float
    beta: float
    similarity: np.ndarray
    importance: np.ndarray
    majorant: np.ndarray

    @classmethod
    def from_data(
        cls,
        X: np.ndarray | sp.csr_array,
        y: np.ndarray,
        qid: np.ndarray | None,
        alpha: float,
        beta: float,
        metric: str,
        clock: Clock = UNLIMITED,
    ) -> FeatureSelectionRanking:
        """Measure the features, and group the rows by query.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_documents, d)
        y : ndarray of shape (n_documents,)
            Grades from 0, or any two values.
        qid : ndarray of shape (n_documents,) or None
            None: one query.
        alpha, beta : float
        metric : {"map", "ndcg"}
        clock : Clock, optional

        Returns
        -------
        FeatureSelectionRanking

        Raises
        ------
        OutOfTime
            If the time is too short.
        ValueError
            If no two documents of a query differ in relevance.
        """
        ranking = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
        scores = np.zeros(X.shape[0])
        clock.require_budget(ranking.hessian_operations(X.shape[1]))
        # at w = 0 every hinge is active: the largest Hessian, which bounds the curvature anywhere
        majorant = ranking.hessian(scores, ranking.loss(scores)) / ranking.n_preferences
        feature_similarity = compute_similarity(ranking.X, ranking.starts, clock)
        return cls(
            ranking, alpha, beta, feature_similarity, compute_importance(X, y, qid, metric, clock), majorant
        )

    @property
    def thresholds(self) -> np.ndarray:
        """β/s, of shape (d,)."""
        return self.beta / self.importance

    def with_weights(self, alpha: float, beta: float) -> FeatureSelectionRanking:
        """Return the same data under other weights of the penalty.

        Parameters
        ----------
        alpha, beta : float

        Returns
        -------
        FeatureSelectionRanking
        """
        return replace(self, alpha=alpha, beta=beta)

    def loss(self, scores: np.ndarray) -> PairwiseLoss:
        """Evaluate Σ (1 − s_i + s_j)₊², not yet divided by P.

        Parameters
        ----------
        scores : ndarray of shape (n_documents,)

        Returns
        -------
        PairwiseLoss
            Value and derivatives at these scores.
        """
        return self.ranking.loss(scores)

    def gradient(self, loss: PairwiseLoss) -> np.ndarray:
        """Return the gradient of the mean squared hinge in w.

        Parameters
        ----------
        loss : PairwiseLoss

        Returns
        -------
        ndarray of shape (d,)
        """
        return self.ranking.gradient(loss) / self.ranking.n_preferences

    def penalty_slopes(self, w: np.ndarray) -> np.ndarray:
        """Return the derivative of the penalty in each |w_j|, β/s + αA|w|.

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        ndarray of shape (d,)
        """
        return self.thresholds + self.alpha * (self.similarity @ np.abs(w))

    def coupling(self, w: np.ndarray) -> float:
        """Return the part α|w|'A|w|/2 of the penalty.

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        float
        """
        magnitudes = np.abs(w)
        return 0.5 * self.alpha * float(magnitudes @ self.similarity @ magnitudes)

    def objective(self, w: np.ndarray, loss: PairwiseLoss | None = None) -> float:
        """Return F(w); pass the loss at the scores of w if it is known.

        Parameters
        ----------
        w : ndarray of shape (d,)
        loss : PairwiseLoss, optional

        Returns
        -------
        float
        """
        loss = self.loss(self.ranking.X @ w) if loss is None else loss
        penalty = self.coupling(w) + float(self.thresholds @ np.abs(w))
        return loss.value / self.ranking.n_preferences + penalty

    def kkt(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """Return the largest violation of the optimality conditions, relative to beta.

        Parameters
        ----------
        w, gradient : ndarray of shape (d,)

        Returns
        -------
        float
        """
        return float(L1(self.penalty_slopes(w)).violation(w, gradient, 1.0).max() / self.beta)

    def lower_bound(self, w: np.ndarray, loss: PairwiseLoss, gradient: np.ndarray) -> float:
        """Return the dual bound from π = 2(1 − X̃w)₊/P, scaled to be feasible and best, and b = |w|.

        Parameters
        ----------
        w, gradient : ndarray of shape (d,)
        loss : PairwiseLoss

        Returns
        -------
        float
            At most the minimum of the objective.
        """
        slopes = self.penalty_slopes(w)
        return bound_dual(loss, self.ranking.n_preferences, gradient, slopes) - self.coupling(w)

    def beta_max(self) -> float:
        """Smallest beta at which w = 0 is optimal; see `beta_max`.

        Returns
        -------
        float
        """
        return compute_beta_max(self.ranking, self.importance)


def bound_dual(loss: PairwiseLoss, n_preferences: int, gradient: np.ndarray, slopes: np.ndarray) -> float:
    """Return the dual value Σ s π_k − P s² π_k²/4 of π = 2(1 − X̃w)₊/P at the best feasible scale s.

    Parameters
    ----------
    loss : PairwiseLoss
        At the scores of w, with its P preferences.
    n_preferences : int
    gradient : ndarray of shape (d,)
        Gradient of the mean squared hinge, −X̃'π.
    slopes : ndarray of shape (d,)
        Limits of |s X̃'π|; smaller ones give a smaller bound.

    Returns
    -------
    float
    """
    # value along s: s Σπ_k − s² P Σπ_k²/4, with Σπ_k = 2 Σ hinge/P and P Σπ_k²/4 = Σ hinge²/P
    total, squares = 2.0 * loss.hinge_sum / n_preferences, loss.value / n_preferences
    scale = 0.5 * total / squares if squares > 0.0 else 0.0
    steepness = np.abs(gradient)
    is_sloped = steepness > 0.0
    # feasible: s |∂_j| at most the slope of feature j
    scale = min(scale, (slopes[is_sloped] / steepness[is_sloped]).min(initial=np.inf))
    return scale * total - scale**2 * squares


def compute_beta_max(ranking: PairwiseRanking, importance: np.ndarray | float) -> float:
    """Return the smallest beta at which w = 0 is optimal for any similarity: the largest s_j |∂_j| there.

    Parameters
    ----------
    ranking : PairwiseRanking
    importance : float or ndarray of shape (d,)
        s, positive.

    Returns
    -------
    float
    """
    # gradient of the mean squared hinge at w = 0, where each feature has the slope β/s_j
    gradient = ranking.gradient(ranking.loss(np.zeros(ranking.X.shape[0]))) / ranking.n_preferences
    return float((importance * np.abs(gradient)).max(initial=0.0))
