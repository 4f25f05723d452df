"""Figures 1 to 3 of L14: the regularisers, the removed features, MAP against the sparsity ratio."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.papers.laporte2014.significance import BEST
from reproduction.papers.laporte2014.tables import known, methods_of
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

IN_A_ROW = 3
"""Panels of Figure 3."""


@drawing.use_style
def figure1() -> Figure:
    """Draw the regularisers of one weight on [−2, 2]."""
    w = np.linspace(-2, 2, 401)
    figure, ((axis,),) = drawing.make_panels(2.9)
    for i, (label, method, penalty, line) in enumerate(REGULARISERS):
        g, style = [penalty.value(np.array([each])) for each in w], METHOD_STYLE[method]
        look = {"color": style.colour, "marker": style.marker, "label": label}
        look |= {"markerfacecolor": style.colour if style.is_filled else "white"}
        axis.plot(w, g, line, markevery=drawing.select_markers(w, i, len(REGULARISERS), is_log=False), **look)
    axis.set(xlim=(-2, 2), xticks=[-2, -1, 0, 1, 2], ylim=(0, 2), yticks=[0, 0.5, 1, 1.5, 2])
    drawing.label_panel(axis, xlabel="Weight w", ylabel="Penalty g(|w|), with λ = 1")
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.66, 0.55), handlelength=2.6)
    figure.subplots_adjust(left=0.12, right=0.64, top=0.97, bottom=0.15)
    return figure


FEW_SPOKES = 4
"""Up to so many data sets the spiders of Figure 2 have a dot plot beside them."""


@drawing.use_style
def figure2(table: pd.DataFrame) -> Figure:
    """Draw the share of removed features as a spider plot: a spoke a data set, a line a method.

    `table`: rows of `tables.table4`. Ours stand on the left, the published values of the same data sets on
    the right where there are any. Up to `FEW_SPOKES` data sets a dot plot stands beside the spiders, since
    their areas say little then. With fewer than three there is no area, and the markers stand side by side on
    their spoke.
    """
    have = _removed(table)
    spokes = list(dict.fromkeys(have["dataset"]))
    if not spokes:
        return drawing.placeholder_figure("no data set was obtained")
    panels = [("sparsity_ratio_mean", "ours, mean over the folds")]
    if have["published_sparsity_ratio"].notna().any():
        panels.append(("published_sparsity_ratio", "published, same data sets"))
    styles = {method: METHOD_STYLE[method] for method in methods_of(have)}
    figure = Figure(figsize=(drawing.WIDTH_IN, 3.0))
    has_dots = len(spokes) <= FEW_SPOKES
    cells = figure.add_gridspec(1, len(panels) + has_dots)
    axes = [figure.add_subplot(cells[0, i], projection="polar") for i in range(len(panels))]
    if has_dots:
        _dots(figure.add_subplot(cells[0, -1]), have, spokes, styles)
    for axis, (column, title) in zip(axes, panels, strict=True):
        values = have.pivot_table(index="dataset", columns="method", values=column, sort=False)
        _spider(axis, 1 - values.reindex(index=spokes, columns=list(styles)), styles)
        axis.set_title(title, pad=14)
    drawing.add_legend(figure, drawing.make_method_handles(styles), 6)
    right = 0.97 if has_dots else 0.92
    figure.subplots_adjust(left=0.06, right=right, top=0.76, bottom=0.15, wspace=0.42)
    return figure


def _removed(table: pd.DataFrame) -> pd.DataFrame:
    """Select the ratios of the paper's methods on single data sets."""
    return known(table[table["method_group"] == "paper"], "sparsity_ratio_mean")


def _dots(axis: Axes, have: pd.DataFrame, spokes: list[str], styles: dict[str, Style]) -> None:
    """Draw the share of removed features as dots: a band a data set, a lane a method."""
    lane = 0.8 / len(styles)
    for i, dataset in enumerate(spokes):
        for j, (method, style) in enumerate(styles.items()):
            rows = have[(have["dataset"] == dataset) & (have["method"] == method)]
            at = i + lane * (j - (len(styles) - 1) / 2)
            for column, face in (
                ("published_sparsity_ratio", "white"),
                ("sparsity_ratio_mean", style.colour),
            ):
                look = {"color": style.colour, "markerfacecolor": face, "markersize": 3.2}
                axis.plot(1 - rows[column], [at] * len(rows), style.marker, **look)
    axis.set_yticks(range(len(spokes)), spokes)
    axis.tick_params(axis="y", length=0)
    axis.set(xlim=(0, 1), ylim=(len(spokes) - 0.5, -0.5), xlabel="Share removed")
    axis.set_title("ours filled, published open", pad=14)
    drawing.draw_grid(axis, "x")


def _spider(axis: Axes, removed: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw one polar panel of `removed`, a row a data set, a column a method."""
    n = len(removed)
    angles = 2 * math.pi * np.arange(n) / n
    axis.set_theta_zero_location("N")
    axis.set_theta_direction(-1)
    for i, (method, style) in enumerate(styles.items()):
        at, values = angles, removed[method].to_numpy(float)
        look = {"color": style.colour, "marker": style.marker, "clip_on": False, "zorder": 3}
        if n < 3:
            at, look = at + 0.09 * (i - (len(styles) - 1) / 2), look | {"linestyle": "none", "linewidth": 0}
        else:
            at, values, look = np.append(at, at[0]), np.append(values, values[0]), look | {"linewidth": 1.0}
        axis.plot(at, values, **look)
    axis.set_ylim(0, 1)
    axis.set_yticks(
        [0.25, 0.5, 0.75, 1.0], [".25", ".5", ".75", "1"], size=drawing.SMALL_TEXT_SIZE, color="#555555"
    )
    # Between two spokes, where no line runs along it.
    axis.set_rlabel_position(180 / n if n > 2 else 90)
    axis.set_xticks(angles, list(removed.index))
    axis.tick_params(axis="x", pad=3)
    drawing.draw_grid(axis)
    axis.spines["polar"].set_linewidth(0.5)


@drawing.use_style
def figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> Figure:
    """Draw MAP against the sparsity ratio, a panel a data set, a marker a method.

    `ratios`, `maps`: tables IV and V. Bars: one standard error over the folds. Dotted: the mean MAP of the
    paper's methods. Hollow: beyond the paper. A plus: the published MAP of the published best method at its
    published ratio, in the colour of the method.
    """
    points = _points(ratios, maps)
    datasets = list(dict.fromkeys(points["dataset"]))
    if not datasets:
        return drawing.placeholder_figure("no data set was obtained")
    styles = method_styles(points["method"])
    across, down = min(len(datasets), IN_A_ROW), math.ceil(len(datasets) / IN_A_ROW)
    is_best = points["published_relation"] == BEST
    has_print = bool(is_best.any())
    most = max(points["sparsity_ratio_mean"].max(), points.loc[is_best, "published_sparsity_ratio"].max())
    ends = -0.02, min(1.02, 0.06 + most)  # the same on all panels, from zero, as far as there are points
    lines = math.ceil((len(styles) + 1 + has_print) / 5)
    head, foot, panel = 0.16 + 0.19 * lines, 0.42, 2.0
    height = head + foot + panel * down
    figure, cells = drawing.make_panels(height, down, across)
    for axis, dataset in zip(cells.flat, datasets, strict=False):
        _cloud(axis, points[points["dataset"] == dataset], styles)
        axis.set(title=dataset, ylabel="MAP (mean over the folds)", xlim=ends)
    for axis in cells.flat[len(datasets) :]:
        axis.remove()
    for axis in cells.flat[max(0, len(datasets) - across) : len(datasets)]:
        axis.set_xlabel("Sparsity ratio (share used)")
    extra = [Line2D([], [], color=drawing.GREY, linestyle=":", label="mean MAP of the paper's methods")]
    if has_print:
        grey = {"marker": "+", "color": drawing.GREY, "linestyle": "none", "markersize": 6}
        extra.append(Line2D([], [], label="published best", **grey))
    drawing.add_legend(figure, [*drawing.make_method_handles(styles, has_line=False), *extra], 5)
    figure.subplots_adjust(
        left=0.09, right=0.985, top=1 - (head + 0.18) / height, bottom=foot / height, wspace=0.42, hspace=0.42
    )
    return figure


def _points(ratios: pd.DataFrame, maps: pd.DataFrame) -> pd.DataFrame:
    """Join the ratio and the MAP of each method that has one."""
    keys = ["dataset", "feature_scaling", "method"]
    of_ratio = ["sparsity_ratio_mean", "sparsity_ratio_std", "published_sparsity_ratio"]
    points = maps.merge(ratios[[*keys, *of_ratio]], on=keys)
    return points[points["map_mean"].notna()]


def drawn_figure2(table: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 2 draws of Table IV: the share of removed features, ours and published."""
    rows = _removed(table)
    return rows[["dataset", "method"]].assign(
        removed_share_ours=1 - rows["sparsity_ratio_mean"],
        removed_share_published=1 - rows["published_sparsity_ratio"],
    )


def drawn_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 3 draws of Tables IV and V; of the published values only the published best."""
    points = _points(ratios, maps)
    is_best = points["published_relation"] == BEST
    columns = ["sparsity_ratio_mean", "sparsity_ratio_std", "map_mean", "map_std", "splits_used"]
    return points[["dataset", "method", "method_group", *columns]].assign(
        published_sparsity_ratio=points["published_sparsity_ratio"].where(is_best),
        published_map=points["published_value"].where(is_best),
    )


def _cloud(axis: Axes, points: pd.DataFrame, styles: dict[str, Style]) -> None:
    # standard errors of the means; 0 where a single fold has none
    errors = points[["sparsity_ratio_std", "map_std"]].div(np.sqrt(points["splits_used"]), axis=0).fillna(0.0)
    for row, (xerr, yerr) in zip(points.itertuples(), errors.to_numpy(), strict=True):
        colour, is_filled = styles[row.method].colour, styles[row.method].is_filled
        look = {"fmt": styles[row.method].marker, "color": colour, "ecolor": (colour, 0.45)}
        look |= {"markerfacecolor": colour if is_filled else "none", "zorder": 3 if is_filled else 4}
        x, y = row.sparsity_ratio_mean, row.map_mean
        axis.errorbar(x, y, yerr, xerr, markersize=5, elinewidth=0.5, **look)
        if row.published_relation == BEST and not math.isnan(row.published_sparsity_ratio):
            x, y = row.published_sparsity_ratio, row.published_value
            axis.plot(x, y, "+", color=colour, markersize=7, zorder=2)
    paper = points[points["method_group"] == "paper"]
    if len(paper):
        axis.axhline(paper["map_mean"].mean(), color=drawing.GREY, linestyle=":", linewidth=0.9)
    low, high = axis.get_ylim()
    middle, half = (low + high) / 2, max((high - low) / 2, 0.01)
    axis.set_ylim(middle - half, middle + half)
    drawing.draw_grid(axis)


def describe_figure1() -> str:
    """Describe Figure 1 in words, for readers who do not see it."""
    names = "; ".join(label for label, *_ in REGULARISERS)
    return f"The regularisers of one weight between −2 and 2, all zero at zero: {names}."


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, for readers who do not see it."""
    said = []
    for dataset, block in _removed(table).groupby("dataset", sort=False):
        removed = zip(block["method"].map(method_label), 1 - block["sparsity_ratio_mean"], strict=True)
        said.append(f"{dataset}: {', '.join(f'{label} {share:.2f}' for label, share in removed)}")
    return f"Spider plot of one minus the sparsity ratio. {'; '.join(said) or 'Nothing was obtained'}."


def describe_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> str:
    """Describe Figure 3 in words, for readers who do not see it."""
    have = maps[maps["map_mean"].notna()]
    said = [
        f"{dataset}: MAP from {block['map_mean'].min():.3f} to {block['map_mean'].max():.3f}"
        for dataset, block in have.groupby("dataset", sort=False)
    ]
    return f"MAP against the sparsity ratio, a marker a method. {'; '.join(said) or 'Nothing was obtained'}."
