"""Cost and memory of top ranking against the number of rows, and what they say of the real epsilon (K15)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core.sentence_templates import group_digits
from reproduction.plotting.style import (
    GREY,
    add_legend,
    label_panel,
    make_method_handles,
    make_panels,
    plot_hollow,
    use_style,
)
from reproduction.specs.labels import method_label, method_sort_key, method_styles
from reproduction.statistics.paired_tests import log_log_slope
from toprank.certificate import SUCCESS_STATUSES

EXTRAPOLATED_COLUMNS = (
    *("kind", "exponent_per_iteration", "exponent_setup", "fits", "study_seconds"),
    "iterations_assumed",
)
"""What `with_extrapolation` adds to the columns of a measurement."""

PASSES_ALLOWED = 2.0
"""Demanded: an iteration costs at most so many times the two passes that it needs."""


def with_extrapolation(
    table: pd.DataFrame, rows: int, max_iter: Mapping[str, int], fits: Mapping[str, tuple], inner_share: float
) -> pd.DataFrame:
    """Add what a fit, and all fits of a study, would take on a training part of ``rows`` rows.

    Seconds of a fit are setup plus iterations times the cost of one. Setup and cost follow power laws through
    the larger half of the measured sizes; beyond the largest one they are taken to be linear at the least, as
    the overheads that flatten them at small sizes end. The largest fit that ended by its own rule gives the
    iterations, or ``max_iter``, the most that there can be, where none did.

    `table`: rows of `experiment.size_costs`. `max_iter`: solver -> iterations after which a fit of the study
    ends. `fits`: solver -> the study's fits on inner folds and on whole training parts; one that the study
    does not fit is not extrapolated. `inner_share`: rows of an inner fold as a share of the training part.
    Returns: the rows of the table, of kind "measured", then one a solver of kind "extrapolated".
    """
    extrapolated = []
    for solver, line in table.groupby("solver", sort=False):
        line = line.dropna(subset=["seconds_per_iteration"]).sort_values("rows")
        if line.empty or solver not in fits:
            continue
        ended = line[line["status"].isin(SUCCESS_STATUSES)]
        n_iter = int(ended.iloc[-1]["n_iter"]) if len(ended) else max_iter[solver]
        step, step_exponent = _power_law(line, "seconds_per_iteration")
        setup, setup_exponent = _power_law(line, "setup_seconds")
        inner, whole = fits[solver]

        def seconds(n, step=step, setup=setup, n_iter=n_iter):
            return setup(n) + n_iter * step(n)

        last = line.iloc[-1]
        row = {"kind": "extrapolated", "solver": solver, "rows": rows, "features": last["features"]}
        row |= {"gigabytes": last["gigabytes"] * rows / last["rows"], "setup_seconds": setup(rows)}
        row |= {"seconds_per_iteration": step(rows), "seconds": seconds(rows), "n_iter": n_iter}
        row |= {"iterations_assumed": "of the largest fit that ended" if len(ended) else "at most"}
        row |= {"exponent_per_iteration": step_exponent, "exponent_setup": setup_exponent}
        row |= {"fits": inner + whole}
        row |= {"study_seconds": inner * seconds(inner_share * rows) + whole * seconds(rows)}
        extrapolated.append(row)
    columns = list(dict.fromkeys(["kind", *table.columns, *EXTRAPOLATED_COLUMNS]))
    joined = [{"kind": "measured", **row} for row in table.to_dict("records")] + extrapolated
    return pd.DataFrame(joined, columns=columns)


def _power_law(line: pd.DataFrame, quantity: str):
    """Return the function n -> cost and its exponent, from the larger half of the sizes."""
    known = line[line[quantity] > 0]
    larger = known.iloc[len(known) // 2 :] if len(known) > 3 else known
    exponent = log_log_slope(larger["rows"], larger[quantity])
    if known.empty:
        return (lambda n: 0.0), float("nan")
    last = known.iloc[-1]

    def cost(n):
        power = exponent if n < last["rows"] and not np.isnan(exponent) else np.fmax(exponent, 1.0)
        return float(last[quantity] * (n / last["rows"]) ** power)

    return cost, exponent


@use_style
def figure_scale(table: pd.DataFrame) -> Figure:
    """Draw cost per iteration and seconds of a whole fit against the rows.

    `table`: rows of `with_extrapolation`. An open marker is a fit that a limit stopped, a star what
    is extrapolated.
    """
    styles = method_styles(table["solver"])
    measured, beyond = (table[table["kind"] == kind] for kind in ("measured", "extrapolated"))
    figure, ((left, right),) = make_panels(3.7, 1, 2)
    passes = 2.0 * measured.groupby("rows")["pass_seconds"].median()
    left.plot(passes.index, passes, ":", color=GREY, linewidth=1.4, zorder=2)
    left.plot(passes.index, PASSES_ALLOWED * passes, "--", color="#999999", linewidth=0.8, zorder=1)
    for solver, style in styles.items():
        line = measured[measured["solver"] == solver].sort_values("rows")
        star = beyond[beyond["solver"] == solver]
        for axis, quantity in ((left, "seconds_per_iteration"), (right, "seconds")):
            stopped = ~line["status"].isin(SUCCESS_STATUSES) & (axis is right)
            axis.plot(line["rows"], line[quantity], color=style.colour, zorder=3)
            where = axis, line["rows"], line[quantity]
            plot_hollow(stopped, *where, style.marker, style.colour, zorder=3)
            edge = {"markeredgecolor": "white", "markeredgewidth": 0.4, "markersize": 8}
            axis.plot(star["rows"], star[quantity], "*", color=style.colour, zorder=4, **edge)
    for axis, label in ((left, "Time per iteration (s)"), (right, "Time of a whole fit (s)")):
        features = group_digits(table["features"].max())
        label_panel(axis, "xy", xlabel=f"Rows of {features} features (count)", ylabel=label)
    grey = {"color": GREY, "linestyle": "none"}
    handles = [
        Line2D([], [], color=GREY, linestyle=":", linewidth=1.4, label="two passes at the bandwidth"),
        Line2D([], [], color="#999999", linestyle="--", label="twice that"),
        Line2D([], [], marker="o", markerfacecolor="white", label="stopped by a limit", **grey),
        Line2D([], [], marker="*", markersize=7, label="extrapolated", **grey),
    ]
    add_legend(figure, make_method_handles(styles), len(styles))
    add_legend(figure, handles, len(handles), bbox_to_anchor=(0.5, 0.945))
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12, wspace=0.2)
    return figure


def describe(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    lines = [
        f"{row.method}: {row.seconds_per_iteration:.2g} s per iteration at {group_digits(row.rows)} rows"
        for row in _largest(table).itertuples()
    ]
    return (
        "Seconds per iteration (left) and of a whole fit (right) against the number of rows, all "
        f"logarithmic, with the time of two passes over the matrix at the measured bandwidth. "
        f"{'; '.join(lines)}."
    )


def _labelled(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Select the rows of a kind, in the order in which the solvers are shown, with their labels."""
    rows = table[table["kind"] == kind].sort_values("solver", key=lambda names: names.map(method_sort_key))
    return rows.assign(method=rows["solver"].map(method_label))


def _largest(table: pd.DataFrame) -> pd.DataFrame:
    """Select what was measured at the largest size: a row a solver."""
    measured = _labelled(table, "measured")
    return measured[measured["rows"] == measured["rows"].max()]
