"""The counts that K15 and R12 print beside each data set, against those of the files and of the splits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from reproduction.comparison.verdicts import AGREES, COLUMNS, DIFFERS
from reproduction.papers.rakotomamonjy2012.table1 import SUMMED
from reproduction.results import to_numbers
from reproduction.tables import NOT_OBTAINED, NOT_RUN

PRINTED_COUNTS = {
    "positives": "positives_count",
    "negatives": "negatives_count",
    "features": "features_count",
    "count_first": "first_count",
    "count_second": "second_count",
}
"""Column of a file of printed numbers -> the quantity."""

MEANINGS = {
    "first_count": "rows of a training part",
    "second_count": "rows of the whole data set",
}
"""What is counted where the paper is not clear; see `SUMMED`."""

COUNTED = ("rows", "features", "positives", "negatives")
"""Columns of the table of data sets that are read here."""


def compare_counts(
    study: str,
    published: pd.DataFrame,
    data: pd.DataFrame,
    train_rows: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Set the printed counts of each data set beside ours.

    Parameters
    ----------
    study : str
    published : pandas.DataFrame
        The printed Table 1, its counts in the row of every method.
    data : pandas.DataFrame
        Rows of `inputs.read_data`.
    train_rows : mapping of str to float, optional
        Data set -> how many rows the training parts of its splits have.

    Returns
    -------
    pandas.DataFrame
        The columns of `verdicts.COLUMNS`, the method is "data": a row for each printed count, and one for
        that of each declared substitute.
    """
    columns = dict.fromkeys([*data.columns, *COUNTED, "substitute_for", "note"])
    data = to_numbers(data.reindex(columns=list(columns), fill_value=""), COUNTED, "data.csv")
    data = data.set_index("dataset")
    printed = published.drop_duplicates("dataset").set_index("dataset")
    rows = [
        row
        for dataset in printed.index
        for named in _with_substitutes(dataset, data)
        for row in _of_dataset(study, named, printed.loc[dataset], data, train_rows or {})
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def rows_of_training_parts(fits: pd.DataFrame) -> dict[str, float]:
    """Count the rows of the training parts of each data set, as the chosen fits saw them."""
    chosen = fits[fits["role"] == "chosen"]
    rows = chosen["n_train_positives"] + chosen["n_train_negatives"]
    return rows.groupby(chosen["dataset"]).median().dropna().to_dict()


def _with_substitutes(dataset: str, data: pd.DataFrame) -> list[str]:
    return [dataset, *data.index[data["substitute_for"] == dataset]]


def _of_dataset(
    study: str, dataset: str, printed: pd.Series, data: pd.DataFrame, train_rows: Mapping[str, float]
) -> Iterator[tuple]:
    """Judge the counts of one data set, or of a substitute of it."""
    said = _not_there(dataset, data)
    known = {} if said else _found(data.loc[dataset], printed.name, train_rows.get(dataset, math.nan))
    for column, quantity in PRINTED_COUNTS.items():
        if column not in printed:
            continue
        ours = known.get(column, math.nan)
        if math.isnan(ours):
            verdict = NOT_OBTAINED, said or "not part of this run's configuration"
        else:
            verdict = _judge(printed[column], ours, quantity, data.loc[dataset], printed.name)
        numbers = (printed[column], math.nan, ours, math.nan)
        names = (study, "table1", dataset, "raw", "data", quantity)
        yield (*names, *numbers, *verdict, f"data.csv: {dataset}")


def _not_there(dataset: str, data: pd.DataFrame) -> str:
    """Say why there is no count of ours; empty where there is one."""
    if dataset not in data.index:
        substitutes = data.index[data["substitute_for"] == dataset]
        if len(substitutes):
            return f"not public; its declared substitute is {', '.join(substitutes)}"
        return "not part of this run's configuration"
    row = data.loc[dataset]
    return (row["reason"] or "no reason given") if row["status"] in (NOT_OBTAINED, NOT_RUN) else ""


def _found(row: pd.Series, printed_dataset: str, train: float) -> dict[str, float]:
    """Give the counts of a data set by the columns of the printed ones."""
    is_sum = printed_dataset in SUMMED
    return {name: row[name] for name in ("positives", "negatives", "features")} | {
        "count_first": train,
        "count_second": row["rows"] - train if is_sum else row["rows"],
    }


def _judge(
    printed: float, ours: float, quantity: str, row: pd.Series, printed_dataset: str
) -> tuple[str, str]:
    """Agrees where the counts are equal; what is special about the files is said in any case."""
    said = [f"declared substitute for {printed_dataset}"] if row["substitute_for"] == printed_dataset else []
    said += [row[name].rstrip(".") for name in ("reason", "note") if row[name]]
    meaning = MEANINGS.get(quantity, "")
    if quantity == "second_count" and printed_dataset in SUMMED:
        meaning = "rows of a test part"
    counted = f" ({meaning})" if meaning else ""
    if ours == printed:
        return AGREES, "; ".join([f"the count is equal{counted}", *said])
    where = "the splits" if quantity == "first_count" else "the files"
    return DIFFERS, "; ".join(
        [f"{where} hold {ours:.0f}{counted}: other data than those that are printed", *said]
    )
