"""The protocols of single lists: choose parameters by cross-validation, refit, measure at the top."""

from __future__ import annotations

import json
from dataclasses import dataclass
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
        """Add the numbers of selected variables and of positives at the top to the row of a model.

        Parameters
        ----------
        model : Any
            Fitted model; without ``coef_`` no variables are counted.
        row : dict
            Row of the fit; changed in place.
        _ : int, optional
            Not used.
        """
        # #var at further thresholds, for the choice `threshold`
        if thresholds and hasattr(model, "coef_"):
            counts = {t: int(np.count_nonzero(selected_variables(model.coef_, float(t)))) for t in thresholds}
            row["variables_at"] = json.dumps(counts)
        if relevant is not None and hasattr(model, "coef_"):
            row["n_relevant_variables"] = int(np.count_nonzero(selected_variables(model.coef_) & relevant))
        # Beside the test part, to see what the optimum of the training objective is worth at its own top.
        row["positives_at_top_train"] = positives_at_top(y_train, predict_scores(model, X_train))
        row["positives_at_top"] = positives_at_top(y_test, predict_scores(model, X_test))
        row["rate_at_top"] = row["positives_at_top"] / np.count_nonzero(y_test > 0)

    return add_metrics


@dataclass(frozen=True)
class CrossValidation:
    """Search by cross-validation on the outer splits of a single list, and refit.

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
    feature_scaling : {"raw", "standardised"}, optional
        "standardised" scales by the statistics of whatever part a model is trained on.
    ties : sequence of str, optional
        Rules of `reproduction.fitting.tie_breaking`. The first chooses the candidate; what the others would
        choose is fitted and scored as well.
    thresholds : sequence of float, optional
        Sizes of a weight, relative to the largest, above which a variable counts as used; the counts stand in
        ``variables_at``.
    relevant : ndarray of bool of shape (n_features,), optional
        The features that tell the classes apart, where they are known.
    """

    method: Method
    X: Rows
    y: np.ndarray
    splits: Any
    feature_scaling: str = "raw"
    ties: Sequence[str] = ("strongest",)
    thresholds: Sequence[float] = ()
    relevant: np.ndarray | None = None

    def run_split(
        self, split: int, inherited: Mapping | None = None, progress: Callable[[], None] | None = None
    ) -> list[dict]:
        """Search, refit and compute the metrics of the method on one split.

        Parameters
        ----------
        split : int
            Number of the outer split.
        inherited : Mapping, optional
            Parameters chosen by another method on this split.
        progress : Callable, optional
            Called without arguments after each fit.

        Returns
        -------
        list[dict]
            Rows of roles "search" (one a candidate and inner fold), "path", "chosen", and "alternative" (one
            a candidate that another rule of ``ties`` chooses); ``ties`` names the rules that choose a row.
        """
        inherited = inherited or {}
        if error := scaling_error(self.feature_scaling, self.X):
            return [{"split": split, "role": "chosen", **failed_row(inherited, error)}]

        def fit(
            role: str, fold: int | None, grid: Mapping, params: Mapping, *parts: np.ndarray
        ) -> list[dict]:
            """Fit the points of a grid on one part; the rows also say which."""
            rows = self._fit_part(role, grid, params, parts, progress)
            return [{"split": split, "role": role, "fold": fold} | row for row in rows]

        rows, candidates, chosen_by = [], expand_grid(self.method.grid), {0: list(self.ties)}
        if self.method.grid:
            # rows of each inner fold, with a row for each candidate in the order of the grid
            folds = [
                fit("search", fold, self.method.grid, inherited, *parts)
                for fold, *parts in self.splits.folds(split)
            ]
            rows = [row for fold_rows in folds for row in fold_rows]
            chosen_by = self._select_candidates(folds)
            if not chosen_by:
                return [*rows, {"split": split, "role": "chosen", **no_selection_row(rows, inherited)}]
        outer_parts = self.splits.train(split), self.splits.test(split)
        # Further fits that nothing is chosen from: the same training part at declared regularisations.
        if self.method.path:
            rows += fit("path", None, self.method.path, inherited, *outer_parts)
        for i, rules in chosen_by.items():
            role = "chosen" if self.ties[0] in rules else "alternative"
            refits = fit(role, None, {}, {**inherited, **candidates[i]}, *outer_parts)
            rows += [row | {"ties": " ".join(rules)} for row in refits]
        return rows

    def _fit_part(
        self,
        role: str,
        grid: Mapping,
        params: Mapping,
        parts: Sequence[np.ndarray],
        progress: Callable[[], None] | None,
    ) -> list[dict]:
        """Fit all points of a grid to the first part (training), and score the second (held out)."""
        X_train, X_test = scale_features(self.feature_scaling, *(take_rows(self.X, part) for part in parts))
        y_train, y_test = (self.y[part] for part in parts)
        # Counts at other thresholds are read of the final fits alone.
        thresholds = () if role == "search" else self.thresholds
        rows = fit_grid(
            self.method.with_score_rows(X_train, X_test),
            grid,
            X_train,
            y_train,
            _make_metric_recorder(X_train, y_train, X_test, y_test, self.relevant, thresholds),
            inherited=params,
            progress=progress,
        )
        return [count_classes(y_train, y_test) | row for row in rows]

    def _select_candidates(self, folds: list[list[dict]]) -> dict[int, list[str]]:
        """Find which tie-breaking rules choose each candidate; empty if each one failed in a fold."""
        # sums over the folds rank the candidates as means do; NaN marks one that failed in a fold
        # quality has the shape (candidates,)
        quality, variables = (
            np.sum([[row.get(name, np.nan) for row in rows] for rows in folds], axis=0)
            for name in ("positives_at_top", "n_variables")
        )
        chosen_by: dict[int, list[str]] = {}
        if not np.isnan(quality).all():
            for rule in self.ties:
                chosen_by.setdefault(select_best(quality, variables, rule), []).append(rule)
        return chosen_by


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
        Tie-breaking rules, see `CrossValidation`.
    thresholds : sequence of float
        Relative weights above which a variable counts, see `CrossValidation`.
    limits : Mapping, optional
        Ignored; there for the interface of the other protocols.

    Returns
    -------
    Callable
        `CrossValidation.run_split`.
    """
    relevant = None
    if "relevant_features" in prepared.manifest:  # a generated set, of which we know
        # the relevant features of a generated set come first
        relevant = np.arange(prepared.X.shape[1]) < prepared.manifest["relevant_features"]
    search = CrossValidation(
        method,
        prepared.X,
        prepared.y,
        splits,
        feature_scaling,
        ties=ties,
        thresholds=thresholds,
        relevant=relevant,
    )
    return search.run_split


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
