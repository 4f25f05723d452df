"""A model along its regularisation: fit after fit, each from the one before, each with its certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toprank.metrics import selected_variables
from toprank.postponed import postponed

with postponed("scipy.stats", "pandas"):
    from sklearn.base import clone

#: Parameter -> the method of an estimator that says where w = 0 ends, and the sign of the way from there.
STARTS = {"C": ("C_min", 1.0), "alpha": ("alpha_max", -1.0), "beta": ("beta_max", -1.0)}
#: Parameters that a path can follow; the first one that an estimator has is taken.
FOLLOWED = ("beta", "C", "alpha", "radius")


@dataclass(frozen=True)
class RankingPath:
    """Models along one parameter; made by `path`.

    Parameters
    ----------
    parameter : str
    values : ndarray of shape (n_values,)
    models : list of estimators
        Fitted, one a value.
    names : list of str
        Of the features.

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
    models: list
    names: list

    @property
    def coefs(self):
        """Weights, of shape (n_values, n_features)."""
        return np.array([model.coef_ for model in self.models])

    @property
    def certificates(self):
        """Certificate of each model."""
        return [model.certificate_ for model in self.models]

    @property
    def n_selected(self):
        """How many features each model uses, of shape (n_values,)."""
        return np.array([np.count_nonzero(selected_variables(model.coef_)) for model in self.models])

    def plot(self, ax=None):
        """Draw the weights against the parameter, the features that get the largest ones with their names.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default a new figure's.

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
            raise ImportError("a plot needs matplotlib: install it, for instance as toprank[plot]") from None
        if ax is None:
            ax = pyplot.subplots(layout="constrained")[1]
        largest = np.abs(self.coefs).max(axis=0)
        named = set(np.argsort(-largest, kind="stable")[:8]) & set(np.flatnonzero(largest))
        for j in range(largest.size):
            label = self.names[j] if j in named else None
            ax.plot(self.values, self.coefs[:, j], label=label, marker=".", lw=1.0 if label is None else 1.5)
        ax.set(xscale="log", xlabel=self.parameter, ylabel="weight")
        if named:
            ax.legend(title="largest weights" if len(named) < largest.size else None)
        return ax


def path(model, X, y, qid=None, *, values=None, n_values=20, span=1e-3):
    """Fit a model along its regularisation, from the strongest on.

    Each fit starts from the one before where the model has ``warm_start``; its result does not depend on
    that, and its certificate says how far it is from the optimum.

    Parameters
    ----------
    model : estimator of toprank
        Not changed. The path follows ``C``, ``alpha``, ``beta`` or ``radius``, whichever the model has.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    qid : array-like of shape (n_samples,), optional
    values : array-like of shape (n_values,), optional
        Of the parameter, in the order in which they are fitted. By default they go on equal ratios from
        where w = 0 ends, which ``C_min``, ``alpha_max`` or ``beta_max`` of the model says.
    n_values : int, default=20
    span : float, default=1e-3
        Weakest regularisation over the strongest, where values are not given.

    Returns
    -------
    RankingPath

    Raises
    ------
    ValueError
        If the model does not say where its path begins and no values are given, or as ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush, path
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> found = path(InfinitePush(), X, [1, 1, 0, 0], n_values=4)
    >>> {certificate.status for certificate in found.certificates}
    {'certified'}
    """
    known = model.get_params(deep=False)
    parameter = next((name for name in FOLLOWED if name in known), None)
    if parameter is None:
        raise ValueError(f"{type(model).__name__} has no parameter that a path follows")
    if values is None:
        values = _values(model, parameter, (X, y, qid) if model._ranks_queries else (X, y), n_values, span)
    fitted = clone(model)
    if "warm_start" in known:
        fitted.set_params(warm_start=True)
    models = []
    for value in values:
        fitted.set_params(**{parameter: value}).fit(X, y, qid)
        models.append(_as_it_is(fitted))
    names = getattr(fitted, "feature_names_in_", [f"x{j}" for j in range(fitted.n_features_in_)])
    return RankingPath(parameter, np.array(values), models, list(names))


def _values(model, parameter, data, n_values, span):
    """Values on equal ratios from where w = 0 ends, which itself is left out."""
    method, sign = STARTS.get(parameter, ("", 0.0))
    if not hasattr(model, method):
        raise ValueError(
            f"{type(model).__name__} does not say where its path begins; give the values of {parameter}"
        )
    if not 0.0 < span < 1.0:
        raise ValueError(f"span must be a number between 0 and 1; got {span!r}")
    start = getattr(model, method)(*data)
    if not (np.isfinite(start) and start > 0.0):
        raise ValueError(f"w = 0 is optimal at every {parameter} on these data; there is no path")
    shares = np.geomspace(1.0, span, n_values + 1)[1:] ** -sign
    return [float(start * share) for share in shares]


def _as_it_is(model):
    """Return a model with the parameters and the results that this one has now."""
    copy = clone(model)
    copy.__dict__.update({name: value for name, value in vars(model).items() if name.endswith("_")})
    return copy
