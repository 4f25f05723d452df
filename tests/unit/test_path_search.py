"""Built-in cross-validation: the search of scikit-learn over the same grid, folds, rules, and bad input."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from ranking_data import SINGLE_LINE, raises_one_sentence
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from toprank import InfinitePush, InfinitePushCV, RankSVM, RankSVMCV, TopPush, TopPushCV, make_ranking_scorer
from toprank.estimators.folds import make_folds
from toprank.estimators.selection import select_candidate
from toprank.metrics import average_precision

SEARCHES = [TopPushCV(alphas=3, cv=2), InfinitePushCV(alphas=3, cv=2), RankSVMCV(Cs=3, cv=2)]


@pytest.mark.filterwarnings("ignore:w = 0 is")
@parametrize_with_checks(SEARCHES)
def test_scikit_learn(estimator, check):
    check(estimator)


def make_list(n=120, d=4, seed=0):
    """Return X and y of a list that no weights divide, sorted by y; the mean of the positives stands out."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [2 * n // 3, n // 3])
    return rng.normal(size=(n, d)) + np.outer(y, [2.5, 2.0, 0.0, 0.0]), y


def make_queries(n_queries=9, size=12, seed=0):
    """Return X, graded y and qid, the rows mixed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * size, 4))
    y = np.digitize(X @ [1.0, 0.5, 0.0, 0.0] + rng.normal(size=len(X)), [0.3, 1.5])
    return X, y, rng.permutation(np.repeat(np.arange(n_queries), size))


X, Y = make_list()
LISTS = [TopPushCV(TopPush(tol=1e-10)), InfinitePushCV(), InfinitePushCV(InfinitePush("l2"))]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scoring", ["average_precision", "roc_auc", None])
@pytest.mark.parametrize("search", LISTS, ids=repr)
def test_a_search_of_a_list_is_that_of_scikit_learn(search, scoring, kind):
    """The same means, fold by fold, and the same model; ties, which are resolved differently, apart."""
    search.set_params(alphas=6, depths=(1.0, 0.2), cv=3, scoring=scoring).fit(kind(X), Y)
    model = search.estimator or InfinitePush()
    ours = search.cv_results_
    for i, depth in enumerate(search.depths):
        grid = {"depth": [depth], "alpha": search.alphas_[i]}
        scorer = make_ranking_scorer(scoring) if scoring == "average_precision" else scoring
        theirs = GridSearchCV(model, grid, scoring=scorer, cv=StratifiedKFold(3)).fit(kind(X), Y)
        rows = ours["param_depth"] == depth
        for name in ("mean_test_score", "std_test_score", "split0_test_score", "split2_test_score"):
            np.testing.assert_allclose(ours[name][rows], theirs.cv_results_[name], atol=1e-9)
    assert ours["mean_test_score"][search.best_index_] == search.best_score_
    assert search.best_score_ == pytest.approx(ours["mean_test_score"].max(), rel=1e-12)
    assert ours["rank_test_score"][search.best_index_] == 1
    assert search.best_params_ == ours["params"][search.best_index_]
    assert search.best_params_["alpha"] == search.alpha_
    single = type(model)(**model.get_params() | search.best_params_).fit(kind(X), Y)
    assert search.depth_ == single.depth_ and search.certificate_.status == "certified"
    np.testing.assert_allclose(search.coef_, single.coef_, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(search.predict(X), X @ search.coef_)


@pytest.mark.parametrize("penalty", ["l1", "l2", "mcp"])
@pytest.mark.parametrize("scoring", [None, make_ranking_scorer("ndcg", k=5), make_ranking_scorer("map")])
def test_a_search_over_queries_is_that_of_scikit_learn(penalty, scoring):
    X, y, qid = make_queries()
    search = RankSVMCV(RankSVM(penalty, tol=1e-10), Cs=5, cv=3, scoring=scoring).fit(X, y, qid)
    with config_context(enable_metadata_routing=True):
        folds = GroupKFold(3)
        theirs = GridSearchCV(search.estimator, {"C": search.Cs_}, scoring=scoring, cv=folds)
        theirs.fit(X, y, groups=qid, qid=qid)
        expected = theirs.score(X, y, qid=qid)
    means = theirs.cv_results_["mean_test_score"]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, atol=1e-9)
    assert search.Cs_[np.argmax(means >= means.max() - 1e-9)] == search.C_
    assert search.scores_.shape == (5, 3) and search.n_queries_ == 9
    assert search.score(X, y, qid) == pytest.approx(expected, abs=1e-6)
    frame = pd.DataFrame(X).assign(qid=qid)
    from_frame = RankSVMCV(RankSVM(penalty, tol=1e-10), Cs=5, cv=3, scoring=scoring).fit(frame, y)
    np.testing.assert_array_equal(from_frame.scores_, search.scores_)


@pytest.mark.parametrize("scoring", ["average_precision", None])
def test_a_search_of_mixtures_is_that_of_each_mixture(scoring):
    """One search over l1_ratio is the best of the searches at each; each has a grid of its own."""
    ratios, options = (0.0, 0.3, 1.0), {"depths": (1.0, 0.2), "cv": 3, "scoring": scoring, "alphas": 4}
    search = InfinitePushCV(InfinitePush("elasticnet"), l1_ratios=ratios, **options).fit(X, Y)
    assert search.alphas_.shape == (3, 2, 4) and search.scores_.shape == (3, 2, 4, 3)
    single = [InfinitePushCV(InfinitePush("elasticnet", l1_ratio=ratio), **options) for ratio in ratios]
    for k, alone in enumerate(single):
        alone.fit(X, Y)
        np.testing.assert_allclose(search.alphas_[k], alone.alphas_)
        np.testing.assert_allclose(search.scores_[k], alone.scores_, atol=1e-12)
    assert search.best_score_ == pytest.approx(max(alone.best_score_ for alone in single))
    assert search.cv_results_["param_l1_ratio"].tolist() == np.repeat(ratios, 8).tolist()
    chosen = single[ratios.index(search.l1_ratio_)]
    assert search.best_params_ == chosen.best_params_ | {"l1_ratio": search.l1_ratio_}
    np.testing.assert_allclose(search.coef_, chosen.coef_)
    assert not hasattr(chosen, "l1_ratio_")


def test_a_search_of_mixtures_over_queries():
    rows, labels, qid = make_queries()
    search = RankSVMCV(RankSVM("elasticnet"), Cs=4, l1_ratios=[0.2, 0.9], cv=3).fit(rows, labels, qid)
    assert search.Cs_.shape == (2, 4) and search.scores_.shape == (2, 4, 3)
    assert search.best_params_ == {"C": search.C_, "l1_ratio": search.l1_ratio_}
    place = np.unravel_index(search.best_index_, (2, 4))
    assert search.scores_[place].mean() == search.best_score_ == search.scores_.mean(axis=2).max()
    refitted = RankSVM("elasticnet", C=search.C_, l1_ratio=search.l1_ratio_).fit(rows, labels, qid)
    np.testing.assert_allclose(search.coef_, refitted.coef_, rtol=1e-3, atol=1e-5)


def test_tied_mixtures_give_the_sparsest():
    # all rows are in their order at each value
    rows, labels = np.arange(12.0)[:, None] + [0.0, 1.0], np.repeat([0, 1], 6)
    folds = [(np.arange(0, 12, 2), np.arange(1, 12, 2))]
    search = InfinitePushCV(InfinitePush("elasticnet"), alphas=2, l1_ratios=[0.5, 0.9, 0.2], cv=folds)
    assert search.fit(rows, labels).scores_.min() == 1.0 and search.l1_ratio_ == 0.9


def test_no_fold_divides_a_query():
    _, y, qid = make_queries()
    names = np.array([f"q{number}" for number in qid])
    folds = make_folds(4, y, names, False)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(y.size))
    for training, test in folds:
        assert not set(names[training]) & set(names[test])
    rows, labels, qid = make_queries()
    with raises_one_sentence(r"fold 1 of cv divides query \d between training and test rows; take a number"):
        RankSVMCV(cv=StratifiedKFold(3)).fit(rows, labels, qid)


@pytest.mark.parametrize("search", [TopPushCV(depths=(1, 0.3), alphas=3), RankSVMCV(Cs=3)], ids=repr)
def test_processes_change_nothing(search):
    single = search.set_params(n_jobs=1).fit(X, Y)
    scores, coef = single.scores_, single.coef_
    parallel = search.set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(parallel.scores_, scores)
    np.testing.assert_array_equal(parallel.coef_, coef)


def test_grids():
    """They go down from alpha_max (30 times its scale under a ridge), or are what was given, in any order."""
    search = InfinitePushCV(alphas=4, eps=0.01, cv=2, depths=(1, 5)).fit(X, Y)
    for depth, alphas in zip(search.depths, search.alphas_, strict=True):
        largest = InfinitePush(depth=depth).alpha_max(X, Y)
        assert alphas == pytest.approx(largest * 0.01 ** np.array([0.25, 0.5, 0.75, 1.0]))
    assert TopPushCV(alphas=1, eps=0.1, cv=2).fit(X, Y).alphas_[0, 0] == pytest.approx(
        3.0 * TopPush().alpha_max(X, Y)
    )
    rows, labels, qid = make_queries()
    search = RankSVMCV(Cs=2, eps=0.01, cv=2).fit(rows, labels, qid)
    assert search.Cs_ == pytest.approx(RankSVM().C_zero_max(rows, labels, qid) * np.array([10.0, 100.0]))
    assert RankSVMCV(Cs=[3.0, 1.0, 2.0], cv=2).fit(X, Y).Cs_.tolist() == [1.0, 2.0, 3.0]
    assert TopPushCV(alphas=[1.0, 2.0], cv=2).fit(X, Y).alphas_.tolist() == [[2.0, 1.0]]


def test_ties_go_to_the_strongest_regularisation_and_then_to_the_smallest_depth():
    scores = np.full((2, 3, 2), 0.5)
    assert select_candidate(scores, [5.0, 1.0]) == (1, 0)
    scores[0, 0] = [0.3, 0.6]  # a smaller mean
    assert select_candidate(scores, [1.0, 5.0]) == (1, 0)
    scores[:, 0] = 0.4
    assert select_candidate(scores, [1.0, 5.0]) == (0, 1)
    scores[1, 2] = [0.1, 0.9 + 1e-15]  # a tie but for rounding
    assert select_candidate(scores, [1.0, 5.0]) == (0, 1)
    scores[1, 2] = [0.1, np.nan]
    assert select_candidate(scores, [1.0, 5.0]) == (0, 1)
    with raises_one_sentence("no candidate has a finite mean score; check scoring"):
        select_candidate(np.full((1, 2, 2), np.nan), [1.0])


def test_one_standard_error():
    """Of the best's four scores, .5, .7, .7 and .9, the deviation is .163 and the standard error .0816."""
    best = np.array([0.5, 0.7, 0.7, 0.9])
    closer, farther = best - 0.081, best - 0.083
    scores = np.array([[best - 0.001] * 4, [farther, closer, best, farther]])
    assert select_candidate(scores, [1.0, 5.0]) == (1, 2)
    assert select_candidate(scores, [1.0, 5.0], "one-standard-error") == (1, 1)  # at the depth of the best
    scores[1, 1] = farther
    assert select_candidate(scores, [1.0, 5.0], "one-standard-error") == (1, 2)
    search = RankSVMCV(Cs=8, cv=4, scoring="average_precision").fit(X, Y)
    largest_C = search.C_
    strong = search.set_params(selection="one-standard-error").fit(X, Y)
    means, best = strong.scores_.mean(axis=1), strong.scores_.mean(axis=1).argmax()
    error = strong.scores_[best].std(ddof=1) / 2.0
    assert strong.C_ == strong.Cs_[np.argmax(means >= means[best] - error)] <= largest_C
    assert strong.best_score_ == pytest.approx(means[np.argmax(means >= means[best] - error)])


def test_scorers():
    """By name, as an object, and as functions with and without queries."""
    rows, labels, qid = make_queries()

    def count_queries(model, X, y, qid):
        return np.unique(qid).size

    assert (RankSVMCV(Cs=2, cv=3, scoring=count_queries).fit(rows, labels, qid).scores_ == 3).all()
    by_name = TopPushCV(alphas=3, cv=3, scoring="roc_auc").fit(X, Y).scores_
    for scoring in (
        make_scorer(roc_auc_score, response_method="decision_function"),
        lambda model, X, y: roc_auc_score(y, model.predict(X)),
    ):
        np.testing.assert_allclose(TopPushCV(alphas=3, cv=3, scoring=scoring).fit(X, Y).scores_, by_name)
    words = np.array(["bad", "good"])[Y]
    np.testing.assert_array_equal(TopPushCV(alphas=3, cv=3, scoring="roc_auc").fit(X, words).scores_, by_name)


def test_fits_without_a_certificate_are_counted_once():
    search = TopPushCV(TopPush(solver="admm", max_iter=3), alphas=4, cv=3)
    with pytest.warns(ConvergenceWarning) as caught:
        search.fit(X, Y)
    counted = [str(warning.message) for warning in caught if "TopPushCV" in str(warning.message)]
    assert len(caught) == 2  # and that of the fit to all rows
    assert len(counted) == 1 and re.match(SINGLE_LINE, counted[0])
    assert counted[0].startswith("12 of 12 fits of TopPushCV ended without a certificate (12 with status")
    assert {Path(warning.filename).name for warning in caught} == {Path(__file__).name}


def test_where_no_alpha_works_the_search_says_so_once():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(90, 2))
    labels = (np.arange(90) % 3 == 0).astype(int)
    rows[labels == 1] *= 0.1
    with pytest.warns(UserWarning, match="w = 0 is optimal at every alpha") as caught:
        search = InfinitePushCV(alphas=3, cv=3).fit(rows, labels)
    assert len(caught) == 1 and not search.coef_.any() and search.alpha_ == search.alphas_[0, 0]


def test_estimator_parameters_reach_the_fits():
    search = InfinitePushCV(InfinitePush(), alphas=2, cv=2).set_params(estimator__penalty="l2")
    assert search.fit(X, Y).coef_.all() and search.estimator.penalty == "l2"
    model = TopPush(alpha="nothing", tol=1e-3)
    assert TopPushCV(model, alphas=2, cv=2).fit(X, Y).alpha_ > 0 and model.alpha == "nothing"


RARE_LABELS = np.append(np.zeros(119, dtype=int), 1)
BAD_ARGUMENTS = [
    (TopPushCV(RankSVM()), Y, r"TopPushCV needs an estimator of the class TopPush; got RankSVM\(\)"),
    (TopPushCV(eps=1.0), Y, "eps must be a number between 0 and 1; got 1.0"),
    (TopPushCV(alphas=0), Y, "alphas must be a number of values, or positive numbers; got 0"),
    (TopPushCV(alphas=[1.0, -1.0]), Y, r"alphas must be a number of values, or positive numbers; got \[1"),
    (TopPushCV(alphas="auto"), Y, "alphas must be a number of values, or positive numbers; got 'auto'"),
    (RankSVMCV(Cs=[np.nan]), Y, r"Cs must be a number of values, or positive numbers; got \[nan\]"),
    (TopPushCV(depths=()), Y, r"depths must be a sequence of depths, at least one; got \(\)"),
    (
        InfinitePushCV(l1_ratios=[0.5]),
        Y,
        "l1_ratios need an estimator with penalty='elasticnet'; got In",
    ),
    (
        RankSVMCV(l1_ratios=[0.5]),
        Y,
        "l1_ratios need an estimator with penalty='elasticnet'; got RankSVM",
    ),
    (
        InfinitePushCV(InfinitePush("elasticnet"), l1_ratios=[0.5, 2]),
        Y,
        r"l1_ratios must be numbers from 0 to 1, at least one; got \[0.5, 2\]",
    ),
    (
        InfinitePushCV(InfinitePush("elasticnet"), l1_ratios=[]),
        Y,
        r"l1_ratios must be numbers from 0 to 1, at least one; got \[\]",
    ),
    (TopPushCV(depths=(0,)), Y, "depth must be a number of negatives of at least 1"),
    (TopPushCV(depths=(1, 81)), Y, "depth=81 exceeds the number of negatives, 80"),
    (TopPushCV(depths=(70,)), Y, "among the training rows of fold 1 of 5, depth=70 exceeds the number"),
    (TopPushCV(TopPush(solver="admm"), depths=(2,)), Y, "solver 'admm' is a published algorithm for depth=1"),
    (TopPushCV(selection="first"), Y, "unknown selection 'first'; TopPushCV offers best, one-standard-error"),
    (TopPushCV(scoring="auc"), Y, "unknown scoring 'auc'; take a metric of make_ranking_scorer"),
    (TopPushCV(scoring="precision"), Y, "the metric 'precision' needs k"),
    (TopPushCV(scoring=3), Y, "scoring must be a name, or a function of a model, X and y; got 3"),
    (
        TopPushCV(scoring=roc_auc_score),
        Y,
        "scoring is the metric roc_auc_score, .*; make a scorer of it by sklearn.metrics.make_scorer, or",
    ),
    (
        TopPushCV(scoring=average_precision),
        Y,
        "scoring is the metric average_precision, .*; make a scorer of it by make_ranking_scorer",
    ),
    (TopPushCV(cv=1), Y, "cv must be a number of at least 2 folds; got 1"),
    (TopPushCV(cv=0.5), Y, "cv must be a number of folds, a splitter of scikit-learn, or pairs"),
    (TopPushCV(cv=[]), Y, "cv holds no fold"),
    (TopPushCV(), RARE_LABELS, r"fold . of 5 has no positives among its t\w+ rows, of 1 in y; take fewer"),
    (RankSVMCV(), RARE_LABELS, r"fold . of 5 has no two t\w+ rows that differ in relevance; take fewer"),
    (
        TopPushCV(cv=[(np.arange(60, 120), np.arange(60))]),
        Y,
        "fold 1 of 1 has no positives among its test rows, of 40 in y; take a number of folds",
    ),
    (
        TopPushCV(cv=[(np.arange(120), np.arange(120))], selection="one-standard-error"),
        Y,
        "selection='one-standard-error' needs at least 2 folds; cv holds one",
    ),
]


@pytest.mark.parametrize(
    ("search", "labels", "message"), BAD_ARGUMENTS, ids=[row[2] for row in BAD_ARGUMENTS]
)
def test_bad_input(search, labels, message):
    with raises_one_sentence(message):
        search.fit(X, labels)


def test_bad_input_of_queries():
    rows, labels, qid = make_queries()
    with raises_one_sentence("cv=10 needs as many queries, but qid names 9; take fewer folds"):
        RankSVMCV(cv=10).fit(rows, labels, qid)
    flat = np.where(qid < 6, 1, labels)
    with raises_one_sentence(r"fold \d of 9 has no query whose test rows differ in relevance; take fewer"):
        RankSVMCV(cv=9).fit(rows, flat, qid)
    with raises_one_sentence("TopPushCV ranks a single list, but qid names 9"):
        TopPushCV().fit(rows, labels > 1, qid)


def test_a_search_is_silent_where_all_is_certified():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TopPushCV(cv=3, alphas=4, depths=(1, 0.1)).fit(X, Y)
