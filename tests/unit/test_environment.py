"""The lock, the conda file, the metadata and the rules agree; nothing says where packages come from."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from setuptools import find_packages

import toprank

ROOT = Path(__file__).resolve().parents[2]
CONDA_FILE = ROOT / "envs/environment.yaml"
CONDA = yaml.safe_load(CONDA_FILE.read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "envs/requirements.txt").read_text()
#: Prints each rule that runs something, with its conda file.
READ_ENVIRONMENT_CODE = """
import json
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    for files in ([], [Path("reports/snapshot/config.yaml")]):
        asked = {"snakefile": Path("workflow/Snakefile"), "resource_settings": ResourceSettings(cores=1)}
        for rule in api.workflow(**asked, config_settings=ConfigSettings(configfiles=files))._workflow.rules:
            if any((rule.script, rule.shellcmd, rule.notebook, rule.wrapper, rule.is_run)):
                print(json.dumps([rule.name, str(rule.conda_env)]))
"""


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked_versions():
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", LOCK, re.MULTILINE)
    return {normalised(name): version for name, version in pinned}


def direct():
    """The packages asked for by name, each with the Pythons that it is for."""
    lines = (ROOT / "envs/requirements.in").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {normalised(entry.name): str(entry.marker or "") for entry in requirements}


def optional_pins(pins):
    """The pins of the extras for other rankers and for compounds, which no lock has."""
    extras = PROJECT["optional-dependencies"]
    entries = {entry.name: entry for name in ("peers", "chem") for entry in map(Requirement, extras[name])}
    assert {*entries} <= {*pins} - {*direct()}, "the conda file has them all, and the lock none"
    for name, entry in entries.items():
        assert entry.specifier.contains(pins[name]), f"{name} is not as pyproject.toml asks for it"
    return {name: pins[name] for name in entries}


def test_each_locked_package_has_a_version_and_a_hash():
    entries = re.split(r"\n(?=\S)", LOCK.strip())
    assert len(entries) == len(locked_versions())
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_lock_names_no_address():
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK and " @ " not in LOCK


def test_the_conda_file_holds_the_same_versions():
    *lines, by_pip = CONDA["dependencies"]
    pins = [line.split("=") for line in lines if re.match(r"^[\w.-]+=[^=]", line)]
    assert {re.split(r"[ =<>]", line)[0] for line in lines} - {name for name, _ in pins} == {"python", "pip"}
    assert set(by_pip) == {"pip"}
    entries = [Requirement(line) for line in by_pip["pip"]]
    pins += [(entry.name, str(entry.specifier).removeprefix("==")) for entry in entries]
    assert len(pins) == len(dict(pins)), "a package is named twice"
    locked = locked_versions()
    assert dict(pins) == {name: locked[name] for name in direct()} | optional_pins(dict(pins))
    only_for = {entry.name: str(entry.marker) for entry in entries if entry.marker}
    assert only_for == {name: marker for name, marker in direct().items() if marker}


def test_the_conda_file_asks_the_free_channels_alone():
    """Snakemake's channel, after that on which it builds, and not those of a user's settings."""
    assert set(CONDA) == {"name", "channels", "dependencies"}
    assert CONDA["name"] == PROJECT["name"]
    assert CONDA["channels"] == ["conda-forge", "bioconda", "nodefaults"]


def test_the_wheel_holds_the_library_and_the_logger_plugin_alone():
    setuptools_settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"][
        "packages"
    ]["find"]
    packages = find_packages(ROOT / setuptools_settings["where"][0], include=setuptools_settings["include"])
    assert {"toprank", "toprank.estimators"} <= set(packages)
    assert {package.split(".")[0] for package in packages} == {"toprank", "snakemake_logger_plugin_toprank"}


def test_one_range_of_pythons():
    (conda,) = (line for line in CONDA["dependencies"][:-1] if line.startswith("python "))
    python_range = SpecifierSet(PROJECT["requires-python"])
    assert SpecifierSet(conda.removeprefix("python ")) == python_range
    pythons = [f"3.{minor}" for minor in range(30) if python_range.contains(f"3.{minor}")]
    first, last = pythons[0], pythons[-1]
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert tools["ruff"]["target-version"] == "py" + first.replace(".", "")
    next_version = f"3.{int(last.split('.')[1]) + 1}"
    check = f"not ({first.replace('.', ', ')}) <= sys.version_info < ({next_version.replace('.', ', ')})"
    for name in ("Makefile", ".ci/run"):
        assert check in (ROOT / name).read_text(), f"{name} does not check for {python_range}"
    assert f"--python-version {first} " in (ROOT / "Makefile").read_text(), "the lock is for another Python"
    named = f"Python {', '.join(pythons[:-1])} or {last}"
    for name in ("Makefile", "README.md"):
        assert named in (ROOT / name).read_text(), f"{name} does not say: {named}"


@pytest.mark.parametrize("version", ["3.10.13", "3.14.0"])
def test_make_refuses_another_python(tmp_path, version):
    """`make env` says so in one sentence, and begins nothing."""
    for name in ("Makefile", "pyproject.toml", "envs/requirements.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    other = tmp_path / "python-other"
    wrong = f"import sys; sys.version_info = {tuple(map(int, version.split('.')))}; exec(sys.argv[1])"
    says = f'[ "$1" = --version ] && echo "Python {version}" && exit'
    other.write_text(f'#!/bin/sh\n{says}\nexec {sys.executable} -c "{wrong}" "$2"\n')
    other.chmod(0o755)
    command = ["make", "env", f"PYTHON={other}"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode != 0
    assert f"is 'Python {version}': name another one" in process.stderr
    assert not (tmp_path / ".venv").exists()


def test_what_the_packages_need_is_in_the_environment():
    """Except other rankers, what reads compounds and what builds pages, which nothing here runs."""
    locked, extras = locked_versions(), PROJECT["optional-dependencies"]
    assert set(extras) == {"plot", "reference", "pipeline", "peers", "chem", "docs"}
    requirements = [entry for name in ("plot", "reference", "pipeline") for entry in extras[name]]
    for entry in map(Requirement, (*PROJECT["dependencies"], *requirements)):
        assert normalised(entry.name) in direct(), entry
        assert entry.specifier.contains(locked[normalised(entry.name)]), f"the lock does not fulfil {entry}"


def test_the_lock_holds_a_snakemake_that_the_workflow_takes():
    (oldest,) = re.findall(r'min_version\("(.+)"\)', (ROOT / "workflow/Snakefile").read_text())
    assert Version(locked_versions()["snakemake"]) >= Version(oldest)


def test_each_rule_with_a_script_names_the_conda_file():
    """As Snakemake reads them, for a run with fits and for one with published fits."""
    read = subprocess.run(
        [sys.executable, "-c", READ_ENVIRONMENT_CODE], cwd=ROOT, capture_output=True, text=True
    )
    assert read.returncode == 0, read.stderr
    rules = dict(map(json.loads, read.stdout.splitlines()))
    assert {"fetch", "exact", "environment", "restore", "snapshot", "bench_ranksvm"} <= rules.keys()
    for name, conda in rules.items():
        assert conda == str(CONDA_FILE), f"rule {name} names {conda}"


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == toprank.__version__ and PROJECT["dynamic"] == ["version"]
    assert citation["license"] == PROJECT["license"]
