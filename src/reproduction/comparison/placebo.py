"""What the rules of the comparison credit to chance: the same verdicts on permuted published values.

The published values of a table are permuted among the methods of each data set, and whole rows among the data
sets; the search for explanations is repeated in each permutation. A count that permuted values reach as well
says nothing about what was permuted. A number without a partner stands beside itself in every permutation; it
is left out. `compare_with_chance` makes the rows of ``placebo.csv``,
`compare_orders` those of ``method_order.csv``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from reproduction.comparison.measurements import Measurements, PairEffects, judge_pairs
from reproduction.comparison.row_explanations import (
    RowCounts,
    count_explained,
    find_explaining,
    list_joint_options,
    measure_best_combination,
)
from reproduction.comparison.table import METHOD_ORDER_COLUMNS, PLACEBO_COLUMNS, RESULT
from reproduction.core.seeds import derive_seed
from reproduction.statistics.paired_tests import adjust_holm
from reproduction.statistics.permutations import (
    compute_share_at_least,
    draw_permutations,
    measure_chance_level,
    measure_rank_agreement,
)

N_PERMUTATIONS = 2000
"""Permutations of the published values."""

ALL_TABLES = "all"
"""In place of a table or a data set: all of them."""

MIN_METHODS = 3
"""Methods from which an order can come back."""

PERMUTED_METHODS, PERMUTED_DATASETS = "methods", "data sets"
PARTNER_KEYS = {
    PERMUTED_METHODS: ["artefact", "quantity", "dataset"],
    PERMUTED_DATASETS: ["artefact", "quantity", "method"],
}
"""What is permuted -> columns in which the numbers that may be exchanged are equal."""

REPRODUCED_NUMBERS, EXPLAINED_ROWS, BEST_COMBINATION = (
    "numbers reproduced",
    "rows explained",
    "best combination",
)
"""What is counted: numbers that agree or are consistent by default, rows that a combination explains, and
numbers that the single best combination recovers beyond those that it loses."""

STATISTICS = (REPRODUCED_NUMBERS, EXPLAINED_ROWS, BEST_COMBINATION)


def compare_with_chance(measurements: Measurements, study: str, master_seed: int) -> pd.DataFrame:
    """Count what is reproduced and explained beside what permuted published values get.

    Parameters
    ----------
    measurements : Measurements
        Published results with our means.
    study : str
        Name of the study.
    master_seed : int
        Seed from which the permutations are drawn.

    Returns
    -------
    pandas.DataFrame
        The columns of `PLACEBO_COLUMNS`: for each count, each table permuted in both ways, then all of them
        together if there are several. `p_holm` is adjusted over the counts of a table, or of all of them.
    """
    all_places = np.arange(len(measurements.numbers))
    # The observed pairing: published number i beside our number i. What is not obtained or below the margin
    # by default has no verdict that a permutation could change, and is left out.
    effects = judge_pairs(measurements, all_places, all_places)
    measured = measurements.select(effects.reproduced | effects.differs)
    rows = []
    for permuted, count in (
        (PERMUTED_METHODS, _count_permuted_methods),
        (PERMUTED_DATASETS, _count_permuted_datasets),
    ):
        artefacts = list(dict.fromkeys(measured.numbers["artefact"]))
        tables = {
            name: measured.select((measured.numbers["artefact"] == name).to_numpy()) for name in artefacts
        }
        if len(tables) > 1:
            # a data set stands in several tables: its rows in all of them are permuted as one
            tables[ALL_TABLES] = measured
        for artefact, table in tables.items():
            identity = {"study": study, "artefact": artefact, "permuted": permuted}

            # `permuted` is bound as a default argument, since a closure would see the last value of the loop.
            def make_random(*names: str, permuted: str = permuted) -> np.random.Generator:
                """Make the generator of a group of numbers, the same in one table as in all of them."""
                return np.random.default_rng(derive_seed(master_seed, study, permuted, "placebo", *names))

            has_partner = table.numbers.duplicated(PARTNER_KEYS[permuted], keep=False).to_numpy()
            identity["not_permuted"] = np.count_nonzero(~has_partner)
            exchangeable = table.select(has_partner)
            if not has_partner.any():
                levels = [
                    dict.fromkeys(("total", "observed"), 0) | {"statistic": name} for name in STATISTICS
                ]
            else:
                levels = list(_measure_levels(exchangeable, count(exchangeable, make_random)))
            rows += [identity | level for level in levels]
    placebo = pd.DataFrame(rows, columns=list(PLACEBO_COLUMNS)).astype({"p_value": float})
    # a count of nothing is no test
    tested = placebo["p_value"].where(placebo["total"] > 0)
    families = tested.groupby(placebo["artefact"], sort=False)
    return placebo.assign(
        p_holm=families.transform(adjust_holm), combination=placebo["combination"].fillna("none")
    )


def _measure_levels(table: Measurements, counts: RowCounts) -> Iterator[dict]:
    """Yield each count of a table with its chance level."""
    # Options that contradict each other are forbidden within a table, not between tables: rows are counted
    # table by table.
    explained = np.zeros(counts.differs.shape[1], dtype=int)
    for artefact in dict.fromkeys(name for name, _ in counts.rows):
        rows = counts.select(artefact)
        explained += count_explained(find_explaining(rows), list_joint_options(table, rows.rows))
    balances, best = measure_best_combination(counts)
    # Column 0 is the observed order everywhere in the counts; the other columns are the permutations.
    differing_rows = int((counts.differs[:, 0] > 0).sum())
    for statistic, total, counted in (
        (REPRODUCED_NUMBERS, len(table.numbers), counts.reproduced.sum(axis=0)),
        (EXPLAINED_ROWS, differing_rows, explained),
        (BEST_COMBINATION, int(counts.differs[:, 0].sum()), balances),
    ):
        level = measure_chance_level(counted)
        yield {
            "statistic": statistic,
            "total": total,
            "observed": level.observed,
            "chance_mean": level.mean,
            "chance_upper": level.upper,
            "p_value": level.p_value,
            "combination": table.specifications[best]
            if statistic == BEST_COMBINATION and best >= 0
            else "none",
        }


def _list_rows(table: Measurements) -> tuple[list[tuple[str, str]], np.ndarray]:
    """List the rows, a table and a data set each, and the row of every number."""
    keys = list(table.numbers[["artefact", "dataset"]].itertuples(index=False, name=None))
    rows = sorted(set(keys))
    return rows, np.array([rows.index(key) for key in keys], dtype=int)


def _make_counts(rows: list[tuple[str, str]], n_permutations: int, n_specifications: int) -> RowCounts:
    """Make counts of zero; the first permutation is the observed order."""
    shape = (len(rows), 1 + n_permutations)
    # Counts within a row are small, and (r, p, s) is the largest array of the comparison: 16 bits each.
    by_default = (np.zeros(shape, dtype=np.int16) for _ in range(2))
    return RowCounts(rows, *by_default, *(np.zeros((*shape, n_specifications), np.int16) for _ in range(2)))


def _count_permuted_methods(
    table: Measurements, make_random: Callable[..., np.random.Generator]
) -> RowCounts:
    """Count with the published values permuted among the methods of each data set and quantity."""
    rows, row_of_number = _list_rows(table)
    counts = _make_counts(rows, N_PERMUTATIONS, len(table.specifications))
    numbers = table.numbers.reset_index(drop=True)
    for names, group in numbers.groupby(["artefact", "quantity", "dataset"], sort=False):
        # The order of the rows in the file must not decide which permutation is drawn.
        places = group.sort_values("method").index.to_numpy()
        orders = draw_permutations(len(places), N_PERMUTATIONS, make_random(*names))
        # All m² pairs of a group are judged once; a permutation then only looks its m pairs up.
        published, ours = (side.ravel() for side in np.meshgrid(places, places, indexing="ij"))
        effects = judge_pairs(table, published, ours)
        for place in range(len(places)):
            # pair (i, j) of the group has the number i m + j
            _add_effects(counts, row_of_number[places[0]], effects, orders[:, place] * len(places) + place)
    return counts


def _count_permuted_datasets(
    table: Measurements, make_random: Callable[..., np.random.Generator]
) -> RowCounts:
    """Count with whole published rows permuted.

    If the assigned data set has no published value for a method and quantity, the value of a randomly drawn
    data set that has one is used. Otherwise fewer values would be compared than without permutation, and the
    chance level would be too low.
    """
    rows, row_of_number = _list_rows(table)
    counts = _make_counts(rows, N_PERMUTATIONS, len(table.specifications))
    datasets = sorted(set(table.numbers["dataset"]))
    # One permutation of the data sets for all methods and quantities: rows stay whole, so that only the level
    # of each data set is lost, not the relation of the methods within it.
    orders = draw_permutations(len(datasets), N_PERMUTATIONS, make_random())
    keys = list(table.numbers[["artefact", "quantity", "method"]].itertuples(index=False, name=None))
    place_of = {
        (dataset, key): place
        for place, (dataset, key) in enumerate(zip(table.numbers["dataset"], keys, strict=True))
    }
    for ours, (dataset, key) in enumerate(zip(table.numbers["dataset"], keys, strict=True)):
        # the number of each data set that may stand beside ours
        places = np.array([place_of.get((name, key), -1) for name in datasets])
        has_number = places >= 0
        effects = judge_pairs(table, places[has_number], np.full(has_number.sum(), ours))
        partners = orders[:, datasets.index(dataset)]
        numbers = (np.cumsum(has_number) - 1)[partners]
        if not has_number.all():
            draws = make_random(dataset, *key).integers(has_number.sum(), size=partners.size)
            numbers = np.where(has_number[partners], numbers, draws)
        _add_effects(counts, row_of_number[ours], effects, numbers)
    return counts


def _add_effects(counts: RowCounts, row: int, effects: PairEffects, pairs: np.ndarray) -> None:
    """Add the effects of one number of ours, which has the pair `pairs[p]` in permutation p."""
    counts.reproduced[row] += effects.reproduced[pairs]
    counts.differs[row] += effects.differs[pairs]
    counts.recovered[row] += effects.recovered[:, pairs].T
    counts.lost[row] += effects.lost[:, pairs].T


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
        methods are known, there is no row. Where all numbers of one side are equal, there is no tau, and the
        mean is over the other data sets.
    """
    results = rows[(rows["kind"] == RESULT) & rows["ours_mean"].notna()]
    orders = []
    for (artefact, quantity), table in results.groupby(["artefact", "quantity"], sort=False):
        random = np.random.default_rng(derive_seed(master_seed, study, artefact, quantity, "order"))
        identity = {"study": study, "artefact": artefact, "quantity": quantity}
        taus, samples, methods, datasets = [], [], 0, 0
        for dataset, group in table.groupby("dataset", sort=False):
            # With two methods, tau is ±1 and the smallest possible p is 1/2: no order can be significant.
            if len(group) < MIN_METHODS:
                continue
            published, ours = (group[name].to_numpy(float) for name in ("published", "ours_mean"))
            tau, permuted = measure_rank_agreement(published, ours, N_PERMUTATIONS, random)
            share, datasets = compute_share_at_least(tau, permuted), datasets + 1
            counted = {"methods": len(group), "datasets": 1, "datasets_with_tau": int(not math.isnan(tau))}
            orders.append(identity | {"dataset": dataset, **counted, "tau": tau, "p_value": share})
            if not math.isnan(tau):
                taus.append(tau)
                # Of few methods all orders are enumerated, and there are fewer than N_PERMUTATIONS: they are
                # drawn again, so that draw k of each data set can be averaged to draw k of the table's mean
                # tau.
                samples.append(random.choice(permuted, N_PERMUTATIONS))
                methods += len(group)
        if len(taus) > 1:
            mean_tau, permuted_means = float(np.mean(taus)), np.mean(samples, axis=0)
            # The observed order counts as one of the permutations (Phipson and Smyth 2010), so that p is
            # never 0; 1e-9 is for sums of equal taus that differ by rounding.
            share = (1 + np.count_nonzero(permuted_means >= mean_tau - 1e-9)) / (1 + N_PERMUTATIONS)
            counted = {"methods": methods, "datasets": datasets, "datasets_with_tau": len(taus)}
            orders.append(identity | {"dataset": ALL_TABLES, **counted, "tau": mean_tau, "p_value": share})
    return pd.DataFrame(orders, columns=list(METHOD_ORDER_COLUMNS))
