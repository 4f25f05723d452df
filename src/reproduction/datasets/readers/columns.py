"""From a table with columns to a Table: which column is the label, which the query, which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reproduction.core.errors import DataError, suggest_nearest
from reproduction.datasets.readers.cells import (
    convert_to_text,
    encode_categories,
    fill_by_median,
    mask_missing,
    refuse_unreadable,
)
from reproduction.datasets.readers.queries import assign_parts, number_queries
from reproduction.datasets.specs import MEDIAN
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet


def make_table(
    frame: pd.DataFrame, names: list[str] | None, spec: DataSet, file: str, sizes: np.ndarray | None = None
) -> Table:
    """Take label, query and features apart.

    Parameters
    ----------
    frame : DataFrame of shape (n, c)
        Columns 0, 1, ...
    names : list of str or None
        Of the columns; None where the file does not name them.
    spec : DataSet
        ``spec.options``: ``label_column``, ``query_column`` and the columns ``left_out``, each by its name or
        its number from 0 or from the end; the columns ``one_hot``, whose values become features, which stand
        after the other ones; ``missing``, the mark of a missing value, and ``missing_cells``, what becomes of
        those and of empty cells (by default rows with a mark are dropped and counted).
    file : str
        Name of the file, for messages.
    sizes : ndarray of int, optional
        What `queries.read_query_sizes` read, in place of a column of queries.

    Returns
    -------
    Table
        With queries, its rows lie part by part, see `queries.assign_parts`.

    Raises
    ------
    DataError
        No such column, another number of features, a label that is empty, or a cell that is no finite number.
    """
    options, width = spec.options, frame.shape[1]

    def column(key: str, named: str | int) -> int:
        """Find the position of a column that an option names.

        Parameters
        ----------
        key : str
            Option of the data set, for messages.
        named : str or int
            Name or position of the column.

        Returns
        -------
        int
            Position, from 0.

        Raises
        ------
        DataError
            There is no such column.
        """
        return find_column(named, names, width, f"{key} of the data set {spec.name}", file)

    label = column("label_column", options["label_column"])
    query = column("query_column", options["query_column"]) if "query_column" in options else None
    # 1. roles of the columns: label, query, left out, categories, numeric features
    excluded = {label, query, *(column("left_out", named) for named in options.get("left_out", ()))}
    categories = sorted({column("one_hot", named) for named in options.get("one_hot", ())} - excluded)
    columns = [c for c in range(width) if c not in excluded and c not in categories]
    if not categories:
        _check_width(len(columns), spec, file)
    # the marks of missing cells, and empty cells where their treatment is declared
    marks = (str(options["missing"]),) if "missing" in options else ()
    marks += ("",) if "missing_cells" in options else ()
    n_header_rows = int(bool(options.get("header")))
    if spec.files[0].path:
        refuse_unreadable(frame, columns, categories, names, file, marks)
    remedy = _suggest_remedy(spec, names)
    # 2. numbers, labels and queries
    X, missing = parse_numbers(frame, columns, file, marks, names, remedy, n_header_rows)
    is_dropping = bool(marks) and options.get("missing_cells") != MEDIAN
    for role, c in (("label", label), ("query", query)):
        if c is not None:
            unknown = mask_missing(frame[c], (*marks, ""))
            if unknown.any() and not is_dropping:  # the first such row is named by its line in the file
                row = frame.index[int(np.argmax(unknown))] + 1 + n_header_rows
                raise DataError(f"{file} holds no {role} in row {row}: {spec.remedy}")
            missing = missing | unknown
    query_ids = None if query is None else convert_to_text(frame[query])
    query_ids = query_ids if sizes is None else number_queries(sizes, len(frame), spec)
    # 3. missing values: fill them by the median, or drop their rows
    dropped, notes = (), ()
    if options.get("missing_cells") == MEDIAN:
        X, n_filled = fill_by_median(X, [_name_column(c, names) for c in columns], file)
        if n_filled:
            notes = (f"{n_filled} missing cells hold the median of their column over all rows.",)
    else:
        for c in categories:
            missing |= mask_missing(frame[c], marks)
        if missing.any():
            frame, X = frame[~missing], X[~missing]
            query_ids = None if query_ids is None else query_ids[~missing]
        why = f"a value is missing ({', '.join(str(mark) or 'empty' for mark in marks)})"
        dropped = ({"count": int(missing.sum()), "why": why},) if missing.any() else ()
    # 4. names of the features, and one-hot encoding of categories
    features = [_name_column(c, names) for c in columns] if names or categories else []
    if categories:
        encoded, category_features = encode_categories(frame, categories, names or range(width), marks)
        X, features = sp.hstack([sp.csr_array(X), encoded], format="csr"), features + category_features
        _check_width(X.shape[1], spec, file)
    if query_ids is None:
        table = Table(X, convert_to_text(frame[label]), dropped=dropped)
    else:
        grades, _ = parse_numbers(frame, [label], file, (), names, remedy, n_header_rows)
        table = assign_parts(X, grades[:, 0], query_ids, spec, dropped)
    return replace(table, names=tuple(features), notes=notes)


def _check_width(n_features: int, spec: DataSet, file: str) -> None:
    """Refuse another number of features than the entry states; a draft of an entry states none."""
    if spec.expected and n_features != spec.features_in_files:
        raise DataError(
            f"{file} has {n_features} feature columns where {spec.features_in_files} are expected: "
            f"{spec.remedy}"
        )


def _name_column(column: int, names: list[str] | None) -> str:
    """Return the name of a column, or its number where the file names none."""
    return str(column) if names is None else names[column]


def find_column(key: str | int, names: list[str] | None, width: int, subject: str, file: str) -> int:
    """Return the number of a column that is given by its name or its number.

    Parameters
    ----------
    key : str or int
        Name, or number from 0; a negative one counts from the end.
    names : list of str or None
        Of the columns; None where the file does not name them.
    width : int
        Number of columns.
    subject : str
        What names the column, for messages.
    file : str
        Name of the file, for messages.

    Returns
    -------
    int
        From 0 to ``width - 1``.

    Raises
    ------
    DataError
        There is no such column, or several have that name.
    """
    if isinstance(key, str):
        if names is None:
            raise DataError(
                f"{subject} is {key!r}, but {file} is read without names of columns: write header: true, or "
                "the column's number, from 0."
            )
        if names.count(key) > 1:
            raise DataError(f"{subject} is {key!r}, the name of several columns of {file}: give its number.")
        if key not in names:
            raise DataError(
                f"{subject} is {key!r}, which is not a column of {file}{suggest_nearest(key, names)}"
            )
        return names.index(key)
    # a negative number counts from the end, as in Python
    if not -width <= key < width:
        raise DataError(
            f"{subject} is {key}, but the {width} columns of {file} have the numbers 0 to {width - 1}, or "
            f"{-width} to -1 from the end."
        )
    return key % width


def parse_numbers(
    frame: pd.DataFrame,
    columns: Sequence[int],
    file: str,
    marks: Sequence[str] = (),
    names: list[str] | None = None,
    remedy: str = "replace the file by the official one.",
    n_header_rows: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Turn the cells of some columns into numbers.

    Parameters
    ----------
    frame : DataFrame of shape (n, ...)
    columns : sequence of int, length d
    file : str
        Name of the file, for messages.
    marks : tuple
        Marks of a missing value, see `cells.mask_missing`.
    names : list of str or None
        Of the columns.
    remedy : str
        The end of the sentence on a cell that is no number.
    n_header_rows : int
        Rows of the file above the first one.

    Returns
    -------
    X : ndarray of shape (n, d)
        NaN where a value is missing.
    rows : ndarray of bool of shape (n,)
        Which rows have such a value.

    Raises
    ------
    DataError
        Any other cell is not a finite number; names row and column of the file.
    """
    X = np.empty((len(frame), len(columns)))
    rows = np.zeros(len(frame), dtype=bool)
    for j, column in enumerate(columns):
        cells = frame[column]
        marked = mask_missing(cells, marks)
        if not pd.api.types.is_numeric_dtype(cells):
            cells = cells.astype(str)  # pandas would turn a date into a number
        X[:, j] = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        X[marked, j] = np.nan
        bad = ~np.isfinite(X[:, j]) & ~marked
        if bad.any():
            row = int(np.argmax(bad))
            column_name = column + 1 if names is None else repr(names[column])
            raise DataError(
                f"{file} holds {str(frame[column].iloc[row])!r} in row "
                f"{frame.index[row] + 1 + n_header_rows}, column {column_name}, where a finite number is "
                f"needed: {remedy}"
            )
        rows |= marked
    return X, rows


def _suggest_remedy(spec: DataSet, names: list[str] | None) -> str:
    """Say what to do about a cell that is no number."""
    if not spec.files[0].path:
        return spec.remedy
    if names is None:
        return (
            "correct the file, or write header: true if its first row names the columns, or name the "
            "column in left_out."
        )
    return (
        "correct the file, or add --left-out with the column, --categories if its values are kinds, or "
        "--mark with the mark of a missing value."
    )
