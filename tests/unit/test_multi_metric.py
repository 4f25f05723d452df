"""The search that serves every metric, against brute force."""

from types import SimpleNamespace

import numpy as np
import pytest

from reproduction.fitting.baselines import BestFeature, RandomScorer
from reproduction.fitting.feature_scaling import scale_features
from reproduction.fitting.fit_rows import fit_once, predict_scores
from reproduction.fitting.method import STATUS_NOT_FEASIBLE, Method, expand_grid
from reproduction.fitting.multi_metric import (
    FitTimeout,
    MultiMetricSearch,
    cpu_time_limit,
    make_split_runner,
    subsample_grid,
)
from reproduction.fitting.ranking_metrics import METRICS, ranking_metrics
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import draw_random_splits

RIDGE = Method("sklearn.linear_model.Ridge", {}, {"alpha": [0.01, 1.0, 100.0, 1e4]})


def rows_of(n=90, d=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = (X[:, 0] + 0.8 * random.normal(size=n) > 0.7).astype(int)
    return X, y


def compute_by_hand(y, scored):
    """The metrics of one list without ties, counted row by row."""
    order = sorted(range(len(y)), key=lambda i: -scored[i])
    hits = [y[i] > 0 for i in order]
    positives, n = sum(hits), len(hits)
    precision = [sum(hits[: k + 1]) / (k + 1) for k in range(n) if hits[k]]
    gain = sum((2 ** max(y[i], 0) - 1) / np.log2(k + 2) for k, i in enumerate(order[:10]))
    best = sum((2**g - 1) / np.log2(k + 2) for k, g in enumerate(sorted(np.maximum(y, 0))[::-1][:10]))
    pairs = [(scored[i] > scored[j]) for i in range(n) for j in range(n) if y[i] > 0 >= y[j]]
    return {
        "rate_at_top": hits.index(False) / positives,
        "precision_at_10": sum(hits[:10]) / min(10, n),
        "precision_at_percent": np.mean(hits[: -(-n // 100)]),
        "average_precision": np.mean(precision),
        "ndcg10": gain / best,
        "auc": np.mean(pairs),
    }


@pytest.mark.parametrize("n", [7, 60, 250])
@pytest.mark.parametrize("labels", [(0, 1), (-1, 1)])
def test_measures_of_a_list_are_those_counted_by_hand(n, labels):
    random = np.random.default_rng(n)
    y = np.array(labels)[(np.arange(n) % 3 == 0).astype(int)]
    scored = random.permutation(n) + 3.0 * (y > 0)
    scored += random.random(n) * 1e-3
    assert ranking_metrics(y, scored) == pytest.approx(compute_by_hand(y.tolist(), scored.tolist()))


def test_measures_of_queries_are_means_and_a_query_of_one_class_does_not_count():
    random = np.random.default_rng(1)
    qid = random.permutation(np.repeat([3, 5, 8, 9], [12, 9, 15, 6]))
    y = random.integers(0, 3, qid.size)
    y[qid == 9] = 0
    scored = random.normal(size=qid.size)
    metrics_by_query = [compute_by_hand(y[qid == q].tolist(), scored[qid == q].tolist()) for q in (3, 5, 8)]
    expected = {name: np.mean([values[name] for values in metrics_by_query]) for name in METRICS}
    assert ranking_metrics(y, scored, qid) == pytest.approx(expected)
    assert np.isnan([*ranking_metrics(y[qid == 9], scored[qid == 9]).values()]).all()
    y[qid == 9] = 1
    assert ranking_metrics(y, scored, qid) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "share"), [(100, 1.0), (101, 0.5), (200, 0.5), (201, 2 / 3)])
def test_the_first_per_cent_of_a_list_is_rounded_up(n, share):
    """Of the first three rows the second is negative."""
    y = np.r_[1, 0, 1, np.zeros(n - 3, dtype=int)]
    assert ranking_metrics(y, -np.arange(float(n)))["precision_at_percent"] == pytest.approx(share)


def test_equal_scores_owe_nothing_to_the_order_of_the_file():
    y = np.repeat([1, 0], [100, 300])  # all positives first
    metrics = ranking_metrics(y, np.zeros(400))
    assert metrics["rate_at_top"] == 0.0
    assert metrics["auc"] == 0.5
    assert metrics["precision_at_10"] == metrics["precision_at_percent"] == 0.25
    assert (
        metrics == ranking_metrics(y[::-1], np.zeros(400)) == ranking_metrics(np.roll(y, 150), np.zeros(400))
    )
    assert 0.25 < metrics["average_precision"] < 0.27 and metrics["ndcg10"] == pytest.approx(0.25)
    with pytest.raises(ValueError, match="1 scores are NaN or infinite"):
        ranking_metrics(y, np.append(np.zeros(399), np.nan))


@pytest.mark.parametrize("feature_scaling", ["raw", "standardised"])
def test_each_metric_has_the_candidate_that_is_best_by_it(feature_scaling):
    X, y = rows_of()
    splits = draw_random_splits(y.size, 1, 1 / 3, 3, 0, "x")
    rows = MultiMetricSearch(RIDGE, X, y, None, splits, feature_scaling=feature_scaling).run_split(0)
    points = expand_grid(RIDGE.grid)
    totals = {name: np.zeros(len(points)) for name in METRICS}
    for _, train, held_out in splits.folds(0):
        for i, point in enumerate(points):
            metrics = alone(point, X, y, train, held_out, feature_scaling)
            for name in METRICS:
                totals[name][i] += metrics[name] / 3
    assert len([row for row in rows if row["role"] == "search"]) == 3 * len(points)
    final = {name: row for row in rows if "chosen_by" in row for name in row["chosen_by"].split()}
    assert sorted(final) == sorted(METRICS)
    assert final["rate_at_top"]["role"] == "chosen"
    for name, row in final.items():
        best = np.flatnonzero(np.round(totals[name], 12) == np.round(totals[name], 12).max())[-1]
        expected = alone(points[best], X, y, splits.train(0), splits.test(0), feature_scaling)
        assert {m: row[m] for m in METRICS} == pytest.approx(expected)
    assert len({row["params"] for row in final.values()}) == len(rows) - 3 * len(points)


def alone(point, X, y, train, test, feature_scaling):
    X_train, X_test = scale_features(feature_scaling, X[train], X[test])
    _, model = fit_once(RIDGE, point, X_train, y[train], lambda *_: None)
    return ranking_metrics(y[test], predict_scores(model, X_test))


def test_queries_are_chosen_on_the_validation_part_of_their_fold():
    random = np.random.default_rng(2)
    qid = np.repeat(np.arange(25), 8)
    X, y = random.normal(size=(200, 3)), random.integers(0, 3, 200)
    splits = rotate_letor_folds(qid % 5 + 1)
    method = Method("toprank.RankSVM", {"penalty": "l2"}, {"share": [0.1, 1.0]})
    rows = MultiMetricSearch(method, X, y, qid, splits).run_split(3)
    assert [row["role"] for row in rows[:2]] == ["search", "search"]
    assert all(row["status"] == "certified" for row in rows)
    assert {row["n_test_positives"] for row in rows[2:]} == {int((y[splits.test(3)] > 0).sum())}


@pytest.mark.parametrize(
    ("X", "qid", "estimator", "message"),
    [
        (rows_of()[0], np.repeat([1, 2], 45), "toprank.InfinitePush", "ranks a single list"),
        (np.memmap, None, "toprank.TopPush", "not standardised"),
    ],
)
def test_what_a_method_cannot_rank_is_one_row_that_says_why(tmp_path, X, qid, estimator, message):
    if X is np.memmap:
        X = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=(90, 4))
    prepared = SimpleNamespace(X=X, y=rows_of()[1], qid=qid)
    splits = draw_random_splits(90, 1, 1 / 3, 3, 0, "x")
    run = make_split_runner(
        Method(estimator), prepared, splits, "standardised", {"candidates": 3, "seconds": 5}
    )
    (row,) = run(0)
    assert (row["role"], row["status"], row["split"]) == ("chosen", STATUS_NOT_FEASIBLE, 0)
    assert message in row["message"]


def test_after_a_fit_that_is_too_slow_no_other_is_tried():
    X, y = rows_of()
    splits = draw_random_splits(y.size, 2, 1 / 3, 3, 0, "x")
    tried = []

    class Slow(BestFeature):
        def fit(self, X, y):
            tried.append(1)
            while True:
                pass

    method = SimpleNamespace(grid={"a": [1]}, is_warm_started=False, resolve=lambda points, *_: points)
    method.build, method.with_score_rows = (lambda **_: Slow()), lambda *_, **__: method
    prepared = SimpleNamespace(X=X, y=y, qid=None)
    run = make_split_runner(method, prepared, splits, "raw", {"candidates": None, "seconds": 0.05})
    for split in (0, 1):
        (row,) = run(split)
        assert row["status"] == STATUS_NOT_FEASIBLE
        assert row["message"] == "a fit took more than the limit of 0.05 s"
    assert len(tried) == 1


def test_a_limit_counts_anew_and_ends_with_its_block():
    with cpu_time_limit(0.2) as renew:
        for _ in range(3):
            spin(0.1)
            renew()
    spin(0.25)
    with pytest.raises(FitTimeout), cpu_time_limit(0.05):
        spin(1.0)


def spin(seconds):
    from time import process_time

    end = process_time() + seconds
    while process_time() < end:
        pass


def test_every_fit_of_a_search_has_the_whole_limit(monkeypatch):
    """The clock starts with each part, again after each of its fits, and is put off at its end."""
    clock, (X, y) = [], rows_of(60)
    monkeypatch.setattr(
        "reproduction.fitting.multi_metric.signal.setitimer", lambda _, seconds: clock.append(seconds)
    )
    rows = MultiMetricSearch(
        RIDGE, X, y, None, draw_random_splits(60, 1, 1 / 3, 3, 1), seconds=50.0
    ).run_split(0)
    parts = [4] * 3 + [1] * (len(rows) - 12)
    assert clock == [seconds for fits in parts for seconds in [50.0] * (1 + fits) + [0.0]]


def test_a_grid_is_thinned_evenly_and_keeps_its_ends():
    grid = {"a": [1, 2], "b": list(range(9))}
    assert subsample_grid(grid, None) == grid
    assert subsample_grid(grid, 10) == {"a": [1, 2], "b": [0, 2, 4, 6, 8]}
    assert subsample_grid(grid, 18) == grid
    assert all(len(expand_grid(subsample_grid(grid, n))) <= n for n in range(1, 19))
    assert subsample_grid({"a": [0, 1, 2, 3], "b": [0, 1]}, 6) == {"a": [0, 2, 3], "b": [0, 1]}, (
        "the longest first"
    )
    assert subsample_grid({}, 3) == {}


def test_folds_of_one_class_choose_nothing():
    X, y = rows_of()
    y[:] = 0
    y[:3] = 1
    splits = draw_random_splits(y.size, 1, 1 / 3, 3, 0, "x")
    splits.inner[0, :3] = [-1, 0, 0]  # one positive to test, two in one inner fold
    rows = MultiMetricSearch(RIDGE, X, y, None, splits).run_split(0)
    assert rows[-1]["status"] == "failed"
    assert rows[-1]["message"] == "no inner fold has both classes"


def test_the_best_feature_is_found_with_its_sign_and_random_scores_repeat():
    X, y = rows_of(d=120)
    X[:, 77] = -5.0 * y + np.random.default_rng(0).normal(size=y.size)
    model = BestFeature().fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == [77]
    assert ranking_metrics(y, model.decision_function(X))["auc"] > 0.95
    first, repeated = (RandomScorer().fit(X, y).decision_function(X) for _ in range(2))
    assert np.array_equal(first, repeated)
