"""How what L14 claims is judged: sparsity ratios, MAP and NDCG@10 of one universe, and a rate."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from reproduction.comparison.claims import DatasetOutcomes, all_hold, evaluate_by_dataset
from reproduction.core.results import MEAN_DATASET
from reproduction.papers.laporte2014.significance import LEVEL, METHODS
from reproduction.specs.labels import method_label
from reproduction.statistics.paired_tests import corrected_t, log_log_slope

CONVEX = ("fenchelrank", "l1_ranksvm", "fsmrank")
SPARSEST = ("log_ranksvm", "lp_ranksvm")
MEASURES = ("map", "ndcg10")
TEST_TO_TRAIN = 1 / 3
"""Queries of the test part over queries of the training part of a fold of LETOR: 1 and 3 parts of 5."""

HALF = (0.4, 0.6)
"""What counts as half (declared: within a fifth)."""

SIX, TWELVE = 5.5, 11.5
"""What rounds to the factors of the text."""

MAP_ALIKE = ("ohsumed", "mq2008", "np2004", "td2003")
NDCG_ALIKE = ("ohsumed", "mq2008", "np2004", "td2004", "hp2003", "np2003", "td2003")
"""Data sets on which the text finds all methods equivalent."""


def worse(rows: pd.DataFrame, measure: str) -> dict[str, dict] | None:
    """Test each method of one data set against the best, by the corrected resampled t test on the folds.

    Returns: method -> p (one-sided, that it is worse; 1 for the best) and decrease in per cent. None where a
    method of the paper has no number.
    """
    wide = rows.pivot_table(index="split", columns="method", values=measure)
    if not set(METHODS) <= set(wide) or wide[list(METHODS)].notna().sum().min() < 2:
        return None
    wide = wide[list(METHODS)]
    best = wide[wide.mean().idxmax()]
    found = {}
    for method in METHODS:
        test = corrected_t(wide[method], best, TEST_TO_TRAIN)
        p = test.p_value / 2 if test.mean < 0 else 1.0
        found[method] = {"p": p, "decrease": -100 * test.mean / best.mean()}
    return found


def printed_sets(printed: pd.DataFrame) -> list[str]:
    """Name the nine data sets."""
    of_table = printed.loc[printed["artefact"] == "table4", "dataset"]
    return [name for name in dict.fromkeys(of_table) if name != MEAN_DATASET]


def ratios(rows: pd.DataFrame) -> pd.Series | None:
    """Average the sparsity ratio of each method on one data set; None where a method has none."""
    means = rows.groupby("method")["sparsity_ratio"].mean().reindex(METHODS)
    return None if means.isna().any() else means


def half_as_many(readings: pd.DataFrame, printed: pd.DataFrame) -> dict:
    """Compare the mean ratio of the two sparsest penalties with the mean of the convex ones."""
    wanted = printed_sets(printed)
    means = readings.groupby(["dataset", "method"])["sparsity_ratio"].mean().unstack()
    means = means.reindex(index=wanted, columns=METHODS).dropna()
    missing = [name for name in wanted if name not in means.index]
    facts = {"missing": missing, "of": len(wanted), "low": HALF[0], "high": HALF[1], "share": None}
    if means.empty:
        return facts | {"holds": None}
    share = means[list(SPARSEST)].to_numpy().mean() / means[list(CONVEX)].to_numpy().mean()
    # a mean over nine sets is not known from some of them
    return facts | {"share": share, "holds": None if missing else bool(HALF[0] <= share <= HALF[1])}


def fewer(readings: pd.DataFrame, wanted: Iterable[str], factor: float, *, free: bool):
    """Find where a penalty that is not convex uses so many times fewer features than some convex method.

    `readings`: of one universe. `wanted`: data sets. `free`: whether the penalty must not be significantly
    worse than the best method, in MAP and in NDCG@10.
    """
    largest: list[dict] = []

    def is_fewer(rows: pd.DataFrame) -> bool | None:
        means, tests = ratios(rows), [worse(rows, measure) for measure in MEASURES]
        if means is None or (free and None in tests):
            return None
        as_good = [m for m in SPARSEST if not (free and any(test[m]["p"] < LEVEL for test in tests))]
        factors = means[list(CONVEX)].max() / means[as_good][means[as_good] > 0]
        about = {"dataset": rows["dataset"].iloc[0]}
        largest.extend(about | {"method": method_label(m), "factor": at} for m, at in factors.items())
        return bool((factors >= factor).any())

    sets = evaluate_by_dataset(readings, wanted, is_fewer)
    most = max(largest, key=lambda one: one["factor"], default=None)
    return {"sets": sets, "holds": sets.holds_on_any, "most": most}


def alike(readings: pd.DataFrame, wanted: Iterable[str], measure: str, methods=METHODS) -> DatasetOutcomes:
    """Ask on which data sets none of some methods is significantly worse than the best one."""

    def none_is_worse(rows: pd.DataFrame) -> bool | None:
        tests = worse(rows, measure)
        return None if tests is None else all(tests[method]["p"] >= LEVEL for method in methods)

    return evaluate_by_dataset(readings, wanted, none_is_worse)


def alike_on(names: Iterable[str] | None, measure: str, methods=METHODS):
    """Make the judge of a claim that some methods equal the best on data sets, by default the nine."""

    def judge(readings: pd.DataFrame, printed: pd.DataFrame | None = None) -> dict:
        sets = alike(readings, names or printed_sets(printed), measure, methods)
        return {"sets": sets, "holds": sets.holds_on_all}

    return judge


def alike_on_seven(*methods: str):
    """Make the judge of a claim that each of some methods is best or equivalent on seven sets, in MAP."""

    def judge(readings: pd.DataFrame, printed: pd.DataFrame) -> dict:
        wanted = printed_sets(printed)
        found = [alike(readings, wanted, "map", (method,)) for method in methods]
        each = [
            {"method": method_label(method), "yes": len(sets.yes), "no": ", ".join(sets.no) or "no set"}
            for method, sets in zip(methods, found, strict=True)
        ]
        holds = all_hold(sets.holds_on_at_least(7) for sets in found)
        return {"holds": holds, "each": each, "missing": found[0].missing, "of": len(wanted)}

    return judge


def decreases(dataset: str, method: str):
    """Make the judge of a claim that a method loses significantly on a data set, in both measures."""

    def judge(readings: pd.DataFrame) -> dict | None:
        rows = readings[readings["dataset"] == dataset]
        tests = {measure: worse(rows, measure) for measure in MEASURES}
        if None in tests.values():
            return None
        of_method = {measure: test[method] for measure, test in tests.items()}
        return {"holds": all(one["p"] < LEVEL for one in of_method.values()), "dataset": dataset, **of_method}

    return judge


def best_on(dataset: str, method: str):
    """Make the judge of a claim that a method has the highest MAP and NDCG@10 on a data set."""

    def judge(readings: pd.DataFrame) -> dict | None:
        rows = readings[readings["dataset"] == dataset]
        means = rows[rows["method"].isin(METHODS)].groupby("method")[list(MEASURES)].mean().dropna()
        if set(means.index) != set(METHODS):
            return None
        best = means.idxmax()
        top = {m: {"best": method_label(best[m]), "value": means[m].max()} for m in MEASURES}
        own = {f"own_{m}": means.loc[method, m] for m in MEASURES}
        return {"holds": bool((best == method).all()), "dataset": dataset, **top, **own}

    return judge


def sparsest(readings: pd.DataFrame, printed: pd.DataFrame) -> dict:
    """Ask on which data sets the log or the ℓp penalty has the smallest sparsity ratio."""

    def is_sparsest(rows: pd.DataFrame) -> bool | None:
        means = ratios(rows)
        return None if means is None else means.idxmin() in SPARSEST

    sets = evaluate_by_dataset(readings, printed_sets(printed), is_sparsest)
    return {"sets": sets, "holds": sets.holds_on_most}


def rates(d: int = 1000, least: int = 3, most: int = 60) -> dict:
    """Measure how the excess of FenchelRank falls with its steps where it must be slow.

    The p-th of d pairs is the p-th unit vector, and the radius of the ball is 1. A step of FenchelRank adds
    at most one feature: after k steps the sum of the squared hinges is at least d − 2 + 1/k, and at the
    optimum it is d − 2 + 1/d.
    """
    w, excess = np.zeros(d), []
    for _ in range(most):
        gradient = -2 * (1 - w)  # no hinge comes to rest within the ball
        step = -w
        step[np.argmax(np.abs(gradient))] += 1.0
        w = w + min(-(gradient @ step) / (2 * step @ step), 1.0) * step
        excess.append(np.sum((1 - w) ** 2) - (d - 2 + 1 / d))
    power = -log_log_slope(range(least, most + 1), excess[least - 1 :])
    return {"holds": power >= 1.5, "d": d, "power": power, "least": least, "most": most}
