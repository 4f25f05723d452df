"""The rows of the comparison, one a printed number, and the file that holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.comparison.multiverse import DEFAULT, LEVELS
from reproduction.core.results import read_text
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, Plain
from reproduction.specs.published_values import KEY, cell_number, cell_text

RESULT, COUNT, MARK, RELATION, P_VALUE, SECONDS = "result", "count", "mark", "relation", "p_value", "seconds"
KINDS = {
    "_count": COUNT,
    "_mark": MARK,
    "_relation": RELATION,
    "_best_method": RELATION,
    "_p_value": P_VALUE,
    "seconds": SECONDS,
}
"""End of a quantity -> its kind; any other one is a result."""

_NUMBERS = {"published_std": "not printed", "ours_std": STATUS_NOT_OBTAINED, "splits": "none"}
_NUMBERS |= dict.fromkeys(("margin", "low", "high", "smallest_seen", "zero_models"), "none")
"""Column of numbers -> the word for a cell without one."""

COLUMNS = (
    *("study", *KEY, "kind", "published", "published_std", "ours_mean", "ours_std", "splits"),
    *("margin", "low", "high", "smallest_seen", "verdict", "reason", "excluded", "universe"),
    *("zero_models", "shown_in"),
)
"""`low`, `high`: Welch's interval of printed minus ours; `smallest_seen`: half its width. `universe`: the one
that brings a number back, else the default. `excluded`: the levels that were tried and do not help.
`zero_models`: on how many splits the chosen model is w = 0."""

FACTORS = ("study", "artefact", "dataset", "method", "other", "printed", "ours", "verdict")
"""By what factor `method` takes longer than `other`."""

FACTORS_FORM, LEVELS_FORM = Plain(absent="none"), Plain()


@dataclass(frozen=True)
class Comparison:
    """What is printed in a paper beside what a study gives.

    Attributes
    ----------
    rows : pandas.DataFrame
        The columns of `COLUMNS`.
    levels : pandas.DataFrame
        The columns of `universes.LEVELS`: what each level of an axis recovers and loses.
    factors : pandas.DataFrame
        The columns of `FACTORS`: who is faster than whom.
    """

    rows: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)))
    levels: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(LEVELS)))
    factors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(FACTORS)))

    def of(self, study: str) -> Comparison:
        """Select what belongs to one study."""
        tables = (self.rows, self.levels, self.factors)
        return Comparison(*(table[table["study"] == study] for table in tables))


def kind_of(quantity: str) -> str:
    """Say of what kind a printed quantity is."""
    return next((kind for ending, kind in KINDS.items() if quantity.endswith(ending)), RESULT)


def as_rows(rows: Iterable[Mapping]) -> pd.DataFrame:
    """Make rows of the comparison; a missing cell is NaN."""
    table = pd.DataFrame(list(rows)).reindex(columns=list(COLUMNS))
    table["kind"] = table["quantity"].map(kind_of)
    for column, usual in (("universe", DEFAULT), ("excluded", "none")):
        table[column] = table[column].astype(object).fillna(usual)
    return table.astype(dict.fromkeys((*_NUMBERS, "published", "ours_mean"), float))


def to_csv(comparison: pd.DataFrame, path: str | Path) -> None:
    """Write the comparison; no cell is blank, and printed words stay words."""
    text = comparison.copy()
    text["published"] = list(map(cell_text, comparison["quantity"], comparison["published"]))
    text["ours_mean"] = [
        STATUS_NOT_OBTAINED if math.isnan(value) else cell_text(quantity, value)
        for quantity, value in zip(comparison["quantity"], comparison["ours_mean"], strict=True)
    ]
    for column, word in _NUMBERS.items():
        text[column] = [word if math.isnan(value) else f"{value:.10g}" for value in comparison[column]]
    without = comparison["ours_mean"].notna() & comparison["ours_std"].isna()
    text.loc[without, "ours_std"] = "none"
    text.to_csv(path, index=False, lineterminator="\n")


def read_all(rows: str | Path, levels: str | Path, factors: str | Path) -> Comparison:
    """Read the three files of the comparison."""
    return Comparison(read_comparison(rows), LEVELS_FORM.read(levels), FACTORS_FORM.read(factors))


def read_comparison(path: str | Path) -> pd.DataFrame:
    """Read back what `to_csv` wrote; words in columns of numbers become NaN, the ones in `WORDS` a number."""
    table = read_text(path, COLUMNS)
    for column in ("published", "ours_mean", *_NUMBERS):
        table[column] = table[column].map(cell_number).astype(float)
    return table
