"""FSMRank, reconstructed: its measures of features, its optimum, its bound and its conventions."""

import pickle

import cached_optima as references
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import assert_certified, raises_one_sentence
from scipy.stats import kendalltau
from sklearn.base import clone
from test_pairwise import DATA, differences, documents

from toprank import FSMRank
from toprank.metrics import mean_average_precision, ndcg
from toprank.problems import feature_measures, feature_selection, rank_agreement
from toprank.problems.feature_measures import compute_importance, compute_similarity
from toprank.problems.feature_selection import FeatureSelectionRanking
from toprank.solvers import nesterov

GRADED = {name: data for name, data in DATA.items() if name != "any grade"}
TWINS = np.column_stack([DATA["graded"][0], DATA["graded"][0][:, :2], np.ones(60)])
GRADED["twins and a constant"] = (TWINS, *DATA["graded"][1:])
GRADED["wide"] = documents(n=30, d=45)


# --- similarity and importance ---------------------------------------------------------------------------


def group_features(X, qid):
    order = np.argsort(qid, kind="stable")
    return X[order], np.append(0, np.cumsum(np.unique(qid, return_counts=True)[1]))


@pytest.mark.parametrize("block", [1, 40, 1 << 15])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_similarity_is_kendalls(monkeypatch, kind, block):
    monkeypatch.setattr(rank_agreement, "SIGN_PAIRS_PER_CHUNK", block)
    random = np.random.default_rng(0)
    X, qid = random.normal(size=(50, 4)), np.repeat([0, 1, 2, 3], [20, 25, 4, 1])
    X[:, 3] = -X[:, 0]
    taus = [
        [[kendalltau(X[qid == q, j], X[qid == q, k])[0] for k in range(4)] for j in range(4)]
        for q in range(3)
    ]
    A = compute_similarity(kind(X), group_features(X, qid)[1])
    np.testing.assert_allclose(A, (1 + np.mean(taus, axis=0)) / 2, atol=1e-12)
    assert A[0, 3] == 0.0 and np.all(np.diag(A) == 1.0)


@settings(max_examples=80)
@given(arrays(float, (10, 6), elements=st.integers(-1, 1).map(float)), st.integers(1, 9))
def test_similarity_of_anything_is_positive_semidefinite(X, cut):
    """With many ties, and features of one value."""
    A = compute_similarity(X, np.array([0, cut, 10]))
    assert np.array_equal(A, A.T) and A.min() >= 0.0 and A.max() <= 1.0
    assert np.linalg.eigvalsh(A).min() >= -1e-12


def test_importance_is_that_of_the_better_direction():
    X, y, qid = DATA["graded"]
    X = np.column_stack([X, -X[:, 0]])
    for metric, quality in (
        ("map", lambda s: mean_average_precision(y, s, qid)),
        ("ndcg", lambda s: ndcg(y, s, qid, k=10)),
    ):
        importance = compute_importance(X, y, qid, metric)
        expected = [max(quality(X[:, j]), quality(-X[:, j])) for j in range(6)]
        np.testing.assert_allclose(importance, expected)
        assert importance[0] == importance[5] == importance.max()
        np.testing.assert_allclose(compute_importance(sp.csr_array(X), y, qid, metric), importance)


def test_two_labels_of_any_value_are_relevant_and_not():
    X, y, qid = DATA["binary"]
    np.testing.assert_array_equal(
        compute_importance(X, 2 * y - 1, qid, "map"), compute_importance(X, y, qid, "map")
    )


def test_the_map_of_rows_that_are_all_relevant_measures_no_feature():
    """It is 1 of every feature; of two grades the larger is relevant."""
    X, y, qid = DATA["graded"]
    with raises_one_sentence("every feature has a MAP of 1; mark the rows that are not relevant by 0"):
        FSMRank().fit(X, y + 1, qid)
    assert FSMRank(importance="ndcg").fit(X, y + 1, qid).importance_.min() < 1.0
    assert FSMRank().fit(X, 1 + (y > 0), qid).importance_.min() < 1.0


def test_a_useless_feature_keeps_a_finite_weight():
    """One relevant document among many, all tied: of n ranks, the mean of 1 / rank is log(n) / n."""
    y = np.zeros(20_000)
    y[0] = 1
    importance = compute_importance(np.ones((y.size, 1)), y, None, "map")
    assert importance == [feature_measures.MIN_IMPORTANCE]


# --- the optimum -----------------------------------------------------------------------------------------


def brute_force(rows, w, alpha, beta, A, s):
    size, loss = np.abs(w), np.square(np.maximum(1 - rows @ w, 0)).mean()
    return loss + alpha / 2 * size @ A @ size + beta * (size / s).sum()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("alpha", "share"), [(0.0, 0.1), (0.01, 0.5), (0.1, 1e-2), (1.0, 1e-4), (1e-3, 1e-5)]
)
@pytest.mark.parametrize("name", GRADED)
def test_the_optimum_is_that_of_the_pairs(name, alpha, share, kind):
    X, y, qid = GRADED[name]
    rows = differences(X, y, qid)
    beta = share * FSMRank().beta_max(X, y, qid)
    model = FSMRank(alpha, beta, tol=1e-8).fit(kind(X), y, qid)
    certificate, A, s = model.certificate_, model.similarity_, model.importance_
    assert certificate.kkt <= 1e-8
    assert certificate.objective == pytest.approx(brute_force(rows, model.coef_, alpha, beta, A, s), rel=1e-9)
    optimum, _ = references.fsm_rank(rows, 0 * rows, alpha, beta, A, s)
    assert_certified(certificate, optimum)


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("beta", [1e-4, 1e-2, 1.0])
def test_weak_duality(alpha, beta):
    X, y, qid = DATA["graded"]
    rows = differences(X, y, qid)
    problem = FeatureSelectionRanking.from_data(X, y, qid, alpha, beta, "map")
    random = np.random.default_rng(1)
    points = [size * random.normal(size=5) * random.integers(0, 2, 5) for size in (0.0, 0.1, 0.5, 1.0, 3.0)]
    points.append(nesterov.solve(problem, tol=1e-9).w)
    losses = [problem.loss(problem.ranking.X @ w) for w in points]
    bounds = [
        problem.lower_bound(w, loss, problem.gradient(loss)) for w, loss in zip(points, losses, strict=True)
    ]
    optimum, _ = references.fsm_rank(rows, 0 * rows, alpha, beta, problem.similarity, problem.importance)
    assert 0.0 < max(bounds) <= optimum * (1 + 1e-9) and bounds[-1] >= (1 - 1e-7) * optimum  # it is reached


def test_no_hessian_is_larger_than_the_metric():
    X, y, qid = DATA["graded"]
    problem = FeatureSelectionRanking.from_data(X, y, qid, 0.0, 1.0, "map")
    rows = differences(X, y, qid)
    np.testing.assert_allclose(problem.majorant, 2 * rows.T @ rows / len(rows), rtol=1e-9)


# --- the solver ------------------------------------------------------------------------------------------


def test_a_path_in_few_steps():
    """The metric takes the correlation of the features out of the way."""
    X, y, qid = documents(n=300, d=20, n_queries=10)
    X[:, 10:] = X[:, :10] + 0.01 * X[:, 10:]
    problem = FeatureSelectionRanking.from_data(X, y, qid, 0.0, 1.0, "map")
    largest, w = problem.beta_max(), None
    for share in np.logspace(-0.2, -5, 15):
        weighted = problem.with_weights(0.001 * largest, share * largest)
        w, certificate, n_iter = nesterov.solve(weighted, start=w)
        assert certificate.status == "certified" and certificate.kkt <= 1e-6 and n_iter <= 100


def test_the_model_of_a_step_is_minimised():
    random = np.random.default_rng(0)
    for d, rank in ((5, 5), (9, 4)):
        factor = random.normal(size=(rank, d))
        hessian, linear = factor.T @ factor, factor.T @ random.normal(size=rank)
        coupling = np.abs(random.normal(size=(d, 2)))
        coupling = 0.1 * coupling @ coupling.T
        thresholds = random.uniform(0.05, 0.5, d)
        z = nesterov.minimise_model(hessian, linear, coupling, thresholds, np.zeros(d), 1e-10)
        slope, pressure = hessian @ z + linear, coupling @ np.abs(z) + thresholds
        assert np.all(np.abs(slope) <= pressure + 1e-9)
        np.testing.assert_allclose(slope[z != 0], -(pressure * np.sign(z))[z != 0], atol=1e-9)


# --- the estimator ---------------------------------------------------------------------------------------


def test_a_warm_start_measures_the_same_data_once(monkeypatch):
    X, y, qid = DATA["graded"]
    measured = []
    metric = feature_selection.compute_importance
    monkeypatch.setattr(feature_selection, "compute_importance", lambda *a: measured.append(1) or metric(*a))
    model = FSMRank(0.01, warm_start=True)
    largest = model.beta_max(X, y, qid)
    for share in (0.5, 0.1, 0.02):
        model.set_params(beta=share * largest).fit(X, y, qid)
    assert len(measured) == 1
    model.fit(X.copy(), y, qid)
    assert len(measured) == 2
    model.fit(X, y, qid)
    model.set_params(importance="ndcg").fit(X, y, qid)
    assert len(measured) == 4, "the same data by another metric"
    np.testing.assert_array_equal(model.importance_, metric(X, y, qid, "ndcg"))
    assert "_cached_problem" not in pickle.loads(pickle.dumps(model)).__dict__
    refitted = clone(model).fit(X, y, qid)
    np.testing.assert_allclose(refitted.coef_, model.coef_, atol=1e-5)
