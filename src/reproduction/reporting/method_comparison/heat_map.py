"""Scaled scores as a heat map: data sets down, methods across."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.plotting.style import WIDTH_IN, placeholder_figure, use_style
from reproduction.specs.labels import method_label, method_sort_key
from reproduction.specs.metrics import LABELS
from reproduction.statistics.method_ranks import ALL_DATASETS

CELL = 0.2
"""Inches: the height of a row."""


@use_style
def heat_map(scores: pd.DataFrame) -> Figure:
    """Draw method against data set, a panel a feature scaling and metric."""
    panels = panels_of(scores)
    if not panels:
        return placeholder_figure("No method has a number on all data sets.")
    columns = 2 if len(panels) > 1 else 1
    lines = -(-len(panels) // columns)
    most = max(len(table) for _, table in panels)
    labels = 0.075 * max(len(method_label(name)) for _, table in panels for name in table)
    figure = Figure(figsize=(WIDTH_IN, lines * (CELL * most + 0.5 + labels)), layout="constrained")
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    for axis, (title, table) in zip(axes, panels, strict=False):
        _panel(axis, title, table)
    return figure


def panels_of(scores: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Split the scores into tables of data set by method, each with its title."""
    found = []
    several = scores["feature_scaling"].nunique() > 1
    of_sets = scores[scores["dataset"] != ALL_DATASETS]
    for (scaling, metric), rows in of_sets.groupby(["feature_scaling", "metric"], sort=False):
        table = rows.pivot(index="dataset", columns="method", values="score")
        title = LABELS.get(metric, metric) + (f", {scaling} features" if several else "")
        found.append((title, table[sorted(table, key=method_sort_key)]))
    return found


def _panel(axis: Axes, title: str, table: pd.DataFrame) -> None:
    colours = colormaps["cividis"]
    axis.pcolormesh(
        table.to_numpy(float), cmap=colours, vmin=0, vmax=1
    )  # no image, which a page cannot scale
    axis.invert_yaxis()
    axis.set_xticks(np.arange(table.shape[1]) + 0.5, map(method_label, table), rotation=90)
    axis.set_yticks(np.arange(len(table)) + 0.5, table.index)
    axis.tick_params(length=0)
    axis.set_title(title)
    axis.spines[:].set_visible(False)
    for (i, j), score in np.ndenumerate(table.to_numpy()):
        ink = "white" if score < 0.5 else "black"
        axis.text(j + 0.5, i + 0.5, f"{score:.2f}", ha="center", va="center", color=ink, size=7)


def describe(scores: pd.DataFrame) -> str:
    """Say who scores best on average."""
    said = []
    for title, table in panels_of(scores):
        best, score = method_label(table.mean().idxmax()), table.mean().max()
        said.append(f"{title}: {best} has the best mean, {score:.2f} over {len(table)} data sets.")
    return "Heat map of scaled scores. " + (" ".join(said) or "No method has a number on all data sets.")
