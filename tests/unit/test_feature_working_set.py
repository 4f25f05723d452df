"""FSMRank with many features: the working set gives the optimum over all of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from test_fsm_rank import GRADED
from test_pairwise import documents

from toprank import FSMRank
from toprank.clock import OutOfTime
from toprank.solvers import feature_working_set
from toprank.solvers.feature_working_set import FeatureWorkingSet

GRADED = GRADED | {"many": documents(n=60, d=80)}


@pytest.fixture
def small_working_sets(monkeypatch):
    """Use a working set for few features too, and begin with one."""
    monkeypatch.setattr(feature_working_set, "MIN_FEATURES", 1)
    monkeypatch.setattr(feature_working_set, "INITIAL_SIZE", 1)


@pytest.mark.filterwarnings("ignore:w = 0 is optimal:UserWarning")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("alpha", "share"), [(0.0, 0.1), (0.01, 0.5), (0.1, 1e-2), (1.0, 1e-4), (1e-3, 1e-3), (0.1, 1.1)]
)
@pytest.mark.parametrize("name", GRADED)
def test_the_optimum_is_that_of_all_features(small_working_sets, monkeypatch, name, alpha, share, kind):
    X, y, qid = GRADED[name]
    beta = share * FSMRank().beta_max(X, y, qid)
    model = FSMRank(alpha, beta, tol=1e-8).fit(kind(X), y, qid)
    monkeypatch.setattr(feature_working_set, "MIN_FEATURES", X.shape[1] + 1)
    expected = FSMRank(alpha, beta, tol=1e-8).fit(X, y, qid)
    certificate, optimum = model.certificate_, expected.certificate_
    assert certificate.status == optimum.status == "certified" and certificate.kkt <= 1e-8
    assert certificate.objective == pytest.approx(optimum.objective, rel=2e-8)
    assert certificate.lower_bound <= optimum.objective * (1 + 1e-12)
    np.testing.assert_allclose(model.importance_, expected.importance_)
    assert set(np.flatnonzero(model.coef_)) <= set(model.measured_features_)
    pairs = np.ix_(model.measured_features_, model.measured_features_)
    np.testing.assert_allclose(model.similarity_, expected.similarity_[pairs], atol=1e-14)


def test_similarities_outside_of_the_support_are_not_measured(monkeypatch):
    """2000 features, few of which matter: a fit measures a small part of all similarities."""
    monkeypatch.setattr(feature_working_set, "INITIAL_SIZE", 10)
    X, y, qid = documents(n=100, d=2000)
    model = FSMRank(0.01, warm_start=True)
    model.set_params(beta=0.3 * model.beta_max(X, y, qid)).fit(X, y, qid)
    assert model.certificate_.status == "certified" and model.coef_.any()
    assert model.measured_features_.size <= 100
    measured = model.measured_features_
    model.fit(X, y, qid)
    assert model.measured_features_ is measured, "a fit on the same working set measures nothing"
    assert model.certificate_.status == "certified"


def test_the_bound_holds_when_the_time_is_up_before_a_similarity(small_working_sets, monkeypatch):
    """Without the similarities of a candidate its smaller limit β/s counts, and the bound stays below."""
    X, y, qid = GRADED["many"]
    beta = 0.02 * FSMRank().beta_max(X, y, qid)
    optimum = FSMRank(0.5, beta, tol=1e-8).fit(X, y, qid).certificate_.objective
    bounds = []

    def measure(columns, starts, clock, n_first=None):
        if n_first is not None:
            raise OutOfTime
        return similarity(columns, starts, clock)

    similarity = feature_working_set.compute_similarity
    monkeypatch.setattr(feature_working_set, "compute_similarity", measure)
    model = FSMRank(0.5, beta, tol=1e-8, callback=lambda step: bounds.append(step.lower_bound))
    certificate = model.fit(X, y, qid).certificate_
    assert len(bounds) > 2 and max(bounds) <= optimum * (1 + 1e-9)
    assert certificate.objective == pytest.approx(optimum, rel=1e-7)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_limits(small_working_sets, monkeypatch):
    X, y, qid = GRADED["many"]
    beta = 0.02 * FSMRank().beta_max(X, y, qid)
    optimum = FSMRank(0.1, beta).fit(X, y, qid)
    short = FSMRank(0.1, beta, max_iter=3).fit(X, y, qid)
    assert (short.certificate_.status, short.n_iter_) == ("max_iterations", 3)
    assert short.certificate_.lower_bound <= optimum.certificate_.objective <= short.certificate_.objective
    stopped = FSMRank(0.1, beta, callback=lambda step: step.iteration > 0).fit(X, y, qid)
    assert stopped.certificate_.status == "stopped" and stopped.coef_.any()
    monkeypatch.setattr(FeatureWorkingSet, "extend", raise_out_of_time)
    late = FSMRank(0.1, beta).fit(X, y, qid)
    assert late.certificate_.status == "time_limit" and not late.coef_.any()
    assert 0.0 < late.certificate_.lower_bound <= optimum.certificate_.objective
    assert late.similarity_ is None and late.measured_features_ is None and late.importance_ is not None


def raise_out_of_time(*_, **__):
    raise OutOfTime
