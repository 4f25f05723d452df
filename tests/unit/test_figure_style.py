"""The style of all figures: text that can be read, one colour a method, small files."""

import io
import itertools
import re
import xml.etree.ElementTree as ET

import figure_rows
import matplotlib as mpl
import numpy as np
import pytest
from figure_overlaps import find_overlaps, list_texts
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from reproduction.papers.kadkhodaie2015.convergence import figures as convergence_figures
from reproduction.papers.kadkhodaie2015.dirty_model import figure as dirty_figure
from reproduction.papers.kadkhodaie2015.dirty_model import trace_analysis as dirty_model
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as suboptimality
from reproduction.papers.laporte2014 import figures as query_figures
from reproduction.papers.rakotomamonjy2012.paths import figure as path_figure
from reproduction.plotting.style import (
    RC_PARAMS,
    SMALL_TEXT_SIZE,
    format_power,
    select_markers,
    set_log_scale,
    thin_log,
)
from reproduction.plotting.svg import minify_svg
from reproduction.reporting.study_report import format_plot_data
from reproduction.specs.labels import METHOD_STYLE


@pytest.fixture(scope="module")
def drawn_figures(tmp_path_factory):
    """Every figure by its name, drawn once."""
    figures = {name: draw() for name, draw in figure_rows.all_figures(tmp_path_factory.mktemp("r")).items()}
    with mpl.rc_context(RC_PARAMS):
        for figure in figures.values():
            figure.draw_without_rendering()
    return figures


NAMES = (
    *("K15 Table 1", "K15 Figure 1", "K15 Figure 2", "K15 Figure 3", "K15 profiles", "K15 size"),
    *("R12 Table 1", "R12 Figure 1", "R12 Figure 2", "R12 Figure 3", "R12 path", "R12 path of groups"),
    *("L14 Figure 1", "L14 Figure 2", "L14 Figure 3"),
)


def test_every_figure_is_looked_at(drawn_figures):
    assert tuple(drawn_figures) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_text_can_be_read_and_lies_on_the_page_apart_from_other_text(drawn_figures, name):
    for text in list_texts(drawn_figures[name]):
        assert text.get_fontsize() >= SMALL_TEXT_SIZE, text.get_text()
    assert find_overlaps(drawn_figures[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_has_a_label_and_two_ticks(drawn_figures, name):
    figure = drawn_figures[name]
    visible_texts = set(list_texts(figure))
    for axes in figure.axes:
        if axes.name == "polar":
            continue
        for axis, shared in ((axes.xaxis, axes.get_shared_x_axes()), (axes.yaxis, axes.get_shared_y_axes())):
            labels = [other for other in figure.axes if shared.joined(axes, other)] or [axes]
            label_axes = [getattr(other, f"{axis.axis_name}axis") for other in labels]
            ticks = [
                tick.get_text()
                for ax_line in label_axes
                for tick in ax_line.get_ticklabels()
                if tick in visible_texts
            ]
            if all(re.search(r"[^\W\d]", tick) for tick in ticks):
                continue  # data sets or settings by their names
            assert any(ax_line.label.get_text() for ax_line in label_axes), "an axis without a label"
            assert any(
                sum(t in visible_texts for t in ax_line.get_ticklabels()) >= 2 for ax_line in label_axes
            )


@pytest.mark.parametrize("name", NAMES)
def test_legends_of_the_figure_lie_beside_the_panels(drawn_figures, name):
    figure = drawn_figures[name]
    for legend in figure.legends:
        box = legend.get_window_extent()
        assert not any(box.overlaps(axes.bbox) for axes in figure.axes)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_has_one_colour_everywhere(drawn_figures, name):
    styles = {style.label: style for style in METHOD_STYLE.values()}
    n_lines = 0
    for legend in drawn_figures[name].legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            style = styles.get(re.sub(r" \(ρ = .*\)", "", text.get_text()))
            if style:
                n_lines += 1
                assert to_hex(handle.get_color()).upper() == style.colour.upper()
                assert handle.get_marker() in (style.marker, "None")
    assert n_lines or "path" in name or name == "L14 Figure 1"


#: Between them: markers, bands, clipped lines, a polar axis, and groups of curves.
@pytest.mark.parametrize("name", ["K15 Table 1", "K15 Figure 1", "R12 path of groups", "L14 Figure 2"])
def test_a_smaller_svg_is_the_same_picture(drawn_figures, name, tmp_path):
    with mpl.rc_context(RC_PARAMS):
        drawn_figures[name].savefig(tmp_path / "whole.svg", format="svg", metadata={"Date": None})
    full_svg = (tmp_path / "whole.svg").read_text(encoding="utf-8")
    small = minify_svg(full_svg)
    assert len(small) < 0.75 * len(full_svg) and minify_svg(small).count("<svg font-family") == 1
    before, after = ET.fromstring(full_svg), ET.fromstring(small)
    tags = [[element.tag.split("}")[1] for element in root.iter()] for root in (before, after)]
    for tag in ("path", "use", "text", "tspan", "clipPath"):
        assert tags[0].count(tag) == tags[1].count(tag)
    assert words(before) == words(after)
    assert coordinates(before) == pytest.approx(coordinates(after), abs=0.0051)
    names = {element.get("id") for element in after.iter()} - {None}
    assert names == set(re.findall(r'(?:href="#|url\(#)([^")]+)', small))
    for tag in ("path", "text"):
        assert paints(before, tag) == paints(after, tag)
    assert list_used_ids(before) == list_used_ids(after)


def list_used_ids(root):
    """What each use of a definition is painted with: its own style goes before that of the use."""
    definitions = {element.get("id"): element for element in root.iter()}
    uses = [element for element in root.iter() if element.tag.endswith("}use")]
    return [painted(element) | painted(definitions[element.get(HREF)[1:]]) for element in uses]


HREF = "{http://www.w3.org/1999/xlink}href"


def words(root):
    return [
        (element.text or "").strip() for element in root.iter() if element.tag.endswith(("text", "tspan"))
    ]


def coordinates(root):
    points = []
    for element in root.iter():
        for attribute in ("d", "x", "y"):
            points += map(float, re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", element.get(attribute, "")))
    return points


def paints(root, tag):
    """The paint of all elements but markers and ticks, whose uses may say it."""
    definitions = {element for defs in root.iter() if defs.tag.endswith("defs") for element in defs.iter()}
    return [
        painted(element)
        for element in root.iter()
        if element.tag.endswith(tag) and element not in definitions
    ]


def painted(element):
    style = re.sub(r"\s", "", element.get("style", ""))
    properties = dict(part.split(":", 1) for part in style.split(";") if ":" in part)
    properties.pop("stroke-linejoin", None)
    return {key: value for key, value in properties.items() if not key.startswith("font")}


def test_a_marker_has_the_paint_of_its_uses():
    with mpl.rc_context(RC_PARAMS):
        figure = Figure()
        axis = figure.subplots()
        axis.plot([1, 2, 3], "o", color="#123456", markeredgecolor="#abcdef")
        axis.scatter([1, 2], [1, 2], color=["#ff0000", "#00ff00"])
    svg = minify_svg(as_svg(figure))
    (mark,) = re.findall(r'<path id="(\w+)"[^>]*style="fill:#123456;stroke:#abcdef"', svg)
    assert len(re.findall(rf'<use xlink:href="#{mark}" x="[\d.]+" y="[\d.]+"/>', svg)) == 3
    assert "#ff0000" in svg and "#00ff00" in svg, "those of different paint keep it"


def as_svg(figure):
    with io.StringIO() as file, mpl.rc_context(RC_PARAMS):
        figure.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=200, unique=True), st.integers(1, 50))
def test_points_that_can_be_told_apart(values, steps):
    x = np.sort(values)
    thinned = thin_log(x, steps)
    assert thinned[0] and thinned[-1] and thinned.sum() <= steps + 2
    if x.size > 1:
        places = np.flatnonzero(thinned)
        left_out = [np.log(x[end - 1] / x[start]) for start, end in itertools.pairwise(places)]
        assert max(left_out) <= np.log(x[-1] / x[0]) / steps * (1 + 1e-6), "within a step of what is kept"


def test_markers_are_staggered():
    x = np.geomspace(1, 1000, 500)
    places = [set(select_markers(x, i, 4)) for i in range(4)]
    assert all(len(place) == 7 for place in places) and len(set.union(*places)) == 28
    assert select_markers([], 0, 1) == [] and select_markers([3.0], 0, 1) == [0]


def test_powers_and_plain_numbers():
    assert [format_power(10.0**k) for k in (-3, 0, 4, -12)] == ["10⁻³", "10⁰", "10⁴", "10⁻¹²"]
    assert format_power(2e-4) == "2·10⁻⁴"
    for ends, label in (((1, 1e4), "1000"), ((1e-5, 1), "10⁻²"), ((3, 60), "20")):
        with mpl.rc_context(RC_PARAMS):
            axis = Figure().subplots()
            set_log_scale(axis.yaxis, *ends)
            axis.figure.draw_without_rendering()
        assert label in [tick.get_text() for tick in axis.get_yticklabels()]


LARGEST = 80_000
"""Characters of the numbers behind a figure."""


def test_the_numbers_behind_a_figure_are_those_drawn():
    plot_data = dirty_model.compute_medians_and_bands(figure_rows.traces())
    assert len(format_plot_data(plot_data)) < LARGEST and set(plot_data["method"]) == set(
        figure_rows.ALGORITHMS
    )
    (line, *_) = dirty_figure.draw_figure1(figure_rows.traces()).axes[0].get_lines()
    admm = plot_data[plot_data["method"] == "admm"]
    np.testing.assert_array_equal(line.get_ydata(), admm["primal_residual_median"])
    assert (admm["dual_gap_p10"] <= admm["dual_gap_median"]).all()
    assert {"dual_gap_p90", "feasible_gap_median", "bound_median"} <= set(admm)

    table = figure_rows.convergence3()
    plot_data = convergence_figures.select_figure3_data(table)
    assert len(format_plot_data(plot_data)) < LARGEST and set(plot_data["kind"]) == {"residual", "roc"}
    residual = plot_data[plot_data["kind"] == "residual"].iloc[0]
    assert residual["residual"] == 2.0  # 1 and 1, after the first iteration
    stops = plot_data[(plot_data["method"] == "admm") & (plot_data["iteration"] == 300)]
    assert len(stops) == 1, "the published stop is drawn, whatever is left out beside it"
    roc = table[table["kind"] == "roc"]
    thinned = plot_data[(plot_data["method"] == "exact") & (plot_data["iterate"] == "stop")]
    full_curve = roc[(roc["method"] == "exact") & (roc["iterate"] == "published stop")]
    at_top = full_curve[full_curve["false_positive_rate"] <= convergence_figures.MAX_SHOWN_FPR]
    assert set(at_top.index) <= set(thinned.index) and len(thinned) < len(full_curve)
    interpolated = np.interp(
        full_curve["false_positive_rate"], thinned["false_positive_rate"], thinned["true_positive_rate"]
    )
    assert (
        np.abs(interpolated - full_curve["true_positive_rate"]).max() < convergence_figures.MIN_POINT_DISTANCE
    )

    plot_data = convergence_figures.select_figure2_data(figure_rows.convergence2())
    stops = plot_data[plot_data["is_published_stop"] == 1].set_index("method")["iteration"]
    assert stops.to_dict() == {"toppush": 300}, "of the others no drawn iteration is that of the stop"


def test_steps_of_the_profiles():
    steps = suboptimality.compute_profiles(figure_rows.levels())
    first = steps[(steps["cost"] == "seconds") & (steps["level"] == 1e-2)].groupby("method")["share"].max()
    assert first.to_dict() == {"toppush": 0.5, "admm": 1.0, "a2dm2": 0.0, "a2dm2_restart": 0.0, "exact": 1.0}
    of_admm = steps[(steps["cost"] == "iterations") & (steps["level"] == 1e-4) & (steps["method"] == "admm")]
    assert (of_admm["factor"].iloc[1:] == 1.0).all(), "it is the cheaper of the two that solve them"
    titles = [axis.get_title() for axis in suboptimality.draw_suboptimality(figure_rows.levels()).axes]
    assert titles[0] == "to 0.01 (12 problems)\nnever: A2DM2, A2DM2 + restart" and not any(titles[3:])


def test_numbers_of_a_path_and_of_the_figures_of_l14():
    points, weights = figure_rows.path(points=3, curves=2)
    plot_data = path_figure.select_path_data(points, weights)
    assert list(plot_data.columns[-2:]) == ["curve_0", "curve_1"] and len(plot_data) == 3
    np.testing.assert_array_equal(plot_data[["curve_0", "curve_1"]], weights[["0", "1"]])

    tables = figure_rows.query_rows.default_tables()
    removed = query_figures.select_figure2_data(tables["table4"]).set_index(["dataset", "method"])
    assert removed.loc[("ohsumed", "fenchelrank"), "removed_share_ours"] == pytest.approx(0.7)
    ratios = query_figures.select_figure3_data(tables["table4"], tables["table5"])
    counts = ratios.groupby("dataset")["published_map"].count().to_dict()
    assert counts == dict.fromkeys(("mq2007", "mq2008", "ohsumed"), 1)
