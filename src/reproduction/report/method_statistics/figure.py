"""Critical-difference diagrams of Demšar (2006): mean ranks on a line, bars over what does not differ."""

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.artefact import WORDS_ONLY
from reproduction.labels import Style, method_label, method_styles
from reproduction.measures import LABELS
from reproduction.rank_statistics import cliques
from reproduction.report.method_statistics.ranks import why_untested
from reproduction.style import SMALL, WIDTH, styled

FEWEST = 5
"""Data sets from which on a critical difference is drawn: on fewer it is nearly the whole line."""

NARROW = 6
"""Up to so many methods two panels stand side by side."""

LINE, BAR, HEAD = 0.17, 0.07, 0.62
"""Inches: between two names, between two bars, above the line of the ranks."""

BESIDE = 0.035
"""Inches between two lines of equal mean ranks."""

INK, GREY = "#222222", "#5f5f5f"


def panels_of(ranks: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Split the table of ranks into panels.

    `ranks`: rows of `ranks.ranks_table`. Returns: features, measure, and the rows, those with a rank where
    there is a test. A block of features without a test has a panel only where no block has a test of that
    measure.
    """
    tested = set(ranks.loc[ranks["critical_difference"].notna(), "measure"])
    return [
        (features, measure, rows[rows["mean_rank"].notna()] if measure in tested else rows)
        for (features, measure), rows in ranks.groupby(["features", "measure"], sort=False)
        if measure not in tested or rows["critical_difference"].notna().any()
    ]


@styled
def rank_figure(ranks: pd.DataFrame, width: float = WIDTH) -> Figure:
    """Draw a diagram for each measure and block of features.

    `ranks`: rows of `ranks.ranks_table`. `width`: inches. A panel without a test says why.
    """
    panels, styles = panels_of(ranks), method_styles(ranks["method"])
    most = max((len(rows) for *_, rows in panels), default=0)
    columns = 2 if most <= NARROW and len(panels) > 1 and width == WIDTH else 1
    lines = math.ceil(max(len(panels), 1) / columns)
    page, width = width, width / columns
    height = max((_height(rows) for *_, rows in panels), default=0.9)
    figure = Figure(figsize=(page, height * lines), dpi=200)
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0, hspace=0)
    for axis in axes:
        axis.set_axis_off()
        axis.set_xlim(0, width)
        axis.set_ylim(height, 0)
    if not panels:
        axes[0].text(
            width / 2, height / 2, "No fit on any data set.", ha="center", va="center", gid=WORDS_ONLY
        )
    for axis, (features, measure, rows) in zip(axes, panels, strict=False):
        _title(axis, width, f"{LABELS.get(measure, measure)}, {features} features", rows)
        if is_drawn(rows):
            _diagram(axis, width, rows, styles)
        else:
            why = untested(rows)
            axis.text(width / 2, HEAD, f"No diagram: {why}.", ha="center", va="top", color=GREY)
    return figure


def is_drawn(rows: pd.DataFrame) -> bool:
    """Whether the rows of one measure have a diagram: a test, on enough data sets."""
    return bool(rows["critical_difference"].notna().any() and rows["n_datasets"].iloc[0] >= FEWEST)


def untested(rows: pd.DataFrame) -> str:
    """Say why the rows of one measure have no diagram."""
    n = rows["n_datasets"].iloc[0]
    few = f"{n:.0f} data sets are fewer than {FEWEST}"
    return why_untested(*rows.iloc[0][["n_datasets", "n_methods"]]) or few


def groups_of(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Find the groups of methods that the test does not tell apart."""
    difference = rows["critical_difference"].iloc[0]
    return [rows.iloc[list(group)] for group in cliques(rows["mean_rank"], difference)]


def describe(ranks: pd.DataFrame) -> str:
    """Put the diagrams into words: mean ranks, the critical difference, and what it tells apart."""
    said = []
    for features, measure, rows in panels_of(ranks):
        name = f"{LABELS.get(measure, measure)} ({features} features)"
        if not is_drawn(rows):
            said.append(f"{name}: {untested(rows)}.")
            continue
        first = rows.iloc[0]
        listed = ", ".join(f"{method_label(row.method)} {row.mean_rank:.2f}" for row in rows.itertuples())
        groups = ["/".join(map(method_label, group["method"])) for group in groups_of(rows)]
        alike = f"not told apart: {'; '.join(groups)}" if groups else "all pairs differ"
        said.append(
            f"{name}, mean ranks over {first['n_datasets']:.0f} data sets: {listed}; critical difference "
            f"{first['critical_difference']:.2f}; {alike}."
        )
    return "Critical-difference diagrams. " + (" ".join(said) or "No fit on any data set.")


def _height(rows: pd.DataFrame) -> float:
    """Inches of a panel."""
    if not is_drawn(rows):
        return HEAD + 0.2
    return HEAD + BAR * len(groups_of(rows)) + 0.2 + LINE * math.ceil(len(rows) / 2) + 0.1


def _title(axis: Axes, width: float, name: str, rows: pd.DataFrame) -> None:
    """Name the measure, and below it the number of data sets and the test of all methods."""
    axis.text(width / 2, 0.06, name, ha="center", va="top", weight="bold")
    if rows["critical_difference"].notna().any():
        first = rows.iloc[0]
        p_value = first["iman_davenport_p"]
        shown = "p < .001" if p_value < 1e-3 else f"p = {p_value:.2g}"
        said = f"mean ranks over {first['n_datasets']:.0f} data sets; Iman–Davenport {shown}"
        axis.text(width / 2, 0.20, said, ha="center", va="top", size=SMALL, color=GREY)


def _diagram(axis: Axes, width: float, rows: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw the line of the ranks, the critical difference, the bars, and the names on both sides."""
    longest = max(len(styles[method].label) for method in rows["method"])
    k, side = len(rows), min(0.42 + 0.055 * longest, 0.4 * width)
    left, right = side, width - side

    def at(rank: float) -> float:
        return left + (rank - 1) / (k - 1) * (right - left)

    axis.plot([left, right], [HEAD, HEAD], color=INK, linewidth=0.8)
    for rank in range(1, k + 1):
        axis.plot([at(rank)] * 2, [HEAD - 0.05, HEAD], color=INK, linewidth=0.8)
        axis.text(at(rank), HEAD - 0.07, str(rank), ha="center", va="bottom", size=SMALL)
    difference = rows["critical_difference"].iloc[0]
    _critical_difference(axis, left, right, difference / (k - 1) * (right - left), difference)
    groups = groups_of(rows)
    for i, group in enumerate(groups):
        y = HEAD + BAR * (i + 1)
        ends = at(group["mean_rank"].min()) - 0.03, at(group["mean_rank"].max()) + 0.03
        axis.plot(ends, [y, y], color=INK, linewidth=2.6, solid_capstyle="butt", zorder=3)
    below, half = HEAD + BAR * len(groups) + 0.2, math.ceil(k / 2)
    for i, row in enumerate(rows.itertuples()):
        same = (rows["mean_rank"].to_numpy() - row.mean_rank).round(2) == 0
        # Equal ranks beside one another, or one line would hide the other.
        shift = BESIDE * (same[:i].sum() - (same.sum() - 1) / 2) * (1 if i < half else -1)
        x, style = at(row.mean_rank) + shift, styles[row.method]
        on_left = i < half
        y = below + LINE * (i if on_left else k - 1 - i)
        end = left - 0.08 if on_left else right + 0.08
        axis.plot([x, x, end], [HEAD, y, y], color=style.colour, linewidth=1.0, zorder=2)
        axis.plot([x], [HEAD], "o", color=style.colour, markersize=2.8, zorder=4)
        name, rank = style.label, f"{row.mean_rank:.2f}"
        text = f"{name}  {rank}" if on_left else f"{rank}  {name}"
        away = -0.05 if on_left else 0.05
        axis.text(end + away, y, text, ha="right" if on_left else "left", va="center", size=SMALL)


def _critical_difference(axis: Axes, left: float, right: float, length: float, difference: float) -> None:
    """Draw the critical difference to the scale of the ranks; one beyond the line is only named."""
    y = HEAD - 0.22
    if length > right - left:
        said = f"critical difference {difference:.2f}: more than the whole line"
        axis.text((left + right) / 2, y, said, ha="center", va="center", size=SMALL)
        return
    axis.plot([left, left + length], [y, y], color=INK, linewidth=0.8)
    for x in (left, left + length):
        axis.plot([x, x], [y - 0.03, y + 0.03], color=INK, linewidth=0.8)
    axis.text(left + length + 0.05, y, f"CD {difference:.2f}", ha="left", va="center", size=SMALL)
