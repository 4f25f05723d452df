"""What Figures 2 and 3 of K15 say: one split iteration by iteration, in numbers and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reproduction.specs.labels import method_label, method_styles

CONVERGENCE_TOL = 1e-3
"""Relative distance to its own limit within which an objective counts as converged."""

NEAR_END_SHARE = 0.1
"""Relative distance to its final value within which Pos@Top is near it."""


def find_convergence(table: pd.DataFrame, tol: float = CONVERGENCE_TOL) -> dict[str, dict]:
    """Find the iteration from which each method stays near its own limit.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.
    tol : float
        Largest relative distance of the objective to the limit.

    Returns
    -------
    dict of str to dict
        Method -> its label, its ``last`` iteration and, if it converged, ``iteration`` and ``seconds``.
    """
    facts = {}
    for method, run in iterate_runs(table):
        # the first iteration from which on the objective stays near its limit
        is_near = (run["objective"] / run["limit"].iloc[0] - 1.0).abs() <= tol
        first_row = run.loc[is_near[::-1].cummin()[::-1], ["iteration", "seconds"]].head(1)
        facts[method] = {"method": method_label(method), "last": run["iteration"].max()}
        facts[method] |= next(iter(first_row.to_dict("records")), {})
    return facts


def find_last_changes(table: pd.DataFrame) -> dict[str, dict]:
    """Find when Pos@Top on the test part changes last, when it is near its end, and when first highest.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv.

    Returns
    -------
    dict of str to dict
        Method -> its label; ``last_change``, ``near_end`` (from which on it is within `NEAR_END_SHARE` of its
        final value) and ``first_highest``, iterations; ``final`` and ``highest``, Pos@Top.
    """
    facts = {}
    for method, run in iterate_runs(table):
        pos_at_top, iteration = run["positives_at_top"], run["iteration"]
        facts[method] = {
            "method": method_label(method),
            "last_change": iteration[pos_at_top.diff() != 0].iloc[-1],
        }
        final = pos_at_top.iloc[-1]
        # Reversed cumulative minimum: true from the first iteration on after which no later one leaves the
        # band.
        is_near = (pos_at_top - final).abs() <= NEAR_END_SHARE * final
        facts[method]["near_end"] = iteration[is_near[::-1].cummin()[::-1]].min()
        facts[method] |= {
            "final": final,
            "highest": pos_at_top.max(),
            "first_highest": iteration[pos_at_top.idxmax()],
        }
    return facts


def find_residual_stops(table: pd.DataFrame) -> dict[str, dict]:
    """Find the iteration at which the residuals of each method meet the published tolerance.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.

    Returns
    -------
    dict of str to dict
        Method -> its label and ``stop``, None if they never do.
    """
    first = table[table["kind"] == "residual"].groupby("method")["published_stop"].first()
    stops = {method: first[method] for method in method_styles(first.index)}
    return {
        method: {"method": method_label(method), "stop": None if pd.isna(stop) else stop}
        for method, stop in stops.items()
    }


def summarise_roc_curves(table: pd.DataFrame, iterate: str) -> dict[str, dict]:
    """Compute the area under the ROC curve of each method, and the share of positives above every negative.

    Parameters
    ----------
    table : DataFrame
        Rows of figure3.csv.
    iterate : {"published stop", "all iterations"}

    Returns
    -------
    dict of str to dict
        Method -> its label, ``area`` and ``top``.
    """
    facts = {}
    for method, curve in iterate_runs(table[(table["kind"] == "roc") & (table["iterate"] == iterate)]):
        x, y = curve["false_positive_rate"], curve["true_positive_rate"]
        # A ROC curve's points at false positive rate 0 end at the share of positives above every negative.
        facts[method] = {"method": method_label(method), "area": np.trapezoid(y, x), "top": y[x == 0].max()}
    return facts


def iterate_runs(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each method with its rows, in the order in which methods are shown.

    Parameters
    ----------
    table : DataFrame
        Rows of figure2.csv or figure3.csv.

    Yields
    ------
    method : str
    rows : DataFrame
    """
    for method in method_styles(table["method"]):
        yield method, table[table["method"] == method]
