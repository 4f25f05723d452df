"""Arguments out of their range: of limits, paths, grids, folds, metrics and exported models."""

import json
from fractions import Fraction

import numpy as np
import pytest
from ranking_data import gaussians, raises_one_sentence, stack_classes
from sklearn.model_selection import KFold

from toprank import FSMRank, InfinitePush, RankSVM, RankSVMCV, TopPush, TopPushCV, make_ranking_scorer, path
from toprank.export import from_json
from toprank.metrics import precision_at_k

X, Y = stack_classes(*gaussians())
QID = np.arange(Y.size) % 3
METHODS = [(TopPush, "alpha_max"), (InfinitePush, "alpha_max"), (RankSVM, "C_zero_max")]
METHODS += [(FSMRank, "beta_max"), (TopPush, "smallest_depth"), (InfinitePush, "smallest_depth")]


@pytest.mark.parametrize("time_limit", ["a", 0, -1.0, np.nan, True])
@pytest.mark.parametrize(
    ("estimator", "method"), METHODS, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_time_limit_is_checked_wherever_it_counts(estimator, method, time_limit):
    with raises_one_sentence("time_limit must be a positive number"):
        getattr(estimator(time_limit=time_limit), method)(X, Y)


def test_a_time_limit_of_a_ridge_is_checked():
    with raises_one_sentence("time_limit must be a positive number"):
        InfinitePush("l2", time_limit="a").alpha_max(X, Y)


@pytest.mark.parametrize(
    ("model", "meaning"),
    [
        (TopPush(depth=0.5), "scale of alpha"),
        (InfinitePush(depth=0.5), "smallest value at which w = 0 is optimal"),
    ],
    ids=str,
)
def test_a_bound_says_what_it_bounds(model, meaning):
    model.set_params(time_limit=1e-9)
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) < 20  # classes that overlap
    with pytest.warns(UserWarning, match=f"alpha_max returns only an upper bound of the {meaning}, because"):
        model.alpha_max(X, y)
    with pytest.warns(UserWarning, match="of the depth up to which w = 0 is optimal at every alpha, because"):
        model.smallest_depth(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"values": []}, "values must be a sequence of values of alpha, at least one"),
        *(
            ({"values": values}, f"values of alpha, or their number, from 1; got {values}")
            for values in (0, 0.1, True, None)
        ),
        ({"span": "a"}, "span must be a number between 0 and 1; got 'a'"),
        ({"span": 1.0}, "span must be a number between 0 and 1; got 1.0"),
    ],
)
def test_arguments_of_a_path(options, message):
    with raises_one_sentence(message):
        path(TopPush(), X, Y, **options)


TRIPLE = (np.arange(3), np.arange(3, 6), np.arange(6, 9))


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (TopPushCV(alphas=np.inf), "alphas must be a number of values, or positive numbers; got inf"),
        (TopPushCV(alphas=np.nan), "alphas must be a number of values, or positive numbers; got nan"),
        (TopPushCV(alphas=["a"]), "alphas must be a number of values, or positive numbers"),
        (TopPushCV(alphas=[[0.1]]), "alphas must be a number of values, or positive numbers"),
        (TopPushCV(cv=KFold), "cv must be a number of folds, a splitter of scikit-learn, or pairs"),
        (TopPushCV(cv=[TRIPLE]), "cv must be a number of folds, a splitter of scikit-learn, or pairs"),
        (
            TopPushCV(cv=[(np.arange(Y.size), np.arange(Y.size, Y.size + 3))]),
            f"fold 1 of cv names row {Y.size}, but the data have {Y.size} rows",
        ),
        (TopPush(alpha=Fraction(1, 3)), "alpha must be a positive number or 'auto'"),
        (TopPush(depth=Fraction(5, 2)), "depth must be a number of negatives of at least 1"),
        (RankSVM(query_weight=np.array([1, 2])), "unknown query_weight"),
    ],
    ids=str,
)
def test_parameters_of_fits_and_searches(search, message):
    with raises_one_sentence(message):
        search.fit(X, Y)


def test_no_cv_means_the_default_number_of_folds():
    searches = [RankSVMCV(Cs=2, cv=cv).fit(X, Y, np.arange(Y.size) % 6) for cv in (None, 5)]
    np.testing.assert_array_equal(searches[0].scores_, searches[1].scores_)


def test_a_share_in_single_precision_is_the_share_that_was_written():
    scores = -np.arange(5.0)
    assert precision_at_k([1, 0, 0, 0, 0], scores, np.float32(0.2)) == 1.0


def test_a_metric_is_a_name():
    with raises_one_sentence("unknown metric"):
        make_ranking_scorer(["ndcg"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no model", "not a model written by toprank.export.to_json: it is no JSON"),
        (
            json.dumps({"schema": "toprank.linear-model", "schema_version": 1}),
            "the model is incomplete: it has no 'estimator'",
        ),
        (json.dumps({"schema": "toprank.linear-model"}), "the model has schema version None"),
    ],
)
def test_what_is_no_whole_model(text, message):
    with raises_one_sentence(message):
        from_json(text)
