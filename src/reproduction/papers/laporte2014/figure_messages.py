"""Messages of Figures 1 to 3 of L14: regularisers, removed features, MAP against the sparsity ratio."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.core.sentence_templates import join_and
from reproduction.papers.laporte2014.figures import REGULARISERS, select_figure2_data, select_figure3_data
from reproduction.plotting.messages import count_noun, format_range
from reproduction.specs.labels import method_label

NO_DATA_TEXT = "No data set was obtained."


def state_figure1() -> str:
    """State how far the regularisers reach, and which are convex.

    Returns
    -------
    str
    """
    w = np.linspace(0.0, 2.0, 201)  # half of the figure, which is symmetric
    values = {
        label.partition(":")[0].partition(" (")[0]: np.array([penalty.value(np.array([x])) for x in w])
        for label, _, penalty, _ in REGULARISERS
    }
    # Second differences of a convex function are not negative; 1e-9 allows for rounding.
    convex = [name for name, value in values.items() if np.diff(value, 2).min() >= -1e-9]
    ends = sorted((value[-1], name) for name, value in values.items())
    (low, lowest), (high, highest) = ends[0], ends[-1]
    return (
        f"At |w| = 2 the penalties reach from {low:.2g} ({lowest}) to {high:.2g} ({highest}); "
        f"convex: {join_and(convex)}."
    )


def state_figure2(table: pd.DataFrame) -> str:
    """State how often ours removes more features than the paper, and where the gap is largest.

    Parameters
    ----------
    table : DataFrame
        Rows of `tables.build_table4`.

    Returns
    -------
    str
        The range of ours where nothing is published.
    """
    rows = select_figure2_data(table).dropna(subset="removed_share_ours")
    ours = rows["removed_share_ours"]
    if rows.empty:
        return NO_DATA_TEXT
    compared = rows.dropna(subset="removed_share_published")
    if compared.empty:
        return (
            f"The methods remove {format_range(100 * ours.min(), 100 * ours.max(), '.0f')} % of the features."
        )
    gap = compared["removed_share_ours"] - compared["removed_share_published"]
    widest = compared.loc[gap.abs().idxmax()]
    return (
        f"More features removed than published in {(gap > 0).sum()} of "
        f"{count_noun(len(compared), 'result')}; "
        f"largest gap: {method_label(widest['method'])} on {widest['dataset']}, "
        f"{widest['removed_share_ours']:.2f} against {widest['removed_share_published']:.2f}."
    )


def state_figure3(ratios: pd.DataFrame, maps: pd.DataFrame) -> str:
    """State how far apart the methods are in MAP, against the error bar of the panel.

    Parameters
    ----------
    ratios, maps : DataFrame
        Tables IV and V.

    Returns
    -------
    str
    """
    points = select_figure3_data(ratios, maps)
    if points.empty:
        return NO_DATA_TEXT
    error = points["map_std"] / np.sqrt(points["splits_used"])
    panels = points.assign(error=error).groupby("dataset", sort=False)
    spans = panels["map_mean"].max() - panels["map_mean"].min()
    errors = panels["error"].median()
    span = format_range(spans.min(), spans.max(), ".1g")
    if errors.isna().all():
        return f"The methods span {span} of MAP on a data set."
    # A span below one standard error: the folds differ more than the methods.
    n_within = int((spans <= errors).sum())
    return (
        f"The methods span {span} of MAP on a data set: at most one standard error on {n_within} of "
        f"{count_noun(len(spans), 'data set')}."
    )
