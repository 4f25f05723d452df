"""Which combination of choices explains a row: the numbers of a data set in one published table.

A combination explains a row if it recovers two of the numbers that differ, or all of them, and loses none
that was reproduced (`find_explaining`). Two rows of a table must not need different options of one choice:
`list_joint_options` lists what can hold at once, and `choose_joint_options` takes what explains most rows.
All of this is counted for many permutations of the published values at a time, the observed ones first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from reproduction.comparison.measurements import Measurements
from reproduction.specs.multiverse import changed_options

MIN_RECOVERED = 2
"""Numbers of a row that a combination must recover, unless fewer differ."""


@dataclass(frozen=True)
class RowCounts:
    """Counts of r rows under p permutations and s specifications.

    Attributes
    ----------
    rows : list of tuple of (str, str)
        Artefact and data set of each row.
    reproduced, differs : ndarray of int of shape (r, p)
        Numbers that are reproduced by default, and that differ.
    recovered, lost : ndarray of int of shape (r, p, s)
        Numbers that a specification recovers, and that it loses.
    """

    rows: list[tuple[str, str]]
    reproduced: np.ndarray
    differs: np.ndarray
    recovered: np.ndarray
    lost: np.ndarray

    def select(self, artefact: str) -> RowCounts:
        """Select the rows of a table.

        Parameters
        ----------
        artefact : str
            Name of the table.

        Returns
        -------
        RowCounts
            Its rows.
        """
        places = [place for place, (name, _) in enumerate(self.rows) if name == artefact]
        counts = (self.reproduced, self.differs, self.recovered, self.lost)
        return RowCounts([self.rows[place] for place in places], *(count[places] for count in counts))


def find_explaining(counts: RowCounts) -> np.ndarray:
    """Find the specifications that explain each row.

    Parameters
    ----------
    counts : RowCounts
        Counts of the rows.

    Returns
    -------
    ndarray of bool of shape (r, p, s)
        Whether a specification explains a row.
    """
    # min(2, what differs), but never 0: a row without a difference would be "explained" by anything.
    required = np.clip(counts.differs, 1, MIN_RECOVERED)[..., None]
    return (counts.recovered >= required) & (counts.lost == 0)


def list_joint_options(measurements: Measurements, rows: Sequence[tuple[str, str]]) -> np.ndarray:
    """List the specifications that can hold at once, in each row.

    One option is taken of each choice. A row in which this option was not tried may take any of its own, such
    as the positive class of a data set that has no class of this name.

    Parameters
    ----------
    measurements : Measurements
        Numbers with the specifications.
    rows : sequence of tuple of (str, str)
        Artefact and data set of each of r rows of one table.

    Returns
    -------
    ndarray of bool of shape (a, r, s)
        For each of a ways to take options, whether a row may use a specification.
    """
    # Options that any specification takes, for each choice: their product below is the list of what a whole
    # table can hold at once. Only the options that were run enter, which keeps the product small.
    changes = [changed_options(name) for name in measurements.specifications]
    options: dict[str, list[str]] = {}
    for change in changes:
        for choice, option in change.items():
            if option not in options.setdefault(choice, []):
                options[choice].append(option)
    keys = list(measurements.numbers[["artefact", "dataset"]].itertuples(index=False, name=None))
    # (r, s): whether specification s gave a number for the row at all.
    is_tried = np.zeros((len(rows), len(changes)), dtype=bool)
    for place, row in enumerate(rows):
        of_row = [number for number, key in enumerate(keys) if key == row]
        is_tried[place] = (~np.isnan(measurements.option.mean[:, of_row])).any(axis=1)
    has_option = {  # single changes and pairs alike
        (choice, option): is_tried[:, [change.get(choice) == option for change in changes]].any(axis=1)
        for choice, names in options.items()
        for option in names
    }
    joint = []
    # Each product takes one option of every choice. A specification contradicts it if it takes another option
    # of a choice that the row could have had as well; where the row was never run with the taken option, e.g.
    # a feature scaling that exists for some data sets only, there is no contradiction.
    for names in product(*options.values()):
        taken_options = dict(zip(options, names, strict=True))
        allowed = np.ones((len(rows), len(changes)), dtype=bool)
        for number, change in enumerate(changes):
            for choice, option in change.items():
                if option != taken_options[choice]:
                    allowed[:, number] &= ~has_option[choice, taken_options[choice]]
        joint.append(allowed)
    return np.array(joint)


def count_explained(explains: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """Count the rows that are explained, without contradictions among them.

    Parameters
    ----------
    explains : ndarray of bool of shape (r, p, s)
        See `find_explaining`.
    joint : ndarray of bool of shape (a, r, s)
        See `list_joint_options`.

    Returns
    -------
    ndarray of int of shape (p,)
        The largest number of rows that one way to take options explains.
    """
    counts = np.zeros((len(joint), explains.shape[1]), dtype=int)
    for row in range(len(explains)):
        # (a, s) @ (s, p): how many allowed specifications explain the row, for each joint option and
        # permutation. In float32, since NumPy multiplies integers and booleans without BLAS.
        counts += joint[:, row].astype(np.float32) @ explains[row].T.astype(np.float32) > 0
    return counts.max(axis=0, initial=0)


def choose_joint_options(counts: RowCounts, joint: np.ndarray) -> tuple[list[int], list[int]]:
    """Choose the specification that explains each row of a table, for the observed values.

    Parameters
    ----------
    counts : RowCounts
        Counts of the rows; the first permutation is the observed order.
    joint : ndarray of bool of shape (a, r, s)
        See `list_joint_options`.

    Returns
    -------
    chosen : list of int
        For each row the specification; −1 where none explains it. Of several ways to take options that
        explains most rows, and then recovers most numbers; of the specifications of a row that which
        recovers most, the first in their order if several do.
    alone : list of int
        For each row the specification that would explain it if there were no other rows, or −1.
    """
    explains, recovered = find_explaining(counts)[:, 0], counts.recovered[:, 0]
    scores = np.where(explains, recovered, 0)  # (r, s); of equal ones argmax takes the first
    alone = [int(row.argmax()) if row.any() else -1 for row in scores]
    if not len(joint):
        return alone, alone
    allowed_scores = np.where(joint, scores, 0).max(axis=2, initial=0)  # (a, r)
    # Most rows explained first, among these most numbers recovered: lexsort sorts by its last key first.
    best = np.lexsort((-allowed_scores.sum(axis=1), -(allowed_scores > 0).sum(axis=1)))[0]
    chosen = [int(row.argmax()) if row.any() else -1 for row in np.where(joint[best], scores, 0)]
    return chosen, alone


def measure_best_combination(counts: RowCounts) -> tuple[np.ndarray, int]:
    """Find the single specification that recovers most numbers of a table beyond those that it loses.

    Parameters
    ----------
    counts : RowCounts
        Counts of the rows.

    Returns
    -------
    balances : ndarray of int of shape (p,)
        Recovered minus lost numbers of the best specification of each permutation; 0 if none is better than
        the default.
    best : int
        The best specification of the observed values; −1 if none is better than the default.
    """
    # One specification for the whole table, whatever it loses elsewhere. The search for the best one is
    # repeated in every permutation, so that many specifications pay for themselves.
    balance = (counts.recovered - counts.lost).sum(axis=0)  # (p, s)
    balances = balance.max(axis=1, initial=0)
    return balances, int(balance[0].argmax()) if balances[0] > 0 else -1
