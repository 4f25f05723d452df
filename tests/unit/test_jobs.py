"""The scripts between the data and the rows: splits, fit, collect and verify."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from job_files import BLOCK, LETOR, TOP, collect, get_columns, read_rows, run_fit, run_splits, save_dataset
from ranking_data import counts, gaussians, stack_classes, surrounded_positives
from report_runs import run

from reproduction.collection.collect import collect_fits, join_provenance
from reproduction.core.provenance import PROVENANCE_COLUMNS, summarise_provenance
from reproduction.core.result_columns import (
    QUERY_COLUMNS,
)
from reproduction.core.results import ResultsError
from reproduction.datasets.prepare import make_placeholder, prepare
from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import Splits, draw_hold_out_splits, draw_random_splits
from reproduction.verification import solver_checks as verification
from toprank.solvers.regularisation_max import lambda_max

PUSH = {"kind": "hold_out", "feature_scaling": ["raw"], "train_rows": 50, "validation_fraction": 0.3}


@pytest.fixture
def data(tmp_path):
    """A data set with two splits in one block; the files that a fit reads."""
    X, y = stack_classes(*gaussians(m=30, n=45))
    save_dataset(tmp_path / "overlap", X, y)
    return run_splits(tmp_path / "overlap")[0]


def expected_splits(settings, prepared, n_splits):
    """What the library draws for a study, all splits at once."""
    seed = (7, "tiny", prepared.manifest["dataset"])
    if settings is TOP:
        return draw_random_splits(prepared.y.size, n_splits, 1 / 3, 3, *seed)
    if settings is PUSH:
        return draw_hold_out_splits(prepared.y, 50, n_splits, 0.3, *seed)
    return rotate_letor_folds(prepared.part)


@pytest.mark.parametrize("settings", [TOP, PUSH, LETOR], ids=lambda settings: settings["kind"])
def test_blocks_of_splits_are_parts_of_what_the_library_draws(settings, tmp_path):
    name = "letor-like" if settings is LETOR else "wdbc"
    save_prepared(prepare(name, tmp_path), tmp_path / name)
    expected = expected_splits(settings, load_prepared(tmp_path / name), 5)
    for first, last in ((0, 1), (2, 4)):
        files, diagnosis, _ = run_splits(tmp_path / name, settings, f"{first}-{last}")
        loaded = Splits.load(files.splits)
        assert list(loaded) == list(range(first, last + 1)) and loaded.first == first
        assert np.array_equal(loaded.inner, expected.inner[first : last + 1])
        assert np.array_equal(loaded.seeds, expected.seeds[first : last + 1])
        numbers = [str(number) for number in loaded]
        assert get_columns(diagnosis, *BLOCK) == [
            (name, scaling, n) for scaling in settings["feature_scaling"] for n in numbers
        ]


@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_fit(data, tmp_path, feature_scaling):
    job = run_fit(
        data, tmp_path, feature_scaling=feature_scaling, grid={"alpha": [0.1, 1.0]}, path={"alpha": [10.0]}
    )
    rows = read_rows(job)
    assert [row["role"] for row in rows] == (["search"] * 6 + ["path", "chosen"]) * 2
    assert [row["split"] for row in rows] == ["0"] * 8 + ["1"] * 8
    names = get_columns(rows, "study", *BLOCK[:2], "method", "status")
    assert set(names) == {("tiny", "overlap", feature_scaling, "toppush", "certified")}
    assert all(float(row["relative_gap"]) <= 1e-8 and float(row["seconds"]) > 0 for row in rows)
    assert "split 1 done" in job.with_suffix(".log").read_text()


def test_fits_of_a_split_are_the_same_in_any_block(data, tmp_path):
    """The fits are the same whether their splits are in one block or in two."""
    folder = Path(data.arrays).parent
    parts = [run_fit(run_splits(folder, block=block)[0], tmp_path, block=block) for block in ("0-0", "1-1")]
    *cut, whole_job = [pd.DataFrame(read_rows(path)) for path in (*parts, run_fit(data, tmp_path))]
    cut = pd.concat(cut, ignore_index=True)
    assert list(whole_job["split"]) == ["0", "1"] and whole_job["seconds"].astype(float).gt(0).all()
    pd.testing.assert_frame_equal(cut.drop(columns="seconds"), whole_job.drop(columns="seconds"))


def test_each_file_says_what_made_it(data, tmp_path):
    """Commit, date, seed, data, code and machine; none of it is a fit."""
    jobs = [run_fit(data, tmp_path, method) for method in ("toppush", "other")]
    provenance = join_provenance(reversed(jobs))
    assert list(provenance["method"]) == ["other", "toppush"] and set(provenance["split_batch"]) == {"0-1"}
    (data_digest,) = set(provenance["data"])
    assert data_digest == hashlib.sha256(Path(data.arrays).read_bytes()).hexdigest()
    assert set(provenance["seed"]) == {"1"} and set(provenance["code"]) == {"0a1b"}
    assert (provenance[list(PROVENANCE_COLUMNS)] != "").all(axis=None) and "scipy " in provenance["versions"][
        0
    ]
    assert len(collect_fits(jobs)) == 4
    (of_all,) = summarise_provenance(provenance.to_dict("records"))
    assert of_all["files"] == 2 and of_all["first"] <= of_all["last"]
    jobs[0].write_text("".join(jobs[0].read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ResultsError, match=r"raw\.toppush\.0-1\.csv holds no provenance: delete it"):
        join_provenance(jobs)


def test_what_another_method_chose_is_inherited(data, tmp_path):
    chosen = run_fit(data, tmp_path, grid={"alpha": [0.1, 1.0]})
    alphas = [json.loads(row["params"])["alpha"] for row in read_rows(chosen) if row["role"] == "chosen"]
    settings = {"inherit": ["alpha"], "fixed": {"solver": "admm"}, "grid": {"solver__rho": [0.1, 1.0]}}
    job = run_fit(data, tmp_path, "admm", chosen=chosen, **settings)
    for split, alpha in enumerate(alphas):
        rows = [row for row in read_rows(job) if row["split"] == str(split)]
        assert len(rows) == 7 and {json.loads(row["params"])["alpha"] for row in rows} == {alpha}


def test_nothing_to_inherit_is_a_failed_row_that_says_why(data, tmp_path):
    wrong = {"solver": "a2dm2-restart", "solver__eta": 2.0}
    chosen = run_fit(data, tmp_path, block="0-0", fixed=wrong, grid={"alpha": [0.1]})
    rows = first, second = read_rows(run_fit(data, tmp_path, "exact", chosen=chosen, inherit=["alpha"]))
    assert get_columns(rows, "split", "role", "status") == [(split, "chosen", "failed") for split in "01"]
    assert first["message"].startswith(
        "no alpha to inherit on split 0: no parameter could be chosen: ValueError: eta"
    )
    assert second["message"] == "no chosen fit to inherit alpha from on split 1"


@pytest.mark.parametrize(("study", "settings"), [("tiny", TOP), ("letor", LETOR)])
def test_a_data_set_that_was_not_obtained(study, settings, tmp_path):
    save_prepared(make_placeholder("td2003", "no file"), tmp_path / "td2003")
    files, diagnosis, _ = run_splits(tmp_path / "td2003", settings, "0-0", study)
    assert Splits.load(files.splits).inner.shape == (0, 0) and diagnosis == []
    assert (
        Path(files.splits)
        .with_suffix(".csv")
        .read_text()
        .startswith("dataset,feature_scaling,split,lambda_max,")
    )
    job = run_fit(files, tmp_path, block="0-0", study=study)
    rows = get_columns(read_rows(job), "status", "role", "message", "split")
    assert rows == [("not obtained", "chosen", "no file", "")]
    fits, extra_rows = collect(
        tmp_path, [job], [Path(files.splits).with_suffix(".csv")], settings, files.manifest, "td2003"
    )
    assert len(read_rows(fits)) == 1 and read_rows(extra_rows) == []
    heads = QUERY_COLUMNS if study == "letor" else ("dataset", "feature_scaling", "split", "lambda_max")
    assert extra_rows.read_text().startswith(",".join(heads))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_what_is_known_of_a_split_before_any_fit(tmp_path, kind):
    X, y = stack_classes(*counts())
    save_dataset(tmp_path / "counts", kind(np.column_stack([X, np.ones(y.size)])), y)
    files, rows, log = run_splits(tmp_path / "counts", TOP | {"feature_scaling": ["raw"]})
    splits = Splits.load(files.splits)
    assert [row["split"] for row in rows] == ["0", "1"] and "split 1: lambda_max" in log
    for number, row in enumerate(rows):
        train = splits.train(number)
        expected = lambda_max(X[train & (y == 1)], X[train & (y == 0)])
        assert float(row["lambda_max"]) == pytest.approx(expected, rel=1e-5)
        assert row["zero_is_optimal"] == "False" and row["constant_features"] == "1"
        assert int(row["n_train_positives"]) + int(row["n_train_negatives"]) == train.sum()


def test_standardised_data_whose_answer_is_zero(tmp_path):
    save_dataset(tmp_path / "hull", *stack_classes(*surrounded_positives(m=40, n=110)))
    _, rows, _ = run_splits(tmp_path / "hull", TOP | {"feature_scaling": ["standardised"]})
    assert {(row["lambda_max"], row["zero_is_optimal"]) for row in rows} == {("0.0", "True")}


def test_a_training_part_with_one_class(tmp_path):
    X, y = stack_classes(*gaussians())
    save_dataset(tmp_path / "one-class", X, np.ones_like(y))
    _, rows, log = run_splits(tmp_path / "one-class")
    assert "split 1: the training part has a single class, no lambda_max" in log and len(rows) == 4
    for row in rows:
        assert (row["lambda_max"], row["zero_is_optimal"], row["n_train_negatives"]) == ("", "", "0")


def test_the_diagnosis_of_all_blocks_stands_in_the_order_of_the_table(data, tmp_path):
    folder = Path(data.arrays).parent
    (tmp_path / "other").mkdir()
    for name in ("arrays.npz", "manifest.json"):
        (tmp_path / "other" / name).write_bytes((folder / name).read_bytes())
    run_splits(folder, block="2-2")
    run_splits(tmp_path / "other")
    blocks = [folder / "0-1.csv", folder / "2-2.csv", tmp_path / "other/0-1.csv"]
    _, diagnosis = collect(
        tmp_path, [run_fit(data, tmp_path)], blocks, TOP, data.manifest, "other", "overlap"
    )
    assert get_columns(read_rows(diagnosis), *BLOCK) == [
        (name, feature_scaling, number)
        for name, numbers in (("other", "01"), ("overlap", "012"))
        for feature_scaling in ("raw", "standardised")
        for number in numbers
    ]
    assert sorted(diagnosis.read_text().splitlines()[1:]) == sorted(
        line for block in blocks for line in block.read_text().splitlines()[1:]
    )


def test_verify_and_concatenate(tmp_path, monkeypatch):
    monkeypatch.setattr(verification, "CHECK_HALVES", {"first": ("exact",), "second": ("a2dm2",)})
    save_dataset(tmp_path / "overlap", *stack_classes(*gaussians(m=30, n=45)))
    save_dataset(tmp_path / "nowhere", np.empty((0, 0)), np.empty(0), status="not obtained", reason="no file")
    manifests = [str(tmp_path / name / "manifest.json") for name in ("overlap", "nowhere")]
    parts = []
    for part, (solver,) in verification.CHECK_HALVES.items():
        parts.append(tmp_path / f"{part}.csv")
        settings = {"rows": 40, "alphas": [0.1, 1.0], "seed": 7}
        log = run("verify", tmp_path, {"manifests": manifests}, [str(parts[-1])], {"half": part}, **settings)
        assert "nowhere: left out, no file" in log
        assert {(row["method"], row["passed"]) for row in read_rows(parts[-1])} == {(solver, "True")}
    together = tmp_path / "verification.csv"
    run("concatenate", tmp_path, [str(path) for path in parts], [str(together)])
    assert (
        read_rows(together) == [row for path in parts for row in read_rows(path)]
        and len(read_rows(together)) == 4
    )


def test_each_solver_is_verified_in_one_half():
    first, second = verification.CHECK_HALVES.values()
    assert [*first, *second] == list(verification.CHECKS) and first and second
    assert list(verification.CHECK_HALVES) == ["first", "second"], "as the rule of the workflow asks for them"


def test_tables_of_different_columns_are_not_put_together(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(SystemExit, match=r"b\.csv has the columns x,z, but the tables before it have x,y"):
        files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
        run("concatenate", tmp_path, files, [str(tmp_path / "both.csv")])
