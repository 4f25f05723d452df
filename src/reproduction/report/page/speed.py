"""What is known of cost: seconds of all fits, exponents, and the exact solver beside the others."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from reproduction.labels import method_key, method_label
from reproduction.papers.kadkhodaie2015.page import levels_table
from reproduction.papers.rakotomamonjy2012.figures import exponent
from reproduction.report.page.cells import grouped, number
from reproduction.report.page.figures import figure
from reproduction.report.studies import StudyReport
from reproduction.tables import NOT_OBTAINED
from reproduction.text import short

OF_COST = ("suboptimality", "scale")
"""Drawings of a study of K15 that stand here, and not among those of the paper."""


def context(studies: Iterable[StudyReport]) -> list[dict]:
    """Prepare what is shown of the cost of each study, in their order."""
    found = []
    for study in studies:
        drawings = {drawing.name: drawing for drawing in study.drawings}
        is_push = study.protocol == "infinite_push"
        found.append(
            {
                "name": study.name,
                "methods": method_rows(study.fits),
                "exact": exact_rows(study.tables.get("table1")) if study.protocol == "top_ranking" else [],
                "exponents": exponent_rows(study.tables.get("figure3")) if is_push else [],
                "to_levels": levels_table(study.tables.get("suboptimality")),
                "sizes": size_rows(study.tables.get("scale")),
                "figures": [figure(study, drawings[name]) for name in OF_COST if name in drawings],
            }
        )
    return found


def seconds_of(fits: pd.DataFrame) -> float:
    """Add up the seconds of all fits."""
    return float(fits["seconds"].sum())


def method_rows(fits: pd.DataFrame) -> list[dict]:
    """Count the fits of each method and add up their seconds, those of the search included."""
    ran = fits[fits["status"] != NOT_OBTAINED]
    rows = []
    for method in sorted(set(ran["method"]), key=method_key):
        block = ran[ran["method"] == method]
        chosen = block.loc[block["role"] == "chosen", "seconds"]
        rows.append(
            {
                "method": method_label(method),
                "cells": [
                    number(len(block), "{:.0f}".format),
                    number(len(chosen), "{:.0f}".format),
                    number(seconds_of(block), clock),
                    number(chosen.median()),
                    number(chosen.max()),
                ],
            }
        )
    return rows


def exact_rows(table: pd.DataFrame | None) -> list[dict]:
    """Set the seconds of TopPush beside those of the exact solver of the same problem."""
    if table is None:
        return []
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


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 60:
        return f"{short(seconds)} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
