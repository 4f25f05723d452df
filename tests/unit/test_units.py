"""Offsets and units of the features: the answer is the one of the plain problem, by the conic solver."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
import solved_once as references
from ranking_data import gaussians, stacked
from test_pairwise import differences, documents

from toprank import ADMM, L1, MCP, FenchelRank, FSMRank, GroupL2, InfinitePush, Log, RankSVM, TopPush
from toprank.problems.offsets import without_offsets

# values that keep all their digits beside an offset of 1.7e9
GRID = 2.0**-10
DOCUMENTS = documents(n=40, d=4)
QUERIES = (np.round(DOCUMENTS[0] / GRID) * GRID, *DOCUMENTS[1:])
TOP, LABELS = stacked(*gaussians(m=12, n=20))
LIST = (np.round(TOP / GRID) * GRID, LABELS, None)
GROUPS = GroupL2([0, 0, 1, 1])


def pairs():
    return differences(*QUERIES), np.zeros((len(differences(*QUERIES)), 4))


def classes():
    return LIST[0][LIST[1] > 0], LIST[0][LIST[1] <= 0]


def push(penalty):
    return references.infinite_push(*classes(), 0.05, penalty, [[0, 1], [2, 3]])[0]


def top():
    return references.top_ranking(*classes(), 0.05)[0]


#: name -> the model with its parameters scaled along, the unit of its objective, data, reference
CASES = {
    "l1": (lambda s: RankSVM(C=0.1 / s), lambda s: 1 / s, lambda: references.ranksvm(*pairs(), 0.1)[0]),
    "l2": (lambda s: RankSVM("l2", C=0.1 / s**2), lambda s: 1 / s**2, None),
    "group": (lambda s: RankSVM(GROUPS, C=0.1 / s), lambda s: 1 / s, None),
    "fista": (lambda s: RankSVM("l2", C=0.1 / s**2, solver="fista"), lambda s: 1 / s**2, None),
    "mcp": (lambda s: RankSVM(MCP(2.0 / s), C=0.1 / s), lambda s: 1 / s, None),
    "log": (lambda s: RankSVM(Log(0.1 / s), C=0.3, solver="monotone-fista"), lambda s: 1.0, None),
    "fsmrank": (lambda s: FSMRank(0.01 * s**2, 0.01 * s), lambda s: 1.0, None),
    "fenchelrank": (lambda s: FenchelRank(0.3 / s), lambda s: 1.0, None),
    "push l1": (lambda s: InfinitePush(alpha=0.05 * s), lambda s: 1.0, lambda: push("l1")),
    "push l2": (lambda s: InfinitePush("l2", 0.05 * s**2), lambda s: 1.0, lambda: push("l2")),
    "push group": (lambda s: InfinitePush(GROUPS, 0.05 * s), lambda s: 1.0, lambda: push("group")),
    "push dual": (lambda s: InfinitePush("l2", 0.5 * s**2, solver="dual", tol=1e-3), lambda s: 1.0, None),
    "push admm": (lambda s: InfinitePush(alpha=0.05 * s, solver="admm", tol=0.02), lambda s: 1.0, None),
    "top": (lambda s: TopPush(0.05 * s**2), lambda s: 1.0, top),
    "top dual": (lambda s: TopPush(0.5 * s**2, solver="dual", tol=1e-3), lambda s: 1.0, None),
}


def data_of(name):
    return LIST if name.startswith(("push", "top")) else QUERIES


def fitted(name, X, scale=1.0):
    _, y, qid = data_of(name)
    return CASES[name][0](scale).fit(X, y, qid)


@pytest.mark.parametrize("name", CASES)
def test_the_plain_problem(name):
    """The other tests compare with these fits."""
    model = fitted(name, data_of(name)[0])
    assert model.certificate_.status in ("certified", "stopped") and model.coef_.any()
    reference = CASES[name][2]
    if reference is not None:
        assert model.certificate_.objective == pytest.approx(reference(), rel=1e-7)


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
    plain, model = fitted(name, X), fitted(name, kind(moved))
    assert model.certificate_.status == plain.certificate_.status
    assert model.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-9)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-7 * np.abs(plain.coef_).max())


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("name", CASES)
def test_a_unit_changes_nothing(name, scale):
    X = data_of(name)[0]
    plain, model = fitted(name, X), fitted(name, X * scale, scale)
    assert model.certificate_.status == plain.certificate_.status
    assert abs(model.n_iter_ - plain.n_iter_) <= 1 + 0.2 * plain.n_iter_
    objective = model.certificate_.objective / CASES[name][1](scale)
    assert objective == pytest.approx(plain.certificate_.objective, rel=1e-9)
    np.testing.assert_allclose(model.coef_ * scale, plain.coef_, atol=1e-6 * np.abs(plain.coef_).max())


UNITS = np.array([1e-6, 1.0, 1e4, 1e6])


OF_UNITS = [RankSVM(C=1e4), RankSVM("l2", C=1e-2), InfinitePush(), TopPush()]


@pytest.mark.parametrize("model", OF_UNITS, ids=repr)
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
    left = without_offsets(X, starts)
    assert np.abs(left).max() < 20
    for first, last in pairwise(starts):
        np.testing.assert_array_equal(left[first:last] - left[first], X[first:last] - X[first])
    np.testing.assert_array_equal(left[:, 1], X[:, 1])
    sparse = without_offsets(sp.csr_array(X), starts)
    np.testing.assert_array_equal(sparse.toarray(), left)


def test_ordinary_features_stay_as_they_are():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=20), random.random(20), np.ones(20), random.integers(0, 2, 20)])
    assert without_offsets(X) is X
    sparse = sp.csr_array(X)
    assert without_offsets(sparse) is sparse
    holes = sp.csr_array(np.where(random.random((20, 4)) < 0.5, 0.0, X + 1.7e9))
    assert without_offsets(holes) is holes, "a zero that is not stored is a value as well"


def test_all_of_one_value():
    for X in (np.full((4, 2), 1e9), sp.csr_array(np.full((4, 2), 1e9)), sp.csr_array((4, 2))):
        assert without_offsets(X) is X


def test_k15s_admm_sees_no_offset():
    X, y, _ = LIST
    plain, moved = (TopPush(solver=ADMM(rho=0.01), max_iter=30) for _ in range(2))
    with pytest.warns(UserWarning, match="TopPush ended without a certificate, status 'max_iterations'"):
        plain.fit(X, y)
        moved.fit(X + 1e9, y)
    np.testing.assert_array_equal(moved.coef_, plain.coef_)
