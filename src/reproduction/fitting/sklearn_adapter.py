"""Estimators of other packages: how they are given rows and queries, and what they must return."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.problems.rows import SelectedRows

if TYPE_CHECKING:
    from typing import Any, Self

    from reproduction.fitting.feature_scaling import Rows


def group_rows_by_query(qid: np.ndarray | None, n_rows: int) -> tuple[np.ndarray | slice, np.ndarray]:
    """Order rows so that the documents of a query lie together; a single list is one query.

    Parameters
    ----------
    qid : ndarray of shape (n_rows,) or None
        Query of each row; None for a single list.
    n_rows : int
        Number of rows.

    Returns
    -------
    order : ndarray of int, or slice
        Positions of the rows, query by query, in their old order; a slice where they lie together.
    sizes : ndarray of shape (n_queries,)
        Number of rows of each query, in that order.
    """
    if qid is None:
        return slice(None), np.array([n_rows])
    order = np.argsort(qid, kind="stable")
    # np.unique sorts as the stable order does, so that sizes follow the rows
    sizes = np.unique(qid, return_counts=True)[1]
    return (slice(None) if np.array_equal(order, np.arange(n_rows)) else order), sizes


class EstimatorAdapter:
    """An estimator of another package with the interface of ours.

    Its ``fit`` gets ``group`` (the rows of each query) where it takes that, or else ``qid`` where it takes
    that and there are queries; for both the documents of a query lie together.

    Parameters
    ----------
    model : estimator
        With ``fit`` and ``decision_function``, ``predict_proba`` of two classes, or ``predict``; other
        attributes are taken from it.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the model.

        Parameters
        ----------
        **params : dict
            Parameters of the wrapped estimator.

        Returns
        -------
        Self
            The adapter itself.
        """
        self.model.set_params(**params)
        return self

    def fit(self, X: Rows, y: np.ndarray, qid: np.ndarray | None = None) -> Self:
        """Fit the model, with the queries in the form that its ``fit`` takes.

        Parameters
        ----------
        X : ndarray, csr_array or SelectedRows of shape (n_rows, n_features)
            Feature rows.
        y : ndarray of shape (n_rows,)
            Labels or grades.
        qid : ndarray of shape (n_rows,), optional
            Query of each row.

        Returns
        -------
        Self
            The adapter itself.
        """
        X, parameters = _as_array_or_csr(X), signature(self.model.fit).parameters
        # LightGBM and XGBoost take sizes of queries (`group`) or ids (`qid`), of rows that lie together.
        if "group" in parameters:
            order, sizes = group_rows_by_query(qid, len(y))
            self.model.fit(X[order], y[order], group=sizes)
        elif "qid" in parameters and qid is not None:
            order, _ = group_rows_by_query(qid, len(y))
            self.model.fit(X[order], y[order], qid=qid[order])
        else:
            self.model.fit(X, y)
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Score rows.

        Parameters
        ----------
        X : ndarray, csr_array or SelectedRows of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores; larger ones rank higher.

        Raises
        ------
        ValueError
            If the model does not give one score a row.
        """
        scores = np.asarray(self._score(_as_array_or_csr(X)), dtype=float)
        if scores.shape != X.shape[:1]:
            class_name = type(self.model).__name__
            raise ValueError(
                f"{class_name} gives {X.shape[0]} rows scores of shape {scores.shape} instead of one score a "
                "row; the rule of a classifier of two classes says lists_only=True"
            )
        return scores

    def _score(self, X: Any) -> np.ndarray:
        """Score rows by the decision, else by the probability of the second class, else by the prediction."""
        if hasattr(self.model, "decision_function"):
            return self.model.decision_function(X)
        if not hasattr(self.model, "predict_proba"):
            return self.model.predict(X)
        probabilities = np.asarray(self.model.predict_proba(X))
        # a classifier of two classes: the probability of the positive one
        return probabilities[:, 1] if probabilities.shape[1:] == (2,) else probabilities


def _as_array_or_csr(X: Rows) -> np.ndarray | sp.csr_matrix:
    """Rows as other packages take them: an array, or a sparse matrix."""
    if isinstance(X, SelectedRows):
        return np.asarray(X)
    return sp.csr_matrix(use_int32_indices(X)) if sp.issparse(X) else X


def use_int32_indices(X: sp.sparray | sp.spmatrix) -> sp.csr_array | sp.csr_matrix:
    """Return sparse rows with 32-bit indices, which third-party compiled code takes, where these suffice.

    Parameters
    ----------
    X : sparse matrix of shape (n_rows, n_features)
        Rows in any sparse format.

    Returns
    -------
    csr_array or csr_matrix
        The rows; with their indices as they are where 32 bits do not suffice.
    """
    X = X.tocsr()
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
