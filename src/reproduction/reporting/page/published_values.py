"""Published numbers on the page: cards of the first screen, the table of all, counts of verdicts, reasons."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import pandas as pd

from reproduction.comparison.claim_tables import count_verdicts as claims_by_verdict
from reproduction.comparison.claims import HOLDS, HOLDS_SOMETIMES, REFUTED, UNDECIDED
from reproduction.comparison.table import RESULT
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    NON_RESULT_VERDICTS,
    RECOVERED,
    VALUE_BELOW_MARGIN,
    VERDICTS,
)
from reproduction.core.formatting import format_mean_std
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import anchor_id, method_label, scaling_sort_key
from reproduction.specs.published_values import format_cell
from reproduction.specs.table_cells import number_cell
from reproduction.specs.table_views import Cell

ARTEFACT_LABELS = {"table3": "Table III", "table4": "Table IV", "table5": "Table V", "table6": "Table VI"}
"""Tables that their paper counts in Roman numerals."""

OTHER_KIND_VERDICTS = (*NON_RESULT_VERDICTS, STATUS_NOT_OBTAINED)

CLAUSE_SEPARATOR, PLACEHOLDER = "; ", "…"
"""What stands between the clauses of a reason, and where clauses of one kind differ."""

NUMBER_PATTERN = r"[-−+]?\d+(?:\.\d+)?(?:e[-−+]?\d+)?"

VERDICT_PHRASES = {
    HOLDS: ("holds", "hold"),
    HOLDS_SOMETIMES: ("holds under some choices", "hold under some choices"),
    REFUTED: ("does not hold", "do not hold"),
    UNDECIDED: ("cannot tell", "cannot tell"),
    AGREES: ("agrees", "agree"),
    CONSISTENT: ("is consistent", "are consistent"),
    RECOVERED: ("is recovered under other choices", "are recovered under other choices"),
    DIFFERS: ("differs", "differ"),
    VALUE_BELOW_MARGIN: ("is below the margin", "are below the margin"),
    STATUS_NOT_OBTAINED: ("was not obtained", "were not obtained"),
}
"""Verdict -> what follows a count of one, and of several."""


def inflect_verdict(verdict: str, count: int) -> str:
    """Say what follows a count of a verdict."""
    return VERDICT_PHRASES.get(verdict, (verdict, verdict))[count != 1]


def count_verdicts(rows: pd.DataFrame, by: Sequence[str], verdicts: Sequence[str] = VERDICTS) -> list[dict]:
    """Count the verdicts of some rows of the comparison.

    `by`: columns that tell the groups apart; a column of one word links to the rows with that word.
    `verdicts`: those that are counted, in their order. Returns: for each group in the order of its first row:
    its names, ``total``, and ``verdicts``, each with name, the ``words`` behind a count of it, count, share
    of the total in per cent, and ``link`` to the rows.
    """
    groups = []
    for names, group_rows in rows.groupby(list(by), sort=False) if len(rows) else ():
        labels = {name: _format_identity(name, value) for name, value in zip(by, names, strict=True)}
        counts = {verdict: int((group_rows["verdict"] == verdict).sum()) for verdict in verdicts}
        link = f"#published?{urlencode(labels)}"
        group = {"names": list(labels.values()), "total": len(group_rows), "link": link}
        groups.append(group | {"verdicts": list_verdict_counts(counts, len(group_rows), f"{link}&")})
    return groups


def list_verdict_counts(counts: Mapping[str, int], total: int, link: str) -> list[dict]:
    """List counts of verdicts as `verdict_counts` has them; `link` leads to all rows, up to the verdict."""
    return [
        {
            "name": verdict,
            "words": inflect_verdict(verdict, count),
            "css": make_css_class(verdict),
            "count": count,
            "share": f"{100 * count / total:.2f}",
            "link": f"{link}{urlencode({'verdict': verdict})}",
        }
        for verdict, count in counts.items()
    ]


def make_css_class(verdict: str) -> str:
    """Name the style of a verdict."""
    return verdict.replace(", ", "-").replace(" ", "-")


def summarise_studies(studies: Sequence[StudyReport]) -> list[dict]:
    """Sum up the studies that stand beside print.

    Returns: a card a study: ``study``, ``citation``, ``message``, and ``claims`` and ``results``, each with
    ``total`` and ``verdicts`` as `verdict_counts` has them.
    """
    return [
        {
            "study": study.name,
            "cited": study.paper.citation,
            "message": study.paper.message,
            "claims": _summarise_claims(study),
            "results": _summarise_results(study),
        }
        for study in studies
        if len(study.comparison.rows) or len(study.claims)
    ]


def _summarise_claims(study: StudyReport) -> dict:
    counts = claims_by_verdict(study.claims).get(study.name, {}) if len(study.claims) else {}
    total = sum(counts.values())
    return {"total": total, "verdicts": list_verdict_counts(counts, total, f"#{study.name}-claims?")}


def _summarise_results(study: StudyReport) -> dict:
    rows = study.comparison.rows
    groups = count_verdicts(rows[rows["kind"] == RESULT], ("study", "kind"))
    return groups[0] if groups else {"total": 0, "verdicts": []}


def count_other_kinds(studies: Sequence[StudyReport]) -> list[dict]:
    """Count the verdicts of all kinds but results, a row a study and kind."""
    rows = pd.concat([study.comparison.rows for study in studies], ignore_index=True)
    return count_verdicts(rows[rows["kind"] != RESULT], ("study", "kind"), OTHER_KIND_VERDICTS)


def count_study_verdicts(study: StudyReport) -> dict:
    """Count the verdicts of a study by quantity."""
    rows = study.comparison.rows
    results, other_kinds = rows[rows["kind"] == RESULT], rows[rows["kind"] != RESULT]
    return {
        "results": count_verdicts(results, ("study", "quantity")),
        "apart": count_verdicts(other_kinds, ("study", "quantity"), OTHER_KIND_VERDICTS),
    }


def published_rows(
    studies: Iterable[StudyReport], groups: Mapping[str, Mapping]
) -> tuple[list[dict], list[str]]:
    """Format the comparison of all studies.

    `groups`: ``studies`` of `fits.fits_data`: a number leads to its fits where there are some. Returns
    `reasons`: each said once; a row names its own by their numbers, and its dialog says them in full.
    """
    rows = []
    for study in studies:
        anchors, figure_names = find_anchors(study), {drawing.name for drawing in study.drawings}
        fits = {}
        for key in sorted(groups[study.name]["groups"], key=lambda key: scaling_sort_key(key.split("/")[1])):
            dataset, _, method = key.split("/")
            fits.setdefault((dataset, method), f"{study.name}/{key}")
        for row in study.comparison.rows.to_dict("records"):
            dataset_method = (row["dataset"], row["method"])
            figure = f"{study.name}-{row['artefact']}" if row["artefact"] in figure_names else study.name
            figure = "data" if row["shown_in"].startswith("data.csv") else figure
            links = {"anchor": anchors.get(dataset_method, figure), "reason": row["reason"]}
            rows.append(published_row(row, fits.get(dataset_method, "")) | links)
    names = {row[name] for row in rows for name in ("dataset", "method")}
    sentences, numbers = number_clauses([row["reason"] for row in rows], names)
    for row, clause_numbers in zip(rows, numbers, strict=True):
        row["note"] = Cell(",".join(map(str, clause_numbers)), clause_numbers[0], link="reasons")
    return rows, sentences


def published_row(row: Mapping, fits: str) -> dict:
    """Format one row of the comparison; ours leads to its fits where there are some."""

    def make_cell(mean: float, std: float = math.nan, **more: str) -> Cell:
        if math.isnan(mean):
            return Cell("–", is_absent=True, **more)
        text = format_cell(row["quantity"], mean)
        label = format_mean_std(mean, std) if text == f"{mean:.10g}" else method_label(text)
        return Cell(label, mean, **more)

    identity = {
        name: _format_identity(name, row[name])
        for name in ("study", "artefact", "quantity", "kind", "method")
    }
    zero = row["zero_models"]
    return identity | {
        "dataset": row["dataset"],
        "published": make_cell(row["published"]),
        "published_spread": make_cell(row["published"], row["published_std"]),
        "ours": make_cell(row["ours_mean"], fits=fits),
        "ours_spread": make_cell(row["ours_mean"], row["ours_std"]),
        "margin": number_cell(row["margin"], "{:.3g}".format),
        "smallest": number_cell(row["smallest_seen"]),
        "zero": number_cell(zero if zero > 0 else math.nan, "{:.0f}".format),
        "verdict": row["verdict"],
        "under": row["specification"] if row["verdict"] == RECOVERED else "",
        "excluded": row["excluded"],
    }


def number_clauses(reasons: Sequence[str], names: Iterable[str]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Give the clauses of reasons their numbers.

    `reasons`: clauses with `BETWEEN` them. `names`: names that vary as numbers do: data sets, methods.
    Returns `sentences`: of each number from 1 on; `OPEN` stands where the clauses differ; `numbers`: of the
    clauses of each reason.
    """
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    varying = re.compile(rf"(?<![\w.])({'|'.join([*longest, NUMBER_PATTERN])})(?!\w)")
    kinds: dict[tuple[str, ...], list[list[str]]] = {}
    split_reasons = [
        [varying.split(clause) for clause in reason.split(CLAUSE_SEPARATOR)] for reason in reasons
    ]
    for parts in (parts for clauses in split_reasons for parts in clauses):
        kinds.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    order = {kind: i for i, kind in enumerate(kinds, 1)}
    sentences = [_merge_clauses(kind, values) for kind, values in kinds.items()]
    return sentences, [
        tuple(dict.fromkeys(order[tuple(parts[::2])] for parts in clauses)) for clauses in split_reasons
    ]


def _merge_clauses(kind: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """Fill what all clauses of a kind say alike."""
    filled = [
        distinct.pop() if len(distinct := set(place_values)) == 1 else PLACEHOLDER
        for place_values in zip(*values, strict=True)
    ]
    return "".join(part for pair in zip(kind, [*filled, ""], strict=True) for part in pair)


def find_anchors(study: StudyReport) -> dict[tuple[str, str], str]:
    """Find the row of each data set and method in the tables of a study: the first feature scaling."""
    anchors: dict[tuple[str, str], str] = {}
    for name in ("table1", "table3", "table4"):
        table = study.tables.get(name)
        if table is None:
            continue
        rows = table if name != "table3" else table.assign(feature_scaling="raw", method="data")
        for row in sorted(rows.to_dict("records"), key=lambda row: scaling_sort_key(row["feature_scaling"])):
            anchors.setdefault((row["dataset"], row["method"]), anchor_id(row))
    return anchors


def _format_identity(name: str, value: str) -> str:
    """Write a cell of the identity of a published number for readers."""
    if name == "method":
        return method_label(value)
    if name == "artefact":
        return ARTEFACT_LABELS.get(value, re.sub(r"(\d+)$", r" \1", value).capitalize())
    return value.replace("_", " ") if name == "quantity" else value
