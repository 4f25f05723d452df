"""Figures of what a paper leaves open: every number over its specifications, and which choice moves it."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting.style import (
    SMALL_TEXT_SIZE,
    add_legend,
    draw_grid,
    make_method_handles,
    make_panels,
    placeholder_figure,
    use_style,
)
from reproduction.specs.labels import Style, method_styles
from reproduction.specs.multiverse import DEFAULT, changed_options

IN_A_ROW = 4
"""Panels, and methods in one row of the legend."""

ROW = 1.25
"""Inches of height of a panel."""

NAMES = {
    "rate_at_top": "rate at the top",
    "variables": "variables",
    "pos_at_top": "Pos@Top",
    "map": "MAP",
    "ndcg10": "NDCG@10",
    "sparsity_ratio": "sparsity ratio",
}
NOTHING = "No number of this study has a second specification."


def drawn(table: pd.DataFrame) -> pd.DataFrame:
    """Select the numbers that have the default specification and another one.

    `table`: rows of `multiverse.multiverse`. Returns: with ``moved``: the default's mean over all splits and
    what the specification adds to it on its own ones.
    """
    key = ["dataset", "method", "quantity"]
    rows = table[table["ours_mean"].notna() & table["quantity"].isin(NAMES)]
    several = rows.groupby(key)["specification"].transform("nunique") > 1
    rows = rows[several].drop_duplicates([*key, "specification"])
    default = rows[rows["specification"] == DEFAULT].set_index(key)["ours_mean"].rename("whole")
    rows = rows.join(default, on=key)
    moved = rows["whole"] + rows["ours_mean"] - rows["default_mean"]
    return rows.assign(moved=moved).drop(columns="whole")[moved.notna()]


@use_style
def curves(table: pd.DataFrame) -> Figure:
    """Draw ours over all specifications in order, a panel a data set and quantity."""
    rows = drawn(table)
    if rows.empty:
        return placeholder_figure(NOTHING)
    panels = list(dict.fromkeys(zip(rows["quantity"], rows["dataset"], strict=True)))
    styles = method_styles(rows["method"])
    n_rows, header = math.ceil(len(panels) / IN_A_ROW), 0.2 + 0.21 * math.ceil(len(styles) / IN_A_ROW)
    height = ROW * n_rows + header + 0.35
    figure, axes = make_panels(height, n_rows, IN_A_ROW)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (quantity, dataset) in zip(axes.flat, panels, strict=False):
        of_panel = rows[(rows["quantity"] == quantity) & (rows["dataset"] == dataset)]
        for method, style in styles.items():
            _curve(axis, of_panel[of_panel["method"] == method], style)
        axis.set_title(f"{dataset}: {NAMES[quantity]}", fontsize=SMALL_TEXT_SIZE, loc="left")
        axis.set_xticks([0, 1], ["least", "most"])
        for label, side in zip(axis.get_xticklabels(), ("left", "right"), strict=True):
            label.set_horizontalalignment(side)
        axis.set_xlim(-0.04, 1.04)
        draw_grid(axis, "y")
    figure.subplots_adjust(
        left=0.06,
        right=0.99,
        top=1 - (header + 0.1) / height,
        bottom=0.3 / height,
        wspace=0.32,
        hspace=0.55,
    )
    add_legend(figure, make_method_handles(styles), IN_A_ROW, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def _curve(axis: Axes, rows: pd.DataFrame, style: Style) -> None:
    """Draw one number: its specifications in order, its default as a marker, its published value dotted."""
    if rows.empty:
        return
    ordered = rows.sort_values(["moved", "specification"])
    x = np.linspace(0, 1, len(ordered)) if len(ordered) > 1 else np.array([0.5])
    axis.plot(x, ordered["moved"], color=style.colour, drawstyle="steps-mid")
    default = (ordered["specification"] == DEFAULT).to_numpy()
    _mark(axis, x[default], ordered["moved"][default], style)
    published = rows["published"].iloc[0]
    if not math.isnan(published):
        axis.axhline(published, color=style.colour, linestyle=":", linewidth=1.0)


def _mark(axis: Axes, x, y, style: Style) -> None:
    """Draw the marker of a method."""
    face = style.colour if style.is_filled else "white"
    axis.plot(x, y, style.marker, color=style.colour, markerfacecolor=face, clip_on=False)


def describe_curves(table: pd.DataFrame) -> str:
    """Describe the figure in words."""
    rows = drawn(table)
    if rows.empty:
        return NOTHING
    numbers = rows.groupby(["dataset", "method", "quantity"])["specification"].nunique()
    return (
        f"{len(numbers)} numbers, each in {numbers.min()} to {numbers.max()} specifications, sorted from the "
        "least to the greatest; dotted lines are the published values, markers the declared defaults. The "
        "same numbers stand in multiverse.csv."
    )


def shares_of_variance(table: pd.DataFrame) -> pd.DataFrame:
    """Share of the variance of a number over its specifications that each choice accounts for.

    `table`: rows of `multiverse.multiverse`. Returns: dataset, method, quantity, choice, share: variance of
    the means of the options over the whole variance, weighted by how many specifications have the option; 0
    for a number that does not move. What is left is interaction of the choices.
    """
    rows = drawn(table)
    found = []
    for (quantity, dataset, method), of_number in rows.groupby(["quantity", "dataset", "method"], sort=False):
        options = [changed_options(specification) for specification in of_number["specification"]]
        values = of_number["moved"].to_numpy()
        total = float(np.var(values))
        for choice in dict.fromkeys(name for given in options for name in given):
            option = np.array([given.get(choice, DEFAULT) for given in options])
            means = np.zeros_like(values)
            for one in set(option.tolist()):
                means[option == one] = values[option == one].mean()
            share = float(np.var(means)) / total if total > 0 else 0.0
            found.append((dataset, method, quantity, choice, share))
    return pd.DataFrame(found, columns=["dataset", "method", "quantity", "choice", "share"])


@use_style
def choices_figure(table: pd.DataFrame) -> Figure:
    """Draw which choice moves what: a bar a choice and method, the mean share over the data sets."""
    shares = shares_of_variance(table)
    if shares.empty:
        return placeholder_figure(NOTHING)
    quantities = list(dict.fromkeys(shares["quantity"]))
    choice_names = list(dict.fromkeys(shares["choice"]))[::-1]
    styles = method_styles(shares["method"])
    header = 0.2 + 0.21 * math.ceil(len(styles) / IN_A_ROW)
    height = 0.6 + header + 0.13 * len(choice_names) * (len(styles) + 1)
    figure, (panels,) = make_panels(height, 1, len(quantities), sharey=True)
    lanes = {method: i for i, method in enumerate(reversed(styles))}
    for panel, quantity in zip(panels, quantities, strict=True):
        means = shares[shares["quantity"] == quantity].groupby(["choice", "method"])["share"].mean()
        for (choice, method), share in means.items():
            y = choice_names.index(choice) * (len(styles) + 1) + lanes[method]
            panel.plot([0, share], [y, y], color=styles[method].colour)
            _mark(panel, share, y, styles[method])
        panel.set_title(NAMES[quantity], fontsize=SMALL_TEXT_SIZE, loc="left")
        panel.set_xlim(0, 1)
        panel.set_xlabel("share of the variance")
        draw_grid(panel, "x")
    middles = [i * (len(styles) + 1) + (len(styles) - 1) / 2 for i in range(len(choice_names))]
    panels[0].set_yticks(middles, [name.replace("_", " ") for name in choice_names])
    figure.subplots_adjust(
        left=0.14, right=0.98, top=1 - (header + 0.15) / height, bottom=0.42 / height, wspace=0.12
    )
    add_legend(figure, make_method_handles(styles), IN_A_ROW, bbox_to_anchor=(0.5, 1 - 0.04 / height))
    return figure


def describe_choices(table: pd.DataFrame) -> str:
    """Describe the figure in words."""
    shares = shares_of_variance(table)
    if shares.empty:
        return NOTHING
    means = shares.groupby(["quantity", "choice"])["share"].mean()
    most = [
        f"{NAMES[q]}: {means[q].idxmax().replace('_', ' ')} ({means[q].max():.0%})"
        for q in means.index.levels[0]
    ]
    return (
        f"Mean share of the variance over the specifications; the choice that moves most: {'; '.join(most)}."
    )
