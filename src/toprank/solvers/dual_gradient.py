"""TopPush: accelerated projected gradient on the dual of top ranking (Li, Jin and Zhou 2014, Algorithm 1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toprank.jit import REORDERING_FLAGS, njit_cached
from toprank.projections import solve_balance_equation
from toprank.solvers.monitor import Monitor, advance_momentum
from toprank.solvers.paired_rows import pair_rows

if TYPE_CHECKING:
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, StepCallback

# stopping rule of the authors' program: relative change of the dual, and length of a step
PUBLISHED_TOL = 1e-4
PUBLISHED_STEP = 1e-6
_STALL_RTOL = 1e-14  # a step this short relative to the point is within its rounding

_njit_reordering = njit_cached(fastmath=REORDERING_FLAGS)


@_njit_reordering
def _take_gradient_step(
    a, a_old, p, p_old, b, b_old, q, q_old, weight, scale, lipschitz, target_a, target_b
) -> None:
    """Extrapolate and take a gradient step there; ``target_b`` holds *minus* the point to be projected."""
    for i in range(a.size):
        extrapolated = a[i] + weight * (a[i] - a_old[i])
        score = p[i] + weight * (p[i] - p_old[i])
        target_a[i] = extrapolated - (scale * score - 1.0 + 0.5 * extrapolated) / lipschitz
    for j in range(b.size):
        extrapolated = b[j] + weight * (b[j] - b_old[j])
        score = q[j] + weight * (q[j] - q_old[j])
        target_b[j] = -extrapolated - scale * score / lipschitz


@_njit_reordering
def _finish_projection(
    a, a_old, b, b_old, weight, target_a, target_b, shift, new_a, new_b
) -> tuple[float, float, float]:
    """Finish the projection; return ‖step‖² by halves and step'(new − old), step = new − extrapolated."""
    length_a, length_b, uphill = 0.0, 0.0, 0.0
    for i in range(a.size):
        value = max(target_a[i] - shift, 0.0)
        step = value - (a[i] + weight * (a[i] - a_old[i]))
        length_a += step * step
        uphill += step * (value - a[i])
        new_a[i] = value
    for j in range(b.size):
        value = max(shift - target_b[j], 0.0)
        step = value - (b[j] + weight * (b[j] - b_old[j]))
        length_b += step * step
        uphill += step * (value - b[j])
        new_b[j] = value
    return length_a, length_b, uphill


def solve(
    problem: TopRanking,
    *,
    tol: float | None = None,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    stop: str = "published",
) -> Solution:
    r"""Minimise `TopRanking` through its dual.

    The dual in the paper's scale is the minimum over :math:`a, b \ge 0, \sum a = \sum b` of
    :math:`\|X^{+\prime}a - X^{-\prime}b\|^2 / (2\alpha m) + \sum_i(-a_i + a_i^2/4)`, with
    :math:`w = (X^{+\prime}a - X^{-\prime}b)/(\alpha m)`.

    Parameters
    ----------
    problem : TopRanking
    tol : float, optional
        Of the rule that ``stop`` names. A negative one never stops: the run goes on to ``max_iter``.
    max_iter : int
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray, optional
        Ignored: the iterates live in the dual, and start at zero.
    stop : {"published", "gap"}
        "published" is the rule of the authors' program. After 10 iterations it asks for a change of the dual
        objective of at most ``tol`` (1e-4) of its previous value, or for a step of at most 1e-2 ``tol``. It
        says little about the distance to the optimum. "gap" stops at a relative duality gap of ``tol``
        (1e-6), and restarts the momentum where it points uphill.

    Returns
    -------
    Solution
    """
    by_gap = stop == "gap"
    if tol is None:
        tol = 1e-6 if by_gap else PUBLISHED_TOL
    monitor = Monitor("dual", tol, max_iter, time_limit, callback)
    shortest_step = PUBLISHED_STEP / PUBLISHED_TOL * tol
    rows = pair_rows(problem.positives, problem.negatives)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    scale = 1.0 / (problem.alpha * m)

    # The direction v = X⁺'a − X⁻'b and its scores p, q are linear in (a, b), so they are carried along and
    # extrapolated with it. An iteration costs one pass over the data for v and one for the scores. The primal
    # value at the iterate costs nothing more.
    a, b, v, p, q = np.zeros(m), np.zeros(n), np.zeros(problem.n_features), np.zeros(m), np.zeros(n)
    a_old, b_old, v_old, p_old, q_old = a.copy(), b.copy(), v, p, q
    target_a, target_b, new_a, new_b = np.empty(m), np.empty(n), np.empty(m), np.empty(n)
    # as t₋₁ = 0 and t₀ = 1 in the paper do, 1 and 1 start the momentum one iteration later than is usual
    t_old, t = 1.0, 1.0
    lipschitz, shift, value = 1.0 / m, 0.0, 0.0
    if by_gap:
        monitor.update_best(np.zeros(problem.n_features), 1.0)
    for n_iter in monitor.iterations():
        # the extrapolated point is not formed: weight is passed on, and applied entry by entry
        weight = (t_old - 1.0) / t
        while True:
            _take_gradient_step(
                a, a_old, p, p_old, b, b_old, q, q_old, weight, scale, lipschitz, target_a, target_b
            )
            # projection on a, b ≥ 0, Σ a = Σ b: one scalar root, warm-started from the last shift
            shift = solve_balance_equation(target_a, target_b, shift)
            length_a, length_b, uphill = _finish_projection(
                a, a_old, b, b_old, weight, target_a, target_b, shift, new_a, new_b
            )
            new_v = rows.combine(new_a, new_b)
            step_v = new_v - v - weight * (v - v_old)
            # the exact excess of the quadratic over its linearisation: no cancellation, unlike a difference
            # of two values
            if scale * (step_v @ step_v) + 0.5 * length_a <= lipschitz * (length_a + length_b) * (1 + 1e-12):
                break
            # a step within the rounding of the point stays one at any step size: the run has nowhere to go
            if length_a + length_b <= _STALL_RTOL**2 * (a @ a + b @ b):
                break
            # backtracking: the constant starts at 1/m, doubles, and never falls
            lipschitz *= 2.0
            if not math.isfinite(lipschitz):
                raise FloatingPointError(
                    "the step size of TopPush vanished; check that X is finite, and standardise the features"
                )
        a, a_old, new_a = new_a, a, a_old
        b, b_old, new_b = new_b, b, b_old
        v, v_old = new_v, v
        p_old, q_old = p, q
        p, q = rows.compute_scores(v)
        t_old, t = t, advance_momentum(t)
        old_value, value = value, 0.5 * scale * (v @ v) - a.sum() + 0.25 * (a @ a)
        small_change = abs(value - old_value) <= tol * abs(old_value)

        w = scale * v
        if by_gap:
            bound = problem.lower_bound(a, b, direction=v / a.sum()) if a.sum() > 0 else 0.0
            if monitor.update(w, problem.objective(w, (scale * p, scale * q)), bound):
                break
            if uphill < 0.0:
                t_old = t = 1.0
            continue
        rule_status = (n_iter > 10 and small_change) or math.sqrt(length_a + length_b) <= shortest_step
        objective = math.nan
        if callback is not None:
            with monitor.pause():
                objective = problem.objective(w, (scale * p, scale * q))
                monitor.update_lower_bound(
                    problem.lower_bound(a, b, direction=v / a.sum()) if a.sum() > 0 else 0.0
                )
        if monitor.check_stop("stopped" if rule_status else None, w, objective):
            break
    if by_gap:
        return monitor.solution()
    w = scale * v
    monitor.update_lower_bound(problem.lower_bound(a, b, direction=v / a.sum()) if a.sum() > 0 else 0.0)
    return monitor.solution(w, problem.objective(w, (scale * p, scale * q)))
