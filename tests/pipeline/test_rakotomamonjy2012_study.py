"""A study of R12 from the draws to the page, with a data set that is not obtained."""

import re

import pandas as pd
import pytest
from small_project import PUSH, TOY

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_every_fit_is_there_and_certified(finished_project):
    study, fits = finished_project.study(PUSH), finished_project.table(f"{PUSH}/fits.csv")
    obtained = fits[fits["dataset"] != "planted"]
    assert set(obtained["status"]) == {"certified"}
    assert (pd.to_numeric(obtained["relative_gap"]) <= 1e-8).all()
    chosen = obtained[obtained["role"] == "chosen"]
    assert chosen.groupby("dataset").size().to_dict() == {
        "wdbc": len(study["methods"]) * study["splits"],
        "toy-n30-noise5": len(study["toy"]["methods"]) * TOY["trials"],
    }
    toys = chosen[chosen["dataset"] != "wdbc"]
    assert pd.to_numeric(toys["n_relevant_variables"]).between(0, 4).all()
    trained = pd.to_numeric(chosen["n_train_positives"]) + pd.to_numeric(chosen["n_train_negatives"])
    assert trained[chosen["dataset"] == "wdbc"].eq(100).all() and trained[toys.index].eq(30).all()


def test_tables_and_figures_are_there(finished_project):
    table = finished_project.table(f"{PUSH}/table1.csv")
    assert set(table["dataset"]) == {"wdbc", "planted"}  # the toy problem has its own figures
    assert set(finished_project.table(f"{PUSH}/figure1.csv")["rows"]) == {"30"}
    assert set(finished_project.table(f"{PUSH}/figure2.csv")["noise"]) == {"5"}
    times = finished_project.table(f"{PUSH}/figure3.csv")
    assert times.groupby("solver").size().to_dict() == {"l1_infinite_push": 2, "l1_infinite_push_admm": 1}
    path = finished_project.table(f"{PUSH}/path_wdbc.csv").astype({"share": float, "n_variables": int})
    assert path["share"].is_monotonic_decreasing
    assert path["n_variables"].iloc[0] == 0 < path["n_variables"].iloc[-1]
    names = ("figure1", "figure2", "figure3", "figure_table1", "critical_difference")
    for name in (*names, "path_wdbc", "path_planted"):
        assert (finished_project.results / PUSH / f"{name}.svg").stat().st_size > 0, name
    titles = ("Figure 1: rate at the top", "Figure 2: retrieval", "Figure 3: running time", "path on wdbc")
    for words in titles:
        assert words in finished_project.page()


def test_every_figure_has_its_message_as_title(finished_project):
    files = [path for path in finished_project.results.glob("*/*.svg") if path.parent.name != "report"]
    titles = [re.findall(r"<title>([^<]+\.)</title>", file.read_text(encoding="utf-8")) for file in files]
    assert len(files) > 10 and all(len(title) == 1 for title in titles)
    planted = next(title for file, title in zip(files, titles, strict=True) if file.stem == "path_planted")
    assert planted == ["No path was obtained."]


def test_what_was_not_obtained_says_so_everywhere(finished_project):
    table = finished_project.table(f"{PUSH}/table1.csv")
    assert set(table.loc[table["dataset"] == "planted", "rate_at_top_mean"]) == {"not obtained"}
    assert finished_project.table(f"{PUSH}/path_planted.csv").empty
