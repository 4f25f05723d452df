"""What a depth needs on large data: blocks of the system, ties in the band, a band that only grows."""

import numpy as np
import pytest

from toprank.problems.top import TopRanking
from toprank.solvers import row_generation, top_band, top_depth_model, top_quadratic


def test_blocks_of_a_band_change_nothing(monkeypatch):
    random = np.random.default_rng(2)
    data = random.normal(size=6), random.normal(size=(40, 6)), np.ones(40), random.normal(size=6), 7.5
    expected = top_quadratic.minimise_top_quadratic(*data)
    monkeypatch.setattr(top_quadratic, "ROWS_PER_BLOCK", 7)
    np.testing.assert_allclose(top_quadratic.minimise_top_quadratic(*data).y, expected.y, atol=1e-9)


def make_ties():
    """A rare indicator separates some positives; all other scores tie near w = 0."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(1200, 6))
    positives, negatives = rows[:300].copy(), rows[300:].copy()
    positives[:, 5], negatives[:, 5] = random.random(300) < 0.02, 0.0
    return positives, negatives


def test_few_of_the_negatives_that_tie_are_enough(monkeypatch):
    problem = TopRanking(*make_ties(), 0.01, 30.0)
    expected = row_generation.solve(problem).certificate
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 5)
    certificate = row_generation.solve(problem).certificate
    assert certificate.status == "certified"
    assert certificate.objective == pytest.approx(expected.objective, rel=2e-8)


def test_ties_in_the_band_are_spread_over_the_rows(monkeypatch):
    band = top_band.Band(1000, 10.0, 4)
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 100)
    band.update(np.zeros(1000))
    assert 100 <= band.index.size <= 108 and band.index.max() > 900
    monkeypatch.setattr(top_band, "BAND_TIES_MAX", 1000)
    band.update(np.zeros(1000))
    assert band.index.size == 1000


def test_a_band_only_grows_once_the_gap_stays():
    problem = TopRanking(*make_ties(), 0.01, 30.0)
    monitor = type("Monitor", (), {"objective": 1.0, "bound": 0.5})()
    model = top_depth_model.DepthModel(problem, 10, monitor)
    for bound in (0.5, 0.5, 0.5):
        monitor.bound = bound
        model.update_rows(np.zeros(900), can_drop=True)
        assert model._can_drop
    model.update_rows(np.zeros(900), can_drop=True)
    assert not model._can_drop
    monitor.bound = 0.99  # and it stays so
    model.update_rows(np.zeros(900), can_drop=True)
    assert not model._can_drop


def test_a_band_widens_while_the_gap_stays(monkeypatch):
    problem = TopRanking(*make_ties(), 0.01, 30.0)
    monitor = type("Monitor", (), {"objective": 1.0, "bound": 0.5})()
    model = top_depth_model.DepthModel(problem, 10, monitor)
    widths = []
    for bound in (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9):
        monitor.bound = bound
        model.update_rows(np.zeros(900), can_drop=False)
        model.prepare(np.zeros(900))
        widths.append(model.band.half_width)
    first = widths[0]
    # the first gap is the best; three models leave it, two more widen the band, and so does the last
    assert widths == [first] * 4 + [2 * first, 4 * first, 4 * first, 8 * first]
    monkeypatch.setattr(top_depth_model, "BAND_ENTRIES_MAX", 1)
    model.update_rows(np.zeros(900), can_drop=False)
    model.prepare(np.zeros(900))
    assert model.band.half_width == 8 * first
