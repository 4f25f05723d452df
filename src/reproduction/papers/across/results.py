"""What each method is worth on each data set, every metric by the fit that it chose itself."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.fitting.multi_metric import METRICS
from reproduction.specs import metrics
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, TypedCsv, average_splits, build_method_table
from reproduction.statistics.method_pairs import test_to_train_ratio
from reproduction.statistics.method_ranks import MetricTable, build_metric_tables
from reproduction.statistics.paired_tests import corrected_t

CELL = ["dataset", "feature_scaling", "method", "split"]
REPORTED = (
    *(metrics.RATE_AT_TOP, metrics.TOP_10, metrics.TOP_PERCENT),
    *(metrics.AVERAGE_PRECISION, metrics.NDCG10, metrics.AUC),
)
RANKED = (*REPORTED, metrics.N_VARIABLES, metrics.SECONDS)

FORM = TypedCsv.parse(
    "study* dataset* feature_scaling* method* data_status* reason* substitute_for* data_rows data_features "
    "splits "
    "splits_used+ "
    + " ".join(f"{name}_mean+ {name}_low+ {name}_high+" for name in METRICS)
    + " n_variables_mean+ n_variables_std+ seconds_mean+ seconds_std+ search_seconds+ certified_share+ "
    "relative_gap_median+ relative_gap_max+ n_iter_median+ statuses* chosen* constant_share+ "
    "lambda_max_median+ zero_optimal_share+ published_dataset*"
)
"""`<metric>_low`, `<metric>_high`: 95 % interval of the mean over the splits, by the variance of Nadeau and
Bengio. `seconds`: of the refitted model; `search_seconds`: of all fits of a split."""


def reported(fits: pd.DataFrame, by: str = "") -> pd.DataFrame:
    """Select a row for each data set, features, method and split.

    `fits`: rows of the study. `by`: the metric whose choice is reported. Empty: each metric has the value
    of its own choice, and all else is of the choice by the first.
    """
    final = fits[fits["role"].isin(("chosen", "alternative"))]
    choosers = final["chosen_by"].str.split()
    base = final[final["role"] == "chosen"].set_index(CELL)
    if by:
        own = final[choosers.map(lambda names: by in names).astype(bool)].set_index(CELL)
        return pd.concat([own, base[~base.index.isin(own.index)]]).reset_index()
    for name in METRICS:
        own = final[choosers.map(lambda names, name=name: name in names).astype(bool)].set_index(CELL)[name]
        base[name] = own.reindex(base.index)
    return base.reset_index()


def default_sets(study: Study) -> dict[str, str]:
    """Map the data sets of the default specification to their features; others are for the choices."""
    other = study.settings.get("other_class", {})
    return {name: scalings[0] for name, scalings in study.settings["datasets"].items() if name not in other}


def of_default(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the default specification."""
    return rows[rows["dataset"].map(default_sets(study)) == rows["feature_scaling"]]


def results(study: Study) -> pd.DataFrame:
    """Average over the splits, with intervals."""
    fits = of_default(study, study.fits)
    given = fits, study.data, study.diagnosis, None
    return build_method_table(FORM, *given, (), "standardised", _measured)


def _measured(of_set: pd.DataFrame) -> dict[str, dict]:
    spent = of_set.groupby("method")["seconds"].sum()
    groups = reported(of_set).groupby("method", sort=True)
    return {method: _row(block, spent[method]) for method, block in groups}


def _row(block: pd.DataFrame, spent: float) -> dict:
    row = average_splits(block, {"n_variables": "n_variables", "seconds": "seconds"}, "rate_at_top")
    if (block["status"] == STATUS_NOT_OBTAINED).all():
        return row
    used = block[block["rate_at_top"].notna()]
    if used.empty:
        return row | {"reason": block["message"].iloc[0]}
    ratio = test_to_train_ratio(used)
    for name in METRICS:
        values = used[name].dropna()
        found = corrected_t(values, np.zeros(len(values)), 0.0 if np.isnan(ratio) else ratio)
        row |= {f"{name}_mean": found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
    certified = (used["status"] == "certified").mean() if used["relative_gap"].notna().any() else np.nan
    return row | {"search_seconds": spent / len(block), "certified_share": certified}


def means(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Lay the means of a metric out, data set by method."""
    return table.pivot(index="dataset", columns="method", values=f"{metric}_mean").dropna(how="all")


def with_worst(wide: pd.DataFrame) -> pd.DataFrame:
    """Give a method that could not rank a data set the least number that another one has there."""
    return wide.apply(lambda column: column.fillna(wide.min(axis=1)))


def ranked_blocks(study: Study) -> list[MetricTable]:
    """Prepare the ranks over single lists; a method that cannot rank one ties with the worst there."""
    fits = of_default(study, study.fits)
    lists = {name for name, found in study.manifests.items() if found.get("task") != "graded"}
    own = reported(fits[fits["dataset"].isin(lists)])
    for metric in RANKED:
        places = own.groupby(["dataset", "split"])[metric.name]
        worst = places.transform("min" if metric.larger_is_better else "max")
        if metric is not metrics.N_VARIABLES:  # trees have no variables to count: they stand apart
            own[metric.name] = own[metric.name].fillna(worst)
    return build_metric_tables(own, RANKED, study.data) if len(own) else []
