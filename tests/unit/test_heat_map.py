"""Heat maps of many data sets: parts that can be read, each with the means over all of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
from figure_overlaps import find_overlaps

from reproduction.plotting.heat_map import MAX_COLUMNS, HeatMapPanel, draw_heat_maps, split_columns


def make_panel(n_datasets):
    values = np.random.default_rng(0).random((3, n_datasets))
    frame = pd.DataFrame(values, ["toppush", "l1_ranksvm", "logistic_regression"])
    frame.columns = [f"set-{i:02}" for i in range(n_datasets)]
    marks = frame.astype(str).map(lambda _: "•")
    return HeatMapPanel("Rate at the top", frame, frame == frame.max(), marks=marks)


def test_a_wide_panel_is_split_and_keeps_its_means_and_its_colours():
    panel = make_panel(2 * MAX_COLUMNS - 1)
    first, second = split_columns(panel)
    assert [*first.values, *second.values] == [*panel.values]
    assert max(first.values.shape[1], second.values.shape[1]) == MAX_COLUMNS
    for part in (first, second):
        pd.testing.assert_series_equal(part.means(), panel.means())
        assert (part.norm().vmin, part.norm().vmax) == (panel.norm().vmin, panel.norm().vmax)
        assert [*part.marks] == [*part.is_best] == [*part.values]
    assert first.title == "Rate at the top: set-00 to set-20, and the mean over all data sets"
    assert split_columns(make_panel(MAX_COLUMNS)) != [] and len(split_columns(make_panel(MAX_COLUMNS))) == 1


def test_the_widest_panel_has_no_texts_on_one_another():
    assert find_overlaps(draw_heat_maps(split_columns(make_panel(2 * MAX_COLUMNS)))) == []


def test_the_colours_of_a_wide_range_have_no_level_written_as_0():
    panel = replace(make_panel(4), logarithmic=True)
    panel.values.iloc[0, 0], panel.values.iloc[1, 1] = 0.005, 2000.0
    figure = draw_heat_maps([panel])
    figure.draw_without_rendering()
    levels = [text.get_text() for text in figure.axes[-1].get_yticklabels()]
    assert ".01" in levels and "10000" in levels and "0" not in levels
