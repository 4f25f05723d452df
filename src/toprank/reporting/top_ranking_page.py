"""What the page shows of K15 beside Table 1: the slips of the paper, each with its demonstration."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare the tables beside Table 1, every cell as text.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables of a study by the names of their files.
    """
    return {"errata": [erratum_row(row) for _, row in tables["errata"].iterrows()]}


def erratum_row(row: pd.Series) -> dict:
    """Format one slip: what is printed, what it should be, and what each of the two leads to."""
    return {
        "place": row["place"],
        "printed": row["printed"],
        "corrected": row["corrected"],
        "problem": row["problem"],
        "measured": row["measured"],
        "printed_value": f"{row['printed_value']:.3g}",
        "corrected_value": f"{row['corrected_value']:.3g}",
        "shown": bool(row["shown"]),
    }
