"""Other libraries' solvers on our problems, for `snakemake bench`.

The lock file has neither skglm nor piqp: without them (`pip install skglm piqp`) no peer of theirs is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import clarabel
import numpy as np
import piqp
import scipy.sparse as sp
from skglm.datafits.base import BaseDatafit
from skglm.penalties import L1
from skglm.solvers import ProxNewton

if TYPE_CHECKING:
    from toprank.problems.top import TopRanking


class SquaredHinge(BaseDatafit):
    """Squared hinge Σ (1 − y_k x_k'w)₊² over the rows, as a datafit of skglm.

    With the differences of pairs as rows it is the loss of RankSVM. The methods are those that skglm asks of
    a datafit.
    """

    def __init__(self) -> None:  # numba compiles no class without one
        pass

    def get_spec(self) -> tuple:
        """Return the types of the attributes for numba: there are none.

        Returns
        -------
        tuple
        """
        return ()

    def params_to_dict(self) -> dict:
        """Return the parameters of the datafit: there are none.

        Returns
        -------
        dict
        """
        return {}

    def raw_grad(self, y: np.ndarray, Xw: np.ndarray) -> np.ndarray:
        """Return the gradient in the scores.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Labels, −1 or 1.
        Xw : ndarray of shape (n,)
            Scores.

        Returns
        -------
        ndarray of shape (n,)
        """
        return -2.0 * y * np.maximum(1.0 - y * Xw, 0.0)

    def raw_hessian(self, y: np.ndarray, Xw: np.ndarray) -> np.ndarray:
        """Return the diagonal of the generalised Hessian in the scores.

        Parameters
        ----------
        y, Xw : ndarray of shape (n,)
            See `raw_grad`.

        Returns
        -------
        ndarray of shape (n,)
        """
        return 2.0 * (y * Xw < 1.0).astype(Xw.dtype)

    def value(self, y: np.ndarray, w: np.ndarray, Xw: np.ndarray) -> float:
        """Return the loss.

        Parameters
        ----------
        y, Xw : ndarray of shape (n,)
            See `raw_grad`.
        w : ndarray of shape (d,)
            Not used: the scores suffice.

        Returns
        -------
        float
        """
        return np.sum(np.maximum(1.0 - y * Xw, 0.0) ** 2)

    def gradient_scalar(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, Xw: np.ndarray, j: int) -> float:
        """Return the partial derivative in one coefficient.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        y, Xw : ndarray of shape (n,)
            See `raw_grad`.
        w : ndarray of shape (d,)
            Not used.
        j : int
            Number of the coefficient.

        Returns
        -------
        float
        """
        return X[:, j] @ self.raw_grad(y, Xw)

    def gradient(self, X: np.ndarray, y: np.ndarray, Xw: np.ndarray) -> np.ndarray:
        """Return the gradient in the coefficients.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        y, Xw : ndarray of shape (n,)
            See `raw_grad`.

        Returns
        -------
        ndarray of shape (d,)
        """
        return X.T @ self.raw_grad(y, Xw)

    def get_lipschitz(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the Lipschitz constant of each partial derivative.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        y : ndarray of shape (n,)
            Not used.

        Returns
        -------
        ndarray of shape (d,)
        """
        return 2.0 * (X**2).sum(axis=0)


def make_skglm_solver(
    pairs: np.ndarray, signs: np.ndarray, weight: float, start: np.ndarray | None
) -> Callable[[float], tuple[int, np.ndarray]]:
    """Return skglm's prox-Newton with working sets as a function of the tolerance, for ``bench_ranksvm``.

    Parameters
    ----------
    pairs : ndarray of shape (n, d)
        Differences of the better and the worse row of each pair, some with their sign flipped.
    signs : ndarray of shape (n,)
        −1 where the difference is stored with its sign flipped, otherwise 1.
    weight : float
        Of the l1 norm.
    start : ndarray of shape (d,) or None
        A warm start; by default zero.

    Returns
    -------
    callable
        Relative tolerance -> number of iterations and coefficients.
    """
    X, y = np.asfortranarray(pairs), signs.astype(float)
    datafit, penalty = SquaredHinge(), L1(weight)

    def run(tol: float) -> tuple[int, np.ndarray]:
        """Solve to a tolerance.

        Parameters
        ----------
        tol : float
            Relative to the weight of the l1 norm.

        Returns
        -------
        n_iter : int
        coef : ndarray of shape (d,)
        """
        # skglm's tolerance is absolute, on the violation of optimality in the size of the gradient
        solver = ProxNewton(tol=tol * weight, max_iter=1000, fit_intercept=False)
        w = np.zeros(X.shape[1]) if start is None else start.copy()
        coef, objectives, _ = solver.solve(X, y, datafit, penalty, w, X @ w)
        return len(objectives), coef

    return run


def _quadratic_program(problem: TopRanking) -> tuple[sp.csc_array, np.ndarray, sp.csc_array, np.ndarray]:
    """Write `TopRanking` in (w, t, slacks): quadratic and linear terms, rows and their upper bounds."""
    positives, negatives = sp.csc_array(problem.positives), sp.csc_array(problem.negatives)
    (m, d), n = positives.shape, negatives.shape[0]
    # min alpha/2 ‖w‖² + 1/m Σ s_i², as 1/2 z'Qz with z = (w, t, s); t is the highest negative's score
    quadratic = sp.diags_array(np.concatenate([np.full(d, problem.alpha), [0.0], np.full(m, 2.0 / m)]))
    ones_column = lambda k: sp.csc_array(np.ones((k, 1)))  # noqa: E731
    # s_i ≥ 1 + t − w'x_i⁺ and t ≥ w'x_j⁻; s_i ≥ 0 need not be stated, for s_i² is least at 0
    rows = sp.block_array(
        [[-positives, ones_column(m), -sp.eye_array(m)], [negatives, -ones_column(n), None]], format="csc"
    )
    return quadratic.tocsc(), np.zeros(d + 1 + m), rows, np.concatenate([np.full(m, -1.0), np.zeros(n)])


def solve_with_clarabel(problem: TopRanking, tol: float) -> np.ndarray:
    """Minimise `TopRanking` by Clarabel.

    Parameters
    ----------
    problem : TopRanking
    tol : float
        Of the duality gap, absolute and relative, and of feasibility.

    Returns
    -------
    ndarray of shape (d,)
        w.
    """
    quadratic, linear, rows, upper = _quadratic_program(problem)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    cones = [clarabel.NonnegativeConeT(upper.size)]
    solution = clarabel.DefaultSolver(quadratic, linear, rows, upper, cones, settings).solve()
    return np.array(solution.x[: problem.n_features])


def solve_with_piqp(problem: TopRanking, tol: float) -> np.ndarray:
    """Minimise `TopRanking` by PIQP.

    Parameters
    ----------
    problem : TopRanking
    tol : float
        Absolute and relative.

    Returns
    -------
    ndarray of shape (d,)
        w.
    """
    quadratic, linear, rows, upper = _quadratic_program(problem)
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tol
    solver.setup(
        *(sp.csc_matrix(quadratic), linear, None, None, sp.csc_matrix(rows)),
        *(np.full(upper.size, -np.inf), upper),
    )
    solver.solve()
    return np.array(solver.result.x[: problem.n_features])
