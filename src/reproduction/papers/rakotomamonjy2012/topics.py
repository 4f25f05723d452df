"""Finding on R12: what the printed numbers of variables of RankSVM are those of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.report.findings.finding import Finding, joined, of_protocol, power, rows
from reproduction.report.studies import StudyReport
from reproduction.results import parameter

RIVAL, PUSH = "l1_ranksvm", "l1_infinite_push"
NEAR = 0.1
"""Distance, as a share of the printed number, within which two numbers of variables are alike."""


def variables_topic(studies: Sequence[StudyReport]) -> Finding | None:
    """Ask whether the printed numbers of variables of RankSVM are those of a hardly regularised model."""
    for study in of_protocol(studies, "infinite_push"):
        table = study.tables["table1"]
        known = table[(table["method"] == RIVAL) & table["printed_variables_mean"].notna()]
        known = known[known["variables_mean"].notna() & known["limit_variables"].notna()]
        if known.empty:
            continue
        printed = known["printed_variables_mean"]
        at_limit = (known["limit_variables"] - printed).abs() <= NEAR * printed
        as_chosen = (known["variables_mean"] - printed).abs() <= NEAR * printed
        if at_limit.sum() <= as_chosen.sum() or at_limit.mean() < 0.5:
            continue
        named = [
            f"{row.dataset} {row.printed_variables_mean:.3g} (chosen {row.variables_mean:.3g}, limit "
            f"{row.limit_variables:.3g})"
            for row in known[at_limit].itertuples()
        ]
        left = known.loc[~at_limit & ~as_chosen, "dataset"]
        neither = f" Neither explains {joined(left)}." if len(left) else ""
        shares = _looked_at(study.fits)
        where = f" ({power(shares)} of the strongest regularisation)" if shares else ""
        paragraph = (
            "Table 1 of Rakotomamonjy prints how many variables ℓ₁ RankSVM uses. Chosen on a validation "
            f"part, ours uses about as many (within {NEAR:.0%}) on {int(as_chosen.sum())} of {len(known)} "
            f"data sets and readings; hardly regularised{where}, on {int(at_limit.sum())}: {joined(named)}."
            f"{neither}{_rivals(table, known)}"
        )
        return Finding(
            "The printed RankSVM looks hardly regularised",
            paragraph,
            rows(known[at_limit].head(6)),
            (study.name,),
        )
    return None


def _rivals(table: pd.DataFrame, known: pd.DataFrame) -> str:
    """Say who of the two sparse methods uses fewer variables, as printed and here."""
    both = known.merge(
        table[table["method"] == PUSH], "left", on=["dataset", "features"], suffixes=("", "_push")
    )
    printed = both["printed_variables_mean_push"] < both["printed_variables_mean"]
    ours = both["variables_mean_push"] < both["variables_mean"]
    if not both["variables_mean_push"].notna().all() or printed.sum() <= ours.sum():
        return ""
    return (
        f" The printed ℓ₁ infinite push uses fewer variables than this rival on {int(printed.sum())} of "
        f"{len(both)}; ours, beside a rival that is chosen like it, on {int(ours.sum())}."
    )


def _looked_at(fits: pd.DataFrame) -> float:
    """Find the weakest regularisation that was looked at beside the grid, as a share; 0 if there is none."""
    path = fits.loc[(fits["role"] == "path") & (fits["method"] == RIVAL), "params"].drop_duplicates()
    shares = [share for share in (parameter(params, "share") for params in path) if share]
    return min(shares, default=0.0)
