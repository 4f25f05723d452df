"""Quality at the top, MAP and NDCG over queries: by hand, by ir_measures, by LETOR's script in loops."""

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import refused

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
        ([-1, 0, 1], [False, False, True]),
        ([1.5, 0.5], [True, False]),
    ],
)
def test_label_conventions(y, expected):
    assert relevant_rows(y).tolist() == expected
    if min(y) < 0 and len(set(y)) == 2:
        assert as_grades(y).tolist() == expected


def test_a_variable_counts_beside_the_largest_weight():
    coef = np.array([0.0, 1e-7, -2e-6, 1.0])
    for scale in (1e-9, 1.0, 1e9):
        assert selected_variables(scale * coef).tolist() == [False, False, True, True]
    assert selected_variables(coef, 1e-5).tolist() == [False, False, False, True]
    assert not selected_variables([0.0, 0.0]).any()


@pytest.mark.parametrize("measure", [positives_at_top, rate_at_top])
@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([1, 0], [np.nan, 1.0], "1 scores are NaN or infinite"),
        ([1, 0, 0], [np.inf, 1.0, np.nan], "2 scores are NaN or infinite"),
        ([1, 1], [1.0, 2.0], r"y has one class only \(\[1\]\)"),
        ([0, 0], [1.0, 2.0], r"y has one class only \(\[0\]\)"),
        ([], [], "y has one class only"),
        ([1, 2, 3], [1.0, 2.0, 3.0], "y has one class only"),  # grades without an irrelevant row
        ([1, 0], [1.0, 2.0, 3.0], r"of one length; got \(2,\) and \(3,\)"),
        ([[1], [0]], [[1.0], [2.0]], r"must be one-dimensional"),
    ],
)
def test_bad_input(measure, y, scores, message):
    with refused(message):
        measure(y, scores)


# --- over queries

many = settings(max_examples=60)
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


def by_letor(y, scores, qid):
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
        yield precision / hits if hits else 0.0, [got / best if best else 0.0 for got, best in pairs]


def by_ir_measures(measure, y, scores, qid):
    """The measure of each query, by ir_measures; ties are broken before, as trec_eval has its own rule."""
    order = np.empty(y.size)
    order[np.lexsort((-np.arange(y.size), scores))] = np.arange(y.size)
    names = {"query_id": qid.astype(str), "doc_id": np.arange(y.size).astype(str)}
    qrels, run = pd.DataFrame(names | {"relevance": y}), pd.DataFrame(names | {"score": order})
    found = {hit.query_id: hit.value for hit in ir_measures.iter_calc([measure], qrels, run)}
    return np.array([found[str(query)] for query in np.unique(qid)])


@many
@given(queries())
def test_letor_is_its_script(case):
    wanted = list(by_letor(*case))
    assert average_precision_per_query(*case) == pytest.approx([precision for precision, _ in wanted])
    for k in (1, 2, 3, 5, 10):
        # the script reads beyond the list of a short query, which Perl counts as 0
        at_k = [values[k - 1] if len(values) >= k else 0.0 for _, values in wanted]
        assert ndcg_per_query(*case, k=k) == pytest.approx(at_k)
    assert ndcg_per_query(*case, k=None) == pytest.approx([values[-1] for _, values in wanted])
    assert mean_average_precision(*case) == pytest.approx(np.mean([precision for precision, _ in wanted]))


@many
@given(queries())
def test_standard_is_that_of_ir_measures(case):
    y, _, qid = case
    gains = {grade: 2**grade - 1 for grade in range(4)}
    whole = ir_measures.nDCG(gains=gains)
    for k, measure in ((1, whole @ 1), (3, whole @ 3), (10, whole @ 10), (None, whole)):
        wanted = by_ir_measures(measure, *case)
        assert ndcg_per_query(*case, k=k, convention="standard") == pytest.approx(wanted)
        assert ndcg(*case, k=k, convention="standard") == pytest.approx(wanted.mean())
    precision = by_ir_measures(ir_measures.AP, *case)
    precision_at_3 = by_ir_measures(ir_measures.AP @ 3, *case)
    # ir_measures gives 0 to a listed query without relevant document; TREC does not list such a query
    assert average_precision_per_query(*case) == pytest.approx(precision)
    has_relevant = np.array([y[qid == query].any() for query in np.unique(qid)])
    ours = average_precision_per_query(*case, convention="standard")
    assert np.array_equal(np.isnan(ours), ~has_relevant)
    if has_relevant.any():
        listed = tuple(array[np.isin(qid, np.unique(qid)[has_relevant])] for array in case)
        for k, measure in ((None, ir_measures.AP), (3, ir_measures.AP @ 3)):
            wanted = by_ir_measures(measure, *listed).mean()
            assert mean_average_precision(*case, k=k, convention="standard") == pytest.approx(wanted)
    else:
        assert np.isnan(mean_average_precision(*case, convention="standard"))
    assert average_precision_per_query(*case, k=3) == pytest.approx(precision_at_3)


def test_mixed_rows_and_names_of_queries():
    y, scores, qid = [0, 1, 1, 0], [2.0, 2.0, 1.0, 1.0], ["b", "a", "b", "a"]
    assert average_precision_per_query(y, scores, qid).tolist() == [1.0, 0.5]  # a, b


@pytest.mark.parametrize(
    "measure", [mean_average_precision, ndcg, average_precision_per_query, ndcg_per_query]
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_score": [np.nan, 1.0, np.inf]}, "2 scores are NaN or infinite; check the model"),
        ({"y_score": [1.0, 2.0]}, r"of one length; got \(3,\), \(2,\) and \(3,\)"),
        ({"qid": [1, 1]}, r"of one length; got \(3,\), \(3,\) and \(2,\)"),
        ({"y_true": [[1], [0], [0]]}, "must be one-dimensional"),
        ({"y_true": [], "y_score": [], "qid": []}, "y_true is empty"),
        ({"y_true": [1, -1, 0]}, "whole numbers from 0 .*, but y holds -1"),
        ({"y_true": [1, 0.5, 0]}, "whole numbers from 0 .*, but y holds 0.5"),
        ({"y_true": [1, np.nan, 0]}, "whole numbers from 0 .*, but y holds nan"),
        ({"y_true": [1, 10**6, 0]}, "to 1000, but y holds 1e[+]06"),
        ({"k": 0}, "k must be a whole number from 1, or None for the whole list; got 0"),
        ({"k": True}, "k must be a whole number from 1, .* got True"),
        (
            {"qid": [1.0, np.nan, 2.0]},
            "qid must name the query of each row, but some are missing",
        ),
        ({"k": 2.5}, "k must be a whole number from 1, .* got 2.5"),
        ({"convention": "trec"}, "unknown convention 'trec'; choose one of letor, standard"),
    ],
)
def test_bad_input_over_queries(measure, change, message):
    good = {"y_true": [1, 0, 2], "y_score": [1.0, 2.0, 3.0], "qid": [1, 1, 1]}
    measure(**good)
    with refused(message):
        measure(**good | change)
