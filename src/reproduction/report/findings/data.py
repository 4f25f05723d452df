"""Finding on the counts that are printed in the papers: which of them cannot be right."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reproduction.labels import row_id
from reproduction.papers.laporte2014.inputs import MEAN
from reproduction.printed import data_counts, read_printed
from reproduction.report.findings.finding import Evidence, Finding, joined, of_protocol
from reproduction.report.studies import StudyReport

COUNTS = ("rows", "features", "positives", "negatives", "queries", "preferences")

TWICE = "twice"
"""Word of a note of the registry that speaks of repeated rows."""

CALLED_SPARSEST = ("hp2003", "td2003", "mq2007", "mq2008")
"""Where the text of L14, section V, calls the log penalty "particularly effective"."""

LAST_DIGIT = 0.1
"""Of an average in L14's Table III; some are rounded and some cut."""


def counts_topic(studies: Sequence[StudyReport], data: pd.DataFrame) -> Finding | None:
    """Say which printed counts cannot be right, and how that was checked."""
    said: list[str] = []
    evidence: Evidence = ()
    names: list[str] = []
    for sentences, links, study in (
        _differing(data),
        _repeated(data),
        _parentheses(studies, data),
        _averages(studies),
        _sparsest(studies),
    ):
        said += sentences
        evidence += tuple(link for link in links if link not in evidence)
        names += [name for name in study if name not in names]
    if not said:
        return None
    return Finding("Which counts in the papers cannot be right", " ".join(said), evidence, tuple(names))


Part = tuple[list[str], Evidence, list[str]]
NOTHING: Part = ([], (), [])


def _whole(data: pd.DataFrame) -> pd.DataFrame:
    """Select the sets that were obtained in full, in the reading of their source, and are no substitutes."""
    plain = data["status"] == "obtained"
    for column in ("substitute_for", "reading_of"):
        if column in data:
            plain &= data[column] == ""
    return data[plain]


def _differing(data: pd.DataFrame) -> Part:
    """Compare the counts of whole files with the printed ones."""
    found = []
    for _, row in _whole(data).iterrows():
        for name in COUNTS:
            ours, printed = row.get(name, ""), row.get(f"{name}_printed", "")
            if printed not in ("", ours) and ours:
                words = f"{row['dataset']} has {ours} {name} and not {printed}"
                found.append((words, row.get("papers", "")))
    if not found:
        return NOTHING
    said = [
        f"Counted in the files, whose checksums are known, {joined(words for words, _ in found)}; what "
        "may have been counted instead stands in the notes of the data sets."
    ]
    papers = [paper for _, names in found for paper in names.split(", ") if paper]
    return said, (("data sets, found against printed", "data"),), list(dict.fromkeys(papers))


def _repeated(data: pd.DataFrame) -> Part:
    """Repeat what the notes say of rows that stand in a file twice."""
    whole = _whole(data)
    if "note" not in whole:
        return NOTHING
    whole = whole[whole["note"].str.contains(rf"\b{TWICE}\b")]
    if whole.empty:
        return NOTHING
    said = [f"The notes say of {row.dataset}: {row.note.rstrip('.')}." for row in whole.itertuples()]
    return said, (("data sets, found against printed", "data"),), []


def _parentheses(studies: Sequence[StudyReport], data: pd.DataFrame) -> Part:
    """Add up the counts in parentheses of R12's Table 1, called training and testing examples there."""
    whole = _whole(data)
    sizes = dict(zip(whole["dataset"], whole["rows"], strict=True)) if "rows" in whole else {}
    for study in of_protocol(studies, "infinite_push"):
        file = study.published
        if not file:
            continue
        printed = data_counts(read_printed(file)).reset_index()
        summed, second = [], []
        for row in printed.itertuples():
            size = sizes.get(row.dataset)
            if size and row.first_count + row.second_count == float(size):
                summed.append(f"{row.dataset} ({row.first_count:.0f} + {row.second_count:.0f} = {size})")
            elif size and row.second_count == float(size):
                second.append(row.dataset)
        if not second:
            continue
        table = study.tables["table1"]
        at = table[table["dataset"].isin(second)].drop_duplicates("dataset")
        links = tuple(
            (f"{row['dataset']}, {row['data_rows']:.0f} rows", row_id(row)) for _, row in at.iterrows()
        )
        return (
            [
                "Rakotomamonjy calls the two counts in parentheses training and testing examples: they add "
                f"up to the file on {joined(summed)}, but on {joined(second)} the second is already the "
                "whole file."
            ],
            links[:3],
            [study.name],
        )
    return NOTHING


def _averages(studies: Sequence[StudyReport]) -> Part:
    """Hold the printed averages of L14's Table III against the printed counts beside them."""
    for study in of_protocol(studies, "query_ranking"):
        table = study.tables["table3"]
        quotient = table["printed_query_document_pairs"] / table["printed_queries"]
        printed = table["printed_documents_per_query"]
        wrong = table[((printed - quotient).abs() >= LAST_DIGIT).fillna(False)]
        if wrong.empty:
            continue
        right = quotient[wrong.index]
        named = [
            f"{row.dataset} {row.printed_query_document_pairs:.0f} / {row.printed_queries:.0f} = "
            f"{right[row.Index]:.1f}, printed {row.printed_documents_per_query:.1f}"
            for row in wrong.itertuples()
        ]
        values = sorted(wrong["printed_documents_per_query"])
        swapped = len(wrong) > 1 and all(
            abs(a - b) < LAST_DIGIT for a, b in zip(values, sorted(right), strict=True)
        )
        tail = ": each is the other's" if swapped and len(wrong) == 2 else ""
        links = tuple(
            (f"{row['dataset']} in Table III", row_id(row.to_dict() | {"features": "raw", "method": "data"}))
            for _, row in wrong.iterrows()
        )
        return (
            [
                f"In Table III of Laporte et al. the documents per query are not the counts divided for "
                f"{joined(named)}{tail}."
            ],
            links,
            [study.name],
        )
    return NOTHING


def _sparsest(studies: Sequence[StudyReport]) -> Part:
    """Hold what the text of L14 says of the log penalty against its Table IV."""
    for study in of_protocol(studies, "query_ranking"):
        table = study.tables["table4"]
        table = table[(table["dataset"] != MEAN) & table["printed_sparsity_ratio"].notna()]
        wide = table.pivot_table(index="dataset", columns="method", values="printed_sparsity_ratio")
        if not {"log_ranksvm", "lp_ranksvm"} <= set(wide):
            continue
        wide = wide.loc[[name for name in CALLED_SPARSEST if name in wide.index]]
        sparser = wide[wide["lp_ranksvm"] < wide["log_ranksvm"]]
        if sparser.empty:
            continue
        named = [
            f"{name} ({row['lp_ranksvm']:.2f} against {row['log_ranksvm']:.2f})"
            for name, row in sparser.iterrows()
        ]
        at = table[table["dataset"].isin(sparser.index) & (table["method"] == "lp_ranksvm")]
        links = tuple((f"{row['dataset']} in Table IV", row_id(row)) for _, row in at.iterrows())
        return (
            [
                f"Their text calls the log penalty particularly effective on {joined(CALLED_SPARSEST)}; in "
                f"Table IV ℓ₀.₅ keeps a smaller share of the features on {joined(named)}."
            ],
            links[:2],
            [study.name],
        )
    return NOTHING
