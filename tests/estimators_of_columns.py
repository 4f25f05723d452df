"""Estimators that score by a column, and rows of cross-validation, for its tests."""

import json
import warnings

import scipy.sparse as sp
from ranking_data import gaussians, stack_classes
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from reproduction.fitting.method import Method
from reproduction.splits.splits import draw_random_splits

X, Y = stack_classes(*gaussians(m=40, n=60, d=4))


SPLITS = draw_random_splits(100, 2, 1 / 3, 3, 7)


METRICS = {"positives_at_top", "rate_at_top", "positives_at_top_train"}


fitted_on = []


class Column(BaseEstimator):
    """Scores by one feature, and remembers what it was fitted on."""

    def __init__(self, column=0, extra=None):
        self.column, self.extra = column, extra

    def fit(self, X, y):
        fitted_on.append((X, y, self.get_params()))
        return self

    def decision_function(self, X):
        return X[:, [self.column]].toarray().ravel() if sp.issparse(X) else X[:, self.column]


class Clocked(Column):
    """Says itself how long it took."""

    def fit(self, X, y):
        self.seconds_ = 0.25
        return super().fit(X, y)


class Stubborn(Column):
    """Warns, or refuses, at certain columns."""

    def fit(self, X, y):
        if self.column == 1:
            raise ValueError("column 1 is not to be used\nand here is why")
        if self.column == 2:
            warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)
        if self.column == 3 and X.shape[0] == 45:
            raise RuntimeError("this fold is refused")
        return super().fit(X, y)


def columns(*values, estimator="Column", **options):
    return Method(f"{__name__}.{estimator}", grid={"column": list(values)}, **options)


def select_role(rows, role):
    return [row for row in rows if row["role"] == role]


def params_of(row):
    return json.loads(row["params"])


def chosen_of(rows):
    (row,) = select_role(rows, "chosen")
    return row


SINGLE_CLASS_MESSAGE = (
    "ValueError: ranking at the top needs a positive and a negative row, but y has one class only"
)
