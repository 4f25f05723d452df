"""What the dirty model of K15 shows, in numbers and in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.finding import Finding
from reproduction.labels import method_label, method_styles
from reproduction.papers.kadkhodaie2015 import dirty_model
from reproduction.papers.kadkhodaie2015.dirty_model import ACCELERATED, ADMM, FLOOR, FROM, RESTARTED, declared
from reproduction.statistics import log_log_slope


def objective(table: pd.DataFrame) -> dict | None:
    """Find the iterations at which the median objective of A2DM2 is no higher than the one of ADMM."""
    rows = declared(table, ADMM, ACCELERATED)
    if rows is None:
        return None
    later = rows[rows["iteration"] >= FROM]
    signed = _medians(later, "primal_gap")
    return {
        "draws": rows["seed"].nunique(),
        "iterations": len(signed),
        "start": FROM,
        "as_is": _compared(_medians(later.assign(primal_gap=later["primal_gap"].abs()), "primal_gap")),
        "feasible": _compared(_medians(later, "feasible_gap")),
        "below": (signed[ADMM] < 0.0).mean(),
    }


def _medians(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows.pivot_table(index="iteration", columns="method", values=column, aggfunc="median")


def _compared(medians: pd.DataFrame) -> dict:
    """Count the iterations at which A2DM2 is no higher than ADMM, and find from where on it always is."""
    holds = (medians[ACCELERATED] <= medians[ADMM]).to_numpy()
    since = medians.index[np.flatnonzero(~holds).max(initial=-1) + 1 :]
    return {"n": holds.sum(), "of": holds.size, "since": since[0] if len(since) else None}


def slopes(table: pd.DataFrame) -> dict | None:
    """Fit the exponent of the dual gap in the number of iterations, for each method."""
    rows = declared(table, ADMM, ACCELERATED)
    if rows is None:
        return None
    later = rows[(rows["iteration"] >= FROM) & (rows["dual_gap"] > FLOOR)]
    methods = []
    for method in method_styles(later["method"]):
        own = later[later["method"] == method]
        methods.append({"method": method_label(method)} | slopes_of(own, "dual_gap"))
    return {"start": FROM, "end": later["iteration"].max(), "methods": methods} if methods else None


def slopes_of(rows: pd.DataFrame, column: str) -> dict:
    """Fit the exponent of a column in the iterations: of its median over the draws, and of single draws."""
    median = rows.groupby("iteration")[column].median()
    single = [log_log_slope(run["iteration"], run[column]) for _, run in rows.groupby("seed")]
    slope = log_log_slope(median.index, median)
    return {"slope": slope, "least": min(single), "most": max(single), "draws": len(single)}


def bound(table: pd.DataFrame) -> dict | None:
    """Ask whether the bound of Theorem 1 held wherever the theorem gives one."""
    bounded = table[table["bound"].notna()]
    own = bounded[bounded["method"] == ACCELERATED]
    if own.empty or declared(table, ADMM, ACCELERATED) is None:
        return None
    others = bounded[bounded["method"] != ACCELERATED].groupby("method", sort=False)
    broken = (own["dual_gap"] > own["bound"]).sum()
    return {
        "holds": not broken,
        "iterations": len(own),
        "broken": broken,
        "most": (own["dual_gap"] / own["bound"]).max(),
        "others": [
            {"method": method_label(method), "share": (block["dual_gap"] > block["bound"]).mean()}
            for method, block in others
        ],
    }


def picture(table: pd.DataFrame) -> dict | None:
    """Rank the methods after the last iteration; the paper prints the restart below A2DM2 below ADMM."""
    rows = declared(table, *dirty_model.FAMILY)
    if rows is None:
        return None
    return {
        "iterations": rows["iteration"].max(),
        "panels": [
            {
                "measure": column.replace("_", " "),
                "methods": [
                    {"method": method_label(method), "value": value}
                    for method, value in medians.sort_values().items()
                ],
            }
            for column, medians in dirty_model.last_medians(table).iterrows()
        ],
        "restarts": dirty_model.restarts(table),
    }


def varied(table: pd.DataFrame) -> dict | None:
    """Find what a change of each setting does, on the first draw."""
    reached = dirty_model.iterations_to_reach(table)
    if len(reached) < 2 or declared(table, ADMM, ACCELERATED) is None:
        return None
    ends, lowest = dirty_model.last_gaps(table), []
    if RESTARTED in ends:
        lowest = list(ends.index[ends[RESTARTED] < ends.drop(columns=RESTARTED).min(axis=1)])
    methods = [method_label(method) for method in reached]
    settings = [
        {"name": name, "iterations": [{"n": None if np.isnan(n) else n} for n in row]}
        for name, row in zip(reached.index, reached.to_numpy(), strict=True)
    ]
    counted = reached.fillna(np.inf)
    return {
        "level": dirty_model.REACHED,
        "methods": methods,
        "settings": settings,
        "earlier": (counted[ACCELERATED] <= counted[ADMM]).sum(),
        "iterations": table["iteration"].max(),
        "lowest": lowest,
    }


FINDINGS = (
    Finding(
        "dirty-objective",
        "Dirty model: whose objective is lower",
        """{% macro at(found) %}{% if found.n == found.of %}at all of them
        {%- else %}at {{ found.n }} of {{ found.of }}
        {%- if found.since %}, at all from k = {{ found.since }} on{% endif %}{% endif %}{% endmacro %} Dirty
        model, medians over {{ draws }} draws at the {{ iterations }} recorded iterations k ≥ {{ start }}. The
        objective of A2DM2, measured by |F(x_k, y_k) − F*|, is no farther from F* than ADMM's
        {{ at(as_is) }}. Made feasible, as F(x_k, b − A x_k), it is no higher {{ at(feasible) }}. F(x_k, y_k)
        alone cannot rank methods: where the constraint does not hold it may lie below F*, and for ADMM it
        does so at
        {{ below | to(".0%") }} of them.""",
        objective,
        ("figure1",),
    ),
    Finding(
        "dirty-slopes",
        "Dirty model: how fast the dual gap falls",
        """Log-log slope of the median dual gap over {{ start }} ≤ k ≤ {{ end }} (and of single draws): {{
        methods | each("{method} {slope:.2f} ({least:.2f} to {most:.2f})") | join(", ") }}. Theorem 1
        promises A2DM2 a bound of slope −2.""",
        slopes,
        ("figure1",),
    ),
    Finding(
        "dirty-bound",
        "Dirty model: whether Theorem 1 holds",
        """The bound (4) of Theorem 1 {% if broken %}failed at {{ broken }} of{% else %}held at all{% endif %}
        {{ iterations }} recorded iterations of A2DM2 within the step that it allows. The dual gap is at
        most {{ most | to(".2f") }} of it.
        {% if others %}The theorem does not cover the others, which exceed it:
        {{ others | each("{method} at {share:.0%}") | join(", ") }}.{% endif %}""",
        bound,
        ("figure1",),
    ),
    Finding(
        "dirty-picture",
        "Dirty model: the order of the methods",
        """The paper prints A2DM2 below ADMM in all three panels, and the restart lowest. Ours after
        {{ iterations }} iterations, medians from the lowest (gaps as shares of the first iteration):
        {% for panel in panels %}{{ panel.measure }}: {{ panel.methods | each("{method} {value:.1e}") |
        join(", ") }}{{ "." if loop.last else "; " }}{% endfor %} The rule of equation (9) restarts {{
        restarts | each("after {restarts:.0f} of {iterations} iterations at η = {eta:g}") | join(", ") }}.""",
        picture,
        ("figure1",),
    ),
    Finding(
        "dirty-varied",
        "Dirty model: what each setting does",
        """Iterations until D* − D(λ_k) ≤ {{ level | to("g") }} F* on the first draw, for
        {{ methods | join(", ") }} (τ₁: the largest step of Theorem 1):
        {% for one in settings %}{{ one.name }}:
        {{ one.iterations | each("{n:.0f}", "never") | join(", ") }}{{ "." if loop.last else ";" }}
        {% endfor %}
        A2DM2 arrives no later than ADMM in {{ earlier }} of {{ settings | length }} settings. After
        {{ iterations }} iterations the restart has the smallest dual gap of all in {{ lowest | length }} of
        them
        {%- if lowest %}: {{ lowest | join(", ") }}{% endif %}.""",
        varied,
        ("figure1",),
    ),
)
"""What is said of Figure 1."""
