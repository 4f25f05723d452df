"""The exact solver: against the conic solver, and under changes that must not change its answer."""

import cached_optima as references
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import counts, gaussians, surrounded_positives, to_format, wdbc

from toprank.problems.top import TopRanking
from toprank.solvers import row_generation

ALPHAS = [1e-4, 1e-2, 1.0, 100.0]
PROBLEMS = {
    "overlap": gaussians(),
    "apart": gaussians(m=15, n=25, d=3, shift=9.0),
    "wide": gaussians(m=6, n=8, d=20),
    "surrounded": surrounded_positives(),
    "counts": counts(),
    "wdbc": wdbc(),
    "one each": gaussians(m=1, n=1, d=2),
    "one feature": gaussians(m=9, n=14, d=1, shift=2.0),
}


def solve_by_rows(positives, negatives, alpha, tol=1e-9, **options):
    problem = TopRanking(positives, negatives, alpha)
    w, certificate, _ = row_generation.solve(problem, tol=tol, **options)
    assert certificate.objective == problem.objective(w)
    assert certificate.gap >= 0
    return w, certificate


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_conic_solver_agrees(name, alpha):
    positives, negatives = PROBLEMS[name]
    reference, reference_w = references.top_ranking(positives, negatives, alpha)
    for kind in ("dense", "csr"):
        w, certificate = solve_by_rows(*to_format(kind, positives, negatives), alpha)
        assert certificate.status == "certified" and certificate.relative_gap <= 1e-9
        assert certificate.objective == pytest.approx(reference, rel=1e-7)
        assert certificate.lower_bound <= reference * (1 + 1e-8)
        # strong convexity: the objective fixes w
        distance = 2 * (abs(certificate.objective - reference) + certificate.gap) / alpha
        assert np.linalg.norm(w - reference_w) <= np.sqrt(distance) + 1e-4 * (1 + np.linalg.norm(w))


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 15), st.integers(1, 5), st.integers(0, 10**6), st.floats(-3.0, 2.0))
def test_whatever_the_data_the_gap_closes(m, n, d, seed, exponent):
    """Rounded features: ties between rows, duplicates and constant columns come by themselves."""
    random = np.random.default_rng(seed)
    positives, negatives = np.round(random.normal(size=(m, d))), np.round(random.normal(size=(n, d)))
    _, certificate = solve_by_rows(positives, negatives, 10.0**exponent)
    assert certificate.status == "certified" and 0 <= certificate.lower_bound <= certificate.objective <= 1


def test_progress_is_monotone():
    steps = []
    positives, negatives = gaussians(m=60, n=200, d=8)
    w, certificate = solve_by_rows(positives, negatives, 1e-3, rows_per_step=3, callback=steps.append)
    names = ("iteration", "w", "objective", "lower_bound", "seconds")
    values = [tuple(getattr(step, name) for step in steps) for name in names]
    iterations, points, objectives, bounds, seconds = values
    assert np.all(np.diff(seconds) > 0)
    assert iterations == tuple(range(1, len(steps) + 1)) and len(steps) > 3
    assert np.all(np.diff(objectives) <= 0) and np.all(np.diff(bounds) >= 0)
    problem = TopRanking(positives, negatives, 1e-3)
    assert [problem.objective(point) for point in points] == pytest.approx(objectives, rel=1e-12)
    assert objectives[-1] == certificate.objective
    assert min(objectives[-1], bounds[-1]) == certificate.lower_bound
    assert np.array_equal(points[-1], w)


@pytest.mark.parametrize("rows_per_step", [1, 2, 1000])
def test_the_number_of_rows_a_step_changes_the_way_only(rows_per_step):
    positives, negatives = gaussians(m=40, n=120, d=6)
    _, plain = solve_by_rows(positives, negatives, 1e-3)
    _, other = solve_by_rows(positives, negatives, 1e-3, rows_per_step=rows_per_step)
    assert other.status == "certified" and other.objective == pytest.approx(plain.objective, rel=2e-9)


@pytest.mark.parametrize(("patience", "settled"), [(1, 1000), (2, 0), (1, 4)])
@pytest.mark.parametrize("seed", range(5))
def test_negatives_that_leave_the_model_come_back(monkeypatch, patience, settled, seed):
    positives, negatives = gaussians(m=60, n=400, d=10, seed=seed)
    _, plain = solve_by_rows(positives, negatives, 1e-3)
    monkeypatch.setattr(row_generation, "IDLE_MODELS_MAX", patience)
    monkeypatch.setattr(row_generation, "DROPPING_ITERATIONS_MAX", settled)
    _, other = solve_by_rows(positives, negatives, 1e-3, rows_per_step=10)
    assert other.status == "certified" and other.objective == pytest.approx(plain.objective, rel=2e-9)


@pytest.mark.parametrize("shift", [1.0, 1e4])
def test_only_differences_of_rows_matter(shift):
    positives, negatives = gaussians(m=30, n=50, d=5)
    offset = shift * np.arange(1, 6)
    w, plain = solve_by_rows(positives, negatives, 0.01)
    moved_w, moved = solve_by_rows(positives + offset, negatives + offset, 0.01)
    assert moved.objective == pytest.approx(plain.objective, rel=1e-8)
    np.testing.assert_allclose(moved_w, w, atol=1e-3)


@pytest.mark.parametrize("factor", [1e-6, 1e-2, 1e3, 1e6])
def test_scaling_the_features_is_scaling_alpha(factor):
    positives, negatives = gaussians(m=30, n=50, d=5)
    w, plain = solve_by_rows(positives, negatives, 0.01)
    scaled_w, scaled = solve_by_rows(factor * positives, factor * negatives, 0.01 * factor**2)
    assert scaled.objective == pytest.approx(plain.objective, rel=2e-9)
    np.testing.assert_allclose(factor * scaled_w, w, atol=1e-3)


def test_duplicates_change_nothing():
    positives, negatives = gaussians(m=12, n=20, d=3)
    _, plain = solve_by_rows(positives, negatives, 0.01)
    _, doubled = solve_by_rows(np.vstack([positives] * 2), np.vstack([negatives] * 3), 0.01)
    assert doubled.objective == pytest.approx(plain.objective, rel=2e-9)
    # one row again and again, in both classes: nothing separates them, and w = 0 is the answer
    equal_rows = np.ones((5, 3))
    w, certificate = solve_by_rows(equal_rows, equal_rows, 0.01)
    assert not w.any() and certificate.lower_bound == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("constant", [0.0, 1.0, 1234.5])
def test_a_constant_feature_gets_no_weight(kind, constant):
    parts = gaussians(m=12, n=20, d=3)
    _, plain = solve_by_rows(*parts, 0.01)
    w, certificate = solve_by_rows(
        *to_format(kind, *(np.insert(X, 1, constant, axis=1) for X in parts)), 0.01
    )
    assert abs(w[1]) <= 1e-12
    assert certificate.objective == pytest.approx(plain.objective, rel=2e-9)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_a_feature_that_is_constant_in_one_class_is_used(kind):
    positives, negatives = gaussians(m=12, n=20, d=3)
    positives[:, 1] = 2.0
    reference, _ = references.top_ranking(positives, negatives, 0.01)
    w, certificate = solve_by_rows(*to_format(kind, positives, negatives), 0.01)
    assert certificate.objective == pytest.approx(reference, rel=1e-7) and w[1] > 0.1


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_where_zero_is_optimal_the_answer_is_zero(kind, alpha):
    w, certificate = solve_by_rows(*to_format(kind, *surrounded_positives(m=30, n=100, d=4)), alpha)
    assert not w.any()
    assert certificate.objective == 1.0 and certificate.status == "certified"
    assert certificate.lower_bound == pytest.approx(1.0, abs=1e-9)


def test_far_apart_the_hinge_vanishes():
    positives, negatives = gaussians(m=40, n=60, d=3)
    positives[:, 0] += 1e3
    w, certificate = solve_by_rows(positives, negatives, 1e-4)
    assert certificate.status == "certified" and certificate.objective < 1e-9
    assert (positives @ w).min() > (negatives @ w).max()


@pytest.mark.parametrize("scale", [1.0, 1e3, -1e3, 0.0])
def test_a_warm_start_changes_the_way_only(scale):
    positives, negatives = gaussians(m=60, n=200, d=8)
    w, plain = solve_by_rows(positives, negatives, 1e-3)
    _, warm = solve_by_rows(positives, negatives, 1e-3, start=scale * w)
    assert warm.status == "certified" and warm.objective == pytest.approx(plain.objective, rel=2e-9)


def test_a_warm_start_near_the_optimum_saves_steps():
    problem = TopRanking(*wdbc(), 1e-4)
    w, _, cold = row_generation.solve(problem, tol=1e-9)
    _, certificate, warm = row_generation.solve(problem, tol=1e-9, start=w)
    assert certificate.status == "certified" and warm < cold / 2


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_raw_features_are_certified(kind, alpha):
    """Units from 1e-6 to 1e7, and an identifier near 1e7 that varies little."""
    random = np.random.default_rng(0)
    positives, negatives = gaussians(m=60, n=150, d=6)
    scale = np.array([1e-6, 1e-3, 1.0, 10.0, 1e4, 1e7])
    parts = [
        np.hstack([scale * X, 1e7 + random.integers(0, 1000, size=(len(X), 1))])
        for X in (positives, negatives)
    ]
    _, certificate = solve_by_rows(*to_format(kind, *parts), alpha, tol=1e-6)
    assert certificate.status == "certified" and certificate.relative_gap <= 1e-6


def test_rows_without_an_entry():
    positives, negatives = counts()
    positives[3], negatives[7] = 0.0, 0.0
    reference, _ = references.top_ranking(positives, negatives, 0.1)
    _, certificate = solve_by_rows(sp.csr_array(positives), sp.csr_array(negatives), 0.1)
    assert certificate.objective == pytest.approx(reference, rel=1e-7)
