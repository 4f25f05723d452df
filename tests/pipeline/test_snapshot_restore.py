"""A snapshot's tables, figures and page are made again of its fits; any of these can be made again itself."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reproduction.snapshot.__main__ import write_snapshot
from reproduction.snapshot.configuration import REBUILD_DIR
from reproduction.snapshot.diff import compare_runs

MEASURING = {"fetch", "prepare", "splits", "metric", "verify", "toppush", "exact"}
#: Tables that are written with the figures and with the page, which are left out here.
FIGURE_TABLES = {"published_measured", "option_effects", "failures"}

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_all_is_made_again(finished_project, bare_project, tmp_path, monkeypatch):
    project, snapshot = bare_project.copy(tmp_path / "copy"), Path("reports/other")
    monkeypatch.chdir(project.folder)
    config = json.loads((finished_project.results / "provenance.json").read_text(encoding="utf-8"))["config"]
    write_snapshot(finished_project.results, snapshot, config)
    restored = yaml.safe_load((snapshot / "config.yaml").read_text(encoding="utf-8"))
    studies = yaml.safe_load(finished_project.overlay.read_text(encoding="utf-8"))["studies"]
    for name, study in studies.items():  # the order of the data sets is the order of rows
        assert list(restored["studies"][name]["datasets"]) == list(study["datasets"])
    assert any(list(study["datasets"]) != sorted(study["datasets"]) for study in studies.values())
    tables = [file for file in snapshot.rglob("*.csv") if file.stem not in FIGURE_TABLES]
    project.overlay = project.folder / snapshot / "config.yaml"
    published = project.snakemake(*(Path(REBUILD_DIR, file.relative_to(snapshot)) for file in tables))
    assert not MEASURING & {*re.findall(r"^(?:local)?rule (\w+):$", published, re.MULTILINE)}
    differences = compare_runs(snapshot, REBUILD_DIR)
    assert {
        line.partition(" ")[0].rpartition("/")[2].partition(".")[0] for line in differences
    } == FIGURE_TABLES

    process = subprocess.run(
        [sys.executable, "workflow/lib/spot_check.py", snapshot, "--cells", "3", "--configfile", "tiny.yaml"],
        capture_output=True,
        text=True,
        env=project.environment(),
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout.splitlines()[-1] == "3 of 3 compared files are the same, apart from times."
