"""Room for the names beside a panel, and names of the points that lie farthest from its diagonal."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from reproduction.comparison.verdicts import DIFFERS, EXPLAINED_VALUE
from reproduction.plotting.style import SMALL_TEXT_SIZE

NAME_MARGIN = 0.035
"""Share of a figure's width left for ticks and for a viewer whose letters are wider than ours."""

LINE_SAMPLES = 80
"""Points at which a line is sampled."""

MAX_OUTLIERS = 3
"""Points of a panel, at most, that carry the name of their data set."""

NO_LINE_DISTANCE_PT = 5
"""Distance in points up to which a name needs no line to its marker."""

_OFFSETS_PT = tuple(
    (dx * step, dy * step, ha, va)
    for step in (1, 2.5, 4.5)
    for dx, dy, ha, va in (
        (5, 0, "left", "center"),
        (-5, 0, "right", "center"),
        (0, 5, "center", "bottom"),
        (0, -5, "center", "top"),
        (4, 4, "left", "bottom"),
        (4, -4, "left", "top"),
        (-4, 4, "right", "bottom"),
        (-4, -4, "right", "top"),
    )
)
"""Where a name may stand beside its point, in points; the first that is free."""


def measure_left_margin(ax: Axes, least: float) -> float:
    """Measure the margin that the names along the vertical axis need.

    Parameters
    ----------
    ax : Axes
        Axes whose ticks are set, the leftmost ones of their figure.
    least : float
        Margin for short names.

    Returns
    -------
    float
        Share of the figure's width.
    """
    widths = [label.get_window_extent().width for label in ax.get_yticklabels()]
    return max(least, max(widths) / ax.figure.bbox.width + NAME_MARGIN)


def name_outliers(ax: Axes, points: pd.DataFrame) -> None:
    """Name the data sets farthest from the diagonal, where a name covers no point and no other name.

    Parameters
    ----------
    ax : Axes
        Axes with its limits, the same across and up, set.
    points : pd.DataFrame
        Rows of `figures.plot_data`, of which those that differ can be named, each data set once.
    """
    # pixels: distances and overlaps are those that a reader sees, whatever the scale of the axes
    positions = ax.transData.transform(points[["published", "ours_mean"]].to_numpy(float))
    drawn_positions = positions[np.isfinite(positions).all(axis=1)]
    lines = _sample_lines(ax, points)
    corner = (ax.bbox.x0, ax.bbox.y0)
    differs = points["verdict"].isin((EXPLAINED_VALUE, DIFFERS)).to_numpy()
    # the diagonal rises at 45 degrees, so that the vertical distance orders the points as the true one does
    distance = np.abs((positions[:, 1] - corner[1]) - (positions[:, 0] - corner[0]))
    outliers = points.assign(distance=distance)[np.isfinite(distance) & differs]
    outliers = outliers.sort_values("distance", ascending=False, kind="stable").drop_duplicates("dataset")
    placed_boxes: list = []
    for row in outliers.head(MAX_OUTLIERS).to_dict("records"):
        # first without a line below the name, then without a point
        # eight places at three distances, the nearest first
        for avoided, place in (
            (avoided, place) for avoided in (lines, drawn_positions) for place in _OFFSETS_PT
        ):
            text = _annotate(ax, row, *place)
            box = _text_box(text)
            is_inside = all(ax.bbox.padded(3).contains(*xy) for xy in (box.min, box.max))
            is_free = not box.count_contains(avoided) and not any(
                box.overlaps(placed) for placed in placed_boxes
            )
            if is_inside and is_free and not box.count_contains(drawn_positions):
                placed_boxes.append(box)
                break
            # no free place: the point stays without a name
            text.remove()


def _sample_lines(ax: Axes, points: pd.DataFrame) -> np.ndarray:
    """Sample the diagonal and the bars of a panel, in its pixels."""
    steps = np.linspace(0, 1, LINE_SAMPLES)[:, None]
    (left, bottom), (right, top) = ax.bbox.min, ax.bbox.max
    samples = [np.column_stack([left + steps * (right - left), bottom + steps * (top - bottom)])]
    for row in points.dropna(subset=["low", "high"]).to_dict("records"):
        ends = ax.transData.transform(
            [(row["published"], row["published"] - row[end]) for end in ("high", "low")]
        )
        samples.append(ends[0] + steps * (ends[1] - ends[0]))
    sampled = np.concatenate(samples)
    return sampled[np.isfinite(sampled).all(axis=1)]


def _annotate(ax: Axes, row: dict, dx: float, dy: float, ha: str, va: str) -> Annotation:
    """Write the name of a data set beside its point, with a line to it where it stands farther off."""
    line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
    return ax.annotate(
        row["dataset"],
        (row["published"], row["ours_mean"]),
        (dx, dy),
        textcoords="offset points",
        ha=ha,
        va=va,
        size=SMALL_TEXT_SIZE,
        color="#222222",
        path_effects=[withStroke(linewidth=1.4, foreground="white")],  # bars may pass below
        arrowprops=line if max(abs(dx), abs(dy)) > NO_LINE_DISTANCE_PT else None,
        zorder=5,
    )


def _text_box(text: Annotation) -> Bbox:
    """Measure a name, with room for the points around it."""
    text.get_window_extent()  # places it; the extent of the annotation would include its line
    return Text.get_window_extent(text).padded(2.4 * text.figure.dpi / 72)
