"""The figure of Table 1: complete, labelled, and the same bytes from the same numbers."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from report_rows import METHODS, SIXTH, build_once, results_of, write_results
from studies import texts

from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.table1 import build_table1
from reproduction.plotting.style import save_figure
from reproduction.reporting.figures.table1_plot import describe_table1, draw_table1, select_shown_datasets
from reproduction.specs.labels import FALLBACK_COLOURS, METHOD_STYLE, method_styles

PANELS = paper("kadkhodaie2015").figures[0].options["panels"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(write_results(tmp_path_factory.mktemp("results")))


@pytest.fixture(scope="module")
def table(results):
    return build_once(**results)


@pytest.fixture(scope="module")
def figure(table):
    return draw_table1(table, PANELS)


def test_every_method_has_its_own_colour_and_label(figure):
    handles = figure.legends[0].legend_handles
    labels = [*(METHOD_STYLE[method].label for method in METHODS), SIXTH]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == labels
    assert len({to_hex(line.get_color()) for line in handles}) == len(METHODS) + 1


def test_the_colour_of_a_method_does_not_depend_on_the_others():
    assert method_styles(["admm", "zeta"])["admm"] == method_styles(["admm", "exact", "alpha"])["admm"]
    styles = method_styles([f"m{i}" for i in range(9)])
    assert [style.colour for style in styles.values()][:6] == list(FALLBACK_COLOURS)


def test_axes_are_labelled_with_units_and_missing_sets_are_named(figure):
    assert [axis.get_xlabel() for axis in figure.axes][1] == "Training time (s)"
    assert "positives" in figure.axes[0].get_xlabel()
    assert texts(figure).count("not obtained") == 2, "covtype and epsilon"
    names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert "cod-rna\n(partial)" in names and "covtype-sample\n(substitute)" in names


def test_every_mean_is_drawn_where_there_are_data(table, figure):
    table = select_shown_datasets(table, PANELS)
    table = table[~table["data_status"].isin(["not obtained", "not run"])]
    for axis, quantity in zip(figure.axes, ("pos_at_top", "seconds"), strict=True):
        means_drawn = sorted(line.get_xdata()[0] for line in axis.lines if line.get_marker() != "None")
        ours = table[f"{quantity}_mean"].dropna()
        published = table[f"published_{quantity}_mean"].dropna()  # beside ours of each feature scaling
        assert means_drawn == pytest.approx(sorted([*ours, *published]))
        low, high = axis.get_xlim()
        assert low <= means_drawn[0] and means_drawn[-1] <= high


def test_a_bar_is_one_deviation_and_is_cut_at_zero(table, figure):
    """On a logarithmic axis a bar that passes zero would have no end."""
    table = table[~table["data_status"].isin(["not obtained", "not run"])].drop_duplicates(
        ["dataset", "method"]
    )
    for mean, std in ((0.5, 0.2), (0.5, 0.5), (0.5, 3.0), (0.0, 0.3)):
        wide = table.assign(pos_at_top_mean=mean, pos_at_top_std=std)
        axis = draw_table1(wide, PANELS).axes[0]
        bars = np.array([line.get_xdata() for line in axis.lines if len(line.get_xdata()) == 2])
        ours = bars[np.isclose(bars[:, 1], mean + std)]
        assert len(ours) >= len(select_shown_datasets(wide, PANELS)) and (ours[:, 0] >= 0.0).all()
        assert ours[:, 0] == pytest.approx(max(mean - std, 0.001 * mean))


def test_the_same_numbers_give_the_same_bytes_without_a_date(table, figure, tmp_path):
    for folder, figure_drawn in (("a", figure), ("b", draw_table1(table, PANELS))):
        (tmp_path / folder).mkdir()
        save_figure(figure_drawn, [tmp_path / folder / f"f.{kind}" for kind in ("svg", "pdf", "png")])
    for kind in ("svg", "pdf", "png"):
        first, second = ((tmp_path / folder / f"f.{kind}").read_bytes() for folder in ("a", "b"))
        assert first == second and len(first) > 5000
    assert b"<dc:date>" not in (tmp_path / "a/f.svg").read_bytes()
    assert b"CreationDate" not in (tmp_path / "a/f.pdf").read_bytes()


def test_another_suffix_is_refused(figure, tmp_path):
    with pytest.raises(ValueError, match="svg, pdf or png"):
        save_figure(figure, [tmp_path / "f.jpg"])


def test_nothing_obtained_and_nothing_published_still_draws(results, tmp_path):
    fits = results["fits"]
    empty = build_table1(fits[fits["status"] == "not obtained"])
    figure = draw_table1(empty, PANELS)
    save_figure(figure, [tmp_path / "f.png"])
    assert "not obtained" in texts(figure)
    assert "0 data sets" in describe_table1(empty, PANELS)


def test_one_split_and_zeros_draw(results, tmp_path):
    fits = results["fits"]
    single_split = build_table1(
        fits[(fits["split"] == 0) & (fits["dataset"] == "diabetes")].assign(positives_at_top=0.0)
    )
    assert np.isnan(single_split["pos_at_top_std"]).all()
    save_figure(draw_table1(single_split, PANELS), [tmp_path / "f.png"])
    assert (tmp_path / "f.png").stat().st_size > 5000
