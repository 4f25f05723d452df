"""A figure for one column: its panels below one another, its legends in fewer columns, its text as large."""

from collections.abc import Sequence
from inspect import signature
from textwrap import wrap

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.artefact import Figure as Record
from reproduction.artefact import load
from reproduction.style import COLUMN, RC

IN_A_COLUMN = "_column"
"""Ends the name of the file of a figure that fits a column."""

BESIDE, BELOW, BETWEEN, ABOVE = 0.62, 0.42, 0.2, 0.08
"""Inches: left of a panel, below it for its labels, above it for its title, at the upper edge."""

RIGHT = 0.1
LETTERS = 38
"""Of a line of a title."""

ROW = 0.165
"""Inches of a row of a legend."""


def for_a_column(record: Record, tables: Sequence, made: Figure) -> Figure:
    """Draw a figure for a column, if its function takes a width; otherwise lay `made` out anew."""
    draw = load(record.draw)
    if "width" in signature(draw).parameters:
        return draw(*tables, **record.options, width=COLUMN)
    return narrow(made)


@mpl.rc_context(RC)
def narrow(figure: Figure) -> Figure:
    """Lay a figure of a page's width out for a column, in place.

    `figure`: its panels stand in a grid, or where they were put. Returns the same one. Panels that share an
    axis get their own labels again; nothing is scaled.
    """
    panels = [axis for axis in figure.axes if axis.axison and axis.get_visible()]
    if not panels:  # words only
        figure.set_size_inches(COLUMN, figure.get_figheight())
        return figure
    heights = [axis.get_position().height * figure.get_figheight() for axis in panels]
    figure.set_layout_engine("none")
    for axis in panels:
        _own_labels(axis, panels)
        axis.set_title("\n".join(wrap(axis.get_title(), LETTERS)))
    figure.set_size_inches(COLUMN, figure.get_figheight())
    titles = [(0.15 * (axis.get_title().count("\n") + 1) if axis.get_title() else 0) for axis in panels]
    bodies = [min(max(height, 1.2), 3.0) for height in heights]
    head = ABOVE + _legends(figure)
    total = head + sum(titles) + sum(bodies) + len(panels) * (BELOW + BETWEEN)
    figure.set_size_inches(COLUMN, total)
    for legend in figure.legends:
        place = 0.5, 1 - (ABOVE / 2 + legend.inches_above) / total
        legend.set_bbox_to_anchor(place, transform=figure.transFigure)
    y = total - head
    for axis, title, body in zip(panels, titles, bodies, strict=True):
        y -= title + BETWEEN + body
        axis.set_position([BESIDE / COLUMN, y / total, (COLUMN - BESIDE - RIGHT) / COLUMN, body / total])
        y -= BELOW
    _within(figure, panels)
    return figure


def _own_labels(axis: Axes, panels: list[Axes]) -> None:
    """Give a panel the labels that it shared with one beside or below it."""
    if axis.name == "polar":
        return
    for of, tick, shared in (
        ("y", "labelleft", axis.get_shared_y_axes()),
        ("x", "labelbottom", axis.get_shared_x_axes()),
    ):
        group = [other for other in panels if other is axis or shared.joined(axis, other)]
        if len(group) > 1:
            axis.tick_params(axis=of, **{tick: True})
            said = [getattr(other, f"get_{of}label")() for other in (axis, *group)]
            getattr(axis, f"set_{of}label")(next(filter(None, said), ""))


def _legends(figure: Figure) -> float:
    """Put all legends above, in as many columns as the width has room for; return the inches they take."""
    made, inside = [], [legend for axis in figure.axes if (legend := axis.get_legend())]
    for legend in [*figure.legends, *inside]:
        handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
        longest = max((len(label) for label in labels), default=1)
        columns = max(1, min(len(labels), int((COLUMN - 0.1) / (0.4 + 0.062 * longest))))
        made.append((handles, labels, columns, legend.get_title().get_text()))
    for legend in [*figure.legends, *inside]:
        legend.remove()
    used = ROW if figure.get_suptitle() else 0.0
    for handles, labels, columns, title in made:
        legend = figure.legend(
            handles,
            labels,
            ncols=columns,
            loc="upper center",
            title=title or None,
            borderpad=0.1,
            handlelength=1.6,
            columnspacing=1.0,
            handletextpad=0.5,
            labelspacing=0.3,
        )
        legend.inches_above = used
        used += ROW * (-(-len(labels) // columns) + bool(title)) + 0.06
    return used


def _within(figure: Figure, panels: list[Axes]) -> None:
    """Make the panels narrower if their labels need more room."""
    boxes = [box for axis in panels if (box := axis.get_tightbbox()) is not None]
    left = max([0.0, *(0.03 - box.x0 / figure.dpi for box in boxes)])
    right = max([0.0, *(box.x1 / figure.dpi + 0.03 - COLUMN for box in boxes)])
    for axis in panels:
        at = axis.get_position()
        axis.set_position([at.x0 + left / COLUMN, at.y0, at.width - (left + right) / COLUMN, at.height])
