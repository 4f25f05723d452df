"""Tables that say which method to take when, and what selection by another metric costs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across.facts.experiment import LOGISTIC
from reproduction.papers.across.results import (
    fill_with_worst,
    list_measured,
    pivot_means,
    select_default_rows,
    select_reported_fits,
)
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.labels import method_sort_key
from reproduction.specs.metrics import FURTHER_LIST_METRICS
from reproduction.specs.study_results import Study
from reproduction.statistics.paired_tests import win_tie_loss
from reproduction.statistics.rank_tests import bayesian_signed_rank, mean_ranks

ROPE = 0.01
"""Differences of a metric up to here make no difference in practice (declared)."""

MIN_DATASETS = 5
"""Data sets from which on a test over them is made."""

DECISION_METRICS = ("rate_at_top", "average_precision", "auc")
BASELINES = ("random_scorer", "best_feature")

SITUATIONS = {
    "any list": "queries == 0",
    "fewer than 50 positives to learn from": "queries == 0 and train_positives < 50",
    "100 positives or more to learn from": "queries == 0 and train_positives >= 100",
    "fewer than one positive in five rows": "queries == 0 and positives_share < 0.2",
    "many variables: one for ten rows, or more": "queries == 0 and features_per_row >= 0.1",
    "5000 rows or more": "queries == 0 and rows >= 5000",
    "separable training rows": "queries == 0 and separable == 1",
    "no hyperplane separates the training rows": "queries == 0 and separable == 0",
    "queries": "queries > 0",
}
"""In words -> which data sets it is about, by their facts."""

METHOD_CONDITIONS = {
    "must be sparse: at most half of the variables": "n_variables_mean <= data_features / 2",
    "must be fast: a search within three times the fastest": "search_seconds <= 3 * fastest",
}
"""On any list, which methods count, by their results."""

DECISIONS_FORMAT = TypedCsv.parse(
    "situation* metric* n_sets datasets* method* mean mean_rank rival* rival_mean wins ties losses "
    "p_better p_same p_worse"
)
"""`method`: of the best mean rank on the data sets, baselines aside; a method that cannot rank one ties with
the worst there. `rival`: logistic regression. `p_better`, `p_same`, `p_worse`: Bayesian signed-rank test
against it with the region of practical equivalence `ROPE`, from `MIN_DATASETS` data sets on."""

BAYES_FORMAT = TypedCsv.parse("metric* method* rival* n_sets mean_difference p_better p_same p_worse")
"""Over the single lists on which both have a number."""

AGREEMENT_FORMAT = TypedCsv.parse("chosen_by* reported* n_sets same_best_share mean_loss")
"""`same_best_share`: of the data sets, on how many the method that is best when all is chosen and measured by
the first is also best when all is chosen and measured by the second; `mean_loss`: what a candidate that the
first chooses lacks by the second, on average over methods, data sets and splits."""


def build_decisions(study: Study) -> pd.DataFrame:
    """Select a method for each situation and metric.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `DECISIONS_FORMAT`; a situation without data sets has no row.
    """
    facts, results = study.table("facts"), study.table("results")
    cases = [(situation, dataset_query, "") for situation, dataset_query in SITUATIONS.items()]
    cases += [
        (situation, SITUATIONS["any list"], condition) for situation, condition in METHOD_CONDITIONS.items()
    ]
    rows = []
    for (situation, dataset_query, condition), metric in product(cases, DECISION_METRICS):
        datasets = facts.query(dataset_query)["dataset"]
        wide = pivot_means(results[results["dataset"].isin(datasets)], metric)
        candidates = _list_candidates(results, list(wide.columns), datasets, condition)
        if len(wide) and candidates:
            row = {"situation": situation, "metric": metric, "n_sets": len(wide)}
            rows.append(
                row
                | {"datasets": ", ".join(wide.index)}
                | _compare_best_method(fill_with_worst(wide), candidates)
            )
    return DECISIONS_FORMAT.to_frame(rows)


def _list_candidates(
    results: pd.DataFrame, methods: list[str], datasets: pd.Series, condition: str
) -> list[str]:
    """List the methods that meet a condition on most of the data sets, baselines aside."""
    methods = [name for name in methods if name not in BASELINES]
    if condition:
        rows = results[results["dataset"].isin(datasets) & results["method"].isin(methods)]
        fastest = rows.groupby("dataset")["search_seconds"].transform("min")
        share = rows.assign(fastest=fastest).eval(condition).groupby(rows["method"]).mean()
        methods = share.index[share > 0.5]
    return sorted(methods, key=method_sort_key)


def _compare_best_method(wide: pd.DataFrame, candidates: list[str]) -> dict:
    """Find the method of the best mean rank, and compare it with logistic regression."""
    ranks = pd.Series(mean_ranks(wide[candidates]), index=candidates)
    best = ranks.idxmin()
    row = {"method": best, "mean": wide[best].mean(), "mean_rank": ranks[best]}
    if LOGISTIC not in wide or best == LOGISTIC:
        return row | {"rival": "none"}
    wins, ties, losses = win_tie_loss(wide[best], wide[LOGISTIC])
    row |= {"rival": LOGISTIC, "rival_mean": wide[LOGISTIC].mean()}
    row |= {"wins": wins, "ties": ties, "losses": losses}
    return row | _compute_posterior(wide[best] - wide[LOGISTIC])


def _compute_posterior(differences: pd.Series) -> dict:
    """Test differences over data sets by the Bayesian signed-rank test; empty where they are too few."""
    if len(differences) < MIN_DATASETS:
        return {}
    worse, equivalent, better = bayesian_signed_rank(differences, ROPE)
    return {"p_better": better, "p_same": equivalent, "p_worse": worse}


def build_bayes_table(study: Study) -> pd.DataFrame:
    """Compare every method with logistic regression, over the single lists.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `BAYES_FORMAT`.
    """
    facts, results = study.table("facts"), study.table("results")
    results = results[results["dataset"].isin(facts.loc[facts["queries"] == 0, "dataset"])]
    rows = []
    for metric in (*METRICS, *FURTHER_LIST_METRICS):
        wide = pivot_means(results, metric)
        for method in sorted(wide.columns, key=method_sort_key) if LOGISTIC in wide else ():
            difference = (wide[method] - wide[LOGISTIC]).dropna()
            if method != LOGISTIC and len(difference):
                row = {"metric": metric, "method": method, "rival": LOGISTIC, "n_sets": len(difference)}
                rows.append(row | {"mean_difference": difference.mean()} | _compute_posterior(difference))
    return BAYES_FORMAT.to_frame(rows)


def build_agreement(study: Study) -> pd.DataFrame:
    """Measure what it costs to select by another metric, and whether the same method is best.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `AGREEMENT_FORMAT`, a row a pair of metrics.
    """
    fits = select_default_rows(study, study.fits)
    measured = list_measured(fits)
    reported_fits = {
        name: select_reported_fits(fits, name).set_index(["dataset", "method", "split"]) for name in measured
    }
    best_methods = {}
    for name in measured:
        wide = (
            reported_fits[name][name].groupby(level=["dataset", "method"]).mean().unstack().dropna(how="all")
        )
        # rounding: sums in another order must not decide between equal means
        best_methods[name] = wide.round(12).idxmax(axis=1)
    rows = []
    for first, second in product(measured, measured):
        same_share = (
            (best_methods[first] == best_methods[second].reindex(best_methods[first].index)).mean()
            if len(best_methods[first])
            else np.nan
        )
        loss = (reported_fits[second][second] - reported_fits[first][second]).mean()
        row = {"chosen_by": first, "reported": second, "n_sets": len(best_methods[first])}
        rows.append(row | {"same_best_share": same_share, "mean_loss": loss})
    return AGREEMENT_FORMAT.to_frame(rows)
