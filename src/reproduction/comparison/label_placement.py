"""Names of the points of a panel that lie farthest from its diagonal."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from reproduction.comparison.verdicts import DIFFERS, RECOVERED
from reproduction.plotting.style import SMALL_TEXT_SIZE

STEPS = 80
"""Points at which a line is sampled."""

OUTLIERS = 3
"""Points of a panel, at most, that carry the name of their data set."""

NEAR = 5
"""Distance in points up to which a name needs no line to its marker."""

_PLACES = tuple(
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


def name_outliers(axis: Axes, points: pd.DataFrame) -> None:
    """Name the data sets farthest from the diagonal, where a name covers no point and no other name.

    `axis`: with its limits, the same across and up, set. `points`: rows of `comparison.figure.drawn`, of
    which those that differ can be named, each data set once.
    """
    at = axis.transData.transform(points[["published", "ours_mean"]].to_numpy(float))
    drawn_at = at[np.isfinite(at).all(axis=1)]
    lines = _lines(axis, points)
    corner = (axis.bbox.x0, axis.bbox.y0)
    differs = points["verdict"].isin((RECOVERED, DIFFERS)).to_numpy()
    distance = np.abs((at[:, 1] - corner[1]) - (at[:, 0] - corner[0]))
    far = points.assign(distance=distance)[np.isfinite(distance) & differs]
    far = far.sort_values("distance", ascending=False, kind="stable").drop_duplicates("dataset")
    taken: list = []
    for row in far.head(OUTLIERS).to_dict("records"):
        # first without a line below the name, then without a point
        for avoided, place in ((avoided, place) for avoided in (lines, drawn_at) for place in _PLACES):
            text = _write(axis, row, *place)
            box = _box(text)
            inside = all(axis.bbox.padded(3).contains(*xy) for xy in (box.min, box.max))
            is_free = not box.count_contains(avoided) and not any(box.overlaps(other) for other in taken)
            if inside and is_free and not box.count_contains(drawn_at):
                taken.append(box)
                break
            text.remove()


def _lines(axis: Axes, points: pd.DataFrame) -> np.ndarray:
    """Sample the diagonal and the bars of a panel, in its pixels."""
    steps = np.linspace(0, 1, STEPS)[:, None]
    (left, bottom), (right, top) = axis.bbox.min, axis.bbox.max
    found = [np.column_stack([left + steps * (right - left), bottom + steps * (top - bottom)])]
    for row in points.dropna(subset=["low", "high"]).to_dict("records"):
        ends = axis.transData.transform(
            [(row["published"], row["published"] - row[end]) for end in ("high", "low")]
        )
        found.append(ends[0] + steps * (ends[1] - ends[0]))
    sampled = np.concatenate(found)
    return sampled[np.isfinite(sampled).all(axis=1)]


def _write(axis: Axes, row: dict, dx: float, dy: float, ha: str, va: str) -> Annotation:
    """Write the name of a data set beside its point, with a line to it where it stands farther off."""
    line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
    return axis.annotate(
        row["dataset"],
        (row["published"], row["ours_mean"]),
        (dx, dy),
        textcoords="offset points",
        ha=ha,
        va=va,
        size=SMALL_TEXT_SIZE,
        color="#222222",
        path_effects=[withStroke(linewidth=1.4, foreground="white")],  # bars may pass below
        arrowprops=line if max(abs(dx), abs(dy)) > NEAR else None,
        zorder=5,
    )


def _box(text: Annotation) -> Bbox:
    """Measure a name, with room for the points around it."""
    text.get_window_extent()  # places it; the extent of the annotation would include its line
    return Text.get_window_extent(text).padded(2.4 * text.figure.dpi / 72)
