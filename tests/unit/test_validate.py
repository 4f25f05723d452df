"""What gets into the cache: right files and members, and nothing else."""

import bz2
import gzip
from dataclasses import replace

import pytest
from data_helpers import (
    BOMB,
    CORRUPT_TEXT,
    TEXT,
    letor_members,
    make_spec,
    obtain,
    plant,
    points,
    put,
    serve,
    sha,
    write_tar,
    write_zip,
)

from reproduction.core.errors import NotObtainedError
from reproduction.datasets.download import fetch


@pytest.fixture(autouse=True)
def without_mirror(monkeypatch):
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("place", ["mirror", "data"])
def test_wrong_checksum_names_all_and_is_never_used(tmp_path, place):
    bad = put(tmp_path / place / "small/points.data", CORRUPT_TEXT)
    rejected = tmp_path / "data/cache/small/points.data.rejected"
    with pytest.raises(NotObtainedError) as error:
        obtain(points(), tmp_path, tmp_path / "mirror" if place == "mirror" else None)
    places = ("points.data", str(bad), str(rejected))
    for part in (*places, sha(TEXT), sha(CORRUPT_TEXT), "replace that copy", "run again"):
        assert part in str(error.value)
    assert rejected.read_bytes() == CORRUPT_TEXT and bad.read_bytes() == CORRUPT_TEXT
    assert names_in(rejected.parent) == ["points.data.rejected", "points.points.data.refused"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p", b"<!doctype html><title>Accept the licence</title>", "a web page instead of points.data: open"),
        ("p.bz2", bz2.compress(TEXT)[:-5], "is truncated or damaged .*kept aside as .*p.bz2.rejected"),
    ],
)
def test_a_web_page_instead_of_data_and_a_truncated_download(tmp_path, name, content, message):
    with (
        serve({f"/{name}": content}) as (address, _),
        pytest.raises(NotObtainedError, match=f"/{name} .*{message}"),
    ):
        obtain(points([f"{address}/{name}"]), tmp_path)
    assert names_in(tmp_path / "data/cache/small") == [f"{name}.rejected"]


def test_checksum_of_the_packed_form_where_only_that_is_known(tmp_path):
    packed = gzip.compress(TEXT, mtime=0)
    spec = make_spec(
        files=[{"name": "points.data", "sha256": None, "served_sha256": {"gz": sha(packed)}, "urls": []}]
    )
    place = put(tmp_path / "data/small/points.data.gz", gzip.compress(CORRUPT_TEXT, mtime=0))
    message = f"wrong checksum as it is packed .SHA-256 expected {sha(packed)}, got"
    with pytest.raises(NotObtainedError, match=message):
        obtain(spec, tmp_path)
    place.write_bytes(packed)
    assert obtain(spec, tmp_path)["points.data"][1] == sha(TEXT)


@pytest.mark.parametrize("form", ["gz", "gz of a server", "zip"])
def test_a_bomb_is_not_unpacked(tmp_path, form):
    """400 kB that unpack to 400 MB, where the four rows of the data set are allowed 64 MB."""
    with serve({"/points.data.gz": BOMB}) as (address, _), pytest.raises(NotObtainedError) as error:
        if form == "zip":
            write_zip(tmp_path / "data/small/points.data.zip", {"points.data": bytes(65 << 20)})
        elif form == "gz":
            put(tmp_path / "data/small/points.data.gz", BOMB)
        obtain(points([f"{address}/points.data.gz"] if form == "gz of a server" else []), tmp_path)
    reason = "unpacks to more than 64 MB, more than this data set can have: replace"
    assert reason in str(error.value) and str(error.value).count(". ") == 0
    assert not list((tmp_path / "data/cache/small").glob("*.part"))


PARTS = [f"{s % 2} qid:{s} 1:0.5 2:{s}\n" for s in range(1, 6)]
MEMBERS = letor_members(PARTS)


def letor(**changes):
    file = {"name": "Gov", "urls": [], "members": {name: sha(content) for name, content in MEMBERS.items()}}
    file |= changes
    return make_spec("td", files=[file], reader="letor", label={"grades": [0, 1]}, options={})


def test_members_are_verified_one_by_one(tmp_path):
    write_zip(tmp_path / "mirror/small/Gov.zip", {f"Gov/{n}": c for n, c in MEMBERS.items()})
    verified = obtain(letor(), tmp_path, tmp_path / "mirror")
    assert {n: p.read_bytes() for n, (p, _) in verified.items()} == MEMBERS
    assert verified["Fold1/test.txt"][0] == tmp_path / "data/cache/small/td/Fold1/test.txt"


def test_wrong_member_is_named_and_kept_aside(tmp_path):
    write_zip(tmp_path / "mirror/small/Gov.zip", MEMBERS | {"Fold3/vali.txt": b"1 qid:9 1:1\n"})
    message = r"content of vali.txt from .*Gov.zip has the wrong .*Fold3/vali.txt.rejected"
    with pytest.raises(NotObtainedError, match=message):
        obtain(letor(), tmp_path, tmp_path / "mirror")
    assert not (tmp_path / "data/cache/small/td/Fold3/vali.txt").exists()


def test_letor_3_names_and_the_right_set_and_normalisation(tmp_path):
    old = {"train.txt": "trainingset.txt", "vali.txt": "validationset.txt", "test.txt": "testset.txt"}
    held = {}
    for name, content in MEMBERS.items():
        fold, last = name.split("/")
        held[f"Gov/QueryLevelNorm/2003_td_dataset/{fold}/{old[last]}"] = content
        held[f"Gov/Feature_min/2003_td_dataset/{fold}/{old[last]}"] = b"other normalisation"
        held[f"Gov/QueryLevelNorm/2003_np_dataset/{fold}/{old[last]}"] = b"other set"
    write_zip(tmp_path / "data/small/Gov.zip", held)
    verified = obtain(letor(folders=["TD2003", "2003_td_dataset"]), tmp_path)
    assert {n: p.read_bytes() for n, (p, _) in verified.items()} == MEMBERS


def test_ambiguous_archive_is_refused(tmp_path):
    write_zip(tmp_path / "data/small/Gov.zip", {f"{s}/{n}": c for s in "ab" for n, c in MEMBERS.items()})
    with pytest.raises(NotObtainedError, match=r"Gov.zip holds 2 members for Fold1/"):
        obtain(letor(), tmp_path)


def test_archive_unpacked_by_hand_and_under_another_name(tmp_path):
    for name, content in MEMBERS.items():
        put(tmp_path / "data/small/TD2003" / name, content)
    assert len(obtain(letor(also_named=["TD2003"]), tmp_path)) == 15


def test_shared_archive_is_downloaded_once(tmp_path):
    archive = write_zip(tmp_path / "Gov.zip", {f"{s}/{n}": c for s in ("a", "b") for n, c in MEMBERS.items()})
    with serve({"/Gov.zip": archive.read_bytes()}) as (address, requests):
        for name in ("a", "b"):
            spec = letor(urls=[f"{address}/Gov.zip"], folders=[name], members=dict.fromkeys(MEMBERS))
            verified = obtain(replace(spec, name=name), tmp_path)
            assert verified["Fold2/vali.txt"][1] == sha(MEMBERS["Fold2/vali.txt"])
        assert requests == ["/Gov.zip"]


def test_reconstruction_and_official_archive(tmp_path, monkeypatch):
    """MQ2007: the checksums are those of a reconstruction; the official archive is preferred."""
    spec = letor(reconstruction={"form": ".tar.xz", "note": "It is a reconstruction."})
    plant(monkeypatch, spec)
    official = {name: content.replace(b"1:0.5", b"1:0.7") for name, content in MEMBERS.items()}
    write_tar(tmp_path / "mirror/small/Gov.tar.xz", MEMBERS)
    assert not fetch.is_available_locally(spec.name, tmp_path / "data", None)
    assert fetch.is_available_locally(spec.name, tmp_path / "data", tmp_path / "mirror")
    fetched = fetch.fetch(spec.name, tmp_path / "data", tmp_path / "mirror")
    assert fetched.status == "obtained" and fetched.notes == ["It is a reconstruction."]
    assert fetched.paths["Fold1/test.txt"].read_bytes() == MEMBERS["Fold1/test.txt"]

    write_zip(tmp_path / "data/small/Gov.zip", official)
    for _ in range(2):  # the second time from the cache
        fetched = fetch.fetch(spec.name, tmp_path / "data", tmp_path / "mirror")
        assert fetched.paths["Fold1/test.txt"].read_bytes() == official["Fold1/test.txt"]
        assert "No checksum of the official Gov is known" in fetched.notes[0]


def test_wrong_reconstruction_is_refused(tmp_path):
    spec = letor(reconstruction={"form": ".tar.xz", "note": "It is a reconstruction."})
    write_tar(tmp_path / "mirror/small/Gov.tar.xz", MEMBERS | {"Fold1/test.txt": b"1 qid:1 1:1\n"})
    with pytest.raises(
        NotObtainedError, match=r"content of test.txt from .*Gov.tar.xz has the wrong checksum"
    ):
        obtain(spec, tmp_path, tmp_path / "mirror")


def test_official_archive_from_its_address_instead_of_a_reconstruction(tmp_path):
    archive = write_zip(tmp_path / "Gov.zip", MEMBERS | {"Fold1/test.txt": b"other"})
    with serve({"/Gov.zip": archive.read_bytes()}) as (address, _):
        spec = letor(reconstruction={"form": ".tar.xz", "note": "None."}, urls=[f"{address}/Gov.zip"])
        assert obtain(spec, tmp_path)["Fold1/test.txt"][0].read_bytes() == b"other"
