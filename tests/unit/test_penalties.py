"""The penalties: their proximal operators against what defines them; a sentence for a broken partition."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import raises_one_sentence
from sklearn.base import clone

from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp, SquaredL2

D = 6
WEIGHTED_L1 = L1(np.array([0.5, 2.0, 0.0, 1.0, np.inf, 3.0]))
PENALTIES = [
    L1(),
    L1(np.arange(1.0, 7.0)),
    SquaredL2(),
    GroupL2.from_groups([0, 1, 0, 2, 2, 2], D),
    GroupL2.from_groups([[3], [0, 5], [1, 2, 4]], D),
]
NORMS = [penalty for penalty in PENALTIES if not penalty.ridge]
VECTORS = arrays(float, D, elements=st.floats(-50, 50) | st.integers(-3, 3).map(float))
STEPS = st.floats(0.0, 20.0)
more_examples = settings(max_examples=80)


@more_examples
@given(VECTORS, STEPS)
def test_moreau(w, step):
    """w − prox(w) lies in the dual ball of radius ``step`` and attains it against prox(w)."""
    for penalty in NORMS:
        z = penalty.prox(w, step)
        remainder = w - z
        assert penalty.dual_norm(remainder) <= step * (1 + 1e-12) + 1e-12, penalty
        assert remainder @ z == pytest.approx(step * penalty.value(z), rel=1e-9, abs=1e-9), penalty


@more_examples
@given(VECTORS, VECTORS)
def test_the_dual_norm_bounds_every_product(w, v):
    for penalty in NORMS:
        assert w @ v <= penalty.value(w) * penalty.dual_norm(v) * (1 + 1e-12) + 1e-12, penalty


def test_the_prox_of_the_ridge_shrinks():
    np.testing.assert_allclose(SquaredL2().prox(np.array([3.0, -1.0]), 0.5), [2.0, -2.0 / 3.0])
    assert SquaredL2().value(np.array([3.0, 4.0])) == 12.5


def test_labels_and_lists_are_the_same_groups():
    w = np.arange(6.0)
    assert GroupL2.from_groups(list("abacbb"), 6).value(w) == GroupL2.from_groups(
        [[0, 2], [1, 4, 5], [3]], 6
    ).value(w)
    assert GroupL2.from_groups(np.arange(6), 6).value(w) == L1().value(w)


def test_weights_of_0_and_infinity():
    w = np.array([1.0, -1.0, 5.0, 0.0, 0.0, 2.0])
    assert WEIGHTED_L1.value(w) == 8.5
    assert np.isinf(WEIGHTED_L1.value(np.ones(6)))
    np.testing.assert_allclose(WEIGHTED_L1.prox(np.full(6, 3.0), 1.0), [2.5, 1.0, 3.0, 2.0, 0.0, 0.0])
    assert WEIGHTED_L1.dual_norm(np.array([1.0, 1.0, 0.0, 1.0, 9.0, 3.0])) == 2.0
    assert np.isinf(WEIGHTED_L1.dual_norm(np.array([0.0, 0.0, 1e-9, 0.0, 0.0, 0.0])))
    slopes = np.array([1.0, 0.0, 1.0, 3.0, 7.0, 3.0])
    np.testing.assert_allclose(WEIGHTED_L1.violation(w, -slopes, 2.0), [0.0, 4.0, 1.0, 1.0, 0.0, 3.0])
    assert WEIGHTED_L1.directional_derivative(w, np.array([1.0, 1.0, 1.0, -1.0, 0.0, 0.0])) == -0.5


@more_examples
@given(VECTORS, VECTORS)
def test_the_slope_along_a_direction(w, direction):
    w, step = np.round(w, 2), 1e-7
    for penalty in PENALTIES:
        quotient = (penalty.value(w + step * direction) - penalty.value(w)) / step
        expected = penalty.directional_derivative(w, direction)
        curvature = direction @ direction
        if len(penalty.cones):  # the norm of a group bends like 1/‖w_g‖
            norms = penalty.norms(w)
            curvature /= max(norms[norms > 0].min(initial=1.0), step)
        tolerance = 1e-5 * (1 + penalty.value(w)) + step * curvature
        assert quotient == pytest.approx(expected, abs=tolerance), penalty


CONCAVE = [MCP(), MCP(0.3), SCAD(), SCAD(1.2), Log(), Log(2.0), Lp(), Lp(0.2), Lp(0.9)]
SIZES = st.floats(0.0, 6.0) | st.sampled_from([0.3, 1.0, 1.2, 2.0, 3.7])


AXIS = np.append(0.0, np.linspace(1e-4, 7.0, 7000))
ON_AXIS = [penalty.value_at(AXIS) for penalty in CONCAVE]


@settings(max_examples=150)
@given(SIZES, st.floats(1e-3, 8.0))
def test_the_prox_of_a_concave_penalty_by_brute_force(size, step):
    """Exact for any step, those included at which the inner piece is concave."""
    distance = 0.5 * (AXIS - size) ** 2
    for penalty, on_axis in zip(CONCAVE, ON_AXIS, strict=True):
        minimiser, mirrored = penalty.prox(np.array([size, -size]), step)
        assert minimiser == -mirrored >= 0.0, penalty
        value = 0.5 * (minimiser - size) ** 2 + step * penalty.value_at(np.asarray(minimiser))
        assert value <= (distance + step * on_axis).min() + 1e-9, penalty


@pytest.mark.parametrize(("penalty", "size", "step"), [(MCP(2.0), 2.0, 2.0), (SCAD(3.0), 4.0, 4.0)], ids=repr)
def test_of_two_equal_minima_of_a_concave_penalty_the_sparser_one(penalty, size, step):
    """At 0 and at the size itself, beyond which g is flat, the objective is the same number."""
    sizes = np.array([size, -size])
    assert (0.5 * sizes**2 == step * penalty.value_at(np.abs(sizes))).all()
    assert penalty.prox(sizes, step).tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(penalty.prox(1.001 * sizes, step), 1.001 * sizes)


@pytest.mark.parametrize("penalty", CONCAVE, ids=repr)
@more_examples
@given(st.floats(0.01, 6.0), st.floats(0.0, 6.0))
def test_slope_curvature_and_majorisation(penalty, size, other):
    bends = [0.3, 1.0, 1.2, 2.0, 3.7]
    assume(min(abs(size - bend) for bend in bends) > 1e-3)
    step, points = 1e-5, np.array([size])

    def evaluate(u):
        return penalty.value_at(np.asarray([u]))[0]

    slope = (evaluate(size + step) - evaluate(size - step)) / (2 * step)
    assert penalty.derivative(points)[0] == pytest.approx(slope, rel=1e-5, abs=1e-8)
    bent = (penalty.derivative(points + step) - penalty.derivative(points - step))[0] / (2 * step)
    assert penalty.second_derivative(points)[0] == pytest.approx(bent, rel=1e-4, abs=1e-8)
    # the tangent lies above: L14's Algorithm 2 cannot raise the objective
    assert evaluate(other) <= evaluate(size) + penalty.derivative(points)[0] * (other - size) + 1e-12
    assert evaluate(0.0) == 0.0 and penalty.value(np.array([size, -size])) == pytest.approx(
        2 * evaluate(size)
    )


@more_examples
@given(VECTORS, st.floats(0.01, 9.0), STEPS, STEPS, st.floats(0.01, 9.0))
def test_the_scaled_dual_is_the_largest_along_a_direction(v, alpha, total, squares, cap):
    for penalty in [L1(), SquaredL2(), GroupL2.from_groups([0, 1, 0, 2, 2, 2], D)]:
        best = penalty.scaled_dual(v, alpha, total, squares, cap)
        for scale in np.linspace(0.0, cap, 50):
            if penalty.ridge:
                conjugate = scale**2 * (v @ v) / (2.0 * alpha)
            else:
                conjugate = 0.0 if scale * penalty.dual_norm(v) <= alpha else np.inf
            assert scale * total - scale**2 * squares - conjugate <= best + 1e-9 * (1.0 + abs(best)), penalty


EACH_ONCE_MESSAGE = "each feature from 0 to 5 exactly once"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(GroupL2.from_groups, [0, 1, 1], 6), "a label for each of the 6 features; got shape"),
        (partial(GroupL2.from_groups, [[0, 1, 2], [2, 3, 4, 5]], 6), EACH_ONCE_MESSAGE),
        (partial(GroupL2.from_groups, [[0, 1, 2], [4, 5]], 6), EACH_ONCE_MESSAGE),
        (partial(GroupL2.from_groups, [[0, 1, 2], [3, 4, 6]], 6), EACH_ONCE_MESSAGE),
        (partial(GroupL2.from_groups, [[0.5, 1.0]], 6), EACH_ONCE_MESSAGE),
        (MCP(0.0).check, "gamma must be a positive number; got 0.0"),
        (SCAD(1.0).check, "gamma must be above 1 for penalty 'scad'; got 1.0"),
        (Log(-1.0).check, "epsilon must be a positive number; got -1.0"),
        (Lp(1.0).check, "p must lie strictly between 0 and 1; got 1.0; for 1 take penalty 'l1'"),
        (L1("some").check, "unknown weights 'some'; give one for each feature, or 'adaptive'"),
        (GroupL2().check, "penalty 'group' needs groups: a label for each feature, or lists of features"),
    ],
)
def test_bad_input(call, message):
    with raises_one_sentence(message):
        call()


def test_parameters_as_scikit_learn_wants_them():
    penalty = MCP(3.0)
    assert clone(penalty).get_params() == {"gamma": 3.0} and clone(penalty) is not penalty
    assert penalty.set_params(gamma=1.5).gamma == 1.5
    with pytest.raises(ValueError, match=r"^MCP has no parameter 'epsilon'; it has gamma$"):
        penalty.set_params(epsilon=1.0)
    with pytest.raises(ValueError, match=r"^SquaredL2 has no parameter 'gamma'; it has none$"):
        SquaredL2().set_params(gamma=1.0)


def test_stationary_at_zero():
    gradient = np.array([5.0, -9.0, 11.0])
    np.testing.assert_allclose(Log(0.1).violation(np.zeros(3), gradient, 1.0), [0.0, 0.0, 1.0])
    assert not Lp().violation(np.zeros(3), 1e9 * gradient, 1e-9).any()
