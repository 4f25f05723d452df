"""Quality at the top, MAP and NDCG over queries: by hand, by ir_measures, by LETOR's script in loops."""

import math
from collections import Counter
from contextlib import nullcontext
from functools import partial
from itertools import permutations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from sklearn.metrics import ndcg_score

from toprank import FenchelRank, FSMRank, InfinitePush, RankSVM, TopPush
from toprank.estimators.rfe import RFEInfinitePush
from toprank.labels import as_grades
from toprank.metrics import (
    average_precision_per_query,
    mean_average_precision,
    ndcg,
    ndcg_per_query,
    positives_at_top,
    rate_at_top,
    relevant_rows,
    selected_variables,
)


@pytest.mark.parametrize(
    ("y", "scores", "expected"),
    [
        ([1, 1, 0, 0], [4, 3, 2, 1], 2),
        ([1, 0, 1, 0], [4, 3, 2, 1], 1),
        ([0, 1, 1, 1], [4, 3, 2, 1], 0),
        ([1, 1, 1, 0], [4, 3, 3, 3], 1),  # a tie with the highest negative is not above it
        ([1, 0], [-1.0, -2.0], 1),
        ([1, 1, 0], [np.nextafter(1.0, 2.0), 1.0, 1.0], 1),
        ([1, 1, 0, 0], [1.0, 1.0, 1.0, 1.0], 0),  # a constant scorer
        ([1, 1, 0, 0], [0.0, -0.0, 0.0, -0.0], 0),
    ],
)
def test_by_hand(y, scores, expected):
    assert positives_at_top(y, scores) == expected
    assert rate_at_top(y, scores) == expected / sum(y)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([-1, 1, 1], [False, True, True]),
        ([0, 1, 0], [False, True, False]),
        ([2, 4, 2], [False, True, False]),
        ([-4, -2, -2], [False, True, True]),
        ([True, False], [True, False]),
        ([0, 1, 2, 2], [False, True, True, True]),  # grades
        ([1.5, 0.5], [True, False]),
    ],
)
def test_label_conventions(y, expected):
    assert relevant_rows(y).tolist() == expected
    if min(y) < 0 and len(set(y)) == 2:
        assert as_grades(y).tolist() == expected
        assert as_grades(y).tolist() == as_grades(np.where(expected, "yes", "no")).tolist()


#: Labels -> what all estimators and metrics say of them: None if they take them.
LABELS = {
    (1, 2, 3): (None, r"holds the grades 1, 2, 3, and each above 0 is positive; say which .* y == 3"),
    (1, 2, 3, 4): (None, r"holds the grades 1, 2, 3, …, and each above 0 is positive; .* y == 4"),
    (0, 1, 2): (None, None),
    (1, 2): (None, None),
    (-1, 1): (None, None),
    (0.5, 1.5): (None, None),
    (-1, 0, 1): (r"whole numbers from 0 .* holds -1 among more than two; number .*threshold",) * 2,
    (0.5, 0.1, 0.2): (r"y holds 0.5 among more than two; .* or cut y in two",) * 2,
    (0, 1, 1001): (r"from 0 \(not relevant\) to 1000, or two values, but y holds 1001",) * 2,
}
QUERY_ESTIMATORS = [RankSVM(), FenchelRank(), FSMRank(importance="ndcg")]  # MAP needs a row of grade 0
LIST_ESTIMATORS = [TopPush(), InfinitePush(alpha=0.01), RFEInfinitePush(2, alpha=0.01)]


@pytest.mark.filterwarnings("ignore:w = 0 is", "ignore:.*without a certificate")
@pytest.mark.parametrize("labels", LABELS, ids=repr)
def test_estimators_and_measures_keep_to_one_rule_for_labels(labels):
    y, random = np.resize(labels, 24), np.random.default_rng(0)
    X, scores = random.normal(size=(24, 3)), random.normal(size=24)
    graded = [partial(model.fit, X, y) for model in QUERY_ESTIMATORS]
    graded += [partial(metric, y, scores) for metric in (ndcg, mean_average_precision)]
    of_list = [partial(model.fit, X, y) for model in LIST_ESTIMATORS]
    of_list += [partial(metric, y, scores) for metric in (rate_at_top, positives_at_top)]
    for calls, message in zip((graded, of_list), LABELS[labels], strict=True):
        for call in calls:
            with raises_one_sentence(message) if message else nullcontext():
                call()


def test_a_variable_counts_beside_the_largest_weight():
    coef = np.array([0.0, 1e-7, -2e-6, 1.0])
    for scale in (1e-9, 1.0, 1e9):
        assert selected_variables(scale * coef).tolist() == [False, False, True, True]
    assert selected_variables(coef, 1e-5).tolist() == [False, False, False, True]
    assert not selected_variables([0.0, 0.0]).any()


@pytest.mark.parametrize("metric", [positives_at_top, rate_at_top])
@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([1, 0], [np.nan, 1.0], "1 scores are NaN or infinite"),
        ([1, 0, 0], [np.inf, 1.0, np.nan], "2 scores are NaN or infinite"),
        ([1, 1], [1.0, 2.0], r"y has one class only \(\[1\]\)"),
        ([0, 0], [1.0, 2.0], r"y has one class only \(\[0\]\)"),
        ([], [], "y has one class only"),
        ([0, 0.5, 1], [1.0, 2.0, 3.0], "y holds 0.5 among more than two"),
        ([1, 2, 3], [1.0, 2.0, 3.0], "y holds the grades 1, 2, 3, and each above 0 is positive"),
        ([1, 0], [1.0, 2.0, 3.0], r"of one length; got \(2,\) and \(3,\)"),
        ([[1], [0]], [[1.0], [2.0]], r"must be one-dimensional"),
    ],
)
def test_bad_input(metric, y, scores, message):
    with raises_one_sentence(message):
        metric(y, scores)


# --- over queries

more_examples = settings(max_examples=60)
CONVENTIONS = ["letor", "standard"]


@st.composite
def queries(draw):
    """Grades 0 to 3, integer scores with ties, and queries whose rows are mixed."""
    n = draw(st.integers(1, 40))
    y, scores, qid = (
        np.array(draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))
        for low, high in ((0, 3), (-5, 5), (1, 4))
    )
    return y, scores.astype(float), qid


def compute_letor_precisions(y, scores, qid):
    """Average precision and all NDCG@k of each query, in the loops of LETOR's script (Xu, Liu; 2009)."""
    for query in np.unique(qid):
        rows = [row for row in range(len(y)) if qid[row] == query]
        ranked = [int(y[row]) for row in sorted(rows, key=lambda row: -scores[row])]  # a stable sort
        hits, precision = 0, 0.0
        for rank, grade in enumerate(ranked, 1):
            if grade > 0:
                hits += 1
                precision += hits / rank

        def dcg(grades):
            sums = [2.0 ** grades[0] - 1]
            for rank, grade in enumerate(grades[1:], 2):
                gain = 2.0**grade - 1
                sums.append(sums[-1] + (gain if rank == 2 else gain * math.log(2) / math.log(rank)))
            return sums

        pairs = zip(dcg(ranked), dcg(sorted(ranked, reverse=True)), strict=True)
        yield (
            precision / hits if hits else 0.0,
            [ideal_gain / best if best else 0.0 for ideal_gain, best in pairs],
        )


def compute_with_ir_measures(metric, y, scores, qid):
    """The metric of each query, by ir_measures; ties are broken before, as trec_eval has its own rule."""
    order = np.empty(y.size)
    order[np.lexsort((-np.arange(y.size), scores))] = np.arange(y.size)
    names = {"query_id": qid.astype(str), "doc_id": np.arange(y.size).astype(str)}
    qrels, run = pd.DataFrame(names | {"relevance": y}), pd.DataFrame(names | {"score": order})
    values = {hit.query_id: hit.value for hit in ir_measures.iter_calc([metric], qrels, run)}
    return np.array([values[str(query)] for query in np.unique(qid)])


@more_examples
@given(queries())
def test_letor_is_its_script(case):
    expected = list(compute_letor_precisions(*case))
    precisions = [precision for precision, _ in expected]
    assert average_precision_per_query(*case, convention="letor") == pytest.approx(precisions)
    for k in (1, 2, 3, 5, 10):
        # the script reads beyond the list of a short query, which Perl counts as 0
        at_k = [values[k - 1] if len(values) >= k else 0.0 for _, values in expected]
        assert ndcg_per_query(*case, k=k, convention="letor") == pytest.approx(at_k)
    assert ndcg_per_query(*case, convention="letor") == pytest.approx([values[-1] for _, values in expected])
    assert mean_average_precision(*case, convention="letor") == pytest.approx(np.mean(precisions))


@more_examples
@given(queries())
def test_standard_is_that_of_ir_measures(case):
    y, scores, qid = case
    case = y, scores + 1e-3 * np.random.default_rng(0).permutation(y.size), qid  # no ties
    gains = {grade: 2**grade - 1 for grade in range(4)}
    standard_ndcg = ir_measures.nDCG(gains=gains)
    for k, metric in (
        (1, standard_ndcg @ 1),
        (3, standard_ndcg @ 3),
        (10, standard_ndcg @ 10),
        (None, standard_ndcg),
    ):
        expected = compute_with_ir_measures(metric, *case)
        assert ndcg_per_query(*case, k=k) == pytest.approx(expected)
        assert ndcg(*case, k=k) == pytest.approx(expected.mean())
    precision = compute_with_ir_measures(ir_measures.AP, *case)
    precision_at_3 = compute_with_ir_measures(ir_measures.AP @ 3, *case)
    # ir_measures gives 0 to a listed query without relevant document; TREC does not list such a query
    assert average_precision_per_query(*case, convention="letor") == pytest.approx(precision)
    has_relevant = np.array([y[qid == query].any() for query in np.unique(qid)])
    ours = average_precision_per_query(*case)
    assert np.array_equal(np.isnan(ours), ~has_relevant)
    if has_relevant.any():
        listed = tuple(array[np.isin(qid, np.unique(qid)[has_relevant])] for array in case)
        for k, metric in ((None, ir_measures.AP), (3, ir_measures.AP @ 3)):
            expected = compute_with_ir_measures(metric, *listed).mean()
            assert mean_average_precision(*case, k=k) == pytest.approx(expected)
    else:
        assert np.isnan(mean_average_precision(*case))
    assert average_precision_per_query(*case, k=3, convention="letor") == pytest.approx(precision_at_3)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=6),
    st.sampled_from([None, 1, 2, 4]),
)
def test_ties_get_their_expected_value_over_all_orders(rows, k):
    """By ranking all permutations of the rows in the order of the rows."""
    y, scores = np.array(rows).T
    for metric in (ndcg_per_query, average_precision_per_query):
        ranked_labels = Counter()  # most orders of the rows rank the same labels
        for order in map(list, permutations(range(y.size))):
            ranked_labels[tuple(y[order][np.argsort(-scores[order], kind="stable")])] += 1
        values = {labels: metric(labels, -np.arange(y.size), k=k)[0] for labels in ranked_labels}
        orders = [values[labels] for labels in ranked_labels.elements()]
        assert metric(y, scores, k=k)[0] == pytest.approx(np.mean(orders), nan_ok=True)
        least = metric(y, scores, k=k, ties="pessimistic")[0]
        assert least == pytest.approx(min(orders), nan_ok=True)


@more_examples
@given(queries(), st.sampled_from([None, 1, 3, 10]))
def test_ties_are_those_of_scikit_learn_and_owe_nothing_to_the_order_of_the_rows(case, k):
    y, scores, qid = case
    for name, value in zip(np.unique(qid), ndcg_per_query(*case, k=k), strict=True):
        own = qid == name
        if own.sum() > 1:
            assert value == pytest.approx(ndcg_score([2 ** y[own] - 1], [scores[own]], k=k))
    order = np.random.default_rng(0).permutation(y.size)
    for metric in (ndcg, mean_average_precision):
        values = [metric(y[rows], scores[rows], qid[rows], k=k) for rows in (order, slice(None))]
        assert values[0] == pytest.approx(values[1], nan_ok=True)


def test_a_perfect_ranking_of_few_rows_is_worth_1_by_default():
    assert ndcg([1, 0, 0, 0, 0], [5, 4, 3, 2, 1], k=10) == 1.0
    assert ndcg([2, 2, 1, 0, 0], [5, 5, 3, 2, 2], k=4) == 1.0  # ties of equal grades cost nothing


def test_mixed_rows_and_names_of_queries():
    y, scores, qid = [0, 1, 1, 0], [2.0, 2.0, 1.0, 1.0], ["b", "a", "b", "a"]
    assert average_precision_per_query(y, scores, qid).tolist() == [1.0, 0.5]  # a, b


@pytest.mark.parametrize(
    "metric", [mean_average_precision, ndcg, average_precision_per_query, ndcg_per_query]
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_score": [np.nan, 1.0, np.inf]}, "2 scores are NaN or infinite; check the model"),
        ({"y_score": [1.0, 2.0]}, r"of one length; got \(3,\) and \(2,\)"),
        ({"qid": [1, 1]}, r"qid must name the query of each of 3 rows; got shape \(2,\)"),
        (
            {"qid": [1, 2]},
            r"got shape \(2,\); pass the sizes of queries as group, or np.repeat\(range\(2\), sizes\) as qid",
        ),
        ({"qid": ["a", "b", float("nan")]}, "each row, but some are missing"),
        ({"qid": ["a", "b", 1]}, "only numbers or only strings, but it mixes both"),
        ({"qid": [[1], [1, 2], [1]]}, "one query per row; got sequences of different lengths"),
        ({"y_true": [[1], [0], [0]]}, "must be one-dimensional"),
        ({"y_true": [], "y_score": [], "qid": []}, "y_true is empty"),
        ({"y_true": [1, -1, 0]}, "whole numbers from 0 .*, but y holds -1"),
        ({"y_true": [1, 0.5, 0]}, "whole numbers from 0 .*, but y holds 0.5"),
        ({"y_true": [1, np.nan, 0]}, "whole numbers from 0 .*, but y holds nan"),
        ({"y_true": [1, 10**6, 0]}, "to 1000, .* but y holds 1e[+]06"),
        ({"k": 0}, "k must be a whole number from 1, or None for the whole list; got 0"),
        ({"k": True}, "k must be a whole number from 1, .* got True"),
        (
            {"qid": [1.0, np.nan, 2.0]},
            "qid must name the query of each row, but some are missing",
        ),
        ({"k": 2.5}, "k must be a whole number from 1, .* got 2.5"),
        ({"convention": "trec"}, "unknown convention 'trec'; choose one of standard, letor"),
    ],
)
def test_bad_input_over_queries(metric, change, message):
    good = {"y_true": [1, 0, 2], "y_score": [1.0, 2.0, 3.0], "qid": [1, 1, 1]}
    metric(**good)
    with raises_one_sentence(message):
        metric(**good | change)
