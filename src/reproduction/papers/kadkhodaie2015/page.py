"""What the page shows of a study of K15: Table 1 and the way to the optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.kadkhodaie2015 import suboptimality
from reproduction.report.page import table1 as page_table1
from reproduction.report.page.cells import cell, grouped, has_fits, mean, number, word_for
from reproduction.text import percent, short


def context(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare Table 1 and what stands beside it, every cell as text.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables of a study by the names of their files.
    """
    return page_table1.context(table_row, tables)


def table_row(row: pd.Series) -> dict:
    """Format one row of K15's Table 1."""
    absent = word_for(row)
    marks = {
        "mark_best": ("●", "decimal exponent of Pos@Top above the others'"),
        "mark_fast": ("★", "exponent of the time below"),
    }

    def marked(name: str, mark: str, word: str, fits: bool = False) -> dict:
        made = mean(row, name, word, fits=fits)
        sign, title = marks[mark.removeprefix("printed_")] if row[mark] == "1" else ("", "")
        return made if made["absent"] else made | {"mark": sign, "title": title}

    def distances(first: str, second: str) -> dict:
        return number(
            row[first],
            lambda _: f"{small_share(row[first])} / {small_share(row[second])}",
            absent,
        )

    measured = not math.isnan(row["pos_at_top_mean"])
    return {
        "pos": marked("pos_at_top", "mark_best", absent, fits=has_fits(row)),
        "pos_printed": marked("printed_pos_at_top", "printed_mark_best", "not printed"),
        "seconds": marked("seconds", "mark_fast", absent, fits=measured),
        "seconds_printed": marked("printed_seconds", "printed_mark_fast", "not printed"),
        "excess": distances("excess_median", "excess_max"),
        "gap": distances("relative_gap_median", "relative_gap_max") | {"fits": measured},
        "iterations": number(row["n_iter_median"], lambda n: f"{n:.0f}", absent),
        "chosen": row["chosen"],
        "zero_optimal": number(row["zero_optimal_share"], percent, absent),
        "constant": number(row["constant_share"], percent, absent),
    }


def small_share(share: float) -> str:
    """Write a relative distance in per cent; what is certified to 1e-5 is shown as such."""
    return "< 0.001 %" if share < 1e-5 else percent(share)


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
        {name: row[name] for name in about} | {"cells": [level_cell(row[name]) for name in levels]}
        for _, row in summary.iterrows()
    ]
    return {"levels": levels, "rows": grouped(rows, ("dataset", "features", "alpha"))}


def level_cell(text: str) -> dict:
    """Format what a level costs; it sorts by the iterations, a level that is not reached comes last."""
    if not text:
        return cell("–", absent=True)
    known = {"∞": math.inf, "at w = 0": 0.0}
    return cell(text, known[text] if text in known else float(text.partition(" /")[0]))


def costs(tables: Mapping[str, pd.DataFrame]) -> dict:
    """Prepare what is said of cost: the exact solver beside TopPush, levels of suboptimality, sizes."""
    return {
        "exact": exact_rows(tables["table1"]),
        "to_levels": levels_table(tables.get("suboptimality")),
        "sizes": size_rows(tables.get("scale")),
    }


def exact_rows(table: pd.DataFrame) -> list[dict]:
    """Set the seconds of TopPush beside those of the exact solver of the same problem."""
    rows = []
    for (dataset, features), block in table.groupby(["dataset", "features"], sort=False):
        by_method = block.set_index("method")
        if not {"toppush", "exact"} <= set(by_method.index):
            continue
        push, exact = by_method.loc["toppush"], by_method.loc["exact"]
        ratio = push["seconds_mean"] / exact["seconds_mean"]
        if pd.isna(ratio):
            continue
        rows.append(
            {
                "dataset": dataset,
                "features": features,
                "cells": [
                    number(push["seconds_mean"]),
                    number(exact["seconds_mean"]),
                    number(ratio, lambda value: f"{short(value)} ×"),
                    number(push["excess_median"], "{:.1e}".format),
                ],
            }
        )
    return grouped(rows)


def size_rows(table: pd.DataFrame | None) -> list[dict]:
    """Format cost and memory against the number of rows, measured and extrapolated."""
    if table is None:
        return []
    rows = []
    for _, row in table.iterrows():
        hours = row["study_seconds"] / 3600
        rows.append(
            {
                "method": method_label(row["solver"]),
                "kind": row["kind"],
                "cells": [
                    number(row["rows"], "{:.0f}".format),
                    number(row["gigabytes"]),
                    number(row["seconds_per_iteration"]),
                    number(row["ratio_to_two_passes"], "{:.2g}".format),
                    number(row["seconds"]),
                    number(row["n_iter"], "{:.0f}".format),
                    number(row["peak_resident_mb"] / 1000, "{:.2g}".format),
                    number(hours, "{:.2g}".format),
                ],
                "status": row["status"] if isinstance(row["status"], str) else "–",
            }
        )
    return rows
