"""What a fit shows of its iterations: ``verbose`` prints a line for each, and ``callback`` is called."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from toprank.estimators.rotation import Reflections
    from toprank.solvers.monitor import Step, StepCallback


def make_observer(
    model: BaseEstimator, solver: str, factor: float = 1.0, basis: Reflections | None = None
) -> StepCallback | None:
    """Return the callback that a solver is given for the ``verbose`` and ``callback`` of a model.

    Parameters
    ----------
    model : BaseEstimator
        Models without these parameters have neither.
    solver : str
        Its name, for the lines.
    factor : float
        What the solver's objective is multiplied by in the model's certificate.
    basis : Reflections, optional
        Coordinates of the solver's weights.

    Returns
    -------
    callable or None
        None: there is nothing to call.

    Raises
    ------
    ValueError
        If a parameter is of the wrong kind.
    """
    verbose, callback = getattr(model, "verbose", 0), getattr(model, "callback", None)
    if not (isinstance(verbose, Integral) and verbose >= 0):
        raise ValueError(f"verbose must be a whole number from 0 on; got {verbose!r}")
    if not (callback is None or callable(callback)):
        raise ValueError(f"callback must be a function of a step, or None; got {callback!r}")
    model._has_ended_by_callback = False
    measure, title = getattr(model, "_callback", None), f"{type(model).__name__} {solver}"
    # without output and callback a solver keeps the measurement's own function, with no cost per iteration
    if not verbose and callback is None:
        return measure

    def observe(step: Step) -> bool:
        """Measure, print and call; returns whether one of them ends the fit.

        Parameters
        ----------
        step : Step
            In the units of the solver.

        Returns
        -------
        bool
        """
        is_over = measure is not None and bool(measure(step))
        # solvers use their own weight of the loss: RankSVM's objective is C times the one that it minimises
        step = _to_model_units(step, factor)
        if verbose:
            print(describe_step(step, title), flush=True)
        if callback is not None:
            # back from rotated or scaled columns to the weights of the features
            step = step if basis is None else replace(step, w=basis @ step.w)
            model._has_ended_by_callback = bool(callback(step))
        return is_over or model._has_ended_by_callback

    return observe


def has_ended_by_callback(model: BaseEstimator) -> bool:
    """Whether the callback of a model has ended its last fit.

    Parameters
    ----------
    model : BaseEstimator

    Returns
    -------
    bool
    """
    return getattr(model, "_has_ended_by_callback", False)


def _to_model_units(step: Step, factor: float) -> Step:
    """Return a step whose objective and bound are those of the model."""
    bound = None if step.lower_bound is None else factor * step.lower_bound
    return replace(step, _objective=lambda: factor * step.objective, lower_bound=bound)


def describe_step(step: Step, title: str) -> str:
    """Write a step in a line.

    Parameters
    ----------
    step : Step
    title : str
        What is fitted.

    Returns
    -------
    str
    """
    objective, bound = step.objective, step.lower_bound
    gap = ""
    if bound is not None:
        relative_gap = (objective - bound) / abs(objective) if objective else 0.0
        gap = f", lower bound {bound:.6e}, relative gap {relative_gap:.1e}"
    return f"{title}: iteration {step.iteration}, objective {objective:.6e}{gap}, {step.seconds:.2f} s"
