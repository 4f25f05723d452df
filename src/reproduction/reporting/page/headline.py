"""The headline of the page: how many published numbers were judged, by kind, and how many could not be had.

`describe_run` is the sentence for all papers, `describe_derived` that of one card.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.comparison.table import MARK, P_VALUE, RELATION, RESULT
from reproduction.comparison.verdicts import (
    DIFFERS,
    DIFFERS_FROM_PUBLISHED,
    EXPLAINED_VALUE,
    MATCHES,
    REPRODUCED,
    VALUE_BELOW_MARGIN,
)
from reproduction.core.sentence_templates import fill_template
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED

DERIVED_KINDS = (MARK, RELATION, P_VALUE)
"""Kinds that follow from the results: marks of a table, best methods and significant differences,
p-values."""

RUN_TEXT = """
{% if total %}The papers publish {{ total }} results: {{ reproduced }} agree or are consistent with ours,
{{ explained }} {{ "is" if explained == 1 else "are" }} explained by other choices, {{ differs }} differ{% if
below_margin %}, {{ below_margin }} {{ "is" if below_margin == 1 else "are" }} below the margin{% endif %},
and {{ not_obtained }} could not be obtained.{% endif %}{% if judged %} Of {{ judged }} marks, relations and
p-values that could be judged, {{ other }} {{ "is" if other == 1 else "are" }} not as published.{% endif %}
"""

DERIVED_TEXT = """
{% if judged %}Of {{ judged }} marks, relations and p-values that could be judged, {{ matches }}
{{ "is" if matches == 1 else "are" }} as published and {{ other }} {{ "is" if other == 1 else "are" }} not.{%
endif %}
"""


def describe_run(studies: Sequence[StudyReport]) -> str:
    """Write how many published results of all papers are reproduced, and how many could not be obtained.

    Parameters
    ----------
    studies : sequence of StudyReport
        The studies of the run.

    Returns
    -------
    str
        One or two sentences; empty if nothing is published.
    """
    rows = pd.concat([study.comparison.rows for study in studies], ignore_index=True) if studies else None
    if rows is None or rows.empty:
        return ""
    verdicts = rows.loc[rows["kind"] == RESULT, "verdict"]
    facts = {"total": len(verdicts), "reproduced": int(verdicts.isin(REPRODUCED).sum())}
    # each published result has exactly one of these verdicts
    for name, verdict in (
        ("explained", EXPLAINED_VALUE),
        ("differs", DIFFERS),
        ("below_margin", VALUE_BELOW_MARGIN),
        ("not_obtained", STATUS_NOT_OBTAINED),
    ):
        facts[name] = int((verdicts == verdict).sum())
    return fill_template(RUN_TEXT, facts | _count_derived(rows))


def describe_derived(study: StudyReport) -> str:
    """Write how many marks, relations and p-values of a paper come out as published.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    str
        A sentence; empty if none could be judged.
    """
    return fill_template(DERIVED_TEXT, _count_derived(study.comparison.rows))


def _count_derived(rows: pd.DataFrame) -> dict[str, int]:
    """Count the marks, relations and p-values with a verdict."""
    verdicts = rows.loc[rows["kind"].isin(DERIVED_KINDS), "verdict"]
    matches, other = (int((verdicts == verdict).sum()) for verdict in (MATCHES, DIFFERS_FROM_PUBLISHED))
    return {"matches": matches, "other": other, "judged": matches + other}
