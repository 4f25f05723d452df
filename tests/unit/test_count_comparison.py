"""The published counts of data sets beside ours: verdicts and reasons that follow from the files."""

import pandas as pd
import pytest
from report_rows import MISSING_REASON, PUBLISHED_VALUES, STUDY, data, results_of, write_results
from studies import get_row

from reproduction.comparison.counts import (
    compare_counts,
    count_training_rows,
    format_differing_counts,
    judge_count,
)
from reproduction.comparison.table import COMPARISON_COLUMNS
from reproduction.comparison.verdicts import DIFFERS_FROM_PUBLISHED, MATCHES
from reproduction.core.results import ResultsError
from reproduction.papers import paper
from reproduction.papers.rakotomamonjy2012.table1 import COUNT_MEANINGS
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import read_published_values

K15 = read_published_values(PUBLISHED_VALUES)
R12 = read_published_values(paper("rakotomamonjy2012").published_values)
SETS = [
    ("colon", "62", "2000", "", ""),
    ("sonar", "208", "60", "", ""),
    ("ionosphere", "351", "34", "", "The second of 34 columns is always 0."),
    ("p300", "2160", "310", "bci", ""),
]
PUSH_DATA = pd.DataFrame(SETS, columns=["dataset", "rows", "features", "substitute_for", "note"])
PUSH_DATA = PUSH_DATA.assign(status="obtained", reason="")


def test_counts_of_the_files_stand_beside_the_published_ones():
    rows = compare_counts(STUDY, K15, data())
    assert list(rows.columns) == list(COMPARISON_COLUMNS) and (rows["reason"].str.len() > 5).all()
    assert len(rows) == 3 * K15["dataset"].nunique() and set(rows["kind"]) == {"count"}
    agrees = get_row(rows, "breast-cancer", quantity="positives_count")
    assert (agrees["published"], agrees["ours_mean"], agrees["verdict"]) == (239, 239, MATCHES)
    differs = get_row(rows, "diabetes", quantity="features_count")
    assert (
        differs["verdict"] == DIFFERS_FROM_PUBLISHED
        and differs["reason"] == "we count 8 where 34 is published"
    )
    partial = get_row(rows, "cod-rna", quantity="negatives_count")
    assert partial["verdict"] == DIFFERS_FROM_PUBLISHED and "cod-rna.r was found nowhere" in partial["reason"]


def test_other_data_are_the_counts_that_differ_and_no_others():
    rows = compare_counts(STUDY, K15, data())
    assert format_differing_counts(rows, "diabetes") == "features 8 (34)"
    assert format_differing_counts(rows, "breast-cancer") == format_differing_counts(rows, "epsilon") == ""


@pytest.mark.parametrize(
    ("ours", "allowed", "verdict", "message"),
    [
        (152.0, 0.0, MATCHES, "the count is equal"),
        (152.09, 0.1, MATCHES, "rounded or cut off"),
        (152.11, 0.1, DIFFERS_FROM_PUBLISHED, "we count 152.11 where 152 is published"),
        (153.0, 0.0, DIFFERS_FROM_PUBLISHED, "we count 153 where 152 is published"),
    ],
)
def test_an_average_is_equal_up_to_its_last_published_digit(ours, allowed, verdict, message):
    row = judge_count(152.0, ours, "", ["", "none", "A note."], allowed=allowed)
    assert row["verdict"] == verdict and message in row["reason"] and row["reason"].endswith("; A note")


def test_counts_that_are_not_there_say_why():
    rows = compare_counts(STUDY, K15, data())
    assert get_row(rows, "epsilon", quantity="features_count")["reason"] == MISSING_REASON
    assert get_row(rows, "epsilon", quantity="features_count")["verdict"] == STATUS_NOT_OBTAINED
    not_run = get_row(rows, "w8a", quantity="features_count")
    assert not_run["verdict"] == STATUS_NOT_OBTAINED and "configuration" in not_run["reason"]


def test_the_two_counts_of_r12_mean_what_each_data_set_makes_them_mean():
    rows = compare_counts(
        "r12", R12, PUSH_DATA, {"colon": 43.0, "sonar": 187.0, "p300": 288.0}, COUNT_MEANINGS
    )
    colon, sonar = (
        get_row(rows, "colon", quantity="second_count"),
        get_row(rows, "sonar", quantity="second_count"),
    )
    assert (colon["ours_mean"], colon["verdict"]) == (19, MATCHES) and "test part" in colon["reason"]
    assert (sonar["ours_mean"], sonar["verdict"]) == (208, MATCHES) and "whole data set" in sonar["reason"]
    assert get_row(rows, "sonar", quantity="first_count")["ours_mean"] == 187
    features = get_row(rows, "ionosphere", quantity="features_count")
    assert features["verdict"] == DIFFERS_FROM_PUBLISHED and "The second of 34 columns" in features["reason"]
    assert (
        get_row(rows, "ionosphere", quantity="first_count")["verdict"] == STATUS_NOT_OBTAINED
    )  # it was not run
    assert (
        "p300 is its declared substitute with other data"
        in get_row(rows, "bci", quantity="first_count")["reason"]
    )
    assert "p300" not in set(rows["dataset"])


def test_training_rows_are_those_of_the_chosen_fits(tmp_path):
    fits = results_of(write_results(tmp_path))["fits"]
    sizes = count_training_rows(fits)
    assert sizes["diabetes"] == 1900 and "epsilon" not in sizes


def test_a_count_that_is_no_number_is_named():
    with pytest.raises(ResultsError, match=r"data\.csv: column 'rows' holds 'many'"):
        compare_counts("r12", R12, PUSH_DATA.assign(rows="many"))
