"""One search for all metrics: each metric chooses its best candidate, which is measured by all of them.

A data set is one list or has queries; a metric is then the mean over the queries. Every candidate is fitted
once on each inner fold; what a metric chooses is refitted on the whole training part. A set on which a
method cannot rank, or takes too long, is a row that says so.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from reproduction.fitting.feature_scaling import scale_features, scaling_error
from reproduction.fitting.fit_rows import (
    count_classes,
    failed_row,
    fit_grid,
    infeasible_row,
    no_selection_row,
    predict_scores,
)
from reproduction.fitting.method import expand_grid
from reproduction.fitting.ranking_metrics import METRICS, ranking_metrics
from reproduction.fitting.tie_breaking import select_best
from toprank.problems.rows import take_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows
    from reproduction.fitting.method import Method


class FitTimeout(BaseException):
    """A fit exceeds its time limit. No `Exception`, which would become the row of a failed fit."""


@contextmanager
def cpu_time_limit(seconds: float | None) -> Iterator[Callable[[], None]]:
    """Limit the processor time of a block of code.

    Parameters
    ----------
    seconds : float
        The limit; None or 0: no limit. Compiled code is interrupted only when it returns.

    Yields
    ------
    Callable
        The function that starts the clock again.

    Raises
    ------
    FitTimeout
        In the block, when the time is over.
    """

    def end(*_: Any) -> None:
        """End the block, as the handler of the timer's signal."""
        raise FitTimeout(f"a fit took more than the limit of {seconds:g} s")

    def renew() -> None:
        """Start the clock again."""
        # ITIMER_PROF counts processor time of this process, user and system: a busy machine does not shorten
        # a fit.
        signal.setitimer(signal.ITIMER_PROF, seconds)

    if not seconds:
        yield lambda: None
        return
    previous_handler = signal.signal(signal.SIGPROF, end)
    renew()
    try:
        yield renew
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous_handler)


def infeasible_reason(method: Method, prepared: Any, feature_scaling: str) -> str:
    """Say why a method cannot rank a data set at all.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    prepared : prepared data set
        Its ``X`` and ``qid`` are used.
    feature_scaling : str
        "raw" or "standardised".

    Returns
    -------
    str
        The reason; empty if the method can be tried.
    """
    if error := scaling_error(feature_scaling, prepared.X):
        return str(error)
    if prepared.qid is None:
        return ""
    # Two queries of two documents: a method that takes no queries fails here in no time.
    X, y, qid = np.array([[0.0], [1.0], [1.0], [0.0]]), np.array([0, 1, 1, 0]), np.array([1, 1, 2, 2])
    (row,) = fit_grid(method, subsample_grid(method.grid, 1), X, y, lambda *_: None, qid)
    return row["message"]


def subsample_grid(grid: Mapping, max_points: int | None) -> dict:
    """Leave out values of a grid, the longest parameter first and evenly, until few enough points are left.

    Parameters
    ----------
    grid : Mapping of str to list
        Values of each parameter.
    max_points : int
        Largest number of points; None or 0: all are kept.

    Returns
    -------
    dict
        The grid with the values that are left, in their order.
    """
    sizes = {name: len(values) for name, values in grid.items()}
    # Evenly spaced places keep both ends of each parameter's range.
    while max_points and prod(sizes.values()) > max_points:
        sizes[max(sizes, key=sizes.get)] -= 1
    places = {name: np.linspace(0, len(grid[name]) - 1, size) for name, size in sizes.items()}
    return {name: [grid[name][round(place)] for place in places[name]] for name in grid}


@dataclass(frozen=True)
class MultiMetricSearch:
    """Search on the outer splits of a data set; for every metric refit and score what it chooses.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    X : ndarray, csr_array or memmap of shape (n_rows, n_features)
        Feature rows.
    y : ndarray of shape (n_rows,)
        Grades; above 0 is positive.
    qid : ndarray of shape (n_rows,) or None
        Query of each row; None for a list.
    splits : splits of the data set
        Outer train/test splits with their inner folds.
    feature_scaling : {"raw", "standardised"}, optional
        Scaling of the features.
    candidates : int, optional
        Largest number of points of the grid, see `subsample_grid`.
    seconds : float, optional
        Limit of the processor time of a fit.
    further_metrics : sequence of str, optional
        Metrics beside `METRICS` that are measured, and choose.
    """

    method: Method
    X: Rows
    y: np.ndarray
    qid: np.ndarray | None
    splits: Any
    feature_scaling: str = "raw"
    candidates: int | None = None
    seconds: float | None = None
    further_metrics: Sequence[str] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that are measured and choose."""
        return (*METRICS, *self.further_metrics)

    def run_split(
        self, split: int, inherited: Mapping | None = None, progress: Callable[[], None] | None = None
    ) -> list[dict]:
        """Search on the inner folds of one split, and refit what each metric chooses.

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
            Rows of roles "search" (one a candidate and inner fold), "chosen" and "alternative"; the column
            ``chosen_by`` names the metrics that choose a row.

        Raises
        ------
        FitTimeout
            If a fit takes longer than it may.
        """
        grid, inherited = subsample_grid(self.method.grid, self.candidates), inherited or {}

        def fit(
            role: str, fold: int | None, grid: Mapping, params: Mapping, *parts: np.ndarray
        ) -> list[dict]:
            """Fit the points of a grid on one part; the rows also say which.

            Parameters
            ----------
            role, fold : str, int or None
                Role of the rows, and number of the inner fold; None on the outer split.
            grid, params : Mapping
                Parameter -> values to fit, and the parameters that are fixed.
            *parts : ndarray of int
                Row numbers of the part to fit, and of the part to score.
            """
            rows = self._fit_part(grid, params, parts, progress)
            return [{"split": split, "role": role, "fold": fold} | row for row in rows]

        rows, points, chosen_by = [], expand_grid(grid), {0: list(self.metrics)}
        if len(points) > 1:
            folds = [
                fit("search", fold, grid, inherited, *parts)
                for fold, *parts in self.splits.folds(split)
                # a part with a single class cannot be measured
                if all(np.unique(self.y[part] > 0).size == 2 for part in parts)
            ]
            rows = [row for fold_rows in folds for row in fold_rows]
            chosen_by = _select_candidates(folds, len(points), self.metrics)
            if not chosen_by:
                failure = (
                    no_selection_row(rows, inherited)
                    if rows
                    else failed_row(inherited, "no inner fold has both classes")
                )
                return [*rows, {"split": split, "role": "chosen", **failure}]
        outer_parts = self.splits.train(split), self.splits.test(split)
        for i, names in chosen_by.items():
            role = "chosen" if METRICS[0] in names else "alternative"
            refits = fit(role, None, {}, {**inherited, **points[i]}, *outer_parts)
            rows += [row | {"chosen_by": " ".join(names)} for row in refits]
        return rows

    def _fit_part(
        self,
        grid: Mapping,
        params: Mapping,
        parts: Sequence[np.ndarray],
        progress: Callable[[], None] | None,
    ) -> list[dict]:
        """Fit all points of a grid on the rows of the first part, with the time limit; score the second."""
        X_train, X_test = scale_features(self.feature_scaling, *(take_rows(self.X, part) for part in parts))
        y_train, y_test = (self.y[part] for part in parts)
        qid_train, qid_test = (None if self.qid is None else self.qid[part] for part in parts)

        def add_metrics(model: Any, row: dict, _: int) -> None:
            """Add the metrics of a fitted model to its row.

            Parameters
            ----------
            model, row, _ : fitted model, dict, int
                The row is changed in place; the last one is not used.
            """
            row |= ranking_metrics(y_test, predict_scores(model, X_test), qid_test, self.metrics)

        def restart_clock() -> None:
            """Start the clock for the next fit and report progress."""
            renew()
            if progress is not None:
                progress()

        scoring = self.method.with_score_rows(X_test, qid=(qid_test,))
        with cpu_time_limit(self.seconds) as renew:
            rows = fit_grid(scoring, grid, X_train, y_train, add_metrics, qid_train, params, restart_clock)
        if self.method.process and self.method.process.is_too_slow:  # of others, the process has the limit
            raise FitTimeout(self.method.process.reason)
        return [count_classes(y_train, y_test) | row for row in rows]


def make_split_runner(
    method: Method, prepared: Any, splits: Any, feature_scaling: str, limits: Mapping, **_: Any
) -> Callable[..., list[dict]]:
    """Return the function that runs one split; after a fit that is too slow no other one is tried.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    prepared : prepared data set
        Its ``X``, ``y`` and ``qid`` are used.
    splits : splits of the data set
        Outer train/test splits with their inner folds.
    feature_scaling : {"raw", "standardised"}
        Scaling of the features.
    limits : Mapping
        The fields ``candidates``, ``seconds`` and ``further_metrics`` of `MultiMetricSearch`.
    **_ : dict
        Ignored; there for the interface of the other protocols.

    Returns
    -------
    Callable
        A function of the split, ``inherited`` and ``progress``.
    """
    # Shared by all splits of the job: once a fit was too slow, the next split would be so as well.
    reasons = [reason] if (reason := infeasible_reason(method, prepared, feature_scaling)) else []

    search = MultiMetricSearch(
        method, prepared.X, prepared.y, prepared.qid, splits, feature_scaling, **limits
    )

    def run(
        split: int, inherited: Mapping | None = None, progress: Callable[[], None] | None = None
    ) -> list[dict]:
        """Run one split, or return the row that says why none is run.

        Parameters
        ----------
        split, inherited, progress
            See `MultiMetricSearch.run_split`.
        """
        if not reasons:
            try:
                return search.run_split(split, inherited, progress)
            except FitTimeout as error:
                reasons.append(str(error))
        return [{"split": split, "role": "chosen", **infeasible_row(reasons[0])}]

    return run


def _select_candidates(
    folds: list[list[dict]], n_candidates: int, metrics: Sequence[str]
) -> dict[int, list[str]]:
    """Find which metrics choose each candidate: the best on average, the strongest of equal ones."""
    chosen_by: dict[int, list[str]] = {}
    for name in metrics if folds else ():
        quality = np.round(_average_folds(folds, name, n_candidates), 12)  # equal but for rounding is equal
        if not np.isnan(quality).all():
            variables = _average_folds(folds, "n_variables", n_candidates)
            chosen_by.setdefault(select_best(quality, variables, "strongest"), []).append(name)
    return chosen_by


def _average_folds(folds: list[list[dict]], name: str, n_candidates: int) -> np.ndarray:
    """Average a column over the folds, for each candidate; NaN where a fold lacks the number."""
    values = [[row.get(name, np.nan) for row in fold] for fold in folds]
    return np.mean(np.array(values, dtype=float).reshape(-1, n_candidates), axis=0)
