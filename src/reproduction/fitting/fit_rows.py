"""The fits of a method as rows of the table of fits: `fit_once`, and `fit_grid` over a grid.

A fit that goes wrong is a row with a status and a message, never a missing one.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from reproduction.fitting.feature_scaling import is_densified
from reproduction.fitting.method import (
    STATUS_NOT_FEASIBLE,
    estimator_params,
    expand_grid,
    params_to_json,
    query_argument,
)
from toprank.estimators.warning_context import skip_zero_warnings
from toprank.metrics import selected_variables
from toprank.problems.rows import SelectedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows
    from reproduction.fitting.method import Method

SPARSE_WARM_UP_ENTRIES = 1_000_000
"""Entries, zeros included, of the sparse rows of a warm-up that has fewer rows than features: with fewer, the
ridge's solvers would rotate them."""
SIGNAL_FEATURES, SIGNAL_SHARE = 4, 0.8
"""So many features of sparse rows are nonzero in this share of the positives, and in no negative."""


def count_classes(y_train: np.ndarray, y_test: np.ndarray) -> dict[str, int]:
    """Count the positive and negative rows of both parts, as columns of a fit.

    Parameters
    ----------
    y_train : ndarray of shape (n_train,)
        Labels of the training part; above 0 is positive.
    y_test : ndarray of shape (n_test,)
        Labels of the test part.

    Returns
    -------
    dict[str, int]
        The columns n_train_positives, n_train_negatives, n_test_positives and n_test_negatives.
    """
    counts = {}
    for part, y in (("train", y_train), ("test", y_test)):
        counts[f"n_{part}_positives"] = int(np.count_nonzero(y > 0))
        counts[f"n_{part}_negatives"] = int(np.count_nonzero(y <= 0))
    return counts


@contextmanager
def suppress_convergence_warnings() -> Iterator[None]:
    """Fit without warnings: rows carry the status and the gap of every fit, and w = 0 shows in them."""
    from sklearn.exceptions import ConvergenceWarning  # late: features as distributed need no scikit-learn

    with warnings.catch_warnings(), skip_zero_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="w = 0 is optimal")
        yield


def warm_up(
    method: Method,
    X: Rows,
    feature_scaling: str,
    has_queries: bool = False,
    name: str | None = None,
    log: Callable[[str], object] = print,
) -> None:
    """Fit a small problem of the same kind, so that no measured time holds the compilation of a kernel.

    Parameters
    ----------
    method : Method
        Method of which a point in the middle of the grid is fitted.
    X : ndarray, memmap or csr_array of shape (n_rows, n_features)
        Rows of the data set, of which only the kind, the shape and the share of nonzeros are used.
    feature_scaling : {"raw", "standardised"}
        Scaling of the features.
    has_queries : bool, optional
        Whether the rows are documents of several queries, of three grades, and not a list of two classes.
    name : str, optional
        Name of the method in the message about an error.
    log : Callable, optional
        Gets that message.
    """
    is_sparse = sp.issparse(X) and not (feature_scaling == "standardised" and is_densified(X))
    # 24 rows: enough for two classes, or for four queries of six documents
    n, d = X.shape
    # sparse rows are as wide, as sparse and, if that is many, as large as these: they decide the kernels
    n_rows = 24 if not is_sparse else max(24, d if d <= n else min(n, SPARSE_WARM_UP_ENTRIES // d))
    rng, y = np.random.default_rng(0), np.arange(n_rows) % (3 if has_queries else 2)
    if is_sparse:
        share = min(1.0, max(X.nnz / (n * d), 2.0 / d))
        # classes without any difference are the hardest problem: a few features tell them apart
        n_signals = min(SIGNAL_FEATURES, d - 1)
        signals = y[:, None] * (rng.random((n_rows, n_signals)) < SIGNAL_SHARE)
        noise = sp.random(n_rows, d - n_signals, share, "csr", random_state=rng)
        small = sp.csr_array(sp.hstack([sp.csr_array(signals.astype(float)), noise]))
    else:
        small = rng.normal(size=(n_rows, d))
    if isinstance(X, np.memmap):
        # few features, or they would be more than the rows and be rotated
        small = SelectedRows(np.ascontiguousarray(small[:, :n_rows], dtype=X.dtype))
    # in the middle of the grid: at an end the regularisation may be tiny, and the fit slow
    point = {name: values[len(values) // 2] for name, values in {**method.path, **method.grid}.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            qid = np.arange(n_rows) // 6 if has_queries else None
            model = method.build(**method.resolve([point], small, y, qid)[0])
            model.fit(small, y, **query_argument(model.fit, qid))
        except Exception as error:
            # not the place to judge a method: the real fits meet the same error, and record it
            log(f"warm-up of {name or method.estimator}: {error}")


def predict_scores(model: Any, X: Rows) -> np.ndarray:
    """Score rows by whatever the model ranks with.

    Parameters
    ----------
    model : Any
        A fitted model with `decision_function` or `predict`.
    X : ndarray or csr_array of shape (n_rows, n_features)
        Rows.

    Returns
    -------
    ndarray of shape (n_rows,)
        Scores; larger is higher in the list.
    """
    return (getattr(model, "decision_function", None) or model.predict)(X)


def fit_once(
    method: Method,
    params: Mapping,
    X: Rows,
    y: np.ndarray,
    add_metrics: Callable[[Any, dict], None],
    qid: np.ndarray | None = None,
    model: Any = None,
) -> tuple[dict, Any]:
    r"""Fit once and compute the metrics.

    Parameters
    ----------
    method : Method
        Builds the estimator.
    params : Mapping
        Hyper-parameters of this fit.
    X : ndarray or csr_array of shape (n_rows, n_features)
        Training rows.
    y : ndarray of shape (n_rows,)
        Labels or grades.
    add_metrics : Callable
        Called as ``add_metrics(model, row)`` after the fit.
    qid : ndarray of shape (n_rows,), optional
        Query of each row.
    model : estimator, optional
        One that was fitted to the same rows with other parameters, to start from.

    Returns
    -------
    row : dict
        Columns of the table of fits from ``params`` on, with status "failed" and the error's first line as
        its message if the fit or a metric raised.
    model : estimator or None
        The fitted model; None where it could not even be built.
    """
    row = {"params": params_to_json(params), "message": ""}
    try:
        model = method.build(**params) if model is None else model.set_params(**estimator_params(params))
        queries = query_argument(model.fit, qid)
        with warnings.catch_warnings(record=True) as caught_warnings, skip_zero_warnings():
            warnings.simplefilter("always")
            start = perf_counter()
            model.fit(X, y, **queries)
            # a method in another process measures itself, without the transport of the arrays
            row["seconds"] = getattr(model, "seconds_", perf_counter() - start)
        from sklearn.exceptions import ConvergenceWarning

        # other packages have no certificate: what they warn of is all that is known
        is_unconverged = any(issubclass(warning.category, ConvergenceWarning) for warning in caught_warnings)
        row["status"] = "max_iterations" if is_unconverged else "fitted"
        if getattr(model, "n_iter_", None) is not None:
            row["n_iter"] = int(np.max(model.n_iter_))
        if hasattr(model, "coef_"):
            row["weight_norm"] = float(np.linalg.norm(model.coef_))
            # used from 1e-6 of the largest weight on (declared: the papers name no threshold)
            row["n_variables"] = int(np.count_nonzero(selected_variables(model.coef_)))
        certificate = getattr(model, "certificate_", None)
        if certificate is not None:
            row |= {
                name: getattr(certificate, name)
                for name in ("status", "objective", "lower_bound", "gap", "relative_gap")
            }
        add_metrics(model, row)
    except Exception as error:  # whatever a method throws is a result of the benchmark, not the end of it
        row |= failed_row(params, error)
    return row, model


def fit_grid(
    method: Method,
    grid: Mapping,
    X: Rows,
    y: np.ndarray,
    add_metrics: Callable[[Any, dict, int], None],
    qid: np.ndarray | None = None,
    inherited: Mapping | None = None,
    progress: Callable[[], None] | None = None,
) -> list[dict]:
    """Fit all points of a grid to the same rows.

    A warm start goes along the last parameter, from the value listed last, which is the strongest
    regularisation, to the first; each value of the others begins anew.

    Parameters
    ----------
    method : Method
        Builds the estimators.
    grid : Mapping
        The method's own grid, or another; an empty one has a single point.
    X : ndarray or csr_array of shape (n_rows, n_features)
        Training rows.
    y : ndarray of shape (n_rows,)
        Labels or grades.
    add_metrics : Callable
        Called as ``add_metrics(model, row, i)`` after the fit of the i-th point, to add columns to its row.
    qid : ndarray of shape (n_rows,), optional
        Query of each row.
    inherited : Mapping, optional
        Parameters of every point that the grid does not name.
    progress : Callable, optional
        Called without arguments after each point.

    Returns
    -------
    list[dict]
        The rows of the points of `expand_grid`, in that order.
    """
    points = [{**(inherited or {}), **point} for point in expand_grid(grid)]
    # The last parameter varies fastest: points come in runs that differ in it alone, and each run is one
    # path.
    path_length = len(list(grid.values())[-1]) if grid else 1
    rows = {}
    for first in range(0, len(points), path_length):
        indices, model = range(first, first + path_length), None
        # shares of the strongest regularisation are resolved for the whole run at once
        try:
            resolved = method.resolve(points[first : first + path_length], X, y, qid)
        except Exception as error:
            rows |= {i: failed_row(points[i], error) for i in indices}
        # Grids list the weakest regularisation first; a warm start goes from the strongest, whose solution is
        # near 0.
        for i in reversed(indices) if method.is_warm_started else indices:
            if i not in rows:
                rows[i], fitted = fit_once(
                    method,
                    resolved[i - first],
                    X,
                    y,
                    lambda model, row, i=i: add_metrics(model, row, i),
                    qid,
                    model,
                )
                model = fitted if method.is_warm_started else None
            if progress is not None:
                progress()
    return [rows[i] for i in range(len(points))]


def failed_row(params: Mapping, error: Exception | str) -> dict:
    """Return the columns of a fit that failed.

    Parameters
    ----------
    params : Mapping
        Parameters of the fit.
    error : Exception or str
        What went wrong; its first line becomes the message.

    Returns
    -------
    dict
        The columns params, status and message.
    """
    # one line: messages stand in cells of tables
    message = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return {"params": params_to_json(params), "status": "failed", "message": message.splitlines()[0]}


def infeasible_row(reason: str) -> dict:
    """Return the columns of a split of a data set that a method cannot rank.

    Parameters
    ----------
    reason : str
        Why it cannot; the first line becomes the message.

    Returns
    -------
    dict
        The columns params, status and message.
    """
    return failed_row({}, reason) | {"status": STATUS_NOT_FEASIBLE}


def no_selection_row(rows: list[dict], inherited: Mapping) -> dict:
    """Return the columns of a chosen fit where every candidate failed.

    Parameters
    ----------
    rows : list[dict]
        Rows of the search, at least one of status "failed".
    inherited : Mapping
        Parameters of the chosen fit.

    Returns
    -------
    dict
        The columns params, status and message; the reason is that of the first failed candidate.
    """
    reason = next(row["message"] for row in rows if row["status"] == "failed")
    return failed_row(inherited, f"no parameter could be chosen: {reason}")
