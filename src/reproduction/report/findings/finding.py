"""A finding: what one can learn from a run, with the places on the page that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from reproduction.labels import method_label, row_id
from reproduction.report.studies import StudyReport

Evidence = tuple[tuple[str, str], ...]
"""Pairs of words and an anchor of the page."""


@dataclass(frozen=True)
class Finding:
    """A finding of a run.

    Attributes
    ----------
    title, paragraph : str
        The paragraph has a few plain sentences; every number in it is computed from result files.
    evidence : tuple of (str, str)
        Words and the anchor of the page that they lead to.
    studies : tuple of str
        Names of the studies that it rests on.
    """

    title: str
    paragraph: str
    evidence: Evidence
    studies: tuple[str, ...]


def of_protocol(studies: Iterable[StudyReport], protocol: str) -> list[StudyReport]:
    """Select the studies of a protocol."""
    return [study for study in studies if study.protocol == protocol]


def figure(study: StudyReport, name: str, words: str) -> Evidence:
    """Lead to a figure of a study, where it has the figure."""
    has = any(drawing.name == name for drawing in study.drawings)
    return ((words, f"{study.name}-{name}"),) if has else ()


def rows(table: pd.DataFrame) -> Evidence:
    """Lead to rows of a study's table, each named by data set, block of features and method."""
    return tuple(
        (f"{row['dataset']} ({row['features']}), {method_label(row['method'])}", row_id(row))
        for _, row in table.iterrows()
    )


def joined(words: Iterable[str]) -> str:
    """Join words as a sentence does: a, b and c."""
    words = list(words)
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "none"


def spread(values: pd.Series, form: str = ".0f") -> str:
    """Write the range of some numbers, or the number where they are alike."""
    low, high = (format(value, form) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def power(number: float) -> str:
    """Write a small power of ten without leading zeros: 1e-6."""
    return f"{number:g}".replace("e-0", "e-")


def blocks_named(table: pd.DataFrame) -> str:
    """Name the data sets of a table, with their blocks of features where that tells more than "raw"."""
    named = []
    for dataset, block in table.groupby("dataset", sort=False):
        features = list(dict.fromkeys(block["features"]))
        named.append(dataset if features == ["raw"] else f"{dataset} ({joined(features)})")
    return joined(named)
