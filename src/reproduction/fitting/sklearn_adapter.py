"""Estimators of other packages: how they are given rows and queries, and what they must return."""

from inspect import signature

import numpy as np
import scipy.sparse as sp

from toprank.problems.rows import SelectedRows


def group_rows_by_query(qid, n_rows: int):
    """Order rows so that the documents of a query lie together; a single list is one query.

    `qid`: ndarray of shape (n_rows,) or None. Returns `order` (ndarray of int, or slice): positions of the
    rows, query by query, in their old order; a slice where they lie together; `sizes`: rows of each query, in
    that order.
    """
    if qid is None:
        return slice(None), np.array([n_rows])
    order = np.argsort(qid, kind="stable")
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

    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        if name.startswith("_") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def set_params(self, **params):
        """Set parameters of the model."""
        self.model.set_params(**params)
        return self

    def fit(self, X, y, qid=None):
        """Fit the model."""
        X, parameters = _as_array_or_csr(X), signature(self.model.fit).parameters
        if "group" in parameters:
            order, sizes = group_rows_by_query(qid, len(y))
            self.model.fit(X[order], y[order], group=sizes)
        elif "qid" in parameters and qid is not None:
            order, _ = group_rows_by_query(qid, len(y))
            self.model.fit(X[order], y[order], qid=qid[order])
        else:
            self.model.fit(X, y)
        return self

    def decision_function(self, X):
        """Score rows.

        Raises `ValueError`: if the model does not give one score a row.
        """
        scores = np.asarray(self._score(_as_array_or_csr(X)), dtype=float)
        if scores.shape != X.shape[:1]:
            class_name = type(self.model).__name__
            raise ValueError(
                f"{class_name} gives {X.shape[0]} rows scores of shape {scores.shape} instead of one score a "
                "row; the rule of a classifier of two classes says lists_only=True"
            )
        return scores

    def _score(self, X):
        """Score rows by the decision, else by the probability of the second class, else by the prediction."""
        if hasattr(self.model, "decision_function"):
            return self.model.decision_function(X)
        if not hasattr(self.model, "predict_proba"):
            return self.model.predict(X)
        probabilities = np.asarray(self.model.predict_proba(X))
        return probabilities[:, 1] if probabilities.shape[1:] == (2,) else probabilities


def _as_array_or_csr(X):
    """Rows as other packages take them: an array, or a sparse matrix."""
    if isinstance(X, SelectedRows):
        return np.asarray(X)
    return sp.csr_matrix(use_int32_indices(X)) if sp.issparse(X) else X


def use_int32_indices(X):
    """Return sparse rows with 32-bit indices, which compiled code of others takes, where these suffice."""
    X = X.tocsr()
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
