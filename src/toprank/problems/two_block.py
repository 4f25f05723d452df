"""Two convex blocks joined by linear constraints, as ADMM and A2DM2 take them (K15 eq. 1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from toprank.problems.step_condition import StepCondition

#: A or B of the constraints.
ConstraintMatrix: TypeAlias = np.ndarray | sp.sparray | sp.spmatrix | LinearOperator
#: entries up to which a matrix is made dense for its singular values
_DENSE_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class TwoBlock:
    r"""Minimise f₁(x) + f₂(y) subject to A x + B y = c (K15 eq. 1), by the minimisers of its two parts.

    Parameters
    ----------
    minimise_x : callable
        ``minimise_x(q, tau)`` returns :math:`\arg\min_x f_1(x) - q'x + \frac{\tau}{2}\|Ax\|^2`, of shape
        (n1,). It is called with tau > 0, and with tau = 0 only where f₁ is strongly convex (`dual`).
    minimise_y : callable
        ``minimise_y(q, tau)`` returns :math:`\arg\min_y f_2(y) - q'y + \frac{\tau}{2}\|By\|^2`, of shape
        (n2,). The accelerated methods call it with tau = 0 as well, for :math:`\hat y`.
    A : ndarray, sparse matrix or LinearOperator of shape (m, n1)
    B : ndarray, sparse matrix or LinearOperator of shape (m, n2), optional
        By default the identity.
    c : ndarray of shape (m,), optional
        By default zeros.
    strong_convexity : tuple of float, default=(0.0, 0.0)
        :math:`\sigma_1, \sigma_2` in

        .. math:: f(x') \ge f(x) + g'(x' - x) + \frac{\sigma}{2}\|x' - x\|^2.

        (K15 prints :math:`\sigma^2/2` here, and uses :math:`\sigma/2` ever after.)
    value_x, value_y : callable, optional
        f₁(x) and f₂(y). Only `objective` and `dual` need them.

    Raises
    ------
    ValueError
        If the shapes of A, B and c disagree, one of them holds NaN or infinite values, or a constant is
        negative.

    See Also
    --------
    toprank.solve_two_block : the methods.
    from_prox : a minimiser from a proximal operator.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import TwoBlock, solve_two_block
    >>> from toprank.problems.two_block import from_prox
    >>> half_square = lambda q, tau: (q + 3.0) / (1.0 + tau)  # f₁(x) = ½(x − 3)²
    >>> positive = from_prox(lambda v, step: np.minimum(v, 1.0), ridge=0.0)  # y at most 1
    >>> problem = TwoBlock(half_square, positive, A=np.eye(1), B=-np.eye(1))
    >>> solve_two_block(problem, "admm", tau=1.0).x.round(3)
    array([1.])
    """

    minimise_x: Callable
    minimise_y: Callable
    A: ConstraintMatrix
    B: ConstraintMatrix | None = None
    c: np.ndarray | None = None
    strong_convexity: tuple[float, float] = (0.0, 0.0)
    value_x: Callable | None = None
    value_y: Callable | None = None

    def __post_init__(self) -> None:
        for name in ("minimise_x", "minimise_y"):
            if not callable(getattr(self, name)):
                kind = type(getattr(self, name)).__name__
                raise ValueError(f"{name} must be a function of (q, tau); got an object of type {kind}")
        set_field = object.__setattr__  # the fields are frozen; these are their canonical forms
        set_field(self, "A", _check_matrix(self.A, "A"))
        m = self.A.shape[0]
        if self.B is not None:
            set_field(self, "B", _check_matrix(self.B, "B"))
            if self.B.shape[0] != m:
                raise ValueError(
                    f"A has {m} rows and B has {self.B.shape[0]}: each row is a constraint of both, so "
                    "their numbers must agree"
                )
        c = np.zeros(m) if self.c is None else np.asarray(self.c, dtype=float)
        if c.shape != (m,):
            raise ValueError(f"c has shape {c.shape}, but A has {m} rows: c must have shape ({m},)")
        if not np.isfinite(c).all():
            raise ValueError("c holds NaN or infinite values")
        set_field(self, "c", c)
        constants = np.asarray(self.strong_convexity, dtype=float)
        if constants.shape != (2,) or not np.isfinite(constants).all() or (constants < 0).any():
            raise ValueError(
                "strong_convexity must be the two constants of f1 and f2, finite and at least 0; got "
                f"{self.strong_convexity!r}"
            )
        set_field(self, "strong_convexity", (float(constants[0]), float(constants[1])))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of constraints m, of x (n1) and of y (n2)."""
        m, n1 = self.A.shape
        return m, n1, m if self.B is None else self.B.shape[1]

    def apply_B(self, y: np.ndarray) -> np.ndarray:
        """Return B y, a new array.

        Parameters
        ----------
        y : ndarray of shape (n2,)

        Returns
        -------
        ndarray of shape (m,)
        """
        return np.array(y) if self.B is None else self.B @ y

    def apply_B_transposed(self, v: np.ndarray) -> np.ndarray:
        """Return B'v, a new array.

        Parameters
        ----------
        v : ndarray of shape (m,)

        Returns
        -------
        ndarray of shape (n2,)
        """
        return np.array(v) if self.B is None else self.B.T @ v

    def residual(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the violation of the constraints, A x + B y − c.

        Parameters
        ----------
        x : ndarray of shape (n1,)
        y : ndarray of shape (n2,)

        Returns
        -------
        ndarray of shape (m,)
        """
        return self.A @ x + self.apply_B(y) - self.c

    def objective(self, x: np.ndarray, y: np.ndarray) -> float:
        """Return f₁(x) + f₂(y), from ``value_x`` and ``value_y``; the constraints are not checked.

        Parameters
        ----------
        x : ndarray of shape (n1,)
        y : ndarray of shape (n2,)

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If a value is missing.
        """
        if self.value_x is None or self.value_y is None:
            raise ValueError("the objective needs both value_x and value_y")
        return float(self.value_x(x) + self.value_y(y))

    def dual(self, multipliers: np.ndarray) -> float:
        r"""D(λ) = −f₁*(A'λ) − f₂*(B'λ) + λ'c, a lower bound on the minimum (K15 eq. 2).

        The minimisers of f₁(x) − λ'Ax and f₂(y) − λ'By, which the callbacks with tau = 0 give, attain both
        conjugates.

        Parameters
        ----------
        multipliers : ndarray of shape (m,)

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If a part is not strongly convex, or has no ``value``.
        """
        for sigma, name in zip(self.strong_convexity, ("f1", "f2"), strict=True):
            if not sigma:
                raise ValueError(
                    f"the strong convexity of {name} is declared as 0: its conjugate need not be attained, "
                    "and the dual needs both constants of strong_convexity"
                )
        # at tau = 0 the minimisers attain the conjugates, so that their Lagrangian is the dual value
        x = self.minimise_x(self.A.T @ multipliers, 0.0)
        y = self.minimise_y(self.apply_B_transposed(multipliers), 0.0)
        return self.objective(x, y) - float(multipliers @ self.residual(x, y))

    @cached_property
    def norms(self) -> tuple[float, float]:
        """Spectral norms of A and B."""
        return _compute_spectral_norm(self.A), 1.0 if self.B is None else _compute_spectral_norm(self.B)

    def step_condition(self, tau: float) -> StepCondition:
        """Check the condition of Theorem 1 of K15 on the step ``tau``.

        Parameters
        ----------
        tau : float

        Returns
        -------
        StepCondition
        """
        return StepCondition(float(tau), *self.strong_convexity, *self.norms)


def from_prox(
    prox: Callable[[np.ndarray, float], np.ndarray], ridge: float = 0.0
) -> Callable[[np.ndarray, float], np.ndarray]:
    r"""Return the minimiser of a part from its proximal operator; its matrix must have orthonormal columns.

    Parameters
    ----------
    prox : callable
        ``prox(v, step)`` returns :math:`\arg\min_u g(u) + \|u - v\|^2/(2\,\mathrm{step})`.
    ridge : float, default=0.0
        The part is f = g + (ridge/2)‖·‖²; then ridge is a constant of strong convexity.

    Returns
    -------
    callable
        ``minimise(q, tau)`` of `TwoBlock`, for the identity (B = None) or any matrix with B'B = I.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.problems.two_block import from_prox
    >>> minimise = from_prox(lambda v, step: np.maximum(v, 0.0), ridge=1.0)  # ½y² over y ≥ 0
    >>> minimise(np.array([2.0, -2.0]), 1.0)
    array([1., 0.])
    """
    if not (math.isfinite(ridge) and ridge >= 0.0):
        raise ValueError(f"ridge must be finite and at least 0; got {ridge!r}")

    def minimise(q: np.ndarray, tau: float) -> np.ndarray:
        """Return the minimiser of the part with its ridge, − q'v and (tau/2)‖v‖²: one proximal step.

        Parameters
        ----------
        q : ndarray
        tau : float
        """
        curvature = ridge + tau
        if curvature <= 0.0:
            raise ValueError(
                "from_prox cannot minimise a part without a quadratic term: give it a ridge > 0 for the "
                "accelerated methods and the dual"
            )
        return prox(q / curvature, 1.0 / curvature)

    return minimise


def find_rank_deficiency(matrix: ConstraintMatrix | None) -> tuple[int, int] | None:
    """Return rank and number of columns of a matrix with linearly dependent columns; otherwise None.

    A `LinearOperator` and a large tall dense matrix are not checked.

    Parameters
    ----------
    matrix : ndarray, sparse array, LinearOperator or None

    Returns
    -------
    tuple of int, or None
    """
    if matrix is None or isinstance(matrix, LinearOperator):
        return None
    m, n = matrix.shape
    # singular values of up to so many operations; beyond, an upper bound on the rank that costs little
    if m * n * min(m, n) <= 1_000_000_000:
        rank = int(np.linalg.matrix_rank(matrix.toarray() if sp.issparse(matrix) else matrix))
    elif sp.issparse(matrix):
        rank = int(sp.csgraph.structural_rank(sp.csr_array(matrix)))  # at least the rank
    else:
        rank = min(m, n)
    return (rank, n) if rank < n else None


def _check_matrix(matrix: ConstraintMatrix, name: str) -> ConstraintMatrix:
    """Check a matrix of the constraints."""
    if isinstance(matrix, LinearOperator):
        return matrix
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix, dtype=float)
        if matrix.ndim != 2:
            raise ValueError(f"{name} must be a matrix; got an array of shape {matrix.shape}")
    if not np.isfinite(matrix.data if sp.issparse(matrix) else matrix).all():
        raise ValueError(f"{name} holds NaN or infinite values")
    return matrix


def _compute_spectral_norm(matrix: ConstraintMatrix) -> float:
    """Largest singular value."""
    m, n = matrix.shape
    # svds needs both dimensions above k = 1
    if min(m, n) == 1 or m * n <= _DENSE_ENTRIES:
        if isinstance(matrix, LinearOperator):
            dense = matrix @ np.eye(n) if n <= m else (matrix.T @ np.eye(m)).T
        else:
            dense = matrix.toarray() if sp.issparse(matrix) else matrix
        return float(np.linalg.norm(dense, 2))
    start = np.random.default_rng(0).standard_normal(min(m, n))
    return float(svds(matrix, k=1, v0=start, return_singular_vectors=False)[0])
