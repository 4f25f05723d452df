r"""Ranking and feature selection in one convex problem: FSMRank, reconstructed.

L14 compares with FSMRank (Lai et al. 2013) but prints none of its formulas. It describes a convex problem
that minimises the pairwise squared hinge and at the same time selects features by importance and similarity,
as GAS does (Geng et al. 2007). The objective here is our reconstruction:

.. math:: F(w) = \frac1P\sum_k (1 - \tilde x_k'w)_+^2 + \frac\alpha2 |w|'A|w| + \beta\sum_j |w_j| / s_j

over the P preferences k, with the similarities A and the importances s of the features. F is convex because A
is positive semidefinite without negative entries.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime
from toprank.jit import njit_cached
from toprank.metrics import mean_average_precision, ndcg
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking
from toprank.problems.pairwise_loss import PairwiseLoss

if TYPE_CHECKING:
    from toprank.clock import Clock

#: Lower limit of the importance, so that each feature has a finite weight in the penalty.
MIN_IMPORTANCE = 1e-3
IMPORTANCE_METRICS = ("map", "ndcg")
#: Time to compute a sign, in operations of a matrix product.
SIGN_COST = 60.0
#: Number of pairs of documents whose signs are held at a time.
SIGN_PAIRS_PER_CHUNK = 1 << 15


@njit_cached
def _fill_signs(X: np.ndarray | sp.csr_array, first: int, last: int, out: np.ndarray) -> int:
    """Fill ``out`` with the signs of x_i − x_j, i from first to below last and j < i; return the rows."""
    row = 0
    for i in range(first, last):
        for j in range(i):
            for k in range(X.shape[1]):
                out[row, k] = np.float32(X[i, k] > X[j, k]) - np.float32(X[i, k] < X[j, k])
            row += 1
    return row


def _sum_sign_agreement(X: np.ndarray, clock: Clock) -> np.ndarray:
    """Sum of sign(x_ij − x_lj) sign(x_ik − x_lk) over the pairs of rows i, l, of shape (d, d)."""
    n, d = X.shape
    total = np.zeros((d, d))
    signs = np.empty((max(min(n * (n - 1) // 2, SIGN_PAIRS_PER_CHUNK), n), d), dtype=np.float32)
    first = 1
    while first < n:
        if clock.is_over():
            raise OutOfTime
        last = first + 1
        while last < n and (last + 1) * last // 2 - first * (first - 1) // 2 <= len(signs):
            last += 1
        block = signs[: _fill_signs(X, first, last, signs)]
        total += block.T @ block  # sums of fewer than 2²⁴ signs are exact
        first = last
    return total


def compute_similarity(
    X: np.ndarray | sp.csr_array, starts: np.ndarray, clock: Clock = UNLIMITED
) -> np.ndarray:
    r"""Similarity of the rankings by two features: the mean of :math:`(1 + \tau_{jk})/2` over the queries.

    Kendall's τ (τ-a) is the share of the pairs of documents of a query that both features order alike, minus
    the share that they order differently; ties count as neither. Without ties :math:`(1 + \tau)/2` is the
    share of concordant pairs, whose mean over the queries is the similarity of GAS. The matrix of τ is a Gram
    matrix of sign vectors, and so is the matrix of ones. So A is positive semidefinite, with entries in
    [0, 1].

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
        The documents of a query are contiguous.
    starts : ndarray of shape (n_queries + 1,)
    clock : Clock, optional

    Returns
    -------
    ndarray of shape (d, d)

    Raises
    ------
    OutOfTime
        If the time is too short.
    """
    d, sizes = X.shape[1], np.diff(starts)
    # single precision takes half the time
    clock.require_budget((d + SIGN_COST) * d * float((sizes * (sizes - 1) // 2).sum()))
    total, n_queries = np.zeros((d, d)), 0
    for first, last in itertools.pairwise(starts):
        n = last - first
        if n > 1:
            rows = X[first:last].toarray() if sp.issparse(X) else X[first:last]
            total += _sum_sign_agreement(np.ascontiguousarray(rows), clock) / (n * (n - 1) // 2)
            n_queries += 1
    return 0.5 * (1.0 + total / n_queries)


def compute_importance(
    X: np.ndarray | sp.csr_array,
    y: np.ndarray,
    qid: np.ndarray | None,
    metric: str,
    clock: Clock = UNLIMITED,
) -> np.ndarray:
    """MAP or NDCG@10 of the ranking by each feature alone, in its better direction, in [0.001, 1].

    The documents are ranked by ascending and by descending values, and the better ranking counts, because a
    weight may have either sign. Of equal values the metric is the expected one over all their orders.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
    y : ndarray of shape (n_documents,)
        Grades from 0, or any two values.
    qid : ndarray of shape (n_documents,) or None
    metric : {"map", "ndcg"}
    clock : Clock, optional

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    OutOfTime
        If the time is up.
    """
    values = np.unique(y)
    grades = (y == values[-1]).astype(float) if values.size == 2 else y
    columns = X.tocsc() if sp.issparse(X) else X
    importances = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        if clock.is_over():
            raise OutOfTime
        feature = columns[:, [j]].toarray().ravel() if sp.issparse(X) else np.ascontiguousarray(X[:, j])
        importances[j] = max(_evaluate_ranking(grades, sign * feature, qid, metric) for sign in (1.0, -1.0))
    return np.maximum(importances, MIN_IMPORTANCE)


def _evaluate_ranking(grades: np.ndarray, scores: np.ndarray, qid: np.ndarray | None, metric: str) -> float:
    if metric == "map":
        return mean_average_precision(grades, scores, qid)
    return ndcg(grades, scores, qid, k=10)


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
        """
        return replace(self, alpha=alpha, beta=beta)

    def loss(self, scores: np.ndarray) -> PairwiseLoss:
        """Evaluate Σ (1 − s_i + s_j)₊², not yet divided by P.

        Parameters
        ----------
        scores : ndarray of shape (n_documents,)
        """
        return self.ranking.loss(scores)

    def gradient(self, loss: PairwiseLoss) -> np.ndarray:
        """Return the gradient of the mean squared hinge in w.

        Parameters
        ----------
        loss : PairwiseLoss
        """
        return self.ranking.gradient(loss) / self.ranking.n_preferences

    def penalty_slopes(self, w: np.ndarray) -> np.ndarray:
        """Return the derivative of the penalty in each |w_j|, β/s + αA|w|.

        Parameters
        ----------
        w : ndarray of shape (d,)
        """
        return self.thresholds + self.alpha * (self.similarity @ np.abs(w))

    def objective(self, w: np.ndarray, loss: PairwiseLoss | None = None) -> float:
        """Return F(w); pass the loss at the scores of w if it is known.

        Parameters
        ----------
        w : ndarray of shape (d,)
        loss : PairwiseLoss, optional
        """
        loss = self.loss(self.ranking.X @ w) if loss is None else loss
        magnitudes = np.abs(w)
        penalty = 0.5 * self.alpha * float(magnitudes @ self.similarity @ magnitudes) + float(
            self.thresholds @ magnitudes
        )
        return loss.value / self.ranking.n_preferences + penalty

    def kkt(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """Return the largest violation of the optimality conditions, relative to beta.

        Parameters
        ----------
        w, gradient : ndarray of shape (d,)
        """
        return float(L1(self.penalty_slopes(w)).violation(w, gradient, 1.0).max() / self.beta)

    def lower_bound(self, w: np.ndarray, loss: PairwiseLoss, gradient: np.ndarray) -> float:
        """Return the dual bound from π = 2(1 − X̃w)₊/P, scaled to be feasible and best, and b = |w|.

        Parameters
        ----------
        w, gradient : ndarray of shape (d,)
        loss : PairwiseLoss
        """
        n_preferences = self.ranking.n_preferences
        # along s π: s Σπ − s² P Σπ²/4 − αb'Ab/2, where X̃'π is minus the gradient
        total, squares = 2.0 * loss.hinge_sum / n_preferences, loss.value / n_preferences
        scale = 0.5 * total / squares if squares > 0.0 else 0.0
        slopes = np.abs(gradient)
        is_sloped = slopes > 0.0
        scale = min(scale, (self.penalty_slopes(w)[is_sloped] / slopes[is_sloped]).min(initial=np.inf))
        magnitudes = np.abs(w)
        return (
            scale * total
            - scale**2 * squares
            - 0.5 * self.alpha * float(magnitudes @ self.similarity @ magnitudes)
        )

    def beta_max(self) -> float:
        """Smallest beta at which w = 0 is optimal; see `beta_max`."""
        return compute_beta_max(self.ranking, self.importance)


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
    gradient = ranking.gradient(ranking.loss(np.zeros(ranking.X.shape[0]))) / ranking.n_preferences
    return float((importance * np.abs(gradient)).max(initial=0.0))
