"""What the dirty model of K15 with elastic nets shows, in numbers and in sentences.

`table` is always the rows of the traces, with the columns `dirty_model.measure.COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.finding import Finding
from reproduction.labels import method_label, method_styles
from reproduction.statistics import log_log_slope
from reproduction.style import in_log_steps

FAMILY = ADMM, ACCELERATED, RESTARTED = "admm", "a2dm2", "a2dm2_restart"

FROM = 50
"""Iteration from which the methods are compared and the slopes are measured."""

REACHED = 1e-4
"""Dual gap over F* that the varied settings are compared at."""

FLOOR = 1e-13
"""What is drawn of a normalised gap that is smaller: it is rounding."""

PANELS = (
    ("primal_residual", "Primal residual ‖Axₖ + yₖ − b‖", "Residual (norm)"),
    ("primal_gap", "Primal gap |F(xₖ, yₖ) − F*|", "Gap / gap at k = 1"),
    ("dual_gap", "Dual gap D* − D(λₖ)", "Gap / gap at k = 1"),
)
"""Measure, title and label of each panel."""

SETTINGS = {"ridge": "ridge", "mu": "μ", "eta": "η", "tau_share": "τ/τ₁"}
"""Setting -> how it is written; τ₁ is the largest step of Theorem 1."""

_RUN = ["kind", "seed", "method", *SETTINGS]


def declared(table: pd.DataFrame, *methods: str) -> pd.DataFrame | None:
    """Rows of the declared settings; None where one of the methods is missing."""
    rows = table[table["kind"] == "declared"]
    return rows if {*methods} <= {*rows["method"]} else None


def medians_and_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the lines and the bands of Figure 1, at the iterations that can be told apart.

    Returns: a row a method and an iteration: for each measure, columns with its median over the draws and its
    10th and 90th percentile (``<measure>_median``, ``_p10``, ``_p90``); of what has no band the median alone.
    """
    rows = normalised(declared(table))
    over, known = rows.groupby(["method", "iteration"]), {}
    for column, *_ in PANELS:
        known[f"{column}_median"] = over[column].median()
        known |= {f"{column}_p{q}": over[column].quantile(q / 100) for q in (10, 90)}
    known |= {f"{name}_median": over[name].median() for name in ("feasible_gap", "bound")}
    lines = dict(list(pd.DataFrame(known).reset_index().groupby("method")))
    shown = (lines[method] for method in method_styles(lines))
    return pd.concat([line[in_log_steps(line["iteration"])] for line in shown], ignore_index=True)


def last_medians(table: pd.DataFrame) -> pd.DataFrame:
    """Median over the draws after the last iteration: a row a measure of the panels, a column a method."""
    rows = normalised(declared(table))
    last = rows[rows["iteration"] == rows["iteration"].max()]
    return last.groupby("method")[[column for column, *_ in PANELS]].median().T


def iterations_to_reach(table: pd.DataFrame) -> pd.DataFrame:
    """First iteration with a dual gap of at most `REACHED` F*, on the first draw; NaN where there is none."""
    return _by_setting(
        table, lambda run: run.loc[run["dual_gap"] <= REACHED * run["optimal_objective"], "iteration"].min()
    )


def last_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """Dual gap over F* at the last iteration, on the first draw; 0 where it is rounding."""

    def last(run):
        gap, best = run.loc[run["iteration"].idxmax(), ["dual_gap", "optimal_objective"]]
        return gap / best if gap > FLOOR * best else 0.0

    return _by_setting(table, last)


def _by_setting(table: pd.DataFrame, measure: Callable[[pd.DataFrame], float]) -> pd.DataFrame:
    """Measure each run on the first draw: a row a setting, the declared one first; a column a method."""
    one = table[(table["seed"] == 0) & table["kind"].isin(["declared", *SETTINGS])]
    found: dict[str, dict[str, float]] = {}
    for (kind, *values, method), run in one.groupby(["kind", *SETTINGS, "method"], sort=False):
        changed = dict(zip(SETTINGS, values, strict=True)).get(kind)
        name = "declared" if changed is None else f"{SETTINGS[kind]} = {changed:g}"
        found.setdefault(name, {})[method] = measure(run)
    return pd.DataFrame.from_dict(found, orient="index")[list(method_styles(one["method"]))]


def normalised(rows: pd.DataFrame) -> pd.DataFrame:
    """Put gaps over their absolute value at the first iteration of their run, as the paper does."""
    rows = rows.sort_values("iteration", kind="stable")
    first = rows.groupby(_RUN)[["primal_gap", "feasible_gap", "dual_gap"]].transform("first").abs()
    known = {name: (rows[name] / first[name]).abs().clip(lower=FLOOR) for name in first}
    return rows.assign(bound=rows["bound"] / first["dual_gap"], **known)


def restarts(table: pd.DataFrame) -> list[dict]:
    """Count the iterations of a run that were followed by a restart, by eta: the median over the draws."""
    runs = table[(table["method"] == RESTARTED) & table["kind"].isin(["declared", "eta"])]
    last = runs.loc[runs.groupby(_RUN)["iteration"].idxmax()]
    return [
        {"eta": eta, "restarts": block["restarts"].median(), "iterations": block["iteration"].max()}
        for eta, block in last.groupby("eta", sort=False)
    ]


def gaps_of_steps(table: pd.DataFrame) -> pd.DataFrame:
    """Dual gap over F* after the last iteration, over all draws, for each η and τ that was tried.

    Returns: a row a setting and a method: ``median``, ``p10`` and ``p90``. A run that diverged is infinite.
    """
    first = declared(table).iloc[0]
    runs = table[(table["ridge"] == first["ridge"]) & (table["mu"] == first["mu"])]
    last = runs.loc[runs.groupby(_RUN)["iteration"].idxmax()]
    gap = (last["dual_gap"] / last["optimal_objective"]).clip(lower=FLOOR)
    last = last.assign(gap=gap.where(last["iteration"] == table["iteration"].max(), np.inf))
    last = last.sort_values(["tau_share", "eta"], kind="stable")
    names = [f"τ/τ₁ = {one.tau_share:g}, η = {one.eta:g}" for one in last.itertuples()]
    over = last.assign(setting=names).groupby(["setting", "method"], sort=False)["gap"]
    between = {name: over.quantile(q, interpolation="nearest") for name, q in (("p10", 0.1), ("p90", 0.9))}
    return pd.DataFrame({"median": over.median(), **between}).reset_index()


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
    rows = declared(table, *FAMILY)
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
            for column, medians in last_medians(table).iterrows()
        ],
        "restarts": restarts(table),
    }


def varied(table: pd.DataFrame) -> dict | None:
    """Find what a change of each setting does, on the first draw."""
    reached = iterations_to_reach(table)
    if len(reached) < 2 or declared(table, ADMM, ACCELERATED) is None:
        return None
    ends, lowest = last_gaps(table), []
    if RESTARTED in ends:
        lowest = list(ends.index[ends[RESTARTED] < ends.drop(columns=RESTARTED).min(axis=1)])
    methods = [method_label(method) for method in reached]
    settings = [
        {"name": name, "iterations": [{"n": None if np.isnan(n) else n} for n in row]}
        for name, row in zip(reached.index, reached.to_numpy(), strict=True)
    ]
    counted = reached.fillna(np.inf)
    return {
        "level": REACHED,
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
