"""Where files come from, in which order, and what is never used."""

import bz2
import email.utils
import gzip
import logging
import lzma
import os
import socket
import time
from dataclasses import replace

import pytest
from data_helpers import PACKERS, letor_members, make_spec, plant, put, serve, sha, write_tar, write_zip

from reproduction.data import download, transport
from reproduction.data.errors import NotObtained, TransportError

TEXT = b"1,2,0\n3,4,1\n5,6,0\n7,8,1\n"
WRONG = TEXT.replace(b"8", b"9")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(transport, "BACKOFF_SECONDS", 0.01)
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)


def points(urls=(), digest=None, **more):
    return make_spec(
        files=[{"name": "points.data", "sha256": digest or sha(TEXT), "urls": list(urls), **more}]
    )


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def obtain(spec, tmp_path, mirror=None):
    return download.obtain(spec, spec.files[0], tmp_path / "data", mirror)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


# --------------------------------------------- sources


IN_EACH_FORM = pytest.mark.parametrize(("ending", "pack"), PACKERS.items())


@IN_EACH_FORM
@pytest.mark.parametrize("place", ["mirror", "data"])
def test_mirror_folder_and_file_put_by_hand_in_each_form(tmp_path, place, ending, pack):
    put(tmp_path / place / "small" / f"points.data{ending}", pack(TEXT))
    path, digest = obtain(points(), tmp_path, tmp_path / "mirror")["points.data"]
    assert path == tmp_path / "data/cache/small/points.data"
    assert path.read_bytes() == TEXT and digest == sha(TEXT)


@IN_EACH_FORM
def test_mirror_as_a_url(tmp_path, ending, pack):
    with serve({f"/deep/small/points.data{ending}": pack(TEXT)}) as (address, asked):
        found = obtain(points(), tmp_path, f"{address}/deep/")
    assert found["points.data"][1] == sha(TEXT)
    assert asked[-1].endswith(f"points.data{ending}")


def test_order_is_mirror_then_address_then_by_hand(tmp_path):
    put(tmp_path / "data/small/points.data", TEXT)
    with serve({"/p": TEXT}) as (address, asked):
        spec = points([f"{address}/p"])
        put(tmp_path / "mirror/small/points.data", TEXT)
        obtain(spec, tmp_path, tmp_path / "mirror")
        assert asked == []
        (tmp_path / "data/cache/small/points.data").unlink()
        obtain(spec, tmp_path)
        assert asked == ["/p"]


@pytest.mark.parametrize(
    ("urls", "copies", "asked"),
    [
        (["/none", "/right"], [], ["/none", "/right"]),
        (["/wrong", "/packed"], [], ["/wrong", "/packed"]),
        (["/none"], ["/wrong", "/right", "/packed"], ["/none", "/wrong", "/right"]),
    ],
    ids=["404", "wrong checksum", "copies after the official address"],
)
def test_what_does_not_serve_falls_through_to_the_next_address(tmp_path, caplog, urls, copies, asked):
    with serve({"/right": TEXT, "/wrong": WRONG, "/packed": bz2.compress(TEXT)}) as (address, seen):
        urls, copies = ([f"{address}{path}" for path in paths] for paths in (urls, copies))
        path, digest = obtain(points(urls, copies=copies), tmp_path)["points.data"]
    assert path.read_bytes() == TEXT and digest == sha(TEXT) and seen == asked
    assert (f"{address}/wrong has the wrong checksum" in caplog.text) == ("/wrong" in asked)


def test_what_can_only_be_put_by_hand_says_so(tmp_path):
    said = (
        r"its page offers points.rar only after its terms are accepted; .*put points.data .* from https://ex"
    )
    with pytest.raises(NotObtained, match=said):
        obtain(points(by_hand="points.rar"), tmp_path)


def test_verified_copy_is_reused_and_a_changed_one_is_not(tmp_path, caplog):
    with serve({"/p": TEXT}) as (address, asked):
        spec = points([f"{address}/p"])
        path, _ = obtain(spec, tmp_path)["points.data"]
        obtain(spec, tmp_path)
        assert asked == ["/p"]
        path.write_bytes(WRONG)
        with caplog.at_level(logging.WARNING):
            assert obtain(spec, tmp_path)["points.data"][1] == sha(TEXT)
        assert asked == ["/p", "/p"] and "was changed" in caplog.text


def test_environment_variable_wins_over_the_configured_mirror(monkeypatch):
    assert download.mirror_from("configured") == "configured"
    assert download.mirror_from(None) is None
    monkeypatch.setenv("TOPRANK_MIRROR", "elsewhere")
    assert download.mirror_from("configured") == "elsewhere"


def test_mirror_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NotObtained, match=r"the mirror .*nowhere is no folder"):
        obtain(points(), tmp_path, tmp_path / "nowhere")


# --------------------------------------------- bad content


@pytest.mark.parametrize("place", ["mirror", "data"])
def test_wrong_checksum_names_all_and_is_never_used(tmp_path, place):
    bad = put(tmp_path / place / "small/points.data", WRONG)
    rejected = tmp_path / "data/cache/small/points.data.rejected"
    with pytest.raises(NotObtained) as error:
        obtain(points(), tmp_path, tmp_path / "mirror" if place == "mirror" else None)
    places = ("points.data", str(bad), str(rejected))
    for part in (*places, sha(TEXT), sha(WRONG), "replace that copy", "run again"):
        assert part in str(error.value)
    assert rejected.read_bytes() == WRONG and bad.read_bytes() == WRONG
    assert names_in(rejected.parent) == ["points.data.rejected", "points.points.data.refused"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p", b"<!doctype html><title>Accept the licence</title>", "a web page instead of points.data: open"),
        ("p.bz2", bz2.compress(TEXT)[:-5], "is truncated or damaged .*kept aside as .*p.bz2.rejected"),
    ],
)
def test_a_web_page_instead_of_data_and_a_truncated_download(tmp_path, name, content, said):
    with serve({f"/{name}": content}) as (address, _), pytest.raises(NotObtained, match=f"/{name} .*{said}"):
        obtain(points([f"{address}/{name}"]), tmp_path)
    assert names_in(tmp_path / "data/cache/small") == [f"{name}.rejected"]


def test_checksum_of_the_packed_form_where_only_that_is_known(tmp_path):
    packed = gzip.compress(TEXT, mtime=0)
    spec = make_spec(
        files=[{"name": "points.data", "sha256": None, "served_sha256": {"gz": sha(packed)}, "urls": []}]
    )
    place = put(tmp_path / "data/small/points.data.gz", gzip.compress(WRONG, mtime=0))
    said = f"wrong checksum as it is packed .SHA-256 expected {sha(packed)}, got"
    with pytest.raises(NotObtained, match=said):
        obtain(spec, tmp_path)
    place.write_bytes(packed)
    assert obtain(spec, tmp_path)["points.data"][1] == sha(TEXT)


# --------------------------------------------- transport


def test_dropped_connection_is_retried(tmp_path):
    with serve({"/p": [("drop", TEXT[:5]), TEXT]}) as (address, asked):
        assert obtain(points([f"{address}/p"]), tmp_path)["points.data"][1] == sha(TEXT)
        assert asked == ["/p", "/p"]


def test_unreachable_host_is_tried_once_in_a_run(tmp_path, monkeypatch):
    import requests

    calls, get = [], requests.get
    monkeypatch.setattr(requests, "get", lambda *a, **k: calls.append(a) or get(*a, **k))
    address = closed_port()
    for name in ("a", "b"):
        with pytest.raises(TransportError, match=r"^127.0.0.1:\d+ could not be reached"):
            transport.download(f"{address}/{name}", tmp_path / "cache/small" / name)
    assert len(calls) == 1
    transport.forget(tmp_path)
    with pytest.raises(TransportError):
        transport.download(f"{address}/c", tmp_path / "cache/small/c")
    assert len(calls) == 2


@pytest.mark.parametrize("given", ["1", "date"])
def test_a_busy_server_says_when_to_come_back(tmp_path, monkeypatch, given):
    waited = []
    monkeypatch.setattr(transport.time, "sleep", waited.append)
    header = given if given == "1" else email.utils.formatdate(time.time() + 30, usegmt=True)
    with serve({"/p": [("busy", header), TEXT]}) as (address, _):
        assert obtain(points([f"{address}/p"]), tmp_path)["points.data"][1] == sha(TEXT)
    assert waited == [1.0] if given == "1" else 25 < waited[0] < 31


@pytest.mark.parametrize(
    ("answer", "limit", "said", "times"),
    [
        (503, "", "answers with status 503 in each of 3 attempts", 3),
        (("busy", "3600"), "", "answers with status 503 and asks to come back in 3600 s", 1),
        (("drip", TEXT), "RATE_SECONDS", "sends less than 2000 bytes a second", 1),
        (("drip", TEXT), "TOTAL_SECONDS", "takes more than .* hours", 1),
    ],
)
def test_a_server_that_is_left(tmp_path, monkeypatch, answer, limit, said, times):
    monkeypatch.setattr(transport, "BLOCK", 1)
    if limit:
        monkeypatch.setattr(transport, limit, 0.1)
    with serve({"/p": answer}) as (address, asked):
        with pytest.raises(NotObtained, match=f"{address}/p {said}"):
            obtain(points([f"{address}/p"]), tmp_path)
        assert len(asked) == times
    assert not list((tmp_path / "data").rglob("*.part"))


def test_what_a_killed_download_left_is_removed(tmp_path):
    left = [put(tmp_path / f"data/cache/small/points.data.17.{end}", b"half") for end in ("part", "download")]
    for path in left:
        os.utime(path, (0, time.time() - 2 * transport.STALE_SECONDS))
    fresh = put(tmp_path / "data/cache/small/other.18.part", b"at work")
    put(tmp_path / "data/small/points.data", TEXT)
    obtain(points(), tmp_path)
    assert fresh.exists() and not any(path.exists() for path in left)


def test_a_busy_mirror_gets_one_sentence(tmp_path):
    class Busy(dict):
        def get(self, path, default):
            return 503

    with serve(Busy()) as (address, asked):
        with pytest.raises(NotObtained) as error:
            obtain(points(), tmp_path, address)
        assert str(error.value).count("503") == 1 and len(asked) == transport.ATTEMPTS


def test_no_password_is_written_anywhere(tmp_path, caplog):
    with serve({"/p": 404}) as (address, _), caplog.at_level(logging.DEBUG, logger="reproduction"):
        secret = address.replace("http://", "http://me:s3cret@")
        for spec, mirror in ((points([f"{secret}/p?token=s3cret"]), None), (points(), f"{secret}/mirror")):
            with pytest.raises(NotObtained) as error:
                obtain(spec, tmp_path, mirror)
            assert "s3cret" not in str(error.value) and "s3cret" not in caplog.text


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    from reproduction.data import records

    monkeypatch.setattr(records, "FILE_BYTES", 1 << 20)
    put(tmp_path / "data/small/points.data.xz", lzma.compress(bytes(30 << 20)))
    with pytest.raises(NotObtained, match=r"more than 1 MB, more than this data set can have: replace"):
        obtain(points(), tmp_path)
    assert names_in(tmp_path / "data/cache/small") == ["points.points.data.xz.refused"]


# --------------------------------------------- whole data sets


def two_files(**second):
    files = [{"name": n, "sha256": sha(TEXT), "urls": []} for n in ("points.data", "points.t")]
    partial = {"partial": {"rows": 4}} if second.get("optional") else {}
    return make_spec(files=[files[0], files[1] | second], reader="svmlight", options={}, **partial)


def test_missing_set_is_a_status_with_the_remedy(tmp_path, monkeypatch):
    address = closed_port()
    plant(monkeypatch, points([f"{address}/p"]))
    got = download.fetch("points", tmp_path / "data")
    file = {"name": "points.data", "sha256": sha(TEXT), "found": False}
    expected = {"dataset": "points", "status": "not obtained", "reason": got.reason, "files": [file]}
    assert got.record() == expected
    host = address.removeprefix("http://")
    for part in (host, "no mirror is named", "put points.data", "https://example.org"):
        assert part in got.reason
    assert got.reason.count(". ") == 0, "one sentence"


def test_optional_file_makes_a_set_partial_until_it_is_there(tmp_path, monkeypatch):
    spec = plant(monkeypatch, two_files(optional=True))
    put(tmp_path / "data/small/points.data", TEXT)
    got = download.fetch("points", tmp_path / "data")
    assert got.status == "partial" and list(got.paths) == ["points.data"] and "lacks points.t" in got.reason
    again = download.fetch_again(got.record(), tmp_path / "data")
    assert (again.status, again.reason, again.paths) == (got.status, got.reason, got.paths)
    put(tmp_path / "data/small/points.t.xz", lzma.compress(TEXT))
    assert download.fetch(spec.name, tmp_path / "data").status == "obtained"


def test_required_file_missing_of_two(tmp_path, monkeypatch):
    plant(monkeypatch, two_files())
    put(tmp_path / "data/small/points.data", TEXT)
    got = download.fetch("points", tmp_path / "data")
    assert got.status == "not obtained" and [f["found"] for f in got.files] == [True, False]
    assert download.fetch_again(got.record(), tmp_path / "data").paths == {}


def test_fetch_again_after_the_cache_is_gone(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    place = put(tmp_path / "data/small/points.data", TEXT)
    record = download.fetch("points", tmp_path / "data").record()
    (tmp_path / "data/cache/small/points.data").unlink()
    assert download.fetch_again(record, tmp_path / "data").paths["points.data"].read_bytes() == TEXT
    (tmp_path / "data/cache/small/points.data").unlink()
    place.unlink()
    with pytest.raises(NotObtained, match=r"lacks points.data"):
        download.fetch_again(record, tmp_path / "data")


def test_unknown_checksum_is_reported(tmp_path, monkeypatch):
    plant(monkeypatch, make_spec())
    put(tmp_path / "data/small/points.data", TEXT)
    got = download.fetch("points", tmp_path / "data")
    assert got.status == "obtained" and got.files[0]["sha256"] == sha(TEXT)
    assert got.notes == [f"No checksum of the official points.data is known; found SHA-256 {sha(TEXT)}."]


def test_refused_file_does_not_count_until_it_is_replaced(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    place = put(tmp_path / "data/small/points.data", WRONG)
    assert download.available_locally("points", tmp_path / "data", None)
    assert download.fetch("points", tmp_path / "data").status == "not obtained"
    assert not download.available_locally("points", tmp_path / "data", None)
    time.sleep(0.02)
    place.write_bytes(TEXT)
    assert download.available_locally("points", tmp_path / "data", None)
    assert download.fetch("points", tmp_path / "data").status == "obtained"


def test_a_folder_with_the_name_of_a_file_is_no_file(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    (tmp_path / "data/small/points.data").mkdir(parents=True)
    assert not download.available_locally("points", tmp_path / "data", None)
    assert download.fetch("points", tmp_path / "data").status == "not obtained"


def test_available_locally_looks_only_at_paths(tmp_path, monkeypatch):
    plant(monkeypatch, two_files(optional=True))
    data, mirror = tmp_path / "data", tmp_path / "mirror"
    assert not download.available_locally("points", data, mirror)
    assert not download.available_locally("points", data, "http://127.0.0.1:9/mirror")
    put(mirror / "small/points.data.bz2", b"not even bzip2")
    assert download.available_locally("points", data, mirror)
    assert not download.available_locally("points", data, None)
    assert not download.available_locally("points", data, mirror, everything=True)
    put(data / "small/points.t", b"")
    assert download.available_locally("points", data, mirror, everything=True)
    put(data / "cache/small/points.data", TEXT)
    assert download.available_locally("points", data, None)


# --------------------------------------------- archives

PARTS = [f"{s % 2} qid:{s} 1:0.5 2:{s}\n" for s in range(1, 6)]
MEMBERS = letor_members(PARTS)


def letor(**changes):
    file = {"name": "Gov", "urls": [], "members": {name: sha(content) for name, content in MEMBERS.items()}}
    file |= changes
    return make_spec("td", files=[file], reader="letor", label={"grades": [0, 1]}, options={})


def test_members_are_verified_one_by_one(tmp_path):
    write_zip(tmp_path / "mirror/small/Gov.zip", {f"Gov/{n}": c for n, c in MEMBERS.items()})
    found = obtain(letor(), tmp_path, tmp_path / "mirror")
    assert {n: p.read_bytes() for n, (p, _) in found.items()} == MEMBERS
    assert found["Fold1/test.txt"][0] == tmp_path / "data/cache/small/td/Fold1/test.txt"


def test_wrong_member_is_named_and_kept_aside(tmp_path):
    write_zip(tmp_path / "mirror/small/Gov.zip", MEMBERS | {"Fold3/vali.txt": b"1 qid:9 1:1\n"})
    said = r"content of vali.txt from .*Gov.zip has the wrong .*Fold3/vali.txt.rejected"
    with pytest.raises(NotObtained, match=said):
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
    found = obtain(letor(inside=["TD2003", "2003_td_dataset"]), tmp_path)
    assert {n: p.read_bytes() for n, (p, _) in found.items()} == MEMBERS


def test_ambiguous_archive_is_refused(tmp_path):
    write_zip(tmp_path / "data/small/Gov.zip", {f"{s}/{n}": c for s in "ab" for n, c in MEMBERS.items()})
    with pytest.raises(NotObtained, match=r"Gov.zip holds 2 members for Fold1/"):
        obtain(letor(), tmp_path)


def test_archive_unpacked_by_hand_and_under_another_name(tmp_path):
    for name, content in MEMBERS.items():
        put(tmp_path / "data/small/TD2003" / name, content)
    assert len(obtain(letor(also_named=["TD2003"]), tmp_path)) == 15


def test_shared_archive_is_downloaded_once(tmp_path):
    archive = write_zip(tmp_path / "Gov.zip", {f"{s}/{n}": c for s in ("a", "b") for n, c in MEMBERS.items()})
    with serve({"/Gov.zip": archive.read_bytes()}) as (address, asked):
        for name in ("a", "b"):
            spec = letor(urls=[f"{address}/Gov.zip"], inside=[name], members=dict.fromkeys(MEMBERS))
            found = obtain(replace(spec, name=name), tmp_path)
            assert found["Fold2/vali.txt"][1] == sha(MEMBERS["Fold2/vali.txt"])
        assert asked == ["/Gov.zip"]


def test_reconstruction_and_official_archive(tmp_path, monkeypatch):
    """MQ2007: the checksums are those of a reconstruction; the official archive is preferred."""
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)
    spec = letor(reconstruction={"form": ".tar.xz", "note": "It is a reconstruction."})
    plant(monkeypatch, spec)
    official = {name: content.replace(b"1:0.5", b"1:0.7") for name, content in MEMBERS.items()}
    write_tar(tmp_path / "mirror/small/Gov.tar.xz", MEMBERS)
    assert not download.available_locally(spec.name, tmp_path / "data", None)
    assert download.available_locally(spec.name, tmp_path / "data", tmp_path / "mirror")
    got = download.fetch(spec.name, tmp_path / "data", tmp_path / "mirror")
    assert got.status == "obtained" and got.notes == ["It is a reconstruction."]
    assert got.paths["Fold1/test.txt"].read_bytes() == MEMBERS["Fold1/test.txt"]

    write_zip(tmp_path / "data/small/Gov.zip", official)
    for _ in range(2):  # the second time from the cache
        got = download.fetch(spec.name, tmp_path / "data", tmp_path / "mirror")
        assert got.paths["Fold1/test.txt"].read_bytes() == official["Fold1/test.txt"]
        assert "No checksum of the official Gov is known" in got.notes[0]


def test_wrong_reconstruction_is_refused(tmp_path):
    spec = letor(reconstruction={"form": ".tar.xz", "note": "It is a reconstruction."})
    write_tar(tmp_path / "mirror/small/Gov.tar.xz", MEMBERS | {"Fold1/test.txt": b"1 qid:1 1:1\n"})
    with pytest.raises(NotObtained, match=r"content of test.txt from .*Gov.tar.xz has the wrong checksum"):
        obtain(spec, tmp_path, tmp_path / "mirror")


def test_official_archive_from_its_address_instead_of_a_reconstruction(tmp_path):
    archive = write_zip(tmp_path / "Gov.zip", MEMBERS | {"Fold1/test.txt": b"other"})
    with serve({"/Gov.zip": archive.read_bytes()}) as (address, _):
        spec = letor(reconstruction={"form": ".tar.xz", "note": "None."}, urls=[f"{address}/Gov.zip"])
        assert obtain(spec, tmp_path)["Fold1/test.txt"][0].read_bytes() == b"other"
