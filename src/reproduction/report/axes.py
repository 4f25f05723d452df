"""The axes of a study as a table: what its paper leaves open, what is declared, and what it takes to look."""

from __future__ import annotations

import pandas as pd

from reproduction.artefact import Table
from reproduction.columns import Cell, Column, Row, View, text_of
from reproduction.multiverse import Universes, as_text
from reproduction.study import Study
from reproduction.tables import Plain


def axes_table(study: Study) -> pd.DataFrame:
    """One row an axis: axis, title, place, default, levels, reuses."""
    universes = Universes(study.paper.axes, study.settings)
    rows = []
    for name, axis in universes.axes.items():
        meaning = {as_text(level): words for level, words in (axis.levels or {}).items()}
        default, others = universes.defaults[name], universes.others(name)
        levels = [f"{level}: {meaning[level]}" if level in meaning else level for level in others]
        rows.append(
            {
                "axis": name,
                "title": axis.title,
                "place": axis.place,
                "default": meaning.get(default, default),
                "levels": "; ".join(levels) or "none",
                "reuses": axis.reuses,
            }
        )
    return pd.DataFrame(rows)


def _how(row: Row) -> Cell:
    is_chosen = str(row["reuses"]) == "True"
    return Cell("chooses among the fits that are there" if is_chosen else "fits anew")


AXES = Table(
    "axes",
    axes_table,
    Plain(),
    caption="What the paper leaves open, the declared default, and the other levels that are looked at.",
    view=View(
        "axes",
        "What the paper leaves open",
        (Column("Axis", text_of("title"), in_print="Axis", style=""),),
        (
            Column("Where it is open", text_of("place"), style="words"),
            Column("Default", text_of("default"), in_print="Default", style="words"),
            Column("Other levels", text_of("levels"), style="words"),
            Column("A level", _how, style="words"),
        ),
        say="A universe is one level of each axis. The default was declared before anybody saw which level "
        "agrees with print.",
    ),
)

MULTIVERSE_COST = Table("multiverse_cost", lambda study: study.measured("multiverse", "cost"), Plain())
"""What the levels that fit anew took: fits and seconds of each part."""
