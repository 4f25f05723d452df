"""What the dialog of a verdict shows: published and ours, by default and as explained, and the reason."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.comparison.row_tables import parse_explained_values
from reproduction.reporting.page.published_values import make_css_class
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.labels import format_identity
from reproduction.specs.multiverse import DEFAULT


def collect_verdict_details(studies: Iterable[StudyReport], rows: Sequence[Mapping]) -> dict[str, dict]:
    """Collect what the dialogs of all verdicts show.

    Parameters
    ----------
    studies : iterable of StudyReport
        The studies of the run.
    rows : sequence of mapping
        As `published_values.published_rows` returns them.

    Returns
    -------
    dict of str to dict
        Address of the dialog -> ``title``; ``quantity``; ``published`` and ``ours`` with their spread;
        ``explained``, our number under the combination that explains its row, and ``combination``, both empty
        where there is none; ``verdict``, its ``css`` class, ``reason``, ``margin``, ``zero`` (on how many
        splits the chosen model is w = 0) and ``fits``.
    """
    explained = {study.name: _collect_explained_values(study) for study in studies}
    details = {}
    for row in rows:
        # the number under the combination that explains the row, if there is one
        value = {"explained": "", "combination": ""} | explained[row["study"]].get(
            tuple(row[name] for name in ("artefact", "dataset", "method", "quantity")), {}
        )
        subject = row["dataset"] if row["method"] == "data" else f"{row['method']} on {row['dataset']}"
        details[row["opens"]] = value | {
            "title": f"{subject}: {row['quantity']}, {row['artefact']}",
            "quantity": row["quantity"],
            "published": row["published_spread"].text,
            "ours": row["ours_spread"].text,
            "verdict": row["verdict"],
            "css": make_css_class(row["verdict"]),
            "reason": row["reason"],
            "margin": row["margin"].text,
            "zero": row["zero"].text,
            "fits": row["ours"].fits,
        }
    return details


def _collect_explained_values(study: StudyReport) -> dict[tuple, dict]:
    """Collect our numbers under the combinations that explain the rows of a study."""
    values = {}
    for row in study.comparison.explanations.to_dict("records"):
        if row["specification"] == DEFAULT:
            continue
        table = format_identity("artefact", row["artefact"])
        for (method, quantity), value in parse_explained_values(row["values"]).items():
            values[table, row["dataset"], method, quantity] = {
                "explained": value,
                "combination": row["specification"].replace("; ", " and "),
            }
    return values
