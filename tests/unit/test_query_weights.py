"""RankSVM whose queries count equally: against the weighted pairs, the conic solver and repeated queries."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from memoize import memoize
from ranking_data import assert_certified
from test_pairwise import DATA, differences, documents
from test_ranksvm import CONCAVE, CONVEX

from toprank import RankSVM, path
from toprank.penalties import L1, SquaredL2
from toprank.problems.pairwise import PairwiseRanking

NAMES = ["binary", "graded", "any grade", "a query of one"]


def weigh_pairs(y, qid):
    """Weight of each row of `differences`: of P pairs of Q queries, P / (Q P_q)."""
    i = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))[0]
    _, query_of_pair, n_pairs = np.unique(qid[i], return_inverse=True, return_counts=True)
    return len(i) / (n_pairs.size * n_pairs[query_of_pair])


def build(name, kind=np.asarray, penalty=None):
    X, y, qid = DATA[name]
    problem = PairwiseRanking.from_data(kind(X), y, qid, 1.0, penalty or L1(), query_weight="equal")
    return problem, differences(X, y, qid), weigh_pairs(y, qid)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", NAMES)
def test_loss_gradient_and_hessian_are_those_of_the_weighted_pairs(name, kind, monkeypatch):
    problem, rows, weights = build(name, kind)
    assert weights.sum() == pytest.approx(len(rows))
    random = np.random.default_rng(0)
    for scale in (0.0, 0.3, 3.0):
        w = scale * random.normal(size=rows.shape[1])
        hinges, scores = np.maximum(1 - rows @ w, 0), problem.X @ w
        loss = problem.loss(scores)
        assert loss.value == pytest.approx(weights @ hinges**2)
        assert loss.hinge_sum == pytest.approx(weights @ hinges)
        expected_gradient = -2 * rows.T @ (weights * hinges)
        np.testing.assert_allclose(problem.gradient(loss), expected_gradient, rtol=1e-9, atol=1e-9)
        violated = hinges > 0
        expected_hessian = 2 * (rows[violated].T * weights[violated]) @ rows[violated]
        np.testing.assert_allclose(problem.hessian(scores, loss), expected_hessian, rtol=1e-9, atol=1e-9)
        features = np.array([3, 1])
        expected_part = expected_hessian[np.ix_(features, features)]
        np.testing.assert_allclose(problem.hessian(scores, loss, features), expected_part, atol=1e-9)
        v = random.normal(size=rows.shape[1])
        product_of_operator = problem.hessian_operator(scores, loss) @ v
        np.testing.assert_allclose(product_of_operator, expected_hessian @ v, rtol=1e-9, atol=1e-9)
    curvature = 2 * (rows.T * weights) @ rows
    assert problem.largest_curvature() == pytest.approx(np.linalg.eigvalsh(curvature)[-1])
    assert problem.curvature_trace() == pytest.approx(np.trace(curvature))
    monkeypatch.setattr("toprank.problems.pairwise_loss.DOCUMENTS_PER_CHUNK", 16)
    blocks = problem.hessian(*problem._loss_at_zero())
    np.testing.assert_allclose(blocks, curvature, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("penalty", [L1(), SquaredL2()], ids=repr)
def test_weak_duality(penalty):
    problem, rows, _ = build("graded", penalty=penalty)
    random = np.random.default_rng(1)
    for alpha, scale in product([1e-2, 1.0, 100.0], [0.0, 0.1, 1.0]):
        weighted = problem.with_alpha(alpha)
        points = scale * random.normal(size=(2, rows.shape[1]))
        loss = weighted.loss(weighted.X @ points[0])
        bound = weighted.lower_bound(loss, weighted.gradient(loss))
        assert bound <= min(weighted.objective(w) for w in points) * (1 + 1e-12)


@memoize
def conic(rows, weights, alpha, penalty):
    w = cp.Variable(rows.shape[1])
    hinges = cp.multiply(np.sqrt(weights), cp.pos(1 - rows @ w))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(hinges) + alpha * CONVEX[penalty][1](w)))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


SOLVED_CASES = [
    *product(["prox-newton"], CONVEX, NAMES, [0.5, 0.05, 1e-3]),
    *product(["prox-newton"], ["l1", "l2"], ["wide"], [1e-2]),
    *product(["fista"], CONVEX, ["graded", "a query of one"], [0.5, 0.05]),
]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("solver", "penalty", "name", "share"), SOLVED_CASES)
def test_the_optimum_is_that_of_the_weighted_pairs(solver, penalty, name, share, kind):
    X, y, qid = documents(n=25, d=60) if name == "wide" else DATA[name]
    rows, weights, (norm, value) = differences(X, y, qid), weigh_pairs(y, qid), CONVEX[penalty]
    alpha = share / RankSVM(norm, query_weight="equal").C_zero_max(X, y, qid)
    model = RankSVM(norm, 1 / alpha, solver=solver, query_weight="equal").fit(kind(X), y, qid)
    hinges = np.maximum(1 - rows @ model.coef_, 0)
    objective = weights @ hinges**2 / alpha + value(model.coef_).value
    assert model.certificate_.objective == pytest.approx(objective, rel=1e-10)
    assert_certified(model.certificate_, conic(rows, weights, alpha, penalty) / alpha)


@pytest.mark.parametrize("solver", ["prox-newton", "fista", "monotone-fista"])
@pytest.mark.parametrize("penalty", CONCAVE)
def test_a_nonconvex_penalty_ends_at_a_stationary_point_of_the_weighted_pairs(penalty, solver):
    X, y, qid = DATA["graded"]
    rows, weights, omega = differences(X, y, qid), weigh_pairs(y, qid), CONCAVE[penalty]
    C = 20 * RankSVM("l1", query_weight="equal").C_zero_max(X, y, qid)
    model = RankSVM(omega, C, solver=solver, query_weight="equal").fit(X, y, qid)
    assert model.certificate_.status == "certified" and model.coef_.any()
    gradient = -2 * C * rows.T @ (weights * np.maximum(1 - rows @ model.coef_, 0))
    used, slope = model.coef_ != 0, omega.derivative(np.abs(model.coef_))
    np.testing.assert_allclose(gradient[used], -slope[used] * np.sign(model.coef_[used]), atol=1e-5)
    assert np.all(np.abs(gradient[~used]) <= slope[~used] * (1 + 1e-5))


@pytest.mark.parametrize("penalty", ["l1", "l2", "adaptive-l1", "mcp"])
def test_queries_of_equal_size_have_the_fit_of_the_pairs(penalty):
    X, _, _ = documents(n=60)
    y, qid = np.tile([0, 0, 1, 1, 2, 2], 10), np.repeat(np.arange(10), 6)
    X[:, 0] += y
    y[54:] = 1  # a query without a pair counts for nothing
    pairs, equal = (RankSVM(penalty, 0.05, query_weight=kind).fit(X, y, qid) for kind in ("pairs", "equal"))
    assert np.array_equal(pairs.coef_, equal.coef_) and pairs.certificate_ == equal.certificate_


@pytest.mark.parametrize("penalty", ["l1", "l2", "group", "mcp"])
def test_a_query_of_half_as_many_pairs_counts_as_if_it_stood_twice(penalty):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(8, 3)), np.array([1, 0, 0, 1, 1, 0, 0, 0])
    y[3:], qid = [1, 0, 0, 0, 0], np.repeat([0, 1], [3, 5])  # 2 pairs and 4: weights 6/4 and 6/8
    X[:, 0] += 2 * y
    rows_of_both = np.append(np.arange(3), np.arange(8))
    twice_qid = np.repeat([2, 0, 1], [3, 3, 5])
    norm = CONVEX["group"][0] if penalty == "group" else penalty
    norm = norm if penalty != "group" else type(norm)([0, 0, 1])
    equal = RankSVM(norm, 1.0, query_weight="equal", tol=1e-10).fit(X, y, qid)
    pairs = RankSVM(norm, 0.75, tol=1e-10).fit(X[rows_of_both], y[rows_of_both], twice_qid)
    np.testing.assert_allclose(equal.coef_, pairs.coef_, atol=1e-7)
    assert equal.certificate_.objective == pytest.approx(pairs.certificate_.objective, rel=1e-9)
    assert np.abs(equal.coef_ - RankSVM(norm, 1.0).fit(X, y, qid).coef_).max() > 1e-3


def test_documents_that_stand_twice_change_only_the_scale_of_C():
    X, y, qid = DATA["graded"]
    doubled = np.append(np.arange(y.size), np.flatnonzero(qid == 0))
    n_pairs, n_doubled = (len(differences(X[rows], y[rows], qid[rows])) for rows in (slice(None), doubled))
    equal = RankSVM("l2", 0.1, query_weight="equal").fit(X, y, qid)
    equal_of_doubled = RankSVM("l2", 0.1 * n_pairs / n_doubled, query_weight="equal").fit(
        X[doubled], y[doubled], qid[doubled]
    )
    np.testing.assert_allclose(equal.coef_, equal_of_doubled.coef_, rtol=1e-6)


def test_a_path_starts_where_the_first_weight_leaves_0():
    X, y, qid = DATA["any grade"]
    model = RankSVM(query_weight="equal")
    C = model.C_zero_max(X, y, qid)
    gradient = differences(X, y, qid).T @ weigh_pairs(y, qid)
    assert pytest.approx(1 / C) == 2 * np.abs(gradient).max()
    assert pytest.approx(C, rel=1e-3) != RankSVM().C_zero_max(X, y, qid)
    assert model.set_params(C=1.001 * C).fit(X, y, qid).coef_.any()
    coefs = path(RankSVM(query_weight="equal"), X, y, qid, values=3).coefs
    assert coefs.shape == (3, X.shape[1]) and coefs[-1].any()


def test_an_unknown_weight_is_one_sentence():
    X, y, qid = DATA["graded"]
    for call in (RankSVM(query_weight="same").fit, RankSVM(query_weight="same").C_zero_max):
        with pytest.raises(ValueError, match="unknown query_weight 'same'; RankSVM offers pairs, equal"):
            call(X, y, qid)
