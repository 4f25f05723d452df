"""A study of L14 from the folds to the page, with a data set that is not obtained."""

import json

import pandas as pd
import pytest
from small_project import LETOR

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

METHODS = ("fenchelrank", "l1_ranksvm")
QUERIES_OF_A_FOLD = 12
FIGURES = ("figure1", "figure2", "figure3", "critical_difference", "constant", "early_stop")


def rows(finished, dataset="letor-like"):
    fits = finished.table(f"{LETOR}/fits.csv")
    return fits[fits["dataset"] == dataset]


def test_every_fit_is_there(finished):
    fits = rows(finished)
    assert fits.groupby(["method", "role"]).size().to_dict() == {
        (method, role): 5 * (size if role == "search" else 1)
        for method, size in zip(METHODS, (2, 3), strict=True)
        for role in ("search", "chosen")
    }
    assert set(fits["split"]) == set("01234")
    l1 = fits[fits["method"] == "l1_ranksvm"]
    assert set(l1["status"]) == {"certified"} and (pd.to_numeric(l1["relative_gap"]) <= 1e-8).all()
    chosen = fits[fits["role"] == "chosen"]
    assert pd.to_numeric(chosen["map"]).between(0.5, 1).all()
    assert pd.to_numeric(chosen["sparsity_ratio"]).between(1 / 14, 1).all()
    assert chosen["weights"].map(lambda text: len(json.loads(text))).eq(16).all()
    assert (pd.to_numeric(chosen["n_train_queries"]) == 36).all()
    search = fits[fits["role"] == "search"]
    assert pd.to_numeric(search["map"]).between(0, 1).all() and set(search["weights"]) == {""}


def test_every_query_is_there(finished):
    queries = finished.table(f"{LETOR}/queries.csv")
    assert queries.groupby("method").size().to_dict() == dict.fromkeys(METHODS, 5 * QUERIES_OF_A_FOLD)
    key = ["method", "split"]
    means = queries.astype({"average_precision": float}).groupby(key)["average_precision"].mean()
    chosen = rows(finished).query("role == 'chosen'").set_index(key)["map"].astype(float)
    pd.testing.assert_series_equal(means, chosen.sort_index(), check_names=False)
    assert queries.groupby("method")["qid"].nunique().eq(60).all()  # each query tests once


def test_what_was_not_obtained_is_a_row_a_job(finished):
    missing = rows(finished, "td2003")
    assert set(missing["status"]) == {"not obtained"} and set(missing["split"]) == {""}
    assert set(missing["method"]) == set(METHODS)
    assert missing["message"].str.contains("Gov").all()
    assert "td2003" not in set(finished.table(f"{LETOR}/queries.csv")["dataset"])


def test_tables_and_figures_are_there(finished):
    for name in ("table3", "table4", "table5", "table6"):
        assert set(finished.table(f"{LETOR}/{name}.csv")["dataset"]) >= {"letor-like", "td2003"}, name
    for name in FIGURES:
        assert (finished.results / LETOR / f"{name}.svg").stat().st_size > 0, name
