"""The pairwise l1 problem of one fold of each data set, for what is measured beside the fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reproduction.fold import Fold
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking


def problems(folds: Iterable[Fold]) -> Iterator[tuple[dict, PairwiseRanking | dict]]:
    """State the problem of the training part of each fold.

    Yields `identity`: data set and split; `problem`: with C = 1; status and message of a data set that was
    not obtained.
    """
    for fold in folds:
        identity = {"dataset": fold.dataset, "split": fold.split}
        if fold.missing:
            yield identity, fold.missing
        else:
            yield identity, PairwiseRanking.of(*fold.train_queries(), 1.0, L1())
