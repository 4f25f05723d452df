"""Figures 1 to 3 of L14: complete, told apart without colour, the same bytes from the same numbers."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from query_rows import DATASETS, EXTRA_METHODS, PAPER, tables_of, write_results
from studies import texts

from reproduction.core.results import MEAN_DATASET
from reproduction.papers.laporte2014 import figures
from reproduction.plotting.style import GREY


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tables_of(write_results(tmp_path_factory.mktemp("results")), all_published=True)


def select_datasets(table, *datasets):
    return table[table["dataset"].isin(datasets)]


def test_figure1_draws_the_penalties_themselves():
    (axis,) = figures.draw_figure1().axes
    lines = {line.get_label(): line for line in axis.lines}
    w = next(iter(lines.values())).get_xdata()
    expected = {
        "ℓ₁: |w|": np.abs(w),
        "log: log(1 + |w|)": np.log(1 + np.abs(w)),
        "ℓ₀.₅: |w|^0.5": np.sqrt(np.abs(w)),
        "MCP, γ = 1": np.where(np.abs(w) <= 1, np.abs(w) - w**2 / 2, 0.5),
    }
    for label, values in expected.items():
        assert lines[label].get_ydata() == pytest.approx(values)
    (dashed,) = [label for label, line in lines.items() if line.get_linestyle() == "--"]
    assert "SCAD" in dashed and len(lines) == 5


def test_figure2_has_a_band_a_data_set_and_a_lane_a_method(tables):
    (dots,) = figures.draw_figure2(tables["table4"]).axes
    plotted = tables["table4"].query("method_group == 'paper'").set_index("dataset").loc[list(DATASETS)]
    ratios = plotted[["sparsity_ratio_mean", "published_sparsity_ratio"]].stack()
    shares = {round(1 - ratio, 9) for ratio in ratios}
    markers = [line for line in dots.lines if line.get_marker() != "None"]
    assert {round(float(line.get_xdata()[0]), 9) for line in markers} == shares
    assert [tick.get_text() for tick in dots.get_yticklabels()] == list(DATASETS)
    joins = {tuple(line.get_xdata()) for line in dots.lines if line.get_marker() == "None"}
    first = tables["table4"].set_index(["dataset", "method"]).loc[("ohsumed", "lp_ranksvm")]
    ends = (1 - first["sparsity_ratio_mean"], 1 - first["published_sparsity_ratio"])
    assert len(joins) == len(PAPER) * len(DATASETS) and any(join == pytest.approx(ends) for join in joins)


def make_nine(table):
    """All nine data sets, as if the published values were ours."""
    return table.assign(sparsity_ratio_mean=table["published_sparsity_ratio"])


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_figure2_is_readable_with_any_number_of_data_sets(tables, count):
    table = make_nine(tables["table4"])
    names = [name for name in dict.fromkeys(table["dataset"]) if name != MEAN_DATASET][:count]
    figure = figures.draw_figure2(select_datasets(table, *names))
    figure.canvas.draw()
    (axis,) = figure.axes
    assert len(axis.get_yticklabels()) == count
    heights = [line.get_ydata()[0] for line in axis.lines if line.get_marker() == "None"]
    assert len(set(heights)) == len(heights) == count * len(PAPER), "nothing hides another marker"
    for text in figure.findobj(mpl.text.Text):
        if text.get_text() and text.get_visible():
            box = text.get_window_extent()
            assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text.get_text()


def test_figure3_has_a_panel_a_data_set_and_a_marker_a_method(tables):
    figure = figures.draw_figure3(tables["table4"], tables["table5"])
    assert [axis.get_title() for axis in figure.axes] == list(DATASETS)
    maps = tables["table5"].set_index(["dataset", "method"])["map_mean"]
    for axis, dataset in zip(figure.axes, DATASETS, strict=True):
        dotted = [line for line in axis.lines if line.get_linestyle() == ":"]
        assert len(dotted) == 1
        mean = np.mean([maps[dataset, method] for method in PAPER])
        assert dotted[0].get_ydata()[0] == pytest.approx(mean)
        marked_lines = [line for line in axis.lines if line.get_marker() not in ("None", "+")]
        points = [
            line for line in marked_lines if line.get_color() != GREY
        ]  # without the ends of the error bar
        assert len(points) == len(PAPER + EXTRA_METHODS)
        hollow = [line for line in points if line.get_markerfacecolor() == "none"]
        assert len(hollow) == len(EXTRA_METHODS)
        assert sorted(line.get_ydata()[0] for line in points) == pytest.approx(sorted(maps[dataset]))
        assert [line for line in axis.lines if line.get_marker() == "+"], "the published best"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "FSMRank (reconstructed)" in legend and "ℓ₀.₅" in legend and "adaptive ℓ₁" in legend


def test_panels_are_as_many_as_the_data_sets(tables):
    ratios, maps = select_datasets(tables["table4"], "ohsumed"), select_datasets(tables["table5"], "ohsumed")
    assert len(figures.draw_figure3(ratios, maps).axes) == 1
    copies = [f"set{i}" for i in range(9)]
    tables_of_many = [pd.concat([table.assign(dataset=name) for name in copies]) for table in (ratios, maps)]
    assert len(figures.draw_figure3(*tables_of_many).axes) == 9
    assert (
        len(figures.draw_figure3(*(select_datasets(table, *copies[:4]) for table in tables_of_many)).axes)
        == 4
    )


def test_without_print_there_is_one_panel_and_no_plus(tables):
    ratios = tables["table4"].assign(published_sparsity_ratio=np.nan)
    maps = tables["table5"].assign(published_relation="none", published_value=np.nan)
    assert "published" not in texts(figures.draw_figure2(ratios))
    figure = figures.draw_figure3(ratios, maps)
    assert not [line for axis in figure.axes for line in axis.lines if line.get_marker() == "+"]
    assert "published best" not in texts(figure)


def test_nothing_obtained_says_so(tables):
    empty = (
        select_datasets(tables["table4"], "hp2004", "td2003"),
        select_datasets(tables["table5"], "hp2004", "td2003"),
    )
    assert "no data set was obtained" in texts(figures.draw_figure2(empty[0]))
    assert "no data set was obtained" in texts(figures.draw_figure3(*empty))
    assert "Nothing was obtained" in figures.describe_figure2(empty[0]) and figures.describe_figure3(*empty)


def test_words_stand_for_the_figures(tables):
    assert "SCAD" in figures.describe_figure1()
    assert "ohsumed: FenchelRank 0.70, ℓ₁ RankSVM 0.60" in figures.describe_figure2(tables["table4"])
    assert "mq2008: MAP from" in figures.describe_figure3(tables["table4"], tables["table5"])
