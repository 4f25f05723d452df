"""The data table: the counts found in each data set, the expected ones, and the published ones."""

import pandas as pd

from reproduction.datasets import registry
from reproduction.datasets.prepare import differences

LEADING = ("dataset", "family", "task", "papers", "substitute_for", "variant_of", "status", "reason")


NOT_OBTAINED, REFUSED, AS_EXPECTED = "not obtained", "refused", "as expected"
PARTIAL = "partial, as expected without the missing files"
ACCEPTED = (NOT_OBTAINED, AS_EXPECTED, PARTIAL)
"""Verdicts of a clean run; whether a set may be missing is a setting of the run."""


def data_table(manifests):
    """One row a data set.

    `manifests`: as :func:`reproduction.datasets.prepare.prepare` makes them. Returns: identity and status;
    for each count the found, expected and published number; the verdict on the first two, the differences
    from print, licence and note.
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
        for count in registry.COUNTS:
            found = manifest.get(count) if manifest["status"] != NOT_OBTAINED else None
            row |= {
                count: found,
                f"{count}_expected": spec.expected.get(count),
                f"{count}_published": spec.published.get(count),
            }
        row["verdict"] = verdict(manifest)
        row["differs_from_print"] = (
            differences(manifest, spec.published, "published") if manifest["rows"] else ""
        )
        row["obtainable"] = spec.obtainable
        row |= {"licence": spec.licence, "note": " ".join([*spec.notes, *manifest["notes"]])}
        rows.append(row)
    counts = [f"{c}{kind}" for c in registry.COUNTS for kind in ("", "_expected", "_published")]
    columns = [*LEADING, *counts, "verdict", "differs_from_print", "obtainable", "licence", "note"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(counts, "Int64"))


def verdict(manifest):
    """Say in few words whether the counts are the expected ones, and if not, which differ."""
    if manifest["status"] == NOT_OBTAINED:
        return REFUSED if manifest.get("refused") else NOT_OBTAINED
    if wrong := differences(manifest, manifest["expected"], "expected"):
        return wrong
    return AS_EXPECTED if manifest["status"] == "obtained" else PARTIAL
