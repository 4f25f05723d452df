"""Specification curves: the numbers of a table over all specifications in order, with the choices below.

The idea of Simonsohn, Simmons and Nelson (Nature Human Behaviour 2020). Across lie the specifications.
Above stands how far ours lies from the published value, below which option of each choice a specification
has.
"""

from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reproduction.plotting.messages import count_noun, format_range
from reproduction.plotting.style import (
    GREY,
    LINE_WIDTH,
    SMALL_TEXT_SIZE,
    draw_grid,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.reporting.multiverse.figures import NO_MULTIVERSE_TEXT, QUANTITY_LABELS, select_plot_data
from reproduction.specs.multiverse import DEFAULT, changed_options

RATIO_QUANTITIES = ("pos_at_top", "variables")
"""Quantities of which the ratio to print is drawn; of the others it is the difference."""

OPTION_ROW_IN, CURVE_HEIGHT_IN = 0.125, 1.5
"""Inches: height of the row of an option, and of a curve."""

NUMBER_KEY = ["dataset", "method"]
CURVE_COLUMNS = ("quantity", "specification", "low", "median", "high", "numbers")


def compute_curves(table: pd.DataFrame) -> pd.DataFrame:
    """Compute for every specification how far the numbers of a quantity lie from the published ones.

    A number that has no fits in a specification stands with its value in the specification that shares most
    of its options: the numbers are the same ones in all specifications.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    pandas.DataFrame
        The columns of `CURVE_COLUMNS`: quartiles and median over the numbers, of ours minus the published
        value, or of the ratio for `RATIO_QUANTITIES`; of each quantity the least median first. Without
        published values the default's stand for them.
    """
    curve_rows = []
    for quantity, quantity_rows in select_plot_data(table).groupby("quantity", sort=False):
        values = {
            key: dict(zip(rows["specification"], rows["shifted_mean"], strict=True))
            for key, rows in quantity_rows.groupby(NUMBER_KEY)
        }
        default_rows = quantity_rows[quantity_rows["specification"] == DEFAULT].set_index(NUMBER_KEY)
        # Without a published value, the deviation from the default.
        reference = (
            default_rows["published"]
            if default_rows["published"].notna().any()
            else default_rows["shifted_mean"]
        )
        # a published 0 has no ratio
        reference = reference[reference.notna() & ((reference != 0) | (quantity not in RATIO_QUANTITIES))]
        if reference.empty:
            continue
        # quartiles over the numbers, specification by specification
        for specification in dict.fromkeys(quantity_rows["specification"]):
            ours = np.array([_look_up_nearest(values[number], specification) for number in reference.index])
            deviations = (
                ours / reference.to_numpy() if quantity in RATIO_QUANTITIES else ours - reference.to_numpy()
            )
            curve_rows.append(
                (quantity, specification, *np.quantile(deviations, (0.25, 0.5, 0.75)), len(deviations))
            )
    curves = pd.DataFrame(curve_rows, columns=list(CURVE_COLUMNS))
    order = {quantity: place for place, quantity in enumerate(dict.fromkeys(curves["quantity"]))}
    curves = curves.assign(place=curves["quantity"].map(order))
    curves = curves.sort_values(["place", "median", "specification"])
    return curves.drop(columns="place").reset_index(drop=True)


def _look_up_nearest(values: Mapping[str, float], specification: str) -> float:
    """Return the value in the specification, or in the one that shares most of its options."""
    options = [f"{choice}={option}" for choice, option in changed_options(specification).items()]
    # the largest subset of the changes first: an option that was not run with others stands for itself
    for n_kept in range(len(options), 0, -1):
        for subset in combinations(options, n_kept):
            if "; ".join(subset) in values:
                return values["; ".join(subset)]
    return values[DEFAULT]


@use_style
def draw_specification_curves(table: pd.DataFrame) -> Figure:
    """Draw a specification curve a quantity, with the options of each specification below it.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no number has a second specification.
    """
    curves = compute_curves(table)
    if curves.empty:
        return placeholder_figure(NO_MULTIVERSE_TEXT)
    quantities = list(dict.fromkeys(curves["quantity"]))
    # only options that occur: one that was not run has no row
    options = _list_options(list(dict.fromkeys(select_plot_data(table)["specification"])))
    options_height = OPTION_ROW_IN * len(options)
    height = CURVE_HEIGHT_IN + options_height + 0.75
    has_published = bool(table["published"].notna().any())
    # above the curve, below it a row for each option of each choice
    figure, axes = make_panels(height, 2, len(quantities), height_ratios=(CURVE_HEIGHT_IN, options_height))
    for (curve_ax, option_ax), quantity in zip(axes.T, quantities, strict=True):
        quantity_curves = curves[curves["quantity"] == quantity]
        _draw_curve(curve_ax, quantity_curves, quantity, has_published)
        _draw_options(option_ax, quantity_curves["specification"], options)
        option_ax.set_xlim(curve_ax.get_xlim())
    for option_ax in axes[1, 1:]:
        option_ax.tick_params(labelleft=False)
    for curve_ax in axes[0]:
        curve_ax.yaxis.set_major_locator(MaxNLocator(5))
    figure.subplots_adjust(
        left=0.22, right=0.99, top=1 - 0.25 / height, bottom=0.35 / height, hspace=0.12, wspace=0.42
    )
    return figure


def _list_options(specifications: list[str]) -> list[tuple[str, str]]:
    """List the pairs of a choice and an option that occur, the default of a choice first."""
    options = dict.fromkeys(
        pair for specification in specifications for pair in changed_options(specification).items()
    )
    return [
        pair
        for choice in dict.fromkeys(name for name, _ in options)
        for pair in ((choice, DEFAULT), *(pair for pair in options if pair[0] == choice))
    ]


def _draw_curve(ax: Axes, curves: pd.DataFrame, quantity: str, has_published: bool) -> None:
    """Draw the medians as steps, the quartiles as a band, print as a line, the default as a marker."""
    x = np.arange(len(curves))
    ax.axhline(1.0 if quantity in RATIO_QUANTITIES else 0.0, color="black", linestyle=":", linewidth=1.0)
    ax.fill_between(x, curves["low"], curves["high"], step="mid", color=GREY, alpha=0.2, linewidth=0)
    ax.plot(x, curves["median"], drawstyle="steps-mid", color=GREY, linewidth=LINE_WIDTH)
    default = (curves["specification"] == DEFAULT).to_numpy()
    ax.plot(x[default], curves["median"][default], "D", color="black", clip_on=False)
    reference = "published" if has_published else "default"
    label = f"ours / {reference}" if quantity in RATIO_QUANTITIES else f"ours − {reference}"
    ax.set_title(f"{QUANTITY_LABELS[quantity]}: {label}", fontsize=SMALL_TEXT_SIZE, loc="left")
    ax.set_xlim(-0.5, len(curves) - 0.5)
    ax.tick_params(labelbottom=False, bottom=False)
    draw_grid(ax, "y")


def _draw_options(ax: Axes, specifications: pd.Series, options: list[tuple[str, str]]) -> None:
    """Draw a row an option: a stroke where a specification has it."""
    # runs of neighbouring specifications with an option, drawn as one stroke each
    specifications = [changed_options(specification) for specification in specifications]
    for row, (name, option) in enumerate(options):
        has_option = np.array([changes.get(name, DEFAULT) == option for changes in specifications])
        edges = np.flatnonzero(np.diff(np.concatenate([[False], has_option, [False]]).astype(int)))
        strokes = [(first - 0.45, last - 0.55) for first, last in zip(edges[::2], edges[1::2], strict=True)]
        x = np.array([value for stroke in strokes for value in (*stroke, np.nan)])
        colour = "black" if option == DEFAULT else GREY
        ax.plot(x, np.full(len(x), row), color=colour, linewidth=3.5, solid_capstyle="butt")
    # a thin line between the options of different choices
    for row, (upper, lower) in enumerate(pairwise(options)):
        if upper[0] != lower[0]:
            ax.axhline(row + 0.5, color="#bbbbbb", linewidth=0.5)
    ax.set_yticks(
        range(len(options)),
        [f"{name.replace('_', ' ')}: {option}" for name, option in options],
        fontsize=SMALL_TEXT_SIZE,
    )
    ax.set_ylim(len(options) - 0.5, -0.5)
    ax.set_xlabel(f"{len(specifications)} specifications")
    ax.tick_params(labelbottom=False, bottom=False, left=False)


def describe_specification_curves(table: pd.DataFrame) -> str:
    """Describe the specification curves in words.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    str
    """
    curves = compute_curves(table)
    if curves.empty:
        return NO_MULTIVERSE_TEXT
    sentences = [
        f"{QUANTITY_LABELS[quantity]}: {len(rows)} specifications of {rows['numbers'].iloc[0]} numbers, "
        f"medians from {rows['median'].iloc[0]:.3g} to {rows['median'].iloc[-1]:.3g}, by default "
        f"{rows.loc[rows['specification'] == DEFAULT, 'median'].iloc[0]:.3g}"
        for quantity, rows in curves.groupby("quantity", sort=False)
    ]
    return f"{'; '.join(sentences)}. The same numbers are in multiverse.csv."


def state_specification_curves(table: pd.DataFrame) -> str:
    """State how many specifications lie nearer to the published values than the declared default.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    str
        The range of the medians where nothing is published.
    """
    curves = compute_curves(table)
    if curves.empty:
        return NO_MULTIVERSE_TEXT
    counts, ranges = [], []
    for quantity, rows in curves.groupby("quantity", sort=False):
        name, is_ratio = QUANTITY_LABELS[quantity], quantity in RATIO_QUANTITIES
        # distance of the median from "as published": ratio 1 or difference 0
        distance = (rows["median"] - (1.0 if is_ratio else 0.0)).abs()
        default_distance = distance[rows["specification"] == DEFAULT].iloc[0]
        # rounding: sums in another order must not decide between equal medians
        is_nearer = distance.round(12) < round(default_distance, 12)
        counts.append((name, int(is_nearer.sum()), len(rows)))
        sign = "×" if is_ratio else ""
        ranges.append(f"{name} {sign}{format_range(*rows['median'].iloc[[0, -1]])}")
    if table["published"].notna().any():
        start, totals = "Nearer to the published values than the default", {total for *_, total in counts}
        if len(totals) == 1:
            numbers = ", ".join(f"{name} {count}" for name, count, _ in counts)
            return f"{start}, of {count_noun(totals.pop(), 'specification')}: {numbers}."
        numbers = ", ".join(f"{name} {count} of {total}" for name, count, total in counts)
        return f"{start}: {numbers} specifications."
    return f"Median change from the default over the specifications: {', '.join(ranges)}."
