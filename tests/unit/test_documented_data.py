"""The numbers of docs/data.md, against the registry, the limits in the code, and the snapshot's data.csv."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from documented_pages import read_prose

from reproduction.datasets import registry, specs
from reproduction.datasets.download import http
from reproduction.datasets.readers.smiles import RADIUS

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "reports/snapshot"
WORDS = {2: "two", 3: "three", 6: "six", 8: "eight"}
TOTALS = {20: "Twenty"}
FEW_POSITIVES = {"adbench", "muv", "dud"}
"""Families of lists that belong to no paper."""
FAMILY_NAMES = {"covtype-sample": "covtype's sample", "p300": "P300"}


@pytest.fixture(scope="module")
def page():
    return read_prose("docs/data.md")


@pytest.fixture(scope="module")
def data():
    return pd.read_csv(SNAPSHOT / "data.csv", keep_default_na=False, dtype=str).set_index("dataset")


def test_the_snapshot_has_the_sets_and_counts_of_the_registry(data):
    names = registry.list_project_names()
    assert list(data.index) == list(names)
    for name, row in data.to_dict("index").items():
        spec = registry.get(name)
        for count in specs.COUNTS:
            for kind, numbers in (("expected", spec.expected), ("published", spec.published)):
                assert row[f"{count}_{kind}"] == str(numbers.get(count, "")), (name, count, kind)


def test_the_counts_are_the_expected_ones(data):
    for name, row in data.to_dict("index").items():
        partial = registry.get(name).partial or {}
        for count in specs.COUNTS:
            if row["status"] == "not obtained":
                assert row[count] == "", (name, count)
            elif row["status"] == "partial" and count in partial:
                assert row[count] == str(partial[count]), (name, count)
            else:
                assert row[count] == row[f"{count}_expected"], (name, count)


def test_which_sets_come_from_copies_or_by_hand(page, data):
    copied = data[data["obtainable"] == "a copy, by its checksum"]
    from_letor = copied.index[copied["family"] == "letor"]
    families = [name for name in copied["family"].unique() if name != "letor"]
    labels = {FAMILY_NAMES.get(name, name) for name in families}
    sentence = page.partition("that the official site does not serve: ")[2].partition(";")[0]
    stated = set(sentence.replace(", and ", ", ").split(", "))
    assert stated == labels | {name.upper() for name in from_letor}
    by_hand = data[data["obtainable"] == "by hand"].index
    gov = {"td2003", "td2004", "np2003", "np2004", "hp2003", "hp2004"}
    assert set(by_hand) == gov | {"ohsumed", "mq2007"}
    assert "OHSUMED, MQ2007 and the Gov sets of LETOR have to be obtained this way" in page


def test_the_limits_of_downloads(page):
    words = (
        f"a silence of {http.READ_SECONDS} s or a busy server leads to at most "
        f"{WORDS[http.MAX_ATTEMPTS]} attempts, "
        f"with `Retry-After` up to {WORDS[http.MAX_WAIT_SECONDS // 60]} minutes; "
        f"less than {http.MIN_BYTES_PER_SECOND} bytes a second over {http.RATE_WINDOW_SECONDS} s, "
        f"or {WORDS[http.DOWNLOAD_SECONDS // 3600]} hours for a file"
    )
    assert words in page
    megabytes = specs.SMALL_FILE_BYTES >> 20
    assert f"more than {megabytes} MB, or {specs.MAX_CELL_BYTES} bytes for each cell" in page


def test_which_sets_are_mapped_into_memory(page):
    entries = map(registry.get, registry.list_project_names())
    mapped = [spec for spec in entries if spec.storage == "mapped" and spec.family != "embedded"]
    sentence = page[: page.index(" are stored as memory-mapped files")].rpartition(". ")[2]
    assert {spec.name for spec in mapped} == set(sentence.split("`")[1::2])
    (memory,) = {spec.memory_mb for spec in mapped}
    assert f"in less than {memory} MB of memory" in page


def test_the_search_on_a_part_of_the_rows(page):
    text = (ROOT / "config/config.yaml").read_text(encoding="utf-8")
    sample = yaml.safe_load(text)["studies"]["kadkhodaie2015"]["search_sample"]
    rows, share = sample["above"], sample["share"]
    assert f"`search_sample: {{above: {rows}, share: {share}}}`" in page
    words = f"{rows:,}".replace(",", " ")
    fractions = {0.1: "tenth"}
    assert f"more than {words} rows are searched on a seeded {fractions[share]} of it" in page
    table = pd.read_csv(SNAPSHOT / "kadkhodaie2015/search_size.csv").set_index("search")
    part, full = table.loc["part"], table.loc["all"]
    alphas = [f"{json.loads(row['params'])['alpha']:g}".removeprefix("0") for row in (part, full)]
    seconds = f"{part['search_seconds']:.2f} s on a tenth and {full['search_seconds']:.1f} s on all rows"
    words = (
        f"by the certified solver: it took {seconds.removeprefix('0')}, chose λ = {' and '.join(alphas)}, "
        f"and the final models rank {part['positives_at_top']} and {full['positives_at_top']} test positives "
        f"above all negatives, {part['positives_at_top_train']} and {full['positives_at_top_train']} on the "
        "training rows"
    )
    assert words in page
    assert set(table["method"]) == {"exact"} and set(table["status"]) == {"certified"}


def test_the_lists_with_few_positives(page):
    families = {family: [] for family in sorted(FEW_POSITIVES)}
    for name in registry.list_project_names():
        spec = registry.get(name)
        if spec.family in families:
            families[spec.family].append((name, spec.expected))
    counts = {family: WORDS[len(members)] for family, members in families.items()}
    words = f"{counts['adbench']} of ADBench (anomaly detection), {counts['muv']} targets of MUV and "
    assert f"{words}{counts['dud']} of DUD" in page
    assert f"{TOTALS[sum(map(len, families.values()))]} lists belong to no paper" in page
    for name, expected in families["adbench"]:
        cells = f"{expected['rows']} × {expected['features']} | {expected['positives']} |"
        assert f"| `{name}` | {cells}" in page
    for family in ("muv", "dud"):
        first, *following = (name for name, _ in families[family])
        names = ", ".join([f"`{first}`", *(f"`{name.removeprefix(family)}`" for name in following)])
        rows, features, positives = (
            sorted({expected[count] for _, expected in families[family]})
            for count in ("rows", "features", "positives")
        )
        sizes = f"{rows[0]} to {rows[-1]}" if len(rows) > 1 else f"{rows[0]}"
        hits = f"{positives[0]} to {positives[-1]}" if len(positives) > 1 else f"{positives[0]}"
        assert f"| {names} | {sizes} × {features[0]} | {hits} |" in page
        assert (
            f"Their features are the {features[0]} bits of the Morgan fingerprint of radius {RADIUS}" in page
        )
