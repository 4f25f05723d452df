"""The data table: the counts found in each data set, the expected ones, and the published ones."""

from collections.abc import Iterable, Mapping

import pandas as pd

from reproduction.datasets import registry
from reproduction.datasets.prepare import describe_differences

LEADING_COLUMNS = ("dataset", "family", "task", "papers", "substitute_for", "variant_of", "status", "reason")


VERDICT_NOT_OBTAINED, VERDICT_REFUSED, VERDICT_AS_EXPECTED = "not obtained", "refused", "as expected"
VERDICT_PARTIAL = "partial, as expected without the missing files"
ACCEPTED_VERDICTS = (VERDICT_NOT_OBTAINED, VERDICT_AS_EXPECTED, VERDICT_PARTIAL)
"""Verdicts of a clean run; whether a set may be missing is a setting of the run."""


def make_data_table(manifests: Iterable[Mapping]) -> pd.DataFrame:
    """Make the table of the data sets, a row each.

    Parameters
    ----------
    manifests : iterable of mapping
        As :func:`reproduction.datasets.prepare.prepare` makes them.

    Returns
    -------
    DataFrame
        Identity and status; for each count the actual, expected and published number; the verdict on the
        first two, the differences from the published counts, licence and note.
    """
    rows = []
    for manifest in manifests:
        spec = registry.get(manifest["dataset"])
        row = {key: manifest[key] for key in ("dataset", "family", "task", "status", "reason")}
        row |= {
            "papers": " ".join(map(registry.PAPERS.get, spec.papers)),
            "substitute_for": spec.substitute_for,
            "variant_of": spec.variant_of,
        }
        for quantity in registry.COUNTS:
            # a placeholder has counts of 0, which are no counts of the data set
            count = manifest.get(quantity) if manifest["status"] != VERDICT_NOT_OBTAINED else None
            row |= {
                quantity: count,
                f"{quantity}_expected": spec.expected.get(quantity),
                f"{quantity}_published": spec.published.get(quantity),
            }
        row["verdict"] = judge_counts(manifest)
        row["differs_from_published"] = (
            describe_differences(manifest, spec.published, "published") if manifest["rows"] else ""
        )
        row["obtainable"] = spec.obtainable
        row |= {"licence": spec.licence, "note": " ".join([*spec.notes, *manifest["notes"]])}
        rows.append(row)
    counts = [f"{c}{kind}" for c in registry.COUNTS for kind in ("", "_expected", "_published")]
    columns = [
        *LEADING_COLUMNS,
        *counts,
        "verdict",
        "differs_from_published",
        "obtainable",
        "licence",
        "note",
    ]
    # nullable whole numbers: a count may be missing
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(counts, "Int64"))


def judge_counts(manifest: Mapping) -> str:
    """Say in few words whether the counts are the expected ones, and if not, which differ.

    Parameters
    ----------
    manifest : mapping

    Returns
    -------
    str
        One of the ``VERDICT_…`` constants, or the counts that differ.
    """
    if manifest["status"] == VERDICT_NOT_OBTAINED:
        return VERDICT_REFUSED if manifest.get("refused") else VERDICT_NOT_OBTAINED
    if mismatch := describe_differences(manifest, manifest["expected"], "expected"):
        return mismatch
    return VERDICT_AS_EXPECTED if manifest["status"] == "obtained" else VERDICT_PARTIAL
