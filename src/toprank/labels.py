"""Checks and conversions of labels (numbers, strings, categories) and of queries (one per row, or sizes).

One rule for the labels of all estimators and metrics: they are relevance grades, whole numbers from 0 (not
relevant) on; any other two values stand for 0 and 1 (`as_grades`). Where a list is divided into relevant rows
and others, grades above 0 are relevant, and of two values the larger alone (`relevant_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toprank.typing import Rows, Values, Weights

#: The column of a data frame that names the query of each row; it is not a feature.
QUERY_COLUMN = "qid"
#: What to do where a step before the ranker treats that column as a feature.
QUERY_COLUMN_REMEDY = (
    f"pass it through, by a ColumnTransformer with 'passthrough' for {QUERY_COLUMN!r} and "
    "set_output(transform='pandas'), or remove it from X and pass the queries to fit, as "
    f"ranksvm__{QUERY_COLUMN} of a pipeline"
)
LARGEST_GRADE = 1000  # beyond it the gain 2^y overflows


def as_numbers(y: Values) -> np.ndarray:
    """Convert labels to numbers; numeric labels are returned as they are.

    Ordered categories of pandas become 0, 1, 2, … in their order. Strings of numbers become these numbers. Of
    two other strings the later one in the alphabet becomes 1, as in scikit-learn.

    Parameters
    ----------
    y : array-like of shape (n_samples,)

    Returns
    -------
    ndarray of the shape of y

    Raises
    ------
    ValueError
        If y holds strings whose order is not known, or has missing values.

    Examples
    --------
    >>> from toprank.labels import as_numbers
    >>> as_numbers(["spam", "ham", "spam"])
    array([1., 0., 1.])
    """
    # an ordered categorical names its order itself; -1 is its code for a missing value
    if getattr(getattr(y, "dtype", None), "ordered", False):
        codes = np.asarray(getattr(y, "cat", y).codes)
        if (codes < 0).any():
            raise ValueError("y has rows without a category; leave them out")
        return codes.astype(float)
    labels = np.asarray(y)
    # numbers and booleans stay as they are; texts may hold numbers
    if labels.dtype.kind not in "OUS":
        return labels
    try:
        return labels.astype(float)
    except (TypeError, ValueError):  # words
        pass
    try:
        words, word_codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y mixes strings with other values, or has missing values") from None
    # two words are sorted, as scikit-learn sorts classes: the second one is positive
    if words.size != 2:
        examples = ", ".join(map(repr, words[:3].tolist())) + (", …" if words.size > 3 else "")
        raise ValueError(
            f"y holds {words.size} different strings ({examples}), whose order is not known; number them, "
            "the least relevant first, or pass an ordered pandas.Categorical"
        )
    return word_codes.reshape(labels.shape).astype(float)


def as_grades(y: Values) -> Weights:
    """Convert labels to grades: whole numbers from 0 stay as they are, two other values become 0 and 1.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        See `as_numbers`. If all rows have one other value, it becomes 1 above 0, and else 0.

    Returns
    -------
    ndarray of float of the shape of y

    Raises
    ------
    ValueError
        If there are more than two values, and one is not a grade.

    Examples
    --------
    >>> from toprank.labels import as_grades
    >>> as_grades([-1, 1, -1])
    array([0., 1., 0.])
    """
    y = np.asarray(as_numbers(y), dtype=float)
    is_invalid = ~((y == np.floor(y)) & (y >= 0) & (y <= LARGEST_GRADE))
    if not is_invalid.any():
        return y
    # no grades, but two values, such as -1 and 1: the larger one is positive
    values = np.unique(y)
    if values.size <= 2 and np.isfinite(values).all():
        return (y == values[1] if values.size == 2 else y > 0).astype(float)
    raise ValueError(
        f"labels must be grades, whole numbers from 0 (not relevant) to {LARGEST_GRADE}, or two values, but "
        f"y holds {y[is_invalid][0]:g} among more than two; number the grades 0, 1, 2, … from the least "
        "relevant, or cut y in two, as y > threshold"
    )


def relevant_rows(y: Values) -> NDArray[np.bool_]:
    """Return a mask of the rows that count as positive.

    Of two distinct values the larger one is positive. More than two values are grades, positive above 0.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        See `as_grades`.

    Returns
    -------
    ndarray of bool of shape (n_samples,)

    Raises
    ------
    ValueError
        If there is only one class, or more than two values, of which one is not a grade.

    Examples
    --------
    >>> from toprank.labels import relevant_rows
    >>> relevant_rows([2, 4, 2])
    array([False,  True, False])
    """
    labels = as_numbers(y)
    grades = as_grades(labels)
    values = np.unique(grades)
    if values.size > 2 and values[0] > 0:
        examples = ", ".join(f"{value:g}" for value in values[:3]) + (", …" if values.size > 3 else "")
        raise ValueError(
            f"ranking at the top needs a positive and a negative row, but y holds the grades {examples}, and "
            f"each above 0 is positive; say which rows belong at the top, for instance y == {values[-1]:g}"
        )
    # of two grades the larger is positive; of more, all above 0, as L14's MAP has it
    relevant = grades == values[-1] if values.size == 2 else grades > 0
    if values.size < 2:
        raise ValueError(
            "ranking at the top needs a positive and a negative row, but y has one class only "
            f"({np.unique(labels).tolist()})"
        )
    return relevant


def split_queries(X: Rows, qid: Values | None = None) -> tuple[Rows, Values | None]:
    """Take the column ``qid`` of a data frame out of the features, as XGBoost does.

    As a column, the queries are split together with the rows in scikit-learn's searches.

    Parameters
    ----------
    X : array-like, or data frame of pandas or polars, or table of pyarrow
    qid : array-like of shape (n_samples,), optional

    Returns
    -------
    X, qid
        Unchanged if X has no such column.

    Raises
    ------
    ValueError
        If the queries are given twice, or the column holds fractions, as after a scaler.

    Examples
    --------
    >>> import pandas as pd
    >>> from toprank.labels import split_queries
    >>> X, qid = split_queries(pd.DataFrame({"qid": [7, 7, 9], "length": [1.0, 2.0, 3.0]}))
    >>> list(X.columns), list(qid)
    (['length'], [7, 7, 9])
    """
    names = get_column_names(X)
    if names is None or QUERY_COLUMN not in names:
        return X, qid
    if qid is not None:
        raise ValueError(
            f"X has a column {QUERY_COLUMN!r}, and the queries are given as well; give one of them"
        )
    features, queries = [name for name in names if name != QUERY_COLUMN], X[QUERY_COLUMN]
    values = np.asarray(queries)
    # numbers of queries are whole: a fraction comes from a scaler that took the column for a feature
    if values.dtype.kind == "f" and (fractions := values[values % 1.0 > 0.0]).size:
        raise ValueError(
            f"the column {QUERY_COLUMN!r} of X holds {fractions[0]:g}, which names no query: a step before "
            f"the ranker has changed it; {QUERY_COLUMN_REMEDY}"
        )
    return X.select(features) if _is_arrow_table(X) else X[features], queries


def get_column_names(X: Rows) -> Sequence[str] | None:
    """Return the names of the columns of a data frame or table.

    Parameters
    ----------
    X : array-like, data frame, or table of pyarrow

    Returns
    -------
    sequence of str, or None

    Examples
    --------
    >>> from toprank.labels import get_column_names
    >>> print(get_column_names([[1.0]]))
    None
    """
    return getattr(X, "column_names" if _is_arrow_table(X) else "columns", None)


def _is_arrow_table(X: Rows) -> bool:
    """Whether X is a table or a record batch of pyarrow, whose `columns` are the data."""
    return hasattr(X, "column_names")


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
    >>> from toprank.labels import check_queries
    >>> check_queries(["b", "a", "b"], 3)
    array(['b', 'a', 'b'], dtype='<U1')
    """
    try:
        queries = np.asarray(qid)
    except ValueError:
        raise ValueError("qid must name one query per row; got sequences of different lengths") from None
    if queries.shape != (n_rows,):
        # sizes of queries, which LightGBM takes, are a frequent mistake: the message names the remedy
        is_sizes = queries.ndim == 1 and queries.dtype.kind in "iu" and queries.sum() == n_rows
        hint = "; pass the sizes of queries as group" if is_sizes else ""
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
    >>> from toprank.labels import queries_of_sizes
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
    return np.repeat(np.arange(sizes.size), sizes)
