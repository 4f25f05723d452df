"""The style of all figures: sizes, axes, markers, and files that are small and the same each time."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from reproduction.core.atomic_io import atomic_write
from reproduction.core.results import missing_reason
from reproduction.plotting.svg import minify_svg
from reproduction.specs.labels import Style
from reproduction.specs.paper import PLACEHOLDER_TEXT_ID, import_object
from reproduction.specs.paper import Figure as Record

WIDTH_IN = 7.0
"""Inches: the text width of a page."""

TEXT_SIZE = 7.5
SMALL_TEXT_SIZE = 7.0
"""Points, at the published size: of text, and of the smallest text that a figure may have."""

#: Points, of lines and markers that set no size of their own.
LINE_WIDTH = 1.1
MARKER_SIZE = 3.6

GRID_COLOUR = "#d0d0d0"
GREY = "#444444"
"""Colour of lines and markers that belong to no method."""

BAND_ALPHA = 0.15
"""Opacity of the bands about a line."""

SCALING_MARKERS = ("o", "s", "^", "v")
"""One a feature scaling."""

#: With a fixed salt, the ids in an SVG are the same in each run; SVG and PDF keep text as text.
RC_PARAMS = {
    "font.family": "DejaVu Sans",
    "font.size": TEXT_SIZE,
    "axes.titlesize": TEXT_SIZE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "lines.linewidth": LINE_WIDTH,
    "lines.markersize": MARKER_SIZE,
    "legend.frameon": False,
    "svg.hashsalt": "toprank",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
use_style = mpl.rc_context(RC_PARAMS)
"""Decorates a function that makes a figure."""

METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
"""No date and no version in a file: the same numbers give the same bytes."""

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def save_figure(figure: Figure, paths: Iterable[str | Path], title: str = "") -> None:
    """Write a figure to svg, pdf and png files, by their suffixes, without dates.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    paths : iterable of path-like
        The files.
    title : str, optional
        Title of the files, in their metadata.

    Raises
    ------
    ValueError
        If a path has another suffix.
    """
    for path in map(Path, paths):
        kind = path.suffix.removeprefix(".")
        if kind not in METADATA:
            raise ValueError(f"{path.name}: a figure is written as svg, pdf or png.")
        metadata = METADATA[kind] | ({"Title": title} if title else {})
        with atomic_write(path) as unfinished:
            with mpl.rc_context(RC_PARAMS):
                figure.savefig(unfinished, format=kind, metadata=metadata)
            if kind == "svg":
                svg = minify_svg(unfinished.read_text(encoding="utf-8"))
                unfinished.write_text(svg, encoding="utf-8", newline="\n")


def draw_grid(ax: Axes, direction: str = "both") -> None:
    """Draw the grid behind the data, along one axis or both.

    Parameters
    ----------
    ax : Axes
        The panel.
    direction : {"both", "x", "y"}
        Axis whose ticks have grid lines.
    """
    ax.grid(axis=direction, which="major", color=GRID_COLOUR, linewidth=0.4)
    ax.set_axisbelow(True)


def make_panels(height: float, rows: int = 1, columns: int = 1, **shared) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as the text, with a grid of panels.

    Parameters
    ----------
    height : float
        Height of the figure in inches.
    rows, columns : int, default 1
        Size of the grid.
    **shared
        As in `Figure.subplots`.

    Returns
    -------
    tuple of Figure and ndarray of Axes
        The figure, and the panels, of shape (rows, columns).
    """
    figure = Figure(figsize=(WIDTH_IN, height))
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def label_panel(ax: Axes, log: str = "", **labels) -> None:
    """Label a panel that is drawn already, and put a grid behind its data.

    Parameters
    ----------
    ax : Axes
        The panel.
    log : {"", "x", "y", "xy"}
        The logarithmic axes.
    **labels
        ``xlabel``, ``ylabel`` and whatever else `Axes.set` takes.
    """
    for name in log:
        set_log_scale(getattr(ax, f"{name}axis"))
    ax.set(**labels)
    draw_grid(ax)


def plot_with_band(
    ax: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    style: Style,
    **line_style,
) -> None:
    """Draw the line of a method, and a band about it.

    Parameters
    ----------
    ax : Axes
        The panel.
    x, y : array-like of shape (n_points,)
        Points of the line.
    low, high : array-like of shape (n_points,)
        Edges of the band.
    style : Style
        Colour and marker of the method.
    **line_style
        As in `Axes.plot`.
    """
    ax.plot(x, y, color=style.colour, marker=style.marker, **line_style)
    ax.fill_between(x, low, high, color=style.colour, alpha=BAND_ALPHA, linewidth=0)


def set_log_scale(axis: Axis, low: float | None = None, high: float | None = None) -> None:
    """Scale an axis logarithmically, with at least two ticks that have a label.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        The x or y axis of panels that are drawn already.
    low, high : float, optional
        Limits of the axis; by default as far as there are data.

    Notes
    -----
    Over two decades and more the ticks are powers of ten, over less 1, 2 and 5 times them, and over less than
    a factor of five in equal steps. The exponents are characters of their own, so that no text of a figure is
    set smaller than the rest.
    """
    name = axis.axis_name
    axis.axes.set(**{f"{name}scale": "log"})
    axis.axes.set(**{f"{name}lim": (low, high)})
    low, high = sorted(axis.get_view_interval())
    # powers of ten alone would leave less than two labelled ticks below two decades
    if high < 5 * low:
        axis.set_major_locator(MaxNLocator(4))
    else:
        subs = (1,) if high >= 100 * low else (1, 2, 5)
        axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=8))
    # plain decimals stay short from 0.001 to 10000 (with some slack at both ends)
    is_plain = low >= 0.9e-3 and high <= 2e4
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:g}" if is_plain else format_power(value))
    )
    axis.set_minor_formatter(NullFormatter())


def format_power(value: float) -> str:
    """Write a tick of a logarithmic axis: 10⁻³, 10⁴, 2·10⁴.

    Parameters
    ----------
    value : float
        Value of the tick, which is rounded to one digit.

    Returns
    -------
    str
    """
    digits, exponent = f"{value:.0e}".split("e")
    power = "10" + f"{int(exponent)}".translate(SUPERSCRIPT)
    return power if digits == "1" else f"{digits}·{power}"


def thin_log(x: Iterable[float], steps: int = 290) -> np.ndarray:
    """Select points that are visibly apart on a logarithmic axis: at most one in each step.

    Parameters
    ----------
    x : iterable of float
        Positive and increasing.
    steps : int, default 290
        Number of steps of equal width on the axis; the default are half points on a panel of two inches.

    Returns
    -------
    ndarray of bool, shape (n_points,)
        True for the first point of each step, and for the last point of all.
    """
    position = np.log(np.asarray(list(x), dtype=float))
    span = np.ptp(position) if position.size else 0.0
    if span == 0.0:
        return np.ones(position.size, dtype=bool)
    step = np.floor((position - position[0]) / span * steps)
    is_first = np.diff(step, prepend=-1.0) > 0
    is_first[-1] = True
    return is_first


def select_markers(
    x: Iterable[float], index: int, n_lines: int, count: int = 7, is_log: bool = True
) -> list[int]:
    """Select the points at which a line bears the marker of its method.

    The markers of the lines are staggered, so that lines which lie on each other can be told apart.

    Parameters
    ----------
    x : iterable of float
        Increasing; positive if `is_log`.
    index, n_lines : int
        The line is the `index`-th (from 0) of so many.
    count : int, default 7
        Number of markers, at equal distances.
    is_log : bool, default True
        Whether the axis is logarithmic.

    Returns
    -------
    list of int
        Indices of the points, increasing.
    """
    position = np.asarray(list(x), dtype=float)
    if position.size == 0:
        return []
    position = np.log(position) if is_log else position
    # the middle of each of `count` equal parts, shifted by the place of the line among the lines
    targets = position[0] + np.ptp(position) * (np.arange(count) + (index + 0.5) / n_lines) / count
    return sorted({min(int(k), position.size - 1) for k in np.searchsorted(position, targets)})


def plot_hollow(
    is_open: np.ndarray, ax: Axes, x: np.ndarray, y: np.ndarray, marker: str, colour: str, **marker_style
) -> None:
    """Draw a marker a point, open where a condition holds.

    Parameters
    ----------
    is_open : ndarray of bool, shape (n_points,)
        Where the marker is open.
    ax : Axes
        The panel.
    x, y : ndarray of shape (n_points,)
        The points.
    marker, colour : str
        Marker and colour, as Matplotlib names them.
    **marker_style
        As in `Axes.plot`.
    """
    for is_selected, face in ((~is_open, colour), (is_open, "white")):
        ax.plot(x[is_selected], y[is_selected], marker, color=colour, markerfacecolor=face, **marker_style)


def draw_figure(record: Record, tables: Sequence[pd.DataFrame]) -> Figure:
    """Draw a figure from its tables, or a sentence on why they have no numbers.

    Parameters
    ----------
    record : specs.paper.Figure
        The record of the figure, which names the function that draws it.
    tables : sequence of pandas.DataFrame
        The tables that it names.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    if tables and (reason := missing_reason(tables[0])):
        return placeholder_figure(f"not obtained: {reason}")
    return import_object(record.draw)(*tables, **record.options)


@use_style
def placeholder_figure(text: str) -> Figure:
    """Make a figure that holds only a sentence.

    Parameters
    ----------
    text : str
        The sentence.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; the id of its text is `PLACEHOLDER_TEXT_ID`.
    """
    figure = Figure(figsize=(WIDTH_IN, 0.6))
    figure.text(0.5, 0.5, text, ha="center", va="center", style="italic", wrap=True, gid=PLACEHOLDER_TEXT_ID)
    return figure
