"""Mean ranks of many methods as points with bars of one critical difference, a panel a metric."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reproduction.plotting.style import SMALL_TEXT_SIZE, WIDTH_IN, draw_grid, make_panels, use_style
from reproduction.specs.labels import Style, method_styles
from reproduction.specs.metrics import LABELS

#: Beside the names of the methods, each panel then has 1.3 inches, room for four labels of its axis.
PANELS_PER_ROW = 4
ROW_HEIGHT_IN, HEADER_IN = 0.15, 0.75
"""Inches of a method, and of the title and the axis of a panel."""

TITLE_LINE_IN, CHARACTER_IN = 0.12, 0.055
"""Inches of a further line of a title, and of a character of a name."""


@use_style
def draw_rank_intervals(panels: Sequence[tuple[str, str, pd.DataFrame]]) -> Figure:
    """Draw the mean rank of each method with a bar of one critical difference.

    Two methods differ by Nemenyi's test where their bars do not overlap.

    Parameters
    ----------
    panels : sequence of (str, str, pandas.DataFrame)
        Feature scaling, metric and rows of the table of ranks. The methods of all panels stand in the order
        of the first one; those without a rank there come last.

    Returns
    -------
    matplotlib.figure.Figure
    """
    methods = list(dict.fromkeys(name for *_, rows in panels for name in _sort_methods(rows)))
    styles = method_styles(methods)
    has_scalings = len({scaling for scaling, *_ in panels}) > 1
    n_rows = -(-len(panels) // PANELS_PER_ROW)
    header_in = HEADER_IN + (TITLE_LINE_IN if has_scalings else 0.0)
    height = n_rows * (header_in + ROW_HEIGHT_IN * len(methods))
    figure, axes = make_panels(height, n_rows, min(len(panels), PANELS_PER_ROW), sharey=True)
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    for ax, (scaling, metric, rows) in zip(axes.flat, panels, strict=False):
        _draw_panel(ax, rows, methods, styles)
        name = LABELS.get(metric, metric)
        p_value = rows["iman_davenport_p"].iloc[0]
        p_text = "p < .001" if p_value < 1e-3 else f"p = {p_value:.2g}"
        sizes = f"{rows['n_datasets'].iloc[0]:.0f} data sets, {p_text}"
        lines = [name, scaling, sizes] if has_scalings else [name, sizes]
        ax.set_title("\n".join(lines), fontsize=SMALL_TEXT_SIZE)
        ax.set_xlabel("mean rank (1: best)", fontsize=SMALL_TEXT_SIZE)
    # best rank at the top, the names on the first panel only
    axes[0, 0].set_yticks(range(len(methods)), [styles[name].label for name in methods])
    axes[0, 0].set_ylim(len(methods) - 0.4, -0.6)
    inches = {"top": header_in - 0.39, "bottom": 0.36}
    longest = max(len(styles[name].label) for name in methods)
    figure.subplots_adjust(
        left=max(0.215, CHARACTER_IN * longest / WIDTH_IN),
        right=0.99,
        top=1 - inches["top"] / height,
        bottom=inches["bottom"] / height,
        wspace=0.1,
        hspace=header_in / (ROW_HEIGHT_IN * len(methods)),
    )
    return figure


def _sort_methods(rows: pd.DataFrame) -> list[str]:
    """Return the methods of a panel, the best mean rank first."""
    return list(rows.sort_values("mean_rank", kind="stable")["method"])


def _draw_panel(ax: Axes, rows: pd.DataFrame, methods: list[str], styles: dict[str, Style]) -> None:
    """Draw one panel; the bars reach half of the critical difference to both sides."""
    # two bars overlap exactly where the ranks differ by less than the critical difference
    half_difference = rows["critical_difference"].iloc[0] / 2
    for row in rows.itertuples():
        style, y = styles[row.method], methods.index(row.method)
        ax.plot(
            [row.mean_rank - half_difference, row.mean_rank + half_difference],
            [y, y],
            color=style.colour,
            alpha=0.45,
        )
        face = style.colour if style.is_filled else "white"
        ax.plot(row.mean_rank, y, style.marker, color=style.colour, markerfacecolor=face)
    best = rows["mean_rank"].min()
    # what overlaps with the band about the best cannot be told from it
    ax.axvspan(best - half_difference, best + half_difference, color="#eeeeee", linewidth=0, zorder=0)
    ax.set_xlim(
        min(0.5, best - half_difference - 0.3),
        max(len(methods), np.ceil(rows["mean_rank"].max() + half_difference)),
    )
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.tick_params(axis="y", length=0, labelsize=SMALL_TEXT_SIZE)
    ax.tick_params(axis="x", labelsize=SMALL_TEXT_SIZE)
    draw_grid(ax, "x")
