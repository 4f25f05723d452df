"""The first screen of the page: a card for each paper, with its claims and their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from reproduction.claim import counts
from reproduction.comparison.rows import RESULT
from reproduction.report.page.printed import each_count, verdict_counts
from reproduction.report.studies import StudyReport


def cards(studies: Sequence[StudyReport]) -> list[dict]:
    """Sum up the studies that stand beside print.

    Returns: a card a study: ``study``, ``cited``, ``message``, and ``claims`` and ``results``, each with
    ``total`` and ``verdicts`` as `printed.verdict_counts` has them.
    """
    return [
        {
            "study": study.name,
            "cited": study.paper.cited,
            "message": study.paper.message,
            "claims": _claims(study),
            "results": _results(study),
        }
        for study in studies
        if len(study.comparison.rows) or len(study.claims)
    ]


def _claims(study: StudyReport) -> dict:
    found = counts(study.claims).get(study.name, {}) if len(study.claims) else {}
    total = sum(found.values())
    return {"total": total, "verdicts": each_count(found, total, f"#{study.name}-claims?")}


def _results(study: StudyReport) -> dict:
    rows = study.comparison.rows
    found = verdict_counts(rows[rows["kind"] == RESULT], ("study", "kind"))
    return found[0] if found else {"total": 0, "verdicts": []}
