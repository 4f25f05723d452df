"""The printed results of a study beside ours: a verdict each, and the choices that recover what differs."""

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison import multiverse as universes
from reproduction.comparison.counts import other_data, why_absent
from reproduction.comparison.explanations import ONE_SPLIT, checked_and_excluded, of_result
from reproduction.comparison.multiverse import DEFAULT
from reproduction.comparison.table import RESULT, as_rows, kind_of
from reproduction.comparison.tolerances import margin_of
from reproduction.comparison.verdicts import DIFFERS, RECOVERED
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import DATA, KEY


def compare_results(
    study: Study, multiverse: pd.DataFrame, counts: pd.DataFrame, lacking: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge every printed result of a study.

    `study`: with printed numbers. `multiverse`: its table of universes. `counts`: rows of the comparison: the
    counts of its data. `lacking`: data set -> why it has no number. Returns `rows`: the
    columns of `rows.COLUMNS`, in the order of the printed file; `levels`: the columns of `universes.LEVELS`.
    """
    printed = study.published_values[study.published_values["quantity"].map(kind_of) == RESULT]
    margins = margins_of(printed, study)
    judged = universes.judged(
        universes.checked(multiverse, study.name), printed, margins, study.paper.published_splits
    )
    balance = universes.balances(judged)
    judged = judged.join(balance.drop(columns="changes"), on="universe")
    of_numbers = dict(list(judged.groupby(KEY, sort=False)))
    rows = []
    for row in printed.to_dict("records"):
        key = tuple(row[name] for name in KEY)
        of_number = of_numbers.get(key, judged.iloc[:0])
        default = of_number[of_number["universe"] == DEFAULT]
        named = {"study": study.name, "margin": margins[key]} | {name: row[name] for name in KEY}
        named |= {"published": row["number"], "published_std": row["deviation"]}
        named["shown_in"] = f"{study.name}/{row['artefact']}.csv: {row['dataset']}, {row['method']}"
        if default["ours_mean"].notna().any():
            rows.append(_judged(named, of_number, default.iloc[0], other_data(counts, row["dataset"])))
            continue
        why = (lacking or {}).get(row["dataset"]) or why_absent(study, row["dataset"], row["method"])
        rows.append(named | {"verdict": STATUS_NOT_OBTAINED, "reason": why})
    table = as_rows(rows)
    named = table.loc[table["universe"] != DEFAULT, "universe"]
    return table, universes.levels(study.name, balance, named)


def margins_of(printed: pd.DataFrame, study: Study) -> dict[tuple, float]:
    """Look up the margin of every printed result, by its key."""
    known = study.data.reindex(columns=["dataset", "features"]).set_index("dataset")["features"]
    features = pd.to_numeric(known, errors="coerce")
    counted = study.published_values[study.published_values["quantity"] == "features_count"].set_index(
        "dataset"
    )["number"]
    values = study.published_values.drop_duplicates(["artefact", "dataset", "quantity"])
    values = values.set_index(["artefact", "dataset", "quantity"])["number"]
    found = {}
    for row in printed.to_dict("records"):
        of_data = (source.get(row["dataset"], math.nan) for source in (features, counted))
        has = next((number for number in of_data if not math.isnan(number)), math.nan)
        measure = row["quantity"].removesuffix("_decrease")
        best = values.get((row["artefact"], row["dataset"], measure), math.nan)
        found[tuple(row[name] for name in KEY)] = margin_of(row["quantity"], row["number"], has, best)
    return found


def _judged(row: dict, of_number: pd.DataFrame, default: pd.Series, data: str) -> dict:
    """Judge one printed result by its universes; `data` says how the data differ from those printed."""
    judgement, verdict, found = default["judgement"], default["verdict"], None
    row |= {name: default[name] for name in ("ours_mean", "ours_std", "splits", "zero_models")}
    row |= {name: getattr(judgement, name) for name in ("low", "high", "smallest_seen")}
    if verdict == DIFFERS:
        others = of_number[of_number["universe"] != DEFAULT]
        found = universes.explanation(others)
        verdict = DIFFERS if found is None else RECOVERED
        row["universe"] = DEFAULT if found is None else found["universe"]
        row["excluded"] = checked_and_excluded(others[others["universe"] != row["universe"]])
    absent = ONE_SPLIT if verdict == STATUS_NOT_OBTAINED else ""
    known = {"absent": absent, "data": data, "tried": len(of_number) > 1}
    return row | {"verdict": verdict, "reason": of_result(row | known, judgement, verdict, found)}


def with_zero_models(rows: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Enter the number of splits with w = 0 into all rows of a data set and method.

    `rows`: rows of the comparison. `results`: rows of `compare_results`, which hold it.
    """
    known = results.groupby(["dataset", "method"])["zero_models"].max()
    keys = pd.MultiIndex.from_frame(rows[["dataset", "method"]])
    found = pd.Series(known.reindex(keys).to_numpy(), index=rows.index)
    return rows.assign(zero_models=rows["zero_models"].fillna(found.where(rows["method"] != DATA)))
