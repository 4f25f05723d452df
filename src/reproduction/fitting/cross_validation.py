"""The protocols of single lists: choose parameters by cross-validation, refit, measure at the top."""

import json
from functools import partial

import numpy as np

from reproduction.fitting.feature_scaling import scale_features, scaling_error
from reproduction.fitting.method import (
    count_classes,
    expand_grid,
    failed_row,
    fit_grid,
    fit_once,
    no_selection_row,
    predict_scores,
)
from reproduction.fitting.tie_breaking import select_best
from toprank.metrics import positives_at_top, selected_variables
from toprank.problems.rows import take_rows


def _make_metric_recorder(X_train, y_train, X_test, y_test, relevant, thresholds=()):
    """Return the function that adds the metrics of a model to its row."""

    def add_metrics(model, row, _=None):
        if thresholds and hasattr(model, "coef_"):
            counts = {t: int(np.count_nonzero(selected_variables(model.coef_, float(t)))) for t in thresholds}
            row["variables_at"] = json.dumps(counts)
        if relevant is not None and hasattr(model, "coef_"):
            row["n_relevant_variables"] = int(np.count_nonzero(selected_variables(model.coef_) & relevant))
        row["positives_at_top_train"] = positives_at_top(y_train, predict_scores(model, X_train))
        row["positives_at_top"] = positives_at_top(y_test, predict_scores(model, X_test))
        row["rate_at_top"] = row["positives_at_top"] / np.count_nonzero(y_test > 0)

    return add_metrics


def make_split_runner(method, prepared, splits, feature_scaling, ties, thresholds, limits=None):
    """Return the function that runs one split of a single list; its fits have no limits."""
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


def fit_row(method, params, X_train, y_train, X_test, y_test):
    """Fit once and measure; returns the columns of the table of fits from ``params`` on.

    `params`: hyper-parameters of this fit. `X_train`, `y_train`, `X_test`, `y_test`: arrays. Returns: with
    status "failed" and the error's first line as its message if the fit or the measurement raised.
    """
    add_metrics = _make_metric_recorder(X_train, y_train, X_test, y_test, None)
    row, _ = fit_once(method, params, X_train, y_train, add_metrics)
    return count_classes(y_train, y_test) | row


def run_split(
    method,
    X,
    y,
    splits,
    split,
    feature_scaling="raw",
    inherited=None,
    progress=None,
    ties=("strongest",),
    thresholds=(),
    relevant=None,
):
    """Search, refit and measure one method on one split.

    `X` (ndarray, csr_array or memmap of shape (n_rows, n_features)): the rows of a memmap are never copied.
    `y` (ndarray of shape (n_rows,)): 1 is positive. `feature_scaling` ({"raw", "standardised"}):
    "standardised" scales by the statistics of whatever part a model is trained on. `inherited`:
    parameters chosen by another method on this split. `progress`: called without arguments after each
    fit. `ties`: options of `reproduction.fitting.tie_breaking`: by the first a candidate is chosen; what the
    others would choose is fitted and measured as well. `thresholds`: sizes of a weight, relative to the
    largest, above which a variable counts as used; the counts stand in ``variables_at``. `relevant`
    (ndarray of bool of shape (n_features,)): the features that tell the classes apart, where that is
    known. Returns: rows of roles "search" (one a candidate and inner fold), "path", "chosen", and
    "alternative" (one a candidate that another level of ``ties`` chooses); ``ties`` names the levels that
    choose a row.
    """
    inherited, rows = inherited or {}, []
    if error := scaling_error(feature_scaling, X):
        return [{"split": split, "role": "chosen", **failed_row(inherited, error)}]

    def record(role, fold, grid, train, test, inherited=inherited):
        """Fit all points of a grid on one part; returns their rows in the order of the points."""
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
