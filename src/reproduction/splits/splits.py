"""Splits of a data set: random ones, whose seeds depend only on their purpose; LETOR's: `letor_folds`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from reproduction.core.atomic_io import atomic_write, wrap_read_errors
from reproduction.core.seeds import derive_seed

# added to the inner fold of a row of the training part that the search leaves out: only a refit uses it
UNSEARCHED = 64
# roles of a row that is in no inner fold
FIT_ONLY = 127  # part of the training part, never held out
TEST = -1
OTHER_SAMPLE = -2  # a row of another split's sample


@dataclass(frozen=True)
class Splits:
    """Train/test splits of one data set and the inner folds of each training part.

    Parameters
    ----------
    inner : ndarray of int8 of shape (n_splits, n_rows)
        The inner fold of each row of the training part, plus `UNSEARCHED` for one that the search leaves
        out, `FIT_ONLY` for one that is never held out; `TEST` for a row of the test part, `OTHER_SAMPLE` for
        a row that belongs to another split.
    seeds : ndarray of int64 of shape (n_splits,)
    first : int, default=0
        Number of the first of them: a split batch is kept in a file of its own.
    """

    inner: np.ndarray
    seeds: np.ndarray
    first: int = 0

    def __iter__(self) -> Iterator[int]:
        """Go through the numbers of the splits."""
        return iter(range(self.first, self.first + self.seeds.size))

    def _roles_of(self, split: int) -> np.ndarray:
        """Return the role of each row in one split."""
        if not self.first <= split < self.first + self.seeds.size:
            raise IndexError(f"there is no split {split} among those from {self.first} on: {self.seeds.size}")
        return self.inner[split - self.first]

    def train(self, split: int) -> np.ndarray:
        """Return the mask of the training part.

        Parameters
        ----------
        split : int
            Number of the split.

        Returns
        -------
        ndarray of bool, shape (n_rows,)

        Raises
        ------
        IndexError
            There is no such split.
        """
        return self._roles_of(split) >= 0

    def test(self, split: int) -> np.ndarray:
        """Return the mask of the test part.

        Parameters
        ----------
        split : int
            Number of the split.

        Returns
        -------
        ndarray of bool, shape (n_rows,)

        Raises
        ------
        IndexError
            There is no such split.
        """
        return self._roles_of(split) == TEST

    def folds(self, split: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Go through the inner folds of one split, without the rows that the search leaves out.

        Parameters
        ----------
        split : int
            Number of the split.

        Yields
        ------
        fold : int
        train : ndarray of bool, shape (n_rows,)
            Mask of the training rows of the fold; rows that are never held out belong to each.
        held_out : ndarray of bool, shape (n_rows,)
            Mask of its held-out rows.
        """
        assignment = self._roles_of(split)
        # Codes of a row: −2 another sample, −1 test, 0 to 63 inner fold, 64 to 126 inner fold plus
        # `UNSEARCHED`, 127 never held out. They fit one signed byte: a split of epsilon's 500 000 rows takes
        # half a megabyte.
        has_fold = (assignment >= 0) & (assignment < UNSEARCHED)
        searched = has_fold | (assignment == FIT_ONLY)
        for fold in np.unique(assignment[has_fold]).tolist():
            yield fold, searched & (assignment != fold), assignment == fold

    def restrict_search(self, y: np.ndarray, share: float, master_seed: int, *purpose: str) -> Splits:
        """Let the search of each split see a share of the training rows, of each class alike.

        Parameters
        ----------
        y : ndarray, shape (n_rows,)
            Positive where above 0.
        share : float
            Share of the training rows of each class, strictly between 0 and 1.
        master_seed : int
        *purpose : str
            Names of study and data set, which enter the seed.

        Returns
        -------
        Splits
            The same training and test parts and the same inner fold of each row; `folds` goes through the
            drawn rows alone.

        Raises
        ------
        ValueError
            The share is not between 0 and 1.
        """
        if not 0.0 < share < 1.0:
            raise ValueError(f"the share of the rows that a search sees must be between 0 and 1; got {share}")
        relevant, inner = np.asarray(y) > 0, self.inner.copy()
        seeds = derive_split_seeds(self, master_seed, purpose, "search")
        for roles, seed in zip(inner, seeds, strict=True):
            random = np.random.default_rng(seed)
            for label in (True, False):
                rows = np.flatnonzero((roles >= 0) & (roles < UNSEARCHED) & (relevant == label))
                # The inner fold is kept under the mark, so that `restore_search` gives it back: a search on
                # all rows has the same folds as the one on a part.
                roles[random.permutation(rows)[round(share * rows.size) :]] += UNSEARCHED
        return replace(self, inner=inner)

    def restore_search(self) -> Splits:
        """Return these splits with a search that sees all training rows.

        Returns
        -------
        Splits
        """
        unsearched = (self.inner >= UNSEARCHED) & (self.inner < FIT_ONLY)
        return replace(self, inner=np.where(unsearched, self.inner - UNSEARCHED, self.inner))

    def save(self, path: str | Path) -> None:
        """Write the splits to an .npz file.

        Parameters
        ----------
        path : str or Path
        """
        with atomic_write(path) as unfinished:
            np.savez_compressed(unfinished, inner=self.inner, seeds=self.seeds, first=self.first)

    @classmethod
    def load(cls, path: str | Path) -> Splits:
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Splits

        Raises
        ------
        CorruptFileError
            The file is damaged; the message names it.
        """
        with wrap_read_errors(path), np.load(path) as stored:
            return cls(stored["inner"], stored["seeds"], int(stored["first"]))

    @classmethod
    def create_empty(cls) -> Splits:
        """Return the splits of a data set that was not obtained.

        Returns
        -------
        Splits
        """
        return cls(np.empty((0, 0), dtype=np.int8), np.empty(0, dtype=np.int64))


def _as_range(splits: int | range) -> range:
    """Return the numbers of the splits, from 0 if only their count is given."""
    return splits if isinstance(splits, range) else range(splits)


def derive_split_seeds(splits: Iterable[int], master_seed: int, purpose: tuple, use: str) -> np.ndarray:
    """Derive the seed of each split, which does not depend on how many there are.

    Parameters
    ----------
    splits : iterable of int
        Numbers of the splits.
    master_seed : int
    purpose : tuple of str
        Names of study and data set.
    use : str
        What the seed is for.

    Returns
    -------
    ndarray of int64, shape (n_splits,)
    """
    return np.array([derive_seed(master_seed, *purpose, split, use) for split in splits], dtype=np.int64)


def draw_random_splits(
    n_rows: int, splits: int | range, test_fraction: float, inner_folds: int, master_seed: int, *purpose: str
) -> Splits:
    """Draw independent random splits, each with a random partition of its training part.

    Parameters
    ----------
    n_rows : int
    splits : int or range
        How many, or which ones.
    test_fraction : float
        Share of the rows in the test part, strictly between 0 and 1.
    inner_folds : int
        At least 2.
    master_seed : int
    *purpose : str
        Names of study and data set, which enter the seed.

    Returns
    -------
    Splits

    Raises
    ------
    ValueError
        A part would be empty.
    """
    n_test = round(n_rows * test_fraction)
    if n_test < 1 or n_rows - n_test < inner_folds or inner_folds < 2:
        raise ValueError(
            f"{n_rows} rows cannot be split into a test part of {test_fraction:.3g} and {inner_folds} "
            "non-empty inner folds; use more rows"
        )
    splits = _as_range(splits)
    seeds = derive_split_seeds(splits, master_seed, purpose, "split")
    inner = np.full((len(splits), n_rows), TEST, dtype=np.int8)
    for roles, seed in zip(inner, seeds, strict=True):
        # Not stratified: K15 (Table 1) speaks of "ten random splits of training-test sets" and no more.
        training = np.random.default_rng(seed).permutation(n_rows)[n_test:]
        # the rows are in random order: inner folds by turns differ by at most one row
        roles[training] = np.arange(training.size) % inner_folds
    return Splits(inner, seeds, splits.start)


def draw_hold_out_splits(
    y: np.ndarray,
    n_train: int,
    splits: int | range,
    validation_fraction: float,
    master_seed: int,
    *purpose: str,
) -> Splits:
    """Draw independent stratified splits, each with one part of its training part to validate on (R12).

    Parameters
    ----------
    y : ndarray, shape (n_rows,)
        Positive where above 0.
    n_train : int
        Rows of the training part; the others are the test part.
    splits : int or range
        How many, or which ones.
    validation_fraction : float
        Share of each class of the training part that is held out to choose parameters.
    master_seed : int
    *purpose : str
        Names of study and data set, which enter the seed.

    Returns
    -------
    Splits
        Fold 0 validates.

    Raises
    ------
    ValueError
        A part would lack a class.
    """
    relevant = np.asarray(y) > 0
    # the training part has the class ratio of the whole set
    n_positives = round(n_train * np.count_nonzero(relevant) / relevant.size)
    splits = _as_range(splits)
    seeds = derive_split_seeds(splits, master_seed, purpose, "split")
    inner = np.full((len(splits), relevant.size), TEST, dtype=np.int8)
    for roles, seed in zip(inner, seeds, strict=True):
        random = np.random.default_rng(seed)
        for label, size in ((True, n_positives), (False, n_train - n_positives)):
            rows = random.permutation(np.flatnonzero(relevant == label))
            # a row each to fit on, to validate on and to test on
            if not 2 <= size < rows.size:
                raise ValueError(
                    f"{n_train} training rows of {relevant.size} hold {size} of {rows.size} "
                    f"{'positive' if label else 'negative'} rows, but training, validation and test part "
                    "need one each; choose another size"
                )
            roles[rows[:size]] = draw_held_out_rows(size, validation_fraction, random)
    return Splits(inner, seeds, splits.start)


def draw_held_out_rows(n_rows: int, fraction: float, random: np.random.Generator) -> np.ndarray:
    """Assign the rows of one class of a training part: 0 validates, `FIT_ONLY` is fitted on.

    Parameters
    ----------
    n_rows : int
        At least 2; each part gets one.
    fraction : float
        Share that validates.
    random : Generator

    Returns
    -------
    ndarray of int8, shape (n_rows,)
    """
    assignment = np.full(n_rows, FIT_ONLY, dtype=np.int8)
    # At least one row on either side, however few positives there are.
    n_held_out = min(max(1, round(n_rows * fraction)), n_rows - 1)
    assignment[random.permutation(n_rows)[:n_held_out]] = 0
    return assignment
