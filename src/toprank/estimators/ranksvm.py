"""RankSVM: linear ranking by pairwise preferences within queries (L14; Joachims 2002)."""

from __future__ import annotations

from functools import partial

import numpy as np

from toprank.certificate import Certificate
from toprank.estimators.base import LinearRanker, check_ranges, load, rotate_if_wide, warn_of_zero
from toprank.penalties import L1, MCP, SCAD, GroupL2, Log, Lp, SquaredL2
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import reweighted

PENALTIES = ("l1", "l2", "weighted-l1", "mcp", "log", "lp", "scad", "group")
SCHEMES = ("reweighted", "direct")


class RankSVM(LinearRanker):
    r"""Linear ranking that violates few preferences between the documents of a query.

    Minimises :math:`C\sum_k (1 - \tilde x_k'w)_+^2 + \Omega(w)` over the pairs k of documents of one query
    that differ in relevance, :math:`\tilde x_k` the better row minus the worse one (L14 eq. 3 and 7). No pair
    is formed: the cost is that of sorting the documents.

    Parameters
    ----------
    penalty : {"l1", "l2", "weighted-l1", "mcp", "log", "lp", "scad", "group"}, default="l1"
        Ω(w): ‖w‖₁; ½‖w‖²; Σ β_j |w_j|; Σ g(|w_j|) with g(u) = u − u²/(2γ) up to γ and γ/2 beyond (mcp),
        log(1 + u/ε) (log), u^p (lp), or the smoothly clipped absolute deviation with its bend at γ (scad); or
        Σ ‖w_g‖₂ over groups of features. What g is does not depend on C.
    C : float, default=1.0
        Weight of the preferences.
    solver : {"prox-newton", "fista"}, default="prox-newton"
        Newton steps with the exact Hessian, or L14's Algorithm 1.
    scheme : {"reweighted", "direct"}, default="reweighted"
        For mcp, log, lp and scad: L14's Algorithm 2, a sequence of weighted l1 problems from the l1 solution
        on; or the penalty's own proximal operator from w = 0 on, which needs solver "fista". Both lower the
        objective with every step and end on a stationary point, not always on the same one.
    gamma : float, default=2.0
        γ of mcp (positive) and of scad (above 1; Fan and Li 2001 recommend 3.7).
    epsilon : float, default=0.1
        ε of log, positive.
    p : float, default=0.5
        Exponent of lp, strictly between 0 and 1.
    weights : array-like of shape (n_features,) or "adaptive", optional
        β of weighted-l1: positive, infinite to ban a feature. "adaptive": 1/|v_j| (Zou 2006) for the ridge
        regression v of all preferences on the value 1, whose ridge is a thousandth of the mean curvature; in
        units in which their harmonic mean is 1.
    groups : array-like of shape (n_features,) or list of lists of int, optional
        For the group norm: a label for each feature, or the features of each group.
    lipschitz : {"exact", "trace"}, default="exact"
        Step of fista: by the largest eigenvalue of 2 Σ x̃_k x̃_k', or by L14's bound 2 Σ ‖x̃_k‖².
    restart : bool, default=True
        Whether fista drops a momentum that points uphill; the paper's does not.
    tol : float, default=1e-8
        Relative duality gap, and violation of the optimality conditions relative to 1/C, at which the solver
        stops. Where Ω is not convex there is no bound, and the second one alone decides.
    max_iter : int, optional
        Newton steps (100), iterations of fista (100 000), or convex problems of the reweighting (1000).
    time_limit : float, optional
        Seconds after which the solver returns what it has, with status "time_limit".
    warm_start : bool, default=False
        Whether to start from the fit before, for instance along a path of C. It changes no result: the
        reweighting starts from the l1 solution at the same C, and only that one is warm-started.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    n_iter_ : int
    certificate_ : Certificate
        Objective, lower bound, gap (None where Ω is not convex), violation of the optimality conditions, and
        status.
    weights_ : ndarray of shape (n_features,)
        β of weighted-l1, as given or adaptive.

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
    'optimal'
    >>> [bool(weight) for weight in model.coef_]
    [True, False]
    """

    #: solver -> the function that runs it, imported on first use
    SOLVERS = {"prox-newton": "toprank.solvers.prox_newton:solve", "fista": "toprank.solvers.fista:solve"}

    def __init__(
        self,
        penalty="l1",
        C=1.0,
        *,
        solver="prox-newton",
        scheme="reweighted",
        gamma=2.0,
        epsilon=0.1,
        p=0.5,
        weights=None,
        groups=None,
        lipschitz="exact",
        restart=True,
        tol=1e-8,
        max_iter=None,
        time_limit=None,
        warm_start=False,
    ):
        self.penalty = penalty
        self.C = C
        self.solver = solver
        self.scheme = scheme
        self.gamma = gamma
        self.epsilon = epsilon
        self.p = p
        self.weights = weights
        self.groups = groups
        self.lipschitz = lipschitz
        self.restart = restart
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start

    def fit(self, X, y, qid=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Relevance, binary or graded; larger is more relevant.
        qid : array-like of shape (n_samples,), optional
            The query of each row; None: one query.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y hold NaN or infinite values, a grade is no whole number from 0 on (where there are more
            than two), no query has two rows of different relevance, or a parameter is out of its range.

        Warns
        -----
        UserWarning
            If the solver ends on w = 0: C is too small, or no feature varies within a query.
        """
        self._check_parameters()
        X, y, qid = self._check_fit_queries(X, y, qid)
        basis = None
        if self.penalty == "l2":
            X, basis = rotate_if_wide(X)
        problem = self._problem(X, y, qid)
        if self.penalty == "weighted-l1":
            self.weights_ = problem.penalty.weights
        if problem.penalty.is_convex:
            solve = self._convex_solver()
            w, certificate, self.n_iter_ = solve(problem, w0=self._warm_start(basis))
        else:
            w, certificate, self.n_iter_ = self._solve_concave(problem)
        # the solver's loss has weight one
        self.certificate_ = Certificate(
            self.C * certificate.objective,
            certificate.status,
            None if certificate.lower_bound is None else self.C * certificate.lower_bound,
            certificate.kkt,
        )
        self.coef_ = w if basis is None else basis @ w
        if self.certificate_.status == "optimal" and not self.coef_.any():
            smallest = self._first_C(problem)
            # a reweighting may end on w = 0 at a larger C, too
            than = f" than {smallest:g}" if self.penalty != "l2" and self.C <= smallest < np.inf else ""
            warn_of_zero(problem, f"C={self.C:g}", f"choose C larger{than}")
        return self

    def C_min(self, X, y, qid=None):
        """Return the largest C at which the solver ends on w = 0, the natural start of a path.

        That is where w = 0 stops being optimal under the (weighted) l1 or the group norm. The reweighting
        starts from the l1 norm and gets its value; so does the ridge, as the scale of a grid.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        qid : array-like of shape (n_samples,), optional

        Returns
        -------
        float
            Infinity where w = 0 is optimal at every C.

        Raises
        ------
        ValueError
            As `fit`.
        """
        self._check_parameters()
        X, y, qid = self._check_fit_queries(X, y, qid)
        return self._first_C(self._problem(X, y, qid))

    @staticmethod
    def _first_C(problem) -> float:
        """Return the C from which on the first, or only, convex problem has a solution other than 0."""
        largest = problem.with_penalty(problem.penalty.first_norm).lambda_max()
        return 1.0 / largest if largest > 0 else float("inf")

    def _check_parameters(self):
        for name, offered in (
            ("penalty", PENALTIES),
            ("solver", tuple(self.SOLVERS)),
            ("scheme", SCHEMES),
            ("lipschitz", ("exact", "trace")),
        ):
            if getattr(self, name) not in offered:
                raise ValueError(
                    f"unknown {name} {getattr(self, name)!r}; RankSVM offers {', '.join(offered)}"
                )
        check_ranges(
            self, positive=("C", "gamma", "epsilon", "p", "tol"), optional=("max_iter", "time_limit")
        )
        if self.penalty == "lp" and self.p >= 1.0:
            raise ValueError(f"p must lie strictly between 0 and 1; got {self.p!r}; for 1 take penalty 'l1'")
        if self.penalty == "scad" and self.gamma <= 1.0:
            raise ValueError(f"gamma must be above 1 for penalty 'scad'; got {self.gamma!r}")
        if self.scheme == "direct" and self.solver != "fista":
            raise ValueError(
                "scheme 'direct' steps by the penalty's proximal operator: it needs solver 'fista'; "
                f"got {self.solver!r}"
            )

    def _problem(self, X, y, qid):
        """State the problem; adaptive weights are those of its own data."""
        penalty = {
            "l1": L1,
            "weighted-l1": partial(L1, self.weights),
            "l2": SquaredL2,
            "mcp": partial(MCP, self.gamma),
            "log": partial(Log, self.epsilon),
            "lp": partial(Lp, self.p),
            "scad": partial(SCAD, self.gamma),
            "group": partial(GroupL2, self.groups),
        }[self.penalty]()
        penalty.check()
        return PairwiseRanking.of(X, y, qid, 1.0 / float(self.C), penalty)

    def _convex_solver(self, **changes):
        """Return the solver with its options, to be called with a problem and ``w0``."""
        options = {"tol": self.tol, "time_limit": self.time_limit, "max_iter": self.max_iter} | changes
        options = {name: value for name, value in options.items() if value is not None}
        if self.solver == "fista":
            options |= {"lipschitz": self.lipschitz, "restart": self.restart}
        return partial(load(self.SOLVERS[self.solver]), **options)

    def _solve_concave(self, problem):
        options = {"tol": self.tol, "time_limit": self.time_limit}
        if self.max_iter is not None:
            options["max_iter"] = self.max_iter
        if self.scheme == "direct":
            return load(self.SOLVERS["fista"], "solve_direct")(problem, **options)
        inner = self._convex_solver(max_iter=None, time_limit=None)
        # the l1 solution at another C is near the one looked for; the end of its reweighting is not
        start = getattr(self, "_l1_solution", None) if self.warm_start else None
        start = start if start is not None and start.size == problem.n_features else None
        w, certificate, n_iter, self._l1_solution = reweighted.solve(problem, inner, w0=start, **options)
        return w, certificate, n_iter
