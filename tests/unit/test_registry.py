"""The registry: complete, consistent, and clear about mistakes."""

import subprocess
import sys

import pytest
from data_helpers import FAMILIES, entry

from reproduction.core.errors import DataError
from reproduction.datasets import registry

COUNTED_ENTRY = {"expected": entry()["expected"]}
PAPERS = {
    "K15": "breast-cancer australian diabetes spambase splice ijcnn1 a9a w8a covtype cod-rna epsilon",
    "R12": "colon yeast sonar wpbc ionosphere spectf p300",
    "L14": "ohsumed mq2007 mq2008 td2003 td2004 np2003 np2004 hp2003 hp2004",
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_data_set_of_the_papers_is_there(paper):
    for name in PAPERS[paper].split():
        assert paper in registry.get(name).papers


def test_all_entries_are_complete():
    """The parser asks for all counts, and that they add up."""
    for spec in map(registry.get, registry.list_names()):
        assert spec.licence and spec.citation, spec.name


def test_letor_checksums_are_those_of_a_rotation():
    for name in ("ohsumed", "mq2007", "mq2008"):
        members = registry.get(name).files[0].members
        for fold in range(1, 6):
            assert members[f"Fold{fold}/test.txt"] == members[f"Fold{fold % 5 + 1}/vali.txt"]
        assert len(set(members.values())) == 10


def test_unknown_name_gives_the_nearest():
    with pytest.raises(DataError, match=r"'mq2009' is not in the registry; did you mean 'mq200[78]'"):
        registry.get("mq2009")
    with pytest.raises(DataError, match=r"known are .*cod-rna"):
        registry.get("zzzzzzzz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lable": {}}, "Unknown key 'lable' in data set 'x'; did you mean 'label'"),
        ({"family": "smal"}, "unknown family 'smal'; did you mean 'small'"),
        ({"reader": "delimted"}, "unknown reader 'delimted'; did you mean 'delimited'"),
        ({"papers": ["K16"]}, "unknown paper; known are K15, R12, L14"),
        ({"label": {"meaning": "none"}}, "must state either grades or positive"),
        ({"expected": {"columns": 3}}, "Unknown key 'columns' in 'expected' of data set 'x'"),
        ({"files": [{"name": "a", "inside": []}]}, "Unknown key 'inside' in .* 'x'; it is now 'folders'."),
        ({"files": [{"name": "a", "sha265": None}]}, "Unknown key 'sha265' in a file of data set 'x'; did"),
        ({"storage": "maped"}, "unknown storage 'maped'; did you mean 'mapped'"),
        ({"storage": "mapped", "reader": "letor"}, "storage 'mapped', which takes two classes and one of"),
        ({"files": [{"sha256": None}]}, "The key 'name' is missing in a file"),
        ({"files": [{"name": "a", "optional": True}]}, "must state 'partial' counts"),
        ({"options": {"label_colum": -1}}, "Unknown key 'label_colum' in 'options' .* 'label_column'"),
        ({"options": {"label_column": 1.5}}, "must be the name of a column or its number"),
        ({"options": {"label_column": -1, "left_out": "id"}}, "'left_out' .* must be a list"),
        ({"files": [{"name": "p.csv", "sha256": "123"}]}, "'123' .* is not a SHA-256"),
        ({"files": []}, "must name files if, and only if"),
        (
            COUNTED_ENTRY | {"label": {"grades": [0, 1]}},
            "'positives' in 'expected' .* does not fit its label",
        ),
        ({"label": {"positive": ["1"], "negative": ["1"]}}, "the same raw label as positive and as negative"),
        ({"label": {"positive": "1", "negative": "rest"}}, "'positive' .* must be a list of raw labels"),
        ({"expected": {"rows": 4}}, "The key 'features' is missing in 'expected'"),
        ({"expected": {"features": "2"}}, "'features' in 'expected' .* must be a whole number"),
        ({"expected": COUNTED_ENTRY["expected"] | {"negatives": 1}}, "do not add up to its rows"),
        ({"reader": "letor"}, "must state grades as its label"),
        ({"notes": "one"}, "'notes' in data set 'x' must be a list"),
    ],
)
def test_mistakes_in_an_entry_are_named(change, message):
    with pytest.raises(DataError, match=message):
        registry.parse_entry("x", entry(**change), FAMILIES)


@pytest.mark.parametrize("key", ["rows", "features", "positives", "negatives"])
def test_the_projects_own_entries_state_all_counts(key):
    """What the parser accepts there, the tests on all entries accept too."""
    broken = entry()
    del broken["expected"][key]
    with pytest.raises(DataError, match=f"The key {key!r} is missing in 'expected' of data set 'x'"):
        registry.parse_entry("x", broken, FAMILIES, complete=True)
    registry.parse_entry("x", entry(), FAMILIES, complete=True)


def test_relative_urls_are_completed():
    families = {"small": FAMILIES["small"] | {"base": "https://example.org/"}}
    files = [{"name": "a"}, {"name": "b", "urls": ["b.bz2", "http://c/d"]}]
    spec = registry.parse_entry("x", entry(files=files, reader="svmlight", options={}), families)
    assert spec.files[0].urls == ("https://example.org/a",)
    assert spec.files[1].urls == ("https://example.org/b.bz2", "http://c/d")


def test_digest_of_an_entry_ignores_notes_and_other_entries(monkeypatch):
    raw = {"families": FAMILIES, "datasets": {"x": entry(), "y": entry()}}
    monkeypatch.setattr(registry, "_read_project_registry", lambda: raw)
    registry.get.cache_clear()
    before = registry.digest_entry("x")
    raw["datasets"]["y"]["expected"] = {"rows": 1}
    raw["datasets"]["x"]["notes"] = ["something"]
    assert registry.digest_entry("x") == before
    raw["datasets"]["x"]["label"] = {"positive": ["0"], "negative": ["1"]}
    assert registry.digest_entry("x") != before
    registry.get.cache_clear()


def test_the_registry_loads_without_heavy_libraries():
    code = (
        "import sys, reproduction.datasets.download.fetch, reproduction.datasets.registry as r; r.get('a9a');"
        "heavy = {'numpy', 'pandas', 'sklearn', 'scipy', 'pooch', 'requests', 'py7zr'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_how_each_set_can_be_obtained():
    ways = {name: registry.get(name).obtainable for name in registry.list_names()}
    assert ways["wdbc"] == ways["letor-like"] == "none needed"
    assert ways["splice"] == ways["spectf"] == ways["covtype"] == "official"
    copies = {name for name, way in ways.items() if way == "a copy, by its checksum" and "-" not in name}
    assert copies == {"colon", "yeast", "p300", "mq2008"}
    letor = {f"{kind}{year}" for kind in ("td", "np", "hp") for year in (2003, 2004)}
    assert {name for name, way in ways.items() if way == "by hand"} == {"ohsumed", "mq2007", *letor}


def test_a_copy_elsewhere_has_a_checksum_that_decides():
    for name in registry.list_names():
        for file in registry.get(name).files:
            is_known = None not in file.expected_checksums.values() or file.served_sha256
            assert is_known or not file.copies, (name, file.name)
