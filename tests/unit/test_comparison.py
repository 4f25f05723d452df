"""Every printed number has a verdict and a reason that follows from the rows."""

import math

import numpy as np
import pytest
from report_rows import MISSING_REASON, PRINTED, results_of, table1_of, write_results

from reproduction.comparison.verdicts import (
    AGREES,
    COLUMNS,
    DIFFERS,
    IN_ORDER,
    NO_CAUSE,
    NOT_OBTAINED,
    PERTURBED,
    compare,
    percent,
    read_comparison,
    same_ranking,
    to_csv,
    within,
)
from reproduction.papers.kadkhodaie2015.features import nearer_features
from reproduction.papers.kadkhodaie2015.findings import FINDINGS
from reproduction.papers.kadkhodaie2015.table1 import printed_table1, table1
from reproduction.printed import read_printed
from reproduction.report.findings import observations

SAY = {one.name: one.say for one in FINDINGS}
TABLE1 = printed_table1(read_printed(PRINTED))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture
def read(results):
    return results_of(results)


@pytest.fixture(scope="module")
def made(results):
    return table1_of(results)


@pytest.fixture
def table(made):
    return made.copy()


def one(comparison, dataset, method, features="raw", quantity="pos_at_top"):
    rows = comparison[
        (comparison["dataset"] == dataset)
        & (comparison["method"] == method)
        & (comparison["features"] == features)
        & (comparison["quantity"] == quantity)
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_every_printed_number_is_there_and_nothing_is_blank(table, tmp_path):
    comparison = compare(table)
    for dataset, method in zip(TABLE1["dataset"], TABLE1["method"], strict=True):
        for quantity in ("pos_at_top", "seconds"):
            one(comparison, dataset, method, quantity=quantity)
    assert (comparison["reason"].str.len() > 10).all()
    to_csv(comparison, tmp_path / "c.csv")
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert ",," not in text and text.splitlines()[0] == ",".join(COLUMNS)
    again = read_comparison(tmp_path / "c.csv")
    assert again["ours_mean"].to_numpy() == pytest.approx(
        comparison["ours_mean"].to_numpy(float), nan_ok=True
    )


def test_not_obtained_gives_the_reason_of_the_data(table):
    row = one(compare(table), "epsilon", "toppush")
    assert row["verdict"] == NOT_OBTAINED and row["reason"] == MISSING_REASON
    row = one(compare(table), "w8a", "toppush")
    assert row["verdict"] == NOT_OBTAINED and "configuration" in row["reason"]


def test_a_substitute_is_compared_with_the_set_it_stands_in_for(table):
    row = one(compare(table), "covtype-sample", "toppush")
    assert row["published"] == 797 and row["verdict"] in (DIFFERS, IN_ORDER)
    assert "other data" in row["reason"] and "20000 of 581012 rows" in row["reason"]


def test_partial_data_are_named_even_where_the_number_agrees(table):
    row = one(compare(table), "cod-rna", "admm")
    assert row["verdict"] == AGREES and "331152 of 488565 rows" in row["reason"]


def test_features_other_than_printed_are_named(table):
    assert "8 features where 34 are printed" in one(compare(table), "diabetes", "a2dm2")["reason"]


def test_an_unconverged_iterate_is_measured(table):
    row = one(compare(table), "splice", "admm", "standardised")
    measured = table[(table["dataset"] == "splice") & (table["method"] == "admm")].iloc[1]["excess_median"]
    assert row["verdict"] == DIFFERS
    assert (
        f"median excess {100 * measured:.2g} %" in row["reason"] and "7 of 10 splits stopped" in row["reason"]
    )


def test_the_perturbed_objective_is_named_where_the_published_stop_was_met(table):
    assert "a2dm2" in PERTURBED
    assert "perturbed objective (13)" in one(compare(table), "splice", "a2dm2", "standardised")["reason"]


def test_zero_as_the_optimum_and_equal_scores_are_named(table):
    reason = one(compare(table), "diabetes", "a2dm2")["reason"]
    assert "w = 0 is the exact optimum at every alpha on 10 of 10 splits" in reason
    assert "all weights are 0 on 10 of 10 splits" in reason


def test_standardised_features_are_held_against_the_raw_ones(table):
    reason = one(compare(table), "breast-cancer", "toppush", "standardised")["reason"]
    assert "the paper names no scaling" in reason and ", nearer to the printed 49" in reason


def test_a_wide_printed_spread_weakens_an_agreement(table):
    table.loc[(table["dataset"] == "diabetes") & (table["method"] == "toppush"), "pos_at_top_mean"] = 15.0
    assert "agreement says little" in one(compare(table), "diabetes", "toppush")["reason"]


def converged(table):
    """The same table with the paper's data, no excess and no zero optimum."""
    table = table.assign(excess_median=0.0, zero_optimal_share=0.0, constant_share=0.0)
    return table.assign(data_rows=table["printed_rows"], data_features=table["printed_features"])


def test_a_large_difference_without_a_measured_cause_says_so(table):
    table = converged(table)
    here = (table["dataset"] == "splice") & (table["features"] == "raw")
    table.loc[here, "pos_at_top_mean"] = [900.0, 800.0, 700.0, 600.0, 1.0, 1.0]
    row = one(compare(table), "splice", "toppush")
    assert row["verdict"] == DIFFERS and row["reason"] == NO_CAUSE


def test_a_difference_within_the_spread_of_splits_says_so(table):
    table = converged(table)
    here = (table["dataset"] == "splice") & (table["features"] == "raw") & (table["method"] == "a2dm2")
    table.loc[here, ["pos_at_top_mean", "pos_at_top_std"]] = [150.0, 30.0]
    row = one(compare(table), "splice", "a2dm2")
    assert row["verdict"] == DIFFERS and row["reason"].startswith("other random splits: the distance is 0.88")


def test_the_same_ranking_agrees_in_order(table):
    here = (table["dataset"] == "splice") & (table["features"] == "raw")
    table.loc[here, "pos_at_top_mean"] = [200.0, 300.0, 500.0, 400.0, 1.0, 1.0]
    assert same_ranking(table[here], "pos_at_top")
    row = one(compare(table), "splice", "toppush")
    assert row["verdict"] == IN_ORDER and row["reason"].startswith("same ranking of the 4 methods")
    table.loc[here, "pos_at_top_mean"] = [300.0, 300.0, 500.0, 400.0, 1.0, 1.0]
    assert not same_ranking(table[here], "pos_at_top"), "a tie is no ranking"
    table.loc[here, "pos_at_top_mean"] = [200.0, np.nan, 500.0, 400.0, 1.0, 1.0]
    assert not same_ranking(table[here], "pos_at_top"), "a method without a number has no rank"


def test_seconds_differ_by_machine_with_a_measured_ratio(table):
    row = one(compare(table), "splice", "a2dm2_restart", quantity="seconds")
    ratio = row["ours_mean"] / row["published"]
    assert f"{ratio:.2g} times the printed time" in row["reason"] and "iterations" in row["reason"]


def test_data_without_a_number_are_not_obtained_with_the_statuses(table):
    here = (table["dataset"] == "splice") & (table["method"] == "admm")
    table.loc[here, "pos_at_top_mean"] = np.nan
    table.loc[here, "statuses"] = "failed: 10"
    row = one(compare(table), "splice", "admm")
    assert row["verdict"] == NOT_OBTAINED and "failed: 10" in row["reason"]


@pytest.mark.parametrize(
    "ours, printed, std, agrees",
    [(10, 12, 2, True), (10, 12.1, 2, False), (0.5, 0.515, math.nan, True), (0.5, 0.53, math.nan, False)],
)
def test_agreement_is_one_printed_standard_deviation(ours, printed, std, agrees):
    assert within(ours, printed, std) == agrees


def test_which_features_come_nearer(table):
    found = nearer_features(table).set_index("dataset")
    assert list(found.index) == ["breast-cancer", "diabetes", "splice", "all"]
    here = (
        (table["dataset"] == "splice")
        & (table["features"] == "raw")
        & table["printed_pos_at_top_std"].notna()
    )
    rows = table[here]
    distance = (rows["pos_at_top_mean"] - rows["printed_pos_at_top_mean"]).abs() / rows[
        "printed_pos_at_top_std"
    ]
    assert found.loc["splice", "distance_raw"] == pytest.approx(distance.mean())
    assert set(found["nearer"]) == {"raw"}
    swapped = table.assign(features=table["features"].map({"raw": "standardised", "standardised": "raw"}))
    assert set(nearer_features(swapped)["nearer"]) == {"standardised"}
    assert "raw on 3" in SAY["features"](table)


def test_findings_name_what_the_rows_show(read, table):
    found = observations(FINDINGS, {"fits": read["fits"], "table1": table})
    assert [one.name for one in found] == ["certified", "features"]
    problems = len(read["fits"].query("method == 'exact' and role == 'path'"))
    assert f"solved {problems} problems" in found[0].paragraph and "1.0e-08" in found[0].paragraph


def test_no_printed_table_no_comparison(read):
    table = table1(**(read | {"printed": None}))
    assert compare(table).empty and nearer_features(table).empty and SAY["features"](table) == ""


@pytest.mark.parametrize(
    "share, text", [(0.038, "3.8 %"), (0.997, "100 %"), (1.213, "121 %"), (0.0996, "10 %"), (0, "0 %")]
)
def test_per_cent(share, text):
    assert percent(share) == text


def test_the_exact_solver_is_held_against_toppush_on_the_same_problems(read):
    fits = read["fits"]
    both = fits[(fits["role"] == "chosen") & (fits["status"] != "not obtained")]
    total = both[both["method"] == "toppush"]["seconds"].sum()
    said = SAY["certified"](both)
    assert (
        f"TopPush with its published stop took {total:.3g} s" in said and "TopPush solved 80 of them" in said
    )
    assert SAY["certified"](both[both["method"] != "toppush"]) == ""
