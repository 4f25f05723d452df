"""A search that sees a part of the training rows: how it is drawn, and that nothing else depends on it."""

import numpy as np
import pandas as pd
import pytest
from job_files import TOP, read_rows, run_fit, run_splits, save_dataset
from ranking_data import raises_one_sentence

from reproduction.fitting.cross_validation import CrossValidation
from reproduction.fitting.method import Method
from reproduction.papers.kadkhodaie2015.search_size.experiment import COLUMNS, run_experiment
from reproduction.splits.split_data import SplitData
from reproduction.splits.splits import FIT_ONLY, UNSEARCHED, Splits, draw_random_splits

SHARE = 0.1
SAMPLED = TOP | {"feature_scaling": ["raw"], "search_sample": {"above": 100, "share": SHARE}}
PURPOSE = (7, "tiny", "terrain")
ALPHAS = [1e-3, 1e-1, 10.0]


def draw_terrain(n=900, seed=0):
    """Rows like covtype's: elevations and distances in the thousands beside indicators; 40 % are positive."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.4).astype(np.int8)
    elevations = random.normal(3000.0 + 150.0 * y[:, None], 300.0, size=(n, 4)).round()
    kinds = np.eye(6)[np.where(random.random(n) < 0.3, y, random.integers(0, 6, n))]
    return np.hstack([elevations, kinds]), y


X, Y = draw_terrain()


@pytest.fixture
def full_splits():
    return draw_random_splits(len(Y), 3, 1 / 3, 3, *PURPOSE)


@pytest.fixture
def sampled_splits(full_splits):
    return full_splits.restrict_search(Y, SHARE, *PURPOSE)


def rows_of_search(splits, split):
    """The rows that the folds of a split show, each of which holds one part out."""
    folds = list(splits.folds(split))
    for _, train, held_out in folds:
        assert not (train & held_out).any() and np.array_equal(train | held_out, folds[0][1] | folds[0][2])
    held_out = np.sum([held_out for *_, held_out in folds], axis=0)
    assert held_out.max() == 1
    return held_out.astype(bool)


def test_the_sample_is_of_the_training_part_and_stratified(full_splits, sampled_splits):
    for split in full_splits:
        searched, train = rows_of_search(sampled_splits, split), full_splits.train(split)
        assert not (searched & full_splits.test(split)).any()
        for label in (0, 1):
            assert np.count_nonzero(searched[label == Y]) == round(
                SHARE * np.count_nonzero(train[label == Y])
            )
        assert np.array_equal(sampled_splits.train(split), train) and np.array_equal(
            sampled_splits.test(split), full_splits.test(split)
        )
        for (fold, _, held_out), (same_fold, _, all_held_out) in zip(
            sampled_splits.folds(split), full_splits.folds(split), strict=True
        ):
            assert fold == same_fold and np.array_equal(held_out, all_held_out & searched)


def test_the_sample_depends_on_its_purpose_only(full_splits, sampled_splits):
    assert np.array_equal(full_splits.restrict_search(Y, SHARE, *PURPOSE).inner, sampled_splits.inner)
    alone = draw_random_splits(len(Y), range(2, 3), 1 / 3, 3, *PURPOSE).restrict_search(Y, SHARE, *PURPOSE)
    assert np.array_equal(alone.inner[0], sampled_splits.inner[2])
    other = full_splits.restrict_search(Y, SHARE, 8, *PURPOSE[1:])
    assert not np.array_equal(other.inner, sampled_splits.inner)
    assert len({rows_of_search(sampled_splits, split).tobytes() for split in sampled_splits}) == 3


def test_a_search_on_all_rows_is_the_one_before_bit_for_bit(full_splits, sampled_splits, tmp_path):
    sampled_splits.save(tmp_path / "sampled_splits.npz")
    restored = Splits.load(tmp_path / "sampled_splits.npz").restore_search()
    assert (
        np.array_equal(restored.inner, full_splits.inner) and restored.inner.dtype == full_splits.inner.dtype
    )
    method = Method("toprank.TopPush", {"solver": "exact"}, {"alpha": ALPHAS})
    expected, rows = (
        CrossValidation(method, X, Y, splits).run_split(1) for splits in (full_splits, restored)
    )
    for row in (*expected, *rows):
        row.pop("seconds")
    assert rows == expected


def test_rows_that_are_never_held_out_stay_in_every_fold():
    roles = np.array([[FIT_ONLY, 0, 0, 0, 0, -1]], dtype=np.int8)
    sampled_splits = Splits(roles, np.zeros(1, dtype=np.int64)).restrict_search(np.ones(6), 0.5, *PURPOSE)
    ((_, train, held_out),) = sampled_splits.folds(0)
    assert train.tolist() == [True] + [False] * 5 and np.count_nonzero(held_out) == 2
    assert np.count_nonzero(sampled_splits.inner == UNSEARCHED) == 2
    assert np.array_equal(sampled_splits.restore_search().inner, roles)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5])
def test_a_share_that_is_none(full_splits, share):
    with raises_one_sentence("between 0 and 1"):
        full_splits.restrict_search(Y, share, *PURPOSE)


@pytest.fixture
def folder(tmp_path):
    save_dataset(tmp_path / "terrain", X, Y)
    return tmp_path / "terrain"


@pytest.mark.parametrize(("threshold", "is_drawn"), [(600, False), (599, True)])
def test_only_a_large_training_part_is_searched_in_part(folder, threshold, is_drawn):
    files, *_ = run_splits(folder, SAMPLED | {"search_sample": {"above": threshold, "share": SHARE}})
    splits = Splits.load(files.splits)
    assert np.count_nonzero(splits.train(0)) == 600
    assert np.count_nonzero(rows_of_search(splits, 0)) == (60 if is_drawn else 600)


SEARCH = {"dataset": "terrain", "feature_scaling": "raw", "split": 0, "alphas": ALPHAS}


def test_the_job_searches_on_the_sample_and_fits_all_rows(folder, tmp_path):
    files, *_ = run_splits(folder, SAMPLED)
    fits = pd.DataFrame(read_rows(run_fit(files, tmp_path, solver="dual", grid={"alpha": ALPHAS})))
    parts = ["n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"]
    counts = fits[parts].astype(int)
    search = fits["role"] == "search"
    assert counts[search].sum(axis=1).unique().tolist() == [60]
    assert counts[~search][parts[:2]].sum(axis=1).unique().tolist() == [600]
    # the time of a split is that of the fit to all rows, not of the search
    assert fits.loc[~search, "seconds"].astype(float).gt(0).all() and (~search).sum() == 2


def read_split(folder, files, split=0):
    return SplitData("terrain", split, files.manifest, files.arrays, files.splits)


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        ("toppush", {"solver": "dual", "solver__stop": "published", "tol": 1e-4, "max_iter": 10_000}),
        ("exact", {"solver": "exact", "tol": 1e-8}),
    ],
)
def test_the_experiment_compares_both_searches(folder, name, fixed):
    files, *_ = run_splits(folder, SAMPLED)
    settings = SEARCH | {"method": name}
    results = list(run_experiment(settings, splits=[read_split(folder, files)]))
    assert [table for table, _ in results] == ["search_size"] * 2
    part_row, full_row = (row for _, row in results)
    assert set(part_row) | set(full_row) <= set(COLUMNS)
    assert (part_row["search"], full_row["search"]) == ("part", "all")
    assert [row["searched_rows"] for row in (part_row, full_row)] == [60, 600]
    assert {row["method"] for row in (part_row, full_row)} == {name}
    assert [row["training_rows"] for row in (part_row, full_row)] == [600, 600]
    assert part_row["search_fits"] == full_row["search_fits"] == 9
    assert all(0 < row["seconds"] != row["search_seconds"] > 0 for row in (part_row, full_row))
    splits = Splits.load(files.splits)
    method = Method("toprank.TopPush", fixed, {"alpha": ALPHAS})
    for row, searched in ((part_row, splits), (full_row, splits.restore_search())):
        chosen = CrossValidation(method, X, Y, searched).run_split(0)[-1]
        assert all(row[name] == chosen[name] for name in ("params", "positives_at_top", "n_iter", "status"))


def test_without_a_sample_there_is_one_search(folder):
    files, *_ = run_splits(folder, TOP | {"feature_scaling": ["raw"]})
    ((_, row),) = run_experiment(SEARCH | {"method": "exact"}, splits=[read_split(folder, files)])
    assert row["search"] == "all"
