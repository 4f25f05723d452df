"""The metrics of a ranking in a study of all metrics, by the functions of `toprank.metrics`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from toprank.metrics import (
    average_precision_per_query,
    bedroc,
    enrichment_factor,
    mean_average_precision,
    ndcg,
    ndcg_per_query,
    partial_auc,
    precision_at_k,
    rate_at_top,
    recall_at_fpr,
)

METRICS = ("rate_at_top", "precision_at_10", "precision_at_percent", "average_precision", "ndcg10", "auc")
"""What a ranking is measured by; the choice of the first is the one of role "chosen"."""

TOP_ROWS, TOP_PERCENT, MAX_FPR, DECAY = 10, 1, 0.01, 20.0
"""First rows and first per cent of a list, rounded up; largest false positive rate; alpha of BEDROC."""


def ranking_metrics(
    y: np.ndarray, scores: np.ndarray, qid: np.ndarray | None = None, names: Sequence[str] = METRICS
) -> dict[str, float]:
    """Compute the metrics of a ranking, as expected values over all orders of equal scores.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Grades; above 0 is positive.
    scores : ndarray of shape (n_rows,)
        Scores; larger ones rank higher.
    qid : ndarray of shape (n_rows,), optional
        The means are over these queries; a query of a single class does not count, except for LETOR's own
        metrics, which count every query and leave equal scores in the order of the file. None: one list.
    names : sequence of str, optional
        Which metrics: of `METRICS` and of `reproduction.specs.metrics.FURTHER_METRICS`.

    Returns
    -------
    dict[str, float]
        Value of each of them; NaN where no query has both classes, and for LETOR's metrics of one list.

    Raises
    ------
    ValueError
        If a score is NaN or infinite.
    """
    scores = np.asarray(scores, dtype=float)
    if not np.isfinite(scores).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(scores))} scores are NaN or infinite")
    # negative labels of two classes count as grade 0
    y = np.maximum(y, 0)
    query = np.zeros(y.size, dtype=int) if qid is None else np.unique(qid, return_inverse=True)[1]
    # the rows of each query, in the order of the list
    query_rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query))[:-1])
    relevant = [y[rows] > 0 for rows in query_rows]
    # A query without a relevant or without an irrelevant document has no order to measure; LETOR's
    # convention, in which the former counts 0, is in `_LETOR_METRICS`.
    counted = np.array([is_relevant.any() and not is_relevant.all() for is_relevant in relevant])
    if not counted.any():
        return dict.fromkeys(names, np.nan)
    lists = [
        (is_relevant, scores[rows])
        for rows, is_relevant, is_counted in zip(query_rows, relevant, counted, strict=True)
        if is_counted
    ]

    def measure(name: str) -> float:
        """Compute one metric.

        Parameters
        ----------
        name : str
            Name of the metric.

        Returns
        -------
        float
        """
        if name == "average_precision":
            return average_precision_per_query(y, scores, query)[counted].mean()
        if name == "ndcg10":
            return ndcg_per_query(y, scores, query, k=TOP_ROWS)[counted].mean()
        if name in _LETOR_METRICS:
            return np.nan if qid is None else _LETOR_METRICS[name](y, scores, qid)
        return np.mean([_LIST_METRICS[name](*labels_and_scores) for labels_and_scores in lists])

    return {name: float(measure(name)) for name in names}


def count_percent_rows(n_rows: int) -> int:
    """Count the rows of the first per cent of a list, rounded up.

    Parameters
    ----------
    n_rows : int

    Returns
    -------
    int
    """
    return ceil(n_rows * TOP_PERCENT / 100)


_LIST_METRICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "rate_at_top": rate_at_top,
    "precision_at_10": lambda y, scores: precision_at_k(y, scores, min(TOP_ROWS, y.size)),
    "precision_at_percent": lambda y, scores: precision_at_k(y, scores, count_percent_rows(y.size)),
    "auc": lambda y, scores: partial_auc(y, scores, max_fpr=1.0),
    "recall_at_fpr": lambda y, scores: recall_at_fpr(y, scores, MAX_FPR),
    "enrichment_at_percent": lambda y, scores: enrichment_factor(y, scores, count_percent_rows(y.size)),
    "bedroc": lambda y, scores: bedroc(y, scores, DECAY),
}
_LETOR_METRICS = {
    "letor_map": lambda y, scores, qid: mean_average_precision(y, scores, qid, convention="letor"),
    "letor_ndcg10": lambda y, scores, qid: ndcg(y, scores, qid, k=TOP_ROWS, convention="letor"),
}
