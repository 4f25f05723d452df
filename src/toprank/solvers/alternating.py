"""The one loop of ADMM, A2DM2 and A2DM2 with restart (K15, Algorithms 1 and 2 and section 2.1).

Momentum, restart, stopping, clock and adaptive penalty are here. What an iteration does to x, y and the
multipliers is a *splitting*: the callbacks of a `TwoBlock` in `toprank.solvers.two_block`, the fused sweep
over the rows of a ranking problem in `toprank.solvers.admm`.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import NamedTuple

VARIANTS = ("admm", "a2dm2", "a2dm2-restart")

# residual balancing (He, Yang and Wang 2000), with the constants of Boyd et al. (2011), section 3.4.1
BALANCE, FACTOR = 10.0, 2.0
#: tau may change after each so many iterations, so that the residuals, and the momentum, can settle between
ADAPT_EVERY = 10


class Step(NamedTuple):
    """What an iteration tells who watches."""

    iteration: int
    primal: float
    dual: float
    seconds: float  # of the algorithm alone, without the time of the watching
    tau: float
    restarted: bool  # whether the next iteration starts without momentum


class End(NamedTuple):
    """How the loop ended."""

    status: str
    n_iter: int
    tau: float  # of the last iteration


def check_options(variant, eta, **positive):
    """Raise a ValueError unless the options of `iterate` are in range."""
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}; it must be one of {', '.join(VARIANTS)}")
    if not 0.0 < eta < 1.0:
        raise ValueError(f"eta must lie strictly between 0 and 1; got {eta!r}")
    for name, value in positive.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} must be a positive, finite number; got {value!r}")


def iterate(
    splitting, variant, tau, *, eta, max_iter, time_limit=None, started=None, watch=None, largest_tau=None
):
    """Run one of the variants on a splitting.

    Parameters
    ----------
    splitting : object
        With the methods ``step(tau, weight, restarted)``, one iteration, which returns ‖Ax + By − c‖² and
        ‖B(y − ŷ)‖²: ``restarted`` says that it starts from (y, λ) itself, not from the extrapolated (ŷ, λ̂),
        and ``weight`` is the momentum with which the multipliers that it finds are extrapolated;
        ``needs_dual(iteration, primal)``, whether the dual residual may decide; ``dual_residual()``; and
        ``converged(iteration, primal, dual)``.
    variant : {"admm", "a2dm2", "a2dm2-restart"}
    tau : float
        Penalty of the augmented Lagrangian.
    eta : float
        Restart when the combined residual, K15 eq. (9), exceeds eta times the last one.
    max_iter : int
    time_limit : float, optional
        Seconds, without those of ``watch``.
    started : float, optional
        Reading of the clock when the work began; by default now.
    watch : callable, optional
        Called with a `Step` after each iteration; ends the run where it returns True.
    largest_tau : float, optional
        Balance the residuals by a tau of at most this; by default tau stays. It is halved or doubled at most
        every 10th iteration and in the first half of ``max_iter`` only: a tau that keeps changing has no
        proof of convergence.

    Returns
    -------
    End
    """
    accelerated, restarts = variant != "admm", variant == "a2dm2-restart"
    started = perf_counter() if started is None else started
    momentum, restarted, last_combined = 1.0, True, math.inf
    status, n_iter, taken, stopped = "max_iterations", 0, tau, False
    for n_iter in range(1, max_iter + 1):
        taken = tau
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        weight = (momentum - 1.0) / following if accelerated else 0.0
        residual, change = splitting.step(tau, weight, restarted)
        primal = math.sqrt(residual)
        if not math.isfinite(primal):
            status = "diverged"
            break
        momentum, restarted = following, False
        if restarts:
            combined = tau * (residual + change)
            restarted = combined > eta * last_combined
            last_combined = combined
        needed = splitting.needs_dual(n_iter, primal)
        if needed or watch is not None:
            paused = perf_counter()
            dual = splitting.dual_residual()
            if needed:
                paused = perf_counter()  # it is the algorithm's own
            converged = needed and splitting.converged(n_iter, primal, dual)
            if largest_tau is not None and n_iter % ADAPT_EVERY == 0 and 2 * n_iter <= max_iter:
                tau = _balanced(tau, primal, dual, largest_tau)
                if tau != taken:
                    restarted, last_combined = True, math.inf  # the last one was measured with another tau
            if watch is not None:
                stopped = watch(Step(n_iter, primal, dual, paused - started, taken, restarted))
                started += perf_counter() - paused
            if converged:
                status = "optimal"
                break
            if stopped:
                break
        if restarted:
            momentum = 1.0
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
    return End(status, n_iter, taken)


def _balanced(tau, primal, dual, largest):
    """Return the tau that brings the residuals nearer to each other."""
    if primal > BALANCE * dual:
        return max(tau, min(FACTOR * tau, largest))
    return tau / FACTOR if dual > BALANCE * primal else tau
