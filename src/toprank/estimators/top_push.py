"""TopPush: ranking with the highest negative pushed down (Li, Jin and Zhou 2014; K15)."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from toprank.clock import Clock, OutOfTime
from toprank.estimators.automatic import resolve_alpha
from toprank.estimators.depth import DepthRanker
from toprank.estimators.fit_warnings import (
    load_tool,
    warn_of_bound,
    warn_of_zero_at_top,
    warn_unless_certified,
)
from toprank.estimators.penalty_weights import (
    check_penalty_weights,
    select_penalised,
    weigh_features,
)
from toprank.estimators.ridge_fit import compute_scale_of_rows, fit_ridge
from toprank.estimators.unpenalised import check_free_features, solve_within_bounds
from toprank.parameters import check_positive
from toprank.penalties import SquaredL2
from toprank.solvers.monitor import StepCallback
from toprank.solvers.solver_specs import A2DM2, ADMM, A2DM2Restart, DualGradient, Exact
from toprank.typing import Values

if TYPE_CHECKING:
    from toprank.estimators.penalty_weights import FeatureMap
    from toprank.estimators.rotation import Reflections
    from toprank.problems.free_push import FreePushRanking
    from toprank.problems.rows import RowMatrix, SelectedRows
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Rows

SOLVER_SPECS = (Exact, DualGradient, ADMM, A2DM2, A2DM2Restart)


class TopPush(DepthRanker):
    r"""TopPush: linear bipartite ranking that maximises accuracy at the top of a list.

    Minimises :math:`\frac{\alpha}{2}\|w\|^2 + \frac{1}{m}\sum_i (1 + \max_j w'x_j^- - w'x_i^+)_+^2` over the
    m positives :math:`x_i^+` and the negatives :math:`x_j^-` (K15 eq. 11). At ``depth`` K > 1, the mean of
    the K highest scores of negatives replaces the highest one.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Weight of the ridge, the papers' lambda. "auto" is 3 times `alpha_max`, chosen by an experiment
        (docs/choosing_lambda.md), and 1 where w = 0 is optimal at every alpha.
    depth : float, default=1
        Number of highest-scored negatives that enter the loss: K >= 1, not necessarily an integer, or a share
        of the negatives between 0 and 1. At depth K the mean of their scores replaces the maximum. Above 1
        only for solver "exact". Up to the depth that `smallest_depth` returns, w = 0 is optimal.
    solver : {"exact", "dual", "admm", "a2dm2", "a2dm2-restart"} or object, default="exact"
        `Exact` is row generation with a semismooth Newton method. `DualGradient` is TopPush's accelerated
        projected gradient. `ADMM` is K15's Algorithm 1, `A2DM2` its Algorithm 2 (Algorithm 3 for this
        problem), and `A2DM2Restart` adds the restart of section 2.1; all stop by the authors' rule. The two
        accelerated ones minimise the perturbed objective (K15 eq. 13); their certificate still refers to
        eq. (11).
    penalty_weights : array-like of shape (n_features,), optional
        Weight of each feature in the ridge, glmnet's ``penalty.factor`` without its scaling; by default 1. A
        feature of weight 0 is not penalised: only by solver "exact", and the certificate holds for weights of
        these features within bounds, as of `InfinitePush`. The model then includes all positives, so that
        the fit is slower.
    tol : float, optional
        Tolerance of the stopping rule: by default 1e-8 (exact), 1e-6 (dual, gap) and 1e-4 (published rules).
    max_iter : int, optional
        By default 200 (exact), 10000 (dual) and 5000 (ADMM family).
    time_limit : float, optional
        Seconds after which the solver returns the best point so far, with status "time_limit".
    warm_start : bool, default=False
        Whether "exact" starts from the ``coef_`` of the last fit, for instance along a path.
    verbose : int, default=0
        1 prints a line for each iteration.
    callback : callable, optional
        Called with the `toprank.solvers.monitor.Step` of each iteration; the fit stops if it returns True.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weight of each feature; the score of a row x is ``x @ coef_``.
    n_iter_ : int
        Number of iterations of the solver.
    certificate_ : Certificate
        Objective, lower bound, gap and status, all of K15 eq. (11), at the depth.
    alpha_ : float
        The weight of the ridge as a number.
    depth_ : float
        The depth as a number of negatives.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    Notes
    -----
    Offsets of the features do not matter: large ones are subtracted, and CSR data stay sparse. (Rows that are
    read in place keep their offsets.) Scaling all features by s is equivalent to alpha -> alpha s². "exact"
    does not depend on the units of the features; "dual" is slow if they differ. The stopping rule of the ADMM
    family adds residuals of different units, so its result depends on them.

    References
    ----------
    .. [1] N. Li, R. Jin, Z.-H. Zhou. Top rank optimization in linear time. NIPS 2014.
    .. [2] M. Kadkhodaie et al. Accelerated alternating direction method of multipliers. KDD 2015 (K15).

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> model = TopPush(alpha=0.1).fit(X, [1, 1, 0, 0])
    >>> model.certificate_.status
    'certified'
    >>> bool(model.decision_function(X)[:2].min() > model.decision_function(X)[2:].max())
    True
    """

    #: solver -> the function that runs it, imported on first use
    SOLVERS = {
        "exact": "toprank.solvers.row_generation:solve",
        "dual": "toprank.solvers.dual_gradient:solve",
        "admm": "toprank.solvers.admm:solve",
        "a2dm2": "toprank.solvers.admm:solve",
        "a2dm2-restart": "toprank.solvers.admm:solve",
    }
    CHOICES = {"solver": {solver.name: solver for solver in SOLVER_SPECS}}
    ACCEPTED_CLASSES = {"solver": SOLVER_SPECS}
    _reads_in_place = True

    def __init__(
        self,
        alpha: float | Literal["auto"] = "auto",
        *,
        depth: float = 1.0,
        solver: (
            Literal["exact", "dual", "admm", "a2dm2", "a2dm2-restart"]
            | Exact
            | DualGradient
            | ADMM
            | A2DM2
            | A2DM2Restart
        ) = "exact",
        penalty_weights: Values | None = None,
        tol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: StepCallback | None = None,
    ) -> None:
        self.alpha = alpha
        self.depth = depth
        self.solver = solver
        self.penalty_weights = penalty_weights
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback

    def fit(
        self, X: Rows | SelectedRows, y: Values, qid: Values | None = None, *, group: Values | None = None
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or SelectedRows of shape (n_samples, n_features)
            float32 and memory-mapped arrays are read in place, without a copy, unless they have more features
            than rows, or ``penalty_weights`` are given: both need a copy as float64.
        y : array-like of shape (n_samples,)
            Two values (the larger is positive), or grades (positive above 0).
        qid : array-like of shape (n_samples,), optional
            At most one distinct value: the method ranks a single list.
        group : array-like of int of shape (1,), optional
            Instead of qid: the size of the list.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y hold NaN or infinite values, y has a single class, qid names several lists, or a
            parameter is out of its range.

        Warns
        -----
        ConvergenceWarning
            If the fit ended without a certificate; a published stopping rule gives none.
        UserWarning
            If w = 0 is optimal: alpha is too large, or the mean of the positives lies in the convex hull of
            the negatives, and no alpha helps.
        """
        from toprank.problems.rows import take_rows
        from toprank.problems.top import TopRanking

        # the clock starts before the checks: time_limit holds for all of fit
        clock, solver = Clock(self.time_limit), self._resolve_parameter("solver")
        check_positive(self, optional=("tol", "max_iter", "time_limit"), integers=("max_iter",))
        alpha = resolve_alpha(self, X, y, clock)
        X, relevant = self._check_fit_single_list(X, y, qid, group=group)
        self.alpha_, self.depth_ = alpha, self._check_depth(np.count_nonzero(~relevant), solver)
        weights = check_penalty_weights(self.penalty_weights, X.shape[1])
        # equal weights: wide data may be rotated, since a ridge does not change under rotations
        if weights is None:

            def make_problem(rows: RowMatrix) -> TopRanking:
                return TopRanking(take_rows(rows, relevant), take_rows(rows, ~relevant), alpha, self.depth_)

            problem, basis, solution = fit_ridge(self, make_problem, X, solver, clock)
        else:
            problem, basis, solution = self._fit_weighed(X, relevant, weights, solver, clock)
        w, self.certificate_, self.n_iter_ = solution
        self.coef_ = w if basis is None else basis @ w
        warn_unless_certified(self, self.certificate_, solver.name)
        warn_of_zero_at_top(self, problem, w, clock, solver.name)
        return self

    def _fit_weighed(
        self, X: RowMatrix, relevant: np.ndarray, weights: np.ndarray, solver: SolverSpec, clock: Clock
    ) -> tuple[TopRanking | FreePushRanking, FeatureMap | Reflections | None, Solution]:
        """Return the problem under weights of the features, the coordinates of its solution, and that."""
        from toprank.problems.free_push import FreePushRanking
        from toprank.problems.rows import take_rows
        from toprank.problems.top import TopRanking

        rows, penalty, basis = weigh_features(X, SquaredL2(), weights, clock)
        check_free_features(penalty, solver)
        parts = take_rows(rows, relevant), take_rows(rows, ~relevant)
        start = {"start": self._warm_start(basis)} if solver.name == Exact.name else {}
        if not penalty.free_features.size:
            problem = TopRanking(*parts, self.alpha_, self.depth_)
            return problem, basis, self._solve(problem, solver, clock=clock, basis=basis, **start)
        # TopPush with free features is a push with squared hinges, whose conic model knows bounds of weights
        problem = FreePushRanking(*parts, self.alpha_, penalty, self.depth_, is_squared=True)
        solve = partial(self._solve, function=load_tool("push_exact", "solve"), clock=clock, basis=basis)
        solution = solve_within_bounds(lambda task, w: solve(task, solver, start=w), problem, **start)
        return problem, basis, solution

    def alpha_max(self, X: Rows, y: Values) -> float:
        """Return the scale of a grid of alpha at this depth, where a path starts.

        A ridge has no alpha from which on w = 0 is optimal. At this one, and above, the objective of no
        model, loss and ridge, is less than half of that of w = 0. It is twice the squared distance between
        the mean of the positives and the convex hull of the negatives (at depth K, the one of weights up to
        1/K), so features multiplied by s multiply it by s².

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
            0 if w = 0 is optimal at every alpha. If ``time_limit`` is too short, an upper bound.

        Raises
        ------
        ValueError
            As `fit`.

        Warns
        -----
        ConvergenceWarning
            If it is only an upper bound.
        """
        check_positive(self, optional=("time_limit",))
        try:
            return self._compute_alpha_scale(X, y, Clock(self.time_limit))
        except OutOfTime as timeout:
            warn_of_bound(self, "alpha_max", "scale of alpha")
            return timeout.partial_result

    def _compute_alpha_scale(self, X: Rows, y: Values, clock: Clock) -> float:
        """Return `alpha_max`, or raise `OutOfTime` with an upper bound."""
        X, relevant = copy(self)._check_fit_single_list(X, y, None)  # a fitted model stays as it is
        depth = self._check_depth(np.count_nonzero(~relevant), self._resolve_parameter("solver"))
        X = select_penalised(X, check_penalty_weights(self.penalty_weights, X.shape[1]))
        return compute_scale_of_rows(X, relevant, depth, clock)
