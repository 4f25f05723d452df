"""Splits: what they partition, and seeds that depend on nothing but what they are for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence

from reproduction.core.seeds import derive_seed
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import (
    FIT_ONLY,
    OTHER_SAMPLE,
    TEST,
    Splits,
    draw_hold_out_splits,
    draw_random_splits,
)

PURPOSE = ("kadkhodaie2015", "splice")


def draw_splits(n_rows=100, n_splits=4, test_fraction=1 / 3, inner_folds=3, seed=20150810, purpose=PURPOSE):
    return draw_random_splits(n_rows, n_splits, test_fraction, inner_folds, seed, *purpose)


def test_a_seed_is_a_function_of_master_and_purpose():
    seed = derive_seed(20150810, "study", "set", 3, "split")
    assert seed == derive_seed(20150810, "study", "set", 3, "split")
    assert isinstance(seed, int) and 0 <= seed < 2**63
    other_seeds = [
        derive_seed(20150811, "study", "set", 3, "split"),
        derive_seed(20150810, "study", "set", 4, "split"),
        derive_seed(20150810, "study", "other", 3, "split"),
        derive_seed(20150810, "set", "study", 3, "split"),
        derive_seed(20150810, "study", "set", 3),
        derive_seed(20150810),
    ]
    assert len({seed, *other_seeds}) == 7


def test_the_seeds_of_a_release_stay():
    """Half of the first 64 bits of the SHA-256 of "20150810/kadkhodaie2015/splice/0/split", by sha256sum."""
    assert derive_seed(20150810, "kadkhodaie2015", "splice", 0, "split") == 4800378257944619895
    random = np.random.default_rng(4800378257944619895).permutation(12)
    folds = draw_splits(n_rows=12, n_splits=1).inner[0]
    assert folds[random[:4]].tolist() == [-1] * 4 and folds[random[4:]].tolist() == [0, 1, 2, 0, 1, 2, 0, 1]


def test_a_split_depends_on_neither_the_others_nor_their_number():
    fewer, more = draw_splits(n_splits=2), draw_splits(n_splits=5)
    assert np.array_equal(fewer.inner, more.inner[:2]) and np.array_equal(fewer.seeds, more.seeds[:2])
    assert len({row.tobytes() for row in more.inner}) == 5


@pytest.mark.parametrize("kind", ["random", "hold_out", "letor"])
def test_a_block_holds_the_splits_of_its_numbers(kind, tmp_path):
    """Drawn alone, saved and read back."""
    y, part = labels(20, 30), np.arange(50) % 5 + 1
    draw = {
        "random": lambda splits: draw_splits(50, splits),
        "hold_out": lambda splits: draw_hold_out_splits(y, 30, splits, 0.3, 7, *PURPOSE),
        "letor": lambda splits: rotate_letor_folds(part, range(5) if splits == 5 else splits),
    }[kind]
    all_splits = draw(5)
    draw(range(2, 4)).save(tmp_path / "block.npz")
    block = Splits.load(tmp_path / "block.npz")
    block.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "block.npz").read_bytes()
    assert block.inner.dtype == all_splits.inner.dtype and block.seeds.dtype == all_splits.seeds.dtype
    assert list(block) == [2, 3] and list(all_splits) == [0, 1, 2, 3, 4]
    assert np.array_equal(block.seeds, all_splits.seeds[2:4]) and block.first == 2
    for split in block:
        assert np.array_equal(block.train(split), all_splits.train(split))
        assert np.array_equal(block.test(split), all_splits.test(split))
        for ours, theirs in zip(block.folds(split), all_splits.folds(split), strict=True):
            assert ours[0] == theirs[0] and all(map(np.array_equal, ours[1:], theirs[1:]))
    for other in (-1, 0, 1, 4):
        with pytest.raises(IndexError, match=f"there is no split {other} among those from 2 on: 2"):
            block.train(other)


@pytest.mark.parametrize("change", [{"seed": 1}, {"purpose": ("quick", "splice")}, {"purpose": PURPOSE[:1]}])
def test_another_purpose_draws_another_split(change):
    assert not np.array_equal(draw_splits(**change).inner, draw_splits().inner)


def test_the_global_state_of_numpy_is_neither_used_nor_changed():
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = draw_splits()
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert np.array_equal(draw_splits().inner, first.inner)


@settings(max_examples=60)
@given(st.integers(6, 200), st.integers(1, 3), st.floats(0.1, 0.6), st.integers(2, 5), st.integers(0, 10**9))
def test_folds_partition_the_training_part(n_rows, n_splits, test_fraction, inner_folds, seed):
    n_test = round(n_rows * test_fraction)
    if n_test < 1 or n_rows - n_test < inner_folds:
        return
    splits = draw_random_splits(n_rows, n_splits, test_fraction, inner_folds, seed)
    assert splits.inner.shape == (n_splits, n_rows) and splits.seeds.shape == (n_splits,)
    for split in range(n_splits):
        train = splits.train(split)
        assert np.count_nonzero(~train) == n_test
        folds = list(splits.folds(split))
        assert [fold for fold, _, _ in folds] == list(range(inner_folds))
        held_out_together = np.zeros(n_rows, dtype=int)
        for _, fitted, held_out in folds:
            assert fitted.any() and held_out.any()
            assert not (fitted & held_out).any()
            assert np.array_equal(fitted | held_out, train)
            held_out_together += held_out
        assert np.array_equal(held_out_together, train.astype(int))
        sizes = [int(held_out.sum()) for _, _, held_out in folds]
        assert max(sizes) - min(sizes) <= 1


def test_rows_go_to_the_test_part_alike():
    """Each row is in the test part of about a third of 300 splits."""
    share = (draw_splits(n_rows=30, n_splits=300).inner == -1).mean(axis=0)
    assert np.all(np.abs(share - 1 / 3) < 0.12)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"n_rows": n_rows} for n_rows in (0, 1)),
        {"n_rows": 4, "test_fraction": 0.5},  # two rows for three folds
        *({"test_fraction": fraction} for fraction in (0.0, 0.004, 1.0)),
        *({"inner_folds": folds} for folds in (1, 80)),
    ],
)
def test_parts_that_would_be_empty(arguments):
    with raises_one_sentence(r"rows cannot be split into a test part of .*; use more rows"):
        draw_splits(**arguments)


def labels(positives, negatives):
    return np.repeat([1, 0], [positives, negatives])


@given(st.integers(6, 60), st.integers(6, 60), st.floats(0.3, 0.9), st.floats(0.1, 0.6), st.integers(0, 99))
def test_hold_out_keeps_the_shares_of_the_classes(positives, negatives, share, validation, seed):
    y = labels(positives, negatives)
    n_train = round(share * y.size)
    n_positives = round(n_train * positives / y.size)
    if not (2 <= n_positives < positives and 2 <= n_train - n_positives < negatives):
        return
    splits = draw_hold_out_splits(y, n_train, 2, validation, seed, "study", "data")
    assert set(np.unique(splits.inner)) == {0, FIT_ONLY, TEST}
    for split in range(2):
        train, test = splits.train(split), splits.test(split)
        assert train.sum() == n_train and np.array_equal(test, ~train)
        assert y[train].sum() == n_positives
        ((fold, fitted, held_out),) = splits.folds(split)
        assert fold == 0 and np.array_equal(fitted | held_out, train) and not (fitted & held_out).any()
        for label in (0, 1):
            of_class = (y == label) & train
            n_held_out, size = np.count_nonzero(held_out & of_class), of_class.sum()
            nearest = abs(n_held_out - validation * size) <= 0.5 + 1e-9
            assert 0 < n_held_out < size and (nearest or n_held_out in (1, size - 1))


def test_hold_out_depends_on_its_purpose_only():
    y = labels(20, 30)
    first, repeated, other = (
        draw_hold_out_splits(y, 30, 3, 0.3, 7, "study", name).inner for name in ("a", "a", "b")
    )
    assert np.array_equal(first, repeated) and not np.array_equal(first, other)
    assert np.array_equal(draw_hold_out_splits(y, 30, 5, 0.3, 7, "study", "a").inner[:3], first)


@pytest.mark.parametrize("n_train", [2, 4, 49, 50])
def test_hold_out_of_a_size_that_leaves_a_class_out(n_train):
    with raises_one_sentence("training rows of 50 hold .* positive rows"):
        draw_hold_out_splits(labels(10, 40), n_train, 1, 0.3, 7)


def test_rows_of_another_split_are_in_no_part():
    inner = np.array(
        [[0, FIT_ONLY, TEST, OTHER_SAMPLE], [OTHER_SAMPLE, OTHER_SAMPLE, 1, TEST]], dtype=np.int8
    )
    splits = Splits(inner, np.zeros(2))
    assert splits.train(0).tolist() == [True, True, False, False]
    assert splits.test(0).tolist() == [False, False, True, False]
    assert [fold for fold, *_ in splits.folds(0)] == [0] and [fold for fold, *_ in splits.folds(1)] == [1]


def test_letor_folds():
    """Fold K trains on S_K, S_K+1, S_K+2, validates on S_K+3 and tests on S_K+4."""
    part = np.array([3, 1, 1, 5, 2, 4, 4], dtype=np.int8)
    splits = rotate_letor_folds(part)
    assert splits.inner.dtype == np.int8 and splits.inner.shape == (5, 7)
    expected = {0: ({1, 2, 3}, {4}, {5}), 1: ({2, 3, 4}, {5}, {1}), 2: ({3, 4, 5}, {1}, {2})}
    expected |= {3: ({4, 5, 1}, {2}, {3}), 4: ({5, 1, 2}, {3}, {4})}
    for split, (train, validation, test) in expected.items():
        ((fold, fitted, held_out),) = splits.folds(split)
        assert fold == 0 and set(part[fitted]) == train and set(part[held_out]) == validation
        assert set(part[splits.test(split)]) == test
        assert np.array_equal(fitted | held_out | splits.test(split), np.ones(7, dtype=bool))
        assert fitted.sum() + held_out.sum() + splits.test(split).sum() == 7


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (None, "but these rows belong to none; use a LETOR set"),
        ([1, 2, 3, 4], "but these rows belong to 1, 2, 3, 4; prepare the data set anew"),
        ([0, 1, 2, 3, 4], "but these rows belong to 0, 1, 2, 3, 4"),
        ([1, 2, 3, 4, 5, 6], "belong to 1, 2, 3, 4, 5, 6"),
        ([], "belong to none"),
    ],
)
def test_parts_that_are_no_folds(part, message):
    with raises_one_sentence(message):
        rotate_letor_folds(part if part is None else np.array(part))
