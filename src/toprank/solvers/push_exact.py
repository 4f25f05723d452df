"""Exact infinite push: a small model of the problem, refined until the duality gap is closed.

With t = max_j w'x_j⁻ as a variable the problem has one hinge (1 + t − w'x_i⁺)₊ a positive and one constraint
x_j⁻'w ≤ t a negative. The model

- puts positives into groups with one hinge on the sum of a group: (Σz)₊ ≤ Σ(z)₊, with equality where all of a
  group lie on one side of the kink,
- keeps the negatives that were once too high,
- and, under an l1 penalty on many features, the features that were once worth a weight.

Its optimum bounds the true one from below where no feature is missing. Each step solves it, scores all rows,
splits the groups whose members disagree, adds the negatives and features that it missed, and ends when the
dual of the full problem certifies the best point seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.clock import UNLIMITED, OutOfTime
from toprank.solvers.monitor import Monitor
from toprank.solvers.push_programs import LinearProgram, solve_cone_program
from toprank.solvers.scaling import Scaling

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.push import PushRanking
    from toprank.solvers.monitor import Solution, StepCallback

#: Up to so many features are all in the model from the start; under another penalty than l1 all are.
COMPLETE_MODEL_MAX_D = 100
#: Of more features so many are in the first model, and so many enter it in a step.
INITIAL_FEATURES, FEATURES_PER_STEP = 50, 30


class _Model:
    """The groups of positives and the negatives and features that are in the model; it only ever grows."""

    def __init__(self, problem: PushRanking) -> None:
        self.problem = problem
        self.scaling = Scaling.from_rows(problem.positives, problem.negatives)
        m, d = problem.positives.shape
        self.labels = np.zeros(m, dtype=np.intp)  # the group of each positive
        self.sizes = np.empty(0)  # of the groups; 0 after a split
        self.means = problem.positives[:0]  # of the rows of each group
        self._add_groups(np.arange(m), self.labels)
        self.negatives = np.empty(0, dtype=np.intp)
        is_linear = problem.penalty.is_separable
        self.features = np.arange(0 if is_linear and d > COMPLETE_MODEL_MAX_D else d)
        self.program = LinearProgram(m) if is_linear else None

    @property
    def size(self) -> tuple[int, int, int]:
        """Groups ever made, negatives and features: the same after a step that had nothing to add."""
        return self.sizes.size, self.negatives.size, self.features.size

    def _add_groups(self, members: np.ndarray, parts: np.ndarray) -> None:
        """Make a group of each of the parts, numbered from 0, of the members."""
        sizes = np.bincount(parts).astype(float)
        # sparse averaging matrix: one row a group, so that one product gives all means
        averages = sp.csr_array(
            (1.0 / sizes[parts], (parts, members)), shape=(sizes.size, self.problem.positives.shape[0])
        )
        self.labels[members] = self.sizes.size + parts
        self.sizes = np.append(self.sizes, sizes)
        means = averages @ self.problem.positives
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
        nearest = np.argsort(np.abs(hinge[members]), kind="stable")[:max_new_groups]
        # numbers beyond those of all halves: each nearest member is a part of its own
        parts[nearest] = 2 * self.sizes.size + np.arange(nearest.size)
        # a split group stays in the arrays, with size 0
        self.sizes[is_mixed] = 0.0
        self._add_groups(members, np.unique(parts, return_inverse=True)[1])

    def add_negatives(self, scores: np.ndarray, min_score: float, max_new: int) -> None:
        """Add the highest of the negatives that score over ``min_score``.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Scores of all negatives.
        min_score : float
        max_new : int
        """
        missed = np.setdiff1d(np.flatnonzero(scores > min_score), self.negatives, assume_unique=True)
        entering = missed[np.argsort(-scores[missed], kind="stable")[:max_new]]
        self.negatives = np.append(self.negatives, entering)

    def add_features(self, direction: np.ndarray) -> None:
        """Add the features whose slope, a component of the direction, most exceeds the penalty's.

        Parameters
        ----------
        direction : ndarray of shape (d,)
            X̃'π, the dual direction in the space of the features.
        """
        excess = np.abs(direction) - self.problem.alpha
        missed = np.setdiff1d(np.flatnonzero(excess > 0.0), self.features, assume_unique=True)
        entering = missed[np.argsort(-excess[missed], kind="stable")[:FEATURES_PER_STEP]]
        self.features = np.append(self.features, entering)

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
            u, group_weights, negative_weights = self.program.solve(
                means, self.sizes, negatives, n, self.problem.alpha / scale, program_unit, clock.seconds_left
            )
        else:
            is_nonempty = self.sizes > 0.0
            group_weights = np.zeros(self.sizes.size)
            u, group_weights[is_nonempty], negative_weights = solve_cone_program(
                means(is_nonempty),
                self.sizes[is_nonempty],
                negatives(),
                scale,
                self.problem,
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


def solve(
    problem: PushRanking,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    time_limit: float | None = None,
    callback: StepCallback | None = None,
    start: np.ndarray | None = None,
    rows_per_step: int | None = None,
) -> Solution:
    """Minimise `PushRanking` to a certified relative gap.

    Parameters
    ----------
    problem : PushRanking
    tol : float
        Relative duality gap at which the solver stops.
    max_iter : int
        Models.
    time_limit, callback
        See `toprank.solvers.monitor`.
    start : ndarray of shape (d,), optional
        A warm start, for instance the solution at a neighbouring alpha.
    rows_per_step : int, optional
        How many positives leave their groups, and how many negatives enter the model, in one step; by default
        max(60, d), at most 200.

    Returns
    -------
    Solution
    """
    monitor, problem = Monitor("exact", tol, max_iter, time_limit, callback), problem.dense_if_small()
    monitor.update_best(np.zeros(problem.n_features), 1.0)
    monitor.update_lower_bound(0.0)
    rows_per_step = rows_per_step or min(max(60, problem.n_features), 200)
    model = _make_initial_model(problem, start, rows_per_step)
    is_exact = False
    for _ in monitor.iterations():
        unit = monitor.objective or 1.0
        try:
            w, group_weights, negative_weights = model.solve(unit, monitor, is_exact)
        except OutOfTime:
            monitor.status = "time_limit"
            break
        scores = problem.scores(w)
        monitor.update_best(w, problem.objective(w, scores))
        a, b = model.spread_weights(group_weights, negative_weights)
        if monitor.update(monitor.w, monitor.objective, problem.lower_bound(a, b)):
            break
        size = model.size
        model.split_groups(1.0 + scores[1].max() - scores[0], rows_per_step)
        model.add_negatives(scores[1], scores[1][model.negatives].max(), rows_per_step)
        if model.features.size < problem.n_features:
            model.add_features(problem.dual_direction(a, b))
        was_exact, is_exact = is_exact, model.size == size
        if is_exact and was_exact and monitor.objective > 0.5 * unit:
            # nothing was added twice in a row: the gap that remains is the model solver's arithmetic
            monitor.status = "stalled"
            break
    return monitor.solution()


def _make_initial_model(problem: PushRanking, start: np.ndarray | None, rows_per_step: int) -> _Model:
    """Return the first model: looks at the warm start, or along the difference of the means."""
    model = _Model(problem)
    if start is None or not start.any():
        difference = model.scaling(np.asarray(problem.positives.mean(axis=0)).reshape(1, -1)).ravel()
        difference -= model.scaling(np.asarray(problem.negatives.mean(axis=0)).reshape(1, -1)).ravel()
        start = difference / model.scaling.scale
        scores = problem.scores(start)
    else:
        scores = problem.scores(start)
        model.split_groups(1.0 + scores[1].max() - scores[0], rows_per_step)
    model.add_negatives(scores[1], -np.inf, rows_per_step)
    if not model.features.size:
        model.features = np.argsort(-np.abs(start), kind="stable")[:INITIAL_FEATURES]
    return model
