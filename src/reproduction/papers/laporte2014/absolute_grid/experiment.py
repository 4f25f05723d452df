"""RankSVM with the penalties of L14 on an absolute grid of C, by the protocol of the study's own search.

The study's grid is relative: shares of the C at which the first weight leaves 0, which depends on the data.
The paper (Section V-C) may as well have taken the same values of C on all data sets and folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData

PENALTIES: Mapping[str, Mapping[str, Any]] = {
    "l1_ranksvm": {"penalty": "l1"},
    "mcp_ranksvm": {"penalty": "mcp", "penalty__gamma": 2.0},
    "log_ranksvm": {"penalty": "log"},
    "lp_ranksvm": {"penalty": "lp", "penalty__p": 0.5},
}
"""Method with a C -> its penalty, as in the rule of the method; ε of the log penalty is in the grid."""

COLUMNS = (
    *("split", "role", "params", "status", "seconds", "n_variables", "sparsity_ratio"),
    *("validation_map", "validation_ndcg10", "map", "ndcg10"),
)


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], **_: Any
) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``absolute_grid`` on all folds of a data set.

    Parameters
    ----------
    settings : mapping
        ``values`` of C, ``epsilons`` of the log penalty, and ``feature_scaling``.
    part : str
        Data set.
    splits : iterable of SplitData
        Folds to fit.

    Yields
    ------
    (str, dict)
        "fits", and a row a method, fold, ε and C, with the columns `COLUMNS`; none of a data set that was not
        obtained.
    """
    from reproduction.fitting.fit_rows import warm_up
    from reproduction.fitting.method import Method
    from reproduction.fitting.validation_fold import make_split_runner
    from reproduction.splits.splits import Splits

    for split_data in splits:
        if split_data.missing_data:
            return
        prepared, folds = split_data.data, Splits.load(split_data.splits)
        for name, penalty in PENALTIES.items():
            grid = {"penalty__epsilon": settings["epsilons"]} if penalty["penalty"] == "log" else {}
            fixed = {"solver": "prox-newton", "warm_start": True, **penalty}
            method = Method("toprank.RankSVM", fixed, grid | {"C": settings["values"]})
            warm_up(method, prepared.X, settings["feature_scaling"], has_queries=True)
            rows = make_split_runner(method, prepared, folds, settings["feature_scaling"])(split_data.split)
            # The multiverse chooses anew among the candidates: the choice of this search is not needed.
            for row in (row for row in rows if row["role"] == "search"):
                yield "fits", {"dataset": part, "method": name} | {key: row.get(key) for key in COLUMNS}
