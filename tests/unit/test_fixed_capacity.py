"""Metrics of fixed capacity: by all orders of the ties, by scikit-learn, and on a constant scorer."""

from functools import partial

import numpy as np
import pytest
import untied_metrics as untied
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from sklearn import metrics as sklearn_metrics

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

#: Metric -> its definition without ties, and the values of its parameter.
CASES = {
    "precision": (precision_at_k, untied.precision, "k", (1, 2, 3, 5)),
    "recall": (recall_at_k, untied.recall, "k", (1, 2, 3, 5)),
    "enrichment": (enrichment_factor, untied.enrichment, "k", (1, 2, 3, 5)),
    "recall at fpr": (recall_at_fpr, untied.recall_at_fpr, "max_fpr", (0.0, 0.2, 0.25, 0.5, 0.9, 1.0)),
    "partial AUC": (partial_auc, untied.partial_auc, "max_fpr", (0.01, 0.2, 0.25, 0.5, 0.9, 1.0)),
    "average precision": (average_precision, untied.average_precision, None, (None,)),
    "NDCG": (ndcg, untied.ndcg, "k", (1, 2, 3, 5)),
    "BEDROC": (bedroc, untied.bedroc, "alpha", (0.1, 1.0, 20.0, 160.0)),
}
EVERY_METRIC = pytest.mark.parametrize("name", CASES)


def settings_of(name):
    """Yield the metric, its definition without ties, both for one value of its parameter."""
    metric, definition, parameter, values = CASES[name]
    for value in values:
        options = {} if parameter is None else {parameter: value}
        yield partial(metric, **options), partial(definition, **options)


@st.composite
def lists(draw, high=2):
    """Labels of both classes and scores with ties, of at least five rows."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, high)), min_size=5, max_size=8))
    y, scores = np.array(rows).T
    assume(0 < y.sum() < y.size)
    return y, scores.astype(float)


@EVERY_METRIC
@settings(max_examples=60)
@given(lists())
def test_ties_get_the_mean_or_the_least_value_over_all_their_orders(name, case):
    y, scores = case
    orders = list(untied.order_ties(y, scores))
    for metric, definition in settings_of(name):
        values = [definition(labels) for labels in orders]
        assert metric(y, scores) == pytest.approx(np.mean(values), abs=1e-12)
        least = metric(y, scores, ties="pessimistic")
        assert least == pytest.approx(min(values), abs=1e-12)
        assert least <= metric(y, scores) + 1e-12


@EVERY_METRIC
@settings(max_examples=30)
@given(lists(high=4), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_never_matters(name, case, random):
    y, scores = case
    rows = random.sample(range(y.size), y.size)
    for metric, _ in settings_of(name):
        for ties in ("average", "pessimistic"):
            value = metric(y, scores, ties=ties)
            assert metric(y[rows], scores[rows], ties=ties) == pytest.approx(value, abs=1e-12)
            assert metric(y, np.exp(scores) - 7.0, ties=ties) == pytest.approx(value, abs=1e-12)


@pytest.fixture(scope="module")
def untied_list():
    """Return 300 labels and scores of a fair model, without ties."""
    random = np.random.default_rng(0)
    y = (random.random(300) < 0.2).astype(int)
    return y, random.normal(size=300) + 1.2 * y


@pytest.mark.parametrize("k", [1, 7, 50, 299])
def test_without_ties_they_are_those_of_scikit_learn(untied_list, k):
    y, scores = untied_list
    is_above = (scores >= np.sort(scores)[-k]).astype(int)
    assert precision_at_k(y, scores, k) == pytest.approx(sklearn_metrics.precision_score(y, is_above))
    assert recall_at_k(y, scores, k) == pytest.approx(sklearn_metrics.recall_score(y, is_above))
    assert ndcg(y, scores, k=k) == pytest.approx(sklearn_metrics.ndcg_score([y], [scores], k=k))
    expected = sklearn_metrics.average_precision_score(y, scores)
    assert average_precision(y, scores) == pytest.approx(expected)
    for max_fpr in (1 / k, 0.013, 0.5):
        expected = sklearn_metrics.roc_auc_score(y, scores, max_fpr=max_fpr)
        assert partial_auc(y, scores, max_fpr) == pytest.approx(expected)
        fpr, tpr, _ = sklearn_metrics.roc_curve(y, scores, drop_intermediate=False)
        assert recall_at_fpr(y, scores, max_fpr) == pytest.approx(tpr[fpr <= max_fpr + 1e-12].max())
    assert partial_auc(y, scores, 1.0) == pytest.approx(sklearn_metrics.roc_auc_score(y, scores))


def test_an_area_that_divides_no_tied_group_is_that_of_scikit_learn():
    y, scores = [1, 0, 1, 1, 0, 0, 1, 0], [3, 3, 3, 2, 2, 2, 1, 0]
    for max_fpr in (0.25, 0.75, 1.0):
        expected = sklearn_metrics.roc_auc_score(y, scores, max_fpr=max_fpr)
        assert partial_auc(y, scores, max_fpr) == pytest.approx(expected)
    # a straight line through the group, and the mean of its staircases
    assert partial_auc(y, scores, 0.5) > sklearn_metrics.roc_auc_score(y, scores, max_fpr=0.5)


def test_average_precision_of_ties_is_that_of_a_ranking_and_not_of_a_threshold():
    y, scores = [1, 0], [1.0, 1.0]
    assert average_precision(y, scores) == (1 + 1 / 2) / 2
    assert sklearn_metrics.average_precision_score(y, scores) == 1 / 2


DECAYS = pytest.mark.parametrize("alpha", [0.5, 20.0, 100.0])


@DECAYS
def test_bedroc_is_its_formula(untied_list, alpha):
    y, scores = untied_list
    labels = y[np.argsort(-scores)].tolist()
    assert bedroc(y, scores, alpha) == pytest.approx(untied.bedroc(labels, alpha))


@DECAYS
def test_bedroc_is_that_of_rdkit(untied_list, alpha):
    scoring = pytest.importorskip("rdkit.ML.Scoring.Scoring")
    y, scores = untied_list
    rows = [[label] for label in y[np.argsort(-scores)].tolist()]
    assert bedroc(y, scores, alpha) == pytest.approx(scoring.CalcBEDROC(rows, 0, alpha))


def test_bedroc_at_extreme_decays(untied_list):
    y, scores = untied_list
    assert bedroc(y, scores, 1e-9) == pytest.approx(sklearn_metrics.roc_auc_score(y, scores))
    assert bedroc(y, scores, 1e6) == y[np.argmax(scores)]  # only the first row counts
    assert bedroc(y, np.zeros(300), 1e6) == pytest.approx(y.mean())


def test_a_constant_scorer_scores_like_chance():
    y, scores, n_negatives = np.repeat([1, 0], [20, 80]), np.zeros(100), 80
    assert precision_at_k(y, scores, 10) == pytest.approx(0.2)
    assert recall_at_k(y, scores, 10) == pytest.approx(0.1)
    assert enrichment_factor(y, scores, 0.01) == pytest.approx(1.0)
    assert recall_at_fpr(y, scores, 0.1) == pytest.approx(9 / 81)
    assert partial_auc(y, scores, 1.0) == pytest.approx(0.5)
    for max_fpr in (1e-6, 0.01, 0.1, 0.5):
        assert 0.5 < partial_auc(y, scores, max_fpr) < 0.5 + 1 / (2 * n_negatives + 2)
    random = np.random.default_rng(0)
    for metric in (average_precision, bedroc, partial(ndcg, k=10), partial(partial_auc, max_fpr=0.1)):
        values = [metric(y, random.random(100)) for _ in range(2000)]
        error = 4 * np.std(values) / np.sqrt(len(values))
        assert metric(y, scores) == pytest.approx(np.mean(values), abs=error)
    for name in CASES:
        for metric, _ in settings_of(name):
            if metric.keywords != {"max_fpr": 1.0} or metric.func is partial_auc:  # all rows may pass
                assert metric(y, scores, ties="pessimistic") <= metric(y, scores) <= (1 + 1e-9)
                assert metric(y, scores) < 1 or metric.func is enrichment_factor


def test_a_share_is_rounded_up_to_rows_and_a_rate_down_to_negatives():
    y, scores = np.arange(100) % 2, -np.arange(100.0)
    for share, n_rows in ((0.07, 7), (0.071, 8), (1 / 3, 34), (0.01, 1), (0.29, 29)):
        assert recall_at_k(y, scores, share) == recall_at_k(y, scores, n_rows) == (n_rows // 2) / 50
        assert enrichment_factor(y, scores, share) == enrichment_factor(y, scores, n_rows)
    y = np.repeat([0, 1], [100, 50])
    scores = np.concatenate([-np.arange(100.0), 0.5 - np.arange(50)])  # positive i is above the negative i
    for max_fpr, n_passing in ((0.29, 29), (0.299, 29), (0.07, 7), (0.0, 0)):
        assert recall_at_fpr(y, scores, max_fpr) == (n_passing + 1) / 50


def test_no_negative_may_pass_at_rate_0():
    y, scores = [1, 1, 1, 0, 0], [5.0, 4.0, 4.0, 4.0, 1.0]
    assert recall_at_fpr(y, scores, 0.0, ties="pessimistic") == rate_at_top(y, scores) == 1 / 3
    assert recall_at_fpr(y, scores, 0.0) == pytest.approx(2 / 3)  # one of two ties, on average


# --- over queries


def test_over_queries_they_are_the_mean_of_those_with_positives():
    random = np.random.default_rng(0)
    qid = random.permutation(np.repeat([3, 5, 8, 9], [4, 10, 6, 5]))
    y, scores = random.integers(0, 2, size=qid.size), random.integers(0, 4, size=qid.size).astype(float)
    y[qid == 9] = 0  # does not count
    rows = [qid == name for name in (3, 5, 8)]
    for ties in ("average", "pessimistic"):
        for metric in (precision_at_k, recall_at_k):
            for k in (1, 3, 0.4):
                values = [metric(y[own], scores[own], k, ties=ties) for own in rows]
                assert metric(y, scores, k, qid=qid, ties=ties) == pytest.approx(np.mean(values))
        values = [average_precision(y[own], scores[own], ties=ties) for own in rows]
        assert average_precision(y, scores, qid, ties=ties) == pytest.approx(np.mean(values))
        assert mean_average_precision(y, scores, qid, ties=ties) == pytest.approx(np.mean(values))
        values = [ndcg(y[own], scores[own], k=3, ties=ties) for own in rows]
        assert ndcg(y, scores, qid, k=3, ties=ties) == pytest.approx(np.sum(values) / 4)  # counts 0


def test_a_query_with_fewer_than_k_rows_has_no_hits_below_its_last_row():
    y, scores, qid = [1, 0, 1, 1, 0, 0], [2.0, 1.0, 6.0, 5.0, 4.0, 3.0], [1, 1, 2, 2, 2, 2]
    assert precision_at_k(y, scores, 4, qid=qid) == (1 / 4 + 2 / 4) / 2
    assert recall_at_k(y, scores, 4, qid=qid) == 1.0


def test_pessimistic_grades():
    y, scores = [2, 0, 1], [1.0, 1.0, 1.0]
    assert ndcg(y, scores, ties="pessimistic") == pytest.approx(ndcg(y, [1.0, 3.0, 2.0]))


# --- labels and bad input

WITH_ONE_PARAMETER = {
    "precision": partial(precision_at_k, k=2),
    "recall": partial(recall_at_k, k=2),
    "enrichment": partial(enrichment_factor, k=2),
    "recall at fpr": partial(recall_at_fpr, max_fpr=0.5),
    "partial AUC": partial(partial_auc, max_fpr=0.5),
    "average precision": average_precision,
    "BEDROC": bedroc,
}


@pytest.mark.parametrize("name", WITH_ONE_PARAMETER)
def test_labels_are_those_of_the_rate_at_the_top(name):
    metric, scores = WITH_ONE_PARAMETER[name], [5.0, 4.0, 3.0, 2.0]
    expected = metric([1, 0, 1, 0], scores)
    for y in ([2, 1, 2, 1], [1, -1, 1, -1], ["yes", "no", "yes", "no"], [3, 0, 1, 0], [True, False] * 2):
        assert metric(y, scores) == expected


@pytest.mark.parametrize("name", WITH_ONE_PARAMETER)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_score": [np.nan, 1.0, 2.0, np.inf]}, "2 scores are NaN or infinite; check the model"),
        ({"y_score": [1.0, 2.0]}, r"of one length; got \(4,\) and \(2,\)"),
        ({"y_true": [[1], [0]], "y_score": [[1.0], [0.0]]}, "must be one-dimensional"),
        ({"y_true": [1, 1, 1, 1]}, r"y has one class only \(\[1\]\)"),
        ({"y_true": [0, 0, 0, 0]}, r"y has one class only \(\[0\]\)"),
        ({"y_true": [], "y_score": []}, "y has one class only"),
        ({"y_true": [1, 0, 0.5, np.nan]}, "whole numbers from 0 .* but y holds"),
        ({"ties": "best"}, "ties must be one of average, pessimistic; got 'best'"),
    ],
)
def test_bad_lists(name, change, message):
    arguments = {"y_true": [1, 0, 1, 0], "y_score": [4.0, 3.0, 2.0, 1.0]}
    with raises_one_sentence(message):
        WITH_ONE_PARAMETER[name](**arguments | change)


RATE = "max_fpr must be a share of the negatives, from 0 to 1; got "
CAPACITY = r"k must be a whole number of rows from 1, or a share of them in \(0, 1\); got "


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (recall_at_fpr, {"max_fpr": -0.1}, RATE + "-0.1"),
        (recall_at_fpr, {"max_fpr": 1.5}, RATE + "1.5"),
        (recall_at_fpr, {"max_fpr": np.nan}, RATE + "nan"),
        (recall_at_fpr, {"max_fpr": "5 %"}, RATE + "'5 %'"),
        (
            partial_auc,
            {"max_fpr": 0.0},
            "max_fpr must be above 0 for an area; for the recall at 0 take recall_",
        ),
        (bedroc, {"alpha": 0.0}, "alpha must be a finite positive number; got 0.0"),
        (bedroc, {"alpha": np.inf}, "alpha must be a finite positive number; got inf"),
        (bedroc, {"alpha": True}, "alpha must be a finite positive number; got True"),
        (ndcg, {"ties": "worst"}, "ties must be one of average, pessimistic; got 'worst'"),
        (
            ndcg,
            {"ties": "pessimistic", "convention": "letor"},
            "so it takes no ties='pessimistic'; leave one",
        ),
    ],
)
def test_bad_parameters(metric, options, message):
    with raises_one_sentence(message):
        metric([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], **options)


@pytest.mark.parametrize("metric", [precision_at_k, recall_at_k, enrichment_factor])
@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, CAPACITY + "0"),
        (-1, CAPACITY + "-1"),
        (2.5, CAPACITY + "2.5"),
        (1.0, CAPACITY + "1.0"),
        (0.0, CAPACITY + "0.0"),
        (np.nan, CAPACITY + "nan"),
        (True, CAPACITY + "True"),
        (None, CAPACITY + "None"),
        (5, "k = 5 is above the 4 rows of the list; choose a smaller k"),
        (0.2, "k = 0.2 is less than one row of a list of 4; choose a larger share, or a number of rows"),
    ],
)
def test_bad_capacities(metric, k, message):
    with raises_one_sentence(message):
        metric([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], k)


def test_bad_queries():
    y, scores = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
    with raises_one_sentence("k = 4 is above the 3 rows of the longest list; choose a smaller k"):
        precision_at_k(y, scores, 4, qid=[1, 2, 2, 2])
    with raises_one_sentence("k = 0.5 is less than one row of a list of 1; choose a larger share, or"):
        recall_at_k(y, scores, 0.5, qid=[1, 2, 2, 2])
    with raises_one_sentence(r"qid must name the query of each of 4 rows; got shape \(2,\)"):
        recall_at_k(y, scores, 2, qid=[1, 2])
