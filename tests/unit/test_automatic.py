"""The regularisation "auto": the documented share of the scale, whatever the units of the features are."""

import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ranking_data import gaussians, raises_one_sentence, stack_classes
from sklearn.base import clone
from test_pairwise import DATA

from toprank import GroupL2, InfinitePush, InfinitePushCV, RankSVM, TopPush, TopPushCV, path
from toprank.clock import Clock
from toprank.estimators.automatic import compute_scale, resolve_alpha

SEARCHES = {"TopPush": TopPushCV, "InfinitePush": InfinitePushCV}
X, Y = stack_classes(*gaussians())
PAIRS = [RankSVM(), RankSVM("l2"), RankSVM("mcp"), RankSVM(GroupL2([0, 0, 1, 1, 1]))]
TOPS = [TopPush("auto"), TopPush("auto", depth=3), InfinitePush(alpha="auto")]
TOPS += [
    InfinitePush("l2", "auto"),
    InfinitePush("l2", "auto", depth=4),
    InfinitePush(GroupL2([0, 0, 1, 1]), "auto", depth=0.5),
]


@pytest.mark.parametrize("model", PAIRS, ids=repr)
def test_c_is_a_share_of_its_scale(model):
    rows, y, qid = DATA["graded"]
    model.fit(rows, y, qid)
    scale = compute_scale(model, "C", (rows, y, qid))
    chosen_C = model.C_
    assert chosen_C == pytest.approx(scale / 0.03)
    single = RankSVM(model.penalty, C=model.C_).fit(rows, y, qid)
    assert single.C_ == model.C_ and single.certificate_ == model.certificate_
    np.testing.assert_array_equal(single.coef_, model.coef_)
    if model.penalty != "l2":
        assert scale == model.C_zero_max(rows, y, qid)


def test_the_scale_of_c_under_a_ridge_gives_a_mean_margin_of_1():
    """With w = -C g, g the gradient of the loss at 0: -2 Σ x̃ over all pairs x̃ of a better and a worse row."""
    rows, y, qid = DATA["graded"]
    better, worse = np.nonzero((y[:, None] > y) & (qid[:, None] == qid))
    pairs = rows[better] - rows[worse]
    w = 2.0 * compute_scale(RankSVM("l2"), "C", (rows, y, qid)) * pairs.sum(axis=0)
    assert (pairs @ w).mean() == pytest.approx(1.0)


@pytest.mark.parametrize("model", [RankSVM(), RankSVM("l2")], ids=repr)
def test_units_do_not_change_the_scores_of_an_automatic_c(model):
    rows, y, qid = DATA["graded"]
    scores = model.fit(rows, y, qid).decision_function(rows)
    other = model.fit(1000.0 * rows, y, qid).decision_function(1000.0 * rows)
    np.testing.assert_allclose(other, scores, atol=1e-6 * np.abs(scores).max())


@pytest.mark.parametrize("model", TOPS, ids=repr)
def test_alpha_is_a_share_of_its_scale(model):
    """With the unit of the objective: under a norm it is that of the features, under a ridge its square."""
    is_ridge = isinstance(model, TopPush) or model.penalty == "l2"
    alpha = resolve_alpha(model, X, Y)
    largest = clone(model).set_params(alpha=1.0).alpha_max(X, Y)
    if isinstance(model, InfinitePush) and is_ridge:
        largest = 0.5 * TopPush(depth=model.depth).alpha_max(X, Y)
    assert alpha == pytest.approx((3.0 if is_ridge else 0.3) * largest)
    assert resolve_alpha(model, 10.0 * X, Y) == pytest.approx(alpha * 10.0 ** (1 + is_ridge), rel=1e-4)
    assert model.alpha == "auto" and not hasattr(model, "n_features_in_")


def test_what_is_no_share_stays():
    assert resolve_alpha(TopPush(0.5), X, Y) == 0.5
    assert resolve_alpha(InfinitePush(alpha=np.float64(2)), X, Y, Clock(10.0)) == 2.0
    for alpha in (0, -1.0, np.inf, np.nan, None, True):
        with raises_one_sentence(f"alpha must be a positive number or 'auto'; got {alpha!r}"):
            resolve_alpha(TopPush(alpha), X, Y)
    with raises_one_sentence("alpha must be a positive number or 'auto'; got 'large'"):
        resolve_alpha(TopPush("large"), X, Y)


@pytest.mark.filterwarnings("ignore:w = 0 is")
def test_where_w_is_always_0_the_value_is_1():
    flat = np.ones((6, 2))
    assert RankSVM().fit(flat, [0, 1, 0, 1, 0, 1]).C_ == RankSVM("l2").fit(flat, [0, 1, 0, 1, 0, 1]).C_ == 1.0
    surrounded = np.array([[0.0], [-1.0], [1.0]]), np.array([1, 0, 0])
    for model in (TopPush("auto"), InfinitePush(alpha="auto"), InfinitePush("l2", "auto")):
        assert resolve_alpha(model, *surrounded) == 1.0


@pytest.mark.parametrize("model", [TopPush(), InfinitePush(), InfinitePush("l2")], ids=repr)
def test_a_scale_that_took_too_long_is_one_sentence(model):
    """It names the limit that the user has set, and no method that the user has not called."""
    overlapping = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) < 20
    model = clone(model).set_params(depth=0.5, time_limit=1e-9)
    name = type(model).__name__
    sentence = (
        f"the scale of alpha for {name} is only known by an upper bound, because time_limit=1e-09 is too "
        "short, so that {}; raise it, or give alpha as a number"
    )
    for call, consequence in (
        (model.fit, "'auto' may be too large"),
        (partial(path, model, values=2), "the path may start too high"),
        (SEARCHES[name](model, alphas=2, cv=2).fit, "the grid may start too high"),
    ):
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            call(*overlapping)
        late = [record for record in records if "scale" in str(record.message)]
        assert [str(record.message) for record in late] == [sentence.format(consequence)]
        assert Path(late[0].filename).name == Path(__file__).name and not any(
            "alpha_max" in str(r.message) for r in records
        )


def test_names_of_features_are_kept():
    rows, y, qid = DATA["graded"]
    frame = pd.DataFrame(rows, columns=list("abcde"))
    assert list(RankSVM().fit(frame, y, qid).feature_names_in_) == list("abcde")
