"""Input that is valid but rare, and fitted models that later calls must leave as they are."""

import json
import os
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from ranking_data import raises_one_sentence
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toprank import (
    L1,
    FSMRank,
    GroupL2,
    InfinitePush,
    InfinitePushCV,
    RankSVM,
    RFEInfinitePush,
    TopPush,
    TopPushCV,
    path,
)
from toprank.estimators import rfe
from toprank.estimators.selection import tabulate_results
from toprank.export import to_json, to_solr
from toprank.labels import as_numbers
from toprank.metrics import bedroc, capacity_report, recall_at_fpr
from toprank.projections import project_simplex
from toprank.queries import check_queries, queries_of_sizes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3))
Y = np.arange(24) % 3 == 0
X[Y, 0] += 4.0


@pytest.mark.parametrize("kind", [np.int32, np.uint16, np.int64])
def test_a_capacity_of_any_integer_type(kind):
    y, score = np.arange(60000) < 30000, -np.arange(60000.0)
    report = capacity_report(y, score, k=kind(30000), n_resamples=100)
    assert report.lift == 2.0 and report.precision / report.prevalence == 2.0


def test_bedroc_with_an_unsigned_decay():
    y, score = [1, 0, 0, 1], [4.0, 3.0, 2.0, 1.0]
    assert bedroc(y, score, np.uint8(20)) == bedroc(y, score, 20)


def test_a_rate_in_single_precision_is_the_one_that_was_written():
    y, score = np.r_[np.zeros(100, int), np.ones(100, int)], np.r_[np.arange(100.0), np.arange(100) + 0.5]
    for rate in np.arange(1, 100) / 100:
        assert recall_at_fpr(y, score, np.float32(rate)) == recall_at_fpr(y, score, rate)


@pytest.mark.parametrize("missing", [float("nan"), None])
def test_a_list_of_words_with_a_missing_one(missing):
    with pytest.raises(ValueError, match="missing values"):
        as_numbers(["spam", missing, "spam"])
    with pytest.raises(ValueError, match="some are missing"):
        check_queries(["a", "b", missing], 3)
    with pytest.raises(ValueError, match="mixes both"):
        check_queries(["a", 1, "1"], 3)
    assert as_numbers(["2", 1, 0.5]).tolist() == [2.0, 1.0, 0.5]


def test_sizes_of_queries_that_are_unsigned():
    assert queries_of_sizes(np.array([2, 3], dtype=np.uint64), 5).tolist() == [0, 0, 1, 1, 1]


class Recorder:
    """A callback that holds what cannot be copied."""

    def __init__(self):
        self.file, self.n_calls = open(os.devnull), 0  # noqa: SIM115

    def step(self, state):
        self.n_calls += 1


@pytest.mark.parametrize("model", [TopPush(), InfinitePush(), InfinitePush("l2")])
def test_copies_of_a_model_share_its_callback(model):
    recorder = Recorder()
    model.set_params(callback=recorder.step)
    assert clone(model).callback.__self__ is recorder
    model.fit(X, Y)
    n_calls = recorder.n_calls
    path(model, X, Y, values=2)
    assert 0 < n_calls < recorder.n_calls
    recorder.file.close()


def test_measures_of_other_data_leave_a_fitted_model_as_it_is():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    models = [
        (TopPush(0.1), ("alpha_max", "smallest_depth")),
        (InfinitePush(alpha=0.1), ("alpha_max", "smallest_depth")),
        (RankSVM(C=1.0), ("C_zero_max", "_compute_ridge_scale")),
        (FSMRank(), ("beta_max",)),
    ]
    for model, names in models:
        model.fit(frame, Y)
        for name in names:
            getattr(model, name)(X[:, :2], Y)
            np.testing.assert_allclose(model.decision_function(frame), X @ model.coef_)
            assert model.feature_names_in_.tolist() == ["a", "b", "c"] and model.n_features_in_ == 3
    queries = RankSVM(C=1.0).fit(X, Y, np.arange(24) // 8)
    queries.C_zero_max(X[:8], Y[:8])
    assert queries.n_queries_ == 3


@pytest.fixture(scope="module")
def sixty_features():
    """Sixty features, of which three are dropped in a step by default."""
    rows = np.random.default_rng(1).normal(size=(40, 60))
    relevant = np.arange(40) % 4 == 0
    rows[relevant, :5] += 3.0
    return rows, relevant


@pytest.mark.parametrize("n_features", [1, 2, 10, 12, 59, 60, 70])
def test_a_warm_elimination_keeps_the_features_of_a_cold_one(sixty_features, n_features):
    cold = RFEInfinitePush(n_features, 0.1).fit(*sixty_features)
    warm = (
        RFEInfinitePush(4, 0.1, warm_start=True)
        .fit(*sixty_features)
        .set_params(n_features=n_features)
        .fit(*sixty_features)
    )
    assert np.count_nonzero(cold.coef_) == min(n_features, 60)
    np.testing.assert_array_equal(warm.coef_ != 0.0, cold.coef_ != 0.0)


def test_an_elimination_of_other_settings_is_not_reused(sixty_features):
    model = RFEInfinitePush(8, 0.1).fit(*sixty_features)
    model.set_params(warm_start=True, n_features=3).fit(*sixty_features)
    assert np.count_nonzero(model.coef_) == 3
    model.set_params(warm_start=False, n_features=8).fit(*sixty_features)
    model.set_params(warm_start=True, n_features=3).fit(*sixty_features)
    assert np.count_nonzero(model.coef_) == 3 and np.count_nonzero(model.ranking_ == 1) == 1
    model.set_params(alpha=5.0).fit(*sixty_features)
    np.testing.assert_array_equal(model.coef_, RFEInfinitePush(3, 5.0).fit(*sixty_features).coef_)
    alpha_path = path(RFEInfinitePush(n_features=10), *sixty_features, values=3)
    assert alpha_path.n_selected.tolist() == [10, 10, 10]
    assert RFEInfinitePush(10, 0.1).fit(X[:, :1], Y).ranking_.tolist() == [1]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_an_elimination_of_other_data_is_not_reused(sixty_features, monkeypatch, kind):
    rows, relevant = kind(sixty_features[0]), sixty_features[1]
    model = RFEInfinitePush(9, 0.1, warm_start=True).fit(rows, relevant)
    for data in ((rows[:, ::-1].copy(), relevant), (rows, ~relevant)):
        cold = RFEInfinitePush(9, 0.1, warm_start=True).fit(*data)
        np.testing.assert_array_equal(clone_fitted(model).fit(*data).coef_, cold.coef_)
    monkeypatch.setattr(rfe, "RFE", None)  # equal rows need no other one
    np.testing.assert_array_equal(clone_fitted(model).fit(rows.copy(), relevant).coef_, model.coef_)


def clone_fitted(model):
    """Return the model as it is read from a file, without data."""
    state = pickle.dumps(model)
    assert len(state) < 4000, "no rows are in it"
    return pickle.loads(state)


def test_limits_of_an_elimination_are_those_of_each_fit(sixty_features):
    with pytest.warns(ConvergenceWarning, match="InfinitePush ended .* raise max_iter above 1$"):
        assert RFEInfinitePush(50, 1e-3, max_iter=1).fit(*sixty_features).n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="status 'time_limit'.* raise time_limit$"):
        RFEInfinitePush(59, 1e-3, time_limit=1e-9).fit(*sixty_features)
    with raises_one_sentence("time_limit must be a positive number; got -1"):
        RFEInfinitePush(time_limit=-1).fit(*sixty_features)


def test_a_stored_problem_of_other_data_is_dropped():
    model = FSMRank(warm_start=True).fit(X, Y)
    model.set_params(warm_start=False).fit(X[:, :2], Y)
    assert not hasattr(model, "_cached_problem"), "it would keep the other data in memory"
    model.set_params(warm_start=True).fit(X, Y)
    assert model.coef_.shape == (3,) and model.n_features_in_ == 3


def test_beta_max_of_other_data_leaves_a_fitted_model_as_it_is():
    """Also with ``warm_start``, where it keeps the problem of these data; a fit to them takes their names."""
    frame = pd.DataFrame(X, columns=list("abc"))
    model = FSMRank(warm_start=True).fit(frame, Y)
    scores = model.predict(frame)
    narrow, other_y = X[:, :2], Y.copy()
    model.beta_max(narrow, other_y)
    assert model.n_features_in_ == 3 and list(model.feature_names_in_) == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(frame), scores)
    problem = model._cached_problem.problem
    assert model.fit(narrow, other_y).n_features_in_ == 2 and not hasattr(model, "feature_names_in_")
    assert model._cached_problem.problem.similarity is problem.similarity, "measured by beta_max"
    unfitted = FSMRank(warm_start=True)
    unfitted.beta_max(frame, Y)
    assert not hasattr(unfitted, "n_features_in_")
    assert list(unfitted.fit(frame, Y).feature_names_in_) == ["a", "b", "c"]


def test_groups_in_a_series_with_names():
    groups = pd.Series(list("aba"), index=["f", "g", "h"])
    by_series, by_list = (
        InfinitePush(GroupL2(labels), alpha=0.1).fit(X, Y) for labels in (groups, list("aba"))
    )
    np.testing.assert_array_equal(by_series.coef_, by_list.coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_function_of_the_user_scores_an_array(dtype):
    search = TopPushCV(alphas=2, cv=2, scoring=lambda model, rows, y: float(rows[:, 0].mean()))
    assert np.isfinite(search.fit(X.astype(dtype), Y).best_score_)


def test_attributes_of_an_earlier_fit_are_gone():
    search = InfinitePushCV(InfinitePush("elasticnet"), alphas=2, cv=2, l1_ratios=[0.5]).fit(X, Y)
    search.set_params(l1_ratios=None, estimator=InfinitePush("l1")).fit(X, Y)
    assert not hasattr(search, "l1_ratio_") and "l1_ratio_" not in json.loads(to_json(search))
    model = RankSVM("adaptive-l1", C=1.0).fit(X, Y)
    assert model.weights_.shape == (3,)
    doubled = RankSVM(L1(2.0), C=1.0).fit(X, Y)
    np.testing.assert_array_equal(doubled.weights_, [2.0, 2.0, 2.0])
    assert not hasattr(model.set_params(penalty="l1").fit(X, Y), "weights_")


def test_the_rank_of_a_mean_that_is_not_finite():
    scores = np.array([[-np.inf, 0.1], [0.02, 0.02], [0.01, 0.01], [np.nan, 0.5]])
    table = tabulate_results({"C": np.arange(4.0)}, scores, scores, scores)
    assert table["rank_test_score"].tolist() == [3, 1, 2, 3]


def test_a_mean_beyond_single_precision_is_not_exported():
    rows = X * [1e36, 1.0, 1.0] + [1e39, 0.0, 0.0]
    model = make_pipeline(StandardScaler(), TopPush(0.1)).fit(pd.DataFrame(rows, columns=["a", "b", "c"]), Y)
    with pytest.raises(ValueError, match=r"the mean .* of 'a' is out of the range"):
        to_solr(model)


def test_folds_that_are_no_pairs_or_hold_negative_numbers():
    with pytest.raises(ValueError, match="cv must be a number of folds"):
        TopPushCV(cv=[1, 2]).fit(X, Y)
    folds = [(np.arange(12), np.arange(-12, 0)), (np.arange(24) >= 12, np.arange(24) < 12)]
    first, second = (
        TopPushCV(alphas=3, cv=folds).fit(X.astype(kind), Y) for kind in (np.float32, np.float64)
    )
    np.testing.assert_allclose(first.scores_, second.scores_)


def test_the_simplex_below_the_last_digit_of_an_entry():
    np.testing.assert_array_equal(project_simplex([1e17, 0.0]), [1.0, 0.0])
