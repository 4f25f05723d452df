"""The infinite push estimator: scikit-learn's conventions, every solver and penalty, bad input."""

import itertools
import re

import numpy as np
import pytest
import scipy.sparse as sp
import solved_once as references
from ranking_data import ONE_SENTENCE, counts, gaussians, in_format, stacked, surrounded
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toprank import L1, MCP, GroupL2, InfinitePush, PairADMM, make_ranking_scorer
from toprank.metrics import rate_at_top
from toprank.solvers.zero_optimum import lambda_max

X, Y = stacked(*gaussians())
WIDE = gaussians(m=10, n=14, d=60, shift=4.0)
PENALTIES = tuple(InfinitePush.CHOICES["penalty"])
PAIRED = [*itertools.product([name for name in InfinitePush.SOLVERS if name != "dual"], PENALTIES)]
PAIRED += [("dual", "l2")]


def norm(penalty, groups):
    """Return the penalty of a name; the groups are those of the group norm."""
    return GroupL2(groups) if penalty == "group" else penalty


def test_parameters_survive_a_clone():
    parameters = {"penalty": "group", "alpha": 0.3, "solver": "admm", "tol": 1e-5, "max_iter": 77}
    parameters |= {"time_limit": 9.0, "warm_start": True}
    model = InfinitePush(**parameters)
    assert model.get_params() == clone(model).get_params() == parameters
    model.set_params(penalty__groups=[0, 0, 1], solver__prox="douglas-rachford")
    found = clone(model).get_params()
    assert found["penalty__groups"] == [0, 0, 1] and found["solver__prox"] == "douglas-rachford"


@pytest.mark.parametrize(("solver", "penalty"), PAIRED)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array, list])
def test_every_solver_takes_every_kind_of_matrix(solver, penalty, kind):
    data = X.tolist() if kind is list else kind(X)
    model = InfinitePush(norm(penalty, [0, 0, 1, 1]), 0.1, solver=solver, tol=1e-3, max_iter=5000)
    model.fit(data, Y)
    assert model.certificate_.status == "certified" and 0 <= model.certificate_.relative_gap <= 1e-3
    np.testing.assert_allclose(model.decision_function(data), X @ model.coef_, atol=1e-12)
    assert rate_at_top(Y, model.decision_function(data)) > 0.3


@pytest.mark.parametrize(("solver", "penalty"), [("exact", "l1"), ("exact", "l2"), ("dual", "l2")])
def test_wide_data(solver, penalty):
    """More features than rows: the ridge is solved in the span of the rows, the l1 norm at a vertex."""
    model = InfinitePush(penalty, 0.1, solver=solver).fit(*stacked(*WIDE))
    reference, _ = references.infinite_push(*WIDE, 0.1, penalty)
    assert model.coef_.shape == (60,)
    assert model.certificate_.objective == pytest.approx(reference, rel=1e-5)


def test_a_group_vanishes_as_a_whole():
    positives, negatives = gaussians(m=40, n=60, d=12, shift=0.0)
    positives[:, :3] += 2.0
    labels = np.arange(12) // 3
    model = InfinitePush(GroupL2(labels), 1.2).fit(*stacked(positives, negatives))
    sizes = np.array([np.abs(model.coef_[labels == g]).max() for g in range(4)])
    assert sizes[0] > 0.1 and np.all(sizes[1:] <= 1e-6 * sizes[0])


def test_at_work_with_scikit_learn():
    """A pipeline in a grid search, and the two ways to select features."""
    data, labels = stacked(*counts(m=60, n=80))
    model, grid = (
        make_pipeline(StandardScaler(), InfinitePush()),
        {"infinitepush__alpha": [0.001, 0.01, 0.05]},
    )
    options = {"scoring": make_ranking_scorer("rate_at_top"), "cv": ShuffleSplit(3, random_state=0)}
    search = GridSearchCV(model, grid, **options).fit(data, labels)
    assert search.best_params_["infinitepush__alpha"] in (0.001, 0.01, 0.05)
    kept = RFE(InfinitePush("l2", 0.1), n_features_to_select=4).fit(data, labels).support_
    assert kept.sum() == 4
    assert 1 <= SelectFromModel(InfinitePush(alpha=0.02)).fit(data, labels).get_support().sum() <= 12


@pytest.mark.parametrize("solver", ["exact", "admm"])
def test_from_lambda_max_on_it_says_that_zero_is_optimal(solver):
    positives, negatives = gaussians()
    alpha = 1.001 * lambda_max(positives, negatives) / 2
    model = InfinitePush(alpha=alpha, solver=solver)
    said = "w = 0 is optimal to within tol at alpha=.* too large; choose a smaller one"
    with pytest.warns(UserWarning, match=said) as caught:
        model.fit(*stacked(positives, negatives))
    assert re.match(ONE_SENTENCE, str(caught[0].message))
    assert not model.coef_.any() and model.certificate_.objective == 1.0
    assert model.certificate_.status == "certified"


@pytest.mark.parametrize(("solver", "penalty"), PAIRED)
def test_small_and_odd_data(solver, penalty):
    """One feature, one positive, rows that occur twice, a feature of one value."""
    options = {"solver": solver, "tol": 1e-4, "alpha": 0.1}
    single = np.array([[3.0], [1.0], [0.0], [-1.0]])
    model = InfinitePush(norm(penalty, [0]), **options).fit(single, [1, 1, 0, 0])
    assert model.coef_[0] > 0
    model = InfinitePush(norm(penalty, [0]), **options).fit(single, [1, 0, 0, 0])
    assert model.certificate_.status == "certified" and model.coef_[0] > 0

    groups = [0, 0, 1, 1]
    once = InfinitePush(norm(penalty, groups), **options).fit(X, Y)
    twice = InfinitePush(norm(penalty, groups), **options).fit(np.vstack([X, X]), np.append(Y, Y))
    assert twice.certificate_.objective == pytest.approx(once.certificate_.objective, rel=3e-4)
    constant = np.insert(X, 0, 5.0, axis=1)
    model = InfinitePush(norm(penalty, [2, *groups]), **options).fit(constant, Y)
    assert model.certificate_.objective == pytest.approx(once.certificate_.objective, rel=3e-4)
    assert abs(model.coef_[0]) <= 1e-6


def with_entry(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


@pytest.mark.parametrize(
    ("parameters", "data", "labels", "message"),
    [
        ({}, with_entry(np.nan), Y, "X contains NaN"),
        ({}, with_entry(np.inf), Y, "X contains infinity"),
        ({}, X, np.ones_like(Y), "class"),
        ({"alpha": 0.0}, X, Y, "alpha must be a positive number; got 0.0"),
        ({"alpha": -1}, X, Y, "alpha must be a positive number; got -1"),
        ({"solver": PairADMM(mu=np.nan)}, X, Y, "mu must be a positive number"),
        ({"max_iter": 2.5}, X, Y, "max_iter must be a whole number"),
        ({"penalty": "l0"}, X, Y, "unknown penalty 'l0'; InfinitePush offers l1, l2, group"),
        ({"solver": "simplex"}, X, Y, "unknown solver 'simplex'; InfinitePush offers exact, admm, dual"),
        ({"solver": PairADMM(prox="newton")}, X, Y, "prox 'newton'; PairADMM offers exact, douglas-rachford"),
        ({"penalty": MCP()}, X, Y, "InfinitePush cannot use MCP"),
        ({"penalty": L1([1, 2, 1, 1])}, X, Y, "the l1 norm with equal weights only; scale the features"),
        ({"solver": "dual"}, X, Y, "solver 'dual' needs penalty 'l2'; got 'l1'"),
        ({"penalty": GroupL2([0, 1])}, X, Y, "a label for each of the 4 features"),
    ],
)
def test_bad_input(parameters, data, labels, message):
    with pytest.raises(ValueError, match=message) as caught:
        InfinitePush(**parameters).fit(data, labels)
    assert re.match(ONE_SENTENCE, str(caught.value).splitlines()[0])


@pytest.mark.parametrize(("penalty", "groups"), [("l1", None), ("group", [0, 0, 1, 1])])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_alpha_max_is_where_zero_becomes_optimal(penalty, groups, kind):
    X, y = stacked(*gaussians(m=25, n=40, d=4))
    (data,) = in_format(kind, X)
    largest = InfinitePush(norm(penalty, groups)).alpha_max(data, y)
    with pytest.warns(UserWarning, match="w = 0 is optimal"):
        assert not InfinitePush(norm(penalty, groups), largest).fit(data, y).coef_.any()
    assert InfinitePush(norm(penalty, groups), 0.99 * largest).fit(data, y).coef_.any()


def test_alpha_max_of_groups_of_one_is_that_of_the_l1_norm():
    X, y = stacked(*gaussians(m=30, n=50, d=5))
    single = InfinitePush(GroupL2(np.arange(5))).alpha_max(X, y)
    assert single == pytest.approx(InfinitePush().alpha_max(X, y), rel=1e-6)
    assert InfinitePush("l2").alpha_max(X, y) == InfinitePush().alpha_max(X, y)


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_alpha_max_where_zero_is_always_optimal(penalty):
    X, y = stacked(*surrounded())
    assert InfinitePush(norm(penalty, [0, 0, 1])).alpha_max(X, y) == 0.0


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_a_warm_start_changes_no_answer(penalty):
    """With more features than rows too, where the ridge is rotated."""
    for d in (4, 60):
        X, y = stacked(*gaussians(m=12, n=18, d=d))
        warm = InfinitePush(penalty, warm_start=True)
        for alpha in (0.3, 0.1, 0.01):
            warm.set_params(alpha=alpha).fit(X, y)
            cold = InfinitePush(penalty, alpha).fit(X, y)
            assert warm.certificate_.objective == pytest.approx(cold.certificate_.objective, rel=1e-7)
    # other data of another shape: nothing to start from
    warm.fit(X[:, :3], y)
    assert warm.coef_.shape == (3,)


@pytest.mark.parametrize(("seed", "alpha"), [(6, 2.5), (58, 1.2), (287, 2.5), (497, 0.7)])
def test_the_exact_solver_refines_a_model_that_the_conic_solver_left_too_early(seed, alpha):
    """More features than rows under a strong ridge: the first answer is 1e-7 to 1e-6 above the optimum."""
    rng, is_positive = np.random.default_rng(seed), np.arange(105) % 2 == 1
    X = rng.normal(size=(105, 110))
    means = rng.choice([-1, 1], 10)
    X[:, :10] *= 0.3
    X[:, :10] += np.where(is_positive[:, None], means, -means)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    certificate = InfinitePush("l2", alpha).fit(X, is_positive).certificate_
    assert certificate.status == "certified" and certificate.relative_gap <= 1e-8
