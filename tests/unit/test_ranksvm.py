"""RankSVM: against the conic solver on the pairs, LinearSVC, and scikit-learn's conventions."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import ONE_SENTENCE, gaussians, stacked
from scipy.linalg import cho_solve
from sklearn.svm import LinearSVC
from test_pairwise import DATA, build, differences, documents
from test_ranksvm_penalties import conic

from toprank import FenchelRank, FSMRank, RankSVM
from toprank.penalties import L1, SquaredL2
from toprank.problems import pairwise
from toprank.solvers import prox_newton, quadratic, watch

PENALTIES = {"l1": L1(), "l2": SquaredL2()}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("share", [0.5, 0.05, 1e-3, 1e-5])
@pytest.mark.parametrize("name", DATA)
def test_the_optimum_is_that_of_the_pairs(name, share, penalty, kind):
    problem, rows = build(name, 1.0, PENALTIES[penalty], kind)
    alpha = share * 2 * np.abs(rows.sum(axis=0)).max()
    X, y, qid = DATA[name]
    model = RankSVM(penalty, 1 / alpha).fit(kind(X), y, qid)
    certificate = model.certificate_
    assert certificate.status == "certified"
    assert certificate.kkt <= 1e-8 and 0 <= certificate.relative_gap <= 1e-8
    w = model.coef_
    assert certificate.objective == pytest.approx(problem.with_alpha(alpha).objective(w) / alpha, rel=1e-10)
    assert certificate.objective == pytest.approx(conic(rows, alpha, penalty) / alpha, rel=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_linear_svm_on_the_pairs_finds_the_same(penalty):
    """An oracle of another family: liblinear on the differences and their mirror images."""
    X, y, qid = DATA["graded"]
    rows = differences(X, y, qid)
    model = RankSVM(penalty, 0.01).fit(X, y, qid)
    mirrored = np.vstack([rows, -rows])
    labels = np.repeat([1, -1], len(rows))
    # its loss counts each pair twice
    oracle = LinearSVC(penalty=penalty, C=0.005, dual=False, fit_intercept=False, tol=1e-10, max_iter=100_000)
    np.testing.assert_allclose(model.coef_, oracle.fit(mirrored, labels).coef_.ravel(), atol=1e-5)


def test_more_features_than_documents():
    X, y, qid = documents(n=25, d=60)
    for penalty in PENALTIES:
        model = RankSVM(penalty, 0.05).fit(X, y, qid)
        assert model.certificate_.status == "certified" and model.coef_.shape == (60,)
        expected = conic(differences(X, y, qid), 20.0, penalty) / 20.0
        assert model.certificate_.objective == pytest.approx(expected, rel=1e-7)


def test_features_of_one_value_and_twins():
    X, y, qid = DATA["graded"]
    once = RankSVM(C=0.01).fit(X, y, qid)
    twins = RankSVM(C=0.01).fit(np.column_stack([X, X, np.ones(y.size)]), y, qid)
    assert twins.certificate_.objective == pytest.approx(once.certificate_.objective, rel=1e-9)
    assert twins.coef_[-1] == 0.0


def test_a_path_with_warm_starts():
    problem, _ = build("graded")
    threshold, w, n_steps = problem.lambda_max(), None, 0
    for share in np.logspace(-0.1, -5, 15):
        w, certificate, n_iter = prox_newton.solve(problem.with_alpha(share * threshold), start=w)
        n_steps += n_iter
        assert certificate.status == "certified" and certificate.kkt <= 1e-8
    assert n_steps <= 60


def test_the_objective_never_rises():
    problem, steps = build("any grade", 1e-2)[0], []
    prox_newton.solve(problem, start=10 * np.ones(5), callback=steps.append)
    objectives, bounds = np.array([(step.objective, step.lower_bound) for step in steps]).T
    assert np.all(np.diff(objectives) <= 0) and np.all(np.diff(bounds) >= 0)
    assert np.all(bounds <= (1.0 + watch.ROUNDING) * objectives)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", ["l1", "adaptive-l1", "l2", "log", "mcp"])
def test_more_features_than_a_model_holds(monkeypatch, penalty, kind):
    """A model of few features, and systems that are never formed, end on the same optimum as all of them."""
    random = np.random.default_rng(3)
    X, qid = random.normal(size=(60, 45)), np.repeat(np.arange(4), 15)
    y = np.digitize(X[:, :4].sum(axis=1) + random.normal(size=60), [0.0, 2.0])
    model = RankSVM(penalty, C=RankSVM().C_min(X, y, qid) * 30.0)
    whole = model.fit(kind(X), y, qid).certificate_
    monkeypatch.setattr(prox_newton, "FEW", 2)
    monkeypatch.setattr(pairwise, "DENSE", 4)
    few = model.fit(kind(X), y, qid).certificate_
    assert few.status == whole.status == "certified"
    assert few.objective == pytest.approx(whole.objective, rel=1e-9)


def test_a_quadratic_with_a_singular_matrix():
    random = np.random.default_rng(0)
    factor = random.normal(size=(4, 9))
    hessian, linear = factor.T @ factor, factor.T @ random.normal(size=4)
    z = quadratic.minimise_l1(hessian, linear, np.full(9, 0.3), np.zeros(9), 1e-10)
    slope = hessian @ z + linear
    assert np.all(np.abs(slope) <= 0.3 + 1e-9)
    np.testing.assert_allclose(slope[z != 0], -0.3 * np.sign(z[z != 0]), atol=1e-9)


def test_a_matrix_with_rounding_errors_beyond_the_jitter():
    random = np.random.default_rng(0)
    rows = random.normal(size=(4, 9))
    hessian, slope = rows.T @ rows, rows.T @ random.normal(size=4)
    below = hessian - 1e-9 * np.diag(np.diagonal(hessian))
    step = -cho_solve(quadratic.factored(below), slope)
    np.testing.assert_allclose(hessian @ step, -slope, atol=1e-6)
    with pytest.raises(np.linalg.LinAlgError):
        quadratic.factored(-np.eye(2))


def test_a_small_C_says_so():
    X, y, qid = DATA["graded"]
    with pytest.warns(UserWarning, match="w = 0 is optimal at C=1e-06 .* choose C larger than") as caught:
        model = RankSVM(C=1e-6).fit(X, y, qid)
    assert not model.coef_.any() and re.match(ONE_SENTENCE, str(caught[0].message))
    smallest = float(str(caught[0].message).split()[-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert RankSVM(C=1.01 * smallest).fit(X, y, qid).coef_.any()


def test_c_min_is_where_weights_appear():
    X, y = stacked(*gaussians(m=25, n=40, d=4))
    smallest = RankSVM().C_min(X, y)
    with pytest.warns(UserWarning, match="w = 0 is optimal"):
        assert not RankSVM(C=0.999 * smallest).fit(X, y).coef_.any()
    assert RankSVM(C=1.01 * smallest).fit(X, y).coef_.any()
    assert RankSVM("l2").C_min(X, y) == smallest
    assert np.isinf(RankSVM().C_min(np.ones((4, 2)), [0, 1, 0, 1]))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "model",
    [RankSVM(), RankSVM("l2"), RankSVM("log"), RankSVM("adaptive-l1"), FSMRank(), FenchelRank()],
    ids=repr,
)
def test_features_that_never_vary_within_a_query(model, kind):
    """No C helps: the warning says so, and names what to look at."""
    qid = np.array([0, 0, 0, 1, 1, 1])
    X = kind(0.1 + qid[:, None] * np.array([1.0, 0.3]))
    with pytest.warns(UserWarning, match="no feature varies within a query; check X and qid") as caught:
        model.fit(X, [0, 1, 0, 1, 0, 1], qid)
    assert len(caught) == 1 and re.match(ONE_SENTENCE, str(caught[0].message))
    assert not model.coef_.any()
