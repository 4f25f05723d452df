"""Infinite push with recursive feature elimination, with which R12 compares the sparse norms."""

from __future__ import annotations

import hashlib
import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import RFE

from toprank.estimators.base import LinearRanker
from toprank.estimators.infinite_push import InfinitePush
from toprank.parameters import check_positive

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.typing import Rows, Values


class RFEInfinitePush(LinearRanker):
    """Recursive feature elimination (RFE) for bipartite ranking, by the ridge infinite push (R12, 4.1).

    Guyon's procedure, by scikit-learn's `RFE`: fit, drop the features with the smallest absolute weights, and
    repeat. The model is then fitted to the remaining features.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep; all of them if X has fewer.
    alpha : float, default=1.0
        Weight of the ridge in each fit.
    depth : float, default=1
        Depth of the infinite push in each fit, as in `InfinitePush`. The model of R12 has depth 1.
    step : int, optional
        Number of features to drop at a time; by default a twentieth of all features, at least one.
    tol : float, default=1e-8
        Relative duality gap of each fit.
    max_iter : int, optional
        Iterations of each fit, as of `InfinitePush`.
    time_limit : float, optional
        Seconds of each fit, and not of all of them.
    warm_start : bool, default=False
        Whether to reuse the order of elimination of the last fit to the same data with the same alpha, depth,
        tol, step and limits: fits with several ``n_features`` then need one elimination, and keep the same
        features as without.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Zero for the features that were dropped.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the features kept to the end, larger for those dropped earlier; features dropped in one step
        share a rank.
    certificate_ : Certificate
        Certificate of the last fit.
    n_iter_ : int
        Number of iterations of the last fit.
    depth_ : float
        The depth as a number of negatives.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    References
    ----------
    .. [1] I. Guyon et al. Gene selection for cancer classification using support vector machines. Machine
       Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import RFEInfinitePush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> RFEInfinitePush(n_features=1, alpha=0.1).fit(X, [1, 1, 0, 0]).ranking_
    array([1, 2])
    """

    #: the solver of its `InfinitePush` -> the function that runs it
    SOLVERS = {"exact": "toprank.solvers.push_exact:solve"}

    def __init__(
        self,
        n_features: int = 10,
        alpha: float = 1.0,
        *,
        depth: float = 1.0,
        step: int | None = None,
        tol: float = 1e-8,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.n_features = n_features
        self.alpha = alpha
        self.depth = depth
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start

    def fit(self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two values (the larger is positive), or grades (positive above 0).
        qid : array-like of shape (n_samples,), optional
            At most one distinct value: the method ranks a single list.
        group : array-like of int of shape (1,), optional
            Instead of qid: the size of the list.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `InfinitePush.fit`, or if ``n_features`` or ``step`` is not a positive whole number.

        Warns
        -----
        ConvergenceWarning, UserWarning
            As `InfinitePush.fit`; of each kind only the first.
        """
        check_positive(self, "alpha", "n_features", optional=("step",), integers=("n_features", "step"))
        check_positive(self, optional=("max_iter", "time_limit"), integers=("max_iter",))
        X, relevant = self._check_fit_single_list(X, y, qid, group=group)
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            self._eliminate(X, relevant)
        # the first warning of each kind stands for those of all fits
        first_messages = {record.category: record.message for record in reversed(records)}
        for message in first_messages.values():
            warnings.warn(message, stacklevel=2)
        return self

    def _eliminate(self, X: np.ndarray | sp.csr_array, relevant: np.ndarray) -> None:
        """Eliminate features, and fit the model to those that are left."""
        # Guyon's elimination: fit, drop the features of the smallest |w_j|, fit again (R12, section 4.1)
        limits = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit}
        push = InfinitePush("l2", self.alpha, depth=self.depth, **limits)
        n_to_keep = min(self.n_features, X.shape[1])
        step = self.step or max(1, X.shape[1] // 20)
        # without warm start, the features that are kept need no ranking
        if not self.warm_start:
            self.ranking_ = _rank_features(push, X, relevant, n_to_keep, step)
            self._ranked_with = None  # an order of some features serves no warm start
            selected = np.flatnonzero(self.ranking_ == 1)
        else:
            settings = (compute_data_digest(X, relevant), self.alpha, self.depth, step, *limits.values())
            if getattr(self, "_ranked_with", None) != settings:
                self.ranking_, self._ranked_with = _rank_features(push, X, relevant, 1, step), settings
            # the whole step that the elimination would have begun at: of its features some are kept
            last_rank = np.sort(self.ranking_)[n_to_keep - 1]
            selected = np.flatnonzero(self.ranking_ <= last_rank)
            if selected.size > n_to_keep:
                ranking = _rank_features(push, X[:, selected], relevant, n_to_keep, step)
                selected = selected[ranking == 1]
        push.fit(X[:, selected], relevant)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[selected] = push.coef_
        self.certificate_, self.n_iter_, self.depth_ = push.certificate_, push.n_iter_, push.depth_

    def alpha_max(self, X: Rows, y: Values) -> float:
        """Return the scale of a grid of alpha; see `InfinitePush.alpha_max`.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        float
            The scale.
        """
        return InfinitePush("l2", depth=self.depth).alpha_max(X, y)

    def _compute_alpha_scale(self, X: Rows, y: Values, clock: Clock) -> float:
        """Return the scale of alpha of the ridge infinite push."""
        return InfinitePush("l2", depth=self.depth)._compute_alpha_scale(X, y, clock)


def compute_data_digest(X: np.ndarray | sp.csr_array, relevant: np.ndarray) -> str:
    """Compute a digest of checked rows and labels, by which a model knows them again without keeping them.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    relevant : ndarray of bool of shape (n_samples,)

    Returns
    -------
    str
        Of 32 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.estimators.rfe import compute_data_digest
    >>> X, relevant = np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([True, False])
    >>> compute_data_digest(X, relevant) == compute_data_digest(X.copy(), relevant)
    True
    >>> compute_data_digest(X, relevant) == compute_data_digest(X, ~relevant)
    False
    """
    digest = hashlib.blake2b(repr((X.shape, sp.issparse(X))).encode(), digest_size=16)
    for part in (*((X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)), relevant):
        digest.update(np.ascontiguousarray(part))
    return digest.hexdigest()


def _rank_features(
    push: InfinitePush, X: np.ndarray | sp.csr_array, relevant: np.ndarray, n_to_keep: int, step: int
) -> np.ndarray:
    """Return the rank of each feature: 1 for those that are kept, larger for those dropped earlier."""
    if n_to_keep >= X.shape[1]:
        return np.ones(X.shape[1], dtype=int)
    return RFE(push, n_features_to_select=n_to_keep, step=step).fit(X, relevant).ranking_
