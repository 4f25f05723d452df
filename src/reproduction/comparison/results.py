"""The published results of a study beside ours: a verdict each, and the choices that recover what differs."""

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison import multiverse as analysis
from reproduction.comparison.counts import format_differing_counts, missing_number_reason
from reproduction.comparison.explanations import SINGLE_SPLIT_TEXT, explain_result, list_excluded
from reproduction.comparison.multiverse import DEFAULT
from reproduction.comparison.table import RESULT, comparison_rows, quantity_kind
from reproduction.comparison.tolerances import look_up_margin
from reproduction.comparison.verdicts import DIFFERS, RECOVERED
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import DATA_COUNT, NUMBER_KEY


def compare_results(
    study: Study,
    multiverse: pd.DataFrame,
    counts: pd.DataFrame,
    missing_reasons: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge every published result of a study.

    Parameters
    ----------
    study : Study
        Study with published numbers.
    multiverse : pd.DataFrame
        Its table of specifications.
    counts : pd.DataFrame
        Rows of the comparison that are counts of its data.
    missing_reasons : Mapping[str, str], optional
        Data set -> why it has no number.

    Returns
    -------
    rows : DataFrame
        The columns of `table.COMPARISON_COLUMNS`, in the order of the published file.
    option_effects : DataFrame
        The columns of `multiverse.OPTION_EFFECT_COLUMNS`.
    """
    results = study.published_values[study.published_values["quantity"].map(quantity_kind) == RESULT]
    margins = look_up_margins(results, study)
    judged = analysis.add_verdicts(
        analysis.check_multiverse(multiverse, study.name), results, margins, study.paper.published_splits
    )
    effects = analysis.net_effects(judged)
    judged = judged.join(effects.drop(columns="changes"), on="specification")
    rows_of = dict(list(judged.groupby(NUMBER_KEY, sort=False)))
    rows = []
    for row in results.to_dict("records"):
        key = tuple(row[name] for name in NUMBER_KEY)
        specifications = rows_of.get(key, judged.iloc[:0])
        default = specifications[specifications["specification"] == DEFAULT]
        named = {"study": study.name, "margin": margins[key]} | {name: row[name] for name in NUMBER_KEY}
        named |= {"published": row["number"], "published_std": row["deviation"]}
        named["shown_in"] = f"{study.name}/{row['artefact']}.csv: {row['dataset']}, {row['method']}"
        if default["ours_mean"].notna().any():
            rows.append(
                _judge_result(
                    named, specifications, default.iloc[0], format_differing_counts(counts, row["dataset"])
                )
            )
            continue
        reason = (missing_reasons or {}).get(row["dataset"]) or missing_number_reason(
            study, row["dataset"], row["method"]
        )
        rows.append(named | {"verdict": STATUS_NOT_OBTAINED, "reason": reason})
    table = comparison_rows(rows)
    named = table.loc[table["specification"] != DEFAULT, "specification"]
    return table, analysis.option_effects(study.name, effects, named)


def look_up_margins(results: pd.DataFrame, study: Study) -> dict[tuple, float]:
    """Look up the margin of every published result.

    Parameters
    ----------
    results : pd.DataFrame
        Published numbers that are results.
    study : Study
        Study with published numbers.

    Returns
    -------
    dict[tuple, float]
        Key of a published number -> its margin.
    """
    counted_features = study.data.reindex(columns=["dataset", "features"]).set_index("dataset")["features"]
    features = pd.to_numeric(counted_features, errors="coerce")
    published_features = study.published_values[
        study.published_values["quantity"] == "features_count"
    ].set_index("dataset")["number"]
    values = study.published_values.drop_duplicates(["artefact", "dataset", "quantity"])
    values = values.set_index(["artefact", "dataset", "quantity"])["number"]
    margins = {}
    for row in results.to_dict("records"):
        of_data = (source.get(row["dataset"], math.nan) for source in (features, published_features))
        n_features = next((number for number in of_data if not math.isnan(number)), math.nan)
        metric = row["quantity"].removesuffix("_decrease")
        best = values.get((row["artefact"], row["dataset"], metric), math.nan)
        margins[tuple(row[name] for name in NUMBER_KEY)] = look_up_margin(
            row["quantity"], row["number"], n_features, best
        )
    return margins


def _judge_result(row: dict, specifications: pd.DataFrame, default: pd.Series, differing_counts: str) -> dict:
    """Judge a published result by its specifications; `differing_counts`: how the counts differ."""
    judgement, verdict, explanation = default["judgement"], default["verdict"], None
    row |= {name: default[name] for name in ("ours_mean", "ours_std", "splits", "zero_models")}
    row |= {name: getattr(judgement, name) for name in ("low", "high", "smallest_seen")}
    if verdict == DIFFERS:
        alternatives = specifications[specifications["specification"] != DEFAULT]
        explanation = analysis.find_explanation(alternatives)
        verdict = DIFFERS if explanation is None else RECOVERED
        row["specification"] = DEFAULT if explanation is None else explanation["specification"]
        row["excluded"] = list_excluded(alternatives[alternatives["specification"] != row["specification"]])
    missing_reason = SINGLE_SPLIT_TEXT if verdict == STATUS_NOT_OBTAINED else ""
    facts = {"absent": missing_reason, "data": differing_counts, "tried": len(specifications) > 1}
    return row | {"verdict": verdict, "reason": explain_result(row | facts, judgement, verdict, explanation)}


def note_zero_models(rows: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Enter the number of splits with w = 0 into all rows of a data set and method.

    Parameters
    ----------
    rows : pd.DataFrame
        Rows of the comparison.
    results : pd.DataFrame
        Rows of `compare_results`, which hold it.

    Returns
    -------
    pd.DataFrame
        The rows with the column zero_models filled.
    """
    zero_models = results.groupby(["dataset", "method"])["zero_models"].max()
    keys = pd.MultiIndex.from_frame(rows[["dataset", "method"]])
    zero_models_of_row = pd.Series(zero_models.reindex(keys).to_numpy(), index=rows.index)
    return rows.assign(
        zero_models=rows["zero_models"].fillna(zero_models_of_row.where(rows["method"] != DATA_COUNT))
    )
