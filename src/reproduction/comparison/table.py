"""The rows of the comparison, one a published number, and the file that holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.comparison.multiverse import DEFAULT, OPTION_EFFECT_COLUMNS
from reproduction.core.results import read_text
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, PlainCsv
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
_EMPTY_CELLS |= dict.fromkeys(("margin", "low", "high", "smallest_seen", "zero_models"), "none")
"""Column of numbers -> the word for a cell without one."""

COMPARISON_COLUMNS = (
    *("study", *NUMBER_KEY, "kind", "published", "published_std", "ours_mean", "ours_std", "splits"),
    *("margin", "low", "high", "smallest_seen", "verdict", "reason", "excluded", "specification"),
    *("zero_models", "shown_in"),
)
"""`low`, `high`: Welch's interval of published minus ours; `smallest_seen`: half its width. `specification`:
the one that brings a number back, else the default. `excluded`: the options that were tried and do not help.
`zero_models`: on how many splits the chosen model is w = 0."""

FACTOR_COLUMNS = ("study", "artefact", "dataset", "method", "other", "published", "ours", "verdict")
"""By what factor `method` takes longer than `other`."""

PLACEBO_COLUMNS = (
    *("study", "artefact", "permuted", "numbers"),
    *("reproduced", "chance_mean", "chance_upper", "p_value"),
)
"""`reproduced`: numbers that agree or are consistent under the default choices; `chance_mean` and
`chance_upper`: mean and 95 % point of this count with permuted values; `permuted`: the "methods" of each
data set, or whole rows among the "data sets"."""

METHOD_ORDER_COLUMNS = ("study", "artefact", "quantity", "dataset", "methods", "tau", "p_value")
"""Kendall's tau-b between the published and our means of the methods, with the share of permutations that
reach it; the data set "all" has the mean tau of a table's data sets."""

FACTORS_CSV, OPTION_EFFECTS_CSV = PlainCsv(missing_text="none"), PlainCsv()
PLACEBO_CSV = METHOD_ORDER_CSV = PlainCsv(missing_text="none")


@dataclass(frozen=True)
class Comparison:
    """What is published in a paper beside what a study gives.

    Attributes
    ----------
    rows : pandas.DataFrame
        The columns of `COMPARISON_COLUMNS`.
    option_effects : pandas.DataFrame
        The columns of `multiverse.OPTION_EFFECT_COLUMNS`: what each option of a choice recovers and
        loses.
    factors : pandas.DataFrame
        The columns of `FACTOR_COLUMNS`: factors between the times of two methods.
    placebo : pandas.DataFrame
        The columns of `PLACEBO_COLUMNS`: counts of reproduced numbers beside those of chance.
    method_order : pandas.DataFrame
        The columns of `METHOD_ORDER_COLUMNS`: the published order of the methods beside ours.
    """

    rows: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COMPARISON_COLUMNS)))
    option_effects: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(OPTION_EFFECT_COLUMNS))
    )
    factors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(FACTOR_COLUMNS)))
    placebo: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(PLACEBO_COLUMNS)))
    method_order: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(METHOD_ORDER_COLUMNS))
    )

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
        tables = (self.rows, self.option_effects, self.factors, self.placebo, self.method_order)
        return Comparison(*(table[table["study"] == study] for table in tables))


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
    table["kind"] = table["quantity"].map(quantity_kind)
    for column, usual in (("specification", DEFAULT), ("excluded", "none")):
        table[column] = table[column].astype(object).fillna(usual)
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
    text["published"] = list(map(format_cell, comparison["quantity"], comparison["published"]))
    text["ours_mean"] = [
        STATUS_NOT_OBTAINED if math.isnan(value) else format_cell(quantity, value)
        for quantity, value in zip(comparison["quantity"], comparison["ours_mean"], strict=True)
    ]
    for column, word in _EMPTY_CELLS.items():
        text[column] = [word if math.isnan(value) else f"{value:.10g}" for value in comparison[column]]
    has_no_spread = comparison["ours_mean"].notna() & comparison["ours_std"].isna()
    text.loc[has_no_spread, "ours_std"] = "none"
    text.to_csv(path, index=False, lineterminator="\n")


def read_comparison_files(
    rows: str | Path,
    options: str | Path,
    factors: str | Path,
    placebo: str | Path,
    method_order: str | Path,
) -> Comparison:
    """Read the files of the comparison.

    Parameters
    ----------
    rows : str or Path
        CSV file of the rows.
    options : str or Path
        CSV file of the effects of options.
    factors : str or Path
        CSV file of the factors between times.
    placebo : str or Path
        CSV file of the counts that chance gives.
    method_order : str or Path
        CSV file of the orders of the methods.

    Returns
    -------
    Comparison
        The comparison.
    """
    return Comparison(
        read_comparison(rows),
        OPTION_EFFECTS_CSV.read(options),
        FACTORS_CSV.read(factors),
        PLACEBO_CSV.read(placebo),
        METHOD_ORDER_CSV.read(method_order),
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
