"""The method ``score`` of a search is its scoring, and a scorer refuses what ranks no rows."""

import warnings

import numpy as np
import pytest
from ranking_data import raises_one_sentence
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import PredefinedSplit

from toprank import (
    InfinitePush,
    InfinitePushCV,
    RankSVM,
    RankSVMCV,
    TopPush,
    TopPushCV,
    make_ranking_scorer,
)
from toprank.metrics import average_precision, ndcg, precision_at_k, rate_at_top

X, Y = make_classification(300, 8, weights=[0.8], flip_y=0.05, random_state=0)
TRAIN, TEST = slice(0, 200), slice(200, None)


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [
        (None, rate_at_top),
        ("average_precision", average_precision),
        ("roc_auc", roc_auc_score),
        (make_ranking_scorer("precision", k=10), lambda y, scores: precision_at_k(y, scores, 10)),
    ],
    ids=["default", "name", "scikit-learn", "scorer"],
)
@pytest.mark.parametrize("labels", [Y, np.where(Y, "spam", "ham")], ids=["numbers", "words"])
@pytest.mark.parametrize("search", [TopPushCV, InfinitePushCV])
def test_a_list(search, labels, scoring, metric):
    model = search(alphas=3, depths=(0.5,), cv=3, scoring=scoring).fit(X[TRAIN], labels[TRAIN])
    expected = metric(Y[TEST], model.decision_function(X[TEST]))
    assert model.score(X[TEST], labels[TEST]) == pytest.approx(expected, abs=1e-12)


def test_queries():
    random = np.random.default_rng(0)
    grades, qid = random.integers(0, 3, 120), np.arange(120) // 12
    rows = random.normal(size=(120, 4)) + grades[:, None]
    model = RankSVMCV(Cs=3, cv=2, scoring=make_ranking_scorer("ndcg", k=3)).fit(rows, grades, qid)
    expected = ndcg(grades, model.decision_function(rows), qid, k=3)
    assert model.score(rows, grades, qid) == pytest.approx(expected, abs=1e-12)
    assert expected != pytest.approx(ndcg(grades, model.decision_function(rows), qid))


@pytest.mark.parametrize(
    "scoring", [None, "map", lambda model, X, y: 1.0], ids=["default", "name", "function"]
)
@pytest.mark.parametrize("search", [TopPushCV, InfinitePushCV, RankSVMCV])
def test_a_search_that_is_not_fitted_has_no_score(search, scoring):
    with pytest.raises(NotFittedError, match=f"{search.__name__} instance is not fitted"):
        search(scoring=scoring).score(X, Y)


@pytest.mark.parametrize("model", [TopPush(depth=0.3), InfinitePush(depth=5)], ids=repr)
def test_a_search_keeps_the_depth_of_its_estimator(model):
    search = (TopPushCV if isinstance(model, TopPush) else InfinitePushCV)(model, alphas=2, cv=2).fit(X, Y)
    assert search.best_params_["depth"] == model.depth and search.alphas_.shape == (1, 2)
    assert search.depth_ == clone(model).fit(X, Y).depth_ > 1
    assert search.set_params(depths=[1]).fit(X, Y).depth_ == 1.0


def test_weights_of_rows_are_refused():
    model = TopPushCV(alphas=2, cv=2, scoring="average_precision").fit(X, Y)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        model.score(X, Y, sample_weight=np.ones(len(Y)))


@pytest.mark.parametrize("classifier", [RandomForestClassifier(10, random_state=0), LogisticRegression()])
def test_a_classifier_of_three_classes_ranks_no_rows(classifier):
    grades = np.digitize(X[:, 0], [-0.5, 0.8])
    scorer = make_ranking_scorer("ndcg", k=10)
    with raises_one_sentence("has 3 classes, whose scores do not rank the rows; take a regressor"):
        scorer(classifier.fit(X, grades), X, grades)
    assert scorer(classifier.fit(X, grades > 0), X, grades) > 0.5


def test_relevance_is_decided_by_all_rows():
    """A fold of grades 1 and 2 alone would take only 2 for relevant."""
    random = np.random.default_rng(1)
    qid, grades = np.repeat(np.arange(9), 6), random.integers(0, 3, 54)
    grades[qid < 3] = np.tile([1, 2], 9)
    grades[0] = 1
    rows = random.normal(size=(54, 3)) + grades[:, None]
    folds = [(np.flatnonzero(qid >= 6), np.flatnonzero((qid < 6) & (qid >= 3)))]
    folds += [(np.flatnonzero(qid >= 6), np.append(test, np.flatnonzero(qid < 3))) for _, test in folds[:1]]
    scorer = make_ranking_scorer("precision", k=2)
    search = RankSVMCV(Cs=[0.1], cv=folds, scoring=scorer).fit(rows, grades, qid)
    model = RankSVM(C=0.1).fit(rows[qid >= 6], grades[qid >= 6], qid[qid >= 6])
    for k, (_, test) in enumerate(folds):
        expected = precision_at_k(grades[test] > 0, model.decision_function(rows[test]), 2, qid=qid[test])
        assert search.cv_results_[f"split{k}_test_score"][0] == pytest.approx(expected)
    # new rows are scored by the same rule: of grades 1 and 2 both are relevant
    new = np.append(np.flatnonzero(qid < 3), np.flatnonzero((grades == 0) & (qid == 3))[:1])
    assert search.score(rows[new], grades[new], np.minimum(qid[new], 2)) == pytest.approx(1.0)
    with raises_one_sentence("y has one class only"):
        only = [(np.flatnonzero(qid >= 6), np.flatnonzero(qid < 3))]
        RankSVMCV(Cs=[0.1], cv=only, scoring=scorer).fit(rows, grades, qid)


def test_a_splitter_without_groups_is_no_warning():
    random = np.random.default_rng(0)
    grades, qid = random.integers(0, 3, 60), np.arange(60) // 10
    rows = random.normal(size=(60, 4)) + grades[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankSVMCV(Cs=2, cv=PredefinedSplit(qid % 2)).fit(rows, grades, qid)
