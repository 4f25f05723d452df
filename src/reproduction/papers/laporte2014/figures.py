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

LANE_HEIGHT_IN = 0.11
"""Inches of height of a method in Figure 2."""

ERROR_BAR_X = 0.02
"""Where the error bar of Figure 3 stands, left of all points."""

FIGURE3_PANELS_PER_ROW = 3
"""Panels of Figure 3."""


@drawing.use_style
def draw_figure1() -> Figure:
    """Draw the regularisers of one weight on [−2, 2] (Figure 1).

    Returns
    -------
    Figure
    """
    # 401 points on [-2, 2]: 0 is one of them, so that the kinks are sharp
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


@drawing.use_style
def draw_figure2(table: pd.DataFrame) -> Figure:
    """Draw the share of removed features, a band a data set, a lane a method (Figure 2).

    The paper draws polygons over nine data sets; over the three that can be had their areas say nothing, so
    a line joins ours and the published share instead.

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
    datasets = list(dict.fromkeys(ratios["dataset"]))
    if not datasets:
        return drawing.placeholder_figure("no data set was obtained")
    styles = {method: METHOD_STYLE[method] for method in list_paper_methods(ratios)}
    # a lane for each method, and one of distance, in each band; one inch for legend and axis
    height = 1.0 + LANE_HEIGHT_IN * len(datasets) * (len(styles) + 1)
    figure, ((ax,),) = drawing.make_panels(height)
    _draw_dots(ax, ratios, datasets, styles)
    shapes = {"ours, mean over the folds": {"marker": "o"}}
    if ratios["published_sparsity_ratio"].notna().any():
        shapes["published"] = {"marker": "o", "markerfacecolor": "white"}
    legends.add_two_legends(figure, styles, shapes, 6, 0.24)
    figure.subplots_adjust(left=0.12, right=0.97, top=1 - 0.5 / height, bottom=0.4 / height)
    return figure


def _select_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Select the ratios of the paper's methods on single data sets."""
    return select_complete_rows(table[table["method_group"] == "paper"], "sparsity_ratio_mean")


def _draw_dots(ax: Axes, ratios: pd.DataFrame, datasets: list[str], styles: dict[str, Style]) -> None:
    """Draw the share of removed features as dots: a band a data set, a lane a method."""
    # the lanes take .8 of a band, whose height is 1
    lane = 0.8 / len(styles)
    for i, dataset in enumerate(datasets):
        for j, (method, style) in enumerate(styles.items()):
            rows = ratios[(ratios["dataset"] == dataset) & (ratios["method"] == method)]
            removed = 1 - rows[["sparsity_ratio_mean", "published_sparsity_ratio"]].to_numpy(float)
            y = i + lane * (j - (len(styles) - 1) / 2)
            # a line joins our dot with the published one, so that the distance is seen as a length
            for ours, published in removed:
                ax.plot([ours, published], [y, y], color=style.colour, linewidth=1.8, alpha=0.35)
                ax.plot(ours, y, style.marker, color=style.colour)
                ax.plot(published, y, style.marker, color=style.colour, markerfacecolor="white")
    for i in range(0, len(datasets), 2):  # every other data set is shaded
        ax.axhspan(i - 0.5, i + 0.5, color="#f2f2f2", linewidth=0, zorder=0)
    ax.set_yticks(range(len(datasets)), datasets)
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1), ylim=(len(datasets) - 0.5, -0.5), xlabel="Features removed (share)")
    drawing.draw_grid(ax, "x")


@drawing.use_style
def draw_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> Figure:
    """Draw MAP against the sparsity ratio, a panel a data set, a marker a method (Figure 3).

    Bar on the left: one standard error over the folds, the median of the methods. Dotted: the mean MAP of
    the paper's methods. Hollow: beyond the paper. A plus: the published MAP of the published best method at
    its published ratio, in the colour of the method.

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
    # besides the methods: the mean line, and the published best where there is one
    legend_rows = math.ceil((len(styles) + 1 + has_print) / 5)
    legend_in, bottom_in, panel_in = 0.16 + 0.19 * legend_rows, 0.42, 2.0
    height_in = legend_in + bottom_in + panel_in * n_rows
    figure, cells = drawing.make_panels(height_in, n_rows, n_columns)
    for ax, dataset in zip(cells.flat, datasets, strict=False):
        _draw_methods(ax, points[points["dataset"] == dataset], styles)
        ax.set(title=dataset, ylabel="MAP (mean over the folds)", xlim=x_limits)
    for ax in cells.flat[len(datasets) :]:
        ax.remove()
    # only the lowest panel of each column names the axis
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
    """Draw the points of one data set, their typical error, and the mean MAP of the paper's methods."""
    for row in points.itertuples():
        colour, is_filled = styles[row.method].colour, styles[row.method].is_filled
        options = {"markerfacecolor": colour if is_filled else "none", "zorder": 3 if is_filled else 4}
        x, y = row.sparsity_ratio_mean, row.map_mean
        ax.plot(x, y, styles[row.method].marker, color=colour, markersize=5, **options)
        # the paper prints a value of MAP for the best method only
        if row.published_relation == RELATION_BEST and not math.isnan(row.published_sparsity_ratio):
            x, y = row.published_sparsity_ratio, row.published_value
            ax.plot(x, y, "+", color=colour, markersize=7, zorder=2)
    paper_points = points[points["method_group"] == "paper"]
    if len(paper_points):
        ax.axhline(paper_points["map_mean"].mean(), color=drawing.GREY, linestyle=":", linewidth=0.9)
    # one bar for all: the folds differ much more than the methods; 0 where a single fold has no error
    error = (points["map_std"] / np.sqrt(points["splits_used"])).fillna(0.0).median()
    ax.errorbar(ERROR_BAR_X, points["map_mean"].mean(), error, color=drawing.GREY, elinewidth=0.8, capsize=2)
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
    shares = "; ".join(descriptions) or "Nothing was obtained"
    return f"Share of removed features, one minus the sparsity ratio. {shares}."


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
