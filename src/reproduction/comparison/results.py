"""The published results of a study beside ours: a verdict each, and what explains each row."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from reproduction.comparison.counts import format_differing_counts, missing_number_reason
from reproduction.comparison.measurements import Measurements, build_measurements, check_multiverse
from reproduction.comparison.row_tables import RowExplanations, explain_rows
from reproduction.comparison.table import RESULT, Comparison, comparison_rows, quantity_kind
from reproduction.comparison.tolerances import look_up_margin
from reproduction.comparison.verdicts import (
    EXPLAINED_VALUE,
    Mean,
    ResultJudgement,
    judge_result,
)
from reproduction.core.formatting import format_mean_std, format_short, typeset_minus
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import DATA_COUNT, NUMBER_KEY
from reproduction.specs.study_results import Study

RESULT_TEXT = """
{% if absent %}{{ absent }}
{%- elif verdict == "below the margin" %}the published number is below the margin of {{ margin }}
{%- elif verdict == "agrees" %}the difference of {{ difference }} is within the margin of
{{ margin }}
{%- elif verdict == "consistent" %}the difference of {{ difference }} is above the margin of {{ margin }}, but
its 95 % interval, {{ interval }}, holds 0
{%- else %}
{%- if combination %}with {{ combination.specification | replace("; ", " and ") }}, which explains the row, we
measure {{ combination.ours }} on {{ combination.splits }} splits (by default {{ combination.paired_default }}
on these); {% endif %}
{%- if data %}other data than published: {{ data }}; {% endif %}
{%- if verdict == "differs" and not tried %}no other option was tried; {% endif -%}
the difference is {{ difference }}, the margin {{ margin }}
{%- if interval %}; 95 % interval of the difference: {{ interval }}{% endif %}
{%- endif %}
{%- if data and verdict in ("agrees", "consistent") %}; other data than published: {{ data }}{% endif %}
{%- if zero_models %}; the chosen model is w = 0 on {{ zero_models }} of {{ splits }} splits{% endif %}
"""

SINGLE_SPLIT_TEXT = "one split gave a number, which has no spread: run at least two splits"


def compare_results(
    study: Study,
    multiverse: pd.DataFrame,
    counts: pd.DataFrame,
    missing_reasons: Mapping[str, str] | None = None,
) -> Comparison:
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
    Comparison
        Rows, explanations, effects of the options, and the measurements that they rest on. Rows are in the
        order of the published file.
    """
    results = study.published_values[study.published_values["quantity"].map(quantity_kind) == RESULT]
    published_splits = study.paper.published_splits
    multiverse = check_multiverse(multiverse, study.name)
    margins = _look_up_margins(results, study)
    measurements = build_measurements(multiverse, results, margins, published_splits)
    default = multiverse[(multiverse["specification"] == DEFAULT) & multiverse["ours_mean"].notna()]
    ours_by_key = {tuple(row[name] for name in NUMBER_KEY): row for row in default.to_dict("records")}
    verdicts, judgements = [], {}
    for row in results.to_dict("records"):
        key = tuple(row[name] for name in NUMBER_KEY)
        # Verdicts rest on the default specification alone; other options can only explain a row.
        if ours := ours_by_key.get(key):
            published = Mean(row["number"], row["deviation"], published_splits)
            mean = Mean(ours["ours_mean"], ours["ours_std"], ours["splits"])
            # A paper with fixed folds (L14) has no published splits: only the margin can decide.
            judgements[key] = judge_result(published, mean, margins[key], published_splits > 0)
        verdicts.append(judgements[key].verdict if key in judgements else STATUS_NOT_OBTAINED)
    explanations = explain_rows(measurements, results[NUMBER_KEY].assign(verdict=verdicts), study.name)
    # Whether any other option was run for a number: "differs" then means that none brought it back.
    is_varied = ~np.isnan(measurements.option.mean).all(axis=0) if len(measurements.numbers) else []
    varied_keys = set(measurements.numbers.loc[is_varied, NUMBER_KEY].itertuples(index=False, name=None))
    rows = []
    for row in results.to_dict("records"):
        key = tuple(row[name] for name in NUMBER_KEY)
        named = {"study": study.name, "margin": margins[key]} | dict(zip(NUMBER_KEY, key, strict=True))
        named |= {"published": row["number"], "published_std": row["deviation"]}
        named["shown_in"] = f"{study.name}/{row['artefact']}.csv: {row['dataset']}, {row['method']}"
        if key in judgements:
            named |= {
                name: ours_by_key[key][name] for name in ("ours_mean", "ours_std", "splits", "zero_models")
            }
            data = format_differing_counts(counts, row["dataset"])
            facts = {"data": data, "tried": key in varied_keys}
            rows.append(_judge_result(named, judgements[key], facts, measurements, explanations))
            continue
        # Why a number is missing: from the module of the paper, otherwise from data, run and fits in turn.
        reason = (missing_reasons or {}).get(row["dataset"]) or missing_number_reason(
            study, row["dataset"], row["method"]
        )
        rows.append(named | {"verdict": STATUS_NOT_OBTAINED, "reason": reason})
    return Comparison(
        comparison_rows(rows), explanations.rows, explanations.option_effects, measurements=measurements
    )


def _judge_result(
    row: dict,
    judgement: ResultJudgement,
    facts: dict,
    measurements: Measurements,
    explanations: RowExplanations,
) -> dict:
    """Complete a row of the comparison with its verdict, its reason and what explains it."""
    key = tuple(row[name] for name in NUMBER_KEY)
    # The verdict "explained" is given to a number of an explained row only if this very number comes back.
    specification = explanations.recovered_under.get(key, DEFAULT)
    verdict = judgement.verdict if specification == DEFAULT else EXPLAINED_VALUE
    row |= {"low": judgement.low, "high": judgement.high, "specification": specification, "verdict": verdict}
    combination = None
    if specification != DEFAULT:
        numbers = list(measurements.numbers[NUMBER_KEY].itertuples(index=False, name=None))
        place = measurements.specifications.index(specification), numbers.index(key)
        # Both on equal splits: the default is averaged over the splits of the option.
        option, paired = measurements.option.select(place), measurements.paired_default.select(place)
        combination = {"specification": specification, "splits": f"{option.splits:.0f}"}
        combination["ours"] = format_mean_std(option.mean, option.std)
        combination["paired_default"] = format_mean_std(paired.mean, paired.std)
    # This function is given numbers that exist, so that "not obtained" has only one cause left: no spread.
    absent = SINGLE_SPLIT_TEXT if verdict == STATUS_NOT_OBTAINED else ""
    difference = math.nan if absent else abs(row["published"] - row["ours_mean"])
    interval = (
        ""
        if math.isnan(judgement.low)
        else f"{format_short(judgement.low)} to {format_short(judgement.high)}"
    )
    facts |= {"absent": absent, "verdict": verdict, "combination": combination}
    facts |= {"margin": f"{judgement.margin:.3g}", "interval": typeset_minus(interval)}
    facts |= {
        "difference": "" if absent else format_short(difference),
        # A difference equal to the margin is within it; the factor keeps rounding from deciding.
        "zero_models": int(row["zero_models"]) if row["zero_models"] > 0 else 0,
        "splits": f"{row['splits']:.0f}",
    }
    return row | {"reason": fill_template(RESULT_TEXT, facts)}


def _look_up_margins(results: pd.DataFrame, study: Study) -> dict[tuple, float]:
    """Look up the margin of each published result, by its key."""
    counted_features = study.data.reindex(columns=["dataset", "features"]).set_index("dataset")["features"]
    features = pd.to_numeric(counted_features, errors="coerce")
    published_features = study.published_values[
        study.published_values["quantity"] == "features_count"
    ].set_index("dataset")["number"]
    values = study.published_values.drop_duplicates(["artefact", "dataset", "quantity"])
    values = values.set_index(["artefact", "dataset", "quantity"])["number"]
    margins = {}
    for row in results.to_dict("records"):
        # The margin of a number of variables is a share of the features of our data; where the data were not
        # obtained, of the published count.
        of_data = (source.get(row["dataset"], math.nan) for source in (features, published_features))
        n_features = next((number for number in of_data if not math.isnan(number)), math.nan)
        # Tables V and VI of L14 print decreases in per cent of the best method's value, which stands in the
        # same row.
        metric = row["quantity"].removesuffix("_decrease")
        best = values.get((row["artefact"], row["dataset"], metric), math.nan)
        margins[tuple(row[name] for name in NUMBER_KEY)] = look_up_margin(
            row["quantity"], row["number"], n_features, best
        )
    return margins


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
