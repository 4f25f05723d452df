"""From a table with columns to a Table: which column is the label, which the query, which are left out."""

import numpy as np
import pandas as pd

from reproduction.data.entry import nearest
from reproduction.data.errors import DataError
from reproduction.data.readers.queries import in_parts
from reproduction.data.table import Table, as_text


def as_table(frame, names, spec, file):
    """Take label, query and features apart.

    `frame` (DataFrame, shape (n, c)): columns 0, 1, ... `names`: of the columns; None where the file does not
    name them. `spec`: ``spec.options``: ``label_column``, ``query_column`` and the columns ``left_out``, each
    by its name or its number from 0 or from the end; ``missing``, the mark of a missing value (rows that have
    one are dropped and counted). `file`: for messages. Raises `DataError`: no such column, another number of
    features, a label that is empty, or a cell that is no finite number.
    """
    options, width = spec.options, frame.shape[1]

    def column(key, named):
        return position(named, names, width, f"{key} of the data set {spec.name}", file)

    label = column("label_column", options["label_column"])
    query = column("query_column", options["query_column"]) if "query_column" in options else None
    apart = {label, query, *(column("left_out", named) for named in options.get("left_out", ()))}
    columns = [c for c in range(width) if c not in apart]
    if len(columns) != spec.features_in_files:
        raise DataError(
            f"{file} has {len(columns)} feature columns where {spec.features_in_files} are expected: "
            f"{spec.remedy}"
        )
    mark = options.get("missing")
    above = int(bool(options.get("header")))
    X, missing = numbers(frame, columns, file, mark, names, _remedy(spec, names), above)
    dropped = ({"count": int(missing.sum()), "why": f"a value is missing ({mark})"},) if missing.any() else ()
    empty = frame[label].isna() | (frame[label].astype(str).str.strip() == "")
    if empty.any():
        row = frame.index[int(np.argmax(empty.to_numpy()))] + 1 + above
        raise DataError(f"{file} holds no label in row {row}: {spec.remedy}")
    if query is None:
        return Table(X[~missing], _text(frame[label])[~missing], dropped=dropped)
    grades, _ = numbers(frame, [label], file, None, names, _remedy(spec, names), above)
    qid = _text(frame[query])
    return in_parts(X[~missing], grades[~missing, 0], qid[~missing], spec, dropped)


def position(named, names, width, what, file):
    """Return the number of a column that is given by its name or its number.

    Raises `DataError`: there is none, or several have that name.
    """
    if isinstance(named, str):
        if names is None:
            raise DataError(
                f"{what} is {named!r}, but {file} is read without names of columns: write header: true, or "
                "the column's number, from 0."
            )
        if names.count(named) > 1:
            raise DataError(f"{what} is {named!r}, the name of several columns of {file}: give its number.")
        if named not in names:
            raise DataError(f"{what} is {named!r}, which is no column of {file}{nearest(named, names)}")
        return names.index(named)
    if not -width <= named < width:
        raise DataError(
            f"{what} is {named}, but the {width} columns of {file} have the numbers 0 to {width - 1}, or "
            f"{-width} to -1 from the end."
        )
    return named % width


def numbers(
    frame,
    columns,
    file,
    missing=None,
    names=None,
    remedy="replace the file by the official one.",
    above=0,
):
    """Turn the cells of some columns into numbers.

    `frame`: DataFrame, shape (n, ...). `columns`: sequence of int, length d. `file`: for messages. `missing`:
    the mark of a missing value. `names`: of the columns. `remedy`: the end of the sentence on a cell that is
    no number. `above`: rows of the file above the first one. Returns `X` (ndarray, shape (n, d)): NaN where a
    value is marked as missing; `rows` (ndarray of bool, shape (n,)): which rows have such a value. Raises
    `DataError`: any other cell is not a finite number; names row and column of the file.
    """
    X = np.empty((len(frame), len(columns)))
    rows = np.zeros(len(frame), dtype=bool)
    for j, column in enumerate(columns):
        cells = frame[column]
        marked = (cells == missing).to_numpy(dtype=bool, na_value=False)
        if not pd.api.types.is_numeric_dtype(cells):
            cells = cells.astype(str)  # pandas would turn a date into a number
        X[:, j] = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        bad = ~np.isfinite(X[:, j]) & ~marked
        if bad.any():
            row = int(np.argmax(bad))
            shown = column + 1 if names is None else repr(names[column])
            raise DataError(
                f"{file} holds {str(frame[column].iloc[row])!r} in row "
                f"{frame.index[row] + 1 + above}, column {shown}, where a finite number is "
                f"needed: {remedy}"
            )
        rows |= marked
    return X, rows


def _text(column):
    """Cells as the text that label rules are written in."""
    if pd.api.types.is_numeric_dtype(column):
        return as_text(column.to_numpy(dtype=float))
    return column.to_numpy(dtype=str)


def _remedy(spec, names):
    """Say what to do about a cell that is no number."""
    if not spec.files[0].path:
        return spec.remedy
    if names is None:
        return (
            "correct the file, or write header: true if its first row names the columns, or name the "
            "column in left_out."
        )
    return "correct the file, or name the column in left_out, or the mark of missing values in missing."
