"""Graded rows of queries: checks of any file of them, and folds for a file without folds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.errors import DataError
from reproduction.core.seeds import LETOR_FOLDS, derive_seed
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    import scipy.sparse as sp

    from reproduction.datasets.specs import DataSet

_INT32 = np.iinfo(np.int32)


def check_grades(grades: np.ndarray, spec: DataSet) -> np.ndarray:
    """Check the relevances and return them as int8.

    Parameters
    ----------
    grades : ndarray of float, shape (n,)
    spec : DataSet
        ``spec.label["grades"]`` lists the known grades.

    Returns
    -------
    ndarray of int8, shape (n,)

    Raises
    ------
    DataError
        A relevance is none of the grades that the entry names.
    """
    unknown = np.setdiff1d(grades, spec.label["grades"])
    if unknown.size:
        raise DataError(
            f"{spec.name} holds the relevance {unknown[0]:g}, but only {spec.label['grades']} are known."
        )
    return np.asarray(grades).astype(np.int8)


def convert_ids(qid: np.ndarray) -> np.ndarray:
    """Convert ids of queries to int32 where they fit, else to int64.

    Parameters
    ----------
    qid : ndarray of int or str, shape (n,)
        Text that is no number becomes its position in sorted order.

    Returns
    -------
    ndarray of int32 or int64, shape (n,)
    """
    if qid.dtype.kind not in "iu":
        try:
            numbers = qid.astype(np.int64)
        except (ValueError, OverflowError):
            numbers = None
        # "01" and "1_1" are numbers for Python, but other queries than "1" and "11"
        is_same = numbers is not None and (numbers.astype(str) == qid.astype(str)).all()
        qid = numbers if is_same else np.unique(qid, return_inverse=True)[1]
    if qid.size and not (_INT32.min <= qid.min() and qid.max() <= _INT32.max):
        return qid.astype(np.int64)
    return qid.astype(np.int32)


def read_query_sizes(spec: DataSet, paths: dict[str, Path]) -> np.ndarray | None:
    """Read the file with the number of rows of each query, one a line, as LightGBM's ``.query``.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["group_sizes"]`` names the file.
    paths : dict of str to Path

    Returns
    -------
    ndarray of int64, shape (n_queries,), or None
        None if the entry names no such file.

    Raises
    ------
    DataError
        A line is no whole number above 0.
    """
    name = spec.options.get("group_sizes")
    if name is None:
        return None
    lines = paths[name].read_text(encoding="utf-8", errors="replace").split()
    if wrong := [line for line in lines if not (line.isascii() and line.isdigit() and int(line))]:
        raise DataError(
            f"{name} holds {wrong[0]!r} where the number of rows of a query is needed: write one number a "
            "line."
        )
    return np.array(lines, dtype=np.int64)


def number_queries(sizes: np.ndarray, n_rows: int, spec: DataSet) -> np.ndarray:
    """Return the number of the query of each row, from 1 in the order of the file.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_queries,)
    n_rows : int
    spec : DataSet
        For messages.

    Returns
    -------
    ndarray of int, shape (n_rows,)

    Raises
    ------
    DataError
        The sizes do not add up to the rows.
    """
    if sizes.sum() != n_rows:
        raise DataError(
            f"{spec.options['group_sizes']} counts {sizes.sum()} rows in {len(sizes)} queries, but "
            f"{spec.name} has {n_rows} rows: {spec.remedy}"
        )
    return np.repeat(np.arange(1, len(sizes) + 1), sizes)


def assign_parts(
    X: np.ndarray | sp.csr_array, grades: np.ndarray, qid: np.ndarray, spec: DataSet, dropped: Sequence = ()
) -> Table:
    """Assign the queries of one file to five parts, which LETOR's folds rotate.

    A part gets every fifth query in an order that depends on the ids alone, so that neither the order of the
    rows nor the name of the data set matters.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
    grades : ndarray, shape (n,)
    qid : ndarray of int or str, shape (n,)
    spec : DataSet
    dropped : sequence of dict
        Dropped rows and why, for the table.

    Returns
    -------
    Table
        Rows part by part, the rows of a query together, both in the order of the file.

    Raises
    ------
    DataError
        There are fewer than five queries, or a grade is unknown.
    """
    ids, first, query = np.unique(qid, return_index=True, return_inverse=True)
    if len(ids) < LETOR_FOLDS:
        raise DataError(
            f"{spec.name} holds {len(ids)} queries, and its five folds need at least {LETOR_FOLDS}: name the "
            "column that tells the queries apart."
        )
    # the hash of each id is its random key
    order = np.argsort([derive_seed(0, "parts", query_id) for query_id in ids.tolist()], kind="stable")
    part_of = np.empty(len(ids), dtype=np.int8)
    # Queries in the order of their keys go to the five parts by turns: parts differ by one query at most, and
    # a query keeps its key when others are added.
    part_of[order] = np.arange(len(ids)) % LETOR_FOLDS + 1
    part = part_of[query]
    # by part, then by the first row of the query
    # lexsort is stable: rows of a query stay together and in the order of the file, which LETOR's ties
    # follow.
    rows = np.lexsort((first[query], part))
    grades = check_grades(grades, spec)
    return Table(X[rows], grades[rows], convert_ids(qid)[rows], part[rows], dropped)
