"""The findings of a run: each paragraph follows its rows, and is left out where they do not say it."""

import json

import numpy as np
import pandas as pd
import pytest
import query_rows
import report_rows
from report_runs import read_page

from reproduction.comparison.verdicts import COLUMNS as COMPARED
from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.topics import marks_topic, pairs_with_optimum, stop_topic, zero_topic
from reproduction.papers.laporte2014.inputs import read_query_fits, short_queries
from reproduction.papers.laporte2014.topics import constant_topic, script_topic
from reproduction.papers.laporte2014.topics import stop_topic as fenchel_topic
from reproduction.papers.rakotomamonjy2012.topics import variables_topic
from reproduction.report.findings.data import counts_topic
from reproduction.report.findings.finding import Finding, blocks_named, joined, power, spread
from reproduction.report.findings.topics import COLUMNS, as_table, topics
from reproduction.report.page.render import render_page
from reproduction.report.provenance import provenance
from reproduction.report.status import failures
from reproduction.report.studies import Drawing, StudyReport
from reproduction.results import read_data, read_queries, read_verification

R12 = paper("rakotomamonjy2012").printed
SVG = '<svg width="1pt" height="1pt"><path/></svg>'


def study(named, tables, name="trial", fits=None, drawings=(), published=None, queries=None):
    drawn = [Drawing(title, "Caption.", SVG, "words", title) for title in drawings]
    fits = pd.DataFrame() if fits is None else fits
    return StudyReport(
        name, paper(named), fits, tables, pd.DataFrame(columns=list(COMPARED)), drawn, [], published, queries
    )


@pytest.fixture(scope="module")
def top(tmp_path_factory):
    """The study of K15 of the synthetic rows."""
    folder = report_rows.write_results(tmp_path_factory.mktemp("top"))
    read = report_rows.results_of(folder)
    tables = {"table1": report_rows.table1_of(folder), "errata": report_rows.errata()}
    drawings = ("figure_table1", "figure2")
    return study("kadkhodaie2015", tables, report_rows.STUDY, read["fits"], drawings, report_rows.PRINTED)


@pytest.fixture(scope="module")
def queries(tmp_path_factory):
    """The study of L14 of the synthetic rows, with both measured blocks."""
    folder = query_rows.write_results(tmp_path_factory.mktemp("queries"))
    tables = query_rows.tables_of(folder)
    tables |= {"constant": constant_rows(), "early_stop": stop_rows()}
    read = read_queries(folder / query_rows.STUDY / "queries.csv")
    fits = read_query_fits(folder / query_rows.STUDY / "fits.csv")
    drawings = ("constant", "early_stop")
    return study("laporte2014", tables, query_rows.STUDY, fits, drawings, query_rows.PRINTED, read)


def constant_rows(reached=True):
    rows = []
    for share, factor in ((0.1, 1), (0.01, 10)):
        for solver, ratio, iterations, seconds in (
            ("fista_trace", 9.0, 60, 3.0),
            ("fista_exact", 1.0, 20, 1.0),
            ("prox_newton", np.nan, 2, 0.01),
        ):
            row = {"dataset": "mq2008", "split": 0, "share": share, "solver": solver, "ratio": ratio}
            row |= {"level": 1e-6, "iterations": factor * iterations, "seconds": seconds, "status": "reached"}
            rows.append(row | {"reached": reached or solver != "fista_trace", "excess": 1e-7 * factor})
    return pd.DataFrame(rows)


def stop_rows(fewer=True):
    rows = [(1, 5, 5, "optimal", 0.0), (8, 20, 30 if fewer else 15, "max_iterations", 0.01)]
    columns = ["radius", "variables", "optimum_variables", "status", "excess"]
    return pd.DataFrame(rows, columns=columns).assign(dataset="mq2008", split=0, optimum_gap=1e-12)


def changed(report, **tables):
    """Return the study with some of its tables replaced."""
    given = {field: getattr(report, field) for field in report.__dataclass_fields__}
    return StudyReport(**given | {"tables": report.tables | tables})


def test_words():
    assert joined(["a"]) == "a" and joined(["a", "b"]) == "a and b" and joined("abc") == "a, b and c"
    assert joined([]) == "none" and power(1e-6) == "1e-6" and power(0.5) == "0.5"
    assert spread(pd.Series([2.0, 1.0])) == "1 to 2" and spread(pd.Series([1.2, 0.9])) == "1"
    table = pd.DataFrame({"dataset": list("aab"), "features": ["raw", "standardised", "raw"]})
    assert blocks_named(table) == "a (raw and standardised) and b"


def test_where_w_is_0_the_sets_are_named_with_what_is_scored_there(top):
    found = zero_topic([top])
    assert found.paragraph.startswith("On diabetes (raw and standardised) w = 0 is the exact optimum")
    assert "on every split" in found.paragraph and "printed 14.1 to 31.9" in found.paragraph
    table = top.tables["table1"]
    there = table[(table["dataset"] == "diabetes") & (table["method"] != "exact")]["pos_at_top_mean"]
    assert f"a mean Pos@Top of {there.min():.3g} to {there.max():.3g}" in found.paragraph
    assert ("diabetes (raw), Exact", "kadkhodaie2015-diabetes-raw-exact") in found.evidence


def test_where_w_is_0_nowhere_or_on_some_splits_that_is_what_is_said(top):
    table = top.tables["table1"]
    assert zero_topic([changed(top, table1=table.assign(zero_optimal_share=0.0))]) is None
    assert zero_topic([]) is None
    is_zero = table["zero_optimal_share"] > 0
    some = table.assign(zero_optimal_share=table["zero_optimal_share"].where(~is_zero, 0.3))
    assert "on 30% or more of the splits" in zero_topic([changed(top, table1=some)]).paragraph
    silent = table.assign(pos_at_top_mean=table["pos_at_top_mean"].where(~is_zero, 0.0))
    assert "What the other methods score" not in zero_topic([changed(top, table1=silent)]).paragraph


def test_the_infinite_push_is_named_beside_it(top):
    row = {"study": "r", "dataset": "wpbc", "features": "standardised", "method": "l1_infinite_push"}
    sonar = row | {"dataset": "sonar", "lambda_max_median": 0.5, "zero_optimal_share": 0.0}
    near = pd.DataFrame([row | {"lambda_max_median": 0.07, "zero_optimal_share": 0.0}, sonar])
    push = study("rakotomamonjy2012", {"table1": near}, "r")
    found = zero_topic([top, push])
    assert found.paragraph.endswith("the smallest median λ_max is 0.07, on wpbc.")
    assert found.studies == ("kadkhodaie2015", "r")
    zero = near.assign(zero_optimal_share=[1.0, 0.0])
    said = zero_topic([top, study("rakotomamonjy2012", {"table1": zero}, "r")]).paragraph
    assert said.endswith("The infinite push has such a case too: wpbc (standardised).")


def test_the_published_stop_is_set_beside_the_optimum_of_the_same_problem(top):
    both = pairs_with_optimum(top.fits)
    assert set(both["alpha"]) == {0.01, 1.0} and (both["excess"] > 0).all()
    found = stop_topic([top])
    without = both[both["dataset"] != "diabetes"]
    assert f"a median {without['excess'].median():.1%} above" in found.paragraph
    assert f"({len(without)} problems" in found.paragraph
    assert ("iteration by iteration", "kadkhodaie2015-figure2") not in found.evidence, "it has no such rows"


@pytest.mark.parametrize("loose", [True, False])
def test_what_the_stop_does_follows_the_rows(top, loose):
    fits = top.fits.copy()
    stopped, exact = fits["method"] == "toppush", fits["method"] == "exact"
    fits.loc[stopped, ["positives_at_top", "positives_at_top_train"]] = (9, 10) if loose else (5, 50)
    fits.loc[exact, ["positives_at_top", "positives_at_top_train"]] = (5, 50) if loose else (9, 10)
    given = {name: getattr(top, name) for name in top.__dataclass_fields__} | {"fits": fits}
    said = stop_topic([StudyReport(**given)]).paragraph
    blocks = 6  # breast-cancer and splice twice, covtype-sample, cod-rna
    assert f"below that of the optimum on {blocks if loose else 0} of {blocks}" in said
    assert f"it is above it on {blocks if loose else 0}." in said
    assert ("10 against 50" in said) == loose
    assert ("a regularisation of its own" in said) == loose


@pytest.mark.parametrize("early", [103, 7])
def test_early_iterates_are_named_only_where_they_score_more(top, early):
    rows = [("admm", 7, early), ("admm", 20, 8), ("toppush", 5, 6), ("exact", 6, 8)]
    figure2 = pd.DataFrame(rows, columns=["method", "iteration", "positives_at_top"])
    figure2 = figure2.assign(dataset="splice", features="raw", split=0, alpha=10.0, status="optimal")
    found = stop_topic([changed(top, figure2=figure2)])
    words = "the most on the test part is ADMM 103 at iteration 7, where the certified optimum has 8."
    assert found.paragraph.endswith(words) == (early == 103)
    assert (("iteration by iteration", "kadkhodaie2015-figure2") in found.evidence) == (early == 103)
    missing = figure2.assign(status="not obtained")
    assert "Early iterates" not in stop_topic([changed(top, figure2=missing)]).paragraph


def test_without_both_solvers_nothing_is_said_of_the_stop(top):
    fits = top.fits[top.fits["method"] != "exact"]
    given = {name: getattr(top, name) for name in top.__dataclass_fields__} | {"fits": fits}
    assert stop_topic([StudyReport(**given)]) is None


def test_what_the_printed_constant_costs(queries):
    found = constant_topic([queries])
    for words in (
        "on one fold of mq2008 it is 9 times as large",
        "To within 1e-6 of the certified optimum",
        "60 to 600 iterations with it and 20 to 200 with the exact one, proximal Newton 2 to 20 steps",
        "takes 3 times the iterations; its excess alone explains 3,",
        "took 6 s with the printed constant, 2 s with the exact one and 0.02 s by proximal Newton.",
    ):
        assert words in found.paragraph
    assert "A limit ended" not in found.paragraph
    assert found.evidence[0] == ("iterations to the optimum", "laporte2014-constant")


def test_runs_that_a_limit_ended_are_counted_and_not_compared(queries):
    said = constant_topic([changed(queries, constant=constant_rows(reached=False))]).paragraph
    assert "A limit ended 2 of 6 runs before that" in said and "1.0e-06 above the optimum" in said
    assert "times the iterations" not in said


def test_a_first_order_method_is_called_dearer_only_where_it_is(queries):
    cheap = constant_rows()
    cheap.loc[cheap["solver"] == "fista_trace", "seconds"] = 1.1
    assert constant_topic([changed(queries, constant=cheap)]).paragraph.endswith(
        ": a first-order method costs more than its constant."
    )


def test_early_stopping_and_sparsity(queries):
    said = fenchel_topic([queries]).paragraph
    assert (
        "it uses fewer variables than the optimum in the same ball, certified to a gap of 1e-12, in 1 of 2"
        in said
    )
    assert "Where the steps ended it, it uses 20 on average and the optimum 30" in said
    assert "removes most on mq2008 at radius 8, 20 variables against 30, 1.00% above" in said
    assert "sparser than ℓ₁ RankSVM, which is solved to the optimum, on 3 of 3 data sets" in said
    other = fenchel_topic([changed(queries, early_stop=stop_rows(fewer=False))]).paragraph
    assert "in 0 of 2 balls, and more in 1" in other and "removes most" not in other


def test_a_block_that_was_not_measured_is_no_finding(queries):
    missing = pd.DataFrame([{"dataset": "mq2008", "status": "not obtained", "message": "lacks a file"}])
    assert constant_topic([changed(queries, constant=missing)]) is None
    assert fenchel_topic([changed(queries, early_stop=missing)]) is None


@pytest.mark.parametrize("nearer", ["LETOR's script", "the printed formula"])
def test_the_script_that_is_nearer_is_named(queries, nearer):
    table = queries.tables["table6"].copy()
    by_script = nearer == "LETOR's script"
    near, far = ("ndcg10_mean", "ndcg10_standard_mean")[:: 1 if by_script else -1]
    printed = table["printed_value"].where(table["ndcg10_mean"].notna())
    table[near], table[far] = printed, printed + 0.2
    said = script_topic([changed(queries, table6=table)]).paragraph
    assert f"{nearer} explains the print better" in said
    assert f"the script is nearer on {3 if by_script else 0} of 3 data sets" in said
    assert "Queries with fewer than ten documents: ohsumed 0 of 120" in said


def test_nothing_is_said_of_the_script_where_nothing_is_printed(queries):
    table = queries.tables["table6"].assign(printed_relation="not printed")
    assert script_topic([changed(queries, table6=table)]) is None


def test_short_queries_are_counted_once():
    rows = [("a", "m", 0, "1", 9), ("a", "n", 0, "1", 9), ("a", "m", 0, "2", 10), ("b", "m", 0, "1", 3)]
    table = pd.DataFrame(rows, columns=["dataset", "method", "split", "qid", "n_documents"])
    assert short_queries(table).to_numpy().tolist() == [["a", 2, 1], ["b", 1, 1]]


def data_rows(**changes):
    plain = {"status": "obtained", "substitute_for": "", "reading_of": "", "note": "", "papers": "k15"}
    rows = [
        plain | {"dataset": "diabetes", "rows": "768", "features": "8", "features_printed": "34"},
        plain | {"dataset": "sonar", "rows": "208", "features": "60", "features_printed": "60"},
        plain | {"dataset": "colon", "rows": "62", "note": "One patient stands twice in it."},
        plain | {"dataset": "cod-rna", "rows": "1", "rows_printed": "3", "status": "partial"},
        plain | {"dataset": "p300", "rows": "1", "rows_printed": "3", "substitute_for": "bci"},
    ]
    return pd.DataFrame(rows).fillna("").assign(**changes)


def test_counts_of_whole_files_that_differ_are_named():
    found = counts_topic([], data_rows())
    assert "diabetes has 8 features and not 34;" in found.paragraph
    assert "The notes say of colon: One patient stands twice in it." in found.paragraph
    assert "cod-rna" not in found.paragraph and "p300" not in found.paragraph
    assert found.evidence == (("data sets, found against printed", "data"),)
    assert counts_topic([], data_rows(features_printed="", note="")) is None


def test_parentheses_that_do_not_add_up_are_named():
    names = {"study": "r", "features": "standardised", "method": "l1_infinite_push"}
    table = pd.DataFrame([names | {"dataset": "sonar", "data_rows": 208.0}])
    push = study("rakotomamonjy2012", {"table1": table}, "r", published=R12)
    found = counts_topic([push], data_rows(features_printed="", note=""))
    assert (
        "to the file on colon (43 + 19 = 62), but on sonar the second is already the whole file"
        in found.paragraph
    )
    assert found.evidence == (("sonar, 208 rows", "r-sonar-standardised-l1-infinite-push"),)
    unprinted = study("rakotomamonjy2012", {"table1": table}, "r")
    assert counts_topic([unprinted], data_rows(features_printed="", note="")) is None


def test_averages_and_words_that_contradict_printed_numbers_are_named(queries):
    averages = queries.tables["table3"].copy()
    divided = averages["printed_query_document_pairs"] / averages["printed_queries"]
    ratios = queries.tables["table4"]
    is_log = ratios["method"] == "log_ranksvm"
    consistent = ratios.assign(printed_sparsity_ratio=ratios["printed_sparsity_ratio"].where(~is_log, 0.01))
    nothing = data_rows(features_printed="", note="")
    right = changed(queries, table3=averages.assign(printed_documents_per_query=divided), table4=consistent)
    assert counts_topic([right], nothing) is None
    said = counts_topic([queries], nothing).paragraph
    assert (
        "np2004 73834 / 75 = 984.5, printed 992.1 and hp2004 74409 / 75 = 992.1, printed 984.5: each is"
        in said
    )
    assert "mq2007 (0.05 against 0.29)" in said and "td2003 (0.20 against 0.34)" in said


def test_the_marks_are_explained_where_the_exponents_do_better(top, tmp_path):
    found = marks_topic([top])
    assert "of 4 of 11 data sets" in found.paragraph and "explain those of 11 (" in found.paragraph
    printed = pd.read_csv(report_rows.PRINTED, dtype=str).replace({"mark": {"marked": "not marked"}})
    printed.to_csv(tmp_path / "unmarked.csv", index=False)
    given = {name: getattr(top, name) for name in top.__dataclass_fields__}
    assert marks_topic([StudyReport(**given | {"published": str(tmp_path / "unmarked.csv")})]) is None
    assert marks_topic([StudyReport(**given | {"published": None})]) is None


def push_table(limit):
    names = {"study": "r", "features": "standardised"}
    rows = [
        names
        | {"dataset": dataset, "method": method, "printed_variables_mean": printed, "variables_mean": used}
        for dataset in ("sonar", "wpbc")
        for method, printed, used in (("l1_infinite_push", 24.0, 30.0), ("l1_ranksvm", 60.0, 15.0))
    ]
    return pd.DataFrame(rows).assign(limit_variables=limit)


def test_the_printed_ranksvm_is_called_hardly_regularised_only_where_the_limit_is_alike():
    fits = pd.DataFrame([{"role": "path", "method": "l1_ranksvm", "params": json.dumps({"share": 1e-4})}])
    said = variables_topic([study("rakotomamonjy2012", {"table1": push_table(58.0)}, "r", fits)]).paragraph
    assert (
        "(within 10%) on 0 of 2" in said
        and "(0.0001 of the strongest regularisation), on 2: sonar 60" in said
    )
    assert said.endswith(
        "uses fewer variables than this rival on 2 of 2; ours, beside a rival that is chosen like it, on 0."
    )
    assert variables_topic([study("rakotomamonjy2012", {"table1": push_table(30.0)}, "r", fits)]) is None
    as_chosen = push_table(58.0).assign(variables_mean=lambda rows: rows["printed_variables_mean"])
    assert variables_topic([study("rakotomamonjy2012", {"table1": as_chosen}, "r", fits)]) is None


@pytest.fixture(scope="module")
def found(top, queries):
    return topics([top, queries], data_rows())


def test_all_come_in_their_order_with_evidence(found):
    titles = [finding.title for finding in found]
    order = ("w = 0", "stop of TopPush", "Lipschitz", "FenchelRank", "script", "counts", "marks")
    assert [word for title in titles for word in order if word in title] == list(order)
    assert all(isinstance(finding, Finding) and finding.evidence for finding in found)
    for finding in found:
        assert "nan" not in finding.paragraph.lower().split() and "  " not in finding.paragraph
        assert finding.paragraph.endswith(".") and finding.paragraph.count(". ") <= 7
    assert topics([], data_rows(features_printed="", note="")) == []


def test_every_link_of_the_evidence_resolves_on_the_page(top, queries, found, tmp_path):
    folder = report_rows.write_results(tmp_path)
    data = read_data(folder / "data.csv")
    page = render_page(
        [top, queries],
        data,
        read_verification(folder / "verification.csv"),
        failures([top.fits], data),
        provenance({}),
        findings=found,
    )
    reader = read_page(page)
    assert {anchor for finding in found for _, anchor in finding.evidence} <= set(reader.ids)
    assert {link[1:].partition("?")[0] for link in reader.links} <= set(reader.ids)
    text = " ".join(" ".join(reader.text).split())
    assert all(finding.title in text and finding.paragraph in text for finding in found)
    none = render_page(
        [top],
        data,
        read_verification(folder / "verification.csv"),
        failures([top.fits], data),
        provenance({}),
    )
    assert 'id="findings"' not in none and 'href="#findings"' not in none


def test_the_table_holds_what_the_page_says(found):
    table = as_table(found, "report.html")
    assert list(table) == list(COLUMNS) and table["title"].tolist() == [one.title for one in found]
    assert "(report.html#laporte2014-constant)" in table.loc[2, "evidence"]
    assert as_table([], "report.html").empty
