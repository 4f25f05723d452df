"""Figures 2 and 3 of K15: one split iteration by iteration, in pictures and in sentences."""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from .figures import RC, WIDTH
from .labels import method_label, method_styles
from .push_figures import no_path
from .tables import NOT_OBTAINED

MAGNIFIED = 0.02
"""False-positive rates up to here are drawn again, larger: the top is what counts."""

FEW_HUNDRED = 1000
"""What the sentences still count as a few hundred iterations."""

SETTLED = 1e-3
"""Share of its own limit within which an objective counts as converged in the sentences."""

WIDTHS = {"a2dm2": 2.0, "exact": 2.4}
"""Of the curves that another may lie on: they are drawn broader and below."""

FLOOR = 1e-12
"""Suboptimalities are drawn down to here: below is rounding."""

LEGEND = {"frameon": False, "borderpad": 0.2, "handlelength": 1.2, "columnspacing": 1.2, "handletextpad": 0.5}

LARGEST = 1e4
"""Values of a run that diverged are drawn up to here."""


def figure2(table: pd.DataFrame) -> Figure:
    """Draw objective, relative suboptimality and test Pos@Top against iterations and seconds.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure2.csv; see `toprank.convergence.FIGURE2_COLUMNS`.

    Returns
    -------
    matplotlib.figure.Figure
        A dot is where the published stopping rule holds, a cross the last iteration of a run that diverged.
    """
    if _is_missing(table):
        return no_path(table["message"].iloc[0])
    styles = method_styles(table["method"])
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 6.6), dpi=200)
        axes = figure.subplots(3, 2, sharex="col", sharey="row")
        panels = ("objective", "suboptimality", "positives_at_top")
        for row, quantity in zip(axes, panels, strict=True):
            for axis, against in zip(row, ("iteration", "seconds"), strict=True):
                _curves(axis, table, styles, against, quantity)
        optimum = table["optimum"].iloc[0]
        for axis in axes[0]:
            axis.axhline(optimum, color="black", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
            axis.set_yscale("log")
        for method, run in table.groupby("method"):
            limit = run["limit"].iloc[0] / optimum - 1.0
            if limit > 1e-9:
                for axis in axes[1]:
                    axis.axhline(limit, color=styles[method].colour, linewidth=0.9, linestyle=":", zorder=1)
        axes[1, 0].set_yscale("log")
        axes[1, 0].set_ylim(bottom=max(FLOOR, 0.3 * _smallest(table["suboptimality"])))
        axes[2, 0].set_yscale("symlog", linthresh=10)
        axes[2, 0].set_ylim(bottom=-0.4)
        labels = ("Objective (11)", "Relative suboptimality", "Pos@Top (test)")
        for row, label in zip(axes, labels, strict=True):
            row[0].set_ylabel(label)
        axes[2, 0].set_xlabel("Iteration")
        axes[2, 1].set_xlabel("Seconds of the algorithm")
        _legend(figure, table, styles)
        figure.subplots_adjust(left=0.09, right=0.985, top=0.93, bottom=0.065, wspace=0.06, hspace=0.1)
    return figure


def figure3(table: pd.DataFrame) -> Figure:
    """Draw the residuals of the ADMM family against iterations and seconds, and the ROC curves of all.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of figure3.csv; see `toprank.convergence.FIGURE3_COLUMNS`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if _is_missing(table):
        return no_path(table["message"].iloc[0])
    styles = method_styles(table["method"])
    residuals, curves = table[table["kind"] == "residual"], table[table["kind"] == "roc"]
    residuals = residuals.assign(residual=residuals["primal_residual"] + residuals["dual_residual"])
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 5.0), dpi=200)
        axes = figure.subplots(2, 2)
        for axis, against in zip(axes[0], ("iteration", "seconds"), strict=True):
            _curves(axis, residuals, styles, against, "residual")
            axis.set_yscale("log")
        axes[0, 0].set_ylabel("Primal + dual residual")
        axes[0, 0].set_xlabel("Iteration")
        axes[0, 1].set_xlabel("Seconds of the algorithm")
        for axis in axes[1]:
            for after, dash in (("all iterations", ":"), ("published stop", "-")):
                for method, style in styles.items():
                    curve = curves[(curves["after"] == after) & (curves["method"] == method)]
                    x, y = curve["false_positive_rate"], curve["true_positive_rate"]
                    axis.plot(x, y, dash, **_line(method, style))
            axis.set_xlabel("False-positive rate (test)")
            axis.set_ylim(-0.02, 1.02)
            _grid(axis)
        axes[1, 0].set_ylabel("True-positive rate (test)")
        axes[1, 1].set_xlim(-0.02 * MAGNIFIED, MAGNIFIED)
        magnified = curves[curves["false_positive_rate"] <= MAGNIFIED]["true_positive_rate"].max()
        axes[1, 1].set_ylim(-0.02 * magnified, 1.05 * magnified)
        axes[1, 1].xaxis.set_major_locator(MaxNLocator(5))
        axes[1, 1].set_title(f"The same, up to {MAGNIFIED:g}: the top of the list", size=7.5)
        _legend(figure, table, styles)
        figure.subplots_adjust(left=0.09, right=0.97, top=0.91, bottom=0.085, wspace=0.15, hspace=0.32)
    return figure


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, for readers who do not see it."""
    if _is_missing(table):
        return f"Not obtained: {table['message'].iloc[0]}"
    ends = [
        f"{method_label(method)} ends {run['suboptimality'].iloc[-1]:.1e} above the optimum after "
        f"{run['iteration'].iloc[-1]:.0f} iterations and {run['seconds'].iloc[-1]:.2g} s, with "
        f"{run['positives_at_top'].iloc[-1]:.0f} positives at the top"
        for method, run in _runs(table)
    ]
    return (
        "Objective (11), its relative suboptimality and Pos@Top on the test part against iterations (left) "
        f"and seconds (right), all but Pos@Top on logarithmic axes. {'; '.join(ends)}."
    )


def describe_figure3(table: pd.DataFrame) -> str:
    """Describe Figure 3 in words, for readers who do not see it."""
    if _is_missing(table):
        return f"Not obtained: {table['message'].iloc[0]}"
    areas = [f"{method_label(method)} {area:.3f}" for method, area in _areas(table, "published stop").items()]
    return (
        "Above: sum of the primal and dual residuals of the ADMM family against iterations and seconds, "
        "logarithmic. Below: ROC curves on the test part, whole and magnified at the top of the list. "
        f"Areas under the curves after the published stops: {', '.join(areas)}."
    )


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
    if _is_missing(figure2):
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
        for method, run in _runs(table)
        if not run["objective"].iloc[-1] < 1.0  # NaN and infinity are worse too
    ]
    still = f"; after all iterations {', '.join(worse)} still lies above w = 0" if worse else ""
    return (
        f"On {_where(table)} the optimum of objective (11) is {optimum:.4f}{certified}; w = 0 has 1, which "
        f"is {1 / optimum - 1:.1%} more{still}."
    )


def _convergence_finding(table: pd.DataFrame) -> str:
    """Count the iterations until the objective stays near what a method converges to."""
    found = []
    for method, run in _runs(table):
        limit = run["limit"].iloc[0]
        off = ~((run["objective"] / limit - 1.0).abs() <= SETTLED).to_numpy()
        if off[-1]:
            found.append(f"{method_label(method)} not within {run['iteration'].iloc[-1]:.0f}")
        else:
            first = run.iloc[int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0]
            found.append(f"{method_label(method)} {first['iteration']:.0f} ({first['seconds']:.2g} s)")
    return (
        f"Iterations after which the objective stays within {SETTLED:.1%} of the optimum of the problem that "
        f"the method minimises (printed: a few hundred for the ADMM family, a few thousand for TopPush): "
        f"{', '.join(found)}."
    )


def _perturbation_finding(table: pd.DataFrame) -> str:
    """Say what the added strong convexity costs on objective (11)."""
    limits = {method: run["limit"].iloc[0] / run["optimum"].iloc[0] - 1.0 for method, run in _runs(table)}
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
    for method, run in _runs(table):
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


def _at_top_finding(table: pd.DataFrame) -> str:
    """When Pos@Top on the test part changes for the last time, and whether that is what the paper saw."""
    found, last = [], {}
    for method, run in _runs(table):
        if method == "exact":
            continue
        values, iterations = run["positives_at_top"].to_numpy(), run["iteration"].to_numpy()
        changes = np.flatnonzero(values[1:] != values[:-1])
        last[method] = iterations[changes[-1] + 1] if changes.size else iterations[0]
        found.append(
            f"{method_label(method)} iteration {last[method]:.0f} (to {values[-1]:.0f}; "
            f"{np.nanmax(values):.0f} at most, at iteration {iterations[np.nanargmax(values)]:.0f})"
        )
    exact = table[table["method"] == "exact"]
    there = f"; at the certified optimum it is {exact['positives_at_top'].iloc[-1]:.0f}" if len(exact) else ""
    verdict = ""
    if {"toppush", "a2dm2"} <= set(last):
        holds = last["a2dm2"] <= FEW_HUNDRED and last["toppush"] > table["iteration"].max() / 2
        verdict = (
            f" That A2DM2's settles after a few hundred iterations and TopPush's does not, {_holds(holds)}."
        )
    return f"Pos@Top on the test part changes for the last time at {', '.join(found)}{there}.{verdict}"


def _holds(it: bool) -> str:
    return "holds here" if it else "does not hold here"


def _residual_finding(table: pd.DataFrame) -> str:
    """Who comes below the published tolerance first."""
    residuals = table[table["kind"] == "residual"]
    stops = residuals.groupby("method")["published_stop"].first().dropna().sort_values()
    if "admm" not in set(residuals["method"]) or stops.empty:
        return ""
    order = ", ".join(f"{method_label(method)} {stop:.0f}" for method, stop in stops.items())
    rivals = [method for method in residuals["method"].unique() if method != "admm"]
    faster = all(stops.get(method, math.inf) < stops.get("admm", math.inf) for method in rivals)
    return (
        f"Iterations until the residuals add up to less than the published tolerance: {order}. That the "
        f"residuals decay faster for the accelerated variants {_holds(faster)}."
    )


def _roc_finding(table: pd.DataFrame) -> str:
    """How alike the ROC curves are, as a whole and before the first negative."""
    said = []
    for after, words in (
        ("published stop", "after the published stops"),
        ("all iterations", "after all iterations"),
    ):
        areas, tops = _areas(table, after), _tops(table, after)
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
        for method, run in _runs(table)
        if run["largest_rho"].iloc[0] > 0
    ]
    if not beyond:
        return ""
    largest = table["largest_rho"].max()
    return (
        f"Theorem 1 allows a step of at most {largest:.1e} here; the step used is larger by a factor of: "
        f"{', '.join(beyond)}."
    )


def _areas(table: pd.DataFrame, after: str) -> dict[str, float]:
    curves = table[(table["kind"] == "roc") & (table["after"] == after)]
    return {
        method: float(np.trapezoid(curve["true_positive_rate"], curve["false_positive_rate"]))
        for method, curve in _runs(curves)
    }


def _tops(table: pd.DataFrame, after: str) -> dict[str, float]:
    """Share of the positives above every negative."""
    curves = table[(table["kind"] == "roc") & (table["after"] == after) & (table["false_positive_rate"] == 0)]
    return {method: float(curve["true_positive_rate"].max()) for method, curve in _runs(curves)}


def _runs(table: pd.DataFrame):
    """Yield each method with its rows, in the order in which methods are shown."""
    for method in method_styles(table["method"]):
        yield method, table[table["method"] == method]


def _is_missing(table: pd.DataFrame) -> bool:
    return bool((table["status"] == NOT_OBTAINED).any())


def _smallest(values: pd.Series) -> float:
    positive = values[values > FLOOR]
    return float(positive.min()) if len(positive) else FLOOR


def _curves(axis: Axes, table: pd.DataFrame, styles: dict, against: str, quantity: str) -> None:
    """Draw one quantity of every method, with a dot at the published stop and a cross where it diverged."""
    for method, style in styles.items():
        run = table[table["method"] == method]
        values = run[quantity].where(np.isfinite(run[quantity]))
        diverged = len(run) and run["status"].iloc[-1] == "diverged"
        if diverged:
            values = values.where(values < LARGEST)
        marker = "." if method == "exact" else None
        axis.plot(run[against], values, marker=marker, markersize=5, **_line(method, style))
        at = run["iteration"] == run["published_stop"]
        axis.plot(run[against][at], values[at], "o", color=style.colour, markersize=4, zorder=4)
        if diverged and values.notna().any():
            seen = values.last_valid_index()
            axis.plot(run[against][seen], values[seen], "x", color=style.colour, markersize=5, zorder=4)
    axis.set_xscale("log")
    _grid(axis)


def _line(method: str, style) -> dict:
    return {
        "color": style.colour,
        "linewidth": WIDTHS.get(method, 1.0),
        "zorder": 2 if method in WIDTHS else 3,
    }


def _grid(axis: Axes) -> None:
    axis.grid(color="#d0d0d0", linewidth=0.4)
    axis.set_axisbelow(True)


def _legend(figure: Figure, table: pd.DataFrame, styles: dict) -> None:
    rhos = table.groupby("method")["rho"].first()
    handles = [
        Line2D(
            [],
            [],
            color=style.colour,
            linewidth=2,
            label=style.label if math.isnan(rhos[method]) else f"{style.label} (ρ = {rhos[method]:g})",
        )
        for method, style in styles.items()
    ]
    handles.append(Line2D([], [], color="#444444", marker="o", linestyle="none", label="published stop"))
    figure.legend(handles=handles, loc="upper center", ncols=6, **LEGEND)
