"""Figures 2 and 3 of K15: one split iteration by iteration, drawn and described."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from reproduction.core.sentence_templates import format_each
from reproduction.papers.kadkhodaie2015.convergence.trace_analysis import iterate_runs, summarise_roc_curves
from reproduction.plotting import legends
from reproduction.plotting import style as drawing
from reproduction.specs.labels import Style, method_label, method_styles

SETTING_FORMATS = {"dataset": "{}", "feature_scaling": "{} features", "split": "split {}", "alpha": "λ = {}"}
"""Column of the tables -> how its value is written above the panels."""

MAX_SHOWN_FPR = 0.02
"""Largest false-positive rate of the panel: only the first few negatives matter at the top of the list."""

MIN_POINT_DISTANCE = 0.006
"""Smallest distance, in either rate, of two drawn points of an ROC curve: a point on paper is 0.005."""

LINE_WIDTHS = {"a2dm2": 2.0, "exact": 2.4}
"""Widths in points of the curves on which another may lie: they are drawn broader and below."""

MIN_SUBOPTIMALITY = 1e-12
"""Suboptimalities are drawn down to here: smaller ones are rounding errors."""

STOP_MARKER = {
    "linestyle": "none",
    "markersize": 5.5,
    "markerfacecolor": "white",
    "markeredgewidth": 1.2,
    "zorder": 4,
}
"""Look of the marker at a published stop."""

MAX_DIVERGED_VALUE = 1e4
"""Values of a run that diverged are drawn up to here."""


@drawing.use_style
def draw_figure2(table: pd.DataFrame) -> Figure:
    """Draw relative suboptimality and test Pos@Top against iterations and seconds.

    A large open marker is where the published stopping rule holds, a cross the last iteration of a run that
    diverged.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.FIGURE2_COLUMNS``.

    Returns
    -------
    Figure
    """
    styles = method_styles(table["method"])
    # rows: suboptimality and Pos@Top; columns: iterations and seconds
    figure, axes = drawing.make_panels(4.7, 2, 2, sharex="col", sharey="row")
    for row, quantity in zip(axes, ("suboptimality", "positives_at_top"), strict=True):
        for ax, x_column in zip(row, ("iteration", "seconds"), strict=True):
            _draw_curves(ax, table, styles, x_column, quantity)
    optimum = table["optimum"].iloc[0]
    # a method that minimises the perturbed objective (13) converges to a point above F*; 1e-9 is rounding
    for method, run in table.groupby("method"):
        limit = run["limit"].iloc[0] / optimum - 1.0
        if limit > 1e-9:
            for ax in axes[0]:
                ax.axhline(limit, color=styles[method].colour, linewidth=0.9, linestyle=":", zorder=1)
    # the lowest axis value a little below the smallest suboptimality that is no rounding error
    smallest = table.loc[table["suboptimality"] > MIN_SUBOPTIMALITY, "suboptimality"].min()
    drawing.set_log_scale(axes[0, 0].yaxis, low=max(MIN_SUBOPTIMALITY, 0.3 * smallest))
    axes[0, 0].set_ylabel("(F − F*) / F*")
    # linear up to 10, so that a Pos@Top of 0 is seen
    axes[1, 0].set_yscale("symlog", linthresh=10)
    axes[1, 0].set_ylim(bottom=-0.4)
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[1, 0].set(xlabel="Iteration", ylabel="Pos@Top (test positives)")
    axes[1, 1].set_xlabel("Time of the algorithm (s)")
    _add_legend(figure, table, styles)
    figure.subplots_adjust(left=0.09, right=0.985, top=0.86, bottom=0.09, wspace=0.06, hspace=0.1)
    return figure


@drawing.use_style
def draw_figure3(table: pd.DataFrame) -> Figure:
    """Draw the residuals of the ADMM family, and the ROC curves of all methods at the top of the list.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.FIGURE3_COLUMNS``.

    Returns
    -------
    Figure
    """
    styles, residuals = method_styles(table["method"]), sum_residuals(table)
    figure, (axes,) = drawing.make_panels(2.9, 1, 3)
    labels = {"iteration": "Iteration", "seconds": "Time of the algorithm (s)"}
    for ax, (x_column, label) in zip(axes, labels.items(), strict=False):
        _draw_curves(ax, residuals, styles, x_column, "residual")
        drawing.label_panel(ax, "y", xlabel=label, ylabel="Primal + dual residual (norm)")
    axes[1].xaxis.set_major_locator(LogLocator(numticks=5))
    _draw_roc_curves(axes[2], select_roc_points(table), styles)
    _add_legend(figure, table, styles)
    figure.subplots_adjust(left=0.08, right=0.97, top=0.76, bottom=0.15, wspace=0.42)
    return figure


def _draw_roc_curves(ax: Axes, curves: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw the ROC curves up to a false-positive rate of `MAX_SHOWN_FPR`."""
    # dotted below: the last iterate; solid above: the iterate at the published stop
    for iterate, dash in (("all iterations", ":"), ("published stop", "-")):
        for i, (method, style) in enumerate(styles.items()):
            curve = curves[(curves["iterate"] == iterate) & (curves["method"] == method)]
            x, y = curve["false_positive_rate"], curve["true_positive_rate"]
            marks = drawing.select_markers((x + y)[x <= MAX_SHOWN_FPR], i, len(styles), 3, is_log=False)
            ax.plot(x, y, dash, markevery=marks, **_line_style(method, style))
    ax.set_xlim(-0.02 * MAX_SHOWN_FPR, MAX_SHOWN_FPR)
    highest = curves[curves["false_positive_rate"] <= MAX_SHOWN_FPR]["true_positive_rate"].max()
    ax.set_ylim(-0.02 * highest, 1.05 * highest)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    drawing.label_panel(ax, xlabel="False-positive rate (top of the list)", ylabel="True-positive rate")


def sum_residuals(table: pd.DataFrame) -> pd.DataFrame:
    """Add the primal and dual residuals at the published stops and at iterations that can be told apart.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    DataFrame
        Some of the rows, with the column ``residual``.
    """
    rows = table[table["kind"] == "residual"]
    # iterations that differ on a logarithmic axis, beside the published stops
    is_distinct = rows.groupby("method")["iteration"].transform(drawing.thin_log).astype(bool)
    rows = rows[is_distinct | (rows["iteration"] == rows["published_stop"])]
    return rows.assign(residual=rows["primal_residual"] + rows["dual_residual"])


def select_roc_points(table: pd.DataFrame) -> pd.DataFrame:
    """Select the points of the ROC curves that the eye can tell apart.

    At the top of the list, which is drawn magnified, all are kept. Beyond it, a point that is nearer than
    `MIN_POINT_DISTANCE` to the last one that was kept, in both rates, is left out, but for the end of the
    curve.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    DataFrame
        Some of the rows.
    """
    rows = table[table["kind"] == "roc"]
    kept_rows = []
    for _, curve in rows.groupby(["method", "iterate"], sort=False):
        # the first point always differs from (−1, −1)
        last_x = last_y = -1.0
        rates = zip(curve["false_positive_rate"], curve["true_positive_rate"], strict=True)
        for index, (x, y) in zip(curve.index, rates, strict=True):
            if (
                x <= 1.5 * MAX_SHOWN_FPR
                or max(x - last_x, y - last_y) >= MIN_POINT_DISTANCE
                or index == curve.index[-1]
            ):
                kept_rows.append(index)
                last_x, last_y = x, y
    return rows.loc[kept_rows]


def select_figure2_data(table: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 2 draws of the rows of figure2.csv.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.

    Returns
    -------
    DataFrame
        ``is_published_stop`` is 1 at the published stop.
    """
    columns = ["method", "rho", "iteration", "seconds", "objective", "suboptimality", "positives_at_top"]
    stops = table["iteration"] == table["published_stop"]
    return table[columns].assign(is_published_stop=stops.astype(int))


def select_figure3_data(table: pd.DataFrame) -> pd.DataFrame:
    """Select what Figure 3 draws of the rows of figure3.csv: residuals, and points of the ROC curves.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    DataFrame
        ``iterate`` is "stop" (the published one) or "end" (all iterations).
    """
    residuals, points = sum_residuals(table), select_roc_points(table)
    columns = ["kind", "method", "iteration", "seconds", "residual", "iterate"]
    rates = ["false_positive_rate", "true_positive_rate"]
    words = points["iterate"].map({"published stop": "stop", "all iterations": "end"})
    return pd.concat([residuals, points.assign(iterate=words)])[[*columns, *rates]]


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, for readers who do not see it.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.

    Returns
    -------
    str
    """
    ends = [
        f"{method_label(method)} ends {run['suboptimality'].iloc[-1]:.1e} above the optimum after "
        f"{run['iteration'].iloc[-1]:.0f} iterations and {run['seconds'].iloc[-1]:.2g} s, with "
        f"{run['positives_at_top'].iloc[-1]:.0f} positives at the top"
        for method, run in iterate_runs(table)
    ]
    return (
        "Relative suboptimality of objective (11) and Pos@Top on the test part against iterations (left) "
        f"and seconds (right), all but Pos@Top on logarithmic axes. {'; '.join(ends)}."
    )


def describe_figure3(table: pd.DataFrame) -> str:
    """Describe Figure 3 in words, for readers who do not see it.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    str
    """
    areas = format_each(summarise_roc_curves(table, "published stop").values(), "{method} {area:.3f}")
    return (
        "Sum of the primal and dual residuals of the ADMM family against iterations and seconds, "
        "logarithmic; right: ROC curves on the test part at the top of the list. "
        f"Areas under the curves after the published stops: {', '.join(areas)}."
    )


def _draw_curves(
    ax: Axes, table: pd.DataFrame, styles: dict[str, Style], x_column: str, quantity: str
) -> None:
    """Draw one quantity of every method: open markers at published stops, crosses where it diverged."""
    present = [method for method in styles if (table["method"] == method).any()]
    for i, method in enumerate(present):
        style, run = styles[method], table[table["method"] == method]
        # infinite values of a run that diverged break the line
        values = run[quantity].where(np.isfinite(run[quantity]))
        has_diverged = run["status"].iloc[-1] == "diverged"
        if has_diverged:
            values = values.where(values < MAX_DIVERGED_VALUE)
        # The few steps of the exact solver each have their marker.
        marks = 1 if method == "exact" else drawing.select_markers(run[x_column], i, len(styles))
        ax.plot(run[x_column], values, markevery=marks, **_line_style(method, style))
        is_stop = run["iteration"] == run["published_stop"]
        ax.plot(
            run[x_column][is_stop], values[is_stop], **STOP_MARKER, marker=style.marker, color=style.colour
        )
        if has_diverged and values.notna().any():
            last_index = values.last_valid_index()
            ax.plot(
                run[x_column][last_index], values[last_index], "x", color=style.colour, markersize=5, zorder=4
            )
    drawing.label_panel(ax, "x")


def _line_style(method: str, style: Style) -> dict:
    """Return the look of a method's curve; one that others may lie on is broader and below them."""
    return {
        "color": style.colour,
        "marker": style.marker,
        "markersize": 3.0,
        "linewidth": LINE_WIDTHS.get(method, 1.0),
        "zorder": 2 if method in LINE_WIDTHS else 3,
    }


def _add_legend(figure: Figure, table: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Add the methods with their ρ, the marker of the published stop, and the settings as a title."""
    rhos = table.groupby("method")["rho"].first()
    labelled_styles = styles | {
        method: replace(styles[method], label=f"{styles[method].label} (ρ = {rho:g})")
        for method, rho in rhos.dropna().items()
    }
    stop = Line2D([], [], color=drawing.GREY, marker="o", label="published stop (open)", **STOP_MARKER)
    first = table.iloc[0].dropna()
    facts = [words.format(first[column]) for column, words in SETTING_FORMATS.items() if column in first]
    if facts:
        figure.suptitle(", ".join(facts), y=0.995, va="top", size=drawing.SMALL_TEXT_SIZE)
    position = {"bbox_to_anchor": (0.5, 1 - 0.17 / figure.get_figheight())} if facts else {}
    legends.add_legend(
        figure,
        [*legends.make_method_handles(labelled_styles), stop],
        6,
        handlelength=1.3,
        columnspacing=0.8,
        **position,
    )
