"""Sequences of values of one parameter, from the strongest regularisation on, and the fits along them."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from toprank.clock import Clock
from toprank.estimators.automatic import PATH_STARTS, compute_scale_in_time
from toprank.labels import relevant_rows
from toprank.parameters import check_positive, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toprank.estimators.base import LinearRanker

#: Parameters that a path can follow; by default the first one that the estimator has.
PATH_PARAMETERS = ("beta", "C", "alpha", "radius", "depth")


def choose_path_parameter(model: LinearRanker, param: str | None) -> str:
    """Return the parameter that a path follows.

    Parameters
    ----------
    model : LinearRanker
    param : str or None
        None: the first of `PATH_PARAMETERS` that the model has.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the model has no such parameter.

    Examples
    --------
    >>> from toprank import FSMRank
    >>> from toprank.estimators.parameter_paths import choose_path_parameter
    >>> choose_path_parameter(FSMRank(), None)
    'beta'
    """
    parameters = model.get_params(deep=False)
    offered = [name for name in PATH_PARAMETERS if name in parameters]
    if not offered:
        raise ValueError(
            f"{type(model).__name__} has none of the parameters of a path: {', '.join(PATH_PARAMETERS)}"
        )
    if param is None:
        return offered[0]
    if param not in offered:
        raise ValueError(
            f"no path of {type(model).__name__} follows {param!r}; take "
            f"param={' or '.join(map(repr, offered))}"
        )
    return param


def make_path_values(
    model: LinearRanker, parameter: str, data: tuple[Any, ...], n_values: int, span: float
) -> list[float]:
    """Return a geometric sequence from the value at which w = 0 stops being optimal, without that value.

    Under a ridge, where there is no such value, it starts at the scale of the data.

    Parameters
    ----------
    model : LinearRanker
    parameter : str
        Of depths the sequence goes from 1 to all negatives, both included.
    data : tuple
        X, y and, for a model that ranks queries, qid.
    n_values : int
    span : float
        Ratio of the weakest to the strongest regularisation.

    Returns
    -------
    list of float

    Raises
    ------
    ValueError
        If there is no such value, or an argument is out of its range.

    Examples
    --------
    >>> from toprank import RankSVM
    >>> from toprank.estimators.parameter_paths import make_path_values
    >>> make_path_values(RankSVM(), "C", ([[0.0], [2.0]], [0, 1], None), 2, 0.01)
    [2.5, 25.0]
    """
    if not (isinstance(n_values, Integral) and not isinstance(n_values, bool) and n_values >= 1):
        raise ValueError(
            f"values must be a sequence of values of {parameter}, or their number, from 1; got {n_values!r}"
        )
    if not (is_number(span) and 0.0 < span < 1.0):
        raise ValueError(f"span must be a number between 0 and 1; got {span!r}")
    # From the highest negative alone (R12, K15) to the mean of all negatives.
    if parameter == "depth":
        n_negatives = int(np.count_nonzero(~relevant_rows(data[1])))
        return [1.0] if n_values == 1 else np.geomspace(1.0, n_negatives, n_values).tolist()
    method, sign = PATH_STARTS.get(parameter, ("", 0.0))
    if not hasattr(model, method):
        raise ValueError(f"{type(model).__name__} has no default path; give the values of {parameter}")
    clock = Clock()
    if "time_limit" in model.get_params(deep=False):
        check_positive(model, optional=("time_limit",))
        clock = Clock(model.time_limit)
    start = compute_scale_in_time(model, parameter, data, clock, "the path may start too high")
    if not (np.isfinite(start) and start > 0.0):
        raise ValueError(f"w = 0 is optimal at every {parameter} on these data; there is no path")
    ratios = np.geomspace(1.0, span, n_values + 1)[1:] ** -sign
    return [float(start * ratio) for ratio in ratios]


def fit_along(
    model: LinearRanker, parameter: str, values: Sequence[float], data: tuple[Any, ...]
) -> Iterator[LinearRanker]:
    """Fit a copy of a model to each value of a parameter; with ``warm_start``, each from the previous fit.

    Parameters
    ----------
    model : LinearRanker
        It is not changed.
    parameter : str
    values : sequence of float
    data : tuple
        X, y and, optionally, qid.

    Yields
    ------
    LinearRanker
        The same object for each value.

    Examples
    --------
    >>> from toprank import RankSVM
    >>> from toprank.estimators.parameter_paths import fit_along
    >>> data = [[0.0], [2.0]], [0, 1]
    >>> [float(fitted.coef_[0].round(6)) for fitted in fit_along(RankSVM(), "C", [1.0, 10.0], data)]
    [0.375, 0.4875]
    """
    estimator = clone(model)
    if "warm_start" in estimator.get_params(deep=False):
        estimator.set_params(warm_start=True)
    for value in values:
        yield estimator.set_params(**{parameter: value}).fit(*data)
