"""The message of a figure: one sentence on what it shows, computed from the tables that it draws."""

from collections.abc import Sequence

import pandas as pd

from reproduction.core.results import missing_reason
from reproduction.specs.labels import method_label, method_sort_key
from reproduction.specs.paper import Figure, import_object

MAX_MESSAGE_CHARACTERS = 120
"""Longest message: some two lines of a caption."""


def state_message(record: Figure, tables: Sequence[pd.DataFrame]) -> str:
    """State what a figure shows in one sentence: its title.

    Parameters
    ----------
    record : specs.paper.Figure
        The record of the figure, which names the function that computes the sentence.
    tables : sequence of pandas.DataFrame
        The tables that it draws.

    Returns
    -------
    str
        The sentence; why there is none where the data were not obtained.
    """
    if tables and (reason := missing_reason(tables[0])):
        return f"Not obtained: {reason.rstrip('.')}."
    return import_object(record.message)(*tables, **record.options)


def format_range(low: float, high: float, form: str = ".2g") -> str:
    """Write a range, or its only number.

    Parameters
    ----------
    low, high : float
        The ends.
    form : str, default ".2g"
        How a number is formatted.

    Returns
    -------
    str

    Examples
    --------
    >>> format_range(0.5, 2.0), format_range(1.0, 1.0)
    ('0.5 to 2', '1')
    """
    ends = dict.fromkeys(format(value, form).replace("-", "−") for value in (low, high))
    return " to ".join(ends)


def count_noun(count: int, noun: str) -> str:
    """Write a count with its noun.

    Parameters
    ----------
    count : int
        How many.
    noun : str
        A word whose plural ends in s.

    Returns
    -------
    str

    Examples
    --------
    >>> count_noun(1, "data set"), count_noun(3, "data set")
    ('1 data set', '3 data sets')
    """
    return f"{count} {noun}" + ("" if count == 1 else "s")


def name_leaders(wins: pd.Series) -> str:
    """Name the methods that win most often: one, or two that share the first place, or how many do.

    Parameters
    ----------
    wins : pandas.Series
        Method -> number of wins, at least one method.

    Returns
    -------
    str

    Examples
    --------
    >>> name_leaders(pd.Series({"a": 2, "b": 3})), name_leaders(pd.Series({"a": 2, "b": 2}))
    ('b', 'a and b')
    """
    leaders = [method_label(name) for name in sorted(wins.index[wins == wins.max()], key=method_sort_key)]
    return " and ".join(leaders) if len(leaders) <= 2 else f"each of {len(leaders)} methods"
