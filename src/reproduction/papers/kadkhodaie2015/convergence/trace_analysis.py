"""What Figures 2 and 3 of K15 say: one split iteration by iteration, in numbers and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reproduction.specs.labels import method_label, method_styles

SETTLED = 1e-3
"""Share of its own limit within which an objective counts as converged in the sentences."""


def when_settled(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method when it settled, if it did, and its last iteration."""
    found = {}
    for method, run in runs(table):
        is_near = (run["objective"] / run["limit"].iloc[0] - 1.0).abs() <= SETTLED
        stays = run.loc[is_near[::-1].cummin()[::-1], ["iteration", "seconds"]].head(1)
        found[method] = {"method": method_label(method), "last": run["iteration"].max()}
        found[method] |= next(iter(stays.to_dict("records")), {})
    return found


def last_changes(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method when Pos@Top on the test part changes for the last time, and when it was highest."""
    found = {}
    for method, run in runs(table):
        top, iteration = run["positives_at_top"], run["iteration"]
        found[method] = {"method": method_label(method), "at": iteration[top.diff() != 0].iloc[-1]}
        found[method] |= {"end": top.iloc[-1], "most": top.max(), "first": iteration[top.idxmax()]}
    return found


def residual_stops(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method from which iteration on its residuals meet the published tolerance, if they do."""
    first = table[table["kind"] == "residual"].groupby("method")["published_stop"].first()
    stops = {method: first[method] for method in method_styles(first.index)}
    return {m: {"method": method_label(m), "stop": None if pd.isna(at) else at} for m, at in stops.items()}


def curves(table: pd.DataFrame, after: str) -> dict[str, dict]:
    """Measure the ROC curve of each method: its area, and the share of the positives above every negative.

    `after`: "published stop" or "all iterations".
    """
    found = {}
    for method, curve in runs(table[(table["kind"] == "roc") & (table["after"] == after)]):
        x, y = curve["false_positive_rate"], curve["true_positive_rate"]
        found[method] = {"method": method_label(method), "area": np.trapezoid(y, x), "top": y[x == 0].max()}
    return found


def runs(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each method with its rows, in the order in which methods are shown."""
    for method in method_styles(table["method"]):
        yield method, table[table["method"] == method]
