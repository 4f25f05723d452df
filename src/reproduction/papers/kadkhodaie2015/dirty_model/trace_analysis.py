"""Analysis of the traces on the dirty model of K15: lines of Figure 1, iterations to a gap, rates.

`table` is always the rows of the traces, with the columns `dirty_model.experiment.TRACE_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.plotting.style import thin_log
from reproduction.specs.labels import method_label, method_styles
from reproduction.statistics.paired_tests import log_log_slope

FAMILY = ADMM, ACCELERATED, RESTARTED = "admm", "a2dm2", "a2dm2_restart"

MIN_COMPARED_ITERATION = 50
"""Iteration from which the methods are compared and exponents are fitted: earlier ones are transient."""

TARGET_DUAL_GAP = 1e-4
"""Dual gap over F* at which the varied settings are compared."""

MIN_RELATIVE_GAP = 1e-13
"""Relative gaps are clipped here: smaller ones are rounding errors."""

PANELS = (
    ("primal_residual", "Primal residual ‖Axₖ + yₖ − b‖", "Residual (norm)"),
    ("primal_gap", "Primal gap |F(xₖ, yₖ) − F*|", "Gap / gap at k = 1"),
    ("dual_gap", "Dual gap D* − D(λₖ)", "Gap / gap at k = 1"),
)
"""Column, title and label of each panel."""

SETTING_SYMBOLS = {"ridge": "ridge", "mu": "μ", "eta": "η", "tau_share": "τ/τ₁"}
"""Setting -> its symbol; τ₁ is the largest step that Theorem 1 allows."""

_RUN_KEY = ["kind", "seed", "method", *SETTING_SYMBOLS]


def select_declared(table: pd.DataFrame, *methods: str) -> pd.DataFrame | None:
    """Select the traces at the declared settings.

    Parameters
    ----------
    table : DataFrame
        Traces.
    *methods : str
        Methods that have to be there.

    Returns
    -------
    DataFrame or None
        None where one of the methods is missing.
    """
    rows = table[table["kind"] == "declared"]
    return rows if {*methods} <= {*rows["method"]} else None


def compute_medians_and_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the lines and the bands of Figure 1, at the iterations that can be told apart.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    DataFrame
        A row for each method and iteration: for each quantity of the panels, its median over the draws and
        its 10th and 90th percentile (``_median``, ``_p10``, ``_p90``); of ``feasible_gap`` and ``bound`` the
        median alone.
    """
    rows = normalise_gaps(select_declared(table))
    groups, statistics = rows.groupby(["method", "iteration"]), {}
    for column, *_ in PANELS:
        # Median and the 10 % and 90 % points over the draws: gaps span many orders, and a mean would show the
        # worst draw.
        statistics[f"{column}_median"] = groups[column].median()
        statistics |= {f"{column}_p{q}": groups[column].quantile(q / 100) for q in (10, 90)}
    statistics |= {f"{name}_median": groups[name].median() for name in ("feasible_gap", "bound")}
    lines = dict(list(pd.DataFrame(statistics).reset_index().groupby("method")))
    ordered_lines = (lines[method] for method in method_styles(lines))
    return pd.concat([line[thin_log(line["iteration"])] for line in ordered_lines], ignore_index=True)


def compute_last_medians(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the medians over the draws after the last iteration.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    DataFrame
        A row for each quantity of the panels, a column for each method.
    """
    rows = normalise_gaps(select_declared(table))
    last = rows[rows["iteration"] == rows["iteration"].max()]
    return last.groupby("method")[[column for column, *_ in PANELS]].median().T


def count_iterations_to_target(table: pd.DataFrame) -> pd.DataFrame:
    """Count the iterations to a dual gap of at most `TARGET_DUAL_GAP` F*, on the first draw.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    DataFrame
        A row for each setting, a column for each method; NaN where the gap is never so small.
    """
    return _apply_by_setting(
        table,
        # The minimum of no iteration is NaN: a run that does not come so near.
        lambda run: run.loc[run["dual_gap"] <= TARGET_DUAL_GAP * run["optimal_objective"], "iteration"].min(),
    )


def _apply_by_setting(table: pd.DataFrame, compute: Callable[[pd.DataFrame], float]) -> pd.DataFrame:
    """Compute a number of each run on the first draw.

    The result has a row for each setting, the declared one first, and a column for each method.
    """
    first_draw = table[(table["seed"] == 0) & table["kind"].isin(["declared", *SETTING_SYMBOLS])]
    values_by_setting: dict[str, dict[str, float]] = {}
    for (kind, *values, method), run in first_draw.groupby(["kind", *SETTING_SYMBOLS, "method"], sort=False):
        # `kind` names the varied setting; "declared" is none of them and has no value.
        changed_value = dict(zip(SETTING_SYMBOLS, values, strict=True)).get(kind)
        name = "declared" if changed_value is None else f"{SETTING_SYMBOLS[kind]} = {changed_value:g}"
        values_by_setting.setdefault(name, {})[method] = compute(run)
    return pd.DataFrame.from_dict(values_by_setting, orient="index")[
        list(method_styles(first_draw["method"]))
    ]


def normalise_gaps(rows: pd.DataFrame) -> pd.DataFrame:
    """Divide gaps by their absolute value at the first iteration of their run, as the paper does.

    Parameters
    ----------
    rows : DataFrame
        Traces.

    Returns
    -------
    DataFrame
        The traces with non-negative relative gaps of at least `MIN_RELATIVE_GAP`.
    """
    rows = rows.sort_values("iteration", kind="stable")
    # Section 4: "normalized with their initial values, i.e. with their values at iteration k = 1".
    first = rows.groupby(_RUN_KEY)[["primal_gap", "feasible_gap", "dual_gap"]].transform("first").abs()
    relative_gaps = {name: (rows[name] / first[name]).abs().clip(lower=MIN_RELATIVE_GAP) for name in first}
    return rows.assign(bound=rows["bound"] / first["dual_gap"], **relative_gaps)


def count_restarts(table: pd.DataFrame) -> list[dict]:
    """Count the restarts of a run for each eta: the median over the draws.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    list of dict
        With ``eta``, ``restarts`` and ``iterations``.
    """
    runs = table[(table["method"] == RESTARTED) & table["kind"].isin(["declared", "eta"])]
    last = runs.loc[runs.groupby(_RUN_KEY)["iteration"].idxmax()]
    return [
        {"eta": eta, "restarts": eta_rows["restarts"].median(), "iterations": eta_rows["iteration"].max()}
        for eta, eta_rows in last.groupby("eta", sort=False)
    ]


def summarise_final_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise the dual gap over F* after the last iteration, over all draws, for each η and τ.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    DataFrame
        A row for each ``setting`` and ``method``: ``median``, ``p10`` and ``p90``. A run that diverged counts
        as infinite.
    """
    first = select_declared(table).iloc[0]
    # other settings of the method alone: the problem is the declared one
    runs = table[(table["ridge"] == first["ridge"]) & (table["mu"] == first["mu"])]
    last = runs.loc[runs.groupby(_RUN_KEY)["iteration"].idxmax()]
    gap = (last["dual_gap"] / last["optimal_objective"]).clip(lower=MIN_RELATIVE_GAP)
    # A run whose rows end before the last iteration has diverged.
    last = last.assign(gap=gap.where(last["iteration"] == table["iteration"].max(), np.inf))
    last = last.sort_values(["tau_share", "eta"], kind="stable")
    names = [f"τ/τ₁ = {run.tau_share:g}, η = {run.eta:g}" for run in last.itertuples()]
    gaps = last.assign(setting=names).groupby(["setting", "method"], sort=False)["gap"]
    # nearest percentiles: those of an infinite gap cannot be interpolated
    percentiles = {
        name: gaps.quantile(q, interpolation="nearest") for name, q in (("p10", 0.1), ("p90", 0.9))
    }
    return pd.DataFrame({"median": gaps.median(), **percentiles}).reset_index()


def fit_exponents(rows: pd.DataFrame, column: str) -> dict:
    """Fit the exponent of a column in the iterations: of its median over the draws, and of single draws.

    Parameters
    ----------
    rows : DataFrame
        Traces of one method.
    column : str
        A positive quantity.

    Returns
    -------
    dict
        ``slope`` of the median; ``least`` and ``most`` of the single draws; ``draws``, their number.
    """
    # The slope of the median's logarithm on that of k: a rate O(1/k^p) shows as −p on the trace.
    median = rows.groupby("iteration")[column].median()
    draw_slopes = [log_log_slope(run["iteration"], run[column]) for _, run in rows.groupby("seed")]
    slope = log_log_slope(median.index, median)
    return {"slope": slope, "least": min(draw_slopes), "most": max(draw_slopes), "draws": len(draw_slopes)}


def check_bound(table: pd.DataFrame) -> dict | None:
    """Check whether the bound (4) of Theorem 1 held at each iteration for which the theorem gives one.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    dict or None
        Facts of the claim and whether it ``holds``; None where no bound was recorded.
    """
    bounded = table[table["bound"].notna()]
    # The theorem is on A2DM2 (Algorithm 2) alone; how often ADMM and the restart break the bound is shown
    # beside it.
    accelerated = bounded[bounded["method"] == ACCELERATED]
    if accelerated.empty or select_declared(table, ADMM, ACCELERATED) is None:
        return None
    other_methods = bounded[bounded["method"] != ACCELERATED].groupby("method", sort=False)
    n_violations = (accelerated["dual_gap"] > accelerated["bound"]).sum()
    return {
        "holds": not n_violations,
        "iterations": len(accelerated),
        "broken": n_violations,
        "most": (accelerated["dual_gap"] / accelerated["bound"]).max(),
        "others": [
            {"method": method_label(method), "share": (method_rows["dual_gap"] > method_rows["bound"]).mean()}
            for method, method_rows in other_methods
        ],
    }


def collect_panel_facts(table: pd.DataFrame) -> dict | None:
    """Order the methods by their medians after the last iteration, panel by panel.

    The paper has A2DM2 with restart below A2DM2, and that below ADMM.

    Parameters
    ----------
    table : DataFrame
        Traces.

    Returns
    -------
    dict or None
        Facts for the sentences on Figure 1; None where a method of the family is missing.
    """
    rows = select_declared(table, *FAMILY)
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
            for column, medians in compute_last_medians(table).iterrows()
        ],
        "restarts": count_restarts(table),
    }
