"""Blocks of splits: a study that gets longer keeps the blocks that it has, and makes new ones only."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from experiments import Experiments
from paths import Paths

STUDY = {"paper": "kadkhodaie2015", "published": False, "methods": ["exact"], "datasets": {"wdbc": ["raw"]}}
TOY = {"rows": [50], "noise": [5], "retrieval_rows": 50, "retrieval_noise": [5], "methods": ["exact"]}


def paths_of(folder, splits, size, dataset="wdbc", **further):
    study = STUDY | {"datasets": {dataset: ["raw"]}, "splits": splits, "splits_per_job": size} | further
    config = {"results": str(folder), "run": ["tiny"], "studies": {"tiny": study}}
    return Paths(config | {"datasets": [], "verification": {"datasets": []}})


def blocks(folder, splits, size=5, dataset="wdbc", **further):
    """The blocks of a run, which then have their files."""
    named = paths_of(folder, splits, size, dataset, **further).split_batches.list_batches("tiny", dataset)
    (folder / "tiny/splits").mkdir(parents=True, exist_ok=True)
    for block in named:
        (folder / f"tiny/splits/{dataset}.{block}.npz").touch()
    return named


def list_covered(named):
    return [number for first, last in map(ends, named) for number in range(first, last + 1)]


def ends(block):
    first, _, last = block.partition("-")
    return int(first), int(last)


def test_of_a_new_study(tmp_path):
    assert blocks(tmp_path, 12) == ["0-4", "5-9", "10-11"]


@pytest.mark.parametrize(
    ("runs", "named"),
    [
        ([(10, 5), (15, 5)], ["0-4", "5-9", "10-14"]),
        ([(7, 5), (12, 5)], ["0-4", "5-6", "7-11"]),  # the last one was not full
        ([(1, 10), (2, 10), (20, 10)], ["0-0", "1-1", "2-11", "12-19"]),
        ([(4, 2), (10, 5)], ["0-1", "2-3", "4-8", "9-9"]),  # another size
        ([(10, 10), (12, 3)], ["0-9", "10-11"]),
    ],
)
def test_raised_splits_make_new_blocks_only(tmp_path, runs, named):
    batches = [blocks(tmp_path, *run) for run in runs]
    assert batches[-1] == named and list_covered(named) == list(range(runs[-1][0]))
    for before, after in pairwise(batches):
        assert after[: len(before)] == before
    assert blocks(tmp_path, *runs[-1]) == named, "nothing to be done"


def test_lowered_splits_keep_the_blocks_within_and_come_back(tmp_path):
    blocks(tmp_path, 12)
    assert blocks(tmp_path, 10) == ["0-4", "5-9"]
    assert blocks(tmp_path, 8) == ["0-4", "5-7"]
    assert blocks(tmp_path, 3) == ["0-2"]
    assert blocks(tmp_path, 8) == ["0-4", "5-7"], "the longer of two blocks with the same first split"
    assert blocks(tmp_path, 12) == ["0-4", "5-9", "10-11"]
    assert blocks(tmp_path, 13) == ["0-4", "5-9", "10-11", "12-12"]


def test_files_of_other_data_sets_and_other_files_count_for_nothing(tmp_path):
    blocks(tmp_path, 3, dataset="wdbc-two")
    for name in ("wdbc.0-2.csv", "wdbc.0-2.npz.new", "wdbc.old.npz", "wdbcx0-2.npz"):
        (tmp_path / "tiny/splits" / name).touch()
    assert blocks(tmp_path, 5) == ["0-4"]


def test_the_size_of_a_data_set_and_of_the_toy_problem(tmp_path):
    assert blocks(tmp_path, 6, splits_per_job_by_dataset={"wdbc": 2}) == ["0-1", "2-3", "4-5"]
    (toy,) = paths_of(tmp_path, 6, 3, toy=TOY).studies.list_synthetic_datasets("tiny")
    for trials, named in ((3, ["0-1", "2-2"]), (5, ["0-1", "2-2", "3-4"])):
        settings = TOY | {"trials": trials, "trials_per_job": 2}
        assert blocks(tmp_path, 6, dataset=toy, toy=settings) == named


def test_all_files_of_a_study_follow_its_blocks(tmp_path):
    blocks(tmp_path, 7)
    paths, named = paths_of(tmp_path, 12, 5), ["0-4", "5-6", "7-11"]
    assert paths.split_batches.list_batches_by_dataset("tiny") == {"wdbc": named}
    folder = f"{tmp_path}/tiny"
    assert paths.list_diagnosis_files("tiny") == [f"{folder}/splits/wdbc.{block}.csv" for block in named]
    assert paths.list_fit_files("tiny") == [f"{folder}/fits/wdbc.raw.exact.{block}.csv" for block in named]


def test_a_measurement_reads_the_block_of_its_split(tmp_path):
    blocks(tmp_path, 7)
    paths = paths_of(tmp_path, 12, 5, convergence={"dataset": "wdbc", "split": 6})
    for split, block in ((0, "0-4"), (4, "0-4"), (5, "5-6"), (6, "5-6"), (7, "7-11"), (11, "7-11")):
        assert paths.get_split_inputs("tiny", "wdbc", split)["splits"].endswith(f"/wdbc.{block}.npz")
    with pytest.raises(ValueError, match="study tiny has no split 12"):
        paths.get_split_inputs("tiny", "wdbc", 12)
    job = SimpleNamespace(study="tiny", kind="convergence", part="all")
    experiments = Experiments(paths)
    assert experiments.list_split_inputs(job) == [("wdbc", 6)]
    assert experiments.select_split_files("splits")(job) == [f"{tmp_path}/tiny/splits/wdbc.5-6.npz"]
