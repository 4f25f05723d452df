"""The sentences that stand beside a verdict: templates, and the facts that fill them."""

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.comparison.verdicts import REPRODUCED, ROUNDING_TOL, Judgement
from reproduction.core.formatting import format_mean_std, format_short, typeset_minus
from reproduction.core.sentence_templates import fill_template

RESULT_TEXT = """
{% if absent %}{{ absent }}
{%- elif verdict == "below the margin" %}the published number is below the margin of {{ margin }}
{%- elif verdict == "agrees" and is_near %}the difference of {{ difference }} is within the margin of
{{ margin }}
{%- elif verdict == "agrees" %}the 95 % interval of the difference, {{ interval }}, holds 0 and reaches at
most twice the margin of {{ margin }}
{%- elif verdict == "consistent" %}the 95 % interval of the difference, {{ interval }}, holds 0; below
{{ smallest }} no difference could be seen, and the margin is {{ margin }}
{%- else %}
{%- if found %}with {{ found.specification | replace("; ", " and ") }} we measure {{ found.ours }}, which {{
found.verb }}; over the paper this recovers
{{ found.recovered }} {{ "number" if found.recovered == 1 else "numbers" }} and loses
{{ found.lost }}; {% endif %}
{%- if data %}other data than published: {{ data }}; {% endif %}
{%- if verdict == "differs" %}{{ "no option that was tried recovers it" if tried else
"no other option was tried" }}; {% endif -%}
the difference is {{ difference }}, the margin {{ margin }}
{%- if interval %}; 95 % interval of the difference: {{ interval }}{% endif %}
{%- endif %}
{%- if data and verdict in ("agrees", "consistent") %}; other data than published: {{ data }}{% endif %}
{%- if zero_models %}; the chosen model is w = 0 on {{ zero_models }} of {{ splits }} splits{% endif %}
"""

EXCLUDED_TEXT = """
{% for one in tried %}{{ one.specification }} {{ one.ours }}
{%- if one.comes_out %} (recovers {{ one.recovered }}, loses {{ one.lost }}){% endif %}
{%- if not loop.last %}; {% endif %}{% endfor %}
{%- if pairs %}{{ "; " if tried }}and {{ pairs }} pairs of options{% endif %}
"""

SINGLE_SPLIT_TEXT = "one split gave a number, which has no spread: run at least two splits"
VERBS = {"agrees": "agrees", "consistent": "is consistent"}


def explain_result(
    row: Mapping, judgement: Judgement, verdict: str, explanation: pd.Series | None = None
) -> str:
    """Explain why a published result has its verdict.

    Parameters
    ----------
    row : Mapping
        published, ours_mean, splits, zero_models; ``absent``: why there is no number of ours; ``data``: how
        the data differ from those that are published; ``tried``: whether other options were tried.
    judgement : Judgement
        Judgement on the default specification.
    verdict : str
        Verdict on the number.
    explanation : pd.Series, optional
        The specification that recovers the number, with its balance.

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
        "smallest": format_short(judgement.smallest_seen) if has_interval else "",
        "found": None
        if explanation is None
        else _specification_facts(explanation) | {"verb": VERBS[explanation["verdict"]]},
        "zero_models": int(row["zero_models"]) if row["zero_models"] > 0 else 0,
        "splits": f"{row['splits']:.0f}",
    }
    return fill_template(RESULT_TEXT, facts)


def list_excluded(specifications: pd.DataFrame) -> str:
    """List the options that were tried and do not help, each with its number.

    Parameters
    ----------
    specifications : pd.DataFrame
        Rows of `multiverse.add_verdicts` with their balance, without the default and what recovers the
        number.

    Returns
    -------
    str
        The list; "none" where none was tried.
    """
    with_number = specifications[specifications["ours_mean"].notna()]
    single_changes = [
        _specification_facts(row) for _, row in with_number[with_number["changes"] == 1].iterrows()
    ]
    return (
        fill_template(
            EXCLUDED_TEXT, {"tried": single_changes, "pairs": int((with_number["changes"] > 1).sum())}
        )
        or "none"
    )


def _specification_facts(row: pd.Series) -> dict:
    """Write a specification with its number and its balance."""
    return {
        "specification": row["specification"],
        "ours": format_mean_std(row["ours_mean"], row["ours_std"]),
        "comes_out": row["verdict"] in REPRODUCED,
        **{name: int(row[name]) for name in ("recovered", "lost")},
    }
