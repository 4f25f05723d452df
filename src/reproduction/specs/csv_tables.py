"""CSV files of the tables of all studies, and what stands in cells without a number.

The same rows in any order give the same bytes: rows are sorted by identity before anything is summed, and
numbers are written in one fixed format. Only measured times differ from run to run; they stand in columns
whose names begin with ``seconds``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.core.results import STATUS_NOT_OBTAINED, STATUS_NOT_RUN, read_text
from reproduction.specs.paper import Table, import_object

MISSING_WORDS = (
    STATUS_NOT_OBTAINED,
    STATUS_NOT_RUN,
    "not defined",
    "not published",
    "not known",
    "not compared",
    "one split",
    "none",
)
"""Words for a cell that has no number."""


@dataclass(frozen=True)
class TypedCsv:
    """The columns of a table's file.

    Attributes
    ----------
    columns : tuple of str
        In their order.
    text_columns : tuple of str
        Those that hold text.
    result_columns : tuple of str
        Those whose cells read "not obtained" or "not run" where the data are not there.
    optional_columns : tuple of str
        Those of the results that a file lacks where no row has a number.
    """

    columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    result_columns: tuple[str, ...]
    optional_columns: tuple[str, ...] = ()

    @classmethod
    def parse(cls, names: str) -> TypedCsv:
        """Read columns from their names: ``*`` marks text, ``+`` a result, ``?`` an optional result.

        Parameters
        ----------
        names : str
            Names with their marks, separated by spaces.

        Returns
        -------
        TypedCsv
            The form of the file.
        """
        marked = names.split()
        text, measured, optional = (tuple(n[:-1] for n in marked if n.endswith(mark)) for mark in "*+?")
        names_only = tuple(name.rstrip("*+?") for name in marked)
        return cls(names_only, text, (*measured, *optional), optional)

    def to_frame(self, rows: list[dict]) -> pd.DataFrame:
        """Return rows as a table with these columns, numbers as floats.

        Parameters
        ----------
        rows : list[dict]
            Rows by name of column; further columns are dropped.

        Returns
        -------
        pd.DataFrame
            The table; NaN where a row has no such column.
        """
        table = pd.DataFrame(rows).reindex(columns=list(self.columns))
        return table.astype({c: object if c in self.text_columns else float for c in self.columns})

    def write(self, table: pd.DataFrame, path: str | Path) -> None:
        """Write the table; a number has ten significant digits, and no cell is blank.

        A cell without a number says why: ``not obtained`` (the data), ``not run`` (not part of this run),
        ``not published``, ``not known``, ``one split``. ``not defined``: the method does not minimise the
        objective, or no split gave a number.

        Parameters
        ----------
        table : pd.DataFrame
            Table with these columns.
        path : str or Path
            CSV file.
        """
        text, rows = pd.DataFrame(index=table.index), table.to_dict("records")
        for column in self.columns:
            # an optional column that no row has is left out of the file
            if column in self.optional_columns and table[column].isna().all():
                continue
            if column in self.text_columns:
                text[column] = [value if pd.notna(value) and value else "none" for value in table[column]]
            else:
                text[column] = [
                    f"{value:.10g}" if pd.notna(value) else self._word(row, column)
                    for value, row in zip(table[column], rows, strict=True)
                ]
        text.to_csv(path, index=False, lineterminator="\n")

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read back what `write` wrote; words in columns of numbers become NaN.

        Parameters
        ----------
        path : str or Path
            CSV file.

        Returns
        -------
        pd.DataFrame
            The table, numbers as floats.

        Raises
        ------
        ResultsError
            If the file cannot be used, see `reproduction.core.results.read_text`.
        """
        needed = [column for column in self.columns if column not in self.optional_columns]
        table = read_text(path, needed)
        # of an older file, which lacks later columns, they are empty
        lacking = [column for column in self.optional_columns if column not in table]
        table = table.assign(**dict.fromkeys(lacking, "nan"))[list(self.columns)]
        for column in table.columns.difference(self.text_columns):
            table[column] = table[column].where(~table[column].isin(MISSING_WORDS), "nan").astype(float)
        return table

    def _word(self, row: Mapping, column: str) -> str:
        """Say what stands in a cell that has no number."""
        # the first reason that applies: not printed, no data, no spread, no such quantity
        if column.startswith("published_"):
            return "not published"
        if row.get("data_status") in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN):
            return row["data_status"] if column in self.result_columns else "not known"
        if column.endswith("_std") and row["splits_used"] == 1:
            return "one split"
        return "not known" if column.startswith("data_") else "not defined"


@dataclass(frozen=True)
class PlainCsv:
    """The form of a table whose cells may be blank.

    Attributes
    ----------
    columns : str
        "module:name" of its columns, in their order; by default its rows have them.
    digits : int or None
        Significant digits of its floats; None: all that they have.
    missing_text : str
        What stands in a cell of a data frame that has no value.
    """

    columns: str = ""
    digits: int | None = 10
    missing_text: str = ""

    def write(self, rows: pd.DataFrame | Sequence[dict], path: str | Path) -> None:
        """Write rows, an integer without a point.

        Parameters
        ----------
        rows : pd.DataFrame or Sequence[dict]
            Table, or rows by name of column.
        path : str or Path
            CSV file.
        """
        if isinstance(rows, pd.DataFrame):
            number = None if self.digits is None else f"%.{self.digits}g"
            rows.to_csv(path, index=False, float_format=number, na_rep=self.missing_text, lineterminator="\n")
            return
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            columns = import_object(self.columns) if self.columns else list(rows[0])
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: self._text(value) for name, value in row.items()} for row in rows)

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read back what `write` wrote.

        Parameters
        ----------
        path : str or Path
            CSV file.

        Returns
        -------
        pd.DataFrame
            The table.
        """
        return pd.read_csv(path, na_values=[self.missing_text] if self.missing_text else None)

    def _text(self, value: Any) -> Any:
        is_short = isinstance(value, float) and self.digits is not None
        return f"{value:.{self.digits}g}" if is_short else value


def experiment_table(experiment: str, name: str, columns: str, digits: int | None = 10) -> Table:
    """Make a table of the rows of an experiment.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    name : str
        Name of the table among those of the experiment.
    columns : str
        "module:name" of its columns, as in `PlainCsv`.
    digits : int, optional
        Significant digits of its floats, as in `PlainCsv`.

    Returns
    -------
    Table
        The table.
    """
    return Table(name, lambda study: study.read_experiment(experiment, name), PlainCsv(columns, digits))
