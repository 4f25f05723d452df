"""Cost and memory of top ranking against the number of rows, and what they say of the real epsilon (K15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core.sentence_templates import group_digits
from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun, format_range
from reproduction.plotting.style import GREY, label_panel, make_panels, plot_hollow, use_style
from reproduction.specs.labels import method_label, method_sort_key, method_styles
from reproduction.statistics.paired_tests import log_log_slope
from toprank.certificate import SUCCESS_STATUSES

EXTRAPOLATED_COLUMNS = (
    *("kind", "exponent_per_iteration", "exponent_setup", "fits", "study_seconds"),
    "iterations_assumed",
)
"""What `add_extrapolation` adds to the columns of a measurement."""

MAX_PASSES_RATIO = 2.0
"""Requirement: an iteration costs at most so many times the two passes over the matrix that it needs."""


def add_extrapolation(
    table: pd.DataFrame, rows: int, max_iter: Mapping[str, int], fits: Mapping[str, tuple], inner_share: float
) -> pd.DataFrame:
    """Add what a fit, and all fits of a study, would take on a training part of ``rows`` rows.

    Seconds of a fit are setup plus iterations times the cost of one. Setup and cost follow power laws through
    the larger half of the measured sizes; beyond the largest one they are taken to be linear at the least, as
    the overheads that flatten them at small sizes end. The largest fit that ended by its own rule gives the
    number of iterations; where none did, it is ``max_iter``, the most that there can be.

    Parameters
    ----------
    table : DataFrame
        Rows of ``experiment.measure_costs``.
    rows : int
        Rows of the training part.
    max_iter : mapping of str to int
        Solver -> iterations after which a fit of the study ends.
    fits : mapping of str to tuple of (int, int)
        Solver -> the study's fits on inner folds and on whole training parts; a solver that the study does
        not fit is not extrapolated.
    inner_share : float
        Rows of an inner fold's training part as a share of the whole training part.

    Returns
    -------
    DataFrame
        The rows of the table, of kind "measured", then one for each solver of kind "extrapolated".
    """
    extrapolated = []
    for solver, sizes in table.groupby("solver", sort=False):
        sizes = sizes.dropna(subset=["seconds_per_iteration"]).sort_values("rows")
        if sizes.empty or solver not in fits:
            continue
        finished = sizes[sizes["status"].isin(SUCCESS_STATUSES)]
        # The number of iterations is not extrapolated: it is that of the largest converged fit, or else the
        # cap is used as an upper bound.
        n_iter = int(finished.iloc[-1]["n_iter"]) if len(finished) else max_iter[solver]
        step_cost, step_exponent = _fit_power_law(sizes, "seconds_per_iteration")
        setup_cost, setup_exponent = _fit_power_law(sizes, "setup_seconds")
        n_inner, n_full = fits[solver]

        def seconds(
            n: float, step: Callable = step_cost, setup: Callable = setup_cost, n_iter: int = n_iter
        ) -> float:
            """Return the seconds of a fit: its setup and its iterations.

            Parameters
            ----------
            n : float
                Rows that are fitted.
            step : Callable, optional
                Rows -> seconds of one iteration.
            setup : Callable, optional
                Rows -> seconds of the setup.
            n_iter : int, optional
                Iterations of the fit.

            Returns
            -------
            float
                Seconds.
            """
            return setup(n) + n_iter * step(n)

        largest = sizes.iloc[-1]
        row = {"kind": "extrapolated", "solver": solver, "rows": rows, "features": largest["features"]}
        # Memory is proportional to the rows, since the matrix dominates it.
        row |= {"gigabytes": largest["gigabytes"] * rows / largest["rows"], "setup_seconds": setup_cost(rows)}
        row |= {"seconds_per_iteration": step_cost(rows), "seconds": seconds(rows), "n_iter": n_iter}
        row |= {"iterations_assumed": "of the largest fit that ended" if len(finished) else "at most"}
        row |= {"exponent_per_iteration": step_exponent, "exponent_setup": setup_exponent}
        row |= {"fits": n_inner + n_full}
        # An inner fit of a 3-fold search sees two thirds of the training rows.
        row |= {"study_seconds": n_inner * seconds(inner_share * rows) + n_full * seconds(rows)}
        extrapolated.append(row)
    columns = list(dict.fromkeys(["kind", *table.columns, *EXTRAPOLATED_COLUMNS]))
    joined = [{"kind": "measured", **row} for row in table.to_dict("records")] + extrapolated
    return pd.DataFrame(joined, columns=columns)


def _fit_power_law(sizes: pd.DataFrame, quantity: str) -> tuple[Callable[[float], float], float]:
    """Return the function rows -> cost and its exponent, from the larger half of the sizes."""
    positive = sizes[sizes[quantity] > 0]
    # small sizes are dominated by overheads: the law is fitted to the larger half
    larger = positive.iloc[len(positive) // 2 :] if len(positive) > 3 else positive
    exponent = log_log_slope(larger["rows"], larger[quantity])
    if positive.empty:
        return (lambda n: 0.0), float("nan")
    largest = positive.iloc[-1]

    def cost(n: float) -> float:
        """Extrapolate from the largest size; beyond it the exponent is at least 1.

        Parameters
        ----------
        n : float
            Number of rows.

        Returns
        -------
        float
            Cost in the unit of the quantity.
        """
        # Each iteration reads all rows: at larger sizes it cannot grow slower than linearly, even if a fit to
        # noisy seconds says so.
        power = exponent if n < largest["rows"] and not np.isnan(exponent) else np.fmax(exponent, 1.0)
        return float(largest[quantity] * (n / largest["rows"]) ** power)

    return cost, exponent


@use_style
def draw_scale(table: pd.DataFrame) -> Figure:
    """Draw the cost of an iteration and the seconds of a whole fit against the number of rows.

    An open marker is a fit that a limit stopped, a star is extrapolated.

    Parameters
    ----------
    table : DataFrame
        Rows of `add_extrapolation`.

    Returns
    -------
    Figure
    """
    styles = method_styles(table["solver"])
    measured, extrapolated = (table[table["kind"] == kind] for kind in ("measured", "extrapolated"))
    figure, ((left, right),) = make_panels(3.7, 1, 2)
    # An iteration needs A x and A'v: two passes over the matrix, at the measured bandwidth.
    passes = 2.0 * measured.groupby("rows")["pass_seconds"].median()
    left.plot(passes.index, passes, ":", color=GREY, linewidth=1.4, zorder=2)
    left.plot(passes.index, MAX_PASSES_RATIO * passes, "--", color="#999999", linewidth=0.8, zorder=1)
    for solver, style in styles.items():
        line = measured[measured["solver"] == solver].sort_values("rows")
        star = extrapolated[extrapolated["solver"] == solver]
        for ax, quantity in ((left, "seconds_per_iteration"), (right, "seconds")):
            # Only a whole fit can be stopped by a limit; the cost of an iteration is measured all the same.
            stopped = ~line["status"].isin(SUCCESS_STATUSES) & (ax is right)
            ax.plot(line["rows"], line[quantity], color=style.colour, zorder=3)
            points = ax, line["rows"], line[quantity]
            plot_hollow(stopped, *points, style.marker, style.colour, zorder=3)
            star_style = {"markeredgecolor": "white", "markeredgewidth": 0.4, "markersize": 8}
            ax.plot(star["rows"], star[quantity], "*", color=style.colour, zorder=4, **star_style)
    for ax, label in ((left, "Time per iteration (s)"), (right, "Time of a full fit (s)")):
        features = group_digits(table["features"].max())
        label_panel(ax, "xy", xlabel=f"Rows of {features} features (count)", ylabel=label)
    point_style = {"color": GREY, "linestyle": "none"}
    handles = [
        Line2D([], [], color=GREY, linestyle=":", linewidth=1.4, label="two passes at the bandwidth"),
        Line2D([], [], color="#999999", linestyle="--", label="twice that"),
        Line2D([], [], marker="o", markerfacecolor="white", label="stopped by a limit", **point_style),
        Line2D([], [], marker="*", markersize=7, label="extrapolated", **point_style),
    ]
    add_legend(figure, make_method_handles(styles), len(styles))
    add_legend(figure, handles, len(handles), bbox_to_anchor=(0.5, 0.945))
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12, wspace=0.2)
    return figure


def describe(table: pd.DataFrame) -> str:
    """Describe the figure in words, for readers who do not see it.

    Parameters
    ----------
    table : DataFrame
        Rows of `add_extrapolation`.

    Returns
    -------
    str
    """
    lines = [
        f"{row.method}: {row.seconds_per_iteration:.2g} s per iteration at {group_digits(row.rows)} rows"
        for row in _select_largest_size(table).itertuples()
    ]
    return (
        "Seconds per iteration (left) and of a full fit (right) against the number of rows, all "
        f"logarithmic, with the time of two passes over the matrix at the measured bandwidth. "
        f"{'; '.join(lines)}."
    )


def state_scale(table: pd.DataFrame) -> str:
    """State how many passes over the matrix an iteration costs at the largest size.

    Parameters
    ----------
    table : DataFrame
        Rows of `add_extrapolation`.

    Returns
    -------
    str
    """
    rows = _select_largest_size(table).dropna(subset="seconds_per_iteration")
    if rows.empty:
        return "No cost of an iteration was measured."
    # both lines of the figure: two passes at the median bandwidth of a size, and twice that
    ratio = rows["seconds_per_iteration"] / (2.0 * rows["pass_seconds"].median())
    n_within = int((ratio <= MAX_PASSES_RATIO).sum())
    return (
        f"At {group_digits(rows['rows'].iloc[0])} rows an iteration costs "
        f"{format_range(ratio.min(), ratio.max())} times two passes; "
        f"{n_within} of {count_noun(len(rows), 'solver')} stay within twice that."
    )


def _select_kind(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Select the rows of a kind, in the order in which the solvers are shown, with their labels."""
    rows = table[table["kind"] == kind].sort_values("solver", key=lambda names: names.map(method_sort_key))
    return rows.assign(method=rows["solver"].map(method_label))


def _select_largest_size(table: pd.DataFrame) -> pd.DataFrame:
    """Select the measurements at the largest size: a row for each solver."""
    measured = _select_kind(table, "measured")
    return measured[measured["rows"] == measured["rows"].max()]
