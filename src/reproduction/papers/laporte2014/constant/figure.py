"""Figure of what the published Lipschitz constant costs."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core.formatting import format_short
from reproduction.papers.laporte2014.inputs import select_obtained
from reproduction.plotting.messages import count_noun, format_range
from reproduction.plotting.style import GREY, format_power, label_panel, make_panels, plot_hollow, use_style
from reproduction.specs.labels import Style

SOLVER_STYLES = {
    "fista_trace": Style("FISTA, published L", "#D55E00"),
    "fista_exact": Style("FISTA, exact L", "#0072B2"),
    "prox_newton": Style("proximal Newton", "#000000"),
}
"""Solver of `reproduction.papers.laporte2014.constant.experiment` -> how it is shown."""

MARKERS = ("o", "s", "^", "D", "v", "P")
LINE_STYLES = ("-", "--", ":", "-.")


@use_style
def draw_constant(table: pd.DataFrame) -> Figure:
    """Draw seconds to the optimum against the regularisation.

    A colour is a solver, a marker and a line style are a data set; hollow where a limit ended the run.

    Parameters
    ----------
    table : DataFrame
        With the columns `experiment.COLUMNS`.

    Returns
    -------
    Figure
        One panel.
    """
    rows = select_obtained(table)
    datasets = list(dict.fromkeys(rows["dataset"]))
    figure, ((ax,),) = make_panels(3.0)
    # a line style and marker for each data set, a colour for each solver
    for (dataset, solver), line in rows.groupby(["dataset", "solver"], sort=False):
        i, colour = datasets.index(dataset), SOLVER_STYLES[solver].colour
        line = line.sort_values("share")
        ax.plot(line["share"], line["seconds"], LINE_STYLES[i % 4], color=colour, linewidth=1)
        points = ax, line["share"], line["seconds"]
        plot_hollow(~line["reached"], *points, MARKERS[i % 6], colour, markersize=4)
    ylabel = f"Seconds to {format_power(rows['level'].iloc[0])} of the optimum"
    label_panel(ax, "xy", xlabel="Regularisation λ / λ_max", ylabel=ylabel)
    handles = [Line2D([], [], color=style.colour, label=style.label) for style in SOLVER_STYLES.values()]
    handles += [
        Line2D([], [], color=GREY, linestyle=LINE_STYLES[i % 4], marker=MARKERS[i % 6], label=dataset)
        for i, dataset in enumerate(datasets)
    ]
    figure.legend(handles=handles, loc="upper center", ncols=len(handles), borderpad=0.2)
    figure.subplots_adjust(left=0.09, right=0.985, top=0.9, bottom=0.14)
    return figure


def describe_constant(table: pd.DataFrame) -> str:
    """Describe the figure in words, as its alternative text.

    Parameters
    ----------
    table : DataFrame
        With the columns `experiment.COLUMNS`.

    Returns
    -------
    str
        Range of the seconds of each solver on each data set.
    """
    rows, sentences = select_obtained(table), []
    for dataset, block in rows.groupby("dataset", sort=False):
        ranges = [
            f"{SOLVER_STYLES[solver].label} {format_short(line['seconds'].min())} to "
            f"{format_short(line['seconds'].max())}"
            for solver, line in block.groupby("solver", sort=False)
        ]
        sentences.append(f"{dataset}: {', '.join(ranges)}")
    return (
        f"Seconds until the objective is within {rows['level'].iloc[0]:.0e} of the certified optimum, "
        f"against the regularisation as a share of λ_max, both logarithmic. {'; '.join(sentences)}."
    )


def state_constant(table: pd.DataFrame) -> str:
    """State how much longer FISTA takes with the published constant than with the exact one.

    Parameters
    ----------
    table : DataFrame
        With the columns `experiment.COLUMNS`.

    Returns
    -------
    str
    """
    rows = select_obtained(table)
    n_stopped = int((~rows["reached"]).sum())
    stops = (
        f"{n_stopped} of {count_noun(len(rows), 'run')} hit a limit" if n_stopped else "no run hits a limit"
    )
    # ratios only where both solvers reached the level
    seconds = rows[rows["reached"]].set_index(["dataset", "share", "solver"])["seconds"].unstack("solver")
    seconds = seconds.reindex(columns=list(SOLVER_STYLES))
    ratio = (seconds["fista_trace"] / seconds["fista_exact"]).dropna()
    if ratio.empty:
        return f"FISTA reaches the level with both constants in no case; {stops}."
    return (
        f"With the published constant FISTA takes {format_range(ratio.min(), ratio.max())} times as long as "
        f"with the exact one; {stops}."
    )
