"""What the two papers with a Table 1 share on the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pandas as pd

from reproduction.comparison.verdicts import percent
from reproduction.labels import method_label, row_id
from reproduction.report.page.cells import cell, fits_key, grouped, number
from reproduction.text import short


def context(row_of: Callable[[pd.Series], dict], tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Table 1 and what can be said about its splits before any fit.

    Parameters
    ----------
    row_of : callable
        Formats what only this Table 1 has of a row.
    tables : mapping of str to pandas.DataFrame
        The tables of a study by the names of their files.
    """
    table = tables["table1"]
    rows = [identity(row) | row_of(row) for _, row in table.iterrows()]
    return {"table": grouped(rows), "diagnosis": diagnosis_rows(table)}


def identity(row: pd.Series) -> dict:
    """Say what a row is about."""
    asides = {
        f"substitute for {row['substitute_for']}": row["substitute_for"] != "none",
        f"the other reading of {row.get('reading_of')}": row.get("reading_of", "none") != "none",
        row["data_status"]: row["data_status"] != "obtained",
    }
    return {
        "id": row_id(row),
        "fits": fits_key(row),
        "dataset": row["dataset"],
        "aside": next((text for text, applies in asides.items() if applies), ""),
        "title": "" if row["reason"] == "none" else row["reason"],
        "features": row["features"],
        "method": method_label(row["method"]),
        "statuses": row["statuses"],
    }


def diagnosis_rows(table: pd.DataFrame) -> list[dict]:
    """λ_max and the share of splits where w = 0 is optimal, once for each data set and feature block."""
    rows = []
    known = table[table["lambda_max_median"].notna()]
    for (dataset, features), block in known.groupby(["dataset", "features"], sort=False):
        row = block.iloc[0]
        share = row["zero_optimal_share"]
        rows.append(
            {
                "dataset": dataset,
                "features": features,
                "lambda_max": number(row["lambda_max_median"], short),
                "zero_optimal": cell("not known", absent=True)
                if math.isnan(share)
                else cell(percent(share), share),
                "notable": share > 0,
            }
        )
    return grouped(rows)
