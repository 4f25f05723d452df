"""One split with the problem on its training part, and the optima that its methods are measured against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from toprank.estimators.rotation import rotate_if_wide
from toprank.problems.top import TopRanking
from toprank.solvers import row_generation

if TYPE_CHECKING:
    from toprank.certificate import Certificate
    from toprank.estimators.rotation import Reflections

    Rows = np.ndarray | sp.csr_array

CERTIFIED_GAP = 1e-10
"""Relative gap of the optimum that suboptimalities refer to: they are exact to this."""

ACCELERATED_METHODS = ("a2dm2", "a2dm2_restart")
"""Methods that minimise the perturbed objective (13)."""


def certify_optimum(problem: TopRanking) -> Certificate:
    """Solve a problem by the exact solver to a relative gap of `CERTIFIED_GAP`.

    Parameters
    ----------
    problem : TopRanking

    Returns
    -------
    Certificate
        With the objective and a lower bound of the optimum.
    """
    return row_generation.solve(problem, tol=CERTIFIED_GAP).certificate


def select_options(admm: Mapping | None, *names: str) -> dict[str, float]:
    """Select the options that are set.

    Parameters
    ----------
    admm : mapping or None
        Options of the ADMM family.
    *names : str
        Names of some of them.

    Returns
    -------
    dict of str to float
        Name -> value; empty without options.
    """
    return {name: admm[name] for name in names if admm and name in admm}


@dataclass(frozen=True)
class SplitProblem:
    """One split, with objectives (11) and (13) of the paper on its training part; each optimum is made once.

    Attributes
    ----------
    train, test : tuple of (ndarray or csr_array of shape (n, d), ndarray of shape (n,))
        Rows of both parts in the feature scaling of the measurement, and their labels; 1 is positive.
    alpha : float
        Weight of the ridge, the paper's λ.
    admm : mapping, optional
        ``lambda1``, ``lambda2`` and ``eta`` (ADMM family); by default the solver's.
    """

    train: tuple[Rows, np.ndarray]
    test: tuple[Rows, np.ndarray]
    alpha: float
    admm: Mapping | None = None

    @cached_property
    def _rotation(self) -> tuple[Rows, Reflections | None]:
        """Training rows and the basis of their span, where there are fewer rows than features."""
        return rotate_if_wide(self.train[0])

    @cached_property
    def problem(self) -> TopRanking:
        """Objective (11), with fewer rows than features in the span of the rows."""
        return TopRanking.from_labels(self._rotation[0], self.train[1], self.alpha)

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate of the optimum of objective (11)."""
        return certify_optimum(self.problem)

    @cached_property
    def perturbed_optimum(self) -> np.ndarray:
        """Weights at the optimum of the perturbed objective (13), by a conic solver."""
        from reproduction.verification import cvxpy_models

        dense_parts = (self.problem.positives, self.problem.negatives)
        # Dense for CVXPY: the largest set of the experiments on (13), a9a, then takes some 30 MB.
        dense_parts = [part.toarray() if sp.issparse(part) else np.asarray(part) for part in dense_parts]
        perturbation = select_options(self.admm, "lambda1", "lambda2")
        _, w = cvxpy_models.perturbed_top_ranking(*dense_parts, self.alpha, **perturbation)
        return w

    def limit(self, method: str) -> float:
        """Return the objective (11) at the point to which a method converges.

        Parameters
        ----------
        method : str
            One of ``experiment.METHODS``.

        Returns
        -------
        float
            The optimum; for an accelerated method, (11) at the optimum of (13).
        """
        if method in ACCELERATED_METHODS:
            return self.problem.objective(self.perturbed_optimum)
        return self.certificate.objective

    def map_to_features(self, w: np.ndarray) -> np.ndarray:
        """Return the weights of the features from those in the basis.

        Parameters
        ----------
        w : ndarray of shape (rank,) or (d,)
            Weights in the basis of the rotated rows, or of the features if the rows were not rotated.

        Returns
        -------
        ndarray of shape (d,)
            Weights of the features.
        """
        basis = self._rotation[1]
        return w if basis is None else basis @ w
