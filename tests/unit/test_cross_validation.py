"""The protocol: what is chosen, what is fitted on what, and a row for whatever goes wrong."""

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
from ranking_data import counts, raises_one_sentence, stack_classes

from reproduction.fitting.cross_validation import CrossValidation, fit_row
from reproduction.fitting.feature_scaling import standardise
from reproduction.fitting.method import Method, expand_grid
from reproduction.splits.splits import Splits
from toprank.metrics import positives_at_top

SIGNS = ("positives", "negatives")


@pytest.fixture(autouse=True)
def clear_fits():
    fitted_on.clear()


@pytest.fixture
def known_scores():
    """Features 2 and 3 rank perfectly, 0 is constant, 1 ranks upside down."""
    perfect = np.where(Y == 1, 2.0, 1.0)
    return np.column_stack([np.ones(Y.size), -perfect, perfect, 10 * perfect])


@pytest.mark.parametrize(("estimator", "seconds"), [("Column", 2.5), ("Clocked", 0.25)])
def test_the_time_of_a_fit_is_in_seconds(monkeypatch, estimator, seconds):
    """Of the clock before and after the fit, or as the model says it."""
    clock = iter([10.0, 12.5])
    monkeypatch.setattr("reproduction.fitting.fit_rows.perf_counter", lambda: next(clock))
    assert fit_row(columns(0, estimator=estimator), {"column": 0}, X, Y, X, Y)["seconds"] == seconds


def test_the_known_best_is_chosen(known_scores):
    row = chosen_of(CrossValidation(columns(0, 2, 1), known_scores, Y, SPLITS).run_split(0))
    assert params_of(row) == {"column": 2}
    assert row["positives_at_top"] == row["n_test_positives"] and row["rate_at_top"] == 1.0
    assert row["positives_at_top_train"] == row["n_train_positives"]


@pytest.mark.parametrize(("grid", "expected"), [([2, 3, 1], 3), ([3, 2, 0], 2), ([0, 1], 1), ([1, 0], 0)])
def test_ties_go_to_the_last_candidate(known_scores, grid, expected):
    row = chosen_of(CrossValidation(columns(*grid), known_scores, Y, SPLITS).run_split(0))
    assert params_of(row) == {"column": expected}


def test_the_choice_is_by_the_sum_over_the_folds():
    """The best column of the training part's held-out folds, recomputed here."""
    method = columns(0, 1, 2, 3)
    rows = CrossValidation(method, X, Y, SPLITS).run_split(1)
    quality = [
        sum(positives_at_top(Y[held_out], X[held_out, column]) for _, _, held_out in SPLITS.folds(1))
        for column in range(4)
    ]
    assert params_of(chosen_of(rows)) == {"column": max(range(4), key=lambda c: (quality[c], c))}
    for row in select_role(rows, "search"):
        held_out = list(SPLITS.folds(1))[row["fold"]][2]
        column = params_of(row)["column"]
        assert row["positives_at_top"] == positives_at_top(Y[held_out], X[held_out, column])


@pytest.mark.parametrize("alone", [0, 1, 2])
def test_one_fold_does_not_outvote_two(alone):
    """Column 0 ranks the held-out rows of two folds, column 1 the rows of the third."""
    in_fold = SPLITS.inner[0] == alone
    scores_by_fold = np.column_stack([np.where(in_fold, 0.0, Y), np.where(in_fold, Y, 0.0)])
    for order in ([0, 1], [1, 0]):
        row = chosen_of(CrossValidation(columns(*order), scores_by_fold, Y, SPLITS).run_split(0))
        assert params_of(row) == {"column": 0}


def test_the_last_parameter_varies_fastest():
    candidates = expand_grid({"a": [1, 2], "b": [3, 4]})
    assert [(candidate["a"], candidate["b"]) for candidate in candidates] == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert expand_grid({}) == [{}]


def test_rows_roles_and_parts():
    calls = []
    method = columns(0, 1, path={"column": [2, 3]}, fixed={"extra": "fixed"})
    rows = CrossValidation(method, X, Y, SPLITS).run_split(0, progress=lambda: calls.append(1))
    assert [row["role"] for row in rows] == ["search"] * 6 + ["path"] * 2 + ["chosen"]
    assert [row["fold"] for row in rows] == [0, 0, 1, 1, 2, 2, None, None, None]
    assert len(calls) == len(rows) and {row["split"] for row in rows} == {0}
    assert {row["status"] for row in rows} == {"fitted"} and {row["message"] for row in rows} == {""}
    parts = [(fitted, held_out) for _, fitted, held_out in SPLITS.folds(0) for _ in range(2)]
    parts += [(SPLITS.train(0), ~SPLITS.train(0))] * 3
    for row, (train, test), (rows_seen, labels_seen, params) in zip(rows, parts, fitted_on, strict=True):
        assert np.array_equal(rows_seen, X[train]) and np.array_equal(labels_seen, Y[train])
        assert row["n_train_positives"] == Y[train].sum() and row["n_test_positives"] == Y[test].sum()
        assert row["n_train_negatives"] + row["n_train_positives"] == train.sum()
        assert row["n_test_negatives"] + row["n_test_positives"] == test.sum()
        assert params["extra"] == "fixed" and "extra" not in params_of(row)
        assert row["seconds"] >= 0 and row.keys() >= METRICS


def test_inherited_parameters_reach_every_fit_and_every_row():
    method = columns(0, 1, path={"column": [2]})
    rows = CrossValidation(method, X, Y, SPLITS).run_split(0, inherited={"extra": 5, "column": 3})
    assert all(params["extra"] == 5 for _, _, params in fitted_on)
    assert all(params_of(row)["extra"] == 5 for row in rows)
    assert {params_of(row)["column"] for row in select_role(rows, "search")} == {0, 1}  # the grid wins
    assert select_role(rows, "path")[0]["params"] == '{"column": 2, "extra": 5}'  # keys in order
    (row,) = CrossValidation(Method("estimators_of_columns.Column"), X, Y, SPLITS).run_split(
        0, inherited={"column": 3}
    )
    assert params_of(row) == {"column": 3}


def test_the_certificate_becomes_columns():
    for row in CrossValidation(Method("toprank.TopPush", grid={"alpha": [0.1, 1.0]}), X, Y, SPLITS).run_split(
        0
    ):
        assert row["status"] == "certified" and row["n_iter"] >= 1 and row["weight_norm"] > 0
        assert row["lower_bound"] <= row["objective"] and row["gap"] == row["objective"] - row["lower_bound"]
        assert row["relative_gap"] <= 1e-8
    fixed = {"solver": "dual", "solver__stop": "published", "max_iter": 2}
    row = chosen_of(CrossValidation(Method("toprank.TopPush", fixed=fixed), X, Y, SPLITS).run_split(0))
    assert row["status"] == "max_iterations" and row["n_iter"] == 2


# --- standardised features -------------------------------------------------------------------------------


def test_standardise():
    train, other = standardise(5 + 3 * X[:60], 5 + 3 * X[60:])
    mean, std = X[:60].mean(axis=0), X[:60].std(axis=0)
    np.testing.assert_allclose(train, (X[:60] - mean) / std, atol=1e-12)
    np.testing.assert_allclose(other, (X[60:] - mean) / std, atol=1e-12)


def test_standardise_sparse(monkeypatch):
    """Filled and centred where there is room for it, else scaled; the objective does not see the mean."""
    data, y = stack_classes(*counts())
    filled, _ = standardise(sp.csr_array(data), sp.csr_array(data[:3]))
    np.testing.assert_allclose(filled, standardise(data, data[:3])[0], atol=1e-12)
    monkeypatch.setattr("reproduction.fitting.feature_scaling.MAX_DENSE_ENTRIES", data.size - 1)
    scaled, other = standardise(sp.csr_array(data), sp.csr_array(data[:3]))
    assert isinstance(scaled, sp.csr_array) and isinstance(other, sp.csr_array)
    assert scaled.nnz == np.count_nonzero(data)
    np.testing.assert_allclose(scaled.toarray(), data / data.std(axis=0), atol=1e-12)
    first, second = (fit_row(Method("toprank.TopPush"), {}, part, y, part, y) for part in (filled, scaled))
    assert first["objective"] == pytest.approx(second["objective"], rel=1e-7)


def test_an_outlier_in_the_test_part_changes_no_fit():
    method = Method("toprank.TopPush", grid={"alpha": [0.1, 1.0]}, path={"alpha": [10.0]})
    planted = X.copy()
    planted[np.flatnonzero(~SPLITS.train(0))[0]] = 1e9
    plain, other = (
        CrossValidation(method, data, Y, SPLITS, "standardised").run_split(0) for data in (X, planted)
    )
    compared_columns = (
        "params",
        "objective",
        "lower_bound",
        "positives_at_top_train",
        "weight_norm",
        "n_iter",
        "status",
    )
    assert [[row[name] for name in compared_columns] for row in other] == [
        [row[name] for name in compared_columns] for row in plain
    ]


def test_an_outlier_in_a_held_out_fold_changes_no_fit_of_that_fold():
    planted = X.copy()
    _, fitted, held_out = list(SPLITS.folds(0))[1]
    planted[np.flatnonzero(held_out)[0]] = 1e9
    CrossValidation(columns(0), planted, Y, SPLITS, "standardised").run_split(0)
    fitted_rows = fitted_on[1][0]
    np.testing.assert_allclose(fitted_rows, standardise(X[fitted], X[:1])[0])
    np.testing.assert_allclose(fitted_rows.std(axis=0), 1)


def test_an_unknown_block_of_features():
    with raises_one_sentence("unknown feature scaling 'scaled'; it must be 'raw' or"):
        CrossValidation(columns(0), X, Y, SPLITS, "scaled").run_split(0)


# --- what goes wrong is a row ----------------------------------------------------------------------------


def test_a_fit_that_raises_is_a_row():
    rows = CrossValidation(columns(0, 1, estimator="Stubborn"), X, Y, SPLITS).run_split(0)
    failed = [row for row in rows if row["status"] == "failed"]
    assert [row["message"] for row in failed] == ["ValueError: column 1 is not to be used"] * 3
    assert all(params_of(row) == {"column": 1} and not row.keys() & METRICS for row in failed)
    assert params_of(chosen_of(rows)) == {"column": 0}


def test_a_candidate_that_fails_in_one_fold_is_not_chosen(known_scores):
    """Column 3 would win the tie, but it fails on a fold: a sum over two folds is not comparable."""
    rows = CrossValidation(columns(2, 3, estimator="Stubborn"), known_scores, Y, SPLITS).run_split(0)
    failed = [row["fold"] for row in rows if row["status"] == "failed"]
    assert 0 < len(failed) < 3 and params_of(chosen_of(rows)) == {"column": 2}


def test_where_every_candidate_fails_the_choice_is_a_failed_row():
    rows = CrossValidation(columns(1, estimator="Stubborn"), X, Y, SPLITS).run_split(
        0, inherited={"extra": 1}
    )
    row = chosen_of(rows)
    assert row["status"] == "failed" and params_of(row) == {"extra": 1}
    assert row["message"] == "no parameter could be chosen: ValueError: column 1 is not to be used"


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Method("sklearn.linear_model.Nothing"), "Nothing"),
        (Method("nowhere.Model"), "nowhere"),
        (Method("toprank.TopPush", fixed={"lamda": 1}), "lamda"),
    ],
)
def test_a_method_that_does_not_exist_is_a_failed_row(method, message):
    (row,) = CrossValidation(method, X, Y, SPLITS).run_split(0)
    assert row["status"] == "failed" and message in row["message"]


def test_a_warning_of_convergence_is_a_status():
    rows = CrossValidation(columns(2, estimator="Stubborn"), X, Y, SPLITS).run_split(0)
    assert {row["status"] for row in rows} == {"max_iterations"}
    fixed = {"max_iter": 1, "C": 100.0}
    (row,) = CrossValidation(
        Method("sklearn.linear_model.LogisticRegression", fixed=fixed), X, Y, SPLITS
    ).run_split(0)
    assert row["status"] == "max_iterations" and row["n_iter"] == 1


NO_CHOICE = f"no parameter could be chosen: {SINGLE_CLASS_MESSAGE}"


TOP_PUSH = Method("toprank.TopPush", grid={"alpha": [0.1, 1.0]})


def run_folds(inner, y, method=TOP_PUSH):
    """Run one split whose folds are given (-1: the test part) on noise."""
    inner = np.asarray(inner, dtype=np.int8)[None]
    data = np.random.default_rng(0).normal(size=(y.size, 2))
    return CrossValidation(method, data, y, Splits(inner, np.zeros(1, dtype=np.int64))).run_split(0)


@pytest.mark.parametrize("label", [1, 0])
def test_all_positives_or_all_negatives_in_one_fold(label):
    inner = np.tile([0, 1, 2, -1], 10)
    y = np.where(inner == 0, label, 1 - label)
    y[inner == -1] = np.arange(10) % 2
    *search, chosen = run_folds(inner, y)
    assert len(search) == 6
    for row in search:
        assert row["status"] == "failed" and row["message"].startswith(SINGLE_CLASS_MESSAGE)
        assert 0 in [row[f"n_{part}_{sign}"] for part in ("train", "test") for sign in SIGNS]
    assert chosen["status"] == "failed" and chosen["message"].startswith(NO_CHOICE)


def test_the_reason_is_that_of_a_fit_that_failed():
    """The last fold has no positive to measure on; the fits before it succeeded and give no reason."""
    inner = np.tile([0, 1, 2, -1], 10)
    method = Method("toprank.TopPush", grid={"alpha": [1.0]})
    rows = run_folds(inner, np.repeat([0, 1], 20) * (inner != 2), method)
    assert [row["status"] for row in rows] == ["certified", "certified", "failed", "failed"]
    assert rows[-1]["message"].startswith(NO_CHOICE)


@pytest.mark.parametrize("part", ["train", "test"])
def test_one_class_in_the_final_split(part):
    inner = np.repeat([0, 1, -1], 10)
    y = np.arange(30) % 2
    y[(inner == -1) == (part == "test")] = 0
    (row,) = run_folds(inner, y, Method("toprank.TopPush"))
    assert row["status"] == "failed" and row["message"].startswith(SINGLE_CLASS_MESSAGE)
    assert row[f"n_{part}_positives"] == 0


@pytest.mark.parametrize(
    ("method", "part", "value", "message"),
    [
        ("toprank.TopPush", "train", np.nan, "ValueError: Input X contains NaN"),
        ("toprank.TopPush", "train", np.inf, "ValueError: Input X contains infinity"),
        ("estimators_of_columns.Column", "test", np.nan, "1 scores are NaN or infinite"),
    ],
)
def test_features_and_scores_that_are_not_finite(method, part, value, message):
    data = X.copy()
    data[np.flatnonzero(SPLITS.train(0) == (part == "train"))[0], 0] = value
    (row,) = CrossValidation(Method(method), data, Y, SPLITS).run_split(0)
    assert row["status"] == "failed" and message in row["message"]


@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_scores_that_are_all_equal(feature_scaling):
    """All rows are equal: nothing can be ranked, so the metrics are 0 and there is no error."""
    for solver in ("exact", "dual", "admm", "a2dm2", "a2dm2-restart"):
        method = Method("toprank.TopPush", fixed={"solver": solver}, grid={"alpha": [0.1, 1.0]})
        row = chosen_of(CrossValidation(method, np.ones((100, 3)), Y, SPLITS, feature_scaling).run_split(0))
        assert row["status"] in ("certified", "max_iterations") and row["message"] == ""
        assert row["positives_at_top"] == row["rate_at_top"] == row["positives_at_top_train"] == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_a_constant_feature(feature_scaling, kind):
    rows = CrossValidation(
        TOP_PUSH, kind(np.insert(X, 2, 5.0, axis=1)), Y, SPLITS, feature_scaling
    ).run_split(0)
    expected = CrossValidation(TOP_PUSH, X, Y, SPLITS, feature_scaling).run_split(0)
    for row, other in zip(rows, expected, strict=True):
        assert row["status"] == "certified" and row["positives_at_top"] == other["positives_at_top"]
        assert row["objective"] == pytest.approx(other["objective"], rel=1e-7)
