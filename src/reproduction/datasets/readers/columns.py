"""From a table with columns to a Table: which column is the label, which the query, which are left out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reproduction.core.errors import DataError
from reproduction.datasets.readers.cells import (
    as_words,
    encode_categories,
    fill_by_median,
    is_missing,
    refuse_unread,
)
from reproduction.datasets.readers.queries import in_parts, queries_of
from reproduction.datasets.registry_schema import nearest
from reproduction.datasets.specs import MEDIAN
from reproduction.datasets.table import Table


def as_table(frame, names, spec, file, sizes=None):
    """Take label, query and features apart.

    `frame` (DataFrame, shape (n, c)): columns 0, 1, ... `names`: of the columns; None where the file does not
    name them. `spec`: ``spec.options``: ``label_column``, ``query_column`` and the columns ``left_out``, each
    by its name or its number from 0 or from the end; the columns ``one_hot``, whose values become features,
    which stand after the other ones; ``missing``, the mark of a missing value, and ``missing_cells``, what
    becomes of those and of empty cells (by default rows with a mark are dropped and counted). `file`: for
    messages. `sizes`: what `queries.query_sizes` read, in place of a column of queries. Raises `DataError`:
    no such column, another number of features, a label that is empty, or a cell that is no finite number.
    """
    options, width = spec.options, frame.shape[1]

    def column(key, named):
        return position(named, names, width, f"{key} of the data set {spec.name}", file)

    label = column("label_column", options["label_column"])
    query = column("query_column", options["query_column"]) if "query_column" in options else None
    apart = {label, query, *(column("left_out", named) for named in options.get("left_out", ()))}
    categories = sorted({column("one_hot", named) for named in options.get("one_hot", ())} - apart)
    columns = [c for c in range(width) if c not in apart and c not in categories]
    if not categories:
        _check_width(len(columns), spec, file)
    marks = tuple(options[key] for key in ("missing",) if key in options)
    marks += ("",) if "missing_cells" in options else ()
    above = int(bool(options.get("header")))
    if spec.files[0].path:
        refuse_unread(frame, columns, categories, names, file, marks)
    remedy = _remedy(spec, names)
    X, missing = numbers(frame, columns, file, marks, names, remedy, above)
    empty = frame[label].isna() | (frame[label].astype(str).str.strip() == "")
    if empty.any():
        row = frame.index[int(np.argmax(empty.to_numpy()))] + 1 + above
        raise DataError(f"{file} holds no label in row {row}: {spec.remedy}")
    of_query = None if query is None else as_words(frame[query])
    of_query = of_query if sizes is None else queries_of(sizes, len(frame), spec)
    dropped, notes = (), ()
    if options.get("missing_cells") == MEDIAN:
        X, n_filled = fill_by_median(X, [_shown(c, names) for c in columns], file)
        if n_filled:
            notes = (f"{n_filled} missing cells hold the median of their column over all rows.",)
    else:
        for c in categories:
            missing |= is_missing(frame[c], marks)
        if missing.any():
            frame, X = frame[~missing], X[~missing]
            of_query = None if of_query is None else of_query[~missing]
        why = f"a value is missing ({', '.join(str(mark) or 'empty' for mark in marks)})"
        dropped = ({"count": int(missing.sum()), "why": why},) if missing.any() else ()
    features = [_shown(c, names) for c in columns] if names or categories else []
    if categories:
        encoded, of_categories = encode_categories(frame, categories, names or range(width), marks)
        X, features = sp.hstack([sp.csr_array(X), encoded], format="csr"), features + of_categories
        _check_width(X.shape[1], spec, file)
    if of_query is None:
        table = Table(X, as_words(frame[label]), dropped=dropped)
    else:
        grades, _ = numbers(frame, [label], file, (), names, remedy, above)
        table = in_parts(X, grades[:, 0], of_query, spec, dropped)
    return replace(table, names=tuple(features), notes=notes)


def _check_width(n_features, spec, file):
    """Refuse another number of features than the entry states; a draft of an entry states none."""
    if spec.expected and n_features != spec.features_in_files:
        raise DataError(
            f"{file} has {n_features} feature columns where {spec.features_in_files} are expected: "
            f"{spec.remedy}"
        )


def _shown(column, names):
    return str(column) if names is None else names[column]


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
    marks=(),
    names=None,
    remedy="replace the file by the official one.",
    above=0,
):
    """Turn the cells of some columns into numbers.

    `frame`: DataFrame, shape (n, ...). `columns`: sequence of int, length d. `file`: for messages. `marks`:
    of a missing value, see `cells.is_missing`. `names`: of the columns. `remedy`: the end of the sentence on
    a cell that is no number. `above`: rows of the file above the first one. Returns `X` (ndarray, shape (n,
    d)): NaN where a value is missing; `rows` (ndarray of bool, shape (n,)): which rows have such a value.
    Raises `DataError`: any other cell is not a finite number; names row and column of the file.
    """
    X = np.empty((len(frame), len(columns)))
    rows = np.zeros(len(frame), dtype=bool)
    for j, column in enumerate(columns):
        cells = frame[column]
        marked = is_missing(cells, marks)
        if not pd.api.types.is_numeric_dtype(cells):
            cells = cells.astype(str)  # pandas would turn a date into a number
        X[:, j] = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        X[marked, j] = np.nan
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


def _remedy(spec, names):
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
