"""Ties, zeros and missing numbers in the statistics that judge numbers, methods and claims."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_measurements import make_measurements

from reproduction.comparison.placebo import REPRODUCED_NUMBERS, compare_with_chance
from reproduction.comparison.row_tables import _list_option_effects
from reproduction.papers.across import decisions
from reproduction.papers.across.recommendation import recommend_methods
from reproduction.papers.laporte2014 import claim_checks
from reproduction.papers.laporte2014.multiverse import _compute_decreases
from reproduction.papers.rakotomamonjy2012 import multiverse
from reproduction.reporting.method_comparison.method_pairs import _compare_pairs
from reproduction.specs.multiverse import DEFAULT
from reproduction.statistics.paired_tests import wilcoxon_p
from reproduction.statistics.rank_tests import bayesian_signed_rank


@pytest.mark.parametrize("n_zeros", [0, 8, 9, 15, 100])
def test_zeros_are_dropped_before_a_test_is_exact(n_zeros):
    ours = np.append(np.zeros(n_zeros), np.arange(1.0, 6.0))
    assert wilcoxon_p(ours, np.zeros(ours.size)) == pytest.approx(2 / 2**5)


def test_regions_that_tie_share_the_probability():
    assert bayesian_signed_rank(np.zeros(8), 0.0) == (0.5, 0.0, 0.5)


def test_means_that_are_equal_but_for_rounding_tie():
    wide = pd.DataFrame({"a": [0.3] * 6, "b": [0.1 + 0.2] * 6})
    row = decisions._compare_best_method(wide, ["a", "b"])
    assert (row["method"], row["mean_rank"]) == ("a", 1.5)


def test_the_best_by_two_metrics_on_the_sets_that_have_both():
    first = pd.DataFrame({"x": [True, True, False], "y": [False, True, True]}, index=["d1", "d2", "d3"])
    second = pd.DataFrame({"x": [True, False], "z": [False, True]}, index=["d1", "d2"])
    assert decisions._measure_same_best(first, second) == (2, 0.5)
    assert decisions._measure_same_best(first, first) == (3, 1.0)
    n_sets, share = decisions._measure_same_best(first, second.rename({"d1": "e1", "d2": "e2"}))
    assert n_sets == 0 and np.isnan(share)


def test_logistic_regression_itself_on_many_sets_is_no_lack_of_sets():
    row = {"situation": "queries", "metric": "rate_at_top", "method": "logistic_regression", "n_sets": 37.0}
    row |= {"mean": 0.29, "rival_mean": np.nan, "p_better": np.nan}
    facts = pd.DataFrame({"dataset": [], "gain_rate_at_top": [], "zero_optimal_share": []})
    for n_sets, is_few in ((37.0, False), (3.0, True)):
        tables = {"decisions": pd.DataFrame([row | {"n_sets": n_sets}]), "facts": facts}
        assert ("too few sets" in recommend_methods(tables)[0]) is is_few


def test_chance_has_as_many_numbers_as_the_papers():
    """All numbers are equal, so each permutation reproduces all, also where a data set lacks a method."""
    values = {"a": [5.0] * 4, "b": [5.0] * 2, "c": [5.0] * 3}
    table = compare_with_chance(make_measurements(values, values), "s", 7)
    is_row = (table["permuted"] == "data sets") & (table["statistic"] == REPRODUCED_NUMBERS)
    for row in table[is_row].to_dict("records"):
        assert row["observed"] == row["chance_mean"] == row["total"]


def test_an_option_is_compared_on_the_numbers_that_it_changes():
    published = {"a": [1.0, 2.0, 3.0, 4.0]}
    measurements = make_measurements(published, published, x={"a": [1.0, 2.5, 3.0, 9.0]})
    no_effect = np.zeros((1, 4), dtype=bool)
    effects = SimpleNamespace(
        reproduced=np.ones(4, dtype=bool), differs=no_effect[0], recovered=no_effect, lost=no_effect
    )
    (row,) = _list_option_effects(measurements, effects, [], -1, "s").to_dict("records")
    assert row["compared"] == 2


def test_the_means_of_a_pair_are_those_of_its_difference():
    metric = SimpleNamespace(logarithmic=False, larger_is_better=True)
    values = pd.DataFrame({"toppush": [0.5, 0.7, np.nan], "admm": [0.4, np.nan, 0.9]})
    (row,) = _compare_pairs(values, metric, {}, "Student t")
    assert (row["n"], row["method_mean"], row["rival_mean"]) == (1, 0.5, 0.4)
    metric.logarithmic, metric.larger_is_better = True, False
    (row,) = _compare_pairs(values.fillna(0.1), metric, {}, "Student t")
    assert row["method_mean"] == pytest.approx(1.3 / 3), "seconds, and not their logarithms"


def make_folds(values):
    """Rows of folds: {method: {fold: value}}."""
    return pd.DataFrame(
        [
            {"dataset": "x", "method": method, "split": split, "map": value}
            for method, folds in values.items()
            for split, value in folds.items()
        ]
    )


def test_methods_are_compared_on_the_folds_that_all_have():
    values = {method: {0: 0.5, 1: 0.4, 2: 0.6} for method in claim_checks.METHODS}
    first, second = claim_checks.METHODS[:2]
    values[first] = {0: 0.5, 1: 0.4}
    assert list(claim_checks._pivot_folds(make_folds(values), "map").index) == [0, 1]
    values[second] = {1: 0.4, 2: 0.6}
    assert claim_checks._pivot_folds(make_folds(values), "map") is None


def test_decreases_are_from_the_best_of_all_methods():
    rows = {"l1_ranksvm": {0: 0.4, 1: 0.4}, "fsmrank": {0: 0.5, 1: 0.5}}
    default = make_folds(rows).assign(specification=DEFAULT)
    changed = make_folds({"l1_ranksvm": {0: 0.45, 1: 0.45}}).assign(specification="largest_C=1")
    table = pd.concat([default, changed], ignore_index=True)
    assert _compute_decreases(table, "map").tolist() == pytest.approx([20.0, 20.0, 0.0, 0.0, 10.0, 10.0])


def test_certified_numbers_stand_for_early_stops_of_the_documented_classes_alone():
    settings = {"multiverse": {"choices": {"stop": ["certified", 10], "positive": ["documented", "other"]}}}
    specifications = multiverse.Specifications(multiverse.CHOICES, settings)
    row = {"dataset": "sonar", "stop": multiverse.CERTIFIED_STOP, "share": multiverse.VALIDATED_SHARE}
    row |= {"optimum": multiverse.COMPUTED_OPTIMUM, "toy": False}
    rows = pd.DataFrame(
        [
            row | {"method": method, "positive": positive}
            for method in ("l1_infinite_push", "l2_infinite_push")
            for positive in ("documented", "other")
        ]
        + [row | {"method": "l1_infinite_push", "positive": "documented", "stop": "10"}]
    )
    (repeated,) = multiverse._repeat_certified_rows(rows, specifications)
    assert repeated[["method", "positive", "stop"]].to_numpy().tolist() == [
        ["l2_infinite_push", "documented", "10"]
    ]
