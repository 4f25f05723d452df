"""What goes wrong on a fold of LETOR is a row, and what is refused."""

import numpy as np
import pytest
from estimators_of_columns import chosen_of, params_of, select_role
from letor_fold_methods import (
    L1,
    SHARES,
    TRAIN,
    VALIDATION,
    X,
    Y,
    columns,
    fitted_on,
    run_method,
)

from reproduction.fitting.method import Method, warm_up


@pytest.fixture(autouse=True)
def clear_fits():
    fitted_on.clear()


# --- what goes wrong is a row ----------------------------------------------------------------------------


def test_a_failed_candidate_is_a_row_and_is_not_chosen():
    rows = run_method(columns(0, 1, 3, estimator="Stubborn"))
    assert [row["status"] for row in select_role(rows, "search")] == ["fitted", "failed", "failed"]
    _, refused, not_finite = (row["message"] for row in select_role(rows, "search"))
    assert refused == "RuntimeError: column 1 is not to be used"
    assert not_finite.startswith(f"ValueError: {VALIDATION.sum()} scores are NaN or infinite")
    assert params_of(chosen_of(rows)) == {"column": 0} and len(select_role(rows, "query")) == 12


@pytest.mark.parametrize("warm_start", [False, True])
def test_where_every_candidate_fails_the_choice_is_a_failed_row(warm_start):
    method = Method("letor_fold_methods.Stubborn", {"warm_start": warm_start}, {"column": [3, 1, 3]})
    rows = run_method(method, inherited={"size": 2})
    chosen = chosen_of(rows)
    assert chosen["status"] == "failed" and params_of(chosen) == {"size": 2}
    assert chosen["message"].startswith("no parameter could be chosen: ValueError: ")
    assert select_role(rows, "query") == [] and len(select_role(rows, "search")) == 3


def test_a_model_that_cannot_score_the_test_part_is_a_failed_row():
    rows = run_method(columns(2, estimator="Stubborn"), split=1)
    assert [row["status"] for row in rows] == ["fitted", "failed"]
    assert rows[1]["message"] == "RuntimeError: the test part is refused" and "map" not in rows[1]
    assert params_of(rows[1]) == {"column": 2}


def test_no_pairs_at_all():
    y = np.where(TRAIN, 1, Y)
    rows = run_method(L1, y)
    assert {row["status"] for row in rows} == {"failed"} and len(rows) == len(SHARES) + 1
    assert "one class only within every query" in chosen_of(rows)["message"]


def test_a_method_that_does_not_exist_is_a_failed_row():
    for fixed in ({}, {"warm_start": True}):
        rows = run_method(Method("sklearn.linear_model.Nothing", fixed, {"alpha": [1.0, 2.0]}))
        assert {row["status"] for row in rows} == {"failed"} and len(rows) == 3


def test_a_path_is_refused():
    with pytest.raises(ValueError, match="fits no path beside the grid"):
        run_method(Method("toprank.RankSVM", path={"C": [1.0]}))


def test_the_warm_up_has_queries_of_three_grades():
    warm_up(columns(1, estimator="QueryColumn"), X, "raw", has_queries=True)
    ((fit),) = fitted_on
    assert set(fit["y"]) == {0, 1, 2} and np.unique(fit["qid"]).size == 4
    warm_up(columns(1), X, "raw", has_queries=True)
    assert len(fitted_on) == 2
