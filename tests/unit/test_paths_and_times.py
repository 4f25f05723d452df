"""Regularisation paths against single fits, and running times as rows."""

import numpy as np
import pytest
from ranking_data import gaussians, stack_classes, surrounded_positives

from reproduction.papers.rakotomamonjy2012.paths import experiment as paths
from reproduction.papers.rakotomamonjy2012.paths.experiment import fit_regularisation_path
from reproduction.papers.rakotomamonjy2012.times import experiment as running_times
from reproduction.papers.rakotomamonjy2012.times.experiment import TIMED_METHODS
from toprank import GroupL2, InfinitePush
from toprank.metrics import rate_at_top

X, Y = stack_classes(*gaussians(m=30, n=40, d=6))
X_TEST, Y_TEST = stack_classes(*gaussians(m=30, n=40, d=6, seed=5))
SHARES = [0.05, 1.0, 0.3]
GROUPS = np.array([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
def test_a_path_is_its_single_fits(groups):
    points, weights = fit_regularisation_path(X, Y, X_TEST, Y_TEST, SHARES, groups)
    assert [point["share"] for point in points] == [1.0, 0.3, 0.05]
    assert weights.shape == (3, 6 if groups is None else 3) and not weights[0].any()
    for point, curve in zip(points, weights, strict=True):
        assert tuple(point) == paths.COLUMNS
        assert point["status"] == "certified" and point["relative_gap"] <= 1e-8
        model = InfinitePush("l1" if groups is None else GroupL2(groups), point["alpha"]).fit(X, Y)
        expected = model.coef_
        if groups is not None:
            expected = np.array([np.linalg.norm(model.coef_[groups == g]) for g in range(3)])
        np.testing.assert_allclose(curve, expected, atol=1e-4)
        assert point["n_groups"] == np.count_nonzero(np.abs(curve) > 1e-6 * np.abs(curve).max())
        assert point["rate_at_top"] == rate_at_top(Y_TEST, model.decision_function(X_TEST))


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
def test_a_path_on_which_nothing_ever_enters():
    surrounded, y = stack_classes(*surrounded_positives())
    points, weights = fit_regularisation_path(surrounded, y, surrounded, y, SHARES)
    assert not weights.any() and {point["rate_at_top"] for point in points} == {0.0}


@pytest.mark.parametrize("solver", TIMED_METHODS)
def test_times_are_rows_of_growing_size(solver):
    rows = list(running_times.measure_running_times(solver, [16, 10], 4, 0.2, 2, 30.0, 3, seed=1))
    assert [row["rows"] for row in rows] == [10, 16] and [row["pairs"] for row in rows] == [25, 64]
    for row in rows:
        assert tuple(row) == running_times.COLUMNS and row["status"] == "certified"
        assert 0 < row["seconds_min"] <= row["seconds"] <= row["seconds_max"]
        assert row["relative_gap"] <= (1e-3 if "admm" in solver else 1e-8)


def test_what_takes_too_long_ends_the_line():
    rows = running_times.measure_running_times(
        "l1_infinite_push_admm", [40, 60], 20, 0.05, 1, 1e-3, 10, seed=1
    )
    assert [(row["rows"], row["status"]) for row in rows] == [(40, "time_limit")]


def test_compiling_is_no_part_of_a_time_however_short_its_limit(monkeypatch):
    warmed = []
    monkeypatch.setattr(running_times, "warm_up", lambda method, *_: warmed.append(method.fixed))
    list(running_times.measure_running_times("l1_ranksvm", [10], 4, 0.2, 1, 30.0, 3, seed=1))
    assert warmed and "time_limit" not in warmed[0]


def test_all_solvers_of_the_infinite_push_solve_one_problem():
    """To the accuracy that each is stopped at."""
    alpha = 0.2 * InfinitePush().alpha_max(X, Y)
    objectives = {}
    for name, method in TIMED_METHODS.items():
        if "push" in name:
            objectives[name] = method.build(alpha=alpha).fit(X, Y).certificate_.objective
    exact = objectives.pop("l1_infinite_push")
    assert all(exact * (1 - 1e-8) <= value <= exact * (1 + 1.1e-3) for value in objectives.values())
