"""The convex penalties: l1 norm, ridge, group norm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from toprank.penalties.base import Penalty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from toprank.penalties.base import PenalisedProblem
    from toprank.typing import Values, Weights


@dataclass(eq=False)
class L1(Penalty):
    r"""ℓ1 norm (lasso): :math:`\sum_j \beta_j |w_j|`, where the weights β are 1 by default (L14 eq. 7, 13).

    Parameters
    ----------
    weights : float, array-like of shape (n_features,) or "adaptive", default=1.0
        β, positive; an infinite one excludes its feature. "adaptive" (RankSVM only): 1/abs(v_j) (Zou 2006),
        scaled to a harmonic mean of 1. Here v is the ridge regression of the value 1 on all preferences, and
        its ridge is a thousandth of the mean curvature.

    Notes
    -----
    Solvers also use weights of 0, which do not penalise a feature; the dual bound is then trivial.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import L1
    >>> L1([1.0, 2.0]).value(np.array([-3.0, 1.0]))
    5.0
    """

    weights: Values | Literal["adaptive"] = 1.0

    is_separable = True

    @property
    def name(self) -> str:
        """Name in messages: "l1", or "weighted-l1" where a weight is not 1."""
        return "l1" if np.ndim(self.weights) == 0 and self.weights == 1.0 else "weighted-l1"

    def check(self) -> None:
        """Raise a ValueError if the weights are neither numbers nor "adaptive"."""
        if isinstance(self.weights, str) and self.weights != "adaptive":
            raise ValueError(f"unknown weights {self.weights!r}; give one for each feature, or 'adaptive'")
        if self.weights is None:
            raise ValueError("weights must be one number, one for each feature, or 'adaptive'; got None")

    def adapt_to(self, problem: PenalisedProblem) -> Penalty:
        """Return the penalty with one positive weight for each feature, or one for all.

        Parameters
        ----------
        problem : PenalisedProblem

        Raises
        ------
        ValueError
            If the weights are not positive, or not one for each feature.
        """
        if isinstance(self.weights, str):
            return L1(problem.adaptive_weights())
        weights = np.asarray(self.weights, dtype=float)
        if weights.ndim and weights.shape != (problem.n_features,):
            expected = f"weights must have an entry for each of the {problem.n_features} features"
            raise ValueError(f"{expected}; got shape {weights.shape}")
        if not np.all(weights > 0.0):
            raise ValueError("weights must be positive; to leave a feature unpenalised, give it a small one")
        return L1(weights if weights.ndim else self.weights)

    def restrict_to(self, features: np.ndarray) -> L1:
        """Return the norm of some of the features, with their weights."""
        return L1(np.asarray(self.weights)[features]) if np.ndim(self.weights) else self

    def value(self, w: Weights) -> float:
        r"""Return Σ_j β_j \|w_j\|; an infinite weight counts only where w_j is not 0."""
        weights = np.broadcast_to(self.weights, w.shape)  # infinite weights times 0 would be NaN
        return float(weights[w != 0.0] @ np.abs(w[w != 0.0]))

    def prox(self, w: Weights, step: float) -> Weights:
        r"""Return the soft threshold sign(w_j) (\|w_j\| − step β_j)₊ (L14 eq. 11 and 12).

        Parameters
        ----------
        w : ndarray of shape (n_features,)
        step : float

        Returns
        -------
        ndarray of shape (n_features,)
        """
        return np.sign(w) * np.maximum(np.abs(w) - step * self.weights, 0.0)

    def dual_norm(self, v: Weights) -> float:
        """Return the weighted maximum norm, max_j |v_j| / β_j."""
        magnitudes = np.abs(v)
        ratio = np.divide(
            magnitudes, self.weights, out=np.where(magnitudes > 0.0, np.inf, 0.0), where=self.weights > 0.0
        )
        return float(ratio.max(initial=0.0))

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return the distance of 0 from gradient + alpha ∂Ω(w), for each feature."""
        return compute_subgradient_distance(w, gradient, np.broadcast_to(alpha * self.weights, w.shape))

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return alpha times the harmonic mean of the positive weights."""
        weights = np.asarray(self.weights, dtype=float)
        # the harmonic mean stays finite with some infinite weights (Lp in a reweighting)
        inverse = 1.0 / weights[weights > 0.0]
        return alpha / float(inverse.mean()) if inverse.any() else alpha

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Return Σ_j β_j sign(w_j) d_j on the support of w plus Σ_j β_j |d_j| off it."""
        derivatives = np.where(w != 0.0, np.sign(w) * direction, np.abs(direction))
        weights = np.broadcast_to(self.weights, w.shape)
        return float(weights[derivatives != 0.0] @ derivatives[derivatives != 0.0])


@dataclass(eq=False)
class SquaredL2(Penalty):
    """Ridge: ½‖w‖². It is not a norm and has no dual norm; its conjugate is ½‖v‖².

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import SquaredL2
    >>> SquaredL2().value(np.array([-3.0, 1.0]))
    5.0
    """

    name = "l2"
    ridge = 1.0

    @property
    def initial_norm(self) -> Penalty:
        """The l1 norm, which gives the scale of a grid: under a ridge w = 0 is optimal at no alpha."""
        return L1()  # under a ridge w = 0 is optimal at no alpha: the l1 norm gives the scale of a grid

    def _conjugate_along(self, v: Weights, alpha: float, squares: float) -> tuple[float, float]:
        """Return an infinite scale, and ``squares`` plus ‖v‖² / (2 alpha); Ω*(u) = ½‖u‖²."""
        return math.inf, squares + 0.5 * float(v @ v) / alpha

    def value(self, w: Weights) -> float:
        """Return ½‖w‖²."""
        return 0.5 * float(w @ w)

    def prox(self, w: Weights, step: float) -> Weights:
        """Shrink all weights alike, argmin_z ½‖z − w‖² + step ½‖z‖² = w / (1 + step)."""
        return w / (1.0 + step)

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return |gradient + alpha w| for each feature."""
        return np.abs(gradient + alpha * w)

    def slope_size(self, w: Weights, gradient: Weights, alpha: float) -> float:
        """Return the larger of the slopes of penalty and loss, which balance at the optimum."""
        return max(alpha * np.abs(w).max(initial=0.0), np.abs(gradient).max(initial=0.0)) or alpha

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Return w'direction."""
        return float(w @ direction)


@dataclass(eq=False)
class GroupL2(Penalty):
    """Group lasso: Σ_g ‖w_g‖₂ over a partition of the features: whole groups vanish together.

    Parameters
    ----------
    groups : array-like of shape (n_features,) or list of lists of int
        A label for each feature, or for each group its features.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import GroupL2, RankSVM
    >>> X = np.array([[2.0, 1.0, 0.3], [1.5, 0.0, 0.1], [0.0, 1.0, 0.2], [-1.0, 0.5, 0.4]])
    >>> model = RankSVM(GroupL2(["a", "b", "a"]), C=0.1).fit(X, [2, 1, 0, 0])
    >>> [bool(weight) for weight in model.coef_]
    [True, False, True]
    """

    groups: ArrayLike | Sequence[Sequence[int]] | None = None

    name = "group"

    @classmethod
    def from_groups(cls, groups: ArrayLike | Sequence[Sequence[int]], n_features: int) -> Self:
        """Check the groups and number them 0, 1, 2, …, as the methods below need them.

        Parameters
        ----------
        groups : array-like of shape (n_features,) or list of lists of int
            A label for each feature, or for each group its features.
        n_features : int

        Returns
        -------
        GroupL2
            Its ``groups`` is an ndarray of int of shape (n_features,).

        Raises
        ------
        ValueError
            If the groups do not partition the features.
        """
        cls(groups).check()
        if len(groups) and np.ndim(next(iter(groups))) == 1:  # a series may have names in place of positions
            # Two forms: lists of the features of each group, or a label for each feature.
            members = np.concatenate([np.asarray(group) for group in groups])
            counts = np.bincount(members, minlength=n_features) if _are_indices(members, n_features) else ()
            if len(counts) != n_features or np.any(counts != 1):
                raise ValueError(f"groups must hold each feature from 0 to {n_features - 1} exactly once")
            labels = np.empty(n_features, dtype=np.intp)
            for index, group in enumerate(groups):
                labels[np.asarray(group)] = index
        else:
            labels = np.asarray(groups)
            if labels.shape != (n_features,):
                raise ValueError(
                    f"groups must give a label for each of the {n_features} features; got shape "
                    f"{labels.shape}"
                )
        return cls(np.unique(labels, return_inverse=True)[1])

    def check(self) -> None:
        """Raise a ValueError if no groups are given."""
        if self.groups is None:
            raise ValueError("penalty 'group' needs groups: a label for each feature, or lists of features")

    def adapt_to(self, problem: PenalisedProblem) -> Penalty:
        """Return the penalty with numbered groups, after a check that they partition the features."""
        return self.from_groups(self.groups, problem.n_features)

    def groups_of(self, n_features: int) -> np.ndarray:
        """Return the index of the group of each feature."""
        return self.groups

    def restrict_to(self, features: np.ndarray) -> GroupL2:
        """Return the penalty of a part of the features, in whole groups, when all others are 0.

        Parameters
        ----------
        features : ndarray of int

        Returns
        -------
        GroupL2
        """
        return GroupL2(np.unique(self.groups[features], return_inverse=True)[1])

    @property
    def cones(self) -> Sequence[np.ndarray]:
        """Features of each group."""
        return [np.flatnonzero(self.groups == g) for g in range(self.groups.max() + 1)]

    def norms(self, w: Weights) -> Weights:
        """Return ‖w_g‖₂ of each group.

        Parameters
        ----------
        w : ndarray of shape (n_features,)

        Returns
        -------
        ndarray of shape (n_groups,)
        """
        return np.sqrt(np.bincount(self.groups, weights=np.square(w)))

    def value(self, w: Weights) -> float:
        """Return Σ_g ‖w_g‖₂."""
        return float(self.norms(w).sum())

    def prox(self, w: Weights, step: float) -> Weights:
        """Shrink each group by the factor (1 − step / ‖w_g‖)₊ (Yuan and Lin 2006)."""
        norms = self.norms(w)
        factors = np.maximum(norms - step, 0.0) / np.where(norms > 0.0, norms, 1.0)
        return w * factors[self.groups]

    def dual_norm(self, v: Weights) -> float:
        """Return max_g ‖v_g‖₂."""
        return float(self.norms(v).max(initial=0.0))

    def violation(self, w: Weights, gradient: Weights, alpha: float) -> Weights:
        """Return the distance of 0 from gradient + alpha ∂Ω(w), for each group.

        Parameters
        ----------
        w, gradient : ndarray of shape (n_features,)
        alpha : float

        Returns
        -------
        ndarray of shape (n_groups,)
        """
        # the subgradient of ‖w_g‖ is w_g/‖w_g‖, at 0 any vector of length up to 1
        norms = self.norms(w)
        direction = w / np.where(norms > 0.0, norms, 1.0)[self.groups]
        return np.where(
            norms > 0.0,
            self.norms(gradient + alpha * direction),
            np.maximum(self.norms(gradient) - alpha, 0.0),
        )

    def directional_derivative(self, w: Weights, direction: Weights) -> float:
        """Return Σ_g w_g'd_g / ‖w_g‖ over the active groups plus Σ_g ‖d_g‖ over the others."""
        norms = self.norms(w)
        inner_products = np.bincount(self.groups, weights=w * direction)
        derivatives = np.where(
            norms > 0.0, inner_products / np.where(norms > 0.0, norms, 1.0), self.norms(direction)
        )
        return float(derivatives.sum())


def compute_subgradient_distance(w: Weights, gradient: Weights, thresholds: Weights) -> Weights:
    """Return the distance of 0 from gradient + thresholds ∂|w|, for each coordinate.

    Parameters
    ----------
    w, gradient, thresholds : ndarray of shape (n_features,)

    Returns
    -------
    ndarray of shape (n_features,)
    """
    is_nonzero = w != 0.0
    # ∂|w| is [−1, 1] at 0, and the sign elsewhere
    violation = np.maximum(np.abs(gradient) - thresholds, 0.0)
    violation[is_nonzero] = np.abs(gradient[is_nonzero] + thresholds[is_nonzero] * np.sign(w[is_nonzero]))
    return violation


def _are_indices(members: np.ndarray, n_features: int) -> bool:
    """Whether the members are feature numbers from 0 to ``n_features`` − 1."""
    return (
        members.dtype.kind in "iu" and members.size > 0 and members.min() >= 0 and members.max() < n_features
    )
