"""Infinite push whose alpha and depth are chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from toprank.estimators.infinite_push import InfinitePush
from toprank.estimators.path_search import PathSearch

if TYPE_CHECKING:
    from toprank.typing import Weights


class InfinitePushCV(PathSearch):
    r"""Sparse infinite push with alpha, and optionally the depth, selected by cross-validation.

    In each fold, at each depth and for each l1_ratio a path of alphas is fitted, starting with
    the strongest. The model with the selected values is then fitted to all rows.

    Parameters
    ----------
    estimator : InfinitePush, optional
        Its other parameters are used in all fits (limits apply to each fit); alpha is replaced, and the depth
        if ``depths`` is given. By default ``InfinitePush()``.
    alphas : int or array-like, default=20
        The values, or a number of them: a geometric sequence from ``alpha_max`` at the depth, which is left
        out, to ``eps`` times it. Under a ridge, which has no such end, it starts at 15 times ``alpha_max``
        of `TopPush`.
    eps : float, default=1e-3
        Ratio of the smallest alpha to that start.
    depths : sequence of float, optional
        Numbers of negatives, or shares of them, which scale with the size of a fold. By default the depth of
        the estimator.
    l1_ratios : sequence of float, optional
        Mixing parameters to search, for an estimator with ``penalty="elasticnet"``, each with its own grid.
        By default the ``l1_ratio`` of the estimator.
    cv : int, splitter of scikit-learn, or iterable, default=5
        A number means stratified folds, in the order of the rows.
    scoring : str or callable, optional
        A metric of `make_ranking_scorer` or a scorer of scikit-learn, by name or as an object, or a function
        of a fitted model, X (an array) and y. By default the ``score`` of `InfinitePush`, the rate at the
        top. The ``score`` of the search measures it, too.
    selection : {"best", "one-standard-error"}, default="best"
        "best" selects the largest mean score; ties go to the strongest regularisation (the position in the
        grid), then to the smallest depth, then to the largest l1_ratio. "one-standard-error" keeps the depth
        and the l1_ratio of the best and selects the largest alpha there whose mean score is within one
        standard error of the best.
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
    alpha_ : float
        The chosen alpha.
    depth_ : float
        The chosen depth as a number of negatives.
    l1_ratio_ : float
        The chosen mixing parameter, if ``l1_ratios`` is given.
    alphas_ : ndarray of shape (n_depths, n_alphas)
        The grid at each depth, descending. With ``l1_ratios``, (n_l1_ratios, n_depths, n_alphas).
    scores_ : ndarray of shape (n_depths, n_alphas, n_splits)
        Score of each depth and alpha on the test rows of each fold. With ``l1_ratios``,
        (n_l1_ratios, n_depths, n_alphas, n_splits).
    cv_results_ : dict
        The columns of scikit-learn's `GridSearchCV`; rows by l1_ratio, then by depth, then by alpha.
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
    InfinitePush : The model and its parameters.

    Notes
    -----
    The grid is computed from all rows, as in scikit-learn's ``LassoCV``. At a depth where w = 0 is optimal at
    every alpha, the grid of another depth is used, and all models have the same score.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePushCV
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 40)
    >>> X = rng.normal(size=(80, 3)) + 1.5 * y[:, None]
    >>> model = InfinitePushCV(alphas=5, depths=(1, 0.1), scoring="average_precision").fit(X, y)
    >>> model.scores_.shape, bool(model.best_score_ > 0.9), model.certificate_.status
    ((2, 5, 5), True, 'certified')
    """

    alpha_: float
    alphas_: Weights
    depth_: float
    l1_ratio_: float

    _parameter = "alpha"
    _grid_parameter = "alphas"
    _estimator_class = InfinitePush

    def __init__(
        self,
        estimator: InfinitePush | None = None,
        *,
        alphas: int | Sequence[float] | np.ndarray = 20,
        eps: float = 1e-3,
        depths: Sequence[float] | None = None,
        l1_ratios: Sequence[float] | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        selection: Literal["best", "one-standard-error"] = "best",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.alphas = alphas
        self.eps = eps
        self.depths = depths
        self.l1_ratios = l1_ratios
        self.cv = cv
        self.scoring = scoring
        self.selection = selection
        self.n_jobs = n_jobs
