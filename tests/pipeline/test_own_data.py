"""docs/own_data.md from its first command to the last, and a file that is replaced."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from small_project import ROOT

pytestmark = [pytest.mark.pipeline, pytest.mark.long, pytest.mark.xdist_group("bare")]
PAGE = ROOT / "docs/own_data.md"


def test_the_page_as_it_is_published(bare_project, tmp_path):
    project = bare_project.copy(tmp_path / "copy")
    environment = project.environment()
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(script):
        return subprocess.run(
            ["bash", "-ec", script],
            cwd=project.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    commands = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    ran = run("\n".join(commands))
    assert ran.returncode == 0, ran.stdout[-4000:]
    for study, dataset in (("lists", "patients"), ("queries", "answers")):
        fits = pd.read_csv(project.results / study / "fits.csv")
        assert set(fits["dataset"]) == {dataset} and set(fits["status"]) <= {"certified", "stopped"}

    dry = run(f"{commands[-1].strip()} --dry-run")
    assert "Nothing to be done" in dry.stdout, dry.stdout[-2000:]
    file = project.folder / "patients.csv"
    file.write_text(file.read_text().replace("p0;", "p0;1"))
    changed = run(f"{commands[-1].strip()} --dry-run").stdout
    assert re.search(r"^fetch +1$", changed, re.MULTILINE), changed[-2000:]
