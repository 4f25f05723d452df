"""The sentence that stands beside a verdict: a template, and the facts that fill it."""

import math
from collections.abc import Mapping

from reproduction.comparison.verdicts import ROUNDING_TOL, ResultJudgement
from reproduction.core.formatting import format_mean_std, format_short, typeset_minus
from reproduction.core.sentence_templates import fill_template

RESULT_TEXT = """
{% if absent %}{{ absent }}
{%- elif verdict == "below the margin" %}the published number is below the margin of {{ margin }}
{%- elif verdict == "agrees" and is_near %}the difference of {{ difference }} is within the margin of
{{ margin }}
{%- elif verdict == "agrees" %}the 95 % interval of the difference, {{ interval }}, holds 0 and reaches at
most twice the margin of {{ margin }}
{%- elif verdict == "consistent" %}the 95 % interval of the difference, {{ interval }}, holds 0 but reaches
farther than twice the margin of {{ margin }}
{%- else %}
{%- if combination %}with {{ combination.specification | replace("; ", " and ") }}, which explains the row, we
measure {{ combination.ours }} on {{ combination.splits }} splits (by default {{ combination.paired_default }}
on these); {% endif %}
{%- if data %}other data than published: {{ data }}; {% endif %}
{%- if verdict == "differs" and not tried %}no other option was tried; {% endif -%}
the difference is {{ difference }}, the margin {{ margin }}
{%- if interval %}; 95 % interval of the difference: {{ interval }}{% endif %}
{%- endif %}
{%- if data and verdict in ("agrees", "consistent") %}; other data than published: {{ data }}{% endif %}
{%- if zero_models %}; the chosen model is w = 0 on {{ zero_models }} of {{ splits }} splits{% endif %}
"""

SINGLE_SPLIT_TEXT = "one split gave a number, which has no spread: run at least two splits"


def explain_result(
    row: Mapping, judgement: ResultJudgement, verdict: str, explanation: Mapping | None = None
) -> str:
    """Explain why a published result has its verdict.

    Parameters
    ----------
    row : Mapping
        published, ours_mean, splits, zero_models; ``absent``: why there is no number of ours; ``data``: how
        the data differ from those that are published; ``tried``: whether other options were tried.
    judgement : ResultJudgement
        ResultJudgement on the default specification.
    verdict : str
        Verdict on the number.
    explanation : Mapping, optional
        The combination that explains the row: ``specification``, and the means ``option`` and
        ``paired_default``, the mean of the default specification on the same splits.

    Returns
    -------
    str
        A sentence.
    """
    has_interval = not math.isnan(judgement.low)
    interval = (
        typeset_minus(f"{format_short(judgement.low)} to {format_short(judgement.high)}")
        if has_interval
        else ""
    )
    difference = math.nan if row["absent"] else abs(row["published"] - row["ours_mean"])
    facts = {
        "absent": row["absent"],
        "data": row["data"],
        "tried": row["tried"],
        "verdict": verdict,
        "margin": f"{judgement.margin:.3g}",
        "difference": "" if row["absent"] else format_short(difference),
        "is_near": difference <= judgement.margin * (1 + ROUNDING_TOL),
        "interval": interval,
        "combination": _describe_combination(explanation) if explanation else None,
        "zero_models": int(row["zero_models"]) if row["zero_models"] > 0 else 0,
        "splits": f"{row['splits']:.0f}",
    }
    return fill_template(RESULT_TEXT, facts)


def _describe_combination(explanation: Mapping) -> dict:
    """Format the mean under a combination beside that of the default specification on the same splits."""
    option, paired = explanation["option"], explanation["paired_default"]
    return {
        "specification": explanation["specification"],
        "ours": format_mean_std(option.mean, option.std),
        "paired_default": format_mean_std(paired.mean, paired.std),
        "splits": f"{option.splits:.0f}",
    }
