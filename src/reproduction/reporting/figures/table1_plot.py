"""The figure of a Table 1: two quantities of every method on every data set."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, SymmetricalLogLocator

from reproduction.plotting.legends import add_two_legends
from reproduction.plotting.style import (
    SCALING_MARKERS,
    SMALL_TEXT_SIZE,
    draw_grid,
    format_power,
    make_panels,
    set_log_scale,
    use_style,
)
from reproduction.reporting.figures.table1 import Panel
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.labels import Style, method_styles, scaling_sort_key

LANE_HEIGHT_IN = 0.085
"""Inches of height for one method on one data set."""

DATASET_GAP_LANES = 0.9
"""Empty lanes between two data sets."""

METHODS_PER_LEGEND_ROW = 6
"""Methods in one row of the legend."""

MISSING_DATASET_LANES = 1.2
"""Lanes of a data set that was not obtained, which is only named."""

BAND_MARGIN_LANES = (1 + DATASET_GAP_LANES) / 2
"""From the middle of the outermost lane to the edge of its band."""


@use_style
def draw_table1(table: pd.DataFrame, panels: tuple[Panel, Panel]) -> Figure:
    """Draw two quantities of a Table 1.

    Each data set is a band, each method a lane in it, in the order of the legend. Filled markers are ours
    (one shape for each feature scaling), open diamonds are the published values; bars are one standard
    deviation over the splits. A data set that was not obtained says so in its band.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of a Table 1.
    panels : tuple of Panel
        The left and the right panel.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    styles = method_styles(table["method"])
    scalings = sorted(set(table["feature_scaling"]), key=scaling_sort_key)
    lanes, bands = _place_lanes(table, styles)
    header = 0.29 + 0.21 * math.ceil(len(styles) / METHODS_PER_LEGEND_ROW)
    height = max(2.4, LANE_HEIGHT_IN * (bands[-1][2] + 2 * BAND_MARGIN_LANES) + 0.42 + header)
    figure, (axes,) = make_panels(height, 1, 2, sharey=True)
    for ax, panel in zip(axes, panels, strict=True):
        for _, first, last in bands[::2]:  # every other data set is shaded
            ax.axhspan(
                first - BAND_MARGIN_LANES, last + BAND_MARGIN_LANES, color="#f2f2f2", linewidth=0, zorder=0
            )
        _draw_points(ax, table, panel.quantity, styles, scalings, lanes)
        ax.set_xlabel(panel.label)
        _set_scale(ax, panel.scale, table, panel.quantity)
        ax.set_ylim(bands[-1][2] + BAND_MARGIN_LANES, bands[0][1] - BAND_MARGIN_LANES)
        ax.tick_params(axis="y", length=0)
        draw_grid(ax, "x")
    _draw_missing_notes(axes[0], table, bands)
    axes[0].set_yticks(
        [(first + last) / 2 for _, first, last in bands], [_label_dataset(table, name) for name, *_ in bands]
    )
    label_widths = [label.get_window_extent().width for label in axes[0].get_yticklabels()]
    left = max(0.155, max(label_widths) / figure.bbox.width + 0.02)
    top = 1 - header / height
    figure.subplots_adjust(left=left, right=0.985, top=top, bottom=0.42 / height, wspace=0.06)
    shapes = {f"ours, {name}": {"marker": SCALING_MARKERS[i % 4]} for i, name in enumerate(scalings)}
    if table[f"published_{panels[0].quantity}_mean"].notna().any():
        shapes["published in the paper"] = {"marker": "D", "markerfacecolor": "white"}
    add_two_legends(figure, styles, shapes, METHODS_PER_LEGEND_ROW, header - 0.26, x=0.57)
    return figure


def select_plot_data(table: pd.DataFrame, panels: tuple[Panel, Panel]) -> pd.DataFrame:
    """Select what the figure draws: two quantities, ours and published, of every method on every data set.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of a Table 1.
    panels : tuple of Panel
        The left and the right panel.

    Returns
    -------
    pandas.DataFrame
        Data set, feature scaling, method, and means and standard deviations of the quantities.
    """
    moments = [
        f"{prefix}{panel.quantity}_{moment}"
        for panel in panels
        for prefix in ("", "published_")
        for moment in ("mean", "std")
    ]
    return table[["dataset", "feature_scaling", "method", *moments]]


def describe_table1(table: pd.DataFrame, panels: tuple[Panel, Panel]) -> str:
    """Describe the figure in words, for readers who do not see it.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of a Table 1.
    panels : tuple of Panel
        The left and the right panel.

    Returns
    -------
    str
    """
    left, right = (panel.label for panel in panels)
    used = table[table[f"{panels[0].quantity}_mean"].notna()]
    names = ", ".join(style.label for style in method_styles(table["method"]).values())
    return (
        f"{left} (left) and {right} (right) of {names} on {used['dataset'].nunique()} data sets, mean and "
        "standard deviation over the splits, with the published values, if any, beside ours. The same "
        "numbers stand in Table 1."
    )


def _place_lanes(
    table: pd.DataFrame, styles: dict[str, Style]
) -> tuple[dict, list[tuple[str, float, float]]]:
    """Place every (data set, method) on a lane, every data set on a band (name, first lane, last lane)."""
    lanes, bands, y = {}, [], 0.0
    for dataset, rows in table.groupby("dataset", sort=False):
        if (
            rows["data_status"].isin([STATUS_NOT_OBTAINED, STATUS_NOT_RUN]).any()
        ):  # its published values stand in the table
            bands.append((dataset, y, y + MISSING_DATASET_LANES - 1))
            y += MISSING_DATASET_LANES + DATASET_GAP_LANES
            continue
        first, present = y, set(rows["method"])
        for method in (name for name in styles if name in present):
            lanes[dataset, method] = y
            y += 1
        bands.append((dataset, first, y - 1))
        y += DATASET_GAP_LANES
    return lanes, bands


def _draw_points(
    ax: Axes, table: pd.DataFrame, quantity: str, styles: dict, scalings: list[str], lanes: dict
) -> None:
    """Draw means with bars: filled for each feature scaling, open for the published values."""
    series = [
        (table[table["feature_scaling"] == b], "", SCALING_MARKERS[i % 4]) for i, b in enumerate(scalings)
    ]
    series.append((table.drop_duplicates(["dataset", "method"]), "published_", "D"))
    shifts = np.linspace(-0.29, 0.29, len(series))
    for shift, (rows, prefix, marker) in zip(shifts, series, strict=True):
        for row in rows.to_dict("records"):
            lane = lanes.get((row["dataset"], row["method"]))
            if lane is not None:
                mean, std = row[f"{prefix}{quantity}_mean"], row[f"{prefix}{quantity}_std"]
                _draw_point(
                    ax, mean, std, lane + shift, styles[row["method"]].colour, marker, filled=not prefix
                )


def _draw_point(ax: Axes, mean: float, std: float, y: float, colour: str, marker: str, filled: bool) -> None:
    """Draw one mean with its bar, which is cut where it would pass below zero."""
    if math.isnan(mean):
        return
    std = 0.0 if math.isnan(std) else std
    ax.errorbar(
        mean,
        y,
        xerr=[[min(std, mean * 0.999)], [std]],
        fmt=marker,
        color=colour,
        markersize=3.0 if filled else 2.7,
        markerfacecolor=colour if filled else "white",
        markeredgecolor=colour,
        markeredgewidth=0.7,
        elinewidth=0.7,
        alpha=1.0,
        zorder=3,
    )


def _set_scale(ax: Axes, scale: str, table: pd.DataFrame, quantity: str) -> None:
    """Set the limits, and the scale as `Panel` describes it."""
    if scale == "share":
        ax.set_xlim(-0.03, 1.03)
    elif scale == "count":
        ax.set_xscale("symlog", linthresh=1, linscale=0.5)
        ax.set_xlim(-0.12, 1.6 * max(10.0, _find_largest_end(table, quantity)))
        ax.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1))
        ax.xaxis.set_minor_locator(SymmetricalLogLocator(base=10, linthresh=1, subs=range(2, 10)))
        ax.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:.0f}" if value < 1e5 else format_power(value))
        )
    else:
        means = table[[f"{quantity}_mean", f"published_{quantity}_mean"]].to_numpy(float)
        positive = means[np.nan_to_num(means) > 0]
        if positive.size:
            set_log_scale(ax.xaxis, positive.min() / 3, 1.6 * _find_largest_end(table, quantity))


def _find_largest_end(table: pd.DataFrame, quantity: str) -> float:
    """Find the right end of the longest bar."""
    ends = [table[f"{p}{quantity}_mean"] + table[f"{p}{quantity}_std"].fillna(0) for p in ("", "published_")]
    return float(np.nanmax(np.append(pd.concat(ends).to_numpy(float), 0.0)))


def _draw_missing_notes(ax: Axes, table: pd.DataFrame, bands: list[tuple[str, float, float]]) -> None:
    """Say in the band of a data set why there is nothing of ours in it."""
    status = table.drop_duplicates("dataset").set_index("dataset")["data_status"]
    for name, first, last in bands:
        if status[name] in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN):
            text_style = {"style": "italic", "va": "center", "size": SMALL_TEXT_SIZE, "color": "#b00020"}
            transform = ax.get_yaxis_transform()
            ax.text(0.012, (first + last) / 2, status[name], transform=transform, **text_style)


def _label_dataset(table: pd.DataFrame, dataset: str) -> str:
    """Name of a data set, with what sets it apart from the published one."""
    row = table[table["dataset"] == dataset].iloc[0]
    if row["data_status"] == "partial":
        return f"{dataset}\n(partial)"
    return f"{dataset}\n(substitute)" if row["substitute_for"] != "none" else dataset
