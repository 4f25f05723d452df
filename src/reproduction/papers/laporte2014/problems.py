"""The pairwise l1 problem of one fold of each data set, for what is measured beside the fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reproduction.splits.split_data import SplitData
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking


def measured(
    block: str, folds: Iterable[SplitData], measure: Callable[[PairwiseRanking], Iterable[dict]]
) -> Iterator[tuple[str, dict]]:
    """Measure the problem of the training part of each fold, with C = 1.

    Yields pairs of `block` and a row with data set and split; of a data set that was not obtained it has
    status and message.
    """
    for fold in folds:
        identity = {"dataset": fold.dataset, "split": fold.split}
        rows = [fold.missing_data]
        if not fold.missing_data:
            rows = measure(PairwiseRanking.from_data(*fold.train_queries(), 1.0, L1()))
        yield from ((block, identity | row) for row in rows)
