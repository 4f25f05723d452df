"""Each rule of a verdict, on a case just inside and one just outside."""

import math

import pytest
from scipy import stats

from reproduction.comparison.tolerances import MARGINS, look_up_margin
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    STATUS_NOT_OBTAINED,
    VALUE_BELOW_MARGIN,
    Mean,
    judge_result,
    welch_interval,
)
from reproduction.core.results import ResultsError


@pytest.mark.parametrize(
    ("quantity", "field", "margin"),
    [
        ("rate_at_top", {}, 0.05),
        ("pos_at_top", {"published": 49.0}, 4.9),
        ("variables", {"features": 2000}, 200),
        ("map", {}, 0.0025),
        ("ndcg10", {}, 0.0025),
        ("sparsity_ratio", {}, 0.05),
        ("map_decrease", {"best_published": 0.5}, 0.5),  # .0025 of .5 is half a per cent
    ],
)
def test_margins_are_those_that_are_declared(quantity, field, margin):
    assert look_up_margin(quantity, **({"published": 0.4} | field)) == pytest.approx(margin)


def test_a_quantity_without_a_margin_is_refused_in_one_sentence():
    with pytest.raises(ResultsError, match=r"'recall' has no declared margin: declare one in .*MARGINS"):
        look_up_margin("recall", 0.5)
    assert "seconds" not in MARGINS, "of another machine: no verdict"


def judge_fixed(published, ours, margin=0.05):
    return judge_result(Mean(published), Mean(ours, 0.1, 5), margin, random_splits=False).verdict


@pytest.mark.parametrize("verdict", [AGREES, DIFFERS])
def test_on_fixed_folds_the_margin_alone_decides_whatever_the_spread(verdict):
    for ours in (0.55, 0.45, 0.5) if verdict == AGREES else (0.5501, 0.4499, 0.9):
        assert judge_fixed(0.5, ours) == verdict


def random(a, s_a, b, s_b, margin, n_b=10):
    return judge_result(Mean(a, s_a, 10), Mean(b, s_b, n_b), margin, random_splits=True)


@pytest.mark.parametrize(("n_b", "s_b"), [(10, 11.9), (40, 3.0), (2, 20.0)])
def test_the_interval_is_the_one_that_inverts_welchs_test(n_b, s_b):
    low, high = welch_interval(Mean(49.0, 13.9, 10), Mean(46.5, s_b, n_b))
    for end in (low, high):  # at either end the test just rejects
        p_value = stats.ttest_ind_from_stats(49.0 - end, 13.9, 10, 46.5, s_b, n_b, equal_var=False).pvalue
        assert p_value == pytest.approx(0.05)
    assert (low + high) / 2 == pytest.approx(2.5)


def half_width(s_a, s_b, n_b=10):
    low, high = welch_interval(Mean(0.0, s_a, 10), Mean(0.0, s_b, n_b))
    return (high - low) / 2


def test_random_splits_agree_within_the_margin_even_where_the_interval_excludes_0():
    verdict = random(0.5, 0.01, 0.55, 0.01, 0.05)
    assert verdict.verdict == AGREES and verdict.high < 0
    assert random(0.5, 0.01, 0.5501, 0.01, 0.05).verdict == DIFFERS


def test_the_interval_must_hold_0():
    half_interval = half_width(0.3, 0.3)
    assert random(0.2, 0.3, 0.2 + 0.999 * half_interval, 0.3, 0.01).verdict == CONSISTENT
    assert random(0.2, 0.3, 0.2 + 1.001 * half_interval, 0.3, 0.01).verdict == DIFFERS


def test_beyond_the_margin_an_interval_that_holds_0_is_consistent_however_narrow():
    half_interval = half_width(0.1, 0.1)
    for margin in (0.1 * half_interval, 0.59 * half_interval):
        verdict = random(0.5, 0.1, 0.5 + 0.6 * half_interval, 0.1, margin)
        assert verdict.verdict == CONSISTENT and verdict.high - verdict.low == pytest.approx(
            2 * half_interval
        )
    assert random(0.5, 0.1, 0.5 + 0.6 * half_interval, 0.1, 0.61 * half_interval).verdict == AGREES


def test_more_splits_of_ours_narrow_the_interval():
    few_splits, more_splits = (random(0.5, 0.1, 0.58, 0.1, 0.04, n_b) for n_b in (10, 100))
    assert (
        few_splits.high - few_splits.low > more_splits.high - more_splits.low
        and few_splits.verdict == CONSISTENT
        and more_splits.verdict == DIFFERS
    )


def test_a_published_value_below_the_margin_is_not_decidable():
    assert judge_fixed(0.0499, 0.04) == VALUE_BELOW_MARGIN == judge_fixed(0.0499, 0.9)
    assert (
        judge_fixed(0.05, 0.04) == AGREES and random(0.049, 0.1, 0.5, 0.1, 0.05).verdict == VALUE_BELOW_MARGIN
    )
    assert random(0.0, 0.0, 0.0, 0.0, 0.0).verdict == AGREES, "a published 0 with a share of it as its margin"


def test_no_number_of_ours_is_not_obtained_whatever_is_published():
    assert judge_fixed(0.5, math.nan) == STATUS_NOT_OBTAINED == judge_fixed(0.01, math.nan)


def test_one_random_split_says_nothing_beyond_the_margin():
    assert random(0.5, 0.1, 0.54, math.nan, 0.05, 1).verdict == AGREES
    assert random(0.5, 0.1, 0.56, math.nan, 0.05, 1).verdict == STATUS_NOT_OBTAINED


def test_without_a_published_spread_the_margin_decides():
    assert random(0.5, math.nan, 0.54, 0.1, 0.05).verdict == AGREES
    verdict = random(0.5, math.nan, 0.56, 0.1, 0.05)
    assert verdict.verdict == DIFFERS and math.isnan(verdict.low)


def test_no_spread_at_all_is_an_interval_of_one_point():
    verdict = random(5.0, 0.0, 5.6, 0.0, 0.5)
    assert (verdict.low, verdict.high) == (
        pytest.approx(-0.6),
        pytest.approx(-0.6),
    ) and verdict.verdict == DIFFERS
