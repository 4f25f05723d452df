"""Figure of the learning curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from reproduction.core.sentence_templates import fill_template
from reproduction.papers.across.learning_curves.experiment import CURVE_METRICS
from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun, name_leaders
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    label_panel,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import Style, method_label, method_styles
from reproduction.specs.metrics import LABELS


@use_style
def draw_curves(table: pd.DataFrame) -> Figure:
    """Draw the rate at the top and average precision against the positives learned from, a column a data set.

    Parameters
    ----------
    table : DataFrame
        Rows of `experiment.build_curves`.

    Returns
    -------
    Figure
        Bars are one standard error of the mean over the splits; a placeholder where there are no data.
    """
    if table.empty:
        return placeholder_figure("No data set of the learning curves was obtained.")
    styles, blocks = method_styles(table["method"]), list(table.groupby("dataset", sort=False))
    figure, panels = make_panels(3.8, len(CURVE_METRICS), len(blocks), sharex="col")
    for axes, metric in zip(panels, CURVE_METRICS, strict=True):
        for ax, (_, block) in zip(axes, blocks, strict=True):
            _draw_panel(ax, block, metric, styles)
        axes[0].set_ylabel(LABELS[metric])
    for ax, (dataset, _) in zip(panels[0], blocks, strict=True):
        ax.set_title(dataset, fontsize=SMALL_TEXT_SIZE)
    for ax in panels[-1]:
        ax.set_xlabel("Positives")
    add_legend(figure, make_method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.87, bottom=0.11, wspace=0.36, hspace=0.14)
    return figure


def _draw_panel(ax: Axes, block: pd.DataFrame, metric: str, styles: dict[str, Style]) -> None:
    """Draw the means of a metric on a data set, with bars of one standard error."""
    for method, style in styles.items():
        curve = block[block["method"] == method].sort_values("positives")
        error = (curve[f"{metric}_std"] / np.sqrt(curve["splits_used"])).fillna(0.0)
        line_options = {"color": style.colour, "marker": style.marker, "markersize": 3, "linewidth": 1}
        line_options |= {"markerfacecolor": style.colour if style.is_filled else "white"}
        ax.errorbar(curve["positives"], curve[f"{metric}_mean"], error, elinewidth=0.5, **line_options)
    if metric == "rate_at_top":  # near 0, unlike average precision
        ax.set_ylim(bottom=0)
    label_panel(ax, "x")
    ax.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 3)))


def describe_curves(table: pd.DataFrame) -> str:
    """Describe the figure in words: what the largest sample of each data set gives.

    Parameters
    ----------
    table : DataFrame
        Rows of `experiment.build_curves`.

    Returns
    -------
    str
        A sentence.
    """
    if table.empty:
        return "No data set of the learning curves was obtained."
    largest = table[table["positives"] == table.groupby("dataset")["positives"].transform("max")]
    rows = [row | {"label": method_label(row["method"])} for row in largest.to_dict("records")]
    template = """Rate at the top at the largest sample:
    {{ rows | each("{dataset}, {positives:.0f}, {label}: {rate_at_top_mean:.2f}") | join("; ") }}."""
    return fill_template(template, {"rows": rows})


def state_curves(table: pd.DataFrame) -> str:
    """State which method is best most often at the smallest and at the largest sample of each data set.

    Parameters
    ----------
    table : DataFrame
        Rows of `experiment.build_curves`.

    Returns
    -------
    str
    """
    rows = table.dropna(subset="rate_at_top_mean")
    if rows.empty:
        return "No data set of the learning curves was obtained."
    leaders = []
    # the leaders at both ends of the curves
    for size, name in (("min", "with the fewest positives"), ("max", "with the most")):
        sample = rows[rows["positives"] == rows.groupby("dataset")["positives"].transform(size)]
        is_best = sample["rate_at_top_mean"] == sample.groupby("dataset")["rate_at_top_mean"].transform("max")
        wins = sample.loc[is_best, "method"].value_counts()
        leaders.append(f"{name_leaders(wins)} {name} ({wins.max()})")
    n_datasets = count_noun(rows["dataset"].nunique(), "data set")
    return f"Highest rate at the top most often, on {n_datasets}: {'; '.join(leaders)}."
