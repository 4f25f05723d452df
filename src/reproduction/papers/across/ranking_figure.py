"""The figure of a ranking that a new method has joined: mean ranks with intervals over the data sets."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reproduction.plotting.style import GREY, SMALL_TEXT_SIZE, WIDTH_IN, label_panel, use_style
from reproduction.specs.labels import method_label, method_styles
from reproduction.specs.metrics import LABELS

DRAWN_METRICS = ("rate_at_top", "precision_at_10", "average_precision")


@use_style
def draw_ranking(table: pd.DataFrame) -> Figure:
    """Draw a panel a metric, a line a method: mean rank and 95 % interval; own methods have bold names.

    Parameters
    ----------
    table : DataFrame
        Rows of `joined_ranking.rank_own_methods`.

    Returns
    -------
    Figure
        Filled markers: methods that can be told from the own one, or every method where there are several.
    """
    own = sorted(set(table["own"]))
    metrics = [name for name in DRAWN_METRICS if name in set(table["metric"])]
    n_methods = table["method"].nunique()
    # about a fifth of an inch for each name
    figure = Figure(figsize=(WIDTH_IN, 0.6 + 0.19 * n_methods), dpi=200, layout="constrained")
    axes = figure.subplots(1, len(metrics), squeeze=False)[0]
    for ax, metric in zip(axes, metrics, strict=True):
        ranking = table[(table["metric"] == metric) & (table["own"] == own[0])].sort_values("place")
        styles = method_styles(ranking["method"])
        for place, (_, row) in enumerate(ranking.iterrows()):
            style, is_own = styles[row["method"]], row["method"] in own
            # filled markers: the own methods, and those that are apart from the only own one
            is_filled = is_own or len(own) > 1 or row["apart"] == 1
            ax.plot([row["low"], row["high"]], [place, place], color=style.colour if is_own else GREY)
            face = style.colour if is_filled else "white"
            ax.plot(row["mean_rank"], place, style.marker, color=style.colour, markerfacecolor=face)
        names = [method_label(name) for name in ranking["method"]]
        ax.set_yticks(range(len(names)), names, fontsize=SMALL_TEXT_SIZE - 1.5)
        for text, name in zip(ax.get_yticklabels(), ranking["method"], strict=True):
            text.set_fontweight("bold" if name in own else "normal")
        ax.invert_yaxis()
        label_panel(ax, xlabel="Mean rank")
        # wider than its panel: it ends with it, so that the last one stays in the figure
        ax.set_title(LABELS[metric], fontsize=SMALL_TEXT_SIZE, loc="right")
    return figure
