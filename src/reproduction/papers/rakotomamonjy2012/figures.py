"""Figures 1 to 3 of R12."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction import style as drawing
from reproduction.labels import method_label, method_styles
from reproduction.papers.rakotomamonjy2012.toy import RIVAL_OF
from reproduction.statistics import log_log_slope

LINES = ("-", ":", "--", "-.")
"""One a number of noise features (Figure 3)."""

APART = 9.0
"""Points between the middles of two texts, one above the other."""

BESIDE = 20.0
"""Points from which on two ends of lines are not near each other."""


@drawing.styled
def figure1(table: pd.DataFrame) -> Figure:
    """Draw the rate at the top against the training rows, a panel for each number of noise features.

    `table`: rows of `toy.figure1_table`. Bands are one standard error of the mean over the trials. The
    p-values of the tests against `RIVAL_OF` stand below the markers.
    """
    styles, blocks = method_styles(table["method"]), list(table.groupby("noise"))
    figure, (axes,) = drawing.subplots(3.4, 1, len(blocks), sharey=True)
    for axis, (noise, block) in zip(axes, blocks, strict=True):
        for method, style in styles.items():
            line = block[block["method"] == method].sort_values("rows")
            mean, error = line["mean"], line["std"] / np.sqrt(line["trials"])
            drawing.with_band(axis, line["rows"], mean, mean - error, mean + error, style, zorder=3)
        _p_values(axis, block, [m for m in styles if m != RIVAL_OF], styles)
        axis.margins(x=0.08)
        ticks = sorted(set(table["rows"]))
        drawing.frame(axis, title=f"{noise} noise features", xticks=ticks, xlabel="Training rows (count)")
    axes[0].set_ylabel("Rate at the top (share of the test positives)")
    lowest = min(axis.get_ylim()[0] for axis in axes)
    # Below the data, room for a row of p-values a method.
    axes[0].set_ylim(lowest - (0.02 + 0.055 * len(styles)) * (1.0 - lowest), 1.03)
    axes[0].set_yticks([tick for tick in axes[0].get_yticks() if lowest <= tick <= 1.0])
    drawing.legend_above(figure, drawing.method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.13, wspace=0.06)
    return figure


@drawing.styled
def figure2(table: pd.DataFrame) -> Figure:
    """Draw precision and F-measure of the retrieved features against the number of noise features.

    `table`: rows of `toy.figure2_table`. Bands are one standard error of the mean over the trials.
    """
    styles, ticks = method_styles(table["method"]), sorted(set(table["noise"]))
    figure, (axes,) = drawing.subplots(2.9, 1, 2, sharey=True)
    labels = {"precision": "Precision (share)", "f_measure": "F-measure (share)"}
    for axis, (quantity, label) in zip(axes, labels.items(), strict=True):
        for method, style in styles.items():
            line = table[table["method"] == method].sort_values("noise")
            mean, error = line[f"{quantity}_mean"], line[f"{quantity}_std"] / np.sqrt(line["trials"])
            drawing.with_band(axis, line["noise"], mean, mean - error, mean + error, style, zorder=3)
        axis.set_xscale("log")
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        axis.minorticks_off()
        drawing.frame(axis, ylim=(-0.02, 1.03), xlabel="Noise features (count)", ylabel=label)
    drawing.legend_above(figure, drawing.method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.89, bottom=0.15, wspace=0.14)
    return figure


@drawing.styled
def figure3(times: pd.DataFrame) -> Figure:
    """Draw the running time against the number of pairs, with the exponent of each line.

    `times`: with the columns `running_times.COLUMNS`. An open marker is a fit that the time limit stopped.
    """
    styles, noises = method_styles(times["solver"]), sorted(set(times["noise"]))
    figure, ((axis,),) = drawing.subplots(3.6)
    ends = []
    for solver, style in styles.items():
        for noise, dash in zip(noises, LINES, strict=False):
            line = times[(times["solver"] == solver) & (times["noise"] == noise)].sort_values("pairs")
            points, stopped = (line["pairs"], line["seconds"]), line["status"] == "time_limit"
            axis.plot(*points, dash, color=style.colour)
            drawing.open_where(stopped, axis, *points, style.marker, style.colour)
            if not line.empty:
                ends.append((*(each.iloc[-1] for each in points), f"{exponent(line):.2f}", style.colour))
    drawing.log_scale(axis.xaxis, high=times["pairs"].max() * 14)
    drawing.frame(axis, "y", xlabel="Pairs of a positive and a negative (count)", ylabel="Training time (s)")
    dashes = [
        Line2D([], [], color=drawing.GREY, linestyle=dash, label=f"{noise} noise features")
        for noise, dash in zip(noises, LINES, strict=False)
    ]
    axis.legend(handles=dashes, loc="lower right")
    drawing.legend_above(figure, drawing.method_handles(styles), 2)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12)
    end_labels(axis, ends)
    return figure


def end_labels(axis: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Write a text beside the end (x, y, text, colour) of each line, none on another or off the page.

    The limits of the axis and its place in the figure are final.
    """
    points = 72.0 / axis.figure.dpi
    height = axis.get_window_extent().height * points
    ends = sorted(ends, key=lambda end: end[1])
    at = (axis.transData.transform([end[:2] for end in ends]) - axis.get_window_extent().min) * points
    places = list(at[:, 1])
    near = [[j for j in range(i) if abs(at[j, 0] - at[i, 0]) < BESIDE] for i in range(len(ends))]
    for i, below in enumerate(near):
        places[i] = max([places[i], *(places[j] + APART for j in below)])
    for i in reversed(range(len(ends))):
        above = [places[j] - APART for j in range(i + 1, len(ends)) if i in near[j]]
        places[i] = min([places[i], height, *above])
    for (x, y, text, colour), place, own in zip(ends, places, at[:, 1], strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        where = {"xytext": (6, place - own), "textcoords": "offset points", "va": "center"}
        axis.annotate(text, (x, y), **where, size=drawing.SMALL, color=colour, bbox=box)


def exponent(line: pd.DataFrame) -> float:
    """Empirical exponent of the time in the number of pairs, over the larger half of the sizes that ended."""
    done = line[line["status"] != "time_limit"].sort_values("pairs")
    larger = done.iloc[len(done) // 2 :] if len(done) > 3 else done
    return log_log_slope(larger["pairs"], larger["seconds"])


def exponents(times: pd.DataFrame) -> list[dict]:
    """List the exponent and the longest time of each solver at each number of noise features."""
    return [
        {"solver": solver, "method": method_label(solver), "noise": noise}
        | {"exponent": exponent(line), "seconds": line["seconds"].max()}
        for (solver, noise), line in times.groupby(["solver", "noise"], sort=True)
    ]


def p_text(p_value: float) -> str:
    """Write a p-value as a figure does: ``.03``, ``<.001``, ``1``."""
    if p_value < 0.001:
        return "<.001"
    text = f"{p_value:.3f}" if p_value < 0.01 else f"{p_value:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def describe_figure1(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, for readers who do not see it."""
    best = table.loc[table.groupby(["noise", "rows"])["mean"].idxmax()]
    wins = ", ".join(f"{method_label(method)} on {n}" for method, n in best["method"].value_counts().items())
    return (
        f"Rate at the top of {_names(table)} against the number of training rows, a panel for each number of "
        f"noise features. The best means over {len(best)} sizes: {wins}."
    )


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, for readers who do not see it."""
    return (
        f"Precision (left) and F-measure (right) of the features that {_names(table)} retrieve, against "
        "the number of noise features."
    )


def _names(table: pd.DataFrame) -> str:
    return ", ".join(map(method_label, method_styles(table["method"])))


def describe_figure3(times: pd.DataFrame) -> str:
    """Describe Figure 3 in words, for readers who do not see it."""
    line = "{method} with {noise} noise features: exponent {exponent:.2f}, {seconds:.2g} s at most"
    lines = "; ".join(line.format(**one) for one in exponents(times))
    return f"Training time against the number of pairs, both logarithmic. {lines}."


def _p_values(axis: Axes, table: pd.DataFrame, methods: list[str], styles: dict) -> None:
    """Write the p-values of each method in a row of its colour, at the bottom of the panel."""
    for i, method in enumerate(reversed(methods)):
        look = {"size": drawing.SMALL, "color": styles[method].colour, "ha": "center"}
        for row in table[(table["method"] == method) & table["p_value"].notna()].itertuples():
            where = axis.get_xaxis_transform()
            axis.text(row.rows, 0.02 + 0.05 * i, p_text(row.p_value), transform=where, **look)
