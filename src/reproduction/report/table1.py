"""The figure of a Table 1: two quantities of every method on every data set."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.artefact import Figure


@dataclass(frozen=True)
class Panel:
    """One quantity of a table.

    Attributes
    ----------
    quantity : str
        Columns ``<quantity>_mean``, ``<quantity>_std`` and the same with ``printed_`` before them.
    label : str
        Of the axis.
    scale : {"share", "count", "seconds"}
        0 to 1; linear below 1 and logarithmic above, since 0 occurs; logarithmic.
    """

    quantity: str
    label: str
    scale: str


def figure_of_table1(left: Panel, right: Panel) -> Figure:
    """Describe the figure of a study's Table 1 by its two panels."""
    return Figure(
        "figure_table1",
        "Figure of Table 1",
        "Methods from top to bottom as in the legend. Filled: ours. Open diamonds: printed, if any. "
        "Bars: one standard deviation over the splits, cut where they would pass below zero. Counts are "
        "linear below 1 and logarithmic above, seconds are logarithmic.",
        tables=("table1",),
        draw="reproduction.report.table1_figure:figure_table1",
        describe="reproduction.report.table1_figure:describe_figure",
        drawn="reproduction.report.table1_figure:drawn",
        options={"panels": (left, right)},
    )
