"""What Figures 2 and 3 of K15 say: one split iteration by iteration, in numbers and in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from reproduction.finding import Finding
from reproduction.labels import method_label, method_styles

SETTLED = 1e-3
"""Share of its own limit within which an objective counts as converged in the sentences."""


def zero(table: pd.DataFrame) -> dict | None:
    """Measure how much there is to gain over w = 0, whose objective is 1."""
    optimum, seconds = table["optimum"].iloc[0], table.loc[table["method"] == "exact", "seconds"].max()
    return table.iloc[0].to_dict() | {
        "is_zero": optimum >= 1.0 - 1e-9,
        "optimum": optimum,
        "exact": None if math.isnan(seconds) else seconds,
        # NaN and infinity are worse too
        "worse": [method_label(method) for method, run in runs(table) if not run["objective"].iloc[-1] < 1.0],
    }


def when_settled(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method when it settled, if it did, and its last iteration."""
    found = {}
    for method, run in runs(table):
        is_near = (run["objective"] / run["limit"].iloc[0] - 1.0).abs() <= SETTLED
        stays = run.loc[is_near[::-1].cummin()[::-1], ["iteration", "seconds"]].head(1)
        found[method] = {"method": method_label(method), "last": run["iteration"].max()}
        found[method] |= next(iter(stays.to_dict("records")), {})
    return found


def perturbation(table: pd.DataFrame) -> dict | None:
    """Measure what the added strong convexity costs on objective (11)."""
    limits = {method: run["limit"].iloc[0] / run["optimum"].iloc[0] - 1.0 for method, run in runs(table)}
    moved = {method_label(method): limit for method, limit in limits.items() if limit > 1e-6}
    return {"methods": list(moved), "most": max(moved.values())} if moved else None


def stops(table: pd.DataFrame) -> dict | None:
    """Find where the published rules hold, and how near to the optimum that is."""
    methods = []
    for method, run in runs(table[table["method"] != "exact"]):
        at = run[run["iteration"] == run["published_stop"]].head(1)
        methods.append({"method": method_label(method), "last": run["iteration"].iloc[-1]})
        methods[-1] |= {name: at[name].iloc[0] for name in ("iteration", "suboptimality") if len(at)}
    return {"methods": methods}


def last_changes(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method when Pos@Top on the test part changes for the last time, and when it was highest."""
    found = {}
    for method, run in runs(table):
        top, iteration = run["positives_at_top"], run["iteration"]
        found[method] = {"method": method_label(method), "at": iteration[top.diff() != 0].iloc[-1]}
        found[method] |= {"end": top.iloc[-1], "most": top.max(), "first": iteration[top.idxmax()]}
    return found


def at_top(table: pd.DataFrame) -> dict | None:
    """Set what happens to Pos@Top beside its value at the certified optimum."""
    found = last_changes(table)
    exact = found.pop("exact", None)
    return {"methods": list(found.values()), "exact": [exact["end"]] if exact else []}


def residual_stops(table: pd.DataFrame) -> dict[str, dict]:
    """Say of each method from which iteration on its residuals meet the published tolerance, if they do."""
    first = table[table["kind"] == "residual"].groupby("method")["published_stop"].first()
    stops = {method: first[method] for method in method_styles(first.index)}
    return {m: {"method": method_label(m), "stop": None if pd.isna(at) else at} for m, at in stops.items()}


def residuals(table: pd.DataFrame) -> dict | None:
    """Rank the methods by when they come below the published tolerance."""
    stops = residual_stops(table).values()
    return {"methods": sorted(stops, key=lambda one: one["stop"] or math.inf)} if stops else None


def roc(table: pd.DataFrame) -> dict | None:
    """Compare the ROC curves, as a whole and before the first negative."""
    points = ("published stop", "all iterations")
    return {after.replace(" ", "_"): list(curves(table, after).values()) for after in points}


def step(table: pd.DataFrame) -> dict | None:
    """Measure how far each rho lies beyond Theorem 1."""
    methods = [
        {"method": method_label(method), "factor": run["rho"].iloc[0] / run["largest_rho"].iloc[0]}
        for method, run in runs(table)
        if run["largest_rho"].iloc[0] > 0
    ]
    return {"largest": table["largest_rho"].max(), "methods": methods} if methods else None


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


FINDINGS = (
    Finding(
        "zero",
        "What there is to gain over w = 0",
        """On {{ dataset }} ({{ features }}, split {{ split | to(".0f") }}, λ = {{ alpha | to("g") }})
        {% if is_zero %}w = 0 is the exact optimum: every other iterate has not converged.
        {%- else %}the optimum of objective (11) is {{ optimum | to(".3g") }}
        {%- if exact is not none %}, certified by the exact solver in {{ exact | to(".2g") }} s{% endif %}. w
        = 0 has 1, which is {{ (100 / optimum - 100) | to(".3g") }} % more.
        {% if worse %}Above that after all iterations: {{ worse | join(", ") }}.{% endif %}{% endif %}""",
        zero,
        ("figure2",),
    ),
    Finding(
        "converged",
        "When the objective has converged",
        """Iterations after which the objective stays within {{ near | to(".1%") }} of the optimum of the
        method's own objective (printed: a few hundred for the ADMM family, a few thousand for
        TopPush): {{ methods | each("{method} {iteration:.0f} ({seconds:.2g} s)", "{method} not within
        {last:.0f}") | join(", ") }}.""",
        lambda table: {"near": SETTLED, "methods": list(when_settled(table).values())},
        ("figure2",),
    ),
    Finding(
        "perturbation",
        "What the perturbed objective costs",
        """{{ methods | join(" and ") }} minimise the perturbed objective (13). Its optimum lies
        {{ most | to(".2e") }} above the optimum of (11), relatively. They converge to it, if at all.""",
        perturbation,
        ("figure2",),
    ),
    Finding(
        "stops",
        "When the published rules stop",
        """The published stopping rules hold for {{ methods | each("{method} after {iteration:.0f} iterations
        ({suboptimality:.1e} above the optimum)", "{method} not within {last:.0f}") | join(", ") }}.""",
        stops,
        ("figure2",),
    ),
    Finding(
        "at-top",
        "When Pos@Top settles",
        """Pos@Top on the test part changes for the last time at {{ methods | each("{method} iteration
        {at:.0f} (to {end:.0f}; {most:.0f} at most, at iteration {first:.0f})") | join(", ") }}.
        {% for value in exact %}At the certified optimum it is {{ value | to(".0f") }}.{% endfor %}""",
        at_top,
        ("figure2",),
    ),
    Finding(
        "residuals",
        "When the residuals are small",
        """Iterations until the residuals add up to less than the published tolerance: {{ methods |
        each("{method} {stop:.0f}", "{method} never") | join(", ") }}.""",
        residuals,
        ("figure3",),
    ),
    Finding(
        "roc",
        "How alike the ROC curves are",
        """{% set words = "{method} {area:.3f} ({top:.1%})" %} Areas under the ROC curve on the test part, and
        in brackets the share of the positives before the first negative (printed: similar): after the
        published stops {{ published_stop | each(words) | join(", ") }}; after all iterations
        {{ all_iterations | each(words) | join(", ") }}.""",
        roc,
        ("figure3",),
    ),
    Finding(
        "step",
        "How long the steps are",
        """Theorem 1 allows a step of at most {{ largest | to(".1e") }} here. The step used is larger by a
        factor of: {{ methods | each("{method} {factor:.2g}") | join(", ") }}.""",
        step,
        ("figure2",),
    ),
)
"""What is said of Figures 2 and 3."""
