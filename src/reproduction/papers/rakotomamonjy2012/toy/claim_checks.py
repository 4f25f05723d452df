"""Judges of R12's claims on the retrieval of the relevant features of the toy problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reproduction.comparison.claims import DEFAULT
from reproduction.papers.rakotomamonjy2012.toy.tables import DEFAULT_TIES
from reproduction.specs.labels import method_label

if TYPE_CHECKING:
    import pandas as pd

L1_PUSH, L2_PUSH, RANKSVM, RFE_PUSH = (
    "l1_infinite_push",
    "l2_infinite_push",
    "l1_ranksvm",
    "rfe_infinite_push",
)
RETRIEVAL_RIVALS = (L1_PUSH, RANKSVM, L2_PUSH)
PRECISION_RIVALS = (RFE_PUSH, RANKSVM, L2_PUSH)
NEAR_F_MEASURE = 0.05
"""How far a very good F-measure may lie below the highest: the margin of a rate."""


def judge_retrieval(
    table: pd.DataFrame, metric: str, best: str, rivals: tuple[str, ...], tol: float | None = None
) -> dict | None:
    """Compare how well methods retrieve the relevant features, at each number of noise features.

    With a tolerance the method need only be so near to the best one, at most numbers of noise features.

    Parameters
    ----------
    table : DataFrame
        Rows of the toy problem's retrieval.
    metric : str
    best : str
    rivals : tuple of str
        Methods.
    tol : float, optional

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    wide = table.pivot_table(index="noise", columns="method", values=f"{metric}_mean")
    rivals = [rival for rival in rivals if rival in wide]
    if best not in wide or not rivals:
        return None
    # strictly above the best rival at each number of noise features
    is_higher = wide[best] > wide[rivals].max(axis=1)
    means = [
        {"noise": noise, "methods": [{"method": method_label(m), "value": row[m]} for m in (best, *rivals)]}
        for noise, row in wide.iterrows()
    ]
    holds = bool(is_higher.all())
    if tol is not None:
        # "performs very good with respects to the F-measure" (section 4.1) is not "highest": near it in most
        # cases.
        holds = bool((wide[best] >= wide[rivals].max(axis=1) - tol).mean() > 0.5)
    return {"holds": holds, "higher": int(is_higher.sum()), "of": len(wide), "means": means}


def group_by_ties(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Group what is retrieved by the rule for tied candidates; that of the study is `DEFAULT`.

    Parameters
    ----------
    table : DataFrame
        Rows of the toy problem's retrieval.

    Returns
    -------
    dict
        Specification -> its rows.
    """
    return {
        DEFAULT if rule == DEFAULT_TIES else f"ties={rule}": rows
        for rule, rows in table.groupby("ties", sort=False)
    }
