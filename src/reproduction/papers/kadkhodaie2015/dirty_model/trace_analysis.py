"""What the dirty model of K15 with elastic nets shows, in numbers and in sentences.

`table` is always the rows of the traces, with the columns `dirty_model.experiment.COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.plotting.style import thin_log
from reproduction.specs.labels import method_label, method_styles
from reproduction.statistics.paired_tests import log_log_slope

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
"""Metric, title and label of each panel."""

SETTINGS = {"ridge": "ridge", "mu": "μ", "eta": "η", "tau_share": "τ/τ₁"}
"""Setting -> how it is written; τ₁ is the largest step of Theorem 1."""

_RUN = ["kind", "seed", "method", *SETTINGS]


def declared(table: pd.DataFrame, *methods: str) -> pd.DataFrame | None:
    """Rows of the declared settings; None where one of the methods is missing."""
    rows = table[table["kind"] == "declared"]
    return rows if {*methods} <= {*rows["method"]} else None


def medians_and_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the lines and the bands of Figure 1, at the iterations that can be told apart.

    Returns: a row a method and an iteration: for each metric, columns with its median over the draws and its
    10th and 90th percentile (``<metric>_median``, ``_p10``, ``_p90``); of what has no band the median alone.
    """
    rows = normalised(declared(table))
    over, known = rows.groupby(["method", "iteration"]), {}
    for column, *_ in PANELS:
        known[f"{column}_median"] = over[column].median()
        known |= {f"{column}_p{q}": over[column].quantile(q / 100) for q in (10, 90)}
    known |= {f"{name}_median": over[name].median() for name in ("feasible_gap", "bound")}
    lines = dict(list(pd.DataFrame(known).reset_index().groupby("method")))
    shown = (lines[method] for method in method_styles(lines))
    return pd.concat([line[thin_log(line["iteration"])] for line in shown], ignore_index=True)


def last_medians(table: pd.DataFrame) -> pd.DataFrame:
    """Median over the draws after the last iteration: a row a metric of the panels, a column a method."""
    rows = normalised(declared(table))
    last = rows[rows["iteration"] == rows["iteration"].max()]
    return last.groupby("method")[[column for column, *_ in PANELS]].median().T


def iterations_to_reach(table: pd.DataFrame) -> pd.DataFrame:
    """First iteration with a dual gap of at most `REACHED` F*, on the first draw; NaN where there is none."""
    return _by_setting(
        table, lambda run: run.loc[run["dual_gap"] <= REACHED * run["optimal_objective"], "iteration"].min()
    )


def _by_setting(table: pd.DataFrame, metric: Callable[[pd.DataFrame], float]) -> pd.DataFrame:
    """Measure each run on the first draw: a row a setting, the declared one first; a column a method."""
    one = table[(table["seed"] == 0) & table["kind"].isin(["declared", *SETTINGS])]
    found: dict[str, dict[str, float]] = {}
    for (kind, *values, method), run in one.groupby(["kind", *SETTINGS, "method"], sort=False):
        changed = dict(zip(SETTINGS, values, strict=True)).get(kind)
        name = "declared" if changed is None else f"{SETTINGS[kind]} = {changed:g}"
        found.setdefault(name, {})[method] = metric(run)
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
                "metric": column.replace("_", " "),
                "methods": [
                    {"method": method_label(method), "value": value}
                    for method, value in medians.sort_values().items()
                ],
            }
            for column, medians in last_medians(table).iterrows()
        ],
        "restarts": restarts(table),
    }
