"""FenchelRank: against the conic solver on the pairs, and what Frank-Wolfe promises."""

import cached_optima as references
import numpy as np
import pytest
import scipy.sparse as sp
from test_pairwise import DATA, build, differences

from toprank import FenchelRank
from toprank.solvers import frank_wolfe

RADII = (0.03, 0.5, 3.0, 100.0)


def brute_force(rows, w):
    return np.square(np.maximum(1 - rows @ w, 0)).mean()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("name", DATA)
def test_the_optimum_is_that_of_the_pairs(name, radius, kind):
    X, y, qid = DATA[name]
    rows = differences(X, y, qid)
    optimum, _ = references.fenchel_rank(rows, 0 * rows, radius)
    model = FenchelRank(radius).fit(kind(X), y, qid)
    certificate = model.certificate_
    assert np.abs(model.coef_).sum() <= radius * (1 + 1e-12)
    assert certificate.objective == pytest.approx(brute_force(rows, model.coef_), rel=1e-9)
    assert certificate.lower_bound <= optimum * (1 + 1e-8) <= certificate.objective * (1 + 2e-8)
    assert certificate.status in ("certified", "stopped") and certificate.gap <= 1e-3
    assert certificate.objective <= optimum + 1e-3


def test_a_ball_far_too_large_leaves_the_gap_open():
    """The published rule never holds within max_iter, and the certificate says so."""
    X, y, qid = DATA["graded"]
    X = np.column_stack([X, X + 0.05 * np.random.default_rng(0).normal(size=X.shape)])  # twins, almost
    rows = differences(X, y, qid)
    optimum, _ = references.fenchel_rank(rows, 0 * rows, 1e3)
    model = FenchelRank(1e3).fit(X, y, qid)
    assert model.certificate_.status == "max_iterations" and model.n_iter_ == 1000
    assert model.certificate_.gap > 1e-3
    assert model.certificate_.lower_bound <= optimum <= model.certificate_.objective


@pytest.mark.parametrize("radius", [0.5, 3.0])
@pytest.mark.parametrize("name", DATA)
def test_every_step_is_one_of_frank_wolfe_with_the_best_length(name, radius):
    """The steps again, from the pairs: the vertex, the step length by brute force, the gap."""
    problem, rows = build(name)
    positions = []
    frank_wolfe.solve(problem, radius=radius, tol=1e-7, max_iter=60, callback=positions.append)
    steps = [(step.w, step.objective, step.lower_bound) for step in positions]
    lowest = -np.inf
    for number, (w, objective, bound) in enumerate(steps):
        hinge = np.maximum(1 - rows @ w, 0)
        assert objective == pytest.approx(np.mean(hinge**2), rel=1e-9)
        gradient = -2 * rows.T @ hinge / len(rows)
        gap = radius * np.abs(gradient).max() + gradient @ w
        lowest = max(lowest, objective - gap, 0.0)
        assert bound == pytest.approx(lowest, abs=1e-9 * (1 + radius)) and bound <= objective
        if number + 1 == len(steps):
            break
        # the published form: v = w / r and the dual point d
        v, d = w / radius, 2 * radius**2 / len(rows) * np.maximum(1 / radius - rows @ (w / radius), 0)
        assert gap == pytest.approx(np.abs(rows.T @ d).max() - d @ rows @ v, abs=1e-8 * (1 + radius))
        j = np.argmax(np.abs(gradient))
        vertex = -radius * np.sign(gradient[j]) * np.eye(w.size)[j]
        lengths = np.linspace(0, 1, 201)
        best = min(brute_force(rows, (1 - eta) * w + eta * vertex) for eta in lengths)
        following = steps[number + 1]
        assert following[1] <= best * (1 + 1e-9)
        direction, moved = vertex - w, following[0] - w
        eta = moved @ direction / (direction @ direction)
        np.testing.assert_allclose(moved, eta * direction, atol=1e-9 * radius)
    objectives = np.array([step[1] for step in steps])
    assert np.all(np.diff(objectives) <= 1e-12) and lowest <= objectives.min() * (1 + 1e-9)


def test_a_tiny_ball_is_one_step_to_a_vertex():
    X, y, qid = DATA["graded"]
    model = FenchelRank(1e-2).fit(X, y, qid)
    assert model.n_iter_ == 1 and np.count_nonzero(model.coef_) == 1
    assert model.coef_[0] == pytest.approx(1e-2)  # the feature that rises with the grades
