"""Cost and memory of top ranking against the number of rows, and what they say of the real epsilon (K15)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.labels import Style, method_label, method_styles
from reproduction.statistics import log_log_slope
from reproduction.style import GREY, RC, WIDTH, grid, legend_above, log_scale, method_handles
from toprank.certificate import MET

EXTRAPOLATED_COLUMNS = (
    *("kind", "exponent_per_iteration", "exponent_setup", "fits", "study_seconds"),
    "iterations_assumed",
)
"""What `with_extrapolation` adds to the columns of a measurement."""

NEWTON = ("exact",)
"""Solvers whose iteration is a Newton step with a Hessian, not two passes over the matrix."""

PASSES_ALLOWED = 2.0
"""Demanded: an iteration costs at most so many times the two passes that it needs."""


def with_extrapolation(
    table: pd.DataFrame, rows: int, max_iter: Mapping[str, int], fits: Mapping[str, tuple], inner_share: float
) -> pd.DataFrame:
    """Add what a fit, and all fits of a study, would take on a training part of ``rows`` rows.

    Seconds of a fit are setup plus iterations times the cost of one. Setup and cost follow power laws through
    the larger half of the measured sizes; beyond the largest one they are taken to be linear at the least, as
    the overheads that flatten them at small sizes end. The iterations are those of the largest fit that ended
    by its own rule, or ``max_iter``, the most that there can be, where none did.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `reproduction.papers.kadkhodaie2015.size_costs.size_costs`.
    rows : int
    max_iter : mapping of str to int
        Solver -> iterations after which a fit of the study ends.
    fits : mapping of str to (int, int)
        Solver -> the study's fits on inner folds and on whole training parts; one that the study does not fit
        is not extrapolated.
    inner_share : float
        Rows of an inner fold as a share of the training part.

    Returns
    -------
    pandas.DataFrame
        The rows of the table, of kind "measured", then one a solver of kind "extrapolated".
    """
    extrapolated = []
    for solver, line in table.groupby("solver", sort=False):
        line = line.dropna(subset=["seconds_per_iteration"]).sort_values("rows")
        if line.empty or solver not in fits:
            continue
        ended = line[line["status"].isin(MET)]
        n_iter = int(ended.iloc[-1]["n_iter"]) if len(ended) else max_iter[solver]
        step, step_exponent = _power_law(line, "seconds_per_iteration")
        setup, setup_exponent = _power_law(line, "setup_seconds")
        inner, whole = fits[solver]

        def seconds(n, step=step, setup=setup, n_iter=n_iter):
            return setup(n) + n_iter * step(n)

        last = line.iloc[-1]
        extrapolated.append(
            {
                "kind": "extrapolated",
                "solver": solver,
                "rows": rows,
                "features": last["features"],
                "gigabytes": last["gigabytes"] * rows / last["rows"],
                "setup_seconds": setup(rows),
                "seconds_per_iteration": step(rows),
                "seconds": seconds(rows),
                "n_iter": n_iter,
                "iterations_assumed": "of the largest fit that ended" if len(ended) else "at most",
                "exponent_per_iteration": step_exponent,
                "exponent_setup": setup_exponent,
                "fits": inner + whole,
                "study_seconds": inner * seconds(inner_share * rows) + whole * seconds(rows),
            }
        )
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


def figure_scale(table: pd.DataFrame) -> Figure:
    """Draw cost per iteration and seconds of a whole fit against the rows.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `with_extrapolation`.

    Returns
    -------
    matplotlib.figure.Figure
        An open marker is a fit that a limit stopped, a star what is extrapolated.
    """
    styles = method_styles(table["solver"])
    measured, beyond = (table[table["kind"] == kind] for kind in ("measured", "extrapolated"))
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, 3.7))
        left, right = figure.subplots(1, 2)
        passes = 2.0 * measured.groupby("rows")["pass_seconds"].median()
        left.plot(passes.index, passes, ":", color=GREY, linewidth=1.4, zorder=2)
        left.plot(passes.index, PASSES_ALLOWED * passes, "--", color="#999999", linewidth=0.8, zorder=1)
        for solver, style in styles.items():
            line = measured[measured["solver"] == solver].sort_values("rows")
            star = beyond[beyond["solver"] == solver]
            for axis, quantity in ((left, "seconds_per_iteration"), (right, "seconds")):
                stopped = ~line["status"].isin(MET) & (axis is right)
                _line(axis, line, quantity, stopped, style)
                axis.plot(
                    star["rows"],
                    star[quantity],
                    "*",
                    color=style.colour,
                    markeredgecolor="white",
                    markeredgewidth=0.4,
                    markersize=8,
                    zorder=4,
                )
        left.set_ylabel("Time per iteration (s)")
        right.set_ylabel("Time of a whole fit (s)")
        for axis in (left, right):
            log_scale(axis.xaxis)
            log_scale(axis.yaxis)
            axis.set_xlabel(f"Rows of {_features(table)} features (count)")
            grid(axis)
        grey = {"color": GREY, "linestyle": "none"}
        handles = [
            Line2D([], [], color=GREY, linestyle=":", linewidth=1.4, label="two passes at the bandwidth"),
            Line2D([], [], color="#999999", linestyle="--", label="twice that: the demand"),
            Line2D([], [], marker="o", markerfacecolor="white", label="stopped by a limit", **grey),
            Line2D([], [], marker="*", markersize=7, label="extrapolated", **grey),
        ]
        legend_above(figure, method_handles(styles), len(styles))
        legend_above(figure, handles, len(handles), bbox_to_anchor=(0.5, 0.945))
        figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12, wspace=0.2)
    return figure


def _line(axis: Axes, line: pd.DataFrame, quantity: str, stopped: pd.Series, style: Style) -> None:
    axis.plot(line["rows"], line[quantity], color=style.colour, zorder=3)
    for part, face in ((line[~stopped], style.colour), (line[stopped], "white")):
        axis.plot(
            part["rows"],
            part[quantity],
            style.marker,
            color=style.colour,
            markerfacecolor=face,
            zorder=3,
        )


def describe(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it."""
    measured = table[table["kind"] == "measured"]
    lines = [
        f"{method_label(row.solver)}: {row.seconds_per_iteration:.2g} s per iteration "
        f"at {_count(row.rows)} rows"
        for row in _largest(measured).itertuples()
    ]
    return (
        "Seconds per iteration (left) and of a whole fit (right) against the number of rows, all "
        f"logarithmic, with the time of two passes over the matrix at the measured bandwidth. "
        f"{'; '.join(lines)}."
    )


def findings(table: pd.DataFrame) -> list[str]:
    """Say what the sizes cost, in sentences computed from the rows of `with_extrapolation`."""
    measured, beyond = (table[table["kind"] == kind] for kind in ("measured", "extrapolated"))
    largest = _largest(measured)
    if largest.empty:
        return []
    said = [_iteration_finding(largest), _memory_finding(largest), _fit_finding(largest)]
    return [sentence for sentence in (*said, _beyond_finding(beyond)) if sentence]


def _largest(measured: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the largest size, one a solver, in the order in which methods are shown."""
    largest = measured[measured["rows"] == measured["rows"].max()]
    order = list(method_styles(largest["solver"]))
    return largest.sort_values("solver", key=lambda names: names.map(order.index))


def _iteration_finding(largest: pd.DataFrame) -> str:
    rows = largest[~largest["solver"].isin(NEWTON) & largest["ratio_to_two_passes"].notna()]
    if rows.empty:
        return ""
    first, worst = rows.iloc[0], rows["ratio_to_two_passes"].max()
    costs = ", ".join(
        f"{method_label(row.solver)} {row.seconds_per_iteration:.2g} s ({row.ratio_to_two_passes:.2f} times)"
        for row in rows.itertuples()
    )
    kept = "kept by all" if worst <= PASSES_ALLOWED else "missed by some"
    return (
        f"On a generated, memory-mapped set of {_count(first['rows'])} × {_count(first['features'])} "
        f"({first['gigabytes']:.2g} GB of float32, in the page cache) an iteration costs, beside two passes "
        f"over the matrix at the bandwidth measured in the same process (median "
        f"{rows['gigabytes_per_second'].median():.2g} GB/s, one core): {costs}. The demand is at most "
        f"{PASSES_ALLOWED:.0f} times: {kept}. The ADMM family reads the matrix once an iteration."
    )


def _memory_finding(largest: pd.DataFrame) -> str:
    known = largest[largest["peak_resident_mb"].notna()]
    if known.empty:
        return ""
    worst = known.loc[known["peak_resident_mb"].idxmax()]
    return (
        f"The largest peak of resident memory of a fit of that size is "
        f"{worst['peak_resident_mb'] / 1024:.2f} GiB ({method_label(worst['solver'])}), of which "
        f"{worst['gigabytes'] / 1.073741824:.2f} GiB are pages of the mapped file."
    )


def _fit_finding(largest: pd.DataFrame) -> str:
    ended = {**dict.fromkeys(MET, "by its own rule"), "time_limit": "stopped by the time limit"}
    fits = "; ".join(
        f"{method_label(row.solver)} {row.seconds:.3g} s, {row.n_iter:.0f} iterations, relative gap "
        f"{row.relative_gap:.1e} ({ended.get(row.status, row.status.replace('_', ' '))})"
        for row in largest.itertuples()
    )
    return f"Whole fits of that size: {fits}."


def _beyond_finding(beyond: pd.DataFrame) -> str:
    if beyond.empty:
        return ""
    beyond = beyond.sort_values("solver", key=lambda names: names.map(list(method_styles(names)).index))
    first = beyond.iloc[0]
    fits = "; ".join(
        f"{method_label(row.solver)} {'at most ' if row.iterations_assumed == 'at most' else ''}"
        f"{_duration(row.seconds)} a fit and {_duration(row.study_seconds)} for all {row.fits:.0f} "
        f"({row.n_iter:.0f} iterations; exponent of the cost of one {row.exponent_per_iteration:.2f})"
        for row in beyond.itertuples()
    )
    narrow = "" if first["features"] == 2000 else f" (here of {first['features']:.0f} features, not 2000)"
    return f"Extrapolated to the training parts of epsilon, {_count(first['rows'])} rows{narrow}: {fits}."


def _features(table: pd.DataFrame) -> str:
    return _count(table["features"].max())


def _count(number: float) -> str:
    """Write a count with thin groups of three digits: 500 000."""
    return f"{number:,.0f}".replace(",", "\u202f")


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2g} s"
