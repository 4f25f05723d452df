"""The first screen of the page: a card a paper with what it claims and what holds."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from reproduction.claim import counts
from reproduction.comparison.rows import RESULT
from reproduction.report.page.printed import after_count, slug, verdict_counts
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
    verdicts = [
        {
            "name": verdict,
            "css": slug(verdict),
            "count": count,
            "share": f"{100 * count / total:.2f}" if total else "0",
            "link": f"#{study.name}-claims?{urlencode({'verdict': verdict})}",
            "words": after_count(verdict, count),
        }
        for verdict, count in found.items()
    ]
    return {"total": total, "verdicts": verdicts}


def _results(study: StudyReport) -> dict:
    rows = study.comparison.rows
    rows = rows[rows["kind"] == RESULT] if len(rows) else rows
    for row in verdict_counts(rows, ("study", "kind")):
        return row
    return {"total": 0, "verdicts": []}
