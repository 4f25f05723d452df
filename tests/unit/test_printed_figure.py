"""Printed against measured: the points, what is drawn of them, and where the pipeline has the figure."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml
from common import Layout
from matplotlib.text import Annotation, Text
from report_rows import PRINTED, ROOT, STUDY, data, table1_of, write_results
from snakemake.utils import update_config
from studies import compared, study_of

from reproduction.comparison.figure import describe, drawn, printed_figure
from reproduction.comparison.verdicts import AGREES, DIFFERS, IN_ORDER, TOLERANCE
from reproduction.labels import METHOD_STYLE
from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.table1 import TABLE1
from reproduction.report.common import PRINTED_MEASURED
from reproduction.style import save_figure
from reproduction.tables import Plain


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    TABLE1.write(table1_of(write_results(folder)), folder / "table1.csv")
    data().to_csv(folder / "data.csv", index=False)
    return compared(study_of(STUDY, [folder / "table1.csv", folder / "data.csv"], True))


@pytest.fixture(scope="module")
def points(comparison):
    return drawn(comparison, STUDY, PRINTED)


def made_up(rows):
    """Points of L14's kind: no printed deviation."""
    columns = ("dataset", "method", "panel", "published", "ours_mean", "ours_std", "verdict")
    table = pd.DataFrame(rows, columns=list(columns))
    return table.assign(
        study="s", artefact="t", features="raw", quantity=table["panel"], published_std=np.nan
    )


SPARSE = made_up(
    [
        ("near", "fenchelrank", "sparsity_ratio", 0.50, 0.51, 0.1, AGREES),
        ("far", "log_ranksvm", "sparsity_ratio", 0.10, 0.90, 0.1, DIFFERS),
        ("beside", "log_ranksvm", "sparsity_ratio", 0.11, 0.89, 0.1, DIFFERS),
        ("middle", "mcp_ranksvm", "sparsity_ratio", 0.60, 0.20, 0.1, DIFFERS),
        ("fourth", "mcp_ranksvm", "sparsity_ratio", 0.45, 0.40, np.nan, DIFFERS),
        ("order", "mcp_ranksvm", "sparsity_ratio", 0.30, 0.36, np.nan, IN_ORDER),
    ]
)


def test_a_point_is_a_printed_number_that_has_one_of_ours(points, comparison):
    assert set(points["panel"]) == {"pos_at_top", "seconds", "count"}
    assert points["ours_mean"].notna().all() and "epsilon" not in set(points["dataset"])
    assert "covtype-sample" not in set(points["dataset"]), "a substitute shows no printed number"
    assert not points.duplicated(["dataset", "method", "quantity"]).any()
    assert set(points["features"]) == {"raw"}
    row = points.query("dataset == 'splice' and method == 'admm' and quantity == 'seconds'").iloc[0]
    same = comparison.query("dataset == 'splice' and method == 'admm' and quantity == 'seconds'")
    assert row["ours_mean"] == same.set_index("features").loc["raw", "ours_mean"] and row["published"] == 7.29


def test_a_printed_bound_is_drawn_at_its_value():
    columns = ("study", "artefact", "dataset", "features", "method", "quantity", "published", "published_std")
    row = ("laporte2014", "table5", "mq2007", "raw", "log_ranksvm", "map_p_value", -0.001, np.nan)
    comparison = pd.DataFrame([row], columns=list(columns))
    comparison = comparison.assign(ours_mean=0.2, ours_std=np.nan, verdict=DIFFERS, reason="r", shown_in="s")
    (point,) = drawn(comparison, "laporte2014", paper("laporte2014").printed).to_dict("records")
    assert point["panel"] == "p_value" and point["published"] == 0.001


def test_axes_are_the_same_across_and_up_and_hold_every_mean(points):
    figure = printed_figure(points)
    assert len(figure.axes) == 3
    for axis in figure.axes:
        assert axis.get_xlim() == axis.get_ylim() and axis.get_xscale() == axis.get_yscale()
        box = axis.get_window_extent()
        assert box.width == pytest.approx(box.height)
    for panel, axis in zip(("pos_at_top", "seconds", "count"), figure.axes, strict=True):
        block, (low, high) = points[points["panel"] == panel], axis.get_xlim()
        assert block[["published", "ours_mean"]].stack().between(low, high).all()
        assert "(" in axis.get_title() or panel == "count"
        assert axis.get_xlabel() == "printed" and axis.get_ylabel() == "ours"


def markers(axis):
    return [line for line in axis.lines if line.get_marker() in ("o", "D")]


def test_what_agrees_is_filled_and_the_colour_is_that_of_the_method():
    (axis,) = printed_figure(SPARSE).axes
    shown = {(line.get_xdata()[0], line.get_ydata()[0]): line for line in markers(axis)}
    assert len(shown) == len(SPARSE)
    faces = {
        verdict: shown[row["published"], row["ours_mean"]]
        for verdict, block in SPARSE.groupby("verdict")
        for row in block.iloc[:1].to_dict("records")
    }
    colour = METHOD_STYLE["fenchelrank"].colour
    assert faces[AGREES].get_markerfacecolor() == faces[AGREES].get_color() == colour
    assert faces[DIFFERS].get_markerfacecolor() == faces[IN_ORDER].get_markerfacecolor() == "white"
    assert (faces[DIFFERS].get_marker(), faces[IN_ORDER].get_marker()) == ("o", "D")


def test_the_band_is_the_tolerance_and_only_where_no_deviation_is_printed():
    (axis,) = printed_figure(SPARSE).axes
    (band,) = [
        c for c in axis.collections if type(c).__name__ in ("PolyCollection", "FillBetweenPolyCollection")
    ]
    corners = band.get_paths()[0].vertices
    assert np.abs(corners[:, 1] - corners[:, 0]).max() == pytest.approx(TOLERANCE)
    (axis,) = printed_figure(SPARSE.assign(published_std=0.1)).axes
    assert not [c for c in axis.collections if "Poly" in type(c).__name__]
    assert f"{TOLERANCE}" in PRINTED_MEASURED.caption and "diagonal" in PRINTED_MEASURED.caption


def named(axis):
    return [text for text in axis.texts if isinstance(text, Annotation)]


def test_the_farthest_are_named_and_no_name_covers_a_point_or_a_name():
    figure = printed_figure(SPARSE)
    (axis,) = figure.axes
    figure.draw_without_rendering()
    assert {text.get_text() for text in named(axis)} <= {"far", "beside", "middle"}
    assert "far" in {text.get_text() for text in named(axis)}
    boxes = [Text.get_window_extent(text) for text in named(axis)]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    at = axis.transData.transform(SPARSE[["published", "ours_mean"]].to_numpy())
    assert all(box.count_contains(at) == 0 for box in boxes)


def test_what_agrees_is_not_named_and_a_data_set_once():
    (axis,) = printed_figure(SPARSE.assign(verdict=AGREES)).axes
    assert not named(axis)
    (axis,) = printed_figure(SPARSE.assign(dataset="same")).axes
    assert [text.get_text() for text in named(axis)] == ["same"]


@pytest.mark.parametrize("panel", ["seconds", "pos_at_top"])
def test_a_zero_of_ours_disturbs_no_panel(panel, tmp_path):
    zero = SPARSE.assign(panel=panel, ours_mean=[0.0, 0, 5, 20, 300, 7000], published=[1, 3, 5, 40, 30, 9])
    save_figure(printed_figure(zero.assign(published_std=2.0)), [tmp_path / "f.svg"])
    assert (tmp_path / "f.svg").stat().st_size > 1000


def test_the_same_points_give_the_same_bytes(points, tmp_path):
    for name in ("a.svg", "b.svg"):
        save_figure(printed_figure(points), [tmp_path / name])
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_no_point_at_all_is_said():
    none = SPARSE.iloc[:0]
    assert "None of the printed numbers" in printed_figure(none).texts[0].get_text()
    assert describe(none) == "No printed number has one of ours."


def test_it_is_described_in_words():
    said = describe(SPARSE)
    assert "Sparsity ratio (share of features): 6 points, 4 above the diagonal" in said
    assert "agrees 1, agrees in order 1, differs 4" in said


def test_points_are_written_without_a_blank(tmp_path):
    Plain(absent="none").write(SPARSE, tmp_path / "p.csv")
    assert ",," not in (tmp_path / "p.csv").read_text()
    assert len(pd.read_csv(tmp_path / "p.csv", na_values="none")) == len(SPARSE)


def test_the_pipeline_has_it_where_numbers_are_printed():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    full = Layout(config)
    for study in full.studies:
        shown, printed = full.shown(study), full.printed(study)
        assert f"results/{study}/printed_measured.svg" in shown
        assert f"results/{study}/printed_measured.csv" in shown
        assert f"results/{study}/printed_measured.pdf" in printed
    assert "results/rakotomamonjy2012/fits.csv" in full.compared("rakotomamonjy2012")
    update_config(config, yaml.safe_load((ROOT / "workflow/quick.yaml").read_text(encoding="utf-8")))
    quick = Layout(config)
    made = [file for study in quick.studies for file in (*quick.shown(study), *quick.printed(study))]
    assert not any("printed_measured" in file for file in made)
