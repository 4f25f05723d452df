"""The penalties: their proximal operators against what defines them; a sentence for a broken partition."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import ONE_SENTENCE

from toprank.penalties import L1, GroupL2, SquaredL2

D = 6
PENALTIES = [L1(), SquaredL2(), GroupL2.of([0, 1, 0, 2, 2, 2], D), GroupL2.of([[3], [0, 5], [1, 2, 4]], D)]
NORMS = [penalty for penalty in PENALTIES if not isinstance(penalty, SquaredL2)]
VECTORS = arrays(float, D, elements=st.floats(-50, 50) | st.integers(-3, 3).map(float))
STEPS = st.floats(0.0, 20.0)
many = settings(max_examples=80, deadline=None, derandomize=True)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@many
@given(VECTORS, STEPS, VECTORS)
def test_the_prox_is_a_minimum(penalty, w, step, direction):
    def objective(z):
        return 0.5 * (z - w) @ (z - w) + step * penalty.value(z)

    z = penalty.prox(w, step)
    for size in (1e-3, 0.1, 1.0):
        assert objective(z) <= objective(z + size * direction) + 1e-9 * (1 + objective(z))


@pytest.mark.parametrize("penalty", NORMS, ids=repr)
@many
@given(VECTORS, STEPS)
def test_moreau(penalty, w, step):
    """w − prox(w) lies in the dual ball of radius ``step`` and attains it against prox(w)."""
    z = penalty.prox(w, step)
    rest = w - z
    assert penalty.dual_norm(rest) <= step * (1 + 1e-12) + 1e-12
    assert rest @ z == pytest.approx(step * penalty.value(z), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("penalty", NORMS, ids=repr)
@many
@given(VECTORS, VECTORS)
def test_the_dual_norm_bounds_every_product(penalty, w, v):
    assert w @ v <= penalty.value(w) * penalty.dual_norm(v) * (1 + 1e-12) + 1e-12


def test_the_prox_of_the_ridge_shrinks():
    np.testing.assert_allclose(SquaredL2().prox(np.array([3.0, -1.0]), 0.5), [2.0, -2.0 / 3.0])
    assert SquaredL2().value(np.array([3.0, 4.0])) == 12.5


def test_labels_and_lists_are_the_same_groups():
    w = np.arange(6.0)
    assert GroupL2.of(list("abacbb"), 6).value(w) == GroupL2.of([[0, 2], [1, 4, 5], [3]], 6).value(w)
    assert GroupL2.of(np.arange(6), 6).value(w) == L1().value(w)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "needs groups"),
        ([0, 1, 1], "a label for each of the 6 features; got shape"),
        ([[0, 1, 2], [2, 3, 4, 5]], "each of the 6 features exactly once"),
        ([[0, 1, 2], [4, 5]], "each of the 6 features exactly once"),
        ([[0, 1, 2], [3, 4, 6]], "each of the 6 features exactly once"),
        ([[0.5, 1.0]], "each of the 6 features exactly once"),
    ],
)
def test_groups_that_are_no_partition(groups, message):
    with pytest.raises(ValueError, match=message) as caught:
        GroupL2.of(groups, 6)
    assert re.match(ONE_SENTENCE, str(caught.value))
