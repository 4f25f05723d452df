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
    one = table[(table["seed"] == 0) & table["kind"].isin(["declared", *SETTINGS])]
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


def restarts(table: pd.DataFrame) -> list[dict]:
    """Count the iterations of a run that were followed by a restart, by eta: the median over the draws."""
    runs = table[(table["method"] == RESTARTED) & table["kind"].isin(["declared", "eta"])]
    last = runs.loc[runs.groupby(_RUN)["iteration"].idxmax()]
    return [
        {"eta": eta, "restarts": block["restarts"].median(), "iterations": block["iteration"].max()}
        for eta, block in last.groupby("eta", sort=False)
    ]


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
