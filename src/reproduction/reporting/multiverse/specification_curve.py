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

from reproduction.plotting.style import (
    GREY,
    LINE_WIDTH,
    SMALL_TEXT_SIZE,
    draw_grid,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.reporting.multiverse.figures import NAMES, NOTHING, drawn
from reproduction.specs.multiverse import DEFAULT, changed_options

COUNTS = ("pos_at_top", "variables")
"""Quantities of which the ratio to print is drawn; of the others it is the difference."""

LEVEL, CURVE = 0.125, 1.5
"""Inches: height of the row of an option, and of a curve."""

KEY = ["dataset", "method"]
COLUMNS = ("quantity", "specification", "low", "median", "high", "numbers")


def curve(table: pd.DataFrame) -> pd.DataFrame:
    """Say for every specification how far the numbers of a quantity lie from the published ones.

    A number that has no fits in a specification stands with its value in the specification that shares most
    of its options: the numbers are the same ones in all specifications.

    `table`: rows of `multiverse.multiverse`. Returns: the columns of `COLUMNS`: quartiles and median over the
    numbers, of ours minus the published value, or of the ratio for `COUNTS`; the least median first. Without
    published values the default's stand for them.
    """
    found = []
    for quantity, of_quantity in drawn(table).groupby("quantity", sort=False):
        values = {
            key: dict(zip(rows["specification"], rows["moved"], strict=True))
            for key, rows in of_quantity.groupby(KEY)
        }
        numbers = of_quantity[of_quantity["specification"] == DEFAULT].set_index(KEY)
        beside = numbers["published"] if numbers["published"].notna().any() else numbers["moved"]
        beside = beside[beside.notna() & ((beside != 0) | (quantity not in COUNTS))]
        if beside.empty:
            continue
        for specification in dict.fromkeys(of_quantity["specification"]):
            ours = np.array([_nearest(values[number], specification) for number in beside.index])
            apart = ours / beside.to_numpy() if quantity in COUNTS else ours - beside.to_numpy()
            found.append((quantity, specification, *np.quantile(apart, (0.25, 0.5, 0.75)), len(apart)))
    curves = pd.DataFrame(found, columns=list(COLUMNS))
    order = {quantity: place for place, quantity in enumerate(dict.fromkeys(curves["quantity"]))}
    curves = curves.assign(place=curves["quantity"].map(order))
    curves = curves.sort_values(["place", "median", "specification"])
    return curves.drop(columns="place").reset_index(drop=True)


def _nearest(of_number: Mapping[str, float], specification: str) -> float:
    """Return the value in the specification, or in the one that shares most of its options."""
    options = [f"{choice}={option}" for choice, option in changed_options(specification).items()]
    for kept in range(len(options), 0, -1):
        for some in combinations(options, kept):
            if "; ".join(some) in of_number:
                return of_number["; ".join(some)]
    return of_number[DEFAULT]


@use_style
def specification(table: pd.DataFrame) -> Figure:
    """Draw a curve a quantity with the choices below it.

    `table`: rows of `multiverse.multiverse`.
    """
    curves = curve(table)
    if curves.empty:
        return placeholder_figure(NOTHING)
    quantities = list(dict.fromkeys(curves["quantity"]))
    choices = _choices(list(dict.fromkeys(drawn(table)["specification"])))
    below = LEVEL * len(choices)
    height = CURVE + below + 0.75
    has_published = bool(table["published"].notna().any())
    figure, panels = make_panels(height, 2, len(quantities), height_ratios=(CURVE, below))
    for (above, chosen), quantity in zip(panels.T, quantities, strict=True):
        of_quantity = curves[curves["quantity"] == quantity]
        _draw_curve(above, of_quantity, quantity, has_published)
        _draw_choices(chosen, of_quantity["specification"], choices)
        chosen.set_xlim(above.get_xlim())
    for chosen in panels[1, 1:]:
        chosen.tick_params(labelleft=False)
    figure.subplots_adjust(
        left=0.2, right=0.99, top=1 - 0.25 / height, bottom=0.35 / height, hspace=0.12, wspace=0.3
    )
    return figure


def _choices(specifications: list[str]) -> list[tuple[str, str]]:
    """List the pairs of a choice and an option that occur, the default of a choice first."""
    met = dict.fromkeys(
        pair for specification in specifications for pair in changed_options(specification).items()
    )
    return [
        pair
        for choice in dict.fromkeys(name for name, _ in met)
        for pair in ((choice, DEFAULT), *(pair for pair in met if pair[0] == choice))
    ]


def _draw_curve(axis: Axes, curves: pd.DataFrame, quantity: str, has_published: bool) -> None:
    """Draw the medians as steps, the quartiles as a band, print as a line, the default as a marker."""
    x = np.arange(len(curves))
    axis.axhline(1.0 if quantity in COUNTS else 0.0, color="black", linestyle=":", linewidth=1.0)
    axis.fill_between(x, curves["low"], curves["high"], step="mid", color=GREY, alpha=0.2, linewidth=0)
    axis.plot(x, curves["median"], drawstyle="steps-mid", color=GREY, linewidth=LINE_WIDTH)
    default = (curves["specification"] == DEFAULT).to_numpy()
    axis.plot(x[default], curves["median"][default], "D", color="black", clip_on=False)
    other = "published" if has_published else "default"
    label = f"ours / {other}" if quantity in COUNTS else f"ours − {other}"
    axis.set_title(f"{NAMES[quantity]}: {label}", fontsize=SMALL_TEXT_SIZE, loc="left")
    axis.set_xlim(-0.5, len(curves) - 0.5)
    axis.tick_params(labelbottom=False, bottom=False)
    draw_grid(axis, "y")


def _draw_choices(axis: Axes, specifications: pd.Series, choices: list[tuple[str, str]]) -> None:
    """Draw a row an option: a stroke where a specification has it."""
    options = [changed_options(specification) for specification in specifications]
    for row, (name, option) in enumerate(choices):
        has = np.array([given.get(name, DEFAULT) == option for given in options])
        edges = np.flatnonzero(np.diff(np.concatenate([[False], has, [False]]).astype(int)))
        strokes = [(first - 0.45, last - 0.55) for first, last in zip(edges[::2], edges[1::2], strict=True)]
        x = np.array([value for stroke in strokes for value in (*stroke, np.nan)])
        colour = "black" if option == DEFAULT else GREY
        axis.plot(x, np.full(len(x), row), color=colour, linewidth=3.5, solid_capstyle="butt")
    for row, (above, below) in enumerate(pairwise(choices)):
        if above[0] != below[0]:
            axis.axhline(row + 0.5, color="#bbbbbb", linewidth=0.5)
    axis.set_yticks(
        range(len(choices)),
        [f"{name.replace('_', ' ')}: {option}" for name, option in choices],
        fontsize=SMALL_TEXT_SIZE,
    )
    axis.set_ylim(len(choices) - 0.5, -0.5)
    axis.set_xlabel(f"{len(specifications)} specifications")
    axis.tick_params(labelbottom=False, bottom=False, left=False)


def describe(table: pd.DataFrame) -> str:
    """Describe the figure in words."""
    curves = curve(table)
    if curves.empty:
        return NOTHING
    said = [
        f"{NAMES[quantity]}: {len(rows)} specifications of {rows['numbers'].iloc[0]} numbers, medians from "
        f"{rows['median'].iloc[0]:.3g} to {rows['median'].iloc[-1]:.3g}, by default "
        f"{rows.loc[rows['specification'] == DEFAULT, 'median'].iloc[0]:.3g}"
        for quantity, rows in curves.groupby("quantity", sort=False)
    ]
    return f"{'; '.join(said)}. The same numbers stand in multiverse.csv."
