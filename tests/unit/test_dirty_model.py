"""The dirty model with elastic nets: its parts against closed forms and scikit-learn; its traces."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from sklearn.linear_model import ElasticNet

from reproduction.papers.kadkhodaie2015.dirty_model import experiment as dirty_traces
from reproduction.papers.kadkhodaie2015.dirty_model.claim_checks import group_by_setting
from reproduction.papers.kadkhodaie2015.dirty_model.experiment import (
    ETA_AND_TAU,
    METHODS,
    TRACE_COLUMNS,
    select_iterations,
    solve_reference,
    trace_draws,
)
from reproduction.papers.kadkhodaie2015.dirty_model.simulate import simulate_observations
from reproduction.verification.cvxpy_models import dirty_model
from toprank.problems.dirty_model import DirtyModel
from toprank.solvers.dirty_model import KKT_TOL, ElasticNetStep, two_block

M, N = 15, 30
OBSERVATIONS = simulate_observations(M, N, 0.1, 0.01, seed=1)
SETTINGS = {"rows": M, "features": N, "nonzero_share": 0.1, "noise_mean": 0.01, "iterations": 80}
SETTINGS |= {"ridge": 1.0, "mu": 0.1, "eta": 0.999, "tau_share": 1.0}
SETTINGS |= {"varied": {"mu": [0.01], "tau_share": [10.0]}}
seeds = st.integers(0, 2**32 - 1)
positive = st.sampled_from([0.03, 0.3, 1.0, 5.0])


def model(mu=0.1, ridge=1.0):
    return DirtyModel(OBSERVATIONS.A, OBSERVATIONS.b, mu, ridge)


def test_the_draws_are_as_the_paper_describes_them():
    A, b, x = simulate_observations(256, 512, 0.05, 0.01, seed=3)
    noise = b - A @ x
    assert A.shape == (256, 512) and np.count_nonzero(x) == 26
    assert abs(A.mean()) < 0.01 and A.std() == pytest.approx(1.0, abs=0.01)
    # an exponential: positive, its mean equal to its standard deviation
    assert noise.min() > -1e-12 and noise.mean() == pytest.approx(0.01, rel=0.2)
    assert noise.std() == pytest.approx(0.01, rel=0.3)
    for array, other in zip((A, b, x), simulate_observations(256, 512, 0.05, 0.01, seed=3), strict=True):
        np.testing.assert_array_equal(array, other)
    assert np.abs(A - simulate_observations(256, 512, 0.05, 0.01, seed=4).A).max() > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 0}, "0 rows"),
        ({"nonzero_share": 0.0}, "nonzero_share"),
        ({"nonzero_share": 1.1}, "nonzero_share"),
        ({"noise_mean": -1.0}, "noise_mean"),
        ({"mu": 0.0}, "mu must be a positive number; got 0.0: f2 is then not strongly convex"),
        ({"mu": -1.0}, "mu must be"),
        ({"mu": np.nan}, "mu must be"),
        ({"ridge": 0.0}, r"ridge .* neither f1 \(sigma_1 = ridge\) nor f2 .* allows A2DM2 no step"),
        ({"b": OBSERVATIONS.b[:-1]}, r"A and b disagree: A has shape \(15, 30\) and b \(14,\)"),
        ({"A": OBSERVATIONS.A[0]}, "A and b disagree"),
        ({"A": np.where(OBSERVATIONS.A[2, 3] == OBSERVATIONS.A, np.nan, OBSERVATIONS.A)}, "A holds NaN"),
        ({"b": np.full(M, np.inf)}, "b holds NaN or infinite"),
    ],
)
def test_bad_input(change, message):
    settings = {"rows": 5, "features": 5, "nonzero_share": 0.1, "noise_mean": 0.01, "seed": 0}
    with raises_one_sentence(message):
        if change.keys() <= settings.keys():
            simulate_observations(**settings | change)
        else:
            DirtyModel(**{"A": OBSERVATIONS.A, "b": OBSERVATIONS.b, "mu": 0.1} | change)


@given(seeds, positive, positive)
def test_the_dual_in_closed_form_is_that_of_the_minimisers_and_bounds_the_objective(seed, mu, ridge):
    dirty_model, random = model(mu, ridge), np.random.default_rng(seed)
    multipliers, x = random.normal(size=M), random.normal(size=N)
    dual = dirty_model.dual(multipliers)
    assert dual == pytest.approx(two_block(dirty_model).dual(multipliers), rel=1e-11, abs=1e-11)
    assert dual <= dirty_model.feasible_objective(x) + 1e-9
    assert dirty_model.feasible_objective(x) == dirty_model.objective(x, dirty_model.b - dirty_model.A @ x)


@given(seeds, positive, positive, positive)
def test_the_step_in_y_is_the_minimum(seed, mu, ridge, tau):
    dirty_model, random = model(mu, ridge), np.random.default_rng(seed)
    q = random.normal(size=M)

    def value(y):
        return dirty_model.value_y(y) - q @ y + tau / 2 * y @ y

    y = dirty_model.minimise_y(q, tau)
    for size in (1e-4, 1e-1):
        assert value(y) <= value(y + size * random.normal(size=M)) + 1e-15


@pytest.mark.parametrize("ridge", [0.1, 1.0])
@pytest.mark.parametrize("tau", [0.02, 3.0])
def test_the_step_in_x_is_that_of_scikit_learn(ridge, tau):
    random = np.random.default_rng(0)
    step, target = ElasticNetStep(OBSERVATIONS.A, ridge), random.normal(size=M) / tau
    q = tau * OBSERVATIONS.A.T @ target
    x = step(q, tau)
    assert 0 < np.count_nonzero(x) < N
    # scikit-learn divides by the rows and has one weight and a share
    weight = (1.0 + ridge) / (tau * M)
    peer = ElasticNet(weight, l1_ratio=1.0 / (1.0 + ridge), fit_intercept=False, tol=1e-14, max_iter=100_000)
    np.testing.assert_allclose(x, peer.fit(OBSERVATIONS.A, target).coef_, atol=1e-9)


@given(seeds)
def test_the_step_in_x_meets_its_conditions_wherever_it_starts(seed):
    random = np.random.default_rng(seed)
    step = ElasticNetStep(OBSERVATIONS.A, 1.0)
    for tau in (0.05, 0.05, 2.0, 0.01):
        q = 10.0 ** random.uniform(-1, 3) * random.normal(size=N)
        x = step(q, tau)
        assert step.violation(x, q) <= KKT_TOL
        np.testing.assert_allclose(x, ElasticNetStep(OBSERVATIONS.A, 1.0)(q, tau), rtol=1e-9, atol=1e-11)
        assert step.violation(x + 1e-6, q) > KKT_TOL


def test_a_step_in_x_that_misses_its_conditions_is_told(monkeypatch):
    monkeypatch.setattr("toprank.solvers.dirty_model.minimise_l1", lambda H, c, t, z, tol: z + 1e-3)
    with raises_one_sentence(r"optimality conditions by .* at tau=0\.1; take a smaller tau", RuntimeError):
        ElasticNetStep(OBSERVATIONS.A, 1.0)(np.ones(N), 0.1)


def test_the_step_in_x_of_what_has_diverged_is_nan():
    assert np.isnan(ElasticNetStep(OBSERVATIONS.A, 1.0)(np.full(N, np.inf), 0.1)).all()


@pytest.mark.parametrize("mu", [0.02, 0.1, 3.0])
@pytest.mark.parametrize("ridge", [0.3, 1.0])
def test_the_reference_is_the_optimum(mu, ridge):
    reference_model = model(mu, ridge)
    value, x, y, multipliers = dirty_model(reference_model.A, reference_model.b, mu, ridge)
    np.testing.assert_allclose(reference_model.A @ x + y, reference_model.b, atol=1e-9)
    assert value == pytest.approx(reference_model.objective(x, y), rel=1e-9)
    assert value == pytest.approx(
        reference_model.dual(multipliers), rel=1e-8
    )  # strong duality: no sign but the right one
    assert reference_model.dual(-multipliers) < 0 < value
    # where no multiplier reaches mu the second elastic net is not used, and the other way round
    assert (np.abs(y).max() < 1e-8) == (np.abs(multipliers).max() < mu - 1e-8)
    objective, dual, _ = solve_reference(reference_model)
    assert dual - 1e-9 <= value <= objective + 1e-9


def test_a_wrong_reference_does_not_pass(monkeypatch):
    def solve_wrongly(A, b, mu, ridge):
        value, x, y, multipliers = dirty_model(A, b, mu, ridge)
        return value, x, y, -multipliers

    monkeypatch.setattr(dirty_traces, "dirty_model", solve_wrongly)
    with pytest.raises(RuntimeError, match=r"relative duality gap of .* is allowed"):
        solve_reference(model())


def test_what_is_recorded():
    assert select_iterations(51) == list(range(1, 52))
    assert select_iterations(500) == [*range(1, 51), *range(55, 501, 5)]
    assert select_iterations(60)[-1] == 60 and select_iterations(503)[-1] == 503
    assert len(select_iterations(100_000)) <= 152


@pytest.fixture(scope="module")
def rows():
    return list(trace_draws(SETTINGS | {"varied": {}}, [0, 1], 7, "quick"))


def test_traces_are_rows_of_every_method_and_draw(rows):
    assert {tuple(row) for row in rows} == {TRACE_COLUMNS}
    runs = {(row["seed"], row["method"]) for row in rows}
    assert runs == {(seed, method) for seed in (0, 1) for method in METHODS}
    assert len(rows) == len(runs) * len(select_iterations(80))
    for row in rows:
        assert row["kind"] == "declared" and row["status"] == "max_iterations"
        assert row["optimal_gap"] <= 1e-8 and row["tau"] == row["largest_tau"]
        assert row["feasible_gap"] >= -1e-8 and row["dual_gap"] >= -1e-8  # bounds of one optimum
        if row["method"] == "a2dm2":
            assert row["dual_gap"] <= row["bound"]
        assert row["restarts"] == 0 or row["method"] == "a2dm2_restart"
    first = {row["dual_gap"] for row in rows if row["iteration"] == 1 and row["seed"] == 0}
    assert max(first) == pytest.approx(min(first))  # the methods begin alike


def test_the_dual_gap_is_that_of_the_iterates_and_falls(rows):
    """The gaps and residuals are those of a plain ADMM that is written here."""
    observations = simulate_observations(
        M, N, 0.1, 0.01, dirty_traces.derive_seed(7, "quick", "dirty model", 0)
    )
    dirty_model = DirtyModel(observations.A, observations.b, 0.1)
    trace = {row["iteration"]: row for row in rows if row["method"] == "admm" and row["seed"] == 0}
    tau, step = trace[1]["tau"], ElasticNetStep(observations.A, 1.0)
    assert tau == pytest.approx((0.1**2 / np.linalg.norm(observations.A, 2) ** 2) ** (1 / 3))
    best, best_dual, _ = solve_reference(dirty_model)
    y, multipliers = np.zeros(M), np.zeros(M)
    for k in range(1, 81):
        x = step(observations.A.T @ (multipliers - tau * (y - observations.b)), tau)
        y = dirty_model.minimise_y(multipliers - tau * (observations.A @ x - observations.b), tau)
        multipliers = multipliers - tau * (observations.A @ x + y - observations.b)
        if k in trace:
            assert trace[k]["primal_gap"] == pytest.approx(dirty_model.objective(x, y) - best, abs=1e-9)
            assert trace[k]["dual_gap"] == pytest.approx(best_dual - dirty_model.dual(multipliers), abs=1e-9)
            residual = np.linalg.norm(observations.A @ x + y - observations.b)
            assert trace[k]["primal_residual"] == pytest.approx(residual, abs=1e-9)
    for seed in (0, 1):
        ends = {row["method"]: row["dual_gap"] for row in rows if row["seed"] == seed}
        assert ends["a2dm2"] < ends["admm"]


def test_the_steps_are_varied_together_on_every_draw():
    varied = {"mu": [0.01], "eta": [0.8], "tau_share": [10.0, 0.1]}
    traces = list(trace_draws(SETTINGS | {"varied": varied}, range(2), 7, "quick"))
    varied_rows = [row for row in traces if row["kind"] != "declared"]
    runs = {(row["kind"], row["seed"], row["mu"], row["eta"], row["tau_share"]) for row in varied_rows}
    mu, eta, tau = (SETTINGS[name] for name in ("mu", "eta", "tau_share"))
    assert runs == {
        ("mu", 0, 0.01, eta, tau),
        *(("eta", seed, mu, 0.8, tau) for seed in (0, 1)),
        *(("tau_share", seed, mu, eta, share) for seed in (0, 1) for share in (10.0, 0.1)),
        *((ETA_AND_TAU, seed, mu, 0.8, share) for seed in (0, 1) for share in (10.0, 0.1)),
    }
    large_tau_rows = [row for row in varied_rows if row["tau_share"] == 10.0]
    assert all(np.isnan(row["bound"]) for row in large_tau_rows)  # Theorem 1 does not hold
    assert large_tau_rows[0]["tau"] == pytest.approx(10 * large_tau_rows[0]["largest_tau"])
    assert not any(np.isnan(row["bound"]) for row in varied_rows if row["kind"] == "mu")
    joint_rows = [
        row for row in varied_rows if row["kind"] == ETA_AND_TAU and row["status"] == "max_iterations"
    ]
    assert {row["iteration"] for row in joint_rows} == {1, SETTINGS["iterations"]}
    assert set(group_by_setting(pd.DataFrame(traces))) == {
        *("default", "mu=0.01", "eta=0.8", "tau_share=10", "tau_share=0.1"),
        *("eta=0.8; tau_share=10", "eta=0.8; tau_share=0.1"),
    }
