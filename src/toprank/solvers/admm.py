r"""ADMM, A2DM2 and A2DM2 with restart for top ranking (K15, Algorithms 1 to 3 with the corrections below).

The splitting is K15 eq. (12), which `two_block` states in callbacks. With x = (w, a), y = (b, s) and A = [X⁺,
−1; −X⁻, 1], minimise f₁(x) + f₂(y) subject to A x + y = 0. Here f₁ = (alpha/2)‖w‖² + (λ₁/2)a², and f₂ =
mean_i (1 + b_i)₊² + (λ₂/2)(‖b‖² + ‖s‖²) with s ≤ 0. ADMM has λ₁ = λ₂ = 0; the accelerated methods need
strong convexity and solve the *perturbed* problem, eq. (13), whose optimum is another one than in eq. (11).

Three misprints of the paper are mended here, or nothing converges to the optimum. The γ₂ update of step 3 and
of Algorithm 3, line 6 carries a stray "+ s". Line 5 switches pieces at c = −(1 + λ₂/ρ), not at −1. Line 10
lacks the minus sign of its second case.

One iteration is one sweep over the rows, see `toprank.solvers.admm_rows`; the loop around it serves any two
blocks, `toprank.solvers.alternating_directions`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cholesky

from toprank.clock import CHOLESKY_COST, UNLIMITED, OutOfTime
from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.parameters import check_allowed_values
from toprank.problems.row_kernels import read_lines
from toprank.problems.step_condition import StepCondition
from toprank.problems.top_two_block import two_block
from toprank.solvers.admm_rows import SignedRows
from toprank.solvers.alternating_directions import check_options, iterate
from toprank.solvers.monitor import Monitor
from toprank.solvers.paired_rows import split_segments
from toprank.solvers.solver_specs import A2DM2, ADMM, STOPPING_RULES, A2DM2Restart

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, StepCallback

__all__ = ["PUBLISHED_TOL", "solve", "step_condition", "two_block"]

PUBLISHED_TOL = 1e-4  # K15, section 5.1
#: Objective of K15 eq. (11) from which on the last iterate has diverged. It is 1 at w = 0, so the optimum is
#: then less than the rounding of this value.
DIVERGED_OBJECTIVE = 1.0 / np.finfo(float).eps
#: name -> class of what `solve` takes as its ``method``
METHODS = {spec.name: spec for spec in (ADMM, A2DM2, A2DM2Restart)}

_njit_reordering = njit_cached(fastmath=REORDERING_FLAGS, nogil=True)


@_njit_reordering
def _solve_with_factor(factor: tuple[np.ndarray, np.ndarray], g: np.ndarray, x: np.ndarray) -> None:
    """Set x = −(L L')⁻¹g; the factor is stored both ways, so that both solves run along rows."""
    lower, upper = factor
    n = g.size
    for i in range(n):
        total = -g[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= upper[i, j] * x[j]
        x[i] = total / upper[i, i]


def step_condition(
    problem: TopRanking, rho: float, lambda1: float = 0.01, lambda2: float = 0.01
) -> StepCondition:
    """Theorem 1 of K15 for the step rho, where the accelerated methods minimise eq. (13).

    Its constants are min(alpha, lambda1) and lambda2, and the matrix of y is the identity.

    Parameters
    ----------
    problem : TopRanking
    rho, lambda1, lambda2 : float

    Returns
    -------
    StepCondition
    """
    # ρ(A'A) of the theorem is the largest singular value of A'A, the square of A's spectral norm; B is the
    # identity.
    gram = SignedRows(problem.positives, +1).gram() + SignedRows(problem.negatives, -1).gram()
    norm = math.sqrt(np.linalg.eigvalsh(gram)[-1])
    return StepCondition(rho, min(problem.alpha, lambda1), lambda2, norm, 1.0)


class _FusedSplitting:
    """The splitting of `alternating_directions` whose iteration is one sweep over the rows."""

    def __init__(
        self,
        problem: TopRanking,
        method: ADMM,
        tol: float,
        clock: Clock = UNLIMITED,
    ) -> None:
        # plain ADMM splits eq. (11) itself, the accelerated methods the perturbed eq. (13)
        lambda1, lambda2 = (method.lambda1, method.lambda2) if isinstance(method, A2DM2) else (0.0, 0.0)
        self.restarts = isinstance(method, A2DM2Restart)
        self.problem, self.rho, self.tol, self.stop = problem, method.rho, tol, method.stop
        self.combined = math.inf
        m, d = problem.positives.shape[0], problem.n_features
        self.positives, self.negatives = SignedRows(problem.positives, +1), SignedRows(problem.negatives, -1)
        self.segments = [
            (
                segment.lines,
                self.positives.select(*segment.positives),
                self.negatives.select(*segment.negatives),
            )
            for segment in split_segments(problem.positives, problem.negatives)
        ] or [(None, self.positives, self.negatives)]
        self.strong, self.two_over_m = lambda2, 2.0 / m
        self.ridge = np.full(d + 1, problem.alpha)
        self.ridge[d] = lambda1
        # X'X is symmetric: half the operations of a product
        clock.require_budget((m + problem.negatives.shape[0]) * d**2 + CHOLESKY_COST * d**3 / 3.0)
        # ρA'A + diag(ridge) is factored once: rho is constant here
        gram = self.positives.gram() + self.negatives.gram()
        try:
            lower = cholesky(self.rho * gram + np.diag(self.ridge), lower=True)
        except np.linalg.LinAlgError:
            raise ValueError(
                f"ADMM cannot factor its system at alpha={problem.alpha:g} and rho={self.rho:g}: features of "
                "this scale are collinear to rounding; standardise them, or raise alpha"
            ) from None
        self.factor = (np.ascontiguousarray(lower), np.ascontiguousarray(lower.T))
        self.x = np.empty(d + 1)
        self.g = self.g_plain = np.zeros(d + 1)  # y = γ = 0, hence A'(ρŷ + γ̂) = 0

    def step(self, rho: float, weight: float, restarted: bool) -> tuple[float, float]:
        """One iteration; g = A'(ρŷ + γ̂) and, for a method that restarts, g_plain = A'(ρy + γ) are ready.

        Parameters
        ----------
        rho : float
            Penalty of the augmented Lagrangian.
        weight : float
            Momentum; 0 for plain ADMM.
        restarted : bool

        Returns
        -------
        residual, change : float
        """
        # x-step of K15: (ρA'A + diag(ridge)) x = −A'(ρŷ + γ̂)
        _solve_with_factor(self.factor, self.g_plain if restarted else self.g, self.x)
        constants = (rho, self.strong, self.two_over_m, weight)
        sums, g, g_plain = np.zeros(2), np.zeros(self.x.size), np.zeros(self.x.size)
        for lines, positives, negatives in self.segments:
            if lines is not None:
                read_lines(lines)
            positives.sweep(self.x, self.restarts, restarted, constants, sums, g, g_plain)
            negatives.sweep(self.x, self.restarts, restarted, constants, sums, g, g_plain)
        self.g, self.g_plain = g, g_plain
        residual, change = sums.tolist()
        # m_k of eq. (9): λ − λ̂ is ρ times the residual, so that both terms have the factor ρ.
        self.combined = rho * (residual + change)
        return residual, change

    def needs_dual(self, iteration: int, primal: float) -> bool:
        """Whether the cheap part of the rule allows a stop: the dual residual costs a second pass.

        Parameters
        ----------
        iteration : int
        primal : float

        Returns
        -------
        bool
        """
        # K15 section 5.1 stops only after more than 10 iterations
        cheap_residual = self.combined if self.stop == "combined" else primal
        return iteration > 10 and cheap_residual < self.tol

    def dual_residual(self) -> float:
        """Return ‖ρA'(y − ŷ)‖, which is the gradient of f₁ plus A'γ."""
        gradient = self.ridge * self.x + sum(
            part.transpose_times_multipliers() for part in (self.positives, self.negatives)
        )
        return float(np.linalg.norm(gradient))

    def converged(self, iteration: int, primal: float, dual: float) -> bool:
        """K15's rule (section 5.1), in one of its variants.

        Parameters
        ----------
        iteration : int
        primal, dual : float

        Returns
        -------
        bool
        """
        if self.stop == "combined":
            return self.combined < self.tol
        return primal + (dual / self.rho if self.stop == "published" else dual) < self.tol

    def step_fields(self) -> dict[str, Any]:
        """Return the weights, and their objective in eq. (11) for who asks."""
        w = self.x[:-1].copy()
        return {"w": w, "objective": lambda: self.problem.objective(w)}

    def dual_bound(self) -> float:
        """Bound K15 eq. (11) from below: −γ₂ weighs the positives, −γ₁ the negatives, where non-negative."""
        return self.problem.lower_bound(
            np.maximum(-self.positives.multipliers, 0.0), np.maximum(-self.negatives.multipliers, 0.0)
        )


def solve(
    problem: TopRanking,
    *,
    tol: float = PUBLISHED_TOL,
    max_iter: int = 5000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    method: ADMM | None = None,
) -> Solution:
    """Run ADMM, A2DM2 or A2DM2 with restart on `TopRanking`.

    Parameters
    ----------
    problem : TopRanking
    tol : float
        Stop when, after more than 10 iterations, the sum of residuals that ``method.stop`` names (see the
        notes) is less than this (K15, section 5.1).
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`; a callback makes every iteration compute its dual residual.
    start : ndarray, optional
        Ignored: as in the paper, all starts at zero.
    method : toprank.ADMM, toprank.A2DM2 or toprank.A2DM2Restart, optional
        The algorithm with its constants: the penalty rho of the augmented Lagrangian, the strong convexity
        lambda1 in a and lambda2 in (b, s) that K15 eq. (13) adds, the factor eta of the restart, and how the
        residuals are summed; by default ``ADMM()``.

    Returns
    -------
    Solution
        The last iterate, with objective and lower bound of K15 eq. (11), also where the method minimises the
        perturbed eq. (13); w = 0 with the status "diverged" where that objective exceeds
        `DIVERGED_OBJECTIVE`.

    Raises
    ------
    ValueError
        If an option is out of range, or the linear system is singular to rounding.

    Notes
    -----
    "The sum of the primal and dual residuals", which the paper's rule compares with tol, has three readings:
    "residuals" is ‖r‖ + ‖d‖ with the dual residual that follows from the conditions of optimality,
    d = ρA'(y − ŷ). "combined" is the combined residual of K15 eq. (9), the only sum of two such terms that
    the paper displays. "published" is ‖r‖ + ‖d‖ with d = A'(y − ŷ), as section 2 prints it.
    """
    method = method or ADMM()
    monitor = Monitor(method.name, tol, max_iter, time_limit, callback)
    eta = method.eta if isinstance(method, A2DM2Restart) else None
    check_options(method.name, eta, rho=method.rho)
    check_allowed_values(method, stop=STOPPING_RULES)
    for name, variables in (("lambda1", "a"), ("lambda2", "(b, s)")):
        value = getattr(method, name, None)
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise ValueError(
                f"{name} must be a positive, finite number for {method.name}; got {value!r}: eq. (13) of K15 "
                f"is then not strongly convex in {variables}, and only ADMM solves it"
            )
    try:
        splitting = _FusedSplitting(problem, method, tol, monitor)
    except OutOfTime:
        monitor.status = "time_limit"
        monitor.update_lower_bound(0.0)
        return monitor.solution(np.zeros(problem.n_features), 1.0)
    iterate(splitting, monitor, method.name, method.rho, eta=eta)
    w = splitting.x[:-1].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        objective = problem.objective(w)
    if monitor.status == "diverged" or not objective < DIVERGED_OBJECTIVE:
        # Nothing can be measured at such a point: w = 0 stands for it. Without the bound on the objective,
        # rounding would decide whether the same run overflows in time or ends at max_iter with a ranking.
        monitor.status = "diverged"
        monitor.update_lower_bound(0.0)
        return monitor.solution(np.zeros(problem.n_features), 1.0)
    monitor.update_lower_bound(splitting.dual_bound())
    return monitor.solution(w, objective)
