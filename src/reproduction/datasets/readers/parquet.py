"""A Parquet file: a table whose columns have names and types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from reproduction.core.errors import DataError
from reproduction.datasets.readers.columns import make_table
from reproduction.datasets.readers.queries import read_query_sizes

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table


def read_parquet(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the one file of a data set.

    Parameters
    ----------
    spec : DataSet
        `columns.make_table` describes the options.
    paths : dict of str to Path

    Returns
    -------
    Table

    Raises
    ------
    DataError
        The file is no Parquet, pyarrow is missing, or `columns.make_table` refuses the table.
    """
    (file,) = spec.tables
    frame, names = read_frame(paths[file.name], file.name)
    return make_table(frame, names, spec, file.name, read_query_sizes(spec, paths))


def read_frame(path: Path, name: str) -> tuple[pd.DataFrame, list[str]]:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
    name : str
        Name of the file, for messages.

    Returns
    -------
    frame : DataFrame, shape (n, c)
        Columns 0, 1, ...
    names : list of str, length c

    Raises
    ------
    DataError
        The file is damaged, or pyarrow is missing.
    """
    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise DataError(
            f"{name} is a Parquet file, which needs pyarrow: pip install pyarrow, or write the table as CSV."
        ) from error
    except Exception as error:  # a damaged file raises what its damaged part makes of pandas
        message = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"{name} cannot be read as Parquet ({message}): take an intact file.") from error
    names = [str(column) for column in frame.columns]
    objects = frame.select_dtypes(object)
    nested = [column for column in objects if objects[column].map(pd.api.types.is_list_like).any()]
    if nested:
        raise DataError(f"{name} has lists in the column {nested[0]!r}: give each entry a column of its own.")
    frame = frame.reset_index(drop=True)
    # Columns are found by position from here on, as in files without a header.
    frame.columns = range(len(names))
    return frame, names
