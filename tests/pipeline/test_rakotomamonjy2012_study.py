"""A study of R12 from the draws to the page, with a data set that is not obtained."""

import pandas as pd
import pytest
from small_project import PUSH, TOY

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_every_fit_is_there_and_certified(finished):
    study, fits = finished.study(PUSH), finished.table(f"{PUSH}/fits.csv")
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


def test_tables_and_figures_are_there(finished):
    table = finished.table(f"{PUSH}/table1.csv")
    assert set(table["dataset"]) == {"wdbc", "planted"}  # the toy problem has its own figures
    assert set(finished.table(f"{PUSH}/figure1.csv")["rows"]) == {"30"}
    assert set(finished.table(f"{PUSH}/figure2.csv")["noise"]) == {"5"}
    times = finished.table(f"{PUSH}/figure3.csv")
    assert times.groupby("solver").size().to_dict() == {"l1_infinite_push": 2, "l1_infinite_push_admm": 1}
    path = finished.table(f"{PUSH}/path_wdbc.csv").astype({"share": float, "n_variables": int})
    assert path["share"].is_monotonic_decreasing
    assert path["n_variables"].iloc[0] == 0 < path["n_variables"].iloc[-1]
    names = ("figure1", "figure2", "figure3", "figure_table1", "critical_difference")
    for name in (*names, "path_wdbc", "path_planted"):
        assert (finished.results / PUSH / f"{name}.svg").stat().st_size > 0, name
    titles = ("Figure 1: rate at the top", "Figure 2: retrieval", "Figure 3: running time", "path on wdbc")
    for words in titles:
        assert words in finished.page()


def test_what_was_not_obtained_says_so_everywhere(finished):
    table = finished.table(f"{PUSH}/table1.csv")
    assert set(table.loc[table["dataset"] == "planted", "rate_at_top_mean"]) == {"not obtained"}
    assert finished.table(f"{PUSH}/path_planted.csv").empty
