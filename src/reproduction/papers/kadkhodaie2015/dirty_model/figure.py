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
from reproduction.plotting import style as drawing
from reproduction.specs.labels import Style, method_styles


@drawing.use_style
def figure1(table: pd.DataFrame) -> Figure:
    """Draw the three panels of the paper, and below them how far each varied setting matters.

    `table`: with the columns `experiment.COLUMNS`. Lines are medians over the draws, bands reach from the
    10th to the 90th percentile; gaps are absolute and over their value at the first iteration. Dashed:
    F(x_k, b − A x_k) − F*. Dotted: Theorem 1.
    """
    curves, styles = dirty_model.medians_and_bands(table), method_styles(table["method"])
    reached, ends = dirty_model.iterations_to_reach(table), dirty_model.gaps_of_steps(table)
    rows = max(len(reached), ends["setting"].nunique()) if (table["kind"] != "declared").any() else 0
    below = 0.9 + 0.22 * rows if rows else 0.0
    figure = Figure(figsize=(drawing.WIDTH_IN, 2.9 + below))
    height = figure.get_figheight()
    top, bottom = 1 - 0.7 / height, (below + 0.4) / height
    cells = figure.add_gridspec(1, 3, left=0.075, right=0.985, top=top, bottom=bottom, wspace=0.36)
    for i, (column, title, label) in enumerate(dirty_model.PANELS):
        axis = figure.add_subplot(cells[0, i])
        _draw_traces(axis, curves, column, styles)
        axis.set_title(title, size=drawing.SMALL_TEXT_SIZE)
        axis.set_ylabel(label, size=drawing.SMALL_TEXT_SIZE)
    if rows:
        top, bottom = (below - 0.4) / height, 0.4 / height
        cells = figure.add_gridspec(1, 2, left=0.13, right=0.985, top=top, bottom=bottom, wspace=0.5)
        _draw_reached(figure.add_subplot(cells[0, 0]), reached, table["iteration"].max(), styles)
        _draw_ends(figure.add_subplot(cells[0, 1]), ends, table["iteration"].max(), styles)
    handles = [
        *drawing.make_method_handles(styles),
        Line2D([], [], color=drawing.GREY, linestyle="--", label="F(xₖ, b − Axₖ) − F*"),
        Line2D([], [], color=drawing.GREY, linestyle=":", label="bound of Theorem 1"),
    ]
    figure.suptitle(_declared_settings(table), y=1 - 0.03 / height, va="top", size=drawing.SMALL_TEXT_SIZE)
    drawing.add_legend(figure, handles, 5, bbox_to_anchor=(0.5, 1 - 0.17 / height))
    return figure


def _declared_settings(table: pd.DataFrame) -> str:
    rows = dirty_model.declared(table)
    values = (f"{name} = {rows[column].iloc[0]:g}" for column, name in dirty_model.SETTINGS.items())
    return f"{rows['seed'].nunique()} draws, {', '.join(values)}"


def _draw_traces(axis: Axes, curves: pd.DataFrame, column: str, styles: dict[str, Style]) -> None:
    """Draw one metric of the paper: median and band of each method."""
    for j, (method, style) in enumerate(styles.items()):
        one = curves[curves["method"] == method]
        lines = (one[f"{column}_{of}"] for of in ("median", "p10", "p90"))
        marks = drawing.select_markers(one["iteration"], j, len(styles), 5)
        drawing.plot_with_band(axis, one["iteration"], *lines, style, markersize=3, markevery=marks)
        if column == "primal_gap":
            axis.plot(one["iteration"], one["feasible_gap_median"], "--", color=style.colour, linewidth=0.8)
    if column == "dual_gap" and curves["bound_median"].notna().any():
        one = curves[curves["method"] == dirty_model.ACCELERATED]
        axis.plot(one["iteration"], one["bound_median"], ":", color=drawing.GREY, linewidth=0.8)
    drawing.label_panel(axis, "xy", xlabel="Iteration")


def _draw_reached(axis: Axes, reached: pd.DataFrame, limit: int, styles: dict[str, Style]) -> None:
    """Draw how many iterations each method needs in each setting, on the first draw."""
    for i, (method, style) in enumerate(styles.items()):
        needed = reached[method].to_numpy(dtype=float)
        _with_beyond(axis, needed, _places(len(needed), i, len(styles)), 2.0 * limit, style)
    drawing.set_log_scale(axis.xaxis, 0.7 * float(np.nanmin([limit, reached.min(axis=None)])), 3.0 * limit)
    _mark_beyond(axis, 1.4 * limit, 2.0 * limit, f"> {limit}")
    title = f"First draw: until dual gap ≤ {drawing.format_power(dirty_model.REACHED)} F*"
    _name_rows(axis, reached.index, "Iterations", title)


def _draw_ends(axis: Axes, ends: pd.DataFrame, last: int, styles: dict[str, Style]) -> None:
    """Draw the dual gap after the last iteration, over the draws, for each η and τ."""
    names = list(dict.fromkeys(ends["setting"]))
    finite = ends.loc[np.isfinite(ends["median"]), "median"]
    high = float(finite.max()) if len(finite) else 1.0
    beyond = 100.0 * high
    for i, (method, style) in enumerate(styles.items()):
        own = ends[ends["method"] == method].set_index("setting").reindex(names)
        at = _places(len(names), i, len(styles))
        axis.hlines(at, own["p10"], own["p90"].clip(upper=beyond), color=style.colour, linewidth=0.8)
        _with_beyond(axis, own["median"].replace(np.inf, np.nan).to_numpy(), at, beyond, style)
    has_beyond = not np.isfinite(ends["median"]).all()
    drawing.set_log_scale(axis.xaxis, None, 10.0 * beyond if has_beyond else None)
    axis.xaxis.set_major_locator(LogLocator(numticks=6))
    if has_beyond:
        _mark_beyond(axis, 10.0 * high, beyond, "diverged")
    title = f"All draws: after {last} iterations (median, 10 to 90 %)"
    _name_rows(axis, names, "Dual gap / F*", title)


def _places(rows: int, i: int, of: int) -> np.ndarray:
    """Heights of the `i`-th of so many methods in the rows."""
    return np.arange(rows) + 0.27 * (i - (of - 1) / 2)


def _with_beyond(axis: Axes, values: np.ndarray, at: np.ndarray, beyond: float, style: Style) -> None:
    """Draw a marker a row; an open one at `beyond` where there is no value."""
    none = np.isnan(values)
    places = np.where(none, beyond, values)
    drawing.plot_hollow(none, axis, places, at, style.marker, style.colour, clip_on=False)


def _mark_beyond(axis: Axes, line: float, place: float, words: str) -> None:
    """Part what lies beyond the scale from it, and say what it is."""
    axis.axvline(line, color=drawing.GREY, linewidth=0.6)
    ticks = [tick for tick in axis.get_xticks() if axis.get_xlim()[0] <= tick < line]
    texts = [axis.xaxis.get_major_formatter()(tick, None) for tick in ticks]
    axis.set_xticks([*ticks, place], [*texts, words])
    axis.minorticks_off()


def _name_rows(axis: Axes, names: Sequence[str], label: str, title: str) -> None:
    """Name the settings, the first one above, and the panel."""
    axis.set_yticks(range(len(names)), names, size=drawing.SMALL_TEXT_SIZE)
    axis.set_title(title, size=drawing.SMALL_TEXT_SIZE)
    drawing.label_panel(axis, ylim=(len(names) - 0.5, -0.5), xlabel=label)


def describe(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, for readers who do not see it."""
    rows, last = dirty_model.declared(table), dirty_model.last_medians(table)
    ends = "; ".join(
        f"{style.label} {'{:.1e}, {:.1e} and {:.1e}'.format(*last[method])}"
        for method, style in method_styles(last).items()
    )
    return (
        "Primal residual, normalised primal gap and normalised dual gap against the iterations, all "
        f"logarithmic, with a band over {rows['seed'].nunique()} draws. Medians after "
        f"{rows['iteration'].max()} iterations: {ends}."
    )
