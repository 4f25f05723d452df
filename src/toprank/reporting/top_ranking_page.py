"""What the page shows of K15 beside Table 1: the way to the optimum, and the slips of the paper."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from . import suboptimality


def context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare the tables beside Table 1, every cell as text.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables of a study by the names of their files.
    """
    return {
        "to_levels": levels_table(tables.get("suboptimality")),
        "errata": [erratum_row(row) for _, row in tables["errata"].iterrows()],
    }


def levels_table(table: pd.DataFrame | None) -> dict | None:
    """Format iterations and seconds to each level; None where the study has none.

    Returns
    -------
    dict
        ``levels``, their names, and ``rows``, each with ``cells`` in the order of the levels, or a ``note``
        that stands for them.
    """
    if table is None:
        return None
    summary = suboptimality.summary(table)
    about = ["dataset", "features", "alpha", "method", "note"]
    levels = [name for name in summary.columns if name not in about]
    rows = [
        {name: row[name] for name in about} | {"cells": list(row[levels])} for _, row in summary.iterrows()
    ]
    return {"levels": levels, "rows": rows}


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
