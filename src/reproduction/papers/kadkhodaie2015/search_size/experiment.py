"""TopPush on one split, its regularisation searched on a part of the training rows and on all of them.

`run_experiment` is called by the rule ``run_experiment``; its rows are the table ``search_size``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from reproduction.splits.splits import Splits

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData

COLUMNS = (
    *("dataset", "feature_scaling", "split", "method", "search", "searched_rows", "training_rows", "params"),
    *("search_fits", "search_seconds", "seconds", "n_iter", "status", "message"),
    *("positives_at_top", "rate_at_top", "positives_at_top_train"),
)
"""`search`: whether the search saw a "part" of the training rows or "all"; `search_seconds`: training time of
all its fits; `seconds` and the columns behind it: the final fit to all training rows."""

OPTIONS = {
    "toppush": {"solver": "dual", "solver__stop": "published", "tol": 1e-4, "max_iter": 10_000},
    "exact": {"solver": "exact", "tol": 1e-8},
}
"""Options of the published TopPush and of the certified solver, as in their rules."""


def run_experiment(
    settings: Mapping, *, splits: Iterable[SplitData], **_: object
) -> Iterator[tuple[str, dict]]:
    """Choose the regularisation of a method in both ways, and fit it to all training rows.

    Parameters
    ----------
    settings : mapping
        The key ``search_size`` of the study, with its ``alphas``.
    splits : iterable of SplitData
        The one split.

    Yields
    ------
    table : {"search_size"}
    row : dict
        With keys among `COLUMNS`. Without a part that was drawn, there is the row of the whole search alone.
    """
    from reproduction.fitting.cross_validation import CrossValidation
    from reproduction.fitting.fit_rows import warm_up
    from reproduction.fitting.method import Method

    identity = {name: settings[name] for name in ("dataset", "feature_scaling", "split", "method")}
    (split_data,) = splits
    if split_data.missing_data:
        yield "search_size", identity | split_data.missing_data
        return
    prepared, scaling, split = split_data.data, settings["feature_scaling"], settings["split"]
    method = Method("toprank.TopPush", OPTIONS[settings["method"]], {"alpha": settings["alphas"]})
    warm_up(method, prepared.X, scaling)
    sampled_splits = Splits.load(split_data.splits)
    full_splits = sampled_splits.restore_search()
    searches = {"all": full_splits}
    # Without a declared share, both searches are the same: it is run once.
    if not np.array_equal(sampled_splits.inner, full_splits.inner):
        searches = {"part": sampled_splits, "all": full_splits}
    for name, searched in searches.items():
        rows = CrossValidation(method, prepared.X, prepared.y, searched, scaling).run_split(split)
        # Training and held-out rows of one inner fold are together all rows that the search sees.
        (_, train, held_out), *_ = searched.folds(split)
        identity |= {
            "search": name,
            "searched_rows": int(np.count_nonzero(train | held_out)),
            "training_rows": int(np.count_nonzero(searched.train(split))),
        }
        yield "search_size", identity | _summarise_rows(rows)


def _summarise_rows(rows: list[dict]) -> dict:
    """Return the cost of a search and the columns of the fit that it chooses."""
    search = [row for row in rows if row["role"] == "search"]
    (chosen,) = (row for row in rows if row["role"] == "chosen")
    cost = {
        "search_fits": len(search),
        "search_seconds": sum(row.get("seconds", 0.0) for row in search),
    }
    return cost | {name: chosen.get(name) for name in COLUMNS if name in chosen}
