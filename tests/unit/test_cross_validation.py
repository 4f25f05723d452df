"""The protocol: what is chosen, what is fitted on what, and a row for whatever goes wrong."""

import itertools
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, refused, stacked, surrounded
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from reproduction.core.seeds import derive_seed
from reproduction.fitting.cross_validation import fit_row, make_split_runner, run_split
from reproduction.fitting.feature_scaling import MAX_DENSE_ENTRIES, standardise
from reproduction.fitting.fit_rows import warm_up
from reproduction.fitting.method import Method, expand_grid
from reproduction.papers.rakotomamonjy2012.toy.generate import make_toy
from reproduction.splits.splits import Splits, draw_hold_out_splits, draw_random_splits
from toprank.metrics import positives_at_top

X, Y = stacked(*gaussians(m=40, n=60, d=4))
SPLITS = draw_random_splits(100, 2, 1 / 3, 3, 7)
METRICS = {"positives_at_top", "rate_at_top", "positives_at_top_train"}
SIGNS = ("positives", "negatives")
CERTIFIED = {"objective", "lower_bound", "gap", "relative_gap"}
fitted_on = []


class Column(BaseEstimator):
    """Scores by one feature, and remembers what it was fitted on."""

    def __init__(self, column=0, extra=None):
        self.column, self.extra = column, extra

    def fit(self, X, y):
        fitted_on.append((X, y, self.get_params()))
        return self

    def decision_function(self, X):
        return X[:, [self.column]].toarray().ravel() if sp.issparse(X) else X[:, self.column]


class Stubborn(Column):
    """Warns, or refuses, at certain columns."""

    def fit(self, X, y):
        if self.column == 1:
            raise ValueError("column 1 is not to be used\nand here is why")
        if self.column == 2:
            warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)
        if self.column == 3 and X.shape[0] == 45:
            raise RuntimeError("this fold is refused")
        return super().fit(X, y)


def columns(*values, estimator="Column", **rest):
    return Method(f"{__name__}.{estimator}", grid={"column": list(values)}, **rest)


@pytest.fixture(autouse=True)
def nothing_fitted():
    fitted_on.clear()


@pytest.fixture
def known():
    """Features 2 and 3 rank perfectly, 0 is constant, 1 ranks upside down."""
    perfect = np.where(Y == 1, 2.0, 1.0)
    return np.column_stack([np.ones(Y.size), -perfect, perfect, 10 * perfect])


def only(rows, role):
    return [row for row in rows if row["role"] == role]


def params_of(row):
    return json.loads(row["params"])


def chosen_of(rows):
    (row,) = only(rows, "chosen")
    return row


class Clocked(Column):
    """Says itself how long it took."""

    def fit(self, X, y):
        self.seconds_ = 0.25
        return super().fit(X, y)


@pytest.mark.parametrize(("estimator", "seconds"), [("Column", 2.5), ("Clocked", 0.25)])
def test_the_time_of_a_fit_is_in_seconds(monkeypatch, estimator, seconds):
    """Of the clock before and after the fit, or as the model says it."""
    clock = iter([10.0, 12.5])
    monkeypatch.setattr("reproduction.fitting.fit_rows.perf_counter", lambda: next(clock))
    assert fit_row(columns(0, estimator=estimator), {"column": 0}, X, Y, X, Y)["seconds"] == seconds


def test_the_known_best_is_chosen(known):
    row = chosen_of(run_split(columns(0, 2, 1), known, Y, SPLITS, 0))
    assert params_of(row) == {"column": 2}
    assert row["positives_at_top"] == row["n_test_positives"] and row["rate_at_top"] == 1.0
    assert row["positives_at_top_train"] == row["n_train_positives"]


@pytest.mark.parametrize(("grid", "expected"), [([2, 3, 1], 3), ([3, 2, 0], 2), ([0, 1], 1), ([1, 0], 0)])
def test_ties_go_to_the_last_candidate(known, grid, expected):
    row = chosen_of(run_split(columns(*grid), known, Y, SPLITS, 0))
    assert params_of(row) == {"column": expected}


def test_the_choice_is_by_the_sum_over_the_folds():
    """The best column of the training part's held-out folds, recomputed here."""
    method = columns(0, 1, 2, 3)
    rows = run_split(method, X, Y, SPLITS, 1)
    quality = [
        sum(positives_at_top(Y[held_out], X[held_out, column]) for _, _, held_out in SPLITS.folds(1))
        for column in range(4)
    ]
    assert params_of(chosen_of(rows)) == {"column": max(range(4), key=lambda c: (quality[c], c))}
    for row in only(rows, "search"):
        held_out = list(SPLITS.folds(1))[row["fold"]][2]
        column = params_of(row)["column"]
        assert row["positives_at_top"] == positives_at_top(Y[held_out], X[held_out, column])


@pytest.mark.parametrize("alone", [0, 1, 2])
def test_one_fold_does_not_outvote_two(alone):
    """Column 0 ranks the held-out rows of two folds, column 1 the rows of the third."""
    in_fold = SPLITS.inner[0] == alone
    known = np.column_stack([np.where(in_fold, 0.0, Y), np.where(in_fold, Y, 0.0)])
    for order in ([0, 1], [1, 0]):
        row = chosen_of(run_split(columns(*order), known, Y, SPLITS, 0))
        assert params_of(row) == {"column": 0}


def test_the_last_parameter_varies_fastest():
    found = expand_grid({"a": [1, 2], "b": [3, 4]})
    assert [(one["a"], one["b"]) for one in found] == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert expand_grid({}) == [{}]


def test_rows_roles_and_parts():
    calls = []
    method = columns(0, 1, path={"column": [2, 3]}, fixed={"extra": "fixed"})
    rows = run_split(method, X, Y, SPLITS, 0, progress=lambda: calls.append(1))
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
    rows = run_split(method, X, Y, SPLITS, 0, inherited={"extra": 5, "column": 3})
    assert all(params["extra"] == 5 for _, _, params in fitted_on)
    assert all(params_of(row)["extra"] == 5 for row in rows)
    assert {params_of(row)["column"] for row in only(rows, "search")} == {0, 1}  # the grid wins
    assert only(rows, "path")[0]["params"] == '{"column": 2, "extra": 5}'  # keys in order
    (row,) = run_split(Method(f"{__name__}.Column"), X, Y, SPLITS, 0, inherited={"column": 3})
    assert params_of(row) == {"column": 3}


def test_the_certificate_becomes_columns():
    for row in run_split(Method("toprank.TopPush", grid={"alpha": [0.1, 1.0]}), X, Y, SPLITS, 0):
        assert row["status"] == "certified" and row["n_iter"] >= 1 and row["weight_norm"] > 0
        assert row["lower_bound"] <= row["objective"] and row["gap"] == row["objective"] - row["lower_bound"]
        assert row["relative_gap"] <= 1e-8
    fixed = {"solver": "dual", "solver__stop": "published", "max_iter": 2}
    row = chosen_of(run_split(Method("toprank.TopPush", fixed=fixed), X, Y, SPLITS, 0))
    assert row["status"] == "max_iterations" and row["n_iter"] == 2


# --- standardised features -------------------------------------------------------------------------------


def test_standardise():
    train, other = standardise(5 + 3 * X[:60], 5 + 3 * X[60:])
    mean, std = X[:60].mean(axis=0), X[:60].std(axis=0)
    np.testing.assert_allclose(train, (X[:60] - mean) / std, atol=1e-12)
    np.testing.assert_allclose(other, (X[60:] - mean) / std, atol=1e-12)


def test_standardise_sparse(monkeypatch):
    """Filled and centred where there is room for it, else scaled; the objective does not see the mean."""
    data, y = stacked(*counts())
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
    plain, other = (run_split(method, data, Y, SPLITS, 0, "standardised") for data in (X, planted))
    kept = ("params", "objective", "lower_bound", "positives_at_top_train", "weight_norm", "n_iter", "status")
    assert [[row[name] for name in kept] for row in other] == [[row[name] for name in kept] for row in plain]


def test_an_outlier_in_a_held_out_fold_changes_no_fit_of_that_fold():
    planted = X.copy()
    _, fitted, held_out = list(SPLITS.folds(0))[1]
    planted[np.flatnonzero(held_out)[0]] = 1e9
    run_split(columns(0), planted, Y, SPLITS, 0, "standardised")
    seen = fitted_on[1][0]
    np.testing.assert_allclose(seen, standardise(X[fitted], X[:1])[0])
    np.testing.assert_allclose(seen.std(axis=0), 1)


def test_an_unknown_block_of_features():
    with refused("unknown feature scaling 'scaled'; it must be 'raw' or"):
        run_split(columns(0), X, Y, SPLITS, 0, "scaled")


# --- what goes wrong is a row ----------------------------------------------------------------------------


def test_a_fit_that_raises_is_a_row():
    rows = run_split(columns(0, 1, estimator="Stubborn"), X, Y, SPLITS, 0)
    failed = [row for row in rows if row["status"] == "failed"]
    assert [row["message"] for row in failed] == ["ValueError: column 1 is not to be used"] * 3
    assert all(params_of(row) == {"column": 1} and not row.keys() & METRICS for row in failed)
    assert params_of(chosen_of(rows)) == {"column": 0}


def test_a_candidate_that_fails_in_one_fold_is_not_chosen(known):
    """Column 3 would win the tie, but it fails on a fold: a sum over two folds is not comparable."""
    rows = run_split(columns(2, 3, estimator="Stubborn"), known, Y, SPLITS, 0)
    failed = [row["fold"] for row in rows if row["status"] == "failed"]
    assert 0 < len(failed) < 3 and params_of(chosen_of(rows)) == {"column": 2}


def test_where_every_candidate_fails_the_choice_is_a_failed_row():
    rows = run_split(columns(1, estimator="Stubborn"), X, Y, SPLITS, 0, inherited={"extra": 1})
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
    (row,) = run_split(method, X, Y, SPLITS, 0)
    assert row["status"] == "failed" and message in row["message"]


def test_a_warning_of_convergence_is_a_status():
    rows = run_split(columns(2, estimator="Stubborn"), X, Y, SPLITS, 0)
    assert {row["status"] for row in rows} == {"max_iterations"}
    fixed = {"max_iter": 1, "C": 100.0}
    (row,) = run_split(Method("sklearn.linear_model.LogisticRegression", fixed=fixed), X, Y, SPLITS, 0)
    assert row["status"] == "max_iterations" and row["n_iter"] == 1


ONE_CLASS = "ValueError: ranking at the top needs a positive and a negative row, but y has one class only"
NO_CHOICE = f"no parameter could be chosen: {ONE_CLASS}"
TOP_PUSH = Method("toprank.TopPush", grid={"alpha": [0.1, 1.0]})


def of_folds(inner, y, method=TOP_PUSH):
    """Run one split whose folds are given (-1: the test part) on noise."""
    inner = np.asarray(inner, dtype=np.int8)[None]
    data = np.random.default_rng(0).normal(size=(y.size, 2))
    return run_split(method, data, y, Splits(inner, np.zeros(1, dtype=np.int64)), 0)


@pytest.mark.parametrize("label", [1, 0])
def test_all_positives_or_all_negatives_in_one_fold(label):
    inner = np.tile([0, 1, 2, -1], 10)
    y = np.where(inner == 0, label, 1 - label)
    y[inner == -1] = np.arange(10) % 2
    *search, chosen = of_folds(inner, y)
    assert len(search) == 6
    for row in search:
        assert row["status"] == "failed" and row["message"].startswith(ONE_CLASS)
        assert 0 in [row[f"n_{part}_{sign}"] for part in ("train", "test") for sign in SIGNS]
    assert chosen["status"] == "failed" and chosen["message"].startswith(NO_CHOICE)


def test_the_reason_is_that_of_a_fit_that_failed():
    """The last fold has no positive to measure on; the fits before it succeeded and give no reason."""
    inner = np.tile([0, 1, 2, -1], 10)
    method = Method("toprank.TopPush", grid={"alpha": [1.0]})
    rows = of_folds(inner, np.repeat([0, 1], 20) * (inner != 2), method)
    assert [row["status"] for row in rows] == ["certified", "certified", "failed", "failed"]
    assert rows[-1]["message"].startswith(NO_CHOICE)


@pytest.mark.parametrize("part", ["train", "test"])
def test_one_class_in_the_final_split(part):
    inner = np.repeat([0, 1, -1], 10)
    y = np.arange(30) % 2
    y[(inner == -1) == (part == "test")] = 0
    (row,) = of_folds(inner, y, Method("toprank.TopPush"))
    assert row["status"] == "failed" and row["message"].startswith(ONE_CLASS)
    assert row[f"n_{part}_positives"] == 0


@pytest.mark.parametrize(
    ("method", "part", "value", "message"),
    [
        ("toprank.TopPush", "train", np.nan, "ValueError: Input X contains NaN"),
        ("toprank.TopPush", "train", np.inf, "ValueError: Input X contains infinity"),
        (f"{__name__}.Column", "test", np.nan, "1 scores are NaN or infinite"),
    ],
)
def test_features_and_scores_that_are_not_finite(method, part, value, message):
    data = X.copy()
    data[np.flatnonzero(SPLITS.train(0) == (part == "train"))[0], 0] = value
    (row,) = run_split(Method(method), data, Y, SPLITS, 0)
    assert row["status"] == "failed" and message in row["message"]


@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_scores_that_are_all_equal(feature_scaling):
    """All rows are equal: nothing can be ranked, so the metrics are 0 and there is no error."""
    for solver in ("exact", "dual", "admm", "a2dm2", "a2dm2-restart"):
        method = Method("toprank.TopPush", fixed={"solver": solver}, grid={"alpha": [0.1, 1.0]})
        row = chosen_of(run_split(method, np.ones((100, 3)), Y, SPLITS, 0, feature_scaling))
        assert row["status"] in ("certified", "max_iterations") and row["message"] == ""
        assert row["positives_at_top"] == row["rate_at_top"] == row["positives_at_top_train"] == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_a_constant_feature(feature_scaling, kind):
    rows = run_split(TOP_PUSH, kind(np.insert(X, 2, 5.0, axis=1)), Y, SPLITS, 0, feature_scaling)
    expected = run_split(TOP_PUSH, X, Y, SPLITS, 0, feature_scaling)
    for row, other in zip(rows, expected, strict=True):
        assert row["status"] == "certified" and row["positives_at_top"] == other["positives_at_top"]
        assert row["objective"] == pytest.approx(other["objective"], rel=1e-7)


# --- methods of others -----------------------------------------------------------------------------------


LOGISTIC = Method("sklearn.linear_model.LogisticRegression", {"max_iter": 500}, {"C": [0.1, 1.0]})


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", [LOGISTIC, Method("sklearn.linear_model.Ridge")])
def test_a_classifier_or_regressor_of_scikit_learn_is_a_method(method, kind):
    rows = run_split(method, kind(X), Y, SPLITS, 0)
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
        ((seen, labels, params),) = fitted_on
        measured = data if feature_scaling == "raw" else standardise(data, data)[0]
        assert sp.issparse(seen) == sp.issparse(measured) and seen.shape[1] == data.shape[1]
        assert set(labels) == {0, 1} and params == {"column": 1, "extra": 7}
        if sp.issparse(seen):  # fewer rows than features would be rotated, and be dense when they are solved
            assert seen.shape[0] >= seen.shape[1]


def test_the_warm_up_judges_nothing(capsys):
    warm_up(columns(1, estimator="Stubborn"), X, "raw")
    assert "column 1 is not to be used" in capsys.readouterr().out


HELD_OUT = draw_hold_out_splits(Y, 60, 2, 0.3, 7)
SHARES = [0.01, 0.1, 0.5, 1.0]
L1_PUSH = Method("toprank.InfinitePush", {"penalty": "l1"}, {"share": SHARES})


def test_a_share_is_of_the_strongest_regularisation_of_the_rows_at_hand():
    rows = run_split(L1_PUSH, X, Y, HELD_OUT, 0, "standardised")
    ((_, fitted, _),) = HELD_OUT.folds(0)
    for part, role in ((fitted, "search"), (HELD_OUT.train(0), "chosen")):
        scaled, _ = standardise(X[part], X[part])
        largest = L1_PUSH.build().alpha_max(scaled, Y[part])
        for row in only(rows, role):
            params = params_of(row)
            assert params["alpha"] == pytest.approx(params["share"] * largest, rel=1e-9)
    assert [params_of(row)["share"] for row in only(rows, "search")] == SHARES
    assert only(rows, "search")[-1]["n_variables"] == 0  # at share 1 the answer is w = 0


def test_the_share_of_a_ranksvm_is_in_one_over_c():
    rows = run_split(Method("toprank.RankSVM", {}, {"share": SHARES}), X, Y, HELD_OUT, 0)
    params = [params_of(row) for row in only(rows, "search")]
    weights = [p["C"] * p["share"] for p in params]
    assert weights == pytest.approx([weights[0]] * len(SHARES))
    assert only(rows, "search")[-1]["n_variables"] == 0 < only(rows, "search")[0]["n_variables"]


def test_a_share_where_zero_is_always_optimal():
    data, y = stacked(*surrounded(m=20, n=60))
    rows = run_split(L1_PUSH, data, y, draw_hold_out_splits(y, 50, 1, 0.3, 1), 0)
    assert {row["status"] for row in rows} == {"certified"} and chosen_of(rows)["weight_norm"] == 0.0


def test_what_cannot_be_scaled_is_a_failed_row():
    y = Y.copy()
    y[HELD_OUT.train(0)] = 0
    rows = run_split(L1_PUSH, X, y, HELD_OUT, 0)
    assert {row["status"] for row in rows} == {"failed"} and len(rows) == len(SHARES) + 1
    assert rows[0]["message"].startswith(ONE_CLASS)


@pytest.mark.parametrize("estimator", ["toprank.InfinitePush", "toprank.RankSVM"])
def test_a_warm_start_changes_no_answer(estimator):
    cold, warm = (
        run_split(Method(estimator, {"warm_start": start}, {"share": SHARES}), X, Y, HELD_OUT, 1)
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
    rows = run_split(SIZES, X, Y, HELD_OUT, 0, ties=(ties,))
    assert params_of(chosen_of(rows)) == {"size": expected}
    assert [row["n_variables"] for row in only(rows, "search")] == [2, 1, 3]


def test_what_other_levels_choose_is_fitted_as_well_and_once():
    levels = ("middle", "fewest", "most", "strongest", "weakest")
    rows = run_split(SIZES, X, Y, HELD_OUT, 0, ties=levels, thresholds=("0", "1e-06", "0.01"))
    assert [(row["ties"], row["role"], params_of(row)["size"]) for row in rows if "ties" in row] == [
        ("middle fewest", "chosen", 1),
        ("most strongest", "alternative", 3),
        ("weakest", "alternative", 2),
    ]
    variables_at = {"0": X.shape[1], "1e-06": 1, "0.01": 1}
    assert json.loads(chosen_of(rows)["variables_at"]) == variables_at


def test_fewer_variables_win_no_better_rate():
    method = Method("toprank.InfinitePush", {"penalty": "l1"}, {"share": [0.1, 1.0]})
    rows = run_split(method, X, Y, HELD_OUT, 0, ties=("fewest",))
    assert chosen_of(rows)["n_variables"] > 0  # w = 0 has none, and a rate of 0


def test_the_relevant_variables_are_counted():
    method, relevant = Method(f"{__name__}.Chosen", {"size": 3}), np.array([True, False, True, False])
    row = chosen_of(run_split(method, X, Y, HELD_OUT, 0, relevant=relevant))
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
    rows = run_split(method, X, Y, HELD_OUT, 0, inherited={"share": 0.2}, ties=("fewest",))
    assert [row["n_variables"] for row in only(rows, "search")] == [3, 1]
    assert {params_of(row)["share"] for row in rows} == {0.2}
    assert len({params_of(row)["alpha"] for row in only(rows, "search")}) == 1


def test_a_warm_started_path_of_ranksvm_ends_optimal():
    """On this trial the objective stopped changing before the gradient was small enough."""
    seed = derive_seed(20150810, "rakotomamonjy2012", "toy-n200-noise20", 17, "toy")
    toy = make_toy(200, 20, seed, n_test=2)
    method = Method("toprank.RankSVM", {"warm_start": True}, {"share": np.geomspace(1e-3, 1, 15).tolist()})
    splits = draw_hold_out_splits(toy.y_train, 150, 4, 0.3, 1)
    for split in range(4):
        rows = run_split(method, toy.X_train, toy.y_train, splits, split, "standardised")
        assert {row["status"] for row in rows} == {"certified"}
