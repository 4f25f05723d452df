"""Cells and columns that the tables of several papers share, made for the records of `table_views`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from reproduction.core.formatting import format_mean_std, format_short
from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import method_label
from reproduction.specs.table_views import Cell, Column, Row, SubText


def number_cell(
    value: float, format_value: Callable[[float], str] = format_short, missing: str = "–", **options: Any
) -> Cell:
    """Make the cell of a number.

    Parameters
    ----------
    value : float
        The number.
    format_value : Callable[[float], str], optional
        Writes it.
    missing : str, optional
        What stands where it is NaN.
    **options : dict
        Further fields of the cell.

    Returns
    -------
    Cell
        The cell.
    """
    if pd.isna(value):
        return Cell(missing, is_absent=True, **options)
    return Cell(format_value(value), value, **options)


def missing_text(row: Row) -> str:
    """Return what stands in the cells of a row that have no number.

    Parameters
    ----------
    row : Row
        Row of a table with the column ``data_status``.

    Returns
    -------
    str
        "not obtained", "not run" or "not defined".
    """
    return (
        row["data_status"] if row["data_status"] in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else "not defined"
    )


def value_cell(name: str, format_value: Callable[[float], str] = format_short) -> Callable[[Row], Cell]:
    """Return the function that shows the number of a column, or why there is none.

    Parameters
    ----------
    name : str
        Name of the column.
    format_value : Callable[[float], str], optional
        Writes the number.

    Returns
    -------
    callable
        Row -> cell.
    """
    return lambda row: number_cell(row[name], format_value, missing_text(row))


def mean_cell(name: str) -> Callable[[Row], Cell]:
    """Return the function that shows a mean and its standard deviation.

    Parameters
    ----------
    name : str
        Beginning of the columns ``<name>_mean`` and ``<name>_std``.

    Returns
    -------
    callable
        Row -> cell.
    """
    return lambda row: _spread_cell(row, name, missing_text(row))


def published_mean_cell(name: str) -> Callable[[Row], Cell]:
    """Return the function that shows the published mean and standard deviation of a quantity.

    Parameters
    ----------
    name : str
        Name of the quantity.

    Returns
    -------
    callable
        Row -> cell.
    """
    return lambda row: _spread_cell(row, f"published_{name}", "not published")


def _spread_cell(row: Row, name: str, word: str) -> Cell:
    """Make the cell of a mean and its standard deviation; the word stands where there is no mean."""
    return number_cell(row[f"{name}_mean"], lambda mean: format_mean_std(mean, row[f"{name}_std"]), word)


def has_value(name: str) -> Callable[[Row], bool]:
    """Return the predicate whether a row has a number in a column, so that its cell leads to the fits.

    Parameters
    ----------
    name : str
        Name of the column.

    Returns
    -------
    callable
        Row -> bool.
    """
    return lambda row: has_fits(row) and not math.isnan(row[name])


def has_fits(row: Row) -> bool:
    """Return whether a row may have fits; a data set that was not obtained has a fit with this status.

    For a data set that the study did not ask for, the page finds none and makes no link.

    Parameters
    ----------
    row : Row
        Row with the columns ``dataset`` and ``data_status``.

    Returns
    -------
    bool
        False for a mean over data sets, and for what was not run.
    """
    return row["dataset"] != MEAN_DATASET and row["data_status"] != STATUS_NOT_RUN


def _dataset_cell(row: Row) -> Cell:
    """Make the cell of the data set of a row, with its status, substitute or note."""
    note = row.get("note", "none")
    # the first that applies stands below the name; the reason or the note is its tooltip
    conditions = {
        f"substitute for {row.get('substitute_for')}": row.get("substitute_for", "none") != "none",
        f"the other variant of {row.get('variant_of')}": row.get("variant_of", "none") != "none",
        row["data_status"]: row["data_status"] != "obtained",
        (note if row["dataset"] == MEAN_DATASET else "see the note"): note != "none",
    }
    sub_text = next((text for text, applies in conditions.items() if applies), "")
    title = next((text for text in (row["reason"], note) if text != "none"), "")
    return Cell(row["dataset"], title=title, sub_texts=(SubText(sub_text),))


def number_columns(*columns: tuple[str, str, str], **options: Any) -> Iterator[Column]:
    """Make columns of numbers.

    Parameters
    ----------
    *columns : tuple of (heading, name, format)
        An empty format writes three significant digits.
    **options : dict
        Further fields of the columns.

    Yields
    ------
    Column
        The columns.
    """
    for heading, name, format_spec in columns:
        format_value = f"{{:{format_spec}}}".format if format_spec else format_short
        yield Column(
            heading,
            lambda row, name=name, format_value=format_value: number_cell(row[name], format_value),
            **options,
        )


def text_cell(name: str) -> Callable[[Row], str]:
    """Return the function that shows the words of a column.

    Parameters
    ----------
    name : str
        Name of the column.

    Returns
    -------
    callable
        Row -> text.
    """
    return lambda row: row[name]


DATASET = Column("Data set", _dataset_cell, latex_heading="Data set", style="", choices="dataset")
DATASET_NAME = Column("Data set", text_cell("dataset"), latex_heading="Data set", style="", choices="dataset")
"""Of the data set, without what is said of it."""
FEATURES = Column("Features", text_cell("feature_scaling"), style="", choices="feature_scaling")
METHOD = Column(
    "Method", lambda row: method_label(row["method"]), latex_heading="Method", style="", choices="method"
)
STATUSES = Column("Statuses", text_cell("statuses"), style="", detail=True)


def without_filter(column: Column) -> Column:
    """Return the column without its filter.

    Parameters
    ----------
    column : Column
        Column of a table.

    Returns
    -------
    Column
        A copy.
    """
    return replace(column, choices="")
