"""Counts and orders of methods beside those of permuted values: by hand, and under the null."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from made_measurements import METHODS, join_tables, make_measurements
from scipy.stats import kendalltau

from reproduction.comparison.measurements import judge_pairs
from reproduction.comparison.placebo import (
    ALL_TABLES,
    BEST_COMBINATION,
    EXPLAINED_ROWS,
    REPRODUCED_NUMBERS,
    compare_orders,
    compare_with_chance,
)
from reproduction.comparison.table import METHOD_ORDER_COLUMNS, PLACEBO_COLUMNS, Comparison, comparison_rows
from reproduction.reporting.page.chance import build_chance_tables, describe_chance, describe_level
from reproduction.statistics.permutations import (
    compute_share_at_least,
    draw_permutations,
    measure_chance_level,
    measure_rank_agreement,
)

FLAT_AND_STEEP = {"flat": [5.0, 5.0, 5.0, 5.0], "steep": [1.0, 2.0, 3.0, 4.0]}


def level_of(measurements, permuted, artefact="table1", statistic=REPRODUCED_NUMBERS):
    table = compare_with_chance(measurements, "s", 7)
    assert tuple(table.columns) == PLACEBO_COLUMNS
    is_row = (table["permuted"] == permuted) & (table["artefact"] == artefact)
    (row,) = table[is_row & (table["statistic"] == statistic)].to_dict("records")
    return row


def test_counts_by_hand():
    """Two sets; on the first all methods have one number, on the second each its own."""
    table = make_measurements(FLAT_AND_STEEP, FLAT_AND_STEEP)
    row = level_of(table, "methods")
    assert (row["total"], row["observed"]) == (8, 8)
    assert row["chance_mean"] == pytest.approx(4 + 1, abs=0.1), "one of four steep numbers by chance"
    # of the 24 permutations of four numbers one has four fixed points, six have two
    assert row["chance_upper"] == 4 + 2 and row["p_value"] == pytest.approx(1 / 24, abs=0.02)
    row = level_of(table, "data sets")
    assert row["chance_mean"] == pytest.approx(4.0, abs=0.2), "no number of one row is near one of the other"


def test_the_search_is_repeated_in_each_permutation():
    """x=1 has the published numbers, by default each method has that of the next: one order of 24 is as
    good."""
    published = {"a": [10.0, 20.0, 30.0, 40.0]}
    shifted = {"a": [20.0, 30.0, 40.0, 10.0]}
    table = make_measurements(published, shifted, x=published)
    row = level_of(table, "methods", statistic=EXPLAINED_ROWS)
    assert (row["total"], row["observed"]) == (1, 1)
    row = level_of(table, "methods", statistic=BEST_COMBINATION)
    assert (row["total"], row["observed"], row["combination"]) == (4, 4, "x=1")
    # recovered minus lost by hand: fixed points minus points that the default has
    orders = [np.array(order) for order in draw_permutations(4, 5000, np.random.default_rng(0))[1:]]
    balance = [max(0, (o == [0, 1, 2, 3]).sum() - (o == [1, 2, 3, 0]).sum()) for o in orders]
    assert row["chance_mean"] == pytest.approx(np.mean(balance), abs=0.06)
    assert row["p_value"] == pytest.approx(1 / 24, abs=0.02)


def test_many_options_pay_for_themselves():
    """Of sixty random options some explain rows; so they do with permuted values."""
    random = np.random.default_rng(11)
    values = {f"d{i}": 10.0 * random.random(4) for i in range(4)}
    ours = {name: 10.0 * random.random(4) for name in values}
    options = {f"x{i}": {name: 10.0 * random.random(4) for name in values} for i in range(60)}
    table = make_measurements(values, ours, margin=1.0, **options)
    row = level_of(table, "methods", statistic=EXPLAINED_ROWS)
    assert row["p_value"] > 0.05 and row["chance_mean"] > 0.5


def test_levels_alone_are_not_the_methods():
    """Ours are right for the data set and noise for the method: chance explains the first count only."""
    random = np.random.default_rng(0)
    published = {f"d{i}": 100.0 * i + random.permutation(8)[:4] for i in range(6)}
    ours = {name: 100.0 * i + random.permutation(8)[:4] for i, name in enumerate(published)}
    table = make_measurements(published, ours, margin=2.0)
    assert level_of(table, "methods")["p_value"] > 0.1
    assert level_of(table, "data sets")["p_value"] < 0.05


def test_values_of_the_null_are_rarely_more_than_chance():
    random, p_values = np.random.default_rng(1), []
    for _ in range(60):
        matches = random.random((5, 4, 4)) < 0.4
        orders = [draw_permutations(4, 400, random) for _ in matches]
        counts = sum(
            match[order, np.arange(4)].sum(axis=1) for match, order in zip(matches, orders, strict=True)
        )
        p_values.append(measure_chance_level(counts).p_value)
    assert np.mean(np.array(p_values) <= 0.05) <= 0.15


def test_a_count_at_the_level_is_more_than_chance():
    assert describe_level(0.05) == "more than chance" and describe_level(0.0501) == "no more than chance"
    # nineteen permutations below the observed count: p = 1/20
    level = measure_chance_level(np.array([5, *[0] * 19]))
    assert level.p_value == pytest.approx(0.05) and level.upper == 0
    # one of them at the 95 % point, which it reaches
    assert measure_chance_level(np.array([5, 5, *[0] * 18])).p_value == pytest.approx(0.1)


@pytest.mark.parametrize("n", [3, 5, 9])
def test_tau_is_that_of_scipy(n):
    random = np.random.default_rng(n)
    first, second = random.normal(size=n), random.integers(0, 4, n).astype(float)
    tau, permuted = measure_rank_agreement(first, second, 500, random)
    assert tau == pytest.approx(kendalltau(first, second).statistic)
    assert -1 <= permuted.min() <= permuted.max() <= 1
    if n == 3:
        assert permuted.size == 6
    assert np.isnan(measure_rank_agreement(first, np.ones(n), 10, random)[0])


def order_rows(published, ours):
    """Rows of the comparison: {data set: numbers of the methods}."""
    rows = []
    for dataset, numbers in published.items():
        for method, number, own in zip(METHODS, numbers, ours[dataset], strict=False):
            row = {"study": "s", "artefact": "table1", "dataset": dataset, "method": method}
            rows.append(row | {"quantity": "pos_at_top", "published": number, "ours_mean": own})
    return comparison_rows(rows)


def test_orders_by_hand():
    published = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0], "c": [1.0, 2.0]}
    ours = {"a": [10.0, 20.0, 30.0, 40.0], "b": [40.0, 30.0, 20.0, 10.0], "c": [1.0, 2.0]}
    table = compare_orders(order_rows(published, ours), "s", 7)
    assert tuple(table.columns) == METHOD_ORDER_COLUMNS
    a, b, mean = table.to_dict("records")
    assert (a["tau"], b["tau"], mean["tau"]) == (1.0, -1.0, 0.0) and mean["dataset"] == ALL_TABLES
    assert a["p_value"] == pytest.approx(1 / 24) and b["p_value"] == 1.0 and mean["p_value"] > 0.4
    assert np.isnan(compute_share_at_least(0.0, np.empty(0)))


def test_other_tables_change_nothing():
    random = np.random.default_rng(3)
    published = {f"d{i}": 10 + random.normal(size=4) for i in range(4)}
    first = make_measurements(published, {name: 10 + random.normal(size=4) for name in published})
    second = make_measurements(published, published, artefact="table2")
    joined = join_tables(first, second)
    for permuted in ("methods", "data sets"):
        assert level_of(joined, permuted) == level_of(first, permuted)
        assert level_of(joined, permuted, ALL_TABLES)["total"] == len(joined.numbers)


def test_rows_of_a_data_set_in_several_tables_are_permuted_as_one():
    """Two data sets have two orders, however many tables they stand in: p is not below one half."""
    numbers = {"low": [1.0, 2.0, 3.0, 4.0], "high": [101.0, 102.0, 103.0, 104.0]}
    tables = [make_measurements(numbers, numbers, artefact=f"table{i}") for i in range(6)]
    row = level_of(join_tables(*tables), "data sets", ALL_TABLES)
    assert (row["total"], row["observed"]) == (48, 48)
    assert row["chance_mean"] == pytest.approx(24.0, abs=1.5) and row["p_value"] == pytest.approx(
        0.5, abs=0.05
    )


def test_a_number_without_a_partner_is_left_out():
    """The data set b has one method, and only the first method has two data sets."""
    numbers = {"a": [1.0, 2.0, 3.0, 4.0], "b": [9.0]}
    table = make_measurements(numbers, numbers)
    for permuted, total, not_permuted in (("methods", 4, 1), ("data sets", 2, 3)):
        row = level_of(table, permuted)
        assert (row["total"], row["observed"], row["not_permuted"]) == (total, total, not_permuted)
        assert row["chance_mean"] == pytest.approx(1.0, abs=0.1), "fixed points of a permutation"
    alone = level_of(make_measurements({"a": [1.0, 2.0]}, {"a": [1.0, 2.0]}), "data sets")
    assert (alone["total"], alone["not_permuted"]) == (0, 2) and np.isnan(alone["p_value"])
    assert describe_level(alone["p_holm"]) == "cannot be permuted"


@pytest.mark.parametrize(("quantity", "reproduced"), [("variables", False), ("pos_at_top", True)])
def test_a_share_of_the_features_is_one_of_our_data(quantity, reproduced):
    """The published number of a data set with many features, beside ours of one with few."""
    table = make_measurements({"few": [10.0], "many": [40.0]}, {"few": [10.0], "many": [40.0]})
    numbers = table.numbers.assign(quantity=quantity, margin=[1.0, 40.0])
    effects = judge_pairs(replace(table, numbers=numbers), np.array([1]), np.array([0]))
    assert effects.reproduced.tolist() == [reproduced]


def test_p_values_are_corrected_over_the_counts_of_a_table():
    """Of the six counts of a table only those that count something are tests."""
    values = {name: [1.0, 2.0, 3.0, 4.0] for name in "abc"}
    table = compare_with_chance(make_measurements(values, values), "s", 7)
    tested = table[table["total"] > 0]
    assert len(tested) == 2 and table.loc[table["total"] == 0, "p_holm"].isna().all()
    low, high = sorted(tested["p_value"])
    assert sorted(tested["p_holm"]) == pytest.approx([2 * low, max(2 * low, high)])
    assert describe_level(2 * low) == "more than chance"


def test_a_number_below_the_margin_does_not_count():
    table = make_measurements({"a": [0.1, 2.0, 3.0, 4.0]}, {"a": [1.0, 2.0, 3.0, 4.0]})
    assert level_of(table, "methods")["total"] == 3
    below_margin = make_measurements({"a": [0.1]}, {"a": [1.0]})
    assert compare_with_chance(below_margin, "s", 7).empty


def test_the_page_says_what_chance_gives():
    table = make_measurements(FLAT_AND_STEEP, FLAT_AND_STEEP)
    rows = order_rows(FLAT_AND_STEEP, FLAT_AND_STEEP)
    tables = compare_with_chance(table, "s", 7), compare_orders(rows, "s", 7)
    comparison = Comparison(rows, placebo=tables[0], method_order=tables[1])
    study = SimpleNamespace(name="s", comparison=comparison, label_artefact=str.capitalize)
    (text,) = describe_chance(study)  # no row has a number that differs
    assert text.startswith("8 of 8 measured numbers agree or are consistent; by chance ")
    # p is 1/24 among methods and 1/2 among data sets; Holm doubles the smaller one
    assert text.endswith(" (6): no more than chance")
    placebo, orders = build_chance_tables(study)
    assert placebo["view"].title == "Agreement expected by chance" and orders["grids"]
    unmeasured_study = SimpleNamespace(name="s", comparison=Comparison(), label_artefact=str.capitalize)
    assert describe_chance(unmeasured_study) == [] and build_chance_tables(unmeasured_study) == []
