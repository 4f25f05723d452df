"""Random splits that keep groups of rows whole: the compounds of a Bemis–Murcko scaffold are in one part."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

from reproduction.splits.splits import TEST, Splits, derive_split_seeds


def draw_group_splits(
    y: np.ndarray,
    groups: np.ndarray | None,
    splits: int | range,
    test_fraction: float,
    inner_folds: int,
    master_seed: int,
    *purpose: str,
) -> Splits:
    """Draw independent random splits into whole groups, each class shared out as evenly as the groups allow.

    The test part is one of ``1 / test_fraction`` folds of scikit-learn's `StratifiedGroupKFold`, drawn at
    random; the inner folds are made likewise of the other rows.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Positive where above 0.
    groups : ndarray of int of shape (n_rows,), or None
        Group of each row.
    splits : int or range
        How many, or which ones.
    test_fraction : float
        Share of the rows in the test part: 1/2, 1/3, 1/4, ...
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
        The rows have no groups, the share is not one of these, or a part cannot have a positive.
    """
    if groups is None:
        raise ValueError(
            "its rows have no groups that a split could keep whole: leave out group_splits, or take compounds"
        )
    # The test part is one fold of a grouped partition: only unit fractions can be had. 1e-6 lets a fraction
    # such as .333333 in the configuration pass.
    n_outer = round(1.0 / test_fraction)
    if n_outer < 2 or abs(n_outer * test_fraction - 1.0) > 1e-6:
        raise ValueError(
            "the test part of groups is 1/2, 1/3, 1/4, ... of the rows, but test_fraction is "
            f"{test_fraction:g}"
        )
    relevant = np.asarray(y) > 0
    check_positive_count(np.unique(groups[relevant]).size, inner_folds, "groups with a positive")
    splits = range(splits) if isinstance(splits, int) else splits
    seeds = derive_split_seeds(splits, master_seed, purpose, "split")
    inner = np.full((len(splits), relevant.size), TEST, dtype=np.int8)
    for roles, seed in zip(inner, seeds, strict=True):
        random = np.random.default_rng(seed)
        outer = assign_folds(relevant, groups, n_outer, random)
        # Which of the folds is tested is drawn as well: splits are independent, not the folds of one
        # partition.
        train = np.flatnonzero(outer != random.integers(n_outer))
        # Inner folds keep groups whole, too: otherwise the search would see what the test part never offers.
        roles[train] = assign_folds(relevant[train], groups[train], inner_folds, random)
    return Splits(inner, seeds, splits.start)


def assign_folds(
    relevant: np.ndarray, groups: np.ndarray, n_folds: int, random: np.random.Generator
) -> np.ndarray:
    """Assign whole groups to folds that have nearly the same share of each class.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_rows,)
        Which rows are positive.
    groups : ndarray of int of shape (n_rows,)
        Group of each row.
    n_folds : int
        At least 2.
    random : Generator

    Returns
    -------
    ndarray of int8, shape (n_rows,)
        Number of the fold of each row.
    """
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=int(random.integers(2**31)))
    assignment = np.empty(relevant.size, dtype=np.int8)
    for number, (_, rows) in enumerate(folds.split(relevant, relevant, groups)):
        assignment[rows] = number
    return assignment


def check_positive_count(n_positives: int, inner_folds: int, counted: str = "positives") -> None:
    """Check that the test part and each inner fold can have a positive.

    Parameters
    ----------
    n_positives, inner_folds : int
        Positives of the data set, or groups that hold one; folds of the search.
    counted : str, optional
        What was counted, for the sentence.

    Raises
    ------
    ValueError
        There are fewer than parts.
    """
    # Necessary, not sufficient: folds are stratified as far as whole groups allow.
    if n_positives < inner_folds + 1:
        raise ValueError(
            f"it has {n_positives} {counted}, but the test part and each of {inner_folds} inner folds need "
            "one: leave the data set out, or take fewer inner_folds"
        )
