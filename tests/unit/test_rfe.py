"""Recursive elimination by hand, and what the wrapper adds to scikit-learn's."""

import numpy as np
import pytest
from ranking_data import gaussians, in_format, stacked

from reproduction.data.toy import make_toy
from toprank import InfinitePush
from toprank.estimators.rfe import RFEInfinitePush

X, Y = stacked(*gaussians(m=25, n=35, d=6))


def eliminated(X, y, alpha):
    """Features in the order in which they are dropped, one at a time."""
    left, dropped = list(range(X.shape[1])), []
    while len(left) > 1:
        weights = np.abs(InfinitePush("l2", alpha).fit(X[:, left], y).coef_)
        dropped.append(left.pop(int(weights.argmin())))
    return [*dropped, *left]


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("n_features", [1, 3, 6, 9])
def test_elimination_by_hand(kind, n_features):
    order = eliminated(X, Y, 0.1)
    model = RFEInfinitePush(n_features, 0.1).fit(*in_format(kind, X), Y)
    kept = sorted(order[-n_features:])
    assert np.flatnonzero(model.coef_).tolist() == kept
    alone = InfinitePush("l2", 0.1).fit(X[:, kept], Y)
    np.testing.assert_allclose(model.coef_[kept], alone.coef_, rtol=1e-6)
    assert model.certificate_.relative_gap <= 1e-8
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_)


def test_a_warm_start_eliminates_once_and_changes_nothing():
    warm = RFEInfinitePush(alpha=0.1, warm_start=True)
    for n_features in (5, 2, 4):
        warm.set_params(n_features=n_features).fit(X, Y)
        cold = RFEInfinitePush(n_features, 0.1).fit(X, Y)
        np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-6)
        if n_features == 5:
            first = warm.ranking_
        assert warm.ranking_ is first
    assert sorted(first) == [1, 2, 3, 4, 5, 6]


def test_the_relevant_features_of_the_toy_problem_are_left():
    toy = make_toy(200, 20, seed=3)
    model = RFEInfinitePush(10, 0.05).fit(toy.X_train, toy.y_train)
    assert np.count_nonzero(model.coef_[toy.relevant]) >= 8
