"""The printed counts and marks beside ours: verdicts and reasons that follow from the files and the rows."""

import pandas as pd
import pytest
from report_rows import MISSING_REASON, PRINTED, STUDY, data, results_of, table1_of, write_results

from reproduction.comparison.counts import compare_counts, rows_of_training_parts
from reproduction.comparison.verdicts import (
    AGREES,
    COLUMNS,
    DIFFERS,
    NOT_OBTAINED,
    read_comparison,
    to_csv,
)
from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.mark_comparison import compare_marks
from reproduction.papers.kadkhodaie2015.table1 import printed_table1
from reproduction.papers.rakotomamonjy2012.table1 import MEANINGS
from reproduction.printed import read_printed
from reproduction.results import ResultsError

K15 = read_printed(PRINTED)
R12 = read_printed(paper("rakotomamonjy2012").printed)
PUSH_DATA = pd.DataFrame(
    {
        "dataset": ["colon", "sonar", "ionosphere", "p300"],
        "status": "obtained",
        "reason": "",
        "rows": ["62", "208", "351", "2160"],
        "features": ["2000", "60", "34", "310"],
        "substitute_for": ["", "", "", "bci"],
        "note": ["", "", "The second of 34 columns is always 0.", ""],
    }
)


def one(rows, dataset, quantity, method="data", features="raw"):
    named = (rows["dataset"] == dataset) & (rows["quantity"] == quantity)
    (row,) = rows[named & (rows["method"] == method) & (rows["features"] == features)].to_dict("records")
    return row


def test_counts_of_the_files_stand_beside_the_printed_ones():
    rows = compare_counts(STUDY, K15, data())
    assert list(rows.columns) == list(COLUMNS) and (rows["reason"].str.len() > 5).all()
    assert len(rows) == 3 * (K15["dataset"].nunique() + 1)  # covtype-sample beside covtype
    agrees = one(rows, "breast-cancer", "positives_count")
    assert (agrees["published"], agrees["ours_mean"], agrees["verdict"]) == (239, 239, AGREES)
    differs = one(rows, "diabetes", "features_count")
    assert differs["verdict"] == DIFFERS and differs["reason"].startswith("the files hold 8: other data")
    partial = one(rows, "cod-rna", "negatives_count")
    assert partial["verdict"] == DIFFERS and "cod-rna.r was found nowhere" in partial["reason"]
    substitute = one(rows, "covtype-sample", "positives_count")
    assert "declared substitute for covtype" in substitute["reason"] and substitute["verdict"] == DIFFERS


def test_counts_that_are_not_there_say_why():
    rows = compare_counts(STUDY, K15, data())
    assert one(rows, "epsilon", "features_count")["reason"] == MISSING_REASON
    assert one(rows, "epsilon", "features_count")["verdict"] == NOT_OBTAINED
    not_run = one(rows, "w8a", "features_count")
    assert not_run["verdict"] == NOT_OBTAINED and "configuration" in not_run["reason"]


def test_the_two_counts_of_r12_mean_what_each_data_set_makes_them_mean():
    rows = compare_counts("r12", R12, PUSH_DATA, {"colon": 43.0, "sonar": 187.0, "p300": 288.0}, MEANINGS)
    colon, sonar = one(rows, "colon", "second_count"), one(rows, "sonar", "second_count")
    assert (colon["ours_mean"], colon["verdict"]) == (19, AGREES) and "test part" in colon["reason"]
    assert (sonar["ours_mean"], sonar["verdict"]) == (208, AGREES) and "whole data set" in sonar["reason"]
    assert one(rows, "sonar", "first_count")["ours_mean"] == 187
    features = one(rows, "ionosphere", "features_count")
    assert features["verdict"] == DIFFERS and "The second of 34 columns" in features["reason"]
    assert one(rows, "ionosphere", "first_count")["verdict"] == NOT_OBTAINED  # it was not run
    assert "its declared substitute is p300" in one(rows, "bci", "first_count")["reason"]
    stands_in = one(rows, "p300", "second_count")
    assert (stands_in["published"], stands_in["ours_mean"]) == (2592, 1872)


def test_training_rows_are_those_of_the_chosen_fits(tmp_path):
    fits = results_of(write_results(tmp_path))["fits"]
    sizes = rows_of_training_parts(fits)
    assert sizes["diabetes"] == 1900 and "epsilon" not in sizes


def test_a_count_that_is_no_number_is_named():
    with pytest.raises(ResultsError, match=r"data\.csv: column 'rows' holds 'many'"):
        compare_counts("r12", R12, PUSH_DATA.assign(rows="many"))


@pytest.fixture
def table(tmp_path):
    return table1_of(write_results(tmp_path))


def test_every_mark_and_every_missing_one_is_compared(table):
    rows = compare_marks(table)
    for (dataset, method), printed in printed_table1(K15).set_index(["dataset", "method"]).iterrows():
        best = one(rows, dataset, "best_pos_at_top_mark", method)
        assert best["published"] == printed["pos_at_top_mark"]
        assert one(rows, dataset, "fast_mark", method)["published"] == printed["seconds_mark"]
    assert not rows["method"].isin(["exact", "sklearn_ridge"]).any(), "of these no mark is printed"


def test_a_mark_agrees_where_it_is_the_same_and_else_the_means_say_why(table):
    here = (table["dataset"] == "splice") & (table["features"] == "raw") & (table["method"] == "a2dm2")
    table.loc[here, ["mark_best", "printed_mark_best"]] = ["1", "1"]
    row = one(compare_marks(table), "splice", "best_pos_at_top_mark", "a2dm2")
    assert row["verdict"] == AGREES and row["reason"].startswith("marked in the paper and here")
    table.loc[here, "mark_best"] = "0"
    row = one(compare_marks(table), "splice", "best_pos_at_top_mark", "a2dm2")
    mean = table[here]["pos_at_top_mean"].iloc[0]
    assert row["verdict"] == DIFFERS and f"A2DM2 {mean:.3g} (printed 115)" in row["reason"]
    assert one(compare_marks(table), "epsilon", "fast_mark", "a2dm2")["reason"] == MISSING_REASON
    table.loc[here, "mark_best"] = "not compared"
    row = one(compare_marks(table), "splice", "best_pos_at_top_mark", "a2dm2")
    assert row["verdict"] == NOT_OBTAINED and "no split gave a number" in row["reason"]


def test_marks_counts_and_bounds_survive_the_file(table, tmp_path):
    rows = pd.concat([compare_marks(table), compare_counts(STUDY, K15, data())], ignore_index=True)
    to_csv(rows, tmp_path / "c.csv")
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert ",,," not in text and ",not marked,not printed,marked,none,differs," in text
    pd.testing.assert_frame_equal(read_comparison(tmp_path / "c.csv"), rows)
