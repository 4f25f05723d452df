"""Checks and conversions of queries: one per row, or their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toprank.labels import convert_to_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toprank.typing import Values


def check_queries(qid: Values, n_rows: int) -> np.ndarray:
    """Check the query of each row and return them as an array.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        Numbers or words, in any order.
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows,)

    Raises
    ------
    ValueError
        If the shape is wrong, a value is missing, or the values cannot be sorted.

    Examples
    --------
    >>> from toprank.queries import check_queries
    >>> check_queries(["b", "a", "b"], 3)
    array(['b', 'a', 'b'], dtype='<U1')
    """
    try:
        queries = convert_to_array(qid)
    except ValueError:
        raise ValueError("qid must name one query per row; got sequences of different lengths") from None
    if queries.shape != (n_rows,):
        # sizes of queries, which LightGBM takes, are a frequent mistake: the message names the remedy
        is_sizes = queries.ndim == 1 and queries.dtype.kind in "iu" and queries.sum() == n_rows
        repeated = f"np.repeat(range({queries.size}), sizes)"
        hint = f"; pass the sizes of queries as group, or {repeated} as qid" if is_sizes else ""
        raise ValueError(f"qid must name the query of each of {n_rows} rows; got shape {queries.shape}{hint}")
    if _is_missing(queries).any():
        raise ValueError("qid must name the query of each row, but some are missing")
    try:
        is_sortable = queries.dtype.kind in "biufSUM" or np.unique(queries).size <= n_rows
    except TypeError:
        is_sortable = False
    if not is_sortable:
        raise ValueError(
            "qid must hold only numbers or only strings, but it mixes both; convert all to strings"
        )
    return queries


def resolve_queries(qid: Values | None, group: Values | None, n_rows: int) -> np.ndarray | None:
    """Return the query of each row, from queries that are named or given by their sizes.

    Parameters
    ----------
    qid : array-like of shape (n_rows,) or None
    group : array-like of int of shape (n_queries,) or None
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows,) or None
        None if neither is given.

    Raises
    ------
    ValueError
        If both are, or one is wrong.

    Examples
    --------
    >>> from toprank.queries import resolve_queries
    >>> resolve_queries(None, [1, 2], 3)
    array([0, 1, 1])
    """
    if group is None:
        return None if qid is None else check_queries(qid, n_rows)
    if qid is not None:
        raise ValueError("give the queries as qid or as group, and not as both")
    return queries_of_sizes(group, n_rows)


def _is_missing(values: np.ndarray) -> NDArray[np.bool_]:
    """Return a mask of the missing entries: None, NaN (which differs from itself) or the NA of pandas."""
    if values.dtype.kind != "O":
        # NaN, and the NaT of dates, differ from themselves; texts never do
        return values != values

    def is_absent(value: object) -> bool:
        """Whether an entry is None, NaN or NA.

        Parameters
        ----------
        value : object
            An entry of the labels or queries.

        Returns
        -------
        bool
            True if there is no value.
        """
        try:
            return value is None or bool(value != value)
        except TypeError:  # the NA of pandas has no truth
            return True

    return np.array([is_absent(value) for value in values], dtype=bool)


def queries_of_sizes(group: Values, n_rows: int) -> NDArray[np.intp]:
    """Return the query of each row from the sizes of the queries, whose rows are contiguous.

    Parameters
    ----------
    group : array-like of int of shape (n_queries,)
        As LightGBM and XGBoost take it.
    n_rows : int

    Returns
    -------
    ndarray of int of shape (n_rows,)

    Raises
    ------
    ValueError
        If the sizes are not positive whole numbers that add up to ``n_rows``.

    Examples
    --------
    >>> from toprank.queries import queries_of_sizes
    >>> queries_of_sizes([2, 3], 5)
    array([0, 0, 1, 1, 1])
    """
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 1).any() or sizes.sum() != n_rows:
        description = (
            f"{sizes.size} that add up to {sizes.sum()}" if sizes.dtype.kind in "iu" else repr(group)
        )
        raise ValueError(
            f"group must hold the sizes of the queries, positive whole numbers that add up to {n_rows} rows; "
            f"got {description}"
        )
    return np.repeat(np.arange(sizes.size), sizes.astype(np.intp))
