"""ADMM, A2DM2 and A2DM2 with restart for two blocks (K15, Algorithms 1 and 2 and section 2.1).

The loop is in `toprank.solvers.alternating_directions`; an iteration calls a `TwoBlock`'s callbacks.

K15 prints the primal residual without the factor 1/tau, b − Ax − By = λ − λ̂, and the dual one, A'B(y − ŷ),
without tau. Here both have the factor that follows from the optimality conditions.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from toprank.problems.step_condition import StepCondition
from toprank.problems.two_block import TwoBlock, find_rank_deficiency
from toprank.solvers.alternating_directions import AdaptiveTau, Restart, check_options, iterate
from toprank.solvers.monitor import Monitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from toprank.solvers.monitor import Step


@dataclass(frozen=True, eq=False)
class TwoBlockResult:
    """What `solve` returns.

    Attributes
    ----------
    x : ndarray of shape (n1,)
    y : ndarray of shape (n2,)
    multipliers : ndarray of shape (m,)
        λ_k in the sign of Algorithms 1 and 2, λ ← λ − tau (Ax + By − c). At the optimum A'λ is a subgradient
        of f₁ and B'λ one of f₂.
    status : {"stopped", "max_iterations", "time_limit", "diverged"}
        "stopped" if both residuals are small, or the callback ended the run.
    n_iter : int
    primal_residual, dual_residual : float
        ‖Ax + By − c‖ and tau ‖A'B(y − ŷ)‖ at the last iteration.
    step : StepCondition
        Theorem 1 at the last tau; ``str(step)`` is a sentence.
    trace : dict of ndarrays
        One entry per iteration: iteration, primal_residual, dual_residual, tau, restarted (whether the next
        iteration starts without momentum) and seconds (of the algorithm alone).
    """

    x: np.ndarray
    y: np.ndarray
    multipliers: np.ndarray
    status: str
    n_iter: int
    primal_residual: float
    dual_residual: float
    step: StepCondition
    trace: dict[str, np.ndarray]


def solve(
    problem: TwoBlock,
    variant: Literal["a2dm2", "admm", "a2dm2-restart"] | Restart = "a2dm2",
    tau: float | AdaptiveTau | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    time_limit: float | None = None,
    callback: Callable[..., object] | None = None,
    start: tuple[ArrayLike, ArrayLike] | None = None,
) -> TwoBlockResult:
    """Minimise a `TwoBlock` by ADMM, A2DM2 or A2DM2 with restart.

    Parameters
    ----------
    problem : TwoBlock
    variant : {"a2dm2", "admm", "a2dm2-restart"} or Restart
        `toprank.Restart` sets when A2DM2 restarts; "a2dm2-restart" is ``Restart()``.
    tau : float or AdaptiveTau, optional
        Penalty of the augmented Lagrangian; by default the largest one of Theorem 1, or 1 for ADMM if there
        is none. A larger one is allowed, and reported by ``step`` of the result. With `toprank.AdaptiveTau`
        it balances the residuals.
    tol : float, default=1e-6
        Stop when both residuals are small, absolutely and relatively (Boyd et al. 2011, section 3.3.1): the
        primal one at most tol (√m + max(‖Ax‖, ‖By‖, ‖c‖)), the dual one at most tol (√n1 + ‖A'λ‖).
    max_iter : int, default=1000
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called with a `toprank.solvers.monitor.Step`, whose ``w`` is x, after each iteration. The run ends
        when it returns True.
    start : tuple of ndarrays of shapes (n2,) and (m,), optional
        The y and the multipliers to start from, such as those of another result; by default zeros.

    Returns
    -------
    TwoBlockResult

    Raises
    ------
    ValueError
        If an option is out of range, f₂ is not strongly convex (accelerated methods), a subproblem may have
        several minimisers, or a callback returns NaN or an array of the wrong shape.

    Warns
    -----
    UserWarning
        If f₁ is not strongly convex: an accelerated method may converge, but without a guaranteed rate.

    References
    ----------
    .. [1] M. Kadkhodaie et al. Accelerated alternating direction method of multipliers. KDD 2015 (K15).
    .. [2] S. Boyd et al. Distributed optimization and statistical learning via the alternating direction
       method of multipliers. Foundations and Trends in Machine Learning 3(1), 2011.

    Examples
    --------
    The elastic net, min ‖x‖₁ + ½‖x‖² + ½‖y‖² subject to x + Dy = c, for a diagonal D:

    >>> import numpy as np
    >>> from toprank import TwoBlock, solve_two_block
    >>> from toprank.problems.two_block import from_prox
    >>> d = np.array([1.0, 2.0, 0.5])
    >>> problem = TwoBlock(
    ...     minimise_x=from_prox(lambda v, step: np.sign(v) * np.maximum(np.abs(v) - step, 0.0), ridge=1.0),
    ...     minimise_y=lambda q, tau: q / (1.0 + tau * d**2),
    ...     A=np.eye(3),
    ...     B=np.diag(d),
    ...     c=np.array([3.0, -1.0, 2.0]),
    ...     strong_convexity=(1.0, 1.0),
    ... )
    >>> result = solve_two_block(problem, "a2dm2")
    >>> result.status
    'stopped'
    >>> result.x.round(4) + 0.0
    array([1. , 0. , 1.4])
    >>> print(result.step)
    tau=0.3969 is within the largest step of Theorem 1 of K15, 0.3969: the dual gap of A2DM2 falls as O(1/k²)
    """
    variant, eta = _resolve_variant(variant)
    adapts = isinstance(tau, AdaptiveTau)
    tau = tau.first if adapts else tau
    check_options(variant, eta, {"tau": tau, "time_limit": time_limit}, tol=tol, max_iter=max_iter)
    tau = _check_problem(problem, variant, tau)
    splitting = _CallbackSplitting(problem, variant != "admm", tol, start)
    trace = []

    def record(step: Step) -> bool:
        """Append a step to the trace, then call the caller's callback; return whether it ends the run.

        Parameters
        ----------
        step : Step
        """
        trace.append((step.iteration, step.primal, step.dual, step.tau, step.restarted, step.seconds))
        return callback is not None and callback(step)

    monitor = Monitor(variant, tol, max_iter, time_limit, record)
    largest_tau = None
    if adapts:
        largest_tau = math.inf if variant == "admm" else max(tau, problem.step_condition(tau).largest_tau)
    # the status reports a divergence, so no warning about overflow is needed
    with np.errstate(over="ignore", invalid="ignore"):
        last_tau = iterate(splitting, monitor, variant, tau, eta=eta, largest_tau=largest_tau)
    names = ("iteration", "primal_residual", "dual_residual", "tau", "restarted", "seconds")
    trace = dict(zip(names, map(np.array, zip(*trace, strict=True) if trace else [()] * 6), strict=True))
    diverged = monitor.status == "diverged" or not trace["iteration"].size
    return TwoBlockResult(
        splitting.x,
        splitting.y,
        splitting.multipliers,
        monitor.status,
        monitor.n_iter,
        math.inf if diverged else trace["primal_residual"][-1],
        math.inf if diverged else trace["dual_residual"][-1],
        problem.step_condition(last_tau),
        trace,
    )


def _resolve_variant(variant: str | Restart) -> tuple[str, float | None]:
    """Return the name of a variant, and the factor of its restart, if it has one."""
    restart = Restart() if variant == "a2dm2-restart" else variant
    return ("a2dm2-restart", restart.eta) if isinstance(restart, Restart) else (variant, None)


def _check_problem(problem: TwoBlock, variant: str, tau: float | None) -> float:
    """Check that the variant suits the problem; return the step."""
    if not isinstance(problem, TwoBlock):
        raise ValueError(f"the problem must be a TwoBlock; got {type(problem).__name__}")
    accelerated = variant != "admm"
    sigma_x, sigma_y = problem.strong_convexity
    if accelerated and not sigma_y:
        constants = "sigma_y of strong_convexity is" if sigma_x else "both constants of strong_convexity are"
        raise ValueError(
            f"{variant} needs a strongly convex f2, and {constants} 0: its step argmin f2(y) - (B'λ)'y need "
            "not exist; declare the constant, add a ridge to f2, or take the variant 'admm'"
        )
    for sigma, matrix, name, part in ((sigma_x, problem.A, "A", "f1"), (sigma_y, problem.B, "B", "f2")):
        deficient = None if sigma else find_rank_deficiency(matrix)
        if deficient:
            rank, n = deficient
            raise ValueError(
                f"{name} has rank {rank} but {n} columns and {part} is not declared strongly convex, so its "
                f"subproblem need not have a unique minimiser: drop the dependent columns, or add a ridge to "
                f"{part} and declare it in strong_convexity (or pass {name} as a LinearOperator, whose rank "
                "is not checked)"
            )
    largest = problem.step_condition(1.0).largest_tau
    if accelerated and not sigma_x:
        if tau is None:
            raise ValueError(
                "sigma_x of strong_convexity is 0: f1 is not strongly convex, so Theorem 1 allows no step "
                f"for {variant}; declare the constant, add a ridge to f1, or give tau"
            )
        warnings.warn(
            f"sigma_x of strong_convexity is 0: f1 is not strongly convex, so no rate is guaranteed and "
            f"{variant} may not converge",
            stacklevel=3,
        )
    if tau is None:
        return largest if 0.0 < largest < math.inf else 1.0
    return float(tau)


class _CallbackSplitting:
    """The iterations of a `TwoBlock` by its callbacks."""

    def __init__(
        self,
        problem: TwoBlock,
        accelerated: bool,
        tol: float,
        start: tuple[ArrayLike, ArrayLike] | None,
    ) -> None:
        self.problem, self.accelerated, self.tol = problem, accelerated, tol
        m, n1, n2 = problem.shape
        self.x = np.zeros(n1)
        self.y, self.multipliers = (
            (np.zeros(n2), np.zeros(m)) if start is None else _check_start(start, n2, m)
        )
        self.last = self.multipliers
        self.weight = 0.0
        self.iteration = 0

    def step(self, tau: float, weight: float, restarted: bool) -> tuple[float, float]:
        """Run one iteration of Algorithm 2, which begins with the extrapolated point.

        Parameters
        ----------
        tau, weight : float
        restarted : bool
            See `toprank.solvers.alternating_directions.Splitting`.

        Returns
        -------
        residual, change : float
        """
        problem, c = self.problem, self.problem.c
        self.iteration += 1
        y_hat, multipliers_hat = self.y, self.multipliers
        if self.accelerated and not restarted:
            multipliers_hat = self.multipliers + self.weight * (self.multipliers - self.last)
            y_hat = self._call("minimise_y", problem.apply_B_transposed(multipliers_hat), 0.0, self.y.shape)
        By_hat = problem.apply_B(y_hat)
        # the two blocks in turn, each at fixed multipliers: Gauss–Seidel
        self.x = self._call(
            "minimise_x", problem.A.T @ (multipliers_hat - tau * (By_hat - c)), tau, self.x.shape
        )
        Ax = problem.A @ self.x
        q = problem.apply_B_transposed(multipliers_hat - tau * (Ax - c))
        self.y = self._call("minimise_y", q, tau, self.y.shape)
        By = problem.apply_B(self.y)
        residual, self.change = Ax + By - c, By - By_hat
        # K15 writes the Lagrangian with −λ', so the residual is subtracted
        self.last, self.multipliers = self.multipliers, multipliers_hat - tau * residual
        self.weight, self.tau = weight, tau
        self.scale = max(np.linalg.norm(Ax), np.linalg.norm(By), np.linalg.norm(c))
        return float(residual @ residual), float(self.change @ self.change)

    def needs_dual(self, iteration: int, primal: float) -> bool:
        """Return True: the dual residual belongs to the trace."""
        return True

    def dual_residual(self) -> float:
        """Return the dual residual tau ‖A'B(y − ŷ)‖."""
        return float(self.tau * np.linalg.norm(self.problem.A.T @ self.change))

    def converged(self, iteration: int, primal: float, dual: float) -> bool:
        """Whether both residuals are small (Boyd et al. 2011, section 3.3.1).

        Parameters
        ----------
        iteration, primal, dual
            As in `toprank.solvers.alternating_directions.Splitting`.
        """
        threshold = self.tol * (math.sqrt(self.multipliers.size) + self.scale)
        # in a diverging run these norms may overflow before the residual does
        if primal > threshold or not math.isfinite(threshold):
            return False
        # the dual threshold is relative to ‖A'λ‖
        slope = np.linalg.norm(self.problem.A.T @ self.multipliers)
        threshold = self.tol * (math.sqrt(self.x.size) + slope)
        return bool(dual <= threshold and math.isfinite(threshold))

    def step_fields(self) -> dict[str, Any]:
        """Return copies of the blocks and the multipliers, and a function for the objective."""
        x, y = self.x.copy(), self.y.copy()
        return {
            "w": x,
            "objective": lambda: self.problem.objective(x, y),
            "y": y,
            "multipliers": self.multipliers.copy(),
        }

    def _call(self, name: str, q: np.ndarray, tau: float, shape: tuple[int, ...]) -> np.ndarray:
        """Call a callback and check what it returns."""
        minimiser = getattr(self.problem, name)(q, tau)
        place = f"{name} at iteration {self.iteration} (tau={tau:g})"
        try:
            if minimiser is None:  # numpy would make it NaN
                raise TypeError
            minimiser = np.array(minimiser, dtype=float)  # a copy: the callback may reuse its array
        except (TypeError, ValueError):
            raise ValueError(
                f"{place} returned {type(minimiser).__name__}, not an array of numbers"
            ) from None
        if minimiser.shape != shape:
            raise ValueError(f"{place} returned an array of shape {minimiser.shape}; it must be {shape}")
        # if q itself is not finite, the method diverges and the callback is right
        if not np.isfinite(minimiser).all() and np.isfinite(q).all():
            raise ValueError(f"{place} returned NaN or infinite values for a finite q")
        return minimiser


def _check_start(start: tuple[ArrayLike, ArrayLike], n2: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Check a starting point; return copies of its two parts."""
    if len(start) != 2:
        raise ValueError(f"start must be the pair of y and the multipliers; got {len(start)} parts")
    y, multipliers = (np.array(part, dtype=float) for part in start)
    for name, part, size in (("y", y, n2), ("multipliers", multipliers, m)):
        if part.shape != (size,) or not np.isfinite(part).all():
            raise ValueError(
                f"{name} of start must be finite and of shape ({size},); got an array of shape {part.shape}"
            )
    return y, multipliers
