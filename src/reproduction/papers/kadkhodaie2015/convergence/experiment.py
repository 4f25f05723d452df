"""One method on one split, iteration by iteration (K15, Figures 2 and 3), against the certified optimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import roc_curve

from reproduction.fitting.feature_scaling import scale_features
from reproduction.papers.kadkhodaie2015.convergence.split_problem import (
    ACCELERATED_METHODS,
    CERTIFIED_GAP,
    SplitProblem,
    select_options,
)
from toprank.certificate import SUCCESS_STATUSES
from toprank.metrics import positives_at_top
from toprank.solvers import row_generation

if TYPE_CHECKING:
    import scipy.sparse as sp

    from reproduction.splits.split_data import SplitData
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, Step

    Rows = np.ndarray | sp.csr_array

METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
"""Methods that minimise objective (11), or its perturbation (13), and report each iterate."""

SOLVER_VARIANTS = {"admm": "admm", "a2dm2": "a2dm2", "a2dm2_restart": "a2dm2-restart"}
"""Method of a study -> variant of `toprank.solvers.admm`."""

UNREACHABLE_TOL = -1.0
"""A tolerance that is never met, so that a method runs through all its iterations."""

N_LEADING_ITERATIONS = 100
"""Number of first iterations that each have a row; later ones are thinned."""

_IDENTITY = ("dataset", "feature_scaling", "split", "alpha", "method", "rho", "status", "message")
FIGURE2_COLUMNS = (
    *_IDENTITY,
    *("iteration", "seconds", "objective", "suboptimality", "positives_at_top", "positives_at_top_train"),
    *("published_stop", "optimum", "limit", "rho_bound"),
)
"""`suboptimality` is (objective − certified lower bound) / optimum; `published_stop` the iteration at which
the published rule holds, if it does; `limit` the objective (11) at the optimum of the problem that the method
minimises, which is the perturbed (13) for the accelerated ones; `rho_bound` the largest step that Theorem 1
allows those."""

FIGURE3_COLUMNS = (
    *_IDENTITY,
    *("kind", "iteration", "seconds", "primal_residual", "dual_residual", "published_stop"),
    *("iterate", "false_positive_rate", "true_positive_rate"),
)
"""`kind` is "residual" (ADMM family) or "roc"; a ROC curve is of the test part, `iterate` is "published stop"
or "all iterations"."""


def run_method(
    problem: TopRanking,
    method: str,
    callback: Callable[[Step], object] | None,
    rho: float | None = None,
    admm: Mapping | None = None,
    tol: float | None = UNREACHABLE_TOL,
    max_iter: int = 5000,
    time_limit: float | None = None,
) -> Solution:
    """Run one method and pass each iterate to a callback.

    Parameters
    ----------
    problem : TopRanking
        Objective (11) of the paper on the training part.
    method : str
        One of `METHODS`.
    callback : callable or None
        Called with a `toprank.solvers.monitor.Step` after each iteration; a true value ends the run.
    rho : float, optional
        Penalty of the augmented Lagrangian (ADMM family).
    admm : mapping, optional
        ``lambda1``, ``lambda2`` and ``eta`` (ADMM family); by default the solver's.
    tol : float or None
        Tolerance of the method's own stopping rule, None for its published value; by default the rule never
        holds.
    max_iter : int, default=5000
    time_limit : float, optional
        Seconds of the algorithm.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If the method is not one of `METHODS`.
    """
    options = {"max_iter": max_iter, "time_limit": time_limit, "callback": callback}
    if tol is not None:
        options["tol"] = tol
    if method in SOLVER_VARIANTS:
        # imported where it is used: the digest of a rule follows the solver that it runs, and no other
        from toprank.solvers import admm as solver

        spec = solver.METHODS[SOLVER_VARIANTS[method]]
        parameters = select_options(admm, *(field.name for field in fields(spec) if field.name != "rho"))
        with np.errstate(over="ignore", invalid="ignore"):  # on the way to the status "diverged"
            return solver.solve(problem, method=spec(rho=rho, **parameters), **options)
    if method == "toppush":
        from toprank.solvers import dual_gradient

        return dual_gradient.solve(problem, stop="published", **options)
    if method == "exact":
        return row_generation.solve(problem, **options)
    raise ValueError(f"unknown method {method!r}; iterations can be watched of {', '.join(METHODS)}")


def trace_method(
    case: SplitProblem, method: str, iterations: int, stride: int, rho: float | None = None
) -> tuple[list[dict], list[dict]]:
    """Trace one method through all its iterations, whatever its stopping rule says.

    Parameters
    ----------
    case : SplitProblem
        Both parts of the split and the weight of the ridge.
    method : str
        One of `METHODS`.
    iterations : int
        Number of iterations; the exact solver ends before, at a relative gap of `CERTIFIED_GAP`.
    stride : int
        There is a row for each of the first `N_LEADING_ITERATIONS`, for each multiple of ``stride``, for
        numbers spread evenly on a logarithmic scale, for the published stop and for the last.
    rho
        See `run_method`.

    Returns
    -------
    figure2, figure3 : list of dict
        Rows with keys among `FIGURE2_COLUMNS` and `FIGURE3_COLUMNS`.
    """
    (X_train, y_train), (X_test, y_test) = case.train, case.test
    problem, certificate, admm = case.problem, case.certificate, case.admm
    # compile the kernels first: no measured time includes their loading
    run_method(problem, method, None, rho, admm, max_iter=3)
    stopped_w, published_stop = run_to_published_stop(problem, method, rho, admm, iterations)
    kept_iterations = _select_iterations(iterations, stride) | {published_stop}
    steps, (w, final_certificate, _) = _record_steps(problem, method, rho, admm, iterations, kept_iterations)
    identity = {"alpha": case.alpha, "method": method, "rho": rho, "status": final_certificate.status}
    reference = {"published_stop": published_stop, "optimum": certificate.objective}
    reference |= {"limit": case.limit(method), "rho_bound": _find_largest_step(case, method, rho)}
    figure2, figure3 = [], []
    for step in steps:
        with np.errstate(over="ignore", invalid="ignore"):  # of a run that diverges
            objective, coef = problem.objective(step.w), case.map_to_features(step.w)
            counts = {"positives_at_top": _count_positives_at_top(X_test, y_test, coef)}
            counts |= {"positives_at_top_train": _count_positives_at_top(X_train, y_train, coef)}
        step_identity = {**identity, "iteration": step.iteration, "seconds": step.seconds}
        # relative suboptimality, with the proven lower bound in place of the unknown optimum
        excess = (objective - certificate.lower_bound) / certificate.objective
        figure2.append(
            {**step_identity, "objective": objective, "suboptimality": excess, **counts, **reference}
        )
        if method in SOLVER_VARIANTS:
            residuals = {"primal_residual": step.primal, "dual_residual": step.dual}
            figure3.append(
                {**step_identity, "kind": "residual", **residuals, "published_stop": published_stop}
            )
    for iterate, weights in (("published stop", stopped_w), ("all iterations", w)):
        curve = roc_curve(y_test > 0, X_test @ case.map_to_features(weights), drop_intermediate=True)
        figure3 += [
            {**identity, "kind": "roc", "iterate": iterate, "false_positive_rate": x, "true_positive_rate": y}
            for x, y in zip(*curve[:2], strict=True)
        ]
    return figure2, figure3


def _record_steps(
    problem: TopRanking,
    method: str,
    rho: float | None,
    admm: Mapping | None,
    iterations: int,
    kept_iterations: Collection[int | None],
) -> tuple[list[Step], Solution]:
    """Run a method through all iterations; return its steps at some of them and at the last, and its end."""
    steps, last_step = [], None

    def record(step: Step) -> None:
        """Keep the step if its iteration is wanted.

        Parameters
        ----------
        step : Step
            State after an iteration.
        """
        nonlocal last_step
        last_step = step
        # The last step is remembered as well: a run that diverges or ends early is kept up to where it came.
        if step.iteration in kept_iterations:
            steps.append(step)

    # The exact solver has few steps and no published stop: it runs to the gap of the reference.
    tol = CERTIFIED_GAP if method == "exact" else UNREACHABLE_TOL
    solution = run_method(problem, method, record, rho, admm, tol, iterations)
    if last_step is not None and (not steps or steps[-1] is not last_step):
        steps.append(last_step)
    return steps, solution


def _count_positives_at_top(X: Rows, y: np.ndarray, w: np.ndarray) -> float:
    """Count the positives above every negative; NaN where the run has diverged."""
    return positives_at_top(y, X @ w) if np.isfinite(w).all() else math.nan


def _select_iterations(iterations: int, stride: int) -> set[int]:
    """Select the iterations that have a row, but for the published stop and the last."""
    # 100 points between the leading iterations and the last: no gap is seen on a logarithmic axis. The
    # paper's Figure 2 (b) is plotted "after every 100 iterations": multiples of `stride`.
    log_spaced = np.geomspace(N_LEADING_ITERATIONS, max(iterations, N_LEADING_ITERATIONS), 100).astype(int)
    return {*range(1, N_LEADING_ITERATIONS + 1), *range(stride, iterations + 1, stride), *log_spaced.tolist()}


def run_to_published_stop(
    problem: TopRanking, method: str, rho: float | None, admm: Mapping | None, iterations: int
) -> tuple[np.ndarray, int | None]:
    """Run a method as published, to its stop.

    Parameters
    ----------
    problem, method, rho, admm
        See `run_method`.
    iterations : int
        Most iterations.

    Returns
    -------
    w : ndarray of shape (d,)
        Weights at which the published program ends.
    stop : int or None
        Its last iteration if its rule held.
    """
    tol = CERTIFIED_GAP if method == "exact" else None
    w, certificate, n_iter = run_method(problem, method, None, rho, admm, tol, iterations)
    # None: the published rule did not hold within the iterations, or the method has none.
    return w, n_iter if certificate.status in SUCCESS_STATUSES and method != "exact" else None


def _find_largest_step(case: SplitProblem, method: str, rho: float | None) -> float | None:
    """Return the largest step of Theorem 1, which has one for the accelerated methods alone."""
    if method not in ACCELERATED_METHODS:
        return None
    from toprank.solvers.admm import step_condition

    perturbation = select_options(case.admm, "lambda1", "lambda2")
    return float(step_condition(case.problem, rho, **perturbation).largest_tau)


def run_experiment(settings: Mapping, *, splits: Iterable[SplitData], **_) -> Iterator[tuple[str, dict]]:
    """Trace every method on one split of one data set.

    Parameters
    ----------
    settings : mapping
        The key ``convergence`` of the study, with its ``admm``.
    splits : iterable of SplitData
        The one split.

    Yields
    ------
    table : {"figure2", "figure3"}
    row : dict
        With keys among `FIGURE2_COLUMNS` or `FIGURE3_COLUMNS`.
    """
    identity = {name: settings[name] for name in ("dataset", "feature_scaling", "split")}
    (split_data,) = splits
    if not split_data.missing_data:
        case = load_case(split_data, settings["feature_scaling"], settings["alpha"], settings["admm"])
    for method in METHODS:
        if method not in ("toppush", "exact") and method not in settings["rhos"]:
            continue
        if split_data.missing_data:
            rows_by_table = [[{"method": method, **split_data.missing_data}]] * 2
        else:
            limits = settings["iterations"], settings["stride"]
            rows_by_table = trace_method(case, method, *limits, settings["rhos"].get(method))
        for table, rows in zip(("figure2", "figure3"), rows_by_table, strict=True):
            yield from ((table, identity | row) for row in rows)


def load_case(
    split_data: SplitData, feature_scaling: str, alpha: float, admm: Mapping | None
) -> SplitProblem:
    """Load both parts of a split in one feature scaling.

    Parameters
    ----------
    split_data : SplitData
        A split of a data set that was obtained.
    feature_scaling : {"raw", "standardised"}
    alpha, admm
        See `SplitProblem`.

    Returns
    -------
    SplitProblem
    """
    (X_train, y_train), (X_test, y_test) = split_data.train(), split_data.test()
    X_train, X_test = scale_features(feature_scaling, X_train, X_test)
    return SplitProblem((X_train, y_train), (X_test, y_test), alpha, admm)
