"""Figure of FenchelRank's early stop and its sparsity."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.papers.laporte2014.inputs import select_obtained
from reproduction.plotting.messages import count_noun
from reproduction.plotting.style import label_panel, make_panels, plot_hollow, use_style
from reproduction.specs.labels import METHOD_STYLE

OPTIMUM_COLOUR = "#000000"
STEP_LIMIT_STATUS = "max_iterations"


@use_style
def draw_early_stop(table: pd.DataFrame) -> Figure:
    """Draw the numbers of variables against the radius, a panel a data set.

    Parameters
    ----------
    table : DataFrame
        With the columns `early_stop.experiment.COLUMNS`.

    Returns
    -------
    Figure
        Hollow markers: stopped by the number of steps, not by the gap.
    """
    colour = METHOD_STYLE["fenchelrank"].colour
    blocks = list(select_obtained(table).groupby("dataset", sort=False))
    figure, (axes,) = make_panels(2.8, 1, len(blocks), sharey=True)
    for ax, (dataset, block) in zip(axes, blocks, strict=True):
        block = block.sort_values("radius")
        radius, optimum = block["radius"], block["optimum_variables"]
        ax.plot(radius, block["variables"], color=colour, linewidth=1)
        # open markers: the limit of 1000 steps, and not the gap, ended the run
        is_capped = block["status"] == STEP_LIMIT_STATUS
        plot_hollow(is_capped, ax, radius, block["variables"], "o", colour, markersize=4)
        ax.plot(radius, optimum, "x--", color=OPTIMUM_COLOUR, linewidth=1, markersize=4)
        # radii are powers of two
        ax.set_xscale("log", base=2)
        label_panel(ax, xlabel="Radius of the ℓ₁ ball", title=dataset)
    axes[0].set_ylabel("Variables")
    axes[0].set_ylim(bottom=0)
    marker_options = {"color": colour, "marker": "o", "markersize": 4}
    handles = [
        Line2D([], [], label="FenchelRank, its own gap met", **marker_options),
        Line2D([], [], label="FenchelRank, ended by its steps", markerfacecolor="white", **marker_options),
        Line2D([], [], color=OPTIMUM_COLOUR, marker="x", linestyle="--", label="certified optimum"),
    ]
    figure.legend(handles=handles, loc="upper center", ncols=3, borderpad=0.2)
    figure.subplots_adjust(left=0.07, right=0.985, top=0.83, bottom=0.15, wspace=0.06)
    return figure


def describe_early_stop(table: pd.DataFrame) -> str:
    """Describe the figure in words, as its alternative text.

    Parameters
    ----------
    table : DataFrame
        With the columns `early_stop.experiment.COLUMNS`.

    Returns
    -------
    str
        Both numbers of variables at each radius.
    """
    descriptions = []
    for dataset, block in select_obtained(table).groupby("dataset", sort=False):
        counts = [
            f"{row.radius:g}: {row.variables:.0f} and {row.optimum_variables:.0f}"
            for row in block.sort_values("radius").itertuples()
        ]
        descriptions.append(f"{dataset}, by radius, {'; '.join(counts)}")
    return (
        "Numbers of variables of FenchelRank with its published stop and of the certified optimum in the "
        f"same ball. {'. '.join(descriptions)}."
    )


def state_early_stop(table: pd.DataFrame) -> str:
    """State how far the numbers of variables lie from the optimum, and how often the steps ended a run.

    Parameters
    ----------
    table : DataFrame
        With the columns `early_stop.experiment.COLUMNS`.

    Returns
    -------
    str
    """
    rows = select_obtained(table)
    n_capped = int((rows["status"] == STEP_LIMIT_STATUS).sum())
    n_equal = int((rows["variables"] == rows["optimum_variables"]).sum())
    n_more = int((rows["variables"] > rows["optimum_variables"]).sum())
    return (
        f"FenchelRank has as many variables as the optimum in {n_equal} of {count_noun(len(rows), 'run')}, "
        f"more in {n_more}; {n_capped} ended by its steps."
    )
