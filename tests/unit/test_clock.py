"""Limits of time: how often the clock is asked, what is not begun, and what comes back then."""

import warnings
from itertools import count

import numpy as np
import pytest
from ranking_data import SINGLE_LINE, gaussians, stack_classes
from sklearn.exceptions import ConvergenceWarning
from test_pairwise import DATA
from test_solvers import SOLVERS, run

from toprank import FISTA, FSMRank, GroupL2, InfinitePush, RankSVM, TopPush, clock
from toprank.clock import Clock, OutOfTime
from toprank.penalties import L1
from toprank.problems import pairwise_loss
from toprank.problems.conjugate_gradients import solve_positive_definite
from toprank.problems.push import PushRanking
from toprank.solvers import push_admm, quadratic
from toprank.solvers.regularisation_max import lambda_max


@pytest.fixture
def now(monkeypatch):
    """A time that only the test moves."""
    time = [0.0]
    monkeypatch.setattr(clock, "perf_counter", lambda: time[0])
    return time


@pytest.fixture
def slow_clock(monkeypatch):
    """A machine on which no factorisation can be afforded, however long the limit is."""
    monkeypatch.setattr(clock, "FREE_OPERATIONS", 0.0)
    monkeypatch.setattr(Clock, "_speed", 1e-9)


def test_what_is_afforded_follows_the_time_that_is_left(now, monkeypatch):
    monkeypatch.setattr(Clock, "_speed", 1e9)
    watch = Clock(time_limit=10.0)
    assert watch.within_budget(9e9) and not watch.within_budget(11e9)
    now[0] = 8.0
    assert (
        watch.within_budget(1.9e9)
        and not watch.within_budget(2.1e9)
        and watch.within_budget(clock.FREE_OPERATIONS)
    )
    with pytest.raises(OutOfTime):
        watch.require_budget(9e9)
    assert Clock().within_budget(1e99)


def test_one_slow_product_does_not_make_the_machine_slow(monkeypatch):
    """The first one loads the library, and another process may take the processor during any other."""
    readings = iter([0.0, 0.0, 9.0, 9.0, 9.5, 9.5, 10.0, 10.0, 17.0, 17.0, 17.5])
    monkeypatch.setattr(clock, "perf_counter", lambda: next(readings))
    assert Clock()._speed == 2.0 * 512**3 / 0.5


@pytest.mark.parametrize("read", [1.0, 300.0])
def test_sweeps_in_portions_change_no_digit(monkeypatch, read):
    random = np.random.default_rng(1)
    rows = random.normal(size=(12, 9))
    arguments = (rows.T @ rows, random.normal(size=9), np.full(9, 0.3), np.zeros(9), 1e-10)
    expected = quadratic.minimise_l1(*arguments)
    monkeypatch.setattr(quadratic, "ENTRIES_PER_CALL", read)
    assert np.array_equal(quadratic.minimise_l1(*arguments), expected)


def test_a_kernel_returns_after_so_many_entries(now):
    swept = []

    def descend(sweeps):
        swept.append(sweeps)
        now[0] += 1.0

    quadratic.run_sweeps(descend, 20, 10_000, Clock())
    assert max(swept) * 10_000**2 <= max(quadratic.ENTRIES_PER_CALL, 10_000**2) and sum(swept) == 20
    swept.clear()
    quadratic.run_sweeps(descend, 20, 10_000, Clock(time_limit=2.5))
    assert len(swept) == 3


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_asks_within_its_steps(monkeypatch, name):
    """Each look at the clock takes a second; after the limit a solver looks only a few times more."""
    ticks = count()
    monkeypatch.setattr(clock, "perf_counter", lambda: float(next(ticks)))
    solution, _ = run(name, tol=1e-15, time_limit=30.0, callback=None)
    assert next(ticks) <= 30 + 20
    # some are at an end before
    assert solution.certificate.status in ("time_limit", "stopped", "certified", "stalled")


@pytest.mark.parametrize("name", SOLVERS)
def test_what_cannot_be_afforded_is_not_begun(slow_clock, name):
    solution, _ = run(name, tol=1e-15, max_iter=12, time_limit=1e4)
    certificate = solution.certificate
    assert np.isfinite(solution.w).all() and certificate.objective > 0.0
    if name in ("exact", "push-admm", "push-dual", "admm", "a2dm2"):
        assert certificate.status == "time_limit" and solution.n_iter <= 1 and certificate.lower_bound >= 0.0


def test_a_step_of_many_sweeps_looks_at_the_clock(monkeypatch):
    """One step of these problems would take much longer than the limit."""
    monkeypatch.setattr(quadratic, "ENTRIES_PER_CALL", 1.0)
    for penalty in (L1(), GroupL2(np.arange(60) // 6)):
        ticks = count()
        monkeypatch.setattr(clock, "perf_counter", lambda ticks=ticks: float(next(ticks)))
        problem = PushRanking(*gaussians(m=30, n=30, d=60, shift=0.1), 1e-6, penalty)
        certificate = push_admm.solve(problem, tol=1e-15, time_limit=20.0).certificate
        assert certificate.status == "time_limit" and certificate.gap >= 0.0 and next(ticks) <= 40


def test_conjugate_gradients_return_what_they_have(now):
    system = np.diag(np.arange(1.0, 40.0))
    counter = count()

    class Late(Clock):
        def is_over(self):
            return next(counter) >= 3

    approximation, exact = (
        solve_positive_definite(system, np.ones(39), 1e-12, Late())[0],
        solve_positive_definite(system, np.ones(39), 1e-12)[0],
    )
    np.testing.assert_allclose(system @ exact, 1.0)
    assert next(counter) == 4 and 0.0 < np.linalg.norm(system @ approximation - 1.0) < np.sqrt(39)


MODELS = [*(TopPush(0.1, solver=solver) for solver in ("exact", "dual", "admm")), InfinitePush("l2", 0.1)]
MODELS += [RankSVM("l2", 0.1), RankSVM("l2", 0.1, solver=FISTA())]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_wide_data_are_not_rotated_where_the_time_is_short(slow_clock, model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(time_limit=1e4).fit(*stack_classes(*gaussians(m=8, n=9, d=40)))
    assert model.coef_.shape == (40,) and np.isfinite(model.coef_).all()
    assert model.certificate_.objective >= (model.certificate_.lower_bound or 0.0)


def test_features_that_cannot_be_measured_in_time(slow_clock):
    with pytest.warns(ConvergenceWarning, match="'time_limit'.*raise time_limit"):
        model = FSMRank(time_limit=1e4).fit(*DATA["graded"])
    assert not model.coef_.any() and model.certificate_.objective == 1.0
    assert model.similarity_ is None and model.importance_ is None


def test_where_zero_ends_is_bounded_where_the_time_is_short(slow_clock):
    positives, negatives = gaussians(shift=9.0)
    X, y = stack_classes(positives, negatives)
    # HiGHS looks at the time itself
    for penalty, seconds in (("l1", 1e-9), (GroupL2(np.arange(X.shape[1]) // 2), 1e4)):
        exact = InfinitePush(penalty).alpha_max(X, y)
        with pytest.warns(ConvergenceWarning, match=SINGLE_LINE) as warning_records:
            bound = InfinitePush(penalty, time_limit=seconds).alpha_max(X, y)
        assert "InfinitePush.alpha_max returns only an upper bound" in str(warning_records[0].message)
        assert exact <= bound * (1.0 + 1e-9) < np.inf and warning_records[0].filename == __file__
    with pytest.raises(OutOfTime) as error_info:
        lambda_max(positives, negatives, clock=Clock(time_limit=1e4))
    assert error_info.value.partial_result >= lambda_max(positives, negatives)


@pytest.mark.parametrize("warm_start", [False, True])
def test_beta_max_is_bounded_where_the_time_is_short(now, monkeypatch, warm_start):
    exact = FSMRank().beta_max(*DATA["graded"])
    monkeypatch.setattr(Clock, "is_over", lambda self: self.time_limit is not None)
    model = FSMRank(time_limit=1.0, warm_start=warm_start)
    with pytest.warns(ConvergenceWarning, match=r"beta_max returns only an upper bound.*time_limit=1 "):
        assert exact <= model.beta_max(*DATA["graded"]) < np.inf


def test_a_pilot_ends_early(monkeypatch):
    monkeypatch.setattr(pairwise_loss, "DENSE_HESSIAN_MAX_D", 1)
    monkeypatch.setattr(Clock, "is_over", lambda self: self.time_limit is not None)
    with pytest.warns(ConvergenceWarning, match="'time_limit'"):
        model = RankSVM("adaptive-l1", 10.0, time_limit=1.0).fit(*DATA["graded"])
    assert np.isfinite(model.certificate_.objective) and model.n_iter_ <= 1
