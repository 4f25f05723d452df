"""Figure 1 of K15, the dirty model with elastic nets: residual and gaps against iterations."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.labels import Style, method_label, method_styles
from reproduction.statistics import log_log_slope
from reproduction.style import (
    BAND,
    GREY,
    RC,
    SMALL,
    WIDTH,
    grid,
    in_log_steps,
    legend_above,
    log_scale,
    marked,
    method_handles,
)

ADMM, ACCELERATED, RESTARTED = "admm", "a2dm2", "a2dm2_restart"

FROM = 50
"""Iteration from which the methods are compared and the slopes are measured."""

REACHED = 1e-4
"""Dual gap over F* that the varied settings are compared at."""

FLOOR = 1e-13
"""What is drawn of a normalised gap that is smaller: it is rounding."""

PANELS = (
    ("primal_residual", "Primal residual ‖Axₖ + yₖ − b‖", "Residual (norm)"),
    ("primal_gap", "Primal gap |F(xₖ, yₖ) − F*|", "Gap (share of that at k = 1)"),
    ("dual_gap", "Dual gap D* − D(λₖ)", "Gap (share of that at k = 1)"),
)
"""Measure, title and label of each panel."""

SETTINGS = {"ridge": "ridge", "mu": "μ", "eta": "η", "tau_share": "τ/τ₁"}
"""Setting -> how it is written; τ₁ is the largest step of Theorem 1."""

_RUN = ["kind", "seed", "method", *SETTINGS]


def figure1(table: pd.DataFrame) -> Figure:
    """Draw the three panels of the paper, and below them how far each varied setting matters.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.

    Returns
    -------
    matplotlib.figure.Figure
        Lines are medians over the draws, bands reach from the 10th to the 90th percentile; gaps are absolute
        and over their value at the first iteration. Dashed: F(x_k, b − A x_k) − F*. Dotted: Theorem 1.
    """
    curves, styles = medians_and_bands(table), method_styles(table["method"])
    has_varied = bool((table["kind"] != "declared").any())
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 4.9 if has_varied else 2.7))
        cells = figure.add_gridspec(2 if has_varied else 1, 3, height_ratios=(3, 2) if has_varied else (1,))
        for i, (column, title, label) in enumerate(PANELS):
            axis = figure.add_subplot(cells[0, i])
            for j, (method, style) in enumerate(styles.items()):
                one = curves[curves["method"] == method]
                axis.plot(
                    one["iteration"],
                    one[f"{column}_median"],
                    color=style.colour,
                    marker=style.marker,
                    markersize=3,
                    markevery=marked(one["iteration"], j, len(styles), 5),
                )
                ends = one[f"{column}_p10"], one[f"{column}_p90"]
                axis.fill_between(one["iteration"], *ends, color=style.colour, alpha=BAND, linewidth=0)
                if column == "primal_gap":
                    look = {"color": style.colour, "linewidth": 0.8}
                    axis.plot(one["iteration"], one["feasible_gap_median"], "--", **look)
            if column == "dual_gap" and curves["bound_median"].notna().any():
                one = curves[curves["method"] == ACCELERATED]
                axis.plot(one["iteration"], one["bound_median"], ":", color=GREY, linewidth=0.8)
            log_scale(axis.xaxis)
            log_scale(axis.yaxis)
            axis.set_title(title, size=SMALL)
            axis.set_ylabel(label, size=SMALL)
            axis.set_xlabel("Iteration")
            grid(axis)
        if has_varied:
            _draw_varied(figure.add_subplot(cells[1, :]), table, styles)
        handles = [
            *method_handles(styles),
            Line2D([], [], color=GREY, linestyle="--", label="F(xₖ, b − Axₖ) − F*"),
            Line2D([], [], color=GREY, linestyle=":", label="bound of Theorem 1"),
        ]
        legend_above(figure, handles, 5)
        top, bottom = (0.89, 0.095) if has_varied else (0.8, 0.16)
        figure.subplots_adjust(left=0.075, right=0.985, top=top, bottom=bottom, wspace=0.36, hspace=0.45)
    return figure


def medians_and_bands(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the lines and the bands of Figure 1, at the iterations that can be told apart.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        A row a method and an iteration: for each measure, columns with its median over the draws and its 10th
        and 90th percentile (``<measure>_median``, ``_p10``, ``_p90``); of what has no band the median alone.
    """
    rows = _normalised(table[table["kind"] == "declared"])
    parts = []
    for method in method_styles(rows["method"]):
        over = rows[rows["method"] == method].groupby("iteration")
        known = {}
        for column, *_ in PANELS:
            known[f"{column}_median"] = over[column].median()
            known |= {f"{column}_p{q}": over[column].quantile(q / 100) for q in (10, 90)}
        known |= {f"{name}_median": over[name].median() for name in ("feasible_gap", "bound")}
        part = pd.DataFrame(known).reset_index()
        part.insert(0, "method", method)
        parts.append(part[in_log_steps(part["iteration"])])
    return pd.concat(parts, ignore_index=True)


def describe(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, for readers who do not see it."""
    rows = _normalised(table[table["kind"] == "declared"])
    last = rows[rows["iteration"] == rows["iteration"].max()].groupby("method")
    ends = "; ".join(
        f"{method_label(method)} {block['primal_residual'].median():.1e}, "
        f"{block['primal_gap'].median():.1e} and {block['dual_gap'].median():.1e}"
        for method, block in ((name, last.get_group(name)) for name in method_styles(rows["method"]))
    )
    return (
        "Primal residual, normalised primal gap and normalised dual gap against the iterations, all "
        f"logarithmic, with a band over {rows['seed'].nunique()} draws. Medians after "
        f"{rows['iteration'].max()} iterations: {ends}."
    )


def findings(table: pd.DataFrame) -> list[str]:
    """Say what the traces show; a sentence that does not apply is left out.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.

    Returns
    -------
    list of str
    """
    declared = table[table["kind"] == "declared"]
    if declared.empty or not {ADMM, ACCELERATED} <= set(declared["method"]):
        return []
    said = [
        objective_finding(declared),
        slope_finding(declared),
        bound_finding(table),
        picture_finding(table),
        varied_finding(table),
    ]
    return [sentence for sentence in said if sentence]


def objective_finding(declared: pd.DataFrame) -> str:
    """Say at which iterations the median objective of A2DM2 is no higher than that of ADMM."""
    later = declared[declared["iteration"] >= FROM]
    signed = _medians(later, "primal_gap")
    absolute = _compared(_medians(later.assign(primal_gap=later["primal_gap"].abs()), "primal_gap"))
    feasible = _compared(_medians(later, "feasible_gap"))
    below = float((signed[ADMM] < 0.0).mean())
    return (
        f"Dirty model, medians over {declared['seed'].nunique()} draws at the {len(signed)} recorded "
        f"iterations k ≥ {FROM}: the objective of {method_label(ACCELERATED)}, |F(x_k, y_k) − F*|, is no "
        f"farther from F* than that of {method_label(ADMM)} {absolute}; made feasible, F(x_k, b − A x_k), it "
        f"is no higher {feasible}. F(x_k, y_k) itself ranks nothing: off the constraint it may lie below F*, "
        f"as that of {method_label(ADMM)} does at {below:.0%} of them."
    )


def slope_finding(declared: pd.DataFrame) -> str:
    """Say the exponent of the dual gap in the number of iterations, of each method."""
    later = declared[(declared["iteration"] >= FROM) & (declared["dual_gap"] > FLOOR)]
    said = []
    for method in method_styles(later["method"]):
        own = later[later["method"] == method]
        median = own.groupby("iteration")["dual_gap"].median()
        slopes = [log_log_slope(block["iteration"], block["dual_gap"]) for _, block in own.groupby("seed")]
        said.append(
            f"{method_label(method)} {log_log_slope(median.index, median):.2f} "
            f"({min(slopes):.2f} to {max(slopes):.2f})"
        )
    if not said:
        return ""
    return (
        f"Log-log slope of the median dual gap over {FROM} ≤ k ≤ {later['iteration'].max()} (and of single "
        f"draws): {', '.join(said)}. Theorem 1 promises {method_label(ACCELERATED)} a bound of slope −2."
    )


def bound_finding(table: pd.DataFrame) -> str:
    """Say whether the bound of Theorem 1 held wherever the theorem gives one."""
    bounded = table[table["bound"].notna()]
    own = bounded[bounded["method"] == ACCELERATED]
    if own.empty:
        return ""
    broken = int((own["dual_gap"] > own["bound"]).sum())
    others = ", ".join(
        f"{method_label(method)} at {(block['dual_gap'] > block['bound']).mean():.0%}"
        for method, block in bounded[bounded["method"] != ACCELERATED].groupby("method", sort=False)
    )
    others = f" The theorem says nothing of the others, which exceed it: {others}." if others else ""
    return (
        f"The bound (4) of Theorem 1 {'held at all' if not broken else f'failed at {broken} of'} {len(own)} "
        f"recorded iterations of {method_label(ACCELERATED)} within the step that it allows; the dual gap is "
        f"at most {(own['dual_gap'] / own['bound']).max():.2f} of it.{others}"
    )


def picture_finding(table: pd.DataFrame) -> str:
    """Say whether the printed order, the restart before A2DM2 before ADMM, is that of our runs."""
    declared = table[table["kind"] == "declared"]
    if RESTARTED not in set(declared["method"]):
        return ""
    said = []
    for column, medians in last_medians(table).iterrows():
        ranked = ", ".join(f"{method_label(method)} {v:.1e}" for method, v in medians.sort_values().items())
        said.append(f"{column.replace('_', ' ')}: {ranked}")
    counts = restarts(table)
    return (
        "The paper prints A2DM2 below ADMM in all three panels, and the restart lowest. Ours after "
        f"{declared['iteration'].max()} iterations, medians from the lowest (gaps over those at the first "
        f"iteration): {'; '.join(said)}. The rule of equation (9) restarts {counts}."
    )


def last_medians(table: pd.DataFrame) -> pd.DataFrame:
    """Median over the draws of the measures of the three panels, after the last iteration.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        A row a measure, a column a method; gaps are over those at the first iteration.
    """
    rows = _normalised(table[table["kind"] == "declared"])
    last = rows[rows["iteration"] == rows["iteration"].max()]
    return last.groupby("method")[[column for column, *_ in PANELS]].median().T


def varied_finding(table: pd.DataFrame) -> str:
    """Say what a change of each setting does, on the first draw."""
    reached = iterations_to_reach(table)
    if len(reached) < 2:
        return ""
    said = [
        f"{name}: " + ", ".join(f"{'never' if np.isnan(k) else f'{k:.0f}'}" for k in row)
        for name, row in zip(reached.index, reached.to_numpy(), strict=True)
    ]
    earlier = int((reached[ACCELERATED].fillna(np.inf) <= reached[ADMM].fillna(np.inf)).sum())
    ends = last_gaps(table)
    lowest = []
    if RESTARTED in ends:
        lowest = list(ends.index[ends[RESTARTED] < ends.drop(columns=RESTARTED).min(axis=1)])
    return (
        f"Iterations until D* − D(λ_k) ≤ {REACHED:g} F* on the first draw, of "
        f"{', '.join(map(method_label, reached.columns))} (τ₁: the largest step of Theorem 1): "
        f"{'; '.join(said)}. {method_label(ACCELERATED)} is there no later than {method_label(ADMM)} in "
        f"{earlier} of {len(reached)} settings. After {table['iteration'].max()} iterations the restart has "
        f"the smallest dual gap of all in {len(lowest)} of them{': ' if lowest else ''}{', '.join(lowest)}."
    )


def iterations_to_reach(table: pd.DataFrame, share: float = REACHED) -> pd.DataFrame:
    """First recorded iteration with a dual gap of at most ``share`` F*, on the first draw.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.
    share : float

    Returns
    -------
    pandas.DataFrame
        A row a setting, the declared one first; a column a method; NaN where a run does not get there.
    """
    return _by_setting(
        table, lambda run: run.loc[run["dual_gap"] <= share * run["optimal_objective"], "iteration"].min()
    )


def last_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """Dual gap over F* at the last iteration, on the first draw.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the traces; see `reproduction.papers.kadkhodaie2015.dirty_traces.COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        A row a setting, the declared one first; a column a method; 0 where it is rounding.
    """

    def last(run):
        gap, best = run.loc[run["iteration"].idxmax(), ["dual_gap", "optimal_objective"]]
        return gap / best if gap > FLOOR * best else 0.0

    return _by_setting(table, last)


def _by_setting(table: pd.DataFrame, measure: Callable[[pd.DataFrame], float]) -> pd.DataFrame:
    """Measure each run on the first draw: a row a setting, a column a method."""
    one = table[table["seed"] == 0]
    found: dict[str, dict[str, float]] = {}
    for (kind, *values, method), run in one.groupby(["kind", *SETTINGS, "method"], sort=False):
        changed = dict(zip(SETTINGS, values, strict=True)).get(kind)
        name = "declared" if changed is None else f"{SETTINGS[kind]} = {changed:g}"
        found.setdefault(name, {})[method] = measure(run)
    return pd.DataFrame.from_dict(found, orient="index")[list(method_styles(one["method"]))]


def _normalised(rows: pd.DataFrame) -> pd.DataFrame:
    """Put gaps over their absolute value at the first iteration of their run, as the paper does."""
    rows = rows.sort_values("iteration", kind="stable")
    first = rows.groupby(_RUN)[["primal_gap", "feasible_gap", "dual_gap"]].transform("first").abs()
    known = {name: (rows[name] / first[name]).abs().clip(lower=FLOOR) for name in first}
    return rows.assign(bound=rows["bound"] / first["dual_gap"], **known)


def _medians(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Median over the draws: a row an iteration, a column a method."""
    return rows.pivot_table(index="iteration", columns="method", values=column, aggfunc="median")


def _compared(medians: pd.DataFrame) -> str:
    """Say at which iterations A2DM2 is no higher than ADMM."""
    holds = (medians[ACCELERATED] <= medians[ADMM]).to_numpy()
    if holds.all():
        return "at all of them"
    since = medians.index[np.flatnonzero(~holds)[-1] + 1 :]
    always = f", at all from k = {since[0]} on" if len(since) else ""
    return f"at {holds.sum()} of {holds.size}{always}"


def restarts(table: pd.DataFrame) -> str:
    """Say how many iterations of a run were followed by a restart, by eta."""
    runs = table[(table["method"] == RESTARTED) & table["kind"].isin(["declared", "eta"])]
    last = runs.loc[runs.groupby(_RUN)["iteration"].idxmax()]
    return ", ".join(
        f"after {block['restarts'].median():.0f} of {block['iteration'].max()} iterations at η = {eta:g}"
        for eta, block in last.groupby("eta", sort=False)
    )


def _draw_varied(axis: Axes, table: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw how many iterations each method needs in each setting; open markers: not enough."""
    reached, limit = iterations_to_reach(table), table["iteration"].max()
    places = np.arange(len(reached))
    for i, (method, style) in enumerate(styles.items()):
        needed = reached[method].to_numpy(dtype=float)
        at = places + 0.16 * (i - (len(styles) - 1) / 2)
        for mask, face in ((~np.isnan(needed), style.colour), (np.isnan(needed), "white")):
            axis.plot(
                at[mask],
                np.where(np.isnan(needed), 1.6 * limit, needed)[mask],
                style.marker,
                color=style.colour,
                markerfacecolor=face,
                markersize=4,
            )
    axis.axhline(1.25 * limit, color="#999999", linewidth=0.5)
    log_scale(axis.yaxis, 0.7 * float(reached.min(axis=None)), 2.2 * limit)
    axis.set_xticks(places, reached.index, size=SMALL)
    axis.set_xlabel("Setting that is varied")
    axis.set_ylabel("Iterations")
    axis.set_title(
        f"Until the dual gap is {REACHED:g} of F*, one setting varied at a time, first draw "
        f"(open: not within {limit})",
        size=SMALL,
    )
    grid(axis)
