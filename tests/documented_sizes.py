"""Sentences of docs/faq.md on the size of data, from times: ``python tests/documented_sizes.py``."""

from __future__ import annotations

import csv
from collections.abc import Iterable

from documented_depth import ROOT, format_seconds, read_rows

LONG_DATA, TEXTS = "covtype", "texts"
DATA_FILE = ROOT / "reports/snapshot/data.csv"


def format_count(text: str) -> str:
    """Write a number with thousands apart from five digits on."""
    return f"{int(text):,}".replace(",", " ") if int(text) >= 10_000 else text


def format_span(seconds: Iterable[str]) -> str:
    """Write the least and the largest of some seconds."""
    ends = sorted(map(float, seconds))
    first, last = format_seconds(ends[0]), format_seconds(ends[-1])
    return first if first == last else f"{first} to {last}"


def describe_long_data() -> str:
    """Write the seconds on the data set with most rows."""
    rows, push_rows = (
        [row for row in read_rows(name) if row["list"] == LONG_DATA]
        for name in ("depth_times", "depth_push_times")
    )
    with DATA_FILE.open(encoding="utf-8") as file:
        (features,) = {row["features"] for row in csv.DictReader(file) if row["dataset"] == LONG_DATA}
    return (
        f"On the {format_count(rows[0]['rows'])} rows and {features} features of `{LONG_DATA}`, the solver "
        f"of `TopPush` takes {format_span(row['seconds'] for row in rows)} s, depending on the depth and on "
        f"alpha, and that of `InfinitePush` {format_span(row['seconds'] for row in push_rows)} s."
    )


def describe_wide_data() -> str:
    """Write the seconds on the sparse data with most features."""
    rows, push_rows = (
        [row for row in read_rows(name) if row["data"] == TEXTS] for name in ("wide_times", "push_times")
    )
    spans = {
        model: format_span(row["seconds"] for row in rows if row["model"] == model)
        for model in ("TopPush", "ℓ₂ RankSVM")
    }
    fits = format_span(row["seconds"] for row in push_rows if row["kind"] == "fit")
    return (
        f"On {format_count(rows[0]['rows'])} sparse texts with {format_count(rows[0]['features'])} features, "
        f"a fit of `TopPush` takes {spans['TopPush']} s, of `RankSVM` with a ridge {spans['ℓ₂ RankSVM']} s, "
        f"and of `InfinitePush` with an ℓ₁ norm {fits} s."
    )


SENTENCES = (describe_long_data, describe_wide_data)

if __name__ == "__main__":
    for sentence in SENTENCES:
        print(sentence())
