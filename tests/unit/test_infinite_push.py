"""The infinite push estimator: every solver and penalty, odd data; recursive elimination by hand."""

import itertools

import cached_optima as references
import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, stack_classes, to_format
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.papers.rakotomamonjy2012.toy.generate import make_toy
from toprank import GroupL2, InfinitePush, make_ranking_scorer
from toprank.estimators.rfe import RFEInfinitePush
from toprank.metrics import rate_at_top
from toprank.problems.push import PushRanking

X, Y = stack_classes(*gaussians())
WIDE_CLASSES = gaussians(m=10, n=14, d=60, shift=4.0)
PENALTIES = tuple(InfinitePush.CHOICES["penalty"])
PAIRED_SOLVERS = [*itertools.product([name for name in InfinitePush.SOLVERS if name != "dual"], PENALTIES)]
PAIRED_SOLVERS += [("dual", "l2")]


def norm(penalty, groups):
    """Return the penalty of a name; the groups are those of the group norm."""
    return GroupL2(groups) if penalty == "group" else penalty


@pytest.mark.parametrize(("solver", "penalty"), PAIRED_SOLVERS)
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
    model = InfinitePush(penalty, 0.1, solver=solver).fit(*stack_classes(*WIDE_CLASSES))
    reference, _ = references.infinite_push(*WIDE_CLASSES, 0.1, penalty)
    assert model.coef_.shape == (60,)
    assert model.certificate_.objective == pytest.approx(reference, rel=1e-5)
    problem = PushRanking.from_classes(*WIDE_CLASSES, 0.1, InfinitePush.CHOICES["penalty"][penalty]())
    assert problem.objective(model.coef_) == pytest.approx(model.certificate_.objective, rel=1e-9)


def test_at_work_with_scikit_learn():
    """A pipeline in a grid search, and the two ways to select features."""
    data, labels = stack_classes(*counts(m=60, n=80))
    model, grid = (
        make_pipeline(StandardScaler(), InfinitePush()),
        {"infinitepush__alpha": [0.001, 0.01, 0.05]},
    )
    options = {"scoring": make_ranking_scorer("rate_at_top"), "cv": ShuffleSplit(3, random_state=0)}
    search = GridSearchCV(model, grid, **options).fit(data, labels)
    assert search.best_params_["infinitepush__alpha"] in (0.001, 0.01, 0.05)
    support = RFE(InfinitePush("l2", 0.1), n_features_to_select=4).fit(data, labels).support_
    assert support.sum() == 4
    assert 1 <= SelectFromModel(InfinitePush(alpha=0.02)).fit(data, labels).get_support().sum() <= 12


@pytest.mark.parametrize(("solver", "penalty"), PAIRED_SOLVERS)
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
    doubled = InfinitePush(norm(penalty, groups), **options).fit(np.vstack([X, X]), np.append(Y, Y))
    assert doubled.certificate_.objective == pytest.approx(once.certificate_.objective, rel=3e-4)
    constant = np.insert(X, 0, 5.0, axis=1)
    model = InfinitePush(norm(penalty, [2, *groups]), **options).fit(constant, Y)
    assert model.certificate_.objective == pytest.approx(once.certificate_.objective, rel=3e-4)
    assert abs(model.coef_[0]) <= 1e-6


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


# --- recursive elimination

SIX_ROWS, SIX_LABELS = stack_classes(*gaussians(m=25, n=35, d=6))


def eliminated(X, y, alpha):
    """Features in the order in which they are dropped, one at a time."""
    remaining, dropped = list(range(X.shape[1])), []
    while len(remaining) > 1:
        weights = np.abs(InfinitePush("l2", alpha).fit(X[:, remaining], y).coef_)
        dropped.append(remaining.pop(int(weights.argmin())))
    return [*dropped, *remaining]


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("n_features", [1, 3, 6, 9])
def test_elimination_by_hand(kind, n_features):
    order = eliminated(SIX_ROWS, SIX_LABELS, 0.1)
    model = RFEInfinitePush(n_features, 0.1).fit(*to_format(kind, SIX_ROWS), SIX_LABELS)
    remaining = sorted(order[-n_features:])
    assert np.flatnonzero(model.coef_).tolist() == remaining
    alone = InfinitePush("l2", 0.1).fit(SIX_ROWS[:, remaining], SIX_LABELS)
    np.testing.assert_allclose(model.coef_[remaining], alone.coef_, rtol=1e-6)
    assert model.certificate_.relative_gap <= 1e-8
    np.testing.assert_allclose(model.decision_function(SIX_ROWS), SIX_ROWS @ model.coef_)


def test_a_warm_start_eliminates_once_and_changes_nothing():
    warm = RFEInfinitePush(alpha=0.1, warm_start=True)
    for n_features in (5, 2, 4):
        warm.set_params(n_features=n_features).fit(SIX_ROWS, SIX_LABELS)
        cold = RFEInfinitePush(n_features, 0.1).fit(SIX_ROWS, SIX_LABELS)
        np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-6)
        if n_features == 5:
            first = warm.ranking_
        assert warm.ranking_ is first
    assert sorted(first) == [1, 2, 3, 4, 5, 6]


def test_elimination_at_a_depth():
    """The fits and the scale of alpha are those at the depth."""
    model = RFEInfinitePush(2, 0.1, depth=0.5).fit(SIX_ROWS, SIX_LABELS)
    remaining = np.flatnonzero(model.coef_)
    alone = InfinitePush("l2", 0.1, depth=0.5).fit(SIX_ROWS[:, remaining], SIX_LABELS)
    np.testing.assert_allclose(model.coef_[remaining], alone.coef_, rtol=1e-6)
    assert model.depth_ == alone.depth_ == 0.5 * np.count_nonzero(np.asarray(SIX_LABELS) <= 0)
    scale = InfinitePush("l2", depth=0.5).alpha_max(SIX_ROWS, SIX_LABELS)
    assert model.alpha_max(SIX_ROWS, SIX_LABELS) == scale
    warm = RFEInfinitePush(2, 0.1, warm_start=True).fit(SIX_ROWS, SIX_LABELS).set_params(depth=0.5)
    np.testing.assert_allclose(warm.fit(SIX_ROWS, SIX_LABELS).coef_, model.coef_, rtol=1e-6)


def test_the_relevant_features_of_the_toy_problem_are_left():
    toy = make_toy(200, 20, seed=3)
    model = RFEInfinitePush(10, 0.05).fit(toy.X_train, toy.y_train)
    assert np.count_nonzero(model.coef_[toy.relevant]) >= 8
