"""Comma-separated rows without a header, as UCI gives them."""

import numpy as np
import pandas as pd

from reproduction.data.errors import DataError
from reproduction.data.table import Table

ROWS_AT_ONCE = 50_000


def read_delimited(spec, paths):
    """Read the one file of a data set.

    ``spec.options``: ``label_column`` and ``id_column`` (positions from 0, may be negative; an id is no
    feature) and ``missing`` (the mark of a missing value; rows that have one are dropped and counted).

    Returns
    -------
    Table

    Raises
    ------
    DataError
        Rows of different length, another number of columns, or a cell that is no finite number.
    """
    (file,) = spec.files
    frame = read_frame(paths[file.name], file.name, text_columns=[spec.options["label_column"]])
    return _table(frame, spec, file.name)


def stream_delimited(spec, paths):
    """Yield the rows of :func:`read_delimited` in blocks, each a Table."""
    (file,) = spec.files
    for frame in frames(paths[file.name], file.name, [spec.options["label_column"]], ROWS_AT_ONCE):
        yield _table(frame, spec, file.name)


def _table(frame, spec, name):
    """Take label, features and rows apart."""
    options, width = spec.options, frame.shape[1]
    label = options["label_column"] % width
    left_out = {label, options["id_column"]} if "id_column" in options else {label}
    columns = [c for c in range(width) if c not in left_out]
    if len(columns) != spec.features_in_files:
        raise DataError(
            f"{name} has {len(columns)} feature columns where {spec.features_in_files} are expected."
        )
    X, missing = numbers(frame, columns, name, options.get("missing"))
    why = f"a value is missing ({options.get('missing')})"
    dropped = ({"count": int(missing.sum()), "why": why},) if missing.any() else ()
    return Table(X[~missing], frame[label].to_numpy(dtype=str)[~missing], dropped=dropped)


def read_frame(path, name, text_columns=()):
    """Read a table without interpreting anything as missing.

    Parameters
    ----------
    path : path
    name : str
        For messages.
    text_columns : sequence of int
        Positions, from 0 or from the end, of the columns that stay text.

    Returns
    -------
    DataFrame
        Columns 0, 1, ...; a column is numeric where all of its cells are.
    """
    (frame,) = frames(path, name, text_columns)
    return frame


def frames(path, name, text_columns=(), rows_at_once=None):
    """Yield the table of :func:`read_frame` in pieces of some rows, or whole."""
    try:
        width = pd.read_csv(path, header=None, nrows=1, dtype=str).shape[1]
        read = pd.read_csv(
            path,
            header=None,
            dtype={c % width: str for c in text_columns},
            skipinitialspace=True,
            keep_default_na=False,
            low_memory=False,
            chunksize=rows_at_once,
        )
        if rows_at_once is None:
            yield read
        else:
            with read:
                yield from read
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(
            f"{name} is no table of comma-separated rows ({str(error).strip()}): replace it by the official "
            "file."
        ) from error


def numbers(frame, columns, name, missing=None):
    """Turn the cells of some columns into numbers.

    Parameters
    ----------
    frame : DataFrame, shape (n, ...)
    columns : sequence of int, length d
    name : str
        For messages.
    missing : str, optional
        The mark of a missing value.

    Returns
    -------
    X : ndarray, shape (n, d)
        NaN where a value is marked as missing.
    rows : ndarray of bool, shape (n,)
        Which rows have such a value.

    Raises
    ------
    DataError
        Any other cell is not a finite number; names row and column of the file.
    """
    X = np.empty((len(frame), len(columns)))
    rows = np.zeros(len(frame), dtype=bool)
    for j, column in enumerate(columns):
        marked = (frame[column] == missing).to_numpy(dtype=bool)
        X[:, j] = pd.to_numeric(frame[column], errors="coerce")
        bad = ~np.isfinite(X[:, j]) & ~marked
        if bad.any():
            row = int(np.argmax(bad))
            raise DataError(
                f"{name} holds {str(frame[column].iloc[row])!r} in row {frame.index[row] + 1}, column "
                f"{column + 1}, where a finite number is needed: replace the file by the official one."
            )
        rows |= marked
    return X, rows
