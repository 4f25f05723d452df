"""Figure 1 of K15, the dirty model with elastic nets: residual and gaps against iterations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from reproduction.papers.kadkhodaie2015.dirty_model import trace_analysis as dirty_model
from reproduction.plotting import legends
from reproduction.plotting import style as drawing
from reproduction.specs.labels import Style, method_styles


@drawing.use_style
def draw_figure1(table: pd.DataFrame) -> Figure:
    """Draw the three panels of the paper, and below them how far each varied setting matters.

    Lines are medians over the draws, bands reach from the 10th to the 90th percentile; gaps are absolute and
    over their value at the first iteration. Dashed: F(x_k, b − A x_k) − F*. Dotted: the bound of Theorem 1.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.TRACE_COLUMNS``.

    Returns
    -------
    Figure
    """
    curves, styles = dirty_model.compute_medians_and_bands(table), method_styles(table["method"])
    iterations = dirty_model.count_iterations_to_target(table)
    final_gaps = dirty_model.summarise_final_gaps(table)
    # the lower panels are as high as the settings that were varied need; without any there are none
    rows = max(len(iterations), final_gaps["setting"].nunique()) if (table["kind"] != "declared").any() else 0
    lower_height = 0.9 + 0.22 * rows if rows else 0.0
    figure = Figure(figsize=(drawing.WIDTH_IN, 2.9 + lower_height))
    height = figure.get_figheight()
    # the three panels of the paper above; the settings that were varied below
    top, bottom = 1 - 0.7 / height, (lower_height + 0.4) / height
    cells = figure.add_gridspec(1, 3, left=0.075, right=0.985, top=top, bottom=bottom, wspace=0.36)
    for i, (column, title, label) in enumerate(dirty_model.PANELS):
        ax = figure.add_subplot(cells[0, i])
        _draw_traces(ax, curves, column, styles)
        ax.set_title(title, size=drawing.SMALL_TEXT_SIZE)
        ax.set_ylabel(label, size=drawing.SMALL_TEXT_SIZE)
    if rows:
        top, bottom = (lower_height - 0.4) / height, 0.4 / height
        cells = figure.add_gridspec(1, 2, left=0.13, right=0.985, top=top, bottom=bottom, wspace=0.5)
        _draw_iterations(figure.add_subplot(cells[0, 0]), iterations, table["iteration"].max(), styles)
        _draw_final_gaps(figure.add_subplot(cells[0, 1]), final_gaps, table["iteration"].max(), styles)
    handles = [
        *legends.make_method_handles(styles),
        Line2D([], [], color=drawing.GREY, linestyle="--", label="F(xₖ, b − Axₖ) − F*"),
        Line2D([], [], color=drawing.GREY, linestyle=":", label="bound of Theorem 1"),
    ]
    figure.suptitle(_declared_settings(table), y=1 - 0.03 / height, va="top", size=drawing.SMALL_TEXT_SIZE)
    legends.add_legend(figure, handles, 5, bbox_to_anchor=(0.5, 1 - 0.17 / height))
    return figure


def _declared_settings(table: pd.DataFrame) -> str:
    """Write the number of draws and the declared settings."""
    rows = dirty_model.select_declared(table)
    values = (f"{name} = {rows[column].iloc[0]:g}" for column, name in dirty_model.SETTING_SYMBOLS.items())
    return f"{rows['seed'].nunique()} draws, {', '.join(values)}"


def _draw_traces(ax: Axes, curves: pd.DataFrame, column: str, styles: dict[str, Style]) -> None:
    """Draw one panel of the paper: median and band of each method."""
    for j, (method, style) in enumerate(styles.items()):
        method_curves = curves[curves["method"] == method]
        lines = (method_curves[f"{column}_{statistic}"] for statistic in ("median", "p10", "p90"))
        marks = drawing.select_markers(method_curves["iteration"], j, len(styles), 5)
        drawing.plot_with_band(ax, method_curves["iteration"], *lines, style, markersize=3, markevery=marks)
        # dashed: the gap of the feasible pair (x_k, b − A x_k), which is never negative
        if column == "primal_gap":
            ax.plot(
                method_curves["iteration"],
                method_curves["feasible_gap_median"],
                "--",
                color=style.colour,
                linewidth=0.8,
            )
    # the bound of Theorem 1 holds for A2DM2 alone
    if column == "dual_gap" and curves["bound_median"].notna().any():
        method_curves = curves[curves["method"] == dirty_model.ACCELERATED]
        ax.plot(
            method_curves["iteration"], method_curves["bound_median"], ":", color=drawing.GREY, linewidth=0.8
        )
    drawing.label_panel(ax, "xy", xlabel="Iteration")


def _draw_iterations(ax: Axes, iterations: pd.DataFrame, limit: int, styles: dict[str, Style]) -> None:
    """Draw how many iterations each method needs in each setting, on the first draw."""
    for i, (method, style) in enumerate(styles.items()):
        counts = iterations[method].to_numpy(dtype=float)
        # twice the limit stands for runs that never reach the target
        _plot_markers(ax, counts, _row_heights(len(counts), i, len(styles)), 2.0 * limit, style)
    drawing.set_log_scale(ax.xaxis, 0.7 * float(np.nanmin([limit, iterations.min(axis=None)])), 3.0 * limit)
    _mark_overflow(ax, 1.4 * limit, 2.0 * limit, f"> {limit}")
    title = f"First draw: until dual gap ≤ {drawing.format_power(dirty_model.TARGET_DUAL_GAP)} F*"
    _label_rows(ax, iterations.index, "Iterations", title)


def _draw_final_gaps(ax: Axes, final_gaps: pd.DataFrame, n_iter: int, styles: dict[str, Style]) -> None:
    """Draw the dual gap after the last iteration, over the draws, for each η and τ."""
    names = list(dict.fromkeys(final_gaps["setting"]))
    finite = final_gaps.loc[np.isfinite(final_gaps["median"]), "median"]
    largest = float(finite.max()) if len(finite) else 1.0
    # far enough right that no finite gap is taken for it
    overflow_x = 100.0 * largest
    for i, (method, style) in enumerate(styles.items()):
        method_rows = final_gaps[final_gaps["method"] == method].set_index("setting").reindex(names)
        heights = _row_heights(len(names), i, len(styles))
        ax.hlines(
            heights,
            method_rows["p10"],
            method_rows["p90"].clip(upper=overflow_x),
            color=style.colour,
            linewidth=0.8,
        )
        _plot_markers(
            ax, method_rows["median"].replace(np.inf, np.nan).to_numpy(), heights, overflow_x, style
        )
    has_overflow = not np.isfinite(final_gaps["median"]).all()
    drawing.set_log_scale(ax.xaxis, None, 10.0 * overflow_x if has_overflow else None)
    ax.xaxis.set_major_locator(LogLocator(numticks=6))
    if has_overflow:
        _mark_overflow(ax, 10.0 * largest, overflow_x, "diverged")
    title = f"All draws: after {n_iter} iterations (median, 10 to 90 %)"
    _label_rows(ax, names, "Dual gap / F*", title)


def _row_heights(n_rows: int, method_index: int, n_methods: int) -> np.ndarray:
    """Return the heights of a method's markers in the rows; the methods of a row stand one below another."""
    return np.arange(n_rows) + 0.27 * (method_index - (n_methods - 1) / 2)


def _plot_markers(ax: Axes, values: np.ndarray, heights: np.ndarray, overflow_x: float, style: Style) -> None:
    """Draw a marker in each row; an open one at ``overflow_x`` where there is no value."""
    is_absent = np.isnan(values)
    x = np.where(is_absent, overflow_x, values)
    drawing.plot_hollow(is_absent, ax, x, heights, style.marker, style.colour, clip_on=False)


def _mark_overflow(ax: Axes, boundary_x: float, overflow_x: float, label: str) -> None:
    """Separate what lies beyond the scale by a line, and label its place on the axis."""
    ax.axvline(boundary_x, color=drawing.GREY, linewidth=0.6)
    ticks = [tick for tick in ax.get_xticks() if ax.get_xlim()[0] <= tick < boundary_x]
    tick_labels = [ax.xaxis.get_major_formatter()(tick, None) for tick in ticks]
    ax.set_xticks([*ticks, overflow_x], [*tick_labels, label])
    ax.minorticks_off()


def _label_rows(ax: Axes, names: Sequence[str], label: str, title: str) -> None:
    """Label the rows with their settings, the first one above, and the panel."""
    ax.set_yticks(range(len(names)), names, size=drawing.SMALL_TEXT_SIZE)
    for row in range(0, len(names), 2):  # every other setting is shaded
        ax.axhspan(row - 0.5, row + 0.5, color="#f2f2f2", linewidth=0, zorder=0)
    ax.set_title(title, size=drawing.SMALL_TEXT_SIZE)
    drawing.label_panel(ax, ylim=(len(names) - 0.5, -0.5), xlabel=label)


def describe(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, for readers who do not see it.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.TRACE_COLUMNS``.

    Returns
    -------
    str
    """
    rows, last = dirty_model.select_declared(table), dirty_model.compute_last_medians(table)
    ends = "; ".join(
        f"{style.label} {'{:.1e}, {:.1e} and {:.1e}'.format(*last[method])}"
        for method, style in method_styles(last).items()
    )
    return (
        "Primal residual, normalised primal gap and normalised dual gap against the iterations, all "
        f"logarithmic, with a band over {rows['seed'].nunique()} draws. Medians after "
        f"{rows['iteration'].max()} iterations: {ends}."
    )


def state_figure1(table: pd.DataFrame) -> str:
    """State the median dual gaps at the last iteration.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.TRACE_COLUMNS``.

    Returns
    -------
    str
    """
    n_iter = dirty_model.select_declared(table)["iteration"].max()
    gaps = dirty_model.compute_last_medians(table).loc["dual_gap"]
    ends = (f"{style.label} {gaps[method]:.0e}" for method, style in method_styles(gaps.index).items())
    return f"Median dual gap after {n_iter} iterations, of the first: {', '.join(ends)}."
