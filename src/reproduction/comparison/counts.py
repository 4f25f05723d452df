"""The counts that a paper prints beside each data set, against those of the files and of the splits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from reproduction.comparison.verdicts import AGREES, COLUMNS, DIFFERS
from reproduction.printed import DATA, data_counts
from reproduction.results import to_numbers
from reproduction.tables import NOT_OBTAINED, NOT_RUN

TRAINING, TEST, WHOLE = "rows of a training part", "rows of a test part", "rows of the whole data set"
"""What a printed count may count that is no column of the table of data sets."""

Meanings = Mapping[str, tuple[str, Mapping[str, str]]]
"""Quantity -> what it counts, and what it counts instead on some of the data sets."""

COUNTED = ("rows", "features", "positives", "negatives")
"""Columns of the table of data sets that are read here."""


def compare_counts(
    study: str,
    printed: pd.DataFrame,
    data: pd.DataFrame,
    train_rows: Mapping[str, float] | None = None,
    meanings: Meanings | None = None,
) -> pd.DataFrame:
    """Set the printed counts of each data set beside ours.

    Parameters
    ----------
    study : str
    printed : pandas.DataFrame
        Rows of `printed.read_printed`.
    data : pandas.DataFrame
        Rows of `inputs.read_data`.
    train_rows : mapping of str to float, optional
        Data set -> how many rows the training parts of its splits have.
    meanings : Meanings, optional
        What the paper counts beyond the columns of `data`.

    Returns
    -------
    pandas.DataFrame
        The columns of `verdicts.COLUMNS`, the method is "data": a row for each printed count, and one for
        that of each declared substitute.
    """
    columns = dict.fromkeys([*data.columns, *COUNTED, "substitute_for", "note"])
    data = to_numbers(data.reindex(columns=list(columns), fill_value=""), COUNTED, "data.csv")
    data = data.set_index("dataset")
    rows = []
    for dataset, counts in data_counts(printed).iterrows():
        meant = {name: others.get(dataset, usual) for name, (usual, others) in (meanings or {}).items()}
        for named in (dataset, *data.index[data["substitute_for"] == dataset]):
            rows += _of_dataset(study, named, counts.dropna(), data, (train_rows or {}).get(named), meant)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def rows_of_training_parts(fits: pd.DataFrame) -> dict[str, float]:
    """Count the rows of the training parts of each data set, as the chosen fits saw them."""
    chosen = fits[fits["role"] == "chosen"]
    rows = chosen["n_train_positives"] + chosen["n_train_negatives"]
    return rows.groupby(chosen["dataset"]).median().dropna().to_dict()


def _of_dataset(
    study: str,
    dataset: str,
    printed: pd.Series,
    data: pd.DataFrame,
    train: float | None,
    meant: Mapping[str, str],
) -> Iterator[tuple]:
    """Judge the counts of one data set, or of a substitute of it."""
    said = _not_there(dataset, data)
    for quantity, count in printed.items():
        counted = meant.get(quantity, "")
        ours = math.nan if said else _ours(quantity, counted, data.loc[dataset], train)
        if math.isnan(ours):
            verdict = NOT_OBTAINED, said or "not part of this run's configuration"
        else:
            verdict = _judge(count, ours, counted, data.loc[dataset], printed.name)
        names = (study, "table1", dataset, "raw", DATA, quantity)
        yield (*names, count, math.nan, ours, math.nan, *verdict, f"data.csv: {dataset}")


def _not_there(dataset: str, data: pd.DataFrame) -> str:
    """Say why there is no count of ours; empty where there is one."""
    if dataset not in data.index:
        substitutes = data.index[data["substitute_for"] == dataset]
        if len(substitutes):
            return f"not public; its declared substitute is {', '.join(substitutes)}"
        return "not part of this run's configuration"
    row = data.loc[dataset]
    return (row["reason"] or "no reason given") if row["status"] in (NOT_OBTAINED, NOT_RUN) else ""


def _ours(quantity: str, counted: str, row: pd.Series, train: float | None) -> float:
    """Count what is printed; NaN where the run does not say."""
    train = math.nan if train is None else train
    of_rows = {TRAINING: train, TEST: row["rows"] - train, WHOLE: row["rows"]}
    column = quantity.removesuffix("_count")
    return of_rows[counted] if counted else row[column] if column in COUNTED else math.nan


def _judge(
    printed: float, ours: float, counted: str, row: pd.Series, printed_dataset: str
) -> tuple[str, str]:
    """Agrees where the counts are equal; what is special about the files is said in any case."""
    said = [f"declared substitute for {printed_dataset}"] if row["substitute_for"] == printed_dataset else []
    said += [row[name].rstrip(".") for name in ("reason", "note") if row[name]]
    meaning = f" ({counted})" if counted else ""
    if ours == printed:
        return AGREES, "; ".join([f"the count is equal{meaning}", *said])
    where = "the splits" if counted == TRAINING else "the files"
    return DIFFERS, "; ".join(
        [f"{where} hold {ours:.0f}{meaning}: other data than those that are printed", *said]
    )
