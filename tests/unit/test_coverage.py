"""Coverage: every published cell is shown by a row of the comparison, and one that is not is found."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import query_rows
from report_rows import data, fits, table1_of, verification, write_results
from studies import compare_study, study_of

from reproduction.comparison.coverage import (
    count_coverage,
    format_totals,
    list_missing_cells,
    list_published_cells,
    select_requested_cells,
    split_requested,
)
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    NON_RESULT_VERDICTS,
    STATUS_NOT_OBTAINED,
    VERDICTS,
)
from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.papers import PAPERS, paper
from reproduction.papers.kadkhodaie2015.table1 import TABLE1
from reproduction.papers.laporte2014.tables import TABLE_FORMATS
from reproduction.papers.rakotomamonjy2012.table1 import TABLE1_FORMAT as TABLE1_OF_R12
from reproduction.reporting.failures import FAILURE_COLUMNS
from reproduction.reporting.run_summary import explain_failure, format_summary, list_missing_datasets
from reproduction.specs.published_values import NUMBER_KEY as PUBLISHED_KEY

K15, L14, R12 = "kadkhodaie2015", "laporte2014", "rakotomamonjy2012"
FILES = {name: file for name in PAPERS if (file := paper(name).published_values)}
KEY = ["artefact", "dataset", "method", "quantity"]


def write_k15(folder):
    """Compare the made-up rows of K15, two feature scalings for some sets, with the published table."""
    TABLE1.write(table1_of(write_results(folder)), folder / "table1.csv")
    files = [folder / "table1.csv", folder / "data.csv", folder / K15 / "fits.csv"]
    return compare_study(study_of(K15, files, True)).rows


def write_l14(folder):
    """One data set of L14; all else was not run."""
    tables = query_rows.tables_of(query_rows.write_results(folder, datasets=("ohsumed",)))
    data = pd.DataFrame({"dataset": ["ohsumed"], "status": "obtained", "reason": "", "verdict": ""})
    data.assign(features="46").to_csv(folder / "data.csv", index=False)
    files = [*write_tables(tables, folder), folder / "data.csv", folder / L14 / "fits.csv"]
    return compare_study(study_of(L14, files, True)).rows


def write_tables(tables, folder):
    for name, form in TABLE_FORMATS.items():
        form.write(tables[name], folder / f"{name}.csv")
    return [folder / f"{name}.csv" for name in TABLE_FORMATS]


def write_r12(folder):
    """One fit of one data set; all else was not run."""
    row = {"study": R12, "dataset": "sonar", "feature_scaling": "standardised", "method": "l1_infinite_push"}
    row |= {"split": 0, "role": "chosen", "params": "{}", "status": "certified", "rate_at_top": 0.5}
    row |= {"positives_at_top": 5, "n_variables": 20, "n_train_positives": 100, "n_train_negatives": 87}
    rows = pd.DataFrame([row], columns=list(LIST_FIT_COLUMNS), dtype=object).fillna("").astype(str)
    rows.to_csv(folder / "fits.csv", index=False)
    data = pd.DataFrame({"dataset": ["sonar"], "status": ["obtained"], "reason": [""]})
    data.assign(verdict="", rows="208", features="60").to_csv(folder / "data.csv", index=False)
    columns = "dataset,feature_scaling,split,lambda_max,zero_is_optimal\n"
    (folder / "diagnosis.csv").write_text(columns, encoding="utf-8")
    files = [folder / name for name in ("fits.csv", "data.csv", "diagnosis.csv")]
    study = study_of(R12, files, True)
    TABLE1_OF_R12.write(study.table("table1"), folder / "table1.csv")
    return compare_study(study_of(R12, [*files, folder / "table1.csv"], True)).rows


@pytest.fixture(scope="module")
def comparisons(tmp_path_factory):
    makers = {K15: write_k15, L14: write_l14, R12: write_r12}
    return {study: make(tmp_path_factory.mktemp(study)) for study, make in makers.items()}


@pytest.mark.parametrize("study", FILES)
def test_every_published_cell_is_shown(comparisons, study):
    cells = list_published_cells(study, FILES[study])
    rows = csv.DictReader(Path(FILES[study]).read_text(encoding="utf-8").splitlines())
    filled = sum(row[name] != "" for row in rows for name in ("value", "spread", "mark"))
    assert len(cells) == filled and not cells.duplicated([*KEY, "column"]).any()
    assert list_missing_cells(cells, comparisons[study]).empty


@pytest.mark.parametrize("study", FILES)
def test_a_row_of_any_quantity_that_is_missing_is_caught(comparisons, study):
    cells, comparison = list_published_cells(study, FILES[study]), comparisons[study]
    for quantity in cells["quantity"].unique():
        cell = cells[cells["quantity"] == quantity].iloc[0]
        is_cell = (comparison[KEY] == cell[KEY]).all(axis=1)
        assert is_cell.any()
        lacking = list_missing_cells(cells, comparison[~is_cell])
        assert set(lacking["quantity"]) == {quantity} and set(lacking["why"]) == {"no row shows it"}
        assert len(lacking) == (cells[KEY] == cell[KEY]).all(axis=1).sum()


def test_what_was_not_asked_for_is_neither_compared_nor_missed(comparisons):
    """Of R12 one fit was asked for: its two results and what is known of its data set stay."""
    requested, left_out = split_requested(comparisons[R12])
    results = requested[requested["kind"] == "result"]
    assert set(zip(results["dataset"], results["method"], strict=True)) == {("sonar", "l1_infinite_push")}
    assert len(requested) + len(left_out) == len(comparisons[R12])
    cells = select_requested_cells(list_published_cells(R12, FILES[R12]), left_out)
    assert set(cells["dataset"]) == {"sonar"} and list_missing_cells(cells, requested).empty
    assert (
        len(list_missing_cells(cells, requested[requested["kind"] != "result"]))
        == results[["published", "published_std"]].notna().sum().sum()
    )


def test_what_could_not_be_obtained_stays():
    reasons = ["not part of this run's configuration", "there is no file", "no split gave a number"]
    rows = pd.DataFrame({"study": R12, "verdict": STATUS_NOT_OBTAINED, "reason": reasons}).reindex(
        columns=["study", *PUBLISHED_KEY, "verdict", "reason"]
    )
    requested, left_out = split_requested(rows)
    assert requested["reason"].tolist() == reasons[1:] and len(left_out) == 1


def test_the_run_is_not_clean_where_a_published_number_is_not_covered(comparisons):
    cells, comparison = list_published_cells(K15, FILES[K15]), comparisons[K15]
    is_cell = (comparison["dataset"] == "splice") & (comparison["quantity"] == "pos_at_top")
    lacking = list_missing_cells(cells, comparison[~(is_cell & (comparison["method"] == "admm"))])
    no_failures = pd.DataFrame(columns=list(FAILURE_COLUMNS))
    none_missing = list_missing_datasets(data(), {})
    sentences = explain_failure(no_failures, verification(), none_missing, "skip", lacking)
    first = (
        "the first is 99.9 in kadkhodaie2015/published_values.csv, pos_at_top of splice, admm: "
        "no row shows it"
    )
    assert sentences == f"The run is not clean: 2 published numbers not covered by comparison.csv ({first})."
    assert (
        explain_failure(
            no_failures, verification(), none_missing, "skip", list_missing_cells(cells, comparison)
        )
        == ""
    )


def test_another_number_no_reason_and_no_verdict_are_caught(comparisons):
    cells, comparison = list_published_cells(L14, FILES[L14]), comparisons[L14].copy()
    comparison.loc[0, "published"] += 1
    comparison.loc[1, "reason"] = " "
    comparison.loc[2, "verdict"] = "perhaps"
    whys = list_missing_cells(cells, comparison)["why"].tolist()
    assert len(whys) == 3 and whys[0].startswith("the row shows ")
    assert whys[1:] == 2 * ["its row has no verdict or no reason"]


@pytest.fixture
def comparison_files(tmp_path):
    """Two published numbers with spread and mark, and a comparison that shows them."""
    (tmp_path / "published_values.csv").write_text(
        "artefact,dataset,method,quantity,value,spread,mark\n"
        "table1,splice,admm,seconds,7.29,5.02,not marked\n"
        "table1,splice,a2dm2,seconds,3.18,0.978,marked\n"
    )
    cells = list_published_cells("trial", tmp_path / "published_values.csv")
    numbers = [("admm", "seconds", 7.29, 5.02), ("a2dm2", "seconds", 3.18, 0.978)]
    numbers += [("admm", "fast_mark", 0.0, np.nan), ("a2dm2", "fast_mark", 1.0, np.nan)]
    columns = ["method", "quantity", "published", "published_std"]
    comparison = pd.DataFrame(numbers, columns=columns).assign(study="trial", artefact="table1")
    comparison = comparison.assign(dataset="splice", verdict=AGREES, reason="as published")
    assert len(cells) == 6 and list_missing_cells(cells, comparison).empty
    return cells, comparison


@pytest.mark.parametrize(
    ("column", "value", "texts", "why"),
    [
        *((name, "other", ["7.29", "5.02"], "no row shows it") for name in ("study", *KEY)),
        ("published", 7.28, ["7.29"], "the row shows 7.28"),
        ("published_std", 5.0, ["5.02"], "the row shows 5"),
        ("published_std", np.nan, ["5.02"], "the row shows nan"),
        ("verdict", "perhaps", ["7.29", "5.02"], "its row has no verdict or no reason"),
        ("reason", " ", ["7.29", "5.02"], "its row has no verdict or no reason"),
    ],
)
def test_a_row_that_does_not_show_its_number_is_caught(comparison_files, column, value, texts, why):
    cells, comparison = comparison_files
    comparison.loc[0, column] = value
    lacking = list_missing_cells(cells, comparison)
    assert lacking["text"].tolist() == texts and set(lacking["why"]) == {why}


def test_a_mark_that_differs_and_a_row_that_stands_twice_are_caught(comparison_files):
    cells, comparison = comparison_files
    other = comparison.replace({"published": {0.0: 1.0}})
    assert list_missing_cells(cells, other)[["text", "why"]].to_numpy().tolist() == [
        ["not marked", "the row shows 1"]
    ]
    repeated = pd.concat([comparison, comparison.iloc[:1]], ignore_index=True)
    assert list_missing_cells(cells, repeated)["why"].tolist() == 2 * ["two rows show it"]


def test_a_published_number_more_than_is_compared_is_caught(comparisons, tmp_path):
    rows = pd.read_csv(FILES[K15], dtype=str)
    rows.loc[len(rows)] = rows.loc[3].to_dict() | {"dataset": "new"}
    rows.loc[0, "value"] = "240"
    rows.to_csv(tmp_path / "more.csv", index=False)
    lacking = list_missing_cells(list_published_cells(K15, tmp_path / "more.csv"), comparisons[K15])
    assert lacking[["dataset", "text", "why"]].to_numpy().tolist() == [
        ["breast-cancer", "240", "the row shows 239"],
        *(["new", text, "no row shows it"] for text in ("49", "13.9", "not marked")),
    ]


def test_the_counts_add_up(comparisons):
    cells = pd.concat([list_published_cells(study, FILES[study]) for study in FILES], ignore_index=True)
    comparison = pd.concat(comparisons.values(), ignore_index=True)
    table = count_coverage(cells, comparison)
    assert (table[[*VERDICTS, *NON_RESULT_VERDICTS]].sum(axis=1) == table["published_numbers"]).all()
    singles, sums = table[table["quantity"] != "all"], table[table["quantity"] == "all"]
    grand_total = sums[sums["kind"] == "all"]
    assert grand_total["study"].tolist() == [*FILES, "all"]
    numbers = ["published_cells", "published_numbers", *VERDICTS, *NON_RESULT_VERDICTS]
    for study in FILES:
        (total,) = grand_total[grand_total["study"] == study][numbers].to_numpy().tolist()
        assert total == singles[singles["study"] == study][numbers].sum().tolist()
        kinds = sums[(sums["study"] == study) & (sums["kind"] != "all")]
        assert total == kinds[numbers].sum().tolist()
    assert grand_total[numbers].iloc[-1].tolist() == singles[numbers].sum().tolist()
    deviations = int((cells["column"] == "published_std").sum())
    assert (
        grand_total.iloc[-1]["published_cells"]
        == len(cells)
        == grand_total.iloc[-1]["published_numbers"] + deviations
    )
    of_seconds = table[(table["study"] == K15) & (table["quantity"] == "seconds")]
    missing = comparison["quantity"].eq("seconds") & comparison["verdict"].eq(STATUS_NOT_OBTAINED)
    assert of_seconds[STATUS_NOT_OBTAINED].item() == missing.sum()


def test_results_are_counted_apart_from_all_else(comparisons):
    cells = list_published_cells(K15, FILES[K15])
    comparison = comparisons[K15].copy()
    comparison.loc[comparison["kind"] == "result", "verdict"] = CONSISTENT
    table = count_coverage(cells, comparison)
    named = {"study": K15, "artefact": "all", "kind": "result"}
    (row,) = table[(table[[*named]] == named).all(axis=1)].to_dict("records")
    assert row["published_numbers"] == row[CONSISTENT] == 40
    other_kinds = table[(table["kind"] != "result") & (table["artefact"] != "all")]
    assert (other_kinds[[AGREES, CONSISTENT]] == 0).all(axis=None)


def test_a_number_that_is_not_shown_has_no_verdict(comparisons):
    cells, comparison = list_published_cells(R12, FILES[R12]), comparisons[R12]
    table = count_coverage(cells, comparison[comparison["quantity"] != "variables"])
    row = table[table["quantity"] == "variables"].iloc[0]
    assert row["published_numbers"] == 14 and row[[*VERDICTS, *NON_RESULT_VERDICTS]].sum() == 0


def test_the_summary_says_the_totals(comparisons):
    table = count_coverage(list_published_cells(R12, FILES[R12]), comparisons[R12])
    of_study, of_results, of_all, _ = format_totals(table)
    assert of_study.startswith(f"{R12}: 35 results: ") and "; not obtained 3" in of_study
    assert of_results == f"{R12}, counted separately: count 21"
    assert of_all.startswith("all studies: 35 results")
    rows = fits()
    sentences = format_totals(table)
    text = format_summary(
        "out", {K15: rows}, data(), verification(), rows.iloc[:0], {K15: ([], [])}, sentences
    )
    assert of_study in text and of_all in text


def test_nothing_published_nothing_to_cover(comparisons):
    cells = list_published_cells("quick", None)
    assert cells.empty
    table = count_coverage(cells, comparisons[K15])
    assert table.empty and format_totals(table) == [] and list_missing_cells(cells, comparisons[K15]).empty
