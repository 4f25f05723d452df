"""Ranking metrics as scorers for scikit-learn: ``GridSearchCV(model, grid, scoring=...)``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from toprank.labels import QUERY_COLUMN, QUERY_COLUMN_REMEDY, as_grades, split_queries
from toprank.metrics import mean_average_precision, ndcg, rate_at_top

if TYPE_CHECKING:
    from toprank.typing import Convention, Rows, Values

#: Name -> function; those of `QUERY_METRICS` also take queries.
METRICS = {"ndcg": ndcg, "map": mean_average_precision, "rate_at_top": rate_at_top}
QUERY_METRICS = ("ndcg", "map")


def make_ranking_scorer(
    metric: Literal["ndcg", "map", "rate_at_top"] = "ndcg",
    *,
    k: int | None = None,
    convention: Convention = "standard",
) -> RankingScorer:
    """Make a scorer for scikit-learn from a ranking metric.

    Parameters
    ----------
    metric : {"ndcg", "map", "rate_at_top"}, default="ndcg"
        A function of `toprank.metrics`; "map" is `toprank.metrics.mean_average_precision`.
    k : int, optional
        For "ndcg" and "map": only the first k of a list count; None: the whole list.
    convention : {"standard", "letor"}, default="standard"
        For "ndcg" and "map".

    Returns
    -------
    RankingScorer
        Called as ``scorer(model, X, y, qid)``. With metadata routing a search passes ``qid`` without a
        request. Otherwise make it a column ``qid`` of X.

    Raises
    ------
    ValueError
        If the metric is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from toprank import TopPush, make_ranking_scorer
    >>> X = (np.arange(12.0) % 6).reshape(12, 1)
    >>> y = X[:, 0] > 3
    >>> grid = {"alpha": [0.1, 1.0]}
    >>> search = GridSearchCV(TopPush(), grid, scoring=make_ranking_scorer("rate_at_top"), cv=2).fit(X, y)
    >>> float(search.best_score_)
    1.0
    """
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}; choose one of {', '.join(METRICS)}")
    options = {"k": k, "convention": convention} if metric in QUERY_METRICS else {}
    return RankingScorer(metric, options)


class RankingScorer:
    """Scorer of a fitted model; made by `make_ranking_scorer`.

    Parameters
    ----------
    metric : str
    options : dict
        Options of the metric.

    Examples
    --------
    >>> from toprank import make_ranking_scorer
    >>> make_ranking_scorer("ndcg", k=10)
    make_ranking_scorer('ndcg', k=10, convention='standard')
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
        evaluate = METRICS[self.metric]
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
            evaluate = partial(evaluate, qid=queries, **self.options)
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
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return model.predict(X)
