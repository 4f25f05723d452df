"""Provenance of single fits: commit, time, machine and data."""

from __future__ import annotations

import pandas as pd

from reproduction.finding import fill

SAID = """
Made {{ date[:10] }} {{ date[11:16] }} UTC by commit {{ commit[:10] }}
{{- " with uncommitted changes" if dirty == "True" }} on {{ machine }}; prepared data with SHA-256
{{ data[:10] }}…, code digest {{ code }}. Expect about {{ seconds | to(".2g") }} s to make them again:
"""
UNKNOWN = "When and by which commit these fits were made is not on record."


def origins(made: pd.DataFrame | None, fits: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Say of each file of fits where it comes from.

    `made`: rows of `collect.collect_made`. `fits`: all fits of the study. Returns:
    "data set/features/method" and the block of splits -> a sentence.
    """
    found = {}
    seconds = fits.groupby(["dataset", "features", "method", "split"])["seconds"].sum()
    for row in () if made is None else made.to_dict("records"):
        first, last = map(int, row["block"].split("-"))
        key = row["dataset"], row["features"], row["method"]
        of_splits = (seconds.get((*key, float(split)), 0.0) for split in range(first, last + 1))
        found["/".join(key), row["block"]] = fill(SAID, row | {"seconds": sum(of_splits)})
    return found
