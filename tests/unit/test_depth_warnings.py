"""The warning that w = 0 is optimal at a depth: what it names, and how long it looks for that."""

import re

import numpy as np
import pytest
from ranking_data import stack_classes, surrounded_positives

from toprank import TopPush, TopPushCV


def test_a_warning_takes_no_longer_than_half_of_the_fit(monkeypatch):
    """The search for the depth that works ends then: the message names the method that goes on."""
    rows = stack_classes(*surrounded_positives())
    for name in ("CAUSE_SECONDS_MIN", "CAUSE_SHARE"):
        monkeypatch.setattr(f"toprank.estimators.fit_warnings.{name}", 1e-9)
    with pytest.warns(UserWarning, match=r"; a larger depth may, see smallest_depth\(X, y\)$"):
        TopPush(0.01).fit(*rows)
    with pytest.warns(UserWarning, match=r"alpha is too large, or .*; smallest_depth\(X, y\) decides$"):
        TopPush(0.01, depth=1.01).fit(*rows)


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
