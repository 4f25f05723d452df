"""The findings of a run: each paragraph follows from its rows, and is left out where they do not say it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import query_rows
import report_rows
from jinja2 import UndefinedError
from report_runs import read_page

from reproduction.artefact import load
from reproduction.comparison.rows import Comparison
from reproduction.finding import Finding, Run, Statement, blocks, each, fill, joined, power, spread
from reproduction.papers import PAPERS, paper
from reproduction.papers.kadkhodaie2015 import findings as k15
from reproduction.papers.laporte2014 import findings as l14
from reproduction.papers.laporte2014.inputs import short_queries
from reproduction.papers.rakotomamonjy2012 import findings as r12
from reproduction.report.findings import COLUMNS, OF_THE_DATA, as_table, observations, of_run
from reproduction.report.page.render import render_page
from reproduction.report.provenance import provenance
from reproduction.report.status import failures
from reproduction.report.studies import Drawing, StudyReport
from reproduction.results import read_data, read_queries, read_verification

R12 = paper("rakotomamonjy2012").printed
SVG = '<svg width="1pt" height="1pt"><path/></svg>'


def of(findings, name):
    """What a finding of the run says, as a function of the studies and the data."""
    (finding,) = [one for one in findings if one.name == name]
    return lambda studies, data=None: finding.state(Run(studies, data))


zero_optimum, loose_stop, marks = (of(k15.FINDINGS, name) for name in ("zero-optimum", "loose-stop", "marks"))
constant, early_sparsity = (of(l14.FINDINGS, name) for name in ("constant", "early-sparsity"))
script, averages, sparsest = (of(l14.FINDINGS, name) for name in ("script", "averages", "called-sparsest"))
printed_sizes, variables = (of(r12.FINDINGS, name) for name in ("printed-sizes", "hardly-regularised"))
counts = of(OF_THE_DATA, "printed-counts")


def study(of_paper, tables, name="trial", fits=None, drawings=(), published=None, read=None):
    drawn = [Drawing(title, "Caption.", SVG, "words", title) for title in drawings]
    fits = pd.DataFrame() if fits is None else fits
    return StudyReport(name, paper(of_paper), fits, tables, Comparison(), drawn, [], published, read)


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
    tables = query_rows.tables_of(folder, whole=True)
    tables |= {"constant": constant_rows(), "early_stop": stop_rows()}
    read = read_queries(folder / query_rows.STUDY / "queries.csv")
    fits = query_rows.read_query_fits(folder / query_rows.STUDY / "fits.csv")
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
    rows = [(1, 5, 5, "certified", 0.0), (8, 20, 30 if fewer else 15, "max_iterations", 0.01)]
    columns = ["radius", "variables", "optimum_variables", "status", "excess"]
    return pd.DataFrame(rows, columns=columns).assign(dataset="mq2008", split=0, optimum_gap=1e-12)


def changed(report, **parts):
    """Return the study with other parts; what is no part of it replaces a table."""
    tables = {name: parts.pop(name) for name in [*parts] if name not in report.__dataclass_fields__}
    return replace(report, tables=report.tables | tables, **parts)


def test_words():
    assert joined(["a"]) == "a" and joined(["a", "b"]) == "a and b" and joined("abc") == "a, b and c"
    assert joined([]) == "none" and power(1e-6) == "1e-6" and power(0.5) == "0.5"
    assert spread(pd.Series([2.0, 1.0])) == "1 to 2" and spread(pd.Series([1.2, 0.9])) == "1"
    table = pd.DataFrame({"dataset": list("aab"), "features": ["raw", "standardised", "raw"]})
    assert blocks(table) == ["a (raw and standardised)", "b"]


def test_where_w_is_0_the_sets_are_named_with_what_is_scored_there(top):
    found = zero_optimum([top])
    assert found.paragraph.startswith("On diabetes (raw and standardised) w = 0 is the exact optimum")
    assert "on every split" in found.paragraph and "printed 14.1 to 31.9" in found.paragraph
    table = top.tables["table1"]
    there = table[(table["dataset"] == "diabetes") & (table["method"] != "exact")]["pos_at_top_mean"]
    assert f"score a mean Pos@Top of {there.min():.3g} to {there.max():.3g} there" in found.paragraph
    assert ("diabetes (raw), Exact", "kadkhodaie2015-diabetes-raw-exact") in found.evidence


def test_where_w_is_0_nowhere_or_on_some_splits_that_is_what_is_said(top):
    table = top.tables["table1"]
    assert zero_optimum([changed(top, table1=table.assign(zero_optimal_share=0.0))]) is None
    assert zero_optimum([]) is None
    is_zero = table["zero_optimal_share"] > 0
    some = table.assign(zero_optimal_share=table["zero_optimal_share"].where(~is_zero, 0.3))
    assert "on 30% or more of the splits" in zero_optimum([changed(top, table1=some)]).paragraph
    silent = table.assign(pos_at_top_mean=table["pos_at_top_mean"].where(~is_zero, 0.0))
    assert "The other methods score" not in zero_optimum([changed(top, table1=silent)]).paragraph


def test_where_w_is_0_for_the_infinite_push():
    (zero_of_push,) = [one for one in r12.FINDINGS if one.name == "zero-optimum"]
    row = {"study": "r", "dataset": "wpbc", "features": "standardised", "method": "l1_infinite_push"}
    sonar = row | {"dataset": "sonar", "lambda_max_median": 0.5, "zero_optimal_share": 0.0}
    near = pd.DataFrame([row | {"lambda_max_median": 0.07, "zero_optimal_share": 0.0}, sonar])
    said = zero_of_push.say(near)
    assert said.startswith("On none of the 2 data sets and readings") and said.endswith("is 0.07, on wpbc.")
    said = zero_of_push.say(near.assign(zero_optimal_share=[1.0, 0.0]))
    assert said == "On wpbc (standardised) w = 0 is the exact optimum at every regularisation."
    assert zero_of_push.say(near.assign(lambda_max_median=np.nan)) == ""


def test_the_published_stop_is_set_beside_the_optimum_of_the_same_problem(top):
    both = k15.pairs_with_optimum(top.fits)
    assert set(both["alpha"]) == {0.01, 1.0} and (both["excess"] > 0).all()
    found = loose_stop([top])
    without = both[both["dataset"] != "diabetes"]
    assert f"a median {without['excess'].median():.1%} above" in found.paragraph
    assert f"These are {len(without)} problems" in found.paragraph
    assert ("iteration by iteration", "kadkhodaie2015-figure2") not in found.evidence, "it has no such rows"


@pytest.mark.parametrize("loose", [True, False])
def test_what_the_stop_does_follows_the_rows(top, loose):
    fits = top.fits.copy()
    stopped, exact = fits["method"] == "toppush", fits["method"] == "exact"
    fits.loc[stopped, ["positives_at_top", "positives_at_top_train"]] = (9, 10) if loose else (5, 50)
    fits.loc[exact, ["positives_at_top", "positives_at_top_train"]] = (5, 50) if loose else (9, 10)
    said = loose_stop([changed(top, fits=fits)]).paragraph
    sets = 6  # breast-cancer and splice twice, covtype-sample, cod-rna
    assert f"lower than at the optimum on {sets if loose else 0} of {sets}" in said
    assert f"it is higher on {sets if loose else 0}." in said
    assert ("10 against 50" in said) == loose
    assert ("acts as a further regularisation" in said) == loose


@pytest.mark.parametrize("early", [103, 7])
def test_early_iterates_are_named_only_where_they_score_more(top, early):
    rows = [("admm", 7, early), ("admm", 20, 8), ("toppush", 5, 6), ("exact", 6, 8)]
    figure2 = pd.DataFrame(rows, columns=["method", "iteration", "positives_at_top"])
    figure2 = figure2.assign(dataset="splice", features="raw", split=0, alpha=10.0, status="certified")
    found = loose_stop([changed(top, figure2=figure2)])
    words = "the highest test Pos@Top is ADMM 103 at iteration 7. The certified optimum has 8."
    assert found.paragraph.endswith(words) == (early == 103)
    assert (("iteration by iteration", "kadkhodaie2015-figure2") in found.evidence) == (early == 103)
    missing = figure2.assign(status="not obtained")
    assert "Early iterates" not in loose_stop([changed(top, figure2=missing)]).paragraph


def test_without_both_solvers_nothing_is_said_of_the_stop(top):
    assert loose_stop([changed(top, fits=top.fits[top.fits["method"] != "exact"])]) is None


def test_what_the_printed_constant_costs(queries):
    found = constant([queries])
    for words in (
        "on one fold of mq2008 the trace is 9 times as large",
        "To within 1e-6 of the certified optimum",
        "60 to 600 iterations with the printed constant and 20 to 200 with the exact one",
        "proximal Newton needs 2 to 20 steps",
        "takes 3 times the iterations. Its size alone explains 3:",
        "took 6 s with the printed constant, 2 s with the exact one and 0.02 s by proximal Newton.",
    ):
        assert words in found.paragraph
    assert "A limit ended" not in found.paragraph
    assert found.evidence[0] == ("seconds to the optimum", "laporte2014-constant")


def test_runs_that_a_limit_ended_are_counted_and_not_compared(queries):
    said = constant([changed(queries, constant=constant_rows(reached=False))]).paragraph
    assert "A limit stopped 2 of 6 runs before." in said and "1.0e-06 above the optimum" in said
    assert "times the iterations" not in said


def test_a_first_order_method_is_called_dearer_only_where_it_is(queries):
    cheap = constant_rows()
    cheap.loc[cheap["solver"] == "fista_trace", "seconds"] = 1.1
    assert constant([changed(queries, constant=cheap)]).paragraph.endswith(
        ": FISTA itself costs more than its constant."
    )


def test_early_stopping_and_sparsity(queries):
    said = early_sparsity([queries]).paragraph
    assert "certified to a gap of 1e-12: it uses fewer variables in 1 of 2 balls" in said
    assert "At the limit of steps it uses 20 on average and the optimum 30" in said
    assert "removes most on mq2008 at radius 8: 20 variables against 30, 1.00% above" in said
    assert "sparser than ℓ₁ RankSVM, which is solved to the optimum, on 3 of 3 data sets" in said
    other = early_sparsity([changed(queries, early_stop=stop_rows(fewer=False))]).paragraph
    assert "in 0 of 2 balls, and more in 1" in other and "removes most" not in other


def test_a_block_that_was_not_measured_is_no_finding(queries):
    missing = pd.DataFrame([{"dataset": "mq2008", "status": "not obtained", "message": "lacks a file"}])
    assert constant([changed(queries, constant=missing)]) is None
    assert early_sparsity([changed(queries, early_stop=missing)]) is None


@pytest.mark.parametrize("nearer", ["LETOR's script", "the printed formula"])
def test_the_script_that_is_nearer_is_named(queries, nearer):
    table = queries.tables["table6"].copy()
    by_script = nearer == "LETOR's script"
    near, far = ("ndcg10_mean", "ndcg10_standard_mean")[:: 1 if by_script else -1]
    printed = table["printed_value"].where(table["ndcg10_mean"].notna())
    table[near], table[far] = printed, printed + 0.2
    said = script([changed(queries, table6=table)]).paragraph
    assert f"{nearer} explains the printed values better" in said.replace("The printed", "the printed")
    assert f"The script is nearer on {3 if by_script else 0} of 3 data sets" in said
    assert "Queries with fewer than ten documents: ohsumed 0 of 120" in said


def test_nothing_is_said_of_the_script_where_nothing_is_printed(queries):
    table = queries.tables["table6"].assign(printed_relation="not printed")
    assert script([changed(queries, table6=table)]) is None


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
    found = counts([], data_rows())
    assert "diabetes has 8 features and not 34." in found.paragraph
    assert "The notes say of colon: One patient stands twice in it." in found.paragraph
    assert "cod-rna" not in found.paragraph and "p300" not in found.paragraph
    assert found.evidence == (("data sets, found against printed", "data"),)
    assert counts([], data_rows(features_printed="", note="")) is None


def test_parentheses_that_do_not_add_up_are_named():
    names = {"study": "r", "features": "standardised", "method": "l1_infinite_push"}
    table = pd.DataFrame([names | {"dataset": "sonar", "data_rows": 208.0}])
    push = study("rakotomamonjy2012", {"table1": table}, "r", published=R12)
    found = printed_sizes([push], data_rows())
    words = "to the file on colon (43 + 19 = 62). On sonar the second count is already the whole file"
    assert words in found.paragraph
    assert found.evidence == (("sonar, 208 rows", "r-sonar-standardised-l1-infinite-push"),)
    unprinted = study("rakotomamonjy2012", {"table1": table}, "r")
    assert printed_sizes([unprinted], data_rows()) is None


def test_averages_and_words_that_contradict_printed_numbers_are_named(queries):
    counted = queries.tables["table3"]
    divided = counted["printed_query_document_pairs"] / counted["printed_queries"]
    ratios = queries.tables["table4"]
    is_log = ratios["method"] == "log_ranksvm"
    consistent = ratios.assign(printed_sparsity_ratio=ratios["printed_sparsity_ratio"].where(~is_log, 0.01))
    right = changed(queries, table3=counted.assign(printed_documents_per_query=divided), table4=consistent)
    assert averages([right]) is None and sparsest([right]) is None
    words = (
        "np2004 (73834 / 75 = 984.5, printed 992.1) and hp2004 (74409 / 75 = 992.1, printed 984.5): they are"
    )
    assert words in averages([queries]).paragraph
    said = sparsest([queries]).paragraph
    assert "mq2007 (0.05 against 0.29)" in said and "td2003 (0.20 against 0.34)" in said


def test_the_marks_are_explained_where_the_exponents_do_better(top, tmp_path):
    found = marks([top])
    assert "on 4 of 11 data sets" in found.paragraph and "give all marks on 11 (" in found.paragraph
    printed = pd.read_csv(report_rows.PRINTED, dtype=str).replace({"mark": {"marked": "not marked"}})
    printed.to_csv(tmp_path / "unmarked.csv", index=False)
    for published in (str(tmp_path / "unmarked.csv"), None):
        assert marks([changed(top, published=published)]) is None


def push_table(limit):
    about = {"study": "r", "features": "standardised", "limit_variables": limit}
    rows = [
        (dataset, method, printed, used)
        for dataset in ("sonar", "wpbc")
        for method, printed, used in (("l1_infinite_push", 24.0, 30.0), ("l1_ranksvm", 60.0, 15.0))
    ]
    columns = ["dataset", "method", "printed_variables_mean", "variables_mean"]
    return pd.DataFrame(rows, columns=columns).assign(**about)


def test_the_printed_ranksvm_is_called_hardly_regularised_only_where_the_limit_is_alike():
    fits = pd.DataFrame([{"role": "path", "method": "l1_ranksvm", "params": json.dumps({"share": 1e-4})}])

    def said(table):
        return variables([study("rakotomamonjy2012", {"table1": table}, "r", fits)])

    paragraph = said(push_table(58.0)).paragraph
    assert "(within 10%) on 0 of 2" in paragraph
    assert "(0.0001 of the strongest regularisation), it does on 2: sonar 60" in paragraph
    assert paragraph.endswith(
        "uses fewer variables than this rival on 2 of 2; ours, with a rival chosen in the same way, on 0."
    )
    assert said(push_table(30.0)) is None
    as_chosen = push_table(58.0).assign(variables_mean=lambda rows: rows["printed_variables_mean"])
    assert said(as_chosen) is None


@pytest.fixture(scope="module")
def found(top, queries):
    data = data_rows()
    return [
        *of_run(k15.FINDINGS, [top], data),
        *of_run(l14.FINDINGS, [queries], data),
        *of_run(OF_THE_DATA, [top, queries], data),
    ]


def test_all_come_in_their_order_with_evidence(found):
    titles = [finding.title for finding in found]
    order = ("w = 0", "stop of TopPush", "marks", "Lipschitz", "FenchelRank", "script", "averages", "counts")
    assert [word for title in titles for word in order if word in title] == list(order)
    assert all(isinstance(finding, Statement) and finding.evidence for finding in found)
    for finding in found:
        assert "nan" not in finding.paragraph.lower().split() and "  " not in finding.paragraph
        assert finding.paragraph.endswith(".") and finding.paragraph.count(". ") <= 9
    for name in PAPERS:
        assert of_run(load(paper(name).findings), [], data_rows()) == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_findings_of_a_paper_have_names(name):
    findings = load(paper(name).findings)
    names = [finding.name for finding in findings]
    assert len(set(names)) == len(names)
    assert observations(findings, {}) == [], "without tables no observation applies"


def test_a_template_is_filled_with_facts_and_with_nothing_else():
    total = Finding("total", "", "{{ a | to('.2f') }} and\n  {{ b }}{% if c %}, {{ c }}{% endif %}.", dict)
    assert total.say({"a": 1, "b": "<2>", "c": 0}) == "1.00 and <2>."
    with pytest.raises(UndefinedError, match="'b' is undefined"):
        total.say({"a": 1})
    left_out = Finding("none", "Nothing", "{{ a }}", lambda table: None, ("fits",))
    assert left_out.say(None) == "" and observations([left_out], {"fits": None}) == []
    items = [{"name": "a", "n": 2}, {"name": "b", "n": None}, {"name": "c"}]
    assert each(items, "{name} {n:.1f}", "{name} never") == ["a 2.0", "b never", "c never"]
    assert fill("{{ n | grouped }}", {"n": 1234567}) == "1\u202f234\u202f567"
    assert fill("{{ n | to('.1e') }}", {"n": -1.2e-7}) == "\N{MINUS SIGN}1.2e-07"


def test_observations_and_findings_of_the_run_are_kept_apart():
    one = Finding("a", "A", "{{ n }} fits.", lambda fits: {"n": len(fits)}, ("fits",))
    run = Finding("b", "B", "{{ n }} studies.", lambda run: {"n": len(run.studies), "studies": ["x", "x"]})
    assert [said.paragraph for said in observations([one, run], {"fits": [1, 2]})] == ["2 fits."]
    (said,) = of_run([one, run], ["x"], None)
    assert (said.paragraph, said.studies) == ("1 studies.", ("x",))


def test_every_link_of_the_evidence_resolves_on_the_page(top, queries, found, tmp_path):
    folder = report_rows.write_results(tmp_path)
    data = read_data(folder / "data.csv")
    run = (data, read_verification(folder / "verification.csv"), failures([top.fits], data), provenance({}))
    reader = read_page(render_page([top, queries], *run, findings=found))
    assert {anchor for finding in found for _, anchor in finding.evidence} <= set(reader.ids)
    assert {link[1:].partition("?")[0] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    text = " ".join(" ".join(reader.text).split())
    assert all(finding.title in text and finding.paragraph in text for finding in found)
    none = render_page([top], *run)
    assert 'id="findings"' not in none and 'href="#findings"' not in none


def test_the_table_holds_what_the_page_says(found):
    table = as_table(found, "report.html")
    assert list(table) == list(COLUMNS) and table["title"].tolist() == [one.title for one in found]
    assert "(report.html#laporte2014-constant)" in table.loc[3, "evidence"]
    assert as_table([], "report.html").empty
