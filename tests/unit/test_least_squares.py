"""Non-negative least squares: scipy's optimum, whatever was solved before."""

import numpy as np
import pytest
from scipy.optimize import nnls

from toprank import least_squares
from toprank.clock import Clock, OutOfTime
from toprank.least_squares import NonNegativeLeastSquares, normalise_columns


def draw_problem(random, n, k):
    """Columns of length one, some of them equal or whole numbers, and a target, at times in their cone."""
    columns = random.normal(size=(k, n)) + random.choice([0.0, 0.5])
    if random.random() < 0.3:
        columns = np.round(columns)
        columns[~columns.any(axis=1)] = 1.0
    if k > 1 and random.random() < 0.3:
        columns[1] = columns[0]
    normalise_columns(columns)
    target = np.maximum(random.normal(size=k), 0.0) @ columns
    return columns, target if random.random() < 0.3 and target.any() else random.normal(size=n) + 1.0


def is_optimal(x, columns, target):
    distance, (_, least) = np.linalg.norm(x @ columns - target), nnls(columns.T, target)
    return np.all(x >= 0.0) and distance <= least + 1e-9 * np.linalg.norm(target)


@pytest.mark.parametrize("seed", range(300))
def test_the_optimum_is_that_of_scipy_from_any_start(seed):
    random = np.random.default_rng(seed)
    k = random.integers(2, 80)
    columns, target = draw_problem(random, random.integers(1, 40), k)
    first, problem = random.integers(1, k), NonNegativeLeastSquares(target)
    start = np.maximum(random.normal(size=first), 0.0) * (random.random() < 0.5)
    x = problem.solve(columns[:first], start)
    assert is_optimal(x, columns[:first], target)
    stay = (x > 0.0) | (random.random(first) < 0.5)
    problem.retain_columns(stay)
    columns, x = np.vstack([columns[:first][stay], columns[first:]]), x[stay]
    assert is_optimal(problem.solve(columns, np.append(x, np.zeros(k - first))), columns, target)


def test_a_column_is_scaled_to_length_one_in_place():
    columns = np.array([[3.0, 4.0], [0.0, 2.0]])
    assert normalise_columns(columns) == pytest.approx([5.0, 2.0])
    assert columns == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))


def test_the_clock_is_looked_at(monkeypatch):
    monkeypatch.setattr(least_squares, "OPERATIONS_PER_CALL", 1.0)
    with pytest.raises(OutOfTime):
        NonNegativeLeastSquares(np.ones(3)).solve(np.eye(3), np.zeros(3), Clock(time_limit=1e-9))


def test_steps_between_two_looks_at_the_clock_change_nothing(monkeypatch):
    random = np.random.default_rng(4)
    columns, target = draw_problem(random, 30, 60)
    x = NonNegativeLeastSquares(target).solve(columns, np.zeros(60))
    monkeypatch.setattr(least_squares, "OPERATIONS_PER_CALL", 1.0)
    assert np.array_equal(NonNegativeLeastSquares(target).solve(columns, np.zeros(60)), x)
