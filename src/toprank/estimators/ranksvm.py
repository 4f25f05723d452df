"""RankSVM: linear ranking by pairwise preferences within queries (L14; Joachims 2002)."""

from __future__ import annotations

import warnings
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from toprank.clock import Clock
from toprank.estimators.automatic import PAIRS_SHARE, is_auto
from toprank.estimators.base import load_function
from toprank.estimators.elastic import ElasticRanker
from toprank.estimators.fit_warnings import warn_of_zero, warn_unless_certified
from toprank.estimators.pair_scales import compute_mean_margin_C, compute_zero_C_max, weigh_problem
from toprank.estimators.progress import make_observer
from toprank.estimators.unpenalised import solve_within_bounds
from toprank.parameters import check_allowed_values, check_positive
from toprank.penalties import L1, MCP, SCAD, ElasticNet, GroupL2, Log, Lp, Penalty, SquaredL2
from toprank.solvers import reweighted_l1
from toprank.solvers.monitor import StepCallback
from toprank.solvers.solver_specs import FISTA, MonotoneFISTA, ProxNewton
from toprank.typing import Values

if TYPE_CHECKING:
    from toprank.estimators.penalty_weights import FeatureMap
    from toprank.estimators.rotation import Reflections
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Rows


class RankSVM(ElasticRanker):
    r"""Linear RankSVM: pairwise squared hinge loss within queries.

    Minimises :math:`C\sum_k c_k(1 - \tilde x_k'w)_+^2 + \Omega(w)` over the pairs k of documents of one query
    that differ in relevance, :math:`\tilde x_k` the better row minus the worse one (L14 eq. 3 and 7, where
    :math:`c_k = 1`). Pairs are never enumerated: the loss costs about as much as sorting the documents.

    Parameters
    ----------
    penalty : str or Penalty, default="l1"
        Ω(w), as an object of `toprank.penalties` or the name of one with its default parameters: "l1", "l2"
        (½‖w‖²), "elasticnet", "adaptive-l1" (``L1("adaptive")``), "mcp", "log", "lp", "scad", or "group",
        which needs its groups (``GroupL2(groups)``). Ω does not depend on C.
    C : float or "auto", default="auto"
        Weight of the loss. "auto" is `C_zero_max` divided by .03. Under a ridge the C at which the linear
        part of the loss alone gives a mean margin of 1 replaces `C_zero_max`.
    solver : {"prox-newton", "fista", "monotone-fista"} or object, default="prox-newton"
        `ProxNewton`, Newton steps with the exact Hessian; `FISTA`, L14's Algorithm 1; or `MonotoneFISTA`.
        With the first two, a nonconvex Ω is minimised by L14's Algorithm 2: a sequence of weighted l1
        problems that starts at the l1 solution. The third uses the proximal operator of Ω itself. Both
        decrease the objective in every step and converge to a stationary point, not always the same.
    l1_ratio : float, optional
        Of the penalty "elasticnet", l1_ratio ‖w‖₁ + (1 - l1_ratio)/2 ‖w‖²; by default .5.
    penalty_weights : array-like of shape (n_features,), optional
        Weight of each feature in an l1 norm, ridge or elastic net; by default 1. A feature of weight 0 is not
        penalised, and the certificate holds within bounds of its weight, as of `InfinitePush`.
    tol : float, default=1e-8
        The solver stops when the relative duality gap and the violation of the optimality conditions,
        relative to the slope of Ω/C, are at most this. If rounding prevents that, the gap alone decides. With
        a nonconvex Ω there is no bound, and the violation alone decides.
    max_iter : int, optional
        Newton steps (100), iterations of fista (100 000), or convex problems of the reweighting (1000).
    time_limit : float, optional
        Seconds after which the solver returns the best point so far, with status "time_limit".
    warm_start : bool, default=False
        Whether to start from the last fit, for instance along a path of C, which only saves time: the
        reweighting still starts from the l1 solution at the same C, which alone is warm-started, and
        "monotone-fista" under a nonconvex Ω from 0.
    query_weight : {"pairs", "equal"}, default="pairs"
        c. With "pairs", as in the paper, every pair has weight 1, so that queries with many documents
        dominate. With "equal", every query with pairs counts equally: of P pairs of Q such queries, those of
        a query with P_q pairs have weight P / (Q P_q). All weights then sum to P, as with "pairs", and if all
        queries have equally many pairs, both are the same.
    verbose : int, default=0
        1: print a line for each iteration that the solver reports.
    callback : callable, optional
        Called at each of these with a `toprank.solvers.monitor.Step`, the iteration's weights, objective,
        lower bound and seconds; if it returns True, the fit stops with status "stopped". It is not pickled.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weight of each feature; the score of a row x is ``x @ coef_``.
    C_ : float
        C as a number.
    n_iter_, n_queries_ : int
        Number of iterations of the solver, and of queries in the data of ``fit``.
    certificate_ : Certificate
        Objective, lower bound and gap (None for a nonconvex Ω), violation of the optimality conditions, and
        status.
    weights_ : ndarray of shape (n_features,)
        β of a weighted l1 norm, as given or adaptive; only of such a penalty.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    Notes
    -----
    Offsets of the features do not matter: large ones are subtracted within each query, and CSR data stay
    sparse. Scaling all features by s is equivalent to C -> C / s (l1 and group norm; C / s² for the
    ridge). "prox-newton" does not depend on the units of the features; "fista" and
    "monotone-fista" use one step length for all features and are slow if their units differ. The reweighting
    starts from the l1 norm, so that under "log" and "lp" its result may depend on the unit.

    References
    ----------
    .. [1] L. Laporte et al. Nonconvex regularizations for feature selection in ranking with sparse SVM.
       IEEE TNNLS 2014 (L14).
    .. [2] C.-P. Lee, C.-J. Lin. Large-scale linear RankSVM. Neural Computation 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import RankSVM
    >>> X = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [5.0, 0.5], [4.0, 0.0]])
    >>> model = RankSVM(C=10.0).fit(X, [2, 1, 0, 1, 0], qid=[1, 1, 1, 2, 2])
    >>> model.certificate_.status
    'certified'
    >>> [bool(weight) for weight in model.coef_]
    [True, False]

    A penalty with its own parameter, which a search can vary:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from toprank import MCP
    >>> RankSVM(MCP(gamma=3.0), C=10.0).set_params(penalty__gamma=1.5).penalty
    MCP(gamma=1.5)
    >>> search = GridSearchCV(RankSVM("mcp"), {"penalty__gamma": [1.5, 3.0], "C": [1.0, 10.0]})
    """

    _ranks_queries = True

    #: solver -> the function that runs it, imported on first use
    SOLVERS = {
        "prox-newton": "toprank.solvers.prox_newton:solve",
        "fista": "toprank.solvers.fista:solve",
        "monotone-fista": "toprank.solvers.monotone_fista:solve",
    }
    CHOICES = {
        "penalty": {
            "l1": L1,
            "l2": SquaredL2,
            "elasticnet": ElasticNet,
            "adaptive-l1": partial(L1, "adaptive"),
            "group": GroupL2,
            "mcp": MCP,
            "log": Log,
            "lp": Lp,
            "scad": SCAD,
        },
        "solver": {solver.name: solver for solver in (ProxNewton, FISTA, MonotoneFISTA)},
    }
    ACCEPTED_CLASSES = {"penalty": Penalty, "solver": (ProxNewton, FISTA, MonotoneFISTA)}

    def __init__(
        self,
        penalty: (
            Literal["l1", "l2", "elasticnet", "adaptive-l1", "group", "mcp", "log", "lp", "scad"] | Penalty
        ) = "l1",
        C: float | Literal["auto"] = "auto",
        *,
        solver: (
            Literal["prox-newton", "fista", "monotone-fista"] | ProxNewton | FISTA | MonotoneFISTA
        ) = "prox-newton",
        l1_ratio: float | None = None,
        penalty_weights: Values | None = None,
        tol: float = 1e-8,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        query_weight: Literal["pairs", "equal"] = "pairs",
        verbose: int = 0,
        callback: StepCallback | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.solver = solver
        self.l1_ratio = l1_ratio
        self.penalty_weights = penalty_weights
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.query_weight = query_weight
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Relevance, binary or graded; larger is more relevant.
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
            If the fit ended without a certificate.
        UserWarning
            If the solver ends at w = 0: C is too small, or no feature varies within a query.
        """
        from toprank.problems.pairwise import PairwiseRanking

        clock, (penalty, solver) = Clock(self.time_limit), self._check_parameters()
        self._warn_of_unused_ratio()
        X, y, qid = self._check_fit_queries(X, y, qid, group=group)
        problem = PairwiseRanking.from_data(X, y, qid, 1.0, penalty, clock, self.query_weight)
        self.C_ = self._resolve_C(problem)
        problem, basis = weigh_problem(problem.with_alpha(1.0 / self.C_), self.penalty_weights, clock)
        self.__dict__.pop("weights_", None)  # of an earlier fit
        if penalty.name == "weighted-l1":
            self.weights_ = np.broadcast_to(problem.penalty.weights, X.shape[1]).astype(float)
        w, certificate, self.n_iter_ = self._minimise(problem, solver, basis, clock)
        self.certificate_ = certificate.times(self.C_)  # the solver's loss has weight one
        self.coef_ = w if basis is None else basis @ w
        warn_unless_certified(self, certificate, solver.name)
        if certificate.status == "certified" and not self.coef_.any():
            smallest = compute_zero_C_max(problem)
            # a reweighting may also end at w = 0 at a larger C
            comparison = f" than {smallest:g}" if not penalty.ridge and self.C_ <= smallest < np.inf else ""
            outcome = "optimal" if penalty.is_convex else "stationary"
            warn_of_zero(problem, f"C={self.C_:g}", f"choose C larger{comparison}", outcome)
        return self

    def C_zero_max(
        self, X: Rows, y: Values, qid: Values | None = None, *, group: Values | None = None
    ) -> float:
        """Return the largest C at which the solver ends at w = 0, where a path starts.

        It is the largest C at which w = 0 is optimal under the (weighted) l1 norm, elastic net or group norm,
        beside features that are not penalised. A nonconvex penalty has the value of the l1 norm, from which
        the reweighting starts; so has the ridge, as the scale of a grid.

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
            Infinity if w = 0 is optimal at every C.

        Raises
        ------
        ValueError
            As `fit`.
        """
        return compute_zero_C_max(self._make_problem(X, y, qid, group), self.penalty_weights)

    def C_min(self, X: Rows, y: Values, qid: Values | None = None) -> float:
        """Return `C_zero_max`, which has been named so since version 0.3: it is a largest C, and no smallest.

        .. deprecated:: 0.3

        Parameters
        ----------
        X, y, qid
            As in `C_zero_max`.

        Returns
        -------
        float

        Warns
        -----
        FutureWarning
            Always.
        """
        warnings.warn("RankSVM.C_min is now called C_zero_max", FutureWarning, stacklevel=2)
        return self.C_zero_max(X, y, qid)

    def _compute_ridge_scale(self, X: Rows, y: Values, qid: Values | None = None) -> float:
        """Return the C under a ridge that has the scale of the data; infinity if w = 0 is always optimal."""
        return compute_mean_margin_C(self._make_problem(X, y, qid, None), self.penalty_weights)

    def _make_problem(self, X: Rows, y: Values, qid: Values | None, group: Values | None) -> PairwiseRanking:
        """Return the problem of the data at C = 1."""
        from toprank.problems.pairwise import PairwiseRanking

        penalty, _ = self._check_parameters()
        X, y, qid = copy(self)._check_fit_queries(X, y, qid, group=group)  # a fitted model stays as it is
        return PairwiseRanking.from_data(X, y, qid, 1.0, penalty, query_weight=self.query_weight)

    def _resolve_C(self, problem: PairwiseRanking) -> float:
        """Return C as a number; 1 for "auto" if w = 0 is optimal at every C."""
        if not is_auto(self.C, "C"):
            return float(self.C)
        is_ridge = isinstance(problem.penalty, SquaredL2)
        scale = (compute_mean_margin_C if is_ridge else compute_zero_C_max)(problem, self.penalty_weights)
        return scale / PAIRS_SHARE if np.isfinite(scale) else 1.0

    def _check_parameters(self) -> tuple[Penalty, SolverSpec]:
        """Check the parameters; return penalty and solver as objects."""
        from toprank.problems.pairwise import QUERY_WEIGHTS

        numbers = () if is_auto(self.C, "C") else ("C",)
        check_positive(self, *numbers, "tol", optional=("max_iter", "time_limit"), integers=("max_iter",))
        check_allowed_values(self, query_weight=QUERY_WEIGHTS)
        return self._resolve_parameter("penalty"), self._resolve_parameter("solver")

    def _minimise(
        self,
        problem: PairwiseRanking,
        solver: SolverSpec,
        basis: FeatureMap | Reflections | None,
        clock: Clock,
    ) -> Solution:
        solve = partial(self._solve, solver=solver, clock=clock, factor=self.C_, basis=basis)
        if problem.penalty.is_convex:
            return solve_within_bounds(
                lambda task, start: solve(task, start=start), problem, self._warm_start(basis)
            )
        if solver.name == MonotoneFISTA.name:
            return solve(problem)
        # the l1 solution at another C is near the first problem's solution; the reweighted one is not
        start = getattr(self, "_l1_solution", None) if self.warm_start else None
        start = start if start is not None and start.size == problem.n_features else None
        inner = partial(load_function(self.SOLVERS[solver.name]), **solver.options())
        limits = {} if self.max_iter is None else {"max_iter": self.max_iter}
        limits |= {"tol": self.tol, "time_limit": clock.seconds_left}
        limits["callback"] = make_observer(self, f"{solver.name}, reweighted", self.C_)
        solution = reweighted_l1.solve(problem, start=start, inner=inner, **limits)
        self._l1_solution = solution.first_w
        return solution
