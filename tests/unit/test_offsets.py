"""Offsets and units of the features: the answer is the one of the plain problem."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import gaussians, stack_classes
from test_pairwise import documents

from toprank import ADMM, L1, MCP, FenchelRank, FSMRank, GroupL2, InfinitePush, Log, RankSVM, TopPush
from toprank.problems.offsets import subtract_offsets

# values that keep all their digits beside an offset of 1.7e9
GRID = 2.0**-10
DOCUMENTS = documents(n=40, d=4)
QUERIES = (np.round(DOCUMENTS[0] / GRID) * GRID, *DOCUMENTS[1:])
TOP, LABELS = stack_classes(*gaussians(m=12, n=20))
LIST = (np.round(TOP / GRID) * GRID, LABELS, None)
GROUPS = GroupL2([0, 0, 1, 1])


#: name -> the model with its parameters scaled along, and the power of the unit in its objective
CASES = {
    "l1": (lambda s: RankSVM(C=0.1 / s), -1),
    "l2": (lambda s: RankSVM("l2", C=0.1 / s**2), -2),
    "group": (lambda s: RankSVM(GROUPS, C=0.1 / s), -1),
    "fista": (lambda s: RankSVM("l2", C=0.1 / s**2, solver="fista"), -2),
    "mcp": (lambda s: RankSVM(MCP(2.0 / s), C=0.1 / s), -1),
    "log": (lambda s: RankSVM(Log(0.1 / s), C=0.3, solver="monotone-fista"), 0),
    "fsmrank": (lambda s: FSMRank(0.01 * s**2, 0.01 * s), 0),
    "fenchelrank": (lambda s: FenchelRank(0.3 / s), 0),
    "push l1": (lambda s: InfinitePush(alpha=0.05 * s), 0),
    "push l2": (lambda s: InfinitePush("l2", 0.05 * s**2), 0),
    "push group": (lambda s: InfinitePush(GROUPS, 0.05 * s), 0),
    "push dual": (lambda s: InfinitePush("l2", 0.5 * s**2, solver="dual", tol=1e-3), 0),
    "push admm": (lambda s: InfinitePush(alpha=0.05 * s, solver="admm", tol=0.02), 0),
    "top": (lambda s: TopPush(0.05 * s**2), 0),
    "top dual": (lambda s: TopPush(0.5 * s**2, solver="dual", tol=1e-3), 0),
    "top admm": (lambda s: TopPush(0.05 * s**2, solver=ADMM(rho=0.01), tol=1e-3), 0),
}


def data_of(name):
    return LIST if name.startswith(("push", "top")) else QUERIES


def fit_estimator(name, X, scale=1.0):
    _, y, qid = data_of(name)
    return CASES[name][0](scale).fit(X, y, qid)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("offset", [1e6, 3e8, 1.7e9])
@pytest.mark.parametrize("name", CASES)
def test_an_offset_changes_nothing(name, offset, kind):
    """Two features get an offset, another one in each query."""
    X, _, qid = data_of(name)
    shift = np.round(offset) + (0 if qid is None else 86400.0 * np.unique(qid, return_inverse=True)[1])
    moved = X.copy()
    moved[:, 1] += shift
    moved[:, 3] -= shift
    plain, model = fit_estimator(name, X), fit_estimator(name, kind(moved))
    assert model.certificate_.status == plain.certificate_.status
    assert model.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-9)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-7 * np.abs(plain.coef_).max())


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("name", sorted(CASES.keys() - {"top admm"}))  # whose residuals have a unit
def test_a_unit_changes_nothing(name, scale):
    X = data_of(name)[0]
    plain, model = fit_estimator(name, X), fit_estimator(name, X * scale, scale)
    assert plain.certificate_.status in ("certified", "stopped") and plain.coef_.any()
    assert model.certificate_.status == plain.certificate_.status
    assert abs(model.n_iter_ - plain.n_iter_) <= 1 + 0.2 * plain.n_iter_
    objective = model.certificate_.objective / scale ** CASES[name][1]
    assert objective == pytest.approx(plain.certificate_.objective, rel=1e-9)
    np.testing.assert_allclose(model.coef_ * scale, plain.coef_, atol=1e-6 * np.abs(plain.coef_).max())


UNITS = np.array([1e-6, 1.0, 1e4, 1e6])


ESTIMATORS_BY_UNIT = [RankSVM(C=1e4), RankSVM("l2", C=1e-2), InfinitePush(), TopPush()]


@pytest.mark.parametrize("model", ESTIMATORS_BY_UNIT, ids=repr)
def test_features_of_unlike_units(model):
    """The l1 norm and the ridge in units of the features: weights and rows scaled against each other."""
    X, y, qid = LIST if isinstance(model, InfinitePush | TopPush) else QUERIES
    if isinstance(model, RankSVM) and model.penalty == "l1":
        other = RankSVM(L1(UNITS), C=0.1).fit(X * UNITS, y, qid)
        plain = RankSVM(C=0.1).fit(X, y, qid)
        np.testing.assert_allclose(other.coef_ * UNITS, plain.coef_, atol=1e-8)
    model.fit(X * UNITS, y, qid)
    assert model.certificate_.status == "certified"


FAR_OFF = [FSMRank(), RankSVM(), RankSVM("l2"), RankSVM(GROUPS), InfinitePush()]


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("model", FAR_OFF, ids=repr)
@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_features_far_from_the_unit_of_the_parameters_end_soon(model, scale):
    """No penalty is left, or no loss: rounding ends the run before the cap."""
    X, y, qid = LIST if isinstance(model, InfinitePush) else QUERIES
    model.fit(X * scale, y, qid)
    assert model.certificate_.status in ("certified", "stalled") and model.n_iter_ <= 300


def test_differences_keep_their_last_bit():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 3)) + np.array([1.7e9, 0.0, -3e5])
    starts = np.array([0, 12, 13, 30])
    differences = subtract_offsets(X, starts)
    assert np.abs(differences).max() < 20
    for first, last in pairwise(starts):
        np.testing.assert_array_equal(differences[first:last] - differences[first], X[first:last] - X[first])
    np.testing.assert_array_equal(differences[:, 1], X[:, 1])
    sparse = subtract_offsets(sp.csr_array(X), starts)
    np.testing.assert_array_equal(sparse.toarray(), differences)


NORMAL = np.random.default_rng(0).normal(size=(20, 4))
HOLES = sp.csr_array(np.where(NORMAL < 0, 0.0, NORMAL + 1.7e9))  # what is not stored is a value as well
ORDINARY = [np.column_stack([NORMAL, NORMAL > 0, np.ones(20)]), sp.csr_array(NORMAL), HOLES]
ORDINARY += [np.full((4, 2), 1e9), sp.csr_array(np.full((4, 2), 1e9)), sp.csr_array((4, 2))]


@pytest.mark.parametrize("X", ORDINARY, ids=lambda X: type(X).__name__)
def test_what_has_no_offset_or_one_value_only_stays_as_it_is(X):
    assert subtract_offsets(X) is X
