"""The scripts between the data and the rows: split, fit, collect, diagnose, verify and concatenate."""

import csv
import json
import runpy
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, stacked, surrounded

from toprank.datasets import save_prepared
from toprank.datasets.prepare import not_obtained, prepare
from toprank.datasets.splits import Splits
from toprank.reporting import collected, inputs
from toprank.solvers.zero_optimum import lambda_max

SCRIPTS = Path(__file__).resolve().parents[2] / "workflow/scripts"
Files = namedtuple("Files", "arrays manifest splits")


class Output(list):
    """Positions and names, as the object of Snakemake has them."""


def run(script, inputs, output, wildcards=None, rule="rule", protocol="top_ranking", **params):
    """Run a script of the workflow as Snakemake does, with a log beside its output; returns the log."""
    log = output.with_suffix(".log")
    handed = SimpleNamespace(
        input=inputs,
        output=Output([str(output)]),
        log=Output([str(log)]),
        wildcards=SimpleNamespace(**(wildcards or {})),
        params=type("Params", (SimpleNamespace,), {"get": lambda self, name: getattr(self, name, None)})(
            **{"protocol": protocol, **params}
        ),
        rule=rule,
        config={"studies": {"tiny": {"protocol": protocol}, "letor": {"protocol": "query_ranking"}}},
    )
    runpy.run_path(str(SCRIPTS / f"{script}.py"), init_globals={"snakemake": handed})
    return log.read_text() if log.exists() else ""


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def prepared(folder, X, y, **manifest):
    """What the rule prepare writes, as far as the jobs read it."""
    folder.mkdir()
    arrays = {"y": y}
    if sp.issparse(X):
        arrays |= {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr, "X_shape": X.shape}
    else:
        arrays["X"] = X
    np.savez(folder / "arrays.npz", **arrays)
    about = {"dataset": folder.name, "status": "obtained", "reason": "", "rows": len(y)} | manifest
    (folder / "manifest.json").write_text(json.dumps(about))


@pytest.fixture
def data(tmp_path):
    """A data set with two splits in one block; the files that a fit reads."""
    X, y = stacked(*gaussians(m=30, n=45))
    return split_data(tmp_path, "overlap", X, y)


def split_data(folder, name, X, y, **manifest):
    prepared(folder / name, X, y, **manifest)
    files = Files(*(str(folder / name / part) for part in ("arrays.npz", "manifest.json", "splits.npz")))
    wildcards = {"study": "tiny", "dataset": name}
    parts = {"splits": 2, "test_fraction": 1 / 3, "inner_folds": 3, "seed": 7}
    run("split", files, Path(files.splits), wildcards, **parts)
    return files


def fit(files, folder, method="toppush", features="raw", block="0-1", chosen=None, study="tiny", **params):
    output = folder / f"{method}.{features}.{block}.csv"
    wildcards = {
        "study": study,
        "dataset": Path(files.arrays).parent.name,
        "features": features,
        "block": block,
    }
    inputs = SimpleNamespace(**files._asdict(), chosen=str(chosen))
    run("fit", inputs, output, wildcards, method, **{"estimator": "toprank.TopPush", **params})
    return output


def test_split(data):
    splits = Splits.load(data.splits)
    assert splits.inner.shape == (2, 75) and set(splits.inner[0]) == {-1, 0, 1, 2}
    assert np.count_nonzero(splits.inner[1] == -1) == 25


@pytest.mark.parametrize("features", ["raw", "standardised"])
def test_fit(data, tmp_path, features):
    made = fit(data, tmp_path, features=features, grid={"alpha": [0.1, 1.0]}, path={"alpha": [10.0]})
    rows = table(made)
    assert [row["role"] for row in rows] == (["search"] * 6 + ["path", "chosen"]) * 2
    assert [row["split"] for row in rows] == ["0"] * 8 + ["1"] * 8
    for row in rows:
        names = (row["study"], row["dataset"], row["features"], row["method"])
        assert names == ("tiny", "overlap", features, "toppush") and row["status"] == "optimal"
        assert float(row["relative_gap"]) <= 1e-8 and float(row["seconds"]) > 0
    assert "split 1 done" in made.with_suffix(".log").read_text()


def test_fit_one_block(data, tmp_path):
    first, second, both = (table(fit(data, tmp_path, block=block)) for block in ("0-0", "1-1", "0-1"))
    for row in (*first, *second, *both):
        row.pop("seconds")
    assert [*first, *second] == both


def test_what_another_method_chose_is_inherited(data, tmp_path):
    chosen = fit(data, tmp_path, grid={"alpha": [0.1, 1.0]})
    alphas = [json.loads(row["params"])["alpha"] for row in table(chosen) if row["role"] == "chosen"]
    made = fit(
        data,
        tmp_path,
        "admm",
        chosen=chosen,
        inherit=["alpha"],
        fixed={"solver": "admm"},
        grid={"rho": [0.1, 1.0]},
    )
    for split, alpha in enumerate(alphas):
        rows = [row for row in table(made) if row["split"] == str(split)]
        assert len(rows) == 7 and {json.loads(row["params"])["alpha"] for row in rows} == {alpha}


def test_nothing_to_inherit_is_a_failed_row_that_says_why(data, tmp_path):
    chosen = fit(data, tmp_path, block="0-0", fixed={"eta": 2.0}, grid={"alpha": [0.1]})
    rows = table(fit(data, tmp_path, "exact", chosen=chosen, inherit=["alpha"]))
    assert [(row["split"], row["role"], row["status"]) for row in rows] == [
        ("0", "chosen", "failed"),
        ("1", "chosen", "failed"),
    ]
    assert rows[0]["message"].startswith(
        "no alpha to inherit on split 0: no parameter could be chosen: ValueError: eta"
    )
    assert rows[1]["message"] == "no chosen fit to inherit alpha from on split 1"


def test_a_data_set_that_was_not_obtained(tmp_path):
    files = split_data(
        tmp_path, "nowhere", np.empty((0, 0)), np.empty(0), status="not obtained", reason="no file"
    )
    assert Splits.load(files.splits).inner.shape == (0, 0)
    (row,) = table(fit(files, tmp_path))
    assert (row["status"], row["role"], row["message"], row["split"]) == (
        "not obtained",
        "chosen",
        "no file",
        "",
    )
    made = tmp_path / "diagnosis.csv"
    run("diagnose", files, made, {"dataset": "nowhere", "features": "raw"})
    assert table(made) == [] and made.read_text().startswith("dataset,features,split,lambda_max,")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_diagnose(tmp_path, kind):
    X, y = stacked(*counts())
    files = split_data(tmp_path, "counts", kind(np.column_stack([X, np.ones(y.size)])), y)
    made = tmp_path / "diagnosis.csv"
    log = run("diagnose", files, made, {"dataset": "counts", "features": "raw"})
    rows, splits = table(made), Splits.load(files.splits)
    assert [row["split"] for row in rows] == ["0", "1"] and "split 1: lambda_max" in log
    for split, row in enumerate(rows):
        train = splits.train(split)
        expected = lambda_max(X[train & (y == 1)], X[train & (y == 0)])
        assert float(row["lambda_max"]) == pytest.approx(expected, rel=1e-5)
        assert row["zero_is_optimal"] == "False" and row["constant_features"] == "1"
        assert int(row["n_train_positives"]) + int(row["n_train_negatives"]) == train.sum()


def test_diagnose_standardised_data_whose_answer_is_zero(tmp_path):
    files = split_data(tmp_path, "hull", *stacked(*surrounded(m=40, n=110)))
    made = tmp_path / "diagnosis.csv"
    run("diagnose", files, made, {"dataset": "hull", "features": "standardised"})
    assert {(row["lambda_max"], row["zero_is_optimal"]) for row in table(made)} == {("0.0", "True")}


def test_diagnose_a_training_part_with_one_class(tmp_path):
    X, y = stacked(*gaussians())
    files = split_data(tmp_path, "one-class", X, np.ones_like(y))
    made = tmp_path / "diagnosis.csv"
    log = run("diagnose", files, made, {"dataset": "one-class", "features": "raw"})
    assert "split 1: the training part has a single class, no lambda_max" in log
    for row in table(made):
        assert (row["lambda_max"], row["zero_is_optimal"], row["n_train_negatives"]) == ("", "", "0")


def test_diagnose_says_what_is_wrong(tmp_path):
    files = split_data(tmp_path, "counts", *stacked(*counts()))
    made = tmp_path / "diagnosis.csv"
    Path(files.arrays).unlink()
    with pytest.raises(SystemExit, match="arrays"):
        run("diagnose", files, made, {"dataset": "counts", "features": "raw"})
    assert "arrays" in made.with_suffix(".log").read_text()


def test_verify_and_concatenate(tmp_path):
    prepared(tmp_path / "overlap", *stacked(*gaussians(m=30, n=45)))
    prepared(tmp_path / "nowhere", np.empty((0, 0)), np.empty(0), status="not obtained", reason="no file")
    manifests = [str(tmp_path / name / "manifest.json") for name in ("overlap", "nowhere")]
    parts = []
    for solver in ("exact", "a2dm2"):
        parts.append(tmp_path / f"{solver}.csv")
        inputs = SimpleNamespace(manifests=manifests)
        log = run("verify", inputs, parts[-1], {"solver": solver}, rows=40, alphas=[0.1, 1.0], seed=7)
        assert "nowhere: left out, no file" in log
        assert {(row["method"], row["passed"], row["status"]) for row in table(parts[-1])} == {
            (solver, "True", "optimal")
        }
    together = tmp_path / "verification.csv"
    run("concatenate", [str(path) for path in parts], together)
    assert table(together) == [row for path in parts for row in table(path)] and len(table(together)) == 4


def test_tables_of_different_columns_are_not_put_together(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(SystemExit, match=r"b\.csv has the columns x,z, but the tables before it have x,y"):
        run("concatenate", [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], tmp_path / "both.csv")


def letor_files(folder, prepared):
    """A prepared set with LETOR's folds; the files that a fit reads."""
    name = prepared.manifest["dataset"]
    save_prepared(prepared, folder / name)
    files = Files(*(str(folder / name / part) for part in ("arrays.npz", "manifest.json", "splits.npz")))
    run("letor_folds", files, Path(files.splits), {"study": "letor", "dataset": name})
    return files


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
            assert row["status"] == "optimal" and varying == pytest.approx(14)
    fits, queries = tmp_path / "fits.csv", tmp_path / "queries.csv"
    backwards = [str(job) for job in reversed(jobs)]
    run("collect", backwards, fits, protocol="query_ranking")
    run("queries", backwards, queries)
    assert tuple(table(fits)[0]) == collected.FITS_COLUMNS
    assert [(row["split"], row["role"]) for row in table(fits)] == [
        (split, role) for split in "012" for role in ("chosen", "search", "search")
    ]
    assert tuple(table(queries)[0]) == collected.QUERIES_COLUMNS and len(table(queries)) == 36
    per_query = [float(row["average_precision"]) for row in table(queries) if row["split"] == "1"]
    (chosen,) = [row for row in table(fits) if row["role"] == "chosen" and row["split"] == "1"]
    assert np.mean(per_query) == pytest.approx(float(chosen["map"]))
    qids = [(int(row["split"]), int(row["qid"])) for row in table(queries)]
    assert qids == sorted(qids)
    with pytest.raises(inputs.ResultsError, match=r"The same query stands twice .* split 0, qid "):
        collected.collect_queries([*jobs, jobs[0]])


def test_queries_that_were_not_obtained(tmp_path):
    files = letor_files(tmp_path, not_obtained("td2003", "no file"))
    assert Splits.load(files.splits).inner.shape == (0, 0)
    job = fit(files, tmp_path, study="letor", block="0-0", estimator="toprank.RankSVM")
    (row,) = table(job)
    assert (row["status"], row["role"], row["message"], row["split"]) == (
        "not obtained",
        "chosen",
        "no file",
        "",
    )
    fits, queries = tmp_path / "fits.csv", tmp_path / "queries.csv"
    run("collect", [str(job)], fits, protocol="query_ranking")
    run("queries", [str(job)], queries)
    assert len(table(fits)) == 1 and queries.read_text() == ",".join(collected.QUERIES_COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("script", "settings", "n_rows"),
    [
        ("constant", {"shares": [0.1], "level": 1e-4, "max_iter": 5000, "time_limit": 60}, 3),
        ("early_stop", {"radii": [0.25, 0.5]}, 2),
    ],
)
def test_one_fold_is_measured_and_a_set_that_is_missing_says_why(tmp_path, script, settings, n_rows):
    both = [
        letor_files(tmp_path, found)
        for found in (prepare("letor-like", tmp_path), not_obtained("td2003", "no file"))
    ]
    arrays, manifests, splits = zip(*both, strict=True)
    handed = SimpleNamespace(arrays=arrays, manifests=manifests, splits=splits)
    out = tmp_path / f"{script}.csv"
    log = run(script, handed, out, **{script: {"datasets": ["letor-like", "td2003"], "split": 1, **settings}})
    *measured, missing = table(out)
    assert [(row["dataset"], row["split"]) for row in measured] == [("letor-like", "1")] * n_rows
    assert "not obtained" not in {row["status"] for row in measured}
    assert (missing["dataset"], missing["status"], missing["message"]) == (
        "td2003",
        "not obtained",
        "no file",
    )
    assert len(log.splitlines()) == n_rows + 1


def test_rows_without_parts_are_no_folds(tmp_path):
    with pytest.raises(SystemExit, match=r"wdbc: LETOR's folds are made of five parts.*use a LETOR set"):
        letor_files(tmp_path, prepare("wdbc", tmp_path))


WATCHED = {
    "admm": {"lambda1": 0.01, "lambda2": 0.01, "eta": 0.8},
    "suboptimality": {"alphas": [0.1], "levels": [1e-2, 1e-4], "max_iter": 2000, "time_limit": 30},
    "convergence": {
        **{"dataset": "overlap", "features": "raw", "split": 1, "alpha": 0.1},
        **{"rhos": {"admm": 0.1}, "iterations": 200, "every": 50},
    },
}


def watched(files, folder, rule, method="admm"):
    """Run the rule convergence or suboptimality on one method; returns the rows of its tables."""
    names = ("figure2", "figure3") if rule == "convergence" else ("table",)
    output = Output([str(folder / f"{method}.{name}.csv") for name in names])
    for name, path in zip(names, output, strict=True):
        setattr(output, name, path)
    handed = SimpleNamespace(
        input=files,
        output=output,
        log=Output([str(folder / "log")]),
        wildcards=SimpleNamespace(study="tiny", dataset="overlap", features="raw", method=method),
        params=SimpleNamespace(**WATCHED, rhos=[0.1, 1.0]),
    )
    runpy.run_path(str(SCRIPTS / f"{rule}.py"), init_globals={"snakemake": handed})
    return [table(Path(path)) for path in output]


def test_convergence(data, tmp_path):
    figure2, figure3 = watched(data, tmp_path, "convergence")
    assert figure2[-1]["iteration"] == "200" and figure2[-1]["status"] == "max_iterations"
    assert {(row["dataset"], row["features"], row["split"], row["rho"]) for row in figure2 + figure3} == {
        ("overlap", "raw", "1", "0.1")
    }
    assert {row["kind"] for row in figure3} == {"residual", "roc"}


def test_suboptimality(data, tmp_path):
    (rows,) = watched(data, tmp_path, "suboptimality")
    assert [(row["rho"], row["level"]) for row in rows] == [
        (rho, level) for level in ("0.01", "0.0001") for rho in ("0.1", "1")
    ]
    assert {(row["dataset"], row["features"], row["method"]) for row in rows} == {("overlap", "raw", "admm")}
    assert {row["status"] for row in rows} == {"reached"} and all(float(row["seconds"]) > 0 for row in rows)


@pytest.mark.parametrize("rule", ["convergence", "suboptimality"])
def test_what_was_not_obtained_is_a_row_of_each_table(rule, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"status": "not obtained", "reason": "no mirror"}))
    files = SimpleNamespace(manifest=str(tmp_path / "manifest.json"))
    for (row,) in watched(files, tmp_path, rule):
        assert (row["dataset"], row["method"], row["status"]) == ("overlap", "admm", "not obtained")
        assert row["message"] == "no mirror"
