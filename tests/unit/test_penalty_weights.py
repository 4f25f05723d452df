"""Weights of features in the penalty, 0 among them: against a conic solver, and what a user sees of them."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import gaussians, raises_one_sentence, stack_classes
from sklearn.base import clone
from test_depth import choose_depth, make_classes

from toprank import GroupL2, InfinitePush, InfinitePushCV, RankSVM, RankSVMCV, TopPush, TopPushCV, path
from toprank.estimators import unpenalised
from toprank.export import from_json, to_json
from toprank.penalties import ElasticNet
from toprank.problems.free_push import FreePushRanking
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers.pair_separation import find_separating_point

X, Y = stack_classes(*gaussians(shift=1.5))
WEIGHTS = np.array([0.0, 2.0, 1.0, 0.5])  # of the features of X
TRAITS = ["plain", "tiny", "wide", "tied", "repeated", "degenerate"]
MODELS = {
    "l1": InfinitePush("l1", 0.05),
    "l2": InfinitePush("l2", 0.05),
    "elasticnet": InfinitePush("elasticnet", 0.05, l1_ratio=0.6),
    "top": TopPush(0.05),
    "pairs-l1": RankSVM("l1", 0.1),
    "pairs-l2": RankSVM("l2", 0.1),
    "pairs-elasticnet": RankSVM("elasticnet", 0.1, l1_ratio=0.6),
}


def compute_loss(kind, positives, negatives, w, depth, pos, square):
    """The loss of an estimator in the functions of numpy or of CVXPY; w may be a variable."""
    if kind == "pairs":
        differences = (positives[:, None] - negatives[None]).reshape(-1, positives.shape[1])
        return square(pos(1 - differences @ w))
    top = cp.Variable() if isinstance(w, cp.Variable) else np.sort(negatives @ w)[-int(np.ceil(depth))]
    mean_of_highest = top + pos(negatives @ w - top).sum() / depth
    hinge = pos(1 + mean_of_highest - positives @ w)
    return (square(hinge) if kind == "top" else hinge) / len(positives)


def minimise_by_cvxpy(kind, positives, negatives, alpha, ratio, weights, depth):
    """The optimum by a conic solver."""
    w = cp.Variable(positives.shape[1])
    loss = cp.sum(compute_loss(kind, positives, negatives, w, depth, cp.pos, cp.square))
    net = ratio * cp.abs(w) + (1 - ratio) / 2 * cp.square(w)
    program = cp.Problem(cp.Minimize(loss + alpha * cp.sum(cp.multiply(weights, net))))
    return program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)


def draw_weights(d, random):
    """Weights of the features: now equal, now not, with some 0 in most draws, but never all."""
    weights = random.uniform(0.2, 3.0, size=d) if random.random() < 0.7 else np.ones(d)
    if random.random() < 0.7:
        weights[random.permutation(d)[: random.integers(0, d)]] = 0.0
    return weights


def make_model(kind, alpha, ratio, depth, **options):
    """The estimator of a kind of loss."""
    if kind == "pairs":
        return RankSVM("elasticnet", 1 / alpha, l1_ratio=ratio, **options)
    if kind == "top":
        return TopPush(alpha, depth=depth, **options)
    return InfinitePush("elasticnet", alpha, l1_ratio=ratio, depth=depth, **options)


@pytest.mark.filterwarnings("ignore:w = 0 is", "ignore:Solution may be inaccurate")
@pytest.mark.parametrize("trait", TRAITS)
@pytest.mark.parametrize("kind", ["push", "top", "pairs"])
def test_the_optimum_and_the_bounds_are_those_of_a_conic_solver(kind, trait):
    """13 problems each, 234 in all, at depths that are whole, fractional, 1 and n."""
    random = np.random.default_rng([TRAITS.index(trait), len(kind)])
    for _ in range(13):
        positives, negatives = make_classes(trait, random)
        weights, alpha = draw_weights(positives.shape[1], random), 10 ** random.uniform(-3, 0)
        ratio = 0.0 if kind == "top" else random.choice([0.0, 1.0, random.uniform(), 1e-3, 0.999])
        depth = 1.0 if kind == "pairs" else choose_depth(len(negatives), random)
        steps, factor = [], alpha if kind == "pairs" else 1.0  # RankSVM multiplies the loss by C
        model = make_model(kind, alpha, ratio, depth, penalty_weights=weights, callback=steps.append).fit(
            *stack_classes(positives, negatives)
        )
        optimum = minimise_by_cvxpy(kind, positives, negatives, alpha, ratio, weights, depth)
        w, certificate = model.coef_, model.certificate_
        net = weights * (ratio * np.abs(w) + (1 - ratio) / 2 * w**2)
        objective = alpha * net.sum() + np.sum(
            compute_loss(kind, positives, negatives, w, depth, lambda z: np.maximum(z, 0), np.square)
        )
        assert certificate.status == "certified"
        assert certificate.objective * factor == pytest.approx(objective, rel=1e-8, abs=1e-12)
        assert objective == pytest.approx(optimum, rel=1e-5, abs=1e-7)
        for step in steps:
            bound = (step.lower_bound or 0.0) * factor
            assert bound <= optimum * (1 + 1e-5) + 1e-7 and bound <= objective * (1 + 1e-8) + 1e-13


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("depth", [1.0, 3.4])
def test_any_dual_weights_bound_the_objective_within_the_bounds_of_free_features(squared, depth):
    random, bounds = np.random.default_rng(0), np.array([2.0, 0.0, 0.0, 0.0])
    penalty = ElasticNet(0.5).with_weights(np.array([0.0, 1.0, 2.0, 0.5]), bounds)
    problem = FreePushRanking(*gaussians(m=6, n=8, shift=1.0), 0.01, penalty, depth, squared)
    best = 0.0
    for _ in range(200):
        bound = problem.lower_bound(random.exponential(size=6), random.exponential(size=8))
        best = max(best, bound)
        points = random.normal(size=(50, 4)) * 10 ** random.uniform(-2, 1)
        points[:, 0] = random.uniform(-2, 2, size=50)
        assert bound <= min(problem.objective(w) for w in points)
    assert best > 0.01


@pytest.mark.parametrize("alpha", [0.05, 5.0])  # the best scale lies within its range, and at its end
@pytest.mark.parametrize("squared", [False, True])
def test_the_bound_at_weights_whose_equations_hold(squared, alpha):
    """By the formula of the dual, along a grid of scales; the free feature is 0 in all rows."""
    random = np.random.default_rng(1)
    positives, negatives = gaussians(m=6, n=8, shift=1.0)
    positives[:, 0] = negatives[:, 0] = 0.0
    a, b = random.dirichlet(np.ones(6)), random.dirichlet(np.ones(8))
    penalty = ElasticNet(0.5).with_weights(np.array([0.0, 1.0, 2.0, 0.5]), 1e6)
    bound = FreePushRanking(positives, negatives, alpha, penalty, 1.0, squared).lower_bound(a, b)
    scales = np.linspace(0.0, 1.0 if squared else 1 / (6 * a.max()), 100_001)
    v = (positives.T @ a - negatives.T @ b)[1:]
    excess = np.maximum(np.outer(scales, np.abs(v)) / alpha - 0.5 * penalty.weights[1:], 0.0)
    values = scales - alpha * (excess**2 / penalty.weights[1:]).sum(axis=1)
    if squared:
        values -= scales**2 * 6 / 4 * (a @ a)
    assert bound == pytest.approx(values.max(), rel=1e-6)


def test_a_residual_of_a_free_feature_costs_what_its_weight_may_be():
    net = ElasticNet(0.5).with_weights(np.array([0.0, 1.0]), np.array([3.0, 0.0]))
    reduced_net = ElasticNet(0.5).with_weights(np.array([1.0]))
    v, residual = np.array([2.0]), 0.1
    assert net.scaled_dual(np.append(residual, v), 0.3, 1.0) == pytest.approx(
        reduced_net.scaled_dual(v, 0.3, 1.0 - 3.0 * residual), rel=1e-14
    )
    assert net.scaled_dual(np.append(0.5, v), 0.3, 1.0) == 0.0


@pytest.mark.parametrize("depth", [1.0, 3.4])
def test_weights_are_moved_to_where_the_equations_hold(depth):
    """With bounds of a million an error of 1e-6 would leave nothing of the bound."""
    random = np.random.default_rng(0)
    penalty = ElasticNet(0.5).with_weights(np.array([0.0, 1.0, 2.0, 0.5]), 1e6)
    problem = FreePushRanking(*gaussians(m=12, n=15, shift=0.5), 0.3, penalty, depth)
    bounds = [problem.lower_bound(1 + random.random(12), 1 + random.random(15)) for _ in range(5)]
    assert min(bounds) > 0.01


def test_rounding_errors_of_a_constant_free_feature_are_no_equation():
    penalty = ElasticNet(1.0).with_weights(np.array([1.0, 0.0, 0.0]), np.array([0.0, 20.0, 20.0]))
    for seed in range(40):
        random = np.random.default_rng(seed)
        rows, weights = random.normal(size=(51, 3)), random.uniform(0.5, 1.0, size=51)
        rows[:, 1] = 0.7 + 2e-16 * random.choice(3, size=51, p=[0.8, 0.1, 0.1])
        rows[-1, 1], weights[-1] = 2.0, 0.0  # only here, at weight 0, is it another value
        problem = FreePushRanking(rows[:24], rows[24:], 0.1, penalty, 1.0)
        a, b = weights[:24] / weights[:24].sum(), weights[24:] / weights[24:].sum()
        assert problem._move_to_equations(a, b) is not None


def test_a_loss_of_nearly_0_becomes_0():
    penalty = ElasticNet(1.0).with_weights(np.array([0.0, 1.0]), 10.0)
    w = np.array([0.5 * (1 - 1e-9), 1e-12])
    problem = FreePushRanking(np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0]]), 1.0, penalty)
    separating, scores = problem.polish(w, problem.scores(w))
    assert problem.objective(w) > 0.0 == problem.objective(separating, scores)
    pairs = PairwiseRanking.from_data(
        np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, 0]), None, 1.0, penalty
    )
    scores = pairs.X @ w
    point = find_separating_point(pairs, w, scores, pairs.loss(scores), pairs.objective(w))
    assert pairs.objective(w) > 0.0 == pairs.objective(point[0]) == point[3]


@pytest.mark.parametrize("name", MODELS)
def test_equal_weights_are_none_and_others_have_a_unit(name):
    """Weights of 1 change no bit; twice the weights is twice the penalty."""
    model = MODELS[name]
    plain = model.set_params(penalty_weights=None).fit(X, Y).coef_.copy()
    assert np.array_equal(model.set_params(penalty_weights=np.ones(4)).fit(X, Y).coef_, plain)
    doubled_objective = model.set_params(penalty_weights=2 * WEIGHTS).fit(X, Y).certificate_.objective
    regularisation = "C" if "C" in model.get_params() else "alpha"
    value, factor = getattr(model, regularisation), 0.5 if regularisation == "C" else 2.0
    model.set_params(penalty_weights=WEIGHTS, **{regularisation: factor * value})
    unit = 2.0 if regularisation == "C" else 1.0  # C multiplies the loss
    assert unit * model.fit(X, Y).certificate_.objective == pytest.approx(doubled_objective, rel=2e-8)
    model.set_params(penalty_weights=None, **{regularisation: value})


@pytest.mark.parametrize(
    "model",
    [
        InfinitePush("l1", 0.05, solver="admm"),
        InfinitePush("l2", 0.05, solver="dual"),
        TopPush(0.05, solver="dual"),
        RankSVM("l1", 1.0, solver="fista"),
    ],
    ids=str,
)
def test_positive_weights_are_a_scaling_for_every_solver(model):
    weights = np.array([4.0, 2.0, 1.0, 0.5])
    scale = weights if getattr(model, "penalty", "l2") == "l1" else np.sqrt(weights)
    coef = model.set_params(penalty_weights=weights).fit(X, Y).coef_.copy()
    assert coef == pytest.approx(model.set_params(penalty_weights=None).fit(X / scale, Y).coef_ / scale)


@pytest.mark.parametrize("name", MODELS)
def test_free_features_that_separate_the_classes_leave_nothing_to_others(name):
    """The minimum is attained: an objective of exactly 0, certified, and all penalised weights 0."""
    separated = np.column_stack([np.where(Y > 0, 2.0, -1.0) + 0.01 * X[:, 0], X])
    model = MODELS[name].set_params(penalty_weights=[0.0, 1.0, 1.0, 2.0, 1.0]).fit(separated, Y)
    certificate = model.certificate_
    assert (certificate.status, certificate.objective, certificate.lower_bound) == ("certified", 0.0, 0.0)
    assert model.coef_[0] > 0.0 and not model.coef_[1:].any()
    end = model.C_zero_max if name.startswith("pairs") else getattr(model, "alpha_max", None)
    if name != "top":
        assert end(separated, Y) == (np.inf if name.startswith("pairs") else 0.0)
    model.set_params(penalty_weights=None)


@pytest.mark.filterwarnings("ignore:w = 0 is")
@pytest.mark.parametrize("depth", [1.0, 2.5, 0.4])
@pytest.mark.parametrize("name", ["l1", "elasticnet"])
def test_alpha_max_is_where_the_penalised_weights_stop_being_0(name, depth):
    ratio = 0.6 if name == "elasticnet" else None
    model = InfinitePush(name, l1_ratio=ratio, depth=depth, penalty_weights=WEIGHTS)
    largest = model.alpha_max(X, Y)
    assert model.set_params(alpha=0.999 * largest).fit(X, Y).coef_[1:].any()
    assert not model.set_params(alpha=largest * (1 + 1e-6)).fit(X, Y).coef_[1:].any()


@pytest.mark.parametrize("name", ["pairs-l1", "pairs-elasticnet"])
def test_C_zero_max_is_where_the_penalised_weights_stop_being_0(name):
    model = RankSVM(MODELS[name].penalty, penalty_weights=WEIGHTS)
    smallest = model.C_zero_max(X, Y)
    coef = model.set_params(C=smallest * (1 - 1e-6)).fit(X, Y).coef_
    assert not coef[1:].any() and coef[0] != 0.0
    assert model.set_params(C=1.01 * smallest).fit(X, Y).coef_[1:].any()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("is_wide", [False, True], ids=["narrow", "wide"])
def test_sparse_rows_and_wide_ones(name, is_wide):
    random = np.random.default_rng(0)
    rows = sp.random_array((60, 150 if is_wide else 12), density=0.2, rng=random, format="csr")
    y, weights = np.asarray(rows[:, :6].sum(axis=1)).ravel() > 0.5, np.ones(rows.shape[1])
    weights[[2, 5]], weights[3] = 0.0, 2.0
    model = MODELS[name].set_params(penalty_weights=weights)
    dense = model.fit(rows.toarray(), y).certificate_
    sparse = model.fit(rows, y).certificate_
    assert dense.status == sparse.status == "certified"
    assert sparse.objective == pytest.approx(dense.objective, rel=2e-8, abs=1e-13)
    model.set_params(penalty_weights=None)


@pytest.mark.parametrize("name", MODELS)
def test_offsets_and_units_of_free_features_do_not_matter(name):
    model = MODELS[name].set_params(penalty_weights=WEIGHTS)
    optimum, moved = model.fit(X, Y).certificate_.objective, X.copy()
    moved[:, 0] = 1e6 + 1e3 * X[:, 0]
    assert model.fit(moved, Y).certificate_.objective == pytest.approx(optimum, rel=1e-6)
    assert model.certificate_.status == "certified"
    model.set_params(penalty_weights=None)


@pytest.mark.parametrize("name", MODELS)
def test_a_constant_free_feature_changes_nothing_and_has_no_weight(name):
    random = np.random.default_rng(0)
    rows, qid = random.normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    y = (rows[:, 0] + 0.5 * random.normal(size=30) > 0).astype(int)
    model, fits = clone(MODELS[name]).set_params(penalty_weights=[1, 1, 0]), []
    for value in (0.0, 0.1, 0.3, 0.7, 1.1):
        rows[:, 2] = value * (1 + qid) if name.startswith("pairs") else value
        data = (rows, y, qid) if name.startswith("pairs") else (rows, y)
        coef = model.fit(*data).coef_
        assert model.certificate_.status == "certified" and coef[2] == 0.0
        fits.append([*coef, getattr(model, "C_zero_max" if len(data) == 3 else "alpha_max")(*data)])
    assert fits == pytest.approx(np.tile(fits[0], (5, 1)), rel=1e-6)


def test_bounds_of_free_features_are_raised_where_the_weights_need_it(monkeypatch):
    monkeypatch.setattr(unpenalised, "FREE_MARGINS_MAX", 1e-3)
    for name in ("l1", "top", "pairs-l2"):
        model = MODELS[name].set_params(penalty_weights=WEIGHTS)
        assert model.fit(X, Y).certificate_.status == "certified"
        model.set_params(penalty_weights=None)


def test_searches_paths_warm_starts_callbacks_and_export():
    for model, search in (
        (InfinitePush(penalty_weights=WEIGHTS), InfinitePushCV(alphas=3, cv=2)),
        (TopPush(penalty_weights=WEIGHTS, depth=0.2), TopPushCV(alphas=3, cv=2)),
        (RankSVM(penalty_weights=WEIGHTS), RankSVMCV(Cs=3, cv=2)),
    ):
        assert search.set_params(estimator=model).fit(X, Y).certificate_.status == "certified"
        steps = []
        model.set_params(warm_start=True, callback=steps.append).fit(X, Y)
        model.fit(X, Y)
        assert model.certificate_.status == "certified" and steps[-1].w.shape == (4,)
        statuses = {c.status for c in path(model.set_params(callback=None), X, Y, values=3).certificates}
        assert statuses == {"certified"}
        assert from_json(to_json(model)).parameters["penalty_weights"] == WEIGHTS.tolist()


BAD_WEIGHTS = {
    "negative": ([1.0, -1.0, 1.0, 1.0], "finite and not negative"),
    "not a number": ([1.0, np.nan, 1.0, 1.0], "finite and not negative"),
    "infinite": ([1.0, np.inf, 1.0, 1.0], "finite and not negative"),
    "too few": ([1.0, 1.0], r"an entry for each of the 4 features; got shape \(2,\)"),
    "a number": (2.0, r"an entry for each of the 4 features; got shape \(\)"),
    "text": (["a"] * 4, "penalty_weights must be numbers"),
    "all zero": (np.zeros(4), "penalty_weights are all 0"),
}


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
@pytest.mark.parametrize("name", ["l1", "top", "pairs-l2"])
def test_bad_weights(name, kind):
    weights, message = BAD_WEIGHTS[kind]
    with raises_one_sentence(message):
        MODELS[name].__class__(penalty_weights=weights).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        RankSVM("mcp"),
        RankSVM("adaptive-l1"),
        RankSVM(GroupL2([0, 0, 1, 1])),
        InfinitePush(GroupL2([0, 0, 1, 1])),
    ],
    ids=str,
)
def test_a_penalty_without_weights(model):
    with raises_one_sentence("penalty_weights go with the penalties 'l1', 'l2' and 'elasticnet'"):
        model.set_params(penalty_weights=WEIGHTS).fit(X, Y)
    end = getattr(model, "alpha_max", None) or model.C_zero_max
    with raises_one_sentence("penalty_weights go with the penalties"):
        end(X, Y)


@pytest.mark.parametrize("model", [InfinitePush(solver="admm"), TopPush(solver="dual")], ids=str)
def test_a_published_algorithm_penalises_every_feature(model):
    with raises_one_sentence("published algorithm that penalises every feature"):
        model.set_params(penalty_weights=WEIGHTS).fit(X, Y)
