"""Ranking metrics as scorers for scikit-learn: ``GridSearchCV(model, grid, scoring=...)``."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from toprank.document_ranks import check_convention, check_rank_limit, check_ties
from toprank.labels import QUERY_COLUMN, QUERY_COLUMN_REMEDY, as_grades, split_queries
from toprank.metrics.early_recognition import bedroc, check_decay
from toprank.metrics.fixed_capacity import check_capacity, enrichment_factor, precision_at_k, recall_at_k
from toprank.metrics.queries import average_precision, mean_average_precision, ndcg
from toprank.metrics.roc import check_false_positive_rate, partial_auc, recall_at_fpr
from toprank.metrics.top_of_list import rate_at_top

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.typing import Convention, Rows, Ties, Values

#: Name -> function; those of `QUERY_METRICS` also take queries.
METRICS: dict[str, Callable[..., float]] = {
    "ndcg": ndcg,
    "map": mean_average_precision,
    "rate_at_top": rate_at_top,
    "precision": precision_at_k,
    "recall": recall_at_k,
    "enrichment": enrichment_factor,
    "recall_at_fpr": recall_at_fpr,
    "partial_auc": partial_auc,
    "average_precision": average_precision,
    "bedroc": bedroc,
}
QUERY_METRICS = ("ndcg", "map", "precision", "recall", "average_precision")
ARGUMENTS_OF_DATA = ("y_true", "y_score", "qid")
#: Parameters without a default, and what they are.
REQUIRED_PARAMETERS = {"k": "a number of rows or a share of them", "max_fpr": "a share of the negatives"}


def make_ranking_scorer(
    metric: Literal[
        "ndcg",
        "map",
        "rate_at_top",
        "precision",
        "recall",
        "enrichment",
        "recall_at_fpr",
        "partial_auc",
        "average_precision",
        "bedroc",
    ] = "ndcg",
    *,
    k: float | None = None,
    convention: Convention | None = None,
    max_fpr: float | None = None,
    alpha: float | None = None,
    ties: Ties | None = None,
) -> RankingScorer:
    """Make a scorer for scikit-learn from a ranking metric.

    Parameters
    ----------
    metric : str, default="ndcg"
        A function of `toprank.metrics`: "ndcg", "rate_at_top", "recall_at_fpr", "partial_auc",
        "average_precision" and "bedroc" by their names, "map" for `toprank.metrics.mean_average_precision`,
        "precision" and "recall" for `toprank.metrics.precision_at_k` and `toprank.metrics.recall_at_k`,
        "enrichment" for `toprank.metrics.enrichment_factor`.
    k : int or float, optional
        Only the first k rows of a list count. For "precision" and "recall", which need it, and "enrichment"
        it is a number of rows or a share of them; for "ndcg" and "map" a number, and None is the whole list.
        In a search a number counts rows of a fold.
    convention : {"standard", "letor"}, optional
        For "ndcg" and "map"; None: "standard".
    max_fpr : float, optional
        For "recall_at_fpr", which needs it, and "partial_auc".
    alpha : float, optional
        For "bedroc".
    ties : {"average", "pessimistic"}, optional
        For all but "rate_at_top"; None: "average".

    Returns
    -------
    RankingScorer
        Called as ``scorer(model, X, y, qid)``. With metadata routing a search passes ``qid`` without a
        request. Otherwise make it a column ``qid`` of X. "rate_at_top", "enrichment", "recall_at_fpr",
        "partial_auc" and "bedroc" rank all rows as one list.

    Raises
    ------
    ValueError
        If the metric is unknown, has no such parameter, lacks one that it needs, or one is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from toprank import TopPush, make_ranking_scorer
    >>> X = (np.arange(12.0) % 6).reshape(12, 1)
    >>> y = X[:, 0] > 3
    >>> grid = {"alpha": [0.1, 1.0]}
    >>> search = GridSearchCV(TopPush(), grid, scoring=make_ranking_scorer("precision", k=2), cv=2).fit(X, y)
    >>> float(search.best_score_)
    1.0
    """
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}; choose one of {', '.join(METRICS)}")
    options = {"k": k, "convention": convention, "max_fpr": max_fpr, "alpha": alpha, "ties": ties}
    options = {name: value for name, value in options.items() if value is not None}
    _check_options(metric, options)
    return RankingScorer(metric, options)


def _check_options(metric: str, options: dict[str, Any]) -> None:
    """Raise a ValueError if a metric has no such options, lacks one, or one is out of its range."""
    parameters = signature(METRICS[metric]).parameters
    names = [name for name in parameters if name not in ARGUMENTS_OF_DATA]
    for name in options:
        if name not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise ValueError(f"the metric {metric!r} has no parameter {name!r}; {has}")
    for name in names:
        if parameters[name].default is parameters[name].empty and name not in options:
            raise ValueError(f"the metric {metric!r} needs {name}, {REQUIRED_PARAMETERS[name]}")
    checks = {
        "k": check_rank_limit if "convention" in names else check_capacity,
        "convention": check_convention,
        "max_fpr": partial(check_false_positive_rate, is_area=metric == "partial_auc"),
        "alpha": check_decay,
        "ties": partial(check_ties, convention=options.get("convention", "standard")),
    }
    for name, value in options.items():
        checks[name](value)


class RankingScorer:
    """Scorer of a fitted model; made by `make_ranking_scorer`.

    Parameters
    ----------
    metric : str
    options : dict
        Parameters of the metric; the others have its defaults.

    Examples
    --------
    >>> from toprank import make_ranking_scorer
    >>> make_ranking_scorer("ndcg", k=10)
    make_ranking_scorer('ndcg', k=10)
    """

    def __init__(self, metric: str, options: dict[str, Any]) -> None:
        self.metric, self.options = metric, options

    def __repr__(self) -> str:
        arguments = [repr(self.metric), *(f"{name}={value!r}" for name, value in self.options.items())]
        return f"make_ranking_scorer({', '.join(arguments)})"

    def get_metadata_routing(self) -> MetadataRequest:
        """Ask scikit-learn for the queries of the rows."""
        request = MetadataRequest(owner=type(self).__name__)
        request.score.add_request(param="qid", alias=True)
        return request

    def __call__(self, model: Any, X: Rows, y: Values, qid: Values | None = None) -> float:
        """Measure the ranking of X by a fitted model.

        Parameters
        ----------
        model : estimator
            With ``decision_function``, ``predict_proba`` of two classes, or ``predict``.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        qid : array-like of shape (n_samples,), optional
            None: the column ``qid`` of X, or one query.

        Raises
        ------
        ValueError
            If the model was fitted to several queries and none is named, or to the queries as a feature, or
            labels or scores are wrong.
        """
        queries = split_queries(X)[1] if qid is None else qid
        evaluate = partial(METRICS[self.metric], **self.options)
        if self.metric in QUERY_METRICS:
            ranker = _get_final_estimator(model)
            n_fitted_queries = getattr(ranker, "n_queries_", None)
            if n_fitted_queries == 1 and _has_lost_queries(model, ranker) and np.unique(queries).size > 1:
                raise ValueError(
                    f"the steps before {type(ranker).__name__} have passed the column {QUERY_COLUMN!r} of X "
                    "on as a feature or not at all, so all rows were fitted as one query; "
                    f"{QUERY_COLUMN_REMEDY}"
                )
            if self.metric == "map" and (as_grades(y) > 0).all():
                raise ValueError(
                    "all rows of y are relevant (above 0), so every model has a MAP of 1; mark the rows that "
                    "are not relevant by 0"
                )
            if queries is None and (n_fitted_queries or 1) > 1:
                raise ValueError(
                    f"the model was fitted to {n_fitted_queries} queries, so {self.metric} needs the qid of "
                    "each row: by metadata routing, or as a column 'qid' of X"
                )
            evaluate = partial(evaluate, qid=queries)
        return evaluate(y, _compute_scores(model, X))


def _get_final_estimator(model: Any) -> Any:
    """Return the last model of nested pipelines and searches."""
    while True:
        if hasattr(model, "steps"):
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        else:
            return model


def _has_lost_queries(model: Any, ranker: Any) -> bool:
    """Whether the model was fitted to a frame with queries, and its ranker to an array without names."""
    return QUERY_COLUMN in getattr(model, "feature_names_in_", ()) and not hasattr(
        ranker, "feature_names_in_"
    )


def _compute_scores(model: Any, X: Rows) -> np.ndarray:
    """Score rows by the model's first suitable method; the ``predict`` of a classifier gives no scores."""
    # as scikit-learn does: margins before probabilities of the positive class
    has_margins = hasattr(model, "decision_function")
    if not has_margins and not hasattr(model, "predict_proba"):
        return model.predict(X)
    scores = np.asarray(model.decision_function(X) if has_margins else model.predict_proba(X))
    n_classes = scores.shape[1] if scores.ndim == 2 else 2
    if n_classes > 2:
        raise ValueError(
            f"{type(model).__name__} has {n_classes} classes, whose scores do not rank the rows; take a "
            "regressor of the grades, or a classifier of two classes"
        )
    return scores if scores.ndim == 1 else scores[:, -1]
