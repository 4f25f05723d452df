"""Rotation of wide data: an orthonormal basis of the span of the rows, by a QR factorisation.

A ridge-regularised ranking with more features than rows is solved in the coordinates of this basis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr
from scipy.linalg.lapack import dormqr

from toprank.clock import QR_COST, UNLIMITED

if TYPE_CHECKING:
    from toprank.clock import Clock
    from toprank.problems.rows import RowMatrix


def rotate_if_wide(X: RowMatrix, clock: Clock = UNLIMITED) -> tuple[RowMatrix, Reflections | None]:
    """Express wide data in an orthonormal basis of its row space.

    An optimal w of a ridge-regularised ranking lies in the span of the rows (representer theorem), and the
    rotation changes neither the scores nor ‖w‖. So a problem with more features than rows is solved exactly
    in as many dimensions as it has rows.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n_samples, n_features)
    clock : Clock, optional
        If it leaves too little time, nothing is rotated.

    Returns
    -------
    X : ndarray or csr_array of shape (n_samples, min(n_samples, n_features))
    basis : Reflections of shape (n_features, n_samples) or None
        ``basis @ w`` carries a solution back; None where nothing was rotated.
    """
    n, d = X.shape
    # for d > n; the QR factorisation of the transpose takes 2 n² (d − n/3) operations
    if d <= n or not clock.within_budget(QR_COST * (2.0 * d - 2.0 * n / 3.0) * n**2):
        return X, None
    # the transpose of rows in C order is in Fortran order: the factor overwrites this one copy of the rows
    dense = X.toarray() if sp.issparse(X) else np.array(X, dtype=float, order="C")
    (packed, factors), triangle = qr(dense.T, mode="raw", overwrite_a=True, check_finite=False)
    # X' = Q R, so that X = R'Q': n coordinates in the basis Q
    rows = np.ascontiguousarray(triangle[:n].T)
    # where rows depend on each other, coordinates are 0 but for rounding, which is relative to the row
    rounding = n * np.finfo(float).eps * np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows[np.abs(rows) <= rounding[:, None]] = 0.0
    return rows, Reflections(packed, factors)


class Reflections:
    """An orthonormal basis, stored as the Householder reflections of a QR factorisation.

    Parameters
    ----------
    packed, factors : ndarray of shape (d, n) and (n,)
        As LAPACK's geqrf leaves them.
    transposed : bool
        Whether the basis is to be applied as its transpose.
    """

    def __init__(self, packed: np.ndarray, factors: np.ndarray, transposed: bool = False) -> None:
        self._packed, self._factors, self._transposed = packed, factors, transposed

    @property
    def T(self) -> Reflections:
        """The transposed basis, of shape (n, d)."""
        return Reflections(self._packed, self._factors, not self._transposed)

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        """Product with a vector."""
        d, n = self._packed.shape
        # ormqr overwrites its argument, a column of d entries
        column = np.zeros((d, 1), order="F")
        column[: v.size, 0] = v
        side = "T" if self._transposed else "N"
        product, _, status = dormqr("L", side, self._packed, self._factors, column, 64)
        if status != 0:
            raise ArithmeticError(f"LAPACK's ormqr refused its argument {-status}")
        return product[: n if self._transposed else d, 0]
