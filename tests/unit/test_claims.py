"""What K15 says of its figures: each sentence must be able to hold and to fail."""

import math

import numpy as np
import pandas as pd
import pytest

from reproduction.papers.kadkhodaie2015.claims import COLUMNS, FEW_HUNDRED, claims

METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
BEST_LAST = {"admm": 1e-2, "a2dm2": 1e-3, "a2dm2_restart": 1e-4}


def figure1(last):
    """Three draws of two recorded iterations; ``last`` is what a method ends with in all three panels."""
    rows = [
        {"kind": "declared", "seed": seed, "method": method, "iteration": iteration, "restarts": 3}
        | dict.fromkeys(("primal_residual", "primal_gap", "feasible_gap", "dual_gap"), value * (1 + seed / 9))
        | {"bound": 1.0, "optimal_objective": 1.0, "ridge": 1.0, "mu": 0.1, "eta": 0.9, "tau_share": 1.0}
        for seed in range(3)
        for method, end in last.items()
        for iteration, value in ((1, 1.0), (500, end))
    ]
    return pd.DataFrame(rows)


def figure2(settles, changes):
    """Runs of 20 000 iterations, of which every hundredth is kept; who settles and changes when."""
    kept = np.arange(100, 20_001, 100)
    frames = [
        pd.DataFrame(
            {
                "dataset": "spambase",
                "features": "raw",
                "method": method,
                "iteration": kept,
                "seconds": kept / 1000,
                "objective": np.where(kept < settles.get(method, 0), 2.0, 1.0),
                "limit": 1.0,
                "positives_at_top": np.where(kept < changes.get(method, 0), 3, 5),
                "status": "max_iterations",
                "message": "",
            }
        )
        for method in METHODS
    ]
    return pd.concat(frames, ignore_index=True)


def figure3(stops, tops):
    rows = [{"kind": "residual", "method": method, "published_stop": stop} for method, stop in stops.items()]
    rows += [
        {"kind": "roc", "method": method, "after": "published stop", "false_positive_rate": rate}
        | {"true_positive_rate": top if rate == 0 else 1.0}
        for method, top in tops.items()
        for rate in (0.0, 1.0)
    ]
    about = {"dataset": "spambase", "features": "raw", "status": "certified", "message": ""}
    return pd.DataFrame(rows).assign(**about)


def verdicts(**tables):
    found = claims("kadkhodaie2015", tables)
    assert list(found.columns) == list(COLUMNS) and (found["quantity"] == "claim").all()
    return list(found[["method", "verdict"]].itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("last", "below", "best"),
    [
        (BEST_LAST, "agrees", "agrees"),
        (BEST_LAST | {"a2dm2_restart": 5e-3}, "agrees", "differs"),
        (BEST_LAST | {"a2dm2": 2e-2}, "differs", "agrees"),
    ],
)
def test_the_dirty_model(last, below, best):
    assert verdicts(figure1=figure1(last)) == [("a2dm2", below), ("a2dm2_restart", best)]


def test_the_iterations_of_one_split():
    as_said = figure2({"toppush": 5000, "admm": 400}, {"toppush": 19_500, "a2dm2": 500})
    assert verdicts(figure2=as_said) == [
        *((method, "agrees") for method in ("admm", "a2dm2", "a2dm2_restart", "toppush")),
        ("a2dm2", "agrees"),
        ("toppush", "agrees"),
    ]
    late = FEW_HUNDRED + 200
    slow = dict.fromkeys(("admm", "a2dm2", "a2dm2_restart"), late) | {"toppush": 30_000}
    not_so = figure2(slow, {"toppush": 300, "a2dm2": late})
    assert {verdict for _, verdict in verdicts(figure2=not_so)} == {"differs"}


def test_residuals_and_the_top_of_the_curves():
    stops = {"admm": 300, "a2dm2": 200, "a2dm2_restart": math.nan}
    tops = {"toppush": 0.02, "admm": 0.01, "a2dm2": 0.02, "a2dm2_restart": 0.03}
    said = verdicts(figure3=figure3(stops, tops))
    assert said == [("a2dm2", "agrees"), ("a2dm2_restart", "differs"), ("a2dm2_restart", "agrees")]
    said = verdicts(figure3=figure3(stops, tops | {"admm": 0.025}))
    assert said[-1] == ("a2dm2_restart", "differs")


def test_a_set_that_was_not_obtained():
    row = {"dataset": "spambase", "features": "raw", "method": "admm", "status": "not obtained"}
    table = pd.DataFrame([row | {"message": "no file", "iteration": math.nan}])
    found = claims("kadkhodaie2015", {"figure2": table, "figure3": table})
    assert (found["verdict"] == "not obtained").all() and found["reason"].str.endswith("no file").all()
