"""What every estimator keeps to: scikit-learn's own checks once a class, and what a fit leaves alone."""

import pickle

import numpy as np
import pytest
from ranking_data import gaussians, stacked
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from toprank import (
    FISTA,
    DualGradient,
    FenchelRank,
    FSMRank,
    GroupL2,
    InfinitePush,
    Log,
    RankSVM,
    TopPush,
)
from toprank.estimators.rfe import RFEInfinitePush

# penalties and solvers share how their class checks its input
ESTIMATORS = [
    RankSVM(),
    InfinitePush(alpha=0.1),
    RFEInfinitePush(n_features=2, alpha=0.1),
    TopPush(),
    FenchelRank(),
    FSMRank(),
]


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    check(estimator)


BRANCHES = [
    *(RankSVM(penalty) for penalty in ("l2", "mcp", "scad", "lp", "log")),
    RankSVM("adaptive-l1"),
    RankSVM(GroupL2([0, 0, 1, 1]), solver=FISTA()),
    RankSVM(Log(), solver="monotone-fista"),
    *(InfinitePush("l2", 0.1, solver=solver, max_iter=200) for solver in ("exact", "admm", "dual")),
    InfinitePush(GroupL2([0, 0, 1, 1]), 0.1),
    *(TopPush(solver=solver, max_iter=200) for solver in ("dual", "admm", "a2dm2", "a2dm2-restart")),
    TopPush(solver=DualGradient("published")),
    FSMRank(0.0, 1e-3, importance="ndcg"),
]


@pytest.mark.parametrize("model", [*ESTIMATORS, *BRANCHES], ids=repr)
def test_a_fit_leaves_alone_what_it_is_given(model):
    """Parameters and data; it is the same again, and what it finds ends in an underscore and is pickled."""
    X, y = stacked(*gaussians())
    for array in (X, y):
        array.setflags(write=False)
    model = clone(model)
    given = model.get_params()
    scores = model.fit(X, y).decision_function(X)
    assert scores.shape == y.shape and np.isfinite(scores).all()
    found = {name for name in vars(model) if name not in given}
    assert {"coef_", "n_iter_", "certificate_", "n_features_in_"} <= found
    assert all(name.startswith("_") or name.endswith("_") for name in found)
    now = model.get_params()
    assert now.keys() == given.keys() and all(now[name] is given[name] for name in given)
    assert len(model.get_params(deep=False)) <= 8
    assert np.array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    assert np.array_equal(model.fit(X, y).decision_function(X), scores)
