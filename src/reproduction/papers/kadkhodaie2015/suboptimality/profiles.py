"""Iterations and seconds to levels of suboptimality: performance profiles, a compact table, sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from textwrap import wrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core.sentence_templates import fill_template
from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    label_panel,
    make_panels,
    placeholder_figure,
    set_log_scale,
    use_style,
)
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label, method_sort_key, method_styles
from reproduction.specs.table_views import Cell

PROBLEM_KEY = ["dataset", "feature_scaling", "alpha"]
COSTS = ("seconds", "iterations")
SOLVED_TEXT = """Problems (a data set, a feature scaling and a λ) solved on objective (11), at the best ρ in
hindsight: {% for row in levels %}to {{ row.level | to("g") }}, of {{ row.problems }}: {{ row.methods |
each("{method} {solved} (median {seconds:.2g} s)", "{method} {solved}") | join(", ") }}
{{- "." if loop.last else ";" }} {% endfor %}"""
"""Template on the facts of `count_solved`."""


def select_best_rho(table: pd.DataFrame) -> pd.DataFrame:
    """Select for each method, problem and level the row of the best ρ in hindsight.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    DataFrame
    """
    return table[table["best_rho"].astype("boolean").fillna(False)]


def select_profile_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of a performance profile: the best ρ, where w = 0 does not reach the level already.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    DataFrame
    """
    # where w = 0 is within the level already, any method has it for nothing
    best = select_best_rho(table)
    return best[best["zero_suboptimality"] > best["level"]]


def _list_levels(table: pd.DataFrame) -> list[float]:
    """List the levels of the profiles, the loosest first."""
    return sorted(set(select_profile_rows(table)["level"]), reverse=True)


def pivot_costs(table: pd.DataFrame, level: float, quantity: str) -> pd.DataFrame:
    """Pivot the cost of each method on each problem at one level.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.
    level : float
    quantity : {"seconds", "iterations"}

    Returns
    -------
    DataFrame
        A row for each problem (`PROBLEM_KEY`), a column for each method; infinite where it failed.
    """
    rows = select_profile_rows(table)
    # problems in rows, methods in columns; infinite where the level was not reached
    rows = rows[rows["level"] == level]
    return rows.set_index([*PROBLEM_KEY, "method"])[quantity].unstack("method")


def compute_ratios(costs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute the ratios of a performance profile (Dolan and Moré 2002).

    The profile of a method at tau is the share of its ratios that is at most tau.

    Parameters
    ----------
    costs : DataFrame
        Problems by methods; infinite (or NaN) where a method failed.

    Returns
    -------
    dict of str to ndarray
        Method -> its cost over that of the best method of each problem, in increasing order; infinite where
        it failed.
    """
    # (problems, methods); a problem that no method solved has no minimum, and each ratio is infinite.
    finite_costs = costs.where(np.isfinite(costs))
    # the ratio to the best method of each problem; a failure counts as infinite
    ratios = finite_costs.div(finite_costs.min(axis=1), axis=0).fillna(np.inf)
    return {method: np.sort(method_ratios) for method, method_ratios in ratios.items()}


@use_style
def draw_suboptimality(table: pd.DataFrame) -> Figure:
    """Draw a performance profile in seconds for each level.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    Figure
    """
    shares = compute_profiles(table)
    if shares.empty:
        return placeholder_figure("no problem whose optimum is not w = 0")
    styles, levels = method_styles(table["method"]), sorted(set(shares["level"]), reverse=True)
    figure, (axes,) = make_panels(2.7, 1, len(levels), sharex=True, sharey=True)
    in_seconds = shares[shares["cost"] == "seconds"]
    # each curve goes on to the right edge, half as far again as the slowest solved problem
    farthest = 1.5 * max(2.0, in_seconds["factor"].max())
    solvers = {name for name, share in in_seconds.groupby("method")["share"].max().items() if share > 0}
    for ax, level in zip(axes, levels, strict=True):
        panel_rows = in_seconds[in_seconds["level"] == level]
        for method, style in styles.items():
            steps = panel_rows[panel_rows["method"] == method]
            # a curve without a step would lie on the axis: the title names the method
            if steps["share"].max() > 0.0:
                x, y = [*steps["factor"], farthest], [*steps["share"], steps["share"].iloc[-1]]
                marks = {"marker": style.marker, "markersize": 2.6, "markevery": range(1, len(steps))}
                ax.plot(x, y, color=style.colour, drawstyle="steps-post", **marks)
        set_log_scale(ax.xaxis, 0.9, farthest)
        label_panel(ax, xlabel="Time (factor of the fastest)")
        ax.set_title(_panel_title(level, panel_rows), size=SMALL_TEXT_SIZE)
    axes[0].set_ylabel("Problems solved (share)")
    axes[0].set_ylim(-0.03, 1.06)
    shown_styles = {method: style for method, style in styles.items() if method in solvers}
    add_legend(figure, make_method_handles(shown_styles), 5)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.76, bottom=0.16, wspace=0.08)
    return figure


def compute_profiles(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the steps of all performance profiles.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    DataFrame
        Columns cost ("seconds" or "iterations"), level, problems (how many there are), method, factor and
        share: from this factor of the best method's cost on, this share of the problems is solved. A method
        that solves none has one row, of share 0.
    """
    rows = []
    for quantity, level in product(COSTS, _list_levels(table)):
        cost = pivot_costs(table, level, quantity)
        for method, ratios in compute_ratios(cost).items():
            identity = {"cost": quantity, "level": level, "problems": len(cost), "method": method}
            # The steps of ρ(τ) = share of problems with ratio ≤ τ: the i-th smallest ratio lifts the curve to
            # i/n.
            factors = [1.0, *ratios[np.isfinite(ratios)]]
            rows += [identity | {"factor": f, "share": i / ratios.size} for i, f in enumerate(factors)]
    return pd.DataFrame(rows, columns=["cost", "level", "problems", "method", "factor", "share"])


def _panel_title(level: float, panel_rows: pd.DataFrame) -> str:
    """Write the level of a panel, and the methods that never reach it: their lines would lie on the axis."""
    solved_shares = panel_rows.groupby("method")["share"].max()
    never = sorted(solved_shares.index[solved_shares == 0.0], key=method_sort_key)
    names = f"never: {', '.join(map(method_label, never))}" if never else ""
    return "\n".join([f"to {level:g} ({panel_rows['problems'].iloc[0]} problems)", *wrap(names, 40)])


def describe(table: pd.DataFrame) -> str:
    """Describe the profiles in words, for readers who do not see them.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    str
    """
    words, facts = "Performance profiles, a panel a level, in seconds.", count_solved(table)
    return f"{words} {fill_template(SOLVED_TEXT, facts)}" if facts else words


def summarise_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Tabulate iterations and seconds to each level side by side, at the best ρ in hindsight.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    DataFrame
        Texts: dataset, features, alpha, method, note ("" or why there is nothing to measure), and one column
        for each level, such as "1e-04", of cells with "iterations / seconds" or "∞", which sort by the
        iterations. The best ρ stands in brackets. A data set that was not obtained has one row, and so has a
        problem on which w = 0 reaches the smallest level.
    """
    names = [f"{level:.0e}" for level in sorted(set(table["level"].dropna()), reverse=True)]
    blank = dict.fromkeys(("dataset", "feature_scaling", "alpha", "method", "note"), "")
    blank |= dict.fromkeys(names, Cell("–", is_absent=True))
    rows = []
    for (dataset, scaling), scaling_rows in table.groupby(["dataset", "feature_scaling"], sort=False):
        identity = {"dataset": dataset, "feature_scaling": scaling}
        missing = scaling_rows.loc[scaling_rows["status"] == STATUS_NOT_OBTAINED, "message"].head(1)
        rows += [identity | {"note": f"not obtained: {reason}"} for reason in missing]
        for alpha, problem in select_best_rho(scaling_rows).groupby("alpha"):
            row = identity | {"alpha": f"{alpha:g}"}
            # the optimum of the problem is w = 0: there is nothing to reach
            if (problem["status"] == "zero").all():
                rows.append(row | {"note": "w = 0 is optimal"})
                continue
            for method in sorted(set(problem["method"]), key=method_sort_key):
                cells = problem[problem["method"] == method].to_dict("records")
                level_cells = {f"{cell['level']:.0e}": _level_cell(cell) for cell in cells}
                rows.append(row | {"method": method_label(method)} | level_cells)
    return pd.DataFrame([blank | row for row in rows], columns=list(blank))


def _level_cell(row: Mapping) -> Cell:
    """Return the cell of a method at a level."""
    if row["zero_suboptimality"] <= row["level"]:
        return Cell("at w = 0", 0.0)
    if not np.isfinite(row["iterations"]):
        return Cell("∞", math.inf)
    rho = f" (ρ {row['rho']:g})" if row["rho"] > 0 else ""
    return Cell(f"{row['iterations']:.0f} / {row['seconds']:.2g} s{rho}", row["iterations"])


def count_solved(table: pd.DataFrame) -> dict | None:
    """Count the problems that each method solves to each level.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    dict or None
        Facts for `SOLVED_TEXT`; None where w = 0 reaches every level.
    """
    levels = []
    for level in _list_levels(table):
        # median over all problems: infinite where fewer than half were solved
        seconds = pivot_costs(table, level, "seconds")
        n_solved, median = np.isfinite(seconds).sum(), seconds.median()
        methods = [
            {"method": method_label(name), "solved": n_solved[name]}
            | {"seconds": median[name] if np.isfinite(median[name]) else None}
            for name in sorted(seconds.columns, key=method_sort_key)
        ]
        levels.append({"level": level, "problems": len(seconds), "methods": methods})
    return {"levels": levels} if levels else None


def state_profiles(table: pd.DataFrame) -> str:
    """State which method solves most problems to the tightest level, and which comes next.

    Parameters
    ----------
    table : DataFrame
        With the columns ``experiment.SUBOPTIMALITY_COLUMNS``.

    Returns
    -------
    str
    """
    facts = count_solved(table)
    if facts is None:
        return "No problem has an optimum other than w = 0."
    tightest = facts["levels"][-1]
    ordered = sorted(tightest["methods"], key=lambda row: -row["solved"])
    ends = ", then ".join(f"{row['method']} ({row['solved']})" for row in ordered[:2])
    return f"Most of {count_noun(tightest['problems'], 'problem')} solved to {tightest['level']:g}: {ends}."
