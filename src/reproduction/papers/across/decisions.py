"""Which method to take when, and what choosing by another metric costs: tables of measured rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.fitting.multi_metric import METRICS
from reproduction.papers.across.facts.experiment import LOGISTIC
from reproduction.papers.across.results import means, of_default, reported, with_worst
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.labels import method_sort_key
from reproduction.statistics.paired_tests import win_tie_loss
from reproduction.statistics.rank_tests import bayesian_signed_rank, mean_ranks

ROPE = 0.01
"""Differences of a metric up to here make no difference in practice (declared)."""

FEWEST = 5
"""Data sets from which on a test over them is made."""

DECIDED_BY = ("rate_at_top", "average_precision", "auc")
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

MUST_BE = {
    "must be sparse: at most half of the variables": "n_variables_mean <= data_features / 2",
    "must be fast: a search within three times the fastest": "search_seconds <= 3 * fastest",
}
"""On any list, which methods count, by their results."""

DECISIONS = TypedCsv.parse(
    "situation* metric* n_sets datasets* method* mean mean_rank rival* rival_mean wins ties losses "
    "p_better p_same p_worse"
)
"""`method`: of the best mean rank on the data sets, baselines aside; a method that cannot rank one ties with
the worst there. `rival`: logistic regression. `p_better`, `p_same`, `p_worse`: Bayesian signed-rank test
against it with the region of practical equivalence `ROPE`, from `FEWEST` data sets on."""

BAYES = TypedCsv.parse("metric* method* rival* n_sets mean_difference p_better p_same p_worse")
"""Over the single lists on which both have a number."""

AGREEMENT = TypedCsv.parse("chosen_by* reported* n_sets same_best_share mean_loss")
"""`same_best_share`: of the data sets, on how many the method that is best when all is chosen and measured by
the first is also best when all is chosen and measured by the second; `mean_loss`: what a candidate that the
first chooses lacks by the second, on average over methods, data sets and splits."""


def decisions(study: Study) -> pd.DataFrame:
    """Choose a method for each situation and metric; a situation without data sets has no row."""
    facts, results = study.table("facts"), study.table("results")
    asked = [(words, which, "") for words, which in SITUATIONS.items()]
    asked += [(words, SITUATIONS["any list"], condition) for words, condition in MUST_BE.items()]
    rows = []
    for (words, which, condition), metric in product(asked, DECIDED_BY):
        sets = facts.query(which)["dataset"]
        wide = means(results[results["dataset"].isin(sets)], metric)
        allowed = _allowed(results, list(wide.columns), sets, condition)
        if len(wide) and allowed:
            row = {"situation": words, "metric": metric, "n_sets": len(wide)}
            rows.append(row | {"datasets": ", ".join(wide.index)} | _best(with_worst(wide), allowed))
    return DECISIONS.to_frame(rows)


def _allowed(results: pd.DataFrame, methods: list[str], sets, condition: str) -> list[str]:
    """List the methods that meet a condition on most of the data sets, baselines aside."""
    methods = [name for name in methods if name not in BASELINES]
    if condition:
        of_sets = results[results["dataset"].isin(sets) & results["method"].isin(methods)]
        fastest = of_sets.groupby("dataset")["search_seconds"].transform("min")
        share = of_sets.assign(fastest=fastest).eval(condition).groupby(of_sets["method"]).mean()
        methods = share.index[share > 0.5]
    return sorted(methods, key=method_sort_key)


def _best(wide: pd.DataFrame, allowed: list[str]) -> dict:
    ranks = pd.Series(mean_ranks(wide[allowed]), index=allowed)
    best = ranks.idxmin()
    row = {"method": best, "mean": wide[best].mean(), "mean_rank": ranks[best]}
    if LOGISTIC not in wide or best == LOGISTIC:
        return row | {"rival": "none"}
    wins, ties, losses = win_tie_loss(wide[best], wide[LOGISTIC])
    row |= {"rival": LOGISTIC, "rival_mean": wide[LOGISTIC].mean()}
    row |= {"wins": wins, "ties": ties, "losses": losses}
    return row | compared(wide[best] - wide[LOGISTIC])


def compared(differences: pd.Series) -> dict:
    """Test differences over data sets; nothing where they are too few."""
    if len(differences) < FEWEST:
        return {}
    worse, same, better = bayesian_signed_rank(differences, ROPE)
    return {"p_better": better, "p_same": same, "p_worse": worse}


def bayes(study: Study) -> pd.DataFrame:
    """Set every method beside logistic regression, over the single lists."""
    facts, results = study.table("facts"), study.table("results")
    results = results[results["dataset"].isin(facts.loc[facts["queries"] == 0, "dataset"])]
    rows = []
    for metric in METRICS:
        wide = means(results, metric)
        for method in sorted(wide.columns, key=method_sort_key) if LOGISTIC in wide else ():
            difference = (wide[method] - wide[LOGISTIC]).dropna()
            if method != LOGISTIC and len(difference):
                row = {"metric": metric, "method": method, "rival": LOGISTIC, "n_sets": len(difference)}
                rows.append(row | {"mean_difference": difference.mean()} | compared(difference))
    return BAYES.to_frame(rows)


def agreement(study: Study) -> pd.DataFrame:
    """Say what it costs to choose by another metric, and whether the same method is best."""
    fits = of_default(study, study.fits)
    by = {name: reported(fits, name).set_index(["dataset", "method", "split"]) for name in METRICS}
    best = {}
    for name in METRICS:
        wide = by[name][name].groupby(level=["dataset", "method"]).mean().unstack().dropna(how="all")
        best[name] = wide.round(12).idxmax(axis=1)
    rows = []
    for first, second in product(METRICS, METRICS):
        same = (best[first] == best[second].reindex(best[first].index)).mean() if len(best[first]) else np.nan
        loss = (by[second][second] - by[first][second]).mean()
        row = {"chosen_by": first, "reported": second, "n_sets": len(best[first])}
        rows.append(row | {"same_best_share": same, "mean_loss": loss})
    return AGREEMENT.to_frame(rows)
