"""Figures of what a paper leaves open: every number over its specifications, and which choice moves it."""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.style import SMALL_TEXT_SIZE, draw_grid, make_panels, placeholder_figure, use_style
from reproduction.specs.labels import Style, method_styles
from reproduction.specs.multiverse import DEFAULT, changed_options

PANELS_PER_ROW = 4
"""Panels, and methods in one row of the legend."""

PANEL_HEIGHT_IN = 1.25
"""Inches of height of a panel."""

QUANTITY_LABELS = {
    "rate_at_top": "rate at the top",
    "variables": "variables",
    "pos_at_top": "Pos@Top",
    "map": "MAP",
    "ndcg10": "NDCG@10",
    "sparsity_ratio": "sparsity ratio",
}
NO_MULTIVERSE_TEXT = "No number of this study has a second specification."


def select_plot_data(table: pd.DataFrame) -> pd.DataFrame:
    """Select the numbers that have the default specification and another one.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    pandas.DataFrame
        Their rows with ``shifted_mean``: the default's mean over all splits plus the difference of the
        specification to the default on its own splits.
    """
    key = ["dataset", "method", "quantity"]
    rows = table[table["ours_mean"].notna() & table["quantity"].isin(QUANTITY_LABELS)]
    has_alternatives = rows.groupby(key)["specification"].transform("nunique") > 1
    rows = rows[has_alternatives].drop_duplicates([*key, "specification"])
    default = rows[rows["specification"] == DEFAULT].set_index(key)["ours_mean"].rename("study_mean")
    rows = rows.join(default, on=key)
    shifted_mean = rows["study_mean"] + rows["ours_mean"] - rows["default_mean"]
    return rows.assign(shifted_mean=shifted_mean).drop(columns="study_mean")[shifted_mean.notna()]


@use_style
def draw_curves(table: pd.DataFrame) -> Figure:
    """Draw ours over all specifications in ascending order, a panel a data set and quantity.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no number has a second specification.
    """
    rows = select_plot_data(table)
    if rows.empty:
        return placeholder_figure(NO_MULTIVERSE_TEXT)
    panels = list(dict.fromkeys(zip(rows["quantity"], rows["dataset"], strict=True)))
    styles = method_styles(rows["method"])
    n_rows, header = (
        math.ceil(len(panels) / PANELS_PER_ROW),
        0.2 + 0.21 * math.ceil(len(styles) / PANELS_PER_ROW),
    )
    height = PANEL_HEIGHT_IN * n_rows + header + 0.35
    figure, axes = make_panels(height, n_rows, PANELS_PER_ROW)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax, (quantity, dataset) in zip(axes.flat, panels, strict=False):
        panel_rows = rows[(rows["quantity"] == quantity) & (rows["dataset"] == dataset)]
        for method, style in styles.items():
            _draw_curve(ax, panel_rows[panel_rows["method"] == method], style)
        ax.set_title(f"{dataset}: {QUANTITY_LABELS[quantity]}", fontsize=SMALL_TEXT_SIZE, loc="left")
        ax.set_xticks([0, 1], ["least", "most"])
        for label, side in zip(ax.get_xticklabels(), ("left", "right"), strict=True):
            label.set_horizontalalignment(side)
        ax.set_xlim(-0.04, 1.04)
        draw_grid(ax, "y")
    figure.subplots_adjust(
        left=0.06,
        right=0.99,
        top=1 - (header + 0.1) / height,
        bottom=0.3 / height,
        wspace=0.32,
        hspace=0.55,
    )
    add_legend(figure, make_method_handles(styles), PANELS_PER_ROW, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def _draw_curve(ax: Axes, rows: pd.DataFrame, style: Style) -> None:
    """Draw one number: its specifications in order, its default as a marker, its published value dotted."""
    if rows.empty:
        return
    ordered = rows.sort_values(["shifted_mean", "specification"])
    x = np.linspace(0, 1, len(ordered)) if len(ordered) > 1 else np.array([0.5])
    ax.plot(x, ordered["shifted_mean"], color=style.colour, drawstyle="steps-mid")
    default = (ordered["specification"] == DEFAULT).to_numpy()
    _draw_marker(ax, x[default], ordered["shifted_mean"][default], style)
    published = rows["published"].iloc[0]
    if not math.isnan(published):
        ax.axhline(published, color=style.colour, linestyle=":", linewidth=1.0)


def _draw_marker(ax: Axes, x: npt.ArrayLike, y: npt.ArrayLike, style: Style) -> None:
    """Draw the marker of a method."""
    face = style.colour if style.is_filled else "white"
    ax.plot(x, y, style.marker, color=style.colour, markerfacecolor=face, clip_on=False)


def describe_curves(table: pd.DataFrame) -> str:
    """Describe the curves in words.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    str
    """
    rows = select_plot_data(table)
    if rows.empty:
        return NO_MULTIVERSE_TEXT
    numbers = rows.groupby(["dataset", "method", "quantity"])["specification"].nunique()
    return (
        f"{len(numbers)} numbers, each in {numbers.min()} to {numbers.max()} specifications, sorted from the "
        "least to the greatest; dotted lines are the published values, markers the declared defaults. The "
        "same numbers stand in multiverse.csv."
    )


def compute_variance_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Compute the share of the variance over the specifications that each choice accounts for.

    It is the variance of the means of the options over the whole variance, weighted by how many
    specifications have the option (the main effect of a choice); what is left is interaction of the choices.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    pandas.DataFrame
        ``dataset``, ``method``, ``quantity``, ``choice`` and ``share``, 0 for a number that does not move.
    """
    rows = select_plot_data(table)
    shares = []
    for (quantity, dataset, method), number_rows in rows.groupby(
        ["quantity", "dataset", "method"], sort=False
    ):
        specifications = [changed_options(specification) for specification in number_rows["specification"]]
        values = number_rows["shifted_mean"].to_numpy()
        # main effect of a choice: variance of the means of its options (one-way analysis of variance)
        total_variance = float(np.var(values))
        for choice in dict.fromkeys(name for options in specifications for name in options):
            options_taken = np.array([options.get(choice, DEFAULT) for options in specifications])
            means = np.zeros_like(values)
            for option in set(options_taken.tolist()):
                means[options_taken == option] = values[options_taken == option].mean()
            share = float(np.var(means)) / total_variance if total_variance > 0 else 0.0
            shares.append((dataset, method, quantity, choice, share))
    return pd.DataFrame(shares, columns=["dataset", "method", "quantity", "choice", "share"])


@use_style
def draw_variance_shares(table: pd.DataFrame) -> Figure:
    """Draw the mean share of the variance over the data sets, a bar a choice and method.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no number has a second specification.
    """
    shares = compute_variance_shares(table)
    if shares.empty:
        return placeholder_figure(NO_MULTIVERSE_TEXT)
    quantities = list(dict.fromkeys(shares["quantity"]))
    choices = list(dict.fromkeys(shares["choice"]))[::-1]
    styles = method_styles(shares["method"])
    header = 0.2 + 0.21 * math.ceil(len(styles) / PANELS_PER_ROW)
    height = 0.6 + header + 0.13 * len(choices) * (len(styles) + 1)
    figure, (axes,) = make_panels(height, 1, len(quantities), sharey=True)
    lanes = {method: i for i, method in enumerate(reversed(styles))}
    for ax, quantity in zip(axes, quantities, strict=True):
        means = shares[shares["quantity"] == quantity].groupby(["choice", "method"])["share"].mean()
        for (choice, method), share in means.items():
            y = choices.index(choice) * (len(styles) + 1) + lanes[method]
            ax.plot([0, share], [y, y], color=styles[method].colour)
            _draw_marker(ax, share, y, styles[method])
        ax.set_title(QUANTITY_LABELS[quantity], fontsize=SMALL_TEXT_SIZE, loc="left")
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of the variance")
        draw_grid(ax, "x")
    middles = [i * (len(styles) + 1) + (len(styles) - 1) / 2 for i in range(len(choices))]
    axes[0].set_yticks(middles, [name.replace("_", " ") for name in choices])
    figure.subplots_adjust(
        left=0.14, right=0.98, top=1 - (header + 0.15) / height, bottom=0.42 / height, wspace=0.12
    )
    add_legend(figure, make_method_handles(styles), PANELS_PER_ROW, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def describe_variance_shares(table: pd.DataFrame) -> str:
    """Describe in words which choice moves each quantity most.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    str
    """
    shares = compute_variance_shares(table)
    if shares.empty:
        return NO_MULTIVERSE_TEXT
    means = shares.groupby(["quantity", "choice"])["share"].mean()
    largest_shares = [
        f"{QUANTITY_LABELS[q]}: {means[q].idxmax().replace('_', ' ')} ({means[q].max():.0%})"
        for q in means.index.levels[0]
    ]
    largest = "; ".join(largest_shares)
    return f"Mean share of the variance over the specifications; the choice that moves most: {largest}."
