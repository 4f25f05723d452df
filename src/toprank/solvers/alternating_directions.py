"""The common loop of ADMM, A2DM2 and A2DM2 with restart (K15, Algorithms 1 and 2 and section 2.1).

Momentum, restart and adaptive penalty are here. A *splitting* updates x, y and the multipliers: by the
callbacks of a `TwoBlock` in `toprank.solvers.two_block`, or by a fused sweep over the rows of a ranking
problem in `toprank.solvers.admm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

from toprank.parameters import is_number
from toprank.solvers.monitor import advance_momentum

if TYPE_CHECKING:
    from toprank.solvers.monitor import Monitor

VARIANTS = ("admm", "a2dm2", "a2dm2-restart")

# residual balancing (He, Yang and Wang 2000), with the constants of Boyd et al. (2011), section 3.4.1
RESIDUAL_RATIO_MAX, TAU_FACTOR = 10.0, 2.0
#: tau may change once in so many iterations, so that residuals and momentum can settle in between
ADAPTATION_ITERATIONS = 10


@dataclass(frozen=True)
class Restart:
    """A2DM2 with restart (K15, section 2.1), as the ``variant`` of `toprank.solve_two_block`.

    Parameters
    ----------
    eta : float, default=0.8
        Restart when the combined residual, K15 eq. (9), exceeds eta times the last one; strictly between 0
        and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import Restart, TwoBlock, solve_two_block
    >>> shrink = lambda q, tau: q / (1.0 + tau)  # f(x) = ½‖x‖², and the matrix is the identity
    >>> problem = TwoBlock(shrink, shrink, np.eye(2), c=np.ones(2), strong_convexity=(1.0, 1.0))
    >>> solve_two_block(problem, Restart(eta=0.9)).x.round(3)
    array([0.5, 0.5])
    """

    eta: float = 0.8


@dataclass(frozen=True)
class AdaptiveTau:
    """A penalty that balances the residuals, as the ``tau`` of `toprank.solve_two_block`.

    tau is doubled if the primal residual is more than 10 times the dual one, and halved in the opposite case;
    the momentum then starts again. For the accelerated methods it never exceeds the larger one of Theorem 1's
    step and the first tau.

    Parameters
    ----------
    first : float, optional
        The first tau; by default as without adaptation.

    References
    ----------
    .. [1] B. He, H. Yang, S. Wang. Alternating direction method with self-adaptive penalty parameters for
       monotone variational inequalities. Journal of Optimization Theory and Applications 106, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import AdaptiveTau, TwoBlock, solve_two_block
    >>> shrink = lambda q, tau: q / (1.0 + tau)  # f(x) = ½‖x‖², and the matrix is the identity
    >>> problem = TwoBlock(shrink, shrink, np.eye(2), c=np.ones(2), strong_convexity=(1.0, 1.0))
    >>> result = solve_two_block(problem, "admm", AdaptiveTau(first=1e-3))
    >>> result.x.round(3), bool(result.trace["tau"][-1] > 1e-3)
    (array([0.5, 0.5]), True)
    """

    first: float | None = None


class Splitting(Protocol):
    """What `iterate` asks of a problem: one iteration in x, y and the multipliers, and its residuals."""

    def step(self, tau: float, weight: float, restarted: bool) -> tuple[float, float]:
        """Run one iteration.

        Parameters
        ----------
        tau : float
            Penalty of the augmented Lagrangian.
        weight : float
            Momentum with which the new multipliers are extrapolated; 0 for plain ADMM.
        restarted : bool
            Whether to start from (y, λ) instead of the extrapolated (ŷ, λ̂).

        Returns
        -------
        residual, change : float
            ‖Ax + By − c‖² and ‖B(y − ŷ)‖².
        """

    def needs_dual(self, iteration: int, primal: float) -> bool:
        """Whether the dual residual can end the run in this iteration.

        Parameters
        ----------
        iteration : int
        primal : float
            Norm of the primal residual.

        Returns
        -------
        bool
        """

    def dual_residual(self) -> float:
        """Return the norm of the dual residual of the last step.

        Returns
        -------
        float
        """

    def converged(self, iteration: int, primal: float, dual: float) -> bool:
        """Whether the splitting's own stopping rule is met.

        Parameters
        ----------
        iteration : int
        primal, dual : float
            Norms of the primal and dual residuals.

        Returns
        -------
        bool
        """

    def step_fields(self) -> dict[str, Any]:
        """Return the fields of a `toprank.solvers.monitor.Step` for the callback.

        Returns
        -------
        dict of str to object
        """


def check_options(
    variant: str,
    eta: float | None = None,
    optional: dict[str, float | None] | None = None,
    **positive: float,
) -> None:
    """Raise a ValueError unless the options of `iterate` are in range.

    Parameters
    ----------
    variant : {"admm", "a2dm2", "a2dm2-restart"}
    eta : float, optional
        Strictly between 0 and 1.
    optional : dict of str to float or None, optional
        Options that may be None.
    **positive : float
        Options that must be positive and finite; ``max_iter`` a whole number.

    Raises
    ------
    ValueError
        If an option is out of range.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}; it must be one of {', '.join(VARIANTS)}")
    if eta is not None and not (is_number(eta) and 0.0 < eta < 1.0):
        raise ValueError(f"eta must lie strictly between 0 and 1; got {eta!r}")
    present = {name: value for name, value in (optional or {}).items() if value is not None}
    for name, value in (positive | present).items():
        if not (is_number(value) and math.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} must be a positive, finite number; got {value!r}")
        if name == "max_iter" and not isinstance(value, Integral):
            raise ValueError(f"{name} must be a whole number; got {value!r}")


def iterate(
    splitting: Splitting,
    monitor: Monitor,
    variant: str,
    tau: float,
    *,
    eta: float | None = None,
    largest_tau: float | None = None,
) -> float:
    """Run one of the variants on a splitting, until the monitor or the splitting's own rule ends it.

    Parameters
    ----------
    splitting : Splitting
    monitor : Monitor
    variant : {"admm", "a2dm2", "a2dm2-restart"}
    tau : float
        Penalty of the augmented Lagrangian.
    eta : float, optional
        Restart when the combined residual, K15 eq. (9), exceeds eta times the last one; by default never.
    largest_tau : float, optional
        Balance the residuals by a tau of at most this; by default tau is constant. It is halved or doubled at
        most every 10th iteration, in the first half of the iterations.

    Returns
    -------
    float
        The tau of the last iteration.
    """
    accelerated = variant != "admm"
    momentum, restarted, last_combined, used_tau = 1.0, True, math.inf, tau
    for n_iter in monitor.iterations():
        used_tau = tau
        new_momentum = advance_momentum(momentum)
        # momentum of K15 Algorithm 2; Algorithm 1, plain ADMM, has none
        weight = (momentum - 1.0) / new_momentum if accelerated else 0.0
        residual, change = splitting.step(tau, weight, restarted)
        primal = math.sqrt(residual)
        if not math.isfinite(primal):
            monitor.status = "diverged"
            break
        momentum, restarted, rule_status, step_fields = new_momentum, False, None, {}
        # restart (K15 section 2.1) if the combined residual of eq. (9) has not fallen by the factor eta
        if eta is not None:
            combined = tau * (residual + change)
            restarted = combined > eta * last_combined
            last_combined = combined
        needs_dual = splitting.needs_dual(n_iter, primal)
        if needs_dual or monitor.callback is not None:
            if needs_dual:
                dual = splitting.dual_residual()
                rule_status = "stopped" if splitting.converged(n_iter, primal, dual) else None
            else:
                with monitor.pause():  # for the callback alone
                    dual = splitting.dual_residual()
            # residual balancing ends halfway, so that the second half runs with a constant tau
            if (
                largest_tau is not None
                and n_iter % ADAPTATION_ITERATIONS == 0
                and 2 * n_iter <= monitor.max_iter
            ):
                tau = _balance_tau(tau, primal, dual, largest_tau)
                if tau != used_tau:
                    restarted, last_combined = True, math.inf  # the last one belongs to another tau
            if monitor.callback is not None:
                with monitor.pause():
                    step_fields = splitting.step_fields()
                step_fields |= {"primal": primal, "dual": dual, "tau": used_tau, "restarted": restarted}
        if monitor.check_stop(rule_status, **step_fields):
            break
        if restarted:
            momentum = 1.0
    return used_tau


def _balance_tau(tau: float, primal: float, dual: float, largest: float) -> float:
    """Return the tau that brings the residuals nearer to each other."""
    # a large primal residual asks for a larger penalty, a large dual one for a smaller
    if primal > RESIDUAL_RATIO_MAX * dual:
        return max(tau, min(TAU_FACTOR * tau, largest))
    return tau / TAU_FACTOR if dual > RESIDUAL_RATIO_MAX * primal else tau
