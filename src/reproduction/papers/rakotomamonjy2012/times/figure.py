"""Figure 3 of R12: running time against the number of pairs, with its exponents."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.plotting import legends
from reproduction.plotting import style as drawing
from reproduction.specs.labels import method_label, method_styles
from reproduction.statistics.paired_tests import log_log_slope

NOISE_LINE_STYLES = ("-", ":", "--", "-.")
"""One a number of noise features (Figure 3)."""


@drawing.use_style
def draw_figure3(times: pd.DataFrame) -> Figure:
    """Draw the running time against the number of pairs, with the exponent of each line.

    Parameters
    ----------
    times : DataFrame
        With the columns `times.experiment.COLUMNS`.

    Returns
    -------
    Figure
        An open marker is a fit that the time limit stopped.
    """
    styles, noises = method_styles(times["solver"]), sorted(set(times["noise"]))
    figure, ((ax,),) = drawing.make_panels(3.6)
    ends = []
    for solver, style in styles.items():
        for noise, dash in zip(noises, NOISE_LINE_STYLES, strict=False):
            line = times[(times["solver"] == solver) & (times["noise"] == noise)].sort_values("pairs")
            points, is_stopped = (line["pairs"], line["seconds"]), line["status"] == "time_limit"
            ax.plot(*points, dash, color=style.colour)
            # hollow where the time limit ended the run: the time is only a lower bound
            drawing.plot_hollow(is_stopped, ax, *points, style.marker, style.colour)
            if not line.empty:
                ends.append(
                    (*(values.iloc[-1] for values in points), f"{fit_exponent(line):.2f}", style.colour)
                )
    # room to the right of the lines for their exponents
    # a factor of 14, about a decade
    drawing.set_log_scale(ax.xaxis, high=times["pairs"].max() * 14)
    drawing.label_panel(
        ax, "y", xlabel="Pairs of a positive and a negative (count)", ylabel="Training time (s)"
    )
    dashes = [
        Line2D([], [], color=drawing.GREY, linestyle=dash, label=f"{noise} noise features")
        for noise, dash in zip(noises, NOISE_LINE_STYLES, strict=False)
    ]
    ax.legend(handles=dashes, loc="lower right")
    legends.add_legend(figure, legends.make_method_handles(styles), 2)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.12)
    legends.label_ends(ax, ends)
    return figure


def fit_exponent(line: pd.DataFrame) -> float:
    """Fit the exponent of the time in the number of pairs.

    Parameters
    ----------
    line : DataFrame
        Rows of one solver at one number of noise features.

    Returns
    -------
    float
        Slope in logarithms over the larger half of the sizes that ended, where lower-order terms matter
        least.
    """
    # a time at the limit is no measured time
    finished = line[line["status"] != "time_limit"].sort_values("pairs")
    # with three sizes or fewer, all of them
    # Small sizes are dominated by the constant cost of a call: the exponent is that of the larger half.
    larger = finished.iloc[len(finished) // 2 :] if len(finished) > 3 else finished
    return log_log_slope(larger["pairs"], larger["seconds"])


def list_exponents(times: pd.DataFrame) -> list[dict]:
    """List the exponent and the longest time of each solver at each number of noise features.

    Parameters
    ----------
    times : DataFrame
        With the columns `times.experiment.COLUMNS`.

    Returns
    -------
    list of dict
        solver, method (its label), noise, exponent, seconds.
    """
    return [
        {"solver": solver, "method": method_label(solver), "noise": noise}
        | {"exponent": fit_exponent(line), "seconds": line["seconds"].max()}
        for (solver, noise), line in times.groupby(["solver", "noise"], sort=True)
    ]


def describe_figure3(times: pd.DataFrame) -> str:
    """Describe Figure 3 in words, as its alternative text.

    Parameters
    ----------
    times : DataFrame
        With the columns `times.experiment.COLUMNS`.

    Returns
    -------
    str
        Exponents of all solvers.
    """
    line = "{method} with {noise} noise features: exponent {exponent:.2f}, {seconds:.2g} s at most"
    lines = "; ".join(line.format(**fit) for fit in list_exponents(times))
    return f"Training time against the number of pairs, both logarithmic. {lines}."


def state_figure3(times: pd.DataFrame) -> str:
    """State the least and the largest exponent of the lines.

    Parameters
    ----------
    times : DataFrame
        With the columns `times.experiment.COLUMNS`.

    Returns
    -------
    str
    """
    fits = [fit for fit in list_exponents(times) if np.isfinite(fit["exponent"])]
    if not fits:
        return "Too few sizes for an exponent of the running time."
    ordered = sorted(fits, key=lambda fit: fit["exponent"])
    ends = [f"{fit['exponent']:.2f} ({fit['method']})" for fit in (ordered[0], ordered[-1])]
    return f"Exponents in the number of pairs: {' to '.join(dict.fromkeys(ends))}."
