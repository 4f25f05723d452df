"""Where files come from, in which order, and what is obtained of a whole data set."""

import bz2
import logging
import lzma
import time

import pytest
from data_helpers import (
    CORRUPT_TEXT,
    PACKERS,
    TEXT,
    make_spec,
    obtain,
    plant,
    points,
    put,
    serve,
    sha,
)

from reproduction.core.errors import NotObtainedError
from reproduction.datasets.download import fetch, locations


@pytest.fixture(autouse=True)
def without_mirror(monkeypatch):
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)


EACH_ARCHIVE_FORM = pytest.mark.parametrize(("ending", "pack"), PACKERS.items())


@EACH_ARCHIVE_FORM
@pytest.mark.parametrize("place", ["mirror", "data"])
def test_mirror_folder_and_file_put_by_hand_in_each_form(tmp_path, place, ending, pack):
    put(tmp_path / place / "small" / f"points.data{ending}", pack(TEXT))
    path, digest = obtain(points(), tmp_path, tmp_path / "mirror")["points.data"]
    assert path == tmp_path / "data/cache/small/points.data"
    assert path.read_bytes() == TEXT and digest == sha(TEXT)


@EACH_ARCHIVE_FORM
def test_mirror_as_a_url(tmp_path, ending, pack):
    with serve({f"/deep/small/points.data{ending}": pack(TEXT)}) as (address, requests):
        verified = obtain(points(), tmp_path, f"{address}/deep/")
    assert verified["points.data"][1] == sha(TEXT)
    assert requests[-1].endswith(f"points.data{ending}")


def test_order_is_mirror_then_address_then_by_hand(tmp_path):
    put(tmp_path / "data/small/points.data", TEXT)
    with serve({"/p": TEXT}) as (address, requests):
        spec = points([f"{address}/p"])
        put(tmp_path / "mirror/small/points.data", TEXT)
        obtain(spec, tmp_path, tmp_path / "mirror")
        assert requests == []
        (tmp_path / "data/cache/small/points.data").unlink()
        obtain(spec, tmp_path)
        assert requests == ["/p"]


@pytest.mark.parametrize(
    ("urls", "copies", "requests"),
    [
        (["/none", "/right"], [], ["/none", "/right"]),
        (["/wrong", "/packed"], [], ["/wrong", "/packed"]),
        (["/none"], ["/wrong", "/right", "/packed"], ["/none", "/wrong", "/right"]),
    ],
    ids=["404", "wrong checksum", "copies after the official address"],
)
def test_what_does_not_serve_falls_through_to_the_next_address(tmp_path, caplog, urls, copies, requests):
    with serve({"/right": TEXT, "/wrong": CORRUPT_TEXT, "/packed": bz2.compress(TEXT)}) as (
        address,
        paths_requested,
    ):
        urls, copies = ([f"{address}{path}" for path in paths] for paths in (urls, copies))
        path, digest = obtain(points(urls, copies=copies), tmp_path)["points.data"]
    assert path.read_bytes() == TEXT and digest == sha(TEXT) and paths_requested == requests
    assert (f"{address}/wrong has the wrong checksum" in caplog.text) == ("/wrong" in requests)


def test_what_can_only_be_put_by_hand_says_so(tmp_path):
    message = (
        r"its page offers points.rar only after its terms are accepted; .*put points.data .* from https://ex"
    )
    with pytest.raises(NotObtainedError, match=message):
        obtain(points(by_hand="points.rar"), tmp_path)


def test_verified_copy_is_reused_and_a_changed_one_is_not(tmp_path, caplog):
    with serve({"/p": TEXT}) as (address, requests):
        spec = points([f"{address}/p"])
        path, _ = obtain(spec, tmp_path)["points.data"]
        obtain(spec, tmp_path)
        assert requests == ["/p"]
        path.write_bytes(CORRUPT_TEXT)
        with caplog.at_level(logging.WARNING):
            assert obtain(spec, tmp_path)["points.data"][1] == sha(TEXT)
        assert requests == ["/p", "/p"] and "was changed" in caplog.text


def test_environment_variable_wins_over_the_configured_mirror(monkeypatch):
    assert locations.select_mirror("configured") == "configured"
    assert locations.select_mirror(None) is None
    monkeypatch.setenv("TOPRANK_MIRROR", "elsewhere")
    assert locations.select_mirror("configured") == "elsewhere"


def test_mirror_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NotObtainedError, match=r"the mirror .*nowhere is no folder"):
        obtain(points(), tmp_path, tmp_path / "nowhere")


# --------------------------------------------- whole data sets


def two_files(**second):
    files = [{"name": n, "sha256": sha(TEXT), "urls": []} for n in ("points.data", "points.t")]
    partial = {"partial": {"rows": 4}} if second.get("optional") else {}
    return make_spec(files=[files[0], files[1] | second], reader="svmlight", options={}, **partial)


def test_missing_set_is_a_status_with_the_remedy(tmp_path, monkeypatch):
    address = "http://127.0.0.1:9"
    plant(monkeypatch, points([f"{address}/p"]))
    data_set = fetch.fetch("points", tmp_path / "data")
    file = {"name": "points.data", "sha256": sha(TEXT), "obtained": False}
    expected = {"dataset": "points", "status": "not obtained", "reason": data_set.reason, "files": [file]}
    assert data_set.record() == expected
    host = address.removeprefix("http://")
    for part in (host, "no mirror is named", "put points.data", "https://example.org"):
        assert part in data_set.reason
    assert data_set.reason.count(". ") == 0, "one sentence"


def test_optional_file_makes_a_set_partial_until_it_is_there(tmp_path, monkeypatch):
    spec = plant(monkeypatch, two_files(optional=True))
    put(tmp_path / "data/small/points.data", TEXT)
    data_set = fetch.fetch("points", tmp_path / "data")
    assert (
        data_set.status == "partial"
        and list(data_set.paths) == ["points.data"]
        and "lacks points.t" in data_set.reason
    )
    fetched_again = fetch.fetch_again(data_set.record(), tmp_path / "data")
    assert (fetched_again.status, fetched_again.reason, fetched_again.paths) == (
        data_set.status,
        data_set.reason,
        data_set.paths,
    )
    put(tmp_path / "data/small/points.t.xz", lzma.compress(TEXT))
    assert fetch.fetch(spec.name, tmp_path / "data").status == "obtained"


def test_required_file_missing_of_two(tmp_path, monkeypatch):
    plant(monkeypatch, two_files())
    put(tmp_path / "data/small/points.data", TEXT)
    data_set = fetch.fetch("points", tmp_path / "data")
    assert data_set.status == "not obtained" and [f["obtained"] for f in data_set.files] == [True, False]
    assert fetch.fetch_again(data_set.record(), tmp_path / "data").paths == {}


def test_fetch_again_after_the_cache_is_gone(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    place = put(tmp_path / "data/small/points.data", TEXT)
    record = fetch.fetch("points", tmp_path / "data").record()
    (tmp_path / "data/cache/small/points.data").unlink()
    assert fetch.fetch_again(record, tmp_path / "data").paths["points.data"].read_bytes() == TEXT
    (tmp_path / "data/cache/small/points.data").unlink()
    place.unlink()
    with pytest.raises(NotObtainedError, match=r"lacks points.data"):
        fetch.fetch_again(record, tmp_path / "data")


def test_unknown_checksum_is_reported(tmp_path, monkeypatch):
    plant(monkeypatch, make_spec())
    put(tmp_path / "data/small/points.data", TEXT)
    data_set = fetch.fetch("points", tmp_path / "data")
    assert data_set.status == "obtained" and data_set.files[0]["sha256"] == sha(TEXT)
    assert data_set.notes == [f"No checksum of the official points.data is known; found SHA-256 {sha(TEXT)}."]


def test_refused_file_does_not_count_until_it_is_replaced(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    place = put(tmp_path / "data/small/points.data", CORRUPT_TEXT)
    assert fetch.is_available_locally("points", tmp_path / "data", None)
    assert fetch.fetch("points", tmp_path / "data").status == "not obtained"
    assert not fetch.is_available_locally("points", tmp_path / "data", None)
    time.sleep(0.02)
    place.write_bytes(TEXT)
    assert fetch.is_available_locally("points", tmp_path / "data", None)
    assert fetch.fetch("points", tmp_path / "data").status == "obtained"


def test_a_folder_with_the_name_of_a_file_is_no_file(tmp_path, monkeypatch):
    plant(monkeypatch, points())
    (tmp_path / "data/small/points.data").mkdir(parents=True)
    assert not fetch.is_available_locally("points", tmp_path / "data", None)
    assert fetch.fetch("points", tmp_path / "data").status == "not obtained"


def test_is_available_locally_looks_only_at_paths(tmp_path, monkeypatch):
    plant(monkeypatch, two_files(optional=True))
    data, mirror = tmp_path / "data", tmp_path / "mirror"
    assert not fetch.is_available_locally("points", data, mirror)
    assert not fetch.is_available_locally("points", data, "http://127.0.0.1:9/mirror")
    put(mirror / "small/points.data.bz2", b"not even bzip2")
    assert fetch.is_available_locally("points", data, mirror)
    assert not fetch.is_available_locally("points", data, None)
    assert not fetch.is_available_locally("points", data, mirror, include_optional=True)
    put(data / "small/points.t", b"")
    assert fetch.is_available_locally("points", data, mirror, include_optional=True)
    put(data / "cache/small/points.data", TEXT)
    assert fetch.is_available_locally("points", data, None)
