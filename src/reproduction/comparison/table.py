"""The rows of the comparison, one a published number, and the file that holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.comparison.measurements import Measurements
from reproduction.comparison.row_tables import EXPLANATION_COLUMNS, OPTION_EFFECT_COLUMNS
from reproduction.core.atomic_io import atomic_write
from reproduction.core.results import read_text
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, PlainCsv
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import NUMBER_KEY, format_cell, parse_cell

RESULT, COUNT, MARK, RELATION, P_VALUE, SECONDS = "result", "count", "mark", "relation", "p_value", "seconds"
KIND_BY_SUFFIX = {
    "_count": COUNT,
    "_mark": MARK,
    "_relation": RELATION,
    "_best_method": RELATION,
    "_p_value": P_VALUE,
    "seconds": SECONDS,
}
"""End of a quantity -> its kind; any other one is a result."""

_EMPTY_CELLS = {"published_std": "not published", "ours_std": STATUS_NOT_OBTAINED, "splits": "none"}
_EMPTY_CELLS |= dict.fromkeys(("margin", "low", "high", "zero_models"), "none")
"""Column of numbers -> the word for a cell without one."""

COMPARISON_COLUMNS = (
    *("study", *NUMBER_KEY, "kind", "published", "published_std", "ours_mean", "ours_std", "splits"),
    *("margin", "low", "high", "verdict", "reason", "specification", "zero_models", "shown_in"),
)
"""`low`, `high`: Welch's interval of published minus ours. `specification`: the combination that explains the
row and recovers the number, else the default. `zero_models`: on how many splits the chosen model is w = 0."""

FACTOR_COLUMNS = ("study", "artefact", "dataset", "method", "other", "published", "ours", "verdict")
"""By what factor `method` takes longer than `other`."""

PLACEBO_COLUMNS = (
    *("study", "artefact", "permuted", "statistic", "not_permuted", "total"),
    *("observed", "chance_mean", "chance_upper", "p_value", "p_holm", "combination"),
)
"""`statistic`: what is counted, of `total`; `chance_mean` and `chance_upper`: mean and 95 % point of the
count with permuted values; `permuted`: the "methods" of each data set, or whole rows among the "data sets";
`not_permuted`: measured numbers that have nothing to be exchanged with, and do not count; `p_holm`: by Holm's
correction over the counts of a table, permuted in both ways; `combination`: the best single one."""

METHOD_ORDER_COLUMNS = (
    *("study", "artefact", "quantity", "dataset", "methods"),
    *("datasets", "datasets_with_tau", "tau", "p_value"),
)
"""Kendall's tau-b between the published and our means of the methods, with the share of permutations that
reach it; the data set "all" has the mean tau of those of a table's data sets that have one."""

OPTION_EFFECTS_CSV, _PLAIN_CSV = PlainCsv(), PlainCsv(missing_text="none")


@dataclass(frozen=True)
class Comparison:
    """What is published in a paper beside what a study gives.

    Attributes
    ----------
    rows : pandas.DataFrame
        The columns of `COMPARISON_COLUMNS`.
    explanations : pandas.DataFrame
        The columns of `row_tables.EXPLANATION_COLUMNS`: what explains each row of a published table.
    option_effects : pandas.DataFrame
        The columns of `row_tables.OPTION_EFFECT_COLUMNS`: what each option of a choice recovers and loses.
    factors : pandas.DataFrame
        The columns of `FACTOR_COLUMNS`: factors between the times of two methods.
    placebo : pandas.DataFrame
        The columns of `PLACEBO_COLUMNS`: counts beside those of chance.
    method_order : pandas.DataFrame
        The columns of `METHOD_ORDER_COLUMNS`: the published order of the methods beside ours.
    measurements : Measurements or None
        What the verdicts on the results rest on, before it is written.
    """

    rows: pd.DataFrame = field(default_factory=lambda: _make_table(COMPARISON_COLUMNS))
    explanations: pd.DataFrame = field(default_factory=lambda: _make_table(EXPLANATION_COLUMNS))
    option_effects: pd.DataFrame = field(default_factory=lambda: _make_table(OPTION_EFFECT_COLUMNS))
    factors: pd.DataFrame = field(default_factory=lambda: _make_table(FACTOR_COLUMNS))
    placebo: pd.DataFrame = field(default_factory=lambda: _make_table(PLACEBO_COLUMNS))
    method_order: pd.DataFrame = field(default_factory=lambda: _make_table(METHOD_ORDER_COLUMNS))
    measurements: Measurements | None = None

    def select_study(self, study: str) -> Comparison:
        """Select the rows of one study.

        Parameters
        ----------
        study : str
            Name of the study.

        Returns
        -------
        Comparison
            The tables of this study.
        """
        tables = {name: getattr(self, name) for name in COMPARISON_FILES}
        return Comparison(**{name: table[table["study"] == study] for name, table in tables.items()})


def _make_table(columns: Iterable[str]) -> pd.DataFrame:
    """Make a table without rows."""
    return pd.DataFrame(columns=list(columns))


def quantity_kind(quantity: str) -> str:
    """Return of what kind a published quantity is.

    Parameters
    ----------
    quantity : str
        Name of the quantity.

    Returns
    -------
    str
        "result", "count", "mark", "relation", "p_value" or "seconds".
    """
    return next((kind for ending, kind in KIND_BY_SUFFIX.items() if quantity.endswith(ending)), RESULT)


def comparison_rows(rows: Iterable[Mapping]) -> pd.DataFrame:
    """Make rows of the comparison; a missing cell is NaN.

    Parameters
    ----------
    rows : Iterable[Mapping]
        Rows by name of column.

    Returns
    -------
    pd.DataFrame
        The columns of `COMPARISON_COLUMNS`.
    """
    table = pd.DataFrame(list(rows)).reindex(columns=list(COMPARISON_COLUMNS))
    # in the order of the columns of the file; what a row does not state is NaN
    table["kind"] = table["quantity"].map(quantity_kind)
    table["specification"] = table["specification"].astype(object).fillna(DEFAULT)
    return table.astype(dict.fromkeys((*_EMPTY_CELLS, "published", "ours_mean"), float))


def write_comparison(comparison: pd.DataFrame, path: str | Path) -> None:
    """Write the comparison; no cell is blank, and published words stay words.

    Parameters
    ----------
    comparison : pd.DataFrame
        Rows of `comparison_rows`.
    path : str or Path
        CSV file.
    """
    text = comparison.copy()
    # published numbers are written as they are printed, words of relations and marks as words
    text["published"] = list(map(format_cell, comparison["quantity"], comparison["published"]))
    text["ours_mean"] = [
        STATUS_NOT_OBTAINED if math.isnan(value) else format_cell(quantity, value)
        for quantity, value in zip(comparison["quantity"], comparison["ours_mean"], strict=True)
    ]
    for column, word in _EMPTY_CELLS.items():
        text[column] = [word if math.isnan(value) else f"{value:.10g}" for value in comparison[column]]
    # ours without a spread: a single split
    has_no_spread = comparison["ours_mean"].notna() & comparison["ours_std"].isna()
    text.loc[has_no_spread, "ours_std"] = "none"
    text.to_csv(path, index=False, lineterminator="\n")


def write_comparison_files(comparisons: Sequence[Comparison], folder: str | Path) -> None:
    """Write the tables of several studies, each kind into one file.

    Parameters
    ----------
    comparisons : Sequence[Comparison]
        Comparisons of the studies.
    folder : str or Path
        Folder of the files that `COMPARISON_FILES` names.
    """
    for name, (file, write, _) in COMPARISON_FILES.items():
        tables = [getattr(comparison, name) for comparison in (*comparisons, Comparison())]
        with atomic_write(Path(folder, file)) as unfinished:
            # an empty table would change the types of the columns
            write(pd.concat([t for t in tables if len(t)] or tables[-1:], ignore_index=True), unfinished)


def read_comparison_files(folder: str | Path) -> Comparison:
    """Read the files of the comparison.

    Parameters
    ----------
    folder : str or Path
        Folder with a CSV file of each of `COMPARISON_FILES`.

    Returns
    -------
    Comparison
        The comparison.
    """
    return Comparison(
        **{name: read(Path(folder, file)) for name, (file, _, read) in COMPARISON_FILES.items()}
    )


def read_comparison(path: str | Path) -> pd.DataFrame:
    """Read the rows that `write_comparison` wrote.

    Parameters
    ----------
    path : str or Path
        CSV file.

    Returns
    -------
    pd.DataFrame
        The columns of `COMPARISON_COLUMNS`; a word in a column of numbers is NaN, or its number.
    """
    table = read_text(path, COMPARISON_COLUMNS)
    for column in ("published", "ours_mean", *_EMPTY_CELLS):
        table[column] = table[column].map(parse_cell).astype(float)
    return table


COMPARISON_FILES = {
    "rows": ("comparison.csv", write_comparison, read_comparison),
    "option_effects": ("option_effects.csv", OPTION_EFFECTS_CSV.write, OPTION_EFFECTS_CSV.read),
} | {
    name: (f"{name}.csv", _PLAIN_CSV.write, _PLAIN_CSV.read)
    for name in ("explanations", "factors", "placebo", "method_order")
}
"""Table of a `Comparison` -> its file, and the functions that write and read it."""
