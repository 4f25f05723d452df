"""RankSVM: the squared hinge of every preference within queries, plus a penalty (L14 eq. 3).

The loss and its derivatives are in `toprank.problems.pairwise_loss`; here are the penalty, the dual bound and
the regularisation at which w = 0 is optimal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, Clock
from toprank.penalties import Penalty
from toprank.problems.offsets import subtract_offsets
from toprank.problems.pairwise_kernels import count_preferences
from toprank.problems.pairwise_loss import PairwiseLoss, PairwisePreferences
from toprank.problems.pairwise_newton import solve_newton_system

#: How much the preferences of a query count: each as much as any other, or all queries as much as another.
QUERY_WEIGHTS = ("pairs", "equal")

#: Ridge of the pilot fit for adaptive weights, relative to the mean curvature at w = 0 (our choice).
PILOT_RIDGE = 1e-3


def _weigh_queries(kind: str, n_preferences: np.ndarray) -> np.ndarray:
    """Return the weight of each preference of a query: 1, or P / (Q P_q) of the P preferences of Q queries.

    Queries without a preference do not count in Q. Under both kinds the weights of all preferences sum to P,
    and equal numbers of preferences have weights of exactly 1.
    """
    if kind == "pairs":
        return np.ones(n_preferences.size)
    mean = n_preferences.sum() / np.count_nonzero(n_preferences)
    return np.divide(mean, n_preferences, out=np.zeros(n_preferences.size), where=n_preferences > 0)


def _number_levels(y: np.ndarray, query_of: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Replace the grades of each query by 0, 1, 2, …; the documents of a query are contiguous."""
    order = np.lexsort((y, query_of))
    is_higher = np.zeros(y.size, dtype=np.int64)
    is_higher[1:] = y[order[1:]] > y[order[:-1]]
    is_higher[starts[:-1]] = 0
    n_higher = np.cumsum(is_higher)
    levels = np.empty_like(n_higher)
    # levels count the distinct grades below, within the query
    levels[order] = n_higher - n_higher[starts[:-1]][query_of]
    return levels


@dataclass(frozen=True)
class PairwiseRanking(PairwisePreferences):
    r"""Squared hinge over all preferences within queries, plus a penalty (L14 eq. 3).

    .. math:: F(w) = \sum_{q} c_q\sum_{i, j \in q:\, y_i > y_j} (1 - w'(x_i - x_j))_+^2 + \alpha\,\Omega(w)

    Build it with `from_data`.

    Parameters
    ----------
    X, levels, starts, n_levels, query_of, query_weights
        See `PairwisePreferences`.
    alpha : float
        Weight of the penalty, 1/C.
    penalty : Penalty
    clock : Clock, optional
        If the time is up, the pilot fit for adaptive weights ends early.

    Notes
    -----
    The dual is the maximum of :math:`\sum_k \pi_k - \pi_k^2/(4c_k) - \alpha\Omega^*(\tilde X'\pi/\alpha)`
    over weights π ≥ 0 of the preferences.
    """

    alpha: float
    penalty: Penalty
    clock: Clock = UNLIMITED

    @classmethod
    def from_data(
        cls,
        X: np.ndarray | sp.csr_array,
        y: np.ndarray,
        qid: np.ndarray | None,
        alpha: float,
        penalty: Penalty,
        clock: Clock = UNLIMITED,
        query_weight: str = "pairs",
    ) -> PairwiseRanking:
        """Group the rows by query, and subtract large offsets of the features within each query.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_documents, d)
        y : ndarray of shape (n_documents,)
            Larger is more relevant.
        qid : ndarray of shape (n_documents,) or None
            None: one query.
        alpha : float
        penalty : Penalty
            Its method ``adapt_to`` adapts it to the data.
        clock : Clock, optional
        query_weight : {"pairs", "equal"}
            Whether each preference counts as much as any other, or each query that has one.

        Returns
        -------
        PairwiseRanking

        Raises
        ------
        ValueError
            If no two documents of a query differ in relevance.
        """
        if qid is None:
            query_of = np.zeros(y.size, dtype=np.int64)
        else:
            query_index = np.unique(qid, return_inverse=True)[1].ravel()
            # stable: documents of a query keep the order of the file
            order = np.argsort(query_index, kind="stable")
            X, y, query_of = X[order], y[order], query_index[order].astype(np.int64)
        starts = np.append(0, np.cumsum(np.bincount(query_of)))
        levels = _number_levels(y, query_of, starts)
        if not levels.any():
            raise ValueError(
                "y has one class only within every query, so there is no preference to learn from; check y"
                + ("" if qid is None else " and qid")
            )
        n_levels = np.maximum.reduceat(levels, starts[:-1]) + 1
        X = subtract_offsets(X, starts)
        weights = _weigh_queries(query_weight, count_preferences(levels, starts, n_levels))
        problem = cls(X, levels, starts, n_levels, query_of, weights, alpha, penalty, clock)
        return problem.with_penalty(penalty.adapt_to(problem))

    def with_alpha(self, alpha: float) -> PairwiseRanking:
        """Return the same data under another weight of the penalty.

        Parameters
        ----------
        alpha : float

        Returns
        -------
        PairwiseRanking
        """
        return replace(self, alpha=alpha)

    def with_penalty(self, penalty: Penalty) -> PairwiseRanking:
        """Return the same data under another penalty.

        Parameters
        ----------
        penalty : Penalty

        Returns
        -------
        PairwiseRanking
        """
        return replace(self, penalty=penalty)

    def objective(self, w: np.ndarray) -> float:
        """Return F(w).

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        float
        """
        return self.loss(self.X @ w).value + self.alpha * self.penalty.value(w)

    def lower_bound(self, loss: PairwiseLoss, gradient: np.ndarray) -> float:
        """Return the dual bound from π = 2c(1 − X̃w)₊, scaled to be feasible and best.

        Parameters
        ----------
        loss : PairwiseLoss
            The loss at the scores of w.
        gradient : ndarray of shape (d,)
            Its gradient in w.

        Returns
        -------
        float
        """
        # the dual along s π: s Σπ − s² Σπ²/(4c) − αΩ*(s X̃'π/α), where X̃'π is minus the gradient
        total, squares = 2.0 * loss.hinge_sum, loss.value
        return self.penalty.scaled_dual(gradient, self.alpha, total, squares)

    def adaptive_weights(self) -> np.ndarray:
        """Return the weights of `L1` ("adaptive"); their ridge regression is a Newton step from 0.

        Returns
        -------
        ndarray of shape (d,)
            Infinite for a feature whose weight in the ridge regression is 0.
        """
        scores, loss = self._loss_at_zero()
        ridge = PILOT_RIDGE * self.curvature_trace() / self.n_features or 1.0
        magnitudes = np.abs(solve_newton_system(self, scores, loss, self.gradient(loss), ridge, self.clock))
        return np.divide(
            magnitudes.mean() or 1.0, magnitudes, out=np.full_like(magnitudes, np.inf), where=magnitudes > 0.0
        )

    def lambda_max(self) -> float:
        """Smallest alpha at which w = 0 is optimal: the dual norm of the gradient there, 2‖X̃'c‖.

        Returns
        -------
        float
        """
        return self.penalty.dual_norm(self.gradient(self.loss(np.zeros(self.X.shape[0]))))
