"""What FenchelRank's early stop does to its sparsity: its published stop beside the certified optimum.

FenchelRank minimises the mean squared hinge of the preferences over an l1 ball, and stops at a loose gap or
after 1000 steps. The optimum in the ball of radius r is the optimum of l1 RankSVM at the regularisation at
which its solution has the norm r; the gap of Frank and Wolfe certifies it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from reproduction.papers.laporte2014.problems import measure_problems
from toprank.metrics import selected_variables
from toprank.solvers import frank_wolfe, prox_newton

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData
    from toprank.problems.pairwise import PairwiseRanking

COLUMNS = (
    *("dataset", "split", "radius", "variables", "iterations", "seconds", "status", "relative_gap", "excess"),
    *("optimum_variables", "shared_variables", "optimum_norm", "optimum_share", "optimum_gap", "message"),
)
"""One row a radius. `variables` to `excess` are of FenchelRank with its published stop; `excess` is the
relative distance of its objective from the optimum in the ball, `shared_variables` counts what both
use, and `optimum_gap` is the relative gap that certifies the optimum."""

MIN_SHARE = 1e-8
"""Regularisation, as a share of the smallest that leaves w = 0, below which the ball counts as too large to
bind."""

RANKSVM_TOL = 1e-10
"""Of the fits of l1 RankSVM, as in `prox_newton.solve`."""


def evaluate_on_ball(problem: PairwiseRanking, w: np.ndarray, radius: float) -> tuple[float, float]:
    """Compute the objective in the ball, the mean squared hinge, and its Frank-Wolfe gap.

    Parameters
    ----------
    problem : PairwiseRanking
        Its penalty plays no part.
    w : ndarray of shape (d,)
        Weights of an ℓ₁ norm of at most the radius.
    radius : float
        Radius of the ℓ₁ ball.

    Returns
    -------
    objective : float
        Mean squared hinge over the preferences.
    gap : float
        Bound of the distance to the optimum in the ball.
    """
    loss = problem.loss(problem.X @ w)
    gradient = problem.gradient(loss) / problem.n_preferences
    # max over the ball of g'(w − v): the maximiser is a vertex (Frank and Wolfe 1956)
    gap = radius * float(np.abs(gradient).max()) + float(gradient @ w)
    return loss.value / problem.n_preferences, max(gap, 0.0)


def minimise_on_ball(problem: PairwiseRanking, radius: float) -> tuple[np.ndarray, float]:
    """Minimise the loss over the ℓ₁ ball, to the precision of a certified fit of ℓ₁ RankSVM.

    The norm of the solution of ℓ₁ RankSVM grows as its regularisation falls: the regularisation at which the
    norm is the radius is found by bracketing and Brent's method.

    Parameters
    ----------
    problem : PairwiseRanking
        Under the ℓ₁ norm.
    radius : float
        Radius of the ball.

    Returns
    -------
    w : ndarray of shape (d,)
        Solution.
    share : float
        Regularisation at which ℓ₁ RankSVM has this solution, over the smallest that leaves w = 0.
    """
    lambda_max, fitted = problem.lambda_max(), {"w": None}

    def compute_norm_excess(log_share: float) -> float:
        """Fit ℓ₁ RankSVM from the last solution; return the relative excess of its norm over the radius.

        Parameters
        ----------
        log_share : float
            Logarithm of the regularisation over the smallest that leaves w = 0.

        Returns
        -------
        float
            ‖w‖₁ / radius − 1.
        """
        # ‖w(λ)‖₁ is continuous and falls in λ: the λ whose solution has norm r is a root in log λ.
        problem_at_share = problem.with_alpha(math.exp(log_share) * lambda_max)
        fitted["w"] = prox_newton.solve(problem_at_share, tol=RANKSVM_TOL, start=fitted["w"]).w
        # Warm starts: the root search asks for neighbouring λ.
        return float(np.abs(fitted["w"]).sum()) / radius - 1.0

    min_log_share = math.log(MIN_SHARE)
    # at the strongest one w is 0; from there the regularisation is weakened until the ball is left
    # bracket the regularisation:
    high, low = 0.0, math.log(0.5)
    while low > min_log_share and compute_norm_excess(low) < 0.0:
        high, low = low, max(low + math.log(0.25), min_log_share)
    log_share = low
    # at the weakest penalty the norm may still be smaller: the ball does not bind
    if compute_norm_excess(low) > 0.0:
        log_share = brentq(compute_norm_excess, low, high, xtol=1e-12, rtol=1e-12)
        # the last call of the root search need not be at the root
        compute_norm_excess(log_share)
    w = fitted["w"]
    # scale back what rounding leaves outside of the ball
    norm = float(np.abs(w).sum())
    return (w * (radius / norm) if norm > radius else w), math.exp(log_share)


def measure_early_stops(problem: PairwiseRanking, radii: Iterable[float]) -> Iterator[dict]:
    """Run FenchelRank with its published stop on balls of several radii, beside their certified optima.

    Parameters
    ----------
    problem : PairwiseRanking
        Under the ℓ₁ norm.
    radii : iterable of float
        Radii of the ℓ₁ balls.

    Yields
    ------
    dict
        With the keys `COLUMNS` from ``radius`` on.
    """
    frank_wolfe.solve(problem, radius=1.0, max_iter=1)  # warms the kernels
    for radius in sorted(radii):
        started = perf_counter()
        w, certificate, n_iter = frank_wolfe.solve(problem, radius=float(radius))
        seconds = perf_counter() - started
        optimal_w, share = minimise_on_ball(problem, float(radius))
        optimum, gap = evaluate_on_ball(problem, optimal_w, float(radius))
        # used variables of both, by the same threshold
        used_variables, optimal_variables = selected_variables(w), selected_variables(optimal_w)
        yield {
            "radius": radius,
            "variables": int(np.count_nonzero(used_variables)),
            "iterations": n_iter,
            "seconds": seconds,
            "status": certificate.status,
            "relative_gap": certificate.relative_gap,
            "excess": certificate.objective / optimum - 1.0,
            "optimum_variables": int(np.count_nonzero(optimal_variables)),
            "shared_variables": int(np.count_nonzero(used_variables & optimal_variables)),
            "optimum_norm": float(np.abs(optimal_w).sum()),
            "optimum_share": share,
            "optimum_gap": gap / optimum,
            "message": "",
        }


def run_experiment(settings: Mapping, *, splits: Iterable[SplitData], **_: Any) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``early_stop`` on one fold of each data set.

    Parameters
    ----------
    settings : mapping
        ``radii``: radii of the ℓ₁ balls.
    splits : iterable of SplitData
        Folds to measure.

    Returns
    -------
    iterator of (str, dict)
        Table and row.
    """
    return measure_problems("early_stop", splits, partial(measure_early_stops, radii=settings["radii"]))
