"""Figures of the comparison: published against measured numbers, and the effects of each option."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, SymmetricalLogLocator

from reproduction.comparison.table import RESULT
from reproduction.comparison.tolerances import MARGINS
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    EXPLAINED_VALUE,
    VALUE_BELOW_MARGIN,
    VERDICTS,
)
from reproduction.plotting.legends import add_legend, add_side_legends, add_two_legends
from reproduction.plotting.style import (
    GREY,
    SMALL_TEXT_SIZE,
    WIDTH_IN,
    draw_grid,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.reporting.figures.label_placement import measure_left_margin, name_outliers
from reproduction.specs.labels import method_styles

SINGLE_SIDE_IN, LARGEST_SIDE_IN, PANEL_GAP_IN = 1.7, 2.1, 0.55
"""Inches: the side of a single panel, the largest of several, and the gap between two."""

LEFT_MARGIN_IN, BOTTOM_MARGIN_IN = 0.56, 0.42
"""Inches around the panels."""

MAX_LABELS_IN_SINGLE_ROW, LABELS_PER_ROW = 5, 4
"""Names in the only row of a legend, and in each row of a longer one."""

LEGEND_ROW_IN = 0.2
"""Inches of height for one row of the legend."""

MARKERS = {
    AGREES: {"marker": "o"},
    CONSISTENT: {"marker": "o", "markerfacecolor": "white"},
    EXPLAINED_VALUE: {"marker": "D", "markerfacecolor": "white"},
    DIFFERS: {"marker": "X", "markersize": 4.5},
    VALUE_BELOW_MARGIN: {"marker": ".", "markersize": 3},
}
"""Shape of a verdict; what agrees is a filled circle."""

OPTION_ROW_IN = 0.15
"""Inches of height of the lane of an option."""

NO_OPTIONS_TEXT = "No option of this study is compared with published values."
RECOVERED_COLOUR, LOST_COLOUR = "#0072b2", "#d55e00"

TICK_INTERVALS = 3
"""Most intervals between ticks of a linear axis; narrow panels have no room for more."""

SHARE_MARGIN = 0.03
"""How far the axis of a share reaches beyond 0 and 1."""

PLOT_COLUMNS = (
    *("study", "artefact", "dataset", "method", "panel", "quantity", "published", "published_std"),
    *("ours_mean", "ours_std", "margin", "low", "high", "verdict"),
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
    scale : {"linear", "symlog"}
        "symlog" is linear below 1 and logarithmic above: 0 occurs.
    """

    ending: str
    label: str
    scale: str = "linear"


PANELS = (
    Panel("rate_at_top", "Rate at the top (share)"),
    Panel("pos_at_top", "Pos@Top (test positives)", "symlog"),
    Panel("variables", "Variables (count)", "symlog"),
    Panel("sparsity_ratio", "Sparsity ratio (share of features)"),
    Panel("map", "MAP of the best (share)"),
    Panel("ndcg10", "NDCG@10 of the best (share)"),
    Panel("decrease", "Decrease from the best (%)"),
)
"""In the order in which they are drawn; a quantity has the first panel that its name fits."""


def plot_data(comparison: pd.DataFrame, study: str) -> pd.DataFrame:
    """Select the points: the published results of a study that have one of ours.

    Parameters
    ----------
    comparison : pd.DataFrame
        Rows of `table.read_comparison`.
    study : str
        Name of the study.

    Returns
    -------
    pd.DataFrame
        The columns of `PLOT_COLUMNS`; ``panel`` is the end of the quantity.
    """
    rows = comparison[(comparison["study"] == study) & (comparison["kind"] == RESULT)]
    endings = [panel.ending for panel in PANELS]
    panel_endings = [next(filter(quantity.endswith, endings), "") for quantity in rows["quantity"]]
    rows = rows.assign(panel=panel_endings)
    rows = rows[rows["panel"].ne("") & rows["verdict"].isin(list(MARKERS))]
    return rows[list(PLOT_COLUMNS)].reset_index(drop=True)


@use_style
def published_values_figure(points: pd.DataFrame) -> Figure:
    """Draw our numbers against the published ones.

    Parameters
    ----------
    points : pd.DataFrame
        Rows of `plot_data`.

    Returns
    -------
    Figure
        One panel for each quantity that has a point, each with the same limits on both axes; if there is no
        point at all, a figure that says so.
    """
    panels = [panel for panel in PANELS if panel.ending in set(points["panel"])]
    if not panels:
        return placeholder_figure("No published result has a corresponding result of ours.")
    styles = method_styles(points["method"])
    shapes = {verdict: marker for verdict, marker in MARKERS.items() if verdict in set(points["verdict"])}
    spacing = {"labelspacing": 0.35, "columnspacing": 1.5}
    if len(panels) == 1:  # half as wide, with the legends beside the panel
        side, header, width = SINGLE_SIDE_IN, 0.3, WIDTH_IN / 2
        figure = Figure(figsize=(width, header + side + BOTTOM_MARGIN_IN), dpi=200)
        add_side_legends(figure, styles, shapes, (LEFT_MARGIN_IN + side + 0.08) / width, **spacing)
    else:
        # pitch: from the left edge of a panel to that of the next one; panels are square
        pitch, width = (WIDTH_IN - LEFT_MARGIN_IN) / len(panels), WIDTH_IN
        side = min(pitch - PANEL_GAP_IN, LARGEST_SIDE_IN)
        labels_per_row = (
            MAX_LABELS_IN_SINGLE_ROW if len(styles) <= MAX_LABELS_IN_SINGLE_ROW else LABELS_PER_ROW
        )
        legend_height = 0.03 + LEGEND_ROW_IN * math.ceil(len(styles) / labels_per_row)
        header = legend_height + 0.29 + LEGEND_ROW_IN
        figure = Figure(figsize=(width, header + side + BOTTOM_MARGIN_IN), dpi=200)
        add_two_legends(figure, styles, shapes, labels_per_row, legend_height, **spacing)
    height, axes = figure.get_figheight(), []
    for i, panel in enumerate(panels):
        offset = LEFT_MARGIN_IN + i * (pitch if len(panels) > 1 else 0.0)
        bounds = (offset / width, BOTTOM_MARGIN_IN / height, side / width, side / height)
        axes.append(figure.add_axes(bounds))
        panel_points = points[points["panel"] == panel.ending]
        _set_up_axes(axes[-1], panel, panel_points)
        for point in panel_points.to_dict("records"):
            _draw_point(axes[-1], point)
    for ax, panel in zip(axes, panels, strict=True):
        name_outliers(ax, points[points["panel"] == panel.ending])
    return figure


def alt_text(points: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it.

    Parameters
    ----------
    points : pd.DataFrame
        Rows of `plot_data`.

    Returns
    -------
    str
        Sentences with the number of points and verdicts of each panel.
    """
    sentences = []
    for panel in PANELS:
        panel_points = points[points["panel"] == panel.ending]
        if len(panel_points):
            verdicts = panel_points["verdict"].value_counts()
            verdict_counts = ", ".join(f"{v} {verdicts[v]}" for v in VERDICTS if v in verdicts)
            n_above = int((panel_points["ours_mean"] > panel_points["published"]).sum())
            sentences.append(
                f"{panel.label}: {len(panel_points)} points, {n_above} above the diagonal, {verdict_counts}"
            )
    if not sentences:
        return "No published result has a corresponding result of ours."
    lead = "Published results (horizontal) against ours (vertical), one panel per quantity."
    return f"{lead} {'; '.join(sentences)}."


def _set_up_axes(ax: Axes, panel: Panel, points: pd.DataFrame) -> None:
    """Give both axes the same scale and limits, and draw the diagonal and the band of the margin."""
    if panel.scale == "symlog":
        # Counts span from 0 to thousands: linear below 1, where a logarithm has no place for 0.
        ax.set_xscale("symlog", linthresh=1, linscale=0.5)
        ax.set_yscale("symlog", linthresh=1, linscale=0.5)
    low, high = _find_limits(panel, points)
    ax.set(xlim=(low, high), ylim=(low, high))
    for axis in (ax.xaxis, ax.yaxis):
        _set_ticks(axis, panel.scale, high)
    line = np.linspace(low, high, 2)
    ax.plot(line, line, color="#555555", linewidth=0.7, zorder=1)
    margin = MARGINS.get(panel.ending)
    # A margin that depends on the data (a share of its features) is no band: it differs from point to point.
    if margin is not None and margin.relative_to in ("", "published"):
        line = np.linspace(max(low, 0.0), high, 50)
        band = margin.value * (np.abs(line) if margin.relative_to else 1.0)
        ax.fill_between(line, line - band, line + band, color="#d9d9d9", linewidth=0, zorder=0)
    ax.set_title(panel.label, size=7.5, pad=5)
    ax.set_xlabel("published", labelpad=2)
    ax.set_ylabel("ours", labelpad=2)
    ax.set_axisbelow(True)


def _find_limits(panel: Panel, points: pd.DataFrame) -> tuple[float, float]:
    """Find limits that hold all points and bars, common to both axes."""
    means = points[["published", "ours_mean"]].to_numpy(float)
    bars = np.column_stack(_interval_ends(points))
    ends = np.concatenate([means, np.where(np.isnan(bars), means, bars)])
    if panel.scale == "symlog":
        return -0.25, 1.8 * max(10.0, ends.max())
    # Bars of numbers that cannot be negative are cut at 0; only decreases may be negative themselves.
    lowest = min(ends.min(), means.min()) if means.min() < 0 else max(ends.min(), 0.0)
    margin = 0.06 * max(ends.max() - lowest, 0.04)
    low, high = lowest - margin, ends.max() + margin
    if "share" in panel.label:  # a bar may reach beyond what a share can be
        return max(low, -SHARE_MARGIN), min(high, 1.0 + SHARE_MARGIN)
    return low, high


def _interval_ends(points: Mapping) -> tuple:
    """Return the ends of the bar of a point: the published number minus the interval of the difference."""
    return points["published"] - points["high"], points["published"] - points["low"]


def _set_ticks(axis: Axis, scale: str, high: float) -> None:
    """Set few ticks, the same on both axes."""
    if scale == "linear":
        axis.set_major_locator(MaxNLocator(TICK_INTERVALS))
        return
    decades = math.log10(high)
    base = 10.0 ** math.ceil(decades / 5) if decades > 2 else 10.0
    axis.set_major_locator(SymmetricalLogLocator(base=base, linthresh=1))
    axis.set_major_formatter(_format_tick)


def _format_tick(value: float, _: int | None = None) -> str:
    """Write a tick of a logarithmic axis: digits from 0.01 to 10 000, powers of ten beyond."""
    if value == 0 or 0.01 <= abs(value) < 1e5:
        return f"{value:g}"
    return rf"$10^{{{round(math.log10(value))}}}$"


def _draw_point(ax: Axes, row: dict) -> None:
    """Draw one number, with a bar that meets the diagonal where the interval of the difference holds 0."""
    style = method_styles([row["method"]])[row["method"]]
    bottom, top = _interval_ends(row)
    if not math.isnan(bottom):
        ax.plot([row["published"]] * 2, [bottom, top], color=style.colour, alpha=0.4, linewidth=0.6)
    marker = {"markersize": 3.2, "markeredgewidth": 0.8, "linestyle": "none"} | MARKERS[row["verdict"]]
    ax.plot(
        [row["published"]],
        [row["ours_mean"]],
        color=style.colour,
        zorder=3 if row["verdict"] == AGREES else 4,
        **marker,
    )


@use_style
def option_effects_figure(effects: pd.DataFrame) -> Figure:
    """Draw a lane an option: to the right what it recovers, to the left what it loses.

    Parameters
    ----------
    effects : pd.DataFrame
        Rows of a study of `option_effects.csv`.

    Returns
    -------
    Figure
        The figure; one that says so where no option was tried.
    """
    if effects.empty:
        return placeholder_figure(NO_OPTIONS_TEXT)
    y = np.arange(len(effects))
    height = 0.8 + OPTION_ROW_IN * len(effects)
    figure, ((ax,),) = make_panels(height)
    bars = (
        ax.barh(y, effects["recovered"], color=RECOVERED_COLOUR, height=0.62, label="recovered"),
        ax.barh(y, -effects["lost"], color=LOST_COLOUR, height=0.62, label="lost"),
    )
    # Symmetric about 0, so that lengths to the left and to the right compare.
    largest = max(1, effects["recovered"].max(), effects["lost"].max())
    ax.set_xlim(-1.06 * largest, 1.06 * largest)
    ax.axvline(0, color=GREY, linewidth=0.6)
    names = [f"{row.choice}: {row.option} (of {row.compared})" for row in effects.itertuples()]
    ax.set_yticks(y, [name.replace("_", " ") for name in names], fontsize=SMALL_TEXT_SIZE)
    ax.set_ylim(len(effects) - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(lambda value, _: f"{abs(value):.0f}")
    ax.set_xlabel("published numbers")
    draw_grid(ax, "x")
    left, right = measure_left_margin(ax, 0.34), 0.98
    figure.subplots_adjust(left=left, right=right, top=1 - 0.3 / height, bottom=0.4 / height)
    add_legend(figure, bars, 2, bbox_to_anchor=((left + right) / 2, 1 - 0.02 / height))
    return figure


def option_effects_alt_text(effects: pd.DataFrame) -> str:
    """Describe the figure of the options in words.

    Parameters
    ----------
    effects : pd.DataFrame
        Rows of a study of `option_effects.csv`.

    Returns
    -------
    str
        One or two sentences.
    """
    if effects.empty:
        return NO_OPTIONS_TEXT
    helpful = effects[effects["recovered"] > effects["lost"]]
    best = effects.iloc[(effects["recovered"] - effects["lost"]).to_numpy().argmax()]
    return (
        f"{len(effects)} options, of which {len(helpful)} recover more numbers than they lose. The best: "
        f"{best['choice']} {best['option']}, {best['recovered']:.0f} recovered and {best['lost']:.0f} lost."
    )
