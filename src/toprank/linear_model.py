"""A linear ranking model without its estimator: weights, scaling, names and certificate."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_array, check_is_fitted

from toprank import __version__
from toprank.estimators.base import LinearRanker
from toprank.labels import get_column_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toprank.certificate import Certificate
    from toprank.typing import Rows, Weights

__all__ = ["LinearModel"]


#: Attributes of a fitted ranker with the numbers that it chose.
FITTED_PARAMETERS = ("alpha_", "C_", "depth_", "l1_ratio_")


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear ranking model: the score of a row x is Σ w_j (x_j − m_j) / s_j + b.

    Parameters
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    mean_, scale_ : ndarray of shape (n_features,) or None
        m and s, of a scaler before the ranker; None: no scaler.
    intercept_ : float
        b: 0, or what `fold_scaling` leaves of the means.
    feature_names : tuple of str or None
        None, or a None in it: the name is unknown.
    certificate_ : Certificate
    estimator : str
        Class of the estimator.
    parameters : dict
        Its parameters, but for those of its progress.
    versions : dict
        Versions of the packages with which the model was exported.
    fitted_parameters : dict
        Numbers that the fit chose for parameters such as ``alpha="auto"`` or a depth that is a share:
        ``alpha_``, ``C_``, ``depth_`` and ``l1_ratio_``, those that the ranker has.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import TopPush
    >>> from toprank.export import from_json, to_json
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> model = TopPush(alpha=0.1).fit(X, [1, 1, 0, 0])
    >>> restored = from_json(to_json(model))
    >>> np.array_equal(restored.decision_function(X), model.decision_function(X))
    True
    >>> restored.certificate_ == model.certificate_
    True
    """

    coef_: Weights
    mean_: Weights | None
    scale_: Weights | None
    intercept_: float
    feature_names: tuple[str | None, ...] | None
    certificate_: Certificate
    estimator: str
    parameters: dict[str, Any]
    versions: dict[str, str]
    fitted_parameters: dict[str, float] = field(default_factory=dict)

    def decision_function(self, X: Rows) -> Weights:
        """Score the rows of X; larger is nearer to the top.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows as they were before the scaler. A data frame needs only the columns of the features whose
            weight is not 0, which are looked up by name.

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        ValueError
            If X lacks a feature, or has another number of features.
        """
        columns: slice | np.ndarray = slice(None)
        # a data frame needs to hold only the columns that have a weight, in any order
        column_names = get_column_names(X)
        if column_names is not None and self.feature_names is not None:
            columns = np.flatnonzero(self.coef_)
            names = [self.feature_names[j] for j in columns]
            missing = [name for name in names if name not in column_names]
            if missing:
                raise ValueError(f"X has no column {missing[0]!r}, which is a feature of the model")
            X = np.asarray(X.select(names)) if hasattr(X, "column_names") else X[names].to_numpy()
        rows = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_features=0)
        coef = self.coef_[columns]
        if rows.shape[1] != coef.size:
            raise ValueError(f"X has {rows.shape[1]} features, but the model has {coef.size}")
        if self.mean_ is None or self.scale_ is None:
            return np.asarray(rows @ coef).ravel() + self.intercept_
        if sp.issparse(rows):  # subtracted means would fill the rows
            return fold_scaling(self).decision_function(rows)
        return ((rows - self.mean_[columns]) / self.scale_[columns]) @ coef + self.intercept_


#: What can be exported: a fitted ranker, a pipeline of a `StandardScaler` and one, or what `from_json` read.
ExportableModel: TypeAlias = LinearRanker | Pipeline | LinearModel


def fold_scaling(model: LinearModel) -> LinearModel:
    """Return the model with the same scores whose weights belong to features that are not scaled.

    Parameters
    ----------
    model : LinearModel

    Returns
    -------
    LinearModel
    """
    if model.mean_ is None or model.scale_ is None:
        return model
    # Σ w_j (x_j − m_j)/s_j = Σ (w_j/s_j) x_j − Σ w_j m_j/s_j
    weights = model.coef_ / model.scale_
    intercept = model.intercept_ - float(model.mean_ @ weights)
    return replace(model, coef_=weights, mean_=None, scale_=None, intercept_=intercept)


def collect_model(
    model: ExportableModel, feature_names: Sequence[str] | None = None, scaler: StandardScaler | None = None
) -> LinearModel:
    """Collect what is exported of a fitted ranker, or of a pipeline of a scaler and a ranker.

    Parameters
    ----------
    model : LinearRanker, Pipeline or LinearModel
    feature_names : sequence of str, optional
        By default those that the first step saw in ``fit``.
    scaler : StandardScaler, optional
        The fitted scaler of the rows of the fit, if it is not in a pipeline.

    Returns
    -------
    LinearModel

    Raises
    ------
    ValueError
        If names do not fit the features, or a step of the pipeline is no StandardScaler.
    TypeError
        If the model or the scaler is of another kind.
    """
    if isinstance(model, LinearModel):
        if scaler is not None:
            raise ValueError("a LinearModel already contains its scaling; omit scaler")
        if feature_names is None:
            return model
        return replace(model, feature_names=_check_names(feature_names, model.coef_.size))
    ranker, scaler = _split_pipeline(model, scaler)
    check_is_fitted(ranker, "coef_")
    mean = scale = None
    if scaler is not None:
        mean, scale = _read_scaling(scaler, ranker.coef_.size)
    if feature_names is None:
        feature_names = getattr(ranker if scaler is None else scaler, "feature_names_in_", None)
    parameters = ranker.get_params(deep=False)
    return LinearModel(
        coef_=ranker.coef_,
        mean_=mean,
        scale_=scale,
        intercept_=0.0,
        feature_names=None if feature_names is None else _check_names(feature_names, ranker.coef_.size),
        certificate_=ranker.certificate_,
        estimator=type(ranker).__name__,
        # these two belong to the session, not to the model
        parameters={name: value for name, value in parameters.items() if name not in ("verbose", "callback")},
        versions={
            "python": platform.python_version(),
            "toprank": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        fitted_parameters={
            name: float(getattr(ranker, name)) for name in FITTED_PARAMETERS if hasattr(ranker, name)
        },
    )


def _split_pipeline(
    model: LinearRanker | Pipeline, scaler: StandardScaler | None
) -> tuple[LinearRanker, StandardScaler | None]:
    """Return the ranker and its scaler, if there is one."""
    ranker = model
    if isinstance(model, Pipeline):
        ranker = model.steps[-1][1]
        for name, step in model.steps[:-1]:
            if step is None or step == "passthrough":
                continue
            if not isinstance(step, StandardScaler) or scaler is not None:
                raise ValueError(
                    f"the step {name!r} is not the only StandardScaler before the ranker, and nothing else "
                    "can be exported; transform the rows first, and export the ranker and its feature names"
                )
            scaler = step
    if not isinstance(ranker, LinearRanker):
        raise TypeError(
            f"only a fitted ranker of toprank, or a pipeline that ends with one, can be exported, not "
            f"{type(ranker).__name__}; of a search take best_estimator_"
        )
    return ranker, scaler


def _read_scaling(scaler: StandardScaler, n_features: int) -> tuple[Weights, Weights]:
    """Return the means that a scaler subtracts and the scales by which it divides."""
    if not isinstance(scaler, StandardScaler):
        raise TypeError(f"scaler must be a fitted StandardScaler, not {type(scaler).__name__}")
    check_is_fitted(scaler)
    if scaler.n_features_in_ != n_features:
        raise ValueError(f"the scaler has {scaler.n_features_in_} features, but the ranker has {n_features}")
    # a scaler has means that it does not subtract, too
    mean = np.asarray(scaler.mean_, dtype=float) if scaler.with_mean else np.zeros(n_features)
    scale = np.asarray(scaler.scale_, dtype=float) if scaler.with_std else np.ones(n_features)
    return mean, scale


def _check_names(names: Iterable[str], n_features: int) -> tuple[str, ...]:
    """Return the names if there is another one for each feature."""
    names = tuple(names)
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names, but the model has {n_features} features")
    if wrong := [name for name in names if not (isinstance(name, str) and name)]:
        raise ValueError(f"the name of a feature must be a text that is not empty; got {wrong[0]!r}")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two features have the name {repeated!r}; give each feature a name of its own")
    return names


def convert_to_json_types(value: Any) -> Any:
    """Return a value as JSON can hold it; estimators by their class and parameters, others by their text.

    Parameters
    ----------
    value : object

    Returns
    -------
    dict, list, str, float, int, bool or None
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): convert_to_json_types(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [convert_to_json_types(entry) for entry in value]
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {
            "class": type(value).__name__,
            "parameters": convert_to_json_types(value.get_params(deep=False)),
        }
    if hasattr(value, "__array__") and not isinstance(value, type):  # a series, for instance
        return convert_to_json_types(np.asarray(value))
    has_address = " at 0x" in repr(value)
    return getattr(value, "__qualname__", type(value).__name__ if has_address else repr(value))
