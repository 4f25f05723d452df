"""The projections of the solvers, against a conic solver, a root finder and what defines them."""

import re

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import ONE_SENTENCE
from scipy.optimize import brentq

from toprank.projections import project_l1_inf_ball, project_simplex, project_top_push

FINITE = st.floats(-1e3, 1e3, allow_subnormal=False)
SMALL_INTEGERS = st.integers(-3, 3).map(float)  # many ties and zeros


def vectors(values=FINITE | SMALL_INTEGERS):
    return arrays(float, st.integers(1, 12), elements=values, fill=st.nothing())


many = settings(max_examples=150, deadline=None, derandomize=True)


def joined(pair):
    return np.concatenate(pair)


def tolerance(*points):
    return 1e-11 * (1.0 + max(np.abs(point).max() for point in points)) * max(point.size for point in points)


def assert_projection(positive, negative, a, b, tol):
    """Moreau: (a, b) projects on the cone if and only if it lies in it, the rest in its polar, and both are
    orthogonal. The cone is spanned by the (e_i, e_j), so its polar asks for max + max <= 0."""
    assert a.min() >= 0 and b.min() >= 0
    assert abs(a.sum() - b.sum()) <= tol
    rest_a, rest_b = positive - a, negative - b
    assert rest_a.max() + rest_b.max() <= tol
    assert abs(a @ rest_a + b @ rest_b) <= tol * (1 + np.abs(a).sum() + np.abs(b).sum())


@many
@given(vectors(), vectors())
def test_moreau(positive, negative):
    a, b = project_top_push(positive, negative)
    assert_projection(positive, negative, a, b, tolerance(positive, negative))


@many
@given(vectors(), vectors())
def test_idempotent(positive, negative):
    once = project_top_push(positive, negative)
    twice = project_top_push(*once)
    np.testing.assert_allclose(joined(twice), joined(once), rtol=0, atol=tolerance(positive, negative))


@many
@given(st.data())
def test_non_expansive(data):
    m, n = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    first, second = (
        tuple(data.draw(arrays(float, size, elements=FINITE | SMALL_INTEGERS)) for size in (m, n))
        for _ in range(2)
    )
    before = np.linalg.norm(joined(first) - joined(second))
    after = np.linalg.norm(joined(project_top_push(*first)) - joined(project_top_push(*second)))
    assert after <= before + tolerance(joined(first), joined(second))


@many
@given(vectors(), vectors())
def test_the_shift_is_the_root_that_a_root_finder_finds(positive, negative):
    def excess(g):
        return np.maximum(positive - g, 0).sum() - np.maximum(negative + g, 0).sum()

    assume(positive.max() > -negative.max())
    root = brentq(excess, -negative.max() - 1, positive.max() + 1, xtol=1e-13, rtol=1e-14)
    a, b = project_top_push(positive, negative)
    tol = tolerance(positive, negative)
    np.testing.assert_allclose(a, np.maximum(positive - root, 0), rtol=0, atol=tol)
    np.testing.assert_allclose(b, np.maximum(negative + root, 0), rtol=0, atol=tol)


@pytest.mark.parametrize("seed", range(3))
def test_conic_solver_agrees(seed):
    random = np.random.default_rng(seed)
    positive, negative = random.normal(size=7), random.normal(size=11) - 0.5 * seed
    a, b = cp.Variable(7, nonneg=True), cp.Variable(11, nonneg=True)
    distance = cp.sum_squares(a - positive) + cp.sum_squares(b - negative)
    cp.Problem(cp.Minimize(distance), [cp.sum(a) == cp.sum(b)]).solve(solver=cp.CLARABEL)
    ours = project_top_push(positive, negative)
    np.testing.assert_allclose(ours[0], a.value, atol=1e-6)
    np.testing.assert_allclose(ours[1], b.value, atol=1e-6)


@pytest.mark.parametrize(
    ("positive", "negative", "expected_a", "expected_b"),
    [
        ([3.0], [1.0], [2.0], [2.0]),  # one entry each: the mean
        ([3.0], [-5.0], [0.0], [0.0]),
        ([-1.0, -2.0], [-3.0], [0.0, 0.0], [0.0]),
        ([0.0, 0.0], [0.0], [0.0, 0.0], [0.0]),
        ([2.0], [-2.0], [0.0], [0.0]),  # on the boundary of the polar cone
        ([2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]),  # inside already
        ([4.0, 4.0, 4.0], [0.0], [1.0, 1.0, 1.0], [3.0]),  # ties
        ([1, 1], [4], [5 / 3, 5 / 3], [10 / 3]),  # integers are numbers too
    ],
)
def test_by_hand(positive, negative, expected_a, expected_b):
    a, b = project_top_push(positive, negative)
    np.testing.assert_allclose(a, expected_a, atol=1e-15)
    np.testing.assert_allclose(b, expected_b, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_scale_comes_through(scale):
    random = np.random.default_rng(0)
    positive, negative = random.normal(size=50), random.normal(size=70)
    a, b = project_top_push(positive, negative)
    scaled_a, scaled_b = project_top_push(scale * positive, scale * negative)
    np.testing.assert_allclose(scaled_a / scale, a, rtol=0, atol=1e-13)
    np.testing.assert_allclose(scaled_b / scale, b, rtol=0, atol=1e-13)


@pytest.mark.parametrize("far", [1e6, 1e12])
def test_one_outlier_among_many_ends(far):
    positive, negative = np.append(np.linspace(-1, 1, 1000), far), np.linspace(-1, 1, 2000)
    a, b = project_top_push(positive, negative)
    assert_projection(positive, negative, a, b, 1e-10 * far)
    assert np.count_nonzero(a) == 1 and np.count_nonzero(b) == 2000


def test_the_arguments_are_left_alone():
    positive, negative = np.array([1.0, 2.0]), np.array([0.5])
    project_top_push(positive, negative)
    assert positive.tolist() == [1.0, 2.0] and negative.tolist() == [0.5]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", [0, 1])
def test_what_is_not_finite_is_refused(bad, where):
    arguments = [np.array([1.0, 2.0]), np.array([3.0])]
    arguments[where][0] = bad
    with pytest.raises(ValueError, match="cannot project values that are NaN or infinite") as caught:
        project_top_push(*arguments)
    caught.match(ONE_SENTENCE)


@pytest.mark.parametrize("arguments", [([], [1.0]), ([1.0], []), ([[1.0]], [1.0]), (1.0, [1.0])])
def test_what_is_no_vector_is_refused(arguments):
    with pytest.raises(ValueError, match="positive and negative must be non-empty vectors; got shapes"):
        project_top_push(*arguments)


@many
@given(vectors(), st.floats(1e-3, 1e3))
def test_simplex(v, radius):
    a = project_simplex(v, radius)
    tol = tolerance(v, np.array([radius]))
    assert a.min() >= 0 and abs(a.sum() - radius) <= tol
    # the residual is one number on the support and no larger than it elsewhere
    residual = v - a
    assert np.ptp(residual[a > 0]) <= tol and residual.max() <= residual[a > 0].min() + tol
    np.testing.assert_allclose(project_simplex(a, radius), a, rtol=0, atol=tol)


def test_simplex_conic_solver_agrees():
    v = np.random.default_rng(0).normal(size=9)
    a = cp.Variable(9, nonneg=True)
    cp.Problem(cp.Minimize(cp.sum_squares(a - v)), [cp.sum(a) == 2.0]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(project_simplex(v, 2.0), a.value, atol=1e-6)


def test_simplex_by_hand():
    np.testing.assert_allclose(project_simplex([-7.0]), [1.0])
    np.testing.assert_allclose(project_simplex([5.0, 5.0]), [0.5, 0.5])
    np.testing.assert_allclose(project_simplex([3.0, 0.0, 0.0]), [1.0, 0.0, 0.0])
    np.testing.assert_allclose(project_simplex([-1.0, -1.0, -2.0], radius=2.0), [1.0, 1.0, 0.0])


@pytest.mark.parametrize("v", [[], [[1.0]], [np.nan], [np.inf, 1.0]])
def test_simplex_refuses_what_is_no_finite_vector(v):
    with pytest.raises(ValueError, match="project_simplex needs a non-empty vector of finite numbers"):
        project_simplex(v)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan])
def test_simplex_refuses_the_radius(radius):
    with pytest.raises(ValueError, match="the radius of the simplex must be positive; got"):
        project_simplex([1.0], radius)


def matrices(values=FINITE | SMALL_INTEGERS):
    return arrays(float, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=values, fill=st.nothing())


RADII = st.sampled_from([0.0, 1e-3, 1.0, 7.5, 1e4])


def mixed_norm(V):
    return np.abs(V).max(axis=0).sum()


@many
@given(matrices(), RADII)
def test_l1_inf_moreau(V, radius):
    """P projects V on a ball if and only if P lies in it and V - P is in the normal cone at P: its product
    with P attains radius times the dual norm, the largest column sum."""
    P = project_l1_inf_ball(V, radius)
    tol = tolerance(V) * (1 + radius)
    assert mixed_norm(P) <= radius + tol
    rest = V - P
    assert np.sum(rest * P) >= radius * np.abs(rest).sum(axis=0).max() - tol * (1 + np.abs(V).sum())


@many
@given(matrices(), RADII)
def test_l1_inf_idempotent_and_odd(V, radius):
    once = project_l1_inf_ball(V, radius)
    np.testing.assert_allclose(project_l1_inf_ball(once, radius), once, rtol=0, atol=tolerance(V))
    np.testing.assert_array_equal(project_l1_inf_ball(-V, radius), -once)


@many
@given(matrices(), RADII, st.randoms(use_true_random=False))
def test_l1_inf_the_order_does_not_matter(V, radius, random):
    rows, columns = list(range(V.shape[0])), list(range(V.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = project_l1_inf_ball(V[rows][:, columns], radius)
    expected = project_l1_inf_ball(V, radius)[rows][:, columns]
    np.testing.assert_allclose(shuffled, expected, rtol=0, atol=tolerance(V))


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (4, 5), (9, 3)])
@pytest.mark.parametrize("radius", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("rounded", [False, True])
def test_l1_inf_against_the_conic_solver(shape, radius, rounded):
    V = np.random.default_rng(sum(shape)).normal(size=shape)
    V = np.round(V) if rounded else V  # ties and zeros
    point = cp.Variable(shape)
    ball = cp.sum(cp.max(cp.abs(point), axis=0)) <= radius
    cp.Problem(cp.Minimize(cp.sum_squares(point - V)), [ball]).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    np.testing.assert_allclose(project_l1_inf_ball(V, radius), point.value, rtol=0, atol=1e-5)


def test_l1_inf_at_the_ends():
    V = np.array([[3.0, -1.0, 0.0], [-3.0, 0.5, 0.0]])
    np.testing.assert_array_equal(project_l1_inf_ball(V, 0.0), np.zeros_like(V))
    np.testing.assert_array_equal(project_l1_inf_ball(V, 1e9), V)
    np.testing.assert_array_equal(project_l1_inf_ball(V, 4.0), V)  # on the sphere
    np.testing.assert_array_equal(project_l1_inf_ball(np.zeros((3, 4)), 0.0), np.zeros((3, 4)))
    np.testing.assert_allclose(project_l1_inf_ball([3.0, -1.0], 2.0), [2.0, -1.0])  # a vector is one column
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


@pytest.mark.parametrize(
    ("V", "radius", "message"),
    [
        (np.array([[1.0, np.nan]]), 1.0, "finite numbers; got shape .* NaN or an infinite"),
        (np.empty((0, 3)), 1.0, "non-empty matrix"),
        (np.ones((2, 2, 2)), 1.0, "non-empty matrix"),
        (np.ones((2, 2)), -1.0, "radius of the l1,inf ball .* at least 0; got -1.0"),
        (np.ones((2, 2)), np.nan, "radius .* got nan"),
    ],
)
def test_l1_inf_bad_input(V, radius, message):
    with pytest.raises(ValueError, match=message) as caught:
        project_l1_inf_ball(V, radius)
    assert re.match(ONE_SENTENCE, str(caught.value))
