"""Figures 1 to 3 of R12."""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.labels import Style, method_label, method_styles
from reproduction.papers.rakotomamonjy2012.toy import RIVAL_OF
from reproduction.statistics import log_log_slope
from reproduction.style import (
    BAND,
    GREY,
    RC,
    SMALL,
    WIDTH,
    grid,
    legend_above,
    log_scale,
    method_handles,
    open_where,
)

LINES = ("-", ":", "--", "-.")
"""One a number of noise features (Figure 3)."""

APART = 9.0
"""Points between the middles of two texts, one above the other."""

BESIDE = 20.0
"""Points from which on two ends of lines are not near each other."""


@mpl.rc_context(RC)
def figure1(table: pd.DataFrame) -> Figure:
    """Draw the rate at the top against the training rows, a panel for each number of noise features.

    `table`: rows of `toy.figure1_table`. Bands are one standard error of the mean over the trials. The
    p-values of the tests against `RIVAL_OF` stand below the markers.
    """
    styles, panels = method_styles(table["method"]), sorted(set(table["noise"]))
    figure = Figure(figsize=(WIDTH, 3.4))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axis, noise in zip(axes, panels, strict=True):
        for method, style in styles.items():
            line = table[(table["noise"] == noise) & (table["method"] == method)].sort_values("rows")
            _line(axis, line["rows"], line["mean"], line["std"] / np.sqrt(line["trials"]), style)
        _p_values(axis, table[table["noise"] == noise], [m for m in styles if m != RIVAL_OF], styles)
        axis.set_title(f"{noise} noise features")
        axis.margins(x=0.08)
        axis.set_xticks(sorted(set(table["rows"])))
        axis.set_xlabel("Training rows (count)")
        grid(axis)
    axes[0].set_ylabel("Rate at the top (share of the test positives)")
    lowest = min(axis.get_ylim()[0] for axis in axes)
    # Below the data, room for a row of p-values a method.
    axes[0].set_ylim(lowest - (0.02 + 0.055 * len(styles)) * (1.0 - lowest), 1.03)
    axes[0].set_yticks([tick for tick in axes[0].get_yticks() if lowest <= tick <= 1.0])
    legend_above(figure, method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.13, wspace=0.06)
    return figure


@mpl.rc_context(RC)
def figure2(table: pd.DataFrame) -> Figure:
    """Draw precision and F-measure of the retrieved features against the number of noise features.

    `table`: rows of `toy.figure2_table`. Bands are one standard error of the mean over the trials.
    """
    styles = method_styles(table["method"])
    figure = Figure(figsize=(WIDTH, 2.9))
    panels = zip(figure.subplots(1, 2, sharey=True), ("precision", "f_measure"), strict=True)
    for axis, quantity in panels:
        for method, style in styles.items():
            line = table[table["method"] == method].sort_values("noise")
            error = line[f"{quantity}_std"] / np.sqrt(line["trials"])
            _line(axis, line["noise"], line[f"{quantity}_mean"], error, style)
        axis.set_xscale("log")
        ticks = sorted(set(table["noise"]))
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        axis.minorticks_off()
        axis.set_ylim(-0.02, 1.03)
        axis.set_xlabel("Noise features (count)")
        axis.set_ylabel({"precision": "Precision (share)", "f_measure": "F-measure (share)"}[quantity])
        grid(axis)
    legend_above(figure, method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.89, bottom=0.15, wspace=0.14)
    return figure


@mpl.rc_context(RC)
def figure3(times: pd.DataFrame) -> Figure:
    """Draw the running time against the number of pairs, with the exponent of each line.

    `times`: rows of the running times; see `reproduction.papers.rakotomamonjy2012.running_times.COLUMNS`.
    An open marker is a fit that the time limit stopped.
    """
    styles, noises = method_styles(times["solver"]), sorted(set(times["noise"]))
    figure = Figure(figsize=(WIDTH, 3.6))
    axis = figure.subplots()
    ends = []
    for solver, style in styles.items():
        for noise, dash in zip(noises, LINES, strict=False):
            line = times[(times["solver"] == solver) & (times["noise"] == noise)].sort_values("pairs")
            stopped = line["status"] == "time_limit"
            axis.plot(line["pairs"], line["seconds"], dash, color=style.colour)
            open_where(stopped, axis, line["pairs"], line["seconds"], style.marker, style.colour)
            if not line.empty:
                last = line.iloc[-1]
                ends.append((last["pairs"], last["seconds"], f"{exponent(line):.2f}", style.colour))
    log_scale(axis.xaxis, high=times["pairs"].max() * 14)
    log_scale(axis.yaxis)
    axis.set_xlabel("Pairs of a positive and a negative (count)")
    axis.set_ylabel("Training time (s)")
    grid(axis)
    dashes = [
        Line2D([], [], color=GREY, linestyle=dash, label=f"{noise} noise features")
        for noise, dash in zip(noises, LINES, strict=False)
    ]
    axis.legend(handles=dashes, loc="lower right")
    legend_above(figure, method_handles(styles), 2)
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
        axis.annotate(
            text,
            (x, y),
            xytext=(6, place - own),
            textcoords="offset points",
            size=SMALL,
            color=colour,
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
        )


def exponent(line: pd.DataFrame) -> float:
    """Empirical exponent of the time in the number of pairs, over the larger half of the sizes that ended."""
    done = line[line["status"] != "time_limit"].sort_values("pairs")
    larger = done.iloc[len(done) // 2 :] if len(done) > 3 else done
    return log_log_slope(larger["pairs"], larger["seconds"])


def p_text(p_value: float) -> str:
    """Write a p-value as a figure does: ``.03``, ``<.001``, ``1``."""
    if p_value < 0.001:
        return "<.001"
    text = f"{p_value:.3f}" if p_value < 0.01 else f"{p_value:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def describe_figure1(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, for readers who do not see it."""
    names = ", ".join(style.label for style in method_styles(table["method"]).values())
    best = table.loc[table.groupby(["noise", "rows"])["mean"].idxmax()]
    wins = ", ".join(f"{method_label(method)} on {n}" for method, n in best["method"].value_counts().items())
    return (
        f"Rate at the top of {names} against the number of training rows, a panel for each number of noise "
        f"features. The best means over {len(best)} sizes: {wins}."
    )


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, for readers who do not see it."""
    names = ", ".join(style.label for style in method_styles(table["method"]).values())
    return (
        f"Precision (left) and F-measure (right) of the features that {names} retrieve, against "
        "the number of noise features."
    )


def describe_figure3(times: pd.DataFrame) -> str:
    """Describe Figure 3 in words, for readers who do not see it."""
    lines = [
        f"{method_label(solver)} with {noise} noise features: exponent {exponent(line):.2f}, "
        f"{line['seconds'].max():.2g} s at most"
        for (solver, noise), line in times.groupby(["solver", "noise"], sort=True)
    ]
    return f"Training time against the number of pairs, both logarithmic. {'; '.join(lines)}."


def _line(axis: Axes, x, mean, error, style: Style) -> None:
    axis.plot(x, mean, color=style.colour, marker=style.marker, zorder=3)
    axis.fill_between(x, mean - error, mean + error, color=style.colour, alpha=BAND, linewidth=0)


def _p_values(axis: Axes, table: pd.DataFrame, methods: list[str], styles: dict) -> None:
    """Write the p-values of each method in a row of its colour, at the bottom of the panel."""
    for i, method in enumerate(reversed(methods)):
        for row in table[table["method"] == method].itertuples():
            if not math.isnan(row.p_value):
                axis.text(
                    row.rows,
                    0.02 + 0.05 * i,
                    p_text(row.p_value),
                    transform=axis.get_xaxis_transform(),
                    size=SMALL,
                    color=styles[method].colour,
                    ha="center",
                )
