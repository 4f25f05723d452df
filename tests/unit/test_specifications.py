"""Verdicts on made numbers: their sentences, other data, models of zero weights, and wrong tables."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reproduction.comparison.measurements import check_multiverse
from reproduction.comparison.results import compare_results, note_zero_models
from reproduction.comparison.verdicts import AGREES, CONSISTENT, DIFFERS, EXPLAINED_VALUE
from reproduction.core.results import ResultsError
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import NUMBER_KEY


class Made:
    """A study of made numbers: fixed folds, a sparsity ratio of .5 published for each data set."""

    name = "made"

    def __init__(self, names, deviation=None, quantity="rate_at_top"):
        quantity = quantity if deviation else "sparsity_ratio"
        self.paper = SimpleNamespace(published_splits=10 if deviation else 0)
        key = {"artefact": "table4", "dataset": names, "method": "log_ranksvm", "quantity": quantity}
        self.published_values = pd.DataFrame(key).assign(number=0.5, value="0.5", mark="")
        self.published_values["deviation"] = deviation or np.nan
        self.data = pd.DataFrame({"dataset": names, "status": "obtained", "reason": "", "features": "40"})
        self.fits = pd.DataFrame(columns=["dataset", "method", "role", "status"])


NO_COUNTS = pd.DataFrame(columns=["dataset", "quantity", "verdict", "published", "ours_mean"])


def specifications(**values):
    """Rows of multiverse.csv: data set -> specification -> our number (and models w = 0)."""
    rows = []
    for dataset, of_set in values.items():
        for specification, number in of_set.items():
            row = dict(zip(NUMBER_KEY, ("table4", dataset, "log_ranksvm", "sparsity_ratio"), strict=True))
            row |= {
                "study": "made",
                "published": 0.5,
                "published_std": np.nan,
                "specification": specification,
            }
            changes = 0 if specification == DEFAULT else specification.count("=")
            row |= {"default_mean": of_set[DEFAULT], "default_std": 0.01, "zero_models": 0}
            rows.append(row | {"changes": changes, "ours_mean": number, "ours_std": 0.01, "splits": 5})
    return pd.DataFrame(rows)


def one_row(study, table, spread=0.01):
    """The row of a study of one number with this spread, measured on ten splits where it has one."""
    if study.paper.published_splits:
        table = table.assign(quantity="rate_at_top", splits=10, ours_std=spread)
    (row,) = compare_results(study, table, NO_COUNTS).rows.to_dict("records")
    return row


def compare_table(table, counts=NO_COUNTS):
    compared = compare_results(Made(list(dict.fromkeys(table["dataset"]))), table, counts)
    return compared.rows.set_index("dataset"), compared.option_effects.set_index("option")


GOOD_MEAN, BAD_MEAN = 0.5, 0.9


def test_what_explains_a_row_is_named_with_the_default_on_the_same_splits():
    table = specifications(
        a={DEFAULT: BAD_MEAN, "stop=m_k": GOOD_MEAN, "cap=1000": BAD_MEAN},
        b={DEFAULT: BAD_MEAN, "stop=m_k": BAD_MEAN},
        c={DEFAULT: GOOD_MEAN, "stop=m_k": BAD_MEAN},
    )
    is_option = table["specification"] == "stop=m_k"
    table.loc[is_option & (table["dataset"] == "a"), ["splits", "default_mean"]] = [3, 0.8]
    rows, options = compare_table(table)
    assert rows["verdict"].to_dict() == {"a": EXPLAINED_VALUE, "b": DIFFERS, "c": AGREES}
    assert rows["specification"].tolist() == ["stop=m_k", DEFAULT, DEFAULT]
    words = "with stop=m_k, which explains the row, we measure 0.500 ± 0.0100 on 3 splits (by default 0.800"
    assert words in rows.loc["a", "reason"]
    assert rows.loc["b", "reason"].startswith("the difference is 0.400, the margin 0.05")
    counts = options.loc["m_k", ["compared", "recovered", "lost", "explains"]]
    assert counts.tolist() == [2, 1, 1, 1] and options.loc["m_k", "choice"] == "stop"


def test_what_cannot_be_measured_is_in_no_count():
    table = specifications(
        a={DEFAULT: BAD_MEAN, "stop=m_k": np.nan}, b={DEFAULT: np.nan, "stop=m_k": GOOD_MEAN}
    )
    _, options = compare_table(table)
    assert options.loc["m_k", ["compared", "recovered", "lost"]].tolist() == [0, 0, 0]


def test_an_unused_pair_is_no_row_of_the_options():
    _, options = compare_table(
        specifications(a={DEFAULT: BAD_MEAN, "stop=m_k; cap=1000": BAD_MEAN, "stop=m_k": BAD_MEAN})
    )
    assert options.index.tolist() == ["m_k"]


def test_other_data_are_said_where_a_count_differs_and_explain_nothing_untried():
    of_sets = [
        ("a", "rows_count", "not as published", 581012.0, 20000.0),
        ("b", "rows_count", "as published", 100.0, 100.0),
        ("c", "rows_count", "not as published", 7.0, 8.0),
    ]
    counts = pd.DataFrame(of_sets, columns=list(NO_COUNTS))
    rows, _ = compare_table(
        specifications(a={DEFAULT: BAD_MEAN}, b={DEFAULT: BAD_MEAN}, c={DEFAULT: GOOD_MEAN}), counts
    )
    assert rows["verdict"].to_dict() == {"a": DIFFERS, "b": DIFFERS, "c": AGREES}
    assert "other data than published: rows 20000 (581012)" in rows.loc["a", "reason"]
    assert "other data" not in rows.loc["b", "reason"] and rows.loc["a", "specification"] == DEFAULT
    assert "no other option was tried" in rows.loc["b", "reason"]


def test_models_of_zero_weights_are_counted_on_agreeing_rows_too_and_explain_nothing():
    table = specifications(a={DEFAULT: GOOD_MEAN}, b={DEFAULT: BAD_MEAN}).assign(zero_models=[2, 5])
    rows, _ = compare_table(table)
    assert rows["zero_models"].tolist() == [2, 5] and rows["verdict"].tolist() == [AGREES, DIFFERS]
    assert rows.loc["a", "reason"].endswith("the chosen model is w = 0 on 2 of 5 splits")
    other_methods = rows.reset_index().assign(zero_models=np.nan, method=["log_ranksvm", "data"])
    assert note_zero_models(other_methods, rows.reset_index())["zero_models"].fillna(-1).tolist() == [2, -1]


def test_a_number_that_no_specification_has_says_why():
    rows, _ = compare_table(specifications(a={DEFAULT: GOOD_MEAN}, b={DEFAULT: np.nan}))
    assert rows.loc["b", "verdict"] == STATUS_NOT_OBTAINED and "configuration" in rows.loc["b", "reason"]
    study = Made(["a"])
    study.fits = pd.DataFrame({"dataset": "a", "role": "chosen", "status": ["failed", "diverged"]})
    study.fits["method"] = "log_ranksvm"
    row = one_row(study, specifications(a={DEFAULT: np.nan}))
    assert row["reason"] == "no split gave a number; the 2 fits ended as diverged: 1, failed: 1"


def test_a_table_of_specifications_that_is_wrong_is_refused_in_one_sentence():
    table = specifications(a={DEFAULT: GOOD_MEAN})
    for wrong, message in (
        (table.drop(columns="zero_models"), r"made/multiverse\.csv lacks the column 'zero_models': run the"),
        (pd.concat([table, table]), "the specification 'default' twice for sparsity_ratio of a, log_ran"),
        (table.assign(splits="five"), "column 'splits' holds 'five' where a number or nothing should"),
    ):
        with pytest.raises(ResultsError, match=message):
            check_multiverse(wrong, "made")
    with pytest.raises(ResultsError, match="'recall' has no declared margin"):
        compare_results(Made(["a"], 0.1, "recall"), table, NO_COUNTS)


@pytest.mark.parametrize(
    ("ours", "spread", "verdict", "message"),
    [
        (0.54, 0.01, AGREES, "the difference of 0.0400 is within the margin of 0.05"),
        (
            0.56,
            0.09,
            CONSISTENT,
            "the difference of 0.0600 is above the margin of 0.05, but its 95 % interval, ",
        ),
    ],
)
def test_the_reason_of_a_verdict(ours, spread, verdict, message):
    row = one_row(Made(["a"], spread), specifications(a={DEFAULT: ours}), spread)
    assert row["verdict"] == verdict and message in row["reason"]


def test_a_verdict_is_that_of_the_number_as_it_was_measured():
    """To two decimals .5504 and .4496 are within the margin of .05."""
    rows, _ = compare_table(specifications(a={DEFAULT: 0.5504}, b={DEFAULT: 0.4496}, c={DEFAULT: 0.5496}))
    assert rows["verdict"].to_dict() == {"a": DIFFERS, "b": DIFFERS, "c": AGREES}
    assert rows["ours_mean"].tolist() == [0.5504, 0.4496, 0.5496]
