"""What every estimator keeps to: scikit-learn's checks once a class, what a fit leaves alone, bad input."""

import pickle

import numpy as np
import pytest
from ranking_data import gaussians, refused, stacked
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_pairwise import DATA

from toprank import FISTA, DualGradient, FenchelRank, FSMRank, GroupL2, InfinitePush, Log, RankSVM, TopPush
from toprank.estimators.rfe import RFEInfinitePush

# penalties and solvers share how their class checks its input
ESTIMATORS = [RankSVM(), InfinitePush(alpha=0.1), RFEInfinitePush(n_features=2, alpha=0.1)]
ESTIMATORS += [TopPush(), FenchelRank(), FSMRank()]


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    check(estimator)


BRANCHES = [
    *(RankSVM(penalty) for penalty in ("l2", "mcp", "scad", "lp", "log")),
    RankSVM("adaptive-l1"),
    RankSVM(GroupL2([0, 0, 1, 1]), solver=FISTA()),
    RankSVM(Log(), tol=1e-3, solver="monotone-fista", max_iter=200),
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


OF_QUERIES = [FenchelRank(2.0), FSMRank(0.01, 0.01), RankSVM(C=0.01)]


@pytest.mark.parametrize("model", OF_QUERIES, ids=repr)
def test_the_order_of_the_rows_and_the_names_of_the_queries_do_not_matter(model):
    random = np.random.default_rng(0)
    _, y, qid = DATA["graded"]
    X = random.normal(size=(y.size, 5)) + 0.3 * y[:, None]  # without ties
    order = random.permutation(y.size)
    weights = clone(model).fit(X, y, qid).coef_
    # FSMRank measures its features by the grades; to the others only their order matters
    grades = y if isinstance(model, FSMRank) else 3 * y + 1
    other = clone(model).fit(X[order], grades[order], np.array(["b", "a", "d", "c"])[qid[order]])
    np.testing.assert_allclose(other.coef_, weights, atol=1e-7)


@pytest.mark.parametrize("model", OF_QUERIES, ids=repr)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qid": np.arange(60)}, r"one class only within every query, .* check y and qid"),
        ({"qid": np.zeros(59)}, r"qid must name the query of each of 60 rows; got shape \(59,\)"),
        ({"X": np.nan}, "contains NaN"),
        ({"X": np.inf}, "contains infinity"),
        ({"y": -1.0}, "grades must be whole numbers from 0 on, but y holds -1"),
        ({"y": 0.5}, r"grades must be whole numbers from 0 on, but y holds 0\.5"),
    ],
)
def test_bad_data_of_queries(model, change, message):
    X, y, qid = DATA["graded"]
    given = {"X": X.copy(), "y": y.copy(), "qid": qid}
    ((name, value),) = change.items()
    if name == "qid":
        given["qid"] = value
    else:
        given[name][-1] = value
    with pytest.raises(ValueError, match=message):
        clone(model).fit(**given)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (FenchelRank(radius=0), "radius must be a positive number; got 0"),
        (FenchelRank(radius=np.inf), "radius must be a positive number; got inf"),
        (FenchelRank(tol=-1.0), "tol must be a positive number"),
        (FenchelRank(max_iter=1.5), "max_iter must be a whole number"),
        (FSMRank(alpha=-1e-9), "alpha must be a number from 0 on; got -1e-09"),
        (FSMRank(alpha=np.nan), "alpha must be a number from 0 on; got nan"),
        (FSMRank(beta=0), "beta must be a positive number; got 0"),
        (FSMRank(importance="mrr"), "unknown importance 'mrr'; FSMRank offers map, ndcg"),
        (FSMRank(max_iter=1.5), "max_iter must be a whole number"),
    ],
    ids=repr,
)
def test_bad_parameters(model, message):
    with refused(message):
        model.fit(*DATA["graded"])
