"""Infinite push with recursive feature elimination, R12's rival of the sparse norms."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.feature_selection import RFE

from toprank.estimators.base import LinearRanker
from toprank.estimators.infinite_push import InfinitePush
from toprank.parameters import check_positive


class RFEInfinitePush(LinearRanker):
    """Ridge infinite push on the features that recursive elimination leaves (R12, section 4.1).

    Guyon's procedure, by scikit-learn's `RFE`: fit, drop the feature of the smallest absolute weight, and so
    on; then fit once more on what is left.

    Parameters
    ----------
    n_features : int, default=10
        How many features are left; all of them where there are no more.
    alpha : float, default=1.0
        Weight of the ridge, in each of the fits.
    step : int, optional
        How many features are dropped at a time; by default one for every 20 features, at least one.
    tol : float, default=1e-8
        Relative duality gap of each fit.
    warm_start : bool, default=False
        Whether a fit to the same data takes over the order of elimination, so that several ``n_features``
        cost one elimination.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Zero for the features that were dropped.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the feature that would be left alone, larger for those dropped earlier; features dropped in one
        step share a rank.
    certificate_ : Certificate
        Of the last fit.
    n_iter_ : int
        Of the last fit.

    References
    ----------
    .. [1] I. Guyon et al. Gene selection for cancer classification using support vector machines. Machine
       Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.estimators.rfe import RFEInfinitePush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> RFEInfinitePush(n_features=1, alpha=0.1).fit(X, [1, 1, 0, 0]).ranking_
    array([1, 2])
    """

    #: the solver of its `InfinitePush` -> the function that runs it
    SOLVERS = {"exact": "toprank.solvers.push_exact:solve"}

    def __init__(self, n_features=10, alpha=1.0, *, step=None, tol=1e-8, warm_start=False):
        self.n_features = n_features
        self.alpha = alpha
        self.step = step
        self.tol = tol
        self.warm_start = warm_start

    def fit(self, X, y, qid=None, *, group=None, **refused):
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
        **refused
            Arguments of other rankers: refused, with the reason.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `InfinitePush.fit`, or if ``n_features`` or ``step`` is no positive whole number.

        Warns
        -----
        ConvergenceWarning, UserWarning
            As `InfinitePush.fit`; of each kind the first that one of its fits gives.
        """
        check_positive(self, "n_features", optional=("step",), whole=("n_features", "step"))
        X, relevant = self._check_fit_single_list(X, y, qid, group=group, **refused)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._eliminate(X, relevant)
        told = {said.category: said.message for said in reversed(caught)}
        for message in told.values():
            warnings.warn(message, stacklevel=2)
        return self

    def _eliminate(self, X, relevant):
        """Drop the features one after the other, and fit on what is left."""
        push = InfinitePush("l2", self.alpha, tol=self.tol)
        known = getattr(self, "ranking_", None)
        if not (self.warm_start and known is not None and known.size == X.shape[1]):
            # a model that is fitted once needs no order of the features that stay
            left = 1 if self.warm_start else min(self.n_features, X.shape[1])
            step = self.step or max(1, X.shape[1] // 20)
            self.ranking_ = RFE(push, n_features_to_select=left, step=step).fit(X, relevant).ranking_
        kept = np.flatnonzero(self.ranking_ <= np.sort(self.ranking_)[min(self.n_features, X.shape[1]) - 1])
        push.fit(X[:, kept], relevant)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[kept] = push.coef_
        self.certificate_, self.n_iter_ = push.certificate_, push.n_iter_

    def alpha_max(self, X, y):
        """Return the scale of a grid of alpha; see `InfinitePush.alpha_max`."""
        return InfinitePush("l2").alpha_max(X, y)
