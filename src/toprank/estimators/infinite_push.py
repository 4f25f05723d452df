"""Infinite push: sparse ranking that is accurate at the top of the list (R12; Agarwal 2011)."""

from __future__ import annotations

import warnings

from toprank.estimators.base import LinearRanker, check_ranges, load, rotate_if_wide
from toprank.penalties import L1, GroupL2, SquaredL2
from toprank.problems.push import PushRanking
from toprank.solvers.zero_optimum import group_lambda_max, lambda_max

PENALTIES = ("l1", "l2", "group")
#: solver -> the penalties that it handles; a solver that is not here handles all
PENALTIES_OF = {"dual": ("l2",)}
PROXES = ("exact", "douglas-rachford")


class InfinitePush(LinearRanker):
    r"""Linear ranking that pushes the highest negative down, with few features.

    Minimises :math:`\alpha\,\Omega(w) + \max_j \frac{1}{m}\sum_i (1 - w'(x_i^+ - x_j^-))_+` over the m
    positives :math:`x_i^+` and the negatives :math:`x_j^-` (R12 eq. 2).

    Parameters
    ----------
    penalty : {"l1", "l2", "group"}, default="l1"
        ‖w‖₁, ½‖w‖², or the sum of the ‖w_g‖₂ over ``groups``.
    alpha : float, default=1.0
        Weight of the penalty, the papers' lambda.
    solver : {"exact", "admm", "dual"}, default="exact"
        "exact" refines a small linear or conic model until its dual certifies the point; "admm" is R12's
        Algorithm 1 on the m n pairs; "dual" is projected gradient on the dual over the l1,inf ball, for the
        ridge only.
    prox : {"exact", "douglas-rachford"}, default="exact"
        How "admm" computes the prox of the loss: by one projection, or by the paper's two inner loops.
    groups : array-like, optional
        For penalty "group": a label for each feature, or for each group the list of its features.
    tol : float, optional
        Relative duality gap at which the solver stops: by default 1e-8 (exact), 1e-4 (admm) and 1e-6 (dual).
    max_iter : int, optional
        By default 200 (exact), 5000 (admm) and 10000 (dual).
    mu : float, optional
        Penalty of the augmented Lagrangian (admm); by default 1 / (m n).
    time_limit : float, optional
        Seconds after which the solver returns what it has, with status "time_limit".
    warm_start : bool, default=False
        Whether "exact" starts from the ``coef_`` of the fit before, for instance along a path of alphas.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    n_iter_ : int
    certificate_ : Certificate
        Objective, lower bound, gap and status.

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
    'optimal'
    >>> [bool(weight) for weight in model.coef_]  # the second feature tells nothing
    [True, False]
    """

    #: solver -> the function that runs it, imported on first use
    SOLVERS = {
        "exact": "toprank.solvers.push_exact:solve",
        "admm": "toprank.solvers.push_admm:solve",
        "dual": "toprank.solvers.push_dual:solve",
    }

    def __init__(
        self,
        penalty="l1",
        alpha=1.0,
        *,
        solver="exact",
        prox="exact",
        groups=None,
        tol=None,
        max_iter=None,
        mu=None,
        time_limit=None,
        warm_start=False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.solver = solver
        self.prox = prox
        self.groups = groups
        self.tol = tol
        self.max_iter = max_iter
        self.mu = mu
        self.time_limit = time_limit
        self.warm_start = warm_start

    def fit(self, X, y, qid=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two values (the larger is positive), or grades (positive above 0).
        qid : array-like of shape (n_samples,), optional
            At most one distinct value: the method ranks a single list.

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
        UserWarning
            If w = 0 is optimal: a norm's alpha is at or above lambda_max, or the mean of the positives lies
            in the convex hull of the negatives.
        """
        self._check_parameters()
        X, relevant = self._check_fit_single_list(X, y, qid)
        penalty, basis = self._penalty(X.shape[1]), None
        if self.penalty == "l2":
            X, basis = rotate_if_wide(X)
        problem = PushRanking(X[relevant], X[~relevant], float(self.alpha), penalty)
        options = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit}
        if self.solver == "exact":
            options["w0"] = self._warm_start(basis)
        w, self.certificate_, self.n_iter_ = self._solve(
            problem, {k: v for k, v in options.items() if v is not None}
        )
        self.coef_ = w if basis is None else basis @ w
        if self.certificate_.status == "optimal" and not self.coef_.any():
            if self.penalty == "l2":
                remedy = "the mean of the positives lies in the convex hull of the negatives, at every alpha"
            else:
                remedy = "it is at least lambda_max; choose a smaller alpha"
            warnings.warn(
                f"w = 0 is optimal at alpha={self.alpha:g} and every row scores 0: {remedy}",
                UserWarning,
                stacklevel=2,
            )
        return self

    def alpha_max(self, X, y):
        """Return the smallest alpha at which w = 0 is optimal (maths: λ_max), the natural end of a path.

        No alpha does that for the ridge; it gets the value of the l1 norm, as the scale of a grid.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
            0 where the mean of the positives lies in the convex hull of the negatives: w = 0 is optimal at
            every alpha.

        Raises
        ------
        ValueError
            As `fit`.
        """
        X, relevant = self._check_fit_single_list(X, y, None)
        if self.penalty == "group":
            smallest = group_lambda_max(X[relevant], X[~relevant], self._penalty(X.shape[1]))
        else:
            smallest = 0.5 * lambda_max(
                X[relevant], X[~relevant]
            )  # of the squared hinge, whose slope at 0 is 2
        return (1.0 + 1e-6) * smallest  # a little above: it is known to some digits, and w = 0 there for sure

    def _penalty(self, n_features):
        if self.penalty == "group":
            return GroupL2.of(self.groups, n_features)
        return L1() if self.penalty == "l1" else SquaredL2()

    def _solve(self, problem, options):
        solve = load(self.SOLVERS[self.solver])
        if self.solver == "admm":
            return solve(problem, prox=self.prox, mu=self.mu, **options)
        return solve(problem, **options)

    def _check_parameters(self):
        choices = (("penalty", PENALTIES), ("solver", tuple(self.SOLVERS)), ("prox", PROXES))
        for name, offered in choices:
            if getattr(self, name) not in offered:
                raise ValueError(
                    f"unknown {name} {getattr(self, name)!r}; InfinitePush offers {', '.join(offered)}"
                )
        handled = PENALTIES_OF.get(self.solver, PENALTIES)
        if self.penalty not in handled:
            raise ValueError(
                f"solver {self.solver!r} needs penalty {' or '.join(map(repr, handled))}; "
                f"got {self.penalty!r}"
            )
        check_ranges(self, positive=("alpha",), optional=("tol", "max_iter", "mu", "time_limit"))
