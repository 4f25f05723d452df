"""What the findings of the papers say of a study and of a run, and which printed counts are wrong."""

from collections.abc import Mapping, Sequence

import pandas as pd

from reproduction.finding import Finding, Run, Statement

COLUMNS = ("studies", "title", "paragraph", "evidence")
COUNTS = ("rows", "features", "positives", "negatives", "queries", "preferences")
TWICE = "twice"
"""Word of a note of the registry that speaks of repeated rows."""


def observations(findings: Sequence[Finding], tables: Mapping[str, pd.DataFrame]) -> list[Statement]:
    """State what the findings on single studies say of one, as far as it has their tables.

    `findings`: of the study's paper. `tables`: of the study, and its ``fits``.
    """
    applicable = (one for one in findings if one.reads and set(one.reads) <= set(tables))
    stated = (one.state(*(tables[name] for name in one.reads)) for one in applicable)
    return [statement for statement in stated if statement]


def of_run(findings: Sequence[Finding], studies: Sequence, data: pd.DataFrame) -> list[Statement]:
    """State what the findings on the run say of it.

    `findings`: of one paper, or `OF_THE_DATA`. `studies`: of the paper. `data`: rows of
    `results.read_data`.
    """
    stated = (one.state(Run(studies, data)) for one in findings if not one.reads)
    return [statement for statement in stated if statement]


def as_table(statements: Sequence[Statement], page: str) -> pd.DataFrame:
    """Lay statements out as a table.

    `page`: name of the page's file, which the evidence leads to. Returns: the columns of `COLUMNS`; the
    evidence is "words (page#anchor)", joined by "; ".
    """
    rows = [
        (
            ", ".join(one.studies),
            one.title,
            one.paragraph,
            "; ".join(f"{words} ({page}#{anchor})" for words, anchor in one.evidence),
        )
        for one in statements
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def printed_counts(run: Run) -> dict | None:
    """Compare the counts of whole files with the printed ones, and find the notes on repeated rows."""
    whole = run.data[run.data["status"] == "obtained"]
    for column in ("substitute_for", "reading_of"):  # neither substitutes nor other readings of a file
        if column in whole:
            whole = whole[whole[column] == ""]
    differing, papers = [], []
    for row in whole.to_dict("records"):
        for name in COUNTS:
            ours, printed = row.get(name, ""), row.get(f"{name}_printed", "")
            if ours and printed not in ("", ours):
                differing.append({"set": row["dataset"], "count": name, "ours": ours, "printed": printed})
                papers += [paper for paper in row.get("papers", "").split(", ") if paper]
    has_note = "note" in whole
    repeated = whole[whole["note"].str.contains(rf"\b{TWICE}\b")].to_dict("records") if has_note else []
    notes = [{"dataset": row["dataset"], "note": row["note"].rstrip(".")} for row in repeated]
    if not differing and not notes:
        return None
    evidence = (("data sets, found against printed", "data"),)
    return {"differing": differing, "notes": notes, "evidence": evidence, "studies": papers}


OF_THE_DATA = (
    Finding(
        "printed-counts",
        "Which counts in the papers cannot be right",
        """{% if differing %}Counted in the files, whose checksums are known,
        {{ differing | each("{set} has {ours} {count} and not {printed}") | joined }}. The notes of the data
        sets say what may have been counted instead.{% endif %}
        {% for one in notes %}The notes say of {{ one.dataset }}: {{ one.note }}. {% endfor %}""",
        printed_counts,
    ),
)
"""Findings on the data of the run, which belong to no single paper."""
