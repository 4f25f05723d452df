"""Tables that say which method to take when, and what selection by another metric costs."""

from __future__ import annotations

from itertools import product

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
from reproduction.statistics.bootstrap_ranks import measure_best_share
from reproduction.statistics.paired_tests import win_tie_loss
from reproduction.statistics.rank_tests import bayesian_signed_rank, mean_ranks

ROPE = 0.01
"""Differences of a metric up to here make no difference in practice (declared)."""

MIN_DATASETS = 5
"""Data sets from which on a test over them is made."""

CLEAR_PROBABILITY = 0.95
"""From here on, that the runner-up is better by more than `ROPE`, it is recommended (declared)."""

DECISION_METRICS = (
    "rate_at_top",
    "precision_at_10",
    "precision_at_percent",
    "bedroc",
    "average_precision",
    "auc",
)
"""The capacity of a user: the top alone, ten rows, one row in a hundred, about a tenth (BEDROC), or the whole
list."""
NO_RECOMMENDATION = "not enough data"
BASELINES = ("random_scorer", "best_feature")

COMPOUND_FAMILIES = ("muv", "dud")
"""Families of the registry whose members are alike: targets of one collection, with decoys of one kind."""

SITUATIONS = {
    "any list": "queries == 0",
    "fewer than 50 positives to learn from": "queries == 0 and train_positives < 50",
    "50 to 99 positives to learn from": "queries == 0 and 50 <= train_positives < 100",
    "100 positives or more to learn from": "queries == 0 and train_positives >= 100",
    "fewer than one positive in five rows": "queries == 0 and positives_share < 0.2",
    "one positive in five rows, or more": "queries == 0 and positives_share >= 0.2",
    "many variables: one for ten rows, or more": "queries == 0 and features_per_row >= 0.1",
    "few variables: fewer than one for ten rows": "queries == 0 and features_per_row < 0.1",
    "sparse features": "queries == 0 and sparse == 1",
    "compounds (MUV and DUD), by their fingerprints": f"queries == 0 and family in {COMPOUND_FAMILIES}",
    "lists of other features than fingerprints": f"queries == 0 and family not in {COMPOUND_FAMILIES}",
    "5000 rows or more": "queries == 0 and rows >= 5000",
    "separable training rows": "queries == 0 and separable == 1",
    "no hyperplane separates the training rows": "queries == 0 and separable == 0",
    "queries": "queries > 0",
}
"""In words -> which data sets it is about, by their facts."""

METHOD_CONDITIONS = {
    "must be sparse: at most half of the variables": "n_variables_mean <= data_features / 2",
    "must be fast: a search within ten times logistic regression's": (
        "search_seconds <= 10 * logistic_seconds"
    ),
}
"""On any list, which methods count, by their results."""

DECISIONS_FORMAT = TypedCsv.parse(
    "situation* condition* metric* n_sets datasets* recommended* method* mean mean_rank best_share "
    "runner_up* runner_up_mean p_better_runner_up p_same_runner_up "
    "rival* rival_mean wins ties losses p_better p_same p_worse"
)
"""`condition`: the situation by the columns of the facts and results. `method`: of the best mean rank on the
data sets, baselines aside, or the second best if it is better with `CLEAR_PROBABILITY`; a method that cannot
rank one ties with the worst there. `recommended`: the same
from `MIN_DATASETS` data sets on, else `NO_RECOMMENDATION`. `best_share`: share of the draws of data sets in
which it has the best mean rank again. `runner_up`: the other one of these two; `rival`: logistic regression.
`p_better...`, `p_same...`, `p_worse`: Bayesian signed-rank test of the method against either, with the region
of practical equivalence `ROPE`, from `MIN_DATASETS` data sets on. The method is chosen on the sets on
which it is tested, so `p_better_runner_up` is too large, if anything."""

BAYES_FORMAT = TypedCsv.parse("metric* method* rival* n_sets mean_difference p_better p_same p_worse")
"""Over the single lists on which both have a number."""

AGREEMENT_FORMAT = TypedCsv.parse("chosen_by* reported* n_sets same_best_share mean_loss")
"""`n_sets`: data sets with both metrics. `same_best_share`: on how many of them the method that is best when
all is chosen and measured by the first is also best when all is chosen and measured by the second; where
several are, the share of them that is; `mean_loss`: what a candidate that the
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
    # Situations by the data sets, on all methods; then conditions on the methods, on any list.
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
            row["condition"] = " and ".join(filter(None, (dataset_query, condition)))
            row["datasets"] = ", ".join(wide.index)
            rows.append(row | _compare_best_method(fill_with_worst(wide), candidates))
    return DECISIONS_FORMAT.to_frame(rows)


def _list_candidates(
    results: pd.DataFrame, methods: list[str], datasets: pd.Series, condition: str
) -> list[str]:
    """List the methods that meet a condition on most of the data sets, baselines aside."""
    methods = [name for name in methods if name not in BASELINES]
    if condition:
        rows = results[results["dataset"].isin(datasets) & results["method"].isin(methods)]
        logistic_rows = rows[rows["method"] == LOGISTIC].set_index("dataset")
        seconds = rows["dataset"].map(logistic_rows["search_seconds"])
        share = rows.assign(logistic_seconds=seconds).eval(condition).groupby(rows["method"]).mean()
        # A method whose condition (sparse, fast) is met on some sets only is judged by the majority of them.
        methods = share.index[share > 0.5]
    return sorted(methods, key=method_sort_key)


def _compare_best_method(wide: pd.DataFrame, candidates: list[str]) -> dict:
    """Find the method of the best mean rank; compare it with the runner-up and with logistic regression."""
    # the best mean rank among the candidates, ties by the order of the labels; rounded as everywhere where
    # ranks are taken: sums in another order must not break ties
    rounded = wide[candidates].round(12)
    ranks = pd.Series(mean_ranks(rounded), index=candidates).sort_values(kind="stable")
    best, *runners_up = ranks.index
    is_enough = len(wide) >= MIN_DATASETS
    # A mean rank depends on the other methods: many that are alike push apart two that are not (Benavoli et
    # al. 2016). So the runner-up takes the place where the test of the two is clear.
    if is_enough and runners_up:
        posterior = _compute_posterior(wide[runners_up[0]] - wide[best])
        if posterior["p_better"] >= CLEAR_PROBABILITY:
            best, runners_up[0] = runners_up[0], best
    row = {"recommended": best if is_enough else NO_RECOMMENDATION, "method": best}
    row |= {"mean": wide[best].mean(), "mean_rank": ranks[best], "runner_up": "none", "rival": "none"}
    if is_enough:
        row["best_share"] = measure_best_share(rounded, best)
    # on the data sets on which the method was chosen: the probability is rather too large
    if runners_up:
        posterior = _compute_posterior(wide[best] - wide[runners_up[0]])
        row |= {"runner_up": runners_up[0], "runner_up_mean": wide[runners_up[0]].mean()}
        row |= {f"{name}_runner_up": posterior[name] for name in ("p_better", "p_same") if posterior}
    if LOGISTIC not in wide or best == LOGISTIC:
        return row
    wins, ties, losses = win_tie_loss(wide[best], wide[LOGISTIC])
    row |= {"rival": LOGISTIC, "rival_mean": wide[LOGISTIC].mean()}
    row |= {"wins": wins, "ties": ties, "losses": losses}
    return row | _compute_posterior(wide[best] - wide[LOGISTIC])


def _compute_posterior(differences: pd.Series) -> dict:
    """Test differences over data sets by the Bayesian signed-rank test; empty where they are too few."""
    if len(differences) < MIN_DATASETS:
        return {}
    # Order of the three: differences below −ROPE, within ±ROPE, above ROPE.
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
            # data sets on which both have a number
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
    is_best = {}
    for name in measured:
        wide = (
            reported_fits[name][name].groupby(level=["dataset", "method"]).mean().unstack().dropna(how="all")
        )
        # rounding: sums in another order must not decide between equal means
        is_best[name] = wide.round(12).eq(wide.round(12).max(axis=1), axis=0)
    rows = []
    for first, second in product(measured, measured):
        n_sets, same_share = _measure_same_best(is_best[first], is_best[second])
        # What `second` would have chosen, minus what `first` chose, both measured by `second`. Not negative
        # on the validation folds, but it may be on the test part.
        loss = (reported_fits[second][second] - reported_fits[first][second]).mean()
        row = {"chosen_by": first, "reported": second, "n_sets": n_sets}
        rows.append(row | {"same_best_share": same_share, "mean_loss": loss})
    return AGREEMENT_FORMAT.to_frame(rows)


def _measure_same_best(first: pd.DataFrame, second: pd.DataFrame) -> tuple[int, float]:
    """Return the number of data sets with both metrics, and the share on which one method is best by both.

    Of methods that tie, each counts the same share of its data set.
    """
    common = first.index.intersection(second.index)
    best = first.loc[common]
    is_same = best & second.reindex(index=common, columns=best.columns, fill_value=False)
    return len(common), float((is_same.sum(axis=1) / best.sum(axis=1)).mean())
