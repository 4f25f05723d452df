"""The figure of a Table 1: two quantities of every method on every data set."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, SymmetricalLogLocator

from reproduction.plotting.legends import add_two_legends
from reproduction.plotting.messages import count_noun, format_range
from reproduction.plotting.style import (
    SCALING_MARKERS,
    SMALL_TEXT_SIZE,
    draw_grid,
    format_power,
    make_panels,
    set_log_scale,
    use_style,
)
from reproduction.reporting.figures.label_placement import measure_left_margin
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
    (one shape for each feature scaling), open diamonds are the published values, and a thick line joins the
    two; thin bars are one standard deviation of ours over the splits. Variants of a data set, which have no
    published values of their own, are left to the table. One that was not obtained says so in its band.

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
    table = select_shown_datasets(table, panels)
    styles = method_styles(table["method"])
    scalings = sorted(set(table["feature_scaling"]), key=scaling_sort_key)
    lanes, bands = _place_lanes(table, styles)
    # inches: a line of shapes, and the rows of the legend of methods
    header = 0.29 + 0.21 * math.ceil(len(styles) / METHODS_PER_LEGEND_ROW)
    # at least 2.4 in, where axis and legend leave room for a lane
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
    top, left = 1 - header / height, measure_left_margin(axes[0], 0.155)
    figure.subplots_adjust(left=left, right=0.985, top=top, bottom=0.42 / height, wspace=0.06)
    shapes = {f"ours, {name}": {"marker": SCALING_MARKERS[i % 4]} for i, name in enumerate(scalings)}
    if table[f"published_{panels[0].quantity}_mean"].notna().any():
        shapes["published in the paper"] = {"marker": "D", "markerfacecolor": "white"}
    add_two_legends(figure, styles, shapes, METHODS_PER_LEGEND_ROW, header - 0.26, x=0.57)
    return figure


def select_shown_datasets(table: pd.DataFrame, panels: tuple[Panel, Panel]) -> pd.DataFrame:
    """Select the data sets that the paper has; all of them where it prints no values.

    Of several readings of one published data set, which share its published values, the first one is shown,
    and one that was not obtained stands beside its substitute.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of a Table 1.
    panels : tuple of Panel
        The left and the right panel.

    Returns
    -------
    pandas.DataFrame
    """
    columns = [f"published_{panel.quantity}_{moment}" for panel in panels for moment in ("mean", "std")]
    is_published = table[columns].notna().any(axis=1)
    if not is_published.any():
        return table
    published = table[table["dataset"].isin(table.loc[is_published, "dataset"])]
    # the published values of a data set, of all its methods, tell its variants
    values = published.groupby("dataset", sort=False)[columns].apply(
        lambda rows: tuple(rows.drop_duplicates().fillna(-1.0).to_numpy().ravel())
    )
    # two data sets with the same published values are two variants of one
    is_missing = published["data_status"].isin([STATUS_NOT_OBTAINED, STATUS_NOT_RUN])
    obtained = values[values.index.isin(published.loc[~is_missing, "dataset"])]
    return published[is_missing | published["dataset"].isin(obtained.drop_duplicates().index)]


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
        "numbers are in Table 1."
    )


def _place_lanes(
    table: pd.DataFrame, styles: dict[str, Style]
) -> tuple[dict, list[tuple[str, float, float]]]:
    """Place every (data set, method) on a lane, every data set on a band (name, first lane, last lane)."""
    # y grows downwards, in lanes
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
    """Draw ours of each feature scaling, joined to the published value."""
    # four markers, in the order of the feature scalings
    series = [(table[table["feature_scaling"] == b], SCALING_MARKERS[i % 4]) for i, b in enumerate(scalings)]
    # feature scalings of one method lie side by side, within half a lane
    shifts = np.linspace(-0.25, 0.25, len(series)) if len(series) > 1 else [0.0]
    for shift, (rows, marker) in zip(shifts, series, strict=True):
        for row in rows.to_dict("records"):
            lane = lanes.get((row["dataset"], row["method"]))
            if lane is not None:
                colour, ours, y = styles[row["method"]].colour, row[f"{quantity}_mean"], lane + shift
                published = row[f"published_{quantity}_mean"]
                ax.plot([ours, published], [y, y], color=colour, linewidth=1.8, alpha=0.35, zorder=2)
                _draw_ours(ax, ours, row[f"{quantity}_std"], y, {"marker": marker, "color": colour})
                if math.isnan(published):
                    continue
                look = {"markersize": 2.7, "markerfacecolor": "white", "markeredgewidth": 0.7}
                ax.plot(published, y, "D", color=colour, zorder=4, **look)


def _draw_ours(ax: Axes, mean: float, std: float, y: float, look: dict[str, str]) -> None:
    """Draw one of our means with its thin bar, which is cut where it would pass below zero."""
    if math.isnan(mean):
        return
    std = 0.0 if math.isnan(std) else std
    # on a logarithmic axis a bar needs a positive end: a thousandth of the mean
    ax.plot([max(mean - std, 0.001 * mean), mean + std], [y, y], color=look["color"], linewidth=0.5, zorder=2)
    ax.plot(mean, y, linestyle="none", markersize=3.0, zorder=3, **look)


def _set_scale(ax: Axes, scale: str, table: pd.DataFrame, quantity: str) -> None:
    """Set the limits, and the scale as `Panel` describes it."""
    if scale == "share":
        ax.set_xlim(-0.03, 1.03)
    elif scale == "count":
        ax.set_xscale("symlog", linthresh=1, linscale=0.5)
        ax.set_xlim(-0.12, 1.6 * max(10.0, _find_largest_end(table, quantity)))
        # linear below 1, since numbers of variables or positives may be 0
        ax.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1))
        ax.xaxis.set_minor_locator(SymmetricalLogLocator(base=10, linthresh=1, subs=range(2, 10)))
        ax.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:.0f}" if value < 1e5 else format_power(value))
        )
    else:
        means = table[[f"{quantity}_mean", f"published_{quantity}_mean"]].to_numpy(float)
        positive = means[np.nan_to_num(means) > 0]
        if positive.size:
            # room on the left for bars, which may be as long as the mean
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


def state_table1(table: pd.DataFrame, panels: tuple[Panel, Panel]) -> str:
    """State in how many lanes the published value lies within one standard deviation of ours.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of a Table 1.
    panels : tuple of Panel
        The left and the right panel.

    Returns
    -------
    str
        The range of each quantity where none of them is published.
    """
    rows = select_shown_datasets(table, panels)
    counts, ranges = [], []
    for panel in panels:
        name = panel.label.partition(" (")[0]
        ours, std, published = (
            rows[column].astype(float)
            for column in (
                f"{panel.quantity}_mean",
                f"{panel.quantity}_std",
                f"published_{panel.quantity}_mean",
            )
        )
        is_compared = ours.notna() & published.notna()
        is_within = (ours - published).abs() <= std.fillna(0.0)
        if is_compared.any():
            counts.append(f"{name} {(is_within & is_compared).sum()} of {is_compared.sum()}")
        if ours.notna().any():
            # a method without spread (one split) counts only if both numbers are equal
            ranges.append(f"{name} {format_range(ours.min(), ours.max(), '.3g')}")
    if counts:
        return f"Published values within one standard deviation of ours: {', '.join(counts)}."
    n_datasets = rows.loc[rows[f"{panels[0].quantity}_mean"].notna(), "dataset"].nunique()
    if not ranges:
        return "No method has a number on any data set."
    return f"Means over {count_noun(n_datasets, 'data set')}: {', '.join(ranges)}."
