"""Checks of what K15 claims on one split, iteration by iteration: Figures 2 and 3.

Each check returns the facts that the sentence of its claim is filled with, and whether the claim ``holds``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import pandas as pd

from reproduction.comparison.dataset_outcomes import all_hold
from reproduction.papers.kadkhodaie2015.convergence import trace_analysis as convergence
from reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis import ACCELERATED, ADMM, FAMILY, RESTARTED

TOPPUSH = "toppush"
MAX_FEW_HUNDRED = 1000
"""Most iterations that count as "a few hundred": the widest reading of the words."""

MAX_TOP_DIFFERENCE = 0.05
"""Difference of two rates at the top up to which they are similar: the margin of a rate."""

MAX_FEW_THOUSAND = 10_000
"""Most iterations that count as "a few thousands": the widest reading of the words."""


def check_convergence(
    table: pd.DataFrame, methods: Iterable[str], limit: float, more_than: float = 0
) -> dict | None:
    """Check whether the objective of some methods converges within a number of iterations, and not sooner.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.
    methods : iterable of str
    limit : float
        Most iterations that the claim allows.
    more_than : float, default=0
        The claim needs more iterations than this.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``, None if the runs are too short to tell; None in place of
        the facts where a method is missing.
    """
    convergence_facts = convergence.find_convergence(table)
    if not set(methods) <= set(convergence_facts):
        return None
    facts, answers = [convergence_facts[method] for method in methods], []
    for fact in facts:
        if "iteration" in fact:
            answers.append(bool(more_than < fact["iteration"] <= limit))
        else:  # a run that ended before the limit says nothing
            answers.append(False if fact["last"] >= limit else None)
    return {
        "holds": all_hold(answers),
        "tolerance": convergence.CONVERGENCE_TOL,
        "methods": facts,
        "limit": limit,
    }


def check_last_change(table: pd.DataFrame, method: str, holds: Callable[[float, float], bool]) -> dict | None:
    """Check a condition on the last iteration at which Pos@Top on the test part changes.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.
    method : str
    holds : callable
        (iteration of the last change, last iteration) -> whether the claim holds.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None for runs shorter than `MAX_FEW_THOUSAND`, which
        cannot tell what is final. None in place of the facts where the method is missing.
    """
    changes, last = convergence.find_last_changes(table), table["iteration"].max()
    if method not in changes:
        return None
    facts = changes[method] | {"last": last, "dataset": table["dataset"].iloc[0]}
    return facts | {"holds": bool(holds(facts["last_change"], last)) if last >= MAX_FEW_THOUSAND else None}


def check_residual_decay(table: pd.DataFrame) -> dict | None:
    """Check whether both accelerated variants meet the residual tolerance in fewer iterations than ADMM.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: None if no variant meets the tolerance. None in place of
        the facts where a method of the family is missing.
    """
    stops = convergence.find_residual_stops(table)
    if not set(FAMILY) <= set(stops):
        return None
    admm_stop, *accelerated_stops = (stops[method]["stop"] or math.inf for method in FAMILY)
    holds = max(accelerated_stops) < admm_stop if min(admm_stop, *accelerated_stops) < math.inf else None
    methods = [stops[method] for method in FAMILY]
    return {"holds": holds, "methods": methods, "dataset": table["dataset"].iloc[0]}


def check_roc_order(table: pd.DataFrame) -> dict | None:
    """Check whether the methods come in the paper's order at the left end of the ROC curves.

    The order of section 5.3: A2DM2 with restart, then TopPush and A2DM2 in either order, then ADMM.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where a method is missing.
    """
    curves = convergence.summarise_roc_curves(table, "published stop")
    if not {TOPPUSH, *FAMILY} <= set(curves):
        return None
    tops = {method: curve["top"] for method, curve in curves.items()}
    middle = (tops[TOPPUSH], tops[ACCELERATED])
    holds = tops[RESTARTED] >= max(middle) and min(middle) >= tops[ADMM]
    methods = [curves[method] for method in (RESTARTED, TOPPUSH, ACCELERATED, ADMM)]
    return {"holds": bool(holds), "methods": methods, "dataset": table["dataset"].iloc[0]}


def check_similar_tops(table: pd.DataFrame, *, is_relative: bool = False) -> dict | None:
    """Check whether all methods rank a similar share of the positives above all negatives.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.
    is_relative : bool
        Whether the largest share may be at most twice the smallest; else they differ by at most .05.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where a method is missing.
    """
    facts = check_roc_order(table)
    if facts is None:
        return None
    tops = [curve["top"] for curve in facts["methods"]]
    holds = max(tops) <= 2 * min(tops) if is_relative else max(tops) - min(tops) <= MAX_TOP_DIFFERENCE
    return facts | {"holds": bool(holds)}
