"""The pairwise ℓ₁ problem of one fold of each data set, for the experiments beside the fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reproduction.splits.split_data import SplitData
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking


def measure_problems(
    table: str, splits: Iterable[SplitData], measure_problem: Callable[[PairwiseRanking], Iterable[dict]]
) -> Iterator[tuple[str, dict]]:
    """Measure the problem of the training part of each fold, with C = 1 and the ℓ₁ norm.

    Parameters
    ----------
    table : str
        Table of the experiment.
    splits : iterable of SplitData
        Folds to measure.
    measure_problem : callable
        Problem -> rows.

    Yields
    ------
    (str, dict)
        `table`, and a row with data set and split; of a data set that was not obtained the row has status and
        message.
    """
    for split_data in splits:
        identity = {"dataset": split_data.dataset, "split": split_data.split}
        rows = [split_data.missing_data]
        if not split_data.missing_data:
            rows = measure_problem(PairwiseRanking.from_data(*split_data.train_queries(), 1.0, L1()))
        yield from ((table, identity | row) for row in rows)
