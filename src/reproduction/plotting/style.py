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

WIDTH = 7.0
"""Inches: the text width of a page."""

TEXT_SIZE = 7.5
SMALL = 7.0
"""Points, at the printed size: of text, and of the smallest text that a figure may have."""

LINE_WIDTH = 1.1
MARKER_SIZE = 3.6

GRID = "#d0d0d0"
GREY = "#444444"
"""Colour of lines and markers that belong to no method."""

BAND = 0.15
"""Opacity of the bands about a line."""

BLOCK_MARKERS = ("o", "s", "^", "v")
"""One a block of features."""

RC = {
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
styled = mpl.rc_context(RC)
"""Decorates a function that makes a figure."""

METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
"""No date and no version in a file: the same numbers give the same bytes."""

FAMILY = "'DejaVu Sans', Verdana, sans-serif"
"""Of the text in an SVG: Verdana is as wide, where DejaVu is not installed."""

APART = 9.0
"""Points between the middles of two texts, one above the other."""

BESIDE = 20.0
"""Points from which on two ends of lines are not near each other."""


NAMES = "d"
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
            with mpl.rc_context(RC):
                figure.savefig(unfinished, format=kind, metadata=METADATA[kind])
            if kind == "svg":
                svg = smaller_svg(unfinished.read_text(encoding="utf-8"))
                unfinished.write_text(svg, encoding="utf-8", newline="\n")


def smaller_svg(svg: str) -> str:
    """Write an SVG file of Matplotlib with fewer characters and the same picture.

    `svg`: a whole file whose text is text (``svg.fonttype: none``). Returns: coordinates have two decimals
    (hundredths of a point); metadata, comments, line breaks and the ids that nothing refers to are gone; what
    every element repeats stands once, on the root.
    """
    svg = re.sub(
        r"<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", svg, flags=re.S
    )
    svg = re.sub(r"<defs>\s*</defs>|<defs/>", "", svg)
    svg = re.sub(r'\bd="([^"]*)"', lambda found: f'd="{_path(found[1])}"', svg)
    svg = re.sub(r'\b(x|y)="([^"]*)"', lambda found: f'{found[1]}="{_rounded(found[2])}"', svg)
    svg = re.sub(r"translate\([^)]*\)", lambda found: _rounded(found[0]), svg)
    svg = re.sub(r'style="([^"]*)"', lambda found: f'style="{_declarations(found[1])}"', svg)
    svg = re.sub(r">\s+<", ">\n<", svg)
    svg = _styles_of_markers(svg)
    named = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    names = {name: f"{NAMES}{i}" for i, name in enumerate(named)} | {PLACEHOLDER_TEXT_ID: PLACEHOLDER_TEXT_ID}
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{names[found[1]]}"' if found[1] in names else "", svg)
    svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + names[found[2]], svg)
    changed = 1
    while changed:  # groups that say nothing
        svg, changed = re.subn(r"<g>\n((?:<(?:use|path)\b[^>]*/>\n)*)</g>\n", r"\1", svg)
    root = f'<svg font-family="{FAMILY}" stroke-linejoin="round" '
    return svg.replace(' style=""', "").replace("<svg ", root, 1)


def _styles_of_markers(svg: str) -> str:
    """Put the style of a marker or tick into its definition if all its uses have the same."""
    uses: dict[str, set[str]] = {}
    for name, style in re.findall(r'<use xlink:href="#([^"]*)"[^>]*? style="([^"]*)"/>', svg):
        uses.setdefault(name, set()).add(style)
    for name, styles in uses.items():
        if len(styles) > 1:
            continue
        (style,) = styles
        mark = re.escape(name)
        # all uses repeat the style of a definition; the definition of a band has none
        svg = re.sub(
            rf'<path id="{mark}" (d="[^"]*")(?: style="[^"]*")?/>',
            rf'<path id="{name}" \1 style="{style}"/>',
            svg,
        )
        svg = re.sub(rf'(<use xlink:href="#{mark}"[^>]*?) style="[^"]*"/>', r"\1/>", svg)
    return svg


def _rounded(text: str) -> str:
    """Round the numbers of a text to two decimals."""
    return re.sub(r"-?\d+\.\d{3,}(?:e-?\d+)?", lambda found: f"{round(float(found[0]), 2) + 0.0:g}", text)


def _path(data: str) -> str:
    """Round a path, and write the letter of a command once for all lines that follow each other."""
    data = re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(data).strip())
    return re.sub(r"(?<=L)([^A-Za-z]*)((?:L[^A-Za-z]*)+)", lambda found: found[0].replace("L", " "), data)


def _declarations(style: str) -> str:
    """Drop the spaces of a style, and what the root says."""
    style = style.replace("'DejaVu Sans'", FAMILY).replace(f"font-family: {FAMILY}", "")
    parts = [re.sub(r"\s*:\s*", ":", part.strip()) for part in style.split(";")]
    return ";".join(part for part in parts if part and part != "stroke-linejoin:round")


def grid(axis: Axes, which: str = "both") -> None:
    """Draw the grid behind the data, along one axis or both."""
    axis.grid(axis=which, which="major", color=GRID, linewidth=0.4)
    axis.set_axisbelow(True)


def subplots(height: float, rows: int = 1, columns: int = 1, **shared) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as the text, with a grid of panels.

    `height`: in inches. `shared`: as in `Figure.subplots`. Returns: the figure, and the panels row by row.
    """
    figure = Figure(figsize=(WIDTH, height))
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def frame(axis: Axes, log: str = "", **words) -> None:
    """Label a panel that is drawn already, and put a grid behind its data.

    `log`: the axes that get a `log_scale`: "x", "y" or "xy". `words`: ``xlabel``, ``ylabel`` and whatever
    else `Axes.set` takes.
    """
    for name in log:
        log_scale(getattr(axis, f"{name}axis"))
    axis.set(**words)
    grid(axis)


def with_band(axis: Axes, x, y, low, high, style: Style, **look) -> None:
    """Draw the line of a method, and a band from `low` to `high` about it."""
    axis.plot(x, y, color=style.colour, marker=style.marker, **look)
    axis.fill_between(x, low, high, color=style.colour, alpha=BAND, linewidth=0)


def log_scale(axis: Axis, low: float | None = None, high: float | None = None) -> None:
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
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if is_plain else power_text(value)))
    axis.set_minor_formatter(NullFormatter())


def power_text(value: float) -> str:
    """Write a tick of a logarithmic axis: 10⁻³, 10⁴, 2·10⁴."""
    digits, exponent = f"{value:.0e}".split("e")
    power = "10" + f"{int(exponent)}".translate(SUPERSCRIPT)
    return power if digits == "1" else f"{digits}·{power}"


def in_log_steps(x: Iterable[float], steps: int = 290) -> np.ndarray:
    """Select points that are visibly apart on a logarithmic axis: at most one in each of `steps` steps.

    `x`: positive, increasing. `steps`: of equal width on the axis; the default are half points on a panel of
    two inches. Returns: the first point of each step, and the last point of all.
    """
    position = np.log(np.asarray(list(x), dtype=float))
    span = np.ptp(position) if position.size else 0.0
    if span == 0.0:
        return np.ones(position.size, dtype=bool)
    step = np.floor((position - position[0]) / span * steps)
    kept = np.diff(step, prepend=-1.0) > 0
    kept[-1] = True
    return kept


def marked(x: Iterable[float], i: int, of: int, count: int = 7, is_log: bool = True) -> list[int]:
    """Select the points at which a line bears the marker of its method.

    `x`: increasing. `i`, `of`: the line is the `i`-th of so many: its markers are staggered against the
    others, so that lines which lie on each other can be told apart. `count`: of markers, at equal distances.
    `is_log`: of the axis.
    """
    position = np.asarray(list(x), dtype=float)
    if position.size == 0:
        return []
    position = np.log(position) if is_log else position
    wanted = position[0] + np.ptp(position) * (np.arange(count) + (i + 0.5) / of) / count
    return sorted({min(int(k), position.size - 1) for k in np.searchsorted(position, wanted)})


def open_where(is_open, axis: Axes, x, y, marker: str, colour: str, **look) -> None:
    """Draw a marker a point, open where a condition holds."""
    for here, face in ((~is_open, colour), (is_open, "white")):
        axis.plot(x[here], y[here], marker, color=colour, markerfacecolor=face, **look)


def method_handles(styles: Mapping[str, Style], has_line: bool = True) -> list[Line2D]:
    """Make the handles of the legend that names methods: colour, marker and, if the figure has any, line."""
    return [
        Line2D([], [], color=style.colour, marker=style.marker, linestyle="-" if has_line else "none",
               markerfacecolor=style.colour if style.is_filled else "white", label=style.label)
        for style in styles.values()
    ]  # fmt: skip


def legend_above(figure: Figure, handles: list[Line2D], in_a_row: int, **where) -> Legend:
    """Put a legend above the panels."""
    look = {"loc": "upper center", "borderpad": 0.2, "handlelength": 1.8, "columnspacing": 1.4}
    look |= {"handletextpad": 0.5} | where
    return figure.legend(handles=handles, ncols=min(len(handles), in_a_row), **look)


def colours_and_shapes(
    figure: Figure,
    styles: Mapping[str, Style],
    shapes: Mapping[str, Mapping],
    in_a_row: int,
    below: float,
    **look,
) -> None:
    """Put two legends above the panels: colours are methods; grey shapes stand in one row below.

    `shapes`: label -> look of the marker. `in_a_row`: methods. `below`: inches from the upper edge to the
    shapes. `look`: as in `legend_above`; ``x`` is the middle, as a share of the width.
    """
    colours = [Line2D([], [], color=one.colour, linewidth=3, label=one.label) for one in styles.values()]
    grey = {"color": GREY, "linestyle": "none", "markersize": 4}
    handles = [Line2D([], [], label=label, **(grey | shape)) for label, shape in shapes.items()]
    x, look = look.pop("x", 0.5), {"borderpad": 0, "handlelength": 1.4} | look
    for of, columns, inches in ((colours, in_a_row, 0.03), (handles, len(handles), below)):
        legend_above(figure, of, columns, bbox_to_anchor=(x, 1 - inches / figure.get_figheight()), **look)


def draw(record: Record, tables: Sequence[pd.DataFrame]) -> Figure:
    """Draw a figure from its tables, or say why they have no numbers."""
    if tables and (why := missing_reason(tables[0])):
        return words_only(f"not obtained: {why}")
    return import_object(record.draw)(*tables, **record.options)


@styled
def words_only(text: str) -> Figure:
    """Make a figure that holds only a sentence."""
    figure = Figure(figsize=(WIDTH, 0.6))
    figure.text(0.5, 0.5, text, ha="center", va="center", style="italic", wrap=True, gid=PLACEHOLDER_TEXT_ID)
    return figure


def end_labels(axis: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Write a text beside the end (x, y, text, colour) of each line, none on another or off the page.

    The limits of the axis and its place in the figure are final.
    """
    points = 72.0 / axis.figure.dpi
    height = axis.get_window_extent().height * points
    ends = sorted(ends, key=lambda end: end[1])
    at = (axis.transData.transform([end[:2] for end in ends]) - axis.get_window_extent().min) * points
    places = list(at[:, 1])
    near = [[j for j in range(i) if abs(at[j, 0] - at[i, 0]) < BESIDE] for i in range(len(ends))]
    for i, below in enumerate(near):
        places[i] = max([places[i], *(places[j] + APART for j in below)])
    for i in reversed(range(len(ends))):
        above = [places[j] - APART for j in range(i + 1, len(ends)) if i in near[j]]
        places[i] = min([places[i], height, *above])
    for (x, y, text, colour), place, own in zip(ends, places, at[:, 1], strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        where = {"xytext": (6, place - own), "textcoords": "offset points", "va": "center"}
        axis.annotate(text, (x, y), **where, size=SMALL, color=colour, bbox=box)
