"""Measurements on one fold of each data set of a study of queries, beside the protocol of the paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from reproduction.data import load_prepared
from reproduction.data.splits import Splits
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking


def fold_rows(
    files: Iterable[tuple[str, Path, Path, Path]],
    split: int,
    measure: Callable[[PairwiseRanking], Iterable[dict]],
) -> Iterator[dict]:
    """Measure the pairwise l1 problem of a fold's training part, of one data set after the other.

    Parameters
    ----------
    files : iterable of (str, path, path, path)
        A data set: its name, its manifest, its arrays and its splits.
    split : int
        Which split.
    measure : callable
        Takes the problem (with C = 1) and yields rows.

    Yields
    ------
    dict
        A row, with ``dataset`` and ``split``; a single one, with the reason, of a data set that was not
        obtained.
    """
    for dataset, manifest, arrays, splits in files:
        found = json.loads(Path(manifest).read_text(encoding="utf-8"))
        if found["status"] == "not obtained":
            rows = [{"status": "not obtained", "message": found["reason"]}]
        else:
            data = load_prepared(Path(arrays).parent)
            ((_, train, _),) = Splits.load(splits).folds(split)
            rows = measure(PairwiseRanking.of(data.X[train], data.y[train], data.qid[train], 1.0, L1()))
        yield from ({"dataset": dataset, "split": split} | row for row in rows)
