"""The style of all figures: sizes, axes, legends, and files that are small and the same each time."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from reproduction.core.atomic_io import atomic_write
from reproduction.core.results import missing_reason
from reproduction.specs.labels import Style
from reproduction.specs.paper import PLACEHOLDER_TEXT_ID, import_object
from reproduction.specs.paper import Figure as Record

WIDTH_IN = 7.0
"""Inches: the text width of a page."""

TEXT_SIZE = 7.5
SMALL_TEXT_SIZE = 7.0
"""Points, at the published size: of text, and of the smallest text that a figure may have."""

LINE_WIDTH = 1.1
MARKER_SIZE = 3.6

GRID_COLOUR = "#d0d0d0"
GREY = "#444444"
"""Colour of lines and markers that belong to no method."""

BAND_ALPHA = 0.15
"""Opacity of the bands about a line."""

SCALING_MARKERS = ("o", "s", "^", "v")
"""One a feature scaling."""

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

FONT_FAMILY = "'DejaVu Sans', Verdana, sans-serif"
"""Of the text in an SVG: Verdana is as wide, where DejaVu is not installed."""

TEXT_GAP_PT = 9.0
"""Points between the middles of two texts, one above the other."""

NEAR_ENDS_PT = 20.0
"""Points between two ends of lines below which their labels may overlap."""


ID_PREFIX = "d"
"""Beginning of the ids in an SVG."""

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def save_figure(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write a figure to svg, pdf and png files, by their suffixes, without dates.

    Raises `ValueError`: if a path has another suffix.
    """
    for path in map(Path, paths):
        kind = path.suffix.removeprefix(".")
        if kind not in METADATA:
            raise ValueError(f"{path.name}: a figure is written as svg, pdf or png.")
        with atomic_write(path) as unfinished:
            with mpl.rc_context(RC_PARAMS):
                figure.savefig(unfinished, format=kind, metadata=METADATA[kind])
            if kind == "svg":
                svg = minify_svg(unfinished.read_text(encoding="utf-8"))
                unfinished.write_text(svg, encoding="utf-8", newline="\n")


def minify_svg(svg: str) -> str:
    """Write an SVG file of Matplotlib with fewer characters and the same picture.

    `svg`: a whole file with text as text (``svg.fonttype: none``). Returns: coordinates have two decimals
    (hundredths of a point); metadata, comments, line breaks and the ids that nothing refers to are gone; what
    every element repeats stands once, on the root.
    """
    svg = re.sub(
        r"<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", svg, flags=re.S
    )
    svg = re.sub(r"<defs>\s*</defs>|<defs/>", "", svg)
    svg = re.sub(r'\bd="([^"]*)"', lambda match: f'd="{_round_path(match[1])}"', svg)
    svg = re.sub(r'\b(x|y)="([^"]*)"', lambda match: f'{match[1]}="{_round_numbers(match[2])}"', svg)
    svg = re.sub(r"translate\([^)]*\)", lambda match: _round_numbers(match[0]), svg)
    svg = re.sub(r'style="([^"]*)"', lambda match: f'style="{_simplify_style(match[1])}"', svg)
    svg = re.sub(r">\s+<", ">\n<", svg)
    svg = _move_marker_styles(svg)
    ids = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    names = {name: f"{ID_PREFIX}{i}" for i, name in enumerate(ids)} | {
        PLACEHOLDER_TEXT_ID: PLACEHOLDER_TEXT_ID
    }
    svg = re.sub(r' id="([^"]*)"', lambda match: f' id="{names[match[1]]}"' if match[1] in names else "", svg)
    svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda match: match[1] + names[match[2]], svg)
    n_removed = 1
    while n_removed:  # remove groups without content
        svg, n_removed = re.subn(r"<g>\n((?:<(?:use|path)\b[^>]*/>\n)*)</g>\n", r"\1", svg)
    root = f'<svg font-family="{FONT_FAMILY}" stroke-linejoin="round" '
    return svg.replace(' style=""', "").replace("<svg ", root, 1)


def _move_marker_styles(svg: str) -> str:
    """Put the style of a marker or tick into its definition if all its uses have the same."""
    uses: dict[str, set[str]] = {}
    for name, style in re.findall(r'<use xlink:href="#([^"]*)"[^>]*? style="([^"]*)"/>', svg):
        uses.setdefault(name, set()).add(style)
    for name, styles in uses.items():
        if len(styles) > 1:
            continue
        (style,) = styles
        pattern = re.escape(name)
        # all uses repeat the style of a definition; the definition of a band has none
        svg = re.sub(
            rf'<path id="{pattern}" (d="[^"]*")(?: style="[^"]*")?/>',
            rf'<path id="{name}" \1 style="{style}"/>',
            svg,
        )
        svg = re.sub(rf'(<use xlink:href="#{pattern}"[^>]*?) style="[^"]*"/>', r"\1/>", svg)
    return svg


def _round_numbers(text: str) -> str:
    """Round the numbers of a text to two decimals."""
    return re.sub(r"-?\d+\.\d{3,}(?:e-?\d+)?", lambda match: f"{round(float(match[0]), 2) + 0.0:g}", text)


def _round_path(data: str) -> str:
    """Round a path, and write the letter of a command once for all lines that follow each other."""
    data = re.sub(r"\s*([A-Za-z])\s*", r"\1", _round_numbers(data).strip())
    return re.sub(r"(?<=L)([^A-Za-z]*)((?:L[^A-Za-z]*)+)", lambda match: match[0].replace("L", " "), data)


def _simplify_style(style: str) -> str:
    """Drop the spaces of a style, and what the root element sets."""
    style = style.replace("'DejaVu Sans'", FONT_FAMILY).replace(f"font-family: {FONT_FAMILY}", "")
    parts = [re.sub(r"\s*:\s*", ":", part.strip()) for part in style.split(";")]
    return ";".join(part for part in parts if part and part != "stroke-linejoin:round")


def draw_grid(ax: Axes, direction: str = "both") -> None:
    """Draw the grid behind the data, along one axis or both."""
    ax.grid(axis=direction, which="major", color=GRID_COLOUR, linewidth=0.4)
    ax.set_axisbelow(True)


def make_panels(height: float, rows: int = 1, columns: int = 1, **shared) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as the text, with a grid of panels.

    `height`: in inches. `shared`: as in `Figure.subplots`. Returns: the figure, and the panels row by row.
    """
    figure = Figure(figsize=(WIDTH_IN, height))
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def label_panel(ax: Axes, log: str = "", **labels) -> None:
    """Label a panel that is drawn already, and put a grid behind its data.

    `log`: the logarithmic axes: "x", "y" or "xy". `labels`: ``xlabel``, ``ylabel`` and whatever else
    `Axes.set` takes.
    """
    for name in log:
        set_log_scale(getattr(ax, f"{name}axis"))
    ax.set(**labels)
    draw_grid(ax)


def plot_with_band(ax: Axes, x, y, low, high, style: Style, **line_style) -> None:
    """Draw the line of a method, and a band from `low` to `high` about it."""
    ax.plot(x, y, color=style.colour, marker=style.marker, **line_style)
    ax.fill_between(x, low, high, color=style.colour, alpha=BAND_ALPHA, linewidth=0)


def set_log_scale(axis: Axis, low: float | None = None, high: float | None = None) -> None:
    """Scale an axis logarithmically, with at least two ticks that have a label.

    `axis`: of panels that are drawn already. `low`, `high`: its ends; by default as far as there are data.

    Notes
    -----
    Over two decades and more the ticks are powers of ten, over less 1, 2 and 5 times them, and over less than
    one in equal steps. The exponents are
    characters of their own, so that no text of a figure is set smaller than the rest.
    """
    name = axis.axis_name
    axis.axes.set(**{f"{name}scale": "log"})
    axis.axes.set(**{f"{name}lim": (low, high)})
    low, high = sorted(axis.get_view_interval())
    if high < 5 * low:
        axis.set_major_locator(MaxNLocator(4))
    else:
        subs = (1,) if high >= 100 * low else (1, 2, 5)
        axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=8))
    is_plain = low >= 0.9e-3 and high <= 2e4
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:g}" if is_plain else format_power(value))
    )
    axis.set_minor_formatter(NullFormatter())


def format_power(value: float) -> str:
    """Write a tick of a logarithmic axis: 10⁻³, 10⁴, 2·10⁴."""
    digits, exponent = f"{value:.0e}".split("e")
    power = "10" + f"{int(exponent)}".translate(SUPERSCRIPT)
    return power if digits == "1" else f"{digits}·{power}"


def thin_log(x: Iterable[float], steps: int = 290) -> np.ndarray:
    """Select points that are visibly apart on a logarithmic axis: at most one in each of `steps` steps.

    `x`: positive, increasing. `steps`: of equal width on the axis; the default are half points on a panel of
    two inches. Returns: the first point of each step, and the last point of all.
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

    `x`: increasing. `index`, `n_lines`: the line is the `index`-th of so many: its markers are staggered
    against the others, so that lines which lie on each other can be told apart. `count`: of markers, at equal
    distances. `is_log`: of the axis.
    """
    position = np.asarray(list(x), dtype=float)
    if position.size == 0:
        return []
    position = np.log(position) if is_log else position
    targets = position[0] + np.ptp(position) * (np.arange(count) + (index + 0.5) / n_lines) / count
    return sorted({min(int(k), position.size - 1) for k in np.searchsorted(position, targets)})


def plot_hollow(is_open, ax: Axes, x, y, marker: str, colour: str, **marker_style) -> None:
    """Draw a marker a point, open where a condition holds."""
    for is_selected, face in ((~is_open, colour), (is_open, "white")):
        ax.plot(x[is_selected], y[is_selected], marker, color=colour, markerfacecolor=face, **marker_style)


def make_method_handles(styles: Mapping[str, Style], has_line: bool = True) -> list[Line2D]:
    """Make the handles of the legend that names methods: colour, marker and, if the figure has any, line."""
    return [
        Line2D([], [], color=style.colour, marker=style.marker, linestyle="-" if has_line else "none",
               markerfacecolor=style.colour if style.is_filled else "white", label=style.label)
        for style in styles.values()
    ]  # fmt: skip


def add_legend(figure: Figure, handles: list[Line2D], n_columns: int, **placement) -> Legend:
    """Put a legend above the panels."""
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
    """Put two legends above the panels: one of colours (methods), and one row of grey shapes below it.

    `shapes`: label -> look of the marker. `n_columns`: methods. `shapes_in`: inches from the upper edge to
    the shapes. `options`: as in `add_legend`; ``x`` is the middle, as a share of the width.
    """
    colours = [
        Line2D([], [], color=style.colour, linewidth=3, label=style.label) for style in styles.values()
    ]
    marker_style = {"color": GREY, "linestyle": "none", "markersize": 4}
    handles = [Line2D([], [], label=label, **(marker_style | shape)) for label, shape in shapes.items()]
    x, options = options.pop("x", 0.5), {"borderpad": 0, "handlelength": 1.4} | options
    for group, columns, inches in ((colours, n_columns, 0.03), (handles, len(handles), shapes_in)):
        add_legend(figure, group, columns, bbox_to_anchor=(x, 1 - inches / figure.get_figheight()), **options)


def draw_figure(record: Record, tables: Sequence[pd.DataFrame]) -> Figure:
    """Return a figure drawn from its tables, or a sentence on why they have no numbers."""
    if tables and (reason := missing_reason(tables[0])):
        return placeholder_figure(f"not obtained: {reason}")
    return import_object(record.draw)(*tables, **record.options)


@use_style
def placeholder_figure(text: str) -> Figure:
    """Return a figure that holds only a sentence."""
    figure = Figure(figsize=(WIDTH_IN, 0.6))
    figure.text(0.5, 0.5, text, ha="center", va="center", style="italic", wrap=True, gid=PLACEHOLDER_TEXT_ID)
    return figure


def label_ends(ax: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Label the end (x, y, text, colour) of each line, no label on another or off the page.

    The limits of the axis and its place in the figure are final.
    """
    points = 72.0 / ax.figure.dpi
    ax_height = ax.get_window_extent().height * points
    ends = sorted(ends, key=lambda end: end[1])
    anchors = (ax.transData.transform([end[:2] for end in ends]) - ax.get_window_extent().min) * points
    heights = list(anchors[:, 1])
    neighbours = [
        [j for j in range(i) if abs(anchors[j, 0] - anchors[i, 0]) < NEAR_ENDS_PT] for i in range(len(ends))
    ]
    for i, lower in enumerate(neighbours):
        heights[i] = max([heights[i], *(heights[j] + TEXT_GAP_PT for j in lower)])
    for i in reversed(range(len(ends))):
        limits = [heights[j] - TEXT_GAP_PT for j in range(i + 1, len(ends)) if i in neighbours[j]]
        heights[i] = min([heights[i], ax_height, *limits])
    for (x, y, text, colour), height_pt, anchor in zip(ends, heights, anchors[:, 1], strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        placement = {"xytext": (6, height_pt - anchor), "textcoords": "offset points", "va": "center"}
        ax.annotate(text, (x, y), **placement, size=SMALL_TEXT_SIZE, color=colour, bbox=box)
