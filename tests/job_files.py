"""Jobs of the workflow run in a folder: splits, fits and tables of small data sets."""

import csv
from collections import namedtuple
from pathlib import Path

import numpy as np
from report_runs import run

from reproduction.core.atomic_io import write_manifest
from reproduction.core.provenance import PROVENANCE_ROLE
from reproduction.core.result_columns import (
    LIST_FIT_COLUMNS,
    QUERY_FIT_COLUMNS,
    list_job_columns,
)
from reproduction.datasets.table import name_arrays

Files = namedtuple("Files", "arrays manifest splits")


TOP = {"kind": "random", "feature_scaling": ["raw", "standardised"], "test_fraction": 1 / 3, "inner_folds": 3}


LETOR = {"kind": "folds", "feature_scaling": []}


def read_rows(path):
    """The rows of a file, but for what says who made it."""
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row.get("role") != PROVENANCE_ROLE]


def save_dataset(folder, X, y, **manifest):
    """What the rule prepare writes, as far as the jobs read it."""
    folder.mkdir()
    np.savez(folder / "arrays.npz", y=y, **name_arrays(X))
    manifest_fields = {"dataset": folder.name, "status": "obtained", "reason": "", "rows": len(y)} | manifest
    write_manifest(folder / "manifest.json", manifest_fields, folder / "arrays.npz")


def run_splits(folder, settings=TOP, block="0-1", study="tiny"):
    """Run the rule splits on a prepared set; the files that a fit reads, the diagnosis and the log."""
    files = Files(*(str(folder / name) for name in ("arrays.npz", "manifest.json", f"{block}.npz")))
    output = folder / f"{block}.csv"
    inputs = {"arrays": files.arrays, "manifest": files.manifest}
    outputs = {"splits": files.splits, "diagnosis": str(output)}
    wildcards = {"study": study, "dataset": folder.name, "split_batch": block}
    log = run("splits", folder, inputs, outputs, wildcards, settings=settings, seed=7)
    return files, read_rows(output), log


def run_fit(
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
    inputs = files._asdict() | {"chosen": str(chosen)}
    params = searches | {"estimator": "toprank.TopPush", "code": "0a1b"} | params
    log = run("fit", folder, inputs, [str(output)], wildcards, f"of_a_module_{method}", **params)
    output.with_suffix(".log").write_text(log)
    return output


def get_columns(rows, *columns):
    """The values of some columns, row by row."""
    return [tuple(row[column] for column in columns) for row in rows]


BLOCK = ("dataset", "feature_scaling", "split")


def collect(folder, jobs, diagnosis, settings, manifest, *datasets, **plan):
    """Run the rule collect; its files but for the one that says who made the fits."""
    outputs = [folder / name for name in ("fits.csv", "beside.csv", "provenance.csv")]
    jobs, of_queries = [str(job) for job in jobs], settings is LETOR
    inputs = {"fits": jobs, "diagnosis": [str(file) for file in diagnosis]}
    inputs["manifests"] = [str(manifest)] * len(jobs)
    options = {"queries": of_queries, "columns": list(QUERY_FIT_COLUMNS if of_queries else LIST_FIT_COLUMNS)}
    plan = {"code": "0a1b", "grid": {}, "path": {}, "ties": ["strongest"], "limits": {}, "folds": 1} | plan
    plan["search"] = (
        "reproduction.fitting.validation_fold" if of_queries else "reproduction.fitting.cross_validation"
    )
    options |= {"seed": 1, "expected": {"plans": [plan], "of": [0] * len(jobs)}}
    options["study"] = read_rows(Path(jobs[0]))[0]["study"]
    cases = [[name, feature_scaling] for name in datasets for feature_scaling in settings["feature_scaling"]]
    run("collect", folder, inputs, [str(file) for file in outputs], cases=cases, **options)
    return outputs[:2]
