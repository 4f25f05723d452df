"""Random splits with seeds that depend on what they are for, and on nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def derive_seed(master, *purpose) -> int:
    """Seed of one consumer, a function of the master seed and of what it is for.

    Parameters
    ----------
    master : int
    *purpose : str or int
        For instance study, data set, split, and a word for the use. Neither the order of the jobs nor the
        number of cores enters.

    Returns
    -------
    int
        Below 2**63.
    """
    text = "/".join(str(part) for part in (master, *purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Splits:
    """Train/test splits of one data set and the inner folds of each training part.

    Parameters
    ----------
    inner : ndarray of int8 of shape (n_splits, n_rows)
        The inner fold of each row of the training part, −1 for a row of the test part.
    seeds : ndarray of int64 of shape (n_splits,)
    """

    inner: np.ndarray
    seeds: np.ndarray

    def train(self, split):
        """Mask of the training part."""
        return self.inner[split] >= 0

    def folds(self, split):
        """Yield (fold, mask of its training rows, mask of its held-out rows)."""
        assignment = self.inner[split]
        for fold in range(assignment.max() + 1):
            yield fold, (assignment >= 0) & (assignment != fold), assignment == fold

    def save(self, path):
        """Write both arrays to an .npz file."""
        np.savez_compressed(path, inner=self.inner, seeds=self.seeds)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(stored["inner"], stored["seeds"])


def random_splits(n_rows, n_splits, test_fraction, inner_folds, master_seed, *purpose) -> Splits:
    """Draw independent random splits, each with a random partition of its training part.

    Parameters
    ----------
    n_rows, n_splits : int
    test_fraction : float
        Share of the rows in the test part, strictly between 0 and 1.
    inner_folds : int
        At least 2.
    master_seed : int
    *purpose : str or int
        Names of study and data set, which enter the seed.

    Returns
    -------
    Splits

    Raises
    ------
    ValueError
        If a part would be empty.
    """
    n_test = round(n_rows * test_fraction)
    if n_test < 1 or n_rows - n_test < inner_folds or inner_folds < 2:
        raise ValueError(
            f"{n_rows} rows cannot be split into a test part of {test_fraction:.3g} and {inner_folds} "
            "non-empty inner folds; use more rows"
        )
    seeds = np.array(
        [derive_seed(master_seed, *purpose, split, "split") for split in range(n_splits)], dtype=np.int64
    )
    inner = np.full((n_splits, n_rows), -1, dtype=np.int8)
    for split, seed in enumerate(seeds):
        training = np.random.default_rng(seed).permutation(n_rows)[n_test:]
        inner[split, training] = np.arange(training.size) % inner_folds
    return Splits(inner, seeds)
