"""Top ranking as a two-block problem for the general methods (K15 eq. 12 and 13)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import aslinearoperator

from toprank.problems.two_block import TwoBlock

if TYPE_CHECKING:
    from toprank.problems.top import TopRanking


def two_block(problem: TopRanking, lambda1: float = 0.01, lambda2: float = 0.01) -> TwoBlock:
    """State `TopRanking`, or its perturbation of K15 eq. (13), as a `TwoBlock`.

    x = (w, a), y = (b, s), A = [X⁺, −1; −X⁻, 1], B the identity and c = 0; tau is the paper's rho and the
    multipliers are −(γ₂, γ₁).

    Parameters
    ----------
    problem : TopRanking
    lambda1, lambda2 : float
        Added strong convexity in a and in (b, s); both 0 give eq. (12), which plain ADMM solves.

    Returns
    -------
    TwoBlock
    """
    positives, negatives = problem.positives, problem.negatives
    m, n = positives.shape[0], negatives.shape[0]
    # A x + y = 0 says b = a1 − X⁺w and s = X⁻w − a1
    stack = sp.vstack if sp.issparse(positives) else np.vstack
    signs = np.repeat([-1.0, 1.0], [m, n])[:, None]
    rows = [stack([positives, -negatives]), signs]
    A = sp.csr_array(sp.hstack(rows)) if sp.issparse(positives) else np.hstack(rows)
    gram = A.T @ A
    gram = gram.toarray() if sp.issparse(gram) else gram
    # ridge alpha on w; eq. (13) adds lambda1 for the highest score a
    ridge = np.append(np.full(problem.n_features, problem.alpha), lambda1)
    factors = {}

    def minimise_x(q: np.ndarray, tau: float) -> np.ndarray:
        """Return argmin ½ x'diag(ridge)x − q'x + (tau/2)‖Ax‖², by a factorisation for each tau.

        Parameters
        ----------
        q : ndarray of shape (d + 1,)
        tau : float
            Penalty of the augmented Lagrangian.

        Returns
        -------
        ndarray of shape (d + 1,)
        """
        if tau not in factors:
            factors.clear()
            factors[tau] = cho_factor(tau * gram + np.diag(ridge))
        return cho_solve(factors[tau], q)

    def minimise_y(q: np.ndarray, tau: float) -> np.ndarray:
        """Return the minimiser in (b, s) by entries; K15 Algorithm 3, signs corrected.

        Parameters
        ----------
        q : ndarray of shape (m + n,)
        tau : float
            Penalty of the augmented Lagrangian.

        Returns
        -------
        ndarray of shape (m + n,)
        """
        # two pieces of the squared hinge: q ≤ −(lambda2 + tau) is where 1 + b ≤ 0 and the loss is 0
        curvature = lambda2 + tau
        b = np.where(q[:m] <= -curvature, q[:m] / curvature, (q[:m] - 2 / m) / (curvature + 2 / m))
        # s has the ridge only, under s ≤ 0
        return np.concatenate([b, np.minimum(q[m:], 0.0) / curvature])

    def value_x(x: np.ndarray) -> float:
        """Return the ridge on w and on the highest score.

        Parameters
        ----------
        x : ndarray of shape (d + 1,)

        Returns
        -------
        float
        """
        return 0.5 * float(ridge @ x**2)

    def value_y(y: np.ndarray) -> float:
        """Return the loss of b plus its ridge; infinite unless s ≤ 0.

        Parameters
        ----------
        y : ndarray of shape (m + n,)

        Returns
        -------
        float
        """
        loss = np.mean(np.maximum(1.0 + y[:m], 0.0) ** 2) + 0.5 * lambda2 * (y @ y)
        return float(loss) if (y[m:] <= 0.0).all() else math.inf

    return TwoBlock(
        minimise_x,
        minimise_y,
        # alpha > 0 and a column of ±1 make the subproblem of eq. (12) definite for any rank of A. The rank of
        # an operator is not checked.
        A=A if lambda1 else aslinearoperator(A),
        strong_convexity=(min(problem.alpha, lambda1), lambda2),
        value_x=value_x,
        value_y=value_y,
    )
