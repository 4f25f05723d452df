"""One method on one split, iteration by iteration (K15, Figures 2 and 3), against the certified optimum."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_curve

from reproduction.fitting.feature_scaling import scale_features
from toprank.certificate import SUCCESS_STATUSES
from toprank.estimators.rotation import rotate_if_wide
from toprank.metrics import positives_at_top
from toprank.problems.top import TopRanking
from toprank.solvers import row_generation

METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
"""Methods of objective (11) whose iterations can be watched."""

VARIANTS = {"admm": "admm", "a2dm2": "a2dm2", "a2dm2_restart": "a2dm2-restart"}
"""Method of a study -> variant of `toprank.solvers.admm`."""

CERTIFIED = 1e-10
"""Relative gap of the optimum that the others are measured against."""

NEVER = -1.0
"""A tolerance that is never met."""

EVERY_ITERATION = 100
"""Up to here each iteration has a row."""

_IDENTITY = ("dataset", "features", "split", "alpha", "method", "rho", "status", "message")
FIGURE2_COLUMNS = (
    *_IDENTITY,
    *("iteration", "seconds", "objective", "suboptimality", "positives_at_top", "positives_at_top_train"),
    *("published_stop", "optimum", "limit", "largest_rho"),
)
"""`suboptimality` is (objective − certified lower bound) / optimum; `published_stop` the iteration at which
the published rule holds, if it does; `limit` the objective (11) at the optimum of the problem that the method
minimises, which is the perturbed (13) for the accelerated ones; `largest_rho` the largest step that Theorem 1
allows those."""

FIGURE3_COLUMNS = (
    *_IDENTITY,
    *("kind", "iteration", "seconds", "primal_residual", "dual_residual", "published_stop"),
    *("after", "false_positive_rate", "true_positive_rate"),
)
"""`kind` is "residual" (ADMM family) or "roc"; a ROC curve is of the test part, `after` "published stop"
or "all iterations"."""


def run(problem, method, visit, rho=None, admm=None, tol=NEVER, max_iter=5000, time_limit=None):
    """Run one method and show each iterate.

    `method`: one of `METHODS`. `visit`: the solver's callback: called with a `toprank.solvers.monitor.Step`.
    `rho`: penalty of the augmented Lagrangian (ADMM family). `admm`: ``lambda1``, ``lambda2`` and ``eta``; by
    default the solver's. `tol`: of the method's own stopping rule, None for its published value; by default
    the rule never holds. `time_limit`: seconds. Raises `ValueError`: if the method is not one of `METHODS`.
    """
    options = {"max_iter": max_iter, "time_limit": time_limit, "callback": visit}
    if tol is not None:
        options["tol"] = tol
    if method in VARIANTS:
        # imported where it is used: the digest of a rule follows the solver that it runs, and no other
        from toprank.solvers import admm as solver

        parameters = _named(admm, "lambda1", "lambda2", "eta")
        with np.errstate(over="ignore", invalid="ignore"):  # on the way to the status "diverged"
            return solver.solve(problem, variant=VARIANTS[method], rho=rho, **parameters, **options)
    if method == "toppush":
        from toprank.solvers import dual_gradient

        return dual_gradient.solve(problem, stop="published", **options)
    if method == "exact":
        return row_generation.solve(problem, **options)
    raise ValueError(f"unknown method {method!r}; iterations can be watched of {', '.join(METHODS)}")


def _named(admm, *names):
    return {name: admm[name] for name in names if admm and name in admm}


def certified_optimum(problem):
    """Return the certificate of the exact solver at a relative gap of `CERTIFIED`."""
    return row_generation.solve(problem, tol=CERTIFIED).certificate


def follow(
    X_train, y_train, X_test, y_test, method, alpha, iterations, every, rho=None, admm=None, features="raw"
):
    """Follow one method through all its iterations, whatever its stopping rule says.

    `X_train`, `X_test`: ndarray or csr_array of shape (n, d). `y_train`, `y_test` (ndarray of shape (n,)): 1
    is positive. `method`: one of `METHODS`. `iterations`: the exact solver ends before, at a relative gap of
    `CERTIFIED`. `every`: there is a row for each of the first `EVERY_ITERATION`, for each multiple of
    ``every``, for numbers spread evenly on a logarithmic scale, for the published stop and for the last.
    `admm`: see `run`. `features`: {"raw", "standardised"}. Returns `figure2, figure3`: rows with keys among
    `FIGURE2_COLUMNS` and `FIGURE3_COLUMNS`.
    """
    X_train, X_test = scale_features(features, X_train, X_test)
    rotated, basis = rotate_if_wide(X_train)
    problem = TopRanking.from_labels(rotated, y_train, alpha)
    run(problem, method, None, rho, admm, max_iter=3)  # no measured time includes the loading of a kernel
    certificate = certified_optimum(problem)
    stopped, published_stop = _published_stop(problem, method, rho, admm, iterations)
    kept = _kept(iterations, every) | {published_stop}
    steps, last = [], None

    def visit(step):
        nonlocal last
        last = step
        if step.iteration in kept:
            steps.append(step)

    tol = CERTIFIED if method == "exact" else NEVER
    w, ended, _ = run(problem, method, visit, rho, admm, tol, iterations)
    if last is not None and (not steps or steps[-1] is not last):
        steps.append(last)

    def in_features(w):
        return w if basis is None else basis @ w

    def at_top(X, y, w):
        return positives_at_top(y, X @ w) if np.isfinite(w).all() else math.nan

    fixed = {"alpha": alpha, "method": method, "rho": rho, "status": ended.status}
    about = {"published_stop": published_stop, "optimum": certificate.objective}
    about |= _of_perturbed(problem, method, rho, admm, certificate)
    figure2, figure3 = [], []
    for step in steps:
        with np.errstate(over="ignore", invalid="ignore"):
            objective, coef = problem.objective(step.w), in_features(step.w)
            tops = {"positives_at_top": at_top(X_test, y_test, coef)}
            tops |= {"positives_at_top_train": at_top(X_train, y_train, coef)}
        when = {**fixed, "iteration": step.iteration, "seconds": step.seconds}
        excess = (objective - certificate.lower_bound) / certificate.objective
        figure2.append({**when, "objective": objective, "suboptimality": excess, **tops, **about})
        if method in VARIANTS:
            residuals = {"primal_residual": step.primal, "dual_residual": step.dual}
            figure3.append({**when, "kind": "residual", **residuals, "published_stop": published_stop})
    for after, point in (("published stop", stopped), ("all iterations", w)):
        curve = roc_curve(y_test > 0, X_test @ in_features(point), drop_intermediate=True)
        figure3 += [
            {**fixed, "kind": "roc", "after": after, "false_positive_rate": x, "true_positive_rate": y}
            for x, y in zip(*curve[:2], strict=True)
        ]
    return figure2, figure3


def _kept(iterations, every):
    spread = np.geomspace(EVERY_ITERATION, max(iterations, EVERY_ITERATION), 100).astype(int)
    return {*range(1, EVERY_ITERATION + 1), *range(every, iterations + 1, every), *spread.tolist()}


def _published_stop(problem, method, rho, admm, iterations):
    """Return the weights with which the published program ends, and its last iteration if its rule held."""
    tol = CERTIFIED if method == "exact" else None
    w, certificate, n_iter = run(problem, method, None, rho, admm, tol, iterations)
    return w, n_iter if certificate.status in SUCCESS_STATUSES and method != "exact" else None


def _of_perturbed(problem, method, rho, admm, certificate):
    """Return the objective (11) at the optimum of the problem that a method minimises, and its largest step.

    Theorem 1 has a step for the accelerated methods alone.
    """
    if method not in VARIANTS or method == "admm":
        return {"limit": certificate.objective, "largest_rho": None}
    from reproduction.verification import cvxpy_models
    from toprank.solvers.admm import step_condition

    parts = (problem.positives, problem.negatives)
    parts = [part.toarray() if sp.issparse(part) else np.asarray(part) for part in parts]
    added = _named(admm, "lambda1", "lambda2")
    _, w = cvxpy_models.perturbed_top_ranking(*parts, problem.alpha, **added)
    largest = step_condition(problem, rho, **added).largest_tau
    return {"limit": problem.objective(w), "largest_rho": float(largest)}


def run_experiment(settings, *, splits, **_):
    """Measure the block ``convergence``: every method on one split; yields a table and a row of it."""
    identity = {name: settings[name] for name in ("dataset", "features", "split")}
    (split_data,) = splits
    cost = settings["alpha"], settings["iterations"], settings["every"]
    for method in METHODS:
        if method not in ("toppush", "exact") and method not in settings["rhos"]:
            continue
        if split_data.missing_data:
            rows_by_table = [[{"method": method, **split_data.missing_data}]] * 2
        else:
            rho = settings["rhos"].get(method)
            parts = *split_data.train(), *split_data.test()
            rows_by_table = follow(*parts, method, *cost, rho, settings["admm"], settings["features"])
        for table, rows in zip(("figure2", "figure3"), rows_by_table, strict=True):
            yield from ((table, identity | row) for row in rows)
