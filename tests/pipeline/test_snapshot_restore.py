"""A snapshot's tables, figures and page are made again of its fits; any of these can be made again itself."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reproduction.snapshot.__main__ import REBUILD_DIR, write_snapshot
from reproduction.snapshot.diff import compare_runs

MEASURING = {"fetch", "prepare", "splits", "metric", "verify", "toppush", "exact"}
#: Tables that are written with the figures and with the page, which are left out here.
OF_FIGURES = {"published_measured", "option_effects", "failures"}

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_all_is_made_again(finished, bare, tmp_path, monkeypatch):
    project, snapshot = bare.copy(tmp_path / "copy"), Path("reports/other")
    monkeypatch.chdir(project.folder)
    config = json.loads((finished.results / "provenance.json").read_text(encoding="utf-8"))["config"]
    write_snapshot(finished.results, snapshot, config)
    again = yaml.safe_load((snapshot / "config.yaml").read_text(encoding="utf-8"))
    asked = yaml.safe_load(finished.overlay.read_text(encoding="utf-8"))["studies"]
    for name, study in asked.items():  # the order of the data sets is the order of rows
        assert list(again["studies"][name]["datasets"]) == list(study["datasets"])
    assert any(list(study["datasets"]) != sorted(study["datasets"]) for study in asked.values())
    tables = [file for file in snapshot.rglob("*.csv") if file.stem not in OF_FIGURES]
    project.overlay = project.folder / snapshot / "config.yaml"
    published = project.snakemake(*(Path(REBUILD_DIR, file.relative_to(snapshot)) for file in tables))
    assert not MEASURING & {*re.findall(r"^(?:local)?rule (\w+):$", published, re.MULTILINE)}
    said = compare_runs(snapshot, REBUILD_DIR)
    assert {line.partition(" ")[0].rpartition("/")[2].partition(".")[0] for line in said} == OF_FIGURES

    made = subprocess.run(
        [sys.executable, "workflow/lib/spot_check.py", snapshot, "--cells", "3", "--configfile", "tiny.yaml"],
        capture_output=True,
        text=True,
        env=project.environment(),
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.splitlines()[-1] == "3 of 3 files are the same, apart from times."
