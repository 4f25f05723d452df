"""Passwords, tokens and the values of queries do not reach what a run writes."""

import json
import logging
from urllib.parse import urlsplit

import pytest
from config_validation import ConfigError, validate_config
from data_helpers import make_spec, put, serve

from reproduction.core.errors import NotObtainedError, TransportError
from reproduction.core.path_checks import get_url_name
from reproduction.core.redaction import redact_addresses, redact_config
from reproduction.datasets.download import http as transport
from reproduction.datasets.download.fetch import fetch, obtain
from reproduction.datasets.download.locations import list_mirror_urls
from reproduction.reporting.provenance import collect_run_provenance, digest_config
from reproduction.reporting.ro_crate import describe_run

TEXT = b"1,2,0\n3,4,1\n5,6,1\n7,8,0\n"
MIRROR = "https://someone:s3cret@host.org:8080/m?token=s3cret&key=s3cret#s3cret"
REDACTED = {
    MIRROR: "https://host.org:8080/m",
    "http://s3cret@host/m": "http://host/m",
    "https://someone:s3cret@host": "https://host",
    "https://someone:/s3/cret@host/m": "https://host/m",
    "https://someone:s3@cret@host/m": "https://host/m",
    "https://someone:s3?cret@host/m": "https://",
    "https://host?s3cret": "https://host",
    "https://[::1]:80/m?s3cret": "https://[::1]:80/m",
    "someone:s3cret@host:/folder": "host:/folder",
    "curl 'https://a:s3cret@host/x?k=s3cret', then (https://b/c).": "curl 'https://host/x', then (https://b/c).",
}
PLAIN_ADDRESSES = [
    "https://host.org/@scope/a:b",
    "http://localhost:8000",
    "mirror/of@2026",
    "C:/data",
    "a: b @ c",
    "",
]


@pytest.mark.parametrize("address", REDACTED)
def test_an_address_without_its_secrets(address):
    assert redact_addresses(address) == REDACTED[address]


@pytest.mark.parametrize("address", PLAIN_ADDRESSES)
def test_what_is_no_secret_stays(address):
    assert redact_addresses(address) == address


def test_a_configuration_without_secrets():
    config = {"mirror": MIRROR, "seed": 3, "studies": {"a": {"files": [MIRROR, 0.5, None], "on": True}}}
    clean = redact_config(config)
    assert clean == {
        "mirror": REDACTED[MIRROR],
        "seed": 3,
        "studies": {"a": {"files": [REDACTED[MIRROR], 0.5, None], "on": True}},
    }
    assert config["mirror"] == MIRROR, "the run still needs it"


def test_provenance_and_crate_hold_no_secret(tmp_path):
    config = {"mirror": MIRROR, "run": ["quick"], "seed": 1}
    facts = collect_run_provenance(config, root=tmp_path)
    assert facts["config"]["mirror"] == REDACTED[MIRROR] and "s3cret" not in json.dumps(facts)
    # from the digest of a configuration one could try passwords
    assert facts["config_digest"] == digest_config(facts["config"]) != digest_config(config)
    put(tmp_path / "configuration.json", "{}")
    cited = dict.fromkeys(("title", "abstract", "version", "license"), "x") | {"authors": [{"name": "x"}]}
    assert "s3cret" not in json.dumps(describe_run(tmp_path, [], facts, cited, "2026-11-25"))


def test_a_wrong_configuration_is_refused_without_its_secrets():
    with pytest.raises(ConfigError) as refused:
        validate_config({"missing_data": MIRROR})
    assert "s3cret" not in str(refused.value)


def test_the_secret_reaches_the_mirror_and_nothing_else(tmp_path, monkeypatch, caplog):
    """With user and query in its address, a mirror serves; the cache and the log do not name them."""
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)
    spec = make_spec()
    with (
        serve({"/m/small/points.data?token=s3cret": TEXT}) as (address, requests),
        caplog.at_level(logging.DEBUG),
    ):
        mirror = f"http://me:s3cret@{urlsplit(address).netloc}/m/?token=s3cret"
        (copy,) = obtain(spec, spec.files[0], tmp_path, mirror).values()
    assert copy[0].read_bytes() == TEXT and requests == ["/m/small/points.data?token=s3cret"]
    assert not [path for path in tmp_path.rglob("*") if "s3cret" in path.name]
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("reproduction")]
    assert "s3cret" not in " ".join(ours)


@pytest.mark.parametrize(
    ("mirror", "named"),
    [
        ("https://me:s3cret@localhost:9/m?token=s3cret", "localhost:9 could not be reached"),
        ("https://me:s3/cret@localhost:9/m", "https://localhost:9/m/small/points.data is not an address"),
        ("https://me:[s3cret@localhost:9/m", "https://localhost:9/m/small/points.data is not an address"),
        ("ftp://me:s3cret@localhost/m?s3cret", "ftp://localhost/m/small/points.data broke off"),
        ("me:s3cret@host:/mirror", "the mirror host:/mirror is no folder"),
    ],
)
def test_a_mirror_that_does_not_serve_is_named_without_its_secrets(
    tmp_path, monkeypatch, caplog, mirror, named
):
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)
    monkeypatch.setattr(transport, "BACKOFF_SECONDS", 0.0)
    spec = make_spec()
    monkeypatch.setattr("reproduction.datasets.registry.get", {"points": spec}.__getitem__)
    with caplog.at_level(logging.INFO, logger="reproduction"):
        fetched = fetch("points", tmp_path, mirror)
    assert fetched.status == "not obtained" and named in fetched.reason
    assert "s3" not in fetched.reason + caplog.text + json.dumps(fetched.record())
    assert not [path for path in tmp_path.rglob("*") if "s3" in path.name]


def test_each_refusal_of_a_download_is_without_secrets(tmp_path):
    with serve({"/gone": 404}) as (address, _):
        for url in (address.replace("http://", "http://me:s3cret@") + "/gone?s3cret", "http://me:s3cret@/x"):
            with pytest.raises(TransportError) as refused:
                transport.download(url, tmp_path / "a/b/c")
            assert "s3cret" not in str(refused.value)
    spec = make_spec(files=[{"name": "points.data", "urls": [f"{address}/points.data?s3cret"]}])
    with pytest.raises(NotObtainedError) as refused:
        obtain(spec, spec.files[0], tmp_path)
    assert "s3cret" not in str(refused.value)


def test_names_and_addresses_of_a_mirror():
    assert get_url_name("https://me:a@host/x/points.data?token=/s3cret") == "points.data"
    (file,) = make_spec().files
    assert list_mirror_urls(file, "http://h/m/")[0] == "http://h/m/small/points.data"
    assert list_mirror_urls(file, "http://h/m?t=s3cret")[0] == "http://h/m/small/points.data?t=s3cret"
