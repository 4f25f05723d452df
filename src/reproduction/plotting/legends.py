"""Legends above the panels, and labels at the ends of lines."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from reproduction.plotting.style import GREY, SMALL_TEXT_SIZE
from reproduction.specs.labels import Style

TEXT_GAP_PT = 9.0
"""Points between the middles of two texts, one above the other."""

NEAR_ENDS_PT = 20.0
"""Points between two ends of lines below which their labels may overlap."""


def make_method_handles(styles: Mapping[str, Style], has_line: bool = True) -> list[Line2D]:
    """Make the handles of the legend that names methods.

    Parameters
    ----------
    styles : mapping of str to Style
        Method -> its style.
    has_line : bool, default True
        Whether the figure joins the markers by lines.

    Returns
    -------
    list of Line2D
        A handle a method: colour, marker and, with `has_line`, line.
    """
    return [
        Line2D([], [], color=style.colour, marker=style.marker, linestyle="-" if has_line else "none",
               markerfacecolor=style.colour if style.is_filled else "white", label=style.label)
        for style in styles.values()
    ]  # fmt: skip


def add_legend(figure: Figure, handles: list[Line2D], n_columns: int, **placement) -> Legend:
    """Put a legend above the panels.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    handles : list of Line2D
        Handles with their labels.
    n_columns : int
        Columns that the legend has at most.
    **placement
        As in `Figure.legend`.

    Returns
    -------
    matplotlib.legend.Legend
        The legend.
    """
    options = {"loc": "upper center", "borderpad": 0.2, "handlelength": 1.8, "columnspacing": 1.4}
    options |= {"handletextpad": 0.5} | placement
    return figure.legend(handles=handles, ncols=min(len(handles), n_columns), **options)


def add_two_legends(
    figure: Figure,
    styles: Mapping[str, Style],
    shapes: Mapping[str, Mapping],
    n_columns: int,
    shapes_in: float,
    **options,
) -> None:
    """Put two legends above the panels: colours (methods), and below it one row of grey shapes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    styles : mapping of str to Style
        Method -> its style.
    shapes : mapping of str to mapping
        Label -> look of the marker, as in `Line2D`.
    n_columns : int
        Columns of the legend of methods.
    shapes_in : float
        Inches from the upper edge of the figure to the shapes.
    **options
        As in `add_legend`; ``x`` is the middle, as a share of the width.
    """
    x, options = options.pop("x", 0.5), {"borderpad": 0, "handlelength": 1.4} | options
    colours, handles = _make_two_groups(styles, shapes)
    for group, columns, inches in ((colours, n_columns, 0.03), (handles, len(handles), shapes_in)):
        add_legend(figure, group, columns, bbox_to_anchor=(x, 1 - inches / figure.get_figheight()), **options)


def add_side_legends(
    figure: Figure, styles: Mapping[str, Style], shapes: Mapping[str, Mapping], x: float, **options
) -> None:
    """Put a legend in one column beside a panel: colours (methods), and below them grey shapes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    styles, shapes : mapping
        As in `add_two_legends`.
    x : float
        The left edge, as a share of the width.
    **options
        As in `add_legend`.
    """
    colours, handles = _make_two_groups(styles, shapes)
    options = {"handlelength": 1.4} | options
    add_legend(figure, [*colours, *handles], 1, loc="center left", bbox_to_anchor=(x, 0.5), **options)


def _make_two_groups(
    styles: Mapping[str, Style], shapes: Mapping[str, Mapping]
) -> tuple[list[Line2D], list[Line2D]]:
    """Return the handles of the colours of methods, and those of grey shapes."""
    colours = [
        Line2D([], [], color=style.colour, linewidth=3, label=style.label) for style in styles.values()
    ]
    marker_style = {"color": GREY, "linestyle": "none", "markersize": 4}
    return colours, [Line2D([], [], label=label, **(marker_style | shape)) for label, shape in shapes.items()]


def label_ends(ax: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Label the ends of lines, no label on another or above the panel.

    The limits of the axes and their place in the figure must be final.

    Parameters
    ----------
    ax : Axes
        The panel.
    ends : list of tuple
        x, y (in data coordinates), text and colour of the end of each line.
    """
    # pixels to points, in which heights of text are given
    points = 72.0 / ax.figure.dpi
    ax_height = ax.get_window_extent().height * points
    ends = sorted(ends, key=lambda end: end[1])
    anchors = (ax.transData.transform([end[:2] for end in ends]) - ax.get_window_extent().min) * points
    heights = list(anchors[:, 1])
    neighbours = [
        [j for j in range(i) if abs(anchors[j, 0] - anchors[i, 0]) < NEAR_ENDS_PT] for i in range(len(ends))
    ]
    # upwards: each label clears the lower ones whose ends are close in x
    for i, lower in enumerate(neighbours):
        heights[i] = max([heights[i], *(heights[j] + TEXT_GAP_PT for j in lower)])
    # downwards: labels beyond the upper edge push those below them back
    for i in reversed(range(len(ends))):
        limits = [heights[j] - TEXT_GAP_PT for j in range(i + 1, len(ends)) if i in neighbours[j]]
        heights[i] = min([heights[i], ax_height, *limits])
    for (x, y, text, colour), height_pt, anchor in zip(ends, heights, anchors[:, 1], strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        placement = {"xytext": (6, height_pt - anchor), "textcoords": "offset points", "va": "center"}
        ax.annotate(text, (x, y), **placement, size=SMALL_TEXT_SIZE, color=colour, bbox=box)
