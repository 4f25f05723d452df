"""Labels and queries as users have them: numbers, words or categories; a query a row, or the size of each."""

from __future__ import annotations

import numpy as np

#: The column of a data frame that names the query of each row, and is no feature.
COLUMN = "qid"
LARGEST_GRADE = 1000  # beyond it the gain 2^y overflows


def as_numbers(y):
    """Labels as numbers: those that are numbers already, as they are.

    Ordered categories of pandas count 0, 1, 2, … in their order. Words that spell numbers are these numbers,
    and of two other words the one that comes later in the alphabet is 1, as in scikit-learn.

    Parameters
    ----------
    y : array-like of shape (n_samples,)

    Returns
    -------
    ndarray of the shape of y

    Raises
    ------
    ValueError
        If y holds words whose order is not known, or misses values.

    Examples
    --------
    >>> from toprank.labels import as_numbers
    >>> as_numbers(["spam", "ham", "spam"])
    array([1., 0., 1.])
    """
    if getattr(getattr(y, "dtype", None), "ordered", False):
        codes = np.asarray(getattr(y, "cat", y).codes)
        if (codes < 0).any():
            raise ValueError("y has rows without a category; leave them out")
        return codes.astype(float)
    labels = np.asarray(y)
    if labels.dtype.kind not in "OUS":
        return labels
    try:
        return labels.astype(float)
    except (TypeError, ValueError):  # words
        pass
    try:
        words, numbered = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y mixes words with other values, or lacks some; give each row a label") from None
    if words.size != 2:
        known = ", ".join(map(repr, words[:3].tolist())) + (", …" if words.size > 3 else "")
        raise ValueError(
            f"y holds {words.size} different words ({known}), whose order is not known; number them from the "
            "least relevant on, or pass an ordered pandas.Categorical"
        )
    return numbered.reshape(labels.shape).astype(float)


def as_grades(y):
    """Labels as relevance: whole numbers from 0 as they are; of two other values the larger one is 1.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        See `as_numbers`. Where all rows have one value, it is relevant above 0.

    Returns
    -------
    ndarray of float of the shape of y

    Raises
    ------
    ValueError
        If there are more than two values, and one is no grade.

    Examples
    --------
    >>> from toprank.labels import as_grades
    >>> as_grades([-1, 1, -1])
    array([0., 1., 0.])
    """
    y = np.asarray(as_numbers(y), dtype=float)
    wrong = ~((y == np.floor(y)) & (y >= 0) & (y <= LARGEST_GRADE))
    if not wrong.any():
        return y
    values = np.unique(y)
    if values.size <= 2 and np.isfinite(values).all():
        return (y == values[1] if values.size == 2 else y > 0).astype(float)
    raise ValueError(
        f"relevance must be whole numbers from 0 (not relevant) to {LARGEST_GRADE}, but y holds "
        f"{y[wrong][0]:g}; map the labels to grades"
    )


def relevant_rows(y):
    """Mask of the rows that count as positive.

    Two distinct values: the larger one is positive, whatever they are. More than two are grades, and positive
    above 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        See `as_numbers`.

    Returns
    -------
    ndarray of bool of shape (n_samples,)

    Raises
    ------
    ValueError
        If only one class remains.

    Examples
    --------
    >>> from toprank.labels import relevant_rows
    >>> relevant_rows([2, 4, 2])
    array([False,  True, False])
    """
    y = as_numbers(y)
    values = np.unique(y)
    relevant = y == values[-1] if values.size == 2 else y > 0
    if relevant.all() or not relevant.any():
        raise ValueError(
            "ranking at the top needs a positive and a negative row, but y has one class only "
            f"({values[:3].tolist()})"
        )
    return relevant


def split_queries(X, qid=None):
    """Take the column ``qid`` of a data frame out of the features, as XGBoost does.

    So a row keeps its query through the splits of scikit-learn's searches.

    Parameters
    ----------
    X : array-like or data frame
    qid : array-like of shape (n_samples,), optional

    Returns
    -------
    X, qid
        As they are where X has no such column.

    Raises
    ------
    ValueError
        If the queries are given twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from toprank.labels import split_queries
    >>> X, qid = split_queries(pd.DataFrame({"qid": [7, 7, 9], "length": [1.0, 2.0, 3.0]}))
    >>> list(X.columns), list(qid)
    (['length'], [7, 7, 9])
    """
    columns = getattr(X, "columns", None)
    if columns is None or COLUMN not in columns:
        return X, qid
    if qid is not None:
        raise ValueError(f"X has a column {COLUMN!r}, and the queries are given as well; give one of them")
    return X[[name for name in columns if name != COLUMN]], X[COLUMN]


def check_queries(qid, n_rows):
    """Return the query of each row as an array, or raise one sentence.

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
        If the shape is another one, a value is missing, or the values cannot be sorted.

    Examples
    --------
    >>> from toprank.labels import check_queries
    >>> check_queries(["b", "a", "b"], 3)
    array(['b', 'a', 'b'], dtype='<U1')
    """
    try:
        queries = np.asarray(qid)
    except ValueError:
        raise ValueError("qid must name one query a row; got sequences of several lengths") from None
    if queries.shape != (n_rows,):
        is_sizes = queries.ndim == 1 and queries.dtype.kind in "iu" and queries.sum() == n_rows
        hint = "; the sizes of queries are given as group" if is_sizes else ""
        raise ValueError(f"qid must name the query of each of {n_rows} rows; got shape {queries.shape}{hint}")
    if _is_missing(queries).any():
        raise ValueError("qid must name the query of each row by a number or a word, but it misses some")
    try:
        is_sortable = queries.dtype.kind in "biufSUM" or np.unique(queries).size <= n_rows
    except TypeError:
        is_sortable = False
    if not is_sortable:
        raise ValueError(
            "qid must name the query of each row by a number or a word, but it mixes both; make "
            "all of them words"
        )
    return queries


def _is_missing(values):
    """Mask of the entries that are None, NaN (which alone differs from itself) or the NA of pandas."""
    if values.dtype.kind != "O":
        return values != values

    def lacks(value):
        try:
            return value is None or bool(value != value)
        except TypeError:  # the NA of pandas has no truth
            return True

    return np.array([lacks(value) for value in values], dtype=bool)


def queries_of_sizes(group, n_rows):
    """Return the query of each row from the sizes of the queries, whose rows follow each other.

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
        If these are no whole numbers from 1 on that add up to the number of rows.

    Examples
    --------
    >>> from toprank.labels import queries_of_sizes
    >>> queries_of_sizes([2, 3], 5)
    array([0, 0, 1, 1, 1])
    """
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 1).any() or sizes.sum() != n_rows:
        got = f"{sizes.size} that add up to {sizes.sum()}" if sizes.dtype.kind in "iu" else repr(group)
        raise ValueError(
            f"group must hold the sizes of the queries, whole numbers from 1 that add up to {n_rows} rows; "
            f"got {got}"
        )
    return np.repeat(np.arange(sizes.size), sizes)
