"""Figure of the learning curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from reproduction.core.sentence_templates import fill_template
from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun, name_leaders
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    label_panel,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import method_label, method_styles


@use_style
def draw_curves(table: pd.DataFrame) -> Figure:
    """Draw the rate at the top against the positives learned from, a panel a data set.

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
    figure, (axes,) = make_panels(2.3, 1, len(blocks))
    for ax, (dataset, block) in zip(axes, blocks, strict=True):
        for method, style in styles.items():
            curve = block[block["method"] == method].sort_values("positives")
            x, y = curve["positives"], curve["rate_at_top_mean"]
            # standard error over the splits; a single split has none
            error = (curve["rate_at_top_std"] / np.sqrt(curve["splits_used"])).fillna(0.0)
            line_options = {"color": style.colour, "marker": style.marker, "markersize": 3, "linewidth": 1}
            line_options |= {"markerfacecolor": style.colour if style.is_filled else "white"}
            ax.errorbar(x, y, error, elinewidth=0.5, label=style.label, **line_options)
        ax.set_title(dataset, fontsize=SMALL_TEXT_SIZE)
        ax.set_ylim(bottom=0)
        label_panel(ax, "x", xlabel="Positives")
        # two ticks in each decade: the panels are narrow
        ax.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 3)))
    axes[0].set_ylabel("Rate at the top")
    add_legend(figure, make_method_handles(styles), 3)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.8, bottom=0.17, wspace=0.36)
    return figure


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
    return f"Most often best on {n_datasets}: {'; '.join(leaders)}."
