"""The protocol of queries: what is fitted on what, and how one is chosen."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from estimators_of_columns import chosen_of, params_of, select_role
from letor_fold_methods import (
    L1,
    QID,
    SHARES,
    SPLITS,
    TABLE,
    TEST_PART,
    TRAIN,
    VALIDATION,
    X,
    Y,
    columns,
    fitted_on,
    run_method,
)

from reproduction.fitting.method import Method
from reproduction.fitting.validation_fold import ValidationFold, query_metrics
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import Splits
from toprank.metrics import average_precision_per_query, mean_average_precision, ndcg_per_query


@pytest.fixture(autouse=True)
def clear_fits():
    fitted_on.clear()


def validation_map(column, split=0):
    part = SPLITS.inner[split] == 0
    return mean_average_precision(Y[part], X[part, column], QID[part], convention="letor")


ON_TEST = ("seconds", "map", "ndcg10")  # what a row says of the test part, and its time


# --- what is chosen --------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", range(5))
def test_the_best_map_of_the_validation_part_is_chosen(split):
    rows = run_method(columns(*range(14)), split=split)
    maps = [validation_map(column, split) for column in range(14)]
    assert [row["validation_map"] for row in select_role(rows, "search")] == pytest.approx(maps)
    assert params_of(chosen_of(rows)) == {"column": int(np.argmax(maps))}


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ({"size": [2, 1, 3]}, {"size": 1}),  # all score alike: the fewest variables
        ({"size": [1, 2], "column": [0, 0]}, {"size": 1, "column": 0}),
        ({"column": [14, 15, 14]}, {"column": 14}),  # constant, one variable each: the last
        ({"column": [14, 15]}, {"column": 15}),
        ({"size": [1, 16], "column": [0, 14]}, {"size": 1, "column": 0}),  # fewer variables win no better MAP
    ],
)
def test_ties_go_to_fewer_variables_and_then_to_the_last(grid, expected):
    assert params_of(chosen_of(run_method(Method("letor_fold_methods.Column", grid=grid)))) == expected


def test_a_scorer_of_ties_is_not_chosen_for_the_order_of_the_file():
    """Where the file lists the relevant documents first, a constant score has a MAP of 1."""
    order = np.lexsort((-Y, QID))
    data, y, qid, part = X[order], Y[order], QID[order], TABLE.part[order]
    constant = average_precision_per_query(y, np.zeros(y.size), qid, convention="letor")
    assert constant[np.bincount(np.unique(qid, return_inverse=True)[1], weights=y) > 0].min() == 1.0
    for grid in ([14, 0], [0, 14]):  # feature 14 never varies
        rows = ValidationFold(columns(*grid), data, y, qid, rotate_letor_folds(part)).run_split(0)
        maps = dict(zip(grid, (row["validation_map"] for row in select_role(rows, "search")), strict=True))
        assert maps[14] > maps[0]
        assert params_of(chosen_of(rows)) == {"column": 0}
    assert params_of(chosen_of(run_method(columns(14, 15)))) == {"column": 15}  # nothing else is there


def test_without_weights_a_tie_goes_to_the_last():
    method = Method("sklearn.neighbors.KNeighborsRegressor", grid={"n_jobs": [1, 2, None]})
    row = chosen_of(run_method(method))
    assert params_of(row) == {"n_jobs": None} and "sparsity_ratio" not in row
    assert row["map"] > 0 and "weights" not in row


def test_the_labels_of_the_test_part_choose_nothing():
    """Fits, validation and choice stay the same, whatever the test part holds."""
    random = np.random.default_rng(0)
    plain = run_method(L1, n_varying=14)
    for _ in range(3):
        y, data = Y.copy(), X.copy()
        y[TEST_PART] = random.permutation(y[TEST_PART])
        data[TEST_PART] = random.normal(size=data[TEST_PART].shape)
        rows = run_method(L1, y, data, n_varying=14)
        for ours, theirs in zip(select_role(rows, "search"), select_role(plain, "search"), strict=True):
            assert ours.keys() == theirs.keys()
            assert ours.items() - theirs.items() <= {(name, ours[name]) for name in ON_TEST}
        ours, theirs = chosen_of(rows), chosen_of(plain)
        assert (ours["params"], ours["weights"]) == (theirs["params"], theirs["weights"])
        assert ours["map"] != theirs["map"]


def test_the_validation_part_is_never_fitted_on():
    """No refit on training and validation part: each fit sees the training part and nothing else."""
    run_method(columns(0, 1, 2, estimator="QueryColumn"))
    assert len(fitted_on) == 3
    train = np.flatnonzero(TRAIN)[np.argsort(QID[TRAIN], kind="stable")]  # the documents of a query together
    for fit in fitted_on:
        assert np.array_equal(fit["X"], X[train]) and np.array_equal(fit["y"], Y[train])
        assert np.array_equal(fit["qid"], QID[train])


def test_the_chosen_row_repeats_its_candidate_and_measures_the_test_part():
    rows = run_method(L1, n_varying=14)
    chosen = chosen_of(rows)
    (candidate,) = [row for row in select_role(rows, "search") if row["params"] == chosen["params"]]
    own = {"map_standard", "ndcg10_standard", "weights"}
    repeated = {name: value for name, value in chosen.items() if name not in own}
    assert repeated == candidate | {"role": "chosen", "fold": None}
    assert candidate["fold"] == 0 and own <= chosen.keys()
    weights = np.array(json.loads(chosen["weights"]))
    y, qid, scored = Y[TEST_PART], QID[TEST_PART], X[TEST_PART] @ weights
    assert chosen["map"] == pytest.approx(mean_average_precision(y, scored, qid, convention="letor"))
    gains = ndcg_per_query(y, scored, qid, k=10, convention="letor")
    assert chosen["ndcg10"] == pytest.approx(gains.mean())
    assert np.count_nonzero(weights) == chosen["n_variables"]
    assert chosen["sparsity_ratio"] == chosen["n_variables"] / 14
    assert chosen["kkt"] <= 1e-8 and chosen["relative_gap"] <= 1e-8
    assert chosen["n_train_documents"] == TRAIN.sum() and chosen["n_train_queries"] == 36


def test_the_chosen_model_is_the_one_of_its_candidate_although_a_warm_start_went_on():
    cold = Method("toprank.RankSVM", {"penalty": "l1"}, {"share": SHARES})
    for split in range(5):
        ours, theirs = chosen_of(run_method(L1, split=split)), chosen_of(run_method(cold, split=split))
        assert params_of(ours)["share"] == params_of(theirs)["share"]
        assert json.loads(ours["weights"]) == pytest.approx(json.loads(theirs["weights"]), abs=1e-6)
        assert ours["objective"] == pytest.approx(theirs["objective"], rel=1e-9)
        assert ours["map"] == pytest.approx(theirs["map"])


def test_a_warm_start_goes_along_the_last_parameter_within_one_value_of_the_others():
    grid = {"size": [1, 2], "column": [3, 4, 5]}
    rows = run_method(Method("letor_fold_methods.Column", {"warm_start": True}, grid))
    before = [fit["before"] and (fit["before"]["size"], fit["before"]["column"]) for fit in fitted_on]
    assert before == [None, (1, 5), (1, 4), None, (2, 5), (2, 4)]
    points = [params_of(row) for row in select_role(rows, "search")]
    assert points == [{"size": s, "column": c} for s in (1, 2) for c in (3, 4, 5)]


def test_shares_are_of_the_training_part_with_its_queries():
    grid = {"column": [0, 1], "alpha_share": [0.5], "share": [0.1, 0.2]}
    rows = run_method(Method("letor_fold_methods.QueryColumn", grid=grid))
    for row in select_role(rows, "search"):
        params = params_of(row)
        largest = 36 + 100 * params["column"]  # the scale may depend on what the points of a run agree in
        assert params["beta"] == pytest.approx(params["share"] * largest)
        assert params["alpha"] == pytest.approx(0.5 * largest)
    (smallest,) = {params_of(row)["C"] * params_of(row)["share"] for row in run_method(L1)[:1]}
    assert smallest == pytest.approx(L1.build().C_zero_max(X[TRAIN], Y[TRAIN], QID[TRAIN]))


def test_a_grid_of_shares_needs_a_scale():
    rows = run_method(Method("sklearn.linear_model.Ridge", grid={"share": [0.1, 1.0]}))
    assert {row["status"] for row in rows} == {"failed"}
    assert rows[0]["message"].endswith(
        "has none of alpha_max, beta_max, C_zero_max, of which a grid takes shares"
    )


# --- rows ------------------------------------------------------------------------------------------------


def test_rows_and_roles():
    calls = []
    rows = run_method(columns(0, 1), progress=lambda: calls.append(1))
    assert [row["role"] for row in rows] == ["search"] * 2 + ["chosen"] + ["query"] * 12
    assert len(calls) == 2 and {row["split"] for row in rows} == {0}
    (row, *queries) = run_method(Method("letor_fold_methods.Column"))
    assert row["role"] == "chosen" and row["params"] == "{}" and len(queries) == 12


def test_one_row_a_query_of_the_test_part():
    queries = select_role(run_method(columns(3)), "query")
    y, qid, scored = Y[TEST_PART], QID[TEST_PART], X[TEST_PART, 3]
    assert [row["qid"] for row in queries] == np.unique(qid).tolist()
    for row in queries:
        own = qid == row["qid"]
        assert (row["n_documents"], row["n_relevant"]) == (own.sum(), (y[own] > 0).sum())
        precision = average_precision_per_query(y[own], scored[own], convention="letor")[0]
        assert row["average_precision"] == pytest.approx(precision)
        for k, convention, name in ((5, "letor", "ndcg5"), (10, "standard", "ndcg10_standard")):
            value = ndcg_per_query(y[own], scored[own], k=k, convention=convention)[0]
            assert row[name] == pytest.approx(value)


def test_a_query_whose_relevant_document_is_the_sixth_by_hand():
    """Nothing among the first five; LETOR's discount is log2 of the rank, the standard one of rank + 1."""
    (row,) = query_metrics((np.arange(12) == 5).astype(int), -np.arange(12.0), np.full(12, 7))
    assert row["ndcg5"] == row["ndcg5_standard"] == 0.0
    assert row["ndcg10"] == pytest.approx(1 / np.log2(6))
    assert row["ndcg10_standard"] == pytest.approx(1 / np.log2(7))
    assert (row["average_precision"], row["n_relevant"]) == (1 / 6, 1)


def test_only_letors_measures_rank_ties_in_the_order_of_the_file():
    labels = np.arange(12) == 0
    first, last = (query_metrics(y, np.zeros(12), np.repeat(7, 12))[0] for y in (labels, labels[::-1]))
    for name in ("average_precision", "ndcg5", "ndcg10"):
        assert first[name] == 1.0 > 2 * last[name]
    for name in ("ndcg5_standard", "ndcg10_standard"):
        assert first[name] == last[name] < 0.5


def test_a_query_without_relevant_documents_counts_zero_by_letor_and_not_at_all_otherwise():
    y = Y.copy()
    first = np.unique(QID[TEST_PART])[0]
    y[first == QID] = 0
    rows = run_method(columns(0), y)
    (row,) = [row for row in select_role(rows, "query") if row["qid"] == first]
    assert row["average_precision"] == row["n_relevant"] == row["ndcg10"] == 0
    chosen = chosen_of(rows)
    assert chosen["map_standard"] * 11 == pytest.approx(chosen["map"] * 12)


def test_rows_of_a_query_need_not_lie_together():
    order = np.random.default_rng(1).permutation(Y.size)
    splits = Splits(SPLITS.inner[:, order], SPLITS.seeds)
    plain = run_method(L1)
    rows = run_method(L1, Y[order], X[order], QID[order], splits=splits)
    for ours, theirs in zip(rows, plain, strict=True):
        for name in ("n_variables", "objective", "validation_map", "map", "average_precision", "n_documents"):
            assert ours.keys() == theirs.keys()
            assert ours.get(name, 0) == pytest.approx(theirs.get(name, 0), rel=1e-7), name


def test_a_query_of_one_document():
    (row,) = query_metrics(np.array([1]), np.array([0.5]), np.array([7]))
    assert (row["qid"], row["n_documents"], row["n_relevant"], row["average_precision"]) == (7, 1, 1, 1.0)
    assert row["ndcg10"] == 0.0 and row["ndcg10_standard"] == 1.0
    alone = QID.copy()
    for part in (TRAIN, VALIDATION, TEST_PART):
        alone[np.flatnonzero(part)[0]] = 1000 + alone[part][0]
    rows = run_method(L1, qid=alone)
    assert chosen_of(rows)["status"] == "certified" and len(select_role(rows, "query")) == 13


def test_standardised_features_are_scaled_by_the_training_part():
    run_method(columns(0), feature_scaling="standardised")
    fitted_rows = fitted_on[0]["X"]
    np.testing.assert_allclose(fitted_rows[:, :14].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(fitted_rows[:, :14].std(axis=0), 1)
    with pytest.raises(ValueError, match="unknown feature scaling 'scaled'"):
        run_method(columns(0), feature_scaling="scaled")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_sparse_matrix_gives_the_same(kind):
    rows = run_method(L1, data=kind(X), n_varying=14)
    assert chosen_of(rows)["map"] == pytest.approx(chosen_of(run_method(L1))["map"])
    assert chosen_of(rows)["sparsity_ratio"] == chosen_of(rows)["n_variables"] / 14


def test_a_method_of_scikit_learn_without_queries_and_without_certificate():
    rows = run_method(Method("sklearn.linear_model.Ridge", grid={"alpha": [0.1, 10.0]}))
    assert {row["status"] for row in rows if row["role"] != "query"} == {"fitted"}
    chosen = chosen_of(rows)
    assert chosen["map"] > 0.7 and chosen["kkt"] is None and "objective" not in chosen
