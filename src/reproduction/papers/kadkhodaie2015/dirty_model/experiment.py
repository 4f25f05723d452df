"""ADMM, A2DM2 and its restart on the dirty model, iteration by iteration (K15, section 4 and Figure 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.seeds import derive_seed
from reproduction.papers.kadkhodaie2015.dirty_model.simulate import simulate_observations
from reproduction.verification.cvxpy_models import dirty_model
from toprank.problems.dirty_model import DirtyModel
from toprank.solvers.alternating_directions import Restart
from toprank.solvers.dirty_model import two_block
from toprank.solvers.two_block import solve

if TYPE_CHECKING:
    from toprank.solvers.monitor import Step

TRACE_COLUMNS = (
    *("kind", "seed", "method", "iteration", "primal_residual", "primal_gap", "feasible_gap", "dual_gap"),
    *("bound", "restarts", "seconds", "status", "optimal_objective", "optimal_gap"),
    *("ridge", "mu", "eta", "tau_share", "tau", "largest_tau"),
)
"""``kind`` is "declared", the name of the setting that is varied, or `ETA_AND_TAU`. The gaps are
F(x_k, y_k) − F*, F(x_k, b − A x_k) − F* and D* − D(λ_k), ``optimal_gap`` is (F* − D*)/F*. ``bound`` is the
right side of K15 eq. (4), empty where Theorem 1 does not hold; its k is ours minus 1, for K15 counts from 0.
The rows of a run that diverges end there."""

METHODS = ("admm", "a2dm2", "a2dm2_restart")
SETTING_NAMES = ("ridge", "mu", "eta", "tau_share")
"""Settings that the study may vary."""

STEP_SETTINGS = ("eta", "tau_share")
"""Settings of the method alone, which leave the problem as it is: they are varied on every draw, together."""

ETA_AND_TAU = "eta and tau_share"
"""Kind of the runs in which both are varied."""

N_LEADING_ITERATIONS = 50
"""Number of first iterations that each have a row."""

MAX_LATER_ROWS = 100
"""Most rows of the iterations after them, but for the last."""

DUALITY_TOL = 1e-8
"""Largest relative duality gap of a reference: the interior-point method certifies itself to this."""

_UNREACHABLE_TOL = 1e-300
"""A tolerance that no residual meets, so that every run has all its iterations."""


def select_iterations(iterations: int) -> list[int]:
    """Select the iterations that have a row: the first ones, then every so many, and the last.

    Parameters
    ----------
    iterations : int
        Number of iterations of a run.

    Returns
    -------
    list of int
        In increasing order, counted from 1.
    """
    # −(−a // b) is the ceiling: at most MAX_LATER_ROWS multiples of the stride lie behind the leading
    # iterations.
    stride = max(1, -(-(iterations - N_LEADING_ITERATIONS) // MAX_LATER_ROWS))
    return [
        k for k in range(1, iterations + 1) if k <= N_LEADING_ITERATIONS or k % stride == 0 or k == iterations
    ]


def trace_draws(settings: Mapping, seeds: Collection[int], master: int, study: str) -> Iterator[dict]:
    """Trace the methods on some of the draws, at the declared settings and at others.

    One setting at a time is varied on the first draw. Those of `STEP_SETTINGS` are varied on the other draws
    too, alone and together; of these runs the first and the last iteration are kept.

    Parameters
    ----------
    settings : mapping
        The key ``dirty_model`` of a study.
    seeds : collection of int
        Numbers of the draws, of which 0 is the first.
    master : int
        Master seed.
    study : str
        Name of the study; each has draws of its own.

    Yields
    ------
    dict
        With the keys `TRACE_COLUMNS`.
    """
    for seed in seeds:
        yield from _trace_methods(settings, "declared", seed, master, study)
    # One setting at a time, on the first draw alone, with all its iterations.
    for name in SETTING_NAMES if 0 in seeds else ():
        for value in settings["varied"].get(name, []):
            yield from _trace_methods(settings | {name: value}, name, 0, master, study)
    # η and τ together on all draws: only the first iteration (to which gaps are normalised) and the last are
    # kept.
    end_iterations = {1, settings["iterations"]}
    for seed, eta, tau in product(
        seeds, *([None, *settings["varied"].get(name, [])] for name in STEP_SETTINGS)
    ):
        changes = {
            name: value for name, value in zip(STEP_SETTINGS, (eta, tau), strict=True) if value is not None
        }
        kind = ETA_AND_TAU if len(changes) == 2 else next(iter(changes), "")
        # The declared setting, and single changes on draw 0, have been run above with all their iterations.
        if kind and (kind == ETA_AND_TAU or seed):
            yield from _trace_methods(settings | changes, kind, seed, master, study, end_iterations)


def solve_reference(model: DirtyModel) -> tuple[float, float, np.ndarray]:
    """Solve a dirty model by the conic solver, and certify the solution by its duality gap.

    Parameters
    ----------
    model : DirtyModel

    Returns
    -------
    objective : float
        F* at a pair that meets the constraint to rounding: not below the minimum.
    dual : float
        D*, not above the minimum.
    multipliers : ndarray of shape (m,)
        λ*.

    Raises
    ------
    RuntimeError
        If the two differ by more than a relative `DUALITY_TOL`.
    """
    _, x, _, multipliers = dirty_model(model.A, model.b, model.mu, model.ridge)
    objective, dual = model.feasible_objective(x), model.dual(multipliers)
    # x of the conic solver with y = b − A x is feasible, and any λ gives a lower bound: the gap proves both.
    gap = (objective - dual) / abs(objective)
    if not gap <= DUALITY_TOL:
        raise RuntimeError(
            f"the reference of the dirty model leaves a relative duality gap of {gap:.1e}; {DUALITY_TOL:g} "
            "is allowed"
        )
    return objective, dual, multipliers


@cache
def _draw_and_solve(
    rows: int, features: int, nonzero_share: float, noise_mean: float, mu: float, ridge: float, seed: int
) -> tuple[DirtyModel, tuple[float, float, np.ndarray]]:
    """Draw a problem and solve it, once for all settings of the methods."""
    observations = simulate_observations(rows, features, nonzero_share, noise_mean, seed)
    model = DirtyModel(observations.A, observations.b, mu, ridge)
    return model, solve_reference(model)


def _trace_methods(
    settings: Mapping,
    kind: str,
    seed: int,
    master: int,
    study: str,
    kept_iterations: Collection[int] | None = None,
) -> Iterator[dict]:
    """Run every method on one draw; by default the iterations of `select_iterations` are kept."""
    problem_keys = ("rows", "features", "nonzero_share", "noise_mean", "mu", "ridge")
    problem_settings = (settings[name] for name in problem_keys)
    model, reference = _draw_and_solve(*problem_settings, derive_seed(master, study, "dirty model", seed))
    best, best_dual, best_multipliers = reference
    problem = two_block(model)
    # Theorem 1 allows steps τ up to a largest one; the share of it is a setting
    largest_tau = problem.step_condition(1.0).largest_tau
    tau = settings["tau_share"] * largest_tau
    has_bound = problem.step_condition(tau).holds
    identity = {
        "kind": kind,
        "seed": seed,
        "optimal_objective": best,
        "optimal_gap": (best - best_dual) / best,
    }
    identity |= {name: settings[name] for name in SETTING_NAMES} | {"tau": tau, "largest_tau": largest_tau}
    # λ̂ of the first iteration is 0; K15 prints λ̂₁, but its induction starts where a = 1, at λ̂₀
    squared_distance = best_multipliers @ best_multipliers
    kept_iterations = kept_iterations or set(select_iterations(settings["iterations"]))
    limits = {"tol": _UNREACHABLE_TOL, "max_iter": settings["iterations"]}
    solve(problem, "admm", tau, max_iter=2)  # compiles the kernels before a run is timed
    for method in METHODS:
        rows = []

        def record(step: Step, rows: list[dict] = rows) -> None:
            """Append the residual and the gaps of the iterations that are kept.

            Parameters
            ----------
            step : Step
                State after an iteration.
            rows : list[dict], optional
                Rows of the method; extended in place.
            """
            if step.iteration in kept_iterations:
                # Figure 1's panels: the residual, F(x_k, y_k) − F*, which may be negative while the point is
                # infeasible, and D* − D(λ_k).
                gaps = {"primal_gap": model.objective(step.w, step.y) - best}
                gaps |= {"feasible_gap": model.feasible_objective(step.w) - best}
                gaps |= {"dual_gap": best_dual - model.dual(step.multipliers), "seconds": step.seconds}
                rows.append({"iteration": step.iteration, "primal_residual": step.primal} | gaps)

        fresh_problem = two_block(model)  # a step in x of its own, which starts from zero
        variant = Restart(settings["eta"]) if method == "a2dm2_restart" else method
        result = solve(fresh_problem, variant, tau, callback=record, **limits)
        restarts = np.cumsum(result.trace["restarted"])
        for row in rows:
            k = row["iteration"]
            # right side of eq. (4), whose k counts from 0
            bound = 2.0 * squared_distance / (tau * (k + 1) ** 2) if has_bound else np.nan
            row |= {"method": method, "bound": bound, "restarts": int(restarts[k - 1])}
            row |= identity | {"status": result.status}
            yield {name: row[name] for name in TRACE_COLUMNS}


def run_experiment(settings: Mapping, *, part: str, seed: int, study: str, **_) -> Iterator[tuple[str, dict]]:
    """Trace the methods on some draws of the dirty model, at the declared settings and at others.

    Parameters
    ----------
    settings : mapping
        The key ``dirty_model`` of the study.
    part : str
        First and last number of the draws, such as "0-4".
    seed : int
        Master seed.
    study : str

    Yields
    ------
    table : {"figure1"}
    row : dict
        With the keys `TRACE_COLUMNS`.
    """
    first, last = map(int, part.split("-"))
    yield from (("figure1", row) for row in trace_draws(settings, range(first, last + 1), seed, study))
