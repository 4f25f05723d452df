"""Scorers of all metrics in scikit-learn's hands: searches, copies, queries, and what does not fit."""

import copy
import pickle

import numpy as np
import pytest
from ranking_data import gaussians, raises_one_sentence, stack_classes
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score

from toprank import RankSVM, make_ranking_scorer
from toprank.metrics import (
    average_precision,
    bedroc,
    enrichment_factor,
    mean_average_precision,
    ndcg,
    partial_auc,
    precision_at_k,
    rate_at_top,
    recall_at_fpr,
    recall_at_k,
)
from toprank.scorers import METRICS, QUERY_METRICS

#: Name, parameters, function.
SCORERS = [
    ("ndcg", {"k": 5, "ties": "pessimistic"}, ndcg),
    ("map", {"ties": "pessimistic"}, mean_average_precision),
    ("rate_at_top", {}, rate_at_top),
    ("precision", {"k": 5}, precision_at_k),
    ("precision", {"k": 0.2, "ties": "pessimistic"}, precision_at_k),
    ("recall", {"k": 5}, recall_at_k),
    ("enrichment", {}, enrichment_factor),
    ("enrichment", {"k": 0.1}, enrichment_factor),
    ("recall_at_fpr", {"max_fpr": 0.1}, recall_at_fpr),
    ("partial_auc", {}, partial_auc),
    ("partial_auc", {"max_fpr": 0.3, "ties": "pessimistic"}, partial_auc),
    ("average_precision", {}, average_precision),
    ("bedroc", {}, bedroc),
    ("bedroc", {"alpha": 5.0}, bedroc),
]
EVERY_SCORER = pytest.mark.parametrize(
    ("name", "options", "metric"), SCORERS, ids=lambda value: getattr(value, "__name__", str(value))[:30]
)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def data():
    """Return X and y of two Gaussian classes, three hundred negatives."""
    return stack_classes(*gaussians(60, 300, 4, 1.5))


@EVERY_SCORER
def test_cross_validation_and_search_are_the_metric_on_each_fold(data, name, options, metric):
    X, y = data
    scorer = make_ranking_scorer(name, **options)
    expected = []
    for train, test in FOLDS.split(X, y):
        scores = LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
        expected.append(metric(y[test], np.round(scores), **options))

    class Rounded(LogisticRegression):
        """A model with ties."""

        def decision_function(self, X):
            return np.round(super().decision_function(X))

    assert cross_val_score(Rounded(), X, y, cv=FOLDS, scoring=scorer) == pytest.approx(expected)
    search = GridSearchCV(Rounded(), {"C": [1.0]}, cv=FOLDS, scoring=scorer, error_score="raise").fit(X, y)
    assert search.best_score_ == pytest.approx(np.mean(expected))


@EVERY_SCORER
def test_a_scorer_can_be_copied_pickled_and_printed(data, name, options, metric):
    X, y = data
    scorer = make_ranking_scorer(name, **options)
    model = LogisticRegression().fit(X, y)
    value = scorer(model, X, y)
    assert 0 < value == pytest.approx(metric(y, model.decision_function(X), **options))
    search = clone(GridSearchCV(model, {"C": [1.0]}, scoring=scorer))
    for other in (
        pickle.loads(pickle.dumps(scorer)),
        copy.deepcopy(scorer),
        search.scoring,
        eval(repr(scorer)),
    ):
        assert other is not scorer and other(model, X, y) == value and repr(other) == repr(scorer)


def test_every_metric_is_tried():
    assert {name for name, _, _ in SCORERS} == METRICS.keys() > set(QUERY_METRICS)


def test_the_representation_is_the_call():
    assert repr(make_ranking_scorer("precision", k=50)) == "make_ranking_scorer('precision', k=50)"
    scorer = make_ranking_scorer("recall_at_fpr", max_fpr=0.01, ties="pessimistic")
    assert repr(scorer) == "make_ranking_scorer('recall_at_fpr', max_fpr=0.01, ties='pessimistic')"
    assert repr(make_ranking_scorer()) == "make_ranking_scorer('ndcg')"


@pytest.mark.parametrize(
    ("name", "options"), [("precision", {"k": 3}), ("recall", {"k": 3}), ("average_precision", {})]
)
def test_queries_reach_the_metrics_that_take_them(name, options):
    random = np.random.default_rng(0)
    X, qid = random.normal(size=(120, 4)), random.permutation(np.repeat(np.arange(12), 10))
    y = (X[:, 0] + random.normal(size=120) > 0.5).astype(int)
    scorer = make_ranking_scorer(name, **options)
    expected = []
    for train, test in GroupKFold(3).split(X, y, qid):
        model = RankSVM().fit(X[train], y[train], qid=qid[train])
        expected.append(METRICS[name](y[test], model.predict(X[test]), qid=qid[test], **options))
    with config_context(enable_metadata_routing=True):
        params = {"groups": qid, "qid": qid}
        values = cross_val_score(RankSVM(), X, y, cv=GroupKFold(3), scoring=scorer, params=params)
    assert values == pytest.approx(expected)
    with raises_one_sentence(f"the model was fitted to 12 queries, so {name} needs the qid of each row"):
        scorer(RankSVM().fit(X, y, qid=qid), X, y)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "auc",
            {},
            "unknown metric 'auc'; choose one of ndcg, map, rate_at_top, precision, recall, enrichment, ",
        ),
        ("bedroc", {"k": 5}, "the metric 'bedroc' has no parameter 'k'; it has alpha, ties"),
        ("precision", {"k": 5, "max_fpr": 0.1}, "'precision' has no parameter 'max_fpr'; it has k, ties"),
        ("ndcg", {"alpha": 0.1}, "'ndcg' has no parameter 'alpha'; it has k, convention, ties"),
        (
            "precision",
            {"k": 5, "convention": "letor"},
            "'precision' has no parameter 'convention'; it has k, ",
        ),
        ("rate_at_top", {"k": 5}, "the metric 'rate_at_top' has no parameter 'k'; it has none"),
        ("precision", {}, "the metric 'precision' needs k, a number of rows or a share of them"),
        ("recall", {}, "the metric 'recall' needs k, a number of rows or a share of them"),
        ("recall_at_fpr", {}, "the metric 'recall_at_fpr' needs max_fpr, a share of the negatives"),
        ("precision", {"k": 0}, "k must be a whole number of rows from 1, or a share of them"),
        ("enrichment", {"k": 1.5}, "k must be a whole number of rows from 1, or a share of them"),
        ("ndcg", {"k": 0.5}, "k must be a whole number from 1, or None for the whole list; got 0.5"),
        ("recall_at_fpr", {"max_fpr": 2}, "max_fpr must be a share of the negatives, from 0 to 1; got 2"),
        ("partial_auc", {"max_fpr": 0.0}, "max_fpr must be above 0 for an area"),
        ("bedroc", {"alpha": -1}, "alpha must be a finite positive number; got -1"),
        ("map", {"convention": "trec"}, "unknown convention 'trec'; choose one of standard, letor"),
        ("map", {"ties": "best"}, "ties must be one of average, pessimistic; got 'best'"),
        (
            "map",
            {"ties": "pessimistic", "convention": "letor"},
            "so it takes no ties='pessimistic'; leave one",
        ),
    ],
)
def test_what_does_not_fit_is_refused_at_once(name, options, message):
    with raises_one_sentence(message):
        make_ranking_scorer(name, **options)


def test_a_capacity_above_a_fold_is_one_sentence(data):
    X, y = data
    scorer = make_ranking_scorer("precision", k=200)
    with raises_one_sentence("k = 200 is above the 120 rows of the list; choose a smaller k"):
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=FOLDS, scoring=scorer, error_score="raise").fit(
            X, y
        )
