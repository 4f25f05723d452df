"""Published numbers on the page: cards of the first screen, the table of all, counts of verdicts, reasons."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import pandas as pd

from reproduction.comparison.claims import HOLDS, HOLDS_SOMETIMES, REFUTED, UNDECIDED
from reproduction.comparison.claims import count_verdicts as claims_by_verdict
from reproduction.comparison.table import RESULT
from reproduction.comparison.verdicts import (
    AGREES,
    BELOW_MARGIN,
    CONSISTENT,
    DIFFERS,
    NON_RESULT_VERDICTS,
    RECOVERED,
    VERDICTS,
)
from reproduction.core.formatting import format_mean_std
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import anchor_id, method_label, scaling_sort_key
from reproduction.specs.published_values import format_cell
from reproduction.specs.table_views import Cell, number_cell

ARTEFACTS = {"table3": "Table III", "table4": "Table IV", "table5": "Table V", "table6": "Table VI"}
"""Tables that their paper counts in Roman numerals."""

APART_VERDICTS = (*NON_RESULT_VERDICTS, STATUS_NOT_OBTAINED)

BETWEEN, OPEN = "; ", "…"
"""What stands between the clauses of a reason, and where clauses of one kind differ."""

NUMBER = r"[-−+]?\d+(?:\.\d+)?(?:e[-−+]?\d+)?"

WORDS = {
    HOLDS: ("holds", "hold"),
    HOLDS_SOMETIMES: ("holds under some choices", "hold under some choices"),
    REFUTED: ("does not hold", "do not hold"),
    UNDECIDED: ("cannot tell", "cannot tell"),
    AGREES: ("agrees", "agree"),
    CONSISTENT: ("is consistent", "are consistent"),
    RECOVERED: ("is recovered under other choices", "are recovered under other choices"),
    DIFFERS: ("differs", "differ"),
    BELOW_MARGIN: ("is below the margin", "are below the margin"),
    STATUS_NOT_OBTAINED: ("was not obtained", "were not obtained"),
}
"""Verdict -> what follows a count of one, and of several."""


def after_count(verdict: str, count: int) -> str:
    """Say what follows a count of a verdict."""
    return WORDS.get(verdict, (verdict, verdict))[count != 1]


def verdict_counts(rows: pd.DataFrame, by: Sequence[str], verdicts: Sequence[str] = VERDICTS) -> list[dict]:
    """Count the verdicts of some rows of the comparison.

    `by`: columns that tell the groups apart; a column of one word links to the rows with that word.
    `verdicts`: those that are counted, in their order. Returns: for each group in the order of its first row:
    its names, ``total``, and ``verdicts``, each with name, the ``words`` behind a count of it, count, share
    of the total in per cent, and ``link`` to the rows.
    """
    found = []
    for names, of_group in rows.groupby(list(by), sort=False) if len(rows) else ():
        shown = {name: _shown(name, value) for name, value in zip(by, names, strict=True)}
        counts = {verdict: int((of_group["verdict"] == verdict).sum()) for verdict in verdicts}
        link = f"#published?{urlencode(shown)}"
        named = {"names": list(shown.values()), "total": len(of_group), "link": link}
        found.append(named | {"verdicts": each_count(counts, len(of_group), f"{link}&")})
    return found


def each_count(counts: Mapping[str, int], total: int, link: str) -> list[dict]:
    """List counts of verdicts as `verdict_counts` has them; `link` leads to all rows, up to the verdict."""
    return [
        {
            "name": verdict,
            "words": after_count(verdict, count),
            "css": slug(verdict),
            "count": count,
            "share": f"{100 * count / total:.2f}",
            "link": f"{link}{urlencode({'verdict': verdict})}",
        }
        for verdict, count in counts.items()
    ]


def slug(verdict: str) -> str:
    """Name the style of a verdict."""
    return verdict.replace(", ", "-").replace(" ", "-")


def cards(studies: Sequence[StudyReport]) -> list[dict]:
    """Sum up the studies that stand beside print.

    Returns: a card a study: ``study``, ``citation``, ``message``, and ``claims`` and ``results``, each with
    ``total`` and ``verdicts`` as `verdict_counts` has them.
    """
    return [
        {
            "study": study.name,
            "cited": study.paper.citation,
            "message": study.paper.message,
            "claims": _claims(study),
            "results": _results(study),
        }
        for study in studies
        if len(study.comparison.rows) or len(study.claims)
    ]


def _claims(study: StudyReport) -> dict:
    found = claims_by_verdict(study.claims).get(study.name, {}) if len(study.claims) else {}
    total = sum(found.values())
    return {"total": total, "verdicts": each_count(found, total, f"#{study.name}-claims?")}


def _results(study: StudyReport) -> dict:
    rows = study.comparison.rows
    found = verdict_counts(rows[rows["kind"] == RESULT], ("study", "kind"))
    return found[0] if found else {"total": 0, "verdicts": []}


def agreement(studies: Sequence[StudyReport]) -> list[dict]:
    """Count the verdicts of all kinds but results, a row a study and kind."""
    rows = pd.concat([study.comparison.rows for study in studies], ignore_index=True)
    return verdict_counts(rows[rows["kind"] != RESULT], ("study", "kind"), APART_VERDICTS)


def of_study(study: StudyReport) -> dict:
    """Count the verdicts of a study by quantity."""
    rows = study.comparison.rows
    results, apart = rows[rows["kind"] == RESULT], rows[rows["kind"] != RESULT]
    return {
        "results": verdict_counts(results, ("study", "quantity")),
        "apart": verdict_counts(apart, ("study", "quantity"), APART_VERDICTS),
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
        known, drawn = anchors(study), {drawing.name for drawing in study.drawings}
        fits = {}
        for key in sorted(groups[study.name]["groups"], key=lambda key: scaling_sort_key(key.split("/")[1])):
            dataset, _, method = key.split("/")
            fits.setdefault((dataset, method), f"{study.name}/{key}")
        for row in study.comparison.rows.to_dict("records"):
            named = (row["dataset"], row["method"])
            figure = f"{study.name}-{row['artefact']}" if row["artefact"] in drawn else study.name
            figure = "data" if row["shown_in"].startswith("data.csv") else figure
            where = {"anchor": known.get(named, figure), "reason": row["reason"]}
            rows.append(published_row(row, fits.get(named, "")) | where)
    names = {row[name] for row in rows for name in ("dataset", "method")}
    sentences, numbers = by_number([row["reason"] for row in rows], names)
    for row, found in zip(rows, numbers, strict=True):
        row["note"] = Cell(",".join(map(str, found)), found[0], link="reasons")
    return rows, sentences


def published_row(row: Mapping, fits: str) -> dict:
    """Format one row of the comparison; ours leads to its fits where there are some."""

    def shown(mean: float, std: float = math.nan, **more: str) -> Cell:
        if math.isnan(mean):
            return Cell("–", is_absent=True, **more)
        text = format_cell(row["quantity"], mean)
        said = format_mean_std(mean, std) if text == f"{mean:.10g}" else method_label(text)
        return Cell(said, mean, **more)

    about = {name: _shown(name, row[name]) for name in ("study", "artefact", "quantity", "kind", "method")}
    zero = row["zero_models"]
    return about | {
        "dataset": row["dataset"],
        "published": shown(row["published"]),
        "published_spread": shown(row["published"], row["published_std"]),
        "ours": shown(row["ours_mean"], fits=fits),
        "ours_spread": shown(row["ours_mean"], row["ours_std"]),
        "margin": number_cell(row["margin"], "{:.3g}".format),
        "smallest": number_cell(row["smallest_seen"]),
        "zero": number_cell(zero if zero > 0 else math.nan, "{:.0f}".format),
        "verdict": row["verdict"],
        "under": row["specification"] if row["verdict"] == RECOVERED else "",
        "excluded": row["excluded"],
    }


def by_number(reasons: Sequence[str], names: Iterable[str]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Give the clauses of reasons their numbers.

    `reasons`: clauses with `BETWEEN` them. `names`: names that vary as numbers do: data sets, methods.
    Returns `sentences`: of each number from 1 on; `OPEN` stands where the clauses differ; `numbers`: of the
    clauses of each reason.
    """
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    varying = re.compile(rf"(?<![\w.])({'|'.join([*longest, NUMBER])})(?!\w)")
    kinds: dict[tuple[str, ...], list[list[str]]] = {}
    split = [[varying.split(clause) for clause in reason.split(BETWEEN)] for reason in reasons]
    for parts in (parts for clauses in split for parts in clauses):
        kinds.setdefault(tuple(parts[::2]), []).append(parts[1::2])
    order = {kind: i for i, kind in enumerate(kinds, 1)}
    sentences = [_sentence(kind, said) for kind, said in kinds.items()]
    return sentences, [tuple(dict.fromkeys(order[tuple(parts[::2])] for parts in one)) for one in split]


def _sentence(kind: Sequence[str], said: Sequence[Sequence[str]]) -> str:
    """Fill what all clauses of a kind say alike."""
    filled = [found.pop() if len(found := set(at)) == 1 else OPEN for at in zip(*said, strict=True)]
    return "".join(part for pair in zip(kind, [*filled, ""], strict=True) for part in pair)


def anchors(study: StudyReport) -> dict[tuple[str, str], str]:
    """Find the row of each data set and method in the tables of a study: the first feature scaling."""
    found: dict[tuple[str, str], str] = {}
    for name in ("table1", "table3", "table4"):
        table = study.tables.get(name)
        if table is None:
            continue
        about = table if name != "table3" else table.assign(feature_scaling="raw", method="data")
        for row in sorted(about.to_dict("records"), key=lambda row: scaling_sort_key(row["feature_scaling"])):
            found.setdefault((row["dataset"], row["method"]), anchor_id(row))
    return found


def _shown(name: str, value: str) -> str:
    """Write a cell of the identity of a published number for readers."""
    if name == "method":
        return method_label(value)
    if name == "artefact":
        return ARTEFACTS.get(value, re.sub(r"(\d+)$", r" \1", value).capitalize())
    return value.replace("_", " ") if name == "quantity" else value
