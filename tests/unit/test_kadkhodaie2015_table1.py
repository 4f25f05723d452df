"""Table 1 from the rows: right numbers, every cell filled, the same bytes from the same rows."""

import re

import numpy as np
import pandas as pd
import pytest
from report_rows import (
    MISSING_REASON,
    NUMBERS,
    SIXTH,
    STUDY,
    data,
    fits,
    results_of,
    table1_of,
    write_results,
)

from reproduction.collection.collect import collect_fits, collect_queries
from reproduction.core.formatting import format_short, typeset_minus
from reproduction.core.result_columns import LIST_FIT_COLUMNS, QUERY_COLUMNS
from reproduction.core.results import ResultsError, read_fits
from reproduction.papers.kadkhodaie2015.table1 import TABLE1, build_table1
from reproduction.specs.csv_tables import MISSING_WORDS, STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.method_tables import average_splits
from reproduction.specs.table_views import Cell, Column, SubText


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def built_tables(results):
    return table1_of(results)


@pytest.fixture
def table(built_tables):
    return built_tables.copy()


def row_of(table, dataset, method, feature_scaling="raw"):
    named = (
        (table["dataset"] == dataset)
        & (table["method"] == method)
        & (table["feature_scaling"] == feature_scaling)
    )
    assert named.sum() == 1
    return table[named].iloc[0]


def test_means_are_those_of_the_chosen_fits_only(results, table):
    rows = results_of(results)["fits"]
    query = (
        "dataset == 'splice' and method == 'admm' and feature_scaling == 'standardised' and role == 'chosen'"
    )
    chosen = rows.query(query)
    row = row_of(table, "splice", "admm", "standardised")
    assert row["pos_at_top_mean"] == pytest.approx(np.mean(chosen["positives_at_top"]))
    assert row["pos_at_top_std"] == pytest.approx(np.std(chosen["positives_at_top"], ddof=1))
    assert row["seconds_mean"] == pytest.approx(np.mean(chosen["seconds"]))
    assert row["statuses"] == "certified: 3, max_iterations: 7"
    assert row["splits"] == row["splits_used"] == 10
    assert row["chosen"] == "alpha=0.01: 10"


def test_averages_by_hand():
    """Of the fits with a number; NaN and "" beside them do not count."""
    rows = {"status": "certified", "message": "", "params": "{}", "n_iter": [1.0, 3.0, 8.0, 9.0]}
    rows |= {"relative_gap": [1e-9, 3e-9, 2e-8, 1.0], "weight_norm": [0.0, 2.0, 0.0, np.nan]}
    row = average_splits(
        pd.DataFrame(rows | {"positives_at_top": [2.0, 4.0, 9.0, np.nan]}), {"n_iter": "steps"}
    )
    assert (row["relative_gap_median"], row["relative_gap_max"]) == (3e-9, 2e-8)
    assert (row["n_iter_median"], row["steps_mean"], row["steps_std"]) == (3.0, 4.0, np.sqrt(13.0))
    assert (row["splits"], row["splits_used"], row["constant_share"]) == (4, 3, 2 / 3)
    assert (row["statuses"], row["chosen"]) == ("certified: 4", "none: 4")


def test_excess_is_measured_against_the_certified_optimum_of_the_same_problem(results, table):
    rows = results_of(results)["fits"]
    is_cell = (rows["dataset"] == "splice") & (rows["feature_scaling"] == "raw") & (rows["role"] == "chosen")
    ours = rows[is_cell & (rows["method"] == "toppush")].set_index("split")
    exact = rows[is_cell & (rows["method"] == "exact")].set_index("split")
    excess = (ours["objective"] - exact["lower_bound"]) / exact["objective"]
    row = row_of(table, "splice", "toppush")
    assert row["excess_mean"] == pytest.approx(excess.mean())
    assert row["excess_median"] == pytest.approx(excess.median())
    assert row["excess_max"] == pytest.approx(excess.max())
    assert row_of(table, "splice", "exact")["excess_max"] < 1e-7


@pytest.fixture
def splice(results):
    """The fits of one data set, to change."""
    rows = results_of(results)["fits"]
    return rows[rows["dataset"] == "splice"].copy()


def text_of(table, folder):
    TABLE1.write(table, folder / "t.csv")
    return pd.read_csv(folder / "t.csv", dtype=str, keep_default_na=False)


def test_an_optimum_at_another_alpha_is_no_reference(results, splice):
    chosen = (splice["method"] == "toppush") & (splice["role"] == "chosen")
    splice.loc[chosen, "params"] = '{"alpha": 10.0}'
    table = table1_of(results, fits=splice)
    assert np.isnan(row_of(table, "splice", "toppush")["excess_median"])


def test_an_optimum_that_is_not_certified_is_no_reference(results, splice):
    splice.loc[splice["method"] == "exact", "status"] = "time_limit"
    table = table1_of(results, fits=splice)
    assert table["excess_median"].isna().all()


def test_a_set_that_was_not_obtained_says_so_and_why(results, table, tmp_path):
    row = row_of(table, "epsilon", "toppush")
    assert row["data_status"] == STATUS_NOT_OBTAINED and row["reason"] == MISSING_REASON
    assert row["published_pos_at_top_mean"] == 1820
    text = text_of(table, tmp_path)
    epsilon = text[(text["dataset"] == "epsilon") & (text["method"] == "toppush")].iloc[0]
    assert epsilon["pos_at_top_mean"] == epsilon["seconds_mean"] == STATUS_NOT_OBTAINED


def test_published_sets_that_were_not_run_have_rows(table):
    assert row_of(table, "w8a", "admm")["data_status"] == STATUS_NOT_RUN
    assert row_of(table, "covtype", "toppush")["data_status"] == STATUS_NOT_OBTAINED


def test_a_substitute_stands_beside_what_it_stands_in_for(table):
    row = row_of(table, "covtype-sample", "toppush")
    assert row["published_dataset"] == "covtype" and row["published_pos_at_top_mean"] == 797
    names = list(dict.fromkeys(table["dataset"]))
    assert names.index("covtype-sample") == names.index("covtype") + 1


def test_a_sixth_method_without_objectives_is_in_the_table_and_takes_no_mark(table, tmp_path):
    row = row_of(table, "splice", SIXTH)
    assert row["pos_at_top_mean"] > 0 and np.isnan(row["excess_median"])
    assert row["mark_best"] == row["mark_fast"] == "not compared"
    assert (text_of(table, tmp_path) == "not defined").any(axis=None)


def test_a_failed_fit_is_counted_and_left_out_of_the_mean(table):
    row = row_of(table, "cod-rna", SIXTH)
    assert (row["splits"], row["splits_used"]) == (10, 9)
    assert row["statuses"] == "certified: 9, failed: 1"


def test_equal_scores_are_counted(table):
    row = row_of(table, "diabetes", "a2dm2")
    assert row["constant_share"] == 1 and row["pos_at_top_mean"] == 0
    assert row["zero_optimal_share"] == 1 and row["lambda_max_median"] == 0


def test_ours_are_marked_by_the_rule_of_the_print(results, splice):
    raw = splice["feature_scaling"] == "raw"
    for method, seconds in {"toppush": 0.5, "admm": 0.2, "a2dm2": 0.09, "a2dm2_restart": 3}.items():
        splice.loc[raw & (splice["method"] == method), "seconds"] = seconds
    splice.loc[raw & splice["method"].isin(["exact", SIXTH]), "seconds"] = 1e-5
    table = table1_of(results, fits=splice)
    marked = {method: row_of(table, "splice", method)["mark_fast"] for method in ("toppush", "admm", "a2dm2")}
    assert marked == {"toppush": "0", "admm": "0", "a2dm2": "1"}


def test_the_order_of_the_rows_leaves_no_trace(results, table, tmp_path):
    fits().sample(frac=1, random_state=1).to_csv(tmp_path / "fits.csv", index=False)
    shuffled = table1_of(results, fits=read_fits(tmp_path / "fits.csv", NUMBERS))
    for name, made_of in (("a.csv", table), ("b.csv", shuffled)):
        TABLE1.write(made_of, tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_study_without_a_published_table(results, tmp_path):
    table = table1_of(results, published=None)
    assert set(table["dataset"]) == set(fits()["dataset"])
    assert table["published_pos_at_top_mean"].isna().all()
    assert (text_of(table, tmp_path) == "not published").any(axis=None)


def test_nothing_but_a_missing_set(results):
    rows = results_of(results)["fits"]
    table = build_table1(rows[rows["status"] == "not obtained"], data=results_of(results)["data"])
    assert set(table["data_status"]) == {STATUS_NOT_OBTAINED}


def test_one_split_has_no_spread(results, tmp_path):
    rows = results_of(results)["fits"]
    assert (text_of(build_table1(rows[rows["split"] == 0]), tmp_path) == "one split").any(axis=None)


def test_collecting_sorts_and_keeps_every_cell(tmp_path):
    rows = fits()
    for k in range(3):
        rows.iloc[k::3].to_csv(tmp_path / f"{k}.csv", index=False)
    forward = collect_fits([tmp_path / f"{k}.csv" for k in (0, 1, 2)])
    backward = collect_fits([tmp_path / f"{k}.csv" for k in (2, 1, 0)])
    pd.testing.assert_frame_equal(forward, backward)
    splice = forward[(forward["dataset"] == "splice") & (forward["role"] == "chosen")]
    assert list(splice.loc[splice["method"] == "admm", "split"][:10]) == [str(i) for i in range(10)]
    assert sorted(forward["objective"]) == sorted(rows["objective"])


@pytest.mark.parametrize(
    "spoil, sentence",
    [
        (lambda path: path.unlink(), "does not exist"),
        (lambda path: path.write_text(""), "is empty"),
        (lambda path: path.write_text("study,dataset\n"), "lacks the column 'feature_scaling'"),
        (lambda path: path.write_text(path.read_text().splitlines()[0] + "\n"), "holds no row"),
        (lambda path: fits().iloc[[0, 0]].to_csv(path, index=False), "occurs twice"),
    ],
)
def test_a_bad_file_of_fits_is_named(tmp_path, spoil, sentence):
    path = tmp_path / "job.csv"
    fits().to_csv(path, index=False)
    spoil(path)
    with pytest.raises(ResultsError, match=sentence):
        collect_fits([path])


def test_words_where_a_number_should_stand_are_named(tmp_path):
    rows = fits()
    rows.loc[3, "seconds"] = "fast"
    rows.to_csv(tmp_path / "fits.csv", index=False)
    with pytest.raises(ResultsError, match="'seconds' holds 'fast'"):
        read_fits(tmp_path / "fits.csv", NUMBERS)


def test_every_word_of_the_table_is_read_as_no_number(table, tmp_path):
    numbers = text_of(table, tmp_path).drop(columns=list(TABLE1.text_columns))
    words = {cell for cell in numbers.to_numpy().ravel() if re.match(r"[a-z]", cell)}
    assert words and words <= set(MISSING_WORDS)


@pytest.mark.parametrize(
    "value, text", [(49.0, "49.0"), (1820, "1820"), (0.0466, "0.0466"), (0, "0"), (9.996, "10.0")]
)
def test_short_numbers(value, text):
    assert format_short(value) == text


def test_a_negative_number_has_the_sign_of_mathematics_and_nothing_else_changes():
    assert typeset_minus("-0.5 (-1e-05 to +.2)") == "−0.5 (−1e-05 to +.2)"
    assert typeset_minus("2026-11-24, 0-1, a-9, –") == "2026-11-24, 0-1, a-9, –"
    row = {"x": -0.25, "y": "-0.25"}
    column = Column("x", lambda row: Cell("-0.25", sub_texts=(SubText("-1 to 1"),)))
    assert (column.make_cell(row).text, column.make_cell(row).sub_texts[0].text) == ("−0.25", "−1 to 1")
    assert Column("y", lambda row: row["y"], style="text").make_cell(row).text == "-0.25"


def test_the_rows_name_the_study(table):
    assert set(table["study"]) == {STUDY}
    assert set(data()["dataset"]) <= set(table["dataset"])


def job(folder, splits, block="0-2", method="admm", end="\n"):
    """Write the file of a job with one chosen fit for each of these splits."""
    path = folder / f"a.raw.{method}.{block}.csv"
    row = dict.fromkeys(LIST_FIT_COLUMNS, "") | {"dataset": "a", "feature_scaling": "raw", "method": method}
    row |= {"role": "chosen", "status": "certified"}
    lines = [LIST_FIT_COLUMNS, *((row | {"split": str(split)}).values() for split in splits)]
    path.write_text("\n".join(map(",".join, lines)) + end)
    return path


def test_a_job_has_one_chosen_fit_of_each_split_of_its_block(tmp_path):
    assert len(collect_fits([job(tmp_path, [0, 1, 2])])) == 3
    for splits, message in (
        ([0, 2], "holds 0 chosen fits of split 1, not one"),
        ([0, 1, 1, 2], "holds 2 chosen fits of split 1"),
        ([0, 1, 2, 3], "holds a fit of split 3, not of its split batch"),
    ):
        with pytest.raises(ResultsError, match=message + r".*delete it and run again \(rm .*admm.0-2.csv\)"):
            collect_fits([job(tmp_path, splits)])


def test_a_job_whose_last_line_is_cut_is_refused(tmp_path):
    with pytest.raises(ResultsError, match=r"admm.0-2.csv is cut off in its last line: delete it and run"):
        collect_fits([job(tmp_path, [0, 1, 2], end="")])


def test_queries_that_one_method_lacks_are_noticed(tmp_path):
    columns = (*QUERY_COLUMNS, "role")

    def write(method, qids):
        path = tmp_path / f"{method}.csv"
        row = {"dataset": "a", "feature_scaling": "raw", "method": method, "split": "0", "role": "query"}
        rows = [row | {"qid": str(qid)} for qid in qids]
        pd.DataFrame(rows, columns=list(columns)).to_csv(path, index=False)
        return path

    assert len(collect_queries([write("one", [1, 2, 3]), write("two", [1, 2, 3])])) == 6
    with pytest.raises(ResultsError, match=r"fits of two on a \(raw\) lack queries of split 0 \(2\): delete"):
        collect_queries([write("one", [1, 2, 3]), write("two", [1, 3])])
    with pytest.raises(ResultsError, match=r"fits of one on .* \(10\): delete"):  # as many, but not the same
        collect_queries([write("one", [1, 2]), write("two", [1, 10])])
    with pytest.raises(ResultsError, match=r"fits of two on .* \(2, 3, 4, 10, 11 and 1 more\): delete"):
        collect_queries([write("one", [1, 12, 11, 10, 4, 3, 2]), write("two", [1])])
