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
from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    add_legend,
    label_panel,
    make_method_handles,
    make_panels,
    placeholder_figure,
    set_log_scale,
    use_style,
)
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label, method_sort_key, method_styles
from reproduction.specs.table_views import Cell

PROBLEM = ["dataset", "feature_scaling", "alpha"]
COSTS = ("seconds", "iterations")
SOLVED = """Problems (a data set, a feature scaling and a λ) solved on objective (11), at the best ρ in
hindsight: {% for one in levels %}to {{ one.level | to("g") }}, of {{ one.problems }}: {{ one.methods |
each("{method} {solved} (median {seconds:.2g} s)", "{method} {solved}") | join(", ") }}
{{- "." if loop.last else ";" }} {% endfor %}"""
"""Sentence on the facts of `solved`."""


def in_hindsight(table: pd.DataFrame) -> pd.DataFrame:
    """Keep of each method, problem and level the row of the best rho."""
    return table[table["best_rho"].astype("boolean").fillna(False)]


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of a profile: the best rho, where w = 0 does not reach the level already."""
    best = in_hindsight(table)
    return best[best["zero"] > best["level"]]


def _levels(table: pd.DataFrame) -> list[float]:
    """List the levels of the profiles, the loosest first."""
    return sorted(set(compared(table)["level"]), reverse=True)


def costs(table: pd.DataFrame, level: float, quantity: str) -> pd.DataFrame:
    """Cost of each method (columns) on each problem (rows) at one level; infinite where it failed."""
    rows = compared(table)
    rows = rows[rows["level"] == level]
    return rows.set_index([*PROBLEM, "method"])[quantity].unstack("method")


def profile(costs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute a performance profile (Dolan and Moré 2002).

    `costs`: problems by methods; infinite (or NaN) where a method failed. Returns: method -> its ratios to
    the best method of each problem, in increasing order, infinite where it failed. The profile at tau is the
    share of them that is at most tau.
    """
    solved = costs.where(np.isfinite(costs))
    ratios = solved.div(solved.min(axis=1), axis=0).fillna(np.inf)
    return {method: np.sort(of_method) for method, of_method in ratios.items()}


@use_style
def figure_suboptimality(table: pd.DataFrame) -> Figure:
    """Draw a performance profile for each level, in seconds.

    `table`: with the columns `suboptimality.experiment.COLUMNS`.
    """
    shares = profiles(table)
    if shares.empty:
        return placeholder_figure("no problem whose optimum is not w = 0")
    styles, levels = method_styles(table["method"]), sorted(set(shares["level"]), reverse=True)
    figure, (axes,) = make_panels(2.7, 1, len(levels), sharex=True, sharey=True)
    in_seconds = shares[shares["cost"] == "seconds"]
    farthest = 1.5 * max(2.0, in_seconds["factor"].max())
    solvers = {name for name, share in in_seconds.groupby("method")["share"].max().items() if share > 0}
    for axis, level in zip(axes, levels, strict=True):
        of_panel = in_seconds[in_seconds["level"] == level]
        for method, style in styles.items():
            steps = of_panel[of_panel["method"] == method]
            if steps["share"].max() > 0.0:
                x, y = [*steps["factor"], farthest], [*steps["share"], steps["share"].iloc[-1]]
                marks = {"marker": style.marker, "markersize": 2.6, "markevery": range(1, len(steps))}
                axis.plot(x, y, color=style.colour, drawstyle="steps-post", **marks)
        set_log_scale(axis.xaxis, 0.9, farthest)
        label_panel(axis, xlabel="Time (factor of the fastest)")
        axis.set_title(_title(level, of_panel), size=SMALL_TEXT_SIZE)
    axes[0].set_ylabel("Problems solved (share)")
    axes[0].set_ylim(-0.03, 1.06)
    shown = {method: style for method, style in styles.items() if method in solvers}
    add_legend(figure, make_method_handles(shown), 5)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.76, bottom=0.16, wspace=0.08)
    return figure


def profiles(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the steps of all profiles.

    Returns: columns cost ("seconds" or "iterations"), level, problems (how many there are), method, factor
    and share: from this factor of the best method's cost on, this share of the problems is solved. A method
    that solves none has one row, of share 0.
    """
    found = []
    for quantity, level in product(COSTS, _levels(table)):
        cost = costs(table, level, quantity)
        for method, ratios in profile(cost).items():
            known = {"cost": quantity, "level": level, "problems": len(cost), "method": method}
            factors = [1.0, *ratios[np.isfinite(ratios)]]
            found += [known | {"factor": f, "share": i / ratios.size} for i, f in enumerate(factors)]
    return pd.DataFrame(found, columns=["cost", "level", "problems", "method", "factor", "share"])


def _title(level: float, of_panel: pd.DataFrame) -> str:
    """Say what is reached, and by whom never: the lines of those would lie on the axis."""
    solved = of_panel.groupby("method")["share"].max()
    never = sorted(solved.index[solved == 0.0], key=method_sort_key)
    names = f"never: {', '.join(map(method_label, never))}" if never else ""
    return "\n".join([f"to {level:g} ({of_panel['problems'].iloc[0]} problems)", *wrap(names, 40)])


def describe(table: pd.DataFrame) -> str:
    """Describe the profiles in words, for readers who do not see them."""
    words, facts = "Performance profiles, a panel a level, in seconds.", solved(table)
    return f"{words} {fill_template(SOLVED, facts)}" if facts else words


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Set iterations and seconds to each level side by side, at the best rho in hindsight.

    Returns: text: dataset, features, alpha, method, note ("" or why there is nothing to measure), and one
    column a level, such as "1e-04", of cells with "iterations / seconds" or "∞", which sort by the
    iterations. The best rho stands in brackets. A data set that was not obtained has one row, and so has a
    problem on which w = 0 reaches the smallest level.
    """
    names = [f"{level:.0e}" for level in sorted(set(table["level"].dropna()), reverse=True)]
    blank = dict.fromkeys(("dataset", "feature_scaling", "alpha", "method", "note"), "")
    blank |= dict.fromkeys(names, Cell("–", is_absent=True))
    rows = []
    for (dataset, scaling), block in table.groupby(["dataset", "feature_scaling"], sort=False):
        about = {"dataset": dataset, "feature_scaling": scaling}
        missing = block.loc[block["status"] == STATUS_NOT_OBTAINED, "message"].head(1)
        rows += [about | {"note": f"not obtained: {why}"} for why in missing]
        for alpha, problem in in_hindsight(block).groupby("alpha"):
            row = about | {"alpha": f"{alpha:g}"}
            if (problem["status"] == "zero").all():
                rows.append(row | {"note": "w = 0 is optimal"})
                continue
            for method in sorted(set(problem["method"]), key=method_sort_key):
                cells = problem[problem["method"] == method].to_dict("records")
                of_levels = {f"{cell['level']:.0e}": _cell(cell) for cell in cells}
                rows.append(row | {"method": method_label(method)} | of_levels)
    return pd.DataFrame([blank | row for row in rows], columns=list(blank))


def _cell(row: Mapping) -> Cell:
    if row["zero"] <= row["level"]:
        return Cell("at w = 0", 0.0)
    if not np.isfinite(row["iterations"]):
        return Cell("∞", math.inf)
    rho = f" (ρ {row['rho']:g})" if row["rho"] > 0 else ""
    return Cell(f"{row['iterations']:.0f} / {row['seconds']:.2g} s{rho}", row["iterations"])


def solved(table: pd.DataFrame) -> dict | None:
    """Count how many problems each method solves to each level."""
    levels = []
    for level in _levels(table):
        found = costs(table, level, "seconds")
        done, median = np.isfinite(found).sum(), found.median()
        methods = [
            {"method": method_label(name), "solved": done[name]}
            | {"seconds": median[name] if np.isfinite(median[name]) else None}
            for name in sorted(found.columns, key=method_sort_key)
        ]
        levels.append({"level": level, "problems": len(found), "methods": methods})
    return {"levels": levels} if levels else None
