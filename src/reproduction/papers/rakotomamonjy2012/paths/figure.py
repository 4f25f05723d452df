"""Figure of a regularisation path of R12."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.papers.rakotomamonjy2012.paths import experiment as paths
from reproduction.plotting.legends import label_ends
from reproduction.plotting.messages import count_noun
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    label_panel,
    make_panels,
    placeholder_figure,
    set_log_scale,
    use_style,
)

PATH_COLUMNS = ("dataset", *paths.COLUMNS)

CURVE_COLOURS = ("#10599C", "#CE810C", "#079E73", "#A42B05", "#522699", "#BD709E", "#2C95D3", "#000000")
"""Colours of the curves of a path that are named; every other one is dashed."""

UNCHANGED_TOL, ZERO_TOL = 1e-3, 1e-6
"""Of the largest weight: what a weight may change by where a path stays as it is, and have to count as 0."""

MIN_TRUNCATION_RATIO = 2.0
"""How many times smaller the last λ has to be for a part without change to be left out."""


@use_style
def draw_path(points: pd.DataFrame, weights: pd.DataFrame) -> Figure:
    """Draw weights against the regularisation; below, the rate at the top and the number of weights in use.

    Parameters
    ----------
    points : DataFrame
        Rows of a path, with the keys `PATH_COLUMNS`.
    weights : DataFrame
        A row a point, in the same order: its share, and a column a curve. A curve is the norm of a group
        where a group stands for several features; it begins where it enters.

    Returns
    -------
    Figure
        Three panels, λ falling from left to right; a placeholder where there is no path.
    """
    if points.empty:
        return placeholder_figure("not obtained")
    is_grouped = bool((points["n_groups"] != points["n_variables"]).any())
    unit = "group" if is_grouped else "feature"
    share, curves = points["share"].to_numpy(), weights.drop(columns="share").to_numpy()
    end = _find_last_change(share, curves)
    # weights in twice the height of the two panels below
    figure, ((weights_ax,), (rate_ax,), (count_ax,)) = make_panels(
        4.7, 3, 1, sharex=True, height_ratios=(2, 1, 1)
    )
    norm = "group norm" if is_grouped else "ℓ₁ norm"
    figure.suptitle(f"{points['dataset'].iloc[0]}, first split, {norm}", size=SMALL_TEXT_SIZE)
    curve_labels = _draw_weights(weights_ax, share, curves, unit)
    label_panel(weights_ax, ylabel="Norm of a group's weights" if is_grouped else "Weight of a feature")
    rate_lines = (("rate_at_top_train", "training part", ":"), ("rate_at_top", "test part", "-"))
    for column, _, style in rate_lines:
        rate_ax.plot(share, points[column], style, color=CURVE_COLOURS[0])
    label_panel(rate_ax, ylim=(-0.03, 1.03), ylabel="Rate at the\ntop (share)")
    count_ax.plot(share, points["n_groups" if is_grouped else "n_variables"], color=CURVE_COLOURS[0])
    count_ax.set_ylim(bottom=0)
    # λ falls from left to right, as the path was fitted
    set_log_scale(count_ax.xaxis, share[end], 1.05)
    count_ax.invert_xaxis()
    is_cut = end < len(share) - 1
    unchanged_note = f"; weights stay as they are from {share[end]:.2g} to {share[-1]:.2g}" if is_cut else ""
    label_panel(count_ax, ylabel=f"{unit.capitalize()}s\nused (count)", xlabel=f"λ / λ_max{unchanged_note}")
    figure.subplots_adjust(left=0.09, right=0.89, top=0.945, bottom=0.095, hspace=0.14)
    label_ends(weights_ax, [(share[end], curves[end, i], text, colour) for i, text, colour in curve_labels])
    label_ends(
        rate_ax,
        [(share[end], points[column].iloc[end], part, CURVE_COLOURS[0]) for column, part, _ in rate_lines],
    )
    return figure


def _find_last_change(share: np.ndarray, curves: np.ndarray) -> int:
    """Find the point of a path after which no weight changes, if much follows; else the last one."""
    change = np.abs(curves - curves[-1]).max(axis=1) > UNCHANGED_TOL * np.abs(curves).max()
    # One point behind the last change, so that the level part is seen to begin.
    end = min(int(np.flatnonzero(change).max(initial=0)) + 1, len(share) - 1)
    return end if share[end] >= MIN_TRUNCATION_RATIO * share[-1] else len(share) - 1


def _draw_weights(ax: Axes, share: np.ndarray, curves: np.ndarray, unit: str) -> list[tuple[int, str, str]]:
    """Draw each curve from where it enters; return the number, name and colour of those that are named."""
    # point at which each weight leaves 0; len(curves) where it never does
    # a weight leaves 0 where it exceeds the rounding errors of the largest
    used = np.abs(curves) > ZERO_TOL * np.abs(curves).max()
    entered = np.where(used.any(axis=0), used.argmax(axis=0), len(curves))
    # of those that enter together, the largest
    named = np.lexsort((-np.abs(curves).max(axis=0), entered))[: len(CURVE_COLOURS)]
    ranks = {int(i): rank for rank, i in enumerate(named) if entered[i] < len(curves)}
    for i in np.flatnonzero(entered < len(curves)):
        # from one point before it enters: the line starts at 0
        start, line_options = max(entered[i] - 1, 0), {"color": "#bbbbbb", "linewidth": 0.6}
        if i in ranks:
            line_options = {
                "color": CURVE_COLOURS[ranks[i]],
                "linestyle": ("-", "--")[ranks[i] % 2],
                "zorder": 3,
            }
        ax.plot(share[start:], curves[start:, i], **line_options)
    return [(i, f"{rank + 1}. {unit} {i}", CURVE_COLOURS[rank]) for i, rank in ranks.items()]


def select_path_data(points: pd.DataFrame, weights: pd.DataFrame) -> pd.DataFrame:
    """Select what the figure of a path draws.

    Parameters
    ----------
    points, weights : DataFrame
        As for `draw_path`.

    Returns
    -------
    DataFrame
        The lines of the lower panels, and a column ``curve_<number>`` for each line of the upper one.
    """
    lower_panels = points[["share", "rate_at_top_train", "rate_at_top", "n_variables", "n_groups"]]
    return pd.concat([lower_panels, weights.drop(columns="share").add_prefix("curve_")], axis=1)


def state_path(points: pd.DataFrame, weights: pd.DataFrame) -> str:
    """State where on the path the rate at the top of the test part is highest.

    Parameters
    ----------
    points, weights : DataFrame
        As for `draw_path`.

    Returns
    -------
    str
    """
    if points.empty or points["rate_at_top"].isna().all():
        return "No path was obtained."
    is_grouped = bool((points["n_groups"] != points["n_variables"]).any())
    unit, column = ("group", "n_groups") if is_grouped else ("feature", "n_variables")
    best = points.loc[points["rate_at_top"].idxmax()]  # of equal rates the first on the path
    n_curves = count_noun(weights.shape[1] - 1, unit)
    return (
        f"Test rate at the top peaks at {best['rate_at_top']:.2f} with {best[column]:.0f} of {n_curves}, "
        f"at λ = {best['share']:.2g} λ_max."
    )
