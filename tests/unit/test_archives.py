"""Unpacking every form, damaged ones included."""

import gzip
from functools import partial

import pytest
import rarfile
from data_helpers import PACKERS, write_7z, write_rar, write_tar, write_zip

from reproduction.core.errors import BadArchiveError
from reproduction.datasets.download import archives

TEXT = b"1,2,0\n" * 1000
TARS = ("", "xz", "gz", "bz2")
MEMBERS = {"Fold1/test.txt": b"first", "Fold2/test.txt": b"second" * 500}


ARCHIVES = {
    **{f"set.tar.{mode}".rstrip("."): partial(write_tar, members=MEMBERS, mode=f"w:{mode}") for mode in TARS},
    "set.zip": partial(write_zip, members=MEMBERS),
    "set.7z": partial(write_7z, members=MEMBERS),
    "set.rar": partial(write_rar, members={n.replace("/", "\\"): c for n, c in MEMBERS.items()}),
}


@pytest.mark.parametrize("ending", PACKERS)
def test_one_file_is_unpacked_whatever_its_name(tmp_path, ending):
    packed = tmp_path / "points"
    packed.write_bytes(PACKERS[ending](TEXT))
    assert archives.detect_format(packed) == (ending[1:] or "plain")
    archives.unpack_file(packed, ["points"], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == TEXT


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_listed_and_unpacked(tmp_path, name):
    packed = tmp_path / name
    ARCHIVES[name](packed)
    assert sorted(archives.list_members(packed)) == sorted(MEMBERS)
    targets = {m: tmp_path / "out" / str(i) for i, m in enumerate(MEMBERS)}
    archives.unpack_members(packed, targets)
    assert {m: path.read_bytes() for m, path in targets.items()} == MEMBERS


def test_a_folder_serves_as_an_archive(tmp_path):
    for name, content in MEMBERS.items():
        (tmp_path / "set" / name).parent.mkdir(parents=True)
        (tmp_path / "set" / name).write_bytes(content)
    assert archives.list_members(tmp_path / "set") == sorted(MEMBERS)
    archives.unpack_members(tmp_path / "set", {"Fold1/test.txt": tmp_path / "out"})
    assert (tmp_path / "out").read_bytes() == b"first"


@pytest.mark.parametrize("ending", [".xz", ".gz", ".bz2"])
def test_truncated_file_is_named(tmp_path, ending):
    packed = tmp_path / f"points{ending}"
    packed.write_bytes(PACKERS[ending](TEXT)[:-20])
    message = f"points{ending} is truncated or damaged .*: replace it by an intact copy"
    with pytest.raises(BadArchiveError, match=message):
        archives.unpack_file(packed, ["points"], tmp_path / "out")


@pytest.mark.parametrize("name", ARCHIVES)
def test_truncated_archive_is_named(tmp_path, name):
    packed = tmp_path / name
    ARCHIVES[name](packed)
    keep = 1700 if name == "set.tar" else packed.stat().st_size // 2
    packed.write_bytes(packed.read_bytes()[:keep])
    with pytest.raises(BadArchiveError, match=f"{name} is truncated or damaged"):
        held = archives.list_members(packed)
        archives.unpack_members(packed, {m: tmp_path / m for m in held})


def test_one_file_inside_an_archive(tmp_path):
    packed = write_zip(tmp_path / "spambase.zip", {"Index": b"none", "folder/spambase.data": TEXT})
    archives.unpack_file(packed, ["spambase.data"], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == TEXT
    with pytest.raises(BadArchiveError, match=r"does not hold exactly one file named sonar"):
        archives.unpack_file(packed, ["sonar"], tmp_path / "out")


def test_a_packed_file_inside_an_archive(tmp_path):
    """UCI's covtype.zip holds covtype.data.gz."""
    packed = write_zip(tmp_path / "covtype.zip", {"covtype.data.gz": gzip.compress(TEXT)})
    archives.unpack_file(packed, ["covtype", "covtype.data"], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == TEXT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["covtype.zip", "out"]


def test_rar_without_a_tool_says_what_to_install(tmp_path, monkeypatch):
    write_rar(tmp_path / "set.rar", MEMBERS, method=0x33)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(rarfile, "CURRENT_SETUP", None)
    message = r"no tool for .rar is installed: install unrar, unar, 7z or bsdtar, or unpack"
    with pytest.raises(BadArchiveError, match=message):
        archives.unpack_members(tmp_path / "set.rar", {"Fold1/test.txt": tmp_path / "out"})


@pytest.mark.parametrize(
    ("content", "answer"),
    [(b"<!DOCTYPE html><html>", True), (b"\xef\xbb\xbf\n <HTML>", True), (b"1 1:0.5\n", False), (b"", False)],
)
def test_web_pages_are_recognised(tmp_path, content, answer):
    (tmp_path / "f").write_bytes(content)
    assert archives.is_web_page(tmp_path / "f") is answer
