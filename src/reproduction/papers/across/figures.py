"""Figures of the study: quality on every data set, against variables and seconds, and learning curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core.sentence_templates import fill_template
from reproduction.papers.across.decisions import BASELINES
from reproduction.papers.across.results import means
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    WIDTH_IN,
    add_legend,
    label_panel,
    make_method_handles,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import method_label, method_sort_key, method_styles
from reproduction.specs.metrics import LABELS

MAPPED = ("rate_at_top", "average_precision")
NOTHING = "No method has a number on any data set."
ACROSS = {
    "variables": "Share of the variables in use",
    "seconds": "Seconds of a search, over the fastest that is no baseline",
}


def scaled(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Scale the means of each data set to 0, the worst method's, and 1, the best one's; all alike are 1."""
    wide = means(table, metric)
    low, high = wide.min(axis=1), wide.max(axis=1)
    return (
        wide.sub(low, axis=0).div((high - low).where(high > low), axis=0).fillna(wide.where(wide.isna(), 1.0))
    )


@use_style
def heat_map(table: pd.DataFrame) -> Figure:
    """Draw a panel a metric, a line a method: the colour is the scaled mean, the text the mean itself."""
    maps = [(metric, means(table, metric), scaled(table, metric)) for metric in MAPPED]
    if maps[0][1].empty:
        return placeholder_figure(NOTHING)
    lines = max(len(wide.columns) for _, wide, _ in maps)
    figure = Figure(figsize=(WIDTH_IN, len(maps) * (1.1 + 0.17 * lines)), dpi=200, layout="constrained")
    axes = figure.subplots(len(maps), 1, squeeze=False)[:, 0]
    for axis, (metric, wide, colour) in zip(axes, maps, strict=True):
        _panel(axis, wide, colour, table)
        axis.set_title(LABELS[metric], fontsize=SMALL_TEXT_SIZE)
    return figure


def _panel(axis: Axes, wide: pd.DataFrame, colour: pd.DataFrame, table: pd.DataFrame) -> None:
    methods = sorted(wide.columns, key=method_sort_key)
    wide, colour = wide[methods].T, colour[methods].T
    edges = [np.arange(size + 1) - 0.5 for size in reversed(colour.shape)]
    # shapes, and no image, which a page cannot scale
    axis.pcolormesh(*edges, np.ma.masked_invalid(colour), cmap="Blues", vmin=-0.15, vmax=1.6)
    axis.invert_yaxis()
    certified = table.pivot(index="method", columns="dataset", values="certified_share")
    for i, method in enumerate(wide.index):
        for j, dataset in enumerate(wide.columns):
            value = wide.loc[method, dataset]
            mark = "•" if certified.loc[method].get(dataset) == 1.0 else ""
            text = "×" if np.isnan(value) else f"{value:.2f}".removeprefix("0") + mark
            best = colour.loc[method, dataset] == 1.0
            weight = "bold" if best else "normal"
            axis.text(j, i, text, ha="center", va="center", fontsize=SMALL_TEXT_SIZE - 1.5, weight=weight)
    axis.set_yticks(range(len(methods)), [method_label(name) for name in methods])
    axis.set_xticks(range(len(wide.columns)), wide.columns, rotation=40, ha="right", rotation_mode="anchor")
    axis.tick_params(length=0)


def describe_heat_map(table: pd.DataFrame) -> str:
    """Say for each data set which method is best at its top."""
    wide = means(table, MAPPED[0])
    if wide.empty:
        return NOTHING
    best = (f"{name}: {method_label(row.idxmax())}, {row.max():.2f}" for name, row in wide.iterrows())
    return f"Highest mean rate at the top: {'; '.join(best)}."


def trade(table: pd.DataFrame, across: str) -> pd.DataFrame:
    """Average each method over the single lists: scaled quality, and what it costs.

    `table`: rows of `measured.results`. `across`: {"variables", "seconds"}. Returns: method, quality (mean
    scaled average precision; 0 where a method cannot rank a set), cost, and front: whether no method is
    better at less cost.
    """
    is_refused = table["reason"].str.contains("single list")  # a method, for the queries of a data set
    lists = table[~table["dataset"].isin(table.loc[is_refused, "dataset"])]
    quality = scaled(lists, "average_precision").fillna(0.0).mean()
    if across == "variables":
        cost = (lists["n_variables_mean"] / lists["data_features"]).groupby(lists["method"]).mean()
    else:
        fastest = lists[~lists["method"].isin(BASELINES)].groupby("dataset")["search_seconds"].min()
        cost = (lists["search_seconds"] / lists["dataset"].map(fastest)).groupby(lists["method"]).median()
    found = pd.DataFrame({"quality": quality, "cost": cost}).dropna()
    found = found[found["cost"] > 0].sort_values(["cost", "quality"], ascending=[True, False])
    before = found["quality"].cummax().shift(fill_value=-1.0)
    return found.assign(front=found["quality"] > before).rename_axis("method").reset_index()


@use_style
def trade_figure(table: pd.DataFrame, across: str) -> Figure:
    """Draw quality against cost, a point a method, and the front."""
    found = trade(table, across)
    if found.empty:
        return placeholder_figure(NOTHING)
    styles = method_styles(found["method"])
    figure, ((axis,),) = make_panels(3.5)
    front = found[found["front"]]
    axis.step(front["cost"], front["quality"], where="post", color="#aaaaaa", linewidth=0.8)
    for row in found.itertuples():
        style = styles[row.method]
        face = style.colour if style.is_filled else "white"
        axis.plot(row.cost, row.quality, style.marker, color=style.colour, markerfacecolor=face, ls="none")
    label_panel(axis, "x", xlabel=ACROSS[across], ylabel="Average precision, scaled on each list")
    add_legend(figure, make_method_handles(styles, has_line=False), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.73, bottom=0.12)
    return figure


def describe_trade(table: pd.DataFrame, across: str) -> str:
    """List the methods on the front."""
    front = trade(table, across).query("front").to_dict("records")
    found = [row | {"method": method_label(row["method"])} for row in front]
    said = """On the front, from the least cost:
    {{ found | each("{method} ({cost:.2g}, quality {quality:.2f})") | join("; ") or "no method" }}."""
    return fill_template(said, {"found": found})
