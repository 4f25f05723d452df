"""Estimators with queries, and methods run on a fold of LETOR-like data, for their tests."""

import numpy as np
from sklearn.base import BaseEstimator

from reproduction.datasets.registry import get
from reproduction.datasets.synthetic import read_letor_like
from reproduction.fitting.method import Method
from reproduction.fitting.validation_fold import ValidationFold
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import FIT_ONLY, TEST

TABLE = read_letor_like(get("letor-like"), {})


X, Y, QID = TABLE.X, TABLE.labels, TABLE.qid


SPLITS = rotate_letor_folds(TABLE.part)


SHARES = [0.001, 0.01, 0.03, 0.1, 0.3, 0.6]


L1 = Method("toprank.RankSVM", {"penalty": "l1", "warm_start": True}, {"share": SHARES})


TRAIN, VALIDATION, TEST_PART = ((SPLITS.inner[0] == role) for role in (FIT_ONLY, 0, TEST))


fitted_on = []


class Column(BaseEstimator):
    """Scores by one feature, and remembers what it was fitted on; takes no qid."""

    def __init__(self, column=0, size=1, warm_start=False):
        self.column, self.size, self.warm_start = column, size, warm_start

    def fit(self, X, y):
        fitted_on.append({"X": X, "y": y, "qid": None, "before": getattr(self, "fit_params_", None)})
        self.fit_params_ = self.get_params()
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[(self.column + np.arange(self.size)) % X.shape[1]] = 1e-3
        self.coef_[self.column] = 1.0
        return self

    def predict(self, X):
        return X[:, self.column]


class QueryColumn(Column):
    """The same, with queries and with scales of a grid of shares."""

    def __init__(self, column=0, size=1, alpha=0.0, beta=1.0, warm_start=False):
        super().__init__(column, size, warm_start)
        self.alpha, self.beta = alpha, beta

    def fit(self, X, y, qid=None):
        super().fit(X, y)
        fitted_on[-1]["qid"] = qid
        return self

    def beta_max(self, X, y, qid=None):
        return float(np.unique(qid).size + 100 * self.column)


class Stubborn(Column):
    """Refuses some columns, and to score what it was not fitted on beyond one part."""

    def fit(self, X, y):
        if self.column == 1:
            raise RuntimeError("column 1 is not to be used\nand here is why")
        return super().fit(X, y)

    def predict(self, X):
        if self.column == 2 and len(X) == SPLITS.test(1).sum():
            raise RuntimeError("the test part is refused")
        return np.full(len(X), np.nan) if self.column == 3 else super().predict(X)


def columns(*values, estimator="Column", **options):
    return Method(f"{__name__}.{estimator}", grid={"column": list(values)}, **options)


def run_method(
    method, y=Y, data=X, qid=QID, split=0, splits=SPLITS, inherited=None, progress=None, **options
):
    search = ValidationFold(method, data, y, qid, splits, **options)
    return search.run_split(split, inherited, progress)
