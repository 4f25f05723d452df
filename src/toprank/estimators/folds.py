"""Folds of a search: stratified within a single list, whole queries otherwise, and their checks."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedKFold, check_cv

if TYPE_CHECKING:
    from toprank.typing import Values

#: Folds for cv=None, as in scikit-learn.
DEFAULT_FOLDS = 5
#: Indices of the training and of the test rows.
Fold = tuple[np.ndarray, np.ndarray]
#: Label of a row of a single list -> what such rows are.
CLASSES = ("negatives", "positives")


def make_folds(cv: Any, y: np.ndarray, qid: Values | None, is_list: bool) -> list[Fold]:
    """Divide the rows into folds, each of which has something to rank among its training and test rows.

    Parameters
    ----------
    cv : int, splitter of scikit-learn, iterable of pairs of index arrays, or None
        A number (None: 5) means `StratifiedKFold` on y, or `GroupKFold` on several queries. A splitter is
        given the queries as its groups.
    y : ndarray of shape (n_samples,)
        For a single list 0 and 1, otherwise grades.
    qid : array-like of shape (n_samples,) or None
    is_list : bool
        Whether the model divides a single list into positives and negatives.

    Returns
    -------
    list of tuple of ndarray
        Indices of the training and of the test rows.

    Raises
    ------
    ValueError
        If a query is divided, or the rows of a fold have nothing to rank.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank.estimators.folds import make_folds
    >>> [test.tolist() for _, test in make_folds(2, np.array([0, 0, 1, 1]), None, True)]
    [[0, 2], [1, 3]]
    """
    # checked for all rows first: otherwise each fold would be blamed for what y lacks
    if not is_list and not _has_preference(y, qid):
        raise ValueError(
            "y has one class only within every query, so there is no preference to learn from; check y"
            + ("" if qid is None else " and qid")
        )
    has_queries = qid is not None and np.unique(qid).size > 1
    splitter = _choose_splitter(cv, y, qid if has_queries else None)
    with warnings.catch_warnings():
        # of splitters that need no groups; whether queries are whole is checked below
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        folds = [*splitter.split(np.zeros((y.size, 1)), y, qid if has_queries else None)]
    for k, fold in enumerate(folds, 1):
        _check_rows(np.append(*fold), y.size, k)
    # masks and negative numbers become row numbers, which rows that are read in place need
    folds = [tuple(np.arange(y.size)[rows] for rows in fold) for fold in folds]
    if not folds:
        raise ValueError("cv holds no fold; give a number of folds, or pairs of training and test rows")
    for k, fold in enumerate(folds, 1):
        for role, rows in zip(("training", "test"), fold, strict=True):
            place = f"fold {k} of {len(folds)} has"
            if is_list:
                _check_classes(y, rows, f"{place} no {{}} among its {role} rows", cv)
            elif not _has_preference(y[rows], None if qid is None else np.asarray(qid)[rows]):
                rows_text = "query whose" if has_queries else "two"
                raise ValueError(
                    f"{place} no {rows_text} {role} rows {'differ' if has_queries else 'that differ'} in "
                    f"relevance; {_name_remedy(cv)}"
                )
        if has_queries:
            _check_whole_queries(qid, fold, k)
    return folds


def _choose_splitter(cv: Any, y: np.ndarray, qid: Values | None) -> Any:
    """Return the splitter that cv stands for."""
    cv = DEFAULT_FOLDS if cv is None else cv
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        try:
            if isinstance(cv, type) or (isinstance(cv, list | tuple) and any(len(fold) != 2 for fold in cv)):
                raise ValueError
            return check_cv(cv, y, classifier=True)
        except (TypeError, ValueError):
            raise ValueError(
                "cv must be a number of folds, a splitter of scikit-learn, or pairs of training and test "
                f"rows; got {cv!r}"
            ) from None
    if cv < 2:
        raise ValueError(f"cv must be a number of at least 2 folds; got {cv}")
    if qid is not None:
        n_queries = np.unique(qid).size
        if n_queries < cv:
            raise ValueError(f"cv={cv} needs as many queries, but qid names {n_queries}; take fewer folds")
        return GroupKFold(cv)
    # a single list: each fold has the share of positives of the whole list
    return _QuietStratifiedKFold(cv)


class _QuietStratifiedKFold(StratifiedKFold):
    """Stratified folds; what scikit-learn says of rare classes, `make_folds` says of the folds themselves."""

    def split(self, X: np.ndarray, y: np.ndarray, groups: None = None) -> list[Fold]:
        largest = np.unique(y, return_counts=True)[1].max()
        if largest < self.n_splits:
            raise ValueError(
                f"fold {largest + 1} of {self.n_splits} has rows of no class, since none of y has more than "
                f"{largest} rows; take fewer folds (cv)"
            )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            return [*super().split(X, y)]


def _check_rows(rows: np.ndarray, n_rows: int, number: int) -> None:
    """Raise a ValueError if a fold names rows that the data do not have."""
    if rows.dtype == bool:
        return
    missing = rows[(rows < -n_rows) | (rows >= n_rows)]
    if missing.size:
        raise ValueError(f"fold {number} of cv names row {missing[0]}, but the data have {n_rows} rows")


def _check_classes(y: np.ndarray, rows: np.ndarray, sentence: str, cv: Any) -> None:
    """Raise a ValueError if rows of a single list hold no positive or no negative."""
    for label, name in enumerate(CLASSES):
        if not (y[rows] == label).any():
            n_rows = np.count_nonzero(y == label)
            raise ValueError(f"{sentence.format(name)}, of {n_rows} in y; {_name_remedy(cv)}")


def _has_preference(y: np.ndarray, qid: np.ndarray | None) -> bool:
    """Whether two rows of a query differ in relevance."""
    if y.size == 0 or qid is None:
        return np.unique(y).size > 1
    # sorted by query, then relevance: two neighbours differ if any two rows of the query do
    order = np.lexsort((y, qid))
    is_same_query = qid[order[1:]] == qid[order[:-1]]
    return bool((is_same_query & (y[order[1:]] != y[order[:-1]])).any())


def _check_whole_queries(qid: Values, fold: Fold, number: int) -> None:
    """Raise a ValueError if a query has rows on both sides of a fold."""
    training, test = (np.unique(np.asarray(qid)[rows]) for rows in fold)
    common_queries = np.intersect1d(training, test)
    if common_queries.size:
        raise ValueError(
            f"fold {number} of cv divides query {common_queries[0]} between training and test rows; take a "
            "number of folds, or a splitter by groups such as GroupKFold"
        )


def _name_remedy(cv: Any) -> str:
    """Say what to do about a fold that has nothing to rank."""
    if isinstance(cv, Integral):
        return "take fewer folds (cv)"
    return "take a number of folds (cv=3), or a splitter that keeps the shares of the classes"
