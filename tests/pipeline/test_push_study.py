"""A study of the protocol infinite_push from the draws to the page, with a data set that cannot be had."""

import shutil

import pandas as pd
import pytest
from planted import plant
from small_project import STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("studies")]

TOY = {"rows": [30], "noise": [5], "retrieval_rows": 30, "retrieval_noise": [5, 8], "test_rows": 60}
TOY |= {"relevant": 4, "trials": 2, "trials_per_job": 1}
TIMES = {"rows": {"l1_infinite_push_admm": [12], "l1_infinite_push": [12, 30]}, "noise": [5]}


@pytest.fixture(scope="module")
def push(bare, tmp_path_factory):
    """The study after a run on two cores."""
    folder = tmp_path_factory.mktemp("push") / "project"
    project = bare.copy(folder)
    plant(project)
    study = project.quick("quick_push")
    study |= {"datasets": {"wdbc": ["standardised"], "planted": ["standardised"]}, "splits": 2}
    study |= {"train_rows": {"wdbc": 100, "planted": 40}, "shares": [0.01, 0.1, 1.0], "n_features": [4, 2]}
    study["toy"] |= TOY
    study["times"] |= TIMES
    path = {"points": 5}
    study["paths"] = {
        "wdbc": {**path, "penalty": "l1"},
        "planted": {**path, "penalty": "group", "group_size": 2},
    }
    project.write(study)
    project.printed = project.snakemake()
    return project


def without_times(table):
    return table[[column for column in table if not column.startswith("seconds")]].to_csv(index=False)


def test_every_fit_is_there_and_certified(push):
    study, fits = push.study(), push.table(f"{STUDY}/fits.csv")
    obtained = fits[fits["dataset"] != "planted"]
    assert set(obtained["status"]) == {"optimal"}
    assert (pd.to_numeric(obtained["relative_gap"]) <= 1e-8).all()
    chosen = obtained[obtained["role"] == "chosen"]
    assert chosen.groupby("dataset").size().to_dict() == {
        "wdbc": len(study["methods"]) * study["splits"],
        "toy-n30-noise5": len(study["toy"]["methods"]) * TOY["trials"],
        "toy-n30-noise8": len(study["toy"]["methods"]) * TOY["trials"],
    }
    toys = chosen[chosen["dataset"] != "wdbc"]
    assert pd.to_numeric(toys["n_relevant_variables"]).between(0, 4).all()
    trained = pd.to_numeric(chosen["n_train_positives"]) + pd.to_numeric(chosen["n_train_negatives"])
    assert trained[chosen["dataset"] == "wdbc"].eq(100).all() and trained[toys.index].eq(30).all()


def test_tables_and_figures_are_there(push):
    table = push.table(f"{STUDY}/table1.csv")
    assert set(table["dataset"]) == {"wdbc", "planted"}  # the toy problem has its own figures
    assert set(push.table(f"{STUDY}/figure1.csv")["rows"]) == {"30"}
    assert set(push.table(f"{STUDY}/figure2.csv")["noise"]) == {"5", "8"}
    times = push.table(f"{STUDY}/figure3.csv")
    assert times.groupby("solver").size().to_dict() == {"l1_infinite_push": 2, "l1_infinite_push_admm": 1}
    path = push.table(f"{STUDY}/path_wdbc.csv").astype({"share": float, "n_variables": int})
    assert (
        path["share"].is_monotonic_decreasing
        and path["n_variables"].iloc[0] == 0 < path["n_variables"].iloc[-1]
    )
    names = ("figure1", "figure2", "figure3", "figure_table1", "critical_difference")
    names += ("path_wdbc", "path_planted")
    for name in names:
        for kind in ("svg", "pdf", "png"):
            assert (push.results / STUDY / f"{name}.{kind}").stat().st_size > 0, name
    page = (push.results / "report.html").read_text()
    for words in (
        "Figure 1: rate at the top",
        "Figure 2: retrieval",
        "Figure 3: running time",
        "path on wdbc",
    ):
        assert words in page
    assert page.count("<svg") == len(names)


def test_what_was_not_obtained_says_so_everywhere(push):
    table = push.table(f"{STUDY}/table1.csv")
    assert set(table.loc[table["dataset"] == "planted", "rate_at_top_mean"]) == {"not obtained"}
    assert push.table(f"{STUDY}/path_planted.csv").empty
    assert "planted.data" in (push.results / "report.html").read_text()
    assert "NOT OBTAINED" in push.printed


def test_a_second_call_does_nothing(push):
    assert "Nothing to be done" in push.snakemake()


def test_one_core_gives_the_same_tables_and_a_new_method_runs_alone(push, tmp_path):
    again = push.copy(tmp_path / "again")
    for folder in ("fits", "toy", "splits"):
        shutil.rmtree(again.results / STUDY / folder)
    for made in (f"{STUDY}/fits.csv", "check.txt"):  # what is complete would not be missed otherwise
        (again.results / made).unlink()
    assert any("/fits/" in path for path in outputs(again.snakemake(cores=1)))
    for name in ("fits.csv", "table1.csv", "figure1.csv", "figure2.csv"):
        ours, theirs = (without_times(project.table(f"{STUDY}/{name}")) for project in (push, again))
        assert ours == theirs, name

    study = again.study()
    study["methods"] = [*study["methods"], "rfe_infinite_push"]
    again.write(study)
    printed = again.snakemake()
    fits = [path for path in outputs(printed) if "/fits/" in path]
    assert fits and all(".rfe_infinite_push." in path for path in fits)
