"""Rows of a dense array, chosen by index and read where they lie: a large data set is never copied.

What a solver asks of its rows are scores ``rows @ w`` and sums ``rows.T @ v``. The kernels
(`toprank.problems.row_kernels`) read one row after
the other in the type in which it is stored, float32 or float64, and accumulate in float64. The rounding of
float32 enters through the data alone, so bounds and gaps from such sums are valid for these data.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from toprank.problems.row_kernels import (
    MIN_GROUPED_BYTES,
    accumulate_all_rows,
    accumulate_rows,
    accumulate_squared_deviations,
    compute_all_scores,
    compute_scores,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


#: Rows whose float64 copy is made at a time: 32 MB at 2000 features.
ROWS_PER_CHUNK = 2048

#: Short rows are read without a gap, from the first selected one to the last, where these have so many bytes
#: that no cache holds them, and at least this share of them is selected. Gaps defeat the prefetcher: products
#: with two thirds of 581 012 rows of 54 features in float32 took 2.4 times as long as those with all of them,
#: and with a fifth 1.5 times.
MIN_SPAN_BYTES, MIN_SPAN_SHARE = 2**25, 0.25

#: Bounds on the size of the largest value of X: within them, sums of squares over pairs of rows neither
#: overflow nor underflow, which floating point does near 1e308 and 1e-308.
MAGNITUDE_MIN, MAGNITUDE_MAX = 1e-100, 1e100


def _check_vector(v: ArrayLike, size: int, meaning: str) -> np.ndarray:
    """Return a float64 vector of the size that a product needs, or raise one sentence."""
    v = np.ascontiguousarray(v, dtype=np.float64)
    if v.shape != (size,):
        raise ValueError(f"a product with these rows needs a vector of {size} {meaning}; got shape {v.shape}")
    return v


class SelectedRows:
    """Rows ``X[index]`` of a dense array, without a copy of them.

    Parameters
    ----------
    X : ndarray or memmap of shape (n, d), or SelectedRows
        C-contiguous, float32 or float64.
    index : array-like of int of shape (m,), or of bool of shape (n,), optional
        Positions from 0 on, or a mask; by default all rows. Of `SelectedRows` it counts among its rows.

    Raises
    ------
    IndexError
        If a position is no row's, or a mask has another length.
    ValueError
        If the array is not as it has to be.
    """

    ndim = 2

    def __init__(self, X: np.ndarray | SelectedRows, index: ArrayLike | None = None) -> None:
        if isinstance(X, SelectedRows):
            self.stored = X.stored
        else:
            if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype not in (np.float32, np.float64):
                raise ValueError(
                    "rows are read in place from a two-dimensional float32 or float64 array; got "
                    f"{type(X).__name__} of type {getattr(X, 'dtype', 'unknown')} and shape {np.shape(X)}"
                )
            if not X.flags.c_contiguous or not X.dtype.isnative:
                raise ValueError(
                    "rows are read in place from an array of contiguous rows in native byte order; "
                    "pass numpy.ascontiguousarray of it, or all rows and an index"
                )
            # a read-only view of the base class: the kernels are then compiled once for maps and arrays alike
            self.stored = np.asarray(X).view()
            self.stored.flags.writeable = False
        # a selection of a selection indexes the stored rows directly
        outer = X.index if isinstance(X, SelectedRows) else None
        if index is None:
            self.index = np.arange(len(self.stored)) if outer is None else outer
        else:
            index = _get_row_positions(index, X.shape[0])
            self.index = index if outer is None else outer[index]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows selected and features."""
        return self.index.size, self.stored.shape[1]

    @property
    def dtype(self) -> np.dtype:
        """Type in which the rows are stored."""
        return self.stored.dtype

    def __len__(self) -> int:
        return self.index.size

    def __getitem__(self, index: Any) -> np.ndarray:
        """Copy of a few rows, an ndarray of the stored type."""
        return self.stored[self.index[index]]

    def __array__(self, dtype: Any | None = None, copy: bool | None = None) -> np.ndarray:
        """All rows as an array, for what cannot read them in place."""
        if copy is False:
            raise ValueError("selected rows cannot be viewed as an array without a copy")
        return self.stored[self.index].astype(dtype or self.dtype, copy=False)

    @cached_property
    def span(self) -> slice | None:
        """Rows of the array that are best read without a gap; None where the selected ones are read alone."""
        row_bytes = self.shape[1] * self.dtype.itemsize
        if not len(self) or row_bytes >= MIN_GROUPED_BYTES:
            return None
        first, last = self.index[0], self.index[-1] + 1
        is_large = (last - first) * row_bytes >= MIN_SPAN_BYTES
        is_dense = len(self) >= MIN_SPAN_SHARE * (last - first)
        # only rows that ascend have each a place of its own between the first and the last
        return slice(first, last) if is_large and is_dense and (np.diff(self.index) > 0).all() else None

    def __matmul__(self, w: ArrayLike) -> np.ndarray:
        """Scores, a float64 ndarray of shape (m,)."""
        w = _check_vector(w, self.shape[1], "features")
        if self.span is not None:
            scores = np.empty(self.span.stop)
            compute_all_scores(self.stored[self.span], w, scores[self.span])
            return scores[self.index]
        out = np.empty(self.index.size)
        compute_scores(self.stored, self.index, w, out)
        return out

    @property
    def T(self) -> _Transposed:
        """What ``rows.T @ v`` needs."""
        return _Transposed(self)

    def mean(self, axis: int = 0) -> np.ndarray:
        """Return the mean of each feature, a float64 ndarray of shape (d,); the axis is 0.

        Parameters
        ----------
        axis : int, default=0

        Returns
        -------
        ndarray of shape (d,)
        """
        _check_row_axis(axis)
        return self.T @ np.full(len(self), 1.0 / len(self))

    def var(self, axis: int = 0) -> np.ndarray:
        """Return the variance of each feature, float64 of shape (d,), in two passes; the axis is 0.

        Parameters
        ----------
        axis : int, default=0

        Returns
        -------
        ndarray of shape (d,)
        """
        _check_row_axis(axis)
        out = np.zeros(self.shape[1])
        accumulate_squared_deviations(self.stored, self.index, self.mean(), out)
        return out / len(self)

    def min(self, axis: int = 0) -> np.ndarray:
        """Return the minimum of each feature, of shape (d,), from copies of a few rows; the axis is 0.

        Parameters
        ----------
        axis : int, default=0

        Returns
        -------
        ndarray of shape (d,)
        """
        return self._reduce(np.minimum, axis)

    def max(self, axis: int = 0) -> np.ndarray:
        """Return the maximum of each feature, of shape (d,), from copies of a few rows; the axis is 0.

        Parameters
        ----------
        axis : int, default=0

        Returns
        -------
        ndarray of shape (d,)
        """
        return self._reduce(np.maximum, axis)

    def _reduce(self, function: np.ufunc, axis: int) -> np.ndarray:
        _check_row_axis(axis)
        parts = range(0, len(self), ROWS_PER_CHUNK)
        return function.reduce(
            [function.reduce(self[start : start + ROWS_PER_CHUNK], axis=0) for start in parts]
        )

    def gram(self) -> np.ndarray:
        """X'X of the selected rows in float64, of shape (d, d), from copies of a few rows.

        Returns
        -------
        ndarray of shape (d, d)
        """
        d = self.shape[1]
        gram = np.zeros((d, d))
        for start in range(0, len(self), ROWS_PER_CHUNK):
            rows = self[start : start + ROWS_PER_CHUNK].astype(np.float64, copy=False)
            gram += rows.T @ rows
        return gram

    def find_nonfinite_rows(self) -> np.ndarray | None:
        """Return a few rows with a NaN or an infinite entry among them; None where all are finite.

        Returns
        -------
        ndarray of shape (k, d) or None
        """
        # a sum is finite unless an entry is not, or, of float64 near its limit, unless it overflows
        suspects = np.flatnonzero(~np.isfinite(self @ np.ones(self.shape[1])))
        for start in range(0, suspects.size, ROWS_PER_CHUNK):
            rows = self[suspects[start : start + ROWS_PER_CHUNK]]
            if not np.isfinite(rows).all():
                return rows
        return None


def check_magnitude(X: RowMatrix) -> None:
    """Raise a ValueError if the values of X are so large, or all so small, that their squares are lost.

    Parameters
    ----------
    X : ndarray, csr_array or SelectedRows of shape (n, d)
    """
    if X.dtype == np.float32 or 0 in X.shape:  # float32 ends at 3e38
        return
    if isinstance(X, SelectedRows):
        parts = (X[start : start + ROWS_PER_CHUNK] for start in range(0, X.shape[0], ROWS_PER_CHUNK))
    else:
        parts = (X,)
    largest = max(max(float(part.max()), -float(part.min())) for part in parts)
    if largest > MAGNITUDE_MAX or 0.0 < largest < MAGNITUDE_MIN:
        raise ValueError(
            f"the largest value of X has the size {largest:.3g}, beyond the range {MAGNITUDE_MIN:g} to "
            f"{MAGNITUDE_MAX:g} whose squares can be added; scale the features, for instance divide X by "
            f"{largest:.3g}"
        )


#: Checked rows of features: dense, CSR, or dense rows that are read where they are stored.
RowMatrix: TypeAlias = np.ndarray | sp.csr_array | SelectedRows


class _Transposed:
    """The transpose of `SelectedRows`, of which only the product with a vector is known."""

    def __init__(self, rows: SelectedRows) -> None:
        self._rows = rows
        self.shape = rows.shape[::-1]

    def __matmul__(self, v: ArrayLike) -> np.ndarray:
        """X'v, a float64 ndarray of shape (d,); rows whose entry of v is 0 are read within a span only."""
        v = _check_vector(v, self.shape[1], "rows")
        index, span, out = self._rows.index, self._rows.span, np.zeros(self.shape[0])
        n_weighted = np.count_nonzero(v)
        if span is not None and n_weighted >= MIN_SPAN_SHARE * (span.stop - span.start):
            weights = np.zeros(span.stop)
            weights[index] = v
            accumulate_all_rows(self._rows.stored[span], weights[span], out)
            # a row that is not selected may hold what is not a number, and 0 times that is none either
            if np.isfinite(out).all():
                return out
            out[:] = 0.0
        # rows of weight 0 are skipped
        if n_weighted < v.size:
            weighted = np.flatnonzero(v)
            index, v = index[weighted], v[weighted]
        accumulate_rows(self._rows.stored, index, v, out)
        return out


def _get_row_positions(index: ArrayLike, n: int) -> NDArray[np.intp]:
    """Positions of the rows that an index or a mask selects out of n."""
    index = np.asarray(index)
    if index.dtype == bool:
        if index.shape != (n,):
            raise IndexError(f"a mask of {n} rows needs as many entries; got shape {index.shape}")
        return np.flatnonzero(index)
    if index.ndim != 1 or (index.size and not np.issubdtype(index.dtype, np.integer)):
        raise IndexError(
            f"rows are selected by whole numbers or a mask; got {index.dtype} of shape {index.shape}"
        )
    invalid = index[(index < 0) | (index >= n)]
    if invalid.size:
        raise IndexError(f"there is no row {invalid[0]} among {n}; positions count from 0")
    return np.ascontiguousarray(index, dtype=np.intp)


def _check_row_axis(axis: int) -> None:
    if axis != 0:
        raise ValueError(f"selected rows support sums over the rows only, axis 0; got axis {axis}")


def take_rows(X: RowMatrix, index: np.ndarray) -> RowMatrix:
    """Rows of a matrix: `SelectedRows` where it is mapped from a file or selected already, else ``X[index]``.

    Parameters
    ----------
    X : ndarray, memmap, csr_array or SelectedRows of shape (n, d)
    index : ndarray of int of shape (m,), or of bool of shape (n,)

    Returns
    -------
    SelectedRows, ndarray or csr_array of shape (m, d)
    """
    return SelectedRows(X, index) if isinstance(X, np.memmap | SelectedRows) else X[index]
