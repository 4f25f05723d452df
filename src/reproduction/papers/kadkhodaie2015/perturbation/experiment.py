"""A2DM2 with several values of λ₁ = λ₂ (K15, eq. 13): what the added terms do to objective (11) and the top.

The optimum of (13) is that of a conic solver, so that what the added terms do is told apart from what the
published stop does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reproduction.papers.kadkhodaie2015.convergence.experiment import load_case, run_to_published_stop
from reproduction.papers.kadkhodaie2015.convergence.split_problem import CERTIFIED_GAP
from reproduction.papers.kadkhodaie2015.trends.experiment import TOPPUSH, choose_rho
from toprank.metrics import positives_at_top
from toprank.solvers import row_generation

if TYPE_CHECKING:
    from reproduction.papers.kadkhodaie2015.convergence.split_problem import SplitProblem
    from reproduction.splits.split_data import SplitData

ACCELERATED = "a2dm2"

PERTURBATION_COLUMNS = (
    *("dataset", "feature_scaling", "split", "alpha", "method", "value", "rho", "status", "message"),
    *("published_stop", "excess", "rate_at_top", "optimal_rate_at_top"),
)
"""One row a split, alpha and method; A2DM2 has one for each `value` of λ₁ = λ₂. `excess`: relative excess of
objective (11) at the optimum of what the method minimises; `rate_at_top`: share of the test positives above
every negative, after the published stop; `optimal_rate_at_top`: the same at the optimum."""


def measure_perturbations(case: SplitProblem, settings: Mapping) -> Iterator[dict]:
    """Measure TopPush and, for each value of λ₁ = λ₂, A2DM2 on one split.

    Parameters
    ----------
    case : SplitProblem
        The split; its ``admm`` has the options that do not change.
    settings : mapping
        ``values``, ``rhos``, ``iterations`` and ``rho_iterations``.

    Yields
    ------
    dict
        With the keys `PERTURBATION_COLUMNS` from ``method`` on.
    """
    optimal_w, iterations = row_generation.solve(case.problem, tol=CERTIFIED_GAP).w, settings["iterations"]
    stopped_w, stop = run_to_published_stop(case.problem, TOPPUSH, None, None, iterations)
    yield {
        "method": TOPPUSH,
        "published_stop": stop,
        # TopPush minimises objective (11) itself.
        "excess": 0.0,
        **_measure_rates(case, stopped_w, optimal_w),
    }
    for value in settings["values"]:
        # A new SplitProblem: the optimum of (13) is cached per object and depends on λ₁ and λ₂.
        perturbed = replace(case, admm={**case.admm, "lambda1": value, "lambda2": value})
        rho = choose_rho(perturbed, ACCELERATED, settings["rhos"][ACCELERATED], settings["rho_iterations"])
        stopped_w, stop = run_to_published_stop(
            perturbed.problem, ACCELERATED, rho, perturbed.admm, iterations
        )
        # F(w₁₃)/F(w₁₁) − 1 on objective (11): what section 3.3 calls "slightly change the problem".
        excess = perturbed.limit(ACCELERATED) / perturbed.certificate.objective - 1.0
        rates = _measure_rates(case, stopped_w, perturbed.perturbed_optimum)
        yield {"method": ACCELERATED, "value": value, "rho": rho, "published_stop": stop} | {
            "excess": excess,
            **rates,
        }


def _measure_rates(case: SplitProblem, stopped_w: np.ndarray, optimal_w: np.ndarray) -> dict:
    """Return the rates at the top of the test part after the published stop and at the optimum."""
    X, y = case.test
    names = {"rate_at_top": stopped_w, "optimal_rate_at_top": optimal_w}
    return {
        # Pos@Top over the test positives, so that splits of different size compare.
        name: positives_at_top(y, X @ case.map_to_features(w)) / np.count_nonzero(y > 0)
        for name, w in names.items()
    }


def run_experiment(settings: Mapping, *, splits: Iterable[SplitData], **_) -> Iterator[tuple[str, dict]]:
    """Measure the added terms on some splits of one data set.

    Parameters
    ----------
    settings : mapping
        The key ``perturbation`` of the study with ``dataset``, ``rhos`` and ``admm``.
    splits : iterable of SplitData

    Yields
    ------
    table : {"perturbation"}
    row : dict
        With keys among `PERTURBATION_COLUMNS`.
    """
    for split_data in splits:
        for scaling in settings["feature_scalings"]:
            identity = {"dataset": settings["dataset"], "feature_scaling": scaling, "split": split_data.split}
            if split_data.missing_data:
                yield "perturbation", identity | {"method": ACCELERATED} | split_data.missing_data
                continue
            for alpha in settings["alphas"]:
                case = load_case(split_data, scaling, alpha, settings["admm"])
                for row in measure_perturbations(case, settings):
                    yield "perturbation", identity | {"alpha": alpha, "status": "measured"} | row
