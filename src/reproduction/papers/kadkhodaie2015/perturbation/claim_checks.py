"""Checks of what K15 claims of λ₁ and λ₂, which A2DM2 adds to the objective.

Each check takes the rows of one λ and one value of λ₁ = λ₂ and returns the facts that the sentence of its
claim is filled with, and whether the claim ``holds``.
"""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.claims import DEFAULT
from reproduction.comparison.tolerances import MARGINS
from reproduction.core.results import STATUS_NOT_OBTAINED
from reproduction.papers.kadkhodaie2015.perturbation.experiment import ACCELERATED, TOPPUSH
from reproduction.papers.kadkhodaie2015.trends.claim_checks import MAX_TOP_DIFFERENCE

PUBLISHED_VALUE, FIGURE_ALPHA = 0.01, 10.0
"""λ₁ = λ₂ of the paper, and its λ of Figures 2 and 3."""

MAX_LOWER_SHARE = MARGINS["pos_at_top"].value
"""Share of TopPush's Pos@Top by which a number that is not worse may be lower: the margin of Pos@Top."""

MAX_SLIGHT_EXCESS, MAX_LARGER_EXCESS = 0.01, 0.1
"""Relative excesses of the objective that count as slight in two readings (declared)."""


def group_by_value(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Group the rows by λ and the value of λ₁ = λ₂; TopPush, which has none, stands beside each value.

    Parameters
    ----------
    table : DataFrame
        Rows of perturbation.csv.

    Returns
    -------
    dict of str to DataFrame
        How the setting differs from λ = 10 and λ₁ = λ₂ = .01, or `DEFAULT` -> the rows.
    """
    obtained, groups = table[table["status"] != STATUS_NOT_OBTAINED], {}
    for alpha, rows in obtained.groupby("alpha", sort=False):
        for value in rows["value"].dropna().unique():
            changes = [f"lambda={alpha:g}"] if alpha != FIGURE_ALPHA else []
            changes += [f"lambda_1={value:g}"] if value != PUBLISHED_VALUE else []
            # TopPush does not depend on the added terms: the same fit stands beside each value.
            selected = rows[(rows["value"] == value) | rows["value"].isna()]
            groups["; ".join(changes) or DEFAULT] = selected
    return groups


def _average_cases(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average a column over the splits: a row a data set and feature scaling, a column a method."""
    return rows.pivot_table(index=["dataset", "feature_scaling"], columns="method", values=column, sort=False)


def check_slight_change(rows: pd.DataFrame, max_excess: float = MAX_SLIGHT_EXCESS) -> dict | None:
    """Check whether objective (11) at the optimum of (13) is little above its own optimum.

    Parameters
    ----------
    rows : DataFrame
        Rows of one setting.
    max_excess : float
        Largest relative excess, on the mean of the splits of each data set and scaling.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where nothing was measured.
    """
    excesses = _average_cases(rows, "excess")
    if ACCELERATED not in excesses:
        return None
    cases = [
        {"case": " ".join(case[::-1]), "excess": excess} for case, excess in excesses[ACCELERATED].items()
    ]
    return {"holds": bool((excesses[ACCELERATED] <= max_excess).all()), "cases": cases}


def check_harmless(
    rows: pd.DataFrame, column: str = "rate_at_top", *, is_relative: bool = True
) -> dict | None:
    """Check whether A2DM2 ranks as many positives above all negatives as TopPush does.

    Parameters
    ----------
    rows : DataFrame
        Rows of one setting.
    column : {"rate_at_top", "optimal_rate_at_top"}
        Whether the methods are compared after their published stops, or (13) with (11) at the optima.
    is_relative : bool
        Whether the mean rate may be lower by the share `MAX_LOWER_SHARE`; else by `MAX_TOP_DIFFERENCE`.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``: on each data set and scaling; None where a method lacks.
    """
    rates = _average_cases(rows, column)
    if not {TOPPUSH, ACCELERATED} <= set(rates):
        return None
    cases = [
        {"case": " ".join(case[::-1]), "ours": row[ACCELERATED], "theirs": row[TOPPUSH]}
        for case, row in rates.iterrows()
    ]
    # Two readings of "not worse" (section 3.3): within a tenth of TopPush's rate, or within .05 of it.
    margins = MAX_LOWER_SHARE * rates[TOPPUSH] if is_relative else MAX_TOP_DIFFERENCE
    is_lower = rates[ACCELERATED] < rates[TOPPUSH] - margins
    return {"holds": not is_lower.any(), "cases": cases}
