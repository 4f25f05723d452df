"""Exact top ranking: row generation on the negatives, semismooth Newton on the positives, a dual bound.

With t = max_j w'x_j⁻ as a variable, K15 eq. (11) is a piecewise quadratic in (w, t) under the constraints
x_j⁻'w ≤ t. At most d + 1 of these bind at the optimum, so a small set J of negatives is enough once it is
found. Each step

1. models the squared hinge of the positives by its quadratic piece at the present point,
2. minimises that model subject to the rows of J exactly (its dual is a non-negative least-squares problem),
3. scores all rows once, which gives the true objective, a dual bound and the negatives that the model missed,
4. moves to the best point of the segment, drops from J what had no weight in the last models, and adds the
   missed negatives.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtrs
from scipy.optimize import brentq

from toprank.clock import CHOLESKY, TRIANGLE, UNLIMITED, OutOfTime
from toprank.problems.top import TopRanking
from toprank.solvers.least_squares import non_negative
from toprank.solvers.quadratic import factored
from toprank.solvers.scaling import Scaling
from toprank.solvers.watch import Watch

PATIENCE = 2  # models in which a negative of J may be without weight
SETTLED = 30  # steps after which J only grows, so that it cannot run in circles


class _HingeHessian:
    """Gram matrix and sum of the positives with a positive hinge, updated by the rows that enter or leave."""

    def __init__(self, positives, scaled, clock):
        self._rows, self._scaled, self._clock = positives, scaled, clock
        self._active = np.zeros(positives.shape[0], dtype=bool)
        d = positives.shape[1]
        self.gram, self.total, self.count = np.zeros((d, d)), np.zeros(d), 0

    def _add(self, selected, sign):
        for start in range(0, selected.size, 8192):  # bounds the dense copy of sparse rows
            self._clock.need(2.0 * (selected.size - start) * self.gram.size)
            rows = self._scaled(self._rows[selected[start : start + 8192]])
            self.gram += sign * (rows.T @ rows)
            self.total += sign * rows.sum(axis=0)
        self.count += int(sign) * selected.size

    def update(self, active):
        """Bring the sums to the rows of the boolean mask ``active``."""
        changed = np.flatnonzero(active != self._active)
        if changed.size > np.count_nonzero(active):
            self.gram[:], self.total[:], self.count = 0.0, 0.0, 0
            self._add(np.flatnonzero(active), 1.0)
        else:
            self._add(changed[active[changed]], 1.0)
            self._add(changed[~active[changed]], -1.0)
        self._active = active


def _minimise_model(hessian, m, ridge, rows, clock=UNLIMITED):
    """Minimise the quadratic model in (u, t) subject to ``rows @ u <= t``.

    Returns u, t and the multipliers of the rows. The model is ½ u'diag(ridge)u + (1/m) Σ_active (1 + t −
    z_i'u)².
    """
    d = ridge.size
    clock.need(CHOLESKY * d**3 / 3.0 + TRIANGLE * d**2 * len(rows))
    H = np.empty((d + 1, d + 1))
    H[:d, :d] = (2.0 / m) * hessian.gram
    H[np.arange(d), np.arange(d)] += ridge
    H[:d, d] = H[d, :d] = -(2.0 / m) * hessian.total
    H[d, d] = (2.0 / m) * hessian.count
    linear = np.append(-(2.0 / m) * hessian.total, (2.0 / m) * hessian.count)
    # a jitter far below the arithmetic's own error keeps the factorisation alive where the ridge is
    # negligible
    factor = factored(H, partial(cholesky, lower=True, check_finite=False), 1e-14)
    # dual: min_{b>=0} ½‖L⁻¹(C'b + g)‖², hence non-negative least squares; the primal point is −H⁻¹(C'b + g)
    sides = np.vstack([np.column_stack([rows, np.full(len(rows), -1.0)]), -linear])
    solved, _ = dtrtrs(factor, sides.T, lower=1)
    M, target = solved[:, :-1], solved[:, -1]
    multipliers = non_negative(M, target, clock)
    point, _ = dtrtrs(factor, target - M @ multipliers, lower=1, trans=1)
    return point[:d], point[d], multipliers


def _best_step(problem, w, scores, new_w, new_scores):
    """Minimise the objective on the segment from w to new_w; returns the step in [0, 1].

    The scores are linear in the step, so a trial costs a few vector operations and no pass over the data. The
    derivative is monotone (F is convex): its root to 1 % is enough for a Newton method, and a full step
    that still descends is taken at once.
    """
    (p, q), (p1, q1) = scores, new_scores
    dp, dq, dw = p1 - p, q1 - q, new_w - w

    def slope(step):
        negative = q + step * dq
        top = int(negative.argmax())
        hinge = np.maximum(1.0 + negative[top] - p - step * dp, 0.0)
        return problem.alpha * ((w + step * dw) @ dw) + 2.0 / p.size * (hinge @ (dq[top] - dp))

    if slope(1.0) <= 0.0:
        return 1.0
    if slope(0.0) >= 0.0:
        return 0.0
    return brentq(slope, 0.0, 1.0, xtol=1e-9, rtol=1e-2)


class _Kept:
    """The negatives of the model, J, with their scaled rows."""

    def __init__(self, problem, scaled, rows_per_step):
        self._problem, self._negatives = problem, problem.negatives
        self._scaled, self._most = scaled, rows_per_step
        self._in_model = np.zeros(problem.negatives.shape[0], dtype=bool)
        self.index = np.empty(0, dtype=np.intp)
        self.rows = np.empty((0, problem.n_features))
        self._idle = np.empty(0, dtype=np.intp)  # the last models in a row without weight for a negative

    def add(self, candidates):
        """Add the negatives that are not there yet."""
        fresh = candidates[~self._in_model[candidates]]
        if fresh.size:
            self._in_model[fresh] = True
            self.index = np.append(self.index, fresh)
            self.rows = np.vstack([self.rows, self._scaled(self._negatives[fresh])])
            self._idle = np.append(self._idle, np.zeros(fresh.size, dtype=np.intp))

    def lower_bound(self, positive_weights, multipliers):
        """Bound from weights of the positives and of the kept negatives, with no pass over the other ones."""
        used = multipliers > 0.0
        here = TopRanking(self._problem.positives, self._negatives[self.index[used]], self._problem.alpha)
        return here.lower_bound(positive_weights, multipliers[used]) if used.any() else 0.0

    def drop_idle(self, multipliers):
        """Forget the negatives that had no weight in the last models; they come back if they rise."""
        self._idle = np.where(multipliers > 0.0, 0, self._idle + 1)
        stay = self._idle < PATIENCE
        if not stay.all():
            self._in_model[self.index[~stay]] = False
            self.index, self.rows, self._idle = self.index[stay], self.rows[stay], self._idle[stay]

    def add_highest(self, scores, above=-np.inf):
        """Add the highest of the negatives that score over ``above``."""
        candidates = np.flatnonzero(scores > above)
        if candidates.size > self._most:
            order = np.argpartition(scores[candidates], -self._most)[-self._most :]
            candidates = candidates[order]
        self.add(candidates)


def solve(problem, *, tol=1e-8, max_iter=200, time_limit=None, callback=None, start=None, rows_per_step=None):
    """Minimise `TopRanking` to a certified relative gap.

    Parameters
    ----------
    problem : TopRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Newton steps.
    time_limit, callback
        See `toprank.solvers.watch`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    rows_per_step : int, optional
        How many missed negatives enter J in one step; by default max(20, d).

    Returns
    -------
    Solution
    """
    watch = Watch("exact", tol, max_iter, time_limit, callback)
    m, n = problem.positives.shape[0], problem.negatives.shape[0]
    scaled = Scaling.of(problem.positives, problem.negatives)
    hessian = _HingeHessian(problem.positives, scaled, watch)
    ridge = problem.alpha / scaled.scale**2
    kept = _Kept(problem, scaled, rows_per_step or max(20, problem.n_features))

    # w = 0 has objective 1 and every hinge active
    w, scores = np.zeros(problem.n_features), (np.zeros(m), np.zeros(n))
    watch.keep(w, 1.0)
    watch.prove(0.0)
    if start is None:
        # the direction of the ridge regression that separates the positives from the mean of the negatives
        mean_row = scaled(np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1))
        try:
            hessian.update(np.ones(m, dtype=bool))
            u, _, _ = _minimise_model(hessian, m, ridge, mean_row, watch)
        except OutOfTime:
            watch.status = "time_limit"
            return watch.solution()
        start = u / scaled.scale
    start_scores = problem.scores(start)
    kept.add_highest(start_scores[1])
    watch.keep(start, problem.objective(start, start_scores))
    if watch.w is start:
        w, scores = start, start_scores

    for step_number in watch.iterations():
        kept.add(np.array([scores[1].argmax()]))
        active = 1.0 + scores[1].max() - scores[0] > 0.0
        if not active.any():
            active[:] = True
        try:
            hessian.update(active)
            u, _, multipliers = _minimise_model(hessian, m, ridge, kept.rows, watch)
        except OutOfTime:
            watch.status = "time_limit"
            break
        new_w = u / scaled.scale
        new_scores = problem.scores(new_w)
        in_top = new_scores[1][kept.index].max()
        watch.keep(new_w, problem.objective(new_w, new_scores))

        hinge = np.maximum(1.0 + in_top - new_scores[0], 0.0)
        if watch.look(watch.w, watch.objective, kept.lower_bound(hinge, multipliers)):
            break

        if step_number < SETTLED:
            kept.drop_idle(multipliers)
        kept.add_highest(new_scores[1], in_top)
        step = _best_step(problem, w, scores, new_w, new_scores)
        if step == 1.0:
            w, scores = new_w, new_scores
        else:
            w = w + step * (new_w - w)
            scores = (
                scores[0] + step * (new_scores[0] - scores[0]),
                scores[1] + step * (new_scores[1] - scores[1]),
            )
            watch.keep(w, problem.objective(w, scores))
    return watch.solution(objective=problem.objective(watch.w))
