"""Base class of the estimators: checks of the input, choice of the solver, and scores.

The modules of estimators import `toprank.problems` in functions: it loads numba, a fifth of the time that
an import of scikit-learn takes, and some users import an estimator without fitting it.
"""

from __future__ import annotations

from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, validate_data

from toprank.estimators.fit_warnings import warn_of_blocks
from toprank.estimators.progress import make_observer
from toprank.labels import as_grades, as_numbers, relevant_rows, split_queries
from toprank.metrics import ndcg, rate_at_top
from toprank.queries import resolve_queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn.utils import Tags

    from toprank.certificate import Certificate
    from toprank.clock import Clock
    from toprank.estimators.penalty_weights import FeatureMap
    from toprank.estimators.rotation import Reflections
    from toprank.problems.rows import RowMatrix
    from toprank.solvers.monitor import Solution
    from toprank.solvers.solver_specs import SolverSpec
    from toprank.typing import Rows, Values, Weights

# `assert_all_finite` checks for NaN and infinity, with a shorter message
CHECK_ARRAY_OPTIONS = {"accept_sparse": "csr", "ensure_all_finite": False}


class LinearRanker(BaseEstimator):
    """Base of the linear ranking models; the scores are ``X @ coef_``.

    Notes
    -----
    With scikit-learn's metadata routing, ``qid`` is passed to ``fit`` and ``score`` without a request.
    """

    __metadata_request__fit: ClassVar[dict] = {"qid": True}
    __metadata_request__score: ClassVar[dict] = {"qid": True}

    coef_: Weights
    certificate_: Certificate
    n_iter_: int
    n_features_in_: int
    n_queries_: int

    #: Parameter that takes a name or an object -> {name: function that makes the object}.
    CHOICES: ClassVar[dict] = {}
    #: Such a parameter -> classes of the objects that it takes.
    ACCEPTED_CLASSES: ClassVar[dict] = {}
    #: Whether ``fit`` reads the rows of float32 and memory-mapped arrays in place.
    _reads_in_place = False
    #: Whether the model ranks the rows of each query; otherwise it ranks a single list.
    _ranks_queries = False
    #: Callback of the solver, for measurements; it sees the solver's own units.
    _callback = None

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the penalty and the solver: ``penalty__gamma``, ``solver__rho``.

        Parameters
        ----------
        **params
            To set a parameter of a penalty or solver that is given by name, its object replaces the name.

        Returns
        -------
        self
        """
        # a nested parameter of a name needs the object that the name stands for
        for name in {name.partition("__")[0] for name in params if "__" in name}:
            value = params.get(name, getattr(self, name, None))
            if name in self.CHOICES and isinstance(value, str):
                params[name] = self._make_from_name(name, value)
        return super().set_params(**params)

    def _make_from_name(self, parameter: str, name: str) -> Any:
        """Return the object that a name stands for."""
        offered = self.CHOICES[parameter]
        if name not in offered:
            raise ValueError(
                f"unknown {parameter} {name!r}; {type(self).__name__} offers {', '.join(offered)}"
            )
        return offered[name]()

    def _resolve_parameter(self, parameter: str) -> Any:
        """Return the object of a parameter, made from its name if need be, after a check of its ranges."""
        value = getattr(self, parameter)
        candidate = self._make_from_name(parameter, value) if isinstance(value, str) else value
        if not isinstance(candidate, self.ACCEPTED_CLASSES[parameter]):
            offered = ", ".join(map(repr, self.CHOICES[parameter]))
            raise ValueError(
                f"{type(self).__name__} cannot use {value!r} as its {parameter}; take one of {offered}, or "
                "an object of their classes"
            )
        candidate.check()
        return candidate

    def _solve(
        self,
        problem: Any,
        solver: SolverSpec,
        clock: Clock,
        *,
        factor: float = 1.0,
        basis: Reflections | FeatureMap | None = None,
        function: Callable[..., Solution] | None = None,
        **extra_options: Any,
    ) -> Solution:
        """Run a solver, or another function in its place, within the model's limits and the time left.

        ``factor`` and ``basis`` bring its steps to the units of the model, for ``verbose`` and ``callback``.
        A ``function`` takes the place of the one that ``SOLVERS`` names.
        """
        limits = {name: getattr(self, name) for name in ("tol", "max_iter")}
        explicit_limits = {name: value for name, value in limits.items() if value is not None}
        options = explicit_limits | {"time_limit": clock.seconds_left} | solver.options() | extra_options
        callback = make_observer(self, solver.name, factor, basis)
        function = function or load_function(self.SOLVERS[solver.name])
        return function(problem, callback=callback, **options)

    def _check_fit(
        self, X: Rows, y: Values, qid: Values | None, group: Values | None = None
    ) -> tuple[RowMatrix, np.ndarray, np.ndarray | None]:
        """Check the input; return X (float64, dense or CSR; or rows read in place), y and qid."""
        from toprank.problems.rows import check_magnitude

        X, qid = split_queries(X, qid)
        if y is not None:
            y = as_numbers(y)
        X, y = self._check_rows(X, self._reads_in_place, order="C", y=y)
        if sp.issparse(X):
            X = sp.csr_array(X)
            if not X.has_canonical_format:
                X = X.copy()  # entries stored in parts are summed, since kernels take each for a whole one
                X.sum_duplicates()
        check_magnitude(X)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return X, y, resolve_queries(qid, group, y.size)

    def _check_rows(self, X: Rows, in_place: bool, order: str | None, **options: Any) -> Any:
        """Check X, and y if it is given; ``in_place`` does not copy dense float32 and memory-mapped rows."""
        from toprank.problems.rows import SelectedRows

        # three ways in: rows selected already, float32 or mapped arrays in place, others as float64 copies
        is_selected = in_place and isinstance(X, SelectedRows)
        is_stored = in_place and isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64)
        array_options = CHECK_ARRAY_OPTIONS | {"dtype": X.dtype if is_stored else np.float64, "order": order}
        checks = {"skip_check_array": True} if is_selected else array_options
        checked = validate_data(self, X, **checks, **options)
        rows, *y = checked if "y" in options else (checked,)
        # scikit-learn would copy rows that are read in place: one product checks them
        if is_selected:
            nonfinite_rows = rows.find_nonfinite_rows()
            if nonfinite_rows is not None:
                assert_all_finite(nonfinite_rows, input_name="X")
            check_consistent_length(rows, *y)
        else:
            assert_all_finite(rows, input_name="X")
        if is_stored and (rows.dtype == np.float32 or isinstance(X, np.memmap)):
            rows = SelectedRows(rows)
        return (rows, *y) if y else rows

    def _check_fit_queries(
        self, X: Rows, y: Values, qid: Values | None, **options: Any
    ) -> tuple[RowMatrix, np.ndarray, np.ndarray | None]:
        """Check the input of a model that ranks queries; y becomes grades."""
        X, y, qid = self._check_fit(X, y, qid, **options)
        y = as_grades(y)
        if qid is None:
            warn_of_blocks(X, y)
        self.n_queries_ = 1 if qid is None else np.unique(qid).size
        return X, y, qid

    def _check_fit_single_list(
        self, X: Rows, y: Values, qid: Values | None, **options: Any
    ) -> tuple[RowMatrix, np.ndarray]:
        """Check the input of a model that ranks one list; return X without large offsets, and a mask of y."""
        from toprank.problems.offsets import subtract_offsets

        X, y, qid = self._check_fit(X, y, qid, **options)
        self._check_single_list(qid)
        return subtract_offsets(X), relevant_rows(y)

    def _check_single_list(self, qid: Values | None) -> None:
        if qid is not None and np.unique(qid).size > 1:
            raise ValueError(
                f"{type(self).__name__} ranks a single list, but qid names {np.unique(qid).size}; "
                "fit one model per query"
            )

    def _warm_start(self, basis: Reflections | FeatureMap | None = None) -> Weights | None:
        """Weights to start from, in the coordinates of the basis; None for a cold start."""
        coef = getattr(self, "coef_", None)
        if not self.warm_start or coef is None or coef.size != self.n_features_in_:
            return None
        return coef if basis is None else basis.T @ coef

    @property
    def classes_(self) -> None:
        """Not available, as a ranker has no classes; the error of scikit-learn's calibration has a remedy."""
        raise AttributeError(
            f"{type(self).__name__} ranks and has no classes_; for probabilities fit LogisticRegression or "
            "IsotonicRegression to its decision_function on held-out rows (docs/library.md, Probabilities)"
        )

    def decision_function(self, X: Rows) -> Weights:
        """Score the rows of X; larger is nearer to the top.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        from toprank.problems.rows import SelectedRows

        check_is_fitted(self, "coef_")
        X, _ = split_queries(X)
        # float32 is scored in place only by models that also fit it so
        is_single = isinstance(X, np.ndarray) and X.dtype == np.float32
        in_place = isinstance(X, np.memmap | SelectedRows) or (self._reads_in_place and is_single)
        X = self._check_rows(X, in_place, order="C" if in_place else None, reset=False)
        return np.asarray(X @ self.coef_).ravel()

    def predict(self, X: Rows) -> Weights:
        """Score the rows of X, as `decision_function` does; the scores are the predicted order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.decision_function(X)

    def score(
        self,
        X: Rows,
        y: Values,
        qid: Values | None = None,
        sample_weight: None = None,
        *,
        group: Values | None = None,
    ) -> float:
        """Measure the ranking of X: the mean NDCG over queries, or the rate at the top of a single list.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of the same kind as in ``fit``.
        qid : array-like of shape (n_samples,), optional
            The query of each row, also as a column ``qid`` of X; None: one query.
        sample_weight : None
            Only None is allowed; scikit-learn's pipelines pass it.
        group : array-like of int of shape (n_queries,), optional
            Instead of qid: the sizes of the queries, whose rows are contiguous.

        Returns
        -------
        float
            `toprank.metrics.ndcg` of whole lists if the model ranks queries; `toprank.metrics.rate_at_top` if
            it ranks one list. A search (`TopPushCV` and others) with ``scoring`` measures that instead.

        Raises
        ------
        TypeError
            If there are weights.
        ValueError
            If the model was fitted to several queries and none is named, or labels and queries are not as in
            ``fit``.
        """
        if sample_weight is not None:
            raise TypeError(
                f"{type(self).__name__}.score takes no sample_weight: the loss compares pairs of rows, and "
                "weights of rows do not define weights of pairs; leave out rows that should not count"
            )
        X, qid = split_queries(X, qid)
        if group is not None:
            qid = resolve_queries(qid, group, len(y))
        if not self._ranks_queries:
            self._check_single_list(qid)
        return self._measure_ranking(X, y, qid)

    def _measure_ranking(self, X: Rows, y: Values, qid: Values | None) -> float:
        """Measure a ranking: the mean NDCG over queries, or the rate at the top of a single list."""
        scores = self.decision_function(X)
        if not self._ranks_queries:
            return rate_at_top(y, scores)
        if qid is None and self.n_queries_ > 1:
            raise ValueError(
                f"{type(self).__name__} was fitted to {self.n_queries_} queries, so a score needs the qid of "
                "each row: as an argument (in a search by metadata routing), or as a column 'qid' of X"
            )
        return ndcg(y, scores, qid)

    def __sklearn_clone__(self) -> Self:
        # a clone shares the callback: a copy of the object that it belongs to would record for nobody
        clone = super(LinearRanker, copy(self)).__sklearn_clone__()
        if hasattr(self, "callback"):
            clone.callback = self.callback
        return clone

    def __getstate__(self) -> dict[str, Any]:
        # a callback belongs to the session, and many cannot be pickled
        state = super().__getstate__()
        return state | {"callback": None} if "callback" in state else state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def load_function(entry: str) -> Callable[..., Any]:
    """Import the function that an entry "module:function" of an estimator's ``SOLVERS`` names.

    It is not imported before, so that a fit loads and compiles a single solver.

    Parameters
    ----------
    entry : str
        Module and function, separated by a colon.

    Returns
    -------
    Callable[..., Any]
        The function.
    """
    module, _, function = entry.partition(":")
    return getattr(import_module(module), function)
