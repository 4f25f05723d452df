"""Rows of cells with a separator between them: comma-separated as UCI gives them, or with a header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import pandas as pd

from reproduction.core.errors import DataError
from reproduction.datasets.readers.columns import make_table
from reproduction.datasets.readers.queries import read_query_sizes

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet
    from reproduction.datasets.table import Table

#: Rows of a block of a large file, which bounds the memory of a reader whose set is mapped.
CHUNK_ROWS = 50_000
SEPARATORS = (",", ";", "\t", "|", "spaces")


def read_delimited(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the one file of a data set.

    Parameters
    ----------
    spec : DataSet
        ``spec.options``: what `columns.make_table` reads, and ``header`` (true: the first row names the
        columns) and ``separator`` (one character, by default a comma, or the word spaces).
    paths : dict of str to Path

    Returns
    -------
    Table

    Raises
    ------
    DataError
        Rows of different length, another number of columns, or a cell that is no finite number.
    """
    (table,) = _iterate_tables(spec, paths)
    return table


def stream_delimited(spec: DataSet, paths: dict[str, Path]) -> Iterator[Table]:
    """Yield the rows of :func:`read_delimited` in blocks.

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path

    Yields
    ------
    Table
        At most `CHUNK_ROWS` rows of the file.
    """
    yield from _iterate_tables(spec, paths, CHUNK_ROWS)


def _iterate_tables(spec: DataSet, paths: dict[str, Path], chunk_rows: int | None = None) -> Iterator[Table]:
    """Yield the table of a data set in blocks of some rows, or whole."""
    (file,) = spec.tables
    options, path = spec.options, paths[file.name]
    separator = options.get("separator", ",")
    names = read_names(path, file.name, separator) if options.get("header") else None
    text_columns = [options[key] for key in ("label_column", "query_column") if key in options]
    text_columns += options.get("one_hot", [])
    if names:
        text_columns = [names.index(named) if named in names else named for named in text_columns]
    text_columns = [
        column for column in text_columns if not isinstance(column, str)
    ]  # unknown names are refused later
    for frame in iterate_frames(
        path, file.name, text_columns, chunk_rows, separator, with_header=bool(names)
    ):
        check_names(names, frame, file.name, spec.remedy)
        yield make_table(frame, names, spec, file.name, read_query_sizes(spec, paths))


def check_names(names: Sequence[str], frame: pd.DataFrame, name: str, remedy: str) -> None:
    """Refuse a header that names fewer or more columns than the table has.

    Parameters
    ----------
    names : sequence of str or None
        Names of the columns; None where there is no header.
    frame : DataFrame
    name : str
        Name of the file, for the message.
    remedy : str
        End of the message.

    Raises
    ------
    DataError
        The numbers differ.
    """
    if names and len(names) != frame.shape[1]:
        raise DataError(
            f"{name} names {len(names)} columns where its rows have {frame.shape[1]} cells: {remedy}"
        )


def read_names(path: Path, name: str, separator: str) -> list[str]:
    """Read the names of the columns from the first row.

    Parameters
    ----------
    path : Path
    name : str
        Name of the file, for messages.
    separator : str
        One character, or the word spaces.

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        The row holds numbers only, so it is no header.
    """
    with _explain_errors(name, separator):
        first = pd.read_csv(path, header=None, nrows=1, **_csv_options(separator))
    names = [str(cell) for cell in first.iloc[0]]
    if pd.to_numeric(first.iloc[0], errors="coerce").notna().all():
        raise DataError(
            f"The first row of {name} holds numbers only where the names of the columns are expected: leave "
            "out header: true."
        )
    return names


def read_frame(
    path: Path, name: str, text_columns: Sequence[int] = (), separator: str = ",", with_header: bool = False
) -> pd.DataFrame:
    """Read the whole table of :func:`iterate_frames`.

    Parameters
    ----------
    path : Path
    name : str
        Name of the file, for messages.
    text_columns : sequence of int
        Positions of the columns that stay text.
    separator : str, default=","
        One character, or the word spaces.
    with_header : bool, default=False
        Whether the first row names the columns.

    Returns
    -------
    DataFrame
        Columns 0, 1, ...
    """
    (frame,) = iterate_frames(path, name, text_columns, None, separator, with_header)
    return frame


def iterate_frames(
    path: Path,
    name: str,
    text_columns: Sequence[int],
    chunk_rows: int | None,
    separator: str,
    with_header: bool,
) -> Iterator[pd.DataFrame]:
    """Yield a table in pieces of some rows, or whole, without interpreting anything as missing.

    Parameters
    ----------
    path : Path
    name : str
        Name of the file, for messages.
    text_columns : sequence of int
        Positions, from 0 or from the end, of the columns that stay text.
    chunk_rows : int or None
        Rows of a piece; None for the whole table.
    separator : str
        One character, or the word spaces.
    with_header : bool
        The first row names the columns and is left out.

    Yields
    ------
    DataFrame
        Columns 0, 1, ...; a column is numeric where all of its cells are.
    """
    csv_options = _csv_options(separator) | {"header": None}
    with _explain_errors(name, separator):
        _refuse_ragged(path, separator)
        csv_options["skiprows"] = (
            _count_blank_lines(path) + 1 if with_header else 0
        )  # pandas counts blank lines, too
        # text columns may be counted from the end, so the width is needed before the types
        width = pd.read_csv(path, nrows=1, **csv_options).shape[1]
        # one column at the default separator, and another separator would give more
        if width == 1 and separator == "," and (guess := guess_separator(path)) != separator:
            raise DataError(
                f"{name} has one column when it is split at {separator!r}: name its separator, which may be "
                f"{guess!r} (--separator {quote(guess)})."
            )
        csv_options["dtype"] = {c % width: str for c in text_columns if -width <= c < width}
        read = pd.read_csv(path, low_memory=False, chunksize=chunk_rows, **csv_options)
        if chunk_rows is None:
            yield _keep_booleans_as_text(read)
        else:
            with read:
                yield from map(_keep_booleans_as_text, read)


def _refuse_ragged(path: Path, separator: str) -> None:
    """Refuse rows of different length, which pandas fills up, unless quotes may hold a separator."""
    if separator == "spaces":
        return
    width = 0
    with open(path, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if '"' in line:
                return
            if line.strip(" \n"):
                cells = line.count(separator) + 1
                width = width or cells
                if cells != width:
                    raise pd.errors.ParserError(f"line {number} has {cells} cells where {width} are expected")


def _count_blank_lines(path: Path) -> int:
    """Count the blank lines above the first row."""
    with open(path, encoding="utf-8-sig") as lines:
        return sum(1 for _ in takewhile(lambda line: not line.strip(" \n"), lines))


MISSING_WORDS = ("", "na", "n/a", "nan", "null", "none", "?", "-", ".")
"""Words that stand for a missing value rather than name a column."""


def _keep_booleans_as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep True and False as words, of which pandas would make numbers."""
    words = frame.select_dtypes(bool).columns
    return frame.astype(dict.fromkeys(words, str)) if len(words) else frame


def detect_header(path: Path, name: str, separator: str) -> tuple[bool, bool]:
    """Whether the first row names the columns: a cell of it is no number, and the one below it is.

    Parameters
    ----------
    path : Path
    name : str
        Name of the file, for messages.
    separator : str
        One character, or the word spaces.

    Returns
    -------
    has_header : bool
        False if any cell of the first row is a number, or there is only one row.
    is_clear : bool
        False if such a row also has words above numbers, as names that are years or wave lengths.
    """
    with _explain_errors(name, separator):
        first = pd.read_csv(path, header=None, nrows=2, **_csv_options(separator))
    # words above numbers: with a single row nothing can be compared
    if len(first) < 2:
        return False, True
    is_upper_number, is_lower_number = (
        pd.to_numeric(first.iloc[row], errors="coerce").notna() for row in (0, 1)
    )
    is_absent = first.iloc[0].astype(str).str.strip().str.lower().isin(MISSING_WORDS)
    has_words = bool((~is_upper_number & ~is_absent & is_lower_number).any())
    return has_words and not is_upper_number.any(), not (has_words and is_upper_number.any())


def guess_separator(path: Path) -> str:
    """Return the separator that stands most often in the first line; a comma where there is none.

    Blanks, of any kind and number, separate where they alone part the line into numbers.

    Parameters
    ----------
    path : Path
        An unpacked file.

    Returns
    -------
    str
        One of `SEPARATORS`.
    """
    with open(path, "rb") as stream:
        # 1 MiB at most: a file without line ends is not read whole
        line = stream.readline(1 << 20).decode("utf-8", "replace").strip()
    counts = {separator: line.count(separator) for separator in SEPARATORS[:-1]}
    # blanks also stand within cells: they separate only where all pieces are numbers
    best = max(counts, key=counts.get)
    by_best, by_blanks = ([is_number(cell) for cell in cells] for cells in (line.split(best), line.split()))
    if len(by_blanks) > 1 and all(by_blanks) and not all(by_best):
        return "spaces"
    return best if counts[best] else ("spaces" if len(line.split()) > 1 else ",")


def is_number(cell: str) -> bool:
    """Whether a cell of text is a number.

    Parameters
    ----------
    cell : str

    Returns
    -------
    bool
    """
    return bool(pd.notna(pd.to_numeric(cell.strip(), errors="coerce")))


def _csv_options(separator: str) -> dict:
    """Return the options of pandas for cells that are text and never missing."""
    sep = {"sep": r"\s+"} if separator == "spaces" else {"sep": separator, "skipinitialspace": True}
    return {**sep, "dtype": str, "keep_default_na": False, "encoding": "utf-8-sig"}


@contextmanager
def _explain_errors(name: str, separator: str) -> Iterator[None]:
    """Turn what pandas says of a file into one sentence."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} holds bytes that are not UTF-8 text (at byte {error.start + 1}): write it as UTF-8."
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        rows = "comma-separated rows" if separator == "," else f"rows split at {separator!r}"
        raise DataError(
            f"{name} is not a table of {rows} ({str(error).strip()}): replace it by the official file, or "
            "correct its entry in the registry."
        ) from error
