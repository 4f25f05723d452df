"""Splits that keep the scaffolds of compounds whole."""

import numpy as np
import pytest

from reproduction.papers.across.settings import find_problems
from reproduction.splits.group_splits import check_positive_count, draw_group_splits

GENERATOR = np.random.default_rng(0)
GROUPS = GENERATOR.permutation(np.repeat(np.arange(300), GENERATOR.integers(1, 8, 300)))
Y = (GENERATOR.random(GROUPS.size) < 0.1).astype(int)


def draw(y=Y, groups=GROUPS, splits=4, test_fraction=1 / 3, inner_folds=3, seed=1):
    return draw_group_splits(y, groups, splits, test_fraction, inner_folds, seed, "study", "set")


def test_no_group_is_in_two_parts():
    splits = draw()
    for roles in splits.inner:
        assert sorted(set(roles.tolist())) == [-1, 0, 1, 2]
        assert all(np.unique(roles[groups]).size == 1 for groups in (g == GROUPS for g in range(300)))


def test_each_class_is_shared_out_evenly():
    for roles in draw().inner:
        for label in (0, 1):
            n = np.count_nonzero(label == Y)
            assert abs(np.count_nonzero((roles == -1) & (label == Y)) - n / 3) <= 0.03 * n + 2
            for fold in range(3):
                assert abs(np.count_nonzero((roles == fold) & (label == Y)) - 2 * n / 9) <= 0.03 * n + 2


def test_splits_follow_the_seed_and_their_number():
    splits = draw()
    np.testing.assert_array_equal(splits.inner, draw().inner)
    np.testing.assert_array_equal(splits.inner[2:], draw(splits=range(2, 4)).inner)
    assert not np.array_equal(splits.inner, draw(seed=2).inner)
    assert not np.array_equal(splits.inner[0], splits.inner[1])


def test_the_largest_group_is_not_always_tested():
    groups = np.where(np.arange(GROUPS.size) < 200, 300, GROUPS)
    tested = [(roles[:200] == -1).all() for roles in draw(groups=groups, splits=12).inner]
    assert any(tested) and not all(tested)


def test_too_few_positives_and_no_groups_are_one_sentence():
    rare = np.isin(GROUPS, [1, 2, 3]).astype(int)
    with pytest.raises(
        ValueError, match=r"^it has 3 groups with a positive, but the test part and each of 3 inner"
    ):
        draw(y=rare)
    draw(y=rare, inner_folds=2)
    with pytest.raises(ValueError, match=r"^its rows have no groups"):
        draw(groups=None)
    with pytest.raises(ValueError, match=r"is 1/2, 1/3, 1/4, .* but test_fraction is 0.4"):
        draw(test_fraction=0.4)
    with pytest.raises(
        ValueError, match=r"^it has 3 positives, but the test part and each of 3 inner folds need one"
    ):
        check_positive_count(3, 3)
    check_positive_count(4, 3)


def test_a_study_with_sets_that_have_no_groups_is_refused():
    study = {"group_splits": True, "test_fraction": 1 / 3, "datasets": {"dud-ace": ["raw"], "sonar": ["raw"]}}
    (sentence,) = find_problems("studies.x", study)
    assert sentence.startswith("studies.x.datasets names 'sonar', whose rows have no groups")
    (sentence,) = find_problems("studies.x", study | {"test_fraction": 0.4, "datasets": {"dud-ace": ["raw"]}})
    assert sentence.startswith("studies.x.test_fraction is 0.4, but with group_splits")
    assert not list(find_problems("studies.x", study | {"group_splits": False}))
