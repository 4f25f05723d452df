"""Regularisation paths: one model fitted for a sequence of values, each fit with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from toprank.estimators.parameter_paths import choose_path_parameter, fit_along, make_path_values
from toprank.metrics import selected_variables
from toprank.queries import resolve_queries

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from toprank.certificate import Certificate
    from toprank.estimators.base import LinearRanker
    from toprank.typing import Rows, Values, Weights

#: Parameter -> the label of its axis, where its name alone does not say what it is.
AXIS_LABELS = {"depth": "depth (highest negatives in the loss)"}


@dataclass(frozen=True)
class RankingPath:
    """Models along one parameter, as returned by `path`.

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
    >>> weight_path = path(RankSVM(), X, [2, 1, 0, 1, 0], qid=[1, 1, 1, 2, 2], values=5)
    >>> weight_path.parameter, weight_path.coefs.shape, weight_path.n_selected.tolist()
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
            from matplotlib import pyplot, ticker
        except ImportError:
            raise ImportError("a plot needs matplotlib: pip install matplotlib") from None
        if ax is None:
            ax = pyplot.subplots(layout="constrained")[1]
        largest_weights = np.abs(self.coefs).max(axis=0)
        # At most eight names: more would hide the curves.
        legend_features = set(np.argsort(-largest_weights, kind="stable")[:8]) & set(
            np.flatnonzero(largest_weights)
        )
        positions = self.values
        if self.parameter == "depth":  # shares become numbers of negatives
            positions = np.array([model.depth_ for model in self.models])
        for j in range(largest_weights.size):
            label = self.names[j] if j in legend_features else None
            ax.plot(positions, self.coefs[:, j], label=label, marker=".", lw=1.0 if label is None else 1.5)
        ax.set(xscale="log", xlabel=AXIS_LABELS.get(self.parameter, self.parameter), ylabel="weight")
        if np.max(positions) < 1000 * np.min(positions):  # few powers of ten: twos and fives are named too
            ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(ticker.NullFormatter())
        if legend_features:
            ax.legend(title="largest weights" if len(legend_features) < largest_weights.size else None)
        return ax


def path(
    model: LinearRanker,
    X: Rows,
    y: Values,
    qid: Values | None = None,
    *,
    group: Values | None = None,
    param: str | None = None,
    values: Values | int = 20,
    span: float = 1e-3,
) -> RankingPath:
    """Fit a model along its regularisation, from the strongest to the weakest, or along its depth.

    If the model has ``warm_start``, each fit starts from the previous one, where its solver can use it. Each
    fit has a certificate of its own. With ``alpha="auto"`` every depth has an alpha of its own.

    Parameters
    ----------
    model : estimator of toprank
        It is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    qid : array-like of shape (n_samples,), optional
    group : array-like of int of shape (n_queries,), optional
        Instead of qid: the sizes of the queries, whose rows are contiguous.
    param : {"beta", "C", "alpha", "radius", "depth"}, optional
        The parameter that varies; by default the first of these that the model has.
    values : int or array-like of shape (n_values,), default=20
        Values of the parameter, fitted in this order, or their number in a geometric sequence from the value
        at which w = 0 stops being optimal: ``C_zero_max``, ``alpha_max`` or ``beta_max`` of the model. Under
        a ridge, where there is none, it starts at the scale of which ``"auto"`` is a multiple. Of depths it
        goes from 1 to the number of negatives.
    span : float, default=1e-3
        Ratio of the weakest to the strongest regularisation of that sequence.

    Returns
    -------
    RankingPath

    Raises
    ------
    ValueError
        If the model has no such parameter, if only a number of values is given and it has no such sequence,
        or as ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush, path
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> weight_path = path(InfinitePush(), X, [1, 1, 0, 0], values=4)
    >>> {certificate.status for certificate in weight_path.certificates}
    {'certified'}
    """
    parameter = choose_path_parameter(model, param)
    if group is not None:
        qid = resolve_queries(qid, group, len(y))
    if np.ndim(values) == 0:
        data = (X, y, qid) if model._ranks_queries else (X, y)
        values = make_path_values(model, parameter, data, values, span)
    elif np.ndim(values) != 1 or not np.size(values):
        raise ValueError(f"values must be a sequence of values of {parameter}, at least one; got {values!r}")
    models = [_copy_fitted(fitted) for fitted in fit_along(model, parameter, values, (X, y, qid))]
    names = getattr(models[-1], "feature_names_in_", [f"x{j}" for j in range(models[-1].n_features_in_)])
    return RankingPath(parameter, np.array(values), models, list(names))


def _copy_fitted(model: LinearRanker) -> LinearRanker:
    """Copy a model with its parameters and its fitted attributes."""
    copy = clone(model)
    copy.__dict__.update({name: value for name, value in vars(model).items() if name.endswith("_")})
    return copy
