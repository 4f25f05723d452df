"""The model of the exact infinite push: groups of positives, and some of the negatives and features."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED
from toprank.solvers.push_cones import solve_cone_program
from toprank.solvers.push_programs import LinearProgram
from toprank.solvers.scaling import Scaling

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.penalties import Penalty
    from toprank.problems.push import PushRanking

#: Up to so many features are all in the model from the start; under a penalty that makes no weight 0 all are.
COMPLETE_MODEL_MAX_D = 100
#: So many features enter the model in a step.
FEATURES_PER_STEP = 30


class PushModel:
    """The groups of positives and the negatives and features that are in the model; it only ever grows.

    Parameters
    ----------
    problem : PushRanking
    """

    def __init__(self, problem: PushRanking) -> None:
        self.problem = problem
        self.scaling = Scaling.from_rows(problem.positives, problem.negatives)
        m, d = problem.positives.shape
        self.labels = np.zeros(m, dtype=np.intp)  # the group of each positive
        self.sizes = np.empty(0)  # of the groups; 0 after a split
        self.means = problem.positives[:0]  # of the rows of each group
        # the sum of squared hinges is no function of the sum of a group
        self._add_groups(np.arange(m), np.arange(m) if problem.is_squared else self.labels)
        self.negatives = np.empty(0, dtype=np.intp)
        thresholds = problem.penalty.thresholds
        self.grows_in_features = thresholds is not None and np.any(thresholds) and d > COMPLETE_MODEL_MAX_D
        self.features = np.arange(0 if self.grows_in_features else d)
        self.program = LinearProgram(m) if problem.penalty.is_separable else None

    @property
    def size(self) -> tuple[int, int, int]:
        """Groups ever made, negatives and features: the same after a step that had nothing to add."""
        return self.sizes.size, self.negatives.size, self.features.size

    def _add_groups(self, members: np.ndarray, parts: np.ndarray) -> None:
        """Make a group of each of the parts, numbered from 0, of the members."""
        sizes = np.bincount(parts)
        # a sparse matrix with a row a group, so that one product gives all sums
        order, ends = np.argsort(parts, kind="stable"), np.append(0, np.cumsum(sizes))
        shape = (sizes.size, self.problem.positives.shape[0])
        is_member = sp.csr_array((np.ones(members.size), members[order], ends), shape=shape)
        self.labels[members] = self.sizes.size + parts
        self.sizes = np.append(self.sizes, sizes.astype(float))
        # Sums first: a mean of rows that are divided each sums thousands of equal roundings.
        means = is_member @ self.problem.positives
        if sp.issparse(means):
            means.data /= np.repeat(sizes, np.diff(means.indptr))
        else:
            means /= sizes[:, None]
        stack = sp.vstack if sp.issparse(means) else np.vstack
        self.means = stack([self.means, means])

    def split_groups(self, hinge: np.ndarray, max_new_groups: int) -> None:
        """Split the groups whose members lie on both sides of the kink.

        The ``max_new_groups`` members nearest to it become groups of their own: at the optimum some lie on it
        exactly.

        Parameters
        ----------
        hinge : ndarray of shape (m,)
            Argument of the hinge of each positive; positive where it is active.
        max_new_groups : int
        """
        n_active = np.bincount(self.labels, weights=hinge > 0.0, minlength=self.sizes.size)
        is_mixed = (n_active > 0) & (n_active < self.sizes)
        members = np.flatnonzero(is_mixed[self.labels])
        if not members.size:
            return
        # two parts of each mixed group, on either side of the kink
        parts = 2 * self.labels[members] + (hinge[members] > 0.0)
        nearest = select_smallest(np.abs(hinge[members]), max_new_groups)
        # numbers beyond those of all halves: each nearest member is a part of its own
        parts[nearest] = 2 * self.sizes.size + np.arange(nearest.size)
        # a split group stays in the arrays, with size 0
        self.sizes[is_mixed] = 0.0
        self._add_groups(members, np.unique(parts, return_inverse=True)[1])

    def add_negatives(self, scores: np.ndarray, max_new: int) -> None:
        """Add the highest of the negatives that score over those of the model.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores of all negatives.
        max_new : int
        """
        missed = np.flatnonzero(scores > scores[self.negatives].max(initial=-np.inf))
        entering = missed[select_smallest(-scores[missed], max_new)]
        self.negatives = np.append(self.negatives, entering)

    def add_features(self, direction: np.ndarray) -> None:
        """Add the features whose slope, a component of the direction, most exceeds the penalty's.

        Parameters
        ----------
        direction : ndarray of shape (d,)
            X̃'π, the dual direction in the space of the features.
        """
        excess = np.abs(direction) - self.problem.alpha * self.problem.penalty.thresholds
        missed = np.setdiff1d(np.flatnonzero(excess > 0.0), self.features, assume_unique=True)
        # an elastic net keeps many features
        n_entering = FEATURES_PER_STEP if self.program else max(FEATURES_PER_STEP, self.features.size)
        entering = missed[np.argsort(-excess[missed], kind="stable")[:n_entering]]
        self.features = np.append(self.features, entering)

    def restrict_penalty(self) -> Penalty:
        """Return the penalty of the features of the model.

        Returns
        -------
        Penalty
        """
        penalty = self.problem.penalty
        # the features of a model that has all from the start are in order
        return penalty.restrict_to(self.features) if self.grows_in_features else penalty

    def solve(
        self, unit: float, clock: Clock = UNLIMITED, is_repeat: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Minimise the model.

        Parameters
        ----------
        unit : float
            About the size of the objective: the solvers' tolerances are absolute below one.
        clock : Clock, optional
        is_repeat : bool
            Whether the model is the one that was solved last.

        Returns
        -------
        w, group_weights, negative_weights : ndarray
            The minimiser, and the dual weights of the groups of positives and of the negatives.
        """
        scale = self.scaling.scale[self.features]

        def means(rows: slice | np.ndarray, features: slice = slice(None)) -> np.ndarray:
            """Return the scaled mean rows of some groups of positives.

            Parameters
            ----------
            rows : slice or ndarray
                Groups.
            features : slice, optional
                Among the features of the model.

            Returns
            -------
            ndarray
            """
            return self.scaling(self.means[rows], self.features[features])

        def negatives(rows: slice = slice(None), features: slice = slice(None)) -> np.ndarray:
            """Return the scaled rows of some of the negatives of the model.

            Parameters
            ----------
            rows : slice, optional
                Among the negatives of the model.
            features : slice, optional
                Among the features of the model.

            Returns
            -------
            ndarray
            """
            return self.scaling.take(self.problem.negatives, self.negatives[rows], self.features[features])

        if self.program is not None:
            # a unit a thousand times smaller: absolute tolerances then ask for three digits more
            program_unit = 1e-3 * unit if is_repeat else unit
            n = self.negatives.size
            slopes = self.problem.alpha * self.restrict_penalty().thresholds / scale
            u, group_weights, negative_weights = self.program.solve(
                means, self.sizes, negatives, n, slopes, program_unit, clock.seconds_left
            )
        else:
            is_nonempty = self.sizes > 0.0
            group_weights = np.zeros(self.sizes.size)
            u, group_weights[is_nonempty], negative_weights = solve_cone_program(
                means(is_nonempty),
                self.sizes[is_nonempty],
                negatives(),
                scale,
                replace(self.problem, penalty=self.restrict_penalty()),
                unit,
                clock,
                is_repeat,
            )
        w = np.zeros(self.problem.n_features)
        w[self.features] = u / self.scaling.scale[self.features]
        return w, np.maximum(group_weights, 0.0), np.maximum(negative_weights, 0.0)

    def spread_weights(
        self, group_weights: np.ndarray, negative_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights of all positives and negatives from the weights in the model.

        Parameters
        ----------
        group_weights : ndarray of shape (n_groups,)
        negative_weights : ndarray of shape (n_negatives_in_model,)

        Returns
        -------
        tuple of ndarray of shapes (m,) and (n,)
        """
        # the model's dual weight of a group holds for each of its members
        a, b = group_weights[self.labels], np.zeros(self.problem.negatives.shape[0])
        b[self.negatives] = negative_weights
        return a, b


def select_smallest(values: np.ndarray, k: int) -> np.ndarray:
    """Return the places of the k smallest values, in no particular order; all if there are fewer.

    Parameters
    ----------
    values : ndarray of shape (n,)
    k : int

    Returns
    -------
    ndarray of int
    """
    return np.argpartition(values, k)[:k] if k < values.size else np.arange(values.size)
