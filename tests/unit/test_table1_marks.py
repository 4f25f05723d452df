"""The published marks of K15's Table 1, and the rule that they follow."""

import pytest
from errata.kadkhodaie2015 import factor_marks, marks_reproduced
from report_rows import PUBLISHED_VALUES

from reproduction.papers.kadkhodaie2015.table1 import (
    PUBLISHED_MARKS,
    assign_marks,
    decimal_exponent,
    published_table1,
)
from reproduction.specs.published_values import read_published_values

TABLE1 = published_table1(read_published_values(PUBLISHED_VALUES))


@pytest.mark.parametrize("dataset", TABLE1["dataset"].unique())
@pytest.mark.parametrize("quantity, column, lower", PUBLISHED_MARKS)
def test_every_published_mark_follows_the_exponents(dataset, quantity, column, lower):
    rows = TABLE1[TABLE1["dataset"] == dataset].set_index("method")
    assert assign_marks(rows[quantity].to_dict(), lower) == rows[column].astype(bool).to_dict()


def test_the_words_of_the_caption_do_not_give_the_published_marks():
    by_set = marks_reproduced(TABLE1).groupby("dataset")[["exponent_rule", "factor_rule"]].all()
    assert by_set["exponent_rule"].all()
    assert sorted(by_set.index[by_set["factor_rule"]]) == ["a9a", "cod-rna", "covtype", "epsilon"]


def test_a_wrong_mark_in_the_print_would_be_seen():
    wrong = TABLE1.copy()
    wrong.loc[0, "seconds_mark"] = 0
    marks = marks_reproduced(wrong)
    assert list(marks.loc[~marks["exponent_rule"], "dataset"]) == ["breast-cancer"]


@pytest.mark.parametrize(
    "value, exponent",
    [(9.99, 0), (9.996, 1), (10, 1), (0.0995, -2), (0.09999, -1), (1820, 3), (0, -float("inf"))],
)
def test_the_exponent_is_that_of_the_published_form(value, exponent):
    assert decimal_exponent(value) == exponent


@pytest.mark.parametrize(
    "values, lower, marked",
    [((11.0, 99.0), True, (False, False)), ((5.0,), False, (False,)), ((0.0, 0.3), False, (False, True))],
)
def test_one_exponent_for_all_marks_nothing_and_zero_is_below_every_other(values, lower, marked):
    assert assign_marks(dict(enumerate(values)), lower) == dict(enumerate(marked))


@pytest.mark.parametrize("lower", [True, False])
def test_a_factor_of_ten_marks_all_that_are_ahead_of_the_rest(lower):
    values = {"a": 1.0, "b": 2.0, "c": 20.0}
    marked = {"a", "b"} if lower else {"c"}
    assert {name for name, mark in factor_marks(values, lower).items() if mark} == marked
    assert not any(factor_marks({"a": 1.0, "b": 9.0}, lower).values())
