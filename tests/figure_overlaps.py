"""Which texts of a figure lie on one another, on another panel, or beyond the page."""

import itertools

from matplotlib.text import Text

TOLERANCE_PX = 2.0
"""Pixels by which boxes of texts may overlap: they include the space of accents and descenders."""


def list_texts(figure):
    """What is read: visible, not empty, and of ticks those within their axis."""
    invisible = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    invisible |= {tick.label1, tick.label2}
    visible = (text for text in figure.findobj(Text) if text.get_visible() and text not in invisible)
    return [text for text in visible if text.get_text().strip()]


def find_overlaps(figure):
    """Return pairs of texts that overlap, texts on the panel of another, and texts beyond the page."""
    figure.draw_without_rendering()
    page, texts = figure.bbox, list_texts(figure)
    boxes = [(text, text.get_window_extent()) for text in texts]
    overlaps = [
        (text.get_text(), "page")
        for text, box in boxes
        if min(box.x0 - page.x0, box.y0 - page.y0, page.x1 - box.x1, page.y1 - box.y1) < -1.0
    ]
    # boxes of slanted names are much larger than the names
    upright = [(text, box) for text, box in boxes if text.get_rotation() % 90 == 0]
    overlaps += [
        (first.get_text(), second.get_text())
        for (first, box), (second, other) in itertools.combinations(upright, 2)
        if is_overlap(box, other)
    ]
    panels = [ax for ax in figure.axes if ax.axison]
    overlaps += [
        (text.get_text(), f"panel {panels.index(ax)}")
        for (text, box), ax in itertools.product(upright, panels)
        if text.axes not in (None, ax) and not text.axes.bbox.overlaps(ax.bbox) and is_overlap(box, ax.bbox)
    ]
    return overlaps


def is_overlap(box, other):
    """Whether two boxes overlap in both directions by more than the tolerance."""
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return min(width, height) >= TOLERANCE_PX
