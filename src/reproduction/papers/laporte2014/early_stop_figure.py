"""How many variables FenchelRank and the certified optimum in its ball use, drawn and described."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.labels import METHOD_STYLE
from reproduction.papers.laporte2014.constant_figure import measured
from reproduction.style import RC, WIDTH, grid, open_where, words_only

OPTIMUM = "#000000"
CAPPED = "max_iterations"


@mpl.rc_context(RC)
def figure_early_stop(table: pd.DataFrame) -> Figure:
    """Draw the numbers of variables against the radius, a panel a data set.

    `table`: rows of early_stop.csv; see `reproduction.papers.laporte2014.early_stop.COLUMNS`.
    """
    rows = measured(table)
    if rows.empty:
        return words_only(f"not obtained: {table['message'].iloc[0]}")
    colour = METHOD_STYLE["fenchelrank"].colour
    blocks = list(rows.groupby("dataset", sort=False))
    figure = Figure(figsize=(WIDTH, 2.8), dpi=200)
    axes = figure.subplots(1, len(blocks), sharey=True, squeeze=False)[0]
    for axis, (dataset, block) in zip(axes, blocks, strict=True):
        block = block.sort_values("radius")
        axis.plot(block["radius"], block["variables"], color=colour, linewidth=1)
        where = axis, block["radius"], block["variables"]
        open_where(block["status"] == CAPPED, *where, "o", colour, markersize=4)
        axis.plot(
            block["radius"], block["optimum_variables"], "x--", color=OPTIMUM, linewidth=1, markersize=4
        )
        axis.set_xscale("log", base=2)
        axis.set_xlabel("Radius of the ℓ₁ ball")
        axis.set_title(dataset, fontsize=7.5)
        grid(axis)
    axes[0].set_ylabel("Variables")
    axes[0].set_ylim(bottom=0)
    blue = {"color": colour, "marker": "o", "markersize": 4}
    handles = [
        Line2D([], [], label="FenchelRank, its own gap met", **blue),
        Line2D([], [], label="FenchelRank, ended by its steps", markerfacecolor="white", **blue),
        Line2D([], [], color=OPTIMUM, marker="x", linestyle="--", label="certified optimum"),
    ]
    figure.legend(handles=handles, loc="upper center", ncols=3, frameon=False, borderpad=0.2)
    figure.subplots_adjust(left=0.07, right=0.985, top=0.83, bottom=0.15, wspace=0.06)
    return figure


def describe(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    rows = measured(table)
    if rows.empty:
        return f"Nothing was measured: {table['message'].iloc[0]}"
    said = []
    for dataset, block in rows.groupby("dataset", sort=False):
        each = [
            f"{row.radius:g}: {row.variables:.0f} and {row.optimum_variables:.0f}"
            for row in block.sort_values("radius").itertuples()
        ]
        said.append(f"{dataset}, by radius, {'; '.join(each)}")
    return (
        "Numbers of variables of FenchelRank with its published stop and of the certified optimum in the "
        f"same ball. {'. '.join(said)}."
    )
