"""The interface of all penalties.

Solvers use only this interface and never look at the type of a penalty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from toprank.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toprank.typing import Weights


class PenalisedProblem(Protocol):
    """What a penalty may ask of the problem to which it is adapted."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    def adaptive_weights(self) -> Weights:
        """Return the weights of `L1` ("adaptive"), where the problem has them.

        Returns
        -------
        ndarray of shape (n_features,)
        """


class Penalty(Parameters):
    """Interface of a penalty Ω; the defaults are those of a norm.

    Attributes
    ----------
    name : str
        Name in estimators and messages.
    is_convex : bool
    is_separable : bool
        Whether Ω is a weighted l1 norm. Its ``weights`` are then a scalar or an array.
    weights : float or ndarray of shape (n_features,)
        Of a weighted l1 norm.
    ridge : float
        Weight of ½‖w‖² if Ω is this and nothing else, otherwise 0. A ridge has no dual norm, and an optimal w
        lies in the span of the rows.
    """

    name = "penalty"
    is_convex = True
    is_separable = False
    weights: Weights | float | str = 1.0
    ridge = 0.0

    def value(self, w: Weights) -> float:
        """Return the penalty Ω(w).

        Parameters
        ----------
        w : ndarray of shape (n_features,)

        Returns
        -------
        float
        """
        raise NotImplementedError

    def prox(self, w: Weights, step: float) -> Weights:
        """Return the proximal operator of the penalty, argmin_z ½‖z − w‖² + step Ω(z).

        Parameters
        ----------
        w : ndarray of shape (n_features,)
        step : float
            Not negative.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        raise NotImplementedError

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return the distance of 0 from the subdifferential gradient + alpha ∂Ω(w).

        Parameters
        ----------
        w : ndarray of shape (n_features,)
        gradient : ndarray of shape (n_features,)
            Gradient of the loss at w.
        alpha : float
            Weight of the penalty.

        Returns
        -------
        ndarray of shape (n_features,) or (n_groups,)
            Not negative; all 0 where w is stationary.
        """
        raise NotImplementedError

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return the typical slope of alpha Ω, the unit of violations of the optimality conditions.

        Parameters
        ----------
        w, gradient : ndarray of shape (n_features,)
        alpha : float

        Returns
        -------
        float
            In the units of the gradient.
        """
        return alpha

    def relative_violation(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return the largest violation relative to `slope_size`, which no unit of the features changes.

        Parameters
        ----------
        w, gradient : ndarray of shape (n_features,)
        alpha : float

        Returns
        -------
        float
        """
        return float(self.violation(w, gradient, alpha).max() / self.slope_size(w, gradient, alpha))

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Return the one-sided derivative of Ω at w along a direction.

        Parameters
        ----------
        w, direction : ndarray of shape (n_features,)

        Returns
        -------
        float
        """
        raise NotImplementedError

    def dual_norm(self, v: Weights) -> float:
        """Return the dual norm of v, the smallest t with v'u <= t Ω(u) for all u.

        Parameters
        ----------
        v : ndarray of shape (n_features,)

        Returns
        -------
        float
        """
        raise NotImplementedError

    def check(self) -> None:
        """Raise a ValueError if a parameter is out of its range."""

    def adapt_to(self, problem: PenalisedProblem) -> Penalty:
        """Return the penalty for solvers, with the parameters that depend on the data of a problem.

        Parameters
        ----------
        problem : PenalisedProblem
            A `PairwiseRanking` or a `PushRanking`.

        Returns
        -------
        Penalty

        Raises
        ------
        ValueError
            If a parameter does not suit the number of features.
        """
        return self

    @property
    def curvatures(self) -> Weights | float:
        """Weights of ½w_j² in a conic model of Ω."""
        return self.ridge

    @property
    def thresholds(self) -> Weights | float | None:
        """Weights of |w_j| if Ω has them, for each feature or one for all; None under another norm."""
        return self.weights if self.is_separable else None

    @property
    def free_features(self) -> np.ndarray:
        """Features that Ω does not penalise."""
        return np.empty(0, dtype=np.intp)

    def restrict_to(self, features: np.ndarray) -> Penalty:
        """Return the penalty of some of the features, when all others are 0.

        Parameters
        ----------
        features : ndarray of int

        Returns
        -------
        Penalty
        """
        return self

    def groups_of(self, n_features: int) -> np.ndarray:
        """Return the index of the group of each feature; by default each feature is a group.

        Parameters
        ----------
        n_features : int

        Returns
        -------
        ndarray of int of shape (n_features,)
        """
        return np.arange(n_features)

    @property
    def cones(self) -> Sequence[np.ndarray]:
        """Features of each second-order cone ‖w_g‖ <= r_g that a conic model of Ω needs."""
        return ()

    @property
    def initial_norm(self) -> Penalty:
        """Norm that decides where w = 0 stops being optimal, and with which a reweighting starts."""
        return self

    def scaled_dual(
        self, v: Weights, alpha: float, total: float, squares: float = 0.0, cap: float = math.inf
    ) -> float:
        """Maximise s total − s² squares − alpha Ω*(s v / alpha) over the scales 0 <= s <= cap.

        This is the best lower bound along one direction of the dual, in closed form.

        Parameters
        ----------
        v : ndarray of shape (n_features,)
            X̃'π, the dual direction in the space of the features.
        alpha : float
            Weight of the penalty.
        total : float
            Linear term of the dual along the direction.
        squares : float, default=0.0
            Quadratic term; 0 for a hinge.
        cap : float, default=inf
            Largest scale at which the dual weights are feasible.

        Returns
        -------
        float
            A lower bound on the minimum of the objective; 0 where the dual is unbounded.
        """
        largest, squares = self._conjugate_along(v, alpha, squares)
        # concave in s: the vertex total / (2 squares), or the first limit before it
        if squares > 0.0:
            largest = min(largest, 0.5 * total / squares)
        scale = min(cap, largest)
        return float(scale * total - scale**2 * squares) if math.isfinite(scale) else 0.0

    def _conjugate_along(self, v: Weights, alpha: float, squares: float) -> tuple[float, float]:
        """Return the largest s with a finite Ω*(s v / alpha), and ``squares`` plus its quadratic term."""
        norm = self.dual_norm(v)
        return (alpha / norm if norm > 0.0 else math.inf), squares
