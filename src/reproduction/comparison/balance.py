"""The balance of each level as a figure: printed numbers brought back and taken away."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reproduction.style import GREY, SMALL, grid, legend_above, styled, subplots, words_only

LANE = 0.15
"""Inches of height of a level."""

NOTHING = "No level of this study is compared with print."
BACK, AWAY = "#0072b2", "#d55e00"


@styled
def balance_figure(levels: pd.DataFrame) -> Figure:
    """Draw a lane a level: to the right what it brings back, to the left what it takes away.

    `levels`: rows of a study of `comparison.universes.levels`.
    """
    if levels.empty:
        return words_only(NOTHING)
    y = np.arange(len(levels))
    height = 0.8 + LANE * len(levels)
    figure, ((axis,),) = subplots(height)
    bars = (
        axis.barh(y, levels["brought_back"], color=BACK, height=0.62, label="brought back"),
        axis.barh(y, -levels["taken_away"], color=AWAY, height=0.62, label="taken away"),
    )
    balance = levels["brought_back"] - levels["taken_away"]
    (point,) = axis.plot(balance, y, "D", color="black", markersize=3, label="balance")
    most = max(1, levels["brought_back"].max(), levels["taken_away"].max())
    axis.set_xlim(-1.06 * most, 1.06 * most)
    axis.axvline(0, color=GREY, linewidth=0.6)
    names = [f"{row.axis}: {row.level} (of {row.compared})" for row in levels.itertuples()]
    axis.set_yticks(y, [name.replace("_", " ") for name in names], fontsize=SMALL)
    axis.set_ylim(len(levels) - 0.4, -0.6)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.xaxis.set_major_formatter(lambda value, _: f"{abs(value):.0f}")
    axis.set_xlabel("printed numbers")
    grid(axis, "x")
    figure.subplots_adjust(left=0.34, right=0.98, top=1 - 0.3 / height, bottom=0.4 / height)
    legend_above(figure, [*bars, point], 3, bbox_to_anchor=(0.66, 1 - 0.02 / height))
    return figure


def describe(levels: pd.DataFrame) -> str:
    """Describe the figure in words."""
    if levels.empty:
        return NOTHING
    helps = levels[levels["brought_back"] > levels["taken_away"]]
    best = levels.iloc[(levels["brought_back"] - levels["taken_away"]).to_numpy().argmax()]
    return (
        f"{len(levels)} levels, of which {len(helps)} bring back more numbers than they take away. The best "
        f"balance: {best['axis']} {best['level']}, {best['brought_back']:.0f} brought back and "
        f"{best['taken_away']:.0f} taken away."
    )
