"""The weight of each feature in the penalty: positive ones scale the columns, 0 leaves a feature free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED
from toprank.estimators.rotation import rotate_if_wide
from toprank.estimators.unpenalised import bound_free_features
from toprank.penalties import ElasticNet

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.estimators.rotation import Reflections
    from toprank.penalties import Penalty
    from toprank.problems.rows import RowMatrix
    from toprank.typing import Values


class FeatureMap:
    """The map from the weights of a problem in scaled and rotated columns to those of the features.

    Parameters
    ----------
    scale : ndarray of shape (n_features,)
        By which the columns were divided.
    basis : Reflections, optional
        Of the rotated columns.
    free : ndarray of int
        Columns that were not rotated, and come first; empty where none was rotated, or all were.
    inverse : bool, default=False
        Whether to map the other way.
    """

    def __init__(
        self,
        scale: np.ndarray,
        basis: Reflections | None = None,
        free: np.ndarray | None = None,
        inverse: bool = False,
    ) -> None:
        self._scale, self._basis, self._inverse = scale, basis, inverse
        self._free = np.empty(0, dtype=np.intp) if free is None else free

    @property
    def T(self) -> FeatureMap:
        """The map the other way, under the name that it has for an orthonormal basis."""
        return FeatureMap(self._scale, self._basis, self._free, not self._inverse)

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        """Return the mapped vector."""
        if self._basis is None:
            return v * self._scale if self._inverse else v / self._scale
        # rotated columns: the free features come first, as `weigh_features` puts them
        is_rotated, n_free = np.ones(self._scale.size, dtype=bool), self._free.size
        is_rotated[self._free] = False
        if self._inverse:
            scaled = v * self._scale
            return np.append(scaled[self._free], self._basis.T @ scaled[is_rotated])
        weights = np.empty(self._scale.size)
        weights[self._free], weights[is_rotated] = v[:n_free], self._basis @ v[n_free:]
        return weights / self._scale


def check_penalty_weights(weights: Values | None, n_features: int) -> np.ndarray | None:
    """Return the weights of the features, or None if all are 1.

    Parameters
    ----------
    weights : array-like of shape (n_features,) or None
    n_features : int

    Returns
    -------
    ndarray of shape (n_features,) or None

    Raises
    ------
    ValueError
        If they are not one for each feature, negative or not finite, or all 0.

    Examples
    --------
    >>> from toprank.estimators.penalty_weights import check_penalty_weights
    >>> check_penalty_weights([0, 2], 2)
    array([0., 2.])
    """
    if weights is None:
        return None
    try:
        values = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"penalty_weights must be numbers, one for each feature; got {weights!r}") from None
    if values.shape != (n_features,):
        raise ValueError(
            f"penalty_weights must have an entry for each of the {n_features} features; got shape "
            f"{values.shape}"
        )
    if not (np.isfinite(values) & (values >= 0.0)).all():
        raise ValueError(
            "penalty_weights must be finite and not negative, 0 for a feature that is not penalised; leave "
            "out a feature that should have no weight"
        )
    if not values.any():
        raise ValueError(
            "penalty_weights are all 0, so that nothing is penalised; give at least one feature a weight "
            "above 0, or take a small alpha (a large C)"
        )
    return None if np.all(values == 1.0) else values


def check_weighable(penalty: Penalty) -> None:
    """Raise a ValueError if a penalty takes no weights of features.

    Parameters
    ----------
    penalty : Penalty

    Raises
    ------
    ValueError
        If it is not the plain l1 norm, the ridge or an elastic net.
    """
    if penalty.name not in ("l1", "l2", "elasticnet"):
        raise ValueError(
            f"penalty_weights go with the penalties 'l1', 'l2' and 'elasticnet'; got {penalty.name!r}"
        )


def weigh_features(
    X: RowMatrix,
    penalty: Penalty,
    weights: np.ndarray | None,
    clock: Clock = UNLIMITED,
    can_rotate: bool = True,
    starts: np.ndarray | None = None,
) -> tuple[RowMatrix, Penalty, FeatureMap | Reflections | None]:
    """Return rows and a penalty with the weights in them, and rotate wide rows under a ridge.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n_samples, n_features)
    penalty : Penalty
    weights : ndarray of shape (n_features,) or None
        From `check_penalty_weights`.
    clock : Clock, optional
    can_rotate : bool, default=True
    starts : ndarray of int of shape (n_queries + 1,), optional
        See `bound_free_features`.

    Returns
    -------
    X : ndarray, csr_array or SelectedRows
    penalty : Penalty
    basis : FeatureMap, Reflections or None
        ``basis @ w`` carries a solution back; None where nothing was changed.

    Raises
    ------
    ValueError
        If the penalty has no weights of features.
    """
    rotates = bool(penalty.ridge) and can_rotate
    if weights is None:
        X, basis = rotate_if_wide(X, clock) if rotates else (X, None)
        return X, penalty, basis
    check_weighable(penalty)
    free = np.flatnonzero(weights == 0.0)
    if isinstance(penalty, ElasticNet):
        X, bounds = bound_free_features(X, free, starts)
        return X, penalty.with_weights(weights, bounds), None
    # Columns take the weights: Σ c_j |w_j| = Σ |u_j| for u_j = c_j w_j, and Σ c_j w_j² = Σ u_j² for u_j =
    # √c_j w_j, with x_j divided by the same factor.
    scale = compute_column_scale(weights, bool(penalty.ridge))
    X = divide_columns(X, scale)
    if not free.size:
        X, basis = rotate_if_wide(X, clock) if rotates else (X, None)
        return X, penalty, FeatureMap(scale, basis)
    (X, bounds), basis = bound_free_features(X, free, starts), None
    if rotates:
        is_penalised = weights > 0.0
        # A ridge is invariant under rotations of the features that it penalises, and of no others.
        rotated, basis = rotate_if_wide(X[:, is_penalised], clock)
        if basis is not None:
            columns = X[:, free].toarray() if sp.issparse(X) else X[:, free]
            X = np.hstack([columns, rotated])
            weights = np.append(np.zeros(free.size), np.ones(rotated.shape[1]))
            bounds = np.append(bounds[free], np.zeros(rotated.shape[1]))
    net = ElasticNet(0.0 if penalty.ridge else 1.0)
    return X, net.with_weights((weights > 0.0).astype(float), bounds), FeatureMap(scale, basis, free)


def compute_column_scale(weights: np.ndarray, is_ridge: bool) -> np.ndarray:
    """Return by what columns are divided so that a penalty with weights becomes one without.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
    is_ridge : bool

    Returns
    -------
    ndarray of shape (n_features,)
        1 for a free feature.
    """
    return np.where(weights > 0.0, np.sqrt(weights) if is_ridge else weights, 1.0)


def divide_columns(X: RowMatrix, scale: np.ndarray) -> np.ndarray | sp.csr_array:
    """Return rows whose columns are divided by a scale, in memory.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n_samples, n_features)
    scale : ndarray of shape (n_features,)

    Returns
    -------
    ndarray or csr_array
    """
    from toprank.problems.offsets import subtract_offsets

    if sp.issparse(X):
        return sp.csr_array((X.data / scale[X.indices], X.indices, X.indptr), X.shape)
    # rows that are read in place have kept their offsets
    return subtract_offsets(np.asarray(X, dtype=float)) / scale


def select_penalised(X: RowMatrix, weights: np.ndarray | None) -> RowMatrix:
    """Return the columns that a ridge penalises, divided so that their weights are 1.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n_samples, n_features)
    weights : ndarray of shape (n_features,) or None

    Returns
    -------
    ndarray, csr_array or SelectedRows
        X itself if there are no weights.
    """
    if weights is None:
        return X
    return divide_columns(X, compute_column_scale(weights, is_ridge=True))[:, weights > 0.0]
