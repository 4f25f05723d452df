"""The protocol of a study: choose parameters by cross-validation, refit, measure; each fit is a row.

A fit that goes wrong is a row with a status and a message, never a missing one.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from toprank.metrics import positives_at_top, selected_variables

#: Entries up to which a sparse matrix is filled in order to be centred (160 MB).
FILLABLE = 20_000_000


@dataclass(frozen=True)
class Method:
    """An estimator, its fixed parameters and the grid that the cross-validation searches.

    Parameters
    ----------
    estimator : str
        Dotted name of a class with ``fit(X, y)`` and ``decision_function`` or ``predict``:
        ``"toprank.TopPush"``, ``"sklearn.linear_model.LogisticRegression"``.
    fixed : dict
        Parameters that never change.
    grid : dict of str to list
        Values to try. Ties go to the last candidate, so list the strongest regularisation last. An empty grid
        needs no search. The name "share" stands for shares of the strongest regularisation that does not
        leave w = 0: ``alpha = share * alpha_max(X, y)``, or ``C = C_min(X, y) / share``, as the estimator
        has the one or the other, on whatever rows it is fitted to.
    path : dict of str to list
        Parameters for which the model is also fitted on the whole training part, to be looked at, not to
        choose from.
    """

    estimator: str
    fixed: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)
    path: dict = field(default_factory=dict)

    def build(self, **params):
        """Return an unfitted estimator."""
        module, _, name = self.estimator.rpartition(".")
        return getattr(import_module(module), name)(**{**self.fixed, **_own(params)})

    @property
    def is_warm_started(self) -> bool:
        """Whether a fit may start from the one before."""
        return bool(self.fixed.get("warm_start"))

    def resolve(self, points, X, y):
        """Add to each point with a share the regularisation that it means on these rows."""
        if not any("share" in point for point in points):
            return points
        model = self.build()
        if hasattr(model, "alpha_max"):
            largest = model.alpha_max(X, y) or 1.0  # 0: whatever alpha is, w = 0 is optimal
            return [point | {"alpha": point["share"] * largest} for point in points]
        smallest = model.C_min(X, y)
        smallest = smallest if np.isfinite(smallest) else 1.0
        return [point | {"C": smallest / point["share"]} for point in points]


def _own(params):
    """Select the parameters that the estimator knows."""
    return {name: value for name, value in params.items() if name != "share"}


def candidates(grid):
    """Return the points of a grid, the last parameter varying fastest."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _is_filled(X) -> bool:
    """Whether standardising fills these sparse rows."""
    return sp.issparse(X) and X.shape[0] * X.shape[1] <= FILLABLE


def standardise(X_train, X_other):
    """Give each feature zero mean and unit variance on the training part.

    A sparse matrix too large to be filled keeps its means: that changes no optimum of K15 eq. (11), which
    depends on differences of rows only.
    """
    if _is_filled(X_train):
        X_train, X_other = X_train.toarray(), X_other.toarray()
    scaler = StandardScaler(with_mean=not sp.issparse(X_train)).fit(X_train)
    transformed = scaler.transform(X_train), scaler.transform(X_other)
    return tuple(sp.csr_array(X) for X in transformed) if sp.issparse(X_train) else transformed


def warm_up(method, X, features):
    """Fit a small problem of the same kind, so that no measured time holds the compilation of a kernel."""
    is_sparse = sp.issparse(X) and not (features == "standardised" and _is_filled(X))
    # sparse rows fewer than features would be rotated into dense ones, and warm the other kernel
    n_rows = max(24, X.shape[1]) if is_sparse else 24
    small = np.random.default_rng(0).normal(size=(n_rows, X.shape[1]))
    small = sp.csr_array(small) if is_sparse else small
    point = {name: values[0] for name, values in {**method.path, **method.grid}.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y = np.arange(n_rows) % 2
            method.build(**method.resolve([point], small, y)[0]).fit(small, y)
        except Exception as error:
            # not the place to judge a method: the real fits meet the same error, and record it
            print(f"warm-up of {method.estimator}: {error}")


def fit_row(method, params, X_train, y_train, X_test, y_test, model=None, relevant=None):
    """Fit once and measure; returns the columns of the table of fits from ``params`` on.

    Parameters
    ----------
    method : Method
    params : dict
        Hyper-parameters of this fit.
    X_train, y_train, X_test, y_test : arrays
    model : estimator, optional
        One that was fitted to the same rows with other parameters, to start from.
    relevant : ndarray of bool of shape (n_features,), optional
        The features that tell the classes apart, where that is known.

    Returns
    -------
    dict
        With status "failed" and the error's first line as its message if the fit or the measure raised.
    """
    row = {"params": json.dumps(params, sort_keys=True), "message": ""}
    for part, y in (("train", y_train), ("test", y_test)):
        row[f"n_{part}_positives"], row[f"n_{part}_negatives"] = (
            int(np.count_nonzero(y > 0)),
            int(np.count_nonzero(y <= 0)),
        )
    try:
        model = method.build(**params) if model is None else model.set_params(**_own(params))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            started = perf_counter()
            model.fit(X_train, y_train)
            row["seconds"] = perf_counter() - started
        unconverged = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        row["status"] = "max_iterations" if unconverged else "optimal"
        if getattr(model, "n_iter_", None) is not None:
            row["n_iter"] = int(np.max(model.n_iter_))
        if hasattr(model, "coef_"):
            row["weight_norm"] = float(np.linalg.norm(model.coef_))
            used = selected_variables(model.coef_)
            row["n_variables"] = int(np.count_nonzero(used))
            if relevant is not None:
                row["n_relevant_variables"] = int(np.count_nonzero(used & relevant))
        certificate = getattr(model, "certificate_", None)
        if certificate is not None:
            row |= {
                name: getattr(certificate, name)
                for name in ("status", "objective", "lower_bound", "gap", "relative_gap")
            }
        score = getattr(model, "decision_function", None) or model.predict
        row["positives_at_top_train"] = positives_at_top(y_train, score(X_train))
        row["positives_at_top"] = positives_at_top(y_test, score(X_test))
        row["rate_at_top"] = row["positives_at_top"] / row["n_test_positives"]
    except Exception as error:  # whatever a method throws is a result of the benchmark, not the end of it
        row |= _failed(params, error)
    return row


def run_split(
    method,
    X,
    y,
    splits,
    split,
    features="raw",
    inherited=None,
    progress=None,
    prefer_few=False,
    relevant=None,
):
    """Search, refit and measure one method on one split.

    Parameters
    ----------
    method : Method
    X : ndarray or csr_array of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        1 is positive.
    splits : toprank.datasets.splits.Splits
    split : int
    features : {"raw", "standardised"}
        "standardised" scales by the statistics of whatever part a model is trained on.
    inherited : dict, optional
        Parameters chosen by another method on this split.
    progress : callable, optional
        Called without arguments after each fit.
    prefer_few : bool
        Whether a tie between candidates goes to the one with fewer variables, before it goes to the last.
    relevant : ndarray of bool of shape (n_features,), optional
        The features that tell the classes apart, where that is known.

    Returns
    -------
    list of dict
        Rows of roles "search" (one a candidate and inner fold), "path" and "chosen".
    """
    if features not in ("raw", "standardised"):
        raise ValueError(f"unknown block of features {features!r}; it must be 'raw' or 'standardised'")
    inherited = inherited or {}
    rows = []

    def record(role, fold, points, train, test):
        """Fit all points on one part; returns their rows in the order of the points."""
        X_train, X_test = X[train], X[test]
        if features == "standardised":
            X_train, X_test = standardise(X_train, X_test)
        # a warm start goes from the strongest regularisation, which is listed last, to the weakest
        model = method.build() if method.is_warm_started and len(points) > 1 else None
        order = list(range(len(points)))[:: -1 if model is not None else 1]
        about, fitted = {"split": split, "role": role, "fold": fold}, {}
        try:
            points = method.resolve(points, X_train, y[train])
        except Exception as error:
            fitted = {i: about | _failed(points[i], error) for i in order}
        for i in order:
            if i not in fitted:
                row = fit_row(method, points[i], X_train, y[train], X_test, y[test], model, relevant)
                fitted[i] = about | row
            if progress is not None:
                progress()
        in_order = [fitted[i] for i in range(len(points))]
        rows.extend(in_order)
        return in_order

    chosen = {}
    if method.grid:
        points = [{**inherited, **point} for point in candidates(method.grid)]
        quality, variables = np.zeros(len(points)), np.zeros(len(points))
        for fold, train, held_out in splits.folds(split):
            measured = record("search", fold, points, train, held_out)
            quality += [row.get("positives_at_top", np.nan) for row in measured]
            variables += [row.get("n_variables", np.inf) for row in measured]
        if np.isnan(quality).all():
            reason = next(row["message"] for row in rows if row["status"] == "failed")
            failed = _failed(inherited, f"no parameter could be chosen: {reason}")
            return [*rows, {"split": split, "role": "chosen", **failed}]
        best = np.flatnonzero(quality == np.nanmax(quality))
        if prefer_few:
            best = best[variables[best] == variables[best].min()]
        chosen = points[best[-1]]
    train, test = splits.train(split), splits.test(split)
    if method.path:
        record("path", None, [{**inherited, **point} for point in candidates(method.path)], train, test)
    record("chosen", None, [{**inherited, **chosen}], train, test)
    return rows


def _failed(params, error) -> dict:
    """Columns of a fit that did not come about."""
    said = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return {
        "params": json.dumps(params, sort_keys=True),
        "status": "failed",
        "message": said.splitlines()[0],
    }
