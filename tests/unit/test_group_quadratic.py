"""RankSVM under a group norm: the model of a Newton step, on wide data and where it is singular."""

import cvxpy as cp
import numpy as np
import pytest

from toprank import GroupL2, RankSVM
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import fista, group_quadratic, prox_newton

#: Rows, features, size of a group, and the correlation of the features of a group.
WIDE_CASES = [(36, 108, 2, 0.0), (36, 108, 2, 0.9), (24, 120, 10, 0.9), (24, 96, 1, 0.0)]

#: Newton steps on a support that no problem here needs.
MAX_ROUNDS = 800


def draw_wide(n, d, size, correlation, seed=0):
    """Grades that depend on four groups of features."""
    random = np.random.default_rng(seed)
    groups = np.arange(d) // size
    common = random.normal(size=(n, groups.max() + 1))[:, groups]
    X = np.sqrt(1.0 - correlation) * random.normal(size=(n, d)) + np.sqrt(correlation) * common
    scores = X @ np.where(groups < 4, random.normal(size=d), 0.0)
    return X, np.digitize(scores / scores.std() + 0.5 * random.normal(size=n), [-0.5, 0.8]), groups


def problem_at(times, X, y, groups, qid=None):
    """The problem at so many times the C where w leaves 0."""
    problem = PairwiseRanking.from_data(X, y.astype(float), qid, 1.0, GroupL2(groups))
    return problem.with_alpha(problem.lambda_max() / times)


@pytest.fixture
def rounds(monkeypatch):
    """One entry for each factorisation, that is for each Newton step on a support; a limit."""
    rounds, factored = [], group_quadratic.factorise_with_jitter

    def count_products(matrix, **options):
        rounds.append(len(matrix))
        assert len(rounds) <= MAX_ROUNDS  # at once: a wrong step could take minutes
        return factored(matrix, **options)

    monkeypatch.setattr(group_quadratic, "factorise_with_jitter", count_products)
    return rounds


@pytest.mark.parametrize("times", [10, 1000])
@pytest.mark.parametrize("shape", WIDE_CASES, ids=str)
def test_wide_data_take_few_steps(shape, times, rounds):
    problem = problem_at(times, *draw_wide(*shape))
    _, certificate, n_iter = prox_newton.solve(problem)
    assert certificate.status == "certified" and n_iter <= 20 and len(rounds) <= 120
    other = fista.solve(problem).certificate
    assert other.status == "certified"
    assert certificate.objective == pytest.approx(other.objective, rel=2e-8)


@pytest.mark.usefixtures("rounds")
def test_more_active_groups_than_the_rank_of_the_hessian():
    """Steps are then endless along directions in which no norm curves, unless the jitter grows."""
    random = np.random.default_rng(5)
    common = random.normal(size=(60, 3))
    X = common @ random.normal(size=(3, 120)) + 1e-3 * random.normal(size=(60, 120))
    y = np.digitize(common.sum(axis=1) + 0.5 * random.normal(size=60), [-0.5, 0.8])
    _, certificate, _ = prox_newton.solve(problem_at(1e5, X, y, np.arange(120) // 4), max_iter=40)
    assert certificate.status == "certified"


def test_the_model_of_a_newton_step_is_that_of_a_conic_solver():
    """Groups of several sizes with interleaved features, twins, and groups without curvature."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(6, 14))
    rows[:, 7] = rows[:, 0]
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 0, 1, 3, 3, 3, 4, 5])
    rows[:, groups >= 4] = 0.0
    hessian, linear = rows.T @ rows, 3.0 * rows.T @ random.normal(size=6)
    penalty, start = GroupL2(groups), random.normal(size=14)
    z = group_quadratic.minimise_groups(hessian, linear, penalty, 0.7, start, 1e-10)
    assert penalty.violation(z, hessian @ z + linear, 0.7).max() <= 1e-9
    assert z.any() and not z[groups >= 4].any()
    w = cp.Variable(14)
    norms = sum(cp.norm(w[np.flatnonzero(groups == g)]) for g in range(6))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(rows @ w) / 2 + linear @ w + 0.7 * norms))
    value = z @ hessian @ z / 2 + linear @ z + 0.7 * penalty.value(z)
    assert value == pytest.approx(problem.solve(solver=cp.CLARABEL), abs=1e-6)


def test_a_model_of_few_groups_ends_at_the_same_optimum(monkeypatch):
    X, y, groups = draw_wide(36, 108, 3, 0.5)
    qid = np.arange(36) % 3
    model = RankSVM(GroupL2(groups), C=50.0 * RankSVM(GroupL2(groups)).C_zero_max(X, y, qid))
    certificate_of_all = model.fit(X, y, qid).certificate_
    monkeypatch.setattr(prox_newton, "WORKING_SET_MIN", 2)
    certificate_of_groups = model.fit(X, y, qid).certificate_
    assert certificate_of_groups.status == certificate_of_all.status == "certified"
    assert certificate_of_groups.objective == pytest.approx(certificate_of_all.objective, rel=1e-9)
