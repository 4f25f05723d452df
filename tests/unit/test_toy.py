"""The toy problem of R12: its moments are those that are declared, and its seed is all that it depends on."""

import numpy as np
import pytest
from ranking_data import raises_one_sentence

from reproduction.core.seeds import derive_seed
from reproduction.datasets.synthetic_families import find_family
from reproduction.papers.rakotomamonjy2012.toy.generate import make_toy, make_toy_trials
from reproduction.papers.rakotomamonjy2012.toy.names import toy_name, toy_size
from reproduction.specs.paper import import_object
from reproduction.splits.splits import OTHER_SAMPLE, Splits


def test_shapes_and_balance():
    toy = make_toy(51, 20, seed=1)
    assert toy.X_train.shape == (51, 30) and toy.X_test.shape == (1000, 30)
    assert toy.y_train.sum() == 25 and toy.y_test.sum() == 500
    assert toy.relevant.sum() == 10 and toy.relevant[:10].all()


def test_the_moments_are_those_that_are_declared():
    toy = make_toy(2, 5, seed=3, n_test=200_000)
    positives, negatives = toy.X_test[toy.y_test == 1], toy.X_test[toy.y_test == 0]
    mean = positives.mean(axis=0)
    np.testing.assert_allclose(np.abs(mean[:10]), 1.0, atol=0.02)
    np.testing.assert_allclose(mean[10:], 0.0, atol=0.02)
    np.testing.assert_allclose(negatives.mean(axis=0), -mean, atol=0.02)
    covariances = [np.cov(part.T) for part in (positives, negatives)]
    for covariance in covariances:
        assert np.trace(covariance[:10, :10]) == pytest.approx(10.0, rel=0.02)
        np.testing.assert_allclose(covariance[10:, 10:], np.eye(5), atol=0.02)
        np.testing.assert_allclose(covariance[:10, 10:], 0.0, atol=0.03)
        off_diagonal = covariance[:10, :10] - np.diag(np.diag(covariance[:10, :10]))
        assert np.abs(off_diagonal).max() > 0.1
    assert np.abs(covariances[0] - covariances[1]).max() > 0.1


def test_the_seed_decides():
    first, repeated, other = (make_toy(20, 4, seed=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.X_train, repeated.X_train)
    np.testing.assert_array_equal(first.X_test, repeated.X_test)
    assert not np.array_equal(first.X_train, other.X_train)


def test_a_single_relevant_feature():
    toy = make_toy(40, 0, seed=0, n_relevant=1, n_test=10_000)
    assert toy.X_train.shape == (40, 1)
    assert toy.X_test.std() == pytest.approx(np.sqrt(2.0), rel=0.05)  # unit variance about ±1


def test_too_few_rows():
    with raises_one_sentence("needs 2 rows for training and 2 for testing; got 1 and 1000"):
        make_toy(1, 3, seed=0)


def test_all_trials_of_a_size_are_one_data_set():
    X, y, splits = make_toy_trials(40, 5, 3, 0.3, 60, 10, 7, "study", "name")
    assert X.shape == (300, 15) and y.shape == (300,) and splits.inner.shape == (3, 300)
    for trial in range(3):
        train, test = splits.train(trial), splits.test(trial)
        assert (train.sum(), test.sum()) == (40, 60)
        assert np.count_nonzero(splits.inner[trial] == OTHER_SAMPLE) == 200
        toy = make_toy(40, 5, derive_seed(7, "study", "name", trial, "toy"), 60)
        np.testing.assert_array_equal(X[train], toy.X_train)
        np.testing.assert_array_equal(y[test], toy.y_test)
        ((_, fitted, held_out),) = splits.folds(trial)
        assert np.array_equal(fitted | held_out, train)
        assert y[held_out].sum() == 6 and held_out.sum() == 12  # three tenths of each class
    parts = np.array([splits.train(trial) | splits.test(trial) for trial in range(3)])
    assert (parts.sum(axis=0) == 1).all()


def test_a_block_holds_the_trials_of_its_numbers():
    X, y, splits = make_toy_trials(20, 2, 4, 0.3, 10, 3, 7, "s")
    part_X, part_y, part = make_toy_trials(20, 2, range(1, 3), 0.3, 10, 3, 7, "s")
    assert list(part) == [1, 2]
    for trial in part:
        for of_trial in (Splits.train, Splits.test):
            ours, theirs = of_trial(part, trial), of_trial(splits, trial)
            np.testing.assert_array_equal(part_X[ours], X[theirs])
            np.testing.assert_array_equal(part_y[ours], y[theirs])
        ((_, ours, _),), ((_, theirs, _),) = part.folds(trial), splits.folds(trial)
        np.testing.assert_array_equal(part_X[ours], X[theirs])


def test_names():
    assert toy_name(100, 20) == "toy-n100-noise20" and toy_size("toy-n100-noise20") == (100, 20)
    family = find_family("toy-n100-noise20-hard")
    size = import_object(family.measure_size)({"test_rows": 50, "relevant": 3}, "toy-n100-noise20-hard")
    assert size == (150, 23)
    assert find_family("toy") is find_family("colon") is find_family("toy-n1-noise2-x") is None
    assert toy_size("toy") is toy_size("colon") is toy_size("toy-n1-noise2-x") is None
