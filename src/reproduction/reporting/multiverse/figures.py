"""Figures of what a paper leaves open: every number over its specifications, and which choice moves it."""

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.plotting.legends import add_legend, make_method_handles
from reproduction.plotting.messages import count_noun
from reproduction.plotting.style import (
    GREY,
    SMALL_TEXT_SIZE,
    draw_grid,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import Style, method_styles
from reproduction.specs.multiverse import DEFAULT, changed_options

PANELS_PER_ROW, LEGEND_COLUMNS = 3, 4
"""Panels in a row, and methods in one row of the legend."""

PANEL_HEIGHT_IN = 1.25
"""Inches of height of a panel."""

CHOICE_ROW_IN = 0.42
"""Inches of height of a choice, in which a dot stands for each method."""

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
    # (data set, method, quantity) -> ours under the default specification, on all splits
    default = rows[rows["specification"] == DEFAULT].set_index(key)["ours_mean"].rename("study_mean")
    rows = rows.join(default, on=key)
    # An option that was run on fewer splits: its difference from the default on these, added to the default
    # on all.
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
    handles = [*make_method_handles(styles), *_explain_marks(rows)]
    n_rows = math.ceil(len(panels) / PANELS_PER_ROW)
    header = 0.2 + 0.21 * math.ceil(len(handles) / LEGEND_COLUMNS)
    height = PANEL_HEIGHT_IN * n_rows + header + 0.45
    figure, axes = make_panels(height, n_rows, PANELS_PER_ROW)
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    for ax, (quantity, dataset) in zip(axes.flat, panels, strict=False):
        panel_rows = rows[(rows["quantity"] == quantity) & (rows["dataset"] == dataset)]
        for method, style in styles.items():
            _draw_curve(ax, panel_rows[panel_rows["method"] == method], style)
        ax.set_title(f"{dataset}: {QUANTITY_LABELS[quantity]}", fontsize=SMALL_TEXT_SIZE, loc="left")
        # panels have different numbers of specifications: the place is a share of them
        ax.set_xticks([0, 0.5, 1], ["0", "50", "100"])
        ax.set_xlim(-0.04, 1.04)
        draw_grid(ax, "y")
    for ax in axes.flat[max(0, len(panels) - PANELS_PER_ROW) : len(panels)]:
        ax.set_xlabel("specifications in ascending order (%)", fontsize=SMALL_TEXT_SIZE)
    figure.subplots_adjust(
        left=0.08,
        right=0.985,
        top=1 - (header + 0.1) / height,
        bottom=0.42 / height,
        wspace=0.32,
        hspace=0.55,
    )
    add_legend(figure, handles, LEGEND_COLUMNS, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def _explain_marks(rows: pd.DataFrame) -> list[Line2D]:
    """Return the handles of the legend for what is not a curve."""
    handles = [Line2D([], [], color=GREY, marker="o", linestyle="none", label="declared default")]
    if rows["published"].notna().any():
        handles.append(Line2D([], [], color=GREY, linestyle=":", label="published value"))
    return handles


def _draw_curve(ax: Axes, rows: pd.DataFrame, style: Style) -> None:
    """Draw one number: its specifications in order, its default as a marker, its published value dotted."""
    if rows.empty:
        return
    # a specification curve (Simonsohn et al. 2020): sorted by the number, ties by name
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
        "same numbers are in multiverse.csv."
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
    """Draw the mean share of the variance over the data sets: a row a choice, a marker a method.

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
    styles = method_styles(shares["method"])
    # the choice that moves most stands at the top
    choices = list(shares.groupby("choice")["share"].mean().sort_values(kind="stable").index)
    handles = [*make_method_handles(styles, has_line=False), _mean_mark(label="mean of the methods")]
    header = 0.2 + 0.21 * math.ceil(len(handles) / LEGEND_COLUMNS)
    height = 0.6 + header + CHOICE_ROW_IN * len(choices)
    figure, (axes,) = make_panels(height, 1, len(quantities), sharey=True)
    # the methods of a choice lie side by side within its row
    offsets = dict(zip(styles, np.linspace(-0.3, 0.3, len(styles)), strict=True))
    for ax, quantity in zip(axes, quantities, strict=True):
        quantity_shares = shares[shares["quantity"] == quantity]
        for (choice, method), share in quantity_shares.groupby(["choice", "method"])["share"].mean().items():
            _draw_marker(ax, share, choices.index(choice) + offsets[method], styles[method])
        for choice, share in quantity_shares.groupby("choice")["share"].mean().items():
            ax.add_line(_mean_mark([share] * 2, choices.index(choice) + np.array([-0.42, 0.42])))
        ax.set_title(QUANTITY_LABELS[quantity], fontsize=SMALL_TEXT_SIZE, loc="left")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.5, len(choices) - 0.5), xlabel="share of the variance")
        draw_grid(ax, "x")
    axes[0].set_yticks(range(len(choices)), [name.replace("_", " ") for name in choices])
    figure.subplots_adjust(
        left=0.16, right=0.98, top=1 - (header + 0.15) / height, bottom=0.42 / height, wspace=0.12
    )
    add_legend(figure, handles, LEGEND_COLUMNS, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def _mean_mark(x: npt.ArrayLike = (), y: npt.ArrayLike = (), **options) -> Line2D:
    """Return the upright stroke that marks a mean."""
    return Line2D(x, y, color="black", linewidth=1.4, zorder=3, **options)


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
    return f"Mean share of the variance over the specifications; the most influential choice: {largest}."


def state_curves(table: pd.DataFrame) -> str:
    """State how many published values lie within the range of our specifications.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of multiverse.csv: a row a number and specification.

    Returns
    -------
    str
        How many numbers move by a tenth of the default or more where none is published.
    """
    rows = select_plot_data(table)
    if rows.empty:
        return NO_MULTIVERSE_TEXT
    numbers = rows.groupby(["dataset", "method", "quantity"])
    low, high, published = (
        numbers["shifted_mean"].min(),
        numbers["shifted_mean"].max(),
        numbers["published"].first(),
    )
    if published.notna().any():
        is_within = (low <= published) & (published <= high)
        return (
            f"Published values within the range of our specifications: {is_within.sum()} of "
            f"{published.notna().sum()}."
        )
    default = rows[rows["specification"] == DEFAULT].groupby(["dataset", "method", "quantity"])
    # a tenth of the default is a change that a reader would notice in a table
    n_moving = (high - low >= 0.1 * default["shifted_mean"].first().abs()) & (high > low)
    return (
        f"{n_moving.sum()} of {count_noun(len(low), 'number')} range over a tenth of the default or more "
        "between the specifications."
    )


def state_variance_shares(table: pd.DataFrame) -> str:
    """State which choice accounts for most of the variance of each quantity.

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
    means = shares.groupby(["quantity", "choice"], sort=False)["share"].mean()
    if means.max() == 0:
        return "No choice moves any number."
    leaders: dict[str, list[str]] = {}  # choice -> the quantities that it moves most
    for quantity in dict.fromkeys(shares["quantity"]):
        if means[quantity].max() > 0:
            leader = f"{QUANTITY_LABELS[quantity]} {100 * means[quantity].max():.0f} %"
            leaders.setdefault(means[quantity].idxmax().replace("_", " "), []).append(leader)
    parts = "; ".join(f"{choice} ({', '.join(quantities)})" for choice, quantities in leaders.items())
    return f"Largest share of the variance: {parts}."
