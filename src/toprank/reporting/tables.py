"""Table 1 of K15 from the collected fits, with the printed numbers beside ours.

The same rows in any order give the same bytes: rows are sorted by identity before anything is summed, and
numbers are written in one fixed format. Only measured times differ from run to run; they stand in columns
whose names begin with ``seconds``, and the mark that depends on them in ``mark_fast``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from .inputs import parameter, read_text
from .labels import features_key, method_key
from .marks import exponent_marks

PRINTED = ("pos_at_top_mean", "pos_at_top_std", "seconds_mean", "seconds_std")
TEXT_COLUMNS = (
    "study",
    "dataset",
    "features",
    "method",
    "data_status",
    "reason",
    "substitute_for",
    "mark_best",
    "mark_fast",
    "statuses",
    "chosen",
    "printed_dataset",
    "printed_mark_best",
    "printed_mark_fast",
)
MEASURED = (
    "splits_used",
    "pos_at_top_mean",
    "pos_at_top_std",
    "rate_at_top_mean",
    "seconds_mean",
    "seconds_std",
    "relative_gap_median",
    "relative_gap_max",
    "excess_median",
    "excess_mean",
    "excess_max",
    "n_iter_median",
    "constant_share",
    "lambda_max_median",
    "zero_optimal_share",
)
COLUMNS = (
    "study",
    "dataset",
    "features",
    "method",
    "data_status",
    "reason",
    "substitute_for",
    "data_rows",
    "data_features",
    "splits",
    "splits_used",
    "pos_at_top_mean",
    "pos_at_top_std",
    "mark_best",
    "rate_at_top_mean",
    "seconds_mean",
    "seconds_std",
    "mark_fast",
    "relative_gap_median",
    "relative_gap_max",
    "excess_median",
    "excess_mean",
    "excess_max",
    "n_iter_median",
    "statuses",
    "chosen",
    "constant_share",
    "lambda_max_median",
    "zero_optimal_share",
    "printed_dataset",
    "printed_rows",
    "printed_features",
    *(f"printed_{name}" for name in PRINTED),
    "printed_mark_best",
    "printed_mark_fast",
)
"""Columns of table1.csv, in their order. `excess` is (objective − lower bound of the exact solver) /
objective of the exact solver, at the same split and alpha; `relative_gap` is the method's own."""

NOT_OBTAINED, NOT_RUN = "not obtained", "not run"
WORDS = (
    NOT_OBTAINED,
    NOT_RUN,
    "not defined",
    "not printed",
    "not known",
    "not compared",
    "one split",
    "none",
)
"""What stands in a cell that has no number."""


def table1(
    fits: pd.DataFrame,
    data: pd.DataFrame | None = None,
    diagnosis: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Average the chosen fits of a study over its splits.

    Parameters
    ----------
    fits : pandas.DataFrame
        Rows of `inputs.read_fits`.
    data : pandas.DataFrame, optional
        Rows of `inputs.read_data`: status, reason, rows and features of each data set.
    diagnosis : pandas.DataFrame, optional
        Rows of `inputs.read_diagnosis`.
    published : pandas.DataFrame, optional
        Rows of `inputs.read_published`. Its data sets always have rows in the table, even where none was run.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`, NaN where a number is not defined, one row for each data set, feature block
        and method.
    """
    facts = _data_facts(data)
    fits = fits.assign(alpha=[parameter(params, "alpha") for params in fits["params"]])
    fits["excess"] = _excess(fits)
    chosen = fits[fits["role"] == "chosen"]
    study = fits["study"].iloc[0] if len(fits) else "none"
    rows = []
    for (dataset, features, method), block in chosen.groupby(["dataset", "features", "method"], sort=True):
        row = {"study": study, "dataset": dataset, "features": features, "method": method}
        row |= {"data_status": "obtained", "reason": "none"} | facts.get(dataset, {})
        rows.append(row | _measured(block) | _diagnosed(diagnosis, dataset, features))
    rows += _rows_not_run(rows, published, facts, study)
    table = pd.DataFrame(rows).reindex(columns=list(COLUMNS))
    table = table.astype({c: object if c in TEXT_COLUMNS else float for c in COLUMNS})
    table = _beside_printed(table, published)
    table = _marked(table, published)
    return _ordered(table, published)


def write_table1(table: pd.DataFrame, path: str | Path) -> None:
    """Write the table; a number has ten significant digits, and no cell is blank.

    A cell without a number says why: ``not obtained`` (the data), ``not run`` (not part of this run), ``not
    defined`` (the method does not minimise the objective, or no split gave a number), ``not printed``, ``not
    known``, ``one split``.
    """
    text = pd.DataFrame(index=table.index)
    for column in COLUMNS:
        if column in TEXT_COLUMNS:
            text[column] = [value if pd.notna(value) and value else "none" for value in table[column]]
        else:
            text[column] = [
                f"{value:.10g}" if pd.notna(value) else _word(row, column)
                for value, (_, row) in zip(table[column], table.iterrows(), strict=True)
            ]
    text.to_csv(path, index=False, lineterminator="\n")


def read_table1(path: str | Path) -> pd.DataFrame:
    """Read back what `write_table1` wrote; words in columns of numbers become NaN."""
    table = read_text(path, COLUMNS)
    for column in table.columns.difference(TEXT_COLUMNS):
        table[column] = table[column].where(~table[column].isin(WORDS), "nan").astype(float)
    return table


def _word(row: pd.Series, column: str) -> str:
    """Say what stands in a cell that has no number."""
    if column.startswith("printed_"):
        return "not printed"
    if row["data_status"] in (NOT_OBTAINED, NOT_RUN):
        return row["data_status"] if column in MEASURED else "not known"
    if column.endswith("_std") and row["splits_used"] == 1:
        return "one split"
    return "not known" if column.startswith("data_") else "not defined"


def _data_facts(data: pd.DataFrame | None) -> dict[str, dict]:
    """Look up status, reason, size and what a substitute stands for, for each data set."""
    if data is None:
        return {}
    facts = {}
    for _, row in data.iterrows():
        facts[row["dataset"]] = {
            "data_status": row["status"],
            "reason": row["reason"] or "none",
            "substitute_for": row.get("substitute_for") or "none",
            "data_rows": pd.to_numeric(row.get("rows"), errors="coerce"),
            "data_features": pd.to_numeric(row.get("features"), errors="coerce"),
        }
    return facts


def _excess(fits: pd.DataFrame) -> pd.Series:
    """Measure every fit against the certified optimum of the same split and alpha (NaN where none)."""
    keys = ["dataset", "features", "split", "alpha"]
    solved = (
        (fits["method"] == "exact") & fits["role"].isin(["path", "chosen"]) & (fits["status"] == "optimal")
    )
    # Fits are sorted, so that "chosen" comes before "path" wherever the same problem was solved twice.
    exact = fits[solved].drop_duplicates(keys)[[*keys, "objective", "lower_bound"]]
    joined = fits[[*keys, "objective", "role"]].merge(exact, on=keys, how="left", suffixes=("", "_exact"))
    excess = (joined["objective"] - joined["lower_bound"]) / joined["objective_exact"]
    # An inner fit sees a part of the training rows only: it solves another problem.
    return excess.where(joined["role"] != "search").set_axis(fits.index)


def _measured(block: pd.DataFrame) -> dict:
    """Averages over the splits of one data set, feature block and method."""
    if (block["status"] == NOT_OBTAINED).all():
        return {
            "data_status": NOT_OBTAINED,
            "reason": block["message"].iloc[0] or "no reason given",
            "splits": 0,
            "splits_used": 0,
            "statuses": NOT_OBTAINED,
            "chosen": "none",
        }
    used = block[block["positives_at_top"].notna()]
    norm = used["weight_norm"].dropna()
    return {
        "splits": len(block),
        "splits_used": len(used),
        "pos_at_top_mean": used["positives_at_top"].mean(),
        "pos_at_top_std": used["positives_at_top"].std(ddof=1),
        "rate_at_top_mean": used["rate_at_top"].mean(),
        "seconds_mean": used["seconds"].mean(),
        "seconds_std": used["seconds"].std(ddof=1),
        "relative_gap_median": used["relative_gap"].median(),
        "relative_gap_max": used["relative_gap"].max(),
        "excess_median": used["excess"].median(),
        "excess_mean": used["excess"].mean(),
        "excess_max": used["excess"].max(),
        "n_iter_median": used["n_iter"].median(),
        "statuses": counts(block["status"]),
        "chosen": counts(block["params"].map(_readable)),
        "constant_share": (norm == 0).mean() if len(norm) else np.nan,
    }


def counts(values: pd.Series) -> str:
    """Count values as text in alphabetical order: ``max_iterations: 7, optimal: 3``."""
    return ", ".join(f"{value}: {count}" for value, count in values.value_counts().sort_index().items())


def _readable(params: str) -> str:
    """Write hyper-parameters as ``alpha=0.01 rho=0.1``."""
    values = json.loads(params) if params else {}
    words = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in sorted(values.items())]
    return " ".join(words) or "none"


def _diagnosed(diagnosis: pd.DataFrame | None, dataset: str, features: str) -> dict:
    """Median λ_max, and the share of splits where w = 0 is the optimum."""
    if diagnosis is None:
        return {}
    block = diagnosis[(diagnosis["dataset"] == dataset) & (diagnosis["features"] == features)]
    zero = block["zero_is_optimal"].dropna().astype(float)
    return {
        "lambda_max_median": block["lambda_max"].median(),
        "zero_optimal_share": zero.mean() if len(zero) else np.nan,
    }


def _rows_not_run(rows: list[dict], published: pd.DataFrame | None, facts: dict, study: str) -> list[dict]:
    """Rows for the printed results that this run holds no fit of."""
    if published is None:
        return []
    have = {(row["dataset"], row["method"]) for row in rows}
    added = []
    for dataset, method in zip(published["dataset"], published["method"], strict=True):
        if (dataset, method) in have:
            continue
        row = {"study": study, "dataset": dataset, "features": "raw", "method": method} | facts.get(
            dataset, {}
        )
        if row.get("data_status") != NOT_OBTAINED:
            row |= {"data_status": NOT_RUN, "reason": "not part of this run's configuration"}
        added.append(row | {"splits": 0, "splits_used": 0, "statuses": row["data_status"], "chosen": "none"})
    return added


def _beside_printed(table: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Put the printed values beside ours; for a declared substitute, those of the set that it stands for."""
    table["substitute_for"] = table["substitute_for"].fillna("none")
    table["printed_dataset"] = "none"
    table[["printed_mark_best", "printed_mark_fast"]] = "not printed"
    if published is None:
        return table
    printed = published.set_index(["dataset", "method"])
    sizes = published.drop_duplicates("dataset").set_index("dataset")
    for i, row in table.iterrows():
        name = row["dataset"] if row["dataset"] in sizes.index else row["substitute_for"]
        if name not in sizes.index:
            continue
        table.loc[i, "printed_dataset"] = name
        table.loc[i, "printed_rows"] = sizes.loc[name, "positives"] + sizes.loc[name, "negatives"]
        table.loc[i, "printed_features"] = sizes.loc[name, "features"]
        if (name, row["method"]) in printed.index:
            values = printed.loc[(name, row["method"])]
            table.loc[i, [f"printed_{quantity}" for quantity in PRINTED]] = [
                values[quantity] for quantity in PRINTED
            ]
            table.loc[i, "printed_mark_best"] = str(int(values["marked_best_pos_at_top"]))
            table.loc[i, "printed_mark_fast"] = str(int(values["marked_fast"]))
    return table


def _marked(table: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Set the paper's marks by the rule that reproduces the printed ones.

    Only the methods that the paper compares enter: a sixth method must not take the marks away from the
    printed four. Without a printed table all methods enter.
    """
    table[["mark_best", "mark_fast"]] = "not compared"
    compared = set(table["method"]) if published is None else set(published["method"])
    for _, block in table[table["method"].isin(compared)].groupby(["dataset", "features"], sort=True):
        for column, quantity, lower in (
            ("mark_best", "pos_at_top_mean", False),
            ("mark_fast", "seconds_mean", True),
        ):
            values = block.set_index("method")[quantity].dropna().to_dict()
            marks = exponent_marks(values, lower_is_better=lower)
            for i, method in block["method"].items():
                if method in marks:
                    table.loc[i, column] = str(int(marks[method]))
    return table


def _ordered(table: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Order rows as the paper does (a substitute after its original), then other data sets by name."""
    order = [] if published is None else list(dict.fromkeys(published["dataset"]))

    def key(i: int) -> tuple:
        row = table.loc[i]
        place = order.index(row["printed_dataset"]) if row["printed_dataset"] in order else len(order)
        same = row["dataset"] != row["printed_dataset"]
        return (place, same, row["dataset"], features_key(row["features"]), method_key(row["method"]))

    return table.loc[sorted(table.index, key=key)].reset_index(drop=True)
