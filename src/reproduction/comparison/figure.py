"""The figure of printed against measured numbers of a study: one panel for each quantity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, SymmetricalLogLocator

from reproduction.comparison.coverage import printed_cells, shown_rows
from reproduction.comparison.outliers import name_outliers
from reproduction.comparison.verdicts import AGREES, DIFFERS, IN_ORDER, TOLERANCE, VERDICTS
from reproduction.labels import method_styles
from reproduction.printed import DATA
from reproduction.style import RC, WIDTH

IN_A_ROW = 3
SIDE, PITCH = 1.76, (2.26, 2.42)
"""Inches: the side of a panel, and the distances from one to the next, across and down."""

LEFT, BELOW = 0.48, 0.42
"""Inches around the panels."""

FEW, NAMED_IN_A_ROW = 5, 4
"""Names that the legend sets in one row, and in each of several rows where there are more."""

LINE = 0.2
"""Inches of height for one row of the legend."""

COUNT_COLOUR = "#6B6B6B"
MARKERS = {
    AGREES: {"marker": "o"},
    IN_ORDER: {"marker": "D", "markerfacecolor": "white"},
    DIFFERS: {"marker": "o", "markerfacecolor": "white"},
}
"""Shape of a verdict; what agrees is filled."""

DRAWN_COLUMNS = (
    *("study", "artefact", "dataset", "features", "method", "panel", "quantity"),
    *("published", "published_std", "ours_mean", "ours_std", "verdict"),
)


@dataclass(frozen=True)
class Panel:
    """The quantities that share two axes.

    Attributes
    ----------
    ending : str
        How their names end.
    label : str
        What they are, with the unit.
    scale : {"linear", "log", "symlog"}
        "symlog" is linear below 1 and logarithmic above: 0 occurs.
    exact : bool
        Whether an equal number is asked for, so that there is no band.
    """

    ending: str
    label: str
    scale: str = "linear"
    exact: bool = False


PANELS = (
    Panel("rate_at_top", "Rate at the top (share)"),
    Panel("pos_at_top", "Pos@Top (test positives)", "symlog"),
    Panel("variables", "Variables (count)", "log"),
    Panel("seconds", "Training time (s)", "log"),
    Panel("sparsity_ratio", "Sparsity ratio (share of features)"),
    Panel("map", "MAP of the best (share)"),
    Panel("ndcg10", "NDCG@10 of the best (share)"),
    Panel("decrease", "Decrease from the best (%)"),
    Panel("p_value", "p-value", "linear"),
    Panel("count", "Counts of the data", "log", exact=True),
)
"""In the order in which they are drawn; a quantity has the first panel that its name fits."""

BANDED = ("rate_at_top", "sparsity_ratio", "map", "ndcg10", "p_value")
"""Panels in whose unit the tolerance is meant."""


def drawn(comparison: pd.DataFrame, study: str, published: str | None) -> pd.DataFrame:
    """Select the points: the printed numbers of a study that have one of ours.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Rows of `verdicts.read_comparison`.
    study : str
    published : path-like or None
        The file of the printed numbers.

    Returns
    -------
    pandas.DataFrame
        The columns of `DRAWN_COLUMNS`; `panel` is the end of the quantity. A printed bound (``<0.001``) is
        drawn at its value.
    """
    shown = shown_rows(printed_cells(study, published), comparison)
    rows = comparison.loc[sorted({row for row in shown["row"] if row >= 0})]
    rows = rows.assign(panel=[_panel_of(quantity) for quantity in rows["quantity"]])
    rows = rows[rows["panel"].ne("") & rows["ours_mean"].notna()]
    return rows.assign(published=rows["published"].abs())[list(DRAWN_COLUMNS)].reset_index(drop=True)


def _panel_of(quantity: str) -> str:
    return next((panel.ending for panel in PANELS if quantity.endswith(panel.ending)), "")


def printed_figure(points: pd.DataFrame) -> Figure:
    """Draw the points.

    Parameters
    ----------
    points : pandas.DataFrame
        Rows of `drawn`.

    Returns
    -------
    matplotlib.figure.Figure
        One panel for each quantity that has a point, each with the same limits on both axes; if there is no
        point at all, a figure that says so.
    """
    panels = [panel for panel in PANELS if panel.ending in set(points["panel"])]
    header = 0.32 + LINE * (1 + _legend_rows(points))
    rows = max(1, math.ceil(len(panels) / IN_A_ROW))
    height = header + (rows - 1) * PITCH[1] + SIDE + BELOW
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, height), dpi=200)
        if not panels:
            figure.text(0.5, 0.5, "None of the printed numbers has one of ours.", ha="center", size=8)
            return figure
        _legends(figure, points, height)
        axes = []
        for i, panel in enumerate(panels):
            row, column = divmod(i, IN_A_ROW)
            corner = (LEFT + column * PITCH[0], height - header - SIDE - row * PITCH[1])
            size = (SIDE / WIDTH, SIDE / height)
            axes.append(figure.add_axes((corner[0] / WIDTH, corner[1] / height, *size)))
            of_panel = points[points["panel"] == panel.ending]
            _axes(axes[-1], panel, of_panel)
            for point in of_panel.to_dict("records"):
                _point(axes[-1], point)
        for axis, panel in zip(axes, panels, strict=True):
            name_outliers(axis, points[points["panel"] == panel.ending])
    return figure


def describe(points: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    said = []
    for panel in PANELS:
        block = points[points["panel"] == panel.ending]
        if len(block):
            verdicts = block["verdict"].value_counts()
            counted = ", ".join(f"{v} {verdicts[v]}" for v in VERDICTS if v in verdicts)
            above = int((block["ours_mean"] > block["published"]).sum())
            said.append(f"{panel.label}: {len(block)} points, {above} above the diagonal, {counted}")
    if not said:
        return "No printed number has one of ours."
    return f"Printed numbers (across) against ours (up), a panel a quantity. {'; '.join(said)}."


def _axes(axis: Axes, panel: Panel, points: pd.DataFrame) -> None:
    """Give both axes the same scale and limits, and draw the diagonal and the band of the tolerance."""
    if panel.scale == "symlog":
        axis.set_xscale("symlog", linthresh=1, linscale=0.5)
        axis.set_yscale("symlog", linthresh=1, linscale=0.5)
    elif panel.scale == "log":
        axis.set_xscale("log")
        axis.set_yscale("log")
    low, high = _limits(panel, points)
    axis.set_xlim(low, high)
    axis.set_ylim(low, high)
    for one in (axis.xaxis, axis.yaxis):
        _ticks(one, panel.scale, low, high)
    line = np.linspace(low, high, 2)
    axis.plot(line, line, color="#555555", linewidth=0.7, zorder=1)
    if panel.ending in BANDED and points["published_std"].isna().any():
        axis.fill_between(line, line - TOLERANCE, line + TOLERANCE, color="#d9d9d9", linewidth=0, zorder=0)
    axis.set_title(panel.label, size=7.5, pad=5)
    axis.set_xlabel("printed", labelpad=2)
    axis.set_ylabel("ours", labelpad=2)
    axis.set_axisbelow(True)


def _limits(panel: Panel, points: pd.DataFrame) -> tuple[float, float]:
    """Find limits that hold all means and bars, common to both axes."""
    means = points[["published", "ours_mean"]].to_numpy(float)
    ends = means + np.nan_to_num(points[["published_std", "ours_std"]].to_numpy(float))
    if panel.scale == "log":
        positive = means[means > 0]
        return (positive.min() / 2.2, 1.8 * ends.max()) if positive.size else (0.1, 1.0)
    if panel.scale == "symlog":
        return -0.25, 1.8 * max(10.0, ends.max())
    starts = np.maximum(means - np.nan_to_num(points[["published_std", "ours_std"]].to_numpy(float)), 0.0)
    starts = np.minimum(starts, means)  # a decrease can be an increase
    margin = 0.06 * max(ends.max() - starts.min(), 2 * TOLERANCE)
    return starts.min() - margin, ends.max() + margin


def _ticks(axis, scale: str, low: float, high: float) -> None:
    """Set few ticks, the same on both axes."""
    if scale == "linear":
        axis.set_major_locator(MaxNLocator(5))
        return
    decades = math.log10(high / max(low, 1.0 if scale == "symlog" else low))
    base = 10.0 ** math.ceil(decades / 5) if decades > 2 else 10.0
    if scale == "symlog":
        axis.set_major_locator(SymmetricalLogLocator(base=base, linthresh=1))
    else:
        axis.set_major_locator(LogLocator(base=base, subs=(1,) if decades > 1.5 else (1, 2, 5), numticks=12))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))


def _tick(value: float) -> str:
    """Write a tick of a logarithmic axis: digits from 0.01 to 10 000, powers of ten beyond."""
    if value == 0 or 0.01 <= abs(value) < 1e5:
        return f"{value:g}"
    return rf"$10^{{{round(math.log10(value))}}}$"


def _point(axis: Axes, row: dict) -> None:
    """Draw one number with both deviations; bars stop short of zero."""
    colour = _colour(row["method"])
    bars = {}
    for name, mean, std in (
        ("xerr", row["published"], row["published_std"]),
        ("yerr", row["ours_mean"], row["ours_std"]),
    ):
        if not math.isnan(std):
            bars[name] = [[min(std, mean * 0.999)], [std]]
    axis.errorbar(
        row["published"],
        row["ours_mean"],
        **bars,
        color=colour,
        linestyle="none",
        markersize=3.2,
        markeredgewidth=0.8,
        **MARKERS[row["verdict"]],
        ecolor=(colour, 0.4),
        elinewidth=0.6,
        zorder=3 if row["verdict"] == AGREES else 4,
    )


def _colour(method: str) -> str:
    return COUNT_COLOUR if method == DATA else method_styles([method])[method].colour


def _legend_rows(points: pd.DataFrame) -> int:
    named = points["method"].nunique()
    return 1 if named <= FEW else math.ceil(named / NAMED_IN_A_ROW)


def _legends(figure: Figure, points: pd.DataFrame, height: float) -> None:
    """Put two legends above the panels: colours are methods, shapes are verdicts."""
    styles = method_styles(set(points["method"]) - {DATA})
    colours = [
        Line2D([], [], color=style.colour, linewidth=3, label=style.label) for style in styles.values()
    ]
    if DATA in set(points["method"]):
        colours.append(Line2D([], [], color=COUNT_COLOUR, linewidth=3, label="counts of the data"))
    grey = {"color": "#444444", "linestyle": "none", "markersize": 4}
    shapes = [
        Line2D([], [], **MARKERS[verdict], label=verdict, **grey)
        for verdict in MARKERS
        if verdict in set(points["verdict"])
    ]
    below = 0.03 + LINE * _legend_rows(points)
    for handles, inches in ((colours, 0.03), (shapes, below)):
        figure.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 1 - inches / height),
            ncols=len(handles) if len(handles) <= FEW else NAMED_IN_A_ROW,
            frameon=False,
            borderpad=0,
            labelspacing=0.35,
            handlelength=1.4,
            columnspacing=1.5,
            handletextpad=0.5,
        )
