"""Snakemake builds the graph of a configuration that is larger than the papers'."""

import json
import os
import subprocess
import sys

import enlarged
import pytest
import yaml
from common import Layout
from small_project import ROOT

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_the_graph_of_a_larger_configuration(tmp_path):
    folder = tmp_path / "copy"
    enlarged.copied(ROOT, folder)
    enlarged.enlarge(folder, ["spambase", "splice"], datasets=16, methods=7, splits=4, one_a_job=True, seed=1)
    file = tmp_path / "probe.json"
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "dag_probe",
            str(file),
            "--profile",
            "profiles/slurm",
            "-n",
            "-F",
            "-q",
            "all",
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{folder / 'src'}:{folder / 'workflow'}"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(file.read_text())
    layout = Layout(yaml.safe_load((folder / "config.yaml").read_text()))
    fits = [job for job in found["jobs"] if job["rule"] in layout.methods]
    ours = [job for job in fits if job["wildcards"]["study"] == enlarged.STUDY]
    assert len(fits) == sum(len(layout.fit_files(study)) for study in layout.studies)
    assert len(ours) == 16 * 7 * 4
    assert {job["wildcards"]["dataset"].split("-copy")[0] for job in ours} >= {"spambase", "splice"}
    copies = [job for job in ours if "_copy" in job["rule"]]
    assert {job["rule"] for job in copies} == {"toppush_copy1", "admm_copy1"}
    assert len(copies) == 2 * 16 * 4
    chosen = {
        found["jobs"][need]["rule"] for job in copies if job["rule"] == "admm_copy1" for need in job["needs"]
    }
    assert "toppush" in chosen and "toppush_copy1" not in chosen
    assert any(job["local"] for job in found["jobs"]) and not any(job["local"] for job in ours)
    assert not any(job["batch"] is not None for job in found["jobs"] if job["local"])
    batches = [(job["wildcards"]["dataset"], job["wildcards"]["block"], job["batch"]) for job in ours]
    assert len(set(batches)) == len({batch for *_, batch in batches}) == 16 * 4, "all methods of a block"
    assert found["fullest_folder"] >= len(ours) and min(found["choice_seconds"].values()) > 0
