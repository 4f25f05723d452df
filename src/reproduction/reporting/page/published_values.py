"""Published numbers on the page: overview of the studies, the table of all, counts of verdicts."""

import math
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
    EXPLAINED_VALUE,
    NON_RESULT_VERDICTS,
    VALUE_BELOW_MARGIN,
    VERDICTS,
)
from reproduction.core.formatting import format_mean_std
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import anchor_id, format_identity, method_label, scaling_sort_key
from reproduction.specs.published_values import format_cell
from reproduction.specs.table_cells import number_cell
from reproduction.specs.table_views import Cell

OTHER_KIND_VERDICTS = (*NON_RESULT_VERDICTS, STATUS_NOT_OBTAINED)

VERDICT_PHRASES = {
    HOLDS: ("holds", "hold"),
    HOLDS_SOMETIMES: ("holds under some choices", "hold under some choices"),
    REFUTED: ("does not hold", "do not hold"),
    UNDECIDED: ("cannot tell", "cannot tell"),
    AGREES: ("agrees", "agree"),
    CONSISTENT: ("is consistent", "are consistent"),
    EXPLAINED_VALUE: ("is explained by other choices", "are explained by other choices"),
    DIFFERS: ("differs", "differ"),
    VALUE_BELOW_MARGIN: ("is below the margin", "are below the margin"),
    STATUS_NOT_OBTAINED: ("was not obtained", "were not obtained"),
}
"""Verdict -> what follows a count of one, and of several."""


def inflect_verdict(verdict: str, count: int) -> str:
    """Return the words that follow a count of a verdict, in the singular or the plural.

    Parameters
    ----------
    verdict : str
        A verdict on a published number or on a claim.
    count : int
        How many have it.

    Returns
    -------
    str
        For instance "agrees" after 1 and "agree" after 2; a verdict without such a pair stands as it is.
    """
    return VERDICT_PHRASES.get(verdict, (verdict, verdict))[count != 1]


def count_verdicts(
    rows: pd.DataFrame, by: Sequence[str], verdicts: Sequence[str] = VERDICTS, artefact: str = ""
) -> list[dict]:
    """Count the verdicts of some rows of the comparison, group by group.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the comparison.
    by : sequence of str
        Columns that tell the groups apart; a column of one word links to the rows with that word.
    verdicts : sequence of str, default VERDICTS
        The verdicts that are counted, in their order.
    artefact : str, optional
        What readers see as the name of the table of the rows.

    Returns
    -------
    list of dict
        For each group, in the order of its first row: its names, ``total``, and ``verdicts``, each with
        name, the ``words`` behind a count of it, count, share of the total in per cent, and ``link`` to
        the rows.
    """
    groups = []
    for names, group_rows in rows.groupby(list(by), sort=False) if len(rows) else ():
        labels = {name: format_identity(name, value) for name, value in zip(by, names, strict=True)}
        labels |= {"artefact": artefact} if "artefact" in labels else {}
        counts = {verdict: int((group_rows["verdict"] == verdict).sum()) for verdict in verdicts}
        link = f"#published?{urlencode(labels)}"
        group = {"names": list(labels.values()), "total": len(group_rows), "link": link}
        groups.append(group | {"verdicts": list_verdict_counts(counts, len(group_rows), f"{link}&")})
    return groups


def list_verdict_counts(counts: Mapping[str, int], total: int, link: str) -> list[dict]:
    """List counts of verdicts as the templates show them.

    Parameters
    ----------
    counts : mapping of str to int
        Verdict -> how many have it.
    total : int
        What the shares are shares of.
    link : str
        Address of all rows, up to the verdict.

    Returns
    -------
    list of dict
        One entry a verdict, as in ``verdicts`` of `count_verdicts`.
    """
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
    """Make the CSS class of a verdict.

    Parameters
    ----------
    verdict : str
        The verdict as readers see it.

    Returns
    -------
    str
        The verdict with hyphens in place of blanks and commas.
    """
    return verdict.replace(", ", "-").replace(" ", "-")


def summarise_studies(studies: Sequence[StudyReport]) -> list[dict]:
    """Summarise the studies that are compared with a paper, for the overview of the page.

    Parameters
    ----------
    studies : sequence of StudyReport
        The studies of the run; those without comparison and without claims are left out.

    Returns
    -------
    list of dict
        An entry a study: ``study``, ``cited``, ``message``, and ``claims`` and ``results``, each with
        ``total`` and ``verdicts`` as `count_verdicts` has them.
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
    """Count the verdicts on the claims of a study."""
    counts = claims_by_verdict(study.claims).get(study.name, {}) if len(study.claims) else {}
    total = sum(counts.values())
    return {"total": total, "verdicts": list_verdict_counts(counts, total, f"#{study.name}-claims?")}


def _summarise_results(study: StudyReport) -> dict:
    """Count the verdicts on the published results of a study."""
    rows = study.comparison.rows
    groups = count_verdicts(rows[rows["kind"] == RESULT], ("study", "kind"))
    return groups[0] if groups else {"total": 0, "verdicts": []}


def count_other_kinds(studies: Sequence[StudyReport]) -> list[dict]:
    """Count the verdicts on what is no result: counts of data, marks, relations, p-values and seconds.

    Parameters
    ----------
    studies : sequence of StudyReport
        The studies of the run.

    Returns
    -------
    list of dict
        A row a study and kind, as `count_verdicts` has them.
    """
    rows = pd.concat([study.comparison.rows for study in studies], ignore_index=True)
    return count_verdicts(rows[rows["kind"] != RESULT], ("study", "kind"), OTHER_KIND_VERDICTS)


def count_study_verdicts(study: StudyReport) -> dict:
    """Count the verdicts of a study by quantity.

    Parameters
    ----------
    study : StudyReport
        The study with its comparison.

    Returns
    -------
    dict
        ``results``: of the published results; ``apart``: of all other kinds.
    """
    rows = study.comparison.rows
    results, other_kinds = rows[rows["kind"] == RESULT], rows[rows["kind"] != RESULT]
    return {
        "results": count_verdicts(results, ("study", "quantity")),
        "apart": count_verdicts(other_kinds, ("study", "quantity"), OTHER_KIND_VERDICTS),
    }


def published_rows(studies: Iterable[StudyReport], groups: Mapping[str, Mapping]) -> list[dict]:
    """Format the comparison of all studies as rows of the page.

    Parameters
    ----------
    studies : iterable of StudyReport
        The studies of the run.
    groups : mapping of str to Mapping
        ``studies`` of `fit_details.collect_fit_details`: a number leads to its fits where there are some.

    Returns
    -------
    list of dict
        The rows; the reason of a verdict stands in the dialog of its row.
    """
    rows = []
    for study in studies:
        anchors, figure_names = find_anchors(study), {drawing.name for drawing in study.drawings}
        fits = {}
        # the fits behind a number: of several feature scalings the first
        for key in sorted(groups[study.name]["groups"], key=lambda key: scaling_sort_key(key.split("/")[1])):
            dataset, _, method = key.split("/")
            fits.setdefault((dataset, method), f"{study.name}/{key}")
        for row in study.comparison.rows.to_dict("records"):
            dataset_method = (row["dataset"], row["method"])
            figure = f"{study.name}-{row['artefact']}" if row["artefact"] in figure_names else study.name
            figure = "data" if row["shown_in"].startswith("data.csv") else figure
            links = {"anchor": anchors.get(dataset_method, figure), "opens": verdict_address(row)}
            labels = {"artefact": study.label_artefact(row["artefact"])}
            rows.append(published_row(row, fits.get(dataset_method, "")) | labels | links)
    return rows


def published_row(row: Mapping, fits: str) -> dict:
    """Format one row of the comparison.

    Parameters
    ----------
    row : mapping
        A row of the comparison.
    fits : str
        Fits behind our number, "study/data set/feature scaling/method"; empty where there are none.

    Returns
    -------
    dict
        The cells and words of the row by the names of the columns of the page, but for the table.
    """

    def make_cell(mean: float, std: float = math.nan, **more: str) -> Cell:
        """Write a mean with its standard deviation, or a dash where there is none.

        Parameters
        ----------
        mean : float
            Mean over the splits, or the published number.
        std : float, optional
            Standard deviation; NaN where there is none.
        **more : str
            Further fields of `Cell`.

        Returns
        -------
        Cell
            The cell.
        """
        if math.isnan(mean):
            return Cell("–", is_absent=True, **more)
        text = format_cell(row["quantity"], mean)
        label = format_mean_std(mean, std) if text == f"{mean:.10g}" else method_label(text)
        return Cell(label, mean, **more)

    identity = {name: format_identity(name, row[name]) for name in ("study", "quantity", "kind", "method")}
    zero = row["zero_models"]
    return identity | {
        "dataset": row["dataset"],
        "published": make_cell(row["published"]),
        "published_spread": make_cell(row["published"], row["published_std"]),
        "ours": make_cell(row["ours_mean"], fits=fits),
        "ours_spread": make_cell(row["ours_mean"], row["ours_std"]),
        "margin": number_cell(row["margin"], "{:.3g}".format),
        "zero": number_cell(zero if zero > 0 else math.nan, "{:.0f}".format),
        "verdict": row["verdict"],
        "reason": row["reason"],
        "under": row["specification"] if row["verdict"] == EXPLAINED_VALUE else "",
    }


def verdict_address(row: Mapping) -> str:
    """Return the address of the dialog with the reason of a verdict.

    Parameters
    ----------
    row : mapping
        A row of the comparison, or the columns that identify one.

    Returns
    -------
    str
        "verdict/study/artefact/data set/method/quantity".
    """
    return "/".join(
        ("verdict", *(row[name] for name in ("study", "artefact", "dataset", "method", "quantity")))
    )


def find_anchors(study: StudyReport) -> dict[tuple[str, str], str]:
    """Find the row of each data set and method in the tables of a study, with the first feature scaling.

    Parameters
    ----------
    study : StudyReport
        The study with its tables.

    Returns
    -------
    dict of tuple of str to str
        (data set, method) -> anchor of the row on the page.
    """
    anchors: dict[tuple[str, str], str] = {}
    for view in study.views:
        rows = view.select_rows(study.tables) if view.anchored else None
        if rows is None:
            continue
        records = rows.to_dict("records")
        for row in sorted(records, key=lambda row: scaling_sort_key(row.get("feature_scaling", ""))):
            anchors.setdefault((row["dataset"], row.get("method", "data")), anchor_id(row))
    return anchors
