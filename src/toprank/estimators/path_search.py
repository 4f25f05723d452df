"""Base of the estimators with built-in cross-validation: a warm path for each fold, depth and l1_ratio."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from toprank.clock import Clock
from toprank.estimators.automatic import PATH_STARTS, compute_scale_in_time, has_ridge
from toprank.estimators.base import LinearRanker
from toprank.estimators.fit_warnings import warn_of_uncertified_fits
from toprank.estimators.folds import make_folds
from toprank.estimators.parameter_paths import fit_along
from toprank.estimators.scoring import find_lowest_relevant_grade, make_scorer, score_model
from toprank.estimators.selection import select_candidate, tabulate_results
from toprank.estimators.warning_context import skip_zero_warnings
from toprank.labels import as_grades, relevant_rows
from toprank.parameters import check_allowed_values, check_positive, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toprank.estimators.folds import Fold
    from toprank.typing import Rows, Values, Weights

#: A ridge has no alpha at which w = 0; a grid starts at this multiple of the scale, ten times what "auto" is.
RIDGE_START = 30.0
SELECTIONS = ("best", "one-standard-error")


class PathScores(NamedTuple):
    """What is kept of the fits along a path: for each value a number."""

    scores: list[float]
    fit_seconds: list[float]
    score_seconds: list[float]
    statuses: list[str]


class PathSearch(LinearRanker):
    """Base of `TopPushCV`, `InfinitePushCV` and `RankSVMCV`.

    Subclasses have the attributes ``_parameter`` and ``_estimator_class``, and the parameters ``estimator``,
    the grid, ``eps``, ``cv``, ``scoring``, ``selection``, ``n_jobs`` and perhaps ``depths`` and
    ``l1_ratios``.
    """

    #: Parameter of the estimator whose grid is searched, and the parameter of the search with the grid.
    _parameter: ClassVar[str]
    _grid_parameter: ClassVar[str]
    _estimator_class: ClassVar[type[LinearRanker]]

    best_index_: int
    best_params_: dict[str, float]
    best_score_: float
    cv_results_: dict[str, Any]
    n_splits_: int
    scores_: Weights

    def fit(self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None) -> Self:
        """Fit the paths of each fold, and the chosen model to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            As in the ``fit`` of the estimator.
        qid : array-like of shape (n_samples,), optional
            The query of each row, also as a column ``qid`` of X; a single list has at most one.
        group : array-like of int of shape (n_queries,), optional
            Instead of qid: the sizes of the queries, whose rows are contiguous.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As ``fit`` of the estimator; if a fold has nothing to rank among its training or its test rows, or
            divides a query; or if a parameter is out of its range.

        Warns
        -----
        ConvergenceWarning
            Once, if fits in the folds ended without a certificate, with their number.
        UserWarning
            As ``fit`` of the estimator, of the model that is fitted to all rows.
        """
        # folds may warn alike: each message is given once, and names the line that called fit
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            self._fit_search(X, y, qid, group)
        for message in {
            (record.category, str(record.message)): record.message for record in records
        }.values():
            warnings.warn(message, stacklevel=2)
        return self

    def _fit_search(self, X: Rows, y: Values, qid: Values | None, group: Values | None) -> None:
        """Search, store the results, and fit the chosen model."""
        estimator, scorer = self._check_search()
        rows, labels, target, qid = self._check_data(X, y, qid, group)
        self._lowest_relevant_grade = find_lowest_relevant_grade(scorer, labels)
        if self._lowest_relevant_grade is not None:
            labels = (labels >= self._lowest_relevant_grade).astype(int)
        folds = make_folds(self.cv, target, qid, not self._ranks_queries)
        if self.selection == "one-standard-error" and len(folds) < 2:
            raise ValueError("selection='one-standard-error' needs at least 2 folds; cv holds one")
        models = self._make_models(estimator, target, folds)
        grids = self._make_grids(models, (rows, target, qid) if self._ranks_queries else (rows, target))
        data = (rows, labels, target, qid)
        # a job is a whole path of one depth in one fold, so that each fit can start from the one before it
        jobs = (
            delayed(_fit_fold)(model, self._parameter, grid, scorer, data, fold)
            for model, grid in zip(models, grids, strict=True)
            for fold in folds
        )
        paths = Parallel(n_jobs=self.n_jobs)(jobs)
        self.n_splits_ = len(folds)
        self._store_results(paths, models, grids, target)
        # the chosen value at the chosen depth and l1_ratio, fitted to all rows
        chosen = models[self.best_index_ // grids.shape[1]]
        model = chosen.set_params(**{self._parameter: self.best_params_[self._parameter]})
        model.fit(rows, target, qid)
        self.coef_, self.certificate_, self.n_iter_ = model.coef_, model.certificate_, model.n_iter_
        if hasattr(model, "depth_"):
            self.depth_ = model.depth_
        self.__dict__.pop("l1_ratio_", None)  # of an earlier fit
        if self._l1_ratios:
            self.l1_ratio_ = model.l1_ratio

    def _measure_ranking(self, X: Rows, y: Values, qid: Values | None) -> float:
        """Measure a ranking by ``scoring``; where it is None, as the estimator does."""
        check_is_fitted(self, "coef_")
        if self.scoring is None:
            return super()._measure_ranking(X, y, qid)
        if not self._ranks_queries:  # the scorer sees the labels as in the search
            y = relevant_rows(y).astype(int) if np.unique(y).size == 2 else as_grades(y)
        elif self._lowest_relevant_grade is not None:
            y = (as_grades(y) >= self._lowest_relevant_grade).astype(int)
        return score_model(make_scorer(self.scoring), self, X, y, qid)

    def _check_search(self) -> tuple[LinearRanker, Callable[..., float]]:
        """Check the parameters that need no data; return a copy of the estimator, and the scorer."""
        check_allowed_values(self, selection=SELECTIONS)
        if not (is_number(self.eps) and 0.0 < self.eps < 1.0):
            raise ValueError(f"eps must be a number between 0 and 1; got {self.eps!r}")
        estimator_class = self._estimator_class
        if self.estimator is not None and not isinstance(self.estimator, estimator_class):
            raise ValueError(
                f"{type(self).__name__} needs an estimator of the class {estimator_class.__name__}; got "
                f"{self.estimator!r}"
            )
        # the value of the parameter itself is searched, so that it may be out of its range before
        estimator = clone(self.estimator) if self.estimator is not None else estimator_class()
        return estimator.set_params(**{self._parameter: 1.0}), make_scorer(self.scoring)

    def _check_data(self, X: Rows, y: Values, qid: Values | None, group: Values | None) -> tuple[Any, ...]:
        """Return the rows, the labels for the scorer, those for fits and folds, and the queries."""
        if self._ranks_queries:
            rows, labels, qid = self._check_fit_queries(X, y, qid, group=group)
            return rows, labels, labels, qid
        rows, labels, qid = self._check_fit(X, y, qid, group)
        self._check_single_list(qid)
        # fits and folds see two classes; a scorer such as NDCG sees the grades
        relevant = relevant_rows(labels).astype(int)
        is_graded = np.unique(labels).size > 2
        return rows, as_grades(labels) if is_graded else relevant, relevant, qid

    @property
    def _l1_ratios(self) -> list[float]:
        """Values of l1_ratio to search; empty if the estimator keeps its own."""
        ratios = getattr(self, "l1_ratios", None)
        return [] if ratios is None else np.atleast_1d(np.asarray(ratios, dtype=object)).tolist()

    def _make_models(
        self, estimator: LinearRanker, target: np.ndarray, folds: list[Fold]
    ) -> list[LinearRanker]:
        """Return a model for each l1_ratio and depth, after a check that each fold is deep enough."""
        models = [estimator]
        if getattr(self, "l1_ratios", None) is not None:
            models = self._mix_penalties(estimator)
        if "depth" not in estimator.get_params(deep=False):
            return models
        depths = (estimator.depth,) if self.depths is None else self.depths
        depths = np.atleast_1d(np.asarray(depths, dtype=object))
        if depths.ndim != 1 or not depths.size:
            raise ValueError(f"depths must be a sequence of depths, at least one; got {self.depths!r}")
        models = [clone(model).set_params(depth=depth) for model in models for depth in depths]
        solver = estimator._resolve_parameter("solver")
        # a depth that some fold cannot have is an error before the first fit
        for model in models[: depths.size]:
            model._check_depth(np.count_nonzero(target == 0), solver)
            for k, (training, _) in enumerate(folds, 1):
                try:
                    model._check_depth(np.count_nonzero(target[training] == 0), solver)
                except ValueError as error:
                    raise ValueError(
                        f"among the training rows of fold {k} of {len(folds)}, {error}"
                    ) from None
        return models

    def _mix_penalties(self, estimator: LinearRanker) -> list[LinearRanker]:
        """Return a model for each l1_ratio of the elastic net."""
        penalty = estimator.get_params(deep=False)["penalty"]
        if penalty != "elasticnet":
            raise ValueError(
                f"l1_ratios need an estimator with penalty='elasticnet'; got {type(estimator).__name__} with "
                f"penalty={penalty!r}"
            )
        ratios = self._l1_ratios
        if not ratios or not all(is_number(ratio) and 0.0 <= ratio <= 1.0 for ratio in ratios):
            raise ValueError(f"l1_ratios must be numbers from 0 to 1, at least one; got {self.l1_ratios!r}")
        return [clone(estimator).set_params(l1_ratio=float(ratio)) for ratio in ratios]

    def _make_grids(self, models: Sequence[LinearRanker], data: tuple[Any, ...]) -> np.ndarray:
        """Return for each model the values of the parameter, from the strongest regularisation on."""
        name, values = self._grid_parameter, getattr(self, self._grid_parameter)
        _, sign = PATH_STARTS[self._parameter]
        # values that are given: ascending for C, descending for alpha, that is from the strongest on
        if np.ndim(values):
            numbers = [value for value in np.ravel(np.asarray(values, dtype=object)) if is_number(value)]
            grid = np.unique(np.asarray(numbers, dtype=float))
            if (
                len(numbers) != np.size(values)
                or np.ndim(values) > 1
                or grid.ndim != 1
                or not grid.size
                or not (np.isfinite(grid) & (grid > 0)).all()
            ):
                raise ValueError(f"{name} must be a number of values, or positive numbers; got {values!r}")
            return np.tile(grid if sign > 0 else grid[::-1], (len(models), 1))
        if not is_number(values) or not (1 <= values < np.inf) or values != int(values):
            raise ValueError(f"{name} must be a number of values, or positive numbers; got {values!r}")
        starts = np.array([self._find_start(model, data) for model in models])
        has_path = np.isfinite(starts) & (starts > 0)
        # where w = 0 is optimal at every value, any grid gives it
        starts[~has_path] = starts[has_path].max(initial=0.0) or 1.0
        # geometric, down to eps times the start (for C up by 1/eps); at the start itself w = 0, so it is left
        # out
        ratios = np.geomspace(1.0, self.eps, int(values) + 1)[1:] ** -sign
        return starts[:, None] * ratios

    def _find_start(self, model: LinearRanker, data: tuple[Any, ...]) -> float:
        """Return the end of the grid of a model at the strongest regularisation."""
        check_positive(model, optional=("time_limit",))
        clock = Clock(model.time_limit)
        scale = compute_scale_in_time(model, self._parameter, data, clock, "the grid may start too high")
        return RIDGE_START * scale if self._parameter == "alpha" and has_ridge(model) else scale

    def _store_results(
        self, paths: list[PathScores], models: list[LinearRanker], grids: np.ndarray, target: np.ndarray
    ) -> None:
        """Store scores and the choice; warn of fits without a certificate."""
        # (jobs,) to (models, folds, values) as the jobs were listed, then to (models, values, folds)
        n_values = grids.shape[1]
        shape = (len(models), self.n_splits_, n_values)
        scores, fit_seconds, score_seconds = (
            np.array([getattr(path, name) for path in paths]).reshape(shape).transpose(0, 2, 1)
            for name in ("scores", "fit_seconds", "score_seconds")
        )
        candidates, depths = {self._parameter: grids.ravel()}, [1.0] * len(models)
        if hasattr(models[0], "depth"):
            candidates["depth"] = np.repeat([float(model.depth) for model in models], n_values)
            n_negatives = np.count_nonzero(target == 0)
            depths = [model._check_depth(n_negatives, model._resolve_parameter("solver")) for model in models]
        ratios = [0.0] * len(models)
        if self._l1_ratios:
            ratios = [model.l1_ratio for model in models]
            candidates["l1_ratio"] = np.repeat(ratios, n_values)
        # ties between paths: the smallest depth first, then the largest l1_ratio, for few features
        preferences = [(depth, -ratio) for depth, ratio in zip(depths, ratios, strict=True)]
        flat = (values.reshape(-1, self.n_splits_) for values in (scores, fit_seconds, score_seconds))
        self.cv_results_ = tabulate_results(candidates, *flat)
        path, value = select_candidate(scores, preferences, self.selection)
        self.best_index_ = path * n_values + value
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        setattr(self, f"{self._parameter}_", self.best_params_[self._parameter])
        # an axis for l1_ratio, if it is searched, and one for the depth, if the model has one
        axes = (len(self._l1_ratios),) * bool(self._l1_ratios) + (-1,) * hasattr(models[0], "depth")
        setattr(self, f"{self._grid_parameter}_", grids.reshape(*axes, n_values))
        self.scores_ = scores.reshape(*axes, *scores.shape[1:])
        warn_of_uncertified_fits(self, [status for path in paths for status in path.statuses])


def _fit_fold(
    model: LinearRanker,
    parameter: str,
    values: np.ndarray,
    scorer: Callable[..., float],
    data: tuple[Any, ...],
    fold: Fold,
) -> PathScores:
    """Fit the path of a fold, and score each of its models on the test rows."""
    from toprank.problems.rows import take_rows

    X, labels, target, qid = data
    training, test = fold
    training_qid, test_qid = (None if qid is None else qid[rows] for rows in fold)
    held_out = take_rows(X, test), labels[test]
    path = PathScores([], [], [], [])
    with warnings.catch_warnings(), skip_zero_warnings():
        warnings.simplefilter("ignore")  # of statuses the search warns once
        start = time.perf_counter()
        # an iterator: each turn of the loop below fits the next value, so that its seconds are those of one
        # fit
        models = fit_along(
            model, parameter, values.tolist(), (take_rows(X, training), target[training], training_qid)
        )
        for fitted in models:
            end = time.perf_counter()
            path.scores.append(score_model(scorer, fitted, *held_out, test_qid))
            path.fit_seconds.append(end - start)
            start = time.perf_counter()
            path.score_seconds.append(start - end)
            path.statuses.append(fitted.certificate_.status)
    return path
