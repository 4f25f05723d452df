"""The squared hinges of the positives as one quadratic: the model of a Newton step of exact top ranking."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtrs

from toprank.clock import CHOLESKY_COST
from toprank.problems.sparse_rows import make_fast_rows
from toprank.solvers.quadratic import factorise_with_jitter
from toprank.solvers.scaling import Scaling

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.top import TopRanking


class HingeQuadratic:
    """Quadratic pieces of the hinges of all positives.

    In the scaled features u and the highest score t (the mean of the K highest at depth K) it is
    ½ u'diag(ridge)u + (1/m) Σ_active (1 + t − z_i'u)². With its Cholesky factor L and y = L'(u, t) it is
    ½‖y‖² − target'y.

    Parameters
    ----------
    problem : TopRanking
    clock : Clock
    """

    def __init__(self, problem: TopRanking, clock: Clock) -> None:
        self._problem, self._clock = problem, clock
        self.scaled = Scaling.from_rows(problem.positives, problem.negatives)
        d = problem.n_features
        self._ridge = problem.alpha / self.scaled.scale**2
        self._fast_rows = make_fast_rows(problem.positives), make_fast_rows(problem.negatives)
        self._active = np.zeros(problem.positives.shape[0], dtype=bool)
        self._gram, self._total, self._count = np.zeros((d, d)), np.zeros(d), 0
        self._factor, self._target = None, None  # L, and L⁻¹ times the linear terms

    def _add_to_gram(self, selected: np.ndarray, sign: float) -> None:
        for start in range(0, selected.size, 1024):  # bounds the dense copy of sparse rows
            self._clock.require_budget(2.0 * (selected.size - start) * self._gram.size)
            rows = self.scaled.take(self._problem.positives, selected[start : start + 1024])
            self._gram += sign * (rows.T @ rows)
            self._total += sign * rows.sum(axis=0)
        self._count += int(sign) * selected.size

    def set_active_hinges(self, active: np.ndarray) -> None:
        """Model the hinges of the boolean mask by their quadratic, the others by 0.

        Parameters
        ----------
        active : ndarray of bool of shape (m,)
        """
        changed = np.flatnonzero(active != self._active)
        if not changed.size:
            return
        # an update costs a pass over the changed rows, a new sum one over the active rows
        if changed.size > np.count_nonzero(active):
            self._gram[:], self._total[:], self._count = 0.0, 0.0, 0
            self._add_to_gram(np.flatnonzero(active), 1.0)
        else:
            self._add_to_gram(changed[active[changed]], 1.0)
            self._add_to_gram(changed[~active[changed]], -1.0)
        self._active, self._factor = active, None

    def _factorise(self) -> None:
        """Factor the quadratic in (u, t)."""
        d, m = self._total.size, self._active.size
        self._clock.require_budget(CHOLESKY_COST * d**3 / 3.0)
        H = np.empty((d + 1, d + 1))
        H[:d, :d] = (2.0 / m) * self._gram
        H[np.arange(d), np.arange(d)] += self._ridge
        H[:d, d] = H[d, :d] = -(2.0 / m) * self._total
        H[d, d] = (2.0 / m) * self._count
        # a jitter far below the arithmetic's own error keeps the factorisation alive where the ridge is
        # negligible
        self._factor = factorise_with_jitter(H, partial(cholesky, lower=True, check_finite=False), 1e-14)
        linear = np.append((2.0 / m) * self._total, -(2.0 / m) * self._count)
        self._target, _ = dtrtrs(self._factor, linear, lower=1)

    def scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of the positives (m,) and of the negatives (n,).

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        tuple of ndarray
        """
        return tuple(rows @ w for rows in self._fast_rows)
