"""The scripts between the data and the rows: splits, fit, collect, verify, and what is measured."""

import csv
import hashlib
import json
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, stacked, surrounded
from report_runs import run
from studies import study_of

from reproduction.collection.collect import collect_fits, collect_queries, join_provenance
from reproduction.core.atomic_io import write_manifest
from reproduction.core.provenance import PROVENANCE_COLUMNS, PROVENANCE_ROLE, summarise_provenance
from reproduction.core.result_columns import (
    LIST_FIT_COLUMNS,
    QUERY_COLUMNS,
    QUERY_FIT_COLUMNS,
    list_job_columns,
)
from reproduction.core.results import ResultsError
from reproduction.datasets.prepare import load_prepared, make_placeholder, prepare, save_prepared
from reproduction.datasets.table import name_arrays
from reproduction.papers import paper
from reproduction.plotting.style import draw_figure, save_figure
from reproduction.splits.splits import Splits, draw_hold_out_splits, draw_random_splits, rotate_letor_folds
from reproduction.verification import solver_checks as verification
from toprank.solvers.regularisation_max import lambda_max

Files = namedtuple("Files", "arrays manifest splits")
TOP = {"kind": "random", "feature_scaling": ["raw", "standardised"], "test_fraction": 1 / 3, "inner_folds": 3}
PUSH = {"kind": "hold_out", "feature_scaling": ["raw"], "train_rows": 50, "validation_fraction": 0.3}
LETOR = {"kind": "folds", "feature_scaling": []}


def table(path):
    """The rows of a file, but for what says who made it."""
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row.get("role") != PROVENANCE_ROLE]


def prepared(folder, X, y, **manifest):
    """What the rule prepare writes, as far as the jobs read it."""
    folder.mkdir()
    np.savez(folder / "arrays.npz", y=y, **name_arrays(X))
    about = {"dataset": folder.name, "status": "obtained", "reason": "", "rows": len(y)} | manifest
    write_manifest(folder / "manifest.json", about, folder / "arrays.npz")


@pytest.fixture
def data(tmp_path):
    """A data set with two splits in one block; the files that a fit reads."""
    X, y = stacked(*gaussians(m=30, n=45))
    prepared(tmp_path / "overlap", X, y)
    return split(tmp_path / "overlap")[0]


def split(folder, settings=TOP, block="0-1", study="tiny"):
    """Run the rule splits on a prepared set; the files that a fit reads, the diagnosis and the log."""
    files = Files(*(str(folder / name) for name in ("arrays.npz", "manifest.json", f"{block}.npz")))
    made = folder / f"{block}.csv"
    inputs = {"arrays": files.arrays, "manifest": files.manifest}
    outputs = {"splits": files.splits, "diagnosis": str(made)}
    wildcards = {"study": study, "dataset": folder.name, "split_batch": block}
    log = run("splits", folder, inputs, outputs, wildcards, settings=settings, seed=7)
    return files, table(made), log


def fit(
    files, folder, method="toppush", feature_scaling="raw", block="0-1", chosen=None, study="tiny", **params
):
    dataset = Path(files.arrays).parent.name
    output = folder / f"{dataset}.{feature_scaling}.{method}.{block}.csv"
    of_queries = study == "letor"
    columns = list_job_columns(QUERY_FIT_COLUMNS if of_queries else LIST_FIT_COLUMNS, of_queries)
    searches = {"columns": columns, "ties": ["strongest"], "thresholds": [], "limits": {}}
    searches["runs"] = (
        "reproduction.fitting.validation_fold" if of_queries else "reproduction.fitting.cross_validation"
    )
    wildcards = {"study": study, "dataset": dataset, "feature_scaling": feature_scaling, "split_batch": block}
    given = files._asdict() | {"chosen": str(chosen)}
    params = searches | {"estimator": "toprank.TopPush", "code": "0a1b"} | params
    log = run("fit", folder, given, [str(output)], wildcards, f"of_a_module_{method}", **params)
    output.with_suffix(".log").write_text(log)
    return output


def expected_splits(settings, prepared, n_splits):
    """What the library draws for a study, all splits at once."""
    seed = (7, "tiny", prepared.manifest["dataset"])
    if settings is TOP:
        return draw_random_splits(prepared.y.size, n_splits, 1 / 3, 3, *seed)
    if settings is PUSH:
        return draw_hold_out_splits(prepared.y, 50, n_splits, 0.3, *seed)
    return rotate_letor_folds(prepared.part)


def named(rows, *columns):
    """The values of some columns, row by row."""
    return [tuple(row[column] for column in columns) for row in rows]


BLOCK = ("dataset", "feature_scaling", "split")
MISSING = ("status", "message")


@pytest.mark.parametrize("settings", [TOP, PUSH, LETOR], ids=lambda settings: settings["kind"])
def test_blocks_of_splits_are_parts_of_what_the_library_draws(settings, tmp_path):
    name = "letor-like" if settings is LETOR else "wdbc"
    save_prepared(prepare(name, tmp_path), tmp_path / name)
    expected = expected_splits(settings, load_prepared(tmp_path / name), 5)
    for first, last in ((0, 1), (2, 4)):
        files, diagnosis, _ = split(tmp_path / name, settings, f"{first}-{last}")
        made = Splits.load(files.splits)
        assert list(made) == list(range(first, last + 1)) and made.first == first
        assert np.array_equal(made.inner, expected.inner[first : last + 1])
        assert np.array_equal(made.seeds, expected.seeds[first : last + 1])
        numbers = [str(number) for number in made]
        assert named(diagnosis, *BLOCK) == [
            (name, one, n) for one in settings["feature_scaling"] for n in numbers
        ]


@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_fit(data, tmp_path, feature_scaling):
    made = fit(
        data, tmp_path, feature_scaling=feature_scaling, grid={"alpha": [0.1, 1.0]}, path={"alpha": [10.0]}
    )
    rows = table(made)
    assert [row["role"] for row in rows] == (["search"] * 6 + ["path", "chosen"]) * 2
    assert [row["split"] for row in rows] == ["0"] * 8 + ["1"] * 8
    names = named(rows, "study", *BLOCK[:2], "method", "status")
    assert set(names) == {("tiny", "overlap", feature_scaling, "toppush", "certified")}
    assert all(float(row["relative_gap"]) <= 1e-8 and float(row["seconds"]) > 0 for row in rows)
    assert "split 1 done" in made.with_suffix(".log").read_text()


def test_fits_of_a_split_are_the_same_in_any_block(data, tmp_path):
    """The fits are the same whether their splits are in one block or in two."""
    folder = Path(data.arrays).parent
    parts = [fit(split(folder, block=block)[0], tmp_path, block=block) for block in ("0-0", "1-1")]
    *cut, whole = [pd.DataFrame(table(path)) for path in (*parts, fit(data, tmp_path))]
    cut = pd.concat(cut, ignore_index=True)
    assert list(whole["split"]) == ["0", "1"] and whole["seconds"].astype(float).gt(0).all()
    pd.testing.assert_frame_equal(cut.drop(columns="seconds"), whole.drop(columns="seconds"))


def test_each_file_says_what_made_it(data, tmp_path):
    """Commit, date, seed, data, code and machine; none of it is a fit."""
    jobs = [fit(data, tmp_path, method) for method in ("toppush", "other")]
    made = join_provenance(reversed(jobs))
    assert list(made["method"]) == ["other", "toppush"] and set(made["split_batch"]) == {"0-1"}
    (data_digest,) = set(made["data"])
    assert data_digest == hashlib.sha256(Path(data.arrays).read_bytes()).hexdigest()
    assert set(made["seed"]) == {"1"} and set(made["code"]) == {"0a1b"}
    assert (made[list(PROVENANCE_COLUMNS)] != "").all(axis=None) and "scipy " in made["versions"][0]
    assert len(collect_fits(jobs)) == 4
    (of_all,) = summarise_provenance(made.to_dict("records"))
    assert of_all["files"] == 2 and of_all["first"] <= of_all["last"]
    jobs[0].write_text("".join(jobs[0].read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ResultsError, match=r"raw\.toppush\.0-1\.csv holds no provenance: delete it"):
        join_provenance(jobs)


def test_what_another_method_chose_is_inherited(data, tmp_path):
    chosen = fit(data, tmp_path, grid={"alpha": [0.1, 1.0]})
    alphas = [json.loads(row["params"])["alpha"] for row in table(chosen) if row["role"] == "chosen"]
    settings = {"inherit": ["alpha"], "fixed": {"solver": "admm"}, "grid": {"solver__rho": [0.1, 1.0]}}
    made = fit(data, tmp_path, "admm", chosen=chosen, **settings)
    for split, alpha in enumerate(alphas):
        rows = [row for row in table(made) if row["split"] == str(split)]
        assert len(rows) == 7 and {json.loads(row["params"])["alpha"] for row in rows} == {alpha}


def test_nothing_to_inherit_is_a_failed_row_that_says_why(data, tmp_path):
    wrong = {"solver": "a2dm2-restart", "solver__eta": 2.0}
    chosen = fit(data, tmp_path, block="0-0", fixed=wrong, grid={"alpha": [0.1]})
    rows = first, second = table(fit(data, tmp_path, "exact", chosen=chosen, inherit=["alpha"]))
    assert named(rows, "split", "role", "status") == [(split, "chosen", "failed") for split in "01"]
    assert first["message"].startswith(
        "no alpha to inherit on split 0: no parameter could be chosen: ValueError: eta"
    )
    assert second["message"] == "no chosen fit to inherit alpha from on split 1"


@pytest.mark.parametrize(("study", "settings"), [("tiny", TOP), ("letor", LETOR)])
def test_a_data_set_that_was_not_obtained(study, settings, tmp_path):
    save_prepared(make_placeholder("td2003", "no file"), tmp_path / "td2003")
    files, diagnosis, _ = split(tmp_path / "td2003", settings, "0-0", study)
    assert Splits.load(files.splits).inner.shape == (0, 0) and diagnosis == []
    assert (
        Path(files.splits)
        .with_suffix(".csv")
        .read_text()
        .startswith("dataset,feature_scaling,split,lambda_max,")
    )
    job = fit(files, tmp_path, block="0-0", study=study)
    found = named(table(job), "status", "role", "message", "split")
    assert found == [("not obtained", "chosen", "no file", "")]
    fits, beside = collect(
        tmp_path, [job], [Path(files.splits).with_suffix(".csv")], settings, files.manifest, "td2003"
    )
    assert len(table(fits)) == 1 and table(beside) == []
    heads = QUERY_COLUMNS if study == "letor" else ("dataset", "feature_scaling", "split", "lambda_max")
    assert beside.read_text().startswith(",".join(heads))


def collect(folder, jobs, diagnosis, settings, manifest, *datasets, **plan):
    """Run the rule collect; its files but for the one that says who made the fits."""
    made = [folder / name for name in ("fits.csv", "beside.csv", "provenance.csv")]
    jobs, of_queries = [str(job) for job in jobs], settings is LETOR
    inputs = {"fits": jobs, "diagnosis": [str(file) for file in diagnosis]}
    inputs["manifests"] = [str(manifest)] * len(jobs)
    asked = {"queries": of_queries, "columns": list(QUERY_FIT_COLUMNS if of_queries else LIST_FIT_COLUMNS)}
    plan = {"code": "0a1b", "grid": {}, "path": {}, "ties": ["strongest"], "limits": {}, "folds": 1} | plan
    plan["search"] = (
        "reproduction.fitting.validation_fold" if of_queries else "reproduction.fitting.cross_validation"
    )
    asked |= {"seed": 1, "expected": {"plans": [plan], "of": [0] * len(jobs)}}
    asked["study"] = table(Path(jobs[0]))[0]["study"]
    cases = [[name, feature_scaling] for name in datasets for feature_scaling in settings["feature_scaling"]]
    run("collect", folder, inputs, [str(file) for file in made], cases=cases, **asked)
    return made[:2]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_what_is_known_of_a_split_before_any_fit(tmp_path, kind):
    X, y = stacked(*counts())
    prepared(tmp_path / "counts", kind(np.column_stack([X, np.ones(y.size)])), y)
    files, rows, log = split(tmp_path / "counts", TOP | {"feature_scaling": ["raw"]})
    splits = Splits.load(files.splits)
    assert [row["split"] for row in rows] == ["0", "1"] and "split 1: lambda_max" in log
    for number, row in enumerate(rows):
        train = splits.train(number)
        expected = lambda_max(X[train & (y == 1)], X[train & (y == 0)])
        assert float(row["lambda_max"]) == pytest.approx(expected, rel=1e-5)
        assert row["zero_is_optimal"] == "False" and row["constant_features"] == "1"
        assert int(row["n_train_positives"]) + int(row["n_train_negatives"]) == train.sum()


def test_standardised_data_whose_answer_is_zero(tmp_path):
    prepared(tmp_path / "hull", *stacked(*surrounded(m=40, n=110)))
    _, rows, _ = split(tmp_path / "hull", TOP | {"feature_scaling": ["standardised"]})
    assert {(row["lambda_max"], row["zero_is_optimal"]) for row in rows} == {("0.0", "True")}


def test_a_training_part_with_one_class(tmp_path):
    X, y = stacked(*gaussians())
    prepared(tmp_path / "one-class", X, np.ones_like(y))
    _, rows, log = split(tmp_path / "one-class")
    assert "split 1: the training part has a single class, no lambda_max" in log and len(rows) == 4
    for row in rows:
        assert (row["lambda_max"], row["zero_is_optimal"], row["n_train_negatives"]) == ("", "", "0")


def test_the_diagnosis_of_all_blocks_stands_in_the_order_of_the_table(data, tmp_path):
    folder = Path(data.arrays).parent
    (tmp_path / "other").mkdir()
    for name in ("arrays.npz", "manifest.json"):
        (tmp_path / "other" / name).write_bytes((folder / name).read_bytes())
    split(folder, block="2-2")
    split(tmp_path / "other")
    blocks = [folder / "0-1.csv", folder / "2-2.csv", tmp_path / "other/0-1.csv"]
    _, diagnosis = collect(tmp_path, [fit(data, tmp_path)], blocks, TOP, data.manifest, "other", "overlap")
    assert named(table(diagnosis), *BLOCK) == [
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
    prepared(tmp_path / "overlap", *stacked(*gaussians(m=30, n=45)))
    prepared(tmp_path / "nowhere", np.empty((0, 0)), np.empty(0), status="not obtained", reason="no file")
    manifests = [str(tmp_path / name / "manifest.json") for name in ("overlap", "nowhere")]
    parts = []
    for half, (solver,) in verification.CHECK_HALVES.items():
        parts.append(tmp_path / f"{half}.csv")
        settings = {"rows": 40, "alphas": [0.1, 1.0], "seed": 7}
        log = run("verify", tmp_path, {"manifests": manifests}, [str(parts[-1])], {"half": half}, **settings)
        assert "nowhere: left out, no file" in log
        assert {(row["method"], row["passed"]) for row in table(parts[-1])} == {(solver, "True")}
    together = tmp_path / "verification.csv"
    run("concatenate", tmp_path, [str(path) for path in parts], [str(together)])
    assert table(together) == [row for path in parts for row in table(path)] and len(table(together)) == 4


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


def letor_files(folder, prepared):
    """A prepared set with LETOR's folds; the files that a fit reads."""
    save_prepared(prepared, folder / prepared.manifest["dataset"])
    return split(folder / prepared.manifest["dataset"], LETOR, "0-4", "letor")[0]


def test_the_folds_of_letor_to_fits_and_queries(tmp_path):
    files = letor_files(tmp_path, prepare("letor-like", tmp_path))
    about = {"study": "letor", "method": "l1_ranksvm", "estimator": "toprank.RankSVM", "path": {}}
    about |= {"fixed": {"warm_start": True}, "grid": {"share": [0.01, 0.1]}}
    jobs = [fit(files, tmp_path, block=block, **about) for block in ("0-1", "2-2")]
    rows = [row for job in jobs for row in table(job)]
    assert [row["role"] for row in rows] == (["search"] * 2 + ["chosen"] + ["query"] * 12) * 3
    assert [row["split"] for row in rows] == ["0"] * 15 + ["1"] * 15 + ["2"] * 15
    for row in rows:
        if row["role"] != "query":
            varying = float(row["n_variables"]) / float(row["sparsity_ratio"])
            assert row["status"] == "certified" and varying == pytest.approx(14)
    grid = about["grid"]
    fits, queries = collect(tmp_path, reversed(jobs), [], LETOR, files.manifest, "letor-like", grid=grid)
    assert tuple(table(fits)[0]) == QUERY_FIT_COLUMNS
    assert named(table(fits), "split", "role") == [
        (split, role) for split in "012" for role in ("chosen", "search", "search")
    ]
    assert tuple(table(queries)[0]) == QUERY_COLUMNS and len(table(queries)) == 36
    per_query = [float(row["average_precision"]) for row in table(queries) if row["split"] == "1"]
    (chosen,) = [row for row in table(fits) if row["role"] == "chosen" and row["split"] == "1"]
    assert np.mean(per_query) == pytest.approx(float(chosen["map"]))
    qids = [(int(row["split"]), int(row["qid"])) for row in table(queries)]
    assert qids == sorted(qids)
    with pytest.raises(ResultsError, match=r"query \w+ of letor-like stands twice .* split 0"):
        collect_queries([*jobs, jobs[0]])


def measured(folder, named, kind, settings, folds, parts=("all",)):
    """Run the rule run_experiment on every part of a block; the study with what it measured, and the log."""
    block, files = paper(named).experiment(kind), []
    for part in parts:
        arrays, manifests, splits = map(list, zip(*folds, strict=True))
        files.append(folder / f"{kind}.{part}.jsonl")
        inputs = {"arrays": arrays, "manifests": manifests, "splits": splits}
        asked = {"settings": block.cache_key(settings, part), "folds": block.split_inputs(settings, part)}
        asked |= {"run": block.run, "seed": 7, "code": "0a1b"}
        wildcards = {"study": "tiny", "kind": kind, "part": part}
        log = run("run_experiment", folder, inputs, [str(files[-1])], wildcards, **asked)
    return study_of(named, files, **settings), log


def tables_of(study, folder, kind):
    """Write the tables of a block, read them as text, and draw its figures."""
    block, found = study.paper.experiment(kind), []
    for record in block.tables:
        record.form.write(study.table(record.name), folder / f"{record.name}.csv")
        study.tables[record.name] = record.form.read(folder / f"{record.name}.csv")
        found.append(table(folder / f"{record.name}.csv"))
    for figure in block.figures:
        made = draw_figure(figure, [study.table(name) for name in figure.tables])
        save_figure(made, [folder / f"{figure.name}.png"])
        assert (folder / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
    return found


@pytest.mark.parametrize(
    ("kind", "settings", "n_rows"),
    [
        ("constant", {"shares": [0.1], "level": 1e-4, "max_iter": 5000, "time_limit": 60}, 3),
        ("early_stop", {"radii": [0.25, 0.5]}, 2),
    ],
)
def test_one_fold_is_measured_and_a_set_that_is_missing_says_why(tmp_path, kind, settings, n_rows):
    folds = [
        letor_files(tmp_path, found)
        for found in (prepare("letor-like", tmp_path), make_placeholder("td2003", "no file"))
    ]
    settings = {kind: {"datasets": ["letor-like", "td2003"], "split": 1, **settings}}
    study, log = measured(tmp_path, "laporte2014", kind, settings, folds)
    ((*rows, missing),) = tables_of(study, tmp_path, kind)
    assert named(rows, "dataset", "split") == [("letor-like", "1")] * n_rows
    assert "not obtained" not in {row["status"] for row in rows}
    assert named([missing], "dataset", *MISSING) == [("td2003", "not obtained", "no file")]
    assert len(log.splitlines()) == n_rows + 2, "a line a row, and what made the file"


def test_rows_without_parts_are_no_folds(tmp_path):
    with pytest.raises(SystemExit, match=r"wdbc: LETOR's folds are made of five parts.*use a LETOR set"):
        letor_files(tmp_path, prepare("wdbc", tmp_path))


ADMM = {"lambda1": 0.01, "lambda2": 0.01, "eta": 0.8}
CONVERGENCE = {"dataset": "overlap", "feature_scaling": "raw", "split": 1, "alpha": 0.1}
CONVERGENCE |= {"rhos": {"admm": 0.1}, "iterations": 200, "every": 50}
SUBOPTIMALITY = {"alphas": [0.1], "levels": [1e-2, 1e-4], "max_iter": 2000, "time_limit": 30}


def followed(files, folder):
    """Measure the block convergence; its two tables."""
    settings = {"convergence": CONVERGENCE, "admm": ADMM}
    study, _ = measured(folder, "kadkhodaie2015", "convergence", settings, [files])
    return tables_of(study, folder, "convergence")


def watched(files, folder, feature_scaling=("raw", "standardised")):
    """Measure the block suboptimality on two data sets; the rows of its table."""
    settings = {"suboptimality": SUBOPTIMALITY, "rhos": {"admm": [0.1, 1.0]}, "admm": ADMM}
    settings |= {"methods": ["admm", "exact", "l1_ranksvm"]}
    settings["datasets"] = {name: list(feature_scaling) for name in ("overlap", "again")}
    about = ("kadkhodaie2015", "suboptimality", settings, [files], settings["datasets"])
    (rows,) = tables_of(measured(folder, *about)[0], folder, "suboptimality")
    return rows


def test_convergence(data, tmp_path):
    figure2, figure3 = followed(data, tmp_path)
    of_admm = [row for row in figure2 if row["method"] == "admm"]
    assert of_admm[-1]["iteration"] == "200" and of_admm[-1]["status"] == "max_iterations"
    for rows in (figure2, figure3):
        assert set(named(rows, *BLOCK)) == {("overlap", "raw", "1")}
        assert list(dict.fromkeys(row["method"] for row in rows)) == ["toppush", "admm", "exact"]
        assert {(row["method"], row["rho"]) for row in rows if row["rho"]} == {("admm", "0.1")}
    assert {row["kind"] for row in figure3} == {"residual", "roc"}


def test_suboptimality(data, tmp_path):
    rows = [row for row in watched(data, tmp_path) if row["dataset"] == "overlap"]
    levels = ("0.01", "0.0001")
    assert named(rows, "feature_scaling", "method", "rho", "level") == [
        (feature_scaling, method, rho, level)
        for feature_scaling in ("raw", "standardised")
        for method, rhos in (("admm", ("0.1", "1")), ("exact", ("",)))
        for level in levels
        for rho in rhos
    ]
    assert {row["status"] for row in rows} == {"reached"} and all(float(row["seconds"]) > 0 for row in rows)


def test_what_was_not_obtained_is_a_row_of_each_table(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"status": "not obtained", "reason": "no mirror"}))
    (tmp_path / "arrays.npz").write_bytes(b"")
    files = Files(str(tmp_path / "arrays.npz"), str(tmp_path / "manifest.json"), "no splits")
    of_followed = (("overlap",), ("toppush", "admm", "exact"))
    expected = [(rows, *of_followed) for rows in followed(files, tmp_path)]
    expected.append((watched(files, tmp_path, ["raw"]), ("overlap", "again"), ("admm", "exact")))
    for rows, datasets, methods in expected:
        cases = [(dataset, method) for dataset in datasets for method in methods]
        assert named(rows, "dataset", "method") == cases
        assert set(named(rows, *MISSING)) == {("not obtained", "no mirror")}
