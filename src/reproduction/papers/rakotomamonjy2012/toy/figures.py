"""Figures 1 and 2 of R12: rate at the top and retrieval of features on the toy problem."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.papers.rakotomamonjy2012.toy.tables import REFERENCE_METHOD
from reproduction.plotting import legends
from reproduction.plotting import style as drawing
from reproduction.plotting.messages import count_noun, name_leaders
from reproduction.specs.labels import method_label, method_styles


@drawing.use_style
def draw_figure1(table: pd.DataFrame) -> Figure:
    """Draw the rate at the top against the training rows, a panel for each number of noise features.

    The p-values of the tests against `REFERENCE_METHOD` stand below the markers.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure1_table`.

    Returns
    -------
    Figure
        Bands are one standard error of the mean over the trials.
    """
    styles, blocks = method_styles(table["method"]), list(table.groupby("noise"))
    figure, (axes,) = drawing.make_panels(3.4, 1, len(blocks), sharey=True)
    for ax, (noise, block) in zip(axes, blocks, strict=True):
        for method, style in styles.items():
            line = block[block["method"] == method].sort_values("rows")
            # band: one standard error of the mean over the trials
            mean, error = line["mean"], line["std"] / np.sqrt(line["trials"])
            drawing.plot_with_band(ax, line["rows"], mean, mean - error, mean + error, style, zorder=3)
        _write_p_values(ax, block, [m for m in styles if m != REFERENCE_METHOD], styles)
        ax.margins(x=0.08)
        ticks = sorted(set(table["rows"]))
        drawing.label_panel(ax, title=f"{noise} noise features", xticks=ticks, xlabel="Training rows (count)")
    axes[0].set_ylabel("Rate at the top (share of the test positives)")
    lowest = min(ax.get_ylim()[0] for ax in axes)
    # Below the data, room for a row of p-values a method.
    axes[0].set_ylim(lowest - (0.02 + 0.055 * len(styles)) * (1.0 - lowest), 1.03)
    axes[0].set_yticks([tick for tick in axes[0].get_yticks() if lowest <= tick <= 1.0])
    note = f"p-values of the difference from {method_label(REFERENCE_METHOD)}"
    axes[0].text(0.02, 0.03 + 0.05 * (len(styles) - 1), note, transform=axes[0].transAxes, color=drawing.GREY)
    legends.add_legend(figure, legends.make_method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.86, bottom=0.13, wspace=0.06)
    return figure


@drawing.use_style
def draw_figure2(table: pd.DataFrame) -> Figure:
    """Draw precision and F-measure of the retrieved features against the number of noise features.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure2_table`.

    Returns
    -------
    Figure
        Bands are one standard error of the mean over the trials.
    """
    styles, ticks = method_styles(table["method"]), sorted(set(table["noise"]))
    figure, (axes,) = drawing.make_panels(2.9, 1, 2, sharey=True)
    labels = {"precision": "Precision (share)", "f_measure": "F-measure (share)"}
    for ax, (quantity, label) in zip(axes, labels.items(), strict=True):
        for method, style in styles.items():
            line = table[table["method"] == method].sort_values("noise")
            mean, error = line[f"{quantity}_mean"], line[f"{quantity}_std"] / np.sqrt(line["trials"])
            drawing.plot_with_band(ax, line["noise"], mean, mean - error, mean + error, style, zorder=3)
        ax.set_xscale("log")
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        drawing.label_panel(ax, ylim=(-0.02, 1.03), xlabel="Noise features (count)", ylabel=label)
    legends.add_legend(figure, legends.make_method_handles(styles), 4)
    figure.subplots_adjust(left=0.08, right=0.985, top=0.89, bottom=0.15, wspace=0.14)
    return figure


def format_p_value(p_value: float) -> str:
    """Format a p-value for a figure: ``.03``, ``<.001``, ``1``.

    Parameters
    ----------
    p_value : float
        Between 0 and 1.

    Returns
    -------
    str
        Two decimals, three below .01.
    """
    if p_value < 0.001:
        return "<.001"
    text = f"{p_value:.3f}" if p_value < 0.01 else f"{p_value:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def describe_figure1(table: pd.DataFrame) -> str:
    """Describe Figure 1 in words, as its alternative text.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure1_table`.

    Returns
    -------
    str
        On how many sizes each method is best.
    """
    best = table.loc[table.groupby(["noise", "rows"])["mean"].idxmax()]
    wins = ", ".join(f"{method_label(method)} on {n}" for method, n in best["method"].value_counts().items())
    return (
        f"Rate at the top of {_list_method_labels(table)} against the number of training rows, "
        f"a panel for each number of noise features. The best means over {len(best)} sizes: {wins}."
    )


def describe_figure2(table: pd.DataFrame) -> str:
    """Describe Figure 2 in words, as its alternative text.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure2_table`.

    Returns
    -------
    str
        What the panels show.
    """
    return (
        f"Precision (left) and F-measure (right) of the features that {_list_method_labels(table)} retrieve, "
        "against the number of noise features."
    )


def _list_method_labels(table: pd.DataFrame) -> str:
    """Join the labels of the methods."""
    return ", ".join(map(method_label, method_styles(table["method"])))


def _write_p_values(ax: Axes, table: pd.DataFrame, methods: list[str], styles: dict) -> None:
    """Write the p-values of each method in a row of its colour, at the bottom of the panel."""
    for i, method in enumerate(reversed(methods)):
        text_options = {"size": drawing.SMALL_TEXT_SIZE, "color": styles[method].colour, "ha": "center"}
        for row in table[(table["method"] == method) & table["p_value"].notna()].itertuples():
            transform = ax.get_xaxis_transform()
            ax.text(
                row.rows, 0.02 + 0.05 * i, format_p_value(row.p_value), transform=transform, **text_options
            )


def state_figure1(table: pd.DataFrame) -> str:
    """State which method is best most often, and how many differences from the reference are significant.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure1_table`.

    Returns
    -------
    str
    """
    sizes = table.groupby(["noise", "rows"])
    is_best = table["mean"] == sizes["mean"].transform("max")
    wins = table.loc[is_best, "method"].value_counts()
    tests = table["p_value"].dropna()
    sentence = f"Best mean at {wins.max()} of {count_noun(sizes.ngroups, 'size')}: {name_leaders(wins)}"
    if tests.empty:
        return f"{sentence}."
    n_significant = int((tests < 0.05).sum())
    return (
        f"{sentence}; {n_significant} of {len(tests)} differences from {method_label(REFERENCE_METHOD)} "
        "have p < .05."
    )


def state_figure2(table: pd.DataFrame) -> str:
    """State which method retrieves the relevant features best among the most noise.

    Parameters
    ----------
    table : DataFrame
        Rows of `toy.tables.build_figure2_table`.

    Returns
    -------
    str
    """
    noisiest = table[table["noise"] == table["noise"].max()].set_index("method")
    precision, f_measure = noisiest["precision_mean"], noisiest["f_measure_mean"]
    start = f"Best among {noisiest['noise'].iloc[0]} noise features"
    leaders = [name_leaders(values) for values in (precision, f_measure)]
    if leaders[0] == leaders[1]:
        return f"{start}: {leaders[0]}, precision {precision.max():.2f}, F-measure {f_measure.max():.2f}."
    return (
        f"{start}: {leaders[0]} in precision ({precision.max():.2f}), {leaders[1]} in F-measure "
        f"({f_measure.max():.2f})."
    )
