"""Elastic net: the penalty itself, its two ends, where it makes weights 0, and what a user sees of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import assert_certified, gaussians, raises_one_sentence, stack_classes
from scipy.optimize import minimize_scalar
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_pairwise import documents

from toprank import ElasticNet, InfinitePush, InfinitePushCV, RankSVM, RankSVMCV, make_ranking_scorer, path
from toprank.penalties import L1, SquaredL2

X, Y = stack_classes(*gaussians(shift=1.5))
DEPTHS = [1.0, 2.5, 0.4]
NETS = [ElasticNet(0.3), ElasticNet(0.9).with_weights(np.array([0.5, 2.0, 1.0]))]


def weigh_first(n_features, first_weight):
    """Penalty weights of 1 but for the first; if that is 0, the models are cone programs of some rows."""
    return np.append(first_weight, np.ones(n_features - 1))


@parametrize_with_checks([RankSVM("elasticnet"), InfinitePush("elasticnet", 0.1, l1_ratio=0.7)])
@pytest.mark.filterwarnings("ignore:w = 0 is")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("net", NETS, ids=["equal", "weighted"])
def test_the_penalty_by_hand(net):
    """Value, prox, slope and stationarity, coordinate by coordinate."""
    weights = np.broadcast_to(net.weights, 3)
    w, step = np.array([1.5, -0.2, 0.0]), 0.4
    parts = weights * (net.l1_ratio * np.abs(w) + (1 - net.l1_ratio) / 2 * w**2)
    assert net.value(w) == pytest.approx(parts.sum(), rel=1e-14)
    for j in range(3):

        def objective(z, j=j):
            unit = np.zeros(3)
            unit[j] = z
            return (z - w[j]) ** 2 / 2 + step * net.value(unit)

        best = minimize_scalar(objective, bounds=(-3, 3), method="bounded", options={"xatol": 1e-12})
        assert net.prox(w, step)[j] == pytest.approx(best.x, abs=1e-7)
    z = net.prox(w, step)
    assert net.violation(z, (z - w) / step, 1.0).max() < 1e-14
    direction = np.array([-0.3, 0.7, 1.1])
    rise = (net.value(w + 1e-7 * direction) - net.value(w)) / 1e-7
    assert net.directional_derivative(w, direction) == pytest.approx(rise, rel=1e-5)


@pytest.mark.parametrize("squares", [0.0, 0.7])
@pytest.mark.parametrize("cap", [0.2, np.inf])
@pytest.mark.parametrize("net", NETS, ids=["equal", "weighted"])
def test_the_bound_is_the_best_along_its_scale(net, cap, squares):
    v, alpha, total = np.array([3.0, -1.0, 0.4]), 0.5, 2.0
    scales = np.linspace(0.0, min(cap, 4.0), 200_001)
    weights = np.broadcast_to(net.weights, 3)
    excess = np.maximum(np.outer(scales, np.abs(v)) / alpha - net.l1_ratio * weights, 0.0)
    conjugate = (excess**2 / (2 * (1 - net.l1_ratio) * weights)).sum(axis=1)  # the squared soft threshold
    values = scales * total - scales**2 * squares - alpha * conjugate
    assert net.scaled_dual(v, alpha, total, squares, cap) == pytest.approx(values.max(), rel=1e-7)


def test_without_a_limit_there_is_no_bound():
    assert ElasticNet(0.5).scaled_dual(np.zeros(3), 1.0, 1.0) == 0.0


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("ratio", "end"), [(0.0, "l2"), (1.0, "l1")])
def test_the_ends_are_the_ridge_and_the_l1_norm(ratio, end, depth):
    """Bit for bit, and near an end to the accuracy of the certificates."""
    fits = [
        InfinitePush("elasticnet", 0.05, l1_ratio=ratio, depth=depth),
        InfinitePush(ElasticNet(ratio), 0.05, depth=depth),
        InfinitePush(end, 0.05, depth=depth),
        InfinitePush("elasticnet", 0.05, l1_ratio=abs(ratio - 1e-9), depth=depth),
    ]
    first, from_object, plain, beside_end = (model.fit(X, Y) for model in fits)
    assert np.array_equal(first.coef_, plain.coef_) and np.array_equal(from_object.coef_, plain.coef_)
    assert beside_end.certificate_.status == "certified"
    assert beside_end.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-7)


@pytest.mark.parametrize(("ratio", "end"), [(0.0, "l2"), (1.0, "l1")])
@pytest.mark.parametrize("solver", ["prox-newton", "fista"])
def test_the_ends_of_ranksvm(ratio, end, solver):
    rows, y, qid = documents(seed=0)
    options = {"C": 1.0, "solver": solver}
    plain = RankSVM(end, **options).fit(rows, y, qid)
    at_end = RankSVM("elasticnet", l1_ratio=ratio, **options).fit(rows, y, qid)
    beside_end = RankSVM("elasticnet", l1_ratio=abs(ratio - 1e-9), **options).fit(rows, y, qid)
    assert np.array_equal(plain.coef_, at_end.coef_) and beside_end.certificate_.status == "certified"
    assert beside_end.certificate_.objective == pytest.approx(plain.certificate_.objective, rel=1e-6)


def test_every_solver_of_ranksvm_ends_at_the_same_point():
    rows, y, qid = documents(seed=1)
    fits = [
        RankSVM("elasticnet", 0.5, l1_ratio=0.4, solver=solver).fit(rows, y, qid)
        for solver in ("prox-newton", "fista", "monotone-fista")
    ]
    for model in fits[1:]:
        assert model.certificate_.status == "certified"
        assert model.coef_ == pytest.approx(fits[0].coef_, abs=1e-6)


def test_pairs_and_the_small_model_agree():
    exact, pairs = (
        InfinitePush("elasticnet", 0.1, l1_ratio=0.4, solver=solver) for solver in ("exact", "admm")
    )
    optimum = exact.fit(X, Y).certificate_.objective
    assert_certified(pairs.fit(X, Y).certificate_, optimum, gap=1e-4)


@pytest.mark.parametrize("depth", DEPTHS)
def test_alpha_max_is_that_of_the_l1_norm_over_the_ratio(depth):
    model = InfinitePush("elasticnet", l1_ratio=0.4, depth=depth)
    largest = model.alpha_max(X, Y)
    assert largest == pytest.approx(InfinitePush("l1", depth=depth).alpha_max(X, Y) / 0.4, rel=1e-12)
    with pytest.warns(UserWarning, match="w = 0 is optimal to within tol"):
        assert not model.set_params(alpha=largest * (1 + 1e-6)).fit(X, Y).coef_.any()
    assert model.set_params(alpha=largest * 0.99).fit(X, Y).coef_.any()


def test_C_zero_max_is_that_of_the_l1_norm_times_the_ratio():
    rows, y, qid = documents(seed=0)
    largest = RankSVM("elasticnet", l1_ratio=0.4).C_zero_max(rows, y, qid)
    assert largest == pytest.approx(0.4 * RankSVM("l1").C_zero_max(rows, y, qid), rel=1e-12)
    assert RankSVM("elasticnet", 1.01 * largest, l1_ratio=0.4).fit(rows, y, qid).coef_.any()


def test_correlated_features_share_their_weight():
    """What an elastic net is for: a feature that stands twice gets two equal weights."""
    rows = np.column_stack([X, X[:, 0]])
    coef = InfinitePush("elasticnet", 0.1, l1_ratio=0.5).fit(rows, Y).coef_
    assert coef[0] == pytest.approx(coef[-1], rel=1e-5) and coef[0] != 0.0


@pytest.mark.parametrize("first_weight", [1.0, 0.0], ids=["all-rows", "cones"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_weights_are_0_exactly(depth, first_weight):
    """An interior point method ends with small values in place of the zeros."""
    rows = np.column_stack([X, np.random.default_rng(2).normal(size=(len(X), 10))])
    weights = weigh_first(rows.shape[1], first_weight)
    model = InfinitePush("elasticnet", 0.1, l1_ratio=0.9, depth=depth, penalty_weights=weights)
    coef = model.fit(rows, Y).coef_
    assert 0 < np.count_nonzero(np.abs(coef) > 1e-6) == np.count_nonzero(coef) < 14


@pytest.mark.parametrize("first_weight", [1.0, 0.0], ids=["all-rows", "cones"])
@pytest.mark.parametrize("depth", [1.0, 0.3])
def test_wide_and_sparse_rows(depth, first_weight):
    """Features enter the model step by step; absent ones have weights of exactly 0."""
    random = np.random.default_rng(0)
    rows = sp.random_array((80, 400), density=0.1, rng=random, format="csr")
    y = np.asarray(rows[:, :10].sum(axis=1)).ravel() > 0.3
    options = {"l1_ratio": 0.5, "depth": depth, "penalty_weights": weigh_first(400, first_weight)}
    dense, sparse = (InfinitePush("elasticnet", 0.02, **options).fit(A, y) for A in (rows.toarray(), rows))
    assert dense.certificate_.status == sparse.certificate_.status == "certified"
    assert sparse.coef_ == pytest.approx(dense.coef_, abs=1e-5)
    assert 0 < np.count_nonzero(sparse.coef_) < 200


def test_limits_warm_starts_and_paths():
    steps = []
    model = InfinitePush("elasticnet", 0.05, callback=steps.append, time_limit=60.0).fit(X, Y)
    assert steps[-1].objective == pytest.approx(model.certificate_.objective, rel=1e-12)
    assert model.set_params(warm_start=True).fit(X, Y).certificate_.status == "certified"
    with pytest.warns(UserWarning, match="time_limit"):
        hurried = InfinitePush("elasticnet", 0.05, time_limit=1e-9).fit(X, Y)
    assert hurried.certificate_.status == "time_limit" and hurried.certificate_.lower_bound >= 0.0
    fits = path(InfinitePush("elasticnet"), X, Y, values=4)
    assert [certificate.status for certificate in fits.certificates] == ["certified"] * 4


@pytest.mark.filterwarnings("ignore:w = 0 is")
def test_searches():
    search = InfinitePushCV(InfinitePush("elasticnet", l1_ratio=0.8), alphas=4, cv=2).fit(X, Y)
    largest = InfinitePush("elasticnet", l1_ratio=0.8).alpha_max(X, Y)
    assert search.alphas_.max() < largest and search.certificate_.status == "certified"
    rows, y, qid = documents(seed=0)
    assert RankSVMCV(RankSVM("elasticnet"), Cs=3, cv=2).fit(rows, y, qid).certificate_.status == "certified"
    for grid in ({"l1_ratio": [0.2, 0.8]}, {"penalty__l1_ratio": [0.2, 0.8]}):
        model = InfinitePush("elasticnet", 0.05)
        search = GridSearchCV(model, grid, cv=2, scoring=make_ranking_scorer("average_precision"))
        assert set(search.fit(X, Y).best_params_) == set(grid)


@pytest.mark.parametrize("estimator", [InfinitePush, RankSVM])
@pytest.mark.parametrize("ratio", [-0.1, 1.5, np.nan, "half", True])
def test_a_ratio_outside_its_range(estimator, ratio):
    with raises_one_sentence("l1_ratio must be a number from 0 to 1"):
        estimator("elasticnet", 0.1, l1_ratio=ratio).fit(X, Y)


@pytest.mark.parametrize("estimator", [InfinitePush, RankSVM])
def test_a_ratio_without_an_elastic_net_is_not_used(estimator):
    plain = estimator("l1", 0.1).fit(X, Y)
    with pytest.warns(UserWarning, match="l1_ratio=0.3 is only used when penalty is 'elasticnet'"):
        model = estimator("l1", 0.1, l1_ratio=0.3).fit(X, Y)
    assert np.array_equal(model.coef_, plain.coef_)


def test_names_stand_for_objects():
    kinds = {"l1": L1, "l2": SquaredL2, "elasticnet": ElasticNet}
    for name, kind in kinds.items():
        assert InfinitePush.CHOICES["penalty"][name] is kind is RankSVM.CHOICES["penalty"][name]
