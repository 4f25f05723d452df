"""Cross-validation chooses: shares of the strongest regularisation, warm starts, ties and chosen sizes."""

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from estimators_of_columns import (
    METRICS,
    SINGLE_CLASS_MESSAGE,
    SPLITS,
    X,
    Y,
    chosen_of,
    columns,
    fitted_on,
    params_of,
    select_role,
)
from ranking_data import stack_classes, surrounded_positives
from sklearn.base import BaseEstimator

from reproduction.core.seeds import derive_seed
from reproduction.fitting.cross_validation import CrossValidation, make_split_runner
from reproduction.fitting.feature_scaling import MAX_DENSE_ENTRIES, standardise
from reproduction.fitting.fit_rows import warm_up
from reproduction.fitting.method import Method
from reproduction.papers.rakotomamonjy2012.toy.generate import make_toy
from reproduction.splits.splits import draw_hold_out_splits

CERTIFIED = {"objective", "lower_bound", "gap", "relative_gap"}


@pytest.fixture(autouse=True)
def clear_fits():
    fitted_on.clear()


# --- methods of others -----------------------------------------------------------------------------------


LOGISTIC = Method("sklearn.linear_model.LogisticRegression", {"max_iter": 500}, {"C": [0.1, 1.0]})


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", [LOGISTIC, Method("sklearn.linear_model.Ridge")])
def test_a_classifier_or_regressor_of_scikit_learn_is_a_method(method, kind):
    rows = CrossValidation(method, kind(X), Y, SPLITS).run_split(0)
    assert {row["status"] for row in rows} == {"fitted"}
    assert all(row.keys() >= METRICS and not row.keys() & CERTIFIED for row in rows)
    assert chosen_of(rows)["positives_at_top"] > 0 and chosen_of(rows)["weight_norm"] > 0


def test_the_warm_up_fits_a_problem_of_the_same_kind():
    sparse, large = sp.csr_array(np.ones((5, 80))), sp.csr_array((MAX_DENSE_ENTRIES // 4 + 1, 4))
    for data, feature_scaling in itertools.product(
        (X, sp.csr_array(X), sparse, large), ("raw", "standardised")
    ):
        fitted_on.clear()
        warm_up(columns(1, path={"extra": [7]}), data, feature_scaling)
        ((rows, labels, params),) = fitted_on
        measured = data if feature_scaling == "raw" else standardise(data, data)[0]
        assert sp.issparse(rows) == sp.issparse(measured) and rows.shape[1] == data.shape[1]
        assert set(labels) == {0, 1} and params == {"column": 1, "extra": 7}
        if sp.issparse(rows):  # wide rows are fitted by other kernels than tall ones
            assert (rows.shape[0] >= rows.shape[1]) == (data.shape[0] >= data.shape[1])
            assert rows.nnz < rows.shape[0] * rows.shape[1] or data.nnz == np.prod(data.shape)


def test_the_warm_up_judges_nothing(capsys):
    warm_up(columns(1, estimator="Stubborn"), X, "raw")
    assert "column 1 is not to be used" in capsys.readouterr().out


HELD_OUT = draw_hold_out_splits(Y, 60, 2, 0.3, 7)


SHARES = [0.01, 0.1, 0.5, 1.0]


L1_PUSH = Method("toprank.InfinitePush", {"penalty": "l1"}, {"share": SHARES})


def test_a_share_is_of_the_strongest_regularisation_of_the_rows_at_hand():
    rows = CrossValidation(L1_PUSH, X, Y, HELD_OUT, "standardised").run_split(0)
    ((_, fitted, _),) = HELD_OUT.folds(0)
    for part, role in ((fitted, "search"), (HELD_OUT.train(0), "chosen")):
        scaled, _ = standardise(X[part], X[part])
        largest = L1_PUSH.build().alpha_max(scaled, Y[part])
        for row in select_role(rows, role):
            params = params_of(row)
            assert params["alpha"] == pytest.approx(params["share"] * largest, rel=1e-9)
    assert [params_of(row)["share"] for row in select_role(rows, "search")] == SHARES
    assert select_role(rows, "search")[-1]["n_variables"] == 0  # at share 1 the answer is w = 0


def test_the_share_of_a_ranksvm_is_in_one_over_c():
    rows = CrossValidation(Method("toprank.RankSVM", {}, {"share": SHARES}), X, Y, HELD_OUT).run_split(0)
    params = [params_of(row) for row in select_role(rows, "search")]
    weights = [p["C"] * p["share"] for p in params]
    assert weights == pytest.approx([weights[0]] * len(SHARES))
    assert select_role(rows, "search")[-1]["n_variables"] == 0 < select_role(rows, "search")[0]["n_variables"]


def test_a_share_where_zero_is_always_optimal():
    data, y = stack_classes(*surrounded_positives(m=20, n=60))
    rows = CrossValidation(L1_PUSH, data, y, draw_hold_out_splits(y, 50, 1, 0.3, 1)).run_split(0)
    assert {row["status"] for row in rows} == {"certified"} and chosen_of(rows)["weight_norm"] == 0.0


def test_what_cannot_be_scaled_is_a_failed_row():
    y = Y.copy()
    y[HELD_OUT.train(0)] = 0
    rows = CrossValidation(L1_PUSH, X, y, HELD_OUT).run_split(0)
    assert {row["status"] for row in rows} == {"failed"} and len(rows) == len(SHARES) + 1
    assert rows[0]["message"].startswith(SINGLE_CLASS_MESSAGE)


@pytest.mark.parametrize("estimator", ["toprank.InfinitePush", "toprank.RankSVM"])
def test_a_warm_start_changes_no_answer(estimator):
    cold, warm = (
        CrossValidation(
            Method(estimator, {"warm_start": start}, {"share": SHARES}), X, Y, HELD_OUT
        ).run_split(1)
        for start in (False, True)
    )
    for ours, theirs in zip(cold, warm, strict=True):
        assert ours["params"] == theirs["params"] and ours["n_variables"] == theirs["n_variables"]
        assert ours["objective"] == pytest.approx(theirs["objective"], rel=1e-7)


class Chosen(BaseEstimator):
    """Scores by the first feature, whatever its number of non-zero weights: all candidates tie."""

    def __init__(self, size=1):
        self.size = size

    def fit(self, X, y):
        self.coef_ = np.r_[1.0, np.full(self.size - 1, 1e-3), np.full(X.shape[1] - self.size, 1e-9)]
        return self

    def decision_function(self, X):
        return X[:, 0]


SIZES = Method(f"{__name__}.Chosen", grid={"size": [2, 1, 3]})


@pytest.mark.parametrize(
    ("ties", "expected"), [("fewest", 1), ("most", 3), ("strongest", 3), ("weakest", 2), ("middle", 1)]
)
def test_a_tie_goes_where_the_level_says(ties, expected):
    rows = CrossValidation(SIZES, X, Y, HELD_OUT, ties=(ties,)).run_split(0)
    assert params_of(chosen_of(rows)) == {"size": expected}
    assert [row["n_variables"] for row in select_role(rows, "search")] == [2, 1, 3]


def test_what_other_levels_choose_is_fitted_as_well_and_once():
    levels = ("middle", "fewest", "most", "strongest", "weakest")
    rows = CrossValidation(SIZES, X, Y, HELD_OUT, ties=levels, thresholds=("0", "1e-06", "0.01")).run_split(0)
    assert [(row["ties"], row["role"], params_of(row)["size"]) for row in rows if "ties" in row] == [
        ("middle fewest", "chosen", 1),
        ("most strongest", "alternative", 3),
        ("weakest", "alternative", 2),
    ]
    variables_at = {"0": X.shape[1], "1e-06": 1, "0.01": 1}
    assert json.loads(chosen_of(rows)["variables_at"]) == variables_at


def test_fewer_variables_win_no_better_rate():
    method = Method("toprank.InfinitePush", {"penalty": "l1"}, {"share": [0.1, 1.0]})
    rows = CrossValidation(method, X, Y, HELD_OUT, ties=("fewest",)).run_split(0)
    assert chosen_of(rows)["n_variables"] > 0  # w = 0 has none, and a rate of 0


def test_the_relevant_variables_are_counted():
    method, relevant = Method(f"{__name__}.Chosen", {"size": 3}), np.array([True, False, True, False])
    row = chosen_of(CrossValidation(method, X, Y, HELD_OUT, relevant=relevant).run_split(0))
    assert (row["n_variables"], row["n_relevant_variables"]) == (3, 2)


@pytest.mark.parametrize("n_relevant", [1, 2, 4])
def test_the_first_features_of_a_generated_set_are_the_relevant_ones(n_relevant):
    generated = SimpleNamespace(manifest={"relevant_features": n_relevant}, X=X, y=Y)
    run = make_split_runner(
        Method(f"{__name__}.Chosen", {"size": 3}), generated, HELD_OUT, "raw", ("strongest",), ()
    )
    assert chosen_of(run(0))["n_relevant_variables"] == min(n_relevant, 3)


def test_what_one_method_chose_as_a_share_another_takes_over():
    eliminated = "toprank.estimators.rfe.RFEInfinitePush"
    method = Method(eliminated, {"warm_start": True}, {"n_features": [3, 1]})
    rows = CrossValidation(method, X, Y, HELD_OUT, ties=("fewest",)).run_split(0, inherited={"share": 0.2})
    assert [row["n_variables"] for row in select_role(rows, "search")] == [3, 1]
    assert {params_of(row)["share"] for row in rows} == {0.2}
    assert len({params_of(row)["alpha"] for row in select_role(rows, "search")}) == 1


def test_a_warm_started_path_of_ranksvm_ends_optimal():
    """On this trial the objective stopped changing before the gradient was small enough."""
    seed = derive_seed(20150810, "rakotomamonjy2012", "toy-n200-noise20", 17, "toy")
    toy = make_toy(200, 20, seed, n_test=2)
    method = Method("toprank.RankSVM", {"warm_start": True}, {"share": np.geomspace(1e-3, 1, 15).tolist()})
    splits = draw_hold_out_splits(toy.y_train, 150, 4, 0.3, 1)
    for split in range(4):
        rows = CrossValidation(method, toy.X_train, toy.y_train, splits, "standardised").run_split(split)
        assert {row["status"] for row in rows} == {"certified"}
