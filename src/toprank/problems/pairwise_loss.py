"""Squared hinge of all preferences within queries, with derivatives, without forming a pair (L14 eq. 2).

A preference is a pair (i, j) of documents of one query with y_i > y_j. Its loss is c_q (1 − s_i + s_j)₊²,
where c_q is the weight of the query, 1 in the paper. The documents of a query are sorted by their scores. One
sweep up and one sweep down count and sum the violated preferences, in trees over the relevance levels (Lee
and Lin 2014). That is O(N log N) for N documents, for any number of levels.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from toprank.clock import WRITE_COST
from toprank.problems import pairwise_kernels
from toprank.problems.sparse_rows import SparseRows, make_fast_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Number of features up to which the whole Hessian is formed.
DENSE_HESSIAN_MAX_D = 1000

#: Number of documents in a block of rows, when the Hessian is computed.
DOCUMENTS_PER_CHUNK = 4096


@dataclass(frozen=True)
class PairwiseLoss:
    """The loss at one vector of scores.

    Parameters
    ----------
    value : float
        Σ c_q (1 − s_i + s_j)₊² over the preferences.
    hinge_sum : float
        Σ c_q (1 − s_i + s_j)₊.
    slope : ndarray of shape (n_documents,)
        Derivative of the value with respect to the scores.
    counts : ndarray of shape (n_documents,)
        Number of the violated preferences of each document, times the weight of its query.
    """

    value: float
    hinge_sum: float
    slope: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class PairwisePreferences:
    """Preferences between the documents of each query, with the loss Σ c_q (1 − s_i + s_j)₊² of scores.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_documents, d)
        The documents of a query are contiguous.
    levels : ndarray of shape (n_documents,)
        Relevance within the query, numbered from 0.
    starts : ndarray of shape (n_queries + 1,)
        First document of each query, and the number of documents.
    n_levels : ndarray of shape (n_queries,)
        Number of levels of each query.
    query_of : ndarray of shape (n_documents,)
        Index of the query of each document.
    query_weights : ndarray of shape (n_queries,)
        c_q, the weight of each preference of a query.
    """

    X: np.ndarray | sp.csr_array
    levels: np.ndarray
    starts: np.ndarray
    n_levels: np.ndarray
    query_of: np.ndarray
    query_weights: np.ndarray

    @cached_property
    def _fast_rows(self) -> np.ndarray | SparseRows:
        """X, in the form with the fastest products."""
        return make_fast_rows(self.X)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.X.shape[1]

    @property
    def n_preferences(self) -> int:
        """Number of pairs of different relevance within a query."""
        return int(pairwise_kernels.count_preferences(self.levels, self.starts, self.n_levels).sum())

    @property
    def is_flat(self) -> bool:
        """Whether no feature varies within a query: its documents then have the same score for any w."""
        return not abs(self.X - self.X[self.starts[self.query_of]]).max() > 0.0

    @property
    def is_balanced(self) -> bool:
        """Whether the gradient of the loss vanishes at w = 0: w = 0 is then optimal at any regularisation."""
        loss = self.loss(np.zeros(self.X.shape[0]))
        # the sizes of the terms, in whose rounding errors a sum of 0 drowns
        largest = abs(self.X).T @ np.abs(loss.slope)
        return bool(np.all(np.abs(self.gradient(loss)) <= 1e-13 * largest))

    def with_rows(self, X: np.ndarray | sp.csr_array) -> Self:
        """Return the same preferences between other rows, for instance rotated ones.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_documents, d)

        Returns
        -------
        PairwisePreferences
        """
        return replace(self, X=X)

    def _score_order(self, scores: np.ndarray) -> np.ndarray:
        """Documents of each query by ascending score."""
        return pairwise_kernels.group_by_query(np.argsort(scores), self.query_of, self.starts)

    def loss(self, scores: np.ndarray) -> PairwiseLoss:
        """Evaluate the loss at the scores (n_documents,).

        Parameters
        ----------
        scores : ndarray of shape (n_documents,)

        Returns
        -------
        PairwiseLoss
        """
        slope, counts = np.empty(scores.size), np.empty(scores.size)
        value, total = pairwise_kernels.evaluate_squared_hinge(
            *(scores, self._score_order(scores), self.levels, self.starts, self.n_levels),
            *(self.query_weights, slope, counts),
        )
        return PairwiseLoss(value, total, slope, counts)

    def gradient(self, loss: PairwiseLoss) -> np.ndarray:
        """Return the gradient of the loss in w, from `loss` at its scores.

        Parameters
        ----------
        loss : PairwiseLoss

        Returns
        -------
        ndarray of shape (d,)
        """
        return self.X.T @ loss.slope

    def _hessian_factors(
        self, scores: np.ndarray, loss: PairwiseLoss, features: np.ndarray | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield blocks of rows x_i, or of some columns, and of l_i x_i − 2 c_q Σ x_j over violated j below i.

        A block fits into the cache. The next one overwrites it.
        """
        d = self.n_features
        features = np.arange(d) if features is None else features
        order = self._score_order(scores)
        # Blocks of whole queries: a preference never leaves its query.
        chunk_starts = np.searchsorted(self.starts, np.arange(0, self.starts[-1], DOCUMENTS_PER_CHUNK))
        edges = np.unique(np.append(chunk_starts, self.starts.size - 1))
        largest = int(np.diff(self.starts[edges]).max())
        row_buffer, products = np.empty((largest, len(features))), np.empty((largest, len(features)))
        for first, last in itertools.pairwise(edges):
            X = self.X[self.starts[first] : self.starts[last]]
            rows = row_buffer[: X.shape[0]]
            if sp.issparse(X):
                X[:, features].toarray(out=rows)
            else:
                np.take(X, features, axis=1, out=rows, mode="clip")
            queries = slice(first, last)
            pairwise_kernels.compute_hessian_factors(
                *(scores, order, self.levels, self.starts[first : last + 1], self.n_levels[queries]),
                *(self.query_weights[queries], loss.counts, rows, products),
            )
            yield rows, products[: len(rows)]

    def hessian(
        self, scores: np.ndarray, loss: PairwiseLoss, features: np.ndarray | None = None
    ) -> np.ndarray:
        """Hessian of the loss where it has one, 2(X' diag(l) X − C − C') with C = X'M.

        Row i of M is c_q times the sum of the less relevant documents whose preference to i is violated.

        Parameters
        ----------
        scores : ndarray of shape (n_documents,)
        loss : PairwiseLoss
            `loss` at the scores.
        features : ndarray of int, optional
            Rows and columns to compute; by default all.

        Returns
        -------
        ndarray of shape (d, d), or of the chosen rows and columns
        """
        # X' diag(l) X is symmetric: with half of it in C and half in C', one product is enough
        half_hessian = sum(
            rows.T @ products for rows, products in self._hessian_factors(scores, loss, features)
        )
        return half_hessian + half_hessian.T

    def hessian_operations(self, n_features: int) -> float:
        """Return the operations of a `hessian` of so many features, for the clock.

        Parameters
        ----------
        n_features : int
            Number of rows and columns of the Hessian.

        Returns
        -------
        float
        """
        return (2.0 * self.X.shape[0] + WRITE_COST) * n_features**2

    def hessian_operator(self, scores: np.ndarray, loss: PairwiseLoss) -> LinearOperator:
        """Return `hessian` as an operator; a product takes O(N log N) and two passes over X.

        Parameters
        ----------
        scores : ndarray of shape (N,)
            Xw.
        loss : PairwiseLoss
            The loss at these scores.

        Returns
        -------
        LinearOperator of shape (d, d)
        """
        order, active = self._score_order(scores), np.flatnonzero(loss.counts)

        def product(v: np.ndarray) -> np.ndarray:
            """Return the product of the Hessian and v.

            Parameters
            ----------
            v : ndarray of shape (d,) or (d, 1)

            Returns
            -------
            ndarray of shape (d,)
            """
            if isinstance(self._fast_rows, SparseRows):
                # a document in no violated preference enters no product
                direction_scores = np.zeros((scores.size, 1))
                direction_scores[active, 0] = self._fast_rows.score_selected(active, v.ravel())
            else:
                direction_scores = (self.X @ v.ravel())[:, None]
            products = np.empty_like(direction_scores)
            pairwise_kernels.compute_hessian_products(
                *(scores, order, self.levels, self.starts, self.n_levels),
                *(self.query_weights, loss.counts, direction_scores, products),
            )
            return 2.0 * (self._fast_rows.T @ products[:, 0])

        return LinearOperator((self.n_features, self.n_features), matvec=product, dtype=float)

    def _loss_at_zero(self) -> tuple[np.ndarray, PairwiseLoss]:
        """Scores at which every preference is violated, where the curvature is largest, and their loss."""
        scores = np.zeros(self.X.shape[0])
        return scores, self.loss(scores)

    def largest_curvature(self) -> float:
        """Largest eigenvalue of 2 X̃'diag(c)X̃, the Lipschitz constant of the gradient.

        Returns
        -------
        float
        """
        scores, loss = self._loss_at_zero()
        if self.n_features <= DENSE_HESSIAN_MAX_D:
            return float(np.linalg.eigvalsh(self.hessian(scores, loss))[-1])
        # a fixed start vector makes the result reproducible
        start = np.random.default_rng(0).normal(size=self.n_features)
        curvature = self.hessian_operator(scores, loss)
        largest = eigsh(curvature, k=1, return_eigenvectors=False, tol=1e-4, v0=start)[0]
        # Lanczos approaches the largest eigenvalue from below: a margin above its tolerance of 1e-4
        return float(1.001 * largest)

    def curvature_trace(self) -> float:
        """Trace of 2 X̃'diag(c)X̃, L14's bound on the Lipschitz constant (Proposition 1).

        Returns
        -------
        float
        """
        scores, loss = self._loss_at_zero()
        # the trace needs the diagonal only, so that blocks of columns suffice
        features = np.arange(self.n_features)
        parts = (
            self._hessian_factors(scores, loss, features[i : i + DENSE_HESSIAN_MAX_D])
            for i in range(0, features.size, DENSE_HESSIAN_MAX_D)
        )
        return float(2.0 * sum(np.vdot(rows, products) for part in parts for rows, products in part))

    def lipschitz(self, kind: str = "exact") -> float:
        """Lipschitz constant of the gradient of the loss; 1 if the loss has no curvature.

        Parameters
        ----------
        kind : {"exact", "trace"}
            The largest eigenvalue of 2 X̃'diag(c)X̃, or its trace, L14's constant (Proposition 1).

        Returns
        -------
        float
        """
        constant = self.largest_curvature() if kind == "exact" else self.curvature_trace()
        return constant if constant > 0.0 else 1.0
