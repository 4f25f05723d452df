"""Critical-difference diagrams of Demšar (2006), drawn by scikit-posthocs, a panel a metric."""

import math
from collections import Counter
from itertools import combinations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from reproduction.plotting.messages import count_noun, name_leaders
from reproduction.plotting.style import SMALL_TEXT_SIZE, WIDTH_IN, placeholder_figure, use_style
from reproduction.reporting.method_comparison.method_ranks import untested_reason
from reproduction.reporting.method_comparison.rank_intervals import draw_rank_intervals
from reproduction.specs.labels import Style, method_label, method_styles
from reproduction.specs.metrics import LABELS
from reproduction.statistics.rank_tests import find_cliques, nemenyi_matrix

MIN_DATASETS = 5
"""Data sets from which on a critical difference is drawn: on fewer it is nearly the whole line."""

MAX_METHODS_IN_DIAGRAMS = 6
"""Up to so many methods Demšar's diagrams are drawn, two side by side; of more, `rank_intervals`."""

LINE_HEIGHT_IN, HEADER_HEIGHT_IN, FOOTER_HEIGHT_IN = 0.15, 0.66, 0.12
"""Inches between two names or bars, above the line of the ranks, and below the last name."""

TIE_SHIFT_IN = 0.035
"""Inches between the lines of methods with equal mean ranks, of which one would hide the other."""

TEXT_COLOUR, GREY = "#222222", "#5f5f5f"


def split_panels(ranks: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Split the table of ranks into panels.

    A feature scaling without a test has a panel only where no feature scaling has a test of that metric.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table of mean ranks (`method_ranks`).

    Returns
    -------
    list of tuple of str, str and pandas.DataFrame
        Feature scaling, metric, and their rows, only those with a rank where there is a test.
    """
    tested = set(ranks.loc[ranks["critical_difference"].notna(), "metric"])
    return [
        (scaling, metric, rows[rows["mean_rank"].notna()] if metric in tested else rows)
        for (scaling, metric), rows in ranks.groupby(["feature_scaling", "metric"], sort=False)
        if metric not in tested or rows["critical_difference"].notna().any()
    ]


@use_style
def draw_rank_diagrams(ranks: pd.DataFrame) -> Figure:
    """Draw a critical-difference diagram for each metric and feature scaling.

    The diagram is that of Demšar (2006). What has none is described in words alone.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table of mean ranks (`method_ranks`).

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no metric has a diagram.
    """
    # panels with a test on enough data sets; why the others have none stands in the description
    panels, styles = split_panels(ranks), method_styles(ranks["method"])
    panels = [panel for panel in panels if has_diagram(panel[-1])]
    if not panels:
        return placeholder_figure(describe_rank_diagrams(ranks))
    if max(len(rows) for *_, rows in panels) > MAX_METHODS_IN_DIAGRAMS:
        return draw_rank_intervals(panels)
    # two diagrams side by side, all of the height of the tallest
    n_columns = min(len(panels), 2)
    n_rows = math.ceil(len(panels) / n_columns)
    width = WIDTH_IN / n_columns
    height = max(_panel_height(rows) for *_, rows in panels)
    figure = Figure(figsize=(WIDTH_IN, height * n_rows), dpi=200)
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0, hspace=0)
    for ax in axes:
        ax.set_axis_off()
        ax.set_xlim(0, width)
        ax.set_ylim(height, 0)
    for ax, (scaling, metric, rows) in zip(axes, panels, strict=False):
        _draw_title(ax, width, f"{LABELS.get(metric, metric)}, {scaling} features", rows)
        _draw_diagram(ax, width, height, rows, styles)
    return figure


def has_diagram(rows: pd.DataFrame) -> bool:
    """Return whether the rows of one metric have a diagram: a test, on at least `MIN_DATASETS` data sets.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of one feature scaling and metric of the table of ranks.

    Returns
    -------
    bool
    """
    return bool(rows["critical_difference"].notna().any() and rows["n_datasets"].iloc[0] >= MIN_DATASETS)


def explain_missing_diagram(rows: pd.DataFrame) -> str:
    """Explain why the rows of one metric have no diagram.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of one feature scaling and metric of the table of ranks.

    Returns
    -------
    str
    """
    n = rows["n_datasets"].iloc[0]
    size_reason = f"{n:.0f} data sets are fewer than {MIN_DATASETS}"
    return untested_reason(*rows.iloc[0][["n_datasets", "n_methods"]]) or size_reason


def find_groups(rows: pd.DataFrame) -> list[list[str]]:
    """Find the groups of methods that the Nemenyi test does not separate, the best first.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of one feature scaling and metric of the table of ranks.

    Returns
    -------
    list of list of str
        Names of the methods of each group.
    """
    return find_cliques(rows.set_index("method")["mean_rank"], rows["critical_difference"].iloc[0])


def describe_rank_diagrams(ranks: pd.DataFrame) -> str:
    """Describe the diagrams in words: mean ranks, critical difference, and the groups not told apart.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table of mean ranks (`method_ranks`).

    Returns
    -------
    str
    """
    sentences = []
    for scaling, metric, rows in split_panels(ranks):
        name = f"{LABELS.get(metric, metric)} ({scaling} features)"
        if not has_diagram(rows):
            sentences.append(f"{name}: {explain_missing_diagram(rows)}.")
            continue
        first = rows.iloc[0]
        method_ranks = ", ".join(
            f"{method_label(row.method)} {row.mean_rank:.2f}" for row in rows.itertuples()
        )
        groups = ["/".join(map(method_label, group)) for group in find_groups(rows)]
        groups_text = f"not significantly different: {'; '.join(groups)}" if groups else "all pairs differ"
        sentences.append(
            f"{name}, mean ranks over {first['n_datasets']:.0f} data sets: {method_ranks}; "
            f"critical difference {first['critical_difference']:.2f}; {groups_text}."
        )
    return "Critical-difference diagrams. " + (" ".join(sentences) or "No fit on any data set.")


def _panel_height(rows: pd.DataFrame) -> float:
    """Inches of a panel."""
    return HEADER_HEIGHT_IN + LINE_HEIGHT_IN * _count_lines(rows) + FOOTER_HEIGHT_IN


def _count_lines(rows: pd.DataFrame) -> int:
    """Count the lines below the axis: bars, then the names on the longer side."""
    return len(find_groups(rows)) + math.ceil(len(rows) / 2)


def _draw_title(ax: Axes, width: float, name: str, rows: pd.DataFrame) -> None:
    """Name the metric, and below it the number of data sets and the test of all methods."""
    ax.text(width / 2, 0.06, name, ha="center", va="top", weight="bold")
    if rows["critical_difference"].notna().any():
        first = rows.iloc[0]
        p_value = first["iman_davenport_p"]
        p_text = "p < .001" if p_value < 1e-3 else f"p = {p_value:.2g}"
        subtitle = f"mean ranks over {first['n_datasets']:.0f} data sets; Iman–Davenport {p_text}"
        ax.text(width / 2, 0.20, subtitle, ha="center", va="top", size=SMALL_TEXT_SIZE, color=GREY)


def _draw_diagram(
    ax: Axes, width: float, height: float, rows: pd.DataFrame, styles: dict[str, Style]
) -> None:
    """Draw the diagram of one panel on axes of ranks, with room for the names on both sides."""
    # imported here: it brings seaborn, which only this figure needs
    from scikit_posthocs import critical_difference_diagram

    longest = max(len(styles[method].label) for method in rows["method"])
    # room for the longest name on both sides, at most two fifths of the panel each
    k, margin = len(rows), min(0.42 + 0.055 * longest, 0.4 * width)
    n_lines, difference = _count_lines(rows), rows["critical_difference"].iloc[0]
    bottom = 1 - (HEADER_HEIGHT_IN + LINE_HEIGHT_IN * n_lines + FOOTER_HEIGHT_IN) / height
    rank_ax_bounds = (
        margin / width,
        bottom,
        1 - 2 * margin / width,
        (LINE_HEIGHT_IN * n_lines + FOOTER_HEIGHT_IN) / height,
    )
    rank_ax = ax.inset_axes(rank_ax_bounds)
    # the axis runs from rank 1 to rank k
    ranks_per_inch = (k - 1) / (width - 2 * margin)
    labels = [f"{styles[row.method].label}  {row.mean_rank:.2f}" for row in rows.itertuples()]
    ranks = pd.Series(rows["mean_rank"].to_numpy(), index=labels)
    matrix = nemenyi_matrix(ranks, difference)
    artists = critical_difference_diagram(
        _separate_ties(ranks, TIE_SHIFT_IN * ranks_per_inch),
        matrix,
        ax=rank_ax,
        label_fmt_left="{label} ",
        label_fmt_right=" {label}",
        label_props={"size": SMALL_TEXT_SIZE},
        marker_props={"s": 8.0, "zorder": 4},
        elbow_props={"linewidth": 1.0, "zorder": 2, "clip_on": False},
        crossbar_props={"color": TEXT_COLOUR, "linewidth": 2.6, "solid_capstyle": "butt", "clip_on": False},
        color_palette={
            label: styles[name].colour for label, name in zip(labels, rows["method"], strict=True)
        },
        text_h_margin=0.08 * ranks_per_inch,
    )
    for label in artists["labels"]:
        label.set_color(TEXT_COLOUR)
    for (bar,) in artists["crossbars"]:
        # the library passes through the ranks of a group in the order of a set, which is another in each
        # process: the two ends alone make the same file in every run
        bar.set_data([min(bar.get_xdata()), max(bar.get_xdata())], bar.get_ydata()[:2])
    rank_ax.spines["top"].set_visible(True)
    rank_ax.set(xlim=(1, k), ylim=(-n_lines - FOOTER_HEIGHT_IN / LINE_HEIGHT_IN, 0))
    rank_ax.xaxis.set_major_locator(MultipleLocator(1))
    rank_ax.tick_params(axis="x", labelsize=SMALL_TEXT_SIZE, pad=1.5)
    _draw_critical_difference(rank_ax, k, difference)


def _separate_ties(ranks: pd.Series, shift: float) -> pd.Series:
    """Move equal mean ranks apart, about their common place, in the order in which they are named."""
    # ranks that are equal to six digits share a place on the line
    ties = ranks.round(6).groupby(ranks.round(6).to_numpy())
    return ranks + shift * (ties.cumcount() - (ties.transform("size") - 1) / 2)


def _draw_critical_difference(ax: Axes, n_methods: int, difference: float) -> None:
    """Draw the critical difference to the scale of the ranks; one beyond the line is only named."""
    y = 0.22 / LINE_HEIGHT_IN
    # Ranks span k − 1: a critical difference beyond that separates no pair.
    if difference > n_methods - 1:
        text = f"critical difference {difference:.2f}: longer than the axis"
        ax.text((1 + n_methods) / 2, y, text, ha="center", va="center", size=SMALL_TEXT_SIZE)
        return
    style = {"color": TEXT_COLOUR, "linewidth": 0.8, "marker": "|", "markersize": 4.0, "clip_on": False}
    ax.plot([1, 1 + difference], [y, y], **style)
    ax.annotate(
        f"CD {difference:.2f}",
        (1 + difference, y),
        (4.0, 0.0),
        textcoords="offset points",
        va="center",
        size=SMALL_TEXT_SIZE,
        annotation_clip=False,
    )


def state_rank_diagrams(ranks: pd.DataFrame) -> str:
    """State how many pairs of methods the Nemenyi test separates, and which method is best most often.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table of mean ranks (`method_ranks`).

    Returns
    -------
    str
    """
    panels = [rows for *_, rows in split_panels(ranks) if has_diagram(rows)]
    if not panels:
        return "No metric has enough data sets for a critical difference."
    n_pairs, n_separated, wins = 0, 0, Counter()
    for rows in panels:
        for first, second in combinations(rows["mean_rank"], 2):
            n_pairs += 1
            n_separated += abs(first - second) > rows["critical_difference"].iloc[0]
        mean_ranks = rows["mean_rank"].round(9)  # rounding must not decide between equal ranks
        wins.update(rows.loc[mean_ranks == mean_ranks.min(), "method"])
    of_panels = f" in {max(wins.values())} of {len(panels)} panels" if len(panels) > 1 else ""
    return (
        f"Nemenyi’s test separates {n_separated} of {count_noun(n_pairs, 'pair')}; "
        f"best mean rank{of_panels}: {name_leaders(pd.Series(wins))}."
    )
