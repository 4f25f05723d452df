"""Penalties on the weights: value, proximal operator and dual norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class L1:
    """‖w‖₁."""

    def value(self, w) -> float:
        """Ω(w)."""
        return float(np.abs(w).sum())

    def prox(self, w, step):
        """Soft threshold: argmin ½‖z − w‖² + step ‖z‖₁."""
        return np.sign(w) * np.maximum(np.abs(w) - step, 0.0)

    def dual_norm(self, v) -> float:
        """Max |v|."""
        return float(np.abs(v).max(initial=0.0))


@dataclass(frozen=True)
class SquaredL2:
    """½‖w‖²: no norm, so it has no dual norm; its conjugate is ½‖v‖²."""

    def value(self, w) -> float:
        """Ω(w)."""
        return 0.5 * float(w @ w)

    def prox(self, w, step):
        """Argmin ½‖z − w‖² + step ½‖z‖²."""
        return w / (1.0 + step)


@dataclass(frozen=True)
class GroupL2:
    """Σ_g ‖w_g‖₂ over a partition of the features: whole groups vanish together.

    Parameters
    ----------
    groups : ndarray of shape (n_features,)
        For each feature the number of its group, 0, 1, 2, …
    """

    groups: np.ndarray

    @classmethod
    def of(cls, groups, n_features):
        """Check a group structure and number it.

        Parameters
        ----------
        groups : array-like of shape (n_features,) or list of lists of int
            A label for each feature, or for each group its features.
        n_features : int

        Raises
        ------
        ValueError
            If the groups do not partition the features.
        """
        if groups is None:
            raise ValueError("penalty 'group' needs groups: a label for each feature, or lists of features")
        if len(groups) and np.ndim(groups[0]) == 1:
            members = np.concatenate([np.asarray(group) for group in groups])
            counts = np.bincount(members, minlength=n_features) if _are_indices(members, n_features) else ()
            if len(counts) != n_features or np.any(counts != 1):
                raise ValueError(
                    f"groups must hold each of the {n_features} features exactly once, from 0 to "
                    f"{n_features - 1}"
                )
            labels = np.empty(n_features, dtype=np.intp)
            for number, group in enumerate(groups):
                labels[np.asarray(group)] = number
        else:
            labels = np.asarray(groups)
            if labels.shape != (n_features,):
                raise ValueError(
                    f"groups must give a label for each of the {n_features} features; got shape "
                    f"{labels.shape}"
                )
        return cls(np.unique(labels, return_inverse=True)[1])

    def norms(self, w):
        """‖w_g‖₂ of each group."""
        return np.sqrt(np.bincount(self.groups, weights=np.square(w)))

    def value(self, w) -> float:
        """Ω(w)."""
        return float(self.norms(w).sum())

    def prox(self, w, step):
        """Shrink each group: argmin ½‖z − w‖² + step Ω(z)."""
        norms = self.norms(w)
        shrunk = np.maximum(norms - step, 0.0) / np.where(norms > 0.0, norms, 1.0)
        return w * shrunk[self.groups]

    def dual_norm(self, v) -> float:
        """max_g ‖v_g‖₂."""
        return float(self.norms(v).max(initial=0.0))


def _are_indices(members, n_features) -> bool:
    return (
        members.dtype.kind in "iu" and members.size > 0 and members.min() >= 0 and members.max() < n_features
    )
