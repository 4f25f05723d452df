"""What Figures 2 and 3 of K15 say: one split iteration by iteration, in numbers and in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from reproduction.labels import method_label, method_styles
from reproduction.tables import NOT_OBTAINED

SETTLED = 1e-3
"""Share of its own limit within which an objective counts as converged in the sentences."""


def findings(figure2: pd.DataFrame, figure3: pd.DataFrame) -> list[str]:
    """Set the paper's sentences on one split beside the rows; one that does not apply is left out.

    Parameters
    ----------
    figure2, figure3 : pandas.DataFrame
        Rows of figure2.csv and figure3.csv.

    Returns
    -------
    list of str
        Sentences.
    """
    if is_missing(figure2):
        return []
    said = [
        _zero_finding(figure2),
        _convergence_finding(figure2),
        _perturbation_finding(figure2),
        _stop_finding(figure2),
        _at_top_finding(figure2),
        _residual_finding(figure3),
        _roc_finding(figure3),
        _step_finding(figure2),
    ]
    return [sentence for sentence in said if sentence]


def _where(table: pd.DataFrame) -> str:
    row = table.iloc[0]
    return f"{row['dataset']} ({row['features']}, split {row['split']:.0f}, λ = {row['alpha']:g})"


def _zero_finding(table: pd.DataFrame) -> str:
    """How much there is to gain over w = 0, whose objective is 1."""
    optimum = table["optimum"].iloc[0]
    if optimum >= 1.0 - 1e-9:
        return f"On {_where(table)} w = 0 is the exact optimum: every iterate but 0 is on its way."
    exact = table[table["method"] == "exact"]
    certified = f", certified by the exact solver in {exact['seconds'].max():.2g} s" if len(exact) else ""
    worse = [
        method_label(method)
        for method, run in runs(table)
        if not run["objective"].iloc[-1] < 1.0  # NaN and infinity are worse too
    ]
    still = f"; after all iterations {', '.join(worse)} still lies above w = 0" if worse else ""
    return (
        f"On {_where(table)} the optimum of objective (11) is {optimum:.4f}{certified}; w = 0 has 1, which "
        f"is {1 / optimum - 1:.1%} more{still}."
    )


def settled(table: pd.DataFrame) -> dict[str, pd.Series | None]:
    """Find the row from which on the objective stays near what the method converges to.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure2.csv.

    Returns
    -------
    dict of str to pandas.Series or None
        By method; None where the last iterate is still away.
    """
    found = {}
    for method, run in runs(table):
        off = ~((run["objective"] / run["limit"].iloc[0] - 1.0).abs() <= SETTLED).to_numpy()
        first = int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0
        found[method] = None if off[-1] else run.iloc[first]
    return found


def _convergence_finding(table: pd.DataFrame) -> str:
    """Count the iterations until the objective stays near what a method converges to."""
    last = table.groupby("method")["iteration"].max()
    found = [
        f"{method_label(method)} not within {last[method]:.0f}"
        if row is None
        else f"{method_label(method)} {row['iteration']:.0f} ({row['seconds']:.2g} s)"
        for method, row in settled(table).items()
    ]
    return (
        f"Iterations after which the objective stays within {SETTLED:.1%} of the optimum of the problem that "
        f"the method minimises (printed: a few hundred for the ADMM family, a few thousand for TopPush): "
        f"{', '.join(found)}."
    )


def _perturbation_finding(table: pd.DataFrame) -> str:
    """Say what the added strong convexity costs on objective (11)."""
    limits = {method: run["limit"].iloc[0] / run["optimum"].iloc[0] - 1.0 for method, run in runs(table)}
    moved = {method: limit for method, limit in limits.items() if limit > 1e-6}
    if not moved:
        return ""
    names = " and ".join(method_label(method) for method in moved)
    return (
        f"{names} minimise the perturbed objective (13), whose optimum lies {max(moved.values()):.2e} above "
        f"that of (11), relatively: where they converge, they converge to that."
    )


def _stop_finding(table: pd.DataFrame) -> str:
    """Where the published rules hold, and how near to the optimum that is."""
    stops = []
    for method, run in runs(table):
        if method == "exact":
            continue
        at = run[run["iteration"] == run["published_stop"]]
        stops.append(
            f"{method_label(method)} after {at['iteration'].iloc[0]:.0f} iterations "
            f"({at['suboptimality'].iloc[0]:.1e} above the optimum)"
            if len(at)
            else f"{method_label(method)} not within {run['iteration'].iloc[-1]:.0f}"
        )
    return f"The published stopping rules hold for {', '.join(stops)}."


def last_changes(table: pd.DataFrame) -> dict[str, float]:
    """Find the iteration at which Pos@Top on the test part changes for the last time, by method.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure2.csv.
    """
    found = {}
    for method, run in runs(table):
        values, iterations = run["positives_at_top"].to_numpy(), run["iteration"].to_numpy()
        changes = np.flatnonzero(values[1:] != values[:-1])
        found[method] = float(iterations[changes[-1] + 1] if changes.size else iterations[0])
    return found


def _at_top_finding(table: pd.DataFrame) -> str:
    """When Pos@Top on the test part changes for the last time, and what it was before."""
    last, found = last_changes(table), []
    for method, run in runs(table):
        if method == "exact":
            continue
        values, iterations = run["positives_at_top"].to_numpy(), run["iteration"].to_numpy()
        found.append(
            f"{method_label(method)} iteration {last[method]:.0f} (to {values[-1]:.0f}; "
            f"{np.nanmax(values):.0f} at most, at iteration {iterations[np.nanargmax(values)]:.0f})"
        )
    exact = table[table["method"] == "exact"]
    there = f"; at the certified optimum it is {exact['positives_at_top'].iloc[-1]:.0f}" if len(exact) else ""
    return f"Pos@Top on the test part changes for the last time at {', '.join(found)}{there}."


def residual_stops(table: pd.DataFrame) -> dict[str, float]:
    """Find the iteration from which the residuals meet the published tolerance; infinite where none does.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure3.csv.
    """
    residuals = table[table["kind"] == "residual"]
    stops = residuals.groupby("method")["published_stop"].first().fillna(math.inf)
    return {method: float(stops[method]) for method, _ in runs(residuals)}


def _residual_finding(table: pd.DataFrame) -> str:
    """Who comes below the published tolerance first."""
    stops = sorted(residual_stops(table).items(), key=lambda item: item[1])
    order = [
        f"{method_label(method)} {stop:.0f}" if stop < math.inf else f"{method_label(method)} never"
        for method, stop in stops
    ]
    if not order:
        return ""
    return f"Iterations until the residuals add up to less than the published tolerance: {', '.join(order)}."


def _roc_finding(table: pd.DataFrame) -> str:
    """How alike the ROC curves are, as a whole and before the first negative."""
    said = []
    for after, words in (
        ("published stop", "after the published stops"),
        ("all iterations", "after all iterations"),
    ):
        areas, tops = areas_under(table, after), shares_at_top(table, after)
        each = [f"{method_label(method)} {area:.3f} ({tops[method]:.1%})" for method, area in areas.items()]
        said.append(f"{words} {', '.join(each)}")
    return (
        "Areas under the ROC curve on the test part, and in brackets the share of the positives before the "
        f"first negative (printed: similar): {'; '.join(said)}."
    )


def _step_finding(table: pd.DataFrame) -> str:
    """How far each rho lies beyond Theorem 1."""
    beyond = [
        f"{method_label(method)} {run['rho'].iloc[0] / run['largest_rho'].iloc[0]:.2g}"
        for method, run in runs(table)
        if run["largest_rho"].iloc[0] > 0
    ]
    if not beyond:
        return ""
    largest = table["largest_rho"].max()
    return (
        f"Theorem 1 allows a step of at most {largest:.1e} here; the step used is larger by a factor of: "
        f"{', '.join(beyond)}."
    )


def areas_under(table: pd.DataFrame, after: str) -> dict[str, float]:
    """Area under the ROC curve, by method.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure3.csv.
    after : {"published stop", "all iterations"}
    """
    curves = table[(table["kind"] == "roc") & (table["after"] == after)]
    return {
        method: float(np.trapezoid(curve["true_positive_rate"], curve["false_positive_rate"]))
        for method, curve in runs(curves)
    }


def shares_at_top(table: pd.DataFrame, after: str) -> dict[str, float]:
    """Share of the positives above every negative, by method.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure3.csv.
    after : {"published stop", "all iterations"}
    """
    curves = table[(table["kind"] == "roc") & (table["after"] == after) & (table["false_positive_rate"] == 0)]
    return {method: float(curve["true_positive_rate"].max()) for method, curve in runs(curves)}


def runs(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each method with its rows, in the order in which methods are shown."""
    for method in method_styles(table["method"]):
        yield method, table[table["method"] == method]


def is_missing(table: pd.DataFrame) -> bool:
    """Whether the data set was not obtained."""
    return bool((table["status"] == NOT_OBTAINED).any())
