"""The file claims.csv: `claim_rows` makes its rows, `read_claims` reads them, `count_verdicts` counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reproduction.comparison.claims import VERDICTS, ClaimJudgement
from reproduction.core.results import read_text

CLAIM_COLUMNS = (
    *("study", "claim", "place", "sentence", "reading", "verdict", "share", "robustness", "evidence"),
)

NO_SHARE = "none"
"""Stands for the share of a claim that is judged once, or in no specification."""


def claim_rows(study: str, judgements: Sequence[ClaimJudgement]) -> pd.DataFrame:
    """Lay the judgements of a study out as rows of claims.csv; no cell is blank.

    Parameters
    ----------
    study : str
        Name of the study.
    judgements : Sequence[ClaimJudgement]
        Judgements on its claims.

    Returns
    -------
    pd.DataFrame
        The columns of `CLAIM_COLUMNS`.
    """
    rows = [
        (
            *(
                study,
                judgement.claim.name,
                judgement.claim.place,
                judgement.claim.sentence,
                judgement.claim.reading or "as it stands",
                judgement.verdict,
            ),
            NO_SHARE if math.isnan(judgement.share) else f"{judgement.share:.10g}",
            *(judgement.robustness or "judged once", judgement.evidence),
        )
        for judgement in judgements
    ]
    return pd.DataFrame(rows, columns=list(CLAIM_COLUMNS))


def read_claims(path: str | Path) -> pd.DataFrame:
    """Read claims.csv.

    Parameters
    ----------
    path : str or Path
        CSV file.

    Returns
    -------
    pd.DataFrame
        The columns of `CLAIM_COLUMNS` as text, the share a number or NaN.

    Raises
    ------
    ResultsError
        If the file cannot be used.
    """
    rows = read_text(path, CLAIM_COLUMNS)[list(CLAIM_COLUMNS)]
    return rows.assign(share=pd.to_numeric(rows["share"], errors="coerce"))


def count_verdicts(claims: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Count the verdicts of each study.

    Parameters
    ----------
    claims : pd.DataFrame
        Rows of `read_claims`.

    Returns
    -------
    dict[str, dict[str, int]]
        Study -> verdict -> how many, all verdicts in their order.
    """
    return {
        study: {name: int((rows["verdict"] == name).sum()) for name in VERDICTS}
        for study, rows in claims.groupby("study", sort=False)
    }


def format_totals(claims: pd.DataFrame) -> list[str]:
    """Write how many claims of each study got which verdict, in a line each.

    Parameters
    ----------
    claims : pd.DataFrame
        Rows of `read_claims`.

    Returns
    -------
    list[str]
        The lines.
    """
    return [
        f"Claims of {study}: {sum(verdicts.values())}: "
        + ", ".join(f"{name} {count}" for name, count in verdicts.items() if count)
        for study, verdicts in count_verdicts(claims).items()
    ]
