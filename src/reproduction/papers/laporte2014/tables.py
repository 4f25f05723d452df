"""Tables III to VI of L14 from the collected fits and queries, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED, STATUS_NOT_RUN, read_parameter
from reproduction.papers.laporte2014.inputs import COUNTS, published_tables
from reproduction.papers.laporte2014.significance import (
    METHODS,
    RELATION_BEST,
    classify_method,
    select_best_method,
)
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.method_tables import average_splits, list_missing_rows, sort_as_published
from reproduction.specs.study_results import Study

KEYS = ["dataset", "feature_scaling", "method"]

AS_GOOD_MAP_TOL = 0.005
"""Candidates whose validation MAP is at most this below the best are called as good (declared)."""

STRENGTH_PARAMETERS = ("share", "radius")
"""What the strength of the regularisation is called among the parameters of a fit."""

_IDENTITY_COLUMNS = (
    "study* dataset* feature_scaling* method* method_group* data_status* reason* note* splits splits_used+"
)

TABLE3_FORMAT = TypedCsv.parse(
    "study* dataset* data_status* reason* note* " + " ".join(f"{name}+ published_{name}" for name in COUNTS)
)
"""`relevant_per_query`: documents of a grade above 0."""

TABLE4_FORMAT = TypedCsv.parse(
    f"{_IDENTITY_COLUMNS} sparsity_ratio_mean+ sparsity_ratio_std+ variables_mean+ variables_std+ near_mean+ "
    "near_ratio_min+ near_ratio_max+ edge_splits+ relative_gap_median+ relative_gap_max+ kkt_max+ "
    "n_iter_median+ seconds_mean+ seconds_std+ statuses* chosen* published_sparsity_ratio published_mean_row"
)
"""`near_mean`: how many candidates are as good on the validation part as the chosen one (`AS_GOOD_MAP_TOL`),
`near_ratio_min` and `_max`: the range of their sparsity ratios, averaged over the splits; `edge_splits`: on
how many splits the strength chosen is an end of the grid. The last rows are means over the data sets
obtained: `published_sparsity_ratio` is the published mean over the same ones, `published_mean_row` the one
that the
paper prints, over nine."""

_TEST_COLUMNS = (
    "relation* relation_by_folds* decrease_percent+ t_p+ t_p_by_folds+ wilcoxon_p+ wilcoxon_holm+ "
    "permutation_p+ n_queries+"
)
"""Columns of `significance.TESTS_FORMAT`."""


def _metric_table_format(metric: str) -> TypedCsv:
    """Return the columns of Table V or VI."""
    numbers = " ".join(
        f"{metric}{convention}_{moment}+" for convention in ("", "_standard") for moment in ("mean", "std")
    )
    return TypedCsv.parse(
        f"{_IDENTITY_COLUMNS} {numbers} best* {_TEST_COLUMNS} published_best* published_value "
        f"published_relation* "
        "published_decrease_percent published_p_value*"
    )


TABLE5_FORMAT, TABLE6_FORMAT = _metric_table_format("map"), _metric_table_format("ndcg10")
"""`best`: the best of the paper's six methods; `relation`: of this one to the best, by the paper's test on
the queries ("best", "worse", "~", and beyond the paper "better"); `relation_by_folds`: on the folds."""

TABLE_FORMATS = {
    "table3": TABLE3_FORMAT,
    "table4": TABLE4_FORMAT,
    "table5": TABLE5_FORMAT,
    "table6": TABLE6_FORMAT,
}
METRIC_TABLES = {"table5": "map", "table6": "ndcg10"}


def select_complete_rows(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Select the rows of single data sets that have a number in all of some columns.

    Parameters
    ----------
    table : DataFrame
        Rows with the column dataset; the rows of means over data sets are left out.
    *columns : str
        Columns without gaps.

    Returns
    -------
    DataFrame
        Rows of `table`.
    """
    return table[table["dataset"] != MEAN_DATASET].dropna(subset=list(columns))


def _look_up_dataset_facts(manifests: Mapping[str, dict]) -> dict[str, dict]:
    """Look up status, reason and notes of each data set in its manifest."""
    return {
        name: {
            "data_status": manifest["status"],
            "reason": manifest["reason"] or "none",
            "note": " ".join(manifest["notes"]) or "none",
            "substitute_for": "none",
        }
        for name, manifest in manifests.items()
    }


def build_table3(study: Study) -> pd.DataFrame:
    """Count the data sets, from the prepared files, beside the counts of Table III.

    Parameters
    ----------
    study : Study
        A study of L14.

    Returns
    -------
    DataFrame
        The columns of `TABLE3_FORMAT`, in the order of the paper; data sets beyond it follow.
    """
    published = published_tables(study.published_values).get("table3")
    published_counts = {} if published is None else published.set_index("dataset").to_dict("index")
    facts, rows = _look_up_dataset_facts(study.manifests), []
    # data sets in the order of the paper, then those that the paper does not have
    for dataset in [*published_counts, *sorted(set(facts) - set(published_counts))]:
        row = {"study": study.name, "dataset": dataset, "note": "none"}
        row |= facts.get(
            dataset, {"data_status": STATUS_NOT_RUN, "reason": "not part of this run's configuration"}
        )
        if row["data_status"] not in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN):
            row |= _count_dataset(study.manifests[dataset])
        rows.append(
            row | {f"published_{name}": value for name, value in published_counts.get(dataset, {}).items()}
        )
    return TABLE3_FORMAT.to_frame(rows)


def _count_dataset(manifest: Mapping) -> dict[str, float]:
    """Count one data set as Table III does: a document is relevant from grade 1 on."""
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


def build_table4(study: Study) -> pd.DataFrame:
    """Average the sparsity ratios over the folds, with what says how well they are determined (Table IV).

    Parameters
    ----------
    study : Study
        A study of L14.

    Returns
    -------
    DataFrame
        The columns of `TABLE4_FORMAT`; the last rows are means over the data sets.
    """
    published, means = published_tables(study.published_values).get("table4"), pd.Series(dtype=float)
    if published is not None:
        is_mean = published["dataset"] == MEAN_DATASET
        means, published = published[is_mean].set_index("method")["sparsity_ratio"], published[~is_mean]
    quantities = {"sparsity_ratio": "sparsity_ratio", "n_variables": "variables", "seconds": "seconds"}
    published_columns = {"published_sparsity_ratio": "sparsity_ratio"}
    table = _average_fits(
        TABLE4_FORMAT,
        study,
        quantities,
        lambda key, fits: _assess_selection(fits),
        published,
        published_columns,
    )
    return pd.concat([table, _build_mean_rows(table, means)], ignore_index=True)


def build_metric_table(name: str, study: Study) -> pd.DataFrame:
    """Average MAP (Table V) or NDCG@10 (Table VI) and set each method in relation to the best.

    Parameters
    ----------
    name : {"table5", "table6"}
        Table of the paper.
    study : Study
        A study of L14.

    Returns
    -------
    DataFrame
        The columns of `TABLE_FORMATS` [name].
    """
    metric = METRIC_TABLES[name]
    chosen = study.fits[(study.fits["role"] == "chosen") & study.fits[metric].notna()]
    best = {key: select_best_method(block, metric) for key, block in chosen.groupby(KEYS[:2])}
    tests = study.table("tests")
    tests = tests[tests["metric"] == metric].set_index(KEYS)
    tests = tests[list(TypedCsv.parse(_TEST_COLUMNS).columns)].to_dict("index")

    def relate_to_best(key: tuple, fits: pd.DataFrame) -> dict:
        """Return the tests of one method against the best of its data set."""
        if best.get(key[:2]) == key[2]:
            return {"best": key[2], "relation": RELATION_BEST, "relation_by_folds": RELATION_BEST}
        return {"best": best.get(key[:2]) or "none"} | tests.get(key, {})

    published_columns = {f"published_{name}": name for name in ("relation", "decrease_percent", "p_value")}
    published_columns |= {"published_best": "best_method", "published_value": "best_value"}
    quantities = {column: column for column in (metric, f"{metric}_standard")}
    return _average_fits(
        TABLE_FORMATS[name],
        study,
        quantities,
        relate_to_best,
        published_tables(study.published_values).get(name),
        published_columns,
    )


def _average_fits(
    csv_format: TypedCsv,
    study: Study,
    quantities: dict[str, str],
    extra_columns: Callable[[tuple, pd.DataFrame], dict],
    published: pd.DataFrame | None,
    published_columns: Mapping[str, str],
) -> pd.DataFrame:
    """Average the chosen fits of every data set, feature scaling and method, in the order of the paper.

    Parameters
    ----------
    csv_format : TypedCsv
        Columns of the table.
    study : Study
        A study of L14.
    quantities : dict
        Column of the fits -> quantity of the table.
    extra_columns : callable
        Key and fits of such a group -> further columns.
    published : DataFrame or None
        Published results, which have a row even if they were not run.
    published_columns : mapping
        Column of the table -> column of `published`.
    """
    facts, rows = _look_up_dataset_facts(study.manifests), []
    for key, fits in study.fits.groupby(KEYS, sort=True):
        row = {"study": study.name, "data_status": "obtained", "reason": "none"}
        row |= dict(zip(KEYS, key, strict=True)) | facts.get(key[0], {})
        row |= average_splits(fits[fits["role"] == "chosen"], quantities, required="map")
        rows.append(row | extra_columns(key, fits))
    # published results that this study does not have
    rows += list_missing_rows(rows, published, facts, study.name, "raw")
    rows = [{"note": "none"} | row | {"method_group": classify_method(row["method"])} for row in rows]
    table = sort_as_published(csv_format.to_frame(rows), published)
    if published is not None:
        keys = pd.MultiIndex.from_frame(table[["dataset", "method"]])
        # published values, looked up for every row
        published_rows = published.set_index(["dataset", "method"]).reindex(keys)
        table = table.assign(
            **{name: published_rows[source].to_numpy() for name, source in published_columns.items()}
        )
    table[list(csv_format.text_columns)] = table[list(csv_format.text_columns)].fillna("none")
    return table


def _assess_selection(fits: pd.DataFrame) -> dict:
    """Count the candidates as good on the validation part, with their sparsity and certificates."""
    search, chosen = (fits[fits["role"] == role] for role in ("search", "chosen"))
    row = {"kkt_max": chosen["kkt"].max()}
    scored = search[search["validation_map"].notna()]
    if scored.empty:
        return row
    best = scored.groupby("split")["validation_map"].transform("max")
    # candidates within the tolerance of the best of their fold
    # How flat the validation curve is: a sparsity ratio is only as well determined as the choice of C.
    as_good = scored[scored["validation_map"] >= best - AS_GOOD_MAP_TOL].groupby("split")["sparsity_ratio"]
    row |= {"near_mean": as_good.size().mean()}
    row |= {"near_ratio_min": as_good.min().mean(), "near_ratio_max": as_good.max().mean()}
    name = next(
        (
            parameter
            for parameter in STRENGTH_PARAMETERS
            if read_parameter(scored["params"].iloc[0], parameter) is not None
        ),
        None,
    )
    if name:
        grid, strengths = (
            rows["params"].map(partial(read_parameter, name=name)) for rows in (scored, chosen)
        )
        # folds on which the end of a grid was chosen: the grid may be too short there
        row["edge_splits"] = int(strengths.isin([grid.min(), grid.max()]).sum())
    return row


def _build_mean_rows(table: pd.DataFrame, published: pd.Series) -> pd.DataFrame:
    """Average over the data sets obtained, ours and the published ones of the same data sets."""
    rows = []
    # a method that failed on a data set is left out of both means, so that they compare like with like
    for (scaling, method), block in table.groupby(["feature_scaling", "method"], sort=False):
        obtained = block[block["sparsity_ratio_mean"].notna()]
        row = {
            "study": block["study"].iloc[0],
            "dataset": MEAN_DATASET,
            "feature_scaling": scaling,
            "method": method,
        }
        row |= {
            "method_group": classify_method(method),
            "data_status": "obtained",
            "reason": "none",
            "statuses": "none",
        }
        row |= {"chosen": "none", "note": f"over {', '.join(obtained['dataset']) or 'no data set'}"}
        if block["data_status"].isin([STATUS_NOT_OBTAINED, STATUS_NOT_RUN]).all():
            row |= {"data_status": STATUS_NOT_OBTAINED, "reason": "no data set was obtained"}
        row |= obtained[["sparsity_ratio_mean", "variables_mean", "seconds_mean"]].mean().to_dict()
        # a mean over the same data sets only if each of them has a published value
        row["published_sparsity_ratio"] = obtained["published_sparsity_ratio"].mean(skipna=False)
        rows.append(row | {"published_mean_row": published.get(method, np.nan)})
    return TABLE4_FORMAT.to_frame(rows)


def list_paper_methods(table: pd.DataFrame) -> list[str]:
    """List the methods of the paper that a table has.

    Parameters
    ----------
    table : DataFrame
        Rows with the column method.

    Returns
    -------
    list of str
        In the order of the paper.
    """
    return [method for method in METHODS if method in set(table["method"])]
