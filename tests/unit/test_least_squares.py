"""Non-negative least squares by blocks: scipy's optimum."""

import numpy as np
import pytest
from scipy.optimize import nnls

from toprank.clock import Clock, OutOfTime
from toprank.solvers import least_squares


@pytest.mark.parametrize("shape", [(40, 30), (30, 60), (25, 25)])
@pytest.mark.parametrize("twins", [False, True])
def test_the_optimum_is_that_of_scipy(monkeypatch, shape, twins):
    monkeypatch.setattr(least_squares, "FEW", 0)
    random = np.random.default_rng(sum(shape))
    for _ in range(20):
        M, target = random.normal(size=shape) + 0.5, random.normal(size=shape[0]) + 1.0
        if twins:
            M[:, 1] = M[:, 0]
        x = least_squares.non_negative(M, target)
        assert np.all(x >= 0.0)
        _, expected = nnls(M, target)
        assert np.linalg.norm(M @ x - target) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_target_within_the_cone_of_the_columns_is_met(monkeypatch):
    """As where w = 0 is optimal: then more columns may carry weight than the rank says."""
    monkeypatch.setattr(least_squares, "FEW", 0)
    random = np.random.default_rng(3)
    for _ in range(30):
        M = random.normal(size=(30, 400))
        target = M[:, :200] @ random.random(200)
        x = least_squares.non_negative(M, target)
        assert np.all(x >= 0.0)
        assert np.linalg.norm(M @ x - target) <= 1e-9 * np.linalg.norm(target)


def test_the_clock_is_looked_at(monkeypatch):
    monkeypatch.setattr(least_squares, "FEW", 0)
    with pytest.raises(OutOfTime):
        least_squares.non_negative(np.eye(3), np.ones(3), Clock(time_limit=0.0))


def test_few_rows_take_one_column_after_the_other(monkeypatch):
    """There the Gram matrix of the columns costs more than the whole of the active-set method."""
    monkeypatch.setattr(least_squares, "_by_blocks", lambda *_: pytest.fail("by blocks"))
    random = np.random.default_rng(4)
    M, target = random.normal(size=(20, least_squares.FEW + 100)), random.normal(size=20)
    assert least_squares.non_negative(M, target) == pytest.approx(nnls(M, target)[0])
