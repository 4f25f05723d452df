"""The lock file, the conda file and the metadata say the same, and nothing about where packages come from."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "envs/requirements.txt").read_text()


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked_versions():
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", LOCK, re.MULTILINE)
    return {normalised(name): version for name, version in pinned}


def direct_names():
    lines = (ROOT / "envs/requirements.in").read_text().splitlines()
    wanted = [line.split(";")[0].strip() for line in lines if not line.startswith("#")]
    return {normalised(name) for name in wanted if name}


def test_each_locked_package_has_a_version_and_a_hash():
    entries = re.split(r"\n(?=\S)", LOCK.strip())
    assert len(entries) == len(locked_versions())
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_lock_names_no_address():
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK and " @ " not in LOCK


def test_the_conda_file_holds_the_same_versions():
    conda = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())
    *lines, by_pip = conda["dependencies"]
    pinned = dict(line.split("=") for line in lines if re.match(r"^[\w.-]+=[^=]", line))
    others = {re.split(r"[ =<>]", line)[0] for line in lines} - set(pinned)
    assert others == {"python", "pip"}
    pinned |= dict(line.split(";")[0].split("==") for line in by_pip["pip"])
    locked = locked_versions()
    assert pinned == {name: locked[name] for name in direct_names()}


def test_what_the_library_needs_is_in_the_environment():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {normalised(re.split(r"[<>=!~\[; ]", entry)[0]) for entry in project["dependencies"]}
    assert needed <= direct_names()


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
