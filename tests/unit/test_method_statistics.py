"""Mean ranks and pairs of methods, from rows of fits: large studies and small ones."""

import numpy as np
import pandas as pd
import pytest
import query_rows
import report_rows
from method_tables import FORMS, made_of, rows_of, words_of
from report_rows import METHODS, SIXTH, results_of
from scipy.stats import rankdata, wilcoxon

from reproduction.core.results import read_queries
from reproduction.papers import paper
from reproduction.papers.laporte2014.significance import build_tests_table
from reproduction.papers.rakotomamonjy2012.table1 import compare_with_best
from reproduction.reporting.method_comparison.critical_difference import (
    describe_rank_diagrams,
    draw_rank_diagrams,
)
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.method_comparison.method_pairs import (
    build_pairwise_table,
    mean_test_to_train_ratio,
)
from reproduction.reporting.method_comparison.method_ranks import (
    ALL_DATASETS,
    build_metric_tables,
    build_ranks_table,
    select_datasets,
)
from reproduction.reporting.page.method_comparison import TESTS_VIEW
from reproduction.reporting.page.table import build_view_context
from reproduction.specs.method_tables import look_up_data_facts


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
    assert mean_test_to_train_ratio(of_set) == pytest.approx(950 / 1900)
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
    assert set(ratios["of"]) == {"folds"} and set(ratios["interval"]) == {"corrected t"}
    assert set(ratios["test_to_train"]) == {1.0 / 3.0}, "training parts share queries"


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
