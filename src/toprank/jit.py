"""Kernels that numba compiles at their first call, and keeps on disk where there is a place for it.

What a kernel uses decides how long that takes. Loops over arrays and numbers take some tenths of a second. A
function of numpy (``max``, ``argsort``) takes up to a second more. The assignment of an array to a part of
another one compares their shapes and takes three.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

#: What a sum may be spared of IEEE's rules so that it runs on vectors: its order, and fused products.
REORDERING_FLAGS = {"reassoc", "contract", "nsz"}


def njit_cached(kernel: Callable[..., Any] | None = None, /, **options: Any) -> Callable[..., Any]:
    """Compile a function of arrays and numbers; numba's cache keeps the result for the next process.

    Where no folder can be written, neither beside the module nor in the user's home, each process compiles
    for itself.

    Parameters
    ----------
    kernel : function
    **options
        Of ``numba.njit``.

    Returns
    -------
    callable
        The compiled function; a decorator if no kernel is given.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.jit import njit_cached
    >>> @njit_cached
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> total(np.ones(3))
    3.0
    """
    if kernel is None:
        return partial(njit_cached, **options)
    try:
        return numba.njit(cache=True, **options)(kernel)
    except RuntimeError:  # numba finds no folder for its cache
        return numba.njit(**options)(kernel)


@njit_cached
def array_max(values: np.ndarray) -> float:
    """Return the largest entry of an array, for other kernels; numba's own ``max`` takes longer to compile.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Not empty.

    Returns
    -------
    float
    """
    largest = values[0]
    for i in range(1, values.size):
        if values[i] > largest:
            largest = values[i]
    return largest


@njit_cached
def zero_rows(matrix: np.ndarray, n_rows: int) -> None:
    """Set the first rows of a matrix to 0 in place.

    Parameters
    ----------
    matrix : ndarray of shape (n, k)
    n_rows : int
    """
    for i in range(n_rows):
        for k in range(matrix.shape[1]):
            matrix[i, k] = 0.0
