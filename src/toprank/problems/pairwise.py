"""Pairwise ranking within queries: the squared hinge of every preference, without forming a pair (L14 eq. 2).

A preference is a pair (i, j) of documents of one query with y_i > y_j, and costs (1 − s_i + s_j)₊². With the
documents of a query in the order of their scores, the violated preferences of all of them are counted and
summed in one sweep up and one sweep down, in trees over the relevance levels (Lee and Lin 2014): O(N log N)
for N documents, whatever the number of levels.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numba
import numpy as np
import scipy.sparse as sp

from toprank.penalties import L1, SquaredL2


@numba.njit(cache=True)
def _add(tree, level, row):
    """Add a row of sums at a level of a Fenwick tree."""
    level += 1
    while level < tree.shape[0]:
        for k in range(row.size):
            tree[level, k] += row[k]
        level += level & -level


@numba.njit(cache=True)
def _sum_below(tree, level, out):
    """Sum what the levels below one hold."""
    out[:] = 0.0
    while level > 0:
        for k in range(out.size):
            out[k] += tree[level, k]
        level -= level & -level


@numba.njit(cache=True)
def _violations(scores, order, levels, starts, values, below, above):
    """Sum ``values`` over the documents with which each one forms a violated preference.

    ``below`` gets for document i the sum over the less relevant j with s_j > s_i − 1, ``above`` that over the
    more relevant j with s_j < s_i + 1. The documents of a query are contiguous, from ``starts``; ``order``
    has them by ascending score, and levels count from 0.
    """
    for query in range(starts.size - 1):
        first, last = starts[query], starts[query + 1]
        n_levels = 0
        for i in range(first, last):
            n_levels = max(n_levels, levels[i] + 1)
        tree = np.zeros((n_levels + 1, values.shape[1]))
        at = last - 1
        for position in range(last - 1, first - 1, -1):
            i = order[position]
            while at >= first and scores[order[at]] > scores[i] - 1.0:
                _add(tree, levels[order[at]], values[order[at]])
                at -= 1
            _sum_below(tree, levels[i], below[i])
        tree[:] = 0.0
        at = first
        for position in range(first, last):
            i = order[position]
            while at < last and scores[order[at]] < scores[i] + 1.0:
                _add(tree, n_levels - 1 - levels[order[at]], values[order[at]])
                at += 1
            _sum_below(tree, n_levels - 1 - levels[i], above[i])


@numba.njit(cache=True)
def _deal(order, query_of, starts):
    """Deal documents, in the order of their scores, to their queries; the order within each survives."""
    place, dealt = starts[:-1].copy(), np.empty_like(order)
    for i in order:
        query = query_of[i]
        dealt[place[query]] = i
        place[query] += 1
    return dealt


def _levels(y, starts):
    """Count the distinct grades of each query up from 0."""
    levels = np.empty(y.size, dtype=np.int64)
    for first, last in itertools.pairwise(starts):
        levels[first:last] = np.unique(y[first:last], return_inverse=True)[1]
    return levels


@dataclass(frozen=True)
class LossAt:
    """The loss at one vector of scores.

    Parameters
    ----------
    value : float
        Σ (1 − s_i + s_j)₊² over the preferences.
    hinges : float
        Σ (1 − s_i + s_j)₊.
    slope : ndarray of shape (n_documents,)
        Derivative of the value with respect to the scores.
    counts : ndarray of shape (n_documents,)
        Number of the violated preferences of each document.
    """

    value: float
    hinges: float
    slope: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class PairwiseRanking:
    r"""Squared hinge over all preferences within queries, plus a penalty (L14 eq. 3).

    .. math:: F(w) = \sum_{q}\sum_{i, j \in q:\, y_i > y_j} (1 - w'(x_i - x_j))_+^2 + \alpha\,\Omega(w)

    Build it with `of`.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
        The documents of a query are contiguous.
    levels : ndarray of shape (n_documents,)
        Relevance within the query, numbered from 0.
    starts : ndarray of shape (n_queries + 1,)
        First document of each query, and the number of documents.
    query_of : ndarray of shape (n_documents,)
        Number of the query of each document.
    alpha : float
        Weight of the penalty, 1/C.
    penalty : L1 or SquaredL2

    Notes
    -----
    The dual is the maximum of :math:`\sum_k \pi_k - \pi_k^2/4 - \alpha\Omega^*(\tilde X'\pi/\alpha)` over
    weights π ≥ 0 of the preferences.
    """

    X: np.ndarray | sp.csr_array
    levels: np.ndarray
    starts: np.ndarray
    query_of: np.ndarray
    alpha: float
    penalty: L1 | SquaredL2

    @classmethod
    def of(cls, X, y, qid, alpha, penalty):
        """Group the rows by query.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_documents, d)
        y : ndarray of shape (n_documents,)
            Larger is more relevant.
        qid : ndarray of shape (n_documents,) or None
            None: one query.
        alpha : float
        penalty : L1 or SquaredL2

        Raises
        ------
        ValueError
            If no two documents of a query differ in relevance.
        """
        if qid is None:
            query_of = np.zeros(y.size, dtype=np.int64)
        else:
            numbered = np.unique(qid, return_inverse=True)[1].ravel()
            order = np.argsort(numbered, kind="stable")
            X, y, query_of = X[order], y[order], numbered[order].astype(np.int64)
        starts = np.append(0, np.cumsum(np.bincount(query_of)))
        levels = _levels(y, starts)
        if not levels.any():
            raise ValueError(
                "y has one class only within every query, so there is no preference to learn from; check y"
                + ("" if qid is None else " and qid")
            )
        return cls(X, levels, starts, query_of, alpha, penalty)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.X.shape[1]

    @property
    def n_preferences(self) -> int:
        """Number of pairs of different relevance within a query."""
        total = 0
        for first, last in itertools.pairwise(self.starts):
            counts = np.bincount(self.levels[first:last])
            total += (counts.sum() ** 2 - (counts**2).sum()) // 2
        return int(total)

    def with_alpha(self, alpha):
        """Return the same data under another weight of the penalty."""
        return replace(self, alpha=alpha)

    def _sums(self, scores, values):
        """`_violations`, with the documents sorted; ``values`` has shape (n_documents, k)."""
        order = _deal(np.argsort(scores), self.query_of, self.starts)
        below, above = np.empty(values.shape), np.empty(values.shape)
        _violations(scores, order, self.levels, self.starts, values, below, above)
        return below, above

    def loss(self, scores) -> LossAt:
        """Evaluate the loss at the scores (n_documents,)."""
        # only differences within a query matter: centred scores keep their squares from cancelling
        sizes = np.diff(self.starts)
        centre = np.add.reduceat(scores, self.starts[:-1]) / sizes
        s = scores - centre[self.query_of]
        below, above = self._sums(s, np.column_stack([np.ones_like(s), s, s * s]))
        (n_below, sum_below, squares_below), (n_above, sum_above, _) = below.T, above.T
        hinges = n_below * (1.0 - s) + sum_below
        value = n_below * (1.0 - s) ** 2 + 2.0 * (1.0 - s) * sum_below + squares_below
        slope = 2.0 * (n_above * (1.0 + s) - sum_above - hinges)
        return LossAt(float(value.sum()), float(hinges.sum()), slope, n_below + n_above)

    def objective(self, w) -> float:
        """F(w)."""
        return self.loss(self.X @ w).value + self.alpha * self.penalty.value(w)

    def gradient(self, loss):
        """Gradient of the loss in w, from `loss` at its scores."""
        return self.X.T @ loss.slope

    def hessian(self, scores, loss):
        """Hessian of the loss where it has one, 2(X' diag(l) X − C − C') with C = X'M, of shape (d, d).

        Row i of M sums the less relevant documents whose preference to i is violated.
        """
        dense = self.X.toarray() if sp.issparse(self.X) else self.X
        below, _ = self._sums(scores, dense)
        cross = dense.T @ below
        weighted = dense.T @ (loss.counts[:, None] * dense)
        return 2.0 * (weighted - cross - cross.T)

    def hessian_product(self, scores, loss, v):
        """Hessian times a vector, in O(N log N) and two passes over X."""
        along = self.X @ v
        below, above = self._sums(scores, along[:, None])
        return 2.0 * (self.X.T @ (loss.counts * along - (below + above).ravel()))

    def lower_bound(self, loss, gradient) -> float:
        """Dual bound from π = 2(1 − X̃w)₊, scaled to be feasible and best."""
        # the dual along s π: s Σπ − s² Σπ²/4 − αΩ*(s X̃'π/α), where X̃'π is minus the gradient
        total, squares = 2.0 * loss.hinges, loss.value
        if isinstance(self.penalty, SquaredL2):
            squares += 0.5 * float(gradient @ gradient) / self.alpha
            scale = 0.5 * total / squares if squares > 0.0 else 0.0
        else:
            norm = self.penalty.dual_norm(gradient)
            scale = 0.5 * total / squares if squares > 0.0 else 0.0
            scale = min(scale, self.alpha / norm) if norm > 0.0 else scale
        return float(scale * total - scale**2 * squares)

    def lambda_max(self) -> float:
        """Smallest alpha from which w = 0 is optimal: the dual norm of the gradient there, 2‖X̃'1‖."""
        return self.penalty.dual_norm(self.gradient(self.loss(np.zeros(self.X.shape[0]))))
