"""TopPush whose alpha and depth are chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from toprank.estimators.path_search import PathSearch
from toprank.estimators.top_push import TopPush

if TYPE_CHECKING:
    from toprank.typing import Weights


class TopPushCV(PathSearch):
    r"""TopPush with alpha, and optionally the depth, selected by cross-validation.

    In each fold and at each depth a path of alphas is fitted, starting with the strongest. The model with the
    selected values is then fitted to all rows.

    Parameters
    ----------
    estimator : TopPush, optional
        Its other parameters are used in all fits (limits apply to each fit); alpha is replaced, and the depth
        if ``depths`` is given. By default ``TopPush()``.
    alphas : int or array-like, default=20
        The values, or a number of them: a geometric sequence from 30 times ``alpha_max`` at the depth, which
        is left out, to ``eps`` times that.
    eps : float, default=1e-3
        Ratio of the smallest alpha to that start.
    depths : sequence of float, optional
        Numbers of negatives, or shares of them, which scale with the size of a fold. By default the depth of
        the estimator.
    cv : int, splitter of scikit-learn, or iterable, default=5
        A number means stratified folds, in the order of the rows.
    scoring : str or callable, optional
        A metric of `make_ranking_scorer` or a scorer of scikit-learn, by name or as an object, or a function
        of a fitted model, X (an array) and y. By default the ``score`` of `TopPush`, the rate at the top.
        The ``score`` of the search measures it, too.
    selection : {"best", "one-standard-error"}, default="best"
        "best" selects the largest mean score; ties go to the strongest regularisation (the position in the
        grid), then to the smallest depth. "one-standard-error" keeps the depth of the best and selects the
        largest alpha there whose mean score is within one standard error of the best.
    n_jobs : int, optional
        Processes; a path of a fold and depth is one job.

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
    alphas_ : ndarray of shape (n_depths, n_alphas)
        The grid at each depth, descending.
    scores_ : ndarray of shape (n_depths, n_alphas, n_splits)
        Score of each depth and alpha on the test rows of each fold.
    cv_results_ : dict
        The columns of scikit-learn's `GridSearchCV`; rows by depth, then by alpha.
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
    TopPush : The model and its parameters.

    Notes
    -----
    The grid is computed from all rows, as in scikit-learn's ``LassoCV``. At a depth where w = 0 is optimal at
    every alpha, the grid of another depth is used, and all models have the same score.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import TopPushCV
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 40)
    >>> X = rng.normal(size=(80, 3)) + 1.5 * y[:, None]
    >>> model = TopPushCV(alphas=5, depths=(1, 0.1), scoring="average_precision").fit(X, y)
    >>> model.scores_.shape, bool(model.best_score_ > 0.9), model.certificate_.status
    ((2, 5, 5), True, 'certified')
    """

    alpha_: float
    alphas_: Weights
    depth_: float

    _parameter = "alpha"
    _grid_parameter = "alphas"
    _estimator_class = TopPush
    _reads_in_place = True

    def __init__(
        self,
        estimator: TopPush | None = None,
        *,
        alphas: int | Sequence[float] | np.ndarray = 20,
        eps: float = 1e-3,
        depths: Sequence[float] | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        selection: Literal["best", "one-standard-error"] = "best",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.alphas = alphas
        self.eps = eps
        self.depths = depths
        self.cv = cv
        self.scoring = scoring
        self.selection = selection
        self.n_jobs = n_jobs
