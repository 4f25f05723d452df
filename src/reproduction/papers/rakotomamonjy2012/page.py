"""What the page shows of a study of R12, every cell as text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.rakotomamonjy2012.figures import exponent
from reproduction.report.page import table1 as page_table1
from reproduction.report.page.cells import has_fits, mean, number, word_for


def context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Table 1, and what can be said about its splits before any fit."""
    return page_table1.context(push_row, tables)


def push_row(row: pd.Series) -> dict:
    """Format one row of R12's Table 1."""
    absent = word_for(row)
    tied = f"{row['tied_mean']:.2g}: {row['tied_variables_min']:.0f} to {row['tied_variables_max']:.0f}"
    measured = not math.isnan(row["rate_at_top_mean"])
    return {
        "worse": row["worse"] == "1",
        "rate": mean(row, "rate_at_top", absent, fits=has_fits(row)),
        "rate_printed": mean(row, "printed_rate_at_top", "not printed"),
        "p_value": number(row["p_value"], lambda p: f"{p:.2g}", absent),
        "variables": mean(row, "variables", absent, fits=measured),
        "variables_printed": mean(row, "printed_variables", "not printed"),
        "tied": number(row["tied_mean"], lambda _: tied, absent),
        "seconds": mean(row, "seconds", absent, fits=measured),
        "gap": number(row["relative_gap_max"], lambda gap: f"{gap:.1e}", absent, fits=measured),
    }


def costs(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare what is said of cost: how the running time grows with the number of pairs."""
    return {"exponents": exponent_rows(tables.get("figure3"))}


def exponent_rows(times: pd.DataFrame | None) -> list[dict]:
    """Say the exponent of the running time in the number of pairs, and the most pairs that were fitted."""
    if times is None or times.empty:
        return []
    rows = []
    for (solver, noise), line in times.groupby(["solver", "noise"], sort=False):
        last = line.sort_values("pairs").iloc[-1]
        rows.append(
            {
                "method": method_label(solver),
                "cells": [
                    number(noise, "{:.0f}".format),
                    number(exponent(line), "{:.2f}".format),
                    number(last["pairs"], "{:.2e}".format),
                    number(last["seconds"]),
                ],
                "status": last["status"],
            }
        )
    return rows
