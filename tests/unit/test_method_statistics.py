"""Mean ranks, pairs of methods and their diagrams, from rows of fits: large studies and small ones."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import query_rows
import report_rows
import yaml
from paths import Paths
from report_rows import METHODS, SIXTH, results_of
from report_runs import check_links, read_page
from scipy.stats import rankdata, wilcoxon
from test_page import page_of, report_of
from typesetting import needs_pdflatex, typeset_body

from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.core.results import read_queries
from reproduction.papers import PAPERS, paper
from reproduction.papers.laporte2014.significance import build_tests_table
from reproduction.papers.rakotomamonjy2012.table1 import compare_with_best
from reproduction.reporting.method_comparison.critical_difference import (
    describe_rank_diagrams,
    draw_rank_diagrams,
    split_panels,
)
from reproduction.reporting.method_comparison.heat_map import describe_heat_map as describe_map
from reproduction.reporting.method_comparison.heat_map import draw_heat_map
from reproduction.reporting.method_comparison.heat_map import split_panels as map_panels
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.method_comparison.page import TESTS_VIEW, build_statistics_context
from reproduction.reporting.page.table import build_view_context
from reproduction.specs.csv_tables import look_up_data_facts
from reproduction.specs.metrics import RATE_AT_TOP
from reproduction.statistics.method_pairs import PAIRWISE_FORMAT, build_pairwise_table, test_to_train_ratio
from reproduction.statistics.method_ranks import (
    ALL_DATASETS,
    RANKS_FORMAT,
    build_metric_tables,
    build_ranks_table,
    build_scores_table,
    scale_scores,
    select_datasets,
)


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


def rows_of(rates, study="mine", **columns):
    """Chosen fits from a table of (data set, method) to values over the splits."""
    rows = [
        {
            "study": study,
            "dataset": dataset,
            "feature_scaling": "raw",
            "method": method,
            "split": float(split),
        }
        | {"role": "chosen", "status": "certified", "params": "{}", "rate_at_top": value, "n_variables": 3.0}
        | {"seconds": 1.0 + split, "n_train_positives": 6.0, "n_train_negatives": 14.0}
        | {"n_test_positives": 4.0, "n_test_negatives": 6.0}
        for (dataset, method), values in rates.items()
        for split, value in enumerate(values)
    ]
    return pd.DataFrame(rows).reindex(columns=list(LIST_FIT_COLUMNS)).assign(**columns)


FORMS = {"ranks": RANKS_FORMAT, "pairwise": PAIRWISE_FORMAT}


def made_of(fits, named="rakotomamonjy2012", data=None):
    blocks = build_metric_tables(fits, paper(named).metrics, data)
    return {"ranks": build_ranks_table(blocks), "pairwise": build_pairwise_table(fits, blocks)}


def pairs_of(tables, **conditions):
    pairs = tables["pairwise"]
    for name, value in conditions.items():
        pairs = pairs[pairs[name] == value]
    return pairs


def test_ranks_are_those_of_the_means_over_the_splits(fits, tables):
    chosen = fits[(fits["role"] == "chosen") & fits["method"].isin([*METHODS, SIXTH])]
    chosen = chosen[chosen["feature_scaling"] == "standardised"]
    means = chosen.pivot_table(index="dataset", columns="method", values="rate_at_top")
    expected = pd.DataFrame(rankdata(-means, axis=1), columns=means.columns).mean()
    ranks = tables["ranks"].query("feature_scaling == 'standardised' and metric == 'rate_at_top'")
    assert ranks.set_index("method")["mean_rank"].to_dict() == pytest.approx(expected.to_dict())
    assert list(ranks["mean_rank"]) == sorted(ranks["mean_rank"])


def test_it_is_said_what_does_not_count(tables):
    ranks = tables["ranks"].query("feature_scaling == 'raw'")
    assert set(ranks["left_out"]) == {"epsilon: not obtained"} and set(ranks["n_datasets"]) == {5.0}
    assert "cod-rna: 9 of 10 splits" in set(ranks.query("metric == 'rate_at_top'")["note"]), "the failed fit"


def test_the_same_rows_count_once():
    substitutes = {"p300": "bci", "covtype-sample": "covtype"}
    outcomes = {"sonar-rocks": "sonar", "colon-normal": "colon", "bci-cut": "bci"}
    data = pd.DataFrame({"dataset": ["sonar", "covtype", *substitutes, *outcomes]})
    data["substitute_for"] = data["dataset"].map(substitutes).fillna("")
    data["variant_of"] = data["dataset"].map(outcomes).fillna("")
    named = {*data["dataset"], "colon"}
    facts = look_up_data_facts(data.assign(status="obtained", reason=""))
    counted, left_out = select_datasets(named, named - {"colon", "covtype"}, facts)
    assert counted == ["colon-normal", "covtype-sample", "p300", "sonar"]
    assert left_out == {
        **{"colon": "not obtained", "covtype": "not obtained"},
        **{"bci-cut": "same data as p300"},
        **{"sonar-rocks": "same data as sonar"},
    }


def test_equal_but_for_the_order_of_the_splits_is_tied():
    fits = rows_of({("a", "x"): [0.1, 0.2, 0.3], ("a", "y"): [0.3, 0.2, 0.1], ("a", "z"): [0.3, 0.2, 0.2]})
    ranks = made_of(fits)["ranks"].query("metric == 'rate_at_top'").set_index("method")["mean_rank"]
    assert ranks.to_dict() == {"z": 1.0, "x": 2.5, "y": 2.5}


def test_pairs_have_holms_correction_over_all_pairs(fits, tables):
    chosen = fits[
        (fits["role"] == "chosen") & (fits["dataset"] == "splice") & (fits["feature_scaling"] == "raw")
    ]
    wide = np.log10(chosen.pivot(index="split", columns="method", values="seconds"))
    pairs = pairs_of(tables, dataset="splice", feature_scaling="raw", metric="seconds")
    assert len(pairs) == 15 and set(pairs["n"]) == {10.0} and set(pairs["of"]) == {"splits"}
    p_values = [wilcoxon(wide[row.method], wide[row.rival]).pvalue for row in pairs.itertuples()]
    assert pairs["wilcoxon_p"].to_numpy() == pytest.approx(p_values)
    places = rankdata(p_values, method="ordinal")
    steps = [(15 + 1 - place) * p_value for place, p_value in zip(places, p_values, strict=True)]
    adjusted = [min(1.0, max(np.array(steps)[places <= place])) for place in places]
    assert pairs["wilcoxon_holm"].to_numpy() == pytest.approx(adjusted)
    first = pairs.iloc[0]
    difference = wide[first["method"]] - wide[first["rival"]]
    assert first["mean_difference"] == pytest.approx(difference.mean())
    assert first["wins"] == (difference < 0).sum(), "less time is better"


def test_over_all_data_sets_each_is_one_pair(tables):
    pairs = pairs_of(tables, dataset=ALL_DATASETS, feature_scaling="standardised", metric="rate_at_top")
    assert set(pairs["n"]) == {3.0} and set(pairs["of"]) == {"data sets"}
    assert pairs["corrected_t_p"].isna().all()
    assert (pairs["wins"] + pairs["ties"] + pairs["losses"] == pairs["n"]).all()


def test_random_splits_have_the_corrected_test(tables, fits):
    of_set = fits[(fits["dataset"] == "splice") & (fits["role"] == "chosen")]
    assert test_to_train_ratio(of_set) == pytest.approx(950 / 1900)
    pairs = pairs_of(tables, dataset="splice", metric="rate_at_top")
    assert set(pairs["interval"]) == {"corrected t"} and set(pairs["test_to_train"]) == {0.5}
    excludes_zero = (pairs["low"] > 0) | (pairs["high"] < 0)
    assert (excludes_zero == (pairs["corrected_t_p"] < 0.05)).all()
    blocks = build_metric_tables(of_set, paper("kadkhodaie2015").metrics)
    unknown = build_pairwise_table(of_set.assign(n_test_positives=np.nan), blocks)
    assert unknown["corrected_t_p"].isna().all() and set(unknown["interval"]) == {"none"}
    assert unknown["mean_difference"].notna().all()


def test_they_agree_with_the_test_that_underlines():
    random = np.random.default_rng(8)
    rates = {("sonar", m): random.integers(0, 6, 10) / 7 for m in ("l1_infinite_push", "l1_ranksvm", "x")}
    fits = rows_of(rates)
    pairs = pairs_of(made_of(fits), dataset="sonar", metric="rate_at_top")
    p_values = compare_with_best(fits)
    best = fits.groupby("method")["rate_at_top"].mean().idxmax()
    for row in pairs[(pairs["method"] == best) | (pairs["rival"] == best)].itertuples():
        other = row.rival if row.method == best else row.method
        assert row.wilcoxon_p == pytest.approx(p_values[other])


def test_queries_are_the_pairs_of_a_mean_over_queries(query_tables):
    tables, fits, queries = query_tables
    tested = build_tests_table(fits, queries)
    query_pairs = pairs_of(tables, dataset="mq2008", metric="map")
    assert set(query_pairs["n"]) == {120.0} and set(query_pairs["interval"]) == {"bootstrap"}
    pairs = {frozenset((pair.method, pair.rival)): pair for pair in query_pairs.itertuples()}
    of_map = tested.query("dataset == 'mq2008' and metric == 'map'")
    assert len(of_map) == 7
    for row in of_map.itertuples():
        pair = pairs[frozenset((row.method, row.best))]
        assert pair.wilcoxon_p == pytest.approx(row.wilcoxon_p)
        assert abs(pair.mean_difference) == pytest.approx(abs(row.difference))
    ratios = pairs_of(tables, dataset="mq2008", metric="sparsity_ratio")
    assert set(ratios["of"]) == {"folds"} and set(ratios["interval"]) == {"Student t"}
    assert ratios["corrected_t_p"].isna().all(), "folds share no test query"


def test_the_method_that_is_worse_by_far_is_found(query_tables):
    pairs = pairs_of(query_tables[0], dataset="mq2008", metric="map", rival="log_ranksvm")
    assert (pairs["wilcoxon_holm"] < 1e-6).all() and (pairs["rank_biserial"] > 0.9).all()
    assert (pairs["low"] > 0.08).all() and (pairs["high"] < 0.13).all()


def first_note(tables):
    """What the page says of the test of the first block."""
    (_, grid) = build_view_context(TESTS_VIEW, tables, "s")["grids"][0]
    return grid.lines[0].more[-1][1].text


def test_a_method_without_a_data_set_has_no_rank_and_says_so():
    rates = {(d, m): np.arange(3) / 10 + len(m) / 50 for d in "ab" for m in ("xx", "y")}
    fits = rows_of(rates | {("a", "mine"): [0.9, 0.9, 0.9]})
    tables = made_of(fits)
    row = tables["ranks"].query("method == 'mine' and metric == 'rate_at_top'").iloc[0]
    assert np.isnan(row["mean_rank"]) and row["note"] == "no number on b" and row["n_methods"] == 2
    assert len(pairs_of(tables, dataset="a", metric="rate_at_top")) == 3
    assert len(pairs_of(tables, dataset=ALL_DATASETS, metric="rate_at_top")) == 1
    assert "mine: no number on b." in first_note(tables)
    assert "none" in ranks_to_latex(tables["ranks"])


SMALL_STUDIES = {
    "one data set": ({("a", "x"): [0.1, 0.2], ("a", "y"): [0.3, 0.2]}, "one data set only"),
    "one method": ({("a", "x"): [0.1, 0.2], ("b", "x"): [0.3, 0.2]}, "one method only"),
    "one of both": ({("a", "x"): [0.1]}, "one data set only"),
    "no common method": ({("a", "x"): [0.1], ("b", "y"): [0.2]}, "no method has a number on all data sets"),
    "nothing obtained": ({("a", "x"): [np.nan], ("a", "y"): [np.nan]}, "no data set with numbers"),
}


@pytest.mark.parametrize(("rates", "message"), SMALL_STUDIES.values(), ids=SMALL_STUDIES)
def test_small_studies_say_why_there_is_no_test(rates, message, tmp_path):
    fits = rows_of(rates, n_variables=[np.nan] * sum(map(len, rates.values())))
    tables = made_of(fits)
    for name, form in FORMS.items():
        form.write(tables[name], tmp_path / name)
        tables[name] = form.read(tmp_path / name)
    ranks = tables["ranks"].query("metric == 'rate_at_top'")
    assert ranks["friedman_p"].isna().all() and message in first_note(tables)
    assert message in describe_rank_diagrams(tables["ranks"]) and message in ranks_to_latex(tables["ranks"])
    assert message in " ".join(words_of(draw_rank_diagrams(tables["ranks"])))
    assert pairs_of(tables, dataset=ALL_DATASETS).empty


def words_of(figure):
    return [text.get_text() for text in texts_of(*figure.axes)]


def texts_of(*panels):
    """Of the panels, and of the axes of ranks that lie in them."""
    return [text for panel in panels for ax in (panel, *panel.child_axes) for text in ax.texts]


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


def test_bars_join_what_the_test_does_not_tell_apart():
    rates = {(d, m): [0.1 * i] for d in "abcdefgh" for i, m in enumerate(("x", "y", "z"))}
    ranks = made_of(rows_of(rates))["ranks"]
    words = describe_rank_diagrams(ranks)
    assert "z 1.00, y 2.00, x 3.00; critical difference 1.17; not told apart: z/y; y/x." in words
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
    assert context["own"] == "Its own tests." and context["has_corrected"]
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
    assert tuple(indexed.loc[("l1_ranksvm", "a"), ["fits", "ended_well"]]) == (4, 3)
    assert "0.50" in describe_map(scores) or "1.00 over 2 data sets" in describe_map(scores)
    (title, table), *_ = map_panels(scores)
    assert title == "Rate at the top" and table.shape == (2, 3)
    assert "all methods" not in str(draw_heat_map(scores).texts) and len(draw_heat_map(scores).axes) == 1


def test_times_are_scaled_by_their_logarithms():
    means = pd.DataFrame({"a": [1.0], "b": [10.0], "c": [100.0]})
    assert scale_scores(means, False, True).to_numpy().tolist() == [[1.0, 0.5, 0.0]]


@needs_pdflatex
def test_latex_compiles_within_the_text_width(tables, query_tables, tmp_path):
    of_all = (tables["ranks"], query_tables[0]["ranks"], RANKS_FORMAT.to_frame([]))
    body = "".join(rf"\begin{{table}}{ranks_to_latex(ranks)}\end{{table}}" for ranks in of_all)
    assert typeset_body(tmp_path, body) == []


def test_the_section_of_the_page(results, tables):
    report = report_of(results)
    report.tables.update(tables)
    page = page_of(results, [report])
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
