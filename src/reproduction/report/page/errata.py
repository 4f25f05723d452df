"""The slips of the papers as one table of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from reproduction.columns import Cell
from reproduction.report.studies import StudyReport


def context(studies: Sequence[StudyReport]) -> list[dict]:
    """Prepare the table, every cell as text: one row a slip, however many studies follow its paper."""
    found: dict[tuple[str, str], dict] = {}
    for study in studies:
        if "errata" in study.tables:
            for _, row in study.tables["errata"].iterrows():
                found.setdefault((row["paper"], row["erratum"]), erratum_row(row, study.paper.cited))
    return [*found.values()]


def erratum_row(row: pd.Series, cited: str) -> dict:
    """Format one slip: what is printed, what it should be, and what each of the two leads to."""
    return {
        "paper": cited,
        "place": row["place"],
        "printed": row["printed"],
        "corrected": row["corrected"],
        "computed": f"{row['measured']}; {row['problem']}",
        "printed_value": _number(row["printed_value"]),
        "corrected_value": _number(row["corrected_value"]),
        "threshold": _number(row["threshold"]),
        "shown": bool(row["shown"]),
    }


def _number(value: float) -> Cell:
    """Format a number; one that overflowed is above all others."""
    if math.isnan(value):
        return Cell("not a number", math.inf)
    return Cell("∞", math.inf) if math.isinf(value) else Cell(f"{value:.3g}", value)
