"""How what K15 claims is judged: by the tables of its blocks, and by times and Pos@Top of one universe."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import pandas as pd
from scipy.stats import spearmanr

from reproduction.comparison.claims import DEFAULT, DatasetOutcomes, all_hold, sort_datasets
from reproduction.papers.kadkhodaie2015.convergence import trace_analysis as convergence
from reproduction.papers.kadkhodaie2015.dirty_model import trace_analysis as dirty_model
from reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis import (
    ACCELERATED,
    ADMM,
    FAMILY,
    MIN_COMPARED_ITERATION,
    MIN_RELATIVE_GAP,
    RESTARTED,
)
from reproduction.specs.labels import method_label
from reproduction.specs.published_values import pivot_by_method
from reproduction.statistics.paired_tests import log_log_slope

TOPPUSH = "toppush"
MAX_FEW_HUNDRED = 1000
"""What still counts as "a few hundred" iterations."""

MAX_FEW_THOUSAND = 10_000
"""What still counts as "a few thousands" of iterations."""

MIN_ORDER_FACTOR, MIN_TWO_ORDERS_FACTOR = 10**0.5, 10**1.5
"""What rounds to one and to two orders of magnitude. The text compares times by orders: by
its own numbers A2DM2 is so slower on diabetes and a9a alone, and faster on spambase."""

DOUBLE_RANGE = (1.5, 2.5)
"""What counts as around twice."""

EXPONENT_MARGIN = 0.1
"""How far a measured power may lie above the one that is claimed (declared)."""

EPSILONS = tuple(10.0**-k for k in range(1, 7))
"""Dual gaps over F* to which iterations are counted."""

SIGNIFICANCE_LEVEL = 0.05


# The dirty model.


def group_by_setting(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split the traces by their settings: the declared ones, and each change from them.

    Where a setting was varied on some of the draws only, its rows are those.
    """
    first = dirty_model.select_declared(table).head(1)
    settings = list(dirty_model.SETTING_SYMBOLS)
    tables = {}
    for values, rows in table.groupby(settings, sort=False):
        changes = [
            f"{name}={value:g}"
            for name, value in zip(settings, values, strict=True)
            if not (first[name] == value).any()
        ]
        tables["; ".join(changes) or DEFAULT] = rows.assign(kind="declared")
    return tables


def check_residual_rate(table: pd.DataFrame) -> dict | None:
    """Fit the power of 1/k with which the primal residual of A2DM2 falls."""
    rows = dirty_model.select_declared(table, *FAMILY)
    if rows is None:
        return None
    accelerated = rows[
        (rows["method"] == ACCELERATED)
        & (rows["iteration"] >= MIN_COMPARED_ITERATION)
        & (rows["primal_residual"] > MIN_RELATIVE_GAP)
    ]
    if accelerated["iteration"].nunique() < 2:
        return None
    exponents = dirty_model.fit_exponents(accelerated, "primal_residual")
    facts = {"power": -exponents["slope"], "least": -exponents["most"], "most": -exponents["least"]}
    facts |= {
        "start": MIN_COMPARED_ITERATION,
        "end": accelerated["iteration"].max(),
        "draws": exponents["draws"],
    }
    return facts | {"holds": facts["power"] >= 2 - EXPONENT_MARGIN}


def check_lowest_in_panels(table: pd.DataFrame, method: str, *rivals: str) -> dict | None:
    """Ask whether a method ends below some others in all three panels."""
    facts = dirty_model.collect_panel_facts(table)
    if facts is None:
        return None
    # infinite for a method that diverged before
    last = dirty_model.compute_last_medians(table).reindex(columns=list(FAMILY)).fillna(math.inf)
    return facts | {"holds": bool((last[method] < last[[*rivals]].min(axis=1)).all())}


def check_cost(scale: pd.DataFrame, traces: pd.DataFrame) -> dict | None:
    """Fit the power of the rows in the cost of an iteration, and of 1/ε in the number of iterations."""
    sizes = scale[(scale["kind"] == "measured") & (scale["solver"] == ACCELERATED)]
    rows = dirty_model.select_declared(traces, *FAMILY)
    if sizes["rows"].nunique() < 2 or rows is None:
        return None
    accelerated = rows[rows["method"] == ACCELERATED]
    iterations = {epsilon: _median_iterations(accelerated, epsilon) for epsilon in EPSILONS}
    reached = {epsilon: n for epsilon, n in iterations.items() if n < math.inf}
    if len(reached) < 2:
        return None
    rows_exponent = log_log_slope(sizes["rows"], sizes["seconds_per_iteration"])
    accuracy_exponent = log_log_slope([1 / epsilon for epsilon in reached], list(reached.values()))
    facts = {
        "rows": rows_exponent,
        "accuracy": accuracy_exponent,
        "loose": max(reached),
        "tight": min(reached),
    }
    return facts | {
        "holds": rows_exponent <= 1 + EXPONENT_MARGIN and accuracy_exponent <= 0.5 + EXPONENT_MARGIN
    }


def _median_iterations(traces: pd.DataFrame, epsilon: float) -> float:
    """Median over the draws of the first iteration with so small a gap; infinite where most have none."""
    is_near = traces["dual_gap"] <= epsilon * traces["optimal_objective"]
    first = traces[is_near].groupby("seed")["iteration"].min()
    return float(first.reindex(traces["seed"].unique()).fillna(math.inf).median())


# One split, iteration by iteration.


def check_convergence(
    table: pd.DataFrame, methods: Iterable[str], limit: float, more_than: float = 0
) -> dict | None:
    """Ask whether the objective of some methods settles within a number of iterations, and not sooner."""
    convergence_facts = convergence.find_convergence(table)
    if not set(methods) <= set(convergence_facts):
        return None
    facts, answers = [convergence_facts[method] for method in methods], []
    for fact in facts:
        if "iteration" in fact:
            answers.append(bool(more_than < fact["iteration"] <= limit))
        else:  # a run that ended before the limit says nothing
            answers.append(False if fact["last"] >= limit else None)
    return {"holds": all_hold(answers), "near": convergence.CONVERGENCE_TOL, "methods": facts, "limit": limit}


def check_last_change(table: pd.DataFrame, method: str, holds: Callable[[float, float], bool]) -> dict | None:
    """Ask something of the last change of Pos@Top; only a long run tells what is final."""
    changes, last = convergence.find_last_changes(table), table["iteration"].max()
    if method not in changes:
        return None
    facts = changes[method] | {"last": last, "dataset": table["dataset"].iloc[0]}
    return facts | {"holds": bool(holds(facts["at"], last)) if last >= MAX_FEW_THOUSAND else None}


def check_residual_decay(table: pd.DataFrame) -> dict | None:
    """Ask whether the residuals of both accelerated variants are small before ADMM's are."""
    stops = convergence.find_residual_stops(table)
    if not set(FAMILY) <= set(stops):
        return None
    admm_stop, *accelerated_stops = (stops[method]["stop"] or math.inf for method in FAMILY)
    holds = max(accelerated_stops) < admm_stop if min(admm_stop, *accelerated_stops) < math.inf else None
    methods = [stops[method] for method in FAMILY]
    return {"holds": holds, "methods": methods, "dataset": table["dataset"].iloc[0]}


def check_roc_order(table: pd.DataFrame) -> dict | None:
    """Ask whether the methods come in the printed order at the left end of the ROC curves."""
    curves = convergence.summarise_roc_curves(table, "published stop")
    if not {TOPPUSH, *FAMILY} <= set(curves):
        return None
    tops = {method: curve["top"] for method, curve in curves.items()}
    middle = (tops[TOPPUSH], tops[ACCELERATED])
    holds = tops[RESTARTED] >= max(middle) and min(middle) >= tops[ADMM]
    methods = [curves[method] for method in (RESTARTED, TOPPUSH, ACCELERATED, ADMM)]
    return {"holds": bool(holds), "methods": methods, "dataset": table["dataset"].iloc[0]}


# Table 1.


def check_training_time(outcomes: pd.DataFrame, printed: pd.DataFrame) -> dict:
    """Ask on which data sets A2DM2 is not slower than TopPush by an order of magnitude."""
    names = _list_datasets(printed)
    factors = _time_factors(outcomes, names, ACCELERATED, TOPPUSH)
    dataset_outcomes = sort_datasets(
        names, {name: factor < MIN_ORDER_FACTOR for name, factor in factors.items()}
    )
    return {
        "holds": dataset_outcomes.holds_on_most,
        "sets": dataset_outcomes,
        "factors": _list_factors(factors),
    }


def check_spambase_time(outcomes: pd.DataFrame) -> dict | None:
    """Ask whether TopPush takes an order of magnitude longer than A2DM2 on spambase."""
    factors = _time_factors(outcomes, ["spambase"], TOPPUSH, ACCELERATED)
    return (
        {"holds": factors["spambase"] >= MIN_ORDER_FACTOR, "factor": factors["spambase"]} if factors else None
    )


def check_slower_but_better(outcomes: pd.DataFrame, printed: pd.DataFrame) -> dict:
    """Ask whether A2DM2 ranks better at the top where it is an order of magnitude slower."""
    names = _list_datasets(printed)
    factors = _time_factors(outcomes, names, ACCELERATED, TOPPUSH)
    slower = [name for name in names if factors.get(name, MIN_ORDER_FACTOR) >= MIN_ORDER_FACTOR]
    dataset_outcomes, tops = _compare_pos_at_top(outcomes, slower)
    return {
        "holds": dataset_outcomes.holds_on_all if slower else None,
        "sets": dataset_outcomes,
        "tops": tops,
    }


def check_pos_at_top(outcomes: pd.DataFrame, printed: pd.DataFrame) -> dict:
    """Ask on which data sets A2DM2 has a higher mean Pos@Top than TopPush."""
    dataset_outcomes, tops = _compare_pos_at_top(outcomes, _list_datasets(printed))
    return {"holds": dataset_outcomes.holds_on_most, "sets": dataset_outcomes, "tops": tops}


def check_cod_rna(outcomes: pd.DataFrame) -> dict | None:
    """Compare A2DM2 with ADMM on cod-rna, in Pos@Top and in time."""
    top = _mean_pos_at_top(outcomes, "cod-rna", ADMM)
    factor = _time_factors(outcomes, ["cod-rna"], ADMM, ACCELERATED).get("cod-rna")
    if factor is None or top is None:
        return None
    is_double = DOUBLE_RANGE[0] * top["theirs"] <= top["ours"] <= DOUBLE_RANGE[1] * top["theirs"]
    return top | {
        "factor": factor,
        "holds": bool(is_double and factor >= MIN_TWO_ORDERS_FACTOR and top["ours"] > 0),
    }


def check_gain_with_size(outcomes: pd.DataFrame, printed: pd.DataFrame) -> dict | None:
    """Correlate the size of the data sets with the factor by which A2DM2 is faster than ADMM."""
    table = pivot_by_method(printed, "table1")
    counts = table[table["method"] == ADMM].set_index("dataset")
    sizes = counts["positives_count"] + counts["negatives_count"]
    factors = _time_factors(outcomes, sizes.index, ADMM, ACCELERATED)
    if len(factors) < 3:
        return None
    correlation = spearmanr(sizes[list(factors)], list(factors.values()), alternative="greater")
    facts = {
        "correlation": float(correlation.statistic),
        "p": float(correlation.pvalue),
        "factors": _list_factors(factors),
    }
    # a correlation over some of the sets may be another one over all of them
    has_all_sizes = len(factors) == len(sizes)
    return facts | {"holds": bool(correlation.pvalue < SIGNIFICANCE_LEVEL) if has_all_sizes else None}


def _list_datasets(printed: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(pivot_by_method(printed, "table1")["dataset"]))


def _compare_pos_at_top(outcomes: pd.DataFrame, names: list[str]) -> tuple[DatasetOutcomes, list[dict]]:
    """Ask on which data sets A2DM2 has a higher mean Pos@Top than TopPush, and list the means."""
    tops = {name: top for name in names if (top := _mean_pos_at_top(outcomes, name, TOPPUSH))}
    dataset_outcomes = sort_datasets(names, {name: top["ours"] > top["theirs"] for name, top in tops.items()})
    return dataset_outcomes, [
        {"dataset": name, "rival": method_label(TOPPUSH)} | top for name, top in tops.items()
    ]


def _time_factors(outcomes: pd.DataFrame, names: Iterable[str], slow: str, fast: str) -> dict[str, float]:
    """Mean training time of one method over the mean of another, on the data sets where both are known."""
    means = outcomes.pivot_table(index="dataset", columns="method", values="seconds")
    means_of_both = means.reindex(index=names, columns=[slow, fast]).dropna().query(f"{fast} > 0")
    return (means_of_both[slow] / means_of_both[fast]).to_dict()


def _mean_pos_at_top(outcomes: pd.DataFrame, dataset: str, rival: str) -> dict | None:
    """Mean Pos@Top of A2DM2 and of a rival, with the standard errors over the splits."""
    pos_at_top = outcomes[outcomes["dataset"] == dataset].groupby("method")["pos_at_top"]
    statistics = pos_at_top.agg(["mean", "sem"]).reindex([ACCELERATED, rival])
    if statistics["mean"].isna().any():
        return None
    return dict(zip(("ours", "error", "theirs", "their_error"), statistics.to_numpy().flat, strict=True))


def _list_factors(factors: dict[str, float]) -> list[dict]:
    return [{"dataset": name, "factor": factor} for name, factor in factors.items()]
