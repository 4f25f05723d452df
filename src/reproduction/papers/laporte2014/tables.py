"""Tables III to VI of L14 from the collected fits and queries, the printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from reproduction.papers.laporte2014.inputs import COUNTS
from reproduction.papers.laporte2014.significance import BEST, METHODS, best_method, block_of
from reproduction.results import MEAN, NOT_OBTAINED, NOT_RUN, parameter
from reproduction.tables import Form, averages, ordered, rows_not_run

NEAR = 0.005
"""Candidates whose validation MAP is at most this below the best are called as good (declared)."""

STRENGTHS = ("share", "radius")
"""What the strength of the regularisation is called among the parameters of a fit."""

_IDENTITY = "study* dataset* features* method* block* data_status* reason* note* splits splits_used+"

TABLE3 = Form.of(
    "study* dataset* data_status* reason* note* " + " ".join(f"{name}+ printed_{name}" for name in COUNTS)
)
"""`relevant_per_query`: documents of a grade above 0."""

TABLE4 = Form.of(
    f"{_IDENTITY} sparsity_ratio_mean+ sparsity_ratio_std+ variables_mean+ variables_std+ near_mean+ "
    "near_ratio_min+ near_ratio_max+ edge_splits+ relative_gap_median+ relative_gap_max+ kkt_max+ "
    "n_iter_median+ seconds_mean+ seconds_std+ statuses* chosen* printed_sparsity_ratio printed_mean_row"
)
"""`near_mean`: how many candidates are as good on the validation part as the chosen one (`NEAR`),
`near_ratio_min` and `_max`: the range of their sparsity ratios, averaged over the splits; `edge_splits`: on
how many splits the strength chosen is an end of the grid. The last rows are means over the data sets
obtained: `printed_sparsity_ratio` is the printed mean over the same ones, `printed_mean_row` the one that the
paper prints, over nine."""

_TESTED = (
    "relation* relation_by_folds* decrease_percent+ t_p+ t_p_by_folds+ wilcoxon_p+ wilcoxon_holm+ "
    "permutation_p+ n_queries+"
)
"""Columns of `significance.TESTS`."""


def _measure_form(measure: str) -> Form:
    numbers = " ".join(
        f"{measure}{convention}_{moment}+" for convention in ("", "_standard") for moment in ("mean", "std")
    )
    return Form.of(
        f"{_IDENTITY} {numbers} best* {_TESTED} printed_best* printed_value printed_relation* "
        "printed_decrease_percent printed_p_value*"
    )


TABLE5, TABLE6 = _measure_form("map"), _measure_form("ndcg10")
"""`best`: the best of the paper's six methods; `relation`: of this one to the best, by the paper's test on
the queries ("best", "worse", "~", and beyond the paper "better"); `relation_by_folds`: on the folds."""

FORMS = {"table3": TABLE3, "table4": TABLE4, "table5": TABLE5, "table6": TABLE6}
MEASURE_TABLES = {"table5": "map", "table6": "ndcg10"}


def known(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Select the rows of single data sets that have these numbers."""
    return table[table["dataset"] != MEAN].dropna(subset=list(columns))


def facts_of(manifests: Mapping[str, dict]) -> dict[str, dict]:
    """Look up status, reason and notes of each data set."""
    return {
        name: {
            "data_status": manifest["status"],
            "reason": manifest["reason"] or "none",
            "note": " ".join(manifest["notes"]) or "none",
            "substitute_for": "none",
        }
        for name, manifest in manifests.items()
    }


def table3(study: str, manifests: Mapping[str, dict], printed: pd.DataFrame | None) -> pd.DataFrame:
    """Count the data sets, from the prepared files, in the order of the paper.

    `printed`: table III of `inputs.printed_tables`; its data sets always have a row.
    """
    beside = {} if printed is None else printed.set_index("dataset").to_dict("index")
    facts = facts_of(manifests)
    rows = []
    for dataset in [*beside, *sorted(set(manifests) - set(beside))]:
        row = {"study": study, "dataset": dataset, "note": "none"}
        row |= facts.get(dataset, {"data_status": NOT_RUN, "reason": "not part of this run's configuration"})
        if row["data_status"] not in (NOT_OBTAINED, NOT_RUN):
            row |= counts_of(manifests[dataset])
        row |= {f"printed_{name}": value for name, value in beside.get(dataset, {}).items()}
        rows.append(row)
    return TABLE3.frame(rows)


def counts_of(manifest: Mapping) -> dict[str, float]:
    """Count one data set as Table III does."""
    relevant = sum(count for grade, count in manifest["labels"].items() if float(grade) > 0)
    queries = manifest["queries"]
    return {
        "features": manifest["features"],
        "queries": queries,
        "query_document_pairs": manifest["pairs"],
        "preferences": manifest["preferences"],
        "documents_per_query": manifest["pairs"] / queries,
        "relevant_per_query": relevant / queries,
    }


def table4(fits: pd.DataFrame, manifests: Mapping[str, dict], printed: pd.DataFrame | None) -> pd.DataFrame:
    """Average the sparsity ratios, and what says how firm they are; below them stand the means.

    `printed`: table IV of `inputs.printed_tables`.
    """
    quantities = {"sparsity_ratio": "sparsity_ratio", "n_variables": "variables", "seconds": "seconds"}
    rows = _rows(fits, manifests, quantities)
    for row in rows:
        named = (fits["dataset"] == row["dataset"]) & (fits["features"] == row["features"])
        of_method = fits[named & (fits["method"] == row["method"])]
        if row["data_status"] != NOT_OBTAINED:
            row |= _firmness(*(of_method[of_method["role"] == role] for role in ("search", "chosen")))
    means = None
    if printed is not None:
        means = printed[printed["dataset"] == MEAN].set_index("method")["sparsity_ratio"]
        printed = printed[printed["dataset"] != MEAN]
    beside = {"printed_sparsity_ratio": "sparsity_ratio"}
    table = _with_printed(TABLE4, rows, printed, beside, fits, manifests)
    return pd.concat([table, _mean_rows(table, means)], ignore_index=True)


def measure_table(
    name: str,
    fits: pd.DataFrame,
    tested: pd.DataFrame,
    manifests: Mapping[str, dict],
    printed: pd.DataFrame | None,
) -> pd.DataFrame:
    """Average MAP (Table V) or NDCG@10 (Table VI) and set each method in relation to the best.

    `name`: {"table5", "table6"}. `tested`: rows of `significance.against_best`. `printed`: the same table of
    `inputs.printed_tables`.
    """
    form, measure = FORMS[name], MEASURE_TABLES[name]
    names = (measure, f"{measure}_standard")
    rows = _rows(fits, manifests, {column: column for column in names})
    chosen = fits[(fits["role"] == "chosen") & fits[measure].notna()]
    keys = ["dataset", "features", "method"]
    results = tested[tested["measure"] == measure].set_index(keys)
    for row in rows:
        of_set = (chosen["dataset"] == row["dataset"]) & (chosen["features"] == row["features"])
        row["best"] = best_method(chosen[of_set], measure) or "none"
        key = tuple(row[k] for k in keys)
        if row["method"] == row["best"]:
            row |= {"relation": BEST, "relation_by_folds": BEST}
        elif key in results.index:
            row |= {column: results.loc[key, column] for column in Form.of(_TESTED).columns}
    beside = {f"printed_{name}": name for name in ("relation", "decrease_percent", "p_value")}
    beside |= {"printed_best": "best_method", "printed_value": "best_value"}
    return _with_printed(form, rows, printed, beside, fits, manifests)


def _rows(fits: pd.DataFrame, manifests: Mapping[str, dict], quantities: dict[str, str]) -> list[dict]:
    """Average the chosen fits of every data set, feature block and method."""
    facts, rows = facts_of(manifests), []
    chosen = fits[fits["role"] == "chosen"]
    for (dataset, features, method), block in chosen.groupby(["dataset", "features", "method"], sort=True):
        row = {"study": block["study"].iloc[0], "dataset": dataset, "features": features, "method": method}
        row |= {"block": block_of(method), "data_status": "obtained", "reason": "none", "note": "none"}
        rows.append(row | facts.get(dataset, {}) | averages(block, quantities, measured="map"))
    return rows


def _with_printed(
    form: Form,
    rows: list[dict],
    printed: pd.DataFrame | None,
    beside: Mapping[str, str],
    fits: pd.DataFrame,
    manifests: Mapping,
) -> pd.DataFrame:
    """Add the printed results, those that were not run too, and order all as the paper does.

    `beside` names the columns of the printed ones, and of the table that they come from.
    """
    study = fits["study"].iloc[0] if len(fits) else "none"
    added = rows_not_run(rows, printed, facts_of(manifests), study, "raw")
    added = [{"note": "none"} | row | {"block": block_of(row["method"])} for row in added]
    table = ordered(form.frame(rows + added), printed)
    if printed is not None:
        keys = pd.MultiIndex.from_frame(table[["dataset", "method"]])
        found = printed.set_index(["dataset", "method"]).reindex(keys)
        table = table.assign(**{name: found[of].to_numpy() for name, of in beside.items()})
    table[list(form.text)] = table[list(form.text)].fillna("none")
    return table


def _firmness(search: pd.DataFrame, chosen: pd.DataFrame) -> dict:
    """Say how many candidates were as good on the validation part, how sparse they are, and how certified."""
    found = {"kkt_max": chosen["kkt"].max()}
    measured = search[search["validation_map"].notna()]
    if measured.empty:
        return found
    best = measured.groupby("split")["validation_map"].transform("max")
    near = measured[measured["validation_map"] >= best - NEAR].groupby("split")["sparsity_ratio"]
    found |= {"near_mean": near.size().mean()}
    found |= {"near_ratio_min": near.min().mean(), "near_ratio_max": near.max().mean()}
    name = next((n for n in STRENGTHS if parameter(measured["params"].iloc[0], n) is not None), None)
    if name:
        grid, strengths = (rows["params"].map(partial(parameter, name=name)) for rows in (measured, chosen))
        found["edge_splits"] = int(strengths.isin([grid.min(), grid.max()]).sum())
    return found


def _mean_rows(table: pd.DataFrame, printed_means: pd.Series | None) -> pd.DataFrame:
    """Average over the data sets obtained, ours and the printed ones of the same data sets."""
    rows = []
    for (features, method), block in table.groupby(["features", "method"], sort=False):
        have = block[block["sparsity_ratio_mean"].notna()]
        printed = np.nan if printed_means is None else printed_means.get(method, np.nan)
        row = {"study": block["study"].iloc[0], "dataset": MEAN, "features": features, "method": method}
        row |= {"block": block_of(method), "data_status": "obtained", "reason": "none", "statuses": "none"}
        row |= {"chosen": "none", "note": f"over {', '.join(have['dataset']) or 'no data set'}"}
        if block["data_status"].isin([NOT_OBTAINED, NOT_RUN]).all():
            row |= {"data_status": NOT_OBTAINED, "reason": "no data set was obtained"}
        row |= {
            f"{name}_mean": have[f"{name}_mean"].mean() for name in ("sparsity_ratio", "variables", "seconds")
        }
        row["printed_sparsity_ratio"] = have["printed_sparsity_ratio"].mean(skipna=False)
        rows.append(row | {"printed_mean_row": printed})
    return TABLE4.frame(rows)


def methods_of(table: pd.DataFrame, block: str) -> list[str]:
    """List the methods of a block of a table, "paper" or "beyond", in the order in which they are shown."""
    present = dict.fromkeys(table.loc[table["block"] == block, "method"])
    if block == "paper":
        return [method for method in METHODS if method in present]
    return list(present)
