"""Cells that are no numbers: missing values and words, and the features that are made of them."""

from collections.abc import Iterable, Sequence, Sized
from shlex import quote

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reproduction.core.errors import DataError
from reproduction.datasets.specs import DROP, MEDIAN
from reproduction.datasets.table import convert_labels_to_text

MIN_NUMERIC_SHARE = 0.5
"""Share of the cells of a column, missing ones aside, that are numbers: where fewer are, it holds text."""
MIN_ROWS_OF_ID = 20
"""Of a column whose values are compared with an id: in fewer rows they may all differ by chance."""


def mask_missing(cells: pd.Series, marks: Sequence[str]) -> pd.Series:
    """Mark the cells of a column that are missing: one of some marks, or "", which an absent value is.

    A mark that is a number is also compared as one, since a column of numbers is read as numbers.

    Parameters
    ----------
    cells : Series, length n
    marks : sequence of str
        Marks of a missing value; "" among them stands for empty and absent cells.

    Returns
    -------
    array or Series of bool, length n
    """
    # marks are compared as text; an absent value of pandas is no text
    missing = cells.isin(marks).to_numpy(dtype=bool, na_value=False)
    if "" in marks:
        blank = cells.astype(str).str.strip() == "" if cells.dtype == object or _is_string(cells) else False
        missing = missing | cells.isna().to_numpy() | np.asarray(blank, dtype=bool)
    # A mark such as -999 is compared by value too: pandas reads a column of numbers as numbers, and as text
    # where a cell is empty.
    marked = pd.to_numeric(pd.Series(list(marks), dtype=object), errors="coerce").dropna()
    if len(marked):
        values = pd.to_numeric(cells, errors="coerce")
        missing = missing | values.isin(marked.astype(float)).to_numpy(dtype=bool, na_value=False)
    return missing


def find_text_columns(frame: pd.DataFrame, columns: Iterable[int], marks: Sequence[str] = ()) -> list[int]:
    """List the columns of a table in which fewer than half of the cells are numbers.

    Parameters
    ----------
    frame : DataFrame, shape (n, ...)
    columns : iterable of int
        Columns to look at.
    marks : sequence of str
        Marks of a missing value, which does not count.

    Returns
    -------
    list of int
    """
    return [column for column in columns if _is_text(frame[column], marks)]


def _is_text(cells: pd.Series, marks: Sequence[str]) -> bool:
    """Whether fewer than `MIN_NUMERIC_SHARE` of the cells that are present are numbers."""
    # what pandas has read as numbers is no text, whatever the values mean
    if pd.api.types.is_numeric_dtype(cells):
        return False
    present = cells[~mask_missing(cells, (*marks, ""))].astype(str)
    return bool(len(present)) and pd.to_numeric(present, errors="coerce").notna().mean() < MIN_NUMERIC_SHARE


def _is_string(cells: pd.Series) -> bool:
    """Whether pandas holds the column in a type of its own for text."""
    return isinstance(cells.dtype, pd.StringDtype)


def encode_categories(
    frame: pd.DataFrame, columns: Sequence[int], names: Sequence[str], marks: Sequence[str] = ()
) -> tuple[sp.csr_array, list[str]]:
    """Make a feature of each value of some columns: 1 in the rows that have it (one-hot encoding).

    Parameters
    ----------
    frame : DataFrame, shape (n, ...)
    columns : sequence of int
        Numbers of the columns.
    names : sequence of str
        Of all columns.
    marks : sequence of str
        Marks of a missing value, which is no category.

    Returns
    -------
    X : csr_array, shape (n, k)
        Column by column in the order given, the values of each in the order of their text.
    features : list of str
        Names of the features, "column=value".
    """
    from sklearn.preprocessing import OneHotEncoder  # late: most tables need no scikit-learn

    values = np.empty((len(frame), len(columns)), dtype=object)
    category_values = []
    for j, column in enumerate(columns):
        missing = mask_missing(frame[column], marks) if marks else np.zeros(len(frame), dtype=bool)
        values[:, j] = convert_to_text(frame[column])
        # a missing value is unknown to the encoder: 0 in all features of its column
        category_values.append(np.unique(values[~missing, j].astype(str)).astype(object))
    encoder = OneHotEncoder(
        categories=category_values,
        handle_unknown="ignore",
        feature_name_combiner=lambda name, value: f"{name}={value}",
    )
    X = encoder.fit_transform(values)
    return sp.csr_array(X), encoder.get_feature_names_out([names[column] for column in columns]).tolist()


def convert_to_text(cells: pd.Series) -> np.ndarray:
    """Convert cells to the text in which label rules and categories are written.

    Parameters
    ----------
    cells : Series, length n

    Returns
    -------
    ndarray of str, shape (n,)
        "" for an absent number.
    """
    if not pd.api.types.is_numeric_dtype(cells):
        return cells.to_numpy(dtype=str)
    if pd.api.types.is_integer_dtype(cells):  # ids of many digits are no floating-point numbers
        return cells.astype("Int64").astype("string").fillna("").to_numpy(dtype=str)
    values = cells.to_numpy(dtype=float, na_value=np.nan)
    words, present = np.full(len(values), "", dtype=object), ~np.isnan(values)
    words[present] = convert_labels_to_text(values[present])
    return words.astype(str)


def fill_by_median(X: np.ndarray, names: Sequence[str], file: str) -> tuple[np.ndarray, int]:
    """Fill the NaN of each feature by the median of its other values.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    names : sequence of str, length d
        Of the features, for the message.
    file : str
        Name of the file, for the message.

    Returns
    -------
    X : ndarray, shape (n, d)
    n_filled : int
        How many cells were filled.

    Raises
    ------
    DataError
        A feature has no value at all.
    """
    is_absent = np.isnan(X)
    if (is_empty := is_absent.all(axis=0)).any() and len(X):
        name = names[int(np.argmax(is_empty))]
        raise DataError(
            f"{file} has no value in the column {name!r}, so no median: add --left-out {quote(name)}."
        )
    # the median over all rows, of training and test part alike: the notes of the data set say so
    frame = pd.DataFrame(X)
    return frame.fillna(frame.median()).to_numpy(), int(is_absent.sum())


def refuse_unreadable(
    frame: pd.DataFrame,
    columns: Sequence[int],
    categories: Sequence[int],
    names: list[str] | None,
    file: str,
    marks: Sequence[str] = (),
) -> None:
    """Refuse columns of text, and empty cells, all at once, with the option of `add` that takes them.

    Parameters
    ----------
    frame : DataFrame, shape (n, ...)
    columns : sequence of int
        Those that are to be features as they are.
    categories : sequence of int
        Those of which features are made.
    names : list of str or None
        Of all columns; None where the file does not name them.
    file : str
        Name of the file, for messages.
    marks : sequence of str
        Of a missing value; with any, empty cells are missing values as well.

    Raises
    ------
    DataError
        There is such a column or cell.
    """

    def describe_column(column: int) -> str:
        """Return what a message calls a column: its name in quotes, or its position.

        Parameters
        ----------
        column : int
            Position of the column.

        Returns
        -------
        str
            Name or position.
        """
        return str(column) if names is None else repr(names[column])

    if text := find_text_columns(frame, columns, marks):
        id_columns = [column for column in text if is_distinct(frame[column])]
        category_columns = [column for column in text if column not in id_columns]
        clauses = []
        if category_columns:
            listed = ", ".join(map(describe_column, category_columns))
            clauses.append(f"{listed} (add --one-hot, which makes a feature of each value)")
        if id_columns:
            options = " ".join(
                f"--left-out {quote(str(c) if names is None else names[c])}" for c in id_columns
            )
            listed = ", ".join(map(describe_column, id_columns))
            clauses.append(f"{listed} (no value occurs again, as in an id: add {options})")
        hints = ", or add --header if its first row names the columns" if names is None else ""
        if any(map(_holds_blanks, (frame[column] for column in text))):
            hints += ", or add --separator spaces if blanks part its cells"
        raise DataError(f"{file} holds text in {_count_noun(text)} {' and '.join(clauses)}{hints}.")
    if marks:
        return
    # without a mark for missing cells, an empty one is an error with a count for each column
    n_empty = {column: int(mask_missing(frame[column], ("",)).sum()) for column in (*columns, *categories)}
    if listed := [f"{describe_column(column)} ({count})" for column, count in n_empty.items() if count]:
        raise DataError(
            f"{file} has empty cells in {_count_noun(listed)} {', '.join(listed)}: add --missing {DROP}, "
            f"which leaves their rows out, or --missing {MEDIAN}, which fills them."
        )


def is_distinct(cells: pd.Series) -> bool:
    """Whether no value of a column occurs again, in at least `MIN_ROWS_OF_ID` rows.

    Parameters
    ----------
    cells : Series

    Returns
    -------
    bool
    """
    return len(cells) >= MIN_ROWS_OF_ID and cells.is_unique


def _holds_blanks(cells: pd.Series) -> bool:
    """Whether the first cell of a column is rather a row: a number, a blank, and more."""
    # "5 3 1" in one cell: blanks separate the columns of this file
    first, *further_words = str(cells.iloc[0]).split() or [""]
    return bool(further_words) and pd.notna(pd.to_numeric(first, errors="coerce"))


def _count_noun(listed: Sized) -> str:
    """Return "the column" or "the columns"."""
    return "the columns" if len(listed) > 1 else "the column"
