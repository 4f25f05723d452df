"""Figures 1 to 3 of L14: the regularisers, the removed features, MAP against the sparsity ratio.

A table of the paper -> a Matplotlib figure (``draw_``), its data (``select_``), its text (``describe_``).
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.papers.laporte2014.significance import RELATION_BEST
from reproduction.papers.laporte2014.tables import list_paper_methods, select_complete_rows
from reproduction.plotting import legends
from reproduction.plotting import style as drawing
from reproduction.specs.labels import METHOD_STYLE, Style, method_label, method_styles
from toprank.penalties import L1, MCP, SCAD, Log, Lp

REGULARISERS = (
    ("ℓ₁: |w|", "l1_ranksvm", L1(), "-"),
    ("log: log(1 + |w|)", "log_ranksvm", Log(1.0), "-"),
    ("ℓ₀.₅: |w|^0.5", "lp_ranksvm", Lp(0.5), "-"),
    ("MCP, γ = 1", "mcp_ranksvm", MCP(1.0), "-"),
    ("SCAD, γ = 3.7 (beyond the paper)", "scad_ranksvm", SCAD(3.7), "--"),
)
"""Name, method whose colour it has, penalty, line. The parameters stand in the paper's Figure 1."""

FIGURE3_PANELS_PER_ROW = 3
"""Panels of Figure 3."""


@drawing.use_style
def draw_figure1() -> Figure:
    """Draw the regularisers of one weight on [−2, 2] (Figure 1).

    Returns
    -------
    Figure
    """
    w = np.linspace(-2, 2, 401)
    figure, ((ax,),) = drawing.make_panels(2.9)
    for i, (label, method, penalty, line) in enumerate(REGULARISERS):
        penalties, style = [penalty.value(np.array([weight])) for weight in w], METHOD_STYLE[method]
        line_options = {"color": style.colour, "marker": style.marker, "label": label}
        line_options |= {"markerfacecolor": style.colour if style.is_filled else "white"}
        line_options["markevery"] = drawing.select_markers(w, i, len(REGULARISERS), is_log=False)
        ax.plot(w, penalties, line, **line_options)
    ax.set(xlim=(-2, 2), xticks=[-2, -1, 0, 1, 2], ylim=(0, 2), yticks=[0, 0.5, 1, 1.5, 2])
    drawing.label_panel(ax, xlabel="Weight w", ylabel="Penalty g(|w|), with λ = 1")
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.66, 0.55), handlelength=2.6)
    figure.subplots_adjust(left=0.12, right=0.64, top=0.97, bottom=0.15)
    return figure


MAX_SPOKES_WITH_DOTS = 4
"""Up to so many data sets the spiders of Figure 2 have a dot plot beside them."""


@drawing.use_style
def draw_figure2(table: pd.DataFrame) -> Figure:
    """Draw the share of removed features as a spider plot: a spoke a data set, a line a method (Figure 2).

    Ours stand on the left, the published values of the same data sets on the right where there are any. Up to
    `MAX_SPOKES_WITH_DOTS` data sets a dot plot stands beside the spiders, since their areas say little then.
    With fewer than three there is no area, and the markers stand side by side on their spoke.

    Parameters
    ----------
    table : DataFrame
        Rows of `tables.build_table4`.

    Returns
    -------
    Figure
        A placeholder where no data set was obtained.
    """
    ratios = _select_ratios(table)
    spokes = list(dict.fromkeys(ratios["dataset"]))
    if not spokes:
        return drawing.placeholder_figure("no data set was obtained")
    panels = [("sparsity_ratio_mean", "ours, mean over the folds")]
    if ratios["published_sparsity_ratio"].notna().any():
        panels.append(("published_sparsity_ratio", "published, same data sets"))
    styles = {method: METHOD_STYLE[method] for method in list_paper_methods(ratios)}
    figure = Figure(figsize=(drawing.WIDTH_IN, 3.0))
    has_dots = len(spokes) <= MAX_SPOKES_WITH_DOTS
    cells = figure.add_gridspec(1, len(panels) + has_dots)
    axes = [figure.add_subplot(cells[0, i], projection="polar") for i in range(len(panels))]
    if has_dots:
        _draw_dots(figure.add_subplot(cells[0, -1]), ratios, spokes, styles)
    for ax, (column, title) in zip(axes, panels, strict=True):
        values = ratios.pivot_table(index="dataset", columns="method", values=column, sort=False)
        _draw_spider(ax, 1 - values.reindex(index=spokes, columns=list(styles)), styles)
        ax.set_title(title, pad=14)
    legends.add_legend(figure, legends.make_method_handles(styles), 6)
    right = 0.97 if has_dots else 0.92
    figure.subplots_adjust(left=0.06, right=right, top=0.76, bottom=0.15, wspace=0.42)
    return figure


def _select_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Select the ratios of the paper's methods on single data sets."""
    return select_complete_rows(table[table["method_group"] == "paper"], "sparsity_ratio_mean")


def _draw_dots(ax: Axes, ratios: pd.DataFrame, spokes: list[str], styles: dict[str, Style]) -> None:
    """Draw the share of removed features as dots: a band a data set, a lane a method."""
    lane = 0.8 / len(styles)
    for i, dataset in enumerate(spokes):
        for j, (method, style) in enumerate(styles.items()):
            rows = ratios[(ratios["dataset"] == dataset) & (ratios["method"] == method)]
            position = i + lane * (j - (len(styles) - 1) / 2)
            for column, face in (
                ("published_sparsity_ratio", "white"),
                ("sparsity_ratio_mean", style.colour),
            ):
                marker_options = {"color": style.colour, "markerfacecolor": face, "markersize": 3.2}
                ax.plot(1 - rows[column], [position] * len(rows), style.marker, **marker_options)
    ax.set_yticks(range(len(spokes)), spokes)
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1), ylim=(len(spokes) - 0.5, -0.5), xlabel="Share removed")
    ax.set_title("ours filled, published open", pad=14)
    drawing.draw_grid(ax, "x")


def _draw_spider(ax: Axes, removed: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw one polar panel of `removed`, a row a data set, a column a method."""
    n = len(removed)
    angles = 2 * math.pi * np.arange(n) / n
    ax.set_theta_zero_location("N")
    ax.set_theta_direction(-1)
    for i, (method, style) in enumerate(styles.items()):
        positions, values = angles, removed[method].to_numpy(float)
        line_options = {"color": style.colour, "marker": style.marker, "clip_on": False, "zorder": 3}
        if n < 3:  # no polygon: markers side by side on each spoke
            positions = positions + 0.09 * (i - (len(styles) - 1) / 2)
            line_options |= {"linestyle": "none", "linewidth": 0}
        else:  # closed: the first spoke ends the line as well
            positions, values = np.append(positions, positions[0]), np.append(values, values[0])
            line_options |= {"linewidth": 1.0}
        ax.plot(positions, values, **line_options)
    ax.set_ylim(0, 1)
    ax.set_yticks(
        [0.25, 0.5, 0.75, 1.0], [".25", ".5", ".75", "1"], size=drawing.SMALL_TEXT_SIZE, color="#555555"
    )
    # Between two spokes, where no line runs along it.
    ax.set_rlabel_position(180 / n if n > 2 else 90)
    ax.set_xticks(angles, list(removed.index))
    ax.tick_params(axis="x", pad=3)
    drawing.draw_grid(ax)
    ax.spines["polar"].set_linewidth(0.5)


@drawing.use_style
def draw_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> Figure:
    """Draw MAP against the sparsity ratio, a panel a data set, a marker a method (Figure 3).

    Bars: one standard error over the folds. Dotted: the mean MAP of the paper's methods. Hollow: beyond the
    paper. A plus: the published MAP of the published best method at its published ratio, in the colour of the
    method.

    Parameters
    ----------
    ratios, maps : DataFrame
        Tables IV and V.

    Returns
    -------
    Figure
        A placeholder where no data set was obtained.
    """
    points = _join_ratio_and_map(ratios, maps)
    datasets = list(dict.fromkeys(points["dataset"]))
    if not datasets:
        return drawing.placeholder_figure("no data set was obtained")
    styles = method_styles(points["method"])
    n_columns, n_rows = (
        min(len(datasets), FIGURE3_PANELS_PER_ROW),
        math.ceil(len(datasets) / FIGURE3_PANELS_PER_ROW),
    )
    is_best = points["published_relation"] == RELATION_BEST
    has_print = bool(is_best.any())
    largest_ratio = max(
        points["sparsity_ratio_mean"].max(), points.loc[is_best, "published_sparsity_ratio"].max()
    )
    x_limits = (
        -0.02,
        min(1.02, 0.06 + largest_ratio),
    )  # the same on all panels, from zero, as far as there are points
    # the legend has five columns; its height and that of a panel are in inches
    legend_rows = math.ceil((len(styles) + 1 + has_print) / 5)
    legend_in, bottom_in, panel_in = 0.16 + 0.19 * legend_rows, 0.42, 2.0
    height_in = legend_in + bottom_in + panel_in * n_rows
    figure, cells = drawing.make_panels(height_in, n_rows, n_columns)
    for ax, dataset in zip(cells.flat, datasets, strict=False):
        _draw_methods(ax, points[points["dataset"] == dataset], styles)
        ax.set(title=dataset, ylabel="MAP (mean over the folds)", xlim=x_limits)
    for ax in cells.flat[len(datasets) :]:
        ax.remove()
    for ax in cells.flat[max(0, len(datasets) - n_columns) : len(datasets)]:
        ax.set_xlabel("Sparsity ratio (share used)")
    extra_handles = [
        Line2D([], [], color=drawing.GREY, linestyle=":", label="mean MAP of the paper's methods")
    ]
    if has_print:
        plus_options = {"marker": "+", "color": drawing.GREY, "linestyle": "none", "markersize": 6}
        extra_handles.append(Line2D([], [], label="published best", **plus_options))
    legends.add_legend(figure, [*legends.make_method_handles(styles, has_line=False), *extra_handles], 5)
    figure.subplots_adjust(
        left=0.09,
        right=0.985,
        top=1 - (legend_in + 0.18) / height_in,
        bottom=bottom_in / height_in,
        wspace=0.42,
        hspace=0.42,
    )
    return figure


def _join_ratio_and_map(ratios: pd.DataFrame, maps: pd.DataFrame) -> pd.DataFrame:
    """Join the ratio and the MAP of each method that has one."""
    keys = ["dataset", "feature_scaling", "method"]
    ratio_columns = ["sparsity_ratio_mean", "sparsity_ratio_std", "published_sparsity_ratio"]
    points = maps.merge(ratios[[*keys, *ratio_columns]], on=keys)
    return points[points["map_mean"].notna()]


def select_figure2_data(table: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 2 draws of Table IV: the share of removed features, ours and published.

    Parameters
    ----------
    table : DataFrame
        Rows of `tables.build_table4`.

    Returns
    -------
    DataFrame
        Columns dataset, method, removed_share_ours, removed_share_published.
    """
    rows = _select_ratios(table)
    return rows[["dataset", "method"]].assign(
        removed_share_ours=1 - rows["sparsity_ratio_mean"],
        removed_share_published=1 - rows["published_sparsity_ratio"],
    )


def select_figure3_data(ratios: pd.DataFrame, maps: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 3 draws of Tables IV and V; of the published values only the published best.

    Parameters
    ----------
    ratios, maps : DataFrame
        Tables IV and V.

    Returns
    -------
    DataFrame
        A row a point: means and standard deviations over the folds, and the published values.
    """
    points = _join_ratio_and_map(ratios, maps)
    is_best = points["published_relation"] == RELATION_BEST
    columns = ["sparsity_ratio_mean", "sparsity_ratio_std", "map_mean", "map_std", "splits_used"]
    return points[["dataset", "method", "method_group", *columns]].assign(
        published_sparsity_ratio=points["published_sparsity_ratio"].where(is_best),
        published_map=points["published_value"].where(is_best),
    )


def _draw_methods(ax: Axes, points: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw the points of one data set with their error bars, and the mean MAP of the paper's methods."""
    # standard errors of the means; 0 where a single fold has none
    errors = points[["sparsity_ratio_std", "map_std"]].div(np.sqrt(points["splits_used"]), axis=0).fillna(0.0)
    for row, (xerr, yerr) in zip(points.itertuples(), errors.to_numpy(), strict=True):
        colour, is_filled = styles[row.method].colour, styles[row.method].is_filled
        options = {"fmt": styles[row.method].marker, "color": colour, "ecolor": (colour, 0.45)}
        options |= {"markerfacecolor": colour if is_filled else "none", "zorder": 3 if is_filled else 4}
        x, y = row.sparsity_ratio_mean, row.map_mean
        ax.errorbar(x, y, yerr, xerr, markersize=5, elinewidth=0.5, **options)
        if row.published_relation == RELATION_BEST and not math.isnan(row.published_sparsity_ratio):
            x, y = row.published_sparsity_ratio, row.published_value
            ax.plot(x, y, "+", color=colour, markersize=7, zorder=2)
    paper_points = points[points["method_group"] == "paper"]
    if len(paper_points):
        ax.axhline(paper_points["map_mean"].mean(), color=drawing.GREY, linestyle=":", linewidth=0.9)
    # at least .02 of MAP, so that equal methods do not look apart
    low, high = ax.get_ylim()
    middle, half_range = (low + high) / 2, max((high - low) / 2, 0.01)
    ax.set_ylim(middle - half_range, middle + half_range)
    drawing.draw_grid(ax)


def describe_figure1() -> str:
    """Describe Figure 1 in words, as its alternative text.

    Returns
    -------
    str
    """
    names = "; ".join(label for label, *_ in REGULARISERS)
    return f"The regularisers of one weight between −2 and 2, all zero at zero: {names}."


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, as its alternative text.

    Parameters
    ----------
    table : DataFrame
        Rows of `tables.build_table4`.

    Returns
    -------
    str
        Shares of removed features of each data set.
    """
    descriptions = []
    for dataset, block in _select_ratios(table).groupby("dataset", sort=False):
        removed = zip(block["method"].map(method_label), 1 - block["sparsity_ratio_mean"], strict=True)
        descriptions.append(f"{dataset}: {', '.join(f'{label} {share:.2f}' for label, share in removed)}")
    return (
        f"Spider plot of one minus the sparsity ratio. {'; '.join(descriptions) or 'Nothing was obtained'}."
    )


def describe_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> str:
    """Describe Figure 3 in words, as its alternative text.

    Parameters
    ----------
    ratios, maps : DataFrame
        Tables IV and V.

    Returns
    -------
    str
        Range of MAP on each data set.
    """
    rows = maps[maps["map_mean"].notna()]
    descriptions = [
        f"{dataset}: MAP from {block['map_mean'].min():.3f} to {block['map_mean'].max():.3f}"
        for dataset, block in rows.groupby("dataset", sort=False)
    ]
    ranges = "; ".join(descriptions) or "Nothing was obtained"
    return f"MAP against the sparsity ratio, a marker a method. {ranges}."
