"""Figures of the study: quality on every data set, and quality against variables and seconds.

A table of results -> a Matplotlib figure (``draw_``), its text (``describe_``).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core.sentence_templates import fill_template
from reproduction.papers.across.decisions import BASELINES
from reproduction.papers.across.facts.experiment import LOGISTIC
from reproduction.papers.across.results import pivot_means
from reproduction.plotting.heat_map import HeatMapPanel, draw_heat_maps, split_columns
from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun, name_leaders
from reproduction.plotting.style import (
    label_panel,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import method_label, method_styles
from reproduction.specs.metrics import LABELS

HEAT_MAP_METRICS = ("rate_at_top", "average_precision")
NO_DATA_TEXT = "No method has a number on any data set."
LEGEND_COLUMNS, MAX_SHORT_LEGEND = 4, 18
"""Columns of a legend, of which one goes from so many methods on, whose names are longer."""

PANEL_IN, LEGEND_ROW_IN = 2.6, 0.165
"""Inches of the panel with its axis, and of a row of the legend."""

COST_LABELS = {
    "variables": "Share of the variables in use",
    "seconds": "Seconds of a search, over those of {method}",
}


def scale_means(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Scale the means of each data set from 0, of the worst method, to 1, of the best one.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.
    metric : str
        Name of the metric.

    Returns
    -------
    DataFrame
        A row a data set, a column a method; 1 where all methods are equal.
    """
    wide = pivot_means(table, metric)
    low, high = wide.min(axis=1), wide.max(axis=1)
    # where all methods are equal, each of them is the best
    return (
        wide.sub(low, axis=0).div((high - low).where(high > low), axis=0).fillna(wide.where(wide.isna(), 1.0))
    )


def draw_heat_map(table: pd.DataFrame) -> Figure:
    """Draw a panel a metric, a row a method, a column a data set; a dot marks certified fits.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.

    Returns
    -------
    Figure
        A placeholder where no method has a number.
    """
    panels = [_build_panel(table, metric) for metric in HEAT_MAP_METRICS]
    if panels[0].values.empty:
        return placeholder_figure(NO_DATA_TEXT)
    return draw_heat_maps([part for panel in panels for part in split_columns(panel)])


def _build_panel(table: pd.DataFrame, metric: str) -> HeatMapPanel:
    """Build the panel of a metric: methods in the order of their mean scaled value."""
    scaled = scale_means(table, metric)
    # a method without a number on a data set counts as the worst there
    order = scaled.fillna(0.0).mean().sort_values(ascending=False, kind="stable").index
    values, scaled = pivot_means(table, metric)[order].T, scaled[order].T
    certified = table.pivot(index="method", columns="dataset", values="certified_share")
    certified = certified.reindex(index=values.index, columns=values.columns)
    marks = pd.DataFrame(np.where(certified == 1.0, "•", ""), values.index, values.columns)
    return HeatMapPanel(LABELS[metric], values, scaled == 1.0, marks=marks.where(values.notna(), ""))


def describe_heat_map(table: pd.DataFrame) -> str:
    """Describe the heat map in words: the best method at the top of each data set.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.

    Returns
    -------
    str
        A sentence.
    """
    wide = pivot_means(table, HEAT_MAP_METRICS[0])
    if wide.empty:
        return NO_DATA_TEXT
    best = (f"{name}: {method_label(row.idxmax())}, {row.max():.2f}" for name, row in wide.iterrows())
    return f"Highest mean rate at the top: {'; '.join(best)}."


def select_time_reference(table: pd.DataFrame) -> str:
    """Select the method whose seconds are the unit of the others.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.

    Returns
    -------
    str
        Logistic regression; where it was not fitted, the method that is fastest in the median. Random scores
        and single features take no time: they would make all others slow, as a method without a fit would.
    """
    if (table["method"] == LOGISTIC).any():
        return LOGISTIC
    fitted = table[~table["method"].isin(BASELINES)]
    return fitted.groupby("method")["search_seconds"].median().idxmin()


def compute_quality_and_cost(table: pd.DataFrame, cost_name: str) -> pd.DataFrame:
    """Average each method over the single lists: scaled quality, and what it costs.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.
    cost_name : {"variables", "seconds"}
        Share of the variables in use, or seconds of a search over those of `select_time_reference`.

    Returns
    -------
    DataFrame
        method, quality (mean scaled average precision; 0 where a method cannot rank a set), cost (mean share,
        or median ratio), and front: whether no method is better at less cost.
    """
    is_refused = table["reason"].str.contains("single list")  # a method, for the queries of a data set
    # lists on which each method can be fitted: the others have queries
    lists = table[~table["dataset"].isin(table.loc[is_refused, "dataset"])]
    quality = scale_means(lists, "average_precision").fillna(0.0).mean()
    if cost_name == "variables":
        cost = (lists["n_variables_mean"] / lists["data_features"]).groupby(lists["method"]).mean()
    else:
        reference = lists[lists["method"] == select_time_reference(lists)].set_index("dataset")
        ratio = lists["search_seconds"] / lists["dataset"].map(reference["search_seconds"])
        cost = ratio.groupby(lists["method"]).median()
    rows = pd.DataFrame({"quality": quality, "cost": cost}).dropna()
    # Pareto front: in the order of the cost, better than all that cost less
    rows = rows[rows["cost"] > 0].sort_values(["cost", "quality"], ascending=[True, False])
    best_before = rows["quality"].cummax().shift(fill_value=-1.0)
    return rows.assign(front=rows["quality"] > best_before).rename_axis("method").reset_index()


@use_style
def draw_quality_and_cost(table: pd.DataFrame, cost_name: str) -> Figure:
    """Draw quality against cost, a point a method, and the Pareto front.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.
    cost_name : {"variables", "seconds"}
        See `compute_quality_and_cost`.

    Returns
    -------
    Figure
        A placeholder where no method has a number.
    """
    rows = compute_quality_and_cost(table, cost_name)
    if rows.empty:
        return placeholder_figure(NO_DATA_TEXT)
    styles = method_styles(rows["method"])
    n_columns = LEGEND_COLUMNS if len(styles) <= MAX_SHORT_LEGEND else LEGEND_COLUMNS - 1
    legend_in = LEGEND_ROW_IN * -(-len(styles) // n_columns) + 0.1
    height = PANEL_IN + legend_in
    figure, ((ax,),) = make_panels(height)
    front = rows[rows["front"]]
    ax.step(front["cost"], front["quality"], where="post", color="#aaaaaa", linewidth=0.8)
    for row in rows.itertuples():
        style = styles[row.method]
        face = style.colour if style.is_filled else "white"
        ax.plot(row.cost, row.quality, style.marker, color=style.colour, markerfacecolor=face, ls="none")
    xlabel = COST_LABELS[cost_name].format(method=method_label(select_time_reference(table)))
    label_panel(ax, "x", xlabel=xlabel, ylabel="Average precision, scaled on each list")
    add_legend(figure, make_method_handles(styles, has_line=False), n_columns)
    figure.subplots_adjust(left=0.08, right=0.985, top=1 - legend_in / height, bottom=0.42 / height)
    return figure


def describe_quality_and_cost(table: pd.DataFrame, cost_name: str) -> str:
    """Describe the figure in words: the methods on the front.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.
    cost_name : {"variables", "seconds"}
        See `compute_quality_and_cost`.

    Returns
    -------
    str
        A sentence.
    """
    front = compute_quality_and_cost(table, cost_name).query("front").to_dict("records")
    rows = [row | {"method": method_label(row["method"])} for row in front]
    template = """On the front, from the least cost:
    {{ rows | each("{method} ({cost:.2g}, quality {quality:.2f})") | join("; ") or "no method" }}."""
    return fill_template(template, {"rows": rows})


def state_heat_map(table: pd.DataFrame) -> str:
    """State which method is best on most data sets, by each metric of the figure.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.

    Returns
    -------
    str
    """
    leaders = []
    for panel in (_build_panel(table, metric) for metric in HEAT_MAP_METRICS):
        if panel.values.empty:
            return NO_DATA_TEXT
        wins = panel.is_best.sum(axis=1)
        of_all = f"{wins.max()} of {panel.values.shape[1]}"
        leaders.append(f"{panel.title.lower()} {name_leaders(wins)} ({of_all})")
    return f"Most often best: {'; '.join(leaders)}."


def state_quality_and_cost(table: pd.DataFrame, cost_name: str) -> str:
    """State how many methods are on the front, and its two ends.

    Parameters
    ----------
    table : DataFrame
        Rows of `results.build_results`.
    cost_name : {"variables", "seconds"}
        See `compute_quality_and_cost`.

    Returns
    -------
    str
    """
    rows = compute_quality_and_cost(table, cost_name)
    if rows.empty:
        return NO_DATA_TEXT
    front = [f"{method_label(row.method)} ({row.quality:.2f})" for row in rows[rows["front"]].itertuples()]
    ends = " to ".join(dict.fromkeys((front[0], front[-1])))
    return f"{len(front)} of {count_noun(len(rows), 'method')} on the front, with quality: {ends}."
