"""Families of like sets: one entry with members."""

import pytest

from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets.registry_members import expand_members

ENTRY = {
    "reader": "smiles",
    "files": [{"name": "a_<member>", "urls": ["a_<member>.gz"]}, {"name": "b_<member>"}],
}


def test_a_member_has_the_keys_of_its_entry_and_its_own():
    own = {"sha256": ["1", "2"], "notes": ["own"]}
    entries = {"first": {"reader": "npz"}, "x": ENTRY | {"notes": ["all"], "members": {"m": own, 7: {}}}}
    expanded = expand_members(entries)
    assert list(expanded) == ["first", "x-m", "x-7"] and expanded["first"] == {"reader": "npz"}
    assert expanded["x-m"] == {
        "reader": "smiles",
        "notes": ["own"],
        "files": [{"name": "a_m", "urls": ["a_m.gz"], "sha256": "1"}, {"name": "b_m", "sha256": "2"}],
    }
    assert expanded["x-7"]["notes"] == ["all"] and expanded["x-7"]["files"][1] == {"name": "b_7"}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (["m"], "'members' of data set 'x' must be keys with values"),
        ({"m": None}, "'members' of data set 'x' must be keys with values"),
        (
            {"m": {"sha256": ["1"]}},
            "'sha256' of data set 'x-m' must be a list with that of each of its files",
        ),
        ({"m": {"sha256": "1"}}, "'sha256' of data set 'x-m' must be a list"),
    ],
)
def test_mistakes_are_named(members, message):
    with pytest.raises(DataError, match=message):
        expand_members({"x": ENTRY | {"members": members}})


def test_the_families_of_the_registry():
    names = registry.list_project_names()
    sizes = {
        family: sum(name.startswith(f"{family}-") for name in names) for family in ("adbench", "muv", "dud")
    }
    assert sizes == {"adbench": 6, "muv": 6, "dud": 8}
    spec = registry.get("muv-466")
    assert [file.name for file in spec.files] == [
        "cmp_list_MUV_466_actives.dat",
        "cmp_list_MUV_466_decoys.dat",
    ]
    assert spec.files[0].urls[0].endswith("/compounds/MUV/cmp_list_MUV_466_actives.dat.gz")
    assert all(
        len(file.sha256) == 64 for name in names for file in registry.get(name).files if file.family in sizes
    )
