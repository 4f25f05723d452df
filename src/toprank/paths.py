"""Regularisation paths: one model fitted for a sequence of values, each fit with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from toprank.metrics import selected_variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from toprank.certificate import Certificate
    from toprank.estimators.base import LinearRanker
    from toprank.typing import Rows, Values, Weights

#: Parameter -> the method that returns the value at which w = 0 stops being optimal, and the direction of the
#: path from there.
PATH_STARTS = {"C": ("C_zero_max", 1.0), "alpha": ("alpha_max", -1.0), "beta": ("beta_max", -1.0)}
#: Parameters that a path can follow; the first one that the estimator has is used.
PATH_PARAMETERS = ("beta", "C", "alpha", "radius")


@dataclass(frozen=True)
class RankingPath:
    """Models along one parameter; made by `path`.

    Parameters
    ----------
    parameter : str
    values : ndarray of shape (n_values,)
    models : list of estimators
        A fitted model for each value.
    names : list of str
        Feature names.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import RankSVM, path
    >>> X = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [5.0, 0.5], [4.0, 0.0]])
    >>> found = path(RankSVM(), X, [2, 1, 0, 1, 0], qid=[1, 1, 1, 2, 2], n_values=5)
    >>> found.parameter, found.coefs.shape, found.n_selected.tolist()
    ('C', (5, 2), [1, 1, 1, 1, 1])
    """

    parameter: str
    values: np.ndarray
    models: list[LinearRanker]
    names: list[str]

    @property
    def coefs(self) -> Weights:
        """Weights of the models, of shape (n_values, n_features)."""
        return np.array([model.coef_ for model in self.models])

    @property
    def certificates(self) -> list[Certificate]:
        """Certificate of each model."""
        return [model.certificate_ for model in self.models]

    @property
    def n_selected(self) -> np.ndarray:
        """Number of features that each model uses, of shape (n_values,)."""
        return np.array([np.count_nonzero(selected_variables(model.coef_)) for model in self.models])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the weights against the parameter; a legend names the features with the largest weights.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default the axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("a plot needs matplotlib: pip install matplotlib") from None
        if ax is None:
            ax = pyplot.subplots(layout="constrained")[1]
        largest_weights = np.abs(self.coefs).max(axis=0)
        legend_features = set(np.argsort(-largest_weights, kind="stable")[:8]) & set(
            np.flatnonzero(largest_weights)
        )
        for j in range(largest_weights.size):
            label = self.names[j] if j in legend_features else None
            ax.plot(self.values, self.coefs[:, j], label=label, marker=".", lw=1.0 if label is None else 1.5)
        ax.set(xscale="log", xlabel=self.parameter, ylabel="weight")
        if legend_features:
            ax.legend(title="largest weights" if len(legend_features) < largest_weights.size else None)
        return ax


def path(
    model: LinearRanker,
    X: Rows,
    y: Values,
    qid: Values | None = None,
    *,
    values: Values | None = None,
    n_values: int = 20,
    span: float = 1e-3,
) -> RankingPath:
    """Fit a model for a sequence of values of its regularisation, from the strongest to the weakest.

    If the model has ``warm_start``, each fit starts from the previous one, which saves time. Each fit has a
    certificate of its own.

    Parameters
    ----------
    model : estimator of toprank
        It is not changed. The path varies ``beta``, ``C``, ``alpha`` or ``radius``: the first that it has.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    qid : array-like of shape (n_samples,), optional
    values : array-like of shape (n_values,), optional
        Values of the parameter, fitted in this order. By default a geometric sequence from the value at which
        w = 0 stops being optimal: ``C_zero_max``, ``alpha_max`` or ``beta_max`` of the model.
    n_values : int, default=20
        Number of values of the default sequence.
    span : float, default=1e-3
        Ratio of the weakest to the strongest regularisation of the default sequence.

    Returns
    -------
    RankingPath

    Raises
    ------
    ValueError
        If no values are given and the model has no default sequence, or as ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush, path
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> found = path(InfinitePush(), X, [1, 1, 0, 0], n_values=4)
    >>> {certificate.status for certificate in found.certificates}
    {'certified'}
    """
    parameters = model.get_params(deep=False)
    parameter = next((name for name in PATH_PARAMETERS if name in parameters), None)
    if parameter is None:
        raise ValueError(
            f"{type(model).__name__} has none of the parameters of a path: {', '.join(PATH_PARAMETERS)}"
        )
    if values is None:
        values = _make_default_values(
            model, parameter, (X, y, qid) if model._ranks_queries else (X, y), n_values, span
        )
    estimator = clone(model)
    if "warm_start" in parameters:
        estimator.set_params(warm_start=True)
    models = []
    for value in values:
        estimator.set_params(**{parameter: value}).fit(X, y, qid)
        models.append(_copy_fitted(estimator))
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)])
    return RankingPath(parameter, np.array(values), models, list(names))


def _make_default_values(
    model: LinearRanker, parameter: str, data: tuple[Any, ...], n_values: int, span: float
) -> list[float]:
    """Return the geometric sequence from the value at which w = 0 stops being optimal, without that value."""
    method, sign = PATH_STARTS.get(parameter, ("", 0.0))
    if not hasattr(model, method):
        raise ValueError(f"{type(model).__name__} has no default path; give the values of {parameter}")
    if not 0.0 < span < 1.0:
        raise ValueError(f"span must be a number between 0 and 1; got {span!r}")
    start = getattr(model, method)(*data)
    if not (np.isfinite(start) and start > 0.0):
        raise ValueError(f"w = 0 is optimal at every {parameter} on these data; there is no path")
    ratios = np.geomspace(1.0, span, n_values + 1)[1:] ** -sign
    return [float(start * ratio) for ratio in ratios]


def _copy_fitted(model: LinearRanker) -> LinearRanker:
    """Copy a model with its parameters and its fitted attributes."""
    copy = clone(model)
    copy.__dict__.update({name: value for name, value in vars(model).items() if name.endswith("_")})
    return copy
