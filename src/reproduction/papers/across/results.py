"""Quality of each method on each data set, every metric by the candidate that it selected itself."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.fitting.ranking_metrics import METRICS
from reproduction.reporting.method_comparison.method_pairs import mean_test_to_train_ratio
from reproduction.reporting.method_comparison.method_ranks import MetricTable, build_metric_tables
from reproduction.specs import metrics
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, TypedCsv
from reproduction.specs.method_tables import average_splits, build_method_table
from reproduction.specs.study_results import Study
from reproduction.statistics.paired_tests import corrected_t

FIT_KEY = ["dataset", "feature_scaling", "method", "split"]
REPORTED_METRICS = (
    *(metrics.RATE_AT_TOP, metrics.TOP_10, metrics.TOP_PERCENT),
    *(metrics.AVERAGE_PRECISION, metrics.NDCG10, metrics.AUC),
)
RANKED_METRICS = (*REPORTED_METRICS, metrics.N_VARIABLES, metrics.SECONDS)

RESULTS_FORMAT = TypedCsv.parse(
    "study* dataset* feature_scaling* method* data_status* reason* substitute_for* data_rows data_features "
    "splits splits_used+ "
    + " ".join(f"{name}_mean+ {name}_low+ {name}_high+" for name in METRICS)
    + " "
    + " ".join(f"{name}_mean? {name}_low? {name}_high?" for name in metrics.FURTHER_METRICS)
    + " n_variables_mean+ n_variables_std+ seconds_mean+ seconds_std+ search_seconds+ certified_share+ "
    "relative_gap_median+ relative_gap_max+ n_iter_median+ statuses* chosen* constant_share+ "
    "lambda_max_median+ zero_optimal_share+ published_dataset*"
)
"""`<metric>_low`, `<metric>_high`: 95 % interval of the mean over the splits, by the variance of Nadeau and
Bengio. `seconds`: of the refitted model; `search_seconds`: of all fits of a split."""


def list_measured(fits: pd.DataFrame) -> list[str]:
    """List the metrics that a study measures: the usual ones, and further ones that some fit has.

    Parameters
    ----------
    fits : DataFrame
        Fits of the study.

    Returns
    -------
    list of str
    """
    return [
        *METRICS,
        *(name for name in metrics.FURTHER_METRICS if name in fits and fits[name].notna().any()),
    ]


def select_reported_fits(fits: pd.DataFrame, selection_metric: str = "") -> pd.DataFrame:
    """Select the fit to report for each data set, feature scaling, method and split.

    Parameters
    ----------
    fits : DataFrame
        Fits of the study.
    selection_metric : str
        Metric whose selection is reported. Empty: each metric has the value of its own selection, and all
        else is of the selection by the first metric.

    Returns
    -------
    DataFrame
        A row a data set, feature scaling, method and split.
    """
    final = fits[fits["role"].isin(("chosen", "alternative"))]
    choosers = final["chosen_by"].str.split()
    base = final[final["role"] == "chosen"].set_index(FIT_KEY)
    if selection_metric:
        own_choice = final[choosers.map(lambda names: selection_metric in names).astype(bool)].set_index(
            FIT_KEY
        )
        # a method without a selection by this metric keeps its chosen fit
        return pd.concat([own_choice, base[~base.index.isin(own_choice.index)]]).reset_index()
    # each metric is reported of the candidate that this very metric chose
    for name in list_measured(fits):
        own_choice = final[choosers.map(lambda names, name=name: name in names).astype(bool)].set_index(
            FIT_KEY
        )[name]
        base[name] = own_choice.reindex(base.index)
    return base.reset_index()


def get_default_scalings(study: Study) -> dict[str, str]:
    """Return the feature scaling of each data set of the default specification; other data sets are options.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    dict of str
        Data set -> its feature scaling.
    """
    other_class = study.settings.get("other_class", {})
    return {
        name: features[0] for name, features in study.settings["datasets"].items() if name not in other_class
    }


def select_default_rows(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the default specification.

    Parameters
    ----------
    study : Study
        The study across data sets.
    rows : DataFrame
        With the columns dataset and features.

    Returns
    -------
    DataFrame
        Some of `rows`.
    """
    return rows[rows["dataset"].map(get_default_scalings(study)) == rows["feature_scaling"]]


def build_results(study: Study) -> pd.DataFrame:
    """Average each metric over the splits, with 95 % intervals.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    DataFrame
        The columns of `RESULTS_FORMAT`.
    """
    fits = select_default_rows(study, study.fits)
    inputs = fits, study.data, study.diagnosis, None
    return build_method_table(RESULTS_FORMAT, *inputs, (), "standardised", _summarise_methods)


def _summarise_methods(dataset_fits: pd.DataFrame) -> dict[str, dict]:
    """Average the fits of each method on one data set."""
    seconds = dataset_fits.groupby("method")["seconds"].sum()
    groups = select_reported_fits(dataset_fits).groupby("method", sort=True)
    return {method: _summarise_method(method_fits, seconds[method]) for method, method_fits in groups}


def _summarise_method(method_fits: pd.DataFrame, search_seconds: float) -> dict:
    """Average the fits of one method on one data set."""
    row = average_splits(method_fits, {"n_variables": "n_variables", "seconds": "seconds"}, "rate_at_top")
    if (method_fits["status"] == STATUS_NOT_OBTAINED).all():
        return row
    used = method_fits[method_fits["rate_at_top"].notna()]
    if used.empty:
        return row | {"reason": method_fits["message"].iloc[0]}
    # the ratio of the parts enters the variance of overlapping splits
    ratio = mean_test_to_train_ratio(used)
    for name in list_measured(used):
        values = used[name].dropna()
        # interval of a mean over overlapping training parts: Nadeau and Bengio (2003)
        interval = corrected_t(values, np.zeros(len(values)), 0.0 if np.isnan(ratio) else ratio)
        row |= {f"{name}_mean": interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
    # methods of other packages have no certificate: no share of theirs is reported
    certified = (used["status"] == "certified").mean() if used["relative_gap"].notna().any() else np.nan
    # seconds of the search on one split, its refits included
    return row | {"search_seconds": search_seconds / len(method_fits), "certified_share": certified}


def pivot_means(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Pivot the means of a metric.

    Parameters
    ----------
    table : DataFrame
        Rows of `build_results`.
    metric : str
        Name of the metric.

    Returns
    -------
    DataFrame
        A row a data set, a column a method; data sets without a number are left out.
    """
    return table.pivot(index="dataset", columns="method", values=f"{metric}_mean").dropna(how="all")


def fill_with_worst(wide: pd.DataFrame) -> pd.DataFrame:
    """Give a method that could not rank a data set the worst number of another one there.

    Parameters
    ----------
    wide : DataFrame
        A row a data set, a column a method.

    Returns
    -------
    DataFrame
        Without gaps.
    """
    return wide.apply(lambda column: column.fillna(wide.min(axis=1)))


def build_rank_tables(study: Study) -> list[MetricTable]:
    """Prepare the ranks over single lists; a method that cannot rank one ties with the worst there.

    Parameters
    ----------
    study : Study
        The study across data sets.

    Returns
    -------
    list of MetricTable
        One a metric; empty without fits.
    """
    fits = select_default_rows(study, study.fits)
    lists = {name for name, manifest in study.manifests.items() if manifest.get("task") != "graded"}
    reported_fits = select_reported_fits(fits[fits["dataset"].isin(lists)])
    for metric in RANKED_METRICS:
        # A method that cannot rank a split ties with the worst there, so that leaving hard data out gains
        # nothing.
        values = reported_fits.groupby(["dataset", "split"])[metric.name]
        worst = values.transform("min" if metric.larger_is_better else "max")
        if metric is not metrics.N_VARIABLES:  # trees have no variables to count: they stand apart
            reported_fits[metric.name] = reported_fits[metric.name].fillna(worst)
    return build_metric_tables(reported_fits, RANKED_METRICS, study.data) if len(reported_fits) else []
