"""Checks and conversions of labels: numbers, strings, categories; and the column of queries of a data frame.

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


def convert_to_array(values: Values) -> np.ndarray:
    """Convert labels or queries to an array, of objects where a list holds strings and other values.

    NumPy would write the others as strings, and a missing value as the word "nan".

    Parameters
    ----------
    values : array-like

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from toprank.labels import convert_to_array
    >>> convert_to_array(["spam", float("nan")]).dtype, convert_to_array(["spam", "ham"]).dtype
    (dtype('O'), dtype('<U4'))
    """
    array = np.asarray(values)
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        objects = np.asarray(values, dtype=object)
        if not all(isinstance(value, str | bytes) for value in objects.flat):
            return objects
    return array


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
    labels = convert_to_array(y)
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
        If the queries are given twice, also by two such columns, or the column holds fractions, as after a
        scaler.

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
    # by position: several features may have one name
    features, queries = [j for j, name in enumerate(names) if name != QUERY_COLUMN], X[QUERY_COLUMN]
    if len(features) < len(names) - 1:
        raise ValueError(
            f"X has {len(names) - len(features)} columns {QUERY_COLUMN!r}, and a row is of one query; keep "
            "one of them"
        )
    values = np.asarray(queries)
    # numbers of queries are whole: a fraction comes from a scaler that took the column for a feature
    if values.dtype.kind == "f" and (fractions := values[values % 1.0 > 0.0]).size:
        raise ValueError(
            f"the column {QUERY_COLUMN!r} of X holds {fractions[0]:g}, which names no query: a step before "
            f"the ranker has changed it; {QUERY_COLUMN_REMEDY}"
        )
    if _is_arrow_table(X):
        return X.select(features), queries
    return X.iloc[:, features] if hasattr(X, "iloc") else X[[names[j] for j in features]], queries


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
