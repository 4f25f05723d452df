"""Adapters for methods of other packages, and two baselines that any method should beat."""

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC


class Pointwise:
    """Classify relevant rows against all others; queries and grades are ignored."""

    def fit(self, X, y):
        """Fit to rows; above 0 they are relevant."""
        return super().fit(X, y > 0)


class PointwiseLogistic(Pointwise, LogisticRegression):
    """Logistic regression."""


class PointwiseSVC(Pointwise, LinearSVC):
    """The linear support vector machine."""


def boosted_trees(**params):
    """Return gradient-boosted trees under the logistic loss, which take sparse rows, too.

    `**params`: of ``sklearn.ensemble.HistGradientBoostingClassifier``.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier  # late: no other method needs it

    def to_dense(X):
        return X.toarray() if hasattr(X, "toarray") else X

    class BoostedTrees(Pointwise, HistGradientBoostingClassifier):
        def fit(self, X, y):
            return super().fit(to_dense(X), y)

        def decision_function(self, X):
            return super().decision_function(to_dense(X))

    return BoostedTrees(**params)


class RandomScorer(BaseEstimator):
    """Score rows at random: what any ranking has to beat."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        """Learn nothing."""
        self._random = np.random.default_rng([self.random_state, *X.shape, int(np.count_nonzero(y > 0))])
        return self

    def decision_function(self, X):
        """Draw a score for each row."""
        return self._random.random(X.shape[0])


class BestFeature(BaseEstimator):
    """Rank by a single feature: the one whose AUC on the training rows is farthest from one half."""

    def fit(self, X, y):
        """Choose the feature, and its sign."""
        relevant, auc = y > 0, np.full(X.shape[1], 0.5)
        n_positives = np.count_nonzero(relevant)
        for first in range(0, X.shape[1], 50):  # of sparse rows only so many columns are filled at a time
            columns = X[:, first : first + 50]
            columns = columns.toarray() if hasattr(columns, "toarray") else columns
            u_statistics = (
                rankdata(columns, axis=0)[relevant].sum(axis=0) - n_positives * (n_positives + 1) / 2
            )
            auc[first : first + 50] = u_statistics / max(n_positives * (y.size - n_positives), 1)
        self.coef_ = np.zeros(X.shape[1])
        best = int(np.argmax(np.abs(auc - 0.5)))
        self.coef_[best] = 1.0 if auc[best] >= 0.5 else -1.0
        return self

    def decision_function(self, X):
        """Score rows."""
        return X @ self.coef_


def lambdamart(longest=10_000, pairs=5_000_000, **params):
    """Return LightGBM's ranker, which takes no query of more than 10 000 rows: a longer list is cut.

    `longest`: rows of a piece at most. The pieces are drawn at random, by the seed ``random_state``.
    `pairs`: a tree compares each row with the top ``lambdarank_truncation_level`` rows of its list. The level
    is lowered, to LightGBM's default of 30 at least, so that there are so many pairs at most.
    `**params`: of ``lightgbm.LGBMRanker``.
    """
    from lightgbm import LGBMRanker

    class LambdaMART(LGBMRanker):
        def fit(self, X, y, group):
            if np.max(group) > longest and len(group) == 1:
                order = np.random.default_rng(self.random_state).permutation(len(y))
                X, y = X[order], y[order]
                group = [len(piece) for piece in np.array_split(order, -(-len(y) // longest))]
            level = self.get_params().get("lambdarank_truncation_level", 30)
            if np.sum(group * np.minimum(group, level)) > pairs:
                self.set_params(lambdarank_truncation_level=max(30, pairs // len(y)))
            return super().fit(X, y, group=group)

    return LambdaMART(**params)
