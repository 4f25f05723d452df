"""What a user should know of a data set of their own: ids among its features, repeated rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from reproduction.datasets.readers.cells import is_distinct
from reproduction.datasets.row_counts import REPETITION_WARNING, count_repeated_rows

if TYPE_CHECKING:
    from reproduction.datasets.table import Table

_ID = re.compile(
    r"(.*[\W_])?(id|ids|uuid|guid|identifier)|[a-z0-9]+I[dD]|index|row_?names?|unnamed: 0|", re.ASCII
)
"""Names of a column that tells rows apart; pandas and R leave the one of the row names empty."""


def list_warnings(
    table: Table, frame: pd.DataFrame, columns: Sequence[int], names: list[str] | None
) -> list[str]:
    """List sentences on the columns of a table that look like ids, and on repeated rows.

    Parameters
    ----------
    table : Table
    frame : DataFrame
        What the table is made of.
    columns : sequence of int
        Columns of the features.
    names : list of str or None
        Of all columns; None where the file has none.

    Returns
    -------
    list of str
    """
    warnings = []
    for column in columns:
        name = str(column) if names is None else names[column]
        reason = _explain_id(frame[column], name if names else None)
        if reason:
            remedy = f"leave it out with --left-out {shlex.quote(name)}, unless it is a feature"
            warnings.append(f"the column {name!r} {reason}: {remedy}")
    return warnings + describe_repetition(table)


def describe_repetition(table: Table) -> list[str]:
    """Say how many rows of a table repeat the features of another one.

    Parameters
    ----------
    table : Table

    Returns
    -------
    list of str
        One sentence; empty if no row does.
    """
    count = count_repeated_rows(table.X, table.qid)
    return [f"{count} of {table.X.shape[0]} rows {REPETITION_WARNING}"] if count else []


def _explain_id(cells: pd.Series, name: str | None) -> str | None:
    """Say why a column looks like an id; empty or None if it does not."""
    if name is not None and (_ID.fullmatch(name) or _ID.fullmatch(name.lower())):
        return "is named like an id"
    is_measured = pd.api.types.is_float_dtype(cells)  # numbers with decimals differ without being ids
    return "has another value in each row, like an id" if is_distinct(cells) and not is_measured else ""


def suggest_query_ids(labels: Collection[str]) -> str:
    """End a sentence on labels of which none is named positive: they may be grades without their queries.

    Parameters
    ----------
    labels : collection of str
        The different raw labels.

    Returns
    -------
    str
        Empty unless there are at least three labels, all whole numbers from 0.
    """
    numbers = pd.to_numeric(pd.Series(list(labels), dtype=object), errors="coerce")
    # grades are whole numbers from 0, at least three of them: two values are classes
    if len(labels) < 3 or numbers.isna().any() or (numbers < 0).any() or (numbers % 1 > 0).any():
        return ""
    return (
        " If they are grades of relevance, say which rows belong to a query: --qid names the column of a "
        "table, SVMlight text has qid: in each line, and --group takes a file with the sizes of the queries."
    )
