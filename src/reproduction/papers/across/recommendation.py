"""The recommendations of the study across data sets: which method to use, and at which depth."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.core.sentence_templates import fill_template
from reproduction.papers.across.decisions import MIN_DATASETS, ROPE
from reproduction.papers.across.depth.experiment import RIVALS
from reproduction.specs.labels import method_label

RECOMMENDED_SITUATIONS = (
    "100 positives or more to learn from",
    "fewer than 50 positives to learn from",
    "compounds (MUV and DUD), by their fingerprints",
    "must be sparse: at most half of the variables",
    "queries",
)
"""Situations of the decisions that a reader meets first; the table has the others."""

METHOD_TEXT = """{{ situation[0] | upper }}{{ situation[1:] }}: {{ label }}, with a rate at the top of
{{ "%.2f" | format(mean) }} on {{ "%.0f" | format(n_sets) }} data sets{% if rival_mean == rival_mean %}
(logistic regression {{ "%.2f" | format(rival_mean) }}){% endif %}{% if p_better == p_better %}; the
probability that it is better by more than {{ rope }} is {{ "%.2f" | format(p_better) }}
{%- elif n_sets < min_datasets %}; too few sets for a test{% endif %}."""

DEPTH_TEXT = """Depth: tune it instead of fixing it at 1. A loss for the very top (TopPush at depth 1)
ranks more positives above all negatives than logistic regression on {{ better }} of {{ lists }} lists, and
fewer on {{ worse }} (differences above {{ rope }}).{% if zero %} On {{ zero | length }} of them
({{ zero | join(", ") }}) its optimum is w = 0 at every regularisation.{% endif %}
{% for rival in rivals %}
{{- "With its depth tuned, it has a higher average precision than at depth 1" if loop.first else
", and than logistic regression" }} on {{ rival.better }} of {{ rival.lists }} (a lower one on
{{ rival.worse }}){{ "." if loop.last }}{% endfor %} Tune the depth together
with the regularisation, by the metric of your capacity, with TopPushCV or InfinitePushCV
(docs/depth.md)."""


def recommend_methods(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Recommend a method for each of a few situations, and a depth.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        Tables of the study: ``decisions``, ``facts`` and, if the depth was tuned, ``depth_gains``.

    Returns
    -------
    list of str
        Sentences; a situation without data sets has none.
    """
    decisions, facts = tables["decisions"], tables["facts"]
    at_top = decisions[decisions["metric"] == "rate_at_top"].set_index("situation")
    sentences = [
        fill_template(
            METHOD_TEXT,
            {
                **at_top.loc[name],
                "situation": name,
                "label": method_label(at_top.at[name, "method"]),
                "rope": ROPE,
                "min_datasets": MIN_DATASETS,
            },
        )
        for name in RECOMMENDED_SITUATIONS
        if name in at_top.index
    ]
    lists = facts[facts["gain_rate_at_top"].notna()]
    if len(lists):
        counts = _count_gains(lists["gain_rate_at_top"])
        tuned = tables.get("depth_gains")
        has_tuned = tuned is not None and len(tuned) > 0
        gains = [tuned[f"{rival}_average_precision"] for rival in RIVALS] if has_tuned else []
        # On every split: there no regularisation helps at depth 1 (docs/depth.md).
        zero = list(lists.loc[lists["zero_optimal_share"] == 1, "dataset"])
        sentences.append(
            fill_template(
                DEPTH_TEXT, counts | {"zero": zero, "rope": ROPE, "rivals": [*map(_count_gains, gains)]}
            )
        )
    return sentences


def _count_gains(gains: pd.Series) -> dict[str, int]:
    """Count the lists, and those on which a gain is above, and below, what makes a difference."""
    gains = gains.dropna()
    return {"lists": len(gains), "better": int((gains > ROPE).sum()), "worse": int((gains < -ROPE).sum())}
