"""What the rules of the comparison credit to chance: the same verdicts on permuted published values.

The published values of a table are permuted among the methods of each data set, and whole rows among the data
sets. A count of reproduced numbers that permuted values reach as well says nothing about the methods.
`compare_with_chance` makes the rows of ``placebo.csv``, `compare_orders` those of ``method_order.csv``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from reproduction.comparison.table import METHOD_ORDER_COLUMNS, PLACEBO_COLUMNS, RESULT
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    RECOVERED,
    REPRODUCED,
    Mean,
    judge_result,
)
from reproduction.core.seeds import derive_seed
from reproduction.statistics.permutations import (
    ChanceLevel,
    compute_share_at_least,
    measure_chance_level,
    measure_rank_agreement,
)

N_PERMUTATIONS = 2000
"""Permutations of the published values."""

ALL_TABLES = "all"
"""In place of a table or a data set: all of them."""

MIN_METHODS = 3
"""Methods from which an order can come back."""

_MEASURED_VERDICTS = (AGREES, CONSISTENT, RECOVERED, DIFFERS)
_COLUMNS = ["published", "published_std", "margin", "ours_mean", "ours_std", "splits"]


def compare_with_chance(
    rows: pd.DataFrame, study: str, published_splits: int, master_seed: int
) -> pd.DataFrame:
    """Count the reproduced numbers of each table beside those of permuted published values.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the comparison of one study.
    study : str
        Name of the study.
    published_splits : int
        Number of random splits of a published mean; 0 where the folds are fixed.
    master_seed : int
        Seed from which the permutations are drawn.

    Returns
    -------
    pandas.DataFrame
        The columns of `PLACEBO_COLUMNS`: each table permuted in both ways, then all of them together.
    """
    measured = rows[(rows["kind"] == RESULT) & rows["verdict"].isin(_MEASURED_VERDICTS)]
    tables = dict(list(measured.groupby("artefact", sort=False)))
    if len(tables) > 1:
        # a data set stands in several tables: its rows in all of them are permuted as one
        tables[ALL_TABLES] = measured
    groups = {
        "methods": lambda table: _match_methods(table, published_splits),
        "data sets": lambda table: _match_datasets(table, published_splits),
    }
    placebo = []
    for permuted, make_groups in groups.items():
        for artefact, table in tables.items():
            random = np.random.default_rng(derive_seed(master_seed, study, artefact, permuted, "placebo"))
            level = measure_chance_level(list(make_groups(table)), N_PERMUTATIONS, random)
            placebo.append(_format_placebo(study, artefact, permuted, len(table), level))
    return pd.DataFrame(placebo, columns=list(PLACEBO_COLUMNS))


def _format_placebo(study: str, artefact: str, permuted: str, numbers: int, level: ChanceLevel) -> dict:
    """Make a row of the table of placebos."""
    return {
        "study": study,
        "artefact": artefact,
        "permuted": permuted,
        "numbers": numbers,
        "reproduced": level.observed,
        "chance_mean": level.mean,
        "chance_upper": level.upper,
        "p_value": level.p_value,
    }


def _is_reproduced(published: pd.Series, ours: pd.Series, published_splits: int) -> bool:
    """Judge our number beside a published one, which may be that of another method or data set."""
    judgement = judge_result(
        Mean(published["published"], published["published_std"], published_splits),
        Mean(ours["ours_mean"], ours["ours_std"], ours["splits"]),
        published["margin"],
        published_splits > 0,
    )
    return judgement.verdict in REPRODUCED


def _match_methods(table: pd.DataFrame, published_splits: int) -> Iterator[np.ndarray]:
    """Yield for each data set and quantity which published number each of our numbers reproduces."""
    for _, group in table.groupby(["artefact", "quantity", "dataset"], sort=False):
        numbers = [number for _, number in group[_COLUMNS].iterrows()]
        yield np.array(
            [[_is_reproduced(first, second, published_splits) for second in numbers] for first in numbers],
            dtype=float,
        )


def _match_datasets(table: pd.DataFrame, published_splits: int) -> Iterator[np.ndarray]:
    """Yield how many numbers of each data set the published row of each other one reproduces."""
    rows_of = {
        dataset: {(row["artefact"], row["quantity"], row["method"]): row for _, row in rows.iterrows()}
        for dataset, rows in table.groupby("dataset", sort=False)
    }
    yield np.array(
        [
            [
                sum(
                    _is_reproduced(published[key], ours[key], published_splits)
                    for key in ours
                    if key in published
                )
                for ours in rows_of.values()
            ]
            for published in rows_of.values()
        ],
        dtype=float,
    )


def compare_orders(rows: pd.DataFrame, study: str, master_seed: int) -> pd.DataFrame:
    """Compare the published order of the methods with ours, for each quantity and data set of a table.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the comparison of one study.
    study : str
        Name of the study.
    master_seed : int
        Seed from which permutations are drawn, where they are too many to enumerate.

    Returns
    -------
    pandas.DataFrame
        The columns of `METHOD_ORDER_COLUMNS`; without a data set of which both orders of at least three
        methods are known, there is no row.
    """
    results = rows[(rows["kind"] == RESULT) & rows["ours_mean"].notna()]
    orders = []
    for (artefact, quantity), table in results.groupby(["artefact", "quantity"], sort=False):
        random = np.random.default_rng(derive_seed(master_seed, study, artefact, quantity, "order"))
        identity = {"study": study, "artefact": artefact, "quantity": quantity}
        taus, samples, methods = [], [], 0
        for dataset, group in table.groupby("dataset", sort=False):
            if len(group) < MIN_METHODS:
                continue
            published, ours = (group[name].to_numpy(float) for name in ("published", "ours_mean"))
            tau, permuted = measure_rank_agreement(published, ours, N_PERMUTATIONS, random)
            share = compute_share_at_least(tau, permuted)
            orders.append(
                identity | {"dataset": dataset, "methods": len(group), "tau": tau, "p_value": share}
            )
            if not math.isnan(tau):
                taus.append(tau)
                samples.append(random.choice(permuted, N_PERMUTATIONS))
                methods += len(group)
        if len(taus) > 1:
            mean_tau, permuted_means = float(np.mean(taus)), np.mean(samples, axis=0)
            share = (1 + np.count_nonzero(permuted_means >= mean_tau - 1e-9)) / (1 + N_PERMUTATIONS)
            orders.append(
                identity | {"dataset": ALL_TABLES, "methods": methods, "tau": mean_tau, "p_value": share}
            )
    return pd.DataFrame(orders, columns=list(METHOD_ORDER_COLUMNS))
