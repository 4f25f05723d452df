"""Conditions of a claim on each data set: where they hold, where not, and where the numbers are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps

import pandas as pd


@dataclass(frozen=True)
class DatasetOutcomes:
    """The data sets of a claim, by whether a condition holds on them.

    Parameters
    ----------
    yes, no, missing : tuple of str
        The data sets on which it holds, on which it does not, and whose numbers are missing.
    """

    yes: tuple[str, ...]
    no: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def n_datasets(self) -> int:
        """Number of data sets."""
        return len(self.yes) + len(self.no) + len(self.missing)

    def holds_on_at_least(self, count: int) -> bool | None:
        """Return whether the condition holds on at least so many; None if that depends on missing ones.

        Parameters
        ----------
        count : int
            Number of data sets.

        Returns
        -------
        bool or None
            The answer, or None.
        """
        if len(self.yes) >= count:
            return True
        # Three-valued: what is missing may be either, so "no" needs to be true even if all of it were "yes".
        return False if len(self.yes) + len(self.missing) < count else None

    @property
    def holds_on_most(self) -> bool | None:
        """Whether the condition holds on more than half."""
        return self.holds_on_at_least(self.n_datasets // 2 + 1)

    @property
    def holds_on_all(self) -> bool | None:
        """Whether the condition holds on all."""
        return self.holds_on_at_least(self.n_datasets)

    @property
    def holds_on_any(self) -> bool | None:
        """Whether the condition holds on at least one."""
        return self.holds_on_at_least(1)


def cache_by_rows(function: Callable) -> Callable:
    """Cache the answers to a question by its rows: many specifications differ in other rows only.

    Parameters
    ----------
    function : Callable
        Takes rows, with the columns that it needs and no others, and hashable values.

    Returns
    -------
    Callable
        The function with a cache.
    """
    results: dict[tuple, object] = {}

    @wraps(function)
    def cached(rows: pd.DataFrame, *arguments: object) -> object:
        """Return the cached answer for these rows and arguments; compute it the first time.

        Parameters
        ----------
        rows : pandas.DataFrame
            Rows; the key is made of their columns and values.
        *arguments : hashable
            Further arguments of the function.

        Returns
        -------
        object
            What the function returns.
        """
        columns = (rows[name].to_numpy() for name in rows)
        values = (tuple(column) if column.dtype == object else column.tobytes() for column in columns)
        # The values themselves are the key: equal rows of two specifications share an answer, and nothing is
        # hashed by identity. Columns of objects (texts) have no bytes of their own and enter as tuples.
        key = (*rows.columns, *values, *arguments)
        if key not in results:
            results[key] = function(rows, *arguments)
        return results[key]

    return cached


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all answers are yes; None if that depends on missing ones.

    Parameters
    ----------
    answers : Iterable[bool | None]
        True, False or, where it cannot be told, None.

    Returns
    -------
    bool or None
        The conjunction in Kleene's three-valued logic.
    """
    # Kleene's conjunction: one "no" decides, whatever is missing.
    distinct = set(answers)
    return False if False in distinct else None if None in distinct else True


def sort_datasets(datasets: Iterable[str], holds: Mapping[str, bool]) -> DatasetOutcomes:
    """Sort the data sets of a claim by whether it holds; those that `holds` lacks are missing.

    Parameters
    ----------
    datasets : Iterable[str]
        Names of the data sets.
    holds : Mapping[str, bool]
        Data set -> whether the condition holds.

    Returns
    -------
    DatasetOutcomes
        The outcomes, in the order of the names.
    """
    datasets = list(dict.fromkeys(datasets))
    return DatasetOutcomes(
        tuple(name for name in datasets if holds.get(name)),
        tuple(name for name in datasets if name in holds and not holds[name]),
        tuple(name for name in datasets if name not in holds),
    )


def evaluate_by_dataset(
    rows: pd.DataFrame, datasets: Iterable[str], holds: Callable[[pd.DataFrame], bool | None]
) -> DatasetOutcomes:
    """Evaluate a condition on the rows of each data set.

    Parameters
    ----------
    rows : pd.DataFrame
        Table with the column ``dataset``.
    datasets : Iterable[str]
        Names of the data sets.
    holds : Callable[[pd.DataFrame], bool]
        Rows of a data set -> whether the condition holds; None, where they do not say, counts as missing.

    Returns
    -------
    DatasetOutcomes
        The outcomes.
    """
    datasets, groups = list(datasets), dict(list(rows.groupby("dataset", sort=False)))
    answers = {name: holds(groups[name]) for name in datasets if name in groups}
    return sort_datasets(datasets, {name: answer for name, answer in answers.items() if answer is not None})
