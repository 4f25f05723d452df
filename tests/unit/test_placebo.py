"""Counts of verdicts and orders of methods beside those of permuted values: by hand, and under the null."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from reproduction.comparison.placebo import ALL_TABLES, compare_orders, compare_with_chance
from reproduction.comparison.table import METHOD_ORDER_COLUMNS, PLACEBO_COLUMNS, Comparison, comparison_rows
from reproduction.comparison.verdicts import AGREES, DIFFERS
from reproduction.reporting.page.chance import build_chance_tables, describe_chance
from reproduction.statistics.permutations import (
    compute_share_at_least,
    measure_chance_level,
    measure_rank_agreement,
)

METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart")


def rows_of(published, ours, margin=0.5, artefact="table1"):
    """Rows of the comparison: {data set: numbers of the methods}; fixed folds, so that the margin decides."""
    rows = []
    for dataset, numbers in published.items():
        for method, number, own in zip(METHODS, numbers, ours[dataset], strict=False):
            verdict = AGREES if abs(number - own) <= margin else DIFFERS
            row = {"study": "s", "artefact": artefact, "dataset": dataset, "method": method}
            row |= {"quantity": "pos_at_top", "published": number, "ours_mean": own, "margin": margin}
            rows.append(row | {"verdict": verdict, "reason": ""})
    return comparison_rows(rows)


def level_of(rows, permuted, artefact="table1"):
    table = compare_with_chance(rows, "s", 0, 7)
    assert tuple(table.columns) == PLACEBO_COLUMNS
    (row,) = table[(table["permuted"] == permuted) & (table["artefact"] == artefact)].to_dict("records")
    return row


def test_counts_by_hand():
    """Two sets; on the first all methods have one number, on the second each its own."""
    numbers = {"flat": [5.0, 5.0, 5.0, 5.0], "steep": [1.0, 2.0, 3.0, 4.0]}
    rows = rows_of(numbers, numbers)
    row = level_of(rows, "methods")
    assert (row["numbers"], row["reproduced"]) == (8, 8)
    assert row["chance_mean"] == pytest.approx(4 + 1), "one of four steep numbers by chance"
    # of the 24 permutations of four numbers one has four fixed points, six have two
    assert row["chance_upper"] == 4 + 2 and row["p_value"] == pytest.approx(1 / 24, abs=0.02)
    row = level_of(rows, "data sets")
    assert row["chance_mean"] == pytest.approx(4.0), "no number of one row is near one of the other"


def test_levels_alone_are_not_the_methods():
    """Ours are right for the data set and noise for the method: chance explains the first count only."""
    random = np.random.default_rng(0)
    published = {f"d{i}": 100.0 * i + random.permutation(8)[:4] for i in range(6)}
    ours = {name: 100.0 * i + random.permutation(8)[:4] for i, name in enumerate(published)}
    rows = rows_of(published, ours, margin=2.0)
    assert level_of(rows, "methods")["p_value"] > 0.1
    assert level_of(rows, "data sets")["p_value"] < 0.05


def test_values_of_the_null_are_rarely_more_than_chance():
    random, p_values = np.random.default_rng(1), []
    for _ in range(40):
        matches = [(random.random((4, 4)) < 0.4).astype(float) for _ in range(5)]
        p_values.append(measure_chance_level(matches, 400, random).p_value)
    assert np.mean(np.array(p_values) <= 0.05) <= 0.15


def test_the_exact_mean_is_that_of_all_permutations():
    random = np.random.default_rng(2)
    group = random.random((4, 4))
    sums = [group[list(order), range(4)].sum() for order in permutations(range(4))]
    assert measure_chance_level([group], 10, random).mean == pytest.approx(np.mean(sums))


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


def test_orders_by_hand():
    published = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0], "c": [1.0, 2.0]}
    ours = {"a": [10.0, 20.0, 30.0, 40.0], "b": [40.0, 30.0, 20.0, 10.0], "c": [1.0, 2.0]}
    table = compare_orders(rows_of(published, ours), "s", 7)
    assert tuple(table.columns) == METHOD_ORDER_COLUMNS
    a, b, mean = table.to_dict("records")
    assert (a["tau"], b["tau"], mean["tau"]) == (1.0, -1.0, 0.0) and mean["dataset"] == ALL_TABLES
    assert a["p_value"] == pytest.approx(1 / 24) and b["p_value"] == 1.0 and mean["p_value"] > 0.4
    assert np.isnan(compute_share_at_least(0.0, np.empty(0)))


def test_the_order_of_the_rows_and_other_tables_change_nothing():
    random = np.random.default_rng(3)
    published = {f"d{i}": random.normal(size=4) for i in range(4)}
    rows = rows_of(published, {name: random.normal(size=4) for name in published})
    two_tables = pd.concat([rows, rows_of(published, published, artefact="table2")], ignore_index=True)
    for permuted in ("methods", "data sets"):
        assert level_of(two_tables, permuted) == level_of(rows, permuted)
        assert level_of(two_tables, permuted, ALL_TABLES)["numbers"] == 32


def test_rows_of_a_data_set_in_several_tables_are_permuted_as_one():
    """Two data sets have two orders, however many tables they stand in: p is not below one half."""
    numbers = {"low": [1.0, 2.0, 3.0, 4.0], "high": [101.0, 102.0, 103.0, 104.0]}
    tables = [rows_of(numbers, numbers, artefact=f"table{i}") for i in range(6)]
    row = level_of(pd.concat(tables, ignore_index=True), "data sets", ALL_TABLES)
    assert (row["numbers"], row["reproduced"], row["chance_mean"]) == (48, 48, 24.0)
    assert row["p_value"] == pytest.approx(0.5, abs=0.05)


def test_numbers_without_ours_or_below_the_margin_do_not_count():
    rows = rows_of({"a": [1.0, 2.0, 3.0, 4.0]}, {"a": [1.0, 2.0, 3.0, 4.0]})
    rows.loc[0, "verdict"], rows.loc[1, "verdict"] = "not obtained", "below the margin"
    assert level_of(rows, "methods")["numbers"] == 2
    assert compare_with_chance(rows.head(0), "s", 0, 7)["numbers"].tolist() == []


def test_the_page_says_what_chance_gives():
    numbers = {"flat": [5.0, 5.0, 5.0, 5.0], "steep": [1.0, 2.0, 3.0, 4.0]}
    rows = rows_of(numbers, numbers)
    tables = compare_with_chance(rows, "s", 0, 7), compare_orders(rows, "s", 7)
    study = SimpleNamespace(name="s", comparison=Comparison(rows, placebo=tables[0], method_order=tables[1]))
    text = describe_chance(study)
    assert text.startswith("8 of 8 measured numbers agree or are consistent.")
    assert "5.0 would on average, and up to 6 in 95 %" in text and text.endswith("more than chance.")
    placebo, orders = build_chance_tables(study)
    assert placebo["view"].title == "What chance would give" and orders["grids"]
    unmeasured_study = SimpleNamespace(name="s", comparison=Comparison())
    assert describe_chance(unmeasured_study) == "" and build_chance_tables(unmeasured_study) == []
