r"""ADMM, A2DM2 and A2DM2 with restart for top ranking (K15, Algorithms 1 to 3 with the corrections below).

The splitting is K15 eq. (12): with x = (w, a), y = (b, s) and A = [X⁺, −1; −X⁻, 1], minimise f₁(x) + f₂(y)
subject to A x + y = 0, where f₁ = (alpha/2)‖w‖² + (λ₁/2)a² and f₂ = mean_i (1 + b_i)₊² + (λ₂/2)(‖b‖² + ‖s‖²)
with s ≤ 0. ADMM has λ₁ = λ₂ = 0; the accelerated methods need strong convexity and solve the *perturbed*
problem, eq. (13), whose optimum is not that of eq. (11).

Three misprints of the paper are mended here, or nothing converges to the optimum: the γ₂ update of step 3 and
of Algorithm 3, line 6 carries a stray "+ s"; line 5 switches pieces at c = −(1 + λ₂/ρ), not at −1; line 10
lacks the minus sign of its second case.

One iteration is one sweep over the rows; see `toprank.solvers.admm_rows`.
"""

from __future__ import annotations

import math
from time import perf_counter

import numba
import numpy as np
from scipy.linalg import cholesky

from toprank.certificate import Certificate
from toprank.solvers.admm_rows import SignedRows

PUBLISHED_TOL = 1e-4
VARIANTS = ("admm", "a2dm2", "a2dm2-restart")

_compiled = numba.njit(cache=True, fastmath={"reassoc", "contract", "nsz"}, nogil=True)


@_compiled
def _solve_factored(factor, g, x):
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


def _dual_bound(problem, positives, negatives):
    """Bound K15 eq. (11) from below: −γ₂ weighs the positives and −γ₁ the negatives, where non-negative."""
    return problem.lower_bound(
        np.maximum(-positives.multipliers, 0.0), np.maximum(-negatives.multipliers, 0.0)
    )


def solve(
    problem,
    variant="admm",
    rho=0.1,
    lambda1=0.01,
    lambda2=0.01,
    eta=0.8,
    tol=PUBLISHED_TOL,
    max_iter=5000,
    time_limit=None,
    callback=None,
):
    """Run ADMM, A2DM2 or A2DM2 with restart on `TopRanking`.

    Parameters
    ----------
    problem : TopRanking
    variant : {"admm", "a2dm2", "a2dm2-restart"}
    rho : float
        Penalty of the augmented Lagrangian; positive.
    lambda1, lambda2 : float
        The added strong convexity in a and in (b, s), K15 eq. (13); positive. Plain ADMM does not use them.
    eta : float
        Restart when the combined residual, K15 eq. (9), exceeds eta times the last one.
    tol : float
        Stop when, after more than 10 iterations, the primal and dual residuals add up to less than this (K15,
        section 5.1).
    max_iter : int
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        Called as ``callback(iteration, w, primal_residual, dual_residual, seconds)``; it makes every
        iteration compute its dual residual. ``seconds`` is the time of the algorithm alone, without that of
        the callback and of the dual residuals computed for it.

    Returns
    -------
    w : ndarray of shape (d,)
    certificate : Certificate
        Objective and lower bound of K15 eq. (11), also where the method minimises the perturbed eq. (13).
    n_iter : int

    Raises
    ------
    ValueError
        If the linear system is singular to rounding.
    """
    started = perf_counter()
    accelerated, restarts = variant != "admm", variant == "a2dm2-restart"
    strong = lambda2 if accelerated else 0.0
    m, d = problem.positives.shape[0], problem.n_features
    positives, negatives = SignedRows(problem.positives, +1), SignedRows(problem.negatives, -1)
    parts = (positives, negatives)

    added = np.full(d + 1, problem.alpha)
    added[d] = lambda1 if accelerated else 0.0
    try:
        lower = cholesky(rho * (positives.gram() + negatives.gram()) + np.diag(added), lower=True)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ADMM cannot factor its system at alpha={problem.alpha:g} and rho={rho:g}: features of this "
            "scale are collinear to rounding; standardise them, or raise alpha"
        ) from None
    factor = (np.ascontiguousarray(lower), np.ascontiguousarray(lower.T))

    x, g = np.empty(d + 1), np.zeros(d + 1)  # y = γ = 0, hence A'(ρŷ + γ̂) = 0
    momentum, restarted, last_combined = 1.0, False, math.inf
    status, n_iter = "max_iterations", 0
    for n_iter in range(1, max_iter + 1):
        _solve_factored(factor, g, x)
        next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        weight = (momentum - 1.0) / next_momentum if accelerated else 0.0
        sums, g, g_plain = np.zeros(2), np.zeros(d + 1), np.zeros(d + 1)
        for part in parts:
            part.sweep(x, restarts, restarted, (rho, strong, 2.0 / m, weight), sums, g, g_plain)
        momentum = next_momentum
        primal = math.sqrt(sums[0])
        if not math.isfinite(primal):
            status = "diverged"
            break
        # the dual residual ρA'(y − ŷ) costs a second pass: it matters only where the primal one is small
        # enough to stop
        if callback is not None or (n_iter > 10 and primal < tol):
            paused = perf_counter()
            dual = float(
                np.linalg.norm(added * x + sum(part.transpose_times_multipliers() for part in parts))
            )
            if callback is not None:
                callback(n_iter, x[:d].copy(), primal, dual, paused - started)
                started += perf_counter() - paused
            if n_iter > 10 and primal + dual < tol:
                status = "optimal"
                break
        if restarts:
            combined = rho * (sums[0] + sums[1])
            restarted = combined > eta * last_combined
            last_combined = combined
            if restarted:
                momentum, g = 1.0, g_plain
        if time_limit is not None and perf_counter() - started > time_limit:
            status = "time_limit"
            break
    w = x[:d].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        objective = problem.objective(w)
    if status == "diverged" or not math.isfinite(objective):
        # nothing can be measured at such a point: w = 0 stands for it
        return np.zeros(d), Certificate(1.0, "diverged", 0.0), n_iter
    return (
        w,
        Certificate(objective, status, min(_dual_bound(problem, positives, negatives), objective)),
        n_iter,
    )
