"""The library in scikit-learn's hands: searches over queries, scorers, and what a user passes by mistake."""

import re

import numpy as np
import pandas as pd
import pytest
from ranking_data import SINGLE_LINE, gaussians, stack_classes
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toprank import FenchelRank, FSMRank, InfinitePush, RankSVM, TopPush, make_ranking_scorer, path
from toprank.estimators.rfe import RFEInfinitePush
from toprank.metrics import mean_average_precision, ndcg, rate_at_top

QUERY_ESTIMATORS = [RankSVM(), FenchelRank(), FSMRank()]
LIST_ESTIMATORS = [TopPush(), InfinitePush(alpha=0.1), RFEInfinitePush(2, alpha=0.1)]
GRID = {"ranksvm__C": [1e-2, 1.0]}
FOLDS = GroupKFold(3)


@pytest.fixture(scope="module")
def queries():
    """Return X, y and qid of twelve queries, the rows mixed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) * [1.0, 10.0, 0.1, 1.0]
    y = np.digitize(X @ [1.0, 0.05, 0.0, 0.0] + rng.normal(size=120), [0.0, 1.5])
    return X, y, rng.permutation(np.repeat(np.arange(12), 10))


def compute_by_hand(queries, metric):
    """Mean of a metric over the folds, for each C of the grid."""
    X, y, qid = queries
    scores = []
    for C in GRID["ranksvm__C"]:
        of_folds = []
        for train, test in FOLDS.split(X, y, qid):
            model = make_pipeline(StandardScaler(), RankSVM(C=C))
            model.fit(X[train], y[train], ranksvm__qid=qid[train])
            of_folds.append(metric(y[test], model.predict(X[test]), qid[test]))
        scores.append(np.mean(of_folds))
    return scores


SCORINGS = [
    (None, lambda *case: ndcg(*case, convention="standard")),
    (make_ranking_scorer("ndcg", k=3), lambda *case: ndcg(*case, k=3, convention="standard")),
    (make_ranking_scorer("map", convention="letor"), mean_average_precision),
]


@pytest.mark.parametrize(("scoring", "metric"), SCORINGS, ids=["score", "ndcg@3", "map"])
def test_a_search_over_queries_with_metadata_routing(queries, scoring, metric):
    X, y, qid = queries
    expected = compute_by_hand(queries, metric)
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(make_pipeline(StandardScaler(), RankSVM()), GRID, cv=FOLDS, scoring=scoring)
        search.fit(X, y, groups=qid, qid=qid)
        assert search.cv_results_["mean_test_score"] == pytest.approx(expected)
        if scoring is None:
            assert search.score(X, y, qid=qid) == pytest.approx(metric(y, search.predict(X), qid))


@pytest.mark.parametrize(("scoring", "metric"), SCORINGS, ids=["score", "ndcg@3", "map"])
def test_a_search_over_queries_without_metadata_routing(queries, scoring, metric):
    """The column ``qid`` of a data frame goes with its rows, past the scaler, and is no feature."""
    X, y, qid = queries
    frame = pd.DataFrame(X, columns=list("abcd")).assign(qid=qid)
    options = {"remainder": StandardScaler(), "verbose_feature_names_out": False}
    scaled = ColumnTransformer([("qid", "passthrough", ["qid"])], **options)
    model = make_pipeline(scaled.set_output(transform="pandas"), RankSVM())
    search = GridSearchCV(model, GRID, cv=FOLDS, scoring=scoring).fit(frame, y, groups=qid)
    assert search.cv_results_["mean_test_score"] == pytest.approx(compute_by_hand(queries, metric))
    assert list(search.best_estimator_[-1].feature_names_in_) == list("abcd")


def test_several_scorers_at_once(queries):
    X, y, qid = queries
    scorers = {"ndcg": make_ranking_scorer("ndcg", k=5), "map": make_ranking_scorer("map")}
    with config_context(enable_metadata_routing=True):
        results = cross_validate(
            RankSVM(), X, y, cv=FOLDS, scoring=scorers, params={"groups": qid, "qid": qid}
        )
    assert results["test_ndcg"].shape == results["test_map"].shape == (3,)


@pytest.mark.parametrize("scoring", [None, make_ranking_scorer()])
def test_a_score_without_its_queries_is_refused(queries, scoring):
    X, y, qid = queries
    pipeline = make_pipeline(StandardScaler(), RankSVM())
    search = GridSearchCV(pipeline, {"ranksvm__C": [1.0]}, cv=FOLDS, scoring=scoring, error_score="raise")
    with pytest.raises(ValueError, match=r"fitted to 8 queries, so .* needs the qid of each row: ") as caught:
        search.fit(X, y, groups=qid, ranksvm__qid=qid)
    assert "metadata routing" in str(caught.value) and "column 'qid' of X" in str(caught.value)


def test_a_scorer_takes_other_models():
    X, y = stack_classes(*gaussians())
    scorer = make_ranking_scorer("rate_at_top")
    for model, scores in [
        (LogisticRegression(), lambda model: model.decision_function(X)),
        (GaussianNB(), lambda model: model.predict_proba(X)[:, 1]),
        (Ridge(), lambda model: model.predict(X)),
    ]:
        model.fit(X, y)
        assert scorer(model, X, y) == rate_at_top(y, scores(model)) > 0
    with pytest.raises(ValueError, match="unknown metric 'auc'; choose one of ndcg, map, rate_at_top"):
        make_ranking_scorer("auc")


@pytest.mark.parametrize("model", [*QUERY_ESTIMATORS, *LIST_ESTIMATORS], ids=repr)
def test_predict_and_score(model, queries):
    X, y, qid = queries
    if model._ranks_queries:
        model.fit(X, y, qid)
        expected = ndcg(y, X @ model.coef_, qid, convention="standard")
        assert model.n_queries_ == 12 and model.score(X, y, qid) == expected
        assert model.score(pd.DataFrame(X).assign(qid=qid), y) == expected
    else:
        y = (y == 2).astype(int)
        model.fit(X, y)
        assert model.score(X, y) == rate_at_top(y, X @ model.coef_)
        with pytest.raises(ValueError, match="ranks a single list, but qid names 12"):
            model.score(X, y, qid)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X))


@pytest.mark.parametrize("model", QUERY_ESTIMATORS, ids=repr)
def test_group_holds_the_sizes_of_queries(model, queries):
    X, y, qid = queries
    order = np.argsort(qid, kind="stable")
    by_qid = model.fit(X[order], y[order], qid[order]).coef_
    np.testing.assert_array_equal(model.fit(X[order], y[order], group=[10] * 12).coef_, by_qid)
    assert model.score(X, y, qid) == model.score(X[order], y[order], group=[10] * 12)
    with pytest.raises(ValueError, match="give the queries as qid or as group, and not as both"):
        model.score(X, y, qid, group=[10] * 12)


@pytest.mark.parametrize(("model", "method"), [(RankSVM(), "C_zero_max"), (FSMRank(), "beta_max")], ids=str)
def test_group_starts_a_path(model, method, queries):
    X, y, qid = queries
    order = np.argsort(qid, kind="stable")
    X, y, qid = X[order], y[order], qid[order]
    for warm_start in (False, True):
        find_strongest = getattr(clone(model).set_params(warm_start=warm_start), method)
        assert find_strongest(X, y, group=[10] * 12) == find_strongest(X, y, qid) != find_strongest(X, y)
    by_group, by_qid = path(model, X, y, group=[10] * 12, values=2), path(model, X, y, qid, values=2)
    np.testing.assert_array_equal(by_group.values, by_qid.values)
    np.testing.assert_array_equal(by_group.coefs, by_qid.coefs)
    with pytest.raises(ValueError, match="give the queries as qid or as group, and not as both"):
        path(model, X, y, qid, group=[10] * 12)


@pytest.mark.parametrize("model", [*QUERY_ESTIMATORS, *LIST_ESTIMATORS], ids=repr)
@pytest.mark.parametrize(
    "labels",
    [
        lambda y: np.array(["bad", "good"])[y],
        lambda y: np.array(["-1", "1"])[y],
        lambda y: pd.Series(np.array(["x", "a"])[y]).astype(pd.CategoricalDtype(["x", "a"], ordered=True)),
        lambda y: pd.Categorical(np.array([-1, 1])[y]),
        lambda y: y.astype(bool),
    ],
    ids=["words", "numerals", "ordered categories", "categories", "booleans"],
)
def test_labels_of_every_kind(model, labels):
    X, y = stack_classes(*gaussians())
    reference = model.fit(X, y)
    coef, score = reference.coef_, reference.score(X, y)
    np.testing.assert_array_equal(model.fit(X, labels(y)).coef_, coef)
    assert model.score(X, labels(y)) == score
    scores = model.predict(X)
    for metric in (ndcg, mean_average_precision, rate_at_top):
        assert metric(labels(y), scores) == metric(y, scores)


def test_ordered_categories_are_grades(queries):
    X, y, qid = queries
    words = pd.Categorical.from_codes(y, ["none", "some", "much"], ordered=True)
    np.testing.assert_array_equal(RankSVM().fit(X, words, qid).coef_, RankSVM().fit(X, y, qid).coef_)
    scores = np.arange(120.0)
    assert ndcg(words, scores, qid, k=5) == ndcg(y, scores, qid, k=5)


WITH_QID = pd.DataFrame({"qid": [1] * 120, "a": range(120)})
MISSING = pd.Categorical(["b", None, "a"] * 40, categories=["a", "b"], ordered=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"y": ["low", "mid", "top"] * 40},
            r"3 different strings \('low', 'mid', 'top'\), whose order is not",
        ),
        ({"y": ["a", None, 1] * 40}, "y mixes strings with other values, or has missing values"),
        ({"y": MISSING}, "y has rows without a category; leave them out"),
        ({"qid": [1, 2]}, r"qid must name the query of each of 120 rows; got shape \(2,\)"),
        ({"qid": np.zeros((120, 1))}, r"each of 120 rows; got shape \(120, 1\)"),
        ({"qid": [60, 60]}, r"got shape \(2,\); pass the sizes of queries as group"),
        ({"qid": [[1], [1, 2]]}, "qid must name one query per row; got sequences of different lengths"),
        ({"qid": {"a": 1}}, r"each of 120 rows; got shape \(\)"),
        ({"qid": [1.0, np.nan] * 60}, "each row, but some are missing"),
        (
            {"qid": np.array(["a", 1] * 60, dtype=object)},
            "only strings, but it mixes both; convert all",
        ),
        ({"qid": [None] * 120}, "each row, but some are missing"),
        ({"qid": pd.Series([1, None] * 60, dtype="Int64")}, "each row, but some are missing"),
        ({"group": [60, 50]}, "positive whole numbers that add up to 120 rows; got 2 that add up to 110"),
        ({"group": [60.0, 60.0]}, "positive whole numbers that add up to 120 rows; got "),
        ({"group": [120, 0]}, "positive whole numbers that"),
        ({"group": [120], "qid": [0] * 120}, "give the queries as qid or as group, and not as both"),
        ({"X": WITH_QID, "qid": [1] * 120}, "has a column 'qid', and"),
        ({"C": True}, "C must be a positive number; got True"),
        ({"max_iter": True}, "max_iter must be a positive number; got True"),
        (
            {"sample_weight": [1.0] * 120},
            r"RankSVM.fit\(\) got an unexpected keyword argument 'sample_weight'",
        ),
        ({"eval_set": 1}, r"RankSVM.fit\(\) got an unexpected keyword argument 'eval_set'"),
    ],
)
def test_bad_input(queries, change, message):
    X, y, _ = queries
    parameters = {name: change[name] for name in ("C", "max_iter") if name in change}
    arguments = {"X": X, "y": y} | {name: value for name, value in change.items() if name not in parameters}
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        RankSVM(**parameters).fit(arguments.pop("X"), arguments.pop("y"), **arguments)
    assert re.match(SINGLE_LINE, str(caught.value))


def test_queries_have_names_of_any_kind(queries):
    X, y, qid = queries
    coef = RankSVM().fit(X, y, qid).coef_
    for named in (
        qid.astype(object),
        np.array(list(qid), dtype=object),  # integers of numpy as objects
        [f"q{query:02d}" for query in qid],
        qid / 2.0,
        pd.Series(qid).astype("Int64"),
        pd.Categorical(qid),
        pd.to_datetime(qid, unit="D"),
    ):
        np.testing.assert_array_equal(RankSVM().fit(X, y, named).coef_, coef)


def test_a_score_takes_no_weights_either():
    X, y = stack_classes(*gaussians())
    model = TopPush().fit(X, y)
    with pytest.raises(
        TypeError, match=r"TopPush.score takes no sample_weight: the loss compares pairs of rows"
    ):
        model.score(X, y, sample_weight=np.ones(y.size))
