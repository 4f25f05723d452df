"""Heat maps: a method a row, a data set a column, values as numbers on a colour scale common to a panel."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from reproduction.plotting.style import SMALL_TEXT_SIZE, WIDTH_IN, use_style
from reproduction.specs.labels import method_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

ROW_HEIGHT_IN, HEADER_IN, LABEL_CHARACTER_IN = 0.17, 0.4, 0.055
"""Inches of a row, of a title, and of a character of a slanted name."""

NAMES_IN, COLUMN_IN, BAR_IN = 1.6, 0.32, 0.5
"""Inches of the names of the methods, the least of a column, and of a colour bar."""

MEAN_COLUMN = "mean"
WIDE_COLUMNS, NARROW_TEXT_SIZE, FEW_COLUMNS = 12, 5.5, 4
"""From so many columns on the numbers are smaller; up to so few, shares have a third decimal."""

MAX_COLUMNS = 21
"""Data sets that a panel of the text's width has room for."""

BAR_STEPS = 20
"""Steps of a colour bar."""

COLOURMAP, DARK_SHARE = "Blues", 0.6
"""From this share of the colour scale on the numbers are white."""


@dataclass(frozen=True)
class HeatMapPanel:
    """Values of every method on every data set.

    Attributes
    ----------
    title : str
    values : pandas.DataFrame
        A row a method, a column a data set; NaN where there is none.
    is_best : pandas.DataFrame
        Whether a value is the best of its data set.
    logarithmic : bool
        Whether colours follow the logarithm, and the mean is the geometric one.
    marks : pandas.DataFrame, optional
        Text behind each value.
    all_values : pandas.DataFrame, optional
        Of a part of a wider panel (`split_columns`): the values of all its data sets.
    """

    title: str
    values: pd.DataFrame
    is_best: pd.DataFrame
    logarithmic: bool = False
    marks: pd.DataFrame | None = field(default=None, repr=False)
    all_values: pd.DataFrame | None = field(default=None, repr=False)

    @property
    def is_share(self) -> bool:
        """Whether the values lie in [0, 1]."""
        return not self.logarithmic and float(self.values.max(axis=None)) <= 1.0

    def means(self) -> pd.Series:
        """Return the mean of each method over the data sets, NaN where it lacks one.

        Returns
        -------
        pandas.Series
        """
        # ratios average on a logarithmic scale: the geometric mean
        values = self.values if self.all_values is None else self.all_values
        if self.logarithmic:
            return np.exp(np.log(values).mean(axis=1, skipna=False))
        return values.mean(axis=1, skipna=False)

    def norm(self) -> Normalize:
        """Return the colour scale: from 0 to 1 for shares, as far as there are values otherwise.

        Returns
        -------
        matplotlib.colors.Normalize
        """
        values = self.values if self.all_values is None else self.all_values
        low, high = float(values.min(axis=None)), float(values.max(axis=None))
        if self.logarithmic:
            # a single value has no range: one per cent above it
            return LogNorm(low, max(high, 1.01 * low))
        return Normalize(0.0, 1.0 if self.is_share else high)


def split_columns(panel: HeatMapPanel) -> list[HeatMapPanel]:
    """Split a panel of many data sets into some that can be read, each with the means over all of them.

    Parameters
    ----------
    panel : HeatMapPanel

    Returns
    -------
    list of HeatMapPanel
        Parts of nearly equal width, of at most `MAX_COLUMNS` data sets.
    """
    n_parts = -(-panel.values.shape[1] // MAX_COLUMNS)
    if n_parts <= 1:
        return [panel]
    parts = []
    for columns in np.array_split(panel.values.columns.to_numpy(), n_parts):
        title = f"{panel.title}: {columns[0]} to {columns[-1]}, and the mean over all data sets"
        cells = {"values": panel.values[columns], "is_best": panel.is_best[columns]}
        cells["marks"] = None if panel.marks is None else panel.marks[columns]
        parts.append(replace(panel, title=title, all_values=panel.values, **cells))
    return parts


@use_style
def draw_heat_maps(panels: Sequence[HeatMapPanel]) -> Figure:
    """Draw panels of the same methods, side by side where they are narrow.

    Parameters
    ----------
    panels : sequence of HeatMapPanel
        At least one; the rows stand in the order of the first panel.

    Returns
    -------
    Figure
    """
    methods = panels[0].values.index
    # a column more for the means, and the colour bar
    widths = [COLUMN_IN * (panel.values.shape[1] + 1) + BAR_IN for panel in panels]
    n_columns = max(1, min(len(panels), int((WIDTH_IN - NAMES_IN) / max(widths))))
    n_rows = -(-len(panels) // n_columns)
    names_in = LABEL_CHARACTER_IN * max(len(name) for panel in panels for name in panel.values)
    height = n_rows * (HEADER_IN + ROW_HEIGHT_IN * len(methods) + names_in)
    figure = Figure(figsize=(WIDTH_IN, height), dpi=200, layout="constrained")
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for ax in axes[len(panels) :]:
        ax.remove()
    for i, (ax, panel) in enumerate(zip(axes, panels, strict=False)):
        _draw_panel(ax, panel, methods, has_names=i % n_columns == 0)
    return figure


def _draw_panel(ax: Axes, panel: HeatMapPanel, methods: pd.Index, has_names: bool) -> None:
    """Draw the cells with their numbers, the means apart on the right, and the colour bar."""
    values, is_best = panel.values.reindex(methods), panel.is_best.reindex(methods)
    means = panel.means().reindex(methods)
    cells = np.column_stack([values.to_numpy(float), means.to_numpy(float)])
    n_datasets, norm, colormap = values.shape[1], panel.norm(), colormaps[COLOURMAP]
    lefts = np.append(np.arange(n_datasets), n_datasets + 0.3)  # a gap before the means
    style = {"cmap": colormap, "norm": norm}
    rows = np.arange(len(methods) + 1)
    # shapes, and no image, which a page cannot scale
    mesh = ax.pcolormesh(lefts, rows, np.ma.masked_invalid(cells[:, :-1]), **style)
    ax.pcolormesh(lefts[-1] + np.array([0.0, 1.0]), rows, np.ma.masked_invalid(cells[:, -1:]), **style)
    decimals = 3 if n_datasets <= FEW_COLUMNS else 2
    size = NARROW_TEXT_SIZE if n_datasets >= WIDE_COLUMNS else SMALL_TEXT_SIZE
    # numbers on the cells: white on dark ones, bold where a method is best
    for (i, j), value in np.ndenumerate(cells):
        is_mean = j == n_datasets
        mark = "" if is_mean or panel.marks is None else panel.marks.loc[methods[i], values.columns[j]]
        is_dark = np.isfinite(value) and norm(value) > DARK_SHARE
        text_style = {"color": "white" if is_dark else "black", "fontsize": size, "ha": "center"}
        text_style["weight"] = "bold" if not is_mean and bool(is_best.iloc[i, j]) else "normal"
        text = "×" if np.isnan(value) else format_value(value, panel.is_share, decimals) + mark
        ax.text(lefts[j] + 0.5, i + 0.5, text, va="center_baseline", **text_style)
    ax.set(xlim=(0, lefts[-1] + 1), ylim=(len(methods), 0), title=panel.title)
    names = [*values.columns, MEAN_COLUMN]
    ax.set_xticks(lefts + 0.5, names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(len(methods)) + 0.5, map(method_label, methods) if has_names else [])
    ax.tick_params(length=0, labelsize=SMALL_TEXT_SIZE)
    ax.spines[:].set_visible(False)
    make_steps = np.geomspace if panel.logarithmic else np.linspace
    steps = make_steps(norm.vmin, norm.vmax, BAR_STEPS + 1)  # few steps are drawn as shapes, too
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, fraction=0.03, aspect=25, boundaries=steps)
    bar.locator = LogLocator(numticks=3) if panel.logarithmic else MaxNLocator(2)
    if panel.logarithmic:  # by default all levels have the same decimals: .01 beside 1000 would be 0
        bar.formatter = FuncFormatter(lambda value, _position: format_value(value, is_share=False))
    bar.update_ticks()
    bar.ax.tick_params(labelsize=SMALL_TEXT_SIZE, length=2)
    bar.outline.set_visible(False)


def format_value(value: float, is_share: bool, decimals: int = 2) -> str:
    """Write a value in few characters: shares without the 0 before the point, others in two digits.

    Parameters
    ----------
    value : float
    is_share : bool
        Whether the values of the panel lie in [0, 1].
    decimals : int, default 2
        Decimals of a share.

    Returns
    -------
    str

    Examples
    --------
    >>> [format_value(value, True) for value in (0.4496, 1.0)]
    ['.45', '1']
    >>> [format_value(value, False) for value in (0.0123, 4.56, 250.0)]
    ['.012', '4.6', '250']
    """
    if is_share:
        text = f"{value:.{decimals}f}"
        return "1" if float(text) == 1.0 else text.removeprefix("0")
    text = f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return text.removeprefix("0") if "." in text else text
