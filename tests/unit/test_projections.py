"""The projections of the solvers, against a root finder and what defines them."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import raises_one_sentence
from scipy.optimize import brentq

from toprank.projections import project_l1_inf_ball, project_simplex, solve_balance_equation

#: the small integers give many ties and zeros
ENTRIES = {"elements": st.floats(-1e3, 1e3, allow_subnormal=False) | st.integers(-3, 3).map(float)}
ENTRIES |= {"fill": st.nothing()}
VECTORS = arrays(float, st.integers(1, 12), **ENTRIES)
MATRICES = arrays(float, st.tuples(st.integers(1, 7), st.integers(1, 7)), **ENTRIES)
more_examples = settings(max_examples=150)


def tolerance(*points):
    return 1e-11 * (1.0 + max(np.abs(point).max() for point in points)) * max(point.size for point in points)


@more_examples
@given(VECTORS, VECTORS, st.floats(-2e3, 2e3))
@example(np.array([0.7]), np.array([0.2]), 0.7)  # ends between neighbouring floats
def test_balance_is_the_root_that_a_root_finder_finds(upper, lower, guess):
    def excess(g):
        return np.maximum(upper - g, 0).sum() - np.maximum(g - lower, 0).sum()

    assume(upper.max() > lower.min())
    root = brentq(excess, lower.min() - 1, upper.max() + 1, xtol=1e-13, rtol=1e-14)
    assert solve_balance_equation(upper, lower, guess) == pytest.approx(
        root, rel=0, abs=tolerance(upper, lower)
    )


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_balance_on_any_scale(scale):
    upper, lower = np.random.default_rng(0).normal(size=(2, 50))
    root = solve_balance_equation(upper, lower, 0.0)
    assert solve_balance_equation(scale * upper, scale * lower, 0.0) == pytest.approx(
        scale * root, rel=1e-13, abs=0
    )


@pytest.mark.parametrize("far", [1e6, 1e12])
def test_balance_ends_with_one_outlier_among_many(far):
    upper, lower = np.append(np.linspace(-1, 1, 1000), far), np.linspace(-1, 1, 2000)
    assert solve_balance_equation(upper, lower, 0.0) == pytest.approx((far + lower.sum()) / 2001, rel=1e-12)


@more_examples
@given(VECTORS, st.floats(1e-3, 1e3))
def test_simplex(v, radius):
    a = project_simplex(v, radius)
    tol = tolerance(v, np.array([radius]))
    assert a.min() >= 0 and abs(a.sum() - radius) <= tol
    # the residual is one number on the support and no larger than it elsewhere
    residual = v - a
    assert np.ptp(residual[a > 0]) <= tol and residual.max() <= residual[a > 0].min() + tol
    np.testing.assert_allclose(project_simplex(a, radius), a, rtol=0, atol=tol)


RADII = st.sampled_from([0.0, 1e-3, 1.0, 7.5, 1e4])


def mixed_norm(V):
    return np.abs(V).max(axis=0).sum()


@more_examples
@given(MATRICES, RADII)
def test_l1_inf_moreau(V, radius):
    """P projects V on a ball if and only if P lies in it and V - P is in the normal cone at P: its product
    with P attains radius times the dual norm, the largest column sum."""
    P = project_l1_inf_ball(V, radius)
    tol = tolerance(V) * (1 + radius)
    assert mixed_norm(P) <= radius + tol
    remainder = V - P
    assert np.sum(remainder * P) >= radius * np.abs(remainder).sum(axis=0).max() - tol * (1 + np.abs(V).sum())


def test_l1_inf_at_the_ends():
    V = np.array([[3.0, -1.0, 0.0], [-3.0, 0.5, 0.0]])
    np.testing.assert_array_equal(project_l1_inf_ball(V, 0.0), np.zeros_like(V))
    np.testing.assert_array_equal(project_l1_inf_ball(V, 1e9), V)
    np.testing.assert_array_equal(project_l1_inf_ball(V, 4.0), V)  # on the sphere
    np.testing.assert_array_equal(project_l1_inf_ball(np.zeros((3, 4)), 0.0), np.zeros((3, 4)))
    np.testing.assert_allclose(project_l1_inf_ball([3.0, -1.0], 2.0), [2.0, -1.0])  # a vector is one column
    np.testing.assert_array_equal(
        project_l1_inf_ball([[3.0, 1.0], [1.0, 0.0]], 2.0), [[2.0, 0.0], [1.0, 0.0]]
    )
    # single rows: the l1 ball
    expected = np.sign(V[0]) * project_simplex(np.abs(V[0]), 2.0)
    np.testing.assert_allclose(project_l1_inf_ball(V[:1], 2.0), [expected])


def test_l1_inf_a_large_matrix_is_on_the_sphere():
    V = np.random.default_rng(0).normal(size=(300, 400))
    for share in (1e-3, 0.1, 0.5, 0.99):
        radius = share * mixed_norm(V)
        P = project_l1_inf_ball(V, radius)
        assert mixed_norm(P) == pytest.approx(radius, rel=1e-12)
        lost = np.abs(V - P).sum(axis=0)
        clipped = np.abs(P).max(axis=0) > 0
        np.testing.assert_allclose(lost[clipped], lost[clipped][0], rtol=1e-9)  # one mass for all columns
        assert np.all(lost[~clipped] <= lost[clipped][0] * (1 + 1e-9))


NO_VECTOR = "project_simplex needs a non-empty vector of finite numbers"


@pytest.mark.parametrize(
    ("project", "point", "radius", "message"),
    [
        *((project_simplex, v, 1.0, NO_VECTOR) for v in ([], [[1.0]], [np.nan], [np.inf, 1.0])),
        *((project_simplex, [1.0], radius, "positive; got") for radius in (0.0, -1.0, np.nan)),
        (project_l1_inf_ball, [[1.0, np.nan]], 1.0, "finite numbers; got shape .* NaN or an infinite"),
        (project_l1_inf_ball, np.empty((0, 3)), 1.0, "non-empty matrix"),
        (project_l1_inf_ball, np.ones((2, 2, 2)), 1.0, "non-empty matrix"),
        (project_l1_inf_ball, np.ones((2, 2)), -1.0, "radius of the l1,inf ball .* at least 0; got -1.0"),
        (project_l1_inf_ball, np.ones((2, 2)), np.nan, "radius .* got nan"),
    ],
)
def test_bad_input(project, point, radius, message):
    with raises_one_sentence(message):
        project(point, radius)
