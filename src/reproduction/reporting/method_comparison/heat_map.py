"""Scaled scores as a heat map: data sets down, methods across."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting.style import WIDTH_IN, placeholder_figure, use_style
from reproduction.reporting.method_comparison.method_ranks import ALL_DATASETS
from reproduction.specs.labels import method_label, method_sort_key
from reproduction.specs.metrics import LABELS

ROW_HEIGHT_IN = 0.2
"""Inches: the height of a row."""


@use_style
def draw_heat_map(scores: pd.DataFrame) -> Figure:
    """Draw method against data set, a panel a feature scaling and metric.

    Parameters
    ----------
    scores : pandas.DataFrame
        Scaled scores: ``feature_scaling``, ``metric``, ``dataset``, ``method``, ``score`` (0 to 1).

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no method has a number on all data sets.
    """
    panels = split_panels(scores)
    if not panels:
        return placeholder_figure("No method has a number on all data sets.")
    n_columns = 2 if len(panels) > 1 else 1
    n_rows = -(-len(panels) // n_columns)
    max_datasets = max(len(table) for _, table in panels)
    label_height = 0.075 * max(len(method_label(name)) for _, table in panels for name in table)
    figure = Figure(
        figsize=(WIDTH_IN, n_rows * (ROW_HEIGHT_IN * max_datasets + 0.5 + label_height)), layout="constrained"
    )
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax, (title, table) in zip(axes, panels, strict=False):
        _draw_panel(ax, title, table)
    return figure


def split_panels(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split the scores into tables of data set by method, each with its title.

    Parameters
    ----------
    scores : pandas.DataFrame
        Scaled scores: ``feature_scaling``, ``metric``, ``dataset``, ``method``, ``score`` (0 to 1).

    Returns
    -------
    list of tuple of str and pandas.DataFrame
        Title and table of each panel, without the rows over all data sets.
    """
    panels = []
    has_scalings = scores["feature_scaling"].nunique() > 1
    dataset_scores = scores[scores["dataset"] != ALL_DATASETS]
    for (scaling, metric), rows in dataset_scores.groupby(["feature_scaling", "metric"], sort=False):
        table = rows.pivot(index="dataset", columns="method", values="score")
        title = LABELS.get(metric, metric) + (f", {scaling} features" if has_scalings else "")
        panels.append((title, table[sorted(table, key=method_sort_key)]))
    return panels


def _draw_panel(ax: Axes, title: str, table: pd.DataFrame) -> None:
    """Draw the scores of one feature scaling and metric as coloured cells with numbers."""
    colormap = colormaps["cividis"]
    ax.pcolormesh(table.to_numpy(float), cmap=colormap, vmin=0, vmax=1)  # no image, which a page cannot scale
    ax.invert_yaxis()
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, map(method_label, table), rotation=90)
    ax.set_yticks(np.arange(len(table)) + 0.5, table.index)
    ax.tick_params(length=0)
    ax.set_title(title)
    ax.spines[:].set_visible(False)
    for (i, j), score in np.ndenumerate(table.to_numpy()):
        colour = "white" if score < 0.5 else "black"
        ax.text(j + 0.5, i + 0.5, f"{score:.2f}", ha="center", va="center", color=colour, size=7)


def describe_heat_map(scores: pd.DataFrame) -> str:
    """Describe the heat map in words: which method has the best mean score.

    Parameters
    ----------
    scores : pandas.DataFrame
        Scaled scores: ``feature_scaling``, ``metric``, ``dataset``, ``method``, ``score`` (0 to 1).

    Returns
    -------
    str
    """
    sentences = []
    for title, table in split_panels(scores):
        best, score = method_label(table.mean().idxmax()), table.mean().max()
        sentences.append(f"{title}: {best} has the best mean, {score:.2f} over {len(table)} data sets.")
    return "Heat map of scaled scores. " + (" ".join(sentences) or "No method has a number on all data sets.")
