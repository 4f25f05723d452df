"""Fits to degenerate data: dependent wide rows, equal class means, features of very different size."""

from types import SimpleNamespace

import clarabel
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from toprank import GroupL2, InfinitePush, RankSVM, TopPush
from toprank.estimators.rotation import rotate_if_wide
from toprank.solvers import regularisation_max, row_generation


def draw_repeated_bits(seed):
    """Ten wide rows, of which at most five are distinct, with labels that belong to the rows."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 5, 10)
    labels = (np.arange(5) % 3 == 0)[rows]
    labels[:2] = False, True
    return (random.random((5, 40)) < 0.2).astype(float)[rows], labels


@pytest.mark.parametrize("seed", range(12))
def test_a_ridge_push_of_dependent_wide_rows_is_that_in_their_span(seed):
    # the factor of the rows has coordinates of rounding errors alone, which are no features
    X, y = draw_repeated_bits(seed)
    _, lengths, basis = np.linalg.svd(X, full_matrices=False)
    in_span = X @ basis[lengths > 1e-9].T
    wide, narrow = (InfinitePush("l2", alpha=0.05).fit(data, y).certificate_ for data in (X, in_span))
    assert wide.status == narrow.status == "certified"
    assert wide.objective == pytest.approx(narrow.objective, rel=1e-7)
    rotated, _ = rotate_if_wide(X)
    sizes = np.abs(rotated[rotated != 0.0])
    assert sizes.min() > 1e-9


SYMMETRIC = np.array([[0.1, -0.1], [0.6, 0.1], [-0.5, 0.4], [1.3, 0.9], [-0.7, -1.3], [-0.6, 0.0]])


@pytest.mark.parametrize("model", [TopPush(), *map(InfinitePush, ("l1", "l2", "elasticnet"))], ids=str)
def test_equal_class_means_leave_w_at_0_at_the_depth_of_all_negatives(model):
    # the means of the same rows in another order differ by rounding
    X, y = np.vstack([SYMMETRIC, SYMMETRIC[::-1]]), [1] * 6 + [0] * 6
    model = model.set_params(depth=6)
    with pytest.warns(UserWarning, match="w = 0 is optimal"):
        model.fit(X, y)
    assert model.certificate_.status == "certified" and not model.coef_.any()
    if getattr(model, "penalty", "") != "l2":
        assert model.alpha_max(X, y) == 0.0


@pytest.mark.parametrize("n_negatives", [1, 5])
@pytest.mark.parametrize("solver", ["exact", "admm"])
@pytest.mark.parametrize("penalty", ["l1", GroupL2([0, 0])], ids=str)
def test_means_that_differ_by_rounding_have_no_alpha_max(penalty, solver, n_negatives):
    """The mean of three equal rows is not that of one; three other rows have another sum in another order."""
    equal_rows = np.tile([0.1, 0.7], (3 + n_negatives, 1)), [1] * 3 + [0] * n_negatives
    rows = np.array([[0.1, 0.7], [0.2, 0.3], [0.3, 0.9]])
    for X, y in (equal_rows, (np.vstack([rows, rows[::-1]]), [1] * 3 + [0] * 3)):
        for factor in (1.0, 1e9):
            assert InfinitePush(penalty, solver=solver).alpha_max(factor * X, y) == 0.0


def test_a_cone_program_without_a_solution_is_one_sentence(monkeypatch):
    def make_settings():
        settings = clarabel.DefaultSettings()
        settings.max_iter = 1
        return settings

    shifted = np.add(SYMMETRIC[::-1], [3.0, 0.0])
    stand_in = SimpleNamespace(**vars(clarabel) | {"DefaultSettings": make_settings})
    monkeypatch.setattr(regularisation_max, "clarabel", stand_in)
    message = "cone program of alpha_max under a group norm ended as MaxIterations; standardise the features"
    with pytest.raises(RuntimeError, match=message):
        InfinitePush(GroupL2([0, 0])).alpha_max(np.vstack([SYMMETRIC, shifted]), [1] * 6 + [0] * 6)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6, 3e7])
def test_a_large_feature_does_not_hide_the_scale_of_alpha(size):
    # K* = 8.5 or so tells that depth 20 can work; relative to the large feature the distance is tiny
    random = np.random.default_rng(0)
    y = np.repeat([1, 0], [20, 40])
    small = random.normal(size=(60, 2))
    small[:20] += 1.2
    X = np.column_stack([small, size * random.normal(size=60)])
    model = TopPush(depth=20)
    assert model.smallest_depth(X, y) < 10.0
    assert 0.1 < model.alpha_max(X, y) < 10.0 and model.fit(X, y).certificate_.objective < 0.95
    assert TopPush(depth=5).alpha_max(X, y) == 0.0


def test_a_scale_is_0_where_the_linear_program_says_so():
    random = np.random.default_rng(1)
    y = np.repeat([1, 0], [20, 40])
    X = np.column_stack([random.normal(size=(60, 2)), 1e7 * random.normal(size=60)])
    model = TopPush(depth=2)
    assert model.smallest_depth(X, y) > 2.0 and model.alpha_max(X, y) == 0.0


def test_no_violated_margin_and_a_feature_without_penalty():
    # the Hessian of the loss is 0 there
    model = RankSVM(C=5.0, penalty_weights=[1.0, 1.0, 0.0]).fit([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [1, 0])
    assert model.certificate_.status == "certified" and model.certificate_.objective < 1e-9


@pytest.mark.parametrize("depth", [0.2, 0.5, 2.0])
def test_a_weak_ridge_on_separable_rows_is_certified_at_a_depth(depth):
    X, y = load_wine(return_X_y=True)
    model = TopPush(alpha=1e-5, depth=depth).fit(scale(X), y == 0)
    assert model.certificate_.status == "certified" and model.n_iter_ < 60


def test_a_point_without_an_active_hinge_moves_towards_0():
    random = np.random.default_rng(7)
    X = random.normal(size=(80, int(random.integers(2, 15))))
    y = X[:, 0] + 0.3 * random.normal(size=80) > 0.7
    assert TopPush(alpha=1e-4, depth=2.5).fit(X, y).certificate_.status == "certified"


def test_a_run_that_cannot_move_ends_as_stalled(monkeypatch):
    # a line search that never moves, and no tolerance that could be reached
    monkeypatch.setattr(row_generation, "search_step", lambda *args: 0.0)
    X, y = load_wine(return_X_y=True)
    model = TopPush(alpha=1e-3, depth=0.2, tol=1e-15, max_iter=1000)
    with pytest.warns(UserWarning, match="stalled"):
        model.fit(scale(X), y == 0)
    assert model.certificate_.status == "stalled" and model.n_iter_ < 100


@pytest.mark.parametrize("penalty", ["elasticnet", "l1", "l2"])
def test_the_depth_of_all_negatives_is_that_of_their_mean(penalty):
    for seed in (0, 6, 15):
        X, y = np.random.default_rng(seed).normal(size=(60, 300)), np.arange(60) < 10
        X[:10, :3] += 1.0
        deepest = InfinitePush(penalty, alpha=0.01, depth=50).fit(X, y)
        mean = np.vstack([X[:10], X[10:].mean(axis=0)])
        single = InfinitePush(penalty, alpha=0.01).fit(mean, np.arange(11) < 10).certificate_
        assert deepest.certificate_.status == "certified"
        assert deepest.certificate_.objective == pytest.approx(single.objective, rel=1e-7)
