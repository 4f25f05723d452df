"""The metrics of a ranking in a study of all metrics: `ranking_metrics` gives each of `METRICS`."""

from __future__ import annotations

from math import ceil

import numpy as np
from scipy.stats import rankdata

from toprank.metrics import average_precision_per_query, ndcg_per_query

METRICS = ("rate_at_top", "precision_at_10", "precision_at_percent", "average_precision", "ndcg10", "auc")
"""What a ranking is measured by; the choice of the first is the one of role "chosen"."""


def ranking_metrics(y: np.ndarray, scores: np.ndarray, qid: np.ndarray | None = None) -> dict[str, float]:
    """Compute the metrics of a ranking, as expected values over all orders of equal scores.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Grades; above 0 is positive.
    scores : ndarray of shape (n_rows,)
        Scores; larger ones rank higher.
    qid : ndarray of shape (n_rows,), optional
        The means are over these queries; a query of a single class does not count. None: one list.

    Returns
    -------
    dict[str, float]
        Value of each of `METRICS`; NaN where no query has both classes.

    Raises
    ------
    ValueError
        If a score is NaN or infinite.
    """
    scores = np.asarray(scores, dtype=float)
    if not np.isfinite(scores).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(scores))} scores are NaN or infinite")
    y = np.maximum(y, 0)
    query = np.zeros(y.size, dtype=int) if qid is None else np.unique(qid, return_inverse=True)[1]
    query_rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query))[:-1])
    relevant = [y[rows] > 0 for rows in query_rows]
    counted = np.array([is_relevant.any() and not is_relevant.all() for is_relevant in relevant])
    if not counted.any():
        return dict.fromkeys(METRICS, np.nan)
    pairs = zip(query_rows, relevant, counted, strict=True)
    list_metrics = [
        _list_metrics(scores[rows], is_relevant) for rows, is_relevant, is_counted in pairs if is_counted
    ]
    values = dict(zip(_LIST_METRICS, np.mean(list_metrics, axis=0), strict=True))
    values["average_precision"] = average_precision_per_query(y, scores, query)[counted].mean()
    values["ndcg10"] = ndcg_per_query(y, scores, query, k=10)[counted].mean()
    return {name: float(values[name]) for name in METRICS}


_LIST_METRICS = ("rate_at_top", "precision_at_10", "precision_at_percent", "auc")


def _list_metrics(scored: np.ndarray, relevant: np.ndarray) -> tuple[float, ...]:
    """Rate at the top, shares of positives among the first ten and the first per cent, and AUC."""
    n, positives = relevant.size, np.count_nonzero(relevant)
    _, tie, sizes = np.unique(-scored, return_inverse=True, return_counts=True)
    hits = np.repeat(np.bincount(tie, weights=relevant) / sizes, sizes)  # at each rank the share of its tie
    auc = (rankdata(scored)[relevant].sum() - positives * (positives + 1) / 2) / positives / (n - positives)
    rate = np.mean(scored[relevant] > scored[~relevant].max())
    return rate, hits[:10].mean(), hits[: ceil(n / 100)].mean(), auc
