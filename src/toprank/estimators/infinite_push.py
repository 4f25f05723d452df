"""Infinite push: sparse ranking that is accurate at the top of the list (R12; Agarwal 2011)."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from toprank.clock import Clock, OutOfTime
from toprank.estimators.automatic import has_ridge, resolve_alpha
from toprank.estimators.depth import DepthRanker
from toprank.estimators.elastic import ElasticRanker
from toprank.estimators.fit_warnings import warn_of_bound, warn_of_zero_at_top, warn_unless_certified
from toprank.estimators.penalty_weights import check_penalty_weights, select_penalised, weigh_features
from toprank.estimators.push_scales import compute_push_alpha_max
from toprank.estimators.ridge_fit import compute_scale_of_rows, fit_ridge
from toprank.estimators.unpenalised import check_free_features, solve_within_bounds
from toprank.parameters import check_positive, is_number
from toprank.penalties import L1, ElasticNet, GroupL2, SquaredL2
from toprank.solvers.monitor import StepCallback
from toprank.solvers.solver_specs import Exact, PairADMM, PairDual
from toprank.typing import Values

if TYPE_CHECKING:
    from toprank.penalties import Penalty
    from toprank.problems.push import PushRanking
    from toprank.problems.rows import RowMatrix
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Rows


class InfinitePush(ElasticRanker, DepthRanker):
    r"""Sparse infinite push: linear bipartite ranking by a hinge loss on the highest negative.

    Minimises :math:`\alpha\,\Omega(w) + \max_j \frac{1}{m}\sum_i (1 - w'(x_i^+ - x_j^-))_+` over the m
    positives :math:`x_i^+` and the negatives :math:`x_j^-` (R12 eq. 2). At ``depth`` K > 1, the mean of the K
    highest scores of negatives replaces the highest one.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", "group"} or object, default="l1"
        `L1`, `SquaredL2` (½‖w‖²), `ElasticNet`, or ``GroupL2(groups)``; a name stands for the object.
    alpha : float or "auto", default="auto"
        Weight of the penalty, the papers' lambda. "auto" is .3 times `alpha_max`, a factor chosen by an
        experiment (docs/choosing_lambda.md); under the ridge 1.5 times the one of `TopPush`. It is 1
        where w = 0 is optimal at every alpha.
    depth : float, default=1
        Number of highest-scored negatives that enter the loss: K >= 1, not necessarily an integer, or a share
        of the negatives between 0 and 1. At depth K the mean of their scores replaces the maximum. Above 1
        only for solver "exact". Up to the depth that `smallest_depth` returns, w = 0 is optimal.
    solver : {"exact", "admm", "dual"} or object, default="exact"
        `Exact` refines a small linear or conic model until its dual certifies the point. `PairADMM` is R12's
        Algorithm 1 on the m n pairs. `PairDual` is projected gradient on the dual over the l1,inf ball, for
        the ridge only. The last two store numbers for every pair: they are meant for comparisons, with up to
        four million pairs, and raise a warning beyond that.
    l1_ratio : float, optional
        Of the penalty "elasticnet", l1_ratio ‖w‖₁ + (1 - l1_ratio)/2 ‖w‖²: from 0, the ridge, to 1, the l1
        norm; by default .5.
    penalty_weights : array-like of shape (n_features,), optional
        Weight of each feature in an l1 norm, ridge or elastic net, glmnet's ``penalty.factor`` without its
        scaling; by default 1. A feature of weight 0 is not penalised: only by solver "exact", and the
        certificate holds for weights of these features within bounds (see the notes).
    tol : float, optional
        Relative duality gap at which the solver stops: by default 1e-8 (exact), 1e-4 (admm) and 1e-6 (dual).
    max_iter : int, optional
        By default 200 (exact), 5000 (admm) and 10000 (dual).
    time_limit : float, optional
        Seconds after which the solver returns the best point so far, with status "time_limit".
    warm_start : bool, default=False
        Whether "exact" starts from the ``coef_`` of the last fit, for instance along a path of alphas. Its
        interior point method (most fits under a ridge or an elastic net, and many at a depth above 1) ignores
        it.
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
        Objective, lower bound, gap and status.
    alpha_ : float
        The weight of the penalty as a number.
    depth_ : float
        The depth as a number of negatives.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    Notes
    -----
    Offsets of the features do not matter: large ones are subtracted, and CSR data stay sparse. Scaling all
    features by s is equivalent to alpha -> alpha s (alpha s² for the ridge). "exact"
    does not depend on the units of the features; the other two solvers are slow if they differ.

    Features that are not penalised may separate the classes alone. All other weights are then 0 at every
    alpha, and the objective is 0. The lower bound holds for weights of these features up to some bounds, at
    least ten times the ones found: a certified gap of ε is at most t ε for a point t times as far away.

    References
    ----------
    .. [1] A. Rakotomamonjy. Sparse support vector infinite push. ICML 2012 (R12).
    .. [2] S. Agarwal. The infinite push. SDM 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> model = InfinitePush(alpha=0.1).fit(X, [1, 1, 0, 0])
    >>> model.certificate_.status
    'certified'
    >>> [bool(weight) for weight in model.coef_]  # the second feature tells nothing
    [True, False]
    """

    #: solver -> the function that runs it, imported on first use
    SOLVERS = {
        "exact": "toprank.solvers.push_exact:solve",
        "admm": "toprank.solvers.push_admm:solve",
        "dual": "toprank.solvers.push_dual:solve",
    }

    CHOICES = {
        "penalty": {"l1": L1, "l2": SquaredL2, "elasticnet": ElasticNet, "group": GroupL2},
        "solver": {solver.name: solver for solver in (Exact, PairADMM, PairDual)},
    }
    ACCEPTED_CLASSES = {
        "penalty": (L1, SquaredL2, ElasticNet, GroupL2),
        "solver": (Exact, PairADMM, PairDual),
    }

    def __init__(
        self,
        penalty: (Literal["l1", "l2", "elasticnet", "group"] | L1 | SquaredL2 | ElasticNet | GroupL2) = "l1",
        alpha: float | Literal["auto"] = "auto",
        *,
        depth: float = 1.0,
        solver: Literal["exact", "admm", "dual"] | Exact | PairADMM | PairDual = "exact",
        l1_ratio: float | None = None,
        penalty_weights: Values | None = None,
        tol: float | None = None,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: StepCallback | None = None,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.depth = depth
        self.solver = solver
        self.l1_ratio = l1_ratio
        self.penalty_weights = penalty_weights
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
            If X or y hold NaN or infinite values, y has a single class, qid names several lists, the groups
            do not partition the features, or a parameter is out of its range.

        Warns
        -----
        ConvergenceWarning
            If the fit ended without a certificate.
        UserWarning
            If w = 0 is optimal: alpha is too large, or the mean of the positives lies in the convex hull of
            the negatives, and no alpha helps.
        """
        # the clock starts before the checks: time_limit holds for all of fit
        clock, (penalty, solver) = Clock(self.time_limit), self._check_parameters()
        self._warn_of_unused_ratio()
        alpha = resolve_alpha(self, X, y, clock)
        X, relevant = self._check_fit_single_list(X, y, qid, group=group)
        self.alpha_, self.depth_ = alpha, self._check_depth(np.count_nonzero(~relevant), solver)
        weights = check_penalty_weights(self.penalty_weights, X.shape[1])

        def solve(problem: PushRanking, start: Values | None) -> Solution:
            return self._solve(problem, solver, clock=clock, basis=basis, start=start)

        # a ridge does not change under rotations, so that wide rows may be expressed in a basis of their span
        if penalty.ridge and weights is None:

            def make_problem(rows: RowMatrix) -> PushRanking:
                return self._make_problem(rows, relevant, penalty)

            problem, basis, solution = fit_ridge(self, make_problem, X, solver, clock)
        else:
            # weights of features and other penalties: the columns take the weights, free features get bounds
            X, penalty, basis = weigh_features(X, penalty, weights, clock)
            problem = self._make_problem(X, relevant, penalty)
            check_free_features(problem.penalty, solver)
            solution = solve_within_bounds(solve, problem, self._warm_start(basis))
        w, self.certificate_, self.n_iter_ = solution
        self.coef_ = w if basis is None else basis @ w
        warn_unless_certified(self, self.certificate_, solver.name)
        warn_of_zero_at_top(self, problem, w, clock, solver.name)
        return self

    def _make_problem(self, X: RowMatrix, relevant: np.ndarray, penalty: Penalty) -> PushRanking:
        """Return the problem of the rows; features that are not penalised have one of their own."""
        from toprank.problems.free_push import FreePushRanking
        from toprank.problems.push import PushRanking

        problem_class = FreePushRanking if penalty.free_features.size else PushRanking
        return problem_class.from_classes(X[relevant], X[~relevant], self.alpha_, penalty, self.depth_)

    def alpha_max(self, X: Rows, y: Values) -> float:
        """Return the smallest alpha at which w = 0 is optimal (λ_max) at this depth, where a path starts.

        Beside features that are not penalised it is where all others have a weight of 0. For the ridge there
        is no such alpha; the value of the l1 norm is returned as the scale of a grid.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
            0 if the mean of the positives lies in the convex hull of the negatives (at depth K, in the one of
            weights up to 1/K): w = 0 is then optimal at every alpha. If ``time_limit`` is too short, an upper
            bound.

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
            return self._compute_alpha_max(X, y, Clock(self.time_limit))
        except OutOfTime as timeout:
            warn_of_bound(self, "alpha_max")
            return timeout.partial_result

    def _compute_alpha_max(self, X: Rows, y: Values, clock: Clock) -> float:
        """Return `alpha_max`, or raise `OutOfTime` with an upper bound."""
        X, relevant = copy(self)._check_fit_single_list(X, y, None)  # a fitted model stays as it is
        solver = self._resolve_parameter("solver")
        depth = self._check_depth(np.count_nonzero(~relevant), solver)
        weights, penalty = check_penalty_weights(self.penalty_weights, X.shape[1]), self._check_penalty()
        return compute_push_alpha_max((X, relevant), penalty, weights, depth, solver, clock)

    def _compute_alpha_scale(self, X: Rows, y: Values, clock: Clock) -> float:
        """Return `alpha_max`, or under a ridge half of TopPush's: the slope of the hinge at 0 is half."""
        if not has_ridge(self):
            return self._compute_alpha_max(X, y, clock)
        X, relevant = copy(self)._check_fit_single_list(X, y, None)  # a fitted model stays as it is
        depth = self._check_depth(np.count_nonzero(~relevant), self._resolve_parameter("solver"))
        X = select_penalised(X, check_penalty_weights(self.penalty_weights, X.shape[1]))
        try:
            return 0.5 * compute_scale_of_rows(X, relevant, depth, clock)
        except OutOfTime as timeout:
            raise OutOfTime(0.5 * timeout.partial_result) from None

    def _check_penalty(self) -> Penalty:
        penalty = self._resolve_parameter("penalty")
        if penalty.name == "weighted-l1":
            is_common = is_number(penalty.weights)
            remedy = f"multiply alpha by {penalty.weights}" if is_common else "give penalty_weights"
            raise ValueError(f"InfinitePush takes the l1 norm with weights of 1 only; {remedy}")
        return penalty

    def _check_parameters(self) -> tuple[Penalty, SolverSpec]:
        """Check the parameters; return penalty and solver as objects."""
        penalty, solver = self._check_penalty(), self._resolve_parameter("solver")
        if solver.name == PairDual.name and not penalty.ridge:
            raise ValueError(f"solver 'dual' needs penalty 'l2'; got {penalty.name!r}")
        check_positive(self, optional=("tol", "max_iter", "time_limit"), integers=("max_iter",))
        return penalty, solver
