"""Every printed number of L14 has a verdict and a reason that follows from the rows."""

import math

import numpy as np
import pandas as pd
import pytest
from query_rows import MISSING, MISSING_REASON, NOTE, PAPER, STUDY, tables_of, write_results

from reproduction.comparison.verdicts import (
    AGREES,
    COLUMNS,
    DIFFERS,
    IN_ORDER,
    NOT_OBTAINED,
    read_comparison,
    to_csv,
)
from reproduction.papers.laporte2014 import findings as query_findings
from reproduction.papers.laporte2014.comparison import compare_tables as compare
from reproduction.papers.laporte2014.inputs import MEAN, read_query_fits
from reproduction.report.findings import observations


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def made(results):
    return tables_of(results)


@pytest.fixture
def tables(made):
    return {name: table.copy() for name, table in made.items()}


def one(comparison, dataset, method, quantity):
    named = (comparison["dataset"] == dataset) & (comparison["method"] == method)
    rows = comparison[named & (comparison["quantity"] == quantity)]
    assert len(rows) == 1
    return rows.iloc[0]


def test_every_printed_number_is_there_and_nothing_is_blank(tables, tmp_path):
    comparison = compare(tables)
    artefacts = comparison["artefact"].value_counts()
    assert set(comparison["features"]) == {"raw"}
    assert artefacts["table3"] == 9 * 6 and artefacts["table4"] == 54 + 6
    # with the decreases, the best methods in words, and the p-values
    assert artefacts["table5"] == 54 + 8 + 9 + 8 and artefacts["table6"] == 54 + 6 + 9 + 6
    assert (comparison["reason"].str.len() > 10).all()
    to_csv(comparison, tmp_path / "c.csv")
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert ",," not in text and text.splitlines()[0] == ",".join(COLUMNS)
    assert ",map_relation,worse,not printed,~,none,differs," in text
    assert ",map_p_value,<0.001,not printed," in text
    assert ",map_best_method,fsmrank,not printed,fenchelrank,none,differs," in text
    again = read_comparison(tmp_path / "c.csv")
    for column in ("published", "ours_mean"):
        assert again[column].to_numpy() == pytest.approx(comparison[column].to_numpy(float), nan_ok=True)
    to_csv(again, tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_what_was_not_obtained_gives_the_reason_of_the_data(tables):
    comparison = compare(tables)
    for quantity, method in (
        ("sparsity_ratio", "log_ranksvm"),
        ("map", "mcp_ranksvm"),
        ("queries_count", "data"),
    ):
        row = one(comparison, MISSING, method, quantity)
        assert (row["verdict"], row["reason"]) == (NOT_OBTAINED, MISSING_REASON)
    assert "configuration" in one(comparison, "hp2004", "log_ranksvm", "ndcg10_relation")["reason"]


def test_counts_agree_exactly_and_averages_up_to_their_last_digit(tables):
    comparison = compare(tables)
    assert one(comparison, "ohsumed", "data", "preferences_count")["verdict"] == AGREES
    cut_off = one(comparison, "ohsumed", "data", "documents_per_query_count")  # 152.264, printed 152.2
    assert cut_off["verdict"] == AGREES and "cut off" in cut_off["reason"]
    lost = one(comparison, "mq2007", "data", "preferences_count")
    assert lost["verdict"] == DIFFERS and "404460" in lost["reason"] and NOTE.rstrip(".") in lost["reason"]


def test_ratios_are_judged_with_measured_reasons(tables):
    comparison = compare(tables)
    assert one(comparison, "mq2008", "log_ranksvm", "sparsity_ratio")["verdict"] == AGREES
    differs = one(comparison, "ohsumed", "l1_ranksvm", "sparsity_ratio")  # 0.4 against 0.28
    assert differs["verdict"] == DIFFERS
    assert "2 candidates (mean over the folds) are within 0.005" in differs["reason"]
    assert "from 0.40 to 0.60, without the printed 0.28" in differs["reason"]
    assert "on 5 of 5 folds the choice is an end of ours" in differs["reason"]
    assert "largest relative gap 1.0e-09" in differs["reason"]
    nonconvex = one(comparison, "ohsumed", "lp_ranksvm", "sparsity_ratio")["reason"]
    assert "not convex" in nonconvex and "3.0e-09" in nonconvex
    assert (
        "median relative gap 1.0e-03" in one(comparison, "ohsumed", "fenchelrank", "sparsity_ratio")["reason"]
    )
    assert "reconstructed from its papers" in one(comparison, "mq2007", "fsmrank", "sparsity_ratio")["reason"]


def test_a_distance_within_the_spread_of_the_folds_says_so(tables):
    here = (tables["table4"]["dataset"] == "ohsumed") & (tables["table4"]["method"] == "l1_ranksvm")
    tables["table4"].loc[here, ["sparsity_ratio_mean", "sparsity_ratio_std"]] = [0.33, 0.05]
    reason = one(compare(tables), "ohsumed", "l1_ranksvm", "sparsity_ratio")["reason"]
    assert reason.startswith("the distance is 1 standard deviations of ours over the folds (0.05)")


def test_the_same_ranking_agrees_in_order(tables):
    table = tables["table4"]
    here = (table["dataset"] == "ohsumed") & (table["block"] == "paper")
    table.loc[here, "sparsity_ratio_mean"] = table.loc[here, "printed_sparsity_ratio"] + 0.3
    row = one(compare(tables), "ohsumed", "log_ranksvm", "sparsity_ratio")
    assert row["verdict"] == IN_ORDER and row["reason"].startswith("same ranking of the 6 methods")
    table.loc[here, "sparsity_ratio_mean"] = 0.9
    assert one(compare(tables), "ohsumed", "log_ranksvm", "sparsity_ratio")["verdict"] == DIFFERS


def test_the_printed_mean_over_nine_is_held_against_the_same_data_sets(tables):
    row = one(compare(tables), MEAN, "log_ranksvm", "sparsity_ratio")
    assert row["verdict"] == NOT_OBTAINED and row["published"] == 0.21 and math.isnan(row["ours_mean"])
    assert (
        "needs hp2004, np2004" in row["reason"]
        and "ours is 0.10 and the mean of the printed 0.17" in row["reason"]
    )
    table = tables["table4"]
    table.loc[table["sparsity_ratio_mean"].isna(), "sparsity_ratio_mean"] = 0.2
    here = (table["dataset"] == MEAN) & (table["method"] == "log_ranksvm")
    table.loc[here, "sparsity_ratio_mean"] = 0.2
    assert one(compare(tables), MEAN, "log_ranksvm", "sparsity_ratio")["verdict"] == AGREES


def test_relations_agree_where_the_verdicts_are_the_same(tables):
    comparison = compare(tables)
    alike = one(comparison, "mq2008", "lp_ranksvm", "map_relation")  # ~ in print, as good here
    assert alike["verdict"] == AGREES and "over 120 queries" in alike["reason"]
    worse = one(comparison, "mq2008", "log_ranksvm", "map_relation")
    assert (worse["published"], worse["ours_mean"], worse["verdict"]) == (0, 1, DIFFERS)
    found_again = one(comparison, "mq2007", "log_ranksvm", "map_relation")
    assert found_again["verdict"] == AGREES and "a decrease of 0.7 %, p < 0.001" in found_again["reason"]
    best = one(comparison, "mq2007", "fenchelrank", "map_relation")
    assert best["verdict"] == DIFFERS and "it is the best here" in best["reason"]
    assert "the printed one FSMRank (reconstructed)" in best["reason"]


def test_the_test_on_folds_is_asked_where_that_on_queries_differs(tables):
    table = tables["table5"]
    here = (table["dataset"] == "mq2008") & (table["method"] == "log_ranksvm")
    table.loc[here, ["t_p_by_folds", "relation_by_folds"]] = [0.4, "~"]
    reason = one(compare(tables), "mq2008", "log_ranksvm", "map_relation")["reason"]
    assert "on the 5 folds p = 0.400, which is as printed" in reason


def test_best_values_and_decreases(tables):
    comparison = compare(tables)
    assert one(comparison, "mq2008", "fenchelrank", "map")["verdict"] == AGREES
    differs = one(comparison, "ohsumed", "log_ranksvm", "ndcg10")  # half of MAP in these rows
    assert differs["verdict"] == DIFFERS and differs["published"] == 0.4591
    small = one(comparison, "mq2007", "mcp_ranksvm", "map_decrease")
    assert small["verdict"] == AGREES and "agreement says little" in small["reason"]
    table = tables["table5"]
    here = (table["dataset"] == "mq2008") & (table["method"] == "fenchelrank")
    table.loc[here, "map_mean"] = 0.6
    row = one(compare(tables), "mq2008", "fenchelrank", "map")
    assert row["verdict"] == IN_ORDER and row["reason"].startswith("the same method is the best as printed")


def test_folds_without_a_number_are_named(tables):
    table = tables["table4"]
    here = (table["dataset"] == "ohsumed") & (table["method"] == "l1_ranksvm")
    table.loc[here, "splits_used"] = 3
    reason = one(compare(tables), "ohsumed", "l1_ranksvm", "sparsity_ratio")["reason"]
    assert reason.startswith("2 of 5 folds gave no number")
    table.loc[here, ["splits_used", "sparsity_ratio_mean"]] = [0, np.nan]
    table.loc[here, "statuses"] = "failed: 5"
    row = one(compare(tables), "ohsumed", "l1_ranksvm", "sparsity_ratio")
    assert row["verdict"] == NOT_OBTAINED and "failed: 5" in row["reason"]


def test_no_printed_table_no_comparison(results):
    tables = tables_of(results, printed=None)
    assert compare(tables).empty
    fits = read_query_fits(results / STUDY / "fits.csv")
    said = " ".join(said_of(fits, tables))
    assert "printed" not in said and "FSMRank is reconstructed" in said


def said_of(fits, tables):
    found = observations(query_findings.FINDINGS, tables | {"fits": fits})
    return [one.paragraph for one in found]


def test_findings_say_what_the_rows_show(results, tables):
    fits = read_query_fits(results / STUDY / "fits.csv")
    said = said_of(fits, tables)
    text = " ".join(said)
    assert said[0] == f"mq2007: {NOTE}"
    assert "Of 18 printed sparsity ratios on 3 data sets 8 agree within .02" in text
    assert "log on 3 of 3 data sets (mean 0.10 against 0.40)" in text
    assert "FenchelRank on mq2007 (0.30 against 0.58)" in text
    assert "It is the best here on 1 of 3" in text
    certified = fits[fits["method"].isin(query_findings.CERTIFIED) & fits["relative_gap"].notna()]
    words = (
        f"Over {len(certified)} fits under a plain or weighted ℓ₁ norm the largest relative duality gap is "
    )
    assert f"{words}1.0e-09 and the largest violation of the optimality conditions 3.0e-09 λ" in text
    assert "Over 240 nonconvex fits the largest violation of stationarity is 3.0e-09 λ" in text
    assert "order of the file" not in text
    assert "MCP (tuned γ) −0.02" in text
    measured = tables["table5"][tables["table5"]["printed_relation"].isin(["~", "worse"])]
    measured = measured[measured["relation"] != "none"]
    alike = (measured["relation"] == "worse") == (measured["printed_relation"] == "worse")
    assert f"as printed: MAP {alike.sum()} of {len(alike)} (worse in both" in text
    both = pd.concat([tables["table5"], tables["table6"]])
    worse = both.loc[(both["block"] == "paper") & both["t_p"].notna(), "relation"] == "worse"
    assert f"the paper's test on the queries calls {worse.sum()} worse" in text
    assert "with the test on the folds" in text
    lines = [sentence for sentence in said if sentence.startswith("Of 30 comparisons")]
    assert len(lines) == 1 and "on the queries calls" in lines[0]


def test_every_method_of_the_paper_is_compared(tables):
    comparison = compare(tables)
    of_set = comparison[(comparison["dataset"] == "ohsumed") & (comparison["artefact"] == "table5")]
    assert sorted(set(of_set["method"])) == sorted(PAPER)


def test_the_best_method_is_compared_as_a_word(tables):
    comparison = compare(tables)
    same = one(comparison, "mq2008", "fenchelrank", "map_best_method")
    assert same["verdict"] == AGREES and same["published"] == same["ours_mean"]
    other = one(comparison, "mq2007", "fsmrank", "map_best_method")
    table = tables["table5"].set_index(["dataset", "method"])
    ours, theirs = table.loc[("mq2007", "fenchelrank")], table.loc[("mq2007", "fsmrank")]
    assert other["verdict"] == DIFFERS
    assert f"{ours['map_mean']:.4f} against {theirs['map_mean']:.4f}, p " in other["reason"]
    assert "over 120 queries" in other["reason"] and NOTE.rstrip(".") in other["reason"]
    absent = one(comparison, MISSING, "mcp_ranksvm", "map_best_method")
    assert (absent["verdict"], absent["reason"]) == (NOT_OBTAINED, MISSING_REASON)


@pytest.mark.parametrize(
    "printed, ours, by_folds, verdict, said",
    [
        ("0.03", 0.041, 0.5, AGREES, "the distance 0.011 is within 0.02; but the file"),
        ("0.04", 0.055, 0.5, AGREES, "different sides of the level .05"),
        ("<0.001", 0.0004, 0.5, AGREES, "the distance 0 is within 0.02"),
        ("<0.001", 0.3, 0.04, DIFFERS, "on the 5 folds p = 0.0400, which is nearer"),
        ("0.03", 0.3, 0.9, DIFFERS, "the distance is 0.27"),
    ],
)
def test_p_values(tables, printed, ours, by_folds, verdict, said):
    table = tables["table5"]
    here = (table["dataset"] == "mq2007") & (table["method"] == "log_ranksvm")
    table.loc[here, ["t_p", "t_p_by_folds"]] = [ours, by_folds]
    table.loc[here, "printed_p_value"] = printed
    row = one(compare(tables), "mq2007", "log_ranksvm", "map_p_value")
    assert row["verdict"] == verdict and said.lower() in row["reason"].lower()
    assert "queries, a decrease of " in row["reason"] and "(printed: 0.7 %)" in row["reason"]
    assert row["published"] == (-0.001 if printed == "<0.001" else float(printed))


def test_a_printed_p_value_of_what_is_the_best_here(tables):
    table = tables["table5"]
    here = (table["dataset"] == "mq2007") & (table["method"] == "log_ranksvm")
    table.loc[here, "relation"] = "best"
    row = one(compare(tables), "mq2007", "log_ranksvm", "map_p_value")
    assert row["ours_mean"] == 1 and row["reason"].startswith("it is the best here, so that no value differs")


def test_the_order_of_the_file_is_told_where_it_ranks_better_than_the_models(results):
    fits = read_query_fits(results / STUDY / "fits.csv")
    search = fits[(fits["role"] == "search") & (fits["dataset"] == "ohsumed")]
    best = search.groupby("split")["validation_map"].max()
    zeros = search.drop_duplicates("split").assign(n_variables=0, method="log_ranksvm")
    zeros["validation_map"] = [best[split] + (0.1 if split < 2 else -0.1) for split in zeros["split"]]
    (file_order,) = [one for one in query_findings.FINDINGS if one.name == "file-order"]
    said = file_order.say(pd.concat([fits, zeros]))
    folds = len(zeros)
    assert f"than every model with features on ohsumed on {min(2, folds)} of {folds} folds" in said
    assert "mq2008" not in said
    zeros["validation_map"] -= 0.3
    assert file_order.say(pd.concat([fits, zeros])) == ""
