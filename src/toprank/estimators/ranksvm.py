"""RankSVM: linear ranking by pairwise preferences within queries (L14; Joachims 2002)."""

from __future__ import annotations

import warnings

from toprank.certificate import Certificate
from toprank.estimators.base import LinearRanker, check_ranges, rotate_if_wide
from toprank.penalties import L1, SquaredL2
from toprank.problems.pairwise import PairwiseRanking

PENALTIES = ("l1", "l2")


class RankSVM(LinearRanker):
    r"""Linear ranking that violates few preferences between the documents of a query.

    Minimises :math:`C\sum_k (1 - \tilde x_k'w)_+^2 + \Omega(w)` over the pairs k of documents of one query
    that differ in relevance, :math:`\tilde x_k` the better row minus the worse one (L14 eq. 3). No pair is
    formed: the cost is that of sorting the documents.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l1"
        ‖w‖₁ or ½‖w‖².
    C : float, default=1.0
        Weight of the preferences.
    tol : float, default=1e-8
        Relative duality gap, and violation of the optimality conditions relative to 1/C, at which the solver
        stops.
    max_iter : int, default=100
        Newton steps.
    time_limit : float, optional
        Seconds after which the solver returns what it has, with status "time_limit".
    warm_start : bool, default=False
        Whether to start from the ``coef_`` of the fit before, for instance along a path of C.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    n_iter_ : int
    certificate_ : Certificate
        Objective, lower bound, gap, violation of the optimality conditions, and status.

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

    def __init__(self, penalty="l1", C=1.0, *, tol=1e-8, max_iter=100, time_limit=None, warm_start=False):
        self.penalty = penalty
        self.C = C
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
            If X or y hold NaN or infinite values, no query has two rows of different relevance, or a
            parameter is out of its range.

        Warns
        -----
        UserWarning
            If w = 0 is optimal under the l1 norm: C is too small.
        """
        if self.penalty not in PENALTIES:
            raise ValueError(f"unknown penalty {self.penalty!r}; RankSVM offers {', '.join(PENALTIES)}")
        check_ranges(self, positive=("C", "tol", "max_iter"), optional=("time_limit",))
        X, y, qid = self._check_fit_queries(X, y, qid)
        basis = None
        if self.penalty == "l2":
            X, basis = rotate_if_wide(X)
        problem = PairwiseRanking.of(X, y, qid, 1.0 / float(self.C), self._penalty())
        # imported where it is used, as in TopPush
        from toprank.solvers import prox_newton

        w, certificate, self.n_iter_ = prox_newton.solve(
            problem,
            tol=self.tol,
            max_iter=self.max_iter,
            w0=self._warm_start(basis),
            time_limit=self.time_limit,
        )
        # the solver's loss has weight one
        self.certificate_ = Certificate(
            self.C * certificate.objective,
            certificate.status,
            self.C * certificate.lower_bound,
            certificate.kkt,
        )
        self.coef_ = w if basis is None else basis @ w
        if self.certificate_.status == "optimal" and not self.coef_.any():
            smallest = 1.0 / problem.lambda_max() if self.penalty == "l1" else float("inf")
            warnings.warn(
                f"w = 0 is optimal at C={self.C:g} and every row scores 0: choose C larger than {smallest:g}",
                UserWarning,
                stacklevel=2,
            )
        return self

    def C_min(self, X, y, qid=None):
        """Return the largest C at which w = 0 is optimal under the l1 norm, the natural start of a path.

        No C does that for the ridge; it gets the value of the l1 norm, as the scale of a grid.

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
        X, y, qid = self._check_fit_queries(X, y, qid)
        largest = PairwiseRanking.of(X, y, qid, 1.0, L1()).lambda_max()
        return 1.0 / largest if largest > 0 else float("inf")

    def _penalty(self):
        return L1() if self.penalty == "l1" else SquaredL2()
