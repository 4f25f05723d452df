"""Quality at the top: cases by hand, what must not matter, and what is refused."""

import numpy as np
import pytest
from ranking_data import refused

from toprank.labels import as_grades
from toprank.metrics import positives_at_top, rate_at_top, relevant_rows, selected_variables


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
