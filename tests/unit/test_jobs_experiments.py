"""Jobs of LETOR folds and of side experiments: fits, queries, convergence and suboptimality."""

import json

import numpy as np
import pytest
from job_files import BLOCK, LETOR, Files, collect, get_columns, read_rows, run_fit, run_splits, save_dataset
from ranking_data import gaussians, stack_classes
from report_runs import run
from studies import study_of

from reproduction.collection.collect import collect_queries
from reproduction.core.result_columns import (
    QUERY_COLUMNS,
    QUERY_FIT_COLUMNS,
)
from reproduction.core.results import ResultsError
from reproduction.datasets.prepare import make_placeholder, prepare
from reproduction.datasets.prepared_data import save_prepared
from reproduction.papers import paper
from reproduction.plotting.style import draw_figure, save_figure


@pytest.fixture
def data(tmp_path):
    """A data set with two splits in one block; the files that a fit reads."""
    X, y = stack_classes(*gaussians(m=30, n=45))
    save_dataset(tmp_path / "overlap", X, y)
    return run_splits(tmp_path / "overlap")[0]


MISSING = ("status", "message")


def letor_files(folder, prepared):
    """A prepared set with LETOR's folds; the files that a fit reads."""
    save_prepared(prepared, folder / prepared.manifest["dataset"])
    return run_splits(folder / prepared.manifest["dataset"], LETOR, "0-4", "letor")[0]


def test_the_folds_of_letor_to_fits_and_queries(tmp_path):
    files = letor_files(tmp_path, prepare("letor-like", tmp_path))
    settings = {"study": "letor", "method": "l1_ranksvm", "estimator": "toprank.RankSVM", "path": {}}
    settings |= {"fixed": {"warm_start": True}, "grid": {"share": [0.01, 0.1]}}
    jobs = [run_fit(files, tmp_path, block=block, **settings) for block in ("0-1", "2-2")]
    rows = [row for job in jobs for row in read_rows(job)]
    assert [row["role"] for row in rows] == (["search"] * 2 + ["chosen"] + ["query"] * 12) * 3
    assert [row["split"] for row in rows] == ["0"] * 15 + ["1"] * 15 + ["2"] * 15
    for row in rows:
        if row["role"] != "query":
            varying = float(row["n_variables"]) / float(row["sparsity_ratio"])
            assert row["status"] == "certified" and varying == pytest.approx(14)
    grid = settings["grid"]
    fits, queries = collect(tmp_path, reversed(jobs), [], LETOR, files.manifest, "letor-like", grid=grid)
    assert tuple(read_rows(fits)[0]) == QUERY_FIT_COLUMNS
    assert get_columns(read_rows(fits), "split", "role") == [
        (split, role) for split in "012" for role in ("chosen", "search", "search")
    ]
    assert tuple(read_rows(queries)[0]) == QUERY_COLUMNS and len(read_rows(queries)) == 36
    per_query = [float(row["average_precision"]) for row in read_rows(queries) if row["split"] == "1"]
    (chosen,) = [row for row in read_rows(fits) if row["role"] == "chosen" and row["split"] == "1"]
    assert np.mean(per_query) == pytest.approx(float(chosen["map"]))
    qids = [(int(row["split"]), int(row["qid"])) for row in read_rows(queries)]
    assert qids == sorted(qids)
    with pytest.raises(ResultsError, match=r"query \w+ of letor-like occurs twice .* split 0"):
        collect_queries([*jobs, jobs[0]])


def run_study_experiment(folder, named, kind, settings, folds, parts=("all",), fits=()):
    """Run the rule run_experiment on every part of a block; the study with what it measured, and the log."""
    block, files = paper(named).experiment(kind), []
    for part in parts:
        arrays, manifests, splits = map(list, zip(*folds, strict=True))
        files.append(folder / f"{kind}.{part}.jsonl")
        inputs = {"arrays": arrays, "manifests": manifests, "splits": splits}
        inputs["fits"] = list(map(str, fits))
        experiment_params = {
            "settings": block.cache_key(settings, part),
            "folds": block.split_inputs(settings, part),
        }
        experiment_params |= {"run": block.run, "seed": 7, "code": "0a1b"}
        wildcards = {"study": "tiny", "kind": kind, "part": part}
        log = run("run_experiment", folder, inputs, [str(files[-1])], wildcards, **experiment_params)
    return study_of(named, files, **settings), log


def tables_of(study, folder, kind):
    """Write the tables of a block, read them as text, and draw its figures."""
    block, tables = study.paper.experiment(kind), []
    for record in block.tables:
        record.form.write(study.table(record.name), folder / f"{record.name}.csv")
        study.tables[record.name] = record.form.read(folder / f"{record.name}.csv")
        tables.append(read_rows(folder / f"{record.name}.csv"))
    for figure in block.figures:
        figure_drawn = draw_figure(figure, [study.table(name) for name in figure.tables])
        save_figure(figure_drawn, [folder / f"{figure.name}.png"])
        assert (folder / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
    return tables


@pytest.mark.parametrize(
    ("kind", "settings", "n_rows"),
    [
        ("constant", {"shares": [0.1], "level": 1e-4, "max_iter": 5000, "time_limit": 60}, 3),
        ("early_stop", {"radii": [0.25, 0.5]}, 2),
    ],
)
def test_one_fold_is_measured_and_a_set_that_is_missing_says_why(tmp_path, kind, settings, n_rows):
    folds = [
        letor_files(tmp_path, prepared_set)
        for prepared_set in (prepare("letor-like", tmp_path), make_placeholder("td2003", "no file"))
    ]
    settings = {kind: {"datasets": ["letor-like", "td2003"], "split": 1, **settings}}
    study, log = run_study_experiment(tmp_path, "laporte2014", kind, settings, folds)
    ((*rows, missing),) = tables_of(study, tmp_path, kind)
    assert get_columns(rows, "dataset", "split") == [("letor-like", "1")] * n_rows
    assert "not obtained" not in {row["status"] for row in rows}
    assert get_columns([missing], "dataset", *MISSING) == [("td2003", "not obtained", "no file")]
    assert len(log.splitlines()) == n_rows + 2, "a line a row, and what made the file"


def test_rows_without_parts_are_no_folds(tmp_path):
    with pytest.raises(SystemExit, match=r"wdbc: LETOR's folds are made of five parts.*use a LETOR set"):
        letor_files(tmp_path, prepare("wdbc", tmp_path))


ADMM = {"lambda1": 0.01, "lambda2": 0.01, "eta": 0.8}


CONVERGENCE = {"dataset": "overlap", "feature_scaling": "raw", "split": 1, "alpha": 0.1}


CONVERGENCE |= {"rhos": {"admm": 0.1}, "iterations": 200, "stride": 50}


SUBOPTIMALITY = {"alphas": [0.1], "levels": [1e-2, 1e-4], "max_iter": 2000, "time_limit": 30}


def followed(files, folder):
    """Measure the block convergence; its two tables."""
    settings = {"convergence": CONVERGENCE, "admm": ADMM}
    study, _ = run_study_experiment(folder, "kadkhodaie2015", "convergence", settings, [files])
    return tables_of(study, folder, "convergence")


def watched(files, folder, feature_scaling=("raw", "standardised")):
    """Measure the block suboptimality on two data sets; the rows of its table."""
    settings = {"suboptimality": SUBOPTIMALITY, "rhos": {"admm": [0.1, 1.0]}, "admm": ADMM}
    settings |= {"methods": ["admm", "exact", "l1_ranksvm"]}
    settings["datasets"] = {name: list(feature_scaling) for name in ("overlap", "again")}
    arguments = ("kadkhodaie2015", "suboptimality", settings, [files], settings["datasets"])
    (rows,) = tables_of(run_study_experiment(folder, *arguments)[0], folder, "suboptimality")
    return rows


def test_the_refits_of_k15_take_the_regularisation_from_the_search_of_toppush(data, tmp_path):
    """On every planned split, for each option; the file of fits ends with its provenance."""
    toppush = run_fit(data, tmp_path, grid={"alpha": [0.01, 0.1]}, fixed={"solver": "dual"}, path={})
    choices = {"features": ["raw"], "stop": ["residuals", "combined"], "cap": [20, 50], "ties": ["strongest"]}
    settings = {"datasets": {"overlap": ["raw"]}, "methods": ["toppush", "admm"], "splits": 2}
    settings |= {"multiverse": {"choices": choices, "splits": 2}, "alphas": [0.01, 0.1]}
    settings |= {"rhos": {"admm": [0.1]}, "admm": ADMM | {"tol": 1e-4, "max_iter": 50}}
    arguments = ("kadkhodaie2015", "multiverse", settings, [data, data], ["overlap-raw"], [toppush])
    study, _ = run_study_experiment(tmp_path, *arguments)
    fits = study.read_experiment("multiverse", "fits", "overlap-raw")
    assert {(row["stop"], row["cap"], row["split"]) for row in fits} == {
        (*options, split) for options in (("combined", "50"), ("residuals", "20")) for split in (0, 1)
    }
    chosen = {
        int(r["split"]): json.loads(r["params"])["alpha"] for r in read_rows(toppush) if r["role"] == "chosen"
    }
    assert {row["split"]: json.loads(row["params"])["alpha"] for row in fits} == chosen


def test_convergence(data, tmp_path):
    figure2, figure3 = followed(data, tmp_path)
    of_admm = [row for row in figure2 if row["method"] == "admm"]
    assert of_admm[-1]["iteration"] == "200" and of_admm[-1]["status"] == "max_iterations"
    for rows in (figure2, figure3):
        assert set(get_columns(rows, *BLOCK)) == {("overlap", "raw", "1")}
        assert list(dict.fromkeys(row["method"] for row in rows)) == ["toppush", "admm", "exact"]
        assert {(row["method"], row["rho"]) for row in rows if row["rho"]} == {("admm", "0.1")}
    assert {row["kind"] for row in figure3} == {"residual", "roc"}


def test_figures_2_and_3_on_each_split_and_the_added_terms(data, tmp_path):
    """The jobs of ``trends`` and ``perturbation``: a part reads its splits, its rows are those of each."""
    settings = {"splits": 2, "rhos": {"admm": [0.1, 1.0], "a2dm2": [0.01]}, "admm": ADMM}
    cases = {"datasets": ["overlap"], "feature_scalings": ["raw"], "splits": 3, "rho_iterations": 60}
    settings["trends"] = cases | {"alpha": 0.1, "iterations": 150, "stride": 50}
    settings["perturbation"] = cases | {"alphas": [0.1], "values": [0.01, 0.1], "iterations": 100}
    for kind, part, per_split in (("trends", "overlap-raw", 3), ("perturbation", "overlap", 3)):
        folds = [data] * 2  # of three that are asked for the study has two
        study, _ = run_study_experiment(tmp_path, "kadkhodaie2015", kind, settings, folds, [part])
        (rows,) = tables_of(study, tmp_path, kind)
        assert get_columns(rows, "split") == [(split,) for split in "01" for _ in range(per_split)]
        assert {row["method"] for row in rows} <= {"toppush", "admm", "a2dm2"}
    assert get_columns(rows, "value")[:3] == [("",), ("0.01",), ("0.1",)]


def test_all_optima_of_each_split_and_an_absolute_grid_of_c(data, tmp_path):
    settings = {"splits": 2, "methods": ["l1_infinite_push", "l1_ranksvm"], "shares": [0.1, 0.5]}
    settings |= {"datasets": {"overlap": ["standardised"]}}
    settings["optimal_face"] = {"datasets": ["overlap"], "splits": 5, "time_limit": 20}
    study, _ = run_study_experiment(
        tmp_path, "rakotomamonjy2012", "optimal_face", settings, [data] * 2, ["overlap"]
    )
    (rows,) = tables_of(study, tmp_path, "optimal_face")
    assert get_columns(rows, "method", "share", "splits", "certified") == [
        (method, share, "2", "2") for method in settings["methods"] for share in ("0.1", "0.5")
    ]
    folds = [letor_files(tmp_path, prepare("letor-like", tmp_path))]
    settings = {"splits": 1, "datasets": {"letor-like": ["raw"]}}
    settings["absolute_grid"] = {"values": [1, 0.1], "epsilons": [0.1, 0.01]}
    study, _ = run_study_experiment(tmp_path, "laporte2014", "absolute_grid", settings, folds, ["letor-like"])
    fits = study.read_experiment("absolute_grid", "fits")
    assert [row["method"] for row in fits].count("log_ranksvm") == 4 and len(fits) == 10
    assert {json.loads(row["params"])["C"] for row in fits} == {1, 0.1}
    assert all(row["validation_map"] > 0 and row["sparsity_ratio"] <= 1 for row in fits)


def test_suboptimality(data, tmp_path):
    rows = [row for row in watched(data, tmp_path) if row["dataset"] == "overlap"]
    levels = ("0.01", "0.0001")
    assert get_columns(rows, "feature_scaling", "method", "rho", "level") == [
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
        assert get_columns(rows, "dataset", "method") == cases
        assert set(get_columns(rows, *MISSING)) == {("not obtained", "no mirror")}
