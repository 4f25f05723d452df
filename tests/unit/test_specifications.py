"""What explains a difference: specifications of made numbers, their balance, and the choice among them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reproduction.comparison.multiverse import DEFAULT, check_multiverse
from reproduction.comparison.results import compare_results, note_zero_models
from reproduction.comparison.verdicts import AGREES, CONSISTENT, DIFFERS, RECOVERED
from reproduction.core.results import ResultsError
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
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
            rows.append(row | {"changes": changes, "ours_mean": number, "ours_std": 0.01, "splits": 5})
    return pd.DataFrame(rows).assign(zero_models=0)


def one_row(study, table, spread=0.01):
    """The row of a study of one number with this spread, measured on ten splits where it has one."""
    if study.paper.published_splits:
        table = table.assign(quantity="rate_at_top", splits=10, ours_std=spread)
    (row,) = compare_results(study, table, NO_COUNTS)[0].to_dict("records")
    return row


def compare_table(table, counts=NO_COUNTS):
    rows, options = compare_results(Made(list(dict.fromkeys(table["dataset"]))), table, counts)
    return rows.set_index("dataset"), options.set_index("option")


GOOD_MEAN, BAD_MEAN = 0.5, 0.9


def test_an_option_that_recovers_more_than_it_loses_explains():
    rows, options = compare_table(
        specifications(
            a={DEFAULT: BAD_MEAN, "stop=m_k": GOOD_MEAN, "cap=1000": BAD_MEAN},
            b={DEFAULT: BAD_MEAN, "stop=m_k": GOOD_MEAN},
            c={DEFAULT: GOOD_MEAN, "stop=m_k": BAD_MEAN},
            d={DEFAULT: BAD_MEAN, "stop=m_k": BAD_MEAN},
        )
    )
    assert rows["verdict"].to_dict() == {"a": RECOVERED, "b": RECOVERED, "c": AGREES, "d": DIFFERS}
    assert rows.loc["a", "specification"] == "stop=m_k" and rows.loc["d", "specification"] == DEFAULT
    reason = rows.loc["a", "reason"]
    assert "with stop=m_k we measure 0.500 ± 0.0100, which agrees" in reason
    assert "this recovers 2 numbers and loses 1" in reason and " and cap=" not in reason
    assert rows.loc["a", "excluded"] == "cap=1000 0.900 ± 0.0100"
    assert rows.loc["d", "excluded"] == "stop=m_k 0.900 ± 0.0100"
    assert rows.loc["d", "reason"].startswith("no option that was tried recovers it; the difference is 0.400")
    counts = options.loc["m_k", ["compared", "recovered", "lost", "explains"]]
    assert counts.tolist() == [4, 2, 1, 2] and options.loc["m_k", "choice"] == "stop"


def test_an_option_that_loses_as_many_explains_nothing():
    rows, options = compare_table(
        specifications(
            a={DEFAULT: BAD_MEAN, "stop=m_k": GOOD_MEAN}, b={DEFAULT: GOOD_MEAN, "stop=m_k": BAD_MEAN}
        )
    )
    assert rows.loc["a", "verdict"] == DIFFERS and options.loc["m_k", "explains"] == 0
    assert rows.loc["a", "excluded"] == "stop=m_k 0.500 ± 0.0100 (recovers 1, loses 1)"


def test_what_cannot_be_measured_or_decided_is_in_no_balance():
    table = specifications(
        a={DEFAULT: BAD_MEAN, "stop=m_k": np.nan}, b={DEFAULT: np.nan, "stop=m_k": GOOD_MEAN}
    )
    _, options = compare_table(table)
    assert options.loc["m_k", ["compared", "recovered", "lost"]].tolist() == [0, 0, 0]


def test_fewer_options_go_before_a_better_balance_and_that_before_the_name():
    pair = "stop=m_k; cap=1000"
    helped = {DEFAULT: BAD_MEAN, "stop=m_k": BAD_MEAN, "cap=1000": BAD_MEAN, pair: GOOD_MEAN}
    rows, options = compare_table(
        specifications(
            a={DEFAULT: BAD_MEAN, "ties=last": GOOD_MEAN, "stop=m_k": GOOD_MEAN, pair: GOOD_MEAN},
            b=helped,
            c=helped,
            d={DEFAULT: BAD_MEAN, "stop=m_k": GOOD_MEAN},
        )
    )
    assert rows.loc["a", "specification"] == "stop=m_k", "it recovers two, ties=last one, the pair three"
    assert (
        rows.loc["b", "specification"] == pair and "with stop=m_k and cap=1000 we" in rows.loc["b", "reason"]
    )
    assert options.loc["m_k; 1000", "choice"] == "stop; cap" and options.loc["m_k; 1000", "explains"] == 2
    assert rows.loc["d", "specification"] == "stop=m_k" and rows.loc["a", "excluded"].endswith(
        "1 pairs of options"
    )


def test_three_changes_are_no_explanation_and_an_unused_pair_is_no_row_of_the_options():
    three = "stop=m_k; cap=1000; ties=last"
    rows, options = compare_table(
        specifications(a={DEFAULT: BAD_MEAN, three: GOOD_MEAN, "stop=m_k; cap=1000": BAD_MEAN})
    )
    assert rows.loc["a", "verdict"] == DIFFERS and options.empty
    assert rows.loc["a", "excluded"] == "and 1 pairs of options"


def test_an_agreeing_specification_goes_before_a_consistent_one():
    of_b = {DEFAULT: BAD_MEAN, "ties=first": 0.6}
    table = specifications(a=of_b | {"x=1; ties=last": 0.54}, b=of_b)
    spread = np.where(table["specification"] == DEFAULT, 0.01, 0.2)
    table = table.assign(quantity="rate_at_top", splits=10, ours_std=spread)
    rows = compare_results(Made(["a", "b"], 0.2), table, NO_COUNTS)[0].set_index("dataset")
    assert rows.loc["a", "specification"] == "x=1; ties=last", "it agrees; ties=first is consistent only"
    assert rows.loc["b", "verdict"] == RECOVERED and "which is consistent" in rows.loc["b", "reason"]


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


def test_what_is_consistent_says_the_smallest_difference_that_can_be_seen():
    row = one_row(Made(["a"], 0.3), specifications(a={DEFAULT: 0.6}), 0.3)
    assert row["verdict"] == CONSISTENT
    assert row["smallest_seen"] == pytest.approx((row["high"] - row["low"]) / 2)
    assert "−0.382 to 0.182, holds 0; below 0.282 no difference could be seen" in row["reason"]


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
    ("ours", "spread", "message"),
    [
        (0.54, 0.01, "the difference of 0.0400 is within the margin of 0.05"),
        (0.56, 0.09, "holds 0 and reaches at most twice the margin of 0.05"),
    ],
)
def test_what_agrees_says_by_which_of_the_two_rules(ours, spread, message):
    row = one_row(Made(["a"], spread), specifications(a={DEFAULT: ours}), spread)
    assert row["verdict"] == AGREES and row["reason"].endswith(message)


def test_a_verdict_is_that_of_the_number_as_it_was_measured():
    """To two decimals .5504 and .4496 are within the margin of .05."""
    rows, _ = compare_table(specifications(a={DEFAULT: 0.5504}, b={DEFAULT: 0.4496}, c={DEFAULT: 0.5496}))
    assert rows["verdict"].to_dict() == {"a": DIFFERS, "b": DIFFERS, "c": AGREES}
    assert rows["ours_mean"].tolist() == [0.5504, 0.4496, 0.5496]
