"""What every estimator keeps to: scikit-learn's checks once a class, what a fit leaves alone,
where weights appear, warm starts, bad input."""

import pickle
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import SINGLE_LINE, gaussians, raises_one_sentence, stack_classes, surrounded_positives
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_pairwise import DATA, documents

from toprank import (
    FISTA,
    DualGradient,
    Exact,
    FenchelRank,
    FSMRank,
    InfinitePush,
    InfinitePushCV,
    PairADMM,
    RankSVM,
    RankSVMCV,
    TopPush,
    TopPushCV,
)
from toprank.estimators.rfe import RFEInfinitePush
from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp

# penalties and solvers share how their class checks its input
ESTIMATORS = [RankSVM(), InfinitePush(alpha=0.1), RFEInfinitePush(n_features=2, alpha=0.1)]
ESTIMATORS += [TopPush(), FenchelRank(), FSMRank()]


@pytest.mark.filterwarnings("ignore:w = 0 is")
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
    *(search(cv=2) for search in (TopPushCV, InfinitePushCV, RankSVMCV)),
]


@pytest.mark.parametrize("model", [*ESTIMATORS, *BRANCHES], ids=repr)
def test_a_fit_leaves_alone_what_it_is_given(model):
    """Parameters and data; it is the same again, and what it finds ends in an underscore and is pickled."""
    X, y = stack_classes(*gaussians())
    for array in (X, y):
        array.setflags(write=False)
    model = clone(model)
    params = model.get_params()
    scores = model.fit(X, y).decision_function(X)
    assert scores.shape == y.shape and np.isfinite(scores).all()
    fitted_names = {name for name in vars(model) if name not in params}
    assert {"coef_", "n_iter_", "certificate_", "n_features_in_"} <= fitted_names
    assert all(name.startswith("_") or name.endswith("_") for name in fitted_names)
    now = model.get_params()
    assert now.keys() == params.keys() and all(now[name] is params[name] for name in params)
    assert len(model.get_params(deep=False).keys() - {"verbose", "callback"}) <= 10
    assert np.array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    assert np.array_equal(model.fit(X, y).decision_function(X), scores)


QUERY_ESTIMATORS = [FenchelRank(2.0), FSMRank(0.01, 0.01), RankSVM(C=0.01)]


@pytest.mark.parametrize("model", QUERY_ESTIMATORS, ids=repr)
def test_the_order_of_the_rows_and_the_names_of_the_queries_do_not_matter(model):
    random = np.random.default_rng(0)
    _, y, qid = DATA["graded"]
    X = random.normal(size=(y.size, 5)) + 0.3 * y[:, None]  # without ties
    order = random.permutation(y.size)
    weights = clone(model).fit(X, y, qid).coef_
    # FSMRank metrics its features by the grades; to the others only their order matters
    grades = y if isinstance(model, FSMRank) else 3 * y + 1
    other = clone(model).fit(X[order], grades[order], np.array(["b", "a", "d", "c"])[qid[order]])
    np.testing.assert_allclose(other.coef_, weights, atol=1e-7)


@pytest.mark.parametrize("model", QUERY_ESTIMATORS, ids=repr)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("qid", np.arange(60), r"one class only within every query, .* check y and qid"),
        ("qid", np.zeros(59), r"qid must name the query of each of 60 rows; got shape \(59,\)"),
        ("X", np.nan, "contains NaN"),
        ("X", np.inf, "contains infinity"),
        ("y", -1.0, "must be grades, whole numbers from 0 .* y holds -1 among"),
        ("y", 0.5, r"must be grades, whole numbers from 0 .* y holds 0\.5 among"),
    ],
)
def test_bad_data_of_queries(model, name, value, message):
    arguments = dict(zip(("X", "y", "qid"), map(np.copy, DATA["graded"]), strict=True))
    if name == "qid":
        arguments["qid"] = value
    else:
        arguments[name][-1] = value
    with pytest.raises(ValueError, match=message):
        clone(model).fit(**arguments)


BAD_PARAMETERS = [
    (FenchelRank(radius=0), "radius must be a positive number; got 0"),
    (FenchelRank(radius=np.inf), "radius must be a positive number; got inf"),
    (FenchelRank(tol=-1.0), "tol must be a positive number"),
    (FenchelRank(max_iter=1.5), "max_iter must be a whole number"),
    (FSMRank(alpha=-1e-9), "alpha must be a number from 0 on; got -1e-09"),
    (FSMRank(alpha=np.nan), "alpha must be a number from 0 on; got nan"),
    (FSMRank(beta=0), "beta must be a positive number; got 0"),
    (FSMRank(importance="mrr"), "unknown importance 'mrr'; FSMRank offers map, ndcg"),
    (FSMRank(max_iter=1.5), "max_iter must be a whole number"),
    (InfinitePush(alpha=0.0), "alpha must be a positive number or 'auto'; got 0.0"),
    (InfinitePush(alpha=-1), "alpha must be a positive number or 'auto'; got -1"),
    (InfinitePush(solver=PairADMM(mu=np.nan)), "mu must be a positive number"),
    (InfinitePush(max_iter=2.5), "max_iter must be a whole number"),
    (InfinitePush("l0"), "unknown penalty 'l0'; InfinitePush offers l1, l2, elasticnet, group"),
    (InfinitePush(solver="simplex"), "unknown solver 'simplex'; InfinitePush offers exact, admm, dual"),
    (InfinitePush(solver=PairADMM("newton")), "prox 'newton'; PairADMM offers exact, douglas-rachford"),
    (InfinitePush(MCP()), "InfinitePush cannot use MCP"),
    (InfinitePush(L1([1, 2, 1, 1, 1])), "the l1 norm with weights of 1 only; give penalty_weights"),
    (InfinitePush(L1(2.5)), "the l1 norm with weights of 1 only; multiply alpha by 2.5"),
    (InfinitePush(solver="dual"), "solver 'dual' needs penalty 'l2'; got 'l1'"),
    (InfinitePush(GroupL2([0, 1])), "a label for each of the 5 features"),
    (RankSVM(C=0), "C must be a positive number; got 0"),
    (RankSVM(C="large"), "C must be a positive number or 'auto'; got 'large'"),
    (RankSVM(tol=-1.0), "tol must be a positive number"),
    (RankSVM(max_iter=1.5), "max_iter must be a whole number"),
    (RankSVM(MCP(0)), "gamma must be a positive number; got 0"),
    (RankSVM("l0"), "RankSVM offers l1, l2, elasticnet, adaptive-l1, group, mcp, log, lp, scad"),
    (RankSVM(3.0), "RankSVM cannot use 3.0 as its penalty; take one of 'l1', 'l2'"),
    (RankSVM(solver="magic"), "unknown solver 'magic'; RankSVM offers prox-newton, fista, monotone-fista"),
    (RankSVM(solver=Exact()), "RankSVM cannot use Exact(rows_per_step=None) as its solver"),
    (RankSVM(solver=FISTA(lipschitz="half")), "unknown lipschitz 'half'; FISTA offers exact, trace"),
    (RankSVM(L1([1.0])), "an entry for each of the 5 features; got shape"),
    (RankSVM(L1([1, 0, 1, 1, 1])), "weights must be positive"),
    (RankSVM(GroupL2([0, 1])), "a label for each of the 5 features"),
    (RFEInfinitePush(n_features=0), "n_features must be a positive number; got 0"),
    (RFEInfinitePush(n_features=2.5), "n_features must be a whole number; got 2.5"),
    (RFEInfinitePush(step=0), "step must be a positive number; got 0"),
    (RFEInfinitePush(alpha=-1.0), "alpha must be a positive number; got -1.0"),
]


@pytest.mark.parametrize(("model", "message"), BAD_PARAMETERS, ids=repr)
def test_bad_parameters(model, message):
    with raises_one_sentence(re.escape(message)):
        model.fit(*DATA["graded"][:2])


#: estimator -> the parameter of its regularisation, the method that says where w leaves 0, and which way
SCALES = {
    RankSVM: ("C", "C_zero_max", -1),
    FSMRank: ("beta", "beta_max", 1),
    InfinitePush: ("alpha", "alpha_max", 1),
}


def set_to(model, share, data):
    """Set the regularisation to this share of that at which w leaves 0."""
    name, end, sign = SCALES[type(model)]
    return model.set_params(**{name: getattr(model, end)(*data) * share**sign})


def data_of(model, kind=np.asarray):
    X, y, qid = DATA["graded"]
    return (kind(X), y) if isinstance(model, InfinitePush) else (kind(X), y, qid)


PARTS = GroupL2([0, 0, 1, 2, 2])
ENDING = [RankSVM(), RankSVM(L1([0.5, 2.0, 1.0, np.inf, 0.1])), RankSVM(PARTS), FSMRank(0.1)]
ENDING += [InfinitePush(), InfinitePush(solver="admm"), InfinitePush(PARTS)]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("model", ENDING, ids=repr)
def test_a_scale_ends_where_weights_appear(model, kind):
    """Beyond it, and at alpha_max itself, the warning names a remedy."""
    data, factor = data_of(model, kind), 1.0 if isinstance(model, InfinitePush) else 1.001
    with pytest.warns(UserWarning, match="w = 0 is optimal .* (larger than|smaller)") as caught:
        assert not set_to(clone(model), factor, data).fit(*data).coef_.any()
    message = str(caught[0].message)
    assert len(caught) == 1 and re.match(SINGLE_LINE, message)
    if "than" in message:
        _, end, _ = SCALES[type(model)]
        assert float(message.split()[-1]) == pytest.approx(getattr(model, end)(*data), rel=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set_to(clone(model), 0.99, data).fit(*data).coef_.any()


def test_scales_of_other_penalties_and_data():
    X, y, qid = DATA["graded"]
    assert RankSVM("l2").C_zero_max(X, y, qid) == RankSVM().C_zero_max(X, y, qid)
    assert np.isinf(RankSVM().C_zero_max(np.ones((4, 2)), [0, 1, 0, 1]))
    largest = InfinitePush().alpha_max(X, y)
    assert InfinitePush("l2").alpha_max(X, y) == RFEInfinitePush().alpha_max(X, y) == largest
    assert InfinitePush(GroupL2(np.arange(5))).alpha_max(X, y) == pytest.approx(largest, rel=1e-6)
    for penalty in ("l1", GroupL2([0, 0, 1])):
        assert InfinitePush(penalty).alpha_max(*stack_classes(*surrounded_positives())) == 0.0


def test_c_min_is_the_deprecated_name_of_c_zero_max():
    X, y, qid = DATA["graded"]
    with pytest.warns(FutureWarning, match="now called C_zero_max"):
        assert RankSVM().C_min(X, y, qid) == RankSVM().C_zero_max(X, y, qid)


NONCONVEX_PENALTIES = [MCP(0.5), Log(0.1), Lp(0.5), SCAD(1.5), "adaptive-l1"]


@pytest.mark.filterwarnings("ignore:w = 0 is")
@pytest.mark.parametrize(
    "model", [*map(RankSVM, NONCONVEX_PENALTIES), InfinitePush(), InfinitePush("l2"), FSMRank(0.01)], ids=repr
)
def test_a_warm_start_changes_no_answer(model):
    """Nor with more features than rows, where the ridge is rotated; other data have nothing to start from."""
    wide = documents(n=25, d=60)
    for data in (data_of(model), wide[: len(data_of(model))]):
        warm = clone(model).set_params(warm_start=True)
        for share in (0.9, 0.3, 0.1, 0.02):
            cold = set_to(clone(model), share, data).fit(*data)
            set_to(warm, share, data).fit(*data)
            assert warm.certificate_.objective == pytest.approx(cold.certificate_.objective, rel=1e-7)
    assert warm.fit(data[0][:, :3], *data[1:]).coef_.shape == (3,)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "model",
    [RankSVM(), RankSVM("l2"), RankSVM("log"), RankSVM("adaptive-l1"), FSMRank(), FenchelRank()],
    ids=repr,
)
def test_features_that_never_vary_within_a_query(model, kind):
    """No regularisation helps: the warning says so, and names what to look at."""
    qid = np.array([0, 0, 0, 1, 1, 1])
    X = kind(0.1 + qid[:, None] * np.array([1.0, 0.3]))
    with pytest.warns(UserWarning, match="no feature varies within a query; check X and qid") as caught:
        model.fit(X, [0, 1, 0, 1, 0, 1], qid)
    assert len(caught) == 1 and re.match(SINGLE_LINE, str(caught[0].message))
    assert not model.coef_.any() and model.certificate_.status == "certified"
