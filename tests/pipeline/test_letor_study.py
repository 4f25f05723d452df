"""A study of the protocol query_ranking up to its fits and its queries, with a set that cannot be had."""

import json
import shutil

import pandas as pd
import pytest
from small_project import STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("studies")]

COLLECTED = [f"results/{STUDY}/fits.csv", f"results/{STUDY}/queries.csv", "results/failures.csv"]
QUERIES_OF_A_FOLD = 12
RULE = """
rule {name}:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("{name}"),
    log:
        "logs/fit/{{study}}.{{dataset}}.{{features}}.{name}.{{block}}.log",
    conda:
        "../../../envs/environment.yaml"
    params:
        estimator="sklearn.linear_model.Ridge",
        grid={{"alpha": {alphas}}},
        code=code_digest("toprank.query_protocol"),
    script:
        "../../scripts/fit.py"
"""


def collect(project, **options):
    """Run as far as the collected rows."""
    return project.snakemake("--nocolor", *COLLECTED, **options)


@pytest.fixture(scope="module")
def letor(bare, tmp_path_factory):
    """The study on two cores, with a method of scikit-learn that always fails beside three of ours."""
    project = bare.copy(tmp_path_factory.mktemp("letor") / "project")
    for name, alphas in (("broken", [-1.0, -2.0]), ("ridge", [0.1, 10.0])):
        rule = RULE.format(name=name, alphas=alphas)
        (project.folder / f"workflow/rules/methods/{name}.smk").write_text(rule)
    study = project.quick("quick_letor")
    study |= {"datasets": {"letor-like": ["raw"], "td2003": ["raw"]}, "splits_per_job": 3}
    study |= {"splits_per_job_of": {"td2003": 5}}
    study |= {"methods": ["fenchelrank", "l1_ranksvm", "broken"], "beyond": ["ridge"]}
    study |= {"shares": [0.01, 0.1, 0.6], "radii": [0.25, 4]}
    project.write(study)
    collect(project)
    return project


def rows(project, dataset="letor-like"):
    fits = project.table(f"{STUDY}/fits.csv")
    return fits[fits["dataset"] == dataset]


def test_every_fit_is_there(letor):
    fits = rows(letor)
    counts = fits.groupby(["method", "role"]).size().to_dict()
    assert counts == {
        (method, role): 5 * (size if role == "search" else 1)
        for method, size in (("broken", 2), ("fenchelrank", 2), ("l1_ranksvm", 3), ("ridge", 2))
        for role in ("search", "chosen")
    }
    assert set(fits["split"]) == set("01234")
    l1 = fits[fits["method"] == "l1_ranksvm"]
    assert set(l1["status"]) == {"optimal"} and (pd.to_numeric(l1["relative_gap"]) <= 1e-8).all()
    chosen = fits[(fits["role"] == "chosen") & (fits["method"] != "broken")]
    assert pd.to_numeric(chosen["map"]).between(0.5, 1).all()
    assert pd.to_numeric(chosen["sparsity_ratio"]).between(1 / 14, 1).all()
    assert chosen["weights"].map(lambda text: len(json.loads(text))).eq(16).all()
    assert (pd.to_numeric(chosen["n_train_queries"]) == 36).all()
    search = fits[fits["role"] == "search"]
    assert set(search["map"]) == set(search["weights"]) == {""}


def test_every_query_is_there(letor):
    queries = letor.table(f"{STUDY}/queries.csv")
    methods = ("fenchelrank", "l1_ranksvm", "ridge")
    assert queries.groupby("method").size().to_dict() == dict.fromkeys(methods, 5 * QUERIES_OF_A_FOLD)
    key = ["method", "split"]
    means = queries.astype({"average_precision": float}).groupby(key)["average_precision"].mean()
    chosen = rows(letor).query("role == 'chosen' and method != 'broken'").set_index(key)["map"].astype(float)
    pd.testing.assert_series_equal(means, chosen.sort_index(), check_names=False)
    assert queries.groupby("method")["qid"].nunique().eq(60).all()  # each query tests once


def test_a_method_that_fails_is_rows_and_no_query(letor):
    broken = rows(letor).query("method == 'broken'")
    assert set(broken["status"]) == {"failed"} and broken["message"].str.contains("'alpha' parameter").all()
    chosen = broken[broken["role"] == "chosen"]
    assert chosen["message"].str.startswith("no parameter could be chosen: ").all()
    failures = letor.table("failures.csv")
    assert set(failures["method"]) == {"broken"} and len(failures) == len(broken)
    assert set(failures["split"]) == set("01234")


def test_what_was_not_obtained_is_a_row_a_job(letor):
    missing = rows(letor, "td2003")
    assert set(missing["status"]) == {"not obtained"} and set(missing["split"]) == {""}
    assert set(missing["method"]) == {"fenchelrank", "l1_ranksvm", "broken", "ridge"}
    assert missing["message"].str.contains("Gov").all()
    assert "td2003" not in set(letor.table(f"{STUDY}/queries.csv")["dataset"])


def test_one_core_gives_the_same_and_a_new_method_runs_alone(letor, tmp_path):
    assert "Nothing to be done" in collect(letor)
    again = letor.copy(tmp_path / "again")
    shutil.rmtree(again.results / STUDY)
    assert any("/fits/" in path for path in outputs(collect(again, cores=1)))
    for name in ("fits.csv", "queries.csv"):
        ours, theirs = (project.table(f"{STUDY}/{name}") for project in (letor, again))
        timed = [column for column in ours if column == "seconds"]
        assert ours.drop(columns=timed).equals(theirs.drop(columns=timed)), name

    study = again.study()
    study["methods"].remove("broken")
    study["beyond"].append("fsmrank")
    again.write(study)
    fits = [path for path in outputs(collect(again)) if "/fits/" in path]
    assert fits and all(".fsmrank." in path for path in fits)
    assert set(again.table(f"{STUDY}/fits.csv")["method"]) == {
        "fenchelrank",
        "l1_ranksvm",
        "ridge",
        "fsmrank",
    }
    assert again.table("failures.csv").empty
