"""FenchelRank: sparse linear ranking on the l1 ball by Frank-Wolfe steps (Lai et al. 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from toprank.clock import Clock
from toprank.estimators.base import LinearRanker, load_function
from toprank.estimators.fit_warnings import warn_of_zero, warn_unless_certified
from toprank.estimators.progress import make_observer
from toprank.parameters import check_positive
from toprank.penalties import L1
from toprank.solvers.monitor import StepCallback

if TYPE_CHECKING:
    from toprank.typing import Rows, Values


class FenchelRank(LinearRanker):
    r"""FenchelRank: l1-constrained pairwise squared hinge loss, by Frank-Wolfe-like steps.

    Minimises :math:`\frac1P\sum_k (1 - \tilde x_k'w)_+^2` over :math:`\|w\|_1 \le r`, where
    :math:`\tilde x_k` is the better row minus the worse one of each of the P pairs of rows of one query that
    differ in relevance. Pairs are never enumerated, and the step length is exact.

    Parameters
    ----------
    radius : float, default=1.0
        r. If the ball contains a minimiser of the loss, sparsity results from early stopping only. The gap
        of the certificate shows how far the solution is from the optimum.
    tol : float, default=1e-3
        Absolute duality gap at which the method stops, as in the published rule.
    max_iter : int, default=1000
        Largest number of steps. Both defaults are the paper's.
    time_limit : float, optional
        Seconds after which the solver returns the best point so far, with status "time_limit".
    verbose : int, default=0
        1: print a line for each iteration that the solver reports.
    callback : callable, optional
        Called at each of these with a `toprank.solvers.monitor.Step`, the iteration's weights, objective,
        lower bound and seconds; if it returns True, the fit stops with status "stopped". It is not pickled.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, with ‖w‖₁ at most the radius.
    n_iter_ : int
        Number of iterations of the solver.
    n_queries_ : int
        Number of queries in the data of ``fit``.
    certificate_ : Certificate
        Objective, lower bound (the best of all steps), gap, and status: "stopped" if the published rule was
        met.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    Notes
    -----
    Offsets of the features do not matter: large ones are subtracted within each query, and CSR data stay
    sparse. Scaling all features by s is equivalent to radius -> radius / s.

    References
    ----------
    .. [1] H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu. Sparse learning-to-rank via an efficient primal-dual
       algorithm. IEEE Transactions on Computers 2013.
    .. [2] L. Laporte et al. Nonconvex regularizations for feature selection in ranking with sparse SVM.
       IEEE TNNLS 2014 (L14).

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import FenchelRank
    >>> X = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [5.0, 0.5], [4.0, 0.0]])
    >>> model = FenchelRank(radius=0.5).fit(X, [2, 1, 0, 1, 0], qid=[1, 1, 1, 2, 2])
    >>> model.certificate_.status
    'certified'
    >>> [float(weight) for weight in model.coef_]
    [0.5, 0.0]
    """

    _ranks_queries = True

    #: its only solver -> the function that runs it, imported on first use
    SOLVERS = {"frank-wolfe": "toprank.solvers.frank_wolfe:solve"}

    def __init__(
        self,
        radius: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        *,
        time_limit: float | None = None,
        verbose: int = 0,
        callback: StepCallback | None = None,
    ) -> None:
        self.radius = radius
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Relevance: two values, or grades 0, 1, 2, …; larger is more relevant.
        qid : array-like of shape (n_samples,), optional
            The query of each row; None: one query.
        group : array-like of int of shape (n_queries,), optional
            Instead of qid: the sizes of the queries, whose rows are contiguous.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y hold NaN or infinite values, y has more than two values that are not grades, no query
            has two rows of different relevance, or a parameter is out of its range.

        Warns
        -----
        ConvergenceWarning
            If the fit ended before the gap reached tol.
        UserWarning
            If the fit ends at w = 0: the ball is too small, or no feature varies within a query.
        """
        from toprank.problems.pairwise import PairwiseRanking

        clock = Clock(self.time_limit)
        check_positive(self, "radius", "tol", "max_iter", optional=("time_limit",), integers=("max_iter",))
        X, y, qid = self._check_fit_queries(X, y, qid, group=group)
        # the ball takes the place of the penalty
        problem = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
        solve, limits = (
            load_function(self.SOLVERS["frank-wolfe"]),
            {"tol": self.tol, "max_iter": self.max_iter, "callback": make_observer(self, "frank-wolfe")},
        )
        self.coef_, self.certificate_, self.n_iter_ = solve(
            problem, radius=float(self.radius), time_limit=clock.seconds_left, **limits
        )
        accepted_statuses = ("certified", "stopped")  # the published rule is a gap, too
        warn_unless_certified(self, self.certificate_, accepted_statuses=accepted_statuses)
        if self.certificate_.status in accepted_statuses and not self.coef_.any():
            # the published rule is met at the centre of the ball
            warn_of_zero(problem, f"radius={self.radius:g} to within tol", "choose a larger radius")
        return self
