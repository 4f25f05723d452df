"""What a run says in a few tables, on made rows."""

import pandas as pd
import pytest

from reproduction.comparison.verdicts import AGREES, EXPLAINED, NOT_OBTAINED, UNEXPLAINED
from reproduction.report.sums import MARKS, beside_printed, by_verdict, largest_effects, sums

NUMBER = {"study": "a", "artefact": "table1", "dataset": "sonar", "method": "m"}


def universe(name, ours, quantity="rate", changes=1):
    named = NUMBER | {"quantity": quantity, "universe": name, "changes": changes}
    return named | {"published": 0.4, "default_mean": 0.5, "ours_mean": ours}


@pytest.fixture
def comparison():
    rows = [
        ("rate", "result", AGREES, 0.05, 0.512, 0.04),
        ("variables", "result", UNEXPLAINED, 2.0, 572.4, 320.1),
        ("rows", "count", "same", 0, 208, "none"),
    ]
    columns = ["quantity", "kind", "verdict", "margin", "ours_mean", "ours_std"]
    more = {"published": 0.4, "published_std": "not printed", "universe": "default"}
    return pd.DataFrame([NUMBER | more | dict(zip(columns, row, strict=True)) for row in rows])


@pytest.fixture
def multiverse():
    rows = [
        universe("default", 0.5, changes=0),
        universe("ties=most", 0.6),
        universe("ties=fewest", 0.2),
        universe("cap=10", 1.5, "variables"),
        universe("cap=10; ties=most", 9.0, changes=2),
        universe("cap=30", float("nan")),
    ]
    return pd.DataFrame(rows)


def test_results_proper_are_counted_by_quantity_and_verdict(comparison):
    found = by_verdict(comparison).set_index("quantity")
    assert found.index.tolist() == ["rate", "variables"], "counts of data are no results"
    assert found.loc["rate", AGREES] == 1 and found.loc["variables", UNEXPLAINED] == 1
    assert found.drop(columns="study").to_numpy().sum() == 2


def test_each_result_stands_beside_the_printed_one(comparison):
    row = comparison.iloc[0].to_dict()
    other = row | {"method": "toppush", "verdict": EXPLAINED, "universe": "ties=most"}
    lacking = row | {"dataset": "bci", "verdict": NOT_OBTAINED, "ours_mean": NOT_OBTAINED}
    rate, variables = beside_printed(pd.concat([comparison, pd.DataFrame([other, lacking])]))
    assert rate["quantity"] == "rate" and rate["lacking"] == ["bci"]
    assert rate["table"].to_dict() == {
        "m": {"sonar": "0.512 ± 0.04 (0.4) ="},
        "TopPush": {"sonar": "0.512 ± 0.04 (0.4) ← ties=most"},
    }
    assert variables["table"].to_numpy().tolist() == [["572 ± 320 (0.4) ≠"]]
    assert len({*MARKS.values()}) == len(MARKS)


def test_effects_are_of_one_level_and_in_margins(comparison, multiverse):
    found = largest_effects(multiverse, comparison)
    assert found[["quantity", "axis", "level"]].to_numpy().tolist() == [
        ["rate", "ties", "fewest"],  # .3 away, six margins; of one axis the level that moves most
        ["variables", "cap", "10"],
    ]
    assert found["margins"].tolist() == [pytest.approx(6.0), pytest.approx(0.5)]
    assert len(largest_effects(multiverse, comparison, most=1)) == 1


def test_a_run_is_summed_up_and_what_it_lacks_is_empty(comparison, multiverse, tmp_path):
    (tmp_path / "a").mkdir()
    fits = {"status": ["certified", "not obtained", "stopped"], "seconds": ["30", "", "90"]}
    pd.DataFrame(fits).to_csv(tmp_path / "a/fits.csv", index=False)
    found = sums(tmp_path, ["a"])
    assert found["results"].empty and found["effects"].empty and found["claims"] == {}
    assert found["costs"].loc[0, ["fits", "minutes", "universes"]].tolist() == [2, 2.0, 0]
    comparison.to_csv(tmp_path / "comparison.csv", index=False)
    multiverse.to_csv(tmp_path / "a/multiverse.csv", index=False)
    cost = pd.DataFrame({"part": ["x"], "fits": [7], "seconds": [60.0]})
    cost.to_csv(tmp_path / "a/multiverse_cost.csv", index=False)
    pd.DataFrame({"study": ["a"], "verdict": ["holds"]}).to_csv(tmp_path / "claims.csv", index=False)
    found = sums(tmp_path, ["a"])
    assert len(found["effects"]) == 2 and found["claims"]["a"]["holds"] == 1
    cost = found["costs"].loc[0, ["universes", "numbers", "more_fits", "more_minutes"]]
    assert cost.tolist() == [6, 6, 7, 1.0]
