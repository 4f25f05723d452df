"""The figures of L14's blocks: what its printed constant costs, and what FenchelRank's early stop does."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.labels import METHOD_STYLE, Style
from reproduction.style import GREY, frame, open_where, power_text, styled, subplots
from reproduction.tables import NOT_OBTAINED
from reproduction.text import short

COMPARED = {
    "fista_trace": Style("FISTA, printed L", "#D55E00"),
    "fista_exact": Style("FISTA, exact L", "#0072B2"),
    "prox_newton": Style("proximal Newton", "#000000"),
}
"""Solver of `reproduction.papers.laporte2014.constant` -> how it is shown."""

MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", ":", "-.")

OPTIMUM = "#000000"
CAPPED = "max_iterations"


def obtained(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the data sets that were obtained."""
    rows = table[table["status"] != NOT_OBTAINED]
    return rows.infer_objects()  # beside a set without numbers pandas reads truth values as objects


@styled
def figure_constant(table: pd.DataFrame) -> Figure:
    """Draw seconds to the optimum against the regularisation.

    `table`: with the columns `constant.COLUMNS`. A colour is a solver, a marker and a line style are a data
    set; hollow where a limit ended the run.
    """
    rows = obtained(table)
    datasets = list(dict.fromkeys(rows["dataset"]))
    figure, ((axis,),) = subplots(3.0)
    for (dataset, solver), line in rows.groupby(["dataset", "solver"], sort=False):
        i, colour = datasets.index(dataset), COMPARED[solver].colour
        line = line.sort_values("share")
        axis.plot(line["share"], line["seconds"], LINES[i % 4], color=colour, linewidth=1)
        where = axis, line["share"], line["seconds"]
        open_where(~line["reached"], *where, MARKERS[i % 6], colour, markersize=4)
    near = f"Seconds to {power_text(rows['level'].iloc[0])} of the optimum"
    frame(axis, "xy", xlabel="Regularisation λ / λ_max", ylabel=near)
    handles = [Line2D([], [], color=style.colour, label=style.label) for style in COMPARED.values()]
    handles += [
        Line2D([], [], color=GREY, linestyle=LINES[i % 4], marker=MARKERS[i % 6], label=dataset)
        for i, dataset in enumerate(datasets)
    ]
    figure.legend(handles=handles, loc="upper center", ncols=len(handles), borderpad=0.2)
    figure.subplots_adjust(left=0.09, right=0.985, top=0.9, bottom=0.14)
    return figure


def describe_constant(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    rows, said = obtained(table), []
    for dataset, block in rows.groupby("dataset", sort=False):
        each = [
            f"{COMPARED[solver].label} {short(line['seconds'].min())} to {short(line['seconds'].max())}"
            for solver, line in block.groupby("solver", sort=False)
        ]
        said.append(f"{dataset}: {', '.join(each)}")
    return (
        f"Seconds until the objective is within {rows['level'].iloc[0]:.0e} of the certified optimum, "
        f"against the regularisation as a share of λ_max, both logarithmic. {'; '.join(said)}."
    )


@styled
def figure_early_stop(table: pd.DataFrame) -> Figure:
    """Draw the numbers of variables against the radius, a panel a data set.

    `table`: with the columns `early_stop.COLUMNS`.
    """
    colour = METHOD_STYLE["fenchelrank"].colour
    blocks = list(obtained(table).groupby("dataset", sort=False))
    figure, (axes,) = subplots(2.8, 1, len(blocks), sharey=True)
    for axis, (dataset, block) in zip(axes, blocks, strict=True):
        block = block.sort_values("radius")
        radius, optimum = block["radius"], block["optimum_variables"]
        axis.plot(radius, block["variables"], color=colour, linewidth=1)
        is_capped = block["status"] == CAPPED
        open_where(is_capped, axis, radius, block["variables"], "o", colour, markersize=4)
        axis.plot(radius, optimum, "x--", color=OPTIMUM, linewidth=1, markersize=4)
        axis.set_xscale("log", base=2)
        frame(axis, xlabel="Radius of the ℓ₁ ball", title=dataset)
    axes[0].set_ylabel("Variables")
    axes[0].set_ylim(bottom=0)
    blue = {"color": colour, "marker": "o", "markersize": 4}
    handles = [
        Line2D([], [], label="FenchelRank, its own gap met", **blue),
        Line2D([], [], label="FenchelRank, ended by its steps", markerfacecolor="white", **blue),
        Line2D([], [], color=OPTIMUM, marker="x", linestyle="--", label="certified optimum"),
    ]
    figure.legend(handles=handles, loc="upper center", ncols=3, borderpad=0.2)
    figure.subplots_adjust(left=0.07, right=0.985, top=0.83, bottom=0.15, wspace=0.06)
    return figure


def describe_early_stop(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    said = []
    for dataset, block in obtained(table).groupby("dataset", sort=False):
        each = [
            f"{row.radius:g}: {row.variables:.0f} and {row.optimum_variables:.0f}"
            for row in block.sort_values("radius").itertuples()
        ]
        said.append(f"{dataset}, by radius, {'; '.join(each)}")
    return (
        "Numbers of variables of FenchelRank with its published stop and of the certified optimum in the "
        f"same ball. {'. '.join(said)}."
    )
