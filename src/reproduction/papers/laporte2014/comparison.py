"""The published numbers of L14 beside ours: results, counts, and what follows from the results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pandas as pd

from reproduction.comparison.counts import judge_count, missing_number_reason
from reproduction.comparison.results import compare_results, note_zero_models
from reproduction.comparison.table import P_VALUE, RELATION, Comparison, comparison_rows, quantity_kind
from reproduction.comparison.verdicts import DIFFERS_FROM_PUBLISHED, MATCHES
from reproduction.core.formatting import format_short
from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED
from reproduction.core.sentence_templates import fill_template
from reproduction.papers.laporte2014.inputs import COUNTS
from reproduction.papers.laporte2014.significance import LEVEL, RELATION_BEST, RELATION_WORSE
from reproduction.papers.laporte2014.tables import METRIC_TABLES
from reproduction.specs.labels import method_label
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import NUMBER_KEY, RELATION_VALUES, WORD_VALUES
from reproduction.specs.study_results import Study

LAST_DIGIT_TOL = 0.1
"""The averages of Table III are published with one decimal, some rounded and some cut off."""

TEST_REASON_TEXT = """
{% if is_best %}it is the best here and has no decrease
{%- else %}paired one-sided t-test: p = {{ folds }} on the folds, {{ queries }} on the queries, for a decrease
of {{ decrease }} %{% endif %}
"""

BEST_REASON_TEXT = """
the best method here is {{ best }}{% if best != published %}: {{ ours }} against {{ theirs }} of {{ published
}} {%- endif %}
"""


def compare(study: Study) -> Comparison:
    """Compare all that the paper publishes with this study.

    Parameters
    ----------
    study : Study
        A study of L14.

    Returns
    -------
    Comparison
        Results, counts and tests.
    """
    counts = compare_counts(study)
    multiverse, missing_datasets = add_dataset_means(study.table("multiverse"), study.published_values)
    missing_datasets = (
        {MEAN_DATASET: f"the published mean needs {', '.join(missing_datasets)}"} if missing_datasets else {}
    )
    compared = compare_results(study, multiverse, counts, missing_datasets)
    tests = note_zero_models(comparison_rows(_compare_tests(study)), compared.rows)
    return replace(compared, rows=pd.concat([compared.rows, counts, tests], ignore_index=True))


def compare_counts(study: Study) -> pd.DataFrame:
    """Compare the counts of Table III with the prepared data sets.

    Parameters
    ----------
    study : Study
        A study of L14.

    Returns
    -------
    DataFrame
        Rows of the comparison, one a published count.
    """
    table, rows = study.table("table3"), []
    for row, name in product(table.to_dict("records"), COUNTS):
        published = row[f"published_{name}"]
        if not math.isnan(published):
            # Counts are exact; averages (documents and relevant documents per query) have one decimal in
            # print.
            notes, tolerance = [row["note"]], LAST_DIGIT_TOL if name.endswith("per_query") else 0.0
            count_row = {"study": study.name, "artefact": "table3", "dataset": row["dataset"]}
            count_row |= {"quantity": f"{name}_count", "published": published}
            count_row["shown_in"] = f"{study.name}/table3.csv: {row['dataset']}"
            rows.append(
                count_row | judge_count(published, row[name], row["reason"], notes, allowed=tolerance)
            )
    of_table3 = study.published_values[study.published_values["artefact"] == "table3"]
    # data sets that this study does not have
    for row in of_table3[~of_table3["dataset"].isin(table["dataset"])].to_dict("records"):  # not asked for
        count_row = {"study": study.name, "shown_in": f"{study.name}/table3.csv: {row['dataset']}"}
        count_row |= {name: row[name] for name in NUMBER_KEY} | {"published": row["number"]}
        rows.append(count_row | judge_count(row["number"], math.nan, "", []))
    return comparison_rows(rows)


def add_dataset_means(multiverse: pd.DataFrame, published: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Add the means over the data sets, in every specification that has all of them.

    Parameters
    ----------
    multiverse : DataFrame
        Means of each specification, data set, method and quantity.
    published : DataFrame
        Published values.

    Returns
    -------
    multiverse : DataFrame
        With the rows of the means.
    missing_datasets : list of str
        Data sets without which the published mean has no counterpart.
    """
    ratios = multiverse[
        (multiverse["quantity"] == "sparsity_ratio") & (multiverse["dataset"] != MEAN_DATASET)
    ]
    means = published[published["dataset"] == MEAN_DATASET]
    datasets = published.loc[
        (published["quantity"] == "sparsity_ratio") & (published["dataset"] != MEAN_DATASET), "dataset"
    ]
    obtained = ratios.loc[(ratios["specification"] == DEFAULT) & ratios["ours_mean"].notna(), "dataset"]
    missing_datasets = [name for name in dict.fromkeys(datasets) if name not in set(obtained)]
    # The printed mean is over all data sets: without one of them there is nothing to compare it with.
    if missing_datasets or means.empty:
        return multiverse, missing_datasets
    complete_means = ratios[ratios["ours_mean"].notna()].groupby(["method", "specification"], sort=False)
    # The row "Mean" of Table IV as a row of its own in every specification, so that it has a verdict too.
    complete_means = complete_means.agg(
        changes=("changes", "first"),
        ours_mean=("ours_mean", "mean"),
        default_mean=("default_mean", "mean"),
        splits=("splits", "min"),
        zero_models=("zero_models", "sum"),
        of=("dataset", "nunique"),
    )
    complete_means = (
        complete_means[complete_means["of"] == datasets.nunique()].reset_index().drop(columns="of")
    )
    # only means over all data sets: one over fewer has no published counterpart
    numbers = means.rename(columns={"number": "published", "deviation": "published_std"})
    mean_rows = complete_means.merge(numbers[[*NUMBER_KEY, "published", "published_std"]], on="method")
    return pd.concat(
        [multiverse[multiverse["dataset"] != MEAN_DATASET], mean_rows], ignore_index=True
    ), missing_datasets


def _compare_tests(study: Study) -> Iterator[dict]:
    """Compare best methods, relations and p-values, by the test on the means of the folds."""
    published_tests = study.published_values[
        study.published_values["quantity"].map(quantity_kind).isin([RELATION, P_VALUE])
    ]
    for published in published_tests.to_dict("records"):
        metric = METRIC_TABLES[published["artefact"]]
        results = study.table(published["artefact"])
        results = results[results["dataset"] == published["dataset"]].set_index("method")
        method = published["method"]
        row = {name: published[name] for name in NUMBER_KEY} | {
            "study": study.name,
            "published": published["number"],
        }
        row["shown_in"] = f"{study.name}/{published['artefact']}.csv: {published['dataset']}, {method}"
        # Three quantities a cell: which method is best, whether another is worse, and its p-value.
        judge = _judge_best_method if published["quantity"].endswith("best_method") else _judge_relation
        has_result = method in results.index
        judgement = judge(published, results.loc[method], results[f"{metric}_mean"]) if has_result else None
        if judgement is None:
            reason = missing_number_reason(study, published["dataset"], published["method"])
            judgement = {"verdict": STATUS_NOT_OBTAINED, "reason": reason}
        yield row | judgement


def _judge_best_method(published: dict, row: pd.Series, means: pd.Series) -> dict | None:
    """Compare the best method of a data set with the published one; None where there is none."""
    ours = WORD_VALUES["best_method"].get(row["best"], math.nan)
    if math.isnan(ours):
        return None
    facts = {"best": method_label(row["best"]), "published": method_label(row.name)}
    facts |= {"ours": format_short(means[row["best"]]), "theirs": format_short(means[row.name])}
    # Names of methods are stored as numbers, see `WORD_VALUES`.
    verdict = MATCHES if ours == published["number"] else DIFFERS_FROM_PUBLISHED
    return {"ours_mean": ours, "verdict": verdict, "reason": fill_template(BEST_REASON_TEXT, facts)}


def _judge_relation(published: dict, row: pd.Series, means: pd.Series) -> dict | None:
    """Compare relation or p-value: worse than the best as published, and p on the published side of .05."""
    is_best = row["relation_by_folds"] == RELATION_BEST
    # The best method is not worse than itself.
    p_value = 1.0 if is_best else row["t_p_by_folds"]
    if math.isnan(p_value) or row["relation_by_folds"] == "none":
        return None
    facts = {"is_best": is_best, "folds": format_short(p_value), "queries": "", "decrease": ""}
    if not is_best:
        facts |= {"queries": format_short(row["t_p"]), "decrease": format_short(row["decrease_percent"])}
    if published["quantity"].endswith("p_value"):
        # A p-value is compared by its side of .05 alone: its size says nothing that two reproductions share.
        # abs(): "<0.001" is stored as −0.001.
        ours, is_match = p_value, (p_value < LEVEL) == (abs(published["number"]) < LEVEL)
    else:
        ours = (
            RELATION_VALUES["worse"] if row["relation_by_folds"] == RELATION_WORSE else RELATION_VALUES["~"]
        )
        is_match = ours == published["number"]
    return {
        "ours_mean": ours,
        "verdict": MATCHES if is_match else DIFFERS_FROM_PUBLISHED,
        "reason": fill_template(TEST_REASON_TEXT, facts),
    }
