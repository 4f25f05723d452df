"""The findings of a run, in the order in which they are shown; one whose data are not there is left out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.papers.kadkhodaie2015 import topics as topics_top_ranking
from reproduction.papers.laporte2014 import topics as topics_query_ranking
from reproduction.papers.rakotomamonjy2012 import topics as topics_infinite_push
from reproduction.report.findings import data as topics_data
from reproduction.report.findings.finding import Finding
from reproduction.report.studies import StudyReport

COLUMNS = ("studies", "title", "paragraph", "evidence")


def topics(studies: Sequence[StudyReport], data: pd.DataFrame) -> list[Finding]:
    """Collect the findings of a run.

    Parameters
    ----------
    studies : sequence of StudyReport
    data : pandas.DataFrame
        Rows of `inputs.read_data`.

    Returns
    -------
    list of Finding
    """
    found = [
        topics_top_ranking.zero_topic(studies),
        topics_top_ranking.stop_topic(studies),
        topics_query_ranking.constant_topic(studies),
        topics_query_ranking.stop_topic(studies),
        topics_query_ranking.script_topic(studies),
        topics_data.counts_topic(studies, data),
        topics_top_ranking.marks_topic(studies),
        topics_infinite_push.variables_topic(studies),
    ]
    return [finding for finding in found if finding]


def as_table(findings: Sequence[Finding], page: str) -> pd.DataFrame:
    """Lay the findings out as a table.

    Parameters
    ----------
    findings : sequence of Finding
    page : str
        Name of the page's file, which the evidence leads to.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`; the evidence is "words (page#anchor)", joined by "; ".
    """
    rows = [
        (
            ", ".join(finding.studies),
            finding.title,
            finding.paragraph,
            "; ".join(f"{words} ({page}#{anchor})" for words, anchor in finding.evidence),
        )
        for finding in findings
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
