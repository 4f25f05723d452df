"""The comparison of methods on the page and in print: diagrams, heat maps, LaTeX and the section."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import query_rows
import report_rows
import yaml
from figure_overlaps import find_overlaps
from method_tables import FORMS, made_of, rows_of, texts_of, words_of
from page_reports import build_report, render_reports
from paths import Paths
from report_rows import results_of
from report_runs import check_links, read_page
from typesetting import needs_pdflatex, typeset_body

from reproduction.core.results import read_queries
from reproduction.papers import PAPERS, paper
from reproduction.reporting.method_comparison.critical_difference import (
    describe_rank_diagrams,
    draw_rank_diagrams,
    split_panels,
)
from reproduction.reporting.method_comparison.heat_map import describe_heat_map as describe_map
from reproduction.reporting.method_comparison.heat_map import draw_heat_map
from reproduction.reporting.method_comparison.heat_map import split_panels as map_panels
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.method_comparison.method_pairs import build_pairwise_table
from reproduction.reporting.method_comparison.method_ranks import (
    ALL_DATASETS,
    RANKS_FORMAT,
    build_metric_tables,
    build_ranks_table,
    build_scores_table,
    scale_scores,
)
from reproduction.reporting.page.method_comparison import build_statistics_context
from reproduction.specs.metrics import RATE_AT_TOP


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return report_rows.write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def fits(results):
    return results_of(results)["fits"]


@pytest.fixture(scope="module")
def data(results):
    return results_of(results)["data"]


@pytest.fixture(scope="module")
def tables(fits, data):
    blocks = build_metric_tables(fits, paper("kadkhodaie2015").metrics, data)
    return {"ranks": build_ranks_table(blocks), "pairwise": build_pairwise_table(fits, blocks)}


@pytest.fixture(scope="module")
def query_tables(tmp_path_factory):
    folder = query_rows.write_results(tmp_path_factory.mktemp("queries")) / query_rows.STUDY
    fits, queries = query_rows.read_query_fits(folder / "fits.csv"), read_queries(folder / "queries.csv")
    blocks = build_metric_tables(fits, paper("laporte2014").metrics)
    return (
        {"ranks": build_ranks_table(blocks), "pairwise": build_pairwise_table(fits, blocks, queries)},
        fits,
        queries,
    )


def test_the_files_have_no_blank_and_are_read_back(tables, tmp_path):
    for name, form in FORMS.items():
        form.write(tables[name], tmp_path / name)
        text = (tmp_path / name).read_text()
        assert ",," not in text and "nan" not in text and ",\n" not in text
        reread = form.read(tmp_path / name)
        numbers = [column for column in form.columns if column not in form.text_columns]
        pd.testing.assert_frame_equal(reread[numbers], tables[name][numbers], rtol=1e-9)
        assert list(reread.columns) == list(form.columns)


def test_the_order_of_the_rows_leaves_no_trace(fits, data, tables):
    shuffled = fits.sample(frac=1.0, random_state=3)
    blocks = build_metric_tables(shuffled, paper("kadkhodaie2015").metrics, data)
    pd.testing.assert_frame_equal(build_ranks_table(blocks), tables["ranks"])
    pd.testing.assert_frame_equal(build_pairwise_table(shuffled, blocks), tables["pairwise"])


def test_a_set_on_which_every_fit_failed_was_obtained():
    fits = rows_of({("a", "x"): [0.1], ("a", "y"): [0.2], ("b", "x"): [np.nan], ("b", "y"): [np.nan]})
    fits.loc[fits["dataset"] == "b", "status"] = "failed"
    ranks = made_of(fits)["ranks"].query("metric == 'rate_at_top'")
    assert set(ranks["left_out"]) == {"b: no fit has a number"}


def test_every_study_asks_for_them():
    paths = Paths(yaml.safe_load((report_rows.ROOT / "config.yaml").read_text(encoding="utf-8")))
    for study in paths.studies.settings:
        folder = f"{paths.results}/{study}"
        files = {f"{folder}/{name}" for name in ("ranks.csv", "pairwise.csv", "critical_difference.svg")}
        assert files <= set(paths.list_page_files(study)) and f"{folder}/ranks.tex" in paths.list_study_latex(
            study
        )
        assert f"{folder}/critical_difference.pdf" in paths.list_figure_exports(study)
        assert f"{folder}/pairwise.tex" not in paths.list_study_latex(study)
        assert not files & set(paths.list_compared_tables(study)), "there is no print to set beside them"
    assert paths.list_collected_files("laporte2014")[1].endswith("/queries.csv")
    assert paths.list_collected_files("kadkhodaie2015")[1].endswith("/diagnosis.csv")


def test_toys_are_no_data_sets():
    fits = rows_of({("toy-n50-noise20", "x"): [0.1], ("a", "x"): [0.2], ("b", "x"): [0.3]})
    assert set(made_of(fits)["ranks"]["datasets"]) == {"a, b"}


def test_on_few_data_sets_there_is_no_diagram(tables, monkeypatch):
    monkeypatch.setattr("reproduction.reporting.method_comparison.critical_difference.MIN_DATASETS", 6)
    words = " ".join(words_of(draw_rank_diagrams(tables["ranks"])))
    assert "5 data sets are fewer than 6" in words and "CD " not in words


def test_the_diagram_names_every_method_with_its_rank(tables, monkeypatch):
    monkeypatch.setattr("reproduction.reporting.method_comparison.critical_difference.MIN_DATASETS", 2)
    ranks = tables["ranks"]
    figure = draw_rank_diagrams(ranks)
    assert len(split_panels(ranks)) == 4 == len(figure.axes)
    for axis, (_, _, rows) in zip(figure.axes, split_panels(ranks), strict=True):
        words = " ".join(text.get_text() for text in texts_of(axis))
        assert all(f"{rank:.2f}" in words for rank in rows["mean_rank"]) and "Iman–Davenport" in words
        left, right = axis.get_xlim()
        figure.canvas.draw()
        for text in texts_of(axis):
            box = text.get_window_extent().transformed(axis.transData.inverted())
            assert left <= box.x0 and box.x1 <= right, text.get_text()


def test_many_methods_have_bars_of_the_critical_difference():
    rates = {(d, f"m{i}"): [0.05 * i] for d in "abcdefgh" for i in range(9)}
    ranks = made_of(rows_of(rates))["ranks"]
    figure = draw_rank_diagrams(ranks)
    assert find_overlaps(figure) == []
    rows = ranks[ranks["metric"] == "rate_at_top"].set_index("method")
    ax = next(ax for ax in figure.axes if ax.get_title().startswith("Rate at the top"))
    bars = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
    difference = rows["critical_difference"].iloc[0]
    assert len(bars) == 9 and all(np.ptp(bar) == pytest.approx(difference) for bar in bars)
    assert sorted(map(np.mean, bars)) == pytest.approx(sorted(rows["mean_rank"]))
    assert next(iter(ax.get_yticklabels())).get_text() == "m8", "the best stands first"


def test_bars_join_what_the_test_does_not_tell_apart():
    rates = {(d, m): [0.1 * i] for d in "abcdefgh" for i, m in enumerate(("x", "y", "z"))}
    ranks = made_of(rows_of(rates))["ranks"]
    words = describe_rank_diagrams(ranks)
    assert "z 1.00, y 2.00, x 3.00; critical difference 1.17; not significantly different: z/y; y/x." in words
    (ax,) = draw_rank_diagrams(ranks).axes[0].child_axes
    # from left to right and by its ends only: the file is the same in every process
    bars = [list(line.get_xdata()) for line in ax.lines if line.get_linewidth() > 2]
    assert bars == [[1.0, 2.0], [2.0, 3.0]]


def test_equal_ranks_lie_beside_one_another():
    rates = {(d, m): [value] for d in "abcdefgh" for m, value in {"x": 0.3, "y": 0.1, "z": 0.3}.items()}
    ranks = made_of(rows_of(rates))["ranks"]
    (ax,) = draw_rank_diagrams(ranks).axes[0].child_axes
    first, second, last = sorted(float(marks.get_offsets()[0, 0]) for marks in ax.collections)
    assert first < 1.5 < second and first + second == pytest.approx(3.0) and last == 3.0
    assert sum("1.50" in words for words in words_of(draw_rank_diagrams(ranks))) == 2


def test_a_block_without_a_test_has_a_panel_only_where_there_is_no_other(tables):
    single_scaling = tables["ranks"].assign(
        feature_scaling="alone", critical_difference=np.nan, n_datasets=1.0
    )
    both_scalings = pd.concat([tables["ranks"], single_scaling])
    for ranks, expected in ((both_scalings, {"raw", "standardised"}), (single_scaling, {"alone"})):
        assert {scaling for scaling, *_ in split_panels(ranks)} == expected


def page_context(tables, fits):
    paper_stub = SimpleNamespace(tests="Its own tests.")
    return build_statistics_context(SimpleNamespace(tables=tables, fits=fits, name="s", paper=paper_stub))


def test_two_methods_are_compared_with_every_pair_at_hand(tables, fits):
    context = page_context(tables, fits)
    assert context["own"] == "Its own tests."
    pairs, handed = tables["pairwise"], context["pairs"]
    assert len(handed["rows"]) == len(pairs)
    named = {tuple(handed["names"][place] for place in row[:2]) for row in handed["rows"]}
    assert named == {*zip(pairs["method"], pairs["rival"], strict=True)}
    ((_, grid),) = handed["table"]["grids"]
    assert len(grid.lines) == sum((row[0], row[1]) == tuple(handed["first"]) for row in handed["rows"])
    line = next(line for line in grid.lines if line.row["dataset"] != ALL_DATASETS)
    mine = fits[(fits["role"] == "chosen") & (fits["dataset"] == line.row["dataset"])]
    mine = mine[
        (mine["method"] == line.row["method"]) & (mine["feature_scaling"] == line.row["feature_scaling"])
    ]
    assert line.cells[2].value == pytest.approx(mine[line.row["metric"]].mean())
    assert page_context({"table1": pd.DataFrame()}, fits) == {}


def test_a_difference_of_times_is_a_factor(tables, fits):
    ((_, grid),) = page_context(tables, fits)["pairs"]["table"]["grids"]
    cells = next(line.cells for line in grid.lines if line.row["metric"] == "seconds")
    place = [head.text for head in grid.heads].index("Difference")
    assert cells[place].text == f"× {10 ** cells[place].value:.3g}"


def test_scores_are_scaled_on_each_data_set_and_count_how_fits_end():
    values = {"l1_ranksvm": [0.2, 0.4], "l1_infinite_push": [0.6, 0.8], "exact": [0.5, 0.5]}
    fits = rows_of({(dataset, method): rates for dataset in "ab" for method, rates in values.items()})
    fits.loc[fits.index[0], "status"] = "time_limit"
    scores = build_scores_table(fits, build_metric_tables(fits, [RATE_AT_TOP]))
    indexed = scores.set_index(["method", "dataset"])
    assert (
        indexed.loc[("l1_ranksvm", "a"), "score"] == 0
        and indexed.loc[("l1_infinite_push", "b"), "score"] == 1
    )
    assert indexed.loc[("exact", "all"), "score"] == pytest.approx(0.5)
    assert tuple(indexed.loc[("l1_ranksvm", "a"), ["fits", "successful_fits"]]) == (4, 3)
    assert "ℓ₁ infinite push is best on 2 of 2 data sets" in describe_map(scores)
    panel, *_ = map_panels(scores)
    assert panel.title == "Rate at the top" and panel.values.shape == (3, 2)
    assert panel.values.loc["l1_infinite_push"].tolist() == pytest.approx([0.7, 0.7]), (
        "the values, not their scores"
    )
    assert panel.values.index[0] == "l1_infinite_push" and panel.is_best.iloc[0].all()
    figure = draw_heat_map(scores)
    assert find_overlaps(figure) == []
    ax, bar = figure.axes
    cells = {(text.get_text(), text.get_weight()) for text in ax.texts}
    assert (".700", "bold") in cells and (".300", "bold") not in cells
    assert bar.get_ylim() == (0.0, 1.0), "one scale for the whole panel"


def test_no_method_is_the_best_where_all_have_the_same_mean():
    values = {"l1_ranksvm": [0.2, 0.4], "l1_infinite_push": [0.6, 0.8]}
    rates = {(dataset, method): values[method] for dataset in "ab" for method in values}
    fits = rows_of(rates | {("c", method): [0.0, 0.0] for method in values})
    scores = build_scores_table(fits, build_metric_tables(fits, [RATE_AT_TOP]))
    assert "ℓ₁ infinite push is best on 2 of 3 data sets" in describe_map(scores)
    panel, *_ = map_panels(scores)
    assert not panel.is_best["c"].any() and panel.is_best.loc["l1_infinite_push", ["a", "b"]].all()


def test_times_are_scaled_by_their_logarithms():
    means = pd.DataFrame({"a": [1.0], "b": [10.0], "c": [100.0]})
    assert scale_scores(means, False, True).to_numpy().tolist() == [[1.0, 0.5, 0.0]]


@needs_pdflatex
def test_latex_compiles_within_the_text_width(tables, query_tables, tmp_path):
    of_all = (tables["ranks"], query_tables[0]["ranks"], RANKS_FORMAT.to_frame([]))
    body = "".join(rf"\begin{{table}}{ranks_to_latex(ranks)}\end{{table}}" for ranks in of_all)
    assert typeset_body(tmp_path, body) == []


def test_the_section_of_the_page(results, tables):
    report = build_report(results)
    report.tables.update(tables)
    page = render_reports(results, [report])
    reader = read_page(page)
    check_links(reader)
    assert f"{report.name}-statistics" in reader.ids
    words = " ".join(" ".join(reader.text).split())
    assert "Statistics beyond the paper" in words
    section = page[page.index(f'id="{report.name}-statistics"') : page.index('<section id="published">')]
    assert "epsilon: not obtained" in section and "cod-rna: 9 of 10 splits." in section
    assert 'data-fits="kadkhodaie2015/splice/raw/admm"' in page


def test_every_paper_has_its_measures():
    assert all(any(not m.larger_is_better for m in paper(name).metrics) for name in PAPERS)
