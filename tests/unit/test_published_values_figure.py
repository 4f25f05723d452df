"""Published against measured: the points, what is drawn of them, and where the pipeline has the figure."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml
from figure_overlaps import find_overlaps
from matplotlib.text import Annotation, Text
from paths import Paths
from report_rows import ROOT, STUDY
from snakemake.utils import update_config
from test_coverage import write_k15

from reproduction.comparison.tolerances import MARGINS
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    EXPLAINED_VALUE,
    STATUS_NOT_OBTAINED,
    VALUE_BELOW_MARGIN,
)
from reproduction.plotting.style import save_figure
from reproduction.reporting.figures.comparison import alt_text, plot_data, published_values_figure
from reproduction.reporting.standard_artefacts import PUBLISHED_MEASURED
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.labels import METHOD_STYLE


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    return write_k15(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def points(comparison):
    return plot_data(comparison, STUDY)


def made_up(rows):
    """Points of L14's kind: fixed folds, so no interval."""
    columns = ["dataset", "method", "published", "ours_mean", "verdict"]
    table = pd.DataFrame(rows, columns=columns).assign(study="s", artefact="t", margin=0.05)
    table[["panel", "quantity"]] = "sparsity_ratio"
    return table.assign(**dict.fromkeys(("low", "high", "ours_std", "published_std"), np.nan))


SPARSE = made_up(
    [
        ("near", "fenchelrank", 0.50, 0.51, AGREES),
        ("far", "log_ranksvm", 0.10, 0.90, DIFFERS),
        ("beside", "log_ranksvm", 0.11, 0.89, DIFFERS),
        ("middle", "mcp_ranksvm", 0.60, 0.20, EXPLAINED_VALUE),
        ("fourth", "mcp_ranksvm", 0.45, 0.40, DIFFERS),
        ("order", "mcp_ranksvm", 0.30, 0.36, CONSISTENT),
        ("small", "mcp_ranksvm", 0.03, 0.02, VALUE_BELOW_MARGIN),
    ]
)


def test_a_point_is_a_published_result_that_has_one_of_ours(points, comparison):
    assert set(points["panel"]) == {"pos_at_top"}, "seconds, counts and marks are compared separately"
    assert points["ours_mean"].notna().all() and "epsilon" not in set(points["dataset"])
    assert not points.duplicated(["dataset", "method", "quantity"]).any()
    results = comparison[comparison["kind"] == "result"]
    assert len(points) == (results["verdict"] != STATUS_NOT_OBTAINED).sum()


def test_axes_are_the_same_across_and_up_and_hold_every_mean(points):
    figure = published_values_figure(points)
    assert find_overlaps(figure) == []
    (axis,) = figure.axes
    assert axis.get_xlim() == axis.get_ylim() and axis.get_xscale() == axis.get_yscale()
    box = axis.get_window_extent()
    assert box.width == pytest.approx(box.height)
    low, high = axis.get_xlim()
    assert points[["published", "ours_mean"]].stack().between(low, high).all()
    assert "(" in axis.get_title()
    assert axis.get_xlabel() == "published" and axis.get_ylabel() == "ours"


def markers(axis):
    return [line for line in axis.lines if line.get_marker() not in ("None", "")]


def test_a_verdict_has_its_shape_and_a_method_its_colour():
    (axis,) = published_values_figure(SPARSE).axes
    marker_lines = {(line.get_xdata()[0], line.get_ydata()[0]): line for line in markers(axis)}
    assert len(marker_lines) == len(SPARSE)
    one_each = SPARSE.drop_duplicates("verdict").itertuples()
    faces = {row.verdict: marker_lines[row.published, row.ours_mean] for row in one_each}
    colour = METHOD_STYLE["fenchelrank"].colour
    assert faces[AGREES].get_markerfacecolor() == faces[AGREES].get_color() == colour
    assert faces[CONSISTENT].get_markerfacecolor() == faces[EXPLAINED_VALUE].get_markerfacecolor() == "white"
    looks = {(line.get_marker(), line.get_markerfacecolor() == "white") for line in faces.values()}
    assert len(looks) == len(faces) == 5, "no two verdicts look alike"


def bands(axis):
    return [c for c in axis.collections if "Poly" in type(c).__name__]


def test_the_band_is_the_margin_where_it_follows_from_the_published_number():
    (axis,) = published_values_figure(SPARSE).axes
    (band,) = bands(axis)
    corners = band.get_paths()[0].vertices
    assert np.abs(corners[:, 1] - corners[:, 0]).max() == pytest.approx(MARGINS["sparsity_ratio"].value)
    (axis,) = published_values_figure(SPARSE.assign(panel="pos_at_top", quantity="pos_at_top")).axes
    corners = bands(axis)[0].get_paths()[0].vertices
    assert (np.abs(corners[:, 1] - corners[:, 0]) <= 0.1 * corners[:, 0] + 1e-9).all()
    (axis,) = published_values_figure(SPARSE.assign(panel="variables")).axes
    assert not bands(axis), "a share of the features: another one on each data set"
    assert "margin" in PUBLISHED_MEASURED.caption and "diagonal" in PUBLISHED_MEASURED.caption


@pytest.mark.parametrize(
    ("low", "high", "meets"), [(-0.1, 0.3, True), (0.01, 0.3, False), (-0.3, -0.01, False)]
)
def test_the_bar_meets_the_diagonal_where_the_interval_holds_0(low, high, meets):
    point = SPARSE.iloc[:1].assign(low=low, high=high, ours_mean=0.5 - (low + high) / 2)
    (axis,) = published_values_figure(point).axes
    (bar,) = [line for line in axis.lines if line.get_marker() == "None" and set(line.get_xdata()) == {0.5}]
    bottom, top = bar.get_ydata()
    assert (bottom <= 0.5 <= top) == meets and top - bottom == pytest.approx(high - low)
    assert (bottom + top) / 2 == pytest.approx(point["ours_mean"].item())
    assert axis.get_ylim()[0] < bottom and top < axis.get_ylim()[1]


def list_named(axis):
    return [text for text in axis.texts if isinstance(text, Annotation)]


def test_the_farthest_are_named_and_no_name_covers_a_point_or_a_name():
    figure = published_values_figure(SPARSE)
    (axis,) = figure.axes
    figure.draw_without_rendering()
    assert {text.get_text() for text in list_named(axis)} <= {"far", "beside", "middle"}
    assert "far" in {text.get_text() for text in list_named(axis)}
    boxes = [Text.get_window_extent(text) for text in list_named(axis)]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    positions = axis.transData.transform(SPARSE[["published", "ours_mean"]].to_numpy())
    assert all(box.count_contains(positions) == 0 for box in boxes)


def test_only_what_differs_is_named_and_a_data_set_once():
    for verdict in (AGREES, CONSISTENT, VALUE_BELOW_MARGIN):
        (axis,) = published_values_figure(SPARSE.assign(verdict=verdict)).axes
        assert not list_named(axis)
    (axis,) = published_values_figure(SPARSE.assign(dataset="same", verdict=EXPLAINED_VALUE)).axes
    assert [text.get_text() for text in list_named(axis)] == ["same"]


@pytest.mark.parametrize("panel", ["variables", "pos_at_top"])
def test_a_zero_of_ours_disturbs_no_panel(panel, tmp_path):
    zero = SPARSE.assign(panel=panel, ours_mean=[0.0, 0, 5, 20, 300, 7000, 0])
    zero["published"] = [1, 3, 5, 40, 30, 9, 0]
    save_figure(published_values_figure(zero.assign(low=-2.0, high=2.0)), [tmp_path / "f.svg"])
    assert (tmp_path / "f.svg").stat().st_size > 1000


def test_no_point_at_all_is_said():
    no_rows = SPARSE.iloc[:0]
    assert "No published result" in published_values_figure(no_rows).texts[0].get_text()
    assert alt_text(no_rows) == "No published result has a corresponding result of ours."


def test_it_is_described_in_words():
    text = alt_text(SPARSE)
    assert "Sparsity ratio (share of features): 7 points, 4 above the diagonal" in text
    assert "agrees 1, consistent 1, explained 1, differs 3" in text


def test_points_are_written_without_a_blank(tmp_path):
    PlainCsv(missing_text="none").write(SPARSE, tmp_path / "p.csv")
    assert ",," not in (tmp_path / "p.csv").read_text()
    assert len(pd.read_csv(tmp_path / "p.csv", na_values="none")) == len(SPARSE)


def test_the_pipeline_has_it_where_numbers_are_published():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    full = Paths(config)
    for study in full.studies.with_published_values:
        page_files = full.list_page_files(study)
        assert f"results/{study}/published_measured.svg" in page_files
        assert f"results/{study}/published_measured.csv" in page_files
        assert f"results/{study}/published_measured.pdf" in full.list_figure_exports(study)
    assert "results/rakotomamonjy2012/fits.csv" in full.list_compared_tables("rakotomamonjy2012")
    update_config(config, yaml.safe_load((ROOT / "config/quick.yaml").read_text(encoding="utf-8")))
    quick = Paths(config)
    files = [
        file
        for study in quick.studies.settings
        for file in (*quick.list_page_files(study), *quick.list_figure_exports(study))
    ]
    assert not any("published_measured" in file for file in files)
