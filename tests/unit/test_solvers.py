"""The contract of all solvers: what goes in, what a callback sees, how a run ends, what comes out."""

from functools import partial
from inspect import signature
from time import sleep

import numpy as np
import pytest
from ranking_data import gaussians
from test_pairwise import DATA, build

from toprank import clock as clock_module
from toprank.certificate import STATUSES
from toprank.penalties import L1, MCP, SquaredL2
from toprank.problems.feature_selection import FeatureSelectionRanking
from toprank.problems.push import PushRanking
from toprank.problems.top import TopRanking
from toprank.solvers import (
    admm,
    dual_gradient,
    fista,
    frank_wolfe,
    monotone_fista,
    nesterov,
    prox_newton,
    push_admm,
    push_dual,
    push_exact,
    reweighted_l1,
    row_generation,
)
from toprank.solvers.monitor import BoundError, Monitor
from toprank.solvers.solver_specs import PairADMM

PAIRS, _ = build("graded")
PAIRS = PAIRS.with_alpha(0.1 * PAIRS.lambda_max())
TOP, PUSH = TopRanking(*gaussians(), 0.01), PushRanking(*gaussians(), 0.05, L1())
RIDGE = PushRanking(*gaussians(), 0.05, SquaredL2())
FEATURES = FeatureSelectionRanking.from_data(*DATA["graded"], 0.01, 0.01, "map")

#: name -> solver with its own options, and problem
SOLVERS = {
    "prox-newton": (prox_newton.solve, PAIRS),
    "fista": (fista.solve, PAIRS),
    "monotone-fista": (monotone_fista.solve, PAIRS.with_penalty(MCP())),
    "reweighted": (partial(reweighted_l1.solve, inner=prox_newton.solve), PAIRS.with_penalty(MCP())),
    "frank-wolfe": (partial(frank_wolfe.solve, radius=3.0), PAIRS),
    "nesterov": (nesterov.solve, FEATURES),
    "exact": (row_generation.solve, TOP),
    "push-exact": (push_exact.solve, PUSH),
    "push-admm": (push_admm.solve, PUSH),
    "push-admm-loops": (partial(push_admm.solve, method=PairADMM("douglas-rachford"), prox_tol=1e-3), PUSH),
    "push-dual": (push_dual.solve, RIDGE),
    "dual-published": (dual_gradient.solve, TOP),
    "dual-gap": (partial(dual_gradient.solve, stop="gap"), TOP),
    **{name: (partial(admm.solve, method=method()), TOP) for name, method in admm.METHODS.items()},
}
SPLITTINGS = ("admm", "a2dm2", "a2dm2-restart")
COMMON = ["problem", "tol", "max_iter", "time_limit", "callback", "start"]
each_solver = pytest.mark.parametrize("name", SOLVERS)


def run(name, **options):
    """Run a solver, and return its solution and the steps that it showed."""
    solve, problem = SOLVERS[name]
    steps = []
    return solve(problem, **{"callback": steps.append, **options}), steps


@each_solver
def test_one_signature(name):
    solve, _ = SOLVERS[name]
    function = getattr(solve, "func", solve)
    parameters = signature(function).parameters
    assert list(parameters)[: len(COMMON)] == COMMON
    assert all(parameters[other].kind is parameters[other].KEYWORD_ONLY for other in list(parameters)[1:])


@each_solver
def test_what_a_callback_sees(name):
    _, problem = SOLVERS[name]
    solution, steps = run(name, max_iter=60)
    w, certificate, n_iter = solution
    assert certificate.status in STATUSES and n_iter >= 1
    assert np.all(np.diff([step.iteration for step in steps]) > 0) and steps[-1].iteration <= n_iter
    assert np.all(np.diff([step.seconds for step in steps]) >= 0) and steps[0].seconds >= 0
    for step in steps:
        assert step.w.shape == w.shape
        if name != "frank-wolfe":  # its objective is that of the ball
            assert step.objective == pytest.approx(problem.objective(step.w), rel=1e-9)
    bounds = [step.lower_bound for step in steps if step.lower_bound is not None]
    assert bounds == sorted(bounds)
    if bounds:
        lowest = min(step.objective for step in steps)
        assert max(bounds) <= lowest * (1 + 1e-9)
        assert certificate.lower_bound >= max(bounds) * (1 - 1e-9)
    if name in SPLITTINGS:
        assert bounds == [] and all(step.primal >= 0 and step.dual >= 0 for step in steps)


@each_solver
def test_the_best_point_is_returned(name):
    solution, steps = run(name, max_iter=7, tol=1e-14)
    if name not in (*SPLITTINGS, "dual-published"):  # whose published program returns the last one
        best = min(step.objective for step in steps)
        assert solution.certificate.objective <= best * (1 + 1e-12)


@each_solver
def test_a_callback_ends_the_run_and_its_time_does_not_count(name):
    def is_enough(step):
        sleep(0.02)
        return step.seconds < 60  # at the first look

    solution, _ = run(name, callback=is_enough, tol=1e-13, time_limit=100.0)
    assert solution.certificate.status == "stopped" and solution.n_iter <= 1


@each_solver
@pytest.mark.parametrize(
    ("options", "status"), [({"max_iter": 2}, "max_iterations"), ({"time_limit": 1e-9}, "time_limit")]
)
def test_too_little(name, options, status):
    if name in ("reweighted", "push-exact") and status == "max_iterations":
        options = {"max_iter": 1}
    solution, _ = run(name, tol=1e-15, **options)
    assert solution.certificate.status == status and solution.n_iter <= 2


def test_rounding_alone_is_left():
    """Where nothing is left to gain, the status says so."""
    solution, _ = run("push-exact", tol=1e-18)
    assert solution.certificate.status == "stalled"


@pytest.mark.parametrize("bound", [1.0 + 1e-7, np.inf])
def test_a_bound_above_the_objective_is_an_error(bound):
    watch = Monitor("magic", 1e-8, 10)
    with pytest.raises(BoundError, match=r"^magic: the lower bound .* exceeds the objective 1 by more than"):
        watch.update(np.zeros(2), 1.0, bound)
    assert Monitor("magic", 1e-8, 10).update(np.zeros(2), 1.0, 1.0 + 1e-12)


def test_a_tolerance_is_relative_to_the_objective():
    for objective in (1e-3, 1.0, 1e3):
        assert not Monitor("magic", 1e-2, 10).update(np.zeros(2), objective, 0.98 * objective)
        assert Monitor("magic", 1e-2, 10).update(np.zeros(2), objective, 0.995 * objective)


def test_the_time_is_up_when_it_is_and_a_pause_is_no_time(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(clock_module, "perf_counter", lambda: now[0])
    watch = Monitor("magic", 1e-2, 10, time_limit=2.0)
    with watch.pause():
        now[0] += 50.0
    now[0] += 1.9
    assert not watch.is_over() and watch.seconds_left == pytest.approx(0.1)
    now[0] += 0.2
    assert watch.is_over()


def test_what_a_rule_stopped_is_certified_where_the_gap_says_so():
    loose, _ = run("dual-published", tol=1e-4)
    assert loose.certificate.status == "stopped" and loose.certificate.relative_gap > 1e-4
    certified, _ = run("dual-published", tol=0.5)
    assert (certified.certificate.status == "certified") == (certified.certificate.relative_gap <= 0.5)
