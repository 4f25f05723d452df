"""The warning that w = 0 is optimal at a depth: what it names, and how long it looks for that."""

import re

import numpy as np
import pytest
from ranking_data import stack_classes, surrounded_positives

from reproduction.fitting.fit_rows import fit_once
from reproduction.fitting.method import Method
from toprank import InfinitePush, TopPush, TopPushCV


@pytest.fixture
def any_time(monkeypatch):
    """However long the search for the cause takes on a busy machine."""
    monkeypatch.setattr("toprank.estimators.fit_warnings.CAUSE_SECONDS_MIN", 60.0)


@pytest.mark.parametrize("depth", [1.0, 1.01])
def test_a_warning_takes_no_longer_than_half_of_the_fit(depth, monkeypatch):
    """The search for the cause ends then: the message names the method that decides."""
    for name in ("CAUSE_SECONDS_MIN", "CAUSE_SHARE"):
        monkeypatch.setattr(f"toprank.estimators.fit_warnings.{name}", 1e-9)
    with pytest.warns(UserWarning, match=r"; (a larger depth may, see )?smallest_depth\(X, y\)( decides)?$"):
        TopPush(0.01, depth=depth).fit(*stack_classes(*surrounded_positives()))


@pytest.mark.usefixtures("any_time")
def test_a_warning_on_large_data_leaves_the_depth_to_its_method(monkeypatch):
    rows = stack_classes(*surrounded_positives())
    monkeypatch.setattr("toprank.estimators.fit_warnings.DEPTH_VALUES_MAX", 1)
    with pytest.warns(UserWarning, match=r"; a larger depth may, see smallest_depth\(X, y\)$"):
        TopPush(0.01).fit(*rows)
    # a depth above 1 is judged by it, on data of any size
    with pytest.warns(UserWarning, match=r"no alpha helps; depth above [0-9.]+ of 60 can work$"):
        TopPush(0.01, depth=1.01).fit(*rows)


@pytest.mark.usefixtures("any_time")
def test_rows_that_are_read_in_place_are_not_copied_for_a_warning(monkeypatch):
    """At a depth above 1 too: the message names the method that decides."""
    X, y = stack_classes(*surrounded_positives())
    monkeypatch.setattr("toprank.estimators.fit_warnings.DEPTH_VALUES_MAX", 1)
    monkeypatch.setattr("toprank.solvers.smallest_depth.compute_smallest_depth", None)
    with pytest.warns(UserWarning, match=r"with weights of at most 1/1.01; smallest_depth\(X, y\) decides$"):
        TopPush(0.01, depth=1.01).fit(X.astype(np.float32), y)


@pytest.mark.usefixtures("any_time")
def test_a_smallest_depth_near_all_negatives_is_not_rounded_to_them():
    X, y = np.array([[0.0], *[[0.001 - 1.0]] * 3, *[[1.0]] * 3]), [1, 0, 0, 0, 0, 0, 0]
    smallest = TopPush().smallest_depth(X, y)
    assert 5.9 < smallest < 6.0
    with pytest.warns(UserWarning, match=f"depth above {smallest:.12g} of 6 can work$"):
        TopPush(0.01).fit(X, y)


@pytest.mark.usefixtures("any_time")
def test_the_depth_that_a_warning_names_works():
    """Rounded up to a tenth, without an exponent."""
    X, y = stack_classes(*surrounded_positives())
    X, y = np.repeat(X, 400, axis=0), np.repeat(y, 400)
    with pytest.warns(UserWarning, match="depth above") as records:
        TopPush(0.01).fit(X, y)
    depth = re.search(r"depth above ([0-9.]+) of 24000", str(records[0].message)).group(1)
    assert TopPush().smallest_depth(X, y) <= float(depth)
    assert TopPush(depth=float(depth) + 0.1).alpha_max(X, y) > 0.0


def test_a_search_looks_for_no_cause(monkeypatch):
    """It shows no warning of its folds, and the search for the cause can take longer than a fit."""
    n_searches = 0

    def count(*_):
        nonlocal n_searches
        n_searches += 1
        return True

    monkeypatch.setattr("toprank.problems.zero_solution.is_zero_optimal", count)
    X, y = stack_classes(*surrounded_positives())
    with pytest.warns(UserWarning, match="w = 0 is optimal"):
        TopPushCV(alphas=(1e3, 1e2), cv=2).fit(X, y)
    assert n_searches == 1  # of the model that is fitted to all rows


@pytest.mark.usefixtures("any_time")
def test_the_warning_names_the_depth_that_can_work():
    rows = stack_classes(*surrounded_positives())
    smallest = TopPush().smallest_depth(*rows)
    assert 1.0 < smallest < 60.0
    for model in (TopPush(0.01), InfinitePush("l1", 0.01, depth=0.5)):
        rounded = np.ceil(10 * smallest) / 10
        with pytest.warns(UserWarning, match=f"no alpha helps; depth above {rounded:.12g} of 60 can work$"):
            model.fit(*rows)
    deeper = TopPush(0.01, depth=(smallest + 60.0) / 2).fit(*rows)
    assert deeper.certificate_.objective < 1.0 - 1e-6


@pytest.mark.usefixtures("any_time")
def test_no_depth_helps_where_the_means_are_equal():
    rows = stack_classes(np.array([[1.0], [-1.0]]), np.array([[2.0], [-2.0], [0.5], [-0.5]]))
    with pytest.warns(UserWarning, match="and no alpha helps$"):
        TopPush(0.01, depth=1.0).fit(*rows)


def test_a_fit_of_a_study_looks_for_no_cause(monkeypatch):
    """Its rows show that w = 0, and its seconds hold no search."""

    def search(*_):
        raise AssertionError("looked for the cause")

    monkeypatch.setattr("toprank.problems.zero_solution.is_zero_optimal", search)
    X, y = stack_classes(*surrounded_positives())
    method = Method("toprank.TopPush", {"alpha": 100.0})
    row, model = fit_once(method, {}, X, y, lambda *_: None)
    assert row["status"] == "certified" and not model.coef_.any()
