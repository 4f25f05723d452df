"""The numbers of docs/data.md, against the registry, the limits in the code, and the snapshot's data.csv."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from documented_pages import read_prose

from reproduction.datasets import registry, specs
from reproduction.datasets.download import http

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "reports/snapshot"
WORDS = {2: "two", 3: "three", 6: "six"}
ADDED_LATER = {"adbench", "muv", "dud"}
"""Families that the registry has since the snapshot was made."""
FAMILY_NAMES = {"covtype-sample": "covtype's sample", "p300": "P300"}


@pytest.fixture(scope="module")
def page():
    return read_prose("docs/data.md")


@pytest.fixture(scope="module")
def data():
    return pd.read_csv(SNAPSHOT / "data.csv", keep_default_na=False, dtype=str).set_index("dataset")


def test_the_snapshot_has_the_sets_and_counts_of_the_registry(data):
    names = registry.list_project_names()
    assert list(data.index) == [name for name in names if registry.get(name).family not in ADDED_LATER]
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
        f"a silence of {http.READ_SECONDS} s or a busy server is asked {WORDS[http.MAX_ATTEMPTS]} times, "
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
    assert not (SNAPSHOT / "kadkhodaie2015/search_size.csv").exists()
    assert "(the published snapshot was made without it)" in page
