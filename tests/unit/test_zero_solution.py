"""When w = 0 is the answer: lambda_max against one linear program over all negatives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import counts, gaussians, surrounded_positives, to_format, wdbc
from scipy.optimize import linprog

from toprank.problems.top import TopRanking
from toprank.problems.zero_solution import is_zero_optimal
from toprank.solvers import regularisation_max, row_generation
from toprank.solvers.regularisation_max import lambda_max

OUTSIDE_CASES = {
    "overlap": gaussians(m=30, n=400, d=3, shift=4.0),
    "apart": gaussians(shift=9.0),
    "counts": counts(),
    "wdbc": wdbc(m=100, n=250),
    "raw units": tuple(X * np.array([1e-3, 1.0, 1e2, 1e5]) for X in gaussians()),
    "one each": gaussians(m=1, n=1, d=2),
}


def direct(positives, negatives):
    """2 min over the simplex of the largest entry of |mean(X+) - X-'b|, as one program."""
    mean, (n, d) = positives.mean(axis=0), negatives.shape
    unit = np.abs(negatives - mean).max()
    X = negatives / unit
    # variables b, t:  -t <= mean - X'b <= t
    upper = np.block([[-X.T, -np.ones((d, 1))], [X.T, -np.ones((d, 1))]])
    bounds = {"A_ub": upper, "b_ub": np.append(-mean, mean) / unit}
    simplex = {"A_eq": np.append(np.ones(n), 0.0)[None], "b_eq": [1.0]}
    program = linprog(np.append(np.zeros(n), 1.0), **bounds, **simplex, method="highs")
    assert program.status == 0
    return 2 * unit * program.fun


@pytest.mark.parametrize("kind", ["dense", "csr", "stored"])
@pytest.mark.parametrize("name", OUTSIDE_CASES)
def test_one_program_over_all_negatives_agrees(name, kind):
    positives, negatives = OUTSIDE_CASES[name]
    expected = direct(positives, negatives)
    parts = to_format(kind, positives, negatives)
    assert lambda_max(*parts) == pytest.approx(expected, rel=1e-5) and expected > 1e-3
    assert is_zero_optimal(*parts) is False
    assert row_generation.solve(TopRanking(*parts, 1e-2)).certificate.objective < 1.0 - 1e-4


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(1, 4), st.integers(0, 10**6))
def test_agreement_on_rounded_data(m, n, d, seed):
    """Ties, duplicates and constant features; the mean lies now inside, now outside, now on the boundary."""
    random = np.random.default_rng(seed)
    positives, negatives = (np.round(2 * random.normal(size=(rows, d))) for rows in (m, n))
    expected = direct(positives, negatives) if np.any(negatives != positives.mean(axis=0)) else 0.0
    for kind in ("dense", "csr"):
        parts = to_format(kind, positives, negatives)
        assert lambda_max(*parts) == pytest.approx(expected, abs=1e-5)
        assert is_zero_optimal(*parts) == (expected < 1e-9)


def test_rows_are_generated(monkeypatch):
    """More negatives than enter in one step: the answer does not depend on how many do."""
    positives, negatives = OUTSIDE_CASES["overlap"]
    expected = direct(positives, negatives)
    for rows_per_step in (1, 7, 1000):
        monkeypatch.setattr(regularisation_max, "ROWS_PER_STEP", rows_per_step)
        assert lambda_max(positives, negatives) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_features_are_generated(kind):
    """More features than the first program has, and all negatives in it: as in expressions of genes."""
    random = np.random.default_rng(0)
    for _ in range(5):
        # few causes of many values, as in a cell
        X = random.normal(size=(29, 5)) @ random.normal(size=(5, 700)) + 0.3 * random.normal(size=(29, 700))
        expected = direct(X[:9], X[9:])
        assert lambda_max(*to_format(kind, X[:9], X[9:])) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["dense", "csr", "stored"])
def test_inside_the_hull(kind):
    parts = to_format(kind, *surrounded_positives())
    assert lambda_max(*parts) == 0.0
    assert is_zero_optimal(*parts) is True


@pytest.mark.parametrize("distance", [1e-3, 1e-5])
def test_just_outside_of_the_hull(distance):
    """Negatives on a square; the positive next to the middle of its right edge."""
    negatives = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert not is_zero_optimal(np.array([[1 + distance, 0.0]]), negatives)
    assert lambda_max(np.array([[1 + distance, 0.0]]), negatives) == pytest.approx(2 * distance, rel=1e-3)
    assert is_zero_optimal(np.array([[1 - distance, 0.0]]), negatives)
    assert lambda_max(np.array([[1 - distance, 0.0]]), negatives) == 0.0


def test_the_unit_of_a_feature_decides_lambda_max_and_not_whether_zero_is_optimal():
    positives, negatives = OUTSIDE_CASES["overlap"]
    largest = lambda_max(positives, negatives)
    assert lambda_max(1e3 * positives, 1e3 * negatives) == pytest.approx(1e3 * largest)
    scale = np.array([1e-6, 1.0, 1e7])
    assert is_zero_optimal(scale * positives, scale * negatives) is False
    surrounded = surrounded_positives()
    assert is_zero_optimal(*(scale * X for X in surrounded)) is True


def test_too_few_programs_is_said():
    with pytest.raises(RuntimeError, match="lambda_max needs more than 1 linear programs; raise max_iter"):
        lambda_max(*gaussians(m=30, n=400, d=3, shift=4.0), max_iter=1)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("question", [lambda_max, is_zero_optimal])
def test_a_class_without_rows(question, kind):
    positives, negatives = to_format(kind, *gaussians())
    message = "needs a positive and a negative row; there are"
    for parts, counts_text in (
        ((positives, negatives[:0]), "20 and 0"),
        ((positives[:0], negatives), "0 and 30"),
    ):
        with pytest.raises(ValueError, match=f"{message} {counts_text}$"):
            question(*parts)


@pytest.mark.parametrize("kind", ["dense", "csr", "stored"])
def test_a_rare_indicator_beside_features_in_the_thousands_counts(kind):
    """As on covtype: the mean of the positives is .0004 in a column that no negative has."""
    random = np.random.default_rng(4)
    n = 2500
    positives, negatives = (np.column_stack([random.normal(0, 3000, (n, 3)), np.zeros(n)]) for _ in range(2))
    positives[0, 3] = 1.0
    rows = to_format(kind, positives, negatives)
    assert not is_zero_optimal(*rows) and lambda_max(*rows) == pytest.approx(2 / n)
    negatives[0, 3] = 1.0
    rows = to_format(kind, positives, negatives)
    assert is_zero_optimal(*rows) and lambda_max(*rows) == 0.0
