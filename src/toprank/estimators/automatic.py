"""The regularisation of ``alpha="auto"`` and ``C="auto"``, and the scale of the data that it is a share of.

Under a norm that makes weights 0 the scale is the value at which w = 0 stops being optimal. Under a ridge no
weight becomes 0; there it is the value at which the linear part of the loss alone would give a mean margin of
1, which has the right unit: features multiplied by s multiply it by s².
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toprank.clock import UNLIMITED, OutOfTime
from toprank.estimators.fit_warnings import warn_of_late_scale
from toprank.parameters import is_number
from toprank.penalties import SquaredL2

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.estimators.base import LinearRanker
    from toprank.typing import Rows, Values

AUTO = "auto"
#: Parameter -> the method that returns the value at which w = 0 stops being optimal, and the direction of the
#: path from there.
PATH_STARTS = {"C": ("C_zero_max", 1.0), "alpha": ("alpha_max", -1.0), "beta": ("beta_max", -1.0)}
#: Shares of the scale that "auto" stands for in losses at the top, under a norm and under a ridge; they were
#: chosen by an experiment (docs/choosing_lambda.md).
NORM_SHARE, RIDGE_SHARE = 0.3, 3.0
#: The same in a loss of all pairs, which needs less regularisation, for the norms and the ridge.
PAIRS_SHARE = 0.03


def is_auto(value: object, name: str) -> bool:
    """Whether a parameter is "auto".

    Parameters
    ----------
    value : object
    name : str
        Of the parameter.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If it is another string.

    Examples
    --------
    >>> from toprank.estimators.automatic import is_auto
    >>> is_auto("auto", "alpha"), is_auto(0.1, "alpha")
    (True, False)
    """
    if isinstance(value, str) and value != AUTO:
        raise ValueError(f"{name} must be a positive number or 'auto'; got {value!r}")
    return isinstance(value, str)


def has_ridge(model: LinearRanker) -> bool:
    """Whether the penalty of a model is the ridge, under which no weight becomes 0.

    Parameters
    ----------
    model : LinearRanker

    Returns
    -------
    bool

    Examples
    --------
    >>> from toprank import InfinitePush, TopPush
    >>> from toprank.estimators.automatic import has_ridge
    >>> has_ridge(TopPush()), has_ridge(InfinitePush("l1"))
    (True, False)
    """
    return "penalty" not in model.CHOICES or isinstance(model._resolve_parameter("penalty"), SquaredL2)


def compute_scale(
    model: LinearRanker, parameter: str, data: tuple[Any, ...], clock: Clock = UNLIMITED
) -> float:
    """Return the value of alpha, beta or C at the scale of the data.

    Parameters
    ----------
    model : LinearRanker
        It is not changed.
    parameter : {"alpha", "beta", "C"}
    data : tuple
        X, y and, for a model that ranks queries, qid.
    clock : Clock, optional
        Limits the time for alpha; beta and C have the limit of the model, or none.

    Returns
    -------
    float
        0 (alpha, beta) or infinity (C) if w = 0 is optimal at every value.

    Raises
    ------
    OutOfTime
        If the time for alpha is too short: ``partial_result`` is an upper bound.

    Examples
    --------
    >>> from toprank import InfinitePush
    >>> from toprank.estimators.automatic import compute_scale
    >>> round(compute_scale(InfinitePush(), "alpha", ([[0.0], [2.0]], [0, 1])), 3)
    2.0
    """
    if parameter == "alpha":
        return float(model._compute_alpha_scale(*data, clock))
    if parameter == "C" and has_ridge(model):
        return float(model._compute_ridge_scale(*data))
    return float(getattr(model, PATH_STARTS[parameter][0])(*data))


def compute_scale_in_time(
    model: LinearRanker, parameter: str, data: tuple[Any, ...], clock: Clock, consequence: str
) -> float:
    """Return `compute_scale`, or an upper bound with a warning.

    Parameters
    ----------
    model : LinearRanker
    parameter : {"alpha", "beta", "C"}
    data : tuple
    clock : Clock
    consequence : str
        Of the bound, for the warning.

    Returns
    -------
    float
    """
    try:
        return compute_scale(model, parameter, data, clock)
    except OutOfTime as timeout:
        warn_of_late_scale(model, parameter, clock, consequence)
        return float(timeout.partial_result)


def resolve_alpha(model: LinearRanker, X: Rows, y: Values, clock: Clock = UNLIMITED) -> float:
    """Return alpha as a number: that of the model, or a share of the scale of the data for "auto".

    Parameters
    ----------
    model : TopPush or InfinitePush
        It is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    clock : Clock, optional
        Limits the time for the scale.

    Returns
    -------
    float
        1 if w = 0 is optimal at every alpha.

    Raises
    ------
    ValueError
        If alpha is neither a positive number nor "auto".

    Warns
    -----
    ConvergenceWarning
        If the time was too short for the scale, of which an upper bound is used.

    Examples
    --------
    >>> from toprank import InfinitePush
    >>> from toprank.estimators.automatic import resolve_alpha
    >>> resolve_alpha(InfinitePush(alpha=0.5), [[0.0], [2.0]], [0, 1])
    0.5
    """
    if not is_auto(model.alpha, "alpha"):
        if not (is_number(model.alpha) and np.isfinite(model.alpha) and model.alpha > 0):
            raise ValueError(f"alpha must be a positive number or 'auto'; got {model.alpha!r}")
        return float(model.alpha)
    scale = compute_scale_in_time(model, "alpha", (X, y), clock, "'auto' may be too large")
    return (RIDGE_SHARE if has_ridge(model) else NORM_SHARE) * scale if scale > 0.0 else 1.0
