"""Figures 1 to 3 of R12 and its regularisation paths."""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toprank.statistics import log_log_slope

from .figures import RC, WIDTH
from .labels import method_label, method_styles

MARKERS = ("o", "s", "^", "D", "v", "P")
"""One a method, so that colour alone tells nothing."""

LINES = ("-", ":", "--", "-.")
"""One a number of noise features (Figure 3)."""

CURVES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F6A00")
"""Colours of the curves of a path that are named."""


def figure1(table: pd.DataFrame, rival_of: str) -> Figure:
    """Draw the rate at the top against the training rows, a panel for each number of noise features.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `toy.figure1_table`.
    rival_of : str
        The method that the others are tested against; their p-values stand below their markers.

    Returns
    -------
    matplotlib.figure.Figure
        Bands are one standard error of the mean over the trials.
    """
    styles, panels = method_styles(table["method"]), sorted(set(table["noise"]))
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 3.1), dpi=200)
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axis, noise in zip(axes, panels, strict=True):
            for i, (method, style) in enumerate(styles.items()):
                line = table[(table["noise"] == noise) & (table["method"] == method)].sort_values("rows")
                _line(axis, line["rows"], line["mean"], line["std"] / np.sqrt(line["trials"]), style, i)
            _p_values(axis, table[table["noise"] == noise], [m for m in styles if m != rival_of], styles)
            axis.set_title(f"{noise} noise features", size=7.5)
            axis.set_xlabel("Training rows")
            _grid(axis)
        axes[0].set_ylabel("Rate at the top (test)")
        lowest = min(axis.get_ylim()[0] for axis in axes)
        axes[0].set_ylim(lowest - 0.24 * (1.0 - lowest), 1.03)
        _legend(figure, styles)
        figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.14, wspace=0.06)
    return figure


def figure2(table: pd.DataFrame) -> Figure:
    """Draw precision and F-measure of the retrieved features against the number of noise features.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `toy.figure2_table`.

    Returns
    -------
    matplotlib.figure.Figure
        Bands are one standard error of the mean over the trials.
    """
    styles = method_styles(table["method"])
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 2.9), dpi=200)
        panels = zip(figure.subplots(1, 2, sharey=True), ("precision", "f_measure"), strict=True)
        for axis, quantity in panels:
            for i, (method, style) in enumerate(styles.items()):
                line = table[table["method"] == method].sort_values("noise")
                error = line[f"{quantity}_std"] / np.sqrt(line["trials"])
                _line(axis, line["noise"], line[f"{quantity}_mean"], error, style, i)
            axis.set_xscale("log")
            ticks = sorted(set(table["noise"]))
            axis.set_xticks(ticks, [str(tick) for tick in ticks])
            axis.minorticks_off()
            axis.set_ylim(-0.02, 1.02)
            axis.set_xlabel("Noise features")
            axis.set_ylabel({"precision": "Precision", "f_measure": "F-measure"}[quantity])
            _grid(axis)
        _legend(figure, styles)
        figure.subplots_adjust(left=0.08, right=0.985, top=0.89, bottom=0.15, wspace=0.14)
    return figure


def figure3(times: pd.DataFrame) -> Figure:
    """Draw the running time against the number of pairs, with the exponent of each line.

    Parameters
    ----------
    times : pandas.DataFrame
        Rows of the running times; see `toprank.running_times.COLUMNS`.

    Returns
    -------
    matplotlib.figure.Figure
        An open marker is a fit that the time limit stopped.
    """
    styles, noises = method_styles(times["solver"]), sorted(set(times["noise"]))
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 3.6), dpi=200)
        axis = figure.subplots()
        for i, (solver, style) in enumerate(styles.items()):
            for noise, dash in zip(noises, LINES, strict=False):
                line = times[(times["solver"] == solver) & (times["noise"] == noise)].sort_values("pairs")
                stopped = line["status"] == "time_limit"
                axis.plot(line["pairs"], line["seconds"], dash, color=style.colour, linewidth=1)
                for part, face in ((line[~stopped], style.colour), (line[stopped], "white")):
                    axis.plot(
                        part["pairs"],
                        part["seconds"],
                        MARKERS[i % len(MARKERS)],
                        color=style.colour,
                        markerfacecolor=face,
                        markersize=3.4,
                    )
                if not line.empty:
                    last = line.iloc[-1]
                    axis.annotate(
                        f"p = {exponent(line):.2f}",
                        (last["pairs"], last["seconds"]),
                        xytext=(5, 0),
                        textcoords="offset points",
                        size=6,
                        color=style.colour,
                        va="center",
                    )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlim(right=times["pairs"].max() * 6)
        axis.set_xlabel("Pairs of a positive and a negative")
        axis.set_ylabel("Training time (s)")
        _grid(axis)
        dashes = [
            Line2D([], [], color="#444444", linestyle=dash, label=f"{noise} noise features")
            for noise, dash in zip(noises, LINES, strict=False)
        ]
        axis.legend(handles=dashes, frameon=False, loc="lower right")
        _legend(figure, styles, in_a_row=2)
        figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12)
    return figure


def exponent(line: pd.DataFrame) -> float:
    """Empirical exponent of the time in the number of pairs, over the larger half of the sizes that ended."""
    done = line[line["status"] != "time_limit"].sort_values("pairs")
    larger = done.iloc[len(done) // 2 :] if len(done) > 3 else done
    return log_log_slope(larger["pairs"], larger["seconds"])


def figure_path(points: pd.DataFrame, weights: np.ndarray, is_grouped: bool) -> Figure:
    """Draw weights against the regularisation, and the rate at the top below.

    Parameters
    ----------
    points : pandas.DataFrame
        Rows of a path; see `toprank.paths.COLUMNS`.
    weights : ndarray of shape (n_points, n_curves)
    is_grouped : bool
        Whether a curve is the norm of a group of weights.

    Returns
    -------
    matplotlib.figure.Figure
    """
    share = points["share"].to_numpy()
    entered = np.array([np.flatnonzero(curve)[0] if curve.any() else len(curve) for curve in weights.T])
    # of those that enter together, the largest
    named = np.lexsort((-np.abs(weights).max(axis=0), entered))[: len(CURVES)]
    word = "group" if is_grouped else "feature"
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 4.2), dpi=200)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        upper.plot(share, np.delete(weights, named, axis=1), color="#bbbbbb", linewidth=0.6)
        for colour, curve in zip(CURVES, named, strict=False):
            upper.plot(share, weights[:, curve], color=colour, linewidth=1.1, label=f"{word} {curve}")
        upper.set_ylabel(f"Norm of each {word}'s weights" if is_grouped else "Weights")
        upper.legend(title=f"The first {len(named)} to enter", frameon=False, ncols=2, loc="upper left")
        for column, label, style in (
            ("rate_at_top_train", "training part", ":"),
            ("rate_at_top", "test part", "-"),
        ):
            lower.plot(share, points[column], style, color="#0072B2", linewidth=1.2, label=label)
        lower.set_ylabel("Rate at the top")
        lower.set_ylim(-0.03, 1.03)
        lower.set_xscale("log")
        lower.invert_xaxis()
        lower.set_xlabel(r"$\lambda\,/\,\lambda_{\max}$")
        count = "n_groups" if is_grouped else "n_variables"
        other = lower.twinx()
        other.spines["right"].set_visible(True)
        other.plot(share, points[count], color="#D55E00", linewidth=1, label=f"{word}s used (right)")
        other.set_ylabel(f"Number of {word}s")
        handles = [*lower.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
        lower.legend(
            handles=handles, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderpad=0
        )
        for axis in (upper, lower):
            _grid(axis)
        figure.subplots_adjust(left=0.09, right=0.92, top=0.98, bottom=0.1, hspace=0.18)
    return figure


def no_path(reason: str) -> Figure:
    """Say why there is no path."""
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 0.6), dpi=200)
        figure.text(0.5, 0.5, f"not obtained: {reason}", ha="center", va="center", style="italic", wrap=True)
    return figure


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
        f"features. Of {len(best)} sizes the best mean is that of {wins}."
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


def _line(axis: Axes, x, mean, error, style, i: int) -> None:
    axis.plot(
        x, mean, color=style.colour, marker=MARKERS[i % len(MARKERS)], markersize=3.6, linewidth=1, zorder=3
    )
    axis.fill_between(x, mean - error, mean + error, color=style.colour, alpha=0.15, linewidth=0)


def _p_values(axis: Axes, table: pd.DataFrame, methods: list[str], styles: dict) -> None:
    """Write the p-values of each method in a row of its colour, at the bottom of the panel."""
    for i, method in enumerate(reversed(methods)):
        for row in table[table["method"] == method].itertuples():
            if not math.isnan(row.p_value):
                axis.text(
                    row.rows,
                    0.02 + 0.045 * i,
                    p_text(row.p_value),
                    transform=axis.get_xaxis_transform(),
                    size=5.5,
                    color=styles[method].colour,
                    ha="center",
                )


def _grid(axis: Axes) -> None:
    axis.grid(color="#d0d0d0", linewidth=0.4)
    axis.set_axisbelow(True)


def _legend(figure: Figure, styles: dict, in_a_row: int = 4) -> None:
    handles = [
        Line2D(
            [], [], color=style.colour, marker=MARKERS[i % len(MARKERS)], markersize=3.6, label=style.label
        )
        for i, style in enumerate(styles.values())
    ]
    figure.legend(
        handles=handles, loc="upper center", ncols=min(len(handles), in_a_row), frameon=False, borderpad=0.2
    )
