"""TopPush's dual solver: its iterates against plain numpy, its stopping rules, and the conic solver."""

import math

import cached_optima as references
import numpy as np
import pytest
from ranking_data import assert_certified, counts, gaussians, surrounded_positives, to_format, wdbc

from toprank.problems.top import TopRanking
from toprank.projections import solve_balance_equation
from toprank.solvers import dual_gradient

PROBLEMS = {"overlap": gaussians(), "surrounded": surrounded_positives(), "counts": counts(), "wdbc": wdbc()}


def project(a, b):
    """The projection on {a, b >= 0, sum a = sum b}."""
    if a.max() <= -b.max():
        return np.zeros_like(a), np.zeros_like(b)
    g = solve_balance_equation(a, -b, 0.0)  # tested against a root finder
    return np.maximum(a - g, 0), np.maximum(b + g, 0)


def plain_iterates(positives, negatives, alpha, n_iter):
    """Accelerated projected gradient with doubling, as one would write it down; yields w, dual and step."""
    m, n = len(positives), len(negatives)

    def dual(a, b):
        v = positives.T @ a - negatives.T @ b
        return v @ v / (2 * alpha * m) - a.sum() + a @ a / 4

    def gradient(a, b):
        w = (positives.T @ a - negatives.T @ b) / (alpha * m)
        return positives @ w - 1 + a / 2, -negatives @ w

    a, b, a_old, b_old = np.zeros(m), np.zeros(n), np.zeros(m), np.zeros(n)
    t_before, t, lipschitz = 0.0, 1.0, 1 / m  # t₋₁ and t₀ of the paper
    for _ in range(n_iter):
        ahead = (t_before - 1) / t
        at_a, at_b = a + ahead * (a - a_old), b + ahead * (b - b_old)
        slope_a, slope_b = gradient(at_a, at_b)
        while True:
            new_a, new_b = project(at_a - slope_a / lipschitz, at_b - slope_b / lipschitz)
            step_a, step_b = new_a - at_a, new_b - at_b
            length = step_a @ step_a + step_b @ step_b
            linear = dual(at_a, at_b) + slope_a @ step_a + slope_b @ step_b
            if dual(new_a, new_b) <= linear + lipschitz / 2 * length + 1e-13:
                break
            lipschitz *= 2
        a_old, b_old, a, b = a, b, new_a, new_b
        t_before, t = t, (1 + math.sqrt(1 + 4 * t**2)) / 2
        w = (positives.T @ a - negatives.T @ b) / (alpha * m)
        yield w, dual(a, b), math.sqrt(length)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_iterate_is_that_of_plain_numpy(name, alpha, kind):
    positives, negatives = PROBLEMS[name]
    expected, duals, _ = zip(*plain_iterates(positives, negatives, alpha, 25), strict=True)
    steps = []
    problem = TopRanking(*to_format(kind, positives, negatives), alpha)
    dual_gradient.solve(problem, tol=1e-15, max_iter=25, callback=steps.append)
    scale = max(np.abs(w).max() for w in expected)
    np.testing.assert_allclose([step.w for step in steps], expected, rtol=0, atol=1e-9 * scale)
    bounds = np.array([step.lower_bound for step in steps])
    assert np.all(bounds >= -np.array(duals) / len(positives) - 1e-12) and np.all(np.diff(bounds) >= 0)


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-4, 1e-6])
def test_the_published_rule(alpha, tol):
    """After 10 iterations a relative change of the dual of at most tol, or a step of at most tol / 100."""
    positives, negatives = wdbc()
    problem = TopRanking(positives, negatives, alpha)
    w, certificate, n_iter = dual_gradient.solve(problem, stop="published", tol=tol)
    assert certificate.status in ("stopped", "certified")
    iterates = list(plain_iterates(positives, negatives, alpha, n_iter))
    duals = [0.0, *(dual for _, dual, _ in iterates)]
    stops = [
        (k > 10 and abs(duals[k] - duals[k - 1]) <= tol * abs(duals[k - 1])) or step <= 1e-2 * tol
        for k, (_, _, step) in enumerate(iterates, start=1)
    ]
    assert stops == [False] * (n_iter - 1) + [True]
    np.testing.assert_allclose(w, iterates[-1][0], rtol=0, atol=1e-6 * np.abs(w).max())


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_stop_by_gap_reaches_the_conic_solver(name, alpha):
    positives, negatives = PROBLEMS[name]
    reference, _ = references.top_ranking(positives, negatives, alpha)
    for kind in ("dense", "csr"):
        problem = TopRanking(*to_format(kind, positives, negatives), alpha)
        w, certificate, _ = dual_gradient.solve(problem, stop="gap", tol=1e-6, max_iter=50_000)
        assert certificate.objective == pytest.approx(problem.objective(w), rel=1e-12)
        assert_certified(certificate, reference, 1e-6)
