"""The scorer of an estimator with built-in cross-validation."""

from __future__ import annotations

from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from toprank.labels import relevant_rows
from toprank.scorers import METRICS, RankingScorer, make_ranking_scorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from toprank.estimators.base import LinearRanker
    from toprank.typing import Rows, Values

#: Modules whose functions take y and scores, and no model.
METRIC_MODULES = ("sklearn.metrics.", "toprank.metrics.")
#: Metrics that use grades as they are; all others use two classes.
GRADED_METRICS = ("ndcg", "map")


def make_scorer(scoring: Any) -> Callable[..., float]:
    """Return a function of a fitted model, X, y and perhaps qid.

    Parameters
    ----------
    scoring : None, str or callable
        None: the method ``score`` of the model.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If it is no metric, scorer or function.
    """
    if scoring is None:
        return _score_by_default
    if isinstance(scoring, str):
        if scoring in METRICS:
            return make_ranking_scorer(scoring)
        if scoring not in get_scorer_names():
            raise ValueError(
                f"unknown scoring {scoring!r}; take a metric of make_ranking_scorer ({', '.join(METRICS)}), "
                "a name of sklearn.metrics.get_scorer_names(), or a function of a model, X and y"
            )
        scoring = get_scorer(scoring)
    if not callable(scoring):
        raise ValueError(f"scoring must be a name, or a function of a model, X and y; got {scoring!r}")
    module, name = getattr(scoring, "__module__", None) or "", getattr(scoring, "__name__", "")
    if isfunction(scoring) and module.startswith(METRIC_MODULES):
        has_scorer = module.startswith("toprank")
        remedy = "make_ranking_scorer" if has_scorer else "sklearn.metrics.make_scorer, or a scorer by name"
        raise ValueError(
            f"scoring is the metric {name}, a function of y and scores; make a scorer of it by {remedy}"
        )
    return scoring


def find_lowest_relevant_grade(scorer: Callable[..., float], labels: np.ndarray) -> float | None:
    """Return the lowest grade that is relevant for a scorer, by all rows of a search.

    A fold without the lowest grade would decide otherwise.

    Parameters
    ----------
    scorer : callable
        See `make_scorer`.
    labels : ndarray of shape (n_samples,)
        Grades of all rows of a search.

    Returns
    -------
    float or None
        None if the scorer is of no metric of two classes.
    """
    has_classes = isinstance(scorer, RankingScorer) and scorer.metric not in GRADED_METRICS
    return float(labels[relevant_rows(labels)].min()) if has_classes else None


def score_model(
    scorer: Callable[..., float], model: LinearRanker, X: Rows, y: Values, qid: Values | None
) -> float:
    """Score a fitted model; a scorer that has no parameter ``qid`` does not see the queries.

    Parameters
    ----------
    scorer : callable
        See `make_scorer`.
    model : LinearRanker
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    qid : array-like of shape (n_samples,) or None

    Returns
    -------
    float
    """
    from toprank.problems.rows import SelectedRows

    # rows that are read in place are a class of ours, which a function of the user does not know
    if isinstance(X, SelectedRows) and not isinstance(scorer, RankingScorer) and scorer != _score_by_default:
        X = np.asarray(X)
    extra = {"qid": qid} if "qid" in signature(scorer).parameters else {}
    return float(scorer(model, X, y, **extra))


def _score_by_default(model: LinearRanker, X: Rows, y: Values, qid: Values | None) -> float:
    """Score by the method of the model."""
    return model.score(X, y, qid)
