"""Downloads from servers that drop, drip, refuse, delay, or send too much."""

import email.utils
import gzip
import logging
import os
import socket
import threading
import time

import pytest
import tqdm
from data_helpers import BOMB, TEXT, obtain, points, put, serve, sha

from reproduction.core.errors import NotObtainedError, TransportError
from reproduction.datasets.download import http


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(http, "BACKOFF_SECONDS", 0.01)
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)


@pytest.mark.parametrize("answer", [("drop", TEXT[:5]), 503])
def test_dropped_connection_is_retried(tmp_path, answer):
    with serve({"/p": [answer, TEXT]}) as (address, requests):
        assert obtain(points([f"{address}/p"]), tmp_path)["points.data"][1] == sha(TEXT)
        assert requests == ["/p", "/p"]


def test_silence_is_retried(tmp_path, monkeypatch):
    monkeypatch.setattr(http, "READ_SECONDS", 0.1)
    with serve({"/p": [("drip", TEXT), TEXT]}, drip_seconds=0.5) as (address, requests):
        http.download(f"{address}/p", tmp_path / "a/b")
    assert (tmp_path / "a/b").read_bytes() == TEXT and requests == ["/p", "/p"]


def test_unreachable_host_is_tried_once_in_a_run(tmp_path, monkeypatch):
    import requests

    calls, get = [], requests.get
    monkeypatch.setattr(requests, "get", lambda *a, **k: calls.append(a) or get(*a, **k))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    for name in ("a", "b"):
        with pytest.raises(TransportError, match=r"^127.0.0.1:\d+ could not be reached"):
            http.download(f"{address}/{name}", tmp_path / "cache/small" / name)
    assert len(calls) == 1
    http.clear_unreachable(tmp_path)
    with pytest.raises(TransportError):
        http.download(f"{address}/c", tmp_path / "cache/small/c")
    assert len(calls) == 2


@pytest.mark.parametrize("header", ["1", "date"])
def test_a_busy_server_says_when_to_come_back(tmp_path, monkeypatch, header):
    waits = []
    monkeypatch.setattr(http.time, "sleep", waits.append)
    text = header if header == "1" else email.utils.formatdate(time.time() + 30, usegmt=True)
    with serve({"/p": [("busy", text), TEXT]}) as (address, _):
        http.download(f"{address}/p", tmp_path / "a/b")
    assert waits == [1.0] if header == "1" else 25 < waits[0] < 31


@pytest.mark.parametrize(
    ("answer", "reason", "times"),
    [
        (503, "answers with status 503 in each of 3 attempts", 3),
        (("busy", "3600"), "answers with status 503 and asks to retry after 3600 s", 1),
        (("drop", TEXT), r"broke off \(ChunkedEncodingError\) in each of 3 attempts", 3),
        (403, "answers with status 403", 1),
    ],
)
def test_a_server_that_is_left(tmp_path, answer, reason, times):
    with serve({"/p": answer}) as (address, requests):
        with pytest.raises(NotObtainedError, match=f"{address}/p {reason}"):
            obtain(points([f"{address}/p"]), tmp_path)
        assert len(requests) == times
    assert not list((tmp_path / "data").rglob("*.part"))


@pytest.mark.parametrize(
    ("limit", "reason"),
    [("RATE_WINDOW_SECONDS", "sends less than 2000 bytes a second"), ("DOWNLOAD_SECONDS", "takes more than")],
)
@pytest.mark.parametrize("kind", ["drip", "chunk", "slow_header"])
def test_a_dripping_answer_ends_within_its_limit(tmp_path, monkeypatch, kind, limit, reason):
    """A byte each .3 s resets the timeout of a read; without the limits the answer arrives in the end."""
    monkeypatch.setattr(http, limit, 0.7)
    with serve({"/p": (kind, TEXT)}, drip_seconds=0.3) as (address, requests):
        with pytest.raises(NotObtainedError, match=f"{address}/p {reason}"):
            obtain(points([f"{address}/p"]), tmp_path)
        assert requests == ["/p"]
    assert not list((tmp_path / "data").rglob("*.part"))


def test_an_encoded_body_is_decoded_within_the_size_of_the_data_set(tmp_path, monkeypatch):
    before, is_given_up, update = set(threading.enumerate()), [], http._Guard.update
    monkeypatch.setattr(
        http._Guard, "update", lambda guard, size: (is_given_up.append(guard.given_up), update(guard, size))
    )
    with serve({"/p": ("gzip", gzip.compress(TEXT)), "/bomb": ("gzip", BOMB)}) as (address, requests):
        assert obtain(points([f"{address}/p"]), tmp_path / "a")["points.data"][1] == sha(TEXT)
        with pytest.raises(NotObtainedError) as error:
            obtain(points([f"{address}/bomb"]), tmp_path / "b")
        assert requests == ["/p", "/bomb"]
    reason = f"{address}/bomb sends more than 64 MB, more than this data set can have"
    assert reason in str(error.value) and str(error.value).count(". ") == 0
    # the first progress bar of a process starts a monitor, which stays
    started = {thread for thread in threading.enumerate() if not isinstance(thread, tqdm.TMonitor)} - before
    for thread in started:
        thread.join(5)
        assert not thread.is_alive(), "it goes on in the background"
    assert is_given_up[-1], "it went on to its end"


def test_what_a_killed_download_left_is_removed(tmp_path):
    stale_parts = [
        put(tmp_path / f"data/cache/small/points.data.17.{end}", b"half") for end in ("part", "download")
    ]
    for path in stale_parts:
        os.utime(path, (0, time.time() - 2 * http.STALE_PART_SECONDS))
    fresh = put(tmp_path / "data/cache/small/other.18.part", b"at work")
    put(tmp_path / "data/small/points.data", TEXT)
    obtain(points(), tmp_path)
    assert fresh.exists() and not any(path.exists() for path in stale_parts)


def test_a_busy_mirror_gets_one_sentence(tmp_path):
    class Busy(dict):
        def get(self, path, default):
            return 503

    with serve(Busy()) as (address, requests):
        with pytest.raises(NotObtainedError) as error:
            obtain(points(), tmp_path, address)
        # the port may have these digits too
        reason = str(error.value).replace(address, "")
        assert reason.count("503") == 1 and len(requests) == http.MAX_ATTEMPTS


def test_no_password_is_written_anywhere(tmp_path, caplog, capfd):
    with serve({"/p": 404}) as (address, _), caplog.at_level(logging.DEBUG):
        secret = address.replace("http://", "http://me:s3cret@")
        for spec, mirror in ((points([f"{secret}/p?token=s3cret"]), None), (points(), f"{secret}/mirror")):
            with pytest.raises(NotObtainedError) as error:
                obtain(spec, tmp_path, mirror)
            assert "s3cret" not in str(error.value) + "".join(capfd.readouterr())
    # urllib3 writes the query of a request at the level DEBUG, which a run does not ask for
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("urllib3")]
    assert "s3cret" not in " ".join(ours)
