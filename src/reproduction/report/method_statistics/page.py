"""What the page shows of the statistics beyond the papers' own, every cell as text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from reproduction.labels import method_key, method_label
from reproduction.measures import LABELS, LOGARITHMIC
from reproduction.report.method_statistics.pairs import ALL
from reproduction.report.method_statistics.ranks import why_untested

PAGE_ROWS = 600
"""Of pairs. Where there are more, single data sets show those with the method of the best mean rank only."""

LEVEL = 0.05


def context(tables: Mapping[str, pd.DataFrame], tests: str) -> dict:
    """Prepare mean ranks and pairs of methods.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        "ranks" and "pairwise", by their forms.
    tests : str
        Which tests are the paper's own, and where they stand.

    Returns
    -------
    dict
        Empty where the study has no such tables.
    """
    if "ranks" not in tables or "pairwise" not in tables:
        return {}
    ranks, pairs = tables["ranks"], tables["pairwise"]
    shown = pairs_shown(ranks, pairs)
    groups = [(*key, rows) for key, rows in ranks.groupby(["features", "measure"], sort=False)]
    return {
        "own": tests,
        "heads": [f"{LABELS.get(measure, measure)}, {features}" for features, measure, _ in groups],
        "ranks": [
            {
                "method": method_label(method),
                "cells": [rank_cell(rows, method) for *_, rows in groups],
            }
            for method in sorted(set(ranks["method"]), key=method_key)
        ],
        "tests": [test_row(features, measure, rows) for features, measure, rows in groups],
        "pairs": [pair_row(row) for _, row in shown.iterrows()],
        "all_pairs": len(pairs),
        "has_corrected": bool(pairs["corrected_t_p"].notna().any()),
    }


def pairs_shown(ranks: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Select the pairs that the page shows: all, or `PAGE_ROWS` of them if they are too many."""
    if len(pairs) <= PAGE_ROWS:
        return pairs
    ranked = ranks[ranks["mean_rank"].notna()].sort_values("mean_rank", kind="stable")
    best = ranked.drop_duplicates(["features", "measure"]).set_index(["features", "measure"])["method"]
    of_best = [
        best.get((row["features"], row["measure"])) in (row["method"], row["rival"])
        for _, row in pairs.iterrows()
    ]
    return pairs[(pairs["dataset"] == ALL) | np.array(of_best)]


def rank_cell(rows: pd.DataFrame, method: str) -> dict:
    """Format one mean rank."""
    found = rows[rows["method"] == method]
    if found.empty or math.isnan(found["mean_rank"].iloc[0]):
        why = "not run" if found.empty else found["note"].iloc[0]
        return {"text": "none", "value": "", "title": why, "best": False}
    rank = found["mean_rank"].iloc[0]
    best = rank == rows["mean_rank"].min()
    return {"text": f"{rank:.2f}", "value": f"{rank:.10g}", "title": "", "best": bool(best)}


def test_row(features: str, measure: str, rows: pd.DataFrame) -> dict:
    """Format the test of all methods at once."""
    first = rows.iloc[0]
    ranked, without = (rows[rows["mean_rank"].notna() == known] for known in (True, False))
    said = why_untested(first["n_datasets"], first["n_methods"])
    if len(ranked):  # what is said of the splits, too
        said = ranked["note"].iloc[0]
    notes = [f"{said}." if said not in ("", "none") else ""]
    notes += [f"Not counted: {first['left_out']}." if first["left_out"] != "none" else ""]
    notes += [f"{method_label(row['method'])}: {row['note']}." for _, row in without.iterrows()]
    return {
        "features": features,
        "measure": LABELS.get(measure, measure),
        "datasets": f"{first['n_datasets']:.0f}",
        "names": first["datasets"],
        "methods": f"{first['n_methods']:.0f}",
        "cells": [
            number(first["friedman_p"], p_text),
            number(first["iman_davenport_p"], p_text),
            number(first["critical_difference"], lambda value: f"{value:.2f}"),
        ],
        "note": " ".join(filter(None, notes)),
    }


def pair_row(row: pd.Series) -> dict:
    """Format one pair of methods."""
    is_all = row["dataset"] == ALL
    as_factor = row["measure"] in LOGARITHMIC

    def difference(value: float) -> str:
        return f"× {10**value:.3g}" if as_factor else f"{value:+.3g}".replace("-", "−")

    interval = number(row["low"], lambda low: f"{difference(low)} to {difference(row['high'])}")
    fits = [
        "" if is_all else "/".join(row[name] for name in ("study", "dataset", "features", who))
        for who in ("method", "rival")
    ]
    return {
        "dataset": row["dataset"],
        "features": row["features"],
        "measure": LABELS.get(row["measure"], row["measure"]),
        "method": method_label(row["method"]),
        "rival": method_label(row["rival"]),
        "fits": fits,
        "n": f"{row['n']:.0f} {row['of']}",
        "n_value": f"{row['n']:.0f}",
        "counts": " / ".join(f"{row[name]:.0f}" for name in ("wins", "ties", "losses")),
        "wins": f"{row['wins'] - row['losses']:.0f}",
        "difference": number(row["mean_difference"], difference),
        "interval": interval,
        "effect": number(row["rank_biserial"], lambda value: f"{value:+.2f}".replace("-", "−")),
        "p_values": [number(row[name], p_text) for name in ("wilcoxon_p", "wilcoxon_holm")],
        "corrected": number(row["corrected_t_p"], p_text),
        "differs": bool(row["wilcoxon_holm"] < LEVEL),
    }


def number(value: float, shown) -> dict:
    """Format a number, or a dash where there is none."""
    if math.isnan(value):
        return {"text": "–", "value": ""}
    return {"text": shown(value), "value": f"{value:.10g}"}


def p_text(value: float) -> str:
    """Write a p-value."""
    return "< .001" if value < 1e-3 else f"{value:.2g}"
