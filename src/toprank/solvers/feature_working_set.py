"""FSMRank with many features: a working set of features, whose similarities alone are measured.

All similarities of d features in P pairs of documents cost P d² operations. A feature outside of the
working set stays at 0 if its slope is within β/s_j + α(A|w|)_j, and A has no negative entry: where the slope
is within β/s_j nothing is to be measured, and elsewhere the similarities with the features in use decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, Clock, OutOfTime
from toprank.penalties import L1
from toprank.problems.feature_measures import compute_importance, compute_similarity
from toprank.problems.feature_selection import FeatureSelectionRanking, bound_dual, compute_beta_max
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import nesterov
from toprank.solvers.monitor import Monitor

if TYPE_CHECKING:
    from toprank.problems.pairwise_loss import PairwiseLoss
    from toprank.solvers.monitor import Solution, StepCallback

#: Number of features from which on a working set is used; so many similarities take about a second.
MIN_FEATURES = 500
#: Number of features in the first working set, beside those of a warm start.
INITIAL_SIZE = 50
#: The restricted problem is solved to this share of the tolerance; if that is not enough, to a smaller one.
INNER_TOL_SHARE, INNER_TOL_STEP, INNER_TOL_SHARE_MIN = 0.5, 0.1, 1e-3


def _select_columns(X: np.ndarray | sp.csr_array, columns: np.ndarray) -> np.ndarray | sp.csr_array:
    """Return some columns, row by row in memory, as the kernels expect."""
    return X[:, columns] if sp.issparse(X) else np.ascontiguousarray(X[:, columns])


@dataclass
class FeatureWorkingSet:
    """The data of FSMRank's problem, and the part of it that the working set needs.

    Parameters
    ----------
    ranking : PairwiseRanking
        All features.
    importance : ndarray of shape (d,)
    alpha, beta : float
    restricted : FeatureSelectionRanking, optional
        The problem of the features in ``columns``; None before the first one is built.
    columns : ndarray of int of shape (n_measured,)
        The working set.
    """

    ranking: PairwiseRanking
    importance: np.ndarray
    alpha: float
    beta: float
    restricted: FeatureSelectionRanking | None = None
    columns: np.ndarray | None = None

    @classmethod
    def from_data(
        cls,
        X: np.ndarray | sp.csr_array,
        y: np.ndarray,
        qid: np.ndarray | None,
        metric: str,
        clock: Clock = UNLIMITED,
    ) -> FeatureWorkingSet:
        """Measure the importance of each feature, and group the rows by query.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_documents, d)
        y : ndarray of shape (n_documents,)
        qid : ndarray of shape (n_documents,) or None
        metric : {"map", "ndcg"}
        clock : Clock, optional

        Returns
        -------
        FeatureWorkingSet
            With weights alpha = 0 and beta = 1; see `with_weights`.

        Raises
        ------
        OutOfTime
            If the time is too short.
        ValueError
            If no two documents of a query differ in relevance.
        """
        ranking = PairwiseRanking.from_data(X, y, qid, 1.0, L1())  # its penalty is not used
        return cls(ranking, compute_importance(X, y, qid, metric, clock), 0.0, 1.0)

    def with_weights(self, alpha: float, beta: float) -> FeatureWorkingSet:
        """Return the same data and working set under other weights of the penalty.

        Parameters
        ----------
        alpha, beta : float

        Returns
        -------
        FeatureWorkingSet
        """
        restricted = None if self.restricted is None else self.restricted.with_weights(alpha, beta)
        return replace(self, alpha=alpha, beta=beta, restricted=restricted)

    @property
    def similarity(self) -> np.ndarray | None:
        """Similarities of the features in the working set, of shape (n_measured, n_measured)."""
        return None if self.restricted is None else self.restricted.similarity

    @property
    def thresholds(self) -> np.ndarray:
        """β/s, of shape (d,)."""
        return self.beta / self.importance

    def beta_max(self) -> float:
        """Smallest beta at which w = 0 is optimal.

        Returns
        -------
        float
        """
        return compute_beta_max(self.ranking, self.importance)

    def loss(self, w: np.ndarray) -> PairwiseLoss:
        """Evaluate the sum of the squared hinges at w.

        Parameters
        ----------
        w : ndarray of shape (d,)

        Returns
        -------
        PairwiseLoss
        """
        return self.ranking.loss(self.ranking.X @ w)

    def extend(self, columns: np.ndarray, clock: Clock) -> None:
        """Measure the similarities of further features.

        Parameters
        ----------
        columns : ndarray of int
            Features; those in the working set already cost nothing.
        clock : Clock

        Raises
        ------
        OutOfTime
            If the time is too short; the working set is then as before.
        """
        # the working set only grows, so that no similarity is measured twice in vain
        if self.restricted is not None:
            columns = np.setdiff1d(columns, self.columns)
            if not columns.size:
                return
            columns = np.union1d(self.columns, columns)
        ranking = replace(self.ranking, X=_select_columns(self.ranking.X, columns))
        clock.require_budget(ranking.hessian_operations(columns.size))
        # majorant of the loss: the Hessian at w = 0, where every hinge is active
        scores = np.zeros(ranking.X.shape[0])
        majorant = ranking.hessian(scores, ranking.loss(scores)) / ranking.n_preferences
        similarity = compute_similarity(ranking.X, ranking.starts, clock)
        self.columns = columns
        self.restricted = FeatureSelectionRanking(
            ranking, self.alpha, self.beta, similarity, self.importance[columns], majorant
        )

    def penalty_slopes(self, w: np.ndarray, gradient: np.ndarray, clock: Clock) -> np.ndarray:
        """Return the derivative of the penalty in each |w_j|, or β/s_j where it is above the gradient.

        Parameters
        ----------
        w, gradient : ndarray of shape (d,)
        clock : Clock

        Returns
        -------
        ndarray of shape (d,)
            Where the time is too short to measure a similarity, β/s_j, which is smaller.
        """
        slopes = self.thresholds
        if not w.any():
            # inside the working set the penalty's slope is exact
            return slopes
        slopes[self.columns] = self.restricted.penalty_slopes(w[self.columns])
        is_measured = np.zeros(w.size, dtype=bool)
        is_measured[self.columns] = True
        support = np.flatnonzero(w)
        # outside, only a feature whose gradient exceeds β/s can matter, and only its similarities to the
        # support are measured
        candidates = np.flatnonzero(~is_measured & (np.abs(gradient) > slopes))
        if not (candidates.size and self.alpha):
            return slopes
        X = _select_columns(self.ranking.X, np.append(support, candidates))
        try:
            similarity = compute_similarity(X, self.ranking.starts, clock, n_first=support.size)
        except OutOfTime:
            # without them β/s stays, a smaller slope, so that the bound stays valid
            return slopes
        slopes[candidates] += self.alpha * (np.abs(w[support]) @ similarity[:, support.size :])
        return slopes


def solve(
    problem: FeatureWorkingSet,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
) -> Solution:
    """Minimise FSMRank's objective over all features by problems of a growing working set.

    Parameters
    ----------
    problem : FeatureWorkingSet
        Its working set grows.
    tol : float
        As in `toprank.solvers.nesterov.solve`.
    max_iter : int
        Largest number of steps of Nesterov's method, over all problems.
    time_limit, callback
        See `toprank.solvers.monitor`; the callback is called after each problem of the working set.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring beta.

    Returns
    -------
    Solution
    """
    monitor = Monitor("nesterov", tol, max_iter, time_limit, callback)
    inner_tol, d = INNER_TOL_SHARE * tol, problem.ranking.X.shape[1]
    state = _State.evaluate(problem, np.zeros(d), monitor)
    if monitor.update(state.w, state.objective, state.bound, state.kkt):
        return monitor.solution()
    # first working set: the features that the gradient at 0 favours most, and those of a warm start
    additions = state.select_additions(np.full(d, True), INITIAL_SIZE)
    w = state.w if start is None else np.array(start, dtype=float)
    additions = np.union1d(additions, np.flatnonzero(w))
    while True:
        try:
            problem.extend(additions, monitor)
        except OutOfTime:
            monitor.status = "time_limit"
            break
        inner = nesterov.solve(
            problem.restricted,
            tol=inner_tol,
            max_iter=max_iter - monitor.n_iter,
            time_limit=monitor.seconds_left,
            start=w[problem.columns],
        )
        w = np.zeros(d)
        w[problem.columns] = inner.w
        monitor.n_iter += inner.n_iter
        # optimality over all features, not only over the working set
        state = _State.evaluate(problem, w, monitor)
        if monitor.n_iter >= max_iter:
            monitor.status = "max_iterations"
        if monitor.update(w, state.objective, state.bound, state.kkt) or monitor.n_iter >= max_iter:
            break
        # features outside the set whose gradient exceeds their slope beyond the tolerance
        additions = state.select_additions(state.excess > INNER_TOL_SHARE * tol * problem.beta, w.size)
        additions = additions[: problem.columns.size]  # it at most doubles
        # no feature is missing, so the restricted problem was not solved accurately enough
        if not additions.size:
            inner_tol *= INNER_TOL_STEP
            if inner.certificate.status != "certified" or inner_tol < INNER_TOL_SHARE_MIN * tol:
                break  # rounding errors
    return monitor.solution()


@dataclass
class _State:
    """A point with its objective, bound and violation over all features.

    ``excess`` is how far the slope of each feature outside of the working set exceeds the penalty's,
    ``priority`` its slope times its importance: those with the largest enter first.
    """

    w: np.ndarray
    objective: float
    bound: float
    kkt: float
    excess: np.ndarray
    priority: np.ndarray

    @classmethod
    def evaluate(cls, problem: FeatureWorkingSet, w: np.ndarray, clock: Clock) -> _State:
        """Evaluate the point w, which is 0 outside of the working set."""
        n_preferences = problem.ranking.n_preferences
        loss = problem.loss(w)
        gradient = problem.ranking.gradient(loss) / n_preferences
        slopes = problem.penalty_slopes(w, gradient, clock)
        excess = np.abs(gradient) - slopes
        objective, kkt, coupling = loss.value / n_preferences, 0.0, 0.0
        if w.any():
            inner_w, restricted = w[problem.columns], problem.restricted
            objective, coupling = restricted.objective(inner_w, loss), restricted.coupling(inner_w)
            kkt = restricted.kkt(inner_w, gradient[problem.columns])
            # features inside the set are judged by the violation of the restricted problem
            excess[problem.columns] = 0.0
        kkt = max(kkt, excess.max(initial=0.0) / problem.beta)
        bound = bound_dual(loss, n_preferences, gradient, slopes) - coupling
        return cls(w, objective, bound, kkt, excess, problem.importance * np.abs(gradient))

    def select_additions(self, is_candidate: np.ndarray, size: int) -> np.ndarray:
        """Return the candidates with the largest slopes relative to their thresholds."""
        candidates = np.flatnonzero(is_candidate)
        order = np.argsort(-self.priority[candidates], kind="stable")
        return candidates[order[:size]]
