"""FSMRank, reconstructed: ranking and feature selection in one convex problem (after Lai et al. 2013)."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from toprank.certificate import Certificate
from toprank.clock import Clock, OutOfTime
from toprank.estimators.base import LinearRanker, load_function
from toprank.estimators.fit_warnings import warn_of_bound, warn_of_zero, warn_unless_certified
from toprank.estimators.progress import make_observer
from toprank.parameters import check_allowed_values, check_positive, is_number
from toprank.penalties import L1
from toprank.solvers.monitor import StepCallback

if TYPE_CHECKING:
    from toprank.problems.feature_selection import FeatureSelectionRanking
    from toprank.solvers.feature_working_set import FeatureWorkingSet
    from toprank.typing import Rows, Values


#: The solver if there are many features.
WORKING_SET_SOLVER = "toprank.solvers.feature_working_set:solve"
#: Attributes that the check of the data sets.
DATA_ATTRIBUTES = ("n_features_in_", "feature_names_in_", "n_queries_")


class CachedProblem(NamedTuple):
    """The problem of some data, which a model with ``warm_start`` keeps for the next fit to them."""

    inputs: tuple[Any, ...]
    """X, y, qid and group, as they were given."""
    metric: str
    """Of the importance."""
    problem: FeatureSelectionRanking | FeatureWorkingSet
    attributes: dict[str, Any]
    """What the check of the data has set, `DATA_ATTRIBUTES`."""


class FSMRank(LinearRanker):
    r"""FSMRank: sparse pairwise ranking with important, non-redundant features (reconstructed).

    Minimises

    .. math:: \frac1P\sum_k (1 - \tilde x_k'w)_+^2 + \frac\alpha2 |w|'A|w| + \beta\sum_j |w_j|/s_j,

    where :math:`\tilde x_k` is the better row minus the worse one of each of the P pairs of rows of one query
    that differ in relevance, A the similarities of the features and s their importances.

    **This is a reconstruction.** L14 [2]_ compares with FSMRank [1]_ and describes it, but gives none of its
    formulas; these are ours. Importance and similarity follow GAS [3]_ as L14 describes it. The importance of
    a feature is the quality of the ranking by its ascending or descending values, whichever is better (our
    interpretation). The similarity of two features is (1 + τ)/2, where Kendall's τ compares how they order
    the pairs of documents of a query. Therefore a feature and its negative are dissimilar, although w may use
    either sign.

    Parameters
    ----------
    alpha : float, default=1e-3
        Weight of the similarity term; may be 0.
    beta : float, default=1e-3
        Weight of the importance term. See `beta_max`.
    importance : {"map", "ndcg"}, default="map"
        Metric of the ranking by a single feature: MAP, for which a row of grade 0 is needed, or NDCG@10.
    tol : float, default=1e-6
        Relative duality gap, and violation of the optimality conditions relative to beta, at which the solver
        stops.
    max_iter : int, default=10_000
        Largest number of steps of Nesterov's method.
    time_limit : float, optional
        Seconds after which the solver returns the best point so far, with status
        "time_limit": w = 0 if the time was too short to measure the features.
    warm_start : bool, default=False
        Whether to start from the ``coef_`` of the last fit, for instance along a path of beta. If X, y and
        qid are the same objects, their values are assumed to be unchanged, and similarities and importances
        are not recomputed.
    verbose : int, default=0
        1: print a line for each iteration that the solver reports.
    callback : callable, optional
        Called at each of these with a `toprank.solvers.monitor.Step`, the iteration's weights, objective,
        lower bound and seconds; if it returns True, the fit stops with status "stopped". It is not pickled.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weight of each feature; the score of a row x is ``x @ coef_``.
    n_iter_ : int
        Number of iterations of the solver.
    n_queries_ : int
        Number of queries in the data of ``fit``.
    certificate_ : Certificate
        Objective, lower bound, gap, violation of the optimality conditions, and status.
    similarity_ : ndarray of shape (n_measured, n_measured)
        A, in [0, 1], of the features in ``measured_features_``; None if the time was too short.
    measured_features_ : ndarray of int of shape (n_measured,)
        The features whose similarities were needed: all of fewer than 500, of more those of a working set,
        outside of which the weights are certified to be 0, and none where w = 0 is optimal; None in the same
        case.
    importance_ : ndarray of shape (n_features,)
        s, in [0.001, 1]; None if the time was too short.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    Notes
    -----
    Offsets of the features do not matter: large ones are subtracted within each query, and CSR data stay
    sparse. Scaling all features by s is equivalent to alpha -> alpha s² and beta -> beta s.

    References
    ----------
    .. [1] H. Lai, Y. Pan, Y. Tang, R. Yu. FSMRank: feature selection algorithm for learning to rank. IEEE
       TNNLS 2013.
    .. [2] L. Laporte et al. Nonconvex regularizations for feature selection in ranking with sparse SVM.
       IEEE TNNLS 2014 (L14).
    .. [3] X. Geng, T.-Y. Liu, T. Qin, H. Li. Feature selection for ranking. SIGIR 2007 (GAS).

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import FSMRank
    >>> X = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [5.0, 0.5], [4.0, 0.0]])
    >>> model = FSMRank(alpha=0.1, beta=0.1).fit(X, [2, 1, 0, 1, 0], qid=[1, 1, 1, 2, 2])
    >>> model.certificate_.status
    'certified'
    >>> [bool(weight) for weight in model.coef_]
    [True, False]
    """

    _ranks_queries = True

    #: its only solver -> the function that runs it, imported on first use
    SOLVERS = {"nesterov": "toprank.solvers.nesterov:solve"}

    def __init__(
        self,
        alpha: float = 1e-3,
        beta: float = 1e-3,
        *,
        importance: Literal["map", "ndcg"] = "map",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: StepCallback | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.importance = importance
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
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
            has two rows of different relevance, every row is relevant (with importance "map"), or a parameter
            is out of its range.

        Warns
        -----
        ConvergenceWarning
            If the fit ended without a certificate.
        UserWarning
            If w = 0 is optimal: beta is too large, or no feature varies within a query.
        """
        clock = Clock(self.time_limit)
        self._check_parameters()
        observer = make_observer(self, "nesterov")
        try:
            problem = self._build_problem(X, y, qid, clock, group=group)
        except OutOfTime:
            # not even the similarities were measured in time: w = 0, whose objective is the mean squared
            # hinge, 1
            self.coef_, self.n_iter_ = np.zeros(self.n_features_in_), 0
            self.certificate_ = Certificate(1.0, "time_limit", 0.0)
            self.similarity_ = self.importance_ = self.measured_features_ = None
            warn_unless_certified(self, self.certificate_)
            return self
        problem = problem.with_weights(float(self.alpha), float(self.beta))
        solve = load_function(WORKING_SET_SOLVER if self._is_wide() else self.SOLVERS["nesterov"])
        limits = {"tol": self.tol, "max_iter": self.max_iter, "callback": observer}
        self.coef_, self.certificate_, self.n_iter_ = solve(
            problem, start=self._warm_start(), time_limit=clock.seconds_left, **limits
        )
        if self.warm_start:  # with the similarities that this fit measured
            self._cached_problem = self._cached_problem._replace(problem=problem)
        self.similarity_, self.importance_ = problem.similarity, problem.importance
        self.measured_features_ = problem.columns if self._is_wide() else np.arange(self.n_features_in_)
        if self.similarity_ is None and self.certificate_.status != "time_limit":  # w = 0 needs none
            self.similarity_, self.measured_features_ = np.empty((0, 0)), np.empty(0, dtype=int)
        warn_unless_certified(self, self.certificate_)
        if self.certificate_.status == "certified" and not self.coef_.any():
            remedy = f"choose beta smaller than {problem.beta_max():g}"
            warn_of_zero(problem.ranking, f"beta={self.beta:g}", remedy)
        return self

    def beta_max(
        self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None
    ) -> float:
        """Return the smallest beta at which w = 0 is optimal for any alpha, where a path starts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        qid : array-like of shape (n_samples,), optional
        group : array-like of int of shape (n_queries,), optional
            As in `fit`.

        Returns
        -------
        float
            0 if w = 0 is optimal at every beta. If ``time_limit`` is too short, an upper bound.

        Raises
        ------
        ValueError
            As `fit`.

        Warns
        -----
        ConvergenceWarning
            If it is only an upper bound.
        """
        from toprank.problems.feature_measures import compute_importance
        from toprank.problems.feature_selection import compute_beta_max
        from toprank.problems.pairwise import PairwiseRanking

        self._check_parameters()
        clock, twin = Clock(self.time_limit), copy(self)  # the fitted model keeps its attributes
        if self.warm_start:  # the next fits need the similarity as well
            twin._cached_problem = getattr(self, "_cached_problem", None)
            try:
                problem = twin._build_problem(X, y, qid, clock, group)
            except OutOfTime:
                pass
            else:
                self._cached_problem = twin._cached_problem
                return problem.beta_max()
        X, y, qid = twin._check_fit_queries(X, y, qid, group=group)
        ranking = PairwiseRanking.from_data(X, y, qid, 1.0, L1())
        try:
            return compute_beta_max(ranking, compute_importance(X, y, qid, self.importance, clock))
        except OutOfTime:
            warn_of_bound(self, "beta_max")
            return compute_beta_max(ranking, 1.0)  # no importance is larger

    def _build_problem(
        self, X: Rows, y: Values, qid: Values | None, clock: Clock, group: Values | None = None
    ) -> FeatureSelectionRanking | FeatureWorkingSet:
        """Return the problem; under ``warm_start`` it is kept for the next fit to the same objects."""
        from toprank.problems.feature_selection import FeatureSelectionRanking
        from toprank.solvers.feature_working_set import FeatureWorkingSet

        inputs, cached = (X, y, qid, group), getattr(self, "_cached_problem", None)
        # the same objects, not only equal ones: a comparison of values would take as long as it saves
        is_same_data = cached is not None and all(
            old is new for old, new in zip(cached.inputs, inputs, strict=True)
        )
        if self.warm_start and is_same_data and cached.metric == self.importance:
            self.__dict__.pop("feature_names_in_", None)  # of a fit between
            self.__dict__.update(cached.attributes)
            return cached.problem
        self.__dict__.pop("_cached_problem", None)  # the attributes of the model will be those of other data
        X, y, qid = self._check_fit_queries(X, y, qid, group=group)
        if self._is_wide():
            problem = FeatureWorkingSet.from_data(X, y, qid, self.importance, clock)
        else:
            problem = FeatureSelectionRanking.from_data(X, y, qid, 0.0, 1.0, self.importance, clock)
        if self.warm_start:
            attributes = {name: value for name, value in vars(self).items() if name in DATA_ATTRIBUTES}
            self._cached_problem = CachedProblem(inputs, self.importance, problem, attributes)
        return problem

    def _is_wide(self) -> bool:
        """Return whether there are so many features that a working set of them is used."""
        from toprank.solvers.feature_working_set import MIN_FEATURES

        return self.n_features_in_ >= MIN_FEATURES

    def _check_parameters(self) -> None:
        from toprank.problems.feature_measures import IMPORTANCE_METRICS

        check_allowed_values(self, importance=IMPORTANCE_METRICS)
        check_positive(self, "beta", "tol", "max_iter", optional=("time_limit",), integers=("max_iter",))
        if not (is_number(self.alpha) and np.isfinite(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be a number from 0 on; got {self.alpha!r}")

    def __getstate__(self) -> dict[str, Any]:
        # the data of the last fit are not a part of the model
        return {name: value for name, value in super().__getstate__().items() if name != "_cached_problem"}
