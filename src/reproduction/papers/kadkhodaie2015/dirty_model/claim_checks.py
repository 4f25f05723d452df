"""Checks of what K15 claims on its dirty model: rates, the order of the methods in Figure 1, and cost.

Each check returns the facts that the sentence of its claim is filled with, and whether the claim ``holds``.
"""

from __future__ import annotations

import math

import pandas as pd

from reproduction.comparison.claims import DEFAULT
from reproduction.papers.kadkhodaie2015.dirty_model import trace_analysis as dirty_model
from reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis import (
    ACCELERATED,
    FAMILY,
    MIN_COMPARED_ITERATION,
    MIN_RELATIVE_GAP,
)
from reproduction.statistics.paired_tests import log_log_slope

EXPONENT_MARGIN = 0.1
"""How far a fitted exponent may miss the claimed one; declared before the runs."""

EPSILONS = tuple(10.0**-k for k in range(1, 7))
"""Accuracies ε of the cost claim: relative dual gaps, over F*, to which iterations are counted."""


def group_by_setting(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Group the traces by the values of their settings.

    Where a setting was varied on some of the draws only, its table holds those draws alone.

    Parameters
    ----------
    table : DataFrame
        Traces of the dirty model, with the columns ``dirty_model.experiment.TRACE_COLUMNS``.

    Returns
    -------
    dict of str to DataFrame
        Changes from the declared settings, such as "eta=0.8; tau_share=0.1", or `DEFAULT` -> the traces.
        Their ``kind`` is set to "declared", so that every check reads them as those of the declared settings.
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
    """Fit the power of 1/k with which the primal residual of A2DM2 decreases (section 2 claims 2).

    Parameters
    ----------
    table : DataFrame
        Traces of the dirty model.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where the traces do not suffice for a fit.
    """
    rows = dirty_model.select_declared(table, *FAMILY)
    if rows is None:
        return None
    accelerated = rows[
        (rows["method"] == ACCELERATED)
        & (rows["iteration"] >= MIN_COMPARED_ITERATION)
        # Residuals at the level of rounding no longer decrease, and would flatten the slope.
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
    # O(1/k²) is an upper bound: a faster decrease fulfils it too.
    return facts | {"holds": facts["power"] >= 2 - EXPONENT_MARGIN}


def check_lowest_in_panels(table: pd.DataFrame, method: str, *rivals: str) -> dict | None:
    """Check whether a method ends below its rivals in all three panels of Figure 1.

    Parameters
    ----------
    table : DataFrame
        Traces of the dirty model.
    method : str
        The method that is claimed to be best.
    *rivals : str
        The methods it is compared with.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where a method of the family is missing.
    """
    facts = dirty_model.collect_panel_facts(table)
    if facts is None:
        return None
    # a method that diverged before the last iteration counts as infinite
    last = dirty_model.compute_last_medians(table).reindex(columns=list(FAMILY)).fillna(math.inf)
    return facts | {"holds": bool((last[method] < last[[*rivals]].min(axis=1)).all())}


def check_cost(scale: pd.DataFrame, traces: pd.DataFrame) -> dict | None:
    """Fit the exponents of the complexity O(d(m + n)/√ε) that section 3.4 claims for A2DM2.

    Parameters
    ----------
    scale : DataFrame
        Costs at growing sizes: rows of ``scale.costs.add_extrapolation``.
    traces : DataFrame
        Traces of the dirty model.

    Returns
    -------
    dict or None
        The exponents of the ``rows`` (of seconds an iteration) and of 1/ε, ``accuracy`` (of iterations), and
        whether the claim ``holds``; None with fewer than two sizes or accuracies.
    """
    sizes = scale[(scale["kind"] == "measured") & (scale["solver"] == ACCELERATED)]
    sizes = sizes.dropna(subset="seconds_per_iteration")  # none where the time was too short for an iteration
    rows = dirty_model.select_declared(traces, *FAMILY)
    if sizes["rows"].nunique() < 2 or rows is None:
        return None
    accelerated = rows[rows["method"] == ACCELERATED]
    iterations = {epsilon: _median_iterations(accelerated, epsilon) for epsilon in EPSILONS}
    reached = {epsilon: n for epsilon, n in iterations.items() if n < math.inf}
    if len(reached) < 2:
        return None
    # seconds an iteration grow as rows^p, claimed p = 1; iterations as (1/ε)^q, claimed q = 1/2
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
    """Return the median over the draws of the first iteration whose dual gap is at most ε F*.

    A draw that never comes so near counts as infinite, and so does the median where most draws do.
    """
    is_near = traces["dual_gap"] <= epsilon * traces["optimal_objective"]
    first = traces[is_near].groupby("seed")["iteration"].min()
    return float(first.reindex(traces["seed"].unique()).fillna(math.inf).median())
