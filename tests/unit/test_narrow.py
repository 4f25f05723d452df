"""A figure for one column: as wide as it, every text within, no smaller than before."""

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.narrow import narrow
from reproduction.style import COLUMN, RC, SMALL, WIDTH, legend_above, words_only


@pytest.fixture
def wide():
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 2.5))
        left, right = figure.subplots(1, 2, sharey=True)
        for axis in (left, right):
            axis.plot([1, 2], [3, 4], label="of a panel")
            axis.set_title("A title that is much too long for a column and therefore stands on two lines")
        left.set_ylabel("Up")
        right.annotate("beyond the right edge", (2, 4))
        other = right.twinx()
        other.plot([1, 2], [10, 20])
        right.legend()
        legend_above(figure, [Line2D([], [], label=f"method {i}") for i in range(6)], 6)
    return figure


def test_the_panels_stand_below_one_another_within_the_column(wide):
    figure = narrow(wide)
    assert figure.get_figwidth() == COLUMN
    figure.canvas.draw()
    left, right, other = figure.axes
    assert left.get_position().y0 > right.get_position().y1
    assert other.get_position().bounds == pytest.approx(right.get_position().bounds)
    for text in figure.findobj(mpl.text.Text):
        if text.get_text() and text.get_visible():
            box = text.get_window_extent()
            assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text.get_text()
            assert text.get_size() >= SMALL


def test_shared_labels_and_all_legends_are_kept(wide):
    figure = narrow(wide)
    assert figure.axes[1].get_ylabel() == "Up"
    named = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert named == [*(f"method {i}" for i in range(6)), "of a panel"]


def test_words_alone_are_narrower():
    assert narrow(words_only("not obtained")).get_figwidth() == COLUMN
