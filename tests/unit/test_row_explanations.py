"""What explains a row: each condition on made numbers, contradictions, and the best single combination."""

import numpy as np
import pandas as pd
import pytest
from made_measurements import METHODS, make_measurements

from reproduction.comparison.measurements import judge_pairs
from reproduction.comparison.row_tables import explain_rows
from reproduction.comparison.verdicts import DIFFERS, EXPLAINED_VALUE, REPRODUCED_ROW, Mean, judge_results
from reproduction.specs.multiverse import DEFAULT
from reproduction.specs.published_values import NUMBER_KEY

PUBLISHED_VALUES = [10.0, 20.0, 30.0, 40.0]


def explain(measurements):
    """The table of explanations by data set, and all of it."""
    means, margins = measurements.get_published(np.arange(len(measurements.numbers)))
    verdicts = judge_results(means, measurements.default, margins, measurements.published_splits > 0)
    explained = explain_rows(measurements, measurements.numbers[NUMBER_KEY].assign(verdict=verdicts), "s")
    return explained.rows.set_index("dataset"), explained


def explain_one(ours, margin=0.5, **options):
    measurements = make_measurements(
        {"a": PUBLISHED_VALUES},
        {"a": ours},
        margin=margin,
        **{name: {"a": values} for name, values in options.items()},
    )
    return explain(measurements)[0].loc["a"]


def test_two_numbers_must_come_back_and_none_may_go():
    ours = [15.0, 25.0, 35.0, 40.0]  # three differ
    row = explain_one(ours, x=[10.0, 25.0, 35.0, 40.0])
    assert row["verdict"] == DIFFERS and "comes closest: it recovers 1 of 3 and loses 0" in row["reason"]
    row = explain_one(ours, x=[10.0, 20.0, 35.0, 40.0])
    assert (row["verdict"], row["specification"], row["recovered"]) == (EXPLAINED_VALUE, "x=1", 2)
    assert row["closed"] == 1.0 and "40 published" in row["values"]
    row = explain_one(ours, x=[10.0, 20.0, 30.0, 41.0])
    assert row["verdict"] == DIFFERS and "recovers 3 of 3 and loses 1" in row["reason"]


def test_one_number_is_enough_if_no_other_differs():
    row = explain_one([15.0, 20.0, 30.0, 40.0], x=[10.0, 20.0, 30.0, 40.0])
    assert row["verdict"] == EXPLAINED_VALUE and row["recovered"] == row["differs"] == 1
    assert explain_one(PUBLISHED_VALUES, x=[11.0, 20.0, 30.0, 40.0])["verdict"] == REPRODUCED_ROW
    assert "no other option was tried" in explain_one([15.0, 20.0, 30.0, 40.0])["reason"]


def test_half_of_the_gap_must_be_closed_from_the_side_of_the_default():
    """Published 10, a margin of .5: ours .8 away, which an option brings to within the margin."""
    for option, explains in ((10.4, True), (9.6, True), (10.41, False), (9.59, False)):
        row = explain_one([10.8, 20.0, 30.0, 40.0], x=[option, 20.0, 30.0, 40.0])
        assert (row["verdict"] == EXPLAINED_VALUE) == explains, option
        if explains:
            assert row["closed"] == pytest.approx(0.5)


def test_most_recovered_goes_first_and_then_fewer_changes():
    ours = [15.0, 25.0, 35.0, 40.0]
    x, y, pair = [10.0, 20.0, 35.0, 40.0], [10.0, 25.0, 35.0, 40.0], [10.0, 20.0, 30.0, 40.0]
    assert explain_one(ours, x=x, y=y, x_y=pair)["specification"] == "x=1; y=1"
    assert explain_one(ours, y=y, x_y=x, x=x)["specification"] == "x=1"
    three = explain_one(ours, x_y_z=pair)
    assert three["verdict"] == DIFFERS, "three changes explain nothing"


def test_a_number_that_one_of_two_changes_affects_keeps_its_value_under_that_change():
    """x changes data set a alone, y data set b alone: together they are known on both."""
    published, ours = {"a": [1.0, 2.0], "b": [3.0, 4.0]}, {"a": [5.0, 6.0], "b": [7.0, 8.0]}
    table = make_measurements(
        published, ours, x={"a": [1.0, 2.0]}, y={"b": [3.0, 4.0]}, x_y={"a": [1.0, 2.0]}
    )
    pair = table.specifications.index("x=1; y=1")
    assert table.option.mean[pair].tolist() == [1.0, 2.0, 3.0, 4.0]
    _, explained = explain(table)
    assert "x=1; y=1" not in set(explained.rows["specification"]), "one change is enough for each row"


def test_no_two_rows_of_a_table_contradict_each_other():
    """Rows a and b need x=1, row c needs x=2: c stays different, and says why; d has no x=1 to contradict."""
    published = {name: [10.0, 20.0] for name in "abcd"}
    ours = {name: [15.0, 25.0] for name in "abcd"}
    good, bad = [10.0, 20.0], [15.0, 25.0]
    table = make_measurements(published, ours, x={"a": good, "b": good, "c": bad})
    other = make_measurements(published, ours, x={"a": bad, "b": bad, "c": good, "d": good})
    merged = type(table)(
        table.numbers,
        table.default,
        ("x=1", "x=2"),
        *(
            Mean(*(np.vstack(pair) for pair in zip(*(vars(side).values() for side in sides), strict=True)))
            for sides in ((table.option, other.option), (table.paired_default, other.paired_default))
        ),
        0,
    )
    rows, explained = explain(merged)
    assert rows["specification"].to_dict() == {"a": "x=1", "b": "x=1", "c": DEFAULT, "d": "x=2"}
    assert rows.loc["c", "reason"] == "x=2 would explain it, but contradicts x=1 of a and x=1 of b"
    options = explained.option_effects.set_index("option")
    assert options.loc[["1", "2"], "explains"].tolist() == [2, 1]
    assert options["recovered"].tolist() == [4, 4] and options["lost"].tolist() == [0, 0]
    assert set(explained.recovered_under) == {
        ("table1", name, method, "pos_at_top") for name in "abd" for method in METHODS[:2]
    }


def test_an_option_is_compared_with_the_default_on_its_own_splits():
    """By default the number differs over ten splits; on the three of the option it does not: nothing is
    recovered."""
    table = make_measurements({"a": [10.0]}, {"a": [15.0]}, x={"a": [10.0]})
    places = np.array([0])
    assert judge_pairs(table, places, places).recovered.tolist() == [[True]]
    table.paired_default.mean[:] = 10.2
    assert judge_pairs(table, places, places).recovered.tolist() == [[False]]
    # and the other way round: it agrees over ten splits, and differs on the three of both
    table = make_measurements({"a": [10.0]}, {"a": [10.0]}, x={"a": [15.0]})
    assert judge_pairs(table, places, places).lost.tolist() == [[True]]
    table.paired_default.mean[:] = 15.0
    assert judge_pairs(table, places, places).lost.tolist() == [[False]]


def test_a_known_combination_is_found_and_noise_explains_little():
    random = np.random.default_rng(5)
    published = {f"d{i}": (100 * i + 10 * random.random(4)).tolist() for i in range(6)}
    ours = {name: [value + 5 for value in values] for name, values in published.items()}
    noise = {name: (np.array(values) + random.normal(0, 4, 4)).tolist() for name, values in published.items()}
    rows, _ = explain(make_measurements(published, ours, x=noise, y=published))
    assert set(rows["specification"]) == {"y=1"} and set(rows["verdict"]) == {EXPLAINED_VALUE}
    rows, _ = explain(make_measurements(published, ours, x=noise))
    assert (rows["verdict"] == EXPLAINED_VALUE).sum() <= 1


def test_a_row_without_numbers_and_a_single_method():
    table = make_measurements({"a": [10.0]}, {"a": [15.0]}, x={"a": [10.0]})
    keys = pd.DataFrame([("table1", "b", "toppush", "pos_at_top")], columns=NUMBER_KEY)
    verdicts = pd.concat(
        [table.numbers[NUMBER_KEY].assign(verdict=DIFFERS), keys.assign(verdict="not obtained")]
    )
    rows = explain_rows(table, verdicts, "s").rows.set_index("dataset")
    assert rows["verdict"].to_dict() == {"a": EXPLAINED_VALUE, "b": "not obtained"}
    assert rows.loc["b", "reason"] == "no number of ours" and rows.loc["b", "values"] == "no number of ours"
