"""What each method is worth on each data set, every measure by the fit that it chose itself."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.fitting.multi_metric import METRICS
from reproduction.specs import metrics as measures
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, TypedCsv, average_splits, build_method_table
from reproduction.statistics.method_pairs import test_to_train_ratio
from reproduction.statistics.method_ranks import MetricTable, build_metric_tables
from reproduction.statistics.paired_tests import corrected_t

FIT_KEY = ["dataset", "features", "method", "split"]
REPORTED_METRICS = (
    *(measures.RATE_AT_TOP, measures.TOP_10, measures.TOP_PERCENT),
    *(measures.AVERAGE_PRECISION, measures.NDCG10, measures.AUC),
)
RANKED_METRICS = (*REPORTED_METRICS, measures.N_VARIABLES, measures.SECONDS)

RESULTS_FORMAT = TypedCsv.parse(
    "study* dataset* features* method* data_status* reason* substitute_for* data_rows data_features splits "
    "splits_used+ "
    + " ".join(f"{name}_mean+ {name}_low+ {name}_high+" for name in METRICS)
    + " n_variables_mean+ n_variables_std+ seconds_mean+ seconds_std+ search_seconds+ certified_share+ "
    "relative_gap_median+ relative_gap_max+ n_iter_median+ statuses* chosen* constant_share+ "
    "lambda_max_median+ zero_optimal_share+ printed_dataset*"
)
"""`<measure>_low`, `<measure>_high`: 95 % interval of the mean over the splits, by the variance of Nadeau and
Bengio. `seconds`: of the refitted model; `search_seconds`: of all fits of a split."""


def select_reported_fits(fits: pd.DataFrame, selection_metric: str = "") -> pd.DataFrame:
    """Select a row for each data set, features, method and split.

    `fits`: rows of the study. `selection_metric`: the measure whose choice is reported. Empty: each measure has the value
    of its own choice, and all else is of the choice by the first.
    """
    final = fits[fits["role"].isin(("chosen", "alternative"))]
    choosers = final["chosen_by"].str.split()
    base = final[final["role"] == "chosen"].set_index(FIT_KEY)
    if selection_metric:
        own_choice = final[choosers.map(lambda names: selection_metric in names).astype(bool)].set_index(
            FIT_KEY
        )
        return pd.concat([own_choice, base[~base.index.isin(own_choice.index)]]).reset_index()
    for name in METRICS:
        own_choice = final[choosers.map(lambda names, name=name: name in names).astype(bool)].set_index(
            FIT_KEY
        )[name]
        base[name] = own_choice.reindex(base.index)
    return base.reset_index()


def list_default_datasets(study: Study) -> dict[str, str]:
    """Map the data sets of the default universe to their features; the others are left to the axes."""
    other_class = study.settings.get("other_class", {})
    return {
        name: features[0] for name, features in study.settings["datasets"].items() if name not in other_class
    }


def select_default_rows(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the default universe."""
    return rows[rows["dataset"].map(list_default_datasets(study)) == rows["features"]]


def build_results(study: Study) -> pd.DataFrame:
    """Average over the splits, with intervals."""
    fits = select_default_rows(study, study.fits)
    inputs = fits, study.data, study.diagnosis, None
    return build_method_table(RESULTS_FORMAT, *inputs, (), "standardised", _summarise_methods)


def _summarise_methods(dataset_fits: pd.DataFrame) -> dict[str, dict]:
    seconds = dataset_fits.groupby("method")["seconds"].sum()
    groups = select_reported_fits(dataset_fits).groupby("method", sort=True)
    return {method: _summarise_method(block, seconds[method]) for method, block in groups}


def _summarise_method(block: pd.DataFrame, search_seconds: float) -> dict:
    row = average_splits(block, {"n_variables": "n_variables", "seconds": "seconds"}, "rate_at_top")
    if (block["status"] == STATUS_NOT_OBTAINED).all():
        return row
    used = block[block["rate_at_top"].notna()]
    if used.empty:
        return row | {"reason": block["message"].iloc[0]}
    ratio = test_to_train_ratio(used)
    for name in METRICS:
        values = used[name].dropna()
        interval = corrected_t(values, np.zeros(len(values)), 0.0 if np.isnan(ratio) else ratio)
        row |= {f"{name}_mean": interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
    certified = (used["status"] == "certified").mean() if used["relative_gap"].notna().any() else np.nan
    return row | {"search_seconds": search_seconds / len(block), "certified_share": certified}


def pivot_means(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Lay the means of a measure out, data set by method."""
    return table.pivot(index="dataset", columns="method", values=f"{measure}_mean").dropna(how="all")


def fill_with_worst(wide: pd.DataFrame) -> pd.DataFrame:
    """Give a method that could not rank a data set the least number that another one has there."""
    return wide.apply(lambda column: column.fillna(wide.min(axis=1)))


def build_rank_tables(study: Study) -> list[MetricTable]:
    """Prepare the ranks over single lists; a method that cannot rank one ties with the worst there."""
    fits = select_default_rows(study, study.fits)
    lists = {name for name, manifest in study.manifests.items() if manifest.get("task") != "graded"}
    reported_fits = select_reported_fits(fits[fits["dataset"].isin(lists)])
    for measure in RANKED_METRICS:
        values = reported_fits.groupby(["dataset", "split"])[measure.name]
        worst = values.transform("min" if measure.larger_is_better else "max")
        if measure is not measures.N_VARIABLES:  # trees have no variables to count: they stand apart
            reported_fits[measure.name] = reported_fits[measure.name].fillna(worst)
    return build_metric_tables(reported_fits, RANKED_METRICS, study.data) if len(reported_fits) else []
