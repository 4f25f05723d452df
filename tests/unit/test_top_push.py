"""The estimator: scikit-learn's conventions, every solver, wide data, and a sentence for bad input."""

import cached_optima as references
import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import counts, gaussians, raises_one_sentence, solver_of, stack_classes
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from toprank import FISTA, A2DM2Restart, DualGradient, TopPush
from toprank.estimators.rotation import rotate_if_wide
from toprank.metrics import rate_at_top
from toprank.problems.top import TopRanking

X, Y = stack_classes(*gaussians())
WIDE_CLASSES = gaussians(m=10, n=14, d=60, shift=4.0)


def test_the_options_of_a_solver_survive_a_clone_and_are_searched():
    options = {"rho": 0.2, "lambda1": 0.3, "lambda2": 0.4, "eta": 0.5}
    model = TopPush(solver=A2DM2Restart(**options))
    params = clone(model).get_params()
    assert {name: params[f"solver__{name}"] for name in options} == options
    assert "A2DM2Restart(rho=0.2" in repr(model)
    named = TopPush(solver="a2dm2-restart").set_params(solver__eta=0.5)
    assert named.solver.eta == 0.5 and named.solver.rho == 0.1
    with pytest.raises(ValueError, match=r"^Exact has no parameter 'rho'; it has rows_per_step$"):
        TopPush().set_params(solver__rho=0.1)
    grid = {"solver__rho": [0.01, 0.1], "alpha": [0.1]}
    search = GridSearchCV(TopPush(solver="admm", max_iter=50), grid, cv=2, scoring="roc_auc").fit(X, Y)
    assert search.best_estimator_.solver.rho in (0.01, 0.1)


@pytest.mark.parametrize("solver", TopPush.SOLVERS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, list])
def test_every_solver_takes_every_kind_of_matrix(solver, kind):
    data = X.tolist() if kind is list else kind(X)
    model = TopPush(alpha=0.1, solver=solver_of(solver, rho=0.01), max_iter=300).fit(data, Y)
    assert model.coef_.shape == (4,) and model.n_features_in_ == 4 and 1 <= model.n_iter_ <= 300
    scores = model.decision_function(data)
    np.testing.assert_allclose(scores, X @ model.coef_, atol=1e-12)
    assert scores.shape == Y.shape and rate_at_top(Y, scores) > 0.3
    objective = TopRanking.from_labels(X, Y, 0.1).objective(model.coef_)
    assert model.certificate_.objective == pytest.approx(objective, rel=1e-10)
    assert model.certificate_.gap >= 0
    expected = TopPush(alpha=0.1, solver=solver_of(solver, rho=0.01), max_iter=300).fit(X, Y).coef_
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-8)


def test_single_precision_is_computed_in_double():
    single = X.astype(np.float32)
    model = TopPush(alpha=0.1).fit(single, Y)
    assert model.coef_.dtype == np.float64
    expected = TopPush(alpha=0.1).fit(single.astype(float), Y).coef_
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-9)
    scores = model.decision_function(single)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, single.astype(float) @ model.coef_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("labels", [(-1, 1), (2, 4), (False, True), (-4.0, -2.5)])
def test_the_larger_label_is_positive(labels):
    y = np.where(Y == 1, labels[1], labels[0])
    np.testing.assert_array_equal(TopPush().fit(X, y).coef_, TopPush().fit(X, Y).coef_)


def test_grades_are_positive_above_zero():
    grades = np.where(Y == 1, np.arange(Y.size) % 3 + 1, 0)
    np.testing.assert_array_equal(TopPush().fit(X, grades).coef_, TopPush().fit(X, Y).coef_)


def test_one_list_of_whatever_name():
    expected = TopPush().fit(X, Y).coef_
    np.testing.assert_array_equal(TopPush().fit(X, Y, qid=["query 7"] * Y.size).coef_, expected)
    np.testing.assert_array_equal(TopPush().fit(X, Y, qid=np.zeros(Y.size)).coef_, expected)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_more_features_than_rows(kind, alpha):
    reference, reference_w = references.top_ranking(*WIDE_CLASSES, alpha)
    data, y = stack_classes(*WIDE_CLASSES)
    model = TopPush(alpha=alpha, tol=1e-10).fit(kind(data), y)
    assert model.coef_.shape == (60,) and model.n_features_in_ == 60
    assert model.certificate_.objective == pytest.approx(reference, rel=1e-7)
    assert TopRanking(*WIDE_CLASSES, alpha).objective(model.coef_) == pytest.approx(reference, rel=1e-7)
    np.testing.assert_allclose(model.coef_, reference_w, atol=1e-4)


@pytest.mark.parametrize("solver", TopPush.SOLVERS)
def test_the_rotation_changes_no_iterate(solver):
    """All solvers stay in the span of the rows, so the rotation of wide data is not seen."""
    data, y = stack_classes(*WIDE_CLASSES)
    rotated, basis = rotate_if_wide(data)
    columns = np.column_stack([basis @ unit for unit in np.eye(24)])
    assert rotated.shape == (24, 24) and columns.shape == (60, 24)
    np.testing.assert_allclose(rotated @ columns.T, data, atol=1e-12)
    np.testing.assert_allclose(columns.T @ columns, np.eye(24), atol=1e-12)
    np.testing.assert_allclose(basis.T @ data[0], rotated[0], atol=1e-12)
    padded = np.vstack([data, np.repeat(data[y == 0][:1], 40, axis=0)])  # a negative again and again
    labels = np.append(y, np.zeros(40))
    assert rotate_if_wide(padded)[1] is None
    if solver in ("exact", "dual"):
        options = {"solver": solver, "alpha": 0.1, "tol": 1e-8}
        narrow, tall = TopPush(**options).fit(data, y), TopPush(**options).fit(padded, labels)
        np.testing.assert_allclose(narrow.coef_, tall.coef_, atol=1e-3)
    else:
        from toprank.solvers import admm

        narrow = TopPush(solver=solver, alpha=0.1, max_iter=50).fit(data, y)
        w, _, _ = admm.solve(TopRanking.from_labels(data, y, 0.1), method=admm.METHODS[solver](), max_iter=50)
        np.testing.assert_allclose(narrow.coef_, w, atol=1e-8)


def test_solvers_and_stopping_rules_reach_the_certificate():
    data, y = stack_classes(*counts())
    optimum = TopPush(alpha=0.01, tol=1e-9).fit(data, y).certificate_
    assert optimum.status == "certified" and optimum.relative_gap <= 1e-9
    by_gap = TopPush(alpha=0.01, solver="dual", tol=1e-4).fit(data, y).certificate_
    assert by_gap.status == "certified" and by_gap.relative_gap <= 1e-4
    published = TopPush(alpha=0.01, solver=DualGradient(stop="published")).fit(data, y).certificate_
    assert published.status == "stopped" and published.relative_gap > 1e-3
    stopped = TopPush(alpha=0.01, solver="dual", max_iter=3).fit(data, y)
    assert stopped.certificate_.status == "max_iterations" and stopped.n_iter_ == 3
    late = TopPush(alpha=0.01, solver="dual", time_limit=1e-9).fit(data, y)
    assert late.certificate_.status == "time_limit"
    for certificate in (by_gap, published, stopped.certificate_, late.certificate_):
        assert certificate.lower_bound <= optimum.objective * (1 + 1e-8)
        assert certificate.objective >= optimum.lower_bound * (1 - 1e-8)


def with_entry(value):
    data = X.copy()
    data[3, 1] = value
    return data


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "Input X contains NaN"), (-np.inf, "Input X contains infinity")]
)
def test_features_that_are_not_finite(kind, value, message):
    data = kind(with_entry(value))
    with raises_one_sentence(message):
        TopPush().fit(data, Y)
    with raises_one_sentence(message):
        TopPush().fit(X, Y).decision_function(data)


@pytest.mark.parametrize(
    ("data", "y", "qid", "message"),
    [
        (X, np.where(Y == 1, np.nan, 0), None, "Input y contains NaN"),
        (X, np.where(Y == 1, np.inf, 0), None, "Input y contains infinity"),
        (X, None, None, "requires y to be passed, but the target y is None"),
        (X, np.ones(Y.size), None, r"a positive and a negative row, but y has one class only \(\[1.0\]\)"),
        (X, np.zeros(Y.size), None, "y has one class only"),
        (X, Y[:-1], None, r"inconsistent numbers of samples: \[50, 49\]"),
        (X, np.column_stack([Y, Y]), None, r"y should be a 1d array, got an array of shape \(50, 2\)"),
        (X[:0], Y[:0], None, r"Found array with 0 sample\(s\)"),
        (X[:, :0], Y, None, r"Found array with 0 feature\(s\)"),
        (
            X,
            Y,
            np.arange(Y.size) // 25,
            "TopPush ranks a single list, but qid names 2; fit one model per query",
        ),
        (X, Y, Y[:-1], r"got shape \(49,\)"),
    ],
)
def test_bad_data(data, y, qid, message):
    with raises_one_sentence(message):
        TopPush().fit(data, y, qid=qid)


@pytest.mark.parametrize(
    "name",
    ["alpha", "tol", "max_iter", "time_limit"]
    + [f"solver__{name}" for name in A2DM2Restart().get_params() if name != "stop"],
)
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "1"])
def test_parameters_that_are_no_positive_number(name, value):
    own = name.removeprefix("solver__")
    with pytest.raises(ValueError, match=f"^{own} must be a positive number( or 'auto')?; got {value!r}$"):
        TopPush(solver="a2dm2-restart").set_params(**{name: value}).fit(X, Y)


SOLVER_NAMES = "exact, dual, admm, a2dm2, a2dm2-restart"
NEVER = DualGradient(stop="never")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": None}, "^alpha must be a positive number or 'auto'; got None$"),
        ({"solver": A2DM2Restart(eta=1.0)}, "^eta must lie strictly between 0 and 1; got 1.0$"),
        ({"max_iter": 2.5}, "^max_iter must be a whole number; got 2.5$"),
        ({"solver": "exakt"}, f"^unknown solver 'exakt'; TopPush offers {SOLVER_NAMES}$"),
        ({"solver": NEVER}, "^unknown stop 'never'; DualGradient offers gap, published$"),
        ({"solver": FISTA()}, r"^TopPush cannot use FISTA\(.*\) as its solver; take one of 'exact', .*$"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        TopPush(**parameters).fit(X, Y)


def test_a_constant_feature_and_equal_rows_are_no_trouble():
    data = np.column_stack([X, np.full(Y.size, 3.0)])
    model = TopPush(alpha=0.1).fit(data, Y)
    assert abs(model.coef_[4]) <= 1e-12
    np.testing.assert_allclose(model.coef_[:4], TopPush(alpha=0.1).fit(X, Y).coef_, atol=1e-4)
    for solver in TopPush.SOLVERS:
        model = TopPush(solver=solver).fit(np.ones((6, 2)), [1, 0, 1, 0, 1, 0])
        assert model.certificate_.objective == pytest.approx(1.0, abs=0.2)
        assert np.ptp(model.decision_function(np.ones((6, 2)))) == 0


@pytest.mark.parametrize(("seed", "depth"), [(68, 0.05), (123, 0.1), (232, 0.1), (248, 0.01), (257, 0.05)])
def test_weights_of_the_size_of_rounding_errors_are_0(seed, depth):
    rng = np.random.default_rng(seed)
    n, m, d = rng.integers(50, 400), rng.integers(3, 40), rng.integers(1, 10)
    negatives, positives = rng.normal(size=(n, d)), rng.normal(size=(m, d)) + rng.uniform(0, 1)
    with pytest.warns(match="w = 0 is optimal"):
        model = TopPush(alpha=0.01, depth=depth).fit(
            np.vstack([positives, negatives]), np.repeat([1, 0], [m, n])
        )
    assert not model.coef_.any() and model.certificate_.status == "certified"
    assert model.certificate_.objective == 1.0
