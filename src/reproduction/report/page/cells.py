"""Cells of the page's tables: the text that is read, and the plain number by which a column sorts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from reproduction.tables import NOT_OBTAINED, NOT_RUN
from reproduction.text import short, with_spread


def cell(text: str, value: float = math.nan, *, absent: bool = False, **more: object) -> dict:
    """Make a cell.

    Parameters
    ----------
    text : str
    value : float
        The number by which the cell sorts; NaN where there is none.
    absent : bool
        Whether the text stands for a number that is not there.
    **more
        What the template of one table asks of its cells beyond that.

    Returns
    -------
    dict
        text, value (text, "" where there is none), absent, mark, title, fits (whether the number leads to its
        fits), and what was given beyond that.
    """
    plain = "" if math.isnan(value) else f"{value:.6g}"
    return {"text": text, "value": plain, "absent": absent, "mark": "", "title": "", "fits": False} | more


def number(value: float, shown: Callable[[float], str] = short, word: str = "–", **more: object) -> dict:
    """Make the cell of a number; the word stands where it is NaN."""
    if math.isnan(value):
        return cell(word, absent=True, **more)
    return cell(shown(value), value, **more)


def mean(row: pd.Series, name: str, word: str, **more: object) -> dict:
    """Make the cell of a mean and its standard deviation, the columns ``<name>_mean`` and ``<name>_std``."""
    return number(
        row[f"{name}_mean"], lambda value: with_spread(value, row[f"{name}_std"]), word=word, **more
    )


def word_for(row: pd.Series) -> str:
    """Say what stands in the cells of a row that have no number."""
    return row["data_status"] if row["data_status"] in (NOT_OBTAINED, NOT_RUN) else "not defined"


def has_fits(row: Mapping) -> bool:
    """Whether a row may have fits: what was not obtained is a fit with this status where the study wanted it.

    Of a data set that the study did not ask for, the page finds none and leaves the number plain.
    """
    return row["data_status"] != NOT_RUN


def fits_key(row: Mapping[str, str]) -> str:
    """Name the fits behind a number as the page does: study, data set, features and method."""
    return "/".join(row[name] for name in ("study", "dataset", "features", "method"))


def grouped(rows: list[dict], names: Sequence[str] = ("dataset", "features")) -> list[dict]:
    """Note in every row whether it begins a group, and whether its first name was said just above.

    A name that is repeated is there for sorting and for screen readers, and is shown quietly.
    """
    last = dict.fromkeys(names)
    for row in rows:
        row["first"] = any(row[name] != last[name] for name in names)
        row["repeats"] = row[names[0]] == last[names[0]]
        last = {name: row[name] for name in names}
    return rows
