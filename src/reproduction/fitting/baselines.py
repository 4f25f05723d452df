"""Adapters for methods of other packages, and two baselines that any method should beat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

if TYPE_CHECKING:
    from typing import Any, Self

    from lightgbm import LGBMRanker
    from xgboost import XGBRanker

    from reproduction.fitting.feature_scaling import Rows


class Pointwise:
    """Classify relevant rows against all others; queries and grades are ignored."""

    def fit(self, X: Rows, y: np.ndarray) -> Self:
        """Fit a classifier to rows without regard to their queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Feature rows.
        y : ndarray of shape (n_rows,)
            Grades; above 0 a row is relevant.

        Returns
        -------
        Self
            The fitted classifier.
        """
        # Grades above 0 are relevant, as in all metrics.
        return super().fit(X, y > 0)


class PointwiseLogistic(Pointwise, LogisticRegression):
    """Logistic regression."""


class PointwiseSVC(Pointwise, LinearSVC):
    """The linear support vector machine."""


def random_forest(**params: Any) -> Pointwise:
    """Build a random forest, which ranks by the share of its trees that vote for a relevant row.

    Parameters
    ----------
    **params : dict
        Parameters of ``sklearn.ensemble.RandomForestClassifier``.

    Returns
    -------
    Pointwise
        An unfitted classifier.
    """
    from sklearn.ensemble import RandomForestClassifier  # late: no other method needs it

    class RandomForest(Pointwise, RandomForestClassifier):
        pass

    return RandomForest(**params)


def boosted_trees(**params: Any) -> Pointwise:
    """Build gradient-boosted trees under the logistic loss, which take sparse rows, too.

    Parameters
    ----------
    **params : dict
        Parameters of ``sklearn.ensemble.HistGradientBoostingClassifier``.

    Returns
    -------
    Pointwise
        An unfitted classifier.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier  # late: no other method needs it

    def to_dense(X: Rows) -> np.ndarray:
        """Return rows as a dense array, which the classifier needs.

        Parameters
        ----------
        X : Rows
            Feature rows, sparse or dense.

        Returns
        -------
        ndarray
            The same rows.
        """
        return X.toarray() if hasattr(X, "toarray") else X

    class BoostedTrees(Pointwise, HistGradientBoostingClassifier):
        def fit(self, X: Rows, y: np.ndarray) -> Self:
            """Fit to dense rows.

            Parameters
            ----------
            X : ndarray or csr_array of shape (n_rows, n_features)
                Feature rows.
            y : ndarray of shape (n_rows,)
                Grades; above 0 a row is relevant.

            Returns
            -------
            Self
                The fitted classifier.
            """
            return super().fit(to_dense(X), y)

        def decision_function(self, X: Rows) -> np.ndarray:
            """Score rows.

            Parameters
            ----------
            X : ndarray or csr_array of shape (n_rows, n_features)
                Feature rows.

            Returns
            -------
            ndarray of shape (n_rows,)
                Scores; larger ones rank higher.
            """
            return super().decision_function(to_dense(X))

    return BoostedTrees(**params)


class RandomScorer(BaseEstimator):
    """Score rows at random: what any ranking has to beat.

    Parameters
    ----------
    random_state : int, default=0
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Rows, y: np.ndarray) -> Self:
        """Seed the scores by the shape of the training rows and the number of positives; learn nothing.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Feature rows.
        y : ndarray of shape (n_rows,)
            Grades; above 0 is positive.

        Returns
        -------
        Self
            The scorer itself.
        """
        # The seed depends on the training part, so that splits differ and a repetition does not.
        self._random = np.random.default_rng([self.random_state, *X.shape, int(np.count_nonzero(y > 0))])
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Draw a score for each row.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores uniform on [0, 1).
        """
        return self._random.random(X.shape[0])


class BestFeature(BaseEstimator):
    """Rank by a single feature: the one whose AUC on the training rows is farthest from one half."""

    def fit(self, X: Rows, y: np.ndarray) -> Self:
        """Choose the feature and its sign.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Feature rows.
        y : ndarray of shape (n_rows,)
            Grades; above 0 is positive.

        Returns
        -------
        Self
            The fitted scorer; its ``coef_`` has a single entry of 1 or -1.
        """
        relevant, auc = y > 0, np.full(X.shape[1], 0.5)
        n_positives = np.count_nonzero(relevant)
        for first in range(0, X.shape[1], 50):  # of sparse rows only so many columns are filled at a time
            columns = X[:, first : first + 50]
            columns = columns.toarray() if hasattr(columns, "toarray") else columns
            # Mann–Whitney: U = R⁺ − m(m + 1)/2 of the rank sum of the positives, and AUC = U/(mn); ties
            # average.
            u_statistics = (
                rankdata(columns, axis=0)[relevant].sum(axis=0) - n_positives * (n_positives + 1) / 2
            )
            # max(..., 1): a part with a single class has no AUC, and any feature will do.
            auc[first : first + 50] = u_statistics / max(n_positives * (y.size - n_positives), 1)
        self.coef_ = np.zeros(X.shape[1])
        # An AUC below one half is as useful with the other sign.
        best = int(np.argmax(np.abs(auc - 0.5)))
        self.coef_[best] = 1.0 if auc[best] >= 0.5 else -1.0
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Score rows by the chosen feature.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores; larger ones rank higher.
        """
        return X @ self.coef_


def lambdamart(longest: int = 10_000, pairs: int = 5_000_000, **params: Any) -> LGBMRanker:
    """Build LightGBM's ranker, which takes no query of more than 10 000 rows: a longer list is cut.

    Parameters
    ----------
    longest : int, optional
        Largest number of rows of a piece. The pieces are drawn at random, by the seed ``random_state``.
    pairs : int, optional
        Largest number of pairs. A tree compares each row with the top ``lambdarank_truncation_level`` rows of
        its list. The level is lowered, to LightGBM's default of 30 at least, to keep to the bound.
    **params : dict
        Parameters of ``lightgbm.LGBMRanker``.

    Returns
    -------
    LGBMRanker
        An unfitted ranker.
    """
    from lightgbm import LGBMRanker

    class LambdaMART(LGBMRanker):
        def fit(self, X: Rows, y: np.ndarray, group: np.ndarray) -> LambdaMART:
            """Fit to lists, of which a single one that is too long is cut at random.

            Parameters
            ----------
            X : array-like of shape (n_rows, n_features)
                Feature rows, query by query.
            y : ndarray of shape (n_rows,)
                Grades.
            group : ndarray of shape (n_queries,)
                Number of rows of each query.

            Returns
            -------
            LambdaMART
                The fitted ranker.
            """
            if np.max(group) > longest and len(group) == 1:
                order = np.random.default_rng(self.random_state).permutation(len(y))
                X, y = X[order], y[order]
                # Pieces of a random order are like independent draws of the list.
                group = [len(piece) for piece in np.array_split(order, -(-len(y) // longest))]
            # LightGBM compares the first `level` rows of a list with all others: level x rows pairs per list.
            level = self.get_params().get("lambdarank_truncation_level", 30)
            if np.sum(group * np.minimum(group, level)) > pairs:
                self.set_params(lambdarank_truncation_level=max(30, pairs // len(y)))
            return super().fit(X, y, group=group)

    return LambdaMART(**params)


def xgboost_ranker(pairs: int = 5_000_000, **params: Any) -> XGBRanker:
    """Build XGBoost's ranker, whose cost grows with the places of a list that it compares with each row.

    Parameters
    ----------
    pairs : int, optional
        Largest number of pairs, as in `lambdamart`: ``lambdarank_num_pair_per_sample``, the places at the top
        of a list that count, is lowered, to XGBoost's default of 32 at least, to keep to the bound.
    **params : dict
        Parameters of ``xgboost.XGBRanker``.

    Returns
    -------
    XGBRanker
        An unfitted ranker.
    """
    from xgboost import XGBRanker

    level = "lambdarank_num_pair_per_sample"

    class XGBoostRanker(XGBRanker):
        def fit(self, X: Rows, y: np.ndarray, group: np.ndarray) -> XGBoostRanker:
            """Fit to lists, with as many places at the top as the bound on the pairs admits.

            Parameters
            ----------
            X : array-like of shape (n_rows, n_features)
                Feature rows, query by query.
            y : ndarray of shape (n_rows,)
                Grades.
            group : ndarray of shape (n_queries,)
                Number of rows of each query.

            Returns
            -------
            XGBoostRanker
                The fitted ranker.
            """
            places = self.get_params().get(level)
            if places and np.sum(group * np.minimum(group, places)) > pairs:
                self.set_params(**{level: max(32, pairs // len(y))})
            return super().fit(X, y, group=group)

    return XGBoostRanker(**params)
