"""Tables of data sets and methods that every study has: averages over splits, published values beside ours.

`build_method_table` makes a whole table; the rows do not depend on the order of the fits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reproduction.core.results import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import method_sort_key, scaling_sort_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reproduction.specs.csv_tables import TypedCsv


def look_up_data_facts(data: pd.DataFrame | None) -> dict[str, dict]:
    """Look up status, reason, size and the data set that it stands for, for each data set.

    Parameters
    ----------
    data : pd.DataFrame
        Rows of `results.read_data`, or None.

    Returns
    -------
    dict[str, dict]
        For each data set: data_status, reason, substitute_for, variant_of, data_rows and data_features.
    """
    if data is None:
        return {}
    return {
        row["dataset"]: {
            "data_status": row["status"],
            "reason": row["reason"] or "none",
            "substitute_for": row.get("substitute_for") or "none",
            "variant_of": row.get("variant_of") or "none",
            "data_rows": pd.to_numeric(row.get("rows"), errors="coerce"),
            "data_features": pd.to_numeric(row.get("features"), errors="coerce"),
        }
        for row in data.to_dict("records")
    }


def average_splits(
    fits: pd.DataFrame, quantities: dict[str, str], required: str = "positives_at_top"
) -> dict:
    """Average over the splits of one data set, feature scaling and method.

    Parameters
    ----------
    fits : pd.DataFrame
        The chosen fits.
    quantities : dict[str, str]
        Column of the fits -> how its mean and standard deviation are called.
    required : str, optional
        A fit without a number in this column is left out.

    Returns
    -------
    dict
        A row of the table; of a data set that was not obtained, only the reason.
    """
    if (fits["status"] == STATUS_NOT_OBTAINED).all():
        return {
            "data_status": STATUS_NOT_OBTAINED,
            "reason": fits["message"].iloc[0] or "no reason given",
            "splits": 0,
            "splits_used": 0,
            "statuses": STATUS_NOT_OBTAINED,
            "chosen": "none",
        }
    # One requirement for all quantities: means in a row of the table are over the same splits.
    with_number = fits[fits[required].notna()]
    norms = with_number["weight_norm"].dropna()
    row = {}
    for column, name in quantities.items():
        row |= {f"{name}_mean": with_number[column].mean(), f"{name}_std": with_number[column].std(ddof=1)}
    return row | {
        "splits": len(fits),
        "splits_used": len(with_number),
        "relative_gap_median": with_number["relative_gap"].median(),
        "relative_gap_max": with_number["relative_gap"].max(),
        "n_iter_median": with_number["n_iter"].median(),
        "statuses": count_values(fits["status"]),
        "chosen": count_values(fits["params"].map(format_params)),
        # share of splits on which w = 0 was chosen
        "constant_share": (norms == 0).mean() if len(norms) else np.nan,
    }


def count_values(values: pd.Series) -> str:
    """Count values as text in alphabetical order: ``max_iterations: 7, stopped: 3``.

    Parameters
    ----------
    values : pd.Series
        Column of text.

    Returns
    -------
    str
        The counts.
    """
    return ", ".join(f"{value}: {count}" for value, count in values.value_counts().sort_index().items())


def format_params(params: str) -> str:
    """Write hyper-parameters as ``alpha=0.01 rho=0.1``.

    Parameters
    ----------
    params : str
        JSON object, or an empty text.

    Returns
    -------
    str
        The parameters by name; "none" where there are none.
    """
    values = json.loads(params) if params else {}
    words = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in sorted(values.items())]
    return " ".join(words) or "none"


def summarise_diagnosis(diagnosis: pd.DataFrame | None, dataset: str, feature_scaling: str) -> dict:
    """Return the median λ_max, and the share of splits where w = 0 is the optimum.

    Parameters
    ----------
    diagnosis : pd.DataFrame
        Rows of `results.read_diagnosis`, or None.
    dataset : str
        Name of the data set.
    feature_scaling : str
        "raw" or "standardised".

    Returns
    -------
    dict
        lambda_max_median and zero_optimal_share; empty without a diagnosis.
    """
    if diagnosis is None:
        return {}
    rows = diagnosis[(diagnosis["dataset"] == dataset) & (diagnosis["feature_scaling"] == feature_scaling)]
    # the test of w = 0 may have run out of time: such splits do not count
    is_zero_optimal = rows["zero_is_optimal"].dropna().astype(float)
    return {
        "lambda_max_median": rows["lambda_max"].median(),
        "zero_optimal_share": is_zero_optimal.mean() if len(is_zero_optimal) else np.nan,
    }


def build_method_table(
    form: TypedCsv,
    fits: pd.DataFrame,
    data: pd.DataFrame | None,
    diagnosis: pd.DataFrame | None,
    published: pd.DataFrame | None,
    published_columns: Sequence[str],
    feature_scaling: str,
    summarise_methods: Callable[[pd.DataFrame], Mapping[str, dict]],
) -> pd.DataFrame:
    """Make a table of data sets, feature scalings and methods, the published numbers beside ours.

    Parameters
    ----------
    form : TypedCsv
        Columns of the table.
    fits : pd.DataFrame
        Rows of `results.read_fits`.
    data : pd.DataFrame
        Rows of `results.read_data`.
    diagnosis : pd.DataFrame
        Rows of `results.read_diagnosis`.
    published : pd.DataFrame
        A published row for each data set and method; these always have a row in the table.
    published_columns : Sequence[str]
        Columns of `published` that stand beside ours.
    feature_scaling : str
        Feature scaling of what was not run.
    summarise_methods : Callable[[pd.DataFrame], Mapping[str, dict]]
        Fits of a data set and feature scaling -> the results of each method.

    Returns
    -------
    pd.DataFrame
        The columns of `form`, NaN where a number is not defined.
    """
    facts, rows = look_up_data_facts(data), []
    study = fits["study"].iloc[0] if len(fits) else "none"
    for (dataset, scaling), dataset_fits in fits.groupby(["dataset", "feature_scaling"], sort=True):
        for method, summary in summarise_methods(dataset_fits).items():
            row = {"study": study, "dataset": dataset, "feature_scaling": scaling, "method": method}
            row |= {"data_status": "obtained", "reason": "none"} | facts.get(dataset, {})
            rows.append(row | summary | summarise_diagnosis(diagnosis, dataset, scaling))
    # a published result without a fit has a row as well, with the reason
    rows += list_missing_rows(rows, published, facts, study, feature_scaling)
    return sort_as_published(
        add_published_values(form.to_frame(rows), published, published_columns), published
    )


def list_missing_rows(
    rows: list[dict], published: pd.DataFrame | None, facts: dict, study: str, feature_scaling: str
) -> list[dict]:
    """List rows for the published results that this run holds no fit of.

    Parameters
    ----------
    rows : list[dict]
        Rows of the methods that were run.
    published : pd.DataFrame
        A published row for each data set and method, or None.
    facts : dict
        Facts of each data set, see `look_up_data_facts`.
    study : str
        Name of the study.
    feature_scaling : str
        Feature scaling of what was not run.

    Returns
    -------
    list[dict]
        Rows with a status and a reason.
    """
    if published is None:
        return []
    cases_run = {(row["dataset"], row["method"]) for row in rows}
    added = []
    for dataset, method in zip(published["dataset"], published["method"], strict=True):
        if (dataset, method) in cases_run:
            continue
        row = {
            "study": study,
            "dataset": dataset,
            "feature_scaling": feature_scaling,
            "method": method,
        } | facts.get(dataset, {})
        # A set that is not public, as R12's BCI data, has a declared substitute, which stands in a row of its
        # own.
        substitutes = [
            name for name, substitute_facts in facts.items() if substitute_facts["substitute_for"] == dataset
        ]
        if substitutes and dataset not in facts:
            reason = f"not public; its declared substitute is {', '.join(substitutes)}"
            row |= {"data_status": STATUS_NOT_OBTAINED, "reason": reason}
        elif row.get("data_status") != STATUS_NOT_OBTAINED:
            row |= {"data_status": STATUS_NOT_RUN, "reason": "not part of this run's configuration"}
        added.append(row | {"splits": 0, "splits_used": 0, "statuses": row["data_status"], "chosen": "none"})
    return added


def add_published_values(
    table: pd.DataFrame, published: pd.DataFrame | None, quantities: Sequence[str]
) -> pd.DataFrame:
    """Put published values beside ours; a substitute or another variant has those that it stands for.

    Parameters
    ----------
    table : pd.DataFrame
        Rows of data sets and methods; it is changed.
    published : pd.DataFrame
        A published row for each data set and method, or None.
    quantities : Sequence[str]
        Columns of `published` that are added as ``published_<quantity>``.

    Returns
    -------
    pd.DataFrame
        The table with published_dataset and, where numbers are published, the sizes and quantities.
    """
    claims = [name for name in ("substitute_for", "variant_of") if name in table]
    table[claims] = table[claims].fillna("none")
    table["published_dataset"] = "none"
    if published is None:
        return table
    sizes = published.drop_duplicates("dataset").set_index("dataset")
    # The published values of the set itself, else of the one that it stands for, else of which it is a
    # variant.
    candidates = table[["dataset", *claims]].to_numpy()
    names = [next((name for name in row if name in sizes.index), "none") for row in candidates]
    table["published_dataset"] = names
    table[["published_rows", "published_features"]] = sizes.reindex(names)[
        ["rows", "features_count"]
    ].to_numpy()
    keys = pd.MultiIndex.from_arrays([names, table["method"]])
    published_rows = published.set_index(["dataset", "method"]).reindex(keys)
    return table.assign(**{f"published_{q}": published_rows[q].to_numpy() for q in quantities})


def sort_as_published(table: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Order rows as the paper does (a substitute after its original), then other data sets by name.

    Parameters
    ----------
    table : pd.DataFrame
        Rows of data sets, feature scalings and methods.
    published : pd.DataFrame
        Published rows in the order of the paper, or None.

    Returns
    -------
    pd.DataFrame
        The sorted rows, with a new index.
    """
    datasets = [] if published is None else list(dict.fromkeys(published["dataset"]))

    def key(i: int) -> tuple:
        """Return the sort key of the i-th row.

        Parameters
        ----------
        i : int
            Label of the row in the index.

        Returns
        -------
        tuple
            Position of the data set, and what orders the rows of one.
        """
        row = table.loc[i]
        # a substitute follows its original, at the same position
        published_dataset = row.get("published_dataset", row["dataset"])
        position = datasets.index(published_dataset) if published_dataset in datasets else len(datasets)
        is_other = row["dataset"] != published_dataset
        return (
            position,
            is_other,
            row["dataset"],
            scaling_sort_key(row["feature_scaling"]),
            method_sort_key(row["method"]),
        )

    return table.loc[sorted(table.index, key=key)].reset_index(drop=True)
