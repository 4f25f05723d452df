"""RankSVM whose C is chosen by cross-validation over whole queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from toprank.estimators.path_search import PathSearch
from toprank.estimators.ranksvm import RankSVM

if TYPE_CHECKING:
    from toprank.typing import Weights


class RankSVMCV(PathSearch):
    r"""Linear RankSVM with C selected by cross-validation over queries.

    In each fold, and for each l1_ratio, a path of C is fitted, starting with the smallest. The
    model with the selected values is then fitted to all rows.

    Parameters
    ----------
    estimator : RankSVM, optional
        Its other parameters are used in all fits (limits apply to each fit); C is replaced. By default
        ``RankSVM()``.
    Cs : int or array-like, default=20
        The values, or a number of them: a geometric sequence from ``C_zero_max``, which is left out, to
        ``C_zero_max`` divided by ``eps``. A ridge, under which no C gives w = 0, has the scale of C in its
        place (see `toprank.estimators.automatic`).
    eps : float, default=1e-3
        Ratio of the start of the grid to the largest C.
    l1_ratios : sequence of float, optional
        Mixing parameters to search, for an estimator with ``penalty="elasticnet"``, each with its own grid.
        By default the ``l1_ratio`` of the estimator.
    cv : int, splitter of scikit-learn, or iterable, default=5
        A number means folds of whole queries (`GroupKFold`), or stratified ones if there is one query. A
        splitter receives the queries as its groups; no split may divide a query.
    scoring : str or callable, optional
        A metric of `make_ranking_scorer` or a scorer of scikit-learn, by name or as an object, or a function
        of a fitted model, X, y and, if it has such a parameter, qid. By default the ``score`` of `RankSVM`,
        the mean NDCG. The ``score`` of the search measures it, too.
    selection : {"best", "one-standard-error"}, default="best"
        "best" selects the largest mean score; ties go to the smallest C (the position in the grid), then to
        the largest l1_ratio. "one-standard-error" keeps the l1_ratio of the best and selects the smallest C
        there whose mean score is within one standard error of the best.
    n_jobs : int, optional
        Processes; each path is one job.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the chosen model, fitted to all rows.
    certificate_ : Certificate
        Objective, lower bound, gap and status of that fit.
    n_iter_ : int
        Number of iterations of that fit.
    n_queries_ : int
        Number of queries in the data of ``fit``.
    C_ : float
        The chosen C.
    l1_ratio_ : float
        The chosen mixing parameter, if ``l1_ratios`` is given.
    Cs_ : ndarray of shape (n_Cs,)
        The grid, ascending. With ``l1_ratios``, (n_l1_ratios, n_Cs).
    scores_ : ndarray of shape (n_Cs, n_splits)
        Score of each value on the test rows of each fold. With ``l1_ratios``, (n_l1_ratios, n_Cs, n_splits).
    cv_results_ : dict
        The columns of scikit-learn's `GridSearchCV`; rows by l1_ratio, then by C.
    best_index_ : int
        Row of the chosen values in ``cv_results_``.
    best_params_ : dict
        The chosen values by the names of their parameters.
    best_score_ : float
        Mean score of the chosen values.
    n_splits_ : int
        Number of folds.
    n_features_in_ : int
        Number of features in the data of ``fit``.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the columns, if ``fit`` was given a data frame.

    See Also
    --------
    RankSVM : The model and its parameters.

    Notes
    -----
    C multiplies a sum over preferences, so that a C of a fold regularises all rows a little less. The same
    holds in a `GridSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import RankSVMCV
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(60, 3)), np.repeat(np.arange(6), 10)
    >>> y = (X[:, 0] + rng.normal(size=60) > 0.5).astype(int)
    >>> model = RankSVMCV(Cs=5, cv=3).fit(X, y, qid)
    >>> model.scores_.shape, model.n_queries_, bool(model.C_ in model.Cs_)
    ((5, 3), 6, True)
    """

    C_: float
    Cs_: Weights
    l1_ratio_: float

    _parameter = "C"
    _grid_parameter = "Cs"
    _estimator_class = RankSVM
    _ranks_queries = True

    def __init__(
        self,
        estimator: RankSVM | None = None,
        *,
        Cs: int | Sequence[float] | np.ndarray = 20,
        eps: float = 1e-3,
        l1_ratios: Sequence[float] | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        selection: Literal["best", "one-standard-error"] = "best",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.Cs = Cs
        self.eps = eps
        self.l1_ratios = l1_ratios
        self.cv = cv
        self.scoring = scoring
        self.selection = selection
        self.n_jobs = n_jobs
