"""Means of each method on each data set as heat maps, a panel a feature scaling and metric."""

import pandas as pd
from matplotlib.figure import Figure

from reproduction.plotting.heat_map import HeatMapPanel, draw_heat_maps
from reproduction.plotting.messages import count_noun
from reproduction.plotting.style import placeholder_figure
from reproduction.reporting.method_comparison.method_ranks import ALL_DATASETS
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LABELS, LOGARITHMIC

NO_DATA_TEXT = "No method has a number on all data sets."


def draw_heat_map(scores: pd.DataFrame) -> Figure:
    """Draw methods against data sets, a panel a feature scaling and metric.

    Parameters
    ----------
    scores : pandas.DataFrame
        ``feature_scaling``, ``metric``, ``dataset``, ``method``, ``mean``, and ``score``: the mean scaled
        from 0 to 1, the best of the data set.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, or a sentence where no method has a number on all data sets.
    """
    panels = split_panels(scores)
    return draw_heat_maps(panels) if panels else placeholder_figure(NO_DATA_TEXT)


def split_panels(scores: pd.DataFrame) -> list[HeatMapPanel]:
    """Split the means into panels.

    Parameters
    ----------
    scores : pandas.DataFrame
        As in `draw_heat_map`.

    Returns
    -------
    list of HeatMapPanel
        Methods in the order of their mean scores over all panels, the best first.
    """
    panels = []
    has_scalings = scores["feature_scaling"].nunique() > 1
    dataset_scores = scores[scores["dataset"] != ALL_DATASETS]
    # in all panels the same order: by the mean score over metrics and data sets
    order = dataset_scores.groupby("method")["score"].mean().sort_values(ascending=False, kind="stable").index
    for (scaling, metric), rows in dataset_scores.groupby(["feature_scaling", "metric"], sort=False):
        values, score = (
            rows.pivot(index="method", columns="dataset", values=name).reindex(order)
            for name in ("mean", "score")
        )
        title = LABELS.get(metric, metric) + (f", {scaling} features" if has_scalings else "")
        # bold are the methods with the best mean of a data set; where all have the same, none is the best
        is_best = (score == 1.0) & (values.max() > values.min())
        panels.append(HeatMapPanel(title, values, is_best, metric in LOGARITHMIC))
    return panels


def describe_heat_map(scores: pd.DataFrame) -> str:
    """Describe the heat maps in words: on how many data sets each method is best.

    Parameters
    ----------
    scores : pandas.DataFrame
        As in `draw_heat_map`.

    Returns
    -------
    str
    """
    sentences = []
    for panel in split_panels(scores):
        wins = panel.is_best.sum(axis=1)
        sentences.append(
            f"{panel.title}: {method_label(wins.idxmax())} is best on {wins.max()} of "
            f"{panel.values.shape[1]} data sets."
        )
    return "Heat map of means. " + (" ".join(sentences) or NO_DATA_TEXT)


def state_heat_map(scores: pd.DataFrame) -> str:
    """State which method has the best mean score, and in how many columns it is the best.

    Parameters
    ----------
    scores : pandas.DataFrame
        As in `draw_heat_map`.

    Returns
    -------
    str
    """
    panels = split_panels(scores)
    if not panels:
        return NO_DATA_TEXT
    first = panels[0].values.index[0]  # the methods stand in the order of their mean scores
    if len(panels[0].values) == 1:
        return f"{method_label(first)} is the only method with numbers."
    n_columns = sum(panel.values.shape[1] for panel in panels)
    n_best = sum(int(panel.is_best.loc[first].sum()) for panel in panels)
    return (
        f"{method_label(first)} has the best mean score over the {count_noun(len(panels), 'panel')}; it is "
        f"best in {n_best} of {count_noun(n_columns, 'column')}."
    )
