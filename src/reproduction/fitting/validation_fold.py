"""The protocol of L14: documents of queries in folds as distributed, chosen by MAP on the validation part.

Every candidate is fitted on the training part alone. The one of the best mean average precision on the
validation part is chosen as it is: nothing is refitted on training and validation part together. The test
metrics of the other candidates are kept as well, since other rules would choose other candidates.
"""

from __future__ import annotations

import json
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reproduction.fitting.feature_scaling import scale_features
from reproduction.fitting.fit_rows import failed_row, fit_grid, no_selection_row, predict_scores
from toprank.metrics import average_precision_per_query, mean_average_precision, ndcg, ndcg_per_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows
    from reproduction.fitting.method import Method

# L14 measured with LETOR's script, which also breaks ties by the order of the file
letor_map = partial(mean_average_precision, convention="letor")
letor_ndcg = partial(ndcg, convention="letor")


@dataclass(frozen=True)
class ValidationFold:
    """Search on the validation part of LETOR's folds; nothing is refitted.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    X : ndarray or csr_array of shape (n_documents, n_features)
        Feature rows of the documents.
    y : ndarray of shape (n_documents,)
        Graded relevance; larger is more relevant.
    qid : ndarray of shape (n_documents,)
        Query of each document; the documents of a query need not lie together.
    splits : splits of the data set
        With one validation part in each split.
    feature_scaling : {"raw", "standardised"}, optional
        "standardised" scales by the statistics of the training part.
    n_varying : int, optional
        Number of features that vary in the whole data set; without it there is no sparsity ratio.
    """

    method: Method
    X: Rows
    y: np.ndarray
    qid: np.ndarray
    splits: Any
    feature_scaling: str = "raw"
    n_varying: int | None = None

    def run_split(
        self, split: int, inherited: Mapping | None = None, progress: Callable[[], None] | None = None
    ) -> list[dict]:
        """Fit all candidates of the method on one fold, choose one and compute its metrics.

        Ties of the validation MAP go to the candidate with fewer variables, and then to the one listed last.
        One that scores all documents alike is chosen only where all do: its MAP comes from the order in which
        the documents stand in the file, and on ohsumed beats most models.

        Parameters
        ----------
        split : int
            Number of the LETOR fold.
        inherited : Mapping, optional
            Parameters chosen by another method on this split.
        progress : Callable, optional
            Called without arguments after each fit.

        Returns
        -------
        list[dict]
            Rows of role "search" (one a candidate, unless the grid is empty), one of role "chosen", and of
            role "query" (one a query of the test part), unless nothing could be chosen or scored.

        Raises
        ------
        ValueError
            If the method has a regularisation path, which this search does not fit.
        """
        if self.method.path:
            raise ValueError(
                "a search over queries fits no path beside the grid: take 'path' out of the rule"
            )
        inherited = inherited or {}
        # LETOR distributes one validation part for each fold: there is one inner fold
        ((fold, train, validation),) = self.splits.folds(split)
        test = self.splits.test(split)
        X, y, qid = self.X, self.y, self.qid
        X_train, X_validation, X_test = scale_features(self.feature_scaling, X[train], X[validation], X[test])
        best = None

        def validate(model: Any, row: dict, i: int) -> None:
            """Add the metrics of a candidate, and keep the model if its validation MAP is the best so far.

            Parameters
            ----------
            model : estimator
                The fitted candidate.
            row : dict
                Row of the fit, to which the metrics are added.
            i : int
                Position of the candidate in the grid.
            """
            nonlocal best
            row["kkt"] = getattr(getattr(model, "certificate_", None), "kkt", None)
            # L14 divides by the features that vary in the data set
            if "n_variables" in row and self.n_varying:
                row["sparsity_ratio"] = row["n_variables"] / self.n_varying
            validation_scores = predict_scores(model, X_validation)
            row["validation_map"] = letor_map(y[validation], validation_scores, qid[validation])
            row["validation_ndcg10"] = letor_ndcg(y[validation], validation_scores, qid[validation], k=10)
            with suppress(Exception):  # of the chosen model its own row says so
                test_scores = predict_scores(model, X_test)
                row["map"] = letor_map(y[test], test_scores, qid[test])
                row["ndcg10"] = letor_ndcg(y[test], test_scores, qid[test], k=10)
            # Lexicographic: scores that are not all tied (where all are, the order of the file ranks, not the
            # model), highest MAP, fewest variables, last in the grid: the strongest regularisation.
            rank = (
                np.ptp(validation_scores) > 0.0,
                row["validation_map"],
                -row.get("n_variables", np.inf),
                i,
            )
            if best is None or rank > best[0]:
                # a warm start goes on with this very model
                best = rank, deepcopy(model) if self.method.is_warm_started else model

        rows = fit_grid(
            self.method.with_score_rows(X_validation, X_test, qid=(qid[validation], qid[test])),
            self.method.grid,
            X_train,
            y[train],
            validate,
            qid[train],
            inherited,
            progress=progress,
        )
        counts = {"n_train_queries": np.unique(qid[train]).size, "n_train_documents": np.count_nonzero(train)}
        rows = [counts | row for row in rows]
        identity = {"split": split}
        if best is None:
            chosen, queries = no_selection_row(rows, inherited), []
        else:
            (*_, i), model = best
            chosen, queries = _score_test_part(rows[i], model, X_test, y[test], qid[test])
        search = (
            [identity | {"role": "search", "fold": fold} | row for row in rows] if self.method.grid else []
        )
        chosen = identity | {"role": "chosen", "fold": None} | chosen
        return [*search, chosen, *(identity | {"role": "query", "fold": None} | query for query in queries)]


def make_split_runner(
    method: Method, prepared: Any, splits: Any, feature_scaling: str, **_: Any
) -> Callable[..., list[dict]]:
    """Return the function that runs one fold of a data set with queries.

    Parameters
    ----------
    method : Method
        Estimator and grid.
    prepared : prepared data set
        Its ``X``, ``y``, ``qid`` and ``manifest`` are used.
    splits : splits of the data set
        Folds as distributed.
    feature_scaling : {"raw", "standardised"}
        Scaling of the features.
    **_ : dict
        Ignored; there for the interface of the other protocols.

    Returns
    -------
    Callable
        `ValidationFold.run_split`.
    """
    n_varying = prepared.X.shape[1] - len(prepared.manifest["constant_features"])
    search = ValidationFold(method, prepared.X, prepared.y, prepared.qid, splits, feature_scaling, n_varying)
    return search.run_split


def _score_test_part(
    row: dict, model: Any, X: Rows, y: np.ndarray, qid: np.ndarray
) -> tuple[dict, list[dict]]:
    r"""Compute the test metrics of the chosen model.

    Parameters
    ----------
    row : dict
        Row of the chosen candidate.
    model : estimator
        The chosen model.
    X : ndarray or csr_array of shape (n_documents, n_features)
        Rows of the test part.
    y : ndarray of shape (n_documents,)
        Grades of the test part.
    qid : ndarray of shape (n_documents,)
        Query of each document of the test part.

    Returns
    -------
    row : dict
        The candidate's row with the test metrics, or with status "failed" if they raised.
    queries : list of dict
        Metrics of each query, in the order of their numbers.
    """
    try:
        # both conventions: LETOR's, as L14 measured, and the published formula
        predicted = predict_scores(model, X)
        queries = query_metrics(y, predicted, qid)
        metrics = {
            "map": float(np.mean([query["average_precision"] for query in queries])),
            "ndcg10": float(np.mean([query["ndcg10"] for query in queries])),
            "map_standard": mean_average_precision(y, predicted, qid),
            "ndcg10_standard": ndcg(y, predicted, qid, k=10),
        }
        if hasattr(model, "coef_"):
            metrics["weights"] = json.dumps(np.ravel(model.coef_).tolist())
        return row | metrics, queries
    except Exception as error:  # as in a fit: the row says so
        return row | failed_row(json.loads(row["params"]), error), []


def query_metrics(y: np.ndarray, scores: np.ndarray, qid: np.ndarray) -> list[dict]:
    """Compute the metrics of each query.

    Parameters
    ----------
    y : ndarray of shape (n_documents,)
        Graded relevance.
    scores : ndarray of shape (n_documents,)
        Scores of a model.
    qid : ndarray of shape (n_documents,)
        Query of each document.

    Returns
    -------
    list[dict]
        One a query in the order of their numbers: qid, n_documents, n_relevant, average_precision (0 where no
        document is relevant), ndcg5, ndcg10 by LETOR's conventions, and the latter two by the standard ones.
    """
    queries, query, n_documents = np.unique(qid, return_inverse=True, return_counts=True)
    columns = {
        "qid": queries,
        "n_documents": n_documents,
        "n_relevant": np.bincount(query.ravel(), weights=y > 0).astype(int),
        "average_precision": average_precision_per_query(y, scores, qid, convention="letor"),
        "ndcg5": ndcg_per_query(y, scores, qid, k=5, convention="letor"),
        "ndcg10": ndcg_per_query(y, scores, qid, k=10, convention="letor"),
        "ndcg5_standard": ndcg_per_query(y, scores, qid, k=5),
        "ndcg10_standard": ndcg_per_query(y, scores, qid, k=10),
    }
    values = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
