"""Table 1 of R12 from the collected fits: rate at the top, number of variables, and the published ones."""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.counts import ALL_ROWS, TEST_ROWS, TRAIN_ROWS
from reproduction.core.results import read_parameter
from reproduction.papers.rakotomamonjy2012.toy.tables import is_toy
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.method_tables import average_splits, build_method_table
from reproduction.specs.published_values import pivot_by_method
from reproduction.specs.study_results import Study
from reproduction.statistics.paired_tests import wilcoxon_p

QUANTITIES = {"rate_at_top": "rate_at_top", "n_variables": "variables", "seconds": "seconds"}
PUBLISHED_COLUMNS = ("rate_at_top_mean", "rate_at_top_std", "variables_mean", "variables_std")
TRAIN_TEST_COUNT_DATASETS = ("colon", "bci")
"""Data sets whose two published counts are training and test rows; of the others the second is the whole."""

COUNT_MEANINGS = {
    "first_count": (TRAIN_ROWS, {}),
    "second_count": (ALL_ROWS, dict.fromkeys(TRAIN_TEST_COUNT_DATASETS, TEST_ROWS)),
}
"""What the two counts of Table 1 count, and on which data sets it is something else."""

LEVEL = 0.05
"""Of the Wilcoxon test that underlines."""

TABLE1_FORMAT = TypedCsv.parse(
    "study* dataset* feature_scaling* method* data_status* reason* substitute_for* variant_of* data_rows "
    "data_features splits splits_used+ rate_at_top_mean+ rate_at_top_std+ p_value+ worse* variables_mean+ "
    "variables_std+ tied_mean+ tied_variables_min+ tied_variables_max+ grid_variables_max+ limit_variables+ "
    "seconds_mean+ seconds_std+ relative_gap_median+ relative_gap_max+ n_iter_median+ statuses* chosen* "
    "constant_share+ lambda_max_median+ zero_optimal_share+ published_dataset* published_rows "
    "published_features "
    "published_rate_at_top_mean published_rate_at_top_std published_variables_mean published_variables_std"
)
"""`p_value`: of the Wilcoxon test against the method with the best mean on the data set; `worse`: whether it
is below `LEVEL`. `tied_mean`: how many candidates shared the best rate on the validation part;
`tied_variables_min` and `_max`: the fewest and most variables among them, averaged over the splits;
`grid_variables_max`: the most among all candidates; `limit_variables`: how many the least regularised fit
has, below the grid.
`lambda_max_median` belongs to the squared hinge: it is twice the one of the infinite push."""


def published_table1(published: pd.DataFrame | None) -> pd.DataFrame | None:
    """Pivot the published Table 1, with the rows of its data sets.

    Parameters
    ----------
    published : DataFrame or None
        Published values of the paper.

    Returns
    -------
    DataFrame or None
        A row a data set and method; None where nothing is published.
    """
    table = pivot_by_method(published, "table1")
    if table is None:
        return None
    return table.assign(
        rows=table["first_count"].where(table["dataset"].isin(TRAIN_TEST_COUNT_DATASETS), 0)
        + table["second_count"]
    )


def build_table1(study: Study) -> pd.DataFrame:
    """Average the chosen fits of a study over its splits, without the toy problem.

    The published data sets always have rows in the table, even where none was run.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    DataFrame
        The columns of `TABLE1_FORMAT`, NaN where a number is not defined, one row for each data set and
        method.
    """
    fits, published = study.fits[~is_toy(study.fits)], published_table1(study.published_values)
    inputs = fits, study.data, study.diagnosis, published, PUBLISHED_COLUMNS, "standardised"
    return build_method_table(TABLE1_FORMAT, *inputs, _summarise_methods)


def _summarise_methods(of_set: pd.DataFrame) -> dict[str, dict]:
    """Average the fits of each method on a data set, and test it against the best."""
    p_values, rows = compare_with_best(of_set[of_set["role"] == "chosen"]), {}
    for method, fits in of_set.groupby("method", sort=True):
        # roles: the fit that was chosen, all candidates of its search, and fits below the grid
        chosen, search, path = (fits[fits["role"] == role] for role in ("chosen", "search", "path"))
        row = {"worse": "not compared"} | average_splits(chosen, QUANTITIES) | _count_ties(search)
        row["limit_variables"] = _average_limit_variables(path)
        if method in p_values:
            row |= {"p_value": p_values[method], "worse": str(int(p_values[method] < LEVEL))}
        rows[method] = row
    return rows


def compare_with_best(chosen: pd.DataFrame) -> dict[str, float]:
    """Test each method against the one of the best mean rate (R12, Table 1: Wilcoxon signed-rank test).

    Parameters
    ----------
    chosen : DataFrame
        Chosen fits of one data set.

    Returns
    -------
    dict of float
        Method -> two-sided p-value, 1 for the best; empty with fewer than two methods.
    """
    # a method without a rate on some split is left out
    rates = chosen.pivot_table(index="split", columns="method", values="rate_at_top").dropna(axis=1)
    if rates.shape[1] < 2:
        return {}
    # Of equal means the first method by name; its own p-value is 1, since all differences are 0.
    best = rates.mean().idxmax()
    return {method: wilcoxon_p(rates[method], rates[best]) for method in rates}


def _count_ties(search: pd.DataFrame) -> dict:
    """Count the candidates that were best on the validation part, and the range of their variables."""
    if search.empty or search["positives_at_top"].isna().all():
        return {}
    # The validation part of a split is the same for all candidates: equal counts at the top are equal rates.
    best = search.groupby("split")["positives_at_top"].transform("max")
    # per split the number of tied candidates, and the fewest and most variables among them
    by_split = search[search["positives_at_top"] == best].groupby("split")["n_variables"]
    return {
        "tied_mean": by_split.size().mean(),
        "tied_variables_min": by_split.min().mean(),
        "tied_variables_max": by_split.max().mean(),
        "grid_variables_max": search.groupby("split")["n_variables"].max().mean(),
    }


def _average_limit_variables(path: pd.DataFrame) -> float:
    """Average the number of variables of the least regularised of the fits beyond the grid."""
    if path.empty:
        return float("nan")
    shares = path["params"].map(lambda params: read_parameter(params, "share"))
    return float(path.loc[shares == shares.min(), "n_variables"].mean())
