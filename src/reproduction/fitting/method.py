"""A method of a study: an estimator with its fixed parameters and its grid; its fits are in `fit_rows`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import signature
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from reproduction.fitting.fit_process import JobProcess, RemoteModel
from reproduction.fitting.sklearn_adapter import EstimatorAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows

#: What an estimator calls its strongest regularisation -> names of shares of it and the parameters they give.
SHARES = {
    "alpha_max": {"share": "alpha"},
    "beta_max": {"share": "beta", "alpha_share": "alpha"},
    "C_zero_max": {"share": "C"},
}
STATUS_NOT_FEASIBLE = "not feasible"
"""Status of the split of a data set that a method cannot rank."""
DEPTH_SHARE = "depth_share"
"""Name of a depth as a share of the negatives of whatever rows the model is fitted to; 0 is depth 1."""
SHARE_NAMES = {name for shares in SHARES.values() for name in shares} | {DEPTH_SHARE}


@dataclass(frozen=True)
class Method:
    """An estimator, its fixed parameters and the grid that the search goes through.

    Parameters
    ----------
    estimator : str
        Dotted name of a class with ``fit(X, y)``, or ``fit(X, y, qid)``, and ``decision_function`` or
        ``predict``: ``"toprank.TopPush"``, ``"sklearn.linear_model.LogisticRegression"``.
    fixed : dict
        Parameters that never change; for the penalty and the solver as ``penalty__gamma``.
    grid : dict of str to list
        Values to try. Ties go to the last candidate, so list the strongest regularisation last. An empty grid
        needs no search. The name "share" stands for shares of the strongest regularisation that does not
        leave w = 0, on whatever rows the model is fitted to. By the estimator that is ``alpha = share *
        alpha_max(X, y)``, ``beta = share * beta_max(X, y)`` or ``C = C_zero_max(X, y) / share``. With
        ``beta_max``, "alpha_share" stands for ``alpha = alpha_share * beta_max(X, y)``. "depth_share" stands
        for ``depth``, a share of the negatives, of which a depth takes one at least.
    path : dict of str to list
        Parameters for which the model is also fitted on the whole training part, to be looked at only.
    score_rows : tuple
        Pairs of rows and their queries, or None, which a program is given with its fit.
    process : JobProcess, optional
        The process in which its models are fitted, see `with_process`.
    """

    estimator: str
    fixed: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)
    path: dict = field(default_factory=dict)
    score_rows: tuple = ()
    process: JobProcess | None = field(default=None, compare=False)

    @property
    def is_third_party(self) -> bool:
        """Whether it is a method of others: a program, or an estimator of another package."""
        return not self.estimator.startswith("toprank.")

    def with_process(self, seconds: float, memory_mb: float | None = None) -> Method:
        """Return the method with its models in a process of their own, with the limits of `JobProcess`.

        Parameters
        ----------
        seconds : float
            Processor time of a fit, in seconds.
        memory_mb : float, optional
            Memory of the process tree, in MB.

        Returns
        -------
        Method
            A copy of the method.
        """
        return replace(self, process=JobProcess(self, seconds, memory_mb))

    def with_score_rows(self, *parts: Rows, qid: tuple | None = None) -> Method:
        """Return the method whose models score these rows and no others.

        Parameters
        ----------
        *parts : ndarray or csr_array
            Parts that are scored after each fit.
        qid : tuple of ndarray or None, optional
            The queries of each part.

        Returns
        -------
        Method
            A copy of the method.
        """
        return replace(self, score_rows=tuple(zip(parts, qid or (None,) * len(parts), strict=True)))

    def build(self, **params: Any) -> Any:
        """Return an unfitted estimator.

        Parameters
        ----------
        **params : dict
            Parameters of the fit, beside the fixed ones; shares are left out.

        Returns
        -------
        estimator
            A `RemoteModel` where the method has a process, an `EstimatorAdapter` of a third-party estimator.
        """
        if self.process:
            return RemoteModel(self.process, self.score_rows, estimator_params(params))
        module, _, name = self.estimator.rpartition(".")
        # parameters of a candidate win over fixed ones
        arguments = {**self.fixed, **estimator_params(params)}
        nested = {name: value for name, value in arguments.items() if "__" in name}
        model = getattr(import_module(module), name)(
            **{n: v for n, v in arguments.items() if n not in nested}
        )
        # a class of ours may ask for the rows that it will score; others are adapted to our interface
        if hasattr(model, "score_rows"):
            model.score_rows = self.score_rows
        elif self.is_third_party:
            model = EstimatorAdapter(model)
        return model.set_params(**nested) if nested else model

    def find_obstacle(self, X: Rows, feature_scaling: str) -> str:
        """Say why the estimator cannot take the rows of a data set at all; classes of ours may tell.

        Parameters
        ----------
        X : ndarray, csr_array or memmap of shape (n_rows, n_features)
            Rows as distributed.
        feature_scaling : {"raw", "standardised"}
            Scaling of the features.

        Returns
        -------
        str
            The answer of its ``find_obstacle``; empty without one, or where nothing is in the way.
        """
        if not self.estimator.startswith("reproduction."):
            return ""
        module, _, name = self.estimator.rpartition(".")
        check = getattr(getattr(import_module(module), name), "find_obstacle", None)
        return check(X, feature_scaling) if check else ""

    @property
    def is_warm_started(self) -> bool:
        """Whether a fit may start from the one before."""
        return bool(self.fixed.get("warm_start"))

    def resolve(
        self, points: list[dict], X: Rows, y: np.ndarray, qid: np.ndarray | None = None
    ) -> list[dict]:
        """Add to each point with a share the regularisation that it means on these rows.

        Parameters
        ----------
        points : list[dict]
            Points of a grid. What they agree in, the strongest regularisation may depend on.
        X : ndarray or csr_array of shape (n_rows, n_features)
            Training rows.
        y : ndarray of shape (n_rows,)
            Labels or grades.
        qid : ndarray of shape (n_rows,), optional
            Query of each row.

        Returns
        -------
        list[dict]
            The points, with the parameter beside each share.

        Raises
        ------
        ValueError
            If the estimator has none of `SHARES`.
        """
        if not any(SHARE_NAMES & set(point) for point in points):
            return points
        if self.process:
            return self.process.ask("resolve", points, X, y, qid, keep=True)
        points = [_resolve_depth(point, y) for point in points]
        if not any((SHARE_NAMES - {DEPTH_SHARE}) & set(point) for point in points):
            return points
        # what all points of the grid have in common decides the strongest regularisation
        first_point, *other_points = points
        agreed = {
            name: value
            for name, value in first_point.items()
            if all(point.get(name) == value for point in other_points)
        }
        model = self.build(**agreed)
        if hasattr(model, "time_limit"):
            model.time_limit = None  # a grid must not depend on the machine; the limit is one of the fits
        scale = next((name for name in SHARES if hasattr(model, name)), None)
        if scale is None:
            raise ValueError(
                f"{self.estimator} has none of {', '.join(SHARES)}, of which a grid takes shares"
            )
        strongest = getattr(model, scale)
        strongest = strongest(X, y, **query_argument(strongest, qid))
        # 0, or infinity for C: whatever the regularisation is, w = 0 is optimal
        strongest = strongest if strongest and np.isfinite(strongest) else 1.0
        resolved = []
        for point in points:
            resolved_params = {
                parameter: point[name] for name, parameter in SHARES[scale].items() if name in point
            }
            for parameter, share in resolved_params.items():
                # C is the inverse of a regularisation: a small share is a weak regularisation and a large C.
                resolved_params[parameter] = strongest / share if scale == "C_zero_max" else share * strongest
            resolved.append(point | resolved_params)
        return resolved


def _resolve_depth(point: dict, y: np.ndarray) -> dict:
    """Add to a point with a share of the negatives the depth that it means: one negative at least."""
    if DEPTH_SHARE not in point:
        return point
    # at least one negative, and digits that a product of a share leaves are rounded away
    return point | {"depth": max(1.0, round(point[DEPTH_SHARE] * np.count_nonzero(y <= 0), 9))}


def params_to_json(params: Mapping) -> str:
    """Write parameters as the tables show them: rho, not solver__rho.

    Parameters
    ----------
    params : Mapping
        Parameters of a fit.

    Returns
    -------
    str
        JSON object with sorted keys.
    """
    # names of nested parameters without their prefix: rho for solver__rho
    return json.dumps({name.rpartition("__")[2]: value for name, value in params.items()}, sort_keys=True)


def estimator_params(params: Mapping) -> dict:
    """Select the parameters that the estimator knows.

    Parameters
    ----------
    params : Mapping
        Parameters of a fit.

    Returns
    -------
    dict
        Those without the share of the strongest regularisation.
    """
    return {name: value for name, value in params.items() if name not in SHARE_NAMES}


def query_argument(function: Callable, qid: np.ndarray | None) -> dict[str, np.ndarray]:
    """Keyword arguments that hand over the queries to a function that takes them.

    Parameters
    ----------
    function : Callable
        Method of an estimator, such as its ``fit``.
    qid : ndarray of shape (n_rows,) or None
        Query of each row.

    Returns
    -------
    dict[str, ndarray]
        ``qid``, or nothing.
    """
    return {"qid": qid} if qid is not None and "qid" in signature(function).parameters else {}


def expand_grid(grid: Mapping) -> list[dict]:
    """Return the points of a grid, the last parameter varying fastest.

    Parameters
    ----------
    grid : Mapping of str to list
        Values of each parameter.

    Returns
    -------
    list[dict]
        The points; an empty grid has a single, empty one.
    """
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
