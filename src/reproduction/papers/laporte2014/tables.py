"""Tables III to VI of L14 from the collected fits and queries, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED, STATUS_NOT_RUN, read_parameter
from reproduction.papers.laporte2014.inputs import COUNTS, published_tables
from reproduction.papers.laporte2014.significance import BEST, METHODS, best_method, method_group
from reproduction.specs.csv_tables import TypedCsv, average_splits, list_missing_rows, sort_as_published

KEYS = ["dataset", "feature_scaling", "method"]

NEAR = 0.005
"""Candidates whose validation MAP is at most this below the best are called as good (declared)."""

STRENGTHS = ("share", "radius")
"""What the strength of the regularisation is called among the parameters of a fit."""

_IDENTITY = (
    "study* dataset* feature_scaling* method* method_group* data_status* reason* note* splits splits_used+"
)

TABLE3 = TypedCsv.parse(
    "study* dataset* data_status* reason* note* " + " ".join(f"{name}+ published_{name}" for name in COUNTS)
)
"""`relevant_per_query`: documents of a grade above 0."""

TABLE4 = TypedCsv.parse(
    f"{_IDENTITY} sparsity_ratio_mean+ sparsity_ratio_std+ variables_mean+ variables_std+ near_mean+ "
    "near_ratio_min+ near_ratio_max+ edge_splits+ relative_gap_median+ relative_gap_max+ kkt_max+ "
    "n_iter_median+ seconds_mean+ seconds_std+ statuses* chosen* published_sparsity_ratio published_mean_row"
)
"""`near_mean`: how many candidates are as good on the validation part as the chosen one (`NEAR`),
`near_ratio_min` and `_max`: the range of their sparsity ratios, averaged over the splits; `edge_splits`: on
how many splits the strength chosen is an end of the grid. The last rows are means over the data sets
obtained: `published_sparsity_ratio` is the published mean over the same ones, `published_mean_row` the one
that the
paper prints, over nine."""

_TESTED = (
    "relation* relation_by_folds* decrease_percent+ t_p+ t_p_by_folds+ wilcoxon_p+ wilcoxon_holm+ "
    "permutation_p+ n_queries+"
)
"""Columns of `significance.TESTS`."""


def _metric_form(metric: str) -> TypedCsv:
    numbers = " ".join(
        f"{metric}{convention}_{moment}+" for convention in ("", "_standard") for moment in ("mean", "std")
    )
    return TypedCsv.parse(
        f"{_IDENTITY} {numbers} best* {_TESTED} published_best* published_value published_relation* "
        "published_decrease_percent published_p_value*"
    )


TABLE5, TABLE6 = _metric_form("map"), _metric_form("ndcg10")
"""`best`: the best of the paper's six methods; `relation`: of this one to the best, by the paper's test on
the queries ("best", "worse", "~", and beyond the paper "better"); `relation_by_folds`: on the folds."""

FORMS = {"table3": TABLE3, "table4": TABLE4, "table5": TABLE5, "table6": TABLE6}
METRIC_TABLES = {"table5": "map", "table6": "ndcg10"}


def known(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Select the rows of single data sets that have these numbers."""
    return table[table["dataset"] != MEAN_DATASET].dropna(subset=list(columns))


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


def table3(study: Study) -> pd.DataFrame:
    """Count the data sets, from the prepared files, in the order of the paper; those published too."""
    published = published_tables(study.published_values).get("table3")
    beside = {} if published is None else published.set_index("dataset").to_dict("index")
    facts, rows = facts_of(study.manifests), []
    for dataset in [*beside, *sorted(set(facts) - set(beside))]:
        row = {"study": study.name, "dataset": dataset, "note": "none"}
        row |= facts.get(
            dataset, {"data_status": STATUS_NOT_RUN, "reason": "not part of this run's configuration"}
        )
        if row["data_status"] not in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN):
            row |= counts_of(study.manifests[dataset])
        rows.append(row | {f"published_{name}": value for name, value in beside.get(dataset, {}).items()})
    return TABLE3.to_frame(rows)


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


def table4(study: Study) -> pd.DataFrame:
    """Average the sparsity ratios, and what says how firm they are; below them stand the means."""
    published, means = published_tables(study.published_values).get("table4"), pd.Series(dtype=float)
    if published is not None:
        is_mean = published["dataset"] == MEAN_DATASET
        means, published = published[is_mean].set_index("method")["sparsity_ratio"], published[~is_mean]
    quantities = {"sparsity_ratio": "sparsity_ratio", "n_variables": "variables", "seconds": "seconds"}
    beside = {"published_sparsity_ratio": "sparsity_ratio"}
    table = _averaged(TABLE4, study, quantities, lambda key, fits: _firmness(fits), published, beside)
    return pd.concat([table, _mean_rows(table, means)], ignore_index=True)


def metric_table(name: str, study: Study) -> pd.DataFrame:
    """Average MAP (Table V) or NDCG@10 (Table VI) and set each method in relation to the best.

    `name`: {"table5", "table6"}.
    """
    metric = METRIC_TABLES[name]
    chosen = study.fits[(study.fits["role"] == "chosen") & study.fits[metric].notna()]
    best = {key: best_method(block, metric) for key, block in chosen.groupby(KEYS[:2])}
    tested = study.table("tests")
    tested = tested[tested["metric"] == metric].set_index(KEYS)
    tested = tested[list(TypedCsv.parse(_TESTED).columns)].to_dict("index")

    def related(key: tuple, fits: pd.DataFrame) -> dict:
        if best.get(key[:2]) == key[2]:
            return {"best": key[2], "relation": BEST, "relation_by_folds": BEST}
        return {"best": best.get(key[:2]) or "none"} | tested.get(key, {})

    beside = {f"published_{name}": name for name in ("relation", "decrease_percent", "p_value")}
    beside |= {"published_best": "best_method", "published_value": "best_value"}
    quantities = {column: column for column in (metric, f"{metric}_standard")}
    return _averaged(
        FORMS[name], study, quantities, related, published_tables(study.published_values).get(name), beside
    )


def _averaged(
    form: TypedCsv,
    study: Study,
    quantities: dict[str, str],
    more: Callable[[tuple, pd.DataFrame], dict],
    published: pd.DataFrame | None,
    beside: Mapping[str, str],
) -> pd.DataFrame:
    """Average the chosen fits of every data set, feature scaling and method, in the order of the paper.

    `more`: the key and the fits of such a group -> further columns. `published_values`: results that have a
    row even if they were not run. `beside`: columns of the published ones -> columns of `published_values`.
    """
    facts, rows = facts_of(study.manifests), []
    for key, fits in study.fits.groupby(KEYS, sort=True):
        row = {"study": study.name, "data_status": "obtained", "reason": "none"}
        row |= dict(zip(KEYS, key, strict=True)) | facts.get(key[0], {})
        row |= average_splits(fits[fits["role"] == "chosen"], quantities, required="map")
        rows.append(row | more(key, fits))
    rows += list_missing_rows(rows, published, facts, study.name, "raw")
    rows = [{"note": "none"} | row | {"method_group": method_group(row["method"])} for row in rows]
    table = sort_as_published(form.to_frame(rows), published)
    if published is not None:
        keys = pd.MultiIndex.from_frame(table[["dataset", "method"]])
        found = published.set_index(["dataset", "method"]).reindex(keys)
        table = table.assign(**{name: found[of].to_numpy() for name, of in beside.items()})
    table[list(form.text_columns)] = table[list(form.text_columns)].fillna("none")
    return table


def _firmness(fits: pd.DataFrame) -> dict:
    """Say how many candidates were as good on the validation part, how sparse they are, and how certified."""
    search, chosen = (fits[fits["role"] == role] for role in ("search", "chosen"))
    found = {"kkt_max": chosen["kkt"].max()}
    measured = search[search["validation_map"].notna()]
    if measured.empty:
        return found
    best = measured.groupby("split")["validation_map"].transform("max")
    near = measured[measured["validation_map"] >= best - NEAR].groupby("split")["sparsity_ratio"]
    found |= {"near_mean": near.size().mean()}
    found |= {"near_ratio_min": near.min().mean(), "near_ratio_max": near.max().mean()}
    name = next((n for n in STRENGTHS if read_parameter(measured["params"].iloc[0], n) is not None), None)
    if name:
        grid, strengths = (
            rows["params"].map(partial(read_parameter, name=name)) for rows in (measured, chosen)
        )
        found["edge_splits"] = int(strengths.isin([grid.min(), grid.max()]).sum())
    return found


def _mean_rows(table: pd.DataFrame, published: pd.Series) -> pd.DataFrame:
    """Average over the data sets obtained, ours and the published ones of the same data sets."""
    rows = []
    for (scaling, method), block in table.groupby(["feature_scaling", "method"], sort=False):
        have = block[block["sparsity_ratio_mean"].notna()]
        row = {
            "study": block["study"].iloc[0],
            "dataset": MEAN_DATASET,
            "feature_scaling": scaling,
            "method": method,
        }
        row |= {
            "method_group": method_group(method),
            "data_status": "obtained",
            "reason": "none",
            "statuses": "none",
        }
        row |= {"chosen": "none", "note": f"over {', '.join(have['dataset']) or 'no data set'}"}
        if block["data_status"].isin([STATUS_NOT_OBTAINED, STATUS_NOT_RUN]).all():
            row |= {"data_status": STATUS_NOT_OBTAINED, "reason": "no data set was obtained"}
        row |= have[["sparsity_ratio_mean", "variables_mean", "seconds_mean"]].mean().to_dict()
        row["published_sparsity_ratio"] = have["published_sparsity_ratio"].mean(skipna=False)
        rows.append(row | {"published_mean_row": published.get(method, np.nan)})
    return TABLE4.to_frame(rows)


def methods_of(table: pd.DataFrame) -> list[str]:
    """List the methods of the paper that a table has, in the paper's order."""
    return [method for method in METHODS if method in set(table["method"])]
