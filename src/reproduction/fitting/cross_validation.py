"""The protocols of single lists: choose parameters by cross-validation, refit, measure at the top."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reproduction.fitting.feature_scaling import scale_features, scaling_error
from reproduction.fitting.fit_rows import (
    count_classes,
    failed_row,
    fit_grid,
    fit_once,
    no_selection_row,
    predict_scores,
)
from reproduction.fitting.method import expand_grid
from reproduction.fitting.tie_breaking import select_best
from toprank.metrics import positives_at_top, selected_variables
from toprank.problems.rows import take_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows
    from reproduction.fitting.method import Method


def _make_metric_recorder(
    X_train: Rows,
    y_train: np.ndarray,
    X_test: Rows,
    y_test: np.ndarray,
    relevant: np.ndarray | None,
    thresholds: Sequence[float] = (),
) -> Callable[..., None]:
    """Return the function that adds the metrics of a model to its row."""

    def add_metrics(model: Any, row: dict, _: int | None = None) -> None:
        if thresholds and hasattr(model, "coef_"):
            counts = {t: int(np.count_nonzero(selected_variables(model.coef_, float(t)))) for t in thresholds}
            row["variables_at"] = json.dumps(counts)
        if relevant is not None and hasattr(model, "coef_"):
            row["n_relevant_variables"] = int(np.count_nonzero(selected_variables(model.coef_) & relevant))
        row["positives_at_top_train"] = positives_at_top(y_train, predict_scores(model, X_train))
        row["positives_at_top"] = positives_at_top(y_test, predict_scores(model, X_test))
        row["rate_at_top"] = row["positives_at_top"] / np.count_nonzero(y_test > 0)

    return add_metrics


def make_split_runner(
    method: Method,
    prepared: Any,
    splits: Any,
    feature_scaling: str,
    ties: Sequence[str],
    thresholds: Sequence[float],
    limits: Mapping | None = None,
) -> Callable[..., list[dict]]:
    """Return the function that runs one split of a single list; its fits have no limits.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    prepared : prepared data set
        Its ``X``, ``y`` and ``manifest`` are used.
    splits : splits of the data set
        Outer train/test splits with their inner folds.
    feature_scaling : {"raw", "standardised"}
        Scaling of the features.
    ties : sequence of str
        Tie-breaking rules, see `run_split`.
    thresholds : sequence of float
        Relative weights above which a variable counts, see `run_split`.
    limits : Mapping, optional
        Ignored; there for the interface of the other protocols.

    Returns
    -------
    Callable
        `run_split` with all arguments but the split, ``inherited`` and ``progress``.
    """
    relevant = None
    if "relevant_features" in prepared.manifest:  # a generated set, of which we know
        relevant = np.arange(prepared.X.shape[1]) < prepared.manifest["relevant_features"]
    options = {
        "feature_scaling": feature_scaling,
        "ties": ties,
        "thresholds": thresholds,
        "relevant": relevant,
    }
    return partial(run_split, method, prepared.X, prepared.y, splits, **options)


def fit_row(
    method: Method, params: Mapping, X_train: Rows, y_train: np.ndarray, X_test: Rows, y_test: np.ndarray
) -> dict:
    r"""Fit once and compute the metrics.

    Parameters
    ----------
    method : Method
        Estimator that is fitted.
    params : Mapping
        Hyper-parameters of this fit.
    X_train : ndarray or csr_array of shape (n_train, n_features)
        Training rows.
    y_train : ndarray of shape (n_train,)
        Labels of the training rows; above 0 is positive.
    X_test : ndarray or csr_array of shape (n_test, n_features)
        Test rows.
    y_test : ndarray of shape (n_test,)
        Labels of the test rows.

    Returns
    -------
    dict
        Columns of the table of fits from ``params`` on, with status "failed" and the error's first line as
        its message if the fit or a metric raised.
    """
    add_metrics = _make_metric_recorder(X_train, y_train, X_test, y_test, None)
    row, _ = fit_once(method, params, X_train, y_train, add_metrics)
    return count_classes(y_train, y_test) | row


def run_split(
    method: Method,
    X: Rows,
    y: np.ndarray,
    splits: Any,
    split: int,
    feature_scaling: str = "raw",
    inherited: Mapping | None = None,
    progress: Callable[[], None] | None = None,
    ties: Sequence[str] = ("strongest",),
    thresholds: Sequence[float] = (),
    relevant: np.ndarray | None = None,
) -> list[dict]:
    """Search, refit and compute the metrics of one method on one split.

    Parameters
    ----------
    method : Method
        Estimator, grid and regularisation path.
    X : ndarray, csr_array or memmap of shape (n_rows, n_features)
        Feature rows; those of a memmap are never copied.
    y : ndarray of shape (n_rows,)
        Labels; 1 is positive.
    splits : splits of the data set
        Outer train/test splits with their inner folds.
    split : int
        Number of the outer split.
    feature_scaling : {"raw", "standardised"}, optional
        "standardised" scales by the statistics of whatever part a model is trained on.
    inherited : Mapping, optional
        Parameters chosen by another method on this split.
    progress : Callable, optional
        Called without arguments after each fit.
    ties : sequence of str, optional
        Rules of `reproduction.fitting.tie_breaking`. The first chooses the candidate; what the others would
        choose is fitted and scored as well.
    thresholds : sequence of float, optional
        Sizes of a weight, relative to the largest, above which a variable counts as used; the counts stand in
        ``variables_at``.
    relevant : ndarray of bool of shape (n_features,), optional
        The features that tell the classes apart, where they are known.

    Returns
    -------
    list[dict]
        Rows of roles "search" (one a candidate and inner fold), "path", "chosen", and "alternative" (one a
        candidate that another rule of ``ties`` chooses); ``ties`` names the rules that choose a row.
    """
    inherited, rows = inherited or {}, []
    if error := scaling_error(feature_scaling, X):
        return [{"split": split, "role": "chosen", **failed_row(inherited, error)}]

    def record(
        role: str,
        fold: int | None,
        grid: Mapping,
        train: np.ndarray,
        test: np.ndarray,
        inherited: Mapping = inherited,
    ) -> list[dict]:
        """Fit all points of a grid on one part and append their rows.

        Parameters
        ----------
        role : str
            Role of the rows.
        fold : int or None
            Number of the inner fold; None for the whole training part.
        grid : Mapping
            Parameters and their values.
        train : ndarray
            Selection of the training rows.
        test : ndarray
            Selection of the rows on which the metrics are computed.
        inherited : Mapping, optional
            Parameters of every point.

        Returns
        -------
        list[dict]
            The rows in the order of the points.
        """
        X_train, X_test = scale_features(feature_scaling, take_rows(X, train), take_rows(X, test))
        fits = fit_grid(
            method.with_score_rows(X_train, X_test),
            grid,
            X_train,
            y[train],
            _make_metric_recorder(
                X_train, y[train], X_test, y[test], relevant, () if role == "search" else thresholds
            ),
            inherited=inherited,
            common_columns=count_classes(y[train], y[test]),
            progress=progress,
        )
        fold_rows = [{"split": split, "role": role, "fold": fold} | row for row in fits]
        rows.extend(fold_rows)
        return fold_rows

    chosen_by, candidates = {0: list(ties)}, [{}]
    if method.grid:
        candidates = expand_grid(method.grid)
        quality, variables = np.zeros(len(candidates)), np.zeros(len(candidates))
        for fold, train, held_out in splits.folds(split):
            fold_rows = record("search", fold, method.grid, train, held_out)
            quality += [row.get("positives_at_top", np.nan) for row in fold_rows]
            variables += [row.get("n_variables", np.nan) for row in fold_rows]
        if np.isnan(quality).all():
            return [*rows, {"split": split, "role": "chosen", **no_selection_row(rows, inherited)}]
        chosen_by = {}
        for rule in ties:
            chosen_by.setdefault(select_best(quality, variables, rule), []).append(rule)
    train, test = splits.train(split), splits.test(split)
    if method.path:
        record("path", None, method.path, train, test)
    for i, rules in chosen_by.items():
        role = "chosen" if ties[0] in rules else "alternative"
        for row in record(role, None, {}, train, test, {**inherited, **candidates[i]}):
            row["ties"] = " ".join(rules)
    return rows
